//! Floats as the shortest decimal that reads back as the same float, and decimals without zeros at their end.
//!
//! The digits are ryu's. Where they stand in plain notation and where with an exponent is ClickHouse's choice, which is
//! that of JavaScript: plain from 1e-6 up to below 1e21.

use arrow::datatypes::i256;
use gristmill_base::units::with_decimals;

use crate::wide;

pub fn write_f64(value: f64, out: &mut Vec<u8>) {
    if value == value.trunc() && value.abs() < 9_007_199_254_740_992.0 && (value != 0.0 || value.is_sign_positive()) {
        out.extend_from_slice(itoa::Buffer::new().format(value as i64).as_bytes());
    } else if value.is_finite() {
        layout(ryu::Buffer::new().format_finite(value), out);
    } else {
        denormal(value.is_nan(), value.is_sign_negative(), out);
    }
}

pub fn write_f32(value: f32, out: &mut Vec<u8>) {
    if value.is_finite() {
        layout(ryu::Buffer::new().format_finite(value), out);
    } else {
        denormal(value.is_nan(), value.is_sign_negative(), out);
    }
}

fn denormal(nan: bool, negative: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(match (nan, negative) {
        (true, _) => b"nan",
        (false, true) => b"-inf",
        (false, false) => b"inf",
    });
}

