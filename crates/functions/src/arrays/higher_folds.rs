//! Higher-order functions that fold a row's elements into a value: `arraySum`, `arrayAvg`, `arrayProduct`, `arrayMin`, `arrayMax`,
//! running ones (`arrayCumSum`, `arrayDifference`), and `arrayFold` with a lambda of its own.

use std::collections::HashMap;
use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef, ArrowNativeTypeOp, AsArray, PrimitiveArray, UInt32Array};
use arrow::compute::{interleave, take};
use arrow::datatypes::{
    ArrowNativeType, ArrowPrimitiveType, DataType, Decimal128Type, Decimal256Type, Float64Type, Int64Type, UInt64Type,
};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use super::higher::{Elements, HigherBound, HigherOrder};
use super::higher_kernels::define;
use super::{sort, with_values};
use crate::columns::numbers;

macro_rules! by_carrier {
    ($values:expr, $run:ident($($args:expr),*)) => {{
        use arrow::datatypes::DataType as D;
        match $values.data_type() {
            D::UInt64 => $run::<UInt64Type>($($args),*),
            D::Int64 => $run::<Int64Type>($($args),*),
            D::Float64 => $run::<Float64Type>($($args),*),
            D::Decimal128(..) => $run::<Decimal128Type>($($args),*),
            D::Decimal256(..) => $run::<Decimal256Type>($($args),*),
            other => Err(Error::logical(format!("Sums of {other}"))),
        }
    }};
}

