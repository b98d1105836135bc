//! `timeSeriesTopKMasks(k, key, values)`, `timeSeriesBottomKMasks`, and `timeSeriesLimitKMasks(k, key, sampling_key,
//! values)`: at each step of a time, which series have the k largest (smallest) values, or the k smallest sampling keys.
//!
//! Each step has a heap of at most k series with the worst on top, so that a state does not grow with the series.

use std::collections::BinaryHeap;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, StructArray, UInt8Array, UInt64Array};
use arrow::datatypes::{DataType, UInt64Type};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use crate::aggregates::groups::Groups;
use crate::aggregates::natives::natives;
use crate::aggregates::quantiles::list_type;
use crate::aggregates::{Call, NullRule, Plan, family};
use crate::columns::{list, retype};
use crate::registry::Registry;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    Largest,
    Smallest,
    /// Of the sampling key.
    Sampled,
}

pub fn register(registry: &mut Registry) {
    for (name, choice) in [
        ("timeSeriesTopKMasks", Choice::Largest),
        ("timeSeriesBottomKMasks", Choice::Smallest),
        ("timeSeriesLimitKMasks", Choice::Sampled),
    ] {
        registry.aggregate(name, family(NullRule::Default, move |call| plan(call, choice)));
    }
}

fn plan(call: &Call<'_>, choice: Choice) -> Result<Plan> {
    let count = if choice == Choice::Sampled { 4 } else { 3 };
    call.arity(count..=count)?;
    let is_unsigned = |kind: &SqlType| matches!(kind.integer_bits(), Some((..=64, false)));
    let of_steps = match &call.kinds[0] {
        SqlType::Array(element) if is_unsigned(element) && !element.is_nullable() => true,
        kind if is_unsigned(kind) => false,
        _ => return Err(call.illegal(0, "an unsigned integer or an array of them, k")),
    };
    if let Some(i) = (1..count - 1).find(|i| call.kinds[*i] != SqlType::UInt64) {
        return Err(call.illegal(i, "UInt64"));
    }
    match &call.kinds[count - 1] {
        SqlType::Array(element) if matches!(element.plain(), SqlType::Float32 | SqlType::Float64) => {}
        _ => return Err(call.illegal(count - 1, "an array of Float32 or Float64, Nullable or not")),
    }
    let series = SqlType::Tuple(vec![
        (Some("key".to_string()), SqlType::UInt64),
        (Some("steps_mask".to_string()), SqlType::array(SqlType::UInt8)),
    ]);
    let result = SqlType::array(series);
    let carrier = result.arrow();
    let k = if of_steps { SqlType::array(SqlType::UInt64) } else { SqlType::UInt64 };
    let mut arguments = vec![k];
    arguments.extend(std::iter::repeat_n(SqlType::UInt64, count - 2));
    arguments.push(SqlType::array(SqlType::Float64.nullable()));
    let state = vec![
        DataType::Boolean,
        list_type(DataType::UInt64),
        list_type(DataType::UInt64),
        list_type(DataType::UInt64),
        list_type(DataType::UInt64),
    ];
    let name = call.name.to_string();
    Ok(Plan::new(result, arguments, state, move || Chosen {
        groups: Vec::new(),
        kept: 0,
        choice,
        name: name.clone(),
        carrier: carrier.clone(),
    }))
}

/// Rank (the smaller, the better) and key of a series.
type Entry = (u64, u64);

/// The best series of every step.
#[derive(Clone, Default)]
struct Steps {
    k: Vec<u64>,
    heaps: Vec<BinaryHeap<Entry>>,
    begun: bool,
}

struct Chosen {
    groups: Vec<Steps>,
    /// Steps and entries of all groups.
    kept: usize,
    choice: Choice,
    name: String,
    carrier: DataType,
}

/// A float as bits that sort as it does; NaN is last.
fn rank(value: f64, largest: bool) -> u64 {
    if value.is_nan() {
        return u64::MAX;
    }
    let bits = (value + 0.0).to_bits();
    let ascending = if bits >> 63 == 0 { bits | 1 << 63 } else { !bits };
    if largest { !ascending } else { ascending }
}

impl Chosen {
    fn bad(&self, text: &str) -> Error {
        Error::new(ErrorCode::BAD_ARGUMENTS, format!("Aggregate function {} requires {text}", self.name))
    }

    /// Makes the steps, or checks that those of another row are the same.
    fn begin(&mut self, group: usize, k: &[u64], of_all: Option<u64>, steps: usize) -> Result<()> {
        if of_all.is_none() && k.len() != steps {
            let text = format!("the `k` array to have the same size as the `values` array, got {} and {steps}", k.len());
            return Err(self.bad(&text));
        }
        let known = &self.groups[group];
        if !known.begun {
            let k = of_all.map_or_else(|| k.to_vec(), |k| vec![k; steps]);
            self.kept += steps;
            self.groups[group] = Steps { k, heaps: vec![BinaryHeap::new(); steps], begun: true };
            return Ok(());
        }
        if known.heaps.len() != steps {
            let text = format!("all `values` arrays to have the same size, got {steps} and {}", known.heaps.len());
            return Err(self.bad(&text));
        }
        let differs = match of_all {
            Some(k) => known.k.iter().any(|known| *known != k),
            None => known.k != k,
        };
        if differs { Err(self.bad("the same `k` for all rows")) } else { Ok(()) }
    }

