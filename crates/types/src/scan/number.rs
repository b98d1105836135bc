//! Numbers. Integers are read digit by digit into 64 bits, which the first 19 digits cannot overflow; only longer ones take
//! the path that watches for it.

use arrow::datatypes::i256;
use gristmill_base::ErrorCode;

use super::{Fault, Scan};
use crate::wide;

const NOT_A_NUMBER: Fault = Fault::new(ErrorCode::CANNOT_PARSE_TEXT, "expected a whole number");
const NEGATIVE: Fault = Fault::new(ErrorCode::CANNOT_PARSE_NUMBER, "an unsigned type has no negative values");
const NOT_A_FLOAT: Fault = Fault::new(ErrorCode::CANNOT_PARSE_NUMBER, "expected a number");
const NOT_A_DECIMAL: Fault = Fault::new(ErrorCode::CANNOT_PARSE_TEXT, "expected a decimal number");
const TOO_MANY_DIGITS: Fault = Fault::new(ErrorCode::ARGUMENT_OUT_OF_BOUND, "too many digits before the point for the type");
const NOT_A_BOOL: Fault = Fault::new(
    ErrorCode::CANNOT_PARSE_BOOL,
    "expected true/false, t/f, y/n, yes/no, on/off, enable/disable, enabled/disabled or 1/0",
);

/// An integer of up to 64 bits.
pub trait Integer: Copy {
    const SIGNED: bool;
    /// The low bits of sign and magnitude, and whether nothing was lost.
    fn from_magnitude(negative: bool, magnitude: u64) -> (Self, bool);
}

macro_rules! integers {
    ($($signed:literal $kind:ty),*) => {
        $(impl Integer for $kind {
            const SIGNED: bool = $signed;

            #[inline]
            fn from_magnitude(negative: bool, magnitude: u64) -> (Self, bool) {
                let value = if negative { magnitude.wrapping_neg() } else { magnitude } as $kind;
                let exact = if negative { -i128::from(magnitude) } else { i128::from(magnitude) };
                (value, i128::from(value) == exact)
            }
        })*
    };
}
integers!(false u8, false u16, false u32, false u64, true i8, true i16, true i32, true i64);

/// Splits off a sign. A minus is refused for unsigned types.
fn sign(text: &[u8], signed: bool) -> Scan<(bool, &[u8])> {
    match text {
        [] => Err(Fault::EMPTY),
        [b'-', rest @ ..] if signed => Ok((true, rest)),
        [b'-', ..] => Err(NEGATIVE),
        [b'+', rest @ ..] => Ok((false, rest)),
        _ => Ok((false, text)),
    }
}

/// The whole text as an integer. `wrap`: keep the low bits of what is too large, as CAST from strings does; else it is a
/// fault.
#[inline]
pub fn integer<T: Integer>(text: &[u8], wrap: bool) -> Scan<T> {
    let (negative, digits) = sign(text, T::SIGNED)?;
    let (magnitude, overflow) = magnitude(digits)?;
    let (value, exact) = T::from_magnitude(negative, magnitude);
    if wrap || (exact && !overflow) { Ok(value) } else { Err(Fault::RANGE) }
}

#[inline]
fn magnitude(digits: &[u8]) -> Scan<(u64, bool)> {
    if digits.is_empty() {
        return Err(NOT_A_NUMBER);
    }
    let (safe, rest) = digits.split_at(digits.len().min(19));
    let mut value = 0u64;
    for digit in safe {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return Err(NOT_A_NUMBER);
        }
        value = value * 10 + u64::from(digit);
    }
    let mut overflow = false;
    for digit in rest {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return Err(NOT_A_NUMBER);
        }
        let (ten, a) = value.overflowing_mul(10);
        let (sum, b) = ten.overflowing_add(u64::from(digit));
        value = sum;
        overflow |= a | b;
    }
    Ok((value, overflow))
}

