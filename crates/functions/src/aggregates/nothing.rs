//! Functions that ClickHouse has for itself: `nothing`, `nothingNull` and `nothingUInt64` take any arguments and give a
//! default; `aggThrow` fails with the probability that its parameter says, as a test of what becomes of errors. And the
//! functions of windows, which are named among the aggregate functions and are none: they say so where no window is.

use arrow::array::{ArrayRef, new_null_array};
use arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use gristmill_base::env::system_env;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::default::default_array;

use super::counts::Nothing;
use super::groups::Groups;
use super::{Call, NullRule, Plan, family};
use crate::registry::Registry;
use crate::windows;

pub fn register(registry: &mut Registry) {
    registry.aggregate(
        "nothing",
        family(NullRule::Own, |call| {
            let kind = given(call).first().cloned().unwrap_or_else(SqlType::null);
            Ok(defaults(call, kind))
        }),
    );
    registry.aggregate("nothingNull", family(NullRule::Own, |call| Ok(defaults(call, SqlType::null()))));
    registry.aggregate("nothingUInt64", family(NullRule::Own, |call| Ok(defaults(call, SqlType::UInt64))));
    registry.aggregate("aggThrow", family(NullRule::Nullable, throwing));
    for name in windows::NAMES {
        registry.aggregate(
            name,
            family(NullRule::Own, |call| {
                let text = format!(
                    "The function '{}' can only be used as a window function, not as an aggregate function: \
                     write {0}(…) OVER (…)",
                    call.name
                );
                Err(Error::new(ErrorCode::BAD_ARGUMENTS, text))
            }),
        );
    }
    for name in windows::NAMES_IN_ANY_CASE {
        registry.any_case(name);
    }
    for (alias, name) in windows::ALIASES {
        registry.alias(alias, name);
        registry.any_case(alias);
    }
}

/// The arguments as they are; what is nothing but NULL stays that.
fn given(call: &Call<'_>) -> Vec<SqlType> {
    let is_null = |i: usize| call.constants.get(i).is_some_and(|value| value.as_ref().is_some_and(ScalarValue::is_null));
    let kinds = call.kinds.iter().enumerate();
    kinds.map(|(i, kind)| if is_null(i) { SqlType::null() } else { kind.clone() }).collect()
}

fn defaults(call: &Call<'_>, kind: SqlType) -> Plan {
    if kind.is_null_literal() {
        return Plan::new(kind, given(call), vec![DataType::Null], || Nothing);
    }
    let of = kind.clone();
    Plan::new(kind, given(call), vec![DataType::UInt8], move || OfType { kind: of.clone() })
}

/// The default of a type, whatever the rows are.
pub struct OfType {
    pub kind: SqlType,
}

impl Groups for OfType {
    fn resize(&mut self, _groups: usize) {}

    fn update(&mut self, _args: &[ArrayRef], _groups: &[usize]) -> Result<()> {
        Ok(())
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        Ok(vec![default_array(&SqlType::UInt8, groups)])
    }

    fn merge(&mut self, _states: &[ArrayRef], _groups: &[usize]) -> Result<()> {
        Ok(())
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        // NULL of a Nullable argument is no default of its value: ClickHouse's Null wrapper gives the value's.
        match &self.kind {
            SqlType::Nullable(inner) if **inner == SqlType::Nothing => Ok(new_null_array(&DataType::Null, groups)),
            SqlType::Nullable(inner) => Ok(default_array(inner, groups)),
            kind => Ok(default_array(kind, groups)),
        }
    }

    fn drop_first(&mut self, _groups: usize) {}

    fn bytes(&self) -> usize {
        0
    }
}

fn throwing(call: &Call<'_>) -> Result<Plan> {
    call.arity(1..=1)?;
    let probability = match call.parameters {
        [] => 1.0,
        [ScalarValue::Float64(Some(probability))] => *probability,
        [other] => {
            let text = format!("The parameter of aggregate function {} must be a Float64, got {other}", call.name);
            return Err(Error::new(ErrorCode::BAD_GET, text));
        }
        more => {
            let text = format!("Aggregate function {} takes one parameter, got {}", call.name, more.len());
            return Err(Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, text));
        }
    };
    Ok(Plan::new(SqlType::UInt8, call.kinds.clone(), vec![DataType::UInt8], move || Throwing { known: 0, probability }))
}

struct Throwing {
    known: usize,
    probability: f64,
}

impl Groups for Throwing {
    fn resize(&mut self, groups: usize) {
        self.known = groups;
    }

    fn update(&mut self, _args: &[ArrayRef], _groups: &[usize]) -> Result<()> {
        // A share of 2^53 is a float to the last bit.
        let chance = (system_env().random_u64() >> 11) as f64 / (1u64 << 53) as f64;
        if chance < self.probability {
            let text = "Aggregate function aggThrow has thrown exception successfully";
            return Err(Error::new(ErrorCode::AGGREGATE_FUNCTION_THROW, text));
        }
        Ok(())
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        Ok(vec![self.finish(groups)?])
    }

    fn merge(&mut self, _states: &[ArrayRef], _groups: &[usize]) -> Result<()> {
        Ok(())
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        Ok(default_array(&SqlType::UInt8, groups))
    }

    fn drop_first(&mut self, groups: usize) {
        self.known -= groups;
    }

    fn bytes(&self) -> usize {
        0
    }
}
