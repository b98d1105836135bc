//! `avg` of dates and times: one of their own type. It is the one nearest to the average, of two that are as near the even
//! one, as a float of the same value is rounded.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{ArrayRef, AsArray, UInt64Array};
use arrow::datatypes::{DataType, UInt64Type};
use gristmill_base::Result;
use gristmill_types::SqlType;

use super::Plan;
use super::few_groups::add_up;
use super::groups::Groups;
use super::natives::{column, natives};

/// The average of values of this type; `None` where they are no dates or times.
pub fn plan(kind: &SqlType) -> Option<Plan> {
    let total = match kind {
        T::Date | T::DateTime(_) => T::UInt64,
        T::Date32 | T::Time => T::Int64,
        // As many nanoseconds as a few values have do not fit into 64 bits.
        T::DateTime64(..) | T::Time64(_) => T::Decimal { precision: 38, scale: 0 },
        _ => return None,
    };
    let (total, result) = (total.arrow(), kind.arrow());
    let state = vec![total.clone(), DataType::UInt64];
    Some(Plan::new(kind.clone(), vec![kind.clone()], state, move || Averages {
        sums: Vec::new(),
        counts: Vec::new(),
        total: total.clone(),
        result: result.clone(),
    }))
}

struct Averages {
    /// Of days, seconds, or what a type counts in.
    sums: Vec<i128>,
    counts: Vec<u64>,
    /// How a sum is saved.
    total: DataType,
    result: DataType,
}

/// Days or ticks of a column.
fn ticks(array: &ArrayRef) -> Result<Vec<i64>> {
    match array.data_type().primitive_width() {
        Some(4) => Ok(natives::<i32>(array)?.iter().map(|days| i64::from(*days)).collect()),
        _ => Ok(natives::<i64>(array)?.to_vec()),
    }
}

/// The whole number nearest to an average, zero without values.
fn nearest(sum: i128, count: u64) -> i64 {
    if count == 0 {
        return 0;
    }
    let count = i128::from(count);
    let (below, rest) = (sum.div_euclid(count), sum.rem_euclid(count));
    let step = match (2 * rest).cmp(&count) {
        std::cmp::Ordering::Less => 0,
        std::cmp::Ordering::Equal => below & 1,
        std::cmp::Ordering::Greater => 1,
    };
    (below + step) as i64
}

impl Groups for Averages {
    fn resize(&mut self, groups: usize) {
        self.sums.resize(groups, 0);
        self.counts.resize(groups, 0);
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let values = ticks(&args[0])?;
        add_up(&mut self.sums, 0, groups, |sum, row| sum.wrapping_add(i128::from(values[row])), i128::wrapping_add);
        add_up(&mut self.counts, 0, groups, |count, _| count + 1, |one, other| one + other);
        Ok(())
    }

    fn retract(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        for (value, group) in ticks(&args[0])?.into_iter().zip(groups) {
            self.sums[*group] = self.sums[*group].wrapping_sub(i128::from(value));
            self.counts[*group] = self.counts[*group].saturating_sub(1);
        }
        Ok(())
    }

    fn retracts(&self) -> bool {
        true
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        let sums = &self.sums[..groups];
        let sums = match &self.total {
            DataType::UInt64 => column(sums.iter().map(|sum| *sum as u64).collect::<Vec<u64>>(), &self.total)?,
            DataType::Int64 => column(sums.iter().map(|sum| *sum as i64).collect::<Vec<i64>>(), &self.total)?,
            _ => column(sums.to_vec(), &self.total)?,
        };
        Ok(vec![sums, Arc::new(UInt64Array::from(self.counts[..groups].to_vec()))])
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let sums: Vec<i128> = match states[0].data_type() {
            DataType::UInt64 => natives::<u64>(&states[0])?.iter().map(|sum| i128::from(*sum)).collect(),
            DataType::Int64 => natives::<i64>(&states[0])?.iter().map(|sum| i128::from(*sum)).collect(),
            _ => natives::<i128>(&states[0])?.to_vec(),
        };
        let counts = states[1].as_primitive::<UInt64Type>().values();
        for ((sum, count), group) in sums.into_iter().zip(counts.iter()).zip(groups) {
            self.sums[*group] = self.sums[*group].wrapping_add(sum);
            self.counts[*group] += count;
        }
        Ok(())
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        let averages = self.sums[..groups].iter().zip(&self.counts).map(|(sum, count)| nearest(*sum, *count));
        match self.result.primitive_width() {
            Some(4) => column(averages.map(|days| days as i32).collect::<Vec<i32>>(), &self.result),
            _ => column(averages.collect::<Vec<i64>>(), &self.result),
        }
    }

    fn drop_first(&mut self, groups: usize) {
        self.sums.drain(..groups);
        self.counts.drain(..groups);
    }

    fn bytes(&self) -> usize {
        self.sums.capacity() * size_of::<i128>() + self.counts.capacity() * size_of::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_go_to_the_even_side() {
        for (sum, count, expected) in
            [(5, 2, 2), (7, 2, 4), (8, 3, 3), (7, 3, 2), (-5, 2, -2), (-7, 2, -4), (-8, 3, -3), (0, 0, 0)]
        {
            assert_eq!(nearest(sum, count), expected, "{sum} of {count}");
        }
    }
}
