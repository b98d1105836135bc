//! Table functions whose data does not have all that their structure says: what it leaves out has defaults, and states of
//! aggregate functions are texts in it.

use std::sync::Arc;

use arrow::datatypes::Schema;
use datafusion::datasource::ViewTable;
use gristmill_base::Result;
use gristmill_catalog::Table;
use gristmill_functions::aggregates::stored::{StateText, states_expr};
use gristmill_introspect::QueryContext;
use gristmill_sources::generate::format::{as_text, carried_columns, given_columns};
use gristmill_sql::lower::{Lowered, ResolvedTable};
use gristmill_types::{Columns, SqlType};

use super::{Resolver, alias_columns};
use crate::engine::Engine;
use crate::execution::Brought;
use crate::interpret::Interpreter;
use crate::opener::stored_columns;

/// Whether data of the structure is not taken as it is.
pub(super) fn is_shaped(columns: &Columns) -> bool {
    columns.iter().any(|column| column.default.is_some() || matches!(column.kind, SqlType::AggregateFunction(..)))
}

impl Resolver<'_> {
    /// The rows of a table function with what its data leaves out, as the structure says.
    pub(super) async fn shaped(&self, table: &dyn Table, name: &str) -> Result<ResolvedTable> {
        let definition = table.definition();
        // Virtual columns stand behind what is carried of the data, and are handed through.
        let virtual_columns = table.virtual_columns();
        let and_virtual = |columns: &Columns| Columns::new(columns.iter().chain(virtual_columns.iter()).cloned().collect());
        let provider = table.read(self.context).await?;
        let carried = and_virtual(&carried_columns(&definition.columns, &self.context.settings));
        let carried = with_texts(&carried, &provider.schema());
        let interpreter = Interpreter::with(self.engine.clone(), self.context.clone(), Brought::default());
        let rows = interpreter.lowered_of(&carried, provider)?;
        let rows = with_states(rows, &definition.columns, self.context)?;
        let given = and_virtual(&given_columns(&definition.columns));
        let shaped = interpreter.shape_rows(rows, &given, &and_virtual(&definition.columns))?;
        let provider = Arc::new(ViewTable::new(shaped.plan, None));
        Ok(ResolvedTable {
            virtual_columns,
            aliases: alias_columns(&definition),
            ..ResolvedTable::of_rows(provider, stored_columns(&definition.columns), vec![name.to_string()])
        })
    }
}

/// The columns, of which those of states are texts where the rows have them so.
fn with_texts(columns: &Columns, rows: &Schema) -> Columns {
    let is_text = |place: usize| rows.fields().get(place).is_some_and(|field| *field.data_type() == SqlType::String.arrow());
    let columns = columns.iter().enumerate().map(|(place, column)| match column.kind {
        SqlType::AggregateFunction(..) if is_text(place) => as_text(column),
        _ => column.clone(),
    });
    Columns::new(columns.collect())
}

/// The rows with states in the place of their texts.
fn with_states(mut rows: Lowered, columns: &Columns, context: &QueryContext) -> Result<Lowered> {
    let form = StateText::by_name(&context.settings.aggregate_function_input_format);
    let env = Engine::function_env(context);
    for output in &mut rows.columns {
        let Some(column) = columns.get(&output.name) else { continue };
        if matches!(column.kind, SqlType::AggregateFunction(..)) && output.kind != column.kind {
            output.expr = states_expr(output.expr.clone(), &column.kind, form, &env)?;
            output.kind = column.kind.clone();
        }
    }
    Ok(rows)
}
