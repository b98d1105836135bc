//! What the Kusto Query Language's operators mean: `kqlBin`, `kqlBinAt`, `kqlDateTimeBinAt`, `kqlDivide`, `kqlMultiply`,
//! `kqlRangeCount`.
//!
//! A timespan is an Interval, a datetime a DateTime64 of 7 digits. Numbers are computed by the functions of their names
//! (`intDiv`, `multiply`, …), which say the types of the results; moments and timespans in whole nanoseconds, 128 bits wide.

use SqlType as T;
use arrow::array::{ArrayRef, AsArray, BooleanArray, Int64Array};
use arrow::compute::nullif;
use arrow::datatypes::{Decimal128Type, Float64Type, Int64Type, UInt64Type};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::cast::cast;
use gristmill_types::{IntervalKind, SqlType};

use crate::columns::{Numbers, broadcast, numbers};
use crate::datetime::interval_nanos;
use crate::datetime::moments::ticks;
use crate::define::{arity, bad_argument, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};
use crate::tuple_arithmetic::Step;

/// Digits of a datetime's seconds, and nanoseconds of its last one.
const DIGITS: u8 = 7;
const TICK_NANOS: i128 = 100;

pub fn register(registry: &mut Registry) {
    registry.scalar(
        "kqlBin",
        plain(|name, arguments, env| {
            arity(name, arguments, 2..=2)?;
            bin(name, arguments, env)
        }),
    );
    registry.scalar(
        "kqlBinAt",
        plain(|name, arguments, env| {
            arity(name, arguments, 3..=3)?;
            bin(name, arguments, env)
        }),
    );
    registry.scalar(
        "kqlDateTimeBinAt",
        plain(|name, arguments, _| {
            arity(name, arguments, 3..=3)?;
            match (&arguments[0].kind, length(&arguments[1].kind), &arguments[2].kind) {
                (T::DateTime64(..), Some(_), T::DateTime64(..)) => moments(name, arguments),
                _ => Err(wrong(format!("Function {name} expects a datetime, a timespan and a datetime"))),
            }
        }),
    );
    registry.scalar("kqlDivide", plain(divide));
    registry.scalar("kqlMultiply", plain(multiply));
    registry.scalar("kqlRangeCount", plain(|name, arguments, _| range_count(name, arguments)));
}

fn wrong(text: String) -> Error {
    Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text)
}

fn division_by_zero() -> Error {
    Error::new(ErrorCode::ILLEGAL_DIVISION, "Division by zero")
}

pub(crate) fn no_timespan(name: &str) -> Error {
    bad_argument(name, "the result does not fit a timespan")
}

/// Nanoseconds of an interval's unit, where that has a fixed length.
pub(crate) fn length(kind: &SqlType) -> Option<i128> {
    match kind {
        T::Interval(kind) => Some(i128::from(interval_nanos(*kind))).filter(|nanos| *nanos != 0),
        _ => None,
    }
}

fn shown(arguments: &[Argument]) -> String {
    arguments.iter().map(|argument| argument.kind.to_string()).collect::<Vec<_>>().join(" and ")
}

/// `value` rounded down to a multiple of a step, counted from nought or from a third argument.
fn bin(name: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
    let kinds: Vec<SqlType> = arguments.iter().map(|argument| argument.kind.clone()).collect();
    if kinds.iter().all(SqlType::is_number) {
        return bin_numbers(&kinds, env);
    }
    let is_moment = |i: usize| kinds.get(i).is_none_or(|kind| matches!(kind, T::DateTime64(..)));
    if matches!(kinds[0], T::DateTime64(..)) && is_moment(2) {
        if length(&kinds[1]).is_some() {
            return moments(name, arguments);
        }
        let text = format!("Function {name} rounds a datetime by a timespan, but the second argument has type {}", kinds[1]);
        return Err(wrong(text));
    }
    if kinds.iter().all(|kind| matches!(kind, T::Interval(_))) {
        return timespans(name, arguments);
    }
    let text = "a number rounded by a number, a timespan rounded by a timespan, or a datetime rounded by a timespan";
    Err(wrong(format!("Function {name} expects {text}, got {}", shown(arguments))))
}

