//! Bytes that are nearly right: for tests that feed decoders what broken and hostile clients may send.
//!
//! One seed gives one sequence, so a failure is seen again by its number. A mutation changes what is valid in one to six
//! places: a bit, a byte, a byte that is one of the borders of lengths, a number of several bytes, a piece left out, doubled or
//! taken from another example, the end cut off. What decoders look at first (lengths, counts, codes) is where such changes
//! hurt, and there they mostly land, as the examples are short.
//!
//! `Rounds` says for how long: some rounds in every run of the tests, and for FUZZ_SECONDS where that is set (`make fuzz`).

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::allocations::{Tally, enter};

/// Bytes that are borders somewhere.
const BORDERS: &[u8] = &[0, 1, 2, 0x7f, 0x80, 0x81, 0xfe, 0xff];
/// Numbers that are borders of lengths.
const NUMBERS: &[u64] =
    &[0, 1, 1 << 20, (1 << 27) - 1, 1 << 27, 1 << 28, 1 << 30, (1 << 30) + 1, u32::MAX as u64, i64::MAX as u64, u64::MAX];

/// A source of changed bytes.
#[derive(Debug, Clone)]
pub struct Mutations {
    state: u64,
}

impl Mutations {
    /// The sequence of a seed.
    pub fn of(seed: u64) -> Mutations {
        Mutations { state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1 }
    }

    /// A number below `end` (SplitMix64).
    pub fn below(&mut self, end: usize) -> usize {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % end.max(1) as u64) as usize
    }

    /// One of the examples, changed.
    pub fn changed(&mut self, examples: &[Vec<u8>]) -> Vec<u8> {
        let which = self.below(examples.len());
        let mut bytes = examples[which].clone();
        for _ in 0..=self.below(6) {
            self.change(&mut bytes, examples);
        }
        bytes
    }

    fn change(&mut self, bytes: &mut Vec<u8>, examples: &[Vec<u8>]) {
        let at = self.below(bytes.len().max(1));
        let end = (at + 1 + self.below(16)).min(bytes.len());
        match self.below(9) {
            0 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
            1 if at < bytes.len() => bytes[at] = self.below(256) as u8,
            2 if at < bytes.len() => bytes[at] = BORDERS[self.below(BORDERS.len())],
            // A number as eight bytes, or in groups of seven bits.
            3 => {
                let number = NUMBERS[self.below(NUMBERS.len())];
                for (place, byte) in number.to_le_bytes().into_iter().enumerate() {
                    if let Some(changed) = bytes.get_mut(at + place) {
                        *changed = byte;
                    }
                }
            }
            4 => {
                let mut number = NUMBERS[self.below(NUMBERS.len())];
                let mut groups = Vec::new();
                while number >= 0x80 {
                    groups.push(number as u8 | 0x80);
                    number >>= 7;
                }
                groups.push(number as u8);
                bytes.splice(at.min(bytes.len())..(at + 1).min(bytes.len()), groups);
            }
            5 if at < end => drop(bytes.drain(at..end)),
            6 if at < end => {
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            7 => {
                let other = &examples[self.below(examples.len())];
                let from = self.below(other.len().max(1)).min(other.len());
                let piece = other[from..(from + 1 + self.below(32)).min(other.len())].to_vec();
                bytes.splice(at.min(bytes.len())..at.min(bytes.len()), piece);
            }
            _ => bytes.truncate(at + bytes.len() / 4),
        }
    }
}

/// How often a test goes round: at least so many times, and until FUZZ_SECONDS are over.
#[derive(Debug)]
pub struct Rounds {
    least: u64,
    done: u64,
    until: Option<Instant>,
}

impl Rounds {
    /// At least so many rounds.
    pub fn at_least(least: u64) -> Rounds {
        let seconds = std::env::var("FUZZ_SECONDS").ok().and_then(|text| text.parse().ok());
        Rounds { least, done: 0, until: seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds)) }
    }
}

impl Iterator for Rounds {
    /// The round, which is a seed.
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        if self.done >= self.least && self.until.is_none_or(|until| Instant::now() >= until) {
            return None;
        }
        self.done += 1;
        Some(self.done)
    }
}

/// Memory that the few hundred bytes of an example may take while they are read: decoders make room for a megabyte at a time,
/// of several columns.
const MEMORY_MAX: u64 = 64 << 20;
/// Time that they may take, of a test that shares its machine.
const LONGEST: Duration = Duration::from_secs(5);

/// Runs a round and checks what it took. (The process counts its memory where `CountingAllocator` is its allocator.)
///
/// # Panics
/// Where it took more than `MEMORY_MAX` or `LONGEST`.
pub fn bounded(what: &str, round: u64, bytes: &[u8], run: impl FnOnce()) {
    let (tally, began) = (Arc::new(Tally::default()), Instant::now());
    {
        let _counts = enter(&tally);
        run();
    }
    let (peak, took) = (tally.peak_bytes(), began.elapsed());
    assert!(peak < MEMORY_MAX, "{what}, round {round}: {peak} bytes of memory for {bytes:02x?}");
    assert!(took < LONGEST, "{what}, round {round}: {took:?} for {bytes:02x?}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_bytes_again_and_another_gives_others() {
        let examples = vec![vec![1, 2, 3, 4, 5, 6], vec![], b"text".to_vec()];
        let of = |seed| {
            let mut mutations = Mutations::of(seed);
            (0..100).map(|_| mutations.changed(&examples)).collect::<Vec<_>>()
        };
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
    }
}
