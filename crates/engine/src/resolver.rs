//! Tables of the catalog and table functions, made ready for one query.

pub(crate) mod named_files;
mod of_data;
mod table_calls;
mod view_parameters;

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::RecordBatch;
use async_trait::async_trait;
use datafusion::catalog::TableProvider;
use datafusion::datasource::{MemTable, ViewTable};
use datafusion::logical_expr::{Expr, LogicalPlanBuilder};
use futures::TryStreamExt;
use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_catalog::rows_exec::Rows;
use gristmill_catalog::rows_table::{RowsProvider, system_definition};
use gristmill_catalog::{Table, TableDefinition};
use gristmill_introspect::{Event, QueryContext, Use};
use gristmill_sources::{SourceHints, TableFunctionCall};
use gristmill_sql::ast::{Literal, Node};
use gristmill_sql::lower::{
    Analyzer, Lowered, NameNumbers, ResolvedTable, ResolvedTables, SamplingKey, TableResolver, Typed, resolve_tables,
    with_arguments,
};
use gristmill_sql::statement::Statement;
use gristmill_sql::{VIEW_EXPLAIN, explained_text};
use gristmill_types::{Column, Columns, DefaultKind, parse};
use parking_lot::Mutex;

use crate::engine::Engine;
use crate::execution::{Brought, ClientBlocks};
use crate::external::ExternalTable;
use crate::granted_columns::{GrantedColumns, check_columns};
use crate::interpret::{Interpreter, check_function_in_readonly, check_source, may_know, may_read, rows_once};
use crate::looped;
use crate::merged_tables::{self, Merged};
use crate::opener::{join_table, stored_columns};
use crate::projections::compile::kept_aggregates;
use crate::temporary::{TEMPORARY_DATABASE, TemporaryTables};
use crate::text_indexes::indexed_texts;
use crate::views::query::Block;

use self::table_calls::values_of_expressions;
pub use self::table_calls::{call_of, index_call};

pub struct Resolver<'a> {
    pub engine: &'a Arc<Engine>,
    pub context: &'a Arc<QueryContext>,
    pub hints: SourceHints,
    /// What was read, for the query log.
    pub seen: Mutex<Vec<(String, String)>>,
    /// The database of names without one.
    database: String,
    /// How many views are around the query.
    views: usize,
    /// For the names in the plans of the query and of its views.
    names: NameNumbers,
    /// Whether rights are asked for: the query of a materialized view reads as its owner did.
    checks: bool,
    /// The query is refused already: it is only asked which columns it wants.
    denied: bool,
    /// Rows that stand in the place of the table that they are inserted into.
    block: Option<&'a Block>,
    /// Tables of the client's.
    external: &'a [ExternalTable],
    /// The session's; views do not see them.
    temporary: Option<&'a TemporaryTables>,
    /// A client's that `input()` reads.
    blocks: Option<&'a Mutex<Option<Box<dyn ClientBlocks>>>>,
}

/// A view may read views; this many lie in one another at most.
const VIEWS_MAX: usize = 32;

impl<'a> Resolver<'a> {
    pub fn new(engine: &'a Arc<Engine>, context: &'a Arc<QueryContext>, hints: SourceHints) -> Self {
        let database = context.database.clone();
        Resolver {
            engine,
            context,
            hints,
            seen: Mutex::default(),
            database,
            views: 0,
            names: NameNumbers::default(),
            checks: true,
            denied: false,
            block: None,
            external: &[],
            temporary: None,
            blocks: None,
        }
    }

    /// With tables that a statement sees beside those of the catalog.
    pub(crate) fn with(
        self,
        external: &'a [ExternalTable],
        temporary: &'a TemporaryTables,
        blocks: &'a Mutex<Option<Box<dyn ClientBlocks>>>,
    ) -> Self {
        Resolver { external, temporary: Some(temporary), blocks: Some(blocks), ..self }
    }

    /// Of a query that is refused, to find out which columns it wants: its tables say that when the plan is checked.
    pub(crate) fn for_those_denied(self) -> Self {
        Resolver { denied: true, ..self }
    }

