//! The queue: rows gathered by what they have in common, each gathering with one job that writes it.
//!
//! A job belongs to the queue, not to the INSERTs whose rows it writes: these may be gone. It begins with the first rows,
//! sleeps until they waited long enough or are enough, takes the gathering out of the queue and writes it.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use arrow::array::RecordBatch;
use gristmill_base::runtime::{self, Task};
use gristmill_base::spending::Wait;
use gristmill_base::{Error, Result, machine};
use gristmill_introspect::memory::{MemoryAccount, MemoryGuard};
use gristmill_introspect::pending_inserts::{Pending, PendingEntry, Shown};
use gristmill_introspect::{QueryContext, Settings};
use gristmill_types::Columns;
use parking_lot::Mutex;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, oneshot};
use uuid::Uuid;

use super::pace::{Bounds, Pace};
use crate::engine::Engine;

/// Room in the queue is counted in units of so many bytes.
const UNIT_BYTES: u64 = 1024;
/// The queue holds this share of the machine's memory at most, and no less than the second number of bytes.
const MEMORY_SHARE: u64 = 16;
const QUEUE_BYTES_MIN: u64 = 64 << 20;
/// What is known of how often a table is written is forgotten after so long without an INSERT.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(60);

/// What rows must have in common to be written together.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    pub table: Uuid,
    /// Names of the table.
    pub database: String,
    pub name: String,
    /// Names and types of the columns that are given, in order.
    pub columns: Vec<(String, String)>,
    pub user: String,
    /// The database that names in defaults are of.
    pub current_database: String,
    /// Settings that are not at their defaults, without those of the queue itself.
    pub settings: Vec<(String, String)>,
}

impl Key {
    /// Settings that may differ between INSERTs that are written together.
    pub fn settings_of(settings: &Settings) -> Vec<(String, String)> {
        let of_queue = |name: &str| name.contains("async_insert") || matches!(name, "log_comment" | "insert_deduplicate");
        settings.changed().into_iter().filter(|(name, _)| !of_queue(name)).collect()
    }
}

/// The rows of one INSERT.
pub struct Entry {
    /// Of the INSERT: the job writes with its settings.
    pub context: Arc<QueryContext>,
    pub columns: Columns,
    /// Of `columns`.
    pub batches: Vec<RecordBatch>,
    pub bytes: u64,
    pub format: String,
    /// How long the first rows of a new block wait, by when it came.
    pub wait: Duration,
    pub done: oneshot::Sender<Result<()>>,
    pub _held: Held,
}

/// Room in the queue and in memory; given back when dropped.
pub struct Held {
    _room: OwnedSemaphorePermit,
    _memory: MemoryGuard,
}

struct Gathering {
    id: u64,
    entries: Vec<Entry>,
    bytes: u64,
    /// Tells the job to begin now.
    begin: Arc<Notify>,
    _shown: Shown,
    shown: Arc<Mutex<Pending>>,
}

#[derive(Default)]
struct OfKey {
    gathering: Option<Gathering>,
    pace: Pace,
}

#[derive(Default)]
struct State {
    keys: HashMap<Key, OfKey>,
    /// Of gatherings that are not written yet, by their ids.
    jobs: BTreeMap<u64, (Key, Task<()>)>,
    next_id: u64,
}

pub struct AsyncInserts {
    state: Mutex<State>,
    room: Arc<Semaphore>,
    units: u32,
    memory: Arc<MemoryAccount>,
    /// Told whenever a job ended.
    ended: Notify,
}

impl Default for AsyncInserts {
    fn default() -> Self {
        let share = machine::memory_bytes().unwrap_or(0) / MEMORY_SHARE;
        Self::of_bytes(share.max(QUEUE_BYTES_MIN))
    }
}

impl AsyncInserts {
    fn of_bytes(bytes: u64) -> Self {
        let units = (bytes / UNIT_BYTES).clamp(1, 1 << 28) as u32;
        AsyncInserts {
            state: Mutex::default(),
            room: Arc::new(Semaphore::new(units as usize)),
            units,
            memory: Arc::new(MemoryAccount::of_query(0)),
            ended: Notify::new(),
        }
    }

    /// Waits for room for so many bytes. Errors: QUERY_WAS_CANCELLED, MEMORY_LIMIT_EXCEEDED.
    pub async fn room_for(&self, context: &QueryContext, bytes: u64) -> Result<Held> {
        let units = u32::try_from(bytes.div_ceil(UNIT_BYTES)).unwrap_or(u32::MAX).clamp(1, self.units);
        let room = self.room.clone();
        let closed = |_| Error::logical("The queue of asynchronous inserts is closed");
        let _waiting = context.waits_for(Wait::Lock);
        let room = context.cancellable(async { room.acquire_many_owned(units).await.map_err(closed) }).await?;
        Ok(Held { _room: room, _memory: MemoryGuard::take(&self.memory, bytes)? })
    }

