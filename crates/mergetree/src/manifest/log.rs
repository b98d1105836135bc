//! How a version of the manifest is agreed on, by any number of writers in any number of processes, with no server but
//! the store.
//!
//! A commit takes the newest state it knows, decides what to change, and puts the record of the next version if nobody
//! else has. Whoever finds the version taken reads what the other did, applies it, decides again and tries the version
//! after it. So inserts commute, and a merge whose sources are gone gives up when it decides again.
//!
//! If the answer to a put is lost, the record may or may not be there: the version is read, and the commit id in it
//! says whose it is. Nothing is there: the same version is put again (a late arrival of the first try then reads as
//! ours). Only when the store stays silent is the outcome unknown; then nothing the commit names may be deleted.
//!
//! Old versions are deleted by the sweeper an hour after a newer snapshot. A writer that slept longer might find its
//! next version free again; so a state older than `STALE_AFTER` is read anew, by listing, before anything is based on it.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use gristmill_base::spending::Wait;
use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_introspect::QueryContext;
use parking_lot::Mutex;

use super::state::State;
use super::v1::record::{FOLDER, SNAPSHOT_INTERVAL, key, version_of};
use super::v1::{LedgerChange, MutationEntry, Operation, PartEntry, ProjectionChange, Record, RowsDeleted};
use crate::invariants;
use crate::store::{PartStore, Put};

/// A state known for longer is read anew before a commit: half of what the sweeper waits.
pub const STALE_AFTER: Duration = Duration::from_secs(30 * 60);
const PUT_TRIES: u32 = 8;

/// What a commit changes.
#[derive(Clone, Debug)]
pub struct Change {
    pub operation: Operation,
    pub added: Vec<Arc<PartEntry>>,
    pub removed: Vec<String>,
    pub insert_id: Option<String>,
    pub block_hashes: Vec<String>,
    /// I-4: what it says of the files of a load.
    pub ledger: Option<LedgerChange>,
    /// M-1: the rows that come in are those that go out.
    pub keeps_rows: bool,
    pub rows: RowsChange,
}

/// What a commit says of mutations and of detached parts; see `Record`.
#[derive(Clone, Debug, Default)]
pub struct RowsChange {
    pub detached: Vec<String>,
    pub retrieved: Vec<String>,
    pub begun: Option<Arc<MutationEntry>>,
    pub passed: Vec<(String, i64)>,
    pub projected: Vec<ProjectionChange>,
    pub deleted: Vec<RowsDeleted>,
    pub killed: Vec<i64>,
}

#[derive(Debug)]
pub enum Commit {
    /// The change is in this state.
    Done(Arc<State>),
    /// The decision was to change nothing.
    Nothing,
    /// Nobody knows whether it took place: what it names must stay.
    Unknown(Error),
}

#[derive(Debug)]
pub struct Manifest {
    store: Arc<dyn PartStore>,
    /// Other processes may write too.
    shared: bool,
    /// Block hashes kept for deduplication.
    window: AtomicUsize,
    /// Keys of objects of replaced parts that are no longer there: the next snapshot does not tell of them.
    swept: Mutex<HashSet<String>>,
    current: Mutex<(Arc<State>, Instant)>,
    /// Commits of this process queue here rather than at the store.
    turn: tokio::sync::Mutex<()>,
}

impl Manifest {
    pub async fn open(
        context: &Arc<QueryContext>,
        store: Arc<dyn PartStore>,
        shared: bool,
        window: usize,
    ) -> Result<Manifest> {
        let state = load(context, &store, window).await.context(|| "opening the table's manifest".to_string())?;
        let current = Mutex::new((Arc::new(state), context.env.instant()));
        let (window, swept) = (AtomicUsize::new(window), Mutex::default());
        Ok(Manifest { store, shared, window, swept, current, turn: tokio::sync::Mutex::new(()) })
    }

    /// From the next commit on so many block hashes are kept.
    pub fn keep_block_hashes(&self, window: usize) {
        self.window.store(window, Ordering::Relaxed);
    }

    /// Objects of replaced parts are known to be gone.
    pub fn note_swept(&self, keys: impl IntoIterator<Item = String>) {
        self.swept.lock().extend(keys);
    }

