//! Instants in the many forms that people and programs write: ISO 8601 with offsets, `15 Jan 2024 10:00 PM`,
//! `01/15/2024`, RFC 2822 mails, `20240115103000`, seconds or milliseconds since the epoch.
//!
//! The text is taken token by token: the width of a run of digits, what stands before and after it and what is known
//! already decide what it is. Where no year is given it is this one, or the last where the day is still to come: so logs
//! mean it that leave it out.

use gristmill_base::ErrorCode;

use super::date::{TOO_FAR, checked_day, digits, one_or_two, ticks, time_of_day};
use super::{Fault, Scan};
use crate::calendar::{SECONDS_A_DAY, civil_from_days};
use crate::zone::Zone;

const BEHIND: Fault = Fault::new(ErrorCode::CANNOT_PARSE_TEXT, "something stands behind the seconds since the epoch");
const UNKNOWN: Fault = Fault::new(ErrorCode::CANNOT_PARSE_DATETIME, "no known form of a date and time");

#[derive(Default)]
struct Found<'a> {
    year: Option<u32>,
    month: Option<u32>,
    day: Option<u32>,
    seconds: Option<u32>,
    fraction: &'a [u8],
    offset: Option<i64>,
}

/// How texts are understood that can be understood in several ways.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub struct Customs {
    /// `01/02/2024` is 2 January, else 1 February.
    pub us: bool,
    /// Now in seconds since the epoch, for texts without a year, which are none where this is not known.
    pub now_seconds: Option<i64>,
}

/// Ticks of 10^-scale since the epoch. Local times are the zone's.
pub fn date_time(text: &[u8], scale: u8, zone: &Zone, customs: Customs) -> Scan<i64> {
    let us = customs.us;
    let text = text.trim_ascii();
    if text.is_empty() {
        return Err(Fault::EMPTY);
    }
    if let Some(instant) = unix_time(text, scale) {
        return instant;
    }
    let mut found = Found::default();
    let mut rest = text;
    while let Some(first) = rest.first() {
        rest = match first {
            b'0'..=b'9' => found.number(rest, us)?,
            b'+' | b'-' if found.seconds.is_some() && found.offset.is_none() => found.offset(rest)?,
            b'+' | b'-' if found.is_a_day() && rest.get(1).is_some_and(u8::is_ascii_digit) => found.behind_a_day(rest)?,
            b'-' if rest.len() == text.len() => return Err(UNKNOWN),
            b'T' | b't' if rest.get(1).is_none_or(u8::is_ascii_digit) && found.day.is_some() => &rest[1..],
            b'a'..=b'z' | b'A'..=b'Z' => found.word(rest)?,
            b' ' | b',' | b'-' | b'/' | b'.' | b'\t' | b'(' | b')' => &rest[1..],
            _ => return Err(UNKNOWN),
        };
    }
    // `2024` is its first day.
    let (month, day) = (found.month.unwrap_or(1), found.day.unwrap_or(1));
    let year = match (found.year, customs.now_seconds) {
        (Some(year), _) => year,
        (None, Some(now)) if found.day.or(found.seconds).is_some() => {
            let today = civil_from_days(zone.to_local(now).div_euclid(SECONDS_A_DAY) as i32);
            let to_come = (month, day) > (today.1, today.2);
            u32::try_from(today.0 - i32::from(to_come)).map_err(|_| UNKNOWN)?
        }
        _ => return Err(UNKNOWN),
    };
    let days = checked_day(year, month, day).map_err(|fault| Fault { code: UNKNOWN.code, ..fault })?;
    let local = i64::from(days) * SECONDS_A_DAY + i64::from(found.seconds.unwrap_or(0));
    let utc = found.offset.map_or_else(|| zone.to_utc(local), |offset| local - offset);
    ticks(utc, found.fraction, scale)
}

