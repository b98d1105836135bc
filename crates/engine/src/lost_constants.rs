//! What is the same in all rows of a side of an outer join is not the same behind it, where rows have no match there. Nor is such a key
//! behind grouping sets, which leave it out of some.
//!
//! DataFusion forgets that: it takes `c` of `t LEFT JOIN (SELECT id, 5 AS c FROM u) USING id` for a constant, leaves it out of sorts, and
//! groups by it as by rows that come in order, so that each change of 5 to NULL begins a group anew
//! (`EquivalenceGroup::join` and `AggregateExec::compute_properties` of version 55). So such columns and keys are given by an expression of
//! which nothing is known.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, FieldRef, Schema};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{JoinType, Result, internal_err};
use datafusion::logical_expr::ColumnarValue;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::{Column, NoOp};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::{AggregateExec, PhysicalGroupBy};
use datafusion::physical_plan::joins::{HashJoinExec, NestedLoopJoinExec};
use datafusion::physical_plan::projection::{ProjectionExec, ProjectionExpr};
use datafusion::physical_plan::{ChildrenPropertiesMode, ExecutionPlan, ExecutionPlanProperties, ReplaceChildrenOptions};
use gristmill_sql::lower::MARK_OF_MATCH;

/// Stands before all rules that look at constants.
#[derive(Debug)]
pub struct ForgetLostConstants;

impl PhysicalOptimizerRule for ForgetLostConstants {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|plan| {
            let anew = match plan.downcast_ref::<AggregateExec>() {
                Some(aggregate) => grouping_sets(aggregate)?,
                None => outer_join(&plan)?,
            };
            Ok(anew.map_or_else(|| Transformed::no(plan), Transformed::yes))
        })
        .data()
    }

    fn name(&self) -> &str {
        "ForgetLostConstants"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// `None`: it has no grouping sets, or no key is a constant.
fn grouping_sets(aggregate: &AggregateExec) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let groups = aggregate.group_expr();
    if groups.is_single() {
        return Ok(None);
    }
    let known = aggregate.input().equivalence_properties();
    let mut is_any = false;
    let keys = groups.expr().iter().map(|(key, name)| {
        let is_constant = known.is_expr_constant(key).is_some();
        is_any |= is_constant;
        (if is_constant { MaybeMissing::around(key.clone()) } else { key.clone() }, name.clone())
    });
    let keys = keys.collect();
    if !is_any {
        return Ok(None);
    }
    let (nulls, sets) = (groups.null_expr().to_vec(), groups.groups().to_vec());
    let anew = AggregateExec::try_new(
        *aggregate.mode(),
        PhysicalGroupBy::new(keys, nulls, sets, groups.has_grouping_set()),
        aggregate.aggr_expr().to_vec(),
        aggregate.filter_expr().to_vec(),
        aggregate.input().clone(),
        aggregate.input_schema(),
    )?;
    Ok(Some(Arc::new(anew)))
}

/// `None`: it is none, or its sides have no constants that are lost.
fn outer_join(plan: &Arc<dyn ExecutionPlan>) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let Some(may_lack_rows) = sides_without_rows(plan) else { return Ok(None) };
    let mut is_changed = false;
    let mut sides = Vec::with_capacity(2);
    for (side, may_lack_rows) in plan.children().into_iter().zip(may_lack_rows) {
        let anew = if may_lack_rows { without_constants(side)? } else { None };
        is_changed |= anew.is_some();
        sides.push(anew.unwrap_or_else(|| side.clone()));
    }
    if !is_changed {
        return Ok(None);
    }
    let anew = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
    Ok(Some(plan.clone().replace_children(sides, anew)?))
}

/// Of the left and the right side of an outer join, whether rows of the other may have no match there.
fn sides_without_rows(plan: &Arc<dyn ExecutionPlan>) -> Option<[bool; 2]> {
    let of_hashes = plan.downcast_ref::<HashJoinExec>().map(HashJoinExec::join_type);
    match of_hashes.or_else(|| plan.downcast_ref::<NestedLoopJoinExec>().map(NestedLoopJoinExec::join_type))? {
        JoinType::Left => Some([false, true]),
        JoinType::Right => Some([true, false]),
        JoinType::Full => Some([true, true]),
        _ => None,
    }
}

/// `None`: the side has no constants, or none but the mark of its rows, which nobody groups or sorts by.
fn without_constants(side: &Arc<dyn ExecutionPlan>) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let (schema, known) = (side.schema(), side.equivalence_properties());
    let mut is_any = false;
    let columns = schema.fields().iter().enumerate().map(|(place, field)| {
        let column: Arc<dyn PhysicalExpr> = Arc::new(Column::new(field.name(), place));
        let is_constant = known.is_expr_constant(&column).is_some();
        is_any |= is_constant && !field.name().starts_with(MARK_OF_MATCH);
        let expr = if is_constant { MaybeMissing::around(column) } else { column };
        ProjectionExpr { expr, alias: field.name().clone() }
    });
    let columns: Vec<_> = columns.collect();
    Ok(if is_any { Some(Arc::new(ProjectionExec::try_new(columns, side.clone())?)) } else { None })
}

/// The values of another expression. One is constant to DataFusion where all below it are: the second one is of no kind that it knows.
#[derive(Debug, Eq)]
struct MaybeMissing {
    inner: Arc<dyn PhysicalExpr>,
    unknown: Arc<dyn PhysicalExpr>,
}

impl MaybeMissing {
    fn around(inner: Arc<dyn PhysicalExpr>) -> Arc<dyn PhysicalExpr> {
        Arc::new(MaybeMissing { inner, unknown: Arc::new(NoOp::new()) })
    }
}

// Both by hand: a derived comparison would move out of pointers to expressions.
impl PartialEq for MaybeMissing {
    fn eq(&self, other: &Self) -> bool {
        self.inner.eq(&other.inner)
    }
}

impl Hash for MaybeMissing {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.inner.hash(state);
    }
}

impl fmt::Display for MaybeMissing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "maybe_missing({})", self.inner)
    }
}

impl PhysicalExpr for MaybeMissing {
    fn data_type(&self, schema: &Schema) -> Result<DataType> {
        self.inner.data_type(schema)
    }

    fn nullable(&self, schema: &Schema) -> Result<bool> {
        self.inner.nullable(schema)
    }

    fn return_field(&self, schema: &Schema) -> Result<FieldRef> {
        self.inner.return_field(schema)
    }

    fn evaluate(&self, batch: &RecordBatch) -> Result<ColumnarValue> {
        self.inner.evaluate(batch)
    }

    fn children(&self) -> Vec<&Arc<dyn PhysicalExpr>> {
        vec![&self.inner, &self.unknown]
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn PhysicalExpr>>) -> Result<Arc<dyn PhysicalExpr>> {
        match <[_; 2]>::try_from(children) {
            Ok([inner, unknown]) => Ok(Arc::new(MaybeMissing { inner, unknown })),
            Err(children) => internal_err!("What may be missing has {} expressions below it, not two", children.len()),
        }
    }

    fn fmt_sql(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt_sql(f)
    }
}
