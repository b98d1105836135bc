//! A larger cache. The query decodes what it, or others, will decode again, and decoded granules are not kept.
//!
//! Gain, from the run on in which they are found: half of what the scan computes, for a scan that finds its granules only takes
//! rows over, and all of its waiting for the disk. Only where all that it read fits into the cache.

use gristmill_introspect::Event;
use gristmill_introspect::limit::Advice;

use super::Facts;

/// Of the machine's memory, that a cache may be told to take.
const MEMORY_SHARE: f64 = 0.25;
/// Of what a scan computes, that decoding is at the least.
const DECODED: f64 = 0.5;

pub(super) fn rule(facts: &Facts<'_>) -> Option<Advice> {
    let scan = facts.stage("scan")?;
    if facts.reads.is_empty() || facts.counters.get(Event::UncompressedCacheHits) > 0 {
        return None;
    }
    let wanted = scan.bytes + scan.bytes / 4;
    let is_large_enough = wanted <= facts.uncompressed_cache_bytes;
    if facts.settings.use_uncompressed_cache && is_large_enough
        || wanted as f64 > facts.calibration.fingerprint.memory_bytes as f64 * MEMORY_SHARE
    {
        // It comes by itself, with the next runs; or it is too much.
        return None;
    }
    let mut changes = Vec::new();
    if !is_large_enough {
        let bytes = wanted.next_multiple_of(64 << 20);
        changes.push(format!("gristmill server --uncompressed-cache-size {bytes}"));
    }
    if !facts.settings.use_uncompressed_cache {
        changes.push("SET use_uncompressed_cache = 1".to_string());
    }
    let computed = (scan.taken - facts.times.disk).max(0.0);
    Some(Advice {
        rule: "uncompressed_cache",
        reason: "what it reads is decoded anew each time, and would fit into memory".to_string(),
        change: changes.join("\n"),
        gain: computed * DECODED + facts.times.disk,
    })
}
