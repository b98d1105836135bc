//! Sorting within arrays. NULL and NaN come last in either direction.

use std::cmp::Ordering;

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{DataType, Float32Type, Float64Type, Int64Type};
use gristmill_base::Result;
use gristmill_types::SqlType;

use super::{Lists, comparable};
use crate::columns::Numbers;
use crate::define::{arity, expect_array, expect_integer, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    registry.scalar("arrayPartialSort", plain(|name, arguments, _| partial(name, arguments, false)));
    registry.scalar("arrayPartialReverseSort", plain(|name, arguments, _| partial(name, arguments, true)));
}

/// The order of the elements of a column, by index.
pub fn order(values: &ArrayRef, reverse: bool) -> Result<impl Fn(u32, u32) -> Ordering + use<>> {
    let rows = comparable(std::slice::from_ref(values))?.remove(0);
    let len = values.len();
    // NULL, and NaN, stand after everything.
    let last: Vec<u8> = (0..len)
        .map(|i| match values.data_type() {
            _ if values.is_null(i) => 2,
            DataType::Float64 if values.as_primitive::<Float64Type>().value(i).is_nan() => 1,
            DataType::Float32 if values.as_primitive::<Float32Type>().value(i).is_nan() => 1,
            _ => 0,
        })
        .collect();
    Ok(move |a: u32, b: u32| {
        let (a, b) = (a as usize, b as usize);
        last[a].cmp(&last[b]).then_with(|| {
            let order = rows.row(a).cmp(&rows.row(b));
            if reverse { order.reverse() } else { order }
        })
    })
}

/// The rows of `lists`, each sorted by the keys that lie beside its elements.
pub fn sorted_by(lists: &Lists, keys: &ArrayRef, reverse: bool, rows: usize) -> Result<ArrayRef> {
    let order = order(keys, reverse)?;
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
    Ok(Bound::cast(vec![T::Int64, kind.clone()], kind, move |args, rows| {
        let limits = Numbers::of::<Int64Type>(&args[0])?;
        let lists = Lists::of(&args[1])?;
        let order = order(lists.values(), reverse)?;
        lists.choose(rows, |row, range, chosen| {
            let start = chosen.len();
            let limit = limits.get(row).clamp(0, range.len() as i64) as usize;
            chosen.extend(range.map(|i| i as u32));
            let part = &mut chosen[start..];
            if limit > 0 && limit < part.len() {
                part.select_nth_unstable_by(limit - 1, |a, b| order(*a, *b));
            }
            part[..limit].sort_by(|a, b| order(*a, *b));
            Ok(())
        })
    }))
}
