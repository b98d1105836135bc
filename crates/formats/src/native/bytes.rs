//! Bytes that arrive in chunks cut anywhere, read as the protocol's primitives.
//!
//! Nothing is allocated because a length says so, only because bytes came: a length that lies costs its sender as much as
//! it costs the reader. What one block may hold in all is bounded by a budget.

use arrow::buffer::MutableBuffer;
use bytes::{Buf, Bytes, BytesMut};
use futures::{Stream, StreamExt};
use gristmill_base::allocations::{ASKED_FOR_BYTES, check_room};
use gristmill_base::{Error, ErrorCode, Result};

pub use gristmill_types::binary::{write_string, write_varuint};

/// Bytes that a block may have in memory.
pub const BLOCK_BYTES_MAX: u64 = gristmill_types::binary::BYTES_MAX;

/// Bytes that are made room for before they are there.
const ROOM_BYTES: usize = 1 << 20;

pub struct ByteReader<S> {
    source: S,
    held: BytesMut,
    budget: u64,
}

impl<S: Stream<Item = Result<Bytes>> + Unpin + Send> ByteReader<S> {
    pub fn new(source: S) -> Self {
        ByteReader { source, held: BytesMut::new(), budget: BLOCK_BYTES_MAX }
    }

    /// What was read so far no longer counts.
    pub fn begin(&mut self) {
        self.budget = BLOCK_BYTES_MAX;
    }

    /// Counts memory that is about to be used. Error: TOO_LARGE_ARRAY_SIZE.
    pub fn spend(&mut self, bytes: u64) -> Result<()> {
        self.budget = self.budget.checked_sub(bytes).ok_or_else(|| {
            Error::new(
                ErrorCode::TOO_LARGE_ARRAY_SIZE,
                format!("A block is larger than {BLOCK_BYTES_MAX} bytes: send smaller blocks"),
            )
        })?;
        Ok(())
    }

    /// Bytes that are there.
    pub fn held(&self) -> &[u8] {
        &self.held
    }

    pub fn advance(&mut self, bytes: usize) {
        self.held.advance(bytes.min(self.held.len()));
    }

    /// Waits for more bytes. False: there are none.
    pub async fn fill(&mut self) -> Result<bool> {
        loop {
            let Some(chunk) = self.source.next().await else { return Ok(false) };
            let chunk = chunk?;
            if chunk.is_empty() {
                continue;
            }
            if self.held.is_empty() {
                self.held = chunk.try_into_mut().unwrap_or_else(|shared| BytesMut::from(&shared[..]));
            } else {
                let needed = self.held.len() + chunk.len();
                check_growth(needed, self.held.capacity(), usize::MAX)?;
                self.held.extend_from_slice(&chunk);
            }
            return Ok(true);
        }
    }

    /// As `fill`, where the data must go on.
    pub async fn more(&mut self) -> Result<()> {
        match self.fill().await? {
            true => Ok(()),
            false => Err(Error::new(ErrorCode::ATTEMPT_TO_READ_AFTER_EOF, "The data ends within a block")),
        }
    }

    /// Whether the data is at its end.
    pub async fn at_end(&mut self) -> Result<bool> {
        Ok(self.held.is_empty() && !self.fill().await?)
    }

    pub async fn byte(&mut self) -> Result<u8> {
        while self.held.is_empty() {
            self.more().await?;
        }
        Ok(self.held.get_u8())
    }

    async fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        while self.held.len() < N {
            self.more().await?;
        }
        let mut out = [0; N];
        self.held.copy_to_slice(&mut out);
        Ok(out)
    }

    pub async fn i32(&mut self) -> Result<i32> {
        Ok(i32::from_le_bytes(self.array().await?))
    }

    pub async fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array().await?))
    }

    /// A number in groups of seven bits, the lowest first.
    pub async fn varuint(&mut self) -> Result<u64> {
        let mut value = 0u64;
        for shift in (0..70).step_by(7) {
            let byte = self.byte().await?;
            value |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Error::new(ErrorCode::INCORRECT_DATA, "A number of the native format has more than ten bytes"))
    }

    /// A length of something in memory.
    pub async fn length(&mut self) -> Result<usize> {
        let length = self.varuint().await?;
        if length > BLOCK_BYTES_MAX {
            return Err(Error::new(ErrorCode::TOO_LARGE_STRING_SIZE, format!("A length of {length} bytes is too large")));
        }
        Ok(length as usize)
    }

    /// That many bytes, aligned for any Arrow array.
    pub async fn exact(&mut self, bytes: usize) -> Result<MutableBuffer> {
        self.spend(bytes as u64)?;
        let mut out = MutableBuffer::with_capacity(bytes.min(ROOM_BYTES));
        while out.len() < bytes {
            if self.held.is_empty() {
                self.more().await?;
            }
            let taken = self.held.len().min(bytes - out.len());
            check_growth(out.len() + taken, out.capacity(), bytes)?;
            out.extend_from_slice(&self.held[..taken]);
            self.held.advance(taken);
        }
        Ok(out)
    }

    /// A string of up to so many bytes.
    pub async fn bytes(&mut self, most: usize) -> Result<Vec<u8>> {
        let length = self.length().await?;
        if length > most {
            return Err(Error::new(
                ErrorCode::TOO_LARGE_STRING_SIZE,
                format!("A string of {length} bytes came where up to {most} are expected"),
            ));
        }
        Ok(self.exact(length).await?.as_slice().to_vec())
    }

    /// As `bytes`, of text. What is not UTF-8 is replaced.
    pub async fn string(&mut self, most: usize) -> Result<String> {
        Ok(String::from_utf8_lossy(&self.bytes(most).await?).into_owned())
    }
}

/// Whether a buffer of that capacity may grow to hold so many bytes, of `most`. Errors: MEMORY_LIMIT_EXCEEDED.
fn check_growth(needed: usize, capacity: usize, most: usize) -> Result<()> {
    match needed > capacity && needed >= ASKED_FOR_BYTES {
        true => check_room(needed.max(capacity.saturating_mul(2)).min(most)),
        false => Ok(()),
    }
}
