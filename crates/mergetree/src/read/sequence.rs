//! Gives the rows of its input's streams one stream after the other. While one is given, those after it are read ahead, each
//! by a task of its own into a queue that is bounded in bytes, so that all threads work on an order that has one end.
//!
//! With a limit it begins with one stream, and reads one more at a time for each that was not enough: `LIMIT 10` reads no
//! more than it needs, and a condition that few rows pass is soon looked for by all threads.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use arrow::array::RecordBatch;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result as DataFusionResult, Statistics};
use datafusion::error::DataFusionError;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::execution_plan::EmissionType;
use datafusion::physical_plan::statistics::StatisticsArgs;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PhysicalExpr, PlanProperties};
use futures::StreamExt;
use gristmill_base::runtime::{self, Task};
use gristmill_base::{Error, Result};
use gristmill_introspect::QueryContext;
use gristmill_introspect::memory::MemoryGuard;
use gristmill_types::measure::batch_bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

/// Bytes that are read ahead of one stream, at most.
const AHEAD_BYTES: u64 = 32 << 20;
/// The share of the query's memory that is read ahead of all of them, at most.
const MEMORY_SHARE: u64 = 8;

pub struct SequenceExec {
    input: Arc<dyn ExecutionPlan>,
    fetch: Option<usize>,
    /// Streams of the input that are read at the same time.
    at_once: usize,
    properties: Arc<PlanProperties>,
}

impl SequenceExec {
    /// The rows of each stream of the input come before those of the next, in the input's order.
    pub fn new(input: Arc<dyn ExecutionPlan>, fetch: Option<usize>, at_once: usize) -> Self {
        let properties = PlanProperties::new(
            input.properties().eq_properties.clone(),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Incremental,
            input.properties().boundedness,
        );
        SequenceExec { input, fetch, at_once: at_once.max(1), properties: Arc::new(properties) }
    }
}

impl fmt::Debug for SequenceExec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_as(DisplayFormatType::Default, f)
    }
}

impl DisplayAs for SequenceExec {
    fn fmt_as(&self, _kind: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SequenceExec: streams={}", self.input.properties().partitioning.partition_count())?;
        self.fetch.map_or(Ok(()), |fetch| write!(f, ", fetch={fetch}"))
    }
}

impl ExecutionPlan for SequenceExec {
    fn name(&self) -> &str {
        "SequenceExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    /// Its streams are pieces of one order: others may not be put between.
    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn fetch(&self) -> Option<usize> {
        self.fetch
    }

    fn apply_expressions(
        &self,
        _f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> DataFusionResult<TreeNodeRecursion>,
    ) -> DataFusionResult<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        let input = children.into_iter().next().unwrap_or_else(|| self.input.clone());
        Ok(Arc::new(SequenceExec::new(input, self.fetch, self.at_once)))
    }

    fn execute(&self, _partition: usize, task: Arc<TaskContext>) -> DataFusionResult<SendableRecordBatchStream> {
        let context = QueryContext::of(&task)?;
        let limit = context.memory.limit_bytes();
        let share = if limit > 0 { limit / MEMORY_SHARE / self.at_once as u64 } else { AHEAD_BYTES };
        let reader = Reader {
            input: self.input.clone(),
            task,
            context,
            next: 0,
            running: VecDeque::new(),
            at_once: if self.fetch.is_some() { 1 } else { self.at_once },
            at_once_max: self.at_once,
            ahead_bytes: share.clamp(1 << 10, AHEAD_BYTES),
            left: self.fetch,
        };
        let batches = futures::stream::try_unfold(reader, |mut reader| async move {
            Ok::<_, DataFusionError>(reader.next_batch().await?.map(|batch| (batch, reader)))
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.input.schema(), batches)))
    }

    fn statistics_from_inputs(
        &self,
        _inputs: &[Arc<Statistics>],
        _args: &StatisticsArgs,
    ) -> DataFusionResult<Arc<Statistics>> {
        Ok(Arc::new(Statistics::new_unknown(&self.input.schema())))
    }
}

