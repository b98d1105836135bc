//! Asynchronous inserts: from the statement to the queue (`async_inserts`), and from the queue into the table.

use std::sync::Arc;
use std::time::Duration;

use arrow::array::RecordBatch;
use bytes::Bytes;
use datafusion::datasource::MemTable;
use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt};
use gristmill_base::error::ErrorKind;
use gristmill_base::runtime::{self, Task};
use gristmill_base::spending::Wait;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::{Table, TableDefinition, TableWriter};
use gristmill_formats::{Format, flagged_column};
use gristmill_introspect::logs::async_insert_log::{AsyncInsertEntry, async_insert_log};
use gristmill_introspect::memory::MemoryGuard;
use gristmill_introspect::{Event, QueryContext, Settings, processes};
use gristmill_mergetree::TableSettings;
use gristmill_sql::statement::{Insert, InsertSource, TableExpression};
use gristmill_types::measure::batch_bytes;
use gristmill_types::{Column, Columns};
use tokio::sync::oneshot;

use super::insert::asked_of_data;
use super::insert_columns::given_columns;
use super::insert_lanes::{commit, fill, fill_from_memory};
use super::state_texts::StateTexts;
use super::{Interpreter, Outcome};
use crate::async_inserts::{Entry, Key};
use crate::engine::{Engine, timezone};
use crate::execution::{ClientBlocks, Ending, InputData, from_client};
use crate::views::Shape;

/// Blocks of a client who was told already which columns are wanted.
struct Begun(BoxStream<'static, Result<RecordBatch>>);

impl ClientBlocks for Begun {
    fn begin(
        self: Box<Self>,
        _given: &Columns,
        _table: &Columns,
        _context: &Arc<QueryContext>,
    ) -> BoxStream<'static, Result<RecordBatch>> {
        self.0
    }
}

/// What an INSERT brings along.
enum Brought {
    Rows(Vec<RecordBatch>),
    /// Data in a format, held by the query's account.
    Data(Vec<Bytes>, Format, MemoryGuard),
}

impl Interpreter {
    /// An INSERT for the queue. `None`: it is not gathered with others, and its input is as it was.
    pub(super) async fn insert_async(
        &self,
        insert: &Insert,
        input: &mut Option<InputData>,
        tables: &mut Vec<(String, String)>,
    ) -> Result<Option<Outcome>> {
        let settings = &self.context.settings;
        let TableExpression::Table(name) = &insert.target else { return Ok(None) };
        if !settings.async_insert || !settings.load_id.is_empty() {
            return Ok(None);
        }
        let (database, name) = self.full(name);
        let table = self.databases(database).stored(database, name)?.definition();
        if table.temporary || is_known_again(settings, &table) {
            return Ok(None);
        }
        let given = self.columns_of_insert(insert, &table.columns)?;
        let (brought, format) = match &insert.source {
            InsertSource::Values(rows) => {
                let batch = self.values_batch(&self.values_answered(rows).await?, &given, &table.columns)?;
                if batch_bytes(&batch) > settings.async_insert_max_data_size {
                    return Ok(None);
                }
                (Brought::Rows(vec![batch]), "Values".to_string())
            }
            InsertSource::Data { .. } if self.blocks.lock().is_some() => {
                match self.small_blocks(&given, &table.columns).await? {
                    Some(batches) => (Brought::Rows(batches), "Native".to_string()),
                    None => return Ok(None),
                }
            }
            InsertSource::Data { format } => {
                let format = Format::by_name(format.as_deref().unwrap_or("Values"))?;
                // What texts say of states is for the statement itself to read.
                if StateTexts::of(format, &given, settings)?.is_some() {
                    return Ok(None);
                }
                let Some(data) = input.take() else { return Ok(None) };
                if format.is_columnar_file() {
                    *input = Some(data);
                    return Ok(None);
                }
                match self.small_data(data).await? {
                    Ok((chunks, held)) => (Brought::Data(chunks, format, held), format.name().to_string()),
                    Err(all) => {
                        *input = Some(all);
                        return Ok(None);
                    }
                }
            }
            InsertSource::Query { .. } | InsertSource::Infile { .. } => return Ok(None),
        };
        let asked = match &brought {
            Brought::Rows(_) => given,
            Brought::Data(..) => asked_of_data(&given, settings),
        };
        tables.push((database.to_string(), name.to_string()));
        let key = Key {
            table: table.uuid,
            database: table.database.clone(),
            name: table.name.clone(),
            columns: asked.iter().map(|column| (column.name.clone(), column.kind.to_string())).collect(),
            user: self.context.user.clone(),
            current_database: self.context.database.clone(),
            settings: Key::settings_of(settings),
        };
        Ok(Some(Outcome::work(self.clone().enqueue(key, asked, brought, format))))
    }

