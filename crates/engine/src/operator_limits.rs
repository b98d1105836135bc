//! Limits on what operators keep: `max_rows_to_group_by`, `max_rows_to_sort`, `max_rows_in_distinct`, `max_rows_in_join`, their
//! likes in bytes, `max_columns_to_read`, temporary columns (`temporary_columns`) and the depth of recursions (`recursion_depth`).
//!
//! Rows are counted where they go in (a sort, the side of a join that is kept) or come out (groups), of all streams
//! together. Over the limit the query fails, or its rows end there where the overflow mode says so. Groups are counted when
//! they are whole, and before they are by their keys (`keys_limit`), so that what has no end ends; with the mode `any` rows of
//! other keys than the first are left out before they are grouped (`group_limit`).

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use arrow::array::{Array, RecordBatch};
use arrow::compute::{filter_record_batch, is_not_null, not};
use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::error::DataFusionError;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateInputMode, AggregateMode};
use datafusion::physical_plan::joins::HashJoinExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::union::{InterleaveExec, UnionExec};
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan, InputOrderMode, PhysicalExpr, PlanProperties,
    ReplaceChildrenOptions,
};
use futures::{StreamExt, TryStreamExt};
use gristmill_base::{Error, ErrorCode, units};
use gristmill_introspect::Settings;
use gristmill_sql::lower::asof;

use crate::group_limit::RowsOfGroups;
use crate::keys_limit::KeysWithin;
use crate::recursion_depth;
use crate::temporary_columns::TemporaryColumns;

/// How many rows and bytes may be kept by an operator (0: any number), and what happens with more.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    what: &'static str,
    code: ErrorCode,
    pub rows: u64,
    bytes: u64,
    pub throws: bool,
    /// Rows of the first keys go on (mode `any`).
    keeps_first: bool,
}

impl Limit {
    fn of(what: &'static str, code: ErrorCode, rows: u64, bytes: u64, mode: &str) -> Option<Limit> {
        let keeps_first = mode.eq_ignore_ascii_case("any");
        let throws = !(mode.eq_ignore_ascii_case("break") || keeps_first);
        (rows > 0 || bytes > 0).then_some(Limit { what, code, rows, bytes, throws, keeps_first })
    }

    pub fn exceeded(&self, rows: u64, bytes: u64) -> Error {
        let text = match self.rows > 0 && rows > self.rows {
            true if self.code == ErrorCode::TOO_MANY_ROWS => {
                format!("Limit for rows to {} exceeded: has {rows} rows, maximum: {}", self.what, self.rows)
            }
            true => format!(
                "Limit for {} exceeded, max rows: {}, current rows: {}",
                self.what,
                units::rows_with_decimals(self.rows as f64),
                units::rows_with_decimals(rows as f64)
            ),
            false => format!(
                "Limit for {} exceeded, max bytes: {}, current bytes: {}",
                self.what,
                units::bytes_binary(self.bytes as f64),
                units::bytes_binary(bytes as f64)
            ),
        };
        Error::new(self.code, text)
    }
}

/// Puts limits around the operators that they are of.
#[derive(Debug)]
pub struct KeepToLimits {
    groups: Option<Limit>,
    distinct: Option<Limit>,
    sort: Option<Limit>,
    join: Option<Limit>,
    columns: u64,
    temporary: TemporaryColumns,
    /// Turns of a recursion; `None`: the query has none.
    turns: Option<u64>,
}

