//! Whether two expressions are the same, and how one is a monotonic function of another.

use std::sync::Arc;

use arrow::datatypes::{DataType, Schema};
use datafusion::common::{DFSchema, DFSchemaRef};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::simplify::SimplifyContext;
use datafusion::logical_expr::{Cast, Expr, ExprSchemable, ident};
use datafusion::optimizer::simplify_expressions::ExprSimplifier;
use gristmill_base::Result;
use gristmill_functions::{Direction, FunctionUdf, Holds, Monotonicity};

use super::analyze::is_float;
use super::condition::VALUE;
use super::monotonic::{Side, function_udf, monotonic_in, monotonic_operator};

/// Whether both always have the same value. Functions of ours are compared by name, types, constants and time zone: what
/// else they know of their session changes nothing in a key.
pub fn same(a: &Expr, b: &Expr) -> bool {
    match (a, b) {
        (Expr::Alias(alias), other) | (other, Expr::Alias(alias)) => same(&alias.expr, other),
        (Expr::Column(a), Expr::Column(b)) => a.name == b.name,
        (Expr::Literal(a, _), Expr::Literal(b, _)) => a == b,
        (Expr::Cast(a), Expr::Cast(b)) => a.field.data_type() == b.field.data_type() && same(&a.expr, &b.expr),
        (Expr::BinaryExpr(a), Expr::BinaryExpr(b)) => a.op == b.op && same(&a.left, &b.left) && same(&a.right, &b.right),
        (Expr::ScalarFunction(a), Expr::ScalarFunction(b)) => {
            let alike = match (function_udf(a), function_udf(b)) {
                (Some(a), Some(b)) => {
                    a.env().timezone == b.env().timezone && a.arguments() == b.arguments() && a.result() == b.result()
                }
                (None, None) => a.func == b.func,
                _ => false,
            };
            alike
                && a.func.name() == b.func.name()
                && a.args.len() == b.args.len()
                && a.args.iter().zip(&b.args).all(|(a, b)| same(a, b))
        }
        _ => a == b,
    }
}

/// Expressions over columns as the optimiser writes them, which is how keys are kept.
pub struct Optimised {
    pub schema: DFSchemaRef,
    simplifier: ExprSimplifier,
}

impl Optimised {
    pub fn over(columns: &Schema) -> Result<Optimised> {
        let schema = Arc::new(DFSchema::try_from(columns.clone())?);
        let simplifier = ExprSimplifier::new(SimplifyContext::builder().with_schema(schema.clone()).build());
        Ok(Optimised { schema, simplifier })
    }

    /// The expression itself where it cannot be written otherwise: it may be of columns that are none of these.
    pub fn of(&self, expr: &Expr) -> Expr {
        let coerced = self.simplifier.coerce(expr.clone(), &self.schema);
        coerced.and_then(|coerced| self.simplifier.simplify(coerced)).unwrap_or_else(|_| expr.clone())
    }
}

/// A monotonic function of a base.
#[derive(Clone, Debug)]
pub struct Chain {
    /// Of the column `VALUE`; the column alone where it is the base itself.
    pub function: Expr,
    /// It falls while the base rises.
    pub falls: bool,
    /// It is so where each of these expressions, of the column `VALUE`, lies where it has to.
    pub bounds: Vec<(Expr, Holds)>,
    /// It makes a value of NULL, as `assumeNotNull` does: one that is not where NULL is in the base's order.
    pub null_is_value: bool,
    /// It is computed in floats, among which NaN is in no order.
    pub of_floats: bool,
}

impl Chain {
    fn base() -> Chain {
        Chain { function: ident(VALUE), falls: false, bounds: Vec::new(), null_is_value: false, of_floats: false }
    }

    /// A monotonic function of it.
    fn then(self, found: &Monotonicity, of: impl FnOnce(Expr) -> Expr) -> Chain {
        let Chain { function, falls, mut bounds, .. } = self;
        if found.holds != Holds::Always {
            bounds.push((function.clone(), found.holds));
        }
        let falls = falls != (found.direction == Direction::Falling);
        Chain { function: of(function), falls, bounds, null_is_value: self.null_is_value, of_floats: self.of_floats }
    }

