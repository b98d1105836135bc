//! Which granules hold no row that fulfils a condition (ClickHouse's query condition cache): what a scan found out at the price
//! of reading them, for the next query with the same condition. An entry is a bit a granule of one part for one condition.
//!
//! A part never changes and the name of its object is never used again: INSERT, merges and mutations make other objects, so
//! no entry can become wrong by them. What a part's columns mean can change by ALTER, so a condition is known by its
//! expression together with the table's columns (`ConditionIds`). Conditions that do not always give the same are not kept.

use std::hash::Hash;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::Expr;
use gristmill_introspect::CacheReport;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use xxhash_rust::xxh3::Xxh3;

use crate::index::monotonic::function_udf;
use crate::index::runs::{self, Runs};
use crate::index::select::unqualified;
use crate::layout::Layout;

/// Of an entry beside its bits.
const OVERHEAD: u64 = 96;
/// Bytes of an entry, about: for how many there is room at first.
const ENTRY_BYTES: u64 = 512;
const BITS: usize = u64::BITS as usize;

/// By what the conditions of a query are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionIds {
    /// All of them together.
    pub whole: u128,
    /// Each alone, in their order.
    pub each: Vec<u128>,
}

impl ConditionIds {
    /// Of conditions over the table's columns, which must all hold. `None`: there are none, or one of them may give
    /// something else the next time.
    pub fn of(conditions: &[Expr], layout: &Layout) -> Option<ConditionIds> {
        let each = conditions.iter().map(|condition| id(condition, layout)).collect::<Option<Vec<_>>>()?;
        let whole = match each[..] {
            [] => return None,
            [only] => only,
            _ => {
                let mut sorted = each.clone();
                sorted.sort_unstable();
                sorted.dedup();
                let mut hasher = Xxh3::new();
                sorted.hash(&mut hasher);
                hasher.digest128()
            }
        };
        Some(ConditionIds { whole, each })
    }
}

fn id(condition: &Expr, layout: &Layout) -> Option<u128> {
    let condition = unqualified(condition).ok()?;
    let mut hasher = Xxh3::new();
    let mut is_known = true;
    let walked = condition.apply(|part| {
        match part {
            Expr::ScalarFunction(call) => match function_udf(call) {
                // Its hash tells its name, types and constants; this is what else its result may depend on.
                Some(udf) => {
                    let env = udf.env();
                    (&env.timezone, &env.database, &env.user).hash(&mut hasher);
                    (env.cast_keep_nullable, &env.cast_string_to_date_time_mode, env.addresses).hash(&mut hasher);
                }
                None => is_known = false,
            },
            Expr::ScalarSubquery(_) | Expr::InSubquery(_) | Expr::Exists(_) | Expr::OuterReferenceColumn(..) => {
                is_known = false;
            }
            _ => {}
        }
        Ok(if is_known { TreeNodeRecursion::Continue } else { TreeNodeRecursion::Stop })
    });
    if walked.is_err() || !is_known || condition.is_volatile() {
        return None;
    }
    condition.hash(&mut hasher);
    layout.columns_hash().hash(&mut hasher);
    Some(hasher.digest128())
}

#[derive(Debug)]
struct Entry {
    granules: usize,
    /// A bit is set where no row of the granule fulfils the condition.
    empty: Box<[AtomicU64]>,
}

impl Entry {
    fn is_empty(&self, granule: usize) -> bool {
        self.empty.get(granule / BITS).is_some_and(|word| word.load(Ordering::Relaxed) >> (granule % BITS) & 1 == 1)
    }
}

#[derive(Clone, Debug)]
struct ByMemory;

impl Weighter<u128, Arc<Entry>> for ByMemory {
    fn weight(&self, _key: &u128, entry: &Arc<Entry>) -> u64 {
        bytes(entry)
    }
}

fn bytes(entry: &Entry) -> u64 {
    (entry.empty.len() * size_of::<u64>()) as u64 + OVERHEAD
}

/// An entry as `system.query_condition_cache` shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionRow {
    pub key_hash: u128,
    pub entry_size: u64,
    /// A character a granule: 0 where no row fulfils the condition, 1 where that is not known.
    pub matching_marks: String,
}

