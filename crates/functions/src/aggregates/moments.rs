//! Functions of one or two numbers that keep a few running floats: variances, covariances, correlation, skewness, kurtosis,
//! weighted averages, regressions.
//!
//! The plain ones sum powers and products and take the moments from these sums, as ClickHouse does (so that results agree
//! to the last digit, lost precision included); the Stable ones follow Welford's updates; SQL's regressions sum distances
//! from the first row.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, StructArray, UInt64Array};
use arrow::datatypes::{DataType, Float32Type};
use gristmill_base::{Error, Result};
use gristmill_types::SqlType;

use super::groups::Groups;
use super::natives::natives;
use super::{Call, NullRule, Plan, family};
use crate::registry::Registry;

/// One function: its numbers' start, what a row and another state add, and the result.
struct Spec<const N: usize> {
    arguments: usize,
    start: [f64; N],
    add: fn(&mut [f64; N], f64, f64),
    merge: fn(&mut [f64; N], &[f64; N]),
    finish: Finish<N>,
}

impl<const N: usize> Clone for Spec<N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<const N: usize> Copy for Spec<N> {}

/// The result of a state: one float, or two for a pair.
type Finish<const N: usize> = fn(&[f64; N]) -> [f64; 2];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Output {
    /// Float32 where all arguments are, else Float64.
    AsArguments,
    Float64,
    UInt64,
    Pair,
}

fn add<const N: usize>(into: &mut [f64; N], from: &[f64; N]) {
    for (into, from) in into.iter_mut().zip(from) {
        *into += from;
    }
}

fn one(value: f64) -> [f64; 2] {
    [value, 0.0]
}

/// Count and sums of the first four powers.
type Powers = [f64; 5];

fn add_powers(m: &mut Powers, x: f64, _: f64) {
    m[0] += 1.0;
    m[1] += x;
    m[2] += x * x;
    m[3] += x * x * x;
    m[4] += x * x * x * x;
}

fn var_pop(m: &Powers) -> f64 {
    if m[0] == 0.0 { f64::NAN } else { ((m[2] - m[1] * m[1] / m[0]) / m[0]).max(0.0) }
}

fn var_samp(m: &Powers) -> f64 {
    if m[0] <= 1.0 { f64::NAN } else { ((m[2] - m[1] * m[1] / m[0]) / (m[0] - 1.0)).max(0.0) }
}

fn third(m: &Powers) -> f64 {
    (m[3] - (3.0 * m[2] - 2.0 * m[1] * m[1] / m[0]) * m[1] / m[0]) / m[0]
}

fn fourth(m: &Powers) -> f64 {
    (m[4] - (4.0 * m[3] - (6.0 * m[2] - 3.0 * m[1] * m[1] / m[0]) * m[1] / m[0]) * m[1] / m[0]) / m[0]
}

/// A moment over a power of the variance; NaN where nothing varies.
fn standardised(moment: f64, variance: f64, power: f64) -> f64 {
    if variance > 0.0 { moment / variance.powf(power) } else { f64::NAN }
}

/// Count, sums of x and y, of x·y, x² and y².
type Pairs = [f64; 6];

fn add_pairs(m: &mut Pairs, x: f64, y: f64) {
    m[0] += 1.0;
    m[1] += x;
    m[2] += y;
    m[3] += x * y;
    m[4] += x * x;
    m[5] += y * y;
}

fn covar_pop(m: &Pairs) -> f64 {
    if m[0] == 0.0 { f64::NAN } else { (m[3] - m[1] * m[2] / m[0]) / m[0] }
}

fn covar_samp(m: &Pairs) -> f64 {
    if m[0] <= 1.0 { f64::NAN } else { (m[3] - m[1] * m[2] / m[0]) / (m[0] - 1.0) }
}

fn corr(m: &Pairs) -> f64 {
    (m[0] * m[3] - m[1] * m[2]) / ((m[0] * m[4] - m[1] * m[1]) * (m[0] * m[5] - m[2] * m[2])).sqrt()
}

