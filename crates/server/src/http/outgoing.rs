//! The bytes of a result on their way out: framed and compressed as the client asked, held back for a while, then sent as
//! they come.
//!
//! While nothing has left, an error can still have a status of its own; so up to `buffer_size` bytes wait for the end of
//! the query, or all of them with `wait_end_of_query`: beyond some megabytes in a file. Who asked for neither gets what
//! is there after `HOLD_LONGEST`, and what comes then as it comes: the rows of a slow query are not kept from its client.

use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use gristmill_base::spending::Wait;
use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_formats::Compression;
use gristmill_formats::compression::Encoder;
use gristmill_introspect::QueryContext;
use hyper::http::response;

use super::answer::Responder;
use crate::metered::Meter;
use crate::traffic::{Moved, Received, Traffic};
use gristmill_formats::native::frames;

/// Bytes that are sent at a time.
const CHUNK_BYTES: usize = 256 << 10;
/// Bytes that wait in memory; more wait in a file.
const HELD_BYTES: usize = 16 << 20;
/// Rows do not wait longer for an error, unless the client wants them to.
const HOLD_LONGEST: Duration = Duration::from_millis(500);
/// How often a query whose client takes nothing is asked whether it goes on.
const CHECK: Duration = Duration::from_millis(100);

/// How a result is wrapped.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wrapping {
    /// `compress=1`: frames of the native protocol.
    pub framed: bool,
    /// `Content-Encoding`.
    pub codec: Compression,
    /// Level of gzip and deflate.
    pub level: i32,
}

/// What waits for the end of the query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holding {
    /// All of the result.
    All,
    /// So many bytes.
    Bytes(usize),
    /// So many bytes, for `HOLD_LONGEST`.
    Briefly(usize),
}

pub struct Outgoing {
    responder: Responder,
    wrapping: Wrapping,
    encoder: Option<Encoder>,
    held: Held,
    holding: Holding,
    /// The query, once it has begun.
    context: Option<Arc<QueryContext>>,
    traffic: Option<Traffic>,
    /// Of the connection's socket.
    meter: Arc<Meter>,
    /// The body of the request.
    received: Arc<Received>,
    /// Bytes that were handed over so far.
    sent_bytes: u64,
}

/// Bytes that wait.
struct Held {
    memory: Vec<u8>,
    file: Option<std::fs::File>,
    folder: PathBuf,
}

fn failed(error: std::io::Error) -> Error {
    Error::from(error)
        .with_context("while keeping the result in a temporary file until the query is over (wait_end_of_query)")
}

impl Held {
    fn push(&mut self, bytes: &[u8]) -> Result<()> {
        if self.file.is_none() && self.memory.len() + bytes.len() > HELD_BYTES {
            std::fs::create_dir_all(&self.folder).map_err(failed)?;
            let mut file = tempfile::tempfile_in(&self.folder).map_err(failed)?;
            file.write_all(&std::mem::take(&mut self.memory)).map_err(failed)?;
            self.file = Some(file);
        }
        match &mut self.file {
            Some(file) => file.write_all(bytes).map_err(failed)?,
            None => self.memory.extend_from_slice(bytes),
        }
        Ok(())
    }

    fn is_empty(&self) -> bool {
        self.memory.is_empty() && self.file.is_none()
    }

    fn clear(&mut self) {
        self.memory = Vec::new();
        self.file = None;
    }
}

/// Sends bytes as fast as the client takes them. A query whose client takes nothing can still be killed, and its time runs
/// out. Errors: QUERY_WAS_CANCELLED, SOCKET_TIMEOUT, those of the query's limits.
async fn send(responder: &Responder, context: Option<&QueryContext>, meter: &Meter, bytes: Vec<u8>) -> Result<()> {
    let _waiting = context.and_then(|context| context.waits_for(Wait::Client));
    let mut rest = Bytes::from(bytes);
    while !rest.is_empty() {
        let piece = rest.split_to(rest.len().min(CHUNK_BYTES));
        loop {
            match tokio::time::timeout(CHECK, responder.room()).await {
                Ok(Some(room)) => {
                    room.send(Ok(piece));
                    break;
                }
                Ok(None) => return Err(Error::new(ErrorCode::QUERY_WAS_CANCELLED, "Query was cancelled: its client left")),
                // No room so far.
                Err(_) => {}
            }
            if let Some(context) = context {
                context.check()?;
            }
            // By what the socket takes, not by whole pieces: a slow client takes its time for one.
            if meter.is_overdue() {
                let text = "The client took nothing of the answer for as long as it may (http_send_timeout)";
                return Err(Error::new(ErrorCode::SOCKET_TIMEOUT, text));
            }
        }
    }
    Ok(())
}

