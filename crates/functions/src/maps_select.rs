//! Entries of maps in another order or a choice of them: `mapSort`, `mapContainsKeyLike`, `mapExtractKeyLike`, …, and
//! `mapPopulateSeries`, which fills the holes between whole keys.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray, Int64Array, MapArray, UInt32Array, UInt64Array};
use arrow::compute::{interleave, take};
use arrow::datatypes::{Int64Type, UInt64Type};
use gristmill_base::Result;
use gristmill_types::SqlType;
use gristmill_types::cast::{CastOptions, cast};

use crate::arrays::sorted_length;
use crate::columns::{Bytes, Numbers, at, broadcast, too_large, truths};
use crate::define::{arity, expect_string, illegal, plain};
use crate::maps::{map_array, parts};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};
use crate::strings::like::Compiled;
use crate::strings::pattern::Like;

pub fn register(registry: &mut Registry) {
    for (name, reverse) in [("mapSort", false), ("mapReverseSort", true)] {
        registry.scalar(name, plain(move |name, arguments, _| sort(name, arguments, reverse)));
    }
    for (name, reverse) in [("mapPartialSort", false), ("mapPartialReverseSort", true)] {
        registry.scalar(name, plain(move |name, arguments, _| partial_sort(name, arguments, reverse)));
    }
    for (side, keys) in [("Key", true), ("Value", false)] {
        registry
            .scalar(&format!("mapContains{side}Like"), plain(move |name, arguments, _| like(name, arguments, keys, false)));
        registry
            .scalar(&format!("mapExtract{side}Like"), plain(move |name, arguments, _| like(name, arguments, keys, true)));
    }
    registry.scalar("mapPopulateSeries", plain(|name, arguments, _| populate(name, arguments)));
}

/// The range of a row's entries among all of them.
fn entries(map: &MapArray, row: usize) -> std::ops::Range<usize> {
    let row = at(map.len(), row);
    let offsets = map.value_offsets();
    offsets[row] as usize..offsets[row + 1] as usize
}

/// The map whose rows have the chosen entries.
fn chosen(kind: &SqlType, map: &MapArray, picks: Vec<u32>, lengths: &[usize]) -> Result<ArrayRef> {
    let picks = UInt32Array::from(picks);
    map_array(kind, take(map.keys(), &picks, None)?, take(map.values(), &picks, None)?, lengths)
}

/// The first entries in the order of their keys, and the rest behind them as it comes.
fn partial_sort(name: &str, arguments: &[Argument], reverse: bool) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    if !arguments[0].kind.is_integer() {
        return Err(illegal(name, arguments, 0, "the number of entries to sort"));
    }
    parts(name, arguments, 1)?;
    let kind = arguments[1].kind.plain().clone();
    Ok(Bound::cast(vec![T::Int64, kind.clone()], kind.clone(), move |args, rows| {
        let map = args[1].as_map();
        let limits = Numbers::of::<Int64Type>(&args[0])?;
        let order = crate::arrays::comparable(std::slice::from_ref(map.keys()))?.remove(0);
        let (mut picks, mut lengths) = (Vec::with_capacity(map.keys().len()), Vec::with_capacity(rows));
        for row in 0..rows {
            let first = picks.len();
            picks.extend(entries(map, row).map(|entry| entry as u32));
            let compare = |a: &u32, b: &u32| {
                let order = order.row(*a as usize).cmp(&order.row(*b as usize));
                if reverse { order.reverse() } else { order }
            };
            let chosen = &mut picks[first..];
            let limit = sorted_length(limits.get(row), chosen.len());
            if limit > 0 && limit < chosen.len() {
                chosen.select_nth_unstable_by(limit - 1, compare);
            }
            chosen[..limit].sort_by(compare);
            lengths.push(chosen.len());
        }
        chosen(&kind, map, picks, &lengths)
    }))
}

/// By key.
fn sort(name: &str, arguments: &[Argument], reverse: bool) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    parts(name, arguments, 0)?;
    let kind = arguments[0].kind.plain().clone();
    Ok(Bound::new(kind.clone(), move |args, _| {
        let map = args[0].as_map();
        let order = crate::arrays::comparable(std::slice::from_ref(map.keys()))?;
        let (mut picks, mut lengths) = (Vec::with_capacity(map.keys().len()), Vec::with_capacity(map.len()));
        for row in 0..map.len() {
            let first = picks.len();
            picks.extend(entries(map, row).map(|entry| entry as u32));
            picks[first..].sort_by(|a, b| {
                let ordering = order[0].row(*a as usize).cmp(&order[0].row(*b as usize));
                if reverse { ordering.reverse() } else { ordering }
            });
            lengths.push(picks.len() - first);
        }
        chosen(&kind, map, picks, &lengths)
    }))
}

/// Entries whose key (or value) matches a pattern of LIKE: whether there are any, or all of them.
fn like(name: &str, arguments: &[Argument], keys: bool, extract: bool) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    let (key, value) = parts(name, arguments, 0)?;
    let side = if keys { key } else { value };
    if !side.is_string() {
        return Err(illegal(name, arguments, 0, if keys { "a Map with keys of type String" } else { "a Map of strings" }));
    }
    expect_string(name, arguments, 1)?;
    let compiled = Compiled::new(&arguments[1], |pattern| Like::new(pattern, false))?;
    let kind = arguments[0].kind.plain().clone();
    let result = if extract { kind.clone() } else { T::UInt8 };
    Ok(Bound::new(result, move |args, rows| {
        let map = args[0].as_map();
        let texts = if keys { map.keys() } else { map.values() }.clone();
        let source = Bytes::of(&texts)?;
        let mut patterns = compiled.of(&args[1])?;
        let mut found: Vec<Vec<u32>> = Vec::with_capacity(rows);
        for row in 0..rows {
            let pattern = patterns.get(row)?;
            let matches = |entry: &usize| !texts.is_null(*entry) && pattern.matches(source.get(*entry));
            found.push(entries(map, row).filter(matches).map(|entry| entry as u32).collect());
        }
        if !extract {
            return truths(rows, |row| !found[row].is_empty());
        }
        let lengths: Vec<usize> = found.iter().map(Vec::len).collect();
        chosen(&kind, map, found.concat(), &lengths)
    }))
}

