//! Arithmetic on states: the sum of two holds the rows of both, the product with a number holds its rows so many times.

use arrow::array::ArrayRef;
use datafusion::common::ScalarValue;
use gristmill_base::allocations::check_wanted;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::states::are_alike;

use super::groups::Make;
use super::stored::of_column;
use crate::columns::broadcast;
use crate::define::not_constant;
use crate::scalar::{Argument, Bound};

/// `state + state`; `None` where the arguments are no two states. Errors: CANNOT_ADD_DIFFERENT_AGGREGATE_STATES.
pub fn plus(arguments: &[Argument]) -> Result<Option<Bound>> {
    let [one, other] = arguments else { return Ok(None) };
    let (SqlType::AggregateFunction(function, kinds), SqlType::AggregateFunction(to, to_kinds)) = (&one.kind, &other.kind)
    else {
        return Ok(None);
    };
    if !are_alike((to, to_kinds), (function, kinds)) {
        let text = format!("Cannot add aggregate states of different functions: {} and {}", one.kind, other.kind);
        return Err(Error::new(ErrorCode::CANNOT_ADD_DIFFERENT_AGGREGATE_STATES, text));
    }
    let Some(merged) = of_column(&one.kind)? else { return Ok(None) };
    Ok(Some(Bound::new(one.kind.clone(), move |args, rows| {
        sum(&merged.make, &[broadcast(&args[0], rows)?, broadcast(&args[1], rows)?], rows)
    })))
}

/// `state * number` and `number * state`; `None` for other arguments. Errors: ILLEGAL_COLUMN where the number is no constant.
pub fn multiply(name: &str, arguments: &[Argument]) -> Result<Option<Bound>> {
    let [one, other] = arguments else { return Ok(None) };
    let is_state = |argument: &Argument| matches!(argument.kind, SqlType::AggregateFunction(..));
    let is_count = |argument: &Argument| {
        matches!(
            argument.kind.without_low_cardinality(),
            SqlType::Bool | SqlType::UInt8 | SqlType::UInt16 | SqlType::UInt32 | SqlType::UInt64
        )
    };
    let at = match (is_state(one), is_state(other)) {
        (true, false) if is_count(other) => 0,
        (false, true) if is_count(one) => 1,
        _ => return Ok(None),
    };
    let times = times(&arguments[1 - at]).ok_or_else(|| not_constant(name, 1 - at))?;
    let kind = &arguments[at].kind;
    let Some(merged) = of_column(kind)? else { return Ok(None) };
    Ok(Some(Bound::new(kind.clone(), move |args, rows| product(&merged.make, broadcast(&args[at], rows)?, times, rows))))
}

fn times(argument: &Argument) -> Option<u64> {
    match argument.constant.as_ref()? {
        ScalarValue::Boolean(value) => value.map(u64::from),
        ScalarValue::UInt8(value) => value.map(u64::from),
        ScalarValue::UInt16(value) => value.map(u64::from),
        ScalarValue::UInt32(value) => value.map(u64::from),
        ScalarValue::UInt64(value) => *value,
        _ => None,
    }
}

/// Each row's states, merged.
fn sum(make: &Make, columns: &[ArrayRef], rows: usize) -> Result<ArrayRef> {
    check_wanted()?;
    let places: Vec<usize> = (0..rows).collect();
    let mut groups = make();
    groups.resize(rows);
    if rows > 0 {
        for states in columns {
            groups.update(std::slice::from_ref(states), &places)?;
        }
    }
    groups.finish(rows)
}

/// By doubling: a number of 64 bits takes no more than 128 merges.
fn product(make: &Make, states: ArrayRef, times: u64, rows: usize) -> Result<ArrayRef> {
    let (mut doubled, mut left) = (states, times);
    let mut total = sum(make, &[], rows)?;
    while left > 0 {
        if left % 2 == 1 {
            total = sum(make, &[total, doubled.clone()], rows)?;
        }
        left /= 2;
        if left > 0 {
            doubled = sum(make, &[doubled.clone(), doubled], rows)?;
        }
    }
    Ok(total)
}
