//! `arrayLevenshteinDistance`, with weights, and `arraySimilarity`, which is 1 less the share of the weights that the distance takes.
//!
//! Without weights an element is put in, taken out or replaced at a cost of 1. With weights to take one out costs its weight in the
//! first array, to put one in its weight in the second, and a replacement is both.

use SqlType as T;
use arrow::array::AsArray;
use arrow::datatypes::{Float64Type, UInt32Type};
use gristmill_base::allocations::check_wanted;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use super::{Lists, comparable};
use crate::columns::numbers;
use crate::define::{arity, bad_argument, expect_array, illegal, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};
use crate::supertype::least;

/// Longer arrays are not compared: the work grows with the product of the lengths.
const LONG: usize = 1 << 16;

pub fn register(registry: &mut Registry) {
    registry.scalar("arrayLevenshteinDistance", plain(|name, arguments, _| unweighted(name, arguments)));
    registry.scalar("arrayLevenshteinDistanceWeighted", plain(|name, arguments, _| weighted(name, arguments, false)));
    registry.scalar("arraySimilarity", plain(|name, arguments, _| weighted(name, arguments, true)));
}

/// The type that the two arrays are compared in. `None`: no element equals another, as numbers with a sign and without one do not, nor
/// numbers and texts.
fn compared(name: &str, arguments: &[Argument]) -> Result<Option<SqlType>> {
    let (a, b) = (expect_array(name, arguments, 0)?, expect_array(name, arguments, 1)?);
    let alike = match (a.plain(), b.plain()) {
        (a, b) if a == b => true,
        (T::Nothing, _) | (_, T::Nothing) => true,
        (a, b) if a.is_string() && b.is_string() => true,
        (a, b) if a.is_float() && b.is_float() => true,
        (a, b) => matches!((a.integer_bits(), b.integer_bits()), (Some((_, a)), Some((_, b))) if a == b),
    };
    Ok(if alike { least(name, &[a.clone(), b.clone()]).ok().map(SqlType::array) } else { None })
}

fn check(name: &str, a: usize, b: usize) -> Result<()> {
    if a > LONG || b > LONG {
        return Err(bad_argument(name, format!("arrays of more than {LONG} elements are not compared")));
    }
    Ok(())
}

fn unweighted(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    let kind = compared(name, arguments)?;
    let casts = kind.clone().map(|kind| vec![kind; 2]).unwrap_or_default();
    let name = name.to_string();
    Ok(Bound::cast(casts, T::UInt32, move |args, rows| {
        let (a, b) = (Lists::of(&args[0])?, Lists::of(&args[1])?);
        let encoded = match kind {
            Some(_) => comparable(&[a.values().clone(), b.values().clone()])?,
            None => Vec::new(),
        };
        let differ = |i: usize, j: usize| match encoded.as_slice() {
            [a, b] => a.row(i) != b.row(j),
            _ => true,
        };
        numbers::<UInt32Type>(rows, |row| {
            let (of_a, of_b) = (a.range(row), b.range(row));
            check(&name, of_a.len(), of_b.len())?;
            let mut costs: Vec<u32> = (0..=of_b.len() as u32).collect();
            for (i, from) in of_a.enumerate() {
                check_wanted()?;
                let mut diagonal = std::mem::replace(&mut costs[0], i as u32 + 1);
                for (j, to) in of_b.clone().enumerate() {
                    let replaced = diagonal + u32::from(differ(from, to));
                    diagonal = costs[j + 1];
                    costs[j + 1] = replaced.min(costs[j] + 1).min(diagonal + 1);
                }
            }
            Ok(costs[of_b.len()])
        })
    }))
}

fn weighted(name: &str, arguments: &[Argument], similarity: bool) -> Result<Bound> {
    arity(name, arguments, 4..=4)?;
    let kind = compared(name, arguments)?;
    let (from_kind, to_kind) = (expect_array(name, arguments, 2)?, expect_array(name, arguments, 3)?);
    for (i, kind) in [(2, from_kind), (3, to_kind)] {
        if !kind.is_integer() && !kind.is_float() {
            return Err(illegal(name, arguments, i, "an array of numbers"));
        }
    }
    if from_kind != to_kind {
        return Err(illegal(name, arguments, 3, format!("{}, as argument 3 has it", arguments[2].kind)));
    }
    let weights = SqlType::array(T::Float64);
    let arrays = |i: usize| kind.clone().unwrap_or_else(|| arguments[i].kind.clone());
    let casts = vec![arrays(0), arrays(1), weights.clone(), weights];
    let known = kind.is_some();
    let name = name.to_string();
    Ok(Bound::cast(casts, T::Float64, move |args, rows| {
        let lists = args.iter().map(Lists::of).collect::<Result<Vec<_>>>()?;
        let encoded = if known { comparable(&[lists[0].values().clone(), lists[1].values().clone()])? } else { Vec::new() };
        let same = |i: usize, j: usize| matches!(encoded.as_slice(), [a, b] if a.row(i) == b.row(j));
        let weights = [2, 3].map(|i| lists[i].values().as_primitive::<Float64Type>().values());
        numbers::<Float64Type>(rows, |row| {
            let ranges: Vec<_> = lists.iter().map(|list| list.range(row)).collect();
            for (array, weights) in [(0, 2), (1, 3)] {
                if ranges[array].len() != ranges[weights].len() {
                    let text = format!(
                        "Function {name}: arguments {} and {} must be arrays of the same size",
                        array + 1,
                        weights + 1
                    );
                    return Err(Error::new(ErrorCode::SIZES_OF_ARRAYS_DONT_MATCH, text));
                }
            }
            check(&name, ranges[0].len(), ranges[1].len())?;
            let (out, into) = (&weights[0][ranges[2].clone()], &weights[1][ranges[3].clone()]);
            let mut costs = vec![0.0; into.len() + 1];
            for (j, weight) in into.iter().enumerate() {
                costs[j + 1] = costs[j] + weight;
            }
            for (i, from) in ranges[0].clone().enumerate() {
                check_wanted()?;
                let mut diagonal = costs[0];
                costs[0] += out[i];
                for (j, to) in ranges[1].clone().enumerate() {
                    let kept = if same(from, to) { diagonal } else { diagonal + out[i] + into[j] };
                    diagonal = costs[j + 1];
                    costs[j + 1] = kept.min(costs[j] + into[j]).min(diagonal + out[i]);
                }
            }
            let distance = costs[into.len()];
            if !similarity {
                return Ok(distance);
            }
            let whole = out.iter().sum::<f64>() + into.iter().sum::<f64>();
            Ok(if whole == 0.0 { 1.0 } else { 1.0 - distance / whole })
        })
    }))
}
