//! Window functions: each is computed once and becomes a column, above the aggregation and below the SELECT list.

use std::cell::RefCell;
use std::sync::Arc;

use datafusion::common::Column;
use datafusion::functions_window as dfw;
use datafusion::logical_expr::expr::{Sort, WindowFunction, WindowFunctionParams};
use datafusion::logical_expr::{Expr, WindowFrame, WindowFunctionDefinition};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use super::scope::Context;
use super::{Analyzer, Typed};
use crate::ast::{Call, Node, SortKey};

#[derive(Debug, Default)]
pub struct Windows(pub RefCell<Vec<(Expr, String)>>);

impl Analyzer<'_> {
    pub(crate) fn sort(&self, key: &SortKey, context: &Context<'_>) -> Result<Sort> {
        let typed = self.as_value(self.expr(&key.node, context)?)?;
        Ok(Sort::new(typed.expr, !key.descending, key.nulls_first))
    }

    pub(crate) fn window_call(&self, call: &Call, context: &Context<'_>) -> Result<Typed> {
        let (Some(windows), Some(window)) = (context.windows, &call.over) else {
            return Err(Error::new(
                ErrorCode::ILLEGAL_AGGREGATION,
                format!("Window function {} is found where no window is computed: use it in the SELECT list or ORDER BY", call.name),
            ));
        };
        let partition_by = window
            .partition_by
            .iter()
            .map(|node| Ok(self.as_value(self.expr(node, context)?)?.expr))
            .collect::<Result<Vec<_>>>()?;
        let order_by = window.order_by.iter().map(|key| self.sort(key, context)).collect::<Result<Vec<_>>>()?;
        let window_frame = match &window.frame {
            Some(frame) => WindowFrame::try_from(frame.clone())?,
            None => WindowFrame::new((!order_by.is_empty()).then_some(false)),
        };
        let lower = call.name.to_ascii_lowercase();
        let ranking = match lower.as_str() {
            "row_number" => Some(dfw::row_number::row_number_udwf()),
            "rank" => Some(dfw::rank::rank_udwf()),
            "dense_rank" | "denserank" => Some(dfw::rank::dense_rank_udwf()),
            _ => None,
        };
        let mut filter = None;
        let (definition, args, kind, when_empty) = if let Some(function) = ranking {
            (WindowFunctionDefinition::WindowUDF(function), Vec::new(), SqlType::UInt64, None)
        } else if matches!(lower.as_str(), "lag" | "lead" | "laginframe" | "leadinframe") {
            let function = if lower.starts_with("lag") { dfw::lead_lag::lag_udwf() } else { dfw::lead_lag::lead_udwf() };
            let [value, rest @ ..] = &call.arguments[..] else {
                return Err(Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, format!("{} takes a value", call.name)));
            };
            let value = self.as_value(self.expr(value, context)?)?;
            let mut args = vec![value.expr.clone()];
            if let Some(offset) = rest.first() {
                args.push(self.cast(self.expr(offset, context)?, &SqlType::Int64)?.expr);
            }
            let default = match rest.get(1) {
                Some(default) => self.cast(self.expr(default, context)?, &value.kind)?.constant().cloned(),
                None => None,
            };
            let default = match default {
                Some(value) => Some(value),
                None if value.kind.is_nullable() => None,
                None => Some(gristmill_types::default::default_scalar(&value.kind)),
            };
            (WindowFunctionDefinition::WindowUDF(function), args, value.kind, default)
        } else {
            let plain = Call { over: None, ..call.clone() };
            let (bound, kind, when_empty) = self.bind_in_window(&plain, context)?;
            let Expr::AggregateFunction(aggregate) = bound else {
                return Err(Error::logical("A bound aggregate is no aggregate"));
            };
            filter = aggregate.params.filter;
            (WindowFunctionDefinition::AggregateUDF(Arc::clone(&aggregate.func)), aggregate.params.args, kind, when_empty)
        };
        let params = WindowFunctionParams { args, partition_by, order_by, window_frame, filter, null_treatment: None, distinct: false };
        let expr = Expr::WindowFunction(Box::new(WindowFunction { fun: definition, params }));
        let mut known = windows.0.borrow_mut();
        let name = match known.iter().find(|(other, _)| *other == expr) {
            Some((_, name)) => name.clone(),
            None => {
                let name = self.unique(&Node::Call(call.clone()).to_string());
                known.push((expr, name.clone()));
                name
            }
        };
        let column = Expr::Column(Column::new_unqualified(name));
        Ok(Typed::new(super::aggregates::or_default(column, when_empty), kind))
    }

    /// An aggregate over a window takes its arguments from where the window stands (above GROUP BY where there is one).
    fn bind_in_window(&self, call: &Call, context: &Context<'_>) -> Result<(Expr, SqlType, Option<datafusion::common::ScalarValue>)> {
        if context.grouped.is_none() {
            return self.bind_aggregate(call, context);
        }
        // Arguments above a grouping are keys and aggregates: they are lowered to columns first, then named.
        let mut columns = Vec::new();
        let mut arguments = Vec::new();
        for node in &call.arguments {
            let typed = self.as_value(self.expr(node, context)?)?;
            let name = self.unique("argument");
            arguments.push(Node::Name(vec![name.clone()]));
            columns.push((name, typed));
        }
        let inner = context.below_grouping().with_lambda(columns);
        self.bind_aggregate(&Call { arguments, ..call.clone() }, &inner)
    }
}
