//! The rows of a whole Parquet file, decoded as they are asked for, one row group after the other.
//!
//! A block has as many rows as some megabytes hold, and a reader has a dictionary and a page of each of its columns decoded
//! at once. Of very many columns that is more than a query may have: some columns at a time are decoded then, each to the
//! last row of a run, whose rows wait until all columns are there.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, RecordBatch, RecordBatchOptions};
use arrow::datatypes::Schema;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::Settings;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder, RowSelection, RowSelector,
};

use super::FileBytes;
use super::parquet_metadata::guarded;

/// A dictionary and a page, decoded, at the sizes that writers give them.
const COLUMN_BYTES_MAX: u64 = 2 << 20;
/// What the columns of a reader may have decoded at once, and its share of the memory of a query where that is limited.
const READER_BYTES_MAX: u64 = 128 << 20;
const READER_SHARE: u64 = 16;
/// Of limited memory, what rows may take that wait for their other columns.
const RUN_SHARE: u64 = 10;
/// The least of both: each run decodes the dictionaries of its columns again.
const SHARE_BYTES_MIN: u64 = 16 << 20;
/// Bytes that a value takes in memory at least.
const VALUE_BYTES: u64 = 16;

/// What may be decoded at a time.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    block_rows: usize,
    /// Of a block; 0: any number.
    block_bytes: u64,
    reader_bytes: u64,
    run_bytes: u64,
}

impl Limits {
    pub fn of(settings: &Settings, block_rows: usize) -> Limits {
        let share = |part: u64| match settings.max_memory_usage {
            0 => u64::MAX,
            limit => (limit / part).max(SHARE_BYTES_MIN),
        };
        Limits {
            block_rows,
            block_bytes: settings.input_format_parquet_prefer_block_bytes,
            reader_bytes: share(READER_SHARE).min(READER_BYTES_MAX),
            run_bytes: share(RUN_SHARE),
        }
    }

    /// Rows of a block, where a row has so many bytes.
    fn block_rows(&self, row_bytes: u64) -> usize {
        match self.block_bytes {
            0 => self.block_rows,
            bytes => self.block_rows.min((bytes / row_bytes.max(1)).max(1) as usize),
        }
    }
}

/// Neighbouring rows of a row group that are decoded in one go.
struct Run {
    group: usize,
    rows: Range<usize>,
    /// Columns that are decoded at a time; one group: all.
    columns: Arc<Vec<Vec<usize>>>,
    block_rows: usize,
}

pub struct ParquetRows {
    file: FileBytes,
    metadata: ArrowReaderMetadata,
    limits: Limits,
    next_group: usize,
    runs: VecDeque<Run>,
    reader: Option<ParquetRecordBatchReader>,
    /// Blocks whose columns were decoded in groups.
    blocks: VecDeque<RecordBatch>,
}

impl ParquetRows {
    pub fn new(file: FileBytes, metadata: ArrowReaderMetadata, limits: Limits) -> Self {
        ParquetRows { file, metadata, limits, next_group: 0, runs: VecDeque::new(), reader: None, blocks: VecDeque::new() }
    }

