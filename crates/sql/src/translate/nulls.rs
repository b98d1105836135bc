//! RESPECT NULLS and IGNORE NULLS of a call: `any(x) RESPECT NULLS` is a function by itself.

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_functions::aggregates::combinators;
use sqlparser::ast::{Function, FunctionArgumentClause, FunctionArguments, NullTreatment};

/// Functions that have a form which counts NULL as a value, longer names before those that they begin with.
const KEEP_NULLS: &[&str] = &["any_value", "anyLast", "any", "first_value", "last_value"];
/// What that form has behind the name, before combinators.
const RESPECTING: &str = "_respect_nulls";

fn treatment(function: &Function) -> Option<NullTreatment> {
    let inside = match &function.args {
        FunctionArguments::List(list) => list.clauses.iter().find_map(|clause| match clause {
            FunctionArgumentClause::IgnoreOrRespectNulls(treatment) => Some(*treatment),
            _ => None,
        }),
        _ => None,
    };
    inside.or(function.null_treatment)
}

/// The function that a call is of, by its name and what it says of NULL. Errors: NOT_IMPLEMENTED for RESPECT NULLS of a function
/// without such a form. Leaving NULL out is what they do anyway.
pub(super) fn of_call(name: String, function: &Function) -> Result<String> {
    let Some(treatment) = treatment(function) else { return Ok(name) };
    let known = KEEP_NULLS.iter().find_map(|known| {
        let (base, rest) = name.split_at_checked(known.len())?;
        base.eq_ignore_ascii_case(known).then_some((*known, rest))
    });
    let renamed = known.and_then(|(known, rest)| match treatment {
        NullTreatment::RespectNulls if rest.is_empty() || combinators::names().any(|name| rest.starts_with(name)) => {
            Some(format!("{known}{RESPECTING}{rest}"))
        }
        NullTreatment::RespectNulls => None,
        NullTreatment::IgnoreNulls => rest.strip_prefix(RESPECTING).map(|rest| format!("{known}{rest}")),
    });
    match (renamed, treatment) {
        (Some(renamed), _) => Ok(renamed),
        (None, NullTreatment::IgnoreNulls) => Ok(name),
        (None, NullTreatment::RespectNulls) => {
            let text = format!("Function {name} does not support RESPECT NULLS");
            Err(Error::new(ErrorCode::NOT_IMPLEMENTED, text))
        }
    }
}
