//! Window functions: each is computed once and becomes a column, above the aggregation and below the SELECT list.

use std::cell::RefCell;

use arrow::datatypes::DataType;
use datafusion::common::{Column, ScalarValue};
use datafusion::logical_expr::expr::{NullTreatment, Sort, WindowFunction, WindowFunctionParams};
use datafusion::logical_expr::{Expr, WindowFrame, WindowFrameBound, WindowFrameUnits};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use sqlparser::ast::{Expr as Ast, Value, WindowFrameBound as Bound};

use super::scope::Context;
use super::{Analyzer, Typed};
use crate::ast::{Call, Fill, Node, SortKey, Window};
use crate::translate;

/// A key of ORDER BY: what is sorted by may be another expression than its value.
pub(crate) struct Sorted {
    pub sort: Sort,
    pub value: Typed,
    pub fill: Option<Box<Fill>>,
}

#[derive(Debug, Default)]
pub struct Windows(pub RefCell<Vec<(Expr, String)>>);

impl Analyzer<'_> {
    /// A key of a query's ORDER BY, with its value as it is.
    pub(crate) fn sorted(&self, typed: Typed, key: Option<&SortKey>, descending: bool) -> Result<Sorted> {
        let collation = key.and_then(|key| key.collation.as_deref());
        let sort = self.collated_sort(typed.clone(), collation, descending, key.is_some_and(|key| key.nulls_first))?;
        Ok(Sorted { sort, value: typed, fill: key.and_then(|key| key.fill.clone()) })
    }

    /// As `sort_of`, in the order of the language that COLLATE names. Errors: UNSUPPORTED_COLLATION_LOCALE, BAD_COLLATION.
    fn collated_sort(&self, typed: Typed, locale: Option<&str>, descending: bool, nulls_first: bool) -> Result<Sort> {
        let Some(locale) = locale else { return self.sort_of(typed, descending, nulls_first) };
        let expr = gristmill_functions::collated_expr(typed.expr, &typed.kind, locale, &self.env)?;
        self.sort_of(Typed::new(expr, typed.kind), descending, nulls_first)
    }

    pub(crate) fn sort_of(&self, typed: Typed, descending: bool, nulls_first: bool) -> Result<Sort> {
        Ok(Sort::new(gristmill_functions::sort_expr(typed.expr, &typed.kind, &self.env)?, !descending, nulls_first))
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
        self.check_no_window_within(call, window, context)?;
        let partition_by = window
            .partition_by
            .iter()
            .filter(|node| !node.is_empty_tuple())
            .map(|node| Ok(self.as_value(self.expr(node, context)?)?.expr))
            .collect::<Result<Vec<_>>>()?;
        let (order_by, window_frame) = self.order_and_frame(window, context)?;
        let bound = self.window_function(call, window, context)?;
        let window_frame = if bound.whole_partition { WindowFrame::new(None) } else { window_frame };
        let params = WindowFunctionParams {
            args: bound.arguments,
            partition_by,
            order_by,
            window_frame,
            filter: bound.filter,
            // They are `any` and `anyLast`, which leave NULL out.
            null_treatment: matches!(call.name.to_ascii_lowercase().as_str(), "first_value" | "last_value")
                .then_some(NullTreatment::IgnoreNulls),
            distinct: false,
        };
        let expr = Expr::WindowFunction(Box::new(WindowFunction { fun: bound.definition, params }));
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
        Ok(Typed::new(super::aggregates::or_default(column, bound.when_empty), bound.kind))
    }

    /// Errors: ILLEGAL_AGGREGATION for a window function in an argument of another, NOT_FOUND_COLUMN_IN_BLOCK for one in its keys.
    fn check_no_window_within(&self, call: &Call, window: &Window, context: &Context<'_>) -> Result<()> {
        let has_window = |node: &Node| self.mentions(node, context, &|call| call.over.is_some());
        let name = &call.name;
        let text = |place: &str| format!("A window function is found in {place} window function {name}: use a subquery");
        if call.arguments.iter().chain(call.filter.as_deref()).any(has_window) {
            return Err(Error::new(ErrorCode::ILLEGAL_AGGREGATION, text("an argument of")));
        }
        let mut keys = window.partition_by.iter().chain(window.order_by.iter().map(|key| &key.node));
        match keys.any(has_window) {
            true => Err(Error::new(ErrorCode::NOT_FOUND_COLUMN_IN_BLOCK, text("PARTITION BY or ORDER BY of"))),
            false => Ok(()),
        }
    }

    /// The sort keys of a window and which rows around each it takes.
    fn order_and_frame(&self, window: &Window, context: &Context<'_>) -> Result<(Vec<Sort>, WindowFrame)> {
        let keys = window.order_by.iter().filter(|key| !key.node.is_empty_tuple());
        let keys = keys
            .map(|key| Ok((key, self.as_value(self.expr(&key.node, context)?)?)))
            .collect::<Result<Vec<(&SortKey, Typed)>>>()?;
        let frame = match &window.frame {
            Some(frame) => WindowFrame::try_from(frame.clone())?,
            // RANGE up to the current row, and with it the rows that sort alike.
            None => WindowFrame::new((!keys.is_empty()).then_some(false)),
        };
        let by_distance =
            frame.units == WindowFrameUnits::Range && (is_distance(&frame.start_bound) || is_distance(&frame.end_bound));
        if by_distance {
            refuse_distance(&keys)?;
        }
        let sorts = keys.iter().map(|(key, typed)| {
            let typed = if by_distance { as_distance(typed.clone()) } else { typed.clone() };
            let kind = typed.kind.clone();
            let sort = self.collated_sort(typed, key.collation.as_deref(), key.descending, key.nulls_first)?;
            Ok(sort_keys(sort, &kind))
        });
        let mut sorts = sorts.collect::<Result<Vec<_>>>()?.concat();
        if by_distance {
            // What a distance is measured by is one key.
            sorts.truncate(1);
        }
        let frame = if by_distance { frame } else { frame_of_peers(frame, sorts.is_empty()) };
        Ok((sorts, frame))
    }

    /// A window with what it takes from the WINDOW clause.
    fn window_of(&self, window: &Window, context: &Context<'_>) -> Result<Window> {
        let mut whole = self.window_with_base(window, context)?;
        if let Some(frame) = &mut whole.frame {
            let ends = [Some(&mut frame.start_bound), frame.end_bound.as_mut()];
            for bound in ends.into_iter().flatten() {
                self.compute_distance(bound, context)?;
            }
        }
        Ok(whole)
    }

    /// Puts the number in the place of what it is computed by: `1 + 1 PRECEDING`. Errors: BAD_ARGUMENTS.
    fn compute_distance(&self, bound: &mut Bound, context: &Context<'_>) -> Result<()> {
        let (Bound::Preceding(Some(distance)) | Bound::Following(Some(distance))) = bound else { return Ok(()) };
        let node = translate::node(distance)?;
        let (value, kind) = self.constant_in(&node, &context.below_grouping()).map_err(|error| {
            Error::new(
                ErrorCode::BAD_ARGUMENTS,
                format!("The bound {node} of a window frame is no constant: {}", error.message()),
            )
        })?;
        let whole = match value.cast_to(&DataType::Decimal128(38, 0)) {
            Ok(ScalarValue::Decimal128(Some(number), ..)) if kind.is_integer() && number >= 0 => number,
            _ => {
                let text =
                    format!("The bound {node} of a window frame must be a whole number that is not negative, not {value}");
                return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
            }
        };
        **distance = Ast::value(Value::Number(whole.to_string(), false));
        Ok(())
    }

    fn window_with_base(&self, window: &Window, context: &Context<'_>) -> Result<Window> {
        let Some(base) = &window.base else { return Ok(window.clone()) };
        let named = context.scope.windows.get(base).ok_or_else(|| {
            Error::new(
                ErrorCode::BAD_ARGUMENTS,
                format!("Window '{base}' is not defined: the query has no WINDOW {base} AS (…)"),
            )
        })?;
        let mut whole = self.window_with_base(named, context)?;
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
    pub(super) fn bind_in_window(
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

/// Whether it is carried in 32 bits.
fn is_short(kind: &SqlType) -> bool {
    matches!(kind.plain(), SqlType::Float32 | SqlType::BFloat16)
}

fn sort_keys(sort: Sort, kind: &SqlType) -> Vec<Sort> {
    if kind.is_float() { super::floats::sort_keys(sort, kind.is_nullable(), is_short(kind)) } else { vec![sort] }
}

/// `n PRECEDING` or `n FOLLOWING`.
fn is_distance(bound: &WindowFrameBound) -> bool {
    !bound.is_unbounded() && *bound != WindowFrameBound::CurrentRow
}

/// Days and seconds as the numbers that a distance is counted in, numbers without a sign as such that go below zero: one before
/// zero is no zero.
fn as_distance(key: Typed) -> Typed {
    let (arrow, kind) = match key.kind.plain() {
        SqlType::Date | SqlType::Date32 => (DataType::Int32, SqlType::Int32),
        SqlType::DateTime(_) | SqlType::UInt8 | SqlType::UInt16 | SqlType::UInt32 => (DataType::Int64, SqlType::Int64),
        SqlType::UInt64 => (DataType::Decimal128(38, 0), SqlType::Decimal { precision: 38, scale: 0 }),
        _ => return key,
    };
    let kind = if key.kind.is_nullable() { kind.nullable() } else { kind };
    Typed::new(datafusion::logical_expr::cast(key.expr, arrow), kind)
}

/// A frame of RANGE whose bounds are no distances asks only which rows sort alike. DataFusion says that of every type by GROUPS,
/// and by RANGE of those alone that distances are known of.
fn frame_of_peers(frame: WindowFrame, unordered: bool) -> WindowFrame {
    match frame.units {
        WindowFrameUnits::Range if unordered => WindowFrame::new(None),
        WindowFrameUnits::Range => WindowFrame::new_bounds(WindowFrameUnits::Groups, frame.start_bound, frame.end_bound),
        WindowFrameUnits::Rows | WindowFrameUnits::Groups => frame,
    }
}

/// RANGE by a distance takes one key, and one that has distances.
fn refuse_distance(keys: &[(&SortKey, Typed)]) -> Result<()> {
    let [(_, key)] = keys else {
        let given = keys.len();
        return Err(Error::new(
            ErrorCode::BAD_ARGUMENTS,
            format!("The RANGE OFFSET window frame requires exactly one ORDER BY column, {given} given"),
        ));
    };
    let kind = key.kind.plain();
    let is_date = matches!(kind, SqlType::Date | SqlType::Date32 | SqlType::DateTime(_));
    let is_number = kind.is_float()
        || kind.is_enum()
        || *kind == SqlType::Bool
        || kind.integer_bits().is_some_and(|(bits, _)| bits <= 64);
    if is_date || is_number {
        return Ok(());
    }
    Err(Error::not_implemented(format!(
        "The RANGE OFFSET frame for an ORDER BY column of type {} is not implemented",
        key.kind
    )))
}
