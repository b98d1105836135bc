//! CRC-32C (Castagnoli) without the last inversion, as processors compute it, and the short hash that ClickHouse makes of it.

const TABLE: [u32; 256] = table(0x82F6_3B78);

/// What each byte does to a CRC. `polynomial`: with its bits in reverse.
pub const fn table(polynomial: u32) -> [u32; 256] {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        let mut value = i as u32;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 { value >> 1 ^ polynomial } else { value >> 1 };
            bit += 1;
        }
        table[i] = value;
        i += 1;
    }
    table
}

/// `crc` over further bytes.
#[inline]
pub fn step(crc: u32, byte: u8) -> u32 {
    TABLE[usize::from(crc as u8 ^ byte)] ^ crc >> 8
}

fn word(crc: u32, word: u64) -> u32 {
    word.to_le_bytes().into_iter().fold(crc, step)
}

/// Of the eight-byte words of a text. What is left over makes one more word, whose lowest byte (whose highest, where the text is
/// shorter than a word) holds how many bytes that are.
pub fn weak_hash(text: &[u8]) -> u32 {
    if text.len() < 8 {
        let mut only = [0; 8];
        only[..text.len()].copy_from_slice(text);
        only[7] = text.len() as u8;
        return word(0, u64::from_le_bytes(only));
    }
    let whole = text.len() / 8 * 8;
    let crc = text[..whole].iter().copied().fold(0, step);
    let rest = &text[whole..];
    if rest.is_empty() {
        return crc;
    }
    let mut last = [0; 8];
    last[8 - rest.len()..].copy_from_slice(rest);
    last[0] = rest.len() as u8;
    word(crc, u64::from_le_bytes(last))
}
