//! `histogram(bins)(x)`: bins of widths that follow the values.
//!
//! Ben-Haim and Tom-Tov's streaming histogram: values are weighted points; as soon as there are twice as many points as
//! bins, the nearest neighbours are joined, again and again, until there are as many as bins. A state never holds more.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, StructArray};
use arrow::datatypes::DataType;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use super::combinators::array::flatten;
use super::groups::Groups;
use super::natives::natives;
use super::quantiles::list_type;
use super::{Call, NullRule, Plan, family};
use crate::columns::{list, retype};
use crate::registry::Registry;

const BINS_MAX: usize = 250;

pub fn register(registry: &mut Registry) {
    registry.aggregate("histogram", family(NullRule::Default, plan));
}

fn plan(call: &Call<'_>) -> Result<Plan> {
    if call.parameters.len() != 1 {
        let text = format!("Function {} requires a single parameter: the count of bins", call.name);
        return Err(Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, text));
    }
    let bins = call.size(0)?.unwrap_or(0);
    if bins == 0 {
        return Err(Error::new(ErrorCode::BAD_ARGUMENTS, "The count of bins should be positive"));
    }
    if bins > BINS_MAX {
        let text = format!("Unsupported count of bins {bins}: it should not be greater than {BINS_MAX}");
        return Err(Error::new(ErrorCode::PARAMETER_OUT_OF_BOUND, text));
    }
    call.arity(1..=1)?;
    let kind = &call.kinds[0];
    if !(kind.is_number() || kind.is_enum()) || kind.is_decimal() {
        return Err(call.illegal(0, "an integer or a float"));
    }
    let bin = SqlType::Tuple(vec![(None, SqlType::Float64), (None, SqlType::Float64), (None, SqlType::Float64)]);
    let result = SqlType::array(bin);
    let carrier = result.arrow();
    let state = vec![DataType::Float64, DataType::Float64, list_type(DataType::Float64), list_type(DataType::Float64)];
    Ok(Plan::new(result, vec![SqlType::Float64], state, move || Histograms {
        groups: Vec::new(),
        points: 0,
        bins,
        carrier: carrier.clone(),
    }))
}

#[derive(Clone, Copy)]
struct Point {
    mean: f64,
    weight: f64,
}

impl Point {
    fn joined(self, other: Point) -> Point {
        let weight = other.weight + self.weight;
        Point { mean: self.mean + other.weight * (other.mean - self.mean) / weight, weight }
    }
}

#[derive(Clone)]
struct Histogram {
    lowest: f64,
    highest: f64,
    points: Vec<Point>,
}

/// A distance in a heap, which has no NaN.
#[derive(PartialEq)]
struct Distance(f64);

impl Eq for Distance {}

impl PartialOrd for Distance {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Distance {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl Histogram {
    const NEW: Histogram = Histogram { lowest: f64::MAX, highest: f64::MIN, points: Vec::new() };

    fn add(&mut self, point: Point, bins: usize) -> Result<()> {
        if !point.mean.is_finite() {
            let text = "Invalid value (inf or nan) for aggregation by 'histogram' function";
            return Err(Error::new(ErrorCode::INCORRECT_DATA, text));
        }
        self.points.push(point);
        self.lowest = self.lowest.min(point.mean);
        self.highest = self.highest.max(point.mean);
        if self.points.len() >= bins * 2 {
            self.compress(bins);
        }
        Ok(())
    }

    /// Joins nearest neighbours until no more than `bins` are left.
    fn compress(&mut self, bins: usize) {
        self.points.sort_by(|a, b| a.mean.total_cmp(&b.mean));
        let count = self.points.len();
        if count <= bins {
            return;
        }
        let points = &mut self.points;
        let (mut next, mut previous): (Vec<usize>, Vec<Option<usize>>) =
            (0..count).map(|i| (i + 1, i.checked_sub(1))).unzip();
        let mut active = vec![true; count];
        let mut nearest: BinaryHeap<Reverse<(Distance, usize)>> =
            (1..count).map(|i| Reverse((Distance(points[i].mean - points[i - 1].mean), i - 1))).collect();
        let mut left_over = count;
        while left_over > bins {
            let Some(Reverse((Distance(distance), left))) = nearest.pop() else { break };
            let right = next[left];
            if !active[left] || right >= count || !active[right] || points[right].mean - points[left].mean > distance {
                continue;
            }
            points[left] = points[left].joined(points[right]);
            active[right] = false;
            next[left] = next[right];
            if next[left] < count {
                previous[next[left]] = Some(left);
                nearest.push(Reverse((Distance(points[next[left]].mean - points[left].mean), left)));
            }
            if let Some(before) = previous[left] {
                nearest.push(Reverse((Distance(points[left].mean - points[before].mean), before)));
            }
            left_over -= 1;
        }
        let mut at = 0;
        points.retain(|_| {
            at += 1;
            active[at - 1]
        });
    }

