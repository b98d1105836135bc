//! A streamed write: parts are sent while the rest is still being made.
//!
//! What is written gathers in a buffer of one part. A full part is sent by a task of its own; as many are in flight as
//! `s3_max_inflight_parts_for_one_file` and the query's memory allow, and `write` waits for the oldest when there are no
//! more places. An object that never fills a part is one simple PUT. Parts grow with their number, so that ten thousand
//! of them (what S3 takes) hold 5 TiB.
//!
//! Nothing is visible before `finish`. Dropped without it, the upload is aborted, so that no parts are left to be paid for.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use bytes::Bytes;
use gristmill_base::runtime::{self, Task, Unfinished};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::memory::MemoryGuard;
use gristmill_introspect::{Event, QueryContext};
use object_store::PutPayload;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::account::{self, Class};
use crate::failure::FailureKind;
use crate::location::Provider;
use crate::pieces::Pieces;
use crate::store::{ObjectInfo, Operation, Store};

/// What every store takes as a part that is not the last.
const PART_BYTES_MIN: usize = 5 << 20;
/// After so many parts, the next ones are twice as long.
const PARTS_OF_ONE_SIZE: usize = 500;
const PART_BYTES_MAX: usize = 1 << 30;
/// How long the answer to an abort is waited for.
const ABORT_WAITS: Duration = Duration::from_secs(60);
const ABORTED_AGAIN_AFTER: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(1)];

pub struct Upload {
    store: Store,
    ctx: Arc<QueryContext>,
    key: String,
    /// What is written goes behind what the file holds.
    appends: bool,
    buffer: Pieces,
    buffered: MemoryGuard,
    first_part_bytes: usize,
    in_flight_max: usize,
    /// The multipart upload, once there is one.
    begun: Option<Begun>,
    in_flight: VecDeque<Task<Result<String>>>,
    /// What the store gave for each part that is done.
    parts: Vec<String>,
    /// Parts begun so far, and their bytes.
    parts_sent: usize,
    sent_bytes: u64,
    /// The process does not end before the upload is finished or aborted.
    _unfinished: Unfinished,
}

/// A multipart upload that the store knows of. It is aborted when nobody holds it, unless it is over.
struct Begun {
    store: Store,
    key: String,
    id: String,
    is_over: bool,
    /// Parts of it may have been on their way when it was given up.
    is_cut_off: bool,
    /// To abort it on.
    handle: Handle,
}

impl Drop for Begun {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        // Outlives the query on purpose, for at most a minute: parts that stay behind cost money.
        let (store, key, id, is_cut_off) = (self.store.clone(), self.key.clone(), self.id.clone(), self.is_cut_off);
        runtime::tidy(&self.handle, async move {
            if let Err(error) = abort_upload(&store, &key, &id).await {
                tracing::warn!("{error}");
            }
            if is_cut_off {
                abort_again(&store, &key, &id).await;
            }
        });
    }
}

impl Upload {
    pub(crate) fn new(store: Store, ctx: Arc<QueryContext>, key: String, appends: bool) -> Upload {
        let part = usize::try_from(ctx.settings.s3_min_upload_part_size).unwrap_or(PART_BYTES_MAX);
        let in_flight_max = usize::try_from(ctx.settings.s3_max_inflight_parts_for_one_file).unwrap_or(usize::MAX).max(1);
        Upload {
            buffered: MemoryGuard::empty(&ctx.memory),
            first_part_bytes: part.clamp(PART_BYTES_MIN, PART_BYTES_MAX),
            store,
            ctx,
            key,
            appends,
            buffer: Pieces::default(),
            in_flight_max,
            begun: None,
            in_flight: VecDeque::new(),
            parts: Vec::new(),
            parts_sent: 0,
            sent_bytes: 0,
            _unfinished: Unfinished::begin(),
        }
    }

    fn part_bytes(&self) -> usize {
        (self.first_part_bytes << (self.parts_sent / PARTS_OF_ONE_SIZE).min(20)).min(PART_BYTES_MAX)
    }

    /// Bytes written so far.
    pub fn bytes(&self) -> u64 {
        self.sent_bytes + self.buffer.len() as u64
    }

