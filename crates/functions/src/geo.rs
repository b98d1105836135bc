//! Places on the earth: geohashes, points in polygons and ellipses. Longitudes come before latitudes.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray, Float64Array, ListArray, StructArray};
use arrow::datatypes::{DataType, Float64Type, Int64Type};
use gristmill_base::{Error, Result};
use gristmill_types::SqlType;

use crate::columns::{Bytes, Numbers, at, strings, truths};
use crate::define::{arity, bad_argument, expect_integer, expect_number, expect_string, illegal, own_nulls, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};
use crate::tuples::struct_array;

/// Arrays within arrays of a MultiPolygon.
const POINTS_DEPTH_MAX: usize = 3;

pub fn register(registry: &mut Registry) {
    registry.scalar("geohashEncode", plain(|name, arguments, _| encode(name, arguments)));
    registry.scalar("geohashDecode", plain(|name, arguments, _| decode(name, arguments)));
    registry.scalar("pointInPolygon", plain(|name, arguments, _| in_polygon(name, arguments)));
    registry.scalar("flipCoordinates", own_nulls(|name, arguments, _| flip(name, arguments)));
    registry.scalar("pointInEllipses", plain(|name, arguments, _| in_ellipses(name, arguments)));
}

const LETTERS: &[u8; 32] = b"0123456789bcdefghjkmnpqrstuvwxyz";

fn encode(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=3)?;
    expect_number(name, arguments, 0)?;
    expect_number(name, arguments, 1)?;
    let mut casts = vec![T::Float64; 2];
    if arguments.len() == 3 {
        expect_integer(name, arguments, 2)?;
        casts.push(T::Int64);
    }
    Ok(Bound::cast(casts, T::String, |args, rows| {
        let (lon, lat) = (Numbers::of::<Float64Type>(&args[0])?, Numbers::of::<Float64Type>(&args[1])?);
        let precisions = args.get(2).map(Numbers::of::<Int64Type>).transpose()?;
        strings(rows, |row, out| {
            let precision = precisions.map_or(12, |precisions| precisions.get(row));
            let precision = if (1..=12).contains(&precision) { precision as usize } else { 12 };
            push_geohash(lon.get(row), lat.get(row), precision, out);
            Ok(())
        })
    }))
}

/// Appends so many letters of a place's hash.
pub(crate) fn push_geohash(lon: f64, lat: f64, precision: usize, out: &mut Vec<u8>) {
    let (mut lon_range, mut lat_range) = ((-180.0, 180.0), (-90.0, 90.0));
    for letter in 0..precision {
        let mut code = 0;
        for bit in 0..5 {
            let of_lon = (letter * 5 + bit) % 2 == 0;
            let (value, range) = if of_lon { (lon, &mut lon_range) } else { (lat, &mut lat_range) };
            let middle: f64 = (range.0 + range.1) / 2.0;
            code = code << 1 | usize::from(value >= middle);
            if value >= middle { range.0 = middle } else { range.1 = middle }
        }
        out.push(LETTERS[code]);
    }
}

/// Of a hash; what follows tells nothing more.
const LETTERS_MAX: usize = 12;

/// The middle of the cell. A letter that is none stands for the last one, as ClickHouse has it.
fn decode(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    expect_string(name, arguments, 0)?;
    let kind = T::Tuple(vec![(Some("longitude".into()), T::Float64), (Some("latitude".into()), T::Float64)]);
    Ok(Bound::new(kind.clone(), move |args, rows| {
        let hashes = Bytes::of(&args[0])?;
        let (mut lon, mut lat) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
        for row in 0..rows {
            let (mut lon_range, mut lat_range) = ((-180.0, 180.0), (-90.0, 90.0));
            let code = |letter: &u8| LETTERS.iter().position(|known| known == letter).unwrap_or(LETTERS.len() - 1);
            let codes = hashes.get(row).iter().take(LETTERS_MAX).map(code);
            for (bit, set) in codes.flat_map(|code| (0..5).rev().map(move |bit| code >> bit & 1 == 1)).enumerate() {
                let range: &mut (f64, f64) = if bit % 2 == 0 { &mut lon_range } else { &mut lat_range };
                let middle = (range.0 + range.1) / 2.0;
                if set { range.0 = middle } else { range.1 = middle }
            }
            lon.push((lon_range.0 + lon_range.1) / 2.0);
            lat.push((lat_range.0 + lat_range.1) / 2.0);
        }
        struct_array(&kind, vec![Arc::new(Float64Array::from(lon)), Arc::new(Float64Array::from(lat))], rows)
    }))
}

fn point() -> SqlType {
    T::Tuple(vec![(None, T::Float64), (None, T::Float64)])
}

fn coordinates(array: &ArrayRef) -> (Vec<f64>, Vec<f64>) {
    let tuple = array.as_struct();
    let column = |i: usize| tuple.column(i).as_primitive::<Float64Type>().values().to_vec();
    (column(0), column(1))
}

