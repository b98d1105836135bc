//! NaN. DataFusion orders floats totally: NaN equals itself and is greater than infinity (less than minus infinity with
//! its sign set). In ClickHouse every comparison with NaN is false but `!=`, and ORDER BY puts NaN where NULL goes.

use datafusion::common::ScalarValue;
use datafusion::logical_expr::expr::{Case, Sort};
use datafusion::logical_expr::{Expr, Operator, binary_expr, lit};

fn is_number_literal(expr: &Expr) -> bool {
    match expr {
        Expr::Literal(ScalarValue::Float64(Some(value)), _) => !value.is_nan(),
        Expr::Literal(ScalarValue::Float32(Some(value)), _) => !value.is_nan(),
        _ => false,
    }
}

/// Neither NaN nor its negative.
fn is_number(expr: &Expr) -> Expr {
    expr.clone().gt_eq(lit(f64::NEG_INFINITY)).and(expr.clone().lt_eq(lit(f64::INFINITY)))
}

/// A comparison of two floats that is false where one is NaN, and true for `!=`.
pub(crate) fn compare(operator: Operator, left: Expr, right: Expr) -> Expr {
    let (left_is_number, right_is_number) = (is_number_literal(&left), is_number_literal(&right));
    let plain = binary_expr(left.clone(), operator, right.clone());
    match operator {
        // A number is not NaN under both orders.
        Operator::Eq | Operator::NotEq if left_is_number || right_is_number => plain,
        Operator::Eq => plain.and(is_number(&left)),
        Operator::NotEq => Expr::Not(Box::new(binary_expr(left.clone(), Operator::Eq, right).and(is_number(&left)))),
        Operator::Lt | Operator::LtEq | Operator::Gt | Operator::GtEq => {
            let upwards = matches!(operator, Operator::Gt | Operator::GtEq);
            let low = |expr: &Expr| expr.clone().gt_eq(lit(f64::NEG_INFINITY));
            let high = |expr: &Expr| expr.clone().lt_eq(lit(f64::INFINITY));
            // Only the side that NaN would satisfy needs a bound.
            let mut whole = plain;
            if !left_is_number {
                whole = whole.and(if !right_is_number {
                    is_number(&left)
                } else if upwards {
                    high(&left)
                } else {
                    low(&left)
                });
            }
            if !right_is_number {
                whole = whole.and(if !left_is_number {
                    is_number(&right)
                } else if upwards {
                    low(&right)
                } else {
                    high(&right)
                });
            }
            whole
        }
        _ => plain,
    }
}

/// The keys that a float sorts by: NaN stands where NULL does, last or first, and on the side of the numbers there.
pub(crate) fn sort_keys(sort: Sort, nullable: bool) -> Vec<Sort> {
    let number = Sort { expr: nan_as_null(sort.expr.clone()), ..sort };
    if !nullable {
        return vec![number];
    }
    let null = Expr::IsNull(Box::new(sort.expr));
    vec![number, Sort::new(null, !sort.nulls_first, false)]
}

fn nan_as_null(expr: Expr) -> Expr {
    Expr::Case(Case { expr: None, when_then_expr: vec![(Box::new(is_number(&expr)), Box::new(expr))], else_expr: None })
}
