//! `plus`, `minus`, `multiply`: both sides are cast to the result's type, in which they wrap. Dates move by days, times by
//! seconds or ticks; decimals keep their scale (`decimal.rs`); of arrays the elements are computed with (`elements.rs`).

use SqlType as T;
use arrow::array::{ArrayRef, ArrowNativeTypeOp};
use arrow::datatypes::{Date32Type, Decimal256Type, Float32Type, Float64Type, Int32Type, Int64Type, i256};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::calendar::{EARLIEST_DAY, LATEST_DAY};

use super::kinds::{self, match_integer};
use super::{decimal, elements, wide};
use crate::aggregates::state_sums;
use crate::columns::{binary, retype};
use crate::define::{arity, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    Plus,
    Minus,
    Multiply,
}

pub fn register(registry: &mut Registry) {
    for (name, operation) in [("plus", Operation::Plus), ("minus", Operation::Minus), ("multiply", Operation::Multiply)] {
        registry.scalar(name, plain(move |name, arguments, env| bind(name, operation, arguments, env)));
    }
}

/// The error about two types that an operation cannot combine.
pub fn no_operation(name: &str, arguments: &[Argument]) -> Error {
    let kinds: Vec<String> = arguments.iter().map(|argument| argument.kind.to_string()).collect();
    let text = format!("Illegal types {} of arguments of function {name}: cast them to numbers", kinds.join(" and "));
    Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text)
}

pub fn bind(name: &str, operation: Operation, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    match operation {
        Operation::Plus if elements::are_arrays(arguments) => return elements::pairwise(name, "plus", arguments, env),
        Operation::Minus if elements::are_arrays(arguments) => return elements::pairwise(name, "minus", arguments, env),
        Operation::Multiply if elements::are_array_and_number(arguments) => {
            return elements::by_number(name, "multiply", arguments, env);
        }
        _ => {}
    }
    let of_states = match operation {
        Operation::Plus => state_sums::plus(arguments)?,
        Operation::Minus => None,
        Operation::Multiply => state_sums::multiply(name, arguments)?,
    };
    if let Some(bound) = of_states {
        return Ok(bound);
    }
    if operation != Operation::Multiply {
        let sign = if operation == Operation::Plus { 1 } else { -1 };
        if let Some(bound) = crate::datetime::plus_minus(name, arguments, sign, env)? {
            return Ok(bound);
        }
    }
    let addressed = kinds::with_numbers(arguments);
    let arguments = addressed.as_deref().unwrap_or(arguments);
    let (a, b) = (&arguments[0].kind, &arguments[1].kind);
    if matches!(a, T::Tuple(_)) || matches!(b, T::Tuple(_)) {
        return tuples(name, operation, arguments, env);
    }
    if let Some(result) = kinds::sum(a, b, operation == Operation::Minus) {
        return Ok(Bound::cast(vec![result.clone(); 2], result.clone(), move |args, rows| {
            numbers(operation, &result, &args[0], &args[1], rows)
        }));
    }
    if a.is_decimal() || b.is_decimal() {
        return decimal::bind(name, operation, arguments, env);
    }
    dates(operation, a, b).ok_or_else(|| no_operation(name, arguments))
}

/// Tuples are added element by element; the product of two is a number, that with a number a tuple.
fn tuples(name: &str, operation: Operation, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
    use crate::tuple_arithmetic::{by_number, dot_product, pairwise};
    let is_tuple = |i: usize| matches!(arguments[i].kind, T::Tuple(_));
    match (operation, is_tuple(0), is_tuple(1)) {
        (Operation::Plus, true, true) => pairwise(name, arguments, "plus", env),
        (Operation::Minus, true, true) => pairwise(name, arguments, "minus", env),
        (Operation::Multiply, true, true) => dot_product(name, arguments, env),
        (Operation::Multiply, true, false) => by_number(name, arguments, "multiply", env),
        (Operation::Multiply, false, true) => {
            let bound = by_number(name, &[arguments[1].clone(), arguments[0].clone()], "multiply", env)?;
            let kernel = bound.kernel;
            Ok(Bound::new(bound.result, move |args, rows| kernel(&[args[1].clone(), args[0].clone()], rows)))
        }
        _ => Err(no_operation(name, arguments)),
    }
}

