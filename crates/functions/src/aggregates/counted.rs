//! Functions of how often each value comes: `topK` and its kin, `anyHeavy`, `entropy`.
//!
//! Each group counts its values. Where only the most frequent are wanted and there are too many different ones, those with
//! the lowest counts are forgotten, as ClickHouse's do: counts may be too low by what was forgotten, the more so the rarer
//! a value is.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, BinaryBuilder, Float64Array, ListArray, StructArray, UInt64Array, new_empty_array};
use arrow::buffer::{BooleanBuffer, OffsetBuffer};
use arrow::datatypes::{DataType, Field, Float32Type, Float64Type, UInt64Type};
use arrow::row::{RowConverter, SortField};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::default::default_scalar;
use hashbrown::HashMap;

use super::groups::Groups;
use super::natives::natives;
use super::{Call, NullRule, Plan, family, text_parameter};
use crate::columns::retype;
use crate::registry::Registry;

pub fn register(registry: &mut Registry) {
    for (name, weighted, counts) in [
        ("topK", false, false),
        ("topKWeighted", true, false),
        ("approx_top_k", false, true),
        ("approx_top_sum", true, true),
    ] {
        registry.aggregate(name, family(NullRule::Default, move |call| top(call, weighted, counts)));
    }
    registry.alias("approx_top_count", "approx_top_k");
    for name in ["approx_top_k", "approx_top_sum", "approx_top_count"] {
        registry.any_case(name);
    }
    registry.aggregate(
        "anyHeavy",
        family(NullRule::Nullable, |call| {
            call.arity(1..=1)?;
            Ok(counted(call.kinds[0].clone(), &call.kinds, Wanted::Heaviest, VALUES_MAX))
        }),
    );
    registry.aggregate(
        "entropy",
        family(NullRule::Nullable, |call| {
            call.arity(1..=usize::MAX)?;
            Ok(counted(SqlType::Float64, &call.kinds, Wanted::Entropy, usize::MAX))
        }),
    );
}

/// Different values that a group counts before it forgets some.
const VALUES_MAX: usize = 1 << 16;
const TOP_MAX: usize = 0xFF_FFFF;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// The most frequent, so many of them.
    Top(usize),
    /// With their counts and errors.
    TopCounts(usize),
    Heaviest,
    Entropy,
}

fn top(call: &Call<'_>, weighted: bool, counts: bool) -> Result<Plan> {
    let arguments = if weighted { 2 } else { 1 };
    call.arity(arguments..=arguments)?;
    if weighted && !call.kinds[1].bool_as_integer().is_integer() {
        return Err(call.illegal(1, "an integer, the weight"));
    }
    let size = call.size(0)?.unwrap_or(10);
    if size == 0 || size > TOP_MAX {
        let text = format!("Parameter of aggregate function {} must be from 1 to {TOP_MAX}, got {size}", call.name);
        return Err(Error::new(ErrorCode::ARGUMENT_OUT_OF_BOUND, text));
    }
    let counts = counts || call.parameters.get(2).and_then(text_parameter).is_some_and(|mode| mode == b"counts");
    let kind = call.kinds[0].clone();
    let (result, wanted) = if counts {
        let fields = vec![
            (Some("item".to_string()), kind),
            (Some("count".to_string()), SqlType::UInt64),
            (Some("error".to_string()), SqlType::UInt64),
        ];
        (SqlType::array(SqlType::Tuple(fields)), Wanted::TopCounts(size))
    } else {
        (SqlType::array(kind), Wanted::Top(size))
    };
    let load = call.size(1)?.unwrap_or(3).clamp(1, TOP_MAX);
    let mut plan = counted(result, &call.kinds[..1], wanted, VALUES_MAX.max(size * load));
    if weighted {
        plan.arguments.push(SqlType::UInt64);
    }
    Ok(plan)
}

