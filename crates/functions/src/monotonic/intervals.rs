//! Sums and differences of dates or times and intervals, and starts of intervals of a Date32: where they neither leave their
//! type, and wrap, nor go against the order.

use IntervalKind as I;
use SqlType as T;
use gristmill_types::calendar::{FIRST_DAY, LAST_DAY, LAST_DAY_OF_DATE, LAST_DAY_OF_DATETIME, SECONDS_A_DAY};
use gristmill_types::zone::Zone;
use gristmill_types::{IntervalKind, SqlType};

use super::{Holds, Monotonicity};
use crate::datetime::day_start;
use crate::define::constant_integer;
use crate::scalar::Argument;

const SECOND_NS: i128 = 1_000_000_000;
const DAY_NS: i128 = SECONDS_A_DAY as i128 * SECOND_NS;

/// `moment + by units`; `zone`: that of the moments.
pub(super) fn shifted(moment: &SqlType, unit: IntervalKind, by: i128, zone: &Zone) -> Option<Monotonicity> {
    let is_instant = matches!(moment, T::DateTime(_) | T::DateTime64(..));
    // The last days of months fall on one day, where their times of day are in no order; and a clock that is turned back, or
    // forth, is so a day later.
    if is_instant && (unit >= I::Month || (unit >= I::Day && !zone.is_fixed())) {
        return None;
    }
    let tick_ns = match moment {
        T::Date | T::Date32 => DAY_NS,
        T::DateTime(_) => SECOND_NS,
        T::DateTime64(scale, _) => SECOND_NS / 10i128.checked_pow((*scale).into())?,
        _ => return None,
    };
    if tick_ns == 0 {
        return None;
    }
    let (low, high) = bounds(moment, unit, tick_ns);
    // A day more than it moves: zones are not all at one.
    let (day, reach) = (DAY_NS / tick_ns, by.unsigned_abs().checked_mul(longest_ns(unit))?);
    let reach = i128::try_from(reach.div_ceil(tick_ns.unsigned_abs())).ok()?;
    let (first, last) = if by < 0 { (low + reach + day, high - day) } else { (low + day, high - reach - day) };
    (first <= last).then(|| Monotonicity::rising(Holds::Between(first, last)))
}

/// `toStartOfInterval` of a Date32. A start is a Date, one of days a DateTime, and wraps around beyond what these hold.
pub(super) fn start_of_day32(arguments: &[Argument]) -> Option<Monotonicity> {
    let [_, interval] = arguments else { return None };
    let T::Interval(unit) = interval.kind else { return None };
    let length = constant_integer(interval).filter(|length| *length > 0)?;
    let (first, last) = match unit {
        // In the east a day begins the day before in UTC.
        I::Day => (length, i64::from(LAST_DAY_OF_DATETIME) - 1),
        I::Week | I::Month | I::Quarter | I::Year => {
            // The first day whose interval begins no sooner than a Date may: starts rise with days.
            let (mut before, mut first) = (-1, LAST_DAY_OF_DATE + 1);
            while before + 1 < first {
                let middle = before + (first - before) / 2;
                *(if day_start(middle, unit, length) < 0 { &mut before } else { &mut first }) = middle;
            }
            (first.into(), LAST_DAY_OF_DATE.into())
        }
        _ => return None,
    };
    (first <= last).then(|| Monotonicity::rising(Holds::Between(first.into(), last.into())))
}

/// Between which values of its carrier a moment is one of the result's type.
fn bounds(moment: &SqlType, unit: IntervalKind, tick_ns: i128) -> (i128, i128) {
    let days = |day: i32| i128::from(day) * DAY_NS / tick_ns;
    match moment {
        // The sum is a DateTime.
        T::Date if unit < I::Day => (0, i128::from(u32::MAX) * SECOND_NS / DAY_NS),
        T::Date => (0, LAST_DAY_OF_DATE.into()),
        T::DateTime(_) => (0, u32::MAX.into()),
        // Nanoseconds in 64 bits end before the calendar does.
        _ => {
            let most = if unit < I::Second || tick_ns < 1000 { i128::from(i64::MAX) / tick_ns } else { i128::MAX };
            (days(FIRST_DAY).max(-most), days(LAST_DAY).min(most))
        }
    }
}

