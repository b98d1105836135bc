//! Shapes as columns have them, and as functions take them apart: points, and how many of them belong together.
//!
//! All shapes but points are arrays of points, of arrays of points, or of arrays of these. A shape is held as its points in
//! lines, and the lines in polygons, whatever it is: a point is one line of one point, a ring one line.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray, Float64Array, StructArray};
use arrow::datatypes::{DataType, Float64Type};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::{Shape, SqlType};

use crate::columns::{at, list, retype};

pub type Point = (f64, f64);

/// Polygons, each of lines, each of points.
pub type Lines = Vec<Vec<Vec<Point>>>;

#[derive(Clone, Debug, PartialEq)]
pub struct Geometry {
    pub shape: Shape,
    pub lines: Lines,
}

/// Arrays around the points.
pub fn depth(shape: Shape) -> usize {
    match shape {
        Shape::Point => 0,
        Shape::Ring | Shape::LineString | Shape::MultiPoint => 1,
        Shape::Polygon | Shape::MultiLineString => 2,
        Shape::MultiPolygon => 3,
    }
}

impl Geometry {
    pub fn of_point(point: Point) -> Geometry {
        Geometry { shape: Shape::Point, lines: vec![vec![vec![point]]] }
    }

    /// Of a shape that is one line.
    pub fn of_line(shape: Shape, points: Vec<Point>) -> Geometry {
        Geometry { shape, lines: vec![vec![points]] }
    }

    /// Of a shape of lines, which are not parted into polygons.
    pub fn of_lines(shape: Shape, lines: Vec<Vec<Point>>) -> Geometry {
        Geometry { shape, lines: vec![lines] }
    }

    /// The points of a shape that is one line.
    pub fn points(&self) -> &[Point] {
        self.lines.first().and_then(|lines| lines.first()).map_or(&[], Vec::as_slice)
    }

    /// The lines of a shape that is one polygon, or no polygon.
    pub fn first_lines(&self) -> &[Vec<Point>] {
        self.lines.first().map_or(&[], Vec::as_slice)
    }

    /// Error: ILLEGAL_TYPE_OF_ARGUMENT where a number of a point is none.
    pub fn check(&self) -> Result<()> {
        let numbers = self.lines.iter().flatten().flatten().flat_map(|(x, y)| [*x, *y]);
        for number in numbers {
            if !number.is_finite() {
                let what = if number.is_nan() { "NaN" } else { "infinite" };
                return Err(Error::new(
                    ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT,
                    format!("Point's component must not be {what}"),
                ));
            }
        }
        Ok(())
    }
}

/// The shape that a type is of: named, or a tuple of two numbers and arrays around it. `None`: it is of none.
pub fn shape_of(kind: &SqlType) -> Option<Shape> {
    match kind {
        T::Geometric(shape, _) => Some(*shape),
        T::Nullable(inner) | T::LowCardinality(inner) | T::SimpleAggregateFunction(_, inner) => shape_of(inner),
        T::Tuple(fields) => matches!(fields.as_slice(), [(None, T::Float64), (None, T::Float64)]).then_some(Shape::Point),
        T::Array(element) => Some(match shape_of(element)? {
            Shape::Point => Shape::Ring,
            Shape::Ring => Shape::Polygon,
            Shape::Polygon => Shape::MultiPolygon,
            _ => return None,
        }),
        _ => None,
    }
}

/// The shapes of a column.
pub struct Geometries {
    shape: Shape,
    /// Where arrays end, the outermost first.
    levels: Vec<Vec<i32>>,
    x: Float64Array,
    y: Float64Array,
    rows: usize,
}

