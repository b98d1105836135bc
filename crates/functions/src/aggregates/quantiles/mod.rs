//! Quantiles. `quantile(level)` gives one, `quantiles(level, …)` an array; `median…` is the one of 0.5.
//!
//! `values.rs` keeps values (a fair sample of 8192 of them for `quantile`, all for the others) and ranks them in the end.
//! `weighted.rs` does so for values with weights; `digest.rs` keeps t-digests.
//!
//! `summaries.rs` is for functions that keep less than the values: `deterministic.rs` another sample, `timing.rs` counters,
//! `greenwald.rs` some values with their ranks, `ddsketch.rs` bins. `prometheus.rs` takes counts that were added up below bounds.

mod ddsketch;
mod deterministic;
mod digest;
mod greenwald;
mod prometheus;
mod summaries;
#[cfg(test)]
mod tests;
mod timing;
mod values;
mod weighted;

use arrow::array::{ArrayRef, BooleanArray, Float32Array, Float64Array};
use arrow::datatypes::{ArrowNativeType, DataType, i256};
use datafusion::common::ScalarValue;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::wide;
use std::sync::Arc;

use super::natives::{by_native, column};
use super::{Call, NullRule, Plan, family};
use crate::aggregate::AggregateFunction;
use crate::registry::Registry;
use ddsketch::{Bins, DdSketch};
use deterministic::Deterministic;
use greenwald::Greenwald;
use timing::{Timing, Weighted};

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
    /// With 8 bits of mantissa.
    BFloat16,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Weighting {
    Exact,
    Interpolated,
    /// By the place in the values written out as often as their weight says.
    ExactInterpolated,
    BFloat16,
}

pub use values::list_type;

