//! Numbers seen in other ways: `clamp`, `sqr`, `countDigits`, `isPrime`, `widthBucket`, powers of 2 and 10, number systems.

use SqlType as T;
use arrow::array::{ArrayRef, AsArray};
use arrow::datatypes::{
    Decimal128Type, Decimal256Type, Float64Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type, i256,
};
use gristmill_base::Result;
use gristmill_types::SqlType;

use super::is_wide;
use super::kinds::integer;
use crate::columns::{Bytes, Numbers, numbers, strings, truths, unary};
use crate::define::{
    arity, bad_argument, constant_integer, expect_integer, expect_number, expect_string, illegal, not_constant, plain,
};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    registry.scalar("clamp", plain(|name, arguments, _| clamp(name, arguments)));
    registry.scalar(
        "sqr",
        plain(|name, arguments, env| {
            arity(name, arguments, 1..=1)?;
            if !matches!(arguments[0].kind, T::IPv4 | T::IPv6) {
                expect_number(name, arguments, 0)?;
            }
            let kind = if arguments[0].kind == T::IPv6 { T::UInt128 } else { arguments[0].kind.clone() };
            let factor = Argument { kind, constant: None };
            let twice = [factor.clone(), factor];
            let bound = super::plus::bind(name, super::plus::Operation::Multiply, &twice, env)?;
            let kernel = bound.kernel;
            let casts = bound.arguments.into_iter().take(1).collect();
            Ok(Bound::cast(casts, bound.result, move |args, rows| kernel(&[args[0].clone(), args[0].clone()], rows)))
        }),
    );
    registry.any_case("sqr");
    registry.scalar("countDigits", plain(|name, arguments, _| count_digits(name, arguments)));
    registry.scalar("isDecimalOverflow", plain(|name, arguments, _| decimal_overflow(name, arguments)));
    registry.scalar(
        "isPrime",
        plain(|name, arguments, _| {
            arity(name, arguments, 1..=1)?;
            expect_integer(name, arguments, 0)?;
            Ok(Bound::cast(vec![T::UInt64], T::UInt8, |args, rows| {
                let values = Numbers::of::<UInt64Type>(&args[0])?;
                truths(rows, |row| is_prime(values.get(row)))
            }))
        }),
    );
    registry.scalar("widthBucket", plain(|name, arguments, _| width_bucket(name, arguments)));
    registry.alias("width_bucket", "widthBucket");
    registry.any_case("width_bucket");
    registry.scalar("intExp2", plain(|name, arguments, _| whole_power(name, arguments, 2)));
    registry.scalar("intExp10", plain(|name, arguments, _| whole_power(name, arguments, 10)));
    registry.scalar("conv", plain(|name, arguments, _| conv(name, arguments)));
}

fn clamp(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 3..=3)?;
    let kinds: Vec<SqlType> = arguments.iter().map(|argument| argument.kind.clone()).collect();
    let common = crate::supertype::least(name, &kinds)?;
    let name = name.to_string();
    Ok(Bound::cast(vec![common.clone(); 3], common, move |args, rows| {
        let columns: Vec<ArrayRef> =
            args.iter().map(|array| crate::columns::broadcast(array, rows)).collect::<Result<_>>()?;
        let sets = crate::arrays::comparable(&columns)?;
        let mut picks = Vec::with_capacity(rows);
        for row in 0..rows {
            let (value, low, high) = (sets[0].row(row), sets[1].row(row), sets[2].row(row));
            if low > high {
                return Err(bad_argument(&name, "the lower bound is greater than the upper one"));
            }
            picks.push((
                if value < low {
                    1
                } else if value > high {
                    2
                } else {
                    0
                },
                row,
            ));
        }
        let columns: Vec<&dyn arrow::array::Array> = columns.iter().map(AsRef::as_ref).collect();
        Ok(arrow::compute::interleave(&columns, &picks)?)
    }))
}

