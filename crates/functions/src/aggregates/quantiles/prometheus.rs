//! `quantilePrometheusHistogram(level)(bound, count)`: quantiles of a histogram whose counts are added up: each bucket has
//! the values up to its bound, and the last bound is infinite. Within a bucket values are taken to lie evenly.
//!
//! Kept is the sum of the counts of every bound. Integer counts are summed as such.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, Float32Array, Float64Array};
use arrow::datatypes::{ArrowNativeType, DataType};
use gristmill_base::Result;
use gristmill_types::SqlType;

use super::{Levels, list_type, shaped};
use crate::aggregates::combinators::array::flatten;
use crate::aggregates::groups::Groups;
use crate::aggregates::natives::{column, natives};
use crate::aggregates::{Call, Plan};
use crate::columns::{list, retype};

pub fn plan(call: &Call<'_>, levels: Levels) -> Result<Plan> {
    call.arity(2..=2)?;
    let bound = match &call.kinds[0] {
        kind @ (SqlType::Float32 | SqlType::Float64) => kind.clone(),
        _ => return Err(call.illegal(0, "Float32 or Float64, the bound of a bucket")),
    };
    let result = levels.result(bound.clone());
    let narrow = bound == SqlType::Float32;
    let count = match &call.kinds[1] {
        SqlType::Float32 | SqlType::Float64 => SqlType::Float64,
        kind if matches!(kind.integer_bits(), Some((..=64, false))) => SqlType::UInt64,
        _ => return Err(call.illegal(1, "an unsigned integer or a float, the count of a bucket")),
    };
    let (arguments, state) =
        (vec![SqlType::Float64, count.clone()], vec![list_type(DataType::Float64), list_type(count.arrow())]);
    Ok(if count == SqlType::Float64 {
        Plan::new(result, arguments, state, move || Buckets::<f64>::new(levels.clone(), narrow))
    } else {
        Plan::new(result, arguments, state, move || Buckets::<u64>::new(levels.clone(), narrow))
    })
}

trait Count: ArrowNativeType {
    const KIND: DataType;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn float(self) -> f64;
}

impl Count for f64 {
    const KIND: DataType = DataType::Float64;
    fn plus(self, other: Self) -> Self {
        self + other
    }
    fn minus(self, other: Self) -> Self {
        self - other
    }
    fn float(self) -> f64 {
        self
    }
}

impl Count for u64 {
    const KIND: DataType = DataType::UInt64;
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
    fn minus(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }
    fn float(self) -> f64 {
        self as f64
    }
}

/// A bound as a key, in the order of floats. There is no NaN.
#[derive(Clone, Copy, PartialEq)]
struct Bound(f64);

impl Eq for Bound {}

impl PartialOrd for Bound {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Bound {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

struct Buckets<N> {
    groups: Vec<BTreeMap<Bound, N>>,
    /// Of all groups.
    buckets: usize,
    levels: Levels,
    /// Bounds and results are Float32.
    narrow: bool,
}

impl<N: Count> Buckets<N> {
    fn new(levels: Levels, narrow: bool) -> Self {
        Buckets { groups: Vec::new(), buckets: 0, levels, narrow }
    }

    fn add(&mut self, group: usize, bound: f64, count: N) {
        if bound.is_nan() {
            return;
        }
        // Zero has one bucket, whatever its sign.
        let sum = self.groups[group].entry(Bound(bound + 0.0)).or_insert_with(|| {
            self.buckets += 1;
            N::default()
        });
        *sum = sum.plus(count);
    }

    fn rounded(&self, value: f64) -> f64 {
        if self.narrow { f64::from(value as f32) } else { value }
    }

    fn quantile(&self, buckets: &[(f64, N)], level: f64) -> f64 {
        let Some((last, total)) = buckets.last() else { return 0.0 };
        if buckets.len() < 2 || *last != f64::INFINITY {
            return f64::NAN;
        }
        let position = total.float() * level;
        let at = buckets.partition_point(|(_, count)| count.float() < position);
        let value = match at.checked_sub(1) {
            None => match buckets[0] {
                (bound, count) if bound > 0.0 => bound * (position / count.float()),
                (bound, _) => bound,
            },
            // What lies above the last finite bound is not known.
            Some(_) if at >= buckets.len() - 1 => buckets[buckets.len() - 2].0,
            Some(below) => {
                let ((low, before), (high, count)) = (buckets[below], buckets[at]);
                let width = self.rounded(high - low);
                low + width * (position - before.float()) / count.minus(before).float()
            }
        };
        self.rounded(value)
    }
}

impl<N: Count> Groups for Buckets<N> {
    fn resize(&mut self, groups: usize) {
        self.groups.resize_with(groups, BTreeMap::new);
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let (bounds, counts) = (natives::<f64>(&args[0])?, natives::<N>(&args[1])?);
        for ((bound, count), group) in bounds.iter().zip(counts.iter()).zip(groups) {
            self.add(*group, *bound, *count);
        }
        Ok(())
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        let groups = &self.groups[..groups];
        let lengths: Vec<usize> = groups.iter().map(BTreeMap::len).collect();
        let bounds = Float64Array::from_iter_values(groups.iter().flat_map(|buckets| buckets.keys().map(|bound| bound.0)));
        let counts = column(groups.iter().flat_map(|buckets| buckets.values().copied()).collect::<Vec<N>>(), &N::KIND)?;
        Ok(vec![
            retype(&list(Arc::new(bounds), &lengths)?, &list_type(DataType::Float64))?,
            retype(&list(counts, &lengths)?, &list_type(N::KIND))?,
        ])
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let flat = flatten(states)?;
        let (bounds, counts) = (natives::<f64>(&flat.columns[0])?, natives::<N>(&flat.columns[1])?);
        for (i, row) in flat.rows.iter().enumerate() {
            self.add(groups[*row], bounds[i], counts[i]);
        }
        Ok(())
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        let mut values = Vec::with_capacity(groups * self.levels.levels.len());
        for buckets in &self.groups[..groups] {
            let buckets: Vec<(f64, N)> = buckets.iter().map(|(bound, count)| (bound.0, *count)).collect();
            values.extend(self.levels.levels.iter().map(|level| self.quantile(&buckets, *level)));
        }
        let values: ArrayRef = if self.narrow {
            Arc::new(Float32Array::from_iter_values(values.into_iter().map(|value| value as f32)))
        } else {
            Arc::new(Float64Array::from(values))
        };
        shaped(values, &self.levels, groups)
    }

    fn drop_first(&mut self, groups: usize) {
        let gone: usize = self.groups.drain(..groups).map(|buckets| buckets.len()).sum();
        self.buckets -= gone;
    }

    fn bytes(&self) -> usize {
        self.groups.capacity() * size_of::<BTreeMap<Bound, N>>() + self.buckets * 32
    }
}
