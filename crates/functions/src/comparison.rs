//! Comparisons as functions, of values of any type: both sides are cast to what they have in common; numbers and strings are
//! compared directly, arrays lexicographically as Arrow rows. Tuples are compared element by element, and what is said of the
//! elements is joined by AND and OR of three values: one that is NULL or NaN says nothing of those before it.

use std::cmp::Ordering;
use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, PrimitiveArray};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::compute::{and_kleene, or_kleene};
use arrow::datatypes::{self as kinds, ArrowPrimitiveType, DataType, i256};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::order::{has_uint256, turned, without_sign, without_signed_zeros};
use gristmill_types::{SqlType, wide};

use crate::columns::{Bytes, Numbers, at, truth_column, truths};
use crate::define::{arity, own_nulls, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};
use crate::supertype::least;

#[derive(Clone, Copy, PartialEq)]
enum Relation {
    Equals,
    NotEquals,
    Less,
    Greater,
    LessOrEquals,
    GreaterOrEquals,
}

impl Relation {
    fn test(self) -> fn(Ordering) -> bool {
        match self {
            Relation::Equals => Ordering::is_eq,
            Relation::NotEquals => Ordering::is_ne,
            Relation::Less => Ordering::is_lt,
            Relation::Greater => Ordering::is_gt,
            Relation::LessOrEquals => Ordering::is_le,
            Relation::GreaterOrEquals => Ordering::is_ge,
        }
    }

    /// The relation of elements that decides before the last ones are looked at.
    fn strict(self) -> Relation {
        match self {
            Relation::LessOrEquals => Relation::Less,
            Relation::GreaterOrEquals => Relation::Greater,
            other => other,
        }
    }
}

