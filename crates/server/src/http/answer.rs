//! The body of an answer: whole, or in chunks that a query makes. Whoever holds the body holds the query: where the client
//! leaves, hyper drops the body, and the query is cancelled with it.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use gristmill_base::Error;
use gristmill_base::runtime::Task;
use hyper::Response;
use hyper::body::{Body, Frame, SizeHint};
use hyper::http::response;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Sleep;

/// Chunks that wait for the socket.
const CHUNKS: usize = 4;
/// A broken answer is broken off only after what was said before had time to leave.
const BEFORE_BREAK: Duration = Duration::from_millis(100);

pub enum AnswerBody {
    Whole(Option<Bytes>),
    Chunks {
        chunks: mpsc::Receiver<Result<Bytes, Error>>,
        /// What was said is all.
        is_whole: Arc<AtomicBool>,
        breaking: Option<(Error, Pin<Box<Sleep>>)>,
        _work: Task<()>,
    },
}

/// The head of an answer, and its body where that is there as a whole.
pub struct Head {
    pub parts: response::Parts,
    pub whole: Option<Bytes>,
}

/// The query's side of an answer.
pub struct Responder {
    head: Option<oneshot::Sender<Head>>,
    chunks: mpsc::Sender<Result<Bytes, Error>>,
    is_whole: Arc<AtomicBool>,
}

/// hyper's side, before the head is there.
pub struct Awaited {
    head: oneshot::Receiver<Head>,
    chunks: mpsc::Receiver<Result<Bytes, Error>>,
    is_whole: Arc<AtomicBool>,
}

pub fn channel() -> (Responder, Awaited) {
    let (head_sender, head) = oneshot::channel();
    let (chunk_sender, chunks) = mpsc::channel(CHUNKS);
    let is_whole = Arc::<AtomicBool>::default();
    let responder = Responder { head: Some(head_sender), chunks: chunk_sender, is_whole: is_whole.clone() };
    (responder, Awaited { head, chunks, is_whole })
}

impl Awaited {
    /// The answer, once its head is there. `None`: the work ended without one.
    pub async fn response(self, work: Task<()>) -> Option<Response<AnswerBody>> {
        let Head { parts, whole } = self.head.await.ok()?;
        let body = match whole {
            Some(bytes) => AnswerBody::whole(bytes),
            None => AnswerBody::Chunks { chunks: self.chunks, is_whole: self.is_whole, breaking: None, _work: work },
        };
        Some(Response::from_parts(parts, body))
    }
}

impl Responder {
    pub fn head_is_sent(&self) -> bool {
        self.head.is_none()
    }

    /// The head alone; the body follows in chunks. Called once.
    pub fn begin(&mut self, parts: response::Parts) {
        self.whole_or_not(parts, None);
    }

    /// Head and body. Called once.
    pub fn whole(&mut self, parts: response::Parts, body: Bytes) {
        self.whole_or_not(parts, Some(body));
    }

    fn whole_or_not(&mut self, parts: response::Parts, whole: Option<Bytes>) {
        if let Some(head) = self.head.take() {
            // The client may have left.
            let _ = head.send(Head { parts, whole });
        }
    }

    /// Room for a chunk. `None`: the client left. May be given up at any time.
    pub async fn room(&self) -> Option<mpsc::Permit<'_, Result<Bytes, Error>>> {
        self.chunks.reserve().await.ok()
    }

    /// All chunks were sent. An answer whose work ends without it, by a defect too, is broken off.
    pub fn end(&self) {
        self.is_whole.store(true, Ordering::Release);
    }

    /// Breaks the answer off, so that no client takes it for whole.
    pub async fn break_off(&self, error: Error) {
        // A client that takes nothing has no room for it either, and finds the answer without an end.
        let _ = tokio::time::timeout(BEFORE_BREAK, self.chunks.send(Err(error))).await;
    }
}

impl AnswerBody {
    pub fn whole(bytes: Bytes) -> AnswerBody {
        AnswerBody::Whole((!bytes.is_empty()).then_some(bytes))
    }

    pub fn is_chunked(&self) -> bool {
        matches!(self, AnswerBody::Chunks { .. })
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        match &mut *self {
            AnswerBody::Whole(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            AnswerBody::Chunks { chunks, is_whole, breaking, .. } => {
                if breaking.is_none() {
                    match ready!(chunks.poll_recv(task)) {
                        Some(Ok(bytes)) => return Poll::Ready(Some(Ok(Frame::data(bytes)))),
                        Some(Err(error)) => *breaking = Some((error, Box::pin(tokio::time::sleep(BEFORE_BREAK)))),
                        None if is_whole.load(Ordering::Acquire) => return Poll::Ready(None),
                        None => return Poll::Ready(Some(Err(Error::logical("An answer ended in its middle")))),
                    }
                }
                let Some((error, sleep)) = breaking else { return Poll::Ready(None) };
                ready!(sleep.as_mut().poll(task));
                Poll::Ready(Some(Err(error.clone())))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, AnswerBody::Whole(None))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            AnswerBody::Whole(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, Bytes::len) as u64),
            AnswerBody::Chunks { .. } => SizeHint::default(),
        }
    }
}
