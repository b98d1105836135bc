//! How far one column tells another: `cramersV`, `cramersVBiasCorrected`, `contingency`, `theilsU`.
//!
//! Kept is how often each pair of values came, by hashes of the values; how often each value came follows from it. χ² is
//! summed over the pairs that came alone, which is enough: χ²/n = Σ n(a,b)² / (n(a) n(b)) - 1.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, UInt64Array};
use arrow::datatypes::DataType;
use gristmill_base::Result;
use gristmill_types::SqlType;
use hashbrown::HashMap;

use super::combinators::array::flatten;
use super::groups::Groups;
use super::natives::natives;
use super::quantiles::list_type;
use super::sets::Key;
use super::{Call, NullRule, Plan, family};
use crate::columns::{list, retype};
use crate::registry::Registry;

type Judge = fn(&Table<'_>) -> f64;

pub fn register(registry: &mut Registry) {
    let functions: [(&str, Judge); 4] = [
        ("cramersV", |table| {
            let least = table.first.len().min(table.second.len()) as f64;
            if least < 2.0 { f64::NAN } else { (table.phi_squared() / (least - 1.0)).sqrt() }
        }),
        ("cramersVBiasCorrected", corrected),
        ("contingency", |table| {
            let phi = table.phi_squared();
            (phi / (phi + 1.0)).sqrt()
        }),
        ("theilsU", uncertainty),
    ];
    for (name, judge) in functions {
        registry.aggregate(name, family(NullRule::Nullable, move |call| plan(call, judge)));
    }
}

fn plan(call: &Call<'_>, judge: Judge) -> Result<Plan> {
    call.arity(2..=2)?;
    let state = vec![list_type(DataType::UInt64); 3];
    Ok(Plan::new(SqlType::Float64, call.kinds.clone(), state, move || Tables { groups: Vec::new(), pairs: 0, judge }))
}

/// How often values and pairs of them came in a group.
struct Table<'a> {
    count: f64,
    first: HashMap<u64, u64>,
    second: HashMap<u64, u64>,
    pairs: &'a HashMap<(u64, u64), u64>,
}

impl Table<'_> {
    fn of(pairs: &HashMap<(u64, u64), u64>) -> Table<'_> {
        let mut table = Table { count: 0.0, first: HashMap::new(), second: HashMap::new(), pairs };
        for ((a, b), count) in pairs {
            *table.first.entry(*a).or_default() += count;
            *table.second.entry(*b).or_default() += count;
            table.count += *count as f64;
        }
        table
    }

    /// χ² of a row, within the bounds that it has in theory.
    fn phi_squared(&self) -> f64 {
        let terms = self.pairs.iter().map(|((a, b), count)| {
            let count = *count as f64;
            count * count / (self.first[a] as f64 * self.second[b] as f64)
        });
        let least = self.first.len().min(self.second.len());
        (terms.sum::<f64>() - 1.0).max(0.0).min(least.saturating_sub(1) as f64)
    }
}

fn corrected(table: &Table<'_>) -> f64 {
    let (a, b, rows) = (table.first.len() as f64, table.second.len() as f64, table.count - 1.0);
    let phi = (table.phi_squared() - (a - 1.0) * (b - 1.0) / rows).max(0.0);
    let left = (a - (a - 1.0).powi(2) / rows).min(b - (b - 1.0).powi(2) / rows) - 1.0;
    if left <= 0.0 { f64::NAN } else { (phi / left).sqrt() }
}

/// The share of the entropy of the first column that the second takes away.
fn uncertainty(table: &Table<'_>) -> f64 {
    let entropy: f64 = table.first.values().map(|count| *count as f64 / table.count).map(|share| share * share.ln()).sum();
    if entropy == 0.0 {
        return 0.0;
    }
    let left: f64 = table
        .pairs
        .iter()
        .map(|((_, b), count)| {
            let count = *count as f64;
            count / table.count * (count / table.second[b] as f64).ln()
        })
        .sum();
    (entropy - left) / entropy
}

struct Tables {
    groups: Vec<HashMap<(u64, u64), u64>>,
    /// Of all groups.
    pairs: usize,
    judge: Judge,
}

impl Tables {
    fn add(&mut self, group: usize, pair: (u64, u64), count: u64) {
        let known = &mut self.groups[group];
        let before = known.len();
        *known.entry(pair).or_default() += count;
        self.pairs += known.len() - before;
    }
}

impl Groups for Tables {
    fn resize(&mut self, groups: usize) {
        self.groups.resize_with(groups, HashMap::new);
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let first = u128::of(std::slice::from_ref(&args[0]))?;
        let second = u128::of(std::slice::from_ref(&args[1]))?;
        for ((a, b), group) in first.into_iter().zip(second).zip(groups) {
            self.add(*group, (a.hash(), b.hash()), 1);
        }
        Ok(())
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        let groups = &self.groups[..groups];
        let lengths: Vec<usize> = groups.iter().map(HashMap::len).collect();
        let column = |of: fn((&(u64, u64), &u64)) -> u64| -> Result<ArrayRef> {
            let values = UInt64Array::from_iter_values(groups.iter().flatten().map(of));
            retype(&list(Arc::new(values), &lengths)?, &list_type(DataType::UInt64))
        };
        Ok(vec![column(|(pair, _)| pair.0)?, column(|(pair, _)| pair.1)?, column(|(_, count)| *count)?])
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let flat = flatten(states)?;
        let columns = flat.columns.iter().map(|column| natives::<u64>(column)).collect::<Result<Vec<_>>>()?;
        for (i, row) in flat.rows.iter().enumerate() {
            self.add(groups[*row], (columns[0][i], columns[1][i]), columns[2][i]);
        }
        Ok(())
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        let values = self.groups[..groups].iter().map(|pairs| {
            let table = Table::of(pairs);
            if table.count < 2.0 { f64::NAN } else { (self.judge)(&table) }
        });
        Ok(Arc::new(Float64Array::from_iter_values(values)))
    }

    fn drop_first(&mut self, groups: usize) {
        let gone: usize = self.groups.drain(..groups).map(|pairs| pairs.len()).sum();
        self.pairs -= gone;
    }

    fn bytes(&self) -> usize {
        self.groups.capacity() * size_of::<HashMap<(u64, u64), u64>>() + self.pairs * 48
    }
}
