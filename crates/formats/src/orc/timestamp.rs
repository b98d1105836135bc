//! Timestamps: seconds from the beginning of 2015, and nanoseconds without the zeros behind them.
//!
//! A timestamp without a zone is a local time, told by the instant that it was where its writer was; who reads it wants the
//! instant of the same local time elsewhere. One with a zone is an instant in UTC.
//!
//! Nanoseconds count upwards from the second, but the second of a time before 1970 is rounded up where there are more than
//! 999999 of them. So the last second before 1970 cannot be told from the first one behind it. ClickHouse writes such times
//! with nanoseconds below zero instead, which lead back from the second.

use chrono::{NaiveDate, Offset, TimeZone};
use chrono_tz::Tz;
use gristmill_base::{Error, ErrorCode, Result};

use super::incorrect;

/// 1 January 2015 in UTC, in seconds.
const EPOCH: i64 = 1_420_070_400;
const NANOSECONDS: i64 = 1_000_000_000;
/// More than these move the second of a time before 1970.
const NANOSECONDS_KEPT: i64 = 999_999;

/// How the timestamps of a stripe become instants.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    writer: Tz,
    reader: Tz,
    /// 1 January 2015 where the writer was.
    epoch: i64,
}

/// A time zone by its name. Errors: INCORRECT_DATA.
fn zone(name: &str) -> Result<Tz> {
    if name.is_empty() { Ok(Tz::UTC) } else { name.parse().map_err(|_| incorrect(format!("its time zone is '{name}'"))) }
}

impl Clock {
    /// Names as in a stripe and in the settings.
    pub fn new(writer: &str, reader: &str) -> Result<Clock> {
        let reader = reader.parse().map_err(|_| {
            Error::new(
                ErrorCode::BAD_ARGUMENTS,
                format!("Setting input_format_orc_reader_time_zone_name is '{reader}', which is no time zone"),
            )
        })?;
        let writer = zone(writer)?;
        let begun = NaiveDate::from_ymd_opt(2015, 1, 1).and_then(|day| day.and_hms_opt(0, 0, 0));
        let begun = begun.and_then(|local| writer.from_local_datetime(&local).earliest());
        Ok(Clock { writer, reader, epoch: begun.map_or(EPOCH, |begun| begun.timestamp()) })
    }

    /// Of instants.
    pub fn of_instants() -> Clock {
        Clock { writer: Tz::UTC, reader: Tz::UTC, epoch: EPOCH }
    }

    /// Ticks of so many a second.
    pub fn ticks(&self, seconds: i64, nanoseconds: i64, per_second: i64) -> Result<i64> {
        let nanoseconds = unpacked(nanoseconds)?;
        let mut seconds = self.at_reader(seconds.checked_add(self.epoch).ok_or_else(out_of_range)?);
        if seconds < 0 && nanoseconds > NANOSECONDS_KEPT {
            seconds -= 1;
        }
        let within = nanoseconds.div_euclid(NANOSECONDS / per_second);
        let ticks = i128::from(seconds) * i128::from(per_second) + i128::from(within);
        i64::try_from(ticks).map_err(|_| out_of_range())
    }

    /// The instant of the same local time.
    fn at_reader(&self, instant: i64) -> i64 {
        if self.writer == self.reader {
            return instant;
        }
        let local = instant.saturating_add(offset(self.writer, instant));
        let first = local.saturating_sub(offset(self.reader, instant));
        local.saturating_sub(offset(self.reader, first))
    }
}

/// Seconds that local times are ahead of UTC.
fn offset(zone: Tz, instant: i64) -> i64 {
    match zone.timestamp_opt(instant, 0) {
        chrono::LocalResult::Single(time) => time.offset().fix().local_minus_utc().into(),
        _ => 0,
    }
}

fn out_of_range() -> Error {
    Error::new(
        ErrorCode::DECIMAL_OVERFLOW,
        "A timestamp of the ORC file is out of the range of the column's type: give the structure with a DateTime64 of fewer digits",
    )
}

