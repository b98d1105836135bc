//! Hedging: a read that takes much longer than reads of its endpoint usually do is sent a second time, and whichever
//! answer comes first counts; the other is dropped. (J. Dean and L. Barroso, "The Tail at Scale", 2013.)
//!
//! When to hedge is learned: three times the time to the first byte under which 95 of 100 answers of the same class began,
//! and for the body four times what its bytes take at the endpoint's usual pace. Nothing is hedged before enough answers
//! were seen to know. At most one request in twenty may be a second one: where everything is slow, as under overload,
//! sending more would make it worse.

use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::account::Class;
use crate::endpoint::Endpoint;
use crate::wire::Call;

/// Answers to know before anything is judged.
const ANSWERS_MIN: u64 = 20;
const SHORTEST: Duration = Duration::from_millis(20);
const LONGEST: Duration = Duration::from_secs(10);
/// When to look again where nothing is known yet.
const NEXT_LOOK: Duration = Duration::from_millis(100);
/// One second request for so many first ones.
const FIRST_ONES_FOR_EACH: u64 = 20;
/// Second requests that are allowed before that share means anything.
const ALLOWANCE: u64 = 4;

/// How long a read of so many bytes may take before it is worth a second request. `None`: not known, or the endpoint's share
/// of second requests is used up.
pub(crate) fn patience(endpoint: &Endpoint, class: Class, bytes: u64) -> Option<Duration> {
    let history = endpoint.class(class);
    if history.first_byte.count() < ANSWERS_MIN {
        return None;
    }
    let (sent, hedged) = (history.sent.load(Ordering::Relaxed), history.hedged.load(Ordering::Relaxed));
    if hedged >= ALLOWANCE + sent / FIRST_ONES_FOR_EACH {
        return None;
    }
    let first_byte = Duration::from_micros(history.first_byte.quantile(0.95)?.saturating_mul(3));
    let pace = endpoint.bytes_per_second().unwrap_or(8 << 20);
    let body = Duration::from_micros(bytes.saturating_mul(4_000_000) / pace.max(1));
    Some((first_byte + body).clamp(SHORTEST, LONGEST))
}

/// Ends when a second request is worth sending. The time runs from when the first was sent: waiting for a place among the
/// requests in flight is no slowness of the endpoint.
pub(crate) async fn worth_it(endpoint: &Endpoint, call: &Call, class: Class, bytes: u64) {
    let mut wait = patience(endpoint, class, bytes).unwrap_or(NEXT_LOOK);
    loop {
        tokio::time::sleep(wait).await;
        let free = endpoint.limiter.in_flight() < endpoint.limiter.limit();
        wait = match (call.sent(), patience(endpoint, class, bytes)) {
            (Some(sent), Some(patience)) if free => match patience.saturating_sub(sent.elapsed()) {
                Duration::ZERO => return,
                left => left,
            },
            _ => NEXT_LOOK,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::Ending;

    fn answered(count: u64, micros: u64) -> std::sync::Arc<Endpoint> {
        let endpoint = Endpoint::new("http://host", 100);
        for _ in 0..count {
            endpoint.sent(Class::Get);
            endpoint.answered(Class::Get, micros, Ending::Answered);
        }
        endpoint
    }

    #[test]
    fn patience_is_learned_from_answers_of_the_class() {
        assert_eq!(patience(&answered(19, 40_000), Class::Get, 0), None, "too few to know");
        let known = answered(100, 40_000);
        let patience_of = |bytes| patience(&known, Class::Get, bytes).expect("known");
        assert!((120..=150).contains(&patience_of(0).as_millis()), "{:?}", patience_of(0));
        assert_eq!(patience(&known, Class::List, 0), None, "another class");
        known.body_came(8 << 20, 100_000);
        let long = patience_of(8 << 20) - patience_of(0);
        assert!((390..=410).contains(&long.as_millis()), "{long:?}");
    }

    #[test]
    fn no_more_than_one_in_twenty_is_sent_twice() {
        let endpoint = answered(200, 1_000);
        endpoint.class(Class::Get).hedged.store(13, Ordering::Relaxed);
        assert!(patience(&endpoint, Class::Get, 0).is_some());
        endpoint.class(Class::Get).hedged.store(14, Ordering::Relaxed);
        assert_eq!(patience(&endpoint, Class::Get, 0), None);
    }
}
