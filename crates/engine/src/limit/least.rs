//! The least time for some work, by resource, with all cores at work and everything overlapped.

use gristmill_calibration::figures::ALL_CORES;
use gristmill_calibration::{Calibration, Resource};
use gristmill_introspect::limit::Bound;

use super::work::Work;

/// Requests that are sent at once before anything is known of an endpoint.
const AT_ONCE: u64 = 256;

/// What a query asked of its stores, and what is known of them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Requests {
    pub count: u64,
    pub bytes: u64,
    /// Until the answer of one begins, in seconds; `None`: not known.
    pub first_byte: Option<f64>,
    /// Of one connection.
    pub bytes_per_second: Option<f64>,
    /// That may be in flight, if nothing but the store holds them back.
    pub at_once: u64,
}

/// What is left after `least`, in the order of `Bound::ALL`; `None`: not known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Least {
    pub processor: Option<f64>,
    pub latency: Option<f64>,
    pub bandwidth: Option<f64>,
    pub disk: Option<f64>,
    pub requests: Option<f64>,
    pub network: Option<f64>,
}

impl Least {
    /// Of what is computed.
    pub fn of_work(work: &Work, calibration: &Calibration) -> Least {
        let cores = calibration.fingerprint.cores.max(1) as f64;
        let read = calibration.value(Resource::MemoryRead, ALL_CORES);
        Least {
            processor: Some(work.processor / cores),
            latency: Some(work.latency / cores),
            bandwidth: read.map(|read| work.memory_bytes / read + work.cache),
            ..Least::default()
        }
    }

    /// Of bytes that come from the disk.
    pub fn of_disk(bytes: u64, calibration: &Calibration) -> Option<f64> {
        if bytes == 0 {
            return Some(0.0);
        }
        Some(bytes as f64 / calibration.best(Resource::DiskSequential, "")?)
    }

    pub fn of_requests(requests: &Requests) -> (Option<f64>, Option<f64>) {
        if requests.count == 0 {
            return (Some(0.0), Some(0.0));
        }
        let at_once = requests.at_once.max(1);
        let rounds = requests.count.div_ceil(at_once) as f64;
        let connections = at_once.min(requests.count) as f64;
        let latency = requests.first_byte.map(|first_byte| rounds * first_byte);
        (latency, requests.bytes_per_second.map(|pace| requests.bytes as f64 / (pace * connections)))
    }

    pub fn plus(self, other: Least) -> Least {
        let sum = |one: Option<f64>, other: Option<f64>| match (one, other) {
            (Some(one), Some(other)) => Some(one + other),
            (one, other) => one.or(other),
        };
        Least {
            processor: sum(self.processor, other.processor),
            latency: sum(self.latency, other.latency),
            bandwidth: sum(self.bandwidth, other.bandwidth),
            disk: sum(self.disk, other.disk),
            requests: sum(self.requests, other.requests),
            network: sum(self.network, other.network),
        }
    }

    pub fn of(&self, bound: Bound) -> Option<f64> {
        match bound {
            Bound::Processor => self.processor,
            Bound::MemoryLatency => self.latency,
            Bound::MemoryBandwidth => self.bandwidth,
            Bound::Disk => self.disk,
            Bound::RequestLatency => self.requests,
            Bound::NetworkBandwidth => self.network,
            Bound::Lock | Bound::Client | Bound::Other => None,
        }
    }

    /// The time of everything overlapped, and the resource that it is of. A core that waits for memory does not compute, so
    /// these two add up.
    pub fn total(&self) -> (f64, Option<Bound>) {
        let (processor, latency) = (self.processor.unwrap_or(0.0), self.latency.unwrap_or(0.0));
        let core = if latency > processor { Bound::MemoryLatency } else { Bound::Processor };
        let mut most = (processor + latency, core);
        for bound in [Bound::MemoryBandwidth, Bound::Disk, Bound::RequestLatency, Bound::NetworkBandwidth] {
            let seconds = self.of(bound).unwrap_or(0.0);
            if seconds > most.0 {
                most = (seconds, bound);
            }
        }
        if most.0 > 0.0 { (most.0, Some(most.1)) } else { (0.0, None) }
    }
}

