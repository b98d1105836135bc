//! What servers send: the packets' bodies, read field by field. Every field is there from some revision on (`revision`);
//! every length is bounded, and a packet that is none of the protocol's is an error and no panic.

use bytes::Bytes;
use futures::Stream;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_formats::native::packets::server::*;
use gristmill_formats::native::{Block, ByteReader, Revision, frames, read_block, revision};

use crate::connection::ServerInfo;

/// Bytes of names, messages and stack traces.
const WORD_BYTES_MAX: usize = 16 << 20;
/// Exceptions within exceptions, and rules for passwords.
const LIST_MAX: u64 = 10_000;
/// The first byte of a server of HTTP.
const HTTP: u64 = b'H' as u64;
/// The first byte of a server of TLS that does not understand what it hears.
const TLS_ALERT: u64 = 21;

/// What was done since the last packet of this kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProgressTold {
    pub read_rows: u64,
    pub read_bytes: u64,
    pub total_rows: u64,
    pub total_bytes: u64,
    pub written_rows: u64,
    pub written_bytes: u64,
}

/// What is known of a result at its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProfileInfo {
    /// Rows there would be without LIMIT; `None`: there was none.
    pub rows_before_limit: Option<u64>,
}

/// A packet of a server.
#[derive(Debug)]
pub enum Packet {
    Data(Block),
    Totals(Block),
    Extremes(Block),
    Log(Block),
    ProfileEvents(Block),
    /// And the calls that led to it, a line each; empty where the server keeps them to itself.
    Exception(Error, String),
    Progress(ProgressTold),
    ProfileInfo(ProfileInfo),
    TableColumns(String),
    TimezoneUpdate(String),
    Pong,
    EndOfStream,
}

/// A packet that has no business there.
pub fn unexpected(code: u64, instead: &str) -> Error {
    Error::new(
        ErrorCode::UNEXPECTED_PACKET_FROM_SERVER,
        format!("Unexpected packet {code} from server, where {instead} should come: the connection is closed"),
    )
}

/// The words of a packet, out of a stream of chunks.
pub struct Words<'a, S> {
    pub reader: &'a mut ByteReader<S>,
    pub revision: u64,
    /// Whether blocks are compressed.
    pub compressed: bool,
}