pub struct ConditionCache {
    limit: u64,
    kept: Cache<u128, Arc<Entry>, ByMemory>,
}

impl std::fmt::Debug for ConditionCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ConditionCache({:?})", self.report())
    }
}

/// Of a part (see `granule_cache::part_id`) and a condition.
fn key(part: u128, condition: u128) -> u128 {
    let mut hasher = Xxh3::new();
    (part, condition).hash(&mut hasher);
    hasher.digest128()
}

impl ConditionCache {
    /// `limit`: bytes that it may take; 0: it keeps nothing.
    pub fn new(limit: u64) -> ConditionCache {
        let entries = (limit / ENTRY_BYTES).max(1) as usize;
        ConditionCache { limit, kept: Cache::with_weighter(entries, limit, ByMemory) }
    }

    pub fn is_off(&self) -> bool {
        self.limit == 0
    }

    /// Of the part's granules those in which a row may fulfil the condition. `None`: nothing is known of it.
    pub fn narrow(&self, part: u128, condition: u128, granules: &[Range<usize>]) -> Option<Runs> {
        let entry = self.kept.get(&key(part, condition))?;
        Some(runs::of(granules.iter().cloned().flatten().filter(|granule| !entry.is_empty(*granule))))
    }

    /// Remembers that no row of these granules fulfils the condition. `granules`: of the part, in all.
    pub fn note(&self, part: u128, condition: u128, granules: usize, empty: &[usize]) {
        if empty.is_empty() || self.is_off() {
            return;
        }
        let key = key(part, condition);
        let new = || Arc::new(Entry { granules, empty: (0..granules.div_ceil(BITS)).map(|_| AtomicU64::new(0)).collect() });
        let entry =
            self.kept.get_or_insert_with(&key, || Ok::<_, std::convert::Infallible>(new())).unwrap_or_else(|_| new());
        for granule in empty {
            if let Some(word) = entry.empty.get(granule / BITS) {
                word.fetch_or(1 << (granule % BITS), Ordering::Relaxed);
            }
        }
    }

    pub fn clear(&self) {
        self.kept.clear();
    }

    pub fn rows(&self) -> Vec<ConditionRow> {
        let row = |(key, entry): (u128, Arc<Entry>)| ConditionRow {
            key_hash: key,
            entry_size: bytes(&entry),
            matching_marks: (0..entry.granules).map(|granule| if entry.is_empty(granule) { '0' } else { '1' }).collect(),
        };
        self.kept.iter().map(row).collect()
    }

    pub fn report(&self) -> CacheReport {
        CacheReport {
            bytes: self.kept.weight(),
            entries: self.kept.len() as u64,
            hits: self.kept.hits(),
            misses: self.kept.misses(),
            limit: self.limit,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_noted_is_left_out_and_nothing_else() {
        let cache = ConditionCache::new(1 << 20);
        assert_eq!(cache.narrow(1, 2, &runs::of(0..100)), None);
        cache.note(1, 2, 100, &[0, 1, 64, 99]);
        cache.note(1, 2, 100, &[2]);
        assert_eq!(cache.narrow(1, 2, &[0..66, 98..100]), Some(vec![3..64, 65..66, 98..99]));
        assert_eq!(cache.narrow(2, 2, &runs::of(0..100)), None);
        assert_eq!(cache.narrow(1, 1, &runs::of(0..100)), None);
        let rows = cache.rows();
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0].matching_marks.len(), 100);
        assert!(rows[0].matching_marks.starts_with("0001"));
        cache.clear();
        assert_eq!(cache.narrow(1, 2, &runs::of(0..100)), None);
    }

    #[test]
    fn it_never_takes_more_than_it_may() {
        let cache = ConditionCache::new(10_000);
        for part in 0..1000 {
            cache.note(part, 0, 1000, &[5]);
        }
        assert!(cache.report().bytes <= 10_000 && cache.report().entries > 10, "{cache:?}");
        let none = ConditionCache::new(0);
        none.note(0, 0, 1000, &[5]);
        assert!(none.is_off() && none.narrow(0, 0, &runs::of(0..9)).is_none());
    }
}
