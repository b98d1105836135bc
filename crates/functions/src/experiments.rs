//! Experiments with two groups: how large they must be (`minSampleSizeContinuous`, `minSampleSizeConversion`), and whether two
//! proportions differ (`proportionsZTest`). A question that has no answer gets NaN.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{ArrayRef, Float64Array};
use arrow::datatypes::{Float64Type, UInt64Type};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use crate::aggregates::hypotheses::distributions as normal;
use crate::columns::Numbers;
use crate::define::{arity, constant_bytes, illegal, not_constant, own_nulls};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};
use crate::tuples::struct_array;

pub fn register(registry: &mut Registry) {
    registry.scalar(
        "minSampleSizeContinuous",
        own_nulls(|name, arguments, _| {
            arity(name, arguments, 5..=5)?;
            let is_native = |kind: &SqlType| kind.is_float() || kind.integer_bits().is_some_and(|(bits, _)| bits <= 64);
            sample_size(name, arguments, "a native number", is_native, |[baseline, deviation, effect, power, alpha]| {
                continuous(baseline, deviation, effect, power, alpha)
            })
        }),
    );
    registry.alias("minSampleSizeContinous", "minSampleSizeContinuous");
    registry.scalar(
        "minSampleSizeConversion",
        own_nulls(|name, arguments, _| {
            arity(name, arguments, 4..=4)?;
            sample_size(name, arguments, "Float32 or Float64", SqlType::is_float, |[baseline, effect, power, alpha]| {
                conversion(baseline, effect, power, alpha)
            })
        }),
    );
    registry.scalar("proportionsZTest", own_nulls(|name, arguments, _| z_test(name, arguments)));
}

/// A tuple of floats with these names.
fn named(names: &[&str]) -> SqlType {
    T::Tuple(names.iter().map(|name| (Some((*name).to_string()), T::Float64)).collect())
}

fn of_rows(kind: &SqlType, rows: usize, f: impl Fn(usize) -> Vec<f64>) -> Result<ArrayRef> {
    let T::Tuple(fields) = kind else { return Err(Error::logical(format!("{kind} is no tuple"))) };
    let mut columns = vec![Vec::with_capacity(rows); fields.len()];
    for row in 0..rows {
        columns.iter_mut().zip(f(row)).for_each(|(column, value)| column.push(value));
    }
    let columns = columns.into_iter().map(|column| Arc::new(Float64Array::from(column)) as ArrayRef).collect();
    struct_array(kind, columns, rows)
}

/// The last three arguments say what is asked, so they are the same in all rows.
fn sample_size<const N: usize>(
    name: &str,
    arguments: &[Argument],
    wanted: &str,
    fits: impl Fn(&SqlType) -> bool,
    f: impl Fn([f64; N]) -> [f64; 3] + Send + Sync + 'static,
) -> Result<Bound> {
    for (i, argument) in arguments.iter().enumerate() {
        if !fits(&argument.kind) || argument.kind != *argument.kind.plain() {
            return Err(illegal(name, arguments, i, wanted));
        }
        if i + 3 >= N && argument.constant.is_none() {
            return Err(not_constant(name, i));
        }
    }
    let kind = named(&["minimum_sample_size", "detect_range_lower", "detect_range_upper"]);
    Ok(Bound::cast(vec![T::Float64; N], kind.clone(), move |args, rows| {
        let columns = args.iter().map(Numbers::of::<Float64Type>).collect::<Result<Vec<_>>>()?;
        of_rows(&kind, rows, |row| f(std::array::from_fn(|i| columns[i].get(row))).to_vec())
    }))
}

/// The z that a share of `p` lies below.
fn quantile(p: f64) -> f64 {
    if p < 0.5 { -normal::normal_above(p) } else { normal::normal_above(1.0 - p) }
}

const NO_ANSWER: [f64; 3] = [f64::NAN; 3];

fn is_share(value: f64) -> bool {
    value > 0.0 && value < 1.0
}