impl KeepToLimits {
    /// `None`: nothing is limited.
    pub fn of(settings: &Settings, plan: &LogicalPlan) -> Option<KeepToLimits> {
        let groups = Limit::of(
            "GROUP BY",
            ErrorCode::TOO_MANY_ROWS,
            settings.max_rows_to_group_by,
            0,
            &settings.group_by_overflow_mode,
        );
        let distinct = Limit::of(
            "DISTINCT",
            ErrorCode::SET_SIZE_LIMIT_EXCEEDED,
            settings.max_rows_in_distinct,
            settings.max_bytes_in_distinct,
            &settings.distinct_overflow_mode,
        );
        let sort = Limit::of(
            "result",
            ErrorCode::TOO_MANY_ROWS_OR_BYTES,
            settings.max_rows_to_sort,
            settings.max_bytes_to_sort,
            &settings.sort_overflow_mode,
        );
        let join = Limit::of(
            "JOIN",
            ErrorCode::SET_SIZE_LIMIT_EXCEEDED,
            settings.max_rows_in_join,
            settings.max_bytes_in_join,
            &settings.join_overflow_mode,
        );
        let columns = settings.max_columns_to_read;
        let temporary =
            TemporaryColumns { all: settings.max_temporary_columns, non_const: settings.max_temporary_non_const_columns };
        let Found { has_distinct, has_plain_groups, has_recursion } = found(plan);
        let turns = has_recursion.then_some(settings.max_recursive_cte_evaluation_depth);
        let limits = [&groups, &distinct, &sort, &join];
        if limits.iter().all(|limit| limit.is_none()) && columns == 0 && !temporary.is_limited() && turns.is_none() {
            return None;
        }
        // DISTINCT becomes a grouping without functions.
        let (limits_groups, limits_distinct) = (groups.clone().filter(|_| has_plain_groups || !has_distinct), distinct);
        Some(KeepToLimits {
            groups,
            distinct: limits_distinct.filter(|_| has_distinct).or(limits_groups),
            sort,
            join,
            columns,
            temporary,
            turns,
        })
    }

    fn of_grouping(&self, aggregate: &AggregateExec) -> Option<Limit> {
        let is_last = matches!(
            aggregate.mode(),
            AggregateMode::Final
                | AggregateMode::FinalPartitioned
                | AggregateMode::Single
                | AggregateMode::SinglePartitioned
        );
        self.of_keys(aggregate).filter(|_| is_last).cloned()
    }

    fn of_keys(&self, aggregate: &AggregateExec) -> Option<&Limit> {
        let limit = if aggregate.aggr_expr().is_empty() { &self.distinct } else { &self.groups };
        limit.as_ref().filter(|_| !aggregate.group_expr().is_empty())
    }

    /// What an aggregation reads, up to the keys that it may have. `None`: it reads groups, or ends by itself.
    fn before_grouping(&self, aggregate: &AggregateExec) -> Option<Arc<dyn ExecutionPlan>> {
        let (limit, keys) = (self.of_keys(aggregate)?, aggregate.group_expr());
        let reads_rows = aggregate.mode().input_mode() == AggregateInputMode::Raw;
        if !reads_rows || limit.rows == 0 || !keys.is_single() || aggregate.limit_options().is_some() {
            return None;
        }
        let input = aggregate.input().clone();
        if !limit.keeps_first {
            return Some(Arc::new(KeysWithin::new(limit.clone(), keys.input_exprs(), input)));
        }
        // Groups that come in their order end where their number does.
        if *aggregate.input_order_mode() != InputOrderMode::Linear {
            return None;
        }
        Some(Arc::new(RowsOfGroups::new(keys.input_exprs(), limit.rows as usize, input)))
    }

