//! Turns one squashed block into parts, one a partition: split, sort, look at the columns, encode, upload. Nothing is
//! visible afterwards; the names of the parts come out. Where the engine merges rows of equal key, the rows of a part are
//! merged before they are written (`optimize_on_insert`): the part is of level 1 then, and of no row there is none.
//!
//! A block of one partition is encoded by columns on all cores. One of many partitions makes many small parts, whose
//! uploads would add up their latencies: those are written side by side, a bounded number at a time.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use arrow::array::{ArrayRef, RecordBatch, UInt32Array};
use arrow::compute::take_record_batch;
use futures::stream::{StreamExt, TryStreamExt};
use gristmill_base::runtime::{self, Task};
use gristmill_base::{Error, Result, units};
use gristmill_introspect::{Event, Gauge, QueryContext, tell};
use gristmill_types::{SqlType, nested};
use parking_lot::Mutex;
use serde_json::Value;

use super::block_hash::block_hash;
use super::partition::{PartitionLimit, PartitionRows, Rows};
use super::sort::SortKey;
use super::uncommitted::Uncommitted;
use super::writer::Shared;
use super::{partition, sort};
use crate::layout::Layout;
use crate::merge::rules;
use crate::parallel;
use crate::part::v1::dictionary;
use crate::part::v1::storage_type::{has_strings, is_text, to_storage};
use crate::part::v1::writer::{granule_rows, row_group_rows};
use crate::part::{PartPlan, PartWriter, Sorted, WrittenPart};
use crate::projection::build::Building;
use crate::projection::object_beside;
use crate::settings::TableSettings;
use crate::store::PartStore;

/// A part written by an INSERT, and what the manifest will keep of its partition.
#[derive(Clone, Debug)]
pub struct InsertedPart {
    pub part: WrittenPart,
    pub ranges: Vec<(Value, Value)>,
    /// Of the block that its rows came in; `None`: the table does not keep such hashes.
    pub block_hash: Option<u128>,
    /// How long it took to be made.
    pub took: Duration,
    /// What was counted meanwhile.
    pub events: Vec<(Event, u64)>,
}

/// What writing a block needs of its table.
#[derive(Clone, Debug)]
pub struct BlockTarget {
    pub layout: Arc<Layout>,
    pub settings: Arc<TableSettings>,
    pub store: Arc<dyn PartStore>,
}

/// What all parts of a block share.
struct Block {
    context: Arc<QueryContext>,
    target: BlockTarget,
    uncommitted: Arc<Uncommitted>,
    columns: Vec<ArrayRef>,
    /// The sorting key's values.
    keys: Vec<ArrayRef>,
    descending: Vec<bool>,
    row_bytes: u64,
    text: Vec<bool>,
    dictionaries: Vec<bool>,
    /// Columns of a part encoded at the same time.
    lanes: usize,
    hash: Option<u128>,
}

/// The object's key: unique, so that writers never meet. The block numbers come with the commit.
pub fn object_key(context: &QueryContext, partition_id: &str, level: u32) -> String {
    format!("parts/{partition_id}_{level}_{}.parquet", context.env.uuid_by_time().simple())
}

/// Writes the parts of a block of so many bytes; `written` gets each when it is there. Each is noted in `uncommitted` before: those that
/// come to be when nobody waits for them any more, and so do not get to `written`, are removed by it. `last`: partitions of the
/// block before.
pub async fn write_block(
    insert: &Shared,
    block: RecordBatch,
    bytes: u64,
    last: &Mutex<HashSet<String>>,
    written: &(dyn Fn(InsertedPart) + Sync),
) -> Result<()> {
    let Shared { context, target, uncommitted, gear, .. } = insert;
    let layout = &target.layout;
    nested::check_sizes(&layout.columns, &nested::tables(&layout.columns), block.columns())?;
    let partitions = partition::split(layout, &block, partition_limit(context))?;
    warn_of_many(context, partitions.len());
    let keys = layout.sorting.iter().map(|key| key.evaluate(&block)).collect::<Result<Vec<_>>>()?;
    let hash = match target.settings.non_replicated_deduplication_window > 0 {
        true => Some(block_hash(&block, context.given.get())?),
        false => None,
    };
    let (text, dictionaries) = inspect(context.threads(), layout, &block).await?;
    let many = partitions.len() > context.threads();
    let shared = Arc::new(Block {
        context: context.clone(),
        target: target.clone(),
        uncommitted: uncommitted.clone(),
        keys,
        descending: layout.sorting.iter().map(|key| key.descending).collect(),
        row_bytes: bytes / (block.num_rows() as u64).max(1),
        columns: block.columns().to_vec(),
        text,
        dictionaries,
        lanes: if many { 1 } else { context.threads() },
        hash,
    });
    drop(block);
    let ids: HashSet<String> = partitions.iter().map(|partition| partition.id.clone()).collect();
    let again = {
        let mut last = last.lock();
        let again = ids.intersection(&last).count();
        *last = ids;
        again
    };
    let parts_at_once = gear.parts_at_once(partitions.len(), again);
    let at_once = if many { parts_at_once } else { 1 };
    let tasks = partitions.into_iter().map(|partition| {
        let shared = shared.clone();
        async move {
            shared.context.check()?;
            Task::on(&runtime::cpu(), async move { shared.write(partition).await }).join().await?
        }
    });
    futures::stream::iter(tasks)
        .buffered(at_once)
        .try_for_each(|part| {
            if let Some(part) = part {
                written(part);
            }
            futures::future::ready(Ok::<_, Error>(()))
        })
        .await
}

