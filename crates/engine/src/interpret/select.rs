//! SELECT: resolve tables, lower, compute sets, plan, run.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use arrow::array::RecordBatch;
use datafusion::execution::SessionState;
use datafusion::physical_plan::ExecutionPlan;
use gristmill_base::{ErrorCode, Result, runtime, units};
use gristmill_formats::{Compression, Format};
use gristmill_introspect::{Stage, tell};
use gristmill_mergetree::read::{read_states, tell_reads};
use gristmill_sources::{SharedInput, SourceHints};
use gristmill_sql::lower::{Analyzer, Lowered, resolve_tables, with_arguments};
use gristmill_sql::statement::SelectStatement;
use gristmill_types::Columns;
use sqlparser::ast::Query;

use super::{Interpreter, Outcome};
use crate::engine::Engine;
use crate::execution::InputData;
use crate::granted_columns::check_columns;
use crate::limit::LimitWatch;
use crate::projections::used;
use crate::resolver::{Resolver, hints};
use crate::{before_limit, plan, plan_hash, sets};

/// Text of a query that is planned sooner than a thread is woken: longer ones are planned aside.
const SHORT_BYTES: usize = 256;

fn operators(plan: &Arc<dyn ExecutionPlan>) -> usize {
    1 + plan.children().into_iter().map(operators).sum::<usize>()
}

/// A query that is planned and not yet run.
pub(crate) struct Planned {
    pub state: SessionState,
    pub lowered: Lowered,
    pub physical: Arc<dyn ExecutionPlan>,
    /// The row of totals, lowered.
    pub totals: Option<Lowered>,
}

impl Interpreter {
    pub(crate) async fn select(
        &self,
        select: &SelectStatement,
        stage: Stage,
        input: Option<InputData>,
        tables: &mut Vec<(String, String)>,
    ) -> Result<Outcome> {
        let hints = self.hints(input, None);
        let watch = LimitWatch::begin(&self.engine, &self.context, false).await?;
        let planned = self.plan_up_to(&select.query, stage, hints, tables).await?;
        self.context.plan_hash.store(plan_hash::of(&planned.physical), Relaxed);
        if let Some(mut watch) = watch {
            watch.planned(&planned.physical);
            *self.limit.lock() = Some(watch);
        }
        let columns = planned.lowered.columns();
        let totals = match planned.totals {
            Some(lowered) => self.totals(lowered, &columns).await?,
            None => None,
        };
        let rows = plan::run(&planned.state, planned.physical.clone(), &self.context)?;
        let rows = before_limit::told(rows, &planned.lowered.plan, planned.physical, &self.context);
        Ok(Outcome { columns, rows, totals })
    }

    /// The row of WITH TOTALS.
    async fn totals(&self, lowered: Lowered, columns: &Columns) -> Result<Option<RecordBatch>> {
        let planned = self.plan_lowered(lowered).await?;
        let batches = plan::collect_up_to(&planned.state, &planned.lowered.plan, &self.context, plan::Most::ONE_ROW)
            .await?
            .unwrap_or_default();
        match batches.into_iter().find(|batch| batch.num_rows() > 0) {
            Some(batch) => Ok(Some(RecordBatch::try_new(columns.arrow(), batch.columns().to_vec())?)),
            None => Ok(None),
        }
    }

    /// `format`: of the data that comes with the statement, where the statement says it.
    pub(crate) fn hints(&self, input: Option<InputData>, format: Option<Format>) -> SourceHints {
        let input = input.map(|data| SharedInput::new(data, format, Compression::None));
        SourceHints { input, ..hints(&self.engine) }
    }

    /// Lowers a query with its tables resolved.
    pub(crate) async fn lower(
        &self,
        query: &Query,
        hints: SourceHints,
        tables: &mut Vec<(String, String)>,
    ) -> Result<Lowered> {
        Ok(self.lower_within(&self.context.database, query, Stage::Complete, hints, tables).await?.0)
    }

    /// As `lower`, where names without a database are of this one; the totals of the query as well, where it has some.
    async fn lower_within(
        &self,
        database: &str,
        query: &Query,
        stage: Stage,
        hints: SourceHints,
        tables: &mut Vec<(String, String)>,
    ) -> Result<(Lowered, Option<Lowered>)> {
        let query = &*with_arguments(query, self.context.settings.enable_global_with_statement);
        let resolver = Resolver::new(&self.engine, &self.context, hints).with(&self.external, &self.temporary, &self.blocks);
        let resolver = resolver.within(database);
        let resolved = match self.context.cancellable(resolve_tables(query, &resolver)).await {
            Err(error) if error.code() == ErrorCode::ACCESS_DENIED => {
                self.note_denied_columns(database, query).await;
                return Err(error);
            }
            resolved => resolved?,
        };
        tables.extend(resolver.seen.into_inner());
        let env = Engine::function_env(&self.context);
        let analyzer = Analyzer::new(&self.engine.registry, env, &self.context.settings, &resolved);
        let mut lowered = match self.context.query.len() > SHORT_BYTES {
            true => runtime::aside(|| analyzer.lower_up_to(query, stage))?,
            false => analyzer.lower_up_to(query, stage)?,
        };
        // What concerns the result is left to who makes it.
        if stage != Stage::Complete {
            return Ok((lowered, None));
        }
        let totals = analyzer.lower_totals(query, &lowered.columns)?;
        lowered = analyzer.filtered_result(lowered)?;
        let settings = &self.context.settings;
        if settings.limit > 0 || settings.offset > 0 {
            let fetch = (settings.limit > 0).then_some(settings.limit as usize);
            lowered.plan = datafusion::logical_expr::LogicalPlanBuilder::from(lowered.plan)
                .limit(settings.offset as usize, fetch)?
                .build()?;
        }
        Ok((lowered, totals))
    }

