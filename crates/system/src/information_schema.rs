//! `information_schema`: schemata, tables, columns, views, as the SQL standard names them. Databases, tables and columns have
//! their names in lower and in upper case, since tools ask for either.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::{Databases, Table};
use gristmill_functions::collation::collations;
use gristmill_introspect::QueryContext;
use gristmill_sql::format_query::query_of_view;
use gristmill_types::{DefaultKind, parse};

use crate::Known;
use crate::columns::Digits;
use crate::rows::{Cell, Rows, table};
use crate::tables::{has_own_data, sees_column, shown_database, visible, visible_databases};

const SCHEMATA: &str = "catalog_name String, schema_name String, schema_owner String, \
    default_character_set_catalog Nullable(String), default_character_set_schema Nullable(String), \
    default_character_set_name Nullable(String), sql_path Nullable(String); \
    default_collation_name String, default_encryption String";

const TABLES: &str = "table_catalog String, table_schema String, table_name String, table_type String, \
    table_rows Nullable(UInt64), data_length Nullable(UInt64), index_length Nullable(UInt64), \
    table_collation Nullable(String), table_comment Nullable(String); \
    engine Nullable(String), version Nullable(UInt64), row_format Nullable(String), avg_row_length Nullable(UInt64), \
    max_data_length Nullable(UInt64), data_free Nullable(UInt64), auto_increment Nullable(UInt64), \
    create_time Nullable(DateTime), update_time Nullable(DateTime), check_time Nullable(DateTime), \
    checksum Nullable(Int64), create_options Nullable(String)";

const COLUMNS: &str = "table_catalog String, table_schema String, table_name String, column_name String, \
    ordinal_position UInt64, column_default String, is_nullable String, data_type String, \
    character_maximum_length Nullable(UInt64), character_octet_length Nullable(UInt64), numeric_precision Nullable(UInt64), \
    numeric_precision_radix Nullable(UInt64), numeric_scale Nullable(UInt64), datetime_precision Nullable(UInt64), \
    character_set_catalog Nullable(String), character_set_schema Nullable(String), character_set_name Nullable(String), \
    collation_catalog Nullable(String), collation_schema Nullable(String), collation_name Nullable(String), \
    domain_catalog Nullable(String), domain_schema Nullable(String), domain_name Nullable(String), extra Nullable(String), \
    column_comment String, column_type String; \
    column_key String, privileges String, generation_expression String, srs_id Nullable(UInt32)";

const VIEWS: &str = "table_catalog String, table_schema String, table_name String, view_definition String, check_option String, \
    is_updatable Enum8('NO' = 0, 'YES' = 1), is_insertable_into Enum8('NO' = 0, 'YES' = 1), \
    is_trigger_updatable Enum8('NO' = 0, 'YES' = 1), is_trigger_deletable Enum8('NO' = 0, 'YES' = 1), \
    is_trigger_insertable_into Enum8('NO' = 0, 'YES' = 1)";

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

const ENGINES: &str = "engine String, support String";

const CHARACTER_SETS: &str = "character_set_name String";

const COLLATIONS: &str = "collation_name String; character_set_name Nullable(String), id Nullable(UInt64), \
    is_default Nullable(String), is_compiled Nullable(String), sortlen Nullable(UInt64), pad_attribute Nullable(String)";

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
            ["utf8", "utf8mb4", "ascii", "binary"].into_iter().try_for_each(|name| rows.push_twice([name.into()]))
        }),
        ("collations", COLLATIONS, |_, _, rows| {
            for (name, set, id, length) in [("binary", "binary", 63_u64, 1_u64), ("utf8mb4_0900_ai_ci", "utf8mb4", 255, 0)] {
                let told = [set.into(), id.into(), "Yes".into(), "Yes".into(), length.into(), "NO PAD".into()];
                rows.push_each_twice([name.into()], told)?;
            }
            let nothing_else = [const { Cell::None }; 6];
            collations().iter().try_for_each(|(name, _)| rows.push_each_twice([(*name).into()], nothing_else.clone()))
        }),
    ];
    for database in ["information_schema", "INFORMATION_SCHEMA"] {
        for name in ["engines", "ENGINES"] {
            let names = known.engines;
            all.push(table(database, name, "View", &both_cases(ENGINES)?, move |_, rows| engines(names, rows))?);
        }
        for (name, structure, fill) in views {
            for name in [name.to_string(), name.to_ascii_uppercase()] {
                let databases = known.databases.clone();
                let mut structure = both_cases(structure)?;
                if name.eq_ignore_ascii_case("key_column_usage") {
                    // In upper case they may be NULL, and are not: so ClickHouse has them.
                    for column in ["CONSTRAINT_CATALOG", "CONSTRAINT_SCHEMA"] {
                        let (plain, nullable) = (format!("{column} String"), format!("{column} Nullable(String)"));
                        structure = structure.replace(&plain, &nullable);
                    }
                }
                all.push(table(database, &name, "View", &structure, move |context, rows| match databases.upgrade() {
                    Some(databases) => fill(&databases, context, rows),
                    None => Ok(()),
                })?);
            }
        }
    }
    Ok(())
}

