//! The rows of an INSERT that goes to another server: read here as `gristmill local` reads its own, and sent as blocks.
//!
//! The server says which columns it wants and what the columns of its table are. Fields that the data leaves out get the
//! defaults of the server's table, computed here: the plan is that of an INSERT into such a table, cut down to the columns
//! that are sent and to what their defaults need, so that an expression that only the server knows does no harm elsewhere.
//!
//! A long list of VALUES is taken in pieces of whole rows: as a tree it is many times as large as its text.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::RecordBatch;
use datafusion::error::DataFusionError;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::logical_expr::{Expr, LogicalPlanBuilder};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::stream::{StreamExt, TryStreamExt};
use gristmill_base::{Error, Result, ResultExt};
use gristmill_introspect::QueryContext;
use gristmill_sql::ast::Node;
use gristmill_sql::statement::{self, InsertSource, Statement};
use gristmill_types::{Column, Columns, DefaultKind};

use super::Interpreter;
use crate::engine::Engine;
use crate::execution::InputData;
use crate::plan;
use crate::split::values_pieces;

/// Bytes of VALUES that become a tree at a time.
const PIECE_BYTES: usize = 1 << 20;

/// Rows as a client has them.
pub enum RowsGiven {
    /// What follows VALUES.
    Values { text: String, parameters: BTreeMap<String, String> },
    /// Data in a format.
    Data { format: String, input: InputData },
}

/// The rows as `given`, the columns that a server asks for. `table`: all columns of its table, with their defaults; empty
/// where the server does not tell. Nothing is read before the stream is.
pub async fn rows_to_send(
    engine: &Arc<Engine>,
    context: &Arc<QueryContext>,
    given: &Columns,
    table: &Columns,
    rows: RowsGiven,
) -> Result<SendableRecordBatchStream> {
    let given = with_defaults(given, table);
    let table = needed(&given, table)?;
    let (engine, context) = (engine.clone(), context.clone());
    match rows {
        RowsGiven::Data { format, input } => {
            plan_rows(&engine, &context, &given, &table, &InsertSource::Data { format: Some(format) }, Some(input)).await
        }
        RowsGiven::Values { text, parameters } => {
            let schema = given.arrow();
            let pieces: Vec<String> = values_pieces(&text, PIECE_BYTES).into_iter().map(str::to_string).collect();
            drop(text);
            let streams = futures::stream::iter(pieces).then(move |piece| {
                let (engine, context, given, table) = (engine.clone(), context.clone(), given.clone(), table.clone());
                let parameters = parameters.clone();
                async move {
                    let source = parsed_values(&piece, &parameters)?;
                    let rows = plan_rows(&engine, &context, &given, &table, &source, None).await?;
                    Ok::<_, DataFusionError>(rows)
                }
            });
            Ok(Box::pin(RecordBatchStreamAdapter::new(schema, streams.try_flatten().boxed())))
        }
    }
}

fn parsed_values(rows: &str, parameters: &BTreeMap<String, String>) -> Result<InsertSource> {
    match statement::parse(&format!("INSERT INTO t VALUES {rows}"), parameters)? {
        Statement::Insert(insert) => Ok(insert.source),
        other => Err(Error::logical(format!("Rows of VALUES are read as a statement of kind {}", other.kind()))),
    }
}

async fn plan_rows(
    engine: &Arc<Engine>,
    context: &Arc<QueryContext>,
    given: &Columns,
    table: &Columns,
    source: &InsertSource,
    input: Option<InputData>,
) -> Result<SendableRecordBatchStream> {
    let interpreter = Interpreter::new(engine.clone(), context.clone());
    let lowered = interpreter.rows_to_insert(source, given, table, input, &mut Vec::new()).await?;
    let mut shaped = interpreter.shape_rows(lowered, given, table)?;
    if shaped.columns.len() > given.len() {
        let (plan, columns) = (shaped.plan, shaped.columns);
        let wanted = |column: &Column| columns.iter().find(|output| output.name == column.name).cloned();
        shaped.columns = given.iter().filter_map(wanted).collect();
        let exprs: Vec<Expr> = shaped.columns.iter().map(|output| output.expr.clone()).collect();
        shaped.plan = LogicalPlanBuilder::from(plan).project(exprs)?.build()?;
    }
    let planned = interpreter.plan_in_order(shaped).await?;
    let rows = plan::run(&planned.state, planned.physical, context)?;
    let schema = given.arrow();
    let under = schema.clone();
    let rows = rows.map(move |batch| Ok(RecordBatch::try_new(under.clone(), batch?.columns().to_vec())?));
    Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
}

