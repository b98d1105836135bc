//! Encodes one column of one row group: memory arrays in, Parquet pages out, one page a granule.
//!
//! The encoder cuts a page when it holds `granule_rows` rows and looks only after each write; so it is fed in slices
//! that never cross a granule's border, and every column's pages end exactly there, whatever the sizes of the blocks
//! that come in. The byte limit of pages is out of reach on purpose: it would cut elsewhere.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, UInt32Array};
use arrow::datatypes::FieldRef;
use gristmill_base::{Error, Result};
use gristmill_types::measure::value_bytes;
use gristmill_types::{Column, Columns, SqlType, codec};
use parquet::arrow::arrow_writer::{ArrowColumnChunk, ArrowColumnWriter, compute_leaves};
use parquet::basic::{Compression, Encoding, Type as PhysicalType, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedRowGroupWriter;
use parquet::schema::types::{ColumnDescPtr, SchemaDescriptor};

use super::chunk::{EncodedChunk, ZSTD_LEVEL};
use super::crate_writers::CrateWriters;
use super::dictionary;
use super::numbers::{NumbersEncoder, Width};
use super::outlet::Outlet;
use super::page_sums::pages_of_chunk;
use super::storage_type::{storage_field, to_storage};
use super::strings::StringsEncoder;
use crate::parallel;

/// Bytes of a minimum or maximum that statistics keep of a string. (Whole URLs made a third of a footer.)
pub const STATISTICS_BYTES_MAX: usize = 32;

/// Neighbouring rows that tell how a column's values follow each other.
const RUN_ROWS: usize = 8192;

/// LZ4 where a part is short-lived, ZSTD where it stays (level 3 for strings, else 1): a sixth of the write rate for a third of
/// the size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codec {
    Lz4,
    Zstd,
    /// What RECOMPRESS names besides: ZSTD of a level, or nothing.
    ZstdAt(i32),
    Uncompressed,
}

impl Codec {
    pub fn compression(self) -> Result<Compression> {
        Ok(match self {
            Codec::Lz4 => Compression::LZ4_RAW,
            Codec::Zstd => Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL)?),
            Codec::ZstdAt(level) => Compression::ZSTD(ZstdLevel::try_new(level)?),
            Codec::Uncompressed => Compression::UNCOMPRESSED,
        })
    }
}

/// Parquet's options for a part.
pub fn properties(
    columns: &Columns,
    schema: &SchemaDescriptor,
    dictionaries: &[bool],
    codec: Codec,
    granule_rows: usize,
) -> Result<Arc<WriterProperties>> {
    let compression = codec.compression()?;
    let mut builder = WriterProperties::builder()
        .set_created_by(concat!("gristmill version ", env!("CARGO_PKG_VERSION")).to_string())
        .set_compression(compression)
        .set_data_page_row_count_limit(granule_rows)
        .set_write_batch_size(usize::MAX / 4)
        .set_data_page_size_limit(usize::MAX / 4)
        .set_max_row_group_row_count(None)
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::Page)
        .set_statistics_truncate_length(Some(STATISTICS_BYTES_MAX))
        .set_column_index_truncate_length(Some(STATISTICS_BYTES_MAX));
    for leaf in schema.columns().iter() {
        let at = columns.index_of(&leaf.path().parts()[0]).unwrap_or_default();
        let (compression, encoding) = written_as(&columns.0[at], leaf.physical_type())?;
        if let Some(compression) = compression {
            builder = builder.set_column_compression(leaf.path().clone(), compression);
        }
        if let Some(encoding) = encoding {
            builder = builder.set_column_encoding(leaf.path().clone(), encoding);
        } else if dictionaries.get(at).copied().unwrap_or(false) {
            builder = builder
                .set_column_dictionary_enabled(leaf.path().clone(), true)
                .set_column_dictionary_page_size_limit(leaf.path().clone(), dictionary::bytes_max(&columns.0[at].kind));
        }
    }
    Ok(Arc::new(builder.build()))
}

