//! Expressions over a table's columns, ready to be computed on its blocks: sorting keys and partition keys, which are
//! the same for ever, and defaults and changes of rows, which are made anew for each query.

use std::fmt::Debug;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use datafusion::logical_expr::Expr;
use datafusion::physical_plan::PhysicalExpr;
use gristmill_base::Result;
use gristmill_introspect::QueryContext;
use gristmill_types::{Columns, SqlType};

#[derive(Clone, Debug)]
pub struct KeyExpression {
    /// Canonical text, such as `toDate(CreationDate)`.
    pub text: String,
    pub kind: SqlType,
    /// In a sorting key: greater values come first.
    pub descending: bool,
    /// Over unqualified columns of the table.
    pub logical: Expr,
    /// Over a batch with the table's columns in the table's order.
    pub physical: Arc<dyn PhysicalExpr>,
}

impl KeyExpression {
    /// The value for each row. The batch has the table's columns in the table's order.
    pub fn evaluate(&self, batch: &RecordBatch) -> Result<ArrayRef> {
        Ok(self.physical.evaluate(batch)?.into_array(batch.num_rows())?)
    }

    /// The column itself, where the expression is no more than that.
    pub fn column(&self) -> Option<&str> {
        match &self.logical {
            Expr::Column(column) => Some(&column.name),
            _ => None,
        }
    }
}

/// An expression of a table's definition, or of a statement that changes its rows, as one query computes it.
#[derive(Clone, Debug)]
pub struct ColumnExpression {
    /// The stored columns that it is computed from.
    pub inputs: Vec<String>,
    /// Over a batch of those, in that order. A condition gives booleans.
    pub physical: Arc<dyn PhysicalExpr>,
    pub logical: Expr,
}

impl ColumnExpression {
    pub fn evaluate(&self, inputs: &RecordBatch) -> Result<ArrayRef> {
        Ok(self.physical.evaluate(inputs)?.into_array(inputs.num_rows())?)
    }
}

/// What an expression is to give.
#[derive(Clone, Copy, Debug)]
pub enum Wanted<'a> {
    /// A value of the type, cast as an assignment casts.
    Value(&'a SqlType),
    /// Whether a row is meant; NULL means no.
    Condition,
}

/// Turns the text of an expression over a table's columns into something to compute: the engine's analyser, for those
/// below it. `columns`: all declared columns, whose ALIAS ones are replaced by what they stand for.
pub trait ExpressionCompiler: Send + Sync + Debug {
    fn compile(&self, text: &str, wanted: Wanted<'_>, columns: &Columns, context: &QueryContext)
    -> Result<ColumnExpression>;

    /// The elements of an expression that is the same for ever: those of a tuple, or the one. `stored`: the columns that
    /// the table keeps.
    fn compile_index(&self, text: &str, stored: &Columns) -> Result<Vec<KeyExpression>>;
}
