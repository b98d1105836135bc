//! Quantiles of values that each count as often as their weight says.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::DataType;
use gristmill_base::Result;
use gristmill_types::SqlType;

use super::values::{list_type, lists};
use super::{
    Answer, Call, Levels, Plan, Ranked, Weighting, answers, between, by_native, check_kind, check_weight, interpolated_type,
    is_day_or_second, shaped,
};
use crate::aggregates::groups::{Groups, ask_for_more};
use crate::aggregates::key_set::FEW;
use crate::aggregates::natives::natives;

pub fn plan(call: &Call<'_>, levels: Levels, weighting: Weighting) -> Result<Plan> {
    call.arity(2..=2)?;
    check_weight(call)?;
    let kind = check_kind(call)?;
    let one = match weighting {
        Weighting::Exact | Weighting::Interpolated => call.kinds[0].clone(),
        Weighting::ExactInterpolated => interpolated_type(&kind),
        Weighting::BFloat16 if is_day_or_second(&kind) => kind.clone(),
        Weighting::BFloat16 => SqlType::Float64,
    };
    let casts = vec![kind.clone(), SqlType::UInt64];
    let (carrier, output) = (kind.arrow(), one.arrow());
    let state = vec![list_type(carrier.clone()), list_type(DataType::UInt64)];
    by_native!(
        &carrier,
        N => Ok(Plan::new(levels.result(one), casts, state, move || Weighted::<N> {
            groups: Vec::new(),
            weighting,
            levels: levels.clone(),
            carrier: carrier.clone(),
            output: output.clone(),
            values: 0,
        })),
        Err(call.illegal(0, "a number, a date or a time"))
    )
}

struct Weighted<N> {
    groups: Vec<Vec<(N, u64)>>,
    weighting: Weighting,
    levels: Levels,
    carrier: DataType,
    output: DataType,
    values: usize,
}

impl<N: Ranked> Weighted<N> {
    /// `values` are in order, each once.
    fn answer(weighting: Weighting, values: &[(N, u64)], level: f64) -> Answer<N> {
        let Some((last, _)) = values.last().copied() else {
            return Answer::Float(f64::NAN);
        };
        let total: u128 = values.iter().map(|(_, weight)| u128::from(*weight)).sum();
        if total == 0 && weighting == Weighting::ExactInterpolated {
            return Answer::Float(f64::NAN);
        }
        match weighting {
            Weighting::Exact | Weighting::BFloat16 => {
                let wanted = (level * total as f64).ceil();
                let value = first(values, |before, weight| (before + weight) as f64 >= wanted).unwrap_or(last);
                match weighting {
                    Weighting::Exact => Answer::Value(value),
                    _ => Answer::Float(f64::from(f32::from_bits((value.float() as f32).to_bits() & 0xFFFF_0000))),
                }
            }
            // The place of a value is the middle of its share of the whole.
            Weighting::Interpolated => {
                let mut before = 0u128;
                let mut previous: Option<(f64, N)> = None;
                for (value, weight) in values {
                    let place = (before as f64 + *weight as f64 / 2.0) / total as f64;
                    if place >= level {
                        return match previous {
                            Some((start, low)) if place > start => {
                                let rise = value.float() - low.float();
                                Answer::Float(low.float() + rise / (place - start) * (level - start))
                            }
                            _ => Answer::Value(*value),
                        };
                    }
                    previous = Some((place, *value));
                    before += u128::from(*weight);
                }
                Answer::Value(last)
            }
            Weighting::ExactInterpolated => {
                let position = level * total.saturating_sub(1) as f64;
                let low = position.floor();
                let at = |wanted: f64| first(values, |before, weight| (before + weight) as f64 > wanted).unwrap_or(last);
                Answer::Float(between(at(low), at(low + 1.0), position - low))
            }
        }
    }
}

/// The first value for which the sum of the weights before it, and its own, are enough.
fn first<N: Copy>(values: &[(N, u64)], enough: impl Fn(u128, u128) -> bool) -> Option<N> {
    let mut before = 0u128;
    for (value, weight) in values {
        if enough(before, u128::from(*weight)) {
            return Some(*value);
        }
        before += u128::from(*weight);
    }
    None
}

impl<N: Ranked> Groups for Weighted<N> {
    fn resize(&mut self, groups: usize) {
        self.groups.resize_with(groups, Vec::new);
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let (values, weights) = (natives::<N>(&args[0])?, natives::<u64>(&args[1])?);
        if let [one] = self.groups.as_slice() {
            ask_for_more(one, groups.len())?;
        }
        for ((value, weight), group) in values.iter().zip(weights.iter()).zip(groups) {
            if !value.is_nan() {
                self.groups[*group].push((*value, *weight));
            }
        }
        self.values += groups.len();
        Ok(())
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        let pairs = &self.groups[..groups];
        let values: Vec<Vec<N>> = pairs.iter().map(|pairs| pairs.iter().map(|pair| pair.0).collect()).collect();
        let weights: Vec<Vec<u64>> = pairs.iter().map(|pairs| pairs.iter().map(|pair| pair.1).collect()).collect();
        Ok(vec![
            lists(values.iter().map(Vec::as_slice), &self.carrier)?,
            lists(weights.iter().map(Vec::as_slice), &DataType::UInt64)?,
        ])
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let (values, weights) = (states[0].as_list::<i32>(), states[1].as_list::<i32>());
        for (row, group) in groups.iter().enumerate() {
            let args = [values.value(row), weights.value(row)];
            self.update(&args, &vec![*group; args[0].len()])?;
        }
        Ok(())
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        let levels = &self.levels.levels;
        let mut found = Vec::with_capacity(groups * levels.len());
        for pairs in &mut self.groups[..groups] {
            pairs.sort_unstable_by(|a, b| a.0.order(&b.0));
            pairs.dedup_by(|next, first| {
                let equal = next.0 == first.0;
                first.1 = if equal { first.1.saturating_add(next.1) } else { first.1 };
                equal
            });
            found.extend(levels.iter().map(|level| Self::answer(self.weighting, pairs, *level)));
        }
        shaped(answers(&found, &self.output)?, &self.levels, groups)
    }

    fn drop_first(&mut self, groups: usize) {
        let gone: usize = self.groups.drain(..groups).map(|pairs| pairs.len()).sum();
        self.values = self.values.saturating_sub(gone);
    }

    fn bytes(&self) -> usize {
        let pairs: usize = match self.groups.as_slice() {
            few if few.len() <= FEW => few.iter().map(Vec::capacity).sum(),
            _ => self.values * 3 / 2,
        };
        self.groups.capacity() * size_of::<Vec<(N, u64)>>() + pairs * size_of::<(N, u64)>()
    }
}
