//! Numbers about elements: `arrayEnumerate…`, `arrayUniq`, `arrayDifference`, products of two arrays, areas
//! under curves of classifiers.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef, ArrowNativeTypeOp, AsArray, UInt32Array};
use arrow::datatypes::{ArrowPrimitiveType, Float32Type, Float64Type};
use gristmill_base::Result;
use gristmill_types::SqlType;

use super::{Lists, aligned, comparable, with_values};
use crate::arithmetic::kinds::match_integer;
use crate::columns::{Numbers, list, numbers};
use crate::define::{arity, bad_argument, expect_array, illegal, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    registry.scalar("arrayEnumerate", plain(|name, arguments, _| enumerate(name, arguments)));
    registry.scalar("arrayEnumerateUniq", plain(|name, arguments, _| enumerate_uniq(name, arguments, false)));
    registry.scalar("arrayEnumerateDense", plain(|name, arguments, _| enumerate_uniq(name, arguments, true)));
    registry.scalar("arrayUniq", plain(|name, arguments, _| uniq(name, arguments)));
    registry.scalar("arrayDotProduct", plain(|_, arguments, _| dot_product(arguments)));
    registry.scalar("arrayROCAUC", plain(|name, arguments, _| curve(name, arguments, false)));
    registry.alias("arrayAUC", "arrayROCAUC");
    registry.scalar("arrayAUCPR", plain(|name, arguments, _| curve(name, arguments, true)));
    registry.alias("arrayPRAUC", "arrayAUCPR");
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

/// The type of a number of vectors: Float32 where that is what their elements have in common.
fn float_of(vectors: &[Argument]) -> SqlType {
    let elements: Vec<_> = vectors.iter().filter_map(|vector| super::element_of(&vector.kind)).collect();
    let is_narrow = |kind: &SqlType| matches!(kind, T::Float32 | T::BFloat16);
    let is_short = |kind: &SqlType| kind.integer_bits().is_some_and(|(bits, _)| bits <= 16);
    let fits = elements.iter().all(|kind| is_narrow(kind.plain()) || is_short(kind.plain()));
    if fits && elements.iter().any(|kind| is_narrow(kind.plain())) { T::Float32 } else { T::Float64 }
}

/// Numbers in the type that `float_of` says.
fn as_float(numbers: ArrayRef, kind: &SqlType) -> Result<ArrayRef> {
    match kind {
        T::Float32 => crate::columns::unary::<Float64Type, Float32Type>(&numbers, |value| value as f32),
        _ => Ok(numbers),
    }
}

/// A number of two vectors, and of the constant or column after them (1 where there is none).
pub fn vectors(
    name: &str,
    arguments: &[Argument],
    f: impl Fn(&[f64], &[f64], f64) -> f64 + Send + Sync + 'static,
) -> Result<Bound> {
    number_array(name, arguments, 0)?;
    number_array(name, arguments, 1)?;
    let mut casts = vec![SqlType::array(T::Float64); 2];
    casts.extend(arguments.get(2).map(|_| T::Float64));
    let result = float_of(&arguments[..2]);
    let kind = result.clone();
    let name = name.to_string();
    Ok(Bound::cast(casts, result, move |args, rows| {
        let arrays = aligned(&name, &args[..2], rows)?;
        let (a, b) = (arrays[0].values().as_primitive::<Float64Type>(), arrays[1].values().as_primitive::<Float64Type>());
        let given = args.get(2).map(Numbers::of::<Float64Type>).transpose()?;
        let offsets = arrays[0].value_offsets();
        let computed = numbers::<Float64Type>(rows, |row| {
            let range = offsets[row] as usize..offsets[row + 1] as usize;
            let given = given.map_or(1.0, |given| given.get(row));
            Ok(f(&a.values()[range.clone()], &b.values()[range], given))
        })?;
        as_float(computed, &kind)
    }))
}

/// The sum of the products of two arrays of numbers.
pub fn dot_product(arguments: &[Argument]) -> Result<Bound> {
    let name = "arrayDotProduct";
    arity(name, arguments, 2..=2)?;
    let element = |i: usize| super::element_of(&arguments[i].kind).map(|kind| kind.plain().clone()).unwrap_or(T::Nothing);
    // Of integers the product is an integer.
    match crate::arithmetic::kinds::sum(&element(0), &element(1), false) {
        Some(whole) if !whole.is_float() => whole_dot_product(name, whole),
        _ => vectors(name, arguments, |a, b, _| a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + a * b)),
    }
}

