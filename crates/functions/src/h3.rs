//! H3, a grid of hexagons over the earth in sixteen resolutions: cells of places, places of cells, cells about a cell, above and below
//! it, and edges between two. A cell and an edge are numbers of 64 bits. The grid itself is the crate's `h3o`.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{ArrayRef, AsArray, Float64Array, UInt8Array, UInt64Array};
use arrow::datatypes::{ArrowPrimitiveType, Float64Type, Int64Type, UInt8Type, UInt64Type};
use gristmill_base::allocations::check_room;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use h3o::{Boundary, CellIndex, DirectedEdgeIndex, LatLng, Resolution};

use crate::arithmetic::kinds::integer;
use crate::columns::{Bytes, at, list, numbers, strings};
use crate::define::{arity, illegal, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};
use crate::tuples::struct_array;

const RESOLUTION_MAX: u64 = 15;
/// Steps from the middle of `h3kRing`.
const STEPS_MAX: u64 = 10_000;
const ELEMENTS_MAX: u64 = 1 << 30;
/// Degrees of a metre along an edge.
const DEGREES_OF_METRE: f64 = 8.993_205_922_712_88e-6;

/// A length with ten digits, at most nine behind the point: so they stand in H3's own list.
fn as_listed(length: f64) -> f64 {
    let rounded = |text: String| text.parse().unwrap_or(length);
    let ten_digits: f64 = rounded(format!("{length:.9e}"));
    rounded(format!("{ten_digits:.9}"))
}

/// What an argument is.
#[derive(Clone, Copy)]
enum Takes {
    Cell,
    Edge,
    /// A number of 64 bits that need not be either.
    Index,
    Resolution,
    Steps,
    ShortSteps,
    Degrees,
}

impl Takes {
    fn fits(self, kind: &SqlType) -> bool {
        match self {
            Takes::Cell | Takes::Edge | Takes::Index => *kind == T::UInt64,
            Takes::Resolution => matches!(kind, T::UInt8 | T::Bool),
            Takes::Steps => matches!(integer(kind), Some((..=64, false))),
            Takes::ShortSteps => *kind == T::UInt16,
            Takes::Degrees => *kind == T::Float64,
        }
    }

    fn named(self) -> &'static str {
        match self {
            Takes::Cell | Takes::Edge | Takes::Index => "UInt64",
            Takes::Resolution => "UInt8",
            Takes::Steps => "an unsigned integer",
            Takes::ShortSteps => "UInt16",
            Takes::Degrees => "Float64",
        }
    }
}

/// The arguments of a row.
struct Row<'a> {
    name: &'a str,
    words: &'a [ArrayRef],
    row: usize,
}

fn incorrect(text: String) -> Error {
    Error::new(ErrorCode::INCORRECT_DATA, text)
}

impl Row<'_> {
    fn word(&self, i: usize) -> u64 {
        let words = self.words[i].as_primitive::<UInt64Type>();
        words.value(at(words.len(), self.row))
    }

    fn degrees(&self, i: usize) -> f64 {
        let degrees = self.words[i].as_primitive::<Float64Type>();
        degrees.value(at(degrees.len(), self.row))
    }

    fn cell(&self, i: usize) -> Result<CellIndex> {
        let index = self.word(i);
        CellIndex::try_from(index).map_err(|_| incorrect(format!("Invalid H3 cell index: {index}")))
    }

    fn edge(&self, i: usize) -> Result<DirectedEdgeIndex> {
        let index = self.word(i);
        DirectedEdgeIndex::try_from(index).map_err(|_| incorrect(format!("Invalid H3 directed edge index: {index}")))
    }

    fn resolution(&self, i: usize) -> Result<Resolution> {
        let resolution = self.word(i);
        Resolution::try_from(resolution.min(u64::from(u8::MAX)) as u8).map_err(|_| {
            let text = format!("The argument 'resolution' ({resolution}) of function {} is out of bounds", self.name);
            Error::new(ErrorCode::ARGUMENT_OUT_OF_BOUND, format!("{text}: the maximum is {RESOLUTION_MAX}"))
        })
    }

    fn place(&self, i: usize) -> Option<LatLng> {
        LatLng::new(self.degrees(i), self.degrees(i + 1)).ok()
    }

    /// Refuses a list of so many elements where it would be too long.
    fn check_elements(&self, elements: u64) -> Result<()> {
        if elements > ELEMENTS_MAX {
            let text = format!("The result of function {} (array of {elements} elements) will be too large", self.name);
            return Err(Error::new(ErrorCode::TOO_LARGE_ARRAY_SIZE, text));
        }
        check_room(elements as usize * size_of::<u64>())
    }
}

