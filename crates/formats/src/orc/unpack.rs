//! Compression: a stream is chunks, each with three bytes of its length before it, whose lowest bit says that it is stored
//! as it is. A chunk is never more than the block size of the file when it is unpacked; one that is, is refused.

use std::io::Read;

use gristmill_base::{Error, ErrorCode, Result, allocations};

use super::incorrect;
use crate::columnar::inflate::inflate;

/// Bytes of a block at most: the length of a chunk has 23 bits.
const BLOCK_BYTES_MAX: u64 = (1 << 23) - 1;
const BLOCK_BYTES: u64 = 256 << 10;
const HEADER_BYTES: usize = 3;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Codec {
    None,
    Zlib,
    Snappy,
    Lz4,
    Zstd,
}

impl Codec {
    /// By the number that a file has. Errors: NOT_IMPLEMENTED.
    pub fn by_number(number: u64) -> Result<Codec> {
        Ok(match number {
            0 => Codec::None,
            1 => Codec::Zlib,
            2 => Codec::Snappy,
            4 => Codec::Lz4,
            5 => Codec::Zstd,
            other => {
                let name = match other {
                    3 => "LZO".to_string(),
                    6 => "Brotli".to_string(),
                    other => format!("codec {other}"),
                };
                return Err(Error::not_implemented(format!(
                    "The ORC file is compressed with {name}: none, zlib, snappy, lz4 and zstd are read"
                )));
            }
        })
    }

    pub fn number(self) -> u64 {
        match self {
            Codec::None => 0,
            Codec::Zlib => 1,
            Codec::Snappy => 2,
            Codec::Lz4 => 4,
            Codec::Zstd => 5,
        }
    }
}

/// How the streams of a file are compressed.
#[derive(Clone, Copy, Debug)]
pub struct Packing {
    pub codec: Codec,
    block_bytes: usize,
}

impl Packing {
    /// `block_bytes`; 0: what files have that do not say it.
    pub fn new(codec: Codec, block_bytes: u64) -> Result<Packing> {
        let block_bytes = if block_bytes == 0 { BLOCK_BYTES } else { block_bytes };
        if block_bytes > BLOCK_BYTES_MAX && codec != Codec::None {
            return Err(incorrect(format!("blocks of {block_bytes} bytes, of which {BLOCK_BYTES_MAX} are the most")));
        }
        Ok(Packing { codec, block_bytes: block_bytes.min(BLOCK_BYTES_MAX) as usize })
    }

    pub fn block_bytes(&self) -> u64 {
        self.block_bytes as u64
    }