/// Slope and intercept of y over x.
fn line(m: &Pairs) -> [f64; 2] {
    let slope = (m[0] * m[3] - m[1] * m[2]) / (m[0] * m[4] - m[1] * m[1]);
    [slope, (m[2] - slope * m[1]) / m[0]]
}

/// Count, the first x and y, and what `Pairs` sums, in its order, of the distances from these two: of values that lie near
/// to one another and far from zero, as times do, sums of the values themselves would keep no digits.
type Shifted = [f64; 8];

/// SQL's regressions take y before x.
fn regression(finish: Finish<8>) -> Spec<8> {
    Spec { arguments: 2, start: [0.0; 8], add: |m, y, x| add_shifted(m, x, y), merge: merge_shifted, finish }
}

fn add_shifted(m: &mut Shifted, x: f64, y: f64) {
    if m[0] == 0.0 {
        (m[1], m[2]) = (x, y);
    }
    let (dx, dy) = (x - m[1], y - m[2]);
    m[0] += 1.0;
    m[3] += dx;
    m[4] += dy;
    m[5] += dx * dy;
    m[6] += dx * dx;
    m[7] += dy * dy;
}

fn merge_shifted(into: &mut Shifted, from: &Shifted) {
    if from[0] == 0.0 {
        return;
    }
    if into[0] == 0.0 {
        *into = *from;
        return;
    }
    let (rows, dx, dy) = (from[0], from[1] - into[1], from[2] - into[2]);
    into[0] += rows;
    into[3] += from[3] + rows * dx;
    into[4] += from[4] + rows * dy;
    into[5] += from[5] + dx * from[4] + dy * from[3] + rows * dx * dy;
    into[6] += from[6] + 2.0 * dx * from[3] + rows * dx * dx;
    into[7] += from[7] + 2.0 * dy * from[4] + rows * dy * dy;
}

fn mean_x(m: &Shifted) -> f64 {
    m[1] + m[3] / m[0]
}

fn mean_y(m: &Shifted) -> f64 {
    m[2] + m[4] / m[0]
}

fn products(m: &Shifted) -> f64 {
    m[5] - m[3] * m[4] / m[0]
}

/// Sum of the squared differences from the mean, of a sum and a sum of squares; zero where that is no number, as
/// ClickHouse has it.
fn spread(rows: f64, sum: f64, squares: f64) -> f64 {
    if rows == 0.0 { f64::NAN } else { (squares - sum * sum / rows).max(0.0) }
}

fn spread_x(m: &Shifted) -> f64 {
    spread(m[0], m[3], m[6])
}

fn spread_y(m: &Shifted) -> f64 {
    spread(m[0], m[4], m[7])
}

fn slope(m: &Shifted) -> f64 {
    products(m) / spread_x(m)
}

/// How much of what y varies a line over x explains; all of it, where it does not vary.
fn explained(m: &Shifted) -> f64 {
    match (spread_x(m), spread_y(m)) {
        (0.0, _) => f64::NAN,
        (_, 0.0) => 1.0,
        (of_x, of_y) => products(m) * products(m) / (of_x * of_y),
    }
}

/// Count, means of x and y, sums of squared differences of each, sum of their products.
type Welford = [f64; 6];

fn add_welford(m: &mut Welford, x: f64, y: f64) {
    m[0] += 1.0;
    let (dx, dy) = (x - m[1], y - m[2]);
    m[1] += dx / m[0];
    m[2] += dy / m[0];
    m[3] += dx * (x - m[1]);
    m[4] += dy * (y - m[2]);
    m[5] += (x - m[1]) * dy;
}

fn merge_welford(into: &mut Welford, from: &Welford) {
    let total = into[0] + from[0];
    if from[0] == 0.0 {
        return;
    }
    let (dx, dy) = (from[1] - into[1], from[2] - into[2]);
    let share = into[0] * from[0] / total;
    into[3] += from[3] + dx * dx * share;
    into[4] += from[4] + dy * dy * share;
    into[5] += from[5] + dx * dy * share;
    into[1] += dx * from[0] / total;
    into[2] += dy * from[0] / total;
    into[0] = total;
}