/// `intExp2`, `intExp10`: nought of numbers below zero, and the greatest number where the power is greater. Powers of 10 look at
/// the lower 32 bits of integers alone.
fn whole_power(name: &str, arguments: &[Argument], base: u64) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    expect_number(name, arguments, 0)?;
    let power = move |exponent: i64| match exponent {
        ..0 => 0,
        exponent => base.checked_pow(exponent.min(100) as u32).unwrap_or(u64::MAX),
    };
    if base == 10 && matches!(integer(&arguments[0].kind), Some((..=64, _))) {
        return Ok(Bound::cast(vec![T::Int64], T::UInt64, move |args, _| {
            unary::<Int64Type, UInt64Type>(&args[0], |exponent| power(i64::from(exponent as i32)))
        }));
    }
    let name = name.to_string();
    Ok(Bound::cast(vec![T::Float64], T::UInt64, move |args, rows| {
        let values = Numbers::of::<Float64Type>(&args[0])?;
        numbers::<UInt64Type>(rows, |row| match values.get(row) {
            exponent if exponent.is_nan() => Err(bad_argument(&name, "it must not be called with nan")),
            exponent if exponent < 0.0 => Ok(0),
            exponent => Ok(power(exponent as i64)),
        })
    }))
}

fn count_digits(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    let kind = arguments[0].kind.clone();
    if is_wide(&kind) || matches!(kind, T::Decimal { precision: 39.., .. }) {
        let unsigned = kind == T::UInt256;
        return Ok(Bound::new(T::UInt8, move |args, rows| {
            let (values, mut text) = (Numbers::of::<Decimal256Type>(&args[0])?, Vec::new());
            numbers::<UInt8Type>(rows, |row| {
                text.clear();
                gristmill_types::wide::write(values.get(row), unsigned, &mut text);
                Ok(text.iter().filter(|byte| byte.is_ascii_digit()).count() as u8)
            })
        }));
    }
    let to = match &kind {
        T::Decimal { precision: ..=38, scale } => T::Decimal { precision: 38, scale: *scale },
        kind if integer(kind).is_some_and(|(bits, _)| bits <= 64) => T::Decimal { precision: 38, scale: 0 },
        _ => return Err(illegal(name, arguments, 0, "an integer or a Decimal")),
    };
    Ok(Bound::cast(vec![to], T::UInt8, |args, _| {
        unary::<arrow::datatypes::Decimal128Type, UInt8Type>(&args[0], |value| {
            value.unsigned_abs().checked_ilog10().map_or(1, |digits| digits as u8 + 1)
        })
    }))
}

/// Whether a Decimal, taken without its point, has more digits than are asked for (or than its type has).
fn decimal_overflow(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=2)?;
    let T::Decimal { precision, .. } = arguments[0].kind else {
        return Err(illegal(name, arguments, 0, "Decimal"));
    };
    let most = match precision {
        0..=9 => 9,
        10..=18 => 18,
        19..=38 => 38,
        _ => 76,
    };
    let mut digits = most;
    if arguments.len() == 2 {
        expect_integer(name, arguments, 1)?;
        let given = constant_integer(&arguments[1]).ok_or_else(|| not_constant(name, 1))?;
        digits = u32::try_from(given).map_err(|_| bad_argument(name, "the number of digits cannot be negative"))?;
    }
    Ok(Bound::new(T::UInt8, move |args, _| {
        if let Some(values) = args[0].as_primitive_opt::<Decimal128Type>() {
            let end = 10i128.checked_pow(digits);
            let over = |value: i128| end.is_some_and(|end| value <= -end || value >= end);
            return truths(values.len(), |row| over(values.value(row)));
        }
        let values = args[0].as_primitive::<Decimal256Type>();
        let end = i256::from_i128(10).checked_pow(digits);
        let over = |value: i256| end.is_some_and(|end| value <= end.wrapping_neg() || value >= end);
        truths(values.len(), |row| over(values.value(row)))
    }))
}

