//! Functions of days and instants: some follow them everywhere, some begin again with each day, month or year, and those of the
//! local day only where no clock is turned back over midnight.

use std::sync::Arc;

use SqlType as T;
use chrono_tz::Tz;
use datafusion::common::ScalarValue;
use gristmill_types::SqlType;
use gristmill_types::calendar::SECONDS_A_DAY;
use gristmill_types::zone::Zone;

use super::holds::{Clock, Period};
use super::{Holds, Monotonicity};
use crate::define::constant_integer;
use crate::scalar::Argument;

/// Functions of the local day.
pub(super) const DAYS_AND_TIMES: [&str; 17] = [
    "toYear",
    "toISOYear",
    "toYYYYMM",
    "toYYYYMMDD",
    "toStartOfYear",
    "toStartOfISOYear",
    "toStartOfQuarter",
    "toStartOfMonth",
    "toStartOfWeek",
    "toLastDayOfWeek",
    "toLastDayOfMonth",
    "toMonday",
    "toStartOfDay",
    "toDaysSinceYearZero",
    "toStartOfInterval",
    "toYearNumSinceEpoch",
    "toMonthNumSinceEpoch",
];

/// Functions of the instant, whatever the clocks show.
pub(super) const TIMES: [&str; 14] = [
    "toStartOfMinute",
    "toStartOfFiveMinutes",
    "toStartOfTenMinutes",
    "toStartOfFifteenMinutes",
    "toStartOfHour",
    "toStartOfSecond",
    "toStartOfMillisecond",
    "toStartOfMicrosecond",
    "toStartOfNanosecond",
    "timeSlot",
    "toUnixTimestamp64Second",
    "toUnixTimestamp64Milli",
    "toUnixTimestamp64Micro",
    "toUnixTimestamp64Nano",
];

pub(super) fn zone_of(kind: &SqlType, session: &Zone) -> Zone {
    Zone::of_type(kind.timezone(), session.tz())
}

pub(super) fn of_days_or_times(kind: &SqlType, session: &Zone) -> Option<Monotonicity> {
    match kind {
        T::Date | T::Date32 => Some(Monotonicity::rising(Holds::Always)),
        T::DateTime(_) | T::DateTime64(..) => {
            zone_of(kind, session).keeps_days_in_order().then(|| Monotonicity::rising(Holds::Always))
        }
        _ => None,
    }
}

pub(super) fn is_instant(kind: &SqlType) -> bool {
    matches!(kind, T::DateTime(_) | T::DateTime64(..))
}

/// The type of an argument, seen in the zone that the call's last argument names. `None`: which that is, is not known.
pub(super) fn seen(name: &str, at: usize, arguments: &[Argument]) -> Option<SqlType> {
    let kind = arguments.get(at)?.kind.plain().clone();
    let named = arguments.iter().enumerate().next_back().filter(|(last, argument)| *last > at && argument.kind.is_string());
    let (Some((_, named)), true) = (named, is_instant(&kind) && !matches!(name, "CAST" | "_CAST")) else {
        return Some(kind);
    };
    let Some(ScalarValue::BinaryView(Some(zone))) = &named.constant else { return None };
    let zone = std::str::from_utf8(zone).ok().filter(|zone| zone.parse::<Tz>().is_ok())?;
    Some(match kind {
        T::DateTime64(scale, _) => T::DateTime64(scale, Some(Arc::from(zone))),
        _ => T::DateTime(Some(Arc::from(zone))),
    })
}

/// A function that begins again with each period.
pub(super) fn within(period: Period, kind: &SqlType, session: &Zone) -> Option<Monotonicity> {
    of_days_or_times(kind, session)?;
    let zone = zone_of(kind, session);
    let clock = |ticks_a_second| Some(Clock { tz: zone.tz(), ticks_a_second });
    let clock = match kind {
        T::DateTime(_) => clock(1),
        T::DateTime64(scale, _) => clock(10i128.pow(u32::from(*scale))),
        _ => None,
    };
    Some(Monotonicity::rising(Holds::WithinPeriod(period, clock)))
}

/// How weeks are counted. `None`: not known.
pub(super) fn week_mode(arguments: &[Argument]) -> Option<i64> {
    match arguments {
        [_] => Some(0),
        [_, mode, ..] => constant_integer(mode),
        [] => None,
    }
}

/// Hours rise within a day, minutes within an hour; only where clocks are never changed pages of equal width show them.
pub(super) fn time_of_day(name: &str, kind: &SqlType, session: &Zone) -> Option<Monotonicity> {
    let zone = zone_of(kind, session);
    let unit = match kind {
        T::DateTime(_) => 1,
        T::DateTime64(scale, _) => 10i128.pow(u32::from(*scale)),
        _ => return None,
    };
    if !zone.is_fixed() || zone.offset_at(0) != 0 {
        return None;
    }
    let seconds = match name {
        "toHour" => i128::from(SECONDS_A_DAY),
        "toMinute" => 3600,
        _ => 60,
    };
    Some(Monotonicity::rising(Holds::WithinPage(seconds * unit)))
}