/// One computation after another, the way an expression of them would be computed.
struct Numeric {
    step: SqlType,
    /// The value less the point that bins are counted from.
    from: Option<Step>,
    whole: Whole,
    times: Step,
    back: Option<Step>,
}

/// How many whole steps there are in a value.
enum Whole {
    /// Of unsigned integers.
    Unsigned(Step),
    /// `intDiv` rounds towards nought: one less where something is left and the signs differ.
    Signed {
        quotient: Step,
        rest: Step,
        less: Step,
    },
    Divided {
        ratio: Step,
        floor: Step,
    },
}

fn bin_numbers(kinds: &[SqlType], env: &FunctionEnv) -> Result<Bound> {
    let step = kinds[1].clone();
    let from = kinds.get(2).map(|at| Step::bind("minus", vec![kinds[0].clone(), at.clone()], env)).transpose()?;
    let value = from.as_ref().map_or_else(|| kinds[0].clone(), |from| from.result().clone());
    let both = vec![value.clone(), step.clone()];
    let is_signed = |kind: &SqlType| kind.integer_bits().is_some_and(|(_, signed)| signed);
    let is_whole = |kind: &SqlType| kind.is_integer() || *kind == T::Bool;
    let (whole, count) = if is_whole(&value) && is_whole(&step) {
        let quotient = Step::bind("intDiv", both.clone(), env)?;
        if is_signed(&value) || is_signed(&step) {
            let rest = Step::bind("modulo", both, env)?;
            let less = Step::bind("minus", vec![quotient.result().clone(), T::UInt8], env)?;
            let count = less.result().clone();
            (Whole::Signed { quotient, rest, less }, count)
        } else {
            let count = quotient.result().clone();
            (Whole::Unsigned(quotient), count)
        }
    } else {
        let ratio = Step::bind("divide", both, env)?;
        let floor = Step::bind("floor", vec![ratio.result().clone()], env)?;
        let count = floor.result().clone();
        (Whole::Divided { ratio, floor }, count)
    };
    let times = Step::bind("multiply", vec![count, step.clone()], env)?;
    let back = kinds.get(2).map(|at| Step::bind("plus", vec![times.result().clone(), at.clone()], env)).transpose()?;
    let result = back.as_ref().unwrap_or(&times).result().clone();
    // There are no bins of a negative length.
    let may_be_negative = !matches!(step.integer_bits(), Some((_, false)));
    let result = if may_be_negative { result.nullable() } else { result };
    let numeric = Numeric { step, from, whole, times, back };
    Ok(Bound::new(result, move |args, rows| {
        let args = args.iter().map(|array| broadcast(array, rows)).collect::<Result<Vec<_>>>()?;
        let binned = numeric.compute(&args, rows)?;
        if !may_be_negative {
            return Ok(binned);
        }
        let negative = is_negative(&args[1], &numeric.step)?;
        Ok(nullif(&binned, &negative)?)
    }))
}

impl Numeric {
    fn compute(&self, args: &[ArrayRef], rows: usize) -> Result<ArrayRef> {
        let value = match &self.from {
            Some(from) => from.compute(&[args[0].clone(), args[2].clone()], rows)?,
            None => args[0].clone(),
        };
        let both = [value, args[1].clone()];
        let count = match &self.whole {
            Whole::Unsigned(quotient) => quotient.compute(&both, rows)?,
            Whole::Signed { quotient, rest, less } => {
                let floor = quotient.compute(&both, rows)?;
                let left = signs(&rest.compute(&both, rows)?, rest.result())?;
                let of_step = signs(&args[1], &self.step)?;
                // What is left has the sign of the value.
                let correction = numbers::<arrow::datatypes::UInt8Type>(rows, |row| {
                    Ok(u8::from(left[row] != 0.0 && (left[row] < 0.0) != (of_step[row] < 0.0)))
                })?;
                less.compute(&[floor, correction], rows)?
            }
            Whole::Divided { ratio, floor } => floor.compute(&[ratio.compute(&both, rows)?], rows)?,
        };
        let binned = self.times.compute(&[count, args[1].clone()], rows)?;
        match &self.back {
            Some(back) => back.compute(&[binned, args[2].clone()], rows),
            None => Ok(binned),
        }
    }
}

