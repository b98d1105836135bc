//! CityHash 1.0.2, the version that ClickHouse stays with for compatibility (later ones give other values). 64 bits of a
//! byte string; published by Google under the MIT licence, written here from its description.

const K0: u64 = 0xc3a5_c85c_97cb_3127;
const K1: u64 = 0xb492_b66f_be98_f273;
const K2: u64 = 0x9ae1_6a3b_2f90_404f;
const K3: u64 = 0xc949_d7c7_509e_6557;

fn fetch64(s: &[u8], at: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&s[at..at + 8]);
    u64::from_le_bytes(bytes)
}

fn fetch32(s: &[u8], at: usize) -> u64 {
    let mut bytes = [0; 4];
    bytes.copy_from_slice(&s[at..at + 4]);
    u64::from(u32::from_le_bytes(bytes))
}

fn rotate(value: u64, by: u32) -> u64 {
    value.rotate_right(by)
}

fn shift_mix(value: u64) -> u64 {
    value ^ (value >> 47)
}

/// Hash of 128 bits to 64, after Murmur.
pub fn hash_16(low: u64, high: u64) -> u64 {
    const MUL: u64 = 0x9ddf_ea08_eb38_2d69;
    let a = (low ^ high).wrapping_mul(MUL);
    let a = a ^ (a >> 47);
    let b = (high ^ a).wrapping_mul(MUL);
    (b ^ (b >> 47)).wrapping_mul(MUL)
}

fn hash_0_to_16(s: &[u8]) -> u64 {
    let len = s.len();
    if len > 8 {
        let (a, b) = (fetch64(s, 0), fetch64(s, len - 8));
        return hash_16(a, rotate(b.wrapping_add(len as u64), len as u32)) ^ b;
    }
    if len >= 4 {
        return hash_16((len as u64).wrapping_add(fetch32(s, 0) << 3), fetch32(s, len - 4));
    }
    if len > 0 {
        let (a, b, c) = (u64::from(s[0]), u64::from(s[len >> 1]), u64::from(s[len - 1]));
        let y = a + (b << 8);
        let z = len as u64 + (c << 2);
        return shift_mix(y.wrapping_mul(K2) ^ z.wrapping_mul(K3)).wrapping_mul(K2);
    }
    K2
}

fn hash_17_to_32(s: &[u8]) -> u64 {
    let len = s.len();
    let a = fetch64(s, 0).wrapping_mul(K1);
    let b = fetch64(s, 8);
    let c = fetch64(s, len - 8).wrapping_mul(K2);
    let d = fetch64(s, len - 16).wrapping_mul(K0);
    hash_16(
        rotate(a.wrapping_sub(b), 43).wrapping_add(rotate(c, 30)).wrapping_add(d),
        a.wrapping_add(rotate(b ^ K3, 20)).wrapping_sub(c).wrapping_add(len as u64),
    )
}

/// Two halves of a hash of 32 bytes and two seeds: quick and weak.
fn weak_32(s: &[u8], at: usize, a: u64, b: u64) -> (u64, u64) {
    let (w, x, y, z) = (fetch64(s, at), fetch64(s, at + 8), fetch64(s, at + 16), fetch64(s, at + 24));
    let a = a.wrapping_add(w);
    let b = rotate(b.wrapping_add(a).wrapping_add(z), 21);
    let c = a;
    let a = a.wrapping_add(x).wrapping_add(y);
    let b = b.wrapping_add(rotate(a, 44));
    (a.wrapping_add(z), b.wrapping_add(c))
}

fn hash_33_to_64(s: &[u8]) -> u64 {
    let len = s.len();
    let half = |front: bool| {
        let z = fetch64(s, if front { 24 } else { len - 8 });
        let mut a = if front {
            fetch64(s, 0).wrapping_add((len as u64).wrapping_add(fetch64(s, len - 16)).wrapping_mul(K0))
        } else {
            fetch64(s, 16).wrapping_add(fetch64(s, len - 32))
        };
        let mut b = rotate(a.wrapping_add(z), 52);
        let mut c = rotate(a, 37);
        a = a.wrapping_add(fetch64(s, if front { 8 } else { len - 24 }));
        c = c.wrapping_add(rotate(a, 7));
        a = a.wrapping_add(fetch64(s, if front { 16 } else { len - 16 }));
        b = b.wrapping_add(rotate(a, 31)).wrapping_add(c);
        (a.wrapping_add(z), b)
    };
    let ((vf, vs), (wf, ws)) = (half(true), half(false));
    let r = shift_mix(vf.wrapping_add(ws).wrapping_mul(K2).wrapping_add(wf.wrapping_add(vs).wrapping_mul(K0)));
    shift_mix(r.wrapping_mul(K0).wrapping_add(vs)).wrapping_mul(K2)
}

/// A hash that goes on from another one.
pub fn city_hash_64_from(s: &[u8], seed: u64) -> u64 {
    hash_16(city_hash_64(s).wrapping_sub(K2), seed)
}

pub fn city_hash_64(s: &[u8]) -> u64 {
    let len = s.len();
    match len {
        0..=16 => return hash_0_to_16(s),
        17..=32 => return hash_17_to_32(s),
        33..=64 => return hash_33_to_64(s),
        _ => {}
    }
    // 56 bytes of state: v, w, x, y, z.
    let mut x = fetch64(s, 0);
    let mut y = fetch64(s, len - 16) ^ K1;
    let mut z = fetch64(s, len - 56) ^ K0;
    let mut v = weak_32(s, len - 64, len as u64, y);
    let mut w = weak_32(s, len - 32, (len as u64).wrapping_mul(K1), K0);
    z = z.wrapping_add(shift_mix(v.1).wrapping_mul(K1));
    x = rotate(z.wrapping_add(x), 39).wrapping_mul(K1);
    y = rotate(y, 33).wrapping_mul(K1);
    let end = (len - 1) & !63;
    let mut at = 0;
    while at < end {
        x = rotate(x.wrapping_add(y).wrapping_add(v.0).wrapping_add(fetch64(s, at + 16)), 37).wrapping_mul(K1);
        y = rotate(y.wrapping_add(v.1).wrapping_add(fetch64(s, at + 48)), 42).wrapping_mul(K1);
        x ^= w.1;
        y ^= v.0;
        z = rotate(z ^ w.0, 33);
        v = weak_32(s, at, v.1.wrapping_mul(K1), x.wrapping_add(w.0));
        w = weak_32(s, at + 32, z.wrapping_add(w.1), y);
        std::mem::swap(&mut z, &mut x);
        at += 64;
    }
    hash_16(hash_16(v.0, w.0).wrapping_add(shift_mix(y).wrapping_mul(K1)).wrapping_add(z), hash_16(v.1, w.1).wrapping_add(x))
}
