//! The operator of WITH FILL: rows in their order go through, with those between that are missing.
//!
//! Rows that are equal in the prefix (the keys before the first that is filled) are filled by themselves. A batch goes out as soon as it
//! is as large as others are, so that a range without end needs no more memory than one that is short.

use std::fmt;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::datatypes::SchemaRef;
use arrow::row::{OwnedRow, RowConverter, SortField};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, ScalarValue};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, LexOrdering, OrderingRequirements};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchReceiverStreamBuilder;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, Distribution, ExecutionPlan, Partitioning, PhysicalExpr, PlanProperties,
};
use futures::StreamExt;
use gristmill_sql::lower::fill::Number;
use tokio::sync::mpsc::Sender;

use super::cursor::{Cursor, CursorKey, KeyRow, Next};
use super::made::{Beside, Made, Source};
use super::values::{Value, array, values};

/// A step as it is computed.
#[derive(Clone, Debug)]
pub enum PhysicalStep {
    Add(Number),
    /// Over one column, of the key's type.
    Shift(Arc<dyn PhysicalExpr>),
}

#[derive(Clone, Debug)]
pub struct PhysicalKey {
    /// The column of its values.
    pub column: usize,
    pub kind: String,
    pub bounds: Option<(i128, i128)>,
    pub descending: bool,
    pub from: Option<Number>,
    pub to: Option<Number>,
    pub step: PhysicalStep,
    pub staleness: Option<PhysicalStep>,
}

#[derive(Clone, Debug)]
pub struct FillExec {
    pub input: Arc<dyn ExecutionPlan>,
    pub ordering: Option<LexOrdering>,
    pub prefix: Vec<usize>,
    pub keys: Vec<PhysicalKey>,
    pub interpolated: Vec<(usize, Arc<dyn PhysicalExpr>)>,
    pub defaults: Vec<ScalarValue>,
    properties: Arc<PlanProperties>,
}

impl FillExec {
    /// `schema`: that of the input, but that more columns may be NULL.
    pub fn new(
        input: Arc<dyn ExecutionPlan>,
        schema: SchemaRef,
        ordering: Option<LexOrdering>,
        prefix: Vec<usize>,
        keys: Vec<PhysicalKey>,
        interpolated: Vec<(usize, Arc<dyn PhysicalExpr>)>,
        defaults: Vec<ScalarValue>,
    ) -> FillExec {
        let properties = Arc::new(PlanProperties::new(
            EquivalenceProperties::new(schema),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Incremental,
            Boundedness::Bounded,
        ));
        FillExec { input, ordering, prefix, keys, interpolated, defaults, properties }
    }

    fn filler(&self, batch_rows: usize, out: Sender<Result<RecordBatch>>) -> Result<Filler> {
        let schema = self.schema();
        let of = |key: &PhysicalKey| schema.field(key.column).clone();
        let keys = self
            .keys
            .iter()
            .map(|key| CursorKey {
                from: key.from.map(Value::of),
                to: key.to.map(Value::of),
                next: next(&key.step, &of(key)),
                adds: match &key.step {
                    PhysicalStep::Add(number) => Some(Value::of(*number)),
                    PhysicalStep::Shift(_) => None,
                },
                staleness: key.staleness.as_ref().map(|step| next(step, &of(key))),
                descending: key.descending,
                kind: key.kind.clone(),
                bounds: key.bounds,
            })
            .collect();
        let sources = (0..schema.fields().len())
            .map(|column| {
                if let Some(key) = self.keys.iter().position(|key| key.column == column) {
                    return Source::Key(key);
                }
                match self.interpolated.iter().find(|(at, _)| *at == column) {
                    Some((_, expr)) => Source::Computed(expr.clone()),
                    None if self.prefix.contains(&column) => Source::Prefix,
                    None => Source::Default,
                }
            })
            .collect();
        let fields = self.prefix.iter().map(|column| SortField::new(schema.field(*column).data_type().clone()));
        Ok(Filler {
            cursor: Cursor::new(keys),
            made: Made::new(schema.clone(), sources, &self.defaults)?,
            prefixes: RowConverter::new(fields.collect())?,
            prefix: self.prefix.clone(),
            keys: self.keys.iter().map(|key| key.column).collect(),
            has_begun: false,
            before: None,
            batch_rows,
            out,
        })
    }
}

