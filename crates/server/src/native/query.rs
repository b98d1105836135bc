//! One query: from its packet to the end of its stream.

use std::cell::LazyCell;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use arrow::array::RecordBatch;
use datafusion::execution::SendableRecordBatchStream;
use futures::StreamExt;
use gristmill_base::env::Env;
use gristmill_base::spending::Wait;
use gristmill_base::{Error, ErrorCode, Result, machine};
use gristmill_engine::session::wants_data;
use gristmill_engine::{Brought, Execution, ExternalTable, Session, StatementText};
use gristmill_introspect::progress::ProgressSnapshot;
use gristmill_introspect::query_lines::{self, LinesHeard, QueryLine};
use gristmill_introspect::tracing::Level;
use gristmill_introspect::{Client, QueryContext, Stage, profiler};
use gristmill_types::Columns;
use gristmill_types::measure::batch_bytes;

use super::answer::{BlockPacket, Dialect};
use super::client::Query;
use super::connection::{self, Connection};
use super::listener::{Heard, Listener};
use super::told::{EventsTold, log_line};
use crate::core::{Before, Place, one_statement};
use crate::known_settings;
use crate::traffic::Traffic;
use gristmill_formats::extremes::Extremes;
use gristmill_formats::native::revision;
use gristmill_formats::native::socket::Output;

/// `interactive_delay` is at least this.
const TICK_LEAST: Duration = Duration::from_millis(10);
/// Of lines of the log, what a client may get that sends rows itself and may not read meanwhile: no more than sockets hold.
const LINES_UNREAD_BYTES: usize = 32 << 10;
/// A client hears that its query goes on at least from then.
const SILENCE_LONGEST: Duration = Duration::from_secs(5);

/// Runs a query and answers it. The outer error ends the connection, the inner one is the statement's.
pub(super) async fn run(connection: &mut Connection, packet: Query, external: Vec<ExternalTable>) -> Result<Result<()>> {
    let Some(stage) = Stage::of_number(packet.stage) else {
        return Ok(Err(Error::not_implemented(format!("A query up to stage {}", packet.stage))));
    };
    let (mut session, statement, lines, _place) = match prepare(connection, packet).await {
        Ok(prepared) => prepared,
        Err(error) => return Ok(Err(error)),
    };
    connection.meter.wait(session.settings.send_longest());
    let before = Before::of(&session);
    let brought = Brought { external, stage, ..Brought::default() };
    let answered = answer(connection, &mut session, &statement, brought, lines).await?;
    if answered.is_ok() {
        before.repeat(&session, &mut connection.session);
    }
    Ok(answered)
}

/// The calls that led to an error, where settings want its client to know them.
pub(super) fn stack_of(error: &Error, is_told: bool) -> String {
    if is_told { profiler::error_stack_text(error) } else { String::new() }
}

