//! Projections in merges: the data of a projection of several parts becomes that of the part that they become, by the same
//! merge as theirs. Where that cannot be (a part lacks it, or rows go on the way), it is made of the rows that come out.

use std::sync::Arc;

use gristmill_base::{Error, Result};
use gristmill_introspect::QueryContext;

use super::build::Building;
use super::{Mode, Projection, has_any};
use crate::manifest::{PartEntry, ProjectionEntry, State};
use crate::merge::list::{self, Reason};
use crate::merge::task::{self, MergeOptions};
use crate::part::{PartPlan, WrittenPart};
use crate::table::Core;

/// What a merge makes of a projection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// The parts' data of it is merged.
    Merged,
    /// It is made of the rows that come out.
    Rebuilt,
    /// The new part has none.
    Left,
}

/// `ttl`: rows are led through the table's TTL.
fn fate(core: &Core, projection: &Projection, parts: &[Arc<PartEntry>], options: &MergeOptions, ttl: bool) -> Result<Fate> {
    if !parts.iter().any(|part| has_any(part, &projection.definition.name)) {
        return Ok(if core.settings.materialize_projections_on_merge { Fate::Rebuilt } else { Fate::Left });
    }
    let reduces = core.layout.engine.merges_rows() || options.deduplicate.is_some();
    if reduces && Mode::of_merges(&core.settings)? != Mode::Rebuild {
        return Ok(Fate::Left);
    }
    let all_have = parts.iter().all(|part| part.projections.contains_key(&projection.key));
    // Rows of several parts are elsewhere in the one that they become.
    Ok(if reduces || ttl || !all_have || projection.has_offsets { Fate::Rebuilt } else { Fate::Merged })
}

/// What the writer of a merge's rows makes of projections.
pub fn building(core: &Arc<Core>, parts: &[Arc<PartEntry>], options: &MergeOptions, ttl: bool) -> Result<Building> {
    let mut projections = Vec::new();
    for projection in &core.layout.projections {
        if fate(core, projection, parts, options, ttl)? == Fate::Rebuilt {
            projections.push(projection.clone());
        }
    }
    Ok(Building { settings: core.settings.clone(), core: Some(core.clone()), projections })
}

/// Adds to a part that was merged the projections that are merged themselves.
pub async fn add(
    core: &Arc<Core>,
    state: &Arc<State>,
    context: &Arc<QueryContext>,
    parts: &[Arc<PartEntry>],
    options: &MergeOptions,
    written: &mut WrittenPart,
    ttl: bool,
) -> Result<()> {
    for projection in &core.layout.projections {
        if fate(core, projection, parts, options, ttl)? != Fate::Merged {
            continue;
        }
        let sources: Vec<Arc<PartEntry>> =
            parts.iter().filter_map(|part| part.projected(&projection.key)).map(Arc::new).collect();
        let merged = merged(core, state, context, projection, &sources, options.lanes, options.yields).await?;
        written.projections.insert(projection.key.clone(), ProjectionEntry::of(&merged));
    }
    Ok(())
}

/// Data of a projection of several parts, as one object.
async fn merged(
    core: &Arc<Core>,
    state: &Arc<State>,
    context: &Arc<QueryContext>,
    projection: &Projection,
    sources: &[Arc<PartEntry>],
    lanes: usize,
    yields: bool,
) -> Result<WrittenPart> {
    let own = core.of_projection(projection);
    let options = MergeOptions { deduplicate: None, cleanup: false, lanes, yields };
    let listed = list::begin(&own, context, sources, Reason::Regular);
    // Boxed: this merges while a merge is under way.
    let merged = Box::pin(task::write(&own, state, context, &listed.running, (&options, None))).await?;
    let (written, _) = merged.ok_or_else(|| Error::logical("A projection of rows has none"))?;
    Ok(written)
}

/// Runs of a projection of one part, as one object.
pub async fn runs(
    core: &Arc<Core>,
    context: &Arc<QueryContext>,
    projection: &Projection,
    plan: &PartPlan,
    runs: &[ProjectionEntry],
) -> Result<WrittenPart> {
    let run = |entry: &ProjectionEntry| Arc::new(entry.as_part(&plan.partition_id, &plan.partition, plan.level));
    let sources: Vec<Arc<PartEntry>> = runs.iter().map(run).collect();
    merged(core, &core.manifest.current(), context, projection, &sources, plan.lanes, false).await
}
