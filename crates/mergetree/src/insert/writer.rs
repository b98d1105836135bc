//! One INSERT, or one step of a load: lanes write parts side by side, and one commit makes all of them visible (I-2).

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use gristmill_base::spending::Wait;
use gristmill_base::{Error, ErrorCode, Result, units};
use gristmill_catalog::{LoadWriter, LoadedGroups, TableWriter, WriteLane};
use gristmill_introspect::tracing::Level;
use gristmill_introspect::{Event, Gauge, QueryContext, tell};
use parking_lot::Mutex;

use super::block::{BlockTarget, InsertedPart};
use super::gear::Gear;
use super::lane::InsertLane;
use super::load::Load;
use super::uncommitted::Uncommitted;
use crate::manifest::state::token_as_block;
use crate::manifest::v1::Operation;
use crate::manifest::{Change, Commit, PartEntry, RowsChange, State};
use crate::merge::log;
use crate::settings::TableSettings;
use crate::table::Core;

/// What the lanes of one INSERT share.
pub struct Shared {
    pub context: Arc<QueryContext>,
    pub target: BlockTarget,
    pub written: Mutex<Vec<InsertedPart>>,
    pub gear: Arc<Gear>,
    /// The insert's token was committed before: its rows are taken and left.
    pub is_duplicate: bool,
    core: Arc<Core>,
    token: Option<String>,
    /// A token that was given with the commit.
    late_token: OnceLock<String>,
    /// The load that this is a step of.
    load: Option<Arc<Load>>,
    begun: Instant,
    /// No block was written yet: it waited before the insert began.
    is_first_block: AtomicBool,
    pub uncommitted: Arc<Uncommitted>,
}

pub struct InsertWriter {
    shared: Arc<Shared>,
}

impl InsertWriter {
    pub async fn open(core: Arc<Core>, context: &Arc<QueryContext>) -> Result<InsertWriter> {
        let state = core.manifest.refresh(context).await?;
        let settings = &context.settings;
        let token = (settings.insert_deduplicate && !settings.insert_deduplication_token.is_empty())
            .then(|| settings.insert_deduplication_token.clone());
        let gear = Arc::new(Gear::new(context, &core.settings, core.layout.columns.len()));
        Self::begin(core, context, &state, token, None, gear).await
    }

    /// A step of a load: it is known by the row groups it brings, not by a token.
    pub async fn open_step(core: Arc<Core>, context: &Arc<QueryContext>, load: Arc<Load>) -> Result<InsertWriter> {
        let state = core.manifest.current();
        let gear = load.gear.clone();
        Self::begin(core, context, &state, None, Some(load), gear).await
    }

    async fn begin(
        core: Arc<Core>,
        context: &Arc<QueryContext>,
        state: &State,
        token: Option<String>,
        load: Option<Arc<Load>>,
        gear: Arc<Gear>,
    ) -> Result<InsertWriter> {
        let shared = Arc::new(Shared {
            is_duplicate: token.as_ref().is_some_and(|token| state.has_insert(token)),
            context: context.clone(),
            target: BlockTarget { layout: core.layout.clone(), settings: core.settings.clone(), store: core.store.clone() },
            written: Mutex::default(),
            gear,
            uncommitted: Uncommitted::new(core.clone()),
            core,
            token,
            late_token: OnceLock::new(),
            load,
            begun: context.env.instant(),
            is_first_block: AtomicBool::new(true),
        });
        shared.keep_pace(true).await?;
        Ok(InsertWriter { shared })
    }
}

impl Shared {
    /// Parts that the fullest partition has, with those that this INSERT wrote of it, about.
    pub fn parts(&self) -> u64 {
        let there = fullest_partition(&self.core.manifest.current()).map_or(0, |(parts, _)| parts);
        there + self.written.lock().len() as u64 / self.gear.partitions()
    }

