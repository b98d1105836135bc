//! `ORDER BY … WITH FILL`: what is written becomes a node of the plan above the sort and below LIMIT.
//!
//! FROM, TO, STEP and STALENESS are constants, checked against the type of their key here: rows are made of plain numbers (days of
//! dates, ticks of times), but for a step that is an interval, which is an expression (months differ).

mod beside;
mod node;

use datafusion::common::{Column, ScalarValue};
use datafusion::logical_expr::{Expr, Extension, LogicalPlan, LogicalPlanBuilder};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::default::default_scalar;
use gristmill_types::sql_type::IntervalKind;
use gristmill_types::zone::Zone;
use sqlparser::ast::Interpolate;
use std::sync::Arc;

pub(crate) use beside::{Ordered, column_beside};
pub use node::{FillKey, FillNode, Number, SHIFTED, Step};

use super::limits::Tail;
use super::scope::{Context, Scope, ScopeColumn};
use super::{Analyzer, OutputColumn};
use crate::ast::{self, Node, call};
use crate::translate;

/// A key of ORDER BY with the column that carries its value.
pub(crate) struct Key<'t> {
    pub column: Expr,
    pub kind: SqlType,
    pub descending: bool,
    pub fill: Option<&'t ast::Fill>,
}

fn invalid(text: impl Into<String>) -> Error {
    Error::new(ErrorCode::INVALID_WITH_FILL_EXPRESSION, text.into())
}

