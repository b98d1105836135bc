//! Quantiles of the values themselves.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, ListArray, UInt64Array};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, Field, UInt64Type};
use gristmill_base::Result;
use gristmill_types::SqlType;

use super::{
    Answer, Call, Levels, Plan, Ranked, Rule, answers, by_native, check_kind, interpolated_type, is_day_or_second, shaped,
};
use crate::aggregates::groups::{Groups, ask_for, ask_for_more};
use crate::aggregates::key_set::FEW;
use crate::aggregates::natives::{column, natives};
use crate::aggregates::random::{Pcg32, SAMPLE_SEED};

/// Values that a sample holds.
const SAMPLE: usize = 8192;

pub fn plan(call: &Call<'_>, levels: Levels, rule: Rule) -> Result<Plan> {
    call.arity(1..=1)?;
    let kind = check_kind(call)?;
    let one = match rule {
        Rule::Inclusive | Rule::Exclusive if is_day_or_second(&kind) => SqlType::Float64,
        Rule::Sampled | Rule::Inclusive | Rule::Exclusive => interpolated_type(&kind),
        Rule::Exact | Rule::Low | Rule::High => call.kinds[0].clone(),
        Rule::BFloat16 if is_day_or_second(&kind) => kind.clone(),
        Rule::BFloat16 => SqlType::Float64,
    };
    let casts = vec![kind.clone()];
    let (carrier, output) = (kind.arrow(), one.arrow());
    let state = vec![list_type(carrier.clone()), DataType::UInt64];
    let limit = if rule == Rule::Sampled { SAMPLE } else { usize::MAX };
    by_native!(
        &carrier,
        N => Ok(Plan::new(levels.result(one), casts, state, move || Quantiles::<N> {
            samples: Vec::new(),
            limit,
            rule,
            levels: levels.clone(),
            carrier: carrier.clone(),
            output: output.clone(),
            values: 0,
        })),
        Err(call.illegal(0, "a number, a date or a time"))
    )
}

pub fn list_type(item: DataType) -> DataType {
    DataType::List(Arc::new(Field::new("item", item, true)))
}

pub fn lists<'a, N: Ranked>(values: impl Iterator<Item = &'a [N]>, carrier: &DataType) -> Result<ArrayRef> {
    let (mut all, mut lengths) = (Vec::new(), Vec::new());
    for values in values {
        all.extend_from_slice(values);
        lengths.push(values.len());
    }
    if all.len() > i32::MAX as usize {
        return Err(crate::columns::too_large(all.len()));
    }
    let item = Arc::new(Field::new("item", carrier.clone(), true));
    Ok(Arc::new(ListArray::try_new(item, OffsetBuffer::from_lengths(lengths), column(all, carrier)?, None)?))
}

/// The values of a group, or a fair sample of them: each value that comes when the sample is full takes a random place with
/// the probability that it has of being in a sample of that size. Numbers are drawn as ClickHouse draws them, so rows that
/// come in the same order give the same sample.
struct Sample<N> {
    values: Vec<N>,
    /// Values that came.
    total: u64,
    random: Pcg32,
}

impl<N: Ranked> Sample<N> {
    const fn new() -> Self {
        Sample { values: Vec::new(), total: 0, random: Pcg32::new(SAMPLE_SEED) }
    }

    #[inline]
    fn add(&mut self, value: N, limit: usize) {
        self.total = self.total.saturating_add(1);
        if self.values.len() < limit {
            self.values.push(value);
            return;
        }
        let place = self.random.below(self.total) as usize;
        if let Some(slot) = self.values.get_mut(place) {
            *slot = value;
        }
    }

    fn merge(&mut self, other: &[N], total: u64, limit: usize) {
        if total == other.len() as u64 {
            other.iter().for_each(|value| self.add(*value, limit));
            return;
        }
        if self.total == self.values.len() as u64 {
            let own = std::mem::replace(&mut self.values, other.to_vec());
            self.total = total;
            own.into_iter().for_each(|value| self.add(value, limit));
            return;
        }
        // Both are samples: values of the other one take places as often as it stands for more values.
        self.total = self.total.saturating_add(total);
        let step = self.total as f64 / total.max(1) as f64;
        if step * 2.0 >= limit as f64 {
            let place = self.random.below(step as u64) as usize;
            if let (Some(slot), Some(value)) = (self.values.get_mut(place), other.get(place)) {
                *slot = *value;
            }
            return;
        }
        let mut place = 0.0;
        while let (Some(slot), Some(value)) = (self.values.get_mut(place as usize), other.get(place as usize)) {
            *slot = *value;
            place += step;
        }
    }
}

struct Quantiles<N> {
    samples: Vec<Sample<N>>,
    limit: usize,
    rule: Rule,
    levels: Levels,
    carrier: DataType,
    output: DataType,
    values: usize,
}

impl<N: Ranked> Quantiles<N> {
    /// Asks for the room of so many values more, where they may all be of one group. Errors: MEMORY_LIMIT_EXCEEDED.
    fn ask_for(&self, more: usize) -> Result<()> {
        match self.samples.as_slice() {
            [one] if self.limit == usize::MAX => ask_for_more(&one.values, more),
            _ => Ok(()),
        }
    }

