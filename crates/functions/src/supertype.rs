//! The type that holds the values of several: of branches, of an array's elements, of a set.

use gristmill_base::{Result, ResultExt};
use gristmill_types::SqlType;

/// The least type that all of `kinds` fit. Errors: NO_COMMON_TYPE, with the function's name.
pub fn least(name: &str, kinds: &[SqlType]) -> Result<SqlType> {
    gristmill_types::supertype::least_supertype(kinds).context(|| format!("in the arguments of function {name}"))
}
