//! Reads an instant by the pieces of a pattern, as `formatDateTime` would have written it.
//!
//! What the pattern does not name is 1970-01-01 00:00:00; where it names a month or a day but no year, the year is 2000,
//! which has every day.

use gristmill_types::calendar::{SECONDS_A_DAY, days_from_civil, days_in_month, first_iso_monday};
use gristmill_types::zone::Zone;

use crate::datetime::{MONTHS, Piece, WEEKDAYS};

#[derive(Default)]
struct Found {
    year: Option<u32>,
    century: Option<u32>,
    month: Option<u32>,
    day: Option<u32>,
    day_of_year: Option<u32>,
    iso_year: Option<u32>,
    iso_week: Option<u32>,
    weekday: Option<u32>,
    /// The day is one of a week, and not of a month or year: what is read last says it.
    by_week: bool,
    hour: Option<u32>,
    half_hour: Option<u32>,
    afternoon: Option<bool>,
    minute: u32,
    second: u32,
    nanos: u32,
    offset: Option<i64>,
}

/// Why a text does not follow a pattern.
pub type Fault = &'static str;

/// Seconds since the epoch and nanoseconds.
///
/// `exact`: where a piece would be written with several digits, it has them, as MySQL's letters say.
pub fn read(pieces: &[Piece], text: &[u8], zone: &Zone, exact: bool) -> Result<(i64, u32), Fault> {
    let mut found = Found::default();
    let mut rest = text;
    for (i, piece) in pieces.iter().enumerate() {
        // Where digits follow digits, only the width says where one number ends.
        let crowded = matches!(pieces.get(i + 1), Some(next) if is_number(next));
        rest = found.piece(piece, rest, crowded, exact)?;
    }
    if !rest.is_empty() {
        return Err("the text goes on after the pattern's end");
    }
    found.instant(zone)
}

fn is_number(piece: &Piece) -> bool {
    !matches!(
        piece,
        Piece::Literal(_)
            | Piece::Era
            | Piece::MonthShort
            | Piece::MonthLong
            | Piece::WeekdayShort
            | Piece::WeekdayLong
            | Piece::HalfDay
            | Piece::Offset
            | Piece::ZoneName
    )
}

fn digits(text: &[u8], least: usize, most: usize) -> Result<(u32, &[u8]), Fault> {
    let count = text.iter().take(most).take_while(|c| c.is_ascii_digit()).count();
    if count < least.max(1) {
        return Err("a number is missing or has too few digits");
    }
    let value =
        text[..count].iter().fold(0u32, |value, digit| value.saturating_mul(10).saturating_add(u32::from(digit - b'0')));
    Ok((value, &text[count..]))
}

fn bounded(value: u32, low: u32, high: u32) -> Result<u32, Fault> {
    if (low..=high).contains(&value) { Ok(value) } else { Err("a number is out of its range") }
}

/// How a name is written: its first three letters, all of them, or either, as Joda's letters say.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Length {
    Short,
    Long,
    Any,
}

/// The place of the name that the text begins with.
fn name<'a>(text: &'a [u8], names: &[&str], length: Length) -> Result<(u32, &'a [u8]), Fault> {
    let begins = |wanted: &[u8]| text.len() >= wanted.len() && text[..wanted.len()].eq_ignore_ascii_case(wanted);
    for (i, name) in names.iter().enumerate() {
        let (long, short) = (name.as_bytes(), &name.as_bytes()[..3]);
        let found = match length {
            Length::Long | Length::Any if begins(long) => Some(long),
            Length::Short | Length::Any if begins(short) => Some(short),
            _ => None,
        };
        if let Some(found) = found {
            return Ok((i as u32 + 1, &text[found.len()..]));
        }
    }
    Err("a month or a day of the week is not named")
}

