//! Maps: `map`, `mapKeys`, `mapValues`, `mapContains…`, `mapFromArrays`, `mapAdd`, `mapSubtract`, `mapUpdate`, and with lambdas
//! `mapFilter`, `mapApply`, `mapExists`, `mapAll`, `mapSort`. A map is carried as a list of pairs.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray, MapArray, StructArray};
use arrow::compute::interleave;
use arrow::datatypes::{DataType, UInt64Type};
use datafusion::logical_expr::Expr;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use crate::arrays::has_entry;
use crate::arrays::higher::{LambdaBody, higher_order_call};
use crate::columns::{at, broadcast, list_of, numbers};
use crate::define::{arity, expect_array, illegal, own_nulls, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};
use crate::supertype::{least, with_signs};

pub fn register(registry: &mut Registry) {
    registry.scalar("map", own_nulls(|name, arguments, _| map(name, arguments)));
    registry.scalar("mapKeys", plain(|name, arguments, _| side(name, arguments, true)));
    registry.scalar("mapValues", plain(|name, arguments, _| side(name, arguments, false)));
    registry.scalar("mapContainsKey", own_nulls(|name, arguments, _| has_entry(name, arguments, true)));
    registry.alias("mapContains", "mapContainsKey");
    registry.scalar("mapContainsValue", own_nulls(|name, arguments, _| has_entry(name, arguments, false)));
    registry.scalar("mapFromArrays", plain(|name, arguments, _| from_arrays(name, arguments)));
    registry.alias("MAP_FROM_ARRAYS", "mapFromArrays");
    registry.scalar("mapAdd", plain(|name, arguments, _| combine(name, arguments, Combine::Add)));
    registry.scalar("mapSubtract", plain(|name, arguments, _| combine(name, arguments, Combine::Subtract)));
    registry.scalar("mapUpdate", plain(|name, arguments, _| combine(name, arguments, Combine::Replace)));
    registry.scalar("mapConcat", plain(|name, arguments, _| concat(name, arguments)));
    registry.scalar(
        "mapLength",
        plain(|name, arguments, _| {
            parts(name, arguments, 0)?;
            Ok(Bound::new(T::UInt64, |args, _| {
                let lengths: Vec<usize> = args[0].as_map().offsets().lengths().collect();
                numbers::<UInt64Type>(lengths.len(), |row| Ok(lengths[row] as u64))
            }))
        }),
    );
}

pub(crate) fn parts(name: &str, arguments: &[Argument], i: usize) -> Result<(SqlType, SqlType)> {
    match arguments.get(i).map(|argument| argument.kind.plain()) {
        Some(T::Map(key, value)) => Ok((key.as_ref().clone(), value.as_ref().clone())),
        _ => Err(illegal(name, arguments, i, "Map")),
    }
}

/// A map column from its entries.
pub(crate) fn map_array(kind: &SqlType, keys: ArrayRef, values: ArrayRef, lengths: &[usize]) -> Result<ArrayRef> {
    let DataType::Map(entries, ordered) = kind.arrow() else {
        return Err(Error::logical(format!("{kind} is no map")));
    };
    let DataType::Struct(fields) = entries.data_type() else {
        return Err(Error::logical("a map's entries are pairs"));
    };
    let columns =
        vec![crate::columns::retype(&keys, fields[0].data_type())?, crate::columns::retype(&values, fields[1].data_type())?];
    let pairs = StructArray::try_new(fields.clone(), columns, None)?;
    let offsets = arrow::buffer::OffsetBuffer::from_lengths(lengths.iter().copied());
    Ok(Arc::new(MapArray::try_new(entries, offsets, pairs, None, ordered)?))
}