impl Analyzer<'_> {
    /// `builder`: rows in the order of the keys. `beside`: what INTERPOLATE names and `columns` do not have.
    /// Errors: INVALID_WITH_FILL_EXPRESSION.
    pub(crate) fn filled(
        &self,
        builder: LogicalPlanBuilder,
        keys: &[Key<'_>],
        columns: &[OutputColumn],
        beside: &[ScopeColumn],
        tail: &Tail,
    ) -> Result<LogicalPlanBuilder> {
        let scope = Scope { aliases: tail.aliases.clone(), ..Scope::default() };
        let distinct = without_repetitions(keys);
        let is_prefix = |key: &&&Key<'_>| key.fill.is_none() && self.settings.use_with_fill_by_sorting_prefix;
        let prefix = distinct.iter().take_while(is_prefix).map(|key| column_name(&key.column)).collect::<Result<_>>()?;
        let mut filled: Vec<FillKey> = Vec::new();
        for key in &distinct {
            let Some(fill) = key.fill else {
                continue;
            };
            if distinct.iter().filter(|other| other.column == key.column).count() > 1 {
                return Err(invalid("An expression stands twice in an ORDER BY that fills it: once is enough"));
            }
            filled.push(self.fill_key(key, fill, &scope.rows())?);
        }
        let interpolated = match &tail.interpolate {
            Some(interpolate) => self.interpolated(interpolate, keys, columns, beside)?,
            None => Vec::new(),
        };
        let input = builder.build()?;
        let default = |name: &str, of: &arrow::datatypes::DataType| {
            let is_it = |expr: &Expr| matches!(expr, Expr::Column(column) if column.name == name);
            let output = columns.iter().find(|column| is_it(&column.expr)).map(|column| &column.kind);
            let kind = output.or_else(|| beside.iter().find(|column| is_it(&column.expr)).map(|column| &column.kind));
            kind.map_or_else(|| Ok(ScalarValue::new_default(of)?), |kind| Ok(default_scalar(kind)))
        };
        let fields = input.schema().fields().iter();
        let defaults = fields.map(|field| default(field.name(), field.data_type())).collect::<Result<Vec<_>>>()?;
        let node = FillNode::new(input, prefix, filled, interpolated, defaults)?;
        Ok(LogicalPlanBuilder::from(LogicalPlan::Extension(Extension { node: Arc::new(node) })))
    }

    fn fill_key(&self, key: &Key<'_>, fill: &ast::Fill, context: &Context<'_>) -> Result<FillKey> {
        let kind = key.kind.plain().clone();
        let bounds = bounds(&kind)?;
        let bound = |node: &Option<Node>| node.as_ref().map(|node| self.fill_bound(node, &kind, context)).transpose();
        let (from, to) = (bound(&fill.from)?, bound(&fill.to)?);
        let (step, ahead) = match &fill.step {
            Some(node) => self.fill_step(node, &kind, "STEP", context)?,
            None => {
                let one = if key.descending { -1 } else { 1 };
                (Step::Add(scaled(one, &kind)), !key.descending)
            }
        };
        let (direction, before, sign) =
            if key.descending { ("descending", "greater", "positive") } else { ("ascending", "less", "negative") };
        if let (Some(from), Some(to)) = (from, to)
            && is_less(to, from) != key.descending
            && from != to
        {
            return Err(invalid(format!(
                "TO value cannot be {before} than FROM value for sorting in {direction} direction"
            )));
        }
        if ahead == key.descending {
            return Err(invalid(format!("STEP value cannot be {sign} for sorting in {direction} direction")));
        }
        let staleness = match &fill.staleness {
            None => None,
            Some(_) if from.is_some() => {
                return Err(invalid("WITH FILL STALENESS cannot be used together with WITH FILL FROM"));
            }
            Some(node) => {
                let (staleness, ahead) = self.fill_step(node, &kind, "STALENESS", context)?;
                if ahead == key.descending {
                    return Err(invalid(format!("STALENESS value cannot be {sign} for sorting in {direction} direction")));
                }
                Some(staleness)
            }
        };
        let column = column_name(&key.column)?;
        Ok(FillKey { column, kind: kind.to_string(), bounds, descending: key.descending, from, to, step, staleness })
    }

    /// FROM or TO, in the type of the key.
    fn fill_bound(&self, node: &Node, kind: &SqlType, context: &Context<'_>) -> Result<Number> {
        let (value, from) = self.constant_in(node, context)?;
        let incompatible = || invalid(format!("Incompatible types of WITH FILL expression values with column type {kind}"));
        let from = from.plain();
        let number = number_of(&value, from)?;
        let number = match (is_moment(from), is_moment(kind)) {
            (true, _) if !same_moment(from, kind) => return Err(incompatible()),
            (true, _) => number,
            (false, true) => match number {
                Number::Whole(value) => scaled(value, kind),
                Number::Float(bits) => ticks(f64::from_bits(bits), kind).ok_or_else(incompatible)?,
            },
            (false, false) => match (number, kind.is_float()) {
                (Number::Whole(value), true) => Number::float(value as f64),
                (Number::Float(_), false) => return Err(incompatible()),
                _ => number,
            },
        };
        if let (Number::Whole(value), Some((least, greatest))) = (number, bounds(kind)?)
            && !(least..=greatest).contains(&value)
        {
            let text = if value < 0 && least == 0 {
                format!("WITH FILL bound values cannot be negative for unsigned type {kind}")
            } else {
                format!("WITH FILL bound {value} is out of range of the ORDER BY column type {kind}")
            };
            return Err(invalid(text));
        }
        Ok(number)
    }

    /// A step, and whether it leads to greater values.
    fn fill_step(&self, node: &Node, kind: &SqlType, what: &str, context: &Context<'_>) -> Result<(Step, bool)> {
        let (value, from) = self.constant_in(node, context)?;
        let number = number_of(&value, from.plain())?;
        let zero = || invalid(format!("{what} value cannot be zero"));
        if let SqlType::Interval(unit) = from.plain() {
            let Number::Whole(count) = number else { return Err(zero()) };
            if !is_moment(kind) {
                let text = format!("{what} of Interval type can be used only with Date/DateTime types, but got {kind}");
                return Err(invalid(text));
            }
            if count == 0 {
                return Err(zero());
            }
            if matches!(kind, SqlType::Date | SqlType::Date32)
                && let Some((units, days)) = unit.ratio(IntervalKind::Day)
                && i128::from(units) * count.abs() < i128::from(days)
            {
                return Err(invalid("Value of step is to low. Must be >= 1 day".to_string()));
            }
            if let Some(step) = self.fixed_step(*unit, count, kind)? {
                return Ok((Step::Add(step), count > 0));
            }
            let columns = gristmill_types::Columns(Arc::new([gristmill_types::Column::new(SHIFTED, kind.clone())]));
            let aliases = context.scope.aliases.clone();
            let scope = Scope { aliases, prefer_columns: true, ..Scope::of_columns(&columns) };
            let shifted = call("plus", vec![Node::Name(vec![SHIFTED.to_string()]), node.clone()]);
            let shifted = self.expr(&shifted, &scope.rows())?;
            return Ok((Step::Shift(self.cast(shifted, kind)?.expr), count > 0));
        }
        let incompatible = || invalid(format!("Incompatible types of WITH FILL expression values with column type {kind}"));
        let number = match (number, kind.is_float()) {
            (Number::Whole(value), true) => Number::float(value as f64),
            (Number::Whole(value), false) => scaled(value, kind),
            (Number::Float(bits), false) => ticks(f64::from_bits(bits), kind).ok_or_else(incompatible)?,
            (float, true) => float,
        };
        match number {
            Number::Whole(0) => Err(zero()),
            Number::Float(bits) if f64::from_bits(bits) == 0.0 => Err(zero()),
            number => Ok((Step::Add(number), is_less(Number::Whole(0), number))),
        }
    }

    /// An interval as a number beside values of the type, where it is the same number everywhere. Days of a zone whose offset
    /// changes are not.
    fn fixed_step(&self, unit: IntervalKind, count: i128, kind: &SqlType) -> Result<Option<Number>> {
        // Nanoseconds of one of the values.
        let tick = match kind {
            SqlType::Date | SqlType::Date32 => unit_nanos(IntervalKind::Day),
            SqlType::DateTime(_) => unit_nanos(IntervalKind::Second),
            SqlType::DateTime64(scale, _) => Some(10_i128.pow(9 - u32::from((*scale).min(9)))),
            _ => None,
        };
        let (Some(tick), Some(nanos)) = (tick, unit_nanos(unit)) else { return Ok(None) };
        let is_of_calendar = matches!(unit, IntervalKind::Day | IntervalKind::Week);
        if is_of_calendar && let SqlType::DateTime(zone) | SqlType::DateTime64(_, zone) = kind {
            let zone = Zone::of_type(zone.as_ref(), gristmill_functions::text::timezone(&self.env)?);
            if !zone.is_fixed() {
                return Ok(None);
            }
        }
        let total = nanos.checked_mul(count);
        Ok(total.filter(|total| total % tick == 0).map(|total| Number::Whole(total / tick)))
    }

    /// INTERPOLATE: columns that are named, each by itself or AS something; without names all that nothing is ordered by.
    fn interpolated(
        &self,
        interpolate: &Interpolate,
        keys: &[Key<'_>],
        columns: &[OutputColumn],
        beside: &[ScopeColumn],
    ) -> Result<Vec<(String, Expr)>> {
        let is_key_itself = |expr: &Expr| keys.iter().any(|key| key.column == *expr);
        let is_key = |column: &OutputColumn| is_key_itself(&column.expr);
        let taken_by_key = |name: &str| {
            invalid(format!("Column '{name}' is participating in ORDER BY expression and can't be INTERPOLATE output"))
        };
        let itself = |column: &OutputColumn| Ok((column_name(&column.expr)?, column.expr.clone()));
        let Some(exprs) = &interpolate.exprs else {
            return columns.iter().filter(|column| !is_key(column)).map(itself).collect();
        };
        let named = |column: &OutputColumn| ScopeColumn {
            origin: Vec::new(),
            qualifier: Vec::new(),
            name: column.name.clone(),
            kind: column.kind.clone(),
            expr: column.expr.clone(),
            hidden: false,
            of_using: false,
            shadows: false,
        };
        let named = columns.iter().map(named).chain(beside.iter().cloned());
        let scope = Scope { columns: named.collect(), ..Scope::default() };
        let mut interpolated: Vec<(String, Expr)> = Vec::new();
        for one in exprs {
            let name = ast::unescape_identifier(&one.column);
            let Some(column) = columns.iter().find(|column| column.name == name) else {
                match beside.iter().find(|column| column.qualifier.is_empty() && column.name == name) {
                    Some(column) if is_key_itself(&column.expr) => return Err(taken_by_key(&name)),
                    // Nobody sees what it would be.
                    Some(_) => continue,
                    None => {
                        let text = format!("Missing column '{name}' as an INTERPOLATE expression target: there is none");
                        return Err(Error::new(ErrorCode::UNKNOWN_IDENTIFIER, text));
                    }
                }
            };
            if is_key(column) {
                return Err(taken_by_key(&name));
            }
            let (target, value) = match &one.expr {
                None => itself(column)?,
                Some(expr) => {
                    let typed = self.as_value(self.expr(&translate::node(expr)?, &scope.rows())?)?;
                    (column_name(&column.expr)?, self.cast(typed, &column.kind)?.expr)
                }
            };
            if interpolated.iter().any(|(other, _)| *other == target) {
                return Err(invalid(format!("Duplicate INTERPOLATE column '{name}'")));
            }
            interpolated.push((target, value));
        }
        Ok(interpolated)
    }
}

pub(super) fn column_name(expr: &Expr) -> Result<String> {
    match expr {
        Expr::Column(Column { name, .. }) => Ok(name.clone()),
        other => Err(Error::logical(format!("A key of WITH FILL that is no column: {other}"))),
    }
}

fn is_moment(kind: &SqlType) -> bool {
    matches!(kind, SqlType::Date | SqlType::Date32 | SqlType::DateTime(_) | SqlType::DateTime64(..))
}

/// Whether a value of the one type is one of the other: zones are only shown.
fn same_moment(a: &SqlType, b: &SqlType) -> bool {
    match (a, b) {
        (SqlType::DateTime(_), SqlType::DateTime(_)) => true,
        (SqlType::DateTime64(a, _), SqlType::DateTime64(b, _)) => a == b,
        _ => a == b,
    }
}

/// A number beside values of the type: seconds where it has ticks.
fn scaled(value: i128, kind: &SqlType) -> Number {
    match kind {
        SqlType::DateTime64(scale, _) => Number::Whole(value.saturating_mul(10_i128.pow(u32::from(*scale)))),
        kind if kind.is_float() => Number::float(value as f64),
        _ => Number::Whole(value),
    }
}

/// A fraction of seconds beside values of a type that has ticks; what is less than a tick is cut off.
fn ticks(seconds: f64, kind: &SqlType) -> Option<Number> {
    match kind {
        SqlType::DateTime64(scale, _) if seconds.is_finite() => {
            Some(Number::Whole((seconds * 10_f64.powi(i32::from(*scale))) as i128))
        }
        _ => None,
    }
}

/// The keys but for those that stand before them already: they change no order.
fn without_repetitions<'k, 't>(keys: &'k [Key<'t>]) -> Vec<&'k Key<'t>> {
    let mut distinct: Vec<&Key<'t>> = Vec::with_capacity(keys.len());
    for key in keys {
        if key.fill.is_some() || distinct.iter().all(|before| before.column != key.column) {
            distinct.push(key);
        }
    }
    distinct
}

