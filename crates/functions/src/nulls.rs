//! NULL: `isNull`, `isNotNull`, `ifNull`, `coalesce`, `nullIf`, `assumeNotNull`, `toNullable`, `isZeroOrNull`.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef, BooleanArray, make_array};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::compute::interleave;
use arrow::datatypes::{DataType, Float64Type};
use gristmill_base::Result;
use gristmill_types::SqlType;

use crate::columns::{Numbers, at, broadcast, defaults_for_nulls, truth_column, truths};
use crate::comparison;
use crate::conditional::with_padding;
use crate::define::{arity, expect_number, own_nulls};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};
use crate::supertype::{least, with_signs};
use crate::udf::dictionary_result;

pub fn register(registry: &mut Registry) {
    registry.scalar("isNull", own_nulls(|name, arguments, _| is_null(name, arguments, true)));
    registry.any_case("isNull");
    registry.scalar("isNotNull", own_nulls(|name, arguments, _| is_null(name, arguments, false)));
    registry.scalar(
        "isNullable",
        own_nulls(|name, arguments, _| {
            arity(name, arguments, 1..=1)?;
            let nullable = arguments[0].kind.is_nullable();
            Ok(Bound::new(T::UInt8, move |_, rows| truths(rows, |_| nullable)))
        }),
    );
    registry.scalar(
        "ifNull",
        own_nulls(|name, arguments, _| {
            arity(name, arguments, 2..=2)?;
            coalesce(name, arguments)
        }),
    );
    registry.any_case("ifNull");
    registry.scalar("coalesce", own_nulls(|name, arguments, _| coalesce(name, arguments)));
    registry.any_case("coalesce");
    registry.scalar("firstNonDefault", own_nulls(|name, arguments, _| first_non_default(name, arguments)));
    registry.any_case("firstNonDefault");
    registry.scalar("nullIf", own_nulls(|name, arguments, _| null_if(name, arguments)));
    registry.any_case("nullIf");
    registry.scalar("assumeNotNull", own_nulls(|name, arguments, _| assume_not_null(name, arguments)));
    registry.scalar(
        "toNullable",
        own_nulls(|name, arguments, _| {
            arity(name, arguments, 1..=1)?;
            Ok(Bound::new(arguments[0].kind.clone().nullable(), |args, _| Ok(args[0].clone())))
        }),
    );
    registry.scalar("isZeroOrNull", own_nulls(|name, arguments, _| is_zero_or_null(name, arguments)));
}

/// Validity of every row. Columns of type Nothing have no mask: all their rows are NULL.
pub fn validity(array: &ArrayRef) -> Option<BooleanBuffer> {
    if *array.data_type() == DataType::Null {
        return Some(BooleanBuffer::new_unset(array.len()));
    }
    array.nulls().filter(|nulls| nulls.null_count() > 0).map(|nulls| nulls.inner().clone())
}

fn is_null(name: &str, arguments: &[Argument], wanted: bool) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    Ok(Bound::new(T::UInt8, move |args, _| {
        let valid = validity(&args[0]).unwrap_or_else(|| BooleanBuffer::new_set(args[0].len()));
        Ok(if wanted { truth_column(&!&valid) } else { truth_column(&valid) })
    }))
}