fn counted(result: SqlType, kinds: &[SqlType], wanted: Wanted, limit: usize) -> Plan {
    let state = vec![list_of(DataType::Binary), list_of(DataType::UInt64)];
    let (kinds, carrier) = (kinds.to_vec(), result.arrow());
    Plan::new(result, kinds.clone(), state, move || Counted {
        kinds: kinds.clone(),
        wanted,
        limit,
        result: carrier.clone(),
        counts: Vec::new(),
        bytes: 0,
    })
}

fn list_of(item: DataType) -> DataType {
    DataType::List(Arc::new(Field::new("item", item, true)))
}

struct Counted {
    kinds: Vec<SqlType>,
    wanted: Wanted,
    limit: usize,
    result: DataType,
    /// Values as rows of Arrow's row format.
    counts: Vec<HashMap<Box<[u8]>, u64>>,
    bytes: usize,
}

const ENTRY_BYTES: usize = 48;

impl Counted {
    fn converter(&self) -> Result<RowConverter> {
        Ok(RowConverter::new(self.kinds.iter().map(|kind| SortField::new(kind.arrow())).collect())?)
    }

    fn add(&mut self, group: usize, row: &[u8], times: u64) {
        let counts = &mut self.counts[group];
        if let Some(count) = counts.get_mut(row) {
            *count = count.saturating_add(times);
            return;
        }
        counts.insert(row.into(), times);
        self.bytes += row.len() + ENTRY_BYTES;
        if counts.len() > self.limit {
            let mut all: Vec<u64> = counts.values().copied().collect();
            let middle = all.len() / 2;
            let least = *all.select_nth_unstable(middle).1;
            let before: usize = counts.keys().map(|row| row.len() + ENTRY_BYTES).sum();
            // Of those as frequent as the median some go too, or nothing would.
            let mut spare = middle / 2;
            counts.retain(|_, count| {
                let stays = *count > least || (*count == least && spare > 0);
                spare -= usize::from(*count == least && spare > 0);
                stays
            });
            let after: usize = counts.keys().map(|row| row.len() + ENTRY_BYTES).sum();
            self.bytes = (self.bytes + after).saturating_sub(before);
        }
    }

    /// The entropy of single floats is of those that are numbers.
    fn skips_nan(&self) -> bool {
        self.wanted == Wanted::Entropy && self.kinds.len() == 1
    }

    /// The most frequent values of a group first; of equally frequent ones the smaller first.
    fn ranked(&self, group: usize, size: usize) -> Vec<(&[u8], u64)> {
        let mut all: Vec<(&[u8], u64)> = self.counts[group].iter().map(|(row, count)| (row.as_ref(), *count)).collect();
        all.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        all.truncate(size);
        all
    }

    fn items(&self, rows: &[(&[u8], u64)]) -> Result<ArrayRef> {
        if rows.is_empty() {
            return Ok(new_empty_array(&self.kinds[0].arrow()));
        }
        let converter = self.converter()?;
        let parser = converter.parser();
        Ok(converter.convert_rows(rows.iter().map(|(row, _)| parser.parse(row)))?.swap_remove(0))
    }
}

/// Which floats are no numbers; `None` of other values.
fn nans(array: &ArrayRef) -> Option<BooleanBuffer> {
    Some(match array.data_type() {
        DataType::Float64 => {
            let floats = array.as_primitive::<Float64Type>().values();
            BooleanBuffer::collect_bool(floats.len(), |row| floats[row].is_nan())
        }
        DataType::Float32 => {
            let floats = array.as_primitive::<Float32Type>().values();
            BooleanBuffer::collect_bool(floats.len(), |row| floats[row].is_nan())
        }
        _ => return None,
    })
}

