//! Elements looked for: `has`, `notHas`, `hasAll`, `hasAny`, `hasSubstr`, `indexOf`, `countEqual`.

use std::collections::HashSet;
use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray, UInt8Array};
use arrow::datatypes::{DataType, UInt8Type, UInt64Type};
use gristmill_base::Result;
use gristmill_types::SqlType;
use gristmill_types::supertype::bools_as_numbers;

use super::{Lists, comparable, element_of};
use crate::columns::{at, list_of, numbers, truths, unary};
use crate::define::{arity, expect_array, illegal, own_nulls, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};
use crate::supertype::least;
use crate::value_set::ValueSet;

pub fn register(registry: &mut Registry) {
    registry.scalar("has", own_nulls(|name, arguments, _| has(name, arguments)));
    registry.scalar("notHas", own_nulls(|name, arguments, _| has_not(name, arguments)));
    registry.scalar(
        "indexOf",
        own_nulls(|name, arguments, _| places(name, arguments, |found| found.next().map_or(0, |i| i as u64 + 1))),
    );
    registry.scalar("countEqual", own_nulls(|name, arguments, _| places(name, arguments, |found| found.count() as u64)));
    registry.alias("array_contains", "has");
    registry.alias("array_position", "indexOf");
    registry.scalar("hasAll", plain(|name, arguments, _| sets(name, arguments, true)));
    registry.scalar("hasAny", plain(|name, arguments, _| sets(name, arguments, false)));
    registry.alias("arrays_overlap", "hasAny");
    registry.scalar(
        "hasSubstr",
        plain(|name, arguments, _| {
            runs(name, arguments, |whole, part| part.is_empty() || whole.windows(part.len()).any(|window| window == part))
        }),
    );
}

pub fn has_ends(name: &str, arguments: &[Argument], start: bool) -> Result<Bound> {
    if start {
        runs(name, arguments, |whole, part| whole.starts_with(part))
    } else {
        runs(name, arguments, |whole, part| whole.ends_with(part))
    }
}

/// Array and value, cast to a common type.
fn common(name: &str, arguments: &[Argument]) -> Result<Vec<SqlType>> {
    let element = expect_array(name, arguments, 0)?.clone();
    let (element, value) = compared(name, element, arguments[1].kind.clone())?;
    Ok(vec![SqlType::array(element), value])
}

/// The types in which what is held and what is looked for are compared.
fn compared(name: &str, held: SqlType, wanted: SqlType) -> Result<(SqlType, SqlType)> {
    // FixedString keeps its zeroes here, which a cast to String would drop.
    if let (T::FixedString(_), T::String) | (T::String, T::FixedString(_)) = (held.plain(), wanted.plain()) {
        return Ok((held, wanted));
    }
    let kind = least_compared(name, held, wanted)?;
    Ok((kind.clone(), kind))
}

/// The type that elements are compared in: a Bool is the number that it is stored as.
fn least_compared(name: &str, a: SqlType, b: SqlType) -> Result<SqlType> {
    let kinds = if a == b { [a, b] } else { [a, b].map(|kind| bools_as_numbers(&kind)) };
    least(name, &kinds)
}

