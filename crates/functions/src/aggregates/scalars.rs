//! Aggregate functions as scalar ones: `arrayReduce`, `arrayReduceInRanges`, `finalizeAggregation`, `initializeAggregation`,
//! `runningAccumulate`. A row is a group.

use std::sync::LazyLock;

use arrow::array::{Array, AsArray, UInt32Array, new_empty_array};
use arrow::compute::{concat, take};
use arrow::datatypes::{DataType, Int64Type, UInt64Type};
use datafusion::common::{Result as DataFusionResult, ScalarValue};
use gristmill_base::allocations::check_wanted;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::scan::quoted::unescape;

use super::combinators::array::flatten;
use super::combinators::{parts_of_aggregate, resolve_as_written, state};
use super::{Prepared, groups::Make};
use crate::arrays::Lists;
use crate::columns::{broadcast, list};
use crate::define::{arity, has_null, illegal, need_constant_text, own_nulls, volatile};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    registry.scalar("arrayReduce", own_nulls(|name, arguments, _| array_reduce(name, arguments)));
    registry.scalar("arrayReduceInRanges", own_nulls(|name, arguments, _| array_reduce_in_ranges(name, arguments)));
    registry.scalar("finalizeAggregation", own_nulls(|name, arguments, _| finalize(name, arguments)));
    registry.scalar("runningAccumulate", volatile(|name, arguments, _| running(name, arguments)));
    registry.scalar("initializeAggregation", own_nulls(|name, arguments, _| initialize(name, arguments)));
}

/// The aggregate functions alone: a scalar function is bound without the registry it is in.
static AGGREGATES: LazyLock<Registry> = LazyLock::new(|| {
    let mut registry = Registry::default();
    super::register_aggregates(&mut registry);
    registry
});

pub(super) fn prepare(name: &str, parameters: &[ScalarValue], kinds: Vec<SqlType>) -> Result<Prepared> {
    let function = resolve_as_written(&AGGREGATES, name)
        .ok_or_else(|| Error::new(ErrorCode::UNKNOWN_AGGREGATE_FUNCTION, format!("Unknown aggregate function {name}")))?;
    let arguments: Vec<Argument> = kinds.into_iter().map(|kind| Argument { kind, constant: None }).collect();
    function.prepare(AGGREGATES.canonical(name), parameters, &arguments)
}

/// Whether two names are of one function, aliases followed.
pub(super) fn is_same_function(one: &str, other: &str) -> bool {
    parts_of_aggregate(&AGGREGATES, one) == parts_of_aggregate(&AGGREGATES, other)
}

/// `quantile(0.5)` as a name and its parameters: numbers, quoted strings, and arrays of either.
pub(super) fn parsed(text: &str) -> Result<(&str, Vec<ScalarValue>)> {
    let Some((name, parameters)) = text.trim().strip_suffix(')').and_then(|text| text.split_once('(')) else {
        return Ok((text.trim(), Vec::new()));
    };
    let wrong =
        || Error::new(ErrorCode::BAD_ARGUMENTS, format!("Cannot read the parameters of aggregate function '{text}'"));
    let values = parts_of(parameters).into_iter().map(|part| parameter(part).ok_or_else(wrong));
    Ok((name.trim(), values.collect::<Result<_>>()?))
}

/// What stands between commas that are neither quoted nor in brackets.
fn parts_of(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut quoted, mut escaped, mut depth) = (Vec::new(), 0, false, false, 0usize);
    for (at, c) in text.char_indices() {
        if std::mem::take(&mut escaped) {
            continue;
        }
        match c {
            '\\' if quoted => escaped = true,
            '\'' => quoted = !quoted,
            '[' if !quoted => depth += 1,
            ']' if !quoted => depth = depth.saturating_sub(1),
            ',' if !quoted && depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    if !text[start..].trim().is_empty() {
        parts.push(text[start..].trim());
    }
    parts
}

fn parameter(text: &str) -> Option<ScalarValue> {
    if let Some(text) = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')) {
        let mut bytes = Vec::new();
        unescape(text.as_bytes(), &mut bytes).ok()?;
        return Some(ScalarValue::BinaryView(Some(bytes)));
    }
    if let Some(elements) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
        let elements = parts_of(elements).into_iter().map(parameter).collect::<Option<Vec<_>>>()?;
        let kind = elements.first().map_or(DataType::UInt64, ScalarValue::data_type);
        let elements = elements.iter().map(|element| element.cast_to(&kind)).collect::<DataFusionResult<Vec<_>>>().ok()?;
        return Some(ScalarValue::List(ScalarValue::new_list_nullable(&elements, &kind)));
    }
    match text.parse::<u64>() {
        Ok(number) => Some(ScalarValue::UInt64(Some(number))),
        Err(_) => match text.parse::<i64>() {
            Ok(number) => Some(ScalarValue::Int64(Some(number))),
            Err(_) => text.parse().map(|number| ScalarValue::Float64(Some(number))).ok(),
        },
    }
}

