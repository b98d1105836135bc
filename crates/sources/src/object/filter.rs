//! The filter of a scan, taken apart: conjuncts, the columns each needs, and how it is computed on a block.
//!
//! Conjuncts over the table's columns arrive as physical expressions whose column indices are those of the layout.
//! Beside the statement's own conjuncts there may be dynamic ones, which other operators (top-N, joins) narrow while the
//! query runs; leaving them out never changes the result.

use std::sync::Arc;

use arrow::array::{Array, AsArray, BooleanArray, RecordBatch};
use arrow::compute::{and, prep_null_mask_filter};
use datafusion::physical_expr::utils::{collect_columns, reassign_expr_columns, split_conjunction};
use datafusion::physical_plan::PhysicalExpr;
use gristmill_base::Result;

use super::layout::Layout;

#[derive(Clone, Debug)]
pub struct Conjunct {
    pub expression: Arc<dyn PhysicalExpr>,
    /// Indices in the layout, ascending.
    pub columns: Vec<usize>,
}

#[derive(Clone, Debug, Default)]
pub struct ScanFilter {
    pub conjuncts: Vec<Conjunct>,
    /// How many at the end are dynamic.
    pub dynamic: usize,
}

impl ScanFilter {
    /// `expressions` must all hold. Their columns are those of the layout.
    pub fn new(expressions: impl IntoIterator<Item = Arc<dyn PhysicalExpr>>) -> Self {
        let mut filter = ScanFilter::default();
        for expression in expressions {
            filter.conjuncts.extend(split_conjunction(&expression).into_iter().map(|e| Conjunct::new(e.clone())));
        }
        filter
    }

    pub fn push_dynamic(&mut self, expression: Arc<dyn PhysicalExpr>) {
        self.conjuncts.push(Conjunct::new(expression));
        self.dynamic += 1;
    }

    pub fn is_empty(&self) -> bool {
        self.conjuncts.is_empty()
    }

    /// Indices of all columns that any conjunct needs, ascending.
    pub fn columns(&self) -> Vec<usize> {
        let mut columns: Vec<usize> = self.conjuncts.iter().flat_map(|c| c.columns.iter().copied()).collect();
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    /// The conjuncts all of whose columns are `answered`, and the others (dynamic ones stay with these).
    pub fn split(self, answered: impl Fn(usize) -> bool) -> (ScanFilter, ScanFilter) {
        let dynamic_from = self.conjuncts.len() - self.dynamic;
        let (mut first, mut rest) = (ScanFilter::default(), ScanFilter { dynamic: self.dynamic, ..ScanFilter::default() });
        for (i, conjunct) in self.conjuncts.into_iter().enumerate() {
            let goes_first = i < dynamic_from && !conjunct.columns.is_empty() && conjunct.columns.iter().all(|&c| answered(c));
            if goes_first { first.conjuncts.push(conjunct) } else { rest.conjuncts.push(conjunct) }
        }
        (first, rest)
    }

    /// The same conjuncts over blocks that have only `columns` of the layout, in that order.
    pub fn over(&self, layout: &Layout, columns: &[usize]) -> Result<BlockFilter> {
        let schema = layout.schema.project(columns)?;
        let expressions = self
            .conjuncts
            .iter()
            .map(|conjunct| Ok(reassign_expr_columns(conjunct.expression.clone(), &schema)?))
            .collect::<Result<_>>()?;
        Ok(BlockFilter { expressions })
    }
}

impl Conjunct {
    fn new(expression: Arc<dyn PhysicalExpr>) -> Self {
        let mut columns: Vec<usize> = collect_columns(&expression).iter().map(|column| column.index()).collect();
        columns.sort_unstable();
        columns.dedup();
        Conjunct { expression, columns }
    }
}

/// Conjuncts ready to be computed on blocks of a fixed set of columns.
#[derive(Clone, Debug)]
pub struct BlockFilter {
    expressions: Vec<Arc<dyn PhysicalExpr>>,
}

impl BlockFilter {
    /// Which rows pass. NULL does not. Stops as soon as no row is left.
    pub fn evaluate(&self, batch: &RecordBatch) -> Result<BooleanArray> {
        let mut passing: Option<BooleanArray> = None;
        for expression in &self.expressions {
            let result = expression.evaluate(batch)?.into_array(batch.num_rows())?;
            let result = as_condition(&result)?;
            let combined = match passing {
                None => result,
                Some(before) => and(&before, &result)?,
            };
            let none_left = combined.true_count() == 0;
            passing = Some(combined);
            if none_left {
                break;
            }
        }
        Ok(passing.unwrap_or_else(|| BooleanArray::from(vec![true; batch.num_rows()])))
    }
}

/// ClickHouse lets any number be a condition: what is not zero is true.
fn as_condition(values: &arrow::array::ArrayRef) -> Result<BooleanArray> {
    let booleans = match values.as_boolean_opt() {
        Some(booleans) => booleans.clone(),
        None => arrow::compute::cast(values, &arrow::datatypes::DataType::Boolean)?.as_boolean().clone(),
    };
    Ok(if booleans.null_count() > 0 { prep_null_mask_filter(&booleans) } else { booleans })
}
