//! The bytes of an object from its start to its end, as fast as they can be had.
//!
//! A small object is one request. A large one is fetched in ranges, several in flight, and given in order. Where the size is
//! not known a stream is opened, whose answer tells it: what lies beyond the stream's first megabytes comes in ranges then,
//! beside it. HTTP servers get a stream: many of them know no ranges.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use futures::StreamExt;
use futures::stream::BoxStream;
use gristmill_base::Result;
use gristmill_base::runtime::{self, Task};
use gristmill_introspect::memory::MemoryGuard;
use gristmill_objstore::Provider;
use gristmill_objstore::ranges::{in_flight, split};
use tokio::sync::mpsc::channel;

use crate::object::fetch::Fetcher;
use crate::object::file::SourceFile;

/// Long enough that few requests are sent, short enough that a file of some megabytes still comes in several.
const RANGE_BYTES: u64 = 10 << 20;
const RANGES_IN_FLIGHT_MAX: u64 = 16;
/// The first range where perhaps few rows are wanted.
const FIRST_RANGE_BYTES: u64 = 1 << 20;
/// Bytes that are taken from a stream before ranges take over.
const STREAMED_BYTES: u64 = 8 << 20;

/// How an object is cut: bytes of a piece, and pieces in flight.
#[derive(Clone, Copy)]
struct Pieces {
    bytes: u64,
    in_flight: usize,
    /// The first come one by one, each twice as long as the one before.
    grow: bool,
}

type Chunks = BoxStream<'static, Result<Bytes>>;

/// The chunks of an object, and the file with what the store told of it. `held_bytes`: what may be in flight.
/// `has_limit`: perhaps only the first rows are wanted, so it begins with little.
pub(super) async fn open(
    fetcher: &Fetcher,
    file: &Arc<SourceFile>,
    head: Option<Bytes>,
    held_bytes: u64,
    has_limit: bool,
) -> Result<(Arc<SourceFile>, Chunks)> {
    let settings = &fetcher.context.settings;
    let range_bytes = match settings.max_download_buffer_size {
        bytes if settings.is_changed("max_download_buffer_size") && bytes > 0 => bytes,
        _ => RANGE_BYTES,
    };
    let most = (held_bytes / range_bytes).clamp(1, RANGES_IN_FLIGHT_MAX) as usize;
    let pieces = Pieces { bytes: range_bytes, in_flight: in_flight(settings, most), grow: has_limit };
    let takes_ranges = fetcher.location.provider != Provider::Http;
    let (file, chunks) = match file.size {
        Some(0) => (file.clone(), futures::stream::empty().boxed()),
        Some(size) if takes_ranges => {
            let head = head.unwrap_or_default();
            let rest = ranges(fetcher, file, (head.len() as u64).min(size)..size, pieces);
            let head = futures::stream::iter((!head.is_empty()).then_some(Ok(head)));
            (file.clone(), head.chain(rest).boxed())
        }
        _ => {
            let stream = fetcher.store.get_stream(&fetcher.context, &file.key).await?;
            let told = fetcher.told(file, &stream.info)?;
            let chunks = match told.size {
                Some(size) if takes_ranges && told.etag.is_some() && size >= 2 * STREAMED_BYTES => {
                    let rest = ranges(fetcher, &told, STREAMED_BYTES..size, pieces);
                    first_bytes(stream.bytes, STREAMED_BYTES).chain(rest).boxed()
                }
                _ => stream.bytes,
            };
            (told, chunks)
        }
    };
    let context = fetcher.context.clone();
    let counted = chunks.inspect(move |chunk| {
        if let Ok(chunk) = chunk {
            context.progress.file_bytes_read.fetch_add(chunk.len() as u64, Ordering::Relaxed);
        }
    });
    Ok((file, counted.boxed()))
}

/// The stream up to that many bytes; it is closed then.
fn first_bytes(stream: Chunks, bytes: u64) -> Chunks {
    futures::stream::unfold((stream, bytes), |(mut stream, left)| async move {
        if left == 0 {
            return None;
        }
        let mut chunk = stream.next().await?;
        let mut left = left;
        if let Ok(chunk) = &mut chunk {
            chunk.truncate(usize::try_from(left).unwrap_or(usize::MAX));
            left -= chunk.len() as u64;
        }
        Some((chunk, (stream, left)))
    })
    .boxed()
}

/// A range of the object in pieces, in order; requests are made on the I/O runtime.
fn ranges(fetcher: &Fetcher, file: &Arc<SourceFile>, range: Range<u64>, pieces: Pieces) -> Chunks {
    let Pieces { bytes: range_bytes, in_flight, grow } = pieces;
    let (sender, receiver) = channel::<Result<(Bytes, MemoryGuard)>>(1);
    let (first, rest) = if grow { growing(range, range_bytes) } else { (Vec::new(), range) };
    let pieces: Vec<Range<u64>> = split(rest, range_bytes).collect();
    let (fetcher, file) = (fetcher.clone(), file.clone());
    let pump = async move {
        let (fetcher, file) = (&fetcher, &file);
        let fetch = |piece: Range<u64>| async move {
            let guard = MemoryGuard::take(&fetcher.context.memory, piece.end - piece.start)?;
            let bytes = fetcher.store.get_range(&fetcher.context, &file.key, piece, file.etag.as_deref()).await?;
            Ok((bytes, guard))
        };
        let first = futures::stream::iter(first).then(fetch);
        let rest = futures::stream::iter(pieces).map(fetch).buffered(in_flight);
        let mut fetched = std::pin::pin!(first.chain(rest));
        while let Some(piece) = fetched.next().await {
            if sender.send(piece).await.is_err() {
                return;
            }
        }
    };
    let task = Task::on(&runtime::io(), pump);
    futures::stream::unfold((receiver, task), |(mut receiver, task)| async move {
        let piece = receiver.recv().await?;
        // From here on the bytes are on the account of whoever reads the stream.
        Some((piece.map(|(bytes, _)| bytes), (receiver, task)))
    })
    .boxed()
}

/// The first pieces of a range, each twice as long as the one before, until they are as long as any; and what is left.
fn growing(range: Range<u64>, range_bytes: u64) -> (Vec<Range<u64>>, Range<u64>) {
    let (mut pieces, mut from, mut bytes) = (Vec::new(), range.start, FIRST_RANGE_BYTES);
    while from < range.end && bytes < range_bytes {
        let to = (from + bytes).min(range.end);
        pieces.push(from..to);
        (from, bytes) = (to, 2 * bytes);
    }
    (pieces, from..range.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_grow_until_they_are_as_long_as_any() {
        let mib = 1 << 20;
        assert_eq!(
            growing(0..100 * mib, 10 * mib),
            (vec![0..mib, mib..3 * mib, 3 * mib..7 * mib, 7 * mib..15 * mib], 15 * mib..100 * mib)
        );
        assert_eq!(growing(5..10, 10 * mib), (vec![5..10], 10..10));
    }
}
