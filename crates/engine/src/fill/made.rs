//! Rows on their way out: those of the input by their place in it, those that are made by the values of their keys.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, RecordBatch};
use arrow::compute::{concat, interleave};
use arrow::datatypes::SchemaRef;
use datafusion::common::{Result, ScalarValue};
use datafusion::physical_plan::PhysicalExpr;

use super::cursor::KeyRow;
use super::values;

/// What each column of a made row is.
pub enum Source {
    /// The value of that key.
    Key(usize),
    /// That of the rows around it, which are equal in it.
    Prefix,
    /// Computed of the row before.
    Computed(Arc<dyn PhysicalExpr>),
    Default,
}

/// The row that a made row has the columns of the prefix from.
#[derive(Clone, Copy)]
pub enum Beside {
    Row(usize),
    /// The last row of the rows before.
    Last,
    Nothing,
}

#[derive(Clone, Copy)]
enum Pick {
    Row(usize),
    Made(usize, Beside),
}

pub struct Made {
    schema: SchemaRef,
    sources: Vec<Source>,
    /// An array of one value for each column.
    defaults: Vec<ArrayRef>,
    interpolates: bool,
    picks: Vec<Pick>,
    keys: Vec<KeyRow>,
    /// One array of one value for each column that is computed and each made row.
    computed: Vec<Vec<ArrayRef>>,
    /// The last row that went out before those that are gathered.
    previous: Option<RecordBatch>,
    /// The last row of the rows before: where `Beside::Last` points to.
    last: Option<RecordBatch>,
}

impl Made {
    pub fn new(schema: SchemaRef, sources: Vec<Source>, defaults: &[ScalarValue]) -> Result<Made> {
        let interpolates = sources.iter().any(|source| matches!(source, Source::Computed(_)));
        let columns = defaults.iter().zip(schema.fields());
        let defaults = columns
            .map(|(value, field)| Ok(arrow::compute::cast(&value.to_array_of_size(1)?, field.data_type())?))
            .collect::<Result<_>>()?;
        Ok(Made {
            schema,
            sources,
            defaults,
            interpolates,
            picks: Vec::new(),
            keys: Vec::new(),
            computed: Vec::new(),
            previous: None,
            last: None,
        })
    }

    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    pub fn len(&self) -> usize {
        self.picks.len()
    }

    pub fn has_last(&self) -> bool {
        self.last.is_some()
    }

    pub fn set_last(&mut self, row: RecordBatch) {
        self.last = Some(row);
    }

    /// Gives a row of the input.
    pub fn copy(&mut self, row: usize) {
        self.picks.push(Pick::Row(row));
    }

    /// Makes a row. `input`: where rows that are gathered lie.
    pub fn make(&mut self, keys: &KeyRow, beside: Beside, input: &RecordBatch) -> Result<()> {
        if self.interpolates {
            let before = match self.picks.last() {
                Some(pick) => self.row(*pick, input)?,
                None => match &self.previous {
                    Some(row) => row.clone(),
                    None => RecordBatch::try_new(self.schema.clone(), self.defaults.clone())?,
                },
            };
            let computed = self.sources.iter().filter_map(|source| match source {
                Source::Computed(expr) => Some(expr.evaluate(&before).and_then(|value| value.into_array(1))),
                _ => None,
            });
            let computed = computed.collect::<Result<Vec<_>>>()?;
            self.computed.push(computed);
        }
        self.picks.push(Pick::Made(self.keys.len(), beside));
        self.keys.push(keys.clone());
        Ok(())
    }

    /// A row that is gathered, by itself.
    fn row(&self, pick: Pick, input: &RecordBatch) -> Result<RecordBatch> {
        match pick {
            Pick::Row(row) => Ok(RecordBatch::try_new(self.schema.clone(), input.slice(row, 1).columns().to_vec())?),
            pick => self.batch(&[pick], input),
        }
    }

    /// What was gathered, and forgets it. `input`: where its rows lie.
    pub fn take(&mut self, input: &RecordBatch) -> Result<RecordBatch> {
        let batch = self.batch(&self.picks, input)?;
        if batch.num_rows() > 0 {
            self.previous = Some(batch.slice(batch.num_rows() - 1, 1));
        }
        self.picks.clear();
        self.keys.clear();
        self.computed.clear();
        Ok(batch)
    }

    fn batch(&self, picks: &[Pick], input: &RecordBatch) -> Result<RecordBatch> {
        let (mut nth_computed, mut columns) = (0, Vec::with_capacity(self.sources.len()));
        for (at, source) in self.sources.iter().enumerate() {
            let (of_input, default) = (input.column(at).as_ref(), self.defaults[at].as_ref());
            // Of rows that are made.
            let made: Option<ArrayRef> = match source {
                Source::Key(key) => {
                    let values = self.keys.iter().map(|row| row[*key]);
                    Some(values::array(values, self.schema.field(at))?)
                }
                Source::Computed(_) => {
                    let values: Vec<&dyn Array> = self.computed.iter().map(|row| row[nth_computed].as_ref()).collect();
                    nth_computed += 1;
                    (!values.is_empty()).then(|| concat(&values)).transpose()?
                }
                Source::Prefix => self.last.as_ref().map(|row| row.column(at).clone()),
                Source::Default => None,
            };
            let sides = [of_input, default, made.as_deref().unwrap_or(default)];
            let places: Vec<(usize, usize)> = picks
                .iter()
                .map(|pick| match (*pick, source) {
                    (Pick::Row(row), _) | (Pick::Made(_, Beside::Row(row)), Source::Prefix) => (0, row),
                    (Pick::Made(_, Beside::Last), Source::Prefix) => (2, 0),
                    (Pick::Made(made, _), Source::Key(_) | Source::Computed(_)) => (2, made),
                    (Pick::Made(..), _) => (1, 0),
                })
                .collect();
            columns.push(interleave(&sides, &places)?);
        }
        Ok(RecordBatch::try_new(self.schema.clone(), columns)?)
    }
}