    fn next_block(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(block) = self.blocks.pop_front() {
                return Ok(Some(block));
            }
            if let Some(reader) = &mut self.reader {
                if let Some(block) = guarded(|| reader.next().transpose())? {
                    return Ok(Some(block));
                }
                self.reader = None;
            }
            match self.runs.pop_front() {
                Some(run) if run.columns.len() < 2 => self.reader = Some(self.open(&run, None)?),
                Some(run) => self.blocks = self.by_columns(&run)?,
                None if self.next_group < self.metadata.metadata().num_row_groups() => {
                    self.runs = self.plan(self.next_group);
                    self.next_group += 1;
                }
                None => return Ok(None),
            }
        }
    }

    /// The runs of a row group.
    fn plan(&self, group: usize) -> VecDeque<Run> {
        let metadata = self.metadata.metadata().row_group(group);
        let rows = usize::try_from(metadata.num_rows()).unwrap_or(0);
        let stored = metadata.columns().iter().map(|column| u64::try_from(column.uncompressed_size()).unwrap_or(0));
        let decoded: u64 = stored.map(|bytes| bytes.max(rows as u64 * VALUE_BYTES)).sum();
        let block_rows = self.limits.block_rows(decoded / rows.max(1) as u64);
        let whole = |columns: Vec<Vec<usize>>| Run { group, rows: 0..rows, columns: Arc::new(columns), block_rows };
        let columns = self.columns_at_a_time(group);
        if columns.len() < 2 {
            return VecDeque::from([whole(columns)]);
        }
        let runs = decoded.div_ceil(self.limits.run_bytes).clamp(1, rows.max(1) as u64) as usize;
        let border = |run: usize| (run as u128 * rows as u128 / runs as u128) as usize;
        let columns = Arc::new(columns);
        (0..runs)
            .map(|run| Run { group, rows: border(run)..border(run + 1), columns: columns.clone(), block_rows })
            .collect()
    }

    /// Top-level columns in groups whose readers hold no more than they may.
    fn columns_at_a_time(&self, group: usize) -> Vec<Vec<usize>> {
        let parquet = self.metadata.parquet_schema();
        let metadata = self.metadata.metadata().row_group(group);
        let (mut groups, mut bytes) = (vec![Vec::new()], 0);
        for leaf in 0..metadata.num_columns().min(parquet.num_columns()) {
            let stored = u64::try_from(metadata.column(leaf).uncompressed_size()).unwrap_or(0);
            let (root, more) = (parquet.get_column_root_idx(leaf), stored.min(COLUMN_BYTES_MAX));
            let is_begun = groups.last().is_some_and(|last: &Vec<usize>| last.last() == Some(&root));
            if !is_begun && bytes + more > self.limits.reader_bytes && bytes > 0 {
                groups.push(Vec::new());
                bytes = 0;
            }
            bytes += more;
            if let (false, Some(last)) = (is_begun, groups.last_mut()) {
                last.push(root);
            }
        }
        groups
    }

    /// `columns`: top-level ones; `None`: all.
    fn open(&self, run: &Run, columns: Option<&[usize]>) -> Result<ParquetRecordBatchReader> {
        let mut builder = ParquetRecordBatchReaderBuilder::new_with_metadata(self.file.clone(), self.metadata.clone())
            .with_row_groups(vec![run.group])
            .with_batch_size(run.block_rows);
        if let Some(columns) = columns {
            let selection = RowSelection::from(vec![RowSelector::skip(run.rows.start), RowSelector::select(run.rows.len())]);
            let mask = ProjectionMask::roots(self.metadata.parquet_schema(), columns.iter().copied());
            builder = builder.with_projection(mask).with_row_selection(selection);
        }
        guarded(|| builder.build())
    }

    fn by_columns(&self, run: &Run) -> Result<VecDeque<RecordBatch>> {
        let mut blocks: Vec<Vec<RecordBatch>> = Vec::new();
        for (at, columns) in run.columns.iter().enumerate() {
            let mut reader = self.open(run, Some(columns))?;
            let mut count = 0;
            while let Some(block) = guarded(|| reader.next().transpose())? {
                if at == 0 {
                    blocks.push(Vec::with_capacity(run.columns.len()));
                }
                blocks.get_mut(count).ok_or_else(differ)?.push(compact(&block)?);
                count += 1;
            }
            if count != blocks.len() {
                return Err(differ());
            }
        }
        blocks.into_iter().map(|parts| side_by_side(&parts)).collect()
    }
}

impl Iterator for ParquetRows {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_block().transpose()
    }
}

fn differ() -> Error {
    Error::new(ErrorCode::INCORRECT_DATA, "Not a valid Parquet file: columns of a row group differ in rows")
}

