//! A table as one query sees it: a pinned version as a DataFusion `TableProvider`.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use arrow::datatypes::{Schema, SchemaRef};
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::TreeNode;
use datafusion::common::{DFSchema, Result as DataFusionResult, ScalarValue, Statistics};
use datafusion::logical_expr::{BinaryExpr, Expr, Operator, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;
use futures::stream::{StreamExt, TryStreamExt};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::ReadInOneStream;
use gristmill_introspect::{Event, QueryContext};
use parking_lot::Mutex;

use super::condition_cache::ConditionIds;
use super::exec::{BOUNDED_COLUMNS_MAX, Choice, FixedColumns, MergeTreeScan};
use super::filter::ScanFilter;
use super::granule_cache::part_id;
use super::output::Output;
use super::projected::Rejection;
use super::steps::{self, Spans};
use super::stream::{PARTS_OPENED_AT_ONCE, Remember};
use super::unit::PartSelection;
use super::virtual_columns;
use crate::index::exact;
use crate::index::runs;
use crate::index::select::{self, IndexUse, Selector};
use crate::index::skip::SkipSelector;
use crate::layout::referenced_columns;
use crate::manifest::{PartEntry, State};
use crate::table::Core;

/// Newer versions that a query turns to at most, when parts of the one it began with are gone.
pub(super) const VERSIONS_MAX: usize = 8;

pub struct MergeTreeProvider {
    core: Arc<Core>,
    state: Arc<State>,
    context: Arc<QueryContext>,
    schema: SchemaRef,
    uses_skip_indexes: bool,
    /// The only parts that there are, of the version and no other.
    only: Option<Arc<[Arc<PartEntry>]>>,
    remembers: bool,
    /// Why aggregate projections cannot answer, by their names, as far as they were asked.
    rejections: Mutex<Vec<(String, Rejection)>>,
}

impl std::fmt::Debug for MergeTreeProvider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MergeTreeProvider({}, version {})", self.core.name(), self.state.version)
    }
}

impl MergeTreeProvider {
    pub fn new(core: Arc<Core>, state: Arc<State>, context: Arc<QueryContext>) -> Self {
        let stored = core.layout.schema.fields().iter().cloned();
        let virtual_schema = virtual_columns(&core.layout).arrow();
        let schema = Arc::new(Schema::new(stored.chain(virtual_schema.fields().iter().cloned()).collect::<Vec<_>>()));
        let settings = &context.settings;
        // What is remembered of granules is so without their deleted rows.
        let remembers =
            settings.use_query_condition_cache && settings.apply_deleted_mask && !core.environment.conditions.is_off();
        MergeTreeProvider {
            core,
            state,
            context,
            schema,
            uses_skip_indexes: true,
            only: None,
            remembers,
            rejections: Mutex::default(),
        }
    }

    pub fn without_skip_indexes(self) -> Self {
        MergeTreeProvider { uses_skip_indexes: false, ..self }
    }

    /// Asks nothing of the cache of conditions, and tells it nothing.
    pub fn without_memory(self) -> Self {
        MergeTreeProvider { remembers: false, ..self }
    }

    /// Some parts of a version: of the table, or of the data of a projection.
    pub fn of_parts(core: Arc<Core>, state: Arc<State>, context: Arc<QueryContext>, parts: Vec<Arc<PartEntry>>) -> Self {
        let uses_skip_indexes = core.layout.of_projection.is_none();
        MergeTreeProvider { uses_skip_indexes, only: Some(parts.into()), ..Self::new(core, state, context) }.without_memory()
    }

    /// For whoever scans the table itself after all, and must not.
    pub(super) fn note_rejections(&self, rejections: Vec<(String, Rejection)>) {
        *self.rejections.lock() = rejections;
    }

    pub(super) fn rejection(&self, projection: &str) -> Option<Rejection> {
        let rejections = self.rejections.lock();
        rejections.iter().find(|(name, _)| name == projection).map(|(_, rejection)| rejection.clone())
    }

    pub fn core(&self) -> &Arc<Core> {
        &self.core
    }

    /// Whether it is some parts of the table only.
    pub fn is_partial(&self) -> bool {
        self.only.is_some()
    }

    pub fn state(&self) -> &Arc<State> {
        &self.state
    }

    pub fn context(&self) -> &Arc<QueryContext> {
        &self.context
    }

