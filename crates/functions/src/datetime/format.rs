//! `formatDateTime` with MySQL's pattern letters; `fromUnixTimestamp` uses them too, and `parseDateTime` reads by them.

use SqlType as T;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::calendar::SECONDS_A_DAY;
use gristmill_types::zone::Zone;

use super::format_joda;
use super::format_pattern::{Piece, Shown, joined, write};
use super::moments::{Moments, days, expect_instants, expect_moments, ticks, zone_named};
use crate::columns::{Bytes, at, strings};
use crate::define::{arity, bad_argument, need_constant_text, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};

pub fn register(registry: &mut Registry) {
    registry.scalar("formatDateTime", plain(|name, arguments, env| format_date_time(name, arguments, env, compile)));
    registry.alias("DATE_FORMAT", "formatDateTime");
    registry.any_case("DATE_FORMAT");
    registry.scalar(
        "formatDateTimeInJodaSyntax",
        plain(|name, arguments, env| format_date_time(name, arguments, env, format_joda::compile)),
    );
}

/// Reads a pattern of the function of this name.
pub type Compile = fn(&str, &str, Letters) -> Result<Vec<Piece>>;

/// What letters stand for that are not the same everywhere.
#[derive(Clone, Copy)]
pub struct Letters {
    /// `%M` is a month, and no minute.
    m_is_month: bool,
    /// The least digits of `%c`, `%l` and `%k`.
    loose: usize,
    /// `%e` is two characters, the first of them a blank before one digit.
    e_is_padded: bool,
    /// The digits of `%f`.
    fraction: usize,
    /// The pattern is one to read by.
    pub reads: bool,
}

impl Letters {
    /// Of what is written: moments of this scale.
    pub fn written(env: &FunctionEnv, scale: Option<u8>) -> Letters {
        let settings = env.limits.letters;
        let digits = usize::from(scale.unwrap_or(0));
        let fraction = match (settings.f_is_short, settings.f_is_scaled) {
            (true, _) => digits.max(1),
            (_, true) if digits > 0 => digits,
            _ => 6,
        };
        let loose = if settings.writes_bare { 1 } else { 2 };
        Letters { m_is_month: settings.m_is_month, loose, e_is_padded: settings.e_is_padded, fraction, reads: false }
    }

    /// Of what is read.
    pub fn read(env: &FunctionEnv) -> Letters {
        let settings = env.limits.letters;
        let loose = if settings.reads_bare { 1 } else { 2 };
        Letters { m_is_month: settings.m_is_month, loose, e_is_padded: settings.reads_padded, fraction: 6, reads: true }
    }
}

fn format_date_time(name: &str, arguments: &[Argument], env: &FunctionEnv, compile: Compile) -> Result<Bound> {
    arity(name, arguments, 2..=3)?;
    let moments = expect_moments(name, arguments, 0, env)?;
    let pieces = compile(name, &need_constant_text(name, arguments, 1)?, Letters::written(env, moments.scale))?;
    if arguments.get(2).is_some_and(names_zones) {
        return Ok(format_in_zones(name, moments, pieces, 2));
    }
    Ok(format_bind(moments.in_zone_of(name, arguments, 2)?, pieces))
}

/// Whether an argument names a zone for each row.
pub fn names_zones(argument: &Argument) -> bool {
    argument.constant.is_none() && argument.kind.is_string()
}

/// `toString(moment, zone)` with a zone for each row.
pub fn text_in_zones(name: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
    let moments = expect_instants(name, arguments, 0, env)?;
    let scale = usize::from(moments.scale.unwrap_or(0));
    let literal = |text: &str| Piece::Literal(text.as_bytes().to_vec());
    let mut pieces = vec![Piece::Year(4), literal("-"), Piece::Month(2), literal("-"), Piece::Day(2), literal(" ")];
    pieces.extend([Piece::Hour(2), literal(":"), Piece::Minute(2), literal(":"), Piece::Second(2)]);
    if scale > 0 {
        pieces.extend([literal("."), Piece::Fraction(scale)]);
    }
    Ok(format_in_zones(name, moments, pieces, 1))
}

/// As `format_bind`, each row in the zone that argument `i` names for it; where that is empty, in the moments' own.
fn format_in_zones(name: &str, moments: Moments, pieces: Vec<Piece>, i: usize) -> Bound {
    let name = name.to_string();
    Bound::new(T::String, move |args, rows| {
        let (names, unit) = (Bytes::of(&args[i])?, moments.unit());
        // A day is the same in all zones.
        let of_days = moments.scale.is_none();
        let values: Vec<i64> = match of_days {
            true => days(&args[0])?.iter().map(|day| i64::from(*day) * SECONDS_A_DAY).collect(),
            false => ticks(&args[0])?.to_vec(),
        };
        let mut last: (&[u8], Zone) = (&b""[..], moments.zone.clone());
        strings(rows, |row, out| {
            let wanted = names.get(row);
            if wanted != last.0 {
                let zone = if wanted.is_empty() { moments.zone.clone() } else { zone_named(&name, wanted)? };
                last = (wanted, zone);
            }
            let (zone, tick) = (&last.1, values[at(values.len(), row)]);
            let second = tick.div_euclid(unit);
            let nanos = (tick.rem_euclid(unit) * (1_000_000_000 / unit)) as u32;
            let offset = zone.offset_at(second);
            let local = if of_days { second } else { second.saturating_add(offset) };
            write(&pieces, Shown { local, nanos, offset, zone: zone.name() }, out);
            Ok(())
        })
    })
}

