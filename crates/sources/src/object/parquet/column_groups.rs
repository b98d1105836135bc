//! Decoding rows of very many columns: some columns at a time.
//!
//! A reader of all columns has a page and a dictionary of each decoded at once. Of twenty columns that is nothing, of two
//! thousand it is a gigabyte for each stream, however few rows a block has. So where that is much, groups of neighbouring
//! columns are decoded one after another, each to the last row of the unit, and only the rows stay; the decoders of a group
//! end before those of the next begin. Their bytes are fetched some groups at a time, too: dictionaries of two thousand
//! columns are hundreds of megabytes, however few rows are wanted. The rows of a unit are bounded (`open`), and so is what
//! waits here.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, GenericByteViewArray, RecordBatch, RecordBatchOptions};
use arrow::datatypes::{ByteViewType, Field, Schema};
use bytes::Bytes;
use gristmill_base::{Error, Result};
use parquet::DecodeResult;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::RowSelection;
use parquet::arrow::push_decoder::{ParquetPushDecoder, ParquetPushDecoderBuilder};

use super::footer::{Footer, guarded};

/// What the decoders of a unit may have decoded at once before its columns are taken in groups, and what a group may have.
const DECODERS_BYTES_MAX: u64 = 128 << 20;
const GROUP_BYTES: u64 = 32 << 20;
/// Bytes that are fetched at a time, but for those of the last group among them.
const FETCHED_BYTES: u64 = 32 << 20;
/// A dictionary and a page, decoded, at the sizes that writers give them.
const COLUMN_BYTES_MAX: u64 = 2 << 20;

pub(super) struct ColumnGroups {
    /// Decoders that have not been asked what they need.
    waiting: VecDeque<ParquetPushDecoder>,
    /// Those whose bytes are there or under way, each with the number of ranges that it asked for.
    fetched: VecDeque<(ParquetPushDecoder, usize)>,
    /// Of each block the columns so far; all groups cut the rows alike. `None`: no group was decoded.
    decoded: Option<Vec<Vec<RecordBatch>>>,
    /// Rows of all columns, in blocks.
    blocks: VecDeque<RecordBatch>,
}

/// Bytes that the decoders of top-level columns hold, about, of each.
fn decoder_bytes(footer: &Footer, group: usize, roots: &[usize]) -> Vec<u64> {
    let parquet = footer.reader.parquet_schema();
    let metadata = footer.metadata().row_group(group);
    let mut bytes_of_root = vec![0u64; roots.len()];
    for leaf in 0..metadata.num_columns().min(parquet.num_columns()) {
        if let Ok(at) = roots.binary_search(&parquet.get_column_root_idx(leaf)) {
            let bytes = u64::try_from(metadata.column(leaf).uncompressed_size()).unwrap_or(0);
            bytes_of_root[at] += bytes.min(COLUMN_BYTES_MAX);
        }
    }
    bytes_of_root
}

/// Whether the rows of these columns wait for one another, unless they are so many that one decoder takes less.
pub(super) fn rows_wait(footer: &Footer, group: usize, roots: &[usize]) -> bool {
    decoder_bytes(footer, group, roots).iter().sum::<u64>() > DECODERS_BYTES_MAX
}

/// Top-level columns in groups whose decoders hold that many bytes each, about; `None`: all of them hold no more than `whole`.
fn groups(footer: &Footer, group: usize, roots: &[usize], whole: u64, each: u64) -> Option<Vec<Vec<usize>>> {
    let bytes_of_root = decoder_bytes(footer, group, roots);
    if bytes_of_root.iter().sum::<u64>() <= whole {
        return None;
    }
    let (mut groups, mut bytes) = (vec![Vec::new()], 0);
    for (root, more) in roots.iter().zip(bytes_of_root) {
        if bytes + more > each && bytes > 0 {
            groups.push(Vec::new());
            bytes = 0;
        }
        bytes += more;
        if let Some(last) = groups.last_mut() {
            last.push(*root);
        }
    }
    Some(groups)
}

impl ColumnGroups {
    /// `roots`: the top-level columns to read, ascending; `decoded_bytes`: of all their rows, which wait here until the last
    /// column is decoded. `None`: one decoder is to read all of them, because it takes less.
    pub fn new(
        footer: &Footer,
        group: usize,
        (roots, decoded_bytes): (&[usize], u64),
        selection: Option<&RowSelection>,
        block_rows: usize,
    ) -> Result<Option<Self>> {
        let groups = groups(footer, group, roots, DECODERS_BYTES_MAX.max(decoded_bytes), GROUP_BYTES);
        groups.map(|groups| Self::of(footer, group, groups, selection, block_rows)).transpose()
    }

