//! Functions that lay out queries: `formatQuery`, `formatQuerySingleLine`, and those that give NULL for what is no query.

use gristmill_base::Result;
use gristmill_functions::columns::Bytes;
use gristmill_functions::define::{arity, illegal, plain};
use gristmill_functions::{Argument, Bound, Registry};
use gristmill_sql::format_query::format_query;
use gristmill_types::SqlType;

use arrow::array::{ArrayRef, BinaryViewBuilder};
use std::sync::Arc;

pub fn register(registry: &mut Registry) {
    for (name, one_line, or_null) in [
        ("formatQuery", false, false),
        ("formatQuerySingleLine", true, false),
        ("formatQueryOrNull", false, true),
        ("formatQuerySingleLineOrNull", true, true),
    ] {
        registry.scalar(name, plain(move |name, arguments, _| bind(name, arguments, one_line, or_null)));
    }
}

fn bind(name: &str, arguments: &[Argument], one_line: bool, or_null: bool) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    if arguments[0].kind != SqlType::String {
        return Err(illegal(name, arguments, 0, "String"));
    }
    let result = if or_null { SqlType::String.nullable() } else { SqlType::String };
    Ok(Bound::new(result, move |args, rows| {
        let queries = Bytes::of(&args[0])?;
        let mut out = BinaryViewBuilder::with_capacity(rows);
        for row in 0..rows {
            match format_query(&String::from_utf8_lossy(queries.get(row)), one_line) {
                Ok(text) => out.append_value(text),
                Err(_) if or_null => out.append_null(),
                Err(error) => return Err(error),
            }
        }
        Ok(Arc::new(out.finish()) as ArrayRef)
    }))
}
