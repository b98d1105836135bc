//! `studentTTest`, `welchTTest`, `studentTTestOneSample` and `meanZTest`: whether means differ more than chance makes them.
//!
//! Kept are the sizes of the samples, their sums and sums of squares, in the order that ClickHouse writes them in.

use std::sync::Arc;

use datafusion::common::ScalarValue;
use gristmill_base::{Error, ErrorCode, Result};

use super::distributions::{normal, normal_above, student_quantile_above, student_two_sided};
use super::{expect_numbers, is_second, parameters_at_most, probability};
use crate::aggregates::float_sums::{Finish, Shape, Spec, added, plan};
use crate::aggregates::{Call, NullRule, Plan, family};
use crate::registry::Registry;

pub fn register(registry: &mut Registry) {
    registry.aggregate("studentTTest", family(NullRule::Nullable, |call| two_samples(call, STUDENT)));
    registry.aggregate("welchTTest", family(NullRule::Nullable, |call| two_samples(call, WELCH)));
    registry.aggregate("studentTTestOneSample", family(NullRule::Nullable, one_sample));
    registry.aggregate("meanZTest", family(NullRule::Nullable, mean_z_test));
}

const T_RESULT: &[&str] = &["t_statistic", "p_value"];
const T_RESULT_WITH_INTERVAL: &[&str] = &["t_statistic", "p_value", "confidence_interval_low", "confidence_interval_high"];
const Z_RESULT: &[&str] = &["z_statistic", "p_value", "confidence_interval_low", "confidence_interval_high"];

/// Parameter `i`, a float written as one.
fn float(call: &Call<'_>, i: usize) -> Result<Option<f64>> {
    match call.parameters.get(i) {
        None => Ok(None),
        Some(ScalarValue::Float64(Some(value))) => Ok(Some(*value)),
        Some(other) => {
            let text = format!(
                "Parameter {} of aggregate function {} must be a Float64, got {other}: write it with a point",
                i + 1,
                call.name
            );
            Err(Error::new(ErrorCode::BAD_GET, text))
        }
    }
}

fn bad(call: &Call<'_>, text: &str) -> Error {
    Error::new(ErrorCode::BAD_ARGUMENTS, format!("Aggregate function {}: {text}", call.name))
}

fn confidence(call: &Call<'_>, i: usize) -> Result<Option<f64>> {
    let level = float(call, i)?;
    match level {
        Some(level) if !(level > 0.0 && level < 1.0) => {
            Err(bad(call, "the confidence level must be between 0 and 1, both excluded"))
        }
        level => Ok(level),
    }
}

/// A sample: size, sum, sum of squares.
#[derive(Clone, Copy)]
struct Sample {
    size: f64,
    sum: f64,
    squares: f64,
}

impl Sample {
    fn mean(self) -> f64 {
        self.sum / self.size
    }

    /// Sum of the squared differences from the mean.
    fn spread(self) -> f64 {
        let mean = self.mean();
        self.squares + self.size * mean * mean - 2.0 * mean * self.sum
    }

    fn variance(self) -> f64 {
        self.spread() / (self.size - 1.0)
    }
}

fn standard_error(x: Sample, y: Sample) -> f64 {
    (x.variance() / x.size + y.variance() / y.size).sqrt()
}

/// Whether a standard error is nothing but rounding.
fn is_nothing(error: f64, one: f64, other: f64) -> bool {
    error < 10.0 * f64::EPSILON * one.abs().max(other.abs())
}

struct TwoSamples {
    enough: fn(Sample, Sample) -> bool,
    degrees: fn(Sample, Sample) -> f64,
    /// Of the difference of the means.
    error: fn(Sample, Sample) -> f64,
}

/// The variances are taken for equal.
const STUDENT: TwoSamples = TwoSamples {
    enough: |x, y| x.size > 0.0 && y.size > 0.0 && x.size + y.size > 2.0,
    degrees: |x, y| x.size + y.size - 2.0,
    error: |x, y| {
        let variance = (x.spread() + y.spread()) / (x.size + y.size - 2.0);
        (variance * (1.0 / x.size + 1.0 / y.size)).sqrt()
    },
};

const WELCH: TwoSamples = TwoSamples {
    enough: |x, y| x.size > 1.0 && y.size > 1.0,
    degrees: |x, y| {
        let sum = x.variance() / x.size + y.variance() / y.size;
        let part = |sample: Sample| sample.variance().powi(2) / (sample.size * sample.size * (sample.size - 1.0));
        sum * sum / (part(x) + part(y))
    },
    error: standard_error,
};