/// Calls `each` with an iterator over the places (from 0) where the row's value stands.
fn search(args: &[ArrayRef], rows: usize, mut each: impl FnMut(&mut dyn Iterator<Item = usize>)) -> Result<()> {
    let lists = Lists::of(&args[0])?;
    let (mut values, mut wanted) = (lists.values().clone(), args[1].clone());
    if let (DataType::FixedSizeBinary(_), DataType::BinaryView) | (DataType::BinaryView, DataType::FixedSizeBinary(_)) =
        (values.data_type(), wanted.data_type())
    {
        values = arrow::compute::cast(&values, &DataType::BinaryView)?;
        wanted = arrow::compute::cast(&wanted, &DataType::BinaryView)?;
    }
    if *values.data_type() == DataType::Null || *wanted.data_type() == DataType::Null {
        // Elements of type Nothing are all NULL, and equal.
        for row in 0..rows {
            each(&mut (0..lists.range(row).len()));
        }
        return Ok(());
    }
    macro_rules! direct {
        ($values:expr, $wanted:expr) => {{
            let (values, wanted) = ($values, $wanted);
            for row in 0..rows {
                let range = lists.range(row);
                let value = wanted.value(at(wanted.len(), row));
                each(&mut range.clone().filter(|i| values.value(*i) == value).map(|i| i - range.start));
            }
            return Ok(());
        }};
    }
    if values.null_count() == 0 && wanted.null_count() == 0 {
        use arrow::datatypes as kinds;
        match values.data_type() {
            DataType::BinaryView => direct!(values.as_binary_view(), wanted.as_binary_view()),
            DataType::UInt8 => direct!(values.as_primitive::<kinds::UInt8Type>(), wanted.as_primitive::<kinds::UInt8Type>()),
            DataType::UInt16 => {
                direct!(values.as_primitive::<kinds::UInt16Type>(), wanted.as_primitive::<kinds::UInt16Type>())
            }
            DataType::UInt32 => {
                direct!(values.as_primitive::<kinds::UInt32Type>(), wanted.as_primitive::<kinds::UInt32Type>())
            }
            DataType::UInt64 => {
                direct!(values.as_primitive::<kinds::UInt64Type>(), wanted.as_primitive::<kinds::UInt64Type>())
            }
            DataType::Int32 => direct!(values.as_primitive::<kinds::Int32Type>(), wanted.as_primitive::<kinds::Int32Type>()),
            DataType::Int64 => direct!(values.as_primitive::<kinds::Int64Type>(), wanted.as_primitive::<kinds::Int64Type>()),
            DataType::Float64 => {
                direct!(values.as_primitive::<kinds::Float64Type>(), wanted.as_primitive::<kinds::Float64Type>())
            }
            _ => {}
        }
    }
    let encoded = comparable(&[values.clone(), wanted.clone()])?;
    for row in 0..rows {
        let range = lists.range(row);
        let value = encoded[1].row(at(wanted.len(), row));
        each(&mut range.clone().filter(|i| encoded[0].row(*i) == value).map(|i| i - range.start));
    }
    Ok(())
}

fn has(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    if let T::Map(..) = arguments[0].kind.plain() {
        return has_entry(name, arguments, true);
    }
    Ok(Bound::cast(common(name, arguments)?, T::UInt8, found))
}

fn has_not(name: &str, arguments: &[Argument]) -> Result<Bound> {
    let Bound { result, arguments, kernel } = has(name, arguments)?;
    Ok(Bound::cast(arguments, result, move |args, rows| {
        unary::<UInt8Type, UInt8Type>(&kernel(args, rows)?, |found| 1 - found)
    }))
}

/// Whether a map has a key, or a value.
pub fn has_entry(name: &str, arguments: &[Argument], keys: bool) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    let (key, value) = crate::maps::parts(name, arguments, 0)?;
    let held = if keys { &key } else { &value };
    // What has no type in common with them is read as what the map holds.
    let (held, wanted) = compared(name, held.clone(), arguments[1].kind.clone()).unwrap_or_else(|_| {
        let nullable = arguments[1].kind.is_nullable();
        (held.clone(), if nullable { held.clone().nullable() } else { held.clone() })
    });
    // The map stays as it is where it can: so an index knows it.
    let kept = |own: SqlType, held: SqlType| if own.plain() == held.plain() { own } else { held };
    let (key, value) = if keys { (kept(key, held.plain().clone()), value) } else { (key, kept(value, held)) };
    let casts = vec![T::Map(Box::new(key), Box::new(value)), wanted];
    Ok(Bound::cast(casts, T::UInt8, move |args, rows| {
        let map = args[0].as_map();
        let held = if keys { map.keys() } else { map.values() };
        found(&[list_of(held.clone(), map.offsets().clone())?, args[1].clone()], rows)
    }))
}

/// Values, and elements of an array that is the same for all of them, from which the array is hashed and not gone through for each.
const HASHED_MIN: usize = 32;

