//! A histogram of times: four buckets to each doubling, from 64 µs to about an hour. Recording is one atomic addition, so
//! every request of the process can be recorded; a quantile is right to a quarter of its value.

use std::sync::atomic::{AtomicU64, Ordering};

/// Shortest time told apart, in microseconds, as a power of two.
const FIRST_OCTAVE: u32 = 6;
const STEPS: u32 = 4;
const BUCKETS: usize = 104;

#[derive(Debug)]
pub struct Latencies {
    counts: [AtomicU64; BUCKETS],
}

impl Default for Latencies {
    fn default() -> Self {
        Latencies { counts: std::array::from_fn(|_| AtomicU64::new(0)) }
    }
}

impl Latencies {
    pub fn record(&self, micros: u64) {
        self.counts[bucket(micros)].fetch_add(1, Ordering::Relaxed);
    }

    pub fn count(&self) -> u64 {
        self.counts.iter().map(|count| count.load(Ordering::Relaxed)).sum()
    }

    /// The time, in microseconds, that `share` (0 to 1) of all requests stayed under: the upper bound of its bucket.
    /// `None` before anything was recorded.
    pub fn quantile(&self, share: f64) -> Option<u64> {
        let counts: Vec<u64> = self.counts.iter().map(|count| count.load(Ordering::Relaxed)).collect();
        let total: u64 = counts.iter().sum();
        let wanted = ((total as f64 * share).ceil() as u64).max(1);
        let mut seen = 0;
        let at = counts.iter().position(|count| {
            seen += count;
            seen >= wanted
        })?;
        Some(upper_bound(at))
    }

    /// Upper bound in microseconds and count of every bucket that has any.
    pub fn buckets(&self) -> Vec<(u64, u64)> {
        let counts = self.counts.iter().map(|count| count.load(Ordering::Relaxed)).enumerate();
        counts.filter(|(_, count)| *count > 0).map(|(at, count)| (upper_bound(at), count)).collect()
    }
}

fn bucket(micros: u64) -> usize {
    let micros = micros.max(1 << FIRST_OCTAVE);
    let octave = micros.ilog2();
    let step = (micros >> (octave - 2)) as u32 & (STEPS - 1);
    (((octave - FIRST_OCTAVE) * STEPS + step) as usize).min(BUCKETS - 1)
}

fn upper_bound(bucket: usize) -> u64 {
    let (octave, step) = (bucket as u32 / STEPS + FIRST_OCTAVE, bucket as u64 % u64::from(STEPS));
    (1 << octave) + ((step + 1) << (octave - 2))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn quantiles_are_upper_bounds_within_a_quarter() {
        let times = Latencies::default();
        assert_eq!(times.quantile(0.5), None);
        for micros in [1_000, 1_000, 1_000, 50_000] {
            times.record(micros);
        }
        assert_eq!(times.quantile(0.5), Some(1_024));
        assert_eq!(times.quantile(0.99), Some(57_344));
        assert_eq!(times.buckets(), vec![(1_024, 3), (57_344, 1)]);
    }

    proptest! {
        #[test]
        fn every_time_lies_under_the_bound_of_its_bucket(micros in 64u64..1 << 31) {
            let bound = upper_bound(bucket(micros));
            prop_assert!(micros < bound && bound <= micros + micros / 4 + 1);
        }
    }
}
