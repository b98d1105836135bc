use std::time::Duration;

use arrow::array::{Int64Array, RecordBatch, StringViewArray};
use arrow::util::pretty::pretty_format_batches;
use datafusion::datasource::MemTable;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::{collect, displayable};
use datafusion::prelude::{SessionConfig, SessionContext};
use gristmill_introspect::operators::{Amount, OperatorFigures};

use super::*;

fn session() -> SessionContext {
    let config = SessionConfig::new().with_target_partitions(2).with_batch_size(100);
    let context = QueryContext::background("measured");
    context.plans.want();
    let session = SessionContext::new_with_config(config.with_extension(context));
    let piece = |from: i64| {
        let numbers = Int64Array::from_iter_values(from..from + 500);
        let texts = StringViewArray::from_iter_values((from..from + 500).map(|number| format!("text {}", number % 7)));
        RecordBatch::try_from_iter([("n", Arc::new(numbers) as _), ("s", Arc::new(texts) as _)]).expect("a batch")
    };
    let table = MemTable::try_new(piece(0).schema(), vec![vec![piece(0)], vec![piece(500)]]).expect("a table");
    session.register_table("t", Arc::new(table)).expect("registered");
    session
}

async fn planned(session: &SessionContext, query: &str) -> Arc<dyn ExecutionPlan> {
    session.sql(query).await.expect("a query").create_physical_plan().await.expect("a plan")
}

/// Runs a plan measured; its rows, and what was measured.
async fn run(session: &SessionContext, plan: Arc<dyn ExecutionPlan>) -> (String, Vec<OperatorFigures>) {
    let plan = in_one_stream(measured(plan).expect("wrapped"));
    let rows = collect(plan.clone(), session.task_ctx()).await.expect("rows");
    (pretty_format_batches(&rows).expect("shown").to_string(), figures(&plan, true))
}

#[tokio::test]
async fn plans_of_all_kinds_give_the_same_rows_and_are_shown_alike() {
    let session = session();
    for query in [
        "SELECT n FROM t WHERE n % 100 = 3 ORDER BY n",
        "SELECT s, count(*), max(n) FROM t GROUP BY s ORDER BY s",
        "SELECT a.n FROM t AS a JOIN t AS b ON a.n = b.n * 2 WHERE b.n < 10 ORDER BY a.n",
        "SELECT n FROM t ORDER BY n DESC LIMIT 7",
        "SELECT n, (SELECT max(n) FROM t) AS m FROM t WHERE n IN (SELECT n + 1 FROM t WHERE n < 3) ORDER BY n",
        "SELECT n, sum(n) OVER (PARTITION BY s ORDER BY n) AS w FROM t ORDER BY n LIMIT 5",
        "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r WHERE i < 9) SELECT i FROM r ORDER BY i",
        "SELECT n FROM t WHERE n < 3 UNION ALL SELECT n FROM t WHERE n > 997 ORDER BY n",
    ] {
        let plain = planned(&session, query).await;
        let shown = displayable(measured(plain.clone()).expect("wrapped").as_ref()).indent(false).to_string();
        assert_eq!(shown, displayable(plain.as_ref()).indent(false).to_string());
        let expected = collect(plain, session.task_ctx()).await.expect("rows");
        let expected = pretty_format_batches(&expected).expect("shown").to_string();
        let (rows, figures) = run(&session, planned(&session, query).await).await;
        assert_eq!(rows, expected, "{query}");
        for (place, operator) in figures.iter().enumerate() {
            let below = figures.iter().filter(|below| below.parent == Some(place));
            let given = below.fold(Amount::default(), |sum, below| sum.plus(below.output()));
            assert_eq!(operator.input, given, "{query}: {}", operator.name);
        }
    }
}

#[tokio::test]
async fn a_filter_is_found_by_its_type_and_has_its_rows() {
    let session = session();
    let plan = measured(planned(&session, "SELECT n FROM t WHERE n % 10 = 3").await).expect("wrapped");
    assert!(plan.is::<FilterExec>() && plan.downcast_ref::<FilterExec>().is_some());
    let again = measured(plan).expect("wrapped once");
    let (_, figures) = run(&session, again).await;
    let filter = figures.iter().find(|operator| operator.name == "FilterExec").expect("a filter");
    assert_eq!((filter.input.rows, filter.output().rows, filter.output().bytes), (1000, 100, 800));
    assert_eq!(filter.streams.len(), 2);
    assert!(filter.elapsed() > Duration::ZERO && filter.busy > Duration::ZERO && filter.parallelism() >= 0.9);
    assert!((1..=2).contains(&filter.at_once_max));
    let first = &figures[0];
    assert_eq!((first.name.as_str(), first.output().rows), ("CoalescePartitionsExec", 100));
}

/// The term of a recursion is made anew for each step: its rows are those of all steps.
#[tokio::test]
async fn the_steps_of_a_recursion_add_up() {
    let session = session();
    let query = "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r WHERE i < 9) SELECT i FROM r";
    let (_, figures) = run(&session, planned(&session, query).await).await;
    let whole = figures.iter().find(|operator| operator.name == "RecursiveQueryExec").expect("a recursion");
    assert_eq!((whole.output().rows, whole.input.rows), (9, 9));
}

#[tokio::test]
async fn a_stream_that_is_not_asked_waits_for_output() {
    let session = session();
    let plan = measured(planned(&session, "SELECT n FROM t WHERE n % 10 = 3").await).expect("wrapped");
    let pause = Duration::from_millis(20);
    let mut stream = plan.execute(0, session.task_ctx()).expect("a stream");
    let mut pauses = 0;
    while let Some(batch) = futures::StreamExt::next(&mut stream).await {
        batch.expect("rows");
        tokio::time::sleep(pause).await;
        pauses += 1;
    }
    let waited = figures(&plan, true)[0].output_wait();
    assert!(pauses > 0 && waited >= pause * pauses, "{waited:?} in {pauses} pauses");
}
