//! One interpreter a kind of statement.

mod access;
mod alter;
mod answered;
mod async_insert;
mod buffers;
mod check;
mod client_rows;
mod column_rules;
mod create;
mod data_blocks;
mod describe;
mod drop_size;
mod entity_changes;
mod estimate;
mod explain;
mod insert;
mod insert_columns;
mod insert_lanes;
mod insert_plan;
mod kill;
mod load;
mod load_steps;
mod manage;
mod materialized_view;
mod named;
mod partition;
mod required;
mod select;
mod state_texts;
mod ttl;
mod user_functions;
mod view;

pub(crate) use access::check_granted;
pub use access::configured_grants;
pub(crate) use async_insert::write_entries;
pub use client_rows::{RowsGiven, rows_to_send};
pub(crate) use insert::rows_once;
pub(crate) use insert_lanes::write_all;
pub(crate) use required::{check_function_in_readonly, check_source, may_know, may_read, missing, privilege};
pub(crate) use select::Planned;

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::{Databases, Table};
use gristmill_introspect::{QueryContext, Stage};
use gristmill_sql::statement::{Statement, TableExpression, TableName};
use gristmill_types::{Columns, SqlType};
use parking_lot::Mutex;

use crate::engine::Engine;
use crate::execution::{Brought, ClientBlocks, Ending, InputData};
use crate::external::ExternalTable;
use crate::limit::LimitWatch;
use crate::temporary::{TEMPORARY_DATABASE, TemporaryTables};

/// What a statement gives: rows, or none and work that is done while the stream is read.
pub struct Outcome {
    pub columns: Columns,
    pub rows: SendableRecordBatchStream,
    /// The row of WITH TOTALS.
    pub totals: Option<RecordBatch>,
}

impl Outcome {
    /// A statement without rows that is already done.
    pub fn done() -> Outcome {
        let columns = Columns::default();
        let schema = columns.arrow();
        Outcome { columns, rows: Box::pin(RecordBatchStreamAdapter::new(schema, futures::stream::empty())), totals: None }
    }

    /// A statement without rows that is done when the stream is read.
    pub fn work(work: impl Future<Output = Result<()>> + Send + 'static) -> Outcome {
        use futures::StreamExt;
        let columns = Columns::default();
        let schema = columns.arrow();
        let stream = futures::stream::once(work).filter_map(|done| async move { done.err().map(|error| Err(error.into())) });
        Outcome { columns, rows: Box::pin(RecordBatchStreamAdapter::new(schema, stream)), totals: None }
    }

    /// Rows that are there.
    pub fn rows(columns: Columns, arrays: Vec<ArrayRef>) -> Result<Outcome> {
        let rows = arrays.first().map_or(0, |array| array.len());
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(columns.arrow(), arrays, &options)?;
        let schema = batch.schema();
        let stream = futures::stream::iter([Ok(batch)]);
        Ok(Outcome { columns, rows: Box::pin(RecordBatchStreamAdapter::new(schema, stream)), totals: None })
    }

    /// String columns of given rows.
    pub fn texts(names: &[&str], rows: &[Vec<String>]) -> Result<Outcome> {
        let columns = Columns::of(names.iter().map(|name| (*name, SqlType::String)));
        let arrays = (0..names.len())
            .map(|at| {
                let values = rows.iter().map(|row| row.get(at).map_or("", String::as_str).as_bytes());
                Arc::new(arrow::array::BinaryViewArray::from_iter_values(values)) as ArrayRef
            })
            .collect();
        Self::rows(columns, arrays)
    }
}

/// Runs one statement.
#[derive(Clone)]
pub struct Interpreter {
    pub engine: Arc<Engine>,
    pub context: Arc<QueryContext>,
    external: Arc<[ExternalTable]>,
    pub(crate) temporary: TemporaryTables,
    /// For the first who asks.
    blocks: Arc<Mutex<Option<Box<dyn ClientBlocks>>>>,
    /// Of a query that is judged when it ends.
    limit: Arc<Mutex<Option<LimitWatch>>>,
    /// How far a SELECT is processed that is the statement itself.
    stage: Stage,
}

