//! Gets columns of granules by way of the cache of decoded granules (`granule_cache`): from memory where they are kept;
//! what is not there is decoded whole, and kept.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow::compute::concat_batches;
use arrow::datatypes::Schema;
use gristmill_base::{Error, Result};
use gristmill_introspect::{Event, QueryContext};

use super::granule_cache::{GranuleCache, GranuleKey, Way, part_id};
use super::pages::Pages;
use super::unit::Unit;
use crate::store::PartStore;

/// Whether columns of granules are to be had from `kept_granules`: they are in memory, or worth to be kept from now on.
/// `wants_all`: rows enough are wanted to decode the granules whole. What is decoded without being kept is noted.
pub fn wants_kept(
    context: &QueryContext,
    store: &Arc<dyn PartStore>,
    cache: &GranuleCache,
    unit: &Unit,
    roots: &[usize],
    granules: &[usize],
    wants_all: bool,
) -> bool {
    let part = part_id(&store.location(&unit.entry.key));
    let keys = || granules.iter().flat_map(|&granule| roots.iter().map(move |&root| key(part, root, granule)));
    let is_kept = match cache.way(keys()) {
        Way::Kept => true,
        Way::Worth => wants_all,
        Way::Fresh => {
            if wants_all {
                cache.note(keys());
            }
            false
        }
    };
    if !is_kept {
        context.counters.add(Event::UncompressedCacheMisses, (granules.len() * roots.len()) as u64);
    }
    is_kept
}

fn key(part: u128, root: usize, granule: usize) -> GranuleKey {
    GranuleKey { part, column: root as u32, granule: granule as u32 }
}

/// Columns of granules of a unit, a batch a granule. `roots`: places of the columns in the part.
pub async fn kept_granules(
    context: &Arc<QueryContext>,
    store: &Arc<dyn PartStore>,
    cache: &GranuleCache,
    unit: &Unit,
    roots: &[usize],
    granules: &[usize],
) -> Result<VecDeque<RecordBatch>> {
    let part = part_id(&store.location(&unit.entry.key));
    let mut found: BTreeMap<(usize, usize), ArrayRef> = BTreeMap::new();
    let (mut missing_roots, mut missing_granules) = (BTreeSet::new(), BTreeSet::new());
    for (&granule, &root) in granules.iter().flat_map(|granule| roots.iter().map(move |root| (granule, root))) {
        match cache.get(key(part, root, granule)) {
            Some(values) => {
                found.insert((granule, root), values);
            }
            None => {
                missing_roots.insert(root);
                missing_granules.insert(granule);
            }
        }
    }
    context.counters.add(Event::UncompressedCacheHits, found.len() as u64);
    context.counters.add(Event::UncompressedCacheMisses, (granules.len() * roots.len() - found.len()) as u64);
    if !missing_granules.is_empty() {
        let missing_granules: Vec<usize> = missing_granules.into_iter().collect();
        let missing_roots: Vec<usize> = missing_roots.into_iter().collect();
        let batch = decode(context, store, unit, &missing_roots, &missing_granules).await?;
        let mut start = 0;
        for granule in missing_granules {
            let rows = stored_rows(unit, granule);
            for (column, &root) in batch.columns().iter().zip(&missing_roots) {
                let values = cache.put(key(part, root, granule), &column.slice(start, rows))?;
                found.insert((granule, root), values);
            }
            start += rows;
        }
    }
    let schema = Arc::new(Schema::new(roots.iter().map(|&root| unit.open.storage.field(root).clone()).collect::<Vec<_>>()));
    let batch = |granule: usize| {
        let values = |root: &usize| {
            let values = found.get(&(granule, *root)).cloned();
            values.ok_or_else(|| Error::logical("A column of a granule was not decoded"))
        };
        let columns = roots.iter().map(values).collect::<Result<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(stored_rows(unit, granule)));
        Ok(RecordBatch::try_new_with_options(schema.clone(), columns, &options)?)
    };
    granules.iter().map(|&granule| batch(granule)).collect()
}

fn stored_rows(unit: &Unit, granule: usize) -> usize {
    let rows = unit.open.stored_rows_of(granule..granule + 1);
    (rows.end - rows.start) as usize
}

/// Whole granules of columns of the part, one after the other.
async fn decode(
    context: &Arc<QueryContext>,
    store: &Arc<dyn PartStore>,
    unit: &Unit,
    roots: &[usize],
    granules: &[usize],
) -> Result<RecordBatch> {
    let ranges: Vec<Range<usize>> = granules.iter().map(|&granule| granule..granule + 1).collect();
    let wanted = granules.iter().map(|&granule| stored_rows(unit, granule)).sum::<usize>();
    let mut pages = Pages::start(context, store, unit, roots, unit.selection_of(&ranges), wanted)?;
    let mut batches = Vec::new();
    while let Some(batch) = pages.next(context, store, unit).await? {
        batches.push(batch);
    }
    let Some(first) = batches.first() else { return Err(Error::logical("No row of a granule was decoded")) };
    let batch = concat_batches(&first.schema(), &batches)?;
    if batch.num_rows() != wanted {
        return Err(Error::logical(format!("{} rows of granules were decoded, {wanted} expected", batch.num_rows())));
    }
    Ok(batch)
}
