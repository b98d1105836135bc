//! EXPLAIN: the statement's tree, the logical plan, or the physical one (which tells of parts, granules and files left out);
//! ESTIMATE tells what a query would read.

use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryViewArray, Float64Array, UInt64Array};
use datafusion::physical_plan::displayable;
use gristmill_base::{Error, Result};
use gristmill_mergetree::read::TableEstimate;
use gristmill_sources::object::estimate::Estimate;
use gristmill_sql::statement::Statement;
use gristmill_types::{Columns, SqlType};

use super::{Interpreter, Outcome};

impl Interpreter {
    pub(crate) async fn explain(&self, kind: &str, statement: &Statement) -> Result<Outcome> {
        let Statement::Select(select) = statement else {
            return match kind {
                "AST" => lines(&format!("{statement:#?}")),
                _ => Err(Error::not_implemented(format!("EXPLAIN {kind} of a {} statement", statement.kind()))),
            };
        };
        match kind {
            "AST" => lines(&format!("{:#?}", select.query)),
            "SYNTAX" => lines(&select.query.to_string()),
            "QUERY TREE" => {
                let lowered = self.lower(&select.query, self.hints(None, None), &mut Vec::new()).await?;
                lines(&lowered.plan.display_indent_schema().to_string())
            }
            "PLAN" => {
                let planned = self.plan_query(&select.query, self.hints(None, None), &mut Vec::new()).await?;
                let optimized = planned.state.optimize(&planned.lowered.plan)?;
                let indexes = gristmill_mergetree::read::explain_indexes(&planned.physical).join("\n");
                lines(&format!("{}\n{indexes}", optimized.display_indent()))
            }
            "PIPELINE" | "INDEXES" => {
                let planned = self.plan_query(&select.query, self.hints(None, None), &mut Vec::new()).await?;
                lines(&displayable(planned.physical.as_ref()).indent(false).to_string())
            }
            "ESTIMATE" => {
                let planned = self.plan_query(&select.query, self.hints(None, None), &mut Vec::new()).await?;
                let files = gristmill_sources::object::estimate::estimates(&planned.physical, &self.context).await?;
                estimated(gristmill_mergetree::read::estimates(&planned.physical), &files)
            }
            other => Err(Error::not_implemented(format!("EXPLAIN {other}"))),
        }
    }
}

/// One row a table, as ClickHouse has it. Where files are read there are more columns: what is fetched of them and what it
/// costs.
fn estimated(scans: Vec<TableEstimate>, files: &[Estimate]) -> Result<Outcome> {
    let mut tables: Vec<TableEstimate> = Vec::new();
    for scan in scans {
        let same = tables.iter_mut().find(|known| (&known.database, &known.table) == (&scan.database, &scan.table));
        match same {
            Some(known) => {
                known.parts += scan.parts;
                known.rows += scan.rows;
                known.marks += scan.marks;
            }
            None => tables.push(scan),
        }
    }
    let texts = |of_table: fn(&TableEstimate) -> &str, of_files: fn(&Estimate) -> &str| -> ArrayRef {
        let values = tables.iter().map(of_table).chain(files.iter().map(of_files));
        Arc::new(BinaryViewArray::from_iter_values(values.map(str::as_bytes)))
    };
    let counts = |of_table: fn(&TableEstimate) -> u64, of_files: fn(&Estimate) -> u64| -> ArrayRef {
        Arc::new(UInt64Array::from_iter_values(tables.iter().map(of_table).chain(files.iter().map(of_files))))
    };
    let mut names = vec![
        ("database", SqlType::String),
        ("table", SqlType::String),
        ("parts", SqlType::UInt64),
        ("rows", SqlType::UInt64),
        ("marks", SqlType::UInt64),
    ];
    let mut arrays = vec![
        texts(|table| &table.database, |files| &files.function),
        texts(|table| &table.table, |files| &files.place),
        counts(|table| table.parts, |_| 0),
        counts(|table| table.rows, |files| files.rows.unwrap_or(0)),
        counts(|table| table.marks, |_| 0),
    ];
    if !files.is_empty() {
        names.extend(["files", "row_groups", "bytes", "requests"].map(|name| (name, SqlType::UInt64)));
        names.push(("cost_usd", SqlType::Float64));
        arrays.extend([
            counts(|_| 0, |files| files.files),
            counts(|_| 0, |files| files.row_groups),
            counts(|_| 0, |files| files.bytes),
            counts(|_| 0, |files| files.requests),
        ]);
        let costs = tables.iter().map(|_| 0.0).chain(files.iter().map(|files| files.cost_usd));
        arrays.push(Arc::new(Float64Array::from_iter_values(costs)));
    }
    Outcome::rows(Columns::of(names), arrays)
}

fn lines(text: &str) -> Result<Outcome> {
    // A plan shows the arguments of its tables: credentials are hidden there as in any text that is shown.
    let text = gristmill_base::redact::statement(text);
    let rows: Vec<Vec<String>> = text.lines().map(|line| vec![line.to_string()]).collect();
    Outcome::texts(&["explain"], &rows)
}
