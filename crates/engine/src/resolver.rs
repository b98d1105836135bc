//! Tables of the catalog and table functions, made ready for one query.

use std::sync::Arc;

use async_trait::async_trait;
use gristmill_base::Result;
use gristmill_catalog::Table;
use gristmill_introspect::QueryContext;
use gristmill_sources::{CallArgument, SourceHints, TableFunctionCall};
use gristmill_sql::ast::{Literal, Node};
use gristmill_sql::lower::{Analyzer, ResolvedTable, ResolvedTables, TableResolver};
use gristmill_types::text::{Escaping, TextOptions, ValueWriter};
use gristmill_types::{Columns, DefaultKind, SqlType};
use parking_lot::Mutex;

use crate::engine::{Engine, timezone};
use crate::opener::stored_columns;

pub struct Resolver<'a> {
    pub engine: &'a Engine,
    pub context: &'a Arc<QueryContext>,
    pub hints: SourceHints,
    /// What was read, for the query log.
    pub seen: Mutex<Vec<(String, String)>>,
}

impl<'a> Resolver<'a> {
    pub fn new(engine: &'a Engine, context: &'a Arc<QueryContext>, hints: SourceHints) -> Self {
        Resolver { engine, context, hints, seen: Mutex::default() }
    }

    async fn ready(&self, table: &dyn Table, name: Vec<String>) -> Result<ResolvedTable> {
        let provider = table.read(self.context).await?;
        let columns = stored_columns(&table.definition().columns);
        let definition = table.definition();
        let aliases = definition.columns.iter().filter(|column| matches!(column.default, Some((DefaultKind::Alias, _))));
        let aliases = Columns::new(aliases.cloned().collect());
        let prewhere = definition.engine.name.ends_with("MergeTree") || reads_files(&definition.engine.name);
        Ok(ResolvedTable { provider, columns, virtual_columns: table.virtual_columns(), aliases, prewhere, name })
    }
}

#[async_trait]
impl TableResolver for Resolver<'_> {
    async fn table(&self, database: Option<&str>, name: &str) -> Result<ResolvedTable> {
        let database = database.unwrap_or(&self.context.database);
        let table = self.engine.databases.table(database, name)?;
        self.seen.lock().push((database.to_string(), name.to_string()));
        self.ready(table.as_ref(), vec![database.to_string(), name.to_string()]).await
    }

    async fn function(&self, name: &str, arguments: &[Node]) -> Result<ResolvedTable> {
        let call = call_of(self.engine, self.context, name, arguments)?;
        let table = gristmill_sources::open_table_function(&call, self.context, &self.hints).await?;
        self.seen.lock().push(("_table_function".to_string(), name.to_string()));
        self.ready(table.as_ref(), vec![name.to_string()]).await
    }
}

/// Engines and table functions of files and objects.
fn reads_files(engine: &str) -> bool {
    ["s3", "gcs", "url", "file", "azureblobstorage"].iter().any(|known| engine.to_ascii_lowercase().starts_with(known))
}

/// The hints that every table function gets.
pub fn hints(engine: &Engine) -> SourceHints {
    SourceHints { caches: engine.caches.clone(), ..SourceHints::default() }
}

/// A table function's call with its arguments computed.
pub fn call_of(engine: &Engine, context: &Arc<QueryContext>, name: &str, arguments: &[Node]) -> Result<TableFunctionCall> {
    let tables = ResolvedTables::default();
    let analyzer = Analyzer::new(&engine.registry, Engine::function_env(context), &context.settings, &tables);
    let mut call = TableFunctionCall { name: name.to_string(), ..TableFunctionCall::default() };
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
    Ok(call)
}

fn argument(analyzer: &Analyzer<'_>, context: &Arc<QueryContext>, node: &Node) -> Result<CallArgument> {
    Ok(match node {
        Node::Name(parts) => CallArgument::Identifier(parts.join(".")),
        Node::Literal(Literal::Text(bytes)) => CallArgument::Text(String::from_utf8_lossy(bytes).into_owned()),
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
            let text = String::from_utf8_lossy(&text).into_owned();
            match kind.plain() {
                number if number.is_number() => CallArgument::Number(text),
                // A row of values(…) is written with its own quotes.
                SqlType::Tuple(_) => CallArgument::Identifier(text),
                _ => CallArgument::Text(text),
            }
        }
    })
}

/// Columns that an INSERT without a column list takes: those that are given values, in order.
pub fn insertable(columns: &Columns) -> Columns {
    use gristmill_types::DefaultKind;
    Columns::new(
        columns
            .iter()
            .filter(|column| {
                !matches!(column.default, Some((DefaultKind::Materialized | DefaultKind::Alias | DefaultKind::Ephemeral, _)))
            })
            .cloned()
            .collect(),
    )
}