impl<S: Stream<Item = Result<Bytes>> + Unpin + Send> Words<'_, S> {
    async fn word(&mut self) -> Result<String> {
        self.reader.begin();
        self.reader.string(WORD_BYTES_MAX).await
    }

    async fn number(&mut self) -> Result<u64> {
        self.reader.varuint().await
    }

    fn has(&self, from: u64) -> bool {
        self.revision >= from
    }

    /// The answer to our hello. Errors: what the server says, CLIENT_HAS_CONNECTED_TO_WRONG_PORT.
    pub async fn hello(&mut self) -> Result<ServerInfo> {
        match self.number().await? {
            HELLO => {}
            EXCEPTION => return Err(self.exception().await?.0),
            HTTP => {
                let text = "The server speaks HTTP on this port: the native protocol is on 9000 unless told otherwise, 9440 over TLS";
                return Err(Error::new(ErrorCode::CLIENT_HAS_CONNECTED_TO_WRONG_PORT, text));
            }
            TLS_ALERT => {
                let text =
                    "The server speaks TLS on this port: give --secure, or its port for the native protocol without TLS";
                return Err(Error::new(ErrorCode::CLIENT_HAS_CONNECTED_TO_WRONG_PORT, text));
            }
            other => return Err(unexpected(other, "the hello of a server")),
        }
        let name = self.word().await?;
        let (major, minor) = (self.number().await?, self.number().await?);
        let announced = self.number().await?;
        self.revision = announced.min(revision::CLIENT);
        if self.revision < revision::CLIENT_INFO {
            let text = format!("The server speaks revision {announced}, and the oldest known is {}", revision::CLIENT_INFO);
            return Err(Error::new(ErrorCode::UNEXPECTED_PACKET_FROM_SERVER, text));
        }
        let mut info = ServerInfo { name, revision: self.revision, ..ServerInfo::default() };
        if self.has(revision::SERVER_TIMEZONE) {
            info.timezone = self.word().await?;
        }
        if self.has(revision::DISPLAY_NAME) {
            info.display_name = self.word().await?;
        }
        let patch = if self.has(revision::VERSION_PATCH) { self.number().await? } else { 0 };
        info.version = (major, minor, patch);
        if self.has(revision::PASSWORD_RULES) {
            let rules = self.number().await?;
            if rules > LIST_MAX {
                return Err(Error::new(
                    ErrorCode::INCORRECT_DATA,
                    format!("{rules} rules for passwords: {LIST_MAX} are the most"),
                ));
            }
            for _ in 0..rules {
                let _pattern = self.word().await?;
                let _message = self.word().await?;
            }
        }
        if self.has(revision::INTERSERVER_NONCE) {
            self.reader.u64().await?;
        }
        Ok(info)
    }

    /// The next packet of an answer.
    pub async fn packet(&mut self) -> Result<Packet> {
        self.reader.begin();
        Ok(match self.number().await? {
            DATA => Packet::Data(self.block(true).await?),
            TOTALS => Packet::Totals(self.block(true).await?),
            EXTREMES => Packet::Extremes(self.block(true).await?),
            LOG => Packet::Log(self.block(false).await?),
            PROFILE_EVENTS => Packet::ProfileEvents(self.block(false).await?),
            EXCEPTION => {
                let (error, stack) = self.exception().await?;
                Packet::Exception(error, stack)
            }
            PROGRESS => Packet::Progress(self.progress().await?),
            PROFILE_INFO => Packet::ProfileInfo(self.profile_info().await?),
            TABLE_COLUMNS => {
                self.word().await?;
                Packet::TableColumns(self.word().await?)
            }
            TIMEZONE_UPDATE => Packet::TimezoneUpdate(self.word().await?),
            PONG => Packet::Pong,
            END_OF_STREAM => Packet::EndOfStream,
            other => return Err(unexpected(other, "a part of the answer")),
        })
    }

    /// `of_result`: it is compressed where blocks are; others are from some later revision on.
    async fn block(&mut self, of_result: bool) -> Result<Block> {
        // The name of an external table: none.
        self.word().await?;
        let revision = Revision(self.revision);
        let block = if self.compressed && (of_result || self.has(revision::COMPRESSED_LOGS)) {
            read_block(&mut ByteReader::new(frames::within(self.reader)), revision).await?
        } else {
            read_block(self.reader, revision).await?
        };
        block.ok_or_else(|| {
            Error::new(ErrorCode::ATTEMPT_TO_READ_AFTER_EOF, "The server ended the connection before a block")
        })
    }

    /// The exception, with those in it, and the stack of the outermost.
    async fn exception(&mut self) -> Result<(Error, String)> {
        let mut outer: Option<(ErrorCode, String, String)> = None;
        for _ in 0..LIST_MAX {
            let code = ErrorCode(self.reader.i32().await?);
            let name = self.word().await?;
            let message = self.word().await?;
            let stack = self.word().await?;
            let is_nested = self.reader.byte().await? != 0;
            let prefix = format!("{name}: ");
            let message = message.strip_prefix(&prefix).unwrap_or(&message).to_string();
            outer = Some(match outer {
                None => (code, message, stack),
                Some((code, text, stack)) => (code, format!("{text}: {message}"), stack),
            });
            if !is_nested {
                break;
            }
        }
        let (code, message, stack) =
            outer.unwrap_or((ErrorCode::UNEXPECTED_PACKET_FROM_SERVER, String::new(), String::new()));
        // The name of the code stands behind the message again when it is shown.
        let suffix = format!(" ({})", code.name());
        Ok((Error::new(code, message.strip_suffix(&suffix).unwrap_or(&message)), stack))
    }

    async fn progress(&mut self) -> Result<ProgressTold> {
        let mut told = ProgressTold {
            read_rows: self.number().await?,
            read_bytes: self.number().await?,
            total_rows: self.number().await?,
            ..ProgressTold::default()
        };
        if self.has(revision::TOTAL_BYTES_IN_PROGRESS) {
            told.total_bytes = self.number().await?;
        }
        if self.has(revision::WRITTEN_PROGRESS) {
            told.written_rows = self.number().await?;
            told.written_bytes = self.number().await?;
        }
        if self.has(revision::ELAPSED_IN_PROGRESS) {
            self.number().await?;
        }
        Ok(told)
    }

    async fn profile_info(&mut self) -> Result<ProfileInfo> {
        for _ in ["rows", "blocks", "bytes"] {
            self.number().await?;
        }
        let has_limit = self.reader.byte().await? != 0;
        let rows_before_limit = self.number().await?;
        self.reader.byte().await?;
        if self.has(revision::AGGREGATION_IN_PROFILE_INFO) {
            self.reader.byte().await?;
            self.number().await?;
        }
        Ok(ProfileInfo { rows_before_limit: has_limit.then_some(rows_before_limit) })
    }
}