impl Found {
    fn piece<'a>(&mut self, piece: &Piece, text: &'a [u8], crowded: bool, exact: bool) -> Result<&'a [u8], Fault> {
        // Numbers of two digits may have one where nothing is crowded.
        let two = |text: &'a [u8], width: usize, low, high| -> Result<(u32, &'a [u8]), Fault> {
            let (value, rest) = digits(text, if crowded || exact && width > 1 { 2 } else { 1 }, 2)?;
            Ok((bounded(value, low, high)?, rest))
        };
        match piece {
            Piece::IsoWeek(_) | Piece::Weekday(_) | Piece::WeekdayFromSunday => self.by_week = true,
            Piece::Month(_)
            | Piece::MonthShort
            | Piece::MonthLong
            | Piece::Day(_)
            | Piece::PaddedDay
            | Piece::DayOfYear(_) => {
                self.by_week = false;
            }
            _ => {}
        }
        let length = |is_long: bool| match (exact, is_long) {
            (false, _) => Length::Any,
            (true, true) => Length::Long,
            (true, false) => Length::Short,
        };
        let rest = match piece {
            Piece::Literal(wanted) => {
                return text.strip_prefix(wanted.as_slice()).ok_or("the text differs from the pattern's");
            }
            Piece::Era => {
                let (era, rest) = text.split_at_checked(2).ok_or("AD is missing")?;
                return if era.eq_ignore_ascii_case(b"AD") { Ok(rest) } else { Err("AD is missing") };
            }
            Piece::Century(_) => {
                let (value, rest) = digits(text, 2, 2)?;
                self.century = Some(value);
                rest
            }
            Piece::Year(_) => {
                let (value, rest) = digits(text, if crowded || exact { 4 } else { 1 }, 4)?;
                self.year = Some(value);
                rest
            }
            Piece::YearOfCentury => {
                let (value, rest) = digits(text, 2, 2)?;
                self.year = Some(if value < 70 { 2000 + value } else { 1900 + value });
                rest
            }
            Piece::IsoYear(_) => {
                let (value, rest) = digits(text, 4, 4)?;
                self.iso_year = Some(value);
                rest
            }
            Piece::IsoYearOfCentury => {
                let (value, rest) = digits(text, 2, 2)?;
                self.iso_year = Some(if value < 70 { 2000 + value } else { 1900 + value });
                rest
            }
            Piece::Quarter => {
                let (value, rest) = digits(text, 1, 1)?;
                self.month = Some((bounded(value, 1, 4)? - 1) * 3 + 1);
                rest
            }
            Piece::Month(width) => {
                let (value, rest) = two(text, *width, 1, 12)?;
                self.month = Some(value);
                rest
            }
            Piece::MonthShort | Piece::MonthLong => {
                let (value, rest) = name(text, &MONTHS, length(matches!(piece, Piece::MonthLong)))?;
                self.month = Some(value);
                rest
            }
            Piece::Day(width) => {
                // `%e` is filled up with blanks.
                let blanks = if exact && *width == 1 { text.iter().take_while(|c| **c == b' ').count() } else { 0 };
                let (value, rest) = two(&text[blanks..], *width, 1, 31)?;
                self.day = Some(value);
                rest
            }
            Piece::PaddedDay => {
                let (value, rest) = match text {
                    [b' ', one @ ..] => digits(one, 1, 1)?,
                    _ => digits(text, 2, 2)?,
                };
                self.day = Some(bounded(value, 1, 31)?);
                rest
            }
            Piece::DayOfYear(least) => {
                let (value, rest) = digits(text, if crowded { 3 } else { (*least).min(3) }, 3)?;
                self.day_of_year = Some(bounded(value, 1, 366)?);
                rest
            }
            Piece::Weekday(_) => {
                let (value, rest) = digits(text, 1, 1)?;
                self.weekday = Some(bounded(value, 1, 7)?);
                rest
            }
            Piece::WeekdayFromSunday => {
                let (value, rest) = digits(text, 1, 1)?;
                self.weekday = Some(if bounded(value, 0, 6)? == 0 { 7 } else { value });
                rest
            }
            Piece::WeekdayShort | Piece::WeekdayLong => {
                let (value, rest) = name(text, &WEEKDAYS, length(matches!(piece, Piece::WeekdayLong)))?;
                self.weekday = Some(value);
                rest
            }
            Piece::IsoWeek(width) => {
                let (value, rest) = two(text, *width, 1, 53)?;
                self.iso_week = Some(value);
                rest
            }
            Piece::Hour(width) => {
                let (value, rest) = two(text, *width, 0, 23)?;
                self.hour = Some(value);
                rest
            }
            Piece::HourFromOne(width) => {
                let (value, rest) = two(text, *width, 1, 24)?;
                self.hour = Some(value % 24);
                rest
            }
            Piece::HourOfHalf(width) => {
                let (value, rest) = two(text, *width, 1, 12)?;
                self.half_hour = Some(value % 12);
                rest
            }
            Piece::HourOfHalfFromZero(width) => {
                let (value, rest) = two(text, *width, 0, 11)?;
                self.half_hour = Some(value);
                rest
            }
            Piece::HalfDay => {
                let (half, rest) = text.split_at_checked(2).ok_or("AM or PM is missing")?;
                self.afternoon = Some(match half.to_ascii_uppercase().as_slice() {
                    b"AM" => false,
                    b"PM" => true,
                    _ => return Err("AM or PM is missing"),
                });
                rest
            }
            Piece::Minute(width) => {
                let (value, rest) = two(text, *width, 0, 59)?;
                self.minute = value;
                rest
            }
            Piece::Second(width) => {
                let (value, rest) = two(text, *width, 0, 59)?;
                self.second = value;
                rest
            }
            Piece::Fraction(most) => {
                let most = (*most).min(9);
                let count = text.iter().take(most).take_while(|c| c.is_ascii_digit()).count();
                let (value, rest) = digits(text, 1, most)?;
                self.nanos = value * 10u32.pow(9 - count as u32);
                rest
            }
            Piece::Offset => {
                let (sign, rest) = match text {
                    [b'+', rest @ ..] => (1, rest),
                    [b'-', rest @ ..] => (-1, rest),
                    _ => return Err("an offset such as +0100 is missing"),
                };
                let (hours, rest) = digits(rest, 2, 2)?;
                let rest = rest.strip_prefix(b":").unwrap_or(rest);
                let (minutes, rest) = digits(rest, 2, 2)?;
                self.offset = Some(sign * i64::from(bounded(hours, 0, 24)? * 3600 + bounded(minutes, 0, 59)? * 60));
                rest
            }
            Piece::ZoneName => {
                let length = text.iter().take_while(|c| c.is_ascii_alphanumeric() || b"/_+-".contains(c)).count();
                let (zone, rest) = text.split_at(length);
                let zone: chrono_tz::Tz =
                    std::str::from_utf8(zone).ok().and_then(|zone| zone.parse().ok()).ok_or("the time zone is not known")?;
                let zone = Zone::new(zone);
                let local = self.local()?;
                self.offset = Some(local - zone.to_utc(local));
                rest
            }
        };
        Ok(rest)
    }

    fn days(&self) -> Result<i32, Fault> {
        let known_year = self.iso_year.or(self.year);
        if self.by_week {
            let (year, week) = (known_year.unwrap_or(2000) as i32, self.iso_week.unwrap_or(1) as i32);
            return Ok(first_iso_monday(year) + (week - 1) * 7 + self.weekday.unwrap_or(1) as i32 - 1);
        }
        let dated = self.month.is_some() || self.day.is_some() || self.day_of_year.is_some();
        let of_century = self.century.map(|century| century * 100);
        let year = known_year.or(of_century).unwrap_or(if dated { 2000 } else { 1970 }) as i32;
        if let Some(day) = self.day_of_year {
            let last = if days_in_month(year, 2) == 29 { 366 } else { 365 };
            return if day <= last {
                Ok(days_from_civil(year, 1, 1) + day as i32 - 1)
            } else {
                Err("the year has fewer days")
            };
        }
        let (month, day) = (self.month.unwrap_or(1), self.day.unwrap_or(1));
        if day > days_in_month(year, month) {
            return Err("the month has fewer days");
        }
        Ok(days_from_civil(year, month, day))
    }

    /// Seconds of the local clock.
    fn local(&self) -> Result<i64, Fault> {
        let hour = match (self.hour, self.half_hour) {
            (Some(hour), _) => hour,
            (None, Some(hour)) => hour + if self.afternoon == Some(true) { 12 } else { 0 },
            (None, None) => 0,
        };
        Ok(i64::from(self.days()?) * SECONDS_A_DAY + i64::from(hour * 3600 + self.minute * 60 + self.second))
    }

    fn instant(&self, zone: &Zone) -> Result<(i64, u32), Fault> {
        let local = self.local()?;
        let utc = self.offset.map_or_else(|| zone.to_utc(local), |offset| local - offset);
        Ok((utc, self.nanos))
    }
}
