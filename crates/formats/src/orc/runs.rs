//! Whole numbers in runs, of both versions of the encoding.
//!
//! Version 1: a control byte, then a number that grows by a step (3 to 130 times), or up to 128 numbers as they are.
//! Version 2: up to 512 numbers, in one of four ways, told by the highest two bits: one number repeated; packed in so many
//! bits each; packed less a base, with single larger ones patched in; or the first one and what each adds to the one before.
//! Signed numbers have their sign in the lowest bit, unless they are less a base.

use gristmill_base::Result;

use super::{ended, incorrect};

/// How a column's numbers are encoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Version {
    One,
    Two,
}

#[derive(Debug)]
pub struct Integers {
    bytes: Vec<u8>,
    at: usize,
    is_signed: bool,
    version: Version,
    /// The run that is read, and how much of it is given.
    run: Vec<i64>,
    given: usize,
}

impl Integers {
    pub fn new(bytes: Vec<u8>, is_signed: bool, version: Version) -> Self {
        Integers { bytes, at: 0, is_signed, version, run: Vec::new(), given: 0 }
    }

    /// The next so many. Room is made as they come. Errors: CANNOT_READ_ALL_DATA, INCORRECT_DATA.
    pub fn take(&mut self, count: usize) -> Result<Vec<i64>> {
        let mut out = Vec::with_capacity(count.min(1 << 16));
        while out.len() < count {
            if self.given == self.run.len() {
                self.run.clear();
                self.given = 0;
                match self.version {
                    Version::One => self.next_of_one()?,
                    Version::Two => self.next_of_two()?,
                }
            }
            let taken = (count - out.len()).min(self.run.len() - self.given);
            out.extend_from_slice(&self.run[self.given..self.given + taken]);
            self.given += taken;
        }
        Ok(out)
    }

    fn byte(&mut self) -> Result<u8> {
        let byte = *self.bytes.get(self.at).ok_or_else(ended)?;
        self.at += 1;
        Ok(byte)
    }

    fn varint(&mut self) -> Result<u64> {
        let mut value = 0u64;
        for group in 0..10 {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7F).wrapping_shl(7 * group);
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(incorrect("a whole number does not end"))
    }

    fn number(&mut self) -> Result<i64> {
        let value = self.varint()?;
        Ok(if self.is_signed { unfolded(value) } else { value as i64 })
    }

    fn next_of_one(&mut self) -> Result<()> {
        let control = self.byte()?;
        if control < 128 {
            let step = i64::from(self.byte()? as i8);
            let first = self.number()?;
            let count = i64::from(control) + 3;
            self.run.extend((0..count).map(|at| first.wrapping_add(step.wrapping_mul(at))));
            return Ok(());
        }
        for _ in 0..256 - u32::from(control) {
            let number = self.number()?;
            self.run.push(number);
        }
        Ok(())
    }

    fn next_of_two(&mut self) -> Result<()> {
        let first = self.byte()?;
        match first >> 6 {
            0 => {
                let value = self.big_endian(usize::from(first >> 3 & 7) + 1)?;
                let value = if self.is_signed { unfolded(value) } else { value as i64 };
                self.run.resize(usize::from(first & 7) + 3, value);
            }
            1 => {
                let (width, count) = self.width_and_count(first)?;
                let packed = self.packed(width, count)?;
                let is_signed = self.is_signed;
                self.run.extend(packed.map(|value| if is_signed { unfolded(value) } else { value as i64 }));
            }
            2 => self.patched(first)?,
            _ => {
                let (width, count) = self.width_and_count(first)?;
                let width = if first >> 1 & 31 == 0 { 0 } else { width };
                let mut value = self.number()?;
                let step = unfolded(self.varint()?);
                let steps: Vec<u64> =
                    if width > 0 { self.packed(width, count.saturating_sub(2))?.collect() } else { Vec::new() };
                self.run.push(value);
                for at in 1..count {
                    let more = match steps.get(at.wrapping_sub(2)) {
                        Some(more) if step < 0 => (*more as i64).wrapping_neg(),
                        Some(more) => *more as i64,
                        None => step,
                    };
                    value = value.wrapping_add(more);
                    self.run.push(value);
                }
            }
        }
        Ok(())
    }

    fn patched(&mut self, first: u8) -> Result<()> {
        let (width, count) = self.width_and_count(first)?;
        let (third, fourth) = (self.byte()?, self.byte()?);
        let base_bytes = usize::from(third >> 5) + 1;
        let (patch_width, gap_width) = (width_of(third & 31), u32::from(fourth >> 5) + 1);
        let patches = usize::from(fourth & 31);
        let base = self.big_endian(base_bytes)?;
        // The highest bit of the base is its sign.
        let sign = 1u64 << (8 * base_bytes - 1);
        let base = if base & sign == 0 { base as i64 } else { ((base & !sign) as i64).wrapping_neg() };
        let mut values: Vec<u64> = self.packed(width, count)?.collect();
        if patch_width + gap_width > 64 {
            return Err(incorrect("a patch has more than 64 bits"));
        }
        let entries: Vec<u64> = self.packed(closest_width(patch_width + gap_width), patches)?.collect();
        let mut at = 0usize;
        for entry in entries {
            let patch = if patch_width == 64 { entry } else { entry & ((1 << patch_width) - 1) };
            at = at.saturating_add(entry.checked_shr(patch_width).unwrap_or(0) as usize);
            let value = values.get_mut(at).ok_or_else(|| incorrect("a patch is behind its run"))?;
            *value |= patch.checked_shl(width).unwrap_or(0);
        }
        self.run.extend(values.into_iter().map(|value| base.wrapping_add(value as i64)));
        Ok(())
    }

