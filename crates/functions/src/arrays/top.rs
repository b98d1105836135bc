//! `arrayTopK`, `arrayBottomK`: the greatest or smallest elements, in order; NULL is passed over, NaN comes last.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef};
use arrow::datatypes::Int64Type;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use super::higher::{HigherBound, HigherOrder};
use super::higher_kernels::define;
use super::{Lists, element_of, sort};
use crate::columns::{Numbers, defaults_for_nulls};
use crate::define::{arity, bad_argument, expect_array, illegal, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

const NAMES: [(&str, bool); 2] = [("arrayTopK", true), ("arrayBottomK", false)];

/// Whether the argument behind the lambda is a number, with the arrays behind it.
pub fn counts_first(name: &str) -> bool {
    NAMES.iter().any(|(known, _)| *known == name) || sort::counts_first(name)
}

pub fn register(registry: &mut Registry) {
    for (name, greatest) in NAMES {
        registry.scalar(name, plain(move |name, arguments, _| bind(name, arguments, greatest)));
    }
}

pub fn define_all(functions: &mut HashMap<&'static str, Arc<dyn HigherOrder>>) {
    for (name, greatest) in NAMES {
        define(functions, name, true, move |name, lambda, arguments| {
            let [count, array, ..] = arguments else {
                let text = format!("Function {name} needs a number and an array behind its lambda");
                return Err(Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, text));
            };
            if !matches!(count.integer_bits(), Some((..=64, _))) {
                let text = format!("Illegal type {count} of the number of elements of function {name}: expected an integer");
                return Err(Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text));
            }
            let (name, kind) = (name.to_string(), lambda.clone());
            Ok(HigherBound {
                result: result(array),
                lambda: lambda.clone(),
                kernel: Arc::new(move |elements| {
                    let (array, keys): (ArrayRef, _) = (Arc::new(elements.arrays[0].clone()), elements.mapped()?);
                    let order = sort::order(&keys, &kind, greatest)?;
                    top(&name, &array, (&keys, &order), &elements.others[0], elements.rows)
                }),
            })
        });
    }
}

/// Elements of the result are not NULL.
fn result(array: &SqlType) -> SqlType {
    SqlType::array(element_of(array).map_or(T::Nothing, |element| element.plain().clone()))
}

fn bind(name: &str, arguments: &[Argument], greatest: bool) -> Result<Bound> {
    if arguments.len() < 2 {
        arity(name, arguments, 2..=2)?;
    }
    expect_array(name, arguments, 1)?;
    arity(name, arguments, 2..=2)?;
    if !matches!(arguments[0].kind.integer_bits(), Some((..=64, _))) {
        return Err(illegal(name, arguments, 0, "an integer of up to 64 bits"));
    }
    let array = arguments[1].kind.clone();
    let name = name.to_string();
    let element = element_of(&array).cloned().unwrap_or(T::Nothing);
    Ok(Bound::cast(vec![T::Int64, array.clone()], result(&array), move |args, rows| {
        let keys = Lists::of(&args[1])?.values().clone();
        let order = sort::order(&keys, &element, greatest)?;
        top(&name, &args[1], (&keys, &order), &args[0], rows)
    }))
}

/// `keys` lie beside the elements of `array`, with their order.
fn top(
    name: &str,
    array: &ArrayRef,
    (keys, order): (&ArrayRef, &impl Fn(u32, u32) -> Ordering),
    counts: &ArrayRef,
    rows: usize,
) -> Result<ArrayRef> {
    let (lists, counts) = (Lists::of(array)?, Numbers::of::<Int64Type>(counts)?);
    let there = |values: &ArrayRef, i: usize| !values.is_null(i) && *values.data_type() != arrow::datatypes::DataType::Null;
    let chosen = lists.choose(rows, |row, range, chosen| {
        let count = usize::try_from(counts.get(row)).map_err(|_| {
            bad_argument(name, format!("the number of elements must not be negative, it is {}", counts.get(row)))
        })?;
        let start = chosen.len();
        chosen.extend(range.filter(|i| there(keys, *i) && there(lists.values(), *i)).map(|i| i as u32));
        chosen[start..].sort_by(|a, b| order(*a, *b));
        chosen.truncate(start.saturating_add(count).min(chosen.len()));
        Ok(())
    })?;
    // None of the chosen is NULL: the mask goes.
    let list = Lists::of(&chosen)?;
    crate::columns::list_of(defaults_for_nulls(list.values())?, list.offsets().clone())
}
