//! Frames of compressed blocks: in the native protocol, and in HTTP bodies with `compress=1` and `decompress=1`.
//!
//! A frame is a checksum (16 bytes, CityHash128 of version 1.0.2 over what follows), a codec (1), the compressed length with
//! these nine bytes (4), the length of the data (4), the data. Writers cut frames at a megabyte; readers take frames for what
//! they are, pieces of a stream.

use bytes::Bytes;
use cityhash_rs::cityhash_102_128;
use futures::stream::{BoxStream, Stream, StreamExt};
use gristmill_base::allocations::{ASKED_FOR_BYTES, check_room};
use gristmill_base::{Error, ErrorCode, Result};

use super::ByteReader;

const LZ4: u8 = 0x82;
const ZSTD: u8 = 0x90;
const NONE: u8 = 0x02;

/// Codec and two lengths.
const HEAD_BYTES: usize = 9;
const CHECKSUM_BYTES: usize = 16;

/// Bytes of data in a frame that is written.
const WRITTEN_BYTES: usize = 1 << 20;
/// Bytes of data in a frame that is read, compressed or not.
const READ_BYTES_MAX: usize = 1 << 28;
/// LZ4 makes of a byte 255 at most. A frame that says more of itself lies.
const LZ4_RATIO_MAX: usize = 255;

/// The high half of the crate's number is the one that ClickHouse writes first.
fn checksum(bytes: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let hash = cityhash_102_128(bytes);
    let mut out = [0; CHECKSUM_BYTES];
    out[..8].copy_from_slice(&((hash >> 64) as u64).to_le_bytes());
    out[8..].copy_from_slice(&(hash as u64).to_le_bytes());
    out
}

/// Appends data as LZ4 frames, which every client reads.
pub fn write(data: &[u8], out: &mut Vec<u8>) -> Result<()> {
    for piece in data.chunks(WRITTEN_BYTES) {
        let begin = out.len();
        let body = begin + CHECKSUM_BYTES + HEAD_BYTES;
        out.resize(body + lz4_flex::block::get_maximum_output_size(piece.len()), 0);
        let length = lz4_flex::block::compress_into(piece, &mut out[body..])
            .map_err(|error| Error::new(ErrorCode::CANNOT_COMPRESS, format!("Cannot compress a block: {error}")))?;
        out.truncate(body + length);
        let head = begin + CHECKSUM_BYTES;
        out[head] = LZ4;
        out[head + 1..head + 5].copy_from_slice(&((HEAD_BYTES + length) as u32).to_le_bytes());
        out[head + 5..head + 9].copy_from_slice(&(piece.len() as u32).to_le_bytes());
        let sum = checksum(&out[head..]);
        out[begin..head].copy_from_slice(&sum);
    }
    Ok(())
}

fn broken(text: String) -> Error {
    Error::new(ErrorCode::CANNOT_DECOMPRESS, text)
}

/// Lengths of a frame's data, compressed and not, as its head says.
fn lengths(head: &[u8]) -> Result<(usize, usize)> {
    let number = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]) as usize;
    let (with_head, data) = (number(1), number(5));
    let compressed = with_head
        .checked_sub(HEAD_BYTES)
        .ok_or_else(|| broken(format!("A compressed frame of {with_head} bytes is shorter than its head")))?;
    if compressed > READ_BYTES_MAX || data > READ_BYTES_MAX {
        let text = format!("A compressed frame of {data} bytes: {READ_BYTES_MAX} are the most");
        return Err(Error::new(ErrorCode::TOO_LARGE_SIZE_COMPRESSED, text));
    }
    Ok((compressed, data))
}

/// The data of a whole frame.
fn open(frame: &[u8]) -> Result<Bytes> {
    let (sum, framed) = frame.split_at(CHECKSUM_BYTES);
    if checksum(framed) != sum {
        return Err(Error::new(
            ErrorCode::CHECKSUM_DOESNT_MATCH,
            "The checksum of a compressed frame doesn't match its data: it was changed on its way, or is no such frame",
        ));
    }
    let (head, body) = framed.split_at(HEAD_BYTES);
    let (_, length) = lengths(head)?;
    let data = match head[0] {
        NONE => body.to_vec(),
        LZ4 if length / LZ4_RATIO_MAX > body.len() => {
            return Err(broken(format!("An LZ4 frame of {} bytes cannot hold {length}", body.len())));
        }
        LZ4 => lz4_flex::block::decompress(body, length).map_err(|error| broken(format!("Bad LZ4 data: {error}")))?,
        // Room is made as the data comes out, and not because a length says so.
        ZSTD => {
            let mut data = Vec::new();
            let failed = |error: std::io::Error| broken(format!("Bad ZSTD data: {error}"));
            let decoder = zstd::stream::read::Decoder::with_buffer(body).map_err(failed)?;
            std::io::Read::read_to_end(&mut std::io::Read::take(decoder, length as u64 + 1), &mut data).map_err(failed)?;
            data
        }
        codec => {
            let text = format!("Unknown compression codec {codec:#04x}: use LZ4, ZSTD or NONE");
            return Err(Error::new(ErrorCode::UNKNOWN_COMPRESSION_METHOD, text));
        }
    };
    if data.len() != length {
        return Err(broken(format!("A compressed frame has {} bytes of data and says {length}", data.len())));
    }
    Ok(Bytes::from(data))
}

