//! Arrow output: the IPC file (Arrow) and stream (ArrowStream), a record batch a block, with the codec of the settings.
//!
//! Text has 32-bit offsets rather than views, and times are timestamps with a zone rather than ClickHouse's bare integers:
//! both are what other readers make most of.

use arrow::array::RecordBatch;
use arrow::ipc::CompressionType;
use arrow::ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::Settings;
use gristmill_types::Columns;

use super::file_types::{FileOptions, FileTypes};
use crate::Format;
use crate::output::{OutputFormat, ResultSummary};

pub struct ArrowOutput {
    types: FileTypes,
    writer: Writer,
    rows: u64,
}

enum Writer {
    File(FileWriter<Vec<u8>>),
    Stream(StreamWriter<Vec<u8>>),
}

/// How columns are written to Arrow under these settings.
pub fn file_options(settings: &Settings) -> FileOptions {
    FileOptions {
        string_as_string: settings.output_format_arrow_string_as_string,
        least_is_milliseconds: false,
        views: false,
    }
}

impl ArrowOutput {
    pub fn new(format: Format, columns: Columns, settings: &Settings) -> Result<Self> {
        let codec = match settings.output_format_arrow_compression_method.to_ascii_lowercase().as_str() {
            "none" => None,
            "lz4_frame" | "lz4" => Some(CompressionType::LZ4_FRAME),
            "zstd" => Some(CompressionType::ZSTD),
            name => {
                return Err(Error::new(
                    ErrorCode::BAD_ARGUMENTS,
                    format!("Setting output_format_arrow_compression_method is '{name}': give one of none, lz4_frame, zstd"),
                ));
            }
        };
        let types = FileTypes::new(&columns, file_options(settings));
        let options = IpcWriteOptions::default().try_with_compression(codec)?;
        let schema = types.schema();
        let writer = match format {
            Format::ArrowStream => Writer::Stream(StreamWriter::try_new_with_options(Vec::new(), schema, options)?),
            _ => Writer::File(FileWriter::try_new_with_options(Vec::new(), schema, options)?),
        };
        Ok(ArrowOutput { types, writer, rows: 0 })
    }

    fn drain(&mut self, out: &mut Vec<u8>) {
        out.append(match &mut self.writer {
            Writer::File(writer) => writer.get_mut(),
            Writer::Stream(writer) => writer.get_mut(),
        });
    }
}

impl OutputFormat for ArrowOutput {
    fn start(&mut self, out: &mut Vec<u8>) -> Result<()> {
        self.drain(out);
        Ok(())
    }

    fn write(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        let batch = self.types.convert(batch, self.rows)?;
        self.rows += batch.num_rows() as u64;
        match &mut self.writer {
            Writer::File(writer) => writer.write(&batch)?,
            Writer::Stream(writer) => writer.write(&batch)?,
        }
        self.drain(out);
        Ok(())
    }

    fn finish(&mut self, _summary: &ResultSummary, out: &mut Vec<u8>) -> Result<()> {
        match &mut self.writer {
            Writer::File(writer) => writer.finish()?,
            Writer::Stream(writer) => writer.finish()?,
        }
        self.drain(out);
        Ok(())
    }
}
