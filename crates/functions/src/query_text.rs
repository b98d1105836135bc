//! Queries as values: what stays of one when its literals and machine-made names are taken out (`normalizeQuery`, and
//! `normalizedQueryHash`, by which a log groups its queries).

use SqlType as T;
use arrow::datatypes::UInt64Type;
use gristmill_introspect::normalized::{normalized, normalized_hash};
use gristmill_types::SqlType;

use crate::columns::{Bytes, numbers, strings};
use crate::define::{arity, illegal, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, ScalarFunction};

pub fn register(registry: &mut Registry) {
    for (name, keeps_names) in [("normalizeQuery", false), ("normalizeQueryKeepNames", true)] {
        registry.scalar(
            name,
            of_text(T::String, move |args, rows| {
                let queries = Bytes::of(&args[0])?;
                strings(rows, |row, out| {
                    normalized(queries.get(row), keeps_names, out);
                    Ok(())
                })
            }),
        );
    }
    for (name, keeps_names) in [("normalizedQueryHash", false), ("normalizedQueryHashKeepNames", true)] {
        registry.scalar(
            name,
            of_text(T::UInt64, move |args, rows| {
                let queries = Bytes::of(&args[0])?;
                numbers::<UInt64Type>(rows, |row| Ok(normalized_hash(queries.get(row), keeps_names)))
            }),
        );
    }
}

/// A function of one String.
fn of_text(
    result: SqlType,
    kernel: impl Fn(&[arrow::array::ArrayRef], usize) -> gristmill_base::Result<arrow::array::ArrayRef>
    + Clone
    + Send
    + Sync
    + 'static,
) -> std::sync::Arc<dyn ScalarFunction> {
    plain(move |name, arguments: &[Argument], _| {
        arity(name, arguments, 1..=1)?;
        if arguments[0].kind != T::String {
            return Err(illegal(name, arguments, 0, "String"));
        }
        Ok(Bound::new(result.clone(), kernel.clone()))
    })
}
