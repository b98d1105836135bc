//! What an aggregate function is: a DataFusion `AggregateUDF` chosen by the types of its arguments.

use std::sync::Arc;

use datafusion::common::ScalarValue;
use datafusion::logical_expr::AggregateUDF;
use gristmill_base::Result;
use gristmill_types::SqlType;

use crate::aggregates::Prepared;
use crate::scalar::Argument;

pub use crate::aggregates::combinators::{parts_of_aggregate, resolve_aggregate};

pub struct BoundAggregate {
    /// The type of the result, as ClickHouse gives it: never NULL over no rows (`sum` is 0) unless an argument is.
    pub result: SqlType,
    /// Types that the arguments are cast to first; without the argument that `filter_argument` takes away.
    pub arguments: Vec<SqlType>,
    /// Its return type is `result.arrow()`.
    pub udaf: Arc<AggregateUDF>,
    /// The value where DataFusion's function gives NULL for no rows and ClickHouse's gives a default.
    pub when_empty: Option<ScalarValue>,
    /// The argument that says which rows count (the last one of `sumIf`). It is no argument of `udaf`: it belongs into
    /// the FILTER of the aggregate expression.
    pub filter_argument: Option<usize>,
}

pub trait AggregateFunction: Send + Sync {
    /// Chooses result type and algorithm by the arguments; `parameters` are those of `quantile(0.5)(x)`.
    /// Errors: NUMBER_OF_ARGUMENTS_DOESNT_MATCH, ILLEGAL_TYPE_OF_ARGUMENT, … with the function's name in the message.
    fn prepare(&self, name: &str, parameters: &[ScalarValue], arguments: &[Argument]) -> Result<Prepared>;

    /// The function as DataFusion calls it. Errors as `prepare`.
    fn bind(&self, name: &str, parameters: &[ScalarValue], arguments: &[Argument]) -> Result<BoundAggregate> {
        let prepared = self.prepare(name, parameters, arguments)?;
        Ok(crate::aggregates::udaf::bound(name, parameters, prepared))
    }
}
