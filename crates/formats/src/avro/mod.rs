//! Avro: files of blocks of rows, with the schema in their header (the object container file).
//!
//! | Read | as |
//! |---|---|
//! | null, boolean, int, long, float, double | Nullable(Nothing), Bool, Int32, Int64, Float32, Float64 |
//! | int of the logical type date; long of timestamp-millis, timestamp-micros | Date32; DateTime64(3), DateTime64(6) |
//! | bytes, string | String; of the logical types uuid, decimal: UUID, Decimal(P, S) |
//! | fixed | FixedString(N); of the logical type decimal: Decimal(P, S) |
//! | enum | Enum8 or Enum16, with values from 0 |
//! | array, map, record | Array, Map(String, …), Tuple with names |
//! | union of null and one type | Nullable, where the type has it |
//!
//! A row is its values one behind the other, so that a reader has to follow all of them, also those that nobody asked for
//! (`decode`). A block is taken as a whole: its length precedes it. What is written goes by ClickHouse's table (`encode`).
//!
//! It is all here rather than in arrow-avro because data is not to be trusted: that crate unpacks blocks and makes room for
//! items as they claim to be, refuses text that is no UTF-8 (String is bytes here), and has no way to pass over a column.

mod container;
mod cursor;
mod decode;
mod encode;
mod input;
mod output;
mod schema;

pub(crate) use input::{AvroInput, columns_of_header};
pub(crate) use output::AvroOutput;
