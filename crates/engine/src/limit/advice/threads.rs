//! More threads. The query computes with fewer than there are cores that had nothing else to do while it ran.
//!
//! Gain: what it computes is parted among these cores instead of some. A tenth of that is left where it was, for what only one
//! thread can do (planning, merging, writing the result); and where it was ready and no processor was free, the gain is less by
//! that share. Cores that other work kept busy are not promised: it may be over tomorrow, and may not.

use gristmill_introspect::limit::Advice;

use super::Facts;

/// Of what is computed, that all threads share.
const SHARED: f64 = 0.9;
/// Of the cores, up to which they count as free.
const ALL: f64 = 0.95;

pub(super) fn rule(facts: &Facts<'_>) -> Option<Advice> {
    let (threads, cores, times) = (facts.threads, facts.cores, facts.times);
    let free = facts.cores_free.min(cores as f64);
    if threads >= cores || free <= threads as f64 {
        return None;
    }
    let gain = (times.computing - times.runnable) * SHARED * (1.0 - threads as f64 / free);
    let with = if threads == 1 { "one thread".to_string() } else { format!("{threads} threads") };
    let reason = match free >= cores as f64 * ALL {
        true => format!("it computes with {with}, and the machine has {cores} cores"),
        false => {
            format!("it computes with {with}, and {free:.1} of the machine's {cores} cores had no other work meanwhile")
        }
    };
    Some(Advice { rule: "max_threads", reason, change: format!("SET max_threads = {cores}"), gain })
}
