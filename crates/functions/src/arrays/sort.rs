//! Sorting within arrays. NULL and NaN come last in either direction.
//!
//! `arrayPartialSort` sorts the first elements alone. Those behind them are left as the selection of Floyd and Rivest (CACM 18,
//! 1975) leaves them, which ClickHouse makes too.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef};
use arrow::compute::SortOptions;
use arrow::datatypes::Int64Type;
use arrow::row::{RowConverter, SortField};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::order::{turned, with_floats};

use super::higher::{HigherBound, HigherOrder};
use super::higher_kernels::define;
use super::{Lists, element_of};
use crate::columns::Numbers;
use crate::define::{arity, expect_array, expect_integer, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    for (name, reverse) in PARTIAL {
        registry.scalar(name, plain(move |name, arguments, _| partial(name, arguments, reverse)));
    }
}

const PARTIAL: [(&str, bool); 2] = [("arrayPartialSort", false), ("arrayPartialReverseSort", true)];

/// Whether the argument behind the lambda is a number, with the arrays behind it.
pub fn counts_first(name: &str) -> bool {
    PARTIAL.iter().any(|(known, _)| *known == name)
}

pub fn define_all(functions: &mut HashMap<&'static str, Arc<dyn HigherOrder>>) {
    for (name, reverse) in PARTIAL {
        define(functions, name, true, move |name, lambda, arguments| {
            let [count, array, ..] = arguments else {
                let text = format!("Function {name} needs a number and an array behind its lambda");
                return Err(Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, text));
            };
            if !matches!(count.integer_bits(), Some((..=64, _))) {
                let text = format!("Illegal type {count} of the number of elements of function {name}: expected an integer");
                return Err(Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text));
            }
            let kind = lambda.clone();
            Ok(HigherBound {
                result: array.plain().clone(),
                lambda: lambda.clone(),
                kernel: Arc::new(move |elements| {
                    let array: ArrayRef = Arc::new(elements.arrays[0].clone());
                    let order = order(&elements.mapped()?, &kind, reverse)?;
                    partly_sorted(&Lists::of(&array)?, &order, &elements.others[0], elements.rows)
                }),
            })
        });
    }
}

/// The order of the elements of a column, which are of type `kind`, by index. In either direction NaN comes behind all numbers
/// and NULL behind NaN, within arrays and tuples as well.
pub fn order(values: &ArrayRef, kind: &SqlType, reverse: bool) -> Result<impl Fn(u32, u32) -> Ordering + use<>> {
    let values = with_nan_behind(&turned(values, kind)?, reverse)?;
    let options = SortOptions { descending: reverse, nulls_first: false };
    let converter = RowConverter::new(vec![SortField::new_with_options(values.data_type().clone(), options)])?;
    let rows = converter.convert_columns(&[values])?;
    Ok(move |a: u32, b: u32| rows.row(a as usize).cmp(&rows.row(b as usize)))
}

/// The same values, in which each NaN has the sign that brings it behind all numbers, and a zero has none.
fn with_nan_behind(values: &ArrayRef, reverse: bool) -> Result<ArrayRef> {
    let sign: f32 = if reverse { -1.0 } else { 1.0 };
    let (single, double) = (f32::NAN.copysign(sign), f64::NAN.copysign(sign.into()));
    with_floats(
        values,
        |value| if value.is_nan() { single } else { value + 0.0 },
        |value| if value.is_nan() { double } else { value + 0.0 },
    )
}

/// The rows of `lists`, each sorted by the keys, of type `kind`, that lie beside its elements.
pub fn sorted_by(lists: &Lists, keys: &ArrayRef, kind: &SqlType, reverse: bool, rows: usize) -> Result<ArrayRef> {
    let order = order(keys, kind, reverse)?;
    lists.choose(rows, |_, range, chosen| {
        let start = chosen.len();
        chosen.extend(range.map(|i| i as u32));
        chosen[start..].sort_by(|a, b| order(*a, *b));
        Ok(())
    })
}

fn partial(name: &str, arguments: &[Argument], reverse: bool) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    expect_integer(name, arguments, 0)?;
    expect_array(name, arguments, 1)?;
    let kind = arguments[1].kind.plain().clone();
    let element = element_of(&kind).cloned().unwrap_or(T::Nothing);
    Ok(Bound::cast(vec![T::Int64, kind.clone()], kind, move |args, rows| {
        let lists = Lists::of(&args[1])?;
        let order = order(lists.values(), &element, reverse)?;
        partly_sorted(&lists, &order, &args[0], rows)
    }))
}