    pub fn is_swept(&self, key: &str) -> bool {
        self.swept.lock().contains(key)
    }

    /// What no state names any more needs no remembering.
    pub fn retain_swept(&self, named: &HashSet<&str>) {
        self.swept.lock().retain(|key| named.contains(key.as_str()));
    }

    fn window(&self) -> usize {
        self.window.load(Ordering::Relaxed)
    }

    /// The newest state that this process knows.
    pub fn current(&self) -> Arc<State> {
        self.current.lock().0.clone()
    }

    /// The newest state. Asks the store only where other processes may have written.
    pub async fn refresh(&self, context: &Arc<QueryContext>) -> Result<Arc<State>> {
        if !self.shared {
            return Ok(self.current());
        }
        self.catch_up(context).await
    }

    /// The newest state of all, asked of the store.
    pub async fn newest(&self, context: &Arc<QueryContext>) -> Result<Arc<State>> {
        self.catch_up(context).await
    }

    async fn catch_up(&self, context: &Arc<QueryContext>) -> Result<Arc<State>> {
        let (mut state, known) = self.current.lock().clone();
        if context.env.instant().saturating_duration_since(known) > STALE_AFTER {
            state = Arc::new(load(context, &self.store, self.window()).await?);
        }
        while let Some(data) = self.store.read_whole(context, &key(state.version + 1)).await? {
            let record = Record::decode(state.version + 1, &data)?;
            state = Arc::new(state.apply(&record, self.window())?);
        }
        Ok(self.advance(context, state))
    }

    /// M-2: the known state only grows.
    fn advance(&self, context: &Arc<QueryContext>, state: Arc<State>) -> Arc<State> {
        let mut current = self.current.lock();
        if state.version >= current.0.version {
            *current = (state, context.env.instant());
        }
        current.0.clone()
    }

    /// Commits what `decide` says for the newest state; it is asked again whenever another writer was first. An error
    /// means that nothing was committed.
    pub async fn commit(
        &self,
        context: &Arc<QueryContext>,
        mut decide: impl FnMut(&State) -> Result<Option<Change>> + Send,
    ) -> Result<Commit> {
        let mut synced = HashSet::new();
        // Asked once before the turn comes, so that others do not wait for our disk.
        if let Some(change) = decide(&self.current())? {
            self.sync_added(context, &change, &mut synced).await?;
        }
        let waiting = context.waits_for(Wait::Lock);
        let _turn = self.turn.lock().await;
        drop(waiting);
        let known = self.current.lock().1;
        if context.env.instant().saturating_duration_since(known) > STALE_AFTER {
            self.catch_up(context).await?;
        }
        let begun = context.env.instant();
        let commit_id = context.env.uuid().to_string();
        let mut is_newest = !self.shared;
        loop {
            let base = self.current();
            let Some(change) = decide(&base)? else {
                // Others may have written what there is to change: that there is nothing is said of the newest state only.
                if is_newest || self.catch_up(context).await?.version == base.version {
                    return Ok(Commit::Nothing);
                }
                is_newest = true;
                continue;
            };
            self.sync_added(context, &change, &mut synced).await?;
            let (record, next) = self.record(context, &base, change, &commit_id)?;
            let data = record.encode()?;
            match self.put(context, &record, data).await {
                // The process was stopped in the middle: the version may have been swept and its number taken again.
                Ok(None) if context.env.instant().saturating_duration_since(begun) > STALE_AFTER => {
                    let text = format!("Version {} of the manifest was written too late", record.version);
                    return Ok(Commit::Unknown(Error::new(ErrorCode::TIMEOUT_EXCEEDED, text)));
                }
                // What is known may be newer by now, and others may have merged away or detached what this version added:
                // whoever asks what became of it must not take that for a part left out.
                Ok(None) => {
                    let next = Arc::new(next);
                    self.advance(context, next.clone());
                    return Ok(Commit::Done(next));
                }
                Ok(Some(other)) => {
                    let state = base.apply(&other, self.window())?;
                    self.advance(context, Arc::new(state));
                }
                Err(error) => return Ok(Commit::Unknown(error)),
            }
        }
    }

