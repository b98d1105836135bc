//! Parquet's DELTA_BINARY_PACKED (github.com/apache/parquet-format, Encodings.md): differences of neighbours, above the least
//! of their block, in as many bits as the largest of their miniblock takes.
//!
//! A block is four miniblocks of 32 values, of 64 where values are 64 bits wide: readers that unpack a register at a time
//! find one whole. Differences wrap in the values' own width, so each fits, whatever the values mean.

const MINIBLOCKS: usize = 4;
const MINIBLOCK_MOST: usize = 64;

/// A Parquet integer.
pub trait Word: Copy + Ord + Default + Send + Sync + 'static {
    const BITS: usize;
    fn wrapping_sub(self, other: Self) -> Self;
    /// The same bits, with zeros above them.
    fn bits(self) -> u64;
    fn to_i64(self) -> i64;
}

macro_rules! word {
    ($signed:ty, $unsigned:ty) => {
        impl Word for $signed {
            const BITS: usize = <$signed>::BITS as usize;

            fn wrapping_sub(self, other: Self) -> Self {
                <$signed>::wrapping_sub(self, other)
            }

            fn bits(self) -> u64 {
                self as $unsigned as u64
            }

            fn to_i64(self) -> i64 {
                self as i64
            }
        }
    };
}

word!(i32, u32);
word!(i64, u64);

/// Appends the encoded values.
pub fn pack<W: Word>(values: &[W], out: &mut Vec<u8>) {
    let (miniblock, block) = (W::BITS, W::BITS * MINIBLOCKS);
    unsigned(block as u64, out);
    unsigned(MINIBLOCKS as u64, out);
    unsigned(values.len() as u64, out);
    zigzag(values.first().map_or(0, |first| first.to_i64()), out);
    let mut deltas = [W::default(); MINIBLOCK_MOST * MINIBLOCKS];
    let mut above = [0u64; MINIBLOCK_MOST];
    let mut at = 1;
    while at < values.len() {
        let count = block.min(values.len() - at);
        let pairs = values[at - 1..at + count - 1].iter().zip(&values[at..at + count]);
        for (delta, (before, value)) in deltas.iter_mut().zip(pairs) {
            *delta = value.wrapping_sub(*before);
        }
        let deltas = &deltas[..count];
        let least = deltas.iter().copied().min().unwrap_or_default();
        zigzag(least.to_i64(), out);
        let widths = out.len();
        out.extend_from_slice(&[0; MINIBLOCKS]);
        for (place, deltas) in deltas.chunks(miniblock).enumerate() {
            let mut any = 0;
            for (above, delta) in above.iter_mut().zip(deltas) {
                *above = delta.wrapping_sub(least).bits();
                any |= *above;
            }
            above[deltas.len()..].fill(0);
            let width = u64::BITS - any.leading_zeros();
            out[widths + place] = width as u8;
            pack_bits(&above[..miniblock], width, out);
        }
        at += count;
    }
}

/// Appends the lowest `width` bits of each value, the first value in the lowest bits. All bits together are whole bytes.
fn pack_bits(values: &[u64], width: u32, out: &mut Vec<u8>) {
    if width == 0 {
        return;
    }
    let (mut word, mut held) = (0u64, 0);
    for &value in values {
        word |= value << held;
        held += width;
        if held >= u64::BITS {
            out.extend_from_slice(&word.to_le_bytes());
            held -= u64::BITS;
            // What did not fit. (A shift by the whole width would be none.)
            word = if held == 0 { 0 } else { value >> (width - held) };
        }
    }
    out.extend_from_slice(&word.to_le_bytes()[..held.div_ceil(8) as usize]);
}

/// ULEB128.
fn unsigned(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn zigzag(value: i64, out: &mut Vec<u8>) {
    unsigned(((value << 1) ^ (value >> 63)) as u64, out);
}
