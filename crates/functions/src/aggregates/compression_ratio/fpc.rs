//! FPC: floats by two predictions. "FPC: A high-speed compressor for double-precision floating-point data", Burtscher and
//! Ratanaworabhan, 2008.
//!
//! One predictor says what followed the last time that values like the last ones came, the other which difference followed.
//! Of each value the better prediction is taken off by XOR, and the bytes of what is left are written without the zeroes in
//! front. A byte before each pair tells, of both, which predictor it was and how many zero bytes there were.

/// What followed, by a hash of what came before.
struct Predictor {
    table: Vec<u64>,
    hash: usize,
    /// How the hash moves on, and which bits of a value go into it.
    shifts: (u32, u32),
}

impl Predictor {
    fn new(level: u32, shifts: (u32, u32)) -> Predictor {
        Predictor { table: vec![0; 1 << level], hash: 0, shifts }
    }

    fn predict(&self) -> u64 {
        self.table[self.hash]
    }

    fn add(&mut self, value: u64) {
        self.table[self.hash] = value;
        let (own, of_value) = self.shifts;
        self.hash = ((self.hash << own) ^ (value >> of_value) as usize) & (self.table.len() - 1);
    }
}

/// `width`: 4 or 8 bytes of a float; `level`: the tables have so many bits.
pub fn fpc(bytes: &[u8], width: usize, level: u32) -> Vec<u8> {
    let is_wide = width == 8;
    let mask = if is_wide { u64::MAX } else { u64::from(u32::MAX) };
    let mut differences = Predictor::new(level, if is_wide { (2, 40) } else { (4, 23) });
    let mut values = Predictor::new(level, if is_wide { (6, 48) } else { (1, 22) });
    let mut before = 0u64;
    // What is left of a value, its zero bytes as they are told, and whether the difference was predicted better.
    let mut packed = |value: u64| {
        let by_difference = (differences.predict().wrapping_add(before) & mask) ^ value;
        let by_value = values.predict() ^ value;
        differences.add(value.wrapping_sub(before) & mask);
        values.add(value);
        before = value;
        let is_difference = by_difference.leading_zeros() > by_value.leading_zeros();
        let left = if is_difference { by_difference } else { by_value };
        let zeroes = (left.leading_zeros() / 8) as usize - (8 - width);
        // Of eight bytes, four zeroes cannot be told: three bits tell the others.
        let told = if is_wide && zeroes >= 4 { zeroes - 1 } else { zeroes };
        (left, told.min(7), is_difference)
    };
    let mut out = vec![width as u8, level as u8];
    let mut numbers: Vec<u64> = bytes
        .chunks(width)
        .map(|piece| {
            let mut wide = [0; 8];
            wide[..piece.len()].copy_from_slice(piece);
            u64::from_le_bytes(wide)
        })
        .collect();
    numbers.resize(numbers.len().next_multiple_of(2), 0);
    for pair in numbers.as_chunks::<2>().0 {
        let pair = pair.map(&mut packed);
        let mark = |(_, told, is_difference): (u64, usize, bool)| (usize::from(is_difference) << 3 | told) as u8;
        out.push(mark(pair[0]) << 4 | mark(pair[1]));
        for (left, told, _) in pair {
            let zeroes = if is_wide && told > 3 { told + 1 } else { told };
            out.extend_from_slice(&left.to_le_bytes()[..width - zeroes.min(width)]);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_foreseen_costs_half_a_byte() {
        let bytes: Vec<u8> = [0.0f64; 64].iter().flat_map(|value| value.to_le_bytes()).collect();
        // A byte a pair: eight zero bytes each.
        assert_eq!(fpc(&bytes, 8, 12), [&[8, 12][..], &[0x77; 32]].concat());
    }

    #[test]
    fn what_is_not_foreseen_is_written_whole() {
        let bytes = [f64::MAX.to_le_bytes(), 1.5f64.to_le_bytes()].concat();
        assert_eq!(fpc(&bytes, 8, 12).len(), 2 + 1 + 16);
        assert_eq!(fpc(&bytes[..3], 4, 12).len(), 2 + 1 + 3);
    }
}
