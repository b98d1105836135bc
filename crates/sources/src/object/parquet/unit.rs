//! A unit of work: some rows of one row group, from the first byte asked for to the last block given.
//!
//! The push decoder says which byte ranges it wants next, and gets them pushed. With a filter that does not cover all columns
//! asked for (late materialisation) it wants the filter's columns first, and the others only where rows passed. What was
//! learned from units before decides for the next ones (`Experience`):
//! - where nearly all rows pass, filtering while reading only costs: everything is decoded and filtered afterwards;
//! - where most units end up needing the other columns, those are fetched at once and one round trip is saved.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow::array::RecordBatch;
use arrow::compute::filter_record_batch;
use bytes::Bytes;
use gristmill_base::{Result, ResultExt};
use gristmill_introspect::QueryContext;
use gristmill_types::measure::batch_bytes;
use parquet::DecodeResult;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowPredicateFn, ParquetRecordBatchReader, RowFilter, RowSelection};
use parquet::arrow::push_decoder::{ParquetPushDecoder, ParquetPushDecoderBuilder};

use super::column_groups::ColumnGroups;
use super::columns::FileColumns;
use super::footer::{Footer, check_range, guarded};
use crate::object::file::SourceFile;
use crate::object::filter::{BlockFilter, ScanFilter};
use crate::object::step::ScanStep;
use crate::object::tail::Tail;

/// A file that was opened: its footer, and where its columns are.
#[derive(Debug)]
pub struct OpenFile {
    pub file: Arc<SourceFile>,
    pub footer: Arc<Footer>,
    pub columns: FileColumns,
    /// What is needed of the end of the file, which came with the footer.
    pub tail: Option<Tail>,
}

impl OpenFile {
    /// Bytes in memory of what a scan may read of a row group, about.
    pub fn memory_bytes(&self, wanted: &Wanted, group: usize) -> u64 {
        let mut all = wanted.filter.columns();
        all.extend(&wanted.output);
        memory_bytes(&self.footer, group, &self.columns.file_columns(&all))
    }

    /// Byte ranges of the columns that a scan may read of a row group.
    pub fn chunks(&self, wanted: &Wanted, group: usize) -> Vec<Range<u64>> {
        let mut all = wanted.filter.columns();
        all.extend(&wanted.output);
        chunk_ranges(&self.footer, group, &self.columns.file_columns(&all))
    }
}

/// What a scan wants of every file.
#[derive(Debug)]
pub struct Wanted {
    /// Columns to give, as indices in the layout.
    pub output: Vec<usize>,
    pub filter: ScanFilter,
    pub block_rows: usize,
    /// Where not all row groups are read.
    pub step: Option<Arc<ScanStep>>,
    pub experience: Experience,
}

/// What the units so far have shown about the filter.
#[derive(Debug, Default)]
pub struct Experience {
    rows_seen: AtomicU64,
    rows_passed: AtomicU64,
    units_filtered: AtomicU64,
    units_with_rows: AtomicU64,
    /// Bytes that may still be fetched along although nobody knows yet whether they are needed.
    along_bytes_left: AtomicU64,
}

impl Experience {
    /// `remote`: a round trip costs more than some megabytes.
    pub fn new(remote: bool) -> Self {
        Experience { along_bytes_left: AtomicU64::new(if remote { ALONG_BYTES } else { 0 }), ..Experience::default() }
    }

    /// Whether so many bytes may be fetched along on suspicion, which is then done.
    fn take_along(&self, bytes: u64) -> bool {
        let left = |left: u64| left.checked_sub(bytes);
        self.along_bytes_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left).is_ok()
    }

    fn most_rows_pass(&self) -> bool {
        let seen = self.rows_seen.load(Ordering::Relaxed);
        seen >= 100_000 && self.rows_passed.load(Ordering::Relaxed) * 10 >= seen * 8
    }

    fn most_units_need_the_rest(&self) -> bool {
        let units = self.units_filtered.load(Ordering::Relaxed);
        units >= 4 && self.units_with_rows.load(Ordering::Relaxed) * 2 >= units
    }
}

/// Columns beside the filter's that are fetched along without asking: a round trip costs more than these bytes.
const REST_WORTH_A_ROUND_TRIP_BYTES: u64 = 128 << 10;
/// And so many in all on suspicion: a query that pruning left with a few row groups is done a round trip earlier, and one that
/// reads thousands does not notice.
const ALONG_BYTES: u64 = 8 << 20;

/// Rows that are so wide may fill a page of any size.
const WIDE_ROW_BYTES: u64 = 256 << 10;

/// Rows of a row group that are planned and not begun.
#[derive(Debug)]
pub struct PlannedUnit {
    pub file: Arc<OpenFile>,
    pub group: usize,
    pub selection: Option<RowSelection>,
}

