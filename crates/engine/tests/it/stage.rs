//! A SELECT up to a stage: what columns it has, by the names that ClickHouse's servers know them by, and which rows.

use futures::TryStreamExt;
use gristmill_base::ErrorCode;
use gristmill_engine::{Brought, Engine, EngineConfig, Execution, Session};
use gristmill_introspect::Stage;

async fn execution(session: &mut Session, text: &str, stage: Stage) -> gristmill_base::Result<Execution> {
    let statement = Session::split(text)?.remove(0);
    session.execute_with(&statement, None, Brought { stage, ..Brought::default() }).await
}

/// The columns, each with its type, and the number of rows.
async fn given(session: &mut Session, text: &str, stage: Stage) -> (String, usize) {
    let execution = execution(session, text, stage).await.unwrap_or_else(|error| panic!("{text}: {error}"));
    let columns: Vec<String> = execution.columns.iter().map(|column| format!("{} {}", column.name, column.kind)).collect();
    let batches: Vec<arrow::array::RecordBatch> =
        execution.rows.try_collect().await.unwrap_or_else(|error| panic!("{text}: {error}"));
    (columns.join("; "), batches.iter().map(|batch| batch.num_rows()).sum())
}

async fn session() -> Session {
    let mut session = Session::new(Engine::open(EngineConfig::default()).await.expect("opens"));
    for text in [
        "CREATE TABLE t (k UInt32, v Int64, s String) ENGINE = MergeTree ORDER BY k",
        "INSERT INTO t SELECT number % 5, number, toString(number % 3) FROM numbers(100)",
    ] {
        given(&mut session, text, Stage::Complete).await;
    }
    session
}

