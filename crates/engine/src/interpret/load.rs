//! A load that can be run again: `INSERT INTO t SELECT … FROM s3('…') SETTINGS load_id = '…'`.
//!
//! The files are taken in steps (`load_steps`). For each step the plan is narrowed to its row groups, run into a writer of
//! its own, and committed together with what it says of the files. A run that is killed leaves whole steps; the next asks
//! the table's ledger and brings the rest.
//!
//! Steps overlap, so that no core idles between them: when the rows of a step are all with the lanes, the next step begins
//! to read, and gets the lanes one by one as they finish (`insert_lanes`). Commits go in the order of steps.
//!
//! With `load_on_error = 'skip_file'` a step whose rows cannot be read is given up before it is committed, and run again in
//! halves until the file is found; its error is noted with the next commit.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use datafusion::execution::TaskContext;
use datafusion::physical_plan::ExecutionPlan;
use futures::future::{BoxFuture, FutureExt};
use gristmill_base::runtime::{self, Task};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::{LoadRequest, LoadWriter, LoadedGroups, Table, TableLoad, TableWriter};
use gristmill_introspect::{Event, QueryContext, Settings};
use gristmill_sources::object::load::LoadSource;
use gristmill_sources::object::step::ScanStep;
use gristmill_sql::ast::StarStep;
use gristmill_sql::statement::{Insert, InsertColumn, InsertSource};
use sqlparser::ast::{Query, SetExpr, TableFactor};

use super::estimate::note_pace;
use super::insert_lanes::{Failure, Feeding, LanePool, lane_count};
use super::load_steps::{OnError, Step, Steps, failure, is_of_file};
use crate::measured;
use crate::views::Shape;
use crate::views::load::LoadWithViews;

/// Full blocks of a lane in one commit: the last block of each lane is smaller, so few blocks would make small parts.
const BLOCKS_OF_A_LANE: u64 = 4;

/// The load that an INSERT is, where its settings name one. Errors: INCORRECT_QUERY, NOT_IMPLEMENTED where it cannot be
/// taken up again; BAD_ARGUMENTS where it has no name and is to leave files out. (An insert under a deduplication token that
/// cannot be taken up again is one commit.)
pub(crate) fn planned(
    insert: &Insert,
    table: &Arc<dyn Table>,
    plan: &Arc<dyn ExecutionPlan>,
    context: &Arc<QueryContext>,
) -> Result<Option<(LoadRequest, Arc<LoadSource>)>> {
    let settings = &context.settings;
    let token = settings.insert_deduplication_token.as_str();
    let has_token = settings.insert_deduplicate && !token.is_empty();
    let id = match settings.load_id.as_str() {
        "" if !has_token => return check_leaves_nothing_out(table, plan, context).map(|()| None),
        "" => token,
        id => id,
    };
    let refused = |code, what: String| if settings.load_id.is_empty() { Ok(None) } else { Err(Error::new(code, what)) };
    if !table.keeps_load_ledger() {
        return refused(ErrorCode::NOT_IMPLEMENTED, table.unsupported("load_id").message());
    }
    let InsertSource::Query { query, .. } = &insert.source else {
        return refused(ErrorCode::INCORRECT_QUERY, not_by_file("data that comes with the statement"));
    };
    if settings.may_break_off() {
        let what = if settings.breaks_off_in_time() { "timeout_overflow_mode" } else { "read_overflow_mode" };
        return refused(ErrorCode::INCORRECT_QUERY, not_by_file(&format!("{what} = 'break'")));
    }
    if !settings.load_id.is_empty() && has_token && settings.load_id != token {
        let text = "load_id and insert_deduplication_token name this insert differently: give one of them";
        return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
    }
    match LoadSource::of(plan, context)? {
        Ok(source) => {
            let request = LoadRequest { id: id.to_string(), query: digest(insert, query), is_token: has_token };
            Ok(Some((request, source)))
        }
        Err(obstacle) => refused(ErrorCode::INCORRECT_QUERY, not_by_file(obstacle)),
    }
}

/// An INSERT without a name is one commit: it has no ledger that would tell which files are not in it. Errors: BAD_ARGUMENTS
/// where it is to leave files out all the same.
fn check_leaves_nothing_out(
    table: &Arc<dyn Table>,
    plan: &Arc<dyn ExecutionPlan>,
    context: &Arc<QueryContext>,
) -> Result<()> {
    let skips_files = matches!(OnError::of(&context.settings.load_on_error), Ok(OnError::SkipFile));
    // Other INSERTs may have the setting from their session, and have no file to leave out.
    if !skips_files || !table.keeps_load_ledger() || LoadSource::of(plan, context)?.is_err() {
        return Ok(());
    }
    let text = "load_on_error = 'skip_file' goes with a load_id, whose ledger tells which files were left out: give the \
                load a name (SETTINGS load_id = 'posts-2024'). Without one the INSERT is one commit, whole or not at all, \
                and load_on_error has to be 'abort'";
    Err(Error::new(ErrorCode::BAD_ARGUMENTS, text))
}