    /// Slows the insert down where merges fell behind. `may_refuse`: nothing was taken of it yet, so that it may be refused.
    /// Errors: TOO_MANY_PARTS.
    pub async fn keep_pace(&self, may_refuse: bool) -> Result<()> {
        if !may_refuse && self.is_first_block.swap(false, Ordering::Relaxed) {
            return Ok(());
        }
        let settings = &paced(&self.target.settings, &self.context);
        let state = self.core.manifest.current();
        if may_refuse {
            self.core.check_size(&state)?;
            self.check_all_parts(&state)?;
        }
        let inactive = inactive_parts(&state, settings);
        if may_refuse && settings.inactive_parts_to_throw_insert > 0 && inactive >= settings.inactive_parts_to_throw_insert {
            return Err(self.refused(format!(
                "Too many inactive parts ({inactive}) in table '{}'. Parts cleaning are processing significantly slower than \
                 inserts",
                self.core.name(),
            )));
        }
        let mut ms = match settings.inactive_parts_to_delay_insert {
            limit if limit > 0 && inactive >= limit => {
                delay_ms(settings, inactive, (limit, settings.inactive_parts_to_throw_insert))
            }
            _ => 0,
        };
        if let Some((parts, bytes)) = fullest_partition(&state) {
            ms = ms.max(self.delay_of_parts(settings, parts, bytes, may_refuse)?);
        }
        if ms == 0 {
            return Ok(());
        }
        self.context.counters.add(Event::DelayedInserts, 1);
        self.context.counters.add(Event::DelayedInsertsMilliseconds, ms);
        let _delayed = Gauge::DelayedInserts.hold();
        tell!(
            self.context,
            INFO as DEBUG,
            "MergeTreeSink",
            "{}: Delaying inserting block by {ms} ms: parts pile up, and merges are behind",
            self.core.name()
        );
        self.core.wake_merger();
        let _waiting = self.context.waits_for(Wait::Lock);
        let sleep = async {
            tokio::time::sleep(Duration::from_millis(ms)).await;
            Ok(())
        };
        self.context.cancellable(sleep).await
    }

    /// Error: NOT_ENOUGH_SPACE.
    pub fn check_free_space(&self) -> Result<()> {
        self.core.check_free_space(&self.context.settings)
    }

    fn refused(&self, text: String) -> Error {
        self.context.counters.add(Event::RejectedInserts, 1);
        Error::new(ErrorCode::TOO_MANY_PARTS, text)
    }

    /// Errors: TOO_MANY_PARTS where all partitions together have too many.
    fn check_all_parts(&self, state: &State) -> Result<()> {
        let (parts, most) = (state.parts.len() as u64, self.target.settings.max_parts_in_total);
        if most == 0 || parts < most {
            return Ok(());
        }
        Err(self.refused(format!(
            "Too many parts ({parts}) in all partitions in total in table '{}'. This indicates wrong choice of partition key. \
             The threshold can be modified with the table's setting 'max_parts_in_total'",
            self.core.name(),
        )))
    }

    /// How long the parts of the fullest partition hold the insert back. Errors: TOO_MANY_PARTS.
    fn delay_of_parts(&self, settings: &TableSettings, parts: u64, bytes: u64, may_refuse: bool) -> Result<u64> {
        let average = bytes / parts.max(1);
        let large = settings.max_avg_part_size_for_too_many_parts;
        if large > 0 && average > large {
            return Ok(0);
        }
        if may_refuse && settings.parts_to_throw_insert > 0 && parts >= settings.parts_to_throw_insert {
            return Err(self.refused(format!(
                "Too many parts ({parts} with average size of {}) in table '{}'. Merges are processing significantly slower \
                 than inserts",
                units::bytes_binary(average as f64),
                self.core.name(),
            )));
        }
        if settings.parts_to_delay_insert > 0 && parts >= settings.parts_to_delay_insert {
            return Ok(delay_ms(settings, parts, (settings.parts_to_delay_insert, settings.parts_to_throw_insert)));
        }
        Ok(0)
    }

