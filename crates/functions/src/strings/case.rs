//! Upper and lower case, and reversal.

use gristmill_types::SqlType;

use super::{text_function, utf8};
use crate::columns::{Bytes, bytes_to_bytes, strings};
use crate::define::{arity, expect_string, plain};
use crate::registry::Registry;
use crate::scalar::Bound;

pub fn register(registry: &mut Registry) {
    for (name, alias, f) in [
        ("lower", "lcase", <[u8]>::make_ascii_lowercase as fn(&mut [u8])),
        ("upper", "ucase", <[u8]>::make_ascii_uppercase as fn(&mut [u8])),
    ] {
        registry.scalar(name, in_place(f));
        registry.any_case(name);
        registry.alias(alias, name);
        registry.any_case(alias);
    }
    registry.scalar("reverse", super::super::arrays::reverse_function());
    registry.any_case("reverse");
    registry.scalar(
        "lowerUTF8",
        text_function(|text, out| {
            utf8::map_valid(text, out, |text, out| {
                text.chars().flat_map(char::to_lowercase).for_each(|c| push(c, out));
            });
        }),
    );
    registry.scalar(
        "upperUTF8",
        text_function(|text, out| {
            utf8::map_valid(text, out, |text, out| {
                text.chars().flat_map(char::to_uppercase).for_each(|c| push(c, out));
            });
        }),
    );
    registry.scalar("initcap", in_place(capitalise));
    registry.any_case("initcap");
    registry.scalar(
        "initcapUTF8",
        text_function(|text, out| {
            // What is no UTF-8 ends a word.
            utf8::map_valid(text, out, |text, out| {
                let mut inside = false;
                for c in text.chars() {
                    push(if inside { single(c, c.to_lowercase()) } else { single(c, c.to_uppercase()) }, out);
                    inside = c.is_alphanumeric();
                }
            });
        }),
    );
}

/// A letter in another case, where that is one letter as well.
fn single(c: char, mut other: impl Iterator<Item = char>) -> char {
    match (other.next(), other.next()) {
        (Some(other), None) => other,
        _ => c,
    }
}

fn push(c: char, out: &mut Vec<u8>) {
    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

/// Words begin with a capital and go on with small letters.
fn capitalise(text: &mut [u8]) {
    let mut inside = false;
    for byte in text {
        if inside {
            byte.make_ascii_lowercase()
        } else {
            byte.make_ascii_uppercase()
        }
        inside = byte.is_ascii_alphanumeric();
    }
}

/// A change that leaves every byte in its place; a FixedString stays one.
fn in_place(f: fn(&mut [u8])) -> std::sync::Arc<dyn crate::scalar::ScalarFunction> {
    plain(move |name, arguments, _| {
        arity(name, arguments, 1..=1)?;
        expect_string(name, arguments, 0)?;
        let kind = arguments[0].kind.plain().clone();
        if let SqlType::FixedString(width) = kind {
            return Ok(Bound::new(kind, move |args, _| {
                let source = Bytes::of(&args[0])?;
                fixed(source.len(), width, |row, out| {
                    out.copy_from_slice(source.get(row));
                    f(out);
                })
            }));
        }
        Ok(Bound::new(kind, move |args, _| {
            bytes_to_bytes(&args[0], |text, out| {
                out.extend_from_slice(text);
                f(out);
            })
        }))
    })
}

/// A FixedString column whose values `f` writes into zeroed rooms.
pub fn fixed(
    rows: usize,
    width: usize,
    mut f: impl FnMut(usize, &mut [u8]),
) -> gristmill_base::Result<arrow::array::ArrayRef> {
    let mut bytes = vec![0u8; rows * width];
    for (row, out) in bytes.chunks_exact_mut(width).enumerate() {
        f(row, out);
    }
    let array = arrow::array::FixedSizeBinaryArray::try_new(width as i32, bytes.into(), None)?;
    Ok(std::sync::Arc::new(array))
}

/// Bytes in reverse order.
pub fn reverse_bytes(array: &arrow::array::ArrayRef) -> gristmill_base::Result<arrow::array::ArrayRef> {
    let source = Bytes::of(array)?;
    strings(source.len(), |row, out| {
        out.extend(source.get(row).iter().rev());
        Ok(())
    })
}
