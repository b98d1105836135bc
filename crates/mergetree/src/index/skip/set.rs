//! Conditions computed over the values that units hold: what is left of the query's filters when everything that is not
//! over the index's expressions is taken for fulfilled. The values of a row stand together, so conditions on several
//! expressions are asked of real rows.

use std::sync::Arc;

use arrow::array::{Array, AsArray, BooleanArray, RecordBatch};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::DFSchema;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::execution_props::ExecutionProps;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::utils::conjunction;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator, ident};
use datafusion::physical_expr::create_physical_expr;
use datafusion::physical_plan::PhysicalExpr;
use gristmill_base::Result;

use super::chunk::{Chunk, Units};
use super::definition::SkipIndex;
use super::minmax;
use crate::index::analyze::analyze;
use crate::index::expression::same;

/// What an expression of the index is called in the condition: no column of a table has such a name.
fn name(expression: usize) -> String {
    format!("\u{1}{expression}")
}

#[derive(Debug)]
pub struct SetCondition {
    condition: Arc<dyn PhysicalExpr>,
    schema: SchemaRef,
    text: String,
}

impl SetCondition {
    /// `None`: the values can leave nothing out.
    pub fn new(index: &SkipIndex, columns: &DFSchema, filters: &[Expr]) -> Option<SetCondition> {
        let condition = conjunction(filters.iter().filter_map(|filter| implied(index, filter)))?;
        let fields = index.expressions.iter().enumerate();
        let fields = fields.map(|(at, expression)| Field::new(name(at), expression.kind.arrow(), true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let planned = DFSchema::try_from(schema.as_ref().clone()).ok()?;
        let (props, planning) = (ExecutionProps::new(), PhysicalPlanningContext::default());
        let condition = create_physical_expr(&condition, &planned, &props, &planning).ok()?;
        let text = analyze(&minmax::bases(index).1, columns, filters).text();
        Some(SetCondition { condition, schema, text })
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// By unit, whether a row may pass.
    pub fn check(&self, chunk: &Chunk) -> Vec<bool> {
        let Units::Set(values, runs) = &chunk.data else { return vec![true; chunk.units] };
        // What cannot be computed over all values may be computable over those rows that other conditions leave.
        let Ok(passed) = self.passed(values) else { return vec![true; chunk.units] };
        let may_pass = |run: &Option<std::ops::Range<usize>>| match run {
            None => true,
            Some(run) => run.clone().any(|row| passed.is_valid(row) && passed.value(row)),
        };
        runs.iter().map(may_pass).collect()
    }

    fn passed(&self, values: &[arrow::array::ArrayRef]) -> Result<BooleanArray> {
        let batch = RecordBatch::try_new(self.schema.clone(), values.to_vec())?;
        let passed = self.condition.evaluate(&batch)?.into_array(batch.num_rows())?;
        Ok(match passed.as_boolean_opt() {
            Some(passed) => passed.clone(),
            None => arrow::compute::cast(&passed, &DataType::Boolean)?.as_boolean().clone(),
        })
    }
}

/// A condition over the index's expressions that holds wherever the filter does.
fn implied(index: &SkipIndex, filter: &Expr) -> Option<Expr> {
    match filter {
        Expr::Alias(alias) => implied(index, &alias.expr),
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::And, right }) => {
            conjunction([implied(index, left), implied(index, right)].into_iter().flatten())
        }
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Or, right }) => {
            Some(implied(index, left)?.or(implied(index, right)?))
        }
        other => whole(index, other),
    }
}

/// The filter itself, where it is over nothing but the index's expressions.
fn whole(index: &SkipIndex, filter: &Expr) -> Option<Expr> {
    let replaced = filter.clone().transform_down(|part| {
        let found = index.expressions.iter().position(|expression| same(&part, &expression.logical));
        Ok(match found {
            Some(expression) => Transformed::new(ident(name(expression)), true, TreeNodeRecursion::Jump),
            None => Transformed::no(part),
        })
    });
    let replaced = replaced.ok()?.data;
    let is_subquery = |part: &Expr| {
        matches!(part, Expr::ScalarSubquery(_) | Expr::InSubquery(_) | Expr::Exists(_) | Expr::OuterReferenceColumn(..))
    };
    let known = {
        let reads = replaced.column_refs();
        !reads.is_empty() && reads.iter().all(|column| column.name.starts_with('\u{1}'))
    };
    (known && !replaced.is_volatile() && !replaced.exists(|part| Ok(is_subquery(part))).unwrap_or(true)).then_some(replaced)
}
