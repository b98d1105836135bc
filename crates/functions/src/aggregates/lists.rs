//! `groupArray` and its kin: the values of each group side by side, and what is made of them.
//!
//! Values stay in the batches they came in, copied to be free of what else their buffers hold; each value is an entry of
//! its group. The result gathers them in the order of groups, and of their coming within a group.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, ListArray, UInt32Array};
use arrow::buffer::OffsetBuffer;
use arrow::compute::{SortOptions, cast, concat, interleave, sort_to_indices, take};
use arrow::datatypes::{DataType, Float64Type};
use arrow::row::{RowConverter, SortField};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::bytes::BytesBuilder;
use gristmill_types::default::{column_default, default_array};
use gristmill_types::order::turned;

use super::groups::Groups;
use super::kept::own_buffers;
use super::key_set::Set;
use super::random::{Pcg32, SAMPLE_SEED};
use super::sets::Key;
use super::{Call, NullRule, Plan, family};
use crate::columns::{defaults_for_nulls, retype, too_large};
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

pub type Finish = Arc<dyn Fn(ListArray) -> Result<ArrayRef> + Send + Sync>;

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
    let seed = if keep == Keep::Sample { call.size(1)?.unwrap_or(SAMPLE_SEED as usize) as u64 } else { 0 };
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

/// A function that collects rows of the columns `kinds` (as tuples where there are several).
pub fn collected(
    result: SqlType,
    arguments: Vec<SqlType>,
    kinds: Vec<SqlType>,
    limit: usize,
    distinct: bool,
    finish: Finish,
) -> Plan {
    let state = kinds.iter().map(|kind| SqlType::array(kind.clone()).arrow()).collect();
    Plan::new(result, arguments, state, move || Lists {
        kinds: kinds.clone(),
        limit,
        chunks: Vec::new(),
        entries: Vec::new(),
        lengths: Vec::new(),
        seen: distinct.then(Vec::new),
        finish: finish.clone(),
        bytes: 0,
    })
}

pub struct Lists {
    kinds: Vec<SqlType>,
    /// Values of a group beyond this are left out.
    limit: usize,
    chunks: Vec<Vec<ArrayRef>>,
    /// Group, chunk and row of each value.
    entries: Vec<(u32, u32, u32)>,
    lengths: Vec<usize>,
    /// Keys of the values of each group, where only different ones are wanted.
    seen: Option<Vec<Set<u128>>>,
    finish: Finish,
    bytes: usize,
}

impl Lists {
    /// The values of the first groups, a list for each, column by column.
    fn lists(&self, groups: usize) -> Result<Vec<ListArray>> {
        let total: usize = self.lengths[..groups].iter().sum();
        if total > i32::MAX as usize {
            return Err(too_large(total));
        }
        let mut next = Vec::with_capacity(groups);
        let mut start = 0;
        for length in &self.lengths[..groups] {
            next.push(start);
            start += length;
        }
        let mut wanted = vec![(0usize, 0usize); total];
        for (group, chunk, row) in &self.entries {
            let group = *group as usize;
            if group < groups {
                wanted[next[group]] = (*chunk as usize, *row as usize);
                next[group] += 1;
            }
        }
        let offsets = OffsetBuffer::<i32>::from_lengths(self.lengths[..groups].iter().copied());
        let mut lists = Vec::with_capacity(self.kinds.len());
        for (i, kind) in self.kinds.iter().enumerate() {
            let sources: Vec<&dyn Array> = self.chunks.iter().map(|chunk| chunk[i].as_ref()).collect();
            let values = if total == 0 { default_array(kind, 0) } else { interleave(&sources, &wanted)? };
            let DataType::List(item) = SqlType::array(kind.clone()).arrow() else {
                return Err(Error::logical("An array is carried as a list"));
            };
            let values = retype(&values, item.data_type())?;
            lists.push(ListArray::try_new(item, offsets.clone(), values, None)?);
        }
        Ok(lists)
    }
}