    /// The scan computes conditions over stored columns itself; what it cannot, a filter above it does.
    pub fn is_computed(&self, filter: &Expr) -> bool {
        let is_subquery = |part: &Expr| {
            matches!(part, Expr::ScalarSubquery(_) | Expr::InSubquery(_) | Expr::Exists(_) | Expr::OuterReferenceColumn(..))
        };
        let columns = filter.column_refs();
        !columns.is_empty()
            && columns.iter().all(|column| self.core.layout.columns.index_of(&column.name).is_some())
            && !filter.is_volatile()
            && !filter.exists(|part| Ok(is_subquery(part))).unwrap_or(true)
    }

    /// Whether the scan itself computes the condition, before it decodes what else is read.
    pub(super) fn is_moved(&self, filter: &Expr) -> bool {
        self.context.settings.optimize_move_to_prewhere && self.is_computed(filter)
    }

    /// Whether the bounds of all the columns may follow from the parts' footers: then `min` and `max` of them do.
    fn may_know_bounds(&self, places: &[usize]) -> bool {
        let stored = &self.core.layout.columns.0;
        self.context.settings.optimize_use_implicit_projections
            && (1..=BOUNDED_COLUMNS_MAX).contains(&places.len())
            && places.iter().all(|place| stored.get(*place).is_some_and(|column| exact::is_supported(&column.kind)))
    }

    /// Whether rows may be wanted in the order of the sorting key: then parts are cut by their indexes.
    fn may_be_in_order(&self, places: &[usize]) -> bool {
        let layout = &self.core.layout;
        let first = layout.primary().first().map(referenced_columns).unwrap_or_default();
        self.context.settings.optimize_read_in_order
            && !first.is_empty()
            && first.iter().all(|name| layout.columns.index_of(name).is_some_and(|place| places.contains(&place)))
    }

    /// Columns of which the conditions that no row fails say what they equal.
    fn fixed(&self, conjuncts: &[Expr]) -> FixedColumns {
        let columns = &self.core.layout.columns;
        let of = |filter: &Expr| {
            let Expr::BinaryExpr(BinaryExpr { left, op: Operator::Eq, right }) = filter else { return None };
            let ((Expr::Column(column), Expr::Literal(value, _)) | (Expr::Literal(value, _), Expr::Column(column))) =
                (left.as_ref(), right.as_ref())
            else {
                return None;
            };
            let kind = &columns.get(&column.name)?.kind;
            // Floats that are equal may differ.
            let is_value = !kind.is_float() && !value.is_null() && value.data_type() == kind.arrow();
            is_value.then(|| (column.name.clone(), value.clone()))
        };
        conjuncts.iter().filter(|filter| self.is_moved(filter)).filter_map(of).collect()
    }

