//! Several needles at once: `multiSearch…`, `multiMatch…`. Needles are an array of strings, mostly a constant one.

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{UInt8Type, UInt64Type};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use memchr::memmem;
use regex::bytes::RegexSet;

use super::pattern::regex;
use super::position::{MODES, Mode};
use super::utf8;
use crate::columns::{Bytes, at, list, numbers};
use crate::define::{arity, bad_argument, expect_array, expect_string, illegal, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionLimits};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Any,
    /// Number (from 1) of the first needle, in their order, that is found.
    FirstIndex,
    /// The leftmost position of any.
    FirstPosition,
    /// The position of each.
    AllPositions,
}

pub fn register(registry: &mut Registry) {
    for (suffix, mode) in MODES {
        for (name, wanted) in [
            ("multiSearchAny", Wanted::Any),
            ("multiSearchFirstIndex", Wanted::FirstIndex),
            ("multiSearchFirstPosition", Wanted::FirstPosition),
            ("multiSearchAllPositions", Wanted::AllPositions),
        ] {
            registry
                .scalar(&format!("{name}{suffix}"), plain(move |name, arguments, _| search(name, arguments, mode, wanted)));
        }
    }
    registry.scalar("multiMatchAny", plain(|name, arguments, env| matches(name, arguments, Wanted::Any, env.limits)));
    registry.scalar(
        "multiMatchAnyIndex",
        plain(|name, arguments, env| matches(name, arguments, Wanted::FirstIndex, env.limits)),
    );
    registry.scalar(
        "multiMatchAllIndices",
        plain(|name, arguments, env| matches(name, arguments, Wanted::AllPositions, env.limits)),
    );
}

fn check(name: &str, arguments: &[Argument]) -> Result<()> {
    arity(name, arguments, 2..=2)?;
    expect_string(name, arguments, 0)?;
    match expect_array(name, arguments, 1)? {
        T::String | T::Nothing => Ok(()),
        _ => Err(illegal(name, arguments, 1, "Array(String)")),
    }
}

/// The needles of a row.
fn needles(lists: &ArrayRef, row: usize) -> Vec<&[u8]> {
    let list = lists.as_list::<i32>();
    let row = at(list.len(), row);
    match list.values().as_binary_view_opt() {
        None => Vec::new(),
        Some(values) => {
            (list.value_offsets()[row]..list.value_offsets()[row + 1]).map(|i| values.value(i as usize)).collect()
        }
    }
}

/// Something made of a row's needles, kept while they stay the same.
pub(super) fn cached<'k, 'a, V>(
    known: &'k mut Option<(Vec<&'a [u8]>, V)>,
    lists: &'a ArrayRef,
    row: usize,
    make: impl FnOnce(&[&'a [u8]]) -> Result<V>,
) -> Result<&'k V> {
    let constant = lists.len() == 1 && known.is_some();
    if !constant {
        let wanted = needles(lists, row);
        if known.as_ref().is_none_or(|(of, _)| *of != wanted) {
            let made = make(&wanted)?;
            *known = Some((wanted, made));
        }
    }
    known.as_ref().map(|(_, value)| value).ok_or_else(|| Error::logical("needles were prepared"))
}

fn search(name: &str, arguments: &[Argument], mode: Mode, wanted: Wanted) -> Result<Bound> {
    check(name, arguments)?;
    let result = match wanted {
        Wanted::Any => T::UInt8,
        Wanted::AllPositions => SqlType::array(T::UInt64),
        _ => T::UInt64,
    };
    Ok(Bound::new(result, move |args, rows| {
        let source = Bytes::of(&args[0])?;
        let mut known = None;
        let mut found = |row: usize, each: &mut dyn FnMut(Option<usize>) -> bool| -> Result<()> {
            let finders = cached(&mut known, &args[1], row, |needles| {
                Ok(needles.iter().map(|needle| memmem::Finder::new(&mode.fold(needle)).into_owned()).collect::<Vec<_>>())
            })?;
            let text = mode.fold(source.get(row));
            for finder in finders {
                // Nothing is found in an empty text, not even nothing.
                let found = if text.is_empty() { None } else { finder.find(&text) };
                let place = found.map(|at| if mode.points { utf8::count(&text[..at]) + 1 } else { at + 1 });
                if !each(place) {
                    break;
                }
            }
            Ok(())
        };
        match wanted {
            Wanted::Any => numbers::<UInt8Type>(rows, |row| {
                let mut any = 0;
                found(row, &mut |place| {
                    any = u8::from(place.is_some());
                    any == 0
                })?;
                Ok(any)
            }),
            Wanted::FirstIndex => numbers::<UInt64Type>(rows, |row| {
                let (mut index, mut first) = (0, 0);
                found(row, &mut |place| {
                    index += 1;
                    first = if place.is_some() { index } else { 0 };
                    first == 0
                })?;
                Ok(first)
            }),
            Wanted::FirstPosition => numbers::<UInt64Type>(rows, |row| {
                let mut first: Option<usize> = None;
                found(row, &mut |place| {
                    first = match (first, place) {
                        (Some(a), Some(b)) => Some(a.min(b)),
                        (a, b) => a.or(b),
                    };
                    true
                })?;
                Ok(first.unwrap_or(0) as u64)
            }),
            Wanted::AllPositions => {
                let (mut lengths, mut places) = (Vec::with_capacity(rows), Vec::new());
                for row in 0..rows {
                    let before = places.len();
                    found(row, &mut |place| {
                        places.push(place.unwrap_or(0) as u64);
                        true
                    })?;
                    lengths.push(places.len() - before);
                }
                list(std::sync::Arc::new(arrow::array::UInt64Array::from(places)), &lengths)
            }
        }
    }))
}

