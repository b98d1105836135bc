//! Vectors of numbers by index, as `groupNumericIndexedVector` keeps them: bit-sliced.
//!
//! A value is a number of fixed point in two's complement: so many bits before the point and so many behind it, 64 at most.
//! ClickHouse keeps for each of the bits the set of indexes whose value has it, and a set of the indexes whose value is zero;
//! what is in none of the sets has no value. Here a vector is a list of indexes with the bits of their values, which is cut
//! into sets when it is written. A set of up to 32 indexes is written as a list, in the order in which they came, unless it
//! was computed from other sets (`packed`); any other is a Roaring bitmap. Held is the form in bytes itself.

use gristmill_base::{Error, ErrorCode, Result};

use super::roaring;
use super::write::{SMALL_MAX, widened};
use crate::SqlType;
use crate::binary::{BYTES_MAX, text, write_string};

const INTEGER_BITS_MAX: u32 = 64;
const FRACTION_BITS_MAX: u32 = 24;
const BITS_MAX: u32 = 64;
/// Numbers that the sets of one vector may have together: a few bytes of a Roaring bitmap stand for thousands.
const NUMBERS_MAX: usize = (BYTES_MAX / 8) as usize;

fn incorrect(text: impl Into<String>) -> Error {
    Error::new(ErrorCode::INCORRECT_DATA, text)
}

fn cut() -> Error {
    incorrect("A vector ends too early")
}

/// Bits of the values before and behind the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bits {
    pub integer: u32,
    pub fraction: u32,
}

impl Bits {
    /// Error: BAD_ARGUMENTS where there are too many.
    pub fn new(integer: u32, fraction: u32) -> Result<Bits> {
        if integer > INTEGER_BITS_MAX || fraction > FRACTION_BITS_MAX {
            let text = format!(
                "integer_bit_num({integer}) and fraction_bit_num({fraction}) must be at most {INTEGER_BITS_MAX} and \
                 {FRACTION_BITS_MAX}"
            );
            return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
        }
        if integer + fraction > BITS_MAX {
            let text = format!("integer_bit_num({integer}) + fraction_bit_num({fraction}) must be at most {BITS_MAX}");
            return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
        }
        Ok(Bits { integer, fraction })
    }

    /// What a vector has where nothing else is asked for. `None`: values of the type cannot be in a vector.
    pub fn of(value: &SqlType) -> Option<Bits> {
        match value {
            SqlType::Float32 | SqlType::Float64 => Some(Bits { integer: 40, fraction: 24 }),
            SqlType::Bool => Some(Bits { integer: 8, fraction: 0 }),
            other => match other.integer_bits() {
                Some((bits, _)) if u32::from(bits) <= BITS_MAX => Some(Bits { integer: u32::from(bits), fraction: 0 }),
                _ => None,
            },
        }
    }

    pub fn total(self) -> u32 {
        self.integer + self.fraction
    }

    /// All bits that a value may have.
    pub fn mask(self) -> u64 {
        1u64.checked_shl(self.total()).map_or(u64::MAX, |over| over - 1)
    }
}

/// The type of indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexWidth {
    pub bytes: usize,
    pub signed: bool,
}