/// By Miller and Rabin's test, with witnesses that decide all of 64 bits.
pub fn is_prime(value: u64) -> bool {
    const WITNESSES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    if value < 2 || WITNESSES.iter().any(|witness| value != *witness && value.is_multiple_of(*witness)) {
        return false;
    }
    let times = |a: u64, b: u64| (u128::from(a) * u128::from(b) % u128::from(value)) as u64;
    let power = |mut base: u64, mut exponent: u64| {
        let mut result = 1;
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = times(result, base);
            }
            base = times(base, base);
            exponent >>= 1;
        }
        result
    };
    let shift = (value - 1).trailing_zeros();
    WITNESSES.iter().filter(|witness| **witness < value).all(|witness| {
        let mut x = power(*witness, (value - 1) >> shift);
        x == 1
            || (0..shift).any(|_| {
                let found = x == value - 1;
                x = times(x, x);
                found
            })
    })
}

/// Operand, low, high, count of buckets.
fn width_bucket(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 4..=4)?;
    for i in 0..3 {
        expect_number(name, arguments, i)?;
    }
    expect_integer(name, arguments, 3)?;
    // One bucket lies beyond each end.
    let result = match arguments[3].kind.integer_bits() {
        Some((8, _)) => T::UInt16,
        Some((16, _)) => T::UInt32,
        _ => T::UInt64,
    };
    let (kind, name) = (result.clone(), name.to_string());
    let casts = vec![T::Float64, T::Float64, T::Float64, T::Int64];
    Ok(Bound::cast(casts, result, move |args, rows| {
        let bounds: Vec<Numbers<'_, f64>> = args[..3].iter().map(Numbers::of::<Float64Type>).collect::<Result<_>>()?;
        let counts = Numbers::of::<Int64Type>(&args[3])?;
        let bucket = |row: usize| -> Result<u64> {
            let (value, low, high, count) = (bounds[0].get(row), bounds[1].get(row), bounds[2].get(row), counts.get(row));
            if value.is_nan() || !low.is_finite() || !high.is_finite() || count <= 0 {
                return Err(bad_argument(&name, "the bounds must be finite, the operand a number and the count positive"));
            }
            Ok(match () {
                () if value < low || low >= high => 0,
                () if value >= high => count as u64 + 1,
                () => (((value - low) / (high - low) * count as f64) as u64).min(count as u64 - 1) + 1,
            })
        };
        match kind {
            T::UInt16 => numbers::<UInt16Type>(rows, |row| Ok(bucket(row)? as u16)),
            T::UInt32 => numbers::<UInt32Type>(rows, |row| Ok(bucket(row)? as u32)),
            _ => numbers::<UInt64Type>(rows, bucket),
        }
    }))
}

/// A number of one system written in another, as MySQL does: what does not belong ends the number.
fn conv(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 3..=3)?;
    let takes_number = arguments[0].kind.is_integer();
    if !takes_number {
        expect_string(name, arguments, 0)?;
    }
    expect_integer(name, arguments, 1)?;
    expect_integer(name, arguments, 2)?;
    let name = name.to_string();
    Ok(Bound::cast(vec![T::String, T::Int64, T::Int64], T::String, move |args, rows| {
        let texts = Bytes::of(&args[0])?;
        let (from, to) = (Numbers::of::<Int64Type>(&args[1])?, Numbers::of::<Int64Type>(&args[2])?);
        strings(rows, |row, out| {
            let (from, to) = (from.get(row), to.get(row));
            if !(2..=36).contains(&from) || !(2..=36).contains(&to) {
                return Err(bad_argument(&name, "bases must be from 2 to 36"));
            }
            let text = texts.get(row).trim_ascii();
            let (negative, digits) = text.strip_prefix(b"-").map_or((false, text), |digits| (true, digits));
            let digits = digits.iter().map_while(|digit| char::from(*digit).to_digit(from as u32));
            let value = digits.fold(0u64, |value, digit| value.saturating_mul(from as u64).saturating_add(digit.into()));
            let mut value = if negative { value.wrapping_neg() } else { value };
            let start = out.len();
            while value > 0 || out.len() == start {
                let digit = char::from_digit((value % to as u64) as u32, to as u32).unwrap_or('0');
                out.push(digit.to_ascii_uppercase() as u8);
                value /= to as u64;
            }
            out[start..].reverse();
            Ok(())
        })
    }))
}
