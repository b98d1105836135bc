//! `largestTriangleThreeBuckets(n)(x, y)` (`lttb`): n points that look like all of them. The points are cut into n buckets
//! by x; of each stays the point that makes the largest triangle with the one chosen before and the middle of the bucket
//! behind.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, StructArray};
use arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use super::collected::{Finish, collected};
use super::natives::{column, natives};
use super::{Call, NullRule, Plan, family};
use crate::columns::{list, retype};
use crate::registry::Registry;

pub fn register(registry: &mut Registry) {
    registry.aggregate("largestTriangleThreeBuckets", family(NullRule::Default, plan));
    registry.alias("lttb", "largestTriangleThreeBuckets");
}

fn plan(call: &Call<'_>) -> Result<Plan> {
    call.arity(2..=2)?;
    let mut kinds = Vec::new();
    for (i, kind) in call.kinds.iter().enumerate() {
        kinds.push(match kind {
            SqlType::DateTime(_) => SqlType::DateTime(None),
            SqlType::DateTime64(scale, _) => SqlType::DateTime64(*scale, None),
            SqlType::Date | SqlType::Date32 => kind.clone(),
            kind if kind.is_number() => SqlType::Float64,
            other => {
                let text = format!(
                    "Aggregate function {} only supports dates, times and numbers as argument {}, not {other}",
                    call.name,
                    i + 1
                );
                return Err(Error::not_implemented(text));
            }
        });
    }
    let [parameter] = call.parameters else {
        let text = format!("Aggregate function {} requires one parameter, the number of points", call.name);
        return Err(Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, text));
    };
    let buckets = match (parameter.data_type().is_unsigned_integer(), parameter.cast_to(&DataType::UInt64)) {
        (true, Ok(ScalarValue::UInt64(Some(buckets)))) => usize::try_from(buckets).unwrap_or(usize::MAX),
        _ => {
            let text = format!("The parameter of aggregate function {} must be a UInt64, got {parameter}", call.name);
            return Err(Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text));
        }
    };
    let result = SqlType::array(SqlType::Tuple(kinds.iter().map(|kind| (None, kind.clone())).collect()));
    let (carrier, types) = (result.arrow(), kinds.iter().map(SqlType::arrow).collect::<Vec<_>>());
    let finish: Finish = Arc::new(move |lists| {
        let columns = lists.values().as_struct();
        let (x, y) = (floats(columns.column(0))?, floats(columns.column(1))?);
        let (mut chosen, mut lengths) = (Vec::new(), Vec::with_capacity(lists.len()));
        for pair in lists.offsets().windows(2) {
            let rows = pair[0] as usize..pair[1] as usize;
            let mut points: Vec<(f64, f64)> = rows.map(|row| (x[row], y[row])).collect();
            points.retain(|(x, y)| !x.is_nan() && !y.is_nan());
            points.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(std::cmp::Ordering::Equal));
            let before = chosen.len();
            choose(&points, buckets, &mut chosen);
            lengths.push(chosen.len() - before);
        }
        let DataType::List(item) = &carrier else { return Err(Error::logical("An array is a list")) };
        let DataType::Struct(fields) = item.data_type() else { return Err(Error::logical("A point is a tuple")) };
        let columns = vec![
            typed(chosen.iter().map(|point| point.0), &types[0])?,
            typed(chosen.iter().map(|point| point.1), &types[1])?,
        ];
        retype(&list(Arc::new(StructArray::try_new(fields.clone(), columns, None)?), &lengths)?, &carrier)
    });
    Ok(collected(result, kinds.clone(), kinds, usize::MAX, false, finish))
}

/// Numbers, days, seconds or ticks.
fn floats(array: &ArrayRef) -> Result<Vec<f64>> {
    match array.data_type() {
        DataType::Float64 => Ok(natives::<f64>(array)?.to_vec()),
        other if other.primitive_width() == Some(4) => Ok(natives::<i32>(array)?.iter().map(|v| f64::from(*v)).collect()),
        other if other.primitive_width() == Some(2) => Ok(natives::<u16>(array)?.iter().map(|v| f64::from(*v)).collect()),
        _ => Ok(natives::<i64>(array)?.iter().map(|v| *v as f64).collect()),
    }
}

fn typed(values: impl Iterator<Item = f64>, kind: &DataType) -> Result<ArrayRef> {
    match kind {
        DataType::Float64 => column(values.collect::<Vec<f64>>(), kind),
        other if other.primitive_width() == Some(4) => column(values.map(|v| v as i32).collect::<Vec<i32>>(), kind),
        other if other.primitive_width() == Some(2) => column(values.map(|v| v as u16).collect::<Vec<u16>>(), kind),
        _ => column(values.map(|v| v as i64).collect::<Vec<i64>>(), kind),
    }
}

fn choose(points: &[(f64, f64)], buckets: usize, chosen: &mut Vec<(f64, f64)>) {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return };
    if points.len() <= buckets {
        chosen.extend(points);
        return;
    }
    if buckets < 3 {
        chosen.extend([*first, *last].iter().take(buckets));
        return;
    }
    let width = (points.len() - 2) as f64 / (buckets - 2) as f64;
    chosen.push(*first);
    let mut previous = *first;
    let (mut start, mut middle) = (1, 1 + width.floor() as usize);
    for i in 0..buckets - 2 {
        let end = (1 + (width * (i + 2) as f64).floor() as usize).min(points.len());
        let behind = &points[middle..end];
        let average = |of: fn(&(f64, f64)) -> f64| behind.iter().map(of).sum::<f64>() / behind.len() as f64;
        let (x, y) = (average(|point| point.0), average(|point| point.1));
        let (mut best, mut largest) = (points[start], 0.0);
        for point in &points[start..middle] {
            let area = 0.5
                * (previous.0 * point.1 + point.0 * y + x * previous.1
                    - previous.0 * y
                    - point.0 * previous.1
                    - x * point.1);
            if area.abs() > largest {
                (best, largest) = (*point, area.abs());
            }
        }
        chosen.push(best);
        previous = best;
        (start, middle) = (middle, end);
    }
    chosen.push(*last);
}
