//! The report of a query that is over: its stages and resources with the time they took and the least they need.
//!
//! The time by the clock that a query computed is parted among its stages as the time of their threads is; what no operator
//! did of it (planning, formats) is a stage of its own. Waiting for the disk is the scans', waiting for stores is the
//! network's, and waiting for the client the output's, so that the stages add up to the time of the query.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use gristmill_base::machine::{self, ProcessorTime};
use gristmill_calibration::figures::ONE_CORE;
use gristmill_calibration::{Calibration, Resource};
use gristmill_introspect::limit::{Bound, LimitReport, ResourceTime, StageLimit};
use gristmill_introspect::normalized::normalized_hash;
use gristmill_introspect::operators::PlanFigures;
use gristmill_introspect::{Event, QueryContext, processor_told};
use gristmill_mergetree::read::TableRead;
use gristmill_sources::object::reads::FilesRead;

use super::advice::{self, Facts};
use super::least::{Least, Requests, at_once};
use super::times::{Aside, Times};
use super::work::{self, Kind, Work};

/// Shares of a query's time that are worth a word.
const WORTH_TELLING: f64 = 0.05;
/// Of the time that is computed, from which on one reason is the reason.
const EXPLAINED: f64 = 0.5;

/// What a query is judged by.
pub(super) struct Judged<'a> {
    pub calibration: &'a Calibration,
    pub context: &'a Arc<QueryContext>,
    pub plans: &'a [PlanFigures],
    pub reads: &'a [TableRead],
    pub files: &'a [FilesRead],
    pub aside: Aside,
    /// What the machine's processors had done when the query began, where that was asked.
    pub begun: Option<ProcessorTime>,
    pub uncompressed_cache_bytes: u64,
}

pub(super) fn of(judged: &Judged<'_>) -> LimitReport {
    let (calibration, context) = (judged.calibration, judged.context);
    let times = Times::of(context, &judged.aside);
    let mut work = work::of(judged.plans, calibration);
    let of_operators: f64 = work.values().map(|work| work.elapsed).sum();
    let beside = (context.counters.get(Event::RealTimeMicroseconds) as f64 / 1e6 - of_operators).max(0.0);
    work.extend(work::of_insert(&context.counters, beside, calibration).map(|written| (Kind::Write, written)));
    work.extend(work::of_parts(&context.counters, beside, calibration));
    let requests = requests(context, calibration);
    let disk_bytes = context.counters.get(Event::OSReadBytes);
    let least_of = |work: &Work| Least::of_work(work, calibration);
    let (latency, network) = Least::of_requests(&requests);
    let outside = Least {
        disk: Least::of_disk(disk_bytes, calibration),
        requests: latency,
        network,
        ..Least::of_work(&output(judged), calibration)
    };
    let least = work.values().map(least_of).fold(outside, Least::plus);
    let (least_seconds, least_by) = least.total();
    let stages = stages(&work, &times, &requests, &least, judged);
    let binds = binds(&times, &least, &requests);
    let cores = calibration.fingerprint.cores.max(1);
    let facts = Facts {
        calibration,
        settings: &context.settings,
        counters: &context.counters,
        memory_peak_bytes: context.memory.peak_bytes(),
        cores,
        cores_free: cores as f64 * (1.0 - busy_with_others(context, judged.begun, cores)),
        threads: context.threads() as u64,
        times: &times,
        requests: &requests,
        stages: &stages,
        reads: judged.reads,
        files: judged.files,
        uncompressed_cache_bytes: judged.uncompressed_cache_bytes,
    };
    LimitReport {
        event_time_micros: context.env.now_micros(),
        query_id: context.query_id.clone(),
        user: context.user.clone(),
        query: context.query.clone(),
        normalized_query_hash: normalized_hash(context.query.as_bytes(), false),
        taken: times.total,
        least: least_seconds,
        least_by,
        binds,
        resources: resources(&times, &least, &requests),
        processor: processor_told(&context.counters),
        advice: advice::all(&facts),
        unknown: unknown(&times, &work, &requests, &least, calibration),
        stages,
    }
}