    /// Where names without a database are of this one.
    pub(crate) fn within(self, database: &str) -> Self {
        Resolver { database: database.to_string(), ..self }
    }

    /// `input('structure')` of rows that a client sends as blocks; it is told now what to send. `None`: there is no such client.
    fn sent_rows(&self, name: &str, call: &TableFunctionCall) -> Result<Option<ResolvedTable>> {
        let Some(blocks) = self.blocks.and_then(|blocks| blocks.lock().take()) else { return Ok(None) };
        let columns = match &call.positional[..] {
            [structure] => parse::structure_without_defaults(structure.word(), self.context.settings.flatten_nested)?,
            _ => self.hints.insert_target.clone().unwrap_or_default(),
        };
        let provider = rows_once(blocks.begin(&columns, &columns, self.context), &columns, self.context)?;
        Ok(Some(ResolvedTable::of_rows(provider, columns, vec![name.to_string()])))
    }

    /// A table that came with the statement.
    fn external(&self, name: &str) -> Result<Option<ResolvedTable>> {
        let Some(table) = self.external.iter().find(|table| table.name == name) else { return Ok(None) };
        let definition = system_definition(TEMPORARY_DATABASE, name, "Memory", table.columns.clone());
        let rows = Rows::Held(Arc::new(vec![table.batches.clone()]));
        Ok(Some(ResolvedTable::of_rows(
            Arc::new(RowsProvider::new(&definition, rows)),
            table.columns.clone(),
            vec![table.name.clone()],
        )))
    }

    /// For the query of a materialized view, whose names without a database are of this one.
    pub(crate) fn over_block(
        engine: &'a Arc<Engine>,
        context: &'a Arc<QueryContext>,
        hints: SourceHints,
        database: &str,
        block: &'a Block,
    ) -> Self {
        let resolver = Resolver::new(engine, context, hints);
        Resolver { database: database.to_string(), checks: false, block: Some(block), ..resolver }
    }

    /// The inserted rows, where the name is their table's.
    fn block_of(&self, full: &[String]) -> Result<Option<ResolvedTable>> {
        let Some(block) = self.block.filter(|block| full == [&*block.table.database, &*block.table.name]) else {
            return Ok(None);
        };
        Ok(Some(ResolvedTable {
            aliases: alias_columns(&block.table),
            prewhere: true,
            ..ResolvedTable::of_rows(block.provider()?, stored_columns(&block.table.columns), full.to_vec())
        }))
    }

    /// The rows of a materialized view, or of a buffer: those of its target, in the view's columns.
    async fn materialized(&self, view: &TableDefinition, name: Vec<String>, is_final: bool) -> Result<ResolvedTable> {
        let target = self.engine.databases.stored(&view.database, &view.name)?;
        let is_final = is_final || (self.context.settings.final_ && target.supports_final());
        let table = self.ready(target.as_ref(), name.clone(), is_final).await?;
        let columns = stored_columns(&view.columns);
        let same = |(a, b): (&Column, &Column)| a.name == b.name && a.kind == b.kind;
        if columns.len() == table.columns.len() && columns.iter().zip(&table.columns).all(same) {
            return Ok(table);
        }
        let source = datafusion::datasource::provider_as_source(table.provider);
        let plan = LogicalPlanBuilder::scan(self.names.unique("target"), source, None)?.build()?;
        let none = ResolvedTables::default();
        let env = Engine::function_env(self.context);
        let analyzer = Analyzer::new(&self.engine.registry, env, &self.context.settings, &none);
        let mut exprs = Vec::with_capacity(columns.len());
        for column in &columns {
            let found = table.columns.iter().position(|known| known.name == column.name).ok_or_else(|| {
                let text = format!("The target of the view {} has no column {}", name.join("."), column.name);
                Error::new(ErrorCode::NOT_FOUND_COLUMN_IN_BLOCK, text)
            })?;
            let expr = Expr::Column(plan.schema().columns().swap_remove(found));
            let typed = Typed::new(expr, table.columns.0[found].kind.clone());
            exprs.push(analyzer.fitted_to(typed, &column.kind)?.expr.alias(&column.name));
        }
        let plan = LogicalPlanBuilder::from(plan).project(exprs)?.build()?;
        let provider = Arc::new(ViewTable::new(plan, None));
        Ok(ResolvedTable::of_rows(provider, columns, name))
    }