    fn of(
        footer: &Footer,
        group: usize,
        groups: Vec<Vec<usize>>,
        selection: Option<&RowSelection>,
        block_rows: usize,
    ) -> Result<Self> {
        let mut waiting = VecDeque::with_capacity(groups.len());
        for roots in groups {
            let mut builder = ParquetPushDecoderBuilder::new_with_metadata(footer.reader.clone())
                .with_row_groups(vec![group])
                .with_batch_size(block_rows)
                .with_projection(ProjectionMask::roots(footer.reader.parquet_schema(), roots));
            if let Some(selection) = selection {
                builder = builder.with_row_selection(selection.clone());
            }
            waiting.push_back(guarded(|| builder.build())?);
        }
        Ok(ColumnGroups { waiting, fetched: VecDeque::new(), decoded: None, blocks: VecDeque::new() })
    }

    /// Decodes the groups whose bytes are there, and gives the ranges that the next ones want. `None`: all are decoded.
    pub fn step(&mut self) -> Result<Option<Vec<Range<u64>>>> {
        while let Some((decoder, _)) = self.fetched.pop_front() {
            self.decode(decoder)?;
        }
        let (mut wanted, mut bytes) = (Vec::new(), 0);
        while bytes < FETCHED_BYTES
            && let Some(mut decoder) = self.waiting.pop_front()
        {
            let ranges = match guarded(|| decoder.try_next_reader())? {
                DecodeResult::NeedsData(ranges) => ranges,
                // No row is wanted of it: neither of the others.
                DecodeResult::Data(_) | DecodeResult::Finished => continue,
            };
            bytes += ranges.iter().map(|range| range.end - range.start).sum::<u64>();
            self.fetched.push_back((decoder, ranges.len()));
            wanted.extend(ranges);
        }
        if !wanted.is_empty() {
            return Ok(Some(wanted));
        }
        let decoded = self.decoded.take().unwrap_or_default();
        self.blocks = decoded.into_iter().map(|groups| side_by_side(&groups)).collect::<Result<_>>()?;
        Ok(None)
    }

    /// What `step` asked for, with its bytes.
    pub fn push(&mut self, ranges: Vec<Range<u64>>, pieces: Vec<Bytes>) -> Result<()> {
        let mut ranges = ranges.into_iter();
        let mut pieces = pieces.into_iter();
        for (decoder, asked) in &mut self.fetched {
            let (ranges, pieces) = (ranges.by_ref().take(*asked).collect(), pieces.by_ref().take(*asked).collect());
            guarded(|| decoder.push_ranges(ranges, pieces))?;
        }
        Ok(())
    }

    /// The next block of all columns, once all are decoded.
    pub fn next(&mut self) -> Option<RecordBatch> {
        self.blocks.pop_front()
    }

    /// Whether no group is left, and the blocks were made.
    pub fn is_decoded(&self) -> bool {
        self.waiting.is_empty() && self.fetched.is_empty() && self.decoded.is_none()
    }

    /// Bytes of the rows that were decoded so far.
    pub fn decoded_bytes(&self) -> u64 {
        self.decoded.iter().flatten().flatten().map(|columns| columns.get_array_memory_size() as u64).sum()
    }

    fn decode(&mut self, mut decoder: ParquetPushDecoder) -> Result<()> {
        let differ = || Error::logical("Columns of a row group differ in rows");
        let mut reader = match guarded(|| decoder.try_next_reader())? {
            DecodeResult::Data(reader) => reader,
            DecodeResult::Finished => return Err(differ()),
            DecodeResult::NeedsData(_) => return Err(Error::logical("A Parquet decoder wants more than it asked for")),
        };
        let first = self.decoded.is_none();
        let blocks = self.decoded.get_or_insert_default();
        let mut at = 0;
        while let Some(block) = guarded(|| reader.next().transpose())? {
            if first {
                blocks.push(Vec::with_capacity(self.waiting.len() + self.fetched.len() + 1));
            }
            blocks.get_mut(at).ok_or_else(differ)?.push(compact(&block)?);
            at += 1;
        }
        match at == blocks.len() {
            true => Ok(()),
            false => Err(differ()),
        }
    }
}

/// Strings of a block without the dictionaries that they lie in, where these are much larger.
fn compact(block: &RecordBatch) -> Result<RecordBatch> {
    let columns = block.columns().iter().map(|column| {
        if let Some(strings) = column.as_binary_view_opt()
            && lies_thin(strings)
        {
            return Arc::new(strings.gc()) as ArrayRef;
        }
        match column.as_string_view_opt() {
            Some(strings) if lies_thin(strings) => Arc::new(strings.gc()),
            _ => column.clone(),
        }
    });
    let options = RecordBatchOptions::new().with_row_count(Some(block.num_rows()));
    Ok(RecordBatch::try_new_with_options(block.schema(), columns.collect(), &options)?)
}

