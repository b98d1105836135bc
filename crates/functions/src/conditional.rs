//! `if`, `multiIf`, `least`, `greatest`.

use std::cmp::Ordering;
use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray, BinaryViewArray, Float64Array};
use arrow::buffer::BooleanBuffer;
use arrow::compute::interleave;
use arrow::datatypes::Float64Type;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::order::turned;
use gristmill_types::supertype::{Arithmetic, arithmetic_result, bools_as_numbers};

use crate::columns::at;
use crate::define::{arity, illegal, own_nulls};
use crate::logic::truth;
use crate::nulls::validity;
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};
use crate::supertype::{least, with_signs};
use crate::udf::dictionary_result;

pub fn register(registry: &mut Registry) {
    registry.scalar(
        "if",
        own_nulls(|name, arguments, _| {
            arity(name, arguments, 3..=3)?;
            multi_if(name, arguments)
        }),
    );
    registry.any_case("if");
    registry.scalar("multiIf", own_nulls(|name, arguments, _| multi_if(name, arguments)));
    registry.alias("caseWithoutExpression", "multiIf");
    registry.scalar("least", own_nulls(|name, arguments, _| extreme(name, arguments, Ordering::Less)));
    registry.scalar("greatest", own_nulls(|name, arguments, _| extreme(name, arguments, Ordering::Greater)));
    registry.any_case("least");
    registry.any_case("greatest");
}

/// The type of conditions after casting, so that `truth` can read them.
fn condition(name: &str, arguments: &[Argument], i: usize) -> Result<SqlType> {
    let kind = &arguments[i].kind;
    match kind.plain() {
        T::UInt8 | T::Bool | T::Nothing => Ok(kind.clone()),
        other if other.is_number() => Ok(if kind.is_nullable() { T::Bool.nullable() } else { T::Bool }),
        _ => Err(illegal(name, arguments, i, "UInt8 or Bool as a condition")),
    }
}

/// Condition and value in turn, and a value for the rest.
pub fn multi_if(name: &str, arguments: &[Argument]) -> Result<Bound> {
    if arguments.len() < 3 || arguments.len().is_multiple_of(2) {
        let text = format!(
            "Function {name} needs conditions and values in turn and one value more, got {} arguments",
            arguments.len()
        );
        return Err(Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, text));
    }
    let branches = arguments.len() / 2;
    let value_at = move |branch: usize| if branch < branches { branch * 2 + 1 } else { branches * 2 };
    let mut kinds: Vec<SqlType> = (0..=branches).map(|branch| arguments[value_at(branch)].kind.clone()).collect();
    with_signs(&mut kinds, |branch| arguments[value_at(branch)].constant.as_ref());
    let result = least(name, &kinds)?;
    // A FixedString beside Strings keeps the zeros that fill it up.
    let keeps_padding = *result.plain() == T::String;
    let cast_of = |kind: &SqlType| match kind.without_low_cardinality() {
        kind if keeps_padding && matches!(kind.plain(), T::FixedString(_)) => kind,
        _ => result.clone(),
    };
    let mut casts = Vec::with_capacity(arguments.len());
    for (branch, kind) in kinds[..branches].iter().enumerate() {
        casts.push(condition(name, arguments, branch * 2)?);
        casts.push(cast_of(kind));
    }
    casts.push(cast_of(&kinds[branches]));
    Ok(Bound::cast(casts, result, move |args, rows| {
        let padded = |array: &ArrayRef| if keeps_padding { with_padding(array) } else { array.clone() };
        let args: Vec<ArrayRef> = args.iter().map(padded).collect();
        let conditions: Vec<(BooleanBuffer, Option<BooleanBuffer>)> =
            (0..branches).map(|branch| (truth(&args[branch * 2]), validity(&args[branch * 2]))).collect();
        let holds = |(values, valid): &(BooleanBuffer, Option<BooleanBuffer>), row: usize| {
            let row = at(values.len(), row);
            values.value(row) && valid.as_ref().is_none_or(|valid| valid.value(row))
        };
        let picks: Vec<(usize, usize)> = (0..rows)
            .map(|row| {
                let branch = conditions.iter().position(|condition| holds(condition, row)).unwrap_or(branches);
                (branch, at(args[value_at(branch)].len(), row))
            })
            .collect();
        let values: Vec<&dyn Array> = (0..=branches).map(|branch| args[value_at(branch)].as_ref()).collect();
        Ok(interleave(&values, &picks)?)
    }))
}

/// Strings of fixed length as strings of any; others as they are.
pub fn with_padding(array: &ArrayRef) -> ArrayRef {
    match array.as_fixed_size_binary_opt() {
        Some(fixed) => Arc::new(fixed.iter().collect::<BinaryViewArray>()),
        None => array.clone(),
    }
}

