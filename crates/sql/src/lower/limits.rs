//! What follows a SELECT in its query: ORDER BY, LIMIT BY, LIMIT.

use datafusion::common::Column;
use datafusion::functions_window::rank::rank_udwf;
use datafusion::functions_window::row_number::row_number_udwf;
use datafusion::logical_expr::expr::{Sort, WindowFunction, WindowFunctionParams};
use datafusion::logical_expr::{Expr, LogicalPlanBuilder, WindowFrame, WindowFunctionDefinition, WindowUDF, lit};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use sqlparser::ast::{Interpolate, LimitClause, OrderByKind, Query};
use std::sync::Arc;

use super::Analyzer;
use crate::ast::{Literal, Node, SortKey};
use crate::rewrite::limits::LIMITS;
use crate::translate;

#[derive(Default)]
pub(crate) struct Tail {
    pub order_by: Vec<SortKey>,
    /// What becomes of columns in rows that WITH FILL makes.
    pub interpolate: Option<Interpolate>,
    /// ORDER BY ALL, with its direction.
    pub order_by_all: Option<bool>,
    /// Keys, rows to skip and to give.
    pub limit_by: Option<(Vec<Node>, usize, usize)>,
    /// Rows to skip and to give.
    pub limit: Option<(usize, Option<usize>)>,
    /// Whether rows that sort as the last row given are given as well.
    pub with_ties: bool,
}

