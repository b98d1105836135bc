//! ClickHouse's Native blocks: columns as they lie in memory, as the native protocol and the format Native have them.
//!
//! A block is: numbers of columns and rows, then for each column its name, its type, and (where there are rows) its data.
//! Data comes in two phases: prefixes of all parts of the type (`encode::prefix`), then values (`encode::data`). Nothing of
//! one block says anything of the next.
//!
//! How much is written beside that depends on the revision of the protocol that both sides speak; in files and in HTTP
//! bodies it is 0 unless the client asks for another.
//!
//! RowBinary has the same values row by row (`row_input`, `row_output`).
//!
//! Reading is asynchronous: `ByteReader` waits for bytes wherever the data may be cut, so the same code reads a socket and
//! chunks that are pushed into a parser, each byte once.

mod block;
mod bytes;
mod decode;
mod encode;
pub mod frames;
#[cfg(test)]
mod fuzz;
mod input;
mod output;
pub mod packets;
pub mod revision;
mod row_input;
mod row_output;
pub mod socket;
#[cfg(test)]
mod tests;

pub use block::{Block, Revision, read_block, values_bytes, write_block};
pub use bytes::{BLOCK_BYTES_MAX, ByteReader, write_string, write_varuint};
pub(crate) use input::{NativeInput, columns_of_sample};
pub(crate) use output::NativeOutput;
pub(crate) use row_input::{RowBinaryInput, columns_of_header};
pub(crate) use row_output::RowBinaryOutput;
