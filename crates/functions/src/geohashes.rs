//! `geohashesInBox`: the cells of a precision that a box touches, by longitude and then by latitude.
//!
//! A letter more halves cells five times, longitudes first; so a cell's width and height are powers of two of the earth's, and
//! the box is widened to whole cells.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{BinaryViewBuilder, ListArray};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{Float64Type, UInt8Type};
use gristmill_base::allocations::check_room;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use crate::columns::Numbers;
use crate::define::{arity, illegal, plain};
use crate::geo::push_geohash;
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

const PRECISION_MAX: u8 = 12;
const CELLS_MAX: u64 = 10_000_000;
/// Bytes of a text in a column, about.
const TEXT_BYTES: u64 = 16;

pub fn register(registry: &mut Registry) {
    registry.scalar("geohashesInBox", plain(|name, arguments, _| in_box(name, arguments)));
}

/// The first cell, how many cells from it on, and what is between them.
struct Steps {
    first: f64,
    count: u64,
    step: f64,
}

impl Steps {
    /// `most`: the largest number there is, the least one below zero; `bits`: how often cells are halved.
    fn new(from: f64, to: f64, most: f64, bits: u32) -> Steps {
        let step = 2.0 * most / (1u64 << bits) as f64;
        let (first, end) = ((from / step).floor() * step, (to / step).ceil() * step);
        Steps { first, count: (((end - first) / step) as u64).max(1), step }
    }

    fn places(&self) -> impl Iterator<Item = f64> {
        (0..self.count).map(|place| self.first + place as f64 * self.step)
    }
}

/// The cells of a box; longitudes and latitudes beyond the earth's are those at its ends. `None`: there is no such box.
fn cells(low: (f64, f64), high: (f64, f64), precision: u8) -> Option<(Steps, Steps)> {
    let numbers = [low.0, low.1, high.0, high.1];
    let clamped = |(lon, lat): (f64, f64)| (lon.clamp(-180.0, 180.0), lat.clamp(-90.0, 90.0));
    if numbers.iter().any(|number| number.is_nan()) {
        return None;
    }
    let (low, high) = (clamped(low), clamped(high));
    if high.0 < low.0 || high.1 < low.1 {
        return None;
    }
    let bits = 5 * u32::from(precision);
    Some((Steps::new(low.0, high.0, 180.0, bits.div_ceil(2)), Steps::new(low.1, high.1, 90.0, bits / 2)))
}

fn in_box(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 5..=5)?;
    for i in 0..4 {
        if !matches!(arguments[i].kind, T::Float32 | T::Float64) {
            return Err(illegal(name, arguments, i, "Float32 or Float64"));
        }
        if arguments[i].kind != arguments[0].kind {
            return Err(illegal(name, arguments, i, format!("{}, as the first one is", arguments[0].kind)));
        }
    }
    if !matches!(arguments[4].kind, T::UInt8 | T::Bool) {
        return Err(illegal(name, arguments, 4, "UInt8"));
    }
    let casts = [vec![T::Float64; 4], vec![T::UInt8]].concat();
    let name = name.to_string();
    Ok(Bound::cast(casts, T::array(T::String), move |args, rows| {
        let numbers: Vec<Numbers<'_, f64>> = args[..4].iter().map(Numbers::of::<Float64Type>).collect::<Result<_>>()?;
        let precisions = Numbers::of::<UInt8Type>(&args[4])?;
        let (mut hashes, mut lengths, mut hash) = (BinaryViewBuilder::new(), Vec::with_capacity(rows), Vec::new());
        for row in 0..rows {
            let precision = match precisions.get(row) {
                precision @ 1..=PRECISION_MAX => precision,
                _ => PRECISION_MAX,
            };
            let number = |i: usize| numbers[i].get(row);
            let Some((lons, lats)) = cells((number(0), number(1)), (number(2), number(3)), precision) else {
                lengths.push(0);
                continue;
            };
            let count = lons.count.saturating_mul(lats.count);
            if count > CELLS_MAX {
                let text = format!(
                    "{name} would produce {count} array elements, which is bigger than the allowed maximum of {CELLS_MAX}"
                );
                return Err(Error::new(ErrorCode::TOO_LARGE_ARRAY_SIZE, text));
            }
            check_room((count * TEXT_BYTES) as usize)?;
            for lon in lons.places() {
                for lat in lats.places() {
                    hash.clear();
                    push_geohash(lon, lat, usize::from(precision), &mut hash);
                    hashes.append_value(&hash);
                }
            }
            lengths.push(count as usize);
        }
        let values = Arc::new(hashes.finish());
        Ok(Arc::new(ListArray::try_new(T::String.field("item"), OffsetBuffer::from_lengths(lengths), values, None)?))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(low: (f64, f64), high: (f64, f64), precision: u8) -> Option<(u64, u64)> {
        cells(low, high, precision).map(|(lons, lats)| (lons.count, lats.count))
    }

    #[test]
    fn boxes_are_widened_to_whole_cells() {
        assert_eq!(count((-180.0, -90.0), (180.0, 90.0), 1), Some((8, 4)));
        assert_eq!(count((-1.0, -1.0), (1.0, 1.0), 2), Some((2, 2)));
        assert_eq!(count((0.1, 0.1), (0.1, 0.1), 12), Some((1, 1)));
        assert_eq!(count((f64::NEG_INFINITY, 0.0), (f64::INFINITY, 1.0), 1), Some((8, 1)));
        assert_eq!(count((2.0, 0.0), (1.0, 1.0), 1), None);
        assert_eq!(count((f64::NAN, 0.0), (1.0, 1.0), 1), None);
    }
}
