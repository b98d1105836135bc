//! `analysisOfVariance` (`anova`): whether the means of several groups of values differ more than the values within them.
//!
//! Kept for each group of values, which is known by its number: sum, sum of squares, and size.

use arrow::array::{ArrayRef, Float64Array, UInt64Array};
use arrow::datatypes::DataType;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use std::sync::Arc;

use super::distributions::fisher;
use super::probability;
use super::ranks::{named_pair, named_pairs};
use crate::aggregates::combinators::array::flatten;
use crate::aggregates::groups::Groups;
use crate::aggregates::natives::natives;
use crate::aggregates::quantiles::list_type;
use crate::aggregates::{Call, NullRule, Plan, family};
use crate::columns::{list, retype};
use crate::registry::Registry;

const NUMBERS_MAX: u64 = 1 << 20;

pub fn register(registry: &mut Registry) {
    registry.aggregate("analysisOfVariance", family(NullRule::Nullable, plan));
    registry.any_case("analysisOfVariance");
    registry.alias("anova", "analysisOfVariance");
    registry.any_case("anova");
}

fn bad(text: impl Into<String>) -> Error {
    Error::new(ErrorCode::BAD_ARGUMENTS, text.into())
}

fn plan(call: &Call<'_>) -> Result<Plan> {
    call.arity(2..=2)?;
    if !call.kinds[0].is_number() {
        return Err(bad(format!("Aggregate function {} only supports numbers, not {}", call.name, call.kinds[0])));
    }
    if !matches!(call.kinds[1].bool_as_integer().integer_bits(), Some((..=64, false))) {
        let text = format!(
            "The second argument of aggregate function {} should be an unsigned integer, not {}",
            call.name, call.kinds[1]
        );
        return Err(bad(text));
    }
    let result = named_pair("f_statistic");
    let carrier = result.arrow();
    let state = vec![list_type(DataType::Float64), list_type(DataType::Float64), list_type(DataType::UInt64)];
    Ok(Plan::new(result, vec![SqlType::Float64, SqlType::UInt64], state, move || Variances {
        groups: Vec::new(),
        numbers: 0,
        carrier: carrier.clone(),
    }))
}

#[derive(Clone, Copy, Default)]
struct Values {
    sum: f64,
    squares: f64,
    size: u64,
}

impl Values {
    fn mean(self) -> f64 {
        self.sum / self.size as f64
    }
}

struct Variances {
    /// By the number of the group of values.
    groups: Vec<Vec<Values>>,
    /// Of all groups.
    numbers: usize,
    carrier: DataType,
}

impl Variances {
    fn add(&mut self, group: usize, number: u64, added: Values) -> Result<()> {
        if number >= NUMBERS_MAX {
            let text = format!(
                "Too many groups for analysis of variance (should be no more than {NUMBERS_MAX}, got {})",
                number.saturating_add(1)
            );
            return Err(bad(text));
        }
        let known = &mut self.groups[group];
        if known.len() <= number as usize {
            self.numbers += number as usize + 1 - known.len();
            known.resize(number as usize + 1, Values::default());
        }
        let values = &mut known[number as usize];
        values.sum += added.sum;
        values.squares += added.squares;
        values.size += added.size;
        Ok(())
    }
}

impl Groups for Variances {
    fn resize(&mut self, groups: usize) {
        self.groups.resize_with(groups, Vec::new);
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let (values, numbers) = (natives::<f64>(&args[0])?, natives::<u64>(&args[1])?);
        for ((value, number), group) in values.iter().zip(numbers.iter()).zip(groups) {
            self.add(*group, *number, Values { sum: *value, squares: value * value, size: 1 })?;
        }
        Ok(())
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        let groups = &self.groups[..groups];
        let lengths: Vec<usize> = groups.iter().map(Vec::len).collect();
        let all = || groups.iter().flatten();
        let columns: [(ArrayRef, DataType); 3] = [
            (Arc::new(Float64Array::from_iter_values(all().map(|values| values.sum))), DataType::Float64),
            (Arc::new(Float64Array::from_iter_values(all().map(|values| values.squares))), DataType::Float64),
            (Arc::new(UInt64Array::from_iter_values(all().map(|values| values.size))), DataType::UInt64),
        ];
        columns.into_iter().map(|(values, kind)| retype(&list(values, &lengths)?, &list_type(kind))).collect()
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let flat = flatten(states)?;
        let (sums, squares) = (natives::<f64>(&flat.columns[0])?, natives::<f64>(&flat.columns[1])?);
        let sizes = natives::<u64>(&flat.columns[2])?;
        for (i, (row, place)) in flat.rows.iter().zip(&flat.places).enumerate() {
            let added = Values { sum: sums[i], squares: squares[i], size: sizes[i] };
            self.add(groups[*row], *place as u64, added)?;
        }
        Ok(())
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        let judged = self.groups[..groups].iter().map(|values| judge(values)).collect::<Result<Vec<_>>>()?;
        named_pairs(&judged, &self.carrier)
    }

    fn drop_first(&mut self, groups: usize) {
        let gone: usize = self.groups.drain(..groups).map(|values| values.len()).sum();
        self.numbers -= gone;
    }

    fn bytes(&self) -> usize {
        self.groups.capacity() * size_of::<Vec<Values>>() + self.numbers * size_of::<Values>() * 3 / 2
    }
}

fn judge(groups: &[Values]) -> Result<(f64, f64)> {
    let count = groups.len();
    let size: u64 = groups.iter().map(|values| values.size).sum();
    if count == 1 {
        return Err(bad("There should be more than one group to calculate f-statistics"));
    }
    if count as u64 == size {
        return Err(bad("There is only one observation in each group"));
    }
    if let Some(number) = groups.iter().position(|values| values.size == 0) {
        return Err(bad(format!("There is no observations for group {number}")));
    }
    let mean = groups.iter().map(|values| values.sum).sum::<f64>() / size as f64;
    let between: f64 = groups.iter().map(|values| values.size as f64 * (values.mean() - mean).powi(2)).sum();
    let within: f64 = groups
        .iter()
        .map(|values| {
            let mean = values.mean();
            values.squares + values.size as f64 * mean * mean - 2.0 * mean * values.sum
        })
        .sum();
    let degrees = ((count - 1) as f64, (size - count as u64) as f64);
    let statistic = between * degrees.1 / (within * degrees.0);
    if !statistic.is_finite() {
        return Ok((f64::NAN, f64::NAN));
    }
    Ok((statistic, probability(1.0 - fisher(degrees.0, degrees.1, statistic))))
}
