//! An expression over the stored columns of a table, with where it finds them in a batch of all of them.

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, RecordBatch, RecordBatchOptions, UInt32Array};
use arrow::compute::{interleave, prep_null_mask_filter, take};
use arrow::datatypes::{DataType, Schema};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::ColumnExpression;
use gristmill_types::Columns;

#[derive(Clone, Debug)]
pub struct Located {
    pub expression: ColumnExpression,
    pub places: Vec<usize>,
}

/// The place of a stored column. Errors: NO_SUCH_COLUMN_IN_TABLE.
pub fn place(columns: &Columns, name: &str) -> Result<usize> {
    columns
        .index_of(name)
        .ok_or_else(|| Error::new(ErrorCode::NO_SUCH_COLUMN_IN_TABLE, format!("There is no column `{name}` in table")))
}

impl Located {
    pub fn new(expression: ColumnExpression, columns: &Columns) -> Result<Located> {
        let places = expression.inputs.iter().map(|name| place(columns, name)).collect::<Result<_>>()?;
        Ok(Located { expression, places })
    }

    /// Of each row. The batch has all stored columns, in their order.
    pub fn evaluate(&self, batch: &RecordBatch) -> Result<ArrayRef> {
        self.expression.evaluate(&batch.project(&self.places)?)
    }

    /// As `evaluate`, of rows of loose columns, of which those that it looks at are there; `order`: which of them, all where there is none.
    pub fn evaluate_columns(&self, columns: &[ArrayRef], schema: &Schema, order: Option<&UInt32Array>) -> Result<ArrayRef> {
        let inputs = self.places.iter().map(|&at| match order {
            Some(order) => Ok(take(&columns[at], order, None)?),
            None => Ok(columns[at].clone()),
        });
        let inputs: Vec<ArrayRef> = inputs.collect::<Result<_>>()?;
        let first = inputs.first().or(columns.first());
        let rows = order.map_or_else(|| first.map_or(0, |column| column.len()), |order| order.len());
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let schema = schema.project(&self.places)?.into();
        self.expression.evaluate(&RecordBatch::try_new_with_options(schema, inputs, &options)?)
    }

    /// Of which rows the condition holds: NULL does not pass.
    pub fn mask(&self, batch: &RecordBatch) -> Result<BooleanArray> {
        mask(self.evaluate(batch)?)
    }
}

/// A condition's values as a mask: NULL does not pass.
pub fn mask(passed: ArrayRef) -> Result<BooleanArray> {
    let passed = if passed.as_boolean_opt().is_some() { passed } else { arrow::compute::cast(&passed, &DataType::Boolean)? };
    let passed = passed.as_boolean();
    Ok(if passed.nulls().is_some() { prep_null_mask_filter(passed) } else { passed.clone() })
}

/// `old` with the rows that the mask names taken from `new`, which has those alone.
pub fn scatter(old: &ArrayRef, new: &ArrayRef, mask: &BooleanArray) -> Result<ArrayRef> {
    let mut next = 0;
    let places: Vec<(usize, usize)> = (0..old.len())
        .map(|row| {
            if !mask.value(row) {
                return (0, row);
            }
            next += 1;
            (1, next - 1)
        })
        .collect();
    Ok(interleave(&[old.as_ref(), new.as_ref()], &places)?)
}
