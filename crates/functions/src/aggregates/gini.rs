//! `gini`: how unequal values are, from 0 (all alike) to nearly 1 (one has everything).
//!
//! All values are kept, and sorted in the end: the sum of the differences of all pairs is that of the differences of
//! neighbours, each counted once for every pair that spans it. Integers are summed as such, while the sums fit.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, Float64Array};
use arrow::datatypes::{ArrowNativeType, i256};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::{SqlType, wide};

use super::collected::{Finish, collected};
use super::natives::{by_native, natives};
use super::{Call, NullRule, Plan, family};
use crate::registry::Registry;

pub fn register(registry: &mut Registry) {
    registry.aggregate("gini", family(NullRule::Nullable, plan));
}

fn plan(call: &Call<'_>) -> Result<Plan> {
    call.arity(1..=1)?;
    call.expect_number(0)?;
    let kind = match &call.kinds[0] {
        SqlType::Bool => SqlType::UInt8,
        SqlType::BFloat16 => SqlType::Float32,
        // Integers wider than what sums of integers are made in.
        kind if matches!(kind.integer_bits(), Some((128.., _))) => SqlType::Float64,
        kind => kind.clone(),
    };
    let carrier = kind.arrow();
    let finish: Finish = Arc::new(move |list| {
        let values = by_native!(&carrier, N => coefficients::<N>(list.values(), list.offsets())?, {
            return Err(Error::logical(format!("gini got values of Arrow's {carrier}")));
        });
        Ok(Arc::new(Float64Array::from(values)) as ArrayRef)
    });
    Ok(collected(SqlType::Float64, vec![kind.clone()], vec![kind], usize::MAX, false, finish))
}

trait Amount: ArrowNativeType + PartialOrd {
    fn float(self) -> f64;
    /// As an integer, where it is one of up to 64 bits.
    fn integer(self) -> Option<i128>;
}

macro_rules! amount {
    ($integer:expr => $($native:ty),*) => {
        $(impl Amount for $native {
            fn float(self) -> f64 { self as f64 }
            fn integer(self) -> Option<i128> { $integer(self as i128) }
        })*
    };
}
amount!(Some => i8, u8, i16, u16, i32, u32, i64, u64, i128);

impl Amount for f32 {
    fn float(self) -> f64 {
        f64::from(self)
    }
    fn integer(self) -> Option<i128> {
        None
    }
}

impl Amount for f64 {
    fn float(self) -> f64 {
        self
    }
    fn integer(self) -> Option<i128> {
        None
    }
}

impl Amount for i256 {
    fn float(self) -> f64 {
        wide::to_f64(self, false)
    }
    fn integer(self) -> Option<i128> {
        self.to_i128()
    }
}

fn coefficients<N: Amount>(values: &dyn Array, offsets: &[i32]) -> Result<Vec<f64>> {
    let values = natives::<N>(values)?;
    offsets.windows(2).map(|pair| coefficient(&values[pair[0] as usize..pair[1] as usize])).collect()
}

fn refused(what: &str) -> Error {
    Error::new(ErrorCode::BAD_ARGUMENTS, format!("Aggregate function gini does not support {what} values"))
}

fn coefficient<N: Amount>(values: &[N]) -> Result<f64> {
    let mut sorted: Vec<N> = values.iter().copied().filter(|value| !value.float().is_nan()).collect();
    sorted.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    let (Some(first), Some(last)) = (sorted.first(), sorted.last()) else { return Ok(f64::NAN) };
    if last.float().is_infinite() || first.float().is_infinite() {
        return Err(refused("infinite"));
    }
    if first.float() < 0.0 {
        return Err(refused("negative"));
    }
    if sorted.len() < 2 || last.float() == 0.0 {
        return Ok(f64::NAN);
    }
    Ok(in_integers(&sorted).unwrap_or_else(|| in_floats(&sorted, last.float())))
}

/// Pairs of sorted values that the gap behind value `i` lies between.
fn spanned(i: usize, count: usize) -> i128 {
    (i as i128 + 1) * (count - i - 1) as i128
}

fn in_integers<N: Amount>(sorted: &[N]) -> Option<f64> {
    let count = sorted.len();
    let (mut sum, mut differences) = (0i128, 0i128);
    let mut before: Option<i128> = None;
    for (i, value) in sorted.iter().enumerate() {
        let value = value.integer()?;
        sum = sum.checked_add(value)?;
        if let Some(before) = before {
            let gap = value.checked_sub(before)?;
            differences = differences.checked_add(gap.checked_mul(spanned(i - 1, count))?)?;
        }
        before = Some(value);
    }
    Some(differences as f64 / sum.checked_mul(count as i128)? as f64)
}

fn in_floats<N: Amount>(sorted: &[N], largest: f64) -> f64 {
    let count = sorted.len();
    let sum = exact_sum(sorted.iter().map(|value| value.float() / largest));
    let gaps = sorted
        .windows(2)
        .enumerate()
        .map(|(i, pair)| (pair[1].float() - pair[0].float()) / largest * spanned(i, count) as f64);
    exact_sum(gaps) / (count as f64 * sum)
}

/// A sum with what rounding took from it (Neumaier).
fn exact_sum(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0f64, 0.0f64);
    for value in values {
        let total = sum + value;
        lost += if sum.abs() >= value.abs() { (sum - total) + value } else { (value - total) + sum };
        sum = total;
    }
    sum + lost
}
