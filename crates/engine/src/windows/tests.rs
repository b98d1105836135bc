use arrow::array::{ArrayRef, BinaryViewArray, Float64Array, Int64Array, RecordBatch};
use arrow::util::pretty::pretty_format_batches;
use datafusion::datasource::MemTable;
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::memory_pool::GreedyMemoryPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::physical_plan::displayable;
use datafusion::prelude::{SessionConfig, SessionContext};
use gristmill_functions::{Argument, Registry, resolve_aggregate};
use gristmill_types::SqlType;

use super::*;

/// Partitions from one row to hundreds, peers among their rows, NULL in every column.
fn rows() -> Vec<RecordBatch> {
    let batch = |from: i64| {
        let rows = from..from + 300;
        let partitions = rows.clone().map(|row| (row % 31 != 0).then_some((row * row) % 59 % 17));
        let order = rows.clone().map(|row| (row % 41 != 0).then_some(row * 7919 % 83));
        let values = rows.clone().map(|row| (row % 5 != 0).then_some(row * 37 % 101 - 50));
        let floats = rows.clone().map(|row| (row * 13 % 29) as f64 / 8.0);
        let texts =
            rows.clone().map(|row| (row % 7 != 0).then(|| format!("a text that does not fit into a view {}", row % 11)));
        let columns: [(&str, ArrayRef); 6] = [
            ("p", Arc::new(Int64Array::from_iter(partitions))),
            ("o", Arc::new(Int64Array::from_iter(order))),
            ("id", Arc::new(Int64Array::from_iter_values(rows))),
            ("v", Arc::new(Int64Array::from_iter(values))),
            ("f", Arc::new(Float64Array::from_iter_values(floats))),
            ("t", Arc::new(BinaryViewArray::from_iter(texts))),
        ];
        RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true))).expect("fits")
    };
    (0..9).map(|at| batch(at * 300)).collect()
}

/// The aggregates of ours over a nullable number.
fn register(session: &SessionContext) {
    let registry = &Registry::standard().expect("is whole");
    for (name, kind) in [("sum", SqlType::Int64), ("avg", SqlType::Int64), ("min", SqlType::Int64), ("max", SqlType::Int64)]
    {
        let argument = Argument { kind: kind.nullable(), constant: None };
        let function = resolve_aggregate(registry, name).expect("known");
        session.register_udaf(function.bind(name, &[], &[argument]).expect("binds").udaf.as_ref().clone());
    }
    let argument = Argument { kind: SqlType::Float64, constant: None };
    let function = resolve_aggregate(registry, "median").expect("known");
    session.register_udaf(function.bind("median", &[], &[argument]).expect("binds").udaf.as_ref().clone());
}

/// The rows, in their order, and the plan.
async fn ask(query: &str, by_columns: bool, threads: usize, memory_bytes: usize) -> Result<(String, String)> {
    let mut config = SessionConfig::new().with_target_partitions(threads).with_batch_size(64);
    config.options_mut().execution.sort_spill_reservation_bytes = 16 << 10;
    let runtime = RuntimeEnvBuilder::new().with_memory_pool(Arc::new(GreedyMemoryPool::new(memory_bytes))).build_arc()?;
    let mut builder = SessionStateBuilder::new().with_config(config).with_runtime_env(runtime).with_default_features();
    if by_columns {
        builder = builder.with_physical_optimizer_rule(Arc::new(ComputeWindowsByColumns));
    }
    let session = SessionContext::new_with_state(builder.build());
    register(&session);
    let rows = rows();
    let table = MemTable::try_new(rows[0].schema(), rows.chunks(3).map(<[_]>::to_vec).collect())?;
    session.register_table("r", Arc::new(table))?;
    let frame = session.sql(query).await?;
    let plan = frame.clone().create_physical_plan().await?;
    let plan = displayable(plan.as_ref()).indent(true).to_string();
    Ok((pretty_format_batches(&frame.collect().await?)?.to_string(), plan))
}

