//! Asynchronous inserts of several sessions of one process.

use std::sync::Arc;
use std::time::Duration;

use futures::TryStreamExt;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_engine::{Engine, EngineConfig, Session};
use gristmill_introspect::pending_inserts;

/// Rows wait so long that nothing is written before the test says so. The wait is fixed: an adaptive one writes the first
/// rows that somebody waits for at once.
const LONG: &str = "async_insert_use_adaptive_busy_timeout = 0, async_insert_busy_timeout_max_ms = 600000";

async fn run(session: &mut Session, text: &str) -> Result<()> {
    let statement = Session::split(text)?.remove(0);
    let execution = session.execute(&statement, None).await?;
    execution.rows.try_for_each(|_| async { Ok(()) }).await.map_err(Error::from)
}

fn session(engine: &Arc<Engine>, more: &str) -> Session {
    let mut session = Session::new(engine.clone());
    for (name, value) in LONG.split(", ").chain(more.split(", ").filter(|more| !more.is_empty())).map(|setting| {
        let (name, value) = setting.split_once(" = ").expect("name = value");
        (name, value)
    }) {
        session.settings.set(name, value).expect("a setting");
    }
    session.settings.set("async_insert", "1").expect("a setting");
    session
}

/// A running INSERT of a session of its own.
fn begin(engine: &Arc<Engine>, more: &str, text: &str) -> tokio::task::JoinHandle<Result<()>> {
    let mut session = session(engine, more);
    let text = text.to_string();
    tokio::spawn(async move { run(&mut session, &text).await })
}

