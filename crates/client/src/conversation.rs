//! A statement that a server runs: from its first packet to the end of its stream.
//!
//! The conversation owns the connection while the statement runs, and puts it back where the client finds it (`Home`) when
//! the server has said its last word. Who drops the rows before that drops the connection, and the server cancels the
//! statement. Cancelled by its context, the server is told so, and is heard to its end.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow::array::RecordBatch;
use chrono_tz::Tz;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::StreamExt;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_engine::{Execution, IntoOutfile};
use gristmill_formats::native::Block;
use gristmill_introspect::QueryContext;
use gristmill_types::Columns;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use crate::client::State;
use crate::connection::{Connection, read_packet, received};
use crate::insert;
use crate::packets::{Packet, unexpected};
use crate::request;
use crate::source::Source;
use crate::statement::Change;
use crate::table_columns;
use crate::told::{self, Events, LogLines, Memory};

/// Where a connection waits for the next statement.
pub(crate) type Home = Arc<Mutex<Option<Connection>>>;

/// What comes behind the rows.
#[derive(Clone, Debug, Default)]
pub struct Late {
    /// The row of WITH TOTALS.
    pub totals: Option<RecordBatch>,
    /// Two rows: least and greatest.
    pub extremes: Option<RecordBatch>,
    pub rows_before_limit: Option<u64>,
}

/// A statement whose server has begun to answer.
pub struct Reply {
    pub execution: Execution,
    /// Filled when the rows are at their end.
    pub late: Arc<Mutex<Late>>,
}

/// What is of interest to whoever waits for rows.
pub(crate) enum Heard {
    Block(Block),
    TableColumns(String),
    /// The statement failed.
    Failed(Error),
    End,
}

/// The client's side of a running statement.
pub(crate) struct Talk {
    pub connection: Connection,
    pub context: Arc<QueryContext>,
    pub home: Home,
    pub logs: Option<LogLines>,
    pub events: Option<Events>,
    /// Of dates and times that name none.
    pub timezone: Tz,
    pub memory: Memory,
    pub late: Arc<Mutex<Late>>,
    /// Whether rows are sent: those read are counted here.
    pub sends_rows: bool,
    /// How long silence may last.
    pub patience: Duration,
    /// Cancelled while packets may be sent from here: no other packet is half sent.
    pub may_send: CancellationToken,
    pub cancel_told: bool,
}

impl Talk {
    /// The next thing of interest. Must not be given up. An error: the connection is of no use any more.
    pub async fn heard(&mut self) -> Result<Heard> {
        loop {
            let packet = {
                let Talk { connection, context, may_send, cancel_told, patience, .. } = self;
                let Connection { reader, out, dialect, address, .. } = connection;
                let reading = read_packet(reader, *dialect, address, *patience);
                tokio::pin!(reading);
                loop {
                    let told_to_cancel = async {
                        context.cancel.cancelled().await;
                        may_send.cancelled().await;
                    };
                    tokio::select! {
                        biased;
                        () = told_to_cancel, if !*cancel_told => {
                            *cancel_told = true;
                            out.send_whole(request::cancel()).await?;
                        }
                        packet = &mut reading => break packet?,
                    }
                }
            };
            if let Some(heard) = self.noted(packet)? {
                return Ok(heard);
            }
        }
    }

    /// Notes what is told beside the rows; gives what is not for it to note.
    fn noted(&mut self, packet: Packet) -> Result<Option<Heard>> {
        match packet {
            Packet::Data(block) => return Ok(Some(Heard::Block(block))),
            Packet::TableColumns(text) => return Ok(Some(Heard::TableColumns(text))),
            Packet::Exception(error, stack) => {
                self.show_events();
                let stack = self.connection.shows_stacks.then_some(stack.as_str());
                return Ok(Some(Heard::Failed(received(&self.connection.address, error, stack))));
            }
            Packet::EndOfStream => {
                self.show_events();
                return Ok(Some(Heard::End));
            }
            Packet::Totals(block) => self.late.lock().totals = Some(batch(&block)?),
            Packet::Extremes(block) => self.late.lock().extremes = Some(batch(&block)?),
            Packet::ProfileInfo(info) => self.late.lock().rows_before_limit = info.rows_before_limit,
            Packet::Progress(progress) => told::progress(&self.context, progress, self.sends_rows),
            Packet::ProfileEvents(block) => {
                self.memory.events(&self.context, &block);
                if let Some(events) = &mut self.events {
                    events.add(&block, self.timezone);
                }
            }
            Packet::Log(block) => {
                if let Some(gear) = told::insert_gear(&block) {
                    self.context.insert_gear.tell(gear);
                } else if let Some(logs) = &self.logs {
                    told::log(&block, self.timezone).iter().for_each(|line| logs(line));
                }
            }
            Packet::TimezoneUpdate(name) => {
                if let Ok(timezone) = name.parse() {
                    self.timezone = timezone;
                }
            }
            Packet::Pong => {
                return Err(unexpected(gristmill_formats::native::packets::server::PONG, "a part of the answer"));
            }
        }
        Ok(None)
    }

