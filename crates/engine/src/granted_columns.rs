//! A table of which a user may read some columns: whether a query reads others is found out when it is planned, because
//! only then is it known which it reads.

use std::any::Any;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::datasource::source_as_provider;
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::{Expr, LogicalPlan, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;
use gristmill_access::rights::Object;
use gristmill_introspect::QueryContext;

use crate::engine::Engine;
use crate::interpret::{missing, privilege};
use crate::plan::session_state;

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
        let right = format!("SELECT({}) ON {}", read.join(", "), Object::table(&self.database, &self.table));
        if !read.iter().all(may) {
            return Err(DataFusionError::from(missing(&self.context, &right)));
        }
        self.context.note_right(true, &right);
        Ok(())
    }

    fn check_scan(&self, projection: Option<&Vec<usize>>, filters: &[Expr]) -> Result<()> {
        let schema = self.schema();
        let name = |at: usize| schema.field(at).name().clone();
        let projected: Vec<usize> = projection.cloned().unwrap_or_else(|| (0..schema.fields().len()).collect());
        let filtered = filters.iter().flat_map(|filter| filter.column_refs()).map(|column| column.name.clone());
        self.check(projected.into_iter().map(name).chain(filtered))
    }
}

/// Asks of all tables in the plan of a query, before it is read. Errors: ACCESS_DENIED.
pub fn check_columns(engine: &Engine, context: &Arc<QueryContext>, plan: &LogicalPlan) -> gristmill_base::Result<()> {
    // Only then does each table say which columns are wanted of it.
    let optimized = session_state(engine, context, plan)?.optimize(plan)?;
    optimized.apply_with_subqueries(|node| {
        if let LogicalPlan::TableScan(scan) = node {
            let provider = source_as_provider(&scan.source)?;
            if let Some(granted) = (provider.as_ref() as &dyn Any).downcast_ref::<GrantedColumns>() {
                granted.check_scan(scan.projection.as_ref(), &scan.filters)?;
            }
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(())
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
        self.check_scan(projection, filters)?;
        self.inner.scan(state, projection, filters, limit).await
    }
}
