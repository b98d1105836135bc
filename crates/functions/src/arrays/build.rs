//! Arrays made anew: `array`, `range`, `arrayConcat`, `arrayPush…`, `arrayResize`, `arrayWithConstant`, `emptyArray…`.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray, new_empty_array};
use arrow::compute::interleave;
use arrow::datatypes::{ArrowPrimitiveType, Int64Type};
use gristmill_base::allocations::{ASKED_FOR_BYTES, check_room};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::cast::{CastOptions, cast};
use gristmill_types::measure::value_bytes;

use super::Lists;
use crate::arithmetic::kinds::match_integer;
use crate::columns::{Numbers, at, list, too_large};
use crate::define::{arity, expect_array, expect_integer, expect_number, illegal, own_nulls, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};
use crate::supertype::{least, with_elements, with_signs};

pub fn register(registry: &mut Registry) {
    registry.scalar("array", own_nulls(|name, arguments, _| array(name, arguments)));
    registry.scalar("range", plain(|name, arguments, env| range(name, arguments, env.range_elements_max as usize)));
    registry.scalar("arrayConcat", plain(|name, arguments, _| concat(name, arguments)));
    registry.alias("array_concat", "arrayConcat");
    registry.alias("array_cat", "arrayConcat");
    registry.scalar("arrayPushBack", own_nulls(|name, arguments, _| push(name, arguments, true)));
    registry.scalar("arrayPushFront", own_nulls(|name, arguments, _| push(name, arguments, false)));
    registry.scalar("arrayResize", own_nulls(|name, arguments, _| resize(name, arguments)));
    registry.scalar("arrayWithConstant", own_nulls(|name, arguments, _| with_constant(name, arguments)));
    for kind in [
        T::UInt8,
        T::UInt16,
        T::UInt32,
        T::UInt64,
        T::Int8,
        T::Int16,
        T::Int32,
        T::Int64,
        T::Float32,
        T::Float64,
        T::Date,
        T::DateTime(None),
        T::String,
    ] {
        let element = kind.clone();
        registry.scalar(
            &format!("emptyArray{kind}"),
            plain(move |name, arguments, _| {
                arity(name, arguments, 0..=0)?;
                let arrow = element.arrow();
                Ok(Bound::new(SqlType::array(element.clone()), move |_, rows| list(new_empty_array(&arrow), &vec![0; rows])))
            }),
        );
    }
    registry.scalar("replicate", own_nulls(|name, arguments, _| replicate(name, arguments)));
    registry.scalar("emptyArrayToSingle", plain(|name, arguments, _| to_single(name, arguments)));
}

fn array(name: &str, arguments: &[Argument]) -> Result<Bound> {
    let kinds: Vec<SqlType> = arguments.iter().map(|argument| argument.kind.clone()).collect();
    if kinds.is_empty() {
        return Ok(Bound::new(SqlType::array(T::Nothing), |_, rows| {
            list(new_empty_array(&T::Nothing.arrow()), &vec![0; rows])
        }));
    }
    let mut with_literals = kinds.clone();
    with_signs(&mut with_literals, |i| arguments[i].constant.as_ref());
    let element = least(name, &with_literals)?;
    let width = kinds.len();
    Ok(Bound::cast(vec![element.clone(); width], SqlType::array(element), move |args, rows| {
        let columns: Vec<&dyn Array> = args.iter().map(AsRef::as_ref).collect();
        let total =
            rows.checked_mul(width).filter(|total| *total <= i32::MAX as usize).ok_or_else(|| too_large(rows * width))?;
        check_elements(total, PICK_BYTES)?;
        let mut picks = Vec::with_capacity(total);
        for row in 0..rows {
            picks.extend(args.iter().enumerate().map(|(i, column)| (i, at(column.len(), row))));
        }
        list(interleave(&columns, &picks)?, &vec![width; rows])
    }))
}

