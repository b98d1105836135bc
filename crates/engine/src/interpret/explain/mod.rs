//! EXPLAIN: the statement's tree (AST), its text (SYNTAX), its logical plan (QUERY TREE), its operators (PLAN, with the indexes
//! that left parts and granules out), how they run in streams (PIPELINE), what they do when they run (ANALYZE), how far that is from what the machine can do (LIMIT);
//! ESTIMATE (`estimate`) tells what a query would read, and what an INSERT would write.
//!
//! A query is explained as itself or as a subquery: `SELECT * FROM (EXPLAIN …)` is read as a table function of the statement's
//! text (`viewExplain`). Of INSERT and of CREATE TABLE … AS the query is explained, under a first operator that names the table.

mod analyze;
mod graph;
mod json;
mod operators;
mod options;

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{BinaryViewArray, RecordBatch};
use datafusion::error::DataFusionError;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::StreamExt;
use futures::stream::BoxStream;
use gristmill_base::redact::HIDDEN;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_sql::format_query::{explained_query, explains_query};
use gristmill_sql::statement::{self, Assignments, Insert, InsertSource, Statement, TableExpression};
use gristmill_sql::syntax_tree::{syntax_graph, syntax_tree};
use gristmill_types::{Columns, SqlType};

use self::operators::{Operator, put_above};
use self::options::Options;
use super::select::Planned;
use super::{Interpreter, Outcome};

/// The rows of a statement as a plan.
struct Explained {
    planned: Planned,
    /// Where they go: the name of the operator, and the table's.
    into: Option<(&'static str, String)>,
}

impl Explained {
    fn operators(&self) -> Vec<Operator> {
        let mut operators = operators::operators(&self.planned.physical);
        // Within a plan names are numbered, so that they are unique.
        let columns = self.planned.lowered.columns();
        if let Some(first) = operators.first_mut().filter(|first| first.header.len() == columns.len()) {
            first.header = columns.iter().map(|column| (column.name.clone(), column.kind.to_string())).collect();
        }
        if let Some((name, table)) = &self.into {
            put_above(&mut operators, name, table.clone());
        }
        operators
    }
}

impl Interpreter {
    /// `text`: of the whole statement, without credentials.
    pub(crate) async fn explain(
        &self,
        text: &str,
        kind: &str,
        options: &Assignments,
        statement: &Statement,
    ) -> Result<Outcome> {
        let options = Options::of(kind, options)?;
        match kind {
            "AST" => lines(&tree(text, statement, options.is("graph"))?),
            "SYNTAX" => {
                let laid_out = syntax(text, statement, options.is("oneline"))?;
                if options.is("single_record") { one(laid_out) } else { lines(&laid_out) }
            }
            "QUERY TREE" => lines(&self.query_tree(text, statement, &options).await?),
            "PLAN" => self.explain_plan(statement, &options).await,
            "PIPELINE" => {
                let operators = self.plan_explained(kind, statement).await?.operators();
                lines(&match options.is("graph") {
                    true => graph::pipeline_graph(&operators, options.is("compact"), options.is("header")),
                    false => operators::pipeline_text(&operators, &options),
                })
            }
            "LIMIT" => match statement {
                Statement::Select(select) => {
                    let (this, select) = (self.clone(), select.clone());
                    // Secrets in the query's text are hidden there already.
                    Ok(texts(async move { Ok(this.explain_limit(&select).await?.lines()) }))
                }
                _ => Err(Error::new(ErrorCode::INCORRECT_QUERY, "Only SELECT is supported for EXPLAIN LIMIT query")),
            },
            "ANALYZE" => self.explain_analyze(statement, options).await,
            // A statement is all that is ever done at once.
            "CURRENT TRANSACTION" => lines("<no current transaction>"),
            "ESTIMATE" => match statement {
                Statement::Insert(insert) => self.estimate_insert(insert).await,
                _ => self.estimate_select(&self.plan_explained(kind, statement).await?.planned.physical).await,
            },
            other => Err(Error::not_implemented(format!("EXPLAIN {other}"))),
        }
    }

    async fn explain_plan(&self, statement: &Statement, options: &Options) -> Result<Outcome> {
        let explained = self.plan_explained("PLAN", statement).await?;
        let (state, plan) = (&explained.planned.state, &explained.planned.lowered.plan);
        if options.is("keep_logical_steps") || !options.is("optimize") {
            let plan = if options.is("optimize") { state.optimize(plan)? } else { plan.clone() };
            return match options.is("json") {
                true => one(plan.display_pg_json().to_string()),
                false => lines(&plan.display_indent().to_string()),
            };
        }
        match options.is("json") {
            true => one(json::plan_json(&explained.operators(), options)),
            false => lines(&operators::plan_text(&explained.operators(), options)),
        }
    }

    /// The logical plan with its types; with the rules that go over it, and the text, where they are asked for.
    async fn query_tree(&self, text: &str, statement: &Statement, options: &Options) -> Result<String> {
        let Statement::Select(select) = statement else {
            return Err(Error::new(ErrorCode::INCORRECT_QUERY, "Only SELECT is supported for EXPLAIN QUERY TREE query"));
        };
        if !options.is("dump_tree") && !options.is("dump_ast") {
            let text = "Either 'dump_tree' or 'dump_ast' must be set for EXPLAIN QUERY TREE query";
            return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
        }
        let mut parts = Vec::new();
        if options.is("run_passes") && options.is("dump_passes") {
            let state = self.plan_explained("QUERY TREE", statement).await?.planned.state;
            let rules =
                state.optimizers().iter().enumerate().map(|(place, rule)| format!("Pass {} {}", place + 1, rule.name()));
            parts.push(rules.collect::<Vec<_>>().join("\n"));
        }
        if options.is("dump_tree") {
            parts.push(match options.is("run_passes") {
                true => {
                    let lowered = self.lower(&select.query, self.hints(None, None), &mut Vec::new()).await?;
                    lowered.plan.display_indent_schema().to_string()
                }
                false => tree(text, statement, false)?,
            });
        }
        if options.is("dump_ast") {
            parts.push(syntax(text, statement, false)?);
        }
        Ok(parts.join("\n\n"))
    }

