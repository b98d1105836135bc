//! Reading: ranges, ends of objects, whole objects, and what is known of them.

use std::ops::Range;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use futures::{StreamExt, TryStreamExt, stream};
use gristmill_base::{Error, Result};
use gristmill_introspect::logs::cache_log::{CacheEntry, cache_log};
use gristmill_introspect::{Event, QueryContext};

use super::{ObjectInfo, ObjectStream, Operation, Store};
use crate::account::Class;
use crate::backend::{Fetched, Span};
use crate::failure::{Failure, FailureKind};
use crate::ranges::{self, RangePolicy};

/// Range requests of one call that are in flight.
const RANGES_IN_FLIGHT: usize = 64;

impl Store {
    /// The bytes of one range. An ETag makes it an error where the object was replaced since.
    pub async fn get_range(
        &self,
        ctx: &Arc<QueryContext>,
        key: &str,
        range: Range<u64>,
        etag: Option<&str>,
    ) -> Result<Bytes> {
        let mut bytes = self.get_ranges(ctx, key, std::slice::from_ref(&range), etag).await?;
        Ok(bytes.pop().unwrap_or_default())
    }

    /// The bytes of each range, in the order they are asked for. Near ranges become one request, long ones several.
    pub async fn get_ranges(
        &self,
        ctx: &Arc<QueryContext>,
        key: &str,
        ranges: &[Range<u64>],
        etag: Option<&str>,
    ) -> Result<Vec<Bytes>> {
        let planned = ranges::plan(ranges, RangePolicy::of(&ctx.settings, self.is_remote()));
        let fetched: Vec<Bytes> = match planned.as_slice() {
            [] => Vec::new(),
            [one] => vec![self.fetch(ctx, key, one.clone(), etag).await?],
            many => {
                stream::iter(many.iter().cloned())
                    .map(|range| self.fetch(ctx, key, range, etag))
                    .buffered(ranges::in_flight(&ctx.settings, RANGES_IN_FLIGHT))
                    .try_collect()
                    .await?
            }
        };
        ranges::assemble(ranges, &planned, &fetched)
            .ok_or_else(|| Error::logical(format!("Ranges of {} were planned wrongly", self.display(key))))
    }

    /// As `get_ranges`, where all bytes are in this machine's memory already: nothing is waited for.
    pub fn get_ranges_now(&self, ctx: &Arc<QueryContext>, key: &str, ranges: &[Range<u64>]) -> Option<Vec<Bytes>> {
        if self.is_remote() {
            return None;
        }
        let planned = ranges::plan(ranges, RangePolicy::of(&ctx.settings, false));
        let fetched = self.backend().get_now(key, &planned);
        let (hits, bytes) = match fetched {
            Some(_) => (Event::ThreadPoolReaderPageCacheHit, Event::ThreadPoolReaderPageCacheHitBytes),
            None => (Event::ThreadPoolReaderPageCacheMiss, Event::ThreadPoolReaderPageCacheMissBytes),
        };
        ctx.counters.add(hits, planned.len() as u64);
        ctx.counters.add(bytes, planned.iter().map(|range| range.end - range.start).sum());
        let fetched = fetched?;
        fetched.iter().for_each(|bytes| self.count_read(ctx, bytes.len() as u64));
        ranges::assemble(ranges, &planned, &fetched)
    }

    /// One request for one range.
    async fn fetch(&self, ctx: &Arc<QueryContext>, key: &str, range: Range<u64>, etag: Option<&str>) -> Result<Bytes> {
        let operation = Operation::reading("read", key, Class::Get, range.end - range.start);
        let bytes = self
            .run(ctx, operation, |backend| {
                let (key, etag, range) = (key.to_string(), etag.map(str::to_string), range.clone());
                async move {
                    let fetched = backend.get(&key, Span::Bounded(range.clone()), etag.as_deref()).await?;
                    collect_range(fetched, range).await
                }
            })
            .await?;
        self.count_read(ctx, bytes.len() as u64);
        self.log_read(ctx, key, range, false);
        Ok(bytes)
    }

    /// Tells `system.filesystem_cache_log` of bytes that a query got: from the store, or out of a cache.
    pub fn log_read(&self, ctx: &QueryContext, key: &str, range: Range<u64>, is_cached: bool) {
        if !ctx.settings.enable_filesystem_cache_log || !self.is_remote() {
            return;
        }
        cache_log().add(|| CacheEntry {
            event_time_micros: ctx.env.now_micros(),
            query_id: ctx.query_id.clone(),
            path: self.display(key),
            range: (range.start, range.end),
            is_cached,
            was_attempted: is_cached,
        });
    }

