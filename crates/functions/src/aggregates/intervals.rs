//! Intervals: `intervalLengthSum`, how much they cover together; `maxIntersections`, how many of them hold at once at most,
//! and `maxIntersectionsPosition`, where that begins. All intervals are kept, and sorted in the end.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Float64Array, ListArray, UInt64Array};
use arrow::buffer::ScalarBuffer;
use arrow::datatypes::{ArrowNativeType, DataType};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use super::collected::{Finish, collected};
use super::natives::{column, natives};
use super::{Call, NullRule, Plan, family};
use crate::registry::Registry;

pub fn register(registry: &mut Registry) {
    registry.aggregate("intervalLengthSum", family(NullRule::Default, length_sum));
    registry.aggregate("maxIntersections", family(NullRule::Nullable, |call| intersections(call, false)));
    registry.aggregate("maxIntersectionsPosition", family(NullRule::Nullable, |call| intersections(call, true)));
}

/// The bounds' type: the same for both. `dates`: Date and DateTime are bounds as well.
fn bounds(call: &Call<'_>, dates: bool) -> Result<SqlType> {
    call.arity(2..=2)?;
    let family = |argument: usize| std::mem::discriminant(&call.kinds[argument].bool_as_integer());
    if family(0) != family(1) {
        let text = format!(
            "Illegal types {} and {} of arguments of aggregate function {}, both should have the same type",
            call.kinds[0], call.kinds[1], call.name
        );
        return Err(Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text));
    }
    let kind = call.kinds[0].bool_as_integer();
    let is_number = matches!(kind.integer_bits(), Some((..=64, _))) || matches!(kind, SqlType::Float32 | SqlType::Float64);
    if is_number || dates && matches!(kind, SqlType::Date | SqlType::DateTime(_)) {
        return Ok(kind);
    }
    Err(call.illegal(0, if dates { "a number of up to 64 bits, Date or DateTime" } else { "a number of up to 64 bits" }))
}

/// A bound of an interval.
trait Bound: ArrowNativeType + PartialOrd {
    /// The length of what lies between, in whole steps or in this type's own arithmetic.
    fn whole_length(from: Self, to: Self) -> u64;
    fn length(from: Self, to: Self) -> f64;
    fn is_nan(self) -> bool {
        false
    }
}

macro_rules! bound {
    ($($native:ty),*) => {
        $(impl Bound for $native {
            fn whole_length(from: Self, to: Self) -> u64 { (to as i128 - from as i128) as u64 }
            fn length(from: Self, to: Self) -> f64 { to as f64 - from as f64 }
        })*
    };
}
bound!(i8, u8, i16, u16, i32, u32, i64, u64);

macro_rules! float_bound {
    ($($native:ty),*) => {
        $(impl Bound for $native {
            fn whole_length(_: Self, _: Self) -> u64 { 0 }
            fn length(from: Self, to: Self) -> f64 { f64::from(to - from) }
            fn is_nan(self) -> bool { self != self }
        })*
    };
}
float_bound!(f32, f64);

fn order<N: Bound>(a: &N, b: &N) -> Ordering {
    a.partial_cmp(b).unwrap_or(Ordering::Equal)
}

/// Runs the body with `$N` as the machine type of the bounds.
macro_rules! by_bound {
    ($kind:expr, $N:ident => $body:expr) => {
        match $kind {
            DataType::Int8 => {
                type $N = i8;
                $body
            }
            DataType::UInt8 => {
                type $N = u8;
                $body
            }
            DataType::Int16 => {
                type $N = i16;
                $body
            }
            DataType::UInt16 => {
                type $N = u16;
                $body
            }
            DataType::Int32 | DataType::Date32 => {
                type $N = i32;
                $body
            }
            DataType::UInt32 => {
                type $N = u32;
                $body
            }
            DataType::UInt64 => {
                type $N = u64;
                $body
            }
            DataType::Float32 => {
                type $N = f32;
                $body
            }
            DataType::Float64 => {
                type $N = f64;
                $body
            }
            DataType::Int64 | DataType::Timestamp(..) => {
                type $N = i64;
                $body
            }
            other => Err(Error::logical(format!("Bounds of intervals came as Arrow's {other}"))),
        }
    };
}

