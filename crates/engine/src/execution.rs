//! A statement that has begun: its rows, and what is written down when it ends.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::error::{DataFusionError, Result as DataFusionResult};
use datafusion::execution::{RecordBatchStream, SendableRecordBatchStream};
use datafusion::physical_plan::EmptyRecordBatchStream;
use futures::stream::{BoxStream, Stream, StreamExt};
use gristmill_base::spending::{Wait, Woken};
use gristmill_base::{Error, ErrorCode, Result, allocations, redact, units};
use gristmill_introspect::errors;
use gristmill_introspect::logs::{LogQueue, threads_log};
use gristmill_introspect::opentelemetry::QueryTrace;
use gristmill_introspect::processes::Running;
use gristmill_introspect::query_log::{QueryLogEntry, QueryLogType, query_log};
use gristmill_introspect::tracing::Level;
use gristmill_introspect::{Event, QueryContext, Stage, tell};
use gristmill_sql::format_query::format_query;
use gristmill_types::Columns;
use gristmill_types::measure::batch_bytes;

use crate::external::ExternalTable;
use crate::limit::LimitWatch;
use crate::temporary::TemporaryTables;

/// Data that comes with an INSERT (or feeds `input()` and the table `table` of `gristmill local`).
pub type InputData = BoxStream<'static, Result<bytes::Bytes>>;

/// A client that sends the rows of an INSERT as blocks, once it was told which columns are wanted.
pub trait ClientBlocks: Send {
    /// The rows, in batches that carry `given`. `table`: all columns of the table, with their defaults.
    fn begin(
        self: Box<Self>,
        given: &Columns,
        table: &Columns,
        context: &Arc<QueryContext>,
    ) -> BoxStream<'static, Result<RecordBatch>>;
}

/// What comes along with a statement beside bytes of its data.
#[derive(Default)]
pub struct Brought {
    pub external: Vec<ExternalTable>,
    /// The session's.
    pub temporary: TemporaryTables,
    pub blocks: Option<Box<dyn ClientBlocks>>,
    /// Whether INTO OUTFILE is an error: who asks has no place for files.
    pub refuses_outfile: bool,
    /// How far a SELECT is processed.
    pub stage: Stage,
}

/// Bytes that are read at a time.
const INPUT_CHUNK_BYTES: usize = 1 << 20;

/// The data that a file or a pipe holds; nothing is read before it is asked for.
pub fn input_from(reader: impl tokio::io::AsyncRead + Unpin + Send + 'static) -> InputData {
    Box::pin(futures::stream::try_unfold(reader, |mut reader| async move {
        use tokio::io::AsyncReadExt;
        let mut chunk = bytes::BytesMut::with_capacity(INPUT_CHUNK_BYTES);
        let read = reader.read_buf(&mut chunk).await?;
        Ok((read > 0).then(|| (chunk.freeze(), reader)))
    }))
}

/// Data whose coming the query waits for.
pub(crate) fn from_client<T: Send + 'static>(
    data: BoxStream<'static, T>,
    context: &Arc<QueryContext>,
) -> BoxStream<'static, T> {
    let context = context.clone();
    Box::pin(futures::stream::unfold((data, context), |(mut data, context)| async move {
        let waiting = context.waits_for(Wait::Client);
        let next = data.next().await?;
        drop(waiting);
        Some((next, (data, context)))
    }))
}

/// The data, of which there has to be some. Its error: NO_DATA_TO_INSERT.
pub fn some_data(data: InputData) -> InputData {
    Box::pin(futures::stream::try_unfold((data, false), |(mut data, came)| async move {
        match data.next().await {
            Some(chunk) => {
                let chunk = chunk?;
                let came = came || !chunk.is_empty();
                Ok(Some((chunk, (data, came))))
            }
            None if came => Ok(None),
            None => Err(no_data()),
        }
    }))
}

