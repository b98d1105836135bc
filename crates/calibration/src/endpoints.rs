//! What was seen of object stores: nobody asks them for it, traffic tells. The process counts how its requests go, by endpoint
//! (`gristmill_objstore::endpoint`); what it counted is kept with the calibration, so that the next process knows it too.

use std::sync::atomic::Ordering::Relaxed;

use gristmill_objstore::account::Class;
use gristmill_objstore::endpoint::Endpoint;
use serde::{Deserialize, Serialize};

/// Answers to know before anything is said of an endpoint.
const ANSWERS_MIN: u64 = 10;

/// An endpoint, as traffic showed it. Times are those until the first byte of an answer to a GET.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndpointSeen {
    /// Scheme, host and port.
    pub name: String,
    /// That the times were taken from.
    pub answers: u64,
    pub first_byte_p50_micros: u64,
    pub first_byte_p90_micros: u64,
    pub first_byte_p99_micros: u64,
    /// Of one connection; `None`: no answer was long enough to tell.
    pub bytes_per_second: Option<u64>,
    /// Most requests in flight that went well.
    pub in_flight_max: u64,
}

/// The endpoints that this process has talked to enough.
pub fn seen() -> Vec<EndpointSeen> {
    let reports = Endpoint::reports();
    let of_gets = reports.iter().filter(|report| report.class == Class::Get);
    of_gets.filter_map(|report| of(&report.endpoint)).collect()
}

/// What is known of one, where it is enough.
pub fn of(endpoint: &Endpoint) -> Option<EndpointSeen> {
    let times = &endpoint.class(Class::Get).first_byte;
    let answers = times.count();
    if answers < ANSWERS_MIN || endpoint.class(Class::Get).sent.load(Relaxed) == 0 {
        return None;
    }
    Some(EndpointSeen {
        name: endpoint.name.clone(),
        answers,
        first_byte_p50_micros: times.quantile(0.5)?,
        first_byte_p90_micros: times.quantile(0.9)?,
        first_byte_p99_micros: times.quantile(0.99)?,
        bytes_per_second: endpoint.bytes_per_second(),
        in_flight_max: endpoint.limiter.limit() as u64,
    })
}

/// What is known of all: of those that this process talked to, what it saw; of the others, what was kept.
pub fn merged(kept: &[EndpointSeen], seen: Vec<EndpointSeen>) -> Vec<EndpointSeen> {
    let mut all = seen;
    for endpoint in kept {
        match all.iter_mut().find(|known| known.name == endpoint.name) {
            // The pace needs a long answer, which may have come to an earlier process.
            Some(known) => known.bytes_per_second = known.bytes_per_second.or(endpoint.bytes_per_second),
            None => all.push(endpoint.clone()),
        }
    }
    all.sort_by(|one, other| one.name.cmp(&other.name));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_seen_replaces_what_was_kept() {
        let of = |name: &str, p50: u64, pace: Option<u64>| EndpointSeen {
            name: name.to_string(),
            first_byte_p50_micros: p50,
            bytes_per_second: pace,
            ..EndpointSeen::default()
        };
        let kept = [of("http://a", 1, Some(7)), of("http://b", 2, None)];
        let all = merged(&kept, vec![of("http://c", 5, None), of("http://a", 3, None)]);
        assert_eq!(all, [of("http://a", 3, Some(7)), of("http://b", 2, None), of("http://c", 5, None)]);
    }

    #[test]
    fn an_endpoint_without_answers_is_not_known() {
        assert_eq!(super::of(&Endpoint::new("http://nobody", 10)), None);
    }
}
