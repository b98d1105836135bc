//! What is kept of a window that slides over samples, so that no sample is looked at again at every point of the grid.
//!
//! `Extremes` is the queue of samples of which no later one is better. `Sliding` joins the summaries of buckets of samples
//! that come and go together: by going through those in the window where there are few, else by two stacks, of which the
//! older holds the joined rest below each of its buckets.

use std::collections::VecDeque;

use super::samples::Sample;

/// Samples of which no later one is at least as good; the first is the best. NaN is worse than any number.
#[derive(Default)]
pub struct Extremes(VecDeque<Sample>);

impl Extremes {
    pub fn push(&mut self, sample: Sample, largest: bool) {
        let is_as_good = |other: f64| other.is_nan() || if largest { sample.1 >= other } else { sample.1 <= other };
        while self.0.pop_back_if(|last| is_as_good(last.1)).is_some() {}
        self.0.push_back(sample);
    }

    pub fn drop_until(&mut self, time: i64) {
        while self.0.pop_front_if(|first| first.0 <= time).is_some() {}
    }

    pub fn best(&self) -> Option<Sample> {
        self.0.front().copied()
    }
}

pub trait Summary: Copy + Default {
    fn add(&mut self, time: f64, value: f64);
    fn join(&mut self, later: &Self);
}

/// A sum with what rounding took from it (Neumaier), and how many values it is of.
#[derive(Clone, Copy, Default)]
pub struct Sum {
    sum: f64,
    lost: f64,
    pub count: f64,
}

impl Sum {
    fn plus(&mut self, value: f64) {
        let total = self.sum + value;
        if !total.is_finite() {
            self.lost = 0.0;
        } else if self.sum.abs() >= value.abs() {
            self.lost += (self.sum - total) + value;
        } else {
            self.lost += (value - total) + self.sum;
        }
        self.sum = total;
    }

    pub fn total(&self) -> f64 {
        self.sum + self.lost
    }
}

impl Summary for Sum {
    fn add(&mut self, _time: f64, value: f64) {
        self.plus(value);
        self.count += 1.0;
    }

    fn join(&mut self, later: &Self) {
        self.plus(later.sum);
        self.lost = if self.sum.is_finite() { self.lost + later.lost } else { 0.0 };
        self.count += later.count;
    }
}

/// Means, and sums of products of differences from them (Welford), for a line through the samples.
#[derive(Clone, Copy, Default)]
pub struct Line {
    mean_time: f64,
    mean_value: f64,
    squares: f64,
    products: f64,
    count: f64,
}

impl Line {
    pub fn slope(&self) -> Option<f64> {
        (self.count >= 2.0 && self.squares != 0.0).then(|| self.products / self.squares)
    }

    pub fn at(&self, time: f64) -> Option<f64> {
        let slope = self.slope()?;
        Some(slope * time + (self.mean_value - slope * self.mean_time))
    }
}

impl Summary for Line {
    fn add(&mut self, time: f64, value: f64) {
        self.count += 1.0;
        let difference = time - self.mean_time;
        self.mean_time += difference / self.count;
        self.mean_value += (value - self.mean_value) / self.count;
        self.squares += difference * (time - self.mean_time);
        self.products += difference * (value - self.mean_value);
    }

    fn join(&mut self, later: &Self) {
        if later.count == 0.0 {
            return;
        }
        let (one, other) = (self.count, later.count);
        let total = one + other;
        let (dx, dy) = (later.mean_time - self.mean_time, later.mean_value - self.mean_value);
        self.mean_time += dx * other / total;
        self.mean_value += dy * other / total;
        self.squares += later.squares + dx * dx * one * other / total;
        self.products += later.products + dx * dy * one * other / total;
        self.count = total;
    }
}

/// Summaries of buckets, each with the time of its last sample.
pub struct Sliding<S> {
    /// The oldest on top, each joined with all below it.
    old: Vec<(i64, S)>,
    new: VecDeque<(i64, S)>,
    new_joined: S,
    stacks: bool,
}

impl<S: Summary> Sliding<S> {
    /// `stacks`: many buckets are in the window.
    pub fn new(stacks: bool) -> Self {
        Sliding { old: Vec::new(), new: VecDeque::new(), new_joined: S::default(), stacks }
    }

    pub fn push(&mut self, last: i64, summary: S) {
        self.new.push_back((last, summary));
        if self.stacks {
            self.new_joined.join(&summary);
        }
    }

    pub fn drop_until(&mut self, time: i64) {
        while self.old.pop_if(|oldest| oldest.0 <= time).is_some() {}
        if !self.old.is_empty() {
            return;
        }
        while self.new.pop_front_if(|oldest| oldest.0 <= time).is_some() {}
        if !self.stacks {
            return;
        }
        // Once for every bucket: it is joined with those behind it when it becomes old.
        for (last, mut summary) in self.new.drain(..).rev() {
            if let Some((_, below)) = self.old.last() {
                summary.join(below);
            }
            self.old.push((last, summary));
        }
        self.new_joined = S::default();
    }

    pub fn joined(&self) -> S {
        let mut joined = S::default();
        if self.stacks {
            if let Some((_, old)) = self.old.last() {
                joined.join(old);
            }
            joined.join(&self.new_joined);
        } else {
            self.new.iter().for_each(|(_, summary)| joined.join(summary));
        }
        joined
    }
}
