//! How columns of dates and times are read: as days of the calendar, or as instants in a zone.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{ArrayRef, ArrowPrimitiveType, AsArray, PrimitiveArray};
use arrow::buffer::ScalarBuffer;
use arrow::datatypes::{DataType, Date32Type, Int64Type};
use gristmill_base::{Error, Result};
use gristmill_types::SqlType;
use gristmill_types::calendar::SECONDS_A_DAY;
use gristmill_types::zone::Zone;

use crate::columns::retype;
use crate::define::{bad_argument, illegal, need_constant_text};
use crate::scalar::{Argument, Bound, FunctionEnv};

// Calendar arithmetic is done on these days: what lies beyond counts as the nearest of them.
pub use gristmill_types::calendar::{EARLIEST_DAY, LATEST_DAY};

/// What a date or time argument holds.
#[derive(Clone)]
pub struct Moments {
    /// `None`: days. Else instants in ticks of 10^-scale seconds.
    pub scale: Option<u8>,
    /// The zone that instants are shown in, and that a day has its midnight in.
    pub zone: Zone,
    /// The zone's name where the type itself gives it.
    pub named: Option<Arc<str>>,
}

impl Moments {
    /// `None` where the type is no date and no time.
    pub fn of(kind: &SqlType, env: &FunctionEnv) -> Result<Option<Moments>> {
        let scale = match kind.plain() {
            T::Date | T::Date32 => None,
            T::DateTime(_) => Some(0),
            T::DateTime64(scale, _) => Some(*scale),
            _ => return Ok(None),
        };
        let zone = Zone::of_type(kind.timezone(), crate::text::timezone(env)?);
        Ok(Some(Moments { scale, zone, named: kind.timezone().cloned() }))
    }

    /// Ticks in a second.
    pub fn unit(&self) -> i64 {
        10i64.pow(u32::from(self.scale.unwrap_or(0)))
    }

    /// Reads instants in the zone that argument `i` names, where there is one.
    pub fn in_zone_of(mut self, name: &str, arguments: &[Argument], i: usize) -> Result<Moments> {
        if let Some((zone, named)) = zone_argument(name, arguments, i)? {
            self.zone = zone;
            self.named = Some(named);
        }
        Ok(self)
    }

    /// `f` of the local day of every value.
    pub fn each_day<R: ArrowPrimitiveType>(&self, array: &ArrayRef, f: impl Fn(i32) -> R::Native) -> Result<ArrayRef> {
        let values: Vec<R::Native> = if self.scale.is_none() {
            days(array)?.iter().map(|day| f(bounded(*day))).collect()
        } else {
            // Neighbours often share their day, and the calendar is the dearer part.
            let mut last = i32::MIN;
            let mut answer = R::default_value();
            let mut of_second = |local: i64| {
                let day = local_day(local);
                if day != last {
                    last = day;
                    answer = f(day);
                }
                answer
            };
            let ticks = ticks(array)?;
            let local = self.zone.cursor();
            match self.unit() {
                1 => ticks.iter().map(|tick| of_second(local.to_local(*tick))).collect(),
                unit => ticks.iter().map(|tick| of_second(local.to_local(tick.div_euclid(unit)))).collect(),
            }
        };
        Ok(Arc::new(PrimitiveArray::<R>::new(values.into(), None)))
    }

    /// `f` of every instant, as whole seconds since the epoch and the zone's offset then. A day is its midnight.
    pub fn each_second<R: ArrowPrimitiveType>(
        &self,
        array: &ArrayRef,
        f: impl Fn(i64, i64) -> R::Native,
    ) -> Result<ArrayRef> {
        let local = self.zone.cursor();
        let values: Vec<R::Native> = if self.scale.is_none() {
            days(array)?
                .iter()
                .map(|day| {
                    let utc = self.zone.to_utc(i64::from(*day) * SECONDS_A_DAY);
                    f(utc, local.offset_at(utc))
                })
                .collect()
        } else {
            let ticks = ticks(array)?;
            match self.unit() {
                1 => ticks.iter().map(|tick| f(*tick, local.offset_at(*tick))).collect(),
                unit => ticks
                    .iter()
                    .map(|tick| {
                        let second = tick.div_euclid(unit);
                        f(second, local.offset_at(second))
                    })
                    .collect(),
            }
        };
        Ok(Arc::new(PrimitiveArray::<R>::new(values.into(), None)))
    }