    /// Reads the client's blocks that may be gathered to their end. `None`: they are too much, and wait to be read again.
    async fn small_blocks(&self, given: &Columns, table: &Columns) -> Result<Option<Vec<RecordBatch>>> {
        let Some(blocks) = self.blocks.lock().take() else { return Ok(None) };
        let most = self.context.settings.async_insert_max_data_size;
        let mut held = MemoryGuard::empty(&self.context.memory);
        let mut stream = from_client(blocks.begin(given, table, &self.context), &self.context);
        let mut batches: Vec<RecordBatch> = Vec::new();
        while let Some(batch) = self.context.cancellable(async { Ok(stream.next().await) }).await? {
            let batch = batch?;
            held.resize(held.bytes() + batch_bytes(&batch))?;
            batches.push(batch);
            if held.bytes() > most {
                let read = futures::stream::iter(batches.into_iter().map(Ok));
                *self.blocks.lock() = Some(Box::new(Begun(read.chain(stream).boxed())));
                return Ok(None);
            }
        }
        for batch in &batches {
            self.context.read(batch.num_rows() as u64, batch_bytes(batch));
        }
        Ok(Some(batches))
    }

    /// Reads data that may be gathered to its end; what is too much is given back whole.
    async fn small_data(&self, mut data: InputData) -> Result<std::result::Result<(Vec<Bytes>, MemoryGuard), InputData>> {
        let most = self.context.settings.async_insert_max_data_size;
        let mut held = MemoryGuard::empty(&self.context.memory);
        let mut chunks: Vec<Bytes> = Vec::new();
        while let Some(chunk) = self.context.cancellable(async { Ok(data.next().await) }).await? {
            let chunk = chunk?;
            held.resize(held.bytes() + chunk.len() as u64)?;
            chunks.push(chunk);
            if held.bytes() > most {
                let read = futures::stream::iter(chunks.into_iter().map(Ok));
                return Ok(Err(read.chain(data).boxed()));
            }
        }
        Ok(Ok((chunks, held)))
    }

    async fn enqueue(self, key: Key, columns: Columns, brought: Brought, format: String) -> Result<()> {
        let context = self.context.clone();
        let batches = match brought {
            Brought::Rows(batches) => batches,
            Brought::Data(chunks, format, held) => {
                let (context, columns) = (context.clone(), columns.clone());
                let parsing = async move {
                    let batches = parse(&context, &columns, &chunks, format);
                    drop(held);
                    batches
                };
                Task::on(&runtime::cpu(), parsing).join().await??
            }
        };
        let rows: u64 = batches.iter().map(|batch| batch.num_rows() as u64).sum();
        let bytes: u64 = batches.iter().map(batch_bytes).sum();
        if rows == 0 {
            return Ok(());
        }
        let queue = &self.engine.async_inserts;
        let held = queue.room_for(&context, bytes).await?;
        let (done, told) = oneshot::channel();
        let wait = Duration::ZERO;
        let entry = Entry { context: context.clone(), columns, batches, bytes, format, wait, done, _held: held };
        context.counters.add(Event::AsyncInsertQuery, 1);
        context.counters.add(Event::AsyncInsertRows, rows);
        context.counters.add(Event::AsyncInsertBytes, bytes);
        queue.push(&self.engine, key, entry);
        let settings = &context.settings;
        if !settings.wait_for_async_insert {
            return Ok(());
        }
        let most = Duration::from_secs_f64(settings.wait_for_async_insert_timeout.clamp(0.0, 1e9));
        let waiting = tokio::time::timeout(most, told).map(|told| match told {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) => Err(Error::logical("The job of an asynchronous insert ended without a word")),
            Err(_) => Err(Error::new(
                ErrorCode::TIMEOUT_EXCEEDED,
                format!(
                    "Wait for async insert timeout ({} ms) exceeded: the rows are in the queue and may yet be written",
                    most.as_millis()
                ),
            )),
        });
        let waits = context.waits_for(Wait::Lock);
        context.cancellable(waiting).await?;
        drop(waits);
        // The events are those of the job that wrote the rows.
        context.progress.wrote(rows, bytes);
        Ok(())
    }
}

