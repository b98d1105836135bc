//! What each function says at the points of a grid, of sorted samples of different times.
//!
//! The window's samples are those between two places, which only ever move on. Functions of the ends of the window read them
//! there; changes and resets are differences of how many there were up to a place; the rest is kept in `window.rs`.

use super::parameters::Grid;
use super::samples::Sample;
use super::window::{Extremes, Line, Sliding, Sum, Summary};

#[derive(Clone, Copy, Debug)]
pub enum Function {
    /// From the first to the last sample, extrapolated to the whole window. `counter`: falls are resets to 0.
    Extrapolated {
        rate: bool,
        counter: bool,
    },
    /// From the last but one sample to the last.
    Instant {
        rate: bool,
    },
    Last,
    Slope,
    /// `ahead`: ticks from the point of the grid.
    Predicted {
        ahead: f64,
    },
    Changes,
    Resets,
    Sum,
    Average,
    Count,
    Extreme {
        largest: bool,
        time: bool,
    },
}

/// Buckets in a window from which on two stacks are less work than going through them.
const STACKS_FROM: i64 = 18;

/// Appends the value at each point. `narrow`: values are Float32, and their differences are.
pub fn evaluate(function: Function, grid: &Grid, samples: &[Sample], narrow: bool, out: &mut Vec<Option<f64>>) {
    match function {
        Function::Sum | Function::Average => joined::<Sum>(grid, samples, out, |sum, _| {
            let share = if matches!(function, Function::Average) { sum.count } else { 1.0 };
            (sum.count > 0.0).then(|| sum.total() / share)
        }),
        Function::Slope => joined::<Line>(grid, samples, out, |line, _| Some(line.slope()? * grid.ticks as f64)),
        Function::Predicted { ahead } => joined::<Line>(grid, samples, out, |line, point| {
            line.at((i128::from(point) - i128::from(grid.start)) as f64 + ahead)
        }),
        Function::Extreme { largest, time } => {
            extremes(grid, samples, largest, out, |sample| if time { sample.0 as f64 / grid.ticks as f64 } else { sample.1 })
        }
        Function::Changes => {
            // From NaN to NaN nothing changes.
            counted(grid, samples, out, |before, value| before != value && !(before.is_nan() && value.is_nan()));
        }
        Function::Resets => counted(grid, samples, out, |before, value| value < before),
        Function::Count => {
            slide(grid, samples, out, |window, _| (window.1 > window.0).then(|| (window.1 - window.0) as f64))
        }
        Function::Last => slide(grid, samples, out, |(first, end), _| (end > first).then(|| samples[end - 1].1)),
        Function::Instant { rate } => slide(grid, samples, out, |(first, end), _| {
            (end - first >= 2).then(|| instant(samples[end - 2], samples[end - 1], rate, grid, narrow))
        }),
        Function::Extrapolated { rate, counter } => {
            let mut lost = vec![0.0];
            for pair in samples.windows(2) {
                let fell = counter && pair[0].1 > pair[1].1;
                lost.push(lost[lost.len() - 1] + if fell { pair[0].1 } else { 0.0 });
            }
            slide(grid, samples, out, |(first, end), point| {
                if end - first < 2 {
                    return None;
                }
                let resets = lost[end - 1] - lost[first];
                let window = Window { first: samples[first], last: samples[end - 1], count: end - first, resets };
                Some(extrapolated(&window, point, grid, rate, counter, narrow))
            });
        }
    }
}

/// The samples in the window of each point, as places: from the first, up to before the second.
fn slide(grid: &Grid, samples: &[Sample], out: &mut Vec<Option<f64>>, value: impl Fn((usize, usize), i64) -> Option<f64>) {
    let (mut first, mut end) = (0, 0);
    for i in 0..grid.points {
        let point = grid.at(i);
        while end < samples.len() && samples[end].0 <= point {
            end += 1;
        }
        while first < end && is_before(samples[first].0, point, grid) {
            first += 1;
        }
        out.push(value((first, end), point));
    }
}

/// Whether a time is too early for the window of a point.
fn is_before(time: i64, point: i64, grid: &Grid) -> bool {
    time <= point.saturating_sub(grid.window)
}

