//! Dates and times in the plain forms: `YYYY-MM-DD`, `YYYY-MM-DD hh:mm:ss[.fff]`, seconds since the epoch.
//!
//! A day that does not exist is a fault.

use gristmill_base::ErrorCode;

use super::{Fault, Scan};
use crate::calendar::{LATEST_DAY, SECONDS_A_DAY, days_from_civil, days_in_month};
use crate::zone::Zone;

const NOT_A_DATE: Fault = Fault::new(ErrorCode::CANNOT_PARSE_DATE, "expected a date as YYYY-MM-DD or YYYYMMDD");
const AFTER_THE_DATE: Fault = Fault::new(ErrorCode::CANNOT_PARSE_TEXT, "there is text after the date");
const NO_SUCH_DAY: Fault = Fault::new(ErrorCode::CANNOT_PARSE_DATE, "there is no such day");
const NOT_A_TIME: Fault =
    Fault::new(ErrorCode::CANNOT_PARSE_DATETIME, "expected YYYY-MM-DD hh:mm:ss or seconds since the epoch");
const AFTER_THE_TIME: Fault = Fault::new(ErrorCode::CANNOT_PARSE_TEXT, "something stands behind the time");
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

/// Days since the epoch. Behind `YYYY-MM-DD` there may be ` hh:mm:ss` with a fraction, which is left out, and nothing else.
pub fn date(text: &[u8]) -> Scan<i32> {
    let (civil, rest) = civil_prefix(text)?;
    if let [mark, time @ ..] = rest {
        let in_places = matches!(mark, b' ' | b'T') && text.len() - rest.len() == 10;
        let [_, _, b':', _, _, b':', _, _, ..] = time else { return Err(AFTER_THE_DATE) };
        let fraction = match time.get(8) {
            None => true,
            Some(point) => *point == b'.' && time.len() > 9 && time[9..].iter().all(u8::is_ascii_digit),
        };
        if !in_places || !fraction {
            return Err(AFTER_THE_DATE);
        }
        time_of_day(time)?;
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
    let seconds = seconds_of_day(hour, minute, second)?;
    let (fraction, rest) = match rest {
        [b'.' | b',', rest @ ..] => {
            let count = rest.iter().position(|c| !c.is_ascii_digit()).unwrap_or(rest.len());
            rest.split_at(count)
        }
        rest => (&rest[..0], rest),
    };
    Ok((seconds, fraction, rest))
}

fn seconds_of_day(hour: u32, minute: u32, second: u32) -> Scan<u32> {
    if hour > 24 || minute > 59 || second > 60 || (hour == 24 && minute + second > 0) {
        return Err(NO_SUCH_TIME);
    }
    Ok(hour * 3600 + minute * 60 + second)
}

/// The digits of a fraction as units of 10^-scale, cut off or filled up.
fn fraction_ticks(fraction: &[u8], scale: u8) -> i64 {
    let digits = fraction.iter().map(|digit| i64::from(digit - b'0')).chain(std::iter::repeat(0));
    digits.take(usize::from(scale)).fold(0, |value, digit| value * 10 + digit)
}

/// Whole seconds and a fraction as ticks of 10^-scale.
pub(super) fn ticks(seconds: i64, fraction: &[u8], scale: u8) -> Scan<i64> {
    const TOO_FINE: Fault = Fault::new(ErrorCode::DECIMAL_OVERFLOW, "the time is out of the range of so many digits");
    let whole = seconds.checked_mul(10i64.pow(u32::from(scale))).ok_or(TOO_FINE)?;
    whole.checked_add(fraction_ticks(fraction, scale)).ok_or(TOO_FINE)
}

/// An instant as programs write it: `YYYY-MM-DD`, also with ` hh:mm:ss` or `Thh:mm:ss`, a fraction, and `Z` for UTC. Ticks of
/// 10^-scale since the epoch; local times are the zone's. `None` where the text has another form, or says no such instant.
pub fn written(text: &[u8], scale: u8, zone: &Zone) -> Option<i64> {
    let [_, _, _, _, b'-', _, _, b'-', _, _, rest @ ..] = text else { return None };
    let (civil, _) = civil_prefix(text).ok()?;
    let (seconds, fraction, rest) = match rest {
        // The zero date of MySQL is an instant where it has a time.
        [] if civil == [0, 0, 0] => return None,
        [] => (0, rest, rest),
        [b' ' | b'T', time @ ..] => time_of_day(time).ok()?,
        _ => return None,
    };
    let local = i64::from(days(civil).ok()?) * SECONDS_A_DAY + i64::from(seconds);
    match rest {
        [] => ticks(zone.to_utc(local), fraction, scale).ok(),
        b"Z" => ticks(local, fraction, scale).ok(),
        _ => None,
    }
}

/// An instant in the forms that ClickHouse calls basic: `YYYY-MM-DD` and `YYYY-MM-DD hh:mm:ss`, whose digits stand in these
/// places with any mark between them, or five and more digits, which are seconds since the epoch. `fine`: as DateTime64 has it,
/// with a fraction, and with seconds before the epoch. Ticks of 10^-scale.
pub fn basic(text: &[u8], scale: u8, zone: &Zone, fine: bool) -> Scan<i64> {
    if text.is_empty() {
        return Err(Fault::EMPTY);
    }
    if text.get(4).is_none_or(u8::is_ascii_digit) || text[0] == b'-' {
        let few = text.iter().position(|c| !c.is_ascii_digit()).unwrap_or(text.len()) < 5;
        return if few && !(fine && text[0] == b'-') { Err(NOT_A_TIME) } else { since_epoch(text, scale, fine) };
    }
    let (civil, rest) = parted(text, 4, NOT_A_TIME)?;
    let days = days(civil).map_err(|_| NO_SUCH_TIME)?;
    let (seconds, rest) = match rest {
        [b' ' | b'T', time @ ..] => {
            let ([hour, minute, second], rest) = parted(time, 2, NOT_A_TIME)?;
            (seconds_of_day(hour, minute, second)?, rest)
        }
        rest => (0, rest),
    };
    let fraction = match rest {
        [b'.', fraction @ ..] if fine && fraction.iter().all(u8::is_ascii_digit) => fraction,
        [] => rest,
        _ => return Err(AFTER_THE_TIME),
    };
    ticks(zone.to_utc(i64::from(days) * SECONDS_A_DAY + i64::from(seconds)), fraction, scale)
}

/// Three numbers with one mark between each, the first of so many digits, the others of two; and what follows.
fn parted(text: &[u8], first: usize, fault: Fault) -> Scan<([u32; 3], &[u8])> {
    let behind_mark = |text: &[u8]| text.first().is_some_and(u8::is_ascii_punctuation);
    let (a, rest) = digits(text, first).filter(|(_, rest)| behind_mark(rest)).ok_or(fault)?;
    let (b, rest) = digits(&rest[1..], 2).filter(|(_, rest)| behind_mark(rest)).ok_or(fault)?;
    let (c, rest) = digits(&rest[1..], 2).ok_or(fault)?;
    Ok(([a, b, c], rest))
}

/// A number of seconds since the epoch as ticks of 10^-scale. `fine`: with a sign and a fraction; and a whole number beyond the
/// last second of the year 9999 is in ticks already.
pub fn since_epoch(text: &[u8], scale: u8, fine: bool) -> Scan<i64> {
    since_epoch_or(text, scale, fine, |whole| whole > LAST_SECOND)
}

/// The last second of the year 9999.
const LAST_SECOND: i64 = (LATEST_DAY as i64 + 1) * SECONDS_A_DAY - 1;

/// A number that stands as one, with a sign and a fraction: seconds, up to the last one of the year 9999. `raw`: a whole number
/// is in ticks already.
pub fn number_since_epoch(text: &[u8], scale: u8, raw: bool) -> Scan<i64> {
    let value = since_epoch_or(text, scale, true, |whole| raw || whole > LAST_SECOND)?;
    let is_beyond = || super::number::integer::<i64>(text, false).is_ok_and(|whole| whole > LAST_SECOND);
    if !raw && is_beyond() { ticks(LAST_SECOND, b"", scale) } else { Ok(value) }
}

/// `in_ticks`: whether a whole number of that size is in ticks.
fn since_epoch_or(text: &[u8], scale: u8, fine: bool, in_ticks: impl FnOnce(i64) -> bool) -> Scan<i64> {
    let (negative, number) = match text {
        [b'-', rest @ ..] if fine => (true, rest),
        rest => (false, rest),
    };
    let (whole, fraction) = match memchr::memchr(b'.', number) {
        Some(at) if fine => (&number[..at], &number[at + 1..]),
        _ => (number, &number[..0]),
    };
    if whole.is_empty() || !whole.iter().chain(fraction).all(u8::is_ascii_digit) {
        return Err(NOT_A_TIME);
    }
    let value = super::number::integer::<i64>(whole, false).map_err(|_| TOO_FAR)?;
    let in_ticks = fine && scale > 0 && fraction.is_empty() && in_ticks(value);
    let value = if in_ticks { value } else { ticks(value, fraction, scale)? };
    Ok(if negative { -value } else { value })
}

/// `[-]hhh:mm:ss[.fff]` (hours up to 999), `[-]mm:ss[.fff]`, or a number of seconds, as ticks of 10^-scale.
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
    // `mm:ss` are minutes and seconds.
    let mut seconds = 0i64;
    for (i, part) in clock.split(|c| *c == b':').enumerate() {
        let value = i64::from(super::number::integer::<u32>(part, false).map_err(|_| NOT_ONE)?);
        if i > 2 || (i > 0 && value > 60) {
            return Err(NOT_ONE);
        }
        seconds = seconds * 60 + value;
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
        for text in [
            "2024-01-05",
            "2024-1-5",
            "20240105",
            "2024-01-05 10:00:00",
            "2024-01-05T10:00:00",
            "2024-01-05 10:00:00.25",
            "2024/01/05",
        ] {
            assert_eq!(date(text.as_bytes()), Ok(day), "{text}");
        }
        for text in [
            "abc",
            "2024-13-45",
            "2024-02-30",
            "2024-01-05x",
            "2024-01-05 10:00:00x",
            "2024-01-05 10:00:00Z",
            "2024-01-05 10:00",
            "2024-1-5 10:00:00",
            "2024-01-05 10:00:00.",
            "2024-01-05 ",
            "",
        ] {
            assert!(date(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn instants() {
        let utc = Zone::utc();
        let noon = i64::from(days_from_civil(2024, 1, 5)) * 86_400 + 10 * 3600 + 11 * 60 + 12;
        for text in ["2024-01-05 10:11:12", "2024-01-05T10:11:12", "2024-01-05T10:11:12Z", "2024-01-05 10:11:12.123"] {
            assert_eq!(written(text.as_bytes(), 0, &utc), Some(noon), "{text}");
        }
        assert_eq!(written(b"2024-01-05 10:11:12.123456", 3, &utc), Some(noon * 1000 + 123));
        assert_eq!(written(b"0000-00-00 00:00:00", 0, &utc), Some(0));
        let tokyo = Zone::new(chrono_tz::Tz::Asia__Tokyo);
        assert_eq!(written(b"2024-01-05 19:11:12", 0, &tokyo), Some(noon));
        for text in
            ["abc", "", "2024-01-05 25:00:00", "2024-01-05x", "2024-13-45", "2024-01-05 10", "1704449472", "0000-00-00"]
        {
            assert_eq!(written(text.as_bytes(), 0, &utc), None, "{text}");
        }
    }

    #[test]
    fn instants_in_basic_forms() {
        let utc = Zone::utc();
        let noon = i64::from(days_from_civil(2024, 1, 5)) * 86_400 + 10 * 3600 + 11 * 60 + 12;
        for text in ["2024-01-05 10:11:12", "2024-01-05T10:11:12", "2024/01/05 10-11-12", "1704449472"] {
            assert_eq!(basic(text.as_bytes(), 0, &utc, false), Ok(noon), "{text}");
        }
        assert_eq!(basic(b"20240105", 0, &utc, false), Ok(20_240_105));
        assert_eq!(basic(b"1704449472.5", 3, &utc, true), Ok(noon * 1000 + 500));
        assert_eq!(basic(b"1704449472123", 3, &utc, true), Ok(noon * 1000 + 123));
        assert_eq!(basic(b"2024-01-05 10:11:12.5", 3, &utc, true), Ok(noon * 1000 + 500));
        assert_eq!(basic(b"-1.5", 1, &utc, true), Ok(-15));
        for text in
            ["", "0", "1234", "1.5", "-1", "-12345", "2024-1-5", "2024-01-05 10:11", "2024-01-05 10:11:12.5", "2024-02-30"]
        {
            assert!(basic(text.as_bytes(), 0, &utc, false).is_err(), "{text}");
        }
        for text in ["12345.x", "1.5", "2024-01-05 10:11:12Z", "-", "-x"] {
            assert!(basic(text.as_bytes(), 3, &utc, true).is_err(), "{text}");
        }
    }

    #[test]
    fn times_of_day() {
        assert_eq!(time(b"12:34:56", 0), Ok(45_296));
        assert_eq!(time(b"-12:34:56.789", 3), Ok(-45_296_789));
        assert_eq!(time(b"12:34", 0), Ok(754));
        assert!(time(b"12:61:00", 0).is_err());
    }
}
