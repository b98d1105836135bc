//! The node of a plan that gives so many rows, and those behind them that sort as the last one: LIMIT WITH TIES over rows that are in
//! their order already, as WITH FILL leaves them.

use std::cmp::Ordering;
use std::fmt;

use datafusion::common::{DFSchemaRef, Result};
use datafusion::logical_expr::{Expr, LogicalPlan, UserDefinedLogicalNodeCore};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TiesNode {
    pub input: LogicalPlan,
    /// Columns of the keys of ORDER BY.
    pub keys: Vec<String>,
    pub skip: usize,
    pub rows: usize,
}

/// Nodes have no order; DataFusion asks whether they are the same.
impl PartialOrd for TiesNode {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        (self == other).then_some(Ordering::Equal)
    }
}

impl UserDefinedLogicalNodeCore for TiesNode {
    fn name(&self) -> &str {
        "LimitWithTies"
    }

    fn inputs(&self) -> Vec<&LogicalPlan> {
        vec![&self.input]
    }

    fn schema(&self) -> &DFSchemaRef {
        self.input.schema()
    }

    /// None that the optimizer may change.
    fn expressions(&self) -> Vec<Expr> {
        Vec::new()
    }

    fn fmt_for_explain(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LimitWithTies: skip={}, fetch={}, keys=[{}]", self.skip, self.rows, self.keys.join(", "))
    }

    fn with_exprs_and_inputs(&self, _: Vec<Expr>, mut inputs: Vec<LogicalPlan>) -> Result<Self> {
        let input = inputs.pop().unwrap_or_else(|| self.input.clone());
        Ok(TiesNode { input, ..self.clone() })
    }
}
