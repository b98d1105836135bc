//! What Arrow data may claim before it is decoded.
//!
//! A message says how long its body is, and before each compressed buffer stands how long it is without compression. The
//! decoder allocates what is claimed, and an allocation that cannot be had brings the process down, which cannot be caught.
//! So claims are held against the bytes that are there, and against the room that the query has; everything else is left to
//! the decoder, who has better words for it.

use arrow::ipc::{Block, BodyCompressionMethod, CompressionType, Message, RecordBatch, root_as_footer, root_as_message};
use bytes::Bytes;
use gristmill_base::allocations::{self, ASKED_FOR_BYTES};
use gristmill_base::{Error, ErrorCode, Result};
use parquet::file::reader::{ChunkReader, Length};

use crate::columnar::FileBytes;

/// Precedes the length of a message since version 0.15 of the format.
pub const CONTINUATION: [u8; 4] = [0xFF; 4];
/// A file ends with the length of its footer and the magic word.
const END: &[u8] = b"ARROW1";
/// The uncompressed length before a compressed buffer.
const LENGTH_BYTES: usize = 8;
/// A byte of LZ4 stands for so many at most.
const LZ4_RATIO: u64 = 255;
/// A block of ZSTD stands for so many bytes at most, and takes `ZSTD_BLOCK_LEAST` of them.
const ZSTD_BLOCK: u64 = 128 << 10;
const ZSTD_BLOCK_LEAST: u64 = 4;

/// What stands at the start of some bytes of a stream.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    /// A whole message, of so many bytes.
    Whole(usize),
    /// No whole message: it is not to be asked again before so many bytes are there.
    Wanted(usize),
}

/// The message of a stream that begins here; its claims are checked once it is there. Errors: INCORRECT_DATA,
/// MEMORY_LIMIT_EXCEEDED.
pub fn next_message(bytes: &[u8]) -> Result<Next> {
    let prefix = if bytes.starts_with(&CONTINUATION) { 8 } else { 4 };
    let Some(length) = bytes.get(prefix - 4..prefix) else { return Ok(Next::Wanted(prefix)) };
    let length = u32::from_le_bytes([length[0], length[1], length[2], length[3]]) as usize;
    let body_start = prefix + length;
    let Some(metadata) = bytes.get(prefix..body_start) else { return Ok(Next::Wanted(body_start)) };
    // Without metadata it is the end of the stream; what is no message the decoder has words for.
    let Some(message) = (length > 0).then(|| root_as_message(metadata).ok()).flatten() else {
        return Ok(Next::Whole(body_start));
    };
    let body_bytes = usize::try_from(message.bodyLength()).ok();
    let end = body_bytes
        .and_then(|body| body_start.checked_add(body))
        .ok_or_else(|| refused(format!("a message claims a body of {} bytes", message.bodyLength())))?;
    let Some(body) = bytes.get(body_start..end) else { return Ok(Next::Wanted(end)) };
    check_body(&message, body)?;
    Ok(Next::Whole(end))
}

/// The footer of a whole file; `None`: it does not end as a file does. Errors: INCORRECT_DATA.
pub fn footer(file: &FileBytes) -> Result<Option<Bytes>> {
    let all = file.len();
    let Some(tail) = all.checked_sub(4 + END.len() as u64) else { return Ok(None) };
    let last = file.get_bytes(tail, 4 + END.len())?;
    let Some(Some(length)) = last.strip_suffix(END).map(|length| length.first_chunk::<4>()) else { return Ok(None) };
    let length = i32::from_le_bytes(*length);
    let start = u64::try_from(length).ok().and_then(|length| tail.checked_sub(length));
    let start = start.ok_or_else(|| refused(format!("the footer claims {length} of {all} bytes")))?;
    Ok(Some(file.get_bytes(start, (tail - start) as usize)?))
}

/// Checks a whole file. Errors: as `next_message`.
pub fn check_file(file: &FileBytes) -> Result<()> {
    // Where it is no file, the decoder says why.
    let Some(footer) = footer(file)? else { return Ok(()) };
    let Ok(footer) = root_as_footer(&footer) else { return Ok(()) };
    let mut blocks = footer.dictionaries().into_iter().flatten().chain(footer.recordBatches().into_iter().flatten());
    blocks.try_for_each(|block| check_block(file, block))
}

fn check_block(file: &FileBytes, block: &Block) -> Result<()> {
    let all = file.len();
    let outside = || {
        let (at, metadata, body) = (block.offset(), block.metaDataLength(), block.bodyLength());
        refused(format!("a block of {metadata} and {body} bytes at {at} is not within the file's {all}"))
    };
    let part = |from: u64, length: i64| {
        let length = u64::try_from(length).map_err(|_| outside())?;
        let end = from.checked_add(length).filter(|end| *end <= all).ok_or_else(outside)?;
        Ok::<_, Error>((file.get_bytes(from, length as usize)?, end))
    };
    let offset = u64::try_from(block.offset()).map_err(|_| outside())?;
    let (metadata, end) = part(offset, block.metaDataLength().into())?;
    let (body, _) = part(end, block.bodyLength())?;
    let prefix = if metadata.starts_with(&CONTINUATION) { 8 } else { 4 };
    match metadata.get(prefix..).map(root_as_message) {
        Some(Ok(message)) => check_body(&message, &body),
        Some(Err(_)) => Ok(()),
        None => Err(outside()),
    }
}

