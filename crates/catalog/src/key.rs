//! Expressions over a table's columns, ready to be computed on its blocks: sorting keys and partition keys, which are
//! the same for ever, and defaults and changes of rows, which are made anew for each query.

use std::fmt::Debug;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::datatypes::{FieldRef, Schema};
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column as PlanColumn, DFSchema};
use datafusion::logical_expr::Expr;
use datafusion::logical_expr::execution_props::ExecutionProps;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::simplify::SimplifyContext;
use datafusion::optimizer::simplify_expressions::ExprSimplifier;
use datafusion::physical_expr::aggregate::{AggregateExprBuilder, AggregateFunctionExpr};
use datafusion::physical_expr::create_physical_expr;
use datafusion::physical_plan::PhysicalExpr;
use gristmill_base::{Error, Result};
use gristmill_introspect::QueryContext;
use gristmill_types::{Columns, SqlType};

use crate::definition::SkipIndexDefinition;
use crate::projection::{CompiledProjection, ProjectionDefinition};

#[derive(Clone, Debug)]
pub struct KeyExpression {
    /// Canonical text, such as `toDate(CreationDate)`.
    pub text: String,
    pub kind: SqlType,
    /// In a sorting key: greater values come first.
    pub descending: bool,
    /// Over unqualified columns of the table.
    pub logical: Expr,
    /// Over a batch with the table's columns in the table's order.
    pub physical: Arc<dyn PhysicalExpr>,
}

impl KeyExpression {
    /// The value for each row. The batch has the table's columns in the table's order.
    pub fn evaluate(&self, batch: &RecordBatch) -> Result<ArrayRef> {
        Ok(self.physical.evaluate(batch)?.into_array(batch.num_rows())?)
    }

    /// The column itself, where the expression is no more than that.
    pub fn column(&self) -> Option<&str> {
        match &self.logical {
            Expr::Column(column) => Some(&column.name),
            _ => None,
        }
    }
}

/// An expression of a table's definition, or of a statement that changes its rows, as one query computes it.
#[derive(Clone, Debug)]
pub struct ColumnExpression {
    /// The stored columns that it is computed from.
    pub inputs: Vec<String>,
    /// Over a batch of those, in that order. A condition gives booleans.
    pub physical: Arc<dyn PhysicalExpr>,
    pub logical: Expr,
}

impl ColumnExpression {
    pub fn evaluate(&self, inputs: &RecordBatch) -> Result<ArrayRef> {
        Ok(self.physical.evaluate(inputs)?.into_array(inputs.num_rows())?)
    }
}

/// An expression of aggregates over rows that become one.
#[derive(Clone, Debug)]
pub struct AggregateExpression {
    /// The stored columns that the aggregates are computed from.
    pub inputs: Vec<String>,
    /// Over a batch of those, in that order, each with the rows that it takes.
    pub aggregates: Vec<(Arc<AggregateFunctionExpr>, Option<Arc<dyn PhysicalExpr>>)>,
    /// Over a batch of the aggregates' results, in their order: a column each.
    pub value: Arc<dyn PhysicalExpr>,
    /// The schema of that batch.
    pub results: Arc<Schema>,
}

impl AggregateExpression {
    /// Takes an expression over columns apart in which aggregates stand.
    pub fn new(expr: Expr, columns: &Columns) -> Result<AggregateExpression> {
        let mut found: Vec<Expr> = Vec::new();
        let outer = expr
            .transform_down(|expr| {
                if !matches!(expr, Expr::AggregateFunction(_)) {
                    return Ok(Transformed::no(expr));
                }
                let at = found.iter().position(|known| *known == expr).unwrap_or_else(|| {
                    found.push(expr.clone());
                    found.len() - 1
                });
                let result = Expr::Column(PlanColumn::new_unqualified(result_name(at)));
                Ok(Transformed::new(result, true, TreeNodeRecursion::Jump))
            })?
            .data;
        let named: Vec<String> = found.iter().flat_map(Expr::column_refs).map(|column| column.name.clone()).collect();
        let inputs: Vec<String> =
            columns.names().into_iter().filter(|name| named.iter().any(|known| known == name)).collect();
        let fields = inputs.iter().filter_map(|name| columns.get(name)).map(|column| column.kind.field(&column.name));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<FieldRef>>()));
        let mut aggregates = Vec::with_capacity(found.len());
        let mut results = Vec::with_capacity(found.len());
        for (at, expr) in found.into_iter().enumerate() {
            let Expr::AggregateFunction(call) = expr else { return Err(Error::logical("An aggregate that is none")) };
            let arguments = call.params.args.into_iter().map(|argument| physical(argument, &schema));
            let filter = call.params.filter.map(|filter| physical(*filter, &schema)).transpose()?;
            let aggregate = AggregateExprBuilder::new(call.func, arguments.collect::<Result<_>>()?)
                .schema(schema.clone())
                .alias(result_name(at))
                .with_distinct(call.params.distinct)
                .build()?;
            results.push(aggregate.field().as_ref().clone().with_name(result_name(at)).with_nullable(true));
            aggregates.push((Arc::new(aggregate), filter));
        }
        let results = Arc::new(Schema::new(results));
        Ok(AggregateExpression { inputs, aggregates, value: physical(outer, &results)?, results })
    }
}

fn result_name(at: usize) -> String {
    format!("aggregate{at}")
}

fn physical(expr: Expr, schema: &Schema) -> Result<Arc<dyn PhysicalExpr>> {
    let schema = Arc::new(DFSchema::try_from(schema.clone())?);
    let simplifier = ExprSimplifier::new(SimplifyContext::builder().with_schema(schema.clone()).build());
    let expr = simplifier.coerce(expr, &schema)?;
    Ok(create_physical_expr(&expr, &schema, &ExecutionProps::new(), &PhysicalPlanningContext::default())?)
}

/// What an expression is to give.
#[derive(Clone, Copy, Debug)]
pub enum Wanted<'a> {
    /// A value of the type, cast as an assignment casts.
    Value(&'a SqlType),
    /// Whether a row is meant; NULL means no.
    Condition,
    /// The time of a TTL, as a DateTime64(0), computed in types that hold it (see the engine's `ttl_times`).
    Time,
}

/// Turns the text of an expression over a table's columns into something to compute: the engine's analyser, for those
/// below it. `columns`: all declared columns, whose ALIAS ones are replaced by what they stand for.
pub trait ExpressionCompiler: Send + Sync + Debug {
    fn compile(&self, text: &str, wanted: Wanted<'_>, columns: &Columns, context: &QueryContext)
    -> Result<ColumnExpression>;

    /// The elements of an expression that is the same for ever: those of a tuple, or the one. `stored`: the columns that
    /// the table keeps.
    fn compile_index(&self, text: &str, stored: &Columns) -> Result<Vec<KeyExpression>>;
    /// What the preprocessor of an index of texts makes of what is indexed. Errors: INCORRECT_QUERY, and those of the
    /// expression.
    fn compile_preprocessed(&self, index: &SkipIndexDefinition, stored: &Columns) -> Result<KeyExpression>;
    /// A projection of a table of these columns. Errors: ClickHouse's.
    fn compile_projection(&self, definition: &ProjectionDefinition, columns: &Columns) -> Result<CompiledProjection>;

    /// An expression of aggregates over rows that become one, as a value of the type.
    fn compile_aggregates(
        &self,
        text: &str,
        kind: &SqlType,
        columns: &Columns,
        context: &QueryContext,
    ) -> Result<AggregateExpression>;
}
