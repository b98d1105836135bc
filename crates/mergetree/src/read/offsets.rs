//! Projections with `_part_offset` as indexes: of the rows that the projection's key leaves it is read where in the part they
//! are, and granules of the part are left out in which none of them lies.
//!
//! That is done before the scan begins. Its conditions are computed there again, so what the projection says may be too much,
//! and parts that lack it are read as they are.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::array::AsArray;
use arrow::datatypes::UInt64Type;
use datafusion::catalog::Session;
use datafusion::common::Result as DataFusionResult;
use datafusion::logical_expr::Expr;
use datafusion::physical_plan::ExecutionPlanProperties;
use futures::stream::{TryStreamExt, select_all};
use gristmill_base::{Error, ErrorCode, Result};

use super::exec::Choice;
use super::provider::MergeTreeProvider;
use super::unit::PartSelection;
use crate::index::runs;
use crate::index::select::IndexUse;
use crate::manifest::State;
use crate::part::OpenPart;
use crate::projection::{PARENT_PART_OFFSET, Projection};

/// A projection is asked where it leaves at most one of so many rows.
const ROWS_A_ROW_LEFT: u64 = 4;

/// What is asked of the projection of one part.
struct Asked {
    /// The part's place in the choice.
    at: usize,
    provider: MergeTreeProvider,
    choice: Choice,
}

impl MergeTreeProvider {
    /// What is left of the choice by projections that are indexes.
    pub(super) async fn narrowed_by_offsets(
        &self,
        session: &dyn Session,
        state: &Arc<State>,
        mut choice: Choice,
        conjuncts: &[Expr],
    ) -> DataFusionResult<Choice> {
        let settings = &self.context().settings;
        let asks = settings.optimize_use_projections && settings.optimize_use_projection_filtering;
        // Deleted rows, where they are shown, are none of a projection's.
        if !asks || !settings.apply_deleted_mask || conjuncts.is_empty() || self.is_partial() {
            return Ok(choice);
        }
        for projection in self.core().layout.projections.iter().filter(|projection| projection.has_offsets) {
            let rows: u64 = choice.parts.iter().map(|part| part.rows).sum();
            if rows < settings.min_table_rows_to_use_projection_index {
                break;
            }
            let columns = &projection.layout.columns;
            let is_there = |filter: &&Expr| {
                let names = filter.column_refs();
                self.is_computed(filter) && names.iter().all(|column| columns.index_of(&column.name).is_some())
            };
            let filters: Vec<Expr> = conjuncts.iter().filter(is_there).cloned().collect();
            if filters.is_empty() {
                continue;
            }
            let asked = self.asked(projection, state, &choice, &filters).await?;
            if asked.is_empty() {
                continue;
            }
            let before = choice.counts();
            let mut parts: Vec<Option<PartSelection>> = choice.parts.into_iter().map(Some).collect();
            for Asked { at, provider, choice } in asked {
                let Some(part) = parts.get_mut(at).and_then(Option::take) else { continue };
                let open = match &part.open {
                    Some(open) => open.clone(),
                    None => self.core().open_part(self.context(), &part.entry).await?,
                };
                let found = granules(session, state, &provider, choice, &filters, &open).await?;
                let left = runs::intersection(&part.granules, &runs::of(found));
                if !left.is_empty() {
                    parts[at] = Some(PartSelection { open: Some(open), ..part }.only(left));
                }
            }
            choice.parts = parts.into_iter().flatten().collect();
            let after = choice.counts();
            choice.indexes.push(IndexUse {
                kind: "Projection",
                index: Some((projection.definition.name.clone(), projection.definition.query())),
                keys: Vec::new(),
                condition: None,
                parts: (after.0, before.0),
                granules: (after.1, before.1),
            });
        }
        Ok(choice)
    }

    /// What is read of the projections of parts; nothing where that is too much, or they leave too much.
    async fn asked(
        &self,
        projection: &Arc<Projection>,
        state: &Arc<State>,
        choice: &Choice,
        filters: &[Expr],
    ) -> Result<Vec<Asked>> {
        let own = self.core().of_projection(projection);
        let (mut asked, mut rows, mut of_parts) = (Vec::new(), 0_u64, 0_u64);
        for (at, part) in choice.parts.iter().enumerate() {
            // Where rows are deleted the projection counts those that are left.
            let entry = part.entry.projected(&projection.key).filter(|_| part.entry.deleted.is_none());
            let Some(entry) = entry else { continue };
            let entries = vec![Arc::new(entry)];
            let provider = MergeTreeProvider::of_parts(own.clone(), state.clone(), self.context().clone(), entries);
            match provider.select_as(filters, None, true, false).await {
                Ok((_, choice)) => {
                    rows += choice.parts.iter().map(|part| part.rows).sum::<u64>();
                    of_parts += part.rows;
                    asked.push(Asked { at, provider, choice });
                }
                // Its data is gone.
                Err(error) if error.code() == ErrorCode::FILE_DOESNT_EXIST => {}
                Err(error) => return Err(error),
            }
        }
        let most = self.context().settings.max_projection_rows_to_use_projection_index;
        let is_worth_it = rows <= most && rows.saturating_mul(ROWS_A_ROW_LEFT) <= of_parts;
        Ok(if is_worth_it { asked } else { Vec::new() })
    }
}

/// The granules of the part in which rows lie that fulfil the conditions.
async fn granules(
    session: &dyn Session,
    state: &Arc<State>,
    provider: &MergeTreeProvider,
    choice: Choice,
    filters: &[Expr],
    open: &OpenPart,
) -> DataFusionResult<BTreeSet<usize>> {
    let mut found = BTreeSet::new();
    if choice.parts.is_empty() {
        return Ok(found);
    }
    let place = provider.core().layout.columns.index_of(PARENT_PART_OFFSET);
    let place = place.ok_or_else(|| Error::logical("A projection without places of rows"))?;
    let plan = provider.scan_chosen(session, state.clone(), choice, filters, &[place])?;
    let streams = (0..plan.output_partitioning().partition_count()).map(|number| plan.execute(number, session.task_ctx()));
    let mut batches = select_all(streams.collect::<DataFusionResult<Vec<_>>>()?);
    while let Some(batch) = batches.try_next().await? {
        let offsets = batch.column(0).as_primitive_opt::<UInt64Type>();
        let offsets = offsets.ok_or_else(|| Error::logical("Places of rows are no UInt64"))?;
        found.extend(offsets.values().iter().map(|offset| open.granule_of(*offset)));
    }
    Ok(found)
}