/// A function of these arguments, whose column `column` computes.
fn bound(
    name: &str,
    arguments: &[Argument],
    takes: &[Takes],
    result: SqlType,
    column: impl Fn(&dyn Fn(usize, &mut dyn FnMut(&Row<'_>) -> Result<()>) -> Result<()>, usize) -> Result<ArrayRef>
    + Send
    + Sync
    + 'static,
) -> Result<Bound> {
    arity(name, arguments, takes.len()..=takes.len())?;
    if let Some(i) = (0..takes.len()).find(|i| !takes[*i].fits(&arguments[*i].kind)) {
        return Err(illegal(name, arguments, i, takes[i].named()));
    }
    let word = |takes: &Takes| if matches!(takes, Takes::Degrees) { T::Float64 } else { T::UInt64 };
    let name = name.to_string();
    Ok(Bound::cast(takes.iter().map(word).collect(), result, move |words, rows| {
        column(&|row, f| f(&Row { name: &name, words, row }), rows)
    }))
}

fn number<K: ArrowPrimitiveType>(
    registry: &mut Registry,
    name: &str,
    takes: &'static [Takes],
    result: SqlType,
    f: fn(&Row<'_>) -> Result<K::Native>,
) {
    let bind = move |name: &str, arguments: &[Argument], _: &FunctionEnv| {
        bound(name, arguments, takes, result.clone(), move |with, rows| {
            numbers::<K>(rows, |row| {
                let mut value = K::Native::default();
                with(row, &mut |row| {
                    value = f(row)?;
                    Ok(())
                })?;
                Ok(value)
            })
        })
    };
    registry.scalar(name, plain(bind));
}

fn float(registry: &mut Registry, name: &str, takes: &'static [Takes], f: fn(&Row<'_>) -> Result<f64>) {
    number::<Float64Type>(registry, name, takes, T::Float64, f);
}

fn truth(registry: &mut Registry, name: &str, takes: &'static [Takes], f: fn(&Row<'_>) -> Result<u8>) {
    number::<UInt8Type>(registry, name, takes, T::UInt8, f);
}

fn index(registry: &mut Registry, name: &str, takes: &'static [Takes], f: fn(&Row<'_>) -> Result<u64>) {
    number::<UInt64Type>(registry, name, takes, T::UInt64, f);
}

/// An array of cells or edges.
fn indexes(
    registry: &mut Registry,
    name: &str,
    takes: &'static [Takes],
    f: fn(&Row<'_>, &mut dyn FnMut(u64)) -> Result<()>,
) {
    let bind = move |name: &str, arguments: &[Argument], _: &FunctionEnv| {
        bound(name, arguments, takes, SqlType::array(T::UInt64), move |with, rows| {
            let (mut all, mut lengths) = (Vec::new(), Vec::with_capacity(rows));
            for row in 0..rows {
                let before = all.len();
                with(row, &mut |row| f(row, &mut |index| all.push(index)))?;
                lengths.push(all.len() - before);
            }
            list(Arc::new(UInt64Array::from(all)), &lengths)
        })
    };
    registry.scalar(name, plain(bind));
}

/// The corners of a cell, or the ends of an edge.
fn corners(registry: &mut Registry, name: &str, takes: &'static [Takes], f: fn(&Row<'_>) -> Result<Boundary>) {
    let bind = move |name: &str, arguments: &[Argument], _: &FunctionEnv| {
        let point = T::Tuple(vec![(None, T::Float64), (None, T::Float64)]);
        bound(name, arguments, takes, SqlType::array(point.clone()), move |with, rows| {
            let (mut latitudes, mut longitudes, mut lengths) = (Vec::new(), Vec::new(), Vec::with_capacity(rows));
            for row in 0..rows {
                with(row, &mut |row| {
                    let boundary = f(row)?;
                    latitudes.extend(boundary.iter().map(|place| place.lat()));
                    longitudes.extend(boundary.iter().map(|place| place.lng()));
                    lengths.push(boundary.len());
                    Ok(())
                })?;
            }
            list(pair(&point, latitudes, longitudes)?, &lengths)
        })
    };
    registry.scalar(name, plain(bind));
}

fn pair(kind: &SqlType, first: Vec<f64>, second: Vec<f64>) -> Result<ArrayRef> {
    let rows = first.len();
    struct_array(kind, vec![Arc::new(Float64Array::from(first)), Arc::new(Float64Array::from(second))], rows)
}

/// What a function of two places measures; NaN where there is no such place.
fn distance(registry: &mut Registry, name: &str, f: fn(LatLng, LatLng) -> f64) {
    let bind = move |name: &str, arguments: &[Argument], _: &FunctionEnv| {
        bound(name, arguments, &[Takes::Degrees; 4], T::Float64, move |with, rows| {
            numbers::<Float64Type>(rows, |row| {
                let mut value = f64::NAN;
                with(row, &mut |row| {
                    value = row.place(0).zip(row.place(2)).map_or(f64::NAN, |(from, to)| f(from, to));
                    Ok(())
                })?;
                Ok(value)
            })
        })
    };
    registry.scalar(name, plain(bind));
}

pub fn register(registry: &mut Registry) {
    use Takes::{Cell, Edge, Index, Steps};
    const OF_RESOLUTION: &[Takes] = &[Takes::Resolution];
    const CELL_AND_RESOLUTION: &[Takes] = &[Cell, Takes::Resolution];

    truth(registry, "h3IsValid", &[Index], |row| Ok(u8::from(CellIndex::try_from(row.word(0)).is_ok())));
    truth(registry, "h3GetResolution", &[Cell], |row| Ok(u8::from(row.cell(0)?.resolution())));
    truth(registry, "h3GetBaseCell", &[Cell], |row| Ok(u8::from(row.cell(0)?.base_cell())));
    truth(registry, "h3IsResClassIII", &[Cell], |row| Ok(u8::from(row.cell(0)?.resolution().is_class3())));
    truth(registry, "h3IsPentagon", &[Cell], |row| Ok(u8::from(row.cell(0)?.is_pentagon())));
    truth(registry, "h3IndexesAreNeighbors", &[Cell, Cell], |row| {
        Ok(u8::from(row.cell(0)?.is_neighbor_with(row.cell(1)?).unwrap_or(false)))
    });
    truth(registry, "h3UnidirectionalEdgeIsValid", &[Index], |row| {
        Ok(u8::from(DirectedEdgeIndex::try_from(row.word(0)).is_ok()))
    });

    float(
        registry,
        "h3EdgeAngle",
        OF_RESOLUTION,
        |row| Ok(DEGREES_OF_METRE * as_listed(row.resolution(0)?.edge_length_m())),
    );
    float(registry, "h3EdgeLengthM", OF_RESOLUTION, |row| Ok(as_listed(row.resolution(0)?.edge_length_m())));
    float(registry, "h3EdgeLengthKm", OF_RESOLUTION, |row| Ok(as_listed(row.resolution(0)?.edge_length_km())));
    float(registry, "h3HexAreaM2", OF_RESOLUTION, |row| Ok(row.resolution(0)?.area_m2()));
    float(registry, "h3HexAreaKm2", OF_RESOLUTION, |row| Ok(row.resolution(0)?.area_km2()));
    float(registry, "h3CellAreaM2", &[Cell], |row| Ok(row.cell(0)?.area_m2()));
    float(registry, "h3CellAreaRads2", &[Cell], |row| Ok(row.cell(0)?.area_rads2()));
    float(registry, "h3ExactEdgeLengthM", &[Edge], |row| Ok(row.edge(0)?.length_m()));
    float(registry, "h3ExactEdgeLengthKm", &[Edge], |row| Ok(row.edge(0)?.length_km()));
    float(registry, "h3ExactEdgeLengthRads", &[Edge], |row| Ok(row.edge(0)?.length_rads()));
    distance(registry, "h3PointDistM", LatLng::distance_m);
    distance(registry, "h3PointDistKm", LatLng::distance_km);
    distance(registry, "h3PointDistRads", LatLng::distance_rads);
    number::<Int64Type>(
        registry,
        "h3NumHexagons",
        OF_RESOLUTION,
        T::Int64,
        |row| Ok(row.resolution(0)?.cell_count() as i64),
    );
    // Cells of other resolutions, or too far apart, have no distance.
    number::<Int64Type>(registry, "h3Distance", &[Cell, Cell], T::Int64, |row| {
        Ok(row.cell(0)?.grid_distance(row.cell(1)?).map_or(-1, i64::from))
    });

    index(registry, "geoToH3", &[Takes::Degrees, Takes::Degrees, Takes::Resolution], |row| {
        let resolution = row.resolution(2)?;
        let place = row.place(0).ok_or_else(|| {
            incorrect(format!("Incorrect coordinates latitude: {}, longitude: {}", row.degrees(0), row.degrees(1)))
        })?;
        Ok(place.to_cell(resolution).into())
    });
    index(registry, "h3ToParent", CELL_AND_RESOLUTION, |row| {
        Ok(row.cell(0)?.parent(row.resolution(1)?).map_or(0, u64::from))
    });
    index(registry, "h3ToCenterChild", CELL_AND_RESOLUTION, |row| {
        Ok(row.cell(0)?.center_child(row.resolution(1)?).map_or(0, u64::from))
    });
    index(registry, "h3GetUnidirectionalEdge", &[Cell, Cell], |row| {
        Ok(row.cell(0)?.edge(row.cell(1)?).map_or(0, u64::from))
    });
    index(registry, "h3GetOriginIndexFromUnidirectionalEdge", &[Edge], |row| Ok(row.edge(0)?.origin().into()));
    index(registry, "h3GetDestinationIndexFromUnidirectionalEdge", &[Edge], |row| Ok(row.edge(0)?.destination().into()));

    indexes(registry, "h3GetRes0Indexes", &[], |_, each| {
        CellIndex::base_cells().for_each(|cell| each(cell.into()));
        Ok(())
    });
    indexes(registry, "h3GetPentagonIndexes", OF_RESOLUTION, |row, each| {
        row.resolution(0)?.pentagons().for_each(|cell| each(cell.into()));
        Ok(())
    });
    indexes(registry, "h3kRing", &[Cell, Steps], |row, each| {
        let steps = row.word(1);
        if steps > STEPS_MAX {
            let text = format!("Too large 'k' argument for {} function, maximum {STEPS_MAX}", row.name);
            return Err(Error::new(ErrorCode::PARAMETER_OUT_OF_BOUND, text));
        }
        row.check_elements(1 + 3 * steps * (steps + 1))?;
        let cells: Vec<CellIndex> = row.cell(0)?.grid_disk(steps as u32);
        cells.into_iter().for_each(|cell| each(cell.into()));
        Ok(())
    });
    indexes(registry, "h3HexRing", &[Cell, Takes::ShortSteps], |row, each| {
        let steps = row.word(1);
        row.check_elements(6 * steps)?;
        let cells: Vec<CellIndex> = row.cell(0)?.grid_ring(steps as u32);
        cells.into_iter().for_each(|cell| each(cell.into()));
        Ok(())
    });
    indexes(registry, "h3ToChildren", CELL_AND_RESOLUTION, |row, each| {
        let (cell, resolution) = (row.cell(0)?, row.resolution(1)?);
        if resolution >= cell.resolution() {
            row.check_elements(cell.children_count(resolution))?;
            cell.children(resolution).for_each(|cell| each(cell.into()));
        }
        Ok(())
    });
    indexes(registry, "h3Line", &[Cell, Cell], |row, each| {
        let (from, to) = (row.cell(0)?, row.cell(1)?);
        let no_line = |error: h3o::error::LocalIjError| {
            let (from, to) = (u64::from(from), u64::from(to));
            incorrect(format!("Line cannot be computed between start H3 index {from} and end H3 index {to}: {error}"))
        };
        let size = from.grid_path_cells_size(to).map_err(no_line)?;
        row.check_elements(size.unsigned_abs().into())?;
        for cell in from.grid_path_cells(to).map_err(no_line)? {
            each(cell.map_err(no_line)?.into());
        }
        Ok(())
    });
    indexes(registry, "h3GetUnidirectionalEdgesFromHexagon", &[Cell], |row, each| {
        let cell = row.cell(0)?;
        // A pentagon has nothing where a hexagon has its first edge.
        if cell.is_pentagon() {
            each(0);
        }
        cell.edges().for_each(|edge| each(edge.into()));
        Ok(())
    });

    corners(registry, "h3ToGeoBoundary", &[Cell], |row| Ok(row.cell(0)?.boundary()));
    corners(registry, "h3GetUnidirectionalEdgeBoundary", &[Edge], |row| Ok(row.edge(0)?.boundary()));
    registry.scalar("h3ToGeo", plain(|name, arguments, _| to_place(name, arguments)));
    registry.scalar("h3GetFaces", plain(|name, arguments, _| faces(name, arguments)));
    registry.scalar("h3GetIndexesFromUnidirectionalEdge", plain(|name, arguments, _| ends(name, arguments)));
    registry.scalar("h3ToString", plain(|name, arguments, _| to_text(name, arguments)));
    registry.scalar("stringToH3", plain(|name, arguments, _| from_text(name, arguments)));
}

/// The middle of a cell.
fn to_place(name: &str, arguments: &[Argument]) -> Result<Bound> {
    let kind = T::Tuple(vec![(Some("latitude".into()), T::Float64), (Some("longitude".into()), T::Float64)]);
    bound(name, arguments, &[Takes::Cell], kind.clone(), move |with, rows| {
        let (mut latitudes, mut longitudes) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
        for row in 0..rows {
            with(row, &mut |row| {
                let place = LatLng::from(row.cell(0)?);
                latitudes.push(place.lat());
                longitudes.push(place.lng());
                Ok(())
            })?;
        }
        pair(&kind, latitudes, longitudes)
    })
}

/// Faces of the icosahedron that a cell lies on.
fn faces(name: &str, arguments: &[Argument]) -> Result<Bound> {
    bound(name, arguments, &[Takes::Cell], SqlType::array(T::UInt8), |with, rows| {
        let (mut all, mut lengths) = (Vec::new(), Vec::with_capacity(rows));
        for row in 0..rows {
            let before = all.len();
            with(row, &mut |row| {
                all.extend(row.cell(0)?.icosahedron_faces().iter().map(u8::from));
                Ok(())
            })?;
            lengths.push(all.len() - before);
        }
        list(Arc::new(UInt8Array::from(all)), &lengths)
    })
}

/// The cells that an edge lies between.
fn ends(name: &str, arguments: &[Argument]) -> Result<Bound> {
    let kind = T::Tuple(vec![(Some("origin".into()), T::UInt64), (Some("destination".into()), T::UInt64)]);
    bound(name, arguments, &[Takes::Edge], kind.clone(), move |with, rows| {
        let (mut origins, mut destinations) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
        for row in 0..rows {
            with(row, &mut |row| {
                let (origin, destination) = row.edge(0)?.cells();
                origins.push(u64::from(origin));
                destinations.push(u64::from(destination));
                Ok(())
            })?;
        }
        struct_array(&kind, vec![Arc::new(UInt64Array::from(origins)), Arc::new(UInt64Array::from(destinations))], rows)
    })
}

fn no_index(name: &str, shown: &str) -> Error {
    Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, format!("Invalid H3 index: {shown} in function {name}"))
}