    /// The query of a view as a table of the view's columns.
    async fn view(&self, definition: &TableDefinition, name: Vec<String>) -> Result<ResolvedTable> {
        let [text, database] = &definition.engine.arguments[..] else {
            return Err(Error::logical(format!("The view {} has no query", definition.name)));
        };
        if definition.columns.is_empty() {
            let text = format!("The view {} has parameters: read it as {0}(name = value)", definition.name);
            return Err(Error::new(ErrorCode::EMPTY_LIST_OF_COLUMNS_QUERIED, text));
        }
        if self.views >= VIEWS_MAX {
            let text = format!("The view {} reads views that read views, more than {VIEWS_MAX} deep", definition.name);
            return Err(Error::new(ErrorCode::TOO_DEEP_RECURSION, text));
        }
        self.query_as(text, database, Some(&definition.columns), name).await
    }

    /// The tables that `merge()` or a table of the engine Merge means, as one. `of`: that table.
    async fn merged(&self, merged: &Merged, of: Option<&TableDefinition>, name: Vec<String>) -> Result<ResolvedTable> {
        if self.views >= VIEWS_MAX {
            let text = format!("{} merges tables that merge tables, more than {VIEWS_MAX} deep", name.join("."));
            return Err(Error::new(ErrorCode::TOO_DEEP_RECURSION, text));
        }
        let tables = merged.tables(&self.engine.databases, self.context, of)?;
        let columns = match of {
            Some(definition) => Columns::new(merged_tables::readable_columns(&definition.columns).cloned().collect()),
            None => merged_tables::columns(&tables)?,
        };
        let virtual_columns = merged_tables::virtual_columns();
        let all = Columns::new(columns.iter().chain(virtual_columns.iter()).cloned().collect());
        if tables.is_empty() {
            return Ok(ResolvedTable {
                virtual_columns,
                ..ResolvedTable::of_rows(Arc::new(MemTable::try_new(all.arrow(), vec![Vec::new()])?), columns, name)
            });
        }
        let table = self.query_as(&merged_tables::query(&tables, &columns), &merged.database, Some(&all), name).await?;
        Ok(ResolvedTable { columns, virtual_columns, ..table })
    }

    /// `viewIfPermitted(SELECT … ELSE f(…))`, of which both are texts by now: the first where the user may read what it reads.
    async fn if_permitted(&self, name: &str, arguments: &[Node]) -> Result<ResolvedTable> {
        let [Node::Literal(Literal::Text(query)), Node::Literal(Literal::Text(other))] = arguments else {
            let text = "Write it as viewIfPermitted(SELECT … ELSE null('structure'))";
            return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
        };
        let of = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
        let asked = self.query_as(&of(query), &self.database, None, vec![name.to_string()]).await;
        let permitted = asked.and_then(|table| {
            // Of a table of which some columns are granted it is known only now which the query reads.
            if let Some(plan) = table.provider.get_logical_plan() {
                check_columns(self.engine, self.context, &plan)?;
            }
            Ok(table)
        });
        match permitted {
            Err(error) if error.code() == ErrorCode::ACCESS_DENIED => {
                self.query_as(&of(other), &self.database, None, vec![name.to_string()]).await
            }
            answered => answered,
        }
    }

