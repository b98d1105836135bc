//! Reads a unit by way of the cache of decoded granules (`granule_cache`): a column of a granule comes from memory where it
//! is kept, and is decoded whole and kept where it is not. The steps are those of a scan without the cache: each condition
//! sees the rows that passed the ones before it, and granules without such rows are not looked at further.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, Int64Array, RecordBatch, RecordBatchOptions, UInt32Array};
use arrow::compute::{concat, concat_batches, filter, take};
use arrow::datatypes::{DataType, Field, Schema};
use gristmill_base::{Error, Result};
use gristmill_introspect::{Event, QueryContext};
use parquet::DecodeResult;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::RowSelection;
use parquet::arrow::push_decoder::ParquetPushDecoderBuilder;

use super::PART_OFFSET;
use super::evolve::Projection;
use super::fetch::Fetch;
use super::filter::{ScanFilter, Tally};
use super::granule_cache::{GranuleCache, GranuleKey, part_id};
use super::unit::Unit;
use crate::index::sparse::compact;
use crate::store::PartStore;

/// Where units come from.
pub struct KeptReader<'a> {
    pub context: &'a Arc<QueryContext>,
    pub store: &'a Arc<dyn PartStore>,
    pub cache: &'a GranuleCache,
}

/// A granule that still has rows.
struct Live {
    granule: usize,
    /// Rows of it that passed so far; `None`: all.
    passed: Option<UInt32Array>,
    rows: usize,
}

impl Live {
    /// All of its rows but those that are deleted.
    fn of(unit: &Unit, granule: usize) -> Live {
        let stored = unit.open.stored_rows_of(granule..granule + 1);
        let all = (stored.end - stored.start) as usize;
        let Some(deleted) = unit.open.deleted.as_ref().filter(|deleted| deleted.count(stored.clone()) > 0) else {
            return Live { granule, passed: None, rows: all };
        };
        let mut stays = vec![true; all];
        deleted.among(stored.clone()).for_each(|row| stays[(row - stored.start) as usize] = false);
        let rows: UInt32Array = (0..all as u32).filter(|row| stays[*row as usize]).collect();
        Live { granule, rows: rows.len(), passed: Some(rows) }
    }
}

/// Decoded columns of a unit, by place in the part and granule.
type Decoded = HashMap<(usize, usize), ArrayRef>;

impl KeptReader<'_> {
    /// The unit's rows that pass the steps: the columns at the projection's roots, and `_part_offset` where it is wanted.
    pub async fn read(
        &self,
        unit: &Unit,
        steps: &[(&ScanFilter, Projection)],
        projection: &Projection,
        with_offsets: bool,
        tally: &Tally,
    ) -> Result<RecordBatch> {
        let granules = unit.granules.iter().flat_map(Clone::clone);
        let mut live: Vec<Live> = granules.map(|granule| Live::of(unit, granule)).filter(|live| live.rows > 0).collect();
        let mut decoded = Decoded::new();
        for (step, (condition, columns)) in steps.iter().enumerate() {
            self.load(unit, &columns.roots, &live, &mut decoded).await?;
            let stored = rows(unit, &columns.roots, &live, &decoded)?;
            let passed = condition.evaluate(step, columns, &stored, tally)?;
            live = narrowed(live, &passed)?;
        }
        self.load(unit, &projection.roots, &live, &mut decoded).await?;
        let stored = rows(unit, &projection.roots, &live, &decoded)?;
        if with_offsets { with_part_offsets(unit, &live, &stored) } else { Ok(stored) }
    }

    /// Gets the columns of the granules from memory, and what is not there from the part.
    async fn load(&self, unit: &Unit, roots: &[usize], live: &[Live], decoded: &mut Decoded) -> Result<()> {
        let part = part_id(&self.store.location(&unit.entry.key));
        let key = |root: usize, granule: usize| GranuleKey { part, column: root as u32, granule: granule as u32 };
        let (mut missing_roots, mut missing_granules) = (BTreeSet::new(), BTreeSet::new());
        let (mut hits, mut misses) = (0, 0);
        for (granule, root) in live.iter().flat_map(|live| roots.iter().map(|&root| (live.granule, root))) {
            if decoded.contains_key(&(root, granule)) {
                continue;
            }
            match self.cache.get(key(root, granule)) {
                Some(values) => {
                    hits += 1;
                    decoded.insert((root, granule), values);
                }
                None => {
                    misses += 1;
                    missing_roots.insert(root);
                    missing_granules.insert(granule);
                }
            }
        }
        self.context.counters.add(Event::UncompressedCacheHits, hits);
        self.context.counters.add(Event::UncompressedCacheMisses, misses);
        if missing_granules.is_empty() {
            return Ok(());
        }
        let granules: Vec<usize> = missing_granules.into_iter().collect();
        let missing: Vec<usize> = missing_roots.into_iter().collect();
        let batch = self.decode(unit, &missing, &granules).await?;
        let mut start = 0;
        for granule in granules {
            let stored = unit.open.stored_rows_of(granule..granule + 1);
            let rows = (stored.end - stored.start) as usize;
            for (column, &root) in batch.columns().iter().zip(&missing) {
                let values = compact(&column.slice(start, rows))?;
                self.cache.put(key(root, granule), values.clone());
                decoded.insert((root, granule), values);
            }
            start += rows;
        }
        Ok(())
    }

    /// Whole granules of columns of the part, one after the other.
    async fn decode(&self, unit: &Unit, roots: &[usize], granules: &[usize]) -> Result<RecordBatch> {
        let open = &unit.open;
        let parquet = open.metadata.metadata().file_metadata().schema_descr_ptr();
        let ranges: Vec<Range<usize>> = granules.iter().map(|&granule| granule..granule + 1).collect();
        let stored = granules.iter().map(|&granule| open.stored_rows_of(granule..granule + 1));
        let wanted = stored.map(|rows| (rows.end - rows.start) as usize).sum::<usize>();
        let selection: RowSelection = unit.stored_selection_of(&ranges);
        let mut decoder = ParquetPushDecoderBuilder::new_with_metadata(open.metadata.clone())
            .with_row_groups(vec![unit.row_group])
            .with_row_selection(selection)
            .with_batch_size(wanted.max(1))
            .with_projection(ProjectionMask::roots(&parquet, roots.iter().copied()))
            .build()?;
        let (mut batches, mut held) = (Vec::new(), Vec::new());
        loop {
            self.context.check()?;
            match decoder.try_decode()? {
                DecodeResult::NeedsData(ranges) => {
                    let fetch = Fetch::pages(self.context, self.store, &unit.open, ranges)?;
                    let (ranges, data, memory) = fetch.wait(self.context).await?;
                    decoder.push_ranges(ranges, data)?;
                    held.push(memory);
                }
                DecodeResult::Data(batch) => batches.push(batch),
                DecodeResult::Finished => break,
            }
        }
        let Some(first) = batches.first() else { return Err(Error::logical("No row of a granule was decoded")) };
        let batch = concat_batches(&first.schema(), &batches)?;
        if batch.num_rows() != wanted {
            return Err(Error::logical(format!("{} rows of granules were decoded, {wanted} expected", batch.num_rows())));
        }
        Ok(batch)
    }
}

