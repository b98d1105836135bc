//! One INSERT under way into a table with views: a writer in each table of the tree.
//!
//! A lane of the table gathers batches into a block by the same measure by which the table does (`min_insert_block_size_*`,
//! less where memory is short), hands its batches to the table and runs the views' queries over it, one view after the
//! other or all at once (`parallel_view_processing`). A target has one lane for all lanes of its source: what a view gives
//! of a block is mostly little, and many lanes would make of it many small parts.
//!
//! The order of the end: lanes finish from the root down, as each may hand on a last block; only when all have, and nothing
//! can fail but a commit, the commits begin. From there on the statement is seen through although its client goes.
//!
//! What a view does is a part of the statement's work that is told by itself (`ViewRun`): it has counters of its own, which the
//! statement's get too, and a tally of its own beside the statement's.
//!
//! With `materialized_views_ignore_errors` a view that fails gets nothing of the whole INSERT, nor do those below it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use arrow::array::RecordBatch;
use arrow::compute::concat_batches;
use async_trait::async_trait;
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt};
use gristmill_base::allocations::counted_for_part;
use gristmill_base::runtime::{self, Task};
use gristmill_base::{Error, Result, ResultExt};
use gristmill_catalog::databases::full_name;
use gristmill_catalog::{Table, TableDefinition, TableWriter, WriteLane};
use gristmill_introspect::memory::MemoryGuard;
use gristmill_introspect::{Counters, QueryContext, Use};
use gristmill_mergetree::TableSettings;
use gristmill_types::measure::batch_bytes;
use parking_lot::Mutex;
use sqlparser::ast::Query;
use tokio_util::sync::CancellationToken;

use super::content::Content;
use super::query::Block;
use super::run::ViewRun;
use super::shape::{Branch, Shape, has_sizes_of_targets, settings_of_target};
use crate::interpret::Interpreter;
use crate::plan;

/// A tree whose writers are to be opened.
pub(crate) struct Tree {
    shared: Arc<Shared>,
}

struct Shared {
    interpreter: Interpreter,
    /// Ends the work of writers into targets; the statement's own until the commits begin.
    targets: CancellationToken,
    /// Hands the statement's cancellation on to `targets`.
    watch: Mutex<Option<Task<()>>>,
    /// The rows of the INSERT, where a target has to know them again.
    content: Option<Mutex<Content>>,
    /// Of each view, by the way to its target.
    counters: Mutex<HashMap<String, Arc<Counters>>>,
}

pub(crate) struct TreeWriter {
    root: Arc<Node>,
    shared: Arc<Shared>,
}

/// A table of the tree.
struct Node {
    /// The place in `Branch::tables`.
    number: usize,
    way: String,
    table: Arc<TableDefinition>,
    in_order: bool,
    knows_by_content: bool,
    block_rows: u64,
    block_bytes: u64,
    writer: Arc<dyn TableWriter>,
    views: Vec<Arc<Hanging>>,
    shared: Arc<Shared>,
}

/// A view on a table, with the table it feeds.
struct Hanging {
    name: String,
    view: Arc<TableDefinition>,
    /// Under the view's own counters.
    interpreter: Interpreter,
    run: ViewRun,
    database: String,
    query: Arc<Query>,
    target: Arc<Node>,
    lane: tokio::sync::Mutex<Option<Box<dyn WriteLane>>>,
    /// It failed, and its errors are ignored.
    fell: Mutex<bool>,
}

impl Tree {
    pub fn begin(shape: &Shape, context: &Arc<QueryContext>) -> Tree {
        let targets = CancellationToken::new();
        let (all, of_targets) = (context.cancel.clone(), targets.clone());
        let watch = Task::on(&runtime::cpu(), async move {
            all.cancelled().await;
            of_targets.cancel();
        });
        let content = shape.root.tables().into_iter().any(|branch| knows_by_content(&branch.table, &branch.way, context));
        let content = content.then(Mutex::default);
        let interpreter = Interpreter::new(shape.engine.clone(), context.clone());
        let watch = Mutex::new(Some(watch));
        Tree { shared: Arc::new(Shared { interpreter, targets, watch, content, counters: Mutex::default() }) }
    }

    /// What the writer into a table of the tree is opened with.
    pub fn context_of(&self, branch: &Branch) -> Arc<QueryContext> {
        let context = &self.shared.interpreter.context;
        if branch.way.is_empty() {
            return context.clone();
        }
        let context = context.with_cancel(settings_of_target(&context.settings, &branch.way), self.shared.targets.clone());
        context.with_counters(self.shared.counters_of(&branch.way))
    }

