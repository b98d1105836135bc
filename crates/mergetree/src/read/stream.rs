//! One stream of a scan: takes units from the queue, decodes them, and keeps the bytes of the next unit on their way
//! meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow::array::{ArrayRef, AsArray, BinaryViewArray, RecordBatch, RecordBatchOptions, StructArray};
use arrow::datatypes::{DataType, Field, Int64Type, SchemaRef, UInt64Type};
use futures::{Stream, StreamExt, TryStreamExt};
use gristmill_base::{Error, Result, ResultExt};
use gristmill_introspect::QueryContext;
use gristmill_introspect::memory::MemoryGuard;
use gristmill_types::SqlType;
use parking_lot::Mutex;
use parquet::DecodeResult;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, RowSelection, RowSelector};
use parquet::arrow::push_decoder::{ParquetPushDecoder, ParquetPushDecoderBuilder};
use parquet::arrow::{ProjectionMask, RowNumber};
use tokio::sync::OnceCell;

use super::evolve::{Evolution, Projection};
use super::fetch::Fetch;
use super::filter::{ScanFilter, row_filter};
use super::unit::{PartSelection, Queue, Unit, UnitLimits, units};
use super::{PART, PART_OFFSET, PARTITION_ID, PARTITION_VALUE};
use crate::layout::Layout;
use crate::manifest::State;
use crate::manifest::v1::value::from_json;
use crate::measure::batch_bytes;
use crate::part::OpenPart;
use crate::store::PartStore;
use crate::table::Core;

/// A column of the scan's output.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Its place among the stored columns.
    Stored(usize),
    Part,
    PartitionId,
    PartOffset,
    PartitionValue,
}

impl Output {
    /// `place` counts the stored columns, then the virtual ones.
    pub fn of(place: usize, layout: &Layout) -> Result<Output> {
        let (names, stored) = (super::virtual_columns(layout), layout.columns.len());
        if place < stored {
            return Ok(Output::Stored(place));
        }
        match names.0.get(place - stored).map(|column| column.name.as_str()) {
            Some(PART) => Ok(Output::Part),
            Some(PARTITION_ID) => Ok(Output::PartitionId),
            Some(PART_OFFSET) => Ok(Output::PartOffset),
            Some(PARTITION_VALUE) => Ok(Output::PartitionValue),
            _ => Err(Error::logical(format!("A scan is asked for column {place}, which the table does not have"))),
        }
    }
}

/// What all streams of a scan share.
#[derive(Debug)]
pub struct ScanShared {
    core: Arc<Core>,
    layout: Arc<Layout>,
    store: Arc<dyn PartStore>,
    evolution: Evolution,
    filters: Vec<ScanFilter>,
    outputs: Vec<Output>,
    schema: SchemaRef,
    parts: Arc<Vec<PartSelection>>,
    limits: UnitLimits,
    /// the version read, held so that its objects stay.
    _state: Arc<State>,
    /// Rows read count for the query.
    is_counted: bool,
    queue: OnceCell<Queue>,
}

/// Parts whose tails are read at the same time.
pub const PARTS_OPENED_AT_ONCE: usize = 64;

impl ScanShared {
    pub fn new(
        core: &Arc<Core>,
        state: &Arc<State>,
        parts: Arc<Vec<PartSelection>>,
        filters: Vec<ScanFilter>,
        (outputs, schema): (Vec<Output>, SchemaRef),
        limits: UnitLimits,
    ) -> Arc<Self> {
        Arc::new(Self::make(core, state, parts, filters, (outputs, schema), limits))
    }

    fn make(
        core: &Arc<Core>,
        state: &Arc<State>,
        parts: Arc<Vec<PartSelection>>,
        filters: Vec<ScanFilter>,
        (outputs, schema): (Vec<Output>, SchemaRef),
        limits: UnitLimits,
    ) -> Self {
        ScanShared {
            core: core.clone(),
            layout: core.layout.clone(),
            store: core.store.clone(),
            evolution: Evolution::new(core.layout.clone(), core.environment.clone()),
            filters,
            outputs,
            schema,
            parts,
            limits,
            _state: state.clone(),
            is_counted: true,
            queue: OnceCell::new(),
        }
    }

    /// All of one part, in its order, for a merge: its rows count for no query.
    pub fn of_merge(
        core: &Arc<Core>,
        state: &Arc<State>,
        part: PartSelection,
        output: (Vec<Output>, SchemaRef),
        limits: UnitLimits,
    ) -> Arc<Self> {
        Self::of_part(core, state, part, Vec::new(), output, limits)
    }

    /// Rows of one part that fulfil conditions, in its order: they count for no query.
    pub fn of_part(
        core: &Arc<Core>,
        state: &Arc<State>,
        part: PartSelection,
        filters: Vec<ScanFilter>,
        output: (Vec<Output>, SchemaRef),
        limits: UnitLimits,
    ) -> Arc<Self> {
        let shared = Self::make(core, state, Arc::new(vec![part]), filters, output, limits);
        Arc::new(ScanShared { is_counted: false, ..shared })
    }

