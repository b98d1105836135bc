//! Dates and times in the plain forms: `YYYY-MM-DD`, `YYYY-MM-DD hh:mm:ss[.fff]`, seconds since the epoch.
//!
//! The widths of a machine-written date are fixed, so that form is tried first by position; hand-written ones (`2024-1-5`)
//! take the path that looks for digits. A day that does not exist is a fault.

use gristmill_base::ErrorCode;

use super::{Fault, Scan};
use crate::calendar::{SECONDS_A_DAY, days_from_civil, days_in_month};
use crate::zone::Zone;

pub(super) const NOT_A_DATE: Fault = Fault::new(ErrorCode::CANNOT_PARSE_DATE, "expected a date as YYYY-MM-DD or YYYYMMDD");
const AFTER_THE_DATE: Fault = Fault::new(ErrorCode::CANNOT_PARSE_TEXT, "there is text after the date");
pub(super) const NO_SUCH_DAY: Fault = Fault::new(ErrorCode::CANNOT_PARSE_DATE, "there is no such day");
pub(super) const NOT_A_TIME: Fault =
    Fault::new(ErrorCode::CANNOT_PARSE_DATETIME, "expected YYYY-MM-DD hh:mm:ss or seconds since the epoch");
const NO_SUCH_TIME: Fault = Fault::new(ErrorCode::CANNOT_PARSE_DATETIME, "there is no such day or time of day");
pub(super) const TOO_FAR: Fault = Fault::new(ErrorCode::CANNOT_PARSE_DATETIME, "the time is out of the type's range");

/// The number in one or two digits at the start, and what follows.
pub(super) fn one_or_two(text: &[u8]) -> Option<(u32, &[u8])> {
    match text {
        [a @ b'0'..=b'9', b @ b'0'..=b'9', rest @ ..] => Some((u32::from(a - b'0') * 10 + u32::from(b - b'0'), rest)),
        [a @ b'0'..=b'9', rest @ ..] => Some((u32::from(a - b'0'), rest)),
        _ => None,
    }
}

pub(super) fn digits(text: &[u8], count: usize) -> Option<(u32, &[u8])> {
    let (digits, rest) = text.split_at_checked(count)?;
    let mut value = 0;
    for digit in digits {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + u32::from(digit);
    }
    Some((value, rest))
}

pub(super) fn checked_day(year: u32, month: u32, day: u32) -> Scan<i32> {
    let exists = (1..=12).contains(&month) && day >= 1 && day <= days_in_month(year as i32, month);
    if exists { Ok(days_from_civil(year as i32, month, day)) } else { Err(NO_SUCH_DAY) }
}

/// Year, month and day at the start of the text, and what follows them.
fn civil_prefix(text: &[u8]) -> Scan<([u32; 3], &[u8])> {
    let (year, rest) = digits(text, 4).ok_or(NOT_A_DATE)?;
    let (month, day, rest) = match rest {
        [b'-' | b'/' | b'.', rest @ ..] => {
            let (month, rest) = one_or_two(rest).ok_or(NOT_A_DATE)?;
            let [b'-' | b'/' | b'.', rest @ ..] = rest else { return Err(NOT_A_DATE) };
            let (day, rest) = one_or_two(rest).ok_or(NOT_A_DATE)?;
            (month, day, rest)
        }
        _ => {
            let (month, rest) = digits(rest, 2).ok_or(NOT_A_DATE)?;
            let (day, rest) = digits(rest, 2).ok_or(NOT_A_DATE)?;
            (month, day, rest)
        }
    };
    Ok(([year, month, day], rest))
}

fn days([year, month, day]: [u32; 3]) -> Scan<i32> {
    // The zero date of MySQL is the epoch, as in ClickHouse.
    if [year, month, day] == [0, 0, 0] { Ok(0) } else { checked_day(year, month, day) }
}

/// A date at the start of the text, as days since the epoch, and what follows it.
pub(super) fn date_prefix(text: &[u8]) -> Scan<(i32, &[u8])> {
    let (civil, rest) = civil_prefix(text)?;
    Ok((days(civil)?, rest))
}

