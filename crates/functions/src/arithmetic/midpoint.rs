//! `avg2`, `midpoint`: the mean of values in their common type, cut toward zero. NULL is left out, and of one value alone there is
//! nothing to compute.

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray, PrimitiveArray, make_array, new_null_array};
use arrow::datatypes::{
    ArrowPrimitiveType, DataType, Date32Type, Decimal128Type, Decimal256Type, Float32Type, Float64Type, Int64Type, i256,
};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use std::sync::Arc;

use super::kinds::match_integer;
use crate::columns::{at, broadcast, retype};
use crate::define::{arity, own_nulls};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};
use crate::supertype::least;

pub fn register(registry: &mut Registry) {
    registry.scalar(
        "avg2",
        own_nulls(|name, arguments, _| {
            arity(name, arguments, 2..=2)?;
            bind(name, arguments)
        }),
    );
    registry.scalar(
        "midpoint",
        own_nulls(|name, arguments, _| {
            if arguments.is_empty() {
                let text = format!("Function {name} cannot be called without arguments");
                return Err(Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, text));
            }
            bind(name, arguments)
        }),
    );
    registry.any_case("avg2");
    registry.any_case("midpoint");
}

fn bind(name: &str, arguments: &[Argument]) -> Result<Bound> {
    let kinds: Vec<SqlType> = arguments.iter().map(|argument| argument.kind.clone()).collect();
    let common = least(name, &kinds)?;
    if common.is_null_literal() {
        return Ok(Bound::new(common, |_, rows| Ok(new_null_array(&DataType::Null, rows))));
    }
    let is_there = |kind: &SqlType| !kind.is_null_literal();
    if let Some(only) = kinds.iter().position(is_there)
        && !kinds[only + 1..].iter().any(is_there)
    {
        return Ok(Bound::new(common, move |args, rows| broadcast(&args[only], rows)));
    }
    let plain = common.plain().clone();
    let of_numbers = plain.is_integer() || plain.is_float() || plain.is_decimal();
    if !of_numbers && plain != T::Bool && !plain.is_date_or_time() && !matches!(plain, T::Time | T::Time64(_)) {
        let text = format!("Illegal type {plain} of an argument of function {name}: expected a number, a date or a time");
        return Err(Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text));
    }
    let result = common.clone();
    Ok(Bound::cast(vec![common; kinds.len()], result, move |args, rows| mean(&plain, args, rows)))
}

fn mean(kind: &SqlType, args: &[ArrayRef], rows: usize) -> Result<ArrayRef> {
    if *kind == T::Bool {
        let columns: Vec<_> = args.iter().map(|array| array.as_boolean()).collect();
        let truth = (0..rows).map(|row| {
            let there = columns.iter().filter(|column| !column.is_null(at(column.len(), row)));
            let (sum, count) =
                there.fold((0, 0), |(sum, count), column| (sum + u32::from(column.value(at(column.len(), row))), count + 1));
            (count > 0).then(|| sum / count > 0)
        });
        return Ok(Arc::new(arrow::array::BooleanArray::from_iter(truth)));
    }
    let width = |value: i256| value.to_i128().unwrap_or(0);
    match args[0].data_type() {
        DataType::Float64 => means::<Float64Type>(args, rows, |values| values.iter().sum::<f64>() / values.len() as f64),
        DataType::Float32 => means::<Float32Type>(args, rows, |values| {
            (values.iter().map(|value| f64::from(*value)).sum::<f64>() / values.len() as f64) as f32
        }),
        DataType::Date32 => means::<Date32Type>(args, rows, |values| {
            (values.iter().map(|day| i64::from(*day)).sum::<i64>() / values.len() as i64) as i32
        }),
        DataType::Decimal128(..) => means::<Decimal128Type>(args, rows, |values| {
            let sum = values.iter().fold(i256::ZERO, |sum, value| sum.wrapping_add(i256::from_i128(*value)));
            width(sum.wrapping_div(i256::from_i128(values.len() as i128)))
        }),
        DataType::Decimal256(..) => means::<Decimal256Type>(args, rows, |values| {
            let sum = values.iter().fold(i256::ZERO, |sum, value| sum.wrapping_add(*value));
            sum.wrapping_div(i256::from_i128(values.len() as i128))
        }),
        DataType::Timestamp(..) => {
            let ticks = args.iter().map(|array| retype(array, &DataType::Int64)).collect::<Result<Vec<_>>>()?;
            let made = means::<Int64Type>(&ticks, rows, |values| {
                (values.iter().map(|tick| i128::from(*tick)).sum::<i128>() / values.len() as i128) as i64
            })?;
            retype(&made, args[0].data_type())
        }
        _ => match_integer!(stored(kind), I => means::<I>(args, rows, |values| {
            (values.iter().map(|value| *value as i128).sum::<i128>() / values.len() as i128) as <I as ArrowPrimitiveType>::Native
        }), else Err(Error::not_implemented(format!("The mean of {kind}")))),
    }
}

/// The integer that a time is kept as.
fn stored(kind: &SqlType) -> SqlType {
    match kind {
        T::Time => T::Int32,
        T::Time64(_) | T::DateTime64(..) => T::Int64,
        other => other.clone(),
    }
}

/// `f` of the values of each row that are not NULL.
fn means<P: ArrowPrimitiveType>(args: &[ArrayRef], rows: usize, f: impl Fn(&[P::Native]) -> P::Native) -> Result<ArrayRef> {
    let columns = args
        .iter()
        .map(|array| array.as_primitive_opt::<P>())
        .collect::<Option<Vec<_>>>()
        .ok_or_else(|| Error::logical("values of one type were promised"))?;
    let mut values = Vec::with_capacity(columns.len());
    let made: PrimitiveArray<P> = (0..rows)
        .map(|row| {
            values.clear();
            let there = columns.iter().filter(|column| !column.is_null(at(column.len(), row)));
            values.extend(there.map(|column| column.value(at(column.len(), row))));
            (!values.is_empty()).then(|| f(&values))
        })
        .collect();
    let nulls = made.nulls().filter(|nulls| nulls.null_count() > 0).cloned();
    let data = made.to_data().into_builder().nulls(nulls).data_type(args[0].data_type().clone()).build()?;
    Ok(make_array(data))
}
