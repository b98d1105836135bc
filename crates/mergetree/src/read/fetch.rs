//! Gets the byte ranges that a decoder asks for: neighbours as one request, accounted for while held. What is in memory
//! already is taken at once, the rest is read on the I/O runtime.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use gristmill_base::runtime::{self, Task};
use gristmill_base::{Error, Result, ResultExt, units};
use gristmill_introspect::memory::MemoryGuard;
use gristmill_introspect::{Event, QueryContext, tell};

use crate::part::OpenPart;
use crate::store::PartStore;

/// Bytes fetched or on their way.
pub struct Fetch {
    pub ranges: Vec<Range<u64>>,
    data: Coming,
    memory: MemoryGuard,
    /// The part, where what is read are its pages.
    part: Option<Arc<OpenPart>>,
}

enum Coming {
    There(Vec<Bytes>),
    Later(Task<Result<Vec<Bytes>>>),
}

impl Fetch {
    pub fn start(
        context: &Arc<QueryContext>,
        store: &Arc<dyn PartStore>,
        key: &str,
        ranges: Vec<Range<u64>>,
    ) -> Result<Fetch> {
        let bytes: u64 = ranges.iter().map(|range| range.end - range.start).sum();
        let memory = MemoryGuard::take(&context.memory, bytes)?;
        let merged = merge(&ranges);
        let found = store.read_now(context, key, &merged);
        tell!(
            context,
            TRACE,
            "Prefetcher",
            "{} ranges of {key} in {} reads, {}: {}",
            ranges.len(),
            merged.len(),
            units::bytes_binary(bytes as f64),
            if found.is_some() { "they were in the page cache" } else { "they are on their way" }
        );
        let data = match found {
            Some(data) => Coming::There(cut(&ranges, &merged, &data)?),
            None => {
                let (context, store, key, wanted) = (context.clone(), store.clone(), key.to_string(), ranges.clone());
                Coming::Later(Task::on(&runtime::io(), async move {
                    let data = store.read(&context, &key, &merged).await?;
                    cut(&wanted, &merged, &data)
                }))
            }
        };
        Ok(Fetch { ranges, data, memory, part: None })
    }

    /// As `start`, of pages: they are checked when they are there.
    pub fn pages(
        context: &Arc<QueryContext>,
        store: &Arc<dyn PartStore>,
        part: &Arc<OpenPart>,
        ranges: Vec<Range<u64>>,
    ) -> Result<Fetch> {
        Ok(Fetch { part: Some(part.clone()), ..Self::start(context, store, &part.key, ranges)? })
    }

    /// The ranges, their bytes, and the guard of the memory that they take.
    pub async fn wait(self, context: &Arc<QueryContext>) -> Result<(Vec<Range<u64>>, Vec<Bytes>, MemoryGuard)> {
        let data = match self.data {
            Coming::There(data) => {
                // A stream that never waits keeps its thread, and streams that stand behind it there are not taken over by
                // idle ones: every second scan of a table in the page cache ran on one core.
                tokio::task::yield_now().await;
                data
            }
            Coming::Later(task) => {
                let started = context.env.instant();
                let data = context.cancellable(async { task.join().await? }).await?;
                let waited = context.env.instant().saturating_duration_since(started).as_micros() as u64;
                context.counters.add(Event::IOWaitMicroseconds, waited);
                data
            }
        };
        if let Some(part) = &self.part {
            for (range, data) in self.ranges.iter().zip(&data) {
                let checked = part.sums.check(range, data, part.metadata.metadata());
                checked.context(|| format!("while reading part {}", part.key))?;
            }
        }
        Ok((self.ranges, data, self.memory))
    }
}

/// The bytes of each range, out of those of the merged ones.
fn cut(ranges: &[Range<u64>], merged: &[Range<u64>], data: &[Bytes]) -> Result<Vec<Bytes>> {
    ranges
        .iter()
        .map(|range| {
            let at = merged.partition_point(|merged| merged.end < range.end);
            let whole = merged.get(at).zip(data.get(at)).filter(|(merged, _)| merged.start <= range.start);
            let (merged, data) = whole.ok_or_else(|| Error::logical("A range that was asked for was not read"))?;
            Ok(data.slice((range.start - merged.start) as usize..(range.end - merged.start) as usize))
        })
        .collect()
}

/// Ranges that touch or overlap become one; ascending.
fn merge(ranges: &[Range<u64>]) -> Vec<Range<u64>> {
    let mut sorted = ranges.to_vec();
    sorted.sort_unstable_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<u64>> = Vec::with_capacity(sorted.len());
    for range in sorted {
        match merged.last_mut().filter(|last| range.start <= last.end) {
            Some(last) => last.end = last.end.max(range.end),
            None => merged.push(range),
        }
    }
    merged
}