/// The first value that is neither NULL nor its type's default; else the default of the result's type.
fn first_non_default(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=usize::MAX)?;
    let used: Vec<usize> = (0..arguments.len()).filter(|i| !arguments[*i].kind.is_null_literal()).collect();
    let mut plain: Vec<SqlType> = used.iter().map(|i| without_nullable(&arguments[*i].kind)).collect();
    if plain.is_empty() {
        return Ok(Bound::null());
    }
    with_signs(&mut plain, |i| arguments[used[i]].constant.as_ref());
    let nullable = arguments.iter().any(|argument| argument.kind.is_nullable());
    let common = least(name, &plain)?;
    let keeps_dictionary = !nullable && plain.iter().all(SqlType::is_low_cardinality);
    let common = if keeps_dictionary { common } else { common.without_low_cardinality() };
    let result = if nullable { common.clone().nullable() } else { common.clone() };
    let casts = arguments.iter().map(|argument| match argument.kind.is_null_literal() {
        true => argument.kind.clone(),
        false => result.clone(),
    });
    // The default of a type that may be NULL is NULL.
    let zero_counts: Vec<bool> = used.iter().map(|i| arguments[*i].kind.is_nullable()).collect();
    Ok(Bound::cast(casts.collect(), result.clone(), move |args, rows| {
        let columns: Vec<&ArrayRef> = used.iter().map(|i| &args[*i]).collect();
        let nothing = gristmill_types::default::default_array(&result, 1);
        let mut with_default: Vec<ArrayRef> = columns.iter().map(|column| (*column).clone()).collect();
        with_default.push(gristmill_types::default::default_array(&common, 1));
        let rows_of = crate::arrays::comparable(&with_default)?;
        let default = rows_of[columns.len()].row(0);
        let picks: Vec<(usize, usize)> = (0..rows)
            .map(|row| {
                let found = (0..columns.len()).find(|i| {
                    let row = at(columns[*i].len(), row);
                    columns[*i].is_valid(row) && (zero_counts[*i] || rows_of[*i].row(row) != default)
                });
                found.map_or((columns.len(), 0), |i| (i, at(columns[i].len(), row)))
            })
            .collect();
        let sources: Vec<&dyn Array> = columns.iter().map(|column| column.as_ref()).chain([nothing.as_ref()]).collect();
        Ok(interleave(&sources, &picks)?)
    }))
}

/// The first value that is not NULL.
fn coalesce(name: &str, arguments: &[Argument]) -> Result<Bound> {
    let mut kinds = Vec::new();
    let mut used = Vec::new();
    for (i, argument) in arguments.iter().enumerate() {
        if argument.kind.is_null_literal() {
            continue;
        }
        used.push(i);
        kinds.push(argument.kind.clone());
        // What follows a value that cannot be NULL is never looked at.
        if !argument.kind.is_nullable() {
            break;
        }
    }
    let Some(last) = kinds.last() else {
        return Ok(Bound::null());
    };
    let nullable = last.is_nullable();
    let mut plain: Vec<SqlType> = kinds.iter().map(without_nullable).collect();
    with_signs(&mut plain, |i| arguments[used[i]].constant.as_ref());
    let common = least(name, &plain)?.without_low_cardinality();
    let result = if nullable { common.clone().nullable() } else { common.clone() };
    let result = if dictionary_result(arguments, &result) { T::LowCardinality(Box::new(result)) } else { result };
    // A FixedString beside Strings keeps the zeros that fill it up.
    let keeps_padding = |kind: &SqlType| *common.plain() == T::String && matches!(kind.plain(), T::FixedString(_));
    let casts = arguments
        .iter()
        .enumerate()
        .map(|(i, argument)| match (used.contains(&i), argument.kind.is_nullable()) {
            (false, _) => argument.kind.clone(),
            (true, _) if keeps_padding(&argument.kind) => argument.kind.without_low_cardinality(),
            (true, true) => common.clone().nullable(),
            (true, false) => common.clone(),
        })
        .collect();
    let arrow = result.arrow();
    let pads = *common.plain() == T::String;
    Ok(Bound::cast(casts, result, move |args, rows| {
        let padded: Vec<ArrayRef> =
            used.iter().map(|i| if pads { with_padding(&args[*i]) } else { args[*i].clone() }).collect();
        let columns: Vec<&ArrayRef> = padded.iter().collect();
        if columns.len() == 1 {
            return Ok(columns[0].clone());
        }
        let valid: Vec<Option<BooleanBuffer>> = columns.iter().map(|column| validity(column)).collect();
        // Rows mostly have the first value: without NULLs there nothing is to be done.
        if valid[0].is_none() {
            return broadcast(columns[0], rows);
        }
        let picks: Vec<(usize, usize)> = (0..rows)
            .map(|row| {
                let found = (0..columns.len())
                    .find(|i| valid[*i].as_ref().is_none_or(|valid| valid.value(at(valid.len(), row))))
                    .unwrap_or(columns.len() - 1);
                (found, at(columns[found].len(), row))
            })
            .collect();
        let columns =
            columns.into_iter().map(|column| crate::columns::retype(column, &arrow)).collect::<Result<Vec<_>>>()?;
        let columns: Vec<&dyn Array> = columns.iter().map(AsRef::as_ref).collect();
        let chosen = interleave(&columns, &picks)?;
        if nullable { Ok(chosen) } else { defaults_for_nulls(&chosen) }
    }))
}