/// An INSERT that nobody gave rows. A server does not mind: only clients say so, as ClickHouse's do.
pub(crate) fn no_data() -> Error {
    Error::new(ErrorCode::NO_DATA_TO_INSERT, "No data to insert: give rows after the statement or on standard input")
}

#[derive(Clone, Debug, PartialEq)]
pub struct IntoOutfile {
    pub path: String,
    pub truncate: bool,
    pub append: bool,
    /// The result goes to standard output as well.
    pub and_stdout: bool,
    pub compression: Option<String>,
}

/// A statement that has begun. For a statement without rows (DDL, INSERT) the work is done while `rows` is read to its
/// end; `columns` is empty then.
pub struct Execution {
    pub context: Arc<QueryContext>,
    pub columns: Columns,
    /// The FORMAT clause.
    pub format: Option<String>,
    /// `INTO OUTFILE`
    pub into_outfile: Option<IntoOutfile>,
    /// Batches that carry `columns` in memory (`Columns::arrow`). Dropping the stream cancels the statement. The query
    /// log is written when the stream ends or is dropped.
    pub rows: SendableRecordBatchStream,
    /// The row of WITH TOTALS, which carries `columns` too.
    pub totals: Option<RecordBatch>,
}

/// What is told of a statement when it ends.
pub(crate) struct Ending {
    pub context: Arc<QueryContext>,
    pub kind: &'static str,
    pub tables: Vec<(String, String)>,
    pub running: Option<Running>,
    /// It is SYSTEM FLUSH LOGS.
    pub flushes_logs: bool,
    /// Where the query is traced.
    pub trace: Option<QueryTrace>,
    /// Where the query is judged.
    pub limit: Option<LimitWatch>,
    /// Among the events of queries.
    pub is_counted: bool,
}

impl Ending {
    pub(crate) fn started(&mut self) {
        self.count();
        self.log(QueryLogType::QueryStart, None);
    }

    /// Counts it once among the events of queries: before it begins, for it may ask for them itself.
    pub(crate) fn count(&mut self) {
        if std::mem::replace(&mut self.is_counted, true) {
            return;
        }
        self.context.counters.add(Event::Query, 1);
        self.context.counters.add(Event::InitialQuery, 1);
        match self.kind {
            "Select" => {
                self.context.counters.add(Event::SelectQuery, 1);
                self.context.counters.add(Event::InitialSelectQuery, 1);
            }
            "Insert" => self.context.counters.add(Event::InsertQuery, 1),
            _ => {}
        }
    }

    fn log(&self, kind: QueryLogType, error: Option<&Error>) {
        if self.flushes_logs && kind == QueryLogType::QueryStart {
            query_log().release();
        }
        if !kind.is_wanted(&self.context) {
            return;
        }
        let entry = || {
            // It looks at the clock: formatting is not the query's time.
            let mut entry = QueryLogEntry::of(kind, self.kind, &self.tables, &self.context, error);
            if self.context.settings.log_formatted_queries {
                entry.formatted_query = self.formatted();
            }
            entry
        };
        // A flush is over before it is logged in ClickHouse: what it says of itself comes with the next one, and clients that
        // give it the id of the query that they look for count on that.
        if self.flushes_logs && error.is_none() {
            query_log().hold(entry);
        } else if kind == QueryLogType::QueryFinish {
            self.context.last_entry.add(entry);
        } else {
            query_log().add(entry);
        }
    }

    /// The text of a query or an INSERT as ClickHouse lays it out; that of another statement as it came.
    fn formatted(&self) -> String {
        format_query(&self.context.query, false).map_or_else(|_| self.context.query.clone(), redact::masking::masked)
    }

