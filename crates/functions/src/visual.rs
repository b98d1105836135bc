//! How values look and how large they are: `bar`, `visibleWidth`, `byteSize`.

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{Float64Type, UInt64Type};
use gristmill_base::Result;
use gristmill_types::SqlType;
use unicode_width::UnicodeWidthChar;

use crate::columns::{Numbers, at, numbers, strings};
use crate::define::{arity, bad_argument, expect_number, own_nulls, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};
use crate::text::Texts;

/// The widest bar, in characters.
const WIDEST: f64 = 1000.0;

pub fn register(registry: &mut Registry) {
    registry.scalar("bar", plain(|name, arguments, _| bar(name, arguments)));
    registry.scalar("visibleWidth", own_nulls(visible_width));
    registry.scalar("byteSize", own_nulls(byte_size));
}

/// A bar of blocks, to an eighth of a character.
fn bar(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 3..=4)?;
    for i in 0..arguments.len() {
        expect_number(name, arguments, i)?;
    }
    let name = name.to_string();
    Ok(Bound::cast(vec![T::Float64; arguments.len()], T::String, move |args, rows| {
        let columns: Vec<Numbers<'_, f64>> = args.iter().map(Numbers::of::<Float64Type>).collect::<Result<_>>()?;
        strings(rows, |row, out| {
            let (value, low, high) = (columns[0].get(row), columns[1].get(row), columns[2].get(row));
            let width = columns.get(3).map_or(80.0, |width| width.get(row));
            if !(1.0..=WIDEST).contains(&width) {
                return Err(bad_argument(&name, format!("the width must be from 1 to {WIDEST}, not {width}")));
            }
            if value.is_nan() || value <= low || low >= high {
                return Ok(());
            }
            let eighths = (if value >= high { width } else { (value - low) * width / (high - low) } * 8.0) as usize;
            out.extend("█".repeat(eighths / 8).into_bytes());
            if !eighths.is_multiple_of(8) {
                const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
                out.extend_from_slice(PARTS[eighths % 8].as_bytes());
            }
            Ok(())
        })
    }))
}

fn visible_width(name: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    let (kind, env) = (arguments[0].kind.clone(), env.clone());
    Ok(Bound::new(T::UInt64, move |args, rows| {
        let texts = Texts::of(&args[0], &kind, &env)?;
        let mut out = Vec::new();
        numbers::<UInt64Type>(rows, |row| {
            if args[0].is_empty() || args[0].is_null(at(args[0].len(), row)) || kind.is_null_literal() {
                return Ok(4);
            }
            out.clear();
            texts.write(row, &mut out);
            Ok(width(&out))
        })
    }))
}

/// Columns between the places that a tab goes to.
const TAB: usize = 8;

/// Columns that a text takes on a terminal. What controls one, or is no UTF-8, takes none.
fn width(text: &[u8]) -> u64 {
    let characters = text.utf8_chunks().flat_map(|chunk| chunk.valid().chars());
    characters.fold(0, |width, c| if c == '\t' { width / TAB * TAB + TAB } else { width + c.width().unwrap_or(0) }) as u64
}

/// Bytes of all arguments together, as they lie in memory uncompressed.
fn byte_size(_: &str, arguments: &[Argument], _: &FunctionEnv) -> Result<Bound> {
    let kinds: Vec<SqlType> = arguments.iter().map(|argument| argument.kind.clone()).collect();
    Ok(Bound::new(T::UInt64, move |args, rows| {
        let mut sums = vec![0u64; rows];
        for (array, kind) in args.iter().zip(&kinds) {
            let sizes = sizes(array, kind);
            sums.iter_mut().enumerate().for_each(|(row, sum)| *sum += sizes.get(at(sizes.len(), row)).copied().unwrap_or(0));
        }
        numbers::<UInt64Type>(rows, |row| Ok(sums[row]))
    }))
}

fn sizes(array: &ArrayRef, kind: &SqlType) -> Vec<u64> {
    let all = |size: u64| vec![size; array.len()];
    let nested = |offsets: &[i32], inner: Vec<u64>| -> Vec<u64> {
        offsets.windows(2).map(|pair| 8 + inner[pair[0] as usize..pair[1] as usize].iter().sum::<u64>()).collect()
    };
    match kind {
        T::LowCardinality(inner) | T::SimpleAggregateFunction(_, inner) | T::Geometric(_, inner) | T::Nested(inner) => {
            sizes(array, inner)
        }
        T::Nullable(inner) => sizes(array, inner).into_iter().map(|size| size + 1).collect(),
        T::String => array.as_binary_view().views().iter().map(|view| u64::from(*view as u32) + 8).collect(),
        T::Array(element) => {
            let list = array.as_list::<i32>();
            nested(list.value_offsets(), sizes(list.values(), element))
        }
        T::Map(key, value) => {
            let map = array.as_map();
            let (keys, values) = (sizes(map.keys(), key), sizes(map.values(), value));
            nested(map.value_offsets(), keys.iter().zip(values).map(|(key, value)| key + value).collect())
        }
        T::Tuple(fields) => {
            let tuple = array.as_struct();
            let mut sums = all(0);
            for (column, (_, kind)) in tuple.columns().iter().zip(fields) {
                sums.iter_mut().zip(sizes(column, kind)).for_each(|(sum, size)| *sum += size);
            }
            sums
        }
        T::Date | T::Enum16(_) => all(2),
        T::DateTime(_) => all(4),
        T::Int128 | T::UInt128 => all(16),
        T::Decimal { precision: ..=9, .. } => all(4),
        T::Decimal { precision: ..=18, .. } => all(8),
        T::Bool => all(1),
        T::FixedString(width) => all(*width as u64),
        other => all(match other.arrow() {
            arrow::datatypes::DataType::FixedSizeBinary(width) => width as u64,
            carrier => carrier.primitive_width().unwrap_or(0) as u64,
        }),
    }
}