impl Groups for Counted {
    fn resize(&mut self, groups: usize) {
        self.counts.resize_with(groups, HashMap::new);
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let (values, weights) = args.split_at(self.kinds.len());
        let weights = weights.first().map(|array| natives::<u64>(array)).transpose()?;
        let rows = self.converter()?.convert_columns(values)?;
        let skipped = self.skips_nan().then(|| nans(&values[0])).flatten();
        for (i, group) in groups.iter().enumerate() {
            if skipped.as_ref().is_some_and(|skipped| skipped.value(i)) {
                continue;
            }
            self.add(*group, rows.row(i).as_ref(), weights.as_ref().map_or(1, |weights| weights[i]));
        }
        Ok(())
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        let (mut values, mut counts) = (BinaryBuilder::new(), Vec::new());
        for (row, count) in self.counts[..groups].iter().flatten() {
            values.append_value(row);
            counts.push(*count);
        }
        let offsets = OffsetBuffer::<i32>::from_lengths(self.counts[..groups].iter().map(HashMap::len));
        let list = |values: ArrayRef| -> Result<ArrayRef> {
            let item = Arc::new(Field::new("item", values.data_type().clone(), true));
            Ok(Arc::new(ListArray::try_new(item, offsets.clone(), values, None)?))
        };
        Ok(vec![list(Arc::new(values.finish()))?, list(Arc::new(UInt64Array::from(counts)))?])
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let (values, counts) = (states[0].as_list::<i32>(), states[1].as_list::<i32>());
        for (i, group) in groups.iter().enumerate() {
            let (values, counts) = (values.value(i), counts.value(i));
            for (row, count) in values.as_binary::<i32>().iter().zip(counts.as_primitive::<UInt64Type>().values()) {
                self.add(*group, row.unwrap_or_default(), *count);
            }
        }
        Ok(())
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        match self.wanted {
            Wanted::Entropy => {
                let entropies = self.counts[..groups].iter().map(|counts| {
                    let total: f64 = counts.values().map(|count| *count as f64).sum();
                    let part = |count: &u64| *count as f64 / total;
                    // Minus zero is zero too, but is written otherwise.
                    counts.values().map(|count| -part(count) * part(count).log2()).sum::<f64>() + 0.0
                });
                Ok(Arc::new(Float64Array::from_iter_values(entropies)))
            }
            Wanted::Heaviest => {
                let converter = self.converter()?;
                let default = converter.convert_columns(&[default_scalar(&self.kinds[0]).to_array()?])?;
                let default = default.row(0);
                let heaviest: Vec<(&[u8], u64)> = (0..groups)
                    .map(|group| self.ranked(group, 1).first().copied().unwrap_or((default.as_ref(), 0)))
                    .collect();
                retype(&self.items(&heaviest)?, &self.result)
            }
            Wanted::Top(size) | Wanted::TopCounts(size) => {
                let (mut all, mut lengths) = (Vec::new(), Vec::with_capacity(groups));
                for group in 0..groups {
                    let ranked = self.ranked(group, size);
                    lengths.push(ranked.len());
                    all.extend(ranked);
                }
                let items = self.items(&all)?;
                let DataType::List(item) = &self.result else { return Err(Error::logical("topK gives an array")) };
                let values: ArrayRef = match item.data_type() {
                    DataType::Struct(fields) if matches!(self.wanted, Wanted::TopCounts(_)) => {
                        let counts = UInt64Array::from_iter_values(all.iter().map(|(_, count)| *count));
                        let errors = UInt64Array::from(vec![0; all.len()]);
                        let items = retype(&items, fields[0].data_type())?;
                        Arc::new(StructArray::try_new(
                            fields.clone(),
                            vec![items, Arc::new(counts), Arc::new(errors)],
                            None,
                        )?)
                    }
                    other => retype(&items, other)?,
                };
                Ok(Arc::new(ListArray::try_new(item.clone(), OffsetBuffer::from_lengths(lengths), values, None)?))
            }
        }
    }

    fn drop_first(&mut self, groups: usize) {
        let gone: usize = self.counts.drain(..groups).flatten().map(|(row, _)| row.len() + ENTRY_BYTES).sum();
        self.bytes = self.bytes.saturating_sub(gone);
    }

    fn bytes(&self) -> usize {
        self.bytes + self.counts.capacity() * size_of::<HashMap<Box<[u8]>, u64>>()
    }
}