/// The lowest three bits tell of zeros behind the others: none, or two to eight.
fn unpacked(nanoseconds: i64) -> Result<i64> {
    let digits = nanoseconds >> 3;
    let value = match nanoseconds & 7 {
        0 => Some(digits),
        zeros => digits.checked_mul(10i64.pow(zeros as u32 + 1)),
    };
    let value = value.filter(|value| (1 - NANOSECONDS..NANOSECONDS).contains(value));
    value.ok_or_else(|| incorrect("a timestamp has more nanoseconds than a second"))
}

fn packed(nanoseconds: i64) -> i64 {
    let mut zeros = 0;
    let mut digits = nanoseconds;
    while digits > 0 && digits % 10 == 0 && zeros < 8 {
        digits /= 10;
        zeros += 1;
    }
    match zeros {
        0 | 1 => nanoseconds << 3,
        zeros => digits << 3 | (zeros - 1),
    }
}

/// Seconds and nanoseconds of ticks of so many a second since 1970, as a file in UTC has them. Errors:
/// VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE.
pub fn parts(ticks: i64, per_second: i64) -> Result<(i64, i64)> {
    let (mut seconds, within) = (ticks.div_euclid(per_second), ticks.rem_euclid(per_second));
    let nanoseconds = within * (NANOSECONDS / per_second);
    if seconds < 0 && nanoseconds > NANOSECONDS_KEPT {
        if seconds == -1 {
            return Err(Error::new(
                ErrorCode::VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE,
                "A time within the last second before 1970 cannot be told from one behind it in ORC: write another format",
            ));
        }
        seconds += 1;
    }
    Ok((seconds - EPOCH, packed(nanoseconds)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_come_back() {
        let clock = Clock::new("GMT", "GMT").expect("a clock");
        for ticks in
            [0, 1, 1_420_070_400_000_000_000, 1_700_000_000_120_000_000, -1_000_000_000, -1_500_000_000, -86_400_000_000_001]
        {
            let (seconds, nanoseconds) = parts(ticks, NANOSECONDS).expect("a time");
            assert_eq!(clock.ticks(seconds, nanoseconds, NANOSECONDS).expect("a time"), ticks, "{ticks}");
        }
        assert_eq!(packed(1_000_000), (1 << 3) | 5);
        assert_eq!(unpacked((1 << 3) | 5).expect("a number"), 1_000_000);
        assert_eq!(parts(-1, NANOSECONDS).expect_err("lost").code(), ErrorCode::VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE);
        // As ClickHouse writes the last nanosecond before 1970, and half a second before it.
        assert_eq!(clock.ticks(-EPOCH, -1 << 3, NANOSECONDS).expect("a time"), -1);
        assert_eq!(clock.ticks(-EPOCH, (-5 << 3) | 7, 1000).expect("a time"), -500);
        assert!(clock.ticks(0, -(NANOSECONDS << 3), 1).is_err());
        assert!(clock.ticks(i64::MAX, 0, 1).is_err() && clock.ticks(1 << 40, 0, NANOSECONDS).is_err());
    }

    #[test]
    fn local_times_are_the_same_elsewhere() {
        // Noon of 1 July 2024 in New York, as a writer there has it, is noon wherever it is read.
        let clock = Clock::new("America/New_York", "GMT").expect("a clock");
        let noon_there = 1_719_835_200 + 4 * 3600;
        let seconds = noon_there - clock.epoch;
        assert_eq!(clock.ticks(seconds, 0, 1).expect("a time"), 1_719_835_200);
        let clock = Clock::new("America/New_York", "Europe/Berlin").expect("a clock");
        assert_eq!(clock.ticks(seconds, 0, 1).expect("a time"), 1_719_835_200 - 2 * 3600);
        assert!(Clock::new("Nowhere/Land", "GMT").is_err());
    }
}