/// A map, or arrays of keys and of values; up to the greatest key, or up to the last argument.
fn populate(name: &str, arguments: &[Argument]) -> Result<Bound> {
    let of_arrays = matches!(arguments.first().map(|argument| argument.kind.plain()), Some(T::Array(_)));
    let (key, value, given) = if of_arrays {
        arity(name, arguments, 2..=3)?;
        let element = |i: usize| crate::define::expect_array(name, arguments, i).cloned();
        (element(0)?, element(1)?, 2)
    } else {
        arity(name, arguments, 1..=2)?;
        let (key, value) = parts(name, arguments, 0)?;
        (key, value, 1)
    };
    let whole = |kind: &SqlType| kind.integer_bits().is_some_and(|(bits, _)| bits <= 64) && !kind.is_nullable();
    if !whole(&key) || !whole(&value) {
        return Err(illegal(name, arguments, 0, "keys and values that are integers of up to 64 bits"));
    }
    let mut casts: Vec<SqlType> = arguments.iter().map(|argument| argument.kind.plain().clone()).collect();
    if casts.len() > given {
        if !casts[given].is_integer() {
            return Err(illegal(name, arguments, given, "an integer"));
        }
        casts[given] = key.clone();
    }
    let map_kind = T::Map(Box::new(key.clone()), Box::new(value.clone()));
    let result = match of_arrays {
        true => T::Tuple(vec![(None, SqlType::array(key.clone())), (None, SqlType::array(value.clone()))]),
        false => map_kind.clone(),
    };
    let (name, to) = (name.to_string(), result.clone());
    Ok(Bound::cast(casts, result, move |args, rows| {
        let maps: ArrayRef = if of_arrays {
            let arrays = crate::arrays::aligned(&name, &args[..2], rows)?;
            let lengths: Vec<usize> = arrays[0].offsets().lengths().collect();
            map_array(&map_kind, arrays[0].values().clone(), arrays[1].values().clone(), &lengths)?
        } else {
            broadcast(&args[0], rows)?
        };
        let map = maps.as_map();
        let unsigned = key == T::UInt64;
        let keys = whole_numbers(map.keys(), &key, unsigned)?;
        let limits = args.get(given).map(|limits| whole_numbers(limits, &key, unsigned)).transpose()?;
        let (mut filled, mut picks, mut lengths) = (Vec::new(), Vec::new(), Vec::with_capacity(rows));
        for row in 0..rows {
            let first = filled.len();
            let limit = limits.as_ref().map(|limits| limits[at(limits.len(), row)]);
            // The first of equal keys is kept.
            let mut known: Vec<(i128, usize)> = entries(map, row).map(|entry| (keys[entry], entry)).collect();
            known.sort_by_key(|(key, entry)| (*key, *entry));
            known.dedup_by_key(|(key, _)| *key);
            if let (Some((least, _)), Some((greatest, _))) = (known.first(), known.last()) {
                let last = limit.unwrap_or(*greatest);
                if last - least > i128::from(i32::MAX) {
                    return Err(too_large(usize::try_from(last - least).unwrap_or(usize::MAX)));
                }
                let mut known = known.iter().peekable();
                for key in *least..=last {
                    picks.push(match known.next_if(|(known, _)| *known == key) {
                        Some((_, entry)) => (0, *entry),
                        None => (1, 0),
                    });
                    filled.push(key);
                }
            }
            lengths.push(filled.len() - first);
            if filled.len() > i32::MAX as usize {
                return Err(too_large(filled.len()));
            }
        }
        let zero = gristmill_types::default::default_array(&value, 1);
        let values = interleave(&[map.values().as_ref(), zero.as_ref()], &picks)?;
        let wide: ArrayRef = match unsigned {
            true => Arc::new(UInt64Array::from_iter_values(filled.iter().map(|key| *key as u64))),
            false => Arc::new(Int64Array::from_iter_values(filled.iter().map(|key| *key as i64))),
        };
        let keys = cast(&wide, if unsigned { &T::UInt64 } else { &T::Int64 }, &key, &CastOptions::default())?;
        if !of_arrays {
            return map_array(&map_kind, keys, values, &lengths);
        }
        let columns = vec![crate::columns::list(keys, &lengths)?, crate::columns::list(values, &lengths)?];
        crate::tuples::struct_array(&to, columns, rows)
    }))
}

fn whole_numbers(array: &ArrayRef, kind: &SqlType, unsigned: bool) -> Result<Vec<i128>> {
    let wide = cast(array, kind, if unsigned { &T::UInt64 } else { &T::Int64 }, &CastOptions::default())?;
    let rows = wide.len();
    if unsigned {
        let numbers = Numbers::of::<UInt64Type>(&wide)?;
        return Ok((0..rows).map(|row| i128::from(numbers.get(row))).collect());
    }
    let numbers = Numbers::of::<Int64Type>(&wide)?;
    Ok((0..rows).map(|row| i128::from(numbers.get(row))).collect())
}
