//! Integers of 128 and 256 bits. All are carried as 256-bit integers; the narrower wrap at their own width, and UInt256
//! uses the sign bit as a value bit, so its order and division are unsigned.

use SqlType as T;
use arrow::datatypes::i256;
use gristmill_types::SqlType;

pub fn is_wide(kind: &SqlType) -> bool {
    kind.integer_bits().is_some_and(|(bits, _)| bits > 64)
}

/// `value` cut to the width of `kind`.
#[inline]
pub fn wrap(kind: &SqlType, value: i256) -> i256 {
    let (low, _) = value.to_parts();
    match kind.plain() {
        T::Int128 => i256::from_i128(low as i128),
        T::UInt128 => i256::from_parts(low, 0),
        _ => value,
    }
}

fn is_unsigned_256(kind: &SqlType) -> bool {
    *kind.plain() == T::UInt256
}

/// Quotient and remainder, truncated toward zero. `None` for a zero divisor.
pub fn divide(kind: &SqlType, a: i256, b: i256) -> Option<(i256, i256)> {
    if b == i256::ZERO {
        return None;
    }
    if is_unsigned_256(kind) && (a.is_negative() || b.is_negative()) {
        return Some(divide_unsigned(a, b));
    }
    let quotient = a.wrapping_div(b);
    Some((quotient, a.wrapping_sub(quotient.wrapping_mul(b))))
}

fn unsigned_key(value: i256) -> (u128, u128) {
    let (low, high) = value.to_parts();
    (high as u128, low)
}

/// Long division bit by bit, for the values of UInt256 that have the highest bit set.
fn divide_unsigned(a: i256, b: i256) -> (i256, i256) {
    let (mut quotient, mut rest) = (i256::ZERO, i256::ZERO);
    let one = i256::ONE;
    for bit in (0..=255u8).rev() {
        let carried = rest.is_negative();
        rest = (rest << 1) | (logical_shift_right(a, bit) & one);
        if carried || unsigned_key(rest) >= unsigned_key(b) {
            rest = rest.wrapping_sub(b);
            quotient = quotient | (one << bit);
        }
    }
    (quotient, rest)
}

pub fn logical_shift_right(value: i256, by: u8) -> i256 {
    if by == 0 {
        return value;
    }
    let (low, high) = value.to_parts();
    let high = high as u128;
    if by >= 128 {
        return i256::from_parts(if by == 128 { high } else { high >> (by - 128) }, 0);
    }
    i256::from_parts((low >> by) | (high << (128 - by)), (high >> by) as i128)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_bit_of_uint256_is_a_value_bit() {
        let all_ones = i256::MINUS_ONE;
        let two = i256::from_i128(2);
        let (quotient, rest) = divide(&T::UInt256, all_ones, two).expect("no zero");
        assert_eq!((quotient, rest), (i256::MAX, i256::ONE));
        assert!(less(&T::UInt256, i256::MAX, all_ones));
        let (quotient, rest) = divide(&T::UInt256, i256::MAX, all_ones).expect("no zero");
        assert_eq!((quotient, rest), (i256::ZERO, i256::MAX));
    }
}