/// Infinite below the least number of rows, as ClickHouse's stable functions are.
fn over(sum: f64, rows: f64, least: f64) -> f64 {
    if rows < least { f64::INFINITY } else { sum / (rows - (least - 1.0)) }
}

pub fn register(registry: &mut Registry) {
    let powers: [(&str, Finish<5>); 8] = [
        ("varPop", |m| one(var_pop(m))),
        ("varSamp", |m| one(var_samp(m))),
        ("stddevPop", |m| one(var_pop(m).sqrt())),
        ("stddevSamp", |m| one(var_samp(m).sqrt())),
        ("skewPop", |m| one(standardised(third(m), var_pop(m), 1.5))),
        ("skewSamp", |m| one(standardised(third(m), var_samp(m), 1.5))),
        ("kurtPop", |m| one(standardised(fourth(m), var_pop(m), 2.0))),
        ("kurtSamp", |m| one(standardised(fourth(m), var_samp(m), 2.0))),
    ];
    for (name, finish) in powers {
        let spec = Spec { arguments: 1, start: [0.0; 5], add: add_powers, merge: add, finish };
        define(registry, name, Output::AsArguments, spec, |kind| kind.is_number() || kind.is_enum());
    }
    let pairs: [(&str, Output, Finish<6>); 4] = [
        ("covarPop", Output::AsArguments, |m| one(covar_pop(m))),
        ("covarSamp", Output::AsArguments, |m| one(covar_samp(m))),
        ("corr", Output::AsArguments, |m| one(corr(m))),
        ("simpleLinearRegression", Output::Pair, line),
    ];
    for (name, output, finish) in pairs {
        let spec = Spec { arguments: 2, start: [0.0; 6], add: add_pairs, merge: add, finish };
        define(registry, name, output, spec, SqlType::is_number);
    }
    let regressions: [(&str, Finish<8>); 8] = [
        ("regr_avgx", |m| one(mean_x(m))),
        ("regr_avgy", |m| one(mean_y(m))),
        ("regr_slope", |m| one(slope(m))),
        ("regr_intercept", |m| one(mean_y(m) - slope(m) * mean_x(m))),
        ("regr_r2", |m| one(explained(m))),
        ("regr_sxx", |m| one(spread_x(m))),
        ("regr_syy", |m| one(spread_y(m))),
        ("regr_sxy", |m| one(products(m))),
    ];
    for (name, finish) in regressions {
        define(registry, name, Output::Float64, regression(finish), SqlType::is_number);
        registry.any_case(name);
    }
    let rows = regression(|m| one(m[0]));
    let count = family(NullRule::Counted, move |call| plan(call, Output::UInt64, rows, SqlType::is_number));
    registry.aggregate("regr_count", count);
    registry.any_case("regr_count");
    let stable: [(&str, usize, Finish<6>); 7] = [
        ("varPopStable", 1, |m| one(over(m[3], m[0], 1.0))),
        ("varSampStable", 1, |m| one(over(m[3], m[0], 2.0))),
        ("stddevPopStable", 1, |m| one(over(m[3], m[0], 1.0).sqrt())),
        ("stddevSampStable", 1, |m| one(over(m[3], m[0], 2.0).sqrt())),
        ("covarPopStable", 2, |m| one(over(m[5], m[0], 1.0))),
        ("covarSampStable", 2, |m| one(over(m[5], m[0], 2.0))),
        ("corrStable", 2, |m| one(if m[0] < 2.0 { f64::INFINITY } else { m[5] / (m[3] * m[4]).sqrt() })),
    ];
    for (name, arguments, finish) in stable {
        let spec = Spec { arguments, start: [0.0; 6], add: add_welford, merge: merge_welford, finish };
        define(registry, name, Output::Float64, spec, has_float);
    }
    let weighted = Spec {
        arguments: 2,
        start: [0.0; 2],
        add: |m, value, weight| {
            m[0] += value * weight;
            m[1] += weight;
        },
        merge: add,
        finish: |m| one(m[0] / m[1]),
    };
    define(registry, "avgWeighted", Output::Float64, weighted, SqlType::is_number);
    let kahan =
        Spec { arguments: 1, start: [0.0; 2], add: |m, x, _| kahan_add(m, x), merge: kahan_merge, finish: |m| one(m[0]) };
    // A sum of decimals has no rounding to make good.
    let sum_kahan = move |call: &Call<'_>| match call.kinds.first() {
        Some(kind) if kind.is_decimal() => super::sums::plain(call),
        _ => plan(call, Output::Float64, kahan, |kind| kind.is_number() || kind.is_enum()),
    };
    registry.aggregate("sumKahan", family(NullRule::Nullable, sum_kahan));
    let bounding = Spec {
        arguments: 2,
        // The points furthest left and right.
        start: [f64::INFINITY, 0.0, f64::NEG_INFINITY, 0.0],
        add: |m, x, y| bound(m, x, y),
        merge: |into, from| {
            if from[0] <= from[2] {
                bound(into, from[0], from[1]);
                bound(into, from[2], from[3]);
            }
        },
        finish: |m| one(if m[0] <= m[2] { (m[3] - m[1]) / (m[2] - m[0]) } else { f64::NAN }),
    };
    define(registry, "boundingRatio", Output::Float64, bounding, has_float);
    registry.aggregate("exponentialMovingAverage", family(NullRule::Nullable, moving_average));
    for (alias, name) in [
        ("VAR_POP", "varPop"),
        ("VAR_SAMP", "varSamp"),
        ("STDDEV_POP", "stddevPop"),
        ("STDDEV_SAMP", "stddevSamp"),
        ("STDDEV", "stddevSamp"),
        ("STD", "stddevPop"),
        ("COVAR_POP", "covarPop"),
        ("COVAR_SAMP", "covarSamp"),
    ] {
        registry.alias(alias, name);
        registry.any_case(alias);
    }
    registry.any_case("corr");
}

