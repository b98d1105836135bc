//! Functions of windows that DataFusion has none for, or none with ClickHouse's rules. They are given casted arguments by
//! the `sql` crate, which checks them.
//!
//! `places.rs`: the value of another row, some rows before or behind, or of a place in the frame. `decayed.rs`: sums over
//! the frame in which values lose weight with time. `derivative.rs`: the rise from the row before.

mod decayed;
mod derivative;
mod places;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::Result as DataFusionResult;
use datafusion::logical_expr::function::{PartitionEvaluatorArgs, WindowUDFFieldArgs};
use datafusion::logical_expr::{
    LimitEffect, PartitionEvaluator, Signature, TypeSignature, Volatility, WindowUDF, WindowUDFImpl,
};
use datafusion::physical_expr::PhysicalExpr;
use gristmill_types::SqlType;

pub use decayed::{Decayed, decayed};
pub use derivative::derivative;
pub use places::{nth_value, shifted};

/// Functions that only a window can compute. (Aggregate functions can be computed over one as well.)
pub const NAMES: &[&str] = &[
    "row_number",
    "rank",
    "denseRank",
    "percentRank",
    "cume_dist",
    "ntile",
    "nth_value",
    "lag",
    "lead",
    "lagInFrame",
    "leadInFrame",
    "nonNegativeDerivative",
    "exponentialTimeDecayedSum",
    "exponentialTimeDecayedMax",
    "exponentialTimeDecayedCount",
    "exponentialTimeDecayedAvg",
];

/// Those of them that are found however they are written.
pub const NAMES_IN_ANY_CASE: &[&str] = &["row_number", "rank", "ntile", "nth_value", "lag", "lead"];

/// Other names, found however they are written, and what they stand for.
pub const ALIASES: &[(&str, &str)] = &[("dense_rank", "denseRank"), ("percent_rank", "percentRank")];

type Evaluator = Box<dyn PartitionEvaluator>;

/// A function of windows. What tells two of them apart is their name, which has their parameters.
struct Function {
    name: String,
    signature: Signature,
    field: FieldRef,
    evaluator: Box<dyn Fn() -> Evaluator + Send + Sync>,
}

fn function(name: String, result: &SqlType, evaluator: impl Fn() -> Evaluator + Send + Sync + 'static) -> Arc<WindowUDF> {
    let signature = Signature::new(TypeSignature::VariadicAny, Volatility::Immutable);
    let field = result.field(&name);
    Arc::new(WindowUDF::new_from_impl(Function { name, signature, field, evaluator: Box::new(evaluator) }))
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)
    }
}

impl Function {
    fn key(&self) -> (&str, &DataType, bool) {
        (&self.name, self.field.data_type(), self.field.is_nullable())
    }
}

impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Function {}

impl Hash for Function {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl WindowUDFImpl for Function {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn partition_evaluator(&self, _args: PartitionEvaluatorArgs) -> DataFusionResult<Evaluator> {
        Ok((self.evaluator)())
    }

    fn field(&self, args: WindowUDFFieldArgs) -> DataFusionResult<FieldRef> {
        Ok(Arc::new(Field::new(args.name(), self.field.data_type().clone(), self.field.is_nullable())))
    }

    fn limit_effect(&self, _args: &[Arc<dyn PhysicalExpr>]) -> LimitEffect {
        LimitEffect::Unknown
    }
}
