//! Clients that close their side of the connection once they have asked, as `nc -N` does, and wait for the answer.
//!
//! The end of what a client says looks the same whether it still listens or has left. hyper would take it for gone and drop
//! the answer, and the query with it. So the end is told to hyper only after a while where a request is being answered: what
//! is answered by then reaches a client that listens, and the query of one that left ends then. Who has left for good shows
//! it earlier, as soon as something is sent.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use gristmill_base::Error;
use hyper::body::{Body, Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

use super::answer::AnswerBody;

/// How long a query goes on whose client says no more.
const LISTENS_LONGEST: Duration = Duration::from_secs(3);

/// How many requests of a connection have come as a whole and are being answered.
#[derive(Clone, Default)]
pub struct Answering(Arc<AtomicUsize>);

impl Answering {
    pub fn one(&self) -> Arc<One> {
        Arc::new(One { all: self.clone(), is_asked: AtomicBool::new(false) })
    }

    fn is_none(&self) -> bool {
        self.0.load(Ordering::Acquire) == 0
    }
}

/// A request, until its answer is handed over.
pub struct One {
    all: Answering,
    is_asked: AtomicBool,
}

impl One {
    /// It is there with all of its body.
    pub fn is_asked(&self) {
        if !self.is_asked.swap(true, Ordering::AcqRel) {
            self.all.0.fetch_add(1, Ordering::AcqRel);
        }
    }
}

impl Drop for One {
    fn drop(&mut self) {
        if *self.is_asked.get_mut() {
            self.all.0.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

/// An answer, which counts as long as it is there.
pub struct CountedBody {
    pub body: AnswerBody,
    pub _one: Arc<One>,
}

impl Body for CountedBody {
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

/// A socket that tells the end late while something is being answered.
pub struct HalfClosed<S> {
    socket: S,
    answering: Answering,
    ended: Option<Pin<Box<Sleep>>>,
}

impl<S> HalfClosed<S> {
    pub fn new(socket: S, answering: Answering) -> Self {
        HalfClosed { socket, answering, ended: None }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for HalfClosed<S> {
    fn poll_read(mut self: Pin<&mut Self>, task: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.ended.is_none() {
            let before = buffer.filled().len();
            let read = Pin::new(&mut this.socket).poll_read(task, buffer);
            let is_end = matches!(read, Poll::Ready(Ok(()))) && buffer.filled().len() == before && buffer.remaining() > 0;
            if !is_end {
                return read;
            }
        }
        if this.answering.is_none() {
            return Poll::Ready(Ok(()));
        }
        let waited = this.ended.get_or_insert_with(|| Box::pin(tokio::time::sleep(LISTENS_LONGEST)));
        waited.as_mut().poll(task).map(Ok)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for HalfClosed<S> {
    fn poll_write(mut self: Pin<&mut Self>, task: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.socket).poll_write(task, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(task)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(task)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.socket).poll_write_vectored(task, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }
}