fn numbers(operation: Operation, kind: &SqlType, a: &ArrayRef, b: &ArrayRef, rows: usize) -> Result<ArrayRef> {
    macro_rules! run {
        ($T:ty) => {
            match operation {
                Operation::Plus => binary::<$T, $T, $T>(a, b, rows, |a, b| a.add_wrapping(b)),
                Operation::Minus => binary::<$T, $T, $T>(a, b, rows, |a, b| a.sub_wrapping(b)),
                Operation::Multiply => binary::<$T, $T, $T>(a, b, rows, |a, b| a.mul_wrapping(b)),
            }
        };
    }
    match_integer!(kind, I => run!(I), else if *kind == T::Float64 {
        run!(Float64Type)
    } else if *kind == T::Float32 {
        run!(Float32Type)
    } else {
        binary::<Decimal256Type, Decimal256Type, Decimal256Type>(a, b, rows, |a: i256, b: i256| {
            wide::wrap(kind, match operation {
                Operation::Plus => a.wrapping_add(b),
                Operation::Minus => a.wrapping_sub(b),
                Operation::Multiply => a.wrapping_mul(b),
            })
        })
    })
}

/// Date ± days, DateTime ± seconds, and differences of two.
fn dates(operation: Operation, a: &SqlType, b: &SqlType) -> Option<Bound> {
    let (a, b) = (a.plain(), b.plain());
    let is_clock = |kind: &SqlType| matches!(kind, T::Time | T::Time64(_));
    let are_moments = a.is_date_or_time() && b.is_date_or_time();
    if operation == Operation::Minus && (are_moments || is_clock(a) && is_clock(b)) {
        return difference(a, b);
    }
    if operation == Operation::Plus {
        match (a, b) {
            (moment, T::Time | T::Time64(_)) if moment.is_date_or_time() => return Some(at_time(moment, b, false)),
            (T::Time | T::Time64(_), moment) if moment.is_date_or_time() => return Some(at_time(moment, a, true)),
            _ => {}
        }
    }
    let (moment, number, swapped) = match (a.is_date_or_time(), b.is_date_or_time()) {
        (true, false) => (a, b, false),
        (false, true) if operation == Operation::Plus => (b, a, true),
        _ => return None,
    };
    if operation == Operation::Multiply || !(kinds::integer(number).is_some() || number.is_float()) {
        return None;
    }
    let mut casts = vec![moment.clone(), T::Int64];
    if swapped {
        casts.swap(0, 1);
    }
    let result = moment.clone();
    Some(Bound::cast(casts, result.clone(), move |args, rows| {
        let (moments, numbers) = if swapped { (&args[1], &args[0]) } else { (&args[0], &args[1]) };
        let sign = if operation == Operation::Minus { -1 } else { 1 };
        match &result {
            T::Date => binary::<Date32Type, Int64Type, Date32Type>(moments, numbers, rows, |day, by| {
                // Date has 16 bits, and wraps at them.
                i32::from((i64::from(day).wrapping_add(by.wrapping_mul(sign))) as u16)
            }),
            T::Date32 => binary::<Date32Type, Int64Type, Date32Type>(moments, numbers, rows, |day, by| {
                (i64::from(day).wrapping_add(by.wrapping_mul(sign))).clamp(EARLIEST_DAY.into(), LATEST_DAY.into()) as i32
            }),
            kind => {
                let ticks = retype(moments, &arrow::datatypes::DataType::Int64)?;
                let step = match kind {
                    T::DateTime64(scale, _) => 10i64.pow(u32::from(*scale)),
                    _ => 1,
                };
                let whole = matches!(kind, T::DateTime(_));
                let moved = binary::<Int64Type, Int64Type, Int64Type>(&ticks, numbers, rows, |tick, by| {
                    let moved = tick.wrapping_add(by.wrapping_mul(sign).wrapping_mul(step));
                    // DateTime has 32 bits, and wraps at them.
                    if whole { i64::from(moved as u32) } else { moved }
                })?;
                retype(&moved, &kind.arrow())
            }
        }
    }))
}