fn not_by_file(obstacle: &str) -> String {
    format!(
        "load_id takes a SELECT with columns, expressions and WHERE from one source of files, and this one has {obstacle}: \
         what was loaded could not be told by file. Without load_id the INSERT is one commit"
    )
}

/// What the load makes of rows: the statement without where the files are and with which keys they are read.
fn digest(insert: &Insert, query: &Query) -> String {
    let mut query = query.clone();
    (query.settings, query.format_clause) = (None, None);
    if let SetExpr::Select(select) = query.body.as_mut() {
        for from in &mut select.from {
            match &mut from.relation {
                TableFactor::Table { args, .. } => *args = None,
                TableFactor::Function { args, .. } => args.clear(),
                _ => {}
            }
        }
    }
    let text = format!("{} {query}", listed(insert));
    format!("{:032x}", u128::from_be_bytes(gristmill_functions::hash::sip_128(text.as_bytes())))
}

/// The list of columns in the text that digests are made of, which ledgers have kept since a list had names, or EXCEPT alone.
fn listed(insert: &Insert) -> String {
    let Some(columns) = &insert.columns else { return "None []".to_string() };
    if let [InsertColumn::Chosen(star)] = &columns[..]
        && star.qualifier.is_empty()
        && star.columns.is_none()
    {
        match &star.steps[..] {
            [] => return "None []".to_string(),
            [StarStep::Except { names, .. }] => return format!("None {names:?}"),
            _ => {}
        }
    }
    let names = columns.iter().map(|column| match column {
        InsertColumn::Named(parts) => Some(parts.join(".")),
        InsertColumn::Chosen(_) => None,
    });
    match names.collect::<Option<Vec<String>>>() {
        Some(names) => format!("{:?} []", Some(names)),
        None => format!("{columns:?}"),
    }
}

/// A load that was planned.
pub(crate) struct LoadRun {
    pub shape: Arc<Shape>,
    pub plan: Arc<dyn ExecutionPlan>,
    pub source: Arc<LoadSource>,
    pub task_context: Arc<TaskContext>,
    pub context: Arc<QueryContext>,
    pub request: LoadRequest,
}

/// A step whose rows are being read.
struct Running {
    step: Step,
    scan: Arc<ScanStep>,
    writer: Arc<dyn LoadWriter>,
    feeding: Feeding,
}

/// The end of a step: lanes, then the commit.
type Finishing = BoxFuture<'static, Result<()>>;

impl LoadRun {
    pub async fn run(self) -> Result<()> {
        let load = LoadWithViews::begin(self.shape.clone(), &self.context, &self.request).await?;
        let _until_here = Ends(load.clone());
        if load.has_ended() {
            return Ok(());
        }
        let settings = &self.context.settings;
        let on_error = OnError::of(&settings.load_on_error)?;
        let lanes = lane_count(&self.context, usize::MAX);
        let step_bytes = step_bytes(settings, lanes);
        let steps = Steps::begin(self.source.clone(), load.clone(), on_error, step_bytes, self.context.clone());
        let pool = LanePool::new(&self.context, usize::MAX);
        let driver = Driver {
            run: self,
            load,
            on_error,
            pool,
            steps,
            again: VecDeque::new(),
            failed: HashSet::new(),
            unnoted: Vec::new(),
            finishing: None,
        };
        driver.drive().await
    }
}

/// Ends the run, however it goes.
struct Ends(Arc<dyn TableLoad>);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Bytes, as they lie in memory, that one commit takes.
pub(crate) fn step_bytes(settings: &Settings, lanes: usize) -> u64 {
    match (settings.load_commit_bytes, settings.min_insert_block_size_bytes) {
        (0, 0) => 256 << 20,
        (0, block) => block.saturating_mul(BLOCKS_OF_A_LANE).saturating_mul(lanes as u64),
        (bytes, _) => bytes,
    }
}

struct Driver {
    run: LoadRun,
    load: Arc<dyn TableLoad>,
    on_error: OnError,
    pool: Arc<LanePool>,
    steps: Steps,
    /// Halves of a step that failed.
    again: VecDeque<Step>,
    /// Paths of files that this run left out: later steps leave them out too.
    failed: HashSet<String>,
    /// Those that no commit tells of yet.
    unnoted: Vec<LoadedGroups>,
    finishing: Option<Finishing>,
}

