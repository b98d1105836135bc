//! Avro output: rows are gathered into a block until that has `output_format_avro_sync_interval` bytes.
//!
//! The marker that ends blocks is a hash of the schema: it has to be one of the file's own only where somebody looks for the
//! next block without having read the last one, and the same rows make the same file.

use arrow::array::RecordBatch;
use cityhash_rs::cityhash_102_128;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::Columns;
use gristmill_types::text::{Escaping, TextOptions};

use super::container::{Codec, MARKER_BYTES, write_header, write_long};
use super::encode::{Schemas, Values};
use crate::output::{OutputContext, OutputFormat, ResultSummary, text_options};

/// What blocks are at least and at most, by ClickHouse's library.
const BLOCK_BYTES: std::ops::RangeInclusive<u64> = 32..=1 << 30;

pub(crate) struct AvroOutput {
    columns: Columns,
    schema: String,
    codec: Codec,
    /// How keys of maps are written.
    keys: TextOptions,
    marker: [u8; MARKER_BYTES],
    block_bytes: usize,
    block: Vec<u8>,
    /// Rows of the block.
    rows: i64,
}

impl AvroOutput {
    pub fn new(columns: Columns, context: &OutputContext) -> Result<Self> {
        let settings = &context.settings;
        let mut schemas = Schemas::new(&settings.output_format_avro_string_column_pattern)?;
        let schema = schemas.row(columns.iter().map(|column| (&column.name[..], &column.kind)))?.to_string();
        let block_bytes = settings.output_format_avro_sync_interval;
        if !BLOCK_BYTES.contains(&block_bytes) {
            return Err(Error::new(
                ErrorCode::AVRO_EXCEPTION,
                format!(
                    "Setting output_format_avro_sync_interval is {block_bytes}: give a number from {} to {}",
                    BLOCK_BYTES.start(),
                    BLOCK_BYTES.end()
                ),
            ));
        }
        Ok(AvroOutput {
            marker: cityhash_102_128(schema.as_bytes()).to_le_bytes(),
            codec: codec(&settings.output_format_avro_codec)?,
            columns,
            schema,
            keys: text_options(context, Escaping::Plain),
            block_bytes: block_bytes as usize,
            block: Vec::new(),
            rows: 0,
        })
    }

    fn end_block(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        let packed = self.codec.pack(&self.block)?;
        write_long(self.rows, out);
        write_long(packed.len() as i64, out);
        out.extend_from_slice(&packed);
        out.extend_from_slice(&self.marker);
        self.rows = 0;
        self.block.clear();
        Ok(())
    }
}

/// By the name that the setting takes.
fn codec(name: &str) -> Result<Codec> {
    Ok(match name {
        "" | "snappy" => Codec::Snappy,
        "null" => Codec::Null,
        "deflate" => Codec::Deflate,
        "zstd" | "zstandard" => Codec::Zstandard,
        _ => {
            return Err(Error::new(
                ErrorCode::BAD_ARGUMENTS,
                format!("Avro codec {name} is not available: set output_format_avro_codec to null, deflate, snappy or zstd"),
            ));
        }
    })
}

impl OutputFormat for AvroOutput {
    fn start(&mut self, out: &mut Vec<u8>) -> Result<()> {
        write_header(&self.schema, self.codec, &self.marker, out);
        Ok(())
    }

    fn write(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        let columns = batch.columns().iter().zip(&self.columns);
        let columns =
            columns.map(|(array, column)| Values::of(array, &column.kind, &self.keys)).collect::<Result<Vec<_>>>()?;
        for row in 0..batch.num_rows() {
            for column in &columns {
                column.write(row, &mut self.block);
            }
            self.rows += 1;
            if self.block.len() >= self.block_bytes {
                self.end_block(out)?;
            }
        }
        Ok(())
    }

    fn finish(&mut self, _summary: &ResultSummary, out: &mut Vec<u8>) -> Result<()> {
        self.end_block(out)
    }
}
