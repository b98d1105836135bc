//! Rows of asynchronous inserts that wait to be written, for `system.asynchronous_inserts`.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use parking_lot::Mutex;

#[derive(Clone, Debug, Default)]
pub struct PendingEntry {
    pub query_id: String,
    pub bytes: u64,
}

/// Rows that will be written together.
#[derive(Clone, Debug, Default)]
pub struct Pending {
    /// The first INSERT of them.
    pub query: String,
    pub database: String,
    pub table: String,
    pub format: String,
    /// When the first rows came, since the Unix epoch.
    pub first_update: Duration,
    pub total_bytes: u64,
    pub entries: Vec<PendingEntry>,
}

impl Pending {
    pub fn add(&mut self, now: Duration, entry: PendingEntry) {
        if self.entries.is_empty() {
            self.first_update = now;
        }
        self.total_bytes += entry.bytes;
        self.entries.push(entry);
    }
}

static SHOWN: LazyLock<Mutex<BTreeMap<u64, Arc<Mutex<Pending>>>>> = LazyLock::new(Mutex::default);
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Keeps rows on the list until dropped.
#[derive(Debug)]
pub struct Shown(u64);

impl Shown {
    pub fn begin(pending: &Arc<Mutex<Pending>>) -> Shown {
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        SHOWN.lock().insert(id, pending.clone());
        Shown(id)
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        SHOWN.lock().remove(&self.0);
    }
}

/// What waits now, oldest first.
pub fn snapshot() -> Vec<Pending> {
    let shown: Vec<_> = SHOWN.lock().values().cloned().collect();
    shown.iter().map(|pending| pending.lock().clone()).collect()
}

/// How much of it there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PendingTotals {
    /// Rows that will be written together count as one.
    pub groups: u64,
    pub inserts: u64,
    pub bytes: u64,
}

pub fn totals() -> PendingTotals {
    let mut totals = PendingTotals::default();
    let shown: Vec<_> = SHOWN.lock().values().cloned().collect();
    for pending in shown {
        let pending = pending.lock();
        totals.groups += 1;
        totals.inserts += pending.entries.len() as u64;
        totals.bytes += pending.total_bytes;
    }
    totals
}