fn longest_ns(unit: IntervalKind) -> u128 {
    let ns = match unit {
        I::Nanosecond => 1,
        I::Microsecond => 1_000,
        I::Millisecond => 1_000_000,
        I::Second => SECOND_NS,
        I::Minute => 60 * SECOND_NS,
        I::Hour => 3600 * SECOND_NS,
        I::Day => DAY_NS,
        I::Week => 7 * DAY_NS,
        I::Month => 31 * DAY_NS,
        I::Quarter => 92 * DAY_NS,
        I::Year => 366 * DAY_NS,
    };
    ns.unsigned_abs()
}

#[cfg(test)]
mod tests {
    use chrono_tz::Tz;

    use super::*;

    fn over(moment: &str, unit: IntervalKind, by: i128, zone: Tz) -> Option<Holds> {
        shifted(&moment.parse().unwrap(), unit, by, &Zone::new(zone)).map(|found| found.holds)
    }

    #[test]
    fn a_sum_holds_where_it_stays_in_its_type() {
        assert_eq!(over("Date", I::Year, 1, Tz::UTC), Some(Holds::Between(1, 65_535 - 367)));
        assert_eq!(over("Date", I::Week, -2, Tz::UTC), Some(Holds::Between(15, 65_534)));
        let weeks = 14 * SECONDS_A_DAY as i128;
        let day = SECONDS_A_DAY as i128;
        let last = i128::from(u32::MAX) - day;
        assert_eq!(over("DateTime", I::Week, -2, Tz::UTC), Some(Holds::Between(weeks + day, last)));
        assert_eq!(over("Date", I::Hour, 1, Tz::UTC), Some(Holds::Between(1, 49_710 - 2)));
        assert_eq!(over("Date", I::Year, 1000, Tz::UTC), None);
        assert_eq!(over("DateTime64(9)", I::Second, 1 << 62, Tz::UTC), None);
    }

    #[test]
    fn starts_of_intervals_of_a_date32_hold_where_they_are_dates() {
        let starts = |unit: IntervalKind, length: i64| {
            let length = Some(datafusion::common::ScalarValue::Int64(Some(length)));
            let interval = Argument { kind: T::Interval(unit), constant: length };
            start_of_day32(&[Argument { kind: T::Date32, constant: None }, interval]).map(|found| found.holds)
        };
        for (unit, length) in
            [(I::Week, 1), (I::Week, 3), (I::Month, 1), (I::Month, 7), (I::Quarter, 2), (I::Year, 1), (I::Year, 3)]
        {
            let Some(Holds::Between(first, last)) = starts(unit, length) else { panic!("{unit:?} {length}") };
            let (first, last) = (first as i32, last as i32);
            let shown = |day: i32| day_start(day, unit, length) as u16;
            assert!((first..last).all(|day| shown(day) <= shown(day + 1)), "{unit:?} {length}");
            assert!(day_start(first, unit, length) >= 0 && day_start(first - 1, unit, length) < 0, "{unit:?} {length}");
        }
        assert_eq!(starts(I::Month, 1), Some(Holds::Between(0, 65_535)));
        assert_eq!(starts(I::Week, 1), Some(Holds::Between(4, 65_535)));
        assert_eq!(starts(I::Day, 1), Some(Holds::Between(1, 49_708)));
        assert_eq!(starts(I::Hour, 1), None);
    }

    #[test]
    fn days_are_moved_in_order_where_no_clock_is_changed_and_months_of_instants_nowhere() {
        assert_eq!(over("DateTime", I::Day, 1, Tz::America__New_York), None);
        assert!(over("DateTime", I::Hour, 1, Tz::America__New_York).is_some());
        assert!(over("Date", I::Month, 1, Tz::America__New_York).is_some());
        assert_eq!(over("DateTime64(3)", I::Month, 1, Tz::UTC), None);
        assert!(over("DateTime64(3)", I::Day, 1, Tz::UTC).is_some());
    }
}
