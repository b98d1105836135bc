//! Which parts to merge.
//!
//! Every range of neighbouring parts of a partition is a candidate. Merging a range costs reading and writing its bytes,
//! and is worth the parts that go; so the range with the least bytes per part removed wins, each part counting
//! `PART_COST_BYTES` more than its size, so that small parts go first. A range may be merged where it is `base` times
//! as large as its largest part: a big part is then rewritten only when enough has gathered beside it, and the bytes
//! that a row is rewritten grow with the logarithm of the table's size. The base falls towards 2 with the number of
//! parts in the partition and with the age of the range, so that what is left over is merged in the end.

use std::ops::Range;
use std::sync::Arc;

use crate::manifest::PartEntry;
use crate::settings::TableSettings;

const PART_COST_BYTES: f64 = (5 << 20) as f64;
/// Of what the base falls to at most.
const BASE_MIN: f64 = 2.0;
/// Parts of a partition between which the base falls.
const PARTS_LOWER_BASE: (f64, f64) = (10.0, 50.0);
/// Sizes between which the ages below grow.
const SIZES: (f64, f64) = ((1u64 << 20) as f64, (100u64 << 30) as f64);
const AGE_FROM_SECONDS: f64 = 10.0;
/// Age at which the base is lowest, of the smallest and of the largest ranges.
const AGE_TO_SECONDS: (f64, f64) = (3600.0, 30.0 * 86_400.0);
/// Parts at the right end of a range that are less than this share of it wait for others of their size.
const TAIL_SHARE: f64 = 0.01;
/// Parts of a partition that are looked at: the oldest.
const WINDOW: usize = 1000;

/// How freely a range may be chosen.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub base: f64,
    pub bytes_max: u64,
    pub parts_max: usize,
    pub min_age_to_force_seconds: u64,
    pub now_ms: u64,
}

impl Limits {
    /// `free` of `size` places of the pool are free, the one that the merge would take among them.
    pub fn of_background(settings: &TableSettings, free: usize, size: usize, now_ms: u64) -> Self {
        let (least, most) =
            (settings.max_bytes_to_merge_at_min_space_in_pool, settings.max_bytes_to_merge_at_max_space_in_pool);
        // In a pool smaller than the threshold was made for, half of it counts as free enough.
        let enough = (settings.number_of_free_entries_in_pool_to_lower_max_size_of_merge as usize).min(size / 2).max(1);
        let bytes_max = if free >= enough || most <= least {
            most
        } else {
            let share = free as f64 / enough as f64;
            (least.max(1) as f64 * (most as f64 / least.max(1) as f64).powf(share)) as u64
        };
        Limits {
            base: settings.merge_selector_base,
            bytes_max,
            parts_max: settings.max_parts_to_merge_at_once.clamp(2, 1000) as usize,
            min_age_to_force_seconds: settings.min_age_to_force_merge_seconds,
            now_ms,
        }
    }

    /// OPTIMIZE without FINAL: whichever range is cheapest.
    pub fn of_optimize(settings: &TableSettings, now_ms: u64) -> Self {
        Limits { base: 1.0, ..Self::of_background(settings, usize::MAX, 0, now_ms) }
    }
}

/// The best range of all. `runs`: neighbouring parts of one partition each, none of them being merged.
pub fn select(runs: &[Vec<Arc<PartEntry>>], limits: &Limits) -> Option<Vec<Arc<PartEntry>>> {
    let best = |run: &Vec<Arc<PartEntry>>| best_range(run, limits).map(|(score, range)| (score, run[range].to_vec()));
    runs.iter().filter_map(best).min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, parts)| parts)
}

fn best_range(run: &[Arc<PartEntry>], limits: &Limits) -> Option<(f64, Range<usize>)> {
    let run = &run[..run.len().min(WINDOW)];
    let age = |part: &PartEntry| limits.now_ms.saturating_sub(part.created_ms) as f64 / 1000.0;
    let mut best: Option<(f64, Range<usize>)> = None;
    for start in 0..run.len() {
        let (mut sum, mut largest, mut youngest) = (0u64, 0u64, f64::INFINITY);
        for (at, part) in run.iter().enumerate().skip(start).take(limits.parts_max) {
            sum += part.bytes;
            largest = largest.max(part.bytes);
            youngest = youngest.min(age(part));
            let count = at + 1 - start;
            if sum > limits.bytes_max {
                break;
            }
            if count < 2 || !is_allowed(sum as f64, largest as f64, youngest, count, run.len(), limits) {
                continue;
            }
            let score = (sum as f64 + PART_COST_BYTES * count as f64) / (count as f64 - 1.9);
            if best.as_ref().is_none_or(|(known, _)| score < *known) {
                best = Some((score, start..at + 1));
            }
        }
    }
    best.map(|(score, range)| (score, without_tail(run, range)))
}

