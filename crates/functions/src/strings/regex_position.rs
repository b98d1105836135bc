//! `regexpPosition(text, pattern[, position[, occurrence[, end[, flags[, group]]]]])`, the REGEXP_INSTR of other systems.

use SqlType as T;
use arrow::datatypes::{Int64Type, UInt64Type};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use regex::bytes::Regex;

use super::pattern::{Flags, regex_with};
use crate::columns::{Bytes, Numbers, numbers};
use crate::define::{arity, bad_argument, constant_bytes, expect_integer, illegal, not_constant, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

const INDEX_OF_POSITIONAL_ARGUMENT_IS_OUT_OF_RANGE: ErrorCode = ErrorCode(353);

pub fn register(registry: &mut Registry) {
    registry.scalar("regexpPosition", plain(|name, arguments, _| bind(name, arguments)));
    for alias in ["regexpInstr", "regexp_instr"] {
        registry.alias(alias, "regexpPosition");
        registry.any_case(alias);
    }
}

fn constant_text(name: &str, arguments: &[Argument], i: usize) -> Result<Vec<u8>> {
    if arguments[i].kind != T::String {
        return Err(illegal(name, arguments, i, "a constant String"));
    }
    constant_bytes(&arguments[i]).ok_or_else(|| not_constant(name, i))
}

fn flags(name: &str, text: &[u8]) -> Result<Flags> {
    let mut flags = Flags::default();
    for flag in text {
        match flag {
            b'i' => flags.case_insensitive = true,
            b'c' => flags.case_insensitive = false,
            b'm' | b'n' => flags.multi_line = true,
            b's' => flags.dot_matches_line_feed = true,
            other => {
                let text = format!("unknown flag '{}': the flags are i, c, m, n and s", char::from(*other));
                return Err(bad_argument(name, text));
            }
        }
    }
    Ok(flags)
}

fn bind(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=7)?;
    if arguments[0].kind != T::String {
        return Err(illegal(name, arguments, 0, "String"));
    }
    let pattern = constant_text(name, arguments, 1)?;
    let mut casts = vec![T::String, T::String];
    for i in 2..arguments.len() {
        if i == 5 {
            casts.push(T::String);
        } else {
            expect_integer(name, arguments, i)?;
            casts.push(T::Int64);
        }
    }
    let flags = if arguments.len() > 5 { flags(name, &constant_text(name, arguments, 5)?)? } else { Flags::default() };
    let regex = regex_with(&pattern, flags)?;
    let name = name.to_string();
    Ok(Bound::cast(casts, T::UInt64, move |args, rows| {
        let texts = Bytes::of(&args[0])?;
        let numbers_at = |i: usize| args.get(i).map(Numbers::of::<Int64Type>).transpose();
        let (starts, counts, ends, groups) = (numbers_at(2)?, numbers_at(3)?, numbers_at(4)?, numbers_at(6)?);
        numbers::<UInt64Type>(rows, |row| {
            let of = |numbers: &Option<Numbers<'_, i64>>, default: i64| numbers.map_or(default, |numbers| numbers.get(row));
            let (start, count, end, group) = (of(&starts, 1), of(&counts, 1), of(&ends, 0), of(&groups, 0));
            if start < 1 || count < 1 {
                let text = format!("position and occurrence must be 1 or more, not {start} and {count}");
                return Err(bad_argument(&name, text));
            }
            if !(0..=1).contains(&end) {
                return Err(bad_argument(
                    &name,
                    format!("what is returned must be 0 (the start) or 1 (the end), not {end}"),
                ));
            }
            if group < 0 || group as usize >= regex.captures_len() {
                let text = format!(
                    "Function {name}: the pattern {} has {} groups, not {group}",
                    regex.as_str(),
                    regex.captures_len() - 1
                );
                return Err(Error::new(INDEX_OF_POSITIONAL_ARGUMENT_IS_OUT_OF_RANGE, text));
            }
            Ok(position(&regex, texts.get(row), start as usize - 1, count as u64, end == 1, group as usize))
        })
    }))
}

/// From 1; 0 where there is none. An empty match ends the search, but where the pattern is empty itself: that is found everywhere.
fn position(regex: &Regex, text: &[u8], start: usize, count: u64, end: bool, group: usize) -> u64 {
    if start > text.len() {
        return 0;
    }
    if regex.as_str().is_empty() {
        let place = start as u64 + count;
        return if place <= text.len() as u64 + 1 && (place as usize <= text.len() || count == 1) { place } else { 0 };
    }
    let mut from = start;
    for _ in 1..count {
        match regex.find_at(text, from) {
            Some(found) if !found.is_empty() => from = found.end(),
            _ => return 0,
        }
    }
    match regex.find_at(text, from) {
        Some(found) if !found.is_empty() => {}
        _ => return 0,
    }
    let found = if group == 0 {
        regex.find_at(text, from).map(|found| found.range())
    } else {
        regex.captures_at(text, from).and_then(|found| found.get(group)).map(|found| found.range())
    };
    found.map_or(0, |found| if end { found.end } else { found.start } as u64 + 1)
}
