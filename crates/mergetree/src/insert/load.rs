//! A run of a load into a table. Steps are committed like inserts, and each carries what it brings of the load's files into
//! the manifest's ledger (`manifest::ledger`), in the same version: a run that is killed between two commits has exactly
//! what the ledger says, and the next run brings the rest.
//!
//! Two runs of one load at a time: in one process the second is refused, in two the manifest decides: whoever commits a
//! row group second finds it in the ledger, and gives up with its rows uncommitted.

use std::sync::Arc;

use async_trait::async_trait;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::{FileProgress, LoadRequest, LoadWriter, LoadedGroups, TableLoad};
use gristmill_introspect::QueryContext;
use parking_lot::Mutex;

use super::gear::Gear;
use super::writer::InsertWriter;
use crate::manifest::v1::{FileEntry, LedgerChange, Operation};
use crate::manifest::{Change, Commit, RowsChange, State};
use crate::settings::TableSettings;
use crate::table::Core;

/// Characters of an error that the ledger keeps.
const ERROR_CHARACTERS_MAX: usize = 1000;

pub struct Load {
    core: Arc<Core>,
    context: Arc<QueryContext>,
    request: LoadRequest,
    /// The table when the run began.
    state: Arc<State>,
    claim: Mutex<Option<Claim>>,
    /// One for all steps.
    pub(super) gear: Arc<Gear>,
}

/// The id of a load that runs in this process.
struct Claim {
    core: Arc<Core>,
    id: String,
}

impl Claim {
    fn take(core: &Arc<Core>, id: &str) -> Option<Claim> {
        core.loading.lock().insert(id.to_string()).then(|| Claim { core: core.clone(), id: id.to_string() })
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.core.loading.lock().remove(&self.id);
    }
}

impl Load {
    pub async fn begin(core: &Arc<Core>, context: &Arc<QueryContext>, request: &LoadRequest) -> Result<Arc<Load>> {
        let claim = Claim::take(core, &request.id).ok_or_else(|| running(&request.id))?;
        let state = core.manifest.refresh(context).await?;
        if let Some(known) = state.ledger.load(&request.id)
            && known.query != request.query
        {
            return Err(other_query(&request.id));
        }
        Ok(Arc::new(Load {
            gear: Arc::new(Gear::new(context, &core.settings, core.layout.columns.len())),
            core: core.clone(),
            context: context.clone(),
            request: request.clone(),
            state,
            claim: Mutex::new(Some(claim)),
        }))
    }

    /// The deduplication token that ends with the load.
    pub(super) fn token(&self) -> Option<String> {
        self.request.is_token.then(|| self.request.id.clone())
    }

    /// What to do when the run broke off.
    pub(super) fn again(&self) -> String {
        let name = if self.request.is_token { "insert_deduplication_token" } else { "load_id" };
        format!("run it again with {name} = '{}', it goes on where it stopped", self.request.id)
    }

    /// What a step says of its files, after a state. Errors: QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING.
    pub(super) fn change(
        &self,
        state: &State,
        files: &[LoadedGroups],
        settings: &TableSettings,
        now_ms: u64,
    ) -> Result<LedgerChange> {
        let id = &self.request.id;
        let mut dropped = state.ledger.expired(now_ms, settings.load_ledger_lifetime * 1000);
        dropped.retain(|dropped| dropped != id);
        let change = LedgerChange {
            load_id: id.clone(),
            query: self.request.query.clone(),
            files: files.iter().map(entry).collect(),
            dropped,
        };
        let ended = self.request.is_token && state.has_insert(id);
        let other_query = state.ledger.load(id).is_some_and(|load| load.query != self.request.query);
        if ended || other_query || state.ledger.check(&change).is_err() {
            return Err(running(id));
        }
        Ok(change)
    }
}

fn entry(file: &LoadedGroups) -> FileEntry {
    FileEntry {
        path: file.path.clone(),
        version: file.version.clone(),
        groups: file.groups_total,
        done: file.groups.ranges().to_vec(),
        rows: file.rows,
        time_ms: 0,
        error: file.error.as_ref().map(|error| error.chars().take(ERROR_CHARACTERS_MAX).collect()),
    }
}

fn running(id: &str) -> Error {
    Error::new(
        ErrorCode::QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING,
        format!("Load '{id}' is being run by another INSERT. Wait for its end; run again, it brings what is left then"),
    )
}

fn other_query(id: &str) -> Error {
    Error::new(
        ErrorCode::BAD_ARGUMENTS,
        format!(
            "Load '{id}' was begun by a query with other columns, expressions or conditions: one load makes the same of all \
             its files. Give this query a load_id of its own, or forget the load with SYSTEM DROP LOAD LEDGER"
        ),
    )
}

#[async_trait]
impl TableLoad for LoadHandle {
    fn has_ended(&self) -> bool {
        let request = &self.0.request;
        request.is_token && self.0.state.has_insert(&request.id)
    }

    fn known(&self, path: &str) -> Option<FileProgress> {
        self.0.state.ledger.load(&self.0.request.id)?.file(path).cloned()
    }

    fn end(&self) {
        self.0.claim.lock().take();
    }

    async fn writer(&self) -> Result<Arc<dyn LoadWriter>> {
        let load = &self.0;
        Ok(Arc::new(InsertWriter::open_step(load.core.clone(), &load.context, load.clone()).await?))
    }
}

/// A run as the engine holds it; its steps hold the load too.
pub struct LoadHandle(pub Arc<Load>);

/// The change that forgets a load (`None`: all of them); `None` where nothing is known of it.
pub fn forgotten(state: &State, load_id: Option<&str>) -> Option<LedgerChange> {
    let mut dropped = state.ledger.ids();
    dropped.retain(|id| load_id.is_none_or(|wanted| wanted == id));
    (!dropped.is_empty()).then(|| LedgerChange { dropped, ..LedgerChange::default() })
}

/// SYSTEM DROP LOAD LEDGER
pub async fn forget(core: &Arc<Core>, context: &Arc<QueryContext>, load_id: Option<&str>) -> Result<()> {
    let decide = |state: &State| {
        Ok(forgotten(state, load_id).map(|ledger| Change {
            operation: Operation::Insert,
            added: Vec::new(),
            removed: Vec::new(),
            insert_id: None,
            block_hashes: Vec::new(),
            ledger: Some(ledger),
            keeps_rows: false,
            rows: RowsChange::default(),
        }))
    };
    match core.manifest.commit(context, decide).await? {
        Commit::Unknown(error) => Err(error),
        _ => Ok(()),
    }
}
