use gristmill_calibration::{Calibration, EndpointSeen, Fingerprint, Form};
use gristmill_calibration::{Figure, Resource};
use gristmill_introspect::Event;
use gristmill_mergetree::read::{ColumnCondition, ConditionKind};

use super::*;

fn calibration() -> Calibration {
    let figure = |resource, level: &str, value| Figure { resource, level: level.to_string(), size: 0, value };
    Calibration {
        form: Form::Full,
        measured_at_micros: 0,
        took_ms: 0,
        fingerprint: Fingerprint { cores: 4, memory_bytes: 16 << 30, ..Fingerprint::default() },
        disk_is_direct: true,
        figures: vec![
            figure(Resource::MemoryRead, "one core", 1e10),
            figure(Resource::ParquetDecode, "plain texts", 1e9),
            figure(Resource::ParquetOpen, "", 1e4),
            figure(Resource::DiskSequential, "", 1e9),
        ],
        endpoints: vec![EndpointSeen::default()],
    }
}

/// A query of one second that reads a table of a thousand granules with a condition.
struct Query {
    settings: Settings,
    counters: Counters,
    times: Times,
    requests: Requests,
    stages: Vec<StageLimit>,
    reads: Vec<TableRead>,
    files: Vec<FilesRead>,
    threads: u64,
    cores_free: f64,
}

impl Query {
    fn new() -> Query {
        let scan = StageLimit { name: "scan", taken: 0.9, least: 0.1, bytes: 1 << 26, ..StageLimit::default() };
        Query {
            settings: Settings::default(),
            counters: Counters::with_parent(None),
            times: Times { total: 1.0, computing: 1.0, ..Times::default() },
            requests: Requests::default(),
            stages: vec![scan],
            reads: vec![TableRead {
                database: "default".to_string(),
                table: "hits".to_string(),
                parts: 2,
                rows: 8_192_000,
                marks: 1000,
                marks_total: 1000,
                bytes: 1 << 30,
                sorting_key: vec!["id".to_string()],
                ..TableRead::default()
            }],
            files: Vec::new(),
            threads: 4,
            cores_free: 4.0,
        }
    }

    fn with(mut self, column: &str, kind: ConditionKind, passed: u64) -> Query {
        let condition = ColumnCondition { column: column.to_string(), kind, is_text: true, seen: 8_192_000, passed };
        self.reads[0].conditions.push(condition);
        self
    }

    fn advice(&self) -> Vec<Advice> {
        let calibration = calibration();
        all(&Facts {
            calibration: &calibration,
            settings: &self.settings,
            counters: &self.counters,
            memory_peak_bytes: 1 << 20,
            cores: 4,
            cores_free: self.cores_free,
            threads: self.threads,
            times: &self.times,
            requests: &self.requests,
            stages: &self.stages,
            reads: &self.reads,
            files: &self.files,
            uncompressed_cache_bytes: 1 << 30,
        })
    }

    /// The rule, the change and the gain of what would help most.
    fn best(&self) -> (&'static str, String, f64) {
        let best = self.advice().into_iter().next();
        best.map_or(("", String::new(), 0.0), |best| (best.rule, best.change, best.gain))
    }
}

#[test]
fn nothing_is_said_where_nothing_helps() {
    assert!(Query::new().advice().is_empty());
}

#[test]
fn one_thread_of_four_is_told_to_become_more() {
    let mut query = Query { threads: 1, ..Query::new() };
    let (rule, change, gain) = query.best();
    assert_eq!((rule, change.as_str()), ("max_threads", "SET max_threads = 4"));
    assert!((gain - 0.675).abs() < 1e-9);
    query.times.runnable = 0.6;
    assert!((query.best().2 - 0.27).abs() < 1e-9, "other cores are busy as well");
}

#[test]
fn cores_that_others_keep_busy_are_not_promised() {
    let mut query = Query { threads: 1, cores_free: 2.0, ..Query::new() };
    assert!((query.best().2 - 0.45).abs() < 1e-9, "two are left");
    assert!(query.advice()[0].reason.contains("2.0 of the machine's 4 cores"), "{:?}", query.advice());
    query.cores_free = 1.0;
    assert_eq!(query.best().0, "", "none is");
    query.cores_free = 0.4;
    assert_eq!(query.best().0, "", "not even its own");
}

