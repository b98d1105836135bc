//! What a query does not need is not read: conditions step by step, counts and bounds from what parts keep, the beginning of
//! an order first, granules that were decoded a moment ago. Each test looks at counters, which differ where the feature is
//! not at work.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, BinaryViewArray, Int64Array, RecordBatch, UInt16Array};
use arrow::compute::concat_batches;
use arrow::datatypes::Int64Type;
use arrow::util::pretty::pretty_format_batches;
use gristmill_catalog::Table;
use gristmill_introspect::{Event, QueryContext};
use gristmill_mergetree::read::explain_indexes;
use gristmill_mergetree::testing::{TableSpec, context, insert, select, session};
use gristmill_mergetree::{EnvironmentOptions, MemoryStore, MergeTree, MergeTreeEnvironment};
use gristmill_types::{Columns, SqlType};

const ROWS: i64 = 100_000;

fn columns() -> Columns {
    Columns::of([
        ("p", SqlType::UInt16),
        ("k", SqlType::Int64),
        ("tenth", SqlType::Int64),
        ("falling", SqlType::Int64),
        ("text", SqlType::String),
    ])
}

/// `ORDER BY k`, in partitions by `p = k % partitions`, granules of 100 rows; the rows in `inserts` parts a partition whose
/// ranges of `k` overlap.
async fn table(partitions: i64, inserts: i64) -> Arc<MergeTree> {
    let spec = TableSpec::new(columns(), &["k"], if partitions > 1 { &["p"] } else { &[] }).expect("spec");
    let table = spec.with_setting("index_granularity", 100).open(MemoryStore::new()).await.expect("opens");
    for insert_number in 0..inserts {
        let k: Vec<i64> = (0..ROWS).filter(|k| k / 10 % inserts == insert_number).collect();
        let of =
            |value: &dyn Fn(i64) -> i64| -> ArrayRef { Arc::new(Int64Array::from_iter_values(k.iter().map(|k| value(*k)))) };
        let p: ArrayRef = Arc::new(UInt16Array::from_iter_values(k.iter().map(|k| (k % partitions) as u16)));
        let text: ArrayRef =
            Arc::new(BinaryViewArray::from_iter_values(k.iter().map(|k| format!("a long text of {k:020}"))));
        let columns_of_rows = vec![p, of(&|k| k), of(&|k| k * 7 % 10), of(&|k| -k), text];
        let batch = RecordBatch::try_new(columns().arrow(), columns_of_rows).expect("fits");
        insert(&table, &context(&[]).expect("settings"), vec![batch]).await.expect("inserts");
    }
    table
}

async fn run(table: &MergeTree, query: &str, settings: &[(&str, &str)]) -> (RecordBatch, Arc<QueryContext>) {
    let context = context(settings).expect("settings");
    let batches = select(table, &context, query).await.expect("runs");
    let schema = batches.first().expect("a batch").schema();
    (concat_batches(&schema, &batches).expect("one schema"), context)
}

fn numbers(batch: &RecordBatch, column: usize) -> Vec<i64> {
    batch.column(column).as_primitive::<Int64Type>().values().to_vec()
}

#[tokio::test(flavor = "multi_thread")]
async fn conditions_are_steps_and_each_sees_what_passed_the_ones_before() {
    let table = table(1, 1).await;
    // One value of ten of one column leaves 10 000 rows to the comparison of two others.
    let query = "SELECT k, text FROM t WHERE k = 0 - falling AND tenth = 9 ORDER BY k";
    let (found, context) = run(&table, query, &[("max_threads", "1")]).await;
    assert_eq!(numbers(&found, 0), (0..10_000).map(|k| k * 10 + 7).collect::<Vec<_>>());
    assert_eq!(context.counters.get(Event::RowsReadByPrewhereReaders), 110_000);
    assert_eq!(context.counters.get(Event::RowsReadByMainReader), 10_000);
    let (same, context) = run(&table, query, &[("optimize_move_to_prewhere", "0")]).await;
    assert_eq!(same, found);
    assert_eq!(context.counters.get(Event::RowsReadByPrewhereReaders), 0);
    assert_eq!(context.counters.get(Event::RowsReadByMainReader), 100_000);
}

