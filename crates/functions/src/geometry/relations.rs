//! How two shapes lie to each other: whether they meet, whether one is within the other, and how far they are apart.
//!
//! Shapes meet where sides cross or touch, or where a point of one lies in an area of the other. An area is within another where
//! no side of it leaves the other and no side of the other enters it, and where its inside is not that of a hole. To see this,
//! sides are cut where they meet sides of the other; of each piece the middle is looked at. What is nearer to a side than
//! rounding can tell lies on it. Rings are closed before; of ones that cross themselves nothing is promised.

use super::measures::closed;
use super::shapes::{Geometry, Lines, Point};
use gristmill_types::Shape;

type Side = (Point, Point);

/// What counts as nothing, of the greatest coordinate.
const TOLERANCE: f64 = 1e-13;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Inside,
    On,
    Outside,
}

/// A shape with the sides that it has.
pub struct Figure {
    points: Vec<Point>,
    sides: Vec<Side>,
    /// Rings by polygon; of lines and points there are none.
    areas: Lines,
    /// Whether it is points alone.
    is_dots: bool,
}

fn minus(a: Point, b: Point) -> Point {
    (a.0 - b.0, a.1 - b.1)
}

fn cross(a: Point, b: Point) -> f64 {
    a.0 * b.1 - a.1 * b.0
}

fn dot(a: Point, b: Point) -> f64 {
    a.0 * b.0 + a.1 * b.1
}

fn distance_of_points(a: Point, b: Point) -> f64 {
    let difference = minus(a, b);
    dot(difference, difference).sqrt()
}

fn distance_to_side(point: Point, (a, b): Side) -> f64 {
    let (along, to) = (minus(b, a), minus(point, a));
    let (part, whole) = (dot(to, along), dot(along, along));
    if part <= 0.0 {
        return distance_of_points(point, a);
    }
    if whole <= part {
        return distance_of_points(point, b);
    }
    let place = part / whole;
    distance_of_points(point, (a.0 + place * along.0, a.1 + place * along.1))
}

fn sides_of(points: &[Point]) -> impl Iterator<Item = Side> {
    points.windows(2).map(|pair| (pair[0], pair[1]))
}

impl Figure {
    pub fn new(geometry: &Geometry) -> Figure {
        let is_flat = matches!(geometry.shape, Shape::Ring | Shape::Polygon | Shape::MultiPolygon);
        let ring = |points: &Vec<Point>| {
            let mut points = closed(points);
            // Two points there and back are a ring too.
            if points.len() == 2 {
                points.extend_from_within(..1);
            }
            points
        };
        let areas: Lines = match is_flat {
            true => geometry.lines.iter().map(|rings| rings.iter().map(ring).collect()).collect(),
            false => Vec::new(),
        };
        let lines = if is_flat { &areas } else { &geometry.lines };
        let points: Vec<Point> = lines.iter().flatten().flatten().copied().collect();
        let is_dots = matches!(geometry.shape, Shape::Point | Shape::MultiPoint);
        let sides = match is_dots {
            true => Vec::new(),
            false => lines.iter().flatten().flat_map(|line| sides_of(line)).collect(),
        };
        Figure { points, sides, areas, is_dots }
    }

    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Where a point lies of the areas.
    fn place(&self, point: Point, near: f64) -> Place {
        if self.sides.iter().any(|side| distance_to_side(point, *side) <= near) {
            return Place::On;
        }
        let is_inside = |rings: &Vec<Vec<Point>>| {
            let crossed = rings.iter().flat_map(|ring| sides_of(ring)).filter(|(a, b)| {
                (a.1 > point.1) != (b.1 > point.1) && point.0 < (b.0 - a.0) * (point.1 - a.1) / (b.1 - a.1) + a.0
            });
            crossed.count() % 2 == 1
        };
        if self.areas.iter().any(is_inside) { Place::Inside } else { Place::Outside }
    }

