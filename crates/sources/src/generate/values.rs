//! `values('structure', (…), (…))`: rows written in the call, each the text of a tuple. They are parsed as the format Values
//! parses them.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::TableProvider;
use datafusion::datasource::MemTable;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::{Table, TableDefinition};
use gristmill_formats::Format;
use gristmill_introspect::QueryContext;
use gristmill_types::Columns;

use crate::arguments::declared_plainly;
use crate::call::{CallArgument, TableFunctionCall};
use crate::function_table::{definition, wrong_count};
use crate::object::convert::session_timezone;

#[derive(Debug)]
pub struct ValuesTable {
    definition: Arc<TableDefinition>,
    /// What the batches have.
    carried: Columns,
    batches: Vec<arrow::array::RecordBatch>,
}

impl ValuesTable {
    /// Rows that were parsed already.
    pub(super) fn of(
        definition: Arc<TableDefinition>,
        carried: Columns,
        batches: Vec<arrow::array::RecordBatch>,
    ) -> Arc<dyn Table> {
        Arc::new(ValuesTable { definition, carried, batches })
    }

    pub fn open(call: &TableFunctionCall, context: &QueryContext) -> Result<Arc<dyn Table>> {
        let Some((CallArgument::Text(structure), rows)) = call.positional.split_first() else {
            return Err(wrong_count("values", call.positional.len(), "'structure', (…), (…)"));
        };
        if rows.is_empty() {
            return Err(wrong_count("values", call.positional.len(), "'structure', (…), (…)"));
        }
        let columns = declared_plainly(structure, &context.settings)?;
        let mut text = String::new();
        for row in rows {
            let tuple = match row {
                CallArgument::Identifier(tuple) => tuple,
                other => {
                    let text = format!("{} is no row of table function 'values'", other.word());
                    return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
                }
            };
            text.push_str(if text.is_empty() { "" } else { "," });
            text.push_str(tuple);
        }
        let settings = &context.settings;
        let mut parser = gristmill_formats::parser(
            Format::Values,
            &columns,
            settings,
            session_timezone(settings),
            "table function values",
        )?;
        let mut batches = parser.push(text.as_bytes())?;
        batches.extend(parser.finish()?);
        Ok(ValuesTable::of(definition("Values", "values", columns.clone()), columns, batches))
    }
}

#[async_trait]
impl Table for ValuesTable {
    fn definition(&self) -> Arc<TableDefinition> {
        self.definition.clone()
    }

    async fn read(&self, context: &Arc<QueryContext>) -> Result<Arc<dyn TableProvider>> {
        for batch in &self.batches {
            context.read(batch.num_rows() as u64, gristmill_types::measure::batch_bytes(batch));
        }
        context.may_read()?;
        Ok(Arc::new(MemTable::try_new(self.carried.arrow(), vec![self.batches.clone()])?))
    }

    fn renamed(&self, definition: Arc<TableDefinition>) -> Result<Arc<dyn Table>> {
        Ok(Arc::new(ValuesTable { definition, carried: self.carried.clone(), batches: self.batches.clone() }))
    }

    fn total_rows(&self) -> Option<u64> {
        Some(self.batches.iter().map(|batch| batch.num_rows() as u64).sum())
    }
}
