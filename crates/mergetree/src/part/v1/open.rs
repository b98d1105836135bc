//! Opens a part: one read of its tail gives header, sparse index, page indexes and footer. All of it is kept in memory
//! by the table's cache; column data is read from the object each time.

use std::ops::Range;
use std::sync::{Arc, Weak};

use arrow::datatypes::SchemaRef;
use bytes::Bytes;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::SkipIndexDefinition;
use gristmill_types::{Column, Columns};
use parking_lot::Mutex;
use parquet::DecodeResult;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData, ParquetMetaDataOptions, ParquetMetaDataPushDecoder};

use super::deleted_rows::DeletedRows;
use super::header::{PartHeader, SkipChunk, SkipIndexHeader};
use super::page_sums::PageSums;
use super::schema::{reading_schema, storage_schema};
use crate::index::skip::SkipIndex;
use crate::index::sparse::SparseIndex;
use crate::layout::Layout;
use crate::read::evolve::FoundColumns;

#[derive(Debug)]
pub struct OpenPart {
    pub key: String,
    pub header: PartHeader,
    /// The part's own columns, as the table had them when it was written.
    pub columns: Columns,
    pub index: SparseIndex,
    pub metadata: ArrowReaderMetadata,
    /// What the columns are read as; see `storage_type`.
    pub storage: SchemaRef,
    /// Of its pages; none where the part is older than they are.
    pub sums: PageSums,
    /// Rows that are no longer rows of the table.
    pub deleted: Option<DeletedRows>,
    /// Bytes that it takes in memory, about.
    pub memory_bytes: u64,
    /// Where the columns of a layout are in the part: of the layout asked for last.
    found: Mutex<Option<(Weak<Layout>, Arc<FoundColumns>)>>,
}

/// Of the part's description of a column in memory, about.
const COLUMN_BYTES: u64 = 200;
/// Of that of a chunk of a skip index.
const CHUNK_BYTES: u64 = 24;

impl OpenPart {
    /// `tail`: the object's bytes from the embedded block on. Errors: CORRUPTED_DATA, naming the object;
    /// MEMORY_LIMIT_EXCEEDED.
    pub fn parse(key: &str, object_bytes: u64, tail: Bytes, layout: &Layout) -> Result<OpenPart> {
        Self::parse_tail(key, object_bytes, tail, layout).map_err(|error| match error.code() {
            ErrorCode::MEMORY_LIMIT_EXCEEDED => error.with_context(format!("opening part {key}")),
            _ => Error::new(ErrorCode::CORRUPTED_DATA, error.message()).with_context(format!("part {key}")),
        })
    }

    fn parse_tail(key: &str, object_bytes: u64, tail: Bytes, layout: &Layout) -> Result<OpenPart> {
        let (header, index, behind) = PartHeader::decode(&tail)?;
        let columns = part_columns(&header)?;
        let granules = header.granules();
        let index = SparseIndex::decode(&index, granules, layout)?;
        let storage = storage_schema(&columns);
        let schema = Arc::new(reading_schema(&storage)?);
        let options = ParquetMetaDataOptions::new().with_schema(schema);
        let mut decoder = ParquetMetaDataPushDecoder::try_new(object_bytes)?
            .with_page_index_policy(PageIndexPolicy::Required)
            .with_metadata_options(Some(Arc::new(options)));
        let tail_offset = object_bytes - tail.len() as u64;
        decoder.push_range(tail_offset..object_bytes, tail.clone())?;
        let metadata = match decoder.try_decode()? {
            DecodeResult::Data(metadata) => metadata,
            _ => return Err(Error::new(ErrorCode::CORRUPTED_DATA, "its footer is cut off")),
        };
        let sums = PageSums::decode(&behind, &metadata)?;
        check_rows(&metadata, &header)?;
        check_skip_indexes(&header, tail_offset)?;
        let reader_options = ArrowReaderOptions::new().with_schema(storage.clone());
        let metadata = ArrowReaderMetadata::try_new(Arc::new(metadata), reader_options)?;
        let memory_bytes = (metadata.metadata().memory_size() + index.bytes) as u64 + sums.memory_bytes();
        let chunks: usize = header.skip_indexes.iter().map(|index| index.chunks.len()).sum();
        let memory_bytes = memory_bytes + columns.len() as u64 * COLUMN_BYTES + chunks as u64 * CHUNK_BYTES;
        Ok(OpenPart {
            key: key.to_string(),
            header,
            columns,
            index,
            metadata,
            storage,
            sums,
            deleted: None,
            memory_bytes,
            found: Mutex::default(),
        })
    }