    /// Takes bytes; waits while too many parts are under way.
    pub async fn write(&mut self, mut bytes: Bytes) -> Result<()> {
        while !bytes.is_empty() {
            let space = self.part_bytes() - self.buffer.len();
            // A piece that is a whole part is sent as it is, without a copy.
            if self.buffer.is_empty() && bytes.len() >= space {
                let part = bytes.split_to(space);
                self.send_part(part.into()).await?;
                continue;
            }
            let piece = bytes.split_to(space.min(bytes.len()));
            self.buffer.push(piece);
            self.account().await?;
            if self.buffer.len() >= self.part_bytes() {
                let part = self.buffer.take();
                self.buffered.resize(0)?;
                self.send_part(part).await?;
            }
        }
        Ok(())
    }

    /// Accounts for the buffer; where memory is short, parts that are under way are waited for first.
    async fn account(&mut self) -> Result<()> {
        loop {
            match self.buffered.resize(self.buffer.len() as u64) {
                Err(_) if !self.in_flight.is_empty() => self.wait_for_oldest().await?,
                result => return result,
            }
        }
    }

    async fn wait_for_oldest(&mut self) -> Result<()> {
        if let Some(task) = self.in_flight.pop_front() {
            let part = self.ctx.cancellable(async { task.join().await? }).await?;
            self.parts.push(part);
        }
        Ok(())
    }

    async fn begin(&mut self) -> Result<String> {
        if let Some(begun) = &self.begun {
            return Ok(begun.id.clone());
        }
        let (told, begun) = oneshot::channel();
        let (store, ctx, key) = (self.store.clone(), self.ctx.uncancelled(), self.key.clone());
        // Seen through although the query ends meanwhile: nobody would know of the upload then, and it would stay.
        runtime::tidy(&runtime::io(), async move {
            let operation = Operation::writing("write", &key, Class::BeginUpload, true);
            let begun = store
                .run(&ctx, operation, |backend| {
                    let key = key.clone();
                    async move { backend.upload_begin(&key).await }
                })
                .await;
            let handle = Handle::current();
            let _ = told.send(begun.map(|id| Begun { store, key, id, is_over: false, is_cut_off: false, handle }));
        });
        let ended = |_| Error::logical("The task that begins an upload ended without a word");
        let begun = self.ctx.cancellable(async { begun.await.map_err(ended)? }).await?;
        let id = begun.id.clone();
        self.begun = Some(begun);
        Ok(id)
    }

    async fn send_part(&mut self, part: PutPayload) -> Result<()> {
        let length = part.content_length() as u64;
        let id = self.begin().await?;
        if self.in_flight.len() >= self.in_flight_max {
            let begun = self.ctx.env.instant();
            while self.in_flight.len() >= self.in_flight_max {
                self.wait_for_oldest().await?;
            }
            let waited = self.ctx.env.instant().saturating_duration_since(begun);
            self.ctx.counters.add(Event::WriteBufferFromS3WaitInflightLimitMicroseconds, waited.as_micros() as u64);
        }
        let held = loop {
            match MemoryGuard::take(&self.ctx.memory, length) {
                Err(_) if !self.in_flight.is_empty() => self.wait_for_oldest().await?,
                result => break result?,
            }
        };
        let (store, ctx, key) = (self.store.clone(), self.ctx.clone(), self.key.clone());
        let (index, offset) = (self.parts_sent, self.sent_bytes);
        self.parts_sent += 1;
        self.sent_bytes += length;
        let send = async move {
            let _held = held;
            let operation = Operation::writing("write", &key, Class::UploadPart, true);
            store
                .run(&ctx, operation, |backend| {
                    let (key, id, part) = (key.clone(), id.clone(), part.clone());
                    async move { backend.upload_part(&key, &id, index, offset, part).await }
                })
                .await
        };
        self.in_flight.push_back(Task::on(&runtime::io(), send));
        Ok(())
    }

