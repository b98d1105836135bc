//! What a TTL clause may not say, and what its author is told to do.

use futures::TryStreamExt;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_engine::{Engine, EngineConfig, Session};

async fn ask(session: &mut Session, text: &str) -> Result<Vec<arrow::array::RecordBatch>> {
    let statement = Session::split(text)?.remove(0);
    let execution = session.execute(&statement, None).await?;
    execution.rows.try_collect().await.map_err(Error::from)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subquery_is_refused_when_the_table_is_made() {
    let mut session = Session::new(Engine::open(EngineConfig::default()).await.expect("opens"));
    let ttl = "TTL d + INTERVAL 1 DAY DELETE WHERE k IN (SELECT 1)";
    let create = format!("CREATE TABLE t (d Date, k UInt8) ENGINE = MergeTree ORDER BY k {ttl}");
    let error = ask(&mut session, &create).await.expect_err("a subquery");
    assert_eq!(error.code(), ErrorCode::NOT_IMPLEMENTED);
    assert!(error.to_string().contains("write its values instead"), "{error}");
    ask(&mut session, "CREATE TABLE t (d Date, k UInt8) ENGINE = MergeTree ORDER BY k").await.expect("creates");
    let error = ask(&mut session, &format!("ALTER TABLE t MODIFY {ttl}")).await.expect_err("a subquery");
    assert_eq!(error.code(), ErrorCode::NOT_IMPLEMENTED);
}