/// As `dot_product`, of integers: it wraps around where its type ends.
fn whole_dot_product(name: &'static str, result: SqlType) -> Result<Bound> {
    let kind = result.clone();
    Ok(Bound::cast(vec![SqlType::array(result.clone()); 2], result, move |args, rows| {
        let arrays = aligned(name, args, rows)?;
        let offsets = arrays[0].value_offsets();
        match_integer!(kind, I => {
            let (a, b) = (arrays[0].values().as_primitive::<I>(), arrays[1].values().as_primitive::<I>());
            numbers::<I>(rows, |row| {
                let range = offsets[row] as usize..offsets[row + 1] as usize;
                let pairs = a.values()[range.clone()].iter().zip(&b.values()[range]);
                Ok(pairs.fold(Default::default(), |sum: <I as ArrowPrimitiveType>::Native, (a, b)| {
                    sum.add_wrapping(a.mul_wrapping(*b))
                }))
            })
        }, else Err(bad_argument(name, "the sum takes more than 64 bits")))
    }))
}

/// A number of one vector, and of the constant or column after it (1 where there is none).
pub fn norm(name: &str, arguments: &[Argument], f: impl Fn(&[f64], f64) -> f64 + Send + Sync + 'static) -> Result<Bound> {
    number_array(name, arguments, 0)?;
    let mut casts = vec![SqlType::array(T::Float64)];
    casts.extend(arguments.get(1).map(|_| T::Float64));
    let result = float_of(&arguments[..1]);
    let kind = result.clone();
    Ok(Bound::cast(casts, result, move |args, rows| {
        let lists = Lists::of(&args[0])?;
        let values = Numbers::of::<Float64Type>(lists.values())?;
        let given = args.get(1).map(Numbers::of::<Float64Type>).transpose()?;
        let mut row_values = Vec::new();
        let computed = numbers::<Float64Type>(rows, |row| {
            row_values.clear();
            row_values.extend(lists.range(row).map(|i| values.get(i)));
            Ok(f(&row_values, given.map_or(1.0, |given| given.get(row))))
        })?;
        as_float(computed, &kind)
    }))
}

/// The area under the curve of a classifier: scores, labels (above 0: positive), and for the first kind of curve whether
/// the area is scaled to 1.
fn curve(name: &str, arguments: &[Argument], precision: bool) -> Result<Bound> {
    arity(name, arguments, 2..=if precision { 2 } else { 3 })?;
    number_array(name, arguments, 0)?;
    number_array(name, arguments, 1)?;
    let mut scaled = true;
    if let Some(given) = arguments.get(2) {
        scaled = crate::define::constant_integer(given).ok_or_else(|| crate::define::not_constant(name, 2))? != 0;
    }
    let mut casts = vec![SqlType::array(T::Float64); 2];
    casts.extend(arguments.get(2).map(|given| given.kind.clone()));
    let name = name.to_string();
    Ok(Bound::cast(casts, T::Float64, move |args, rows| {
        let (scores, labels) = (Lists::of(&args[0])?, Lists::of(&args[1])?);
        let (all_scores, all_labels) =
            (Numbers::of::<Float64Type>(scores.values())?, Numbers::of::<Float64Type>(labels.values())?);
        numbers::<Float64Type>(rows, |row| {
            let (score_range, label_range) = (scores.range(row), labels.range(row));
            if score_range.len() != label_range.len() {
                return Err(bad_argument(&name, "scores and labels must be arrays of equal sizes"));
            }
            let mut points: Vec<(f64, bool)> =
                score_range.zip(label_range).map(|(i, j)| (all_scores.get(i), all_labels.get(j) > 0.0)).collect();
            points.sort_by(|a, b| b.0.total_cmp(&a.0));
            Ok(if precision { area_of_precision(&points) } else { area_of_rates(&points, scaled) })
        })
    }))
}

/// Runs of equal scores: how many positives and negatives each adds.
fn runs(points: &[(f64, bool)]) -> impl Iterator<Item = (f64, f64)> {
    points.chunk_by(|a, b| a.0 == b.0).map(|run| {
        let positives = run.iter().filter(|(_, positive)| *positive).count();
        (positives as f64, (run.len() - positives) as f64)
    })
}

/// Under the rate of true positives over that of false ones, by trapezia.
fn area_of_rates(points: &[(f64, bool)], scaled: bool) -> f64 {
    let (mut area, mut positives, mut negatives) = (0.0, 0.0, 0.0);
    for (more_positives, more_negatives) in runs(points) {
        area += more_negatives * (positives + more_positives / 2.0);
        positives += more_positives;
        negatives += more_negatives;
    }
    if scaled { area / (positives * negatives) } else { area }
}

/// Under the precision over the recall, by steps.
fn area_of_precision(points: &[(f64, bool)]) -> f64 {
    let (mut area, mut positives, mut all) = (0.0, 0.0, 0.0);
    for (more_positives, more_negatives) in runs(points) {
        positives += more_positives;
        all += more_positives + more_negatives;
        area += more_positives * positives / all;
    }
    if positives > 0.0 { area / positives } else { 0.0 }
}
