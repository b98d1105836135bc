//! A table with FINAL as one query sees it.
//!
//! Some conditions are asked of rows before they are merged: those on columns of the sorting key, which hold of all rows of a
//! key or of none; those of PREWHERE, by what PREWHERE means; and those on `_part` and `_partition_id`, as what is not chosen
//! is not there. By them parts and granules are chosen as without FINAL.
//!
//! The other conditions are asked of what is shown. They may still leave out granules, where a shown row is one of the rows
//! that were there (Replacing, Collapsing; not Summing): a row that fulfils them lies in a granule that they leave, and so the
//! granules are read in which there may be rows of keys of such a granule (`final_ranges`).
//!
//! Rows of one key may lie in several partitions; where they cannot (the partition key is computed from columns of the
//! sorting key), or where the query says that they do not matter (`do_not_merge_across_partitions_select_final`), each
//! partition is merged by itself, and a partition in which no row can pass the other conditions is not read.

use std::collections::HashSet;
use std::sync::Arc;

use arrow::datatypes::{Schema, SchemaRef};
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::{DFSchema, Result as DataFusionResult, Statistics};
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;
use gristmill_base::{Error, Result};
use gristmill_catalog::{KeyExpression, ReadInOneStream};
use gristmill_functions::prewhere;
use gristmill_introspect::QueryContext;

use super::exec::{Choice, MergeTreeScan};
use super::filter::ScanFilter;
use super::final_ranges;
use super::final_scan::{FinalRows, FinalScan};
use super::layers::{Layer, layers};
use super::output::Output;
use super::provider::MergeTreeProvider;
use super::unit::PartSelection;
use super::{PART, PARTITION_ID};
use crate::index::select::{self, Selector};
use crate::manifest::State;
use crate::merge::rules::{self, Shape};
use crate::table::Core;

#[derive(Debug)]
pub struct FinalProvider {
    inner: MergeTreeProvider,
    /// Names of columns that stand in the sorting key as they are: all rows of a key have the same value.
    key_columns: HashSet<String>,
    /// Rows of one key may lie in several partitions, and are merged.
    crosses_partitions: bool,
}

impl FinalProvider {
    pub fn new(core: Arc<Core>, state: Arc<State>, context: Arc<QueryContext>) -> Result<Self> {
        let layout = &core.layout;
        let key_columns: HashSet<String> =
            layout.sorting.iter().filter_map(KeyExpression::column).map(str::to_string).collect();
        let follows_key = layout.partition_columns.iter().all(|at| key_columns.contains(&layout.columns.0[*at].name));
        let crosses_partitions = !follows_key && !context.settings.do_not_merge_across_partitions_select_final;
        // All conditions together say which indexes are asked: `narrowed` does.
        let inner = MergeTreeProvider::new(core, state, context).without_skip_indexes().without_memory();
        Ok(FinalProvider { key_columns, crosses_partitions, inner })
    }

    /// Whether the scan computes the condition, and may before rows are merged.
    fn is_of_key(&self, filter: &Expr) -> bool {
        let columns = filter.column_refs();
        self.inner.is_computed(filter) && columns.iter().all(|column| self.key_columns.contains(&column.name))
    }

    /// Whether the condition is one of PREWHERE that the scan computes.
    fn is_early(&self, filter: &Expr) -> bool {
        prewhere::marked(filter).is_some_and(|condition| self.inner.is_computed(condition))
    }

    /// Whether the condition is about parts as such.
    fn is_of_parts(filter: &Expr) -> bool {
        let columns = filter.column_refs();
        !columns.is_empty() && columns.iter().all(|column| matches!(column.name.as_str(), PART | PARTITION_ID))
    }

    /// Leaves out granules by skip indexes, and by the `late` conditions, which are on what is shown.
    async fn narrowed(&self, state: &State, choice: Choice, early: Vec<Expr>, late: Vec<Expr>) -> Result<Choice> {
        let (layout, settings) = (&self.inner.core().layout, &self.inner.context().settings);
        if !settings.use_skip_indexes_if_final {
            return Ok(choice);
        }
        let Choice { parts, total_parts, total_marks, mut indexes } = choice;
        let shows_rows = layout.engine.chooses_rows() && layout.primary_key_length > 0;
        let late = if shows_rows { late } else { Vec::new() };
        let is_late = !late.is_empty();
        let (left, uses) = self.inner.narrowed(state, &parts, &[early, late].concat()).await?;
        let is_inexact = !settings.use_skip_indexes_if_final_exact_mode && !uses.is_empty();
        indexes.extend(uses);
        let parts = if is_late && !is_inexact { final_ranges::expanded(layout, &parts, &left)? } else { left };
        Ok(Choice { parts, total_parts, total_marks, indexes })
    }