/// The columns with the defaults that the table has for them. What is sent is stored, whatever the table makes of it.
fn with_defaults(given: &Columns, table: &Columns) -> Columns {
    let stored = |column: &Column| {
        let mut column = column.clone();
        let default = table.get(&column.name).and_then(|known| known.default.clone());
        column.default = default.map(|(_, text)| (DefaultKind::Default, text));
        column
    };
    Columns::new(given.iter().map(stored).collect())
}

/// The given columns, and those that their defaults are computed from.
fn needed(given: &Columns, table: &Columns) -> Result<Columns> {
    let mut columns: Vec<Column> = given.iter().cloned().collect();
    let mut at = 0;
    while at < columns.len() {
        let Some((_, text)) = columns[at].default.clone().filter(|(_, text)| !text.is_empty()) else {
            at += 1;
            continue;
        };
        let node = statement::parse_expression(&text).context(|| {
            format!(
                "in the default of column {}, which the client computes for rows without a value; with \
                 input_format_defaults_for_omitted_fields = 0 they get the default of the type",
                columns[at].name
            )
        })?;
        let mut named: Vec<String> = Vec::new();
        node.walk(&mut |part| {
            if let Node::Name(parts) = part {
                named.push(parts.join("."));
                named.extend(parts.first().cloned());
            }
            true
        });
        for name in named {
            if let Some(column) = table.get(&name)
                && columns.iter().all(|known| known.name != name)
            {
                columns.push(column.clone());
            }
        }
        at += 1;
    }
    Ok(Columns::new(columns))
}

#[cfg(test)]
mod tests {
    use futures::TryStreamExt;
    use gristmill_base::ErrorCode;
    use gristmill_types::SqlType;

    use super::*;
    use crate::EngineConfig;

    fn table() -> Columns {
        let mut columns = vec![
            Column::new("a", SqlType::UInt32),
            Column::new("b", SqlType::UInt32),
            Column::new("c", SqlType::UInt32),
            Column::new("d", SqlType::String),
        ];
        columns[1].default = Some((DefaultKind::Default, "c + 1".to_string()));
        columns[2].default = Some((DefaultKind::Materialized, "a * 10".to_string()));
        columns[3].default = Some((DefaultKind::Materialized, "only_the_server_knows(a)".to_string()));
        Columns::new(columns)
    }

    async fn sent(rows: RowsGiven) -> Result<Vec<(u32, u32)>> {
        use arrow::array::AsArray;
        use arrow::datatypes::UInt32Type;
        let engine = Engine::open(EngineConfig::default()).await?;
        let context = QueryContext::background("test");
        let given = Columns::of([("a", SqlType::UInt32), ("b", SqlType::UInt32)]);
        let stream = rows_to_send(&engine, &context, &given, &table(), rows).await?;
        let batches: Vec<RecordBatch> = stream.try_collect().await?;
        let column = |batch: &RecordBatch, at: usize| batch.column(at).as_primitive::<UInt32Type>().values().to_vec();
        Ok(batches.iter().flat_map(|batch| column(batch, 0).into_iter().zip(column(batch, 1))).collect())
    }

    fn data(format: &str, text: &'static str) -> RowsGiven {
        let input = futures::stream::once(async move { Ok(bytes::Bytes::from_static(text.as_bytes())) }).boxed();
        RowsGiven::Data { format: format.to_string(), input }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_is_left_out_gets_the_defaults_of_the_servers_table() {
        let rows = sent(data("JSONEachRow", "{\"a\":1}\n{\"a\":2,\"b\":7}")).await.expect("rows");
        assert_eq!(rows, [(1, 11), (2, 7)]);
        let error = sent(data("CSV", "x,1\n")).await.expect_err("no number");
        assert!(error.message().contains('a'), "{error}");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn values_are_expressions() {
        let values = |text: &str| RowsGiven::Values { text: text.to_string(), parameters: BTreeMap::new() };
        assert_eq!(sent(values("(1 + 1, DEFAULT), (3, length('abc'))")).await.expect("rows"), [(2, 21), (3, 3)]);
        assert_eq!(sent(values("(1)")).await.expect_err("too few").code(), ErrorCode::SYNTAX_ERROR);
    }
}