/// The intervals of every group.
fn intervals<N: Bound>(list: &ListArray) -> Result<impl Iterator<Item = Vec<(N, N)>> + use<N>> {
    let columns = list.values().as_struct();
    let bounds: [ScalarBuffer<N>; 2] = [natives(columns.column(0))?, natives(columns.column(1))?];
    let offsets = list.offsets().clone();
    Ok((0..list.len()).map(move |group| {
        let rows = offsets[group] as usize..offsets[group + 1] as usize;
        rows.map(|row| (bounds[0][row], bounds[1][row])).collect()
    }))
}

fn length_sum(call: &Call<'_>) -> Result<Plan> {
    let kind = bounds(call, true)?;
    let carrier = kind.arrow();
    let is_float = kind.is_float();
    let result = if is_float { SqlType::Float64 } else { SqlType::UInt64 };
    let finish: Finish = Arc::new(move |list| {
        by_bound!(&carrier, N => {
            let covered = intervals::<N>(&list)?.map(covered);
            Ok(if is_float {
                // The sum of nothing is a minus zero, which is written otherwise.
                let sum = |parts: Vec<(N, N)>| parts.into_iter().map(|(from, to)| N::length(from, to)).sum::<f64>() + 0.0;
                Arc::new(Float64Array::from_iter_values(covered.map(sum))) as ArrayRef
            } else {
                let sum = |parts: Vec<(N, N)>| {
                    parts.into_iter().fold(0u64, |sum, (from, to)| sum.wrapping_add(N::whole_length(from, to)))
                };
                Arc::new(UInt64Array::from_iter_values(covered.map(sum))) as ArrayRef
            })
        })
    });
    Ok(collected(result, vec![kind.clone(); 2], vec![kind; 2], usize::MAX, false, finish))
}

/// The parts that intervals cover together, none of which touches another.
fn covered<N: Bound>(mut intervals: Vec<(N, N)>) -> Vec<(N, N)> {
    intervals.retain_mut(|interval| {
        if interval.1 < interval.0 {
            *interval = (interval.1, interval.0);
        }
        interval.0 != interval.1
    });
    intervals.sort_by(|a, b| order(&a.0, &b.0).then(order(&a.1, &b.1)));
    let mut parts: Vec<(N, N)> = Vec::new();
    for (from, to) in intervals {
        match parts.last_mut() {
            Some(last) if last.1.partial_cmp(&from) != Some(Ordering::Less) => {
                if to > last.1 {
                    last.1 = to;
                }
            }
            _ => parts.push((from, to)),
        }
    }
    parts
}

fn intersections(call: &Call<'_>, position: bool) -> Result<Plan> {
    let kind = bounds(call, false)?;
    let carrier = kind.arrow();
    let result = if position { kind.clone() } else { SqlType::UInt64 };
    let finish: Finish = Arc::new(move |list| {
        by_bound!(&carrier, N => {
            let most = intervals::<N>(&list)?.map(most);
            if position {
                column(most.map(|(_, at)| at).collect::<Vec<N>>(), &carrier)
            } else {
                Ok(Arc::new(UInt64Array::from_iter_values(most.map(|(count, _)| count))) as ArrayRef)
            }
        })
    });
    Ok(collected(result, vec![kind.clone(); 2], vec![kind; 2], usize::MAX, false, finish))
}

/// How many intervals hold at once at most, and where that begins first. An interval does not hold at its end.
fn most<N: Bound>(intervals: Vec<(N, N)>) -> (u64, N) {
    let mut ends: Vec<(N, i64)> =
        intervals.into_iter().flat_map(|(from, to)| [(from, 1), (to, -1)]).filter(|(at, _)| !at.is_nan()).collect();
    ends.sort_by(|a, b| order(&a.0, &b.0).then(a.1.cmp(&b.1)));
    let (mut now, mut most, mut at) = (0i64, 0i64, N::default());
    for (place, change) in ends {
        now += change;
        if now > most {
            (most, at) = (now, place);
        }
    }
    (most as u64, at)
}
