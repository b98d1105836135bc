//! Clients that close their side of the connection once they have asked, as `nc -N` does, and wait for the answer.
//!
//! The end of what a client says looks the same whether it still listens or has left: only what is sent to it tells, because a
//! socket that nobody has any more answers with a reset. So while a request is being answered, the end is met by a byte of the
//! answer itself, sent ahead: every answer begins with `HTTP/1.`, and a chunk may have zeros before its length. What was sent
//! ahead is left out when hyper writes it. Who has left resets the connection, which drops it with the query, at once; who
//! listens gets the same bytes as ever. (hyper itself is told to let clients half close, and does not look at what they say in
//! the meantime.)

use std::io;
use std::os::fd::AsFd;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use gristmill_base::Error;
use hyper::body::{Body, Frame, SizeHint};
use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::Notify;

use super::answer::AnswerBody;

/// What every answer begins with, whatever its version and status.
const BEGINNING: &[u8] = b"HTTP/1.";
/// Zeros before the length of one chunk.
const ZEROS_MAX: usize = 8;
/// How soon a reset is seen.
const LOOK: Duration = Duration::from_millis(20);
/// Between the first byte that is sent ahead and the next; each pause is twice the one before.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// Where the client says more than hyper reads (the next request), its end stands behind it.
const UNREAD: Duration = Duration::from_millis(100);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Nothing is being answered.
    Idle,
    /// The head of the answer is not written.
    Asked,
    Answering,
}

struct State {
    phase: Phase,
    /// Bytes of what hyper writes next that have been sent.
    ahead: usize,
    is_chunked: bool,
    /// The answer is over, though its head may not be written.
    is_over: bool,
    /// All that hyper wrote is sent, so that the next byte is the first of a chunk.
    is_flushed: bool,
}

/// A connection, as the task that watches it and hyper share it.
pub struct Line {
    socket: TcpStream,
    state: Mutex<State>,
    asked: Notify,
}

impl Line {
    pub fn new(socket: TcpStream) -> Arc<Line> {
        let state = State { phase: Phase::Idle, ahead: 0, is_chunked: false, is_over: false, is_flushed: true };
        Arc::new(Line { socket, state: Mutex::new(state), asked: Notify::new() })
    }

    /// A request has begun; its answer has not.
    pub fn ask(self: &Arc<Self>) -> Asked {
        let mut state = self.state.lock();
        (state.phase, state.ahead, state.is_chunked, state.is_over) = (Phase::Asked, 0, false, false);
        self.asked.notify_one();
        Asked(self.clone())
    }

    fn is_idle(&self) -> bool {
        self.state.lock().phase == Phase::Idle
    }

    /// Comes back when the client has left for good while it is being answered.
    pub async fn left(&self) {
        loop {
            if self.is_idle() {
                self.asked.notified().await;
                continue;
            }
            match self.socket.peek(&mut [0]).await {
                Ok(0) => return self.answers_reset().await,
                Ok(_) => tokio::time::sleep(UNREAD).await,
                Err(_) => return,
            }
        }
    }

    async fn answers_reset(&self) {
        let (mut pause, mut waited) = (FIRST_PAUSE, FIRST_PAUSE);
        loop {
            if waited >= pause && !self.is_idle() {
                if self.send_ahead().is_err() {
                    return;
                }
                (pause, waited) = (pause * 2, Duration::ZERO);
            }
            if !matches!(self.socket.take_error(), Ok(None)) {
                return;
            }
            tokio::time::sleep(LOOK).await;
            waited += LOOK;
        }
    }

    /// One byte of the answer, where one is known.
    fn send_ahead(&self) -> io::Result<()> {
        let mut state = self.state.lock();
        let byte = match state.phase {
            _ if state.is_over => None,
            Phase::Asked => BEGINNING.get(state.ahead),
            Phase::Answering if state.is_chunked && state.is_flushed && state.ahead < ZEROS_MAX => Some(&b'0'),
            _ => None,
        };
        let Some(byte) = byte else { return Ok(()) };
        match self.socket.try_write(&[*byte]) {
            Ok(sent) => {
                state.ahead += sent;
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// A request, until its answer is over.
pub struct Asked(Arc<Line>);

impl Asked {
    /// The answer's head is made; whether its body comes in chunks.
    pub fn answers(&self, is_chunked: bool) {
        let mut state = self.0.state.lock();
        // A part of the head may have left before: the rest of it comes before the first chunk.
        (state.is_chunked, state.is_flushed) = (is_chunked, false);
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        state.is_over = true;
        // The head of a short answer is written after its end.
        if state.phase == Phase::Answering || state.ahead == 0 {
            state.phase = Phase::Idle;
        }
    }
}

/// An answer, and the request that it belongs to.
pub struct AnswerOf {
    pub body: AnswerBody,
    pub _asked: Option<Asked>,
}

impl Body for AnswerOf {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        Pin::new(&mut self.body).poll_frame(task)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// hyper's side of the connection.
pub struct Stream(pub Arc<Line>);

impl Stream {
    /// Leaves out what was sent ahead.
    fn write(&self, task: &mut Context<'_>, slices: &[io::IoSlice<'_>]) -> Poll<io::Result<usize>> {
        let line = &*self.0;
        loop {
            ready!(line.socket.poll_write_ready(task))?;
            let mut state = line.state.lock();
            let first = slices.iter().find(|slice| !slice.is_empty());
            let left_out = match state.phase {
                Phase::Asked => state.ahead.min(first.map_or(0, |first| first.len())),
                _ => 0,
            };
            let sent = match first {
                Some(first) if left_out > 0 && left_out == first.len() => Ok(0),
                Some(first) if left_out > 0 => line.socket.try_write(&first[left_out..]),
                _ => line.socket.try_write_vectored(slices),
            };
            match sent {
                Ok(sent) => {
                    (state.ahead, state.is_flushed) = (0, false);
                    if state.phase == Phase::Asked {
                        state.phase = if state.is_over { Phase::Idle } else { Phase::Answering };
                    }
                    return Poll::Ready(Ok(left_out + sent));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }
}

impl AsyncRead for Stream {
    fn poll_read(self: Pin<&mut Self>, task: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        loop {
            ready!(self.0.socket.poll_read_ready(task))?;
            match self.0.socket.try_read(buffer.initialize_unfilled()) {
                Ok(read) => {
                    buffer.advance(read);
                    return Poll::Ready(Ok(()));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, task: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.write(task, &[io::IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        task: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.write(task, slices)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.state.lock().is_flushed = true;
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        // tokio's own way of shutting down wants the socket unshared.
        let same = self.0.socket.as_fd().try_clone_to_owned().map(std::net::TcpStream::from);
        Poll::Ready(same.and_then(|socket| socket.shutdown(std::net::Shutdown::Write)))
    }
}
