//! Moving dates and times by intervals: `addDays` … `subtractYears`, `date + INTERVAL 1 MONTH`, sums of intervals.
//!
//! Days and longer move the local calendar and keep the time of day; shorter units move the instant. Dates moved by parts
//! of a day become times; parts of a second give DateTime64 of the scale they need. Date and DateTime wrap around at the
//! ends of their ranges, as the integers that they are.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray, Date32Array, PrimitiveArray, StructArray};
use arrow::datatypes::{DataType, Int64Type};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::calendar::{SECONDS_A_DAY, add_months};
use gristmill_types::zone::Zone;
use gristmill_types::{IntervalKind, SqlType};

use super::intervals::nanos;
use super::moments::{EARLIEST_DAY, LATEST_DAY, bounded, from_ticks};
use crate::columns::{Numbers, broadcast, retype};
use crate::define::{arity, illegal, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};

pub fn register(registry: &mut Registry) {
    for kind in IntervalKind::ALL {
        for (verb, sign) in [("add", 1), ("subtract", -1)] {
            registry.scalar(
                &format!("{verb}{}s", kind.name()),
                plain(move |name, arguments, env| {
                    arity(name, arguments, 2..=2)?;
                    if !arguments[1].kind.is_number() {
                        return Err(illegal(name, arguments, 1, "a number"));
                    }
                    let arguments = [arguments[0].clone(), Argument { kind: T::Int64, constant: None }];
                    shift(name, &arguments, kind, sign, env)
                }),
            );
        }
    }
    for (name, sign) in [
        ("addDate", 1),
        ("subDate", -1),
        ("addInterval", 1),
        ("subtractInterval", -1),
        ("addTupleOfIntervals", 1),
        ("subtractTupleOfIntervals", -1),
    ] {
        registry.scalar(
            name,
            plain(move |name, arguments, env| {
                arity(name, arguments, 2..=2)?;
                let bound = plus_minus(name, arguments, sign, env)?;
                bound.ok_or_else(|| illegal(name, arguments, 1, "an interval, or a tuple of intervals"))
            }),
        );
    }
    for name in ["addDate", "subDate"] {
        registry.any_case(name);
    }
}

/// A sum or difference in which an interval takes part; `None` where none does.
pub fn plus_minus(name: &str, arguments: &[Argument], sign: i64, env: &FunctionEnv) -> Result<Option<Bound>> {
    let (left, right) = (arguments[0].kind.plain(), arguments[1].kind.plain());
    let movable = |kind: &SqlType| kind.is_date_or_time() || kind.is_string() || is_clock(kind);
    match (left, right) {
        // A number beside a time of day is seconds.
        (left, number) if is_clock(left) && is_count(number) => {
            let arguments = [arguments[0].clone(), Argument { kind: T::Int64, constant: None }];
            shift(name, &arguments, IntervalKind::Second, sign, env).map(Some)
        }
        (left, T::Interval(kind)) if movable(left) => shift(name, arguments, *kind, sign, env).map(Some),
        (by, right) if sign > 0 && (matches!(by, T::Interval(_)) && movable(right) || is_count(by) && is_clock(right)) => {
            let swapped = [arguments[1].clone(), arguments[0].clone()];
            let bound = plus_minus(name, &swapped, sign, env)?;
            Ok(bound.map(|bound| {
                let mut casts = bound.arguments;
                casts.reverse();
                let kernel = bound.kernel;
                Bound::cast(casts, bound.result, move |args, rows| kernel(&[args[1].clone(), args[0].clone()], rows))
            }))
        }
        (left, T::Tuple(fields)) if movable(left) && is_intervals(fields) => {
            by_tuple(name, arguments, fields, sign, env).map(Some)
        }
        // By the functions' names an interval is a tuple of one.
        (T::Interval(a), T::Interval(b)) if a == b && matches!(name, "addInterval" | "subtractInterval") => {
            let result = T::Tuple(vec![(None, left.clone())]);
            let arrow = result.arrow();
            Ok(Some(Bound::new(result, move |args, rows| {
                let moved = signed(&broadcast(&args[1], rows)?, sign);
                tuple(vec![sum(&broadcast(&args[0], rows)?, &moved)?], &arrow, rows)
            })))
        }
        (T::Interval(a), T::Interval(b)) if a == b => Ok(Some(Bound::new(left.clone(), move |args, rows| {
            let (a, b) = (Numbers::of::<Int64Type>(&args[0])?, Numbers::of::<Int64Type>(&args[1])?);
            crate::columns::numbers::<Int64Type>(rows, |row| Ok(a.get(row).wrapping_add(b.get(row).wrapping_mul(sign))))
        }))),
        (T::Interval(_), T::Interval(_)) => {
            let result = T::Tuple(vec![(None, left.clone()), (None, right.clone())]);
            let arrow = result.arrow();
            Ok(Some(Bound::new(result, move |args, rows| {
                tuple(vec![broadcast(&args[0], rows)?, signed(&broadcast(&args[1], rows)?, sign)], &arrow, rows)
            })))
        }
        (T::Tuple(fields), T::Interval(kind)) if is_intervals(fields) => {
            // The interval joins the last one where that is of its kind.
            let last = fields.len() - 1;
            let place = (fields[last].1 == T::Interval(*kind)).then_some(last);
            let mut kinds = fields.clone();
            if place.is_none() {
                kinds.push((None, right.clone()));
            }
            let result = T::Tuple(kinds);
            let arrow = result.arrow();
            Ok(Some(Bound::new(result, move |args, rows| {
                let tuple_array = broadcast(&args[0], rows)?;
                let mut columns: Vec<ArrayRef> = tuple_array.as_struct().columns().to_vec();
                let moved = signed(&broadcast(&args[1], rows)?, sign);
                match place {
                    Some(place) => columns[place] = sum(&columns[place], &moved)?,
                    None => columns.push(moved),
                }
                tuple(columns, &arrow, rows)
            })))
        }
        _ => Ok(None),
    }
}

