//! CAST: a column of one type as a column of another, with ClickHouse's rules.
//!
//! The pair of types chooses one loop over the whole column: integers and floats by plain C conversions that the compiler
//! vectorises (`number.rs`), decimals and 128/256-bit integers (`decimal.rs`), dates and times (`temporal.rs`), text through
//! a `ColumnBuilder` or a `ValueWriter` (`string.rs`), arrays, tuples and maps by their columns (`nested.rs`). NULL is dealt
//! with here alone: the loops may compute what they like below the mask.
//!
//! A value that cannot be converted is an error, NULL or the type's default, as `CastOptions::on_error` says; a String that is
//! no number, date, UUID or address is NULL where the type is Nullable. Which of
//! them cannot is also the caller's choice: CAST keeps the low bits of integers that are too large, `accurate` refuses
//! whatever does not come out equal.

mod decimal;
mod nested;
mod number;
mod string;
mod temporal;

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, PrimitiveArray, make_array, new_null_array};
use arrow::buffer::NullBuffer;
use arrow::compute::kernels::zip::zip;
use arrow::datatypes::{ArrowPrimitiveType, Int8Type, Int16Type, Int64Type};
use chrono_tz::Tz;
use gristmill_base::{Error, ErrorCode, Result};

use crate::default::default_array;
use crate::scan::address::LenientAddresses;
use crate::scan::best_effort::Customs;
use crate::sql_type::{IntervalKind, SqlType};
use crate::states::are_alike;
use SqlType as T;

/// What becomes of a value that cannot be converted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
pub enum OnError {
    #[default]
    Throw,
    /// NULL: the type that is cast to must be Nullable.
    Null,
    /// The type's default.
    Default,
}

/// What becomes of days and moments beyond Date and DateTime where a conversion is asked for: `date_time_overflow_behavior`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
pub enum Overflow {
    #[default]
    Wraps,
    /// They are the type's ends.
    Ends,
    Refused,
}