/// `exponentialMovingAverage(half)(value, time)`: values lose half of their weight in a time of `half`. Kept are their sum
/// at the newest time, that time, whether there was any, and `half`.
fn moving_average(call: &Call<'_>) -> Result<Plan> {
    let half = call.float(0)?.unwrap_or(f64::NAN);
    if !half.is_finite() || half <= 0.0 {
        return Err(crate::define::bad_argument(call.name, "the time in which a weight halves must be a parameter above 0"));
    }
    let spec: Spec<4> = Spec {
        arguments: 2,
        start: [0.0, 0.0, 0.0, half],
        add: |m, value, time| {
            let half = m[3];
            decay(m, &[value, time, 1.0, half]);
        },
        merge: decay,
        finish: |m| one(m[0] * (1.0 - 0.5f64.powf(1.0 / m[3]))),
    };
    plan(call, Output::Float64, spec, SqlType::is_number)
}

fn decay(into: &mut [f64; 4], from: &[f64; 4]) {
    if from[2] == 0.0 {
        return;
    }
    if into[2] == 0.0 {
        *into = *from;
        return;
    }
    let (early, late) = if into[1] <= from[1] { (*into, *from) } else { (*from, *into) };
    *into = [late[0] + early[0] * 0.5f64.powf((late[1] - early[1]) / late[3]), late[1], 1.0, late[3]];
}

fn bound(m: &mut [f64; 4], x: f64, y: f64) {
    if x < m[0] {
        (m[0], m[1]) = (x, y);
    }
    if x > m[2] {
        (m[2], m[3]) = (x, y);
    }
}

/// A sum and what rounding took from it.
fn kahan_add(m: &mut [f64; 2], x: f64) {
    let compensated = x - m[1];
    let sum = m[0] + compensated;
    m[1] = (sum - m[0]) - compensated;
    m[0] = sum;
}

fn kahan_merge(into: &mut [f64; 2], from: &[f64; 2]) {
    kahan_add(into, from[0]);
    kahan_add(into, -from[1]);
}

/// Which arguments a function takes.
type Takes = fn(&SqlType) -> bool;

