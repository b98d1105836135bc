//! More memory before the spill. A sort, an aggregation or a join wrote rows to disk since max_memory_usage, or a setting of its
//! own (max_bytes_before_external_sort and its kin), gave it too little memory.
//!
//! Gain: what was written is encoded, written, read and decoded again, which with enough memory is not done. Each of the
//! four goes through a byte at no more than the rate at which one core decodes texts, the slowest way there is (where they are
//! copied, as here; plain ones may stay where they are); cores share it.

use gristmill_calibration::Resource;
use gristmill_introspect::limit::Advice;

use super::Facts;

/// Encode, write, read, decode.
const PASSES: f64 = 4.0;
/// Of the machine's memory that a query may be told to take.
const MEMORY_SHARE: f64 = 0.5;

pub(super) fn rule(facts: &Facts<'_>) -> Option<Advice> {
    let spilled: u64 = facts.stages.iter().map(|stage| stage.spilled_bytes).sum();
    if spilled == 0 {
        return None;
    }
    let most = facts.calibration.fingerprint.memory_bytes as f64 * MEMORY_SHARE;
    // What was in memory, and what would have been, twice: states grow by doubling.
    let wanted = 2.0 * (facts.memory_peak_bytes + 2 * spilled) as f64;
    if wanted > most {
        return None;
    }
    let rates = ["plain texts", "delta texts"].into_iter();
    let rate = rates.filter_map(|shape| facts.calibration.value(Resource::ParquetDecode, shape)).min_by(f64::total_cmp)?;
    let passes = PASSES * spilled as f64 / rate / facts.cores.min(facts.threads).max(1) as f64;
    let gain = passes.min(facts.times.total * 0.9);
    let bytes = (wanted as u64).next_multiple_of(64 << 20);
    let mut changes: Vec<String> = limits(facts).map(|name| format!("SET {name} = 0")).collect();
    match facts.settings.max_memory_usage {
        // The server's own limit was too little, unless a setting said so.
        0 if changes.is_empty() => changes.push(format!("gristmill server --max-server-memory-usage {}", 2 * bytes)),
        limit if limit > 0 && limit < bytes => changes.push(format!("SET max_memory_usage = {bytes}")),
        _ if changes.is_empty() => return None,
        _ => {}
    }
    Some(Advice {
        rule: "memory_before_spill",
        reason: format!("{} were written to disk and read again, for want of memory", in_words(spilled)),
        change: changes.join(";\n"),
        gain,
    })
}

/// The settings by which what spilled went to disk before the memory ended.
fn limits(facts: &Facts<'_>) -> impl Iterator<Item = &'static str> {
    let spilled = |name: &str| facts.stage(name).is_some_and(|stage| stage.spilled_bytes > 0);
    let is_said = |name: &str| facts.settings.is_changed(name) && facts.settings.get(name).is_some_and(|value| value != "0");
    let of_stages = [
        ("sort", "max_bytes_before_external_sort"),
        ("sort", "max_bytes_ratio_before_external_sort"),
        ("aggregate", "max_bytes_before_external_group_by"),
        ("aggregate", "max_bytes_ratio_before_external_group_by"),
    ];
    of_stages.into_iter().filter(move |(stage, name)| spilled(stage) && is_said(name)).map(|(_, name)| name)
}

fn in_words(bytes: u64) -> String {
    gristmill_base::units::bytes_decimal(bytes as f64)
}
