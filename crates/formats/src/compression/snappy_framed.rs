//! Snappy's own framing format, which HTTP means by `snappy`: chunks of a kind, a length of three bytes, the lowest first, and
//! as many bytes. Those of data have a sum of what is in them.

use std::fmt::Display;
use std::io::Read;

use bytes::BytesMut;
use gristmill_base::{Error, ErrorCode, Result};

/// The chunk that every stream begins with.
const BEGINNING: &[u8] = b"\xff\x06\x00\x00sNaPpY";
const HEAD_BYTES: usize = 4;
/// Of a chunk of data: its sum, and 64 KiB that nothing made smaller.
const DATA_BYTES_MAX: usize = 4 + 76_490;

/// Whether a stream of this first byte is framed so. (That of Hadoop would begin with a block of 4 GB.)
pub fn begins_with(first: u8) -> bool {
    first == BEGINNING[0]
}

fn damaged(reason: impl Display) -> Error {
    let text = format!("Cannot decompress: the data is not valid snappy in its framing format: {reason}");
    Error::new(ErrorCode::SNAPPY_UNCOMPRESS_FAILED, text)
}

/// The next chunk of data, unpacked. `None`: more bytes are needed for it. Error: SNAPPY_UNCOMPRESS_FAILED.
pub fn chunk(pending: &mut BytesMut) -> Result<Option<Vec<u8>>> {
    while let Some([kind, low, middle, high]) = pending.first_chunk::<HEAD_BYTES>().copied() {
        let length = u32::from_le_bytes([low, middle, high, 0]) as usize;
        let is_data = kind < 2;
        if is_data && length > DATA_BYTES_MAX {
            return Err(damaged(format!("a chunk of {length} bytes, of which {DATA_BYTES_MAX} are the most")));
        }
        if pending.len() < HEAD_BYTES + length {
            return Ok(None);
        }
        let chunk = pending.split_to(HEAD_BYTES + length);
        match kind {
            0xff if chunk[..] != *BEGINNING => return Err(damaged("it begins otherwise")),
            2..0x80 => return Err(damaged(format!("a chunk of the unknown kind {kind}"))),
            _ if !is_data => {}
            _ => {
                let mut unpacked = Vec::new();
                let framed = [BEGINNING, &chunk[..]].concat();
                snap::read::FrameDecoder::new(&framed[..]).read_to_end(&mut unpacked).map_err(damaged)?;
                if !unpacked.is_empty() {
                    return Ok(Some(unpacked));
                }
            }
        }
    }
    Ok(None)
}