/// `range(end)`, `range(start, end)`, `range(start, end, step)`.
fn range(name: &str, arguments: &[Argument], elements_max: usize) -> Result<Bound> {
    arity(name, arguments, 1..=3)?;
    // An address of 32 bits is its number.
    let is_address = |argument: &Argument| *argument.kind.plain() == T::IPv4;
    for i in (0..arguments.len()).filter(|i| !is_address(&arguments[*i])) {
        expect_integer(name, arguments, i)?;
    }
    let kinds = arguments.iter().map(|argument| match argument.kind.plain() {
        T::Bool => T::UInt8,
        T::IPv4 => T::UInt32,
        other => other.clone(),
    });
    let kinds: Vec<SqlType> = kinds.collect();
    let element = least(name, &kinds)?;
    // A Bool that comes first makes Bools of all, where none is wider.
    let of_bools = *arguments[0].kind.plain() == T::Bool && element == T::UInt8;
    let result = SqlType::array(if of_bools { T::Bool } else { element.clone() });
    Ok(Bound::cast(vec![T::Int64; arguments.len()], result, move |args, rows| {
        let numbers = args.iter().map(Numbers::of::<Int64Type>).collect::<Result<Vec<_>>>()?;
        let bounds = |row: usize| match numbers.as_slice() {
            [end] => (0, end.get(row), 1),
            [start, end] => (start.get(row), end.get(row), 1),
            [start, end, step, ..] => (start.get(row), end.get(row), step.get(row)),
            [] => (0, 0, 1),
        };
        let mut lengths = Vec::with_capacity(rows);
        let mut total = 0usize;
        for row in 0..rows {
            let (start, end, step) = bounds(row);
            if step == 0 {
                return Err(Error::new(ErrorCode::ARGUMENT_OUT_OF_BOUND, "Function range: the step cannot be zero"));
            }
            let distance = if step > 0 { i128::from(end) - i128::from(start) } else { i128::from(start) - i128::from(end) };
            let step = i128::from(step).abs();
            let length = ((distance.max(0) + step - 1) / step) as usize;
            total = total.saturating_add(length);
            if total > elements_max {
                let text = format!(
                    "A call to function range would produce {total} array elements, which is greater than the allowed \
                     maximum of {elements_max}. Raise function_range_max_elements_in_block"
                );
                return Err(Error::new(ErrorCode::ARGUMENT_OUT_OF_BOUND, text));
            }
            lengths.push(length);
        }
        match_integer!(element, I => {
            check_elements(total, size_of::<<I as ArrowPrimitiveType>::Native>())?;
            let mut values: Vec<<I as ArrowPrimitiveType>::Native> = Vec::with_capacity(total);
            for (row, length) in lengths.iter().enumerate() {
                let (start, _, step) = bounds(row);
                values.extend((0..*length as i64).map(|i| start.wrapping_add(i.wrapping_mul(step)) as <I as ArrowPrimitiveType>::Native));
            }
            let values: ArrayRef = Arc::new(arrow::array::PrimitiveArray::<I>::new(values.into(), None));
            let values = if of_bools { cast(&values, &T::UInt8, &T::Bool, &CastOptions::default())? } else { values };
            list(values, &lengths)
        }, else Err(Error::not_implemented(format!("range of {element}"))))
    }))
}

pub fn concat(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=usize::MAX)?;
    (0..arguments.len()).try_for_each(|i| expect_array(name, arguments, i).map(|_| ()))?;
    let mut kinds: Vec<SqlType> = arguments.iter().map(|argument| argument.kind.plain().clone()).collect();
    with_signs(&mut kinds, |i| arguments[i].constant.as_ref());
    let result = least(name, &kinds)?;
    Ok(Bound::cast(vec![result.clone(); arguments.len()], result, |args, rows| {
        let lists = args.iter().map(Lists::of).collect::<Result<Vec<_>>>()?;
        let columns: Vec<&dyn Array> = lists.iter().map(|list| list.values().as_ref()).collect();
        let (mut picks, mut lengths) = (Vec::new(), Vec::with_capacity(rows));
        check_elements(columns.iter().map(|column| column.len()).sum(), PICK_BYTES)?;
        for row in 0..rows {
            let before = picks.len();
            for (i, list) in lists.iter().enumerate() {
                picks.extend(list.range(row).map(|element| (i, element)));
            }
            lengths.push(picks.len() - before);
        }
        list(interleave(&columns, &picks)?, &lengths)
    }))
}

fn push(name: &str, arguments: &[Argument], back: bool) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    if arguments[0].kind.is_null_literal() {
        return Ok(Bound::null());
    }
    expect_array(name, arguments, 0)?;
    let element = with_elements(name, &arguments[0], &arguments[1])?;
    let result = SqlType::array(element.clone());
    Ok(Bound::cast(vec![result.clone(), element], result, move |args, rows| {
        let lists = Lists::of(&args[0])?;
        let pushed = args[1].len();
        let (mut picks, mut lengths) = (Vec::new(), Vec::with_capacity(rows));
        for row in 0..rows {
            let range = lists.range(row);
            lengths.push(range.len() + 1);
            let new = (1, at(pushed, row));
            if !back {
                picks.push(new);
            }
            picks.extend(range.map(|element| (0, element)));
            if back {
                picks.push(new);
            }
        }
        list(interleave(&[lists.values().as_ref(), args[1].as_ref()], &picks)?, &lengths)
    }))
}

/// What it costs to choose an element and to put it into its place: an index, and the value or the view of one.
const PICK_BYTES: usize = 32;

/// Asks for the memory of elements before they are made. Error: MEMORY_LIMIT_EXCEEDED.
fn check_elements(elements: usize, bytes_each: usize) -> Result<()> {
    let bytes = elements.saturating_mul(bytes_each);
    if bytes >= ASKED_FOR_BYTES { check_room(bytes) } else { Ok(()) }
}

fn checked_length(name: &str, length: i64) -> Result<usize> {
    if length.unsigned_abs() > 1 << 30 {
        let text = format!("Function {name}: the array size {length} is too large, at most {} is allowed", 1 << 30);
        return Err(Error::new(ErrorCode::TOO_LARGE_ARRAY_SIZE, text));
    }
    Ok(length.unsigned_abs() as usize)
}