/// Whether a second INSERT of the same rows is to be left out: one commit has one name, so it has a commit of its own.
fn is_known_again(settings: &Settings, table: &TableDefinition) -> bool {
    let deduplicates = match settings.deduplicate_insert.as_str() {
        "disable" => false,
        "backward_compatible_choice" => settings.async_insert_deduplicate,
        _ => true,
    };
    let has_window =
        || TableSettings::parse(&table.settings).is_ok_and(|settings| settings.non_replicated_deduplication_window > 0);
    deduplicates && (!settings.insert_deduplication_token.is_empty() || has_window())
}

fn parse(context: &QueryContext, columns: &Columns, chunks: &[Bytes], format: Format) -> Result<Vec<RecordBatch>> {
    let zone = timezone(&context.settings)?;
    let mut parser = gristmill_formats::parser(format, columns, &context.settings, zone, "data of INSERT")?;
    let mut batches = Vec::new();
    for chunk in chunks {
        context.check()?;
        batches.extend(parser.push(chunk)?);
    }
    batches.extend(parser.finish()?);
    gristmill_formats::count_left_out(parser.as_ref(), &context.counters);
    for batch in &batches {
        context.read(batch.num_rows() as u64, batch_bytes(batch));
    }
    Ok(batches)
}

/// Where a write failed.
enum Failed {
    /// Nothing was committed.
    Before(Error),
    Commit(Error),
}

/// Writes gathered rows and tells each INSERT what became of its own.
pub(crate) async fn write_entries(engine: &Arc<Engine>, key: &Key, entries: Vec<Entry>) {
    let log = |entry: &Entry, outcome: &Result<()>, flush_id: &str| {
        let context = &entry.context;
        async_insert_log().add(|| AsyncInsertEntry {
            event_time_micros: context.start.as_micros() as i64,
            query: context.query.clone(),
            database: key.database.clone(),
            table: key.name.clone(),
            format: entry.format.clone(),
            query_id: context.query_id.clone(),
            bytes: entry.bytes,
            rows: entry.batches.iter().map(|batch| batch.num_rows() as u64).sum(),
            exception: outcome.as_ref().err().map_or_else(String::new, ToString::to_string),
            flush_time_micros: engine.env.now_micros(),
            flush_query_id: flush_id.to_string(),
            timeout_ms: entry.wait.as_millis() as u64,
        });
    };
    let tell = |entry: Entry, outcome: Result<()>, flush_id: &str| {
        log(&entry, &outcome, flush_id);
        if outcome.is_err() {
            entry.context.counters.add(Event::FailedAsyncInsertQuery, 1);
        }
        if let (Err(error), false) = (&outcome, entry.context.settings.wait_for_async_insert) {
            tracing::warn!("Rows of the asynchronous insert {} are lost: {error}", entry.context.query_id);
        }
        // Whoever waited may have gone.
        let _ = entry.done.send(outcome);
    };
    let id = engine.env.uuid().to_string();
    match write_together(engine, key, &entries, &id).await {
        Ok(()) => entries.into_iter().for_each(|entry| tell(entry, Ok(()), &id)),
        // It is the rows of one of them: each by itself, and the error goes to that one.
        Err(Failed::Before(error)) if entries.len() > 1 && error.kind() == ErrorKind::User => {
            for entry in entries {
                let id = engine.env.uuid().to_string();
                let outcome = write_together(engine, key, std::slice::from_ref(&entry), &id).await;
                tell(entry, outcome.map_err(|(Failed::Before(error) | Failed::Commit(error))| error), &id);
            }
        }
        Err(Failed::Before(error) | Failed::Commit(error)) => {
            entries.into_iter().for_each(|entry| tell(entry, Err(error.clone()), &id));
        }
    }
}

/// The kind of what writes entries, which is no INSERT: those that it is of were counted as such.
const FLUSH: &str = "AsyncInsertFlush";

