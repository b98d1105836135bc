//! EXPLAIN LIMIT SELECT …: the query runs to its end, its rows are counted and dropped, and the report is what comes out.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use futures::StreamExt;
use gristmill_base::{Error, Result};
use gristmill_introspect::limit::LimitReport;
use gristmill_sql::statement::SelectStatement;
use gristmill_types::measure::batch_bytes;

use super::LimitWatch;
use crate::interpret::Interpreter;
use crate::plan;

impl Interpreter {
    /// Errors: those of the query.
    pub(crate) async fn explain_limit(&self, select: &SelectStatement) -> Result<Arc<LimitReport>> {
        let context = &self.context;
        let not_watched = || Error::logical("A query whose limit is asked for was not watched");
        let mut watch = LimitWatch::begin(&self.engine, context, true).await?.ok_or_else(not_watched)?;
        let planned = self.plan_query(&select.query, self.hints(None, None), &mut Vec::new()).await?;
        watch.planned(&planned.physical);
        let mut rows = plan::run(&planned.state, planned.physical, context)?;
        while let Some(batch) = rows.next().await {
            let batch = batch?;
            context.progress.result_rows.fetch_add(batch.num_rows() as u64, Relaxed);
            context.progress.result_bytes.fetch_add(batch_bytes(&batch), Relaxed);
        }
        drop(rows);
        watch.ended(context).ok_or_else(not_watched)
    }
}
