//! How many rows a LIMIT took its rows from (`rows_before_limit_at_least`): told to clients when a query ends.
//!
//! The limit stands at the top of the plan, or of subqueries that it reads, in nodes that end after some rows (limits, sorts
//! and merges with a bound, reads that stop early); what lies between leaves the number of rows alone. The rows are those
//! that came out of whatever is below the lowest of them, so they are at least that many where it was stopped early. Where the
//! exact number is asked for (`exact_rows_before_limit`), the topmost limits become such that stop nothing and count.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::task::{Context, Poll, ready};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::error::Result;
use datafusion::execution::{RecordBatchStream, SendableRecordBatchStream};
use datafusion::logical_expr::{FetchType, LogicalPlan, SkipType, Sort};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::empty::EmptyExec;
use datafusion::physical_plan::placeholder_row::PlaceholderRowExec;
use futures::{Stream, StreamExt};
use gristmill_introspect::QueryContext;
use gristmill_sql::lower::places;

use crate::places::PlacesExec;

/// Nodes that give every row they get, and no other.
const PASSING: &[&str] = &["ProjectionExec", "CoalescePartitionsExec", "CooperativeExec", "RepartitionExec", "BufferExec"];

/// The plan with its topmost limits as such that count all rows. OFFSET alone is no limit.
pub fn counted(plan: LogicalPlan) -> Result<LogicalPlan> {
    let counting = plan.transform_down(|plan| {
        let LogicalPlan::Limit(limit) = &plan else { return Ok(Transformed::no(plan)) };
        Ok(match (limit.get_skip_type()?, limit.get_fetch_type()?) {
            (SkipType::Literal(skip), FetchType::Literal(Some(rows))) => {
                let counted = places::counted(unbounded(limit.input.as_ref().clone())?, skip, rows);
                Transformed::new(counted, true, TreeNodeRecursion::Jump)
            }
            _ => Transformed::no(plan),
        })
    })?;
    Ok(counting.data)
}

/// What a limit takes its rows from, without the bound that a sort has of it: all rows are to come, and not the first.
fn unbounded(plan: LogicalPlan) -> Result<LogicalPlan> {
    let whole = plan.transform_down(|plan| {
        Ok(match plan {
            LogicalPlan::Sort(sort) if sort.fetch.is_some() => {
                let sort = LogicalPlan::Sort(Sort { fetch: None, ..sort });
                Transformed::new(sort, true, TreeNodeRecursion::Stop)
            }
            LogicalPlan::Projection(_) | LogicalPlan::SubqueryAlias(_) => Transformed::no(plan),
            _ => Transformed::new(plan, false, TreeNodeRecursion::Stop),
        })
    })?;
    Ok(whole.data)
}

/// Rows that a limit which reads on to the end has counted.
fn rows_counted(node: &Arc<dyn ExecutionPlan>) -> Option<u64> {
    node.downcast_ref::<PlacesExec>().and_then(PlacesExec::rows_counted)
}

/// The nodes whose rows the topmost limits took theirs from: one where the plan ends with a limit, else one of each branch
/// that has a limit in a subquery. `ends`: the query ends with a limit as it was written, so that where the plan does not, it
/// was left out for having nothing to leave out, and those below it are not asked for.
fn limited(plan: &Arc<dyn ExecutionPlan>, ends: bool) -> Vec<Arc<dyn ExecutionPlan>> {
    let mut found = None;
    let mut node = plan.clone();
    loop {
        if rows_counted(&node).is_some() {
            return vec![node];
        }
        let stops = node.fetch().is_some();
        let children: Vec<Arc<dyn ExecutionPlan>> = node.children().into_iter().cloned().collect();
        let passes = children.len() == 1 && (stops || PASSING.contains(&node.name()));
        if stops {
            // What reads stops by itself: its own rows are all that are known.
            found = Some(if passes { children[0].clone() } else { node });
        }
        match (found, passes) {
            (limited, true) => (found, node) = (limited, children[0].clone()),
            (Some(limited), false) => return vec![limited],
            (None, false) if ends => return Vec::new(),
            (None, false) => return children.iter().flat_map(|child| limited(child, false)).collect(),
        }
    }
}

/// Rows that came out of a node, or out of the nearest below that counts them.
fn rows_of(node: &Arc<dyn ExecutionPlan>) -> Option<u64> {
    if let Some(rows) = rows_counted(node) {
        return Some(rows);
    }
    if let Some(rows) = node.metrics().and_then(|metrics| metrics.output_rows()) {
        return Some(rows as u64);
    }
    match &node.children()[..] {
        [child] if PASSING.contains(&node.name()) => rows_of(child),
        _ => None,
    }
}

/// Whether the plan reads nothing but the one row of a query without FROM.
fn is_of_one_row(plan: &Arc<dyn ExecutionPlan>) -> bool {
    match &plan.children()[..] {
        [] => plan.downcast_ref::<PlaceholderRowExec>().is_some(),
        [child] => is_of_one_row(child),
        _ => false,
    }
}

/// Whether a query as it was written ends with a limit.
fn ends_with_limit(lowered: &LogicalPlan) -> bool {
    match lowered {
        LogicalPlan::Limit(limit) => limit.fetch.is_some(),
        LogicalPlan::Projection(projection) => ends_with_limit(&projection.input),
        LogicalPlan::SubqueryAlias(alias) => ends_with_limit(&alias.input),
        _ => false,
    }
}

/// The rows of a plan; when they end, what they were taken from is told to the query's progress. `lowered`: the query that it
/// was made of, since of LIMIT 0 nothing is left in the plan.
pub fn told(
    rows: SendableRecordBatchStream,
    lowered: &LogicalPlan,
    plan: Arc<dyn ExecutionPlan>,
    context: &Arc<QueryContext>,
) -> SendableRecordBatchStream {
    if plan.downcast_ref::<EmptyExec>().is_some() && ends_with_limit(lowered) {
        context.progress.limit_was_applied(0);
    }
    if is_of_one_row(&plan) {
        context.progress.total_rows_to_read.fetch_add(1, Relaxed);
        context.read(1, 1);
    }
    let limited = limited(&plan, ends_with_limit(lowered));
    if limited.is_empty() {
        return rows;
    }
    Box::pin(Told { rows, limited, context: context.clone() })
}

struct Told {
    rows: SendableRecordBatchStream,
    /// The nodes whose rows are told; none once they are.
    limited: Vec<Arc<dyn ExecutionPlan>>,
    context: Arc<QueryContext>,
}

impl Stream for Told {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = ready!(self.rows.poll_next_unpin(context));
        if next.is_none() && !self.limited.is_empty() {
            let rows: Option<u64> = std::mem::take(&mut self.limited).iter().map(rows_of).sum();
            if let Some(rows) = rows {
                self.context.progress.limit_was_applied(rows);
            }
        }
        Poll::Ready(next)
    }
}

impl RecordBatchStream for Told {
    fn schema(&self) -> SchemaRef {
        self.rows.schema()
    }
}
