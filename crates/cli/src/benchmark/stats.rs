//! What was measured of one server. Times are kept up to a bound; beyond it each time that comes replaces one by chance, so that
//! those kept are a fair sample of all (a reservoir).

use gristmill_base::env::Env;

/// Times kept, as many as clickhouse-benchmark keeps.
const SAMPLES_MAX: usize = 1 << 16;

/// What one query did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Done {
    pub seconds: f64,
    pub read_rows: u64,
    pub read_bytes: u64,
    pub result_rows: u64,
    pub result_bytes: u64,
}

#[derive(Clone, Debug, Default)]
pub struct Stats {
    pub queries: u64,
    pub errors: u64,
    /// Sums; `seconds` is the time of all queries, also of those that ran side by side.
    pub sum: Done,
    pub(super) seconds_squared: f64,
    pub(super) samples: Vec<f64>,
}

impl Stats {
    pub fn add(&mut self, done: Done, env: &dyn Env) {
        self.queries += 1;
        self.sum.seconds += done.seconds;
        self.sum.read_rows += done.read_rows;
        self.sum.read_bytes += done.read_bytes;
        self.sum.result_rows += done.result_rows;
        self.sum.result_bytes += done.result_bytes;
        self.seconds_squared += done.seconds * done.seconds;
        if self.samples.len() < SAMPLES_MAX {
            self.samples.push(done.seconds);
        } else if let Some(replaced) = self.samples.get_mut((env.random_u64() % self.queries) as usize) {
            *replaced = done.seconds;
        }
    }

    /// Mean of the seconds; 0 of none.
    pub fn mean(&self) -> f64 {
        if self.queries == 0 { 0.0 } else { self.sum.seconds / self.queries as f64 }
    }

    /// Sample variance of the seconds; 0 of fewer than two.
    pub fn variance(&self) -> f64 {
        if self.queries < 2 {
            return 0.0;
        }
        let count = self.queries as f64;
        ((self.seconds_squared - self.sum.seconds * self.mean()) / (count - 1.0)).max(0.0)
    }

    /// The seconds of these percentiles, in their order; `None` where there was no query.
    pub fn percentiles(&self, percents: &[f64]) -> Option<Vec<f64>> {
        let mut sorted = self.samples.clone();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().checked_sub(1)?;
        let at = |percent: f64| sorted[((percent / 100.0 * last as f64).round() as usize).min(last)];
        Some(percents.iter().map(|percent| at(*percent)).collect())
    }
}

#[cfg(test)]
mod tests {
    use gristmill_base::env::SystemEnv;

    use super::*;

    fn stats(seconds: impl IntoIterator<Item = f64>) -> Stats {
        let mut stats = Stats::default();
        seconds.into_iter().for_each(|seconds| stats.add(Done { seconds, read_rows: 2, ..Done::default() }, &SystemEnv));
        stats
    }

    #[test]
    fn sums_moments_and_percentiles_are_those_of_the_times() {
        let stats = stats((0..=100).rev().map(f64::from));
        assert_eq!((stats.queries, stats.sum.read_rows, stats.mean()), (101, 202, 50.0));
        assert!((stats.variance() - 858.5).abs() < 1e-6, "{}", stats.variance());
        assert_eq!(stats.percentiles(&[0.0, 50.0, 99.0, 100.0]), Some(vec![0.0, 50.0, 99.0, 100.0]));
        assert_eq!(Stats::default().percentiles(&[50.0]), None);
        assert_eq!(Stats::default().variance(), 0.0);
    }

    #[test]
    fn a_sample_of_very_many_stays_bounded_and_fair() {
        let stats = stats((0..4 * SAMPLES_MAX).map(|at| at as f64));
        assert_eq!(stats.samples.len(), SAMPLES_MAX);
        let median = stats.percentiles(&[50.0]).expect("there are some")[0];
        let middle = 2.0 * SAMPLES_MAX as f64;
        assert!((median - middle).abs() < middle * 0.05, "{median}");
    }
}
