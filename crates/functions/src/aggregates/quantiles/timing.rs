//! `quantileTiming` and `quantileTimingWeighted`: whole numbers from 0 to 30,000, such as milliseconds.
//!
//! Few of them are kept as they are. Many are counted, from 1024 on in steps of 16, which are told as some number within the
//! step. With weights the values are counted sooner, as ClickHouse does.

use std::marker::PhantomData;

use gristmill_base::Result;

use super::summaries::{Summary, ascending, incorrect, placed, read_values, read_word};
use super::{Answer, Ranked};
use crate::hash::int_hash_32;

const VALUE_MAX: u64 = 30_000;
/// Below, each value is counted by itself.
const SINGLE_END: u64 = 1024;
const STEP: u64 = 16;
const COUNTERS: usize = (SINGLE_END + (VALUE_MAX - SINGLE_END) / STEP) as usize;
/// Values of an argument with weights that are kept as they are.
const WEIGHTED_KEPT: usize = 31;
/// Values that take as much memory as half of the counters do.
const KEPT: usize = (1 + COUNTERS) * 8 / 2 / 2;

enum Values {
    Kept(Vec<u16>),
    /// How many values there are at all, then of each place.
    Counted(u64, Box<[u64]>),
}

/// `weighted`: whether the second argument is a weight.
#[derive(Clone, Copy)]
pub struct Weighted(pub bool);

pub struct Timing<N> {
    values: Values,
    kind: PhantomData<N>,
}

impl<N> Timing<N> {
    fn count(&mut self) {
        if let Values::Kept(values) = &mut self.values {
            let values = std::mem::take(values);
            self.values = Values::Counted(0, vec![0; COUNTERS].into_boxed_slice());
            values.into_iter().for_each(|value| self.insert(u64::from(value), 1));
        }
    }

    fn insert(&mut self, value: u64, weight: u64) {
        match &mut self.values {
            Values::Kept(values) => values.extend(std::iter::repeat_n(value.min(VALUE_MAX) as u16, weight as usize)),
            Values::Counted(all, counts) => {
                *all = all.wrapping_add(weight);
                let place = if value < SINGLE_END { value } else { SINGLE_END + (value - SINGLE_END) / STEP };
                if let Some(count) = counts.get_mut(place as usize) {
                    *count = count.wrapping_add(weight);
                }
            }
        }
    }
}

/// The number that a counter is told as.
fn told(place: usize) -> u64 {
    match (place as u64).checked_sub(SINGLE_END) {
        None => place as u64,
        Some(step) => SINGLE_END + step * STEP + u64::from(int_hash_32(step)) % STEP - STEP / 2,
    }
}

impl<N: Ranked> Summary for Timing<N> {
    type Value = N;
    type Shape = Weighted;

    fn new(_weighted: Weighted) -> Self {
        Timing { values: Values::Kept(Vec::new()), kind: PhantomData }
    }

    fn add(&mut self, value: N, weight: u64, Weighted(weighted): Weighted) -> Result<()> {
        let value = value.float();
        if !(0.0..9.3e18).contains(&value) {
            return Ok(());
        }
        if let Values::Kept(values) = &self.values {
            let is_full = match weighted {
                true => weight >= WEIGHTED_KEPT as u64 || values.len() + weight as usize > WEIGHTED_KEPT,
                false => values.len() >= KEPT,
            };
            if is_full {
                self.count();
            }
        }
        self.insert(value as u64, weight);
        Ok(())
    }

    fn merge(&mut self, other: Self, _weighted: Weighted) -> Result<()> {
        match other.values {
            Values::Counted(others, counts) => {
                self.count();
                if let Values::Counted(all, own) = &mut self.values {
                    *all = all.wrapping_add(others);
                    own.iter_mut().zip(counts).for_each(|(own, count)| *own = own.wrapping_add(count));
                }
            }
            Values::Kept(values) => {
                values.into_iter().for_each(|value| self.insert(u64::from(value), 1));
                if matches!(&self.values, Values::Kept(values) if values.len() >= KEPT) {
                    self.count();
                }
            }
        }
        Ok(())
    }

    fn write(&mut self, _weighted: Weighted, words: &mut Vec<u64>) {
        match &self.values {
            Values::Kept(values) => {
                words.push(0);
                words.extend(values.iter().map(|value| u64::from(*value)));
            }
            Values::Counted(all, counts) => {
                words.extend([1, *all]);
                words.extend(counts.iter());
            }
        }
    }

    fn read(mut words: &[u64], _weighted: Weighted) -> Result<Self> {
        let values = match read_word(&mut words)? {
            0 if words.iter().all(|value| *value <= VALUE_MAX) => {
                Values::Kept(words.iter().map(|value| *value as u16).collect())
            }
            1 if words.len() == COUNTERS + 1 => {
                let all = read_word(&mut words)?;
                Values::Counted(all, read_values::<u64>(COUNTERS, &mut words)?.iter().copied().collect())
            }
            _ => return Err(incorrect()),
        };
        Ok(Timing { values, kind: PhantomData })
    }

    fn answer(&mut self, levels: &[f64], _weighted: Weighted, out: &mut Vec<Answer<N>>) {
        match &mut self.values {
            Values::Kept(values) => {
                values.sort_unstable();
                out.extend(levels.iter().map(|level| {
                    let place = ((level * values.len() as f64) as usize).min(values.len().saturating_sub(1));
                    Answer::Float(values.get(place).map_or(f64::NAN, |value| f64::from(*value)))
                }));
            }
            Values::Counted(0, _) => out.extend(levels.iter().map(|_| Answer::Float(f64::NAN))),
            Values::Counted(all, counts) => {
                let mut filled = counts.iter().enumerate().filter(|(_, count)| **count > 0);
                let (mut before, mut value) = (0.0, VALUE_MAX);
                let mut found = Vec::new();
                for (place, level) in ascending(levels) {
                    let wanted = (*all as f64 * level).ceil();
                    while before < wanted || before == 0.0 {
                        let Some((place, count)) = filled.next() else {
                            (before, value) = (f64::INFINITY, VALUE_MAX);
                            break;
                        };
                        before += *count as f64;
                        value = told(place);
                    }
                    found.push((place, Answer::Float(value as f64)));
                }
                placed(found, out);
            }
        }
    }

    fn bytes(&self) -> usize {
        match &self.values {
            Values::Kept(values) => values.capacity() * 2,
            Values::Counted(_, counts) => counts.len() * 8,
        }
    }
}
