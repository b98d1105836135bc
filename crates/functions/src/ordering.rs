//! What ORDER BY sorts a value by, where that is not the value itself.

use datafusion::logical_expr::Expr;
use gristmill_base::Result;
use gristmill_types::SqlType;
use gristmill_types::order::{sort_key, sorted_as};

use crate::define::own_nulls;
use crate::scalar::{Argument, Bound, FunctionEnv};
use crate::udf::call_function;

/// What `expr`, of type `kind`, is sorted by: the expression itself where its carrier sorts as the values do.
pub fn sort_expr(expr: Expr, kind: &SqlType, env: &FunctionEnv) -> Result<Expr> {
    let Some(result) = sorted_as(kind) else { return Ok(expr) };
    let from = kind.clone();
    let function = own_nulls(move |_, _, _| {
        let from = from.clone();
        Ok(Bound::new(result.clone(), move |args, _| sort_key(&args[0], &from)))
    });
    let arguments = vec![(expr, Argument { kind: kind.clone(), constant: None })];
    Ok(call_function("__sortKey", function, arguments, env)?.0)
}