impl PlannedUnit {
    /// Rows that will be looked at.
    pub fn rows(&self) -> u64 {
        let all = self.file.footer.metadata().row_group(self.group).num_rows() as u64;
        self.selection.as_ref().map_or(all, |selection| selection.row_count() as u64)
    }
}

/// Compressed bytes of the columns that a scan may read of a row group.
pub fn group_bytes(footer: &Footer, columns: &FileColumns, wanted: &Wanted, group: usize) -> u64 {
    let mut all = wanted.filter.columns();
    all.extend(&wanted.output);
    let roots = columns.file_columns(&all);
    chunk_ranges(footer, group, &roots).iter().map(|range| range.end.saturating_sub(range.start)).sum()
}

/// Bytes of top-level columns of a row group as they lie in memory, about.
pub fn memory_bytes(footer: &Footer, group: usize, roots: &[usize]) -> u64 {
    let parquet = footer.reader.parquet_schema();
    let metadata = footer.metadata().row_group(group);
    let leaves = 0..metadata.num_columns().min(parquet.num_columns());
    let read = leaves.filter(|leaf| roots.binary_search(&parquet.get_column_root_idx(*leaf)).is_ok());
    read.map(|leaf| u64::try_from(metadata.column(leaf).uncompressed_size()).unwrap_or(0)).sum()
}

/// Bytes of so many decoded rows of a row group, about. Behind a dictionary values lie closer in the file than in memory.
pub(super) fn decoded_bytes(footer: &Footer, group: usize, roots: &[usize], rows: u64) -> u64 {
    const VALUE_BYTES: u64 = 8;
    const VIEW_BYTES: u64 = 16;
    let parquet = footer.reader.parquet_schema();
    let metadata = footer.metadata().row_group(group);
    let all = u64::try_from(metadata.num_rows()).unwrap_or(0).max(1);
    let leaves = 0..metadata.num_columns().min(parquet.num_columns());
    let bytes = leaves.filter(|leaf| roots.binary_search(&parquet.get_column_root_idx(*leaf)).is_ok()).map(|leaf| {
        let column = metadata.column(leaf);
        let stored = u128::try_from(column.uncompressed_size()).unwrap_or(0) * u128::from(rows) / u128::from(all);
        let is_text = column.column_type() == parquet::basic::Type::BYTE_ARRAY;
        (stored as u64).max(rows * if is_text { VIEW_BYTES } else { VALUE_BYTES })
    });
    bytes.sum()
}

/// Byte ranges of the column chunks of top-level columns.
pub fn chunk_ranges(footer: &Footer, group: usize, roots: &[usize]) -> Vec<Range<u64>> {
    let parquet = footer.reader.parquet_schema();
    let metadata = footer.metadata().row_group(group);
    (0..metadata.num_columns().min(parquet.num_columns()))
        .filter(|&leaf| roots.binary_search(&parquet.get_column_root_idx(leaf)).is_ok())
        .filter_map(|leaf| {
            let column = metadata.column(leaf);
            let start = column.dictionary_page_offset().unwrap_or(column.data_page_offset()).try_into().ok()?;
            let length: u64 = column.compressed_size().try_into().ok()?;
            Some(start..u64::checked_add(start, length)?)
        })
        .collect()
}

/// How far a unit is.
pub enum UnitStep {
    /// Bytes to fetch before it goes on.
    Needs(Vec<Range<u64>>),
    /// Blocks can be taken.
    Blocks,
    Done,
}

enum Decoder {
    /// One for all columns.
    Whole(Box<ParquetPushDecoder>),
    /// Of very many columns some at a time.
    Groups(ColumnGroups),
}

/// A unit at work.
pub struct Unit {
    pub file: Arc<OpenFile>,
    pub group: usize,
    wanted: Arc<Wanted>,
    context: Arc<QueryContext>,
    decoder: Decoder,
    blocks: Option<ParquetRecordBatchReader>,
    /// The file's columns that blocks have.
    present: Vec<usize>,
    /// The filter, where it is computed on blocks rather than while reading, and the columns it needs.
    afterwards: Option<(BlockFilter, Vec<usize>)>,
    late: bool,
    asked: u32,
    /// Ranges fetched with the first ones although not asked for.
    along: Vec<Range<u64>>,
    /// Of the decoded rows, about; 0 unless they wait for one another (`Decoder::Groups`) or are very wide, and memory is
    /// limited.
    waiting_bytes: u64,
}