impl IndexWidth {
    /// `None`: values of the type cannot be indexes.
    pub fn of(index: &SqlType) -> Option<IndexWidth> {
        match index {
            SqlType::Bool => Some(IndexWidth { bytes: 1, signed: false }),
            other => match other.integer_bits()? {
                (bits, signed) if bits <= 32 => Some(IndexWidth { bytes: usize::from(bits / 8), signed }),
                _ => None,
            },
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct IndexedVector {
    pub bits: Bits,
    /// Indexes, widened to 32 bits with their sign, and the bits of their values. No index comes twice.
    pub entries: Vec<(u32, u64)>,
    /// Short sets are Roaring bitmaps too.
    pub packed: bool,
}

impl IndexedVector {
    pub fn new(bits: Bits) -> IndexedVector {
        IndexedVector { bits, entries: Vec::new(), packed: false }
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Appends the vector in ClickHouse's form.
    pub fn write(&self, width: IndexWidth, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.bits.integer.to_le_bytes());
        out.extend_from_slice(&self.bits.fraction.to_le_bytes());
        let those = |keep: &dyn Fn(u64) -> bool| {
            self.entries.iter().filter(|(_, value)| keep(*value)).map(|(index, _)| *index).collect::<Vec<u32>>()
        };
        write_set(those(&|value| value == 0), width, false, out);
        for bit in 0..self.bits.total() {
            write_set(those(&|value| value >> bit & 1 == 1), width, self.packed, out);
        }
    }

    /// Reads a vector that ClickHouse wrote. Errors: INCORRECT_DATA, BAD_ARGUMENTS, TOO_LARGE_ARRAY_SIZE.
    pub fn read(bytes: &[u8], width: IndexWidth, at: &mut usize) -> Result<IndexedVector> {
        let bits = Bits::new(roaring::u32_at(bytes, at)?, roaring::u32_at(bytes, at)?)?;
        let (mut left, mut packed, mut is_short) = (NUMBERS_MAX, false, true);
        // The set of zeroes, then one of each bit.
        let mut sets = Vec::with_capacity(1 + bits.total() as usize);
        for _ in 0..=bits.total() {
            let is_bitmap = bytes.get(*at..*at + 2).is_some_and(|head| head == [0, 1]);
            let set = read_set(bytes, width, at, &mut left)?;
            packed |= is_bitmap && set.len() <= SMALL_MAX && !sets.is_empty();
            is_short &= !is_bitmap;
            sets.push(set);
        }
        let entries = if is_short { by_arrival(&sets) } else { by_index(sets) };
        Ok(IndexedVector { bits, entries, packed })
    }

    /// Passes over a vector. False: the bytes end within it.
    pub(super) fn skip(bytes: &[u8], width: IndexWidth, at: &mut usize) -> Result<bool> {
        if bytes.len() < *at + 8 {
            return Ok(false);
        }
        let bits = Bits::new(roaring::u32_at(bytes, at)?, roaring::u32_at(bytes, at)?)?;
        for _ in 0..=bits.total() {
            let Some(is_empty) = bytes.get(*at) else { return Ok(false) };
            *at += 1;
            if *is_empty != 0 {
                continue;
            }
            let Some(head) = bytes.get(*at..*at + 2) else { return Ok(false) };
            match head[0] {
                0 => *at += 2 + usize::from(head[1]) * width.bytes,
                1 => {
                    *at += 1;
                    if text(bytes, at)?.is_none() {
                        return Ok(false);
                    }
                }
                other => return Err(incorrect(format!("A set of kind {other} is not known"))),
            }
            if *at > bytes.len() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn write_set(mut indexes: Vec<u32>, width: IndexWidth, packed: bool, out: &mut Vec<u8>) {
    out.push(u8::from(indexes.is_empty()));
    if indexes.is_empty() {
        return;
    }
    if indexes.len() <= SMALL_MAX && !packed {
        out.extend_from_slice(&[0, indexes.len() as u8]);
        indexes.iter().for_each(|index| out.extend_from_slice(&index.to_le_bytes()[..width.bytes]));
        return;
    }
    indexes.sort_unstable();
    let mut bitmap = Vec::new();
    roaring::write(&indexes, &mut bitmap);
    out.push(1);
    write_string(&bitmap, out);
}

fn read_set(bytes: &[u8], width: IndexWidth, at: &mut usize, left: &mut usize) -> Result<Vec<u32>> {
    let mut next = || {
        let byte = bytes.get(*at).copied().ok_or_else(cut)?;
        *at += 1;
        Ok::<u8, Error>(byte)
    };
    match next()? {
        0 => {}
        1 => return Ok(Vec::new()),
        other => return Err(incorrect(format!("Unknown value of is_empty: {other}"))),
    }
    let mut set = Vec::new();
    if next()? == 0 {
        let count = usize::from(next()?);
        if count > SMALL_MAX {
            return Err(incorrect(format!("A list of {count} indexes should be a bitmap")));
        }
        let length = count * width.bytes;
        let list = bytes.get(*at..*at + length).ok_or_else(cut)?;
        *at += length;
        for index in list.chunks_exact(width.bytes) {
            let mut wide = [0; 8];
            wide[..width.bytes].copy_from_slice(index);
            set.push(widened(u64::from_le_bytes(wide), width.bytes, width.signed));
        }
        return Ok(set);
    }
    let bitmap = text(bytes, at)?.ok_or_else(cut)?;
    let mut place = 0;
    roaring::read(bitmap, &mut place, &mut |index| {
        let mask = u32::MAX >> (32 - 8 * width.bytes);
        if widened(u64::from(index & mask), width.bytes, width.signed) != index {
            return Err(incorrect(format!("A vector has the index {index}, which its type has not")));
        }
        *left = left.checked_sub(1).ok_or_else(|| {
            Error::new(ErrorCode::TOO_LARGE_ARRAY_SIZE, "A state of groupNumericIndexedVector is too large in memory")
        })?;
        set.push(index);
        Ok(())
    })?;
    if place != bitmap.len() {
        return Err(incorrect("A bitmap is shorter than it says"));
    }
    Ok(set)
}

/// Values of short sets, the first of which has the zeroes, in the order in which indexes are met.
fn by_arrival(sets: &[Vec<u32>]) -> Vec<(u32, u64)> {
    let mut entries: Vec<(u32, u64)> = Vec::new();
    for (place, set) in sets.iter().enumerate() {
        let bit = place.checked_sub(1).map_or(0, |bit| 1u64 << bit);
        for index in set {
            match entries.iter_mut().find(|(known, _)| known == index) {
                Some((_, value)) => *value |= bit,
                None => entries.push((*index, bit)),
            }
        }
    }
    entries
}

/// Values of any sets, by ascending index.
fn by_index(mut sets: Vec<Vec<u32>>) -> Vec<(u32, u64)> {
    let mut indexes: Vec<u32> = sets.concat();
    indexes.sort_unstable();
    indexes.dedup();
    let mut entries: Vec<(u32, u64)> = indexes.into_iter().map(|index| (index, 0)).collect();
    for (bit, set) in sets.iter_mut().skip(1).enumerate() {
        set.sort_unstable();
        set.dedup();
        let mut entries = entries.iter_mut();
        // Every index of a set is among the entries.
        for index in set.iter() {
            if let Some((_, value)) = entries.by_ref().find(|(known, _)| known == index) {
                *value |= 1 << bit;
            }
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    const NARROW: IndexWidth = IndexWidth { bytes: 1, signed: false };
    const WIDE: IndexWidth = IndexWidth { bytes: 4, signed: false };

    fn bytes_of(vector: &IndexedVector, width: IndexWidth) -> Vec<u8> {
        let mut bytes = Vec::new();
        vector.write(width, &mut bytes);
        bytes
    }

    #[test]
    fn a_short_vector_is_a_list_of_each_bit() {
        let bits = Bits::new(3, 0).expect("few bits");
        let vector = IndexedVector { bits, entries: vec![(7, 5), (9, 0), (8, 1)], packed: false };
        // Bits, the zero, indexes with bits 1, 2 and 4.
        let expected = [3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 9, 0, 0, 2, 7, 8, 1, 0, 0, 1, 7];
        assert_eq!(bytes_of(&vector, NARROW), expected);
        let read = IndexedVector::read(&expected, NARROW, &mut 0).expect("reads");
        assert_eq!(bytes_of(&read, NARROW).len(), expected.len());
        assert_eq!(read.entries.iter().find(|(index, _)| *index == 7), Some(&(7, 5)));
    }

    #[test]
    fn a_long_vector_comes_back() {
        let bits = Bits::new(40, 24).expect("all bits");
        let entries: Vec<(u32, u64)> = (0..3000).map(|i| (i * 70_001, u64::from(i).wrapping_mul(0x9e37_79b9))).collect();
        let vector = IndexedVector { bits, entries, packed: false };
        let bytes = bytes_of(&vector, WIDE);
        let (mut at, mut end) = (0, 0);
        assert_eq!(IndexedVector::read(&bytes, WIDE, &mut at).expect("reads").entries, vector.entries);
        assert!(IndexedVector::skip(&bytes, WIDE, &mut end).expect("is measured"));
        assert_eq!((at, end), (bytes.len(), bytes.len()));
        assert!(!IndexedVector::skip(&bytes[..bytes.len() - 1], WIDE, &mut 0).expect("is cut"));
    }

    #[test]
    fn what_unfolds_beyond_memory_is_refused() {
        // Each of the 64 bits has the runs of 65,536 containers: 2^32 indexes.
        let mut bitmap = (12_347u32 | 0xffff << 16).to_le_bytes().to_vec();
        bitmap.resize(4 + (1 << 13), 0xff);
        (0..=u16::MAX).for_each(|high| bitmap.extend_from_slice(&[high.to_le_bytes(), [0xff, 0xff]].concat()));
        bitmap.resize(bitmap.len() + (4 << 16), 0);
        (0..=u16::MAX).for_each(|_| bitmap.extend_from_slice(&[1, 0, 0, 0, 0xff, 0xff]));
        let mut bytes = [64u32.to_le_bytes(), 0u32.to_le_bytes()].concat();
        bytes.push(1);
        for _ in 0..64 {
            bytes.extend_from_slice(&[0, 1]);
            write_string(&bitmap, &mut bytes);
        }
        let error = IndexedVector::read(&bytes, WIDE, &mut 0).expect_err("is too large");
        assert_eq!(error.code(), ErrorCode::TOO_LARGE_ARRAY_SIZE);
    }
}
