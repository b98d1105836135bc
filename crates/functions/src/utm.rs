//! The transverse Mercator grid: `geoToUTM`, `UTMToGeo`, and the references of the military grid over it, `geoToMGRS` and
//! `MGRSToGeo`.
//!
//! The projection is that of zones of six degrees of the ellipsoid WGS-84, by the series of "Map Projections: A Working Manual",
//! Snyder, 1987, up to the terms that ClickHouse takes. A reference is the zone, the band of latitude, two letters for a square
//! of 100 km and digits within it; letters come again every few squares, and the band tells which of them it is.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{ArrayRef, FixedSizeBinaryArray, Float64Array, UInt8Array};
use arrow::datatypes::{Float64Type, Int64Type};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use crate::columns::{Bytes, Numbers, strings};
use crate::define::{arity, bad_argument, expect_integer, expect_number, expect_string, illegal, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};
use crate::tuples::struct_array;

const EQUATOR_M: f64 = 6_378_137.0;
const FLATTENING: f64 = 1.0 / 298.257_223_563;
/// Scale on the meridian in the middle of a zone.
const SCALE: f64 = 0.9996;
const FALSE_EASTING_M: f64 = 500_000.0;
/// Of the southern half.
const FALSE_NORTHING_M: f64 = 10_000_000.0;

const BANDS: &[u8; 20] = b"CDEFGHJKLMNPQRSTUVWX";
const COLUMNS: [&[u8; 8]; 3] = [b"ABCDEFGH", b"JKLMNPQR", b"STUVWXYZ"];
const ROWS: &[u8; 20] = b"ABCDEFGHJKLMNPQRSTUV";
const SQUARE_M: f64 = 100_000.0;
/// Letters of rows come again after so much.
const CYCLE_M: f64 = 2_000_000.0;
/// Squares of 100 km below the first one of each band.
const BAND_SQUARES: [u32; 20] = [11, 20, 28, 37, 46, 55, 64, 73, 82, 91, 0, 8, 17, 26, 35, 44, 53, 62, 70, 79];
const PRECISION_MAX: i64 = 5;

pub fn register(registry: &mut Registry) {
    registry.scalar("geoToUTM", plain(|name, arguments, _| to_utm(name, arguments)));
    registry.scalar("UTMToGeo", plain(|name, arguments, _| from_utm(name, arguments)));
    registry.scalar("geoToMGRS", plain(|name, arguments, _| to_mgrs(name, arguments)));
    registry.scalar("MGRSToGeo", plain(|name, arguments, _| from_mgrs(name, arguments)));
}

/// A place in a zone.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Grid {
    easting: f64,
    northing: f64,
    zone: u8,
    band: u8,
}

/// Square of the eccentricity, and of the second one.
fn eccentricities() -> (f64, f64) {
    let e2 = FLATTENING * (2.0 - FLATTENING);
    (e2, e2 / (1.0 - e2))
}

/// The middle of a zone, in degrees.
fn meridian(zone: u8) -> f64 {
    (f64::from(zone) - 1.0) * 6.0 - 180.0 + 3.0
}

fn zone_of(lon: f64, lat: f64) -> u8 {
    if (56.0..64.0).contains(&lat) && (3.0..12.0).contains(&lon) {
        return 32;
    }
    if lat >= 72.0 && (0.0..42.0).contains(&lon) {
        return match lon {
            ..9.0 => 31,
            ..21.0 => 33,
            ..33.0 => 35,
            _ => 37,
        };
    }
    (((lon + 180.0) / 6.0).floor() as u8 + 1).min(60)
}

