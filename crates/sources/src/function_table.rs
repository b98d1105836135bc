//! The definition of a table that exists only while a statement runs.

use std::sync::Arc;

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::{ColumnKeys, EngineSpec, TableDefinition};
use gristmill_types::Columns;
use uuid::Uuid;

/// As ClickHouse shows it: the table of function `numbers` is `_table_function.numbers`.
pub fn definition(engine: &str, function: &str, columns: Columns) -> Arc<TableDefinition> {
    Arc::new(TableDefinition {
        uuid: Uuid::nil(),
        database: "_table_function".to_string(),
        name: function.to_string(),
        engine: EngineSpec { name: engine.to_string(), arguments: Vec::new() },
        columns,
        partition_by: None,
        order_by: Vec::new(),
        primary_key: Vec::new(),
        sample_by: None,
        written_keys: gristmill_catalog::WrittenKeys::default(),
        settings: Default::default(),
        comment: String::new(),
        temporary: true,
        column_keys: ColumnKeys::default(),
        skip_indexes: Vec::new(),
        projections: Vec::new(),
        ttl: gristmill_catalog::TtlSpec::default(),
        constraints: Vec::new(),
    })
}

/// The error for a function that was given too few or too many arguments.
pub fn wrong_count(function: &str, given: usize, wants: &str) -> Error {
    Error::new(
        ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
        format!(
            "Table function '{function}' takes {wants}, and was given {given} argument{}",
            if given == 1 { "" } else { "s" }
        ),
    )
}

/// A whole number that is not negative, as an argument.
pub fn unsigned(function: &str, what: &str, text: &str) -> Result<u64> {
    let exact = text.parse::<u64>().ok();
    // Constant expressions such as 1e6 arrive as floating point numbers.
    let whole = || text.parse::<f64>().ok().filter(|v| *v >= 0.0 && v.fract() == 0.0 && *v < 18_446_744_073_709_551_616.0);
    exact.or_else(|| whole().map(|value| value as u64)).ok_or_else(|| {
        Error::new(
            ErrorCode::BAD_ARGUMENTS,
            format!("Table function '{function}' requires {what} to be a non-negative whole number, and was given '{text}'"),
        )
    })
}
