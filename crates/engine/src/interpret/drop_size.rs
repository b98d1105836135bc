//! How large what a statement takes away may be: `max_table_size_to_drop` and `max_partition_size_to_drop`, of the query where it
//! or its user sets them, else of the server. A statement that would take more is refused, unless a file lets it through: once,
//! because the file is removed by it.

use std::path::Path;
use std::sync::Arc;

use gristmill_base::{Error, ErrorCode, Result, units};
use gristmill_catalog::{PartChoice, Table};
use gristmill_introspect::server_settings;

use super::Interpreter;
use crate::temporary::TEMPORARY_DATABASE;

/// Below the data folder.
const FOLDER: &str = "flags";
const FORCE_FILE: &str = "flags/force_drop_table";

/// One of the two settings.
#[derive(Clone, Copy)]
enum Setting {
    OfTable,
    OfPartition,
}

impl Setting {
    fn name(self) -> &'static str {
        match self {
            Setting::OfTable => "max_table_size_to_drop",
            Setting::OfPartition => "max_partition_size_to_drop",
        }
    }
}

impl Interpreter {
    /// That a table may be dropped, emptied or replaced. Error: TABLE_SIZE_EXCEEDS_MAX_DROP_SIZE_LIMIT.
    pub(crate) fn check_drops_table(&self, table: &Arc<dyn Table>) -> Result<()> {
        let definition = table.definition();
        // What lies in the target of a view with TO is not the view's.
        if let Some(inner) = definition.inner_name() {
            let inner = self.databases(&definition.database).table(&definition.database, &inner);
            // A view whose table is gone takes nothing with it.
            return inner.map_or(Ok(()), |inner| self.check_drops_table(&inner));
        }
        self.check_drops(table, Setting::OfTable, || Ok(table.total_bytes().unwrap_or_default()))
    }

    /// As `check_drops_table`, where there is such a table. What one that cannot be opened holds is not known.
    pub(crate) fn check_drops_named(&self, database: &str, table: &str) -> Result<()> {
        self.databases(database).table(database, table).map_or(Ok(()), |table| self.check_drops_table(&table))
    }

    /// That parts may be dropped, detached or replaced. Errors: TABLE_SIZE_EXCEEDS_MAX_DROP_SIZE_LIMIT, NO_SUCH_DATA_PART.
    pub(crate) fn check_drops_parts(&self, table: &Arc<dyn Table>, chosen: &PartChoice) -> Result<()> {
        self.check_drops(table, Setting::OfPartition, || table.bytes_of(chosen))
    }

    fn check_drops(&self, table: &Arc<dyn Table>, setting: Setting, bytes: impl FnOnce() -> Result<u64>) -> Result<()> {
        let definition = table.definition();
        let is_family = definition.engine.name.ends_with("MergeTree");
        let most = self.largest_dropped(setting);
        if !is_family || definition.database == TEMPORARY_DATABASE || most == 0 {
            return Ok(());
        }
        let bytes = bytes()?;
        let file = self.engine.data_path.join(FORCE_FILE);
        if bytes <= most || is_forced(&file) {
            return Ok(());
        }
        let (database, name, setting) = (&definition.database, &definition.name, setting.name());
        Err(Error::new(
            ErrorCode::TABLE_SIZE_EXCEEDS_MAX_DROP_SIZE_LIMIT,
            format!(
                "Table or Partition in {database}.{name} was not dropped: its size ({}) is greater than {setting} ({}). Set it \
                 higher, or to 0 for any size, in the statement's SETTINGS or in the configuration of the server; or make the file \
                 {file}, which lets one such statement through: mkdir -p '{folder}' && touch '{file}'",
                units::bytes_decimal(bytes as f64),
                units::bytes_decimal(most as f64),
                file = file.display(),
                folder = self.engine.data_path.join(FOLDER).display(),
            ),
        ))
    }

    /// 0: any size.
    fn largest_dropped(&self, setting: Setting) -> u64 {
        let settings = &self.context.settings;
        let of_query = match setting {
            Setting::OfTable => settings.max_table_size_to_drop,
            Setting::OfPartition => settings.max_partition_size_to_drop,
        };
        if settings.is_changed(setting.name()) {
            return of_query;
        }
        server_settings::find(setting.name()).and_then(|declared| declared.value().parse().ok()).unwrap_or(of_query)
    }
}

/// Whether the file is there; it counts once. One that cannot be removed would let everything through from now on, and counts not
/// at all.
fn is_forced(file: &Path) -> bool {
    match std::fs::remove_file(file) {
        Ok(()) => true,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => false,
        Err(error) => {
            tracing::warn!("{} lets nothing be dropped, because it cannot be removed: {error}", file.display());
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_counts_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join(FORCE_FILE);
        assert!(!is_forced(&file));
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("makes");
        std::fs::write(&file, "").expect("writes");
        assert!(is_forced(&file));
        assert!(!is_forced(&file) && !file.exists());
    }
}