impl Unit {
    pub fn start(planned: PlannedUnit, wanted: &Arc<Wanted>, context: &Arc<QueryContext>) -> Result<Unit> {
        let rows = planned.rows();
        let PlannedUnit { file, group, selection } = planned;
        let footer = file.footer.clone();
        let filter_columns = wanted.filter.columns();
        let filter_roots = file.columns.file_columns(&filter_columns);
        let output_roots = file.columns.file_columns(&wanted.output);
        let rest: Vec<usize> =
            output_roots.iter().copied().filter(|root| filter_roots.binary_search(root).is_err()).collect();
        let late = !wanted.filter.is_empty()
            && !rest.is_empty()
            && !filter_roots.is_empty()
            && context.settings.optimize_move_to_prewhere
            && !wanted.experience.most_rows_pass();

        let parquet = footer.reader.parquet_schema();
        let mut read = file.columns.file_columns(&wanted.output);
        read.extend(&filter_roots);
        read.sort_unstable();
        read.dedup();
        let row_bytes = decoded_bytes(&footer, group, &read, rows) / rows.max(1);
        let by_bytes = match context.settings.input_format_parquet_prefer_block_bytes {
            0 => usize::MAX,
            bytes => (bytes / row_bytes.max(1)).max(1) as usize,
        };
        let block_rows = wanted.block_rows.min(by_bytes);
        let mut builder = ParquetPushDecoderBuilder::new_with_metadata(footer.reader.clone())
            .with_row_groups(vec![group])
            .with_batch_size(block_rows);
        let (mut afterwards, mut along) = (None, Vec::new());
        let present = if late {
            let mask = ProjectionMask::roots(parquet, filter_roots.iter().copied());
            let block_filter = wanted.filter.over(file.columns.layout(), &filter_columns)?;
            let (opened, shared, counted) = (file.clone(), wanted.clone(), context.clone());
            let predicate = ArrowPredicateFn::new(mask, move |block| {
                let rows = block.num_rows() as u64;
                let block = opened.columns.assemble(&filter_columns, &block, &filter_roots)?;
                let passing = block_filter.evaluate(&block)?;
                shared.experience.rows_seen.fetch_add(rows, Ordering::Relaxed);
                shared.experience.rows_passed.fetch_add(passing.true_count() as u64, Ordering::Relaxed);
                counted.read(rows, batch_bytes(&block));
                counted.check()?;
                Ok(passing)
            });
            builder = builder.with_row_filter(RowFilter::new(vec![Box::new(predicate)]));
            let rest_ranges = chunk_ranges(&footer, group, &rest);
            let rest_bytes: u64 = rest_ranges.iter().map(|range| range.end - range.start).sum();
            let cheap = rest_bytes <= REST_WORTH_A_ROUND_TRIP_BYTES;
            let needed = selection.is_none() && (cheap || wanted.experience.most_units_need_the_rest());
            if needed || wanted.experience.take_along(rest_bytes) {
                along = rest_ranges;
            }
            output_roots
        } else {
            let mut all = filter_columns.clone();
            all.extend(&wanted.output);
            if !wanted.filter.is_empty() {
                all.sort_unstable();
                all.dedup();
                afterwards = Some((wanted.filter.over(file.columns.layout(), &all)?, all.clone()));
            }
            file.columns.file_columns(&all)
        };
        let decoded = decoded_bytes(&footer, group, &present, rows);
        let by_groups = match late {
            true => None,
            false => {
                let columns = (&present[..], decoded);
                of_file(&file, ColumnGroups::new(&footer, group, columns, selection.as_ref(), block_rows))?
            }
        };
        // A page is decoded whole, and one of very wide rows may be the whole unit.
        let waits = (by_groups.is_some() || row_bytes >= WIDE_ROW_BYTES) && context.settings.max_memory_usage > 0;
        let waiting_bytes = if waits { decoded } else { 0 };
        let decoder = if let Some(groups) = by_groups {
            Decoder::Groups(groups)
        } else {
            builder = builder.with_projection(ProjectionMask::roots(parquet, present.iter().copied()));
            if let Some(selection) = selection {
                builder = builder.with_row_selection(selection);
            }
            Decoder::Whole(Box::new(of_file(&file, guarded(|| builder.build()))?))
        };
        Ok(Unit {
            file,
            group,
            wanted: wanted.clone(),
            context: context.clone(),
            decoder,
            blocks: None,
            present,
            afterwards,
            late,
            asked: 0,
            along,
            waiting_bytes,
        })
    }

