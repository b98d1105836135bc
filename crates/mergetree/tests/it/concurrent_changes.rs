//! ALTER … UPDATE and DELETE, UPDATE … SET and DELETE FROM while rows are inserted and parts are merged, by two processes: each row is
//! changed once by what began after it was there, and never by what ended before. (The simulation does the same in every order
//! that a seed says, one step at a time; here threads run at once.)

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use arrow::array::{ArrayRef, AsArray, Int64Array, RecordBatch};
use arrow::datatypes::Int64Type;
use gristmill_base::env::system_env;
use gristmill_base::{Error, ErrorCode};
use gristmill_catalog::{MutationRequest, OptimizeRequest, RowChange, Table};
use gristmill_introspect::QueryContext;
use gristmill_mergetree::merge::task::Claim;
use gristmill_mergetree::testing::{PlainSql, TableSpec, context, insert, select};
use gristmill_mergetree::{EnvironmentOptions, MemoryStore, MergeTree, MergeTreeEnvironment};
use gristmill_types::{Columns, SqlType};
use parking_lot::Mutex;

/// Rows of an insert.
const ROWS: i64 = 25;
const INSERTS: i64 = 16;

fn settings() -> Arc<QueryContext> {
    context(&[("max_threads", "1")]).expect("settings")
}

fn spec() -> TableSpec {
    let columns = Columns::of([("n", SqlType::Int64), ("v", SqlType::Int64)]);
    TableSpec::new(columns, &["n"], &[]).expect("spec").with_setting("index_granularity", 10)
}

async fn open(store: &Arc<MemoryStore>) -> Arc<MergeTree> {
    let options = EnvironmentOptions { shared: true, background: false, ..EnvironmentOptions::default() };
    let environment = MergeTreeEnvironment::new(options, system_env());
    environment.set_compiler(Arc::new(PlainSql));
    spec().open_in(store.clone(), environment).await.expect("opens")
}

fn rows(from: i64) -> RecordBatch {
    let n: ArrayRef = Arc::new(Int64Array::from_iter_values(from..from + ROWS));
    let v: ArrayRef = Arc::new(Int64Array::from_iter_values((0..ROWS).map(|_| 0)));
    RecordBatch::try_new(spec().columns.arrow(), vec![n, v]).expect("fits")
}

/// What changes rows. An update adds a power of four, so that one that was made twice is seen.
#[derive(Clone, Copy, Debug)]
enum Change {
    Update(u32),
    Delete(i64),
}

impl Change {
    fn concerns(self, row: i64) -> bool {
        match self {
            Change::Update(digit) => row % 3 == i64::from(digit) % 3,
            Change::Delete(class) => row % 31 == class,
        }
    }

    fn rows(self) -> RowChange {
        match self {
            Change::Update(digit) => RowChange::Update {
                assignments: vec![("v".to_string(), format!("v + {}", 4_i64.pow(digit)))],
                condition: format!("n % 3 = {}", digit % 3),
            },
            Change::Delete(class) => RowChange::Delete { condition: format!("n % 31 = {class}") },
        }
    }
}

/// When something began and ended.
#[derive(Clone, Copy, Debug)]
struct Span {
    begun: i64,
    ended: i64,
}

#[derive(Default)]
struct Journal {
    clock: AtomicI64,
    /// By the insert's number.
    inserts: Mutex<BTreeMap<i64, Span>>,
    changes: Mutex<Vec<(Change, Span)>>,
    over: AtomicBool,
}

impl Journal {
    fn tick(&self) -> i64 {
        self.clock.fetch_add(1, Ordering::SeqCst)
    }
}

/// Others merge faster than a statement that takes all parts gets them: it changed nothing and is repeated.
fn may_be_repeated(error: &Error) -> bool {
    error.code() == ErrorCode::TIMEOUT_EXCEEDED
}

async fn inserts(table: Arc<MergeTree>, journal: Arc<Journal>, numbers: Vec<i64>) {
    for number in numbers {
        let begun = journal.tick();
        insert(&table, &settings(), vec![rows(number * ROWS)]).await.expect("inserts");
        journal.inserts.lock().insert(number, Span { begun, ended: journal.tick() });
        tokio::task::yield_now().await;
    }
}

async fn changes(table: Arc<MergeTree>, journal: Arc<Journal>, changes: Vec<(Change, bool)>) {
    for (change, at_once) in changes {
        loop {
            let begun = journal.tick();
            let request = MutationRequest {
                changes: vec![change.rows()],
                commands: vec![format!("{change:?}")],
                partition: None,
                at_once,
            };
            match table.mutate(&settings(), request).await {
                // One that is not at once is of the rows that were there when it was asked for.
                Ok(id) => {
                    journal.changes.lock().push((change, Span { begun, ended: journal.tick() }));
                    if !at_once && begun % 2 == 0 {
                        table.finish_mutation(&settings(), &id).await.expect("finishes");
                    }
                    break;
                }
                Err(error) => assert!(may_be_repeated(&error), "{error}"),
            }
        }
    }
}

