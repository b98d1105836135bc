//! The state of a table after a version: pure, made by applying records one after another. Every reader holds one, so
//! a version's parts stay known (and their objects kept, M-4) as long as somebody reads them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use gristmill_base::{Error, Result};

use super::ledger::Ledger;
use super::v1::{MutationEntry, Operation, PartEntry, Record, RemovedObject, RemovedPart, Snapshot};

/// Insert ids that are remembered.
pub const INSERT_IDS_KEPT: usize = 10_000;
/// After this long a removed part is no longer told: its object was deleted long since, or is for the sweeper.
pub const REMOVED_KEPT_MS: u64 = 24 * 3600 * 1000;

/// Finished mutations that are still told of.
pub const FINISHED_MUTATIONS_KEPT: usize = 100;

#[derive(Clone, Debug)]
pub struct State {
    /// 0: the table has no version yet.
    pub version: u64,
    /// By partition and first block: the order in which ranges of parts are contiguous.
    pub parts: BTreeMap<(Arc<str>, i64), Arc<PartEntry>>,
    pub removed: Vec<RemovedPart>,
    pub next_block: i64,
    /// Parts that were taken out and are kept, by the names that they had.
    pub detached: Vec<Arc<PartEntry>>,
    /// Unfinished ones, and the last that finished; oldest first.
    pub mutations: Vec<Arc<MutationEntry>>,
    insert_ids: Arc<Remembered>,
    block_hashes: Arc<Remembered>,
    /// I-4: which files, and which row groups of them, loads have brought.
    pub ledger: Ledger,
    /// Objects that live parts named once.
    pub removed_objects: Vec<RemovedObject>,
    pub rows: u64,
    pub bytes: u64,
}

impl Default for State {
    /// A table without a version.
    fn default() -> Self {
        State::from_snapshot(0, &Snapshot { next_block: 1, ..Snapshot::default() })
    }
}

/// A bounded memory of names, oldest first.
#[derive(Clone, Debug, Default)]
struct Remembered {
    order: std::collections::VecDeque<String>,
    known: HashSet<String>,
}

impl Remembered {
    fn add(&mut self, name: String, keep: usize) {
        if self.known.insert(name.clone()) {
            self.order.push_back(name);
        }
        self.keep(keep);
    }

    fn keep(&mut self, keep: usize) {
        while self.order.len() > keep {
            if let Some(old) = self.order.pop_front() {
                self.known.remove(&old);
            }
        }
    }

    fn forget(&mut self, goes: impl Fn(&str) -> bool) {
        self.order.retain(|name| !goes(name));
        self.known.retain(|name| !goes(name));
    }
}

/// Before a token among the hashes of blocks. No hash begins so: it begins with a partition's id.
const TOKEN: &str = "token:";

/// A token as one of the blocks that a table remembers: where it keeps a window of them, tokens grow old with them.
pub fn token_as_block(token: &str) -> String {
    format!("{TOKEN}{token}")
}

pub fn is_token(block: &str) -> bool {
    block.starts_with(TOKEN)
}

impl State {
    pub fn has_insert(&self, id: &str) -> bool {
        self.insert_ids.known.contains(id) || self.has_block(&token_as_block(id))
    }

    pub fn has_block(&self, hash: &str) -> bool {
        self.block_hashes.known.contains(hash)
    }

    /// The blocks that are forgotten when so many are added, where so many are kept: the oldest of those that are known.
    pub fn blocks_pushed_out(&self, added: usize, window: usize) -> impl Iterator<Item = &str> {
        let order = &self.block_hashes.order;
        order.iter().take((order.len() + added).saturating_sub(window)).map(String::as_str)
    }

    pub fn part_named(&self, name: &str) -> Option<&Arc<PartEntry>> {
        self.parts.values().find(|part| part.name == name)
    }

