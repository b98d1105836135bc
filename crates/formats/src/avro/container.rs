//! The container: a header with schema, codec and a marker of 16 bytes, then blocks that the marker ends.
//!
//! A block says how many rows it has and how many bytes they are. What its codec makes of these is not said, so room is
//! asked for as it comes.

use std::borrow::Cow;
use std::io::Read;
use std::sync::Arc;

use gristmill_base::{Error, ErrorCode, Result, allocations};

use super::cursor::{Cursor, incorrect};
use super::schema::{Node, parse};
use crate::columnar::inflate::inflate;

pub const MAGIC: &[u8; 4] = b"Obj\x01";
pub const MARKER_BYTES: usize = 16;
const SCHEMA_KEY: &[u8] = b"avro.schema";
const CODEC_KEY: &[u8] = b"avro.codec";
/// Bytes that snappy makes of one at most: a copy of 64 bytes takes three.
const SNAPPY_RATIO: usize = 22;
/// The checksum behind a block of snappy.
const CHECKSUM_BYTES: usize = 4;
const UNPACKED_AT_ONCE: usize = 64 << 10;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Codec {
    Null,
    Deflate,
    Snappy,
    Zstandard,
    Bzip2,
}

impl Codec {
    /// By the name in a header. Errors: NOT_IMPLEMENTED.
    fn by_name(name: &[u8]) -> Result<Codec> {
        Ok(match name {
            b"null" | b"" => Codec::Null,
            b"deflate" => Codec::Deflate,
            b"snappy" => Codec::Snappy,
            b"zstandard" => Codec::Zstandard,
            b"bzip2" => Codec::Bzip2,
            other => {
                return Err(Error::not_implemented(format!(
                    "The blocks of the Avro file are compressed with '{}': null, deflate, snappy, zstandard and bzip2 are read",
                    String::from_utf8_lossy(other)
                )));
            }
        })
    }

    pub fn name(self) -> &'static str {
        match self {
            Codec::Null => "null",
            Codec::Deflate => "deflate",
            Codec::Snappy => "snappy",
            Codec::Zstandard => "zstandard",
            Codec::Bzip2 => "bzip2",
        }
    }

    /// The bytes of a block. Errors: AVRO_EXCEPTION, MEMORY_LIMIT_EXCEEDED.
    pub fn unpack(self, block: &[u8]) -> Result<Cow<'_, [u8]>> {
        Ok(match self {
            Codec::Null => Cow::Borrowed(block),
            Codec::Deflate => {
                let mut bytes = Vec::new();
                inflate(block, damaged, |piece| allocations::extend(&mut bytes, piece))?;
                bytes.into()
            }
            Codec::Bzip2 => unpacked(bzip2::read::MultiBzDecoder::new(block))?.into(),
            Codec::Zstandard => unpacked(zstd::Decoder::new(block).map_err(damaged)?)?.into(),
            Codec::Snappy => {
                let Some((packed, checksum)) = block.split_last_chunk::<CHECKSUM_BYTES>() else {
                    return Err(damaged("a block of snappy has no checksum"));
                };
                let claimed = snap::raw::decompress_len(packed).map_err(damaged)?;
                if claimed > packed.len().saturating_mul(SNAPPY_RATIO) {
                    return Err(damaged(format!("{} bytes of snappy claim to be {claimed}", packed.len())));
                }
                allocations::check_room(claimed)?;
                let bytes = snap::raw::Decoder::new().decompress_vec(packed).map_err(damaged)?;
                if crc(&bytes) != u32::from_be_bytes(*checksum) {
                    return Err(Error::new(
                        ErrorCode::AVRO_EXCEPTION,
                        "Not valid Avro data: a block of snappy does not fit its checksum",
                    ));
                }
                bytes.into()
            }
        })
    }

    pub fn pack(self, block: &[u8]) -> Result<Cow<'_, [u8]>> {
        let failed = |error: std::io::Error| Error::logical(format!("An Avro block cannot be compressed: {error}"));
        Ok(match self {
            Codec::Null => Cow::Borrowed(block),
            Codec::Deflate => {
                let mut packed = Vec::new();
                flate2::read::DeflateEncoder::new(block, flate2::Compression::default())
                    .read_to_end(&mut packed)
                    .map_err(failed)?;
                packed.into()
            }
            Codec::Bzip2 => {
                let mut packed = Vec::new();
                bzip2::read::BzEncoder::new(block, bzip2::Compression::default())
                    .read_to_end(&mut packed)
                    .map_err(failed)?;
                packed.into()
            }
            Codec::Zstandard => zstd::encode_all(block, 0).map_err(failed)?.into(),
            Codec::Snappy => {
                let packed = snap::raw::Encoder::new().compress_vec(block);
                let mut packed = packed.map_err(|error| Error::logical(format!("An Avro block is too large: {error}")))?;
                packed.extend_from_slice(&crc(block).to_be_bytes());
                packed.into()
            }
        })
    }
}

