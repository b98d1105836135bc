//! Parquet output: row groups are encoded column by column as batches come and handed on as each is full, so memory holds
//! one row group in its encoded form. Every file has statistics and a page index; types are `file_types`.
//!
//! No Arrow schema is embedded: readers see Parquet's own types, which every one of them knows.

use arrow::array::RecordBatch;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::Settings;
use gristmill_types::Columns;
use gristmill_types::measure::value_bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{BrotliLevel, Compression, GzipLevel, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties};

use super::file_types::{FileOptions, FileTypes};
use super::uuids::parquet_schema;
use crate::output::{OutputFormat, ResultSummary};

pub struct ParquetOutput {
    types: FileTypes,
    /// `None` after the end.
    writer: Option<ArrowWriter<Vec<u8>>>,
    row_group_bytes: usize,
    page_bytes: u64,
    rows: u64,
}

/// Rows after which the encoder looks whether a page is full.
const ENCODED_AT_ONCE: u64 = 1024;

/// How columns are written to Parquet under these settings.
pub fn file_options(settings: &Settings) -> FileOptions {
    FileOptions {
        string_as_string: settings.output_format_parquet_string_as_string,
        least_is_milliseconds: true,
        views: true,
    }
}

/// The codec by the name that the setting takes.
pub fn codec(name: &str) -> Result<Compression> {
    Ok(match name.to_ascii_lowercase().as_str() {
        "none" | "uncompressed" => Compression::UNCOMPRESSED,
        "snappy" => Compression::SNAPPY,
        "gzip" => Compression::GZIP(GzipLevel::default()),
        "brotli" => Compression::BROTLI(BrotliLevel::default()),
        "lz4" => Compression::LZ4_RAW,
        "zstd" => Compression::ZSTD(ZstdLevel::try_new(3)?),
        _ => {
            return Err(Error::new(
                ErrorCode::BAD_ARGUMENTS,
                format!(
                    "Setting output_format_parquet_compression_method is '{name}': give one of none, snappy, gzip, brotli, lz4, zstd"
                ),
            ));
        }
    })
}

/// Encoded bytes from which on a row group is written. They are held several times over on their way out: where memory is
/// limited, and nobody said how large row groups are to be, they are a small part of it.
fn row_group_bytes(settings: &Settings) -> usize {
    let wanted = settings.output_format_parquet_row_group_size_bytes.max(1);
    let is_set = settings.is_changed("output_format_parquet_row_group_size_bytes");
    let allowed = match settings.max_memory_usage {
        limit if limit > 0 && !is_set => (limit / 16).max(1 << 20),
        _ => u64::MAX,
    };
    wanted.min(allowed) as usize
}

impl ParquetOutput {
    pub fn new(columns: Columns, settings: &Settings) -> Result<Self> {
        let types = FileTypes::new(&columns, file_options(settings));
        let index = settings.output_format_parquet_write_page_index;
        let properties = WriterProperties::builder()
            .set_compression(codec(&settings.output_format_parquet_compression_method)?)
            .set_max_row_group_row_count(Some(settings.output_format_parquet_row_group_size.max(1) as usize))
            .set_data_page_size_limit(settings.output_format_parquet_data_page_size.max(1) as usize)
            .set_statistics_enabled(if index { EnabledStatistics::Page } else { EnabledStatistics::Chunk })
            .set_offset_index_disabled(!index)
            .set_bloom_filter_enabled(settings.output_format_parquet_write_bloom_filter)
            .set_created_by(concat!("gristmill version ", env!("CARGO_PKG_VERSION")).to_string())
            .build();
        let options = ArrowWriterOptions::new()
            .with_properties(properties)
            .with_skip_arrow_metadata(true)
            .with_parquet_schema(parquet_schema(&columns, types.schema())?);
        let writer = ArrowWriter::try_new_with_options(Vec::new(), types.batch_schema().clone(), options)?;
        let page_bytes = settings.output_format_parquet_data_page_size.max(1);
        Ok(ParquetOutput { types, writer: Some(writer), row_group_bytes: row_group_bytes(settings), page_bytes, rows: 0 })
    }

    /// The encoder looks at the size of a page, and we at that of a row group, after that many rows: of values of megabytes
    /// a thousand would be a page that nobody can read.
    fn rows_at_once(&self, batch: &RecordBatch) -> usize {
        let rows = batch.num_rows() as u64;
        let widest = batch.columns().iter().map(value_bytes).max().unwrap_or(0);
        let fitting = self.page_bytes.saturating_mul(rows).checked_div(widest).unwrap_or(rows);
        match fitting < ENCODED_AT_ONCE {
            true => fitting.max(1) as usize,
            false => batch.num_rows().max(1),
        }
    }

    fn writer(&mut self) -> Result<&mut ArrowWriter<Vec<u8>>> {
        self.writer.as_mut().ok_or_else(|| Error::logical("Parquet is written after its end"))
    }
}

impl OutputFormat for ParquetOutput {
    fn start(&mut self, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }

    fn write(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        let batch = self.types.convert(batch, self.rows)?;
        self.rows += batch.num_rows() as u64;
        let limit = self.row_group_bytes;
        let step = self.rows_at_once(&batch);
        let writer = self.writer()?;
        for from in (0..batch.num_rows()).step_by(step) {
            writer.write(&batch.slice(from, step.min(batch.num_rows() - from)))?;
            if writer.in_progress_size() >= limit {
                writer.flush()?;
            }
        }
        out.append(writer.inner_mut());
        Ok(())
    }

    fn finish(&mut self, _summary: &ResultSummary, out: &mut Vec<u8>) -> Result<()> {
        let writer = self.writer()?;
        writer.finish()?;
        out.append(writer.inner_mut());
        self.writer = None;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, BinaryViewArray};
    use gristmill_types::SqlType;
    use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
    use parquet::file::metadata::PageIndexPolicy;

    use super::*;

    #[test]
    fn a_page_of_long_values_has_few_of_them() {
        let settings = Settings::default();
        let values = BinaryViewArray::from_iter_values((0..20u8).map(|at| vec![at; 3 << 20]));
        let column: ArrayRef = Arc::new(values);
        let batch = RecordBatch::try_from_iter([("s", column)]).expect("a batch");
        let mut output = ParquetOutput::new(Columns::of([("s", SqlType::String)]), &settings).expect("an output");
        let mut file = Vec::new();
        output.write(&batch, &mut file).expect("written");
        output.finish(&ResultSummary::default(), &mut file).expect("finished");
        let options = ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Required);
        let read = ArrowReaderMetadata::load(&bytes::Bytes::from(file), options).expect("a footer");
        let index = read.metadata().offset_index().expect("an index of pages");
        assert_eq!(index[0][0].page_locations().len(), 20);
    }
}