/// `None`: its length differs.
fn unit_nanos(unit: IntervalKind) -> Option<i128> {
    unit.ratio(IntervalKind::Nanosecond).map(|(nanos, _)| i128::from(nanos))
}

fn is_less(a: Number, b: Number) -> bool {
    let float = |number: Number| match number {
        Number::Whole(value) => value as f64,
        Number::Float(bits) => f64::from_bits(bits),
    };
    match (a, b) {
        (Number::Whole(a), Number::Whole(b)) => a < b,
        (a, b) => float(a) < float(b),
    }
}

/// The values that a type holds; `None`: those of floats.
fn bounds(kind: &SqlType) -> Result<Option<(i128, i128)>> {
    use gristmill_types::calendar::{EARLIEST_DAY, LAST_DAY_OF_DATE, LATEST_DAY, SECONDS_A_DAY};
    Ok(Some(match kind {
        kind if kind.is_float() => return Ok(None),
        SqlType::Date => (0, i128::from(LAST_DAY_OF_DATE)),
        SqlType::Date32 => (i128::from(EARLIEST_DAY), i128::from(LATEST_DAY)),
        SqlType::DateTime(_) => (0, i128::from(u32::MAX)),
        SqlType::DateTime64(scale, _) => {
            let ticks = i128::from(SECONDS_A_DAY) * 10_i128.pow(u32::from(*scale));
            (i128::from(EARLIEST_DAY) * ticks, (i128::from(LATEST_DAY) + 1) * ticks - 1)
        }
        kind => match kind.integer_bits() {
            // What is wider is filled within 127 bits.
            Some((bits, signed)) => {
                let bits = u32::from(bits).min(127);
                if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, i128::MAX >> (127 - bits)) }
            }
            None => {
                let text = format!("Incompatible types of WITH FILL expression values with column type {kind}");
                return Err(invalid(text));
            }
        },
    }))
}