/// An integer of 128 or 256 bits, as its raw 256 bits.
pub fn wide_integer(text: &[u8], bits: u16, signed: bool, wrap: bool) -> Scan<i256> {
    let (negative, digits) = sign(text, signed)?;
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(NOT_A_NUMBER);
    }
    let significant = &digits[digits.iter().position(|digit| *digit != b'0').unwrap_or(digits.len())..];
    let mut value = i256::ZERO;
    for chunk in significant.chunks(18) {
        let (part, _) = magnitude(chunk)?;
        value = value.wrapping_mul(wide::ten_to(chunk.len() as u32)).wrapping_add(i256::from_i128(i128::from(part)));
    }
    let signed_value = if negative { value.wrapping_neg() } else { value };
    if wrap {
        return Ok(wide::wrap(signed_value, bits, signed));
    }
    // 77 digits may pass 2^256, which the sign cannot show; the largest 256-bit value has 78.
    let lost = significant.len() > 78
        || (significant.len() >= 77 && {
            let mut back = Vec::with_capacity(80);
            wide::write(value, true, &mut back);
            back != significant
        });
    let fits = match (negative, signed) {
        (true, _) => value == i256::ZERO || wide::fits(signed_value, false, bits, true) && signed_value.is_negative(),
        (false, _) => wide::fits(value, true, bits, signed),
    };
    if lost || !fits { Err(Fault::RANGE) } else { Ok(signed_value) }
}

/// `nan`, `inf` and `infinity` in any case are floats too; what is too large is infinite.
#[inline]
pub fn float64(text: &[u8]) -> Scan<f64> {
    fast_float2::parse(text).map_err(|_| NOT_A_FLOAT)
}

#[inline]
pub fn float32(text: &[u8]) -> Scan<f32> {
    fast_float2::parse(text).map_err(|_| NOT_A_FLOAT)
}

/// A decimal of up to 38 digits as its units of 10^-scale. Digits beyond the scale are dropped; more digits before the
/// point than the precision has room for are a fault.
pub fn decimal128(text: &[u8], precision: u8, scale: u8) -> Scan<i128> {
    let parts = DecimalText::split(text)?;
    let value = parts.digits(precision, scale)?.fold(0i128, |value, digit| value * 10 + i128::from(digit - b'0'));
    Ok(if parts.negative { -value } else { value })
}

/// As `decimal128`, for up to 76 digits.
pub fn decimal256(text: &[u8], precision: u8, scale: u8) -> Scan<i256> {
    let parts = DecimalText::split(text)?;
    let ten = i256::from_i128(10);
    let value = parts
        .digits(precision, scale)?
        .fold(i256::ZERO, |value, digit| value.wrapping_mul(ten).wrapping_add(i256::from_i128(i128::from(digit - b'0'))));
    Ok(if parts.negative { value.wrapping_neg() } else { value })
}

struct DecimalText<'a> {
    negative: bool,
    whole: &'a [u8],
    fraction: &'a [u8],
    exponent: i64,
}

impl<'a> DecimalText<'a> {
    fn split(text: &'a [u8]) -> Scan<Self> {
        let (negative, text) = sign(text, true)?;
        let digits = |text: &[u8]| text.iter().position(|c| !c.is_ascii_digit()).unwrap_or(text.len());
        let (whole, rest) = text.split_at(digits(text));
        let (fraction, rest) = match rest {
            [b'.', rest @ ..] => rest.split_at(digits(rest)),
            rest => (&rest[..0], rest),
        };
        if whole.is_empty() && fraction.is_empty() {
            return Err(NOT_A_DECIMAL);
        }
        let exponent = match rest {
            [] => 0,
            [b'e' | b'E', power @ ..] => i64::from(integer::<i16>(power, false).map_err(|_| NOT_A_DECIMAL)?),
            _ => return Err(NOT_A_DECIMAL),
        };
        Ok(DecimalText { negative, whole, fraction, exponent })
    }

    /// The digits down to the last of the scale, from the first that is not zero.
    fn digits(&self, precision: u8, scale: u8) -> Scan<impl Iterator<Item = u8>> {
        let stream = || self.whole.iter().chain(self.fraction).copied();
        let count = self.whole.len() + self.fraction.len();
        let leading = stream().position(|digit| digit != b'0').unwrap_or(usize::MAX);
        let wanted = (self.whole.len() as i64 + self.exponent + i64::from(scale)).max(0) as usize;
        // A number that is zero, or that is smaller than one unit, has no digits.
        let wanted = if leading >= count { 0 } else { wanted };
        if wanted.saturating_sub(leading) > usize::from(precision) {
            return Err(TOO_MANY_DIGITS);
        }
        Ok(stream().chain(std::iter::repeat(b'0')).take(wanted).skip(leading))
    }
}