/// What Parquet has for the column's codec; `None`: as other columns. DoubleDelta, T64 and GCD are binary packed deltas
/// here, Gorilla and FPC byte streams split; LZ4HC is LZ4, whose reader is the same.
fn written_as(column: &Column, physical: PhysicalType) -> Result<(Option<Compression>, Option<Encoding>)> {
    if column.codec.is_empty() {
        return Ok((None, None));
    }
    let (steps, _) = codec::parse(&column.codec, &column.kind, true)?;
    let (mut compression, mut encoding) = (Some(Compression::UNCOMPRESSED), None);
    for step in steps {
        match step {
            codec::Codec::Default => compression = None,
            codec::Codec::None => compression = Some(Compression::UNCOMPRESSED),
            codec::Codec::Lz4 | codec::Codec::Lz4Hc(_) => compression = Some(Compression::LZ4_RAW),
            codec::Codec::Zstd(level) => compression = Some(Compression::ZSTD(ZstdLevel::try_new(level.max(1) as i32)?)),
            _ => {
                encoding = match physical {
                    PhysicalType::INT32 | PhysicalType::INT64 => Some(Encoding::DELTA_BINARY_PACKED),
                    PhysicalType::FLOAT | PhysicalType::DOUBLE => Some(Encoding::BYTE_STREAM_SPLIT),
                    _ => encoding,
                }
            }
        }
    }
    Ok((compression, encoding))
}

/// One column of the row group under way.
pub struct ColumnEncoder {
    kind: SqlType,
    field: FieldRef,
    way: Way,
    /// Numbers of which few come often: the first rows will say whether packing them beats their dictionary.
    is_undecided: bool,
    granule_rows: usize,
    rows: usize,
    pub value_bytes: u64,
}

/// How the column becomes pages.
enum Way {
    /// The Parquet crate's, a writer for each leaf.
    Any(Vec<ArrowColumnWriter>),
    Strings(Box<StringsEncoder>),
    Narrow(Box<NumbersEncoder<i32>>),
    Wide(Box<NumbersEncoder<i64>>),
}

/// Which encoder of ours a column has.
#[derive(Clone, Copy)]
enum Own {
    Strings,
    Narrow,
    Wide,
}

impl Own {
    /// By the column's type; `None`: none. A codec of the column's own is the Parquet crate's to apply.
    fn of(column: &Column, field: &FieldRef, leaf: &ColumnDescPtr) -> Option<Own> {
        if !column.codec.is_empty() {
            return None;
        }
        let is_string = match &column.kind {
            SqlType::LowCardinality(inner) => **inner == SqlType::String,
            kind => *kind == SqlType::String,
        };
        if is_string {
            return Some(Own::Strings);
        }
        match (Width::of(field.data_type())?, leaf.physical_type()) {
            _ if field.is_nullable() => None,
            (Width::Narrow, PhysicalType::INT32) => Some(Own::Narrow),
            (Width::Wide, PhysicalType::INT64) => Some(Own::Wide),
            _ => None,
        }
    }

    /// `dictionary`: of so many bytes at most.
    fn begin(
        self,
        field: &FieldRef,
        leaf: &ColumnDescPtr,
        text: bool,
        dictionary: Option<usize>,
        written: Written<'_>,
    ) -> Way {
        let (leaf, stored, Written { codec, granule_rows, .. }) = (leaf.clone(), field.data_type(), written);
        match self {
            Own::Strings => Way::Strings(Box::new(StringsEncoder::new(leaf, codec, text, granule_rows, dictionary))),
            Own::Narrow => Way::Narrow(Box::new(NumbersEncoder::new(leaf, codec, stored, granule_rows, dictionary))),
            Own::Wide => Way::Wide(Box::new(NumbersEncoder::new(leaf, codec, stored, granule_rows, dictionary))),
        }
    }
}

/// By column, whether the Parquet crate writes it, because no encoder of ours does. `leaves`: of each column.
pub fn by_crate(columns: &Columns, schema: &SchemaDescriptor, leaves: &[usize]) -> Vec<bool> {
    let mut first_leaf = 0;
    let of_column = |(column, leaves): (&Column, &usize)| {
        let leaf = schema.column(first_leaf);
        first_leaf += leaves;
        Own::of(column, &storage_field(&column.kind, &column.name), &leaf).is_none()
    };
    columns.iter().zip(leaves).map(of_column).collect()
}

