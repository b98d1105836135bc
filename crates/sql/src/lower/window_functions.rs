//! What stands before OVER: a function that only windows have, with ClickHouse's rules of its arguments and frames, or an
//! aggregate function.

use std::sync::Arc;

use datafusion::common::ScalarValue;
use datafusion::functions_window as dfw;
use datafusion::logical_expr::{
    Expr, WindowFrame, WindowFrameBound, WindowFrameUnits, WindowFunctionDefinition, WindowUDF, lit,
};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_functions::aggregates::udaf::with_condition;
use gristmill_functions::windows;
use gristmill_types::SqlType;
use gristmill_types::default::default_scalar;
use gristmill_types::supertype::least_supertype;

use super::scope::Context;
use super::{Analyzer, Typed};
use crate::ast::{Call, Window};

/// A function with its arguments.
pub(super) struct Bound {
    pub definition: WindowFunctionDefinition,
    pub arguments: Vec<Expr>,
    pub kind: SqlType,
    /// What stands for NULL.
    pub when_empty: Option<ScalarValue>,
    pub filter: Option<Box<Expr>>,
    /// Whether the frame is the whole partition, whatever the window says.
    pub whole_partition: bool,
}

impl Bound {
    fn of(function: Arc<WindowUDF>, arguments: Vec<Expr>, kind: SqlType) -> Bound {
        let definition = WindowFunctionDefinition::WindowUDF(function);
        // As other aggregates, they see values without their dictionaries.
        let kind = kind.nowhere_low_cardinality();
        Bound { definition, arguments, kind, when_empty: None, filter: None, whole_partition: false }
    }
}

fn bad(text: impl Into<String>) -> Error {
    Error::new(ErrorCode::BAD_ARGUMENTS, text.into())
}

fn count(name: &str, expected: &str, given: usize) -> Error {
    let text = format!("Number of arguments for window function {name} doesn't match: passed {given}, should be {expected}");
    Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, text)
}

/// The frame as it is written, and whether it is all of the partition.
fn written_frame(window: &Window) -> Result<Option<(WindowFrameUnits, bool)>> {
    let Some(frame) = &window.frame else { return Ok(None) };
    let frame = WindowFrame::try_from(frame.clone())?;
    Ok(Some((frame.units, frame.start_bound.is_unbounded() && frame.end_bound.is_unbounded())))
}

fn unsupported_frame(name: &str) -> Error {
    bad(format!("Unsupported window frame type for function '{name}'"))
}