/// 9 or 10 digits are seconds, 13 milliseconds, 16 microseconds, 19 nanoseconds; a fraction may follow seconds.
fn unix_time(text: &[u8], scale: u8) -> Option<Scan<i64>> {
    let (whole, fraction) = match memchr::memchr(b'.', text) {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (text, &text[..0]),
    };
    if !whole.iter().chain(fraction).all(u8::is_ascii_digit) {
        return None;
    }
    let unit = match whole.len() {
        9 | 10 if scale == 0 && whole.len() < text.len() => return Some(Err(BEHIND)),
        9 | 10 => 0,
        13 if fraction.is_empty() => 3,
        16 if fraction.is_empty() => 6,
        19 if fraction.is_empty() => 9,
        _ => return None,
    };
    let (seconds, digits) = whole.split_at(whole.len() - unit);
    let seconds = super::number::integer::<i64>(seconds, false);
    Some(seconds.map_err(|_| TOO_FAR).and_then(|seconds| ticks(seconds, if unit > 0 { digits } else { fraction }, scale)))
}

fn set(slot: &mut Option<u32>, value: u32) -> Scan<()> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(UNKNOWN),
    }
}

impl<'a> Found<'a> {
    fn number(&mut self, text: &'a [u8], us: bool) -> Scan<&'a [u8]> {
        let width = text.iter().position(|c| !c.is_ascii_digit()).unwrap_or(text.len());
        let after = text.get(width).copied();
        match width {
            1 | 2 if after == Some(b':') => {
                let (seconds, fraction, rest) = time_of_day(text)?;
                set(&mut self.seconds, seconds)?;
                self.fraction = fraction;
                Ok(rest)
            }
            1 | 2 => {
                let (value, rest) = one_or_two(text).ok_or(UNKNOWN)?;
                let next = rest.get(1).copied();
                // `15/01/2024` or `01-15-2024`, but not `15-Jan-2024`.
                let numeric = matches!(after, Some(b'/' | b'-' | b'.')) && next.is_some_and(|c| c.is_ascii_digit());
                // `5.`
                if after.is_some() && after != Some(b' ') && next.is_none() && rest.len() == 1 && self.year.is_none() {
                    return Err(UNKNOWN);
                }
                if self.year.is_none() && self.day.is_none() && self.month.is_none() && numeric {
                    let (second, rest) = one_or_two(&rest[1..]).ok_or(UNKNOWN)?;
                    // `12/2018`
                    if rest.first().is_some_and(u8::is_ascii_digit) {
                        return Err(UNKNOWN);
                    }
                    let us = (us || second > 12) && value <= 12;
                    let (month, day) = if us { (value, second) } else { (second, value) };
                    set(&mut self.month, month)?;
                    set(&mut self.day, day)?;
                    let [b'/' | b'-' | b'.', rest @ ..] = rest else { return Ok(rest) };
                    if rest.len() == 2 || rest.get(2).is_some_and(|c| !c.is_ascii_digit()) {
                        // Two digits of a year: this century up to 69, else the last.
                        let (year, rest) = digits(rest, 2).ok_or(UNKNOWN)?;
                        set(&mut self.year, if year < 70 { 2000 + year } else { 1900 + year })?;
                        return Ok(rest);
                    }
                    return Ok(rest);
                }
                let is_named = next.is_some_and(|c| c.is_ascii_alphabetic()) && matches!(after, Some(b'/' | b'-' | b'.'));
                if is_named && self.year.is_none() && self.month.is_none() && self.day.is_none() {
                    set(&mut self.day, value)?;
                    return self.month_and_year(&rest[1..]);
                }
                if self.year.is_some() && self.month.is_none() {
                    set(&mut self.month, value)?;
                } else if self.day.is_none() {
                    set(&mut self.day, value)?;
                } else {
                    // `10 PM`
                    set(&mut self.seconds, value * 3600)?;
                }
                Ok(rest)
            }
            4 => {
                let (year, rest) = digits(text, 4).ok_or(UNKNOWN)?;
                set(&mut self.year, year)?;
                Ok(rest)
            }
            6 if self.day.is_some() => {
                self.compact_time(text)?;
                Ok(&text[6..])
            }
            6 | 8 | 14 => {
                let (year, rest) = digits(text, 4).ok_or(UNKNOWN)?;
                let (month, rest) = digits(rest, 2).ok_or(UNKNOWN)?;
                set(&mut self.year, year)?;
                set(&mut self.month, month)?;
                if width > 6 {
                    set(&mut self.day, digits(rest, 2).ok_or(UNKNOWN)?.0)?;
                }
                if width > 8 {
                    self.compact_time(&text[8..width])?;
                }
                Ok(&text[width..])
            }
            _ => Err(UNKNOWN),
        }
    }

    /// What follows the day in `24-Dec-18`: two digits are a year there, as marks stand on both sides of the month.
    fn month_and_year(&mut self, text: &'a [u8]) -> Scan<&'a [u8]> {
        let rest = self.word(text)?;
        let (Some(_), [b'/' | b'-' | b'.', year @ ..]) = (self.month, rest) else { return Ok(rest) };
        match year.iter().take_while(|c| c.is_ascii_digit()).count() {
            2 => {
                let (year, rest) = digits(year, 2).ok_or(UNKNOWN)?;
                set(&mut self.year, if year < 70 { 2000 + year } else { 1900 + year })?;
                Ok(rest)
            }
            1 | 3 => Err(UNKNOWN),
            _ => Ok(rest),
        }
    }

    /// `hhmm` or `hhmmss`
    fn compact_time(&mut self, text: &[u8]) -> Scan<()> {
        let (hour, rest) = digits(text, 2).ok_or(UNKNOWN)?;
        let (minute, rest) = digits(rest, 2).ok_or(UNKNOWN)?;
        let second = digits(rest, 2).map_or(0, |(second, _)| second);
        if hour > 23 || minute > 59 || second > 59 {
            return Err(UNKNOWN);
        }
        set(&mut self.seconds, hour * 3600 + minute * 60 + second)
    }

    /// A whole date, and nothing of its time.
    fn is_a_day(&self) -> bool {
        self.year.is_some() && self.month.is_some() && self.day.is_some() && self.seconds.is_none() && self.offset.is_none()
    }

    /// `-103000` behind a date is its time; less digits are an offset.
    fn behind_a_day(&mut self, text: &'a [u8]) -> Scan<&'a [u8]> {
        match text[1..].iter().take_while(|c| c.is_ascii_digit()).count() {
            6 => {
                self.compact_time(&text[1..7])?;
                Ok(&text[7..])
            }
            0..=4 => self.offset(text),
            _ => Err(UNKNOWN),
        }
    }

    /// `+01`, `+0130`, `+130`, `+01:30`
    fn offset(&mut self, text: &'a [u8]) -> Scan<&'a [u8]> {
        let sign = if text[0] == b'-' { -1 } else { 1 };
        let width = text[1..].iter().take_while(|c| c.is_ascii_digit()).count();
        let hours = if width == 3 { digits(&text[1..], 1) } else { one_or_two(&text[1..]) };
        let (hours, rest) = hours.ok_or(UNKNOWN)?;
        let (minutes, rest) = match rest {
            [b':', rest @ ..] => digits(rest, 2).ok_or(UNKNOWN)?,
            [b'0'..=b'9', ..] => digits(rest, 2).ok_or(UNKNOWN)?,
            rest => (0, rest),
        };
        self.offset = Some(sign * i64::from(hours * 3600 + minutes * 60));
        Ok(rest)
    }

    fn word(&mut self, text: &'a [u8]) -> Scan<&'a [u8]> {
        let length = text.iter().position(|c| !c.is_ascii_alphabetic()).unwrap_or(text.len());
        let (word, rest) = text.split_at(length);
        let upper = word.to_ascii_uppercase();
        let hours = |hours: i64| Some(hours * 3600);
        let offset = match upper.as_slice() {
            b"Z" | b"UTC" | b"GMT" => hours(0),
            b"EST" | b"CDT" => hours(-5),
            b"EDT" => hours(-4),
            b"CST" | b"MDT" => hours(-6),
            b"MST" | b"PDT" => hours(-7),
            b"PST" => hours(-8),
            b"MSK" | b"EEST" => hours(3),
            b"MSD" => hours(4),
            b"CET" | b"BST" => hours(1),
            b"CEST" | b"EET" => hours(2),
            _ => None,
        };
        if let Some(named) = offset {
            self.offset = offset;
            // `GMT+3`
            let [b'+' | b'-', b'0'..=b'9', ..] = rest else { return Ok(rest) };
            let rest = self.offset(rest)?;
            self.offset = self.offset.map(|further| named + further);
            return Ok(rest);
        }
        if let b"AM" | b"PM" = upper.as_slice() {
            let seconds = self.seconds.ok_or(UNKNOWN)?;
            let hour = seconds / 3600;
            if hour == 0 || hour > 12 {
                return Err(UNKNOWN);
            }
            self.seconds = Some((hour % 12 + if upper == b"PM" { 12 } else { 0 }) * 3600 + seconds % 3600);
            return Ok(rest);
        }
        const MONTHS: &[u8; 36] = b"JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC";
        const DAYS: &[u8; 21] = b"MONTUEWEDTHUFRISATSUN";
        let start = upper.get(..3).ok_or(UNKNOWN)?;
        if let Some(at) = MONTHS.chunks(3).position(|month| month == start) {
            set(&mut self.month, at as u32 + 1)?;
        } else if !DAYS.chunks(3).any(|day| day == start) {
            return Err(UNKNOWN);
        }
        Ok(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_instant_in_many_dresses() {
        let (utc, plain) = (Zone::utc(), Customs::default());
        for text in [
            "2024-01-15T22:30:00Z",
            "2024-01-15 22:30:00",
            "2024-01-15T23:30:00+01:00",
            "2024-01-15T17:30:00.000-0500",
            "15 Jan 2024 22:30:00",
            "Mon, 15 Jan 2024 22:30:00 GMT",
            "15/01/2024 22:30",
            "01/15/2024 22:30:00",
            "January 15, 2024 10:30 PM",
            "20240115223000",
            "20240115 223000",
            "20240115T223000Z",
            "1705357800",
            "1705357800000",
            "15-Jan-2024 22:30",
            "15-Jan-24 22:30",
            "15/JAN/24T22:30:00",
            "Mon Jan 15 22:30:00 2024",
            "2024/01/15 22:30:00",
            "20240115-223000",
            "20240115+223000",
            "20240115-2230",
        ] {
            assert_eq!(date_time(text.as_bytes(), 0, &utc, plain), Ok(1_705_357_800), "{text}");
        }
        let us = Customs { us: true, ..plain };
        assert_eq!(date_time(b"02/01/2024", 0, &utc, plain), Ok(1_704_153_600));
        assert_eq!(date_time(b"01/02/2024", 0, &utc, us), Ok(1_704_153_600));
        assert_eq!(date_time(b"2024-01-15T22:30:00.125Z", 3, &utc, plain), Ok(1_705_357_800_125));
        assert_eq!(date_time(b"1705357800.5", 1, &utc, plain), Ok(17_053_578_005));
        assert_eq!(date_time(b"1705357800.5", 0, &utc, plain), Err(BEHIND));
        for text in ["", "abc", "10:30", "2024-13-01", "2024-01-15 22:30 bogus", "202401152230", "15-Jan-4", "01/2024"] {
            assert!(date_time(text.as_bytes(), 0, &utc, plain).is_err(), "{text}");
        }
    }

    #[test]
    fn without_a_year_it_is_the_last_such_day() {
        let utc = Zone::utc();
        // 2024-01-15 22:30:00
        let customs = Customs { us: false, now_seconds: Some(1_705_357_800) };
        for (text, seconds) in [
            ("Jan 15 22:30:00", 1_705_357_800),
            ("Mar 3 01:33:48", 1_677_807_228),
            ("10:15 PM", 1_704_147_300),
            ("15/01", 1_705_276_800),
            ("1.5", 1_682_899_200),
        ] {
            assert_eq!(date_time(text.as_bytes(), 0, &utc, customs), Ok(seconds), "{text}");
        }
        for text in ["5.", "-1", "+1", "255", "Mon", "Jan", "junk", "Feb 30", "0.005"] {
            assert!(date_time(text.as_bytes(), 0, &utc, customs).is_err(), "{text}");
        }
    }
}
