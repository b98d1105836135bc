//! Marks a condition as one of PREWHERE, where that is not the same as WHERE: under FINAL, PREWHERE is asked of rows before
//! they are merged. The mark is a call that gives its argument, so it means nothing where nobody looks for it.

use std::sync::{Arc, LazyLock};

use arrow::datatypes::DataType;
use datafusion::common::{DataFusionError, Result};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility};

const NAME: &str = "__prewhere";

static MARK: LazyLock<Arc<ScalarUDF>> = LazyLock::new(|| {
    let signature = Signature::exact(vec![DataType::Boolean], Volatility::Immutable);
    Arc::new(ScalarUDF::from(Prewhere { signature }))
});

#[derive(Debug, PartialEq, Eq, Hash)]
struct Prewhere {
    signature: Signature,
}

impl ScalarUDFImpl for Prewhere {
    fn name(&self) -> &str {
        NAME
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(DataType::Boolean)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        args.args.into_iter().next().ok_or_else(|| DataFusionError::Internal(format!("{NAME} without a condition")))
    }
}

/// The condition, marked.
pub fn mark(condition: Expr) -> Expr {
    Expr::ScalarFunction(ScalarFunction::new_udf(MARK.clone(), vec![condition]))
}

/// The condition inside of a mark.
pub fn marked(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::ScalarFunction(call) if call.func.name() == NAME => call.args.first(),
        _ => None,
    }
}
