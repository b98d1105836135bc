//! T64: numbers of which 64 at a time are turned into a matrix of bits without the high bits that all have in common.
//!
//! Least and greatest number come first: they tell how many low bits differ. Of each 64 numbers these bits are written, byte
//! by byte: all lowest bytes, then the next ones, … The bits of the last byte, if only some of it differ, are written bit by
//! bit: 64 bits of each place. The variant `bit` writes all bits so.

const NUMBERS: usize = 64;

/// Bits from the lowest to the highest that differ.
fn valuable_bits(least: u64, most: u64, signed: bool) -> u32 {
    let differing = |a: u64, b: u64| 64 - (a ^ b).leading_zeros();
    let (low, high) = (least as i64, most as i64);
    if signed && low < 0 && high >= 0 {
        let farthest = if low + high >= 0 { high } else { !low };
        return differing(0, farthest as u64) + 1;
    }
    differing(least, most)
}

/// Bit `bit` of the numbers' byte `byte`, 64 bits of it.
fn line(numbers: &[u64], byte: usize, bit: usize) -> u64 {
    numbers.iter().enumerate().fold(0, |line, (place, number)| line | (number >> (8 * byte + bit) & 1) << place)
}

fn block(numbers: &[u64], bits: usize, all_bits: bool, out: &mut Vec<u8>) {
    let (full, part) = (bits / 8, bits % 8);
    for byte in 0..full {
        if all_bits {
            (0..8).for_each(|bit| out.extend_from_slice(&line(numbers, byte, bit).to_le_bytes()));
        } else {
            out.extend(numbers.iter().map(|number| (number >> (8 * byte)) as u8));
            out.resize(out.len() + NUMBERS - numbers.len(), 0);
        }
    }
    (0..part).for_each(|bit| out.extend_from_slice(&line(numbers, full, bit).to_le_bytes()));
}

/// `width`: bytes of a number, up to 8; `mark` stands before all and tells the type.
pub fn t64(bytes: &[u8], width: usize, signed: bool, all_bits: bool, mark: u8) -> Vec<u8> {
    let (before, whole) = bytes.split_at(bytes.len() % width);
    let mut out = vec![mark];
    out.extend_from_slice(before);
    let unused = 64 - 8 * width as u32;
    let numbers = whole.chunks_exact(width).map(|piece| {
        let mut wide = [0; 8];
        wide[..piece.len()].copy_from_slice(piece);
        let number = u64::from_le_bytes(wide);
        if signed { ((number << unused) as i64 >> unused) as u64 } else { number }
    });
    let numbers: Vec<u64> = numbers.collect();
    let ordered = |number: &u64| if signed { *number ^ 1 << 63 } else { *number };
    let (Some(least), Some(most)) =
        (numbers.iter().copied().min_by_key(ordered), numbers.iter().copied().max_by_key(ordered))
    else {
        return out;
    };
    out.extend_from_slice(&least.to_le_bytes());
    out.extend_from_slice(&most.to_le_bytes());
    let bits = valuable_bits(least, most, signed);
    if bits > 0 {
        numbers.chunks(NUMBERS).for_each(|numbers| block(numbers, bits as usize, all_bits, &mut out));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_bits_that_differ_are_written() {
        let bytes: Vec<u8> = (0..128u32).flat_map(|i| ((1 << 20) | (i % 8)).to_le_bytes()).collect();
        // Least, greatest, and three bits of twice 64 numbers.
        assert_eq!(t64(&bytes, 4, false, false, 9).len(), 1 + 16 + 2 * 3 * 8);
        let same: Vec<u8> = [7u32; 100].iter().flat_map(|number| number.to_le_bytes()).collect();
        assert_eq!(t64(&same, 4, false, false, 9).len(), 1 + 16);
    }

    #[test]
    fn a_sign_takes_a_bit() {
        assert_eq!(valuable_bits(-500i64 as u64, 499, true), 10);
        assert_eq!(valuable_bits(-3i64 as u64, -1i64 as u64, true), 2);
        assert_eq!(valuable_bits(i64::MIN as u64, i64::MAX as u64, true), 64);
    }
}
