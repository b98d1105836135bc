//! Packets of the native protocol: the codes, which every packet begins with, and the one packet that both sides send, a block.

use arrow::array::RecordBatch;
use gristmill_base::Result;
use gristmill_types::Columns;

use crate::native::{Revision, frames, write_block, write_string, write_varuint};

/// A packet with a block: the columns with the batch's rows, or without any.
pub fn block(
    code: u64,
    columns: &Columns,
    batch: Option<&RecordBatch>,
    revision: Revision,
    compressed: bool,
) -> Result<Vec<u8>> {
    named_block(code, "", columns, batch, revision, compressed)
}

/// A block of an external table; with an empty name of no such table.
pub fn named_block(
    code: u64,
    name: &str,
    columns: &Columns,
    batch: Option<&RecordBatch>,
    revision: Revision,
    compressed: bool,
) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    write_varuint(code, &mut out);
    write_string(name.as_bytes(), &mut out);
    if compressed {
        let mut block = Vec::new();
        write_block(columns, batch, revision, &mut block)?;
        frames::write(&block, &mut out)?;
    } else {
        write_block(columns, batch, revision, &mut out)?;
    }
    Ok(out)
}

/// What a client sends.
pub mod client {
    pub const HELLO: u64 = 0;
    pub const QUERY: u64 = 1;
    pub const DATA: u64 = 2;
    pub const CANCEL: u64 = 3;
    pub const PING: u64 = 4;
    pub const TABLES_STATUS: u64 = 5;
    pub const KEEP_ALIVE: u64 = 6;
    pub const SCALAR: u64 = 7;
}

/// What a server sends.
pub mod server {
    pub const HELLO: u64 = 0;
    pub const DATA: u64 = 1;
    pub const EXCEPTION: u64 = 2;
    pub const PROGRESS: u64 = 3;
    pub const PONG: u64 = 4;
    pub const END_OF_STREAM: u64 = 5;
    pub const PROFILE_INFO: u64 = 6;
    pub const TOTALS: u64 = 7;
    pub const EXTREMES: u64 = 8;
    pub const TABLES_STATUS: u64 = 9;
    pub const LOG: u64 = 10;
    pub const TABLE_COLUMNS: u64 = 11;
    pub const PROFILE_EVENTS: u64 = 14;
    pub const TIMEZONE_UPDATE: u64 = 17;
}