    /// The change that makes the parts of a step, and what they are of the load's files, visible in the given state.
    fn step_change(
        &self,
        load: &Load,
        state: &State,
        parts: &[InsertedPart],
        step: &(Vec<LoadedGroups>, bool),
    ) -> Result<Change> {
        let (files, ends) = step;
        let ledger = load.change(state, files, &self.target.settings, self.context.env.now_ms())?;
        let numbered = (state.next_block..).zip(parts);
        let added = numbered.map(|(block, InsertedPart { part, ranges, .. })| {
            Arc::new(entry(part, ranges.clone(), block, block, self.context.env.now_ms()))
        });
        let (insert_id, block_hashes) = self.remembered(load.token().filter(|_| *ends));
        Ok(Change {
            operation: Operation::Insert,
            added: added.collect(),
            removed: Vec::new(),
            insert_id,
            block_hashes,
            ledger: Some(ledger),
            keeps_rows: false,
            rows: RowsChange::default(),
        })
    }

    /// The change that makes the parts visible in the given state; `None` where there is nothing to do. Parts that are
    /// blocks inserted before are left out.
    fn change(&self, state: &State, parts: &[InsertedPart]) -> Option<Change> {
        let token = self.token.as_ref().or(self.late_token.get());
        if token.is_some_and(|token| state.has_insert(token)) {
            return None;
        }
        let by_hash = self.context.settings.insert_deduplicate && token.is_none();
        let window = self.window();
        // In the order of their blocks: the first of them are forgotten first.
        let (mut hashes, mut own) = (Vec::new(), HashSet::new());
        let mut added = Vec::with_capacity(parts.len());
        let mut block = state.next_block;
        for InsertedPart { part, ranges, block_hash, .. } in parts {
            // Blocks of one INSERT that are alike are all its own.
            if let Some(hash) = block_hash.filter(|_| by_hash) {
                let hash = format!("{}_{hash:032x}", part.header.partition_id);
                // Each block that is new pushes the oldest out, as if it were the only one of its INSERT.
                let is_known = !own.contains(&hash)
                    && state.has_block(&hash)
                    && !state.blocks_pushed_out(hashes.len(), window).any(|old| old == hash);
                if is_known {
                    continue;
                }
                if own.insert(hash.clone()) {
                    hashes.push(hash);
                }
            }
            added.push(Arc::new(entry(part, ranges.clone(), block, block, self.context.env.now_ms())));
            block += 1;
        }
        let (insert_id, of_token) = self.remembered(token.cloned());
        hashes.extend(of_token);
        (!added.is_empty()).then(|| Change {
            operation: Operation::Insert,
            added,
            removed: Vec::new(),
            insert_id,
            block_hashes: hashes,
            ledger: None,
            keeps_rows: false,
            rows: RowsChange::default(),
        })
    }

    fn window(&self) -> usize {
        self.target.settings.non_replicated_deduplication_window as usize
    }

    /// Where a token is remembered: by itself, or as one of the blocks that the table keeps a window of.
    fn remembered(&self, token: Option<String>) -> (Option<String>, Vec<String>) {
        match self.window() {
            0 => (token, Vec::new()),
            _ => (None, token.iter().map(|token| token_as_block(token)).collect()),
        }
    }
}