impl Analyzer<'_> {
    pub(super) fn window_function(&self, call: &Call, window: &Window, context: &Context<'_>) -> Result<Bound> {
        let name = self.registry.canonical(&call.name);
        let given = call.arguments.len();
        let ranking = |function: Arc<WindowUDF>, kind| Ok(Bound::of(function, Vec::new(), kind));
        match name {
            "row_number" => ranking(dfw::row_number::row_number_udwf(), SqlType::UInt64),
            "rank" | "denseRank" if given > 0 => Err(count(name, "0", given)),
            "rank" => ranking(dfw::rank::rank_udwf(), SqlType::UInt64),
            "denseRank" => ranking(dfw::rank::dense_rank_udwf(), SqlType::UInt64),
            "percentRank" | "cume_dist" => {
                if written_frame(window)?.is_some_and(|frame| frame != (WindowFrameUnits::Range, true)) {
                    return Err(unsupported_frame(name));
                }
                let function =
                    if name == "cume_dist" { dfw::cume_dist::cume_dist_udwf() } else { dfw::rank::percent_rank_udwf() };
                ranking(function, SqlType::Float64)
            }
            "ntile" => self.ntile(call, window, context),
            "nth_value" => self.nth_value(call, context),
            "lag" | "lead" | "lagInFrame" | "leadInFrame" => self.shifted(name, call, window, context),
            "nonNegativeDerivative" => self.derivative(call, context),
            _ => match windows::Decayed::by_name(name) {
                Some(kind) => self.decayed(name, kind, call, context),
                None => self.first_or_last(call, context),
            },
        }
    }

    fn ntile(&self, call: &Call, window: &Window, context: &Context<'_>) -> Result<Bound> {
        let [buckets] = &call.arguments[..] else { return Err(count("ntile", "1", call.arguments.len())) };
        let buckets = self.as_value(self.expr(buckets, context)?)?;
        if !matches!(buckets.kind, SqlType::UInt8 | SqlType::UInt16 | SqlType::UInt32 | SqlType::UInt64) {
            return Err(bad(format!(
                "'ntile' argument type must be an unsigned integer (not larger than 64-bit), got {}",
                buckets.kind
            )));
        }
        let is_ordered = window.order_by.iter().any(|key| !key.node.is_empty_tuple());
        if !is_ordered || written_frame(window)?.is_some_and(|frame| frame != (WindowFrameUnits::Rows, true)) {
            return Err(unsupported_frame("ntile"));
        }
        let buckets = self.cast(self.fold(buckets)?, &SqlType::Int64)?;
        match self.fold(buckets.clone())?.constant() {
            None => return Err(bad("Argument of 'ntile' function must be a constant")),
            Some(ScalarValue::Int64(Some(number))) if *number > 0 => {}
            Some(_) => return Err(bad("Argument of 'ntile' function must be greater than zero")),
        }
        Ok(Bound::of(dfw::ntile::ntile_udwf(), vec![buckets.expr], SqlType::UInt64))
    }

    /// How many rows, or which place: an integer, as Int64.
    fn offset(&self, node: &crate::ast::Node, context: &Context<'_>) -> Result<Typed> {
        let offset = self.as_value(self.expr(node, context)?)?;
        if offset.kind.integer_bits().is_none() || offset.kind.is_nullable() {
            return Err(bad(format!("Offset must be an integer, '{}' given", offset.kind)));
        }
        self.fold(self.cast(offset, &SqlType::Int64)?)
    }

    /// What is given where there is no row: NULL, or the type's default.
    fn nothing_of(kind: &SqlType) -> Expr {
        Expr::Literal(
            if kind.is_nullable() {
                ScalarValue::try_from(&kind.arrow()).unwrap_or(ScalarValue::Null)
            } else {
                default_scalar(kind)
            },
            None,
        )
    }

    fn nth_value(&self, call: &Call, context: &Context<'_>) -> Result<Bound> {
        let [value, place] = &call.arguments[..] else { return Err(count("nth_value", "2", call.arguments.len())) };
        let value = self.as_value(self.expr(value, context)?)?;
        let place = self.offset(place, context)?;
        let arguments = vec![value.expr, place.expr, Self::nothing_of(&value.kind)];
        Ok(Bound::of(windows::nth_value(&value.kind), arguments, value.kind))
    }

    fn shifted(&self, name: &str, call: &Call, window: &Window, context: &Context<'_>) -> Result<Bound> {
        let (forward, in_frame) = (name.starts_with("lead"), name.ends_with("InFrame"));
        if !in_frame && window.frame.is_some() {
            return Err(bad(format!("Window function '{name}' does not expect window frame to be explicitly specified")));
        }
        let [value, rest @ ..] = &call.arguments[..] else {
            let text = format!("Function {name} takes at least one argument");
            return Err(Error::new(ErrorCode::TOO_FEW_ARGUMENTS_FOR_FUNCTION, text));
        };
        if rest.len() > 2 {
            let text = format!("Function '{name}' accepts at most 3 arguments, {} given", rest.len() + 1);
            return Err(Error::new(ErrorCode::TOO_MANY_ARGUMENTS_FOR_FUNCTION, text));
        }
        let value = self.as_value(self.expr(value, context)?)?;
        let offset = match rest.first() {
            Some(node) => self.offset(node, context)?,
            None => Typed::new(lit(1i64), SqlType::Int64),
        };
        let default = match rest.get(1) {
            Some(node) => self.default_of(self.as_value(self.expr(node, context)?)?, &value.kind)?,
            None => Self::nothing_of(&value.kind),
        };
        let kind = value.kind;
        let name = windows::NAMES.iter().find(|known| **known == name).copied().unwrap_or("lag");
        // DataFusion's own functions keep but the rows that they need.
        if let (Some(ScalarValue::Int64(Some(1..))), Expr::Literal(constant, _)) = (offset.constant(), &default)
            && (!in_frame || self.frame_holds(forward, window)?)
        {
            let function = if forward { dfw::lead_lag::lead_udwf() } else { dfw::lead_lag::lag_udwf() };
            let when_empty = (!kind.is_nullable()).then(|| constant.clone());
            let mut arguments = vec![value.expr, offset.expr];
            if kind.is_nullable() && !constant.is_null() {
                arguments.push(default);
            }
            return Ok(Bound { when_empty, ..Bound::of(function, arguments, kind) });
        }
        let arguments = vec![value.expr, offset.expr, default];
        let bound = Bound::of(windows::shifted(name, forward, in_frame, &kind), arguments, kind);
        Ok(Bound { whole_partition: !in_frame, ..bound })
    }

    /// Whether every row before (or behind) is in the frame of each row.
    fn frame_holds(&self, forward: bool, window: &Window) -> Result<bool> {
        let Some(frame) = &window.frame else {
            let is_ordered = window.order_by.iter().any(|key| !key.node.is_empty_tuple());
            // Without an order all rows are one another's peers.
            return Ok(!forward || !is_ordered);
        };
        let frame = WindowFrame::try_from(frame.clone())?;
        let holds = |far: &WindowFrameBound, near: &WindowFrameBound| {
            far.is_unbounded() && (near.is_unbounded() || *near == WindowFrameBound::CurrentRow)
        };
        Ok(if forward { holds(&frame.end_bound, &frame.start_bound) } else { holds(&frame.start_bound, &frame.end_bound) })
    }

    /// A default of the type of the values, which must hold it.
    fn default_of(&self, default: Typed, kind: &SqlType) -> Result<Expr> {
        let Ok(common) = least_supertype(&[kind.clone(), default.kind.clone()]) else {
            return Err(bad(format!(
                "There is no supertype for the argument type '{kind}' and the default value type '{}'",
                default.kind
            )));
        };
        if common.without_low_cardinality() != kind.without_low_cardinality() {
            return Err(bad(format!(
                "The supertype '{common}' for the argument type '{kind}' and the default value type '{}' is not the same as \
                 the argument type",
                default.kind
            )));
        }
        Ok(self.fold(self.cast(default, kind)?)?.expr)
    }

    fn number(&self, at: usize, typed: &Typed) -> Result<()> {
        if typed.kind.is_number() && !typed.kind.is_nullable() {
            return Ok(());
        }
        Err(bad(format!("Argument {at} must be a number, '{}' given", typed.kind)))
    }

    fn derivative(&self, call: &Call, context: &Context<'_>) -> Result<Bound> {
        let given = call.arguments.len();
        let (Some(metric), Some(time), 2..=3) = (call.arguments.first(), call.arguments.get(1), given) else {
            return Err(count("nonNegativeDerivative", "2 or 3", given));
        };
        let metric = self.as_value(self.expr(metric, context)?)?;
        self.number(0, &metric)?;
        let time = self.as_value(self.expr(time, context)?)?;
        let scale = match time.kind {
            SqlType::DateTime(_) => 0,
            SqlType::DateTime64(scale, _) => scale,
            _ => return Err(bad(format!("Argument 1 must be DateTime or DateTime64, '{}' given", time.kind))),
        };
        let seconds = match call.arguments.get(2) {
            None => 1.0,
            Some(node) => {
                let interval = self.fold(self.as_value(self.expr(node, context)?)?)?;
                let SqlType::Interval(unit) = &interval.kind else {
                    return Err(bad(format!("Argument 2 must be an INTERVAL, '{}' given", interval.kind)));
                };
                let Some((nanoseconds, _)) = unit.ratio(gristmill_types::IntervalKind::Nanosecond) else {
                    let text = format!("The INTERVAL must be a week or shorter, '{}' given", interval.kind);
                    return Err(Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text));
                };
                match interval.constant() {
                    Some(ScalarValue::Int64(Some(length))) if nanoseconds >= 1_000_000_000 => {
                        *length as f64 * (nanoseconds / 1_000_000_000) as f64
                    }
                    Some(ScalarValue::Int64(Some(length))) => *length as f64 / (1_000_000_000 / nanoseconds) as f64,
                    _ => return Err(bad("Argument 2 of nonNegativeDerivative must be a constant INTERVAL")),
                }
            }
        };
        let arguments = vec![self.cast(metric, &SqlType::Float64)?.expr, time.expr];
        let bound = Bound::of(windows::derivative(seconds, scale), arguments, SqlType::Float64);
        Ok(Bound { whole_partition: true, ..bound })
    }

    fn decayed(&self, name: &str, kind: windows::Decayed, call: &Call, context: &Context<'_>) -> Result<Bound> {
        let [parameter] = &call.parameters[..] else {
            let text = format!("Function {name} takes exactly one parameter");
            return Err(Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, text));
        };
        let (length, length_kind) = self.constant_in(parameter, &context.below_grouping())?;
        let length = match length.cast_to(&arrow::datatypes::DataType::Float64) {
            Ok(ScalarValue::Float64(Some(length))) if length_kind.is_number() => length,
            _ => {
                let text = format!("Cannot convert {length_kind} to Float64, the parameter of function {name}");
                return Err(Error::new(ErrorCode::CANNOT_CONVERT_TYPE, text));
            }
        };
        let expected = if kind == windows::Decayed::Count { 1 } else { 2 };
        if call.arguments.len() != expected {
            return Err(count(name, &expected.to_string(), call.arguments.len()));
        }
        let mut arguments = Vec::new();
        for (at, node) in call.arguments.iter().enumerate() {
            let argument = self.as_value(self.expr(node, context)?)?;
            if at + 1 < expected {
                self.number(at, &argument)?;
            } else if !matches!(argument.kind, SqlType::DateTime(_) | SqlType::DateTime64(..))
                && self.number(at, &argument).is_err()
            {
                return Err(bad(format!(
                    "Argument {at} must be DateTime, DateTime64 or a number, '{}' given",
                    argument.kind
                )));
            }
            arguments.push(self.cast(argument, &SqlType::Float64)?.expr);
        }
        Ok(Bound::of(windows::decayed(name, kind, length), arguments, SqlType::Float64))
    }

    fn first_or_last(&self, call: &Call, context: &Context<'_>) -> Result<Bound> {
        let function = match call.name.to_ascii_lowercase().as_str() {
            "first_value" => dfw::nth_value::first_value_udwf(),
            "last_value" => dfw::nth_value::last_value_udwf(),
            _ => return self.aggregate_over(call, context),
        };
        let [value] = &call.arguments[..] else { return Err(count(&call.name, "1", call.arguments.len())) };
        let value = self.as_value(self.expr(value, context)?)?;
        let when_empty = (!value.kind.is_nullable()).then(|| default_scalar(&value.kind));
        Ok(Bound { when_empty, ..Bound::of(function, vec![value.expr], value.kind) })
    }

    fn aggregate_over(&self, call: &Call, context: &Context<'_>) -> Result<Bound> {
        let plain = Call { over: None, ..call.clone() };
        let (bound, kind, when_empty) = self.bind_in_window(&plain, context)?;
        let Expr::AggregateFunction(aggregate) = bound else {
            return Err(Error::logical("A bound aggregate is no aggregate"));
        };
        let (mut function, mut arguments, mut filter) = (aggregate.func, aggregate.params.args, aggregate.params.filter);
        // A window's FILTER shows nobody what it is; as an argument it is computed by columns too.
        if let Some(condition) = &filter
            && let Some(conditional) = with_condition(&function)?
        {
            function = conditional;
            arguments.push((**condition).clone());
            filter = None;
        }
        let definition = WindowFunctionDefinition::AggregateUDF(function);
        Ok(Bound { definition, arguments, kind, when_empty, filter, whole_partition: false })
    }
}