impl Groups for Lists {
    fn resize(&mut self, groups: usize) {
        self.lengths.resize(groups, 0);
        if let Some(seen) = &mut self.seen {
            seen.resize_with(groups, Set::new);
        }
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        // A constant delimiter is no value.
        let args = &args[..self.kinds.len()];
        let keys = if self.seen.is_some() { u128::of(args)? } else { Vec::new() };
        let chunk = self.chunks.len() as u32;
        let mut picks: Vec<u32> = Vec::new();
        for (row, group) in groups.iter().enumerate() {
            if self.lengths[*group] >= self.limit {
                continue;
            }
            if let Some(seen) = &mut self.seen
                && !seen[*group].insert(keys[row])
            {
                continue;
            }
            self.lengths[*group] += 1;
            self.entries.push((*group as u32, chunk, picks.len() as u32));
            picks.push(row as u32);
        }
        if picks.is_empty() {
            return Ok(());
        }
        let all = picks.len() == groups.len();
        let picks = UInt32Array::from(picks);
        let mut columns = Vec::with_capacity(args.len());
        for array in args {
            let array = if all { array.clone() } else { take(array, &picks, None)? };
            columns.push(own_buffers(&array));
        }
        self.bytes += columns.iter().map(|array| array.get_array_memory_size()).sum::<usize>();
        self.bytes += if self.seen.is_some() { picks.len() * 24 } else { 0 };
        self.chunks.push(columns);
        // Chunks of a few rows each cost more than their values.
        if self.chunks.len() > 4096 && self.entries.len() < self.chunks.len() * 1024 {
            self.join()?;
        }
        Ok(())
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        Ok(self.lists(groups)?.into_iter().map(|list| Arc::new(list) as ArrayRef).collect())
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let flat = super::combinators::array::flatten(states)?;
        let groups: Vec<usize> = flat.rows.iter().map(|row| groups[*row]).collect();
        if groups.is_empty() { Ok(()) } else { self.update(&flat.columns, &groups) }
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        let mut lists = self.lists(groups)?;
        match lists.len() {
            1 => (self.finish)(lists.swap_remove(0)),
            _ => {
                let offsets = lists[0].offsets().clone();
                let fields = lists
                    .iter()
                    .enumerate()
                    .map(|(i, list)| {
                        arrow::datatypes::Field::new(i.to_string(), list.value_type(), list.values().is_nullable())
                    })
                    .collect::<Vec<_>>();
                let columns = lists.iter().map(|list| list.values().clone()).collect();
                let tuples = arrow::array::StructArray::try_new(fields.into(), columns, None)?;
                let item = Arc::new(arrow::datatypes::Field::new("item", tuples.data_type().clone(), false));
                (self.finish)(ListArray::try_new(item, offsets, Arc::new(tuples), None)?)
            }
        }
    }

    fn drop_first(&mut self, groups: usize) {
        self.lengths.drain(..groups);
        if let Some(seen) = &mut self.seen {
            seen.drain(..groups);
        }
        let gone = groups as u32;
        self.entries.retain_mut(|entry| {
            let stays = entry.0 >= gone;
            entry.0 = entry.0.saturating_sub(gone);
            stays
        });
        if self.entries.is_empty() {
            self.chunks.clear();
            self.bytes = 0;
        }
    }

    fn bytes(&self) -> usize {
        self.bytes + self.entries.capacity() * 12 + self.lengths.capacity() * 8
    }
}

impl Lists {
    fn join(&mut self) -> Result<()> {
        let mut starts = Vec::with_capacity(self.chunks.len());
        let mut rows = 0;
        for chunk in &self.chunks {
            starts.push(rows);
            rows += chunk[0].len() as u32;
        }
        let mut columns = Vec::with_capacity(self.kinds.len());
        for i in 0..self.kinds.len() {
            let parts: Vec<&dyn Array> = self.chunks.iter().map(|chunk| chunk[i].as_ref()).collect();
            columns.push(own_buffers(&concat(&parts)?));
        }
        for entry in &mut self.entries {
            *entry = (entry.0, 0, starts[entry.1 as usize] + entry.2);
        }
        self.chunks = vec![columns];
        Ok(())
    }
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
/// being chosen. The same seed chooses the same ones of rows in the same order.
fn sample(list: &ListArray, limit: usize, seed: u64) -> Result<ListArray> {
    choose(list, |values| {
        let all = values.len() as u32;
        let mut random = Pcg32::new(seed);
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
    let delimiter = match call.constants.get(1).unwrap_or(&None).as_ref().or(call.parameters.first()) {
        None => Vec::new(),
        Some(value) => super::text_parameter(value)
            .ok_or_else(|| bad_argument(call.name, format!("the delimiter must be a string, got {value}")))?,
    };
    let limit = call.size(1)?.unwrap_or(usize::MAX);
    let finish: Finish = Arc::new(move |list| {
        let texts = list.values().as_binary_view();
        let mut builder = BytesBuilder::with_capacity(list.len());
        let mut out = Vec::new();
        for pair in list.offsets().windows(2) {
            out.clear();
            for row in pair[0] as usize..pair[1] as usize {
                // Empty texts at the beginning are as if they were not there.
                if !out.is_empty() {
                    out.extend_from_slice(&delimiter);
                }
                out.extend_from_slice(texts.value(row));
            }
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
