//! `sparkbar(width, from, to)(x, y)`: a small chart in characters. Each x has the sum of its y; the range of x is cut into
//! as many buckets as there are characters, and a bucket is as high as the mean of what is in it.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, UInt64Array};
use arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::bytes::BytesBuilder;

use super::combinators::array::flatten;
use super::groups::Groups;
use super::natives::natives;
use super::quantiles::list_type;
use super::{Call, NullRule, Plan, family};
use crate::columns::{list, retype};
use crate::define::bad_argument;
use crate::registry::Registry;

const BARS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
/// Heights above the lowest.
const LEVELS: u64 = 7;

pub fn register(registry: &mut Registry) {
    registry.aggregate("sparkbar", family(NullRule::Nullable, plan));
    registry.alias("sparkBar", "sparkbar");
}

fn illegal(call: &Call<'_>, text: &str) -> Error {
    Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, format!("Aggregate function {}: {text}", call.name))
}

fn plan(call: &Call<'_>) -> Result<Plan> {
    call.arity(2..=2)?;
    if !matches!(call.parameters.len(), 1 | 3) {
        let text = format!(
            "The number of parameters of aggregate function '{}' does not match, expected 1 or 3, got {}",
            call.name,
            call.parameters.len()
        );
        return Err(Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, text));
    }
    let bounds = match call.parameters {
        [_, from, to] => match (place(from), place(to)) {
            (Some(from), Some(to)) => Some((from, to)),
            _ => return Err(illegal(call, "the second and third parameter are not of the type of the first argument")),
        },
        _ => None,
    };
    let (kind, last) = match &call.kinds[0] {
        SqlType::UInt8 => (SqlType::UInt64, u64::from(u8::MAX)),
        SqlType::UInt16 => (SqlType::UInt64, u64::from(u16::MAX)),
        SqlType::UInt32 => (SqlType::UInt64, u64::from(u32::MAX)),
        SqlType::UInt64 => (SqlType::UInt64, u64::MAX),
        SqlType::Date => (SqlType::Date, u64::from(u16::MAX)),
        SqlType::DateTime(zone) => (SqlType::DateTime(zone.clone()), u64::from(u32::MAX)),
        _ => return Err(illegal(call, "the first argument must be an unsigned integer of up to 64 bits, Date or DateTime")),
    };
    let heights = match &call.kinds[1] {
        kind if kind.is_float() => Heights::Floats,
        SqlType::Bool => Heights::Integers(u64::from(u8::MAX)),
        kind => match kind.integer_bits() {
            Some((bits @ ..=64, signed)) => Heights::Integers(u64::MAX >> (64 - bits + u16::from(signed))),
            _ => return Err(illegal(call, "the second argument must be a number of up to 64 bits")),
        },
    };
    let width = call.size(0)?.unwrap_or(0);
    if !(2..=1024).contains(&width) {
        return Err(bad_argument(call.name, "the width must be from 2 to 1024"));
    }
    if bounds.is_some_and(|(from, to)| from >= to) {
        return Err(bad_argument(call.name, "the end of the range must be above its begin"));
    }
    let state = vec![list_type(DataType::UInt64), list_type(heights.carrier()), DataType::UInt64, DataType::UInt64];
    let arguments = vec![kind, heights.kind()];
    Ok(Plan::new(SqlType::String, arguments, state, move || Charts {
        groups: Vec::new(),
        points: 0,
        width,
        bounds,
        last,
        heights,
    }))
}

/// A bound of x: a number, days or seconds.
fn place(value: &ScalarValue) -> Option<u64> {
    let number = match value {
        ScalarValue::Date32(Some(days)) => i64::from(*days),
        ScalarValue::TimestampSecond(Some(seconds), _) => *seconds,
        value if value.data_type().is_unsigned_integer() => match value.cast_to(&DataType::UInt64) {
            Ok(ScalarValue::UInt64(number)) => return number,
            _ => return None,
        },
        _ => return None,
    };
    u64::try_from(number).ok()
}

#[derive(Clone, Copy, PartialEq)]
enum Heights {
    Floats,
    /// Sums stop at the largest value of the type.
    Integers(u64),
}

/// The sum of the y of an x.
#[derive(Clone, Copy, PartialEq)]
enum Height {
    Float(f64),
    Integer(u64),
}