    fn answer(rule: Rule, values: &mut [N], level: f64) -> Answer<N> {
        let size = values.len();
        if size == 0 {
            return Answer::Float(f64::NAN);
        }
        let scaled = |level: f64| ((level * size as f64) as usize).min(size - 1);
        let nth = match rule {
            Rule::Sampled => return interpolate(values, level * (size - 1) as f64),
            Rule::Inclusive => return between(values, level * (size - 1) as f64 + 1.0),
            Rule::Exclusive => return between(values, level * (size + 1) as f64),
            Rule::Low if level == 0.5 => (size - 1) / 2,
            Rule::High if level == 0.5 => size / 2,
            Rule::BFloat16 => ((level * size as f64).ceil() as usize).clamp(1, size) - 1,
            _ => scaled(level),
        };
        let value = *values.select_nth_unstable_by(nth, N::order).1;
        match rule {
            Rule::BFloat16 => Answer::Float(f64::from(f32::from_bits((value.float() as f32).to_bits() & 0xFFFF_0000))),
            _ => Answer::Value(value),
        }
    }
}

pub fn interpolate<N: Ranked>(values: &mut [N], position: f64) -> Answer<N> {
    let low = (position as usize).min(values.len() - 1);
    let (_, value, above) = values.select_nth_unstable_by(low, N::order);
    let Some(next) = above.iter().copied().min_by(N::order) else {
        return Answer::Float(value.float());
    };
    let low = low as f64;
    Answer::Float(value.float() * (low + 1.0 - position) + next.float() * (position - low))
}

/// The value at a place that is counted from 1, or between two places. As `interpolate`, rounded as ClickHouse rounds it.
fn between<N: Ranked>(values: &mut [N], place: f64) -> Answer<N> {
    let whole = (place as usize).clamp(1, values.len());
    let (_, value, above) = values.select_nth_unstable_by(whole - 1, N::order);
    match above.iter().copied().min_by(N::order) {
        Some(next) if place >= 1.0 => Answer::Float(value.float() + (place - whole as f64) * value.rise_to(next)),
        _ => Answer::Float(value.float()),
    }
}

impl<N: Ranked> Groups for Quantiles<N> {
    fn resize(&mut self, groups: usize) {
        self.samples.resize_with(groups, Sample::new);
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        self.ask_for(groups.len())?;
        for (value, group) in natives::<N>(&args[0])?.iter().zip(groups) {
            if !value.is_nan() {
                self.samples[*group].add(*value, self.limit);
            }
        }
        self.values += groups.len();
        Ok(())
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        let samples = &self.samples[..groups];
        if let [one] = samples {
            ask_for(size_of_val(one.values.as_slice()))?;
        }
        let totals = UInt64Array::from_iter_values(samples.iter().map(|sample| sample.total));
        Ok(vec![lists(samples.iter().map(|sample| sample.values.as_slice()), &self.carrier)?, Arc::new(totals)])
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let (lists, totals) = (states[0].as_list::<i32>(), states[1].as_primitive::<UInt64Type>());
        let values = natives::<N>(lists.values())?;
        for (row, group) in groups.iter().enumerate() {
            let (start, end) = (lists.offsets()[row] as usize, lists.offsets()[row + 1] as usize);
            self.ask_for(end - start)?;
            self.samples[*group].merge(&values[start..end], totals.value(row), self.limit);
            self.values += end - start;
        }
        Ok(())
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        let levels = &self.levels.levels;
        let mut found = Vec::with_capacity(groups * levels.len());
        for sample in &mut self.samples[..groups] {
            found.extend(levels.iter().map(|level| Self::answer(self.rule, &mut sample.values, *level)));
        }
        shaped(answers(&found, &self.output)?, &self.levels, groups)
    }

    fn drop_first(&mut self, groups: usize) {
        let gone: usize = self.samples.drain(..groups).map(|sample| sample.values.len()).sum();
        self.values = self.values.saturating_sub(gone);
    }

    fn bytes(&self) -> usize {
        let values: usize = match self.samples.as_slice() {
            few if few.len() <= FEW => few.iter().map(|sample| sample.values.capacity()).sum(),
            // On average a buffer that doubles is three quarters full, and small ones less.
            many => self.values.min(self.limit.saturating_mul(many.len())) * 3 / 2,
        };
        self.samples.capacity() * size_of::<Sample<N>>() + values * size_of::<N>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What ClickHouse gives for a level of 0.3.
    #[test]
    fn samples_are_those_of_clickhouse() {
        for (values, expected) in [(8193_u64, 2_458.299_999_999_999_7), (100_000, 30_145.299_999_999_996)] {
            let mut sample = Sample::new();
            (0..values).for_each(|value| sample.add(value, SAMPLE));
            let Answer::Float(found) = Quantiles::answer(Rule::Sampled, &mut sample.values, 0.3) else {
                panic!("it is interpolated")
            };
            assert!((found - expected).abs() < 1e-9, "{found} of {values} values");
        }
    }
}
