//! `system.constraints`.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::Table;

use crate::Known;
use crate::rows::table;
use crate::tables::every;

const STRUCTURE: &str =
    "database String, table String, name String, type Enum8('CHECK' = 0, 'ASSUME' = 1), expression String";

pub fn add(all: &mut Vec<Arc<dyn Table>>, known: &Known) -> Result<()> {
    let databases = known.databases.clone();
    all.push(table("system", "constraints", "SystemConstraints", STRUCTURE, move |_, rows| {
        let Some(databases) = databases.upgrade() else { return Ok(()) };
        for table in every(&databases) {
            let definition = table.definition();
            for constraint in &definition.constraints {
                rows.push([
                    (&definition.database).into(),
                    (&definition.name).into(),
                    (&constraint.name).into(),
                    constraint.kind.name().into(),
                    (&constraint.expression).into(),
                ])?;
            }
        }
        Ok(())
    })?);
    Ok(())
}