impl Heights {
    fn kind(self) -> SqlType {
        match self {
            Heights::Floats => SqlType::Float64,
            Heights::Integers(u64::MAX) => SqlType::UInt64,
            Heights::Integers(_) => SqlType::Int64,
        }
    }

    fn carrier(self) -> DataType {
        if self == Heights::Floats { DataType::Float64 } else { DataType::UInt64 }
    }

    /// The values of a column; `None` for those that draw nothing.
    fn read(self, array: &ArrayRef) -> Result<Vec<Option<Height>>> {
        Ok(match array.data_type() {
            DataType::Float64 => natives::<f64>(array)?.iter().map(|y| (*y > 0.0).then_some(Height::Float(*y))).collect(),
            DataType::UInt64 => natives::<u64>(array)?.iter().map(|y| (*y > 0).then_some(Height::Integer(*y))).collect(),
            _ => natives::<i64>(array)?
                .iter()
                .map(|y| u64::try_from(*y).ok().filter(|y| *y > 0).map(Height::Integer))
                .collect(),
        })
    }

    fn sum(self, a: Height, b: Height) -> Height {
        match (self, a, b) {
            (Heights::Integers(most), Height::Integer(a), Height::Integer(b)) => {
                Height::Integer(a.saturating_add(b).min(most))
            }
            _ => Height::Float(a.float() + b.float()),
        }
    }
}

impl Height {
    fn float(self) -> f64 {
        match self {
            Height::Float(height) => height,
            Height::Integer(height) => height as f64,
        }
    }
}

#[derive(Clone)]
struct Chart {
    points: HashMap<u64, Height>,
    lowest: u64,
    highest: u64,
}

struct Charts {
    groups: Vec<Chart>,
    /// Of all groups.
    points: usize,
    width: usize,
    bounds: Option<(u64, u64)>,
    /// The largest x of its type.
    last: u64,
    heights: Heights,
}

impl Charts {
    fn add(&mut self, group: usize, x: u64, height: Option<Height>) {
        let heights = self.heights;
        let chart = &mut self.groups[group];
        chart.lowest = chart.lowest.min(x);
        chart.highest = chart.highest.max(x);
        if let Some(height) = height {
            let before = chart.points.len();
            chart.points.entry(x).and_modify(|known| *known = heights.sum(*known, height)).or_insert(height);
            self.points += chart.points.len() - before;
        }
    }

    fn draw(&self, chart: &Chart, out: &mut String) {
        if chart.points.is_empty() {
            return;
        }
        let (from, to) = self.bounds.unwrap_or((chart.lowest, chart.highest));
        if from >= to {
            out.push_str(BARS[8]);
            return;
        }
        let mut span = to - from;
        if span < self.last {
            span += 1;
        }
        let step = self.width as f64 / span as f64;
        let nothing = if self.heights == Heights::Floats { Height::Float(0.0) } else { Height::Integer(0) };
        let mut buckets = vec![(nothing, 0u64); self.width];
        let mut places: Vec<&u64> = chart.points.keys().filter(|x| (from..=to).contains(*x)).collect();
        places.sort_unstable();
        for x in places {
            let bucket = &mut buckets[((step * (x - from) as f64) as usize).min(self.width - 1)];
            let height = chart.points[x];
            // What a sum cannot hold is not counted either: how many it stands for is not known.
            let counts = match (self.heights, bucket.0, height) {
                (Heights::Integers(most), Height::Integer(sum), Height::Integer(height)) => {
                    sum.checked_add(height).is_some_and(|sum| sum <= most)
                }
                _ => true,
            };
            *bucket = (self.heights.sum(bucket.0, height), bucket.1 + u64::from(counts));
        }
        match self.heights {
            Heights::Floats => {
                let means: Vec<f64> = buckets.iter().map(|(sum, count)| sum.float() / (*count).max(1) as f64).collect();
                let most = means.iter().copied().fold(0.0, f64::max);
                if most == 0.0 {
                    return;
                }
                let height = |mean: &f64| if *mean > 0.0 { mean / (most / LEVELS as f64) + 1.0 } else { 0.0 };
                out.extend(
                    means
                        .iter()
                        .map(height)
                        .map(|height| if (1.0..=8.0).contains(&height) { BARS[height as usize] } else { BARS[0] }),
                );
            }
            Heights::Integers(largest) => {
                let mean = |(sum, count): &(Height, u64)| match sum {
                    Height::Integer(sum) => sum / (*count).max(1),
                    Height::Float(_) => 0,
                };
                let means: Vec<u64> = buckets.iter().map(mean).collect();
                let most = means.iter().copied().max().unwrap_or(0);
                if most == 0 {
                    return;
                }
                let height = |mean: &u64| match mean.checked_mul(LEVELS).filter(|scaled| *scaled <= largest) {
                    _ if *mean == 0 => 0,
                    Some(scaled) => scaled / most + 1,
                    None => mean / (most / LEVELS).max(1) + 1,
                };
                out.extend(means.iter().map(height).map(|height| BARS.get(height as usize).copied().unwrap_or(BARS[0])));
            }
        }
    }
}

