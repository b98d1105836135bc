//! A table of which a user may read some columns: whether a query reads others is found out when it is planned, because
//! only then is it known which it reads.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;
use gristmill_access::rights::{Object, denied};
use gristmill_introspect::QueryContext;

use crate::interpret::privilege;

#[derive(Debug)]
pub struct GrantedColumns {
    pub inner: Arc<dyn TableProvider>,
    pub context: Arc<QueryContext>,
    pub database: String,
    pub table: String,
    /// Those that rights are asked for; others are no columns of the table (`_part`).
    pub columns: Vec<String>,
}

impl GrantedColumns {
    /// Error: ACCESS_DENIED, with all the columns that are read.
    fn check(&self, read: impl Iterator<Item = String>) -> Result<()> {
        let mut read: Vec<String> = read.filter(|name| self.columns.contains(name)).collect();
        read.sort_unstable();
        read.dedup();
        let may = |name: &String| {
            let object = Object::column(&self.database, &self.table, name);
            self.context.rights().has(privilege("SELECT"), &object)
        };
        if read.iter().all(may) {
            return Ok(());
        }
        let grant = format!("SELECT({}) ON {}", read.join(", "), Object::table(&self.database, &self.table));
        Err(DataFusionError::from(denied(&self.context.user, &grant)))
    }
}

#[async_trait]
impl TableProvider for GrantedColumns {
    fn schema(&self) -> SchemaRef {
        self.inner.schema()
    }

    fn table_type(&self) -> TableType {
        self.inner.table_type()
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        self.inner.supports_filters_pushdown(filters)
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let schema = self.schema();
        let name = |at: usize| schema.field(at).name().clone();
        let projected: Vec<usize> = projection.cloned().unwrap_or_else(|| (0..schema.fields().len()).collect());
        let filtered = filters.iter().flat_map(|filter| filter.column_refs()).map(|column| column.name.clone());
        self.check(projected.into_iter().map(name).chain(filtered))?;
        self.inner.scan(state, projection, filters, limit).await
    }
}