fn next(step: &PhysicalStep, field: &arrow::datatypes::Field) -> Next {
    match step {
        PhysicalStep::Add(number) => {
            let number = Value::of(*number);
            Box::new(move |value| Ok(value.plus(number)))
        }
        PhysicalStep::Shift(expr) => {
            let schema = Arc::new(arrow::datatypes::Schema::new(vec![field.clone().with_nullable(false)]));
            let expr = expr.clone();
            Box::new(move |value| {
                let column = array(std::iter::once(Some(value)), schema.field(0))?;
                let shifted = expr.evaluate(&RecordBatch::try_new(schema.clone(), vec![column])?)?.into_array(1)?;
                // Without a value there is no next one, which the cursor takes for a step that does not advance.
                Ok(values(&shifted)?.first().copied().flatten().unwrap_or(value))
            })
        }
    }
}

impl DisplayAs for FillExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let schema = self.schema();
        let names: Vec<&str> = self.keys.iter().map(|key| schema.field(key.column).name().as_str()).collect();
        write!(f, "FillExec: keys=[{}]", names.join(", "))
    }
}

impl ExecutionPlan for FillExec {
    fn name(&self) -> &str {
        "FillExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn required_input_distribution(&self) -> Vec<Distribution> {
        vec![Distribution::SinglePartition]
    }

    fn required_input_ordering(&self) -> Vec<Option<OrderingRequirements>> {
        vec![self.ordering.clone().map(OrderingRequirements::from)]
    }

    fn apply_expressions(
        &self,
        visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        for (_, expr) in &self.interpolated {
            if visit(expr)? == TreeNodeRecursion::Stop {
                return Ok(TreeNodeRecursion::Stop);
            }
        }
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(self: Arc<Self>, mut children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let input = children.pop().unwrap_or_else(|| self.input.clone());
        Ok(Arc::new(FillExec { input, ..self.as_ref().clone() }))
    }

    fn execute(&self, _: usize, task: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let input = self.input.execute(0, task.clone())?;
        let mut builder = RecordBatchReceiverStreamBuilder::new(self.schema(), 2);
        let filler = self.filler(task.session_config().batch_size(), builder.tx())?;
        builder.spawn(filler.run(input));
        Ok(builder.build())
    }
}

struct Filler {
    cursor: Cursor,
    made: Made,
    prefixes: RowConverter,
    prefix: Vec<usize>,
    keys: Vec<usize>,
    /// Whether there was a row, and its prefix, if rows have one.
    has_begun: bool,
    before: Option<OwnedRow>,
    batch_rows: usize,
    out: Sender<Result<RecordBatch>>,
}

/// Whoever reads is gone.
struct Gone;

type Filled = Result<std::result::Result<(), Gone>>;

/// Goes on while there is a reader.
macro_rules! wanted {
    ($step:expr) => {
        match $step? {
            Ok(()) => {}
            Err(Gone) => return Ok(Err(Gone)),
        }
    };
}

impl Filler {
    async fn run(mut self, mut input: SendableRecordBatchStream) -> Result<()> {
        while let Some(batch) = input.next().await {
            let batch = batch?;
            if batch.num_rows() > 0 && self.batch(&batch).await?.is_err() {
                return Ok(());
            }
        }
        if !self.has_begun {
            self.cursor.begin_without_rows();
        }
        let nothing = RecordBatch::new_empty(self.made.schema());
        if self.suffix(&nothing).await?.is_ok() {
            self.flush(&nothing).await?.ok();
        }
        Ok(())
    }