    /// Puts rows into the queue.
    pub fn push(self: &Arc<Self>, engine: &Arc<Engine>, key: Key, entry: Entry) {
        let settings = entry.context.settings.clone();
        let now = engine.env.instant();
        let mut state = self.state.lock();
        let state = &mut *state;
        let of_key = state.keys.entry(key.clone()).or_default();
        let wait = of_key.pace.insert(&Bounds::of(&settings), now);
        let gathering = of_key.gathering.get_or_insert_with(|| {
            let id = state.next_id;
            state.next_id += 1;
            let begin = Arc::new(Notify::new());
            let job = job(Arc::downgrade(self), engine.clone(), key.clone(), id, begin.clone(), wait);
            state.jobs.insert(id, (key.clone(), Task::on(&runtime::cpu(), job)));
            let pending = Pending {
                query: entry.context.query.clone(),
                database: key.database.clone(),
                table: key.name.clone(),
                format: entry.format.clone(),
                ..Pending::default()
            };
            let shown = Arc::new(Mutex::new(pending));
            Gathering { id, entries: Vec::new(), bytes: 0, begin, _shown: Shown::begin(&shown), shown }
        });
        gathering
            .shown
            .lock()
            .add(engine.env.now(), PendingEntry { query_id: entry.context.query_id.clone(), bytes: entry.bytes });
        gathering.bytes += entry.bytes;
        gathering.entries.push(Entry { wait, ..entry });
        let many = settings.async_insert_deduplicate
            && gathering.entries.len() as u64 >= settings.async_insert_max_query_number.max(1);
        if many || gathering.bytes >= settings.async_insert_max_data_size {
            gathering.begin.notify_one();
        }
        state.keys.retain(|_, of_key| {
            let idle = of_key.pace.last_insert().map_or(Duration::ZERO, |last| now.saturating_duration_since(last));
            of_key.gathering.is_some() || idle < FORGOTTEN_AFTER
        });
    }

    fn take(&self, key: &Key, id: u64, now: Instant) -> Vec<Entry> {
        let mut state = self.state.lock();
        let Some(of_key) = state.keys.get_mut(key) else { return Vec::new() };
        match of_key.gathering.take_if(|gathering| gathering.id == id) {
            Some(gathering) => {
                of_key.pace.write(now);
                gathering.entries
            }
            None => Vec::new(),
        }
    }

    /// Writes what is in the queue now, and returns when it is written. `chosen`: the rows of these tables alone.
    pub async fn flush(&self, chosen: impl Fn(&Key) -> bool) {
        let mut waiting: Vec<u64> = Vec::new();
        {
            let state = self.state.lock();
            for (id, (key, _)) in &state.jobs {
                if chosen(key) {
                    waiting.push(*id);
                    if let Some(gathering) = state.keys.get(key).and_then(|of_key| of_key.gathering.as_ref())
                        && gathering.id == *id
                    {
                        gathering.begin.notify_one();
                    }
                }
            }
        }
        loop {
            // Before the look: what ends between the two is told.
            let ended = self.ended.notified();
            waiting.retain(|id| self.state.lock().jobs.contains_key(id));
            if waiting.is_empty() {
                return;
            }
            ended.await;
        }
    }

    fn ended(&self, id: u64) {
        let job = self.state.lock().jobs.remove(&id);
        self.ended.notify_waiters();
        // This is the job's own: it ends with this line.
        drop(job);
    }
}

/// Ends the waiting of `flush` however the job ends.
struct Ends(Weak<AsyncInserts>, u64);

impl Drop for Ends {
    fn drop(&mut self) {
        if let Some(queue) = self.0.upgrade() {
            queue.ended(self.1);
        }
    }
}

async fn job(queue: Weak<AsyncInserts>, engine: Arc<Engine>, key: Key, id: u64, begin: Arc<Notify>, wait: Duration) {
    let _ends = Ends(queue.clone(), id);
    tokio::select! {
        () = tokio::time::sleep(wait) => {}
        () = begin.notified() => {}
    }
    let Some(queue) = queue.upgrade() else { return };
    let entries = queue.take(&key, id, engine.env.instant());
    drop(queue);
    crate::interpret::write_entries(&engine, &key, entries).await;
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[tokio::test]
    async fn inserts_wait_for_room() {
        let queue = AsyncInserts::of_bytes(10 * UNIT_BYTES);
        let context = QueryContext::background("test");
        let first = queue.room_for(&context, 6 * UNIT_BYTES).await.expect("room");
        let mut second = Box::pin(queue.room_for(&context, 5 * UNIT_BYTES));
        assert!(second.as_mut().now_or_never().is_none());
        drop(first);
        drop(second.await.expect("room"));
        // What is larger than the queue takes all of it.
        let all = queue.room_for(&context, 100 * UNIT_BYTES).await.expect("room");
        assert!(queue.room_for(&context, 1).now_or_never().is_none());
        drop(all);
        context.cancel.cancel();
    }

    #[test]
    fn settings_of_the_queue_keep_nobody_apart() {
        let mut settings = Settings::default();
        for (name, value) in [("async_insert", "1"), ("wait_for_async_insert", "0"), ("log_comment", "x")] {
            settings.set(name, value).expect("known");
        }
        assert!(Key::settings_of(&settings).is_empty());
        settings.set("insert_null_as_default", "0").expect("known");
        assert_eq!(Key::settings_of(&settings), [("insert_null_as_default".to_string(), "0".to_string())]);
    }
}
