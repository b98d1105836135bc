//! The query of a view over one block.

use std::sync::Arc;

use arrow::array::RecordBatch;
use datafusion::datasource::MemTable;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::TableDefinition;
use gristmill_sql::lower::{Analyzer, Lowered, resolve_tables};
use gristmill_types::Columns;
use sqlparser::ast::Query;

use crate::engine::Engine;
use crate::interpret::{Interpreter, Planned};
use crate::resolver::{Resolver, hints, insertable};

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

    /// Columns go to those of the target that have their names; others of the target get their defaults.
    /// Errors: THERE_IS_NO_COLUMN where none has a name of the target's.
    pub(crate) fn shape_view(&self, lowered: Lowered, target: &Columns) -> Result<Lowered> {
        let takes = insertable(target);
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
