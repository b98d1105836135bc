//! Which parts to merge.
//!
//! Every range of neighbouring parts of a partition is a candidate. Merging a range costs reading and writing its bytes,
//! and is worth the parts that go; so the range with the least bytes per part removed wins, each part counting
//! `PART_COST_BYTES` more than its size, so that small parts go first. A range may be merged where it is `base` times
//! as large as its largest part: a big part is then rewritten only when enough has gathered beside it, and the bytes
//! that a row is rewritten grow with the logarithm of the table's size. The base falls towards 2 with the number of
//! parts in the partition and with the age of the range, so that what is left over is merged in the end.
//!
//! Of a table in debt (`pool::debt`) the cheap merges come first: they take parts away soonest. Near
//! `parts_to_throw_insert` a merge takes fewer parts besides, so that several run side by side.

use std::ops::Range;
use std::sync::Arc;

use super::pool::between;
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
/// Debts between which merges of a table become cheap ones.
const DEBTS: (f64, f64) = (0.25, 1.0);
/// Bytes of the largest merge that counts as cheap at the greatest debt.
const CHEAP_BYTES: u64 = 16 << 20;

/// How freely a range may be chosen.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub base: f64,
    pub bytes_max: u64,
    pub parts_max: usize,
    pub min_age_to_force_seconds: u64,
    /// Age forces no merge of less than a partition.
    pub forces_partitions_only: bool,
    pub now_ms: u64,
    /// See `pool::debt`.
    pub debt: f64,
    /// Parts of a partition that are looked at: the oldest.
    window: usize,
    /// Parts of a partition near which merges take fewer parts, and how suddenly; `None`: they never do.
    crowded: Option<(f64, f64)>,
    trims_tail: bool,
}

impl Limits {
    /// `free` of `size` places of the pool are free, the one that the merge would take among them.
    pub fn of_background(settings: &TableSettings, free: usize, size: usize, debt: f64, now_ms: u64) -> Self {
        let (least, most) =
            (settings.max_bytes_to_merge_at_min_space_in_pool, settings.max_bytes_to_merge_at_max_space_in_pool);
        let enough = enough_free(settings.number_of_free_entries_in_pool_to_lower_max_size_of_merge, size);
        let bytes_max =
            if free >= enough || most <= least { most } else { geometric(least, most, free as f64 / enough as f64) };
        let throw = settings.parts_to_throw_insert;
        let narrows = settings.merge_selector_enable_heuristic_to_lower_max_parts_to_merge_at_once && throw > 0;
        Limits {
            base: settings.merge_selector_base,
            bytes_max,
            parts_max: settings.max_parts_to_merge_at_once.clamp(2, 1000) as usize,
            min_age_to_force_seconds: settings.min_age_to_force_merge_seconds,
            forces_partitions_only: settings.min_age_to_force_merge_on_partition_only,
            now_ms,
            debt,
            window: settings.merge_selector_window_size.max(2) as usize,
            crowded: narrows.then_some((
                throw as f64,
                settings.merge_selector_heuristic_to_lower_max_parts_to_merge_at_once_exponent as f64,
            )),
            trims_tail: settings.merge_selector_enable_heuristic_to_remove_small_parts_at_right,
        }
    }

    /// OPTIMIZE without FINAL: whichever range is cheapest.
    pub fn of_optimize(settings: &TableSettings, now_ms: u64) -> Self {
        Limits { base: 1.0, ..Self::of_background(settings, usize::MAX, 0, 0.0, now_ms) }
    }

    /// Parts that one merge takes, of a run of so many.
    fn parts_max_of(&self, parts: usize) -> usize {
        let Some((crowd, exponent)) = self.crowded else { return self.parts_max };
        let left = 1.0 - (parts as f64 / crowd).min(1.0).powf(exponent);
        // Fewer would not be worth their cost.
        ((self.parts_max as f64 * left).round() as usize).clamp(10.min(self.parts_max), self.parts_max)
    }
}

/// Free places that are enough, where a setting names a number: in a pool smaller than it was made for, half of the pool,
/// two places at least.
pub fn enough_free(setting: u64, places: usize) -> usize {
    (setting as usize).min((places / 2).max(2.min(places))).max(1)
}

