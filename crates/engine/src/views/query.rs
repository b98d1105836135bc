//! The query of a view over one block.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::array::RecordBatch;
use datafusion::catalog::TableProvider;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::datasource::{MemTable, source_as_provider};
use datafusion::logical_expr::LogicalPlan;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::TableDefinition;
use gristmill_sql::lower::{Analyzer, Lowered, resolve_tables, with_arguments};
use gristmill_types::{Column, Columns, DefaultKind};
use sqlparser::ast::Query;

use super::shape::query_of;
use crate::engine::Engine;
use crate::interpret::{Interpreter, Planned};
use crate::plan::session_state;
use crate::resolver::{Resolver, hints};

/// Rows that are computed in one stream: to share fewer of them out costs more than it gains.
const ROWS_OF_ONE_STREAM: usize = 65_536;

/// Rows that stand in the place of a table.
pub(crate) struct Block {
    /// The table that they are inserted into.
    pub table: Arc<TableDefinition>,
    /// Of its stored columns.
    pub batches: Vec<RecordBatch>,
}

impl Block {
    fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    pub fn provider(&self) -> Result<Arc<MemTable>> {
        Ok(Arc::new(MemTable::try_new(self.table.stored_columns().arrow(), vec![self.batches.clone()])?))
    }
}

impl Interpreter {
    /// What a view's query makes of a block, in the shape of the view's target.
    pub(crate) async fn plan_view(
        &self,
        query: &Query,
        database: &str,
        block: &Block,
        target: &TableDefinition,
        in_order: bool,
    ) -> Result<Planned> {
        let query = &*with_arguments(query, self.context.settings.enable_global_with_statement);
        let resolver = Resolver::over_block(&self.engine, &self.context, hints(&self.engine), database, block);
        let resolved = self.context.cancellable(resolve_tables(query, &resolver)).await?;
        let env = Engine::function_env(&self.context);
        let lowered = Analyzer::new(&self.engine.registry, env, &self.context.settings, &resolved).lower(query)?;
        let shaped = self.checked_rows(self.shape_view(lowered, &target.columns)?, target)?;
        match in_order || block.rows() <= ROWS_OF_ONE_STREAM {
            true => self.plan_in_order(shaped).await,
            false => self.plan_lowered(shaped).await,
        }
    }

    /// That no view on a table reads one of these columns. Errors: ALTER_OF_COLUMN_IS_FORBIDDEN.
    pub(crate) async fn check_not_read(&self, table: &TableDefinition, dropped: &[String]) -> Result<()> {
        let kept: Vec<Column> = table.columns.iter().filter(|column| !dropped.contains(&column.name)).cloned().collect();
        let without = TableDefinition { columns: Columns::new(kept), ..table.clone() };
        for view in self.engine.databases.views_of(&table.database, &table.name) {
            let view = view.definition();
            // One whose query fails today is no worse afterwards.
            let Ok(read) = self.read_by(&view, table).await else { continue };
            let is_read = |name: &&String| read.contains(*name);
            // A column that is computed where it is named is read by no scan.
            let found = match dropped.iter().find(is_read) {
                None if self.read_by(&view, &without).await.is_err() => dropped.first(),
                found => found,
            };
            if let Some(name) = found {
                return Err(Error::new(
                    ErrorCode::ALTER_OF_COLUMN_IS_FORBIDDEN,
                    format!(
                        "Trying to ALTER DROP column {name} which is referenced by materialized view ['{}']: change the \
                         view's query first, by ALTER TABLE … MODIFY QUERY",
                        view.name
                    ),
                ));
            }
        }
        Ok(())
    }

    /// The stored columns of a table that a view on it reads.
    async fn read_by(&self, view: &TableDefinition, table: &TableDefinition) -> Result<BTreeSet<String>> {
        let (database, query) = query_of(view)?;
        let block = Block { table: Arc::new(table.clone()), batches: Vec::new() };
        let schema = block.provider()?.schema();
        let resolver = Resolver::over_block(&self.engine, &self.context, hints(&self.engine), &database, &block);
        let resolved = self.context.cancellable(resolve_tables(&query, &resolver)).await?;
        let env = Engine::function_env(&self.context);
        let lowered = Analyzer::new(&self.engine.registry, env, &self.context.settings, &resolved).lower(&query)?;
        let state = session_state(&self.engine, &self.context, &lowered.plan)?;
        let mut read = BTreeSet::new();
        state.optimize(&lowered.plan)?.apply_with_subqueries(|plan| {
            if let LogicalPlan::TableScan(scan) = plan
                && let Ok(provider) = source_as_provider(&scan.source)
                && provider.downcast_ref::<MemTable>().is_some()
                && provider.schema() == schema
            {
                read.extend(scan.projected_schema.fields().iter().map(|field| field.name().clone()));
                read.extend(scan.filters.iter().flat_map(|filter| filter.column_refs()).map(|column| column.name.clone()));
            }
            Ok(TreeNodeRecursion::Continue)
        })?;
        Ok(read)
    }

    /// Columns go to those of the target that have their names; others of the target get their defaults.
    /// Errors: THERE_IS_NO_COLUMN where none has a name of the target's.
    pub(crate) fn shape_view(&self, lowered: Lowered, target: &Columns) -> Result<Lowered> {
        let takes = taken_of_view(target);
        let mut given = Vec::new();
        let mut kept = Vec::new();
        for column in lowered.columns {
            if let Some(into) = takes.get(&column.name) {
                given.push(into.clone());
                kept.push(column);
            }
        }
        if given.is_empty() {
            let text = "The query of the view gives no column that its target has: give them names with AS";
            return Err(Error::new(ErrorCode::THERE_IS_NO_COLUMN, text));
        }
        self.shape_rows(Lowered { plan: lowered.plan, columns: kept }, &Columns::new(given), target)
    }
}

/// The columns of a view's target that the view's query may give values for: those that only feed others too.
pub(crate) fn taken_of_view(target: &Columns) -> Columns {
    let takes = |column: &&Column| !matches!(column.default, Some((DefaultKind::Materialized | DefaultKind::Alias, _)));
    Columns::new(target.iter().filter(takes).cloned().collect())
}