async fn prepare(connection: &Connection, packet: Query) -> Result<(Session, StatementText, Option<LinesHeard>, Place)> {
    connection.core.check_open()?;
    let mut session = connection.session.clone();
    session.query_id = packet.id;
    let (told, heard) = match connection.dialect.revision >= revision::SERVER_LOGS {
        true => Some(query_lines::queue()).unzip(),
        false => (None, None),
    };
    session.client = Arc::new(Client {
        address: Some(connection.peer),
        connection: connection.number,
        is_secure: connection.is_secure,
        lines: told,
        quota_key: if packet.client.quota_key.is_empty() { connection.quota_key.clone() } else { packet.client.quota_key },
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
    Ok((session, statement, heard, place))
}

/// What was told of a running query so far.
struct Teller<'a> {
    out: &'a Output,
    dialect: Dialect,
    host: &'a str,
    env: &'a Arc<dyn Env>,
    told: ProgressSnapshot,
    events: EventsTold,
    /// The lines of the query's log, and what of them was sent.
    lines: Option<LinesHeard>,
    lines_bytes: usize,
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

    /// What is told when the query is over, whatever of the log its client wants: how far it was from what the machine can do,
    /// where this was asked, and the gear of an INSERT.
    async fn at_end(&self, context: &QueryContext) -> Result<()> {
        if self.dialect.revision < revision::SERVER_LOGS {
            return Ok(());
        }
        for line in query_lines::of_limit(context).into_iter().chain(query_lines::of_gear(context)) {
            self.line(&context.query_id, &line).await?;
        }
        Ok(())
    }

    async fn line(&self, query_id: &str, line: &QueryLine) -> Result<()> {
        let (columns, rows) = log_line(self.host, query_id, line)?;
        self.out.send(self.dialect.block(BlockPacket::Log, &columns, Some(&rows))?).await
    }

    /// The next line of the query's log, when it comes. May be given up at any time.
    async fn next_line(&mut self) -> QueryLine {
        match &mut self.lines {
            Some(lines) => lines.next().await,
            None => std::future::pending().await,
        }
    }

    async fn log(&mut self, query_id: &str, line: &QueryLine) -> Result<()> {
        self.lines_bytes += line.text.len();
        self.line(query_id, line).await
    }

    /// Sends the lines that are there.
    async fn rest_of_log(&mut self, query_id: &str) -> Result<()> {
        while let Some(line) = self.lines.as_mut().and_then(LinesHeard::there) {
            self.line(query_id, &line).await?;
        }
        let left_out = self.lines.as_ref().map_or(0, LinesHeard::left_out);
        if left_out > 0 {
            let text = format!("{left_out} lines were left out: they came faster than they were sent");
            let (at, thread_id) = (self.env.now(), machine::thread_id());
            self.line(query_id, &QueryLine { at, thread_id, level: Level::WARN, source: "executeQuery", text }).await?;
        }
        Ok(())
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
        self.bytes += batch_bytes(batch);
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
    brought: Brought,
    lines: Option<LinesHeard>,
) -> Result<Result<()>> {
    let Connection { core, reader, out, meter, dialect, .. } = connection;
    let (out, meter) = (&*out, meter.clone());
    let moved = || connection::moved(&meter, out);
    let before = moved();
    let mut traffic: Option<Traffic> = None;
    let (dialect, host) = (*dialect, core.display_name.as_str());
    // It is given one before it runs, so that lines name it before there is a context.
    if session.query_id.is_empty() {
        session.query_id = core.engine.env.uuid().to_string();
    }
    let query_id = session.query_id.clone();
    let (told, events) = (ProgressSnapshot::default(), EventsTold::default());
    let env = &core.engine.env;
    let mut teller = Teller { out, dialect, host, env, told, events, lines, lines_bytes: 0 };
    let (listener, blocks) = Listener::new(reader, out, dialect, host, session.settings.receive_longest());
    let tells_stack = session.settings.calculate_text_stack_trace;
    // Rows that stand in the text are not asked for.
    let blocks = statement.inline_data.is_none().then_some(blocks);
    let (asked, muted) = (listener.asked.clone(), listener.muted.clone());
    let mut listening = Box::pin(listener.hear());
    let tick = Duration::from_micros(session.settings.interactive_delay).max(TICK_LEAST);
    let mut ticker = tokio::time::interval(tick);
    ticker.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let parameters = session.parameters.clone();
    let mut executing = Some(Box::pin(session.execute_with(statement, None, Brought { blocks, ..brought })));
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
            line = teller.next_line(), if has_all || teller.lines_bytes < LINES_UNREAD_BYTES || !*takes_blocks => {
                teller.log(&query_id, &line).await?;
            }
            begun = begun => {
                executing = None;
                match begun {
                    Ok(begun) => {
                        traffic = Some(Traffic::begin(&begun.context, before));
                        let Execution { context, columns, totals, rows: stream, .. } = begun;
                        rows = Some(stream);
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
                    Ok(packet) => {
                        let _waiting = running.context.waits_for(Wait::Client);
                        out.send(packet).await?;
                    }
                    Err(error) => break Err(error),
                }
                traffic.iter_mut().for_each(|traffic| traffic.moved(moved()));
            }
            _ = ticker.tick() => if let Some(running) = &running {
                if let Err(error) = running.context.check() {
                    break Err(error);
                }
                traffic.iter_mut().for_each(|traffic| traffic.moved(moved()));
                // Nothing may come between the blocks of an INSERT and what is told of each.
                if !running.columns.is_empty() || !*takes_blocks {
                    teller.progress(&running.context).await?;
                    // Clients show from them how much memory the query holds.
                    teller.events(&running.context).await?;
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
        drop(traffic);
        muted.store(true, Ordering::Release);
        teller.rest_of_log(&query_id).await?;
        let tells_stack = running.map_or(tells_stack, |running| running.context.settings.calculate_text_stack_trace);
        out.send(dialect.exception(&error, &stack_of(&error, tells_stack))).await?;
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
        teller.rest_of_log(&query_id).await?;
        out.send(dialect.end_of_stream()).await?;
        return Ok(Ok(()));
    };
    if !columns.is_empty() {
        if let Some(totals) = &totals {
            out.send(dialect.block(BlockPacket::Totals, &columns, Some(totals))?).await?;
        }
        if let Some(rows) = sent.extremes.as_ref().map(Extremes::rows).transpose()?.flatten() {
            out.send(dialect.block(BlockPacket::Extremes, &columns, Some(&rows))?).await?;
        }
        out.send(dialect.profile_info(sent.rows, sent.blocks, sent.bytes, context.progress.rows_before_limit())).await?;
    }
    // Older clients take nothing but an end for the rows that they sent.
    let hears_more = dialect.revision >= revision::PROFILE_EVENTS_IN_INSERT || !columns.is_empty() || !*takes_blocks;
    if hears_more {
        teller.progress(&context).await?;
    }
    teller.at_end(&context).await?;
    teller.rest_of_log(&query_id).await?;
    traffic.iter_mut().for_each(|traffic| traffic.moved(moved()));
    if hears_more {
        teller.events(&context).await?;
    }
    if !columns.is_empty() {
        out.send(dialect.block(BlockPacket::Data, &Columns::default(), None)?).await?;
        // What the end of the query counted; clients wait for two of them at least.
        teller.progress(&context).await?;
    }
    // What is in the log is there before the client hears of the end.
    if let Some(traffic) = traffic {
        traffic.end(moved());
    }
    out.send(dialect.end_of_stream()).await?;
    Ok(Ok(()))
}