fn project(lon: f64, lat: f64, zone: u8) -> Grid {
    let (e2, ep2) = eccentricities();
    let phi = lat.to_radians();
    let (sin, cos, tan) = (phi.sin(), phi.cos(), phi.tan());
    let n = EQUATOR_M / (1.0 - e2 * sin.powi(2)).sqrt();
    let t = tan.powi(2);
    let c = ep2 * cos.powi(2);
    let a = cos * (lon.to_radians() - meridian(zone).to_radians());
    let m = EQUATOR_M
        * ((1.0 - e2 / 4.0 - 3.0 * e2.powi(2) / 64.0 - 5.0 * e2.powi(3) / 256.0) * phi
            - (3.0 * e2 / 8.0 + 3.0 * e2.powi(2) / 32.0 + 45.0 * e2.powi(3) / 1024.0) * (2.0 * phi).sin()
            + (15.0 * e2.powi(2) / 256.0 + 45.0 * e2.powi(3) / 1024.0) * (4.0 * phi).sin()
            - (35.0 * e2.powi(3) / 3072.0) * (6.0 * phi).sin());
    let easting = SCALE
        * n
        * (a + (1.0 - t + c) * a.powi(3) / 6.0 + (5.0 - 18.0 * t + t * t + 72.0 * c - 58.0 * ep2) * a.powi(5) / 120.0)
        + FALSE_EASTING_M;
    let northing = SCALE
        * (m + n
            * tan
            * (a * a / 2.0
                + (5.0 - t + 9.0 * c + 4.0 * c * c) * a.powi(4) / 24.0
                + (61.0 - 58.0 * t + t * t + 600.0 * c - 330.0 * ep2) * a.powi(6) / 720.0));
    let northing = if lat < 0.0 { northing + FALSE_NORTHING_M } else { northing };
    let band = BANDS[(((lat + 80.0) / 8.0).floor() as usize).min(BANDS.len() - 1)];
    Grid { easting, northing, zone, band }
}

/// Longitude and latitude.
fn unproject(easting: f64, northing: f64, zone: u8, is_north: bool) -> (f64, f64) {
    let (e2, ep2) = eccentricities();
    let root = (1.0 - e2).sqrt();
    let e1 = (1.0 - root) / (1.0 + root);
    let x = easting - FALSE_EASTING_M;
    let y = if is_north { northing } else { northing - FALSE_NORTHING_M };
    let mu = y / SCALE / (EQUATOR_M * (1.0 - e2 / 4.0 - 3.0 * e2.powi(2) / 64.0 - 5.0 * e2.powi(3) / 256.0));
    let phi = mu
        + (3.0 * e1 / 2.0 - 27.0 * e1.powi(3) / 32.0) * (2.0 * mu).sin()
        + (21.0 * e1.powi(2) / 16.0 - 55.0 * e1.powi(4) / 32.0) * (4.0 * mu).sin()
        + (151.0 * e1.powi(3) / 96.0) * (6.0 * mu).sin();
    let (sin, cos, tan) = (phi.sin(), phi.cos(), phi.tan());
    let curved = 1.0 - e2 * sin.powi(2);
    let n = EQUATOR_M / curved.sqrt();
    let (t, c) = (tan.powi(2), ep2 * cos.powi(2));
    let r = EQUATOR_M * (1.0 - e2) / curved.powf(1.5);
    let d = x / (n * SCALE);
    let lat = phi
        - (n * tan / r)
            * (d * d / 2.0 - (5.0 + 3.0 * t + 10.0 * c - 4.0 * c * c - 9.0 * ep2) * d.powi(4) / 24.0
                + (61.0 + 90.0 * t + 298.0 * c + 45.0 * t * t - 252.0 * ep2 - 3.0 * c * c) * d.powi(6) / 720.0);
    let lon = (d - (1.0 + 2.0 * t + c) * d.powi(3) / 6.0
        + (5.0 - 2.0 * c + 28.0 * t - 3.0 * c * c + 8.0 * ep2 + 24.0 * t * t) * d.powi(5) / 120.0)
        / cos;
    (meridian(zone) + lon.to_degrees(), lat.to_degrees())
}

/// Refuses what is not on the grid. Errors: ILLEGAL_TYPE_OF_ARGUMENT, ARGUMENT_OUT_OF_BOUND.
fn check_place(name: &str, lon: f64, lat: f64) -> Result<()> {
    if !lon.is_finite() || !lat.is_finite() {
        let text = format!("Arguments of function {name} must be finite numbers");
        return Err(Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text));
    }
    let out_of_bound = |text: String| Err(Error::new(ErrorCode::ARGUMENT_OUT_OF_BOUND, text));
    if !(-180.0..=180.0).contains(&lon) {
        return out_of_bound(format!("Longitude {lon} is out of range [-180, 180] in function {name}"));
    }
    if !(-80.0..=84.0).contains(&lat) {
        return out_of_bound(format!("Latitude {lat} is out of the UTM domain [-80, 84] in function {name}"));
    }
    Ok(())
}