#[test]
fn a_condition_on_another_column_wants_another_order() {
    let (rule, change, gain) = Query::new().with("UserID", ConditionKind::Range, 81_920).best();
    assert_eq!(rule, "sorting_key");
    assert_eq!(
        change,
        "ALTER TABLE default.hits ADD PROJECTION by_UserID (SELECT * ORDER BY UserID);\n\
         ALTER TABLE default.hits MATERIALIZE PROJECTION by_UserID"
    );
    assert!(gain > 0.5 && gain < 0.9, "{gain}");
    assert_eq!(Query::new().with("id", ConditionKind::Range, 81_920).best().0, "", "it is the key");
    assert_eq!(Query::new().with("UserID", ConditionKind::Range, 8_000_000).best().0, "", "nearly all rows pass");
    let mut projected = Query::new().with("UserID", ConditionKind::Range, 81_920);
    projected.reads[0].projection = Some("by_UserID".to_string());
    assert_eq!(projected.best().0, "", "it is there");
    let mut few = Query::new().with("UserID", ConditionKind::Range, 81_920);
    few.reads[0].marks = 100;
    assert_eq!(few.best().0, "", "an index left the others out");
}

#[test]
fn a_rare_value_wants_an_index() {
    let (rule, change, _) = Query::new().with("URL", ConditionKind::Equals, 3).best();
    assert_eq!(rule, "skip_index");
    assert_eq!(
        change,
        "ALTER TABLE default.hits ADD INDEX idx_URL URL TYPE bloom_filter GRANULARITY 1;\n\
         ALTER TABLE default.hits MATERIALIZE INDEX idx_URL"
    );
    let (rule, change, _) = Query::new().with("URL", ConditionKind::Contains, 3).best();
    assert!(rule == "skip_index" && change.contains("ngrambf_v1"), "{change}");
    assert_eq!(Query::new().with("URL", ConditionKind::Equals, 81_920).best().0, "sorting_key", "they are everywhere");
    let mut indexed = Query::new().with("URL", ConditionKind::Equals, 3);
    indexed.reads[0].indexed.push("URL".to_string());
    assert_eq!(indexed.best().0, "sorting_key", "the index did not help");
}

#[test]
fn what_went_to_disk_wants_memory() {
    let mut query = Query::new();
    query.stages.push(StageLimit { name: "sort", taken: 0.5, spilled_bytes: 1 << 29, ..StageLimit::default() });
    query.settings.set("max_memory_usage", "100000000").expect("a setting");
    let (rule, change, gain) = query.best();
    assert_eq!((rule, change.as_str()), ("memory_before_spill", "SET max_memory_usage = 2214592512"));
    assert!(gain > 0.3 && gain <= 0.9, "{gain}");
    query.settings.set("max_bytes_before_external_sort", "1000000").expect("a setting");
    assert_eq!(query.best().1, "SET max_bytes_before_external_sort = 0;\nSET max_memory_usage = 2214592512");
    query.settings.set("max_memory_usage", "0").expect("a setting");
    assert_eq!(query.best().1, "SET max_bytes_before_external_sort = 0");
    query.stages[1].name = "aggregate";
    let (_, change, _) = query.best();
    assert!(change.starts_with("gristmill server --max-server-memory-usage"), "{change}");
    query.stages[1].spilled_bytes = 1 << 40;
    assert_eq!(query.best().0, "", "the machine has not so much");
}

#[test]
fn requests_that_queue_want_connections() {
    let mut query = Query::new();
    query.times = Times { total: 1.0, computing: 0.1, network: 0.9, ..Times::default() };
    query.requests = Requests { count: 100, first_byte: Some(0.02), at_once: 256, ..Requests::default() };
    assert_eq!(query.best().0, "", "all of them are under way at once");
    query.settings.set("s3_max_connections", "2").expect("a setting");
    let (rule, change, gain) = query.best();
    assert_eq!((rule, change.as_str()), ("s3_max_connections", "SET s3_max_connections = 256"));
    assert!(gain > 0.7 && gain < 0.9, "{gain}");
}

