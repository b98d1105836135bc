//! What Parquet's writer puts out, on its way to the upload.
//!
//! Pages that we encoded ourselves (`strings`) go around that writer: it would copy them piece by piece into a buffer
//! that grows by doubling, and of long strings that is as much memory as the block itself. The writer gets as many bytes of
//! no meaning instead (a `Gap`), which it counts and puts where the pages belong; here they are left out again, by
//! their place in the file, and the pages stand in for them as they are.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use parking_lot::Mutex;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};

/// Shorter pieces are gathered: each that goes alone is a call of the store.
const ALONE_BYTES: usize = 64 << 10;

#[derive(Clone, Default)]
pub struct Outlet(Arc<Mutex<Held>>);

#[derive(Default)]
struct Held {
    ready: Vec<Bytes>,
    /// What came last.
    tail: BytesMut,
    /// Bytes of the file that came so far.
    position: u64,
    around: VecDeque<Around>,
}

/// Pieces of the file that lie from `at` to `end`.
struct Around {
    at: u64,
    end: u64,
    pieces: Vec<Bytes>,
}

impl Outlet {
    /// The pieces come into the file at this place. To be called before the gap for them is written.
    pub fn put_around(&self, at: u64, pieces: Vec<Bytes>) -> Gap {
        let bytes = pieces.iter().map(|piece| piece.len() as u64).sum();
        if bytes > 0 {
            self.0.lock().around.push_back(Around { at, end: at + bytes, pieces });
        }
        Gap(bytes)
    }

    /// What is to be sent, in order.
    pub fn take(&self) -> Vec<Bytes> {
        let mut held = self.0.lock();
        held.end_tail();
        std::mem::take(&mut held.ready)
    }
}

impl Held {
    fn end_tail(&mut self) {
        if !self.tail.is_empty() {
            let tail = self.tail.split().freeze();
            self.ready.push(tail);
        }
    }

    fn push(&mut self, piece: Bytes) {
        if piece.len() < ALONE_BYTES {
            self.tail.extend_from_slice(&piece);
            return;
        }
        self.end_tail();
        self.ready.push(piece);
    }
}

impl Write for Outlet {
    fn write(&mut self, data: &[u8]) -> std::io::Result<usize> {
        let mut held = self.0.lock();
        let mut left = data;
        while !left.is_empty() {
            let (position, most) = (held.position, left.len() as u64);
            let (bytes, is_around) = match held.around.front() {
                Some(next) if next.at <= position => ((next.end - position).min(most), true),
                Some(next) => ((next.at - position).min(most), false),
                None => (most, false),
            };
            let (now, later) = left.split_at(bytes as usize);
            match is_around {
                true => {
                    let pieces = held.around.front_mut().map(|next| std::mem::take(&mut next.pieces));
                    pieces.into_iter().flatten().for_each(|piece| held.push(piece));
                    held.around.pop_front_if(|next| next.end == position + bytes);
                }
                false => held.tail.extend_from_slice(now),
            }
            held.position += bytes;
            left = later;
        }
        Ok(data.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// That many bytes, whatever they are.
pub struct Gap(u64);

impl Length for Gap {
    fn len(&self) -> u64 {
        self.0
    }
}

impl ChunkReader for Gap {
    type T = GapReader;

    fn get_read(&self, start: u64) -> Result<GapReader, ParquetError> {
        Ok(GapReader(self.0.saturating_sub(start)))
    }

    fn get_bytes(&self, _start: u64, _length: usize) -> Result<Bytes, ParquetError> {
        Err(ParquetError::NYI("a gap has no bytes".to_string()))
    }
}

pub struct GapReader(u64);

impl Read for GapReader {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let bytes = self.0.min(buffer.len() as u64);
        self.0 -= bytes;
        Ok(bytes as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_stand_where_their_gaps_were_written() {
        let outlet = Outlet::default();
        // As Parquet's writer does, so that it is behind with what it was given.
        let mut writer = std::io::BufWriter::with_capacity(100, outlet.clone());
        let long = vec![7; ALONE_BYTES];
        let pieces = vec![Bytes::from_static(b"short"), Bytes::from(long.clone())];
        writer.write_all(b"begin").expect("written");
        let gap = outlet.put_around(5, pieces);
        std::io::copy(&mut gap.get_read(0).expect("a reader"), &mut writer).expect("copied");
        writer.write_all(b"middle").expect("written");
        let next = 5 + 5 + ALONE_BYTES as u64 + 6;
        let empty = outlet.put_around(next, Vec::new());
        assert_eq!(empty.len(), 0);
        let gap = outlet.put_around(next, vec![Bytes::from_static(b"last")]);
        std::io::copy(&mut gap.get_read(0).expect("a reader"), &mut writer).expect("copied");
        writer.write_all(b"end").expect("written");
        writer.flush().expect("flushed");
        let sent = outlet.take();
        assert_eq!(sent.len(), 3, "what is long goes alone");
        assert_eq!(sent.concat(), [&b"beginshort"[..], &long, b"middlelastend"].concat());
        assert!(outlet.take().is_empty());
    }
}
