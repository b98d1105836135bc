//! State and Merge: states of aggregates as values, of type `AggregateFunction(name, types)`.
//!
//! A value is the function's saved state, as `gristmill_types::states` holds it.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::states::{converter, pack, unpack};

use super::{illegal, no_arguments, wrapped};
use crate::aggregates::Prepared;
use crate::aggregates::groups::Groups;
use crate::aggregates::scalars::{is_same_function, parsed};
use crate::aggregates::udaf::with_parameters;
use crate::scalar::Argument;

/// Types of the arguments of the states that Merge is given.
pub fn merged(name: &str, arguments: &[Argument]) -> Result<Vec<SqlType>> {
    match arguments {
        [] => Err(no_arguments(name)),
        [argument] => match argument.kind.plain() {
            SqlType::AggregateFunction(_, kinds) => Ok(kinds.clone()),
            other => Err(illegal(name, other, "AggregateFunction")),
        },
        _ => Err(Error::new(
            ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
            format!("Aggregate function {name} takes one argument, got {}", arguments.len()),
        )),
    }
}

/// Functions whose states do not depend on their parameters.
const WITHOUT_PARAMETERS: [&str; 7] =
    ["quantile", "median", "sequence", "groupBitmap", "groupArrayMoving", "mannWhitneyUTest", "kolmogorovSmirnovTest"];

/// Errors: states of another function than the one that is to merge them, or of the same one with parameters by which it keeps
/// something else.
pub fn check_function(merging: &str, parameters: &[ScalarValue], argument: &SqlType) -> Result<()> {
    let SqlType::AggregateFunction(function, _) = argument.plain() else { return Ok(()) };
    let (name, written) = function.split_at(function.find('(').unwrap_or(function.len()));
    let name = name.trim();
    // Bitmaps are states of one another.
    let is_bitmap = |name: &str| name.starts_with("groupBitmap");
    if !(is_same_function(name, merging) || (is_bitmap(name) && is_bitmap(merging))) {
        let text = format!("Illegal type {argument} of argument for -Merge: its states are of {name} instead of {merging}");
        return Err(Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text));
    }
    let of_states = parsed(function).map_or_else(|_| written.to_string(), |(_, values)| with_parameters("", &values));
    let depends = !WITHOUT_PARAMETERS.iter().any(|known| name.starts_with(known));
    if depends && of_states != with_parameters("", parameters) {
        let text = format!("Illegal type {argument} of argument for -Merge: its states have other parameters");
        return Err(Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text));
    }
    Ok(())
}

pub fn state(name: &str, parameters: &[ScalarValue], kinds: Vec<SqlType>, inner: Prepared) -> Result<Prepared> {
    let result = SqlType::AggregateFunction(with_parameters(name, parameters), kinds);
    let columns = inner.state.clone();
    converter(&columns)?;
    Ok(wrapped(&inner, result, inner.arguments.clone(), inner.state.clone(), move |make| {
        Box::new(State { inner: make(), kinds: columns.clone() })
    }))
}

pub fn merge(inner: Prepared, argument: &SqlType) -> Result<Prepared> {
    let columns = inner.state.clone();
    converter(&columns)?;
    Ok(wrapped(&inner, inner.result.clone(), vec![argument.clone()], inner.state.clone(), move |make| {
        Box::new(Merge { inner: make(), kinds: columns.clone() })
    }))
}

/// The state columns of the values, and the group of each; empty values are left out.
fn read(kinds: &[DataType], values: &ArrayRef, groups: &[usize]) -> Result<(Vec<ArrayRef>, Vec<usize>)> {
    let values = values.as_binary::<i32>();
    let filled = || (0..values.len()).filter(|row| values.is_valid(*row) && !values.value(*row).is_empty());
    let columns = unpack(kinds, filled().map(|row| values.value(row)))?;
    Ok((columns, filled().map(|row| groups[row]).collect()))
}

struct State {
    inner: Box<dyn Groups>,
    kinds: Vec<DataType>,
}

impl Groups for State {
    fn resize(&mut self, groups: usize) {
        self.inner.resize(groups);
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        self.inner.update(args, groups)
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        self.inner.save(groups)
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        self.inner.merge(states, groups)
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        pack(&self.kinds, &self.inner.save(groups)?)
    }

    fn drop_first(&mut self, groups: usize) {
        self.inner.drop_first(groups);
    }

    fn bytes(&self) -> usize {
        self.inner.bytes()
    }
}

struct Merge {
    inner: Box<dyn Groups>,
    kinds: Vec<DataType>,
}

impl Groups for Merge {
    fn resize(&mut self, groups: usize) {
        self.inner.resize(groups);
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let (states, groups) = read(&self.kinds, &args[0], groups)?;
        if groups.is_empty() { Ok(()) } else { self.inner.merge(&states, &groups) }
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        self.inner.save(groups)
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        self.inner.merge(states, groups)
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        self.inner.finish(groups)
    }

    fn drop_first(&mut self, groups: usize) {
        self.inner.drop_first(groups);
    }

    fn bytes(&self) -> usize {
        self.inner.bytes()
    }
}

#[cfg(test)]
mod tests {
    use gristmill_types::states::Codec;

    use super::*;
    use crate::aggregates::scalars::prepare;

    /// `type <TAB> one state in hex`: what ClickHouse wrote of every function that has a form in bytes here.
    const GOLDEN: &str = include_str!("../../../../types/src/states/golden/states.tsv");

    #[test]
    fn functions_save_the_columns_that_their_form_in_bytes_consists_of() {
        for (text, _) in GOLDEN.lines().filter_map(|line| line.split_once('\t')) {
            let kind: SqlType = text.parse().expect(text);
            let SqlType::AggregateFunction(function, kinds) = kind else { panic!("{text} holds no states") };
            let (name, parameters) = parsed(&function).expect(text);
            let prepared = prepare(name, &parameters, kinds.clone()).expect(text);
            assert_eq!(Codec::of(&function, &kinds).expect(text).columns(), prepared.state, "{text}");
        }
    }
}
