//! Which rows of a part DELETE FROM took out: an object beside the part's, and the numbers in it once they are read.
//!
//! ```text
//! magic "GMDELET1" · format u32 · payload length u32 · payload · xxh3-64 of all before
//! ```
//! The payload is a bitmap of row numbers in the portable format of Roaring (64 bits: a tree of its 32-bit bitmaps),
//! which other systems read too. Numbers are little-endian.

use std::ops::Range;

use bytes::Bytes;
use gristmill_base::{Error, ErrorCode, Result};
use roaring::RoaringTreemap;
use xxhash_rust::xxh3::xxh3_64;

const MAGIC: &[u8; 8] = b"GMDELET1";
const FORMAT: u32 = 1;
const HEADER_LENGTH: usize = MAGIC.len() + 8;

/// Numbers of rows of one part, from 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeletedRows(RoaringTreemap);

impl DeletedRows {
    /// Adds rows; gives how many were not there.
    pub fn add(&mut self, rows: impl IntoIterator<Item = u64>) -> u64 {
        let before = self.0.len();
        self.0.extend(rows);
        self.0.len() - before
    }

    pub fn rows(&self) -> u64 {
        self.0.len()
    }

    /// How many of a run of rows.
    pub fn count(&self, rows: Range<u64>) -> u64 {
        let below = |row: u64| row.checked_sub(1).map_or(0, |last| self.0.rank(last));
        below(rows.end) - below(rows.start)
    }

    /// Of a run of rows, ascending.
    pub fn among(&self, rows: Range<u64>) -> impl Iterator<Item = u64> + '_ {
        let mut all = self.0.iter();
        all.advance_to(rows.start);
        all.take_while(move |row| *row < rows.end)
    }

    pub fn memory_bytes(&self) -> u64 {
        self.0.serialized_size() as u64
    }

    pub fn has(&self, row: u64) -> bool {
        self.0.contains(row)
    }

    pub fn encode(&self) -> Result<Bytes> {
        let mut out = Vec::with_capacity(HEADER_LENGTH + self.0.serialized_size() + 8);
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&FORMAT.to_le_bytes());
        let length = u32::try_from(self.0.serialized_size());
        let length = length.map_err(|_| Error::logical("A bitmap of deleted rows has over 4 GiB"))?;
        out.extend_from_slice(&length.to_le_bytes());
        self.0.serialize_into(&mut out)?;
        out.extend_from_slice(&xxh3_64(&out).to_le_bytes());
        Ok(out.into())
    }

    /// Of a part of so many rows. Errors: CORRUPTED_DATA, UNSUPPORTED_PARAMETER.
    pub fn decode(key: &str, data: &[u8], rows: u64) -> Result<DeletedRows> {
        let damaged = |what: &str| {
            Error::new(ErrorCode::CORRUPTED_DATA, format!("{key}, the rows deleted from a part, is damaged: {what}"))
        };
        let body =
            data.len().checked_sub(8).filter(|body| *body >= HEADER_LENGTH).ok_or_else(|| damaged("it is cut off"))?;
        if data[body..] != xxh3_64(&data[..body]).to_le_bytes() || data[..8] != *MAGIC {
            return Err(damaged("its checksum does not fit"));
        }
        let word = |at: usize| u32::from_le_bytes([data[at], data[at + 1], data[at + 2], data[at + 3]]);
        if word(8) > FORMAT {
            return Err(Error::new(
                ErrorCode::UNSUPPORTED_PARAMETER,
                format!("{key} is of format {}, this program reads up to {FORMAT}: update it", word(8)),
            ));
        }
        let payload = &data[HEADER_LENGTH..body];
        if payload.len() != word(12) as usize {
            return Err(damaged("its length does not fit"));
        }
        let deleted = RoaringTreemap::deserialize_from(payload).map_err(|error| damaged(&error.to_string()))?;
        match deleted.max().is_some_and(|last| last >= rows) {
            true => Err(damaged("it names rows that the part does not have")),
            false => Ok(DeletedRows(deleted)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deleted(rows: &[u64]) -> DeletedRows {
        let mut deleted = DeletedRows::default();
        assert_eq!(deleted.add(rows.iter().copied()), rows.len() as u64);
        deleted
    }

    #[test]
    fn deleted_rows_of_a_run() {
        let deleted = deleted(&[0, 3, 4, 9]);
        assert_eq!((deleted.count(0..10), deleted.count(1..4), deleted.count(4..4), deleted.count(5..9)), (4, 1, 0, 0));
        assert_eq!(deleted.among(3..9).collect::<Vec<_>>(), [3, 4]);
    }

    #[test]
    fn what_is_written_is_read_and_damage_is_found() {
        let deleted = deleted(&[1, 7, 70_000, 5_000_000_000]);
        let data = deleted.encode().expect("encodes");
        assert_eq!(DeletedRows::decode("k", &data, 5_000_000_001).expect("decodes"), deleted);
        let error = DeletedRows::decode("k", &data, 5_000_000_000).expect_err("no such row");
        assert_eq!(error.code(), ErrorCode::CORRUPTED_DATA);
        for at in 0..data.len() {
            let mut damaged = data.to_vec();
            damaged[at] ^= 0x10;
            let error = DeletedRows::decode("the key", &damaged, u64::MAX).expect_err("damage goes unnoticed");
            assert!(error.to_string().contains("the key"), "{error}");
            assert!(DeletedRows::decode("k", &data[..at], u64::MAX).is_err());
        }
    }

    /// The bytes that version 1 of the format has.
    #[test]
    fn the_format_stays() {
        let data = deleted(&[1, 2, 70_000]).encode().expect("encodes");
        let hexadecimal: String = data.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hexadecimal, GOLDEN);
    }

    const GOLDEN: &str = concat!(
        "474d44454c455431010000002a0000000100000000000000000000003a30000002000000000001000100000018",
        "0000001c000000010002007011a89656ace9722d46"
    );
}
