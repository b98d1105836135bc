//! CAST as an expression. Where Arrow's own cast does exactly what ClickHouse's does, the expression is DataFusion's, so that
//! pruning, pushdown and simplification see through it; elsewhere it calls `gristmill_types::cast`.

use std::sync::Arc;

use SqlType as T;
use arrow::array::Array;
use arrow::datatypes::DataType;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion, TreeNodeVisitor};
use datafusion::common::{Result as DataFusionResult, ScalarValue};
use datafusion::logical_expr::{Cast, Expr};
use gristmill_base::Result;
use gristmill_types::SqlType;
use gristmill_types::cast::{CastOptions, cast};

use crate::define::own_nulls;
use crate::scalar::{Argument, Bound, FunctionEnv};
use crate::udf::call_function;

/// So many of DataFusion's casts stand within one another at most. Each asks what it casts twice whether it may be NULL, so that
/// the work of planning would double with every level; a function knows it of what it gives.
const CASTS_WITHIN_MOST: usize = 6;

/// `expr`, of type `from`, brought to `to` beside others, or into a column: days and times stay within what `to` holds.
pub fn cast_expr(expr: Expr, from: &SqlType, to: &SqlType, env: &FunctionEnv) -> Result<Expr> {
    brought(expr, from, to, env, true)
}

/// `CAST(expr, 'to')` as it is written: what a Date or DateTime does not hold wraps around.
pub fn conversion_expr(expr: Expr, from: &SqlType, to: &SqlType, env: &FunctionEnv) -> Result<Expr> {
    brought(expr, from, to, env, false)
}

/// As `cast_expr`, to a Nullable type, of texts of which those that cannot be read are errors, rather than NULL: so it is where
/// nobody asked for a conversion.
pub fn reading_expr(expr: Expr, from: &SqlType, to: &SqlType, env: &FunctionEnv) -> Result<Expr> {
    let to = to.clone().nullable();
    let name = ScalarValue::BinaryView(Some(to.to_string().into_bytes()));
    let arguments = vec![
        (expr, Argument { kind: from.clone(), constant: None }),
        (Expr::Literal(name.clone(), None), Argument { kind: SqlType::String, constant: Some(name) }),
    ];
    let (from, options) = (from.clone(), CastOptions { saturates: true, ..env.cast_options()? });
    let function = own_nulls(move |_, _, _| {
        let (from, to, options) = (from.clone(), to.clone(), options.clone());
        Ok(Bound::new(to.clone(), move |args, _| {
            let (texts, read) = (&args[0], cast(&args[0], &from, &to, &options)?);
            for row in (0..read.len()).filter(|row| read.is_null(*row) && !texts.is_null(*row)) {
                cast(&texts.slice(row, 1), &from, to.plain(), &options)?;
            }
            Ok(read)
        }))
    });
    Ok(call_function("_read", function, arguments, env)?.0)
}

/// A condition as the number that it is, of the type `to`: UInt8, or Nullable of it.
pub fn condition_as_number(condition: Expr, to: &SqlType, env: &FunctionEnv) -> Result<Expr> {
    if !is_cast_deep(&condition) {
        return Ok(datafusion::logical_expr::cast(condition, DataType::UInt8));
    }
    let from = if to.is_nullable() { T::Bool.nullable() } else { T::Bool };
    cast_call(condition, &from, to, env, true)
}

fn brought(expr: Expr, from: &SqlType, to: &SqlType, env: &FunctionEnv, saturates: bool) -> Result<Expr> {
    if same_values(from, to) {
        return Ok(expr);
    }
    if is_native(from, to) && !is_cast_deep(&expr) {
        // DataFusion's plans take a cast for as nullable as what is cast, and its operators take it for what the field says.
        let field = to.field("cast").as_ref().clone().with_nullable(from.is_nullable());
        return Ok(Expr::Cast(Cast::new_from_field(Box::new(expr), Arc::new(field))));
    }
    cast_call(expr, from, to, env, saturates)
}

/// Whether as many casts of DataFusion's stand within one another in an expression as may.
fn is_cast_deep(expr: &Expr) -> bool {
    let mut casts = CastsWithin::default();
    expr.visit(&mut casts).is_err() || casts.most >= CASTS_WITHIN_MOST
}

#[derive(Default)]
struct CastsWithin {
    around: usize,
    most: usize,
}