/// `arrayReduce('max', array, …)`: the function over the elements of each row's arrays.
fn array_reduce(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=usize::MAX)?;
    let function = need_constant_text(name, arguments, 0)?;
    let (function, parameters) = parsed(&function)?;
    let mut elements = Vec::new();
    for (i, argument) in arguments.iter().enumerate().skip(1) {
        match argument.kind.plain() {
            SqlType::Array(element) => elements.push(element.as_ref().clone()),
            _ => return Err(illegal(name, arguments, i, "Array")),
        }
    }
    let Prepared { result, arguments: casts, make, .. } = prepare(function, &parameters, elements)?;
    let mut kinds = vec![SqlType::String];
    kinds.extend(casts.into_iter().map(SqlType::array));
    Ok(Bound::cast(kinds, result, move |args, rows| {
        let arrays = args[1..].iter().map(|array| broadcast(array, rows)).collect::<Result<Vec<_>>>()?;
        let flat = flatten(&arrays)?;
        let mut groups = make();
        groups.resize(rows);
        if !flat.rows.is_empty() {
            groups.update(&flat.columns, &flat.rows)?;
        }
        groups.finish(rows)
    }))
}

/// Elements that are added to their ranges' groups at a time: ranges may overlap, so there may be far more of them than elements.
const PICKS: usize = 1 << 16;

/// `arrayReduceInRanges('max', [(start, length), …], array, …)`: the function over each range of each row's arrays. Ranges begin
/// with 1, or count back from the end.
fn array_reduce_in_ranges(name: &str, arguments: &[Argument]) -> Result<Bound> {
    if arguments.len() < 3 {
        let text = format!(
            "Number of arguments for function {name} doesn't match: passed {}, should be at least 3",
            arguments.len()
        );
        return Err(Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, text));
    }
    if arguments[0].constant.is_none() {
        return Err(illegal(name, arguments, 0, "a constant String, the name of an aggregate function"));
    }
    let function = need_constant_text(name, arguments, 0)?;
    let (function, parameters) = parsed(&function)?;
    let wrong = || illegal(name, arguments, 1, "an Array of Tuple(Int64, UInt64): start and length");
    match arguments[1].kind.plain() {
        SqlType::Array(range) => match range.plain() {
            SqlType::Tuple(parts)
                if parts.len() == 2
                    && matches!(parts[0].1.integer_bits(), Some((..=64, _)))
                    && matches!(parts[1].1.integer_bits(), Some((..=64, false))) => {}
            _ => return Err(wrong()),
        },
        _ => return Err(wrong()),
    }
    let mut elements = Vec::new();
    for (i, argument) in arguments.iter().enumerate().skip(2) {
        match argument.kind.plain() {
            SqlType::Array(element) => elements.push(element.as_ref().clone()),
            _ => return Err(illegal(name, arguments, i, "Array")),
        }
    }
    let Prepared { result, arguments: casts, make, .. } = prepare(function, &parameters, elements)?;
    let range = SqlType::Tuple(vec![(None, SqlType::Int64), (None, SqlType::UInt64)]);
    let mut kinds = vec![SqlType::String, SqlType::array(range)];
    kinds.extend(casts.into_iter().map(SqlType::array));
    Ok(Bound::cast(kinds, SqlType::array(result), move |args, rows| {
        let arrays = args[2..].iter().map(|array| broadcast(array, rows)).collect::<Result<Vec<_>>>()?;
        let flat = flatten(&arrays)?;
        let ranges = Lists::of(&args[1])?;
        let parts = ranges.values().as_struct();
        let (starts, lengths) =
            (parts.column(0).as_primitive::<Int64Type>().values(), parts.column(1).as_primitive::<UInt64Type>().values());
        let mut groups = make();
        let (mut counts, mut picks, mut of_groups, mut first) = (Vec::with_capacity(rows), Vec::new(), Vec::new(), 0);
        let mut add = |picks: &mut Vec<u32>, of_groups: &mut Vec<usize>, made: usize| -> Result<()> {
            check_wanted()?;
            groups.resize(made);
            if !picks.is_empty() {
                let indices = UInt32Array::from(std::mem::take(picks));
                let columns =
                    flat.columns.iter().map(|column| Ok(take(column, &indices, None)?)).collect::<Result<Vec<_>>>()?;
                groups.update(&columns, of_groups)?;
                of_groups.clear();
            }
            Ok(())
        };
        let mut made = 0;
        for row in 0..rows {
            let size = arrays[0].as_list_opt::<i32>().map_or(0, |list| list.value_length(row) as usize);
            let of_row = ranges.range(row);
            counts.push(of_row.len());
            for i in of_row {
                let start = match starts[i] {
                    0 => None,
                    start if start > 0 => usize::try_from(start - 1).ok(),
                    back => usize::try_from(size as i64 + back).ok(),
                };
                let start = start.map_or(size, |start| start.min(size));
                let end = start.saturating_add(usize::try_from(lengths[i]).unwrap_or(usize::MAX)).min(size);
                for element in start..end {
                    picks.push((first + element) as u32);
                    of_groups.push(made);
                    if picks.len() == PICKS {
                        add(&mut picks, &mut of_groups, made + 1)?;
                    }
                }
                made += 1;
            }
            first += size;
        }
        add(&mut picks, &mut of_groups, made)?;
        list(groups.finish(made)?, &counts)
    }))
}