/// What lies between two sizes, by their logarithms: the first at share 0.
fn geometric(from: u64, to: u64, share: f64) -> u64 {
    let (from, to) = (from.max(1) as f64, to.max(1) as f64);
    (from * (to / from).powf(share)) as u64
}

/// The best range of all; of a table in debt the best of the cheap ones, where there is one. `runs`: neighbouring parts of
/// one partition each, none of them being merged.
pub fn select(runs: &[Vec<Arc<PartEntry>>], limits: &Limits) -> Option<Vec<Arc<PartEntry>>> {
    let share = between(limits.debt, DEBTS);
    let cheap = [share, share / 2.0].into_iter().filter(|share| *share > 0.0).find_map(|share| {
        let bytes_max = geometric(limits.bytes_max, CHEAP_BYTES.min(limits.bytes_max), share);
        best(runs, &Limits { bytes_max, ..*limits })
    });
    cheap.or_else(|| best(runs, limits))
}

fn best(runs: &[Vec<Arc<PartEntry>>], limits: &Limits) -> Option<Vec<Arc<PartEntry>>> {
    let best = |run: &Vec<Arc<PartEntry>>| best_range(run, limits).map(|(score, range)| (score, run[range].to_vec()));
    runs.iter().filter_map(best).min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, parts)| parts)
}

