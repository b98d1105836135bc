//! `extract`, `extractAll`, `extractGroups`, `extractAllGroups…`, `regexpExtract`, `countMatches`.

use SqlType as T;
use arrow::array::ArrayRef;
use arrow::datatypes::{Int64Type, UInt64Type};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use regex::bytes::Regex;

use super::like::Compiled;
use super::pattern::regex;
use crate::columns::{Bytes, Numbers, list, numbers, slice_lists, slices};
use crate::define::{arity, bad_argument, constant_bytes, expect_integer, expect_string, not_constant, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    registry.scalar("extract", plain(|name, arguments, _| extract(name, arguments)));
    registry.keyword("extract");
    registry.scalar("extractAll", plain(|name, arguments, _| extract_all(name, arguments)));
    registry.scalar("extractGroups", plain(|name, arguments, _| extract_groups(name, arguments)));
    registry.scalar("extractAllGroupsVertical", plain(|name, arguments, _| all_groups(name, arguments, true)));
    registry.alias("extractAllGroups", "extractAllGroupsVertical");
    registry.scalar("extractAllGroupsHorizontal", plain(|name, arguments, _| all_groups(name, arguments, false)));
    registry.scalar("regexpExtract", plain(|name, arguments, _| regexp_extract(name, arguments)));
    registry.alias("REGEXP_EXTRACT", "regexpExtract");
    registry.any_case("REGEXP_EXTRACT");
    registry.alias("REGEXP_SUBSTR", "regexpExtract");
    registry.any_case("REGEXP_SUBSTR");
    registry.scalar("countMatches", plain(|name, arguments, _| count_matches(name, arguments, false)));
    registry.scalar("countMatchesCaseInsensitive", plain(|name, arguments, _| count_matches(name, arguments, true)));
}

fn prepared(name: &str, arguments: &[Argument], case_insensitive: bool) -> Result<Compiled<Regex>> {
    expect_string(name, arguments, 0)?;
    expect_string(name, arguments, 1)?;
    Compiled::new(&arguments[1], move |pattern| regex(pattern, case_insensitive))
}

/// As `prepared`, of functions whose constant pattern has groups. Errors: ILLEGAL_COLUMN, BAD_ARGUMENTS.
fn with_groups(name: &str, arguments: &[Argument]) -> Result<Compiled<Regex>> {
    let compiled = prepared(name, arguments, false)?;
    if arguments[1].constant.is_none() {
        return Err(not_constant(name, 1));
    }
    if let Some(pattern) = constant_bytes(&arguments[1])
        && group(&regex(&pattern, false)?) == 0
    {
        let pattern = String::from_utf8_lossy(&pattern);
        return Err(bad_argument(name, format!("there are no groups in the regular expression '{pattern}'")));
    }
    Ok(compiled)
}

/// What is extracted: the first group, or the whole match where there is none.
fn group(regex: &Regex) -> usize {
    usize::from(regex.captures_len() > 1)
}

fn extract(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    let compiled = prepared(name, arguments, false)?;
    Ok(Bound::new(T::String, move |args, rows| {
        let mut patterns = compiled.of(&args[1])?;
        let mut failure = None;
        let result = slices(&args[0], rows, |row, text| match patterns.get(row) {
            Ok(regex) if group(regex) == 0 => regex.find(text).map_or(&text[..0], |found| &text[found.range()]),
            Ok(regex) => {
                regex.captures(text).and_then(|found| found.get(1)).map_or(&text[..0], |found| &text[found.range()])
            }
            Err(error) => {
                failure.get_or_insert(error);
                &text[..0]
            }
        });
        failure.map_or(result, Err)
    }))
}

fn extract_all(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    let compiled = prepared(name, arguments, false)?;
    Ok(Bound::new(SqlType::array(T::String), move |args, rows| {
        let mut patterns = compiled.of(&args[1])?;
        slice_lists(&args[0], rows, |row, text, parts| {
            let regex = patterns.get(row)?;
            if group(regex) == 0 {
                parts.extend(regex.find_iter(text).map(|found| &text[found.range()]).filter(|part| !part.is_empty()));
            } else {
                parts.extend(
                    regex.captures_iter(text).map(|found| found.get(1).map_or(&text[..0], |found| &text[found.range()])),
                );
            }
            Ok(())
        })
    }))
}

