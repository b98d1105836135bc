//! From an expression of the physical plan back to the logical one that it was made from, for the index, which understands
//! those. Only what conditions of ORDER BY … LIMIT and of joins are made of is known.

use std::sync::Arc;

use datafusion::logical_expr::expr::{InList, ScalarFunction};
use datafusion::logical_expr::{Expr, binary_expr, ident, lit};
use datafusion::physical_expr::ScalarFunctionExpr;
use datafusion::physical_expr::expressions::{
    BinaryExpr, Column, DynamicFilterPhysicalExpr, InListExpr, IsNotNullExpr, IsNullExpr, Literal, NotExpr,
};
use datafusion::physical_plan::PhysicalExpr;

/// The expression over unqualified columns; `None` where a piece of it is not known. What changes while the query runs is
/// taken as it is now.
pub fn logical(expr: &Arc<dyn PhysicalExpr>) -> Option<Expr> {
    if let Some(column) = expr.downcast_ref::<Column>() {
        return Some(ident(column.name()));
    }
    if let Some(literal) = expr.downcast_ref::<Literal>() {
        return Some(lit(literal.value().clone()));
    }
    if let Some(binary) = expr.downcast_ref::<BinaryExpr>() {
        return Some(binary_expr(logical(binary.left())?, *binary.op(), logical(binary.right())?));
    }
    if let Some(not) = expr.downcast_ref::<NotExpr>() {
        return Some(Expr::Not(Box::new(logical(not.arg())?)));
    }
    if let Some(null) = expr.downcast_ref::<IsNullExpr>() {
        return Some(Expr::IsNull(Box::new(logical(null.arg())?)));
    }
    if let Some(null) = expr.downcast_ref::<IsNotNullExpr>() {
        return Some(Expr::IsNotNull(Box::new(logical(null.arg())?)));
    }
    if let Some(list) = expr.downcast_ref::<InListExpr>() {
        let values = list.list().iter().map(logical).collect::<Option<Vec<_>>>()?;
        return Some(Expr::InList(InList::new(Box::new(logical(list.expr())?), values, list.negated())));
    }
    if let Some(call) = expr.downcast_ref::<ScalarFunctionExpr>() {
        let arguments = call.args().iter().map(logical).collect::<Option<Vec<_>>>()?;
        return Some(Expr::ScalarFunction(ScalarFunction::new_udf(Arc::new(call.fun().clone()), arguments)));
    }
    if let Some(dynamic) = expr.downcast_ref::<DynamicFilterPhysicalExpr>() {
        return logical(&dynamic.current().ok()?);
    }
    None
}
