//! Three-valued logic as functions: `and`, `or`, `xor`, `not`. Numbers count as true where they are not zero; FALSE decides an
//! AND, and TRUE an OR, whatever stands beside it, NULL included.

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray, PrimitiveArray, new_null_array};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::datatypes::{DataType, UInt8Type};
use gristmill_base::Result;
use gristmill_types::SqlType;

use crate::columns::at;
use crate::define::{arity, illegal, own_nulls, plain};
use crate::nulls::validity;
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operation {
    And,
    Or,
    Xor,
}

pub fn register(registry: &mut Registry) {
    for (name, operation) in [("and", Operation::And), ("or", Operation::Or), ("xor", Operation::Xor)] {
        registry.scalar(name, own_nulls(move |name, arguments, _| bind(name, arguments, operation)));
    }
    registry.scalar(
        "not",
        plain(|name, arguments, _| {
            arity(name, arguments, 1..=1)?;
            let (cast, result) = truth_type(name, arguments, 0)?;
            Ok(Bound::cast(vec![cast], result, |args, _| negated(&args[0])))
        }),
    );
    registry.any_case("not");
}

/// What an argument is cast to so that its truth can be read, and the type that it gives the result: Bool, which
/// one Bool among the arguments suffices for, or UInt8.
fn truth_type(name: &str, arguments: &[Argument], i: usize) -> Result<(SqlType, SqlType)> {
    let kind = &arguments[i].kind;
    let nullable = |plain: SqlType| if kind.is_nullable() { plain.nullable() } else { plain };
    match kind.plain() {
        T::Bool => Ok((nullable(T::Bool), T::Bool)),
        T::UInt8 => Ok((nullable(T::UInt8), T::UInt8)),
        T::Nothing => Ok((kind.clone(), T::UInt8)),
        other if other.is_number() => Ok((nullable(T::Bool), T::UInt8)),
        _ => Err(illegal(name, arguments, i, "a number or Bool")),
    }
}

/// Truth of each row; of NULL rows anything.
pub fn truth(array: &ArrayRef) -> BooleanBuffer {
    match array.data_type() {
        DataType::Boolean => array.as_boolean().values().clone(),
        DataType::UInt8 => {
            let values = array.as_primitive::<UInt8Type>().values();
            BooleanBuffer::collect_bool(values.len(), |row| values[row] != 0)
        }
        _ => BooleanBuffer::new_unset(array.len()),
    }
}

fn output(values: BooleanBuffer, nulls: Option<NullBuffer>, boolean: bool) -> ArrayRef {
    if boolean {
        return std::sync::Arc::new(arrow::array::BooleanArray::new(values, nulls));
    }
    let values: Vec<u8> = values.iter().map(u8::from).collect();
    std::sync::Arc::new(PrimitiveArray::<UInt8Type>::new(values.into(), nulls))
}

fn negated(array: &ArrayRef) -> Result<ArrayRef> {
    Ok(output(!&truth(array), None, *array.data_type() == DataType::Boolean))
}

fn bind(name: &str, arguments: &[Argument], operation: Operation) -> Result<Bound> {
    // Nothing decides it beside a NULL, whatever else is there.
    if operation == Operation::Xor && arguments.iter().any(|argument| argument.kind.is_null_literal()) {
        return Ok(Bound::new(SqlType::null(), |_, rows| Ok(new_null_array(&DataType::Null, rows))));
    }
    arity(name, arguments, 2..=usize::MAX)?;
    let kinds = (0..arguments.len()).map(|i| truth_type(name, arguments, i)).collect::<Result<Vec<_>>>()?;
    // One that may be NULL makes no Bool of an AND or OR.
    let boolean = kinds
        .iter()
        .zip(arguments)
        .any(|((_, result), argument)| *result == T::Bool && (operation == Operation::Xor || argument.kind == T::Bool));
    let nullable = arguments.iter().any(|argument| argument.kind.is_nullable());
    let plain = if boolean { T::Bool } else { T::UInt8 };
    let result = if nullable { plain.nullable() } else { plain };
    let casts = kinds.into_iter().map(|(cast, _)| cast).collect();
    Ok(Bound::cast(casts, result, move |args, rows| {
        let sides: Vec<(BooleanBuffer, Option<BooleanBuffer>)> =
            args.iter().map(|arg| (truth(arg), validity(arg))).collect();
        let side = |(values, valid): &(BooleanBuffer, Option<BooleanBuffer>), row: usize| {
            let row = at(values.len(), row);
            valid.as_ref().is_none_or(|valid| valid.value(row)).then(|| values.value(row))
        };
        let mut values = Vec::with_capacity(rows);
        let mut valid = Vec::with_capacity(if nullable { rows } else { 0 });
        for row in 0..rows {
            let (mut result, mut null) = (operation == Operation::And, false);
            for each in &sides {
                match (operation, side(each, row)) {
                    (_, None) => null = true,
                    (Operation::And, Some(value)) => result &= value,
                    (Operation::Or, Some(value)) => result |= value,
                    (Operation::Xor, Some(value)) => result ^= value,
                }
            }
            let decided = match operation {
                Operation::And => !result,
                Operation::Or => result,
                Operation::Xor => false,
            };
            values.push(result);
            if nullable {
                valid.push(!null || decided);
            }
        }
        Ok(output(values.into(), nullable.then(|| NullBuffer::from(valid)), boolean))
    }))
}
