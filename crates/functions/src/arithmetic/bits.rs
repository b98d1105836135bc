//! Bitwise functions. `bitAnd`, `bitOr`, `bitXor`, shifts and rotations work in the type that holds both sides; a shift by all bits of
//! the left side's type, or more, leaves 0.

use std::ops::{BitAnd, BitOr, BitXor};

use SqlType as T;
use arrow::array::ArrayRef;
use arrow::datatypes::{
    ArrowPrimitiveType, DataType, Decimal256Type, Float32Type, Float64Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt64Type, i256,
};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use super::kinds::{self, match_integer};
use super::plus::no_operation;
use super::wide;
use crate::columns::{Bytes, Numbers, binary, bytes_to, bytes_to_bytes, numbers, strings, unary};
use crate::define::{arity, expect_integer, illegal, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Two {
    And,
    Or,
    Xor,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shift {
    Left,
    Right,
    RotateLeft,
    RotateRight,
}

pub fn register(registry: &mut Registry) {
    for (name, operation) in [("bitAnd", Two::And), ("bitOr", Two::Or), ("bitXor", Two::Xor)] {
        registry.scalar(name, plain(move |name, arguments, _| two(name, arguments, operation)));
    }
    for (name, shift) in [
        ("bitShiftLeft", Shift::Left),
        ("bitShiftRight", Shift::Right),
        ("bitRotateLeft", Shift::RotateLeft),
        ("bitRotateRight", Shift::RotateRight),
    ] {
        registry.scalar(name, plain(move |name, arguments, _| shifted(name, arguments, shift)));
    }
    registry.scalar("bitNot", plain(|name, arguments, _| not(name, arguments)));
    registry.scalar("bitCount", plain(|name, arguments, _| count(name, arguments)));
    registry.scalar("bitTest", plain(|name, arguments, _| test(name, arguments, Tested::Single)));
    registry.scalar("bitTestAll", plain(|name, arguments, _| test(name, arguments, Tested::All)));
    registry.scalar("bitTestAny", plain(|name, arguments, _| test(name, arguments, Tested::Any)));
    registry.scalar("bitHammingDistance", plain(|name, arguments, _| hamming(name, arguments)));
    registry.scalar("byteSwap", plain(|name, arguments, _| swap(name, arguments)));
    registry.any_case("byteSwap");
}

/// The type without Nullable; an IPv4 is the number that it is kept as.
fn as_number(kind: &SqlType) -> SqlType {
    match kind.plain() {
        T::IPv4 => T::UInt32,
        plain => plain.clone(),
    }
}

fn two(name: &str, arguments: &[Argument], operation: Two) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    let sides: Vec<SqlType> = arguments.iter().map(|argument| as_number(&argument.kind)).collect();
    if let (T::FixedString(width), T::FixedString(other)) = (&sides[0], &sides[1])
        && width == other
    {
        return Ok(of_fixed(*width, operation));
    }
    let result = kinds::bitwise(&sides[0], &sides[1]).ok_or_else(|| no_operation(name, arguments))?;
    Ok(Bound::cast(vec![result.clone(); 2], result.clone(), move |args, rows| {
        fn run<I>(args: &[ArrayRef], rows: usize, operation: Two) -> Result<ArrayRef>
        where
            I: ArrowPrimitiveType,
            I::Native: BitAnd<Output = I::Native> + BitOr<Output = I::Native> + BitXor<Output = I::Native>,
        {
            match operation {
                Two::And => binary::<I, I, I>(&args[0], &args[1], rows, |a, b| a & b),
                Two::Or => binary::<I, I, I>(&args[0], &args[1], rows, |a, b| a | b),
                Two::Xor => binary::<I, I, I>(&args[0], &args[1], rows, |a, b| a ^ b),
            }
        }
        match_integer!(result, I => run::<I>(args, rows, operation), else run::<Decimal256Type>(args, rows, operation))
    }))
}

/// Byte by byte.
fn of_fixed(width: usize, operation: Two) -> Bound {
    Bound::new(T::FixedString(width), move |args, rows| {
        let (a, b) = (Bytes::of(&args[0])?, Bytes::of(&args[1])?);
        crate::strings::fixed(rows, width, |row, out| {
            for (out, (a, b)) in out.iter_mut().zip(a.get(row).iter().zip(b.get(row))) {
                *out = match operation {
                    Two::And => a & b,
                    Two::Or => a | b,
                    Two::Xor => a ^ b,
                };
            }
        })
    })
}

fn shifted(name: &str, arguments: &[Argument], shift: Shift) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    expect_integer(name, arguments, 1)?;
    let kind = as_number(&arguments[0].kind);
    if kind == T::String && matches!(shift, Shift::Left | Shift::Right) {
        let name = name.to_string();
        return Ok(Bound::cast(vec![T::String, T::Int64], T::String, move |args, rows| {
            shifted_bytes(&name, args, rows, shift)
        }));
    }
    if let (T::FixedString(width), Shift::Left | Shift::Right) = (&kind, shift) {
        let (name, width) = (name.to_string(), *width);
        return Ok(Bound::cast(vec![kind.clone(), T::Int64], kind.clone(), move |args, rows| {
            shifted_fixed(&name, args, rows, (shift, width))
        }));
    }
    let Some((bits, _)) = kinds::integer(&kind) else {
        return Err(illegal(name, arguments, 0, "an integer or a string"));
    };
    if wide::is_wide(&arguments[1].kind) {
        return Err(Error::not_implemented(format!("{name} by a number of type {}", arguments[1].kind)));
    }
    let result = kinds::bitwise(&kind, &arguments[1].kind).ok_or_else(|| no_operation(name, arguments))?;
    let (result_bits, signed) = kinds::integer(&result).ok_or_else(|| no_operation(name, arguments))?;
    let name = name.to_string();
    Ok(Bound::cast(vec![result.clone(), T::Int64], result.clone(), move |args, rows| {
        let by = Numbers::of::<Int64Type>(&args[1])?;
        // `None`: nothing is left.
        let checked = |row: usize| -> Result<Option<u32>> {
            let by = by.get(row);
            match shift {
                Shift::RotateLeft | Shift::RotateRight => Ok(Some(by.rem_euclid(i64::from(result_bits)) as u32)),
                Shift::Left | Shift::Right => Ok(u32::try_from(places(&name, by)?).ok().filter(|by| *by < u32::from(bits))),
            }
        };
        match_integer!(result, I => {
            let values = Numbers::of::<I>(&args[0])?;
            numbers::<I>(rows, |row| {
                let value = values.get(row);
                Ok(checked(row)?.map_or(0, |by| match shift {
                    Shift::Left => value << by,
                    // A signed value shifts its sign in.
                    Shift::Right => value >> by,
                    Shift::RotateLeft => value.rotate_left(by),
                    Shift::RotateRight => value.rotate_right(by),
                }))
            })
        }, else {
            let values = Numbers::of::<Decimal256Type>(&args[0])?;
            numbers::<Decimal256Type>(rows, |row| {
                let value = values.get(row);
                let Some(by) = checked(row)? else { return Ok(i256::ZERO) };
                Ok(match shift {
                    Shift::Left => wide::wrap(&result, value << by as u8),
                    Shift::Right if signed => value >> by as u8,
                    Shift::Right => wide::logical_shift_right(value, by as u8),
                    Shift::RotateLeft | Shift::RotateRight => {
                        return Err(Error::not_implemented(format!("Rotation of {result}")));
                    }
                })
            })
        })
    }))
}

