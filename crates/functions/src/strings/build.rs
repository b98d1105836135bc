//! Strings made of others: `concat`, `concatWithSeparator`, `repeat`, `space`, `appendTrailingCharIfAbsent`, `char`.

use SqlType as T;
use arrow::array::{Array, ArrayRef};
use arrow::datatypes::{Float64Type, Int64Type, UInt64Type};
use gristmill_base::allocations::{ASKED_FOR_BYTES, check_room};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use crate::columns::{Bytes, Numbers, strings};
use crate::define::{arity, bad_argument, expect_integer, expect_number, expect_string, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};
use crate::text::Texts;

/// A string that `repeat` or padding makes is at most this long.
pub const STRING_BYTES_MAX: usize = 1 << 26;

pub fn register(registry: &mut Registry) {
    registry.scalar("concat", plain(concat));
    registry.any_case("concat");
    registry.scalar("concatAssumeInjective", plain(|_, arguments, env| Ok(joined(arguments, env))));
    registry.scalar("concatWithSeparator", plain(with_separator));
    registry.scalar("concatWithSeparatorAssumeInjective", plain(with_separator));
    registry.alias("concat_ws", "concatWithSeparator");
    registry.any_case("concat_ws");
    registry.scalar("repeat", plain(|name, arguments, _| repeat(name, arguments)));
    registry.any_case("repeat");
    registry.scalar("space", plain(|name, arguments, _| space(name, arguments)));
    registry.any_case("space");
    registry.scalar("appendTrailingCharIfAbsent", plain(|name, arguments, _| trailing(name, arguments)));
    registry.scalar("char", plain(|name, arguments, _| char(name, arguments)));
    registry.any_case("char");
}

/// Several arrays, maps or tuples are concatenated as such, where no argument is anything else; all else as text.
fn concat(name: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
    let all = |is: fn(&SqlType) -> bool| arguments.len() > 1 && arguments.iter().all(|argument| is(argument.kind.plain()));
    if all(|kind| matches!(kind, T::Array(_))) {
        return crate::arrays::concat(name, arguments);
    }
    if all(|kind| matches!(kind, T::Map(..))) {
        return crate::maps::concat(name, arguments);
    }
    if all(|kind| matches!(kind, T::Tuple(_))) {
        return crate::tuples::concat(name, arguments);
    }
    // One value is what `toString` makes of it: without the zeros that fill a FixedString.
    if let [argument] = arguments
        && matches!(argument.kind.plain(), T::FixedString(_))
    {
        return Ok(Bound::cast(vec![T::String], T::String, |args, _| Ok(args[0].clone())));
    }
    Ok(joined(arguments, env))
}

/// The texts of any values, one behind the other.
fn joined(arguments: &[Argument], env: &FunctionEnv) -> Bound {
    let kinds: Vec<SqlType> = arguments.iter().map(|argument| argument.kind.clone()).collect();
    let env = env.clone();
    Bound::new(T::String, move |args, rows| {
        let texts = Texts::all(args, &kinds, &env)?;
        strings(rows, |row, out| {
            texts.iter().for_each(|text| text.write(row, out));
            Ok(())
        })
    })
}

fn with_separator(name: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
    arity(name, arguments, 1..=usize::MAX)?;
    expect_string(name, arguments, 0)?;
    let kinds: Vec<SqlType> = arguments.iter().map(|argument| argument.kind.clone()).collect();
    let env = env.clone();
    Ok(Bound::new(T::String, move |args, rows| {
        let texts = Texts::all(args, &kinds, &env)?;
        strings(rows, |row, out| {
            for (i, text) in texts[1..].iter().enumerate() {
                if i > 0 {
                    texts[0].write(row, out);
                }
                text.write(row, out);
            }
            Ok(())
        })
    }))
}

