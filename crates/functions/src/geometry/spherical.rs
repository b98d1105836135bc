//! Areas and perimeters on a sphere of radius one; coordinates are degrees, longitudes first.
//!
//! The area of a ring is the sum of what lies between its sides and the equator, by the spherical excess of each; a ring around
//! a pole is what is left of the sphere. Of such rings the last digits may differ from ClickHouse's.

use std::f64::consts::{PI, TAU};

use super::measures::summed;
use super::shapes::{Geometry, Point};

/// A ring of fewer points has no area.
const RING_LEAST: usize = 4;

fn radians((lon, lat): Point) -> Point {
    (lon.to_radians(), lat.to_radians())
}

/// Whether a side goes over the meridian of zero the short way.
fn crosses_meridian(from: f64, to: f64) -> bool {
    let (from, to) = (from.rem_euclid(TAU), to.rem_euclid(TAU));
    let (low, high) = (from.min(to), from.max(to));
    high > PI && low < PI && high - low > PI
}

fn ring_area(points: &[Point]) -> f64 {
    if points.len() < RING_LEAST {
        return 0.0;
    }
    let (mut sum, mut crossings) = (0.0, 0u32);
    for side in points.windows(2) {
        let ((from, low), (to, high)) = (radians(side[0]), radians(side[1]));
        let mut turn = to - from;
        if turn > PI {
            turn -= TAU;
        } else if turn < -PI {
            turn += TAU;
        }
        let (low, high) = ((low / 2.0).tan(), (high / 2.0).tan());
        sum += 2.0 * ((low + high) / (1.0 + low * high) * (turn / 2.0).tan()).atan();
        crossings += u32::from(crosses_meridian(from, to));
    }
    if crossings % 2 == 0 {
        return sum;
    }
    let rest = TAU * f64::from(1 + crossings / 2) - f64::abs(sum);
    if sum > 0.0 { -rest } else { rest }
}

/// By the haversine formula.
fn ring_perimeter(points: &[Point]) -> f64 {
    points.windows(2).fold(0.0, |sum, side| {
        let ((from, low), (to, high)) = (radians(side[0]), radians(side[1]));
        let half = |angle: f64| (angle / 2.0).sin().powi(2);
        let part = half(high - low) + low.cos() * high.cos() * half(to - from);
        sum + 2.0 * part.clamp(0.0, 1.0).sqrt().asin()
    })
}

pub fn area(geometry: &Geometry) -> f64 {
    summed(geometry, ring_area)
}

pub fn perimeter(geometry: &Geometry) -> f64 {
    summed(geometry, ring_perimeter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_eighth_of_the_sphere_is_half_of_pi() {
        let eighth = [(0.0, 0.0), (0.0, 90.0), (90.0, 0.0), (0.0, 0.0)];
        assert!((ring_area(&eighth) - PI / 2.0).abs() < 1e-15);
        assert!((ring_perimeter(&eighth) - 1.5 * PI).abs() < 1e-15);
    }

    #[test]
    fn a_ring_around_a_pole_is_not_the_rest_of_the_sphere() {
        let ring = [(0.0, 80.0), (-120.0, 80.0), (120.0, 80.0), (0.0, 80.0)];
        assert!((ring_area(&ring) - 0.039_924_945_157).abs() < 1e-12);
        let reversed: Vec<Point> = ring.iter().rev().copied().collect();
        assert_eq!(ring_area(&reversed), -ring_area(&ring));
    }
}
