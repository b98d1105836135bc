//! Dates as numbers and back: `YYYYMMDDToDate`, days since the year zero, modified Julian days.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray, PrimitiveArray};
use arrow::datatypes::{DataType, Date32Type, Float64Type, Int32Type, Int64Type};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::calendar::{FIRST_DAY, LAST_DAY_OF_DATE, SECONDS_A_DAY};
use gristmill_types::scan::date;
use gristmill_types::text::write_date;
use gristmill_types::zone::Zone;

use super::make::lenient_day;
use super::moments::{EARLIEST_DAY, LATEST_DAY, from_ticks, midnight, zone_argument};
use super::parts::DAYS_BEFORE_EPOCH;
use super::starts::in_range;
use crate::columns::{Bytes, Numbers, at, numbers, strings, unary};
use crate::define::{
    arity, bad_argument, constant_integer, expect_integer, expect_number, expect_string, not_constant, plain,
};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};

const CANNOT_FORMAT_DATETIME: ErrorCode = ErrorCode(490);
const CANNOT_PARSE_INPUT_ASSERTION_FAILED: ErrorCode = ErrorCode(27);

/// The day that modified Julian days count from: 1858-11-17.
const JULIAN_EPOCH: i32 = -40_587;

pub fn register(registry: &mut Registry) {
    registry.scalar("YYYYMMDDToDate", plain(|name, arguments, _| date_from_digits(name, arguments, T::Date)));
    registry.scalar("YYYYMMDDToDate32", plain(|name, arguments, _| date_from_digits(name, arguments, T::Date32)));
    registry.scalar("YYYYMMDDhhmmssToDateTime", plain(|name, arguments, env| time_from_digits(name, arguments, env, false)));
    registry
        .scalar("YYYYMMDDhhmmssToDateTime64", plain(|name, arguments, env| time_from_digits(name, arguments, env, true)));
    for name in ["YYYYMMDDToDate", "YYYYMMDDToDate32", "YYYYMMDDhhmmssToDateTime"] {
        registry.any_case(name);
    }
    registry.scalar("fromDaysSinceYearZero", plain(|name, arguments, _| from_year_zero(name, arguments, T::Date)));
    registry.scalar("fromDaysSinceYearZero32", plain(|name, arguments, _| from_year_zero(name, arguments, T::Date32)));
    registry.alias("FROM_DAYS", "fromDaysSinceYearZero");
    registry.any_case("FROM_DAYS");
    registry.scalar("toModifiedJulianDay", plain(|name, arguments, _| to_julian(name, arguments, false)));
    registry.scalar("toModifiedJulianDayOrNull", plain(|name, arguments, _| to_julian(name, arguments, true)));
    registry.scalar("fromModifiedJulianDay", plain(|name, arguments, _| from_julian(name, arguments, false)));
    registry.scalar("fromModifiedJulianDayOrNull", plain(|name, arguments, _| from_julian(name, arguments, true)));
}

fn date_from_digits(name: &str, arguments: &[Argument], kind: SqlType) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    expect_number(name, arguments, 0)?;
    let days = if kind == T::Date { 0..=LAST_DAY_OF_DATE } else { EARLIEST_DAY..=LATEST_DAY };
    let name = name.to_string();
    Ok(Bound::cast(vec![whole_or_double(&arguments[0].kind)], kind, move |args, _| {
        // What is no such day is 1970-01-01, of Date32 as well.
        unary::<Int64Type, Date32Type>(&rounded(&name, &args[0])?, |digits| {
            day_of_digits(digits).filter(|day| days.contains(day)).unwrap_or(0)
        })
    }))
}

/// The day that the digits YYYYMMDD name.
fn day_of_digits(digits: i64) -> Option<i32> {
    lenient_day(digits.div_euclid(10_000), digits.div_euclid(100).rem_euclid(100), digits.rem_euclid(100))
}

