//! A table as one query sees it: a pinned version as a DataFusion `TableProvider`.

use std::sync::Arc;

use arrow::datatypes::{Schema, SchemaRef};
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::tree_node::TreeNode;
use datafusion::common::{DFSchema, Result as DataFusionResult};
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;
use futures::stream::{StreamExt, TryStreamExt};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::{Event, QueryContext};

use super::exec::MergeTreeScan;
use super::filter::ScanFilter;
use super::stream::Output;
use super::unit::PartSelection;
use super::virtual_columns;
use crate::index::select::{self, Selector};
use crate::manifest::State;
use crate::table::Core;

/// Parts whose tails are read at the same time while a query is planned.
const PARTS_OPENED_AT_ONCE: usize = 32;

pub struct MergeTreeProvider {
    core: Arc<Core>,
    state: Arc<State>,
    context: Arc<QueryContext>,
    schema: SchemaRef,
}

impl std::fmt::Debug for MergeTreeProvider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MergeTreeProvider({}, version {})", self.core.name(), self.state.version)
    }
}

impl MergeTreeProvider {
    pub fn new(core: Arc<Core>, state: Arc<State>, context: Arc<QueryContext>) -> Self {
        let stored = core.layout.schema.fields().iter().cloned();
        let virtual_schema = virtual_columns().arrow();
        let schema = Arc::new(Schema::new(stored.chain(virtual_schema.fields().iter().cloned()).collect::<Vec<_>>()));
        MergeTreeProvider { core, state, context, schema }
    }

    /// The scan computes conditions over stored columns itself; what it cannot, a filter above it does.
    fn is_computed(&self, filter: &Expr) -> bool {
        let is_subquery = |part: &Expr| {
            matches!(part, Expr::ScalarSubquery(_) | Expr::InSubquery(_) | Expr::Exists(_) | Expr::OuterReferenceColumn(..))
        };
        let columns = filter.column_refs();
        !columns.is_empty()
            && columns.iter().all(|column| self.core.layout.columns.index_of(&column.name).is_some())
            && !filter.is_volatile()
            && !filter.exists(|part| Ok(is_subquery(part))).unwrap_or(true)
    }

    async fn select(&self, filters: &[Expr]) -> Result<(Vec<PartSelection>, u64)> {
        let total_marks = self.state.parts.values().map(|part| part.granules).sum();
        let selector = Selector::new(self.core.layout.clone(), filters)?;
        let parts: Vec<_> = selector.parts(self.state.parts.values())?;
        let chosen: Vec<PartSelection> = futures::stream::iter(parts)
            .map(|entry| async {
                let open = self.context.cancellable(self.core.open_part(&self.context, &entry)).await?;
                let granules = selector.granules(&open)?;
                Ok::<_, Error>(PartSelection { entry, open, granules })
            })
            .buffered(PARTS_OPENED_AT_ONCE)
            .try_filter(|part| futures::future::ready(!part.granules.is_empty()))
            .try_collect()
            .await?;
        let counters = &self.context.counters;
        counters.add(Event::SelectedPartsTotal, self.state.parts.len() as u64);
        counters.add(Event::SelectedMarksTotal, total_marks);
        counters.add(Event::SelectedParts, chosen.len() as u64);
        counters.add(Event::SelectedMarks, chosen.iter().map(PartSelection::marks).sum());
        counters.add(Event::SelectedRanges, chosen.iter().map(|part| part.granules.len() as u64).sum());
        Ok((chosen, total_marks))
    }
}

#[async_trait]
impl TableProvider for MergeTreeProvider {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> DataFusionResult<Vec<TableProviderFilterPushDown>> {
        let support = |filter: &&Expr| match self.is_computed(filter) {
            true => TableProviderFilterPushDown::Exact,
            // Still useful to choose parts by.
            false => TableProviderFilterPushDown::Inexact,
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
        let conjuncts = select::conjuncts(filters);
        let (parts, total_marks) = self.select(&conjuncts).await?;
        let rows: u64 = parts.iter().map(PartSelection::rows).sum();
        let limit = self.context.settings.max_rows_to_read;
        if limit > 0 && rows > limit {
            return Err(Error::new(
                ErrorCode::TOO_MANY_ROWS,
                format!("Limit for rows to read exceeded, max rows: {limit}, current rows: {rows}"),
            )
            .into());
        }
        let progress = &self.context.progress.total_rows_to_read;
        progress.fetch_add(rows, std::sync::atomic::Ordering::Relaxed);
        let stored = DFSchema::try_from(self.core.layout.schema.as_ref().clone())?;
        let mut scan_filters = Vec::new();
        for filter in conjuncts.iter().filter(|filter| self.is_computed(filter)) {
            let expression = session.create_physical_expr(select::unqualified(filter)?, &stored)?;
            scan_filters.push(ScanFilter::new(&expression, &self.core.layout.columns)?);
        }
        let all: Vec<usize> = (0..self.schema.fields().len()).collect();
        let places = projection.unwrap_or(&all);
        let outputs =
            places.iter().map(|&place| Output::of(place, self.core.layout.columns.len())).collect::<Result<Vec<_>>>()?;
        let schema = Arc::new(self.schema.project(places)?);
        Ok(Arc::new(MergeTreeScan::new(
            self.core.clone(),
            self.state.clone(),
            Arc::new(parts),
            scan_filters,
            outputs,
            schema,
            self.context.threads(),
            total_marks,
        )))
    }
}
