//! From a plan's rows into a table: streams, a queue, lanes, a commit.
//!
//! The plan runs in as many streams as it has; lanes of the table's writer take batches from one bounded queue, so that a
//! slow stream never idles a lane and a slow lane never grows the queue. Nothing is visible before all lanes have finished
//! and the writer commits; any failure on the way aborts the writer, which removes what was written.
//!
//! A lane works while it holds a permit. One INSERT has as many permits as lanes. The steps of a load share theirs: the
//! lanes of the next step begin as those of the step before finish, so that there are never more of them than of one.
//!
//! One lane begins; the others join when it has so much, or writes: a short INSERT makes one part, whichever stream or lane
//! happens to be faster. A writer may want more or fewer lanes while it works (the insert gear): a lane that is one too many
//! ends with its block, unless it is the last; one that is missing begins.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use arrow::array::RecordBatch;
use datafusion::execution::TaskContext;
use datafusion::physical_plan::ExecutionPlan;
use futures::future::{BoxFuture, FutureExt};
use futures::stream::{FuturesUnordered, StreamExt};
use gristmill_base::runtime::{self, Task};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::TableWriter;
use gristmill_introspect::{Event, QueryContext};
use gristmill_types::measure::batch_bytes;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{Mutex, Semaphore, watch};
use tokio::time::MissedTickBehavior;

use super::estimate::note_pace;
use crate::measured::PlanRun;

/// Lanes that an INSERT begins with: as set, else one a core; never more than the table takes.
pub(crate) fn lane_count(context: &QueryContext, lanes_max: usize) -> usize {
    let wanted = match context.settings.max_insert_threads {
        0 => context.threads(),
        threads => threads as usize,
    };
    wanted.clamp(1, 256).min(lanes_max).max(1)
}

/// The permits of the lanes of one INSERT, or of all steps of a load.
pub(crate) struct LanePool {
    permits: Arc<Semaphore>,
    lanes: AtomicUsize,
    lanes_max: usize,
}

impl LanePool {
    pub fn new(context: &QueryContext, lanes_max: usize) -> Arc<LanePool> {
        let lanes = lane_count(context, lanes_max);
        Arc::new(LanePool { permits: Arc::new(Semaphore::new(lanes)), lanes: AtomicUsize::new(lanes), lanes_max })
    }

    /// Lanes that work, or wait to.
    fn lanes(&self) -> usize {
        self.lanes.load(Ordering::SeqCst)
    }

    /// Whether there is one lane more from now on.
    fn grow(&self, wanted: usize) -> bool {
        let wanted = wanted.min(self.lanes_max);
        let grown = self.lanes.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |now| (now < wanted).then_some(now + 1));
        if grown.is_ok() {
            self.permits.add_permits(1);
        }
        grown.is_ok()
    }

    /// Whether the lane that asks is to end.
    fn shrink(&self, wanted: usize) -> bool {
        let shrunk = |now| (now > wanted.max(1)).then(|| now - 1);
        self.lanes.fetch_update(Ordering::SeqCst, Ordering::SeqCst, shrunk).is_ok()
    }
}

/// Bytes of rows that one lane takes before another joins it.
const JOIN_BYTES: u64 = 16 << 20;

/// How often a writer is asked whether it wants another lane.
const ASK_EVERY: Duration = Duration::from_millis(500);

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
    let pool = LanePool::new(&context, writer.max_lanes().min(lanes_max));
    let written = async {
        let mut feeding = Feeding::start(writer, &plan, &task_context, &context, &pool);
        feeding.fed().await.map_err(Failure::into_error)?;
        feeding.finished().await
    };
    let written = written.await;
    settled(writer, &context, written).await
}

/// Writes rows that are in memory, in the columns that the table stores, as one block; where that fails, what was written is
/// removed. Nothing is visible yet.
pub(crate) async fn fill_from_memory(
    writer: &Arc<dyn TableWriter>,
    batches: Vec<RecordBatch>,
    context: Arc<QueryContext>,
) -> Result<()> {
    let (to, of) = (writer.clone(), context.clone());
    let work = async move {
        let mut lane = to.lane().await?;
        for batch in batches.into_iter().filter(|batch| batch.num_rows() > 0) {
            let (rows, bytes) = (batch.num_rows() as u64, batch_bytes(&batch));
            lane.write(batch).await?;
            of.wrote(rows, bytes);
        }
        lane.finish().await
    };
    let written = Task::on(&runtime::cpu(), work).join().await.and_then(|done| done);
    settled(writer, &context, written).await
}

/// Settles what was written; where that or the writing fails, all of it is removed.
async fn settled(writer: &Arc<dyn TableWriter>, context: &QueryContext, written: Result<()>) -> Result<()> {
    let settle = async {
        written?;
        context.check()?;
        writer.settle().await
    };
    let outcome = settle.await;
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
    /// Told of when it is over.
    _running: Option<PlanRun>,
    ended: FuturesUnordered<BoxFuture<'static, (Role, Result<()>)>>,
    sources_left: usize,
    lanes: LanesShared,
}

/// What the lanes of one writer share.
#[derive(Clone)]
struct LanesShared {
    writer: Arc<dyn TableWriter>,
    context: Arc<QueryContext>,
    receiver: Arc<Mutex<Receiver<RecordBatch>>>,
    pool: Arc<LanePool>,
    /// Lanes that take rows: the last one stays to the end.
    at_work: Arc<AtomicUsize>,
    join: Arc<Join>,
}

