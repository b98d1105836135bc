//! `mannWhitneyUTest`, whether values of one sample tend to be larger than those of another, and `rankCorr`, Spearman's
//! correlation of ranks. Equal values share the mean of the ranks that they take up.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, StructArray};
use arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use super::distributions::normal;
use super::{Alternative, expect_numbers, pairs, parameters_at_most, probability, samples, two_numbers};
use crate::aggregates::collected::{Finish, collected};
use crate::aggregates::{Call, NullRule, Plan, family};
use crate::registry::Registry;

pub fn register(registry: &mut Registry) {
    registry.aggregate("mannWhitneyUTest", family(NullRule::Nullable, mann_whitney));
    registry.aggregate("rankCorr", family(NullRule::Nullable, correlation));
}

/// The rank of each value, and what is left of the variance of ranks, for the values that are equal.
fn ranks(values: &[f64]) -> (Vec<f64>, f64) {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].partial_cmp(&values[*b]).unwrap_or(std::cmp::Ordering::Equal));
    let mut ranks = vec![0.0; values.len()];
    let (mut left, mut ties) = (0, 0.0);
    while left < order.len() {
        let equal = order[left..].iter().take_while(|at| values[**at] == values[order[left]]).count().max(1);
        let right = left + equal;
        let rank = (left + right + 1) as f64 / 2.0;
        order[left..right].iter().for_each(|at| ranks[*at] = rank);
        ties += (equal as f64).powi(3) - equal as f64;
        left = right;
    }
    let size = values.len() as f64;
    (ranks, 1.0 - ties / (size.powi(3) - size))
}

/// Pairs of a statistic and its probability as a column.
pub fn named_pairs(results: &[(f64, f64)], carrier: &DataType) -> Result<ArrayRef> {
    let DataType::Struct(fields) = carrier else { return Err(Error::logical("A test gives a tuple")) };
    let first = Float64Array::from_iter_values(results.iter().map(|pair| pair.0));
    let second = Float64Array::from_iter_values(results.iter().map(|pair| pair.1));
    Ok(Arc::new(StructArray::try_new(fields.clone(), vec![Arc::new(first), Arc::new(second)], None)?))
}

/// The type of such a pair.
pub fn named_pair(statistic: &str) -> SqlType {
    SqlType::Tuple(vec![(Some(statistic.to_string()), SqlType::Float64), (Some("p_value".to_string()), SqlType::Float64)])
}

fn mann_whitney(call: &Call<'_>) -> Result<Plan> {
    call.arity(2..=2)?;
    expect_numbers(call, ErrorCode::NOT_IMPLEMENTED)?;
    parameters_at_most(call, 2, ErrorCode::TOO_MANY_ARGUMENTS_FOR_FUNCTION)?;
    let alternative = Alternative::of(call)?;
    let corrects = match call.parameters.get(1) {
        None => true,
        Some(value) => match (value.data_type().is_unsigned_integer(), value.cast_to(&DataType::UInt64)) {
            (true, Ok(ScalarValue::UInt64(Some(number)))) => number != 0,
            _ => {
                let text = format!("Parameter 2 of aggregate function {} must be a UInt64, got {value}", call.name);
                return Err(Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text));
            }
        },
    };
    let result = named_pair("u_statistic");
    let (carrier, name) = (result.arrow(), call.name.to_string());
    let finish: Finish = Arc::new(move |list| {
        let judged = pairs(&list)?.map(|pairs| {
            let (first, second) = samples(&name, &pairs)?;
            Ok(u_test(first, &second, alternative, corrects))
        });
        named_pairs(&judged.collect::<Result<Vec<_>>>()?, &carrier)
    });
    Ok(collected(result, two_numbers(), two_numbers(), usize::MAX, false, finish))
}

fn u_test(first: Vec<f64>, second: &[f64], alternative: Alternative, corrects: bool) -> (f64, f64) {
    let (n1, n2) = (first.len() as f64, second.len() as f64);
    let mut both = first;
    both.extend(second);
    let (ranks, left) = ranks(&both);
    let of_first: f64 = ranks[..n1 as usize].iter().sum();
    let u1 = n1 * n2 + n1 * (n1 + 1.0) / 2.0 - of_first;
    let u2 = n1 * n2 - u1;
    let mean = n1 * n2 / 2.0 + if corrects { 0.5 } else { 0.0 };
    let deviation = if left.abs() > f64::EPSILON { (left * n1 * n2 * (n1 + n2 + 1.0) / 12.0).sqrt() } else { 0.0 };
    let u = match alternative {
        Alternative::TwoSided => u1.max(u2),
        Alternative::Less => u1,
        Alternative::Greater => u2,
    };
    // Where all values are equal nothing speaks for a difference.
    let z = if deviation > f64::EPSILON { (u - mean) / deviation } else { 0.0 };
    if !z.is_finite() {
        return (f64::NAN, probability(f64::NAN));
    }
    let p = match alternative {
        Alternative::TwoSided => 2.0 - 2.0 * normal(z.abs()),
        _ => 1.0 - normal(z),
    };
    (u2, probability(p))
}

fn correlation(call: &Call<'_>) -> Result<Plan> {
    call.arity(2..=2)?;
    expect_numbers(call, ErrorCode::NOT_IMPLEMENTED)?;
    parameters_at_most(call, 0, ErrorCode::AGGREGATE_FUNCTION_DOESNT_ALLOW_PARAMETERS)?;
    let finish: Finish = Arc::new(|list| {
        let values = pairs(&list)?.map(|pairs| {
            // NaN has no rank, and is left out of its column alone.
            let (mut x, mut y): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
            x.retain(|value| !value.is_nan());
            y.retain(|value| !value.is_nan());
            let size = x.len().min(y.len()) as f64;
            let differences: f64 = ranks(&x).0.iter().zip(ranks(&y).0).map(|(x, y)| (x - y) * (x - y)).sum();
            1.0 - differences * 6.0 / (size * (size * size - 1.0))
        });
        Ok(Arc::new(Float64Array::from_iter_values(values)))
    });
    Ok(collected(SqlType::Float64, two_numbers(), two_numbers(), usize::MAX, false, finish))
}
