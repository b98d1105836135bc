//! A projection's text made into what the storage engine computes: keys, columns, states of aggregates.
//!
//! Every aggregate `f(x)` of the query becomes the state `fState(x)`; what else is done with it (`f(x) + 1`) is done again
//! by the queries that read it. So does a normal projection keep the columns that its expressions are made of, and with
//! `_part_offset` where in its part each row is, by which it is an index of the part.

use std::collections::BTreeSet;

use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_catalog::{
    AggregateExpression, CompiledProjection, KeyExpression, ProjectedAggregate, ProjectionContents, ProjectionDefinition,
    TableDefinition,
};
use gristmill_functions::Registry;
use gristmill_introspect::Settings;
use gristmill_mergetree::projection::PARENT_PART_OFFSET;
use gristmill_mergetree::read::PART_OFFSET;
use gristmill_sql::ast::{Call, Node};
use gristmill_sql::lower::{Analyzer, ResolvedTables, substituted};
use gristmill_sql::sql_text::sql;
use gristmill_sql::statement::{ProjectionNode, parse_projection};
use gristmill_types::{Column, Columns, DefaultKind, SqlType};

use crate::compiler::stored_only;
use crate::keys;
use crate::opener::stored_columns;

/// A projection as a definition keeps it.
pub fn definition(node: &ProjectionNode) -> ProjectionDefinition {
    let texts = |nodes: &[Node]| nodes.iter().map(item).collect();
    ProjectionDefinition {
        name: node.name.clone(),
        select: texts(&node.select),
        group_by: texts(&node.group_by),
        order_by: texts(&node.order_by),
        is_index: node.is_index,
        settings: node.settings.clone(),
    }
}

fn item(node: &Node) -> String {
    match node {
        Node::Aliased(inner, alias) => format!("{} AS {}", sql(inner), gristmill_types::sql_type::quote_identifier(alias)),
        Node::Star(star) if **star == Default::default() => "*".to_string(),
        other => sql(other),
    }
}

/// The calls that a table's aggregate projections keep states of, besides others that have no states.
pub fn kept_aggregates(definition: &TableDefinition) -> Vec<Node> {
    let resolved = definition.projections.iter().filter_map(|projection| Resolved::of(projection).ok());
    let mut calls = Vec::new();
    for node in resolved.flat_map(|resolved| resolved.select) {
        node.walk(&mut |node| {
            calls.extend(matches!(node, Node::Call(_)).then(|| node.clone()));
            true
        });
    }
    calls
}

/// A projection's expressions without aliases: what these stand for is in their place.
pub struct Resolved {
    pub select: Vec<Node>,
    pub group_by: Vec<Node>,
    pub order_by: Vec<Node>,
}

impl Resolved {
    pub fn of(definition: &ProjectionDefinition) -> Result<Resolved> {
        let ProjectionNode { select, group_by, order_by, .. } = parse_projection(&definition.query())?;
        let aliases: Vec<(String, Node)> = select
            .iter()
            .filter_map(|node| match node {
                Node::Aliased(inner, alias) => Some((alias.clone(), inner.as_ref().clone())),
                _ => None,
            })
            .collect();
        let resolved = |node: &Node| {
            let own = match node {
                Node::Aliased(_, alias) => Some(alias),
                _ => None,
            };
            let others = aliases.iter().filter(|(alias, _)| own != Some(alias));
            others.fold(node.bare().clone(), |node, (alias, meant)| substituted(&node, alias, meant))
        };
        let all = |nodes: &[Node]| nodes.iter().map(resolved).collect::<Vec<_>>();
        let group_by = all(&group_by).into_iter().fold(Vec::new(), |mut keys, key| {
            if !keys.contains(&key) {
                keys.push(key);
            }
            keys
        });
        Ok(Resolved { select: all(&select), group_by, order_by: all(&order_by) })
    }

    /// The aggregates that it keeps states of, each once.
    pub fn aggregates(&self, analyzer: &Analyzer<'_>) -> Vec<Call> {
        let mut found: Vec<Call> = Vec::new();
        for node in &self.select {
            node.walk(&mut |node| match node {
                Node::Call(call) if call.over.is_none() && analyzer.is_aggregate(&call.name) => {
                    if !found.contains(call) {
                        found.push(call.clone());
                    }
                    false
                }
                _ => true,
            });
        }
        found
    }
}