    /// `viewExplain(…)`, or `(EXPLAIN …)` in the place of a query: what EXPLAIN gives.
    async fn explained(&self, name: &str, arguments: &[Node]) -> Result<ResolvedTable> {
        let text = explained_text(arguments)?;
        let mut settings = self.context.settings.as_ref().clone();
        let (kind, options, statement) = match gristmill_sql::statement::parse(&text, &BTreeMap::new())? {
            Statement::Explain { kind, options, statement } => (kind, options, statement),
            Statement::Shown { statement, after } => match *statement {
                Statement::Explain { kind, options, statement } => {
                    for (name, value) in &after.settings {
                        settings.change(name, value)?;
                    }
                    (kind, options, statement)
                }
                other => return Err(Error::logical(format!("{name} has no EXPLAIN but {}", other.kind()))),
            },
            other => return Err(Error::logical(format!("{name} has no EXPLAIN but {}", other.kind()))),
        };
        if let Statement::Select(select) = statement.as_ref() {
            for (name, value) in &select.settings {
                settings.change(name, value)?;
            }
        }
        let brought = Brought {
            external: self.external.to_vec(),
            temporary: self.temporary.cloned().unwrap_or_default(),
            ..Brought::default()
        };
        let context = self.context.with_settings(settings);
        let interpreter = Interpreter::with(self.engine.clone(), context, brought);
        if self.checks {
            interpreter.check_access(&statement)?;
        }
        let shown = gristmill_base::redact::statement(&text);
        let outcome = interpreter.explain(&shown, &kind, &options, &statement).await?;
        let batches: Vec<RecordBatch> = outcome.rows.try_collect().await?;
        Ok(ResolvedTable::of_rows(
            Arc::new(MemTable::try_new(outcome.columns.arrow(), vec![batches])?),
            outcome.columns,
            vec![name.to_string()],
        ))
    }

    /// What a query over tables of a database gives, in columns of given names and types, or in its own.
    async fn query_as(
        &self,
        text: &str,
        database: &str,
        columns: Option<&Columns>,
        name: Vec<String>,
    ) -> Result<ResolvedTable> {
        self.query_with(text, &BTreeMap::new(), database, columns, name).await
    }

    /// As `query_as`, of a query with parameters.
    async fn query_with(
        &self,
        text: &str,
        parameters: &BTreeMap<String, String>,
        database: &str,
        columns: Option<&Columns>,
        name: Vec<String>,
    ) -> Result<ResolvedTable> {
        let Statement::Select(select) = gristmill_sql::statement::parse(text, parameters)? else {
            return Err(Error::logical(format!("{} has no query but '{text}'", name.join("."))));
        };
        let inner = Resolver {
            hints: hints(self.engine),
            seen: Mutex::default(),
            database: database.to_string(),
            views: self.views + 1,
            names: self.names.clone(),
            block: None,
            external: &[],
            temporary: None,
            blocks: None,
            ..*self
        };
        let query = with_arguments(&select.query, self.sees_with_around());
        let tables = resolve_tables(&query, &inner).await?;
        self.seen.lock().extend(inner.seen.into_inner());
        let env = Engine::function_env(self.context);
        let analyzer = Analyzer::new(&self.engine.registry, env, &self.context.settings, &tables);
        let lowered = analyzer.lower(&query).context(|| format!("in the view {}", name.join(".")))?;
        let own = || Columns::of(lowered.columns.iter().map(|column| (column.name.clone(), column.kind.clone())));
        let columns = columns.cloned().unwrap_or_else(own);
        let mut places = Vec::with_capacity(columns.len());
        for (at, column) in columns.iter().enumerate() {
            let same_name = lowered.columns.iter().position(|found| found.name == column.name);
            // What an expression without a name is called may differ from when the view was made.
            let same_place = || {
                let is_heading = column.name.contains('(') || column.name.starts_with("_subquery");
                (is_heading && lowered.columns.len() == columns.len()).then_some(at)
            };
            places.push(same_name.or_else(same_place).ok_or_else(|| {
                let text = format!("The query of the view {} gives no column {}", name.join("."), column.name);
                Error::new(ErrorCode::UNKNOWN_IDENTIFIER, text)
            })?);
        }
        let shaped = |lowered: Lowered| -> Result<Arc<dyn TableProvider>> {
            let exprs = columns.iter().zip(&places).map(|(column, place)| {
                let found = &lowered.columns[*place];
                let typed = Typed::new(found.expr.clone(), found.kind.clone());
                Ok(analyzer.fitted_to(typed, &column.kind)?.expr.alias(&column.name))
            });
            let exprs = exprs.collect::<Result<Vec<_>>>()?;
            let plan = LogicalPlanBuilder::from(lowered.plan).project(exprs)?.build()?;
            Ok(Arc::new(ViewTable::new(plan, None)))
        };
        let totals = analyzer.lower_totals(&select.query, &lowered.columns)?.map(&shaped).transpose()?;
        let provider = shaped(lowered)?;
        Ok(ResolvedTable { totals, ..ResolvedTable::of_rows(provider, columns, name) })
    }

