//! AND and OR of many conditions as trees that are not deep: whatever descends into expressions does so a level for each
//! operator, and programs write conditions by the thousand.

use std::collections::HashSet;

use arrow::datatypes::DataType;
use datafusion::common::tree_node::TreeNode;
use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::{BinaryExpr, Case, Expr, Operator, cast, lit};
use gristmill_functions::failing::may_fail;

/// Up to so many operands one stands behind the other, as DataFusion's rules write them too.
const IN_A_ROW: usize = 16;
/// From so many comparisons of one column on, they become an IN.
const AS_A_LIST: usize = 3;
/// So many operands that may fail wait for those before them: each names them all once more.
const GUARDED_MAX: usize = 16;
/// So many of these do others wait for: each doubles what there is.
const GUARDS_OF_GUARDED_MAX: usize = 3;

/// `None`: of nothing.
pub(super) fn combined(operator: Operator, operands: Vec<Expr>) -> Option<Expr> {
    if operands.len() <= IN_A_ROW {
        return operands.into_iter().reduce(|left, right| binary(left, operator, right));
    }
    balanced(operator, if operator == Operator::Or { equalities_as_lists(operands) } else { operands })
}

/// Operands of AND or OR, those that may fail computed only for rows that those before them leave open: of
/// `s != '' AND toInt32(s) = 1` no row fails whose text is empty.
pub(super) fn guarded(operator: Operator, operands: Vec<Expr>) -> Vec<Expr> {
    if !operands.iter().skip(1).any(may_fail) {
        return operands;
    }
    let mut before: Vec<Expr> = Vec::new();
    let mut guarded = 0;
    let mut out = Vec::with_capacity(operands.len());
    for operand in operands {
        let stands_twice = stands_twice(&operand);
        let waits = stands_twice && guarded < GUARDED_MAX && may_fail(&operand) && !joins(&operand);
        let (operand, waits) = match combined(operator, if waits { before.clone() } else { Vec::new() }) {
            Some(decides) => (under(operator, decides, operand), true),
            None => (operand, false),
        };
        guarded += usize::from(waits);
        if stands_twice && (!waits || guarded <= GUARDS_OF_GUARDED_MAX) {
            before.push(operand.clone());
        }
        out.push(operand);
    }
    out
}

/// An operand where what stands before it does not decide.
fn under(operator: Operator, decides: Expr, operand: Expr) -> Expr {
    let is_or = operator == Operator::Or;
    let decided = if is_or { Expr::IsTrue(Box::new(decides)) } else { Expr::IsFalse(Box::new(decides)) };
    // Numbers: of truths alone a rule makes AND and OR again.
    let when_then_expr = vec![(Box::new(decided), Box::new(lit(u8::from(is_or))))];
    let case = Case { expr: None, when_then_expr, else_expr: Some(Box::new(cast(operand, DataType::UInt8))) };
    binary(Expr::Case(case), Operator::NotEq, lit(0_u8))
}

/// Whether an expression gives the same again, and holds no query.
fn stands_twice(expr: &Expr) -> bool {
    let is_query = |expr: &Expr| {
        matches!(expr, Expr::Exists(_) | Expr::InSubquery(_) | Expr::ScalarSubquery(_) | Expr::OuterReferenceColumn(..))
    };
    !expr.is_volatile() && !expr.exists(|expr| Ok(is_query(expr))).unwrap_or(true)
}

/// Whether an expression is of several tables, so that a join may be made of it.
fn joins(expr: &Expr) -> bool {
    let tables: HashSet<_> = expr.column_refs().into_iter().map(|column| column.relation.as_ref()).collect();
    tables.len() > 1
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
