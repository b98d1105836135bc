//! A sequence as a table and as a provider for plans.

use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::stats::Precision;
use datafusion::common::{Result as DataFusionResult, Statistics};
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::{Table, TableDefinition};
use gristmill_introspect::QueryContext;

use super::Sequence;
use super::exec::SequenceExec;
use crate::function_table::definition;

#[derive(Debug)]
pub struct SequenceTable {
    sequence: Arc<dyn Sequence>,
    definition: Arc<TableDefinition>,
}

impl SequenceTable {
    /// `engine` is the name that system.tables shows, such as `SystemNumbers`.
    pub fn of(engine: &str, function: &str, sequence: impl Sequence + 'static) -> Arc<dyn Table> {
        let definition = definition(engine, function, sequence.columns());
        Arc::new(SequenceTable { sequence: Arc::new(sequence), definition })
    }
}

#[async_trait]
impl Table for SequenceTable {
    fn definition(&self) -> Arc<TableDefinition> {
        self.definition.clone()
    }

    async fn read(&self, context: &Arc<QueryContext>) -> Result<Arc<dyn TableProvider>> {
        let schema = self.definition.columns.arrow();
        let rows_max = if context.settings.breaks_off_reading() { 0 } else { context.settings.max_rows_to_read };
        Ok(Arc::new(SequenceProvider { sequence: self.sequence.clone(), schema, threads: context.threads(), rows_max }))
    }

    fn renamed(&self, definition: Arc<TableDefinition>) -> Result<Arc<dyn Table>> {
        Ok(Arc::new(SequenceTable { sequence: self.sequence.clone(), definition }))
    }

    fn total_rows(&self) -> Option<u64> {
        self.sequence.rows()
    }
}

#[derive(Debug)]
struct SequenceProvider {
    sequence: Arc<dyn Sequence>,
    schema: SchemaRef,
    threads: usize,
    /// `max_rows_to_read`; 0: no limit.
    rows_max: u64,
}

/// Whether a table's rows are made up one after the other, and keep that order: not those of `numbers_mt`.
pub fn is_sequence(provider: &dyn TableProvider) -> bool {
    provider.downcast_ref::<SequenceProvider>().is_some_and(|provider| !provider.sequence.eager_partitions())
}

#[async_trait]
impl TableProvider for SequenceProvider {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn statistics(&self) -> Option<Statistics> {
        let mut known = Statistics::new_unknown(&self.schema);
        known.num_rows = Precision::Exact(usize::try_from(self.sequence.rows()?).ok()?);
        Some(known)
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> DataFusionResult<Vec<TableProviderFilterPushDown>> {
        let answer = |filter: &&Expr| match (self.sequence.narrow(filter), self.sequence.bounds(filter)) {
            (Some(_), _) => TableProviderFilterPushDown::Exact,
            (None, Some(_)) => TableProviderFilterPushDown::Inexact,
            (None, None) => TableProviderFilterPushDown::Unsupported,
        };
        Ok(filters.iter().map(answer).collect())
    }

    async fn scan(
        &self,
        _: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        let projection = projection.cloned().unwrap_or_else(|| (0..self.schema.fields().len()).collect());
        let narrowed = filters
            .iter()
            .filter_map(|filter| self.sequence.narrow(filter).or_else(|| self.sequence.bounds(filter)))
            .fold(0..u64::MAX, |a, b| a.start.max(b.start)..a.end.min(b.end));
        let exec = SequenceExec::new(self.sequence.clone(), projection, narrowed, limit, self.threads)?;
        // How many rows there are is known before any is made; some queries need none made to know that too.
        if let Some(rows) = exec.rows()
            && self.sequence.ascending().is_some()
            && self.rows_max > 0
            && rows > self.rows_max
        {
            let text = format!("Limit for rows to read exceeded, max rows: {}, current rows: {rows}", self.rows_max);
            return Err(Error::new(ErrorCode::TOO_MANY_ROWS, text).into());
        }
        Ok(Arc::new(exec))
    }
}