    /// The last `bytes` bytes, fewer where the object is shorter, and what the answer tells of the object. With the size
    /// known from a listing, or not: one request either way (two for Azure without it).
    pub async fn get_suffix(
        &self,
        ctx: &Arc<QueryContext>,
        key: &str,
        bytes: u64,
        size: Option<u64>,
    ) -> Result<(Bytes, ObjectInfo)> {
        let size = match size {
            None if !self.inner.backend.reads_suffixes() => self.head(ctx, key).await?.size,
            known => known,
        };
        let operation = Operation::reading("read", key, Class::Get, bytes);
        let span = match size {
            Some(size) => Span::Bounded(size.saturating_sub(bytes)..size),
            None => Span::Suffix(bytes),
        };
        let (bytes, info) = self
            .run(ctx, operation, |backend| {
                let (key, span) = (key.to_string(), span.clone());
                async move {
                    if matches!(&span, Span::Bounded(range) if range.is_empty()) {
                        return Ok((Bytes::new(), backend.head(&key).await?));
                    }
                    match backend.get(&key, span.clone(), None).await {
                        Ok(fetched) => {
                            let info = fetched.info.clone();
                            let bytes = match (span, info.size) {
                                (Span::Bounded(range), _) => collect_range(fetched, range).await?,
                                (span, Some(size)) => collect_range(fetched, span.of(size)).await?,
                                (_, None) => collect(fetched, 0).await?,
                            };
                            Ok((bytes, info))
                        }
                        // No suffix of an empty object can be satisfied, and some servers break where it is longer than
                        // the object: then the size is asked for first.
                        Err(failure)
                            if span == Span::Suffix(bytes)
                                && matches!(
                                    failure.kind,
                                    FailureKind::Range | FailureKind::Server | FailureKind::Broken
                                ) =>
                        {
                            let info = backend.head(&key).await?;
                            let range = span.of(info.size.ok_or(failure)?);
                            if range.is_empty() {
                                return Ok((Bytes::new(), info));
                            }
                            let fetched = backend.get(&key, Span::Bounded(range.clone()), info.etag.as_deref()).await?;
                            Ok((collect_range(fetched, range).await?, info))
                        }
                        Err(failure) => Err(failure),
                    }
                }
            })
            .await?;
        self.count_read(ctx, bytes.len() as u64);
        let end = info.size.unwrap_or(bytes.len() as u64);
        self.log_read(ctx, key, end.saturating_sub(bytes.len() as u64)..end, false);
        Ok((bytes, info))
    }

    /// The whole object.
    pub async fn get(&self, ctx: &Arc<QueryContext>, key: &str) -> Result<Bytes> {
        read_whole(self.get_stream(ctx, key).await?).await
    }

    pub async fn head(&self, ctx: &Arc<QueryContext>, key: &str) -> Result<ObjectInfo> {
        self.head_for(ctx, key).await.map_err(|(error, _)| error)
    }

    async fn head_for(&self, ctx: &Arc<QueryContext>, key: &str) -> Result<ObjectInfo, (Error, Option<FailureKind>)> {
        let operation = Operation::reading("read", key, Class::Head, 0);
        self.run_counting(ctx, operation, |backend| {
            let key = key.to_string();
            async move { backend.head(&key).await }
        })
        .await
        .map(|(info, _)| info)
        .map_err(|(error, failed)| (error, failed.map(|(kind, _)| kind)))
    }

    pub async fn exists(&self, ctx: &Arc<QueryContext>, key: &str) -> Result<bool> {
        self.head_if_any(ctx, key).await.map(|info| info.is_some())
    }

    /// As `head`; `None` where there is no such object.
    pub async fn head_if_any(&self, ctx: &Arc<QueryContext>, key: &str) -> Result<Option<ObjectInfo>> {
        match self.head_for(ctx, key).await {
            Ok(info) => Ok(Some(info)),
            Err((_, Some(FailureKind::NotFound))) => Ok(None),
            Err((error, _)) => Err(error),
        }
    }
}

/// Puts the chunks of an answer together; fails where they are not what was asked for.
async fn collect_range(fetched: Fetched, range: Range<u64>) -> Result<Bytes, Failure> {
    let size = fetched.info.size;
    if size.is_some_and(|size| range.end > size) {
        let message = format!("bytes {}-{} of {}", range.start, range.end, size.unwrap_or_default());
        return Err(Failure::new(FailureKind::Range, message));
    }
    if fetched.start != range.start {
        return Err(Failure::new(FailureKind::Unsupported, "the server answered with another range than was asked for"));
    }
    let length = range.end - range.start;
    let bytes = collect(fetched, length as usize).await?;
    if bytes.len() as u64 != length {
        let message = format!("{} of {length} bytes came", bytes.len());
        return Err(Failure::new(FailureKind::Broken, message));
    }
    Ok(bytes)
}

async fn collect(mut fetched: Fetched, capacity: usize) -> Result<Bytes, Failure> {
    let Some(first) = fetched.bytes.try_next().await? else { return Ok(Bytes::new()) };
    if first.len() == capacity {
        return Ok(first);
    }
    let mut whole = BytesMut::with_capacity(capacity);
    whole.extend_from_slice(&first);
    while let Some(chunk) = fetched.bytes.try_next().await? {
        whole.extend_from_slice(&chunk);
    }
    Ok(whole.freeze())
}

pub(super) async fn read_whole(mut stream: ObjectStream) -> Result<Bytes> {
    let Some(first) = stream.bytes.try_next().await? else { return Ok(Bytes::new()) };
    if stream.info.size == Some(first.len() as u64) {
        return Ok(first);
    }
    let mut whole = BytesMut::from(first);
    while let Some(chunk) = stream.bytes.try_next().await? {
        whole.extend_from_slice(&chunk);
    }
    Ok(whole.freeze())
}