/// Strings of a block without the dictionaries that they lie in, where these are much larger.
fn compact(block: &RecordBatch) -> Result<RecordBatch> {
    let columns = block.columns().iter().map(|column| match column.as_binary_view_opt() {
        Some(strings) => {
            let held: usize = strings.data_buffers().iter().map(|buffer| buffer.len()).sum();
            let is_thin = held > 2 * strings.total_buffer_bytes_used();
            if is_thin { Arc::new(strings.gc()) as ArrayRef } else { column.clone() }
        }
        None => column.clone(),
    });
    let options = RecordBatchOptions::new().with_row_count(Some(block.num_rows()));
    Ok(RecordBatch::try_new_with_options(block.schema(), columns.collect(), &options)?)
}

/// The columns of all in one batch.
fn side_by_side(parts: &[RecordBatch]) -> Result<RecordBatch> {
    let rows = parts.first().map_or(0, RecordBatch::num_rows);
    let fields: Vec<_> = parts.iter().flat_map(|part| part.schema().fields().iter().cloned().collect::<Vec<_>>()).collect();
    let columns = parts.iter().flat_map(|part| part.columns().iter().cloned()).collect();
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    Ok(RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options)?)
}

#[cfg(test)]
mod tests {
    use arrow::array::{BinaryArray, Int64Array};
    use arrow::compute::concat_batches;
    use parquet::arrow::ArrowWriter;
    use parquet::arrow::arrow_reader::ArrowReaderOptions;
    use parquet::file::properties::WriterProperties;

    use super::*;

    fn file(rows: i64, group_rows: usize) -> FileBytes {
        let number = |at: i64| Arc::new(Int64Array::from_iter_values((0..rows).map(|row| row * at))) as ArrayRef;
        let texts = Arc::new(BinaryArray::from_iter_values((0..rows).map(|row| vec![b'x'; row as usize % 50]))) as ArrayRef;
        let batch = RecordBatch::try_from_iter([("a", number(1)), ("t", texts), ("b", number(2)), ("c", number(3))]);
        let batch = batch.expect("a batch");
        let properties = WriterProperties::builder().set_max_row_group_row_count(Some(group_rows)).build();
        let mut bytes = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).expect("a writer");
        writer.write(&batch).expect("written");
        writer.close().expect("closed");
        FileBytes::Memory(bytes.into())
    }

    fn blocks(file: &FileBytes, limits: Limits) -> Vec<RecordBatch> {
        let metadata = ArrowReaderMetadata::load(file, ArrowReaderOptions::new()).expect("a footer");
        ParquetRows::new(file.clone(), metadata, limits).collect::<Result<_>>().expect("rows")
    }

    #[test]
    fn few_columns_at_a_time_give_the_rows_that_all_give() {
        let file = file(1000, 300);
        let wide = Limits { block_rows: 1000, block_bytes: 0, reader_bytes: u64::MAX, run_bytes: u64::MAX };
        let whole = blocks(&file, wide);
        assert_eq!(whole.iter().map(RecordBatch::num_rows).collect::<Vec<_>>(), [300, 300, 300, 100]);
        let narrow = blocks(&file, Limits { block_rows: 64, reader_bytes: 1, run_bytes: 5000, ..wide });
        assert!(narrow.iter().all(|block| block.num_rows() <= 64));
        let all = |blocks: &[RecordBatch]| concat_batches(&whole[0].schema(), blocks).expect("one batch");
        assert_eq!(all(&narrow), all(&whole));
    }

    #[test]
    fn blocks_have_some_bytes_and_at_least_a_row() {
        let limits = Limits { block_rows: 1000, block_bytes: 1 << 20, reader_bytes: 0, run_bytes: 0 };
        assert_eq!((limits.block_rows(10), limits.block_rows(100_000), limits.block_rows(1 << 30)), (1000, 10, 1));
    }
}
