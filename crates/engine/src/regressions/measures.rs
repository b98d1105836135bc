//! What the log has of each run beside its time, and which of it changed.

use gristmill_base::units;

use super::{Run, median, most_common};

/// One declared measure.
pub(super) struct Measure {
    /// Over the query log.
    pub expression: &'static str,
    name: &'static str,
    unit: Unit,
    /// Differences below this are none, in the measure's own unit.
    least: f64,
}

#[derive(Clone, Copy)]
enum Unit {
    Count,
    Bytes,
    Micros,
}

const fn measure(expression: &'static str, name: &'static str, unit: Unit, least: f64) -> Measure {
    Measure { expression, name, unit, least }
}

/// In the order in which changes are told: what is read comes before what is waited for, which may be for that.
pub(super) const MEASURES: &[Measure] = &[
    measure("read_rows", "rows read", Unit::Count, 1000.0),
    measure("read_bytes", "bytes read", Unit::Bytes, 65_536.0),
    measure("ProfileEvents['SelectedParts']", "parts", Unit::Count, 2.0),
    measure("ProfileEvents['SelectedMarks']", "granules", Unit::Count, 4.0),
    measure("ProfileEvents['S3ReadRequestsCount']", "requests", Unit::Count, 4.0),
    measure("ProfileEvents['UncompressedCacheMisses']", "granules that no cache held", Unit::Count, 8.0),
    measure("ProfileEvents['ExternalSortWritePart']", "runs of sorts written to disk", Unit::Count, 1.0),
    measure("memory_usage", "memory", Unit::Bytes, 4e6),
    measure("ProfileEvents['WallNetworkMicroseconds']", "waiting for stores", Unit::Micros, 1000.0),
    measure("ProfileEvents['WallDiskMicroseconds']", "waiting for the disk", Unit::Micros, 1000.0),
    measure("ProfileEvents['WallRunnableMicroseconds']", "waiting for a processor", Unit::Micros, 1000.0),
    measure("ProfileEvents['WallLockMicroseconds']", "waiting for others' locks", Unit::Micros, 1000.0),
    measure("ProfileEvents['WallClientMicroseconds']", "waiting for the client", Unit::Micros, 1000.0),
    measure("ProfileEvents['WallSleepMicroseconds']", "sleeping", Unit::Micros, 1000.0),
    measure("ProfileEvents['OSCPUVirtualTimeMicroseconds']", "processor time", Unit::Micros, 1000.0),
];

/// Medians that differ by less are the same.
const RATIO_MIN: f64 = 1.2;
/// Larger ratios are told as they are, not as "from nothing".
const RATIO_TOLD_MAX: f64 = 1e6;

/// What the newest runs have more of, or otherwise, than those before; a sentence where nothing is.
pub(super) fn changes(newest: &[Run], before: &[Run]) -> Vec<String> {
    let mut all = Vec::new();
    let plan = |runs: &[Run]| most_common(runs.iter().map(|run| run.plan_hash).filter(|hash| *hash != 0));
    if let (Some(now), Some(then)) = (plan(newest), plan(before))
        && now != then
    {
        all.push("another plan".to_string());
    }
    for (place, measure) in MEASURES.iter().enumerate() {
        let of = |runs: &[Run]| median(&runs.iter().map(|run| run.measured[place]).collect::<Vec<_>>());
        all.extend(change(measure, of(newest), of(before)));
    }
    if all.is_empty() {
        all.push("nothing that the log counts".to_string());
    }
    all
}

/// Only more is told: the run became slower.
fn change(measure: &Measure, now: f64, then: f64) -> Option<String> {
    if now < then * RATIO_MIN || now - then < measure.least {
        return None;
    }
    let shown = |value: f64| match measure.unit {
        Unit::Count => format!("{value:.0}"),
        Unit::Bytes => units::bytes_decimal(value),
        Unit::Micros => format!("{:.1} ms", value / 1000.0),
    };
    let (ratio, name) = (now / then.max(1e-9), measure.name);
    let many = if matches!(measure.unit, Unit::Count) { "many" } else { "much" };
    Some(if ratio > RATIO_TOLD_MAX || then == 0.0 {
        format!("{name}: {} now, none before", shown(now))
    } else {
        format!("{name}: {ratio:.1} times as {many} ({} before, {} now)", shown(then), shown(now))
    })
}
