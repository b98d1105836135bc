//! The columns of a Parquet or Arrow file, by its Arrow schema.

use std::sync::Arc;

use arrow::datatypes::Schema;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::Settings;
use gristmill_types::{Column, Columns, SqlType};

/// The columns that a file with that schema has. Nullable as the file says, unless
/// `schema_inference_make_columns_nullable` is 0 (never) or 1 (wherever a value can be). Timestamps that name no zone are
/// UTC, so that a value does not depend on who reads it; those of seconds may be beyond a DateTime.
pub fn columns_of_arrow(schema: &Schema, settings: &Settings) -> Result<Columns> {
    columns_of_fields(schema.fields().iter().map(|field| {
        let kind = in_utc(SqlType::from_arrow(field)?);
        let kind = match settings.schema_inference_make_columns_nullable {
            0 => with_nulls(kind, false),
            1 => with_nulls(kind, true),
            _ => kind,
        };
        Ok(Column::new(field.name(), kind))
    }))
}

/// The columns of a file, of which there must be some, with a name each.
pub(crate) fn columns_of_fields(fields: impl Iterator<Item = Result<Column>>) -> Result<Columns> {
    let mut columns: Vec<Column> = Vec::with_capacity(fields.size_hint().0);
    for column in fields {
        let column = column?;
        if columns.iter().any(|known| known.name == column.name) {
            return Err(Error::new(
                ErrorCode::DUPLICATE_COLUMN,
                format!("The file has two columns named '{}': give the structure", column.name),
            ));
        }
        columns.push(column);
    }
    if columns.is_empty() {
        return Err(Error::new(ErrorCode::CANNOT_EXTRACT_TABLE_STRUCTURE, "The file has no columns"));
    }
    Ok(Columns::new(columns))
}

/// Changes every type inside.
fn deep(kind: SqlType, change: &impl Fn(SqlType) -> SqlType) -> SqlType {
    let inside = |kind: SqlType| deep(kind, change);
    let kind = match kind {
        SqlType::Nullable(inner) => SqlType::Nullable(Box::new(inside(*inner))),
        SqlType::Array(inner) => SqlType::Array(Box::new(inside(*inner))),
        SqlType::Map(key, value) => SqlType::Map(key, Box::new(inside(*value))),
        SqlType::Tuple(fields) => SqlType::Tuple(fields.into_iter().map(|(name, kind)| (name, inside(kind))).collect()),
        other => other,
    };
    change(kind)
}

fn in_utc(kind: SqlType) -> SqlType {
    deep(kind, &|kind| match kind {
        SqlType::DateTime(zone) => SqlType::DateTime64(0, Some(zone.unwrap_or_else(|| Arc::from("UTC")))),
        SqlType::DateTime64(scale, None) => SqlType::DateTime64(scale, Some(Arc::from("UTC"))),
        other => other,
    })
}

fn with_nulls(kind: SqlType, nullable: bool) -> SqlType {
    deep(kind, &|kind| match kind {
        SqlType::Nullable(inner) if !nullable && *inner != SqlType::Nothing => *inner,
        SqlType::Tuple(_) => kind,
        // A Nullable(T) was seen from inside first: T became Nullable already.
        SqlType::Nullable(inner) if nullable => *inner,
        other if nullable => other.nullable(),
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use arrow::datatypes::{DataType, Field, TimeUnit};

    use super::*;

    fn file() -> Schema {
        let item = Arc::new(Field::new("item", DataType::Int32, true));
        Schema::new(vec![
            Field::new("s", DataType::Utf8, true),
            Field::new("i", DataType::Int64, false),
            Field::new("l", DataType::List(item), true),
            Field::new("ts", DataType::Timestamp(TimeUnit::Microsecond, None), true),
            Field::new("st", DataType::Struct(vec![Field::new("x", DataType::Int64, true)].into()), true),
        ])
    }

    fn described(setting: &str) -> String {
        let mut settings = Settings::default();
        settings.set("schema_inference_make_columns_nullable", setting).expect("known");
        columns_of_arrow(&file(), &settings).expect("readable").structure()
    }

    #[test]
    fn columns_are_nullable_as_the_file_says_or_as_the_setting_does() {
        let tuple = "st Tuple(x Nullable(Int64))";
        assert_eq!(
            described("3"),
            format!("s Nullable(String), i Int64, l Array(Nullable(Int32)), ts Nullable(DateTime64(6, 'UTC')), {tuple}")
        );
        assert_eq!(
            described("1"),
            format!(
                "s Nullable(String), i Nullable(Int64), l Array(Nullable(Int32)), ts Nullable(DateTime64(6, 'UTC')), {tuple}"
            )
        );
        assert_eq!(described("0"), "s String, i Int64, l Array(Int32), ts DateTime64(6, 'UTC'), st Tuple(x Int64)");
    }
}