async fn write_together(engine: &Arc<Engine>, key: &Key, entries: &[Entry], id: &str) -> std::result::Result<(), Failed> {
    let Some(first) = entries.first() else { return Ok(()) };
    let mut settings = (*first.context.settings).clone();
    settings.async_insert = false;
    // What is to be known again is not in the queue.
    settings.insert_deduplicate = false;
    settings.insert_deduplication_token = String::new();
    let query = &first.context.query;
    let context = QueryContext::new(query, id, &key.user, &key.current_database, Arc::new(settings), engine.env.clone());
    let context = context.of_user(first.context.access.clone());
    let running = processes::start(&context, FLUSH).ok();
    let tables = vec![(key.database.clone(), key.name.clone())];
    let mut ending = Ending {
        context: context.clone(),
        kind: FLUSH,
        tables,
        running,
        flushes_logs: false,
        trace: None,
        limit: None,
        is_counted: false,
    };
    ending.started();
    let written = Interpreter::new(engine.clone(), context).write_gathered(key, entries).await;
    let error = written.as_ref().err().map(|(Failed::Before(error) | Failed::Commit(error))| error);
    ending.ended(error, false);
    written
}

impl Interpreter {
    async fn write_gathered(&self, key: &Key, entries: &[Entry]) -> std::result::Result<(), Failed> {
        let context = &self.context;
        let planned = async {
            let table = self.engine.databases.stored(&key.database, &key.name)?;
            let columns = entries.first().map(|entry| entry.columns.clone()).unwrap_or_default();
            let batches: Vec<RecordBatch> = entries.iter().flat_map(|entry| entry.batches.iter().cloned()).collect();
            let names = key.columns.iter().map(|(name, _)| name);
            let names: Vec<String> = names.filter(|name| flagged_column(name).is_none()).cloned().collect();
            self.written(&table, &columns, &names, batches).await
        };
        let (writer, _gates) = planned.await.map_err(Failed::Before)?;
        commit(&writer, context).await.map_err(Failed::Commit)
    }
    /// Inserts rows that are in memory into a table and its views: `columns` are theirs, and of the table by their names.
    pub(crate) async fn write_batches(
        &self,
        table: &Arc<dyn Table>,
        columns: &Columns,
        batches: Vec<RecordBatch>,
    ) -> Result<()> {
        let (writer, _gates) = self.written(table, columns, &columns.names(), batches).await?;
        commit(&writer, &self.context).await
    }

    /// Rows that are written as one block, and not committed. `names`: columns of the table that they give.
    async fn written(
        &self,
        table: &Arc<dyn Table>,
        columns: &Columns,
        names: &[String],
        batches: Vec<RecordBatch>,
    ) -> Result<(Arc<dyn TableWriter>, Shape)> {
        let context = &self.context;
        let shape = Shape::of(&self.engine, context, table).await?;
        if are_as_stored(columns, names, &table.definition()) {
            let writer = shape.write(context).await?;
            fill_from_memory(&writer, batches, context.clone()).await?;
            return Ok((writer, shape));
        }
        let provider = Arc::new(MemTable::try_new(columns.arrow(), vec![batches])?);
        let all = table.definition().columns.clone();
        let given = given_columns(&all, Some(names), true)?;
        let shaped = self.shape_rows(self.lowered_of(columns, provider)?, &given, &all)?;
        let shaped = self.checked_rows(shaped, &table.definition())?;
        // Rows of one INSERT before those of the next.
        let rows = self.plan_in_order(shaped).await?;
        let writer = shape.write(context).await?;
        // One lane: what was gathered becomes one block.
        fill(&writer, rows.physical, rows.state.task_ctx(), context.clone(), 1).await?;
        Ok((writer, shape))
    }
}

/// Whether rows are what the table stores, so that there is nothing to plan: of a log's thousand columns that takes longer
/// than to write them.
fn are_as_stored(columns: &Columns, names: &[String], table: &TableDefinition) -> bool {
    let stored = table.stored_columns();
    let is_alike =
        |((column, name), stored): ((&Column, &String), &Column)| *name == stored.name && column.kind == stored.kind;
    table.constraints.is_empty()
        && columns.len() == stored.len()
        && names.len() == stored.len()
        && columns.iter().zip(names).zip(&stored).all(is_alike)
}
