//! Arithmetic that `i256` itself does not have: wrapping to 128 or 256 bits with or without a sign, decimal text, floats.
//!
//! Int128, UInt128, Int256 and UInt256 are carried as the raw 256 bits of an `i256`. A UInt256 from 2^255 on looks negative
//! there; only its `SqlType` says that it is not.

use arrow::datatypes::i256;

/// What is left of a value in that many bits: what C's casts do.
pub fn wrap(value: i256, bits: u16, signed: bool) -> i256 {
    if bits >= 256 {
        return value;
    }
    let (low, _) = value.to_parts();
    if bits == 128 {
        return if signed { i256::from_i128(low as i128) } else { i256::from_parts(low, 0) };
    }
    let mask = (1u128 << bits) - 1;
    let low = low & mask;
    if signed && low >> (bits - 1) == 1 { i256::from_i128((low | !mask) as i128) } else { i256::from_parts(low, 0) }
}

/// The largest value of 128 or 256 bits, as it is carried.
pub fn largest(bits: u16, signed: bool) -> i256 {
    match (bits, signed) {
        (256, true) => i256::MAX,
        (256, false) => i256::MINUS_ONE,
        (_, true) => i256::from_i128(i128::MAX),
        (_, false) => i256::from_parts(u128::MAX, 0),
    }
}

/// Whether a value (`unsigned`: its 256 bits read without a sign) lies in an integer type's range.
pub fn fits(value: i256, unsigned: bool, bits: u16, signed: bool) -> bool {
    let (low, high) = value.to_parts();
    if unsigned && high < 0 {
        return bits == 256 && !signed;
    }
    match (bits, signed) {
        (256, true) => true,
        (256, false) => high >= 0,
        (128, true) => value.to_i128().is_some(),
        (128, false) => high == 0,
        (bits, true) => value.to_i128().is_some_and(|v| v >= -(1i128 << (bits - 1)) && v < 1i128 << (bits - 1)),
        (bits, false) => high == 0 && low < 1u128 << bits,
    }
}

/// Appends it in decimal.
pub fn write(value: i256, unsigned: bool, out: &mut Vec<u8>) {
    if (!unsigned || !value.is_negative())
        && let Some(small) = value.to_i128()
    {
        out.extend_from_slice(itoa::Buffer::new().format(small).as_bytes());
        return;
    }
    let negative = !unsigned && value.is_negative();
    let magnitude = if negative { value.wrapping_neg() } else { value };
    if negative {
        out.push(b'-');
    }
    // Digits come in groups of 19 by dividing four 64-bit limbs, from the lowest group up.
    const GROUP: u64 = 10_000_000_000_000_000_000;
    let bytes = magnitude.to_be_bytes();
    let mut limbs = [0u64; 4];
    for (limb, chunk) in limbs.iter_mut().zip(bytes.as_chunks::<8>().0) {
        *limb = u64::from_be_bytes(*chunk);
    }
    let mut groups = [0u64; 5];
    let mut used = 0;
    while limbs.iter().any(|limb| *limb != 0) {
        let mut rest = 0u128;
        for limb in &mut limbs {
            let part = (rest << 64) | u128::from(*limb);
            *limb = (part / u128::from(GROUP)) as u64;
            rest = part % u128::from(GROUP);
        }
        groups[used] = rest as u64;
        used += 1;
    }
    for (i, group) in groups[..used].iter().rev().enumerate() {
        let mut buffer = itoa::Buffer::new();
        let digits = buffer.format(*group).as_bytes();
        if i > 0 {
            out.extend(std::iter::repeat_n(b'0', 19 - digits.len()));
        }
        out.extend_from_slice(digits);
    }
}

/// The nearest float.
pub fn to_f64(value: i256, unsigned: bool) -> f64 {
    if !unsigned && value.is_negative() {
        return -to_f64(value.wrapping_neg(), true);
    }
    let (low, high) = value.to_parts();
    (high as u128) as f64 * 2f64.powi(128) + low as f64
}

/// Towards zero; bits beyond 256 are lost. `None` for infinities and NaN.
pub fn from_f64(value: f64) -> Option<i256> {
    if !value.is_finite() {
        return None;
    }
    let magnitude = value.abs().trunc();
    if magnitude < 2f64.powi(127) {
        return Some(i256::from_i128(value as i128));
    }
    // The value is mantissa · 2^exponent with an exponent above zero here.
    let bits = magnitude.to_bits();
    let mantissa = (bits & ((1 << 52) - 1)) | (1 << 52);
    let exponent = ((bits >> 52) & 0x7FF) as i32 - 1075;
    let shifted = if exponent >= 256 { i256::ZERO } else { i256::from_i128(i128::from(mantissa)) << exponent as u8 };
    Some(if value < 0.0 { shifted.wrapping_neg() } else { shifted })
}

/// 10^exponent, for exponents up to 76.
pub fn ten_to(exponent: u32) -> i256 {
    i256::from_i128(10).wrapping_pow(exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: i256, unsigned: bool) -> String {
        let mut out = Vec::new();
        write(value, unsigned, &mut out);
        String::from_utf8(out).unwrap_or_default()
    }

    #[test]
    fn decimal_text() {
        let all_ones = i256::MINUS_ONE;
        assert_eq!(text(all_ones, false), "-1");
        assert_eq!(text(all_ones, true), "115792089237316195423570985008687907853269984665640564039457584007913129639935");
        assert_eq!(text(i256::MIN, false), "-57896044618658097711785492504343953926634992332820282019728792003956564819968");
        assert_eq!(text(ten_to(57), false), format!("1{}", "0".repeat(57)));
    }

    #[test]
    fn wrapping_keeps_the_low_bits() {
        assert_eq!(wrap(i256::MINUS_ONE, 128, false), i256::from_parts(u128::MAX, 0));
        assert_eq!(wrap(i256::from_parts(u128::MAX, 0), 128, true), i256::MINUS_ONE);
        assert_eq!(wrap(i256::from_i128(300), 8, false), i256::from_i128(44));
        assert_eq!(wrap(i256::from_i128(200), 8, true), i256::from_i128(-56));
    }

    #[test]
    fn floats_to_integers_and_back() {
        for value in [0.0, 1.9, -1.9, 1e30, -1e30, 1e50, -1e70] {
            let back = to_f64(from_f64(value).unwrap_or_default(), false);
            assert!((back - value.trunc()).abs() <= value.abs() * 1e-15, "{value} gave {back}");
        }
    }
}
