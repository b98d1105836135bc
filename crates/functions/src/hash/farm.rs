//! FarmHash of 64 bits: the fingerprint, which is one for all machines, and the hash, which takes other ways for longer
//! texts. (From 512 bytes on ClickHouse's hash is made with instructions of the processor, and is not written here.)

use super::words::{word32, word64};

const K0: u64 = 0xc3a5_c85c_97cb_3127;
const K1: u64 = 0xb492_b66f_be98_f273;
const K2: u64 = 0x9ae1_6a3b_2f90_404f;

/// Texts of this many bytes and more `hash` does not know.
pub const HASH_BYTES_END: usize = 512;

/// Sum of any number of words.
macro_rules! sum {
    ($first:expr $(, $next:expr)*) => { $first$(.wrapping_add($next))* };
}

fn shift_mix(value: u64) -> u64 {
    value ^ (value >> 47)
}

fn pair(u: u64, v: u64, by: u64) -> u64 {
    let a = shift_mix((u ^ v).wrapping_mul(by));
    shift_mix((v ^ a).wrapping_mul(by)).wrapping_mul(by)
}

fn weak(s: &[u8], at: usize, a: u64, b: u64) -> (u64, u64) {
    let [w, x, y, z] = [0, 8, 16, 24].map(|step| word64(s, at + step));
    let a = sum!(a, w);
    let b = sum!(b, a, z).rotate_right(21);
    let c = a;
    let a = sum!(a, x, y);
    let b = sum!(b, a.rotate_right(44));
    (sum!(a, z), sum!(b, c))
}

fn up_to_16(s: &[u8]) -> u64 {
    let length = s.len();
    let by = sum!(K2, length as u64 * 2);
    match length {
        8.. => {
            let (a, b) = (sum!(word64(s, 0), K2), word64(s, length - 8));
            let c = sum!(b.rotate_right(37).wrapping_mul(by), a);
            let d = sum!(a.rotate_right(25), b).wrapping_mul(by);
            pair(c, d, by)
        }
        4..=7 => pair(sum!(length as u64, word32(s, 0) << 3), word32(s, length - 4), by),
        1..=3 => {
            let [a, b, c] = [s[0], s[length / 2], s[length - 1]].map(u64::from);
            let (y, z) = (a + (b << 8), length as u64 + (c << 2));
            shift_mix(y.wrapping_mul(K2) ^ z.wrapping_mul(K0)).wrapping_mul(K2)
        }
        _ => K2,
    }
}

fn up_to_32(s: &[u8]) -> u64 {
    let length = s.len();
    let by = sum!(K2, length as u64 * 2);
    let (a, b) = (word64(s, 0).wrapping_mul(K1), word64(s, 8));
    let (c, d) = (word64(s, length - 8).wrapping_mul(by), word64(s, length - 16).wrapping_mul(K2));
    pair(sum!(sum!(a, b).rotate_right(43), c.rotate_right(30), d), sum!(a, sum!(b, K2).rotate_right(18), c), by)
}

fn fingerprint_up_to_64(s: &[u8]) -> u64 {
    let length = s.len();
    let by = sum!(K2, length as u64 * 2);
    let (a, b) = (word64(s, 0).wrapping_mul(K2), word64(s, 8));
    let (c, d) = (word64(s, length - 8).wrapping_mul(by), word64(s, length - 16).wrapping_mul(K2));
    let y = sum!(sum!(a, b).rotate_right(43), c.rotate_right(30), d);
    let z = pair(y, sum!(a, sum!(b, K2).rotate_right(18), c), by);
    let (e, f) = (word64(s, 16).wrapping_mul(by), word64(s, 24));
    let g = sum!(y, word64(s, length - 32)).wrapping_mul(by);
    let h = sum!(z, word64(s, length - 24)).wrapping_mul(by);
    pair(sum!(sum!(e, f).rotate_right(43), g.rotate_right(30), h), sum!(e, sum!(f, a).rotate_right(18), g), by)
}

