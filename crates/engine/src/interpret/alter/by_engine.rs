//! Which commands about a definition tables of which engine take.

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::engines::buffer;
use gristmill_sql::statement::AlterCommand;

use crate::merged_tables;

/// Engines whose columns change, but not their names.
const WITHOUT_RENAME: &[&str] = &["Null", buffer::ENGINE, merged_tables::ENGINE];

/// Errors: NOT_IMPLEMENTED.
pub(super) fn check(engine: &str, command: &AlterCommand) -> Result<()> {
    use AlterCommand as C;
    if engine.ends_with("MergeTree") {
        return Ok(());
    }
    let kind = match command {
        C::RenameColumn { .. } if WITHOUT_RENAME.contains(&engine) => "RENAME_COLUMN",
        C::AddConstraint { .. } => "ADD_CONSTRAINT",
        C::DropConstraint { .. } => "DROP_CONSTRAINT",
        C::AddIndex { .. } => "ADD_INDEX",
        C::DropIndex { .. } => "DROP_INDEX",
        C::AddProjection { .. } => "ADD_PROJECTION",
        C::DropProjection { .. } => "DROP_PROJECTION",
        C::ModifyOrderBy { .. } => "MODIFY_ORDER_BY",
        C::ModifySampleBy(_) => "MODIFY_SAMPLE_BY",
        C::RemoveSampleBy => "REMOVE_SAMPLE_BY",
        // How much it keeps.
        C::ModifySetting(_) if engine != "Memory" => "MODIFY_SETTING",
        C::ResetSetting(_) => "RESET_SETTING",
        _ => return Ok(()),
    };
    let text = format!("Alter of type '{kind}' is not supported by storage {engine}");
    Err(Error::new(ErrorCode::NOT_IMPLEMENTED, text))
}