fn places(array: &ArrayRef) -> Result<Vec<u64>> {
    Ok(match array.data_type().primitive_width() {
        Some(2) => natives::<u16>(array)?.iter().map(|x| u64::from(*x)).collect(),
        Some(4) => natives::<i32>(array)?.iter().map(|x| u64::try_from(*x).unwrap_or(0)).collect(),
        _ => natives::<u64>(array)?.to_vec(),
    })
}

impl Groups for Charts {
    fn resize(&mut self, groups: usize) {
        self.groups.resize(groups, Chart { points: HashMap::new(), lowest: u64::MAX, highest: 0 });
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let (from, to) = self.bounds.unwrap_or((0, u64::MAX));
        let heights = self.heights.read(&args[1])?;
        for ((x, height), group) in places(&args[0])?.into_iter().zip(heights).zip(groups) {
            if (from..=to).contains(&x) {
                self.add(*group, x, height);
            }
        }
        Ok(())
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        let groups = &self.groups[..groups];
        let lengths: Vec<usize> = groups.iter().map(|chart| chart.points.len()).collect();
        let x = UInt64Array::from_iter_values(groups.iter().flat_map(|chart| chart.points.keys().copied()));
        let y = || groups.iter().flat_map(|chart| chart.points.values());
        let y: ArrayRef = match self.heights {
            Heights::Floats => Arc::new(Float64Array::from_iter_values(y().map(|height| height.float()))),
            Heights::Integers(_) => Arc::new(UInt64Array::from_iter_values(y().map(|height| match height {
                Height::Integer(height) => *height,
                Height::Float(_) => 0,
            }))),
        };
        Ok(vec![
            retype(&list(Arc::new(x), &lengths)?, &list_type(DataType::UInt64))?,
            retype(&list(y, &lengths)?, &list_type(self.heights.carrier()))?,
            Arc::new(UInt64Array::from_iter_values(groups.iter().map(|chart| chart.lowest))),
            Arc::new(UInt64Array::from_iter_values(groups.iter().map(|chart| chart.highest))),
        ])
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let flat = flatten(&states[..2])?;
        let (places, heights) = (natives::<u64>(&flat.columns[0])?, self.heights.read(&flat.columns[1])?);
        for (i, row) in flat.rows.iter().enumerate() {
            self.add(groups[*row], places[i], heights[i]);
        }
        let (lowest, highest) = (natives::<u64>(&states[2])?, natives::<u64>(&states[3])?);
        for (row, group) in groups.iter().enumerate() {
            let chart = &mut self.groups[*group];
            chart.lowest = chart.lowest.min(lowest[row]);
            chart.highest = chart.highest.max(highest[row]);
        }
        Ok(())
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        let mut builder = BytesBuilder::with_capacity(groups);
        let mut out = String::new();
        for chart in &self.groups[..groups] {
            out.clear();
            self.draw(chart, &mut out);
            builder.append(out.as_bytes());
        }
        Ok(Arc::new(builder.finish(None)))
    }

    fn drop_first(&mut self, groups: usize) {
        let gone: usize = self.groups.drain(..groups).map(|chart| chart.points.len()).sum();
        self.points -= gone;
    }

    fn bytes(&self) -> usize {
        self.groups.capacity() * size_of::<Chart>() + self.points * 48
    }
}
