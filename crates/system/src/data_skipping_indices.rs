//! `system.data_skipping_indices`.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::Table;

use crate::Known;
use crate::rows::{Cell, table};
use crate::tables::every;

const STRUCTURE: &str = "database String, table String, name String, type String, type_full String, expr String, \
    creation Enum8('Explicit' = 0, 'Implicit' = 1), granularity UInt64, data_compressed_bytes UInt64, \
    data_uncompressed_bytes UInt64, marks_bytes UInt64";

pub fn add(all: &mut Vec<Arc<dyn Table>>, known: &Known) -> Result<()> {
    let databases = known.databases.clone();
    all.push(table("system", "data_skipping_indices", "SystemDataSkippingIndices", STRUCTURE, move |_, rows| {
        let Some(databases) = databases.upgrade() else { return Ok(()) };
        for table in every(&databases) {
            let definition = table.definition();
            if definition.skip_indexes.is_empty() {
                continue;
            }
            let parts = table.parts();
            for index in &definition.skip_indexes {
                let sizes = parts.iter().filter(|part| part.active).flat_map(|part| &part.skip_indexes);
                let sizes = sizes.filter(|(name, ..)| *name == index.name);
                let (compressed, uncompressed) = sizes.fold((0, 0), |sum, size| (sum.0 + size.1, sum.1 + size.2));
                rows.push([
                    (&definition.database).into(),
                    (&definition.name).into(),
                    (&index.name).into(),
                    index.kind_name().into(),
                    (&index.kind).into(),
                    index.shown().into(),
                    "Explicit".into(),
                    index.granularity.into(),
                    Cell::Unsigned(compressed),
                    Cell::Unsigned(uncompressed),
                    // Where an index lies stands in the part's header.
                    Cell::Unsigned(0),
                ])?;
            }
        }
        Ok(())
    })?);
    Ok(())
}
