//! AND and OR of many conditions as trees that are not deep: whatever descends into expressions does so a level for each
//! operator, and programs write conditions by the thousand.

use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};

/// Up to so many operands one stands behind the other, as DataFusion's rules write them too.
const IN_A_ROW: usize = 16;
/// From so many comparisons of one column on, they become an IN.
const AS_A_LIST: usize = 3;

/// `None`: of nothing.
pub(super) fn combined(operator: Operator, operands: Vec<Expr>) -> Option<Expr> {
    if operands.len() <= IN_A_ROW {
        return operands.into_iter().reduce(|left, right| binary(left, operator, right));
    }
    balanced(operator, if operator == Operator::Or { equalities_as_lists(operands) } else { operands })
}

fn balanced(operator: Operator, mut operands: Vec<Expr>) -> Option<Expr> {
    if operands.len() <= 2 {
        return operands.into_iter().reduce(|left, right| binary(left, operator, right));
    }
    let right = operands.split_off(operands.len() / 2);
    Some(binary(balanced(operator, operands)?, operator, balanced(operator, right)?))
}

fn binary(left: Expr, op: Operator, right: Expr) -> Expr {
    Expr::BinaryExpr(BinaryExpr { left: Box::new(left), op, right: Box::new(right) })
}

/// `a = 1 OR a = 2 OR a = 3` is `a IN (1, 2, 3)`: one look into a set instead of a comparison for each.
fn equalities_as_lists(operands: Vec<Expr>) -> Vec<Expr> {
    let mut lists: Vec<InList> = Vec::new();
    let mut out = Vec::new();
    for operand in operands {
        match equality(operand) {
            Ok((column, value)) => match lists.iter_mut().find(|list| *list.expr == column) {
                Some(list) => list.list.push(value),
                None => lists.push(InList { expr: Box::new(column), list: vec![value], negated: false }),
            },
            Err(other) => out.push(other),
        }
    }
    for list in lists {
        if list.list.len() >= AS_A_LIST {
            out.push(Expr::InList(list));
        } else {
            out.extend(list.list.into_iter().map(|value| binary(list.expr.as_ref().clone(), Operator::Eq, value)));
        }
    }
    out
}

/// The column and the constant of an equality, or what it is instead.
fn equality(expr: Expr) -> Result<(Expr, Expr), Expr> {
    match expr {
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Eq, right }) => match (*left, *right) {
            (column @ Expr::Column(_), value @ Expr::Literal(..))
            | (value @ Expr::Literal(..), column @ Expr::Column(_)) => Ok((column, value)),
            (left, right) => Err(binary(left, Operator::Eq, right)),
        },
        other => Err(other),
    }
}