    /// The middles of the pieces of the sides, cut where they meet those of another figure.
    fn middles<'a>(&'a self, other: &'a Figure) -> impl Iterator<Item = Point> + 'a {
        self.sides.iter().flat_map(move |(a, b)| {
            let along = minus(*b, *a);
            let mut cuts = vec![0.0, 1.0];
            for (c, d) in &other.sides {
                let (across, to) = (minus(*d, *c), minus(*c, *a));
                let turn = cross(along, across);
                if turn != 0.0 {
                    cuts.push(cross(to, across) / turn);
                } else {
                    let whole = dot(along, along);
                    cuts.extend([dot(to, along) / whole, dot(minus(*d, *a), along) / whole]);
                }
            }
            cuts.retain(|cut| (0.0..=1.0).contains(cut));
            cuts.sort_by(f64::total_cmp);
            let middles: Vec<f64> =
                cuts.windows(2).filter(|cuts| cuts[0] < cuts[1]).map(|cuts| (cuts[0] + cuts[1]) / 2.0).collect();
            middles.into_iter().map(move |middle| (a.0 + middle * along.0, a.1 + middle * along.1))
        })
    }
}

/// How near is on a side, for these two.
fn near(one: &Figure, other: &Figure) -> f64 {
    let numbers = one.points.iter().chain(&other.points).flat_map(|point| [point.0.abs(), point.1.abs()]);
    numbers.fold(0.0, f64::max) * TOLERANCE
}

fn do_cross((a, b): Side, (c, d): Side) -> bool {
    let turns = |from: Point, to: Point, point: Point| cross(minus(to, from), minus(point, from));
    let (first, second) = (turns(a, b, c), turns(a, b, d));
    let (third, fourth) = (turns(c, d, a), turns(c, d, b));
    (first > 0.0) != (second > 0.0) && (third > 0.0) != (fourth > 0.0)
}

pub fn intersect(one: &Figure, other: &Figure) -> bool {
    let near = near(one, other);
    let touches = |points: &[Point], sides: &[Side]| {
        points.iter().any(|point| sides.iter().any(|side| distance_to_side(*point, *side) <= near))
    };
    // What no side crosses lies in an area as a whole, or not at all.
    let lies_in = |inner: &Figure, outer: &Figure| {
        !outer.areas.is_empty() && inner.points.iter().any(|point| outer.place(*point, near) != Place::Outside)
    };
    let are_same = || one.is_dots && other.is_dots && one.points.iter().any(|point| other.points.contains(point));
    are_same()
        || one.sides.iter().any(|side| other.sides.iter().any(|crossed| do_cross(*side, *crossed)))
        || touches(&one.points, &other.sides)
        || touches(&other.points, &one.sides)
        || lies_in(one, other)
        || lies_in(other, one)
}

/// A point within a polygon, where it has an inside.
fn inner_point(rings: &[Vec<Point>]) -> Option<Point> {
    let mut heights: Vec<f64> = rings.iter().flatten().map(|point| point.1).collect();
    heights.sort_by(f64::total_cmp);
    heights.dedup();
    let heights = heights.windows(2).map(|pair| (pair[0] + pair[1]) / 2.0);
    heights
        .filter_map(|height| {
            let sides = rings.iter().flat_map(|ring| sides_of(ring));
            let mut crossed: Vec<f64> = sides
                .filter(|(a, b)| (a.1 > height) != (b.1 > height))
                .map(|(a, b)| (b.0 - a.0) * (height - a.1) / (b.1 - a.1) + a.0)
                .collect();
            crossed.sort_by(f64::total_cmp);
            let widest = crossed.chunks_exact(2).max_by(|a, b| (a[1] - a[0]).total_cmp(&(b[1] - b[0])))?;
            (widest[0] < widest[1]).then(|| ((widest[0] + widest[1]) / 2.0, height))
        })
        .next()
}

pub fn within(one: &Figure, other: &Figure) -> bool {
    if one.is_empty() || other.is_empty() {
        return false;
    }
    let near = near(one, other);
    let is_in = |point: Point| other.place(point, near) != Place::Outside;
    let mut insides = one.areas.iter().filter_map(|rings| inner_point(rings).or(rings.first()?.first().copied()));
    insides.all(is_in)
        && one.points.iter().all(|point| is_in(*point))
        && one.middles(other).all(is_in)
        && !other.middles(one).any(|point| one.place(point, near) == Place::Inside)
}

