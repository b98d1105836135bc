//! Areas, perimeters and hulls in the plane. Rings count as they stand: one that does not end where it begins has no last side.

use super::shapes::{Geometry, Point};

/// A ring of fewer points has no area.
const RING_LEAST: usize = 4;

/// The area between a ring and the axis of ordinates, side by side; positive where it turns clockwise.
pub fn ring_area(points: &[Point]) -> f64 {
    if points.len() < RING_LEAST {
        return 0.0;
    }
    let sum = points.windows(2).fold(0.0, |sum, side| sum + (side[0].0 + side[1].0) * (side[0].1 - side[1].1));
    sum / 2.0
}

fn ring_perimeter(points: &[Point]) -> f64 {
    points.windows(2).fold(0.0, |sum, side| {
        let (x, y) = (side[1].0 - side[0].0, side[1].1 - side[0].1);
        sum + (x * x + y * y).sqrt()
    })
}

/// The sum over polygons of the sum over their rings.
pub fn summed(geometry: &Geometry, of_ring: fn(&[Point]) -> f64) -> f64 {
    geometry.lines.iter().fold(0.0, |sum, rings| sum + rings.iter().fold(0.0, |sum, ring| sum + of_ring(ring)))
}

pub fn area(geometry: &Geometry) -> f64 {
    summed(geometry, ring_area)
}

pub fn perimeter(geometry: &Geometry) -> f64 {
    summed(geometry, ring_perimeter)
}

/// The ring with its first point behind the last one, where they differ and there are more than two.
pub fn closed(points: &[Point]) -> Vec<Point> {
    let mut points = points.to_vec();
    if points.len() > 2 && points.first() != points.last() {
        points.extend_from_within(..1);
    }
    points
}

/// The ring clockwise, or the other way.
pub fn turned(mut points: Vec<Point>, inner: bool) -> Vec<Point> {
    let area = ring_area(&points);
    let is_wrong = if inner { area > 0.0 } else { area < 0.0 };
    if is_wrong {
        points.reverse();
    }
    points
}

/// The least convex ring around all points: clockwise from the leftmost one, and closed. Points on its sides are left out.
/// Of fewer than three points that count, the first one is said again until there are four.
pub fn convex_hull(geometry: &Geometry) -> Vec<Point> {
    let mut points: Vec<Point> = geometry.lines.iter().flatten().flatten().copied().collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    points.dedup();
    let Some(first) = points.first().copied() else { return points };
    // Whether the way over three points does not turn to the right.
    let is_straight = |a: Point, b: Point, c: Point| (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0) >= 0.0;
    let half = |points: &mut dyn Iterator<Item = Point>| {
        let mut half: Vec<Point> = Vec::new();
        for point in points {
            while let [.., a, b] = half.as_slice()
                && is_straight(*a, *b, point)
            {
                half.pop();
            }
            half.push(point);
        }
        half
    };
    let (upper, lower) = (half(&mut points.iter().copied()), half(&mut points.iter().rev().copied()));
    let mut hull = upper;
    hull.extend(lower.iter().skip(1).take(lower.len().saturating_sub(2)));
    hull.push(first);
    while hull.len() < RING_LEAST {
        hull.push(first);
    }
    hull
}

#[cfg(test)]
mod tests {
    use super::*;
    use gristmill_types::Shape;

    fn ring(points: &[Point]) -> Geometry {
        Geometry::of_line(Shape::Ring, points.to_vec())
    }

    #[test]
    fn clockwise_areas_are_positive() {
        let square = [(0.0, 0.0), (0.0, 5.0), (5.0, 5.0), (5.0, 0.0)];
        assert_eq!((area(&ring(&square)), perimeter(&ring(&square))), (25.0, 15.0));
        assert_eq!(area(&ring(&square[..3])), 0.0);
        assert_eq!(turned(closed(&square), true)[1], (5.0, 0.0));
    }

    #[test]
    fn a_hull_leaves_out_what_is_inside_and_on_its_sides() {
        let points = [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0), (0.0, 1.0), (1.0, 1.0), (1.5, 0.5)];
        assert_eq!(convex_hull(&ring(&points)), [(0.0, 0.0), (0.0, 2.0), (2.0, 2.0), (2.0, 0.0), (0.0, 0.0)]);
        assert_eq!(convex_hull(&ring(&points[..3])), [(0.0, 0.0), (2.0, 0.0), (0.0, 0.0), (0.0, 0.0)]);
        assert_eq!(convex_hull(&ring(&points[..1])), [(0.0, 0.0); 4]);
        assert_eq!(convex_hull(&ring(&[])), []);
    }
}
