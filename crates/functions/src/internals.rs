//! Functions that ClickHouse's planner calls, and that are there by their names: `nested`, `validateNestedArraySizes`, arithmetic on
//! pairs of bits of which one says that a condition may be true and the other that it may be false, `__toYearCalendarOnly`.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::UInt8Type;
use datafusion::common::ScalarValue;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use crate::arrays::{Lists, aligned};
use crate::columns::{Bytes, Numbers, list_of, numbers};
use crate::define::{arity, bad_argument, illegal, of_query, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, ScalarFunction};
use crate::tuples::struct_array;

const MAY_BE_TRUE: u8 = 1;
const MAY_BE_FALSE: u8 = 2;

pub fn register(registry: &mut Registry) {
    registry.scalar("__bitSwapLastTwo", of_byte(|mask| (mask & MAY_BE_TRUE) << 1 | (mask & MAY_BE_FALSE) >> 1));
    registry.scalar("__bitWrapperFunc", of_byte(|value| if value == 0 { MAY_BE_FALSE } else { MAY_BE_TRUE }));
    registry.scalar("__bitBoolMaskAnd", of_bytes(|a, b| a & b & MAY_BE_TRUE | (a | b) & MAY_BE_FALSE));
    registry.scalar("__bitBoolMaskOr", of_bytes(|a, b| (a | b) & MAY_BE_TRUE | a & b & MAY_BE_FALSE));
    registry.scalar("nested", plain(|name, arguments, _| nested(name, arguments)));
    registry.scalar("validateNestedArraySizes", plain(|name, arguments, _| validate(name, arguments)));
    for name in ["transactionID", "transactionLatestSnapshot", "transactionOldestSnapshot"] {
        registry.scalar(
            name,
            of_query(|name, arguments, _| {
                arity(name, arguments, 0..=0)?;
                Err(Error::not_implemented("Transactions are not supported"))
            }),
        );
    }
}

fn expect_bytes(name: &str, arguments: &[Argument], count: usize) -> Result<()> {
    arity(name, arguments, count..=count)?;
    match arguments.iter().position(|argument| argument.kind != T::UInt8) {
        None => Ok(()),
        Some(i) => Err(illegal(name, arguments, i, "UInt8")),
    }
}

fn of_byte(f: fn(u8) -> u8) -> Arc<dyn ScalarFunction> {
    plain(move |name, arguments, _| {
        expect_bytes(name, arguments, 1)?;
        Ok(Bound::new(T::UInt8, move |args, rows| {
            let values = Numbers::of::<UInt8Type>(&args[0])?;
            numbers::<UInt8Type>(rows, |row| Ok(f(values.get(row))))
        }))
    })
}

fn of_bytes(f: fn(u8, u8) -> u8) -> Arc<dyn ScalarFunction> {
    plain(move |name, arguments, _| {
        expect_bytes(name, arguments, 2)?;
        Ok(Bound::new(T::UInt8, move |args, rows| {
            let (a, b) = (Numbers::of::<UInt8Type>(&args[0])?, Numbers::of::<UInt8Type>(&args[1])?);
            numbers::<UInt8Type>(rows, |row| Ok(f(a.get(row), b.get(row))))
        }))
    })
}

/// Arrays of one length as one array of tuples, whose elements have the names of the first argument.
fn nested(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=usize::MAX)?;
    let is_names = matches!(&arguments[0].kind, T::Array(element) if **element == T::String);
    let names = match &arguments[0].constant {
        Some(ScalarValue::List(names)) if is_names && names.len() == 1 => names.value(0),
        _ => return Err(illegal(name, arguments, 0, "a constant array of strings")),
    };
    if names.len() != arguments.len() - 1 {
        let text = format!("{} names for {} arrays", names.len(), arguments.len() - 1);
        return Err(bad_argument(name, text));
    }
    let texts = Bytes::of(&names)?;
    let mut fields: Vec<(Option<String>, SqlType)> = Vec::new();
    for (i, argument) in arguments.iter().enumerate().skip(1) {
        let T::Array(element) = &argument.kind else { return Err(illegal(name, arguments, i, "Array")) };
        let field = String::from_utf8_lossy(texts.get(i - 1)).into_owned();
        if fields.iter().any(|(known, _)| known.as_ref() == Some(&field)) {
            let text = format!("Names of tuple elements must be unique. Duplicate name: {field}");
            return Err(Error::new(ErrorCode::DUPLICATE_COLUMN, text));
        }
        fields.push((Some(field), element.as_ref().clone()));
    }
    let (kind, name) = (T::Tuple(fields), name.to_string());
    Ok(Bound::new(SqlType::array(kind.clone()), move |args, rows| {
        let arrays = aligned(&name, &args[1..], rows)?;
        let columns: Vec<ArrayRef> = arrays.iter().map(|array| array.values().clone()).collect();
        let count = columns[0].len();
        list_of(struct_array(&kind, columns, count)?, arrays[0].offsets().clone())
    }))
}

/// 1; an error where the condition holds and arrays of the row differ in length.
fn validate(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 3..=usize::MAX)?;
    if arguments[0].kind != T::UInt8 && arguments[0].kind != T::Bool {
        return Err(illegal(name, arguments, 0, "UInt8"));
    }
    if let Some(i) = (1..arguments.len()).find(|i| !matches!(arguments[*i].kind, T::Array(_))) {
        return Err(illegal(name, arguments, i, "Array"));
    }
    let mut casts: Vec<SqlType> = arguments.iter().map(|argument| argument.kind.clone()).collect();
    casts[0] = T::UInt8;
    Ok(Bound::cast(casts, T::UInt8, |args, rows| {
        let conditions = args[0].as_primitive::<UInt8Type>();
        let lists = args[1..].iter().map(Lists::of).collect::<Result<Vec<_>>>()?;
        numbers::<UInt8Type>(rows, |row| {
            let length = |list: &Lists<'_>| list.range(row).len();
            let holds = conditions.value(crate::columns::at(conditions.len(), row)) != 0;
            match lists.iter().find(|list| holds && length(list) != length(&lists[0])) {
                None => Ok(1),
                Some(other) => {
                    let (one, other) = (length(&lists[0]), length(other));
                    let text = format!("Arrays of a Nested structure have different sizes ({one} and {other}) in row {row}");
                    Err(Error::new(ErrorCode::SIZES_OF_ARRAYS_DONT_MATCH, text))
                }
            }
        })
    }))
}
