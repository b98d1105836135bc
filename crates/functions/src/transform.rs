//! `transform(x, from, to, default)`: values replaced by a table that is given in two constant arrays.

use std::collections::HashMap;

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::interleave;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::cast::{CastOptions, OnError, cast};

use crate::arrays::comparable;
use crate::columns::{at, broadcast};
use crate::define::{arity, bad_argument, expect_array, own_nulls};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};
use crate::supertype::{least, with_elements};
use crate::udf::dictionary_result;

pub fn register(registry: &mut Registry) {
    registry.scalar("transform", own_nulls(transform));
    registry.scalar("caseWithExpression", own_nulls(case_with_expression));
    registry.alias("caseWithExpr", "caseWithExpression");
    registry.alias("caseWithoutExpr", "multiIf");
}

/// Replaces `x` where it is found among `from` by the value beside it in `to`.
struct Table {
    /// The type of `x`, and the one in which values are looked up.
    kind: SqlType,
    key: SqlType,
    from_kind: SqlType,
    to_kind: SqlType,
    other_kind: SqlType,
    result: SqlType,
    options: CastOptions,
}

impl Table {
    fn look_up(&self, x: &ArrayRef, from: &ArrayRef, to: &ArrayRef, other: &ArrayRef, rows: usize) -> Result<ArrayRef> {
        let lenient = CastOptions { on_error: OnError::Null, accurate: true, ..self.options.clone() };
        let key = self.key.clone().nullable();
        let (values, table) = (cast(x, &self.kind, &key, &lenient)?, cast(from, &self.from_kind, &key, &lenient)?);
        let to = cast(to, &self.to_kind, &self.result, &self.options)?;
        let other = cast(other, &self.other_kind, &self.result, &self.options)?;
        let sets = comparable(&[values.clone(), table.clone()])?;
        let mut places = HashMap::with_capacity(table.len());
        for i in (0..table.len().min(to.len())).filter(|i| table.is_valid(*i)) {
            places.entry(sets[1].row(i)).or_insert(i);
        }
        // NULL is found where the table has it; what is NULL here for it does not convert is not.
        let of_null = (0..table.len().min(to.len())).find(|i| from.is_null(*i));
        let picks: Vec<(usize, usize)> = (0..rows)
            .map(|row| {
                let at_value = at(values.len(), row);
                let found = match values.is_null(at_value) {
                    true => of_null.filter(|_| x.is_null(at_value)),
                    false => places.get(&sets[0].row(at_value)).copied(),
                };
                found.map_or((1, at(other.len(), row)), |found| (0, found))
            })
            .collect();
        Ok(interleave(&[to.as_ref(), other.as_ref()], &picks)?)
    }
}

fn transform(name: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
    arity(name, arguments, 3..=4)?;
    let (from_kind, to_kind) = (expect_array(name, arguments, 1)?.clone(), expect_array(name, arguments, 2)?.clone());
    let kind = arguments[0].kind.clone();
    let other = arguments.get(3).map_or_else(|| kind.clone(), |default| default.kind.clone());
    let result = with_elements(name, &arguments[2], arguments.get(3).unwrap_or(&arguments[0]))
        .map_err(|error| Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, error.to_string()))?
        .without_low_cardinality();
    let result = if dictionary_result(arguments, &result) { T::LowCardinality(Box::new(result)) } else { result };
    let key =
        if kind.is_null_literal() { from_kind.plain().clone() } else { crate::comparison::common(name, &kind, &from_kind)? };
    let options = env.cast_options()?;
    let table = Table { kind, key, from_kind, to_kind, other_kind: other, result: result.clone(), options };
    let name = name.to_string();
    Ok(Bound::new(result, move |args, rows| {
        let (from, to) = (args[1].as_list::<i32>(), args[2].as_list::<i32>());
        if from.is_empty() || to.is_empty() {
            return Ok(arrow::array::new_empty_array(&table.result.arrow()));
        }
        if from.len() != 1 || to.len() != 1 {
            if rows == 1 {
                return Err(bad_argument(&name, "the second and third arguments must be constant arrays"));
            }
            return by_row(&table, args, rows, &name);
        }
        let (from, to) = (from.value(0), to.value(0));
        // Without anything to replace all stays as it is.
        if from.len() != to.len() && !from.is_empty() {
            return Err(bad_argument(&name, format!("the arrays have different lengths: {} and {}", from.len(), to.len())));
        }
        let other = args.get(3).unwrap_or(&args[0]);
        table.look_up(&broadcast(&args[0], rows)?, &from, &to, other, rows)
    }))
}