/// Writes moments by compiled pieces.
pub fn format_bind(moments: Moments, pieces: Vec<Piece>) -> Bound {
    Bound::new(T::String, move |args, rows| {
        let zone = moments.zone.name();
        if moments.scale.is_none() {
            let days = days(&args[0])?;
            return strings(rows, |row, out| {
                let local = i64::from(days[at(days.len(), row)]) * SECONDS_A_DAY;
                write(&pieces, Shown { local, nanos: 0, offset: moments.zone.offset_at(local), zone }, out);
                Ok(())
            });
        }
        let (ticks, unit) = (ticks(&args[0])?, moments.unit());
        let local = moments.zone.cursor();
        strings(rows, |row, out| {
            let tick = ticks[at(ticks.len(), row)];
            let second = tick.div_euclid(unit);
            let nanos = (tick.rem_euclid(unit) * (1_000_000_000 / unit)) as u32;
            let offset = local.offset_at(second);
            write(&pieces, Shown { local: second.saturating_add(offset), nanos, offset, zone }, out);
            Ok(())
        })
    })
}

/// MySQL's pattern letters. Errors: BAD_ARGUMENTS for letters that there are none of, NOT_IMPLEMENTED for weeks that begin on
/// Sunday and their like.
pub fn compile(name: &str, pattern: &str, settings: Letters) -> Result<Vec<Piece>> {
    let loose = settings.loose;
    let mut pieces = Vec::new();
    let mut letters = pattern.chars();
    let literal = |text: &str| Piece::Literal(text.as_bytes().to_vec());
    while let Some(letter) = letters.next() {
        if letter != '%' {
            pieces.push(literal(letter.encode_utf8(&mut [0; 4])));
            continue;
        }
        let Some(letter) = letters.next() else {
            return Err(bad_argument(name, format!("the pattern '{pattern}' ends within '%'")));
        };
        let clock = [Piece::Hour(2), literal(":"), Piece::Minute(2)];
        match letter {
            'a' => pieces.push(Piece::WeekdayShort),
            'b' => pieces.push(Piece::MonthShort),
            'c' => pieces.push(Piece::Month(loose)),
            'm' => pieces.push(Piece::Month(2)),
            'C' => pieces.push(Piece::Century(2)),
            'd' => pieces.push(Piece::Day(2)),
            'D' => pieces.extend([Piece::Month(2), literal("/"), Piece::Day(2), literal("/"), Piece::YearOfCentury]),
            'e' if settings.e_is_padded => pieces.push(Piece::PaddedDay),
            'e' => pieces.push(Piece::Day(1)),
            'f' => pieces.push(Piece::Fraction(settings.fraction)),
            'F' => pieces.extend([Piece::Year(4), literal("-"), Piece::Month(2), literal("-"), Piece::Day(2)]),
            'G' => pieces.push(Piece::IsoYear(4)),
            'g' => pieces.push(Piece::IsoYearOfCentury),
            'H' => pieces.push(Piece::Hour(2)),
            'k' => pieces.push(Piece::Hour(loose)),
            'h' | 'I' => pieces.push(Piece::HourOfHalf(2)),
            'l' => pieces.push(Piece::HourOfHalf(loose)),
            'i' => pieces.push(Piece::Minute(2)),
            'j' => pieces.push(Piece::DayOfYear(3)),
            'M' if settings.m_is_month => pieces.push(Piece::MonthLong),
            'M' => pieces.push(Piece::Minute(2)),
            'n' => pieces.push(literal("\n")),
            'p' => pieces.push(Piece::HalfDay),
            'Q' => pieces.push(Piece::Quarter),
            'r' => pieces.extend([Piece::HourOfHalf(2), literal(":"), Piece::Minute(2), literal(" "), Piece::HalfDay]),
            'R' => pieces.extend(clock),
            's' | 'S' => pieces.push(Piece::Second(2)),
            't' => pieces.push(literal("\t")),
            'T' => {
                pieces.extend(clock);
                pieces.extend([literal(":"), Piece::Second(2)]);
            }
            'u' => pieces.push(Piece::Weekday(1)),
            'V' => pieces.push(Piece::IsoWeek(2)),
            'w' => pieces.push(Piece::WeekdayFromSunday),
            'W' => pieces.push(Piece::WeekdayLong),
            'y' => pieces.push(Piece::YearOfCentury),
            'Y' => pieces.push(Piece::Year(4)),
            'z' => pieces.push(Piece::Offset),
            '%' => pieces.push(literal("%")),
            'U' | 'v' | 'x' | 'X' => {
                return Err(Error::not_implemented(format!("the letter '%{letter}' in the pattern of function {name}")));
            }
            letter => {
                return Err(Error::new(
                    ErrorCode::BAD_ARGUMENTS,
                    format!("Function {name}: the pattern '{pattern}' has an unknown letter '%{letter}'"),
                ));
            }
        }
    }
    Ok(joined(pieces))
}
