//! Functions of shapes that measure one, or relate two.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef, Float64Array};
use gristmill_base::allocations::check_wanted;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::{Shape, SqlType};

use super::measures;
use super::relations::Figure;
use super::shapes::{Geometries, Geometry, column, shape_of};
use super::{bad, null};
use crate::columns::at;
use crate::define::{arity, bad_argument, has_null, own_nulls};
use crate::scalar::{Argument, Bound, ScalarFunction};

/// The shape of the argument of a function of polygons. `None`: it is a literal NULL.
fn polygons(name: &str, arguments: &[Argument], of_point: impl FnOnce() -> Error) -> Result<Option<Shape>> {
    arity(name, arguments, 1..=1)?;
    let kind = &arguments[0].kind;
    if kind.is_null_literal() {
        return Ok(None);
    }
    match shape_of(kind) {
        None => Err(bad(format!("Unknown geometry type {kind}"))),
        Some(Shape::Point) => Err(of_point()),
        Some(shape) => Ok(Some(shape)),
    }
}

/// A number of a shape; of lines it is zero. `any`: of a point as well, and coordinates are not looked at.
pub fn measured(measure: fn(&Geometry) -> f64, any: bool) -> Arc<dyn ScalarFunction> {
    own_nulls(move |name, arguments, _| {
        let illegal = |text: String| Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text);
        let shape = if any {
            arity(name, arguments, 1..=1)?;
            let kind = &arguments[0].kind;
            match shape_of(kind) {
                _ if kind.is_null_literal() => None,
                None => return Err(illegal(format!("First argument of function {name} should be Geometry, got {kind}"))),
                shape => shape,
            }
        } else {
            polygons(name, arguments, || illegal(format!("The argument of function {name} must not be Point")))?
        };
        let Some(shape) = shape else { return Ok(null()) };
        let is_flat = matches!(shape, Shape::Ring | Shape::Polygon | Shape::MultiPolygon);
        let result = if arguments[0].kind.is_nullable() { T::Float64.nullable() } else { T::Float64 };
        Ok(Bound::new(result, move |args, rows| {
            let nulls = args[0].logical_nulls();
            let geometries = Geometries::of(&args[0], shape)?;
            let numbers = (0..rows).map(|row| {
                if nulls.as_ref().is_some_and(|nulls| nulls.is_null(at(nulls.len(), row))) {
                    return Ok(None);
                }
                let geometry = geometries.get(row);
                if !any {
                    geometry.check()?;
                }
                Ok(Some(if is_flat { measure(&geometry) } else { 0.0 }))
            });
            Ok(Arc::new(Float64Array::from(numbers.collect::<Result<Vec<_>>>()?)) as ArrayRef)
        }))
    })
}

pub fn hull(name: &str, arguments: &[Argument]) -> Result<Bound> {
    let of_point = || bad_argument(name, "the argument must not be a Point");
    let Some(shape) = polygons(name, arguments, of_point)? else { return Ok(null()) };
    Ok(Bound::new(Shape::Polygon.kind(), move |args, rows| {
        let geometries = Geometries::of(&args[0], shape)?;
        let hulls = (0..rows).map(|row| {
            let geometry = geometries.get(row);
            geometry.check()?;
            Ok(Geometry::of_lines(Shape::Polygon, vec![measures::convex_hull(&geometry)]))
        });
        column(Shape::Polygon, &hulls.collect::<Result<Vec<_>>>()?)
    }))
}

/// A truth as a number.
pub fn told(
    holds: fn(&Figure, &Figure) -> bool,
) -> impl Fn(&Figure, &Figure) -> Result<f64> + Clone + Send + Sync + 'static {
    move |one, other| Ok(f64::from(u8::from(holds(one, other))))
}

/// Which shapes a function takes.
#[derive(Clone, Copy, PartialEq)]
pub enum Takes {
    Areas,
    NoPoint,
    Any,
}

impl Takes {
    fn shape(self, name: &str, kind: &SqlType) -> Result<Shape> {
        let illegal = |text: String| Err(Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text));
        match shape_of(kind) {
            None if self == Takes::Any => {
                illegal(format!("Argument of function {name} has type {kind} which is not a geometry type"))
            }
            None => Err(bad(format!("Unknown geometry type {kind}"))),
            Some(shape @ (Shape::Ring | Shape::Polygon | Shape::MultiPolygon)) => Ok(shape),
            Some(shape) if self == Takes::Areas || (self == Takes::NoPoint && shape == Shape::Point) => {
                illegal(format!("Any argument of function {name} must not be {}", shape.name()))
            }
            Some(shape) => Ok(shape),
        }
    }
}

/// A function of two shapes.
pub fn related(
    takes: Takes,
    result: SqlType,
    relation: impl Fn(&Figure, &Figure) -> Result<f64> + Clone + Send + Sync + 'static,
) -> Arc<dyn ScalarFunction> {
    own_nulls(move |name, arguments, _| {
        arity(name, arguments, 2..=2)?;
        if has_null(arguments) {
            return Ok(null());
        }
        let shapes = [takes.shape(name, &arguments[0].kind)?, takes.shape(name, &arguments[1].kind)?];
        let nullable = arguments.iter().any(|argument| argument.kind.is_nullable());
        let (relation, carrier) = (relation.clone(), result.arrow());
        let result = if nullable { result.clone().nullable() } else { result.clone() };
        Ok(Bound::new(result, move |args, rows| {
            let nulls: Vec<_> = args.iter().map(|array| array.logical_nulls()).collect();
            let (one, other) = (Geometries::of(&args[0], shapes[0])?, Geometries::of(&args[1], shapes[1])?);
            let numbers = (0..rows).map(|row| {
                check_wanted()?;
                if nulls.iter().flatten().any(|nulls| nulls.is_null(at(nulls.len(), row))) {
                    return Ok(None);
                }
                let (one, other) = (one.get(row), other.get(row));
                one.check()?;
                other.check()?;
                relation(&Figure::new(&one), &Figure::new(&other)).map(Some)
            });
            let numbers = Float64Array::from(numbers.collect::<Result<Vec<_>>>()?);
            Ok(arrow::compute::cast(&numbers, &carrier)?)
        }))
    })
}
