//! Rows whose time has come go, become one, or lose a value: against a plain model, at times that a test's clock gives.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use arrow::array::{ArrayRef, AsArray, BinaryViewArray, Int64Array, RecordBatch, TimestampSecondArray};
use arrow::compute::concat_batches;
use arrow::datatypes::Int64Type;
use gristmill_base::env::{Env, system_env};
use gristmill_catalog::{BackgroundWork, MutationRequest, OptimizeRequest, RowChange, Table, TtlAction, TtlRule};
use gristmill_introspect::{QueryContext, Settings};
use gristmill_mergetree::merge::task::{Claim, MergeOptions, merge};
use gristmill_mergetree::testing::{PlainSql, TableSpec, insert, select};
use gristmill_mergetree::ttl::rows::TtlRows;
use gristmill_mergetree::ttl::select::{Reason, Rests, choose};
use gristmill_mergetree::{EnvironmentOptions, MemoryStore, MergeTree, MergeTreeEnvironment, PartStore};
use gristmill_types::{Columns, DefaultKind, SqlType};
use proptest::prelude::*;

/// Says what time it is, in seconds.
#[derive(Debug, Default)]
struct Clock(AtomicU64);

impl Env for Clock {
    fn now(&self) -> Duration {
        Duration::from_secs(self.0.load(Ordering::SeqCst))
    }

    fn instant(&self) -> Instant {
        Instant::now()
    }

    fn random_u64(&self) -> u64 {
        system_env().random_u64()
    }
}

impl Clock {
    fn set(&self, seconds: u64) {
        self.0.store(seconds, Ordering::SeqCst);
    }
}

/// A row: key, second key, the time it is born, a value, a text.
type Row = (i64, i64, i64, i64, String);

fn columns() -> Columns {
    let columns = Columns::of([
        ("a", SqlType::Int64),
        ("b", SqlType::Int64),
        ("t", SqlType::Int64),
        ("v", SqlType::Int64),
        ("s", SqlType::String),
    ]);
    let mut columns: Vec<_> = columns.iter().cloned().collect();
    columns[3].default = Some((DefaultKind::Default, "a * 100".to_string()));
    Columns::new(columns)
}

fn batch(rows: &[Row]) -> RecordBatch {
    let number = |value: fn(&Row) -> i64| Arc::new(Int64Array::from_iter_values(rows.iter().map(value))) as ArrayRef;
    let s: ArrayRef = Arc::new(BinaryViewArray::from_iter_values(rows.iter().map(|row| row.4.as_bytes())));
    let columns_of = vec![number(|row| row.0), number(|row| row.1), number(|row| row.2), number(|row| row.3), s];
    RecordBatch::try_new(columns().arrow(), columns_of).expect("fits")
}

fn rows_of(batches: &[RecordBatch]) -> Vec<Row> {
    let all = concat_batches(&columns().arrow(), batches).expect("one schema");
    let number = |at: usize, row: usize| all.column(at).as_primitive::<Int64Type>().value(row);
    (0..all.num_rows())
        .map(|row| {
            let text = String::from_utf8_lossy(all.column(4).as_binary_view().value(row)).into_owned();
            (number(0, row), number(1, row), number(2, row), number(3, row), text)
        })
        .collect()
}

fn delete(expression: &str, condition: Option<&str>) -> TtlRule {
    let action = TtlAction::Delete { condition: condition.map(String::from) };
    TtlRule { expression: expression.to_string(), action }
}

fn group_by(expression: &str, set: &[(&str, &str)]) -> TtlRule {
    let set = set.iter().map(|(column, value)| (column.to_string(), value.to_string())).collect();
    TtlRule { expression: expression.to_string(), action: TtlAction::GroupBy { keys: vec!["a".to_string()], set } }
}

fn spec() -> TableSpec {
    TableSpec::new(columns(), &["a", "b"], &[]).expect("spec").with_setting("index_granularity", 7)
}

struct World {
    clock: Arc<Clock>,
    environment: Arc<MergeTreeEnvironment>,
}

impl World {
    fn new() -> World {
        let clock = Arc::new(Clock::default());
        let options = EnvironmentOptions { background: false, ..EnvironmentOptions::default() };
        let environment = MergeTreeEnvironment::new(options, clock.clone());
        environment.set_compiler(Arc::new(PlainSql));
        World { clock, environment }
    }

