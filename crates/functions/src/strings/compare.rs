//! `compareSubstrings(a, b, offset in a, offset in b, length)`: -1, 0 or 1, by bytes.

use SqlType as T;
use arrow::datatypes::Int8Type;
use gristmill_base::Result;
use gristmill_types::SqlType;

use crate::columns::{Bytes, numbers};
use crate::define::{arity, constant_integer, expect_string, illegal, not_constant, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    registry.scalar("compareSubstrings", plain(|name, arguments, _| bind(name, arguments)));
}

fn bind(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 5..=5)?;
    expect_string(name, arguments, 0)?;
    expect_string(name, arguments, 1)?;
    let constant = |i: usize| {
        if !matches!(arguments[i].kind.integer_bits(), Some((..=64, false))) {
            return Err(illegal(name, arguments, i, "a constant unsigned integer"));
        }
        let value = constant_integer(&arguments[i]);
        let value = value.or(arguments[i].constant.as_ref().map(|_| i64::MAX)).ok_or_else(|| not_constant(name, i))?;
        Ok(value as usize)
    };
    let (of_a, of_b, length) = (constant(2)?, constant(3)?, constant(4)?);
    Ok(Bound::new(T::Int8, move |args, rows| {
        let (a, b) = (Bytes::of(&args[0])?, Bytes::of(&args[1])?);
        numbers::<Int8Type>(rows, |row| Ok(part(a.get(row), of_a, length).cmp(part(b.get(row), of_b, length)) as i8))
    }))
}

fn part(text: &[u8], from: usize, length: usize) -> &[u8] {
    let from = from.min(text.len());
    &text[from..from.saturating_add(length).min(text.len())]
}
