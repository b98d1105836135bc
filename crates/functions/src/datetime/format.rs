//! `formatDateTime` with MySQL's pattern letters; `fromUnixTimestamp` uses them too, and `parseDateTime` reads by them.

use SqlType as T;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use super::format_joda;
use super::format_pattern::{Piece, Shown, joined, write};
use super::moments::{Moments, days, expect_moments, ticks};
use crate::columns::{at, strings};
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

type Compile = fn(&str, &str) -> Result<Vec<Piece>>;

fn format_date_time(name: &str, arguments: &[Argument], env: &FunctionEnv, compile: Compile) -> Result<Bound> {
    arity(name, arguments, 2..=3)?;
    let moments = expect_moments(name, arguments, 0, env)?.in_zone_of(name, arguments, 2)?;
    let pieces = compile(name, &need_constant_text(name, arguments, 1)?)?;
    Ok(format_bind(moments, pieces))
}

/// Writes moments by compiled pieces.
pub fn format_bind(moments: Moments, pieces: Vec<Piece>) -> Bound {
    Bound::new(T::String, move |args, rows| {
        let zone = moments.zone.name();
        if moments.scale.is_none() {
            let days = days(&args[0])?;
            return strings(rows, |row, out| {
                let local = i64::from(days[at(days.len(), row)]) * gristmill_types::calendar::SECONDS_A_DAY;
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
pub fn compile(name: &str, pattern: &str) -> Result<Vec<Piece>> {
    pieces(name, pattern, 2)
}

/// As `compile`, of what texts are read by: some letters that are written with two digits are read of one as well.
pub fn compile_to_read(name: &str, pattern: &str) -> Result<Vec<Piece>> {
    pieces(name, pattern, 1)
}

/// `loose`: digits of the months and hours that texts may have without a zero before them.
fn pieces(name: &str, pattern: &str, loose: usize) -> Result<Vec<Piece>> {
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
            'e' => pieces.push(Piece::Day(1)),
            'f' => pieces.push(Piece::Fraction(6)),
            'F' => pieces.extend([Piece::Year(4), literal("-"), Piece::Month(2), literal("-"), Piece::Day(2)]),
            'G' => pieces.push(Piece::IsoYear(4)),
            'g' => pieces.push(Piece::IsoYearOfCentury),
            'H' => pieces.push(Piece::Hour(2)),
            'k' => pieces.push(Piece::Hour(loose)),
            'h' | 'I' => pieces.push(Piece::HourOfHalf(2)),
            'l' => pieces.push(Piece::HourOfHalf(loose)),
            'i' => pieces.push(Piece::Minute(2)),
            'j' => pieces.push(Piece::DayOfYear(3)),
            'M' => pieces.push(Piece::MonthLong),
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
