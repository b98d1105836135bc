//! A table whose rows are made when it is read: the system tables.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::Statistics;
use datafusion::common::stats::Precision;
use datafusion::error::Result as DataFusionResult;
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_plan::ExecutionPlan;
use gristmill_base::Result;
use gristmill_introspect::QueryContext;
use gristmill_types::Columns;
use indexmap::IndexMap;
use uuid::Uuid;

use crate::column_keys::ColumnKeys;
use crate::databases::full_name;
use crate::definition::{EngineSpec, TableDefinition, WrittenKeys};
use crate::rows_exec::{RowSource, Rows, RowsExec};
use crate::table::{ReadInOneStream, Table};

/// What a `RowsTable` calls when it is read; the batches carry its columns in their order.
pub type RowsFuture = Pin<Box<dyn Future<Output = Result<Vec<RecordBatch>>> + Send>>;
pub type RowsFunction = Arc<dyn Fn(Arc<QueryContext>) -> RowsFuture + Send + Sync>;

#[derive(Clone)]
pub struct RowsTable {
    definition: Arc<TableDefinition>,
    rows: Arc<dyn RowSource>,
}

struct Function(RowsFunction);

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Function")
    }
}

#[async_trait]
impl RowSource for Function {
    async fn rows(&self, context: &Arc<QueryContext>) -> Result<Vec<RecordBatch>> {
        (self.0)(context.clone()).await
    }
}

impl fmt::Debug for RowsTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RowsTable({})", full_name(&self.definition.database, &self.definition.name))
    }
}

impl RowsTable {
    pub fn new(database: &str, name: &str, engine: &str, columns: Columns, rows: RowsFunction) -> Self {
        RowsTable { definition: system_definition(database, name, engine, columns), rows: Arc::new(Function(rows)) }
    }

    /// With rows that are made without waiting.
    pub fn sync(
        database: &str,
        name: &str,
        engine: &str,
        columns: Columns,
        rows: impl Fn(&Arc<QueryContext>) -> Result<Vec<RecordBatch>> + Send + Sync + 'static,
    ) -> Self {
        let rows = move |context: Arc<QueryContext>| -> RowsFuture {
            let made = rows(&context);
            Box::pin(std::future::ready(made))
        };
        Self::new(database, name, engine, columns, Arc::new(rows))
    }
}

/// The definition of a table that no statement created.
pub fn system_definition(database: &str, name: &str, engine: &str, columns: Columns) -> Arc<TableDefinition> {
    Arc::new(TableDefinition {
        uuid: Uuid::nil(),
        database: database.to_string(),
        name: name.to_string(),
        engine: EngineSpec { name: engine.to_string(), arguments: Vec::new() },
        columns,
        partition_by: None,
        order_by: Vec::new(),
        primary_key: Vec::new(),
        sample_by: None,
        written_keys: WrittenKeys::default(),
        settings: IndexMap::new(),
        comment: String::new(),
        temporary: false,
        column_keys: ColumnKeys::default(),
        skip_indexes: Vec::new(),
        projections: Vec::new(),
        ttl: crate::ttl::TtlSpec::default(),
        constraints: Vec::new(),
    })
}

#[async_trait]
impl Table for RowsTable {
    fn definition(&self) -> Arc<TableDefinition> {
        self.definition.clone()
    }

    async fn read(&self, _context: &Arc<QueryContext>) -> Result<Arc<dyn TableProvider>> {
        Ok(Arc::new(RowsProvider::new(&self.definition, Rows::Made(self.rows.clone()))))
    }

    fn renamed(&self, definition: Arc<TableDefinition>) -> Result<Arc<dyn Table>> {
        Ok(Arc::new(RowsTable { definition, rows: self.rows.clone() }))
    }
}

/// Gives `RowsExec`s.
#[derive(Debug)]
pub struct RowsProvider {
    table: String,
    schema: SchemaRef,
    rows: Rows,
}

impl RowsProvider {
    /// `rows` carry the stored columns of the definition.
    pub fn new(definition: &TableDefinition, rows: Rows) -> Self {
        RowsProvider {
            table: full_name(&definition.database, &definition.name),
            schema: definition.stored_columns().arrow(),
            rows,
        }
    }
}

#[async_trait]
impl TableProvider for RowsProvider {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn statistics(&self) -> Option<Statistics> {
        let Rows::Held(partitions) = &self.rows else { return None };
        let mut known = Statistics::new_unknown(&self.schema);
        // Not their bytes: that would be a walk over all buffers for each query.
        known.num_rows = Precision::Exact(partitions.iter().flatten().map(RecordBatch::num_rows).sum());
        Some(known)
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        limit: Option<usize>,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        let streams = match state.config().get_extension::<ReadInOneStream>() {
            Some(_) => 1,
            None => state.config().target_partitions(),
        };
        let rows = match &self.rows {
            Rows::Held(partitions) => Rows::Held(Arc::new(share_out(partitions, streams))),
            made => made.clone(),
        };
        Ok(Arc::new(RowsExec::new(&self.table, &self.schema, rows, projection, limit)?))
    }
}

/// The batches in `parts` shares of about as many rows each, in their order.
fn share_out(partitions: &[Vec<RecordBatch>], parts: usize) -> Vec<Vec<RecordBatch>> {
    let batches: Vec<&RecordBatch> = partitions.iter().flatten().collect();
    let total: usize = batches.iter().map(|batch| batch.num_rows()).sum();
    let mut shares: Vec<Vec<RecordBatch>> = vec![Vec::new(); parts.clamp(1, batches.len().max(1))];
    let share_rows = total.div_ceil(shares.len()).max(1);
    let mut before = 0;
    for batch in batches {
        // By the batch's middle row, so that no share is left empty where another has two.
        let at = ((before + batch.num_rows() / 2) / share_rows).min(shares.len() - 1);
        shares[at].push(batch.clone());
        before += batch.num_rows();
    }
    shares
}