    fn context(&self) -> Arc<QueryContext> {
        let mut settings = Settings::default();
        settings.set("max_threads", "1").expect("a setting");
        // OPTIMIZE does what is due, and nothing else.
        settings.set("optimize_skip_merged_partitions", "1").expect("a setting");
        QueryContext::new("test", "", "default", "default", Arc::new(settings), self.clock.clone())
    }

    async fn open(&self, spec: &TableSpec) -> Arc<MergeTree> {
        spec.open_in(MemoryStore::new(), self.environment.clone()).await.expect("opens")
    }

    async fn insert(&self, table: &MergeTree, rows: &[Row]) {
        insert(table, &self.context(), vec![batch(rows)]).await.expect("inserts");
    }

    async fn optimize(&self, table: &MergeTree) {
        let request = OptimizeRequest { to_one_part: true, ..OptimizeRequest::default() };
        table.optimize(&self.context(), request).await.expect("merges");
    }

    async fn rows(&self, table: &MergeTree) -> Vec<Row> {
        let batches = select(table, &self.context(), "SELECT a, b, t, v, s FROM t").await.expect("reads");
        rows_of(&batches)
    }
}

fn active(table: &MergeTree) -> Vec<String> {
    table.parts().into_iter().filter(|part| part.active).map(|part| part.name).collect()
}

/// Keys of whom few are equal, and times from 0 (never) to 20.
fn any_rows() -> impl Strategy<Value = Vec<Row>> {
    proptest::collection::vec((0i64..4, 0i64..4, 0i64..20, -5i64..5, "[a-c]{0,2}"), 1..40)
}

/// What becomes of sorted rows by the rules of the property below.
fn model(rows: &[Row], now: i64) -> Vec<Row> {
    let expired = |time: i64| time != 0 && time <= now;
    let goes = |row: &&Row| expired(row.2) || row.3 == 0 && row.2 != 0 && expired(row.2 - 4);
    let live = rows.iter().filter(|row| !goes(row)).cloned();
    live.map(|mut row| {
        if row.2 != 0 && expired(row.2 - 2) {
            row.3 = row.0 * 100;
        }
        if row.2 != 0 && expired(row.2 - 6) {
            row.4 = String::new();
        }
        row
    })
    .collect()
}

