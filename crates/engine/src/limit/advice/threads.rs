//! More threads. The query computes with fewer than there are cores.
//!
//! Gain: what it computes is parted among all cores instead of some. A tenth of that is left where it was, for what only one
//! thread can do (planning, merging, writing the result); and where it was ready and no processor was free, other cores are
//! not free either: the gain is less by that share.

use gristmill_introspect::limit::Advice;

use super::Facts;

/// Of what is computed, that all threads share.
const SHARED: f64 = 0.9;

pub(super) fn rule(facts: &Facts<'_>) -> Option<Advice> {
    let (threads, cores, times) = (facts.threads, facts.cores, facts.times);
    if threads >= cores {
        return None;
    }
    let gain = (times.computing - times.runnable) * SHARED * (1.0 - threads as f64 / cores as f64);
    let with = if threads == 1 { "one thread".to_string() } else { format!("{threads} threads") };
    Some(Advice {
        rule: "max_threads",
        reason: format!("it computes with {with}, and the machine has {cores} cores"),
        change: format!("SET max_threads = {cores}"),
        gain,
    })
}
