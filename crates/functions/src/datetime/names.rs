//! `dateName` and `monthName`: parts of dates in words.

use gristmill_base::Result;
use gristmill_types::IntervalKind;
use gristmill_types::SqlType;

use super::format::format_bind;
use super::format_pattern::Piece;
use super::intervals::unit_by_name;
use super::moments::expect_moments;
use crate::define::{arity, bad_argument, illegal, need_constant_text, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};

pub fn register(registry: &mut Registry) {
    registry.scalar("dateName", plain(|name, arguments, env| date_name(name, arguments, env)));
    registry.any_case("dateName");
    registry.scalar(
        "monthName",
        plain(|name, arguments, env| {
            arity(name, arguments, 1..=1)?;
            Ok(format_bind(expect_moments(name, arguments, 0, env)?, vec![Piece::MonthLong]))
        }),
    );
    registry.any_case("monthName");
}

fn date_name(name: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
    arity(name, arguments, 2..=3)?;
    let part = need_constant_text(name, arguments, 0)?;
    let moments = expect_moments(name, arguments, 1, env)?.in_zone_of(name, arguments, 2)?;
    let unknown = || {
        bad_argument(
            name,
            format!(
                "'{part}' is no part of a date: use year, quarter, month, week, dayofyear, day, weekday, hour, minute or second"
            ),
        )
    };
    let piece = match part.to_ascii_lowercase().as_str() {
        "dayofyear" => Piece::DayOfYear(1),
        "weekday" => Piece::WeekdayLong,
        other => match unit_by_name(other).ok_or_else(unknown)? {
            IntervalKind::Year => Piece::Year(1),
            IntervalKind::Quarter => Piece::Quarter,
            IntervalKind::Month => Piece::MonthLong,
            IntervalKind::Week => Piece::IsoWeek(1),
            IntervalKind::Day => Piece::Day(1),
            IntervalKind::Hour => Piece::Hour(1),
            IntervalKind::Minute => Piece::Minute(1),
            IntervalKind::Second => Piece::Second(1),
            _ => return Err(unknown()),
        },
    };
    let of_day = matches!(piece, Piece::Hour(_) | Piece::Minute(_) | Piece::Second(_));
    if of_day && moments.scale.is_none() {
        return Err(illegal(name, arguments, 1, "DateTime or DateTime64, as the part is shorter than a day"));
    }
    let bound = format_bind(moments, vec![piece]);
    Ok(Bound::new(SqlType::String, move |args, rows| (bound.kernel)(&args[1..], rows)))
}