    pub(crate) fn ended(&mut self, error: Option<&Error>, before_start: bool) {
        // What cannot be read has no kind and is no query; what cannot be planned is one.
        if !self.is_counted && !self.kind.is_empty() {
            self.count();
        }
        // Nobody is to wait for an id whose query is over.
        self.running.take();
        self.context.settle_at_end();
        // What a query did that failed says nothing of what it had to do.
        if let Some(limit) = self.limit.take().filter(|_| error.is_none()) {
            limit.ended(&self.context);
        }
        if let Some(trace) = self.trace.take() {
            trace.ended(&self.context, self.kind, error);
        }
        threads_log::query_ended(&self.context);
        self.tell_end(error);
        let counters = &self.context.counters;
        let micros = self.context.elapsed().as_micros() as u64;
        counters.add(Event::QueryTimeMicroseconds, micros);
        let of_kind = match self.kind {
            "Select" => Event::SelectQueryTimeMicroseconds,
            "Insert" => Event::InsertQueryTimeMicroseconds,
            _ => Event::OtherQueryTimeMicroseconds,
        };
        counters.add(of_kind, micros);
        if let Some(error) = error {
            errors::count(error, &self.context);
            counters.add(Event::FailedQuery, 1);
            counters.add(Event::FailedInitialQuery, 1);
            if error.code() == ErrorCode::MEMORY_LIMIT_EXCEEDED {
                counters.add(Event::QueryMemoryLimitExceeded, 1);
            }
            match self.kind {
                "Select" => {
                    counters.add(Event::FailedSelectQuery, 1);
                    counters.add(Event::FailedInitialSelectQuery, 1);
                }
                "Insert" => counters.add(Event::FailedInsertQuery, 1),
                _ => {}
            }
        }
        self.log(
            match error {
                None => QueryLogType::QueryFinish,
                Some(_) if before_start => QueryLogType::ExceptionBeforeStart,
                Some(_) => QueryLogType::ExceptionWhileProcessing,
            },
            error,
        );
    }
}

impl Ending {
    /// The last lines of the query's log: its totals, and where its time went.
    fn tell_end(&self, error: Option<&Error>) {
        let context = &self.context;
        if let Some(error) = error {
            tell!(context, ERROR as DEBUG, "executeQuery", "{error}");
        }
        let (fields, rows) =
            (context.counters.get(Event::InputFieldsLeftOut), context.counters.get(Event::InputRowsLeftOut));
        if fields + rows > 0 {
            tell!(
                context,
                WARN as WARN,
                "executeQuery",
                "Of the input, {fields} values that no column takes and {rows} rows with mistakes were left out"
            );
        }
        if !context.is_told(Level::DEBUG) && !context.hears(Level::INFO) {
            return;
        }
        let (progress, seconds) = (context.progress.snapshot(), context.elapsed().as_secs_f64());
        let bytes = |bytes: u64| units::bytes_binary(bytes as f64);
        let a_second = |of: u64| of as f64 / seconds.max(1e-6);
        tell!(
            context,
            INFO as DEBUG,
            "executeQuery",
            "Read {} rows, {} in {seconds:.6} sec., {:.0} rows/sec., {}/sec.",
            progress.read_rows,
            bytes(progress.read_bytes),
            a_second(progress.read_rows),
            units::bytes_binary(a_second(progress.read_bytes))
        );
        if progress.written_rows > 0 {
            tell!(context, DEBUG, "executeQuery", "Wrote {} rows, {}", progress.written_rows, bytes(progress.written_bytes));
        } else if error.is_none() {
            tell!(context, DEBUG, "executeQuery", "Gave {} rows, {}", progress.result_rows, bytes(progress.result_bytes));
        }
        let of = |event| units::duration(Duration::from_micros(context.counters.get(event)));
        tell!(
            context,
            DEBUG,
            "executeQuery",
            "Of the time, it computed for {} and {} in the kernel, waited {} for a processor, {} for the disk, {} for the network, {} for \
             locks and {} for its client",
            of(Event::WallUserMicroseconds),
            of(Event::WallSystemMicroseconds),
            of(Event::WallRunnableMicroseconds),
            of(Event::WallDiskMicroseconds),
            of(Event::WallNetworkMicroseconds),
            of(Event::WallLockMicroseconds),
            of(Event::WallClientMicroseconds)
        );
        tell!(context, DEBUG, "MemoryTracker", "Peak memory usage (for query): {}", bytes(context.memory.peak_bytes()));
    }
}

