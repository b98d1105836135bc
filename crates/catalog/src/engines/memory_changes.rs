//! Rows of a Memory table under ALTER. A batch is kept with the definition that it was written under, and turned into one of
//! the table's own when it is read or changed: an INSERT that began before an ALTER and ends behind it is seen as all others.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, RecordBatch, RecordBatchOptions};
use arrow::compute::{filter_record_batch, interleave, not, prep_null_mask_filter};
use arrow::datatypes::DataType;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::QueryContext;
use gristmill_types::cast::{CastOptions, cast};
use gristmill_types::default::default_array;
use gristmill_types::{Columns, DefaultKind};

use crate::column_keys::CastWay;
use crate::definition::TableDefinition;
use crate::key::{ColumnExpression, ExpressionCompiler, Wanted};
use crate::table::RowChange;

/// Rows with the definition whose stored columns they have.
#[derive(Clone, Debug)]
pub struct Held {
    pub definition: Arc<TableDefinition>,
    pub batch: RecordBatch,
}

fn with_columns(columns: &Columns, arrays: Vec<ArrayRef>, rows: usize) -> Result<RecordBatch> {
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    Ok(RecordBatch::try_new_with_options(columns.arrow(), arrays, &options)?)
}

impl Held {
    /// The rows in the columns of a later definition. A column that they do not have is of its type's default value, as in
    /// ClickHouse, whose Memory tables compute no default of rows that are there.
    pub fn under(&self, definition: &Arc<TableDefinition>) -> Result<RecordBatch> {
        if Arc::ptr_eq(&self.definition, definition) {
            return Ok(self.batch.clone());
        }
        let (from, to) = (self.definition.stored_columns(), definition.stored_columns());
        let rows = self.batch.num_rows();
        let key = |name: &str| self.definition.column_keys.of(name).into_iter().next();
        let mut arrays = Vec::with_capacity(to.len());
        for column in &to {
            let keys = definition.column_keys.of(&column.name);
            let found = from.iter().position(|old| key(&old.name).is_some_and(|key| keys.contains(&key)));
            arrays.push(match found {
                Some(at) => {
                    let key = key(&from.0[at].name).unwrap_or_default();
                    let (kinds, null_values) = (&definition.column_keys.kinds, &definition.column_keys.null_values);
                    let way = CastWay::new((&from.0[at].kind, &key), (&column.kind, &keys), kinds, null_values);
                    way.kinds.windows(2).try_fold(self.batch.column(at).clone(), |values, step| {
                        cast(&values, &step[0], &step[1], &CastOptions::default())
                    })?
                }
                None => default_array(&column.kind, rows),
            });
        }
        with_columns(&to, arrays, rows)
    }
}

/// One change of rows, ready to be applied to batches of the table's stored columns.
enum Step {
    Delete(ColumnExpression),
    /// Places of columns with their new values, and then those of the MATERIALIZED columns that follow.
    Update {
        condition: ColumnExpression,
        set: Vec<(usize, ColumnExpression)>,
        following: Vec<(usize, ColumnExpression)>,
    },
}

pub struct Program {
    columns: Columns,
    steps: Vec<Step>,
}