    /// The bytes of a stream. Errors: CANNOT_DECOMPRESS, MEMORY_LIMIT_EXCEEDED.
    pub fn unpack(&self, stream: &[u8]) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        if self.codec == Codec::None {
            allocations::extend(&mut out, stream)?;
            return Ok(out);
        }
        let mut rest = stream;
        while !rest.is_empty() {
            let (header, behind) = rest.split_first_chunk::<HEADER_BYTES>().ok_or_else(cut)?;
            let header = u32::from_le_bytes([header[0], header[1], header[2], 0]);
            let (chunk, behind) = behind.split_at_checked((header >> 1) as usize).ok_or_else(cut)?;
            rest = behind;
            match header & 1 {
                0 => allocations::extend(&mut out, &self.block(chunk)?)?,
                _ => allocations::extend(&mut out, chunk)?,
            }
        }
        Ok(out)
    }

    fn block(&self, chunk: &[u8]) -> Result<Vec<u8>> {
        let limit = self.block_bytes;
        let block = match self.codec {
            Codec::None => chunk.to_vec(),
            Codec::Zlib => {
                let mut block = Vec::new();
                inflate(chunk, damaged, |piece| {
                    block.extend_from_slice(piece);
                    if block.len() > limit { Err(too_large(limit)) } else { Ok(()) }
                })?;
                block
            }
            Codec::Zstd => limited(zstd::Decoder::with_buffer(chunk).map_err(damaged)?, limit)?,
            Codec::Snappy => {
                let claimed = snap::raw::decompress_len(chunk).map_err(damaged)?;
                if claimed > limit {
                    return Err(too_large(limit));
                }
                snap::raw::Decoder::new().decompress_vec(chunk).map_err(damaged)?
            }
            // A byte of LZ4 stands for 255 at most.
            Codec::Lz4 => lz4_flex::block::decompress(chunk, limit.min(chunk.len().saturating_mul(255))).map_err(damaged)?,
        };
        if block.len() > limit { Err(too_large(limit)) } else { Ok(block) }
    }

    /// The bytes as a stream of the file.
    pub fn pack(&self, bytes: &[u8]) -> Result<Vec<u8>> {
        if self.codec == Codec::None {
            return Ok(bytes.to_vec());
        }
        let mut out = Vec::with_capacity(bytes.len() / 4 + HEADER_BYTES);
        for block in bytes.chunks(self.block_bytes) {
            let packed = self.packed(block)?;
            let (chunk, is_original) = if packed.len() < block.len() { (&packed[..], 0) } else { (block, 1) };
            let header = (chunk.len() as u32) << 1 | is_original;
            out.extend_from_slice(&header.to_le_bytes()[..HEADER_BYTES]);
            out.extend_from_slice(chunk);
        }
        Ok(out)
    }

    fn packed(&self, block: &[u8]) -> Result<Vec<u8>> {
        let failed = |why: String| Error::logical(format!("An ORC block cannot be compressed: {why}"));
        Ok(match self.codec {
            Codec::None => block.to_vec(),
            Codec::Zlib => {
                let mut packed = Vec::new();
                flate2::read::DeflateEncoder::new(block, flate2::Compression::default())
                    .read_to_end(&mut packed)
                    .map_err(|error| failed(error.to_string()))?;
                packed
            }
            Codec::Zstd => zstd::bulk::compress(block, 0).map_err(|error| failed(error.to_string()))?,
            Codec::Snappy => snap::raw::Encoder::new().compress_vec(block).map_err(|error| failed(error.to_string()))?,
            Codec::Lz4 => lz4_flex::block::compress(block),
        })
    }
}

fn limited(decoder: impl Read, limit: usize) -> Result<Vec<u8>> {
    let mut block = Vec::new();
    decoder.take(limit as u64 + 1).read_to_end(&mut block).map_err(damaged)?;
    Ok(block)
}

fn cut() -> Error {
    Error::new(ErrorCode::CANNOT_READ_ALL_DATA, "Not a valid ORC file: a stream ends within a compressed chunk")
}

fn damaged(why: impl std::fmt::Display) -> Error {
    Error::new(ErrorCode::CANNOT_DECOMPRESS, format!("Not a valid ORC file: a chunk cannot be decompressed: {why}"))
}

fn too_large(limit: usize) -> Error {
    Error::new(ErrorCode::CANNOT_DECOMPRESS, format!("Not a valid ORC file: a chunk has more than {limit} bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODECS: [Codec; 5] = [Codec::None, Codec::Zlib, Codec::Snappy, Codec::Lz4, Codec::Zstd];

    #[test]
    fn streams_come_back_from_every_codec() {
        let stream: Vec<u8> =
            (0..300_000u32).flat_map(|at| [(at / 1000) as u8, (at.wrapping_mul(2_654_435_761) >> 24) as u8 & 1]).collect();
        for codec in CODECS {
            let packing = Packing::new(codec, 65_536).expect("a packing");
            let packed = packing.pack(&stream).expect("packed");
            assert_eq!(packing.unpack(&packed).expect("unpacked"), stream, "{codec:?}");
            assert_eq!(Codec::by_number(codec.number()).expect("known"), codec);
            if codec != Codec::None {
                assert!(packing.unpack(&packed[..packed.len() - 1]).is_err(), "{codec:?}");
                let narrow = Packing::new(codec, 1024).expect("a packing");
                assert_eq!(narrow.unpack(&packed).expect_err("large").code(), ErrorCode::CANNOT_DECOMPRESS, "{codec:?}");
            }
        }
        let mut random = gristmill_base::mutations::Mutations::of(7);
        let noise: Vec<u8> = (0..1000).map(|_| random.below(256) as u8).collect();
        let packing = Packing::new(Codec::Zstd, 0).expect("a packing");
        assert_eq!(packing.pack(&noise).expect("packed").len(), noise.len() + HEADER_BYTES, "stored as it is");
        assert_eq!(Codec::by_number(3).expect_err("LZO").code(), ErrorCode::NOT_IMPLEMENTED);
        assert!(Packing::new(Codec::Zstd, u64::MAX).is_err());
    }
}