fn best_range(run: &[Arc<PartEntry>], limits: &Limits) -> Option<(f64, Range<usize>)> {
    let run = &run[..run.len().min(limits.window)];
    let age = |part: &PartEntry| limits.now_ms.saturating_sub(part.created_ms) as f64 / 1000.0;
    let parts_max = limits.parts_max_of(run.len());
    let mut best: Option<(f64, Range<usize>)> = None;
    for start in 0..run.len() {
        let (mut sum, mut largest, mut youngest) = (0u64, 0u64, f64::INFINITY);
        for (at, part) in run.iter().enumerate().skip(start).take(parts_max) {
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
    best.map(|(score, range)| (score, if limits.trims_tail { without_tail(run, range) } else { range }))
}

fn is_allowed(sum: f64, largest: f64, youngest: f64, count: usize, parts: usize, limits: &Limits) -> bool {
    let is_old = limits.min_age_to_force_seconds > 0 && youngest >= limits.min_age_to_force_seconds as f64;
    if is_old && (count == parts || !limits.forces_partitions_only) {
        return true;
    }
    let size = between(sum.max(1.0).ln(), (SIZES.0.ln(), SIZES.1.ln()));
    let age = between(youngest, (AGE_FROM_SECONDS, AGE_TO_SECONDS.0 + (AGE_TO_SECONDS.1 - AGE_TO_SECONDS.0) * size));
    let lowered = (age + between(parts as f64, PARTS_LOWER_BASE)).min(1.0);
    let base = limits.base + (BASE_MIN.min(limits.base) - limits.base) * lowered;
    (sum + PART_COST_BYTES * count as f64) / (largest + PART_COST_BYTES) >= base
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

    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    use super::super::pool::MergePool;
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
                tail_hash: 0,
                index_bytes: 0,
                created_ms: 100_000_000_000 - age_seconds * 1000,
                ranges: Vec::new(),
                statistics: BTreeMap::new(),
                skip_indexes: BTreeMap::new(),
                mutation: 0,
                ttl: BTreeMap::new(),
                codec: String::new(),
                projections: BTreeMap::new(),
                deleted: None,
            })
        };
        bytes.iter().enumerate().map(part).collect()
    }

    fn chosen(bytes: &[u64], age_seconds: u64, settings: &TableSettings) -> Vec<i64> {
        let limits = Limits::of_background(settings, 16, 16, 0.0, 100_000_000_000);
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

    #[test]
    fn in_debt_cheap_merges_come_first_and_take_fewer_parts() {
        let (settings, mb) = (TableSettings::default(), 1 << 20);
        let parts = parts(&[vec![40 * mb; 100], vec![6 * mb; 2]].concat(), 3600);
        let chosen = |debt: f64, runs: &[Vec<Arc<PartEntry>>]| {
            let limits = Limits::of_background(&settings, 16, 16, debt, 100_000_000_000);
            select(runs, &limits).map_or(0, |parts| parts.len())
        };
        assert!(chosen(0.0, std::slice::from_ref(&parts)) > 50);
        assert_eq!(chosen(1.0, std::slice::from_ref(&parts)), 2, "the two that cost least");
        assert!(chosen(1.0, &[parts[..100].to_vec()]) > 2, "else whatever there is");
        let crowd = self::parts(&[mb; 2900], 0);
        assert_eq!(chosen(0.0, &[crowd[..1000].to_vec()]), 100);
        let all = Limits { window: 3000, ..Limits::of_background(&settings, 16, 16, 0.0, 100_000_000_000) };
        assert_eq!(select(&[crowd], &all).map_or(0, |parts| parts.len()), 16);
    }

    /// One partition whose parts come at a steady pace, while queries run and one large merge is under way: events in the
    /// order of a clock of their own. Gives the most parts that there ever were.
    fn most_parts(heeds_debt: bool, seed: u64) -> usize {
        let settings = TableSettings { parts_to_delay_insert: 100, parts_to_throw_insert: 300, ..TableSettings::default() };
        let pool = MergePool::new(4, 2.0);
        let mut chance = StdRng::seed_from_u64(seed);
        // By block: bytes, and whether it is merged.
        let mut table: BTreeMap<i64, (u64, bool)> = BTreeMap::new();
        // When each merge ends, its blocks, and the bytes that come of it.
        let mut running: Vec<(f64, Vec<i64>, u64)> = Vec::new();
        // Two merges that take for ever have the places that queries leave.
        running.extend((0..2).map(|_| (f64::INFINITY, Vec::new(), 0)));
        let (mut now, mut block, mut most) = (0.0, 0, 0);
        for _ in 0..3000 {
            now += 0.05;
            block += 1;
            table.insert(block, ((256 << 10) + chance.random_range(0..1u64 << 20), false));
            for (_, blocks, bytes) in running.extract_if(.., |(end, ..)| *end <= now) {
                table.retain(|block, _| !blocks.contains(block));
                table.insert(blocks[0], (bytes, false));
            }
            most = most.max(table.len());
            loop {
                let owed = if heeds_debt { table.len() as f64 / 100.0 } else { 0.0 };
                if running.len() >= pool.allowed(owed, true) {
                    break;
                }
                let mut runs = vec![Vec::new()];
                for (block, (bytes, merging)) in &table {
                    match (merging, runs.last_mut()) {
                        (false, Some(run)) => run.push((*block, *bytes)),
                        _ => runs.push(Vec::new()),
                    }
                }
                let entries: Vec<Vec<Arc<PartEntry>>> = runs
                    .iter()
                    .map(|run| {
                        let sizes: Vec<u64> = run.iter().map(|(_, bytes)| *bytes).collect();
                        let named = parts(&sizes, 0).into_iter().zip(run);
                        named
                            .map(|(part, (block, _))| Arc::new(PartEntry { min_block: *block, ..(*part).clone() }))
                            .collect()
                    })
                    .collect();
                let free = pool.places() - running.len();
                let limits = Limits::of_background(&settings, free, pool.places(), owed, 100_000_000_000);
                let Some(found) = select(&entries, &limits) else { break };
                let bytes: u64 = found.iter().map(|part| part.bytes).sum();
                let blocks: Vec<i64> = found.iter().map(|part| part.min_block).collect();
                blocks.iter().for_each(|block| {
                    if let Some(part) = table.get_mut(block) {
                        part.1 = true;
                    }
                });
                running.push((now + 0.1 + bytes as f64 / 30e6, blocks, bytes));
            }
        }
        most
    }

    #[test]
    fn a_steady_load_never_meets_parts_to_throw_insert() {
        for seed in 0..3 {
            let most = most_parts(true, seed);
            assert!(most < 100, "{most} parts with seed {seed}");
        }
        assert!(most_parts(false, 0) > 300, "without debt the places stay with what has them");
    }
}
