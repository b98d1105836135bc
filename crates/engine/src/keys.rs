//! Keys of tables: from their text to expressions that compute and prune.

use std::sync::Arc;

use datafusion::common::DFSchema;
use datafusion::logical_expr::Expr;
use datafusion::logical_expr::execution_props::ExecutionProps;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::physical_expr::create_physical_expr;
use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_catalog::{KeyExpression, direction};
use gristmill_functions::{FunctionEnv, Registry};
use gristmill_introspect::Settings;
use gristmill_sql::ast::Node;
use gristmill_sql::lower::{Analyzer, ResolvedTables};
use gristmill_types::Columns;

/// Compiles keys over a table's columns.
pub fn compile(texts: &[String], columns: &Columns, registry: &Registry, env: &FunctionEnv) -> Result<Vec<KeyExpression>> {
    let settings = Settings::default();
    let tables = ResolvedTables::default();
    let analyzer = Analyzer::new(registry, env.clone(), &settings, &tables);
    let schema = DFSchema::try_from(columns.arrow().as_ref().clone())?;
    texts
        .iter()
        .map(|text| {
            let (text, descending) = direction(text);
            let node = gristmill_sql::statement::parse_expression(text)?;
            let typed = analyzer.over_columns(&node, columns).context(|| format!("in the key expression {text}"))?;
            let physical =
                create_physical_expr(&typed.expr, &schema, &ExecutionProps::new(), &PhysicalPlanningContext::default())?;
            Ok(KeyExpression { text: text.to_string(), kind: typed.kind, descending, logical: typed.expr, physical })
        })
        .collect()
}

/// The elements of a PARTITION BY: those of a tuple, or the one expression.
pub fn partition_parts(text: &str) -> Result<Vec<String>> {
    Ok(match gristmill_sql::statement::parse_expression(text)? {
        Node::Call(call) if call.name == "tuple" => call.arguments.iter().map(ToString::to_string).collect(),
        node => vec![node.to_string()],
    })
}

/// The elements of an index: those of a tuple, or the one expression, as they are shown.
pub fn elements(text: &str) -> Result<Vec<String>> {
    Ok(match gristmill_sql::statement::parse_expression(text)? {
        Node::Call(call) if call.name == "tuple" => call.arguments.iter().map(gristmill_sql::sql_text::sql).collect(),
        _ => vec![text.to_string()],
    })
}

/// A key must give the same for the same row for ever.
pub fn check(keys: &[KeyExpression], what: &str, allow_nullable: bool) -> Result<()> {
    for key in keys {
        if key.kind.is_nullable() && !allow_nullable {
            return Err(Error::new(
                ErrorCode::ILLEGAL_COLUMN,
                format!(
                    "{what} contains nullable columns ({} is {}); use a column that cannot be NULL, assumeNotNull, or the setting allow_nullable_key",
                    key.text, key.kind
                ),
            ));
        }
        if matches!(key.logical, Expr::Literal(..)) && what == "Sorting key" {
            return Err(Error::new(ErrorCode::ILLEGAL_COLUMN, format!("{what} cannot contain constants: {}", key.text)));
        }
    }
    Ok(())
}

/// What functions in keys know: nothing of a session.
pub fn key_env() -> FunctionEnv {
    FunctionEnv {
        timezone: Arc::from(crate::engine::timezone_name(&Settings::default())),
        database: Arc::from("default"),
        user: Arc::from("default"),
        roles: Arc::default(),
        query_id: Arc::from(""),
        now_micros: 0,
        cast_keep_nullable: false,
        date_time_input_format: Arc::from("basic"),
    }
}