/// Whether a constant array has the values. `None`: it is not worth a set, or is of what has no hash.
fn found_in_set(array: &ArrayRef, wanted: &ArrayRef) -> Result<Option<ArrayRef>> {
    if array.len() != 1 || wanted.len() < HASHED_MIN || wanted.null_count() > 0 {
        return Ok(None);
    }
    let lists = Lists::of(array)?;
    let range = lists.range(0);
    let values = lists.values().slice(range.start, range.len());
    let is_alike = values.data_type() == wanted.data_type() && ValueSet::holds(values.data_type());
    if !is_alike || values.len() < HASHED_MIN || values.null_count() > 0 {
        return Ok(None);
    }
    let found = ValueSet::of(&values)?.contains(wanted)?;
    Ok(Some(Arc::new(UInt8Array::from_iter_values(found.values().iter().map(u8::from)))))
}

/// For each row whether the array has the value.
fn found(args: &[ArrayRef], rows: usize) -> Result<ArrayRef> {
    if let Some(found) = found_in_set(&args[0], &args[1])?.filter(|found| found.len() == rows) {
        return Ok(found);
    }
    let mut found = Vec::with_capacity(rows);
    search(args, rows, |places| found.push(u8::from(places.next().is_some())))?;
    Ok(Arc::new(UInt8Array::from(found)))
}

fn places(name: &str, arguments: &[Argument], f: fn(&mut dyn Iterator<Item = usize>) -> u64) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    Ok(Bound::cast(common(name, arguments)?, T::UInt64, move |args, rows| {
        let mut found = Vec::with_capacity(rows);
        search(args, rows, |places| found.push(f(places)))?;
        numbers::<UInt64Type>(rows, |row| Ok(found[row]))
    }))
}

fn two_arrays(name: &str, arguments: &[Argument]) -> Result<SqlType> {
    arity(name, arguments, 2..=2)?;
    match (element_of(&arguments[0].kind), element_of(&arguments[1].kind)) {
        (Some(a), Some(b)) => Ok(SqlType::array(least_compared(name, a.clone(), b.clone())?)),
        (None, _) => Err(illegal(name, arguments, 0, "Array")),
        _ => Err(illegal(name, arguments, 1, "Array")),
    }
}

fn sets(name: &str, arguments: &[Argument], all: bool) -> Result<Bound> {
    let kind = two_arrays(name, arguments)?;
    Ok(Bound::cast(vec![kind.clone(), kind], T::UInt8, move |args, rows| {
        let (whole, part) = (Lists::of(&args[0])?, Lists::of(&args[1])?);
        if *whole.values().data_type() == DataType::Null {
            return truths(rows, |row| {
                if all {
                    part.range(row).is_empty() || !whole.range(row).is_empty()
                } else {
                    !whole.range(row).is_empty() && !part.range(row).is_empty()
                }
            });
        }
        let encoded = comparable(&[whole.values().clone(), part.values().clone()])?;
        let mut seen = HashSet::new();
        truths(rows, |row| {
            if whole.len() > 1 || row == 0 {
                seen.clear();
                seen.extend(whole.range(row).map(|i| encoded[0].row(i)));
            }
            let mut wanted = part.range(row).map(|i| seen.contains(&encoded[1].row(i)));
            if all { wanted.all(|found| found) } else { wanted.any(|found| found) }
        })
    }))
}

fn runs(name: &str, arguments: &[Argument], f: fn(&[&[u8]], &[&[u8]]) -> bool) -> Result<Bound> {
    let kind = two_arrays(name, arguments)?;
    Ok(Bound::cast(vec![kind.clone(), kind], T::UInt8, move |args, rows| {
        let (whole, part) = (Lists::of(&args[0])?, Lists::of(&args[1])?);
        let encoded = comparable(&[whole.values().clone(), part.values().clone()])?;
        let (mut a, mut b): (Vec<&[u8]>, Vec<&[u8]>) = (Vec::new(), Vec::new());
        let (left, right): (Vec<_>, Vec<_>) = (encoded[0].iter().collect(), encoded[1].iter().collect());
        truths(rows, |row| {
            a.clear();
            b.clear();
            a.extend(left[whole.range(row)].iter().map(|row| row.data()));
            b.extend(right[part.range(row)].iter().map(|row| row.data()));
            f(&a, &b)
        })
    }))
}
