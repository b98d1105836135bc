//! Shapes: their texts and bytes (`wkt`, `wkb`, `svg` and what reads them), areas, perimeters and hulls, and how two of them lie
//! to each other.
//!
//! The functions see the names of types: a `LineString` and a `Ring` are both arrays of points. So they handle NULL themselves,
//! which of shapes only points can be.

mod digits;
mod figures;
mod measures;
mod relations;
mod shapes;
mod spherical;
mod svg;
mod texts;
mod tiles;
mod wkb;
mod wkt;

use SqlType as T;
use arrow::array::new_null_array;
use arrow::datatypes::DataType;
use gristmill_base::{Error, ErrorCode};
use gristmill_types::{Shape, SqlType};

use self::figures::{Takes, hull, measured, related, told};
use self::shapes::Geometry;
use self::texts::{expected, read, written};
use crate::define::own_nulls;
use crate::registry::Registry;
use crate::scalar::Bound;

pub fn register(registry: &mut Registry) {
    registry.scalar(
        "wkt",
        written(
            1,
            "Unknown geometry type",
            |_| true,
            |shape, _, out| {
                let mut text = String::new();
                wkt::write(shape, &mut text);
                out.extend_from_slice(text.as_bytes());
            },
        ),
    );
    registry.alias("WKT", "wkt");
    registry.scalar(
        "svg",
        written(
            2,
            "Unknown geometry type",
            |_| true,
            |shape, style, out| {
                let mut text = String::new();
                svg::write(shape, &String::from_utf8_lossy(style), &mut text);
                out.extend_from_slice(text.as_bytes());
            },
        ),
    );
    registry.alias("SVG", "svg");
    // Of shapes that have a name, and of no ring, which has no number there.
    let is_binary = |kind: &SqlType| match kind {
        T::Nullable(inner) => matches!(**inner, T::Geometric(Shape::Point, _)),
        T::Geometric(shape, _) => *shape != Shape::Ring,
        _ => false,
    };
    registry.scalar(
        "wkb",
        written(1, "wkb function is not supported for type", is_binary, |shape, _, out| wkb::write(shape, out)),
    );
    registry.alias("WKB", "wkb");
    for shape in Shape::ALL {
        let name = shape.name();
        registry
            .scalar(&format!("readWKT{name}"), read(shape, move |bytes| wkt::read(shape, &String::from_utf8_lossy(bytes))));
        if shape == Shape::Ring {
            continue;
        }
        registry.scalar(&format!("readWKB{name}"), read(shape, move |bytes| expected(shape, wkb::read(bytes)?)));
    }
    for (alias, name) in [
        ("ST_PointFromWKB", "readWKBPoint"),
        ("ST_LineFromWKB", "readWKBLineString"),
        ("ST_PolyFromWKB", "readWKBPolygon"),
        ("ST_MPointFromWKB", "readWKBMultiPoint"),
        ("ST_MLineFromWKB", "readWKBMultiLineString"),
        ("ST_MPolyFromWKB", "readWKBMultiPolygon"),
    ] {
        registry.alias(alias, name);
    }
    let measures: [(&str, fn(&Geometry) -> f64); 4] = [
        ("areaCartesian", measures::area),
        ("areaSpherical", spherical::area),
        ("perimeterCartesian", measures::perimeter),
        ("perimeterSpherical", spherical::perimeter),
    ];
    for (name, measure) in measures {
        let (first, rest) = name.split_at(1);
        registry.scalar(name, measured(measure, true));
        registry.scalar(&format!("polygon{}{rest}", first.to_uppercase()), measured(measure, false));
    }
    registry.scalar("geometryIntersectCartesian", related(Takes::Any, T::UInt8, told(relations::intersect)));
    registry.scalar("polygonsIntersectCartesian", related(Takes::Areas, T::UInt8, told(relations::intersect)));
    registry.scalar("polygonsWithinCartesian", related(Takes::Areas, T::UInt8, told(relations::within)));
    registry.scalar("polygonsEqualsCartesian", related(Takes::Areas, T::UInt8, told(relations::equal)));
    registry.scalar(
        "polygonsDistanceCartesian",
        related(Takes::NoPoint, T::Float64, |one, other| {
            if one.is_empty() || other.is_empty() {
                return Err(Error::new(ErrorCode::STD_EXCEPTION, "There is no distance to a shape without points"));
            }
            Ok(relations::distance(one, other))
        }),
    );
    tiles::register(registry);
    registry.scalar("polygonConvexHullCartesian", own_nulls(|name, arguments, _| hull(name, arguments)));
}

fn bad(text: String) -> Error {
    Error::new(ErrorCode::BAD_ARGUMENTS, text)
}

/// What a literal NULL gives.
fn null() -> Bound {
    Bound::new(SqlType::null(), |_, rows| Ok(new_null_array(&DataType::Null, rows)))
}
