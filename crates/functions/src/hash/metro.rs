//! MetroHash64, its first variant, with the seed 0.

use super::words::{word32, word64};

const K: [u64; 4] = [0xC83A_91E1, 0x8648_DBDB, 0x7BDE_C03B, 0x2F58_70A5];

/// `a + b * c`
fn add_product(a: u64, b: u64, c: u64) -> u64 {
    a.wrapping_add(b.wrapping_mul(c))
}

fn turned(value: u64, by: u32, times: u64) -> u64 {
    value.rotate_right(by).wrapping_mul(times)
}

pub fn metro_64(bytes: &[u8]) -> u64 {
    let mut hash = K[2].wrapping_mul(K[0]).wrapping_add(bytes.len() as u64);
    let mut rest = bytes;
    if rest.len() >= 32 {
        let mut v = [hash; 4];
        while rest.len() >= 32 {
            for i in 0..4 {
                v[i] = add_product(v[i], word64(rest, 8 * i), K[i]).rotate_right(29).wrapping_add(v[(i + 2) % 4]);
            }
            rest = &rest[32..];
        }
        v[2] ^= turned(add_product(v[1], v[0].wrapping_add(v[3]), K[0]), 33, K[1]);
        v[3] ^= turned(add_product(v[0], v[1].wrapping_add(v[2]), K[1]), 33, K[0]);
        v[0] ^= turned(add_product(v[3], v[0].wrapping_add(v[2]), K[0]), 33, K[1]);
        v[1] ^= turned(add_product(v[2], v[1].wrapping_add(v[3]), K[1]), 33, K[0]);
        hash = hash.wrapping_add(v[0] ^ v[1]);
    }
    if rest.len() >= 16 {
        let mut a = turned(add_product(hash, word64(rest, 0), K[0]), 33, K[1]);
        let mut b = turned(add_product(hash, word64(rest, 8), K[1]), 33, K[2]);
        a ^= a.wrapping_mul(K[0]).rotate_right(35).wrapping_add(b);
        b ^= b.wrapping_mul(K[3]).rotate_right(35).wrapping_add(a);
        hash = hash.wrapping_add(b);
        rest = &rest[16..];
    }
    let mut mix = |word: u64, by: u32| {
        hash = add_product(hash, word, K[3]);
        hash ^= turned(hash, by, K[1]);
    };
    if rest.len() >= 8 {
        mix(word64(rest, 0), 33);
        rest = &rest[8..];
    }
    if rest.len() >= 4 {
        mix(word32(rest, 0), 15);
        rest = &rest[4..];
    }
    if let [low, high, ..] = rest {
        mix(u64::from(u16::from_le_bytes([*low, *high])), 13);
        rest = &rest[2..];
    }
    if let [byte] = rest {
        mix(u64::from(*byte), 25);
    }
    hash ^= hash.rotate_right(33);
    hash = hash.wrapping_mul(K[0]);
    hash ^ hash.rotate_right(33)
}