/// The call that gives an aggregate's state.
fn state_of(call: &Call) -> Node {
    Node::Call(Call { name: format!("{}State", call.name), ..call.clone() })
}

pub fn compile(definition: &ProjectionDefinition, columns: &Columns, registry: &Registry) -> Result<CompiledProjection> {
    let place = || format!("in projection {}", definition.name);
    compile_query(definition, columns, registry).context(place)
}

fn compile_query(definition: &ProjectionDefinition, columns: &Columns, registry: &Registry) -> Result<CompiledProjection> {
    // An aggregate is kept as it is written, and so is it looked for.
    let mut settings = Settings::default();
    settings.optimize_arithmetic_operations_in_aggregate_functions = false;
    let tables = ResolvedTables::default();
    let analyzer = Analyzer::new(registry, keys::key_env(), &settings, &tables);
    let resolved = Resolved::of(definition)?;
    let all = [&resolved.select, &resolved.group_by, &resolved.order_by];
    all.into_iter().flatten().try_for_each(check_node)?;
    let aggregates = resolved.aggregates(&analyzer);
    let stored = stored_columns(columns);
    if aggregates.is_empty() && resolved.group_by.is_empty() {
        return normal(&resolved, columns, &stored, &analyzer, registry);
    }
    if !resolved.order_by.is_empty() {
        let text = "When aggregation is used in projection, ORDER BY cannot be specified";
        return Err(Error::new(ErrorCode::ILLEGAL_PROJECTION, text));
    }
    for node in &resolved.select {
        check_grouped(node, &resolved.group_by, &analyzer, columns)?;
    }
    let keys = compile_keys(&resolved.group_by, &stored, registry)?;
    if let Some(key) = keys.iter().find(|key| key.kind.plain().is_float()) {
        return Err(Error::new(
            ErrorCode::NOT_IMPLEMENTED,
            format!("{} of type {} as a key of a projection: group by a Decimal or an integer", key.text, key.kind),
        ));
    }
    let state = |call: &Call| -> Result<ProjectedAggregate> {
        if call.distinct || call.filter.is_some() {
            let text = format!("DISTINCT and FILTER in a projection: write {} with a combinator", Node::Call(call.clone()));
            return Err(Error::not_implemented(text));
        }
        let typed = analyzer.aggregate_over_columns(&state_of(call), columns)?;
        if !matches!(typed.kind, SqlType::AggregateFunction(..)) {
            let text = format!("{} has no state that a projection could keep", Node::Call(call.clone()));
            return Err(Error::new(ErrorCode::ILLEGAL_PROJECTION, text));
        }
        let logical = stored_only(&analyzer, typed.expr, columns, 0)?;
        let state = AggregateExpression::new(logical.clone(), &stored)?;
        let plain = analyzer.aggregate_over_columns(&Node::Call(call.clone()), columns)?;
        let plain = stored_only(&analyzer, plain.expr, columns, 0)?;
        let name = Node::Call(call.clone()).to_string();
        let merging =
            Call { name: format!("{}Merge", call.name), arguments: vec![Node::Name(vec![name.clone()])], ..call.clone() };
        let kept = Columns::of([(name.clone(), typed.kind.clone())]);
        let merged = analyzer.aggregate_over_columns(&Node::Call(merging), &kept)?.expr;
        Ok(ProjectedAggregate { name, kind: typed.kind, plain, merged, logical, state })
    };
    let aggregates = aggregates.iter().map(state).collect::<Result<_>>()?;
    Ok(CompiledProjection { keys, contents: ProjectionContents::Aggregate(aggregates) })
}

fn compile_keys(nodes: &[Node], stored: &Columns, registry: &Registry) -> Result<Vec<KeyExpression>> {
    let texts: Vec<String> = nodes.iter().map(ToString::to_string).collect();
    let keys = keys::compile(&texts, stored, registry, &keys::key_env())?;
    for key in &keys {
        if key.logical.is_volatile() {
            return Err(Error::new(
                ErrorCode::BAD_ARGUMENTS,
                format!("Expression must be deterministic but it contains non-deterministic part `{}`", key.text),
            ));
        }
        if key.logical.column_refs().is_empty() {
            return Err(Error::new(ErrorCode::ILLEGAL_COLUMN, "Sorting key cannot contain constants"));
        }
    }
    Ok(keys)
}