/// The share of the machine's processor time that went to others than the query, while it ran. Where nobody looked when it began,
/// the load of the last minute tells, as far as it is not the query's own.
fn busy_with_others(context: &QueryContext, begun: Option<ProcessorTime>, cores: u64) -> f64 {
    let get = |event| context.counters.get(event) as f64 / 1e6;
    let own = get(Event::UserTimeMicroseconds) + get(Event::SystemTimeMicroseconds);
    let share = match begun {
        Some(before) => machine::processor_time().map(|now| others_share(before, now, own)),
        None => {
            let of_query = own / context.elapsed().as_secs_f64().max(1e-3);
            machine::load_average().map(|[minute, ..]| (minute - of_query) / cores as f64)
        }
    };
    share.unwrap_or(0.0).clamp(0.0, 1.0)
}

/// Of the processors' time between two looks, what others took. `own`: seconds of the query's.
fn others_share(before: ProcessorTime, now: ProcessorTime, own: f64) -> f64 {
    let passed = |before: Duration, now: Duration| now.saturating_sub(before).as_secs_f64();
    let (busy, all) = (passed(before.busy, now.busy), passed(before.all, now.all));
    if all > 0.0 { ((busy - own) / all).clamp(0.0, 1.0) } else { 0.0 }
}

/// What a query asked of its stores. Of several endpoints that this process knows, the fastest: which of them the query asked is
/// not written down.
fn requests(context: &QueryContext, calibration: &Calibration) -> Requests {
    let get = |event| context.counters.get(event);
    let of_stores = get(Event::S3ReadRequestsCount) + get(Event::S3WriteRequestsCount);
    let count = of_stores + get(Event::ReadWriteBufferFromHTTPRequestsSent);
    let bytes = get(Event::ReadBufferFromS3Bytes) + get(Event::ReadWriteBufferFromHTTPBytes);
    let endpoints = &calibration.endpoints;
    let learned = endpoints.iter().map(|endpoint| endpoint.first_byte_p50_micros as f64 / 1e6).reduce(f64::min);
    // Of this query's own requests, the bodies of small answers with them.
    let own = match get(Event::S3ReadRequestsCount) {
        0 => None,
        reads => Some(get(Event::S3ReadMicroseconds) as f64 / 1e6 / reads as f64).filter(|mean| *mean > 0.0),
    };
    let seen = endpoints.iter().map(|endpoint| endpoint.in_flight_max).max();
    Requests {
        count,
        bytes,
        first_byte: match (learned, own) {
            (Some(learned), Some(own)) => Some(learned.min(own)),
            (learned, own) => learned.or(own),
        },
        bytes_per_second: endpoints.iter().filter_map(|endpoint| endpoint.bytes_per_second).max().map(|pace| pace as f64),
        at_once: at_once(seen, context.settings.s3_max_connections),
    }
}

/// The rows of the result are copied once, at the least. They are those of the first operator of the plan that ended last.
fn output(judged: &Judged<'_>) -> Work {
    let first = judged.plans.last().and_then(|plan| plan.operators.first());
    let (rows, bytes) = first.map(|operator| operator.output()).map_or((0, 0), |output| (output.rows, output.bytes));
    let copy = judged.calibration.value(Resource::MemoryCopy, ONE_CORE);
    let processor = copy.map_or(0.0, |copy| bytes as f64 / copy);
    Work { rows_in: rows, rows_out: rows, bytes, memory_bytes: bytes as f64, processor, ..Work::default() }
}

