//! Subqueries of expressions that no query stands around: those of mutations and of VALUES. Each is run, and its answer takes
//! its place as a constant.

use std::borrow::Cow;
use std::future::Future;
use std::pin::Pin;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use futures::TryStreamExt;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_sql::ast::{InSet, Literal, Node, call, text};
use gristmill_types::SqlType;
use gristmill_types::text::{Escaping, TextOptions, ValueWriter};
use sqlparser::ast::Query;

use super::Interpreter;
use crate::engine::timezone;
use crate::plan;

/// Values of a set at most.
const SET_ROWS_MAX: usize = 1_000_000;

impl Interpreter {
    /// Rows of VALUES without subqueries.
    pub(super) async fn values_answered<'r>(&self, rows: &'r [Vec<Node>]) -> Result<Cow<'r, [Vec<Node>]>> {
        if !rows.iter().flatten().any(Node::has_subquery) {
            return Ok(Cow::Borrowed(rows));
        }
        let mut answered = Vec::with_capacity(rows.len());
        for row in rows {
            answered.push(self.all_answered(row, &self.context.database).await?);
        }
        Ok(Cow::Owned(answered))
    }

    /// The expression with the answers of its subqueries in their place. `database`: that of tables named without one.
    pub(super) fn answered<'n>(
        &'n self,
        node: &'n Node,
        database: &'n str,
    ) -> Pin<Box<dyn Future<Output = Result<Node>> + Send + 'n>> {
        Box::pin(async move {
            Ok(match node {
                Node::Subquery(query) => {
                    let (values, kind) = self.first_column(query, database, 1).await?;
                    values.into_iter().next().unwrap_or_else(|| null_of(&kind))
                }
                Node::Exists { query, negated } => {
                    let (values, _) = self.first_column(query, database, 1).await?;
                    Node::Literal(Literal::Integer(i128::from(values.is_empty() == *negated)))
                }
                Node::In { left, set, negated } => {
                    let set = match set {
                        InSet::Query(query) => InSet::List(self.first_column(query, database, SET_ROWS_MAX).await?.0),
                        InSet::List(list) => InSet::List(self.all_answered(list, database).await?),
                        InSet::Other(node) => InSet::Other(Box::new(self.answered(node, database).await?)),
                    };
                    let left = Box::new(self.answered(left, database).await?);
                    match set {
                        // Nothing is in an empty set.
                        InSet::List(list) if list.is_empty() => Node::Literal(Literal::Integer(i128::from(*negated))),
                        set => Node::In { left, set, negated: *negated },
                    }
                }
                Node::Call(function) => {
                    let mut function = function.clone();
                    function.arguments = self.all_answered(&function.arguments, database).await?;
                    Node::Call(function)
                }
                Node::Aliased(inner, alias) => Node::Aliased(Box::new(self.answered(inner, database).await?), alias.clone()),
                Node::Lambda { parameters, body } => {
                    Node::Lambda { parameters: parameters.clone(), body: Box::new(self.answered(body, database).await?) }
                }
                other => other.clone(),
            })
        })
    }

    async fn all_answered(&self, nodes: &[Node], database: &str) -> Result<Vec<Node>> {
        let mut answered = Vec::with_capacity(nodes.len());
        for node in nodes {
            answered.push(self.answered(node, database).await?);
        }
        Ok(answered)
    }

    /// The values of a query's first column as constants, NULL left out of sets.
    async fn first_column(&self, query: &Query, database: &str, rows_max: usize) -> Result<(Vec<Node>, SqlType)> {
        let planned = self.plan_query_within(database, query).await?;
        let columns = planned.lowered.columns();
        let [column] = &columns.0[..] else {
            return Err(Error::not_implemented("A subquery of several columns among constants"));
        };
        let kind = column.kind.clone();
        let rows = plan::run(&planned.state, planned.physical, &self.context)?;
        let batches: Vec<RecordBatch> = rows.try_collect().await?;
        let count: usize = batches.iter().map(RecordBatch::num_rows).sum();
        if count > rows_max {
            let (code, text) = match rows_max {
                1 => (
                    ErrorCode::INCORRECT_RESULT_OF_SCALAR_SUBQUERY,
                    "Scalar subquery returned more than one row".to_string(),
                ),
                _ => (ErrorCode::TOO_MANY_ROWS, format!("A set of constants has {count} values, more than {rows_max}")),
            };
            return Err(Error::new(code, text));
        }
        let mut values = Vec::with_capacity(count);
        for batch in &batches {
            values.extend(self.constants(batch.column(0), &kind)?);
        }
        Ok((values, kind))
    }

    /// Values as they are written in statements, NULL left out.
    pub(super) fn constants(&self, array: &ArrayRef, kind: &SqlType) -> Result<Vec<Node>> {
        let options = TextOptions::new(Escaping::Plain, timezone(&self.context.settings)?);
        let plain = kind.plain();
        let mut values = Vec::with_capacity(array.len());
        let writer = ValueWriter::new(array, kind, &options)?;
        for row in (0..array.len()).filter(|row| array.is_valid(*row)) {
            let mut bytes = Vec::new();
            match array.as_binary_view_opt() {
                Some(strings) if *plain == SqlType::String => bytes.extend_from_slice(strings.value(row)),
                _ => writer.write(row, &mut bytes),
            }
            let value = match String::from_utf8(bytes) {
                Ok(value) => value,
                Err(error) => {
                    let digits: String = error.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
                    values.push(call("unhex", vec![text(&digits)]));
                    continue;
                }
            };
            values.push(match (plain, value.parse::<i128>()) {
                (SqlType::String, _) => text(&value),
                (number, Ok(value)) if number.integer_bits().is_some_and(|(bits, _)| bits <= 64) => {
                    Node::Literal(Literal::Integer(value))
                }
                _ => call("CAST", vec![text(&value), text(&plain.to_string())]),
            });
        }
        Ok(values)
    }
}

fn null_of(kind: &SqlType) -> Node {
    call("CAST", vec![Node::Literal(Literal::Null), text(&kind.clone().nullable().to_string())])
}
