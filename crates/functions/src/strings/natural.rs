//! `naturalSortKey`: a text whose order by bytes is the order in which people sort texts with numbers in them.
//!
//! Each run of digits loses its leading zeros and is preceded by its length, written so that longer numbers sort later: one digit
//! from 0 for lengths 1 to 8, two from 80 for 9 to 20, three from 920 for 21 to 99, and 999 with the length of the length beyond.

use SqlType as T;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use crate::columns::{Bytes, strings};
use crate::define::{arity, illegal, plain};
use crate::registry::Registry;
use crate::scalar::Bound;

pub fn register(registry: &mut Registry) {
    registry.scalar(
        "naturalSortKey",
        plain(|name, arguments, _| {
            arity(name, arguments, 1..=1)?;
            if arguments[0].kind != T::String {
                return Err(illegal(name, arguments, 0, "String"));
            }
            Ok(Bound::new(T::String, |args, rows| {
                let source = Bytes::of(&args[0])?;
                strings(rows, |row, out| key(source.get(row), out))
            }))
        }),
    );
    registry.alias("NATURAL_SORT_KEY", "naturalSortKey");
    registry.any_case("NATURAL_SORT_KEY");
}

fn key(text: &[u8], out: &mut Vec<u8>) -> Result<()> {
    for run in text.chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit()) {
        if !run[0].is_ascii_digit() {
            out.extend_from_slice(run);
            continue;
        }
        let zeros = run.iter().take(run.len() - 1).take_while(|digit| **digit == b'0').count();
        let number = &run[zeros..];
        let length = number.len();
        let prefix = match length {
            1..=8 => (length - 1).to_string(),
            9..=20 => (length + 71).to_string(),
            21..=99 => (length + 899).to_string(),
            100..=999_999_999 => format!("999{}{length}", length.to_string().len()),
            _ => {
                let text = format!("A run of {length} digits is too long for a natural sort key: at most 999999999");
                return Err(Error::new(ErrorCode::TOO_LARGE_STRING_SIZE, text));
            }
        };
        out.extend_from_slice(prefix.as_bytes());
        out.extend_from_slice(number);
    }
    Ok(())
}