    async fn batch(&mut self, batch: &RecordBatch) -> Filled {
        let columns: Vec<ArrayRef> = self.prefix.iter().map(|column| batch.column(*column).clone()).collect();
        let prefixes: Vec<OwnedRow> = if columns.is_empty() {
            Vec::new()
        } else {
            self.prefixes.convert_columns(&columns)?.iter().map(|row| row.owned()).collect()
        };
        let values = self.keys.iter().map(|column| values(batch.column(*column))).collect::<Result<Vec<_>>>()?;
        let key_row = |row: usize| -> KeyRow { values.iter().map(|values| values[row]).collect() };
        for row in 0..batch.num_rows() {
            let current = key_row(row);
            if !self.has_begun || self.before.as_ref() != prefixes.get(row) {
                if self.has_begun {
                    if row > 0 {
                        self.made.set_last(batch.slice(row - 1, 1));
                    }
                    wanted!(self.suffix(batch).await);
                }
                if self.cursor.begin(&current) {
                    self.make(Beside::Row(row), batch)?;
                }
                self.cursor.limit_staleness(&current)?;
            }
            (self.has_begun, self.before) = (true, prefixes.get(row).cloned());
            wanted!(self.up_to(&current, row, batch).await);
            self.made.copy(row);
            wanted!(self.flush_full(batch).await);
        }
        wanted!(self.flush(batch).await);
        self.made.set_last(batch.slice(batch.num_rows() - 1, 1));
        Ok(Ok(()))
    }

    /// What is missing before a row.
    async fn up_to(&mut self, current: &KeyRow, row: usize, batch: &RecordBatch) -> Filled {
        if self.cursor.come_to(current) {
            self.make(Beside::Row(row), batch)?;
        }
        let mut moved = false;
        while self.cursor.advance(&mut moved)? {
            self.make(Beside::Row(row), batch)?;
            moved = false;
            wanted!(self.flush_full(batch).await);
        }
        if self.cursor.has_staleness() {
            self.cursor.limit_staleness(current)?;
            let out = self.out.clone();
            while self.cursor.jump(&mut moved, &|| !out.is_closed())? {
                loop {
                    self.make(Beside::Row(row), batch)?;
                    moved = false;
                    wanted!(self.flush_full(batch).await);
                    if !self.cursor.advance(&mut moved)? {
                        break;
                    }
                }
            }
        }
        if moved {
            self.cursor.is_given = false;
        }
        Ok(Ok(()))
    }

    /// What is missing behind the last row.
    async fn suffix(&mut self, batch: &RecordBatch) -> Filled {
        let beside = if self.made.has_last() { Beside::Last } else { Beside::Nothing };
        let Some(gives_first) = self.cursor.come_to_end() else { return Ok(Ok(())) };
        if gives_first {
            self.make(beside, batch)?;
        }
        let mut moved = false;
        while self.cursor.advance(&mut moved)? {
            self.make(beside, batch)?;
            moved = false;
            wanted!(self.flush_full(batch).await);
        }
        // Made rows point to the row that `Beside::Last` is now.
        wanted!(self.flush(batch).await);
        if moved {
            self.cursor.is_given = false;
        }
        Ok(Ok(()))
    }

    fn make(&mut self, beside: Beside, batch: &RecordBatch) -> Result<()> {
        self.made.make(&self.cursor.row, beside, batch)?;
        self.cursor.is_given = true;
        Ok(())
    }

    async fn flush_full(&mut self, batch: &RecordBatch) -> Filled {
        if self.made.len() < self.batch_rows { Ok(Ok(())) } else { self.flush(batch).await }
    }

    async fn flush(&mut self, batch: &RecordBatch) -> Filled {
        if self.made.len() == 0 {
            return Ok(Ok(()));
        }
        let rows = self.made.take(batch)?;
        Ok(self.out.send(Ok(rows)).await.map_err(|_| Gone))
    }
}