pub fn equal(one: &Figure, other: &Figure) -> bool {
    one.is_empty() && other.is_empty() || within(one, other) && within(other, one)
}

/// Neither may be empty.
pub fn distance(one: &Figure, other: &Figure) -> f64 {
    if intersect(one, other) {
        return 0.0;
    }
    let to_sides = |points: &[Point], sides: &[Side]| {
        points
            .iter()
            .flat_map(|point| sides.iter().map(|side| distance_to_side(*point, *side)))
            .fold(f64::INFINITY, f64::min)
    };
    let between_points = || {
        let pairs = one.points.iter().flat_map(|a| other.points.iter().map(|b| distance_of_points(*a, *b)));
        pairs.fold(f64::INFINITY, f64::min)
    };
    let distance = to_sides(&one.points, &other.sides).min(to_sides(&other.points, &one.sides));
    if one.sides.is_empty() || other.sides.is_empty() { distance.min(between_points()) } else { distance }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(from: f64, to: f64) -> Vec<Point> {
        vec![(from, from), (from, to), (to, to), (to, from)]
    }

    fn polygon(rings: &[Vec<Point>]) -> Figure {
        Figure::new(&Geometry::of_lines(Shape::Polygon, rings.to_vec()))
    }

    #[test]
    fn a_hole_is_no_inside() {
        let (whole, hole) = (polygon(&[square(0.0, 9.0)]), polygon(&[square(2.0, 7.0)]));
        let ring = polygon(&[square(0.0, 9.0), square(2.0, 7.0)]);
        let small = polygon(&[square(3.0, 6.0)]);
        assert!(within(&hole, &whole) && within(&ring, &whole) && within(&whole, &whole));
        assert!(!within(&hole, &ring) && !within(&whole, &ring) && !within(&small, &ring) && !within(&whole, &hole));
        assert!(intersect(&hole, &ring) && !intersect(&small, &ring) && intersect(&small, &whole));
        assert_eq!((distance(&small, &ring), distance(&small, &whole)), (1.0, 0.0));
    }

    #[test]
    fn neighbours_are_two_areas() {
        let right = square(0.0, 9.0).iter().map(|(x, y)| (x + 9.0, *y)).collect();
        let both = Geometry { shape: Shape::MultiPolygon, lines: vec![vec![square(0.0, 9.0)], vec![right]] };
        let joined = polygon(&[vec![(0.0, 0.0), (0.0, 9.0), (18.0, 9.0), (18.0, 0.0)]]);
        assert!(!within(&joined, &Figure::new(&both)) && within(&Figure::new(&both), &joined));
        assert!(equal(&Figure::new(&both), &Figure::new(&both)) && !equal(&Figure::new(&both), &joined));
    }

    #[test]
    fn slanted_sides_that_lie_on_each_other_touch() {
        let whole = polygon(&[vec![(0.1, 0.1), (0.4, 7.3), (9.7, 3.1)]]);
        let part = polygon(&[vec![(0.1, 0.1), (0.1 + 9.6 / 3.0, 0.1 + 1.0), (0.25, 3.7)]]);
        assert!(within(&part, &whole) && !within(&whole, &part) && intersect(&part, &whole));
    }

    #[test]
    fn lines_and_points_are_as_far_as_their_nearest_ends() {
        let line = |points: &[Point]| Figure::new(&Geometry::of_line(Shape::LineString, points.to_vec()));
        let dots = Figure::new(&Geometry::of_line(Shape::MultiPoint, vec![(0.0, 0.0), (9.0, 0.0)]));
        assert_eq!(distance(&line(&[(0.0, 0.0), (9.0, 0.0)]), &line(&[(4.0, 4.0), (5.0, -5.0)])), 0.0);
        assert_eq!(distance(&dots, &line(&[(9.0, 3.0), (20.0, 3.0)])), 3.0);
        assert_eq!(distance(&dots, &dots), 0.0);
    }
}
