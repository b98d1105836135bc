//! Makes tables of their definitions: the one place that knows every engine.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::engines::memory_bounds::Bounds;
use gristmill_catalog::engines::{BufferTable, LogTable, MaterializedViewTable, MemoryTable, NullTable, View, buffer, log};
use gristmill_catalog::{KeyExpression, MaterializedView, Table, TableDefinition, TableOpener};
use gristmill_functions::Registry;
use gristmill_introspect::Settings;
use gristmill_mergetree::settings::{TableSettings, check_given};
use gristmill_mergetree::{MemoryStore, MergeTree, MergeTreeEnvironment, ObjectFolder, PartStore};
use gristmill_objstore::Store;
use gristmill_sources::SourceHints;
use gristmill_sql::lower::JoinTable;
use gristmill_types::sql_type::quote_identifier;
use gristmill_types::{Column, Columns, DefaultKind};

use crate::compiler::Compiler;
use crate::{keys, merged_tables};

pub struct Opener {
    pub registry: Arc<Registry>,
    pub hints: SourceHints,
    pub mergetree: Arc<MergeTreeEnvironment>,
    /// Where tables lie, a folder each: one store, so that parts of one table become parts of another without being read.
    tables: Store,
}

impl std::fmt::Debug for Opener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Opener").field("tables", &self.tables).finish_non_exhaustive()
    }
}

/// Engines by name, for `system.table_engines` and for the error of an unknown one.
pub const ENGINES: &[&str] = &[
    "MergeTree",
    "ReplacingMergeTree",
    "SummingMergeTree",
    "AggregatingMergeTree",
    "CoalescingMergeTree",
    "CollapsingMergeTree",
    "VersionedCollapsingMergeTree",
    "Memory",
    merged_tables::ENGINE,
    "Null",
    "Log",
    "TinyLog",
    "StripeLog",
    "Set",
    log::JOIN,
    buffer::ENGINE,
    "S3",
    "GCS",
    "AzureBlobStorage",
    "URL",
    "File",
];

/// Settings of the query that a table of the engine Join keeps.
const SETTINGS_OF_JOIN: &[&str] =
    &["join_use_nulls", "max_rows_in_join", "max_bytes_in_join", "join_overflow_mode", "join_any_take_last_row"];

/// Whether a setting in CREATE TABLE's clause is one of the query. Engines that read files keep settings of formats.
pub fn is_query_setting(engine: Option<&str>, name: &str) -> bool {
    let reads_files = engine.is_some_and(|engine| {
        ["S3", "GCS", "AzureBlobStorage", "URL", "File"].iter().any(|known| known.eq_ignore_ascii_case(engine))
    });
    let is_of_join = engine.is_some_and(|engine| engine.eq_ignore_ascii_case(log::JOIN)) && SETTINGS_OF_JOIN.contains(&name);
    !reads_files
        && !is_of_join
        && Settings::declared().iter().any(|known| known.name == name)
        && !TableSettings::declared().iter().any(|known| known.name == name)
}

#[async_trait]
impl TableOpener for Opener {
    async fn open(&self, definition: Arc<TableDefinition>, existing: bool) -> Result<Arc<dyn Table>> {
        match definition.engine.name.as_str() {
            "Memory" => {
                if !existing {
                    Bounds::of(&definition.settings)?;
                }
                let compiler = Arc::new(Compiler { registry: self.registry.clone() });
                Ok(Arc::new(MemoryTable::new(definition).with_compiler(compiler)))
            }
            // They stand for a query, which whoever reads them puts in their place.
            TableDefinition::VIEW | TableDefinition::FUNCTION | merged_tables::ENGINE => Ok(Arc::new(View::new(definition))),
            MaterializedView::ENGINE => Ok(Arc::new(MaterializedViewTable::new(definition))),
            buffer::ENGINE => Ok(Arc::new(BufferTable::new(definition))),
            "Null" => Ok(Arc::new(NullTable::new(definition))),
            family if gristmill_mergetree::engine::NAMES.contains(&family) => {
                if !existing {
                    check_given(&definition.settings)?;
                }
                self.mergetree(definition).await
            }
            logs if log::NAMES.contains(&logs) => {
                check_arguments_of_log(&definition)?;
                if !existing {
                    check_kind_of_join(&definition)?;
                }
                let rows = self.mergetree(LogTable::rows_of(&definition)).await?;
                Ok(Arc::new(LogTable::new(definition, rows)))
            }
            "S3" | "GCS" | "AzureBlobStorage" | "URL" | "File" => {
                gristmill_sources::open_engine(definition, &self.hints).await
            }
            other => Err(unknown_engine(other)),
        }
    }

    fn keeps_data(&self, definition: &TableDefinition) -> bool {
        let engine = definition.engine.name.as_str();
        gristmill_mergetree::engine::NAMES.contains(&engine) || log::NAMES.contains(&engine)
    }
}

fn unknown_engine(name: &str) -> Error {
    let near = gristmill_introspect::settings::nearest(name, ENGINES.iter().copied());
    let hint = near.map_or_else(String::new, |near| format!(". Maybe you meant: ['{near}']"));
    Error::new(ErrorCode::UNKNOWN_STORAGE, format!("Unknown table engine {name}{hint}"))
}

/// Errors: NUMBER_OF_ARGUMENTS_DOESNT_MATCH, BAD_ARGUMENTS, NO_SUCH_COLUMN_IN_TABLE.
fn check_arguments_of_log(definition: &TableDefinition) -> Result<()> {
    let (engine, arguments) = (&definition.engine.name, &definition.engine.arguments);
    if engine == log::JOIN {
        return check_arguments_of_join(arguments, &definition.columns);
    }
    if arguments.is_empty() {
        return Ok(());
    }
    Err(Error::new(
        ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
        format!("Engine {engine} doesn't support any arguments ({} given)", arguments.len()),
    ))
}