    fn grouping(&self, plan: &Arc<dyn ExecutionPlan>) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        let Some(aggregate) = plan.downcast_ref::<AggregateExec>() else { return Ok(None) };
        let (before, behind) = (self.before_grouping(aggregate), self.of_grouping(aggregate));
        if before.is_none() && behind.is_none() {
            return Ok(None);
        }
        let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
        let plan = match before {
            Some(input) => plan.clone().replace_children(vec![input], options)?,
            None => plan.clone(),
        };
        let limited: Arc<dyn ExecutionPlan> = match behind {
            Some(limit) => Arc::new(LimitedRows::new(limit, plan)),
            None => plan,
        };
        Ok(Some(limited))
    }

    fn check_columns(&self, plan: &Arc<dyn ExecutionPlan>) -> Result<()> {
        let columns = plan.schema().fields().len() as u64;
        // Rows that come with the statement, such as those of VALUES, are read of no table.
        let is_given = matches!(plan.name(), "DataSourceExec" | "StreamingTableExec" | "PlaceholderRowExec");
        if self.columns == 0 || columns <= self.columns || is_given || !plan.children().is_empty() {
            return Ok(());
        }
        let text = format!("Limit for number of columns to read exceeded. Requested: {columns}, maximum: {}", self.columns);
        Err(Error::new(ErrorCode::TOO_MANY_COLUMNS, text).into())
    }
}

/// What a plan has that limits are about.
#[derive(Default)]
struct Found {
    has_distinct: bool,
    /// GROUP BY without functions.
    has_plain_groups: bool,
    has_recursion: bool,
}

fn found(plan: &LogicalPlan) -> Found {
    let mut found = Found::default();
    let walked = plan.apply_with_subqueries(|plan| {
        found.has_distinct |= matches!(plan, LogicalPlan::Distinct(_));
        found.has_plain_groups |= matches!(plan, LogicalPlan::Aggregate(aggregate) if aggregate.aggr_expr.is_empty());
        found.has_recursion |= matches!(plan, LogicalPlan::RecursiveQuery(_));
        Ok(TreeNodeRecursion::Continue)
    });
    Found { has_distinct: found.has_distinct && walked.is_ok(), ..found }
}

/// The column that tells the rows of the right side, where the plan puts both sides of an ASOF JOIN into one relation.
fn rows_of_asof(plan: &Arc<dyn ExecutionPlan>) -> Option<usize> {
    let unites = plan.downcast_ref::<UnionExec>().is_some() || plan.downcast_ref::<InterleaveExec>().is_some();
    let schema = unites.then(|| plan.schema())?;
    schema.fields().iter().position(|field| field.name().split('#').next() == Some(asof::ROW))
}

/// The plan over another first input.
fn over(plan: &Arc<dyn ExecutionPlan>, limit: &Limit) -> Result<Arc<dyn ExecutionPlan>> {
    let mut children: Vec<Arc<dyn ExecutionPlan>> = plan.children().into_iter().cloned().collect();
    if let Some(first) = children.first_mut() {
        *first = Arc::new(LimitedRows::new(limit.clone(), first.clone()));
    }
    plan.clone().replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
}

