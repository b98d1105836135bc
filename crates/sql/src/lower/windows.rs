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
use crate::ast::{Call, Node, SortKey, Window};

#[derive(Debug, Default)]
pub struct Windows(pub RefCell<Vec<(Expr, String)>>);

impl Analyzer<'_> {
    pub(crate) fn sort(&self, key: &SortKey, context: &Context<'_>) -> Result<Sort> {
        let typed = self.as_value(self.expr(&key.node, context)?)?;
        let expr = if typed.kind.is_float() { super::floats::nan_as_null(typed.expr) } else { typed.expr };
        Ok(Sort::new(expr, !key.descending, key.nulls_first))
    }

    pub(crate) fn window_call(&self, call: &Call, context: &Context<'_>) -> Result<Typed> {
        let (Some(windows), Some(window)) = (context.windows, &call.over) else {
            return Err(Error::new(
                ErrorCode::ILLEGAL_AGGREGATION,
                format!(
                    "Window function {} is found where no window is computed: use it in the SELECT list or ORDER BY",
                    call.name
                ),
            ));
        };
        let window = &self.window_of(window, context)?;
        let partition_by = window
            .partition_by
            .iter()
            .filter(|node| !node.is_empty_tuple())
            .map(|node| Ok(self.as_value(self.expr(node, context)?)?.expr))
            .collect::<Result<Vec<_>>>()?;
        let sorted = window.order_by.iter().filter(|key| !key.node.is_empty_tuple());
        let order_by = sorted.map(|key| self.sort(key, context)).collect::<Result<Vec<_>>>()?;
        let window_frame = match &window.frame {
            Some(frame) => WindowFrame::try_from(frame.clone())?,
            // RANGE up to the current row, and with it the rows that sort alike.
            None => WindowFrame::new((!order_by.is_empty()).then_some(false)),
        };
        let lower = call.name.to_ascii_lowercase();
        let ranking = match lower.as_str() {
            "row_number" => Some(dfw::row_number::row_number_udwf()),
            "rank" => Some(dfw::rank::rank_udwf()),
            "dense_rank" | "denserank" => Some(dfw::rank::dense_rank_udwf()),
            "percent_rank" | "percentrank" => Some(dfw::rank::percent_rank_udwf()),
            "cume_dist" | "cumedist" => Some(dfw::cume_dist::cume_dist_udwf()),
            _ => None,
        };
        let mut filter = None;
        let (definition, args, kind, when_empty) = if let Some(function) = ranking {
            let kind =
                if lower.starts_with("percent") || lower.starts_with("cume") { SqlType::Float64 } else { SqlType::UInt64 };
            (WindowFunctionDefinition::WindowUDF(function), Vec::new(), kind, None)
        } else if lower == "ntile" {
            let [buckets] = &call.arguments[..] else {
                return Err(Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, "ntile takes the number of buckets"));
            };
            let buckets = self.cast(self.expr(buckets, context)?, &SqlType::Int64)?;
            (WindowFunctionDefinition::WindowUDF(dfw::ntile::ntile_udwf()), vec![buckets.expr], SqlType::UInt64, None)
        } else if matches!(lower.as_str(), "nth_value" | "first_value" | "last_value") {
            let function = match lower.as_str() {
                "nth_value" => dfw::nth_value::nth_value_udwf(),
                "first_value" => dfw::nth_value::first_value_udwf(),
                _ => dfw::nth_value::last_value_udwf(),
            };
            let [value, rest @ ..] = &call.arguments[..] else {
                return Err(Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, format!("{} takes a value", call.name)));
            };
            let value = self.as_value(self.expr(value, context)?)?;
            let mut args = vec![value.expr];
            if let Some(at) = rest.first() {
                args.push(self.cast(self.expr(at, context)?, &SqlType::Int64)?.expr);
            }
            let default = (!value.kind.is_nullable()).then(|| gristmill_types::default::default_scalar(&value.kind));
            (WindowFunctionDefinition::WindowUDF(function), args, value.kind, default)
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
        let params = WindowFunctionParams {
            args,
            partition_by,
            order_by,
            window_frame,
            filter,
            null_treatment: None,
            distinct: false,
        };
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

    /// A window with what it takes from the WINDOW clause.
    fn window_of(&self, window: &Window, context: &Context<'_>) -> Result<Window> {
        let Some(base) = &window.base else { return Ok(window.clone()) };
        let named = context.scope.windows.get(base).ok_or_else(|| {
            Error::new(
                ErrorCode::BAD_ARGUMENTS,
                format!("Window '{base}' is not defined: the query has no WINDOW {base} AS (…)"),
            )
        })?;
        let mut whole = self.window_of(named, context)?;
        if !window.partition_by.is_empty() {
            return Err(Error::new(
                ErrorCode::BAD_ARGUMENTS,
                format!("A window that begins with '{base}' cannot have PARTITION BY"),
            ));
        }
        if !window.order_by.is_empty() {
            whole.order_by = window.order_by.clone();
        }
        if window.frame.is_some() {
            whole.frame = window.frame.clone();
        }
        Ok(whole)
    }

    /// An aggregate over a window takes its arguments from where the window stands (above GROUP BY where there is one).
    fn bind_in_window(
        &self,
        call: &Call,
        context: &Context<'_>,
    ) -> Result<(Expr, SqlType, Option<datafusion::common::ScalarValue>)> {
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
