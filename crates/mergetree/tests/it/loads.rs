//! Runs of one load side by side: whoever brings a row group second gives up its rows, and each comes once.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Int64Array, RecordBatch};
use arrow::datatypes::Int64Type;
use gristmill_base::ErrorCode;
use gristmill_base::env::system_env;
use gristmill_catalog::{Groups, LoadRequest, LoadWriter, LoadedGroups, Table, TableLoad};
use gristmill_introspect::QueryContext;
use gristmill_mergetree::testing::{TableSpec, context, select};
use gristmill_mergetree::{EnvironmentOptions, MemoryStore, MergeTree, MergeTreeEnvironment};
use gristmill_types::{Columns, SqlType};
use proptest::prelude::*;

const FILES: u32 = 4;
const GROUPS: u32 = 3;
/// Rows of a row group.
const ROWS: i64 = 10;

fn settings() -> Arc<QueryContext> {
    context(&[("max_threads", "1")]).expect("settings")
}

fn spec() -> TableSpec {
    TableSpec::new(Columns::of([("n", SqlType::Int64)]), &["n"], &[]).expect("spec")
}

fn request() -> LoadRequest {
    LoadRequest { id: "posts".to_string(), query: "digest".to_string(), is_token: false }
}

async fn open(store: &Arc<MemoryStore>) -> Arc<MergeTree> {
    let options = EnvironmentOptions { shared: true, background: false, ..EnvironmentOptions::default() };
    spec().open_in(store.clone(), MergeTreeEnvironment::new(options, system_env())).await.expect("opens")
}

fn path(file: u32) -> String {
    format!("bucket/{file}.parquet")
}

fn rows(file: u32, group: u32) -> RecordBatch {
    let from = i64::from(file * GROUPS + group) * ROWS;
    let n: ArrayRef = Arc::new(Int64Array::from_iter_values(from..from + ROWS));
    RecordBatch::try_new(spec().columns.arrow(), vec![n]).expect("fits")
}

/// A process that runs the load: a step is written first, and committed the next time that it has its turn.
struct Process {
    table: Arc<MergeTree>,
    run: Arc<dyn TableLoad>,
    /// What is left to do, as far as it knows.
    left: Vec<(u32, u32)>,
    step: Option<(Arc<dyn LoadWriter>, u32, u32)>,
    /// It begins with the last files.
    backwards: bool,
    given_up: u32,
}

impl Process {
    async fn begin(store: &Arc<MemoryStore>, backwards: bool) -> Process {
        let table = open(store).await;
        let run = table.begin_load(&settings(), &request()).await.expect("begins");
        let mut process = Process { table, run, left: Vec::new(), step: None, backwards, given_up: 0 };
        process.look();
        process
    }

    /// Asks the ledger what is left.
    fn look(&mut self) {
        let missing = |file: u32| {
            let done = self.run.known(&path(file)).unwrap_or_default().done;
            Groups::first(GROUPS).without(&done).iter().map(|group| (file, group)).collect::<Vec<_>>()
        };
        self.left = (0..FILES).flat_map(missing).collect();
        // The next one is taken from the end.
        if !self.backwards {
            self.left.reverse();
        }
    }

    /// False: there was nothing left to do.
    async fn turn(&mut self) -> bool {
        if let Some((writer, file, group)) = self.step.take() {
            let loaded = LoadedGroups {
                path: path(file),
                version: "1".to_string(),
                groups_total: GROUPS,
                groups: Groups::range(group, group + 1),
                rows: ROWS as u64,
                error: None,
            };
            if let Err(error) = writer.commit_step(vec![loaded], false).await {
                assert_eq!(error.code(), ErrorCode::QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING, "{error}");
                writer.abort().await;
                self.given_up += 1;
                self.run.end();
                self.run = self.table.begin_load(&settings(), &request()).await.expect("begins again");
                self.look();
            }
            return true;
        }
        let Some((file, group)) = self.left.pop() else { return false };
        let writer = self.run.writer().await.expect("opens");
        let mut lane = writer.lane().await.expect("opens");
        lane.write(rows(file, group)).await.expect("writes");
        lane.finish().await.expect("finishes");
        self.step = Some((writer, file, group));
        true
    }
}

/// How often each row is there.
async fn counted(table: &MergeTree) -> BTreeMap<i64, u32> {
    let mut counts = BTreeMap::new();
    for batch in select(table, &settings(), "SELECT n FROM t").await.expect("reads") {
        for n in batch.column(0).as_primitive::<Int64Type>().values() {
            *counts.entry(*n).or_default() += 1;
        }
    }
    counts
}

async fn check_whole(store: &Arc<MemoryStore>) {
    let table = open(store).await;
    let rows = i64::from(FILES * GROUPS) * ROWS;
    assert_eq!(counted(&table).await, (0..rows).map(|n| (n, 1)).collect::<BTreeMap<_, _>>());
    let ledger = table.load_ledger();
    assert_eq!(ledger.len(), FILES as usize);
    assert!(ledger.iter().all(|file| file.progress.is_whole() && file.progress.rows == GROUPS as u64 * ROWS as u64));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn two_processes_bring_each_row_group_once(turns in prop::collection::vec(any::<bool>(), 0..80), backwards in any::<bool>()) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("starts");
        runtime.block_on(async {
            let store = MemoryStore::new();
            let mut processes = [Process::begin(&store, false).await, Process::begin(&store, backwards).await];
            for first in turns {
                processes[usize::from(!first)].turn().await;
            }
            for process in &mut processes {
                while process.turn().await {}
            }
            check_whole(&store).await;
        });
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_commits_a_row_group_second_leaves_no_row_of_it() {
    let store = MemoryStore::new();
    let (mut here, mut there) = (Process::begin(&store, false).await, Process::begin(&store, false).await);
    // Both write the same group, and one commits first.
    assert!(here.turn().await && there.turn().await && here.turn().await && there.turn().await);
    assert_eq!((here.given_up, there.given_up), (0, 1));
    let table = open(&store).await;
    assert_eq!(counted(&table).await.len(), ROWS as usize);
    assert_eq!(there.left.len(), (FILES * GROUPS) as usize - 1, "it knows by then what the other brought");
    for process in [&mut here, &mut there] {
        while process.turn().await {}
    }
    check_whole(&store).await;
}

/// Commits of both processes at the very same time.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn four_processes_at_once_bring_each_row_group_once() {
    for _ in 0..8 {
        let store = MemoryStore::new();
        let running = (0..4).map(|at| {
            let store = store.clone();
            tokio::spawn(async move {
                let mut process = Process::begin(&store, at % 2 == 1).await;
                while process.turn().await {}
            })
        });
        for process in running.collect::<Vec<_>>() {
            process.await.expect("ends");
        }
        check_whole(&store).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn in_one_process_the_second_run_is_refused_while_the_first_goes_on() {
    let store = MemoryStore::new();
    let mut process = Process::begin(&store, false).await;
    assert!(process.turn().await);
    let refused = process.table.begin_load(&settings(), &request()).await.err().expect("it runs");
    assert_eq!(refused.code(), ErrorCode::QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING);
    let other = LoadRequest { id: "others".to_string(), ..request() };
    process.table.begin_load(&settings(), &other).await.expect("another load").end();
    while process.turn().await {}
    process.run.end();
    let again = process.table.begin_load(&settings(), &request()).await.expect("it has ended");
    assert!((0..FILES).all(|file| again.known(&path(file)).is_some_and(|known| known.is_whole())));
    check_whole(&store).await;
}