/// A time of day, without a day.
fn is_clock(kind: &SqlType) -> bool {
    matches!(kind, T::Time | T::Time64(_))
}

fn is_count(kind: &SqlType) -> bool {
    kind.integer_bits().is_some_and(|(bits, _)| bits <= 64) || kind.is_float() || *kind == T::Bool
}

fn is_intervals(fields: &[(Option<String>, SqlType)]) -> bool {
    !fields.is_empty() && fields.iter().all(|(_, kind)| matches!(kind, T::Interval(_)))
}

fn tuple(columns: Vec<ArrayRef>, arrow: &DataType, rows: usize) -> Result<ArrayRef> {
    let DataType::Struct(fields) = arrow else { return Err(Error::logical("A tuple is carried as a struct")) };
    Ok(Arc::new(StructArray::try_new_with_length(fields.clone(), columns, None, rows)?))
}

fn signed(array: &ArrayRef, sign: i64) -> ArrayRef {
    Arc::new(array.as_primitive::<Int64Type>().unary::<_, Int64Type>(|value| value.wrapping_mul(sign)))
}

fn sum(a: &ArrayRef, b: &ArrayRef) -> Result<ArrayRef> {
    crate::columns::binary::<Int64Type, Int64Type, Int64Type>(a, b, a.len(), i64::wrapping_add)
}

/// One interval after the other.
fn by_tuple(
    name: &str,
    arguments: &[Argument],
    fields: &[(Option<String>, SqlType)],
    sign: i64,
    env: &FunctionEnv,
) -> Result<Bound> {
    let first_kind = if arguments[0].kind.is_string() { T::DateTime64(3, None) } else { arguments[0].kind.clone() };
    let mut kind = first_kind.clone();
    let mut steps = Vec::with_capacity(fields.len());
    for (_, field) in fields {
        let T::Interval(unit) = field else { return Err(illegal(name, arguments, 1, "a tuple of intervals")) };
        let pair = [Argument { kind: kind.clone(), constant: None }, Argument { kind: field.clone(), constant: None }];
        let bound = shift(name, &pair, *unit, sign, env)?;
        let step = (bound.kernel, kind.clone(), bound.arguments.first().cloned());
        kind = bound.result;
        steps.push(step);
    }
    let timezone = crate::text::timezone(env)?;
    let casts = vec![first_kind, arguments[1].kind.clone()];
    Ok(Bound::cast(casts, kind, move |args, rows| {
        let mut current = broadcast(&args[0], rows)?;
        let intervals = args[1].as_struct();
        for (i, (kernel, from, to)) in steps.iter().enumerate() {
            if let Some(to) = to {
                let options = gristmill_types::cast::CastOptions { timezone, ..Default::default() };
                current = gristmill_types::cast::cast(&current, from, to, &options)?;
            }
            current = kernel(&[current, intervals.column(i).clone()], rows)?;
        }
        Ok(current)
    }))
}