/// Errors: ARGUMENT_OUT_OF_BOUND.
fn places(name: &str, by: i64) -> Result<u64> {
    u64::try_from(by).map_err(|_| {
        let text = format!("Function {name}: the number of shift positions needs to be a non-negative value, not {by}");
        Error::new(ErrorCode::ARGUMENT_OUT_OF_BOUND, text)
    })
}

/// A string as one big number, most significant byte first. To the left it grows, to the right it loses its tail.
fn shifted_bytes(name: &str, args: &[ArrayRef], rows: usize, shift: Shift) -> Result<ArrayRef> {
    let (source, by) = (Bytes::of(&args[0])?, Numbers::of::<Int64Type>(&args[1])?);
    strings(rows, |row, out| {
        let (value, by) = (source.get(row), places(name, by.get(row))?);
        if by >= value.len() as u64 * 8 {
            return Ok(());
        }
        let (bytes, bits) = (by as usize / 8, by as u32 % 8);
        match shift {
            Shift::Left => {
                let mut carry = 0u16;
                let mut shifted: Vec<u8> = value
                    .iter()
                    .rev()
                    .map(|byte| {
                        let wide = (u16::from(*byte) << bits) | carry;
                        carry = wide >> 8;
                        wide as u8
                    })
                    .collect();
                if bits > 0 {
                    shifted.push(carry as u8);
                }
                out.extend(shifted.iter().rev());
                out.extend(std::iter::repeat_n(0, bytes));
            }
            _ => {
                let kept = &value[..value.len() - bytes];
                let mut before = 0u16;
                out.extend(kept.iter().map(|byte| {
                    let both = before << 8 | u16::from(*byte);
                    before = u16::from(*byte);
                    (both >> bits) as u8
                }));
            }
        }
        Ok(())
    })
}

