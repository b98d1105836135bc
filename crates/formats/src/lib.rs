//! Formats of data at rest and on the wire: their names, compression, input, schema inference and output.
//!
//! Text formats are read by a `RowParser`, which takes chunks of bytes cut anywhere and gives batches of the columns that
//! were asked for; `infer_schema` says what those columns are where nobody did. Parquet, Arrow, ORC and Avro
//! say their schema themselves; Parquet is read by the sources, by columns. Every format is written by an `OutputFormat`.

mod avro;
pub mod columnar;
pub mod compression;
mod custom;
pub mod extremes;
pub mod format;
#[cfg(test)]
mod fuzz;
mod infer;
pub mod input;
mod msgpack;
pub mod native;
pub mod orc;
pub mod output;
mod template;

pub use columnar::columns_of_arrow;
pub use compression::Compression;
pub use format::{Format, Header};
pub use infer::{detected_format, infer_schema};
pub use input::{
    Part, RowParser, bare_rows, count_left_out, file_batches, flagged_column, flags_of, header_length, is_splittable,
    omitted_flag, parser, part_parser, split_rows, with_omitted_flags,
};
pub use output::{OutputContext, OutputFormat, ResultSummary, Told, writer};
