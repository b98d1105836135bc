//! Quantiles. `quantile(level)` gives one, `quantiles(level, …)` an array; `median…` is the one of 0.5.
//!
//! `values.rs` keeps values (a fair sample of 8192 of them for `quantile` and `quantileDeterministic`, all for the others)
//! and ranks them in the end. `weighted.rs` does so for values with weights; `digest.rs` keeps t-digests.
//!
//! `prometheus.rs` takes counts that were added up below bounds.
//!
//! `quantileGK` and `quantileDD` keep all values too: exact, which is within any accuracy asked for.

mod digest;
mod prometheus;
mod values;
mod weighted;

use arrow::array::{ArrayRef, Float32Array, Float64Array};
use arrow::datatypes::{ArrowNativeType, DataType, i256};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::wide;
use std::sync::Arc;

use super::natives::{by_native, column};
use super::{Call, NullRule, Plan, family};
use crate::aggregate::AggregateFunction;
use crate::registry::Registry;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// Interpolated, from a sample.
    Sampled,
    Exact,
    Low,
    High,
    /// Interpolated, from the smallest (level 0) to the largest (level 1).
    Inclusive,
    /// Interpolated, as if the values came from a larger population.
    Exclusive,
    /// Whole numbers up to 30,000.
    Timing,
    /// With 8 bits of mantissa.
    BFloat16,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Weighting {
    Exact,
    Interpolated,
    /// By the place in the values written out as often as their weight says.
    ExactInterpolated,
    Timing,
    BFloat16,
}

pub use values::list_type;

