//! Whole numbers into runs of version 2 of the encoding.
//!
//! Up to 512 numbers are looked at together. Stretches that grow by the same step (as repeated numbers and row numbers do)
//! become a run each; what lies between them is packed in as many bits as the largest number needs. Bits of more cunning
//! encodings are left to the compression of the stream.

use super::runs::{closest_width, width_of};

const RUN_MAX: usize = 512;
/// A stretch that is worth a run of its own, which has about six bytes.
const STRETCH_MIN: usize = 8;
/// Numbers that the short form repeats.
const SHORT: std::ops::RangeInclusive<usize> = 3..=10;

#[derive(Debug)]
pub struct IntegersOut {
    out: Vec<u8>,
    waiting: Vec<i64>,
    is_signed: bool,
}

impl IntegersOut {
    pub fn new(is_signed: bool) -> Self {
        IntegersOut { out: Vec::new(), waiting: Vec::with_capacity(RUN_MAX), is_signed }
    }

    pub fn push(&mut self, value: i64) {
        self.waiting.push(value);
        if self.waiting.len() == RUN_MAX {
            self.end_runs();
        }
    }

    pub fn len(&self) -> usize {
        self.out.len() + self.waiting.len() * 8
    }

    /// The stream, which begins anew.
    pub fn finish(&mut self) -> Vec<u8> {
        self.end_runs();
        std::mem::take(&mut self.out)
    }

    fn end_runs(&mut self) {
        let values = std::mem::take(&mut self.waiting);
        let (mut from, mut literals) = (0, 0);
        while from < values.len() {
            let stretch = stretch(&values[from..]);
            let is_short =
                SHORT.contains(&stretch) && values[from..from + stretch].iter().all(|value| *value == values[from]);
            if stretch < STRETCH_MIN && !is_short {
                from += 1;
                continue;
            }
            self.direct(&values[literals..from]);
            let run = &values[from..from + stretch];
            if is_short {
                self.short(run)
            } else {
                self.steps(run)
            }
            from += stretch;
            literals = from;
        }
        self.direct(&values[literals..]);
        self.waiting = values;
        self.waiting.clear();
    }

    fn folded(&self, value: i64) -> u64 {
        if self.is_signed { (value << 1 ^ value >> 63) as u64 } else { value as u64 }
    }

    fn short(&mut self, run: &[i64]) {
        let value = self.folded(run[0]);
        let bytes = (64 - value.leading_zeros()).div_ceil(8).max(1) as usize;
        self.out.push(((bytes - 1) << 3 | (run.len() - SHORT.start())) as u8);
        self.out.extend_from_slice(&value.to_be_bytes()[8 - bytes..]);
    }

    /// A number, and the step that all that follow are apart.
    fn steps(&mut self, run: &[i64]) {
        let step = run[1].wrapping_sub(run[0]);
        self.header(3, 0, run.len());
        let first = self.folded(run[0]);
        self.varint(first);
        self.varint((step << 1 ^ step >> 63) as u64);
    }

    fn direct(&mut self, run: &[i64]) {
        if run.is_empty() {
            return;
        }
        let values = run.iter().map(|value| self.folded(*value)).collect::<Vec<_>>();
        let all = values.iter().fold(0, |all, value| all | value);
        let width = closest_width((64 - all.leading_zeros()).max(1));
        let code = (0..32).find(|code| width_of(*code) == width).unwrap_or(31);
        self.header(1, code, run.len());
        let (mut held, mut bits) = (0u128, 0);
        for value in values {
            held = held << width | u128::from(value);
            bits += width;
            while bits >= 8 {
                bits -= 8;
                self.out.push((held >> bits) as u8);
            }
            held &= (1 << bits) - 1;
        }
        if bits > 0 {
            self.out.push((held << (8 - bits)) as u8);
        }
    }

    fn header(&mut self, encoding: u8, code: u8, count: usize) {
        let count = count - 1;
        self.out.extend([encoding << 6 | code << 1 | (count >> 8) as u8, count as u8]);
    }

    fn varint(&mut self, value: u64) {
        super::proto::write_varint(value, &mut self.out);
    }
}

/// How many of the first numbers are the same step apart, which is one of 63 bits.
fn stretch(values: &[i64]) -> usize {
    let [first, second, ..] = values else { return values.len() };
    let Some(step) = second.checked_sub(*first) else { return 1 };
    1 + values.windows(2).take_while(|pair| pair[1].checked_sub(pair[0]) == Some(step)).count()
}

#[cfg(test)]
mod tests {
    use super::super::runs::{Integers, Version};
    use super::*;

    fn there_and_back(values: &[i64], is_signed: bool) -> usize {
        let mut out = IntegersOut::new(is_signed);
        values.iter().for_each(|value| out.push(*value));
        let bytes = out.finish();
        let length = bytes.len();
        let mut read = Integers::new(bytes, is_signed, Version::Two);
        assert_eq!(read.take(values.len()).expect("numbers"), values);
        assert!(read.take(1).is_err(), "no more than these");
        length
    }

    #[test]
    fn numbers_come_back_whatever_they_are() {
        let random = |bits: u32| {
            move |at: i64| ((at as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29) >> (64 - bits)) as i64
        };
        for count in [0, 1, 2, 3, 9, 10, 11, 511, 512, 513, 2000] {
            for bits in [1, 2, 7, 24, 25, 31, 33, 57, 63] {
                let values: Vec<i64> = (0..count).map(random(bits)).collect();
                there_and_back(&values, false);
                there_and_back(&values.iter().map(|value| value.wrapping_neg()).collect::<Vec<_>>(), true);
            }
            there_and_back(&(0..count).map(|at| at / 5).collect::<Vec<_>>(), false);
            there_and_back(&(0..count).map(|at| if at % 2 == 0 { i64::MIN } else { i64::MAX }).collect::<Vec<_>>(), true);
        }
    }

    #[test]
    fn repeated_and_growing_numbers_take_little() {
        assert!(there_and_back(&[77; 100_000], true) < 1200);
        assert!(there_and_back(&(0..100_000).collect::<Vec<_>>(), false) < 1500);
        assert!(there_and_back(&(0..1000).map(|at| at % 2).collect::<Vec<_>>(), false) < 140);
    }
}