/// The type without Nullable, LowCardinality kept.
pub fn without_nullable(kind: &SqlType) -> SqlType {
    match kind {
        T::Nullable(inner) => inner.as_ref().clone(),
        T::LowCardinality(inner) => T::LowCardinality(Box::new(without_nullable(inner))),
        other => other.clone(),
    }
}

/// NULL where both are equal, else the first.
fn null_if(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    let kind = arguments[0].kind.clone();
    if kind == T::Nothing {
        return Ok(Bound::null());
    }
    let result = kind.clone().nullable();
    if arguments.iter().any(|argument| argument.kind.is_null_literal()) {
        return Ok(Bound::new(result, |args, rows| broadcast(&args[0], rows)));
    }
    let is_number_read = is_read(&arguments[0], &arguments[1]);
    let common = match is_number_read {
        true => arguments[1].kind.plain().clone(),
        false if is_read(&arguments[1], &arguments[0]) => arguments[0].kind.plain().clone(),
        false => comparison::common(name, &arguments[0].kind, &arguments[1].kind)?,
    };
    // A text that is no number is an error, not NULL.
    let (from, to) = (arguments[0].kind.clone(), if is_number_read { common.clone() } else { common.clone().nullable() });
    let second = if arguments[1].kind.is_nullable() { common.nullable() } else { common };
    Ok(Bound::cast(vec![kind, second], result, move |args, rows| {
        let first = gristmill_types::cast::cast(&args[0], &from, &to, &Default::default())?;
        let equal = comparison::compare(&first, &args[1], rows, std::cmp::Ordering::is_eq)?;
        let (first_valid, second_valid) = (validity(&first), validity(&args[1]));
        let array = broadcast(&args[0], rows)?;
        let is =
            |valid: &Option<BooleanBuffer>, row: usize| valid.as_ref().is_none_or(|valid| valid.value(at(valid.len(), row)));
        let keep: BooleanBuffer =
            (0..rows).map(|row| is(&first_valid, row) && !(is(&second_valid, row) && equal.value(row))).collect();
        Ok(make_array(array.to_data().into_builder().nulls(Some(NullBuffer::new(keep))).build()?))
    }))
}

/// Whether a constant text is read as the number that it stands beside.
fn is_read(text: &Argument, number: &Argument) -> bool {
    let is_text = text.kind.is_string() && text.constant.as_ref().is_some_and(|value| !value.is_null());
    is_text && number.kind.is_number() && number.constant.is_none()
}

/// NULL becomes the type's default.
fn assume_not_null(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    let result = without_nullable(&arguments[0].kind);
    Ok(Bound::new(result, |args, _| defaults_for_nulls(&args[0])))
}

fn is_zero_or_null(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    if arguments[0].kind.is_null_literal() {
        return Ok(Bound::new(T::UInt8, |_, rows| truths(rows, |_| true)));
    }
    expect_number(name, arguments, 0)?;
    let cast = if arguments[0].kind.is_nullable() { T::Float64.nullable() } else { T::Float64 };
    Ok(Bound::cast(vec![cast], T::UInt8, |args, _| {
        let values = Numbers::of::<Float64Type>(&args[0])?;
        let array = args[0].clone();
        truths(array.len(), |row| array.is_null(row) || values.get(row) == 0.0)
    }))
}

/// As a mask for Arrow's kernels.
pub fn mask(values: BooleanBuffer) -> Arc<BooleanArray> {
    Arc::new(BooleanArray::new(values, None))
}
