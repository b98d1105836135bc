//! Conditions that the scan itself computes: each becomes a predicate of Parquet's reader, which decodes only its columns
//! at first and the other columns only where rows passed. The cheapest columns go first.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow::array::{Array, AsArray, BooleanArray, RecordBatch, RecordBatchOptions};
use arrow::compute::prep_null_mask_filter;
use arrow::datatypes::{Schema, SchemaRef};
use arrow::error::ArrowError;
use datafusion::physical_expr::utils::{collect_columns, reassign_expr_columns};
use datafusion::physical_plan::PhysicalExpr;
use gristmill_base::{Error, Result};
use gristmill_types::{Columns, SqlType};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowPredicate, ArrowPredicateFn, RowFilter};
use parquet::schema::types::SchemaDescriptor;

use super::evolve::Projection;
use crate::measure::batch_bytes;

/// One condition and the columns of the table that it reads, ascending.
#[derive(Clone, Debug)]
pub struct ScanFilter {
    pub expression: Arc<dyn PhysicalExpr>,
    pub columns: Vec<usize>,
    kinds: Vec<SqlType>,
    schema: SchemaRef,
}

impl ScanFilter {
    /// `expression` is over the table's stored columns, found by name.
    pub fn new(expression: &Arc<dyn PhysicalExpr>, columns: &Columns) -> Result<ScanFilter> {
        let mut places = collect_columns(expression)
            .iter()
            .map(|column| {
                let place = columns.index_of(column.name());
                place.ok_or_else(|| Error::logical(format!("A filter reads {}, which is not stored", column.name())))
            })
            .collect::<Result<Vec<_>>>()?;
        places.sort_unstable();
        places.dedup();
        let used: Vec<_> = places.iter().map(|&place| &columns.0[place]).collect();
        let schema = Arc::new(Schema::new(used.iter().map(|column| column.kind.field(&column.name)).collect::<Vec<_>>()));
        let expression = reassign_expr_columns(expression.clone(), &schema)?;
        Ok(ScanFilter {
            expression,
            columns: places,
            kinds: used.iter().map(|column| column.kind.clone()).collect(),
            schema,
        })
    }

    /// Fixed-width columns cost their width, strings much more.
    fn cost(&self) -> usize {
        self.kinds.iter().map(|kind| kind.arrow().primitive_width().unwrap_or(64)).sum()
    }

    /// `projection`: gives the filter's columns out of the part.
    fn predicate(
        &self,
        projection: Projection,
        parquet: &SchemaDescriptor,
        decoded_bytes: Arc<AtomicU64>,
    ) -> Box<dyn ArrowPredicate> {
        // A predicate over columns that the part does not have decodes one nevertheless: it has to know of the rows.
        let roots = if projection.roots.is_empty() { vec![0] } else { projection.roots.clone() };
        let mask = ProjectionMask::roots(parquet, roots);
        let filter = self.clone();
        Box::new(ArrowPredicateFn::new(mask, move |stored: RecordBatch| {
            filter.evaluate(&projection, &stored, &decoded_bytes).map_err(ArrowError::from)
        }))
    }

    fn evaluate(&self, projection: &Projection, stored: &RecordBatch, decoded_bytes: &AtomicU64) -> Result<BooleanArray> {
        let columns = projection.build(stored)?;
        let options = RecordBatchOptions::new().with_row_count(Some(stored.num_rows()));
        let batch = RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)?;
        decoded_bytes.fetch_add(batch_bytes(&batch), Ordering::Relaxed);
        let result = self.expression.evaluate(&batch)?.into_array(batch.num_rows())?;
        let Some(passed) = result.as_boolean_opt() else {
            // ClickHouse's conditions may be numbers: anything but zero passes.
            let passed = arrow::compute::cast(&result, &arrow::datatypes::DataType::Boolean)?;
            return Ok(without_nulls(passed.as_boolean()));
        };
        Ok(without_nulls(passed))
    }
}

/// NULL does not pass.
fn without_nulls(passed: &BooleanArray) -> BooleanArray {
    if passed.nulls().is_some() { prep_null_mask_filter(passed) } else { passed.clone() }
}

/// The conditions as Parquet's reader takes them; `None` where there are none.
pub fn row_filter(
    filters: &[ScanFilter],
    projection: impl Fn(&[usize]) -> Result<Projection>,
    parquet: &SchemaDescriptor,
    decoded_bytes: &Arc<AtomicU64>,
) -> Result<Option<RowFilter>> {
    if filters.is_empty() {
        return Ok(None);
    }
    let mut order: Vec<&ScanFilter> = filters.iter().collect();
    order.sort_by_key(|filter| filter.cost());
    let predicate = |filter: &ScanFilter| Ok(filter.predicate(projection(&filter.columns)?, parquet, decoded_bytes.clone()));
    Ok(Some(RowFilter::new(order.into_iter().map(predicate).collect::<Result<_>>()?)))
}