/// As `shifted_bytes`, of strings that keep their width: what is shifted out is lost.
fn shifted_fixed(name: &str, args: &[ArrayRef], rows: usize, (shift, width): (Shift, usize)) -> Result<ArrayRef> {
    let (source, by) = (Bytes::of(&args[0])?, Numbers::of::<Int64Type>(&args[1])?);
    let places = (0..rows).map(|row| places(name, by.get(row))).collect::<Result<Vec<u64>>>()?;
    crate::strings::fixed(rows, width, |row, out| {
        let value = source.get(row);
        let (bytes, bits) = (places[row] / 8, (places[row] % 8) as u32);
        let Some(bytes) = usize::try_from(bytes).ok().filter(|bytes| *bytes < width) else { return };
        let byte = |at: Option<usize>| at.and_then(|at| value.get(at)).map_or(0, |byte| u16::from(*byte));
        for (at, out) in out.iter_mut().enumerate() {
            *out = match shift {
                Shift::Left => ((byte(Some(at + bytes)) << 8 | byte(Some(at + bytes + 1))) << bits >> 8) as u8,
                _ => {
                    let at = at.checked_sub(bytes);
                    ((byte(at.and_then(|at| at.checked_sub(1))) << 8 | byte(at)) >> bits) as u8
                }
            };
        }
    })
}

/// Of strings every byte, of floats the integer that is left of them.
fn not(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    let kind = arguments[0].kind.plain().clone();
    match kind {
        T::String => {
            return Ok(Bound::new(T::String, |args, _| {
                bytes_to_bytes(&args[0], |value, out| out.extend(value.iter().map(|byte| !byte)))
            }));
        }
        T::FixedString(width) => {
            return Ok(Bound::new(kind, move |args, rows| {
                let source = Bytes::of(&args[0])?;
                crate::strings::fixed(rows, width, |row, out| {
                    out.iter_mut().zip(source.get(row)).for_each(|(out, byte)| *out = !byte);
                })
            }));
        }
        T::Float32 => {
            return Ok(Bound::new(T::Int32, |args, _| unary::<Float32Type, Int32Type>(&args[0], |x| !whole_32(x))));
        }
        T::Float64 => {
            return Ok(Bound::new(T::Int64, |args, _| unary::<Float64Type, Int64Type>(&args[0], |x| !whole_64(x))));
        }
        _ => {}
    }
    let expected = "an integer, a float or a string";
    let (bits, signed) = kinds::integer(&kind).ok_or_else(|| illegal(name, arguments, 0, expected))?;
    let result = SqlType::integer(bits, signed);
    Ok(Bound::cast(vec![result.clone()], result.clone(), move |args, _| {
        match_integer!(result, I => unary::<I, I>(&args[0], |value| !value), else {
            unary::<Decimal256Type, Decimal256Type>(&args[0], |value| wide::wrap(&result, !value))
        })
    }))
}

