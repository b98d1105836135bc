//! MsgPack: values one after another, row by row, without a header.
//!
//! A value of MessagePack says its own kind, one of RowBinary only its bytes. So both ways go over RowBinary: its bytes of a value are
//! told again with their kinds where a result is written, and what is read becomes such bytes, by the type of its column.

mod infer;
mod input;
mod item;
mod output;

pub(crate) use infer::columns_of_sample;
pub(crate) use input::MsgPackInput;
pub(crate) use output::MsgPackOutput;

/// The number of the extension that UUIDs are.
const UUID_EXTENSION: i8 = 2;