    /// `writers`: in the order of `Branch::tables`.
    pub fn grow(self, root: &Branch, writers: Vec<Arc<dyn TableWriter>>) -> Result<TreeWriter> {
        let mut writers = writers.into_iter().enumerate();
        let root = self.node(root, &mut writers)?;
        Ok(TreeWriter { root, shared: self.shared })
    }

    fn node(&self, branch: &Branch, writers: &mut impl Iterator<Item = (usize, Arc<dyn TableWriter>)>) -> Result<Arc<Node>> {
        let (number, writer) = writers.next().ok_or_else(|| Error::logical("A table of an INSERT has no writer"))?;
        let mut views = Vec::with_capacity(branch.views.len());
        for view in &branch.views {
            let name = full_name(&view.view.database, &view.view.name);
            self.shared.context().used.note(Use::View, &name);
            let context = self.shared.context().with_counters(self.shared.counters_of(&view.target.way));
            views.push(Arc::new(Hanging {
                name,
                view: view.view.clone(),
                interpreter: Interpreter::new(self.shared.interpreter.engine.clone(), context),
                run: ViewRun::default(),
                database: view.database.clone(),
                query: view.query.clone(),
                target: self.node(&view.target, writers)?,
                lane: tokio::sync::Mutex::new(None),
                fell: Mutex::new(false),
            }));
        }
        let context = self.context_of(branch);
        let settings = &context.settings;
        Ok(Arc::new(Node {
            number,
            way: branch.way.clone(),
            table: branch.table.definition(),
            in_order: branch.table.depends_on_order(),
            knows_by_content: knows_by_content(&branch.table, &branch.way, &self.shared.interpreter.context),
            block_rows: settings.min_insert_block_size_rows,
            block_bytes: settings.min_insert_block_size_bytes,
            writer,
            views,
            shared: self.shared.clone(),
        }))
    }
}

/// Whether a view's target leaves out what it has, and the INSERT has no name by which to know it.
fn knows_by_content(table: &Arc<dyn Table>, way: &str, context: &QueryContext) -> bool {
    let settings = &context.settings;
    let has_window = || {
        let settings = TableSettings::parse(&table.definition().settings);
        settings.is_ok_and(|settings| settings.non_replicated_deduplication_window > 0)
    };
    !way.is_empty()
        && settings.insert_deduplicate
        && settings.deduplicate_blocks_in_dependent_materialized_views
        && settings.insert_deduplication_token.is_empty()
        && has_window()
}

impl Shared {
    fn context(&self) -> &Arc<QueryContext> {
        &self.interpreter.context
    }

    fn counters_of(&self, way: &str) -> Arc<Counters> {
        let made = || Arc::new(Counters::with_parent(Some(self.context().counters.clone())));
        self.counters.lock().entry(way.to_string()).or_insert_with(made).clone()
    }

    /// Commits: they go on to their end, whatever becomes of the statement.
    async fn see_through(&self, work: impl Future<Output = Result<()>> + Send + 'static) -> Result<()> {
        self.context().check()?;
        self.watch.lock().take();
        let (sender, receiver) = tokio::sync::oneshot::channel();
        runtime::tidy(&runtime::cpu(), async move {
            let _ = sender.send(work.await);
        });
        receiver.await.unwrap_or_else(|_| Err(Error::logical("The commit of an INSERT panicked")))
    }
}

impl Node {
    async fn lane(self: &Arc<Self>) -> Result<Box<dyn WriteLane>> {
        let lane = self.writer.lane().await?;
        if self.views.is_empty() {
            return Ok(lane);
        }
        let memory = MemoryGuard::empty(&self.shared.context().memory);
        Ok(Box::new(NodeLane { node: self.clone(), lane, batches: Vec::new(), rows: 0, bytes: 0, memory }))
    }

    /// Runs the views over a block.
    async fn push(&self, block: Block) -> Result<()> {
        if !self.shared.context().settings.parallel_view_processing || self.views.len() < 2 {
            for view in &self.views {
                view.push(&block).await?;
            }
            return Ok(());
        }
        let block = Arc::new(block);
        let tasks: Vec<_> = self
            .views
            .iter()
            .map(|view| {
                let (view, block) = (view.clone(), block.clone());
                Task::on(&runtime::cpu(), async move { view.push(&block).await })
            })
            .collect();
        for task in tasks {
            task.join().await??;
        }
        Ok(())
    }