/// Arrays that differ from row to row.
fn by_row(table: &Table, args: &[ArrayRef], rows: usize, name: &str) -> Result<ArrayRef> {
    let (froms, tos) = (args[1].as_list::<i32>(), args[2].as_list::<i32>());
    let mut parts = Vec::with_capacity(rows);
    for row in 0..rows {
        let (from, to) = (froms.value(at(froms.len(), row)), tos.value(at(tos.len(), row)));
        if from.len() != to.len() {
            return Err(bad_argument(name, format!("the arrays have different lengths: {} and {}", from.len(), to.len())));
        }
        let other = args.get(3).unwrap_or(&args[0]);
        let (x, other) = (args[0].slice(at(args[0].len(), row), 1), other.slice(at(other.len(), row), 1));
        parts.push(table.look_up(&x, &from, &to, &other, 1)?);
    }
    let parts: Vec<&dyn Array> = parts.iter().map(AsRef::as_ref).collect();
    Ok(arrow::compute::concat(&parts)?)
}

/// `caseWithExpression(x, when, then, …, otherwise)`.
fn case_with_expression(name: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
    arity(name, arguments, 4..=usize::MAX)?;
    if arguments.len() % 2 == 1 {
        return Err(bad_argument(name, "it takes an expression, pairs of values, and what holds otherwise"));
    }
    let last = arguments.len() - 1;
    let thens: Vec<SqlType> =
        arguments[1..].iter().skip(1).step_by(2).chain([&arguments[last]]).map(|a| a.kind.clone()).collect();
    let result = least(name, &thens)?.without_low_cardinality();
    let whens: Vec<SqlType> = arguments[1..last].iter().step_by(2).map(|argument| argument.kind.clone()).collect();
    let mut key = arguments[0].kind.plain().clone();
    for when in &whens {
        key = if key == T::Nothing { when.plain().clone() } else { crate::comparison::common(name, &key, when)? };
    }
    let kinds: Vec<SqlType> = arguments.iter().map(|argument| argument.kind.clone()).collect();
    let options = env.cast_options()?;
    let to = result.clone();
    Ok(Bound::new(result, move |args, rows| {
        let key = key.clone().nullable();
        let x = cast(&args[0], &kinds[0], &key, &options)?;
        let mut picks: Vec<Option<usize>> = vec![None; rows];
        for i in (1..last).step_by(2) {
            let when = cast(&args[i], &kinds[i], &key, &options)?;
            let sets = comparable(&[x.clone(), when.clone()])?;
            for (row, pick) in picks.iter_mut().enumerate().filter(|(_, pick)| pick.is_none()) {
                let (a, b) = (at(x.len(), row), at(when.len(), row));
                if x.is_valid(a) && when.is_valid(b) && sets[0].row(a) == sets[1].row(b) {
                    *pick = Some(i + 1);
                }
            }
        }
        let columns: Vec<ArrayRef> = args
            .iter()
            .zip(&kinds)
            .enumerate()
            .map(
                |(i, (array, kind))| {
                    if i == last || (i > 0 && i % 2 == 0) { cast(array, kind, &to, &options) } else { Ok(array.clone()) }
                },
            )
            .collect::<Result<_>>()?;
        let used: Vec<usize> = (2..last).step_by(2).chain([last]).collect();
        let arrays: Vec<&dyn Array> = used.iter().map(|i| columns[*i].as_ref()).collect();
        let picks: Vec<(usize, usize)> = picks
            .iter()
            .enumerate()
            .map(|(row, pick)| {
                let place = pick.map_or(used.len() - 1, |pick| pick / 2 - 1);
                (place, at(arrays[place].len(), row))
            })
            .collect();
        Ok(interleave(&arrays, &picks)?)
    }))
}
