//! From a plan's rows into a table: streams, a queue, lanes, a commit.
//!
//! The plan runs in as many streams as it has; lanes of the table's writer take batches from one bounded queue, so that a
//! slow stream never idles a lane and a slow lane never grows the queue. Nothing is visible before all lanes have finished
//! and the writer commits; any failure on the way aborts the writer, which removes what was written.
//!
//! A lane works while it holds a permit. One INSERT has as many permits as lanes. The steps of a load share theirs: the
//! lanes of the next step begin as those of the step before finish, so that there are never more of them than of one.

use std::sync::Arc;

use arrow::array::RecordBatch;
use datafusion::execution::TaskContext;
use datafusion::physical_plan::ExecutionPlan;
use futures::future::{BoxFuture, FutureExt};
use futures::stream::{FuturesUnordered, StreamExt};
use gristmill_base::runtime::{self, Task};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::TableWriter;
use gristmill_introspect::QueryContext;
use gristmill_mergetree::measure::batch_bytes;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{Mutex, Semaphore};

use super::estimate::note_pace;

/// Lanes that an INSERT writes with: as set, else one a core; never more than the table takes.
pub(crate) fn lane_count(context: &QueryContext, lanes_max: usize) -> usize {
    let wanted = match context.settings.max_insert_threads {
        0 => context.threads(),
        threads => threads as usize,
    };
    wanted.clamp(1, 256).min(lanes_max).max(1)
}

/// Runs the plan into a table, or a table and its views: whole, or not at all.
pub(crate) async fn write_all(
    writer: Arc<dyn TableWriter>,
    plan: Arc<dyn ExecutionPlan>,
    task_context: Arc<TaskContext>,
    context: Arc<QueryContext>,
    lanes_max: usize,
) -> Result<()> {
    fill(&writer, plan, task_context, context.clone(), lanes_max).await?;
    commit(&writer, &context).await
}

/// Writes the rows of the plan; where that fails, what was written is removed. Nothing is visible yet.
pub(crate) async fn fill(
    writer: &Arc<dyn TableWriter>,
    plan: Arc<dyn ExecutionPlan>,
    task_context: Arc<TaskContext>,
    context: Arc<QueryContext>,
    lanes_max: usize,
) -> Result<()> {
    let lanes = lane_count(&context, writer.max_lanes().min(lanes_max));
    let written = async {
        let mut feeding = Feeding::start(writer, &plan, &task_context, &context, lanes, &Arc::new(Semaphore::new(lanes)));
        feeding.fed().await.map_err(Failure::into_error)?;
        feeding.finished().await?;
        context.check()?;
        writer.settle().await
    };
    let outcome = written.await;
    if outcome.is_err() {
        writer.abort().await;
    }
    outcome
}

/// Makes what was written visible.
pub(crate) async fn commit(writer: &Arc<dyn TableWriter>, context: &QueryContext) -> Result<()> {
    let outcome = writer.commit().await;
    match &outcome {
        Ok(()) => note_pace(context),
        Err(_) => writer.abort().await,
    }
    outcome
}

/// Where rows were lost.
pub(crate) enum Failure {
    /// While they were read and computed.
    Source(Error),
    /// While they were written.
    Lane(Error),
}

impl Failure {
    pub fn into_error(self) -> Error {
        match self {
            Failure::Source(error) | Failure::Lane(error) => error,
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Role {
    Source,
    Lane,
}

/// Streams and lanes at work; dropped, all of them end. The first failure ends the whole.
pub(crate) struct Feeding {
    ended: FuturesUnordered<BoxFuture<'static, (Role, Result<()>)>>,
    sources_left: usize,
}

impl Feeding {
    pub fn start(
        writer: &Arc<dyn TableWriter>,
        plan: &Arc<dyn ExecutionPlan>,
        task_context: &Arc<TaskContext>,
        context: &Arc<QueryContext>,
        lanes: usize,
        permits: &Arc<Semaphore>,
    ) -> Feeding {
        let ended = FuturesUnordered::new();
        let (sender, receiver) = channel::<RecordBatch>(lanes);
        let sources = plan.properties().partitioning.partition_count();
        for partition in 0..sources {
            let source = source(plan.clone(), partition, task_context.clone(), context.clone(), sender.clone());
            ended.push(task(Role::Source, source));
        }
        let receiver = Arc::new(Mutex::new(receiver));
        for _ in 0..lanes {
            let lane = lane(writer.clone(), context.clone(), receiver.clone(), permits.clone());
            ended.push(task(Role::Lane, lane));
        }
        Feeding { ended, sources_left: sources }
    }

    /// Waits until every row is in the queue or with a lane. May be dropped and called again.
    pub async fn fed(&mut self) -> Result<(), Failure> {
        while self.sources_left > 0 {
            match self.ended.next().await {
                Some((Role::Source, done)) => {
                    done.map_err(Failure::Source)?;
                    self.sources_left -= 1;
                }
                Some((Role::Lane, done)) => done.map_err(Failure::Lane)?,
                None => return Err(Failure::Lane(Error::logical("The streams of an INSERT vanished"))),
            }
        }
        Ok(())
    }

    /// Waits until every row is written.
    pub async fn finished(mut self) -> Result<()> {
        while let Some((_, done)) = self.ended.next().await {
            done?;
        }
        Ok(())
    }
}

fn task(role: Role, work: impl Future<Output = Result<()>> + Send + 'static) -> BoxFuture<'static, (Role, Result<()>)> {
    let task = Task::on(&runtime::cpu(), work);
    async move { (role, task.join().await.and_then(|done| done)) }.boxed()
}

async fn source(
    plan: Arc<dyn ExecutionPlan>,
    partition: usize,
    task_context: Arc<TaskContext>,
    context: Arc<QueryContext>,
    sender: Sender<RecordBatch>,
) -> Result<()> {
    let mut stream = plan.execute(partition, task_context)?;
    while let Some(batch) = context.cancellable(async { Ok(stream.next().await) }).await? {
        let batch = batch?;
        if batch.num_rows() > 0 && sender.send(batch).await.is_err() {
            // The lanes are gone: the one that failed tells why.
            return Ok(());
        }
    }
    Ok(())
}

async fn lane(
    writer: Arc<dyn TableWriter>,
    context: Arc<QueryContext>,
    receiver: Arc<Mutex<Receiver<RecordBatch>>>,
    permits: Arc<Semaphore>,
) -> Result<()> {
    let gone = |_| Error::new(ErrorCode::QUERY_WAS_CANCELLED, "Query was cancelled");
    let _permit = context.cancellable(async { permits.acquire_owned().await.map_err(gone) }).await?;
    let mut lane = writer.lane().await?;
    loop {
        let next = context.cancellable(async { Ok(receiver.lock().await.recv().await) }).await;
        match next? {
            Some(batch) => {
                let (rows, bytes) = (batch.num_rows() as u64, batch_bytes(&batch));
                lane.write(batch).await?;
                context.wrote(rows, bytes);
            }
            None => return lane.finish().await,
        }
    }
}
