//! `quantileGK`: the summary of Greenwald and Khanna (SIGMOD 2001), as Spark and ClickHouse have it.
//!
//! Kept are some of the values in ascending order. Of each is known by how much its least rank is above that of the one before
//! it (`gap`), and how much above its least rank its rank may be (`spread`). Values come in runs; a run is sorted and put in
//! between, and neighbours are joined as long as no rank becomes more uncertain than the accuracy allows.

use gristmill_base::Result;

use super::summaries::{Summary, ascending, incorrect, placed, read_values, read_word, write_values};
use super::{Answer, Ranked};

/// Values of a run.
const RUN: usize = 50_000;
/// More kept values than this are joined after a run.
const KEPT: usize = 10_000;

#[derive(Clone, Copy)]
struct Kept<N> {
    value: N,
    gap: i64,
    spread: i64,
}

pub struct Greenwald<N> {
    kept: Vec<Kept<N>>,
    run: Vec<N>,
    /// Values that `kept` stands for.
    count: u64,
    is_joined: bool,
}

impl<N: Ranked> Greenwald<N> {
    /// Puts the values of the run where they belong.
    fn take_run(&mut self, error: f64) {
        self.run.sort_unstable_by(N::order);
        let run = std::mem::take(&mut self.run);
        let old = std::mem::take(&mut self.kept);
        let mut rest = old.iter().peekable();
        let last = run.len().saturating_sub(1);
        for (at, value) in run.into_iter().enumerate() {
            while let Some(before) = rest.next_if(|kept| kept.value.order(&value).is_le()) {
                self.kept.push(*before);
            }
            self.count += 1;
            let is_end = self.kept.is_empty() || at == last && rest.peek().is_none();
            let spread = if is_end { 0 } else { (2.0 * error * self.count as f64).floor() as i64 };
            self.kept.push(Kept { value, gap: 1, spread });
        }
        self.kept.extend(rest);
    }

    /// Joins neighbours; the smallest and the largest value stay.
    fn join(&mut self, limit: f64) {
        let (Some(first), Some(mut head)) = (self.kept.first().copied(), self.kept.last().copied()) else { return };
        let many = self.kept.len() > 1;
        let mut joined = Vec::new();
        for kept in self.kept.iter().skip(1).rev().skip(1) {
            if ((kept.gap + head.gap + head.spread) as f64) < limit {
                head.gap += kept.gap;
            } else {
                joined.push(head);
                head = *kept;
            }
        }
        joined.push(head);
        if many && first.value.order(&head.value).is_le() {
            joined.push(first);
        }
        joined.reverse();
        self.kept = joined;
    }

    fn settle(&mut self, error: f64) {
        if !self.is_joined {
            if !self.run.is_empty() {
                self.take_run(error);
            }
            self.join(2.0 * error * self.count as f64);
            self.is_joined = true;
        }
    }

    /// The values of both in ascending order. Where values of one lie among those of the other, their ranks are as uncertain as
    /// the other's are.
    fn take(&mut self, other: &Self, error: f64) {
        let own_more = (2.0 * error * other.count as f64).floor() as i64;
        let other_more = (2.0 * error * self.count as f64).floor() as i64;
        let (mut own, mut others) = (self.kept.iter().peekable(), other.kept.iter().peekable());
        let (mut own_begun, mut others_begun) = (false, false);
        let mut all = Vec::with_capacity(self.kept.len() + other.kept.len());
        while let (Some(a), Some(b)) = (own.peek(), others.peek()) {
            if a.value.order(&b.value).is_lt() {
                all.push(Kept { spread: a.spread + if others_begun { own_more } else { 0 }, ..**a });
                own_begun = true;
                own.next();
            } else {
                all.push(Kept { spread: b.spread + if own_begun { other_more } else { 0 }, ..**b });
                others_begun = true;
                others.next();
            }
        }
        all.extend(own.chain(others));
        self.kept = all;
        self.count += other.count;
        self.join(2.0 * error * self.count as f64);
    }
}

impl<N: Ranked> Summary for Greenwald<N> {
    type Value = N;
    /// The relative error of ranks: one of the accuracy.
    type Shape = f64;

    fn new(_error: f64) -> Self {
        Greenwald { kept: Vec::new(), run: Vec::new(), count: 0, is_joined: false }
    }

    fn add(&mut self, value: N, _second: u64, error: f64) -> Result<()> {
        self.run.push(value);
        self.is_joined = false;
        if self.run.len() >= RUN {
            self.take_run(error);
            if self.kept.len() >= KEPT {
                self.settle(error);
            }
        }
        Ok(())
    }

    fn merge(&mut self, mut other: Self, error: f64) -> Result<()> {
        self.settle(error);
        other.settle(error);
        if self.count == 0 {
            *self = other;
        } else if other.count > 0 {
            self.take(&other, error);
        }
        Ok(())
    }

    fn write(&mut self, error: f64, words: &mut Vec<u64>) {
        self.settle(error);
        words.extend([self.count, self.kept.len() as u64]);
        words.extend(self.kept.iter().flat_map(|kept| [kept.gap as u64, kept.spread as u64]));
        write_values(&self.kept.iter().map(|kept| kept.value).collect::<Vec<_>>(), words);
    }

    fn read(mut words: &[u64], _error: f64) -> Result<Self> {
        let count = read_word(&mut words)?;
        let length = usize::try_from(read_word(&mut words)?).map_err(|_| incorrect())?;
        let ranks = read_values::<i64>(length.checked_mul(2).ok_or_else(incorrect)?, &mut words)?;
        let values = read_values::<N>(length, &mut words)?;
        let ranks = ranks.as_chunks::<2>().0.iter();
        let kept = values.iter().zip(ranks).map(|(value, [gap, spread])| Kept { value: *value, gap: *gap, spread: *spread });
        Ok(Greenwald { kept: kept.collect(), run: Vec::new(), count, is_joined: true })
    }

    fn answer(&mut self, levels: &[f64], error: f64, out: &mut Vec<Answer<N>>) {
        self.settle(error);
        let (Some(first), Some(last)) = (self.kept.first(), self.kept.last()) else {
            out.extend(levels.iter().map(|_| Answer::Value(N::default())));
            return;
        };
        let allowed = self.kept.iter().map(|kept| kept.gap + kept.spread).max().unwrap_or_default() / 2;
        let (mut at, mut rank) = (0, first.gap);
        let mut found = Vec::new();
        for (place, level) in ascending(levels) {
            let value = if level <= error {
                first.value
            } else if level >= 1.0 - error {
                last.value
            } else {
                let wanted = (level * self.count as f64).ceil() as i64;
                loop {
                    let kept = &self.kept[at];
                    if at + 1 == self.kept.len() {
                        rank = 0;
                        break kept.value;
                    }
                    if rank + kept.spread - allowed <= wanted && wanted <= rank + allowed {
                        break kept.value;
                    }
                    at += 1;
                    rank += self.kept[at].gap;
                }
            };
            found.push((place, Answer::Value(value)));
        }
        placed(found, out);
    }

    fn bytes(&self) -> usize {
        self.kept.capacity() * size_of::<Kept<N>>() + self.run.capacity() * size_of::<N>()
    }
}