/// What OVER may hold, each over a function that goes with it.
const CALLS: &[&str] = &[
    "row_number() OVER (PARTITION BY p ORDER BY o, id)",
    "rank() OVER (PARTITION BY p ORDER BY o)",
    "dense_rank() OVER (PARTITION BY p ORDER BY o DESC)",
    "rank() OVER (ORDER BY o)",
    "row_number() OVER (ORDER BY id)",
    "lag(v) OVER (PARTITION BY p ORDER BY id)",
    "lag(v, 3, 7) OVER (PARTITION BY p ORDER BY id)",
    "lead(t, 2) OVER (PARTITION BY p ORDER BY id)",
    "lead(v, 1, 0) OVER (ORDER BY id)",
    "first_value(v) IGNORE NULLS OVER (PARTITION BY p ORDER BY id)",
    "first_value(v) IGNORE NULLS OVER (PARTITION BY p ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)",
    "last_value(t) IGNORE NULLS OVER (PARTITION BY p ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)",
    "last_value(v) IGNORE NULLS OVER (PARTITION BY p ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)",
    "sum(v) OVER (PARTITION BY p ORDER BY o GROUPS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)",
    "sum(v) OVER (PARTITION BY p ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)",
    "sum(v) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)",
    "avg(v) OVER (PARTITION BY p ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)",
    "min(v) OVER (PARTITION BY p ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)",
    "max(v) OVER (PARTITION BY p ORDER BY o GROUPS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)",
    "sum(v) OVER (PARTITION BY p)",
    "median(f) OVER (PARTITION BY p)",
    "max(v) OVER ()",
    "sum(v) OVER (PARTITION BY p ORDER BY id ROWS BETWEEN 3 PRECEDING AND CURRENT ROW)",
    "avg(v) OVER (PARTITION BY p ORDER BY id ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING)",
    "median(f) OVER (PARTITION BY p ORDER BY id ROWS BETWEEN 5 PRECEDING AND CURRENT ROW)",
    "min(v) OVER (ORDER BY id ROWS BETWEEN 1 FOLLOWING AND 4 FOLLOWING)",
];

#[tokio::test]
async fn every_call_gives_what_it_gives_row_by_row() {
    for call in CALLS {
        let query = format!("SELECT p, o, id, v, {call} AS w FROM r ORDER BY p, id");
        for threads in [1, 3] {
            let (expected, plan) = ask(&query, false, threads, 1 << 30).await.expect("runs");
            assert!(!plan.contains("VectorizedWindow"), "{plan}");
            let (found, plan) = ask(&query, true, threads, 1 << 30).await.expect("runs");
            assert!(plan.contains("VectorizedWindow") && !plan.contains("WindowAggExec"), "{call}\n{plan}");
            assert_eq!(found, expected, "{call} in {threads} streams");
        }
    }
}

/// All that go over one window are computed side by side.
#[tokio::test]
async fn several_functions_share_a_window() {
    let query = "SELECT p, id, row_number() OVER w AS n, sum(v) OVER w AS s, lag(v) OVER w AS l, last_value(v) IGNORE NULLS OVER w \
                 FROM r WINDOW w AS (PARTITION BY p ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) ORDER BY p, id";
    let (expected, _) = ask(query, false, 2, 1 << 30).await.expect("runs");
    let (found, plan) = ask(query, true, 2, 1 << 30).await.expect("runs");
    assert!(plan.contains("VectorizedWindow") && !plan.contains("WindowAggExec"), "{plan}");
    assert_eq!(found, expected);
}

/// A frame whose aggregate cannot go on from the row before stays DataFusion's.
#[tokio::test]
async fn what_does_not_fit_is_left() {
    for call in [
        "median(f) OVER (PARTITION BY p ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)",
        "sum(v) OVER (PARTITION BY p ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)",
        "ntile(3) OVER (PARTITION BY p ORDER BY id)",
    ] {
        let query = format!("SELECT {call} FROM r");
        let (_, plan) = ask(&query, true, 2, 1 << 30).await.expect("runs");
        assert!(!plan.contains("VectorizedWindow"), "{plan}");
    }
}

/// Nothing sorts here, so that the window alone wants memory; its rows come in the order of chance.
#[tokio::test]
async fn a_partition_that_is_too_large_is_handed_over() {
    let query = "SELECT id, t, max(v) OVER () AS m, lead(v) OVER () IS NULL AS l FROM r WHERE id < 300";
    let lines = |found: &str| {
        let mut lines: Vec<String> = found.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    let (expected, _) = ask(query, false, 1, 1 << 30).await.expect("runs");
    for memory in [20 << 10, 1 << 20] {
        let (found, plan) = ask(query, true, 1, memory).await.expect("runs");
        assert!(plan.contains("VectorizedWindow"), "{plan}");
        assert_eq!(lines(&found), lines(&expected), "{memory} bytes");
    }
}

#[tokio::test]
async fn some_rows_and_none() {
    let (found, _) = ask("SELECT sum(v) OVER (PARTITION BY p) FROM r LIMIT 3", true, 2, 1 << 30).await.expect("runs");
    assert_eq!(found.lines().count(), 3 + 4, "{found}");
    let (found, _) = ask("SELECT sum(v) OVER (PARTITION BY p) FROM r WHERE id < 0", true, 2, 1 << 30).await.expect("runs");
    assert!(found.lines().count() <= 4, "{found}");
}