/// A negative size keeps the end and extends at the front.
fn resize(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=3)?;
    let array = expect_array(name, arguments, 0)?.clone();
    expect_number(name, arguments, 1)?;
    let element = match arguments.get(2) {
        Some(fill) => with_elements(name, &arguments[0], fill)?,
        None => array,
    };
    let result = SqlType::array(element.clone());
    let mut casts = vec![result.clone(), T::Int64];
    if arguments.len() == 3 {
        casts.push(element.clone());
    }
    Ok(Bound::cast(casts, result, move |args, rows| {
        let (lists, sizes) = (Lists::of(&args[0])?, Numbers::of::<Int64Type>(&args[1])?);
        let fill = args.get(2).cloned().unwrap_or_else(|| gristmill_types::default::default_array(&element, 1));
        let (mut picks, mut lengths) = (Vec::new(), Vec::with_capacity(rows));
        for row in 0..rows {
            let (range, size) = (lists.range(row), sizes.get(row));
            let length = checked_length("arrayResize", size)?;
            check_elements(length, PICK_BYTES)?;
            let filler = std::iter::repeat_n((1, at(fill.len(), row)), length.saturating_sub(range.len()));
            if size >= 0 {
                picks.extend(range.take(length).map(|element| (0, element)));
                picks.extend(filler);
            } else {
                picks.extend(filler);
                picks.extend(range.clone().skip(range.len().saturating_sub(length)).map(|element| (0, element)));
            }
            lengths.push(length);
        }
        list(interleave(&[lists.values().as_ref(), fill.as_ref()], &picks)?, &lengths)
    }))
}

/// Most bytes of one array that is made of a repeated value, as in ClickHouse.
const REPEATED_BYTES_MAX: u64 = 1_000_000_000;

fn with_constant(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    if !arguments[0].kind.is_float() {
        expect_integer(name, arguments, 0)?;
    }
    let element = arguments[1].kind.without_low_cardinality();
    Ok(Bound::cast(vec![T::Int64, element.clone()], SqlType::array(element), |args, rows| {
        let sizes = Numbers::of::<Int64Type>(&args[0])?;
        let element_bytes = (value_bytes(&args[1]) / args[1].len().max(1) as u64).max(1);
        let (mut picks, mut lengths) = (Vec::new(), Vec::with_capacity(rows));
        for row in 0..rows {
            let size = sizes.get(row);
            if size < 0 {
                let text = format!("Function arrayWithConstant: the size {size} is negative");
                return Err(Error::new(ErrorCode::TOO_LARGE_ARRAY_SIZE, text));
            }
            let length = checked_length("arrayWithConstant", size)?;
            if length as u64 > REPEATED_BYTES_MAX / element_bytes {
                let text =
                    format!("Function arrayWithConstant: {length} elements of {element_bytes} bytes are too large an array");
                return Err(Error::new(ErrorCode::TOO_LARGE_ARRAY_SIZE, text));
            }
            check_elements(length, PICK_BYTES)?;
            picks.extend(std::iter::repeat_n(at(args[1].len(), row) as u32, length));
            lengths.push(length);
        }
        list(arrow::compute::take(&args[1], &arrow::array::UInt32Array::from(picks), None)?, &lengths)
    }))
}

/// A value as often as an array has elements.
fn replicate(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=usize::MAX)?;
    (1..arguments.len()).try_for_each(|i| expect_array(name, arguments, i).map(|_| ()))?;
    Ok(Bound::new(SqlType::array(arguments[0].kind.clone()), |args, rows| {
        let lists = Lists::of(&args[1])?;
        let (mut picks, mut lengths) = (Vec::new(), Vec::with_capacity(rows));
        for row in 0..rows {
            let length = lists.range(row).len();
            check_elements(length, PICK_BYTES)?;
            picks.extend(std::iter::repeat_n(at(args[0].len(), row) as u32, length));
            lengths.push(length);
        }
        list(arrow::compute::take(&args[0], &arrow::array::UInt32Array::from(picks), None)?, &lengths)
    }))
}

/// An empty array becomes one default element.
fn to_single(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    let element = expect_array(name, arguments, 0)?.clone();
    if element == T::Nothing {
        return Err(illegal(name, arguments, 0, "an array of a known type"));
    }
    Ok(Bound::new(SqlType::array(element.clone()), move |args, rows| {
        let lists = Lists::of(&args[0])?;
        let default = gristmill_types::default::default_array(&element, 1);
        let (mut picks, mut lengths) = (Vec::new(), Vec::with_capacity(rows));
        for row in 0..rows {
            let range = lists.range(row);
            lengths.push(range.len().max(1));
            if range.is_empty() {
                picks.push((1, 0));
            }
            picks.extend(range.map(|element| (0, element)));
        }
        debug_assert!(args[0].as_list_opt::<i32>().is_some(), "checked by Lists::of");
        list(interleave(&[lists.values().as_ref(), default.as_ref()], &picks)?, &lengths)
    }))
}
