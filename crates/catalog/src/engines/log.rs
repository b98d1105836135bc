//! Engines Log, TinyLog, StripeLog, Set and Join: rows kept in the order in which they came by a table of the MergeTree
//! family, which does nothing with them but store them. What that one can do beyond it (parts, mutations) is not theirs.
//!
//! `Join(strictness, kind, keys…)` has one row of a key, the first or with `join_any_take_last_row` the last, where the
//! strictness is not ALL and the kind not RIGHT or FULL: such joins give each of its rows.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::TableProvider;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::QueryContext;
use gristmill_types::{Column, Columns};
use indexmap::IndexMap;

use crate::databases::full_name;
use crate::definition::{EngineSpec, TableDefinition};
use crate::key::KeyExpression;
use crate::table::{CheckedPart, MutationRequest, OptimizeRequest, PartChoice, RowChange, Table, TableWriter, WriteLane};

/// Every engine of the kind.
pub const NAMES: &[&str] = &["Log", "TinyLog", "StripeLog", "Set", JOIN];

pub const JOIN: &str = "Join";

#[derive(Debug)]
pub struct LogTable {
    definition: Arc<TableDefinition>,
    rows: Arc<dyn Table>,
}

impl LogTable {
    /// `rows`: a table of `LogTable::rows_of` the definition.
    pub fn new(definition: Arc<TableDefinition>, rows: Arc<dyn Table>) -> Self {
        LogTable { definition, rows }
    }

    /// The definition of the table that keeps the rows.
    pub fn rows_of(definition: &TableDefinition) -> Arc<TableDefinition> {
        let keys = sorted_keys(definition);
        let name = match has_one_of_each(definition) {
            false => "MergeTree",
            true if takes_last(definition) => "ReplacingMergeTree",
            // Of the rows of a key it keeps the first.
            true => "AggregatingMergeTree",
        };
        let engine = EngineSpec { name: name.to_string(), arguments: Vec::new() };
        let settings = IndexMap::from([("allow_nullable_key".to_string(), "1".to_string())]);
        let (order_by, primary_key) = (keys.clone(), keys);
        Arc::new(TableDefinition { engine, settings, order_by, primary_key, ..definition.clone() })
    }
}

#[async_trait]
impl Table for LogTable {
    fn definition(&self) -> Arc<TableDefinition> {
        self.definition.clone()
    }

    fn virtual_columns(&self) -> Columns {
        self.rows.virtual_columns()
    }

    async fn read(&self, context: &Arc<QueryContext>) -> Result<Arc<dyn TableProvider>> {
        if has_one_of_each(&self.definition) { self.rows.read_final(context).await } else { self.rows.read(context).await }
    }

    fn depends_on_order(&self) -> bool {
        true
    }

    async fn write(&self, context: &Arc<QueryContext>) -> Result<Arc<dyn TableWriter>> {
        Ok(Arc::new(InOrder(self.rows.write(context).await?)))
    }

    async fn truncate(&self, context: &Arc<QueryContext>) -> Result<()> {
        self.rows.truncate(context).await
    }

    async fn drop_data(&self) -> Result<()> {
        self.rows.drop_data().await
    }

    async fn check(&self, context: &Arc<QueryContext>, chosen: &PartChoice) -> Result<Vec<CheckedPart>> {
        self.rows.check(context, chosen).await
    }

    fn renamed(&self, definition: Arc<TableDefinition>) -> Result<Arc<dyn Table>> {
        let rows = self.rows.renamed(LogTable::rows_of(&definition))?;
        Ok(Arc::new(LogTable { definition, rows }))
    }

    /// Comments change, and nothing else.
    fn altered(
        &self,
        definition: Arc<TableDefinition>,
        _sorting: Vec<KeyExpression>,
        _partition: Option<Vec<KeyExpression>>,
    ) -> Result<Arc<dyn Table>> {
        if without_comments(&definition) != without_comments(&self.definition) {
            return Err(self.unsupported("ALTER of anything but comments"));
        }
        self.renamed(definition)
    }