/// Numbers as floats, which keep the sign and what is not nought.
fn signs(array: &ArrayRef, kind: &SqlType) -> Result<Vec<f64>> {
    let floats = cast(array, kind, &T::Float64, &Default::default())?;
    Ok(floats.as_primitive::<Float64Type>().values().to_vec())
}

fn is_negative(array: &ArrayRef, kind: &SqlType) -> Result<BooleanArray> {
    Ok(signs(array, kind)?.into_iter().map(|value| Some(value < 0.0)).collect())
}

/// A moment rounded down to a multiple of a timespan since 1970, or since a third argument. NULL where the timespan is none.
fn moments(name: &str, arguments: &[Argument]) -> Result<Bound> {
    let unit = length(&arguments[1].kind).ok_or_else(|| wrong(format!("Function {name} expects a timespan")))?;
    let moment = T::DateTime64(DIGITS, arguments[0].kind.timezone().cloned());
    let mut casts = vec![moment.clone(), arguments[1].kind.clone()];
    casts.extend(arguments.get(2).map(|_| moment.clone()));
    let name = name.to_string();
    Ok(Bound::cast(casts, moment.nullable(), move |args, rows| {
        let values = Numbers::of::<Int64Type>(&args[0])?;
        let steps = Numbers::of::<Int64Type>(&args[1])?;
        let points = args.get(2).map(Numbers::of::<Int64Type>).transpose()?;
        let ticks: Vec<Option<i64>> = (0..rows)
            .map(|row| {
                let step = i128::from(steps.get(row)) * unit;
                if step <= 0 {
                    return Ok(None);
                }
                let from = points.map_or(0, |points| i128::from(points.get(row))) * TICK_NANOS;
                let value = i128::from(values.get(row)) * TICK_NANOS - from;
                let binned = (from + value.div_euclid(step) * step).div_euclid(TICK_NANOS);
                i64::try_from(binned).map(Some).map_err(|_| bad_argument(&name, "the result does not fit a datetime"))
            })
            .collect::<Result<_>>()?;
        Ok(std::sync::Arc::new(Int64Array::from(ticks)))
    }))
}

/// The unit that intervals are computed in, and what each is to be multiplied with.
fn common_unit(name: &str, arguments: &[Argument], what: &str) -> Result<(SqlType, Vec<i128>)> {
    let first = &arguments[0].kind;
    if arguments.iter().all(|argument| argument.kind == *first) {
        return Ok((first.clone(), vec![1; arguments.len()]));
    }
    let lengths: Option<Vec<i128>> = arguments.iter().map(|argument| length(&argument.kind)).collect();
    let lengths = lengths.ok_or_else(|| {
        let kinds = shown(arguments).replace(" and ", " by ");
        wrong(format!("Function {name} cannot {what} {kinds}: the kinds differ and not both have a fixed length"))
    })?;
    Ok((T::Interval(IntervalKind::Nanosecond), lengths))
}

fn timespans(name: &str, arguments: &[Argument]) -> Result<Bound> {
    let (kind, units) = common_unit(name, arguments, "round")?;
    let name = name.to_string();
    Ok(Bound::new(kind.nullable(), move |args, rows| {
        let columns = args.iter().map(Numbers::of::<Int64Type>).collect::<Result<Vec<_>>>()?;
        let value = |i: usize, row: usize| columns.get(i).map_or(0, |column| i128::from(column.get(row)) * units[i]);
        let binned: Vec<Option<i64>> = (0..rows)
            .map(|row| {
                let step = value(1, row);
                match step {
                    0 => return Err(division_by_zero()),
                    ..0 => return Ok(None),
                    _ => {}
                }
                let binned = value(2, row) + (value(0, row) - value(2, row)).div_euclid(step) * step;
                i64::try_from(binned).map(Some).map_err(|_| no_timespan(&name))
            })
            .collect::<Result<_>>()?;
        Ok(std::sync::Arc::new(Int64Array::from(binned)))
    }))
}