    /// Without these rows. Errors: CORRUPTED_DATA where it has no such rows.
    pub fn without(self, key: &str, data: &[u8]) -> Result<OpenPart> {
        let deleted = DeletedRows::decode(key, data, self.header.rows)?;
        Ok(OpenPart { memory_bytes: self.memory_bytes + deleted.memory_bytes(), deleted: Some(deleted), ..self })
    }

    pub fn granules(&self) -> usize {
        self.index.granules
    }

    /// Where the table's columns are in the part.
    pub fn find_columns(&self, layout: &Arc<Layout>) -> Arc<FoundColumns> {
        let mut found = self.found.lock();
        if let Some((known, columns)) = found.as_ref()
            && std::ptr::eq(known.as_ptr(), Arc::as_ptr(layout))
        {
            return columns.clone();
        }
        let columns = Arc::new(FoundColumns::new(&self.header, &self.columns, layout));
        *found = Some((Arc::downgrade(layout), columns.clone()));
        columns
    }

    /// Where the data of an index lies; `None`: the part has none.
    pub fn skip_index(&self, index: &SkipIndex) -> Option<&SkipIndexHeader> {
        let (SkipIndexDefinition { key, kind, .. }, granularity) = (&index.definition, index.unit_granules());
        self.header
            .skip_indexes
            .iter()
            .find(|known| known.key == *key && known.kind == *kind && known.granularity == granularity)
    }

    pub fn granules_in_row_group(&self) -> usize {
        (self.header.row_group_rows / self.header.granule_rows.max(1)).max(1) as usize
    }

    /// Rows of a run of granules, deleted ones left out.
    pub fn rows_of(&self, granules: Range<usize>) -> u64 {
        let rows = self.stored_rows_of(granules);
        let deleted = self.deleted.as_ref().map_or(0, |deleted| deleted.count(rows.clone()));
        rows.end - rows.start - deleted
    }

    /// The granule in which a row lies.
    pub fn granule_of(&self, row: u64) -> usize {
        (row / self.header.granule_rows.max(1)) as usize
    }

    /// Numbers of the rows that lie in a run of granules.
    pub fn stored_rows_of(&self, granules: Range<usize>) -> Range<u64> {
        let row = |granule: usize| (granule as u64 * self.header.granule_rows).min(self.header.rows);
        row(granules.start)..row(granules.end)
    }
}

fn part_columns(header: &PartHeader) -> Result<Columns> {
    let columns = header.columns.iter().map(|column| Ok(Column::new(&column.name, column.kind.parse()?)));
    Ok(Columns::new(columns.collect::<Result<_>>()?))
}

/// Every granule has its unit, and every chunk its place among the rows.
fn check_skip_indexes(header: &PartHeader, tail_offset: u64) -> Result<()> {
    for index in &header.skip_indexes {
        let units: u64 = index.chunks.iter().map(|chunk| chunk.units).sum();
        let lies_before_tail =
            |chunk: &SkipChunk| chunk.offset.checked_add(chunk.length).is_some_and(|end| end <= tail_offset);
        if index.granularity == 0
            || units != (header.granules() as u64).div_ceil(index.granularity)
            || !index.chunks.iter().all(lies_before_tail)
        {
            let text = format!("its header describes a skip index that cannot be: {} {}", index.kind, index.expression);
            return Err(Error::new(ErrorCode::CORRUPTED_DATA, text));
        }
    }
    Ok(())
}

fn check_rows(metadata: &ParquetMetaData, header: &PartHeader) -> Result<()> {
    let rows = metadata.file_metadata().num_rows();
    if rows != header.rows as i64 || header.granule_rows == 0 || !header.row_group_rows.is_multiple_of(header.granule_rows) {
        return Err(Error::new(
            ErrorCode::CORRUPTED_DATA,
            format!("its footer tells of {rows} rows, its header of {}", header.rows),
        ));
    }
    Ok(())
}
