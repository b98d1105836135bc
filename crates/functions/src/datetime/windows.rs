//! `tumble`, `hop` and their `Start` and `End`: the window of time that a moment lies in. Windows of `tumble` follow one another; those
//! of `hop` begin a hop apart and overlap, and the one whose end is nearest counts.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{ArrayRef, Date32Array};
use arrow::datatypes::Int64Type;
use datafusion::common::ScalarValue;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::calendar::{LAST_DAY_OF_DATE, add_months};
use gristmill_types::{IntervalKind, SqlType};

use super::in_range;
use super::moments::{days, expect_moments, from_ticks, midnight, ticks};
use crate::columns::retype;
use crate::define::{arity, constant_integer, illegal, not_constant, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};
use crate::tuples::struct_array;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    Both,
    Start,
    End,
}

pub fn register(registry: &mut Registry) {
    for (suffix, ends) in [("", Ends::Both), ("Start", Ends::Start), ("End", Ends::End)] {
        registry
            .scalar(&format!("tumble{suffix}"), plain(move |name, arguments, env| bind(name, arguments, env, ends, false)));
        registry.scalar(&format!("hop{suffix}"), plain(move |name, arguments, env| bind(name, arguments, env, ends, true)));
    }
}

/// Kind and length of a constant interval.
fn interval(name: &str, arguments: &[Argument], i: usize) -> Result<(IntervalKind, i64)> {
    let Some(T::Interval(kind)) = arguments.get(i).map(|argument| &argument.kind) else {
        return Err(illegal(name, arguments, i, "an interval"));
    };
    let length = constant_integer(&arguments[i]).ok_or_else(|| not_constant(name, i))?;
    if length <= 0 {
        let text = format!("Function {name}: the interval must be positive, not {length}");
        return Err(Error::new(ErrorCode::ARGUMENT_OUT_OF_BOUND, text));
    }
    Ok((*kind, length))
}

/// How far a border lies from the start of a step: seconds for units below a day, days below a month, months.
fn distance(kind: IntervalKind, length: i64) -> i64 {
    let unit = match kind {
        IntervalKind::Minute => 60,
        IntervalKind::Hour => 3600,
        IntervalKind::Week => 7,
        IntervalKind::Quarter => 3,
        IntervalKind::Year => 12,
        _ => 1,
    };
    length.saturating_mul(unit)
}

fn bind(name: &str, arguments: &[Argument], env: &FunctionEnv, ends: Ends, hops: bool) -> Result<Bound> {
    let intervals = if hops { 2 } else { 1 };
    arity(name, arguments, 1 + intervals..=2 + intervals)?;
    let T::DateTime(zone) = &arguments[0].kind else { return Err(illegal(name, arguments, 0, "DateTime")) };
    let zone = match arguments.get(1 + intervals) {
        None => zone.clone(),
        Some(_) => super::moments::zone_argument(name, arguments, 1 + intervals)?.map(|(_, named)| named),
    };
    let moment = T::DateTime(zone);
    let (kind, length) = interval(name, arguments, 1)?;
    let window = if hops { interval(name, arguments, 2)? } else { (kind, length) };
    if kind < IntervalKind::Second {
        return Err(illegal(name, arguments, 1, "an interval of seconds or more"));
    }
    if window.0 != kind {
        let text = format!("Function {name}: hop and window must be intervals of one unit");
        return Err(Error::new(ErrorCode::ILLEGAL_COLUMN, text));
    }
    if window.1 < length {
        let text = format!("Function {name}: the window must not be shorter than the hop");
        return Err(Error::new(ErrorCode::ARGUMENT_OUT_OF_BOUND, text));
    }
    // Where steps begin is for the calendar to say.
    let start = super::starts_of_interval::to_start_of_interval(
        "toStartOfInterval",
        &[
            Argument { kind: moment.clone(), constant: None },
            Argument { kind: T::Interval(kind), constant: Some(ScalarValue::Int64(Some(length))) },
        ],
        env,
    )?;
    // Weeks and what is longer begin with a day.
    let border = if kind > IntervalKind::Day { T::Date } else { moment.clone() };
    let whole = T::Tuple(vec![(None, border.clone()); 2]);
    let result = if ends == Ends::Both { whole.clone() } else { border.clone() };
    let mut casts = vec![moment.clone()];
    casts.extend(arguments[1..].iter().map(|argument| argument.kind.clone()));
    let moments = expect_moments(name, &[Argument { kind: moment, constant: None }], 0, env)?;
    // The step that the moment lies in ends the nearest window.
    let (step, width) = (distance(kind, length), distance(kind, window.1));
    Ok(Bound::cast(casts, result, move |args, rows| {
        let starts = (start.kernel)(&args[..1], args[0].len())?;
        let moved = |by: i64| -> Result<ArrayRef> {
            match kind {
                _ if kind < IntervalKind::Day => {
                    from_ticks(ticks(&starts)?.iter().map(|start| start.saturating_add(by)).collect(), &border)
                }
                IntervalKind::Day => {
                    let zone = &moments.zone;
                    let shifted = moments.each_day::<Int64Type>(&starts, |day| {
                        in_range(midnight(zone, i64::from(day).saturating_add(by).clamp(-800_000, 800_000)))
                    })?;
                    retype(&shifted, &border.arrow())
                }
                _ => {
                    let shifted = days(&starts)?.iter().map(|day| {
                        let moved = if kind == IntervalKind::Week {
                            i64::from(*day).saturating_add(by)
                        } else {
                            i64::from(add_months(*day, by.clamp(-1_000_000, 1_000_000)))
                        };
                        moved.clamp(0, i64::from(LAST_DAY_OF_DATE)) as i32
                    });
                    Ok(Arc::new(Date32Array::from_iter_values(shifted)))
                }
            }
        };
        match ends {
            Ends::Start => moved(step.saturating_sub(width)),
            Ends::End => moved(step),
            Ends::Both => struct_array(&whole, vec![moved(step.saturating_sub(width))?, moved(step)?], rows),
        }
    }))
}
