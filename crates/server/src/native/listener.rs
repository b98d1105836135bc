//! While a query runs, its client may cancel it, ping, or send the blocks of an INSERT: this listens to it.
//!
//! An INSERT asks for its rows by `ClientBlocks::begin`. The client is then told the columns, and each of its blocks is
//! converted and handed to the query, one at a time, up to the empty block. Only that empty block ends the rows: where the
//! connection breaks instead, the query gets an error, and nothing is committed.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use arrow::array::RecordBatch;
use futures::stream::{BoxStream, StreamExt};
use gristmill_base::allocations::counted;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_engine::ClientBlocks;
use gristmill_engine::engine::timezone;
use gristmill_formats::native::{Block, ByteReader};
use gristmill_introspect::{Counters, QueryContext};
use gristmill_types::Columns;
use gristmill_types::cast::CastOptions;
use tokio::sync::{mpsc, oneshot};

use super::answer::{BlockPacket, Dialect};
use super::client::Words;
use super::told::EventsTold;
use crate::traffic::{awaited, count_wait};
use gristmill_formats::native::packets::client;
use gristmill_formats::native::revision;
use gristmill_formats::native::socket::{Chunks, Output, gone};

/// Who is at the other end, as errors call it.
pub const PEER: &str = "client";

/// Rows of a batch, as those of the formats.
const BATCH_ROWS: usize = 65_409;

/// What an INSERT wants.
struct Wanted {
    given: Columns,
    table: Columns,
    context: Arc<QueryContext>,
}

enum Fed {
    Rows(RecordBatch),
    End,
}

/// The INSERT's side.
struct Blocks {
    wanted: oneshot::Sender<Wanted>,
    rows: mpsc::Receiver<Result<Fed>>,
}

impl ClientBlocks for Blocks {
    fn begin(
        self: Box<Self>,
        given: &Columns,
        table: &Columns,
        context: &Arc<QueryContext>,
    ) -> BoxStream<'static, Result<RecordBatch>> {
        let wanted = Wanted { given: given.clone(), table: table.clone(), context: context.clone() };
        // Where nobody listens any more, the rows end with an error.
        let _ = self.wanted.send(wanted);
        futures::stream::try_unfold(self.rows, |mut rows| async move {
            match rows.recv().await {
                Some(Ok(Fed::Rows(batch))) => Ok(Some((batch, rows))),
                Some(Ok(Fed::End)) => Ok(None),
                Some(Err(error)) => Err(error),
                None => Err(Error::new(ErrorCode::NETWORK_ERROR, "The client left before the end of the rows to insert")),
            }
        })
        .boxed()
    }
}

/// What was heard of the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    Cancel,
    /// All rows of the INSERT are here.
    End,
}

/// The client's side.
pub struct Listener<'a> {
    pub reader: &'a mut ByteReader<Chunks>,
    out: &'a Output,
    dialect: Dialect,
    host: &'a str,
    wanted: Option<oneshot::Receiver<Wanted>>,
    rows: mpsc::Sender<Result<Fed>>,
    /// The INSERT whose blocks come now.
    feeding: Option<Feeding>,
    /// A client that is to send something and sends nothing for so long is gone.
    longest: Duration,
    /// Whether the client was told what to send.
    pub asked: Arc<AtomicBool>,
    /// The query failed: the client is told nothing more of it.
    pub muted: Arc<AtomicBool>,
}

struct Feeding {
    wanted: Wanted,
    options: CastOptions,
    events: EventsTold,
}

impl<'a> Listener<'a> {
    /// The listener, and what an INSERT gets its rows by.
    pub fn new(
        reader: &'a mut ByteReader<Chunks>,
        out: &'a Output,
        dialect: Dialect,
        host: &'a str,
        longest: Duration,
    ) -> (Self, Box<dyn ClientBlocks>) {
        let (wanted_sender, wanted) = oneshot::channel();
        let (rows, rows_receiver) = mpsc::channel(1);
        let wanted = Some(wanted);
        let listener = Listener {
            reader,
            out,
            dialect,
            host,
            wanted,
            rows,
            feeding: None,
            longest,
            asked: Arc::default(),
            muted: Arc::default(),
        };
        (listener, Box::new(Blocks { wanted: wanted_sender, rows: rows_receiver }))
    }

    /// The next thing that the client has to say. An error: the connection is of no use any more. Between two calls the
    /// reader stands before a packet; a call must not be given up while blocks come.
    pub async fn hear(mut self) -> (Self, Result<Heard>) {
        let heard = self.next().await;
        (self, heard)
    }