    fn insert(&mut self, group: usize, step: usize, entry: Entry) {
        let steps = &mut self.groups[group];
        let (k, heap) = (steps.k[step], &mut steps.heaps[step]);
        if (heap.len() as u64) < k {
            heap.push(entry);
            self.kept += 1;
        } else if let Some(mut worst) = heap.peek_mut()
            && entry < *worst
        {
            *worst = entry;
        }
    }
}

impl Groups for Chosen {
    fn resize(&mut self, groups: usize) {
        self.groups.resize(groups, Steps::default());
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let keys = natives::<u64>(&args[1])?;
        let sampling = if self.choice == Choice::Sampled { Some(natives::<u64>(&args[2])?) } else { None };
        let values = args[args.len() - 1].as_list::<i32>();
        for (row, group) in groups.iter().enumerate() {
            let values = values.value(row);
            match args[0].as_list_opt::<i32>() {
                Some(lists) => {
                    let k = lists.value(row);
                    self.begin(*group, k.as_primitive::<UInt64Type>().values(), None, values.len())?;
                }
                None => self.begin(*group, &[], Some(natives::<u64>(&args[0])?[row]), values.len())?,
            }
            let numbers = natives::<f64>(&values)?;
            for (step, number) in numbers.iter().enumerate().filter(|(step, _)| values.is_valid(*step)) {
                let rank = match &sampling {
                    Some(sampling) => sampling[row],
                    None => rank(*number, self.choice == Choice::Largest),
                };
                self.insert(*group, step, (rank, keys[row]));
            }
        }
        Ok(())
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        let groups = &self.groups[..groups];
        let steps: Vec<usize> = groups.iter().map(|steps| steps.k.len()).collect();
        let entries: Vec<usize> = groups.iter().map(|steps| steps.heaps.iter().map(BinaryHeap::len).sum()).collect();
        let column = |values: Vec<u64>, lengths: &[usize]| {
            retype(&list(Arc::new(UInt64Array::from(values)), lengths)?, &list_type(DataType::UInt64))
        };
        let heaps = || groups.iter().flat_map(|steps| &steps.heaps);
        Ok(vec![
            Arc::new(BooleanArray::from(groups.iter().map(|steps| steps.begun).collect::<Vec<_>>())),
            column(groups.iter().flat_map(|steps| steps.k.iter().copied()).collect(), &steps)?,
            column(heaps().map(|heap| heap.len() as u64).collect(), &steps)?,
            column(heaps().flatten().map(|entry| entry.0).collect(), &entries)?,
            column(heaps().flatten().map(|entry| entry.1).collect(), &entries)?,
        ])
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let begun = states[0].as_boolean();
        for (row, group) in groups.iter().enumerate().filter(|(row, _)| begun.value(*row)) {
            let column = |i: usize| states[i].as_list::<i32>().value(row).as_primitive::<UInt64Type>().values().clone();
            let (k, sizes, ranks, keys) = (column(1), column(2), column(3), column(4));
            self.begin(*group, &k, None, sizes.len())?;
            let mut entries = ranks.iter().zip(keys.iter());
            for (step, size) in sizes.iter().enumerate() {
                for (rank, key) in entries.by_ref().take(usize::try_from(*size).unwrap_or(usize::MAX)) {
                    self.insert(*group, step, (*rank, *key));
                }
            }
        }
        Ok(())
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        let (mut keys, mut masks, mut widths, mut lengths) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for steps in &self.groups[..groups] {
            let count = steps.heaps.len();
            let mut chosen: Vec<(u64, usize)> = Vec::new();
            for (step, heap) in steps.heaps.iter().enumerate() {
                chosen.extend(heap.iter().map(|(_, key)| (*key, step)));
            }
            chosen.sort_unstable();
            let before = keys.len();
            for series in chosen.chunk_by(|a, b| a.0 == b.0) {
                keys.push(series[0].0);
                let start = masks.len();
                masks.resize(start + count, 0u8);
                series.iter().for_each(|(_, step)| masks[start + step] = 1);
                widths.push(count);
            }
            lengths.push(keys.len() - before);
        }
        let DataType::List(item) = &self.carrier else { return Err(Error::logical("Series are an array")) };
        let DataType::Struct(fields) = item.data_type() else { return Err(Error::logical("A series is a tuple")) };
        let masks = retype(&list(Arc::new(UInt8Array::from(masks)), &widths)?, fields[1].data_type())?;
        let series = StructArray::try_new(fields.clone(), vec![Arc::new(UInt64Array::from(keys)), masks], None)?;
        retype(&list(Arc::new(series), &lengths)?, &self.carrier)
    }

    fn drop_first(&mut self, groups: usize) {
        let size = |steps: Steps| steps.heaps.iter().map(|heap| 1 + heap.len()).sum::<usize>();
        let gone: usize = self.groups.drain(..groups).map(size).sum();
        self.kept -= gone;
    }

    fn bytes(&self) -> usize {
        self.groups.capacity() * size_of::<Steps>() + self.kept * 32
    }
}
