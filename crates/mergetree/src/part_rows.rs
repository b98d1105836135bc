//! The parts of a table as `system.parts` and its kin show them.

use std::sync::Arc;

use futures::stream::{self, StreamExt};
use gristmill_base::Result;
use gristmill_catalog::{PartRow, ProjectionPartRow};
use gristmill_introspect::QueryContext;
use gristmill_types::SqlType;

use crate::manifest::PartEntry;
use crate::part::v1::chunk::ZSTD_LEVEL;
use crate::projection::Projection;
use crate::read::evolve::FoundColumn;
use crate::read::stream::PARTS_OPENED_AT_ONCE;
use crate::table::Core;

/// Opens the live parts that nobody opened yet. Errors: the query ended; what cannot be read is only logged.
pub async fn open(core: &Core, context: &Arc<QueryContext>) -> Result<()> {
    let state = core.pin(context).await?;
    let closed: Vec<_> = state
        .parts
        .values()
        .filter(|part| core.opened(part).is_none())
        .map(|part| async move {
            if let Err(error) = core.open_part(context, part).await {
                tracing::warn!("part {} of {} was not opened: {error}", part.name, core.name());
            }
        })
        .collect();
    stream::iter(closed).buffer_unordered(PARTS_OPENED_AT_ONCE).collect::<()>().await;
    context.check()
}

/// Live parts, then those that were replaced and whose objects are there yet.
pub fn all(core: &Core) -> Vec<PartRow> {
    let state = core.manifest.current();
    let live = state.parts.values().map(|part| row(core, part, None));
    let removed = state.removed.iter().filter(|removed| !core.manifest.is_swept(&removed.part.key));
    live.chain(removed.map(|removed| row(core, &removed.part, Some(removed.removed_ms)))).collect()
}

fn row(core: &Core, part: &PartEntry, removed_ms: Option<u64>) -> PartRow {
    let columns = core.opened(part).map(|open| {
        let found = open.find_columns(&core.layout);
        let columns = core.layout.columns.iter().zip(&found.columns);
        let stored = columns.filter_map(|(column, found)| {
            let (FoundColumn::Stored(at) | FoundColumn::Cast(at)) = *found else { return None };
            let header = &open.header.columns[at];
            Some((column.name.clone(), header.compressed_bytes, header.uncompressed_bytes))
        });
        stored.collect()
    });
    PartRow {
        partition: part.partition.clone(),
        partition_id: part.partition_id.clone(),
        name: part.name.clone(),
        active: removed_ms.is_none(),
        marks: part.granules,
        rows: part.rows,
        has_lightweight_delete: part.deleted.is_some(),
        bytes_on_disk: part.sized_objects().map(|(_, bytes)| bytes).sum(),
        data_compressed_bytes: part.tail_offset,
        data_uncompressed_bytes: part.uncompressed_bytes,
        primary_key_bytes: part.index_bytes,
        modification_time: part.created_ms / 1000,
        remove_time: removed_ms.unwrap_or_default() / 1000,
        min_block_number: part.min_block,
        max_block_number: part.max_block,
        level: part.level,
        path: core.store.location(&part.key),
        dates: key_range(core, part, |kind| matches!(kind, SqlType::Date)),
        // As in ClickHouse: where there is a date, no time is told.
        times: match core
            .layout
            .partition_columns
            .iter()
            .any(|&place| *core.layout.columns.0[place].kind.plain() == SqlType::Date)
        {
            true => (0, 0),
            false => key_range(core, part, |kind| matches!(kind, SqlType::DateTime(_))),
        },
        data_version: u64::try_from(part.mutation.max(part.min_block)).unwrap_or_default(),
        codec: codec_text(core, part),
        ttl: core.layout.ttl.row(part),
        columns: columns.unwrap_or_default(),
        skip_indexes: skip_index_bytes(core, part),
        projections: projection_rows(core, part),
    }
}

fn codec_text(core: &Core, part: &PartEntry) -> String {
    // A part that was attached is of another level than it was written as.
    let level = core.opened(part).map_or(part.level, |open| open.header.level);
    match (part.codec.as_str(), core.settings.default_compression_codec.as_str(), level) {
        ("", "", 0) => "LZ4".to_string(),
        ("", "", _) => format!("ZSTD({ZSTD_LEVEL})"),
        ("", of_table, _) => of_table.to_string(),
        (of_part, ..) => of_part.to_string(),
    }
}

/// The range of the first column of the partition key that is of such a type; zeros where there is none.
fn key_range(core: &Core, part: &PartEntry, is_meant: impl Fn(&SqlType) -> bool) -> (u64, u64) {
    let places = core.layout.partition_columns.iter();
    let mut kinds = places.map(|&place| core.layout.columns.0[place].kind.plain());
    let range = kinds.position(is_meant).and_then(|at| part.ranges.get(at));
    range.map_or((0, 0), |(least, most)| (least.as_u64().unwrap_or_default(), most.as_u64().unwrap_or_default()))
}

fn projection_rows(core: &Core, part: &PartEntry) -> Vec<ProjectionPartRow> {
    let projections = core.layout.projections.iter();
    let row = |projection: &Arc<Projection>| {
        let data = part.projections.get(&projection.key)?;
        Some(ProjectionPartRow {
            name: projection.definition.name.clone(),
            marks: data.granules,
            rows: data.rows,
            bytes_on_disk: data.bytes,
            data_compressed_bytes: data.tail_offset,
            data_uncompressed_bytes: data.uncompressed_bytes,
            primary_key_bytes: data.index_bytes,
            path: core.store.location(&data.key),
        })
    };
    projections.filter_map(row).collect()
}

/// Compressed and uncompressed bytes of the table's skip indexes that the part has.
fn skip_index_bytes(core: &Core, part: &PartEntry) -> Vec<(String, u64, u64)> {
    let indexes = core.layout.skip_indexes.iter().map(|index| &index.definition);
    indexes
        .filter_map(|index| {
            let (compressed, uncompressed) = part.skip_indexes.get(&index.key)?;
            Some((index.name.clone(), *compressed, *uncompressed))
        })
        .collect()
}
