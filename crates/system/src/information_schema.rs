//! `information_schema`: schemata, tables, columns, views, as the SQL standard names them. Databases, tables and columns have
//! their names in lower and in upper case, since tools ask for either.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::{Databases, Table};
use gristmill_introspect::QueryContext;

use crate::Known;
use crate::columns::Digits;
use crate::rows::{Cell, Rows, table};
use crate::tables::{visible, visible_databases};

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

const VIEWS: &str =
    "table_catalog String, table_schema String, table_name String, view_definition String, check_option String";

type Fill = fn(&Databases, &QueryContext, &mut Rows) -> Result<()>;

pub fn add(all: &mut Vec<Arc<dyn Table>>, known: &Known) -> Result<()> {
    let views: [(&str, &str, Fill); 4] = [
        ("schemata", SCHEMATA, schemata),
        ("tables", TABLES, tables),
        ("columns", COLUMNS, columns),
        ("views", VIEWS, |_, _, _| Ok(())),
    ];
    for database in ["information_schema", "INFORMATION_SCHEMA"] {
        for (name, structure, fill) in views {
            for name in [name.to_string(), name.to_ascii_uppercase()] {
                let databases = known.databases.clone();
                all.push(table(database, &name, "View", &both_cases(structure), move |context, rows| {
                    match databases.upgrade() {
                        Some(databases) => fill(&databases, context, rows),
                        None => Ok(()),
                    }
                })?);
            }
        }
    }
    Ok(())
}

fn schemata(databases: &Databases, context: &QueryContext, rows: &mut Rows) -> Result<()> {
    for name in visible_databases(databases, context) {
        rows.push_twice([(&name).into(), (&name).into(), "default".into(), Cell::None, Cell::None, Cell::None, Cell::None])?;
    }
    Ok(())
}

fn tables(databases: &Databases, context: &QueryContext, rows: &mut Rows) -> Result<()> {
    for table in visible(databases, context) {
        let definition = table.definition();
        let kind = match definition.engine.name.as_str() {
            "View" | "MaterializedView" => "VIEW",
            engine if engine.starts_with("System") => "SYSTEM VIEW",
            _ if definition.temporary => "LOCAL TEMPORARY",
            _ => "BASE TABLE",
        };
        rows.push_twice([
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
}

fn columns(databases: &Databases, context: &QueryContext, rows: &mut Rows) -> Result<()> {
    for table in visible(databases, context) {
        let definition = table.definition();
        for (i, column) in definition.columns.iter().enumerate() {
            let digits = Digits::of(&column.kind);
            let default = column.default.as_ref().map_or("", |(_, expression)| expression);
            rows.push_twice([
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
}

/// The columns, and again with their names in upper case.
fn both_cases(structure: &str) -> String {
    let columns = structure.split(',').map(str::trim);
    let upper = columns.clone().map(|column| match column.split_once(' ') {
        Some((name, kind)) => format!("{} {kind}", name.to_ascii_uppercase()),
        None => column.to_string(),
    });
    columns.map(str::to_string).chain(upper).collect::<Vec<_>>().join(", ")
}
