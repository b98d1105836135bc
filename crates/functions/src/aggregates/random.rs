//! The numbers by which ClickHouse's aggregate functions choose a sample, so that they choose the same one.

/// The seed that a sample begins with where none is given.
pub const SAMPLE_SEED: u64 = 123_456;

/// The generator pcg32_fast of O'Neill (PCG, 2014): a product modulo 2^64, of which the high bits choose what is told of it.
#[derive(Clone)]
pub struct Pcg32(u64);

impl Pcg32 {
    pub const fn new(seed: u64) -> Self {
        Pcg32(seed | 3)
    }

    fn next(&mut self) -> u64 {
        let state = self.0;
        self.0 = state.wrapping_mul(6_364_136_223_846_793_005);
        u64::from(((state ^ (state >> 22)) >> (22 + (state >> 61))) as u32)
    }

    /// A number below the limit, which is not zero.
    pub fn below(&mut self, limit: u64) -> u64 {
        if u32::try_from(limit).is_ok() {
            return self.next() % limit;
        }
        let high = self.next();
        (high << 32 | self.next()) % limit
    }
}