pub fn register(registry: &mut Registry) {
    let relations = [
        ("equals", Relation::Equals),
        ("notEquals", Relation::NotEquals),
        ("less", Relation::Less),
        ("greater", Relation::Greater),
        ("lessOrEquals", Relation::LessOrEquals),
        ("greaterOrEquals", Relation::GreaterOrEquals),
    ];
    for (name, relation) in relations {
        registry.scalar(name, plain(move |name, arguments, _| bind(name, arguments, relation)));
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
        // A Bool is the number that it is stored as.
        (T::Bool, T::UInt8) | (T::UInt8, T::Bool) => Ok(T::UInt8),
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
        (T::Time, number) | (number, T::Time) if number.is_number() => common(name, &T::Int32, number),
        (T::DateTime64(scale, _) | T::Time64(scale), number) | (number, T::DateTime64(scale, _) | T::Time64(scale))
            if number.is_number() =>
        {
            common(name, &T::Decimal { precision: 18, scale: *scale }, number)
        }
        (T::Array(a), T::Array(b)) => Ok(SqlType::array(keep_null(common(name, a, b)?, a, b))),
        (T::Tuple(left), T::Tuple(right)) if left.len() == right.len() => Ok(T::Tuple(
            left.iter()
                .zip(right)
                .map(|((_, a), (_, b))| Ok((None, keep_null(common(name, a, b)?, a, b))))
                .collect::<Result<_>>()?,
        )),
        (T::Tuple(_), T::Tuple(_)) => Err(Error::new(
            ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT,
            format!("Illegal types of arguments (`{a}`, `{b}`) of function `{name}`: the tuples are not of one length"),
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

fn bind(name: &str, arguments: &[Argument], relation: Relation) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    if let Some(bound) = with_signed(arguments, relation).or_else(|| with_float(arguments, relation)) {
        return Ok(bound);
    }
    if has_null_element(&arguments[0].kind, &arguments[1].kind) {
        let result = T::UInt8.nullable();
        let carrier = result.arrow();
        return Ok(Bound::new(result, move |_, rows| Ok(arrow::array::new_null_array(&carrier, rows))));
    }
    let common = common(name, &arguments[0].kind, &arguments[1].kind)?;
    let (kind, is_turned) = (common.clone(), has_uint256(&common));
    let result = if has_nullable_elements(&common) { T::UInt8.nullable() } else { T::UInt8 };
    Ok(Bound::cast(vec![common; 2], result, move |args, rows| {
        let (values, nulls) = match is_turned {
            false => related(&args[0], &args[1], rows, relation)?,
            true => related(&turned(&args[0], &kind)?, &turned(&args[1], &kind)?, rows, relation)?,
        }
        .into_parts();
        let values: Vec<u8> = values.iter().map(u8::from).collect();
        Ok(Arc::new(PrimitiveArray::<kinds::UInt8Type>::new(values.into(), nulls)) as ArrayRef)
    }))
}

/// Whether tuples of one length have NULL itself for an element: then nothing is said of them, whatever the others are.
fn has_null_element(left: &SqlType, right: &SqlType) -> bool {
    let (T::Tuple(left), T::Tuple(right)) = (left.plain(), right.plain()) else { return false };
    left.len() == right.len() && left.iter().chain(right).any(|(_, kind)| kind.is_null_literal())
}

/// A UInt256 beside an integer with a sign: no type holds both. One that is negative is less than all without a sign.
fn with_signed(arguments: &[Argument], relation: Relation) -> Option<Bound> {
    let is_signed = |kind: &SqlType| kind.integer_bits().is_some_and(|(_, signed)| signed);
    let (left, right) = (arguments[0].kind.plain(), arguments[1].kind.plain());
    let left_is_signed = match (left, right) {
        (T::UInt256, signed) if is_signed(signed) => false,
        (signed, T::UInt256) if is_signed(signed) => true,
        _ => return None,
    };
    let casts = if left_is_signed { vec![T::Int256, T::UInt256] } else { vec![T::UInt256, T::Int256] };
    Some(Bound::cast(casts, T::UInt8, move |args, rows| {
        let place = usize::from(!left_is_signed);
        let signed = Numbers::of::<kinds::Decimal256Type>(&args[place])?;
        let unsigned = Numbers::of::<kinds::Decimal256Type>(&args[1 - place])?;
        truths(rows, |row| {
            let (signed, unsigned) = (signed.get(row), unsigned.get(row));
            let order =
                if signed.is_negative() { Ordering::Less } else { without_sign(signed).cmp(&without_sign(unsigned)) };
            relation.test()(if left_is_signed { order } else { order.reverse() })
        })
    }))
}

/// An integer of 64 bits or more beside a float, which does not hold each of them: only where both are equal as floats, the
/// integer that the float stands for decides.
fn with_float(arguments: &[Argument], relation: Relation) -> Option<Bound> {
    let (left, right) = (arguments[0].kind.plain(), arguments[1].kind.plain());
    let (integer, integer_is_left) = match (left, right) {
        (integer, float) if float.is_float() => (integer, true),
        (float, integer) if float.is_float() => (integer, false),
        _ => return None,
    };
    let (bits, signed) = integer.integer_bits().filter(|(bits, _)| *bits >= 64)?;
    let carried = match (bits, signed) {
        (64, true) => T::Int64,
        (64, false) => T::UInt64,
        (_, true) => T::Int256,
        (_, false) => T::UInt256,
    };
    let casts = if integer_is_left { vec![carried, T::Float64] } else { vec![T::Float64, carried] };
    Some(Bound::cast(casts, T::UInt8, move |args, rows| {
        let place = usize::from(!integer_is_left);
        let integers = &args[place];
        let floats = Numbers::of::<kinds::Float64Type>(&args[1 - place])?;
        let holds = |order: Option<Ordering>| match order {
            Some(order) => relation.test()(if integer_is_left { order } else { order.reverse() }),
            None => relation == Relation::NotEquals,
        };
        match integers.data_type() {
            DataType::Int64 => {
                let integers = Numbers::of::<kinds::Int64Type>(integers)?;
                truths(rows, |row| holds(beside_float(integers.get(row), integers.get(row) as f64, floats.get(row))))
            }
            DataType::UInt64 => {
                let integers = Numbers::of::<kinds::UInt64Type>(integers)?;
                truths(rows, |row| holds(beside_float(integers.get(row), integers.get(row) as f64, floats.get(row))))
            }
            _ => {
                let integers = Numbers::of::<kinds::Decimal256Type>(integers)?;
                truths(rows, |row| holds(wide_beside_float(integers.get(row), !signed, floats.get(row))))
            }
        }
    }))
}

/// The order of an integer, which is `nearest` as a float, and a float.
fn beside_float(integer: impl Into<i128>, nearest: f64, float: f64) -> Option<Ordering> {
    match nearest.partial_cmp(&float) {
        Some(Ordering::Equal) => Some(integer.into().cmp(&(float as i128))),
        order => order,
    }
}

fn wide_beside_float(integer: i256, unsigned: bool, float: f64) -> Option<Ordering> {
    match wide::to_f64(integer, unsigned).partial_cmp(&float) {
        Some(Ordering::Equal) => wide::from_f64(float).map(|float| match unsigned {
            true => without_sign(integer).cmp(&without_sign(float)),
            false => integer.cmp(&float),
        }),
        order => order,
    }
}

/// Whether a tuple of the type may hold NULL, in tuples within it too.
fn has_nullable_elements(kind: &SqlType) -> bool {
    match kind.plain() {
        T::Tuple(elements) => elements.iter().any(|(_, kind)| kind.is_nullable() || has_nullable_elements(kind)),
        _ => false,
    }
}

/// For each row whether the relation holds, or NULL. Of the two whole values NULL is not looked at.
fn related(a: &ArrayRef, b: &ArrayRef, rows: usize, relation: Relation) -> Result<BooleanArray> {
    match (a.as_struct_opt(), b.as_struct_opt()) {
        (Some(a), Some(b)) if a.num_columns() > 0 => tuples_related(a.columns(), b.columns(), rows, relation),
        _ => Ok(BooleanArray::new(compare_nan(a, b, rows, relation.test(), relation == Relation::NotEquals)?, None)),
    }
}

fn tuples_related(a: &[ArrayRef], b: &[ArrayRef], rows: usize, relation: Relation) -> Result<BooleanArray> {
    let element = |at: usize, relation: Relation| {
        let (values, nulls) = related(&a[at], &b[at], rows, relation)?.into_parts();
        Ok::<_, Error>(BooleanArray::new(
            values,
            NullBuffer::union(nulls.as_ref(), elements_known(&a[at], &b[at], rows).as_ref()),
        ))
    };
    let last = a.len() - 1;
    let mut whole = element(last, relation)?;
    for at in (0..last).rev() {
        let here = element(at, relation.strict())?;
        whole = match relation {
            Relation::Equals => and_kleene(&here, &whole)?,
            Relation::NotEquals => or_kleene(&here, &whole)?,
            _ => or_kleene(&here, &and_kleene(&element(at, Relation::Equals)?, &whole)?)?,
        };
    }
    Ok(whole)
}

/// The rows in which neither of two columns, each of `rows` values or a constant, is NULL; `None`: all.
fn elements_known(a: &ArrayRef, b: &ArrayRef, rows: usize) -> Option<NullBuffer> {
    let (a, b) = (a.logical_nulls(), b.logical_nulls());
    if a.is_none() && b.is_none() {
        return None;
    }
    let known =
        |nulls: &Option<NullBuffer>, row: usize| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(at(nulls.len(), row)));
    Some(NullBuffer::new(BooleanBuffer::collect_bool(rows, |row| known(&a, row) && known(&b, row))))
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
            let encoded = crate::arrays::comparable(&[without_signed_zeros(a)?, without_signed_zeros(b)?])?;
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
        let same = same(&a, &b, rows)?;
        Ok(truth_column(&if wanted { !&same } else { same }))
    }))
}

/// Equality in which NULL equals NULL, of the elements of tuples too.
pub fn same(a: &ArrayRef, b: &ArrayRef, rows: usize) -> Result<BooleanBuffer> {
    let equal = match (a.as_struct_opt(), b.as_struct_opt()) {
        (Some(a), Some(b)) if a.num_columns() > 0 => {
            let elements = a.columns().iter().zip(b.columns());
            let each = elements.map(|(a, b)| same(a, b, rows)).collect::<Result<Vec<_>>>()?;
            each.into_iter().fold(BooleanBuffer::new_set(rows), |all, one| &all & &one)
        }
        _ => compare(a, b, rows, Ordering::is_eq)?,
    };
    let null = |array: &ArrayRef, row: usize| array.is_null(at(array.len(), row));
    Ok(BooleanBuffer::collect_bool(rows, |row| match (null(a, row), null(b, row)) {
        (true, true) => true,
        (false, false) => equal.value(row),
        _ => false,
    }))
}

/// The rows in which neither side is NULL.
pub fn both_valid(a: &ArrayRef, b: &ArrayRef) -> Option<NullBuffer> {
    NullBuffer::union(a.nulls(), b.nulls())
}
