//! An expression over a table's columns, ready to be computed on its blocks: sorting keys, partition keys.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use datafusion::logical_expr::Expr;
use datafusion::physical_plan::PhysicalExpr;
use gristmill_base::Result;
use gristmill_types::SqlType;

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