    /// For the query log: which columns a query wants of tables of which its user may read nothing. Nothing is read or run for that.
    async fn note_denied_columns(&self, database: &str, query: &Query) {
        let resolver = Resolver::new(&self.engine, &self.context, hints(&self.engine)).with(
            &self.external,
            &self.temporary,
            &self.blocks,
        );
        let resolver = resolver.within(database).for_those_denied();
        let named = async {
            let resolved = self.context.cancellable(resolve_tables(query, &resolver)).await?;
            let env = Engine::function_env(&self.context);
            let analyzer = Analyzer::new(&self.engine.registry, env, &self.context.settings, &resolved);
            check_columns(&self.engine, &self.context, &analyzer.lower(query)?.plan)
        };
        if let Err(error) = named.await {
            tracing::debug!("Query {} was refused: {error}", self.context.query_id);
        }
    }

    pub(crate) async fn plan_query(
        &self,
        query: &Query,
        hints: SourceHints,
        tables: &mut Vec<(String, String)>,
    ) -> Result<Planned> {
        self.plan_up_to(query, Stage::Complete, hints, tables).await
    }

    async fn plan_up_to(
        &self,
        query: &Query,
        stage: Stage,
        hints: SourceHints,
        tables: &mut Vec<(String, String)>,
    ) -> Result<Planned> {
        let begun = self.context.elapsed();
        let (mut lowered, totals) = self.lower_within(&self.context.database, query, stage, hints, tables).await?;
        if self.context.settings.exact_rows_before_limit {
            lowered.plan = before_limit::counted(lowered.plan)?;
        }
        let took = self.context.elapsed().saturating_sub(begun);
        tell!(self.context, TRACE, "Planner", "Resolved tables and names in {}", units::duration(took));
        Ok(Planned { totals, ..self.plan_lowered(lowered).await? })
    }

    /// A plan of a query in which names without a database are of this one.
    pub(crate) async fn plan_query_within(&self, database: &str, query: &Query) -> Result<Planned> {
        let (lowered, _) =
            self.lower_within(database, query, Stage::Complete, self.hints(None, None), &mut Vec::new()).await?;
        self.plan_lowered(lowered).await
    }

    pub(crate) async fn plan_lowered(&self, lowered: Lowered) -> Result<Planned> {
        let state = plan::session_state(&self.engine, &self.context, &lowered.plan)?;
        self.plan_in(state, lowered).await
    }

    /// A plan whose rows come in one stream, in the order of the query or of the data.
    pub(crate) async fn plan_in_order(&self, lowered: Lowered) -> Result<Planned> {
        let mut state = plan::session_state(&self.engine, &self.context, &lowered.plan)?;
        state.config_mut().options_mut().execution.target_partitions = 1;
        self.plan_in(state, lowered).await
    }

    async fn plan_in(&self, state: SessionState, mut lowered: Lowered) -> Result<Planned> {
        let begun = self.context.elapsed();
        lowered.plan = sets::compute_sets(lowered.plan, &state, &self.context).await?;
        lowered.plan = self.context.cancellable(read_states(lowered.plan)).await?;
        let planning = plan::physical_plan(&state, &lowered.plan, &self.context);
        let physical = match self.context.query.len() > SHORT_BYTES {
            true => self.context.cancellable(runtime::polled_aside(planning)).await?,
            false => self.context.cancellable(planning).await?,
        };
        used::note(&physical, &self.context)?;
        tell!(
            self.context,
            DEBUG,
            "Planner",
            "Planned in {}: {} operators in up to {} streams",
            units::duration(self.context.elapsed().saturating_sub(begun)),
            operators(&physical),
            self.context.threads()
        );
        tell_reads(&physical, &self.context);
        Ok(Planned { state, lowered, physical, totals: None })
    }

    /// Names and types of a query's result, without running it.
    pub(crate) async fn columns_of(&self, query: &Query) -> Result<Columns> {
        Ok(self.lower(query, self.hints(None, None), &mut Vec::new()).await?.columns())
    }
}
