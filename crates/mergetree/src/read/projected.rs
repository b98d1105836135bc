//! A scan by way of a normal projection: where its columns are all that the query needs of the table, and the granules
//! that its key leaves are fewer, its data is read. Of parts that lack it the rows come from the parts themselves.
//!
//! Only parts in which the table's own indexes left something are looked at: in the others no row passes. Their data is
//! the rows of the part, all of them, so it does not matter to the query which of the two is read.

use std::sync::Arc;

use datafusion::catalog::Session;
use datafusion::common::Result as DataFusionResult;
use datafusion::logical_expr::Expr;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::union::UnionExec;
use gristmill_base::{Error, ErrorCode, Result};

use super::exec::Choice;
use super::provider::MergeTreeProvider;
use super::unit::PartSelection;
use super::{PART, PARTITION_ID, virtual_columns};
use crate::manifest::{PartEntry, State};
use crate::projection::Projection;

/// A projection with what would be read of it.
struct Candidate {
    projection: Arc<Projection>,
    provider: MergeTreeProvider,
    choice: Choice,
    /// The columns that come out, in the projection.
    places: Vec<usize>,
    /// What is read of parts that lack it.
    others: Vec<PartSelection>,
}

impl Candidate {
    fn marks(&self) -> u64 {
        self.choice.marks() + self.others.iter().map(PartSelection::marks).sum::<u64>()
    }
}

/// Why a query that must read a projection reads none.
#[derive(Clone, Debug)]
pub(super) struct Rejection(String);

impl Rejection {
    pub(super) fn new(why: &str) -> Rejection {
        Rejection(why.to_string())
    }
}

impl MergeTreeProvider {
    /// The scan by way of the best projection; `None`: the table is read itself. `choice`: what would be read of it.
    /// Errors: PROJECTION_NOT_USED.
    pub(super) async fn scan_projection(
        &self,
        session: &dyn Session,
        state: &Arc<State>,
        choice: &Choice,
        conjuncts: &[Expr],
        places: &[usize],
    ) -> DataFusionResult<Option<Arc<dyn ExecutionPlan>>> {
        let settings = &self.context().settings;
        let projections = &self.core().layout.projections;
        // What counts rows alone needs nothing of either.
        let is_counted = places.is_empty() && conjuncts.is_empty();
        if projections.is_empty() || !settings.optimize_use_projections || is_counted || choice.parts.is_empty() {
            return Ok(None);
        }
        // Conditions that every row of the chosen parts fulfils need not be computed, there or here.
        let undecided = self.undecided(conjuncts, choice)?;
        let left: Vec<Expr> =
            conjuncts.iter().filter(|filter| !self.is_moved(filter) || undecided.contains(filter)).cloned().collect();
        let mut best: Option<Candidate> = None;
        let rejected = |name: &str, Rejection(why): &Rejection| format!("projection {name} is rejected because {why}");
        let mut rejections = Vec::new();
        for projection in projections {
            let name = &projection.definition.name;
            if projection.is_aggregate() {
                let why = self.rejection(name).unwrap_or_else(|| {
                    Rejection::new("it keeps states of aggregates by its keys, and the query does not aggregate the rows of this table alone")
                });
                rejections.push(rejected(name, &why));
                continue;
            }
            let candidate = match self.candidate(projection, state, choice, &left, places).await? {
                Ok(candidate) => candidate,
                Err(rejection) => {
                    rejections.push(rejected(name, &rejection));
                    continue;
                }
            };
            // One that has to be read by its name is, if its key leaves out anything; what the bounds of other columns
            // leave out in it, they mostly leave out in the table too.
            let is_named = *name == settings.force_optimize_projection_name;
            let by_key = candidate.choice.indexes.iter().filter(|used| used.kind == "PrimaryKey");
            let narrows = by_key.map(|used| used.granules).any(|(left, before)| left < before);
            let is_preferred = *name == settings.preferred_optimize_projection_name || (is_named && narrows);
            let (marks, own) = (candidate.marks(), choice.marks());
            if marks >= own && !is_preferred && !settings.force_optimize_projection {
                continue;
            }
            if is_preferred || best.as_ref().is_none_or(|best| marks < best.marks()) {
                best = Some(candidate);
            }
            if is_preferred {
                break;
            }
        }
        match best {
            Some(candidate) => self.scan_candidate(session, state, candidate, conjuncts, &left, places).map(Some),
            // Some parts are read beside a projection that the others have.
            None if settings.force_optimize_projection && !self.is_partial() => Err(Error::new(
                ErrorCode::PROJECTION_NOT_USED,
                format!(
                    "No projection is used when optimize_use_projections = 1 and force_optimize_projection = 1: {}",
                    rejections.join("; ")
                ),
            )
            .into()),
            None => Ok(None),
        }
    }