#[test]
fn many_small_parts_want_to_be_one() {
    let mut query = Query::new();
    (query.reads[0].parts, query.reads[0].bytes) = (2000, 2000 << 10);
    let (rule, change, gain) = query.best();
    assert_eq!((rule, change.as_str()), ("small_parts", "OPTIMIZE TABLE default.hits FINAL"));
    assert!(gain > 0.1 && gain <= 0.9, "{gain}");
    query.reads[0].bytes = 2000 << 30;
    assert_eq!(query.best().0, "", "they are large");
}

#[test]
fn what_is_done_with_rows_later_is_no_gain_of_fewer_parts() {
    let mut query = Query::new();
    (query.reads[0].parts, query.reads[0].bytes) = (2000, 2000 << 10);
    query.stages[0].taken = 0.1;
    query.stages.push(StageLimit { name: "aggregate", taken: 0.9, ..StageLimit::default() });
    let (rule, _, gain) = query.best();
    assert!(rule == "small_parts" && gain > 0.08 && gain < 0.1, "{rule} {gain}");
}

#[test]
fn waiting_for_a_disk_is_for_reads_of_small_parts_to_begin() {
    let mut query = Query::new();
    (query.reads[0].parts, query.reads[0].bytes) = (60, 60 << 10);
    assert_eq!(query.best().0, "", "opening so few takes no time");
    query.times = Times { total: 1.0, computing: 0.4, disk: 0.6, ..Times::default() };
    let (rule, _, gain) = query.best();
    assert!(rule == "small_parts" && gain > 0.5 && gain < 0.7, "{rule} {gain}");
    query.reads[0].bytes = 60 << 21;
    query.reads[0].parts = 60;
    let (_, _, gain) = query.best();
    assert!(gain < 0.5, "some of it is for the bytes themselves: {gain}");
}

#[test]
fn many_small_files_want_to_be_few() {
    let mut query = Query::new();
    let (call, joined) = ("s3('b/*.parquet')".to_string(), "s3('b/joined/rows.parquet')".to_string());
    query.files = vec![FilesRead { call, joined, files: 2000, bytes: 2000 << 10, is_parquet: true, is_remote: true }];
    query.times = Times { total: 1.0, computing: 0.2, network: 0.8, ..Times::default() };
    query.requests = Requests { count: 4000, first_byte: Some(0.02), at_once: 256, ..Requests::default() };
    let (rule, change, gain) = query.best();
    assert_eq!(rule, "small_files");
    assert_eq!(change, "INSERT INTO FUNCTION s3('b/joined/rows.parquet') SELECT * FROM s3('b/*.parquet')");
    assert!(gain > 0.7 && gain <= 0.9, "{gain}");
    query.requests.count = 200;
    query.files[0].is_parquet = false;
    assert_eq!(query.best().0, "", "all of them are asked for at once");
    query.files[0] = FilesRead { is_remote: false, is_parquet: true, ..query.files[0].clone() };
    let (rule, _, gain) = query.best();
    assert!(rule == "small_files" && (gain - 0.1).abs() < 0.01, "opening them alone: {rule}, {gain}");
    query.files[0].bytes = 2000 << 30;
    assert_eq!(query.best().0, "", "they are large");
}

#[test]
fn what_is_decoded_anew_wants_a_cache() {
    let mut query = Query::new();
    query.settings.set("use_uncompressed_cache", "0").expect("a setting");
    let (rule, change, gain) = query.best();
    assert_eq!((rule, change.as_str()), ("uncompressed_cache", "SET use_uncompressed_cache = 1"));
    assert!((gain - 0.45).abs() < 1e-9);
    query.counters.add(Event::UncompressedCacheHits, 1);
    assert_eq!(query.best().0, "", "it was found");
}
