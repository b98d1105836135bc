//! ALTER TABLE … MOVE PARTITION | PART … TO DISK | VOLUME. A table lies in one place, the disk and volume `default`, so
//! whatever is sent there is there: ClickHouse says so with an error, and so do we.

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::{PartChoice, StoragePlace};

use crate::check::check_part_name;
use crate::insert::partition;
use crate::read::ONLY_DISK;
use crate::table::Core;

/// Errors: always one of UNKNOWN_DISK, UNKNOWN_VOLUME, NO_SUCH_DATA_PART, BAD_DATA_PART_NAME.
pub fn move_parts(core: &Core, chosen: &PartChoice, to: &StoragePlace) -> Result<()> {
    if let PartChoice::Part(part) = chosen {
        check_part_name(part)?;
    }
    let (what, unknown) = match to.volume {
        true => ("volume", ErrorCode::UNKNOWN_VOLUME),
        false => ("disk", ErrorCode::UNKNOWN_DISK),
    };
    let name = &to.name;
    if name != ONLY_DISK {
        let text = format!("No such {what} `{name}` in storage policy `default`. A table lies on the {what} '{ONLY_DISK}'");
        return Err(Error::new(unknown, text));
    }
    let state = core.manifest.current();
    let text = match chosen {
        PartChoice::Part(part) if state.parts.values().any(|known| known.name == *part) => {
            format!("Part '{part}' is already on {what} '{name}'.")
        }
        PartChoice::Part(part) => {
            return Err(Error::new(ErrorCode::NO_SUCH_DATA_PART, format!("Part {part} is not exists or not active.")));
        }
        PartChoice::Partition(partition) => {
            let id = partition::chosen_id(&core.layout, partition)?;
            let is_empty = !state.parts.values().any(|part| id.as_ref().is_none_or(|id| part.partition_id == *id));
            if to.volume && is_empty {
                let text = "Nothing to move (check that the partition exists).";
                return Err(Error::new(ErrorCode::NO_SUCH_DATA_PART, text));
            }
            format!("All parts of partition '{}' are already on {what} '{name}'.", id.as_deref().unwrap_or("all"))
        }
    };
    Err(Error::new(ErrorCode::UNKNOWN_DISK, text))
}