    /// The units that nobody began. The first to ask opens the parts that planning left closed.
    async fn queue(&self, context: &Arc<QueryContext>) -> Result<&Queue> {
        let fill = || async {
            let open = |part: &PartSelection| {
                let (entry, known) = (part.entry.clone(), part.open.clone());
                async move {
                    match known {
                        Some(open) => Ok(open),
                        None => context.cancellable(self.core.open_part(context, &entry)).await,
                    }
                }
            };
            // The futures are made before they are polled, so that none borrows from the closure that made it.
            let opening: Vec<_> = self.parts.iter().map(open).collect();
            let opened: Vec<Arc<OpenPart>> =
                futures::stream::iter(opening).buffered(PARTS_OPENED_AT_ONCE).try_collect().await?;
            let parts: Vec<_> = self.parts.iter().zip(opened).collect();
            Ok::<_, Error>(Mutex::new(units(&parts, self.limits)))
        };
        self.queue.get_or_try_init(fill).await
    }
}

/// A unit whose decoder was made and whose first bytes are on their way.
struct Begun {
    unit: Unit,
    /// The stored columns that come out, in their order there.
    projection: Projection,
    decoder: ParquetPushDecoder,
    fetch: Option<Fetch>,
    /// Rows that came without any bytes: those of a scan that reads no column.
    early: Option<RecordBatch>,
    /// Bytes that its predicates decoded.
    decoded_bytes: Arc<AtomicU64>,
    output_bytes: u64,
    held: Vec<MemoryGuard>,
}

pub struct ScanStream {
    shared: Arc<ScanShared>,
    context: Arc<QueryContext>,
    current: Option<Begun>,
    next: Option<Begun>,
}

/// Batches of the scan's schema.
pub fn stream(shared: Arc<ScanShared>, context: Arc<QueryContext>) -> impl Stream<Item = Result<RecordBatch>> + Send {
    let state = ScanStream { shared, context, current: None, next: None };
    futures::stream::try_unfold(state, |mut state| async move { Ok(state.next_batch().await?.map(|batch| (batch, state))) })
}

impl ScanStream {
    async fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if !self.context.may_read()? {
                return Ok(None);
            }
            let mut current = match self.current.take() {
                Some(current) => current,
                None => {
                    let Some(begun) = (match self.next.take() {
                        Some(begun) => Some(begun),
                        None => begin(&self.shared, &self.context).await?,
                    }) else {
                        return Ok(None);
                    };
                    self.next = begin(&self.shared, &self.context).await?;
                    begun
                }
            };
            let key = current.unit.entry.key.clone();
            match step(&self.shared.clone(), &self.context.clone(), &mut current).await.context(|| format!("part {key}"))? {
                Step::Batch(batch) => {
                    self.current = Some(current);
                    if batch.num_rows() > 0 {
                        return Ok(Some(batch));
                    }
                }
                Step::Finished => {
                    let bytes = current.decoded_bytes.load(Ordering::Relaxed) + current.output_bytes;
                    if self.shared.is_counted {
                        self.context.read(current.unit.rows, bytes);
                    }
                }
            }
        }
    }
}

/// Takes the next unit, makes its decoder and sends for the bytes it needs at first.
async fn begin(shared: &ScanShared, context: &Arc<QueryContext>) -> Result<Option<Begun>> {
    let taken = shared.queue(context).await?.lock().pop_front();
    let Some(unit) = taken else { return Ok(None) };
    let decoded_bytes = Arc::new(AtomicU64::new(0));
    let projection = shared.evolution.projection(context, &unit.open, &stored_places(&shared.outputs))?;
    let mut decoder = decoder(shared, context, &unit, &projection, &decoded_bytes)?;
    let (fetch, early) = match decoder.try_decode()? {
        DecodeResult::NeedsData(ranges) => (Some(Fetch::start(context, &shared.store, &unit.entry.key, ranges)?), None),
        DecodeResult::Finished => (None, None),
        DecodeResult::Data(batch) => (None, Some(batch)),
    };
    Ok(Some(Begun { unit, projection, decoder, fetch, early, decoded_bytes, output_bytes: 0, held: Vec::new() }))
}

async fn step(shared: &ScanShared, context: &Arc<QueryContext>, current: &mut Begun) -> Result<Step> {
    loop {
        if let Some(fetch) = current.fetch.take() {
            let (ranges, data, memory) = fetch.wait(context).await?;
            current.decoder.push_ranges(ranges, data)?;
            current.held.push(memory);
        }
        let decoded = match current.early.take() {
            Some(batch) => DecodeResult::Data(batch),
            None => current.decoder.try_decode()?,
        };
        match decoded {
            DecodeResult::NeedsData(ranges) => {
                current.fetch = Some(Fetch::start(context, &shared.store, &current.unit.entry.key, ranges)?);
            }
            DecodeResult::Data(stored) => {
                let batch = output(shared, &current.unit, &current.projection, &stored)?;
                current.output_bytes += batch_bytes(&batch);
                return Ok(Step::Batch(batch));
            }
            DecodeResult::Finished => return Ok(Step::Finished),
        }
    }
}

