//! `parseDateTime` and its relatives: instants read by a pattern in MySQL's or Joda's letters.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef, PrimitiveArray};
use arrow::datatypes::Int64Type;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::cast::fill_nulls;
use gristmill_types::zone::Zone;

use super::pattern_reader::read;
use crate::columns::{Bytes, retype};
use crate::datetime::moments::zone_argument;
use crate::datetime::{Compile, Letters, Piece, compile, compile_joda};
use crate::define::{arity, expect_string, need_constant_text, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Failing {
    Throws,
    Null,
    Zero,
}

/// Whose letters a pattern has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Syntax {
    MySql,
    Joda,
}

impl Syntax {
    fn compile(self) -> Compile {
        match self {
            Syntax::MySql => compile,
            Syntax::Joda => compile_joda,
        }
    }

    /// The pattern where none is given.
    fn usual(self, wide: bool) -> &'static str {
        match self {
            Syntax::MySql if wide => "%Y-%m-%d %H:%i:%s.%f",
            Syntax::MySql => "%Y-%m-%d %H:%i:%s",
            Syntax::Joda => "yyyy-MM-dd HH:mm:ss",
        }
    }

    /// The digits of a fraction that a pattern without one gives.
    fn least_scale(self) -> u8 {
        match self {
            Syntax::MySql => 6,
            Syntax::Joda => 0,
        }
    }
}

pub fn register(registry: &mut Registry) {
    for (suffix, failing) in [("", Failing::Throws), ("OrNull", Failing::Null), ("OrZero", Failing::Zero)] {
        for (infix, syntax) in [("", Syntax::MySql), ("InJodaSyntax", Syntax::Joda)] {
            for (prefix, wide) in [("parseDateTime", false), ("parseDateTime64", true)] {
                registry.scalar(
                    &format!("{prefix}{infix}{suffix}"),
                    plain(move |name, arguments, env| bind(name, arguments, env, wide, syntax, failing)),
                );
            }
        }
    }
    registry.alias("TO_UNIXTIME", "parseDateTime");
    registry.any_case("TO_UNIXTIME");
    registry.alias("str_to_date", "parseDateTimeOrNull");
    registry.any_case("str_to_date");
}

fn bind(
    name: &str,
    arguments: &[Argument],
    env: &FunctionEnv,
    wide: bool,
    syntax: Syntax,
    failing: Failing,
) -> Result<Bound> {
    arity(name, arguments, 1..=3)?;
    expect_string(name, arguments, 0)?;
    let pattern = match arguments.len() {
        1 => syntax.usual(wide).to_string(),
        _ => need_constant_text(name, arguments, 1)?,
    };
    let pieces = syntax.compile()(name, &pattern, Letters::read(env))?;
    let (zone, named) = match zone_argument(name, arguments, 2)? {
        Some(found) => found,
        None => (Zone::new(crate::text::timezone(env)?), env.timezone.clone()),
    };
    let scale =
        pieces.iter().filter_map(|piece| if let Piece::Fraction(digits) = piece { Some(*digits) } else { None }).max();
    let scale = scale.map_or(syntax.least_scale(), |digits| digits.min(9) as u8);
    let to = if wide { T::DateTime64(scale, Some(named)) } else { T::DateTime(Some(named)) };
    let result = if failing == Failing::Null { to.clone().nullable() } else { to.clone() };
    let unit = 10i64.pow(u32::from(scale));
    let name = name.to_string();
    Ok(Bound::new(result, move |args, _| {
        let texts = Bytes::of(&args[0])?;
        let one = |text: &[u8]| -> std::result::Result<i64, &'static str> {
            let (second, nanos) = read(&pieces, text, &zone, syntax == Syntax::MySql)?;
            if !wide {
                return if u32::try_from(second).is_ok() { Ok(second) } else { Err("the time is out of the type's range") };
            }
            let ticks = second.checked_mul(unit).ok_or("the time is out of the type's range")?;
            Ok(ticks + i64::from(nanos) / (1_000_000_000 / unit))
        };
        let ticks: PrimitiveArray<Int64Type> = (0..texts.len())
            .map(|row| match one(texts.get(row)) {
                Ok(tick) => Ok(Some(tick)),
                Err(_) if failing != Failing::Throws => Ok(None),
                Err(reason) => Err(Error::new(
                    ErrorCode::CANNOT_PARSE_DATETIME,
                    format!(
                        "Function {name}: cannot parse '{}' by the pattern '{pattern}': {reason}",
                        String::from_utf8_lossy(&texts.get(row)[..texts.get(row).len().min(100)])
                    ),
                )),
            })
            .collect::<Result<_>>()?;
        let ticks = retype(&(Arc::new(ticks) as ArrayRef), &to.arrow())?;
        if failing == Failing::Null || ticks.null_count() == 0 { Ok(ticks) } else { fill_nulls(&ticks, &to) }
    }))
}
