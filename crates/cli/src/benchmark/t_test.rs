//! Whether two servers differ: Student's t-test of two independent samples with one variance, as clickhouse-benchmark has it.
//!
//! The means differ by more than chance would make them, at a confidence `p`, if their difference is greater than
//! `t * s * sqrt(1/n + 1/m)`, with the pooled standard deviation `s`, and `t` such that |T| ≤ t with probability `p` for
//! `n + m - 2` degrees of freedom. That probability is `1 - I(df / (df + t²); df/2, 1/2)` of the regularised incomplete beta
//! function, which a continued fraction gives; `t` is found by halving.

use crate::benchmark::stats::Stats;

/// By the number of `--confidence`, in percent.
pub const LEVELS: [f64; 6] = [80.0, 90.0, 95.0, 98.0, 99.0, 99.5];
/// Less than this, in seconds, is the network's.
const DIFFERENCE_MIN: f64 = 0.0001;

/// What is said of two servers; `None`: there are too few queries to say anything.
pub fn compared(first: &Stats, second: &Stats, level: usize) -> Option<String> {
    if first.queries == 0 || second.queries == 0 || first.queries + second.queries < 3 {
        return None;
    }
    let percent = LEVELS[level.min(LEVELS.len() - 1)];
    let (n, m) = (first.queries as f64, second.queries as f64);
    let freedom = n + m - 2.0;
    let pooled = (((n - 1.0) * first.variance() + (m - 1.0) * second.variance()) / freedom).sqrt();
    let interval = critical(freedom, percent / 100.0) * pooled * (1.0 / n + 1.0 / m).sqrt();
    let difference = (first.mean() - second.mean()).abs();
    Some(if difference > interval && difference - interval > DIFFERENCE_MIN {
        format!(
            "Difference at {percent}% confidence: mean difference is {difference:.8}, but confidence interval is {interval:.8}"
        )
    } else {
        format!("No difference proven at {percent}% confidence")
    })
}

/// The `t` that |T| stays below with that probability.
fn critical(freedom: f64, probability: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while within(high, freedom) < probability && high < 1e6 {
        high *= 2.0;
    }
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if within(middle, freedom) < probability { low = middle } else { high = middle }
    }
    high
}

/// The probability of |T| ≤ t.
fn within(t: f64, freedom: f64) -> f64 {
    1.0 - incomplete_beta(freedom / (freedom + t * t), freedom / 2.0, 0.5)
}

/// The regularised incomplete beta function.
fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    let scale = libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b) + a * x.ln() + b * (1.0 - x).ln();
    // The fraction converges where x is small; the function's symmetry brings the rest there.
    if x < (a + 1.0) / (a + b + 2.0) {
        scale.exp() * fraction(x, a, b) / a
    } else {
        1.0 - scale.exp() * fraction(1.0 - x, b, a) / b
    }
}

/// The continued fraction of the incomplete beta function, from its beginning on (the method of Lentz).
fn fraction(x: f64, a: f64, b: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let kept = |value: f64| if value.abs() < TINY { TINY } else { value };
    let (mut c, mut d) = (1.0, 1.0 / kept(1.0 - (a + b) * x / (a + 1.0)));
    let mut value = d;
    for step in 1..1000 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for term in [even, odd] {
            d = 1.0 / kept(1.0 + term * d);
            c = kept(1.0 + term / c);
            change = c * d;
            value *= change;
        }
        if (change - 1.0).abs() < 1e-15 {
            break;
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use gristmill_base::env::SystemEnv;

    use super::*;
    use crate::benchmark::stats::Done;

    fn stats(seconds: &[f64]) -> Stats {
        let mut stats = Stats::default();
        seconds.iter().for_each(|&seconds| stats.add(Done { seconds, ..Done::default() }, &SystemEnv));
        stats
    }

    #[test]
    fn critical_values_are_those_of_the_tables() {
        for (freedom, percent, wanted) in [
            (1.0, 80.0, 3.078),
            (1.0, 99.5, 127.321),
            (2.0, 95.0, 4.303),
            (5.0, 98.0, 3.365),
            (10.0, 95.0, 2.228),
            (30.0, 99.0, 2.750),
            (100.0, 90.0, 1.660),
            (100_000.0, 99.5, 2.807),
        ] {
            let found = critical(freedom, percent / 100.0);
            assert!((found - wanted).abs() < 0.001, "{freedom} {percent}: {found}, not {wanted}");
        }
    }

    #[test]
    fn a_difference_is_proven_where_there_is_one() {
        let slow = stats(&[1.0, 1.1, 0.9, 1.05, 0.95]);
        let fast = stats(&[0.5, 0.55, 0.45, 0.52, 0.48]);
        let said = compared(&slow, &fast, 5).expect("says");
        assert!(said.starts_with("Difference at 99.5% confidence: mean difference is 0.50000000, but"), "{said}");
        assert_eq!(compared(&slow, &slow, 0).as_deref(), Some("No difference proven at 80% confidence"));
        assert_eq!(compared(&stats(&[1.0]), &stats(&[2.0]), 5), None);
        assert_eq!(compared(&slow, &Stats::default(), 5), None);
    }
}