type Builder = fn(&Call<'_>, Levels) -> Result<Plan>;

/// Name after `quantile`, how many parameters precede the levels, and the function.
const FAMILY: &[(&str, usize, Builder)] = &[
    ("", 0, |call, levels| values::plan(call, levels, Rule::Sampled)),
    ("Deterministic", 0, |call, levels| deterministic(call, &levels)),
    ("Exact", 0, |call, levels| values::plan(call, levels, Rule::Exact)),
    ("ExactLow", 0, |call, levels| values::plan(call, levels, Rule::Low)),
    ("ExactHigh", 0, |call, levels| values::plan(call, levels, Rule::High)),
    ("ExactInclusive", 0, |call, levels| values::plan(call, levels, Rule::Inclusive)),
    ("ExactExclusive", 0, |call, levels| values::plan(call, levels, Rule::Exclusive)),
    ("Timing", 0, |call, levels| timing(call, &levels, false)),
    ("BFloat16", 0, |call, levels| values::plan(call, levels, Rule::BFloat16)),
    ("GK", 1, |call, levels| greenwald(call, &levels)),
    ("DD", 1, |call, levels| ddsketch(call, &levels)),
    ("TDigest", 0, |call, levels| digest::plan(call, levels, false)),
    ("TDigestWeighted", 0, |call, levels| digest::plan(call, levels, true)),
    ("ExactWeighted", 0, |call, levels| weighted::plan(call, levels, Weighting::Exact)),
    ("InterpolatedWeighted", 0, |call, levels| weighted::plan(call, levels, Weighting::Interpolated)),
    ("ExactWeightedInterpolated", 0, |call, levels| weighted::plan(call, levels, Weighting::ExactInterpolated)),
    ("TimingWeighted", 0, |call, levels| timing(call, &levels, true)),
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

fn deterministic(call: &Call<'_>, levels: &Levels) -> Result<Plan> {
    call.arity(2..=2)?;
    let kind = check_kind(call)?;
    check_weight(call)?;
    let second = Some(call.kinds[1].clone());
    let kinds = (kind.clone(), interpolated_type(&kind));
    by_native!(
        &kind.arrow(),
        N => summaries::plan::<Deterministic<N>>(call, levels, (), kinds, second),
        Err(call.illegal(0, "a number, a date or a time"))
    )
}

fn timing(call: &Call<'_>, levels: &Levels, weighted: bool) -> Result<Plan> {
    let second = if weighted {
        call.arity(2..=2)?;
        check_weight(call)?;
        Some(SqlType::UInt64)
    } else {
        None
    };
    let kind = check_kind(call)?;
    let kinds = (kind.clone(), SqlType::Float32);
    by_native!(
        &kind.arrow(),
        N => summaries::plan::<Timing<N>>(call, levels, Weighted(weighted), kinds, second),
        Err(call.illegal(0, "a number, a date or a time"))
    )
}

fn wrong_accuracy(call: &Call<'_>, expected: &str) -> Error {
    let code = match call.parameters {
        [] => ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
        _ => ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT,
    };
    Error::new(code, format!("Aggregate function {} requires an accuracy as its first parameter: {expected}", call.name))
}

fn greenwald(call: &Call<'_>, levels: &Levels) -> Result<Plan> {
    let whole = |value: &ScalarValue| value.data_type().is_integer() && !value.is_null();
    if !call.parameters.first().is_some_and(whole) {
        return Err(wrong_accuracy(call, "a positive integer"));
    }
    let accuracy = call.size(0)?.unwrap_or_default();
    if accuracy == 0 {
        let text = format!("Aggregate function {} requires a positive accuracy, got {accuracy}", call.name);
        return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
    }
    let kind = check_kind(call)?;
    let kinds = (kind.clone(), call.kinds[0].clone());
    by_native!(
        &kind.arrow(),
        N => summaries::plan::<Greenwald<N>>(call, levels, 1.0 / accuracy as f64, kinds, None),
        Err(call.illegal(0, "a number, a date or a time"))
    )
}

fn ddsketch(call: &Call<'_>, levels: &Levels) -> Result<Plan> {
    let Some(ScalarValue::Float64(Some(accuracy))) = call.parameters.first() else {
        return Err(wrong_accuracy(call, "a number with a fraction between 0 and 1"));
    };
    if !(*accuracy > 0.0 && *accuracy < 1.0) {
        let text = format!("Relative accuracy must be between 0 and 1 but is {accuracy}");
        return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
    }
    let kind = check_kind(call)?;
    if matches!(kind, SqlType::Decimal { .. }) {
        return Err(call.illegal(0, "a number, a date or a time"));
    }
    let kinds = (kind.clone(), interpolated_type(&kind));
    by_native!(
        &kind.arrow(),
        N => summaries::plan::<DdSketch<N>>(call, levels, Bins::new(*accuracy), kinds, None),
        Err(call.illegal(0, "a number or a date"))
    )
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
    fn rise_to(self, next: Self) -> f64 {
        next.float() - self.float()
    }
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
            fn rise_to(self, next: Self) -> f64 { f64::from(next - self) }
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
    let values = || {
        answers.iter().map(|answer| match answer {
            Answer::Value(value) => *value,
            Answer::Float(value) => N::from_float(*value),
        })
    };
    match kind {
        DataType::Float64 => Ok(Arc::new(Float64Array::from_iter_values(floats()))),
        DataType::Float32 => Ok(Arc::new(Float32Array::from_iter_values(floats().map(|value| value as f32)))),
        DataType::Boolean => {
            let truths = values().map(|value| value != N::default());
            Ok(Arc::new(BooleanArray::from(truths.collect::<Vec<bool>>())))
        }
        _ => column(values().collect::<Vec<N>>(), kind),
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

/// What ClickHouse counts in days or seconds and keeps as an integer without a sign.
fn is_day_or_second(kind: &SqlType) -> bool {
    matches!(kind, SqlType::Date | SqlType::DateTime(_))
}

/// The type that the values of the first argument are kept in; of Bool an integer.
fn check_kind(call: &Call<'_>) -> Result<SqlType> {
    let kind = call.kinds.first().cloned().unwrap_or(SqlType::Nothing);
    let ranked = kind.is_number()
        || kind.is_date_or_time()
        || matches!(kind, SqlType::Time | SqlType::Time64(_) | SqlType::Interval(_));
    if !ranked {
        return Err(call.illegal(0, "a number, a date or a time"));
    }
    Ok(kind.bool_as_integer())
}

fn check_weight(call: &Call<'_>) -> Result<()> {
    match call.kinds.get(1) {
        Some(kind) if matches!(kind.integer_bits(), Some((..=64, false))) || *kind == SqlType::Bool => Ok(()),
        _ => Err(call.illegal(1, "an unsigned integer, the weight")),
    }
}