/// Where the last 64 bytes begin, and the beginning of the last block of 64 that is not empty.
fn ends(length: usize) -> (usize, usize) {
    ((length - 1) / 64 * 64, length - 64)
}

/// Two fingerprints as one.
pub fn fingerprint_16(low: u64, high: u64) -> u64 {
    const MUL: u64 = 0x9ddf_ea08_eb38_2d69;
    let a = (low ^ high).wrapping_mul(MUL);
    let a = a ^ (a >> 47);
    let b = (high ^ a).wrapping_mul(MUL);
    let b = (b ^ (b >> 44)).wrapping_mul(MUL);
    (b ^ (b >> 41)).wrapping_mul(MUL)
}

pub fn fingerprint(s: &[u8]) -> u64 {
    match s.len() {
        0..=16 => return up_to_16(s),
        17..=32 => return up_to_32(s),
        33..=64 => return fingerprint_up_to_64(s),
        _ => {}
    }
    let mut x = 81u64;
    let mut y = sum!(x.wrapping_mul(K1), 113);
    let mut z = shift_mix(sum!(y.wrapping_mul(K2), 113)).wrapping_mul(K2);
    let (mut v, mut w) = ((0, 0), (0, 0));
    x = sum!(x.wrapping_mul(K2), word64(s, 0));
    let (end, last) = ends(s.len());
    for at in (0..end).step_by(64) {
        x = sum!(x, y, v.0, word64(s, at + 8)).rotate_right(37).wrapping_mul(K1);
        y = sum!(y, v.1, word64(s, at + 48)).rotate_right(42).wrapping_mul(K1);
        x ^= w.1;
        y = sum!(y, v.0, word64(s, at + 40));
        z = sum!(z, w.0).rotate_right(33).wrapping_mul(K1);
        v = weak(s, at, v.1.wrapping_mul(K1), sum!(x, w.0));
        w = weak(s, at + 32, sum!(z, w.1), sum!(y, word64(s, at + 16)));
        std::mem::swap(&mut z, &mut x);
    }
    let by = sum!(K1, (z & 0xff) << 1);
    w.0 = sum!(w.0, (s.len() as u64 - 1) & 63);
    v.0 = sum!(v.0, w.0);
    w.0 = sum!(w.0, v.0);
    x = sum!(x, y, v.0, word64(s, last + 8)).rotate_right(37).wrapping_mul(by);
    y = sum!(y, v.1, word64(s, last + 48)).rotate_right(42).wrapping_mul(by);
    x ^= w.1.wrapping_mul(9);
    y = sum!(y, v.0.wrapping_mul(9), word64(s, last + 40));
    z = sum!(z, w.0).rotate_right(33).wrapping_mul(by);
    v = weak(s, last, v.1.wrapping_mul(by), sum!(x, w.0));
    w = weak(s, last + 32, sum!(z, w.1), sum!(y, word64(s, last + 16)));
    std::mem::swap(&mut z, &mut x);
    let low = sum!(pair(v.0, w.0, by), shift_mix(y).wrapping_mul(K0), z);
    pair(low, sum!(pair(v.1, w.1, by), x), by)
}

fn half(s: &[u8], by: u64, seeds: (u64, u64)) -> u64 {
    let (a, b) = (word64(s, 0).wrapping_mul(K1), word64(s, 8));
    let (c, d) = (word64(s, 24).wrapping_mul(by), word64(s, 16).wrapping_mul(K2));
    let u = sum!(sum!(a, b).rotate_right(43), c.rotate_right(30), d, seeds.0);
    let v = sum!(a, sum!(b, K2).rotate_right(18), c, seeds.1);
    let a = shift_mix((u ^ v).wrapping_mul(by));
    shift_mix((v ^ a).wrapping_mul(by))
}

fn turned_pair(x: u64, y: u64, by: u64, turn: u32) -> u64 {
    let a = shift_mix((x ^ y).wrapping_mul(by));
    (y ^ a).wrapping_mul(by).rotate_right(turn).wrapping_mul(by)
}