impl Interpreter {
    pub(crate) fn new(engine: Arc<Engine>, context: Arc<QueryContext>) -> Self {
        Interpreter::with(engine, context, Brought::default())
    }

    pub(crate) fn with(engine: Arc<Engine>, context: Arc<QueryContext>, brought: Brought) -> Self {
        let blocks = Arc::new(Mutex::new(brought.blocks));
        Interpreter {
            engine,
            context,
            external: brought.external.into(),
            temporary: brought.temporary,
            blocks,
            limit: Arc::default(),
            stage: brought.stage,
        }
    }

    pub(crate) async fn run(&self, statement: Statement, input: Option<InputData>, ending: &mut Ending) -> Result<Outcome> {
        ending.tables = self.tables_named(&statement);
        ending.count();
        self.check_readonly(&statement)?;
        self.check_ddl(&statement)?;
        self.check_access(&statement)?;
        match statement {
            Statement::Select(select) => {
                let outcome = self.select(&select, self.stage, input, &mut ending.tables).await?;
                ending.limit = self.limit.lock().take();
                ending.started();
                Ok(outcome)
            }
            Statement::ShowOf { database, query } => {
                self.engine.databases.database_for(&database, &self.seen())?;
                let outcome = self.select(&query, Stage::Complete, input, &mut ending.tables).await?;
                ending.started();
                Ok(outcome)
            }
            Statement::ShowTemporaryTables { full, filter, limit } => {
                let query = self.temporary_tables(full, &filter, &limit)?;
                let outcome = self.select(&query, Stage::Complete, input, &mut ending.tables).await?;
                ending.started();
                Ok(outcome)
            }
            Statement::Insert(insert) => {
                let outcome = self.insert(insert, input, &mut ending.tables).await?;
                ending.limit = self.limit.lock().take();
                ending.started();
                Ok(outcome)
            }
            Statement::Explain { kind, options, statement } => {
                ending.started();
                self.explain(&self.context.query, &kind, &options, &statement).await
            }
            Statement::CreateTable(create) => {
                ending.started();
                let outcome = self.create_table(*create, &mut ending.tables).await;
                // That of AS SELECT.
                ending.limit = self.limit.lock().take();
                outcome
            }
            Statement::Describe(target) => {
                ending.started();
                self.describe(&target).await
            }
            Statement::Use(database) => {
                ending.started();
                self.engine.databases.database_for(&database, &self.seen())?;
                Ok(Outcome::done())
            }
            Statement::Access(statement) => {
                ending.started();
                self.access(statement).await
            }
            Statement::Set(_) | Statement::SetParameters { .. } => {
                ending.started();
                Ok(Outcome::done())
            }
            other => {
                let rewrites = matches!(
                    other,
                    Statement::Alter { .. }
                        | Statement::Delete { .. }
                        | Statement::Update { .. }
                        | Statement::Optimize { .. }
                );
                let watch = match rewrites {
                    true => LimitWatch::begin(&self.engine, &self.context, false).await?,
                    false => None,
                };
                ending.started();
                let outcome = self.manage(other).await?;
                ending.limit = watch;
                Ok(outcome)
            }
        }
    }