    /// Finishes what is below: lanes, and the last blocks that they hand on.
    async fn settle(&self) -> Result<()> {
        for view in &self.views {
            view.settle().await?;
        }
        Ok(())
    }

    /// The tables of the tree, each before those that it feeds, apart from those below a view that fell, or those alone.
    fn tables(self: &Arc<Self>, fallen: bool) -> Vec<Arc<Node>> {
        let mut found = Vec::new();
        self.collect(false, fallen, &mut found);
        found
    }

    fn collect(self: &Arc<Self>, fell: bool, wanted: bool, found: &mut Vec<Arc<Node>>) {
        if fell == wanted {
            found.push(self.clone());
        }
        for view in &self.views {
            view.target.collect(fell || *view.fell.lock(), wanted, found);
        }
    }

    fn name(&self) -> String {
        full_name(&self.table.database, &self.table.name)
    }
}

impl Hanging {
    async fn push(&self, block: &Block) -> Result<()> {
        if *self.fell.lock() {
            return Ok(());
        }
        let begun = self.now();
        let pushed = counted_for_part(self.run.part.clone(), self.run(block)).await;
        self.run.saw(block, self.now().saturating_duration_since(begun));
        self.or_fall(pushed)
    }

    async fn run(&self, block: &Block) -> Result<()> {
        let (target, interpreter) = (&self.target, &self.interpreter);
        let context = &interpreter.context;
        let planned = interpreter.plan_view(&self.query, &self.database, block, &target.table, target.in_order).await?;
        let mut rows = plan::run(&planned.state, planned.physical, context)?;
        // Held to the end of the block: blocks of other lanes do not come in between.
        let mut lane = self.lane.lock().await;
        let is_whole = has_sizes_of_targets(&context.settings);
        let mut gathered = Vec::new();
        while let Some(batch) = context.cancellable(async { Ok(rows.next().await) }).await? {
            let batch = batch?;
            match is_whole {
                _ if batch.num_rows() == 0 => {}
                true => gathered.push(batch),
                false => self.write(&mut lane, batch).await?,
            }
        }
        let whole = match gathered.as_slice() {
            [] => return Ok(()),
            [only] => only.clone(),
            [first, ..] => concat_batches(first.schema_ref(), &gathered)?,
        };
        drop(gathered);
        self.write(&mut lane, whole).await
    }

    async fn write(&self, lane: &mut Option<Box<dyn WriteLane>>, batch: RecordBatch) -> Result<()> {
        let lane = match &mut *lane {
            Some(lane) => lane,
            none => none.insert(self.target.lane().await?),
        };
        let (rows, bytes) = (batch.num_rows() as u64, batch_bytes(&batch));
        lane.write(batch).await?;
        self.interpreter.context.wrote(rows, bytes);
        self.run.wrote(rows, bytes);
        Ok(())
    }

    fn now(&self) -> Instant {
        self.target.shared.context().env.instant()
    }

    fn log(&self, error: Option<&Error>) {
        let target = &self.target.table;
        self.run.log(&self.view, &self.query, target, &self.interpreter.context, error);
    }

    fn settle(&self) -> BoxFuture<'_, Result<()>> {
        async move {
            if *self.fell.lock() {
                return Ok(());
            }
            let Some(lane) = self.lane.lock().await.take() else {
                self.log(None);
                return Ok(());
            };
            let begun = self.now();
            let settling = async {
                lane.finish().await?;
                self.target.settle().await
            };
            let settled = counted_for_part(self.run.part.clone(), settling).await;
            self.run.took(self.now().saturating_duration_since(begun));
            if settled.is_ok() {
                self.log(None);
            }
            self.or_fall(settled)
        }
        .boxed()
    }

    fn or_fall(&self, outcome: Result<()>) -> Result<()> {
        let context = self.target.shared.context();
        let outcome = outcome.context(|| format!("while pushing to view {}", self.name));
        if let Err(error) = &outcome {
            self.log(Some(error));
        }
        match outcome {
            Err(error) if context.settings.materialized_views_ignore_errors && context.check().is_ok() => {
                tracing::warn!("Query {}: view {} gets none of its rows: {error}", context.query_id, self.name);
                *self.fell.lock() = true;
                Ok(())
            }
            outcome => outcome,
        }
    }
}

/// A lane of a table with views.
struct NodeLane {
    node: Arc<Node>,
    lane: Box<dyn WriteLane>,
    batches: Vec<RecordBatch>,
    rows: u64,
    bytes: u64,
    memory: MemoryGuard,
}

