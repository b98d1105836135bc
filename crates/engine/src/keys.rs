//! Keys of tables: from their text to expressions that compute and prune.

use std::collections::BTreeSet;
use std::sync::Arc;

use datafusion::common::DFSchema;
use datafusion::logical_expr::Expr;
use datafusion::logical_expr::execution_props::ExecutionProps;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::simplify::SimplifyContext;
use datafusion::optimizer::simplify_expressions::ExprSimplifier;
use datafusion::physical_expr::create_physical_expr;
use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_catalog::{KeyExpression, TableDefinition, direction};
use gristmill_functions::{FunctionEnv, Registry};
use gristmill_introspect::Settings;
use gristmill_sql::ast::Node;
use gristmill_sql::lower::{Analyzer, ResolvedTables, values_of};
use gristmill_sql::sql_text::sql;
use gristmill_sql::statement::parse_expression;
use gristmill_types::Columns;

/// Compiles keys over a table's columns.
pub fn compile(texts: &[String], columns: &Columns, registry: &Registry, env: &FunctionEnv) -> Result<Vec<KeyExpression>> {
    let settings = Settings::default();
    let tables = ResolvedTables::default();
    let analyzer = Analyzer::new(registry, env.clone(), &settings, &tables);
    let schema = Arc::new(DFSchema::try_from(columns.arrow().as_ref().clone())?);
    let simplifier = ExprSimplifier::new(SimplifyContext::builder().with_schema(schema.clone()).build());
    texts
        .iter()
        .map(|text| {
            let (text, descending) = direction(text);
            let node = parse_expression(text)?;
            let typed = analyzer.over_columns(&node, columns).context(|| format!("in the key expression {text}"))?;
            // As the optimizer writes what a query asks, so that the same expression there is known as this one.
            let logical = simplifier.simplify(simplifier.coerce(typed.expr, &schema)?)?;
            let physical =
                create_physical_expr(&logical, &schema, &ExecutionProps::new(), &PhysicalPlanningContext::default())?;
            Ok(KeyExpression { text: text.to_string(), kind: typed.kind, descending, logical, physical })
        })
        .collect()
}

/// The elements of a PARTITION BY: those of a tuple, or the one expression.
pub fn partition_parts(text: &str) -> Result<Vec<String>> {
    Ok(match parse_expression(text)? {
        Node::Call(call) if call.name == "tuple" => call.arguments.iter().map(ToString::to_string).collect(),
        node => vec![node.to_string()],
    })
}

/// The elements of an index: those of a tuple, or the one expression, as they are shown.
pub fn elements(text: &str) -> Result<Vec<String>> {
    Ok(match parse_expression(text)? {
        Node::Call(call) if call.name == "tuple" => call.arguments.iter().map(sql).collect(),
        _ => vec![text.to_string()],
    })
}

/// The first part of an expression that may give something else for the same row in another query.
pub fn changing<'n>(registry: &Registry, node: &'n Node) -> Option<&'n Node> {
    let mut found = None;
    node.walk(&mut |node| {
        if let Node::Call(call) = node
            && registry.find_scalar(&call.name).is_some_and(|function| function.changes())
        {
            found.get_or_insert(node);
        }
        found.is_none()
    });
    found
}

/// What a key may not be when it is declared: it has to give the same for the same row for ever, and each expression of a
/// sorting key has to tell rows apart. Errors: BAD_ARGUMENTS, ILLEGAL_COLUMN.
pub fn check_declared(definition: &TableDefinition, registry: &Registry) -> Result<()> {
    let told = definition.settings.get("allow_suspicious_indices");
    let suspicious = told.is_some_and(|value| matches!(value.as_str(), "1" | "true"));
    let sorting = definition.sorting_key();
    let mut seen = BTreeSet::new();
    for text in &sorting {
        let node = parse_expression(direction(text).0)?;
        check_node(registry, &node, "Sorting key")?;
        if !seen.insert(sql(&node)) && !suspicious {
            return Err(bad(format!(
                "Primary key or secondary index contains a duplicate expression ({}). To suppress this exception, rerun the \
                 command with the table's setting 'allow_suspicious_indices = 1'",
                sql(&node)
            )));
        }
    }
    if let Some(text) = &definition.partition_by {
        check_node(registry, &parse_expression(text)?, "Partition key")?;
    }
    if let Some(text) = &definition.sample_by {
        // What a sample leaves out is pruned, and rows of one key are all in it or none.
        if !definition.primary_key.contains(text) {
            return Err(bad("Sampling expression must be present in the primary key".to_string()));
        }
        let compiled = compile(std::slice::from_ref(text), &definition.stored_columns(), registry, &key_env())?;
        for key in compiled {
            values_of(&key.kind)?;
        }
    }
    Ok(())
}

fn check_node(registry: &Registry, node: &Node, what: &str) -> Result<()> {
    if node.has_subquery() {
        return Err(bad(format!("Key expressions cannot contain subqueries: {}", sql(node))));
    }
    match changing(registry, node) {
        None => Ok(()),
        Some(part) => Err(bad(format!(
            "Expression must be deterministic but it contains non-deterministic part `{}`: for {what}",
            sql(part)
        ))),
    }
}

fn bad(text: String) -> Error {
    Error::new(ErrorCode::BAD_ARGUMENTS, text)
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
        cast_string_to_date_time_mode: Arc::from("basic"),
        addresses: gristmill_functions::AddressRules::default(),
        range_elements_max: gristmill_functions::RANGE_ELEMENTS_MAX,
        json: gristmill_functions::JsonRules::default(),
        limits: gristmill_functions::FunctionLimits::default(),
        asker: gristmill_functions::Asker::default(),
    }
}