impl TreeNodeVisitor<'_> for CastsWithin {
    type Node = Expr;

    fn f_down(&mut self, expr: &Expr) -> DataFusionResult<TreeNodeRecursion> {
        match expr {
            Expr::ScalarFunction(_) => return Ok(TreeNodeRecursion::Jump),
            Expr::Cast(_) => {
                self.around += 1;
                self.most = self.most.max(self.around);
            }
            _ => {}
        }
        Ok(if self.most < CASTS_WITHIN_MOST { TreeNodeRecursion::Continue } else { TreeNodeRecursion::Stop })
    }

    fn f_up(&mut self, expr: &Expr) -> DataFusionResult<TreeNodeRecursion> {
        if matches!(expr, Expr::Cast(_)) {
            self.around -= 1;
        }
        Ok(TreeNodeRecursion::Continue)
    }
}

/// Whether every array of `from` is an array of `to` as it stands.
pub fn same_values(from: &SqlType, to: &SqlType) -> bool {
    if from == to {
        return true;
    }
    if from.is_nullable() && !to.is_nullable() || from.arrow() != to.arrow() {
        return false;
    }
    match (from.plain(), to.plain()) {
        (T::Enum8(_), T::Int8) | (T::Enum16(_), T::Int16) | (T::Date, T::Date32) => true,
        (T::IPv4, T::UInt32) | (T::UInt32, T::IPv4) => true,
        (T::DateTime(_), T::DateTime(_)) | (T::Interval(_), T::Int64) => true,
        (T::DateTime64(a, _), T::DateTime64(b, _)) => a == b,
        (T::Array(a), T::Array(b)) => same_values(a, b),
        (T::Map(key, value), T::Map(to_key, to_value)) => same_values(key, to_key) && same_values(value, to_value),
        (T::Tuple(from), T::Tuple(to)) => {
            from.len() == to.len() && from.iter().zip(to).all(|((_, from), (_, to))| same_values(from, to))
        }
        (from, to) => from == to,
    }
}

/// Whether Arrow's cast kernel gives, for every value, what ClickHouse's CAST gives.
fn is_native(from: &SqlType, to: &SqlType) -> bool {
    if from.is_null_literal() && to.is_nullable() {
        return true;
    }
    if from.is_nullable() && !to.is_nullable() {
        return false;
    }
    let (from, to) = (from.plain(), to.plain());
    if let (Some((from_bits, from_signed)), Some((to_bits, to_signed))) = (from.integer_bits(), to.integer_bits()) {
        // The integers of more than 64 bits are carried as decimals, where a widening cast keeps every value as well.
        return to_bits <= 64
            && match (from_signed, to_signed) {
                (true, false) => false,
                (false, true) => from_bits < to_bits,
                _ => from_bits <= to_bits,
            };
    }
    match (from, to) {
        (from, T::Float64) => from.integer_bits().is_some_and(|(bits, _)| bits <= 64) || *from == T::Float32,
        (from, T::Float32) => from.integer_bits().is_some_and(|(bits, _)| bits <= 64),
        (T::Bool, to) => to.integer_bits().is_some_and(|(bits, _)| bits <= 64),
        _ => false,
    }
}

/// A call of ClickHouse's own conversion. It looks like `CAST(x, 'Type')`, so two casts are told apart by their types, and by
/// their names where the one wraps around and the other does not.
fn cast_call(expr: Expr, from: &SqlType, to: &SqlType, env: &FunctionEnv, saturates: bool) -> Result<Expr> {
    let mut wraps = false;
    to.families(&mut |family| wraps |= matches!(family, "Date" | "DateTime"));
    let call = if wraps && saturates { "_CAST" } else { "CAST" };
    let name = ScalarValue::BinaryView(Some(to.to_string().into_bytes()));
    let arguments = vec![
        (expr, Argument { kind: from.clone(), constant: None }),
        (Expr::Literal(name.clone(), None), Argument { kind: SqlType::String, constant: Some(name) }),
    ];
    let (from, to, options) = (from.clone(), to.clone(), CastOptions { saturates, ..env.cast_options()? });
    let function = own_nulls(move |_, _, _| {
        let (from, to, options) = (from.clone(), to.clone(), options.clone());
        Ok(Bound::new(to.clone(), move |args, _| cast(&args[0], &from, &to, &options)))
    });
    Ok(call_function(call, function, arguments, env)?.0)
}