impl Shared {
    /// `step`: files of a load, and whether it ends with them.
    async fn commit(&self, step: Option<(Vec<LoadedGroups>, bool)>) -> Result<()> {
        let context = &self.context;
        context.check()?;
        let parts = std::mem::take(&mut *self.written.lock());
        // The sweeper of another process takes objects without a name after the grace period: none may be committed
        // when that could have begun.
        let age = context.env.instant().saturating_duration_since(self.begun).as_secs();
        if age > self.target.settings.orphan_grace_seconds / 2 {
            *self.written.lock() = parts;
            return Err(Error::new(
                ErrorCode::TIMEOUT_EXCEEDED,
                format!(
                    "The INSERT took {age} seconds, more than half of orphan_grace_seconds: raise that setting of the table"
                ),
            ));
        }
        if parts.is_empty() && step.is_none() {
            return Ok(());
        }
        let decide = |state: &State| match (&self.load, &step) {
            (Some(load), Some(step)) => self.step_change(load, state, &parts, step).map(Some),
            _ => Ok(self.change(state, &parts)),
        };
        let keys = || parts.iter().flat_map(|part| part.part.objects());
        self.uncommitted.leave(keys());
        let begun = context.env.instant();
        let outcome = self.core.manifest.commit(context, decide).await;
        let took = context.env.instant().saturating_duration_since(begun);
        match outcome {
            Ok(Commit::Done(state)) => {
                let added: HashMap<&str, &Arc<PartEntry>> =
                    state.parts.values().map(|part| (part.key.as_str(), part)).collect();
                let (named, left_out): (Vec<_>, Vec<_>) =
                    parts.iter().partition(|part| added.contains_key(part.part.key.as_str()));
                context.counters.add(Event::InsertedWideParts, named.len() as u64);
                context.counters.add(Event::DuplicatedInsertedBlocks, left_out.len() as u64);
                for part in &named {
                    log::inserted(&self.core, context, added[part.part.key.as_str()], part);
                }
                if context.is_told(Level::DEBUG) {
                    let parts: Vec<_> = named.iter().map(|part| added[part.part.key.as_str()]).collect();
                    self.tell_commit(&parts, &state, took);
                }
                self.uncommitted.discard_all(left_out.into_iter().flat_map(|part| part.part.objects())).await;
                self.core.wake_merger();
                Ok(())
            }
            Ok(Commit::Nothing) => {
                let table = self.core.name();
                context.counters.add(Event::DuplicatedInsertedBlocks, parts.len() as u64);
                tell!(context, DEBUG, "MergeTreeSink", "{table}: Nothing is committed: these rows were inserted before");
                self.uncommitted.discard_all(keys()).await;
                Ok(())
            }
            Ok(Commit::Unknown(error)) => Err(error.with_context(match &self.load {
                Some(load) => format!("it is unknown whether a step of the load took place: {}", load.again()),
                None => "it is unknown whether the INSERT took place: look, or repeat it with insert_deduplication_token"
                    .to_string(),
            })),
            Err(error) => {
                keys().for_each(|key| self.uncommitted.begin(key));
                *self.written.lock() = parts;
                Err(error)
            }
        }
    }
}

impl Shared {
    fn tell_commit(&self, parts: &[&Arc<PartEntry>], state: &State, took: Duration) {
        let sum = |of: fn(&PartEntry) -> u64| parts.iter().map(|part| of(part)).sum::<u64>();
        let table = self.core.name();
        tell!(
            self.context,
            DEBUG,
            "MergeTreeSink",
            "{table}: Committed {} parts, {} rows, {} in {}; the table is at version {} with {} parts",
            parts.len(),
            sum(|part| part.rows),
            units::bytes_binary(sum(|part| part.bytes) as f64),
            units::duration(took),
            state.version,
            state.parts.len()
        );
        for part in parts {
            let bytes = units::bytes_binary(part.bytes as f64);
            tell!(self.context, TRACE, "MergeTreeSink", "{table}: part {}: {} rows, {bytes}", part.name, part.rows);
        }
    }
}

/// The table's settings with the numbers of parts that this insert says.
fn paced(settings: &TableSettings, context: &QueryContext) -> TableSettings {
    let or_table = |of_query: u64, of_table: u64| if of_query > 0 { of_query } else { of_table };
    TableSettings {
        parts_to_delay_insert: or_table(context.settings.parts_to_delay_insert, settings.parts_to_delay_insert),
        parts_to_throw_insert: or_table(context.settings.parts_to_throw_insert, settings.parts_to_throw_insert),
        ..settings.clone()
    }
}

/// How long an insert waits: the more of the way from the parts that delay to those that refuse, the longer.
fn delay_ms(settings: &TableSettings, parts: u64, (delays, refuses): (u64, u64)) -> u64 {
    let over = parts.saturating_sub(delays) + 1;
    let room = refuses.saturating_sub(delays).max(1);
    let longest = settings.max_delay_to_insert.saturating_mul(1000);
    let ms = u128::from(longest) * u128::from(over) / u128::from(room);
    u64::try_from(ms).unwrap_or(u64::MAX).min(longest).max(settings.min_delay_to_insert_ms)
}