/// The result of a state.
fn finalize(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    if has_null(arguments) {
        return Ok(Bound::null());
    }
    let SqlType::AggregateFunction(function, kinds) = arguments[0].kind.plain() else {
        return Err(illegal(name, arguments, 0, "AggregateFunction"));
    };
    let (function, parameters) = parsed(function)?;
    let merge = state::merge(prepare(function, &parameters, kinds.clone())?, &arguments[0].kind)?;
    Ok(each_row(merge.result, Vec::new(), 0, merge.make))
}

/// `runningAccumulate(state[, group])`: the function over the states of the block's rows so far, from where the group began.
fn running(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=2)?;
    let SqlType::AggregateFunction(function, kinds) = arguments[0].kind.plain() else {
        return Err(illegal(name, arguments, 0, "AggregateFunction"));
    };
    let (function, parameters) = parsed(function)?;
    let merge = state::merge(prepare(function, &parameters, kinds.clone())?, &arguments[0].kind)?;
    let (result, make) = (merge.result, merge.make);
    Ok(Bound::new(result.clone(), move |args, rows| {
        let states = broadcast(&args[0], rows)?;
        let keys = args.get(1).map(|keys| broadcast(keys, rows)).transpose()?;
        let keys = keys.map(|keys| crate::arrays::comparable(&[keys])).transpose()?;
        let begins = |row: usize| keys.as_ref().is_some_and(|keys| keys[0].row(row) != keys[0].row(row - 1));
        let (mut groups, mut results) = (make(), Vec::with_capacity(rows));
        groups.resize(1);
        for row in 0..rows {
            if row > 0 && begins(row) {
                groups = make();
                groups.resize(1);
            }
            groups.update(&[states.slice(row, 1)], &[0])?;
            results.push(groups.finish(1)?);
        }
        let results: Vec<&dyn Array> = results.iter().map(AsRef::as_ref).collect();
        if results.is_empty() { Ok(new_empty_array(&result.arrow())) } else { Ok(concat(&results)?) }
    }))
}

/// `initializeAggregation('sumState', value, …)`: the function over one row.
fn initialize(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=usize::MAX)?;
    let function = need_constant_text(name, arguments, 0)?;
    let (function, parameters) = parsed(&function)?;
    let kinds = arguments[1..].iter().map(|argument| argument.kind.clone()).collect();
    let prepared = prepare(function, &parameters, kinds)?;
    let mut casts = vec![SqlType::String];
    casts.extend(prepared.arguments);
    Ok(each_row(prepared.result, casts, 1, prepared.make))
}

/// Every row's arguments, from the one at `skip` on, as the only row of its group.
fn each_row(result: SqlType, casts: Vec<SqlType>, skip: usize, make: Make) -> Bound {
    Bound::cast(casts, result, move |args, rows| {
        let args = args[skip..].iter().map(|array| broadcast(array, rows)).collect::<Result<Vec<_>>>()?;
        let mut groups = make();
        groups.resize(rows);
        if rows > 0 {
            groups.update(&args, &(0..rows).collect::<Vec<_>>())?;
        }
        groups.finish(rows)
    })
}