/// The live rows of columns of the part.
fn rows(unit: &Unit, roots: &[usize], live: &[Live], decoded: &Decoded) -> Result<RecordBatch> {
    let (mut fields, mut columns) = (Vec::with_capacity(roots.len()), Vec::with_capacity(roots.len()));
    for &root in roots {
        let field = unit.open.storage.field(root).clone();
        let pieces = live
            .iter()
            .map(|live| {
                let values = decoded.get(&(root, live.granule));
                let values = values.ok_or_else(|| Error::logical("A column of a granule was not decoded"))?;
                Ok(match &live.passed {
                    Some(rows) => take(values, rows, None)?,
                    None => values.clone(),
                })
            })
            .collect::<Result<Vec<ArrayRef>>>()?;
        let pieces: Vec<&dyn Array> = pieces.iter().map(AsRef::as_ref).collect();
        let values = match pieces.is_empty() {
            true => arrow::array::new_empty_array(field.data_type()),
            false => concat(&pieces)?,
        };
        columns.push(values);
        fields.push(field);
    }
    let options = RecordBatchOptions::new().with_row_count(Some(live.iter().map(|live| live.rows).sum()));
    Ok(RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options)?)
}

/// What is left of the granules after a condition over their live rows.
fn narrowed(live: Vec<Live>, passed: &arrow::array::BooleanArray) -> Result<Vec<Live>> {
    let (mut left, mut start) = (Vec::with_capacity(live.len()), 0);
    for granule in live {
        let now = passed.slice(start, granule.rows);
        start += granule.rows;
        let count = now.true_count();
        if count == 0 {
            continue;
        }
        if count == granule.rows {
            left.push(granule);
            continue;
        }
        let before = match granule.passed {
            Some(rows) => rows,
            None => UInt32Array::from_iter_values(0..granule.rows as u32),
        };
        let rows = filter(&before, &now)?;
        let rows = rows.as_any().downcast_ref::<UInt32Array>().cloned();
        let rows = rows.ok_or_else(|| Error::logical("Numbers of rows changed their type"))?;
        left.push(Live { granule: granule.granule, rows: count, passed: Some(rows) });
    }
    Ok(left)
}

/// The rows' numbers in the part, behind their columns.
fn with_part_offsets(unit: &Unit, live: &[Live], stored: &RecordBatch) -> Result<RecordBatch> {
    let granule_rows = unit.open.header.granule_rows as i64;
    let mut offsets = Vec::with_capacity(stored.num_rows());
    for live in live {
        let start = live.granule as i64 * granule_rows;
        match &live.passed {
            Some(rows) => offsets.extend(rows.values().iter().map(|&row| start + i64::from(row))),
            None => offsets.extend(start..start + live.rows as i64),
        }
    }
    let mut fields: Vec<_> = stored.schema().fields().iter().cloned().collect();
    fields.push(Arc::new(Field::new(PART_OFFSET, DataType::Int64, false)));
    let mut columns = stored.columns().to_vec();
    columns.push(Arc::new(Int64Array::from(offsets)));
    Ok(RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)?)
}
