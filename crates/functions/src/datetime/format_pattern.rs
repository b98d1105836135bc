//! Patterns of dates and times: compiled once into pieces, which are written one after the other for each row.

use gristmill_types::calendar::{self, SECONDS_A_DAY, civil_from_days, day_of_week};

use super::moments::local_day;

pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
pub const WEEKDAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// A piece of a pattern; numbers are filled up with zeros to as many digits as given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    Literal(Vec<u8>),
    Era,
    Century(usize),
    Year(usize),
    YearOfCentury,
    IsoYear(usize),
    IsoYearOfCentury,
    Quarter,
    Month(usize),
    MonthShort,
    MonthLong,
    Day(usize),
    /// Two characters, the first of them a blank before one digit.
    PaddedDay,
    DayOfYear(usize),
    /// Monday is 1.
    Weekday(usize),
    /// Sunday is 0.
    WeekdayFromSunday,
    WeekdayShort,
    WeekdayLong,
    IsoWeek(usize),
    /// 0 to 23.
    Hour(usize),
    /// 1 to 24.
    HourFromOne(usize),
    /// 1 to 12.
    HourOfHalf(usize),
    /// 0 to 11.
    HourOfHalfFromZero(usize),
    HalfDay,
    Minute(usize),
    Second(usize),
    /// That many digits of the fraction of a second.
    Fraction(usize),
    /// `+hhmm`
    Offset,
    ZoneName,
}

/// A moment, as patterns see it.
#[derive(Clone, Copy)]
pub struct Shown<'a> {
    /// Seconds since the epoch in the zone's clock.
    pub local: i64,
    /// Nanoseconds of the second.
    pub nanos: u32,
    /// Seconds east of UTC.
    pub offset: i64,
    pub zone: &'a str,
}

/// Appends the number with at least so many digits.
pub fn padded(value: u64, digits: usize, out: &mut Vec<u8>) {
    let mut buffer = [b'0'; 20];
    let mut at = buffer.len();
    let mut rest = value;
    while rest > 0 || at == buffer.len() {
        at -= 1;
        buffer[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    let written = buffer.len() - at;
    out.extend(std::iter::repeat_n(b'0', digits.min(64).saturating_sub(written)));
    out.extend_from_slice(&buffer[at..]);
}

/// Appends the moment by the pattern.
pub fn write(pieces: &[Piece], shown: Shown<'_>, out: &mut Vec<u8>) {
    let days = local_day(shown.local);
    let (year, month, day) = civil_from_days(days);
    let (year, month, day) = (year as u64, u64::from(month), u64::from(day));
    let clock = shown.local.rem_euclid(SECONDS_A_DAY) as u64;
    let hour = clock / 3600;
    for piece in pieces {
        match piece {
            Piece::Literal(text) => out.extend_from_slice(text),
            Piece::Era => out.extend_from_slice(b"AD"),
            Piece::Century(digits) => padded(year / 100, *digits, out),
            Piece::Year(digits) => padded(year, *digits, out),
            Piece::YearOfCentury => padded(year % 100, 2, out),
            Piece::IsoYear(digits) => padded(calendar::iso_week(days).0 as u64, *digits, out),
            Piece::IsoYearOfCentury => padded(calendar::iso_week(days).0 as u64 % 100, 2, out),
            Piece::Quarter => padded((month - 1) / 3 + 1, 1, out),
            Piece::Month(digits) => padded(month, *digits, out),
            Piece::MonthShort => out.extend_from_slice(&MONTHS[month as usize - 1].as_bytes()[..3]),
            Piece::MonthLong => out.extend_from_slice(MONTHS[month as usize - 1].as_bytes()),
            Piece::Day(digits) => padded(day, *digits, out),
            Piece::PaddedDay => {
                if day < 10 {
                    out.push(b' ');
                }
                padded(day, 1, out);
            }
            Piece::DayOfYear(digits) => padded(u64::from(calendar::day_of_year(days)), *digits, out),
            Piece::Weekday(digits) => padded(u64::from(day_of_week(days)), *digits, out),
            Piece::WeekdayFromSunday => padded(u64::from(day_of_week(days) % 7), 1, out),
            Piece::WeekdayShort => out.extend_from_slice(&WEEKDAYS[day_of_week(days) as usize - 1].as_bytes()[..3]),
            Piece::WeekdayLong => out.extend_from_slice(WEEKDAYS[day_of_week(days) as usize - 1].as_bytes()),
            Piece::IsoWeek(digits) => padded(u64::from(calendar::iso_week(days).1), *digits, out),
            Piece::Hour(digits) => padded(hour, *digits, out),
            Piece::HourFromOne(digits) => padded(if hour == 0 { 24 } else { hour }, *digits, out),
            Piece::HourOfHalf(digits) => padded((hour + 11) % 12 + 1, *digits, out),
            Piece::HourOfHalfFromZero(digits) => padded(hour % 12, *digits, out),
            Piece::HalfDay => out.extend_from_slice(if hour < 12 { b"AM" } else { b"PM" }),
            Piece::Minute(digits) => padded(clock / 60 % 60, *digits, out),
            Piece::Second(digits) => padded(clock % 60, *digits, out),
            Piece::Fraction(digits) => {
                let known = (*digits).min(9);
                padded(u64::from(shown.nanos) / 10u64.pow(9 - known as u32), known, out);
                out.extend(std::iter::repeat_n(b'0', digits.min(&64) - known));
            }
            Piece::Offset => {
                out.push(if shown.offset < 0 { b'-' } else { b'+' });
                let minutes = shown.offset.unsigned_abs() / 60;
                padded(minutes / 60, 2, out);
                padded(minutes % 60, 2, out);
            }
            Piece::ZoneName => out.extend_from_slice(shown.zone.as_bytes()),
        }
    }
}

/// Joins neighbouring literals.
pub fn joined(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut result: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match (result.last_mut(), piece) {
            (Some(Piece::Literal(before)), Piece::Literal(text)) => before.extend(text),
            (_, piece) => result.push(piece),
        }
    }
    result
}
