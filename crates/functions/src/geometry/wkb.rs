//! Well-known binary: the order of bytes, what shape it is, and its points. Shapes of shapes have whole ones in them.

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::Shape;

use super::shapes::{Geometry, Point};

/// Points or parts that one shape may have.
const COUNT_MAX: u32 = 1_000_000;

fn number_of(shape: Shape) -> u32 {
    match shape {
        Shape::Point => 1,
        Shape::LineString => 2,
        Shape::Polygon | Shape::Ring => 3,
        Shape::MultiPoint => 4,
        Shape::MultiLineString => 5,
        Shape::MultiPolygon => 6,
    }
}

fn bad(text: String) -> Error {
    Error::new(ErrorCode::BAD_ARGUMENTS, text)
}

fn head(shape: Shape, out: &mut Vec<u8>) {
    out.push(1);
    out.extend_from_slice(&number_of(shape).to_le_bytes());
}

fn count(count: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&(count as u32).to_le_bytes());
}

fn write_points(points: &[Point], out: &mut Vec<u8>) {
    for (x, y) in points {
        out.extend_from_slice(&x.to_le_bytes());
        out.extend_from_slice(&y.to_le_bytes());
    }
}

fn write_line(points: &[Point], out: &mut Vec<u8>) {
    count(points.len(), out);
    write_points(points, out);
}

/// A polygon whose only ring is empty is empty itself.
fn write_polygon(rings: &[Vec<Point>], out: &mut Vec<u8>) {
    let rings = if rings.len() == 1 && rings[0].is_empty() { &[] } else { rings };
    count(rings.len(), out);
    rings.iter().for_each(|ring| write_line(ring, out));
}

/// Appends a shape, which is no ring.
pub fn write(geometry: &Geometry, out: &mut Vec<u8>) {
    head(geometry.shape, out);
    match geometry.shape {
        Shape::Point => write_points(geometry.points(), out),
        Shape::LineString | Shape::Ring => write_line(geometry.points(), out),
        Shape::MultiPoint => {
            count(geometry.points().len(), out);
            for point in geometry.points() {
                head(Shape::Point, out);
                write_points(&[*point], out);
            }
        }
        Shape::MultiLineString => {
            count(geometry.first_lines().len(), out);
            for line in geometry.first_lines() {
                head(Shape::LineString, out);
                write_line(line, out);
            }
        }
        Shape::Polygon => write_polygon(geometry.first_lines(), out),
        Shape::MultiPolygon => {
            count(geometry.lines.len(), out);
            for polygon in &geometry.lines {
                head(Shape::Polygon, out);
                write_polygon(polygon, out);
            }
        }
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    little: bool,
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N]> {
        let Some((taken, rest)) = self.bytes.split_first_chunk::<N>() else {
            let text = format!("Cannot read all data. Bytes read: {}. Bytes expected: {N}", self.bytes.len());
            return Err(Error::new(ErrorCode::CANNOT_READ_ALL_DATA, text));
        };
        self.bytes = rest;
        let mut taken = *taken;
        if !self.little {
            taken.reverse();
        }
        Ok(taken)
    }

    /// The order of bytes, and what shape follows.
    fn head(&mut self) -> Result<Shape> {
        match self.bytes.first() {
            Some(order @ (0 | 1)) => self.little = *order == 1,
            _ => return Err(bad("Error while reading WKB format: Incorrect first flag".to_string())),
        }
        self.bytes = &self.bytes[1..];
        let number = u32::from_le_bytes(self.take()?);
        let shapes = [
            Shape::Point,
            Shape::LineString,
            Shape::Polygon,
            Shape::MultiPoint,
            Shape::MultiLineString,
            Shape::MultiPolygon,
        ];
        let shape = shapes.into_iter().find(|shape| number_of(*shape) == number);
        shape.ok_or_else(|| bad(format!("Incorrect geometry type {number}")))
    }

    fn count(&mut self, what: &str) -> Result<usize> {
        let count = u32::from_le_bytes(self.take()?);
        if count > COUNT_MAX {
            let text = format!("Too many {what} in WKB geometry: {count} (limit: {COUNT_MAX})");
            return Err(Error::new(ErrorCode::TOO_LARGE_ARRAY_SIZE, text));
        }
        Ok(count as usize)
    }

    fn point(&mut self) -> Result<Point> {
        Ok((f64::from_le_bytes(self.take()?), f64::from_le_bytes(self.take()?)))
    }

    /// As many as are told; memory is taken as they are there.
    fn all<I>(&mut self, what: &str, mut item: impl FnMut(&mut Self) -> Result<I>) -> Result<Vec<I>> {
        (0..self.count(what)?).map(|_| item(self)).collect()
    }

    fn line(&mut self) -> Result<Vec<Point>> {
        self.all("points", Self::point)
    }

    fn polygon(&mut self) -> Result<Vec<Vec<Point>>> {
        let rings = self.all("rings", Self::line)?;
        Ok(if rings.is_empty() { vec![Vec::new()] } else { rings })
    }

    /// A whole shape within one of `outer`.
    fn within<I>(&mut self, outer: Shape, inner: Shape, read: impl FnOnce(&mut Self) -> Result<I>) -> Result<I> {
        let found = self.head()?;
        if found != inner {
            return Err(bad(format!(
                "{} contains an internal type {} that differs from {}",
                outer.name(),
                found.name(),
                inner.name()
            )));
        }
        read(self)
    }

    fn geometry(&mut self) -> Result<Geometry> {
        let shape = self.head()?;
        Ok(match shape {
            Shape::Point => Geometry::of_point(self.point()?),
            Shape::LineString | Shape::Ring => Geometry::of_line(shape, self.line()?),
            Shape::Polygon => Geometry::of_lines(shape, self.polygon()?),
            Shape::MultiPoint => {
                let points = self.all("points", |reader| reader.within(shape, Shape::Point, Reader::point))?;
                Geometry::of_line(shape, points)
            }
            Shape::MultiLineString => {
                let lines = self.all("line strings", |reader| reader.within(shape, Shape::LineString, Reader::line))?;
                Geometry::of_lines(shape, lines)
            }
            Shape::MultiPolygon => {
                let lines = self.all("polygons", |reader| reader.within(shape, Shape::Polygon, Reader::polygon))?;
                Geometry { shape, lines }
            }
        })
    }
}

