//! `simpleJSONExtract…` (`visitParam…`): a field is found by its quoted name and read where it stands. Fast, and blind: the
//! name is matched wherever it occurs first, and no JSON is checked.

use SqlType as T;
use arrow::array::ArrayRef;
use arrow::datatypes::{Float64Type, Int64Type, UInt64Type};
use gristmill_base::Result;
use gristmill_types::SqlType;
use gristmill_types::scan::json::JsonCursor;
use memchr::memmem::Finder;

use crate::columns::{Bytes, numbers, strings, truths};
use crate::define::{arity, expect_text, need_constant_text, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    registry.scalar(
        "simpleJSONHas",
        plain(|name, arguments, _| {
            with_field(name, arguments, T::UInt8, |find, rows| truths(rows, |row| find(row).is_some()))
        }),
    );
    registry.scalar(
        "simpleJSONExtractUInt",
        plain(|name, arguments, _| {
            with_field(name, arguments, T::UInt64, |find, rows| {
                numbers::<UInt64Type>(rows, |row| Ok(find(row).map_or(0, |value| number(value).1)))
            })
        }),
    );
    registry.scalar(
        "simpleJSONExtractInt",
        plain(|name, arguments, _| {
            with_field(name, arguments, T::Int64, |find, rows| {
                numbers::<Int64Type>(rows, |row| {
                    Ok(find(row).map_or(0, |value| {
                        let (negative, value) = number(value);
                        if negative { (value as i64).wrapping_neg() } else { value as i64 }
                    }))
                })
            })
        }),
    );
    registry.scalar(
        "simpleJSONExtractFloat",
        plain(|name, arguments, _| {
            with_field(name, arguments, T::Float64, |find, rows| {
                numbers::<Float64Type>(rows, |row| Ok(find(row).map_or(0.0, float)))
            })
        }),
    );
    registry.scalar(
        "simpleJSONExtractBool",
        plain(|name, arguments, _| {
            with_field(name, arguments, T::UInt8, |find, rows| {
                truths(rows, |row| find(row).is_some_and(|value| value.starts_with(b"true")))
            })
        }),
    );
    registry.scalar(
        "simpleJSONExtractRaw",
        plain(|name, arguments, _| {
            with_field(name, arguments, T::String, |find, rows| {
                strings(rows, |row, out| {
                    if let Some(value) = find(row) {
                        out.extend_from_slice(raw(value));
                    }
                    Ok(())
                })
            })
        }),
    );
    registry.scalar(
        "simpleJSONExtractString",
        plain(|name, arguments, _| {
            with_field(name, arguments, T::String, |find, rows| {
                strings(rows, |row, out| {
                    // What follows at once: a space before it leaves nothing, as in ClickHouse.
                    let value = find(row).filter(|value| value.starts_with(b"\""));
                    if let Some((raw, escaped)) = value.and_then(|value| JsonCursor::new(value).raw_string().ok()) {
                        let begin = out.len();
                        // An escape that is broken leaves nothing.
                        if !escaped {
                            out.extend_from_slice(raw);
                        } else if gristmill_types::scan::json::unescape(raw, out).is_err() {
                            out.truncate(begin);
                        }
                    }
                    Ok(())
                })
            })
        }),
    );
    for name in ["Has", "ExtractUInt", "ExtractInt", "ExtractFloat", "ExtractBool", "ExtractRaw", "ExtractString"] {
        registry.alias(&format!("visitParam{name}"), &format!("simpleJSON{name}"));
    }
}

type Find<'f, 'a> = &'f dyn Fn(usize) -> Option<&'a [u8]>;

/// A function of the text that follows `"name":`.
fn with_field(
    name: &str,
    arguments: &[Argument],
    result: SqlType,
    f: impl Fn(Find<'_, '_>, usize) -> Result<ArrayRef> + Send + Sync + 'static,
) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    let casts = vec![expect_text(name, arguments, 0)?, arguments[1].kind.clone()];
    let field = need_constant_text(name, arguments, 1)?;
    let finder = Finder::new(format!("\"{field}\":").as_bytes()).into_owned();
    Ok(Bound::cast(casts, result, move |args, rows| {
        let json = Bytes::of(&args[0])?;
        let find = |row: usize| {
            let text = json.get(row);
            finder.find(text).map(|at| &text[at + finder.needle().len()..])
        };
        f(&find, rows)
    }))
}

/// Sign and magnitude of the whole number at the start, which may stand in quotes.
fn number(value: &[u8]) -> (bool, u64) {
    let value = value.strip_prefix(b"\"").unwrap_or(value);
    let (negative, value) = match value.strip_prefix(b"-") {
        Some(rest) => (true, rest),
        None => (false, value),
    };
    let digits = value.iter().take_while(|c| c.is_ascii_digit());
    (negative, digits.fold(0u64, |value, digit| value.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'))))
}

fn float(value: &[u8]) -> f64 {
    let value = value.strip_prefix(b"\"").unwrap_or(value);
    let length = value.iter().take_while(|c| c.is_ascii_digit() || b"+-.eE".contains(c)).count();
    std::str::from_utf8(&value[..length]).ok().and_then(|text| text.parse().ok()).unwrap_or(0.0)
}

/// Up to the comma or bracket that ends the value, with brackets and quotes balanced.
fn raw(value: &[u8]) -> &[u8] {
    let (mut depth, mut quoted, mut escaped) = (0usize, false, false);
    for (i, c) in value.iter().enumerate() {
        match c {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' | b',' if depth == 0 => return &value[..i],
            b'}' | b']' => depth -= 1,
            _ => {}
        }
    }
    &value[..0]
}