fn check_zone(name: &str, zone: i64) -> Result<u8> {
    match u8::try_from(zone) {
        Ok(known @ 1..=60) => Ok(known),
        _ => Err(bad_argument(name, format!("UTM zone {zone} is out of range [1, 60]"))),
    }
}

/// Types that the arguments are cast to: two floats, and an integer where there is a third one.
fn place_and_integer(name: &str, arguments: &[Argument]) -> Result<Vec<SqlType>> {
    if !(2..=3).contains(&arguments.len()) {
        let text = format!("Function {name} takes 2 or 3 arguments, not {}", arguments.len());
        return Err(Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, text));
    }
    if let Some(i) = (0..2).find(|i| !arguments[*i].kind.is_float()) {
        return Err(illegal(name, arguments, i, "a float"));
    }
    if arguments.len() == 3 {
        expect_integer(name, arguments, 2)?;
    }
    Ok([T::Float64, T::Float64, T::Int64][..arguments.len()].to_vec())
}

fn to_utm(name: &str, arguments: &[Argument]) -> Result<Bound> {
    let casts = place_and_integer(name, arguments)?;
    let kind = T::Tuple(vec![
        (Some("easting".into()), T::Float64),
        (Some("northing".into()), T::Float64),
        (Some("zone".into()), T::UInt8),
        (Some("band".into()), T::FixedString(1)),
    ]);
    let name = name.to_string();
    Ok(Bound::cast(casts, kind.clone(), move |args, rows| {
        let (lons, lats) = (Numbers::of::<Float64Type>(&args[0])?, Numbers::of::<Float64Type>(&args[1])?);
        let zones = args.get(2).map(Numbers::of::<Int64Type>).transpose()?;
        let grids = (0..rows).map(|row| {
            let (lon, lat) = (lons.get(row), lats.get(row));
            let zone = zones.map(|zones| check_zone(&name, zones.get(row))).transpose()?;
            check_place(&name, lon, lat)?;
            Ok(project(lon, lat, zone.unwrap_or_else(|| zone_of(lon, lat))))
        });
        let grids = grids.collect::<Result<Vec<Grid>>>()?;
        let column =
            |number: fn(&Grid) -> f64| Arc::new(Float64Array::from_iter_values(grids.iter().map(number))) as ArrayRef;
        let bands = grids.iter().map(|grid| [grid.band]);
        let bands: ArrayRef = match rows {
            0 => arrow::array::new_empty_array(&T::FixedString(1).arrow()),
            _ => Arc::new(FixedSizeBinaryArray::try_from_iter(bands)?),
        };
        let zones = UInt8Array::from_iter_values(grids.iter().map(|grid| grid.zone));
        struct_array(&kind, vec![column(|grid| grid.easting), column(|grid| grid.northing), Arc::new(zones), bands], rows)
    }))
}

/// A column of longitudes and latitudes.
fn places(places: &[(f64, f64)]) -> Result<ArrayRef> {
    let lons = Float64Array::from_iter_values(places.iter().map(|place| place.0));
    let lats = Float64Array::from_iter_values(places.iter().map(|place| place.1));
    struct_array(&place_kind(), vec![Arc::new(lons), Arc::new(lats)], places.len())
}

fn place_kind() -> SqlType {
    T::Tuple(vec![(Some("longitude".into()), T::Float64), (Some("latitude".into()), T::Float64)])
}

