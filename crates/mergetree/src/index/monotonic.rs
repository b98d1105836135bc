//! Calls whose result follows one argument, or goes against it, perhaps within some range of it alone: from the range of the
//! one follows that of the other.

use arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};
use gristmill_functions::text::timezone;
use gristmill_functions::{Direction, FunctionUdf, Holds, Monotonicity, monotonic_call};
use gristmill_types::zone::Zone;

/// In which of its arguments the call is monotonic, and where; all its other arguments are constants.
pub fn monotonic_in(call: &ScalarFunction) -> Option<Monotonicity> {
    let udf = function_udf(call)?;
    let session = Zone::new(timezone(udf.env()).ok()?);
    let found = monotonic_call(call.func.name(), udf.arguments(), udf.result(), &session)?;
    // NaN sorts last, whatever a function makes of it.
    let argument = udf.arguments().get(found.argument)?;
    if argument.kind.is_float() {
        return None;
    }
    // A constant may still stand in a cast.
    let constant = |(at, argument): (usize, &Expr)| {
        at == found.argument || (argument.column_refs().is_empty() && !argument.is_volatile())
    };
    call.args.iter().enumerate().all(constant).then_some(found)
}

/// As `monotonic_in`, of `x + 1`, `1 - x`, `x * 2` in integers of 64 bits: which side, and how. Results wrap at the type's ends.
pub fn monotonic_operator(binary: &BinaryExpr, result: &DataType) -> Option<(Side, Monotonicity)> {
    let (low, high): (i128, i128) = match result {
        DataType::Int64 => (i64::MIN.into(), i64::MAX.into()),
        DataType::UInt64 => (0, u64::MAX.into()),
        _ => return None,
    };
    let constant = |expr: &Expr| match expr {
        Expr::Literal(ScalarValue::Int64(Some(value)), _) => Some(i128::from(*value)),
        Expr::Literal(ScalarValue::UInt64(Some(value)), _) => Some(i128::from(*value)),
        _ => None,
    };
    let (side, c) = match (constant(&binary.left), constant(&binary.right)) {
        (None, Some(c)) => (Side::Left, c),
        (Some(c), None) => (Side::Right, c),
        _ => return None,
    };
    let (direction, first, last) = match (binary.op, side) {
        (Operator::Plus, _) => (Direction::Rising, low - c, high - c),
        (Operator::Minus, Side::Left) => (Direction::Rising, low + c, high + c),
        (Operator::Minus, Side::Right) => (Direction::Falling, c - high, c - low),
        (Operator::Multiply, _) if c > 0 => (Direction::Rising, low / c, high / c),
        (Operator::Multiply, _) if c < 0 => (Direction::Falling, high / c, low / c),
        _ => return None,
    };
    let holds = Holds::Between(first.max(low), last.min(high));
    Some((side, Monotonicity { direction, holds, argument: 0 }))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Left,
    Right,
}

/// A call of a function of ours.
pub fn function_udf(call: &ScalarFunction) -> Option<&FunctionUdf> {
    (call.func.inner().as_ref() as &dyn std::any::Any).downcast_ref::<FunctionUdf>()
}