    /// Of the conditions that the scan computes, those that some row of the parts may fail.
    pub(super) fn undecided<'a>(&self, conjuncts: &'a [Expr], choice: &Choice) -> Result<Vec<&'a Expr>> {
        let entries: Vec<Arc<PartEntry>> = choice.parts.iter().map(|part| part.entry.clone()).collect();
        let moved: Vec<&Expr> = conjuncts.iter().filter(|filter| self.is_moved(filter)).collect();
        let filters: Vec<Expr> = moved.iter().copied().cloned().collect();
        let fulfilled = select::fulfilled(&self.core.layout, &filters, &entries)?;
        Ok(moved.into_iter().zip(fulfilled).filter(|(_, fulfilled)| !fulfilled).map(|(filter, _)| filter).collect())
    }

    /// By what the conditions that the scan computes are known to the cache of conditions.
    fn condition_ids(&self, conjuncts: &[Expr]) -> Option<ConditionIds> {
        let moved: Vec<Expr> = conjuncts.iter().filter(|filter| self.is_moved(filter)).cloned().collect();
        if self.remembers { ConditionIds::of(&moved, &self.core.layout) } else { None }
    }

    /// Leaves out granules in which other queries saw that no row fulfils the conditions, or one of them.
    fn remembered(&self, ids: &ConditionIds, parts: Vec<PartSelection>) -> Vec<PartSelection> {
        let cache = &self.core.environment.conditions;
        let (mut hits, mut misses) = (0, 0);
        let mut narrow = |part: PartSelection| {
            let object = part_id(&self.core.store.location(&part.entry.key));
            let mut granules = part.granules.clone();
            let mut is_known = false;
            let each = ids.each.iter().filter(|id| **id != ids.whole);
            for id in std::iter::once(&ids.whole).chain(each) {
                if let Some(left) = cache.narrow(object, *id, &granules) {
                    (granules, is_known) = (left, true);
                }
            }
            *(if is_known { &mut hits } else { &mut misses }) += 1;
            if granules == part.granules { part } else { part.only(granules) }
        };
        let left = parts.into_iter().map(&mut narrow).filter(|part| !part.granules.is_empty()).collect();
        self.context.counters.add(Event::QueryConditionCacheHits, hits);
        self.context.counters.add(Event::QueryConditionCacheMisses, misses);
        left
    }

    /// Of chosen parts, which are open, the granules in which a row may fulfil further conditions; and what each index did.
    pub async fn narrowed(
        &self,
        state: &State,
        parts: &[PartSelection],
        filters: &[Expr],
    ) -> Result<(Vec<PartSelection>, Vec<IndexUse>)> {
        let selector = Selector::new(self.core.layout.clone(), filters)?;
        let skip = selector.skip_indexes(&self.core, state, &self.context)?;
        skip.check_forced(state, &self.context)?;
        let add = |sum: &mut (u64, u64), marks: u64| *sum = (sum.0 + u64::from(marks > 0), sum.1 + marks);
        let (mut before, mut after, mut narrowed) = ((0, 0), vec![(0, 0); skip.steps()], Vec::new());
        for part in parts {
            let Some(open) = &part.open else { return Err(Error::logical("A part that is not open is narrowed")) };
            let chosen = runs::intersection(&part.granules, &selector.granules(open).granules);
            add(&mut before, runs::count(&chosen));
            let (marks, left) = skip.narrow(&self.core, &self.context, &part.entry, open, chosen).await?;
            after.iter_mut().zip(marks).for_each(|(sum, marks)| add(sum, marks));
            if !left.is_empty() {
                narrowed.push(part.only(left));
            }
        }
        Ok((narrowed, select::skip_uses(&skip, before, &after)))
    }

    /// Bounds of columns, as far as they are known before anything is read.
    fn spans(&self, filters: &[ScanFilter], choice: &Choice) -> Spans {
        let open: Option<Vec<_>> = choice.parts.iter().map(|part| part.open.as_ref()).collect();
        let Some(open) = open.filter(|open| !open.is_empty()) else { return Spans::new() };
        let layout = &self.core.layout;
        let span = |place: usize| {
            let (least, greatest) = exact::bounds(&open, layout, place)?;
            Some((layout.columns.0[place].name.clone(), (steps::number(&least)?, steps::number(&greatest)?)))
        };
        filters.iter().flat_map(|filter| &filter.columns).filter_map(|&place| span(place)).collect()
    }

    /// Chooses what to read. A version that another process has swept meanwhile is left for the newest (M-4: the sweeper
    /// of another process knows nothing of readers here).
    /// `partitions`: conditions by which whole partitions are left out; `opens`: all parts are opened.
    pub async fn select(
        &self,
        filters: &[Expr],
        partitions: Option<&Selector>,
        opens: bool,
    ) -> Result<(Arc<State>, Choice)> {
        self.select_as(filters, partitions, opens, true).await
    }

    /// `is_forced`: settings that demand conditions on keys are about it.
    pub(super) async fn select_as(
        &self,
        filters: &[Expr],
        partitions: Option<&Selector>,
        opens: bool,
        is_forced: bool,
    ) -> Result<(Arc<State>, Choice)> {
        let selector = Selector::new(self.core.layout.clone(), filters)?;
        if is_forced {
            selector.check_forced(&self.context.settings)?;
        }
        // The optimizer made a constant of a condition over columns, which nobody computes any more.
        if filters.iter().any(|filter| matches!(filter, Expr::Literal(value, _) if *value != ScalarValue::from(true))) {
            return Ok((
                self.state.clone(),
                Choice { parts: Vec::new(), total_parts: 0, total_marks: 0, indexes: Vec::new() },
            ));
        }
        let ids = self.condition_ids(filters);
        let opens = opens || selector.needs_parts_open();
        let mut state = self.state.clone();
        for _ in 0..VERSIONS_MAX {
            match self.select_in(&selector, ids.as_ref(), partitions, &state, opens).await {
                Err(error) if error.code() == ErrorCode::FILE_DOESNT_EXIST && self.only.is_none() => {
                    let newer = self.core.pin(&self.context).await?;
                    if newer.version == state.version {
                        return Err(error);
                    }
                    state = newer;
                }
                other => return Ok((state, other?)),
            }
        }
        Err(Error::new(
            ErrorCode::FILE_DOESNT_EXIST,
            format!("Parts of {} go faster than they can be read: raise old_parts_lifetime", self.core.name()),
        ))
    }

    /// The part as the query sees it: with its deleted rows, where it asks for them.
    fn shown(&self, part: &Arc<PartEntry>) -> Arc<PartEntry> {
        if part.deleted.is_none() || self.context.settings.apply_deleted_mask {
            return part.clone();
        }
        Arc::new(PartEntry { rows: part.stored_rows(), deleted: None, ..part.as_ref().clone() })
    }

    /// Tells the query's progress and counters what is going to be read.
    pub fn announce(&self, choice: &Choice) {
        let rows: u64 = choice.parts.iter().map(|part| part.rows).sum();
        let progress = &self.context.progress.total_rows_to_read;
        progress.fetch_add(rows, std::sync::atomic::Ordering::Relaxed);
        let counters = &self.context.counters;
        counters.add(Event::SelectedPartsTotal, choice.total_parts);
        counters.add(Event::SelectedMarksTotal, choice.total_marks);
        counters.add(Event::SelectedParts, choice.parts.len() as u64);
        counters.add(Event::SelectedMarks, choice.marks());
        counters.add(Event::SelectedRanges, choice.parts.iter().map(|part| part.granules.len() as u64).sum());
    }

    async fn select_in(
        &self,
        selector: &Selector,
        ids: Option<&ConditionIds>,
        partitions: Option<&Selector>,
        state: &Arc<State>,
        opens: bool,
    ) -> Result<Choice> {
        let count = |parts: &mut dyn Iterator<Item = u64>| parts.fold((0, 0), |sum, marks| (sum.0 + 1, sum.1 + marks));
        let mut candidates: Vec<Arc<PartEntry>> = match &self.only {
            Some(parts) => parts.iter().map(|part| self.shown(part)).collect(),
            None => state.parts.values().map(|part| self.shown(part)).collect(),
        };
        let all = count(&mut candidates.iter().map(|part| part.granules));
        if let Some(partitions) = partitions {
            let wanted = partitions.parts(candidates.clone())?;
            let wanted: HashSet<&str> = wanted.iter().map(|part| part.partition_id.as_str()).collect();
            candidates.retain(|part| wanted.contains(part.partition_id.as_str()));
        }
        let skip = match self.uses_skip_indexes {
            true => selector.skip_indexes(&self.core, state, &self.context)?,
            false => SkipSelector::default(),
        };
        let skip = &skip;
        if self.uses_skip_indexes {
            skip.check_forced(state, &self.context)?;
        }
        let opens = opens || !skip.is_empty();
        let by_columns = selector.left_by_columns(&candidates)?;
        let parts = selector.parts(candidates)?;
        let by_manifest = count(&mut parts.iter().map(|part| part.granules));
        let (mut by_key, mut by_bounds, mut parts_open) = (by_manifest, by_manifest, Vec::new());
        let mut by_skip_index = vec![by_manifest; skip.steps()];
        let add = |sum: &mut (u64, u64), marks: u64| *sum = (sum.0 + u64::from(marks > 0), sum.1 + marks);
        let chosen: Vec<PartSelection> = if opens {
            let opening: Vec<_> = parts
                .into_iter()
                .map(|entry| async move {
                    let open = self.context.cancellable(self.core.open_part(&self.context, &entry)).await?;
                    let begun = self.context.env.instant();
                    let chosen = selector.granules(&open);
                    let took = self.context.env.instant().saturating_duration_since(begun);
                    let counters = &self.context.counters;
                    counters.add(Event::FilteringMarksWithPrimaryKeyMicroseconds, took.as_micros() as u64);
                    counters.add(Event::FilteringMarksWithPrimaryKeyProcessedMarks, entry.granules);
                    let (marks, left) =
                        skip.narrow(&self.core, &self.context, &entry, &open, chosen.granules.clone()).await?;
                    Ok::<_, Error>((entry, open, chosen, marks, left))
                })
                .collect();
            let mut opened = futures::stream::iter(opening).buffered(PARTS_OPENED_AT_ONCE);
            let marks_of = |granules: &[Range<usize>]| granules.iter().map(|range| range.len() as u64).sum();
            (by_key, by_bounds) = ((0, 0), (0, 0));
            by_skip_index.fill((0, 0));
            while let Some((entry, open, chosen, marks, granules)) = opened.try_next().await? {
                add(&mut by_key, marks_of(&chosen.by_key));
                add(&mut by_bounds, marks_of(&chosen.granules));
                by_skip_index.iter_mut().zip(marks).for_each(|(sum, marks)| add(sum, marks));
                if !granules.is_empty() {
                    parts_open.push(PartSelection::of(entry, open, granules));
                }
            }
            parts_open
        } else {
            parts.into_iter().map(PartSelection::whole).collect()
        };
        let by_indexes = count(&mut chosen.iter().map(PartSelection::marks));
        let chosen = match ids {
            Some(ids) => self.remembered(ids, chosen),
            None => chosen,
        };
        let left = count(&mut chosen.iter().map(PartSelection::marks));
        let mut indexes = selector.uses([all, by_columns, by_manifest, by_key, by_bounds]);
        indexes.extend(select::skip_uses(skip, by_bounds, &by_skip_index));
        if left != by_indexes {
            indexes.push(IndexUse {
                kind: "QueryConditionCache",
                index: None,
                keys: Vec::new(),
                condition: None,
                parts: (left.0, by_indexes.0),
                granules: (left.1, by_indexes.1),
            });
        }
        Ok(Choice { indexes, parts: PartSelection::numbered(chosen), total_parts: all.0, total_marks: all.1 })
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

    /// Of all that the version has, whatever of it is going to be read.
    fn statistics(&self) -> Option<Statistics> {
        let (rows, bytes) = match &self.only {
            Some(parts) => parts.iter().fold((0, 0), |(rows, bytes), part| (rows + part.rows, bytes + part.bytes)),
            None => (self.state.rows, self.state.bytes),
        };
        let mut known = Statistics::new_unknown(&self.schema);
        known.num_rows = Precision::Inexact(rows as usize);
        known.total_byte_size = Precision::Inexact(bytes as usize);
        Some(known)
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> DataFusionResult<Vec<TableProviderFilterPushDown>> {
        let support = |filter: &&Expr| match self.is_moved(filter) {
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
        // Other processes may sweep parts between planning and reading: those of an open part's version are kept long
        // enough, so it is found out now whether they are still there.
        let all: Vec<usize> = (0..self.schema.fields().len()).collect();
        let places = projection.unwrap_or(&all);
        let opens = (self.core.environment.options.shared && !places.is_empty())
            || (conjuncts.is_empty() && self.may_know_bounds(places))
            || self.may_be_in_order(places);
        // What counts all rows reads none.
        let is_counted = places.is_empty() && conjuncts.is_empty() && self.context.settings.optimize_trivial_count_query;
        let (state, choice) = self.select_as(&conjuncts, None, opens, !is_counted).await?;
        if let Some(plan) = self.scan_projection(session, &state, &choice, &conjuncts, places).await? {
            return Ok(plan);
        }
        let choice = self.narrowed_by_offsets(session, &state, choice, &conjuncts).await?;
        self.scan_chosen(session, state, choice, &conjuncts, places)
    }
}

impl MergeTreeProvider {
    /// The scan of what was chosen.
    pub(super) fn scan_chosen(
        &self,
        session: &dyn Session,
        state: Arc<State>,
        choice: Choice,
        conjuncts: &[Expr],
        places: &[usize],
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        self.announce(&choice);
        let in_one = session.config().get_extension::<ReadInOneStream>().is_some();
        let threads = if in_one { 1 } else { self.context.threads() };
        let stored = DFSchema::try_from(self.core.layout.schema.as_ref().clone())?;
        let mut scan_filters = Vec::new();
        for conjunct in self.undecided(conjuncts, &choice)? {
            let expression = session.create_physical_expr(select::unqualified(conjunct)?, &stored)?;
            let alone = self.condition_ids(std::slice::from_ref(conjunct));
            let filter = ScanFilter::new(&expression, &self.core.layout.columns)?;
            let of_key = select::of_key(&self.core.layout, conjunct)?;
            scan_filters.push(filter.with_id(alone.map(|alone| alone.whole)).with_key(of_key));
        }
        let remember = self
            .condition_ids(conjuncts)
            .map(|ids| Remember { cache: self.core.environment.conditions.clone(), whole: ids.whole });
        let spans = self.spans(&scan_filters, &choice);
        let scan_filters: Vec<ScanFilter> = scan_filters.into_iter().map(|filter| filter.with_spans(&spans)).collect();
        let outputs = places.iter().map(|&place| Output::of(place, &self.core.layout)).collect::<Result<Vec<_>>>()?;
        let schema = Arc::new(self.schema.project(places)?);
        let scan = MergeTreeScan::new(
            self.core.clone(),
            state,
            choice,
            scan_filters,
            (outputs, schema),
            threads,
            self.context.settings.clone(),
        );
        Ok(Arc::new(scan.with_fixed(self.fixed(conjuncts)).with_memory(remember)))
    }
}