fn check_arguments_of_join(arguments: &[String], columns: &Columns) -> Result<()> {
    let [strictness, kind, keys @ ..] = arguments else {
        return Err(wrong_join(arguments.len()));
    };
    if keys.is_empty() {
        return Err(wrong_join(arguments.len()));
    }
    let is_one_of = |word: &str, known: &[&str]| known.iter().any(|known| known.eq_ignore_ascii_case(word));
    // ALL is kept as a name, in quotes.
    if !is_one_of(strictness.trim_matches('`'), &["ANY", "ALL", "SEMI", "ANTI"]) {
        let text = "First parameter of storage Join must be ANY or ALL or SEMI or ANTI (without quotes).";
        return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
    }
    if !is_one_of(kind, &["LEFT", "INNER", "RIGHT", "FULL"]) {
        let text = "Second parameter of storage Join must be LEFT or INNER or RIGHT or FULL (without quotes).";
        return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
    }
    match keys.iter().find(|key| !columns.iter().any(|column| quote_identifier(&column.name) == **key)) {
        Some(key) => Err(Error::new(
            ErrorCode::NO_SUCH_COLUMN_IN_TABLE,
            format!("Key column {key} does not exist in table declaration."),
        )),
        None => Ok(()),
    }
}

/// That there are joins of the strictness and the kind that a new Join table is for. Errors: BAD_ARGUMENTS, NOT_IMPLEMENTED.
fn check_kind_of_join(definition: &TableDefinition) -> Result<()> {
    let [strictness, kind, ..] = &definition.engine.arguments[..] else { return Ok(()) };
    if definition.engine.name != log::JOIN {
        return Ok(());
    }
    match (strictness.to_ascii_uppercase().as_str(), kind.to_ascii_uppercase().as_str()) {
        ("SEMI" | "ANTI", "INNER" | "FULL") => {
            Err(Error::new(ErrorCode::BAD_ARGUMENTS, "SEMI|ANTI JOIN should be LEFT or RIGHT."))
        }
        ("ANY", "FULL") => Err(Error::not_implemented("ANY FULL JOINs are not implemented.")),
        _ => Ok(()),
    }
}

/// What `joinGet` is to know of a table of the engine Join.
pub fn join_table(definition: &TableDefinition) -> Option<JoinTable> {
    let [strictness, kind, keys @ ..] = &definition.engine.arguments[..] else { return None };
    if definition.engine.name != log::JOIN {
        return None;
    }
    let is_key = |column: &&Column| keys.contains(&quote_identifier(&column.name));
    let place = |column: &&Column| keys.iter().position(|key| *key == quote_identifier(&column.name));
    let mut columns: Vec<&Column> = definition.columns.iter().filter(is_key).collect();
    columns.sort_by_key(place);
    Some(JoinTable {
        is_left_any: strictness.eq_ignore_ascii_case("ANY") && kind.eq_ignore_ascii_case("LEFT"),
        keys: columns.into_iter().map(|column| column.name.clone()).collect(),
        use_nulls: definition.settings.get("join_use_nulls").is_some_and(|value| value != "0" && value != "false"),
    })
}

fn wrong_join(given: usize) -> Error {
    let text = "Storage Join requires at least 3 parameters: Join(ANY|ALL|SEMI|ANTI, LEFT|INNER|RIGHT|FULL, keys...)";
    Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, format!("{text}, but {given} are given"))
}

/// Errors: UNKNOWN_STORAGE. Asked before anything is kept of a table.
pub fn check_engine(name: &str) -> Result<()> {
    if ENGINES.contains(&name) { Ok(()) } else { Err(unknown_engine(name)) }
}

impl Opener {
    pub fn new(
        registry: Arc<Registry>,
        hints: SourceHints,
        mergetree: Arc<MergeTreeEnvironment>,
        data_path: &Path,
    ) -> Arc<Opener> {
        Arc::new(Opener { registry, hints, mergetree, tables: Store::local_synced_when_told(data_path.join("store")) })
    }

    async fn mergetree(&self, definition: Arc<TableDefinition>) -> Result<Arc<dyn Table>> {
        let (sorting, partition) = compile_keys(&definition, &self.registry)?;
        let store: Arc<dyn PartStore> = match definition.temporary {
            true => MemoryStore::new(),
            false => ObjectFolder::new(self.tables.clone(), &definition.uuid.to_string()),
        };
        let table = MergeTree::open(definition, sorting, partition, store, self.mergetree.clone()).await?;
        Ok(table)
    }
}

/// The sorting key and the partition key of a definition.
pub fn compile_keys(
    definition: &TableDefinition,
    registry: &Registry,
) -> Result<(Vec<KeyExpression>, Option<Vec<KeyExpression>>)> {
    let columns = stored_columns(&definition.columns);
    let env = keys::key_env();
    let sorting = keys::compile(&definition.sorting_key(), &columns, registry, &env)?;
    let nullable = definition.settings.get("allow_nullable_key").is_some_and(|value| matches!(value.as_str(), "1" | "true"));
    keys::check(&sorting, "Sorting key", nullable)?;
    let partition = match &definition.partition_by {
        None => None,
        Some(text) => Some(keys::compile(&keys::partition_parts(text)?, &columns, registry, &env)?),
    };
    Ok((sorting, partition))
}

/// Columns that a table keeps: not those that are computed when read, nor those that only feed others.
pub fn stored_columns(columns: &Columns) -> Columns {
    Columns::new(
        columns
            .iter()
            .filter(|column| !matches!(column.default, Some((DefaultKind::Alias | DefaultKind::Ephemeral, _))))
            .cloned()
            .collect(),
    )
}