    async fn ready(&self, table: &dyn Table, name: Vec<String>, is_final: bool) -> Result<ResolvedTable> {
        let provider = match is_final {
            true => table.read_final(self.context).await?,
            false => table.read(self.context).await?,
        };
        let columns = stored_columns(&table.definition().columns);
        let definition = table.definition();
        let aliases = alias_columns(&definition);
        let is_merge_tree = definition.engine.name.ends_with("MergeTree");
        let prewhere = is_merge_tree || reads_files(&definition.engine.name);
        let sampling = definition.sample_by.clone().map(|expression| {
            let rows = table.total_rows().unwrap_or(0);
            SamplingKey { expression, rows }
        });
        let virtual_columns = table.virtual_columns();
        let kept_aggregates = kept_aggregates(&definition);
        let indexed_texts = indexed_texts(&definition);
        Ok(ResolvedTable {
            provider,
            columns,
            virtual_columns,
            aliases,
            ephemeral: ephemeral_columns(&definition),
            prewhere,
            is_merge_tree,
            sampling,
            kept_aggregates,
            indexed_texts,
            name,
            totals: None,
            join: join_table(&definition),
        })
    }
}

#[async_trait]
impl TableResolver for Resolver<'_> {
    async fn table(&self, database: Option<&str>, name: &str, is_final: bool) -> Result<ResolvedTable> {
        if let (None, Some(table)) = (database, self.external(name)?) {
            return Ok(table);
        }
        let temporary = self.temporary.filter(|temporary| temporary.has(name));
        let (database, databases) = match (database, temporary.and_then(TemporaryTables::known)) {
            (None | Some(TEMPORARY_DATABASE), Some(databases)) => (TEMPORARY_DATABASE, databases),
            (database, _) => (database.unwrap_or(&self.database), &self.engine.databases),
        };
        let full = vec![database.to_string(), name.to_string()];
        if let Some(block) = self.block_of(&full)? {
            return Ok(block);
        }
        let all_of_it = match self.checks.then(|| may_read(self.context, database, name)) {
            None => true,
            Some(Err(_)) if self.denied => false,
            Some(may) => may?,
        };
        let found = databases.table_for(database, name, &|database, table| may_know(self.context, database, table));
        let table = match found {
            Err(error) if error.code() == ErrorCode::UNKNOWN_TABLE && !is_final => {
                let file = named_files::arguments(self.engine, database, name).ok_or(error)?;
                return self.function(named_files::FUNCTION, &file).await;
            }
            found => found?,
        };
        self.seen.lock().push((database.to_string(), name.to_string()));
        let definition = table.definition();
        let resolved = self.resolved(table.as_ref(), &definition, full, is_final).await?;
        if all_of_it {
            return Ok(resolved);
        }
        let (context, database, table) = (self.context.clone(), database.to_string(), name.to_string());
        let columns = stored_columns(&definition.columns).names();
        let provider = Arc::new(GrantedColumns { inner: resolved.provider, context, database, table, columns });
        Ok(ResolvedTable { provider, ..resolved })
    }

    async fn function(&self, name: &str, arguments: &[Node]) -> Result<ResolvedTable> {
        if self.denied {
            // They would read what nobody is to have.
            return Err(Error::new(ErrorCode::ACCESS_DENIED, format!("{name}() is not called for a query that is refused")));
        }
        if let Some(view) = self.with_parameters(name, arguments).await? {
            return Ok(view);
        }
        self.context.used.note(Use::TableFunction, name);
        self.context.counters.add(Event::TableFunctionExecute, 1);
        check_function_in_readonly(self.context, name)?;
        if self.checks {
            check_source(self.context, name, false)?;
        }
        if name.eq_ignore_ascii_case("viewIfPermitted") {
            return self.if_permitted(name, arguments).await;
        }
        if name.eq_ignore_ascii_case(looped::FUNCTION) {
            return self.looped(name, arguments).await;
        }
        if name.eq_ignore_ascii_case(VIEW_EXPLAIN) {
            return self.explained(name, arguments).await;
        }
        let call = call_of(self.engine, self.context, name, arguments)?;
        if name == "input"
            && call.positional.len() <= 1
            && let Some(rows) = self.sent_rows(name, &call)?
        {
            return Ok(rows);
        }
        if name.eq_ignore_ascii_case(merged_tables::FUNCTION) {
            let merged = Merged::of_call(&call, &self.database)?;
            return self.merged(&merged, None, vec![name.to_string()]).await;
        }
        if let Some((table, request)) = index_call(self.engine, self.context, &call)? {
            let definition = table.definition();
            if self.checks && !may_read(self.context, &definition.database, &definition.name)? {
                let text = format!("{}() needs SELECT on all of the table {}", call.name, definition.name);
                return Err(Error::new(ErrorCode::ACCESS_DENIED, text));
            }
            let (columns, batches) = table.index_rows(self.context, request, false).await?;
            return Ok(ResolvedTable::of_rows(
                Arc::new(MemTable::try_new(columns.arrow(), vec![batches])?),
                columns,
                vec![name.to_string()],
            ));
        }
        let table = match gristmill_sources::open_table_function(&call, self.context, &self.hints).await {
            Ok(table) => table,
            Err(error) => {
                let values = values_of_expressions(self.engine, self.context, &call).ok_or(error)?;
                gristmill_sources::open_table_function(&values, self.context, &self.hints).await?
            }
        };
        self.seen.lock().push(("_table_function".to_string(), name.to_string()));
        if of_data::is_shaped(&table.definition().columns) {
            return self.shaped(table.as_ref(), name).await;
        }
        self.ready(table.as_ref(), vec![name.to_string()], false).await
    }

    fn names(&self) -> NameNumbers {
        self.names.clone()
    }

    fn sees_with_around(&self) -> bool {
        self.context.settings.enable_global_with_statement
    }
}

