//! If below another combinator, as in `sumIfOrNull`, or over a window: rows are left out here. An outermost If is a FILTER elsewhere.

use arrow::array::{ArrayRef, AsArray, BooleanArray};
use gristmill_base::Result;
use gristmill_types::SqlType;

use super::narrowed::Narrowed;
use super::{illegal, wrapped};
use crate::aggregates::Prepared;
use crate::aggregates::groups::selected;

pub fn prepare(name: &str, inner: Prepared, condition: &SqlType) -> Result<Prepared> {
    if !condition.is_integer() && *condition.plain() != SqlType::Bool && !condition.is_null_literal() {
        return Err(illegal(name, condition, "UInt8"));
    }
    let mut arguments = inner.arguments.clone();
    arguments.push(if condition.is_nullable() { SqlType::Bool.nullable() } else { SqlType::Bool });
    Ok(wrapped(&inner, inner.result.clone(), arguments, inner.state.clone(), |make| {
        Box::new(Narrowed { inner: make(), rows: kept })
    }))
}

fn kept(args: &[ArrayRef], groups: &[usize]) -> Result<(Vec<ArrayRef>, Vec<usize>)> {
    match args.split_last() {
        Some((condition, rest)) => {
            let keep: &BooleanArray = condition.as_boolean();
            selected(rest, groups, keep)
        }
        None => Ok((Vec::new(), Vec::new())),
    }
}