    /// What was counted since it was shown last.
    fn show_events(&mut self) {
        if let Some(events) = &mut self.events {
            events.show(self.timezone);
        }
    }

    /// The server has said its last word: the connection is free. `is_doubtful`: it has to show first that it works.
    pub fn release(mut self, is_doubtful: bool) {
        self.connection.used = Instant::now();
        self.connection.is_doubtful |= is_doubtful;
        *self.home.lock() = Some(self.connection);
    }

    /// Error: QUERY_WAS_CANCELLED, where it was.
    pub fn check(&self) -> Result<()> {
        if self.cancel_told { Err(cancelled()) } else { Ok(()) }
    }
}

/// A statement that was sent, and whose server has not answered yet.
pub struct Begun {
    pub context: Arc<QueryContext>,
    pub(crate) talk: Talk,
    pub(crate) source: Option<Source>,
    pub(crate) is_insert: bool,
    pub(crate) format: Option<String>,
    pub(crate) into_outfile: Option<IntoOutfile>,
    pub(crate) change: Option<Change>,
    pub(crate) state: Arc<Mutex<State>>,
}

impl Begun {
    /// Waits for the first of the answer. Errors: the statement's, with `Received from host:port`; those of the connection.
    pub async fn answer(self) -> Result<Reply> {
        let Begun { context, mut talk, mut source, is_insert, format, into_outfile, change, state } = self;
        let late = talk.late.clone();
        let mut table = Columns::default();
        let (columns, rows) = loop {
            match talk.heard().await? {
                Heard::TableColumns(text) => table = table_columns::parsed(&text),
                Heard::Block(block) if block.columns.is_empty() => {}
                Heard::Block(sample) => match source.take() {
                    Some(source) => break (Columns::default(), insert::work(talk, source, sample.columns, table)),
                    None if is_insert => {
                        // It waits for rows that nobody has.
                        return Err(Error::new(
                            ErrorCode::NO_DATA_TO_INSERT,
                            "No data to insert: name the FORMAT of the data",
                        ));
                    }
                    None => break (sample.columns.clone(), rows_of(talk, sample)?),
                },
                Heard::Failed(error) => {
                    let ended = talk.check();
                    talk.release(false);
                    return Err(ended.err().unwrap_or(error));
                }
                Heard::End => {
                    let ended = talk.check();
                    talk.release(false);
                    ended?;
                    state.lock().ended_well(change);
                    let none = RecordBatchStreamAdapter::new(Columns::default().arrow(), futures::stream::empty());
                    break (Columns::default(), Box::pin(none) as SendableRecordBatchStream);
                }
            }
        };
        let execution = Execution { context, columns, format, into_outfile, rows, totals: None };
        Ok(Reply { execution, late })
    }
}

/// The rows of a result, whose head came.
fn rows_of(talk: Talk, head: Block) -> Result<SendableRecordBatchStream> {
    let columns = head.columns.clone();
    let schema = columns.arrow();
    let first = if head.rows > 0 { Some(batch(&head)?) } else { None };
    let rows = futures::stream::unfold(Some(talk), move |talk| {
        let columns = columns.clone();
        async move {
            let mut talk = talk?;
            match next_batch(&mut talk, &columns).await {
                Ok(Ok(Some(batch))) => Some((Ok(batch), Some(talk))),
                Ok(ended) => {
                    let ended = talk.check().and(ended.map(drop));
                    talk.release(false);
                    ended.err().map(|error| (Err(error.into()), None))
                }
                Err(broken) => Some((Err(broken.into()), None)),
            }
        }
    });
    let rows = futures::stream::iter(first.map(Ok)).chain(rows);
    Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
}

/// The outer error: the connection is of no use. The inner one: the statement failed.
async fn next_batch(talk: &mut Talk, columns: &Columns) -> Result<Result<Option<RecordBatch>>> {
    loop {
        match talk.heard().await? {
            Heard::Block(block) if block.rows == 0 => {}
            // What comes after a cancellation is not asked for.
            Heard::Block(_) if talk.cancel_told => {}
            Heard::Block(block) => {
                let is_same = block.columns.len() == columns.len()
                    && block.columns.iter().zip(columns).all(|(came, known)| came.kind == known.kind);
                if !is_same {
                    let text = "A block of the result has other columns than those before it: the connection is closed";
                    return Err(Error::new(ErrorCode::UNEXPECTED_PACKET_FROM_SERVER, text));
                }
                return Ok(Ok(Some(batch(&block)?)));
            }
            Heard::TableColumns(_) => {}
            Heard::Failed(error) => return Ok(Err(error)),
            Heard::End => return Ok(Ok(None)),
        }
    }
}

fn batch(block: &Block) -> Result<RecordBatch> {
    Ok(RecordBatch::try_new(block.columns.arrow(), block.arrays.clone())?)
}

/// The error of a statement that its client gave up.
pub(crate) fn cancelled() -> Error {
    Error::new(ErrorCode::QUERY_WAS_CANCELLED, "Query was cancelled")
}
