//! `any(x) RESPECT NULLS`: some aggregate functions have a form of another name for which NULL is a value as others are. Columns are
//! called as the call is written.

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_functions::parts_of_aggregate;

use super::Analyzer;
use crate::ast::Call;

/// Functions that leave NULL out, with their forms that do not.
const FORMS: &[(&str, &str)] = &[("any", "any_respect_nulls"), ("anyLast", "anyLast_respect_nulls")];

impl Analyzer<'_> {
    /// The call that one with RESPECT NULLS or IGNORE NULLS behind it means. `None`: neither is there.
    /// Errors: NOT_IMPLEMENTED, SYNTAX_ERROR of what is no aggregate.
    pub(super) fn with_nulls_as_said(&self, call: &Call) -> Result<Option<Call>> {
        let Some(respects) = call.respects_nulls else { return Ok(None) };
        let unsupported = |name: &str| Error::not_implemented(format!("Function {name} does not support RESPECT NULLS"));
        let plain = Call { respects_nulls: None, ..call.clone() };
        if !self.is_aggregate(&call.name) {
            let name = self.registry.canonical(&call.name);
            if self.registry.find_scalar(name).is_some() {
                let words = if respects { "RESPECT NULLS" } else { "IGNORE NULLS" };
                let text = format!("Function with name `{name}` cannot use {words}");
                return Err(Error::new(ErrorCode::SYNTAX_ERROR, text));
            }
            return if respects && call.over.is_some() { Err(unsupported(&call.name)) } else { Ok(Some(plain)) };
        }
        let (function, combinators) = parts_of_aggregate(self.registry, &call.name);
        let form = FORMS.iter().find_map(|(without, with)| match respects {
            true => (function == *without).then_some(*with),
            false => (function == *with).then_some(*without),
        });
        match form {
            Some(form) => {
                let combinators: String = combinators.into_iter().rev().collect();
                Ok(Some(Call { name: format!("{form}{combinators}"), ..plain }))
            }
            None if respects => Err(unsupported(&function)),
            None => Ok(Some(plain)),
        }
    }
}