fn from_utm(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 4..=4)?;
    expect_number(name, arguments, 0)?;
    expect_number(name, arguments, 1)?;
    expect_integer(name, arguments, 2)?;
    let by_band = arguments[3].kind.is_string();
    if !by_band && expect_integer(name, arguments, 3).is_err() {
        return Err(illegal(name, arguments, 3, "an integer (0 or 1), or a string (an MGRS band letter)"));
    }
    let half = if by_band { arguments[3].kind.clone() } else { T::Int64 };
    let name = name.to_string();
    Ok(Bound::cast(vec![T::Float64, T::Float64, T::Int64, half], place_kind(), move |args, rows| {
        let (eastings, northings) = (Numbers::of::<Float64Type>(&args[0])?, Numbers::of::<Float64Type>(&args[1])?);
        let zones = Numbers::of::<Int64Type>(&args[2])?;
        let is_north = |row: usize| match by_band {
            true => {
                let letter = Bytes::of(&args[3])?.get(row);
                let band = match letter {
                    [letter] => BANDS.iter().position(|band| *band == letter.to_ascii_uppercase()),
                    _ => None,
                };
                let shown = String::from_utf8_lossy(letter);
                let text =
                    format!("the band must be a single MGRS latitude band letter (C to X, but I and O), got '{shown}'");
                band.map(|band| band >= BANDS.len() / 2).ok_or_else(|| bad_argument(&name, text))
            }
            false => match Numbers::of::<Int64Type>(&args[3])?.get(row) {
                half @ 0..=1 => Ok(half == 1),
                other => Err(bad_argument(&name, format!("is_north must be 0 or 1, got {other}"))),
            },
        };
        let of_row = |row: usize| {
            let (easting, northing) = (eastings.get(row), northings.get(row));
            let zone = check_zone(&name, zones.get(row))?;
            let is_north = is_north(row)?;
            if !easting.is_finite() || !northing.is_finite() {
                let text = format!("Easting and northing arguments of function {name} must be finite numbers");
                return Err(Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text));
            }
            Ok(unproject(easting, northing, zone, is_north))
        };
        places(&(0..rows).map(of_row).collect::<Result<Vec<_>>>()?)
    }))
}

/// Rows of even zones begin five letters later.
fn row_offset(zone: u8) -> u32 {
    if zone.is_multiple_of(2) { 5 } else { 0 }
}

fn write_reference(grid: Grid, precision: usize, out: &mut Vec<u8>) {
    let column = ((grid.easting / SQUARE_M).floor() as usize).clamp(1, 8) - 1;
    let row = ((grid.northing / SQUARE_M).floor() as u32 + row_offset(grid.zone)) % ROWS.len() as u32;
    out.extend_from_slice(grid.zone.to_string().as_bytes());
    out.extend([grid.band, COLUMNS[usize::from(grid.zone - 1) % 3][column], ROWS[row as usize]]);
    if precision > 0 {
        let unit = 10f64.powi(5 - precision as i32);
        for metres in [grid.easting, grid.northing] {
            out.extend_from_slice(format!("{:0precision$}", (metres.rem_euclid(SQUARE_M) / unit).floor()).as_bytes());
        }
    }
}

fn to_mgrs(name: &str, arguments: &[Argument]) -> Result<Bound> {
    let casts = place_and_integer(name, arguments)?;
    let name = name.to_string();
    Ok(Bound::cast(casts, T::String, move |args, rows| {
        let (lons, lats) = (Numbers::of::<Float64Type>(&args[0])?, Numbers::of::<Float64Type>(&args[1])?);
        let precisions = args.get(2).map(Numbers::of::<Int64Type>).transpose()?;
        strings(rows, |row, out| {
            let precision = precisions.map_or(PRECISION_MAX, |precisions| precisions.get(row));
            if !(0..=PRECISION_MAX).contains(&precision) {
                let text = format!("Precision {precision} is out of range [0, {PRECISION_MAX}] in function {name}");
                return Err(Error::new(ErrorCode::ARGUMENT_OUT_OF_BOUND, text));
            }
            let (lon, lat) = (lons.get(row), lats.get(row));
            check_place(&name, lon, lat)?;
            write_reference(project(lon, lat, zone_of(lon, lat)), precision as usize, out);
            Ok(())
        })
    }))
}