    fn check_readonly(&self, statement: &Statement) -> Result<()> {
        let writes = matches!(
            statement,
            Statement::Insert(_)
                | Statement::CreateTable(_)
                | Statement::CreateDatabase { .. }
                | Statement::CreateFunction { .. }
                | Statement::DropFunction { .. }
                | Statement::DropTable { .. }
                | Statement::DropDatabase { .. }
                | Statement::DetachDatabase { .. }
                | Statement::AttachDatabase { .. }
                | Statement::Truncate { .. }
                | Statement::TruncateDatabase { .. }
                | Statement::Rename { .. }
                | Statement::RenameDatabase { .. }
                | Statement::Optimize { .. }
                | Statement::Alter { .. }
                | Statement::Delete { .. }
                | Statement::Update { .. }
                | Statement::Detach { .. }
                | Statement::Undrop { .. }
                | Statement::Attach { .. }
                | Statement::KillQuery { .. }
                | Statement::KillMutation { .. }
                | Statement::System(_)
                | Statement::FlushAsyncInserts(_)
                | Statement::Merges { .. }
                | Statement::DropLoadLedger { .. }
        ) || matches!(statement, Statement::Access(access) if access.writes());
        let readonly = self.context.settings.readonly;
        if writes && readonly > 0 && (readonly == 1 || !self.is_of_temporary_tables(statement)) {
            return Err(required::readonly(readonly));
        }
        Ok(())
    }

    /// Whether a statement changes the session's own tables and no others: with `readonly` 2 it may.
    fn is_of_temporary_tables(&self, statement: &Statement) -> bool {
        let is_temporary = |name: &TableName| self.full(name).0 == TEMPORARY_DATABASE;
        match statement {
            Statement::CreateTable(create) => create.temporary,
            Statement::Insert(insert) => matches!(&insert.target, TableExpression::Table(name) if is_temporary(name)),
            Statement::DropTable { names, .. } => names.iter().all(is_temporary),
            Statement::Truncate { name, .. } | Statement::Alter { name, .. } => is_temporary(name),
            _ => false,
        }
    }

    /// Errors: QUERY_IS_PROHIBITED.
    fn check_ddl(&self, statement: &Statement) -> Result<()> {
        let changes_definitions = matches!(
            statement,
            Statement::CreateTable(_)
                | Statement::CreateDatabase { .. }
                | Statement::CreateFunction { .. }
                | Statement::DropFunction { .. }
                | Statement::DropTable { .. }
                | Statement::DropDatabase { .. }
                | Statement::DetachDatabase { .. }
                | Statement::AttachDatabase { .. }
                | Statement::Truncate { .. }
                | Statement::TruncateDatabase { .. }
                | Statement::Rename { .. }
                | Statement::RenameDatabase { .. }
                | Statement::Alter { .. }
                | Statement::Detach { .. }
                | Statement::Undrop { .. }
                | Statement::Attach { .. }
        );
        if changes_definitions && !self.context.settings.allow_ddl {
            return Err(Error::new(
                ErrorCode::QUERY_IS_PROHIBITED,
                format!("Cannot execute query. DDL queries are prohibited for the user {}", self.context.user),
            ));
        }
        Ok(())
    }

    /// Database and table that a name means.
    pub(crate) fn full<'n>(&'n self, name: &'n TableName) -> (&'n str, &'n str) {
        let database = match &name.database {
            Some(database) => database,
            None if self.temporary.has(&name.table) => TEMPORARY_DATABASE,
            None => &self.context.database,
        };
        (database, &name.table)
    }

    /// What EXISTS asks for: of the session's temporary tables only with the word TEMPORARY.
    pub(crate) fn asked_for(&self, name: &TableName) -> TableName {
        let database = name.database.clone().unwrap_or_else(|| self.context.database.clone());
        TableName { database: Some(database), table: name.table.clone() }
    }

    /// Errors: UNKNOWN_DATABASE, UNKNOWN_TABLE, with the nearest name that the user may know of.
    pub(crate) fn table(&self, database: &str, name: &str) -> Result<Arc<dyn Table>> {
        self.databases(database).table_for(database, name, &self.seen())
    }

    /// What hints may name.
    pub(crate) fn seen(&self) -> impl Fn(&str, Option<&str>) -> bool {
        let context = self.context.clone();
        move |database, table| may_know(&context, database, table)
    }

    /// The catalog that a database belongs to.
    pub(crate) fn databases(&self, database: &str) -> &Arc<Databases> {
        self.temporary.known().filter(|_| database == TEMPORARY_DATABASE).unwrap_or(&self.engine.databases)
    }
}
