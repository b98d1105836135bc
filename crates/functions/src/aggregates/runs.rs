//! Functions of values in the order they come: `deltaSum`, `deltaSumTimestamp`, `groupArrayMovingSum`,
//! `groupArrayMovingAvg`; and `groupArrayIntersect`.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, ListArray};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{ArrowNativeType, DataType, i256};
use arrow::row::{RowConverter, SortField};
use gristmill_base::{Error, Result};
use gristmill_types::SqlType;
use hashbrown::HashSet;

use super::collected::{Finish, collected};
use super::groups::Groups;
use super::natives::{column, natives};
use super::sums::{Addend, Wide, sum_type};
use super::{Call, NullRule, Plan, family};
use crate::columns::retype;
use crate::define::bad_argument;
use crate::registry::Registry;

pub fn register(registry: &mut Registry) {
    registry.aggregate("deltaSum", family(NullRule::Default, |call| delta(call, false)));
    registry.aggregate("deltaSumTimestamp", family(NullRule::Default, |call| delta(call, true)));
    registry.aggregate("groupArrayMovingSum", family(NullRule::Default, |call| moving(call, false)));
    registry.aggregate("groupArrayMovingAvg", family(NullRule::Default, |call| moving(call, true)));
    registry.aggregate("groupArrayIntersect", family(NullRule::Default, intersect));
}

fn delta(call: &Call<'_>, timed: bool) -> Result<Plan> {
    let arguments = if timed { 2 } else { 1 };
    call.arity(arguments..=arguments)?;
    let kind = call.kinds[0].bool_as_integer();
    let mut casts = vec![kind.clone()];
    if timed {
        let time = &call.kinds[1];
        if !(time.is_integer() || time.is_float() || time.is_date_or_time()) {
            return Err(call.illegal(1, "a number, a date or a time"));
        }
        casts.push(time.clone());
    }
    macro_rules! by_kind {
        ($($kind:ident: $native:ty),*) => {
            match &kind {
                $(SqlType::$kind => {
                    let carrier = kind.arrow();
                    let state = vec![carrier.clone(), carrier.clone(), carrier.clone(), DataType::Float64, DataType::Float64, DataType::Boolean];
                    Ok(Plan::new(kind.clone(), casts, state, move || Delta::<$native> {
                        runs: Vec::new(),
                        subtract: |a, b| <$native as DeltaValue>::minus(a, b),
                        add: |a, b| <$native as DeltaValue>::plus(a, b),
                        kind: carrier.clone(),
                    }))
                })*
                _ => Err(call.illegal(0, "an integer or a float")),
            }
        };
    }
    by_kind!(
        UInt8: u8, UInt16: u16, UInt32: u32, UInt64: u64, UInt128: i256, UInt256: i256,
        Int8: i8, Int16: i16, Int32: i32, Int64: i64, Int128: i256, Int256: i256, Float32: f32, Float64: f64
    )
}

trait DeltaValue: ArrowNativeType + PartialOrd {
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
}

macro_rules! delta_value {
    ($plus:ident $minus:ident: $($native:ty),*) => {
        $(impl DeltaValue for $native {
            fn plus(self, other: Self) -> Self { self.$plus(other) }
            fn minus(self, other: Self) -> Self { self.$minus(other) }
        })*
    };
}
delta_value!(wrapping_add wrapping_sub: u8, u16, u32, u64, i8, i16, i32, i64, i256);

impl DeltaValue for f32 {
    fn plus(self, other: Self) -> Self {
        self + other
    }
    fn minus(self, other: Self) -> Self {
        self - other
    }
}

impl DeltaValue for f64 {
    fn plus(self, other: Self) -> Self {
        self + other
    }
    fn minus(self, other: Self) -> Self {
        self - other
    }
}

/// What rose between the first and the last value of a run, falls left out.
#[derive(Clone, Copy)]
struct Run<N> {
    sum: N,
    first: N,
    last: N,
    /// Times of the first and the last value; equal where there are no times.
    first_time: f64,
    last_time: f64,
}

struct Delta<N> {
    runs: Vec<Option<Run<N>>>,
    subtract: fn(N, N) -> N,
    add: fn(N, N) -> N,
    kind: DataType,
}

