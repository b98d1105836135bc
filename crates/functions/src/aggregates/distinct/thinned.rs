//! What `uniq` keeps: hashes of 32 bits, and where there are too many of them only those that end in a zero bit, then in two,
//! and so on: a fair sample of 2^-level of the values. Counts up to 65,536 are exact but for equal hashes.

use gristmill_base::Result;
use gristmill_types::binary::{varuint, write_varuint};

use super::table::Table;
use super::{Sketch, incorrect};

/// Hashes that are kept at most.
const KEPT_MAX: usize = 1 << 16;
/// The low bits of a hash say whether it is kept, those above where it lies.
const LOW_BITS: u32 = 15;

#[derive(Clone)]
pub struct Thinned {
    hashes: Table<u32, LOW_BITS, 4>,
    /// Kept are hashes that end in at least so many zero bits.
    level: u8,
}

impl Thinned {
    fn is_kept(&self, hash: u32) -> bool {
        hash.trailing_zeros() >= u32::from(self.level)
    }

    fn add(&mut self, hash: u32) {
        if !self.is_kept(hash) {
            return;
        }
        self.hashes.insert(hash, 2 * KEPT_MAX);
        while self.hashes.len() > KEPT_MAX {
            self.raise(self.level + 1);
        }
    }

    fn raise(&mut self, level: u8) {
        if level > self.level {
            self.level = level;
            self.hashes.retain(|hash| hash.trailing_zeros() >= u32::from(level));
        }
    }
}

impl Sketch for Thinned {
    type Shape = ();

    fn new((): &()) -> Self {
        Thinned { hashes: Table::new(), level: 0 }
    }

    fn insert(&mut self, key: u64, (): &()) {
        self.add(key as u32);
    }

    fn estimate(&self, (): &()) -> u64 {
        let kept = self.hashes.len() as u64;
        if self.level == 0 {
            return kept;
        }
        // A remainder that hides that the number is one of a power of two.
        let remainder = u64::from(crc(kept)) & ((1 << self.level) - 1);
        let of_hashes = ((kept << self.level) + remainder).min((1 << 32) - 1);
        // So many values fall on so many of the 2^32 hashes.
        let all = (1_u64 << 32) as f64;
        (all * (all.ln() - (all - of_hashes as f64).ln())).round() as u64
    }

    fn bytes(&self) -> usize {
        self.hashes.bytes()
    }

    fn merge(&mut self, other: &Self, (): &()) {
        self.raise(other.level);
        self.hashes.reserve(self.hashes.len() + other.hashes.len(), 2 * KEPT_MAX);
        other.hashes.iter().for_each(|hash| self.add(hash));
    }

    fn write(&self, (): &(), out: &mut Vec<u8>) {
        out.push(self.level);
        write_varuint(self.hashes.len() as u64, out);
        self.hashes.iter().for_each(|hash| out.extend_from_slice(&hash.to_le_bytes()));
    }

    fn read(bytes: &[u8], (): &()) -> Result<Self> {
        let (Some(&level), mut at) = (bytes.first(), 1) else { return Err(incorrect("uniq")) };
        let count = varuint(bytes, &mut at)?.ok_or_else(|| incorrect("uniq"))?;
        let words = &bytes[at..];
        if u32::from(level) > LOW_BITS + 1 || count > KEPT_MAX as u64 || words.len() as u64 != count * 4 {
            return Err(incorrect("uniq"));
        }
        let mut read = Thinned { hashes: Table::new(), level };
        if count > 0 {
            read.hashes.reserve(count as usize, 2 * KEPT_MAX);
        }
        for word in words.as_chunks::<4>().0 {
            read.add(u32::from_le_bytes(*word));
        }
        Ok(read)
    }
}

/// CRC-32C of a word, from a register of ones, without the last inversion.
fn crc(word: u64) -> u32 {
    word.to_le_bytes().into_iter().fold(u32::MAX, crate::hash::crc32c_step)
}
