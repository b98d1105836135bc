//! Temporary tables: a session sees its own, before those of the catalog, and nobody else does.

use std::sync::Arc;

use arrow::array::AsArray;
use arrow::datatypes::UInt64Type;
use futures::TryStreamExt;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_engine::{Engine, EngineConfig, Session};

async fn batches(session: &mut Session, text: &str) -> Result<Vec<arrow::array::RecordBatch>> {
    let statement = Session::split(text)?.remove(0);
    let execution = session.execute(&statement, None).await?;
    execution.rows.try_collect().await.map_err(Error::from)
}

async fn run(session: &mut Session, text: &str) {
    batches(session, text).await.unwrap_or_else(|error| panic!("{text}: {error}"));
}

async fn refused(session: &mut Session, text: &str) -> ErrorCode {
    batches(session, text).await.expect_err(text).code()
}

/// The only number of an answer.
async fn number(session: &mut Session, text: &str) -> u64 {
    let batches = batches(session, text).await.unwrap_or_else(|error| panic!("{text}: {error}"));
    let batch = batches.iter().find(|batch| batch.num_rows() > 0).expect("a row");
    batch.column(0).as_primitive::<UInt64Type>().value(0)
}

async fn engine() -> Arc<Engine> {
    Engine::open(EngineConfig::default()).await.expect("opens")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_sees_its_own_and_no_others() {
    let engine = engine().await;
    let (mut one, mut two) = (Session::new(engine.clone()), Session::new(engine.clone()));
    run(&mut one, "CREATE TEMPORARY TABLE t (a UInt64)").await;
    run(&mut two, "CREATE TEMPORARY TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a").await;
    run(&mut one, "INSERT INTO t VALUES (1), (2)").await;
    run(&mut two, "INSERT INTO t SELECT number FROM numbers(5)").await;
    assert_eq!(number(&mut one, "SELECT count() FROM t").await, 2);
    assert_eq!(number(&mut two, "SELECT count() FROM t WHERE a >= 1").await, 4);
    assert_eq!(number(&mut two, "SELECT count() FROM t AS x JOIN t AS y USING (a)").await, 5);
    let mut three = Session::new(engine.clone());
    assert_eq!(refused(&mut three, "SELECT count() FROM t").await, ErrorCode::UNKNOWN_TABLE);
    assert!(engine.databases.tables("default").is_empty());
    // Nothing of it lies where tables last.
    assert!(!engine.data_path.join("store").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn its_name_comes_before_that_of_a_table() {
    let engine = engine().await;
    let mut session = Session::new(engine.clone());
    run(&mut session, "CREATE TABLE t (a UInt64) ENGINE = Memory").await;
    run(&mut session, "INSERT INTO t VALUES (7)").await;
    run(&mut session, "CREATE VIEW v AS SELECT a FROM t").await;
    run(&mut session, "CREATE TEMPORARY TABLE t (a UInt64)").await;
    run(&mut session, "INSERT INTO t VALUES (1), (2)").await;
    assert_eq!(number(&mut session, "SELECT sum(a) FROM t").await, 3);
    assert_eq!(number(&mut session, "SELECT sum(a) FROM default.t").await, 7);
    assert_eq!(number(&mut session, "SELECT sum(a) FROM v").await, 7);
    run(&mut session, "TRUNCATE TABLE t").await;
    assert_eq!(number(&mut session, "SELECT count() FROM t").await, 0);
    run(&mut session, "DROP TABLE t").await;
    assert_eq!(number(&mut session, "SELECT sum(a) FROM t").await, 7);
    // The word says which one is meant.
    run(&mut session, "DROP TEMPORARY TABLE IF EXISTS t").await;
    assert_eq!(refused(&mut session, "DROP TEMPORARY TABLE t").await, ErrorCode::UNKNOWN_TABLE);
    assert_eq!(number(&mut session, "SELECT sum(a) FROM t").await, 7);
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_altered_renamed_and_copied_as_other_tables_are() {
    let engine = engine().await;
    let mut session = Session::new(engine.clone());
    run(&mut session, "CREATE TEMPORARY TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a").await;
    run(&mut session, "INSERT INTO t SELECT number FROM numbers(10)").await;
    run(&mut session, "ALTER TABLE t ADD COLUMN b UInt64 DEFAULT a + 1").await;
    run(&mut session, "ALTER TABLE t DELETE WHERE a < 5 SETTINGS mutations_sync = 1").await;
    run(&mut session, "OPTIMIZE TABLE t FINAL").await;
    assert_eq!(number(&mut session, "SELECT sum(b) FROM t").await, 40);
    run(&mut session, "RENAME TABLE t TO u").await;
    run(&mut session, "CREATE TABLE kept ENGINE = MergeTree ORDER BY a AS SELECT * FROM u").await;
    assert_eq!(number(&mut session, "SELECT sum(b) FROM kept").await, 40);
    assert_eq!(refused(&mut session, "SELECT 1 FROM t").await, ErrorCode::UNKNOWN_TABLE);
    let code = refused(&mut session, "CREATE TEMPORARY TABLE default.x (a UInt64)").await;
    assert_eq!(code, ErrorCode::BAD_DATABASE_FOR_TEMPORARY_TABLE);
    drop(session);
    let mut other = Session::new(engine.clone());
    assert_eq!(number(&mut other, "SELECT sum(b) FROM default.kept").await, 40);
}
