//! One connection: hello, then queries one after another.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use arrow::array::RecordBatch;
use gristmill_access::control::Credentials;
use gristmill_base::runtime::{self, Task};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_engine::engine::timezone_name;
use gristmill_engine::{ExternalTable, Session};
use gristmill_formats::native::{BLOCK_BYTES_MAX, ByteReader};
use gristmill_introspect::Gauge;
use tokio::io::{AsyncRead, AsyncWrite};

use super::answer::Dialect;
use super::client::{Hello, Query, Words};
use super::listener::{PEER, peek, unexpected};
use super::query;
use crate::core::Core;
use crate::metered::{Interface, Meter, Metered};
use crate::sessions_log::CameIn;
use crate::traffic::Moved;
use crate::user_sessions::Open;
use gristmill_formats::native::packets::client;
use gristmill_formats::native::revision;
use gristmill_formats::native::socket::{Chunks, Output, channels, gone};

/// Until the client has said who it is.
const HELLO_LONGEST: Duration = Duration::from_secs(10);

const WRONG_PORT: &str = "HTTP/1.0 400 Bad Request\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n\
    This is the port of ClickHouse's native protocol, for clickhouse-client and drivers that speak it.\n\
    HTTP has a port of its own (8123 unless told otherwise).\n";

pub(super) struct Connection {
    pub core: Arc<Core>,
    pub reader: ByteReader<Chunks>,
    pub out: Output,
    /// Of its socket.
    pub meter: Arc<Meter>,
    pub dialect: Dialect,
    pub peer: SocketAddr,
    /// It came by TLS.
    pub is_secure: bool,
    /// Of all that the server took.
    pub number: u64,
    /// What SET and USE change.
    pub session: Session,
    /// Its place among the user's sessions.
    pub open: Option<Open>,
    /// Its entry in the log of sessions.
    pub came_in: Option<CameIn>,
    /// From what followed its hello.
    pub(super) quota_key: String,
}

/// Serves one socket to its end.
pub async fn serve(
    core: Arc<Core>,
    socket: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: SocketAddr,
    is_secure: bool,
) {
    let _counted = Gauge::TCPConnection.hold();
    let socket = Metered::of(socket, Interface::NATIVE);
    let meter = socket.meter();
    meter.wait(core.settings.send_longest());
    let (read, write) = tokio::io::split(socket);
    let (pump, chunks, out) = channels(PEER);
    let session = Session::new(core.engine.clone());
    let dialect = Dialect { revision: 0, compressed: false };
    let number = core.connections.number();
    let reader = ByteReader::new(chunks);
    let (open, came_in, quota_key) = (None, None, String::new());
    let connection =
        Connection { core, reader, out, meter, dialect, peer, is_secure, number, session, open, came_in, quota_key };
    let conversation = Task::on(&runtime::cpu(), connection.run());
    // Writing itself ends where the client takes nothing (`metered`).
    pump.run(read, write, Duration::MAX).await;
    if conversation.is_finished()
        && let Err(error) = conversation.join().await
    {
        tracing::error!("A connection from {peer} ended by a defect: {error}");
    }
}

/// What a connection moved so far.
pub(super) fn moved(meter: &Meter, out: &Output) -> Moved {
    Moved { received_bytes: meter.received_bytes(), sent_bytes: out.bytes(), sending_micros: meter.sending_micros() }
}

impl Connection {
    async fn run(mut self) {
        if let Err(error) = self.converse().await {
            tracing::debug!("Connection from {}: {error}", self.peer);
            // Who is there may be a stranger, who is not told how the server is built.
            let _ = self.out.send_whole(self.dialect.exception(&error, "")).await;
        }
    }

    /// An error is the last word.
    async fn converse(&mut self) -> Result<()> {
        let stopping = self.core.stopping.clone();
        let hello = tokio::select! {
            () = stopping.cancelled() => return Ok(()),
            hello = tokio::time::timeout(HELLO_LONGEST, self.hello()) => hello,
        };
        match hello {
            Ok(known) => {
                if !known? {
                    return Ok(());
                }
            }
            Err(_) => return Err(Error::new(ErrorCode::SOCKET_TIMEOUT, "The client did not say hello in time")),
        }
        loop {
            let longest = self.session.settings.idle_longest();
            let code = tokio::select! {
                () = stopping.cancelled() => return Ok(()),
                code = tokio::time::timeout(longest, peek(&mut self.reader)) => match code {
                    Ok(code) => code?,
                    Err(_) => return Ok(()),
                },
            };
            let Some(code) = code else { return Ok(()) };
            self.reader.advance(1);
            match u64::from(code) {
                client::PING => self.out.send_whole(self.dialect.pong()).await?,
                client::QUERY => self.query().await?,
                // It comes late: the query is over.
                client::CANCEL | client::KEEP_ALIVE => {}
                client::TABLES_STATUS => {
                    let tables = self.words().tables_status().await?;
                    let is_there = |(database, table): &(String, String)| self.session.sees_table(database, table);
                    let there: Vec<_> = tables.into_iter().filter(is_there).collect();
                    self.out.send(self.dialect.tables_status(&there)).await?;
                }
                other => return Err(unexpected(other, "a query")),
            }
        }
    }

