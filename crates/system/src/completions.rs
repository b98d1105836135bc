//! `system.keywords`, and `system.completions`: every word that a prompt may offer, with what it is and what it belongs to.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::Table;
use gristmill_formats::Format;
use gristmill_introspect::Settings;
use gristmill_mergetree::TableSettings;

use crate::rows::{Cell, table};
use crate::tables::{sees_column, shown_database, visible, visible_databases};
use crate::{Known, data_type_families};

const STRUCTURE: &str = "word String, context String, belongs Nullable(String)";

pub fn add(all: &mut Vec<Arc<dyn Table>>, known: &Known) -> Result<()> {
    all.push(table("system", "keywords", "SystemKeywords", "keyword String", |_, rows| {
        gristmill_sql::keywords().iter().try_for_each(|word| rows.push([(*word).into()]))
    })?);
    let known = known.clone();
    all.push(table("system", "completions", "SystemCompletions", STRUCTURE, move |context, rows| {
        let mut push = |word: &str, kind: &str| rows.push([word.into(), kind.into(), Cell::None]);
        gristmill_sql::keywords().iter().try_for_each(|word| push(word, "keyword"))?;
        known
            .registry
            .names()
            .chain(gristmill_functions::only_with_lambda())
            .chain(gristmill_functions::by_analyser::names())
            .try_for_each(|name| push(name, "function"))?;
        gristmill_sources::table_function_names().iter().try_for_each(|name| push(name, "table function"))?;
        known.engines.iter().try_for_each(|name| push(name, "table engine"))?;
        Format::ALL.iter().flat_map(|format| format.names()).try_for_each(|name| push(name, "format"))?;
        data_type_families::all().iter().try_for_each(|(name, ..)| push(name, "data type"))?;
        Settings::declared().iter().try_for_each(|info| push(info.name, "setting"))?;
        TableSettings::declared().iter().try_for_each(|info| push(info.name, "merge tree setting"))?;
        push("default", "policy")?;
        let Some(databases) = known.databases.upgrade() else { return Ok(()) };
        visible_databases(&databases, context).iter().try_for_each(|name| push(name, "database"))?;
        for table in visible(&databases, context) {
            let definition = table.definition();
            rows.push([(&definition.name).into(), "table".into(), shown_database(&definition).into()])?;
            let seen = |column: &str| sees_column(context, &definition, column);
            for column in definition.columns.iter().filter(|column| seen(&column.name)) {
                rows.push([(&column.name).into(), "column".into(), (&definition.name).into()])?;
            }
        }
        Ok(())
    })?);
    Ok(())
}