/// Rows of a statement, counted; at the end the log entry is written.
pub(crate) struct Watched {
    pub inner: SendableRecordBatchStream,
    pub schema: SchemaRef,
    pub ending: Option<Ending>,
    woken: Option<Woken>,
}

impl Watched {
    pub fn new(inner: SendableRecordBatchStream, schema: SchemaRef, ending: Ending) -> Self {
        let woken = ending.context.memory.tally().cloned().map(Woken::within_task);
        Watched { inner, schema, ending: Some(ending), woken }
    }

    fn end(&mut self, error: Option<&Error>) {
        if let Some(mut ending) = self.ending.take() {
            ending.ended(error, false);
        }
    }
}

impl Stream for Watched {
    type Item = DataFusionResult<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(ending) = &self.ending else { return Poll::Ready(None) };
        let context = ending.context.clone();
        let _entered = context.memory.tally().map(allocations::enter);
        if let Err(error) = context.check() {
            self.end(Some(&error));
            return Poll::Ready(Some(Err(error.into())));
        }
        let Watched { inner, woken, .. } = &mut *self;
        let polled = match woken {
            Some(woken) => woken.poll(task, |task| inner.as_mut().poll_next(task)),
            None => inner.as_mut().poll_next(task),
        };
        match polled {
            Poll::Pending => Poll::Pending,
            Poll::Ready(None) => {
                self.end(None);
                Poll::Ready(None)
            }
            Poll::Ready(Some(Err(error))) => {
                let error = match context.check() {
                    Err(cancelled) => cancelled,
                    Ok(()) => Error::from(error).masked(),
                };
                self.end(Some(&error));
                Poll::Ready(Some(Err(DataFusionError::from(error))))
            }
            Poll::Ready(Some(Ok(batch))) => {
                use std::sync::atomic::Ordering::Relaxed;
                context.progress.result_rows.fetch_add(batch.num_rows() as u64, Relaxed);
                // Of the rows themselves: batches may share buffers, which would count with each of them.
                context.progress.result_bytes.fetch_add(batch_bytes(&batch), Relaxed);
                // From here on it is the reader's, who frees it.
                allocations::disown(batch.get_array_memory_size());
                match crate::limits::check(&context) {
                    Ok(true) => {}
                    // The rows up to here are the result.
                    Ok(false) => {
                        context.cancel.cancel();
                        self.end(None);
                    }
                    Err(error) => {
                        self.end(Some(&error));
                        return Poll::Ready(Some(Err(error.into())));
                    }
                }
                // Names may repeat in a result, and in a plan they may not: the batch gets the names the user sees.
                let options = arrow::array::RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
                let renamed = RecordBatch::try_new_with_options(self.schema.clone(), batch.columns().to_vec(), &options);
                match renamed {
                    Ok(batch) => Poll::Ready(Some(Ok(batch))),
                    Err(error) => {
                        let error = Error::logical(format!("The plan gives other columns than the query has: {error}"));
                        self.end(Some(&error));
                        Poll::Ready(Some(Err(error.into())))
                    }
                }
            }
        }
    }
}

impl RecordBatchStream for Watched {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let tally = self.ending.as_ref().and_then(|ending| ending.context.memory.tally().cloned());
        let _entered = tally.as_ref().map(allocations::enter);
        if let Some(mut ending) = self.ending.take() {
            ending.context.cancel.cancel();
            let error = Error::new(gristmill_base::ErrorCode::QUERY_WAS_CANCELLED, "Query was cancelled");
            ending.ended(Some(&error), false);
        }
        // What the plan holds is freed here, where it still counts for the query.
        self.inner = Box::pin(EmptyRecordBatchStream::new(self.schema.clone()));
    }
}