async fn check(stage: Stage, cases: &[(&str, &str, usize)]) {
    let mut session = session().await;
    for (text, columns, rows) in cases {
        assert_eq!(given(&mut session, text, stage).await, (columns.to_string(), *rows), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn aggregates_are_states_beside_their_keys() {
    check(
        Stage::WithMergeableState,
        &[
            (
                "SELECT DISTINCT k + 1, sum(v) AS total FROM t GROUP BY k + 1 HAVING total + max(s) IS NULL ORDER BY avg(v) LIMIT 2",
                "plus(__table1.k, 1_UInt8) UInt64; sum(__table1.v) AggregateFunction(sum, Int64); \
                 max(__table1.s) AggregateFunction(max, String); avg(__table1.v) AggregateFunction(avg, Int64)",
                5,
            ),
            (
                "SELECT quantile(0.9)(v) + sum(v) AS v, count(DISTINCT k), sum(k) FILTER (WHERE s = '1') FROM t AS x",
                "quantile(0.9_Float64)(__table1.v) AggregateFunction(quantile(0.9), Int64); \
                 sum(__table1.v) AggregateFunction(sum, Int64); uniqExact(__table1.k) AggregateFunction(uniqExact, UInt32); \
                 sumIf(__table1.k, equals(__table1.s, '1'_String)) AggregateFunction(sumIf, UInt32, UInt8)",
                1,
            ),
            (
                "SELECT `__table1`.`k` AS `k`, any(_CAST('2020-01-01', 'Date')) AS `a`, count() AS `count()` FROM default.t AS `__table1` \
                 GROUP BY `__table1`.`k`, 'x' WITH ROLLUP",
                "__table1.k UInt32; any(_CAST(18262_Date, 'Date'_String)) AggregateFunction(any, Date); \
                 count() AggregateFunction(count)",
                5,
            ),
            (
                "SELECT k, s, count() FROM t GROUP BY GROUPING SETS ((k), (s))",
                "__grouping_set UInt64; __table1.k UInt32; __table1.s String; count() AggregateFunction(count)",
                8,
            ),
            ("SELECT sumState(v) FROM t", "sumState(__table1.v) AggregateFunction(sum, Int64)", 1),
            (
                "SELECT arrayMap(x -> x + k, [1, 2]) AS a, sum(sum(v)) OVER () FROM t GROUP BY a",
                "arrayMap(x UInt8 -> plus(x, __table1.k), [1, 2]_Array(UInt8)) Array(UInt64); \
                 sum(__table1.v) AggregateFunction(sum, Int64)",
                5,
            ),
            (
                "SELECT a.k, sum(b.v) FROM t AS a JOIN (SELECT number AS v FROM numbers(3)) AS b ON a.v = b.v GROUP BY a.k",
                "__table1.k UInt32; sum(__table2.v) AggregateFunction(sum, UInt64)",
                3,
            ),
        ],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_come_with_what_they_are_sorted_by() {
    let cases = [
        (
            "SELECT k + 1, v FROM t WHERE k = 2 ORDER BY 1, v + 2 LIMIT 3 OFFSET 1",
            "plus(__table1.k, 1_UInt8) UInt64; __table1.v Int64; plus(__table1.v, 2_UInt8) Int64",
            4,
        ),
        ("SELECT DISTINCT k FROM t ORDER BY k LIMIT 2", "__table1.k UInt32", 5),
        ("SELECT v FROM t ORDER BY k LIMIT 2 BY s LIMIT 5", "__table1.v Int64; __table1.k UInt32; __table1.s String", 100),
        (
            "SELECT k + 1, sum(v + 1) OVER (PARTITION BY s ORDER BY v + 2 DESC) + k FROM t ORDER BY k LIMIT 2",
            "__table1.k UInt32; plus(__table1.v, 1_UInt8) Int64; __table1.s String; plus(__table1.v, 2_UInt8) Int64",
            100,
        ),
        ("SELECT 1 AS foo", "1_UInt8 UInt8", 1),
    ];
    check(Stage::WithMergeableState, &cases).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_the_aggregation_results_have_planned_names() {
    let text = "SELECT k, count() FROM t GROUP BY k HAVING k > 0 ORDER BY max(v), k LIMIT 2 OFFSET 1";
    let columns = "__table1.k UInt32; count() UInt64; max(__table1.v) Int64";
    check(Stage::AfterAggregation, &[(text, columns, 4)]).await;
    check(Stage::AfterAggregationAndLimit, &[(text, columns, 3)]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn columns_are_all_that_is_read_before_where() {
    let cases = [
        (
            "SELECT sum(v + 1) AS x FROM t WHERE s = '1' GROUP BY k HAVING x > 7",
            "__table1.v Int64; __table1.s String; __table1.k UInt32",
            100,
        ),
        ("SELECT arrayMap(s -> s + v, [1]) FROM t PREWHERE k = 1 WHERE v > 7 LIMIT 1", "__table1.v Int64", 20),
        ("SELECT count() FROM t", "__table1.k UInt32", 100),
        ("SELECT 1 AS foo", "__table1.dummy UInt8", 1),
    ];
    check(Stage::FetchColumns, &cases).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_several_selects_there_is_the_result_alone() {
    let mut session = session().await;
    let text = "SELECT k FROM t UNION ALL SELECT k FROM t";
    let refused = execution(&mut session, text, Stage::WithMergeableState).await.err().map(|error| error.code());
    assert_eq!(refused, Some(ErrorCode::NOT_IMPLEMENTED));
    assert_eq!(given(&mut session, text, Stage::Complete).await, ("k UInt32".to_string(), 200));
}

#[tokio::test(flavor = "multi_thread")]
async fn sets_have_as_many_keys_as_their_numbers_have_bits() {
    let mut session = session().await;
    let text = |keys: u32| {
        let keys: Vec<String> = (1..keys).map(|more| format!("k + {more}")).collect();
        format!("SELECT count() FROM t GROUP BY GROUPING SETS ((k), ({}))", keys.join(", "))
    };
    for stage in [Stage::Complete, Stage::WithMergeableState] {
        let refused = execution(&mut session, &text(64), stage).await.err().map(|error| error.code());
        assert_eq!(refused, Some(ErrorCode::NOT_IMPLEMENTED));
        assert_eq!(given(&mut session, &text(63), stage).await.1, 10);
    }
}
