//! The type that holds the values of several: of branches, of an array's elements, of a set.

use arrow::array::Array;
use arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use gristmill_base::{Result, ResultExt};
use gristmill_types::SqlType;

use crate::arrays::element_of;
use crate::scalar::Argument;

/// The least type that all of `kinds` fit. Errors: NO_COMMON_TYPE, with the function's name.
pub fn least(name: &str, kinds: &[SqlType]) -> Result<SqlType> {
    gristmill_types::supertype::least_supertype(kinds).context(|| format!("in the arguments of function {name}"))
}

/// Types of values, some of them constants: one without a sign goes with numbers that have one, where it fits them; so does an
/// array of such.
pub fn with_signs<'a>(kinds: &mut [SqlType], constant: impl Fn(usize) -> Option<&'a ScalarValue>) {
    if !kinds.iter().any(has_sign) {
        return;
    }
    for (i, kind) in kinds.iter_mut().enumerate() {
        if let Some(signed) = constant(i).and_then(|value| signed(kind, value)) {
            *kind = signed;
        }
    }
}

/// The type of an array's elements and of a value beside them; a constant of both takes a sign where the other has one.
pub fn with_elements(name: &str, array: &Argument, value: &Argument) -> Result<SqlType> {
    let signs = has_sign(&array.kind) || has_sign(&value.kind);
    let kind = |argument: &Argument| {
        let constant = argument.constant.as_ref().filter(|_| signs);
        constant.and_then(|value| signed(&argument.kind, value)).unwrap_or_else(|| argument.kind.clone())
    };
    let element = element_of(&kind(array)).cloned().unwrap_or(SqlType::Nothing);
    least(name, &[element, kind(value)])
}

/// Whether an integer with a sign, or an array of such.
fn has_sign(kind: &SqlType) -> bool {
    match kind {
        SqlType::Array(inner) | SqlType::Nullable(inner) => has_sign(inner),
        other => other.integer_bits().is_some_and(|(_, signed)| signed),
    }
}

/// UInt64, or an array of it, with a sign; `None` where the constant does not fit, and of other types.
fn signed(kind: &SqlType, constant: &ScalarValue) -> Option<SqlType> {
    match (kind, constant) {
        (SqlType::UInt64, value) => {
            matches!(value.cast_to(&DataType::Int64), Ok(ScalarValue::Int64(Some(_)))).then_some(SqlType::Int64)
        }
        (SqlType::Array(element), ScalarValue::List(list)) => {
            let (elements, mut kind) = (list.values(), None);
            for i in 0..elements.len() {
                kind = Some(signed(element, &ScalarValue::try_from_array(elements, i).ok()?)?);
            }
            kind.map(SqlType::array)
        }
        _ => None,
    }
}
