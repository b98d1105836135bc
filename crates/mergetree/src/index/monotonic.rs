//! Calls whose result never falls while one argument rises, over all values: from the range of the one follows that of
//! the other.

use datafusion::logical_expr::Expr;
use datafusion::logical_expr::expr::ScalarFunction;
use gristmill_functions::text::timezone;
use gristmill_functions::{Direction, FunctionUdf, Holds, monotonic_call};
use gristmill_types::zone::Zone;

/// The place of the argument that the call rises with; all its other arguments are constants.
pub fn rises_with(call: &ScalarFunction) -> Option<usize> {
    let udf = function_udf(call)?;
    let session = Zone::new(timezone(udf.env()).ok()?);
    let found = monotonic_call(call.func.name(), udf.arguments(), udf.result(), &session)?;
    // A key column beyond the first is bounded only by what its type holds, so a range where it holds is no help. NaN
    // sorts last, whatever a function makes of it.
    let argument = udf.arguments().get(found.argument)?;
    if found.direction != Direction::Rising || found.holds != Holds::Always || argument.kind.is_float() {
        return None;
    }
    let constant = |(at, argument): (usize, &Expr)| at == found.argument || matches!(argument, Expr::Literal(..));
    call.args.iter().enumerate().all(constant).then_some(found.argument)
}

/// A call of a function of ours.
pub fn function_udf(call: &ScalarFunction) -> Option<&FunctionUdf> {
    (call.func.inner().as_ref() as &dyn std::any::Any).downcast_ref::<FunctionUdf>()
}