impl Outgoing {
    /// `folder`: for temporary files. `from`: the connection's socket, and what came of the request's body.
    pub fn new(
        responder: Responder,
        wrapping: Wrapping,
        holding: Holding,
        folder: PathBuf,
        from: (Arc<Meter>, Arc<Received>),
    ) -> Outgoing {
        let level = matches!(wrapping.codec, Compression::Gzip | Compression::Deflate).then_some(wrapping.level.clamp(0, 9));
        let encoder = (wrapping.codec != Compression::None).then(|| wrapping.codec.encoder(level));
        let held = Held { memory: Vec::new(), file: None, folder };
        let (meter, received) = from;
        let (context, traffic, sent_bytes) = (None, None, 0);
        Outgoing { responder, wrapping, encoder, held, holding, context, traffic, meter, received, sent_bytes }
    }

    /// The query has begun: what was and is received and sent is its own.
    pub fn begins(&mut self, context: &Arc<QueryContext>) {
        self.received.is_of(context.counters.clone());
        self.traffic = Some(Traffic::begin(context, self.moved()));
        self.context = Some(context.clone());
    }

    /// The body of the request is counted where it is read.
    fn moved(&self) -> Moved {
        Moved { received_bytes: 0, sent_bytes: self.sent_bytes, sending_micros: self.meter.sending_micros() }
    }

    fn note_sent(&mut self, bytes: usize) {
        self.sent_bytes += bytes as u64;
        let now = self.moved();
        self.traffic.iter_mut().for_each(|traffic| traffic.moved(now));
    }

    pub fn head_is_sent(&self) -> bool {
        self.responder.head_is_sent()
    }

    /// Bytes of a result that are worth handing over.
    pub fn chunk_bytes(&self) -> usize {
        match self.holding {
            Holding::Bytes(most) => most.clamp(1, CHUNK_BYTES),
            Holding::All | Holding::Briefly(_) => CHUNK_BYTES,
        }
    }

    /// Whether there is anything to send that need not wait for more. `fresh`: some was not handed over yet.
    pub fn is_due(&self, fresh: bool) -> bool {
        if self.head_is_sent() { fresh } else { (fresh || !self.held.is_empty()) && self.has_waited() }
    }

    fn has_waited(&self) -> bool {
        matches!(self.holding, Holding::Briefly(_))
            && self.context.as_ref().is_some_and(|context| context.elapsed() >= HOLD_LONGEST)
    }

    fn wrapped(&mut self, bytes: &[u8], last: bool) -> Result<Vec<u8>> {
        if bytes.is_empty() && !last {
            return Ok(Vec::new());
        }
        let mut framed = Vec::new();
        let plain = if self.wrapping.framed {
            frames::write(bytes, &mut framed)?;
            &framed[..]
        } else {
            bytes
        };
        let mut out = Vec::new();
        match &mut self.encoder {
            Some(encoder) => {
                encoder.write(plain, &mut out).context(|| "while compressing an answer".to_string())?;
                if last {
                    encoder.finish(&mut out)?;
                }
            }
            None => out.extend_from_slice(plain),
        }
        Ok(out)
    }

    /// Takes bytes of the result, and sends what need not wait; `head` is asked for where that is the first. Error:
    /// QUERY_WAS_CANCELLED where the client left.
    pub async fn push(&mut self, bytes: &[u8], head: impl FnOnce() -> response::Parts) -> Result<()> {
        let wrapped = self.wrapped(bytes, false)?;
        if self.head_is_sent() {
            return self.send(wrapped).await;
        }
        self.held.push(&wrapped)?;
        let is_much = match self.holding {
            Holding::All => false,
            Holding::Bytes(most) | Holding::Briefly(most) => self.held.memory.len() > most || self.held.file.is_some(),
        };
        if is_much || self.has_waited() {
            self.responder.begin(head());
            return self.release().await;
        }
        Ok(())
    }