pub fn checked_size(name: &str, bytes: usize) -> Result<usize> {
    if bytes > STRING_BYTES_MAX {
        let text = format!("Function {name} would make a string of {bytes} bytes, more than {STRING_BYTES_MAX}");
        return Err(Error::new(ErrorCode::TOO_LARGE_STRING_SIZE, text));
    }
    if bytes >= ASKED_FOR_BYTES {
        check_room(bytes)?;
    }
    Ok(bytes)
}

/// Most times that a text is repeated, as in ClickHouse.
const REPEATS_MAX: usize = 1_000_000;

/// The type of 64 bits that a number of times is read in, and whether it has a sign.
fn times_kind(argument: &Argument) -> (SqlType, bool) {
    let has_sign = argument.kind.plain().integer_bits().is_some_and(|(_, signed)| signed);
    (if has_sign { T::Int64 } else { T::UInt64 }, has_sign)
}

/// How often something is repeated: never for a negative number.
enum Times<'a> {
    Signed(Numbers<'a, i64>),
    Unsigned(Numbers<'a, u64>),
}

impl<'a> Times<'a> {
    fn of(array: &'a ArrayRef, has_sign: bool) -> Result<Times<'a>> {
        Ok(match has_sign {
            true => Times::Signed(Numbers::of::<Int64Type>(array)?),
            false => Times::Unsigned(Numbers::of::<UInt64Type>(array)?),
        })
    }

    /// Error: TOO_LARGE_STRING_SIZE.
    fn get(&self, row: usize) -> Result<usize> {
        let times = match self {
            Times::Signed(times) => times.get(row).max(0).unsigned_abs(),
            Times::Unsigned(times) => times.get(row),
        };
        usize::try_from(times).ok().filter(|times| *times <= REPEATS_MAX).ok_or_else(|| {
            let text = format!("Too many times to repeat ({times}), maximum is: {REPEATS_MAX}");
            Error::new(ErrorCode::TOO_LARGE_STRING_SIZE, text)
        })
    }
}

fn repeat(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    expect_string(name, arguments, 0)?;
    expect_integer(name, arguments, 1)?;
    let (kind, has_sign) = times_kind(&arguments[1]);
    Ok(Bound::cast(vec![arguments[0].kind.clone(), kind], T::String, move |args, rows| {
        let (source, times) = (Bytes::of(&args[0])?, Times::of(&args[1], has_sign)?);
        strings(rows, |row, out| {
            let (text, times) = (source.get(row), times.get(row)?);
            checked_size("repeat", text.len().saturating_mul(times))?;
            for _ in 0..times {
                out.extend_from_slice(text);
            }
            Ok(())
        })
    }))
}

fn space(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    expect_integer(name, arguments, 0)?;
    let (kind, has_sign) = times_kind(&arguments[0]);
    Ok(Bound::cast(vec![kind], T::String, move |args, _| {
        let times = Times::of(&args[0], has_sign)?;
        strings(args[0].len(), |row, out| {
            out.resize(times.get(row)?, b' ');
            Ok(())
        })
    }))
}

fn trailing(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    expect_string(name, arguments, 0)?;
    expect_string(name, arguments, 1)?;
    Ok(Bound::new(T::String, |args, rows| {
        let (source, last) = (Bytes::of(&args[0])?, Bytes::of(&args[1])?);
        strings(rows, |row, out| {
            let [last] = last.get(row) else {
                return Err(bad_argument("appendTrailingCharIfAbsent", "the second argument must be one character"));
            };
            out.extend_from_slice(source.get(row));
            if out.last().is_some_and(|end| end != last) {
                out.push(*last);
            }
            Ok(())
        })
    }))
}

/// Each number gives the byte of its low eight bits.
fn char(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=usize::MAX)?;
    (0..arguments.len()).try_for_each(|i| expect_number(name, arguments, i))?;
    Ok(Bound::cast(vec![T::Float64; arguments.len()], T::String, |args, rows| {
        let codes = args.iter().map(Numbers::of::<Float64Type>).collect::<Result<Vec<_>>>()?;
        strings(rows, |row, out| {
            out.extend(codes.iter().map(|code| code.get(row) as i64 as u8));
            Ok(())
        })
    }))
}
