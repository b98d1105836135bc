//! The table function `loop(table)`: the rows of a table again and again, for as long as somebody reads them.
//!
//! Each pass plans a scan of its own, since one that has run has nothing left to give. A pass that gave no row is the last one:
//! the next would give none either.

use std::fmt;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::{Result, project_schema};
use datafusion::error::DataFusionError;
use datafusion::execution::{SendableRecordBatchStream, SessionState, TaskContext};
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use futures::{StreamExt, TryStreamExt};
use gristmill_base::{Error, ErrorCode};
use gristmill_sql::ast::{Literal, Node};
use gristmill_sql::lower::{ResolvedTable, TableResolver};

use crate::resolver::Resolver;

pub const FUNCTION: &str = "loop";

#[derive(Debug)]
struct Looped {
    inner: Arc<dyn TableProvider>,
}

impl Resolver<'_> {
    /// `loop(table)`, `loop(database, table)`, `loop(function(…))`: that table, again and again.
    pub(crate) async fn looped(&self, name: &str, arguments: &[Node]) -> gristmill_base::Result<ResolvedTable> {
        let word = |node: &Node| match node {
            Node::Name(parts) => Some(parts.clone()),
            Node::Literal(Literal::Text(bytes)) => Some(vec![String::from_utf8_lossy(bytes).into_owned()]),
            _ => None,
        };
        let words: Option<Vec<String>> = arguments.iter().map(word).collect::<Option<Vec<_>>>().map(|words| words.concat());
        let table = match (arguments, words.as_deref()) {
            (_, Some([table])) => self.table(None, table, false).await?,
            (_, Some([database, table])) => self.table(Some(database.as_str()), table, false).await?,
            ([Node::Call(call)], _) => self.function(&call.name, &call.arguments).await?,
            _ => {
                let text = format!("Table function {name} takes a table, its database and itself, or a table function");
                return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
            }
        };
        let provider = Arc::new(Looped { inner: table.provider });
        // Where its rows lie is nothing that holds for those of several passes.
        Ok(ResolvedTable {
            provider,
            prewhere: false,
            is_merge_tree: false,
            sampling: None,
            kept_aggregates: Vec::new(),
            name: vec![name.to_string()],
            totals: None,
            ..table
        })
    }
}

#[async_trait]
impl TableProvider for Looped {
    fn schema(&self) -> SchemaRef {
        self.inner.schema()
    }

    fn table_type(&self) -> TableType {
        TableType::Temporary
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        _limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let Some(state) = state.as_any().downcast_ref::<SessionState>() else {
            return Err(DataFusionError::Internal("loop() is planned without a session".to_string()));
        };
        let schema = project_schema(&self.schema(), projection)?;
        let passes = Passes {
            table: self.inner.clone(),
            projection: projection.cloned(),
            state: state.clone(),
            schema: schema.clone(),
        };
        // It ends with who reads it; as unbounded, DataFusion would not sort or aggregate it under a LIMIT.
        Ok(Arc::new(StreamingTableExec::try_new(schema, vec![Arc::new(passes)], None, None, false, None)?))
    }
}

/// The scans, one after the other.
struct Passes {
    table: Arc<dyn TableProvider>,
    projection: Option<Vec<usize>>,
    state: SessionState,
    schema: SchemaRef,
}

impl fmt::Debug for Passes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Loop")
    }
}

impl PartitionStream for Passes {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, task: Arc<TaskContext>) -> SendableRecordBatchStream {
        let (table, projection, state) = (self.table.clone(), self.projection.clone(), self.state.clone());
        let passes = futures::stream::unfold(Some(()), move |goes_on| {
            let (table, projection) = (table.clone(), projection.clone());
            let (state, task) = (state.clone(), task.clone());
            async move {
                goes_on?;
                Some(match pass(&*table, projection.as_ref(), &state, task).await {
                    Ok((first, rest)) => {
                        let goes_on = first.is_some().then_some(());
                        (Ok(futures::stream::iter(first.map(Ok)).chain(rest)), goes_on)
                    }
                    Err(error) => (Err(error), None),
                })
            }
        });
        Box::pin(RecordBatchStreamAdapter::new(self.schema.clone(), passes.try_flatten()))
    }
}

/// The first rows of a pass, where there are any, and those that follow them.
async fn pass(
    table: &dyn TableProvider,
    projection: Option<&Vec<usize>>,
    state: &SessionState,
    task: Arc<TaskContext>,
) -> Result<(Option<RecordBatch>, SendableRecordBatchStream)> {
    let plan = table.scan(state, projection, &[], None).await?;
    let mut rows = execute_stream(plan, task)?;
    while let Some(batch) = rows.next().await {
        let batch = batch?;
        if batch.num_rows() > 0 {
            return Ok((Some(batch), rows));
        }
    }
    Ok((None, rows))
}