    /// The state after the next record. `window`: block hashes that the table keeps.
    pub fn apply(&self, record: &Record, window: usize) -> Result<State> {
        if let Some(snapshot) = &record.snapshot {
            return Ok(State::from_snapshot(record.version, snapshot));
        }
        if record.version != self.version + 1 {
            return Err(Error::logical(format!(
                "M-2: version {} of the manifest is applied to version {}",
                record.version, self.version
            )));
        }
        let mut next = self.clone();
        next.version = record.version;
        if !record.removed.is_empty() {
            let gone: HashSet<&str> = record.removed.iter().map(String::as_str).collect();
            let mut found = Vec::new();
            next.parts.retain(|_, part| {
                let stays = !gone.contains(part.name.as_str());
                if !stays {
                    found.push(part.clone());
                }
                stays
            });
            if record.operation == Operation::Truncate || !record.detached.is_empty() {
                next.forget_inserts(&found);
            }
            for part in found {
                next.rows -= part.rows;
                next.bytes -= part.bytes;
                if record.detached.contains(&part.name) {
                    next.detached.push(part);
                } else {
                    next.removed.push(RemovedPart { part, removed_ms: record.time_ms });
                }
            }
        }
        if !record.retrieved.is_empty() {
            let added: HashSet<&str> = record.added.iter().map(|part| part.key.as_str()).collect();
            let (gone, kept): (Vec<_>, Vec<_>) =
                next.detached.into_iter().partition(|part| record.retrieved.contains(&part.name));
            next.detached = kept;
            for part in gone.into_iter().filter(|part| !added.contains(part.key.as_str())) {
                next.removed.push(RemovedPart { part, removed_ms: record.time_ms });
            }
        }
        for part in &record.added {
            next.rows += part.rows;
            next.bytes += part.bytes;
            next.next_block = next.next_block.max(part.max_block + 1);
            next.parts.insert((Arc::from(part.partition_id.as_str()), part.min_block), part.clone());
        }
        if let Some(begun) = &record.begun {
            next.next_block = next.next_block.max(begun.number + 1);
            next.mutations.push(begun.clone());
        }
        next.change_projections(record);
        next.delete_rows(record);
        // Last, since the others name parts as they were.
        next.pass(record);
        next.mutations.retain(|mutation| !record.killed.contains(&mutation.number));
        next.finish_mutations(record.time_ms);
        next.removed.retain(|removed| removed.removed_ms + REMOVED_KEPT_MS > record.time_ms);
        next.removed_objects.retain(|removed| removed.removed_ms + REMOVED_KEPT_MS > record.time_ms);
        if let Some(id) = &record.insert_id {
            Arc::make_mut(&mut next.insert_ids).add(id.clone(), INSERT_IDS_KEPT);
        }
        if next.block_hashes.order.len() > window {
            // The table's window became narrower.
            Arc::make_mut(&mut next.block_hashes).keep(window);
        }
        for hash in &record.block_hashes {
            Arc::make_mut(&mut next.block_hashes).add(hash.clone(), window);
        }
        if let Some(change) = &record.ledger {
            next.ledger = next.ledger.apply(change, record.time_ms)?;
        }
        Ok(next)
    }