fn schemata(databases: &Databases, context: &QueryContext, rows: &mut Rows) -> Result<()> {
    for name in visible_databases(databases, context) {
        let first = [(&name).into(), (&name).into(), "default".into(), Cell::None, Cell::None, Cell::None, Cell::None];
        rows.push_each_twice(first, ["utf8mb4_0900_ai_ci".into(), "NO".into()])?;
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
            engine if has_own_data(engine) => "BASE TABLE",
            _ => "FOREIGN TABLE",
        };
        let first = [
            shown_database(&definition).into(),
            shown_database(&definition).into(),
            (&definition.name).into(),
            kind.into(),
            table.total_rows().into(),
            table.total_bytes().into(),
            // The indexes of a part are among its bytes.
            0_u64.into(),
            "utf8mb4_0900_ai_ci".into(),
            (&definition.comment).into(),
        ];
        let engine = if kind == "VIEW" { Cell::None } else { (&definition.engine.name).into() };
        let mut others = [const { Cell::None }; 12];
        others[0] = engine;
        rows.push_each_twice(first, others)?;
    }
    Ok(())
}

fn views(databases: &Databases, context: &QueryContext, rows: &mut Rows) -> Result<()> {
    for table in visible(databases, context) {
        let definition = table.definition();
        if let Some((query, of)) = definition.select_text().zip(definition.select_database()) {
            let (database, name) = (shown_database(&definition), &definition.name);
            let no = || Cell::from("NO");
            let query = query_of_view(query, of, true);
            let (query, none) = (gristmill_base::redact::statement(&query).into(), "NONE".into());
            let name = name.into();
            let takes_rows = if definition.engine.name == "MaterializedView" { "YES" } else { "NO" }.into();
            rows.push_twice([database.into(), database.into(), name, query, none, no(), takes_rows, no(), no(), no()])?;
        }
    }
    Ok(())
}

/// The columns of primary keys.
fn key_column_usage(databases: &Databases, context: &QueryContext, rows: &mut Rows) -> Result<()> {
    for table in visible(databases, context) {
        let definition = table.definition();
        for (at, column) in definition.primary_key.iter().enumerate() {
            let database = || Cell::from(shown_database(&definition));
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
    for engine in names.iter().copied().chain(["View", "MaterializedView"]) {
        let support = if engine == "MergeTree" { "DEFAULT" } else { "YES" };
        rows.push_twice([engine.into(), support.into()])?;
    }
    Ok(())
}

fn columns(databases: &Databases, context: &QueryContext, rows: &mut Rows) -> Result<()> {
    for table in visible(databases, context) {
        let definition = table.definition();
        let seen = |column: &str| sees_column(context, &definition, column);
        for (i, column) in definition.columns.iter().enumerate().filter(|(_, column)| seen(&column.name)) {
            let digits = Digits::of(&column.kind);
            let default = column.default.as_ref().map_or("", |(_, expression)| expression);
            let (extra, generation) = match column.default.as_ref().map(|(kind, _)| kind) {
                Some(DefaultKind::Default) => ("DEFAULT_GENERATED", ""),
                Some(DefaultKind::Materialized) => ("STORED GENERATED", default),
                Some(DefaultKind::Alias) => ("VIRTUAL GENERATED", default),
                Some(DefaultKind::Ephemeral) | None => ("", ""),
            };
            let is_key = definition.primary_key.contains(&column.name);
            let first = [
                shown_database(&definition).into(),
                shown_database(&definition).into(),
                (&definition.name).into(),
                (&column.name).into(),
                (i + 1).into(),
                default.into(),
                if column.kind.is_nullable() { "1" } else { "0" }.into(),
                column.kind.to_string().into(),
                digits.octets.into(),
                digits.octets.into(),
                digits.precision.into(),
                digits.radix.into(),
                digits.scale.into(),
                digits.datetime.into(),
                Cell::None,
                Cell::None,
                Cell::None,
                Cell::None,
                Cell::None,
                Cell::None,
                Cell::None,
                Cell::None,
                Cell::None,
                extra.into(),
                (&column.comment).into(),
                column.kind.to_string().into(),
            ];
            let key = if is_key { "PRI" } else { "" };
            rows.push_each_twice(first, [key.into(), "".into(), generation.into(), Cell::None])?;
        }
    }
    Ok(())
}

/// Of each group of columns, which `;` parts: the columns, and again with their names in upper case.
fn both_cases(structure: &str) -> Result<String> {
    let mut both = Vec::new();
    for group in structure.split(';') {
        let columns = parse::structure(group)?;
        let upper = columns.iter().map(|column| (column.name.to_ascii_uppercase(), &column.kind));
        let all = columns.iter().map(|column| (column.name.clone(), &column.kind)).chain(upper);
        both.extend(all.map(|(name, kind)| format!("{name} {kind}")));
    }
    Ok(both.join(", "))
}
