//! Functions that are about evaluation itself: `ignore`, `identity`, `materialize`, `isConstant`, `throwIf`, `sleep`,
//! `rowNumberInBlock`, `blockNumber`, …

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use SqlType as T;
use arrow::array::{ArrayRef, AsArray, UInt64Array};
use datafusion::common::ScalarValue;
use gristmill_base::spending::{self, Blocked};
use gristmill_base::{Error, ErrorCode, Result, runtime};
use gristmill_types::SqlType;
use gristmill_types::cast::{CastOptions, cast};

use crate::columns::{broadcast, truths};
use crate::define::{arity, expect_number, illegal, need_constant_text, not_constant, own_nulls, volatile};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv, Nulls, ScalarFunction};

const FUNCTION_THROW_IF_VALUE_IS_NON_ZERO: ErrorCode = ErrorCode(395);
const TOO_SLOW: ErrorCode = ErrorCode(160);

/// The longest that a block may be made to wait, in seconds (`function_sleep_max_microseconds_per_block`).
const LONGEST_SLEEP_S: f64 = 3.0;

/// Whether a row's value depends on how many rows come before it, or on what they are.
pub fn looks_at_other_rows(name: &str) -> bool {
    matches!(name, "rowNumberInAllBlocks" | "rowNumberInBlock" | "blockNumber" | "runningConcurrency")
        || crate::running::is_deprecated(name)
}

pub fn register(registry: &mut Registry) {
    registry.scalar("ignore", own_nulls(|_, _, _| Ok(Bound::new(T::UInt8, |_, rows| truths(rows, |_| false)))));
    registry.scalar("identity", own_nulls(|name, arguments, _| same(name, arguments)));
    registry.scalar("materialize", Arc::new(Materialize));
    registry.scalar(
        "isConstant",
        own_nulls(|name, arguments, _| {
            arity(name, arguments, 1..=1)?;
            let constant = arguments[0].constant.is_some();
            Ok(Bound::new(T::UInt8, move |_, rows| truths(rows, |_| constant)))
        }),
    );
    registry.scalar("throwIf", volatile(|name, arguments, _| throw_if(name, arguments)));
    registry.scalar("sleep", volatile(|name, arguments, _| sleep(name, arguments, false)));
    registry.scalar("sleepEachRow", volatile(|name, arguments, _| sleep(name, arguments, true)));
    registry.scalar(
        "rowNumberInBlock",
        volatile(|name, arguments, _| {
            arity(name, arguments, 0..=0)?;
            Ok(Bound::new(T::UInt64, |_, rows| Ok(Arc::new(UInt64Array::from_iter_values(0..rows as u64)) as ArrayRef)))
        }),
    );
    registry.scalar(
        "rowNumberInAllBlocks",
        volatile(|name, arguments, _| {
            arity(name, arguments, 0..=0)?;
            let next = AtomicU64::new(0);
            Ok(Bound::new(T::UInt64, move |_, rows| {
                let first = next.fetch_add(rows as u64, Ordering::Relaxed);
                Ok(Arc::new(UInt64Array::from_iter_values(first..first + rows as u64)) as ArrayRef)
            }))
        }),
    );
    registry.scalar(
        "blockNumber",
        volatile(|name, arguments, _| {
            arity(name, arguments, 0..=0)?;
            let next = AtomicU64::new(0);
            Ok(Bound::new(T::UInt64, move |_, rows| {
                let number = next.fetch_add(1, Ordering::Relaxed);
                Ok(Arc::new(UInt64Array::from_value(number, rows)) as ArrayRef)
            }))
        }),
    );
    registry.scalar(
        "blockSize",
        volatile(|name, arguments, _| {
            arity(name, arguments, 0..=0)?;
            Ok(Bound::new(T::UInt64, |_, rows| Ok(Arc::new(UInt64Array::from_value(rows as u64, rows)) as ArrayRef)))
        }),
    );
}

/// A constant is to look like none, so it may not be folded. What is none already is as good as itself: conditions on it reach
/// the table, and prune.
struct Materialize;

impl ScalarFunction for Materialize {
    fn nulls(&self) -> Nulls {
        Nulls::Own
    }

    fn deterministic(&self) -> bool {
        false
    }

    fn deterministic_of(&self, arguments: &[Argument]) -> bool {
        arguments.iter().all(|argument| argument.constant.is_none())
    }

    fn bind(&self, name: &str, arguments: &[Argument], _: &FunctionEnv) -> Result<Bound> {
        same(name, arguments)
    }
}

fn same(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    Ok(Bound::new(arguments[0].kind.clone(), |args, rows| broadcast(&args[0], rows)))
}

/// Condition, message, code.
fn throw_if(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=3)?;
    expect_number(name, arguments, 0)?;
    let message = if arguments.len() > 1 {
        need_constant_text(name, arguments, 1)?
    } else {
        "Value passed to 'throwIf' function is non-zero".into()
    };
    if let Some(code) = arguments.get(2)
        && !code.kind.is_integer()
    {
        return Err(illegal(name, arguments, 2, "the number of an error"));
    }
    let from = arguments[0].kind.clone();
    Ok(Bound::new(T::UInt8, move |args, rows| {
        let conditions = cast(&args[0], &from, &T::Bool.nullable(), &CastOptions::default())?;
        if conditions.as_boolean().true_count() > 0 {
            return Err(Error::new(FUNCTION_THROW_IF_VALUE_IS_NON_ZERO, message.clone()));
        }
        truths(rows, |_| false)
    }))
}

/// Sleeps; other tasks of the thread go on elsewhere meanwhile.
fn pause(time: Duration) {
    runtime::aside(|| spending::blocked(Blocked::Sleep, || std::thread::sleep(time)));
}

/// Waits a number of seconds for a block, or for each of its rows.
fn sleep(name: &str, arguments: &[Argument], each_row: bool) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    expect_number(name, arguments, 0)?;
    let constant = arguments[0].constant.as_ref().ok_or_else(|| not_constant(name, 0))?;
    let array = cast(&constant.to_array_of_size(1)?, &arguments[0].kind, &T::Float64.nullable(), &CastOptions::default())?;
    let ScalarValue::Float64(Some(seconds)) = ScalarValue::try_from_array(&array, 0)? else {
        return Err(illegal(name, arguments, 0, "a number of seconds"));
    };
    if !seconds.is_finite() || seconds < 0.0 {
        return Err(crate::define::bad_argument(name, format!("cannot sleep {seconds} seconds")));
    }
    let name = name.to_string();
    Ok(Bound::new(T::UInt8, move |_, rows| {
        let wait = if each_row { seconds * rows as f64 } else { seconds };
        if wait > LONGEST_SLEEP_S {
            let text = format!(
                "The maximum sleep time of function {name} is {LONGEST_SLEEP_S} seconds a block, {wait} were asked for"
            );
            return Err(Error::new(TOO_SLOW, text));
        }
        if rows > 0 {
            pause(Duration::from_secs_f64(wait));
        }
        truths(rows, |_| false)
    }))
}
