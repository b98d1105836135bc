//! An aggregate projection as one query sees it: its keys and the states of its aggregates, a row or several a group.
//!
//! Parts that have the projection give what is kept. Of parts that lack it the rows are read and aggregated into the same
//! states while the query runs, so that whoever reads this need not know of them. Conditions are over the keys: each is,
//! with what the keys are computed from in their place, a condition over the table too, which leaves out parts by what
//! the manifest knows of them.

use std::fmt;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, Result as DataFusionResult};
use datafusion::datasource::provider_as_source;
use datafusion::logical_expr::{Expr, LogicalPlanBuilder, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::union::UnionExec;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::QueryContext;

use super::exec::Choice;
use super::provider::{MergeTreeProvider, VERSIONS_MAX};
use crate::index::select::{self, Selector};
use crate::manifest::{PartEntry, State};
use crate::projection::{Contents, Projection, column_name};
use crate::table::Core;

pub struct StatesProvider {
    core: Arc<Core>,
    state: Arc<State>,
    context: Arc<QueryContext>,
    projection: Arc<Projection>,
}

impl fmt::Debug for StatesProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StatesProvider({}, {})", self.core.name(), self.projection.definition.name)
    }
}

/// What is read for a query.
struct Chosen {
    /// Of parts that have the projection.
    states: (MergeTreeProvider, Choice),
    /// Parts that lack it, as far as conditions leave them.
    lacking: Vec<Arc<PartEntry>>,
}

impl StatesProvider {
    /// What the table's provider would read, by way of the projection.
    pub fn new(table: &MergeTreeProvider, projection: Arc<Projection>) -> Self {
        let (core, state, context) = (table.core().clone(), table.state().clone(), table.context().clone());
        StatesProvider { core, state, context, projection }
    }

    fn keys(&self) -> &[gristmill_catalog::KeyExpression] {
        match &self.projection.contents {
            Contents::Aggregate { keys, .. } => keys,
            Contents::Normal => &[],
        }
    }

    /// A condition over keys as one over the table's columns.
    fn over_table(&self, filter: &Expr) -> Result<Expr> {
        let replaced = filter.clone().transform_up(|expr| {
            let Expr::Column(column) = &expr else { return Ok(Transformed::no(expr)) };
            let key = self.keys().iter().find(|key| column_name(key) == column.name);
            Ok(key.map_or(Transformed::no(expr), |key| Transformed::yes(key.logical.clone())))
        })?;
        Ok(replaced.data)
    }

    /// The scan computes conditions over keys itself.
    fn is_computed(&self, filter: &Expr) -> bool {
        let columns = filter.column_refs();
        let is_subquery = |part: &Expr| {
            matches!(part, Expr::ScalarSubquery(_) | Expr::InSubquery(_) | Expr::Exists(_) | Expr::OuterReferenceColumn(..))
        };
        !columns.is_empty()
            && columns.iter().all(|column| self.keys().iter().any(|key| column_name(key) == column.name))
            && !filter.is_volatile()
            && !filter.exists(|part| Ok(is_subquery(part))).unwrap_or(true)
    }

    async fn choose(&self, state: &Arc<State>, filters: &[Expr]) -> Result<Chosen> {
        let over_table = filters.iter().map(|filter| self.over_table(filter)).collect::<Result<Vec<_>>>()?;
        let parts = Selector::new(self.core.layout.clone(), &over_table)?.parts(state.parts.values().cloned().collect())?;
        let key = &self.projection.key;
        let (having, lacking): (Vec<_>, Vec<_>) = parts.into_iter().partition(|part| part.projections.contains_key(key));
        let entries = having.iter().filter_map(|part| part.projected(key)).map(Arc::new).collect();
        let own = self.core.of_projection(&self.projection);
        let provider = MergeTreeProvider::of_parts(own, state.clone(), self.context.clone(), entries);
        let (_, choice) = provider.select(filters, None, self.core.environment.options.shared).await?;
        Ok(Chosen { states: (provider, choice), lacking })
    }

    fn lacking(&self, state: &Arc<State>, parts: Vec<Arc<PartEntry>>) -> MergeTreeProvider {
        MergeTreeProvider::of_parts(self.core.clone(), state.clone(), self.context.clone(), parts)
    }

