//! Measures of arrays of numbers: `arrayAutocorrelation`, `arrayNormalizedGini`.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{ArrayRef, AsArray, Float64Array};
use arrow::datatypes::{Float64Type, Int64Type};
use gristmill_base::allocations::check_wanted;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use super::Lists;
use crate::columns::{Numbers, list};
use crate::define::{arity, bad_argument, expect_array, expect_integer, illegal, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};
use crate::tuples::struct_array;

pub fn register(registry: &mut Registry) {
    registry.scalar("arrayAutocorrelation", plain(|name, arguments, _| autocorrelation(name, arguments)));
    registry.scalar("arrayNormalizedGini", plain(|name, arguments, _| gini(name, arguments)));
}

fn expect_numbers(name: &str, arguments: &[Argument], i: usize) -> Result<()> {
    let element = expect_array(name, arguments, i)?;
    if element.is_number() && !element.is_nullable() {
        Ok(())
    } else {
        Err(illegal(name, arguments, i, "an array of numbers"))
    }
}

/// How an array correlates with itself shifted by 0, 1, … up to a number of places.
fn autocorrelation(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=2)?;
    if !matches!(expect_array(name, arguments, 0)?, T::Nothing) {
        expect_numbers(name, arguments, 0)?;
    }
    let mut casts = vec![SqlType::array(T::Float64)];
    if arguments.len() == 2 {
        expect_integer(name, arguments, 1)?;
        casts.push(T::Int64);
    }
    let name = name.to_string();
    Ok(Bound::cast(casts, SqlType::array(T::Float64), move |args, rows| {
        let lists = Lists::of(&args[0])?;
        let values = lists.values().as_primitive::<Float64Type>().values();
        let limits = args.get(1).map(Numbers::of::<Int64Type>).transpose()?;
        let (mut all, mut lengths) = (Vec::new(), Vec::with_capacity(rows));
        for row in 0..rows {
            let series = &values[lists.range(row)];
            let wanted = match limits {
                None => series.len(),
                Some(limits) => match usize::try_from(limits.get(row)) {
                    Ok(limit) => limit.min(series.len()),
                    Err(_) => return Err(bad_argument(&name, "the number of shifts must not be negative")),
                },
            };
            lengths.push(wanted);
            let mean = series.iter().sum::<f64>() / series.len() as f64;
            let spread: f64 = series.iter().map(|value| (value - mean) * (value - mean)).sum();
            for shift in 0..wanted {
                check_wanted()?;
                let pairs = series.iter().zip(&series[shift..]);
                let together: f64 = pairs.map(|(a, b)| (a - mean) * (b - mean)).sum();
                all.push(if spread == 0.0 { f64::NAN } else { together / spread });
            }
        }
        list(Arc::new(Float64Array::from(all)), &lengths)
    }))
}

/// Most elements of an array that is sorted for its coefficients.
const LENGTH_MAX: usize = 1 << 20;

/// The areas between the diagonal and the curve of the labels' sums, in the order of the predictions and in their own, and their
/// ratio (<https://arxiv.org/pdf/1912.07753>).
fn gini(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    expect_numbers(name, arguments, 0)?;
    expect_numbers(name, arguments, 1)?;
    let result = T::Tuple(vec![(None, T::Float64); 3]);
    let kind = result.clone();
    let name = name.to_string();
    Ok(Bound::cast(vec![SqlType::array(T::Float64); 2], result, move |args, rows| {
        let (predicted, labels) = (Lists::of(&args[0])?, Lists::of(&args[1])?);
        let (all_predicted, all_labels) = (
            predicted.values().as_primitive::<Float64Type>().values(),
            labels.values().as_primitive::<Float64Type>().values(),
        );
        let mut columns: [Vec<f64>; 3] = [(); 3].map(|()| Vec::with_capacity(rows));
        for row in 0..rows {
            let (predicted, labels) = (&all_predicted[predicted.range(row)], &all_labels[labels.range(row)]);
            if predicted.len() != labels.len() {
                let text = format!("Function {name}: predictions and labels must be arrays of the same size");
                return Err(Error::new(ErrorCode::ILLEGAL_COLUMN, text));
            }
            if predicted.len() > LENGTH_MAX {
                let text = format!("Function {name}: an array of {} elements has more than {LENGTH_MAX}", predicted.len());
                return Err(Error::new(ErrorCode::TOO_LARGE_ARRAY_SIZE, text));
            }
            let mut order: Vec<usize> = (0..predicted.len()).collect();
            order.sort_by(|a, b| predicted[*a].total_cmp(&predicted[*b]));
            let mut sorted = labels.to_vec();
            sorted.sort_by(f64::total_cmp);
            let total: f64 = labels.iter().fold(0.0, |sum, label| sum + label);
            let size = labels.len() as f64;
            let area = |labels: &mut dyn Iterator<Item = f64>| {
                let (mut sum, mut sums) = (0.0, 0.0);
                for label in labels {
                    sum += label / total;
                    sums += sum;
                }
                (0.5 * (size + 1.0) - sums) / size
            };
            let of_predicted = area(&mut order.iter().map(|i| labels[*i]));
            let of_labels = area(&mut sorted.iter().copied());
            for (column, value) in columns.iter_mut().zip([of_predicted, of_labels, of_predicted / of_labels]) {
                column.push(value);
            }
        }
        let columns = columns.map(|column| Arc::new(Float64Array::from(column)) as ArrayRef);
        struct_array(&kind, columns.to_vec(), rows)
    }))
}