/// What digits are read as: numbers that may have a fraction as doubles.
fn whole_or_double(kind: &SqlType) -> SqlType {
    if kind.is_float() || kind.is_decimal() { T::Float64 } else { T::Int64 }
}

/// Whole numbers next to doubles; other numbers as they are. Error: BAD_ARGUMENTS for infinity and NaN.
fn rounded(name: &str, numbers: &ArrayRef) -> Result<ArrayRef> {
    match numbers.data_type() {
        DataType::Float64 => {
            if numbers.as_primitive::<Float64Type>().values().iter().any(|number| !number.is_finite()) {
                return Err(bad_argument(name, "the argument must be finite"));
            }
            unary::<Float64Type, Int64Type>(numbers, |number| number.round() as i64)
        }
        _ => Ok(numbers.clone()),
    }
}

/// The ticks between doubles and the whole numbers that are nearest to them; none of other numbers.
fn fractions(numbers: &ArrayRef, unit: i64) -> Option<Vec<i64>> {
    let doubles = numbers.as_primitive_opt::<Float64Type>()?;
    Some(doubles.values().iter().map(|number| ((number - number.round()) * unit as f64).round() as i64).collect())
}

fn time_from_digits(name: &str, arguments: &[Argument], env: &FunctionEnv, wide: bool) -> Result<Bound> {
    arity(name, arguments, 1..=if wide { 3 } else { 2 })?;
    expect_number(name, arguments, 0)?;
    let scale = match arguments.get(1).filter(|_| wide) {
        Some(argument) => {
            let scale = constant_integer(argument).ok_or_else(|| not_constant(name, 1))?;
            u8::try_from(scale)
                .ok()
                .filter(|scale| *scale <= 9)
                .ok_or_else(|| bad_argument(name, format!("precision {scale} is not from 0 to 9")))?
        }
        None if wide => 3,
        None => 0,
    };
    let named = zone_argument(name, arguments, if wide { 2 } else { 1 })?;
    let zone = match &named {
        Some((zone, _)) => zone.clone(),
        None => Zone::new(crate::text::timezone(env)?),
    };
    let named = named.map(|(_, named)| named);
    let kind = if wide { T::DateTime64(scale, named) } else { T::DateTime(named) };
    let (to, unit) = (kind.clone(), 10i64.pow(u32::from(scale)));
    let name = name.to_string();
    // A DateTime64 keeps a fraction, a DateTime is the nearest second.
    let mut casts = vec![whole_or_double(&arguments[0].kind)];
    casts.extend(arguments[1..].iter().map(|argument| argument.kind.clone()));
    Ok(Bound::cast(casts, kind, move |args, rows| {
        let fractions = if wide { fractions(&args[0], unit) } else { None };
        let whole = rounded(&name, &args[0])?;
        let digits = Numbers::of::<Int64Type>(&whole)?;
        let values = (0..rows).map(|row| {
            let (date, clock) = (digits.get(row).div_euclid(1_000_000), digits.get(row).rem_euclid(1_000_000));
            // Clocks go on into the next day, as months do into the next month.
            let (hour, minute, second) = (clock / 10_000, clock / 100 % 100, clock % 100);
            let utc = |day: i32| zone.to_utc(i64::from(day) * SECONDS_A_DAY + hour * 3600 + minute * 60 + second);
            let fraction = fractions.as_ref().map_or(0, |ticks| ticks[at(ticks.len(), row)]);
            match day_of_digits(date) {
                Some(day) if wide => utc(day).saturating_mul(unit).saturating_add(fraction),
                Some(day) => in_range(utc(day)),
                // What is no such time is where Date32 begins.
                None if wide => midnight(&zone, FIRST_DAY.into()).saturating_mul(unit).saturating_add(fraction),
                None => 0,
            }
        });
        from_ticks(values.collect(), &to)
    }))
}