/// Waits until so many INSERTs into a table are in the queue.
async fn queued(table: &str, inserts: usize) {
    let now = || -> usize {
        let pending = pending_inserts::snapshot();
        pending.iter().filter(|pending| pending.table == table).map(|pending| pending.entries.len()).sum()
    };
    while now() < inserts {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

fn table(engine: &Engine, name: &str) -> (u64, usize) {
    let table = engine.databases.table("default", name).expect("there");
    (table.total_rows().unwrap_or(0), table.parts().iter().filter(|part| part.active).count())
}

async fn engine() -> Arc<Engine> {
    Engine::open(EngineConfig::default()).await.expect("opens")
}

#[tokio::test(flavor = "multi_thread")]
async fn inserts_of_several_sessions_become_one_part() {
    let engine = engine().await;
    run(&mut session(&engine, ""), "CREATE TABLE gathered (a UInt32, b String DEFAULT 'x') ENGINE = MergeTree ORDER BY a")
        .await
        .expect("created");
    let running: Vec<_> =
        (0..8).map(|n| begin(&engine, "", &format!("INSERT INTO gathered (a) VALUES ({n}), ({n})"))).collect();
    queued("gathered", 8).await;
    assert_eq!(table(&engine, "gathered").0, 0, "nothing is written before its time");
    run(&mut session(&engine, ""), "SYSTEM FLUSH ASYNC INSERT QUEUE gathered").await.expect("flushed");
    for insert in running {
        insert.await.expect("ends").expect("written");
    }
    assert_eq!(table(&engine, "gathered"), (16, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn other_columns_and_other_settings_are_written_apart() {
    let engine = engine().await;
    run(&mut session(&engine, ""), "CREATE TABLE apart (a UInt32, b UInt32) ENGINE = MergeTree ORDER BY a")
        .await
        .expect("made");
    let running = [
        begin(&engine, "", "INSERT INTO apart VALUES (1, 1)"),
        begin(&engine, "", "INSERT INTO apart (b, a) VALUES (2, 2)"),
        begin(&engine, "insert_null_as_default = 0", "INSERT INTO apart VALUES (3, 3)"),
        begin(&engine, "log_comment = other", "INSERT INTO apart VALUES (4, 4)"),
    ];
    queued("apart", 4).await;
    engine.shutdown().await;
    for insert in running {
        insert.await.expect("ends").expect("written");
    }
    assert_eq!(table(&engine, "apart"), (4, 3), "the first and the last are one part");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_value_is_the_error_of_the_insert_that_brought_it() {
    let engine = engine().await;
    for text in [
        "CREATE TABLE guarded (a UInt32) ENGINE = MergeTree ORDER BY a",
        "CREATE MATERIALIZED VIEW guard ENGINE = MergeTree ORDER BY a AS SELECT a, throwIf(a = 3) AS x FROM guarded",
    ] {
        run(&mut session(&engine, ""), text).await.expect("made");
    }
    // One that cannot be read, and one that no view takes: the first is never in the queue.
    let text = "INSERT INTO guarded FORMAT CSV\n'x'\n";
    let error = begin(&engine, "", text).await.expect("ends").expect_err("is no number");
    assert_eq!(error.code(), ErrorCode::INCORRECT_DATA, "{error}");
    let running: Vec<_> = (1..=4).map(|n| begin(&engine, "", &format!("INSERT INTO guarded FORMAT CSV\n{n}\n"))).collect();
    queued("guarded", 4).await;
    run(&mut session(&engine, ""), "SYSTEM FLUSH ASYNC INSERT QUEUE").await.expect("flushed");
    for (n, insert) in (1..=4).zip(running) {
        match insert.await.expect("ends") {
            Ok(()) => assert_ne!(n, 3),
            Err(error) => assert_eq!((n, error.code()), (3, ErrorCode::FUNCTION_THROW_IF_VALUE_IS_NON_ZERO)),
        }
    }
    assert_eq!(table(&engine, "guarded").0, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_does_not_wait_is_written_at_the_end_and_much_data_at_once() {
    let engine = engine().await;
    run(&mut session(&engine, ""), "CREATE TABLE later (a UInt32) ENGINE = MergeTree ORDER BY a").await.expect("made");
    let mut patient = session(&engine, "wait_for_async_insert = 0");
    run(&mut patient, "INSERT INTO later VALUES (1)").await.expect("queued");
    assert_eq!(table(&engine, "later").0, 0);
    // What is more than the queue takes goes the usual way.
    let mut large = session(&engine, "async_insert_max_data_size = 10");
    let rows: String = (0..100).map(|n| format!("{n}\n")).collect();
    run(&mut large, &format!("INSERT INTO later FORMAT CSV\n{rows}")).await.expect("written");
    assert_eq!(table(&engine, "later").0, 100);
    // Enough rows are written without waiting.
    let mut enough = session(&engine, "async_insert_max_data_size = 8");
    run(&mut enough, "INSERT INTO later VALUES (7), (8)").await.expect("written");
    assert_eq!(table(&engine, "later").0, 103);
    engine.shutdown().await;
    assert_eq!(table(&engine, "later").0, 103);
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_has_an_end_and_the_rows_stay_in_the_queue() {
    let engine = engine().await;
    run(&mut session(&engine, ""), "CREATE TABLE slow (a UInt32) ENGINE = MergeTree ORDER BY a").await.expect("made");
    let error = begin(&engine, "wait_for_async_insert_timeout = 0.01", "INSERT INTO slow VALUES (1)").await.expect("ends");
    assert_eq!(error.expect_err("waited long enough").code(), ErrorCode::TIMEOUT_EXCEEDED);
    assert_eq!(table(&engine, "slow").0, 0);
    engine.shutdown().await;
    assert_eq!(table(&engine, "slow").0, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_to_be_known_again_is_written_by_itself() {
    let engine = engine().await;
    let create =
        "CREATE TABLE named (a UInt32) ENGINE = MergeTree ORDER BY a SETTINGS non_replicated_deduplication_window = 9";
    run(&mut session(&engine, ""), create).await.expect("made");
    for _ in 0..2 {
        run(&mut session(&engine, ""), "INSERT INTO named VALUES (1)").await.expect("written at once");
    }
    assert_eq!(table(&engine, "named").0, 1);
    let mut session = session(&engine, "insert_deduplication_token = t");
    for value in [2, 3] {
        run(&mut session, &format!("INSERT INTO named VALUES ({value})")).await.expect("written at once");
    }
    assert_eq!(table(&engine, "named").0, 2);
}