fn extract_groups(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    let compiled = with_groups(name, arguments)?;
    Ok(Bound::new(SqlType::array(T::String), move |args, rows| {
        let mut patterns = compiled.of(&args[1])?;
        slice_lists(&args[0], rows, |row, text, parts| {
            let regex = patterns.get(row)?;
            if let Some(found) = regex.captures(text) {
                parts.extend(found.iter().skip(1).map(|group| group.map_or(&text[..0], |group| &text[group.range()])));
            }
            Ok(())
        })
    }))
}

/// Vertical: an array of the groups of each match. Horizontal: an array of the matches of each group.
fn all_groups(name: &str, arguments: &[Argument], vertical: bool) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    let compiled = with_groups(name, arguments)?;
    Ok(Bound::new(SqlType::array(SqlType::array(T::String)), move |args, rows| {
        let mut patterns = compiled.of(&args[1])?;
        let (mut outer, mut inner): (Vec<usize>, Vec<usize>) = (Vec::with_capacity(rows), Vec::new());
        let flat: ArrayRef = slice_lists(&args[0], rows, |row, text, parts| {
            let regex = patterns.get(row)?;
            let groups = regex.captures_len() - 1;
            let matches: Vec<Vec<&[u8]>> = regex
                .captures_iter(text)
                .map(|found| {
                    found.iter().skip(1).map(|group| group.map_or(&text[..0], |group| &text[group.range()])).collect()
                })
                .collect();
            if vertical {
                outer.push(matches.len());
                inner.extend(matches.iter().map(Vec::len));
                parts.extend(matches.into_iter().flatten());
            } else {
                outer.push(groups);
                inner.extend(std::iter::repeat_n(matches.len(), groups));
                for group in 0..groups {
                    parts.extend(matches.iter().map(|found| found[group]));
                }
            }
            Ok(())
        })?;
        use arrow::array::AsArray;
        let strings = flat.as_list::<i32>().values().clone();
        list(list(strings, &inner)?, &outer)
    }))
}

fn regexp_extract(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=3)?;
    let compiled = prepared(name, arguments, false)?;
    let mut casts = vec![arguments[0].kind.clone(), arguments[1].kind.clone()];
    if arguments.len() == 3 {
        expect_integer(name, arguments, 2)?;
        casts.push(T::Int64);
    }
    let name = name.to_string();
    Ok(Bound::cast(casts, T::String, move |args, rows| {
        let mut patterns = compiled.of(&args[1])?;
        let groups = args.get(2).map(Numbers::of::<Int64Type>).transpose()?;
        let mut failure = None;
        let result = slices(&args[0], rows, |row, text| {
            let found = patterns.get(row).and_then(|regex| {
                let wanted = groups.as_ref().map_or(group(regex) as i64, |groups| groups.get(row));
                if wanted < 0 || wanted as usize >= regex.captures_len() {
                    let text = format!("Function {name}: the pattern has {} groups, not {wanted}", regex.captures_len() - 1);
                    return Err(Error::new(ErrorCode::INDEX_OF_POSITIONAL_ARGUMENT_IS_OUT_OF_RANGE, text));
                }
                Ok(regex.captures(text).and_then(|found| found.get(wanted as usize)).map_or(0..0, |found| found.range()))
            });
            match found {
                Ok(range) => &text[range],
                Err(error) => {
                    failure.get_or_insert(error);
                    &text[..0]
                }
            }
        });
        failure.map_or(result, Err)
    }))
}

fn count_matches(name: &str, arguments: &[Argument], case_insensitive: bool) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    let compiled = prepared(name, arguments, case_insensitive)?;
    Ok(Bound::new(T::UInt64, move |args, rows| {
        let source = Bytes::of(&args[0])?;
        let mut patterns = compiled.of(&args[1])?;
        numbers::<UInt64Type>(rows, |row| {
            Ok(patterns.get(row)?.find_iter(source.get(row)).filter(|found| !found.is_empty()).count() as u64)
        })
    }))
}