type Builder = fn(&Call<'_>, Levels) -> Result<Plan>;

/// Name after `quantile`, how many parameters precede the levels, and the function.
const FAMILY: &[(&str, usize, Builder)] = &[
    ("", 0, |call, levels| values::plan(call, levels, Rule::Sampled, 1)),
    ("Deterministic", 0, |call, levels| values::plan(call, levels, Rule::Sampled, 2)),
    ("Exact", 0, |call, levels| values::plan(call, levels, Rule::Exact, 1)),
    ("ExactLow", 0, |call, levels| values::plan(call, levels, Rule::Low, 1)),
    ("ExactHigh", 0, |call, levels| values::plan(call, levels, Rule::High, 1)),
    ("ExactInclusive", 0, |call, levels| values::plan(call, levels, Rule::Inclusive, 1)),
    ("ExactExclusive", 0, |call, levels| values::plan(call, levels, Rule::Exclusive, 1)),
    ("Timing", 0, |call, levels| values::plan(call, levels, Rule::Timing, 1)),
    ("BFloat16", 0, |call, levels| values::plan(call, levels, Rule::BFloat16, 1)),
    ("GK", 1, |call, levels| values::plan(call, levels, Rule::Exact, 1)),
    ("DD", 1, |call, levels| values::plan(call, levels, Rule::Inclusive, 1)),
    ("TDigest", 0, |call, levels| digest::plan(call, levels, false)),
    ("TDigestWeighted", 0, |call, levels| digest::plan(call, levels, true)),
    ("ExactWeighted", 0, |call, levels| weighted::plan(call, levels, Weighting::Exact)),
    ("InterpolatedWeighted", 0, |call, levels| weighted::plan(call, levels, Weighting::Interpolated)),
    ("ExactWeightedInterpolated", 0, |call, levels| weighted::plan(call, levels, Weighting::ExactInterpolated)),
    ("TimingWeighted", 0, |call, levels| weighted::plan(call, levels, Weighting::Timing)),
    ("BFloat16Weighted", 0, |call, levels| weighted::plan(call, levels, Weighting::BFloat16)),
    ("PrometheusHistogram", 0, prometheus::plan),
];

pub fn register(registry: &mut Registry) {
    for (suffix, before, build) in FAMILY {
        registry.aggregate(&format!("quantile{suffix}"), quantile(false, *before, *build));
        registry.aggregate(&format!("quantiles{suffix}"), quantile(true, *before, *build));
        if *suffix != "PrometheusHistogram" {
            registry.alias(&format!("median{suffix}"), &format!("quantile{suffix}"));
        }
    }
}

fn quantile(many: bool, before: usize, build: Builder) -> Arc<dyn AggregateFunction> {
    let rule = if many { NullRule::Default } else { NullRule::Nullable };
    family(rule, move |call| build(call, Levels::of(call, many, before)?))
}

#[derive(Clone)]
struct Levels {
    levels: Vec<f64>,
    /// The result is an array.
    many: bool,
}

impl Levels {
    fn of(call: &Call<'_>, many: bool, before: usize) -> Result<Levels> {
        let mut levels = Vec::new();
        for i in before..call.parameters.len() {
            let level = call.float(i)?.unwrap_or(0.5);
            if !(0.0..=1.0).contains(&level) {
                return Err(Error::new(
                    ErrorCode::PARAMETER_OUT_OF_BOUND,
                    format!("Quantile level of aggregate function {} must be from 0 to 1, got {level}", call.name),
                ));
            }
            levels.push(level);
        }
        if many == levels.is_empty() && many || !many && levels.len() > 1 {
            let expected = if many { "at least one level" } else { "at most one level" };
            return Err(Error::new(
                ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                format!("Aggregate function {} takes {expected} as a parameter, got {}", call.name, levels.len()),
            ));
        }
        if levels.is_empty() {
            levels.push(0.5);
        }
        Ok(Levels { levels, many })
    }

    fn result(&self, one: SqlType) -> SqlType {
        if self.many { SqlType::array(one) } else { one }
    }
}

/// A value that can be ranked and interpolated.
trait Ranked: ArrowNativeType + PartialOrd {
    fn float(self) -> f64;
    fn from_float(value: f64) -> Self;
    fn is_nan(self) -> bool {
        false
    }
    fn order(&self, other: &Self) -> std::cmp::Ordering {
        self.partial_cmp(other).unwrap_or(std::cmp::Ordering::Equal)
    }
}

macro_rules! ranked {
    ($($native:ty),*) => {
        $(impl Ranked for $native {
            fn float(self) -> f64 { self as f64 }
            fn from_float(value: f64) -> Self { value as $native }
        })*
    };
}
ranked!(i8, u8, i16, u16, i32, u32, i64, u64, i128);

macro_rules! ranked_float {
    ($($native:ty),*) => {
        $(impl Ranked for $native {
            fn float(self) -> f64 { f64::from(self) }
            fn from_float(value: f64) -> Self { value as $native }
            fn is_nan(self) -> bool { self != self }
            fn order(&self, other: &Self) -> std::cmp::Ordering { self.total_cmp(other) }
        })*
    };
}
ranked_float!(f32, f64);

impl Ranked for i256 {
    fn float(self) -> f64 {
        wide::to_f64(self, false)
    }

    fn from_float(value: f64) -> Self {
        wide::from_f64(value).unwrap_or_default()
    }
}

/// What a function answers for a level.
#[derive(Clone, Copy)]
enum Answer<N> {
    Value(N),
    Float(f64),
}

/// Answers of all groups, as a column of the type that carries one of them.
fn answers<N: Ranked>(answers: &[Answer<N>], kind: &DataType) -> Result<ArrayRef> {
    let floats = || {
        answers.iter().map(|answer| match answer {
            Answer::Value(value) => value.float(),
            Answer::Float(value) => *value,
        })
    };
    match kind {
        DataType::Float64 => Ok(Arc::new(Float64Array::from_iter_values(floats()))),
        DataType::Float32 => Ok(Arc::new(Float32Array::from_iter_values(floats().map(|value| value as f32)))),
        _ => {
            let values = answers.iter().map(|answer| match answer {
                Answer::Value(value) => *value,
                Answer::Float(value) => N::from_float(*value),
            });
            column(values.collect::<Vec<N>>(), kind)
        }
    }
}

/// The column of results: answers as they are, or as many for each group as there are levels.
fn shaped(values: ArrayRef, levels: &Levels, groups: usize) -> Result<ArrayRef> {
    if levels.many { crate::columns::list(values, &vec![levels.levels.len(); groups]) } else { Ok(values) }
}

/// What lies between two values, `part` of the way from the first.
fn between<N: Ranked>(a: N, b: N, part: f64) -> f64 {
    a.float() * (1.0 - part) + b.float() * part
}

/// The type of an interpolated result: Float64 of numbers, the argument's of dates, times and decimals.
fn interpolated_type(kind: &SqlType) -> SqlType {
    if kind.is_integer() || kind.is_float() { SqlType::Float64 } else { kind.clone() }
}

fn check_kind(call: &Call<'_>) -> Result<SqlType> {
    let kind = call.kinds.first().cloned().unwrap_or(SqlType::Nothing);
    let ranked = kind.is_number()
        || kind.is_date_or_time()
        || matches!(kind, SqlType::Time | SqlType::Time64(_) | SqlType::Interval(_));
    if !ranked {
        return Err(call.illegal(0, "a number, a date or a time"));
    }
    Ok(if kind == SqlType::Bool { SqlType::UInt8 } else { kind })
}

fn check_weight(call: &Call<'_>) -> Result<()> {
    match call.kinds.get(1) {
        Some(kind) if matches!(kind.integer_bits(), Some((..=64, false))) || *kind == SqlType::Bool => Ok(()),
        _ => Err(call.illegal(1, "an unsigned integer, the weight")),
    }
}
