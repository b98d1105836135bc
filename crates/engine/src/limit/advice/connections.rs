//! More connections. The query waits for a store, and a setting lets fewer requests be in flight than the query has.
//!
//! Gain: requests go in fewer rounds. With `n` requests and `c` at a time there are `n / c` rounds, and with as many as the
//! store is known to take, or 256, there are fewer; waiting for the network shrinks by that factor, but for one round.

use gristmill_introspect::limit::Advice;

use super::Facts;

/// Of the time spent on waiting for stores, that is for answers to begin.
const PART_OF_ROUNDS: f64 = 0.9;

pub(super) fn rule(facts: &Facts<'_>) -> Option<Advice> {
    let requests = facts.requests;
    let now = facts.settings.s3_max_connections.max(1);
    let wanted = requests.at_once.min(requests.count);
    if now >= wanted {
        return None;
    }
    let (before, after) = (requests.count.div_ceil(now) as f64, requests.count.div_ceil(wanted) as f64);
    let gain = facts.times.network * PART_OF_ROUNDS * (1.0 - after / before);
    Some(Advice {
        rule: "s3_max_connections",
        reason: format!(
            "{} requests go out {now} at a time, and most of the time passes until they are answered",
            requests.count
        ),
        change: format!("SET s3_max_connections = {}", requests.at_once),
        gain,
    })
}