/// Rows of equal keys may come in any order.
fn counted(rows: &[Row]) -> BTreeMap<Row, usize> {
    let mut counts = BTreeMap::new();
    rows.iter().for_each(|row| *counts.entry(row.clone()).or_default() += 1);
    counts
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("starts")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Whatever was inserted when, and merged in between at whatever times: in the end those rows are there, with those
    /// values, that the rules leave at that time.
    #[test]
    fn deletes_and_columns_are_as_if_applied_once(
        inserts in proptest::collection::vec((any_rows(), any::<bool>()), 1..6),
        last in 0u64..24,
    ) {
        runtime().block_on(async {
            let world = World::new();
            // A time before the birth expires early; 0 stays 0.
            let earlier = |seconds: i64| format!("CASE WHEN t = 0 THEN 0 ELSE t - {seconds} END");
            let spec = spec()
                .with_ttl(delete("t", None))
                .with_ttl(delete(&earlier(4), Some("v = 0")))
                .with_column_ttl("v", &earlier(2))
                .with_column_ttl("s", &earlier(6))
                .with_setting("max_parts_to_merge_at_once", 2);
            let table = world.open(&spec).await;
            let plain = world.open(&self::spec()).await;
            for (at, (rows, merges)) in inserts.iter().enumerate() {
                world.clock.set(last * at as u64 / inserts.len() as u64);
                world.insert(&table, rows).await;
                world.insert(&plain, rows).await;
                if *merges {
                    world.optimize(&table).await;
                }
            }
            world.clock.set(last);
            world.optimize(&table).await;
            world.optimize(&plain).await;
            let sorted = world.rows(&plain).await;
            // Rows of key 0 have 0 as the default of v, and may be deleted for that by a later merge: they are left out.
            let others = |rows: Vec<Row>| rows.into_iter().filter(|row| row.0 != 0).collect::<Vec<_>>();
            assert_eq!(others(world.rows(&table).await), others(model(&sorted, last as i64)));
        });
    }

    /// Rows that come in pieces become what they become as a whole.
    #[test]
    fn group_by_does_not_depend_on_where_batches_end(
        rows in any_rows(),
        cuts in proptest::collection::vec(0usize..40, 0..6),
        moves in any::<bool>(),
    ) {
        runtime().block_on(async {
            let world = World::new();
            let set = [("v", "sum(v) + max(v)"), ("t", "max(t)"), ("b", "min(t)")];
            let rule = group_by("t", &set[..if moves { 3 } else { 2 }]);
            let table = world.open(&spec().with_ttl(rule)).await;
            let layout = &table.core().layout;
            let mut rows = rows;
            rows.sort_by_key(|row| (row.0, row.1));
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(rows.len())).chain([0, rows.len()]).collect();
            cuts.sort_unstable();
            let mut applied = TtlRows::new(layout, 10).expect("rules");
            let mut out = Vec::new();
            for cut in cuts.windows(2) {
                out.push(applied.push(batch(&rows[cut[0]..cut[1]])).expect("applies"));
            }
            out.push(applied.finish().expect("ends"));
            let mut expected: Vec<Row> = Vec::new();
            let mut run: Vec<Row> = Vec::new();
            let end = |run: &mut Vec<Row>, expected: &mut Vec<Row>| {
                let Some(first) = run.first().cloned() else { return };
                let values = || run.iter().map(|row| row.3);
                let v = values().sum::<i64>() + values().max().unwrap_or_default();
                let t = run.iter().map(|row| row.2);
                let b = if moves { t.clone().min().unwrap_or_default() } else { first.1 };
                expected.push((first.0, b, t.max().unwrap_or_default(), v, first.4));
                run.clear();
            };
            for row in rows {
                let expired = row.2 != 0 && row.2 <= 10;
                if !expired || run.first().is_some_and(|first| first.0 != row.0) {
                    end(&mut run, &mut expected);
                }
                if expired { run.push(row) } else { expected.push(row) }
            }
            end(&mut run, &mut expected);
            let found = rows_of(&out);
            assert!(found.windows(2).all(|pair| (pair[0].0, pair[0].1) <= (pair[1].0, pair[1].1)), "in order");
            assert_eq!(counted(&found), counted(&expected));
        });
    }
}