    /// Sends what is left and makes the object visible.
    pub async fn finish(mut self) -> Result<ObjectInfo> {
        let is_empty = self.buffer.is_empty();
        let rest = self.buffer.take();
        if self.begun.is_none() && self.appends {
            return self.store.append_bytes(&self.ctx, &self.key, rest.into()).await;
        }
        if self.begun.is_none() {
            return self.store.put(&self.ctx, &self.key, rest).await;
        }
        self.buffered.resize(0)?;
        if !is_empty {
            self.send_part(rest).await?;
        }
        while !self.in_flight.is_empty() {
            self.wait_for_oldest().await?;
        }
        let id = self.begin().await?;
        let appends = self.appends;
        let idempotent = self.store.provider() != Provider::Http && !appends;
        let operation = Operation::writing("write", &self.key, Class::FinishUpload, idempotent);
        let (key, parts) = (self.key.clone(), std::mem::take(&mut self.parts));
        let attempts = AtomicU32::new(0);
        let finished = self
            .store
            .run(&self.ctx, operation, |backend| {
                let (key, id, parts) = (key.clone(), id.clone(), parts.clone());
                attempts.fetch_add(1, Ordering::Relaxed);
                async move {
                    match appends {
                        true => backend.upload_append(&key, &id).await,
                        false => backend.upload_finish(&key, &id, parts).await,
                    }
                }
            })
            .await;
        let info = match finished {
            Ok(info) => info,
            // The answer to an earlier attempt was lost, and the upload is gone because it was finished then.
            Err(error) if error.message().contains("NoSuchUpload") && attempts.load(Ordering::Relaxed) > 1 => {
                let info = self.store.head(&self.ctx, &self.key).await?;
                if info.size != Some(self.sent_bytes) || !is_of_parts(info.etag.as_deref(), parts.len()) {
                    return Err(error);
                }
                info
            }
            Err(error) => return Err(error),
        };
        if let Some(begun) = &mut self.begun {
            begun.is_over = true;
        }
        if !self.store.is_remote() {
            account::written(&self.ctx.counters, Provider::File, self.sent_bytes, 0);
            self.ctx.counters.add(Event::FileOpen, 1);
        }
        Ok(if appends { info } else { ObjectInfo { size: Some(self.sent_bytes), ..info } })
    }

    /// Gives the upload up; nothing of it stays.
    pub async fn abort(mut self) -> Result<()> {
        self.cut_off();
        let Some(mut begun) = self.begun.take() else { return Ok(()) };
        abort_upload(&self.store, &self.key, &begun.id).await?;
        begun.is_over = true;
        if begun.is_cut_off {
            let (store, key, id) = (self.store.clone(), self.key.clone(), begun.id.clone());
            runtime::tidy(&begun.handle, async move { abort_again(&store, &key, &id).await });
        }
        Ok(())
    }

    /// Ends the parts that are on their way.
    fn cut_off(&mut self) {
        self.in_flight.clear();
        if let Some(begun) = &mut self.begun {
            begun.is_cut_off = self.parts.len() < self.parts_sent && self.store.is_remote();
        }
    }
}

/// Whether an ETag can be that of an object of so many parts: S3's ends with their number.
fn is_of_parts(etag: Option<&str>, parts: usize) -> bool {
    let Some((_, said)) = etag.and_then(|etag| etag.trim_matches('"').rsplit_once('-')) else { return true };
    said.parse::<usize>().map_or(true, |said| said == parts)
}

/// Runs outside of the query, which may be cancelled already. An upload that is gone counts as aborted.
async fn abort_upload(store: &Store, key: &str, id: &str) -> Result<()> {
    let ctx = QueryContext::background("abort upload");
    let operation = Operation::writing("abort the upload of", key, Class::AbortUpload, true);
    let abort = store.run_counting(&ctx, operation, |backend| {
        let (key, id) = (key.to_string(), id.to_string());
        async move { backend.upload_abort(&key, &id).await }
    });
    match tokio::time::timeout(ABORT_WAITS, abort).await {
        Ok(Ok(_) | Err((_, Some((FailureKind::NotFound, _))))) => Ok(()),
        Ok(Err((error, _))) => Err(error),
        Err(_) => Err(Error::new(
            ErrorCode::NETWORK_ERROR,
            format!("Cannot abort the upload of {}: no answer for {} s", store.display(key), ABORT_WAITS.as_secs()),
        )),
    }
}

/// A part whose bytes had all arrived when its request was cut off is stored behind the abort, and the upload stays with
/// it. So S3 says to abort "multiple times" (AbortMultipartUpload in its API reference).
async fn abort_again(store: &Store, key: &str, id: &str) {
    for wait in ABORTED_AGAIN_AFTER {
        tokio::time::sleep(wait).await;
        if let Err(error) = abort_upload(store, key, id).await {
            tracing::warn!("{error}");
        }
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        // Before what has begun is aborted, which its own drop does.
        self.cut_off();
    }
}

impl std::fmt::Debug for Upload {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Upload").field("key", &self.key).field("bytes", &self.bytes()).finish_non_exhaustive()
    }
}
