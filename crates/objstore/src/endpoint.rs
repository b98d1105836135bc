//! What the process knows of an endpoint, shared by all queries: the limit on requests in flight, the tokens of rate
//! limits, and how its requests went so far, by class. `system.object_storage_requests` shows it; hedging decides by it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;

use crate::account::{Class, Ending};
use crate::latency::Latencies;
use crate::limiter::Limiter;
use crate::throttle::Throttle;

#[derive(Debug)]
pub struct Endpoint {
    /// Scheme, host and port.
    pub name: String,
    pub limiter: Arc<Limiter>,
    pub(crate) read_throttle: Throttle,
    pub(crate) write_throttle: Throttle,
    classes: [ClassHistory; Class::ALL.len()],
    pace: Pace,
    /// Requests that change something, counted when they are sent and again when they are answered.
    writes: AtomicU64,
}

/// How the requests of one class went.
#[derive(Debug, Default)]
pub struct ClassHistory {
    pub sent: AtomicU64,
    pub failed: AtomicU64,
    pub throttled: AtomicU64,
    /// Attempts after the first of a request.
    pub retried: AtomicU64,
    /// Requests sent a second time while the first was still under way, and how many of these came first.
    pub hedged: AtomicU64,
    pub hedges_won: AtomicU64,
    /// Bytes of bodies: received by reads, sent by writes.
    pub bytes: AtomicU64,
    /// Until the answer began.
    pub first_byte: Latencies,
}

/// How fast bodies of long answers come, as a moving average of bytes a second on one connection.
#[derive(Debug, Default)]
struct Pace {
    bytes_per_second: AtomicU64,
}

/// One line of `system.object_storage_requests`.
pub struct EndpointReport {
    pub endpoint: Arc<Endpoint>,
    pub class: Class,
}

static ENDPOINTS: LazyLock<Mutex<HashMap<String, Arc<Endpoint>>>> = LazyLock::new(Mutex::default);

/// Answers shorter than this say more of latency than of pace.
const PACE_BYTES_MIN: u64 = 256 << 10;

impl Endpoint {
    pub fn new(name: &str, requests_max: usize) -> Arc<Endpoint> {
        Arc::new(Endpoint {
            name: name.to_string(),
            limiter: Limiter::new(requests_max),
            read_throttle: Throttle::default(),
            write_throttle: Throttle::default(),
            classes: std::array::from_fn(|_| ClassHistory::default()),
            pace: Pace::default(),
            writes: AtomicU64::new(0),
        })
    }

    /// The endpoint of a name. `requests_max` is the cap on requests in flight that the latest caller set.
    pub fn of(name: &str, requests_max: usize) -> Arc<Endpoint> {
        let endpoint = ENDPOINTS.lock().entry(name.to_string()).or_insert_with(|| Endpoint::new(name, requests_max)).clone();
        endpoint.limiter.cap(requests_max);
        endpoint
    }

    /// Every endpoint of the process, by name, with the classes that any request was of.
    pub fn reports() -> Vec<EndpointReport> {
        let mut endpoints: Vec<Arc<Endpoint>> = ENDPOINTS.lock().values().cloned().collect();
        endpoints.sort_by(|a, b| a.name.cmp(&b.name));
        let used = |endpoint: &Arc<Endpoint>, class: Class| endpoint.class(class).sent.load(Ordering::Relaxed) > 0;
        endpoints
            .iter()
            .flat_map(|endpoint| Class::ALL.iter().map(move |class| (endpoint, *class)))
            .filter(|(endpoint, class)| used(endpoint, *class))
            .map(|(endpoint, class)| EndpointReport { endpoint: endpoint.clone(), class })
            .collect()
    }

    pub fn class(&self, class: Class) -> &ClassHistory {
        &self.classes[class as usize]
    }

    /// Grows with every write of this process: what was listed at another number may be old.
    pub fn writes(&self) -> u64 {
        self.writes.load(Ordering::Acquire)
    }

    pub(crate) fn sent(&self, class: Class) {
        self.class(class).sent.fetch_add(1, Ordering::Relaxed);
        self.writes.fetch_add(u64::from(!class.reads()), Ordering::AcqRel);
    }

    pub(crate) fn answered(&self, class: Class, micros: u64, ending: Ending) {
        self.writes.fetch_add(u64::from(!class.reads()), Ordering::AcqRel);
        let history = self.class(class);
        match ending {
            Ending::Answered => history.first_byte.record(micros),
            Ending::Failed => drop(history.failed.fetch_add(1, Ordering::Relaxed)),
            Ending::Throttled => drop(history.throttled.fetch_add(1, Ordering::Relaxed)),
        }
    }

    /// A body that came whole.
    pub(crate) fn body_came(&self, bytes: u64, micros: u64) {
        if bytes < PACE_BYTES_MIN {
            return;
        }
        let now = bytes.saturating_mul(1_000_000) / micros.max(1);
        let before = self.pace.bytes_per_second.load(Ordering::Relaxed);
        let average = if before == 0 { now } else { before - before / 8 + now / 8 };
        self.pace.bytes_per_second.store(average.max(1), Ordering::Relaxed);
    }

    /// Bytes a second of a body, as far as known.
    pub fn bytes_per_second(&self) -> Option<u64> {
        Some(self.pace.bytes_per_second.load(Ordering::Relaxed)).filter(|pace| *pace > 0)
    }
}
