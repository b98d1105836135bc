//! `leftPad` and `rightPad`: texts brought to a length, with spaces or a repeated text; longer ones are cut.

use SqlType as T;
use arrow::datatypes::Int64Type;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use super::build::checked_size;
use super::utf8;
use crate::columns::{Bytes, Numbers, strings};
use crate::define::{arity, expect_integer, expect_string, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    for (name, alias, left, points) in [
        ("leftPad", "lpad", true, false),
        ("rightPad", "rpad", false, false),
        ("leftPadUTF8", "", true, true),
        ("rightPadUTF8", "", false, true),
    ] {
        registry.scalar(name, plain(move |name, arguments, _| pad(name, arguments, left, points)));
        if !alias.is_empty() {
            registry.alias(alias, name);
            registry.any_case(alias);
        }
    }
}

fn pad(name: &str, arguments: &[Argument], left: bool, points: bool) -> Result<Bound> {
    arity(name, arguments, 2..=3)?;
    expect_string(name, arguments, 0)?;
    expect_integer(name, arguments, 1)?;
    let mut casts = vec![arguments[0].kind.clone(), T::Int64];
    if let Some(fill) = arguments.get(2) {
        expect_string(name, arguments, 2)?;
        casts.push(fill.kind.clone());
    }
    Ok(Bound::cast(casts, T::String, move |args, rows| {
        let (source, lengths) = (Bytes::of(&args[0])?, Numbers::of::<Int64Type>(&args[1])?);
        let fills = args.get(2).map(Bytes::of).transpose()?;
        strings(rows, |row, out| {
            let (text, length) = (source.get(row), lengths.get(row));
            let fill = fills.as_ref().map_or(b" ".as_slice(), |fills| fills.get(row));
            let fill = if fill.is_empty() { b" ".as_slice() } else { fill };
            if length < 0 {
                return Err(Error::new(
                    ErrorCode::INDEX_OF_POSITIONAL_ARGUMENT_IS_OUT_OF_RANGE,
                    format!("Function leftPad/rightPad: the length {length} is negative"),
                ));
            }
            let length = checked_size("leftPad/rightPad", length as usize)?;
            let count = |text: &[u8]| if points { utf8::count(text) } else { text.len() };
            let cut = |text: &[u8], n: usize| if points { utf8::offset(text, n) } else { n.min(text.len()) };
            let have = count(text);
            if have >= length {
                out.extend_from_slice(&text[..cut(text, length)]);
                return Ok(());
            }
            let (missing, each) = (length - have, count(fill));
            let padding = |out: &mut Vec<u8>| {
                for _ in 0..missing / each {
                    out.extend_from_slice(fill);
                }
                out.extend_from_slice(&fill[..cut(fill, missing % each)]);
            };
            if left {
                padding(out);
                out.extend_from_slice(text);
            } else {
                out.extend_from_slice(text);
                padding(out);
            }
            Ok(())
        })
    }))
}
