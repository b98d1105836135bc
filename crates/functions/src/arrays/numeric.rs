//! Numbers about elements: `arrayEnumerate…`, `arrayUniq`, `arrayDifference`, products of two arrays.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, AsArray, UInt32Array};
use arrow::datatypes::{Float64Type, UInt64Type};
use gristmill_base::Result;
use gristmill_types::SqlType;

use super::{Lists, aligned, comparable, with_values};
use crate::columns::{Numbers, list, numbers};
use crate::define::{arity, expect_array, illegal, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    registry.scalar("arrayEnumerate", plain(|name, arguments, _| enumerate(name, arguments)));
    registry.scalar("arrayEnumerateUniq", plain(|name, arguments, _| enumerate_uniq(name, arguments, false)));
    registry.scalar("arrayEnumerateDense", plain(|name, arguments, _| enumerate_uniq(name, arguments, true)));
    registry.scalar("arrayUniq", plain(|name, arguments, _| uniq(name, arguments)));
    type Pairs = fn(&[f64], &[f64]) -> f64;
    let pairs: [(&str, Pairs); 6] = [
        ("arrayDotProduct", |a, b| a.iter().zip(b).map(|(a, b)| a * b).sum()),
        ("L1Distance", |a, b| a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum()),
        ("L2Distance", |a, b| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()),
        ("L2SquaredDistance", |a, b| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()),
        ("LinfDistance", |a, b| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)),
        ("cosineDistance", |a, b| {
            let dot: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
            let (a, b): (f64, f64) = (a.iter().map(|a| a * a).sum(), b.iter().map(|b| b * b).sum());
            1.0 - dot / (a * b).sqrt()
        }),
    ];
    for (name, f) in pairs {
        registry.scalar(name, plain(move |name, arguments, _| vectors(name, arguments, f)));
    }
    for (alias, name) in [("normL1", "L1Norm"), ("normL2", "L2Norm"), ("normLinf", "LinfNorm")] {
        registry.alias(alias, name);
        registry.any_case(alias);
    }
    registry.alias("distanceL1", "L1Distance");
    registry.alias("distanceL2", "L2Distance");
    registry.alias("distanceL2Squared", "L2SquaredDistance");
    registry.alias("distanceLinf", "LinfDistance");
    registry.alias("distanceCosine", "cosineDistance");
    for (name, f) in [
        ("L1Norm", (|a: &[f64]| a.iter().map(|a| a.abs()).sum()) as fn(&[f64]) -> f64),
        ("L2Norm", |a| a.iter().map(|a| a * a).sum::<f64>().sqrt()),
        ("LinfNorm", |a| a.iter().map(|a| a.abs()).fold(0.0, f64::max)),
    ] {
        registry.scalar(name, plain(move |name, arguments, _| norm(name, arguments, f)));
    }
}

fn enumerate(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    expect_array(name, arguments, 0)?;
    Ok(Bound::new(SqlType::array(T::UInt32), |args, rows| {
        let lists = Lists::of(&args[0])?;
        let lengths: Vec<usize> = (0..rows).map(|row| lists.range(row).len()).collect();
        let values: UInt32Array = lengths.iter().flat_map(|length| 1..=*length as u32).collect::<Vec<_>>().into();
        list(Arc::new(values), &lengths)
    }))
}

/// The elements of several arrays, or of one, as groups of comparable rows.
fn groups(arrays: &[arrow::array::ListArray]) -> Result<Vec<arrow::row::Rows>> {
    arrays.iter().map(|array| Ok(comparable(std::slice::from_ref(array.values()))?.remove(0))).collect()
}

fn enumerate_uniq(name: &str, arguments: &[Argument], dense: bool) -> Result<Bound> {
    arity(name, arguments, 1..=usize::MAX)?;
    (0..arguments.len()).try_for_each(|i| expect_array(name, arguments, i).map(|_| ()))?;
    let name = name.to_string();
    Ok(Bound::new(SqlType::array(T::UInt32), move |args, rows| {
        let arrays = aligned(&name, args, rows)?;
        let encoded = groups(&arrays)?;
        let mut values = Vec::with_capacity(arrays[0].values().len());
        let mut seen: HashMap<Vec<arrow::row::Row>, u32> = HashMap::new();
        let offsets = arrays[0].value_offsets();
        for row in 0..rows {
            seen.clear();
            for i in offsets[row] as usize..offsets[row + 1] as usize {
                let key: Vec<_> = encoded.iter().map(|rows| rows.row(i)).collect();
                let next = seen.len() as u32 + 1;
                let number =
                    seen.entry(key).and_modify(|count| *count += u32::from(!dense)).or_insert(if dense { next } else { 1 });
                values.push(*number);
            }
        }
        with_values(&arrays[0], Arc::new(UInt32Array::from(values)))
    }))
}