/// Of a metric's mean: `effect` is a share of it.
fn continuous(baseline: f64, deviation: f64, effect: f64, power: f64, alpha: f64) -> [f64; 3] {
    let is_asked = baseline.is_finite() && deviation.is_finite() && effect.is_finite() && effect > 0.0;
    if !is_asked || !is_share(power) || !is_share(alpha) {
        return NO_ANSWER;
    }
    let reach = quantile(1.0 - alpha / 2.0) + quantile(power);
    let distance = baseline * effect;
    let size = 2.0 * (deviation * deviation) * (reach * reach) / (distance * distance);
    [size, baseline - distance, baseline + distance]
}

/// Of a share of successes: `effect` is added to it.
fn conversion(baseline: f64, effect: f64, power: f64, alpha: f64) -> [f64; 3] {
    let is_asked = baseline.is_finite() && effect.is_finite() && effect > 0.0;
    if !is_asked || !is_share(power) || !is_share(alpha) {
        return NO_ANSWER;
    }
    let (low, high) = (baseline, baseline + effect);
    let middle = (low + high) / 2.0;
    let variance = |p: f64| p * (1.0 - p);
    let by_chance = quantile(1.0 - alpha / 2.0) * (2.0 * variance(middle)).sqrt();
    let by_effect = quantile(power) * (variance(low) + variance(high)).sqrt();
    let size = ((by_chance + by_effect) / effect).powi(2);
    [size, baseline - effect, baseline + effect]
}

/// Successes and trials of two groups, a level of confidence, and whether the proportions count as one.
fn z_test(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 6..=6)?;
    for i in 0..4 {
        if !matches!(arguments[i].kind.integer_bits(), Some((..=64, false))) {
            return Err(illegal(name, arguments, i, "an unsigned integer"));
        }
    }
    if !arguments[4].kind.is_float() {
        return Err(illegal(name, arguments, 4, "a float"));
    }
    let way = Some(&arguments[5]).filter(|argument| argument.kind.is_string()).and_then(constant_bytes);
    let pooled = match way.as_deref() {
        Some(b"pooled") => true,
        Some(b"unpooled") => false,
        Some(_) => {
            let text = format!("The sixth argument of function {name} must be 'pooled' or 'unpooled'");
            return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
        }
        None => return Err(illegal(name, arguments, 5, "a constant string")),
    };
    let kind = named(&["z_statistic", "p_value", "confidence_interval_low", "confidence_interval_high"]);
    let mut casts = vec![T::UInt64; 4];
    casts.extend([T::Float64, arguments[5].kind.clone()]);
    Ok(Bound::cast(casts, kind.clone(), move |args, rows| {
        let counts = args[..4].iter().map(Numbers::of::<UInt64Type>).collect::<Result<Vec<_>>>()?;
        let confidences = Numbers::of::<Float64Type>(&args[4])?;
        of_rows(&kind, rows, |row| {
            let [x, y, trials_x, trials_y] = std::array::from_fn(|i| counts[i].get(row) as f64);
            compared((x, trials_x), (y, trials_y), confidences.get(row), pooled).to_vec()
        })
    }))
}

fn compared((x, trials_x): (f64, f64), (y, trials_y): (f64, f64), confidence: f64, pooled: bool) -> [f64; 4] {
    let (share_x, share_y) = (x / trials_x, y / trials_y);
    let variance = |p: f64| p * (1.0 - p);
    let error = if pooled {
        let share = (x + y) / (trials_x + trials_y);
        (variance(share) * (1.0 / trials_x + 1.0 / trials_y)).sqrt()
    } else {
        (variance(share_x) / trials_x + variance(share_y) / trials_y).sqrt()
    };
    let difference = share_x - share_y;
    let z = difference / error;
    let are_shares = x <= trials_x && y <= trials_y;
    if !are_shares || !z.is_finite() || !(0.0..=1.0).contains(&confidence) {
        return [f64::NAN; 4];
    }
    let reach =
        quantile(1.0 - (1.0 - confidence) / 2.0) * (variance(share_x) / trials_x + variance(share_y) / trials_y).sqrt();
    // What lies beyond is told as ClickHouse tells it: by the difference from 1, with its digits.
    [z, 2.0 * (1.0 - normal::normal(z.abs())), difference - reach, difference + reach]
}
