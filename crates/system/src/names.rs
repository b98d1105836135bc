//! Small tables of names: `system.table_functions`, `system.table_engines`, `system.time_zones`,
//! `system.database_engines`, `system.collations`.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::Table;
use gristmill_functions::collation::collations;

use crate::Known;
use crate::rows::table;

pub fn add(all: &mut Vec<Arc<dyn Table>>, known: &Known) -> Result<()> {
    let structure = "name String, description String, allow_readonly UInt8";
    all.push(table("system", "table_functions", "SystemTableFunctions", structure, |_, rows| {
        for name in gristmill_sources::table_function_names() {
            rows.push([(*name).into(), "".into(), true.into()])?;
        }
        Ok(())
    })?);
    // Views are engines to ClickHouse, too.
    let engines: Vec<&str> = known.engines.iter().copied().chain(["View", "MaterializedView"]).collect();
    let structure = "name String, supports_settings UInt8, supports_skipping_indices UInt8, supports_projections UInt8, \
        supports_sort_order UInt8, supports_ttl UInt8, supports_replication UInt8, supports_deduplication UInt8, \
        supports_parallel_insert UInt8";
    all.push(table("system", "table_engines", "SystemTableEngines", structure, move |_, rows| {
        let mut names = engines.clone();
        names.sort_unstable();
        for name in names {
            let merge_tree = name.ends_with("MergeTree");
            let no = || false.into();
            rows.push([
                name.into(),
                (!matches!(name, "Buffer" | "Merge" | "Null" | "View" | "MaterializedView")).into(),
                merge_tree.into(),
                merge_tree.into(),
                merge_tree.into(),
                merge_tree.into(),
                no(),
                // ClickHouse means that of replicas.
                no(),
                (merge_tree || matches!(name, "Buffer" | "Memory" | "Null")).into(),
            ])?;
        }
        Ok(())
    })?);
    all.push(table("system", "database_engines", "SystemDatabaseEngines", "name String", |_, rows| {
        rows.push(["Atomic".into()])
    })?);
    all.push(table("system", "time_zones", "SystemTimeZones", "time_zone String", |_, rows| {
        for zone in chrono_tz::TZ_VARIANTS {
            rows.push([zone.name().into()])?;
        }
        Ok(())
    })?);
    all.push(table("system", "collations", "SystemCollations", "name String, language Nullable(String)", |_, rows| {
        collations().iter().try_for_each(|(name, language)| rows.push([(*name).into(), (*language).into()]))
    })?);
    Ok(())
}
