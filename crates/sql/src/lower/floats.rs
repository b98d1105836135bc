//! NaN. DataFusion orders floats totally: NaN equals itself and is greater than infinity (less than minus infinity with
//! its sign set). In ClickHouse every comparison with NaN is false but `!=`, and ORDER BY puts NaN where NULL goes.

use datafusion::common::ScalarValue;
use datafusion::logical_expr::expr::{Case, Sort};
use datafusion::logical_expr::{Expr, Operator, binary_expr, lit};
use gristmill_types::SqlType;

use super::Typed;

/// One side of a comparison.
struct Side {
    expr: Expr,
    infinity: ScalarValue,
    negative_infinity: ScalarValue,
    nullable: bool,
}

impl Side {
    fn of(typed: Typed) -> Side {
        // Bounds of the side's own type, so that nothing has to be cast.
        let (infinity, negative_infinity) = match typed.kind.plain() {
            SqlType::Float64 => (ScalarValue::from(f64::INFINITY), ScalarValue::from(f64::NEG_INFINITY)),
            _ => (ScalarValue::from(f32::INFINITY), ScalarValue::from(f32::NEG_INFINITY)),
        };
        Side { expr: typed.expr, infinity, negative_infinity, nullable: typed.kind.is_nullable() }
    }

    /// Whether it is a literal that is NaN; `None`: it is no literal, or NULL.
    fn literal_is_nan(&self) -> Option<bool> {
        match &self.expr {
            Expr::Literal(ScalarValue::Float64(Some(value)), _) => Some(value.is_nan()),
            Expr::Literal(ScalarValue::Float32(Some(value)), _) => Some(value.is_nan()),
            _ => None,
        }
    }

    fn is_number_literal(&self) -> bool {
        self.literal_is_nan() == Some(false)
    }

    /// Neither NaN with its sign set …
    fn low(&self) -> Expr {
        match self.literal_is_nan() {
            Some(nan) => lit(!nan),
            None => self.expr.clone().gt_eq(lit(self.negative_infinity.clone())),
        }
    }

    /// … nor without.
    fn high(&self) -> Expr {
        match self.literal_is_nan() {
            Some(nan) => lit(!nan),
            None => self.expr.clone().lt_eq(lit(self.infinity.clone())),
        }
    }

    fn is_number(&self) -> Expr {
        match self.literal_is_nan() {
            Some(nan) => lit(!nan),
            None => self.low().and(self.high()),
        }
    }

    /// `bound` of the other side, which says nothing where this one is NULL: then the comparison is NULL, be the other NaN.
    fn unless_null(&self, bound: Expr) -> Expr {
        if self.nullable { bound.or(Expr::IsNull(Box::new(self.expr.clone()))) } else { bound }
    }
}

/// Whether an integer stands beside a float so that they are not to be compared as floats: not all integers of 64 bits are one.
/// With a constant they are, but where it is beyond what the other side tells apart.
pub(crate) fn wants_exact(left: &Typed, right: &Typed) -> bool {
    let is_long = |typed: &Typed| typed.kind.integer_bits().is_some_and(|(bits, _)| bits >= 64);
    let is_safe = |typed: &Typed| match typed.constant() {
        Some(ScalarValue::Int64(Some(value))) => value.unsigned_abs() <= EXACT_MAX,
        Some(ScalarValue::UInt64(Some(value))) => *value <= EXACT_MAX,
        Some(ScalarValue::Float64(Some(value))) => !value.is_finite() || value.abs() < LONG_END,
        Some(ScalarValue::Float32(Some(value))) => !value.is_finite() || f64::from(value.abs()) < LONG_END,
        Some(value) => value.is_null(),
        None => false,
    };
    let beside = |integer: &Typed, float: &Typed| is_long(integer) && float.kind.is_float();
    (beside(left, right) || beside(right, left)) && !is_safe(left) && !is_safe(right)
}

/// Up to here Float64 has every whole number.
const EXACT_MAX: u64 = 1 << f64::MANTISSA_DIGITS;
/// Where the integers of 64 bits with a sign end.
const LONG_END: f64 = 9_223_372_036_854_775_808.0;

/// A comparison of two floats that is false where one is NaN, and true for `!=`.
pub(crate) fn compare(operator: Operator, left: Typed, right: Typed) -> Expr {
    // NaN is not even the same as itself, but among columns with NULL.
    let operator = match operator {
        Operator::IsNotDistinctFrom if !left.kind.is_nullable() && !right.kind.is_nullable() => Operator::Eq,
        Operator::IsDistinctFrom if !left.kind.is_nullable() && !right.kind.is_nullable() => Operator::NotEq,
        other => other,
    };
    let (left, right) = (Side::of(left), Side::of(right));
    let plain = binary_expr(left.expr.clone(), operator, right.expr.clone());
    let has_number = left.is_number_literal() || right.is_number_literal();
    match operator {
        // A number is not NaN under both orders.
        Operator::Eq | Operator::NotEq if has_number => plain,
        Operator::Eq => plain.and(right.unless_null(left.is_number())),
        Operator::NotEq => {
            let equal = binary_expr(left.expr.clone(), Operator::Eq, right.expr.clone());
            Expr::Not(Box::new(equal.and(right.unless_null(left.is_number()))))
        }
        Operator::Lt | Operator::LtEq | Operator::Gt | Operator::GtEq => {
            let upwards = matches!(operator, Operator::Gt | Operator::GtEq);
            // Beside a number only the side that NaN would satisfy needs a bound.
            let bound = |side: &Side, other: &Side, greater: bool| match (other.is_number_literal(), greater) {
                (false, _) => other.unless_null(side.is_number()),
                (true, true) => side.high(),
                (true, false) => side.low(),
            };
            let mut whole = plain;
            if !left.is_number_literal() {
                whole = whole.and(bound(&left, &right, upwards));
            }
            if !right.is_number_literal() {
                whole = whole.and(bound(&right, &left, !upwards));
            }
            whole
        }
        _ => plain,
    }
}

/// The keys that a float sorts by: NaN stands where NULL does, last or first, and on the side of the numbers there; zeroes of
/// both signs are one value.
pub(crate) fn sort_keys(sort: Sort, nullable: bool, is_short: bool) -> Vec<Sort> {
    let number = Sort { expr: nan_as_null(sort.expr.clone(), is_short), ..sort };
    if !nullable {
        return vec![number];
    }
    let null = Expr::IsNull(Box::new(sort.expr));
    vec![number, Sort::new(null, !sort.nulls_first, false)]
}

/// The zeroes become one: with its sign set, zero plus zero is zero.
fn nan_as_null(expr: Expr, is_short: bool) -> Expr {
    // Literals of the column's own type: nothing is cast, so the planner finds nothing to compute beforehand, and the order of what
    // is sorted stays known.
    let literal = |value: f64| if is_short { lit(value as f32) } else { lit(value) };
    let is_number = expr.clone().gt_eq(literal(f64::NEG_INFINITY)).and(expr.clone().lt_eq(literal(f64::INFINITY)));
    Expr::Case(Case {
        expr: None,
        when_then_expr: vec![(Box::new(is_number), Box::new(expr + literal(0.0)))],
        else_expr: None,
    })
}