fn stages(
    work: &BTreeMap<Kind, Work>,
    times: &Times,
    requests: &Requests,
    least: &Least,
    judged: &Judged<'_>,
) -> Vec<StageLimit> {
    let elapsed: f64 = work.values().map(|work| work.elapsed).sum();
    let on_threads = judged.context.counters.get(Event::RealTimeMicroseconds) as f64 / 1e6;
    let whole = elapsed.max(on_threads);
    let by_the_clock = |seconds: f64| if whole > 0.0 { seconds / whole * times.computing } else { 0.0 };
    let reader =
        [Kind::Merge, Kind::Delete, Kind::Mutate].into_iter().find(|kind| work.contains_key(kind)).unwrap_or(Kind::Scan);
    let mut stages = Vec::new();
    for (kind, work) in work {
        // Who reads waits for the disk.
        let reads = *kind == reader;
        let of_disk = if reads { times.disk } else { 0.0 };
        let mut needs = Least::of_work(work, judged.calibration);
        if reads {
            needs.disk = least.disk;
        }
        let (seconds, by) = needs.total();
        stages.push(StageLimit {
            name: kind.name(),
            operators: work.operators.clone(),
            rows_in: work.rows_in,
            rows_out: work.rows_out,
            bytes: work.bytes,
            read_bytes: work.read_bytes,
            requests: work.requests,
            spilled_bytes: work.spilled_bytes,
            taken: by_the_clock(work.elapsed) + of_disk,
            least: seconds,
            least_by: by,
        });
    }
    if requests.count > 0 {
        let needs = Least { requests: least.requests, network: least.network, ..Least::default() };
        let (seconds, by) = needs.total();
        stages.push(StageLimit {
            name: "network",
            read_bytes: requests.bytes,
            requests: requests.count,
            taken: times.network,
            least: seconds,
            least_by: by,
            ..StageLimit::default()
        });
    }
    let output = output(judged);
    let (seconds, by) = Least::of_work(&output, judged.calibration).total();
    stages.push(StageLimit {
        name: "output",
        rows_in: output.rows_in,
        rows_out: output.rows_out,
        bytes: output.bytes,
        taken: times.client,
        least: seconds,
        least_by: by,
        ..StageLimit::default()
    });
    let of_stages: f64 = stages.iter().map(|stage| stage.taken).sum();
    stages.push(StageLimit { name: "other", taken: (times.total - of_stages).max(0.0), ..StageLimit::default() });
    stages
}

/// Which of several resources that are waited for together: the one that needs most.
fn most(bounds: &[Bound], least: &Least, otherwise: Bound) -> Bound {
    let known = bounds.iter().filter_map(|bound| Some((*bound, least.of(*bound)?)));
    let most = known.max_by(|one, other| one.1.total_cmp(&other.1)).filter(|(_, seconds)| *seconds > 0.0);
    most.map_or(otherwise, |(bound, _)| bound)
}

/// What computing was held up by: memory, where what the work asks of it explains most of the time. What no model prices, such
/// as expressions, is the processor's.
fn of_core(times: &Times, least: &Least) -> Bound {
    let explains =
        |bound: &Bound| least.of(*bound).is_some_and(|seconds| seconds >= times.computing * EXPLAINED && seconds > 0.0);
    let of_memory: Vec<Bound> = [Bound::MemoryLatency, Bound::MemoryBandwidth].into_iter().filter(explains).collect();
    most(&of_memory, least, Bound::Processor)
}

/// What waiting for stores was for: their latency, where nothing says that it was the bodies.
fn of_stores(least: &Least, requests: &Requests) -> Bound {
    match (requests.first_byte, requests.bytes_per_second) {
        (Some(_), Some(_)) => most(&[Bound::RequestLatency, Bound::NetworkBandwidth], least, Bound::RequestLatency),
        _ => Bound::RequestLatency,
    }
}

/// On what most of the time went.
fn binds(times: &Times, least: &Least, requests: &Requests) -> Bound {
    let parts = [
        (times.computing, of_core(times, least)),
        (times.disk, Bound::Disk),
        (times.network, of_stores(least, requests)),
        (times.lock, Bound::Lock),
        (times.client, Bound::Client),
        (times.other, Bound::Other),
    ];
    parts.into_iter().max_by(|one, other| one.0.total_cmp(&other.0)).map_or(Bound::Other, |(_, bound)| bound)
}