impl<N: ArrowNativeType + PartialOrd> Delta<N> {
    fn join(&mut self, group: usize, other: Run<N>) {
        let Some(run) = &mut self.runs[group] else {
            self.runs[group] = Some(other);
            return;
        };
        // Runs with times are joined in their order.
        let (early, late) = if other.last_time < run.first_time { (other, *run) } else { (*run, other) };
        let rise = if late.first > early.last { (self.subtract)(late.first, early.last) } else { N::default() };
        *run = Run {
            sum: (self.add)((self.add)(early.sum, late.sum), rise),
            first: early.first,
            last: late.last,
            first_time: early.first_time,
            last_time: late.last_time,
        };
    }
}

impl<N: ArrowNativeType + PartialOrd> Groups for Delta<N> {
    fn resize(&mut self, groups: usize) {
        self.runs.resize(groups, None);
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let values = natives::<N>(&args[0])?;
        let times = match args.get(1) {
            Some(times) => {
                let numbers = arrow::compute::cast(times, &DataType::Int64)
                    .or_else(|_| arrow::compute::cast(times, &DataType::Float64))?;
                Some(natives::<f64>(&arrow::compute::cast(&numbers, &DataType::Float64)?)?)
            }
            None => None,
        };
        for (row, (value, group)) in values.iter().zip(groups).enumerate() {
            let time = times.as_ref().map_or(0.0, |times| times[row]);
            let sum = N::default();
            self.join(*group, Run { sum, first: *value, last: *value, first_time: time, last_time: time });
        }
        Ok(())
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        let zero = N::default();
        let empty = Run { sum: zero, first: zero, last: zero, first_time: 0.0, last_time: 0.0 };
        let runs: Vec<Run<N>> = self.runs[..groups].iter().map(|run| run.unwrap_or(empty)).collect();
        let present: Vec<bool> = self.runs[..groups].iter().map(Option::is_some).collect();
        Ok(vec![
            column(runs.iter().map(|run| run.sum).collect::<Vec<N>>(), &self.kind)?,
            column(runs.iter().map(|run| run.first).collect::<Vec<N>>(), &self.kind)?,
            column(runs.iter().map(|run| run.last).collect::<Vec<N>>(), &self.kind)?,
            column(runs.iter().map(|run| run.first_time).collect::<Vec<f64>>(), &DataType::Float64)?,
            column(runs.iter().map(|run| run.last_time).collect::<Vec<f64>>(), &DataType::Float64)?,
            Arc::new(BooleanArray::from(present)),
        ])
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let (sums, firsts, lasts) = (natives::<N>(&states[0])?, natives::<N>(&states[1])?, natives::<N>(&states[2])?);
        let (starts, ends) = (natives::<f64>(&states[3])?, natives::<f64>(&states[4])?);
        let present = states[5].as_boolean();
        for (row, group) in groups.iter().enumerate().filter(|(row, _)| present.value(*row)) {
            let run =
                Run { sum: sums[row], first: firsts[row], last: lasts[row], first_time: starts[row], last_time: ends[row] };
            self.join(*group, run);
        }
        Ok(())
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        let sums = self.runs[..groups].iter().map(|run| run.map_or(N::default(), |run| run.sum));
        column(sums.collect::<Vec<N>>(), &self.kind)
    }

    fn drop_first(&mut self, groups: usize) {
        self.runs.drain(..groups);
    }

    fn bytes(&self) -> usize {
        self.runs.capacity() * size_of::<Option<Run<N>>>()
    }
}

