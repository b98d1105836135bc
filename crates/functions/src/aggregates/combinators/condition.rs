//! If below another combinator, as in `sumIfOrNull`: rows are left out here. An outermost If is a FILTER instead.

use arrow::array::{ArrayRef, AsArray, BooleanArray};
use gristmill_base::Result;
use gristmill_types::SqlType;

use super::{illegal, wrapped};
use crate::aggregates::Prepared;
use crate::aggregates::groups::{Groups, selected};

pub fn prepare(name: &str, inner: Prepared, condition: &SqlType) -> Result<Prepared> {
    if !condition.is_integer() && *condition.plain() != SqlType::Bool && !condition.is_null_literal() {
        return Err(illegal(name, condition, "UInt8"));
    }
    let mut arguments = inner.arguments.clone();
    arguments.push(if condition.is_nullable() { SqlType::Bool.nullable() } else { SqlType::Bool });
    Ok(wrapped(&inner, inner.result.clone(), arguments, inner.state.clone(), |make| Box::new(Conditional(make()))))
}

struct Conditional(Box<dyn Groups>);

fn kept(args: &[ArrayRef], groups: &[usize]) -> Result<(Vec<ArrayRef>, Vec<usize>)> {
    match args.split_last() {
        Some((condition, rest)) => {
            let keep: &BooleanArray = condition.as_boolean();
            selected(rest, groups, keep)
        }
        None => Ok((Vec::new(), Vec::new())),
    }
}

impl Groups for Conditional {
    fn resize(&mut self, groups: usize) {
        self.0.resize(groups);
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let (args, groups) = kept(args, groups)?;
        if groups.is_empty() { Ok(()) } else { self.0.update(&args, &groups) }
    }

    fn retract(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let (args, groups) = kept(args, groups)?;
        self.0.retract(&args, &groups)
    }

    fn retracts(&self) -> bool {
        self.0.retracts()
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        self.0.save(groups)
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        self.0.merge(states, groups)
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        self.0.finish(groups)
    }

    fn drop_first(&mut self, groups: usize) {
        self.0.drop_first(groups);
    }

    fn bytes(&self) -> usize {
        self.0.bytes()
    }
}