    fn words(&mut self) -> Words<'_, Chunks> {
        Words { reader: &mut self.reader, revision: self.dialect.revision }
    }

    /// False: nothing is to follow.
    async fn hello(&mut self) -> Result<bool> {
        let Some(first) = peek(&mut self.reader).await? else { return Ok(false) };
        if matches!(first, b'G' | b'P') {
            self.out.send_whole(WRONG_PORT.as_bytes().to_vec()).await?;
            return Ok(false);
        }
        self.reader.advance(1);
        if u64::from(first) != client::HELLO {
            return Err(unexpected(u64::from(first), "the hello of a client"));
        }
        let hello = self.words().hello().await?;
        self.dialect.revision = hello.revision.min(revision::SERVER);
        self.come_in(&hello).await?;
        let timezone = timezone_name(&self.session.settings);
        let nonce = self.core.engine.env.random_u64();
        self.out.send_whole(self.dialect.hello(&timezone, &self.core.display_name, nonce)).await?;
        self.quota_key = self.words().addendum().await?;
        tracing::debug!("{} of revision {} connected from {}", hello.client, hello.revision, self.peer);
        Ok(true)
    }

    async fn come_in(&mut self, hello: &Hello) -> Result<()> {
        if hello.revision < revision::CLIENT_INFO {
            let text =
                format!("The client speaks revision {}, and the oldest known is {}", hello.revision, revision::CLIENT_INFO);
            return Err(Error::new(ErrorCode::UNEXPECTED_PACKET_FROM_CLIENT, text));
        }
        let credentials =
            Credentials { user: hello.user.clone(), password: hello.password.clone(), address: Some(self.peer.ip()) };
        let client = gristmill_introspect::Client {
            address: Some(self.peer),
            connection: self.number,
            interface: gristmill_introspect::Client::TCP,
            name: hello.client.clone(),
            revision: hello.revision,
            version: (hello.version.0, hello.version.1, 0),
            ..gristmill_introspect::Client::default()
        };
        let (identity, came_in) = self.core.come_in(credentials, "", client).await?;
        self.came_in = Some(came_in);
        self.session = self.core.session(&identity)?;
        self.meter.wait(self.session.settings.send_longest());
        let most = self.session.settings.max_sessions_for_user;
        self.open = Some(self.core.user_sessions.open(&identity.user, most)?);
        if !hello.database.is_empty() {
            self.session.check_database(&hello.database)?;
            self.session.database.clone_from(&hello.database);
        }
        Ok(())
    }

    /// An error ends the connection; one of the statement alone is told, and the connection goes on.
    async fn query(&mut self) -> Result<()> {
        let late = |_| Error::new(ErrorCode::SOCKET_TIMEOUT, "The client did not finish its query in time");
        let longest = self.session.settings.receive_longest();
        let packet = tokio::time::timeout(longest, self.words().query()).await.map_err(late)??;
        self.dialect.compressed = packet.compressed;
        let external = self.external_tables(&packet).await?;
        if let Err(error) = query::run(self, packet, external).await? {
            let stack = query::stack_of(&error, self.session.settings.calculate_text_stack_trace);
            self.out.send(self.dialect.exception(&error, &stack)).await?;
        }
        Ok(())
    }

    /// Tables that come with a query, up to an empty block: it follows every query.
    async fn external_tables(&mut self, packet: &Query) -> Result<Vec<ExternalTable>> {
        let mut tables: Vec<ExternalTable> = Vec::new();
        let mut bytes = 0;
        loop {
            let late = |_| Error::new(ErrorCode::SOCKET_TIMEOUT, "The client did not finish its tables in time");
            let longest = self.session.settings.receive_longest();
            let code =
                tokio::time::timeout(longest, peek(&mut self.reader)).await.map_err(late)??.ok_or_else(|| gone(PEER))?;
            self.reader.advance(1);
            match u64::from(code) {
                client::DATA | client::SCALAR => {}
                client::PING => {
                    self.out.send_whole(self.dialect.pong()).await?;
                    continue;
                }
                client::CANCEL => continue,
                other => return Err(unexpected(other, "the tables of a query")),
            }
            let mut data = self.words();
            let read = tokio::time::timeout(longest, data.data(packet.compressed));
            let (name, block) = read.await.map_err(late)??;
            if u64::from(code) == client::SCALAR {
                continue;
            }
            if block.is_empty() {
                return Ok(tables);
            }
            bytes += block.memory_bytes();
            if bytes > BLOCK_BYTES_MAX {
                let text = format!(
                    "The tables of a query are larger than {BLOCK_BYTES_MAX} bytes: insert them into one of the server's"
                );
                return Err(Error::new(ErrorCode::TOO_LARGE_ARRAY_SIZE, text));
            }
            let batch = RecordBatch::try_new(block.columns.arrow(), block.arrays)?;
            match tables.iter_mut().find(|table| table.name == name) {
                Some(table) if table.columns == block.columns => table.batches.push(batch),
                Some(_) => {
                    return Err(Error::new(
                        ErrorCode::INCORRECT_DATA,
                        format!("The blocks of the table {name} have different columns"),
                    ));
                }
                None => tables.push(ExternalTable { name, columns: block.columns, batches: vec![batch] }),
            }
        }
    }
}