/// The data of the next frame. Errors: ATTEMPT_TO_READ_AFTER_EOF, CHECKSUM_DOESNT_MATCH, CANNOT_DECOMPRESS,
/// TOO_LARGE_SIZE_COMPRESSED, UNKNOWN_COMPRESSION_METHOD.
pub async fn read<S>(reader: &mut ByteReader<S>) -> Result<Bytes>
where
    S: Stream<Item = Result<Bytes>> + Unpin + Send,
{
    let mut whole = CHECKSUM_BYTES + HEAD_BYTES;
    let mut knows_length = false;
    loop {
        while reader.held().len() < whole {
            reader.more().await?;
        }
        if knows_length {
            break;
        }
        let (compressed, data) = lengths(&reader.held()[CHECKSUM_BYTES..])?;
        if data >= ASKED_FOR_BYTES {
            check_room(data)?;
        }
        whole += compressed;
        knows_length = true;
    }
    let data = open(&reader.held()[..whole])?;
    reader.advance(whole);
    Ok(data)
}

/// The data of frames up to the end of a stream.
pub fn decoded(source: impl Stream<Item = Result<Bytes>> + Unpin + Send + 'static) -> BoxStream<'static, Result<Bytes>> {
    futures::stream::try_unfold(ByteReader::new(source), |mut reader| async move {
        match reader.at_end().await? {
            true => Ok(None),
            false => Ok(Some((read(&mut reader).await?, reader))),
        }
    })
    .boxed()
}

/// The data of frames that stand in a reader's bytes; no frame is read before its data is asked for.
pub fn within<S>(reader: &mut ByteReader<S>) -> BoxStream<'_, Result<Bytes>>
where
    S: Stream<Item = Result<Bytes>> + Unpin + Send,
{
    futures::stream::try_unfold(reader, |reader| async move { Ok(Some((read(reader).await?, reader))) }).boxed()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Gives a frame, whatever it holds, the checksum that it should have, and the length.
    pub(crate) fn seal(frame: &mut [u8]) {
        if frame.len() >= CHECKSUM_BYTES + HEAD_BYTES {
            let length = (frame.len() - CHECKSUM_BYTES) as u32;
            frame[CHECKSUM_BYTES + 1..CHECKSUM_BYTES + 5].copy_from_slice(&length.to_le_bytes());
            let sum = checksum(&frame[CHECKSUM_BYTES..]);
            frame[..CHECKSUM_BYTES].copy_from_slice(&sum);
        }
    }

    /// An empty block at revision 54468, as ClickHouse's own client sends it.
    const EMPTY_BLOCK: &str = "a783ac6cd55c7a7cb5ac46bddb86e21482140000000a000000a0010002ffffffff000000";

    fn unframed(bytes: &[u8], chunk: usize) -> Result<Vec<u8>> {
        let chunks: Vec<Result<Bytes>> = bytes.chunks(chunk).map(|chunk| Ok(Bytes::copy_from_slice(chunk))).collect();
        let frames: Vec<Result<Bytes>> = futures::executor::block_on(decoded(futures::stream::iter(chunks)).collect());
        frames.into_iter().try_fold(Vec::new(), |mut all, frame| {
            all.extend_from_slice(&frame?);
            Ok(all)
        })
    }

    #[test]
    fn the_checksum_is_that_of_clickhouse() {
        let golden = hex::decode(EMPTY_BLOCK).expect("hex");
        let data = unframed(&golden, 5).expect("reads");
        assert_eq!(hex::encode(&data), "010002ffffffff000000");
        let mut written = Vec::new();
        write(&data, &mut written).expect("writes");
        assert_eq!(hex::encode(written), EMPTY_BLOCK);
    }

    #[test]
    fn long_data_is_cut_into_frames_and_read_back() {
        let data: Vec<u8> = (0..3_000_000u32).map(|i| (i % 251) as u8).collect();
        let mut written = Vec::new();
        write(&data, &mut written).expect("writes");
        assert!(written.len() < data.len() / 10);
        assert!(unframed(&written, 10_000).expect("reads") == data);
    }

    #[test]
    fn zstd_and_stored_frames_are_read() {
        for (codec, body) in
            [(ZSTD, zstd::encode_all(&b"some data"[..], 1).expect("encodes")), (NONE, b"some data".to_vec())]
        {
            let mut framed = vec![codec];
            framed.extend_from_slice(&((HEAD_BYTES + body.len()) as u32).to_le_bytes());
            framed.extend_from_slice(&9u32.to_le_bytes());
            framed.extend_from_slice(&body);
            let whole = [&checksum(&framed)[..], &framed].concat();
            assert_eq!(unframed(&whole, 7).expect("reads"), b"some data");
            assert!(unframed(&whole[..whole.len() - 1], 7).is_err(), "a frame that is cut");
        }
    }

    #[test]
    fn a_frame_that_lies_is_refused_before_memory_is_taken() {
        let frame = |codec: u8, length: u32, body: &[u8]| {
            let mut framed = vec![codec];
            framed.extend_from_slice(&((HEAD_BYTES + body.len()) as u32).to_le_bytes());
            framed.extend_from_slice(&length.to_le_bytes());
            framed.extend_from_slice(body);
            [&checksum(&framed)[..], &framed].concat()
        };
        for bytes in [
            frame(LZ4, 1 << 29, b"\x10a"),
            frame(LZ4, u32::MAX, b"\x10a"),
            frame(ZSTD, 1 << 29, &zstd::encode_all(&b"x"[..], 1).expect("encodes")),
            frame(NONE, 5, b"four"),
            frame(0x77, 1, b"x"),
        ] {
            assert!(unframed(&bytes, 100).is_err());
        }
        let mut changed = hex::decode(EMPTY_BLOCK).expect("hex");
        changed[30] ^= 1;
        assert_eq!(unframed(&changed, 100).expect_err("changed").code(), ErrorCode::CHECKSUM_DOESNT_MATCH);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_give_data_or_an_error(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
            let _ = unframed(&bytes, 16);
        }
    }
}