fn two_samples(call: &Call<'_>, test: TwoSamples) -> Result<Plan> {
    call.arity(2..=2)?;
    parameters_at_most(call, 1, ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH)?;
    expect_numbers(call, ErrorCode::BAD_ARGUMENTS)?;
    let level = confidence(call, 0)?;
    let size = if level.is_some() { 4 } else { 2 };
    let finish: Finish = Arc::new(move |state, out| {
        let x = Sample { size: state[0], sum: state[2], squares: state[4] };
        let y = Sample { size: state[1], sum: state[3], squares: state[5] };
        if !(test.enough)(x, y) || is_nothing(standard_error(x, y), x.mean(), y.mean()) {
            out.extend(std::iter::repeat_n(f64::NAN, size));
            return;
        }
        let (difference, degrees) = (x.mean() - y.mean(), (test.degrees)(x, y));
        let statistic = difference / (test.error)(x, y);
        match statistic {
            finite if finite.is_finite() => out.extend([finite, probability(student_two_sided(degrees, finite))]),
            // Samples that do not vary, of other means: no chance that these are the same.
            infinite if infinite.is_infinite() => out.extend([f64::NAN, 0.0]),
            _ => out.extend([f64::NAN, f64::NAN]),
        }
        if let Some(level) = level {
            // Whatever the test is, the interval is made with the variances of both samples.
            let reach = student_quantile_above(degrees, (1.0 - level) / 2.0) * standard_error(x, y);
            out.extend([difference - reach, difference + reach]);
        }
    });
    let shape = Shape::Named(if level.is_some() { T_RESULT_WITH_INTERVAL } else { T_RESULT });
    let spec = Spec {
        width: 6,
        add: Arc::new(|state, row| {
            let at = usize::from(is_second(row[1]));
            state[at] += 1.0;
            state[2 + at] += row[0];
            state[4 + at] += row[0] * row[0];
        }),
        merge: added,
        finish,
        shape,
    };
    Ok(plan(2, spec))
}

/// Size, sum and sum of squares of the sample, and the mean that it is compared with: that of the first row.
fn one_sample(call: &Call<'_>) -> Result<Plan> {
    if call.kinds.len() != 2 {
        return Err(bad(call, "it requires two arguments, the values and the mean of the population"));
    }
    parameters_at_most(call, 1, ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH)?;
    expect_numbers(call, ErrorCode::BAD_ARGUMENTS)?;
    let level = confidence(call, 0)?;
    let size = if level.is_some() { 4 } else { 2 };
    let finish: Finish = Arc::new(move |state, out| {
        let sample = Sample { size: state[0], sum: state[1], squares: state[2] };
        let (mean, expected) = (sample.mean(), state[3]);
        let error = (sample.variance() / sample.size).sqrt();
        let statistic = (mean - expected) / error;
        if sample.size < 2.0 || is_nothing(error, mean, expected) || !statistic.is_finite() {
            let begin = out.len();
            out.extend(std::iter::repeat_n(f64::NAN, size));
            // Of values that are no numbers ClickHouse gives the bound of what it computes.
            if sample.size >= 2.0 && sample.sum.is_nan() {
                out[begin + 1] = 0.0;
            }
            return;
        }
        let degrees = sample.size - 1.0;
        out.extend([statistic, probability(student_two_sided(degrees, statistic))]);
        if let Some(level) = level {
            let reach = student_quantile_above(degrees, (1.0 - level) / 2.0) * error;
            out.extend([mean - reach, mean + reach]);
        }
    });
    let spec = Spec {
        width: 4,
        add: Arc::new(|state, row| {
            if state[0] == 0.0 {
                state[3] = row[1];
            }
            added(&mut state[..3], &[1.0, row[0], row[0] * row[0]]);
        }),
        merge: |into, from| {
            if into[0] == 0.0 {
                into[3] = from[3];
            }
            added(&mut into[..3], from);
        },
        finish,
        shape: Shape::Named(if level.is_some() { T_RESULT_WITH_INTERVAL } else { T_RESULT }),
    };
    Ok(plan(2, spec))
}

/// As a t-test, of populations whose variances are known.
fn mean_z_test(call: &Call<'_>) -> Result<Plan> {
    call.arity(2..=2)?;
    if call.parameters.len() != 3 {
        let text = format!(
            "Aggregate function {} requires three parameters: both variances and the confidence level, got {}",
            call.name,
            call.parameters.len()
        );
        return Err(Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, text));
    }
    expect_numbers(call, ErrorCode::BAD_ARGUMENTS)?;
    let parameter = |i| Ok::<f64, Error>(float(call, i)?.unwrap_or(f64::NAN));
    let (of_x, of_y, level) = (parameter(0)?, parameter(1)?, parameter(2)?);
    if ![of_x, of_y, level].iter().all(|value| value.is_finite()) {
        return Err(bad(call, "its parameters must be finite"));
    }
    if of_x < 0.0 || of_y < 0.0 {
        return Err(bad(call, "the variances of the populations must not be negative"));
    }
    confidence(call, 2)?;
    let z = normal_above((1.0 - level) / 2.0);
    let spec = Spec {
        width: 4,
        add: Arc::new(|state, row| {
            let at = usize::from(is_second(row[1]));
            state[at] += 1.0;
            state[2 + at] += row[0];
        }),
        merge: added,
        finish: Arc::new(move |state, out| {
            let difference = state[2] / state[0] - state[3] / state[1];
            let error = (of_x / state[0] + of_y / state[1]).sqrt();
            let statistic = difference / error;
            let (statistic, p) =
                if statistic.is_finite() { (statistic, 2.0 * normal(-statistic.abs())) } else { (f64::NAN, f64::NAN) };
            out.extend([statistic, probability(p), difference - z * error, difference + z * error]);
        }),
        shape: Shape::Named(Z_RESULT),
    };
    Ok(plan(2, spec))
}
