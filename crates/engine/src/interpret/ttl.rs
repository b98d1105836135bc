//! TTL clauses: from a statement to a definition, and what they may not say.

use std::collections::BTreeSet;

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::{TableDefinition, TtlAction, TtlRule, TtlSpec, direction};
use gristmill_functions::Registry;
use gristmill_mergetree::read::ONLY_DISK;
use gristmill_sql::ast::Node;
use gristmill_sql::create::ColumnDefinition;
use gristmill_sql::lower::{Analyzer, ResolvedTables};
use gristmill_sql::sql_text::sql;
use gristmill_sql::statement::parse_expression;
use gristmill_sql::ttl::{TtlElement, TtlElementAction};
use gristmill_types::{Columns, SqlType, codec};

use super::Interpreter;
use super::alter::named;
use crate::engine::Engine;
use crate::keys::{changing, partition_parts};

/// Aggregates that give one of the values that they see.
const PICKING: &[&str] = &["min", "max", "any", "anyLast", "first_value", "last_value"];

fn bad(text: String) -> Error {
    Error::new(ErrorCode::BAD_TTL_EXPRESSION, text)
}

/// The elements of a TTL clause as a definition keeps them. Errors: those of the codecs.
pub(super) fn rules(elements: &[TtlElement]) -> Result<Vec<TtlRule>> {
    let texts = |nodes: &[Node]| nodes.iter().map(sql).collect();
    let rule = |element: &TtlElement| {
        let action = match &element.action {
            TtlElementAction::Delete { condition } => TtlAction::Delete { condition: condition.as_ref().map(sql) },
            TtlElementAction::GroupBy { keys, set } => TtlAction::GroupBy {
                keys: texts(keys),
                set: set.iter().map(|(column, value)| (column.clone(), sql(value))).collect(),
            },
            TtlElementAction::Recompress(codec) => {
                TtlAction::Recompress { codec: codec::parse(codec, &SqlType::String, true)?.1 }
            }
            TtlElementAction::Move { volume, name, if_exists } => {
                TtlAction::Move { volume: *volume, name: name.clone(), if_exists: *if_exists }
            }
        };
        Ok(TtlRule { expression: sql(&element.expression), action })
    };
    elements.iter().map(rule).collect()
}

/// The TTL of declared columns.
pub(super) fn of_columns(columns: &[ColumnDefinition]) -> std::collections::BTreeMap<String, String> {
    columns.iter().filter_map(|column| Some((column.name.clone(), sql(column.ttl.as_ref()?)))).collect()
}

impl Interpreter {
    /// Errors: BAD_TTL_EXPRESSION, BAD_ARGUMENTS, ILLEGAL_COLUMN, UNKNOWN_IDENTIFIER, NOT_IMPLEMENTED.
    pub(super) fn check_ttl(&self, definition: &TableDefinition) -> Result<()> {
        let ttl: &TtlSpec = &definition.ttl;
        if ttl.is_empty() {
            return Ok(());
        }
        if !definition.engine.name.ends_with("MergeTree") {
            let text = format!("Engine {} doesn't support TTL clause. Engines that do: *MergeTree", definition.engine.name);
            return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
        }
        let tables = ResolvedTables::default();
        let env = Engine::function_env(&self.context);
        let registry = self.engine.registry.as_ref();
        let analyzer = Analyzer::new(registry, env, &self.context.settings, &tables);
        let keys = key_columns(definition)?;
        for (column, text) in &ttl.columns {
            if keys.contains(column) {
                return Err(Error::new(ErrorCode::ILLEGAL_COLUMN, format!("Trying to set TTL for key column {column}")));
            }
            check_time(registry, &analyzer, text, &definition.columns)?;
        }
        let mut deletes = false;
        for rule in &ttl.rules {
            check_time(registry, &analyzer, &rule.expression, &definition.columns)?;
            match &rule.action {
                TtlAction::Delete { condition: None } => {
                    if std::mem::replace(&mut deletes, true) {
                        let text = "More than one DELETE TTL expression without WHERE expression is not allowed";
                        return Err(bad(text.to_string()));
                    }
                }
                TtlAction::Delete { condition: Some(text) } => {
                    let node = parse_expression(text)?;
                    check_unchanging(registry, text, &node)?;
                    analyzer.condition_over_columns(&node, &definition.columns)?;
                }
                TtlAction::GroupBy { keys, set } => check_group_by(&analyzer, definition, keys, set)?,
                TtlAction::Recompress { .. } => {}
                TtlAction::Move { volume, name, if_exists } if name != ONLY_DISK && !if_exists => {
                    let what = if *volume { "volume" } else { "disk" };
                    return Err(bad(format!(
                        "No such {what} `{name}` for given storage policy: a table lies on the {what} '{ONLY_DISK}'. Leave TO {} out",
                        what.to_uppercase()
                    )));
                }
                TtlAction::Move { .. } => {}
            }
        }
        Ok(())
    }
}

