//! The sparse primary index of a part: the primary key at the first row of each granule, and at the last row. With it a
//! range of keys is found by comparing a few thousand values instead of millions.
//!
//! Encoded as one Arrow IPC stream of one batch (a column a key expression, granules + 1 rows), compressed with zstd.

use std::io::Cursor;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch, UInt32Array};
use arrow::compute::concat;
use arrow::datatypes::{Field, Schema};
use arrow::ipc::reader::StreamReader;
use arrow::ipc::writer::{IpcWriteOptions, StreamWriter};
use arrow::row::Rows;
use gristmill_base::allocations::{ASKED_FOR_BYTES, check_room};
use gristmill_base::{Error, ErrorCode, Result};

use crate::index::order::KeyOrder;
use crate::layout::Layout;

/// Collects key values while a part is written.
#[derive(Debug, Default)]
pub struct SparseIndexBuilder {
    /// For each key column the values of granule starts, block by block.
    starts: Vec<Vec<ArrayRef>>,
    last: Vec<ArrayRef>,
    granules: usize,
}

impl SparseIndexBuilder {
    /// Takes from key columns of the next rows: the values where granules start, and that of the last row.
    pub fn push(&mut self, keys: &[ArrayRef], starts: &UInt32Array, last: usize) -> Result<()> {
        self.starts.resize_with(keys.len(), Vec::new);
        for (column, key) in self.starts.iter_mut().zip(keys) {
            column.push(compact(&arrow::compute::take(key, starts, None)?)?);
        }
        self.granules += starts.len();
        self.last = keys.iter().map(|key| compact(&key.slice(last, 1))).collect::<Result<_>>()?;
        Ok(())
    }

    /// The index in bytes; empty where there is no primary key.
    pub fn encode(self, names: &[String]) -> Result<Vec<u8>> {
        if names.is_empty() || self.granules == 0 {
            return Ok(Vec::new());
        }
        let columns = self
            .starts
            .iter()
            .zip(&self.last)
            .map(|(starts, last)| {
                let pieces: Vec<_> = starts.iter().chain([last]).map(|piece| piece.as_ref()).collect();
                Ok(concat(&pieces)?)
            })
            .collect::<Result<Vec<_>>>()?;
        let fields: Vec<Field> =
            names.iter().zip(&columns).map(|(name, column)| Field::new(name, column.data_type().clone(), true)).collect();
        let schema = Arc::new(Schema::new(fields));
        let batch = RecordBatch::try_new(schema.clone(), columns)?;
        // The IPC bodies stay plain and the whole is compressed once: many small buffers compress badly one by one.
        let mut writer = StreamWriter::try_new_with_options(Vec::new(), &schema, IpcWriteOptions::default())?;
        writer.write(&batch)?;
        Ok(zstd::bulk::compress(&writer.into_inner()?, 3)?)
    }
}

/// What was compressed. Keys of megabytes may compress to little: room is asked for before they are there as bytes, as
/// values and as what is compared.
fn plain_of(data: &[u8]) -> Result<Vec<u8>> {
    let Ok(Some(bytes)) = zstd::zstd_safe::get_frame_content_size(data) else {
        return Ok(zstd::stream::decode_all(data)?);
    };
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    if bytes >= ASKED_FOR_BYTES {
        check_room(bytes.saturating_mul(3))?;
    }
    let mut plain = Vec::new();
    let too_much = |_| Error::new(ErrorCode::CORRUPTED_DATA, format!("The part's primary index would be {bytes} bytes"));
    plain.try_reserve_exact(bytes).map_err(too_much)?;
    zstd::bulk::Decompressor::new()?.decompress_to_buffer(data, &mut plain)?;
    Ok(plain)
}

/// A copy that holds no more than its values (a view of one row may keep a block alive).
pub fn compact(array: &ArrayRef) -> Result<ArrayRef> {
    if let Some(view) = array.as_binary_view_opt() {
        return Ok(Arc::new(view.gc()));
    }
    Ok(concat(&[array.as_ref(), &array.slice(0, 0)])?)
}

/// The index of one part in memory.
#[derive(Debug)]
pub struct SparseIndex {
    /// Key values: granules + 1 rows, the last being the part's last row. No columns where there is no primary key.
    pub keys: Vec<ArrayRef>,
    /// Each key column alone, normalised (ascending, whatever the key's direction).
    pub columns: Vec<Rows>,
    /// Whether the column's values fall from granule to granule.
    pub descending: Vec<bool>,
    pub granules: usize,
    pub bytes: usize,
}

impl SparseIndex {
    pub fn decode(data: &[u8], granules: usize, layout: &Layout) -> Result<SparseIndex> {
        let corrupt =
            |what: String| Error::new(ErrorCode::CORRUPTED_DATA, format!("The part's primary index is damaged: {what}"));
        if layout.primary_key_length == 0 || data.is_empty() {
            return Ok(SparseIndex { keys: Vec::new(), columns: Vec::new(), descending: Vec::new(), granules, bytes: 0 });
        }
        let plain = plain_of(data)?;
        let mut reader = StreamReader::try_new(Cursor::new(&plain), None)?;
        let batch = reader.next().transpose()?.ok_or_else(|| corrupt("it is empty".to_string()))?;
        if batch.num_rows() != granules + 1 || batch.num_columns() != layout.primary_key_length {
            return Err(corrupt(format!(
                "{} rows of {} columns, expected {} rows of {}",
                batch.num_rows(),
                batch.num_columns(),
                granules + 1,
                layout.primary_key_length
            )));
        }
        let mut columns = Vec::with_capacity(batch.num_columns());
        for (key, column) in layout.primary().iter().zip(batch.columns()) {
            if *column.data_type() != key.kind.arrow() {
                return Err(corrupt(format!("key {} is {}, expected {}", key.text, column.data_type(), key.kind.arrow())));
            }
            columns.extend(KeyOrder::new(&[&key.kind])?.rows(std::slice::from_ref(column))?);
        }
        let bytes = plain.len() + columns.iter().map(Rows::size).sum::<usize>();
        let descending = layout.primary().iter().map(|key| key.descending).collect();
        Ok(SparseIndex { keys: batch.columns().to_vec(), columns, descending, granules, bytes })
    }
}
