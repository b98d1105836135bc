//! `system.caches`: what the process keeps in memory so as not to read it again. (Gristmill's own.)

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::Table;

use crate::Known;
use crate::rows::table;

const STRUCTURE: &str = "name String, bytes UInt64, entries UInt64, hits UInt64, misses UInt64, limit UInt64, \
    description String";

const DESCRIPTIONS: [(&str, &str); 7] = [
    ("Mark", "Headers, sparse indexes and footers of parts. SYSTEM DROP MARK CACHE empties it."),
    ("Uncompressed", "Decoded granules. SYSTEM DROP UNCOMPRESSED CACHE empties it."),
    (
        "QueryCondition",
        "Granules in which no row fulfils a condition, with use_query_condition_cache. SYSTEM DROP QUERY CONDITION CACHE empties it.",
    ),
    ("SkippingIndex", "Chunks of data skipping indexes. SYSTEM DROP SKIPPING INDEX CACHE empties it."),
    ("ParquetMetadata", "Footers of Parquet files. SYSTEM DROP PARQUET METADATA CACHE empties it."),
    ("Schema", "Inferred structures of files. SYSTEM DROP SCHEMA CACHE empties it."),
    ("ObjectListing", "Files that patterns of object storage matched a moment ago."),
];

pub fn add(all: &mut Vec<Arc<dyn Table>>, known: &Known) -> Result<()> {
    let (mergetree, sources) = (known.mergetree.clone(), known.sources.clone());
    all.push(table("system", "caches", "SystemCaches", STRUCTURE, move |_, rows| {
        let of_tables = [
            ("Mark", mergetree.parts.report()),
            ("Uncompressed", mergetree.granules.report()),
            ("QueryCondition", mergetree.conditions.report()),
            ("SkippingIndex", mergetree.skip_indexes.report()),
        ];
        for (name, report) in of_tables.into_iter().chain(sources.reports()) {
            let description = DESCRIPTIONS.iter().find(|(known, _)| *known == name).map_or("", |(_, text)| *text);
            rows.push([
                name.into(),
                report.bytes.into(),
                report.entries.into(),
                report.hits.into(),
                report.misses.into(),
                report.limit.into(),
                description.into(),
            ])?;
        }
        Ok(())
    })?);
    Ok(())
}
