//! `information_schema`, in lower and in upper case: schemata, tables, columns, views, as the SQL standard names them.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::Table;

use crate::Known;
use crate::columns::Digits;
use crate::rows::{Cell, table};
use crate::tables::every;

const SCHEMATA: &str = "catalog_name String, schema_name String, schema_owner String, \
    default_character_set_catalog Nullable(String), default_character_set_schema Nullable(String), \
    default_character_set_name Nullable(String), sql_path Nullable(String)";

const TABLES: &str = "table_catalog String, table_schema String, table_name String, table_type String, \
    table_rows Nullable(UInt64), data_length Nullable(UInt64), table_collation Nullable(String), \
    table_comment Nullable(String), engine Nullable(String)";

const COLUMNS: &str = "table_catalog String, table_schema String, table_name String, column_name String, \
    ordinal_position UInt64, column_default String, is_nullable String, data_type String, \
    character_maximum_length Nullable(UInt64), character_octet_length Nullable(UInt64), numeric_precision Nullable(UInt64), \
    numeric_precision_radix Nullable(UInt64), numeric_scale Nullable(UInt64), datetime_precision Nullable(UInt64), \
    column_comment String, column_type String";

const VIEWS: &str = "table_catalog String, table_schema String, table_name String, view_definition String, check_option String";

pub fn add(all: &mut Vec<Arc<dyn Table>>, known: &Known) -> Result<()> {
    for upper in [false, true] {
        let name = |text: &str| if upper { text.to_ascii_uppercase() } else { text.to_string() };
        let database = name("information_schema");
        let databases = known.databases.clone();
        all.push(table(&database, &name("schemata"), "View", &structure(SCHEMATA, upper), move |_, rows| {
            let Some(databases) = databases.upgrade() else { return Ok(()) };
            for name in databases.database_names() {
                rows.push([(&name).into(), (&name).into(), "default".into(), Cell::None, Cell::None, Cell::None, Cell::None])?;
            }
            Ok(())
        })?);
        let databases = known.databases.clone();
        all.push(table(&database, &name("tables"), "View", &structure(TABLES, upper), move |_, rows| {
            let Some(databases) = databases.upgrade() else { return Ok(()) };
            for table in every(&databases) {
                let definition = table.definition();
                let kind = match definition.engine.name.as_str() {
                    "View" => "VIEW",
                    engine if engine.starts_with("System") => "SYSTEM VIEW",
                    _ if definition.temporary => "LOCAL TEMPORARY",
                    _ => "BASE TABLE",
                };
                rows.push([
                    (&definition.database).into(),
                    (&definition.database).into(),
                    (&definition.name).into(),
                    kind.into(),
                    table.total_rows().into(),
                    table.total_bytes().into(),
                    "utf8mb4_0900_ai_ci".into(),
                    (&definition.comment).into(),
                    (&definition.engine.name).into(),
                ])?;
            }
            Ok(())
        })?);
        let databases = known.databases.clone();
        all.push(table(&database, &name("columns"), "View", &structure(COLUMNS, upper), move |_, rows| {
            let Some(databases) = databases.upgrade() else { return Ok(()) };
            for table in every(&databases) {
                let definition = table.definition();
                for (i, column) in definition.columns.iter().enumerate() {
                    let digits = Digits::of(&column.kind);
                    let default = column.default.as_ref().map_or("", |(_, expression)| expression);
                    rows.push([
                        (&definition.database).into(),
                        (&definition.database).into(),
                        (&definition.name).into(),
                        (&column.name).into(),
                        (i + 1).into(),
                        default.into(),
                        if column.kind.is_nullable() { "YES" } else { "NO" }.into(),
                        column.kind.to_string().into(),
                        Cell::None,
                        digits.octets.into(),
                        digits.precision.into(),
                        digits.radix.into(),
                        digits.scale.into(),
                        digits.datetime.into(),
                        (&column.comment).into(),
                        column.kind.to_string().into(),
                    ])?;
                }
            }
            Ok(())
        })?);
        all.push(table(&database, &name("views"), "View", &structure(VIEWS, upper), |_, _| Ok(()))?);
    }
    Ok(())
}

/// The structure with names in upper case where that is wanted. Types keep their case.
fn structure(text: &str, upper: bool) -> String {
    if !upper {
        return text.to_string();
    }
    let columns = text.split(", ").map(|column| match column.trim().split_once(' ') {
        Some((name, kind)) => format!("{} {kind}", name.to_ascii_uppercase()),
        None => column.to_string(),
    });
    columns.collect::<Vec<_>>().join(", ")
}
