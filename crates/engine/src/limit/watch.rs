//! Watching a query: begun before it is planned, so that its operators are measured, and asked when it is over.

use std::sync::Arc;

use datafusion::physical_plan::ExecutionPlan;
use gristmill_base::Result;
use gristmill_base::machine::{self, ProcessorTime};
use gristmill_calibration::Calibrations;
use gristmill_introspect::QueryContext;
use gristmill_introspect::limit::LimitReport;
use gristmill_introspect::logs::limit_log::limit_log;
use gristmill_mergetree::read::{TableRead, table_reads};
use gristmill_sources::object::reads::files_read;

use super::report::{self, Judged};
use super::times::Aside;
use crate::engine::Engine;

/// What is known of the query before it runs.
pub(crate) struct LimitWatch {
    calibrations: Arc<Calibrations>,
    /// It asks for the report; else it is for the log alone, where the query is long.
    is_asked: bool,
    /// Passed while the machine was measured, which is none of the query's.
    aside: Aside,
    plan: Option<Arc<dyn ExecutionPlan>>,
    /// What the machine's processors had done, where the query asks: to look costs more than a short query should pay.
    begun: Option<ProcessorTime>,
    uncompressed_cache_bytes: u64,
}

impl LimitWatch {
    /// Begins where the query asks (`asked`, `explain_limit`), or where it would be logged. A machine that was never measured
    /// is measured for a query that asks. Errors: those of the query's `check`.
    pub async fn begin(engine: &Engine, context: &Arc<QueryContext>, asked: bool) -> Result<Option<LimitWatch>> {
        let is_asked = asked || context.settings.explain_limit;
        let is_logged = context.settings.log_query_limits_min_duration_ms > 0 && context.settings.log_queries;
        let aside = match is_asked && !engine.calibrations.is_known() {
            true => Aside::of(context, engine.calibration(context)).await?,
            false => Aside::default(),
        };
        if !(is_asked || is_logged && limit_log().is_on() && engine.calibrations.is_known()) {
            return Ok(None);
        }
        match is_asked {
            true => context.plans.want(),
            false => context.plans.keep(),
        }
        let (calibrations, uncompressed_cache_bytes) = (engine.calibrations.clone(), engine.mergetree.granules.limit());
        let begun = if is_asked { machine::processor_time() } else { None };
        Ok(Some(LimitWatch { calibrations, is_asked, aside, plan: None, begun, uncompressed_cache_bytes }))
    }

    /// The plan that the query runs.
    pub fn planned(&mut self, plan: &Arc<dyn ExecutionPlan>) {
        self.plan = Some(plan.clone());
    }

    /// Judges the query, which is over: the report goes to its context and to the log. Nothing where it only would have been
    /// logged, and was short.
    pub fn ended(mut self, context: &Arc<QueryContext>) -> Option<Arc<LimitReport>> {
        let plans = context.plans.take();
        let took = context.elapsed().saturating_sub(self.aside.elapsed);
        if !self.is_asked && took.as_millis() < u128::from(context.settings.log_query_limits_min_duration_ms) {
            return None;
        }
        let calibration = self.calibrations.known()?;
        let plan = self.plan.take();
        let reads: Vec<TableRead> = plan.as_ref().map(table_reads).unwrap_or_default();
        let files = plan.as_ref().map(files_read).unwrap_or_default();
        let judged = Judged {
            calibration: &calibration,
            context,
            plans: &plans,
            reads: &reads,
            files: &files,
            aside: self.aside,
            begun: self.begun,
            uncompressed_cache_bytes: self.uncompressed_cache_bytes,
        };
        let report = Arc::new(report::of(&judged));
        limit_log().add(|| report.as_ref().clone());
        for line in report.lines() {
            tracing::debug!(query_id = context.query_id.as_str(), "{line}");
        }
        let _ = context.limit.set(report.clone());
        Some(report)
    }
}
