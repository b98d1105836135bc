//! Calls whose result follows one argument, or goes against it, perhaps within some range of it alone: from the range of the
//! one follows that of the other.

use datafusion::logical_expr::Expr;
use datafusion::logical_expr::expr::ScalarFunction;
use gristmill_functions::text::timezone;
use gristmill_functions::{FunctionUdf, Monotonicity, monotonic_call};
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

/// A call of a function of ours.
pub fn function_udf(call: &ScalarFunction) -> Option<&FunctionUdf> {
    (call.func.inner().as_ref() as &dyn std::any::Any).downcast_ref::<FunctionUdf>()
}