/// Which rows of a column are written, in this order.
#[derive(Clone, Debug)]
pub enum RowsTaken {
    Run(Range<usize>),
    At(UInt32Array),
}

/// A column of a row group that is encoded.
pub enum EncodedColumn {
    Any(Vec<ArrowColumnChunk>),
    Own(Box<EncodedChunk>),
}

/// How the columns of a part are written.
#[derive(Clone, Copy)]
pub struct Written<'a> {
    pub columns: &'a Columns,
    /// Leaves of each column.
    pub leaves: &'a [usize],
    pub schema: &'a SchemaDescriptor,
    /// Of each column: whether it has a dictionary, and whether all its strings are text.
    pub dictionaries: &'a [bool],
    pub text: &'a [bool],
    pub codec: Codec,
    pub granule_rows: usize,
    /// By column; see [`by_crate`].
    pub by_crate: &'a [bool],
}

/// Encoders for the next row group, a column each.
pub fn encoders(writers: &CrateWriters, row_group: usize, written: Written<'_>) -> Result<Vec<ColumnEncoder>> {
    let mut writers = writers.row_group(row_group)?.into_iter();
    let mut first_leaf = 0;
    let encoder = |(place, (column, leaves)): (usize, (&Column, &usize))| {
        let field = storage_field(&column.kind, &column.name);
        let leaf = written.schema.column(first_leaf);
        first_leaf += leaves;
        let (text, dictionary) = (written.text[place], written.dictionaries[place]);
        let own = Own::of(column, &field, &leaf).filter(|_| !written.by_crate[place]);
        let way = match own {
            Some(own) => own.begin(&field, &leaf, text, dictionary.then(|| dictionary::bytes_max(&column.kind)), written),
            None => Way::Any(writers.by_ref().take(*leaves).collect()),
        };
        let is_undecided = dictionary && matches!(way, Way::Narrow(_) | Way::Wide(_));
        let (kind, granule_rows) = (column.kind.clone(), written.granule_rows);
        ColumnEncoder { kind, field, way, is_undecided, granule_rows, rows: 0, value_bytes: 0 }
    };
    Ok(written.columns.iter().zip(written.leaves).enumerate().map(encoder).collect())
}

impl ColumnEncoder {
    /// Takes the next rows from where they lie in memory.
    pub fn write(&mut self, column: &ArrayRef, rows: &RowsTaken) -> Result<()> {
        if let Way::Strings(strings) = &mut self.way {
            let array = column.as_binary_view();
            let (rows, bytes) = match rows {
                RowsTaken::Run(run) => (run.len(), strings.write(array, run.clone())?),
                RowsTaken::At(positions) => {
                    let places = positions.values().iter().map(|&row| row as usize);
                    (positions.len(), strings.write(array, places)?)
                }
            };
            self.rows += rows;
            self.value_bytes += bytes;
            return Ok(());
        }
        let taken = match rows {
            RowsTaken::Run(run) => column.slice(run.start, run.len()),
            RowsTaken::At(positions) => arrow::compute::take(column, positions, None)?,
        };
        self.value_bytes += value_bytes(&taken);
        let stored = to_storage(&self.kind, &taken)?;
        if self.is_undecided && !stored.is_empty() {
            self.is_undecided = false;
            if !dictionary::beats_packing(&stored.slice(0, stored.len().min(RUN_ROWS)))? {
                match &mut self.way {
                    Way::Narrow(numbers) => numbers.without_dictionary(),
                    Way::Wide(numbers) => numbers.without_dictionary(),
                    _ => {}
                }
            }
        }
        match &mut self.way {
            Way::Narrow(numbers) => numbers.write(&stored)?,
            Way::Wide(numbers) => numbers.write(&stored)?,
            _ => return self.write_leaves(&stored),
        }
        self.rows += stored.len();
        Ok(())
    }

    /// The Parquet crate's way.
    fn write_leaves(&mut self, stored: &ArrayRef) -> Result<()> {
        let mut at = 0;
        while at < stored.len() {
            let room = self.granule_rows - self.rows % self.granule_rows;
            let length = room.min(stored.len() - at);
            let leaves = compute_leaves(&self.field, &stored.slice(at, length))?;
            if let Way::Any(writers) = &mut self.way {
                for (writer, leaf) in writers.iter_mut().zip(&leaves) {
                    writer.write(leaf)?;
                }
            }
            at += length;
            self.rows += length;
        }
        Ok(())
    }

