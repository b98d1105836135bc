//! Conditions that the scan itself computes: each is a step (`unit_reader`), which decodes only its columns at first and the
//! other columns only where rows passed. `steps` says which goes first.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow::array::{Array, AsArray, BooleanArray, RecordBatch, RecordBatchOptions};
use arrow::compute::prep_null_mask_filter;
use arrow::datatypes::{DataType, Schema, SchemaRef};
use datafusion::physical_expr::utils::{collect_columns, reassign_expr_columns};
use datafusion::physical_plan::PhysicalExpr;
use gristmill_base::{Error, Result};
use gristmill_introspect::{Counters, Event};
use gristmill_types::Columns;
use gristmill_types::measure::batch_bytes_about;

use super::evolve::Projection;
use super::passing::Passing;
use super::steps::{self, Passed, Spans, StepColumns};
use super::unit::Unit;
use crate::index::condition::Condition;
use crate::index::granules;
use crate::part::OpenPart;

/// One condition and the columns of the table that it reads, ascending.
#[derive(Clone, Debug)]
pub struct ScanFilter {
    pub expression: Arc<dyn PhysicalExpr>,
    pub columns: Vec<usize>,
    schema: SchemaRef,
    /// The share of rows that are thought to pass.
    pub guess: f64,
    /// Of all units of the scan.
    pub passed: Arc<Passed>,
    /// By what the condition is known to the cache of conditions.
    pub id: Option<u128>,
    /// What it says of the primary key.
    of_key: Option<Arc<Condition>>,
}

/// What the steps over one unit read.
#[derive(Debug, Default)]
pub struct Tally {
    pub decoded_bytes: AtomicU64,
    /// Of the query; `None` where rows count for no query.
    pub counters: Option<Arc<Counters>>,
    /// What each step said, where it is to be remembered.
    pub passing: Option<Passing>,
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
        let guess = steps::guess(&expression, &Spans::new());
        Ok(ScanFilter { expression, columns: places, schema, guess, passed: Arc::default(), id: None, of_key: None })
    }

    /// With what is known of the values of its columns.
    pub fn with_spans(self, spans: &Spans) -> ScanFilter {
        ScanFilter { guess: steps::guess(&self.expression, spans), ..self }
    }

    /// With what it says of the primary key (see `index::select::of_key`).
    pub fn with_key(self, condition: Option<Condition>) -> ScanFilter {
        ScanFilter { of_key: condition.map(Arc::new), ..self }
    }

    /// The type of one of its columns, in memory.
    pub fn kind_of(&self, column: &str) -> Option<&DataType> {
        Some(self.schema.field_with_name(column).ok()?.data_type())
    }

    /// Whether the sparse index may tell of it.
    pub fn is_of_key(&self) -> bool {
        self.of_key.is_some()
    }

    /// Whether the sparse index tells that every row of the unit passes: inside of a range of keys nothing is compared.
    pub fn holds_in(&self, unit: &Unit) -> bool {
        self.of_key.as_ref().is_some_and(|condition| granules::all_pass(condition, &unit.open.index, &unit.granules))
    }

    /// With what it is known by to the cache of conditions.
    pub fn with_id(self, id: Option<u128>) -> ScanFilter {
        ScanFilter { id, ..self }
    }

    /// Which rows of what was decoded of a part pass. `projection`: gives the filter's columns out of the part.
    pub fn evaluate(&self, projection: &Projection, stored: &RecordBatch, tally: &Tally) -> Result<BooleanArray> {
        let columns = projection.build(stored)?;
        let rows = stored.num_rows();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)?;
        tally.decoded_bytes.fetch_add(batch_bytes_about(&batch), Ordering::Relaxed);
        if let Some(counters) = &tally.counters {
            counters.add(Event::RowsReadByPrewhereReaders, rows as u64);
        }
        let result = self.expression.evaluate(&batch)?.into_array(rows)?;
        let passed = match result.as_boolean_opt() {
            Some(passed) => without_nulls(passed),
            // ClickHouse's conditions may be numbers: anything but zero passes.
            None => {
                let passed = arrow::compute::cast(&result, &DataType::Boolean)?;
                without_nulls(passed.as_boolean())
            }
        };
        self.passed.add(rows as u64, passed.true_count() as u64);
        Ok(passed)
    }
}

/// NULL does not pass.
fn without_nulls(passed: &BooleanArray) -> BooleanArray {
    if passed.nulls().is_some() { prep_null_mask_filter(passed) } else { passed.clone() }
}

/// The conditions with how their columns come out of a part, in the order of their steps.
pub fn in_steps<'a>(
    filters: impl Iterator<Item = &'a ScanFilter>,
    projection: impl Fn(&[usize]) -> Result<Projection>,
    part: &OpenPart,
) -> Result<Vec<(ScanFilter, Projection)>> {
    let found = filters.map(|filter| Ok((filter, projection(&filter.columns)?))).collect::<Result<Vec<_>>>()?;
    let columns: Vec<_> =
        found.iter().map(|(filter, projection)| StepColumns { filter, roots: &projection.roots }).collect();
    let order = steps::order(&columns, &part.header.columns, part.header.rows);
    Ok(order.into_iter().map(|step| (found[step].0.clone(), found[step].1.clone())).collect())
}