/// The scale that ticks of a unit need.
fn scale_of(kind: IntervalKind) -> u8 {
    match kind {
        IntervalKind::Nanosecond => 9,
        IntervalKind::Microsecond => 6,
        IntervalKind::Millisecond => 3,
        _ => 0,
    }
}

fn shift(name: &str, arguments: &[Argument], kind: IntervalKind, sign: i64, env: &FunctionEnv) -> Result<Bound> {
    let session = crate::text::timezone(env)?;
    let from = arguments[0].kind.plain().clone();
    if is_clock(&from) {
        return shift_clock(name, arguments, &from, kind, sign);
    }
    let parts_of_second = kind < IntervalKind::Second;
    let parts_of_day = kind < IntervalKind::Day;
    let result = match &from {
        T::String | T::FixedString(_) => T::DateTime64(scale_of(kind).max(3), None),
        T::Date | T::Date32 if parts_of_second => {
            return Err(illegal(name, arguments, 0, "DateTime or DateTime64, as the interval is shorter than a second"));
        }
        T::Date if parts_of_day => T::DateTime(None),
        T::Date32 if parts_of_day => T::DateTime64(3, None),
        T::DateTime(zone) if parts_of_second => T::DateTime64(scale_of(kind), zone.clone()),
        T::DateTime64(scale, zone) => T::DateTime64((*scale).max(scale_of(kind)), zone.clone()),
        T::Date | T::Date32 | T::DateTime(_) => from.clone(),
        _ => return Err(illegal(name, arguments, 0, "Date, Date32, DateTime, DateTime64 or String")),
    };
    let zone = Zone::of_type(result.timezone(), session);
    // A day that a DateTime does not hold wraps around as the sum does.
    let by_day = from == T::Date && from != result;
    let casts = vec![if by_day { from.clone() } else { result.clone() }, arguments[1].kind.clone()];
    let to = result.clone();
    Ok(Bound::cast(casts, result, move |args, rows| {
        let by = Numbers::of::<Int64Type>(&args[1])?;
        let by = |row: usize| by.get(row).saturating_mul(sign);
        match &to {
            T::Date | T::Date32 => move_days(&args[0], rows, kind, to == T::Date, by),
            _ if by_day => {
                let options = gristmill_types::cast::CastOptions { timezone: session, ..Default::default() };
                let midnights = gristmill_types::cast::cast(&args[0], &from, &to, &options)?;
                move_instants(&midnights, rows, kind, &to, &zone, by)
            }
            _ => move_instants(&args[0], rows, kind, &to, &zone, by),
        }
    }))
}

/// The last second that a time of day has, and with its sign turned the first.
const LAST_CLOCK_SECOND: i128 = 3_599_999;

/// A time of day moved on or back. At the ends of its range it stays, with its fraction.
fn shift_clock(name: &str, arguments: &[Argument], from: &SqlType, kind: IntervalKind, sign: i64) -> Result<Bound> {
    let (result, scale) = match from {
        T::Time64(scale) if kind <= IntervalKind::Week => {
            let scale = (*scale).max(scale_of(kind));
            (T::Time64(scale), scale)
        }
        T::Time if (IntervalKind::Second..=IntervalKind::Hour).contains(&kind) => (T::Time, 0),
        _ => return Err(illegal(name, arguments, 0, "Date, DateTime or DateTime64, for such an interval")),
    };
    let unit = 10i128.pow(u32::from(scale));
    let step = i128::from(nanos(kind)) * unit / 1_000_000_000 * i128::from(sign);
    let casts = vec![result.clone(), arguments[1].kind.clone()];
    let carrier = result.arrow();
    Ok(Bound::cast(casts, result, move |args, rows| {
        let ticks = arrow::compute::cast(&args[0], &DataType::Int64)?;
        let (ticks, by) = (Numbers::of::<Int64Type>(&ticks)?, Numbers::of::<Int64Type>(&args[1])?);
        let moved = crate::columns::numbers::<Int64Type>(rows, |row| {
            let moved = i128::from(ticks.get(row)) + i128::from(by.get(row)) * step;
            let (seconds, rest) = (moved / unit, moved % unit);
            Ok((seconds.clamp(-LAST_CLOCK_SECOND, LAST_CLOCK_SECOND) * unit + rest) as i64)
        })?;
        Ok(arrow::compute::cast(&moved, &carrier)?)
    }))
}

