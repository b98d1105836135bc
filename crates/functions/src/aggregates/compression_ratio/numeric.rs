//! Codecs of numbers that write as many bytes or bits of each, in the bytes that ClickHouse writes.
//!
//! All begin with the width of a number and how many bytes stand before the first whole one. Delta has the differences of
//! neighbours, GCD what is left when all are divided by what divides them all. DoubleDelta has the difference of differences
//! in one of five lengths, each behind a prefix of its own; Gorilla the bits in which neighbours differ, within the window of
//! bits that the one before had where they fit into it.

use super::bits::BitWriter;

/// What stands before the numbers, the bytes before the first whole one included, and the numbers.
fn opened(bytes: &[u8], width: usize) -> (Vec<u8>, impl Iterator<Item = u64> + Clone) {
    let (before, whole) = bytes.split_at(bytes.len() % width);
    let mut out = Vec::with_capacity(bytes.len() + 16);
    out.extend_from_slice(&[width as u8, before.len() as u8]);
    out.extend_from_slice(before);
    let numbers = whole.chunks_exact(width).map(|piece| {
        let mut wide = [0; 8];
        wide[..piece.len()].copy_from_slice(piece);
        u64::from_le_bytes(wide)
    });
    (out, numbers)
}

/// `width`: bytes of a number, up to 8, as in the others.
pub fn delta(bytes: &[u8], width: usize) -> Vec<u8> {
    let (mut out, numbers) = opened(bytes, width);
    let mut before = 0u64;
    for number in numbers {
        out.extend_from_slice(&number.wrapping_sub(before).to_le_bytes()[..width]);
        before = number;
    }
    out
}

fn common_divisor(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

pub fn gcd(bytes: &[u8], width: usize) -> Vec<u8> {
    let (mut out, numbers) = opened(bytes, width);
    let divisor = numbers.clone().fold(0, common_divisor);
    out.extend_from_slice(&divisor.to_le_bytes()[..width]);
    for number in numbers {
        out.extend_from_slice(&number.checked_div(divisor).unwrap_or(0).to_le_bytes()[..width]);
    }
    out
}

/// A number of `width` bytes with its sign.
fn signed(number: u64, width: usize) -> i64 {
    let unused = 64 - 8 * width as u32;
    (number << unused) as i64 >> unused
}

/// The prefix of a difference, its bits, and the bits of sign and value behind it.
fn length_of(difference: i64) -> (u64, u32, u32) {
    match difference {
        -62..=63 => (0b10, 2, 7),
        -254..=255 => (0b110, 3, 9),
        -2046..=2047 => (0b1110, 4, 12),
        _ if difference > i64::from(i32::MIN) && difference < i64::from(i32::MAX) => (0b11110, 5, 32),
        _ => (0b11111, 5, 64),
    }
}

pub fn double_delta(bytes: &[u8], width: usize) -> Vec<u8> {
    let (mut out, mut numbers) = opened(bytes, width);
    out.extend_from_slice(&((bytes.len() / width) as u32).to_le_bytes());
    let Some(mut before) = numbers.next() else { return out };
    out.extend_from_slice(&before.to_le_bytes()[..width]);
    let Some(second) = numbers.next() else { return out };
    let mut delta = second.wrapping_sub(before);
    out.extend_from_slice(&delta.to_le_bytes()[..width]);
    before = second;
    let mut writer = BitWriter::default();
    for number in numbers {
        let now = number.wrapping_sub(before);
        let difference = signed(now.wrapping_sub(delta), width);
        (before, delta) = (number, now);
        if difference == 0 {
            writer.write(1, 0);
            continue;
        }
        let (prefix, prefix_bits, bits) = length_of(difference);
        writer.write(prefix_bits, prefix);
        writer.write(1, u64::from(difference < 0));
        writer.write(bits - 1, difference.unsigned_abs() - 1);
    }
    out.extend(writer.finish());
    out
}

pub fn gorilla(bytes: &[u8], width: usize) -> Vec<u8> {
    let (mut out, mut numbers) = opened(bytes, width);
    out.extend_from_slice(&((bytes.len() / width) as u32).to_le_bytes());
    let Some(mut before) = numbers.next() else { return out };
    out.extend_from_slice(&before.to_le_bytes()[..width]);
    let all_bits = 8 * width as u32;
    // Bits of the length of a window: one more than those of the zeroes before it.
    let length_bits = all_bits.ilog2() + 1;
    // Zero bits before and behind the window, and its own.
    let mut window: Option<(u32, u32, u32)> = None;
    let mut writer = BitWriter::default();
    for number in numbers {
        let difference = number ^ before;
        before = number;
        if difference == 0 {
            writer.write(1, 0);
            continue;
        }
        let (leading, trailing) = (difference.leading_zeros() - (64 - all_bits), difference.trailing_zeros());
        match window {
            Some((known_leading, known_trailing, bits)) if known_leading <= leading && known_trailing <= trailing => {
                writer.write(2, 0b10);
                writer.write(bits, difference >> known_trailing);
            }
            _ => {
                let bits = all_bits - leading - trailing;
                writer.write(2, 0b11);
                writer.write(length_bits - 1, u64::from(leading));
                writer.write(length_bits, u64::from(bits));
                writer.write(bits, difference >> trailing);
                window = Some((leading, trailing, bits));
            }
        }
    }
    out.extend(writer.finish());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes_of(numbers: &[u32]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    #[test]
    fn neighbours_are_subtracted_and_all_are_divided() {
        assert_eq!(delta(&bytes_of(&[10, 13, 12]), 4), [&[4, 0][..], &bytes_of(&[10, 3, u32::MAX])].concat());
        assert_eq!(gcd(&bytes_of(&[12, 18, 0]), 4), [&[4, 0][..], &bytes_of(&[6, 2, 3, 0])].concat());
        assert_eq!(delta(&[7, 1, 0, 3, 0], 2), [2, 1, 7, 1, 0, 2, 0]);
    }

    #[test]
    fn a_steady_series_costs_a_bit_a_number() {
        let numbers: Vec<u32> = (0..18).map(|i| 100 + 5 * i).collect();
        let packed = double_delta(&bytes_of(&numbers), 4);
        assert_eq!(packed, [&[4, 0, 18, 0, 0, 0][..], &bytes_of(&[100, 5]), &[0, 0]].concat());
    }

    #[test]
    fn gorilla_writes_what_its_paper_says() {
        // 0.1, 0.1, 0.11, 0.2, 0.1 as floats of 32 bits.
        let numbers = [0.1f32, 0.1, 0.11, 0.2, 0.1].map(f32::to_bits);
        let expected = [0x6a, 0x5a, 0xd8, 0xb6, 0x3c, 0xcd, 0x75, 0xb1, 0x6c, 0x77];
        let packed = gorilla(&bytes_of(&numbers), 4);
        assert_eq!(packed[..10], [4, 0, 5, 0, 0, 0, 0xcd, 0xcc, 0xcc, 0x3d]);
        assert_eq!(packed[10..20], expected);
    }
}
