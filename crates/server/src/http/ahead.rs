//! Headers that tell how far a query is, sent while it runs: before the head of its answer is known.
//!
//! hyper writes a head at once. So the beginning of one is sent below it, with the status 200, and left out of what hyper
//! writes later. An error of the query is told by the header X-ClickHouse-Exception-Code then, as it is by ClickHouse. Whoever
//! waits for the answer, a proxy too, sees that it is being worked on.
//!
//! Nothing is sent ahead before hyper has flushed what it wrote of the answer before.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};

use bytes::{Buf, BytesMut};
use hyper::body::Incoming;
use hyper::header::EXPECT;
use hyper::{Method, Request, Version};
use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// What hyper writes first of an answer of version 1.1 and status 200.
const BEGINNING: &[u8] = b"HTTP/1.1 200 OK\r\n";
/// Bytes that wait for a client which takes nothing.
const WAITING_BYTES_MAX: usize = 16 << 10;

#[derive(Debug, Default)]
struct State {
    /// A request is being answered, and the head of its answer is not made.
    is_open: bool,
    /// Since the request began hyper had nothing left to write.
    is_clear: bool,
    /// The beginning of the head is on its way.
    is_begun: bool,
    /// To be sent before what hyper writes.
    waiting: BytesMut,
    /// Bytes of what hyper writes next that were sent.
    left_out: usize,
    /// Has hyper flush.
    waker: Option<Waker>,
}

/// What is sent ahead of the answers of one connection.
#[derive(Clone, Debug, Default)]
pub struct Ahead(Arc<Mutex<State>>);

impl Ahead {
    /// A request has begun. Gives what its query may send ahead by, where the answer can begin before it is known.
    pub fn ask(&self, request: &Request<Incoming>) -> Option<Ahead> {
        // An answer to EXPECT is written before.
        let may_begin = request.version() == Version::HTTP_11
            && request.method() != Method::HEAD
            && !request.headers().contains_key(EXPECT);
        if !may_begin {
            return None;
        }
        self.begin();
        Some(self.clone())
    }

    fn begin(&self) {
        let mut state = self.0.lock();
        (state.is_open, state.is_clear) = (true, false);
    }

    /// Sends a header. False: it cannot be sent ahead (any more), and belongs into the head.
    pub fn send(&self, name: &str, value: &str) -> bool {
        let mut state = self.0.lock();
        if !state.is_open || !state.is_clear {
            return false;
        }
        if state.waiting.len() > WAITING_BYTES_MAX {
            return true;
        }
        if !state.is_begun {
            state.is_begun = true;
            state.waiting.extend_from_slice(BEGINNING);
        }
        for piece in [name, ": ", value, "\r\n"] {
            state.waiting.extend_from_slice(piece.as_bytes());
        }
        if let Some(waker) = &state.waker {
            waker.wake_by_ref();
        }
        true
    }

    /// The head of the answer is made. Whether its beginning has left: the status is 200 then.
    pub fn answers(&self) -> bool {
        let mut state = self.0.lock();
        state.is_open = false;
        let is_begun = std::mem::take(&mut state.is_begun);
        if is_begun {
            state.left_out = BEGINNING.len();
        }
        is_begun
    }
}

/// hyper's side of a connection, over the socket.
pub struct AheadOf<S> {
    socket: S,
    ahead: Ahead,
}

impl<S: AsyncWrite + Unpin> AheadOf<S> {
    pub fn new(socket: S, ahead: Ahead) -> AheadOf<S> {
        AheadOf { socket, ahead }
    }

    fn send_waiting(&mut self, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut state = self.ahead.0.lock();
        while !state.waiting.is_empty() {
            let sent = ready!(Pin::new(&mut self.socket).poll_write(task, &state.waiting))?;
            if sent == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            state.waiting.advance(sent);
        }
        Poll::Ready(Ok(()))
    }

    /// Of so many bytes that hyper writes, those that have left.
    fn leave_out(&mut self, bytes: usize) -> usize {
        let mut state = self.ahead.0.lock();
        let left_out = state.left_out.min(bytes);
        state.left_out -= left_out;
        left_out
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for AheadOf<S> {
    fn poll_read(mut self: Pin<&mut Self>, task: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_read(task, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for AheadOf<S> {
    fn poll_write(mut self: Pin<&mut Self>, task: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.send_waiting(task))?;
        match self.leave_out(bytes.len()) {
            0 => Pin::new(&mut self.socket).poll_write(task, bytes),
            left_out => Poll::Ready(Ok(left_out)),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        ready!(self.send_waiting(task))?;
        match self.leave_out(pieces.iter().map(|piece| piece.len()).sum()) {
            0 => Pin::new(&mut self.socket).poll_write_vectored(task, pieces),
            left_out => Poll::Ready(Ok(left_out)),
        }
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    /// hyper flushes whenever it is woken, and only when it has written everything.
    fn poll_flush(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        {
            let mut state = self.ahead.0.lock();
            state.is_clear = true;
            if !state.waker.as_ref().is_some_and(|waker| waker.will_wake(task.waker())) {
                state.waker = Some(task.waker().clone());
            }
        }
        ready!(self.send_waiting(task))?;
        Pin::new(&mut self.socket).poll_flush(task)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(task)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[tokio::test]
    async fn what_was_sent_ahead_is_left_out() {
        let (ours, mut theirs) = tokio::io::duplex(1 << 10);
        let ahead = Ahead::default();
        let mut ours = AheadOf::new(ours, ahead.clone());
        ahead.begin();
        assert!(!ahead.send("a", "0"), "the answer before may not have left");
        ours.flush().await.expect("sent");
        assert!(ahead.send("a", "1") && ahead.send("a", "2"));
        ours.flush().await.expect("sent");
        let expected = "HTTP/1.1 200 OK\r\na: 1\r\na: 2\r\n";
        let mut begun = vec![0; expected.len()];
        theirs.read_exact(&mut begun).await.expect("received");
        assert_eq!(begun, expected.as_bytes());
        assert!(ahead.answers() && !ahead.send("a", "3"));
        ours.write_all(b"HTTP/1.1 200 OK\r\nb: 1\r\n\r\n").await.expect("sent");
        // The next answer is as hyper has it.
        ahead.begin();
        assert!(!ahead.answers());
        ours.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.expect("sent");
        drop(ours);
        let mut rest = Vec::new();
        theirs.read_to_end(&mut rest).await.expect("received");
        assert_eq!(rest, b"b: 1\r\n\r\nHTTP/1.1 200 OK\r\n\r\n");
    }
}
