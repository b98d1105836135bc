//! `system.tables`.

use std::collections::HashMap;
use std::sync::Arc;

use gristmill_access::rights::Object;
use gristmill_access::{Level, Privileges};
use gristmill_base::Result;
use gristmill_base::redact::statement;
use gristmill_catalog::create_query::{create_query_line, engine_full, key_text};
use gristmill_catalog::databases::is_of_each_user;
use gristmill_catalog::engines::log;
use gristmill_catalog::{Databases, Table, TableDefinition};
use gristmill_introspect::QueryContext;
use gristmill_sql::create::TEMPORARY_DATABASE;
use gristmill_sql::format_query::query_of_view;

use crate::Known;
use crate::rows::{Cell, Rows, table};

const STRUCTURE: &str = "database String, name String, uuid UUID, engine String, is_temporary UInt8, data_paths Array(String), \
    create_table_query String, engine_full String, as_select String, partition_key String, sorting_key String, \
    primary_key String, sampling_key String, storage_policy String, dependencies_database Array(String), \
    dependencies_table Array(String), total_rows Nullable(UInt64), \
    total_bytes Nullable(UInt64), total_bytes_uncompressed Nullable(UInt64), parts Nullable(UInt64), \
    active_parts Nullable(UInt64), total_marks Nullable(UInt64), comment String, has_own_data UInt8, table String ALIAS name, \
    skipping_indices_types Array(String), target_database String, target_table String, active_on_fly_data_mutations UInt64";

pub fn add(all: &mut Vec<Arc<dyn Table>>, known: &Known) -> Result<()> {
    let databases = known.databases.clone();
    all.push(table("system", "tables", "SystemTables", STRUCTURE, move |context, rows| {
        let Some(databases) = databases.upgrade() else { return Ok(()) };
        let all = lasting(&databases, context);
        let views = views_by_source(&all);
        for table in &all {
            let definition = table.definition();
            let parts = table.parts();
            let merge_tree = definition.engine.name.ends_with("MergeTree");
            let is_view = definition.materialized_view().is_some();
            let query = definition.select_text().zip(definition.select_database());
            let query = query.map(|(text, database)| query_of_view(text, database, true));
            let (target_database, target_table) = definition.view_target().unzip();
            let written = &definition.written_keys;
            let key = |key: &[String], written: &Option<String>| match is_view {
                true => String::new(),
                false => key_text(key, written.as_deref()),
            };
            let partition_key = written.partition_by.as_ref().or(definition.partition_by.as_ref());
            let sampling_key = written.sample_by.as_ref().or(definition.sample_by.as_ref());
            let primary_key = written.primary_key.as_ref().or(written.order_by.as_ref()).cloned();
            let kept = databases.stored(&definition.database, &definition.name).ok();
            let views = views.get(&(definition.database.clone(), definition.name.clone()));
            let (of, names): (Vec<_>, Vec<_>) = views.into_iter().flatten().cloned().unzip();
            let active = || parts.iter().filter(|part| part.active);
            let of_parts = |value: u64| if merge_tree { Cell::Unsigned(value) } else { Cell::None };
            rows.push([
                (&definition.database).into(),
                (&definition.name).into(),
                Cell::Uuid(definition.uuid),
                definition.engine_name().into(),
                definition.temporary.into(),
                kept.as_ref().map_or_else(Vec::new, |kept| kept.data_paths()).into(),
                create_query_line(&definition, query.as_deref()).into(),
                engine_full(&definition).into(),
                statement(query.as_deref().unwrap_or_default()).into(),
                partition_key.map(String::as_str).filter(|_| !is_view).unwrap_or_default().into(),
                key(&definition.sorting_key(), &written.order_by).into(),
                key(&definition.primary_key, &primary_key).into(),
                sampling_key.map(String::as_str).unwrap_or_default().into(),
                if merge_tree { "default" } else { "" }.into(),
                of.into(),
                names.into(),
                kept.as_ref().and_then(|kept| kept.total_rows()).into(),
                kept.as_ref().and_then(|kept| kept.total_bytes()).into(),
                of_parts(active().map(|part| part.data_uncompressed_bytes).sum()),
                of_parts(parts.len() as u64),
                of_parts(active().count() as u64),
                of_parts(active().map(|part| part.marks).sum()),
                (&definition.comment).into(),
                has_own_data(&definition.engine.name).into(),
                definition.skip_indexes.iter().map(|index| index.kind_name().to_string()).collect::<Vec<_>>().into(),
                target_database.into(),
                target_table.into(),
                table.mutations().iter().filter(|mutation| !mutation.is_done).count().into(),
            ])?;
        }
        temporary(context).iter().try_for_each(|table| push_temporary(table, rows))
    })?);
    Ok(())
}