    /// I-1: what a version names survives a loss of power before the version does.
    async fn sync_added(&self, context: &Arc<QueryContext>, change: &Change, synced: &mut HashSet<String>) -> Result<()> {
        let added = change.added.iter().flat_map(|part| part.objects());
        let projected = change.rows.projected.iter().filter_map(|change| change.data.as_ref()).map(|data| data.key.as_str());
        let deleted = change.rows.deleted.iter().map(|change| change.deleted.key.as_str());
        let keys: Vec<String> =
            added.chain(projected).chain(deleted).filter(|key| synced.insert(key.to_string())).map(str::to_string).collect();
        match keys.is_empty() {
            true => Ok(()),
            false => self.store.sync(context, &keys).await,
        }
    }

    fn record(&self, context: &Arc<QueryContext>, base: &State, change: Change, commit_id: &str) -> Result<(Record, State)> {
        invariants::check_change(base, &change)?;
        let version = base.version + 1;
        let mut record = Record {
            version,
            commit_id: commit_id.to_string(),
            time_ms: context.env.now_ms(),
            operation: change.operation,
            added: change.added,
            removed: change.removed,
            insert_id: change.insert_id,
            block_hashes: change.block_hashes,
            ledger: change.ledger,
            detached: change.rows.detached,
            retrieved: change.rows.retrieved,
            begun: change.rows.begun,
            names_passed: !change.rows.passed.is_empty(),
            passed: change.rows.passed,
            projected: change.rows.projected,
            deleted: change.rows.deleted,
            killed: change.rows.killed,
            snapshot: None,
        };
        let mut next = base.apply(&record, self.window())?;
        if cfg!(debug_assertions) {
            invariants::check_state(&next)?;
        }
        if version == 1 || version.is_multiple_of(SNAPSHOT_INTERVAL) {
            next.forget_swept(&self.swept.lock());
            record.snapshot = Some(next.snapshot());
        }
        Ok((record, next))
    }

    /// `None`: the record is there. `Some`: another writer's record has its version. Errors: nobody knows.
    async fn put(&self, context: &Arc<QueryContext>, record: &Record, data: Bytes) -> Result<Option<Record>> {
        let name = key(record.version);
        let mut failure = None;
        for attempt in 0..PUT_TRIES {
            if attempt > 0 {
                let _waiting = context.waits_for(Wait::Lock);
                context.env.sleep(Duration::from_millis(20 << attempt.min(6))).await;
            }
            match self.store.put_if_absent(context, &name, data.clone()).await {
                Ok(Put::Created) => return Ok(None),
                Ok(Put::Exists) => {}
                Err(error) => failure = Some(error),
            }
            match self.store.read_whole(context, &name).await {
                Ok(Some(found)) => {
                    let found = Record::decode(record.version, &found)?;
                    return Ok((found.commit_id != record.commit_id).then_some(found));
                }
                Ok(None) => {}
                Err(error) => failure = Some(error),
            }
        }
        let failure = failure.unwrap_or_else(|| Error::logical("a version of the manifest vanished"));
        Err(failure.with_context(format!("committing version {} of the manifest", record.version)))
    }
}

/// Reads the newest state: back from the last version to a snapshot, then forward.
async fn load(context: &Arc<QueryContext>, store: &Arc<dyn PartStore>, window: usize) -> Result<State> {
    'listing: for _ in 0..4 {
        let listed = store.list(context, FOLDER).await?;
        let Some(last) = listed.iter().filter_map(|object| version_of(&object.key)).max() else {
            return Ok(State::default());
        };
        let mut later = Vec::new();
        let mut version = last;
        let mut state = loop {
            // A version that went since the listing was swept: a newer snapshot exists.
            let Some(data) = store.read_whole(context, &key(version)).await? else { continue 'listing };
            let record = Record::decode(version, &data)?;
            if let Some(snapshot) = &record.snapshot {
                break State::from_snapshot(version, snapshot);
            }
            later.push(record);
            version -= 1;
        };
        for record in later.iter().rev() {
            state = state.apply(record, window)?;
        }
        return Ok(state);
    }
    Err(Error::new(ErrorCode::CORRUPTED_DATA, "Versions of the manifest are missing since the last snapshot"))
}
