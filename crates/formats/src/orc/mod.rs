//! ORC: files of stripes, in which each column has streams of its own, with the schema behind them.
//!
//! | Read | as (Nullable, unless `schema_inference_make_columns_nullable` is 0) |
//! |---|---|
//! | boolean; tinyint, smallint, int, bigint; float, double | Bool; Int8 … Int64; Float32, Float64 |
//! | string, varchar, binary; char | String; FixedString(N) |
//! | date; timestamp; timestamp with local time zone | Date32; DateTime64(9); DateTime64(9, 'UTC') |
//! | decimal | Decimal(P, S) |
//! | array, map, struct | Array, Map, Tuple with names |
//!
//! `file` knows where things lie, `unpack` undoes the compression, `runs` and `bits` the encodings of numbers; `decode` makes
//! columns of them, stripe by stripe (`rows`). Writing is the same backwards (`encode`, `output`), with the types of
//! ClickHouse's table.
//!
//! It is all here rather than in orc-rust because data is not to be trusted: that crate makes room for items as they claim to
//! be and unpacks chunks of any size, refuses text that is no UTF-8 (String is bytes here), and writes neither nested
//! columns nor decimals.

mod bits;
mod decode;
mod encode;
mod file;
mod output;
mod proto;
mod rows;
mod runs;
mod runs_out;
mod schema;
mod timestamp;
mod unpack;

pub(crate) use output::OrcOutput;
pub(crate) use rows::OrcRows;
pub(crate) use schema::columns_of_end;

pub use file::end_bytes;

use gristmill_base::{Error, ErrorCode};

fn incorrect(what: impl std::fmt::Display) -> Error {
    Error::new(ErrorCode::INCORRECT_DATA, format!("Not a valid ORC file: {what}"))
}

/// Of a stream that has fewer values than its column.
fn ended() -> Error {
    Error::new(ErrorCode::CANNOT_READ_ALL_DATA, "Not a valid ORC file: a stream ends before its column does")
}