/// A point and rings: the first is the outline, the others are holes.
fn in_polygon(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=usize::MAX)?;
    let is_point = |kind: &SqlType| matches!(kind.storage(), T::Tuple(fields) if fields.len() == 2 && fields.iter().all(|(_, kind)| kind.is_number() && !kind.is_nullable()));
    if !is_point(&arguments[0].kind) {
        return Err(illegal(name, arguments, 0, "a Tuple of two numbers"));
    }
    let ring = SqlType::array(point());
    let mut casts = vec![point()];
    // Rings come one by one, or all in one array.
    let nested = matches!(&arguments[1].kind, T::Array(inner) if matches!(inner.storage(), T::Array(_)));
    for (i, argument) in arguments.iter().enumerate().skip(1) {
        let element = match &argument.kind {
            T::Array(inner) if nested && i == 1 => match inner.storage() {
                T::Array(inner) => inner,
                other => other,
            },
            T::Array(inner) => inner,
            _ => return Err(illegal(name, arguments, i, "an Array of points")),
        };
        if !is_point(element) && *element != T::Nothing {
            return Err(illegal(name, arguments, i, "an Array of points"));
        }
        casts.push(if nested { SqlType::array(ring.clone()) } else { ring.clone() });
    }
    if nested && arguments.len() > 2 {
        return Err(illegal(name, arguments, 2, "no more arguments after an Array of rings"));
    }
    Ok(Bound::cast(casts, T::UInt8, move |args, rows| {
        let (x, y) = coordinates(&args[0]);
        truths(rows, |row| {
            let point = (x[at(x.len(), row)], y[at(y.len(), row)]);
            let rings: Vec<ArrayRef> = if nested {
                let rings = args[1].as_list::<i32>();
                let rings = rings.value(at(rings.len(), row));
                let rings = rings.as_list::<i32>();
                (0..rings.len()).map(|i| rings.value(i)).collect()
            } else {
                args[1..].iter().map(|rings| rings.as_list::<i32>().value(at(rings.len(), row))).collect()
            };
            let mut inside = rings.iter().map(|ring| {
                let (x, y) = coordinates(ring);
                crosses_oddly(point, &x, &y)
            });
            inside.next().unwrap_or(false) && !inside.any(|inside| inside)
        })
    }))
}

/// Whether a ray from the point crosses the ring an odd number of times.
fn crosses_oddly((x, y): (f64, f64), xs: &[f64], ys: &[f64]) -> bool {
    let mut inside = false;
    let mut before = xs.len().wrapping_sub(1);
    for i in 0..xs.len() {
        if (ys[i] > y) != (ys[before] > y) && x < (xs[before] - xs[i]) * (y - ys[i]) / (ys[before] - ys[i]) + xs[i] {
            inside = !inside;
        }
        before = i;
    }
    inside
}

/// Points, or arrays of points of any depth, with their coordinates the other way round.
fn flip(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    if arguments[0].kind.is_null_literal() {
        return Ok(Bound::null());
    }
    let mut kind = arguments[0].kind.storage();
    let mut depth = 0;
    while let T::Array(element) = kind {
        (kind, depth) = (element.storage(), depth + 1);
    }
    let is_point =
        matches!(kind, T::Tuple(fields) if fields.len() == 2 && fields.iter().all(|(_, kind)| *kind == T::Float64));
    if !is_point || depth > POINTS_DEPTH_MAX {
        return Err(illegal(name, arguments, 0, "a Point of Float64, or arrays of them up to a MultiPolygon"));
    }
    Ok(Bound::new(arguments[0].kind.clone(), |args, _| flipped(&args[0])))
}

fn flipped(array: &ArrayRef) -> Result<ArrayRef> {
    if let Some(points) = array.as_struct_opt() {
        let columns = vec![points.column(1).clone(), points.column(0).clone()];
        return Ok(Arc::new(StructArray::try_new(points.fields().clone(), columns, points.nulls().cloned())?));
    }
    let list = array.as_list::<i32>();
    let DataType::List(item) = list.data_type() else { return Err(Error::logical("An array that is no list")) };
    let (values, offsets) = (flipped(list.values())?, list.offsets().clone());
    Ok(Arc::new(ListArray::try_new(item.clone(), offsets, values, list.nulls().cloned())?))
}

/// x, y, and for each ellipse its centre and half axes.
fn in_ellipses(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 6..=usize::MAX)?;
    if arguments.len() % 4 != 2 {
        return Err(bad_argument(name, "it takes x, y, and four numbers for each ellipse"));
    }
    for i in 0..arguments.len() {
        expect_number(name, arguments, i)?;
    }
    Ok(Bound::cast(vec![T::Float64; arguments.len()], T::UInt8, |args, rows| {
        let columns: Vec<Numbers<'_, f64>> = args.iter().map(Numbers::of::<Float64Type>).collect::<Result<_>>()?;
        truths(rows, |row| {
            let (x, y) = (columns[0].get(row), columns[1].get(row));
            columns[2..].chunks_exact(4).any(|ellipse| {
                let part = |value: f64, i: usize| ((value - ellipse[i].get(row)) / ellipse[i + 2].get(row)).powi(2);
                part(x, 0) + part(y, 1) <= 1.0
            })
        })
    }))
}