pub fn boolean(text: &[u8]) -> Scan<bool> {
    let is = |words: &[&str]| words.iter().any(|word| text.eq_ignore_ascii_case(word.as_bytes()));
    match text {
        b"true" | b"1" => Ok(true),
        b"false" | b"0" => Ok(false),
        _ if is(&["true", "t", "y", "yes", "on", "enable", "enabled"]) => Ok(true),
        _ if is(&["false", "f", "n", "no", "off", "disable", "disabled"]) => Ok(false),
        _ => Err(NOT_A_BOOL),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_at_their_borders() {
        assert_eq!(integer::<u8>(b"255", false), Ok(255));
        assert_eq!(integer::<u8>(b"256", false), Err(Fault::RANGE));
        assert_eq!(integer::<u8>(b"300", true), Ok(44));
        assert_eq!(integer::<i64>(b"-9223372036854775808", false), Ok(i64::MIN));
        assert_eq!(integer::<i64>(b"9223372036854775808", false), Err(Fault::RANGE));
        assert_eq!(integer::<u64>(b"18446744073709551615", false), Ok(u64::MAX));
        assert_eq!(integer::<u64>(b"18446744073709551616", false), Err(Fault::RANGE));
        assert_eq!(integer::<u8>(b"-1", false), Err(NEGATIVE));
        assert_eq!(integer::<u8>(b"+12", false), Ok(12));
        for wrong in [&b"12abc"[..], b" 12", b"1.5", b"-", b"+"] {
            assert!(integer::<i32>(wrong, true).is_err());
        }
        let most = b"115792089237316195423570985008687907853269984665640564039457584007913129639935";
        assert_eq!(wide_integer(most, 256, false, false), Ok(i256::MINUS_ONE));
        assert_eq!(wide_integer(most, 256, true, false), Err(Fault::RANGE));
        assert_eq!(
            wide_integer(
                b"115792089237316195423570985008687907853269984665640564039457584007913129639936",
                256,
                false,
                false
            ),
            Err(Fault::RANGE)
        );
        assert_eq!(wide_integer(b"340282366920938463463374607431768211456", 128, false, false), Err(Fault::RANGE));
    }

    #[test]
    fn decimals_drop_what_the_scale_cannot_hold() {
        assert_eq!(decimal128(b"1.239", 9, 2), Ok(123));
        assert_eq!(decimal128(b"-0.05", 9, 4), Ok(-500));
        assert_eq!(decimal128(b"1e2", 9, 2), Ok(10_000));
        assert_eq!(decimal128(b"12.5e-3", 9, 4), Ok(125));
        assert_eq!(decimal128(b"0.0001", 9, 2), Ok(0));
        assert_eq!(decimal128(b"000000000000001", 9, 2), Ok(100));
        assert_eq!(decimal128(b"99999999999", 9, 2), Err(TOO_MANY_DIGITS));
        assert_eq!(decimal128(b"1.5abc", 9, 2), Err(NOT_A_DECIMAL));
        assert_eq!(decimal256(b"-1.5", 76, 1), Ok(i256::from_i128(-15)));
    }

    #[test]
    fn floats_in_every_dress() {
        assert_eq!(float64(b"+1.5e3"), Ok(1500.0));
        assert_eq!(float64(b"1e400"), Ok(f64::INFINITY));
        assert!(float64(b"NaN").is_ok_and(f64::is_nan));
        assert_eq!(float64(b"-Infinity"), Ok(f64::NEG_INFINITY));
        assert!(float64(b"1.5x").is_err() && float64(b"").is_err());
    }

    proptest::proptest! {
        #[test]
        fn integers_read_back(value: i64, wide: i128) {
            proptest::prop_assert_eq!(integer::<i64>(value.to_string().as_bytes(), false), Ok(value));
            proptest::prop_assert_eq!(wide_integer(wide.to_string().as_bytes(), 128, true, false), Ok(i256::from_i128(wide)));
        }
    }
}