async fn merges(table: Arc<MergeTree>, journal: Arc<Journal>) {
    while !journal.over.load(Ordering::SeqCst) {
        let to_one_part = journal.tick() % 3 == 0;
        let request = OptimizeRequest { to_one_part, ..OptimizeRequest::default() };
        if let Err(error) = table.optimize(&settings(), request).await {
            assert_ne!(error.code(), ErrorCode::LOGICAL_ERROR, "{error}");
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// `v` of each time that a row is there.
async fn found(table: &MergeTree) -> BTreeMap<i64, Vec<i64>> {
    let mut found: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for batch in select(table, &settings(), "SELECT n, v FROM t").await.expect("reads") {
        let column = |at: usize| batch.column(at).as_primitive::<Int64Type>().values();
        for (n, v) in column(0).iter().zip(column(1)) {
            found.entry(*n).or_default().push(*v);
        }
    }
    found
}

fn check(journal: &Journal, mut found: BTreeMap<i64, Vec<i64>>) {
    let changes = journal.changes.lock();
    for (number, brought) in journal.inserts.lock().iter() {
        for row in number * ROWS..(number + 1) * ROWS {
            let values = found.remove(&row).unwrap_or_default();
            assert!(values.len() <= 1, "row {row} is there {} times", values.len());
            let (mut must, mut may, mut goes, mut may_go) = (0, 0, false, false);
            for (change, span) in changes.iter().filter(|(change, _)| change.concerns(row)) {
                let (after, before) = (span.begun > brought.ended, span.ended < brought.begun);
                match change {
                    _ if before => {}
                    Change::Update(digit) if after => must += 4_i64.pow(*digit),
                    Change::Update(digit) => may += 4_i64.pow(*digit),
                    Change::Delete(_) => (goes, may_go) = (goes || after, true),
                }
            }
            match values.first() {
                Some(value) => {
                    assert!(!goes, "row {row} is there and was deleted");
                    // Powers of four: every other bit, each once.
                    let is_right = value & must == must && value & !(must | may) == 0;
                    assert!(is_right, "row {row} has {value:b}: {must:b} for certain, {may:b} perhaps");
                }
                None => assert!(may_go, "row {row} is lost"),
            }
        }
    }
    assert!(found.is_empty(), "rows that nobody inserted: {found:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn each_row_is_changed_once_whatever_goes_on_beside() {
    for round in 0..4 {
        let store = MemoryStore::new();
        let (here, there) = (open(&store).await, open(&store).await);
        let journal = Arc::new(Journal::default());
        let of = |first: i64| (first..INSERTS).step_by(2).collect::<Vec<_>>();
        let merging = [here.clone(), there.clone()].map(|table| tokio::spawn(merges(table, journal.clone())));
        let updates = |digits: std::ops::Range<u32>, at_once| digits.map(move |digit| (Change::Update(digit), at_once));
        let working = [
            tokio::spawn(inserts(here.clone(), journal.clone(), of(0))),
            tokio::spawn(inserts(there.clone(), journal.clone(), of(1))),
            tokio::spawn(changes(here.clone(), journal.clone(), updates(0..5, false).collect())),
            tokio::spawn(changes(there.clone(), journal.clone(), updates(5..10, false).collect())),
            tokio::spawn(changes(here.clone(), journal.clone(), updates(10..14, true).collect())),
            tokio::spawn(changes(
                there.clone(),
                journal.clone(),
                vec![(Change::Delete(round), true), (Change::Delete(round + 5), false), (Change::Delete(round + 10), true)],
            )),
        ];
        for work in working {
            work.await.expect("ends");
        }
        journal.over.store(true, Ordering::SeqCst);
        for merge in merging {
            merge.await.expect("ends");
        }
        let table = open(&store).await;
        for mutation in table.mutations().into_iter().filter(|mutation| !mutation.is_done) {
            table.finish_mutation(&settings(), &mutation.id).await.expect("finishes");
        }
        check(&journal, found(&table).await);
    }
}

/// A part that another process marks rows of gets another name, and is the same object: nobody here may take it a second time.
#[tokio::test(flavor = "multi_thread")]
async fn a_part_is_claimed_by_its_object_whatever_it_is_called() {
    let store = MemoryStore::new();
    let (here, there) = (open(&store).await, open(&store).await);
    insert(&here, &settings(), vec![rows(0)]).await.expect("inserts");
    let part = || here.core().manifest.current().parts.values().next().cloned().expect("a part");
    let before = part();
    let claim = Claim::take(here.core(), vec![before.clone()]).expect("nobody has it");
    let changes = vec![Change::Delete(3).rows()];
    let request = MutationRequest { changes, commands: vec!["a deletion".to_string()], partition: None, at_once: true };
    there.mutate(&settings(), request).await.expect("another process has claims of its own");
    here.core().manifest.refresh(&settings()).await.expect("sees it");
    let after = part();
    assert!(after.name != before.name && after.key == before.key, "{} and {}", before.name, after.name);
    assert!(Claim::take(here.core(), vec![after.clone()]).is_none());
    drop(claim);
    assert!(Claim::take(here.core(), vec![after]).is_some());
}