/// A float cut to an integer as processors do: one that does not fit becomes the least.
fn whole_64(value: f64) -> i64 {
    let end = 2f64.powi(63);
    if (-end..end).contains(&value) { value as i64 } else { i64::MIN }
}

fn whole_32(value: f32) -> i32 {
    let end = 2f32.powi(31);
    if (-end..end).contains(&value) { value as i32 } else { i32::MIN }
}

/// Bits that are set in a wide integer of that many bits.
fn ones(value: i256, bits: u16) -> u32 {
    let (low, high) = value.to_parts();
    if bits == 128 { low.count_ones() } else { low.count_ones() + high.count_ones() }
}

fn ones_of_bytes(value: &[u8]) -> u64 {
    value.iter().map(|byte| u64::from(byte.count_ones())).sum()
}

fn count(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    let kind = arguments[0].kind.plain().clone();
    match kind {
        T::String => Ok(Bound::new(T::UInt64, |args, _| bytes_to::<UInt64Type>(&args[0], ones_of_bytes))),
        T::FixedString(_) => {
            Ok(Bound::new(T::UInt16, |args, _| bytes_to::<UInt16Type>(&args[0], |value| ones_of_bytes(value) as u16)))
        }
        T::Float32 => Ok(Bound::new(T::UInt8, |args, _| {
            unary::<Float32Type, UInt8Type>(&args[0], |value| value.to_bits().count_ones() as u8)
        })),
        T::Float64 => Ok(Bound::new(T::UInt8, |args, _| {
            unary::<Float64Type, UInt8Type>(&args[0], |value| value.to_bits().count_ones() as u8)
        })),
        _ => {
            let (bits, signed) = kinds::integer(&kind).ok_or_else(|| illegal(name, arguments, 0, "a number or a string"))?;
            let kind = SqlType::integer(bits, signed);
            let result = if bits == 256 { T::UInt16 } else { T::UInt8 };
            Ok(Bound::cast(vec![kind.clone()], result, move |args, _| {
                match_integer!(kind, I => unary::<I, UInt8Type>(&args[0], |value| value.count_ones() as u8), else {
                    if bits == 128 {
                        unary::<Decimal256Type, UInt8Type>(&args[0], |value| ones(value, bits) as u8)
                    } else {
                        unary::<Decimal256Type, UInt16Type>(&args[0], |value| ones(value, bits) as u16)
                    }
                })
            }))
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tested {
    Single,
    All,
    Any,
}

fn test(name: &str, arguments: &[Argument], tested: Tested) -> Result<Bound> {
    let allowed = if tested == Tested::Single { 2..=2 } else { 2..=usize::MAX };
    arity(name, arguments, allowed)?;
    let (bits, signed) = kinds::integer(&arguments[0].kind)
        .filter(|(bits, _)| *bits <= 64)
        .ok_or_else(|| illegal(name, arguments, 0, "an integer of up to 64 bits"))?;
    for i in 1..arguments.len() {
        expect_integer(name, arguments, i)?;
    }
    let wide = if signed { T::Int64 } else { T::UInt64 };
    let mut casts = vec![T::Int64; arguments.len()];
    casts[0] = wide;
    let name = name.to_string();
    Ok(Bound::cast(casts, T::UInt8, move |args, rows| {
        let values: ArrayRef =
            if signed { unary::<Int64Type, UInt64Type>(&args[0], |value| value as u64)? } else { args[0].clone() };
        let values = Numbers::of::<UInt64Type>(&values)?;
        let positions = args[1..].iter().map(Numbers::of::<Int64Type>).collect::<Result<Vec<_>>>()?;
        numbers::<UInt8Type>(rows, |row| {
            let value = values.get(row);
            let (mut all, mut any) = (true, false);
            for position in &positions {
                let position = position.get(row);
                if !(0..i64::from(bits)).contains(&position) {
                    let text =
                        format!("Function {name}: the bit position {position} is not within the {bits} bits of the number");
                    return Err(Error::new(ErrorCode::PARAMETER_OUT_OF_BOUND, text));
                }
                let set = value >> position & 1 == 1;
                all &= set;
                any |= set;
            }
            Ok(u8::from(if tested == Tested::Any { any } else { all }))
        })
    }))
}

/// Of strings, the shorter of which is filled up with zeros, and of numbers of up to 64 bits, which are as many then; wider ones
/// must be of one type.
fn hamming(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    let (a, b) = (&arguments[0].kind, &arguments[1].kind);
    if a.is_string() && b.is_string() {
        return Ok(Bound::new(T::UInt64, |args, rows| {
            let (a, b) = (Bytes::of(&args[0])?, Bytes::of(&args[1])?);
            numbers::<UInt64Type>(rows, |row| {
                let (a, b) = (a.get(row), b.get(row));
                let both: u64 = a.iter().zip(b).map(|(a, b)| u64::from((a ^ b).count_ones())).sum();
                let rest = |value: &[u8], beside: &[u8]| ones_of_bytes(value.get(beside.len()..).unwrap_or_default());
                Ok(both + rest(a, b) + rest(b, a))
            })
        }));
    }
    if a == b
        && let Some((bits @ 65.., _)) = kinds::integer(a)
    {
        return Ok(Bound::new(T::UInt8, move |args, rows| {
            binary::<Decimal256Type, Decimal256Type, UInt8Type>(&args[0], &args[1], rows, |a, b| ones(a ^ b, bits) as u8)
        }));
    }
    let carrier = |kind: &SqlType| match kinds::integer(kind) {
        Some((..=64, true)) => Some(T::Int64),
        Some((..=64, false)) => Some(T::UInt64),
        _ => kind.is_float().then_some(T::Float64),
    };
    let (a, b) = carrier(a).zip(carrier(b)).ok_or_else(|| no_operation(name, arguments))?;
    Ok(Bound::cast(vec![a, b], T::UInt8, move |args, rows| {
        let (a, b) = (bits_of(&args[0])?, bits_of(&args[1])?);
        binary::<UInt64Type, UInt64Type, UInt8Type>(&a, &b, rows, |a, b| (a ^ b).count_ones() as u8)
    }))
}

/// The 64 bits of each number; of floats those of the integers that they are cut to.
fn bits_of(array: &ArrayRef) -> Result<ArrayRef> {
    match array.data_type() {
        DataType::Int64 => unary::<Int64Type, UInt64Type>(array, |value| value as u64),
        DataType::Float64 => unary::<Float64Type, UInt64Type>(array, |value| {
            let fits_unsigned = (0.0..2f64.powi(64)).contains(&value);
            if fits_unsigned { value as u64 } else { whole_64(value) as u64 }
        }),
        _ => Ok(array.clone()),
    }
}

fn swap(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    let (bits, signed) = kinds::integer(&arguments[0].kind).ok_or_else(|| illegal(name, arguments, 0, "an integer"))?;
    let kind = SqlType::integer(bits, signed);
    Ok(Bound::cast(vec![kind.clone()], kind.clone(), move |args, _| {
        match_integer!(kind, I => unary::<I, I>(&args[0], |value| value.swap_bytes()), else {
            unary::<Decimal256Type, Decimal256Type>(&args[0], |value| match bits {
                128 => wide::wrap(&kind, i256::from_parts(value.to_parts().0.swap_bytes(), 0)),
                _ => i256::from_be_bytes(value.to_le_bytes()),
            })
        })
    }))
}