    async fn plan_explained(&self, kind: &str, statement: &Statement) -> Result<Explained> {
        let (query, into) = match statement {
            Statement::Select(select) => (&select.query, None),
            Statement::Insert(insert) => {
                if kind == "ANALYZE" && !matches!(insert.source, InsertSource::Query { .. }) {
                    let text = "EXPLAIN ANALYZE runs queries: give INSERT INTO … SELECT, or a SELECT";
                    return Err(Error::new(ErrorCode::INCORRECT_QUERY, text));
                }
                // Data that would come with it does not.
                let input = futures::stream::empty().boxed();
                let planned = self.plan_insert(insert, Some(input), &mut Vec::new()).await?;
                return Ok(Explained { planned: planned.rows, into: Some(("InsertInto", target(insert))) });
            }
            Statement::CreateTable(create) if create.view.is_none() => {
                let name = create
                    .name
                    .as_ref()
                    .map(|name| name.database.iter().chain([&name.table]).map(String::as_str).collect::<Vec<_>>().join("."));
                let Some(query) = &create.query else { return Err(not_explained(kind, statement)) };
                (query, Some(("CreateTable", name.unwrap_or_default())))
            }
            _ => return Err(not_explained(kind, statement)),
        };
        let planned = self.plan_query(query, self.hints(None, None), &mut Vec::new()).await?;
        Ok(Explained { planned, into })
    }
}

fn not_explained(kind: &str, statement: &Statement) -> Error {
    let text = format!(
        "Only SELECT, INSERT and CREATE TABLE … AS SELECT are supported for EXPLAIN {kind} query, not a {} statement",
        statement.kind()
    );
    Error::new(ErrorCode::INCORRECT_QUERY, text)
}

fn target(insert: &Insert) -> String {
    match &insert.target {
        TableExpression::Table(name) => {
            name.database.iter().chain([&name.table]).map(String::as_str).collect::<Vec<_>>().join(".")
        }
        TableExpression::Function { name, .. } => format!("{name}()"),
        TableExpression::Query(_) => String::new(),
    }
}

/// The statement's text in lines. What the text was without its credentials need not be a statement any more.
fn syntax(text: &str, statement: &Statement, one_line: bool) -> Result<String> {
    let is_table = matches!(statement, Statement::CreateTable(create) if create.view.is_none());
    if !is_table && !text.contains(HIDDEN) && !explains_query(text) {
        let kind = statement.kind();
        let text = format!("Syntax error: EXPLAIN SYNTAX takes SELECT, INSERT and CREATE TABLE, not a {kind} statement");
        return Err(Error::new(ErrorCode::SYNTAX_ERROR, text));
    }
    match (explained_query(text, one_line), statement) {
        (Ok(text), _) => Ok(text),
        (Err(_), Statement::Select(select)) => Ok(select.query.to_string()),
        (Err(_), _) => Err(Error::not_implemented(format!("EXPLAIN SYNTAX of a {} statement", statement.kind()))),
    }
}

/// The tree of the statement as it may be shown: nothing of a node tells that it is a credential, so the tree is that of
/// the text in which they are hidden.
fn tree(text: &str, statement: &Statement, as_graph: bool) -> Result<String> {
    let tree = |statement: &Statement| if as_graph { syntax_graph(statement) } else { syntax_tree(statement) };
    if !text.contains(HIDDEN) {
        return tree(statement);
    }
    match statement::parse(text, &BTreeMap::new()) {
        Ok(Statement::Explain { statement, .. }) => tree(&statement),
        Ok(Statement::Shown { statement: shown, .. }) => match *shown {
            Statement::Explain { statement, .. } => tree(&statement),
            _ => Ok(format!("{}Query\n", statement.kind())),
        },
        // Where the text is another, or none without its credentials, the kind must do.
        _ => Ok(format!("{}Query\n", statement.kind())),
    }
}

/// A row a line. A plan shows the arguments of its tables: credentials are hidden there as in any text that is shown.
fn lines(text: &str) -> Result<Outcome> {
    let text = gristmill_base::redact::statement(text);
    let rows: Vec<Vec<String>> = text.lines().map(|line| vec![line.to_string()]).collect();
    Outcome::texts(&["explain"], &rows)
}

/// The whole text in one row.
fn one(text: String) -> Result<Outcome> {
    Outcome::texts(&["explain"], &[vec![gristmill_base::redact::statement(&text)]])
}

/// Rows that are there when the work is done, which begins when they are read.
fn texts(work: impl Future<Output = Result<Vec<String>>> + Send + 'static) -> Outcome {
    let columns = Columns::of([("explain", SqlType::String)]);
    let schema = columns.arrow();
    let of = schema.clone();
    let rows: BoxStream<'static, Result<RecordBatch, DataFusionError>> = futures::stream::once(async move {
        let rows = work.await?;
        let texts = BinaryViewArray::from_iter_values(rows.iter().map(String::as_bytes));
        Ok(RecordBatch::try_new(of, vec![Arc::new(texts)])?)
    })
    .boxed();
    Outcome { columns, rows: Box::pin(RecordBatchStreamAdapter::new(schema, rows)), totals: None }
}