impl NodeLane {
    fn is_full(&self) -> bool {
        let (rows, bytes) = (self.node.block_rows, self.node.block_bytes);
        (rows == 0 && bytes == 0) || (rows > 0 && self.rows >= rows) || (bytes > 0 && self.bytes >= bytes)
    }

    /// The block would leave too little room for what its table and its views hold of it.
    fn is_tight(&self, incoming: u64) -> bool {
        let account = &self.node.shared.context().memory;
        let limit = account.limit_bytes();
        limit > 0 && account.held_bytes() + incoming + self.bytes > limit / 2
    }

    async fn flush(&mut self) -> Result<()> {
        let batches = std::mem::take(&mut self.batches);
        (self.rows, self.bytes) = (0, 0);
        if batches.is_empty() {
            return Ok(());
        }
        let context = self.node.shared.context();
        let _held = std::mem::replace(&mut self.memory, MemoryGuard::empty(&context.memory));
        for batch in &batches {
            if let (Some(content), true) = (&self.node.shared.content, self.node.way.is_empty()) {
                content.lock().add(batch)?;
            }
            self.lane.write(batch.clone()).await?;
        }
        self.node.push(Block { table: self.node.table.clone(), batches }).await
    }
}

#[async_trait]
impl WriteLane for NodeLane {
    async fn write(&mut self, batch: RecordBatch) -> Result<()> {
        if batch.num_rows() == 0 {
            return Ok(());
        }
        let batch = RecordBatch::try_new(self.node.table.stored_columns().arrow(), batch.columns().to_vec())?;
        let bytes = batch_bytes(&batch);
        if self.is_tight(bytes) {
            self.flush().await?;
        }
        self.memory.resize(self.memory.bytes() + bytes)?;
        self.rows += batch.num_rows() as u64;
        self.bytes += bytes;
        self.batches.push(batch);
        if self.is_full() {
            self.flush().await?;
        }
        Ok(())
    }

    async fn finish(mut self: Box<Self>) -> Result<()> {
        self.flush().await?;
        self.lane.finish().await
    }
}

#[async_trait]
impl TableWriter for TreeWriter {
    async fn lane(&self) -> Result<Box<dyn WriteLane>> {
        self.root.lane().await
    }

    fn max_lanes(&self) -> usize {
        self.root.writer.max_lanes()
    }

    fn lanes(&self) -> Option<usize> {
        self.root.writer.lanes()
    }

    async fn settle(&self) -> Result<()> {
        self.root.settle().await
    }

    async fn commit(&self) -> Result<()> {
        let content = self.shared.clone();
        self.commit_by(move |tables| async move {
            for (before, table) in tables.iter().enumerate() {
                let place = || match before {
                    0 => "while committing the rows of the INSERT".to_string(),
                    _ => format!(
                        "while committing the rows of {}: those of the tables before it are in place. Repeat the INSERT \
                         with the insert_deduplication_token that it had to bring the rest",
                        table.name
                    ),
                };
                match &content.content {
                    Some(content) if table.knows_by_content => {
                        let id = format!("{}_{}", content.lock().id(), table.way);
                        table.writer.commit_once(&id).await.context(place)?;
                    }
                    _ => table.writer.commit().await.context(place)?,
                }
            }
            Ok(())
        })
        .await
    }

    async fn abort(&self) {
        for table in self.root.tables(false).into_iter().chain(self.root.tables(true)) {
            table.writer.abort().await;
        }
    }
}

/// A table that is ready to be committed.
pub(crate) struct Ready {
    /// The place in `Branch::tables`.
    pub number: usize,
    pub name: String,
    pub writer: Arc<dyn TableWriter>,
    way: String,
    knows_by_content: bool,
}

impl TreeWriter {
    /// Finishes everything that may fail, then commits by `commit`, which gets each table before those that it feeds.
    pub async fn commit_by<F>(&self, commit: impl FnOnce(Vec<Ready>) -> F + Send + 'static) -> Result<()>
    where
        F: Future<Output = Result<()>> + Send + 'static,
    {
        self.root.settle().await?;
        let ready = |node: Arc<Node>| Ready {
            number: node.number,
            name: node.name(),
            writer: node.writer.clone(),
            way: node.way.clone(),
            knows_by_content: node.knows_by_content,
        };
        let standing: Vec<Ready> = self.root.tables(false).into_iter().map(ready).collect();
        let fallen = self.root.tables(true);
        self.shared
            .see_through(async move {
                for table in fallen {
                    table.writer.abort().await;
                }
                commit(standing).await
            })
            .await
    }
}
