//! Makes tables of their definitions: the one place that knows every engine.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::engines::{MaterializedViewTable, MemoryTable, NullTable, View};
use gristmill_catalog::{KeyExpression, MaterializedView, Table, TableDefinition, TableOpener};
use gristmill_functions::Registry;
use gristmill_introspect::Settings;
use gristmill_mergetree::settings::{TableSettings, check_given};
use gristmill_mergetree::{MemoryStore, MergeTree, MergeTreeEnvironment, ObjectFolder, PartStore};
use gristmill_objstore::Store;
use gristmill_sources::SourceHints;
use gristmill_types::{Columns, DefaultKind};

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
    "S3",
    "GCS",
    "AzureBlobStorage",
    "URL",
    "File",
];

/// Whether a setting in CREATE TABLE's clause is one of the query. Engines that read files keep settings of formats.
pub fn is_query_setting(engine: Option<&str>, name: &str) -> bool {
    let reads_files = engine.is_some_and(|engine| {
        ["S3", "GCS", "AzureBlobStorage", "URL", "File"].iter().any(|known| known.eq_ignore_ascii_case(engine))
    });
    !reads_files
        && Settings::declared().iter().any(|known| known.name == name)
        && !TableSettings::declared().iter().any(|known| known.name == name)
}

#[async_trait]
impl TableOpener for Opener {
    async fn open(&self, definition: Arc<TableDefinition>, existing: bool) -> Result<Arc<dyn Table>> {
        match definition.engine.name.as_str() {
            "Memory" => {
                let compiler = Arc::new(Compiler { registry: self.registry.clone() });
                Ok(Arc::new(MemoryTable::new(definition).with_compiler(compiler)))
            }
            // They stand for a query, which whoever reads them puts in their place.
            TableDefinition::VIEW | TableDefinition::FUNCTION | merged_tables::ENGINE => Ok(Arc::new(View::new(definition))),
            MaterializedView::ENGINE => Ok(Arc::new(MaterializedViewTable::new(definition))),
            "Null" => Ok(Arc::new(NullTable::new(definition))),
            family if gristmill_mergetree::engine::NAMES.contains(&family) => {
                if !existing {
                    check_given(&definition.settings)?;
                }
                self.mergetree(definition).await
            }
            "S3" | "GCS" | "AzureBlobStorage" | "URL" | "File" => {
                gristmill_sources::open_engine(definition, &self.hints).await
            }
            other => Err(unknown_engine(other)),
        }
    }

    fn keeps_data(&self, definition: &TableDefinition) -> bool {
        gristmill_mergetree::engine::NAMES.contains(&definition.engine.name.as_str())
    }
}

fn unknown_engine(name: &str) -> Error {
    let near = gristmill_introspect::settings::nearest(name, ENGINES.iter().copied());
    let hint = near.map_or_else(String::new, |near| format!(". Maybe you meant: ['{near}']"));
    Error::new(ErrorCode::UNKNOWN_STORAGE, format!("Unknown table engine {name}{hint}"))
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
