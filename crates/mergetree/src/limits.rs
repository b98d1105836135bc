//! Settings that keep a table from being changed: `table_readonly`, and the sizes from which on it takes no more rows.

use gristmill_base::{Error, ErrorCode, Result};

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
}

/// What takes room: replaced parts do until they are swept.
fn all_parts(state: &State) -> impl Iterator<Item = &PartEntry> {
    let live = state.parts.values().map(|part| &**part);
    live.chain(state.removed.iter().map(|removed| &*removed.part))
}