/// The middle of what a reference names. The error says what is wrong with it.
fn read_reference(text: &[u8]) -> std::result::Result<(f64, f64), String> {
    let letters: Vec<u8> = text.iter().filter(|c| !c.is_ascii_whitespace()).map(u8::to_ascii_uppercase).collect();
    let digits = letters.iter().take_while(|c| c.is_ascii_digit()).count();
    let zone = match digits {
        0 => return Err("missing zone number".to_string()),
        1 | 2 => letters[..digits].iter().fold(0, |zone, digit| zone * 10 + (digit - b'0')),
        _ => return Err("zone designator must be one or two digits".to_string()),
    };
    if !(1..=60).contains(&zone) {
        return Err(format!("invalid zone number {zone}"));
    }
    let [band, column, row, place @ ..] = &letters[digits..] else { return Err("too short".to_string()) };
    let shown = |letter: &u8| char::from(*letter);
    let at = |among: &[u8], letter: &u8| among.iter().position(|known| known == letter);
    let band = at(BANDS, band).ok_or_else(|| format!("invalid latitude band '{}'", shown(band)))?;
    if !column.is_ascii_uppercase() || matches!(column, b'I' | b'O') {
        return Err(format!("invalid 100km column letter '{}'", shown(column)));
    }
    let column = at(COLUMNS[usize::from(zone - 1) % 3], column)
        .ok_or_else(|| format!("100km column letter '{}' is out of range for the zone", shown(column)))?;
    let row = at(ROWS, row).ok_or_else(|| format!("invalid 100km row letter '{}'", shown(row)))?;
    if !place.iter().all(u8::is_ascii_digit) {
        return Err("non-digit in location".to_string());
    }
    if place.len() % 2 == 1 {
        return Err("odd number of location digits".to_string());
    }
    let precision = place.len() / 2;
    if precision > PRECISION_MAX as usize {
        return Err("more than five digits per coordinate".to_string());
    }
    let unit = 10f64.powi(5 - precision as i32);
    let metres =
        |digits: &[u8]| digits.iter().fold(0.0, |sum, digit| sum * 10.0 + f64::from(digit - b'0')) * unit + unit / 2.0;
    let (east, north) = place.split_at(precision);
    let first = f64::from(BAND_SQUARES[band]) * SQUARE_M;
    let mut square = f64::from((row as u32 + 20 - row_offset(zone)) % 20) * SQUARE_M;
    while square < first {
        square += CYCLE_M;
    }
    let easting = (column + 1) as f64 * SQUARE_M + metres(east);
    Ok(unproject(easting, square + metres(north), zone, band >= BANDS.len() / 2))
}

fn from_mgrs(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    expect_string(name, arguments, 0)?;
    let name = name.to_string();
    Ok(Bound::new(place_kind(), move |args, rows| {
        let texts = Bytes::of(&args[0])?;
        let of_row = |row: usize| {
            let text = texts.get(row);
            read_reference(text).map_err(|what| {
                bad_argument(&name, format!("invalid MGRS string '{}': {what}", String::from_utf8_lossy(text)))
            })
        };
        places(&(0..rows).map(of_row).collect::<Result<Vec<_>>>()?)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_come_back_from_their_zones() {
        for (lon, lat) in [(2.2945, 48.8584), (-70.5, -33.4), (151.2, -33.9), (5.3, 60.4), (15.6, 78.2), (0.0, 0.0)] {
            let grid = project(lon, lat, zone_of(lon, lat));
            let (back_lon, back_lat) = unproject(grid.easting, grid.northing, grid.zone, lat >= 0.0);
            assert!((back_lon - lon).abs() < 1e-7 && (back_lat - lat).abs() < 1e-7, "{lon} {lat}");
            let mut reference = Vec::new();
            write_reference(grid, 5, &mut reference);
            let (back_lon, back_lat) = read_reference(&reference).expect("a reference");
            assert!((back_lon - lon).abs() < 1e-4 && (back_lat - lat).abs() < 1e-4, "{lon} {lat}");
        }
    }

    #[test]
    fn norway_and_svalbard_have_wider_zones() {
        for (lon, lat, zone) in
            [(3.0, 56.0, 32), (3.0, 64.0, 31), (12.0, 60.0, 33), (8.9, 84.0, 31), (21.0, 72.0, 35), (42.0, 72.0, 38)]
        {
            assert_eq!(zone_of(lon, lat), zone, "{lon} {lat}");
        }
        assert_eq!((zone_of(180.0, 10.0), zone_of(-180.0, 10.0)), (60, 1));
    }

    #[test]
    fn what_is_no_reference_is_refused() {
        for wrong in
            ["", "31", "31UD", "61UDQ12", "31IDQ", "31UIQ", "31UDW", "31UDQ123", "31UDQ1a", "131UDQ", "31UDQ123456789012"]
        {
            assert!(read_reference(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }
}
