//! Comparisons as functions, of values of any type: both sides are cast to what they have in common; numbers and strings are
//! compared directly, tuples and arrays lexicographically as Arrow rows.

use std::cmp::Ordering;

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::datatypes::{self as kinds, ArrowPrimitiveType, DataType};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use crate::columns::{Bytes, at, truth_column};
use crate::define::{arity, own_nulls, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};
use crate::supertype::least;

pub fn register(registry: &mut Registry) {
    type Test = fn(Ordering) -> bool;
    let tests: [(&str, Test); 6] = [
        ("equals", Ordering::is_eq),
        ("notEquals", Ordering::is_ne),
        ("less", Ordering::is_lt),
        ("greater", Ordering::is_gt),
        ("lessOrEquals", Ordering::is_le),
        ("greaterOrEquals", Ordering::is_ge),
    ];
    for (name, test) in tests {
        registry.scalar(name, plain(move |name, arguments, _| bind(name, arguments, test)));
    }
    registry.scalar("isNotDistinctFrom", own_nulls(|name, arguments, _| distinct(name, arguments, false)));
    registry.scalar("isDistinctFrom", own_nulls(|name, arguments, _| distinct(name, arguments, true)));
}

/// The type that two sides are compared in. Texts are read as the type of the other side.
pub fn common(name: &str, a: &SqlType, b: &SqlType) -> Result<SqlType> {
    let (a, b) = (a.plain(), b.plain());
    if a == b {
        return Ok(a.clone());
    }
    match (a, b) {
        (T::String | T::FixedString(_), T::String | T::FixedString(_)) => Ok(T::String),
        (T::String, other) | (other, T::String)
            if !other.is_number() && !matches!(other, T::Nothing | T::Array(_) | T::Tuple(_) | T::Map(..)) =>
        {
            Ok(other.clone())
        }
        // Numbers without a common type (UInt64 and Int64, UInt64 and Float64) are compared as wide ones.
        (a, b) if a.is_number() && b.is_number() => Ok(least(name, &[a.clone(), b.clone()])
            .unwrap_or_else(|_| if a.is_float() || b.is_float() { T::Float64 } else { T::Int256 })),
        // A time is the seconds since 1970.
        (T::DateTime(_), number) | (number, T::DateTime(_)) if number.is_number() => common(name, &T::UInt32, number),
        (T::DateTime64(scale, _), number) | (number, T::DateTime64(scale, _)) if number.is_number() => {
            common(name, &T::Decimal { precision: 18, scale: *scale }, number)
        }
        (T::Array(a), T::Array(b)) => Ok(SqlType::array(keep_null(common(name, a, b)?, a, b))),
        (T::Tuple(left), T::Tuple(right)) if left.len() == right.len() => Ok(T::Tuple(
            left.iter()
                .zip(right)
                .map(|((_, a), (_, b))| Ok((None, keep_null(common(name, a, b)?, a, b))))
                .collect::<Result<_>>()?,
        )),
        (T::Nothing, other) | (other, T::Nothing) => Ok(other.clone()),
        (a, b) => least(name, &[a.clone(), b.clone()]).map_err(|_| {
            Error::new(ErrorCode::NO_COMMON_TYPE, format!("Function {name} cannot compare {a} with {b}: cast one of them"))
        }),
    }
}

fn keep_null(kind: SqlType, a: &SqlType, b: &SqlType) -> SqlType {
    if a.is_nullable() || b.is_nullable() { kind.nullable() } else { kind }
}

fn bind(name: &str, arguments: &[Argument], test: fn(Ordering) -> bool) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    let common = common(name, &arguments[0].kind, &arguments[1].kind)?;
    let unordered = name == "notEquals";
    Ok(Bound::cast(vec![common.clone(); 2], T::UInt8, move |args, rows| {
        Ok(truth_column(&compare_nan(&args[0], &args[1], rows, test, unordered)?))
    }))
}