fn crc(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

fn unpacked(mut decoder: impl Read) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut piece = vec![0; UNPACKED_AT_ONCE];
    loop {
        match decoder.read(&mut piece).map_err(damaged)? {
            0 => return Ok(bytes),
            read => allocations::extend(&mut bytes, &piece[..read])?,
        }
    }
}

fn damaged(why: impl std::fmt::Display) -> Error {
    Error::new(ErrorCode::AVRO_EXCEPTION, format!("Not valid Avro data: a block cannot be decompressed: {why}"))
}

#[derive(Clone, Debug)]
pub struct Header {
    pub schema: Arc<Node>,
    pub codec: Codec,
    pub marker: [u8; MARKER_BYTES],
}

impl Header {
    /// The header that data begins with, and its length; `None`: the bytes end before it does.
    pub fn read(bytes: &[u8]) -> Result<Option<(Header, usize)>> {
        let begins = &bytes[..bytes.len().min(MAGIC.len())];
        if !MAGIC.starts_with(begins) {
            return Err(incorrect("it does not begin as an Avro file does"));
        }
        match pairs(bytes) {
            Ok(None) => Ok(None),
            Err(error) => Err(error),
            Ok(Some((pairs, marker, length))) => {
                let value = |key: &[u8]| pairs.iter().rev().find(|(known, _)| *known == key).map(|(_, value)| *value);
                let schema = value(SCHEMA_KEY).ok_or_else(|| incorrect("its header has no schema"))?;
                let codec = Codec::by_name(value(CODEC_KEY).unwrap_or_default())?;
                Ok(Some((Header { schema: parse(schema)?, codec, marker }, length)))
            }
        }
    }
}

type Pairs<'a> = Vec<(&'a [u8], &'a [u8])>;

fn pairs(bytes: &[u8]) -> Result<Option<(Pairs<'_>, [u8; MARKER_BYTES], usize)>> {
    let Some(rest) = bytes.strip_prefix(MAGIC) else { return Ok(None) };
    let mut cursor = Cursor::new(rest);
    let mut pairs = Vec::new();
    loop {
        let Some(count) = cursor.try_long()? else { return Ok(None) };
        if count == 0 {
            break;
        }
        if count < 0 && cursor.try_long()?.is_none() {
            return Ok(None);
        }
        for _ in 0..count.unsigned_abs() {
            let Some(key) = text(&mut cursor)? else { return Ok(None) };
            let Some(value) = text(&mut cursor)? else { return Ok(None) };
            pairs.push((key, value));
        }
    }
    Ok(cursor.array().ok().map(|marker| (pairs, marker, bytes.len() - cursor.rest().len())))
}

fn text<'a>(cursor: &mut Cursor<'a>) -> Result<Option<&'a [u8]>> {
    let Some(length) = cursor.try_long()? else { return Ok(None) };
    let length = usize::try_from(length).map_err(|_| incorrect("a length is below 0"))?;
    Ok(cursor.take(length).ok())
}