pub fn define_all(functions: &mut HashMap<&'static str, Arc<dyn HigherOrder>>) {
    define(functions, "arraySum", false, |name, lambda, _| {
        let kind = summed(name, lambda)?;
        bound(kind.clone(), kind, |elements| fold_numbers(elements, Fold::Sum))
    });
    define(functions, "arrayCumSum", false, |name, lambda, _| {
        let kind = summed(name, lambda)?;
        bound(SqlType::array(kind.clone()), kind, |elements| running_lists(elements, Running::Sum))
    });
    define(functions, "arrayCumSumNonNegative", false, |name, lambda, _| {
        let kind = summed(name, lambda)?;
        bound(SqlType::array(kind.clone()), kind, |elements| running_lists(elements, Running::SumNonNegative))
    });
    define(functions, "arrayDifference", false, |name, lambda, _| {
        // Twice as wide as the elements, but for the widest; computed in the widest.
        let (computed, result) = match lambda.plain() {
            T::UInt8 | T::Int8 | T::Bool => (T::Int64, T::Int16),
            T::UInt16 | T::Int16 | T::Date => (T::Int64, T::Int32),
            T::UInt32 | T::Int32 | T::UInt64 | T::Int64 | T::Date32 | T::DateTime(_) => (T::Int64, T::Int64),
            T::BFloat16 | T::Float32 | T::Float64 => (T::Float64, T::Float64),
            T::Int128 | T::UInt128 => (T::Int128, T::Int128),
            T::Int256 | T::UInt256 => (T::Int256, T::Int256),
            T::DateTime64(scale, _) => {
                let seconds = T::Decimal { precision: 18, scale: *scale };
                (seconds.clone(), seconds)
            }
            kind @ T::Decimal { .. } => (kind.clone(), kind.clone()),
            _ => return Err(no_numbers(name, lambda)),
        };
        let carrier = result.arrow();
        bound(SqlType::array(result), computed, move |elements| {
            let steps = running(elements, Running::Difference)?;
            with_values(&elements.arrays[0], arrow::compute::cast(&steps, &carrier)?)
        })
    });
    define(functions, "arrayAvg", false, |name, lambda, _| {
        if !lambda.is_number() {
            return Err(no_numbers(name, lambda));
        }
        // Decimals are divided as such, which cuts off what their scale does not hold.
        if matches!(lambda, T::Decimal { .. }) {
            return bound(T::Float64, summed(name, lambda)?, |elements| {
                let sums = fold_numbers(elements, Fold::Sum)?;
                let averages = by_carrier!(sums, averages(elements, &sums))?;
                let averages = crate::columns::retype(&averages, sums.data_type())?;
                Ok(arrow::compute::cast(&averages, &DataType::Float64)?)
            });
        }
        // The sum of words of 64 bits is such a word, which may overflow.
        if let (Some((64, signed)), false) = (lambda.integer_bits(), lambda.is_nullable()) {
            return bound(T::Float64, lambda.plain().clone(), move |elements| {
                let values = elements.mapped()?;
                let offsets = elements.arrays[0].value_offsets();
                let sum = |row: usize| -> f64 {
                    let range = offsets[row] as usize..offsets[row + 1] as usize;
                    if signed {
                        let words = &values.as_primitive::<Int64Type>().values()[range];
                        words.iter().fold(0i64, |sum, word| sum.wrapping_add(*word)) as f64
                    } else {
                        let words = &values.as_primitive::<UInt64Type>().values()[range];
                        words.iter().fold(0u64, |sum, word| sum.wrapping_add(*word)) as f64
                    }
                };
                let length = |row: usize| f64::from(offsets[row + 1] - offsets[row]);
                numbers::<Float64Type>(elements.rows, |row| {
                    Ok(if length(row) == 0.0 { 0.0 } else { sum(row) / length(row) })
                })
            });
        }
        bound(T::Float64, T::Float64, |elements| {
            let sums = fold_numbers(elements, Fold::Sum)?;
            let sums = sums.as_primitive::<Float64Type>();
            let offsets = elements.arrays[0].offsets();
            let lengths: Vec<usize> = offsets.lengths().collect();
            numbers::<Float64Type>(elements.rows, |row| {
                Ok(if lengths[row] == 0 { 0.0 } else { sums.value(row) / lengths[row] as f64 })
            })
        })
    });
    define(functions, "arrayProduct", false, |name, lambda, _| {
        if !lambda.is_number() {
            return Err(no_numbers(name, lambda));
        }
        // Those of up to 64 bits are multiplied as such, which may overflow.
        if let (Some((..=64, signed)), false) = (lambda.integer_bits(), lambda.is_nullable()) {
            return bound(T::Float64, if signed { T::Int64 } else { T::UInt64 }, |elements| {
                Ok(arrow::compute::cast(&fold_numbers(elements, Fold::Product)?, &DataType::Float64)?)
            });
        }
        bound(T::Float64, T::Float64, |elements| fold_numbers(elements, Fold::Product))
    });
    for (name, last) in [("arrayMin", false), ("arrayMax", true)] {
        define(functions, name, false, move |_, lambda, _| {
            let (kind, default) = (lambda.clone(), gristmill_types::default::default_array(lambda, 1));
            bound(lambda.clone(), lambda.clone(), move |elements| {
                let values = elements.mapped()?;
                let order = sort::order(&values, &kind, last)?;
                let offsets = elements.arrays[0].value_offsets();
                let picks: Vec<(usize, usize)> = (0..elements.rows)
                    .map(|row| {
                        let range = offsets[row] as u32..offsets[row + 1] as u32;
                        range.min_by(|a, b| order(*a, *b)).map_or((1, 0), |place| (0, place as usize))
                    })
                    .collect();
                Ok(interleave(&[values.as_ref(), default.as_ref()], &picks)?)
            })
        });
    }
    define(functions, "arrayFold", true, |_, lambda, arrays| {
        let start = arrays.last().cloned().unwrap_or(T::Nothing);
        if start != *lambda {
            let text =
                format!("Function arrayFold: the lambda gives {lambda}, and what it starts with is {start}: cast either");
            return Err(Error::new(ErrorCode::TYPE_MISMATCH, text));
        }
        bound(start.clone(), start, fold)
    });
}

fn bound(
    result: SqlType,
    lambda: SqlType,
    kernel: impl Fn(&Elements) -> Result<ArrayRef> + Send + Sync + 'static,
) -> Result<HigherBound> {
    Ok(HigherBound { result, lambda, kernel: Arc::new(kernel) })
}

fn no_numbers(name: &str, kind: &SqlType) -> Error {
    let text = format!("Function {name} needs numbers, not {kind}: cast the elements");
    Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text)
}

/// The type of a sum: 64 bits, or the decimal's digits.
fn summed(name: &str, kind: &SqlType) -> Result<SqlType> {
    Ok(match kind.plain() {
        T::UInt8 | T::UInt16 | T::UInt32 | T::UInt64 | T::Bool => T::UInt64,
        T::Int8 | T::Int16 | T::Int32 | T::Int64 => T::Int64,
        T::BFloat16 | T::Float32 | T::Float64 => T::Float64,
        wide @ (T::Int128 | T::UInt128 | T::Int256 | T::UInt256) => wide.clone(),
        T::Decimal { precision, scale } => T::Decimal { precision: if *precision > 38 { 76 } else { 38 }, scale: *scale },
        T::Nothing => T::UInt64,
        _ => return Err(no_numbers(name, kind)),
    })
}

#[derive(Clone, Copy)]
enum Fold {
    Sum,
    Product,
}

