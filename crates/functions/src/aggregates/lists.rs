//! `groupArray` and its kin: what is made of the values of each group, side by side (`collected`).

use std::cmp::Ordering;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, ListArray, UInt32Array};
use arrow::buffer::OffsetBuffer;
use arrow::compute::{SortOptions, cast, interleave, sort_to_indices, take};
use arrow::datatypes::{DataType, Float64Type};
use arrow::row::{RowConverter, SortField};
use gristmill_base::allocations::extend;
use gristmill_base::env::system_env;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::bytes::BytesBuilder;
use gristmill_types::default::column_default;
use gristmill_types::order::turned;

use super::collected::{Finish, collected};
use super::groups::ask_for;
use super::random::Pcg32;
use super::{Call, NullRule, Plan, family};
use crate::columns::{defaults_for_nulls, retype};
use crate::define::bad_argument;
use crate::registry::Registry;

pub fn register(registry: &mut Registry) {
    registry.aggregate("groupArray", family(NullRule::Default, |call| arrays(call, Keep::First, false)));
    registry.aggregate("groupUniqArray", family(NullRule::Default, |call| arrays(call, Keep::First, true)));
    registry.aggregate("groupArrayLast", family(NullRule::Default, |call| arrays(call, Keep::Last, false)));
    registry.aggregate("groupArraySorted", family(NullRule::Default, |call| arrays(call, Keep::Smallest, false)));
    registry.aggregate("groupArraySample", family(NullRule::Default, |call| arrays(call, Keep::Sample, false)));
    registry.aggregate("groupConcat", family(NullRule::Nullable, concatenation));
    registry.aggregate("groupArrayInsertAt", family(NullRule::Default, insert_at));
    for (alias, name) in [("array_agg", "groupArray"), ("group_concat", "groupConcat"), ("string_agg", "groupConcat")] {
        registry.alias(alias, name);
        registry.any_case(alias);
    }
    // array_concat_agg(x) is groupArrayArray(x).
    registry.alias("array_concat_agg", "groupArrayArray");
    registry.any_case("array_concat_agg");
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    First,
    Last,
    Smallest,
    Sample,
}

fn arrays(call: &Call<'_>, keep: Keep, distinct: bool) -> Result<Plan> {
    call.arity(1..=1)?;
    let limit = call.size(0)?;
    if limit == Some(0) {
        return Err(bad_argument(call.name, "the size of the array must be above 0"));
    }
    if limit.is_none() && keep != Keep::First {
        return Err(Error::new(
            ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
            format!("Aggregate function {} needs the size of the array as a parameter: {0}(10)(x)", call.name),
        ));
    }
    let limit = limit.unwrap_or(usize::MAX);
    let seed = if keep == Keep::Sample { call.size(1)?.map(|seed| seed as u64) } else { None };
    let kind = call.kinds[0].clone();
    let result = SqlType::array(kind.clone());
    let (carrier, element) = (result.arrow(), kind.clone());
    let finish: Finish = Arc::new(move |list| {
        let list = match keep {
            Keep::First => list,
            Keep::Last => last(&list, limit)?,
            Keep::Smallest => smallest(&list, &element, limit)?,
            Keep::Sample => sample(&list, limit, seed)?,
        };
        let list: ArrayRef = Arc::new(list);
        retype(&list, &carrier)
    });
    let at_once = if keep == Keep::First { limit } else { usize::MAX };
    Ok(collected(result, vec![kind.clone()], vec![kind], at_once, distinct, finish))
}

/// Some elements of each list, in the order given.
fn choose(list: &ListArray, mut rows: impl FnMut(ArrayRef) -> Result<Vec<u32>>) -> Result<ListArray> {
    let mut indices = Vec::new();
    let mut lengths = Vec::with_capacity(list.len());
    for i in 0..list.len() {
        let start = list.offsets()[i] as u32;
        let chosen = rows(list.value(i))?;
        lengths.push(chosen.len());
        indices.extend(chosen.into_iter().map(|row| start + row));
    }
    let values = take(list.values(), &UInt32Array::from(indices), None)?;
    let DataType::List(item) = list.data_type() else {
        return Err(Error::logical("A list has items"));
    };
    Ok(ListArray::try_new(item.clone(), OffsetBuffer::from_lengths(lengths), values, None)?)
}

/// The last values, in the order of a ring that the others were overwritten in, as ClickHouse gives them.
fn last(list: &ListArray, limit: usize) -> Result<ListArray> {
    choose(list, |values| {
        let length = values.len();
        let mut rows: Vec<u32> = (length.saturating_sub(limit) as u32..length as u32).collect();
        if length > limit {
            rows.rotate_right(length % limit);
        }
        Ok(rows)
    })
}

/// The smallest values: of floats NaN is the smallest, and NULL within a value.
fn smallest(list: &ListArray, kind: &SqlType, limit: usize) -> Result<ListArray> {
    choose(list, |values| {
        let values = turned(&values, kind)?;
        match values.data_type() {
            DataType::Float32 | DataType::Float64 => {
                let numbers = cast(&values, &DataType::Float64)?;
                let numbers = numbers.as_primitive::<Float64Type>().values();
                let nan_first = |a: f64, b: f64| b.is_nan().cmp(&a.is_nan()).then(a.total_cmp(&b));
                Ok(first_rows(values.len(), limit, |a, b| nan_first(numbers[a], numbers[b])))
            }
            DataType::List(_) | DataType::Struct(_) | DataType::Map(..) => {
                let options = SortOptions { descending: false, nulls_first: true };
                let field = SortField::new_with_options(values.data_type().clone(), options);
                let rows = RowConverter::new(vec![field])?.convert_columns(std::slice::from_ref(&values))?;
                Ok(first_rows(values.len(), limit, |a, b| rows.row(a).cmp(&rows.row(b))))
            }
            _ => {
                let options = SortOptions { descending: false, nulls_first: false };
                Ok(sort_to_indices(&values, Some(options), Some(limit))?.values().to_vec())
            }
        }
    })
}

