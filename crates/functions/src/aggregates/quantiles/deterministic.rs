//! `quantileDeterministic`: a sample that does not depend on the order of rows. Kept are the values whose second argument has a
//! hash that ends in so many zero bits, one more each time that there are too many.

use gristmill_base::Result;

use super::summaries::{Summary, incorrect, read_values, read_word, write_values};
use super::{Answer, Ranked};
use crate::hash::int_hash_64;

/// Values that are kept at most.
const SAMPLE: usize = 8192;

pub struct Deterministic<N> {
    values: Vec<(N, u32)>,
    /// Zero bits that the hashes of kept values end in.
    level: u32,
}

impl<N: Ranked> Deterministic<N> {
    fn insert(&mut self, value: N, hash: u32) {
        while hash.trailing_zeros() >= self.level {
            if self.values.len() < SAMPLE || self.level == u32::BITS {
                self.values.push((value, hash));
                return;
            }
            self.raise(self.level + 1);
        }
    }

    fn raise(&mut self, level: u32) {
        self.level = level;
        self.values.retain(|(_, hash)| hash.trailing_zeros() >= level);
    }
}

impl<N: Ranked> Summary for Deterministic<N> {
    type Value = N;
    type Shape = ();

    fn new((): ()) -> Self {
        Deterministic { values: Vec::new(), level: 0 }
    }

    fn add(&mut self, value: N, second: u64, (): ()) -> Result<()> {
        self.insert(value, int_hash_64(second) as u32);
        Ok(())
    }

    fn merge(&mut self, other: Self, (): ()) -> Result<()> {
        if other.level > self.level {
            self.raise(other.level);
        }
        other.values.into_iter().for_each(|(value, hash)| self.insert(value, hash));
        Ok(())
    }

    fn write(&mut self, (): (), words: &mut Vec<u64>) {
        words.extend([u64::from(self.level), self.values.len() as u64]);
        words.extend(self.values.iter().map(|(_, hash)| u64::from(*hash)));
        write_values(&self.values.iter().map(|(value, _)| *value).collect::<Vec<_>>(), words);
    }

    fn read(mut words: &[u64], (): ()) -> Result<Self> {
        let level = u32::try_from(read_word(&mut words)?).ok().filter(|level| *level <= u32::BITS).ok_or_else(incorrect)?;
        let count = usize::try_from(read_word(&mut words)?).map_err(|_| incorrect())?;
        let hashes = read_values::<u64>(count, &mut words)?;
        let values = read_values::<N>(count, &mut words)?;
        let values = values.iter().zip(hashes.iter()).map(|(value, hash)| (*value, *hash as u32)).collect();
        Ok(Deterministic { values, level })
    }

    fn answer(&mut self, levels: &[f64], (): (), out: &mut Vec<Answer<N>>) {
        let mut values: Vec<N> = self.values.iter().map(|(value, _)| *value).collect();
        for level in levels {
            out.push(match values.len() {
                0 => Answer::Float(f64::NAN),
                size => super::values::interpolate(&mut values, level * (size - 1) as f64),
            });
        }
    }

    fn bytes(&self) -> usize {
        self.values.capacity() * size_of::<(N, u32)>()
    }
}
