//! `greatCircleAngle`, `greatCircleDistance`, `geoDistance`: how far two places of the earth are from each other, computed with
//! the tables that ClickHouse has (after Sphinx), so that the digits are the same.
//!
//! Places whose longitudes are close are measured on a plane whose scale depends on the latitude halfway; others by the
//! haversine formula, with sines, cosines and arc sines between two entries of a table. Where an argument is a Float64 all of it is
//! computed in 64 bits, else in 32.

use std::f64::consts::PI;
use std::sync::{Arc, LazyLock};

use SqlType as T;
use arrow::datatypes::{Float32Type, Float64Type};
use gristmill_types::SqlType;

use crate::columns::{Numbers, numbers};
use crate::define::{arity, expect_number, plain};
use crate::registry::Registry;
use crate::scalar::{Bound, ScalarFunction};

const COSINES: usize = 1024;
const ARC_SINES: usize = 512;
const LATITUDES: usize = 1024;
/// Metres of the sphere that has the surface of WGS-84.
const DIAMETER_M: f64 = 2.0 * 6_371_007.180_918_475;
/// The series of the arc sine, behind its first term.
const SERIES: [f64; 3] = [0.166_666_666_666_666, 0.075, 0.044_642_857_142_857];
/// Degrees of longitude within which a plane will do.
const NEAR_DEGREES: f64 = 13.0;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Measure {
    /// Degrees on the sphere.
    Angle,
    /// Metres on the sphere.
    Sphere,
    /// Metres on the ellipsoid WGS-84.
    Ellipsoid,
}

pub fn register(registry: &mut Registry) {
    registry.scalar("greatCircleAngle", of_two_points(Measure::Angle));
    registry.scalar("greatCircleDistance", of_two_points(Measure::Sphere));
    registry.scalar("geoDistance", of_two_points(Measure::Ellipsoid));
}

fn of_two_points(measure: Measure) -> Arc<dyn ScalarFunction> {
    plain(move |name, arguments, _| {
        arity(name, arguments, 4..=4)?;
        for i in 0..4 {
            expect_number(name, arguments, i)?;
        }
        if arguments.iter().any(|argument| *argument.kind.plain() == T::Float64) {
            return Ok(Bound::cast(vec![T::Float64; 4], T::Float64, move |args, rows| {
                let columns = args.iter().map(Numbers::of::<Float64Type>).collect::<Result<Vec<_>, _>>()?;
                let value = |i: usize, row: usize| columns[i].get(row);
                numbers::<Float64Type>(rows, |row| {
                    Ok(wide::distance(measure, (value(0, row), value(1, row)), (value(2, row), value(3, row))))
                })
            }));
        }
        Ok(Bound::cast(vec![T::Float32; 4], T::Float32, move |args, rows| {
            let columns = args.iter().map(Numbers::of::<Float32Type>).collect::<Result<Vec<_>, _>>()?;
            let value = |i: usize, row: usize| columns[i].get(row);
            numbers::<Float32Type>(rows, |row| {
                Ok(narrow::distance(measure, (value(0, row), value(1, row)), (value(2, row), value(3, row))))
            })
        }))
    })
}

/// Squares of metres for a degree of latitude and of longitude.
fn ellipsoid_scale(latitude: f64) -> (f64, f64) {
    let along = 111_132.09 - 566.05 * (2.0 * latitude).cos() + 1.20 * (4.0 * latitude).cos();
    let across = 111_415.13 * latitude.cos() - 94.55 * (3.0 * latitude).cos() + 0.12 * (5.0 * latitude).cos();
    (along * along, across * across)
}

