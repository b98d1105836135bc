//! `quantileDD`: DDSketch (Masson and others, VLDB 2019). Values are counted in bins whose borders are powers of one number, so
//! that an answer is off by no more than a share of the value.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use gristmill_base::{Error, ErrorCode, Result};

use super::summaries::{Summary, incorrect, read_word};
use super::{Answer, Ranked};

#[derive(Clone, Copy)]
pub struct Bins {
    accuracy: f64,
    /// A border of a bin over the one below it.
    ratio: f64,
}

impl Bins {
    /// `accuracy`: the share, above 0 and below 1.
    pub fn new(accuracy: f64) -> Self {
        Bins { accuracy, ratio: (1.0 + accuracy) / (1.0 - accuracy) }
    }

    fn value_min(self) -> f64 {
        f64::MIN_POSITIVE * self.ratio
    }

    /// The bin of a positive value. Error: BAD_ARGUMENTS where it is too large to have one.
    fn of(self, value: f64) -> Result<i32> {
        if value > f64::MAX / self.ratio {
            let text = format!("Value {value} is out of range of quantileDD: it must be finite");
            return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
        }
        Ok((value.ln() * (1.0 / self.ratio.ln())) as i32)
    }

    /// What a bin's values are taken for.
    fn value(self, bin: i32) -> f64 {
        (f64::from(bin) / (1.0 / self.ratio.ln())).exp() * (1.0 + self.accuracy)
    }
}

pub struct DdSketch<N> {
    positive: BTreeMap<i32, u64>,
    /// By the value without its sign.
    negative: BTreeMap<i32, u64>,
    zeros: u64,
    kind: PhantomData<N>,
}

fn total(counts: &BTreeMap<i32, u64>) -> u64 {
    counts.values().sum()
}

/// The first bin that fulfils a condition on the values in it and before it; the last one where none does.
fn first(counts: &BTreeMap<i32, u64>, enough: impl Fn(f64) -> bool) -> i32 {
    let mut before = 0;
    let found = counts.iter().find(|(_, count)| {
        before += **count;
        enough(before as f64)
    });
    found.or(counts.last_key_value()).map_or(0, |(bin, _)| *bin)
}

impl<N: Ranked> Summary for DdSketch<N> {
    type Value = N;
    type Shape = Bins;

    fn new(_bins: Bins) -> Self {
        DdSketch { positive: BTreeMap::new(), negative: BTreeMap::new(), zeros: 0, kind: PhantomData }
    }

    fn add(&mut self, value: N, _second: u64, bins: Bins) -> Result<()> {
        let value = value.float();
        if value.abs() <= bins.value_min() {
            self.zeros += 1;
            return Ok(());
        }
        let bin = bins.of(value.abs())?;
        *if value > 0.0 { &mut self.positive } else { &mut self.negative }.entry(bin).or_default() += 1;
        Ok(())
    }

    fn merge(&mut self, other: Self, _bins: Bins) -> Result<()> {
        self.zeros += other.zeros;
        for (own, others) in [(&mut self.positive, other.positive), (&mut self.negative, other.negative)] {
            others.into_iter().for_each(|(bin, count)| *own.entry(bin).or_default() += count);
        }
        Ok(())
    }

    fn write(&mut self, _bins: Bins, words: &mut Vec<u64>) {
        words.push(self.zeros);
        for counts in [&self.positive, &self.negative] {
            words.push(counts.len() as u64);
            words.extend(counts.iter().flat_map(|(bin, count)| [i64::from(*bin) as u64, *count]));
        }
    }

    fn read(mut words: &[u64], bins: Bins) -> Result<Self> {
        let mut read = Self::new(bins);
        read.zeros = read_word(&mut words)?;
        for counts in [&mut read.positive, &mut read.negative] {
            for _ in 0..read_word(&mut words)? {
                let bin = i32::try_from(read_word(&mut words)? as i64).map_err(|_| incorrect())?;
                counts.insert(bin, read_word(&mut words)?);
            }
        }
        Ok(read)
    }

    fn answer(&mut self, levels: &[f64], bins: Bins, out: &mut Vec<Answer<N>>) {
        let negative = total(&self.negative) as f64;
        let (not_positive, all) = (negative + self.zeros as f64, negative + (self.zeros + total(&self.positive)) as f64);
        out.extend(levels.iter().map(|level| {
            let rank = level * (all - 1.0);
            Answer::Float(if all == 0.0 {
                f64::NAN
            } else if rank < negative {
                -bins.value(first(&self.negative, |before| before >= negative - rank))
            } else if rank < not_positive {
                0.0
            } else {
                bins.value(first(&self.positive, |before| before > rank - not_positive))
            })
        }));
    }

    fn bytes(&self) -> usize {
        (self.positive.len() + self.negative.len()) * 24
    }
}
