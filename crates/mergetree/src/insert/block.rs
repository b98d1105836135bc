//! Turns one squashed block into parts, one a partition: split, sort, look at the columns, encode, upload. Nothing is
//! visible afterwards; the names of the parts come out.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, UInt32Array};
use gristmill_base::Result;
use gristmill_introspect::{Event, QueryContext};
use serde_json::Value;

use super::{partition, sort};
use crate::layout::Layout;
use crate::measure::batch_bytes;
use crate::parallel;
use crate::part::v1::dictionary;
use crate::part::v1::encode::Codec;
use crate::part::v1::storage_type::{has_strings, is_text, to_storage};
use crate::part::v1::writer::{granule_rows, row_group_rows};
use crate::part::{PartPlan, PartWriter, Sorted, WrittenPart};
use crate::settings::TableSettings;
use crate::store::PartStore;

/// A part written by an INSERT, and what the manifest will keep of its partition.
#[derive(Clone, Debug)]
pub struct InsertedPart {
    pub part: WrittenPart,
    pub ranges: Vec<(Value, Value)>,
}

/// What writing a block needs of its table.
#[derive(Clone, Debug)]
pub struct BlockTarget {
    pub layout: Arc<Layout>,
    pub settings: Arc<TableSettings>,
    pub store: Arc<dyn PartStore>,
}

/// The object's key: unique, so that writers never meet. The block numbers come with the commit.
pub fn object_key(context: &QueryContext, partition_id: &str, level: u32) -> String {
    format!("parts/{partition_id}_{level}_{}.parquet", context.env.uuid_by_time().simple())
}

pub async fn write_block(
    context: &Arc<QueryContext>,
    target: &BlockTarget,
    block: RecordBatch,
) -> Result<Vec<InsertedPart>> {
    let layout = &target.layout;
    let limit = match context.settings.throw_on_max_partitions_per_insert_block {
        true => context.settings.max_partitions_per_insert_block,
        false => 0,
    };
    let partitions = partition::split(layout, &block, limit)?;
    let keys = layout.sorting.iter().map(|key| key.evaluate(&block)).collect::<Result<Vec<_>>>()?;
    let started = context.env.instant();
    let normalised = layout.sorting_order.rows(&keys)?;
    let row_bytes = batch_bytes(&block) / (block.num_rows() as u64).max(1);
    let (text, dictionaries) = inspect(context.threads(), layout, &block).await?;
    let mut written = Vec::with_capacity(partitions.len());
    for partition in partitions {
        context.check()?;
        let order = sort::order(normalised.as_ref(), partition.rows.as_deref(), block.num_rows());
        let rows = partition.rows.as_ref().map_or(block.num_rows(), Vec::len);
        context.counters.add(Event::MergeTreeDataWriterBlocks, 1);
        if order == partition.rows {
            context.counters.add(Event::MergeTreeDataWriterBlocksAlreadySorted, 1);
        }
        context.counters.add(
            Event::MergeTreeDataWriterSortingBlocksMicroseconds,
            context.env.instant().saturating_duration_since(started).as_micros() as u64,
        );
        let granule_rows =
            granule_rows(row_bytes, target.settings.index_granularity, target.settings.index_granularity_bytes);
        let plan = PartPlan {
            key: object_key(context, &partition.id, 0),
            partition_id: partition.id,
            partition: partition.text,
            level: 0,
            codec: Codec::Lz4,
            granule_rows,
            row_group_rows: row_group_rows(row_bytes, granule_rows),
            text: text.clone(),
            dictionaries: dictionaries.clone(),
            lanes: context.threads(),
            hashed: target.settings.non_replicated_deduplication_window > 0,
        };
        let sorted = Sorted {
            columns: block.columns().to_vec(),
            keys: keys[..layout.primary_key_length].to_vec(),
            order: order.map(UInt32Array::from),
            rows,
        };
        let part = write_part(context, target, plan, &sorted).await?;
        let uncompressed = part.header.columns.iter().map(|column| column.uncompressed_bytes).sum();
        context.counters.add(Event::MergeTreeDataWriterRows, rows as u64);
        context.counters.add(Event::MergeTreeDataWriterUncompressedBytes, uncompressed);
        context.counters.add(Event::MergeTreeDataWriterCompressedBytes, part.bytes);
        written.push(InsertedPart { part, ranges: partition.ranges });
    }
    Ok(written)
}

async fn write_part(
    context: &Arc<QueryContext>,
    target: &BlockTarget,
    plan: PartPlan,
    rows: &Sorted,
) -> Result<WrittenPart> {
    let mut writer = PartWriter::create(context, &target.store, target.layout.clone(), plan).await?;
    match writer.write(rows).await {
        Ok(()) => writer.finish().await,
        Err(error) => {
            writer.abort().await;
            Err(error)
        }
    }
}

/// By column: whether all its strings are text, and whether a dictionary pays.
async fn inspect(lanes: usize, layout: &Layout, block: &RecordBatch) -> Result<(Vec<bool>, Vec<bool>)> {
    let mut jobs = Vec::with_capacity(block.num_columns());
    for (column, array) in layout.columns.iter().zip(block.columns()) {
        let (kind, array) = (column.kind.clone(), array.clone());
        jobs.push(move || {
            let text = !has_strings(&kind) || is_text(&kind, &array);
            let pays = match dictionary::by_type(&kind) {
                Some(decided) => decided,
                None => dictionary::pays(&kind, &to_storage(&kind, &sample(&array)?)?)?,
            };
            Ok((text, pays))
        });
    }
    let lanes = if block.num_rows() * block.num_columns() < 1 << 16 { 1 } else { lanes };
    Ok(parallel::run(jobs, lanes).await?.into_iter().unzip())
}

/// Enough evenly spread values to judge a column by, so that only they are converted.
fn sample(column: &ArrayRef) -> Result<ArrayRef> {
    let step = column.len().div_ceil(4096).max(1);
    let positions = UInt32Array::from_iter_values((0..column.len() as u32).step_by(step));
    Ok(arrow::compute::take(column, &positions, None)?)
}
