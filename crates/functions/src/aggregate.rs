//! What an aggregate function is: a DataFusion `AggregateUDF` chosen by the types of its arguments.

use std::sync::Arc;

use datafusion::common::ScalarValue;
use datafusion::logical_expr::AggregateUDF;
use gristmill_base::Result;
use gristmill_types::SqlType;

use crate::scalar::Argument;

pub struct BoundAggregate {
    /// The type of the result, as ClickHouse gives it: never NULL over no rows (`sum` is 0) unless an argument is.
    pub result: SqlType,
    /// Types that the arguments are cast to first.
    pub arguments: Vec<SqlType>,
    /// Its return type is `result.arrow()`, or another that the analyser casts (`raw_result`).
    pub udaf: Arc<AggregateUDF>,
    /// The value where DataFusion's function gives NULL for no rows and ClickHouse's gives a default.
    pub when_empty: Option<ScalarValue>,
}

pub trait AggregateFunction: Send + Sync {
    /// `parameters` are those of `quantile(0.5)(x)`.
    fn bind(&self, name: &str, parameters: &[ScalarValue], arguments: &[Argument]) -> Result<BoundAggregate>;
}