/// How often something is so between neighbours in the window.
fn counted(grid: &Grid, samples: &[Sample], out: &mut Vec<Option<f64>>, counts: fn(f64, f64) -> bool) {
    let mut before = vec![0u64];
    for pair in samples.windows(2) {
        before.push(before[before.len() - 1] + u64::from(counts(pair[0].1, pair[1].1)));
    }
    slide(grid, samples, out, |(first, end), _| (end > first).then(|| (before[end - 1] - before[first]) as f64));
}

fn extremes(grid: &Grid, samples: &[Sample], largest: bool, out: &mut Vec<Option<f64>>, value: impl Fn(Sample) -> f64) {
    let (mut queue, mut next) = (Extremes::default(), 0);
    for i in 0..grid.points {
        let point = grid.at(i);
        while next < samples.len() && samples[next].0 <= point {
            queue.push(samples[next], largest);
            next += 1;
        }
        queue.drop_until(point.saturating_sub(grid.window));
        out.push(queue.best().map(&value));
    }
}

/// The number of the step that a time lies in, counted from another.
fn step_of(time: i64, from: i64, grid: &Grid) -> i128 {
    let distance = i128::from(time) - i128::from(from);
    distance.div_euclid(i128::from(grid.step.max(1))) + i128::from(distance.rem_euclid(i128::from(grid.step.max(1))) != 0)
}

/// Samples that enter the window at one point and leave it at one point are a bucket.
fn joined<S: Summary>(grid: &Grid, samples: &[Sample], out: &mut Vec<Option<f64>>, value: impl Fn(&S, i64) -> Option<f64>) {
    let leaving = grid.start.saturating_sub(grid.window);
    let bucket = |time: i64| (step_of(time, grid.start, grid).max(0), step_of(time, leaving, grid));
    let mut sliding = Sliding::<S>::new(grid.window / grid.step.max(1) >= STACKS_FROM);
    let mut next = 0;
    for i in 0..grid.points {
        let point = grid.at(i);
        while next < samples.len() && samples[next].0 <= point {
            let (place, mut summary, mut last) = (bucket(samples[next].0), S::default(), samples[next].0);
            while next < samples.len() && bucket(samples[next].0) == place {
                last = samples[next].0;
                summary.add((i128::from(last) - i128::from(grid.start)) as f64, samples[next].1);
                next += 1;
            }
            sliding.push(last, summary);
        }
        sliding.drop_until(point.saturating_sub(grid.window));
        out.push(value(&sliding.joined(), point));
    }
}

/// A difference of values in their own precision.
fn difference(a: f64, b: f64, narrow: bool) -> f64 {
    if narrow { f64::from(a as f32 - b as f32) } else { a - b }
}

fn instant(before: Sample, last: Sample, rate: bool, grid: &Grid, narrow: bool) -> f64 {
    let rise = if rate && last.1 < before.1 { last.1 } else { difference(last.1, before.1, narrow) };
    if rate { rise * grid.ticks as f64 / (last.0 - before.0) as f64 } else { rise }
}

/// The samples in a window: two at least.
struct Window {
    first: Sample,
    last: Sample,
    count: usize,
    /// What resets took away.
    resets: f64,
}

/// Prometheus' rule: the rise is stretched to the ends of the window where the samples come near them, else by half of the
/// mean time between samples; never to before where a counter would have been 0.
fn extrapolated(window: &Window, point: i64, grid: &Grid, rate: bool, counter: bool, narrow: bool) -> f64 {
    let (first, last) = (window.first, window.last);
    let sampled = (i128::from(last.0) - i128::from(first.0)) as f64;
    let rise = difference(last.1, first.1, narrow) + window.resets;
    let mut to_start = (i128::from(first.0) - i128::from(point) + i128::from(grid.window)) as f64;
    let mut to_end = (i128::from(point) - i128::from(last.0)) as f64;
    let mean = sampled / (window.count - 1) as f64;
    let near = mean * 1.1;
    if to_start >= near {
        to_start = mean / 2.0;
    }
    if counter && rise > 0.0 && first.1 >= 0.0 {
        to_start = to_start.min(sampled * (first.1 / rise));
    }
    if to_end >= near {
        to_end = mean / 2.0;
    }
    let mut factor = (sampled + to_start + to_end) / sampled;
    if rate {
        factor = factor * grid.ticks as f64 / grid.window as f64;
    }
    rise * factor
}