macro_rules! in_float {
    ($module:ident, $float:ident) => {
        #[allow(clippy::unnecessary_cast, reason = "one of the two is the type of the constants")]
        mod $module {
            use super::*;

            struct Tables {
                cosines: Vec<$float>,
                arc_sines: Vec<$float>,
                /// For each latitude from the south pole on: squares of what a degree of longitude is on the sphere, in degrees and
                /// in metres, and of what degrees of latitude and longitude are on the ellipsoid, in metres.
                angles: Vec<$float>,
                metres: Vec<$float>,
                along: Vec<$float>,
                across: Vec<$float>,
            }

            static TABLES: LazyLock<Tables> = LazyLock::new(|| {
                let of = |steps: usize, f: &dyn Fn(f64) -> f64| -> Vec<$float> {
                    (0..=steps).map(|i| f(i as f64) as $float).collect()
                };
                let latitude = |i: f64| i * (PI / LATITUDES as f64) - PI * 0.5;
                let metres = DIAMETER_M * PI / 360.0;
                Tables {
                    cosines: of(COSINES, &|i| (2.0 * PI * i / COSINES as f64).cos()),
                    arc_sines: of(ARC_SINES, &|i| (i / ARC_SINES as f64).sqrt().asin()),
                    angles: of(LATITUDES, &|i| latitude(i).cos().powi(2)),
                    metres: of(LATITUDES, &|i| (metres * latitude(i).cos()).powi(2)),
                    along: of(LATITUDES, &|i| ellipsoid_scale(latitude(i)).0),
                    across: of(LATITUDES, &|i| ellipsoid_scale(latitude(i)).1),
                }
            });

            fn difference(a: $float, b: $float) -> $float {
                let degrees = (a - b).abs();
                if degrees > 180.0 { 360.0 - degrees } else { degrees }
            }

            /// Between the entry at a place and the next one.
            fn between(table: &[$float], place: usize, part: $float) -> $float {
                table[place] + (table[place + 1] - table[place]) * part
            }

            /// The cosine, `turned` back by so many steps of the table.
            fn cosine(tables: &Tables, radians: $float, turned: usize) -> $float {
                let place = radians.abs() * (COSINES as $float / PI as $float / 2.0);
                let step = place as usize;
                between(&tables.cosines, step.wrapping_sub(turned) & (COSINES - 1), place - step as $float)
            }

            /// The arc sine of the square root.
            fn arc_sine_of_root(tables: &Tables, x: $float) -> $float {
                if x < 0.122 {
                    let y = x.sqrt();
                    let [a, b, c] = SERIES.map(|factor| factor as $float);
                    return y + x * y * a + x * x * y * b + x * x * x * y * c;
                }
                if x < 0.948 {
                    let place = x * ARC_SINES as $float;
                    return between(&tables.arc_sines, place as usize, place - (place as usize) as $float);
                }
                x.sqrt().asin()
            }

            pub fn distance(measure: Measure, from: ($float, $float), to: ($float, $float)) -> $float {
                let tables = &*TABLES;
                let (lon, lat) = (difference(from.0, to.0), difference(from.1, to.1));
                if lon < NEAR_DEGREES as $float {
                    let middle = (from.1 + to.1 + 180.0) * LATITUDES as $float / 360.0;
                    let place = middle as usize & (LATITUDES - 1);
                    let part = middle - place as $float;
                    let metre = DIAMETER_M as $float * PI as $float / 360.0;
                    let (along, across) = match measure {
                        Measure::Angle => (1.0, between(&tables.angles, place, part)),
                        Measure::Sphere => (metre * metre, between(&tables.metres, place, part)),
                        Measure::Ellipsoid => (between(&tables.along, place, part), between(&tables.across, place, part)),
                    };
                    return (along * lat * lat + across * lon * lon).sqrt();
                }
                let radians = (PI / 180.0) as $float;
                let half = (PI / 360.0) as $float;
                let sine = |degrees: $float| cosine(tables, degrees * half, COSINES / 4);
                let cosine_of = |degrees: $float| cosine(tables, degrees * radians, 0);
                let (lat_part, lon_part) = (sine(lat), sine(lon));
                let h = lat_part * lat_part + cosine_of(from.1) * cosine_of(to.1) * (lon_part * lon_part);
                let scale = if measure == Measure::Angle { 360.0 / PI as $float } else { DIAMETER_M as $float };
                scale * arc_sine_of_root(tables, h)
            }
        }
    };
}

in_float!(wide, f64);
in_float!(narrow, f32);

#[cfg(test)]
mod tests {
    use super::*;

    /// Distances that ClickHouse gives.
    #[test]
    fn distances_are_those_of_clickhouse() {
        let near =
            |found: f64, expected: f64| assert!((found - expected).abs() < 1e-6 * expected, "{found}, not {expected}");
        let (moscow, opposite) = ((55.755_831, 37.617_673), (-55.755_831, -37.617_673));
        near(wide::distance(Measure::Sphere, moscow, opposite), 14_128_352.575_065_022);
        near(wide::distance(Measure::Ellipsoid, (38.8976, -77.0366), (39.9496, -75.1503)), 212_458.828_195_869_92);
        near(f64::from(narrow::distance(Measure::Angle, (0.0, 0.0), (45.0, 0.0))), 44.999_98);
    }

    #[test]
    fn places_that_are_none_do_no_harm() {
        for far in [f64::NAN, f64::INFINITY, -1e300, 1e300, 500.0] {
            for measure in [Measure::Angle, Measure::Sphere, Measure::Ellipsoid] {
                wide::distance(measure, (far, far), (1.0, 2.0));
                wide::distance(measure, (0.0, far), (1.0, 2.0));
                narrow::distance(measure, (far as f32, far as f32), (1.0, 2.0));
                narrow::distance(measure, (1.0, far as f32), (1.0, 2.0));
            }
        }
    }
}