fn resources(times: &Times, least: &Least, requests: &Requests) -> Vec<ResourceTime> {
    let (core, stores) = (of_core(times, least), of_stores(least, requests));
    let taken = |bound: Bound| match bound {
        Bound::Disk => times.disk,
        Bound::Lock => times.lock,
        Bound::Client => times.client,
        Bound::Other => times.other,
        bound if bound == core => times.computing,
        bound if bound == stores => times.network,
        _ => 0.0,
    };
    Bound::ALL.iter().map(|&bound| ResourceTime { bound, least: least.of(bound), taken: taken(bound) }).collect()
}

/// What the numbers leave out.
fn unknown(
    times: &Times,
    work: &BTreeMap<Kind, Work>,
    requests: &Requests,
    least: &Least,
    calibration: &Calibration,
) -> Vec<String> {
    let mut all = Vec::new();
    let partly: Vec<&str> = work.iter().filter(|(_, work)| work.is_partly_unknown).map(|(kind, _)| kind.name()).collect();
    if !partly.is_empty() {
        all.push(format!("what this machine needs for: {}. SYSTEM CALIBRATE measures it", partly.join(", ")));
    }
    let of_rows = work.get(&Kind::Rows).map_or(0.0, |work| work.elapsed);
    let elapsed: f64 = work.values().map(|work| work.elapsed).sum();
    if of_rows > elapsed * WORTH_TELLING && of_rows > 0.0 {
        all.push("what expressions need at the least: they are counted as nothing".to_string());
    }
    if least.disk.is_none() {
        all.push("how fast the disk is: it could not be measured".to_string());
    } else if times.disk > times.total * WORTH_TELLING && !calibration.disk_is_direct {
        all.push("how fast the disk is: it was measured through the page cache".to_string());
    }
    if requests.count > 0 && requests.first_byte.is_none() {
        all.push("how fast the store answers: it was asked too little so far".to_string());
    }
    if requests.count > 0 && requests.bytes_per_second.is_none() {
        all.push("how fast the store sends: no answer was long enough to tell".to_string());
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_computed_is_not_the_querys() {
        let time = |busy, all| ProcessorTime { busy: Duration::from_secs(busy), all: Duration::from_secs(all) };
        assert_eq!(others_share(time(10, 100), time(18, 108), 2.0), 0.75);
        assert_eq!(others_share(time(10, 100), time(12, 108), 3.0), 0.0, "clocks differ a little");
        assert_eq!(others_share(time(10, 100), time(10, 100), 0.001), 0.0, "too short to tell");
    }

    #[test]
    fn what_most_of_the_time_went_to_binds() {
        let least = Least { processor: Some(0.1), latency: Some(0.4), requests: Some(0.1), ..Least::default() };
        let requests = Requests { count: 10, first_byte: Some(0.01), ..Requests::default() };
        let times = Times { total: 1.0, computing: 0.6, network: 0.4, ..Times::default() };
        assert_eq!(binds(&times, &least, &requests), Bound::MemoryLatency);
        let times = Times { total: 1.0, computing: 0.9, ..Times::default() };
        assert_eq!(binds(&times, &least, &requests), Bound::Processor, "memory explains less than half");
        let times = Times { total: 1.0, computing: 0.3, network: 0.7, ..Times::default() };
        assert_eq!(binds(&times, &least, &requests), Bound::RequestLatency);
        let times = Times { total: 1.0, disk: 0.9, ..Times::default() };
        assert_eq!(binds(&times, &least, &requests), Bound::Disk);
        let bodies = Requests { bytes_per_second: Some(1e6), ..requests };
        let least = Least { network: Some(0.5), ..least };
        let times = Times { total: 1.0, network: 0.7, ..Times::default() };
        assert_eq!(binds(&times, &least, &bodies), Bound::NetworkBandwidth);
        let shown = resources(&times, &least, &bodies);
        assert_eq!(shown.iter().map(|resource| resource.taken).sum::<f64>(), 0.7);
    }
}