/// Days since the epoch. A time of day after the date must be one, and is left out.
pub fn date(text: &[u8]) -> Scan<i32> {
    let (civil, rest) = civil_prefix(text)?;
    match rest {
        [] => {}
        [b' ' | b'T', rest @ ..] => time_of_day(rest).and_then(|(_, _, rest)| zone_mark(rest))?,
        _ => return Err(AFTER_THE_DATE),
    }
    days(civil)
}

/// `hh:mm[:ss[.fraction]]`: seconds of the day, the digits of the fraction, and what follows.
pub(super) fn time_of_day(text: &[u8]) -> Scan<(u32, &[u8], &[u8])> {
    let (hour, rest) = one_or_two(text).ok_or(NOT_A_TIME)?;
    let [b':', rest @ ..] = rest else { return Err(NOT_A_TIME) };
    let (minute, rest) = one_or_two(rest).ok_or(NOT_A_TIME)?;
    let (second, rest) = match rest {
        [b':', rest @ ..] => one_or_two(rest).ok_or(NOT_A_TIME)?,
        rest => (0, rest),
    };
    if hour > 24 || minute > 59 || second > 60 || (hour == 24 && minute + second > 0) {
        return Err(NO_SUCH_TIME);
    }
    let (fraction, rest) = match rest {
        [b'.' | b',', rest @ ..] => {
            let count = rest.iter().position(|c| !c.is_ascii_digit()).unwrap_or(rest.len());
            rest.split_at(count)
        }
        rest => (&rest[..0], rest),
    };
    Ok((hour * 3600 + minute * 60 + second, fraction, rest))
}

fn zone_mark(rest: &[u8]) -> Scan<()> {
    match rest {
        [] | b"Z" => Ok(()),
        _ => Err(Fault::new(ErrorCode::CANNOT_PARSE_TEXT, "something stands behind the time")),
    }
}

/// The digits of a fraction as units of 10^-scale, cut off or filled up.
pub(super) fn fraction_ticks(fraction: &[u8], scale: u8) -> i64 {
    let digits = fraction.iter().map(|digit| i64::from(digit - b'0')).chain(std::iter::repeat(0));
    digits.take(usize::from(scale)).fold(0, |value, digit| value * 10 + digit)
}

/// Whole seconds and a fraction as ticks of 10^-scale.
pub(super) fn ticks(seconds: i64, fraction: &[u8], scale: u8) -> Scan<i64> {
    const TOO_FINE: Fault = Fault::new(ErrorCode::DECIMAL_OVERFLOW, "the time is out of the range of so many digits");
    let whole = seconds.checked_mul(10i64.pow(u32::from(scale))).ok_or(TOO_FINE)?;
    whole.checked_add(fraction_ticks(fraction, scale)).ok_or(TOO_FINE)
}

/// An instant as ticks of 10^-scale since the epoch. Local times are the zone's; `Z` at the end means UTC. Digits alone
/// are seconds since the epoch, with a fraction after a point; more than ten of them are read in the scale's unit.
pub fn date_time(text: &[u8], scale: u8, zone: &Zone) -> Scan<i64> {
    if text.is_empty() {
        return Err(Fault::EMPTY);
    }
    let numeric = text.get(4).is_none_or(|c| c.is_ascii_digit() || *c == b'.') || text[0] == b'-';
    if numeric && let Some(instant) = unix_time(text, scale) {
        return instant;
    }
    let (days, rest) = date_prefix(text).map_err(|fault| match fault.reason {
        reason if reason == NO_SUCH_DAY.reason => NO_SUCH_TIME,
        _ => NOT_A_TIME,
    })?;
    let (seconds, fraction, rest) = match rest {
        [] => (0, rest, rest),
        [b' ' | b'T', rest @ ..] => time_of_day(rest)?,
        _ => return Err(NOT_A_TIME),
    };
    zone_mark(rest)?;
    let local = i64::from(days) * SECONDS_A_DAY + i64::from(seconds);
    ticks(if rest.is_empty() { zone.to_utc(local) } else { local }, fraction, scale)
}