/// Replaced parts that are there yet, of the partition that has the most of them. (Not counted where nobody asks.)
fn inactive_parts(state: &State, settings: &TableSettings) -> u64 {
    if settings.inactive_parts_to_delay_insert == 0 && settings.inactive_parts_to_throw_insert == 0 {
        return 0;
    }
    let mut counts: HashMap<&str, u64> = HashMap::new();
    for removed in &state.removed {
        *counts.entry(&removed.part.partition_id).or_default() += 1;
    }
    counts.into_values().max().unwrap_or_default()
}

/// Parts and bytes of the partition with the most parts.
pub fn fullest_partition(state: &State) -> Option<(u64, u64)> {
    let mut fullest: Option<(u64, u64)> = None;
    let mut current: (&str, u64, u64) = ("", 0, 0);
    for ((partition, _), part) in &state.parts {
        if **partition != *current.0 {
            current = (partition, 0, 0);
        }
        current.1 += 1;
        current.2 += part.bytes;
        if fullest.is_none_or(|(parts, _)| current.1 > parts) {
            fullest = Some((current.1, current.2));
        }
    }
    fullest
}

/// The manifest's entry for a part that was written.
pub fn entry(
    part: &crate::part::WrittenPart,
    ranges: Vec<(serde_json::Value, serde_json::Value)>,
    min_block: i64,
    max_block: i64,
    now_ms: u64,
) -> PartEntry {
    let header = &part.header;
    PartEntry {
        name: format!("{}_{min_block}_{max_block}_{}", header.partition_id, header.level),
        key: part.key.clone(),
        partition_id: header.partition_id.clone(),
        partition: header.partition.clone(),
        min_block,
        max_block,
        level: header.level,
        rows: header.rows,
        bytes: part.bytes,
        uncompressed_bytes: header.columns.iter().map(|column| column.uncompressed_bytes).sum(),
        granules: header.granules() as u64,
        tail_offset: part.tail_offset,
        tail_hash: part.tail_hash,
        index_bytes: part.index_bytes,
        created_ms: now_ms,
        ranges,
        statistics: part.statistics.clone(),
        skip_indexes: part.skip_indexes(),
        mutation: 0,
        ttl: part.ttl.clone(),
        codec: String::new(),
        projections: part.projections.clone(),
        deleted: None,
    }
}

#[async_trait]
impl TableWriter for InsertWriter {
    async fn lane(&self) -> Result<Box<dyn WriteLane>> {
        Ok(Box::new(InsertLane::new(self.shared.clone())))
    }

    fn lanes(&self) -> Option<usize> {
        Some(self.shared.gear.lanes())
    }

    async fn commit(&self) -> Result<()> {
        if self.shared.load.is_some() {
            return Err(Error::logical("A step of a load is committed without its files"));
        }
        self.shared.commit(None).await
    }

    async fn commit_once(&self, id: &str) -> Result<()> {
        let _ = self.shared.late_token.set(id.to_string());
        self.commit().await
    }

    async fn abort(&self) {
        let parts = std::mem::take(&mut *self.shared.written.lock());
        self.shared.uncommitted.discard_all(parts.iter().flat_map(|part| part.part.objects())).await;
    }
}

#[async_trait]
impl LoadWriter for InsertWriter {
    async fn commit_step(&self, files: Vec<LoadedGroups>, ends: bool) -> Result<()> {
        self.shared.commit(Some((files, ends))).await?;
        self.shared.context.counters.add(Event::LoadCommits, 1);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_more_parts_there_are_the_longer_an_insert_waits_up_to_the_most() {
        let settings = TableSettings { max_delay_to_insert: 1, min_delay_to_insert_ms: 10, ..TableSettings::default() };
        assert_eq!([1000, 1999, 2999, 5000].map(|parts| delay_ms(&settings, parts, (1000, 3000))), [10, 500, 1000, 1000]);
        assert_eq!(delay_ms(&settings, 1600, (1000, 0)), 1000, "one that never refuses");
        let huge = TableSettings { max_delay_to_insert: u64::MAX, ..settings };
        assert_eq!(delay_ms(&huge, 2999, (1000, 3000)), u64::MAX);
    }
}