    /// Granules that a query with these conditions, over keys, would read: of the projection, and of parts that lack it.
    pub async fn marks(&self, filters: &[Expr]) -> Result<(u64, u64)> {
        let chosen = self.choose(&self.state, filters).await?;
        if chosen.lacking.is_empty() {
            return Ok((chosen.states.1.marks(), 0));
        }
        let over_table = filters.iter().map(|filter| self.over_table(filter)).collect::<Result<Vec<_>>>()?;
        let (_, rest) = self.lacking(&self.state, chosen.lacking).select(&over_table, None, false).await?;
        Ok((chosen.states.1.marks(), rest.marks()))
    }

    /// The rows of parts that lack the projection, aggregated.
    async fn aggregated(
        &self,
        session: &dyn Session,
        state: &Arc<State>,
        parts: Vec<Arc<PartEntry>>,
        filters: &[Expr],
        places: &[usize],
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        let Contents::Aggregate { keys, aggregates } = &self.projection.contents else {
            return Err(Error::logical("A projection that keeps no states").into());
        };
        let source = provider_as_source(Arc::new(self.lacking(state, parts)));
        let mut plan = LogicalPlanBuilder::scan("rows", source, None)?;
        for filter in filters {
            plan = plan.filter(self.over_table(filter)?)?;
        }
        let keys: Vec<Expr> = keys.iter().enumerate().map(|(at, key)| key.logical.clone().alias(name_of(at))).collect();
        let states = aggregates.iter().enumerate();
        let states = states.map(|(at, aggregate)| aggregate.logical.clone().alias(name_of(keys.len() + at)));
        let states: Vec<Expr> = states.collect();
        let schema = self.schema();
        let output = places
            .iter()
            .map(|place| Expr::Column(Column::new_unqualified(name_of(*place))).alias(schema.field(*place).name()));
        let output: Vec<Expr> = output.collect();
        // Without a key there is a row of states even of no rows; it changes nothing.
        let plan = plan.aggregate(keys, states)?.project(output)?.build()?;
        session.create_physical_plan(&plan).await
    }

    async fn scan_in(
        &self,
        session: &dyn Session,
        state: &Arc<State>,
        filters: &[Expr],
        places: &[usize],
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        let Chosen { states: (provider, choice), lacking } = self.choose(state, filters).await?;
        let is_empty = choice.parts.is_empty();
        let states = provider.scan_chosen(session, state.clone(), choice, filters, places)?;
        if lacking.is_empty() {
            return Ok(states);
        }
        let aggregated = self.aggregated(session, state, lacking, filters, places).await?;
        if is_empty { Ok(aggregated) } else { UnionExec::try_new(vec![states, aggregated]) }
    }
}

fn name_of(place: usize) -> String {
    format!("c{place}")
}

#[async_trait]
impl TableProvider for StatesProvider {
    fn schema(&self) -> SchemaRef {
        self.projection.schema().clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> DataFusionResult<Vec<TableProviderFilterPushDown>> {
        let moves = self.context.settings.optimize_move_to_prewhere;
        let support = |filter: &&Expr| match self.is_computed(filter) {
            true if moves => TableProviderFilterPushDown::Exact,
            // Still useful to choose granules by.
            true => TableProviderFilterPushDown::Inexact,
            false => TableProviderFilterPushDown::Unsupported,
        };
        Ok(filters.iter().map(support).collect())
    }

    async fn scan(
        &self,
        session: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        _limit: Option<usize>,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        let all: Vec<usize> = (0..self.schema().fields().len()).collect();
        let places = projection.unwrap_or(&all);
        let conjuncts: Vec<Expr> = select::conjuncts(filters).iter().map(select::unqualified).collect::<Result<_>>()?;
        // As for the table itself: a version that another process has swept meanwhile is left for the newest, whole.
        let mut state = self.state.clone();
        for _ in 0..VERSIONS_MAX {
            match self.scan_in(session, &state, &conjuncts, places).await.map_err(Error::from) {
                Err(error) if error.code() == ErrorCode::FILE_DOESNT_EXIST => {
                    let newer = self.core.pin(&self.context).await?;
                    if newer.version == state.version {
                        return Err(error.into());
                    }
                    state = newer;
                }
                other => return Ok(other?),
            }
        }
        Err(Error::new(
            ErrorCode::FILE_DOESNT_EXIST,
            format!("Parts of {} go faster than they can be read: raise old_parts_lifetime", self.core.name()),
        )
        .into())
    }
}