    /// Bits of a number, and how many numbers there are.
    fn width_and_count(&mut self, first: u8) -> Result<(u32, usize)> {
        let second = self.byte()?;
        Ok((width_of(first >> 1 & 31), (usize::from(first & 1) << 8 | usize::from(second)) + 1))
    }

    fn big_endian(&mut self, bytes: usize) -> Result<u64> {
        (0..bytes).try_fold(0u64, |value, _| Ok(value << 8 | u64::from(self.byte()?)))
    }

    /// Numbers of so many bits, the highest first, in whole bytes together.
    fn packed(&mut self, width: u32, count: usize) -> Result<impl Iterator<Item = u64> + use<>> {
        let bytes = (width as usize * count).div_ceil(8);
        let packed = self.bytes.get(self.at..self.at + bytes).ok_or_else(ended)?.to_vec();
        self.at += bytes;
        let (mut at, mut held, mut bits) = (0, 0u128, 0);
        Ok((0..count).map(move |_| {
            while bits < width {
                held = held << 8 | u128::from(packed[at]);
                at += 1;
                bits += 8;
            }
            bits -= width;
            let value = (held >> bits) as u64 & u64::MAX >> (64 - width);
            held &= (1 << bits) - 1;
            value
        }))
    }
}

fn unfolded(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// The bits that a code stands for.
pub(super) fn width_of(code: u8) -> u32 {
    match code {
        0..=23 => u32::from(code) + 1,
        24 => 26,
        25 => 28,
        26 => 30,
        27 => 32,
        28 => 40,
        29 => 48,
        30 => 56,
        _ => 64,
    }
}

/// The least width of those with a code that holds so many bits.
pub(super) fn closest_width(bits: u32) -> u32 {
    (0..32).map(width_of).find(|width| *width >= bits).unwrap_or(64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], is_signed: bool, version: Version, count: usize) -> Vec<i64> {
        Integers::new(bytes.to_vec(), is_signed, version).take(count).expect("numbers")
    }

    #[test]
    fn the_examples_of_the_specification_are_read() {
        assert_eq!(read(&[0x61, 0x00, 0x07], false, Version::One, 100), [7; 100]);
        assert_eq!(read(&[0x61, 0xFF, 0x64], false, Version::One, 100), (1..=100).rev().collect::<Vec<_>>());
        assert_eq!(read(&[0xFB, 0x02, 0x03, 0x04, 0x07, 0x0B], false, Version::One, 5), [2, 3, 4, 7, 11]);
        assert_eq!(read(&[0x0A, 0x27, 0x10], false, Version::Two, 5), [10000; 5]);
        let direct = [0x5E, 0x03, 0x5C, 0xA1, 0xAB, 0x1E, 0xDE, 0xAD, 0xBE, 0xEF];
        assert_eq!(read(&direct, false, Version::Two, 4), [23713, 43806, 57005, 48879]);
        let delta = [0xC6, 0x09, 0x02, 0x02, 0x22, 0x42, 0x42, 0x46];
        assert_eq!(read(&delta, false, Version::Two, 10), [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]);
        let patched = [
            0x8E, 0x13, 0x2B, 0x21, 0x07, 0xD0, 0x1E, 0x00, 0x14, 0x70, 0x28, 0x32, 0x3C, 0x46, 0x50, 0x5A, 0x64, 0x6E,
            0x78, 0x82, 0x8C, 0x96, 0xA0, 0xAA, 0xB4, 0xBE, 0xFC, 0xE8,
        ];
        let mut values = vec![2030, 2000, 2020, 1_000_000];
        values.extend((2040..=2190).step_by(10));
        assert_eq!(read(&patched, false, Version::Two, 20), values);
    }

    #[test]
    fn numbers_that_are_not_there_are_missed() {
        for bytes in [&[][..], &[0x61], &[0x61, 0x00], &[0xFB, 0x02]] {
            assert!(Integers::new(bytes.to_vec(), false, Version::One).take(5).is_err());
        }
        for bytes in [&[0x0A, 0x27][..], &[0x5E, 0x03, 0x5C], &[0xC6, 0x09, 0x02], &[0x8E, 0x13]] {
            assert!(Integers::new(bytes.to_vec(), false, Version::Two).take(50).is_err());
        }
    }
}
