//! Bytes in runs, and bits in such bytes: booleans, and which values of a column are there.
//!
//! A run is a control byte and one byte that is repeated (3 to 130 times), or up to 128 bytes as they are. Of eight bits the
//! highest comes first.

use arrow::array::BooleanBufferBuilder;
use arrow::buffer::BooleanBuffer;
use gristmill_base::Result;

use super::ended;

const REPEATS_MIN: usize = 3;
const REPEATS_MAX: usize = 130;
const LITERALS_MAX: usize = 128;

#[derive(Debug, Default)]
pub struct ByteRuns {
    bytes: Vec<u8>,
    at: usize,
    /// Values of the run that are left; `Some`: all that byte.
    left: usize,
    repeated: Option<u8>,
}

impl ByteRuns {
    pub fn new(bytes: Vec<u8>) -> Self {
        ByteRuns { bytes, ..Default::default() }
    }

    fn byte(&mut self) -> Result<u8> {
        let byte = *self.bytes.get(self.at).ok_or_else(ended)?;
        self.at += 1;
        Ok(byte)
    }

    pub fn next(&mut self) -> Result<u8> {
        if self.left == 0 {
            let control = self.byte()?;
            if control < 128 {
                self.left = usize::from(control) + REPEATS_MIN;
                self.repeated = Some(self.byte()?);
            } else {
                self.left = 256 - usize::from(control);
                self.repeated = None;
            }
        }
        self.left -= 1;
        match self.repeated {
            Some(byte) => Ok(byte),
            None => self.byte(),
        }
    }
}

#[derive(Debug, Default)]
pub struct Bits {
    bytes: ByteRuns,
    /// The byte whose bits are read, and how many of these are left.
    byte: u8,
    left: u32,
}

impl Bits {
    pub fn new(bytes: Vec<u8>) -> Self {
        Bits { bytes: ByteRuns::new(bytes), byte: 0, left: 0 }
    }

    /// The next so many. Errors: CANNOT_READ_ALL_DATA.
    pub fn take(&mut self, count: usize) -> Result<BooleanBuffer> {
        let mut out = BooleanBufferBuilder::new(count.min(1 << 16));
        while out.len() < count {
            if self.left == 0 {
                (self.byte, self.left) = (self.bytes.next()?, 8);
                if count - out.len() >= 8 && matches!(self.byte, 0 | 0xFF) {
                    out.append_n(8, self.byte != 0);
                    self.left = 0;
                    continue;
                }
            }
            self.left -= 1;
            out.append(self.byte >> self.left & 1 == 1);
        }
        Ok(out.finish())
    }
}

#[derive(Debug, Default)]
pub struct ByteRunsOut {
    out: Vec<u8>,
    literals: Vec<u8>,
    /// The last values, which are the same, and behind the literals.
    value: u8,
    repeats: usize,
}

impl ByteRunsOut {
    pub fn push(&mut self, value: u8) {
        if self.repeats > 0 && value == self.value {
            self.repeats += 1;
            if self.repeats == REPEATS_MAX {
                self.end_run();
            }
            return;
        }
        self.end_run();
        (self.value, self.repeats) = (value, 1);
    }

    fn end_run(&mut self) {
        if self.repeats >= REPEATS_MIN {
            self.end_literals();
            self.out.extend([(self.repeats - REPEATS_MIN) as u8, self.value]);
        } else {
            self.literals.extend(std::iter::repeat_n(self.value, self.repeats));
            if self.literals.len() >= LITERALS_MAX {
                self.end_literals();
            }
        }
        self.repeats = 0;
    }

    fn end_literals(&mut self) {
        for piece in self.literals.chunks(LITERALS_MAX) {
            self.out.push((256 - piece.len()) as u8);
            self.out.extend_from_slice(piece);
        }
        self.literals.clear();
    }

    pub fn len(&self) -> usize {
        self.out.len() + self.literals.len()
    }

    /// The stream, which begins anew.
    pub fn finish(&mut self) -> Vec<u8> {
        self.end_run();
        self.end_literals();
        std::mem::take(&mut self.out)
    }
}

#[derive(Debug, Default)]
pub struct BitsOut {
    bytes: ByteRunsOut,
    byte: u8,
    filled: u32,
}

impl BitsOut {
    pub fn push(&mut self, bit: bool) {
        self.byte = self.byte << 1 | u8::from(bit);
        self.filled += 1;
        if self.filled == 8 {
            self.bytes.push(self.byte);
            (self.byte, self.filled) = (0, 0);
        }
    }

    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The stream, which begins anew.
    pub fn finish(&mut self) -> Vec<u8> {
        if self.filled > 0 {
            self.bytes.push(self.byte << (8 - self.filled));
            (self.byte, self.filled) = (0, 0);
        }
        self.bytes.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_bits_come_back() {
        for period in [1, 2, 3, 5, 129, 131, 400] {
            let values: Vec<u8> = (0..1000usize).map(|at| (at / period * 37 + (at % 7 == 0) as usize) as u8).collect();
            let mut out = ByteRunsOut::default();
            values.iter().for_each(|value| out.push(*value));
            let mut read = ByteRuns::new(out.finish());
            assert!(values.iter().all(|value| read.next().expect("a byte") == *value), "{period}");
            assert!(read.next().is_err());

            let bits: Vec<bool> = values.iter().map(|value| value % 3 == 0).collect();
            let mut out = BitsOut::default();
            bits.iter().for_each(|bit| out.push(*bit));
            let mut read = Bits::new(out.finish());
            for piece in bits.chunks(period) {
                assert_eq!(read.take(piece.len()).expect("bits").iter().collect::<Vec<_>>(), piece);
            }
        }
        let mut out = ByteRunsOut::default();
        (0..100_000).for_each(|_| out.push(5));
        assert_eq!(out.finish().len(), 2 * 100_000usize.div_ceil(REPEATS_MAX));
    }

    #[test]
    fn the_examples_of_the_specification_are_read() {
        let mut run = ByteRuns::new(vec![0x61, 0x00, 0xFE, 0x44, 0x45]);
        let values: Vec<u8> = (0..102).map(|_| run.next().expect("a byte")).collect();
        assert_eq!((&values[..100], &values[100..]), (&[0; 100][..], &[0x44, 0x45][..]));
        let bits = Bits::new(vec![0xFF, 0x80]).take(8).expect("bits");
        assert_eq!(bits.iter().collect::<Vec<_>>(), [true, false, false, false, false, false, false, false]);
    }
}