fn to_text(name: &str, arguments: &[Argument]) -> Result<Bound> {
    bound(name, arguments, &[Takes::Index], T::String, |with, rows| {
        strings(rows, |row, out| {
            with(row, &mut |row| {
                let index = row.word(0);
                CellIndex::try_from(index).map_err(|_| no_index(row.name, &index.to_string()))?;
                out.extend_from_slice(format!("{index:x}").as_bytes());
                Ok(())
            })
        })
    })
}

fn from_text(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    if !arguments[0].kind.is_string() {
        return Err(illegal(name, arguments, 0, "String or FixedString"));
    }
    let name = name.to_string();
    Ok(Bound::new(T::UInt64, move |args, rows| {
        let texts = Bytes::of(&args[0])?;
        numbers::<UInt64Type>(rows, |row| match hexadecimal(texts.get(row)) {
            0 => Err(no_index(&name, &String::from_utf8_lossy(texts.get(row)))),
            index => Ok(index),
        })
    }))
}

/// The number that a text begins with, as C reads it: 0 where there is none, and the greatest where it is too large.
fn hexadecimal(text: &[u8]) -> u64 {
    let text = text.trim_ascii_start();
    let (negative, text) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let digits = text.strip_prefix(b"0x").or_else(|| text.strip_prefix(b"0X")).unwrap_or(text);
    let mut number = 0u64;
    for digit in digits.iter().map_while(|digit| char::from(*digit).to_digit(16)) {
        match number.checked_mul(16) {
            Some(shifted) => number = shifted | u64::from(digit),
            None => return u64::MAX,
        }
    }
    if negative { number.wrapping_neg() } else { number }
}
