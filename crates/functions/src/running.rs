//! `runningDifference`, `neighbor`, `runningConcurrency`: values of other rows of the same block. As blocks are cut anywhere, and their order
//! is that of the reading, they are allowed by a setting only (`allow_deprecated_error_prone_window_functions`).

use SqlType as T;
use arrow::array::{Array, ArrayRef, Int64Array};
use arrow::buffer::NullBuffer;
use arrow::compute::interleave;
use arrow::datatypes::{Float64Type, Int64Type, UInt32Type};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::cast::{CastOptions, cast};
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::columns::{Numbers, broadcast, numbers};
use crate::define::{arity, illegal, volatile};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    registry.scalar("runningDifference", volatile(|name, arguments, _| difference(name, arguments, false)));
    registry
        .scalar("runningDifferenceStartingWithFirstValue", volatile(|name, arguments, _| difference(name, arguments, true)));
    registry.scalar("runningConcurrency", volatile(|name, arguments, _| concurrency(name, arguments)));
    registry.scalar("neighbor", volatile(|name, arguments, _| neighbor(name, arguments)));
}

/// Whether the setting has to allow it.
pub fn is_deprecated(name: &str) -> bool {
    matches!(name, "runningDifference" | "runningDifferenceStartingWithFirstValue" | "neighbor" | "runningAccumulate")
}

/// From the row before. `first`: the block's first row gives its value, else 0.
fn difference(name: &str, arguments: &[Argument], first: bool) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    let from = arguments[0].kind.clone();
    let plain = from.plain().clone();
    let to = match (&plain, plain.integer_bits()) {
        (T::Date, _) => T::Int32,
        (T::DateTime(_), _) => T::Int64,
        (kind, _) if kind.is_float() => T::Float64,
        (_, Some((bits @ (8 | 16), _))) => SqlType::integer(bits * 2, true),
        (_, Some((32 | 64, _))) => T::Int64,
        _ => return Err(illegal(name, arguments, 0, "a number of up to 64 bits, a Date or a DateTime")),
    };
    let wide = if to == T::Float64 { T::Float64 } else { T::Int64 };
    let result = if from.is_nullable() { to.clone().nullable() } else { to.clone() };
    Ok(Bound::new(result, move |args, rows| {
        let options = CastOptions::default();
        let values = broadcast(&args[0], rows)?;
        // UInt64 keeps its low bits: differences wrap around.
        let to_wide = if from.is_nullable() { wide.clone().nullable() } else { wide.clone() };
        let values = cast(&values, &from, &to_wide, &options)?;
        let mut nulls = values.nulls().cloned();
        let bare = crate::columns::defaults_for_nulls(&values)?;
        let differences: ArrayRef = if wide == T::Float64 {
            let values = Numbers::of::<Float64Type>(&bare)?;
            let before = |row: usize| {
                if row > 0 {
                    values.get(row - 1)
                } else if first {
                    0.0
                } else {
                    values.get(0)
                }
            };
            numbers::<Float64Type>(rows, |row| Ok(values.get(row) - before(row)))?
        } else {
            let values = Numbers::of::<Int64Type>(&bare)?;
            let before = |row: usize| {
                if row > 0 {
                    values.get(row - 1)
                } else if first {
                    0
                } else {
                    values.get(0)
                }
            };
            numbers::<Int64Type>(rows, |row| Ok(values.get(row).wrapping_sub(before(row))))?
        };
        if let Some(known) = &nulls {
            let valid = |row: usize| known.is_valid(row) && (row == 0 || known.is_valid(row - 1));
            nulls = Some(NullBuffer::from_iter((0..rows).map(valid)));
        }
        let differences = cast(&differences, &wide, &to, &options)?;
        Ok(arrow::array::make_array(differences.to_data().into_builder().nulls(nulls).build()?))
    }))
}

/// How many events of the block's rows so far go on when this one begins, this one among them.
fn concurrency(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    let kind = arguments[0].kind.clone();
    for (i, argument) in arguments.iter().enumerate() {
        if !matches!(argument.kind, T::Date | T::DateTime(_) | T::DateTime64(..)) || !same_kind(&argument.kind, &kind) {
            return Err(illegal(name, arguments, i, "two of Date, of DateTime or of DateTime64"));
        }
    }
    let name = name.to_string();
    Ok(Bound::new(T::UInt32, move |args, rows| {
        let ends = |array: &ArrayRef| -> Result<Vec<i64>> {
            let array = broadcast(array, rows)?;
            if kind == T::Date {
                return Ok(crate::datetime::moments::days(&array)?.iter().map(|day| i64::from(*day)).collect());
            }
            Ok(crate::datetime::moments::ticks(&array)?.to_vec())
        };
        let (starts, ends) = (ends(&args[0])?, ends(&args[1])?);
        let mut open: BTreeMap<i64, u32> = BTreeMap::new();
        let mut count = 0;
        numbers::<UInt32Type>(rows, |row| {
            let (start, end) = (starts[row], ends[row]);
            if start > end {
                let text = format!("Function {name}: the event of row {} ends before it begins", row + 1);
                return Err(Error::new(ErrorCode::INCORRECT_DATA, text));
            }
            *open.entry(end).or_insert(0) += 1;
            count += 1;
            while let Some(first) = open.first_entry().filter(|first| *first.key() <= start) {
                count -= first.remove();
            }
            Ok(count)
        })
    }))
}

fn same_kind(a: &SqlType, b: &SqlType) -> bool {
    match (a, b) {
        (T::DateTime64(a, _), T::DateTime64(b, _)) => a == b,
        _ => std::mem::discriminant(a) == std::mem::discriminant(b),
    }
}

/// The value so many rows on (or back), or the default.
fn neighbor(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=3)?;
    if !arguments[1].kind.is_integer() {
        return Err(illegal(name, arguments, 1, "an integer"));
    }
    let kinds: Vec<SqlType> = [&arguments[0]].into_iter().chain(arguments.get(2)).map(|a| a.kind.clone()).collect();
    let result = crate::supertype::least(name, &kinds)?;
    let mut casts = vec![result.clone(), T::Int64];
    if arguments.len() == 3 {
        casts.push(result.clone());
    }
    Ok(Bound::cast(casts, result.clone(), move |args, rows| {
        let values = broadcast(&args[0], rows)?;
        let steps = broadcast(&args[1], rows)?;
        let steps = steps.as_any().downcast_ref::<Int64Array>();
        let others = match args.get(2) {
            Some(given) => broadcast(given, rows)?,
            None => gristmill_types::default::default_array(&result, rows),
        };
        let picks: Vec<(usize, usize)> = (0..rows)
            .map(|row| {
                let step = steps.map_or(0, |steps| steps.value(row));
                let place = (row as i64).checked_add(step).and_then(|place| usize::try_from(place).ok());
                place.filter(|place| *place < rows).map_or((1, row), |place| (0, place))
            })
            .collect();
        Ok(Arc::new(interleave(&[values.as_ref(), others.as_ref()], &picks)?) as ArrayRef)
    }))
}