/// The positions of the rows that come first in an order, in it.
fn first_rows(rows: usize, limit: usize, order: impl Fn(usize, usize) -> Ordering) -> Vec<u32> {
    let mut sorted: Vec<u32> = (0..rows as u32).collect();
    sorted.sort_by(|a, b| order(*a as usize, *b as usize));
    sorted.truncate(limit);
    sorted
}

/// Values chosen at random: each that comes when there are enough takes the place of one with the probability that it has of
/// being chosen. The same seed chooses the same ones of rows in the same order; without one each group has its own.
fn sample(list: &ListArray, limit: usize, seed: Option<u64>) -> Result<ListArray> {
    choose(list, |values| {
        let all = values.len() as u32;
        let mut random = Pcg32::new(seed.unwrap_or_else(|| system_env().random_u64()));
        let mut rows: Vec<u32> = (0..all.min(u32::try_from(limit).unwrap_or(u32::MAX))).collect();
        for row in rows.len() as u32..all {
            let place = random.below(u64::from(row) + 1) as usize;
            if let Some(slot) = rows.get_mut(place) {
                *slot = row;
            }
        }
        Ok(rows)
    })
}

/// `groupConcat(delimiter, limit)(x)` and `groupConcat(x, delimiter)`.
fn concatenation(call: &Call<'_>) -> Result<Plan> {
    call.arity(1..=2)?;
    if call.parameters.len() > 2 {
        let text = format!("Aggregate function {} takes at most 2 parameters, got {}", call.name, call.parameters.len());
        return Err(Error::new(ErrorCode::TOO_MANY_ARGUMENTS_FOR_FUNCTION, text));
    }
    let delimiter = match call.constants.get(1).unwrap_or(&None).as_ref().or(call.parameters.first()) {
        None => Vec::new(),
        Some(value) => super::text_parameter(value).ok_or_else(|| {
            let text = format!("Aggregate function {}: the delimiter must be a string, got {value}", call.name);
            Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text)
        })?,
    };
    let limit = call.size(1)?.unwrap_or(usize::MAX);
    if limit == 0 {
        return Err(bad_argument(call.name, "the number of values must be above 0"));
    }
    let finish: Finish = Arc::new(move |list| {
        let texts = list.values().as_binary_view();
        let mut builder = BytesBuilder::with_capacity(list.len());
        let mut out = Vec::new();
        for pair in list.offsets().windows(2) {
            out.clear();
            for row in pair[0] as usize..pair[1] as usize {
                // Empty texts at the beginning are as if they were not there.
                if !out.is_empty() {
                    extend(&mut out, &delimiter)?;
                }
                extend(&mut out, texts.value(row))?;
            }
            ask_for(out.len())?;
            builder.append(&out);
        }
        Ok(Arc::new(builder.finish(None)))
    });
    let arguments = vec![SqlType::String; call.kinds.len()];
    Ok(collected(SqlType::String, arguments, vec![SqlType::String], limit, false, finish))
}

/// Places beyond this are an error: a place makes an array of at least that length.
const PLACES_MAX: u64 = 0xFF_FFFF;

fn insert_at(call: &Call<'_>) -> Result<Plan> {
    call.arity(2..=2)?;
    let kind = call.kinds[0].clone();
    if !call.kinds[1].bool_as_integer().is_integer() {
        return Err(call.illegal(1, "an integer"));
    }
    let default = match call.parameters.first() {
        None => column_default(&kind),
        Some(value) => value.cast_to(&kind.arrow())?,
    };
    let length = call.size(1)?;
    let result = SqlType::array(kind.clone());
    let carrier = result.arrow();
    let name = call.name.to_string();
    let finish: Finish = Arc::new(move |list| {
        let tuples = list.values().as_struct();
        let places = super::natives::natives::<u64>(tuples.column(1))?;
        let default = default.to_array()?;
        let sources: [&dyn Array; 2] = [tuples.column(0), &default];
        let (mut wanted, mut lengths) = (Vec::new(), Vec::with_capacity(list.len()));
        for pair in list.offsets().windows(2) {
            let rows = pair[0] as usize..pair[1] as usize;
            let highest = rows.clone().map(|row| places[row]).max().map_or(0, |place| place.saturating_add(1));
            let size = length.map_or(highest, |length| length as u64);
            if size > PLACES_MAX {
                let text =
                    format!("Aggregate function {name}: an array of {size} elements is too long, at most {PLACES_MAX}");
                return Err(Error::new(ErrorCode::TOO_LARGE_ARRAY_SIZE, text));
            }
            ask_for(size as usize * size_of::<(usize, usize)>())?;
            let start = wanted.len();
            wanted.resize(start + size as usize, (1, 0));
            // The first value of a place stays.
            for row in rows.rev().filter(|row| places[*row] < size) {
                wanted[start + places[row] as usize] = (0, row);
            }
            lengths.push(size as usize);
        }
        let values = if wanted.is_empty() { tuples.column(0).slice(0, 0) } else { interleave(&sources, &wanted)? };
        retype(&crate::columns::list(defaults_for_nulls(&values)?, &lengths)?, &carrier)
    });
    let kinds = vec![kind, SqlType::UInt64];
    Ok(collected(result, kinds.clone(), kinds, usize::MAX, false, finish))
}