/// A temporary table, of which ClickHouse tells no more than this.
fn push_temporary(table: &Arc<dyn Table>, rows: &mut Rows) -> Result<()> {
    let definition = table.definition();
    let query = definition.select_text().zip(definition.select_database());
    let query = query.map(|(text, database)| query_of_view(text, database, true));
    let none = || Cell::None;
    rows.push([
        shown_database(&definition).into(),
        (&definition.name).into(),
        Cell::Uuid(definition.uuid),
        definition.engine_name().into(),
        true.into(),
        none(),
        create_query_line(&definition, query.as_deref()).into(),
        definition.engine_name().into(),
        none(),
        none(),
        none(),
        none(),
        none(),
        none(),
        none(),
        none(),
        table.total_rows().into(),
        table.total_bytes().into(),
        none(),
        none(),
        none(),
        none(),
        none(),
        false.into(),
        none(),
        none(),
        none(),
        none(),
    ])
}

/// Whether tables of an engine lie on disk, where ClickHouse has them so.
pub fn has_own_data(engine: &str) -> bool {
    engine.ends_with("MergeTree") || engine == "File" || log::NAMES.contains(&engine)
}

/// The materialized views on each table, by database and name.
fn views_by_source(tables: &[Arc<dyn Table>]) -> HashMap<(String, String), Vec<(String, String)>> {
    let mut views: HashMap<_, Vec<_>> = HashMap::new();
    for table in tables {
        let definition = table.definition();
        if let Some(view) = definition.materialized_view() {
            views.entry(view.source).or_default().push((definition.database.clone(), definition.name.clone()));
        }
    }
    views
}

/// The tables that whoever asks may know of, with the temporary ones of the session.
pub fn visible(databases: &Databases, context: &QueryContext) -> Vec<Arc<dyn Table>> {
    let mut all = lasting(databases, context);
    all.extend(temporary(context));
    all
}

/// The temporary tables of the session that asks.
fn temporary(context: &QueryContext) -> Vec<Arc<dyn Table>> {
    context.temporary::<Databases>().map_or_else(Vec::new, |databases| databases.tables(TEMPORARY_DATABASE))
}

/// The database that a table is said to be in: a temporary one is in none.
pub fn shown_database(definition: &TableDefinition) -> &str {
    if definition.temporary { "" } else { &definition.database }
}

/// The tables of the catalog that whoever asks may know of.
pub fn lasting(databases: &Databases, context: &QueryContext) -> Vec<Arc<dyn Table>> {
    let mut all = every(databases);
    all.retain(|table| sees_table(context, &table.definition()));
    all
}

/// Whether whoever asks may know of a table.
pub fn sees_table(context: &QueryContext, definition: &TableDefinition) -> bool {
    is_of_each_user(&definition.database) || sees(context, &Object::table(&definition.database, &definition.name))
}

/// Whether whoever asks may know of a column: who was granted others alone may not.
pub fn sees_column(context: &QueryContext, definition: &TableDefinition, column: &str) -> bool {
    let (database, table) = (&definition.database, &definition.name);
    definition.temporary || is_of_each_user(database) || sees(context, &Object::column(database, table, column))
}

/// The databases that whoever asks may know of.
pub fn visible_databases(databases: &Databases, context: &QueryContext) -> Vec<String> {
    let mut names = databases.database_names();
    names.retain(|name| name == "default" || is_of_each_user(name) || sees(context, &Object::database(name)));
    names
}

/// Any right on a thing lets one know of it.
fn sees(context: &QueryContext, object: &Object) -> bool {
    context.rights().has_some(Privileges::grantable_on(Level::Database), object)
}

/// Every table of every database, by name.
pub fn every(databases: &Databases) -> Vec<Arc<dyn Table>> {
    databases.database_names().iter().flat_map(|database| databases.tables(database)).collect()
}