    /// Goes on until bytes are missing or blocks can be taken.
    pub fn step(&mut self) -> Result<UnitStep> {
        let decoder = match &mut self.decoder {
            Decoder::Whole(decoder) => decoder,
            Decoder::Groups(_) => return self.step_of_groups(),
        };
        match of_file(&self.file, guarded(|| decoder.try_next_reader()))? {
            DecodeResult::NeedsData(mut ranges) => {
                if self.late && self.asked == 1 {
                    self.count_late(true);
                }
                self.asked += 1;
                ranges.append(&mut self.along);
                for range in &ranges {
                    check_range(range, self.file.footer.file_bytes)?;
                }
                Ok(UnitStep::Needs(ranges))
            }
            DecodeResult::Data(reader) => {
                if self.late && self.asked == 1 {
                    self.count_late(true);
                    self.asked += 1;
                }
                self.blocks = Some(reader);
                Ok(UnitStep::Blocks)
            }
            DecodeResult::Finished => {
                if self.late && self.asked == 1 {
                    self.count_late(false);
                }
                Ok(UnitStep::Done)
            }
        }
    }

    fn step_of_groups(&mut self) -> Result<UnitStep> {
        let Decoder::Groups(groups) = &mut self.decoder else { return Ok(UnitStep::Done) };
        if self.asked > 0 && groups.is_decoded() {
            return Ok(UnitStep::Done);
        }
        self.asked += 1;
        match of_file(&self.file, groups.step())? {
            Some(ranges) => {
                for range in &ranges {
                    check_range(range, self.file.footer.file_bytes)?;
                }
                Ok(UnitStep::Needs(ranges))
            }
            None => Ok(UnitStep::Blocks),
        }
    }

    /// Bytes that the unit holds between two fetches, where these are not those that it was given.
    pub fn holds_instead(&self) -> Option<u64> {
        match &self.decoder {
            Decoder::Whole(_) => None,
            Decoder::Groups(groups) => Some(groups.decoded_bytes().max(self.waiting_bytes)),
        }
    }

    /// Bytes that it takes beside those that it asks for first.
    pub fn waiting_bytes(&self) -> u64 {
        self.waiting_bytes
    }

    /// The next block as it lies in the file.
    fn next_of_file(&mut self) -> Result<Option<RecordBatch>> {
        let block = match (&mut self.decoder, &mut self.blocks) {
            (Decoder::Groups(groups), _) => Ok(groups.next()),
            (Decoder::Whole(_), Some(reader)) => guarded(|| reader.next().transpose()),
            (Decoder::Whole(_), None) => Ok(None),
        };
        of_file(&self.file, block)
    }

    fn count_late(&self, needed_the_rest: bool) {
        let experience = &self.wanted.experience;
        experience.units_filtered.fetch_add(1, Ordering::Relaxed);
        experience.units_with_rows.fetch_add(u64::from(needed_the_rest), Ordering::Relaxed);
    }

    pub fn push(&mut self, ranges: Vec<Range<u64>>, pieces: Vec<Bytes>) -> Result<()> {
        let pushed = match &mut self.decoder {
            Decoder::Whole(decoder) => guarded(|| decoder.push_ranges(ranges, pieces)),
            Decoder::Groups(groups) => groups.push(ranges, pieces),
        };
        of_file(&self.file, pushed)
    }

    /// The next block of the output, filtered; `None` when the unit has to `step` again.
    pub fn next_block(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            let Some(block) = self.next_of_file()? else {
                self.blocks = None;
                return Ok(None);
            };
            let Some((filter, columns)) = &self.afterwards else {
                let block = self.file.columns.assemble(&self.wanted.output, &block, &self.present)?;
                // Late: the rows were counted when the filter saw them.
                let rows = if self.late { 0 } else { block.num_rows() as u64 };
                self.context.read(rows, batch_bytes(&block));
                return Ok(Some(block));
            };
            let block = self.file.columns.assemble(columns, &block, &self.present)?;
            self.context.read(block.num_rows() as u64, batch_bytes(&block));
            let passing = filter.evaluate(&block)?;
            if !self.wanted.filter.is_empty() {
                self.wanted.experience.rows_seen.fetch_add(block.num_rows() as u64, Ordering::Relaxed);
                self.wanted.experience.rows_passed.fetch_add(passing.true_count() as u64, Ordering::Relaxed);
            }
            let passed = passing.true_count();
            if passed == 0 {
                if !self.context.may_read()? {
                    self.blocks = None;
                    return Ok(None);
                }
                continue;
            }
            let positions = self
                .wanted
                .output
                .iter()
                .map(|index| {
                    columns.binary_search(index).map_err(|_| gristmill_base::Error::logical("A column was not read"))
                })
                .collect::<Result<Vec<_>>>()?;
            let block = block.project(&positions)?;
            return Ok(Some(if passed == block.num_rows() { block } else { filter_record_batch(&block, &passing)? }));
        }
    }
}

/// Says which file an error is about.
fn of_file<T>(file: &OpenFile, result: Result<T>) -> Result<T> {
    result.context(|| format!("(in file/uri {}, format Parquet)", file.file.path))
}
