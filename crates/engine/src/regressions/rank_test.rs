//! Whether some times are longer than others by more than chance: the test of Mann and Whitney (1947), one-sided. It looks at
//! ranks only, so that one run which took ten times as long says no more than one that took twice as long.
//!
//! Under the hypothesis that nothing changed, the number of pairs in which the newer run is the slower one (`U`) is normal, about,
//! with a mean of half of all pairs; ties count half and narrow the variance.

/// The confidence that `newest` are longer than `before`, from 0 to 1; 0 where either is empty.
pub(super) fn slower(newest: &[f64], before: &[f64]) -> f64 {
    let (n, m) = (newest.len() as f64, before.len() as f64);
    if n == 0.0 || m == 0.0 {
        return 0.0;
    }
    let half_points = |one: f64, other: f64| match one.total_cmp(&other) {
        std::cmp::Ordering::Greater => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Less => 0.0,
    };
    let u: f64 = newest.iter().map(|one| before.iter().map(|other| half_points(*one, *other)).sum::<f64>()).sum();
    let all = n + m;
    let ties = ties(newest, before);
    let variance = n * m / 12.0 * ((all + 1.0) - ties / (all * (all - 1.0)).max(1.0));
    if variance <= 0.0 {
        // All are equal.
        return 0.5;
    }
    // Corrected for that pairs are counted, and the normal distribution is not.
    let z = (u - n * m / 2.0 - 0.5) / variance.sqrt();
    normal(z)
}

/// The sum of `t³ - t` over groups of `t` equal values.
fn ties(newest: &[f64], before: &[f64]) -> f64 {
    let mut all: Vec<f64> = newest.iter().chain(before).copied().collect();
    all.sort_by(f64::total_cmp);
    let groups = all.chunk_by(|one, other| one == other).map(|group| group.len() as f64);
    groups.map(|count| count.powi(3) - count).sum()
}

/// The distribution function of the normal distribution (Abramowitz and Stegun, 26.2.17), right to seven digits.
fn normal(z: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * z.abs());
    let polynomial =
        t * (0.319_381_530 + t * (-0.356_563_782 + t * (1.781_477_937 + t * (-1.821_255_978 + t * 1.330_274_429))));
    let upper = (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt() * polynomial;
    if z >= 0.0 { 1.0 - upper } else { upper }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_are_all_longer_are_surely_longer() {
        let before: Vec<f64> = (10..20).map(f64::from).collect();
        assert!(slower(&[30.0, 31.0, 32.0, 33.0, 34.0], &before) > 0.995);
        assert!(slower(&[1.0, 2.0, 3.0, 4.0], &before) < 0.01);
        assert!((slower(&before, &before) - 0.5).abs() < 0.05);
    }

    #[test]
    fn few_or_equal_times_say_little() {
        assert!(slower(&[30.0], &[10.0, 11.0, 12.0]) < 0.95);
        assert_eq!(slower(&[5.0, 5.0], &[5.0, 5.0, 5.0]), 0.5);
        assert_eq!(slower(&[], &[1.0]), 0.0);
    }

    #[test]
    fn the_normal_distribution_is_the_known_one() {
        assert!((normal(1.959_964) - 0.975).abs() < 1e-6);
        assert!((normal(-1.0) - 0.158_655_25).abs() < 1e-6);
    }
}