fn row(a: i64, t: i64) -> Row {
    (a, 0, t, 1, "x".to_string())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_part_that_expired_goes_without_being_read() {
    let world = World::new();
    let store = MemoryStore::new();
    let spec = spec().with_ttl(delete("t", None));
    let table = spec.open_in(store.clone(), world.environment.clone()).await.expect("opens");
    world.insert(&table, &[row(1, 5), row(2, 7)]).await;
    world.insert(&table, &[row(3, 50)]).await;
    let part = table.core().manifest.current().parts.values().next().expect("a part").clone();
    assert_eq!((part.ttl["t"].min, part.ttl["t"].max, part.ttl["t"].pending), (Some(5), Some(7), Some(5)));
    // Whoever reads it now finds nothing.
    store.delete(&world.context(), &part.key).await.expect("removes");
    world.environment.parts.remove(&store.location(&part.key));
    world.clock.set(7);
    let (layout, settings) = (&table.core().layout, &table.core().settings);
    let run: Vec<_> = table.core().manifest.current().parts.values().cloned().collect();
    let chosen = choose(&layout.ttl, settings, &[run], &Rests::new(), 7_000, (u64::MAX, 10)).expect("one is due");
    assert_eq!((chosen.reason, chosen.parts.len()), (Reason::Drop, 1));
    assert_eq!(chosen.parts[0].key, part.key);
    let claim = Claim::take(table.core(), chosen.parts).expect("free");
    let options = MergeOptions { deduplicate: None, cleanup: false, lanes: 1, yields: false };
    assert!(merge(&claim, &world.context(), &options).await.expect("drops"));
    assert_eq!(active(&table), ["all_2_2_0"]);
    assert_eq!(world.rows(&table).await, [row(3, 50)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_part_that_expired_longest_ago_is_chosen_with_its_neighbours() {
    let world = World::new();
    let table = world.open(&spec().with_ttl(delete("t", None))).await;
    for times in [[90, 95], [8, 90], [3, 90], [9, 90], [50, 60]] {
        world.insert(&table, &times.map(|time| row(1, time))).await;
    }
    let run: Vec<_> = table.core().manifest.current().parts.values().cloned().collect();
    let settings = &table.core().settings;
    let chosen = |now: u64, rests: &Rests, parts_max: usize| {
        let runs = [run.clone()];
        let chosen = choose(&table.core().layout.ttl, settings, &runs, rests, now * 1000, (u64::MAX, parts_max))?;
        Some((chosen.reason, chosen.parts.iter().map(|part| part.min_block).collect::<Vec<_>>()))
    };
    assert_eq!(chosen(2, &Rests::new(), 10), None);
    assert_eq!(chosen(9, &Rests::new(), 10), Some((Reason::Delete, vec![2, 3, 4])));
    assert_eq!(chosen(9, &Rests::new(), 2), Some((Reason::Delete, vec![2, 3])));
    assert_eq!(chosen(60, &Rests::new(), 10), Some((Reason::Drop, vec![5])));
    let rests = Rests::from([(("all".to_string(), false), 30_000)]);
    assert_eq!((chosen(29, &rests, 10), chosen(30, &rests, 10).is_some()), (None, true));
    let whole = spec().with_ttl(delete("t", None)).with_setting("ttl_only_drop_parts", 1);
    let whole = world.open(&whole).await;
    let only = choose(&whole.core().layout.ttl, &whole.core().settings, &[run], &Rests::new(), 9_000, (u64::MAX, 9));
    assert!(only.is_none(), "no part expired as a whole");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_done_is_not_due_again() {
    let world = World::new();
    let spec = spec().with_column_ttl("s", "t").with_ttl(group_by("t", &[("v", "sum(v)")]));
    let table = world.open(&spec).await;
    world.insert(&table, &[row(1, 5), row(1, 6), row(2, 30)]).await;
    world.clock.set(10);
    world.optimize(&table).await;
    let expected = [(1, 0, 5, 2, String::new()), row(2, 30)];
    assert_eq!(world.rows(&table).await, expected);
    let ttl = &table.core().layout.ttl;
    let part = table.core().manifest.current().parts.values().next().expect("a part").clone();
    assert_eq!(ttl.due(&part), Some(30));
    assert!(ttl.concerns(std::slice::from_ref(&part), 10), "a merge with others adds them up");
    let before = active(&table);
    world.optimize(&table).await;
    assert_eq!(active(&table), before);
    world.insert(&table, &[row(1, 7)]).await;
    world.optimize(&table).await;
    assert_eq!(world.rows(&table).await, [(1, 0, 5, 3, String::new()), row(2, 30)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn merges_leave_expired_rows_alone_while_those_for_ttl_are_stopped() {
    let world = World::new();
    let table = world.open(&spec().with_ttl(delete("t", None))).await;
    world.insert(&table, &[row(1, 5)]).await;
    world.insert(&table, &[row(2, 5), row(3, 50)]).await;
    world.clock.set(10);
    table.set_background(BackgroundWork::TtlMerges, false).expect("stops");
    world.optimize(&table).await;
    assert_eq!((active(&table).len(), world.rows(&table).await.len()), (1, 3));
    table.set_background(BackgroundWork::TtlMerges, true).expect("starts");
    world.optimize(&table).await;
    assert_eq!(world.rows(&table).await, [row(3, 50)]);
    table.set_background(BackgroundWork::Merges, false).expect("stops");
    let refused = table.optimize(&world.context(), OptimizeRequest::default()).await.expect_err("stopped");
    assert_eq!(refused.code(), gristmill_base::ErrorCode::ABORTED);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_ttl_reaches_old_parts_by_a_mutation_or_a_merge() {
    let world = World::new();
    let table = world.open(&spec()).await;
    world.insert(&table, &[row(1, 5), row(2, 50)]).await;
    world.clock.set(10);
    let with_ttl = spec().with_ttl(delete("t", None));
    let altered = with_ttl.alter(&table).expect("alters");
    let request = MutationRequest {
        changes: vec![RowChange::MaterializeTtl],
        commands: vec!["(MATERIALIZE TTL)".to_string()],
        partition: None,
        at_once: false,
    };
    let id = altered.mutate(&world.context(), request.clone()).await.expect("begins");
    altered.finish_mutation(&world.context(), &id).await.expect("ends");
    assert_eq!(world.rows(&altered).await, [row(2, 50)]);
    // Where nothing expired nothing is written.
    let before = altered.core().manifest.current().parts.values().next().expect("a part").key.clone();
    let id = altered.mutate(&world.context(), request).await.expect("begins");
    altered.finish_mutation(&world.context(), &id).await.expect("ends");
    assert_eq!(altered.core().manifest.current().parts.values().next().expect("a part").key, before);
    let sooner = spec().with_ttl(delete("t - 45", None)).alter(&altered).expect("alters");
    world.optimize(&sooner).await;
    assert!(world.rows(&sooner).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_old_part_is_compressed_as_it_was_told_once() {
    let world = World::new();
    let recompress = |expression: &str, codec: &str| TtlRule {
        expression: expression.to_string(),
        action: TtlAction::Recompress { codec: codec.to_string() },
    };
    let spec = spec().with_ttl(recompress("t", "ZSTD(3)")).with_ttl(recompress("t + 100", "NONE"));
    let table = world.open(&spec).await;
    let text = "abc".repeat(100);
    world.insert(&table, &(0..50).map(|n| (n, 0, 5, 1, text.clone())).collect::<Vec<_>>()).await;
    let part = || table.core().manifest.current().parts.values().next().expect("a part").clone();
    let before = world.rows(&table).await;
    world.clock.set(10);
    let run = vec![part()];
    let chosen = choose(&table.core().layout.ttl, &table.core().settings, &[run], &Rests::new(), 10_000, (u64::MAX, 9));
    assert_eq!(chosen.expect("due").reason, Reason::Recompress);
    world.optimize(&table).await;
    let (small, known) = (part().bytes, part());
    assert_eq!((known.codec.as_str(), table.core().layout.ttl.due(&known)), ("ZSTD(3)", Some(105)));
    world.clock.set(200);
    world.optimize(&table).await;
    assert_eq!((part().codec.as_str(), table.core().layout.ttl.due(&part())), ("NONE", None));
    assert!(part().bytes > small, "it is not compressed any more");
    assert_eq!(world.rows(&table).await, before);
}

/// Older programs computed times in the types of columns, where 2106 began anew at 1970.
#[tokio::test(flavor = "multi_thread")]
async fn times_that_older_programs_let_overflow_are_looked_at_again() {
    let world = World::new();
    let columns = Columns::of([("a", SqlType::Int64), ("t", SqlType::DateTime64(0, None))]);
    let spec = TableSpec::new(columns.clone(), &["a"], &[]).expect("spec").with_ttl(delete("t", None));
    let table = world.open(&spec).await;
    let far = i64::from(u32::MAX) + 1;
    let times: ArrayRef = Arc::new(TimestampSecondArray::from(vec![far + 5, far + 9]));
    let rows = RecordBatch::try_new(columns.arrow(), vec![Arc::new(Int64Array::from(vec![1, 2])), times]).expect("fits");
    insert(&table, &world.context(), vec![rows]).await.expect("inserts");
    let right = table.core().manifest.current().parts.values().next().expect("a part").as_ref().clone();
    assert!(right.ttl["t"].wide && right.ttl["t"].max == Some(far + 9));
    let (mut believed, mut doubted) = (right.clone(), right);
    for (part, key, wide) in [(&mut believed, "believed", true), (&mut doubted, "doubted", false)] {
        part.key = key.to_string();
        let range = part.ttl.get_mut("t").expect("a range");
        (range.min, range.max, range.pending, range.wide) = (Some(5), Some(9), Some(5), wide);
    }
    let (ttl, settings) = (&table.core().layout.ttl, &table.core().settings);
    assert!(ttl.is_expired(&believed, 100) && !ttl.is_expired(&doubted, 100));
    let run = vec![Arc::new(doubted)];
    assert!(ttl.concerns(&run, 1));
    let chosen = choose(ttl, settings, &[run], &Rests::new(), 1_000, (u64::MAX, 9)).expect("it is looked at");
    assert_eq!(chosen.reason, Reason::Delete);
}
