//! quantileTDigest: quantiles from a t-digest.
//!
//! A digest is a list of centroids (mean, weight). New values wait in the list as centroids of their own; when it is long it
//! is sorted and neighbours are joined as long as the joined weight stays below 4·q·(1-q)·n·ε, so that centroids are small
//! near both ends, where quantiles must be precise, and large in the middle. (Dunning and Ertl, "Computing extremely accurate
//! quantiles using t-digests"; q is taken at the middle of either neighbour, as in ClickHouse, and the stricter one counts.)

use arrow::array::{ArrayRef, AsArray};
use arrow::datatypes::DataType;
use gristmill_base::Result;
use gristmill_types::SqlType;

use super::values::{list_type, lists};
use super::{Answer, Call, Levels, Plan, answers, by_native, check_kind, check_weight, shaped};
use crate::aggregates::groups::Groups;
use crate::aggregates::natives::natives;

const EPSILON: f64 = 0.01;
/// Centroids of a digest before it is compressed.
const CENTROIDS_MAX: usize = 2048;

pub fn plan(call: &Call<'_>, levels: Levels, weighted: bool) -> Result<Plan> {
    let arguments = if weighted { 2 } else { 1 };
    call.arity(arguments..=arguments)?;
    let kind = check_kind(call)?;
    if kind.is_decimal() {
        return Err(call.illegal(0, "an integer, a float, a date or a time"));
    }
    let one = if kind.is_number() { SqlType::Float32 } else { kind.clone() };
    let mut casts = vec![kind.clone()];
    if weighted {
        check_weight(call)?;
        casts.push(SqlType::UInt64);
    }
    let (carrier, output) = (kind.arrow(), one.arrow());
    let state = vec![list_type(DataType::Float64), list_type(DataType::Float64)];
    Ok(Plan::new(levels.result(one), casts, state, move || Digests {
        digests: Vec::new(),
        levels: levels.clone(),
        carrier: carrier.clone(),
        output: output.clone(),
        centroids: 0,
    }))
}

#[derive(Default)]
struct Digest {
    centroids: Vec<(f64, f64)>,
    weight: f64,
    /// Centroids at the front that are in order and joined.
    joined: usize,
}

impl Digest {
    fn add(&mut self, mean: f64, weight: f64) {
        if mean.is_nan() || weight <= 0.0 {
            return;
        }
        self.centroids.push((mean, weight));
        self.weight += weight;
        if self.centroids.len() > CENTROIDS_MAX {
            self.join();
        }
    }

    fn join(&mut self) {
        if self.joined == self.centroids.len() {
            return;
        }
        self.centroids.sort_by(|a, b| a.0.total_cmp(&b.0));
        let total = self.weight;
        let mut joined: Vec<(f64, f64)> = Vec::with_capacity(CENTROIDS_MAX / 2);
        let mut before = 0.0;
        let room = |middle: f64| 4.0 * (middle / total) * (1.0 - middle / total) * total * EPSILON;
        for (mean, weight) in self.centroids.drain(..) {
            if let Some(last) = joined.last_mut() {
                let together = last.1 + weight;
                let fits = together <= room(before + last.1 / 2.0).min(room(before + last.1 + weight / 2.0));
                // What is infinite has no middle with anything else.
                if fits && (last.0 == mean || (last.0.is_finite() && mean.is_finite())) {
                    if last.0 != mean {
                        last.0 += (mean - last.0) * weight / together;
                    }
                    last.1 = together;
                    continue;
                }
                before += last.1;
            }
            joined.push((mean, weight));
        }
        self.joined = joined.len();
        self.centroids = joined;
    }