/// A batch that was read ahead, with what it holds of the bounds.
struct Ahead {
    batch: RecordBatch,
    _room: OwnedSemaphorePermit,
    _memory: MemoryGuard,
}

enum Stream {
    /// Read when its rows are asked for.
    Direct(SendableRecordBatchStream),
    /// Read by a task. The queue has no bound of its own: its bytes have one.
    Task(mpsc::UnboundedReceiver<DataFusionResult<Ahead>>, Option<Task<()>>),
}

struct Reader {
    input: Arc<dyn ExecutionPlan>,
    task: Arc<TaskContext>,
    context: Arc<QueryContext>,
    /// The input's stream that is begun next.
    next: usize,
    running: VecDeque<Stream>,
    at_once: usize,
    at_once_max: usize,
    ahead_bytes: u64,
    /// Rows that are still wanted.
    left: Option<usize>,
}

impl Reader {
    async fn next_batch(&mut self) -> DataFusionResult<Option<RecordBatch>> {
        loop {
            if self.left == Some(0) {
                self.running.clear();
                return Ok(None);
            }
            self.begin()?;
            let Some(current) = self.running.front_mut() else { return Ok(None) };
            let next = match current {
                Stream::Direct(stream) => stream.next().await.transpose()?,
                Stream::Task(receiver, task) => match receiver.recv().await {
                    Some(ahead) => Some(ahead?.batch),
                    // The queue closes when the task ends: by its last row, or by a panic, which must not look like the end.
                    None => {
                        if let Some(task) = task.take() {
                            task.join().await?;
                        }
                        None
                    }
                },
            };
            let Some(batch) = next else {
                self.running.pop_front();
                self.at_once = (self.at_once + 1).min(self.at_once_max);
                continue;
            };
            let rows = self.left.map_or(batch.num_rows(), |left| left.min(batch.num_rows()));
            self.left = self.left.map(|left| left - rows);
            if rows > 0 {
                return Ok(Some(batch.slice(0, rows)));
            }
        }
    }

    /// Begins streams until as many run as may.
    fn begin(&mut self) -> DataFusionResult<()> {
        let streams = self.input.properties().partitioning.partition_count();
        while self.running.len() < self.at_once && self.next < streams {
            let partition = self.next;
            self.next += 1;
            let rows = self.input.execute(partition, self.task.clone())?;
            self.running.push_back(if self.at_once == 1 { Stream::Direct(rows) } else { self.ahead(rows) });
        }
        Ok(())
    }

    fn ahead(&self, mut rows: SendableRecordBatchStream) -> Stream {
        let (sender, receiver) = mpsc::unbounded_channel();
        let (context, most) = (self.context.clone(), self.ahead_bytes);
        let room = Arc::new(Semaphore::new(most as usize));
        let task = Task::on(&runtime::cpu(), async move {
            while let Some(batch) = rows.next().await {
                let ahead = match batch {
                    Ok(batch) => kept(&context, &room, most, batch).await.map_err(DataFusionError::from),
                    Err(error) => Err(error),
                };
                let failed = ahead.is_err();
                if sender.send(ahead).is_err() || failed {
                    return;
                }
            }
        });
        Stream::Task(receiver, Some(task))
    }
}

/// Waits until there is room for the batch.
async fn kept(context: &Arc<QueryContext>, room: &Arc<Semaphore>, most: u64, batch: RecordBatch) -> Result<Ahead> {
    let bytes = batch_bytes(&batch);
    let permits = bytes.clamp(1, most) as u32;
    let room = room.clone();
    let room = context
        .cancellable(async {
            room.acquire_many_owned(permits).await.map_err(|error| Error::logical(format!("A queue of rows: {error}")))
        })
        .await?;
    Ok(Ahead { _memory: MemoryGuard::take(&context.memory, bytes)?, batch, _room: room })
}