    /// Layers of each set of parts whose rows are merged with one another.
    fn layers(&self, parts: &[PartSelection], threads: usize) -> Result<Vec<Layer>> {
        let layout = &self.inner.core().layout;
        if parts.is_empty() {
            return Ok(Vec::new());
        }
        if self.crosses_partitions {
            return layers(layout, parts, threads);
        }
        let marks: u64 = parts.iter().map(PartSelection::marks).sum();
        let mut all = Vec::new();
        for partition in parts.chunk_by(|a, b| a.entry.partition_id == b.entry.partition_id) {
            let share: u64 = partition.iter().map(PartSelection::marks).sum();
            let wanted = (threads as u64 * share).div_ceil(marks.max(1)) as usize;
            all.extend(layers(layout, partition, wanted)?);
        }
        Ok(all)
    }
}

#[async_trait]
impl TableProvider for FinalProvider {
    fn schema(&self) -> SchemaRef {
        self.inner.schema()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    /// Of the rows before they are merged.
    fn statistics(&self) -> Option<Statistics> {
        self.inner.statistics()
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> DataFusionResult<Vec<TableProviderFilterPushDown>> {
        let support = |filter: &&Expr| match self.is_of_key(filter) || self.is_early(filter) {
            true => TableProviderFilterPushDown::Exact,
            // Still useful to choose partitions by.
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
        let (core, context) = (self.inner.core(), self.inner.context());
        let layout = &core.layout;
        let (early, late): (Vec<Expr>, Vec<Expr>) = filters.iter().cloned().partition(|filter| self.is_early(filter));
        let (early, conjuncts) = (select::conjuncts(&early), select::conjuncts(&late));
        // What the scan computes before rows are merged, and by what else parts are chosen.
        let (of_key, others): (Vec<Expr>, Vec<Expr>) = conjuncts.iter().cloned().partition(|filter| self.is_of_key(filter));
        let computed: Vec<Expr> = early.iter().chain(&of_key).cloned().collect();
        let (of_parts, others): (Vec<Expr>, Vec<Expr>) = others.into_iter().partition(Self::is_of_parts);
        let partitions = if self.crosses_partitions { None } else { Some(Selector::new(layout.clone(), &conjuncts)?) };
        let choosing: Vec<Expr> = computed.iter().chain(&of_parts).cloned().collect();
        let (state, choice) = self.inner.select(&choosing, partitions.as_ref(), true).await?;
        let choice = self.narrowed(&state, choice, choosing, others).await?;
        self.inner.announce(&choice);
        let stored_schema = DFSchema::try_from(layout.schema.as_ref().clone())?;
        let mut scan_filters = Vec::new();
        for filter in &computed {
            let expression = session.create_physical_expr(select::unqualified(filter)?, &stored_schema)?;
            scan_filters.push(ScanFilter::new(&expression, &layout.columns)?);
        }
        let schema = self.schema();
        let all: Vec<usize> = (0..schema.fields().len()).collect();
        let places = projection.unwrap_or(&all);
        let columns = layout.columns.len();
        let wanted: Vec<usize> = places.iter().copied().filter(|place| *place < columns).collect();
        let stored = rules::carried(layout, &wanted);
        let mut virtual_places: Vec<usize> = places.iter().copied().filter(|place| *place >= columns).collect();
        virtual_places.dedup();
        let carried: Vec<usize> = stored.iter().copied().chain(virtual_places).collect();
        let carried_schema =
            Arc::new(Schema::new(carried.iter().map(|place| schema.field(*place).clone()).collect::<Vec<_>>()));
        let projection = places
            .iter()
            .map(|place| carried.iter().position(|known| known == place))
            .collect::<Option<Vec<usize>>>()
            .ok_or_else(|| Error::logical("A column that is wanted is not read"))?;
        let outputs = carried.iter().map(|&place| Output::of(place, layout)).collect::<Result<Vec<_>>>()?;
        let threads = match context.settings.max_final_threads {
            _ if session.config().get_extension::<ReadInOneStream>().is_some() => 1,
            0 => context.threads(),
            most => context.threads().min(most as usize),
        };
        let layers = self.layers(&choice.parts, threads)?;
        let rows = FinalRows {
            core: core.clone(),
            state: state.clone(),
            filters: scan_filters.clone(),
            carried: outputs.clone(),
            shape: Shape::of(layout, carried_schema.clone(), &stored)?,
            projection,
        };
        let scan = MergeTreeScan::new(
            core.clone(),
            state,
            choice,
            scan_filters,
            (outputs, carried_schema),
            threads,
            context.settings.clone(),
        );
        Ok(Arc::new(FinalScan::new(rows, layers, scan, Arc::new(schema.project(places)?), threads)))
    }
}
