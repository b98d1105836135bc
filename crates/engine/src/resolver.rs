//! Tables of the catalog and table functions, made ready for one query.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::datasource::ViewTable;
use datafusion::logical_expr::LogicalPlanBuilder;
use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_catalog::{Table, TableDefinition};
use gristmill_introspect::QueryContext;
use gristmill_sources::{CallArgument, SourceHints, TableFunctionCall};
use gristmill_sql::ast::{Literal, Node};
use gristmill_sql::lower::{Analyzer, ResolvedTable, ResolvedTables, TableResolver, Typed, resolve_tables};
use gristmill_sql::statement::Statement;
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
    /// The database of names without one.
    database: String,
    /// How many views are around the query.
    views: usize,
}

/// A view may read views; this many lie in one another at most.
const VIEWS_MAX: usize = 32;

impl<'a> Resolver<'a> {
    pub fn new(engine: &'a Engine, context: &'a Arc<QueryContext>, hints: SourceHints) -> Self {
        Resolver { engine, context, hints, seen: Mutex::default(), database: context.database.clone(), views: 0 }
    }

    /// The query of a view as a table of the view's columns.
    async fn view(&self, definition: &TableDefinition, name: Vec<String>) -> Result<ResolvedTable> {
        let [text, database] = &definition.engine.arguments[..] else {
            return Err(Error::logical(format!("The view {} has no query", definition.name)));
        };
        if self.views >= VIEWS_MAX {
            let text = format!("The view {} reads views that read views, more than {VIEWS_MAX} deep", definition.name);
            return Err(Error::new(ErrorCode::TOO_DEEP_RECURSION, text));
        }
        let Statement::Select(select) = gristmill_sql::statement::parse(text, &BTreeMap::new())? else {
            return Err(Error::logical(format!("The view {} has no query but '{text}'", definition.name)));
        };
        let inner = Resolver {
            hints: hints(self.engine),
            seen: Mutex::default(),
            database: database.clone(),
            views: self.views + 1,
            ..*self
        };
        let tables = resolve_tables(&select.query, &inner).await?;
        self.seen.lock().extend(inner.seen.into_inner());
        let env = Engine::function_env(self.context);
        let analyzer = Analyzer::new(&self.engine.registry, env, &self.context.settings, &tables);
        let lowered = analyzer.lower(&select.query).context(|| format!("in the view {}", name.join(".")))?;
        let mut exprs = Vec::with_capacity(definition.columns.len());
        for column in &definition.columns {
            let found = lowered.columns.iter().find(|found| found.name == column.name).ok_or_else(|| {
                let text = format!("The query of the view {} gives no column {}", name.join("."), column.name);
                Error::new(ErrorCode::UNKNOWN_IDENTIFIER, text)
            })?;
            let typed = Typed::new(found.expr.clone(), found.kind.clone());
            exprs.push(analyzer.cast_to(typed, &column.kind)?.expr.alias(&column.name));
        }
        let plan = LogicalPlanBuilder::from(lowered.plan).project(exprs)?.build()?;
        Ok(ResolvedTable {
            provider: Arc::new(ViewTable::new(plan, None)),
            columns: definition.columns.clone(),
            virtual_columns: Columns::default(),
            aliases: Columns::default(),
            prewhere: false,
            name,
        })
    }

    async fn ready(&self, table: &dyn Table, name: Vec<String>, is_final: bool) -> Result<ResolvedTable> {
        let provider = match is_final {
            true => table.read_final(self.context).await?,
            false => table.read(self.context).await?,
        };
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
    async fn table(&self, database: Option<&str>, name: &str, is_final: bool) -> Result<ResolvedTable> {
        let database = database.unwrap_or(&self.database);
        let table = self.engine.databases.table(database, name)?;
        self.seen.lock().push((database.to_string(), name.to_string()));
        let full = vec![database.to_string(), name.to_string()];
        let definition = table.definition();
        match definition.view_query() {
            // FINAL says nothing of the tables that a view reads; the setting does.
            Some(_) => self.view(&definition, full).await,
            None => {
                let is_final = is_final || (self.context.settings.final_ && table.supports_final());
                self.ready(table.as_ref(), full, is_final).await
            }
        }
    }

    async fn function(&self, name: &str, arguments: &[Node]) -> Result<ResolvedTable> {
        let call = call_of(self.engine, self.context, name, arguments)?;
        let table = gristmill_sources::open_table_function(&call, self.context, &self.hints).await?;
        self.seen.lock().push(("_table_function".to_string(), name.to_string()));
        self.ready(table.as_ref(), vec![name.to_string()], false).await
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
