//! Boxes of map tiles: `MVTBoundingBox`, `MVTBoundingBoxMercator`. The world is a square of 2^32 in Web Mercator, north at the top,
//! and each zoom halves tiles in both directions. A margin, in tiles, widens a box up to the end of the world.

use std::f64::consts::PI;
use std::sync::Arc;

use SqlType as T;
use arrow::array::{ArrayRef, Float64Array};
use arrow::datatypes::{Float64Type, UInt64Type};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use crate::columns::Numbers;
use crate::define::{illegal, own_nulls};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};
use crate::tuples::struct_array;

const WORLD: f64 = (1u64 << 32) as f64;
const ZOOM_MAX: u64 = 32;

/// The least and the greatest x and y.
type Corners = [f64; 4];

pub fn register(registry: &mut Registry) {
    registry.scalar(
        "MVTBoundingBox",
        own_nulls(|name, arguments, _| tile(name, arguments, ["min_lon", "min_lat", "max_lon", "max_lat"], on_earth)),
    );
    registry.scalar(
        "MVTBoundingBoxMercator",
        own_nulls(|name, arguments, _| tile(name, arguments, ["min_x", "min_y", "max_x", "max_y"], |corners| corners)),
    );
}

/// In degrees; what is north has the lesser y and the greater latitude.
fn on_earth([min_x, min_y, max_x, max_y]: Corners) -> Corners {
    let lon = |x: f64| x / WORLD * 360.0 - 180.0;
    let lat = |y: f64| ((0.5 - y / WORLD) * 2.0 * PI).exp().atan() * 360.0 / PI - 90.0;
    [lon(min_x), lat(max_y), lon(max_x), lat(min_y)]
}

fn corners(name: &str, zoom: u64, (x, y): (u64, u64), margin: f64) -> Result<Corners> {
    let out_of_bound = |text: String| Err(Error::new(ErrorCode::ARGUMENT_OUT_OF_BOUND, text));
    if zoom > ZOOM_MAX {
        return out_of_bound(format!("The 'zoom' argument ({zoom}) of function {name} must be between 0 and {ZOOM_MAX}"));
    }
    let tiles = 1u64 << zoom;
    if x >= tiles || y >= tiles {
        return out_of_bound(format!(
            "The tile indices (tile_x = {x}, tile_y = {y}) of function {name} must be less than 2^zoom = {tiles}"
        ));
    }
    if !margin.is_finite() || margin < 0.0 {
        return out_of_bound(format!(
            "The 'margin' argument ({margin}) of function {name} must be a finite, non-negative number"
        ));
    }
    let size = WORLD / tiles as f64;
    let low = |place: u64| (place as f64 * size - margin * size).max(0.0);
    let high = |place: u64| ((place + 1) as f64 * size + margin * size).min(WORLD);
    Ok([low(x), low(y), high(x), high(y)])
}

fn tile(name: &str, arguments: &[Argument], names: [&str; 4], shown: fn(Corners) -> Corners) -> Result<Bound> {
    if !(3..=4).contains(&arguments.len()) {
        let text = format!("Function {name} takes 3 or 4 arguments, not {}", arguments.len());
        return Err(Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, text));
    }
    let is_whole = |kind: &SqlType| matches!(kind, T::UInt8 | T::UInt16 | T::UInt32 | T::UInt64);
    if let Some(i) = (0..3).find(|i| !is_whole(&arguments[*i].kind)) {
        return Err(illegal(name, arguments, i, "an unsigned integer"));
    }
    if arguments.get(3).is_some_and(|margin| !margin.kind.is_number() || margin.kind.is_nullable()) {
        return Err(illegal(name, arguments, 3, "Float64"));
    }
    let casts = [T::UInt64, T::UInt64, T::UInt64, T::Float64];
    let kind = T::Tuple(names.iter().map(|name| (Some((*name).into()), T::Float64)).collect());
    let name = name.to_string();
    Ok(Bound::cast(casts[..arguments.len()].to_vec(), kind.clone(), move |args, rows| {
        let whole: Vec<Numbers<'_, u64>> = args[..3].iter().map(Numbers::of::<UInt64Type>).collect::<Result<_>>()?;
        let margins = args.get(3).map(Numbers::of::<Float64Type>).transpose()?;
        let boxes = (0..rows).map(|row| {
            let margin = margins.map_or(0.0, |margins| margins.get(row));
            corners(&name, whole[0].get(row), (whole[1].get(row), whole[2].get(row)), margin).map(shown)
        });
        let boxes = boxes.collect::<Result<Vec<Corners>>>()?;
        let column = |i: usize| Arc::new(Float64Array::from_iter_values(boxes.iter().map(|corners| corners[i]))) as ArrayRef;
        struct_array(&kind, (0..4).map(column).collect(), rows)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_halve_the_world() {
        let of = |zoom, tile, margin| corners("f", zoom, tile, margin);
        assert_eq!(of(0, (0, 0), 1.0).expect("the world"), [0.0, 0.0, WORLD, WORLD]);
        assert_eq!(of(3, (2, 1), 0.0).expect("a tile"), [1_073_741_824.0, 536_870_912.0, 1_610_612_736.0, 1_073_741_824.0]);
        let [min_lon, min_lat, max_lon, max_lat] = on_earth(of(3, (2, 1), 0.0).expect("a tile"));
        assert_eq!((min_lon, min_lat, max_lon, max_lat), (-90.0, 66.513_260_443_111_85, -45.0, 79.171_334_640_819_45));
        assert!(of(33, (0, 0), 0.0).is_err() && of(1, (2, 0), 0.0).is_err() && of(1, (0, 0), -1.0).is_err());
    }
}
