//! The type that holds the values of several: of branches, of an array's elements, of a set.

use arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use gristmill_base::{Result, ResultExt};
use gristmill_types::SqlType;

/// The least type that all of `kinds` fit. Errors: NO_COMMON_TYPE, with the function's name.
pub fn least(name: &str, kinds: &[SqlType]) -> Result<SqlType> {
    gristmill_types::supertype::least_supertype(kinds).context(|| format!("in the arguments of function {name}"))
}

/// Types of values, some of them constants: one without a sign goes with numbers that have one, where it fits them.
pub fn with_signs<'a>(kinds: &mut [SqlType], constant: impl Fn(usize) -> Option<&'a ScalarValue>) {
    if !kinds.iter().any(|kind| kind.integer_bits().is_some_and(|(_, signed)| signed)) {
        return;
    }
    for (i, kind) in kinds.iter_mut().enumerate().filter(|(_, kind)| **kind == SqlType::UInt64) {
        let value = constant(i).and_then(|value| value.cast_to(&DataType::Int64).ok());
        if matches!(value, Some(ScalarValue::Int64(Some(_)))) {
            *kind = SqlType::Int64;
        }
    }
}