/// Whether its values are floats to ClickHouse, which the functions that know no types take: numbers, and what is counted
/// in days, seconds or steps.
fn has_float(kind: &SqlType) -> bool {
    kind.is_number()
        || kind.is_enum()
        || kind.is_date_or_time()
        || matches!(kind, SqlType::Time | SqlType::Time64(_) | SqlType::Interval(_))
}

fn define<const N: usize>(registry: &mut Registry, name: &str, output: Output, spec: Spec<N>, takes: Takes) {
    registry.aggregate(name, family(NullRule::Nullable, move |call| plan(call, output, spec, takes)));
}

fn plan<const N: usize>(call: &Call<'_>, output: Output, spec: Spec<N>, takes: Takes) -> Result<Plan> {
    call.arity(spec.arguments..=spec.arguments)?;
    if let Some(other) = call.kinds.iter().position(|kind| !takes(kind)) {
        return Err(call.illegal(other, "a number"));
    }
    let result = match output {
        Output::AsArguments if call.kinds.iter().all(|kind| *kind == SqlType::Float32) => SqlType::Float32,
        Output::AsArguments | Output::Float64 => SqlType::Float64,
        Output::UInt64 => SqlType::UInt64,
        Output::Pair => {
            SqlType::Tuple(vec![(Some("k".to_string()), SqlType::Float64), (Some("b".to_string()), SqlType::Float64)])
        }
    };
    let carrier = result.arrow();
    let arguments = vec![SqlType::Float64; spec.arguments];
    Ok(Plan::new(result, arguments, vec![DataType::Float64; N], move || Floats {
        states: Vec::new(),
        spec,
        result: carrier.clone(),
    }))
}

struct Floats<const N: usize> {
    states: Vec<[f64; N]>,
    spec: Spec<N>,
    result: DataType,
}

impl<const N: usize> Groups for Floats<N> {
    fn resize(&mut self, groups: usize) {
        self.states.resize(groups, self.spec.start);
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let first = natives::<f64>(&args[0])?;
        let add = self.spec.add;
        match args.get(1) {
            Some(second) => {
                let second = natives::<f64>(second)?;
                for ((x, y), group) in first.iter().zip(second.iter()).zip(groups) {
                    add(&mut self.states[*group], *x, *y);
                }
            }
            None => {
                for (x, group) in first.iter().zip(groups) {
                    add(&mut self.states[*group], *x, 0.0);
                }
            }
        }
        Ok(())
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        let column = |i: usize| self.states[..groups].iter().map(|state| state[i]).collect::<Vec<f64>>();
        Ok((0..N).map(|i| Arc::new(Float64Array::from(column(i))) as ArrayRef).collect())
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let columns = states.iter().map(|array| natives::<f64>(array)).collect::<Result<Vec<_>>>()?;
        for (row, group) in groups.iter().enumerate() {
            let mut other = [0.0; N];
            for (value, column) in other.iter_mut().zip(&columns) {
                *value = column[row];
            }
            (self.spec.merge)(&mut self.states[*group], &other);
        }
        Ok(())
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        let results: Vec<[f64; 2]> = self.states[..groups].iter().map(self.spec.finish).collect();
        let column = |i: usize| Float64Array::from_iter_values(results.iter().map(|pair| pair[i]));
        match &self.result {
            DataType::Float64 => Ok(Arc::new(column(0))),
            DataType::Float32 => Ok(Arc::new(column(0).unary::<_, Float32Type>(|value| value as f32))),
            DataType::UInt64 => Ok(Arc::new(UInt64Array::from_iter_values(results.iter().map(|pair| pair[0] as u64)))),
            DataType::Struct(fields) => {
                let columns: Vec<ArrayRef> = vec![Arc::new(column(0)), Arc::new(column(1))];
                Ok(Arc::new(StructArray::try_new(fields.clone(), columns, None)?))
            }
            other => Err(Error::logical(format!("A function of floats cannot give {other}"))),
        }
    }

    fn drop_first(&mut self, groups: usize) {
        self.states.drain(..groups);
    }

    fn bytes(&self) -> usize {
        self.states.capacity() * size_of::<[f64; N]>()
    }
}