    /// It is so for all values.
    pub fn is_boundless(&self) -> bool {
        self.bounds.is_empty()
    }

    /// It never falls while the base rises, for all values and up to NULL.
    pub fn rises(&self) -> bool {
        !self.falls && self.is_boundless() && !self.null_is_value && !self.of_floats
    }
}

/// `expr` as a function, of the column `VALUE`, that never falls while the base rises, for all values and up to NULL.
pub fn rising_function(expr: &Expr, base: &Expr, schema: &DFSchema) -> Option<Expr> {
    let chain = monotonic_function(expr, base, schema)?;
    chain.rises().then_some(chain.function)
}

/// `expr` as a monotonic function of the base.
pub fn monotonic_function(expr: &Expr, base: &Expr, schema: &DFSchema) -> Option<Chain> {
    if same(expr, base) {
        return Some(Chain::base());
    }
    match expr {
        Expr::Alias(alias) => monotonic_function(&alias.expr, base, schema),
        Expr::ScalarFunction(call) => {
            let found = monotonic_in(call)?;
            let inner = monotonic_function(&call.args[found.argument], base, schema)?;
            let null_is_value = inner.null_is_value || makes_null_a_value(call, found.argument);
            let of_floats = inner.of_floats || is_float(&call.args[found.argument].get_type(schema).ok()?);
            let chain = inner.then(&found, |function| {
                let mut args = call.args.clone();
                args[found.argument] = function;
                Expr::ScalarFunction(ScalarFunction::new_udf(call.func.clone(), args))
            });
            Some(Chain { null_is_value, of_floats, ..chain })
        }
        Expr::BinaryExpr(binary) => {
            let result = expr.get_type(schema).ok()?;
            let (side, found) = monotonic_operator(binary, &result)?;
            let operand = if side == Side::Left { &binary.left } else { &binary.right };
            let inner = monotonic_function(operand, base, schema)?;
            let of_floats = inner.of_floats || is_float(&result);
            let chain = inner.then(&found, |function| {
                let mut binary = binary.clone();
                **(if side == Side::Left { &mut binary.left } else { &mut binary.right }) = function;
                Expr::BinaryExpr(binary)
            });
            Some(Chain { of_floats, ..chain })
        }
        Expr::Cast(cast) => {
            let from = cast.expr.get_type(schema).ok()?;
            if !cast_rises(&from, cast.field.data_type()) {
                return None;
            }
            let inner = monotonic_function(&cast.expr, base, schema)?;
            let function = Expr::Cast(Cast { expr: Box::new(inner.function), field: cast.field.clone() });
            Some(Chain { function, ..inner })
        }
        _ => None,
    }
}

/// Whether the call has a value where its argument has none.
fn makes_null_a_value(call: &ScalarFunction, argument: usize) -> bool {
    let nullable = |udf: &FunctionUdf| udf.arguments().get(argument).is_some_and(|argument| argument.kind.is_nullable());
    function_udf(call).is_some_and(|udf| nullable(udf) && !udf.result().is_nullable())
}

fn cast_rises(from: &DataType, to: &DataType) -> bool {
    use DataType::*;
    match (from, to) {
        (UInt8, UInt16 | UInt32 | UInt64 | Int16 | Int32 | Int64)
        | (UInt16, UInt32 | UInt64 | Int32 | Int64)
        | (UInt32, UInt64 | Int64)
        | (Int8, Int16 | Int32 | Int64)
        | (Int16, Int32 | Int64)
        | (Int32, Int64) => true,
        (UInt8 | UInt16 | UInt32 | UInt64 | Int8 | Int16 | Int32 | Int64, Float32 | Float64) | (Float32, Float64) => true,
        (Date32, Date64 | Timestamp(..)) | (Timestamp(..), Timestamp(..) | Date32) => true,
        (BinaryView, Binary | LargeBinary | BinaryView) | (Binary, BinaryView) => true,
        // Bytes that are no text make the cast fail, and then nothing is left out.
        (BinaryView | Binary, Utf8 | LargeUtf8 | Utf8View) => true,
        (a, b) => a == b,
    }
}
