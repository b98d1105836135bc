//! Settings that keep a table from being changed: `table_readonly`, the sizes from which on it takes no more rows, and what has to
//! be free on its disk.

use std::path::Path;

use gristmill_base::{Error, ErrorCode, Result, machine, units};
use gristmill_introspect::Settings;

use crate::manifest::{PartEntry, State};
use crate::table::Core;

impl Core {
    /// Errors: TABLE_IS_PERMANENTLY_READ_ONLY.
    pub fn check_writable(&self) -> Result<()> {
        match self.settings.table_readonly {
            false => Ok(()),
            true => Err(Error::new(
                ErrorCode::TABLE_IS_PERMANENTLY_READ_ONLY,
                format!(
                    "Table {} is read-only: its setting table_readonly is 1. ALTER TABLE … MODIFY SETTING table_readonly = 0 lets \
                     it be changed",
                    self.name()
                ),
            )),
        }
    }

    /// That the table is not larger than its settings let it become by an INSERT: it may pass a limit once, and takes no more
    /// then. Errors: TABLE_SIZE_LIMIT_EXCEEDED.
    pub fn check_size(&self, state: &State) -> Result<()> {
        let settings = &self.settings;
        let limits: [(&str, u64, &dyn Fn() -> u64); 3] = [
            ("max_table_size_rows", settings.max_table_size_rows, &|| state.rows),
            ("max_table_size_bytes_compressed", settings.max_table_size_bytes_compressed, &|| {
                all_parts(state).map(|part| part.sized_objects().map(|(_, bytes)| bytes).sum::<u64>()).sum()
            }),
            ("max_table_size_bytes_uncompressed", settings.max_table_size_bytes_uncompressed, &|| {
                all_parts(state).map(|part| part.uncompressed_bytes).sum()
            }),
        ];
        for (name, most, size) in limits {
            let size = if most > 0 { size() } else { 0 };
            if size > most {
                return Err(Error::new(
                    ErrorCode::TABLE_SIZE_LIMIT_EXCEEDED,
                    format!(
                        "Table size limit exceeded: {} has {size}, and its setting {name} is {most}. Remove rows (DROP PARTITION, \
                         TRUNCATE), or set it higher by ALTER TABLE … MODIFY SETTING",
                        self.name()
                    ),
                ));
            }
        }
        Ok(())
    }

    /// That as much of the disk is free as an INSERT wants: the table's settings go before the query's, and the greater of the two
    /// limits holds. A bucket has no end. Error: NOT_ENOUGH_SPACE.
    pub fn check_free_space(&self, of_query: &Settings) -> Result<()> {
        let bytes = match self.settings.min_free_disk_bytes_to_perform_insert {
            0 => of_query.min_free_disk_bytes_to_perform_insert,
            bytes => bytes,
        };
        let ratio = match self.settings.min_free_disk_ratio_to_perform_insert {
            ratio if ratio > 0.0 => ratio,
            _ => of_query.min_free_disk_ratio_to_perform_insert,
        };
        if bytes == 0 && ratio <= 0.0 {
            return Ok(());
        }
        let location = self.store.location("");
        let Some(disk) = on_disk(Path::new(&location)) else { return Ok(()) };
        let wanted = bytes.max((disk.capacity as f64 * ratio.max(0.0)) as u64);
        if disk.available >= wanted {
            return Ok(());
        }
        Err(Error::new(
            ErrorCode::NOT_ENOUGH_SPACE,
            format!(
                "Could not perform insert into {}: {} of its disk are free, and {} have to be \
                 (min_free_disk_bytes_to_perform_insert = {bytes}, min_free_disk_ratio_to_perform_insert = {ratio}). Make room, or set \
                 them lower: as settings of the table, else of the query",
                self.name(),
                units::bytes_binary(disk.available as f64),
                units::bytes_binary(wanted as f64),
            ),
        ))
    }
}

/// The file system of a folder; `None`: it is none of this machine's. The folder of a table without rows is not made yet.
fn on_disk(folder: &Path) -> Option<machine::Filesystem> {
    if !folder.is_absolute() {
        return None;
    }
    folder.ancestors().find_map(|folder| machine::filesystem(folder).ok())
}

/// What takes room: replaced parts do until they are swept.
fn all_parts(state: &State) -> impl Iterator<Item = &PartEntry> {
    let live = state.parts.values().map(|part| &**part);
    live.chain(state.removed.iter().map(|removed| &*removed.part))
}