fn lies_thin<T: ByteViewType>(strings: &GenericByteViewArray<T>) -> bool {
    let held: usize = strings.data_buffers().iter().map(|buffer| buffer.len()).sum();
    held > 2 * strings.total_buffer_bytes_used()
}

/// The columns of all in one batch.
fn side_by_side(groups: &[RecordBatch]) -> Result<RecordBatch> {
    let rows = groups.first().map_or(0, RecordBatch::num_rows);
    let fields: Vec<Arc<Field>> =
        groups.iter().flat_map(|group| group.schema().fields().iter().cloned().collect::<Vec<_>>()).collect();
    let columns = groups.iter().flat_map(|group| group.columns().iter().cloned()).collect();
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    Ok(RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options)?)
}

#[cfg(test)]
mod tests {
    use arrow::array::{Int64Array, StringArray};
    use arrow::compute::concat_batches;
    use parquet::arrow::ArrowWriter;
    use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReaderBuilder, RowSelector};

    use super::*;

    /// Ten columns of 1,000 rows.
    fn file() -> Bytes {
        let column = |at: usize| -> ArrayRef {
            if at.is_multiple_of(2) {
                Arc::new(Int64Array::from_iter_values((0..1000).map(|row| row * (at as i64 + 1))))
            } else {
                Arc::new(StringArray::from_iter_values((0..1000).map(|row| format!("{at} {row}"))))
            }
        };
        let batch = RecordBatch::try_from_iter((0..10).map(|at| (format!("c{at}"), column(at)))).expect("a batch");
        let mut bytes = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).expect("a writer");
        writer.write(&batch).expect("written");
        writer.close().expect("closed");
        bytes.into()
    }

    fn footer(file: &Bytes) -> Footer {
        let reader = ArrowReaderMetadata::load(file, Default::default()).expect("a footer");
        Footer { reader, file_bytes: file.len() as u64, memory_bytes: 0, whole: None }
    }

    fn read(mut groups: ColumnGroups, file: &Bytes) -> RecordBatch {
        while let Some(ranges) = groups.step().expect("ranges") {
            let pieces = ranges.iter().map(|range| file.slice(range.start as usize..range.end as usize)).collect();
            groups.push(ranges, pieces).expect("pushed");
        }
        let blocks: Vec<RecordBatch> = std::iter::from_fn(|| groups.next()).collect();
        concat_batches(&blocks[0].schema(), &blocks).expect("one batch")
    }

    #[test]
    fn columns_that_are_decoded_in_groups_are_those_decoded_at_once() {
        let file = file();
        let all = ParquetRecordBatchReaderBuilder::try_new(file.clone()).expect("a reader").with_batch_size(2000).build();
        let all = all.expect("built").next().expect("a batch").expect("rows");
        let footer = footer(&file);
        let roots: Vec<usize> = (0..10).collect();
        let by_three = groups(&footer, 0, &roots, 30_000, 25_000).expect("in groups");
        assert!(by_three.len() > 2 && by_three.concat() == roots, "{by_three:?}");
        let read_all = read(ColumnGroups::of(&footer, 0, by_three, None, 300).expect("groups"), &file);
        assert_eq!(read_all, all);
    }

    #[test]
    fn rows_that_would_take_more_than_the_decoders_do_not_wait_for_the_last_column() {
        let file = file();
        let footer = footer(&file);
        let roots: Vec<usize> = (0..10).collect();
        assert!(groups(&footer, 0, &roots, 30_000, 25_000).is_some());
        assert!(groups(&footer, 0, &roots, 10_000_000, 25_000).is_none());
        let whole = ColumnGroups::new(&footer, 0, (&roots, u64::MAX), None, 300).expect("planned");
        assert!(whole.is_none());
    }

    #[test]
    fn a_selection_of_rows_holds_for_all_groups() {
        let file = file();
        let footer = footer(&file);
        let selection = RowSelection::from(vec![RowSelector::skip(990), RowSelector::select(10)]);
        let groups = ColumnGroups::of(&footer, 0, vec![vec![0], vec![3, 4]], Some(&selection), 4).expect("groups");
        let rows = read(groups, &file);
        assert_eq!((rows.num_rows(), rows.num_columns()), (10, 3));
        assert_eq!(rows.column(2).as_ref(), &Int64Array::from_iter_values((990..1000).map(|row| row * 5)));
    }

    #[test]
    fn few_columns_take_one_decoder() {
        let footer = footer(&file());
        assert!(ColumnGroups::new(&footer, 0, (&[0, 1, 2], 0), None, 100).expect("planned").is_none());
    }
}