/// Lays ryu's text out anew: `1.0` as `1`, `1.5e17` as `150000000000000000`, `1e-6` as `0.000001`.
fn layout(text: &str, out: &mut Vec<u8>) {
    let Some((mantissa, exponent)) = text.split_once('e') else {
        out.extend_from_slice(text.strip_suffix(".0").unwrap_or(text).as_bytes());
        return;
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if !(-6..21).contains(&exponent) {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    out.extend_from_slice(sign.as_bytes());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = whole.len() + fraction.len();
    if exponent < 0 {
        out.extend_from_slice(b"0.");
        out.extend(std::iter::repeat_n(b'0', (-exponent - 1) as usize));
        out.extend_from_slice(whole.as_bytes());
        out.extend_from_slice(fraction.as_bytes());
    } else {
        let before = exponent as usize + 1;
        let fraction = fraction.as_bytes();
        out.extend_from_slice(whole.as_bytes());
        if digits <= before {
            out.extend_from_slice(fraction);
            out.extend(std::iter::repeat_n(b'0', before - digits));
        } else {
            out.extend_from_slice(&fraction[..before - 1]);
            out.push(b'.');
            out.extend_from_slice(&fraction[before - 1..]);
        }
    }
}

/// A decimal of that many digits after the point: `1.5` for 150 of scale 2.
pub fn write_decimal(value: i128, scale: u8, out: &mut Vec<u8>) {
    let mut buffer = itoa::Buffer::new();
    point(buffer.format(value.unsigned_abs()).as_bytes(), value < 0, scale, out);
}

/// Adds the zeros that the text of a decimal has been left without: `1.5` becomes `1.50` at scale 2. `from`: where it begins.
pub(super) fn fill_up(from: usize, scale: u8, out: &mut Vec<u8>) {
    let there = memchr::memchr(b'.', &out[from..]).map(|point| out.len() - from - point - 1);
    if there.is_none() && scale > 0 {
        out.push(b'.');
    }
    out.extend(std::iter::repeat_n(b'0', usize::from(scale).saturating_sub(there.unwrap_or(0))));
}

/// Ends the text of a number with a point where it has none: `2` becomes `2.`. `from`: where it begins.
pub(super) fn end_with_point(from: usize, out: &mut Vec<u8>) {
    if out[from..].iter().all(|byte| byte.is_ascii_digit() || *byte == b'-') {
        out.push(b'.');
    }
}

/// From this on, and below `EXPONENT_BELOW`, ClickHouse has no plain form of a float that is to have few digits.
const PLAIN_BELOW: f64 = 1e60;
const EXPONENT_BELOW: f64 = 1e-6;
const EXPONENT_FROM: f64 = 1e21;

/// Gives a float no more than that many digits after the point. `from`: where its shortest text begins in `out`. A text that is
/// short enough stays; else the digits are those of the float itself, halves being rounded away from zero.
pub(super) fn round_to(value: f64, precision: usize, from: usize, out: &mut Vec<u8>) {
    let size = value.abs();
    if !value.is_finite() || size >= PLAIN_BELOW {
        return;
    }
    if size >= EXPONENT_FROM {
        out.truncate(from);
        out.extend_from_slice(format!("{value:.0}").as_bytes());
        return;
    }
    let digits = decimals(&out[from..]);
    if digits > precision {
        if size >= EXPONENT_BELOW {
            out.truncate(from);
            let text = with_decimals(value, precision);
            out.extend_from_slice(text.trim_end_matches('0').trim_end_matches('.').as_bytes());
        }
    } else if out[from..].contains(&b'e') {
        out.truncate(from);
        out.extend_from_slice(format!("{value:.digits$}").as_bytes());
    }
}

/// Digits after the point of a float's text, were it written without an exponent.
fn decimals(text: &[u8]) -> usize {
    let mantissa = text.split(|byte| *byte == b'e').next().unwrap_or(text);
    let fraction = memchr::memchr(b'.', mantissa).map_or(0, |point| mantissa.len() - point - 1);
    let exponent = text.get(mantissa.len() + 2..).and_then(|digits| std::str::from_utf8(digits).ok());
    fraction + exponent.and_then(|digits| digits.parse::<usize>().ok()).unwrap_or(0)
}

pub fn write_decimal256(value: i256, scale: u8, out: &mut Vec<u8>) {
    if let Some(small) = value.to_i128() {
        return write_decimal(small, scale, out);
    }
    let mut digits = Vec::with_capacity(80);
    wide::write(value, false, &mut digits);
    let negative = digits.first() == Some(&b'-');
    point(&digits[usize::from(negative)..], negative, scale, out);
}

fn point(digits: &[u8], negative: bool, scale: u8, out: &mut Vec<u8>) {
    if negative {
        out.push(b'-');
    }
    let scale = usize::from(scale);
    let (whole, fraction) = digits.split_at(digits.len().saturating_sub(scale));
    out.extend_from_slice(if whole.is_empty() { b"0" } else { whole });
    let used = fraction.iter().rposition(|digit| *digit != b'0').map_or(0, |last| last + 1);
    if used > 0 {
        out.push(b'.');
        out.extend(std::iter::repeat_n(b'0', scale - fraction.len()));
        out.extend_from_slice(&fraction[..used]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f64_text(value: f64) -> String {
        let mut out = Vec::new();
        write_f64(value, &mut out);
        String::from_utf8(out).unwrap_or_default()
    }

    #[test]
    fn floats_as_clickhouse_writes_them() {
        for (value, text) in [
            (1e20, "100000000000000000000"),
            (1e21, "1e21"),
            (123456789012345678901234., "1.2345678901234569e23"),
            (1e-5, "0.00001"),
            (1e-6, "0.000001"),
            (1.5e-6, "0.0000015"),
            (1e-7, "1e-7"),
            (0.0001, "0.0001"),
            (1.5e300, "1.5e300"),
            (-0.0, "-0"),
            (-1.25e17, "-125000000000000000"),
            (f64::NAN, "nan"),
            (f64::NEG_INFINITY, "-inf"),
            (0.1, "0.1"),
            (12345.678, "12345.678"),
        ] {
            assert_eq!(f64_text(value), text);
        }
        let mut out = Vec::new();
        write_f32(1e20, &mut out);
        write_f32(0.1, &mut out);
        assert_eq!(out, b"1000000000000000000000.1");
    }

    #[test]
    fn decimals_may_keep_their_zeros() {
        for (value, scale, text) in
            [(150, 2, "1.50"), (0, 2, "0.00"), (-5, 0, "-5"), (100, 3, "0.100"), (-1000, 3, "-1.000")]
        {
            let mut out = b"x".to_vec();
            write_decimal(value, scale, &mut out);
            fill_up(1, scale, &mut out);
            assert_eq!(String::from_utf8_lossy(&out[1..]), text);
        }
    }

    #[test]
    fn decimals_lose_the_zeros_at_their_end() {
        let text = |value, scale| {
            let mut out = Vec::new();
            write_decimal(value, scale, &mut out);
            String::from_utf8(out).unwrap_or_default()
        };
        assert_eq!(text(150, 2), "1.5");
        assert_eq!(text(-500, 4), "-0.05");
        assert_eq!(text(100, 2), "1");
        assert_eq!(text(0, 3), "0");
        assert_eq!(text(7, 0), "7");
    }

    proptest::proptest! {
        #[test]
        fn floats_read_back_as_themselves(bits: u64) {
            let value = f64::from_bits(bits);
            if value.is_finite() {
                proptest::prop_assert_eq!(f64_text(value).parse::<f64>().ok(), Some(value));
            }
        }
    }
}
