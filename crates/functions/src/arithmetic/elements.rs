//! Arithmetic on arrays: of two of them element by element, and of the elements of one and a number. Elements may be arrays too.

use SqlType as T;
use arrow::array::{ArrayRef, UInt32Array};
use arrow::compute::take;
use gristmill_base::Result;
use gristmill_types::SqlType;

use super::plus::no_operation;
use crate::arrays::{Lists, aligned};
use crate::columns::{at, list, list_of};
use crate::scalar::{Argument, Bound, FunctionEnv};
use crate::tuple_arithmetic::Step;

fn element(argument: &Argument) -> Option<&SqlType> {
    match &argument.kind {
        T::Array(element) => Some(element),
        _ => None,
    }
}

/// Whether both are arrays.
pub fn are_arrays(arguments: &[Argument]) -> bool {
    arguments.iter().all(|argument| element(argument).is_some())
}

/// Whether one is an array and the other a number.
pub fn are_array_and_number(arguments: &[Argument]) -> bool {
    let is_array = |i: usize| element(&arguments[i]).is_some();
    is_array(0) && arguments[1].kind.is_number() || arguments[0].kind.is_number() && is_array(1)
}

/// Errors of computing: SIZES_OF_ARRAYS_DONT_MATCH.
pub fn pairwise(name: &str, operation: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
    let (Some(a), Some(b)) = (element(&arguments[0]), element(&arguments[1])) else {
        return Err(no_operation(name, arguments));
    };
    let step = Step::bind(operation, vec![a.clone(), b.clone()], env)?;
    let name = name.to_string();
    Ok(Bound::new(SqlType::array(step.result().clone()), move |args, rows| {
        let lists = aligned(&name, args, rows)?;
        let sides = [lists[0].values().clone(), lists[1].values().clone()];
        let computed = step.compute(&sides, sides[0].len())?;
        list_of(computed, lists[0].offsets().clone())
    }))
}

/// The number may be on either side.
pub fn by_number(name: &str, operation: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
    let array = usize::from(element(&arguments[0]).is_none());
    let Some(kind) = element(&arguments[array]) else { return Err(no_operation(name, arguments)) };
    let mut kinds = vec![kind.clone(), arguments[1 - array].kind.clone()];
    if array == 1 {
        kinds.swap(0, 1);
    }
    let step = Step::bind(operation, kinds, env)?;
    Ok(Bound::new(SqlType::array(step.result().clone()), move |args, rows| {
        let (lists, number) = (Lists::of(&args[array])?, &args[1 - array]);
        let (mut elements, mut numbers, mut lengths) = (Vec::new(), Vec::new(), Vec::with_capacity(rows));
        for row in 0..rows {
            let range = lists.range(row);
            lengths.push(range.len());
            numbers.extend(std::iter::repeat_n(at(number.len(), row) as u32, range.len()));
            elements.extend(range.map(|i| i as u32));
        }
        let count = elements.len();
        let elements: ArrayRef = take(lists.values(), &UInt32Array::from(elements), None)?;
        // A constant stays one.
        let number = if number.len() == 1 { number.clone() } else { take(number, &UInt32Array::from(numbers), None)? };
        let mut sides = [elements, number];
        if array == 1 {
            sides.swap(0, 1);
        }
        list(step.compute(&sides, count)?, &lengths)
    }))
}