fn normal(
    resolved: &Resolved,
    columns: &Columns,
    stored: &Columns,
    analyzer: &Analyzer<'_>,
    registry: &Registry,
) -> Result<CompiledProjection> {
    if resolved.order_by.is_empty() {
        return Err(Error::new(ErrorCode::BAD_ARGUMENTS, "ORDER BY cannot be empty"));
    }
    let keys = compile_keys(&resolved.order_by, stored, registry)?;
    let mut kept: BTreeSet<String> =
        keys.iter().flat_map(|key| key.logical.column_refs()).map(|column| column.name.clone()).collect();
    // A column of the table goes before a virtual one of its name.
    let offset = stored.get(PART_OFFSET).is_none().then(|| Column::new(PART_OFFSET, SqlType::UInt64));
    let known = Columns::new(columns.iter().cloned().chain(offset).collect());
    for node in &resolved.select {
        if let Node::Star(star) = node {
            if **star != Default::default() {
                return Err(Error::not_implemented("Modifiers of * in a projection: name the columns"));
            }
            let of_star = |kind: &DefaultKind| *kind == DefaultKind::Default;
            let shown = columns.iter().filter(|column| column.default.as_ref().is_none_or(|(kind, _)| of_star(kind)));
            kept.extend(shown.map(|column| column.name.clone()));
            continue;
        }
        let expr = stored_only(analyzer, analyzer.over_columns(node, &known)?.expr, columns, 0)?;
        kept.extend(expr.column_refs().into_iter().map(|column| column.name.clone()));
    }
    let has_offsets = stored.get(PART_OFFSET).is_none() && kept.contains(PART_OFFSET);
    if has_offsets && kept.contains(PARENT_PART_OFFSET) {
        let text = format!("Column {PARENT_PART_OFFSET} in a projection with {PART_OFFSET}, which is kept by this name");
        return Err(Error::new(ErrorCode::ILLEGAL_COLUMN, text));
    }
    // In the order of the table.
    let columns = stored.names().into_iter().filter(|name| kept.contains(name)).collect();
    Ok(CompiledProjection { keys, contents: ProjectionContents::Normal { columns, has_offsets } })
}

/// What no part can compute by itself has no place in a projection.
fn check_node(node: &Node) -> Result<()> {
    let mut refused = None;
    node.walk(&mut |node| {
        let what = match node {
            Node::Subquery(_) | Node::Exists { .. } => Some("A subquery"),
            Node::In { set: gristmill_sql::ast::InSet::Query(_), .. } => Some("A subquery"),
            Node::Call(call) if call.over.is_some() => Some("A window function"),
            Node::Call(call) if call.name == "arrayJoin" => Some("arrayJoin"),
            _ => None,
        };
        refused = refused.or(what);
        refused.is_none()
    });
    match refused {
        Some(what) => Err(Error::not_implemented(format!("{what} in a projection"))),
        None => Ok(()),
    }
}

/// Beside aggregates only keys are named. Errors: NOT_AN_AGGREGATE.
fn check_grouped(node: &Node, keys: &[Node], analyzer: &Analyzer<'_>, columns: &Columns) -> Result<()> {
    let mut outside: Option<&Node> = None;
    node.walk(&mut |node| {
        if keys.contains(node) {
            return false;
        }
        match node {
            Node::Call(call) if call.over.is_none() && analyzer.is_aggregate(&call.name) => false,
            Node::Name(_) | Node::Star(_) => {
                outside = outside.or(Some(node));
                false
            }
            _ => true,
        }
    });
    let Some(name) = outside else { return Ok(()) };
    if !matches!(name, Node::Star(_)) {
        // A name that means nothing at all is another error.
        analyzer.over_columns(name, columns)?;
    }
    let text = format!("Column {name} is not under aggregate function and not in GROUP BY keys");
    Err(Error::new(ErrorCode::NOT_AN_AGGREGATE, text))
}