/// `map(k1, v1, k2, v2, …)`.
fn map(name: &str, arguments: &[Argument]) -> Result<Bound> {
    if !arguments.len().is_multiple_of(2) {
        let text = format!("Function {name} needs keys and values in turn, got {} arguments", arguments.len());
        return Err(Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, text));
    }
    let every =
        |skip: usize| arguments.iter().skip(skip).step_by(2).map(|argument| argument.kind.clone()).collect::<Vec<_>>();
    let common = |skip: usize| -> Result<SqlType> {
        let mut kinds = every(skip);
        with_signs(&mut kinds, |i| arguments[i * 2 + skip].constant.as_ref());
        least(name, &kinds)
    };
    let (key, value) = (common(0)?, common(1)?);
    if key.is_nullable() {
        return Err(illegal(name, arguments, 0, "keys that cannot be NULL"));
    }
    let kind = T::Map(Box::new(key.clone()), Box::new(value.clone()));
    let width = arguments.len() / 2;
    let casts = (0..width).flat_map(|_| [key.clone(), value.clone()]).collect();
    let result = kind.clone();
    Ok(Bound::cast(casts, result, move |args, rows| {
        let column = |skip: usize| -> Result<ArrayRef> {
            let columns: Vec<&ArrayRef> = args.iter().skip(skip).step_by(2).collect();
            let picks: Vec<(usize, usize)> = (0..rows)
                .flat_map(|row| columns.iter().enumerate().map(move |(i, column)| (i, at(column.len(), row))))
                .collect();
            let columns: Vec<&dyn Array> = columns.iter().map(|column| column.as_ref()).collect();
            Ok(if columns.is_empty() {
                arrow::array::new_null_array(&DataType::Null, 0)
            } else {
                interleave(&columns, &picks)?
            })
        };
        map_array(&kind, column(0)?, column(1)?, &vec![width; rows])
    }))
}

fn side(name: &str, arguments: &[Argument], keys: bool) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    let (key, value) = parts(name, arguments, 0)?;
    Ok(Bound::new(SqlType::array(if keys { key } else { value }), move |args, _| {
        let map = args[0].as_map();
        list_of(if keys { map.keys().clone() } else { map.values().clone() }, map.offsets().clone())
    }))
}

