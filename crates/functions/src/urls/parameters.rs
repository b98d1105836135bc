//! Parameters of query strings: `extractURLParameter`, `cutURLParameter`, and lists of them.

use std::ops::Range;

use SqlType as T;
use arrow::array::{Array, AsArray};
use gristmill_base::Result;
use gristmill_types::SqlType;

use crate::columns::{Bytes, at, slice_lists, slices, strings};
use crate::define::{arity, expect_string, illegal, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    registry.scalar(
        "extractURLParameter",
        plain(|name, arguments, _| {
            arity(name, arguments, 2..=2)?;
            expect_string(name, arguments, 0)?;
            expect_string(name, arguments, 1)?;
            Ok(Bound::new(T::String, |args, rows| {
                let names = Bytes::of(&args[1])?;
                slices(&args[0], rows, |row, url| value(url, names.get(row)))
            }))
        }),
    );
    registry.scalar("extractURLParameters", plain(|name, arguments, _| list(name, arguments, |parameter, _| parameter)));
    registry.scalar(
        "extractURLParameterNames",
        plain(|name, arguments, _| list(name, arguments, |parameter, name| &parameter[..name])),
    );
    registry.scalar("cutURLParameter", plain(|name, arguments, _| cut(name, arguments)));
}

/// Where the parameters begin; those of a fragment count as well.
fn query_start(url: &[u8]) -> Option<usize> {
    url.iter().position(|c| matches!(c, b'?' | b'#')).map(|at| at + 1)
}

/// Where a parameter of this name stands: behind any of the marks, as far as the next parameter or a fragment.
fn found(url: &[u8], name: &[u8]) -> Option<Range<usize>> {
    let begins = |at: &usize| {
        matches!(url[at - 1], b'&' | b'?' | b'#')
            && url[*at..].strip_prefix(name).is_some_and(|rest| rest.first() == Some(&b'='))
    };
    let start = (query_start(url)?..url.len()).find(begins)?;
    // The name may have such marks itself.
    let value = start + name.len() + 1;
    let end = url[value..].iter().position(|c| matches!(c, b'&' | b'#')).map_or(url.len(), |at| value + at);
    Some(start..end)
}

fn value<'a>(url: &'a [u8], name: &[u8]) -> &'a [u8] {
    found(url, name).map_or(&url[..0], |place| &url[place.start + name.len() + 1..place.end])
}

/// Parts of the parameters, by where their names end. The last is one with `=` alone, since nothing else ends it; those of a
/// fragment count as well, and a further `?` begins another.
fn list(name: &str, arguments: &[Argument], part: fn(&[u8], usize) -> &[u8]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    expect_string(name, arguments, 0)?;
    Ok(Bound::new(SqlType::array(T::String), move |args, rows| {
        slice_lists(&args[0], rows, |_, url, parts| {
            let mut start = query_start(url).unwrap_or(url.len());
            while let Some(length) = url[start..].iter().position(|c| matches!(c, b'=' | b'&' | b'#' | b'?')) {
                let end = match url[start + length] {
                    b'?' => {
                        start += length + 1;
                        continue;
                    }
                    b'=' => {
                        let value = &url[start + length..];
                        value.iter().position(|c| matches!(c, b'&' | b'#')).map(|at| start + length + at)
                    }
                    _ => Some(start + length),
                };
                parts.push(part(&url[start..end.unwrap_or(url.len())], length));
                start = end.map_or(url.len(), |end| end + 1);
            }
            Ok(())
        })
    }))
}

/// One name or an array of them.
fn cut(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    expect_string(name, arguments, 0)?;
    match arguments[1].kind.plain() {
        T::String | T::FixedString(_) => Ok(Bound::new(T::String, |args, rows| {
            let (urls, names) = (Bytes::of(&args[0])?, Bytes::of(&args[1])?);
            strings(rows, |row, out| {
                without(urls.get(row), std::iter::once(names.get(row)), out);
                Ok(())
            })
        })),
        T::Array(element) if matches!(**element, T::String | T::Nothing) => {
            let casts = vec![arguments[0].kind.clone(), SqlType::array(T::String)];
            Ok(Bound::cast(casts, T::String, |args, rows| {
                let (urls, lists) = (Bytes::of(&args[0])?, args[1].as_list::<i32>());
                let names = Bytes::of(lists.values())?;
                let offsets = lists.value_offsets();
                strings(rows, |row, out| {
                    let list = at(lists.len(), row);
                    let named = (offsets[list]..offsets[list + 1]).map(|i| value_at(&names, i as usize));
                    without(urls.get(row), named, out);
                    Ok(())
                })
            }))
        }
        _ => Err(illegal(name, arguments, 1, "String or Array(String)")),
    }
}

fn value_at<'a>(names: &Bytes<'a>, i: usize) -> &'a [u8] {
    if names.len() == 1 { names.get(0) } else { names.get(i) }
}

/// Writes the URL without the parameters of these names. Each is looked for in the URL as it was given.
fn without<'n>(url: &[u8], names: impl Iterator<Item = &'n [u8]>, out: &mut Vec<u8>) {
    let mut cuts: Vec<Range<usize>> = names.filter_map(|name| place_of(url, name)).collect();
    cuts.sort_unstable_by_key(|cut| cut.start);
    let mut written = 0;
    for cut in cuts {
        if cut.start > written {
            out.extend_from_slice(&url[written..cut.start]);
        }
        written = written.max(cut.end);
    }
    out.extend_from_slice(&url[written..]);
}

/// Where a parameter stands, with the separator that follows it or, at the end, the one before.
fn place_of(url: &[u8], name: &[u8]) -> Option<Range<usize>> {
    let Range { start, end } = found(url, name)?;
    Some(match url.get(end) {
        Some(b'&') => start..end + 1,
        _ if url[start - 1] == b'&' => start - 1..end,
        _ => start..end,
    })
}
