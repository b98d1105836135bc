//! Well-known text: `POLYGON((0 0,1 1,2 0))`.
//!
//! Written are the rings of polygons as closed ones, and a ring by itself as it stands. Read is what Boost takes: numbers up to
//! a comma or a bracket, of which the first two are the point; what lacks is zero.

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::Shape;

use super::digits::write_number;
use super::shapes::{Geometry, Point};

fn name_of(shape: Shape) -> &'static str {
    match shape {
        Shape::Point => "POINT",
        Shape::Ring | Shape::Polygon => "POLYGON",
        Shape::LineString => "LINESTRING",
        Shape::MultiPoint => "MULTIPOINT",
        Shape::MultiLineString => "MULTILINESTRING",
        Shape::MultiPolygon => "MULTIPOLYGON",
    }
}

fn write_point((x, y): Point, out: &mut String) {
    write_number(x, out);
    out.push(' ');
    write_number(y, out);
}

/// In brackets, with commas between them.
fn write_all<I>(items: &[I], mut write: impl FnMut(&I, &mut String), out: &mut String) {
    out.push('(');
    for (place, item) in items.iter().enumerate() {
        if place > 0 {
            out.push(',');
        }
        write(item, out);
    }
    out.push(')');
}

fn write_line(points: &[Point], out: &mut String) {
    write_all(points, |point, out| write_point(*point, out), out);
}

/// A ring that ends where it begins.
fn write_ring(points: &[Point], out: &mut String) {
    match (points.first(), points.last()) {
        (Some(first), Some(last)) if first != last => {
            let closed: Vec<Point> = points.iter().copied().chain([*first]).collect();
            write_line(&closed, out);
        }
        _ => write_line(points, out),
    }
}

/// A polygon whose only ring is empty is empty itself.
fn write_polygon(rings: &[Vec<Point>], out: &mut String) {
    match rings {
        [ring] if ring.is_empty() => out.push_str("()"),
        rings => write_all(rings, |ring, out| write_ring(ring, out), out),
    }
}

pub fn write(geometry: &Geometry, out: &mut String) {
    out.push_str(name_of(geometry.shape));
    match geometry.shape {
        Shape::Point | Shape::LineString => write_line(geometry.points(), out),
        // A ring is the outer one of a polygon.
        Shape::Ring if geometry.points().is_empty() => out.push_str("()"),
        Shape::Ring => write_all(&[()], |(), out| write_line(geometry.points(), out), out),
        Shape::MultiPoint => write_all(geometry.points(), |point, out| write_line(&[*point], out), out),
        Shape::MultiLineString => write_all(geometry.first_lines(), |line, out| write_line(line, out), out),
        Shape::Polygon => write_polygon(geometry.first_lines(), out),
        Shape::MultiPolygon => write_all(&geometry.lines, |polygon, out| write_polygon(polygon, out), out),
    }
}

struct Reader<'a> {
    text: &'a str,
    tokens: Vec<&'a str>,
    next: usize,
}

/// Words, and brackets and commas by themselves.
fn tokens_of(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    for word in text.split([' ', '\t', '\n', '\r', '\u{b}', '\u{c}']) {
        let mut rest = word;
        while let Some(at) = rest.find(['(', ')', ',']) {
            tokens.extend([&rest[..at], &rest[at..=at]]);
            rest = &rest[at + 1..];
        }
        tokens.push(rest);
    }
    tokens.retain(|token| !token.is_empty());
    tokens
}

impl<'a> Reader<'a> {
    fn wrong(&self, what: &str) -> Error {
        let place = self.tokens.get(self.next).map_or_else(String::new, |token| format!(" at '{token}'"));
        let text = format!("Cannot parse WKT string: {what}{place} in '{}'", self.text);
        Error::new(ErrorCode::CANNOT_PARSE_TEXT, text)
    }

    fn peek(&self) -> Option<&'a str> {
        self.tokens.get(self.next).copied()
    }

    fn take(&mut self, token: &str) -> bool {
        let is_there = self.peek() == Some(token);
        self.next += usize::from(is_there);
        is_there
    }

    fn expect(&mut self, token: &str) -> Result<()> {
        if self.take(token) { Ok(()) } else { Err(self.wrong(&format!("Expected '{token}'"))) }
    }

    fn number(&mut self) -> Result<f64> {
        let token = self.peek().unwrap_or("");
        let (sign, plain) = match token.strip_prefix('-') {
            Some(plain) => (-1.0, plain),
            None => (1.0, token.strip_prefix('+').unwrap_or(token)),
        };
        let hexadecimal = plain.strip_prefix("0x").or_else(|| plain.strip_prefix("0X"));
        let number = match hexadecimal {
            Some(digits) => u64::from_str_radix(digits, 16).ok().map(|number| sign * number as f64),
            None => token.parse::<f64>().ok(),
        };
        // What is larger than any number is none.
        let is_named = plain.starts_with(|c: char| c.is_ascii_alphabetic());
        let Some(number) = number.filter(|number| is_named || !number.is_infinite()) else {
            return Err(self.wrong("bad lexical cast: source type value could not be interpreted as target"));
        };
        self.next += 1;
        Ok(number)
    }

    fn point(&mut self) -> Result<Point> {
        let mut numbers = [0.0; 2];
        for number in &mut numbers {
            if matches!(self.peek(), None | Some("," | ")")) {
                break;
            }
            *number = self.number()?;
        }
        Ok((numbers[0], numbers[1]))
    }

    /// What stands in brackets; commas between are passed over. `empty`: nothing may stand there.
    fn all<I>(&mut self, mut item: impl FnMut(&mut Self) -> Result<I>) -> Result<Vec<I>> {
        self.expect("(")?;
        let mut items = Vec::new();
        while !matches!(self.peek(), None | Some(")")) {
            items.push(item(self)?);
            self.take(",");
        }
        self.expect(")")?;
        Ok(items)
    }

    fn line(&mut self) -> Result<Vec<Point>> {
        self.all(Self::point)
    }

    /// A ring that may have no points is one all the same.
    fn polygon(&mut self) -> Result<Vec<Vec<Point>>> {
        let rings = self.all(Self::line)?;
        Ok(if rings.is_empty() { vec![Vec::new()] } else { rings })
    }
}

