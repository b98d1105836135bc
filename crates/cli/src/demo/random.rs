//! Reproducible chance: SplitMix64 for the stream, and Walker's alias method to draw from a weighted list in one step.
//!
//! The generator must give the same bytes on every machine and with every version of every dependency, so it does not
//! stand on a general-purpose random crate, whose streams may change between versions.

/// SplitMix64 (Steele, Lea, Flood 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Streams of different `stream` are independent of one another.
    pub fn new(seed: u64, stream: u64) -> Self {
        Random(mix(seed ^ mix(stream.wrapping_add(0x5851_f42d_4c95_7f2d))))
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// Uniform in `0..bound`; `bound` of 0 gives 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    /// Uniform in `[0, 1)`.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// A long-tailed whole number whose median is about `median`.
    pub fn long_tail(&mut self, median: f64) -> u64 {
        let u = self.unit().max(1e-9);
        (median * ((1.0 - u) / u).sqrt()) as u64
    }
}

/// The finalizer of SplitMix64, also good as a hash of a number.
pub fn mix(mut value: u64) -> u64 {
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// Draws an index by weight in constant time.
#[derive(Debug)]
pub struct Weighted {
    /// Chance, out of 2^32, that a slot gives itself rather than its alias.
    keep: Vec<u32>,
    alias: Vec<u32>,
}

impl Weighted {
    /// `weights` must not be empty; they need not sum to one.
    pub fn new(weights: &[f64]) -> Self {
        let count = weights.len();
        let total: f64 = weights.iter().sum();
        let mut scaled: Vec<f64> = weights.iter().map(|weight| weight * count as f64 / total).collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) = (0..count).partition(|&slot| scaled[slot] < 1.0);
        let mut keep = vec![u32::MAX; count];
        let mut alias: Vec<u32> = (0..count as u32).collect();
        while let (Some(low), Some(&high)) = (small.pop(), large.last()) {
            keep[low] = (scaled[low] * f64::from(u32::MAX)) as u32;
            alias[low] = high as u32;
            scaled[high] -= 1.0 - scaled[low];
            if scaled[high] < 1.0 {
                large.pop();
                small.push(high);
            }
        }
        Weighted { keep, alias }
    }

    /// Zipf's law: the item of rank r (from 1) has weight `r^-exponent`.
    pub fn zipf(count: usize, exponent: f64) -> Self {
        Self::new(&(1..=count).map(|rank| (rank as f64).powf(-exponent)).collect::<Vec<_>>())
    }

    pub fn draw(&self, random: &mut Random) -> usize {
        let bits = random.next();
        let slot = (((bits >> 32) * self.keep.len() as u64) >> 32) as usize;
        if (bits as u32) <= self.keep[slot] { slot } else { self.alias[slot] as usize }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_stream_and_another_seed_another() {
        let draw =
            |seed| (0..4).map(|_| 0).scan(Random::new(seed, 0), |random, _: i32| Some(random.next())).collect::<Vec<_>>();
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
    }

    #[test]
    fn weighted_draws_come_out_in_proportion() {
        let weighted = Weighted::new(&[1.0, 3.0, 0.0, 4.0]);
        let mut random = Random::new(1, 1);
        let mut seen = [0u32; 4];
        for _ in 0..80_000 {
            seen[weighted.draw(&mut random)] += 1;
        }
        for (slot, expected) in [10_000i64, 30_000, 0, 40_000].into_iter().enumerate() {
            assert!((i64::from(seen[slot]) - expected).abs() < 1_000, "{seen:?}");
        }
    }
}