/// Sums (or averages) of the last values at each place: of `window` of them, or of all so far.
fn moving(call: &Call<'_>, average: bool) -> Result<Plan> {
    call.arity(1..=1)?;
    let kind = call.kinds[0].enum_as_integer();
    let Some(total) = sum_type(&kind) else {
        return Err(call.illegal(0, "a number"));
    };
    let window = call.size(0)?;
    if window == Some(0) {
        return Err(bad_argument(call.name, "the window must be of one value or more"));
    }
    let is_decimal = matches!(kind, SqlType::Decimal { .. });
    let one = if average && !is_decimal { SqlType::Float64 } else { total };
    let result = SqlType::array(one.clone());
    let carrier = result.arrow();
    let item = one.arrow();
    let finish: Finish = Arc::new(move |list| {
        let width = window;
        let window = window.unwrap_or(usize::MAX);
        let values = arrow::compute::cast(list.values(), &item)?;
        let sums: ArrayRef = match &item {
            DataType::UInt64 => column(sliding(&list, &natives::<u64>(&values)?, window), &item)?,
            DataType::Int64 => column(sliding(&list, &natives::<i64>(&values)?, window), &item)?,
            DataType::Decimal128(..) => {
                let sums = sliding(&list, &natives::<i128>(&values)?, window);
                let counts = average.then(|| counts(&list, width));
                column(parted(sums, counts, |sum, count| sum / count as i128), &item)?
            }
            DataType::Decimal256(..) => {
                let sums = sliding(&list, &natives::<i256>(&values)?, window);
                let counts = average.then(|| counts(&list, width));
                column(parted(sums, counts, |sum, count| sum.wrapping_div(i256::from_i128(count as i128))), &item)?
            }
            _ => {
                let sums = sliding(&list, &natives::<f64>(&values)?, window);
                let counts = average.then(|| counts(&list, width));
                column(parted(sums, counts, |sum, count| sum / count as f64), &DataType::Float64)?
            }
        };
        let list: ArrayRef = Arc::new(ListArray::try_new(
            Arc::new(arrow::datatypes::Field::new("item", sums.data_type().clone(), false)),
            list.offsets().clone(),
            sums,
            None,
        )?);
        retype(&list, &carrier)
    });
    Ok(collected(result, vec![kind.clone()], vec![kind], usize::MAX, false, finish))
}

/// What each sum of a list is divided by: the window even where fewer values came before, as ClickHouse has it.
fn counts(list: &ListArray, window: Option<usize>) -> Vec<usize> {
    let lists = list.offsets().windows(2).flat_map(|pair| {
        let length = (pair[1] - pair[0]) as usize;
        std::iter::repeat_n(window.unwrap_or(length), length)
    });
    lists.collect()
}

fn parted<N: Copy>(sums: Vec<N>, counts: Option<Vec<usize>>, part: impl Fn(N, usize) -> N) -> Vec<N> {
    match counts {
        Some(counts) => sums.into_iter().zip(counts).map(|(sum, count)| part(sum, count)).collect(),
        None => sums,
    }
}

fn sliding<N: Addend<Wide = N> + Wide>(list: &ListArray, values: &[N], window: usize) -> Vec<N> {
    let mut sums = Vec::with_capacity(values.len());
    for pair in list.offsets().windows(2) {
        let mut sum = N::default();
        for row in pair[0] as usize..pair[1] as usize {
            sum = sum.plus(values[row]);
            if row - pair[0] as usize >= window {
                sum = sum.minus(values[row - window]);
            }
            sums.push(sum);
        }
    }
    sums
}

fn intersect(call: &Call<'_>) -> Result<Plan> {
    call.arity(1..=1)?;
    let SqlType::Array(element) = call.kinds[0].clone() else { return Err(call.illegal(0, "an array")) };
    let kind = SqlType::Array(element.clone());
    let element = element.arrow();
    RowConverter::new(vec![SortField::new(element.clone())])?;
    let finish: Finish = Arc::new(move |list| {
        let converter = RowConverter::new(vec![SortField::new(element.clone())])?;
        let arrays = list.values().as_list::<i32>();
        let rows = converter.convert_columns(std::slice::from_ref(arrays.values()))?;
        let (mut chosen, mut lengths) = (Vec::new(), Vec::with_capacity(list.len()));
        for group in list.offsets().windows(2) {
            let mut common: Option<HashSet<&[u8]>> = None;
            let mut first = 0..0;
            for array in group[0] as usize..group[1] as usize {
                let elements = arrays.offsets()[array] as usize..arrays.offsets()[array + 1] as usize;
                let set: HashSet<&[u8]> = elements.clone().map(|at| rows.row(at).data()).collect();
                common = Some(match common {
                    None => {
                        first = elements;
                        set
                    }
                    Some(known) => known.intersection(&set).copied().collect(),
                });
            }
            let mut common = common.unwrap_or_default();
            let before = chosen.len();
            chosen.extend(first.filter(|at| common.remove(rows.row(*at).data())).map(|at| at as u64));
            lengths.push(chosen.len() - before);
        }
        let values = arrow::compute::take(arrays.values(), &arrow::array::UInt64Array::from(chosen), None)?;
        let DataType::List(item) = arrays.data_type() else { return Err(Error::logical("An array is a list")) };
        Ok(Arc::new(ListArray::try_new(item.clone(), OffsetBuffer::from_lengths(lengths), values, None)?))
    });
    Ok(collected(kind.clone(), vec![kind.clone()], vec![kind], usize::MAX, false, finish))
}