/// Reads a shape. Error: CANNOT_PARSE_TEXT.
pub fn read(shape: Shape, text: &str) -> Result<Geometry> {
    let mut reader = Reader { text, tokens: tokens_of(text), next: 0 };
    let name = name_of(shape);
    if !reader.peek().is_some_and(|token| token.eq_ignore_ascii_case(name)) {
        return Err(reader.wrong(&format!("Should start with '{name}'")));
    }
    reader.next += 1;
    // Of two dimensions, a measure is none.
    if reader.peek().is_some_and(|token| token.eq_ignore_ascii_case("M")) {
        reader.next += 1;
    }
    if reader.peek().is_some_and(|token| token.eq_ignore_ascii_case("Z") || token.eq_ignore_ascii_case("ZM")) {
        return Err(reader.wrong("Z only allowed for 3 or more dimensions"));
    }
    let is_empty = reader.peek().is_some_and(|token| token.eq_ignore_ascii_case("EMPTY"));
    if is_empty {
        reader.next += 1;
    }
    let geometry = match shape {
        Shape::Point if is_empty => {
            let text = format!("Empty points are not supported: {text}");
            return Err(Error::new(ErrorCode::CANNOT_PARSE_TEXT, text));
        }
        Shape::Polygon if is_empty => Geometry::of_lines(shape, vec![Vec::new()]),
        Shape::MultiPolygon if is_empty => Geometry { shape, lines: Vec::new() },
        Shape::MultiLineString if is_empty => Geometry::of_lines(shape, Vec::new()),
        _ if is_empty => Geometry::of_line(shape, Vec::new()),
        Shape::Point => {
            reader.expect("(")?;
            let point = reader.point()?;
            reader.expect(")")?;
            Geometry::of_point(point)
        }
        Shape::Ring => {
            reader.expect("(")?;
            let points = reader.line()?;
            reader.expect(")")?;
            Geometry::of_line(shape, points)
        }
        Shape::LineString => Geometry::of_line(shape, reader.line()?),
        Shape::MultiPoint => {
            // All points stand in brackets where the first one does.
            let in_brackets = reader.tokens.get(reader.next + 1) == Some(&"(");
            let point = |reader: &mut Reader<'_>| {
                if in_brackets {
                    reader.expect("(")?;
                }
                let point = reader.point()?;
                if in_brackets {
                    reader.expect(")")?;
                }
                Ok(point)
            };
            Geometry::of_line(shape, reader.all(point)?)
        }
        Shape::MultiLineString => Geometry::of_lines(shape, reader.all(Reader::line)?),
        Shape::Polygon => Geometry::of_lines(shape, reader.polygon()?),
        Shape::MultiPolygon => Geometry { shape, lines: reader.all(Reader::polygon)? },
    };
    if reader.peek().is_some() {
        return Err(reader.wrong("Too many tokens"));
    }
    Ok(geometry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for (shape, text) in [
            (Shape::Point, "POINT(1.5 -2)"),
            (Shape::Ring, "POLYGON((0 0,1 1,2 0))"),
            (Shape::LineString, "LINESTRING(0 0,1 1)"),
            (Shape::MultiPoint, "MULTIPOINT((0 0),(1 1))"),
            (Shape::MultiLineString, "MULTILINESTRING((0 0,1 1),())"),
            (Shape::Polygon, "POLYGON((0 0,9 0,9 9,0 0),(1 1,2 1,2 2,1 1))"),
            (Shape::Polygon, "POLYGON()"),
            (Shape::MultiPolygon, "MULTIPOLYGON(((0 0,9 0,9 9,0 0)),())"),
        ] {
            let mut written = String::new();
            write(&read(shape, text).expect(text), &mut written);
            assert_eq!(written, text);
        }
    }

    #[test]
    fn numbers_and_commas_may_lack() {
        let line = |text: &str| read(Shape::LineString, text).map(|geometry| geometry.points().to_vec());
        assert_eq!(line("linestring ( 1 1 2 2, 3)").expect("reads"), [(1.0, 1.0), (2.0, 2.0), (3.0, 0.0)]);
        assert_eq!(line("LINESTRING (,)").expect("reads"), [(0.0, 0.0)]);
        assert_eq!(line("LINESTRING EMPTY").expect("reads"), []);
        for wrong in ["", "LINE(1 1)", "LINESTRING(1 1", "LINESTRING(a b)", "LINESTRING(1e400 1)", "LINESTRING() x"] {
            assert_eq!(line(wrong).expect_err(wrong).code(), ErrorCode::CANNOT_PARSE_TEXT);
        }
    }
}