fn check_body(message: &Message<'_>, body: &[u8]) -> Result<()> {
    let dictionary = message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data());
    let claimed = match message.header_as_record_batch().or(dictionary) {
        Some(batch) => decompressed_bytes(&batch, body)?,
        None => 0,
    };
    // What is not compressed may have to be copied, as it may lie where its type cannot.
    let claimed = claimed.max(body.len());
    if claimed >= ASKED_FOR_BYTES { allocations::check_room(claimed) } else { Ok(()) }
}

/// What the buffers of a batch claim to be without compression.
fn decompressed_bytes(batch: &RecordBatch<'_>, body: &[u8]) -> Result<usize> {
    let (Some(compression), Some(buffers)) = (batch.compression(), batch.buffers()) else { return Ok(0) };
    if compression.method() != BodyCompressionMethod::BUFFER {
        return Ok(0);
    }
    let mut sum = 0_u64;
    for buffer in buffers {
        let place = usize::try_from(buffer.offset()).ok().zip(usize::try_from(buffer.length()).ok());
        let bytes = place.and_then(|(start, length)| body.get(start..start.checked_add(length)?)).ok_or_else(|| {
            refused(format!("a buffer of {} bytes at {} is not within its message", buffer.length(), buffer.offset()))
        })?;
        // An empty buffer has no length before it.
        let Some((length, compressed)) = bytes.split_first_chunk::<LENGTH_BYTES>() else { continue };
        // -1 says that it is not compressed; other numbers below 0 the decoder refuses.
        let Ok(claimed) = u64::try_from(i64::from_le_bytes(*length)) else { continue };
        if claimed > stands_for_most(compression.codec(), compressed.len() as u64) {
            return Err(refused(format!("{} compressed bytes claim to be {claimed}", compressed.len())));
        }
        sum = sum.saturating_add(claimed);
    }
    Ok(usize::try_from(sum).unwrap_or(usize::MAX))
}

/// The most bytes that so many compressed ones can be.
fn stands_for_most(codec: CompressionType, compressed: u64) -> u64 {
    match codec {
        CompressionType::ZSTD => (compressed / ZSTD_BLOCK_LEAST + 1).saturating_mul(ZSTD_BLOCK),
        _ => compressed.saturating_mul(LZ4_RATIO),
    }
}

fn refused(what: String) -> Error {
    Error::new(ErrorCode::INCORRECT_DATA, format!("Not valid Arrow data: {what}"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, Int32Array};
    use arrow::ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};

    use super::*;

    fn batch() -> arrow::array::RecordBatch {
        let numbers: ArrayRef = Arc::new(Int32Array::from_iter_values((0..10_000).map(|n| n % 3)));
        arrow::array::RecordBatch::try_from_iter([("a", numbers)]).expect("a batch")
    }

    fn options(codec: CompressionType) -> IpcWriteOptions {
        IpcWriteOptions::default().try_with_compression(Some(codec)).expect("it can be compressed")
    }

    fn stream(codec: CompressionType) -> Vec<u8> {
        let mut writer =
            StreamWriter::try_new_with_options(Vec::new(), &batch().schema(), options(codec)).expect("a writer");
        writer.write(&batch()).expect("written");
        writer.finish().expect("finished");
        writer.into_inner().expect("its bytes")
    }

    fn file(codec: CompressionType) -> Vec<u8> {
        let mut writer = FileWriter::try_new_with_options(Vec::new(), &batch().schema(), options(codec)).expect("a writer");
        writer.write(&batch()).expect("written");
        writer.finish().expect("finished");
        writer.into_inner().expect("its bytes")
    }

    fn whole(file: Vec<u8>) -> FileBytes {
        bytes::Bytes::from(file).into()
    }

    fn check_stream(mut bytes: &[u8]) -> Result<usize> {
        let mut messages = 0;
        while let Next::Whole(length) = next_message(bytes)? {
            messages += 1;
            bytes = &bytes[length..];
        }
        Ok(messages)
    }

    /// Every place that holds the uncompressed length holds that much instead.
    fn claiming(bytes: &[u8], claim: i64) -> Vec<u8> {
        let honest = 40_000_i64.to_le_bytes();
        let mut changed = bytes.to_vec();
        for at in 0..bytes.len() - honest.len() {
            if bytes[at..].starts_with(&honest) {
                changed[at..at + honest.len()].copy_from_slice(&claim.to_le_bytes());
            }
        }
        assert_ne!(changed, bytes);
        changed
    }

    #[test]
    fn what_a_writer_wrote_passes() {
        for codec in [CompressionType::LZ4_FRAME, CompressionType::ZSTD] {
            assert_eq!(check_stream(&stream(codec)).expect("valid"), 3);
            check_file(&whole(file(codec))).expect("valid");
        }
    }

    #[test]
    fn claims_that_the_bytes_cannot_be_are_refused() {
        for codec in [CompressionType::LZ4_FRAME, CompressionType::ZSTD] {
            for claim in [0x7000_0000_0000_0000, 1 << 40] {
                let error = check_stream(&claiming(&stream(codec), claim)).expect_err("a claim");
                assert_eq!(error.code(), ErrorCode::INCORRECT_DATA);
                let error = check_file(&whole(claiming(&file(codec), claim))).expect_err("a claim");
                assert_eq!(error.code(), ErrorCode::INCORRECT_DATA);
            }
        }
    }

    #[test]
    fn damaged_files_are_refused_or_left_to_the_decoder() {
        let good = file(CompressionType::ZSTD);
        for at in 0..good.len() {
            for value in [0x00, 0x7F, 0x80, 0xFF] {
                let mut bad = good.clone();
                bad[at] = value;
                // Neither a panic nor an overflow.
                let _ = check_file(&whole(bad.clone()));
                let _ = check_stream(&bad[8..]);
            }
        }
    }
}