#[derive(Clone, Copy, PartialEq)]
enum Running {
    Sum,
    SumNonNegative,
    Difference,
}

fn fold_numbers(elements: &Elements, fold: Fold) -> Result<ArrayRef> {
    let values = elements.mapped()?;
    let folded = by_carrier!(values, fold_typed(elements, &values, fold))?;
    crate::columns::retype(&folded, values.data_type())
}

fn fold_typed<K: ArrowPrimitiveType>(elements: &Elements, values: &ArrayRef, fold: Fold) -> Result<ArrayRef> {
    let values = values.as_primitive::<K>().values();
    let offsets = elements.arrays[0].value_offsets();
    numbers::<K>(elements.rows, |row| {
        let row_values = &values[offsets[row] as usize..offsets[row + 1] as usize];
        Ok(match fold {
            Fold::Sum => row_values.iter().fold(K::Native::ZERO, |sum, value| sum.add_wrapping(*value)),
            Fold::Product if row_values.is_empty() => K::Native::ZERO,
            Fold::Product => row_values.iter().fold(K::Native::ONE, |product, value| product.mul_wrapping(*value)),
        })
    })
}

fn averages<K: ArrowPrimitiveType>(elements: &Elements, sums: &ArrayRef) -> Result<ArrayRef> {
    let sums = sums.as_primitive::<K>().values();
    let lengths: Vec<usize> = elements.arrays[0].offsets().lengths().collect();
    numbers::<K>(elements.rows, |row| {
        let length = K::Native::from_usize(lengths[row]).filter(|length| !length.is_zero());
        Ok(length.map_or(K::Native::ZERO, |length| sums[row].div_wrapping(length)))
    })
}

fn running_lists(elements: &Elements, kind: Running) -> Result<ArrayRef> {
    with_values(&elements.arrays[0], running(elements, kind)?)
}

/// The elements of the lists, without them.
fn running(elements: &Elements, kind: Running) -> Result<ArrayRef> {
    let values = elements.mapped()?;
    let run = by_carrier!(values, running_typed(elements, &values, kind))?;
    crate::columns::retype(&run, values.data_type())
}

fn running_typed<K: ArrowPrimitiveType>(elements: &Elements, values: &ArrayRef, kind: Running) -> Result<ArrayRef> {
    let values = values.as_primitive::<K>().values();
    let mut out: Vec<K::Native> = Vec::with_capacity(values.len());
    for window in elements.arrays[0].value_offsets().windows(2) {
        let row = &values[window[0] as usize..window[1] as usize];
        let mut carried = K::Native::ZERO;
        for (i, value) in row.iter().enumerate() {
            match kind {
                Running::Difference => {
                    out.push(if i == 0 { K::Native::ZERO } else { value.sub_wrapping(carried) });
                    carried = *value;
                }
                _ => {
                    carried = carried.add_wrapping(*value);
                    if kind == Running::SumNonNegative && carried.is_lt(K::Native::ZERO) {
                        carried = K::Native::ZERO;
                    }
                    out.push(carried);
                }
            }
        }
    }
    Ok(Arc::new(PrimitiveArray::<K>::new(out.into(), None)))
}

/// Step by step: in each, the rows that still have an element are computed together.
fn fold(elements: &Elements) -> Result<ArrayRef> {
    let mut accumulated = elements.others.first().cloned().ok_or_else(|| Error::logical("arrayFold without a start"))?;
    let offsets = elements.arrays[0].value_offsets();
    let longest = elements.arrays[0].offsets().lengths().max().unwrap_or(0);
    for step in 0..longest {
        let rows: Vec<u32> = (0..elements.rows)
            .filter(|row| step < (offsets[row + 1] - offsets[*row]) as usize)
            .map(|row| row as u32)
            .collect();
        let of_rows = UInt32Array::from(rows.clone());
        let places = UInt32Array::from_iter_values(rows.iter().map(|row| offsets[*row as usize] as u32 + step as u32));
        let mut columns = vec![take(&accumulated, &of_rows, None)?];
        for array in elements.arrays {
            columns.push(take(array.values(), &places, None)?);
        }
        let computed = (elements.evaluate)(&columns, &rows)?;
        let mut picks: Vec<(usize, usize)> = (0..elements.rows).map(|row| (0, row)).collect();
        for (i, row) in rows.iter().enumerate() {
            picks[*row as usize] = (1, i);
        }
        accumulated = interleave(&[accumulated.as_ref(), computed.as_ref()], &picks)?;
    }
    Ok(accumulated)
}