impl Resolver<'_> {
    /// A table of the catalog.
    async fn resolved(
        &self,
        table: &dyn Table,
        definition: &TableDefinition,
        full: Vec<String>,
        is_final: bool,
    ) -> Result<ResolvedTable> {
        if definition.materialized_view().is_some() || definition.engine.buffer_target().is_some() {
            return self.materialized(definition, full, is_final).await;
        }
        if definition.engine.name == merged_tables::ENGINE {
            return self.merged(&Merged::of_definition(definition)?, Some(definition), full).await;
        }
        if let Some(call) = definition.function_call() {
            let (text, columns) = (format!("SELECT * FROM {call}"), stored_columns(&definition.columns));
            return self.query_as(&text, &definition.database, Some(&columns), full).await;
        }
        match definition.view_query() {
            // FINAL says nothing of the tables that a view reads; the setting does.
            Some(_) => self.view(definition, full).await,
            None => {
                let is_final = is_final || (self.context.settings.final_ && table.supports_final());
                self.ready(table, full, is_final).await
            }
        }
    }
}

/// Columns that are computed when they are read.
fn alias_columns(definition: &TableDefinition) -> Columns {
    let is_alias = |column: &&Column| matches!(column.default, Some((DefaultKind::Alias, _)));
    Columns::new(definition.columns.iter().filter(is_alias).cloned().collect())
}

/// Names of columns that only feed others.
fn ephemeral_columns(definition: &TableDefinition) -> Vec<String> {
    let is_ephemeral = |column: &&Column| matches!(column.default, Some((DefaultKind::Ephemeral, _)));
    definition.columns.iter().filter(is_ephemeral).map(|column| column.name.clone()).collect()
}

/// Engines and table functions of files and objects.
fn reads_files(engine: &str) -> bool {
    ["s3", "gcs", "url", "file", "azureblobstorage"].iter().any(|known| engine.to_ascii_lowercase().starts_with(known))
}

/// The hints that every table function gets.
pub fn hints(engine: &Engine) -> SourceHints {
    engine.hints.clone()
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
