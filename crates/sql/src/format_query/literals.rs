//! Constants and names as ClickHouse writes them.

use gristmill_types::sql_type::quote;

/// A number's digits in its shortest form: whole ones without a point, others as Float64. `None`: no number.
pub(super) fn number(written: &str) -> Option<String> {
    let digits = written.replace('_', "");
    let lower = digits.to_ascii_lowercase();
    for (prefix, radix) in [("0x", 16), ("0b", 2)] {
        if let Some(rest) = lower.strip_prefix(prefix) {
            return u128::from_str_radix(rest, radix).ok().map(|value| value.to_string());
        }
    }
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        // What 64 bits do not hold is a Float64.
        let whole = digits.parse::<u64>().ok().map(|value| value.to_string());
        return whole.or_else(|| digits.parse().ok().map(float));
    }
    digits.parse().ok().map(float)
}

/// The shortest digits that mean the value; with an exponent where it is very small or large.
fn float(value: f64) -> String {
    if value == 0.0 {
        return "0.".to_string();
    }
    let text = format!("{value:e}");
    let Some((mantissa, exponent)) = text.split_once('e') else { return text };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if !(-6..21).contains(&exponent) {
        return text;
    }
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    if exponent < 0 {
        return format!("0.{}{digits}", "0".repeat((-exponent - 1) as usize));
    }
    let whole = exponent as usize + 1;
    if digits.len() <= whole {
        return format!("{digits}{}.", "0".repeat(whole - digits.len()));
    }
    format!("{}.{}", &digits[..whole], &digits[whole..])
}

/// A text in quotes, of what stood between quotes.
pub(super) fn text(raw: &str) -> String {
    quote(&String::from_utf8_lossy(&crate::ast::unescape(raw)))
}

/// `x'4142'`, `b'0101'`
pub(super) fn bits(digits: &str, radix_bits: usize) -> String {
    let radix = 1 << radix_bits;
    let per_byte = 8 / radix_bits;
    let padded = format!("{}{digits}", "0".repeat((per_byte - digits.len() % per_byte) % per_byte));
    let bytes: Vec<u8> = padded
        .as_bytes()
        .chunks(per_byte)
        .filter_map(|byte| u8::from_str_radix(std::str::from_utf8(byte).ok()?, radix).ok())
        .collect();
    quote(&String::from_utf8_lossy(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_as_short_as_they_can_be() {
        for (written, expected) in [
            ("1_000", "1000"),
            ("0xFF", "255"),
            ("1.0", "1."),
            (".5", "0.5"),
            ("1e20", "100000000000000000000."),
            ("1e21", "1e21"),
            ("1e-7", "1e-7"),
            ("1e-5", "0.00001"),
            ("123456789012345678901234567890", "1.2345678901234568e29"),
        ] {
            assert_eq!(number(written).as_deref(), Some(expected));
        }
        assert_eq!(bits("41", 4), "'A'");
    }
}