    /// Between the middles of neighbouring centroids the values rise evenly; those of a single value are that value.
    fn quantile(&self, level: f64) -> f64 {
        let Some((first, last)) = self.centroids.first().zip(self.centroids.last()) else { return f64::NAN };
        let wanted = level * self.weight;
        let (mut before, mut place, mut previous) = (0.0, 0.0, *first);
        for centroid in &self.centroids {
            let middle = before + centroid.1 / 2.0;
            if middle >= wanted {
                let left = place + if previous.1 == 1.0 { 0.5 } else { 0.0 };
                let right = middle - if centroid.1 == 1.0 { 0.5 } else { 0.0 };
                return match () {
                    () if wanted <= left => previous.0,
                    () if wanted >= right => centroid.0,
                    // From both sides, so that two of the same infinity have it between them too.
                    () => {
                        let share = (wanted - left) / (right - left);
                        (1.0 - share) * previous.0 + share * centroid.0
                    }
                };
            }
            before += centroid.1;
            (place, previous) = (middle, *centroid);
        }
        last.0
    }
}

struct Digests {
    digests: Vec<Digest>,
    levels: Levels,
    carrier: DataType,
    output: DataType,
    centroids: usize,
}

fn floats(array: &ArrayRef, carrier: &DataType) -> Result<Vec<f64>> {
    use super::Ranked;
    by_native!(carrier, N => Ok(natives::<N>(array)?.iter().map(|value| value.float()).collect()), Ok(Vec::new()))
}

impl Groups for Digests {
    fn resize(&mut self, groups: usize) {
        self.digests.resize_with(groups, Digest::default);
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let values = floats(&args[0], &self.carrier)?;
        let weights = args.get(1).map(|array| natives::<u64>(array)).transpose()?;
        for (row, (value, group)) in values.into_iter().zip(groups).enumerate() {
            self.digests[*group].add(value, weights.as_ref().map_or(1.0, |weights| weights[row] as f64));
        }
        self.centroids += groups.len();
        Ok(())
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        let (mut means, mut weights) = (Vec::new(), Vec::new());
        for digest in &mut self.digests[..groups] {
            digest.join();
            means.push(digest.centroids.iter().map(|centroid| centroid.0).collect::<Vec<f64>>());
            weights.push(digest.centroids.iter().map(|centroid| centroid.1).collect::<Vec<f64>>());
        }
        Ok(vec![
            lists(means.iter().map(Vec::as_slice), &DataType::Float64)?,
            lists(weights.iter().map(Vec::as_slice), &DataType::Float64)?,
        ])
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let (means, weights) = (states[0].as_list::<i32>(), states[1].as_list::<i32>());
        for (row, group) in groups.iter().enumerate() {
            let (means, weights) = (natives::<f64>(&means.value(row))?, natives::<f64>(&weights.value(row))?);
            self.centroids += means.len();
            for (mean, weight) in means.iter().zip(weights.iter()) {
                self.digests[*group].add(*mean, *weight);
            }
        }
        Ok(())
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        let mut found: Vec<Answer<i64>> = Vec::new();
        for digest in &mut self.digests[..groups] {
            digest.join();
            found.extend(self.levels.levels.iter().map(|level| Answer::Float(digest.quantile(*level))));
        }
        let values = match &self.output {
            DataType::Float32 => answers(&found, &DataType::Float32)?,
            other => {
                let values: ArrayRef = answers(&found, &DataType::Int64)?;
                arrow::compute::cast(&arrow::compute::cast(&values, &integer(other))?, other)?
            }
        };
        shaped(values, &self.levels, groups)
    }

    fn drop_first(&mut self, groups: usize) {
        let gone: usize = self.digests.drain(..groups).map(|digest| digest.centroids.len()).sum();
        self.centroids = self.centroids.saturating_sub(gone);
    }

    fn bytes(&self) -> usize {
        let centroids = self.centroids.min(self.digests.len() * CENTROIDS_MAX);
        self.digests.capacity() * size_of::<Digest>() + centroids * 24
    }
}

/// The integer that carries a date or a time.
fn integer(kind: &DataType) -> DataType {
    if kind.primitive_width() == Some(4) { DataType::Int32 } else { DataType::Int64 }
}
