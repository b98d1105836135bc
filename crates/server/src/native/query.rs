//! One query: from its packet to the end of its stream.

use std::cell::LazyCell;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use arrow::array::RecordBatch;
use datafusion::execution::SendableRecordBatchStream;
use futures::StreamExt;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_engine::session::wants_data;
use gristmill_engine::{Brought, Execution, ExternalTable, Session, StatementText};
use gristmill_introspect::limit::LimitReport;
use gristmill_introspect::progress::ProgressSnapshot;
use gristmill_introspect::{Client, QueryContext};
use gristmill_types::Columns;

use super::answer::{BlockPacket, Dialect};
use super::client::Query;
use super::connection::Connection;
use super::listener::{Heard, Listener};
use super::told::{EventsTold, Priority, log_line};
use crate::core::{Before, Place, one_statement};
use crate::extremes::Extremes;
use crate::known_settings;
use gristmill_formats::native::revision;
use gristmill_formats::native::socket::Output;

/// `interactive_delay` is at least this.
const TICK_LEAST: Duration = Duration::from_millis(10);
/// A client hears that its query goes on at least from then.
const SILENCE_LONGEST: Duration = Duration::from_secs(5);

/// Runs a query and answers it. The outer error ends the connection, the inner one is the statement's.
pub(super) async fn run(connection: &mut Connection, packet: Query, external: Vec<ExternalTable>) -> Result<Result<()>> {
    let (mut session, statement, _place) = match prepare(connection, packet).await {
        Ok(prepared) => prepared,
        Err(error) => return Ok(Err(error)),
    };
    let before = Before::of(&session);
    let answered = answer(connection, &mut session, &statement, external).await?;
    if answered.is_ok() {
        before.repeat(&session, &mut connection.session);
    }
    Ok(answered)
}

async fn prepare(connection: &Connection, packet: Query) -> Result<(Session, StatementText, Place)> {
    connection.core.check_open()?;
    if packet.stage != 2 && packet.stage != 0 {
        return Err(Error::not_implemented(format!("A query up to stage {}", packet.stage)).with_context(
            "ask for its result; Distributed tables over this server work with prefer_localhost_replica = 0",
        ));
    }
    let mut session = connection.session.clone();
    session.query_id = packet.id;
    session.client = Arc::new(Client {
        address: Some(connection.peer),
        connection: connection.number,
        is_secure: connection.is_secure,
        ..packet.client
    });
    for setting in packet.settings {
        match known_settings::set_of_session(&mut session, &setting.name, &setting.value) {
            Err(error) if setting.important || error.code() != ErrorCode::UNKNOWN_SETTING => return Err(error),
            Err(error) => tracing::debug!("{error}"),
            Ok(()) => {}
        }
    }
    session.parameters.extend(packet.parameters);
    let statement = one_statement(&packet.text)?;
    let admission = &connection.core.admission;
    let longest = Duration::from_millis(session.settings.queue_max_wait_ms);
    let place = admission.or_wait(admission.enter(), &statement.text, longest).await?;
    Ok((session, statement, place))
}

/// What was told of a running query so far.
struct Teller<'a> {
    out: &'a Output,
    dialect: Dialect,
    host: &'a str,
    told: ProgressSnapshot,
    events: EventsTold,
}

impl Teller<'_> {
    async fn progress(&mut self, context: &QueryContext) -> Result<()> {
        let now = context.progress.snapshot();
        let elapsed = context.elapsed().as_nanos() as u64;
        self.out.send(self.dialect.progress(&self.told, &now, elapsed)).await?;
        self.told = now;
        Ok(())
    }

    async fn events(&mut self, context: &QueryContext) -> Result<()> {
        if self.dialect.revision < revision::PROFILE_EVENTS || !context.settings.send_profile_events {
            return Ok(());
        }
        let (columns, rows) = self.events.next(self.host, context)?;
        self.out.send(self.dialect.block(BlockPacket::ProfileEvents, &columns, Some(&rows))?).await
    }

    /// How far the query was from what the machine can do: its client asked for it, whatever else of the log it wants.
    async fn limit(&self, context: &QueryContext, report: &LimitReport) -> Result<()> {
        if self.dialect.revision < revision::SERVER_LOGS {
            return Ok(());
        }
        for line in report.lines().iter().filter(|line| !line.is_empty()) {
            let (columns, rows) = log_line(self.host, context, Priority::Information, "limit", line)?;
            self.out.send(self.dialect.block(BlockPacket::Log, &columns, Some(&rows))?).await?;
        }
        Ok(())
    }

    async fn log(&self, context: &QueryContext, priority: Priority, line: &str) -> Result<()> {
        if self.dialect.revision < revision::SERVER_LOGS || !priority.is_wanted(&context.settings) {
            return Ok(());
        }
        let (columns, rows) = log_line(self.host, context, priority, "executeQuery", line)?;
        self.out.send(self.dialect.block(BlockPacket::Log, &columns, Some(&rows))?).await
    }
}

