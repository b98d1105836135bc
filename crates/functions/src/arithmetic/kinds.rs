//! Result types of arithmetic: wide enough that a sum or product of two small numbers does not overflow.

use crate::scalar::Argument;
use SqlType as T;
use gristmill_types::SqlType;
use gristmill_types::supertype::sum_of_floats;

/// The arguments with the number that an IPv4 is in its place; `None` where there is no address.
pub fn with_numbers(arguments: &[Argument]) -> Option<Vec<Argument>> {
    let is_address = |argument: &Argument| *argument.kind.plain() == T::IPv4;
    arguments.iter().any(is_address).then(|| {
        let number = |argument: &Argument| match is_address(argument) {
            true => Argument { kind: T::UInt32, constant: argument.constant.clone() },
            false => argument.clone(),
        };
        arguments.iter().map(number).collect()
    })
}

/// Twice the bits, up to 64; 128 and 256 stay.
pub fn next_bits(bits: u16) -> u16 {
    if bits < 64 { bits * 2 } else { bits }
}

/// Bits and signedness of an integer or Bool.
pub fn integer(kind: &SqlType) -> Option<(u16, bool)> {
    if *kind.plain() == T::Bool { Some((8, false)) } else { kind.integer_bits() }
}

/// Type of a sum or product (`difference`: always signed). `None` where an argument is no integer and no float.
pub fn sum(a: &SqlType, b: &SqlType, difference: bool) -> Option<SqlType> {
    if a.is_float() || b.is_float() {
        let numbers = (a.is_float() || integer(a).is_some()) && (b.is_float() || integer(b).is_some());
        return numbers.then(|| sum_of_floats(a, b));
    }
    let ((a, a_signed), (b, b_signed)) = (integer(a)?, integer(b)?);
    Some(SqlType::integer(next_bits(a.max(b)), difference || a_signed || b_signed))
}

/// Type of `intDiv`: as wide as the dividend.
pub fn quotient(a: &SqlType, b: &SqlType) -> Option<SqlType> {
    let (bits, signed) = match a.plain() {
        T::BFloat16 => (16, true),
        T::Float32 => (32, true),
        T::Float64 => (64, true),
        _ => integer(a)?,
    };
    let b_signed = if b.is_float() { true } else { integer(b)?.1 };
    Some(SqlType::integer(bits, signed || b_signed))
}

/// Type of `modulo`: as wide as the divisor, and wider by one step where the dividend may be negative.
pub fn remainder(a: &SqlType, b: &SqlType) -> Option<SqlType> {
    if a.is_float() || b.is_float() {
        return sum(a, b, false).map(|_| T::Float64);
    }
    let ((_, signed), (bits, _)) = (integer(a)?, integer(b)?);
    Some(SqlType::integer(if signed { next_bits(bits) } else { bits }, signed))
}

/// Type of bitwise operations on two integers.
pub fn bitwise(a: &SqlType, b: &SqlType) -> Option<SqlType> {
    let ((a, a_signed), (b, b_signed)) = (integer(a)?, integer(b)?);
    Some(SqlType::integer(a.max(b), a_signed || b_signed))
}

/// The integer type that two integers of up to 64 bits are divided in, or the wide one.
pub fn division(a: &SqlType, b: &SqlType) -> Option<SqlType> {
    let ((a, a_signed), (b, b_signed)) = (integer(a)?, integer(b)?);
    Some(SqlType::integer(a.max(b).max(64), a_signed || b_signed))
}

/// Runs `$body` with `$T` the Arrow type of an integer type of up to 64 bits, else `$other`.
macro_rules! match_integer {
    ($kind:expr, $T:ident => $body:expr, else $other:expr) => {{
        use arrow::datatypes as arrow_types;
        match $kind.plain() {
            gristmill_types::SqlType::UInt8 => {
                type $T = arrow_types::UInt8Type;
                $body
            }
            gristmill_types::SqlType::UInt16 => {
                type $T = arrow_types::UInt16Type;
                $body
            }
            gristmill_types::SqlType::UInt32 => {
                type $T = arrow_types::UInt32Type;
                $body
            }
            gristmill_types::SqlType::UInt64 => {
                type $T = arrow_types::UInt64Type;
                $body
            }
            gristmill_types::SqlType::Int8 => {
                type $T = arrow_types::Int8Type;
                $body
            }
            gristmill_types::SqlType::Int16 => {
                type $T = arrow_types::Int16Type;
                $body
            }
            gristmill_types::SqlType::Int32 => {
                type $T = arrow_types::Int32Type;
                $body
            }
            gristmill_types::SqlType::Int64 => {
                type $T = arrow_types::Int64Type;
                $body
            }
            _ => $other,
        }
    }};
}
pub(crate) use match_integer;