impl Driver {
    async fn drive(mut self) -> Result<()> {
        let mut next = self.next().await?;
        let mut ended = false;
        while let Some(step) = next {
            let mut running = self.start(step).await?;
            match self.fed(&mut running).await {
                Ok(()) => {
                    let following = self.next().await;
                    self.settle().await?;
                    ended = matches!(following, Ok(None));
                    self.finishing = Some(self.finish(running, ended));
                    if following.is_err() {
                        // What was read stays, whatever is wrong with the files after it.
                        self.settle().await?;
                    }
                    next = following?;
                }
                Err(Failure::Source(error)) if self.on_error == OnError::SkipFile && is_of_file(&error) => {
                    self.give_up(running, &error).await;
                    next = self.next().await?;
                    ended = false;
                }
                Err(failure) => {
                    let Running { writer, feeding, .. } = running;
                    drop(feeding);
                    writer.abort().await;
                    return Err(failure.into_error());
                }
            }
        }
        self.settle().await?;
        let has_to_end = self.run.request.is_token && !ended;
        if !self.unnoted.is_empty() || has_to_end {
            self.load.writer().await?.commit_step(std::mem::take(&mut self.unnoted), true).await?;
        }
        note_pace(&self.run.context);
        Ok(())
    }

    /// The next step that has anything to do.
    async fn next(&mut self) -> Result<Option<Step>> {
        loop {
            let step = match self.again.pop_front() {
                Some(step) => Some(step),
                None => self.steps.next(&self.run.context).await?,
            };
            let Some(mut step) = step else { return Ok(None) };
            for failed in std::mem::take(&mut step.failed) {
                self.note(failed);
            }
            step.files.retain(|file| !self.failed.contains(&file.file.path));
            if !step.files.is_empty() {
                return Ok(Some(step));
            }
        }
    }

    fn note(&mut self, failed: LoadedGroups) {
        tracing::warn!(
            "load '{}' left out file {}: {}",
            self.run.request.id,
            failed.path,
            failed.error.as_deref().unwrap_or_default()
        );
        self.run.context.counters.add(Event::LoadFilesFailed, 1);
        self.failed.insert(failed.path.clone());
        self.unnoted.push(failed);
    }

    async fn start(&mut self, step: Step) -> Result<Running> {
        let run = &self.run;
        let (plan, scan) = run.source.step(&run.plan, &step.files)?;
        // Each step is a plan of its own in the logs.
        let plan = measured::again(plan)?;
        let writer = self.load.writer_beside(&step.holders).await?;
        let as_table: Arc<dyn TableWriter> = writer.clone();
        let feeding = Feeding::start(&as_table, &plan, &run.task_context, &run.context, &self.pool);
        Ok(Running { step, scan, writer, feeding })
    }

    /// Waits until the rows of a step are read, while the step before it ends.
    async fn fed(&mut self, running: &mut Running) -> Result<(), Failure> {
        while let Some(finishing) = &mut self.finishing {
            tokio::select! {
                biased;
                done = finishing => {
                    self.finishing = None;
                    done.map_err(Failure::Lane)?;
                }
                fed = running.feeding.fed() => return fed,
            }
        }
        running.feeding.fed().await
    }

    /// Waits for the end of the step before.
    async fn settle(&mut self) -> Result<()> {
        match self.finishing.take() {
            Some(finishing) => finishing.await,
            None => Ok(()),
        }
    }

    fn finish(&mut self, running: Running, ends: bool) -> Finishing {
        let Running { step, scan, writer, feeding } = running;
        let noted = std::mem::take(&mut self.unnoted);
        let context = self.run.context.clone();
        let work = async move {
            let committed = async {
                feeding.finished().await?;
                context.check()?;
                // Streams that end early without an error are a defect, and nothing a commit may count as read.
                if !scan.is_whole() {
                    return Err(Error::logical("The files of a step were not read to their end"));
                }
                let loaded = step.files.into_iter().map(|file| LoadedGroups {
                    rows: scan.rows(&file.file.key),
                    path: file.file.path.clone(),
                    version: file.version,
                    groups_total: file.groups_total,
                    groups: file.groups,
                    error: None,
                });
                writer.commit_step(loaded.chain(noted).collect(), ends).await
            };
            let committed = committed.await;
            if committed.is_err() {
                writer.abort().await;
            }
            committed
        };
        let task = Task::on(&runtime::cpu(), work);
        async move { task.join().await.and_then(|done| done) }.boxed()
    }

    /// Leaves out the file of a step, or runs its files again in two halves.
    async fn give_up(&mut self, running: Running, error: &Error) {
        let Running { step, writer, feeding, .. } = running;
        drop(feeding);
        writer.abort().await;
        match &step.files[..] {
            [file] => {
                let known = self.load.known(&file.file.path);
                let version = Some(file.version.clone());
                self.note(failure(known.as_ref(), &file.file, version, file.groups_total, error));
            }
            _ => {
                for half in step.halves().into_iter().rev() {
                    self.again.push_front(half);
                }
            }
        }
    }
}