    /// Removed parts whose objects are all gone are told of no longer: of many small inserts they would be millions.
    pub fn forget_swept(&mut self, gone: &HashSet<String>) {
        if gone.is_empty() {
            return;
        }
        self.removed.retain(|removed| !removed.part.objects().all(|key| gone.contains(key)));
        self.removed_objects.retain(|removed| !gone.contains(&removed.key));
    }

    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            parts: self.parts.values().cloned().collect(),
            removed: self.removed.clone(),
            next_block: self.next_block,
            detached: self.detached.clone(),
            mutations: self.mutations.clone(),
            insert_ids: self.insert_ids.order.iter().cloned().collect(),
            block_hashes: self.block_hashes.order.iter().cloned().collect(),
            loads: self.ledger.entries(),
            removed_objects: self.removed_objects.clone(),
        }
    }

    pub fn from_snapshot(version: u64, snapshot: &Snapshot) -> State {
        let remember = |names: &[String]| {
            let mut remembered = Remembered::default();
            names.iter().for_each(|name| remembered.add(name.clone(), usize::MAX));
            Arc::new(remembered)
        };
        State {
            version,
            parts: snapshot
                .parts
                .iter()
                .map(|part| ((Arc::from(part.partition_id.as_str()), part.min_block), part.clone()))
                .collect(),
            removed: snapshot.removed.clone(),
            next_block: snapshot.next_block,
            detached: snapshot.detached.clone(),
            mutations: snapshot.mutations.clone(),
            insert_ids: remember(&snapshot.insert_ids),
            block_hashes: remember(&snapshot.block_hashes),
            ledger: Ledger::of_entries(&snapshot.loads),
            removed_objects: snapshot.removed_objects.clone(),
            rows: snapshot.parts.iter().map(|part| part.rows).sum(),
            bytes: snapshot.parts.iter().map(|part| part.bytes).sum(),
        }
    }

    /// Rows that were dropped or detached may be inserted again: blocks of partitions that have no part any more are not known, nor are
    /// tokens when the table is empty.
    fn forget_inserts(&mut self, dropped: &[Arc<PartEntry>]) {
        if self.parts.is_empty() {
            self.insert_ids = Arc::default();
            self.block_hashes = Arc::default();
            return;
        }
        let there: HashSet<&str> = self.parts.keys().map(|(partition, _)| &**partition).collect();
        let gone: HashSet<&str> =
            dropped.iter().map(|part| &part.partition_id[..]).filter(|partition| !there.contains(partition)).collect();
        // A hash is `<partition>_<digits>`.
        Arc::make_mut(&mut self.block_hashes)
            .forget(|hash| hash.rsplit_once('_').is_some_and(|(partition, _)| gone.contains(partition)));
    }

    /// Parts that went through mutations without having a row to change.
    fn pass(&mut self, record: &Record) {
        if record.passed.is_empty() {
            return;
        }
        let passed: HashMap<&str, i64> = record.passed.iter().map(|(name, number)| (name.as_str(), *number)).collect();
        for part in self.parts.values_mut() {
            let Some(number) = passed.get(part.name.as_str()).copied() else { continue };
            match record.names_passed {
                true => *part = Arc::new(part.mutated(number)),
                false => Arc::make_mut(part).mutation = number,
            }
        }
    }

    fn change_projections(&mut self, record: &Record) {
        for change in &record.projected {
            let Some(part) = self.parts.values_mut().find(|part| part.name == change.part) else { continue };
            let projections = &mut Arc::make_mut(part).projections;
            let old = match &change.data {
                Some(data) => projections.insert(change.projection.clone(), data.clone()),
                None => projections.remove(&change.projection),
            };
            if let Some(old) = old.filter(|old| change.data.as_ref().is_none_or(|new| new.key != old.key)) {
                self.removed_objects.push(RemovedObject { key: old.key, removed_ms: record.time_ms });
            }
        }
    }

    /// The parts stay, under a new name: whoever replaces one must have seen which rows it has. What they have of projections
    /// still counts the deleted rows, and goes.
    fn delete_rows(&mut self, record: &Record) {
        for change in &record.deleted {
            let Some(part) = self.parts.values_mut().find(|part| part.name == change.part) else { continue };
            let rows = part.stored_rows() - change.deleted.rows;
            self.rows -= part.rows - rows;
            let gone = part.projections.values().map(|data| &data.key).chain(part.deleted.iter().map(|old| &old.key));
            let gone = gone.map(|key| RemovedObject { key: key.clone(), removed_ms: record.time_ms });
            self.removed_objects.extend(gone);
            let (deleted, projections) = (Some(change.deleted.clone()), BTreeMap::new());
            *part = Arc::new(PartEntry { rows, deleted, projections, ..part.mutated(change.mutation) });
        }
    }

    /// Notes of mutations that no part has to go through any more that they are finished, and forgets old ones.
    fn finish_mutations(&mut self, now_ms: u64) {
        let State { mutations, parts, .. } = self;
        for mutation in mutations.iter_mut().filter(|mutation| mutation.finished_ms.is_none()) {
            if !parts.values().any(|part| mutation.concerns(part)) {
                Arc::make_mut(mutation).finished_ms = Some(now_ms);
            }
        }
        let finished = mutations.iter().filter(|mutation| mutation.finished_ms.is_some()).count();
        let mut forgotten = finished.saturating_sub(FINISHED_MUTATIONS_KEPT);
        mutations.retain(|mutation| {
            let goes = forgotten > 0 && mutation.finished_ms.is_some();
            forgotten -= usize::from(goes);
            !goes
        });
    }

    /// The mutations that a part still has to go through, in their order.
    pub fn mutations_of<'a>(&'a self, part: &'a PartEntry) -> impl Iterator<Item = &'a Arc<MutationEntry>> + 'a {
        self.mutations.iter().filter(|mutation| mutation.concerns(part))
    }

    /// The number of the first mutation that a part still has to go through; parts with different ones are not merged.
    pub fn next_mutation(&self, part: &PartEntry) -> Option<i64> {
        self.mutations_of(part).next().map(|mutation| mutation.number)
    }

    /// The parts by partition, each list in the order of blocks.
    pub fn partitions(&self) -> BTreeMap<Arc<str>, Vec<Arc<PartEntry>>> {
        let mut partitions: BTreeMap<Arc<str>, Vec<Arc<PartEntry>>> = BTreeMap::new();
        for ((partition, _), part) in &self.parts {
            partitions.entry(partition.clone()).or_default().push(part.clone());
        }
        partitions
    }
}