impl Overflow {
    /// Of the setting's value.
    pub fn of(name: &str) -> Overflow {
        match name {
            "saturate" => Overflow::Ends,
            "throw" => Overflow::Refused,
            _ => Overflow::Wraps,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CastOptions {
    /// The session's zone, for types that name none.
    pub timezone: Tz,
    pub on_error: OnError,
    /// Texts of dates with times may have any form that can be understood, else only the basic ones.
    pub best_effort_dates: bool,
    /// Of `best_effort_dates`.
    pub customs: Customs,
    /// `cast_keep_nullable`: the analyser makes the type that is cast to Nullable where the argument is; nothing is done here.
    pub keep_nullable: bool,
    /// NULL for a type that cannot hold it becomes the type's default; else it is an error.
    pub null_as_default: bool,
    /// Refuse numbers that do not come out equal.
    pub accurate: bool,
    /// Days and times beyond Date and DateTime are their ends: so it is where ClickHouse brings values to a type by itself, in an
    /// INSERT or for what columns have in common. Where a conversion is asked for they wrap around.
    pub saturates: bool,
    /// Where a conversion is asked for.
    pub overflow: Overflow,
    /// Days that a Date does not have are refused, whatever becomes of moments: so it is where files have days.
    pub refuses_days: bool,
    /// Texts that are no addresses, where the type has no NULL for them.
    pub lenient_addresses: LenientAddresses,
}

impl Default for CastOptions {
    fn default() -> Self {
        CastOptions {
            timezone: Tz::UTC,
            on_error: OnError::Throw,
            best_effort_dates: true,
            customs: Customs::default(),
            keep_nullable: false,
            null_as_default: false,
            accurate: false,
            saturates: false,
            overflow: Overflow::default(),
            refuses_days: false,
            lenient_addresses: LenientAddresses::default(),
        }
    }
}

/// Casts a column. `array` is what carries `from`, the result what carries `to`. Errors: CANNOT_CONVERT_TYPE and
/// NOT_IMPLEMENTED for pairs of types, CANNOT_PARSE_… for texts, DECIMAL_OVERFLOW, UNKNOWN_ELEMENT_OF_ENUM,
/// CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN.
pub fn cast(array: &ArrayRef, from: &SqlType, to: &SqlType, options: &CastOptions) -> Result<ArrayRef> {
    if from.storage() == to.storage() {
        return Ok(array.clone());
    }
    let (source, target) = (from.plain(), to.plain());
    let lenient;
    let mut options = options;
    if options.on_error == OnError::Throw && *source == T::String && to.is_nullable() && becomes_null(target) {
        lenient = CastOptions { on_error: OnError::Null, ..options.clone() };
        options = &lenient;
    }
    let result = if *from == T::Nothing {
        // An element of `[]` is whatever type is asked for, by its default. Only the literal NULL is NULL.
        default_array(target, array.len())
    } else if *source == T::Nothing {
        new_null_array(&target.arrow(), array.len())
    } else if source == target {
        array.clone()
    } else if source.is_string() && !target.is_string() {
        string::parse(array, source, target, to.is_nullable(), options)?
    } else {
        plain(array, source, target, options)?
    };
    settle_nulls(result, to, options)
}

/// Whether a text that is no such value is NULL where the type is Nullable: ClickHouse's rule, an error for other types.
fn becomes_null(kind: &SqlType) -> bool {
    *kind != T::Bool
        && (kind.is_number()
            || kind.is_date_or_time()
            || matches!(kind, T::Time | T::Time64(_) | T::Uuid | T::IPv4 | T::IPv6 | T::FixedString(_)))
}

/// NULL may stay only where the type has it.
pub(crate) fn settle_nulls(array: ArrayRef, to: &SqlType, options: &CastOptions) -> Result<ArrayRef> {
    if to.is_nullable() || array.null_count() == 0 {
        // An empty mask is dropped: readers of a type without NULL need not look.
        return Ok(array);
    }
    // Files have NULL lists and maps, which no type of ours can say: they are empty.
    let has_no_nullable = matches!(to.storage(), SqlType::Array(_) | SqlType::Map(..));
    if options.null_as_default || options.on_error == OnError::Default || has_no_nullable {
        return fill_nulls(&array, to);
    }
    let row = (0..array.len()).find(|row| array.is_null(*row)).unwrap_or(0);
    Err(Error::new(
        ErrorCode::CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN,
        format!("Cannot convert NULL value to non-Nullable type {to} (in row {row} of its block): cast to Nullable({to})"),
    ))
}

/// NULL replaced by the type's default.
pub fn fill_nulls(array: &ArrayRef, kind: &SqlType) -> Result<ArrayRef> {
    let Some(nulls) = array.logical_nulls().filter(|nulls| nulls.null_count() > 0) else {
        return Ok(array.clone());
    };
    let there = BooleanArray::new(nulls.inner().clone(), None);
    let default = default_array(kind, 1);
    let array = if array.data_type() == default.data_type() {
        array.clone()
    } else {
        return Err(Error::logical(format!("A value of type {kind} came as {}", array.data_type())));
    };
    let filled = zip(&there, &array, &arrow::array::Scalar::new(default))?;
    Ok(filled)
}

/// Casts between types without Nullable and LowCardinality. NULL stays NULL; failures become it where they may.
fn plain(array: &ArrayRef, from: &SqlType, to: &SqlType, options: &CastOptions) -> Result<ArrayRef> {
    match (from, to) {
        (T::AggregateFunction(function, kinds), T::AggregateFunction(other, others))
            if are_alike((function, kinds), (other, others)) =>
        {
            Ok(array.clone())
        }
        (_, T::String) => string::to_string(array, from, options),
        (T::FixedString(_), T::FixedString(width)) => string::widen(array, *width, to, options),
        (T::String, T::FixedString(width)) => string::to_fixed(array, *width, to, options),
        (T::Bool, T::FixedString(width)) => string::to_fixed(&string::to_string(array, from, options)?, *width, to, options),
        (T::String | T::FixedString(_), _) => string::parse(array, from, to, false, options),
        (T::Enum8(_) | T::Enum16(_), T::Enum8(_) | T::Enum16(_)) => {
            let names = string::to_string(array, from, options)?;
            string::parse(&names, &T::String, to, false, options)
        }
        (T::Enum8(_), _) => plain(array, &T::Int8, to, options),
        (T::Enum16(_), _) => plain(array, &T::Int16, to, options),
        (_, T::Enum8(_)) => {
            let options = CastOptions { accurate: true, ..options.clone() };
            check_enum::<Int8Type>(&plain_or_same(array, from, &T::Int8, &options)?, to, &options)
        }
        (_, T::Enum16(_)) => {
            let options = CastOptions { accurate: true, ..options.clone() };
            check_enum::<Int16Type>(&plain_or_same(array, from, &T::Int16, &options)?, to, &options)
        }
        (T::Array(_) | T::Tuple(_) | T::Map(..), _) | (_, T::Array(_) | T::Tuple(_) | T::Map(..)) => {
            nested::convert(array, from, to, options)
        }
        (T::Interval(_), T::Date) => through_bits(array, &T::UInt16, to, options),
        (T::Interval(_), T::Date32 | T::Time) => through_bits(array, &T::Int32, to, options),
        (T::Interval(_), T::DateTime(_)) => through_bits(array, &T::UInt32, to, options),
        _ if temporal::concerns(from) || temporal::concerns(to) => temporal::convert(array, from, to, options),
        // An interval is its number, an address of 32 bits too.
        (T::Interval(a), T::Interval(b)) => {
            let (from_units, to_units) = a.ratio(*b).unwrap_or_else(|| (least_nanos(*a), least_nanos(*b)));
            let numbers = array.as_primitive::<Int64Type>();
            Ok(Arc::new(
                numbers.unary::<_, Int64Type>(|count| {
                    (i128::from(count) * i128::from(from_units) / i128::from(to_units)) as i64
                }),
            ))
        }
        (T::Interval(_), _) => plain_or_same(array, &T::Int64, to, options),
        (_, T::Interval(_)) => plain_or_same(array, from, &T::Int64, options),
        (T::IPv4, T::IPv6) | (T::IPv6, T::IPv4) => string::between_addresses(array, from, to, options),
        (T::IPv4, _) if to.is_number() => plain_or_same(array, &T::UInt32, to, options),
        (_, T::IPv4) if from.is_integer() || *from == T::Bool => plain_or_same(array, from, &T::UInt32, options),
        (T::Uuid | T::IPv6, T::UInt128) => string::bytes_to_number(array),
        (T::UInt128, T::IPv6) => string::number_to_bytes(array),
        // True where any bit is set.
        (T::Uuid | T::IPv6, T::Bool) => plain(&string::bytes_to_number(array)?, &T::UInt128, to, options),
        _ if from.is_number() && to.is_number() => number::convert(array, from, to, options),
        _ => Err(no_way(from, to)),
    }
}

fn plain_or_same(array: &ArrayRef, from: &SqlType, to: &SqlType, options: &CastOptions) -> Result<ArrayRef> {
    if from == to { Ok(array.clone()) } else { plain(array, from, to, options) }
}

/// An interval's number as a day or a time: as many low bits of it as that holds.
fn through_bits(array: &ArrayRef, bits: &SqlType, to: &SqlType, options: &CastOptions) -> Result<ArrayRef> {
    let options = CastOptions { accurate: false, ..options.clone() };
    plain(&plain(array, &T::Int64, bits, &options)?, bits, to, &options)
}

/// Nanoseconds of an interval of one, where a month has 28 days: between months and days, as ClickHouse has it.
fn least_nanos(kind: IntervalKind) -> i64 {
    const MONTH: i64 = 28 * 86_400_000_000_000;
    match (kind.ratio(IntervalKind::Month), kind.ratio(IntervalKind::Nanosecond)) {
        (Some((months, _)), _) => months * MONTH,
        (None, nanos) => nanos.map_or(1, |(nanos, _)| nanos),
    }
}

fn no_way(from: &SqlType, to: &SqlType) -> Error {
    Error::new(ErrorCode::CANNOT_CONVERT_TYPE, format!("Conversion from {from} to {to} is not supported"))
}

fn check_enum<P: ArrowPrimitiveType<Native: Into<i16>>>(
    array: &ArrayRef,
    to: &SqlType,
    options: &CastOptions,
) -> Result<ArrayRef> {
    let values: &PrimitiveArray<P> = array.as_primitive();
    let Some(names) = to.enum_values() else { return Err(Error::logical(format!("{to} is no enum"))) };
    let converted: PrimitiveArray<P> = try_map(values, options, |value| match names.name_of(value.into()) {
        Some(_) => Ok(value),
        None => Err(Error::new(
            ErrorCode::UNKNOWN_ELEMENT_OF_ENUM,
            format!("Unexpected value {} in {to}: it names no element", value.into()),
        )),
    })?;
    Ok(Arc::new(converted))
}

/// Converts the values that are there; those that fail become NULL or stop it, as the options say.
fn try_map<I: ArrowPrimitiveType, O: ArrowPrimitiveType>(
    array: &PrimitiveArray<I>,
    options: &CastOptions,
    convert: impl Fn(I::Native) -> Result<O::Native>,
) -> Result<PrimitiveArray<O>> {
    try_from_fn(array.len(), array.nulls(), options, |row| convert(array.value(row)))
}

/// As `try_map`, by row number.
fn try_from_fn<O: ArrowPrimitiveType>(
    rows: usize,
    nulls: Option<&NullBuffer>,
    options: &CastOptions,
    convert: impl Fn(usize) -> Result<O::Native>,
) -> Result<PrimitiveArray<O>> {
    let mut values = vec![O::Native::default(); rows];
    let mut failed = Vec::new();
    let mut one = |row: usize| match convert(row) {
        Ok(value) => {
            values[row] = value;
            Ok(())
        }
        Err(error) if options.on_error == OnError::Throw => Err(error),
        Err(_) => {
            failed.push(row);
            Ok(())
        }
    };
    match nulls.filter(|nulls| nulls.null_count() > 0) {
        Some(nulls) => nulls.valid_indices().try_for_each(&mut one)?,
        None => (0..rows).try_for_each(&mut one)?,
    }
    Ok(PrimitiveArray::new(values.into(), with_failures(nulls, &failed, rows)))
}

/// The mask with these rows NULL as well. Where failures become defaults, the caller fills them.
fn with_failures(nulls: Option<&NullBuffer>, failed: &[usize], rows: usize) -> Option<NullBuffer> {
    if failed.is_empty() {
        return nulls.cloned();
    }
    let mut mask = arrow::array::builder::BooleanBufferBuilder::new(rows);
    match nulls {
        Some(nulls) => mask.append_buffer(nulls.inner()),
        None => mask.append_n(rows, true),
    }
    for row in failed {
        mask.set_bit(*row, false);
    }
    Some(NullBuffer::new(mask.finish()))
}

/// The same values under another mask.
fn with_nulls(array: ArrayRef, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
    if nulls.as_ref().is_none_or(|nulls| nulls.null_count() == 0) || array.data_type().is_null() {
        return Ok(array);
    }
    Ok(make_array(array.to_data().into_builder().nulls(nulls).build()?))
}

/// The same values under another Arrow type of the same layout.
fn relabel(array: &ArrayRef, carrier: &arrow::datatypes::DataType) -> Result<ArrayRef> {
    if array.data_type() == carrier {
        return Ok(array.clone());
    }
    let data = array.to_data().into_builder().data_type(carrier.clone()).build()?;
    Ok(make_array(data))
}