pub enum Next<'a> {
    /// Rows, their bytes as they are in the file, and the bytes up to the next block.
    Block { rows: u64, bytes: &'a [u8], length: usize },
    /// Not before so many bytes are there.
    Wanted(usize),
}

/// The block that begins here.
pub fn next_block<'a>(bytes: &'a [u8], header: &Header) -> Result<Next<'a>> {
    let mut cursor = Cursor::new(bytes);
    let (Some(rows), Some(length)) = (cursor.try_long()?, cursor.try_long()?) else {
        return Ok(Next::Wanted(bytes.len() + 1));
    };
    let both = u64::try_from(rows).ok().zip(usize::try_from(length).ok());
    let (rows, length) = both.ok_or_else(|| incorrect(&format!("a block claims {rows} rows in {length} bytes")))?;
    let before = bytes.len() - cursor.rest().len();
    let end = length.checked_add(before + MARKER_BYTES).ok_or_else(|| incorrect("a block has no end"))?;
    let Ok(block) = cursor.take(length) else { return Ok(Next::Wanted(end)) };
    let Ok(marker) = cursor.array::<MARKER_BYTES>() else { return Ok(Next::Wanted(end)) };
    if marker != header.marker {
        return Err(incorrect("the marker behind a block is not that of the header"));
    }
    Ok(Next::Block { rows, bytes: block, length: end })
}

/// Appends a whole number as Avro has it.
pub fn write_long(value: i64, out: &mut Vec<u8>) {
    let mut value = (value << 1 ^ value >> 63) as u64;
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

pub fn write_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    write_long(bytes.len() as i64, out);
    out.extend_from_slice(bytes);
}

/// Appends a header.
pub fn write_header(schema: &str, codec: Codec, marker: &[u8; MARKER_BYTES], out: &mut Vec<u8>) {
    out.extend_from_slice(MAGIC);
    write_long(2, out);
    for (key, value) in [(CODEC_KEY, codec.name().as_bytes()), (SCHEMA_KEY, schema.as_bytes())] {
        write_bytes(key, out);
        write_bytes(value, out);
    }
    write_long(0, out);
    out.extend_from_slice(marker);
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODECS: [Codec; 5] = [Codec::Null, Codec::Deflate, Codec::Snappy, Codec::Zstandard, Codec::Bzip2];

    #[test]
    fn blocks_come_back_from_every_codec() {
        let block: Vec<u8> = (0..100_000u32).map(|at| (at / 1000) as u8).collect();
        for codec in CODECS {
            let packed = codec.pack(&block).expect("packed");
            assert_eq!(codec.unpack(&packed).expect("unpacked"), &block[..], "{}", codec.name());
            assert_eq!(Codec::by_name(codec.name().as_bytes()).expect("known"), codec);
            if codec != Codec::Null {
                assert!(packed.len() < block.len() / 4, "{}", codec.name());
                assert!(codec.unpack(&packed[..packed.len() / 2]).is_err(), "{}", codec.name());
            }
        }
        let mut changed = Codec::Snappy.pack(&block).expect("packed").into_owned();
        *changed.last_mut().expect("bytes") ^= 1;
        assert_eq!(Codec::Snappy.unpack(&changed).expect_err("changed").code(), ErrorCode::AVRO_EXCEPTION);
        assert_eq!(Codec::by_name(b"xz").expect_err("unknown").code(), ErrorCode::NOT_IMPLEMENTED);
    }

    #[test]
    fn a_header_is_read_once_it_is_there_as_a_whole() {
        let mut file = Vec::new();
        write_header(r#"{"type": "record", "name": "r", "fields": []}"#, Codec::Null, &[7; 16], &mut file);
        for cut in 0..file.len() {
            assert!(Header::read(&file[..cut]).expect("a beginning").is_none(), "{cut}");
        }
        let (header, length) = Header::read(&file).expect("valid").expect("whole");
        assert_eq!((length, header.marker), (file.len(), [7; 16]));
        assert_eq!(Header::read(b"PAR1").map(|_| ()).expect_err("another").code(), ErrorCode::AVRO_EXCEPTION);
    }
}
