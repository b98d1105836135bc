//! SipHash-2-4 as ClickHouse has it: its 128 bits differ from the reference in one constant, for which reason no crate gives them.

use super::words::word64;

struct Sip([u64; 4]);

impl Sip {
    fn round(&mut self) {
        let [v0, v1, v2, v3] = &mut self.0;
        *v0 = v0.wrapping_add(*v1);
        *v1 = v1.rotate_left(13) ^ *v0;
        *v0 = v0.rotate_left(32);
        *v2 = v2.wrapping_add(*v3);
        *v3 = v3.rotate_left(16) ^ *v2;
        *v0 = v0.wrapping_add(*v3);
        *v3 = v3.rotate_left(21) ^ *v0;
        *v2 = v2.wrapping_add(*v1);
        *v1 = v1.rotate_left(17) ^ *v2;
        *v2 = v2.rotate_left(32);
    }

    fn take(&mut self, word: u64) {
        self.0[3] ^= word;
        self.round();
        self.round();
        self.0[0] ^= word;
    }
}

/// The 16 bytes in the order in which `sipHash128` gives them. The key is of zeros.
pub fn sip_128(bytes: &[u8]) -> [u8; 16] {
    sip_128_keyed((0, 0), bytes)
}

pub fn sip_128_keyed(key: (u64, u64), bytes: &[u8]) -> [u8; 16] {
    let mut sip = Sip([
        0x736f_6d65_7073_6575 ^ key.0,
        0x646f_7261_6e64_6f6d ^ key.1,
        0x6c79_6765_6e65_7261 ^ key.0,
        0x7465_6462_7974_6573 ^ key.1,
    ]);
    let whole = bytes.len() / 8 * 8;
    (0..whole).step_by(8).for_each(|at| sip.take(word64(bytes, at)));
    let mut last = [0; 8];
    last[..bytes.len() - whole].copy_from_slice(&bytes[whole..]);
    last[7] = bytes.len() as u8;
    sip.take(u64::from_le_bytes(last));
    sip.0[2] ^= 0xff;
    (0..4).for_each(|_| sip.round());
    let [v0, v1, v2, v3] = sip.0;
    let mut hash = [0; 16];
    hash[..8].copy_from_slice(&(v0 ^ v1).to_le_bytes());
    hash[8..].copy_from_slice(&(v2 ^ v3).to_le_bytes());
    hash
}