fn slices(columns: &[ArrayRef], run: &Range<usize>) -> Vec<ArrayRef> {
    columns.iter().map(|column| column.slice(run.start, run.len())).collect()
}

/// `None`: any number.
fn partition_limit(context: &QueryContext) -> Option<PartitionLimit> {
    let settings = &context.settings;
    let most = settings.max_partitions_per_insert_block;
    let stretch = match settings.min_insert_block_size_rows {
        0 => usize::MAX,
        rows => rows as usize,
    };
    (settings.throw_on_max_partitions_per_insert_block && most > 0).then_some(PartitionLimit { most, stretch })
}

fn warn_of_many(context: &QueryContext, partitions: usize) {
    let limit = context.settings.max_partitions_per_insert_block;
    if limit > 0 && partitions as u64 > limit {
        tracing::warn!("a block of query {} falls into {partitions} partitions, more than {limit}", context.query_id);
    }
}

impl Block {
    async fn write(&self, partition: PartitionRows) -> Result<Option<InsertedPart>> {
        let (context, settings) = (&self.context.of_work(), &self.target.settings);
        let _temporary = Gauge::PartsTemporary.hold();
        let started = context.env.instant();
        let rows = partition.rows.count();
        // Positions are relative to the run.
        let (columns, mut keys, subset) = match &partition.rows {
            Rows::Run(run) => (slices(&self.columns, run), slices(&self.keys, run), None),
            Rows::At(positions) => (self.columns.clone(), self.keys.clone(), Some(positions.as_slice())),
        };
        let key = SortKey { columns: &keys, descending: &self.descending, order: &self.target.layout.sorting_order };
        let order = sort::order(&key, subset, rows)?;
        keys.truncate(self.target.layout.primary_key_length);
        context.counters.add(Event::MergeTreeDataWriterBlocks, 1);
        let was_sorted = order.as_deref() == subset;
        if was_sorted {
            context.counters.add(Event::MergeTreeDataWriterBlocksAlreadySorted, 1);
        }
        context.counters.add(
            Event::MergeTreeDataWriterSortingBlocksMicroseconds,
            context.env.instant().saturating_duration_since(started).as_micros() as u64,
        );
        let sorted = Sorted { columns, keys, order: order.map(UInt32Array::from), rows };
        let merges = context.settings.optimize_on_insert && self.target.layout.engine.merges_rows();
        let sorted = if merges {
            let begun = context.env.instant();
            let merged = self.merged(sorted)?;
            let took = context.env.instant().saturating_duration_since(begun);
            context.counters.add(Event::MergeTreeDataWriterMergingBlocksMicroseconds, took.as_micros() as u64);
            merged
        } else {
            sorted
        };
        if sorted.rows == 0 {
            return Ok(None);
        }
        let level = u32::from(merges);
        let granule_rows = granule_rows(self.row_bytes, settings.index_granularity, settings.index_granularity_bytes);
        let plan = PartPlan {
            key: object_key(context, &partition.id, level),
            partition_id: partition.id,
            partition: partition.text,
            level,
            codec: settings.codec(0),
            granule_rows,
            row_group_rows: row_group_rows(self.row_bytes, granule_rows, settings.max_rows_in_row_group),
            text: self.text.clone(),
            dictionaries: self.dictionaries.clone(),
            lanes: self.lanes,
        };
        self.uncommitted.begin(&plan.key);
        for projection in &self.building().projections {
            self.uncommitted.begin(&object_beside(&plan.key, &projection.definition.name, None));
        }
        let rows = sorted.rows;
        let part = self.write_part(context, plan, &sorted).await?;
        let uncompressed: u64 = part.header.columns.iter().map(|column| column.uncompressed_bytes).sum();
        context.counters.add(Event::MergeTreeDataWriterRows, rows as u64);
        context.counters.add(Event::MergeTreeDataWriterUncompressedBytes, uncompressed);
        context.counters.add(Event::MergeTreeDataWriterCompressedBytes, part.bytes);
        let took = context.env.instant().saturating_duration_since(started);
        tell!(
            context,
            DEBUG,
            "MergeTreeDataWriter",
            "Wrote a part of partition {}: {rows} rows, {} as {} in {}{}",
            part.header.partition_id,
            units::bytes_binary(uncompressed as f64),
            units::bytes_binary(part.bytes as f64),
            units::duration(took),
            if was_sorted { "; its rows came sorted" } else { "" }
        );
        let events = context.counters.nonzero();
        Ok(Some(InsertedPart { part, ranges: partition.ranges, block_hash: self.hash, took, events }))
    }

