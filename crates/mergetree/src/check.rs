//! CHECK TABLE: every byte of a part that matters is read from the store and compared with its checksum.
//!
//! The tail (header, sparse index, footer) is compared with the manifest's hash of it, pages with the sums that stand in
//! the tail, and data of skip indexes and of deleted rows with their own. What is in caches is left out: it says nothing of
//! the object. Parts that were written before pages had sums are checked as far as their tail goes.
//!
//! Of the whole table the versions of its manifest are checked too; a row tells of those that are damaged. One damaged copy
//! of the two hinders no query, and is told here while the other is whole.

use std::ops::Range;
use std::sync::Arc;

use futures::stream::{self, StreamExt, TryStreamExt};
use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_catalog::{CheckedPart, PartChoice};
use gristmill_introspect::QueryContext;

use crate::index::skip::chunk;
use crate::insert::partition;
use crate::manifest::PartEntry;
use crate::manifest::v1::object;
use crate::manifest::v1::record::FOLDER;
use crate::table::Core;

/// Bytes that are read at a time, and how often beside one another.
const RUN_BYTES: u64 = 8 << 20;
const RUNS_AT_ONCE: usize = 4;
/// What a Parquet file begins with. Readers that begin at its end, as ours, never look at it.
const MAGIC: &[u8] = b"PAR1";

/// Errors: NO_SUCH_DATA_PART where a part is named that is not there; what hinders reading is damage of the part.
pub async fn check(core: &Arc<Core>, context: &Arc<QueryContext>, chosen: &PartChoice) -> Result<Vec<CheckedPart>> {
    let partition = match chosen {
        PartChoice::Partition(choice) => partition::chosen_id(&core.layout, choice)?,
        PartChoice::Part(_) => None,
    };
    let is_wanted = |part: &PartEntry| match chosen {
        PartChoice::Part(name) => part.name == *name,
        PartChoice::Partition(_) => partition.as_ref().is_none_or(|id| part.partition_id == *id),
    };
    // Pinned: the objects stay while they are read.
    let state = core.pin(context).await?;
    let parts: Vec<&Arc<PartEntry>> = state.parts.values().filter(|part| is_wanted(part)).collect();
    if let (PartChoice::Part(name), []) = (chosen, &parts[..]) {
        check_part_name(name)?;
        return Err(Error::new(ErrorCode::NO_SUCH_DATA_PART, format!("No part {name} in table {}", core.name())));
    }
    let mut checked = Vec::with_capacity(parts.len());
    for part in parts {
        context.check()?;
        let damage = part_with_projections(core, context, part).await.err();
        // The query ended, not the part.
        context.check()?;
        checked.push(CheckedPart { name: part.name.clone(), damage });
    }
    if matches!(chosen, PartChoice::Partition(_)) && partition.is_none() {
        checked.extend(manifest(core, context).await?);
    }
    Ok(checked)
}

/// That a part may be called so. Error: BAD_DATA_PART_NAME.
pub fn check_part_name(name: &str) -> Result<()> {
    if is_part_name(name) {
        return Ok(());
    }
    let text = format!("Unexpected part name: {name}. One is all_1_1_0: a partition's id, two blocks and a level");
    Err(Error::new(ErrorCode::BAD_DATA_PART_NAME, text))
}

/// Whether a part may be called so: `all_1_1_0`, `202401_1_5_2_7`.
fn is_part_name(name: &str) -> bool {
    let mut words = name.split('_');
    let has_partition = words.next().is_some_and(|id| !id.is_empty());
    let numbers: Vec<&str> = words.collect();
    has_partition && (3..=4).contains(&numbers.len()) && numbers.iter().all(|number| number.parse::<u64>().is_ok())
}

/// The versions of the manifest that are damaged.
async fn manifest(core: &Arc<Core>, context: &Arc<QueryContext>) -> Result<Vec<CheckedPart>> {
    let mut damaged = Vec::new();
    for listed in core.store.list(context, FOLDER).await? {
        // One that went meanwhile was swept.
        let Some(data) = context.cancellable(core.store.read_whole(context, &listed.key)).await? else { continue };
        context.read(0, data.len() as u64);
        if let Err(damage) = object::check(&listed.key, &data) {
            damaged.push(CheckedPart { name: listed.key, damage: Some(damage) });
        }
    }
    Ok(damaged)
}

async fn part_with_projections(core: &Arc<Core>, context: &Arc<QueryContext>, part: &PartEntry) -> Result<()> {
    object(core, context, part).await?;
    for projection in &core.layout.projections {
        if let Some(data) = part.projected(&projection.key) {
            let of_projection = core.of_projection(projection);
            let name = || format!("projection {}", projection.definition.name);
            object(&of_projection, context, &data).await.context(name)?;
        }
    }
    Ok(())
}

/// One object of a part.
async fn object(core: &Arc<Core>, context: &Arc<QueryContext>, part: &PartEntry) -> Result<()> {
    let open = context.cancellable(core.read_tail(context, part)).await?;
    if read(core, context, part, 0..MAGIC.len() as u64).await? != MAGIC {
        let text = format!("object {} does not begin as a Parquet file", core.store.location(&part.key));
        return Err(Error::new(ErrorCode::CORRUPTED_DATA, text));
    }
    for index in &open.header.skip_indexes {
        for place in &index.chunks {
            let data = read(core, context, part, place.offset..place.offset + place.length).await?;
            let location = core.store.location(&part.key);
            let name = || format!("skip index {} ({}) of object {location}", index.expression, index.kind);
            chunk::checked(&data).context(name)?;
        }
    }
    let checks = open.sums.runs(RUN_BYTES).into_iter().map(|run| {
        let open = &open;
        async move {
            let data = read(core, context, part, run.clone()).await?;
            open.sums.check(&run, &data, open.metadata.metadata())
        }
    });
    let checks: Vec<_> = checks.collect();
    let checked = stream::iter(checks).buffer_unordered(RUNS_AT_ONCE).try_collect::<()>().await;
    checked.context(|| format!("object {}", core.store.location(&part.key)))
}

async fn read(core: &Core, context: &Arc<QueryContext>, part: &PartEntry, range: Range<u64>) -> Result<bytes::Bytes> {
    let length = range.end - range.start;
    let mut read = context.cancellable(core.store.read(context, &part.key, &[range])).await?;
    context.read(0, length);
    read.pop().ok_or_else(|| Error::logical("A store returned no bytes for a range"))
}
