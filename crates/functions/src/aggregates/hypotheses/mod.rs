//! Tests of statistics: whether samples come from the same population, or how far two columns go together.
//!
//! `means.rs` compares means by sums alone. `ranks.rs` and `smirnov.rs` keep all values, since they rank them; `variance.rs`
//! compares the means of many groups; `distributions.rs` says how probable a statistic is.

pub(crate) mod distributions;
mod means;
mod ranks;
mod smirnov;
mod variance;

use arrow::array::{Array, AsArray, ListArray};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use super::Call;
use super::natives::natives;
use crate::registry::Registry;

pub fn register(registry: &mut Registry) {
    means::register(registry);
    ranks::register(registry);
    smirnov::register(registry);
    variance::register(registry);
}

/// Refuses what is no number, with the code that the function has for it.
fn expect_numbers(call: &Call<'_>, code: ErrorCode) -> Result<()> {
    match call.kinds.iter().position(|kind| !kind.is_number()) {
        None => Ok(()),
        Some(i) => {
            let text = format!("Aggregate function {} only supports numbers, not {}", call.name, call.kinds[i]);
            Err(Error::new(code, text))
        }
    }
}

/// A value, and the number that tells which of two samples it is of.
fn two_numbers() -> Vec<SqlType> {
    vec![SqlType::Float64; 2]
}

/// Whether a number of the sample's column names the second one: what is left of it as an integer is not 0.
fn is_second(index: f64) -> bool {
    index.trunc() != 0.0
}

/// The pairs of numbers of every group.
fn pairs(list: &ListArray) -> Result<impl Iterator<Item = Vec<(f64, f64)>>> {
    let columns = list.values().as_struct();
    let (first, second) = (natives::<f64>(columns.column(0))?, natives::<f64>(columns.column(1))?);
    let offsets = list.offsets().clone();
    Ok((0..list.len()).map(move |group| {
        let rows = offsets[group] as usize..offsets[group + 1] as usize;
        rows.map(|row| (first[row], second[row])).collect()
    }))
}

/// The two samples of a group. Error: BAD_ARGUMENTS where one is empty.
fn samples(name: &str, pairs: &[(f64, f64)]) -> Result<(Vec<f64>, Vec<f64>)> {
    let of = |second| pairs.iter().filter(move |pair| is_second(pair.1) == second && !pair.0.is_nan()).map(|pair| pair.0);
    let (first, second): (Vec<f64>, Vec<f64>) = (of(false).collect(), of(true).collect());
    if first.is_empty() || second.is_empty() {
        let text = format!("Aggregate function {name} requires both samples to be non empty");
        return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
    }
    Ok((first, second))
}

/// What an alternative says of the first sample against the second.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Alternative {
    TwoSided,
    Less,
    Greater,
}

impl Alternative {
    /// Parameter 0; two-sided where it is not given.
    fn of(call: &Call<'_>) -> Result<Alternative> {
        match text(call, 0)?.as_deref() {
            None | Some("two-sided") => Ok(Alternative::TwoSided),
            Some("less") => Ok(Alternative::Less),
            Some("greater") => Ok(Alternative::Greater),
            Some(other) => {
                let text = format!(
                    "Unknown alternative '{other}' of aggregate function {}: it must be 'two-sided', 'less' or 'greater'",
                    call.name
                );
                Err(Error::new(ErrorCode::BAD_ARGUMENTS, text))
            }
        }
    }
}

/// Parameter `i`, a text. Error: ILLEGAL_TYPE_OF_ARGUMENT where it is none.
fn text(call: &Call<'_>, i: usize) -> Result<Option<String>> {
    let Some(value) = call.parameters.get(i) else { return Ok(None) };
    match super::text_parameter(value) {
        Some(text) => Ok(Some(String::from_utf8_lossy(&text).into_owned())),
        None => {
            let text = format!("Parameter {} of aggregate function {} must be a String, got {value}", i + 1, call.name);
            Err(Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text))
        }
    }
}

/// Refuses more parameters than `most`.
fn parameters_at_most(call: &Call<'_>, most: usize, code: ErrorCode) -> Result<()> {
    if call.parameters.len() <= most {
        return Ok(());
    }
    let text = format!("Aggregate function {} takes at most {most} parameters, got {}", call.name, call.parameters.len());
    Err(Error::new(code, text))
}

/// A probability, whatever rounding made of it. NaN is 0, as in ClickHouse.
fn probability(value: f64) -> f64 {
    0f64.max(value).min(1.0)
}