/// Of integers an integer, of timespans how often the second goes into the first, of others the quotient.
fn divide(name: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    let is_whole = |i: usize| arguments[i].kind.is_integer() || arguments[i].kind == T::Bool;
    if arguments.iter().all(|argument| matches!(argument.kind, T::Interval(_))) {
        let (_, units) = common_unit(name, arguments, "divide")?;
        return Ok(Bound::new(T::Float64, move |args, rows| {
            let (a, b) = (Numbers::of::<Int64Type>(&args[0])?, Numbers::of::<Int64Type>(&args[1])?);
            let value = |value: i64, i: usize| (i128::from(value) * units[i]) as f64;
            numbers::<Float64Type>(rows, |row| Ok(value(a.get(row), 0) / value(b.get(row), 1)))
        }));
    }
    by_name(if is_whole(0) && is_whole(1) { "intDiv" } else { "divide" }, arguments, env)
}

fn by_name(operation: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
    let step = Step::bind(operation, arguments.iter().map(|argument| argument.kind.clone()).collect(), env)?;
    Ok(Bound::new(step.result().clone(), move |args, rows| step.compute(args, rows)))
}

/// A timespan so many times, rounded towards nought; of others the product.
fn multiply(name: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    let is_span = |i: usize| matches!(arguments[i].kind, T::Interval(_));
    let span = match (is_span(0), is_span(1)) {
        (false, false) => return by_name("multiply", arguments, env),
        (true, false) if arguments[1].kind.is_number() => 0,
        (false, true) if arguments[0].kind.is_number() => 1,
        _ => {
            let text = format!("Function {name} scales a timespan by a number, but the arguments have types");
            return Err(wrong(format!("{text} {}", shown(arguments))));
        }
    };
    let (result, factor) = (arguments[span].kind.clone(), arguments[1 - span].kind.clone());
    let name = name.to_string();
    Ok(Bound::new(result, move |args, rows| {
        let spans = Numbers::of::<Int64Type>(&args[span])?;
        scaled(&name, &args[1 - span], &factor, |row| spans.get(row), rows)
    }))
}

/// Timespans so many times, rounded towards nought. Error: BAD_ARGUMENTS where one does not fit.
pub(crate) fn scaled(
    name: &str,
    factors: &ArrayRef,
    kind: &SqlType,
    span: impl Fn(usize) -> i64,
    rows: usize,
) -> Result<ArrayRef> {
    let scale = match kind {
        T::Decimal { precision: ..=38, scale } => *scale,
        _ if kind.integer_bits().is_some_and(|(bits, _)| bits <= 64) || *kind == T::Bool => 0,
        _ => {
            let factors = cast(factors, kind, &T::Float64, &Default::default())?;
            let factors = Numbers::of::<Float64Type>(&factors)?;
            return numbers::<Int64Type>(rows, |row| {
                let product = (span(row) as f64 * factors.get(row)).trunc();
                let is_inside = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&product);
                is_inside.then_some(product as i64).ok_or_else(|| no_timespan(name))
            });
        }
    };
    let factors = cast(factors, kind, &T::Decimal { precision: 38, scale }, &Default::default())?;
    let factors = Numbers::of::<Decimal128Type>(&factors)?;
    let divisor = 10i128.pow(u32::from(scale));
    numbers::<Int64Type>(rows, |row| {
        let product = i128::from(span(row)).checked_mul(factors.get(row));
        product.and_then(|product| i64::try_from(product / divisor).ok()).ok_or_else(|| no_timespan(name))
    })
}

/// What bounds and steps of a range are computed as.
enum Range {
    Whole {
        scale: u8,
    },
    Float,
    /// In nanoseconds: those of each argument's unit.
    Moments(Vec<i128>),
}