/// Inside of a range of keys every row passes: only at its ends rows are compared.
#[tokio::test(flavor = "multi_thread")]
async fn a_range_of_keys_is_compared_at_its_ends() {
    let table = table(1, 1).await;
    let cases: [(&str, i64, u64); 4] = [
        ("k >= 1050 AND k < 90050", 89_000, 3200),
        ("k BETWEEN 1050 AND 90049 AND NOT k > 90049", 89_000, 4800),
        ("k >= 1050 AND k < 90050 AND tenth < 20", 89_000, 95_000),
        ("k < 50050 OR k >= 60050", 90_000, 6400),
    ];
    for (condition, rows, most) in cases {
        for kept in ["0", "1"] {
            let settings = [("max_threads", "1"), ("use_uncompressed_cache", kept)];
            let (found, context) =
                run(&table, &format!("SELECT count(*), sum(falling) FROM t WHERE {condition}"), &settings).await;
            assert_eq!(numbers(&found, 0), vec![rows], "{condition}");
            let compared = context.counters.get(Event::RowsReadByPrewhereReaders);
            assert!(compared <= most, "{condition}: {compared} rows were compared");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn explain_tells_the_steps_in_their_order() {
    let table = table(1, 1).await;
    let context = context(&[]).expect("settings");
    let session = session(&context);
    session.register_table("t", table.read(&context).await.expect("pins")).expect("registers");
    let query = "SELECT falling FROM t WHERE text <> X'78' AND falling < 0 AND tenth = 3 ORDER BY k DESC LIMIT 7";
    let plan = session.sql(query).await.expect("parses").create_physical_plan().await.expect("plans");
    let lines = explain_indexes(&plan);
    let from = lines.iter().position(|line| line.starts_with("Read type")).expect("it tells the type of reading");
    assert_eq!(lines[from], "Read type: InReverseOrder");
    assert_eq!(lines[from + 1], "Prewhere");
    let steps: Vec<&str> =
        lines[from + 2..].iter().filter_map(|line| line.strip_prefix("  Prewhere filter column: ")).collect();
    assert_eq!(steps.len(), 3, "{lines:?}");
    assert_eq!(steps[0], "tenth = 3");
    assert_eq!(steps[1], "text != 'x'");
    assert_eq!(steps[2], "falling < 0", "one row of all fails it");
}

#[tokio::test(flavor = "multi_thread")]
async fn least_and_greatest_values_are_known_without_reading() {
    let table = table(3, 2).await;
    let query = "SELECT min(k), max(k), min(falling), max(tenth), count(*) FROM t";
    let (found, context) = run(&table, query, &[]).await;
    let values: Vec<i64> = (0..5).map(|column| numbers(&found, column)[0]).collect();
    assert_eq!(values, vec![0, ROWS - 1, 1 - ROWS, 9, ROWS]);
    assert_eq!(context.counters.get(Event::SelectedRows), 0);
    let (same, context) = run(&table, query, &[("optimize_use_implicit_projections", "0")]).await;
    assert_eq!(
        pretty_format_batches(&[same]).expect("shown").to_string(),
        pretty_format_batches(&[found]).expect("shown").to_string()
    );
    assert_eq!(context.counters.get(Event::SelectedRows), ROWS as u64);
    // A condition leaves rows out: the bounds of the whole say nothing.
    let (some, context) = run(&table, "SELECT max(k) FROM t WHERE tenth = 7", &[]).await;
    assert_eq!(numbers(&some, 0), vec![ROWS - 9]);
    assert!(context.counters.get(Event::SelectedRows) > 0);
}

/// Bounds of strings are cut off in the footer where they are long: then they are no answer.
#[tokio::test(flavor = "multi_thread")]
async fn bounds_of_strings_are_known_where_they_are_short() {
    let columns = Columns::of([("k", SqlType::Int64), ("s", SqlType::String), ("f", SqlType::FixedString(3))]);
    for (length, reads) in [(3usize, false), (300, true)] {
        let spec = TableSpec::new(columns.clone(), &["k"], &[]).expect("spec").with_setting("index_granularity", 10);
        let table = spec.open(MemoryStore::new()).await.expect("opens");
        for part in 0..3i64 {
            let numbers = || (part * 30..(part + 1) * 30).map(|k| k * 7 % 90);
            let text = |k: i64| format!("{k:02}{}", "x".repeat(length));
            let k: ArrayRef = Arc::new(Int64Array::from_iter_values(numbers()));
            let s: ArrayRef = Arc::new(BinaryViewArray::from_iter_values(numbers().map(text)));
            let fixed = numbers().map(|k| format!("{k:03}").into_bytes());
            let f: ArrayRef = Arc::new(arrow::array::FixedSizeBinaryArray::try_from_iter(fixed).expect("of one length"));
            let batch = RecordBatch::try_new(columns.arrow(), vec![k, s, f]).expect("fits");
            insert(&table, &context(&[]).expect("settings"), vec![batch]).await.expect("inserts");
        }
        let (found, context) = run(&table, "SELECT min(s), max(s) FROM t", &[]).await;
        let texts: Vec<&[u8]> = (0..2).map(|column| found.column(column).as_binary_view().value(0)).collect();
        assert_eq!(texts[0], format!("00{}", "x".repeat(length)).as_bytes());
        assert_eq!(texts[1], format!("89{}", "x".repeat(length)).as_bytes());
        assert_eq!(context.counters.get(Event::SelectedRows) > 0, reads, "strings of {length} bytes and two");
        let (found, context) = run(&table, "SELECT min(f), max(f) FROM t", &[]).await;
        let fixed: Vec<&[u8]> = (0..2).map(|column| found.column(column).as_fixed_size_binary().value(0)).collect();
        assert_eq!(fixed, [b"000", b"089"]);
        assert_eq!(context.counters.get(Event::SelectedRows), 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whole_partitions_are_counted_without_reading() {
    let table = table(4, 1).await;
    let cases: [(&str, &[(&str, &str)], i64, bool); 5] = [
        ("SELECT count(*) FROM t WHERE p = 1", &[], 25_000, false),
        ("SELECT count(*) FROM t WHERE p IN (1, 2)", &[], 50_000, false),
        ("SELECT count(*) FROM t WHERE NOT p > 2", &[], 75_000, false),
        ("SELECT count(*) FROM t WHERE p = 1", &[("optimize_trivial_count_query", "0")], 25_000, true),
        ("SELECT count(*) FROM t WHERE p = 1 AND k < 1000", &[], 250, true),
    ];
    for (query, settings, expected, reads) in cases {
        let (found, context) = run(&table, query, settings).await;
        assert_eq!(numbers(&found, 0), vec![expected], "{query}");
        assert_eq!(context.counters.get(Event::SelectedRows) > 0, reads, "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_beginning_of_the_order_is_read_and_no_more() {
    for table in [table(1, 1).await, table(1, 3).await, table(2, 1).await] {
        let cases: [(&str, Vec<i64>); 4] = [
            ("SELECT k, text FROM t ORDER BY k LIMIT 3", vec![0, 1, 2]),
            ("SELECT k, text FROM t ORDER BY k DESC LIMIT 3", vec![ROWS - 1, ROWS - 2, ROWS - 3]),
            // Not the key, but its granules' bounds tell.
            ("SELECT k, text FROM t ORDER BY falling LIMIT 2", vec![ROWS - 1, ROWS - 2]),
            ("SELECT k, text FROM t WHERE tenth = 7 ORDER BY k LIMIT 2 OFFSET 1", vec![11, 21]),
        ];
        for (query, expected) in cases {
            let (found, context) = run(&table, query, &[]).await;
            assert_eq!(numbers(&found, 0), expected, "{query}");
            let read = context.counters.get(Event::SelectedRows);
            assert!(read <= 20_000, "{query} read {read} rows");
            let off =
                [("optimize_read_in_order", "0"), ("use_top_k_dynamic_filtering", "0"), ("use_query_condition_cache", "0")];
            let (same, context) = run(&table, query, &off).await;
            assert_eq!(numbers(&same, 0), expected, "{query}");
            assert_eq!(context.counters.get(Event::SelectedRows), ROWS as u64, "{query}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_small_limit_reads_a_granule_or_two() {
    let table = table(1, 1).await;
    let (found, context) = run(&table, "SELECT k FROM t ORDER BY k LIMIT 3", &[("max_threads", "1")]).await;
    assert_eq!(numbers(&found, 0), vec![0, 1, 2]);
    assert_eq!(context.counters.get(Event::SelectedRows), 100);
}

#[tokio::test(flavor = "multi_thread")]
async fn columns_beside_the_order_are_decoded_for_rows_that_may_still_count() {
    let table = table(1, 1).await;
    // No granule can be left out: each holds all values of the column.
    let query = "SELECT text FROM t ORDER BY tenth DESC, k LIMIT 5";
    let at_once = ("query_plan_optimize_lazy_materialization", "0");
    let (_, context) = run(&table, query, &[("max_threads", "1"), at_once]).await;
    let main = context.counters.get(Event::RowsReadByMainReader);
    assert!(main < ROWS as u64 / 2, "{main} rows of all columns were decoded");
    let (_, context) = run(&table, query, &[("max_threads", "1"), at_once, ("use_top_k_dynamic_filtering", "0")]).await;
    assert_eq!(context.counters.get(Event::RowsReadByMainReader), ROWS as u64);
}

#[tokio::test(flavor = "multi_thread")]
async fn columns_beside_the_order_are_read_of_the_rows_that_are_left() {
    for table in [table(1, 1).await, table(3, 2).await] {
        let query = "SELECT text, k, falling FROM t WHERE k % 3 = 1 ORDER BY tenth DESC, falling LIMIT 7";
        let bytes = |context: &QueryContext| context.counters.get(Event::SelectedBytes);
        // Thresholds would spare some of them, too.
        let off = [("use_top_k_dynamic_filtering", "0"), ("use_query_condition_cache", "0")];
        let settings = |lazy| [("query_plan_optimize_lazy_materialization", lazy), off[0], off[1]];
        let (late, of_late) = run(&table, query, &settings("1")).await;
        let (at_once, of_all) = run(&table, query, &settings("0")).await;
        assert_eq!(late, at_once);
        assert_eq!(of_late.counters.get(Event::SelectedRows), of_all.counters.get(Event::SelectedRows));
        assert!(bytes(&of_late) < bytes(&of_all) * 2 / 3, "{} and {}", bytes(&of_late), bytes(&of_all));
        let beyond = [("query_plan_max_limit_for_lazy_materialization", "6"), off[0], off[1]];
        let (_, context) = run(&table, query, &beyond).await;
        assert_eq!(bytes(&context), bytes(&of_all));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn groups_by_the_beginning_of_the_key_are_given_while_they_are_read() {
    for table in [table(1, 1).await, table(1, 3).await, table(2, 1).await] {
        let query = "SELECT k, count(*), min(text) FROM t GROUP BY k ORDER BY k";
        let (plain, _) = run(&table, query, &[]).await;
        let (ordered, _) = run(&table, query, &[("optimize_aggregation_in_order", "1")]).await;
        assert!(plain.num_rows() == ROWS as usize && plain == ordered);
        // Which two groups is not said; they are given when the third begins.
        let query = "SELECT k, count(*) FROM t GROUP BY k LIMIT 2";
        let settings = [("optimize_aggregation_in_order", "1"), ("max_threads", "1"), ("max_block_size", "100")];
        let (found, context) = run(&table, query, &settings).await;
        assert_eq!(numbers(&found, 1), vec![1, 1]);
        let read = context.counters.get(Event::SelectedRows);
        assert!(read < ROWS as u64 / 4, "{read} rows were read");
        let (_, context) = run(&table, query, &settings[1..]).await;
        assert_eq!(context.counters.get(Event::SelectedRows), ROWS as u64);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn granules_that_were_decoded_are_found_in_memory() {
    let environment = MergeTreeEnvironment::for_tests();
    let spec = TableSpec::new(columns(), &["k"], &[]).expect("spec").with_setting("index_granularity", 100);
    let table = spec.open_in(MemoryStore::new(), environment.clone()).await.expect("opens");
    let k = || 0..5000i64;
    let of = |value: &dyn Fn(i64) -> i64| -> ArrayRef { Arc::new(Int64Array::from_iter_values(k().map(value))) };
    let p: ArrayRef = Arc::new(UInt16Array::from_iter_values(k().map(|_| 0)));
    let text: ArrayRef = Arc::new(BinaryViewArray::from_iter_values(k().map(|k| format!("text {k}"))));
    let rows = vec![p, of(&|k| k), of(&|k| k % 10), of(&|k| -k), text];
    let batch = RecordBatch::try_new(columns().arrow(), rows).expect("fits");
    insert(&table, &context(&[]).expect("settings"), vec![batch]).await.expect("inserts");
    let query = "SELECT k, text, \"_part_offset\" FROM t WHERE k >= 1050 AND k < 1250 AND tenth = 3 ORDER BY k";
    let counts = |context: &QueryContext| {
        let of = |event| context.counters.get(event);
        (of(Event::UncompressedCacheHits), of(Event::UncompressedCacheMisses), environment.granules.report().entries)
    };
    let (plain, context) = run(&table, query, &[("use_uncompressed_cache", "0")]).await;
    assert_eq!(counts(&context), (0, 0, 0));
    // Three granules; the column of the second step, and the text, in as many of them as have rows left.
    let (first, context) = run(&table, query, &[]).await;
    assert_eq!(counts(&context), (0, 9, 0), "what is read once is not kept");
    let (second, context) = run(&table, query, &[]).await;
    assert_eq!(counts(&context), (0, 9, 9));
    let (third, context) = run(&table, query, &[]).await;
    assert_eq!(counts(&context), (9, 0, 9));
    assert_eq!((&first, &second, &third), (&plain, &plain, &plain));
    // A query that reads much leaves it alone.
    for much in [("merge_tree_max_rows_to_use_cache", "10"), ("merge_tree_max_bytes_to_use_cache", "10")] {
        let (_, context) = run(&table, query, &[much]).await;
        assert_eq!(counts(&context), (0, 0, 9));
    }
    environment.granules.clear();
    let (_, context) = run(&table, query, &[]).await;
    assert_eq!(counts(&context), (0, 9, 0));
    let options = EnvironmentOptions { uncompressed_cache_size: 0, background: false, ..EnvironmentOptions::default() };
    assert!(MergeTreeEnvironment::new(options, gristmill_base::env::system_env()).granules.is_off());
}