fn from_arrays(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    // A map is an array of pairs.
    let as_pairs = |argument: &Argument| match argument.kind.plain() {
        T::Map(key, value) => {
            let pair = T::Tuple(vec![(None, key.as_ref().clone()), (None, value.as_ref().clone())]);
            Argument { kind: SqlType::array(pair), constant: None }
        }
        _ => argument.clone(),
    };
    let arguments: Vec<Argument> = arguments.iter().map(as_pairs).collect();
    let (key, value) = (expect_array(name, &arguments, 0)?.clone(), expect_array(name, &arguments, 1)?.clone());
    let plain = key.plain().clone();
    let key = if key.is_low_cardinality() { T::LowCardinality(Box::new(plain)) } else { plain };
    let kind = T::Map(Box::new(key.clone()), Box::new(value.clone()));
    let name = name.to_string();
    Ok(Bound::cast(vec![SqlType::array(key), SqlType::array(value)], kind.clone(), move |args, rows| {
        let arrays = crate::arrays::aligned(&name, args, rows)?;
        let lengths: Vec<usize> = arrays[0].offsets().lengths().collect();
        map_array(&kind, arrays[0].values().clone(), arrays[1].values().clone(), &lengths)
    }))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Combine {
    Add,
    Subtract,
    /// The second map's value where it has the key.
    Replace,
    /// Entries one after another.
    Append,
}

/// The entries of maps one after another.
pub fn concat(name: &str, arguments: &[Argument]) -> Result<Bound> {
    combine(name, arguments, Combine::Append)
}

/// A tuple of an array of keys and one of values, as a map was written once.
fn pair_of_arrays(kind: &SqlType) -> Option<(&SqlType, &SqlType)> {
    match kind {
        T::Tuple(fields) => match &fields[..] {
            [(_, T::Array(key)), (_, T::Array(value))] => Some((key, value)),
            _ => None,
        },
        _ => None,
    }
}

/// As `combine`, of tuples of arrays, of which it makes one.
fn combine_tuples(name: &str, arguments: &[Argument], how: Combine) -> Result<Bound> {
    let widest = |kind: &SqlType| match kind.integer_bits() {
        Some((..=64, signed)) => SqlType::integer(64, signed),
        _ if kind.is_float() => T::Float64,
        _ => kind.clone(),
    };
    let (mut casts, mut maps) = (Vec::new(), Vec::new());
    for (i, argument) in arguments.iter().enumerate() {
        let Some((key, value)) = pair_of_arrays(&argument.kind) else {
            return Err(illegal(name, arguments, i, "a Tuple of an array of keys and an array of values"));
        };
        casts.push(T::Tuple(vec![(None, SqlType::array(key.clone())), (None, SqlType::array(widest(value)))]));
        maps.push(Argument { kind: T::Map(Box::new(key.clone()), Box::new(widest(value))), constant: None });
    }
    let bound = combine(name, &maps, how)?;
    let T::Map(key, value) = &bound.result else { return Err(Error::logical("maps make a map")) };
    let result =
        T::Tuple(vec![(None, SqlType::array(key.as_ref().clone())), (None, SqlType::array(value.as_ref().clone()))]);
    let kinds = casts.clone();
    let options = gristmill_types::cast::CastOptions::default();
    let targets = if bound.arguments.is_empty() { maps.into_iter().map(|map| map.kind).collect() } else { bound.arguments };
    Ok(Bound::cast(casts, result.clone(), move |args, rows| {
        let maps = args
            .iter()
            .zip(kinds.iter().zip(&targets))
            .map(|(array, (from, to))| gristmill_types::cast::cast(&broadcast(array, rows)?, from, to, &options))
            .collect::<Result<Vec<_>>>()?;
        let map = (bound.kernel)(&maps, rows)?;
        let map = map.as_map();
        let keys = list_of(map.keys().clone(), map.offsets().clone())?;
        let values = list_of(map.values().clone(), map.offsets().clone())?;
        crate::tuples::struct_array(&result, vec![keys, values], rows)
    }))
}

fn combine(name: &str, arguments: &[Argument], combine: Combine) -> Result<Bound> {
    let fewest = if combine == Combine::Append { 1 } else { 2 };
    arity(name, arguments, fewest..=usize::MAX)?;
    if matches!(combine, Combine::Add | Combine::Subtract) && pair_of_arrays(&arguments[0].kind).is_some() {
        return combine_tuples(name, arguments, combine);
    }
    let all = (0..arguments.len()).map(|i| parts(name, arguments, i)).collect::<Result<Vec<_>>>()?;
    let (keys, values): (Vec<SqlType>, Vec<SqlType>) = all.into_iter().unzip();
    let (key, mut value) = (least(name, &keys)?, least(name, &values)?);
    let arithmetic = matches!(combine, Combine::Add | Combine::Subtract);
    if arithmetic {
        value = match value.plain() {
            kind if kind.is_float() => T::Float64,
            // Without a sign a difference wraps.
            kind if kind.integer_bits().is_some_and(|(bits, _)| bits <= 64) => {
                SqlType::integer(64, kind.integer_bits().is_some_and(|(_, signed)| signed))
            }
            _ => return Err(illegal(name, arguments, 0, "a Map of numbers")),
        };
    }
    let kind = T::Map(Box::new(key), Box::new(value));
    let casts = vec![kind.clone(); arguments.len()];
    Ok(Bound::cast(casts, kind.clone(), move |args, rows| {
        let maps = args.iter().map(|map| broadcast(map, rows)).collect::<Result<Vec<_>>>()?;
        let maps: Vec<&MapArray> = maps.iter().map(|map| map.as_map()).collect();
        let keys: Vec<ArrayRef> = maps.iter().map(|map| map.keys().clone()).collect();
        let encoded = crate::arrays::comparable(&keys)?;
        let (mut picks, mut lengths) = (Vec::new(), Vec::with_capacity(rows));
        // Entry of the result that each entry of each map adds to.
        let mut adds: Vec<Vec<usize>> = maps.iter().map(|map| vec![usize::MAX; map.keys().len()]).collect();
        let mut values: Vec<(usize, usize)> = Vec::new();
        for row in 0..rows {
            let before = picks.len();
            for (which, map) in maps.iter().enumerate() {
                let offsets = map.value_offsets();
                #[expect(clippy::needless_range_loop, reason = "the entry's place says more than what it adds")]
                for i in offsets[row] as usize..offsets[row + 1] as usize {
                    let known = (before..picks.len()).find(|place| {
                        combine != Combine::Append && {
                            let (map, entry): (usize, usize) = picks[*place];
                            encoded[map].row(entry) == encoded[which].row(i)
                        }
                    });
                    let place = known.unwrap_or_else(|| {
                        picks.push((which, i));
                        values.push((which, i));
                        picks.len() - 1
                    });
                    values[place] = (which, i);
                    adds[which][i] = place;
                }
            }
            if arithmetic {
                // ClickHouse gives the keys in order.
                let order = sorted_tail(&mut picks, before, |a, b| encoded[a.0].row(a.1).cmp(&encoded[b.0].row(b.1)));
                for map in adds.iter_mut() {
                    for place in map.iter_mut().filter(|place| **place != usize::MAX && **place >= before) {
                        *place = before + order[*place - before];
                    }
                }
            }
            if combine == Combine::Replace {
                // What a later map has comes with it, behind what was not replaced.
                values[before..].sort_unstable();
                picks[before..].copy_from_slice(&values[before..]);
            }
            lengths.push(picks.len() - before);
        }
        let key_columns: Vec<&dyn Array> = keys.iter().map(AsRef::as_ref).collect();
        let result_keys = interleave(&key_columns, &picks)?;
        let result_values: ArrayRef = if arithmetic {
            sums(&maps, &adds, picks.len(), combine == Combine::Subtract)?
        } else {
            let value_columns: Vec<ArrayRef> = maps.iter().map(|map| map.values().clone()).collect();
            let columns: Vec<&dyn Array> = value_columns.iter().map(AsRef::as_ref).collect();
            interleave(&columns, &values)?
        };
        map_array(&kind, result_keys, result_values, &lengths)
    }))
}

/// Sorts `items[from..]`; says where each went.
fn sorted_tail<I: Copy>(items: &mut [I], from: usize, order: impl Fn(&I, &I) -> std::cmp::Ordering) -> Vec<usize> {
    let tail = &mut items[from..];
    let mut by: Vec<usize> = (0..tail.len()).collect();
    by.sort_by(|a, b| order(&tail[*a], &tail[*b]));
    let old: Vec<I> = tail.to_vec();
    let mut went = vec![0; tail.len()];
    for (to, from) in by.into_iter().enumerate() {
        tail[to] = old[from];
        went[from] = to;
    }
    went
}

fn sums(maps: &[&MapArray], adds: &[Vec<usize>], entries: usize, subtract: bool) -> Result<ArrayRef> {
    use arrow::array::{ArrowNativeTypeOp, PrimitiveArray};
    use arrow::datatypes::{ArrowPrimitiveType, Float64Type, Int64Type};
    fn typed<K: ArrowPrimitiveType>(maps: &[&MapArray], adds: &[Vec<usize>], entries: usize, subtract: bool) -> ArrayRef {
        let mut sums = vec![K::Native::ZERO; entries];
        for (which, map) in maps.iter().enumerate() {
            for (value, place) in map.values().as_primitive::<K>().values().iter().zip(&adds[which]) {
                if *place != usize::MAX {
                    let sum = sums[*place];
                    sums[*place] = if subtract && which > 0 { sum.sub_wrapping(*value) } else { sum.add_wrapping(*value) };
                }
            }
        }
        Arc::new(PrimitiveArray::<K>::new(sums.into(), None))
    }
    match maps[0].values().data_type() {
        DataType::Float64 => Ok(typed::<Float64Type>(maps, adds, entries, subtract)),
        DataType::Int64 => Ok(typed::<Int64Type>(maps, adds, entries, subtract)),
        DataType::UInt64 => Ok(typed::<UInt64Type>(maps, adds, entries, subtract)),
        other => Err(Error::logical(format!("sums of {other} in maps"))),
    }
}

/// Lambdas over maps are lambdas over the arrays of keys and values.
pub fn higher_order(
    registry: &Registry,
    name: &str,
    lambda: LambdaBody,
    maps: Vec<(Expr, SqlType)>,
    env: &FunctionEnv,
) -> Result<(Expr, SqlType)> {
    let is_partial = matches!(name, "mapPartialSort" | "mapPartialReverseSort");
    let mut maps = maps;
    let count = if is_partial && maps.len() == 2 { Some(maps.remove(0)) } else { None };
    if maps.len() != 1 || is_partial != count.is_some() {
        let expected = if is_partial { "a lambda, a number and one map" } else { "a lambda and one map" };
        let text = format!("Function {name} takes {expected}");
        return Err(Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, text));
    }
    let (map, kind) = maps.remove(0);
    let argument = |expr: &Expr, kind: &SqlType| (expr.clone(), Argument { kind: kind.clone(), constant: None });
    let keys = crate::udf::call(registry, "mapKeys", vec![argument(&map, &kind)], env)?;
    let values = crate::udf::call(registry, "mapValues", vec![argument(&map, &kind)], env)?;
    let from_arrays = |keys: (Expr, SqlType), values: (Expr, SqlType)| {
        crate::udf::call(registry, "mapFromArrays", vec![argument(&keys.0, &keys.1), argument(&values.0, &values.1)], env)
    };
    // Pairs that were chosen or put in order keep their type, with the dictionaries that arrays of them lose.
    let of_same_type = |keys: (Expr, SqlType), values: (Expr, SqlType)| Ok((from_arrays(keys, values)?.0, kind.clone()));
    match name {
        "mapExists" => higher_order_call(registry, "arrayExists", lambda, vec![keys, values], env),
        "mapAll" => higher_order_call(registry, "arrayAll", lambda, vec![keys, values], env),
        "mapFilter" => {
            // The lambda's parameters are key and value; to filter the values it is asked with both in the other order.
            let mut swapped = lambda.clone();
            swapped.parameters.reverse();
            let kept_values = higher_order_call(registry, "arrayFilter", swapped, vec![values.clone(), keys.clone()], env)?;
            let kept_keys = higher_order_call(registry, "arrayFilter", lambda, vec![keys, values], env)?;
            of_same_type(kept_keys, kept_values)
        }
        "mapSort" | "mapReverseSort" => {
            let sort = if name == "mapSort" { "arraySort" } else { "arrayReverseSort" };
            let mut swapped = lambda.clone();
            swapped.parameters.reverse();
            let sorted_values = higher_order_call(registry, sort, swapped, vec![values.clone(), keys.clone()], env)?;
            let sorted_keys = higher_order_call(registry, sort, lambda, vec![keys, values], env)?;
            of_same_type(sorted_keys, sorted_values)
        }
        "mapPartialSort" | "mapPartialReverseSort" => {
            let sort = if name == "mapPartialSort" { "arrayPartialSort" } else { "arrayPartialReverseSort" };
            let mut swapped = lambda.clone();
            swapped.parameters.reverse();
            let with_count = |arrays: [(Expr, SqlType); 2]| count.iter().cloned().chain(arrays).collect::<Vec<_>>();
            let sorted_values = higher_order_call(registry, sort, swapped, with_count([values.clone(), keys.clone()]), env)?;
            let sorted_keys = higher_order_call(registry, sort, lambda, with_count([keys, values]), env)?;
            of_same_type(sorted_keys, sorted_values)
        }
        _ => {
            let pairs = higher_order_call(registry, "arrayMap", lambda, vec![keys, values], env)?;
            let part = |i: u64| -> Result<(Expr, SqlType)> {
                let index = datafusion::common::ScalarValue::UInt64(Some(i));
                let name_of = Argument { kind: T::UInt64, constant: Some(index.clone()) };
                crate::udf::call(
                    registry,
                    "tupleElement",
                    vec![argument(&pairs.0, &pairs.1), (Expr::Literal(index, None), name_of)],
                    env,
                )
            };
            from_arrays(part(1)?, part(2)?)
        }
    }
}
