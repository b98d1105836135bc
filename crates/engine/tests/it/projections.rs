//! Aggregate projections are used for what a query says, whatever lowering and the optimiser would make of it; where none
//! is, the query that must use one is told why.

use futures::TryStreamExt;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_engine::{Engine, EngineConfig, Session};

async fn ask(session: &mut Session, text: &str) -> Result<Vec<arrow::array::RecordBatch>> {
    let statement = Session::split(text)?.remove(0);
    let execution = session.execute(&statement, None).await?;
    execution.rows.try_collect().await.map_err(Error::from)
}

async fn session() -> Session {
    let mut session = Session::new(Engine::open(EngineConfig::default()).await.expect("opens"));
    let create =
        "CREATE TABLE t (k UInt64, v UInt64, PROJECTION p (SELECT k, sum(v + 1) GROUP BY k)) ENGINE = MergeTree ORDER BY v";
    ask(&mut session, create).await.expect("creates");
    ask(&mut session, "INSERT INTO t SELECT number % 5, number FROM numbers(100)").await.expect("inserts");
    session
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sum_that_is_kept_is_not_made_into_others() {
    let mut session = session().await;
    // Without the projection it is `sum(v) + count(v)`.
    ask(&mut session, "SELECT k, sum(v + 1) FROM t GROUP BY k SETTINGS force_optimize_projection = 1")
        .await
        .expect("answers");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_that_must_read_a_projection_is_told_why_it_cannot() {
    let mut session = session().await;
    let cases = [
        ("SELECT k, max(v) FROM t GROUP BY k", "keeps no states of max(v)"),
        ("SELECT v % 3 AS x, sum(v + 1) FROM t GROUP BY x", "cannot be computed from its keys"),
        ("SELECT sum(v + 1) FROM t WHERE v > 5", "the condition"),
        ("SELECT v FROM t", "the query does not aggregate"),
    ];
    for (query, why) in cases {
        let error = ask(&mut session, &format!("{query} SETTINGS force_optimize_projection = 1")).await.expect_err(query);
        assert_eq!(error.code(), ErrorCode::PROJECTION_NOT_USED, "{query}");
        assert!(error.to_string().contains(why), "{query}: {error}");
    }
}