impl Program {
    /// Errors: NOT_IMPLEMENTED of changes that only parts know.
    pub fn compile(
        changes: &[RowChange],
        definition: &TableDefinition,
        compiler: &dyn ExpressionCompiler,
        context: &QueryContext,
    ) -> Result<Program> {
        let columns = definition.stored_columns();
        let compile = |text: &str, wanted: Wanted<'_>| compiler.compile(text, wanted, &definition.columns, context);
        let mut steps = Vec::with_capacity(changes.len());
        for change in changes {
            match change {
                RowChange::Delete { condition } => steps.push(Step::Delete(compile(condition, Wanted::Condition)?)),
                RowChange::Update { assignments, condition } => {
                    let mut set = Vec::with_capacity(assignments.len());
                    for (name, text) in assignments {
                        let at = columns.index_of(name).ok_or_else(|| {
                            let text = format!("There is no column `{name}` in table.");
                            Error::new(ErrorCode::NO_SUCH_COLUMN_IN_TABLE, text)
                        })?;
                        set.push((at, compile(text, Wanted::Value(&columns.0[at].kind))?));
                    }
                    let mut changed: BTreeSet<String> = assignments.iter().map(|(name, _)| name.clone()).collect();
                    let mut following: Vec<(usize, ColumnExpression)> = Vec::new();
                    // One that is computed from another that follows may stand before it.
                    for _ in 0..columns.len() {
                        for (at, column) in columns.iter().enumerate().filter(|(_, column)| !changed.contains(&column.name))
                        {
                            let Some((DefaultKind::Materialized, text)) = &column.default else { continue };
                            let value = compile(text, Wanted::Value(&column.kind))?;
                            if value.inputs.iter().any(|input| changed.contains(input)) {
                                following.push((at, value));
                            }
                        }
                        changed.extend(following.iter().map(|(at, _)| columns.0[*at].name.clone()));
                    }
                    steps.push(Step::Update { condition: compile(condition, Wanted::Condition)?, set, following });
                }
                // Every row has every column, as it reads.
                RowChange::Materialize { .. } | RowChange::MaterializeTtl | RowChange::ApplyDeletedMask => {}
                RowChange::MaterializeIndex { .. }
                | RowChange::ClearIndex { .. }
                | RowChange::MaterializeProjection { .. }
                | RowChange::ClearProjection { .. } => {
                    return Err(Error::not_implemented("Indexes and projections of a Memory table: it has none"));
                }
            }
        }
        Ok(Program { columns, steps })
    }

    fn evaluate(&self, expression: &ColumnExpression, batch: &RecordBatch) -> Result<ArrayRef> {
        let places = expression.inputs.iter().map(|name| {
            self.columns.index_of(name).ok_or_else(|| Error::logical(format!("A Memory table keeps no column {name}")))
        });
        expression.evaluate(&batch.project(&places.collect::<Result<Vec<_>>>()?)?)
    }

    /// The rows for which a condition holds: NULL does not pass.
    fn mask(&self, condition: &ColumnExpression, batch: &RecordBatch) -> Result<BooleanArray> {
        let passed = self.evaluate(condition, batch)?;
        let passed =
            if passed.as_boolean_opt().is_some() { passed } else { arrow::compute::cast(&passed, &DataType::Boolean)? };
        let passed = passed.as_boolean();
        Ok(if passed.null_count() > 0 { prep_null_mask_filter(passed) } else { passed.clone() })
    }

    /// The rows as they are afterwards.
    pub fn run(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let mut batch = batch.clone();
        for step in &self.steps {
            batch = match step {
                Step::Delete(condition) => filter_record_batch(&batch, &not(&self.mask(condition, &batch)?)?)?,
                Step::Update { condition, set, following } => {
                    let mask = self.mask(condition, &batch)?;
                    if mask.true_count() == 0 {
                        continue;
                    }
                    // New values are computed of the rows that change alone: of others they may be errors.
                    let mut rows = filter_record_batch(&batch, &mask)?;
                    rows = self.with_values(&rows, set)?;
                    for value in following {
                        rows = self.with_values(&rows, std::slice::from_ref(value))?;
                    }
                    let mut next = 0;
                    let places: Vec<(usize, usize)> = (0..batch.num_rows())
                        .map(|row| {
                            if !mask.value(row) {
                                return (0, row);
                            }
                            next += 1;
                            (1, next - 1)
                        })
                        .collect();
                    let mixed = |(old, new): (&ArrayRef, &ArrayRef)| interleave(&[old.as_ref(), new.as_ref()], &places);
                    let arrays = batch.columns().iter().zip(rows.columns()).map(mixed).collect::<Result<_, _>>()?;
                    with_columns(&self.columns, arrays, batch.num_rows())?
                }
            };
        }
        Ok(batch)
    }

    fn with_values(&self, rows: &RecordBatch, values: &[(usize, ColumnExpression)]) -> Result<RecordBatch> {
        let mut arrays = rows.columns().to_vec();
        for (at, value) in values {
            arrays[*at] = self.evaluate(value, rows)?;
        }
        with_columns(&self.columns, arrays, rows.num_rows())
    }
}