/// How many values there are from one number on by a step, as far as another.
fn range_count(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 3..=3)?;
    let kinds: Vec<SqlType> = arguments.iter().map(|argument| argument.kind.clone()).collect();
    let unit = |kind: &SqlType| match kind {
        T::DateTime(_) => Some(1_000_000_000),
        T::DateTime64(digits, _) => Some(10i128.pow(9 - u32::from(*digits))),
        _ => None,
    };
    let units = |of: [Option<i128>; 3]| of.into_iter().collect::<Option<Vec<_>>>();
    let spans = units([length(&kinds[0]), length(&kinds[1]), length(&kinds[2])]);
    let moments = units([unit(&kinds[0]), unit(&kinds[1]), length(&kinds[2])]);
    let exact = |kind: &SqlType| match kind {
        T::Decimal { precision: ..=38, scale } => Some(*scale),
        _ => kind.integer_bits().filter(|(bits, _)| *bits <= 64).map(|_| 0),
    };
    let range = if let Some(units) = spans.or(moments) {
        Range::Moments(units)
    } else if let Some(scales) = kinds.iter().map(exact).collect::<Option<Vec<_>>>() {
        // Beside a scale of 18 and less, integers of 64 bits fit in.
        match scales.into_iter().max().unwrap_or(0) {
            scale @ ..=18 => Range::Whole { scale },
            _ => Range::Float,
        }
    } else if kinds.iter().all(SqlType::is_number) {
        Range::Float
    } else {
        let text =
            "A 'range' goes from a number by a number, from a datetime by a timespan, or from a timespan by a timespan";
        let shown: Vec<String> = kinds.iter().map(ToString::to_string).collect();
        return Err(wrong(format!("{text}, but the bounds and the step have types {}", shown.join(", "))));
    };
    Ok(Bound::new(T::UInt64, move |args, rows| {
        let as_kind = |to: SqlType| -> Result<Vec<ArrayRef>> {
            args.iter().zip(&kinds).map(|(array, kind)| cast(array, kind, &to, &Default::default())).collect()
        };
        let whole = |value: &dyn Fn(usize, usize) -> i128| {
            numbers::<UInt64Type>(rows, |row| count(value(0, row), value(1, row), value(2, row)))
        };
        match &range {
            Range::Whole { scale } => {
                let columns = as_kind(T::Decimal { precision: 38, scale: *scale })?;
                let columns = columns.iter().map(Numbers::of::<Decimal128Type>).collect::<Result<Vec<_>>>()?;
                whole(&|i, row| columns[i].get(row))
            }
            Range::Moments(units) => {
                let columns = args.iter().map(ticks).collect::<Result<Vec<_>>>()?;
                let value = |i: usize, row: usize| i128::from(columns[i][crate::columns::at(columns[i].len(), row)]);
                whole(&|i, row| value(i, row) * units[i])
            }
            Range::Float => {
                let columns = as_kind(T::Float64)?;
                let columns = columns.iter().map(Numbers::of::<Float64Type>).collect::<Result<Vec<_>>>()?;
                numbers::<UInt64Type>(rows, |row| {
                    let [from, to, step] = [0, 1, 2].map(|i| columns[i].get(row));
                    if ![from, to, step].iter().all(|value| value.is_finite()) {
                        let text = "The bounds and the step of a 'range' must be finite";
                        return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
                    }
                    if step == 0.0 {
                        return Err(no_step());
                    }
                    // What is negative, or too large, ends at the border.
                    Ok((((to - from) / step).floor() + 1.0) as u64)
                })
            }
        }
    }))
}

fn no_step() -> Error {
    Error::new(ErrorCode::BAD_ARGUMENTS, "The step of a 'range' must not be zero")
}

fn count(from: i128, to: i128, step: i128) -> Result<u64> {
    if step == 0 {
        return Err(no_step());
    }
    let way = to - from;
    if way != 0 && (way < 0) != (step < 0) {
        return Ok(0);
    }
    Ok(u64::try_from(way / step + 1).unwrap_or(u64::MAX))
}