    /// What the engine makes of the rows of one part. Where it chooses some of them, no column is copied for that.
    fn merged(&self, rows: Sorted) -> Result<Sorted> {
        let layout = &self.target.layout;
        if let Some(order) = rules::chosen(layout, &rows.columns, rows.order.as_ref(), rows.rows)? {
            let left = order.len();
            let is_as_it_came = rows.order.is_none() && left == rows.rows;
            return Ok(Sorted { order: (!is_as_it_came).then_some(order), rows: left, ..rows });
        }
        let block = RecordBatch::try_new(layout.schema.clone(), rows.columns)?;
        let block = match &rows.order {
            Some(order) => take_record_batch(&block, order)?,
            None => block,
        };
        let merged = rules::apply(layout, &block)?;
        let keys = layout.primary().iter().map(|key| key.evaluate(&merged)).collect::<Result<Vec<_>>>()?;
        Ok(Sorted { columns: merged.columns().to_vec(), keys, order: None, rows: merged.num_rows() })
    }

    fn building(&self) -> Building {
        let BlockTarget { layout, settings, .. } = &self.target;
        let projections = match settings.materialize_projections_on_insert {
            true => layout.projections.clone(),
            false => Vec::new(),
        };
        Building { settings: settings.clone(), core: None, projections }
    }

    async fn write_part(&self, context: &Arc<QueryContext>, plan: PartPlan, rows: &Sorted) -> Result<WrittenPart> {
        let target = &self.target;
        let mut writer = PartWriter::create(context, &target.store, target.layout.clone(), plan).await?;
        writer.leave_out_skip_indexes(|_| !context.settings.materialize_skip_indexes_on_insert);
        writer.build_projections(context, &target.store, self.building());
        match writer.write(rows).await {
            Ok(()) => writer.finish().await,
            Err(error) => {
                writer.abort().await;
                Err(error)
            }
        }
    }
}

/// By column: whether all its strings are text, and whether a dictionary pays.
async fn inspect(lanes: usize, layout: &Layout, block: &RecordBatch) -> Result<(Vec<bool>, Vec<bool>)> {
    let mut jobs = Vec::with_capacity(block.num_columns());
    for (column, array) in layout.columns.iter().zip(block.columns()) {
        let (kind, array) = (column.kind.clone(), array.clone());
        jobs.push(move || traits(&kind, &array));
    }
    let lanes = if block.num_rows() * block.num_columns() < 1 << 16 { 1 } else { lanes };
    Ok(parallel::run(jobs, lanes).await?.into_iter().unzip())
}

/// Of a column: whether all its strings are text, and whether a dictionary pays.
pub fn traits(kind: &SqlType, array: &ArrayRef) -> Result<(bool, bool)> {
    let text = !has_strings(kind) || is_text(kind, array);
    let pays = match dictionary::by_type(kind) {
        Some(decided) => decided,
        None => dictionary::pays(kind, &to_storage(kind, &sample(array)?)?)?,
    };
    Ok((text, pays))
}

/// Enough evenly spread values to judge a column by, so that only they are converted.
fn sample(column: &ArrayRef) -> Result<ArrayRef> {
    let step = column.len().div_ceil(4096).max(1);
    let positions = UInt32Array::from_iter_values((0..column.len() as u32).step_by(step));
    Ok(arrow::compute::take(column, &positions, None)?)
}