fn from_year_zero(name: &str, arguments: &[Argument], kind: SqlType) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    expect_integer(name, arguments, 0)?;
    let (narrow, name) = (kind == T::Date, name.to_string());
    // A number without a sign that Int64 does not hold is a day all the same.
    let signed = arguments[0].kind.integer_bits().is_some_and(|(_, signed)| signed);
    Ok(Bound::cast(vec![T::Int64], kind, move |args, rows| {
        let counts = Numbers::of::<Int64Type>(&args[0])?;
        numbers::<Date32Type>(rows, |row| {
            let days = counts.get(row);
            if signed && days < 0 {
                let text = format!("Function {name} expects a number of days that is not negative, got {days}");
                return Err(Error::new(ErrorCode::ARGUMENT_OUT_OF_BOUND, text));
            }
            let day = days.wrapping_sub(i64::from(DAYS_BEFORE_EPOCH));
            Ok(if narrow { i32::from(day as u16) } else { day.clamp(EARLIEST_DAY.into(), LATEST_DAY.into()) as i32 })
        })
    }))
}

/// Whether a text has the form YYYY-MM-DD, with nothing behind it.
fn is_iso_day(text: &[u8]) -> bool {
    let fits = |(i, byte): (usize, &u8)| if matches!(i, 4 | 7) { *byte == b'-' } else { byte.is_ascii_digit() };
    text.len() == 10 && text.iter().enumerate().all(fits)
}

fn no_iso_day(text: &[u8]) -> Error {
    let shown: String = String::from_utf8_lossy(text).chars().take(100).collect();
    Error::new(CANNOT_PARSE_INPUT_ASSERTION_FAILED, format!("Cannot parse '{shown}' as a day: expected YYYY-MM-DD"))
}

fn to_julian(name: &str, arguments: &[Argument], or_null: bool) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    expect_string(name, arguments, 0)?;
    let result = if or_null { T::Int32.nullable() } else { T::Int32 };
    Ok(Bound::new(result, move |args, _| {
        let text = Bytes::of(&args[0])?;
        let days: PrimitiveArray<Int32Type> = (0..text.len())
            .map(|row| match date::date(text.get(row)) {
                _ if !is_iso_day(text.get(row)) => {
                    if or_null {
                        Ok(None)
                    } else {
                        Err(no_iso_day(text.get(row)))
                    }
                }
                // The zero day is no day of a calendar.
                Ok(_) if or_null && text.get(row).starts_with(b"0000-00-00") => Ok(None),
                Ok(day) => Ok(Some(day - JULIAN_EPOCH)),
                Err(_) if or_null => Ok(None),
                Err(fault) => Err(fault.explain(text.get(row), &T::Date)),
            })
            .collect::<Result<_>>()?;
        Ok(Arc::new(days) as ArrayRef)
    }))
}

fn from_julian(name: &str, arguments: &[Argument], or_null: bool) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    expect_integer(name, arguments, 0)?;
    let result = if or_null { T::String.nullable() } else { T::String };
    Ok(Bound::cast(vec![T::Int64], result, move |args, rows| {
        let days = Numbers::of::<Int64Type>(&args[0])?;
        let (low, high) = (i64::from(super::moments::EARLIEST_DAY), i64::from(super::moments::LATEST_DAY));
        let day = |row: usize| days.get(row).checked_add(JULIAN_EPOCH.into()).filter(|day| (low..=high).contains(day));
        let texts = strings(rows, |row, out| match day(row) {
            Some(day) => {
                write_date(day as i32, out);
                Ok(())
            }
            None if or_null => Ok(()),
            None => Err(Error::new(
                CANNOT_FORMAT_DATETIME,
                format!("Modified Julian day {} lies outside of the years 0 to 9999", days.get(row)),
            )),
        })?;
        let valid = arrow::buffer::NullBuffer::from((0..rows).map(|row| day(row).is_some()).collect::<Vec<_>>());
        if valid.null_count() == 0 {
            return Ok(texts);
        }
        Ok(arrow::array::make_array(texts.to_data().into_builder().nulls(Some(valid)).build()?))
    }))
}
