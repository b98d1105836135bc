//! wyhash (its fourth final version), with the seed 0.

use super::words::{word32, word64};

const SECRET: [u64; 4] = [0xa076_1d64_78bd_642f, 0xe703_7ed1_a0b4_28db, 0x8ebc_6af0_9c88_c6e3, 0x5899_65cc_7537_4cc3];

/// The halves of the product of 128 bits, one upon the other.
fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

pub fn wy_64(bytes: &[u8]) -> u64 {
    let length = bytes.len();
    let mut seed = SECRET[0];
    let (a, b) = match length {
        0 => (0, 0),
        1..=3 => {
            let [first, middle, last] = [bytes[0], bytes[length / 2], bytes[length - 1]].map(u64::from);
            (first << 16 | middle << 8 | last, 0)
        }
        4..=16 => {
            let shift = length / 8 * 4;
            (
                word32(bytes, 0) << 32 | word32(bytes, shift),
                word32(bytes, length - 4) << 32 | word32(bytes, length - 4 - shift),
            )
        }
        _ => {
            let mut rest = bytes;
            if rest.len() > 48 {
                let (mut second, mut third) = (seed, seed);
                while rest.len() > 48 {
                    seed = mix(word64(rest, 0) ^ SECRET[1], word64(rest, 8) ^ seed);
                    second = mix(word64(rest, 16) ^ SECRET[2], word64(rest, 24) ^ second);
                    third = mix(word64(rest, 32) ^ SECRET[3], word64(rest, 40) ^ third);
                    rest = &rest[48..];
                }
                seed ^= second ^ third;
            }
            while rest.len() > 16 {
                seed = mix(word64(rest, 0) ^ SECRET[1], word64(rest, 8) ^ seed);
                rest = &rest[16..];
            }
            (word64(bytes, length - 16), word64(bytes, length - 8))
        }
    };
    mix(SECRET[1] ^ length as u64, mix(a ^ SECRET[1], b ^ seed))
}