/// What may be in flight: what went well once, or what is begun with where a setting held it back.
pub(super) fn at_once(seen: Option<u64>, setting: u64) -> u64 {
    match seen {
        Some(seen) if seen < setting => seen,
        _ => AT_ONCE.max(seen.unwrap_or(0)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::work;
    use super::*;

    #[test]
    fn requests_take_rounds_and_their_bodies_the_line() {
        let requests =
            Requests { count: 1000, bytes: 1 << 30, first_byte: Some(0.02), bytes_per_second: Some(1e8), at_once: 256 };
        let (latency, network) = Least::of_requests(&requests);
        assert_eq!(latency, Some(0.08));
        assert!((network.expect("known") - (1u64 << 30) as f64 / 2.56e10).abs() < 1e-6);
        let unknown = Requests { first_byte: None, bytes_per_second: None, ..requests };
        assert_eq!(Least::of_requests(&unknown), (None, None));
        assert_eq!(Least::of_requests(&Requests::default()), (Some(0.0), Some(0.0)));
    }

    #[test]
    fn the_total_is_that_of_the_resource_which_takes_longest() {
        let least = Least { processor: Some(1.0), latency: Some(0.5), bandwidth: Some(1.2), ..Least::default() };
        assert_eq!(least.total(), (1.5, Some(Bound::Processor)));
        assert_eq!(Least { disk: Some(2.0), ..least }.total(), (2.0, Some(Bound::Disk)));
        assert_eq!(Least { latency: Some(1.1), ..least }.total(), (2.1, Some(Bound::MemoryLatency)));
        assert_eq!(Least::default().total(), (0.0, None));
        assert_eq!(least.plus(least).total().0, 3.0);
    }

    #[test]
    fn a_setting_that_holds_requests_back_says_nothing_of_the_store() {
        assert_eq!([at_once(None, 1024), at_once(Some(40), 1024), at_once(Some(1), 1)], [256, 40, 256]);
        assert_eq!(at_once(Some(500), 500), 500);
    }

    #[test]
    fn batches_that_a_cache_holds_do_not_pass_through_memory() {
        use gristmill_calibration::{Figure, Fingerprint, Form};
        use gristmill_introspect::operators::{Amount, OperatorFigures, PlanFigures};

        let figure = |resource, level: &str, size, value| Figure { resource, level: level.to_string(), size, value };
        let calibration = Calibration {
            form: Form::Full,
            measured_at_micros: 0,
            took_ms: 0,
            fingerprint: Fingerprint { cores: 4, ..Fingerprint::default() },
            disk_is_direct: true,
            endpoints: Vec::new(),
            figures: vec![
                figure(Resource::MemoryRead, ALL_CORES, 0, 1e9),
                figure(Resource::CacheRead, "L2 all cores", 1 << 20, 1e10),
                figure(Resource::CacheRead, "memory all cores", 1 << 30, 1e9),
            ],
        };
        let sum = |batches| {
            let input = Amount { batches, rows: 1 << 20, bytes: 1_000_000_000 };
            let sum = OperatorFigures { name: "AggregateExec".to_string(), input, ..OperatorFigures::default() };
            let scan = OperatorFigures { parent: Some(0), name: "Scan".to_string(), ..OperatorFigures::default() };
            let plan = PlanFigures { operators: vec![sum, scan], ..PlanFigures::default() };
            let work = work::of(&[plan], &calibration);
            Least::of_work(&work[&work::Kind::Aggregate], &calibration).bandwidth.expect("known")
        };
        assert!((sum(10_000) - 0.1).abs() < 1e-6, "{}", sum(10_000));
        assert!((sum(1) - 1.0).abs() < 0.05, "one batch of all is more than a cache holds: {}", sum(1));
    }
}