/// Days, weeks or months on the calendar.
fn move_days(
    array: &ArrayRef,
    rows: usize,
    kind: IntervalKind,
    narrow: bool,
    by: impl Fn(usize) -> i64,
) -> Result<ArrayRef> {
    let days = super::moments::days(array)?;
    let day = |row: usize| days[crate::columns::at(days.len(), row)];
    let settle = |day: i64| {
        if narrow { i32::from(day as u16) } else { day.clamp(EARLIEST_DAY.into(), LATEST_DAY.into()) as i32 }
    };
    let values: Vec<i32> = match in_months(kind) {
        Some(months) => (0..rows)
            .map(|row| {
                let moved = i64::from(add_months(bounded(day(row)), by(row).saturating_mul(months)));
                // Months before the epoch stay at it.
                settle(if narrow { moved.max(0) } else { moved })
            })
            .collect(),
        None => {
            let step = if kind == IntervalKind::Week { 7 } else { 1 };
            (0..rows).map(|row| settle(i64::from(day(row)).saturating_add(by(row).saturating_mul(step)))).collect()
        }
    };
    Ok(Arc::new(Date32Array::new(values.into(), None)))
}

fn in_months(kind: IntervalKind) -> Option<i64> {
    match kind {
        IntervalKind::Month => Some(1),
        IntervalKind::Quarter => Some(3),
        IntervalKind::Year => Some(12),
        _ => None,
    }
}

fn move_instants(
    array: &ArrayRef,
    rows: usize,
    kind: IntervalKind,
    to: &SqlType,
    zone: &Zone,
    by: impl Fn(usize) -> i64,
) -> Result<ArrayRef> {
    let ticks = retype(array, &DataType::Int64)?;
    let ticks: &PrimitiveArray<Int64Type> = ticks.as_primitive();
    let ticks = ticks.values();
    let tick = |row: usize| ticks[crate::columns::at(ticks.len(), row)];
    let (unit, narrow) = match to {
        T::DateTime64(scale, _) => (10i64.pow(u32::from(*scale)), false),
        _ => (1, true),
    };
    // DateTime has 32 bits and wraps at them; beyond 64 bits there is nothing to wrap into.
    let settle = |tick: Option<i64>| match tick {
        Some(tick) if narrow => Ok(i64::from(tick as u32)),
        Some(tick) => Ok(tick),
        None => Err(Error::new(
            ErrorCode::DECIMAL_OVERFLOW,
            format!("The sum of a time and an interval of {}s does not fit {to}", kind.name().to_lowercase()),
        )),
    };
    let values: Vec<i64> = if kind < IntervalKind::Day {
        // Ticks of the unit: all units divide one another.
        let step = (i128::from(nanos(kind)) * i128::from(unit) / 1_000_000_000) as i64;
        (0..rows)
            .map(|row| settle(by(row).checked_mul(step).and_then(|moved| tick(row).checked_add(moved))))
            .collect::<Result<_>>()?
    } else {
        let local = zone.cursor();
        let months = in_months(kind);
        let width = if kind == IntervalKind::Week { 7 } else { 1 };
        (0..rows)
            .map(|row| {
                let (second, rest) = (tick(row).div_euclid(unit), tick(row).rem_euclid(unit));
                let here = local.to_local(second);
                let (day, clock) = (here.div_euclid(SECONDS_A_DAY), here.rem_euclid(SECONDS_A_DAY));
                let moved = match months {
                    Some(months) => {
                        let day = day.clamp(EARLIEST_DAY.into(), LATEST_DAY.into()) as i32;
                        let moved = add_months(day, by(row).saturating_mul(months));
                        // Months before the epoch stay at it.
                        if narrow && moved < 0 {
                            return Ok(0);
                        }
                        Some(i64::from(bounded(moved)))
                    }
                    None => by(row).checked_mul(width).and_then(|by| day.checked_add(by)),
                };
                let moved = moved
                    .and_then(|day| day.checked_mul(SECONDS_A_DAY))
                    .and_then(|midnight| midnight.checked_add(clock))
                    .map(|local| zone.to_utc(local))
                    .and_then(|second| second.checked_mul(unit))
                    .and_then(|tick| tick.checked_add(rest));
                settle(moved)
            })
            .collect::<Result<_>>()?
    };
    from_ticks(values, to)
}