/// How many of so many elements a partial sort puts in order: without a positive limit all of them.
pub fn sorted_length(limit: i64, length: usize) -> usize {
    match usize::try_from(limit) {
        Ok(limit @ 1..) => limit.min(length),
        _ => length,
    }
}

/// The rows of `lists`, the first of each sorted by the order of the keys that lie beside its elements.
fn partly_sorted(lists: &Lists, order: &impl Fn(u32, u32) -> Ordering, limits: &ArrayRef, rows: usize) -> Result<ArrayRef> {
    let limits = Numbers::of::<Int64Type>(limits)?;
    lists.choose(rows, |row, range, chosen| {
        let start = chosen.len();
        let limit = sorted_length(limits.get(row), range.len());
        chosen.extend(range.map(|i| i as u32));
        let part = &mut chosen[start..];
        if limit > 0 && limit < part.len() {
            select(part, limit - 1, &|a, b| order(a, b).is_lt());
        }
        part[..limit].sort_by(|a, b| order(*a, *b));
        Ok(())
    })
}

/// More elements than this are narrowed down to those near the wanted place first.
const SAMPLED_MIN: usize = 600;

/// Brings the element that belongs there to the place `wanted`, with none before it that is greater and none behind that is less.
fn select(items: &mut [u32], wanted: usize, less: &impl Fn(u32, u32) -> bool) {
    // What is looked through, ends included; signed, since the end may lie before the beginning.
    let (mut left, mut right) = (0_isize, items.len() as isize - 1);
    let wanted = wanted as isize;
    while left < right {
        if (right - left) as usize > SAMPLED_MIN {
            let (begin, end) = narrowed(left, right, wanted);
            select(&mut items[begin as usize..=end as usize], (wanted - begin) as usize, less);
        }
        let (mut i, mut j) = (left, right);
        items.swap(left as usize, wanted as usize);
        let is_low = less(items[left as usize], items[right as usize]);
        if is_low {
            items.swap(left as usize, right as usize);
        }
        // The element that the others are compared with moves along in the first exchange.
        let pivot = if is_low { left } else { right } as usize;
        while i < j {
            items.swap(i as usize, j as usize);
            (i, j) = (i + 1, j - 1);
            while less(items[i as usize], items[pivot]) {
                i += 1;
            }
            while less(items[pivot], items[j as usize]) {
                j -= 1;
            }
        }
        if is_low {
            items.swap(left as usize, j as usize);
        } else {
            j += 1;
            items.swap(right as usize, j as usize);
        }
        if j <= wanted {
            left = j + 1;
        }
        if wanted <= j {
            right = j - 1;
        }
    }
}

/// The part in which the wanted element lies most probably.
fn narrowed(left: isize, right: isize, wanted: isize) -> (isize, isize) {
    let (count, place) = ((right - left + 1) as f64, (wanted - left + 1) as f64);
    let log = count.ln();
    let sample = 0.5 * (2.0 * log / 3.0).exp();
    let spread = 0.5 * (log * sample * (count - sample) / count).sqrt() * if place < count / 2.0 { -1.0 } else { 1.0 };
    let begin = (wanted as f64 - place * sample / count + spread) as isize;
    let end = (wanted as f64 + (count - place) * sample / count + spread) as isize;
    (begin.clamp(left, wanted), end.clamp(wanted, right))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_wanted_element_parts_the_others(items in prop::collection::vec(0..900_u32, 1..2000), place in any::<prop::sample::Index>()) {
            let wanted = place.index(items.len());
            let mut parted = items.clone();
            select(&mut parted, wanted, &|a, b| a < b);
            let mut sorted = items;
            sorted.sort_unstable();
            prop_assert_eq!(parted[wanted], sorted[wanted]);
            prop_assert!(parted[..wanted].iter().all(|item| *item <= sorted[wanted]));
            prop_assert!(parted[wanted..].iter().all(|item| *item >= sorted[wanted]));
            parted.sort_unstable();
            prop_assert_eq!(parted, sorted);
        }
    }
}