/// For each row whether the two values are in an order that `test` accepts. NULL is not looked at.
pub fn compare(a: &ArrayRef, b: &ArrayRef, rows: usize, test: fn(Ordering) -> bool) -> Result<BooleanBuffer> {
    compare_nan(a, b, rows, test, false)
}

/// `unordered`: what is said of NaN, which is in no order with anything.
fn compare_nan(
    a: &ArrayRef,
    b: &ArrayRef,
    rows: usize,
    test: fn(Ordering) -> bool,
    unordered: bool,
) -> Result<BooleanBuffer> {
    fn values<K: ArrowPrimitiveType>(
        a: &ArrayRef,
        b: &ArrayRef,
        rows: usize,
        test: impl Fn(&K::Native, &K::Native) -> bool,
    ) -> BooleanBuffer {
        let (a, b) = (a.as_primitive::<K>().values(), b.as_primitive::<K>().values());
        BooleanBuffer::collect_bool(rows, |row| test(&a[at(a.len(), row)], &b[at(b.len(), row)]))
    }
    macro_rules! ordered {
        ($K:ty) => {
            values::<$K>(a, b, rows, |a, b| test(a.cmp(b)))
        };
    }
    macro_rules! floats {
        ($K:ty) => {
            values::<$K>(a, b, rows, |a, b| a.partial_cmp(b).map_or(unordered, test))
        };
    }
    Ok(match a.data_type() {
        DataType::UInt8 => ordered!(kinds::UInt8Type),
        DataType::UInt16 => ordered!(kinds::UInt16Type),
        DataType::UInt32 => ordered!(kinds::UInt32Type),
        DataType::UInt64 => ordered!(kinds::UInt64Type),
        DataType::Int8 => ordered!(kinds::Int8Type),
        DataType::Int16 => ordered!(kinds::Int16Type),
        DataType::Int32 => ordered!(kinds::Int32Type),
        DataType::Int64 => ordered!(kinds::Int64Type),
        DataType::Date32 => ordered!(kinds::Date32Type),
        DataType::Decimal128(..) => ordered!(kinds::Decimal128Type),
        DataType::Float32 => floats!(kinds::Float32Type),
        DataType::Float64 => floats!(kinds::Float64Type),
        DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            let (a, b) = (Bytes::of(a)?, Bytes::of(b)?);
            BooleanBuffer::collect_bool(rows, |row| test(a.get(row).cmp(b.get(row))))
        }
        _ => {
            let encoded = crate::arrays::comparable(&[a.clone(), b.clone()])?;
            BooleanBuffer::collect_bool(rows, |row| {
                test(encoded[0].row(at(a.len(), row)).cmp(&encoded[1].row(at(b.len(), row))))
            })
        }
    })
}

/// Equality in which NULL equals NULL.
fn distinct(name: &str, arguments: &[Argument], wanted: bool) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    let common = common(name, &arguments[0].kind, &arguments[1].kind)?.nullable();
    let casts = arguments
        .iter()
        .map(|argument| if argument.kind.is_null_literal() { argument.kind.clone() } else { common.clone() })
        .collect();
    let arrow = common.arrow();
    Ok(Bound::cast(casts, T::UInt8, move |args, rows| {
        let (a, b) = (crate::columns::retype(&args[0], &arrow)?, crate::columns::retype(&args[1], &arrow)?);
        let equal = compare(&a, &b, rows, Ordering::is_eq)?;
        let null = |array: &ArrayRef, row: usize| array.is_null(at(array.len(), row));
        let same = BooleanBuffer::collect_bool(rows, |row| match (null(&a, row), null(&b, row)) {
            (true, true) => true,
            (false, false) => equal.value(row),
            _ => false,
        });
        Ok(truth_column(&if wanted { !&same } else { same }))
    }))
}

/// The rows in which neither side is NULL.
pub fn both_valid(a: &ArrayRef, b: &ArrayRef) -> Option<NullBuffer> {
    NullBuffer::union(a.nulls(), b.nulls())
}