impl Geometries {
    pub fn of(array: &ArrayRef, shape: Shape) -> Result<Geometries> {
        let misfit = |array: &ArrayRef| Error::logical(format!("A shape came as Arrow's {}", array.data_type()));
        let (mut inner, mut levels) = (array.clone(), Vec::new());
        for _ in 0..depth(shape) {
            let lists = inner.as_list_opt::<i32>().ok_or_else(|| misfit(&inner))?;
            levels.push(lists.value_offsets().to_vec());
            inner = lists.values().clone();
        }
        // An empty array's elements have no type of their own.
        if *inner.data_type() == DataType::Null {
            let empty = Float64Array::from(Vec::<f64>::new());
            return Ok(Geometries { shape, levels, x: empty.clone(), y: empty, rows: array.len() });
        }
        let points = inner.as_struct_opt().ok_or_else(|| misfit(&inner))?;
        let number = |i: usize| points.column(i).as_primitive_opt::<Float64Type>().cloned().ok_or_else(|| misfit(&inner));
        Ok(Geometries { shape, levels, x: number(0)?, y: number(1)?, rows: array.len() })
    }

    /// The shape of `row`; of a constant, its only one.
    pub fn get(&self, row: usize) -> Geometry {
        let row = at(self.rows, row);
        let range = |level: usize, place: usize| self.levels[level][place] as usize..self.levels[level][place + 1] as usize;
        let point = |place: usize| (self.x.value(place), self.y.value(place));
        let line = |level: usize, place: usize| range(level, place).map(point).collect::<Vec<_>>();
        let lines = match self.levels.len() {
            0 => vec![vec![vec![point(row)]]],
            1 => vec![vec![line(0, row)]],
            2 => vec![range(0, row).map(|place| line(1, place)).collect()],
            _ => range(0, row).map(|polygon| range(1, polygon).map(|place| line(2, place)).collect()).collect(),
        };
        Geometry { shape: self.shape, lines }
    }
}

/// A column of shapes of one kind.
pub fn column(shape: Shape, geometries: &[Geometry]) -> Result<ArrayRef> {
    let kind = shape.kind();
    let points = || geometries.iter().flat_map(|geometry| geometry.lines.iter().flatten().flatten());
    let x = Float64Array::from_iter_values(points().map(|point| point.0));
    let y = Float64Array::from_iter_values(points().map(|point| point.1));
    let DataType::Struct(fields) = Shape::Point.kind().arrow() else {
        return Err(Error::logical("A point is a tuple"));
    };
    let mut array: ArrayRef = Arc::new(StructArray::try_new(fields, vec![Arc::new(x), Arc::new(y)], None)?);
    let each = |length: &dyn Fn(&Geometry) -> Vec<usize>| geometries.iter().flat_map(length).collect::<Vec<usize>>();
    let of_lines = || each(&|geometry| geometry.lines.iter().flatten().map(Vec::len).collect());
    let levels = match depth(shape) {
        0 => Vec::new(),
        1 => vec![of_lines()],
        2 => vec![of_lines(), each(&|geometry| vec![geometry.first_lines().len()])],
        _ => vec![
            of_lines(),
            each(&|geometry| geometry.lines.iter().map(Vec::len).collect()),
            each(&|geometry| vec![geometry.lines.len()]),
        ],
    };
    for lengths in levels {
        array = list(array, &lengths)?;
    }
    retype(&array, &kind.arrow())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_come_back_from_their_columns() {
        let square = vec![(0.0, 0.0), (0.0, 1.0), (1.0, 1.0)];
        let cases = [
            vec![Geometry::of_point((1.0, 2.0)), Geometry::of_point((3.0, 4.0))],
            vec![Geometry::of_line(Shape::Ring, square.clone()), Geometry::of_line(Shape::Ring, Vec::new())],
            vec![
                Geometry::of_lines(Shape::Polygon, vec![square.clone(), Vec::new()]),
                Geometry::of_lines(Shape::Polygon, Vec::new()),
            ],
            vec![
                Geometry { shape: Shape::MultiPolygon, lines: vec![vec![square.clone()], vec![square, Vec::new()]] },
                Geometry { shape: Shape::MultiPolygon, lines: Vec::new() },
            ],
        ];
        for geometries in cases {
            let shape = geometries[0].shape;
            let array = column(shape, &geometries).expect("a column");
            let read = Geometries::of(&array, shape).expect("shapes");
            assert_eq!([read.get(0), read.get(1)].as_slice(), geometries.as_slice());
        }
    }
}
