//! Aggregate functions of values that were aggregated before and are kept in columns: `AggregateFunction(f, types)` holds
//! states, `SimpleAggregateFunction(f, type)` holds results that `f` itself adds up. In both cases the function's result
//! is of the column's own type, so that it can be applied again, to some of the rows at a time.

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use super::Prepared;
use super::combinators::state;
use super::scalars::{parsed, prepare};

/// What a `SimpleAggregateFunction` may be of: functions of which f(f(a), f(b)) is f(a and b).
const SIMPLE: &[&str] = &[
    "any",
    "any_respect_nulls",
    "anyLast",
    "anyLast_respect_nulls",
    "min",
    "max",
    "sum",
    "sumWithOverflow",
    "groupBitAnd",
    "groupBitOr",
    "groupBitXor",
    "sumMap",
    "minMap",
    "maxMap",
    "groupArrayArray",
    "groupArrayLastArray",
    "groupUniqArrayArray",
    "groupUniqArrayArrayMap",
    "sumMappedArrays",
    "minMappedArrays",
    "maxMappedArrays",
];

/// Errors: BAD_ARGUMENTS for a function that a `SimpleAggregateFunction` is not of; `name` is without parameters.
pub(super) fn check_simple(name: &str) -> Result<()> {
    if SIMPLE.iter().any(|known| known.eq_ignore_ascii_case(name)) {
        return Ok(());
    }
    let text = format!("Unsupported aggregate function {name}, supported functions are {}", SIMPLE.join(","));
    Err(Error::new(ErrorCode::BAD_ARGUMENTS, text))
}

/// The function that makes one value of several values of a column of type `kind`; `None` where the type holds no
/// aggregates. Errors: UNKNOWN_AGGREGATE_FUNCTION; BAD_ARGUMENTS where the function does not give the type.
pub fn of_column(kind: &SqlType) -> Result<Option<Prepared>> {
    match kind {
        SqlType::AggregateFunction(function, kinds) => {
            let (name, parameters) = parsed(function)?;
            let merged = state::merge(prepare(name, &parameters, kinds.clone())?, kind)?;
            Ok(Some(state::state(name, &parameters, kinds.clone(), merged)?))
        }
        SqlType::SimpleAggregateFunction(function, inner) => {
            let (name, parameters) = parsed(function)?;
            let prepared = prepare(name, &parameters, vec![inner.as_ref().clone()])?;
            check_simple(name)?;
            if prepared.result.arrow() != kind.arrow() {
                return Err(Error::new(
                    ErrorCode::BAD_ARGUMENTS,
                    format!(
                        "Incompatible data types between aggregate function '{name}' which returns {} and column storage \
                         type {inner}",
                        prepared.result
                    ),
                ));
            }
            Ok(Some(prepared))
        }
        _ => Ok(None),
    }
}

/// The last value that is not NULL, in the column's type.
pub fn last_within(kind: &SqlType) -> Result<Prepared> {
    prepare("anyLast", &[], vec![kind.clone()])
}

/// The sum of values of a number's type, in that type. Errors: ILLEGAL_TYPE_OF_ARGUMENT.
pub fn sum_within(kind: &SqlType) -> Result<Prepared> {
    prepare("sumWithOverflow", &[], vec![kind.clone()])
}