    /// Rows taken so far.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Bytes held: pages that are done and values under way.
    pub fn memory_bytes(&self) -> u64 {
        match &self.way {
            Way::Any(leaves) => leaves.iter().map(|leaf| leaf.memory_size() as u64).sum(),
            Way::Strings(strings) => strings.memory_bytes(),
            Way::Narrow(numbers) => numbers.memory_bytes(),
            Way::Wide(numbers) => numbers.memory_bytes(),
        }
    }

    pub fn finish(self) -> Result<EncodedColumn> {
        Ok(match self.way {
            Way::Any(leaves) => EncodedColumn::Any(leaves.into_iter().map(|leaf| Ok(leaf.close()?)).collect::<Result<_>>()?),
            Way::Strings(strings) => EncodedColumn::Own(Box::new(strings.finish()?)),
            Way::Narrow(numbers) => EncodedColumn::Own(Box::new(numbers.finish()?)),
            Way::Wide(numbers) => EncodedColumn::Own(Box::new(numbers.finish()?)),
        })
    }
}

impl EncodedColumn {
    /// Bytes that it will take in the file.
    pub fn bytes(&self) -> u64 {
        match self {
            EncodedColumn::Any(leaves) => leaves.iter().map(|leaf| leaf.close().bytes_written).sum(),
            EncodedColumn::Own(chunk) => chunk.bytes(),
        }
    }

    /// The pages of the column where it begins at `at` in the file.
    pub fn pages(&self, mut at: u64) -> Vec<Range<u64>> {
        match self {
            EncodedColumn::Any(leaves) => {
                let pages = leaves.iter().flat_map(|leaf| {
                    let begin = at;
                    at += leaf.close().bytes_written;
                    pages_of_chunk(leaf.close(), begin)
                });
                pages.collect()
            }
            EncodedColumn::Own(chunk) => chunk.pages(at),
        }
    }

    /// `at`: where the column begins in the file, then where it ends.
    pub fn append_to(self, group: &mut SerializedRowGroupWriter<'_, Outlet>, outlet: &Outlet, at: &mut u64) -> Result<()> {
        let begin = *at;
        *at += self.bytes();
        match self {
            EncodedColumn::Any(leaves) => leaves.into_iter().try_for_each(|leaf| Ok(leaf.append_to_row_group(group)?)),
            EncodedColumn::Own(chunk) => chunk.append_to(group, outlet, begin),
        }
    }
}

/// Encodes rows of columns, given by their places.
pub async fn encode(
    encoders: &mut [Option<ColumnEncoder>],
    columns: Vec<(usize, ArrayRef)>,
    taken: &RowsTaken,
    lanes: usize,
) -> Result<()> {
    let rows = match taken {
        RowsTaken::Run(run) => run.len(),
        RowsTaken::At(positions) => positions.len(),
    };
    // Below this a task costs more than it saves.
    let lanes = if rows * columns.len() < 1 << 16 { 1 } else { lanes };
    let mut jobs = Vec::with_capacity(columns.len());
    for (place, column) in columns {
        let encoder = encoders.get_mut(place).and_then(Option::take);
        let mut encoder = encoder.ok_or_else(|| Error::logical(format!("Column {place} is written twice")))?;
        let taken = taken.clone();
        jobs.push(move || {
            encoder.write(&column, &taken)?;
            Ok((place, encoder))
        });
    }
    for (place, encoder) in parallel::run(jobs, lanes).await? {
        encoders[place] = Some(encoder);
    }
    Ok(())
}

/// Ends a column of a row group. `bytes`: of the column so far, as values and as they are stored.
pub fn close(encoder: ColumnEncoder, bytes: &mut (u64, u64)) -> Result<EncodedColumn> {
    bytes.0 += encoder.value_bytes;
    let finished = encoder.finish()?;
    bytes.1 += finished.bytes();
    Ok(finished)
}