impl Analyzer<'_> {
    pub(crate) fn tail(&self, query: &Query) -> Result<Tail> {
        let mut tail = Tail::default();
        if let Some(order_by) = &query.order_by {
            tail.interpolate = order_by.interpolate.clone();
            match &order_by.kind {
                OrderByKind::Expressions(exprs) => {
                    tail.order_by = exprs.iter().map(translate::sort_key).collect::<Result<_>>()?;
                    // Nothing is before nothing.
                    tail.order_by.retain(|key| !key.node.is_empty_tuple());
                }
                OrderByKind::All(options) => tail.order_by_all = Some(options.asc == Some(false)),
            }
        }
        match &query.limit_clause {
            None => {}
            Some(LimitClause::OffsetCommaLimit { offset, limit }) => {
                let skip = self.row_count(&translate::node(offset)?, "OFFSET")?;
                tail.limit = Some((skip, Some(self.row_count(&translate::node(limit)?, "LIMIT")?)));
            }
            Some(LimitClause::LimitOffset { limit, offset, limit_by }) => {
                let rows = limit.as_ref().map(translate::node).transpose()?;
                let skip = match offset {
                    Some(offset) => self.row_count(&translate::node(&offset.value)?, "OFFSET")?,
                    None => 0,
                };
                match rows {
                    Some(Node::Call(call)) if call.name == LIMITS => {
                        self.several_limits(&call.arguments, &mut tail)?;
                        if offset.is_some() {
                            let rows = tail.limit.and_then(|(_, rows)| rows);
                            tail.limit = Some((skip, rows));
                        }
                    }
                    rows => {
                        let rows = rows.map(|rows| self.row_count(&rows, "LIMIT")).transpose()?;
                        if limit_by.is_empty() {
                            tail.limit = Some((skip, rows));
                        } else {
                            tail.limit_by = Some((translate::nodes(limit_by)?, skip, rows.unwrap_or(usize::MAX)));
                        }
                    }
                }
            }
        }
        if let Some(fetch) = &query.fetch {
            let rows = match &fetch.quantity {
                Some(quantity) => self.row_count(&translate::node(quantity)?, "FETCH")?,
                None => 1,
            };
            let skip = tail.limit.map_or(0, |(skip, _)| skip);
            tail.limit = Some((skip, Some(rows)));
            tail.with_ties = fetch.with_ties;
        }
        if tail.with_ties && tail.order_by.is_empty() && tail.order_by_all.is_none() {
            return Err(Error::new(ErrorCode::BAD_ARGUMENTS, "LIMIT WITH TIES needs ORDER BY"));
        }
        Ok(tail)
    }

    /// What `rewrite::limits` puts together.
    fn several_limits(&self, arguments: &[Node], tail: &mut Tail) -> Result<()> {
        let [by_rows, by_skip, rows, skip, ties, keys @ ..] = arguments else {
            return Err(Error::logical("LIMIT with fewer parts than the tokens were given"));
        };
        let count = |node: &Node, what: &str| match node {
            Node::Literal(Literal::Null) => Ok(None),
            node => self.row_count(node, what).map(Some),
        };
        let rows = count(rows, "LIMIT")?;
        let skip = count(skip, "OFFSET")?;
        if rows.is_some() || skip.is_some() {
            tail.limit = Some((skip.unwrap_or(0), rows));
        }
        if !keys.is_empty() {
            let by_rows = count(by_rows, "LIMIT BY")?.unwrap_or(usize::MAX);
            tail.limit_by = Some((keys.to_vec(), count(by_skip, "OFFSET")?.unwrap_or(0), by_rows));
        }
        tail.with_ties = *ties == Node::Literal(Literal::Bool(true));
        Ok(())
    }

    /// What a LIMIT counts in.
    fn row_count(&self, node: &Node, what: &str) -> Result<usize> {
        let (value, kind) = self.constant(node)?;
        match value.cast_to(&arrow::datatypes::DataType::Int64) {
            Ok(datafusion::common::ScalarValue::Int64(Some(rows))) if rows >= 0 && kind.plain() != &SqlType::String => {
                Ok(rows as usize)
            }
            _ => Err(Error::new(
                ErrorCode::INVALID_SETTING_VALUE,
                format!("The value {value} of {what} is not a number of rows"),
            )),
        }
    }

    /// LIMIT BY: of the rows with equal keys, in the query's order, those from `offset` on, `count` of them.
    pub(crate) fn first_of_each(
        &self,
        builder: LogicalPlanBuilder,
        keys: &[Expr],
        sorts: &[Sort],
        offset: usize,
        count: usize,
    ) -> Result<LogicalPlanBuilder> {
        let name = self.unique("row_number");
        let number = numbering(row_number_udwf(), keys, sorts);
        let column = Expr::Column(Column::new_unqualified(&name));
        let high = column.clone().lt_eq(lit(offset.saturating_add(count) as u64));
        let wanted = if offset > 0 { column.gt(lit(offset as u64)).and(high) } else { high };
        Ok(builder.window(vec![number.alias(&name)])?.filter(wanted)?)
    }

    /// LIMIT WITH TIES: the rows from `skip` on whose rank is not over the last one's.
    pub(crate) fn limit_with_ties(
        &self,
        builder: LogicalPlanBuilder,
        sorts: &[Sort],
        skip: usize,
        rows: usize,
    ) -> Result<LogicalPlanBuilder> {
        let (number, rank) = (self.unique("row_number"), self.unique("rank"));
        let exprs =
            vec![numbering(row_number_udwf(), &[], sorts).alias(&number), numbering(rank_udwf(), &[], sorts).alias(&rank)];
        let column = |name: &str| Expr::Column(Column::new_unqualified(name));
        let wanted = column(&number).gt(lit(skip as u64)).and(column(&rank).lt_eq(lit(skip.saturating_add(rows) as u64)));
        Ok(builder.window(exprs)?.filter(wanted)?.sort([column(&number).sort(true, false)])?)
    }
}

fn numbering(function: Arc<WindowUDF>, keys: &[Expr], sorts: &[Sort]) -> Expr {
    let params = WindowFunctionParams {
        args: Vec::new(),
        partition_by: keys.to_vec(),
        order_by: sorts.to_vec(),
        window_frame: WindowFrame::new((!sorts.is_empty()).then_some(true)),
        filter: None,
        null_treatment: None,
        distinct: false,
    };
    Expr::WindowFunction(Box::new(WindowFunction { fun: WindowFunctionDefinition::WindowUDF(function), params }))
}