/// The rows of a result as they go out.
struct Sent {
    extremes: Option<Extremes>,
    rows: u64,
    blocks: u64,
    bytes: u64,
}

impl Sent {
    /// The packet of some rows, which count from here on.
    fn packet(&mut self, dialect: Dialect, columns: &Columns, batch: &RecordBatch) -> Result<Vec<u8>> {
        if let Some(extremes) = &mut self.extremes {
            extremes.add(batch)?;
        }
        self.rows += batch.num_rows() as u64;
        self.blocks += 1;
        self.bytes += batch.get_array_memory_size() as u64;
        dialect.block(BlockPacket::Data, columns, Some(batch))
    }
}

/// A statement that has begun.
struct Running {
    context: Arc<QueryContext>,
    columns: Columns,
    totals: Option<RecordBatch>,
}

async fn answer(
    connection: &mut Connection,
    session: &mut Session,
    statement: &StatementText,
    external: Vec<ExternalTable>,
) -> Result<Result<()>> {
    let Connection { core, reader, out, dialect, peer, .. } = connection;
    let (dialect, host) = (*dialect, core.display_name.as_str());
    let mut teller = Teller { out, dialect, host, told: ProgressSnapshot::default(), events: EventsTold::default() };
    let (listener, blocks) = Listener::new(reader, out, dialect, host, session.settings.receive_longest());
    // Rows that stand in the text are not asked for.
    let blocks = statement.inline_data.is_none().then_some(blocks);
    let (asked, muted) = (listener.asked.clone(), listener.muted.clone());
    let mut listening = Box::pin(listener.hear());
    let tick = Duration::from_micros(session.settings.interactive_delay).max(TICK_LEAST);
    let mut ticker = tokio::time::interval(tick);
    ticker.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let parameters = session.parameters.clone();
    let mut executing =
        Some(Box::pin(session.execute_with(statement, None, Brought { external, blocks, ..Brought::default() })));
    // Apart from one another: the rows may be awaited by one task alone.
    let mut running: Option<Running> = None;
    let mut rows: Option<SendableRecordBatchStream> = None;
    let mut sent = Sent { extremes: None, rows: 0, blocks: 0, bytes: 0 };
    // Clients take nothing but the columns before they send the blocks of an INSERT.
    let begun_at = Instant::now();
    let takes_blocks = LazyCell::new(|| match gristmill_sql::statement::parse(&statement.text, &parameters) {
        Ok(parsed) => statement.inline_data.is_none() && wants_data(&parsed),
        Err(_) => true,
    });
    // Whether all blocks of the client are here.
    let mut has_all = false;

    let ended: Result<()> = loop {
        let begun = async {
            match &mut executing {
                Some(executing) => executing.await,
                None => std::future::pending().await,
            }
        };
        let batch = async {
            match &mut rows {
                Some(rows) => rows.next().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            (listener, heard) = &mut listening => {
                match heard? {
                    Heard::End => has_all = true,
                    Heard::Cancel if asked.load(Ordering::Acquire) => {
                        has_all = true;
                        break Err(Error::new(ErrorCode::QUERY_WAS_CANCELLED, "Query was cancelled"));
                    }
                    Heard::Cancel => {
                        executing = None;
                        break Ok(());
                    }
                }
                listening = Box::pin(listener.hear());
            }
            begun = begun => {
                executing = None;
                match begun {
                    Ok(begun) => {
                        let Execution { context, columns, totals, rows: stream, .. } = begun;
                        rows = Some(stream);
                        let line = format!("(from {peer}, user: {}) {}", context.user, context.query);
                        teller.log(&context, Priority::Debug, &line).await?;
                        if let Some(trace) = &context.client.trace {
                            let line = format!("OpenTelemetry traceparent '{}'", trace.traceparent());
                            teller.log(&context, Priority::Trace, &line).await?;
                        }
                        if !columns.is_empty() {
                            out.send(dialect.block(BlockPacket::Data, &columns, None)?).await?;
                            sent.extremes = context.settings.extremes.then(|| Extremes::new(&columns));
                        }
                        running = Some(Running { context, columns, totals });
                    }
                    Err(error) => break Err(error),
                }
            }
            batch = batch => {
                let batch = match batch {
                    Some(Ok(batch)) => batch,
                    Some(Err(error)) => break Err(error.into()),
                    None => break Ok(()),
                };
                let Some(running) = running.as_ref().filter(|running| !running.columns.is_empty()) else { continue };
                if batch.num_rows() == 0 {
                    continue;
                }
                let working = running.context.works();
                let packet = sent.packet(dialect, &running.columns, &batch);
                drop(working);
                match packet {
                    Ok(packet) => out.send(packet).await?,
                    Err(error) => break Err(error),
                }
            }
            _ = ticker.tick() => if let Some(running) = &running {
                if let Err(error) = running.context.check() {
                    break Err(error);
                }
                // Nothing may come between the blocks of an INSERT and what is told of each.
                if !running.columns.is_empty() || !*takes_blocks {
                    teller.progress(&running.context).await?;
                }
            } else if begun_at.elapsed() >= SILENCE_LONGEST && !*takes_blocks {
                // It works before it has rows; a client that hears nothing takes the server for gone.
                out.send(dialect.progress(&teller.told, &teller.told, begun_at.elapsed().as_nanos() as u64)).await?;
            }
        }
    };

    if let Err(error) = ended {
        // What the query holds goes before its client hears of the error.
        drop(rows);
        drop(executing);
        muted.store(true, Ordering::Release);
        if let Some(Running { context, .. }) = &running {
            teller.log(context, Priority::Error, &error.to_string()).await?;
        }
        out.send(dialect.exception(&error)).await?;
        // What the client is about to send is heard out, so that what follows is a packet.
        if asked.load(Ordering::Acquire) && !has_all {
            listening.await.1?;
        }
        return Ok(Ok(()));
    }
    drop(listening);
    // The query is over, and in the log, before its client hears of that.
    drop(rows);
    let Some(Running { context, columns, totals }) = running else {
        // Cancelled before it began.
        out.send(dialect.end_of_stream()).await?;
        return Ok(Ok(()));
    };
    if !columns.is_empty() {
        if let Some(totals) = &totals {
            out.send(dialect.block(BlockPacket::Totals, &columns, Some(totals))?).await?;
        }
        if let Some(rows) = sent.extremes.map(Extremes::rows).transpose()?.flatten() {
            out.send(dialect.block(BlockPacket::Extremes, &columns, Some(&rows))?).await?;
        }
        out.send(dialect.profile_info(sent.rows, sent.blocks, sent.bytes, context.progress.rows_before_limit())).await?;
    }
    // Older clients take nothing but an end for the rows that they sent.
    let hears_more = dialect.revision >= revision::PROFILE_EVENTS_IN_INSERT || !columns.is_empty() || !*takes_blocks;
    if hears_more {
        teller.progress(&context).await?;
    }
    if context.settings.explain_limit
        && let Some(report) = context.limit.get()
    {
        teller.limit(&context, report).await?;
    }
    teller.log(&context, Priority::Information, &summary(&context)).await?;
    if hears_more {
        teller.events(&context).await?;
    }
    if !columns.is_empty() {
        out.send(dialect.block(BlockPacket::Data, &Columns::default(), None)?).await?;
        // What the end of the query counted; clients wait for two of them at least.
        teller.progress(&context).await?;
    }
    out.send(dialect.end_of_stream()).await?;
    Ok(Ok(()))
}

fn summary(context: &Arc<QueryContext>) -> String {
    let (progress, seconds) = (context.progress.snapshot(), context.elapsed().as_secs_f64());
    format!(
        "Read {} rows, {} bytes in {seconds:.6} sec., peak memory {} bytes",
        progress.read_rows,
        progress.read_bytes,
        context.memory.peak_bytes()
    )
}
