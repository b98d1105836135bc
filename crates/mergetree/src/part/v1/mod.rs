//! Format version 1 of a part, described in docs/formats/part-v1.md. A change that old files would not survive goes
//! into a new version beside this one.

pub(crate) mod chunk;
mod crate_writers;
pub mod deleted_rows;
mod delta_packing;
pub mod dictionary;
pub mod encode;
pub mod header;
mod interning;
mod numbers;
#[cfg(test)]
mod one_column;
pub mod open;
pub mod outlet;
pub mod page_sums;
mod places;
pub mod schema;
mod sending;
pub mod skip_indexes;
pub mod storage_type;
mod strings;
pub mod writer;
