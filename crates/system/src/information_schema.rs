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

const KEY_COLUMN_USAGE: &str = "constraint_catalog String, constraint_schema String, constraint_name Nullable(String), \
    table_catalog String, table_schema String, table_name String, column_name Nullable(String), ordinal_position UInt32, \
    position_in_unique_constraint Nullable(UInt32), referenced_table_schema Nullable(String), \
    referenced_table_name Nullable(String), referenced_column_name Nullable(String)";

const REFERENTIAL_CONSTRAINTS: &str = "constraint_catalog String, constraint_schema String, constraint_name Nullable(String), \
    unique_constraint_catalog String, unique_constraint_schema String, unique_constraint_name Nullable(String), \
    match_option String, update_rule String, delete_rule String, table_name String, referenced_table_name String";

const STATISTICS: &str = "table_catalog String, table_schema String, table_name String, non_unique Int32, index_schema String, \
    index_name Nullable(String), seq_in_index UInt32, column_name Nullable(String), collation Nullable(String), \
    cardinality Nullable(Int64), sub_part Nullable(Int64), packed Nullable(String), nullable String, index_type String, \
    comment String, index_comment String, is_visible String, expression Nullable(String)";

const ENGINES: &str = "engine String, support String, comment String, transactions String, xa String, savepoints String";

const CHARACTER_SETS: &str = "character_set_name String, default_collate_name String, description String, maxlen UInt32";

const COLLATIONS: &str = "collation_name String, character_set_name String, id UInt64, is_default String, is_compiled String, \
    sortlen UInt32, pad_attribute String";

type Fill = fn(&Databases, &QueryContext, &mut Rows) -> Result<()>;

pub fn add(all: &mut Vec<Arc<dyn Table>>, known: &Known) -> Result<()> {
    let views: [(&str, &str, Fill); 9] = [
        ("schemata", SCHEMATA, schemata),
        ("tables", TABLES, tables),
        ("columns", COLUMNS, columns),
        ("views", VIEWS, views),
        ("key_column_usage", KEY_COLUMN_USAGE, key_column_usage),
        // There are no keys of other tables, and no indexes in MySQL's sense.
        ("referential_constraints", REFERENTIAL_CONSTRAINTS, |_, _, _| Ok(())),
        ("statistics", STATISTICS, |_, _, _| Ok(())),
        ("character_sets", CHARACTER_SETS, |_, _, rows| {
            rows.push_twice(["utf8mb4".into(), "utf8mb4_0900_ai_ci".into(), "UTF-8 Unicode".into(), 4_u64.into()])
        }),
        ("collations", COLLATIONS, |_, _, rows| {
            let name = "utf8mb4_0900_ai_ci";
            let (yes, pad) = ("Yes".into(), "NO PAD".into());
            rows.push_twice([name.into(), "utf8mb4".into(), 255_u64.into(), "Yes".into(), yes, 0_u64.into(), pad])
        }),
    ];
    for database in ["information_schema", "INFORMATION_SCHEMA"] {
        for name in ["engines", "ENGINES"] {
            let names = known.engines;
            all.push(table(database, name, "View", &both_cases(ENGINES), move |_, rows| engines(names, rows))?);
        }
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

fn views(databases: &Databases, context: &QueryContext, rows: &mut Rows) -> Result<()> {
    for table in visible(databases, context) {
        let definition = table.definition();
        if let Some(query) = definition.select_text() {
            let (database, name) = (&definition.database, &definition.name);
            let query = gristmill_base::redact::statement(query);
            rows.push_twice([database.into(), database.into(), name.into(), query.into(), "NONE".into()])?;
        }
    }
    Ok(())
}

/// The columns of primary keys.
fn key_column_usage(databases: &Databases, context: &QueryContext, rows: &mut Rows) -> Result<()> {
    for table in visible(databases, context) {
        let definition = table.definition();
        for (at, column) in definition.primary_key.iter().enumerate() {
            let database = || Cell::from(&definition.database);
            let (name, at) = (Cell::from(&definition.name), Cell::from(at + 1));
            let none = || Cell::None;
            let key = "PRIMARY".into();
            rows.push_twice([
                "def".into(),
                database(),
                key,
                "def".into(),
                database(),
                name,
                column.into(),
                at,
                none(),
                none(),
                none(),
                none(),
            ])?;
        }
    }
    Ok(())
}

fn engines(names: &[&str], rows: &mut Rows) -> Result<()> {
    for &engine in names {
        let support = if engine == "MergeTree" { "DEFAULT" } else { "YES" };
        let no = || Cell::from("NO");
        rows.push_twice([engine.into(), support.into(), "".into(), no(), no(), no()])?;
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
