//! Calls whose result follows one argument, or goes against it, perhaps within some range of it alone: from the range of the
//! one follows that of the other.

use arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};
use gristmill_functions::text::timezone;
use gristmill_functions::{Direction, FunctionUdf, Holds, Monotonicity, monotonic_call};
use gristmill_types::zone::Zone;

use super::analyze::is_float;

/// In which of its arguments the call is monotonic, and where; all its other arguments are constants.
pub fn monotonic_in(call: &ScalarFunction) -> Option<Monotonicity> {
    let udf = function_udf(call)?;
    let session = Zone::new(timezone(udf.env()).ok()?);
    let found = monotonic_call(call.func.name(), udf.arguments(), udf.result(), &session)?;
    // NaN sorts apart from numbers, whatever a function makes of it: it has to stay what it is, which fulfils no comparison, or
    // to be outside of where the function is asked.
    let argument = udf.arguments().get(found.argument)?;
    let is_bounded = matches!(found.holds, Holds::Between(..));
    if argument.kind.is_float() && !is_bounded && !(KEEP_NAN.contains(&call.func.name()) && udf.result().is_float()) {
        return None;
    }
    // A constant may still stand in a cast.
    let constant = |(at, argument): (usize, &Expr)| {
        at == found.argument || (argument.column_refs().is_empty() && !argument.is_volatile())
    };
    call.args.iter().enumerate().all(constant).then_some(found)
}

const KEEP_NAN: [&str; 14] = [
    "negate",
    "floor",
    "ceil",
    "trunc",
    "round",
    "identity",
    "materialize",
    "toNullable",
    "assumeNotNull",
    "toLowCardinality",
    "toFloat32",
    "toFloat64",
    "CAST",
    "_CAST",
];

/// As `monotonic_in`, of `x + 1`, `1 - x`, `x * 2` in integers of up to 64 bits, whose results wrap at the type's ends, and in
/// floats: which side, and how.
pub fn monotonic_operator(binary: &BinaryExpr, result: &DataType) -> Option<(Side, Monotonicity)> {
    if is_float(result) {
        return float_operator(binary);
    }
    let (low, high): (i128, i128) = match result {
        DataType::Int8 => (i8::MIN.into(), i8::MAX.into()),
        DataType::Int16 => (i16::MIN.into(), i16::MAX.into()),
        DataType::Int32 => (i32::MIN.into(), i32::MAX.into()),
        DataType::Int64 => (i64::MIN.into(), i64::MAX.into()),
        DataType::UInt8 => (0, u8::MAX.into()),
        DataType::UInt16 => (0, u16::MAX.into()),
        DataType::UInt32 => (0, u32::MAX.into()),
        DataType::UInt64 => (0, u64::MAX.into()),
        _ => return None,
    };
    let constant = |expr: &Expr| match expr {
        Expr::Literal(ScalarValue::Int8(Some(value)), _) => Some(i128::from(*value)),
        Expr::Literal(ScalarValue::Int16(Some(value)), _) => Some(i128::from(*value)),
        Expr::Literal(ScalarValue::Int32(Some(value)), _) => Some(i128::from(*value)),
        Expr::Literal(ScalarValue::Int64(Some(value)), _) => Some(i128::from(*value)),
        Expr::Literal(ScalarValue::UInt8(Some(value)), _) => Some(i128::from(*value)),
        Expr::Literal(ScalarValue::UInt16(Some(value)), _) => Some(i128::from(*value)),
        Expr::Literal(ScalarValue::UInt32(Some(value)), _) => Some(i128::from(*value)),
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

/// Of floats: what is rounded to the nearest keeps the order, and what is NaN at one end only is no end.
fn float_operator(binary: &BinaryExpr) -> Option<(Side, Monotonicity)> {
    let constant = |expr: &Expr| match expr {
        Expr::Literal(ScalarValue::Float64(Some(value)), _) => Some(*value),
        Expr::Literal(ScalarValue::Float32(Some(value)), _) => Some(f64::from(*value)),
        _ => None,
    };
    let (side, c) = match (constant(&binary.left), constant(&binary.right)) {
        (None, Some(c)) => (Side::Left, c),
        (Some(c), None) => (Side::Right, c),
        _ => return None,
    };
    if !c.is_finite() {
        return None;
    }
    let direction = match (binary.op, side) {
        (Operator::Plus, _) | (Operator::Minus, Side::Left) => Direction::Rising,
        (Operator::Minus, Side::Right) => Direction::Falling,
        (Operator::Multiply, _) | (Operator::Divide, Side::Left) if c > 0.0 => Direction::Rising,
        (Operator::Multiply, _) | (Operator::Divide, Side::Left) if c < 0.0 => Direction::Falling,
        _ => return None,
    };
    Some((side, Monotonicity { direction, holds: Holds::Always, argument: 0 }))
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