fn is_allowed(sum: f64, largest: f64, youngest: f64, count: usize, parts: usize, limits: &Limits) -> bool {
    if limits.min_age_to_force_seconds > 0 && youngest >= limits.min_age_to_force_seconds as f64 {
        return true;
    }
    let size = unit(sum.max(1.0).ln(), (SIZES.0.ln(), SIZES.1.ln()));
    let age = unit(youngest, (AGE_FROM_SECONDS, AGE_TO_SECONDS.0 + (AGE_TO_SECONDS.1 - AGE_TO_SECONDS.0) * size));
    let lowered = (age + unit(parts as f64, PARTS_LOWER_BASE)).min(1.0);
    let base = limits.base + (BASE_MIN.min(limits.base) - limits.base) * lowered;
    (sum + PART_COST_BYTES * count as f64) / (largest + PART_COST_BYTES) >= base
}

/// Where a value lies between two, from 0 to 1.
fn unit(value: f64, (from, to): (f64, f64)) -> f64 {
    ((value - from) / (to - from)).clamp(0.0, 1.0)
}

fn without_tail(run: &[Arc<PartEntry>], mut range: Range<usize>) -> Range<usize> {
    let sum: u64 = run[range.clone()].iter().map(|part| part.bytes).sum();
    while range.len() > 2 && (run[range.end - 1].bytes as f64) < sum as f64 * TAIL_SHARE {
        range.end -= 1;
    }
    range
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn parts(bytes: &[u64], age_seconds: u64) -> Vec<Arc<PartEntry>> {
        let part = |(at, bytes): (usize, &u64)| {
            let block = at as i64 + 1;
            Arc::new(PartEntry {
                name: format!("all_{block}_{block}_0"),
                key: format!("parts/{block}"),
                partition_id: "all".to_string(),
                partition: "tuple()".to_string(),
                min_block: block,
                max_block: block,
                level: 0,
                rows: 1,
                bytes: *bytes,
                uncompressed_bytes: *bytes,
                granules: 1,
                tail_offset: 0,
                index_bytes: 0,
                created_ms: 100_000_000_000 - age_seconds * 1000,
                ranges: Vec::new(),
                statistics: BTreeMap::new(),
                skip_indexes: BTreeMap::new(),
                mutation: 0,
                ttl: BTreeMap::new(),
                codec: String::new(),
                projections: BTreeMap::new(),
            })
        };
        bytes.iter().enumerate().map(part).collect()
    }

    fn chosen(bytes: &[u64], age_seconds: u64, settings: &TableSettings) -> Vec<i64> {
        let limits = Limits::of_background(settings, 16, 16, 100_000_000_000);
        let found = select(&[parts(bytes, age_seconds)], &limits).unwrap_or_default();
        found.iter().map(|part| part.min_block).collect()
    }

    #[test]
    fn small_neighbours_go_first_and_a_large_part_waits() {
        let settings = TableSettings::default();
        let mb = 1 << 20;
        assert_eq!(chosen(&[mb; 4], 0, &settings), Vec::<i64>::new(), "too few to be worth it while young");
        assert_eq!(chosen(&[mb; 6], 0, &settings), [1, 2, 3, 4, 5, 6]);
        assert_eq!(chosen(&[10_000 * mb, mb, mb, mb, mb, mb], 0, &settings), [2, 3, 4, 5, 6]);
        assert_eq!(chosen(&[mb, mb], 30 * 86_400, &settings), [1, 2], "what is old is merged in the end");
    }

    #[test]
    fn a_merge_stays_within_its_bytes_and_parts() {
        let mb = 1 << 20;
        let settings = TableSettings { max_bytes_to_merge_at_max_space_in_pool: 8 * mb, ..TableSettings::default() };
        assert_eq!(chosen(&[mb; 20], 0, &settings).len(), 8);
        let settings = TableSettings { max_parts_to_merge_at_once: 6, ..TableSettings::default() };
        assert_eq!(chosen(&[mb; 20], 0, &settings).len(), 6);
        let forced = TableSettings { min_age_to_force_merge_seconds: 5, ..TableSettings::default() };
        assert_eq!(chosen(&[500 * mb, mb], 6, &forced), [1, 2]);
    }

    #[test]
    fn merging_one_by_one_rewrites_a_byte_a_logarithmic_number_of_times() {
        let settings = TableSettings::default();
        let (mut bytes, mut written) = (Vec::new(), 0u64);
        for _ in 0..2000 {
            bytes.push(1u64 << 20);
            loop {
                let found = chosen(&bytes, 0, &settings);
                let Some(first) = found.first() else { break };
                let range = *first as usize - 1..*first as usize - 1 + found.len();
                let sum: u64 = bytes[range.clone()].iter().sum();
                written += sum;
                bytes.splice(range, [sum]);
            }
        }
        assert!(bytes.len() < 30, "{} parts are left", bytes.len());
        assert!(written < (2000 * 8) << 20, "{} times rewritten", written / (2000 << 20));
    }
}