fn uniq(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=usize::MAX)?;
    (0..arguments.len()).try_for_each(|i| expect_array(name, arguments, i).map(|_| ()))?;
    let name = name.to_string();
    Ok(Bound::new(T::UInt32, move |args, rows| {
        let arrays = aligned(&name, args, rows)?;
        let encoded = groups(&arrays)?;
        let offsets = arrays[0].value_offsets();
        let mut seen = HashSet::new();
        numbers::<arrow::datatypes::UInt32Type>(rows, |row| {
            seen.clear();
            seen.extend(
                (offsets[row] as usize..offsets[row + 1] as usize)
                    .filter(|i| arrays.len() > 1 || !arrays[0].values().is_null(*i))
                    .map(|i| encoded.iter().map(|rows| rows.row(i)).collect::<Vec<_>>()),
            );
            let null = arrays.len() == 1 && (offsets[row]..offsets[row + 1]).any(|i| arrays[0].values().is_null(i as usize));
            Ok(seen.len() as u32 + u32::from(null))
        })
    }))
}

fn number_array(name: &str, arguments: &[Argument], i: usize) -> Result<()> {
    let element = expect_array(name, arguments, i)?;
    if element.is_number() || *element == T::Nothing {
        Ok(())
    } else {
        Err(illegal(name, arguments, i, "an array of numbers"))
    }
}

fn vectors(name: &str, arguments: &[Argument], f: fn(&[f64], &[f64]) -> f64) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    number_array(name, arguments, 0)?;
    number_array(name, arguments, 1)?;
    let element = |i: usize| super::element_of(&arguments[i].kind).map(|kind| kind.plain().clone()).unwrap_or(T::Nothing);
    let result = match name {
        // Of integers the product is an integer.
        "arrayDotProduct" => crate::arithmetic::kinds::sum(&element(0), &element(1), false).unwrap_or(T::Float64),
        _ => T::Float64,
    };
    let arrow = result.clone();
    let name = name.to_string();
    Ok(Bound::cast(vec![SqlType::array(T::Float64); 2], result, move |args, rows| {
        let arrays = aligned(&name, args, rows)?;
        let (a, b) = (arrays[0].values().as_primitive::<Float64Type>(), arrays[1].values().as_primitive::<Float64Type>());
        let offsets = arrays[0].value_offsets();
        let computed = numbers::<Float64Type>(rows, |row| {
            let range = offsets[row] as usize..offsets[row + 1] as usize;
            Ok(f(&a.values()[range.clone()], &b.values()[range]))
        })?;
        crate::arithmetic::kinds::match_integer!(arrow, I => crate::columns::unary::<Float64Type, I>(
            &computed, |value| value as <I as arrow::datatypes::ArrowPrimitiveType>::Native), else Ok(computed))
    }))
}

/// The sum of the products of two arrays of numbers.
pub fn dot_product(arguments: &[Argument]) -> Result<Bound> {
    vectors("arrayDotProduct", arguments, |a, b| a.iter().zip(b).map(|(a, b)| a * b).sum())
}

fn norm(name: &str, arguments: &[Argument], f: fn(&[f64]) -> f64) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    number_array(name, arguments, 0)?;
    Ok(Bound::cast(vec![SqlType::array(T::Float64)], T::Float64, move |args, rows| {
        let lists = Lists::of(&args[0])?;
        let values = Numbers::of::<Float64Type>(lists.values())?;
        let mut row_values = Vec::new();
        numbers::<Float64Type>(rows, |row| {
            row_values.clear();
            row_values.extend(lists.range(row).map(|i| values.get(i)));
            Ok(f(&row_values))
        })
    }))
}
