//! How probable a statistic is under the normal distribution, Student's t and Fisher's F.
//!
//! The t and F probabilities are regularised incomplete beta functions. A quantile of t is found from the probability: the
//! answer is bracketed, then Newton's steps that leave the bracket are replaced by halving it.

use statrs::function::beta::checked_beta_reg;
use statrs::function::gamma::ln_gamma;

/// Steps after which a quantile is as near as floats come.
const STEPS_MAX: usize = 200;

/// P(Z <= z) of the standard normal distribution.
pub fn normal(z: f64) -> f64 {
    0.5 * libm::erfc(-z / std::f64::consts::SQRT_2)
}

/// The z that a share of `p` lies above.
pub fn normal_above(p: f64) -> f64 {
    let density = |z: f64| (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt();
    above(p, |z| normal(-z), density)
}

fn beta(a: f64, b: f64, x: f64) -> f64 {
    checked_beta_reg(a, b, x.clamp(0.0, 1.0)).unwrap_or(f64::NAN)
}

/// P(T > t) of Student's distribution, `t` not negative.
fn student_above(degrees: f64, t: f64) -> f64 {
    let square = t * t;
    // The smaller of the two sides is the one that keeps its digits.
    if degrees > 2.0 * square {
        0.5 * (1.0 - beta(0.5, degrees / 2.0, square / (degrees + square)))
    } else {
        0.5 * beta(degrees / 2.0, 0.5, degrees / (degrees + square))
    }
}

/// The probability of a t at least so far from 0, on either side.
pub fn student_two_sided(degrees: f64, t: f64) -> f64 {
    2.0 * student_above(degrees, t.abs())
}

/// The t that a share of `p` (below one half) lies above. NaN where the distribution has no such degrees of freedom.
pub fn student_quantile_above(degrees: f64, p: f64) -> f64 {
    if !(degrees > 0.0 && degrees.is_finite()) {
        return f64::NAN;
    }
    let scale = ln_gamma((degrees + 1.0) / 2.0) - ln_gamma(degrees / 2.0);
    let density = move |t: f64| {
        (scale - (degrees + 1.0) / 2.0 * (t * t / degrees).ln_1p()).exp() / (degrees * std::f64::consts::PI).sqrt()
    };
    above(p, |t| student_above(degrees, t), density)
}

/// P(F <= f) of Fisher's distribution.
pub fn fisher(first: f64, second: f64, f: f64) -> f64 {
    beta(first / 2.0, second / 2.0, first * f / (first * f + second))
}

/// Where a falling probability of lying above is `p`.
fn above(p: f64, share: impl Fn(f64) -> f64, density: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while share(high) > p && high < f64::MAX / 4.0 {
        low = high;
        high *= 2.0;
    }
    let mut x = 0.5 * (low + high);
    for _ in 0..STEPS_MAX {
        let difference = share(x) - p;
        if difference > 0.0 {
            low = x;
        } else {
            high = x;
        }
        let newton = x + difference / density(x);
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        if (next - x).abs() <= f64::EPSILON * x.abs() {
            return next;
        }
        x = next;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: f64, expected: f64) {
        assert!((value - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{value} is not {expected}");
    }

    #[test]
    fn quantiles_undo_probabilities() {
        for degrees in [1.0, 2.5, 18.0, 1000.0] {
            for p in [0.4, 0.05, 0.025, 1e-6] {
                near(student_above(degrees, student_quantile_above(degrees, p)), p);
            }
        }
        near(normal_above(0.025), 1.959963984540054);
        near(student_quantile_above(18.0, 0.025), 2.10092204024096);
    }
}