/// Reads a shape; what follows it is left alone. Errors: BAD_ARGUMENTS, CANNOT_READ_ALL_DATA, TOO_LARGE_ARRAY_SIZE.
pub fn read(bytes: &[u8]) -> Result<Geometry> {
    Reader { bytes, little: true }.geometry()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_what_is_cut_is_not() {
        let ring = vec![(0.0, 0.0), (0.0, 1.0), (1.0, 1.0)];
        let cases = [
            Geometry::of_point((1.0, -2.0)),
            Geometry::of_line(Shape::LineString, ring.clone()),
            Geometry::of_line(Shape::MultiPoint, ring.clone()),
            Geometry::of_lines(Shape::MultiLineString, vec![ring.clone(), Vec::new()]),
            Geometry::of_lines(Shape::Polygon, vec![Vec::new()]),
            Geometry { shape: Shape::MultiPolygon, lines: vec![vec![ring.clone(), ring]] },
        ];
        for geometry in cases {
            let mut bytes = Vec::new();
            write(&geometry, &mut bytes);
            assert_eq!(read(&bytes).expect("reads"), geometry);
            for length in 0..bytes.len() {
                assert!(read(&bytes[..length]).is_err(), "{geometry:?} {length}");
            }
        }
    }

    #[test]
    fn more_than_is_there_is_not_made_room_for() {
        let error = read(&[1, 2, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]).expect_err("too many");
        assert_eq!(error.code(), ErrorCode::TOO_LARGE_ARRAY_SIZE);
        assert_eq!(read(&[0, 0, 0, 0, 9]).expect_err("no shape").code(), ErrorCode::BAD_ARGUMENTS);
    }
}
