//! The blocks that an INSERT makes of data: `max_insert_block_size` rows each, where settings about blocks are given.
//!
//! A parser gives rows in batches of its own size, and the insert gear puts them together. Whoever sets sizes of blocks
//! expects ClickHouse's: data is cut into blocks of `max_insert_block_size` rows first, and only then joined up to
//! `min_insert_block_size_rows` or `_bytes`, so that with both 0 each of these blocks becomes parts of its own.

use arrow::array::RecordBatch;
use arrow::compute::BatchCoalescer;
use arrow::datatypes::SchemaRef;
use futures::stream::{BoxStream, StreamExt};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::Settings;

const SIZES: [&str; 3] = ["max_insert_block_size", "min_insert_block_size_rows", "min_insert_block_size_bytes"];

/// Whether the query says what blocks are to be.
pub(super) fn is_set(settings: &Settings) -> bool {
    settings.use_strict_insert_block_limits || SIZES.iter().any(|name| settings.is_changed(name))
}

/// Rows of a block; `None`: nothing is set of blocks. Errors: BAD_ARGUMENTS where blocks are to have no row.
fn block_rows(settings: &Settings) -> Result<Option<usize>> {
    if !is_set(settings) {
        return Ok(None);
    }
    match usize::try_from(settings.max_insert_block_size).unwrap_or(usize::MAX) {
        0 => Err(Error::new(ErrorCode::BAD_ARGUMENTS, "max_insert_block_size is the rows of a block: at least 1")),
        rows => Ok(Some(rows)),
    }
}

/// The rows of one batch in blocks. Errors: those of `in_blocks`.
pub(super) fn cut(batch: &RecordBatch, settings: &Settings) -> Result<Vec<RecordBatch>> {
    let all = batch.num_rows();
    let rows = block_rows(settings)?.unwrap_or(all).max(1);
    Ok((0..all).step_by(rows).map(|from| batch.slice(from, rows.min(all - from))).collect())
}

/// Errors: BAD_ARGUMENTS where blocks are to have no row.
pub(super) fn in_blocks(
    batches: BoxStream<'static, Result<RecordBatch>>,
    schema: SchemaRef,
    settings: &Settings,
) -> Result<BoxStream<'static, Result<RecordBatch>>> {
    let Some(rows) = block_rows(settings)? else { return Ok(batches) };
    let state = (batches, Some(BatchCoalescer::new(schema, rows)));
    let blocks = futures::stream::try_unfold(state, |(mut batches, blocks)| async move {
        let Some(mut blocks) = blocks else { return Ok(None) };
        loop {
            if let Some(block) = blocks.next_completed_batch() {
                return Ok(Some((block, (batches, Some(blocks)))));
            }
            match batches.next().await.transpose()? {
                Some(batch) => blocks.push_batch(batch)?,
                None => {
                    blocks.finish_buffered_batch()?;
                    return Ok(blocks.next_completed_batch().map(|block| (block, (batches, None))));
                }
            }
        }
    });
    Ok(blocks.boxed())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{AsArray, UInt32Array};
    use arrow::datatypes::{DataType, Field, Schema, UInt32Type};
    use futures::TryStreamExt;

    use super::*;

    async fn blocks(given: &[u32], settings: &[(&str, &str)]) -> Vec<Vec<u32>> {
        let schema = Arc::new(Schema::new(vec![Field::new("k", DataType::UInt32, false)]));
        let mut set = Settings::default();
        settings.iter().for_each(|(name, value)| set.set(name, value).expect("a setting"));
        let mut next = 0;
        let mut batches = Vec::new();
        for rows in given {
            let array: UInt32Array = (next..next + rows).collect();
            next += rows;
            batches.push(Ok(RecordBatch::try_new(schema.clone(), vec![Arc::new(array)]).expect("fits")));
        }
        let blocks = in_blocks(futures::stream::iter(batches).boxed(), schema, &set).expect("settings");
        let blocks: Vec<RecordBatch> = blocks.try_collect().await.expect("rows");
        blocks.iter().map(|block| block.column(0).as_primitive::<UInt32Type>().values().to_vec()).collect()
    }

    #[tokio::test]
    async fn data_is_cut_and_joined_where_sizes_are_set() {
        assert_eq!(blocks(&[2, 3], &[]).await, [vec![0, 1], vec![2, 3, 4]]);
        let cut = blocks(&[5, 1, 1], &[("max_insert_block_size", "3")]).await;
        assert_eq!(cut, [vec![0, 1, 2], vec![3, 4, 5], vec![6]]);
        let both = [("min_insert_block_size_rows", "0"), ("min_insert_block_size_bytes", "0")];
        assert_eq!(blocks(&[2, 3], &both).await, [vec![0, 1, 2, 3, 4]], "ClickHouse's default is a million rows");
    }
}
