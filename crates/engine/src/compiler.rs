//! Expressions of tables' definitions and of mutations, for the storage engine: see `ExpressionCompiler`.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::datatypes::Schema;
use datafusion::common::DFSchema;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::logical_expr::execution_props::ExecutionProps;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::simplify::SimplifyContext;
use datafusion::logical_expr::{Expr, lit};
use datafusion::optimizer::simplify_expressions::ExprSimplifier;
use datafusion::physical_expr::create_physical_expr;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::{
    AggregateExpression, ColumnExpression, CompiledProjection, ExpressionCompiler, KeyExpression, ProjectionDefinition,
    SkipIndexDefinition, Wanted,
};
use gristmill_functions::Registry;
use gristmill_introspect::QueryContext;
use gristmill_sql::lower::{Analyzer, ResolvedTables};
use gristmill_types::default::column_default;
use gristmill_types::{Columns, DefaultKind, SqlType};

use crate::engine::Engine;
use crate::keys;
use crate::text_indexes;
use crate::ttl_times;

pub struct Compiler {
    pub registry: Arc<Registry>,
}

impl std::fmt::Debug for Compiler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Compiler")
    }
}

impl ExpressionCompiler for Compiler {
    fn compile(
        &self,
        text: &str,
        wanted: Wanted<'_>,
        columns: &Columns,
        context: &QueryContext,
    ) -> Result<ColumnExpression> {
        let tables = ResolvedTables::default();
        let analyzer = Analyzer::new(&self.registry, Engine::function_env(context), &context.settings, &tables);
        let node = gristmill_sql::statement::parse_expression(text)?;
        let expr = match wanted {
            Wanted::Condition => analyzer.condition_over_columns(&node, columns)?,
            Wanted::Value(kind) => analyzer.cast_to(analyzer.over_columns(&node, columns)?, kind)?.expr,
            Wanted::Time => {
                let time = ttl_times::widened(&analyzer, &node, columns);
                analyzer.cast_to(analyzer.over_columns(&time, columns)?, &SqlType::DateTime64(0, None))?.expr
            }
        };
        let expr = stored_only(&analyzer, expr, columns, 0)?;
        let inputs: BTreeSet<String> = expr.column_refs().into_iter().map(|column| column.name.clone()).collect();
        let inputs: Vec<String> = inputs.into_iter().collect();
        let fields = inputs.iter().filter_map(|name| columns.get(name)).map(|column| column.kind.field(&column.name));
        let schema = Arc::new(DFSchema::try_from(Schema::new(fields.collect::<Vec<_>>()))?);
        let simplifier = ExprSimplifier::new(SimplifyContext::builder().with_schema(schema.clone()).build());
        let logical = simplifier.coerce(expr, &schema)?;
        let physical = create_physical_expr(&logical, &schema, &ExecutionProps::new(), &PhysicalPlanningContext::default())?;
        Ok(ColumnExpression { inputs, physical, logical })
    }

    fn compile_index(&self, text: &str, stored: &Columns) -> Result<Vec<KeyExpression>> {
        keys::compile(&keys::elements(text)?, stored, &self.registry, &keys::key_env())
    }

    fn compile_preprocessed(&self, index: &SkipIndexDefinition, stored: &Columns) -> Result<KeyExpression> {
        text_indexes::preprocessed(index, stored, &self.registry)
    }

    fn compile_projection(&self, definition: &ProjectionDefinition, columns: &Columns) -> Result<CompiledProjection> {
        crate::projections::compile::compile(definition, columns, &self.registry)
    }

    fn compile_aggregates(
        &self,
        text: &str,
        kind: &SqlType,
        columns: &Columns,
        context: &QueryContext,
    ) -> Result<AggregateExpression> {
        let tables = ResolvedTables::default();
        let analyzer = Analyzer::new(&self.registry, Engine::function_env(context), &context.settings, &tables);
        let node = gristmill_sql::statement::parse_expression(text)?;
        let expr = analyzer.aggregates_over_columns(&node, columns, kind)?;
        AggregateExpression::new(stored_only(&analyzer, expr, columns, 0)?, columns)
    }
}

/// The expression with what its names stand for in the place of columns that no part holds.
pub(crate) fn stored_only(analyzer: &Analyzer<'_>, expr: Expr, columns: &Columns, depth: usize) -> Result<Expr> {
    let mut failure = None;
    let expr = expr
        .transform_up(|expr| {
            let Expr::Column(named) = &expr else { return Ok(Transformed::no(expr)) };
            match meant(analyzer, &named.name, columns, depth) {
                Ok(Some(meant)) => Ok(Transformed::yes(meant)),
                Ok(None) => Ok(Transformed::no(expr)),
                Err(error) => {
                    failure = Some(error);
                    Ok(Transformed::no(expr))
                }
            }
        })?
        .data;
    failure.map_or(Ok(expr), Err)
}

fn meant(analyzer: &Analyzer<'_>, name: &str, columns: &Columns, depth: usize) -> Result<Option<Expr>> {
    let Some(column) = columns.get(name) else { return Ok(None) };
    let Some((DefaultKind::Alias | DefaultKind::Ephemeral, text)) = &column.default else { return Ok(None) };
    if text.is_empty() {
        return Ok(Some(lit(column_default(&column.kind))));
    }
    if depth > columns.len() {
        return Err(Error::new(ErrorCode::BAD_ARGUMENTS, format!("Column {name} is computed from itself")));
    }
    let node = gristmill_sql::statement::parse_expression(text)?;
    let typed = analyzer.cast_to(analyzer.over_columns(&node, columns)?, &column.kind)?;
    stored_only(analyzer, typed.expr, columns, depth + 1).map(Some)
}
