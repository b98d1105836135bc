//! Calls of table functions: their arguments computed, and calls that stand for others.

use std::sync::Arc;

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::{IndexRowsRequest, Table};
use gristmill_introspect::QueryContext;
use gristmill_sources::{CallArgument, TableFunctionCall};
use gristmill_sql::ast::{Literal, Node};
use gristmill_sql::lower::{Analyzer, ResolvedTables};
use gristmill_types::SqlType;
use gristmill_types::text::{Escaping, TextOptions, ValueWriter};

use crate::engine::{Engine, timezone};
use crate::named_collections::expanded;
use crate::values_call;

/// `mergeTreeIndex(database, table [, with_marks = true] [, with_minmax = true])`: of which table, and what is to be shown. `None`: it is
/// another function.
pub fn index_call(
    engine: &Engine,
    context: &Arc<QueryContext>,
    call: &TableFunctionCall,
) -> Result<Option<(Arc<dyn Table>, IndexRowsRequest)>> {
    const NAME: &str = "mergeTreeIndex";
    if !call.name.eq_ignore_ascii_case(NAME) {
        return Ok(None);
    }
    let [database, table] = &call.positional[..] else {
        return Err(Error::new(
            ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
            format!("Table function '{NAME}' takes a database and a table, got: {} arguments", call.positional.len()),
        ));
    };
    let mut request = IndexRowsRequest::default();
    for (name, value) in &call.named {
        let wanted = match name.as_str() {
            "with_marks" => &mut request.with_marks,
            "with_minmax" => &mut request.with_minmax,
            other => {
                let text = format!("Unknown argument '{other}' of table function {NAME}: with_marks, with_minmax");
                return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
            }
        };
        *wanted = matches!(value.word(), "1" | "true");
    }
    let database = if database.word().is_empty() { context.database.as_str() } else { database.word() };
    Ok(Some((engine.databases.table(database, table.word())?, request)))
}

/// `format(Values, 'structure', '(1 + 1, …), …')` as a call of `values`: what reads data knows literals only. `None`: it is none.
pub(super) fn values_of_expressions(
    engine: &Engine,
    context: &Arc<QueryContext>,
    call: &TableFunctionCall,
) -> Option<TableFunctionCall> {
    let [format, structure, data] = &call.positional[..] else { return None };
    if !call.name.eq_ignore_ascii_case("format") || !format.word().eq_ignore_ascii_case("Values") {
        return None;
    }
    let rows = data.word().trim().trim_end_matches(';');
    let Ok(Node::Call(rows)) = gristmill_sql::statement::parse_expression(&format!("tuple({rows})")) else { return None };
    let nodes: Vec<Node> = std::iter::once(gristmill_sql::ast::text(structure.word())).chain(rows.arguments).collect();
    call_of(engine, context, "values", &nodes).ok()
}

/// A table function's call with its arguments computed.
pub fn call_of(engine: &Engine, context: &Arc<QueryContext>, name: &str, arguments: &[Node]) -> Result<TableFunctionCall> {
    let tables = ResolvedTables::default();
    let analyzer = Analyzer::new(&engine.registry, Engine::function_env(context), &context.settings, &tables);
    let mut call = TableFunctionCall { name: name.to_string(), ..TableFunctionCall::default() };
    if name.eq_ignore_ascii_case("values") {
        call.positional = values_call::arguments(&analyzer, context, arguments)?;
        return Ok(call);
    }
    for node in arguments {
        if let Node::Call(inner) = node
            && inner.name == "equals"
            && let [Node::Name(key), value] = &inner.arguments[..]
        {
            call.named.push((key.join("."), argument(&analyzer, context, value)?));
            continue;
        }
        call.positional.push(argument(&analyzer, context, node)?);
    }
    expanded(call, &engine.access.state(), context)
}

fn argument(analyzer: &Analyzer<'_>, context: &Arc<QueryContext>, node: &Node) -> Result<CallArgument> {
    Ok(match node {
        Node::Name(parts) => CallArgument::Identifier(parts.join(".")),
        Node::Literal(Literal::Text(bytes)) => CallArgument::of_text(bytes.clone()),
        Node::Call(call) if matches!(call.name.to_ascii_lowercase().as_str(), "headers" | "extra_credentials") => {
            let mut pairs = Vec::new();
            for pair in &call.arguments {
                let Node::Call(pair) = pair else { continue };
                if let [key, value] = &pair.arguments[..] {
                    let word = |node: &Node| argument(analyzer, context, node).map(|value| value.word().to_string());
                    pairs.push((word(key)?, word(value)?));
                }
            }
            CallArgument::Pairs(call.name.clone(), pairs)
        }
        other => {
            let (value, kind) = analyzer.constant(other)?;
            let array = value.to_array_of_size(1)?;
            let options = TextOptions::new(Escaping::Plain, timezone(&context.settings)?);
            let mut text = Vec::new();
            ValueWriter::new(&array, &kind, &options)?.write(0, &mut text);
            let lossy = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
            match kind.plain() {
                number if number.is_number() => CallArgument::Number(lossy(&text)),
                // A row of values(…) is written with its own quotes.
                SqlType::Tuple(_) => CallArgument::Identifier(lossy(&text)),
                _ => CallArgument::of_text(text),
            }
        }
    })
}
