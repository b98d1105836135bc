//! The table of a log: made when it is needed, put aside when it is not what the log declares any more.
//!
//! A table whose columns, engine, partitions or sorting key are others than those declared (an older release wrote it, or the
//! configuration was changed) is renamed to `query_log_0`, or the next number that is free, and a new one is made. A TTL that
//! the configuration says is put into force without that; otherwise it is what statements made of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::RecordBatch;
use futures::TryStreamExt;
use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_catalog::databases::SYSTEM;
use gristmill_catalog::{LogSource, Table, TableDefinition};
use gristmill_introspect::{QueryContext, Settings};
use gristmill_sql::statement::{Statement, parse};
use gristmill_types::Columns;
use gristmill_types::sql_type::quote_identifier;
use parking_lot::Mutex;
use uuid::Uuid;

use super::LogConfig;
use crate::engine::Engine;
use crate::interpret::Interpreter;

pub struct LogTable {
    source: Arc<dyn LogSource>,
    config: LogConfig,
    /// The table that was compared with the declaration.
    known: Mutex<Option<Uuid>>,
}

impl LogTable {
    pub fn of(source: Arc<dyn LogSource>, config: LogConfig) -> LogTable {
        LogTable { source, config, known: Mutex::new(None) }
    }

    fn name(&self) -> &'static str {
        self.source.queue().name()
    }

    /// Work that is no query of anybody.
    fn interpreter(&self, engine: &Arc<Engine>) -> Interpreter {
        let mut settings = Settings::default();
        (settings.log_queries, settings.log_query_views, settings.log_processors_profiles) = (false, false, false);
        (settings.async_insert, settings.insert_deduplicate) = (false, false);
        (settings.mutations_sync, settings.max_threads) = (0, 1);
        let text = format!("INSERT INTO system.{}", self.name());
        let context = QueryContext::new(&text, "", "", SYSTEM, Arc::new(settings), engine.env.clone());
        Interpreter::new(engine.clone(), context)
    }

    async fn declared(&self, engine: &Arc<Engine>) -> Result<TableDefinition> {
        let statement = self.config.create_statement(self.source.as_ref());
        match parse(&statement, &BTreeMap::new())? {
            Statement::CreateTable(create) => self.interpreter(engine).definition(&create, SYSTEM, self.name()).await,
            _ => Err(Error::logical("The statement that makes a log's table makes none")),
        }
    }

    /// The log's table, as it is declared. Errors: those of a configuration that is none.
    pub async fn prepared(&self, engine: &Arc<Engine>) -> Result<Arc<dyn Table>> {
        let databases = &engine.databases;
        let there = match databases.table(SYSTEM, self.name()) {
            Ok(table) => Some(table),
            Err(error) if error.code() == ErrorCode::UNKNOWN_TABLE => None,
            Err(error) => return Err(error),
        };
        let is_known = |table: &Arc<dyn Table>| *self.known.lock() == Some(table.definition().uuid);
        if let Some(table) = there.as_ref().filter(|table| is_known(table)) {
            return Ok(table.clone());
        }
        let context = || format!("while making the table system.{}: see its element in the configuration", self.name());
        let declared = self.declared(engine).await.context(context)?;
        let table = match there {
            Some(table) if is_alike(&table.definition(), &declared) => self.with_ttl(engine, table, &declared).await?,
            Some(_) => {
                self.put_aside(engine).await?;
                databases.create_own_table(declared).await?
            }
            None => databases.create_own_table(declared).await?,
        };
        *self.known.lock() = Some(table.definition().uuid);
        Ok(table)
    }

    /// The table with the TTL that the configuration says; where it says none, with the one that it has.
    async fn with_ttl(
        &self,
        engine: &Arc<Engine>,
        table: Arc<dyn Table>,
        declared: &TableDefinition,
    ) -> Result<Arc<dyn Table>> {
        if self.config.ttl.is_none() || table.definition().ttl.rules == declared.ttl.rules {
            return Ok(table);
        }
        let change = match self.config.ttl.as_deref().unwrap_or_default() {
            "" => "REMOVE TTL".to_string(),
            ttl => format!("MODIFY TTL {ttl}"),
        };
        let statement = format!("ALTER TABLE {SYSTEM}.{} {change}", quote_identifier(self.name()));
        if let Statement::Alter { name, commands } = parse(&statement, &BTreeMap::new())? {
            let outcome = self.interpreter(engine).alter(&name, commands).await?;
            outcome.rows.try_for_each(|_| async { Ok(()) }).await?;
        }
        engine.databases.table(SYSTEM, self.name())
    }

    async fn put_aside(&self, engine: &Arc<Engine>) -> Result<()> {
        let databases = &engine.databases;
        let free =
            (0_u32..).map(|number| format!("{}_{number}", self.name())).find(|name| !databases.has_table(SYSTEM, name));
        let name = free.ok_or_else(|| Error::logical("No name is left for an old log"))?;
        tracing::info!("system.{} has another structure than the log has now: it is renamed to {name}", self.name());
        databases.rename_table((SYSTEM, self.name()), (SYSTEM, &name)).await
    }

    /// Writes rows of the source's columns.
    pub async fn insert(&self, engine: &Arc<Engine>, batch: RecordBatch) -> Result<()> {
        let table = self.prepared(engine).await?;
        let (columns, batch) = kept_columns(self.source.columns(), &table.definition(), batch)?;
        self.interpreter(engine).write_batches(&table, &columns, vec![batch]).await
    }
}

/// Whether rows of one declaration go into a table of the other, and lie there as declared.
fn is_alike(table: &TableDefinition, declared: &TableDefinition) -> bool {
    let columns = |definition: &TableDefinition| -> Vec<(String, String)> {
        definition.columns.iter().map(|column| (column.name.clone(), column.kind.to_string())).collect()
    };
    columns(table) == columns(declared)
        && table.engine == declared.engine
        && table.partition_by == declared.partition_by
        && table.order_by == declared.order_by
}

/// The columns that the table still has: statements may have dropped some.
fn kept_columns(columns: &Columns, table: &TableDefinition, batch: RecordBatch) -> Result<(Columns, RecordBatch)> {
    let is_kept = |at: &usize| table.columns.get(&columns.0[*at].name).is_some_and(|column| column.default.is_none());
    let kept: Vec<usize> = (0..columns.len()).filter(is_kept).collect();
    let batch = batch.project(&kept)?;
    Ok((Columns::new(kept.into_iter().map(|at| columns.0[at].clone()).collect()), batch))
}