    async fn next(&mut self) -> Result<Heard> {
        loop {
            if let Some(feeding) = &self.feeding {
                // The query gets the blocks, and frees them.
                let context = &feeding.wanted.context;
                let (tally, counters) = (context.memory.tally().cloned(), context.counters.clone());
                return counted(tally, self.feed(&counters)).await;
            }
            let (reader, wanted) = (&mut *self.reader, &mut self.wanted);
            let asked = async {
                match wanted {
                    Some(wanted) => wanted.await.ok(),
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                asked = asked => {
                    self.wanted = None;
                    if let Some(wanted) = asked {
                        self.ask(wanted).await?;
                    }
                }
                code = peek(reader) => match u64::from(code?.ok_or_else(|| gone(PEER))?) {
                    client::CANCEL => {
                        self.reader.advance(1);
                        return Ok(Heard::Cancel);
                    }
                    client::PING => {
                        self.reader.advance(1);
                        self.out.send_whole(self.dialect.pong()).await?;
                    }
                    // It is meant for later.
                    _ => match self.wanted.take() {
                        Some(wanted) => if let Ok(wanted) = wanted.await {
                            self.ask(wanted).await?;
                        },
                        None => std::future::pending().await,
                    },
                },
            }
        }
    }

    /// Tells the client which columns to send.
    async fn ask(&mut self, wanted: Wanted) -> Result<()> {
        let settings = &wanted.context.settings;
        if self.dialect.revision >= revision::COLUMN_DEFAULTS && settings.input_format_defaults_for_omitted_fields {
            self.out.send_whole(self.dialect.table_columns(&wanted.table)).await?;
        }
        self.out.send_whole(self.dialect.block(BlockPacket::Data, &wanted.given, None)?).await?;
        let options = CastOptions {
            timezone: timezone(settings)?,
            null_as_default: settings.input_format_null_as_default,
            saturates: true,
            ..CastOptions::default()
        };
        self.asked.store(true, Ordering::Release);
        self.feeding = Some(Feeding { wanted, options, events: EventsTold::default() });
        Ok(())
    }

    /// Reads packets up to the end of the rows. What the query no longer wants is dropped.
    async fn feed(&mut self, counters: &Counters) -> Result<Heard> {
        loop {
            let (code, waited) = awaited(tokio::time::timeout(self.longest, peek(self.reader))).await;
            count_wait(counters, waited);
            let code = code.map_err(|_| late(self.longest))??;
            let code = u64::from(code.ok_or_else(|| gone(PEER))?);
            if code == client::QUERY && self.muted.load(Ordering::Acquire) {
                // The client gave up after an exception, and asks for something else.
                self.feeding = None;
                return Ok(Heard::End);
            }
            self.reader.advance(1);
            match code {
                client::DATA => {
                    let mut words = Words { reader: self.reader, revision: self.dialect.revision };
                    let (read, waited) =
                        awaited(tokio::time::timeout(self.longest, words.data(self.dialect.compressed))).await;
                    count_wait(counters, waited);
                    let (_, block) = read.map_err(|_| late(self.longest))??;
                    if block.is_empty() {
                        let _ = self.rows.send(Ok(Fed::End)).await;
                        self.tell_events().await?;
                        self.feeding = None;
                        return Ok(Heard::End);
                    }
                    self.take(&block).await?;
                }
                client::CANCEL => {
                    self.feeding = None;
                    return Ok(Heard::Cancel);
                }
                client::PING => self.out.send_whole(self.dialect.pong()).await?,
                other => return Err(unexpected(other, "the rows of an INSERT")),
            }
        }
    }

    async fn take(&mut self, block: &Block) -> Result<()> {
        let Some(feeding) = &self.feeding else { return Ok(()) };
        let (given, settings) = (&feeding.wanted.given, &feeding.wanted.context.settings);
        let adopted = check_columns(&block.columns, given)
            .and_then(|()| block.adopt(given, &given.arrow(), settings.input_format_skip_unknown_fields, &feeding.options));
        match adopted {
            Ok(batch) => {
                for from in (0..batch.num_rows()).step_by(BATCH_ROWS) {
                    let rows = batch.slice(from, BATCH_ROWS.min(batch.num_rows() - from));
                    if self.rows.send(Ok(Fed::Rows(rows))).await.is_err() {
                        break;
                    }
                }
            }
            Err(error) => drop(self.rows.send(Err(error)).await),
        }
        self.tell_events().await
    }

    /// Clients wait for this after each block.
    async fn tell_events(&mut self) -> Result<()> {
        let Some(feeding) = &mut self.feeding else { return Ok(()) };
        let is_off = !feeding.wanted.context.settings.send_profile_events || self.muted.load(Ordering::Acquire);
        if is_off || self.dialect.revision < revision::PROFILE_EVENTS_IN_INSERT {
            return Ok(());
        }
        let (columns, rows) = feeding.events.next(self.host, &feeding.wanted.context)?;
        self.out.send_whole(self.dialect.block(BlockPacket::ProfileEvents, &columns, Some(&rows))?).await
    }
}

/// A client was told what to send: a column that is none of it is a mistake, not one of a file to be passed over. Errors:
/// NO_SUCH_COLUMN_IN_TABLE, DUPLICATE_COLUMN.
fn check_columns(sent: &Columns, given: &Columns) -> Result<()> {
    let mut seen = HashSet::new();
    for column in sent.iter() {
        if given.get(&column.name).is_none() {
            let names = given.names().join(", ");
            let text = format!("The block has a column {} that is not among those to be inserted: {names}", column.name);
            return Err(Error::new(ErrorCode::NO_SUCH_COLUMN_IN_TABLE, text));
        }
        if !seen.insert(&column.name) {
            return Err(Error::new(ErrorCode::DUPLICATE_COLUMN, format!("The block has the column {} twice", column.name)));
        }
    }
    Ok(())
}

fn late(longest: Duration) -> Error {
    let text = format!("The client sent nothing for {} seconds (receive_timeout)", longest.as_secs_f64());
    Error::new(ErrorCode::SOCKET_TIMEOUT, text)
}

pub fn unexpected(code: u64, instead: &str) -> Error {
    Error::new(
        ErrorCode::UNEXPECTED_PACKET_FROM_CLIENT,
        format!("Unexpected packet {code} from client, where {instead} should come"),
    )
}

/// The first byte of the next packet, left where it is. `None`: the client is gone. May be given up at any time.
pub async fn peek(reader: &mut ByteReader<Chunks>) -> Result<Option<u8>> {
    while reader.held().is_empty() {
        if !reader.fill().await? {
            return Ok(None);
        }
    }
    Ok(reader.held().first().copied())
}