impl PhysicalOptimizerRule for KeepToLimits {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|plan| {
            self.check_columns(&plan)?;
            self.temporary.check(&plan)?;
            if let Some(most) = self.turns
                && let Some(counted) = recursion_depth::counted(&plan, most)?
            {
                return Ok(Transformed::yes(counted));
            }
            if let Some(limited) = self.grouping(&plan)? {
                return Ok(Transformed::yes(limited));
            }
            // A sort under a LIMIT keeps no more rows than that.
            let sorts = plan.downcast_ref::<SortExec>().is_some_and(|sort| sort.fetch().is_none());
            if let Some(limit) = self.sort.as_ref().filter(|_| sorts) {
                return over(&plan, limit).map(Transformed::yes);
            }
            let joins = plan.downcast_ref::<HashJoinExec>().is_some();
            if let Some(limit) = self.join.as_ref().filter(|_| joins) {
                return over(&plan, limit).map(Transformed::yes);
            }
            // Both sides of an ASOF JOIN lie in one relation.
            if let Some((limit, rows)) = self.join.as_ref().zip(rows_of_asof(&plan)) {
                return Ok(Transformed::yes(Arc::new(LimitedRows::of_some(limit.clone(), plan, rows))));
            }
            Ok(Transformed::no(plan))
        })
        .data()
    }

    fn name(&self) -> &str {
        "KeepToLimits"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Gives the rows of its input while there are no more than may be.
struct LimitedRows {
    limit: Limit,
    input: Arc<dyn ExecutionPlan>,
    /// The column whose values are the rows that count; NULL in others, which pass. `None`: all count.
    counted: Option<usize>,
    seen: Arc<Seen>,
}

/// Of all streams.
#[derive(Default)]
struct Seen {
    rows: AtomicU64,
    bytes: AtomicU64,
}

impl LimitedRows {
    fn new(limit: Limit, input: Arc<dyn ExecutionPlan>) -> LimitedRows {
        LimitedRows { limit, input, counted: None, seen: Arc::default() }
    }

    fn of_some(limit: Limit, input: Arc<dyn ExecutionPlan>, counted: usize) -> LimitedRows {
        LimitedRows { counted: Some(counted), ..LimitedRows::new(limit, input) }
    }

    fn over(&self, input: Arc<dyn ExecutionPlan>) -> LimitedRows {
        LimitedRows { counted: self.counted, ..LimitedRows::new(self.limit.clone(), input) }
    }
}

impl Seen {
    /// What of the batch may pass. `None`: the rows end here. Errors: that of the limit.
    fn admit(&self, limit: &Limit, counted: Option<usize>, batch: RecordBatch) -> Result<Option<RecordBatch>> {
        let counts = counted.map(|column| is_not_null(batch.column(column))).transpose()?;
        let (new_rows, new_bytes) = match (&counts, counted) {
            (Some(counts), Some(column)) => {
                let rows = counts.true_count() as u64;
                // In rows that are not there a column takes room as well.
                (rows, if rows > 0 { batch.column(column).get_array_memory_size() as u64 } else { 0 })
            }
            _ => (batch.num_rows() as u64, batch.get_array_memory_size() as u64),
        };
        let rows = self.rows.fetch_add(new_rows, Relaxed) + new_rows;
        let bytes = self.bytes.fetch_add(new_bytes, Relaxed) + new_bytes;
        let too_many_rows = limit.rows > 0 && rows > limit.rows;
        let too_many_bytes = limit.bytes > 0 && bytes > limit.bytes;
        if !too_many_rows && !too_many_bytes {
            return Ok(Some(batch));
        }
        if limit.throws {
            return Err(limit.exceeded(rows, bytes).into());
        }
        if let Some(counts) = counts {
            // The rows that do not count go on.
            return Ok(Some(filter_record_batch(&batch, &not(&counts)?)?));
        }
        let room = if too_many_rows { limit.rows.saturating_sub(rows - new_rows) } else { 0 };
        Ok((room > 0 && !too_many_bytes).then(|| batch.slice(0, room.min(new_rows) as usize)))
    }
}

impl fmt::Debug for LimitedRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_as(DisplayFormatType::Default, f)
    }
}

impl DisplayAs for LimitedRows {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LimitedRows: {}, rows={}, bytes={}", self.limit.what, self.limit.rows, self.limit.bytes)
    }
}

impl ExecutionPlan for LimitedRows {
    fn name(&self) -> &str {
        "LimitedRows"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.input.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(self: Arc<Self>, mut children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let input = children.pop().ok_or_else(|| DataFusionError::Internal("LimitedRows has one input".to_string()))?;
        Ok(Arc::new(self.over(input)))
    }

    fn reset_state(self: Arc<Self>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(self.over(self.input.clone())))
    }

    fn execute(&self, partition: usize, task: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let (limit, counted, seen) = (self.limit.clone(), self.counted, self.seen.clone());
        let rows = self.input.execute(partition, task)?;
        let rows = rows
            .map(move |batch| batch.and_then(|batch| seen.admit(&limit, counted, batch)))
            .try_take_while(|batch| std::future::ready(Ok(batch.is_some())))
            .try_filter_map(|batch| std::future::ready(Ok(batch)));
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.input.schema(), rows)))
    }
}