    async fn send(&mut self, bytes: Vec<u8>) -> Result<()> {
        let count = bytes.len();
        send(&self.responder, self.context.as_deref(), &self.meter, bytes).await?;
        self.note_sent(count);
        Ok(())
    }

    async fn release(&mut self) -> Result<()> {
        let memory = std::mem::take(&mut self.held.memory);
        let Some(mut file) = self.held.file.take() else { return self.send(memory).await };
        file.seek(SeekFrom::Start(0)).map_err(failed)?;
        loop {
            let mut piece = vec![0; CHUNK_BYTES];
            let read = file.read(&mut piece).map_err(failed)?;
            if read == 0 {
                return Ok(());
            }
            piece.truncate(read);
            self.send(piece).await?;
        }
    }

    /// The end of the result. The query is over: its limits do not hold for what is still to be sent.
    pub async fn finish(mut self, bytes: &[u8], head: impl FnOnce() -> response::Parts) -> Result<()> {
        self.context = None;
        let wrapped = self.wrapped(bytes, true)?;
        if self.head_is_sent() {
            self.send(wrapped).await?;
            // It is in the log before the client hears of the end.
            self.traffic = None;
            self.responder.end();
            return Ok(());
        }
        self.held.push(&wrapped)?;
        if self.held.file.is_none() {
            let body = Bytes::from(std::mem::take(&mut self.held.memory));
            self.note_sent(body.len());
            self.traffic = None;
            self.responder.whole(head(), body);
            return Ok(());
        }
        self.responder.begin(head());
        self.release().await?;
        self.traffic = None;
        self.responder.end();
        Ok(())
    }

    /// The query failed. Before anything was sent the answer is the error, with `head`; behind bytes that were sent comes a
    /// mark that clients look for, and the answer is broken off. `tag` is that of the header X-ClickHouse-Exception-Tag.
    pub async fn fail(mut self, error: &Error, text: &str, tag: &str, head: impl FnOnce() -> response::Parts) {
        self.traffic = None;
        if !self.head_is_sent() {
            self.held.clear();
            let mut body = text.as_bytes().to_vec();
            body.push(b'\n');
            if self.wrapping.framed {
                let mut framed = Vec::new();
                if frames::write(&body, &mut framed).is_ok() {
                    body = framed;
                }
            }
            self.responder.whole(head(), Bytes::from(body));
            return;
        }
        let mark = exception_mark(text, tag);
        if let Ok(wrapped) = self.wrapped(mark.as_bytes(), true) {
            // The query is over, and its limits with it; what a client does not take is cut off.
            let _ = tokio::time::timeout(MARK_LONGEST, send(&self.responder, None, &self.meter, wrapped)).await;
        }
        self.responder.break_off(error.clone()).await;
    }
}

/// The mark of an error waits for room as long.
const MARK_LONGEST: Duration = Duration::from_secs(5);
/// Bytes of the text of a mark.
const MARKED_BYTES_MAX: usize = 15 << 10;

fn exception_mark(text: &str, tag: &str) -> String {
    let mut end = text.len().min(MARKED_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = format!("{}\n", &text[..end]);
    format!("\r\n__exception__\r\n{tag}\r\n{text}{} {tag}\r\n__exception__\r\n", text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_of_an_error_tells_its_length_behind_it() {
        let mark = exception_mark("Code: 1. no", "abcdefghijklmnop");
        assert_eq!(mark, "\r\n__exception__\r\nabcdefghijklmnop\r\nCode: 1. no\n12 abcdefghijklmnop\r\n__exception__\r\n");
        assert!(exception_mark(&"ö".repeat(20_000), "t").len() < 16 << 10);
    }

    #[test]
    fn what_waits_goes_to_a_file_when_it_is_much() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut held = Held { memory: Vec::new(), file: None, folder: folder.path().join("tmp") };
        held.push(&vec![1; HELD_BYTES]).expect("holds");
        assert!(held.file.is_none());
        held.push(b"more").expect("holds");
        let file = held.file.as_ref().expect("a file");
        assert_eq!(file.metadata().expect("is there").len(), HELD_BYTES as u64 + 4);
    }
}