/// Of texts shorter than `HASH_BYTES_END`.
pub fn hash(s: &[u8]) -> u64 {
    let length = s.len();
    match length {
        33..=64 => {
            let first = K2.wrapping_sub(30);
            let second = sum!(first, 2 * length as u64);
            let (a, b) = (half(&s[..32], first, (0, 0)), half(&s[length - 32..], second, (0, 0)));
            sum!(b.wrapping_mul(second), a).wrapping_mul(second)
        }
        65..=96 => {
            let first = K2.wrapping_sub(114);
            let second = sum!(first, 2 * length as u64);
            let (a, b) = (half(&s[..32], first, (0, 0)), half(&s[32..64], second, (0, 0)));
            let c = half(&s[length - 32..], second, (a, b));
            sum!(c.wrapping_mul(9), a >> 17, b >> 21).wrapping_mul(second)
        }
        257.. => long(s),
        _ => fingerprint(s),
    }
}

fn long(s: &[u8]) -> u64 {
    let mut x = 81u64;
    let mut y = 113u64;
    let mut z = shift_mix(y.wrapping_mul(K2)).wrapping_mul(K2);
    let (mut v, mut w) = ((81u64, 0u64), (0u64, 0u64));
    let mut u = x.wrapping_sub(z);
    x = x.wrapping_mul(K2);
    let by = sum!(K2, u & 0x82);
    let (end, last) = ends(s.len());
    for at in (0..end).step_by(64) {
        let a: [u64; 8] = std::array::from_fn(|i| word64(s, at + 8 * i));
        x = sum!(x, a[0], a[1]).rotate_right(26).wrapping_mul(9);
        y = sum!(y, a[2]).rotate_right(29);
        z = sum!(z, a[3]).wrapping_mul(by);
        v.0 = sum!(v.0, a[4]).rotate_right(33);
        v.1 = sum!(v.1, a[5], a[1]).rotate_right(30);
        w.0 = (sum!(w.0, a[6]) ^ x).wrapping_mul(9);
        w.1 = sum!(w.1, a[7]);
        z = sum!(z.rotate_right(32), w.1);
        w.1 = sum!(w.1, z);
        z = z.wrapping_mul(9);
        std::mem::swap(&mut u, &mut y);
        z = sum!(z, a[0], a[6]);
        v.0 = sum!(v.0, a[2]);
        v.1 = sum!(v.1, a[3]);
        w.0 = sum!(w.0, a[4]);
        w.1 = sum!(w.1, a[5], a[6]);
        x = sum!(x, a[1]);
        y = sum!(y, a[7], v.0);
        v.0 = sum!(v.0, x).wrapping_sub(y);
        v.1 = sum!(v.1, w.0);
        w.0 = sum!(w.0, v.1);
        w.1 = sum!(w.1, x).wrapping_sub(y);
        x = sum!(x, w.1);
        w.1 = w.1.rotate_right(34);
        std::mem::swap(&mut u, &mut z);
    }
    u = u.wrapping_mul(9);
    v = (v.0.rotate_right(20), v.1.rotate_right(28));
    w.0 = sum!(w.0, (s.len() as u64 - 1) & 63);
    u = sum!(u, y);
    y = sum!(y, u);
    x = sum!(y.wrapping_sub(x), v.0, word64(s, last + 8)).rotate_right(37).wrapping_mul(by);
    y = (y ^ v.1 ^ word64(s, last + 48)).rotate_right(42).wrapping_mul(by);
    x ^= w.1.wrapping_mul(9);
    y = sum!(y, v.0, word64(s, last + 40));
    z = sum!(z, w.0).rotate_right(33).wrapping_mul(by);
    v = weak(s, last, v.1.wrapping_mul(by), sum!(x, w.0));
    w = weak(s, last + 32, sum!(z, w.1), sum!(y, word64(s, last + 16)));
    let low = sum!(pair(sum!(v.0, x), w.0 ^ y, by), z).wrapping_sub(u);
    turned_pair(low, turned_pair(sum!(v.1, y), sum!(w.1, z), K2, 30) ^ x, K2, 31)
}
