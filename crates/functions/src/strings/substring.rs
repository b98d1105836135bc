//! Parts by position: `substring`, `left`, `right`, `substringIndex`, in bytes and in code points. Positions count from 1, negative
//! ones from the end; a negative length leaves that many out at the end. Results share the argument's buffers.

use SqlType as T;
use arrow::array::ArrayRef;
use arrow::datatypes::Int64Type;
use gristmill_base::Result;
use gristmill_types::SqlType;

use super::utf8;
use crate::columns::{Bytes, Numbers, slices};
use crate::define::{arity, expect_integer, expect_place, expect_string, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

/// Bytes or code points.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Byte,
    Point,
}

impl Unit {
    fn count(self, text: &[u8]) -> usize {
        match self {
            Unit::Byte => text.len(),
            Unit::Point if text.is_ascii() => text.len(),
            Unit::Point => utf8::points(text).count(),
        }
    }

    /// Units `from..to` of the text.
    fn cut(self, text: &[u8], from: usize, to: usize) -> &[u8] {
        if self == Unit::Byte {
            return &text[from..to];
        }
        if text.is_ascii() {
            return &text[from..to];
        }
        // In what is no UTF-8 a byte that goes on with nothing is a point by itself.
        let mut points = utf8::points(text);
        let start = points.by_ref().take(from).map(<[u8]>::len).sum::<usize>();
        let end = start + points.take(to - from).map(<[u8]>::len).sum::<usize>();
        &text[start..end]
    }
}

pub fn register(registry: &mut Registry) {
    for (suffix, unit) in [("", Unit::Byte), ("UTF8", Unit::Point)] {
        registry.scalar(&format!("substring{suffix}"), plain(move |name, arguments, _| substring(name, arguments, unit)));
        registry.scalar(&format!("left{suffix}"), plain(move |name, arguments, _| side(name, arguments, unit, true)));
        registry.scalar(&format!("right{suffix}"), plain(move |name, arguments, _| side(name, arguments, unit, false)));
        registry.scalar(&format!("substringIndex{suffix}"), plain(move |name, arguments, _| index(name, arguments)));
    }
    for alias in ["substr", "mid", "byteSlice"] {
        registry.alias(alias, "substring");
    }
    registry.alias("SUBSTRING_INDEX", "substringIndex");
    registry.alias("substr_utf8", "substringUTF8");
    for name in ["substring", "substr", "mid", "byteSlice", "left", "right", "SUBSTRING_INDEX"] {
        registry.any_case(name);
    }
}

/// The half-open range that offset and length mean in a text of `count` units.
pub fn range(count: usize, offset: i64, length: Option<i64>) -> (usize, usize) {
    let size = count as i64;
    let start = match offset {
        0 => return (0, 0),
        offset if offset > 0 => offset - 1,
        offset => size.saturating_add(offset),
    };
    let end = match length {
        None => size,
        Some(length) if length >= 0 => start.saturating_add(length),
        Some(length) => size.saturating_add(length),
    };
    let (start, end) = (start.clamp(0, size), end.clamp(0, size));
    (start as usize, end.max(start) as usize)
}

fn substring(name: &str, arguments: &[Argument], unit: Unit) -> Result<Bound> {
    arity(name, arguments, 2..=3)?;
    let mut casts = vec![arguments[0].kind.clone(), T::Int64, T::Int64];
    casts.truncate(arguments.len());
    if arguments[0].kind.is_enum() {
        casts[0] = T::String;
    } else {
        expect_string(name, arguments, 0)?;
    }
    (1..arguments.len()).try_for_each(|i| expect_place(name, arguments, i))?;
    Ok(Bound::cast(casts, T::String, move |args, rows| {
        let offsets = Numbers::of::<Int64Type>(&args[1])?;
        let lengths = args.get(2).map(Numbers::of::<Int64Type>).transpose()?;
        slices(&args[0], rows, |row, text| {
            let length = lengths.as_ref().map(|lengths| lengths.get(row));
            let (from, to) = range(unit.count(text), offsets.get(row), length);
            unit.cut(text, from, to)
        })
    }))
}

fn side(name: &str, arguments: &[Argument], unit: Unit, left: bool) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    expect_string(name, arguments, 0)?;
    expect_place(name, arguments, 1)?;
    Ok(Bound::cast(vec![arguments[0].kind.clone(), T::Int64], T::String, move |args, rows| {
        let lengths = Numbers::of::<Int64Type>(&args[1])?;
        slices(&args[0], rows, |row, text| {
            let (length, count) = (lengths.get(row), unit.count(text));
            // A negative length: all but so many.
            let kept =
                if length < 0 { (count as i64).saturating_add(length).max(0) } else { length.min(count as i64) } as usize;
            if left { unit.cut(text, 0, kept) } else { unit.cut(text, count - kept, count) }
        })
    }))
}

/// What lies before the n-th delimiter; for a negative count, after the n-th from the end.
fn index(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 3..=3)?;
    expect_string(name, arguments, 0)?;
    expect_string(name, arguments, 1)?;
    expect_integer(name, arguments, 2)?;
    let casts = vec![arguments[0].kind.clone(), arguments[1].kind.clone(), T::Int64];
    Ok(Bound::cast(casts, T::String, |args: &[ArrayRef], rows| {
        let (delimiters, counts) = (Bytes::of(&args[1])?, Numbers::of::<Int64Type>(&args[2])?);
        slices(&args[0], rows, |row, text| {
            let (delimiter, count) = (delimiters.get(row), counts.get(row));
            if delimiter.is_empty() || count == 0 {
                return &text[..0];
            }
            let nth = count.unsigned_abs() as usize - 1;
            if count > 0 {
                memchr::memmem::find_iter(text, delimiter).nth(nth).map_or(text, |at| &text[..at])
            } else {
                memchr::memmem::rfind_iter(text, delimiter).nth(nth).map_or(text, |at| &text[at + delimiter.len()..])
            }
        })
    }))
}
