//! Compression of whole objects, as streams with bounded memory.
//!
//! Decoding wraps the stream of chunks in async-compression's decoder of the codec, which holds one window and one output
//! buffer. Members that follow one another (gzip files that were concatenated, several zstd frames) are read through.
//! Input that ends inside a member is an error, as is anything that is no such data: nothing is left out silently.
//!
//! Encoding is push: bytes in, whatever the codec has ready out (`Encoder`), so that a writer of an upload needs no task
//! of its own; `encode` is the same over a stream.

mod snappy;
mod snappy_framed;

use std::future::Future;
use std::io::{self, Write};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use async_compression::Level;
use async_compression::tokio::{bufread, write};
use bytes::Bytes;
use futures::stream::{BoxStream, Stream, StreamExt};
use gristmill_base::{Error, ErrorCode, Result};
use serde::{Deserialize, Serialize};
use snap::write::FrameEncoder;
use tokio::io::{AsyncBufRead, AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio_util::io::{ReaderStream, StreamReader};

/// Bytes of a decoded chunk.
const CHUNK_BYTES: usize = 256 << 10;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum Compression {
    #[default]
    None,
    Gzip,
    /// zlib, as HTTP's `deflate` is.
    Deflate,
    Brotli,
    Xz,
    Zstd,
    Lz4,
    Bz2,
    /// As Hadoop frames it.
    Snappy,
    /// In its own framing format, as over HTTP.
    SnappyFramed,
}

impl Compression {
    /// By the name that table functions and `INTO OUTFILE … COMPRESSION` take; `auto` (or nothing) goes by the path.
    pub fn by_name(name: &str, path: &str) -> Result<Compression> {
        Ok(match name.to_ascii_lowercase().as_str() {
            "auto" | "" => Compression::by_extension(path),
            "none" => Compression::None,
            "gzip" | "gz" => Compression::Gzip,
            "deflate" | "zlib" => Compression::Deflate,
            "brotli" | "br" => Compression::Brotli,
            "xz" | "lzma" => Compression::Xz,
            "zstd" | "zst" => Compression::Zstd,
            "lz4" => Compression::Lz4,
            "bz2" | "bzip2" => Compression::Bz2,
            "snappy" => Compression::Snappy,
            _ => {
                return Err(Error::new(
                    ErrorCode::NOT_IMPLEMENTED,
                    format!(
                        "Unknown compression method '{name}': give one of auto, none, gzip, deflate, br, xz, zstd, lz4, bz2, \
                         snappy"
                    ),
                ));
            }
        })
    }

    /// By the last extension of a path or URL; `None` where it names no codec.
    pub fn by_extension(path: &str) -> Compression {
        let path = path.split(['?', '#']).next().unwrap_or(path);
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        match extension.to_ascii_lowercase().as_str() {
            "gz" | "gzip" => Compression::Gzip,
            "deflate" => Compression::Deflate,
            "br" | "brotli" => Compression::Brotli,
            "xz" | "lzma" => Compression::Xz,
            "zst" | "zstd" => Compression::Zstd,
            "lz4" => Compression::Lz4,
            "bz2" => Compression::Bz2,
            "snappy" => Compression::Snappy,
            _ => Compression::None,
        }
    }

    /// The path without the extension of its compression.
    pub fn strip_extension(path: &str) -> &str {
        match Compression::by_extension(path) {
            Compression::None => path,
            _ => path.rsplit_once('.').map_or(path, |(stem, _)| stem),
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Compression::None => "none",
            Compression::Gzip => "gzip",
            Compression::Deflate => "deflate",
            Compression::Brotli => "br",
            Compression::Xz => "xz",
            Compression::Zstd => "zstd",
            Compression::Lz4 => "lz4",
            Compression::Bz2 => "bz2",
            Compression::Snappy | Compression::SnappyFramed => "snappy",
        }
    }

    /// The decoded chunks of a stream. An error of the input passes unharmed; truncated data is CANNOT_READ_ALL_DATA,
    /// data that is not of the codec CANNOT_DECOMPRESS.
    pub fn decoder(self, input: impl Stream<Item = Result<Bytes>> + Send + 'static) -> BoxStream<'static, Result<Bytes>> {
        match self {
            Compression::None => return input.boxed(),
            Compression::Snappy | Compression::SnappyFramed => return snappy::decoder(input.boxed()),
            _ => {}
        }
        let reader = StreamReader::new(input.map(|chunk| chunk.map_err(io::Error::from)).boxed());
        ReaderStream::with_capacity(self.reader(reader), CHUNK_BYTES)
            .map(move |chunk| chunk.map_err(|error| self.decode_error(error)))
            .boxed()
    }

    fn reader(self, input: impl AsyncBufRead + Unpin + Send + 'static) -> Pin<Box<dyn AsyncRead + Send>> {
        macro_rules! members {
            ($decoder:ident) => {{
                let mut decoder = bufread::$decoder::new(input);
                decoder.multiple_members(true);
                Box::pin(decoder)
            }};
        }
        match self {
            // Snappy is read by chunks, not here.
            Compression::None | Compression::Snappy | Compression::SnappyFramed => Box::pin(input),
            Compression::Gzip => members!(GzipDecoder),
            Compression::Deflate => members!(ZlibDecoder),
            // A brotli stream has no signature to find a second one by.
            Compression::Brotli => Box::pin(bufread::BrotliDecoder::new(input)),
            Compression::Xz => members!(XzDecoder),
            Compression::Zstd => members!(ZstdDecoder),
            Compression::Lz4 => members!(Lz4Decoder),
            Compression::Bz2 => members!(BzDecoder),
        }
    }

    fn decode_error(self, error: io::Error) -> Error {
        let ours = error.get_ref().is_some_and(|inner| inner.is::<Error>());
        if ours {
            return error.into();
        }
        let name = self.name();
        if error.kind() == io::ErrorKind::UnexpectedEof {
            let message = format!("Compressed data ({name}) ends before its end: the object is truncated");
            return Error::new(ErrorCode::CANNOT_READ_ALL_DATA, message);
        }
        let message = format!("Cannot decompress: the data is not valid {name}: {error}");
        Error::new(ErrorCode::CANNOT_DECOMPRESS, message)
    }

    /// An encoder of this codec. `level` in the codec's own scale; `None` is its default.
    pub fn encoder(self, level: Option<i32>) -> Encoder {
        let level = level.map_or(Level::Default, Level::Precise);
        Encoder(match self {
            Compression::None => Inner::None,
            Compression::Gzip => Inner::Gzip(write::GzipEncoder::with_quality(Vec::new(), level)),
            Compression::Deflate => Inner::Deflate(write::ZlibEncoder::with_quality(Vec::new(), level)),
            Compression::Brotli => Inner::Brotli(Box::new(write::BrotliEncoder::with_quality(Vec::new(), level))),
            Compression::Xz => Inner::Xz(write::XzEncoder::with_quality(Vec::new(), level)),
            Compression::Zstd => Inner::Zstd(write::ZstdEncoder::with_quality(Vec::new(), level)),
            Compression::Lz4 => Inner::Lz4(write::Lz4Encoder::with_quality(Vec::new(), level)),
            Compression::Bz2 => Inner::Bz2(write::BzEncoder::with_quality(Vec::new(), level)),
            Compression::Snappy => Inner::Snappy(snappy::Framer::default()),
            Compression::SnappyFramed => Inner::SnappyFramed(Box::new(FrameEncoder::new(Vec::new()))),
        })
    }

    /// The encoded chunks of a stream.
    pub fn encode(
        self,
        input: impl Stream<Item = Result<Bytes>> + Send + 'static,
        level: Option<i32>,
    ) -> BoxStream<'static, Result<Bytes>> {
        if self == Compression::None {
            return input.boxed();
        }
        let state = (input.boxed(), Some(self.encoder(level)));
        futures::stream::try_unfold(state, |(mut input, mut encoder)| async move {
            let mut out = Vec::new();
            while let Some(active) = &mut encoder {
                match input.next().await {
                    Some(chunk) => active.write(&chunk?, &mut out)?,
                    None => {
                        active.finish(&mut out)?;
                        encoder = None;
                    }
                }
                if !out.is_empty() {
                    return Ok(Some((Bytes::from(out), (input, encoder))));
                }
            }
            Ok(None)
        })
        .boxed()
    }
}

/// A push encoder: bytes in, encoded bytes appended to the caller's buffer as the codec has them.
pub struct Encoder(Inner);

enum Inner {
    None,
    Gzip(write::GzipEncoder<Vec<u8>>),
    Deflate(write::ZlibEncoder<Vec<u8>>),
    Brotli(Box<write::BrotliEncoder<Vec<u8>>>),
    Xz(write::XzEncoder<Vec<u8>>),
    Zstd(write::ZstdEncoder<Vec<u8>>),
    Lz4(write::Lz4Encoder<Vec<u8>>),
    Bz2(write::BzEncoder<Vec<u8>>),
    Snappy(snappy::Framer),
    SnappyFramed(Box<FrameEncoder<Vec<u8>>>),
}

impl Encoder {
    pub fn write(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<()> {
        match &mut self.0 {
            Inner::None => {
                out.extend_from_slice(bytes);
                return Ok(());
            }
            Inner::Gzip(encoder) => push(encoder, bytes)?,
            Inner::Deflate(encoder) => push(encoder, bytes)?,
            Inner::Brotli(encoder) => push(encoder.as_mut(), bytes)?,
            Inner::Xz(encoder) => push(encoder, bytes)?,
            Inner::Zstd(encoder) => push(encoder, bytes)?,
            Inner::Lz4(encoder) => push(encoder, bytes)?,
            Inner::Bz2(encoder) => push(encoder, bytes)?,
            Inner::Snappy(framer) => framer.write(bytes, out)?,
            Inner::SnappyFramed(encoder) => encoder.write_all(bytes).map_err(|error| failed(error.to_string()))?,
        }
        self.drain(out);
        Ok(())
    }

    /// Writes the end of the member. Nothing may be written after it.
    pub fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        match &mut self.0 {
            Inner::None => {}
            Inner::Gzip(encoder) => close(encoder)?,
            Inner::Deflate(encoder) => close(encoder)?,
            Inner::Brotli(encoder) => close(encoder.as_mut())?,
            Inner::Xz(encoder) => close(encoder)?,
            Inner::Zstd(encoder) => close(encoder)?,
            Inner::Lz4(encoder) => close(encoder)?,
            Inner::Bz2(encoder) => close(encoder)?,
            Inner::Snappy(framer) => framer.finish(out)?,
            Inner::SnappyFramed(encoder) => encoder.flush().map_err(|error| failed(error.to_string()))?,
        }
        self.drain(out);
        Ok(())
    }

    fn drain(&mut self, out: &mut Vec<u8>) {
        match &mut self.0 {
            // What they have is written already.
            Inner::None | Inner::Snappy(_) => {}
            Inner::SnappyFramed(encoder) => out.append(encoder.get_mut()),
            Inner::Gzip(encoder) => out.append(encoder.get_mut()),
            Inner::Deflate(encoder) => out.append(encoder.get_mut()),
            Inner::Brotli(encoder) => out.append(encoder.get_mut()),
            Inner::Xz(encoder) => out.append(encoder.get_mut()),
            Inner::Zstd(encoder) => out.append(encoder.get_mut()),
            Inner::Lz4(encoder) => out.append(encoder.get_mut()),
            Inner::Bz2(encoder) => out.append(encoder.get_mut()),
        }
    }
}

fn push(encoder: &mut (impl AsyncWrite + Unpin), bytes: &[u8]) -> Result<()> {
    at_once(encoder.write_all(bytes))
}

fn close(encoder: &mut (impl AsyncWrite + Unpin)) -> Result<()> {
    at_once(encoder.shutdown())
}

fn failed(reason: String) -> Error {
    Error::new(ErrorCode::CANNOT_COMPRESS, format!("Cannot compress: {reason}"))
}

/// A future over a `Vec` as its sink is ready at the first poll: a `Vec` never makes anyone wait.
fn at_once(future: impl Future<Output = io::Result<()>>) -> Result<()> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result.map_err(|error| failed(error.to_string())),
        Poll::Pending => Err(failed("the encoder waits for a sink in memory".to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Compression; 9] = [
        Compression::Gzip,
        Compression::Deflate,
        Compression::Brotli,
        Compression::Xz,
        Compression::Zstd,
        Compression::Lz4,
        Compression::Bz2,
        Compression::Snappy,
        Compression::SnappyFramed,
    ];

    fn sample() -> Vec<u8> {
        (0..20_000u32).flat_map(|i| format!("{},{}\n", i, i.wrapping_mul(2_654_435_761)).into_bytes()).collect()
    }

    fn encoded(codec: Compression, data: &[u8]) -> Vec<u8> {
        let mut encoder = codec.encoder(None);
        let mut out = Vec::new();
        for chunk in data.chunks(10_000) {
            encoder.write(chunk, &mut out).expect("encodes");
        }
        encoder.finish(&mut out).expect("ends");
        out
    }

    /// Decodes input that arrives in chunks of that many bytes.
    fn decoded(codec: Compression, data: &[u8], chunk: usize) -> Result<Vec<u8>> {
        let chunks: Vec<Result<Bytes>> = data.chunks(chunk).map(|chunk| Ok(Bytes::copy_from_slice(chunk))).collect();
        let stream = codec.decoder(futures::stream::iter(chunks));
        futures::executor::block_on(async move {
            let mut stream = stream;
            let mut out = Vec::new();
            while let Some(chunk) = stream.next().await {
                out.extend_from_slice(&chunk?);
            }
            Ok(out)
        })
    }

    #[test]
    fn every_codec_gives_back_what_it_was_given() {
        let data = sample();
        for codec in ALL {
            let bytes = encoded(codec, &data);
            assert!(bytes.len() < data.len(), "{codec:?} compresses");
            assert_eq!(decoded(codec, &bytes, 7_777).expect("decodes"), data, "{codec:?}");
        }
    }

    #[test]
    fn members_that_follow_one_another_are_all_read() {
        use Compression::{Bz2, Gzip, Lz4, Snappy, SnappyFramed, Xz, Zstd};
        for codec in [Gzip, Zstd, Xz, Bz2, Lz4, Snappy, SnappyFramed] {
            let mut bytes = encoded(codec, b"first,");
            bytes.extend(encoded(codec, b"second"));
            for chunk in [1, 3, 1000] {
                assert_eq!(decoded(codec, &bytes, chunk).expect("decodes"), b"first,second", "{codec:?} by {chunk}");
            }
        }
    }

    #[test]
    fn truncated_data_is_an_error_wherever_it_is_cut() {
        let data = &sample()[..50_000];
        for codec in ALL {
            let bytes = encoded(codec, data);
            for cut in [1, 5, bytes.len() / 2, bytes.len() - 1] {
                let error = decoded(codec, &bytes[..cut], 1000).expect_err("truncated");
                let known = [ErrorCode::CANNOT_READ_ALL_DATA, ErrorCode::CANNOT_DECOMPRESS];
                assert!(known.contains(&error.code()), "{codec:?} cut at {cut}: {error}");
            }
        }
    }

    #[test]
    fn what_is_not_of_the_codec_is_refused() {
        for codec in [Compression::Gzip, Compression::Zstd, Compression::Xz, Compression::Bz2, Compression::Lz4] {
            let error = decoded(codec, b"a,b\n1,2\n3,4\nplain text is no compressed data", 1000).expect_err("no such data");
            assert_eq!(error.code(), ErrorCode::CANNOT_DECOMPRESS, "{codec:?}: {error}");
        }
    }

    #[test]
    fn an_error_of_the_input_passes_unharmed() {
        let ours = Error::new(ErrorCode::S3_ERROR, "no such key");
        let stream = Compression::Gzip.decoder(futures::stream::iter([Err(ours)]));
        let all = futures::executor::block_on(stream.collect::<Vec<_>>());
        assert_eq!(all[0].as_ref().expect_err("fails").code(), ErrorCode::S3_ERROR);
    }

    #[test]
    fn names_and_extensions() {
        assert_eq!(Compression::by_name("auto", "x/a.csv.zst").expect("known"), Compression::Zstd);
        assert_eq!(Compression::by_name("gz", "x/a.csv").expect("known"), Compression::Gzip);
        assert_eq!(Compression::strip_extension("a.csv.br"), "a.csv");
        assert!(Compression::by_name("rar", "").is_err());
    }
}