    /// Whole seconds since the epoch of every value.
    pub fn seconds(&self, array: &ArrayRef) -> Result<ScalarBuffer<i64>> {
        Ok(self.each_second::<Int64Type>(array, |second, _| second)?.as_primitive::<Int64Type>().values().clone())
    }

    /// Local days of every value.
    pub fn local_days(&self, array: &ArrayRef) -> Result<ScalarBuffer<i32>> {
        Ok(self.each_day::<Date32Type>(array, |day| day)?.as_primitive::<Date32Type>().values().clone())
    }
}

#[inline]
pub fn bounded(day: i32) -> i32 {
    day.clamp(EARLIEST_DAY, LATEST_DAY)
}

/// The day of local seconds.
#[inline]
pub fn local_day(local: i64) -> i32 {
    local.div_euclid(SECONDS_A_DAY).clamp(i64::from(EARLIEST_DAY), i64::from(LATEST_DAY)) as i32
}

pub fn days(array: &ArrayRef) -> Result<&ScalarBuffer<i32>> {
    match array.as_primitive_opt::<Date32Type>() {
        Some(array) => Ok(array.values()),
        None => Err(Error::logical(format!("A date column is carried as {}", array.data_type()))),
    }
}

pub fn ticks(array: &ArrayRef) -> Result<ScalarBuffer<i64>> {
    Ok(retype(array, &DataType::Int64)?.as_primitive::<Int64Type>().values().clone())
}

/// A column of ticks as what carries `kind`.
pub fn from_ticks(values: Vec<i64>, kind: &SqlType) -> Result<ArrayRef> {
    retype(&(Arc::new(PrimitiveArray::<Int64Type>::new(values.into(), None)) as ArrayRef), &kind.plain().arrow())
}

/// A date or time argument.
pub fn expect_moments(name: &str, arguments: &[Argument], i: usize, env: &FunctionEnv) -> Result<Moments> {
    let found = match arguments.get(i) {
        Some(argument) => Moments::of(&argument.kind, env)?,
        None => None,
    };
    found.ok_or_else(|| illegal(name, arguments, i, "Date, Date32, DateTime or DateTime64"))
}

/// As `expect_moments`, of instants only.
pub fn expect_instants(name: &str, arguments: &[Argument], i: usize, env: &FunctionEnv) -> Result<Moments> {
    let moments = expect_moments(name, arguments, i, env)?;
    if moments.scale.is_none() {
        return Err(illegal(name, arguments, i, "DateTime or DateTime64"));
    }
    Ok(moments)
}

/// What a function of the time of day makes of days, which have none: ClickHouse refuses them where it computes one, so that over
/// no rows there is a type and no error.
pub fn refused_of_days(name: &str, arguments: &[Argument], result: SqlType) -> Bound {
    let (name, arguments, carrier) = (name.to_string(), arguments.to_vec(), result.arrow());
    Bound::new(result, move |_, rows| match rows {
        0 => Ok(arrow::array::new_empty_array(&carrier)),
        _ => Err(illegal(&name, &arguments, 0, "DateTime or DateTime64")),
    })
}

/// The zone that an argument names: a constant string. `None` where there is no such argument, or it is empty.
pub fn zone_argument(name: &str, arguments: &[Argument], i: usize) -> Result<Option<(Zone, Arc<str>)>> {
    if i >= arguments.len() {
        return Ok(None);
    }
    let text = need_constant_text(name, arguments, i)?;
    if text.is_empty() {
        return Ok(None);
    }
    Ok(Some((zone_named(name, text.as_bytes())?, Arc::from(text))))
}

/// The zone of this name. Error: BAD_ARGUMENTS where there is none.
pub fn zone_named(name: &str, zone: &[u8]) -> Result<Zone> {
    let found = std::str::from_utf8(zone).ok().and_then(|zone| zone.parse::<chrono_tz::Tz>().ok());
    found.map(Zone::new).ok_or_else(|| {
        let zone = String::from_utf8_lossy(zone);
        bad_argument(name, format!("Cannot load time zone {zone}: give an IANA name"))
    })
}

/// Midnight of a local day, as seconds since the epoch.
#[inline]
pub fn midnight(zone: &Zone, day: i64) -> i64 {
    zone.to_utc(day.saturating_mul(SECONDS_A_DAY))
}