/// Columns in the sorting key and in the partition key.
fn key_columns(definition: &TableDefinition) -> Result<BTreeSet<String>> {
    let mut names = partition_columns(definition)?;
    for key in &definition.sorting_key() {
        names.extend(named(&parse_expression(direction(key).0)?));
    }
    Ok(names)
}

fn partition_columns(definition: &TableDefinition) -> Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    if let Some(text) = &definition.partition_by {
        for part in partition_parts(text)? {
            names.extend(named(&parse_expression(&part)?));
        }
    }
    Ok(names)
}

/// A row would expire now and then not. What another table holds is besides not at hand where parts are merged.
fn check_unchanging(registry: &Registry, text: &str, node: &Node) -> Result<()> {
    if node.has_subquery() {
        return Err(Error::not_implemented(format!(
            "A subquery in TTL ({text}): write its values instead, as in k IN (1, 2), or delete such rows by \
             ALTER TABLE … DELETE WHERE, which may ask other tables"
        )));
    }
    match changing(registry, node) {
        None => Ok(()),
        Some(part) => Err(Error::new(
            ErrorCode::BAD_ARGUMENTS,
            format!("TTL expression cannot contain non-deterministic functions, but {text} contains {}", sql(part)),
        )),
    }
}

/// That an expression gives the time of a row.
fn check_time(registry: &Registry, analyzer: &Analyzer<'_>, text: &str, columns: &Columns) -> Result<()> {
    let node = parse_expression(text)?;
    check_unchanging(registry, text, &node)?;
    let typed = analyzer.over_columns(&node, columns)?;
    if typed.expr.column_refs().is_empty() {
        let text = format!("TTL expression {text} does not depend on any of the columns of the table");
        return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
    }
    if !matches!(typed.kind, SqlType::Date | SqlType::Date32 | SqlType::DateTime(_) | SqlType::DateTime64(..)) {
        return Err(bad(format!(
            "TTL expression result column should have Date, Date32, DateTime or DateTime64 type, but has {}",
            typed.kind
        )));
    }
    Ok(())
}

fn check_group_by(
    analyzer: &Analyzer<'_>,
    definition: &TableDefinition,
    keys: &[String],
    set: &[(String, String)],
) -> Result<()> {
    if !definition.primary_key.starts_with(keys) {
        return Err(bad("TTL Expression GROUP BY key should be a prefix of primary key".to_string()));
    }
    let partition = partition_columns(definition)?;
    let mut seen = BTreeSet::new();
    for (column, text) in set {
        let stored = definition.stored_columns();
        let Some(known) = stored.get(column) else {
            let text = format!("There is no column {column} in table, TTL cannot set it");
            return Err(Error::new(ErrorCode::NO_SUCH_COLUMN_IN_TABLE, text));
        };
        let node = parse_expression(text)?;
        if !analyzer.calls_aggregate(&node) {
            return Err(bad(format!(
                "Invalid expression for assignment of column {column}. Should contain an aggregate function"
            )));
        }
        if !seen.insert(column) {
            return Err(bad("Multiple aggregations set for one column in TTL Expression".to_string()));
        }
        let picks = matches!(&node, Node::Call(call) if PICKING.contains(&call.name.as_str())
            && matches!(&call.arguments[..], [Node::Name(name)] if name.join(".") == *column));
        if partition.contains(column) && !picks {
            return Err(bad(format!(
                "Column {column} is in the partition key: TTL can set it to min, max, any or anyLast of itself only, or rows \
                 would be in the wrong partition"
            )));
        }
        analyzer.aggregates_over_columns(&node, &definition.columns, &known.kind)?;
    }
    Ok(())
}