    /// A Join has nothing to be merged.
    async fn optimize(&self, _context: &Arc<QueryContext>, request: OptimizeRequest) -> Result<()> {
        if self.definition.engine.name != JOIN {
            return Err(self.unsupported("OPTIMIZE"));
        }
        if request.partition.is_some() || request.to_one_part || request.deduplicate || request.cleanup {
            return Err(self.unsupported("OPTIMIZE with PARTITION, FINAL, DEDUPLICATE or CLEANUP"));
        }
        Ok(())
    }

    /// Rows of a Join go by ALTER TABLE … DELETE, when it returns.
    async fn mutate(&self, context: &Arc<QueryContext>, request: MutationRequest) -> Result<String> {
        let name = full_name(&self.definition.database, &self.definition.name);
        if request.at_once {
            let text = format!("DELETE query is not supported for table {name}");
            return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
        }
        let deletes = request.changes.iter().all(|change| matches!(change, RowChange::Delete { .. }));
        if self.definition.engine.name != JOIN || !deletes {
            return Err(self.unsupported("Mutations other than DELETE of a Join"));
        }
        if has_one_of_each(&self.definition) {
            // Of the rows of a key only the one that is seen may be left: another would be seen where that one is deleted.
            self.rows.optimize(context, OptimizeRequest { to_one_part: true, ..OptimizeRequest::default() }).await?;
        }
        self.rows.mutate(context, MutationRequest { at_once: true, ..request }).await?;
        Ok(String::new())
    }

    fn adopted(&self) {
        self.rows.adopted();
    }

    async fn shutdown(&self) {
        self.rows.shutdown().await;
    }

    fn total_rows(&self) -> Option<u64> {
        self.rows.total_rows()
    }

    fn total_bytes(&self) -> Option<u64> {
        self.rows.total_bytes()
    }

    fn data_paths(&self) -> Vec<String> {
        self.rows.data_paths()
    }
}

/// Whether a Join has one row of each key.
fn has_one_of_each(definition: &TableDefinition) -> bool {
    let is_right = |kind: &String| ["RIGHT", "FULL"].iter().any(|known| known.eq_ignore_ascii_case(kind));
    !sorted_keys(definition).is_empty() && !definition.engine.arguments.get(1).is_some_and(is_right)
}

fn takes_last(definition: &TableDefinition) -> bool {
    definition.settings.get("join_any_take_last_row").is_some_and(|value| value != "0" && value != "false")
}

/// The keys of a Join that is not for ALL. (ALL is kept as a name, in quotes.)
fn sorted_keys(definition: &TableDefinition) -> Vec<String> {
    let is_join = definition.engine.name == JOIN;
    match &definition.engine.arguments[..] {
        [strictness, _, keys @ ..] if is_join && !strictness.trim_matches('`').eq_ignore_ascii_case("ALL") => keys.to_vec(),
        _ => Vec::new(),
    }
}

fn without_comments(definition: &TableDefinition) -> TableDefinition {
    let columns = definition.columns.iter().map(|column| Column { comment: String::new(), ..column.clone() });
    TableDefinition { comment: String::new(), columns: Columns::new(columns.collect()), ..definition.clone() }
}

/// A writer with one lane: several would take rows out of their order.
struct InOrder(Arc<dyn TableWriter>);

#[async_trait]
impl TableWriter for InOrder {
    async fn lane(&self) -> Result<Box<dyn WriteLane>> {
        self.0.lane().await
    }

    fn max_lanes(&self) -> usize {
        1
    }

    async fn settle(&self) -> Result<()> {
        self.0.settle().await
    }

    async fn commit(&self) -> Result<()> {
        self.0.commit().await
    }

    async fn commit_once(&self, id: &str) -> Result<()> {
        self.0.commit_once(id).await
    }

    async fn abort(&self) {
        self.0.abort().await;
    }
}