/// `None` where it is not a plain number (or is one of eight digits, which is a date).
fn unix_time(text: &[u8], scale: u8) -> Option<Scan<i64>> {
    let (negative, number) = match text {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let (whole, fraction) = match memchr::memchr(b'.', number) {
        Some(at) => (&number[..at], &number[at + 1..]),
        None => (number, &number[..0]),
    };
    let numeric = !whole.is_empty() && whole.iter().chain(fraction).all(u8::is_ascii_digit);
    if !numeric || (whole.len() == 8 && fraction.is_empty() && !negative) {
        return None;
    }
    let value = match super::number::integer::<i64>(whole, false) {
        Ok(value) if whole.len() > 10 && scale > 0 && fraction.is_empty() => Ok(value),
        Ok(value) => ticks(value, fraction, scale),
        Err(_) => Err(TOO_FAR),
    };
    Some(value.map(|value| if negative { -value } else { value }))
}

/// `[-]hhh:mm:ss[.fff]` (hours up to 999), or a number of seconds, as ticks of 10^-scale.
pub fn time(text: &[u8], scale: u8) -> Scan<i64> {
    const NOT_ONE: Fault = Fault::new(ErrorCode::CANNOT_PARSE_DATETIME, "expected a time of day as hh:mm:ss");
    let (negative, text) = match text {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let (clock, fraction) = match memchr::memchr(b'.', text) {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (text, &text[..0]),
    };
    if !fraction.iter().all(u8::is_ascii_digit) {
        return Err(NOT_ONE);
    }
    let mut seconds = 0i64;
    for (i, part) in clock.split(|c| *c == b':').enumerate() {
        let value = i64::from(super::number::integer::<u32>(part, false).map_err(|_| NOT_ONE)?);
        if i > 2 || (i > 0 && value > 59) {
            return Err(NOT_ONE);
        }
        seconds = seconds * 60 + value;
    }
    // `hh:mm` are hours and minutes.
    if clock.iter().filter(|c| **c == b':').count() == 1 {
        seconds *= 60;
    }
    if seconds > 3_599_999 {
        return Err(Fault::RANGE);
    }
    let value = ticks(seconds, fraction, scale)?;
    Ok(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        let day = days_from_civil(2024, 1, 5);
        for text in ["2024-01-05", "2024-1-5", "20240105", "2024-01-05 10:00:00", "2024-01-05T10:00:00Z", "2024/01/05"] {
            assert_eq!(date(text.as_bytes()), Ok(day), "{text}");
        }
        for text in ["abc", "2024-13-45", "2024-02-30", "2024-01-05x", "2024-01-05 10:00:00x", ""] {
            assert!(date(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn instants() {
        let utc = Zone::utc();
        let noon = i64::from(days_from_civil(2024, 1, 5)) * 86_400 + 10 * 3600 + 11 * 60 + 12;
        for text in
            ["2024-01-05 10:11:12", "2024-01-05T10:11:12", "2024-01-05T10:11:12Z", "2024-01-05 10:11:12.123", "1704449472"]
        {
            assert_eq!(date_time(text.as_bytes(), 0, &utc), Ok(noon), "{text}");
        }
        assert_eq!(date_time(b"2024-01-05 10:11:12.123456", 3, &utc), Ok(noon * 1000 + 123));
        assert_eq!(date_time(b"1704449472.5", 3, &utc), Ok(noon * 1000 + 500));
        assert_eq!(date_time(b"1704449472123", 3, &utc), Ok(noon * 1000 + 123));
        assert_eq!(date_time(b"0", 0, &utc), Ok(0));
        let tokyo = Zone::new(chrono_tz::Tz::Asia__Tokyo);
        assert_eq!(date_time(b"2024-01-05 19:11:12", 0, &tokyo), Ok(noon));
        for text in ["abc", "", "2024-01-05 25:00:00", "2024-01-05x", "2024-13-45", "2024-01-05 10"] {
            assert!(date_time(text.as_bytes(), 0, &utc).is_err(), "{text}");
        }
    }

    #[test]
    fn times_of_day() {
        assert_eq!(time(b"12:34:56", 0), Ok(45_296));
        assert_eq!(time(b"-12:34:56.789", 3), Ok(-45_296_789));
        assert_eq!(time(b"12:34", 0), Ok(45_240));
        assert!(time(b"12:60:00", 0).is_err());
    }
}
