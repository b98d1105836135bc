//! `kolmogorovSmirnovTest`: the largest distance between the distributions of two samples, and how probable it is.
//!
//! Exactly, by counting the ways through the grid of both samples that keep below the distance (Viehmann's form, which works
//! with probabilities in place of counts); or by the limit for large samples.

use std::sync::Arc;

use gristmill_base::{Error, ErrorCode, Result};

use super::ranks::{named_pair, named_pairs};
use super::{Alternative, expect_numbers, pairs, parameters_at_most, probability, samples, text, two_numbers};
use crate::aggregates::collected::{Finish, collected};
use crate::aggregates::{Call, NullRule, Plan, family};
use crate::registry::Registry;

/// Values nearer than this are equal.
const TOLERANCE: f64 = 1e-7;
/// Samples up to this are tested exactly, where nothing else is said.
const EXACT_MAX: usize = 10_000;

pub fn register(registry: &mut Registry) {
    registry.aggregate("kolmogorovSmirnovTest", family(NullRule::Nullable, test));
    registry.any_case("kolmogorovSmirnovTest");
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Method {
    Auto,
    Exact,
    Asymptotic,
}

fn test(call: &Call<'_>) -> Result<Plan> {
    call.arity(2..=2)?;
    expect_numbers(call, ErrorCode::NOT_IMPLEMENTED)?;
    parameters_at_most(call, 2, ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH)?;
    let alternative = Alternative::of(call)?;
    let method = match text(call, 1)?.as_deref() {
        None | Some("auto") => Method::Auto,
        Some("exact") => Method::Exact,
        Some("asymp" | "asymptotic") => Method::Asymptotic,
        Some(other) => {
            let text = format!(
                "Unknown method '{other}' of aggregate function {}: it must be 'auto', 'exact' or 'asymptotic'",
                call.name
            );
            return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
        }
    };
    let result = named_pair("d_statistic");
    let (carrier, name) = (result.arrow(), call.name.to_string());
    let finish: Finish = Arc::new(move |list| {
        let judged = pairs(&list)?.map(|pairs| {
            let (mut x, mut y) = samples(&name, &pairs)?;
            x.sort_by(f64::total_cmp);
            y.sort_by(f64::total_cmp);
            let distance = distance(&x, &y, alternative);
            Ok((distance, probability(p_value(distance, x.len(), y.len(), alternative, method))))
        });
        named_pairs(&judged.collect::<Result<Vec<_>>>()?, &carrier)
    });
    Ok(collected(result, two_numbers(), two_numbers(), usize::MAX, false, finish))
}

fn distance(x: &[f64], y: &[f64], alternative: Alternative) -> f64 {
    let (step_x, step_y) = (1.0 / x.len() as f64, 1.0 / y.len() as f64);
    // What ClickHouse begins with: the smallest float above 0, and the largest.
    let (mut highest, mut lowest, mut now) = (f64::MIN_POSITIVE, f64::MAX, 0.0f64);
    let (mut i, mut j) = (0, 0);
    while i < x.len() && j < y.len() {
        if (x[i] - y[j]).abs() >= TOLERANCE {
            if x[i] < y[j] {
                now += step_x;
                i += 1;
            } else {
                now -= step_y;
                j += 1;
            }
        } else {
            let equal = |values: &[f64], at: usize| {
                1 + values[at + 1..].iter().take_while(|value| (**value - values[at]).abs() <= TOLERANCE).count()
            };
            let (of_x, of_y) = (equal(x, i), equal(y, j));
            now += step_x * of_x as f64;
            now -= step_y * of_y as f64;
            i += of_x;
            j += of_y;
        }
        highest = highest.max(now);
        lowest = lowest.min(now);
    }
    now += step_x * (x.len() - i) as f64 - step_y * (y.len() - j) as f64;
    highest = highest.max(now);
    lowest = lowest.min(now);
    match alternative {
        Alternative::TwoSided => highest.abs().max(lowest.abs()),
        Alternative::Less => -lowest,
        Alternative::Greater => highest,
    }
}

fn p_value(distance: f64, n1: usize, n2: usize, alternative: Alternative, method: Method) -> f64 {
    let divisor = gcd(n1, n2);
    let exact = match method {
        Method::Auto => n1.max(n2) <= EXACT_MAX,
        Method::Exact => n1 / divisor < i32::MAX as usize / (n2 / divisor),
        Method::Asymptotic => false,
    };
    let (long, short) = (n1.max(n2), n1.min(n2));
    if exact { exactly(distance, long, short, alternative) } else { in_the_limit(distance, long, short, alternative) }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn exactly(distance: f64, long: usize, short: usize, alternative: Alternative) -> f64 {
    let (of_long, of_short) = (long as f64, short as f64);
    let bound = (0.5 + (distance * of_short * of_long - TOLERANCE).floor()) / (of_short * of_long);
    let reaches = |a: f64, b: f64| {
        if alternative == Alternative::TwoSided { (a - b).abs() >= bound } else { a - b >= bound }
    };
    let mut row = vec![0.0; long + 1];
    for j in 1..=long {
        row[j] = if reaches(0.0, j as f64 / of_long) { 1.0 } else { row[j - 1] };
    }
    for i in 1..=short {
        let part = i as f64 / of_short;
        if reaches(part, 0.0) {
            row[0] = 1.0;
        }
        for j in 1..=long {
            row[j] = if reaches(part, j as f64 / of_long) {
                1.0
            } else {
                let total = (i + j) as f64;
                i as f64 / total * row[j] + j as f64 / total * row[j - 1]
            };
        }
    }
    row[long]
}

fn in_the_limit(distance: f64, long: usize, short: usize, alternative: Alternative) -> f64 {
    let (m, n) = (long as f64, short as f64);
    let p = (n * m / (n + m)).sqrt() * distance;
    if alternative != Alternative::TwoSided {
        // Hodges' approximation.
        return (-2.0 * p * p - 2.0 * p * (m + 2.0 * n) / (m * n * (m + n)).sqrt() / 3.0).exp();
    }
    let cumulated = if p < 1.0 {
        let z = -(std::f64::consts::FRAC_PI_2 * std::f64::consts::FRAC_PI_4) / (p * p);
        let terms = (2.0 - TOLERANCE.ln()).sqrt() as u64;
        let sum: f64 = (1..terms).step_by(2).map(|k| ((k * k) as f64 * z - p.ln()).exp()).sum();
        sum / 0.398_942_280_401_432_7
    } else {
        let z = -2.0 * p * p;
        let (mut sign, mut k, mut old, mut new) = (-1.0, 1.0f64, 0.0f64, 1.0f64);
        while (old - new).abs() > TOLERANCE {
            old = new;
            new += 2.0 * sign * (z * k * k).exp();
            sign = -sign;
            k += 1.0;
        }
        new
    };
    1.0 - cumulated
}