/// When lanes join the first.
struct Join {
    has_begun: AtomicBool,
    /// Bytes that the first lane took.
    taken: AtomicU64,
    now: watch::Sender<bool>,
}

impl Join {
    fn new() -> Join {
        Join { has_begun: AtomicBool::new(false), taken: AtomicU64::new(0), now: watch::Sender::new(false) }
    }

    /// One lane goes on at once, the others when it is time.
    async fn turn(&self) {
        if self.has_begun.swap(true, Ordering::SeqCst) {
            // The sender lives as long as `self`.
            let _ = self.now.subscribe().wait_for(|now| *now).await;
        }
    }

    /// A lane took rows; `is_busy`: and is writing.
    fn took(&self, bytes: u64, is_busy: bool) {
        let taken = self.taken.fetch_add(bytes, Ordering::SeqCst) + bytes;
        if is_busy || taken >= JOIN_BYTES {
            self.all();
        }
    }

    fn all(&self) {
        self.now.send_if_modified(|now| !std::mem::replace(now, true));
    }
}

impl Feeding {
    pub fn start(
        writer: &Arc<dyn TableWriter>,
        plan: &Arc<dyn ExecutionPlan>,
        task_context: &Arc<TaskContext>,
        context: &Arc<QueryContext>,
        pool: &Arc<LanePool>,
    ) -> Feeding {
        let ended = FuturesUnordered::new();
        let count = pool.lanes();
        let (sender, receiver) = channel::<RecordBatch>(count);
        let sources = plan.properties().partitioning.partition_count();
        for partition in 0..sources {
            let source = source(plan.clone(), partition, task_context.clone(), context.clone(), sender.clone());
            ended.push(task(Role::Source, source));
        }
        let lanes = LanesShared {
            writer: writer.clone(),
            context: context.clone(),
            receiver: Arc::new(Mutex::new(receiver)),
            pool: pool.clone(),
            at_work: Arc::default(),
            join: Arc::new(Join::new()),
        };
        for _ in 0..count {
            ended.push(task(Role::Lane, lane(lanes.clone())));
        }
        Feeding { _running: PlanRun::begin(plan, context), ended, sources_left: sources, lanes }
    }

    /// Waits until every row is in the queue or with a lane. May be dropped and called again.
    pub async fn fed(&mut self) -> Result<(), Failure> {
        let mut ask = tokio::time::interval(ASK_EVERY);
        ask.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while self.sources_left > 0 {
            let ended = tokio::select! {
                biased;
                ended = self.ended.next() => ended,
                _ = ask.tick() => {
                    if self.lanes.writer.lanes().is_some_and(|wanted| self.lanes.pool.grow(wanted)) {
                        self.ended.push(task(Role::Lane, lane(self.lanes.clone())));
                    }
                    continue;
                }
            };
            match ended {
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
        if batch.num_rows() == 0 {
            continue;
        }
        let sent = match sender.try_send(batch) {
            Err(TrySendError::Full(batch)) => {
                let sent = sender.send(batch);
                let waited = Waited::begin(&context, Event::InsertRowsWaitedForLanesMicroseconds);
                let sent = sent.await;
                drop(waited);
                sent.is_ok()
            }
            sent => sent.is_ok(),
        };
        if !sent {
            // The lanes are gone: the one that failed tells why.
            return Ok(());
        }
    }
    Ok(())
}

/// Counts a time of waiting.
struct Waited<'a> {
    context: &'a QueryContext,
    event: Event,
    begun: Instant,
}

impl<'a> Waited<'a> {
    fn begin(context: &'a QueryContext, event: Event) -> Self {
        Waited { context, event, begun: context.env.instant() }
    }
}

impl Drop for Waited<'_> {
    fn drop(&mut self) {
        let waited = self.context.env.instant().saturating_duration_since(self.begun);
        self.context.counters.add(self.event, waited.as_micros() as u64);
    }
}

async fn lane(shared: LanesShared) -> Result<()> {
    let LanesShared { writer, context, receiver, pool, at_work, join } = shared;
    let turn = async {
        join.turn().await;
        Ok(())
    };
    context.cancellable(turn).await?;
    let gone = |_| Error::new(ErrorCode::QUERY_WAS_CANCELLED, "Query was cancelled");
    let permits = pool.permits.clone();
    let permit = context.cancellable(async { permits.acquire_owned().await.map_err(gone) }).await?;
    at_work.fetch_add(1, Ordering::SeqCst);
    let mut lane = writer.lane().await?;
    loop {
        let next = {
            // A lane whose block is being written is no lane too many.
            let is_idle = !lane.is_writing();
            let _waited = is_idle.then(|| Waited::begin(&context, Event::InsertLanesWaitedForRowsMicroseconds));
            context.cancellable(async { Ok(receiver.lock().await.recv().await) }).await?
        };
        let Some(batch) = next else {
            join.all();
            return lane.finish().await;
        };
        let (rows, bytes) = (batch.num_rows() as u64, batch_bytes(&batch));
        lane.write(batch).await?;
        context.wrote(rows, bytes);
        join.took(bytes, lane.is_writing());
        let Some(wanted) = writer.lanes().filter(|wanted| pool.lanes() > *wanted) else { continue };
        let leave = |now: usize| (now > 1).then(|| now - 1);
        if at_work.fetch_update(Ordering::SeqCst, Ordering::SeqCst, leave).is_err() {
            continue;
        }
        if pool.shrink(wanted) {
            lane.finish().await?;
            permit.forget();
            return Ok(());
        }
        at_work.fetch_add(1, Ordering::SeqCst);
    }
}