    /// What the projection would have read for the query.
    async fn candidate(
        &self,
        projection: &Arc<Projection>,
        state: &Arc<State>,
        choice: &Choice,
        filters: &[Expr],
        places: &[usize],
    ) -> Result<std::result::Result<Candidate, Rejection>> {
        let reject = |why: &str| Ok(Err(Rejection::new(why)));
        let Some(own_places) = self.places_in(projection, places) else {
            return reject("the projection does not contain all columns required by the query");
        };
        let is_there = |filter: &Expr| {
            let names = filter.column_refs();
            names.iter().all(|column| projection.layout.columns.index_of(&column.name).is_some())
        };
        if !filters.iter().filter(|filter| self.is_moved(filter)).all(is_there) {
            return reject("the projection does not contain all columns required by the query");
        }
        let (having, others): (Vec<&PartSelection>, Vec<&PartSelection>) =
            choice.parts.iter().partition(|part| part.entry.projections.contains_key(&projection.key));
        if having.is_empty() {
            return reject("no part that is read has it");
        }
        let entries: Vec<Arc<PartEntry>> =
            having.iter().filter_map(|part| part.entry.projected(&projection.key)).map(Arc::new).collect();
        let own = self.core().of_projection(projection);
        let provider = MergeTreeProvider::of_parts(own, state.clone(), self.context().clone(), entries);
        // What it cannot say anything about leaves all of it.
        let usable: Vec<Expr> = filters.iter().filter(|filter| is_there(filter)).cloned().collect();
        let (_, choice) = match provider.select(&usable, None, true).await {
            Err(error) if error.code() == ErrorCode::FILE_DOESNT_EXIST => return reject("its data is gone"),
            other => other?,
        };
        let others = others.into_iter().cloned().collect();
        Ok(Ok(Candidate { projection: projection.clone(), provider, choice, places: own_places, others }))
    }

    /// Columns of this provider in that of a projection's data.
    fn places_in(&self, projection: &Projection, places: &[usize]) -> Option<Vec<usize>> {
        let layout = &self.core().layout;
        let stored = layout.columns.len();
        let virtuals = virtual_columns(layout);
        let own_virtuals = virtual_columns(&projection.layout);
        let place = |place: &usize| match place.checked_sub(stored) {
            None => projection.place_of(*place),
            Some(at) => {
                let name = &virtuals.0.get(at)?.name;
                let is_known = [PART, PARTITION_ID].contains(&name.as_str());
                let at = own_virtuals.index_of(name).filter(|_| is_known)?;
                Some(projection.layout.columns.len() + at)
            }
        };
        places.iter().map(place).collect()
    }

    /// `left`: the conditions that some row may not fulfil.
    fn scan_candidate(
        &self,
        session: &dyn Session,
        state: &Arc<State>,
        candidate: Candidate,
        conjuncts: &[Expr],
        left: &[Expr],
        places: &[usize],
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        let Candidate { projection, provider, choice, places: own_places, others } = candidate;
        tracing::debug!("query {} reads projection {}", self.context().query_id, projection.definition.name);
        let is_moved = |filter: &&Expr| self.is_moved(filter);
        let computed: Vec<Expr> = left.iter().filter(is_moved).cloned().collect();
        let projected = provider.scan_chosen(session, state.clone(), choice, &computed, &own_places)?;
        if others.is_empty() {
            return Ok(projected);
        }
        let total_marks = others.iter().map(|part| part.entry.granules).sum();
        let rest = Choice { total_parts: others.len() as u64, total_marks, parts: others, indexes: Vec::new() };
        let rest = self.scan_chosen(session, state.clone(), rest, conjuncts, places)?;
        UnionExec::try_new(vec![projected, rest])
    }
}
