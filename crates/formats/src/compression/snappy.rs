//! Snappy as Hadoop frames it, which is what ClickHouse reads under this name: blocks of `length`, then chunks of
//! `packed length, packed bytes` until the block has that many bytes. Lengths are of four bytes, the highest first. A stream
//! in snappy's own framing format is known by its first byte.

use bytes::{Buf, Bytes, BytesMut};
use futures::stream::{BoxStream, StreamExt};
use gristmill_base::{Error, ErrorCode, Result};

use super::snappy_framed;

/// Bytes of a block that is written: as many as Hadoop's.
const BLOCK_BYTES: usize = 256 << 10;
/// What a chunk may take before it is unpacked; ClickHouse reads none that is longer.
const PACKED_BYTES_MAX: usize = 1 << 20;
/// Bytes that one byte becomes at most: a copy of 64 takes three.
const RATIO_MAX: usize = 22;
const LENGTH_BYTES: usize = 4;

fn damaged(reason: impl std::fmt::Display) -> Error {
    let text = format!("Cannot decompress: the data is not valid snappy of Hadoop's framing: {reason}");
    Error::new(ErrorCode::SNAPPY_UNCOMPRESS_FAILED, text)
}

/// The decoded chunks of a stream. Errors: SNAPPY_UNCOMPRESS_FAILED, CANNOT_READ_ALL_DATA.
pub fn decoder(input: BoxStream<'static, Result<Bytes>>) -> BoxStream<'static, Result<Bytes>> {
    let state = (input, Unframer::default());
    futures::stream::try_unfold(state, |(mut input, mut frames)| async move {
        loop {
            if let Some(chunk) = frames.chunk()? {
                return Ok(Some((Bytes::from(chunk), (input, frames))));
            }
            match input.next().await {
                Some(bytes) => frames.pending.extend_from_slice(&bytes?),
                None => return frames.check_end().map(|()| None),
            }
        }
    })
    .boxed()
}

#[derive(Default)]
struct Unframer {
    pending: BytesMut,
    /// Bytes of the block that are still to come.
    left: usize,
    /// Whether it is in the own framing format, once that is known.
    framed: Option<bool>,
}

impl Unframer {
    /// The length that the pending bytes begin with, once it is all there.
    fn length(&self) -> Option<usize> {
        let bytes = self.pending.first_chunk::<LENGTH_BYTES>()?;
        Some(u32::from_be_bytes(*bytes) as usize)
    }

    /// The next chunk, unpacked. `None`: more bytes are needed for it.
    fn chunk(&mut self) -> Result<Option<Vec<u8>>> {
        let Some(first) = self.pending.first() else { return Ok(None) };
        if *self.framed.get_or_insert(snappy_framed::begins_with(*first)) {
            return snappy_framed::chunk(&mut self.pending);
        }
        while self.left == 0 {
            let Some(length) = self.length() else { return Ok(None) };
            self.pending.advance(LENGTH_BYTES);
            self.left = length;
        }
        let Some(packed) = self.length() else { return Ok(None) };
        if packed > PACKED_BYTES_MAX {
            return Err(damaged(format!("a chunk of {packed} bytes, of which {PACKED_BYTES_MAX} are the most")));
        }
        if self.pending.len() < LENGTH_BYTES + packed {
            return Ok(None);
        }
        self.pending.advance(LENGTH_BYTES);
        let chunk = self.pending.split_to(packed);
        let claimed = snap::raw::decompress_len(&chunk).map_err(damaged)?;
        if claimed > self.left || claimed > packed.saturating_mul(RATIO_MAX) {
            return Err(damaged(format!("{packed} bytes claim to be {claimed}, in a block that lacks {}", self.left)));
        }
        let unpacked = snap::raw::Decoder::new().decompress_vec(&chunk).map_err(damaged)?;
        self.left -= unpacked.len();
        Ok(Some(unpacked))
    }

    fn check_end(&self) -> Result<()> {
        if self.left == 0 && self.pending.is_empty() {
            return Ok(());
        }
        let text = "Compressed data (snappy) ends before its end: the object is truncated";
        Err(Error::new(ErrorCode::CANNOT_READ_ALL_DATA, text))
    }
}

/// A push encoder: each block is one chunk.
#[derive(Default)]
pub struct Framer {
    block: Vec<u8>,
}

impl Framer {
    pub fn write(&mut self, mut bytes: &[u8], out: &mut Vec<u8>) -> Result<()> {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(BLOCK_BYTES - self.block.len()));
            self.block.extend_from_slice(now);
            if self.block.len() == BLOCK_BYTES {
                self.finish(out)?;
            }
            bytes = later;
        }
        Ok(())
    }

    /// Writes what was not written yet.
    pub fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if self.block.is_empty() {
            return Ok(());
        }
        let packed = snap::raw::Encoder::new().compress_vec(&self.block).map_err(|error| {
            let text = format!("Cannot compress: {error}");
            Error::new(ErrorCode::CANNOT_COMPRESS, text)
        })?;
        for length in [self.block.len(), packed.len()] {
            out.extend_from_slice(&(length as u32).to_be_bytes());
        }
        out.extend_from_slice(&packed);
        self.block.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(frames: &[u8]) -> Result<Vec<u8>> {
        let mut all = Unframer { pending: frames.into(), ..Unframer::default() };
        let mut out = Vec::new();
        while let Some(chunk) = all.chunk()? {
            out.extend(chunk);
        }
        all.check_end().map(|()| out)
    }

    #[test]
    fn a_block_may_have_several_chunks() {
        let packed = |text: &[u8]| snap::raw::Encoder::new().compress_vec(text).unwrap();
        let mut frames = 6_u32.to_be_bytes().to_vec();
        for text in [b"abc", b"def"] {
            let chunk = packed(text);
            frames.extend((chunk.len() as u32).to_be_bytes());
            frames.extend(chunk);
        }
        assert_eq!(read(&frames).unwrap(), b"abcdef");
        assert_eq!(read(&frames[..frames.len() - 1]).unwrap_err().code(), ErrorCode::CANNOT_READ_ALL_DATA);
        frames[3] = 4;
        assert_eq!(read(&frames).unwrap_err().code(), ErrorCode::SNAPPY_UNCOMPRESS_FAILED);
    }

    #[test]
    fn a_length_that_nothing_has_is_refused_before_it_is_waited_for() {
        let mut frames = 1_000_u32.to_be_bytes().to_vec();
        frames.extend(u32::MAX.to_be_bytes());
        assert_eq!(read(&frames).unwrap_err().code(), ErrorCode::SNAPPY_UNCOMPRESS_FAILED);
    }
}
