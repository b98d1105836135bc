//! What operators do with rows in memory: hash tables by their size, sorting, filtering.

use std::hint::black_box;
use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, Int64Array, StringArray};
use arrow::compute::{filter, sort_to_indices};
use gristmill_base::{Error, Result};
use hashbrown::HashTable;

use super::data::{self, Scatter};
use super::{Bench, Figures};
use crate::figures::{NUMBERS, Resource, TEXTS};

/// Keys that are looked up in one run.
const PROBES: usize = 1 << 17;
/// Rows of a batch that is filtered: as many as operators hand on, so that they lie in a cache.
const FILTERED_ROWS: usize = 1 << 16;

pub fn measure(bench: &Bench<'_>, figures: &mut Figures) -> Result<()> {
    for keys in bench.sized(&[1 << 10, 1 << 15, 1 << 20][..], &[1 << 10, 1 << 15, 1 << 18, 1 << 20, 1 << 23][..]) {
        hash_table(bench, *keys, figures)?;
    }
    for rows in bench.sized(&[1 << 14, 1 << 17][..], &[1 << 14, 1 << 20][..]) {
        let numbers: ArrayRef = Arc::new(Int64Array::from(data::few_numbers(*rows, u64::MAX >> 24)));
        sort(bench, NUMBERS, &numbers, figures)?;
        let texts: ArrayRef = Arc::new(StringArray::from(data::texts(*rows)));
        sort(bench, TEXTS, &texts, figures)?;
    }
    let mut scatter = Scatter::new();
    let taken: BooleanArray = (0..FILTERED_ROWS).map(|_| Some(scatter.below(2) == 0)).collect();
    let numbers = Int64Array::from(data::rising_numbers(FILTERED_ROWS));
    let rate = bench.rate(|| {
        for _ in 0..16 {
            black_box(filter(&numbers, &taken).map_err(Error::from)?);
        }
        Ok(16 * 8 * FILTERED_ROWS as u64)
    })?;
    figures.add(Resource::Filter, NUMBERS, 0, rate);
    Ok(())
}

/// Spreads the bits of a key, as the hash of a table does.
fn hash(key: u64) -> u64 {
    let product = u128::from(key ^ 0x243f_6a88_85a3_08d3) * 0x9e37_79b9_7f4a_7c15;
    (product as u64) ^ (product >> 64) as u64
}

fn hash_table(bench: &Bench<'_>, keys: usize, figures: &mut Figures) -> Result<()> {
    let mut scatter = Scatter::new();
    let all: Vec<u64> = (0..keys).map(|_| scatter.number()).collect();
    let mut table: HashTable<(u64, u64)> = HashTable::with_capacity(keys);
    // Small tables are built several times in a run, which else would be too short to tell.
    let times = (PROBES / keys).max(1);
    let built = bench.rate(|| {
        for _ in 0..times {
            table.clear();
            for (row, key) in all.iter().enumerate() {
                table.entry(hash(*key), |known| known.0 == *key, |known| hash(known.0)).or_insert((*key, row as u64));
            }
        }
        Ok((times * keys) as u64)
    })?;
    figures.add(Resource::HashBuild, "", keys as u64, built);
    let wanted: Vec<u64> = (0..PROBES).map(|_| all[scatter.below(keys as u64) as usize]).collect();
    let probed = bench.rate(|| {
        let mut sum = 0u64;
        for key in &wanted {
            sum = sum.wrapping_add(table.find(hash(*key), |known| known.0 == *key).map_or(0, |known| known.1));
        }
        black_box(sum);
        Ok(PROBES as u64)
    })?;
    figures.add(Resource::HashProbe, "", keys as u64, probed);
    Ok(())
}

fn sort(bench: &Bench<'_>, level: &str, rows: &ArrayRef, figures: &mut Figures) -> Result<()> {
    let rate = bench.rate(|| {
        black_box(sort_to_indices(rows, None, None).map_err(Error::from)?);
        Ok(rows.len() as u64)
    })?;
    figures.add(Resource::Sort, level, rows.len() as u64, rate);
    Ok(())
}