fn number_of(value: &ScalarValue, kind: &SqlType) -> Result<Number> {
    use arrow::datatypes::DataType;
    let illegal = || invalid(format!("Illegal type {kind} of WITH FILL expression, must be numeric type"));
    let ticks = |to: DataType| value.cast_to(&to).map_err(|_| illegal());
    let number = match kind {
        kind if kind.is_float() => match ticks(DataType::Float64)? {
            ScalarValue::Float64(Some(value)) => Some(Number::float(value)),
            _ => None,
        },
        kind if kind.is_integer() && kind.arrow() == DataType::Decimal256(76, 0) => match value {
            ScalarValue::Decimal256(Some(value), ..) => value.to_i128().map(Number::Whole),
            _ => None,
        },
        SqlType::UInt64 => match value {
            ScalarValue::UInt64(Some(value)) => Some(Number::Whole(i128::from(*value))),
            _ => None,
        },
        kind if kind.is_integer() || is_moment(kind) || matches!(kind, SqlType::Interval(_)) => {
            let value = match value {
                ScalarValue::Date32(days) => days.map(i64::from),
                value => match value.cast_to(&DataType::Int64).map_err(|_| illegal())? {
                    ScalarValue::Int64(value) => value,
                    _ => None,
                },
            };
            value.map(|value| Number::Whole(i128::from(value)))
        }
        _ => None,
    };
    number.ok_or_else(illegal)
}