enum Step {
    Batch(RecordBatch),
    Finished,
}

/// The places in the table of the stored columns among the outputs, in their order.
fn stored_places(outputs: &[Output]) -> Vec<usize> {
    let place = |output: &Output| match output {
        Output::Stored(place) => Some(*place),
        _ => None,
    };
    outputs.iter().filter_map(place).collect()
}

fn decoder(
    shared: &ScanShared,
    context: &QueryContext,
    unit: &Unit,
    projection: &Projection,
    decoded_bytes: &Arc<AtomicU64>,
) -> Result<ParquetPushDecoder> {
    let open = &unit.open;
    let parquet = open.metadata.metadata().file_metadata().schema_descr_ptr();
    let metadata = if shared.outputs.contains(&Output::PartOffset) {
        let row = Arc::new(Field::new(PART_OFFSET, DataType::Int64, false).with_extension_type(RowNumber));
        let options = ArrowReaderOptions::new().with_schema(open.storage.clone()).with_virtual_columns(vec![row])?;
        ArrowReaderMetadata::try_new(open.metadata.metadata().clone(), options)?
    } else {
        open.metadata.clone()
    };
    let mut builder = ParquetPushDecoderBuilder::new_with_metadata(metadata)
        .with_row_groups(vec![unit.row_group])
        .with_row_selection(selection(unit))
        .with_batch_size(context.settings.max_block_size.clamp(1, 1 << 20) as usize)
        .with_projection(ProjectionMask::roots(&parquet, projection.roots.iter().copied()));
    let find = |places: &[usize]| shared.evolution.projection(context, open, places);
    if let Some(filter) = row_filter(&shared.filters, find, &parquet, decoded_bytes)? {
        builder = builder.with_row_filter(filter);
    }
    Ok(builder.build()?)
}

/// The unit's granules as rows of its row group.
fn selection(unit: &Unit) -> RowSelection {
    let group_rows = unit.open.header.row_group_rows;
    let first = unit.row_group as u64 * group_rows;
    let end = (first + group_rows).min(unit.open.header.rows);
    let mut at = first;
    let mut selectors = Vec::with_capacity(unit.granules.len() * 2 + 1);
    for range in &unit.granules {
        let start = range.start as u64 * unit.open.header.granule_rows;
        let stop = (range.end as u64 * unit.open.header.granule_rows).min(end);
        if start > at {
            selectors.push(RowSelector::skip((start - at) as usize));
        }
        selectors.push(RowSelector::select((stop - start) as usize));
        at = stop;
    }
    if at < end {
        selectors.push(RowSelector::skip((end - at) as usize));
    }
    RowSelection::from(selectors)
}

/// The values of the partition key, which stand last among the ranges that the manifest keeps of a part.
fn partition_value(layout: &Layout, unit: &Unit, rows: usize) -> Result<ArrayRef> {
    let ranges = &unit.entry.ranges;
    let first = ranges.len().checked_sub(layout.partition.len());
    let first = first.ok_or_else(|| Error::logical("A part's partition has fewer values than the key"))?;
    let kinds: Vec<_> = layout.partition.iter().map(|key| (None, key.kind.clone())).collect();
    let DataType::Struct(fields) = SqlType::Tuple(kinds).arrow() else {
        return Err(Error::logical("A tuple is carried as a struct"));
    };
    let columns = layout
        .partition
        .iter()
        .zip(&ranges[first..])
        .map(|(key, (value, _))| from_json(&key.kind.arrow(), std::iter::repeat_n(value, rows)))
        .collect::<Result<Vec<_>>>()?;
    Ok(Arc::new(StructArray::try_new_with_length(fields, columns, None, rows)?))
}

/// From what was decoded to the scan's schema.
fn output(shared: &ScanShared, unit: &Unit, projection: &Projection, stored: &RecordBatch) -> Result<RecordBatch> {
    let rows = stored.num_rows();
    let mut built = projection.build(stored)?.into_iter();
    let constant = |text: &str| -> ArrayRef { Arc::new(BinaryViewArray::from_iter_values(std::iter::repeat_n(text, rows))) };
    let columns = shared
        .outputs
        .iter()
        .map(|output| {
            Ok(match output {
                Output::Stored(_) => built.next().ok_or_else(|| Error::logical("A column was not decoded"))?,
                Output::Part => constant(&unit.entry.name),
                Output::PartitionId => constant(&unit.entry.partition_id),
                Output::PartitionValue => partition_value(&shared.layout, unit, rows)?,
                Output::PartOffset => {
                    let offsets = stored
                        .column_by_name(PART_OFFSET)
                        .and_then(|offsets| offsets.as_primitive_opt::<Int64Type>())
                        .ok_or_else(|| Error::logical("Row numbers were not decoded"))?;
                    Arc::new(offsets.unary::<_, UInt64Type>(|row| row as u64))
                }
            })
        })
        .collect::<Result<Vec<ArrayRef>>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    Ok(RecordBatch::try_new_with_options(shared.schema.clone(), columns, &options)?)
}