/// That expressions are no longer than they may be, each and all of them. Error: BAD_ARGUMENTS.
pub(super) fn check_limits<'a>(
    name: &str,
    expressions: impl Iterator<Item = &'a [u8]>,
    limits: &FunctionLimits,
) -> Result<()> {
    let mut all = 0;
    for expression in expressions {
        let (bytes, most) = (expression.len() as u64, limits.regexp_bytes_max);
        if most > 0 && bytes > most {
            let text = format!("Regexp length too large ({bytes} > {most}): max_hyperscan_regexp_length limits it");
            return Err(bad_argument(name, text));
        }
        all += bytes;
    }
    let most = limits.regexps_bytes_max;
    if most > 0 && all > most {
        let text = format!("Total regexp lengths too large ({all} > {most}): max_hyperscan_regexp_total_length limits them");
        return Err(bad_argument(name, text));
    }
    Ok(())
}

/// Errors: FUNCTION_NOT_ALLOWED; BAD_ARGUMENTS where expressions that are known are too long.
pub(super) fn check_expressions(name: &str, argument: &Argument, limits: &FunctionLimits) -> Result<()> {
    if !limits.allows_regexps {
        let text = format!("{name} searches for regular expressions at once: the setting 'allow_hyperscan' is 0");
        return Err(Error::new(ErrorCode::FUNCTION_NOT_ALLOWED, text));
    }
    match &argument.constant {
        Some(constant) => {
            let lists = constant.to_array_of_size(1)?;
            match lists.as_list_opt::<i32>() {
                Some(_) => check_limits(name, needles(&lists, 0).into_iter(), limits),
                None => Ok(()),
            }
        }
        None => Ok(()),
    }
}

fn matches(name: &str, arguments: &[Argument], wanted: Wanted, limits: FunctionLimits) -> Result<Bound> {
    check(name, arguments)?;
    check_expressions(name, &arguments[1], &limits)?;
    let name = name.to_string();
    let result = match wanted {
        Wanted::Any => T::UInt8,
        Wanted::AllPositions => SqlType::array(T::UInt64),
        _ => T::UInt64,
    };
    Ok(Bound::new(result, move |args, rows| {
        let source = Bytes::of(&args[0])?;
        let mut known = None;
        let mut lengths = Vec::new();
        let mut indices = Vec::new();
        for row in 0..rows {
            let set = cached(&mut known, &args[1], row, |needles| {
                check_limits(&name, needles.iter().copied(), &limits)?;
                // Each is compiled on its own first: the set wants the translated texts.
                let each = needles.iter().map(|needle| regex(needle, false)).collect::<Result<Vec<_>>>()?;
                let translated = each.iter().map(|one| one.as_str());
                let set =
                    regex::bytes::RegexSetBuilder::new(translated).dot_matches_new_line(true).build().map_err(|error| {
                        Error::new(ErrorCode::CANNOT_COMPILE_REGEXP, format!("Cannot compile patterns: {error}"))
                    })?;
                Ok((set, each))
            })?;
            let (set, each) = set;
            let text = source.get(row);
            let before = indices.len();
            match wanted {
                Wanted::Any => indices.push(u64::from(RegexSet::is_match(set, text))),
                // The one whose match ends first, as a search of all of them at once finds it.
                Wanted::FirstIndex => {
                    let ends = set.matches(text).into_iter().filter_map(|i| Some((each[i].shortest_match(text)?, i)));
                    indices.push(ends.min().map_or(0, |(_, i)| i as u64 + 1));
                }
                _ => indices.extend(set.matches(text).iter().map(|i| i as u64 + 1)),
            }
            lengths.push(indices.len() - before);
        }
        match wanted {
            Wanted::Any => numbers::<UInt8Type>(rows, |row| Ok(indices[row] as u8)),
            Wanted::FirstIndex => Ok(std::sync::Arc::new(arrow::array::UInt64Array::from(indices))),
            _ => list(std::sync::Arc::new(arrow::array::UInt64Array::from(indices)), &lengths),
        }
    }))
}
