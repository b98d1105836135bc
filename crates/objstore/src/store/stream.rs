//! Objects from their start to their end: a connection that breaks is taken up again where it broke.

use std::sync::Arc;

use bytes::Bytes;
use futures::stream::BoxStream;
use futures::{Stream, StreamExt, TryStreamExt, stream};
use gristmill_base::runtime::{self, Task};
use gristmill_base::spending::Wait;
use gristmill_base::{Error, Result};
use gristmill_introspect::QueryContext;
use tokio::sync::{mpsc, oneshot};

use super::{ObjectInfo, ObjectStream, Operation, Store};
use crate::account::{self, Class};
use crate::backend::Span;
use crate::failure::{Failure, FailureKind};
use crate::location::Provider;
use crate::retry;

/// Chunks that wait in a stream for its reader.
const CHUNKS_AHEAD: usize = 4;

impl Store {
    /// The object from its start to its end. A connection that breaks is taken up again where it broke, as long as the
    /// object is still the same one.
    pub async fn get_stream(&self, ctx: &Arc<QueryContext>, key: &str) -> Result<ObjectStream> {
        let (chunks, receiver) = mpsc::channel(CHUNKS_AHEAD);
        let (told, info) = oneshot::channel();
        let pump = pump(self.clone(), ctx.clone(), key.to_string(), told, chunks);
        let task = Task::on(&runtime::io(), pump);
        let mut bytes = waited_for(received(ctx.clone(), receiver, task).boxed(), ctx.clone(), self.wait());
        let waiting = ctx.waits_for(self.wait());
        let info = ctx.cancellable(async { Ok(info.await) }).await?;
        drop(waiting);
        match info {
            Ok(info) => Ok(ObjectStream { info, bytes }),
            // The pump ended before it knew anything: the reason is the first thing in the stream.
            Err(_) => match bytes.next().await {
                Some(Err(error)) => Err(error),
                _ => Err(Error::logical(format!("The stream of {} ended before it began", self.display(key)))),
            },
        }
    }
}

/// What a pump has to show for itself so far.
struct Pumped {
    offset: u64,
    info: Option<ObjectInfo>,
}

/// Reads an object into a channel and takes it up again where it broke. Attempts are counted anew whenever bytes came.
async fn pump(
    store: Store,
    ctx: Arc<QueryContext>,
    key: String,
    told: oneshot::Sender<ObjectInfo>,
    chunks: mpsc::Sender<Result<Bytes>>,
) {
    let mut state = Pumped { offset: 0, info: None };
    let mut told = Some(told);
    let mut attempts = 0;
    loop {
        attempts += 1;
        let before = state.offset;
        let call = store.call(&ctx, false);
        let attempt = pump_once(&store, &ctx, &key, &mut state, &mut told, &chunks);
        let outcome = call.scope(attempt).await;
        if state.offset > before {
            store.log_read(&ctx, &key, before..state.offset, false);
        }
        let Err(failure) = outcome else { return };
        if state.offset > before {
            attempts = 1;
        }
        let wait = retry::wait_after(&failure, attempts, ctx.settings.s3_retry_attempts, ctx.env.as_ref());
        let Some(wait) = wait else {
            let operation = Operation::reading("read", &key, Class::Get, 0);
            let _ = chunks.send(Err(store.error(failure, operation, attempts))).await;
            return;
        };
        store.count_retry(&ctx, Class::Get);
        tokio::time::sleep(wait).await;
    }
}

/// One GET, from where the last one broke.
async fn pump_once(
    store: &Store,
    ctx: &Arc<QueryContext>,
    key: &str,
    state: &mut Pumped,
    told: &mut Option<oneshot::Sender<ObjectInfo>>,
    chunks: &mpsc::Sender<Result<Bytes>>,
) -> Result<(), Failure> {
    let size = state.info.as_ref().and_then(|info| info.size);
    if size.is_some_and(|size| state.offset > 0 && state.offset >= size) {
        return Ok(());
    }
    let etag = state.info.as_ref().and_then(|info| info.etag.clone());
    let mut fetched = store.backend().get(key, Span::From(state.offset), etag.as_deref()).await?;
    match &state.info {
        None => {
            state.info = Some(fetched.info.clone());
            if let Some(told) = told.take() {
                let _ = told.send(fetched.info.clone());
            }
            store.count_read(ctx, 0);
        }
        // Without an ETag, the size and the time have to do.
        Some(first)
            if first.etag.is_none()
                && (first.size, first.last_modified) != (fetched.info.size, fetched.info.last_modified) =>
        {
            return Err(Failure::new(FailureKind::Precondition, "the object is another one now"));
        }
        Some(_) => {}
    }
    if fetched.start != state.offset {
        return Err(Failure::new(FailureKind::Unsupported, "the server cannot continue in the middle of the object"));
    }
    while let Some(chunk) = fetched.bytes.try_next().await? {
        state.offset += chunk.len() as u64;
        if !store.is_remote() {
            account::received(&ctx.counters, Provider::File, chunk.len() as u64);
        }
        if !chunk.is_empty() && chunks.send(Ok(chunk)).await.is_err() {
            return Ok(());
        }
    }
    match state.info.as_ref().and_then(|info| info.size) {
        Some(size) if state.offset < size => {
            Err(Failure::new(FailureKind::Broken, format!("{} of {size} bytes came", state.offset)))
        }
        _ => Ok(()),
    }
}

/// The same items; a query that waits for one is known to wait for that.
pub(super) fn waited_for<T: Send + 'static>(
    items: BoxStream<'static, T>,
    ctx: Arc<QueryContext>,
    what: Wait,
) -> BoxStream<'static, T> {
    let next = move |(mut items, ctx): (BoxStream<'static, T>, Arc<QueryContext>)| async move {
        let waiting = ctx.waits_for(what);
        let item = items.next().await?;
        drop(waiting);
        Some((item, (items, ctx)))
    };
    stream::unfold((items, ctx), next).boxed()
}

/// The pump's chunks, until the query is cancelled. Owns the pump: dropping the stream ends it.
fn received(
    ctx: Arc<QueryContext>,
    chunks: mpsc::Receiver<Result<Bytes>>,
    pump: Task<()>,
) -> impl Stream<Item = Result<Bytes>> + Send + 'static {
    stream::unfold(Some((ctx, chunks, pump)), |state| async move {
        let (ctx, mut chunks, pump) = state?;
        let chunk = ctx.cancellable(async { chunks.recv().await.transpose() }).await.transpose()?;
        let left = chunk.is_ok().then_some((ctx, chunks, pump));
        Some((chunk, left))
    })
}