/// A moment, or the beginning of a day, moved on by a time of day. `swapped`: the time is the first argument.
fn at_time(moment: &SqlType, time: &SqlType, swapped: bool) -> Bound {
    let scale_of = |kind: &SqlType| match kind {
        T::DateTime64(scale, _) | T::Time64(scale) => Some(*scale),
        _ => None,
    };
    let time_scale = scale_of(time);
    let zone = moment.timezone().cloned();
    let result = match (moment, time_scale) {
        (T::Date | T::DateTime(_), None) => T::DateTime(zone),
        _ => T::DateTime64(scale_of(moment).unwrap_or(0).max(time_scale.unwrap_or(0)), zone),
    };
    let step = 10i64.pow(u32::from(scale_of(&result).unwrap_or(0) - time_scale.unwrap_or(0)));
    let wraps = matches!(result, T::DateTime(_));
    let mut casts = vec![result.clone(), time.clone()];
    if swapped {
        casts.swap(0, 1);
    }
    Bound::cast(casts, result.clone(), move |args, rows| {
        let int64 = arrow::datatypes::DataType::Int64;
        let (moments, times) = if swapped { (&args[1], &args[0]) } else { (&args[0], &args[1]) };
        let (moments, times) = (retype(moments, &int64)?, arrow::compute::cast(times, &int64)?);
        let moved = binary::<Int64Type, Int64Type, Int64Type>(&moments, &times, rows, |moment, time| {
            let moved = moment.wrapping_add(time.wrapping_mul(step));
            // DateTime has 32 bits, and wraps at them.
            if wraps { i64::from(moved as u32) } else { moved }
        })?;
        retype(&moved, &result.arrow())
    })
}

/// The numbers that moments and times of day are.
fn ticks(array: &ArrayRef) -> Result<ArrayRef> {
    let int64 = arrow::datatypes::DataType::Int64;
    match array.data_type() {
        arrow::datatypes::DataType::Int32 => Ok(arrow::compute::cast(array, &int64)?),
        _ => retype(array, &int64),
    }
}

fn difference(a: &SqlType, b: &SqlType) -> Option<Bound> {
    let is_day = |kind: &SqlType| matches!(kind, T::Date | T::Date32);
    let scale = |kind: &SqlType| match kind {
        T::DateTime64(scale, _) | T::Time64(scale) => Some(*scale),
        _ => None,
    };
    if is_day(a) && is_day(b) {
        return Some(Bound::new(T::Int32, |args, rows| {
            binary::<Date32Type, Date32Type, Int32Type>(&args[0], &args[1], rows, |a, b| a.wrapping_sub(b))
        }));
    }
    if is_day(a) || is_day(b) {
        return None;
    }
    if scale(a).is_none() && scale(b).is_none() {
        return Some(Bound::new(T::Int32, |args, rows| {
            let (a, b) = (ticks(&args[0])?, ticks(&args[1])?);
            binary::<Int64Type, Int64Type, Int32Type>(&a, &b, rows, |a, b| a.wrapping_sub(b) as i32)
        }));
    }
    let (from, to) = (scale(a).unwrap_or(0), scale(b).unwrap_or(0));
    let scale = from.max(to);
    let (left, right) = (10i128.pow(u32::from(scale - from)), 10i128.pow(u32::from(scale - to)));
    let result = T::Decimal { precision: 18, scale };
    Some(Bound::new(result, move |args, rows| {
        let (a, b) = (ticks(&args[0])?, ticks(&args[1])?);
        binary::<Int64Type, Int64Type, arrow::datatypes::Decimal128Type>(&a, &b, rows, |a, b| {
            i128::from(a) * left - i128::from(b) * right
        })
    }))
}
