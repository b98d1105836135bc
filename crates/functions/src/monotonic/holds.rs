//! Where a function is in the order of its argument: everywhere, between two values, or within stretches of them.

use chrono_tz::Tz;
use gristmill_types::calendar::{FIRST_DAY, LAST_DAY, SECONDS_A_DAY, civil_from_days, monday};
use gristmill_types::zone::Zone;

/// Where it holds. Values are those of the argument's carrier: integers, days, seconds, ticks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Holds {
    Always,
    /// While all values lie between these two, both included.
    Between(i128, i128),
    /// While all values lie in one page of this width; pages are counted from zero.
    WithinPage(i128),
    /// While all values lie in one such stretch of the calendar. Without a clock they are days.
    WithinPeriod(Period, Option<Clock>),
    /// While none has a sign, and all have as many digits: so long texts of them are in the order of numbers.
    WithinDigits,
}

/// A stretch of the calendar, at whose end a function of days begins again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Period {
    /// From Monday on.
    Week,
    Month,
    Year,
    /// From the Monday of the week on that has the year's first Thursday.
    IsoYear,
}

/// By what an instant is a local day.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    pub(super) tz: Tz,
    pub(super) ticks_a_second: i128,
}

impl Holds {
    /// The stretch in which a value lies: it holds between values of one. `None`: in none.
    pub fn stretch(&self, value: i128) -> Option<i128> {
        match self {
            Holds::Always => Some(0),
            Holds::Between(first, last) => (*first <= value && value <= *last).then_some(0),
            Holds::WithinPage(width) => Some(value.div_euclid(*width)),
            Holds::WithinPeriod(period, clock) => {
                let day = match clock {
                    None => value,
                    Some(clock) => {
                        let second = i64::try_from(value.div_euclid(clock.ticks_a_second)).ok()?;
                        Zone::new(clock.tz).to_local(second).div_euclid(SECONDS_A_DAY).into()
                    }
                };
                // Beyond these functions give what they give for the last day that they know.
                let day = i32::try_from(day).ok()?;
                if !(FIRST_DAY..=LAST_DAY).contains(&day) {
                    return None;
                }
                let (year, month, _) = civil_from_days(day);
                Some(match period {
                    Period::Week => monday(day).into(),
                    Period::Month => i128::from(year) * 12 + i128::from(month),
                    Period::Year => year.into(),
                    Period::IsoYear => civil_from_days(monday(day) + 3).0.into(),
                })
            }
            Holds::WithinDigits => match value {
                ..0 => None,
                0 => Some(0),
                _ => Some(value.ilog10().into()),
            },
        }
    }
}