/// NULL arguments are left out, as the standard has it.
fn extreme(name: &str, arguments: &[Argument], wanted: Ordering) -> Result<Bound> {
    arity(name, arguments, 1..=usize::MAX)?;
    let mut kinds: Vec<SqlType> = arguments.iter().map(|argument| argument.kind.without_low_cardinality()).collect();
    if kinds.iter().any(|kind| *kind.plain() != T::Bool) {
        kinds = kinds.iter().map(bools_as_numbers).collect();
    }
    if kinds.len() > 2 || kinds.iter().any(SqlType::is_nullable) {
        let mut plain: Vec<SqlType> = kinds.iter().map(|kind| kind.plain().clone()).collect();
        with_signs(&mut plain, |i| arguments[i].constant.as_ref());
        for (kind, plain) in kinds.iter_mut().zip(plain).filter(|(kind, _)| **kind == T::UInt64) {
            *kind = plain;
        }
    }
    let common = match &kinds[..] {
        [a, b] if is_decimal_beside_number(a, b) => arithmetic_result(Arithmetic::Plus, a, b)?,
        _ => least(name, &kinds)?,
    };
    if common.is_null_literal() {
        return Ok(Bound::new(common, |_, rows| Ok(arrow::array::new_null_array(&arrow::datatypes::DataType::Null, rows))));
    }
    // Nullable where an argument is, though NULL only where all are.
    let result = match (&kinds[..], wanted) {
        // The greater of a number with a sign and one without fits a type without, the lesser one with a sign.
        ([T::Int64, T::UInt64] | [T::UInt64, T::Int64], Ordering::Greater) => T::UInt64,
        ([T::Int64, T::UInt64] | [T::UInt64, T::Int64], _) => T::Int64,
        _ => common.clone(),
    };
    let told =
        if dictionary_result(arguments, &result) { T::LowCardinality(Box::new(result.clone())) } else { result.clone() };
    let (of, to) = (common.clone(), result);
    let (floats, kind) = (common.is_float(), common.clone());
    // Two numbers are compared as by an operator; of more values, and beside NULL, NaN is chosen where there is nothing else.
    let by_operator = arguments.len() == 2 && arguments.iter().all(|argument| !argument.kind.is_nullable());
    Ok(Bound::cast(vec![common; arguments.len()], told, move |args, rows| {
        let mut best: Vec<usize> = vec![0; rows];
        let valid: Vec<Option<BooleanBuffer>> = args.iter().map(validity).collect();
        let is_valid =
            |i: usize, row: usize| valid[i].as_ref().is_none_or(|valid: &BooleanBuffer| valid.value(at(valid.len(), row)));
        let mut choose = |is_better: &dyn Fn(Place, Place) -> bool| {
            for i in 1..args.len() {
                for (row, best) in best.iter_mut().enumerate().filter(|(row, _)| is_valid(i, *row)) {
                    let place = |i: usize| (i, at(args[i].len(), row));
                    if !is_valid(*best, row) || is_better(place(i), place(*best)) {
                        *best = i;
                    }
                }
            }
        };
        if floats {
            let values = args.iter().map(float_values).collect::<Result<Vec<_>>>()?;
            choose(&|(i, a), (j, b)| is_better_float(values[i].value(a), values[j].value(b), wanted, by_operator));
        } else {
            let turned = args.iter().map(|array| turned(array, &kind)).collect::<Result<Vec<_>>>()?;
            let encoded = crate::arrays::comparable(&turned)?;
            choose(&|(i, a), (j, b)| encoded[i].row(a).cmp(&encoded[j].row(b)) == wanted);
        }
        let picks: Vec<(usize, usize)> =
            best.into_iter().enumerate().map(|(row, best)| (best, at(args[best].len(), row))).collect();
        let columns: Vec<&dyn Array> = args.iter().map(AsRef::as_ref).collect();
        let chosen = interleave(&columns, &picks)?;
        if of == to { Ok(chosen) } else { gristmill_types::cast::cast(&chosen, &of, &to, &Default::default()) }
    }))
}

/// A decimal and another number, neither of which may be NULL: they have the type of their sum, which an integer does not widen.
fn is_decimal_beside_number(a: &SqlType, b: &SqlType) -> bool {
    let fits = |kind: &SqlType| kind.is_number() && !kind.is_nullable();
    fits(a) && fits(b) && (a.is_decimal() || b.is_decimal())
}

/// An argument, and a row of it.
type Place = (usize, usize);

fn float_values(array: &ArrayRef) -> Result<Float64Array> {
    Ok(arrow::compute::cast(array, &arrow::datatypes::DataType::Float64)?.as_primitive::<Float64Type>().clone())
}

/// Whether a value is chosen and not the best one before it.
fn is_better_float(value: f64, best: f64, wanted: Ordering, by_operator: bool) -> bool {
    match by_operator {
        // `best > value ? best : value`
        true => best.partial_cmp(&value) != Some(wanted),
        false => best.is_nan() || value.partial_cmp(&best) == Some(wanted),
    }
}
