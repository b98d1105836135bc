//! The node of a plan that fills gaps: what `ORDER BY … WITH FILL` says, over rows that are sorted already.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use datafusion::common::{DFSchema, DFSchemaRef, Result, ScalarValue};
use datafusion::logical_expr::{Expr, LogicalPlan, UserDefinedLogicalNodeCore};

/// The column that a step is computed of (see `Step::Shift`).
pub const SHIFTED: &str = "value";

/// A value of a filled column as a number: days of dates, ticks of times.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Number {
    Whole(i128),
    /// The bits of a float.
    Float(u64),
}

impl Number {
    pub fn float(value: f64) -> Number {
        Number::Float(value.to_bits())
    }
}

/// How far it is to the next value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    Add(Number),
    /// An interval: the next value as an expression over the column `SHIFTED`.
    Shift(Expr),
}

/// A key of ORDER BY that is filled.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FillKey {
    /// The plan's column of its values.
    pub column: String,
    /// Its type, for errors, and the least and the greatest value that it holds; `None`: a float.
    pub kind: String,
    pub bounds: Option<(i128, i128)>,
    pub descending: bool,
    pub from: Option<Number>,
    /// The first value that is not made any more.
    pub to: Option<Number>,
    pub step: Step,
    /// From a row that is there to the first value that is not made any more.
    pub staleness: Option<Step>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FillNode {
    pub input: LogicalPlan,
    /// That of the rows below, but that columns may be NULL in rows that are made.
    schema: DFSchemaRef,
    /// Columns of ORDER BY before the first key that is filled: rows that are equal in them are filled by themselves.
    pub prefix: Vec<String>,
    pub keys: Vec<FillKey>,
    /// Columns with what they are in rows that are made, computed of the row before.
    pub interpolated: Vec<(String, Expr)>,
    /// Of each column of the plan: its value in rows that are made, unless it is one of those above.
    pub defaults: Vec<ScalarValue>,
}

impl FillNode {
    /// `defaults`: of each column of the input.
    pub fn new(
        input: LogicalPlan,
        prefix: Vec<String>,
        keys: Vec<FillKey>,
        interpolated: Vec<(String, Expr)>,
        defaults: Vec<ScalarValue>,
    ) -> Result<FillNode> {
        let schema = schema_of(&input, &defaults)?;
        Ok(FillNode { input, schema, prefix, keys, interpolated, defaults })
    }
}

fn schema_of(input: &LogicalPlan, defaults: &[ScalarValue]) -> Result<DFSchemaRef> {
    let schema = input.schema();
    let fields = schema.iter().zip(defaults).map(|((qualifier, field), default)| {
        let nullable = field.is_nullable() || default.is_null();
        (qualifier.cloned(), Arc::new(field.as_ref().clone().with_nullable(nullable)))
    });
    Ok(Arc::new(DFSchema::new_with_metadata(fields.collect(), schema.metadata().clone())?))
}

/// Nodes have no order; DataFusion asks whether they are the same.
impl PartialOrd for FillNode {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        (self == other).then_some(Ordering::Equal)
    }
}

impl UserDefinedLogicalNodeCore for FillNode {
    fn name(&self) -> &str {
        "Fill"
    }

    fn inputs(&self) -> Vec<&LogicalPlan> {
        vec![&self.input]
    }

    fn schema(&self) -> &DFSchemaRef {
        &self.schema
    }

    /// None that the optimizer may change: they are computed of single rows.
    fn expressions(&self) -> Vec<Expr> {
        Vec::new()
    }

    fn fmt_for_explain(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fill: ")?;
        for (i, key) in self.keys.iter().enumerate() {
            write!(f, "{}{}", if i > 0 { ", " } else { "" }, key.column)?;
        }
        Ok(())
    }

    fn with_exprs_and_inputs(&self, _: Vec<Expr>, mut inputs: Vec<LogicalPlan>) -> Result<Self> {
        let input = inputs.pop().unwrap_or_else(|| self.input.clone());
        let schema = schema_of(&input, &self.defaults)?;
        Ok(FillNode { input, schema, ..self.clone() })
    }
}