    /// Joins points that differ in the last digit alone.
    fn join_equal(&mut self) {
        let mut joined: Vec<Point> = Vec::with_capacity(self.points.len());
        for point in &self.points {
            match joined.last_mut() {
                Some(last) if last.mean + 10.0 * (last.mean + point.mean) * f64::EPSILON >= point.mean => {
                    *last = last.joined(*point);
                }
                _ => joined.push(*point),
            }
        }
        self.points = joined;
    }

    /// Lower bound, upper bound and height of every bin.
    fn bins(&self, bins: usize) -> Vec<[f64; 3]> {
        let mut histogram = self.clone();
        histogram.compress(bins);
        histogram.join_equal();
        let points = &histogram.points;
        (0..points.len())
            .map(|i| {
                let point = points[i];
                let middle = |other: &Point| (point.mean + other.mean) / 2.0;
                let weight = |other: &Point| (other.weight + point.weight * 3.0) / 4.0;
                let (before, behind) = (i.checked_sub(1).map(|i| &points[i]), points.get(i + 1));
                let height = before.map_or(point.weight, weight) + behind.map_or(point.weight, weight);
                [before.map_or(self.lowest, middle), behind.map_or(self.highest, middle), height / 2.0]
            })
            .collect()
    }
}

struct Histograms {
    groups: Vec<Histogram>,
    /// Of all groups.
    points: usize,
    bins: usize,
    carrier: DataType,
}

impl Histograms {
    fn add(&mut self, group: usize, point: Point) -> Result<()> {
        let histogram = &mut self.groups[group];
        let before = histogram.points.len();
        histogram.add(point, self.bins)?;
        self.points = self.points + histogram.points.len() - before;
        Ok(())
    }
}

impl Groups for Histograms {
    fn resize(&mut self, groups: usize) {
        self.groups.resize(groups, Histogram::NEW);
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        for (value, group) in natives::<f64>(&args[0])?.iter().zip(groups) {
            self.add(*group, Point { mean: *value, weight: 1.0 })?;
        }
        Ok(())
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        let groups = &self.groups[..groups];
        let lengths: Vec<usize> = groups.iter().map(|histogram| histogram.points.len()).collect();
        let points = |of: fn(&Point) -> f64| -> Result<ArrayRef> {
            let values = groups.iter().flat_map(|histogram| &histogram.points).map(of);
            retype(&list(Arc::new(Float64Array::from_iter_values(values)), &lengths)?, &list_type(DataType::Float64))
        };
        Ok(vec![
            Arc::new(Float64Array::from_iter_values(groups.iter().map(|histogram| histogram.lowest))),
            Arc::new(Float64Array::from_iter_values(groups.iter().map(|histogram| histogram.highest))),
            points(|point| point.mean)?,
            points(|point| point.weight)?,
        ])
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let (lowest, highest) = (natives::<f64>(&states[0])?, natives::<f64>(&states[1])?);
        for (row, group) in groups.iter().enumerate() {
            let histogram = &mut self.groups[*group];
            histogram.lowest = histogram.lowest.min(lowest[row]);
            histogram.highest = histogram.highest.max(highest[row]);
        }
        let flat = flatten(&states[2..])?;
        let (means, weights) = (natives::<f64>(&flat.columns[0])?, natives::<f64>(&flat.columns[1])?);
        for (i, row) in flat.rows.iter().enumerate() {
            self.add(groups[*row], Point { mean: means[i], weight: weights[i] })?;
        }
        Ok(())
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        let bins: Vec<Vec<[f64; 3]>> = self.groups[..groups].iter().map(|histogram| histogram.bins(self.bins)).collect();
        let lengths: Vec<usize> = bins.iter().map(Vec::len).collect();
        let DataType::List(item) = &self.carrier else { return Err(Error::logical("A histogram is an array")) };
        let DataType::Struct(fields) = item.data_type() else { return Err(Error::logical("A bin is a tuple")) };
        let column = |i: usize| Float64Array::from_iter_values(bins.iter().flatten().map(|bin| bin[i]));
        let columns = (0..3).map(|i| Arc::new(column(i)) as ArrayRef).collect();
        retype(&list(Arc::new(StructArray::try_new(fields.clone(), columns, None)?), &lengths)?, &self.carrier)
    }

    fn drop_first(&mut self, groups: usize) {
        let gone: usize = self.groups.drain(..groups).map(|histogram| histogram.points.len()).sum();
        self.points -= gone;
    }

    fn bytes(&self) -> usize {
        self.groups.capacity() * size_of::<Histogram>() + self.points * size_of::<Point>() * 3 / 2
    }
}
