//! The ledger of loads: for each load id, which row groups of which version of which files are in the table (I-4). It is a
//! part of the state, so rows and what is said of them become visible in one version, and it goes through snapshots as the
//! parts do.
//!
//! A change adds: its row groups must be new to the load and of the version of the file that the load has rows of already.
//! A file of which nothing was loaded may come in another version: that is a file that failed and was repaired. Nothing
//! else is ever taken back, except a load as a whole.
//!
//! Growth: an entry a file, whatever its row groups, since ranges join. Loads that rest for `load_ledger_lifetime` go with
//! the next commit of another load, all go when the table is emptied, and `SYSTEM DROP LOAD LEDGER` drops at will.

use std::collections::BTreeMap;
use std::sync::Arc;

use gristmill_base::{Error, Result};
use gristmill_catalog::{FileProgress, Groups, LedgerRow};

use super::v1::{FileEntry, LedgerChange, LoadEntry};

/// Cheap to clone: every state has one.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    loads: Arc<BTreeMap<String, Arc<Load>>>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Load {
    /// See `LoadRequest::query`.
    pub query: String,
    /// Of the last commit.
    pub time_ms: u64,
    files: BTreeMap<Arc<str>, Arc<FileProgress>>,
}

impl Load {
    pub fn file(&self, path: &str) -> Option<&FileProgress> {
        self.files.get(path).map(Arc::as_ref)
    }
}

impl Ledger {
    pub fn is_empty(&self) -> bool {
        self.loads.is_empty()
    }

    pub fn load(&self, id: &str) -> Option<&Arc<Load>> {
        self.loads.get(id)
    }

    pub fn ids(&self) -> Vec<String> {
        self.loads.keys().cloned().collect()
    }

    /// Loads whose last commit is so long ago that they are forgotten. `lifetime_ms` 0: none ever is.
    pub fn expired(&self, now_ms: u64, lifetime_ms: u64) -> Vec<String> {
        let is_old = |load: &Load| lifetime_ms > 0 && load.time_ms.saturating_add(lifetime_ms) <= now_ms;
        self.loads.iter().filter(|(_, load)| is_old(load)).map(|(id, _)| id.clone()).collect()
    }

    /// I-4: whether a change may follow; if not, why.
    pub fn check(&self, change: &LedgerChange) -> Result<(), String> {
        let load = self.loads.get(&change.load_id).filter(|_| !change.dropped.contains(&change.load_id));
        for (at, file) in change.files.iter().enumerate() {
            let new = Groups::of_ranges(&file.done);
            if change.files[..at].iter().any(|other| other.path == file.path) {
                return Err(format!("a commit names file {} twice", file.path));
            }
            if new.end() > file.groups {
                return Err(format!("file {} has {} row groups, group {} was loaded", file.path, file.groups, new.end()));
            }
            let Some(known) = load.and_then(|load| load.file(&file.path)).filter(|known| !known.done.is_empty()) else {
                continue;
            };
            if known.version != file.version {
                return Err(format!("file {} was loaded as {} and comes as {}", file.path, known.version, file.version));
            }
            if known.done.meets(&new) {
                return Err(format!("row groups of file {} were loaded before", file.path));
            }
        }
        Ok(())
    }

    /// The ledger after a change. Errors: LOGICAL_ERROR where `check` would refuse it.
    pub fn apply(&self, change: &LedgerChange, time_ms: u64) -> Result<Ledger> {
        self.check(change).map_err(|what| Error::logical(format!("I-4 is broken: {what}")))?;
        let mut loads = self.loads.as_ref().clone();
        for id in &change.dropped {
            loads.remove(id);
        }
        if !change.load_id.is_empty() {
            let load = Arc::make_mut(loads.entry(change.load_id.clone()).or_default());
            load.query.clone_from(&change.query);
            load.time_ms = time_ms;
            for file in &change.files {
                load.add(file, time_ms);
            }
        }
        Ok(Ledger { loads: Arc::new(loads) })
    }

    /// For a snapshot.
    pub fn entries(&self) -> Vec<LoadEntry> {
        let files = |load: &Load| load.files.iter().map(|(path, file)| file_entry(path, file)).collect();
        let entry = |(id, load): (&String, &Arc<Load>)| LoadEntry {
            load_id: id.clone(),
            query: load.query.clone(),
            time_ms: load.time_ms,
            files: files(load),
        };
        self.loads.iter().map(entry).collect()
    }

    pub fn of_entries(entries: &[LoadEntry]) -> Ledger {
        let load = |entry: &LoadEntry| {
            let mut load = Load { query: entry.query.clone(), time_ms: entry.time_ms, files: BTreeMap::new() };
            entry.files.iter().for_each(|file| load.add(file, file.time_ms));
            (entry.load_id.clone(), Arc::new(load))
        };
        Ledger { loads: Arc::new(entries.iter().map(load).collect()) }
    }

    /// For `system.load_ledger`.
    pub fn rows(&self) -> Vec<LedgerRow> {
        let rows = self.loads.iter().flat_map(|(id, load)| load.files.iter().map(move |(path, file)| (id, path, file)));
        rows.map(|(id, path, file)| LedgerRow {
            load_id: id.clone(),
            path: path.to_string(),
            progress: file.as_ref().clone(),
        })
        .collect()
    }
}

impl Load {
    fn add(&mut self, entry: &FileEntry, time_ms: u64) {
        let new = Groups::of_ranges(&entry.done);
        let known = self.files.get(entry.path.as_str()).filter(|known| !known.done.is_empty());
        let progress = FileProgress {
            version: entry.version.clone(),
            groups_total: entry.groups,
            done: known.map_or_else(|| new.clone(), |known| known.done.union(&new)),
            rows: known.map_or(0, |known| known.rows) + entry.rows,
            time_ms,
            error: entry.error.clone(),
        };
        self.files.insert(Arc::from(entry.path.as_str()), Arc::new(progress));
    }
}

fn file_entry(path: &str, file: &FileProgress) -> FileEntry {
    FileEntry {
        path: path.to_string(),
        version: file.version.clone(),
        groups: file.groups_total,
        done: file.done.ranges().to_vec(),
        rows: file.rows,
        time_ms: file.time_ms,
        error: file.error.clone(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    const LOADS: [&str; 2] = ["a", "b"];
    const FILES: [&str; 3] = ["x", "y", "z"];
    const GROUPS: u32 = 6;

    /// What one commit brings of one file.
    #[derive(Clone, Debug)]
    struct Step {
        load: usize,
        file: usize,
        version: u8,
        groups: BTreeSet<u32>,
        fails: bool,
        drops: Option<usize>,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let groups = prop::collection::btree_set(0..GROUPS, 0..4);
        let step =
            (0..LOADS.len(), 0..FILES.len(), 0u8..2, groups, any::<bool>(), prop::option::weighted(0.1, 0..LOADS.len()));
        let step =
            step.prop_map(|(load, file, version, groups, fails, drops)| Step { load, file, version, groups, fails, drops });
        prop::collection::vec(step, 0..40)
    }

    fn change(step: &Step) -> LedgerChange {
        let groups: Vec<(u32, u32)> = step.groups.iter().map(|group| (*group, group + 1)).collect();
        LedgerChange {
            load_id: LOADS[step.load].to_string(),
            query: "q".to_string(),
            files: vec![FileEntry {
                path: FILES[step.file].to_string(),
                version: step.version.to_string(),
                groups: GROUPS,
                done: groups,
                rows: 10 * step.groups.len() as u64,
                time_ms: 0,
                error: step.fails.then(|| "unreadable".to_string()),
            }],
            dropped: step.drops.iter().map(|load| LOADS[*load].to_string()).collect(),
        }
    }

    /// By load and file: the version and the groups that are loaded.
    type Model = BTreeMap<(usize, usize), (u8, BTreeSet<u32>)>;

    /// Whether the step may follow, and the model after it.
    fn model_after(model: &Model, step: &Step) -> Option<Model> {
        let mut next = model.clone();
        if let Some(dropped) = step.drops {
            next.retain(|(load, _), _| *load != dropped);
        }
        let (version, done) = next.entry((step.load, step.file)).or_default();
        if !done.is_empty() && (*version != step.version || !done.is_disjoint(&step.groups)) {
            return None;
        }
        *version = step.version;
        done.extend(&step.groups);
        Some(next)
    }

    proptest! {
        /// Whatever comes in whatever order, through however many snapshots: each row group counts once, of one version.
        #[test]
        fn the_ledger_is_a_set_of_row_groups_of_one_version_a_file(steps in steps(), snapshots in any::<u64>()) {
            let (mut ledger, mut model) = (Ledger::default(), Model::new());
            for (at, step) in steps.iter().enumerate() {
                let change = change(step);
                let expected = model_after(&model, step);
                prop_assert_eq!(ledger.check(&change).is_ok(), expected.is_some());
                prop_assert_eq!(ledger.apply(&change, at as u64).is_ok(), expected.is_some());
                let Some(expected) = expected else { continue };
                ledger = ledger.apply(&change, at as u64).expect("it was checked");
                if snapshots >> (at % 64) & 1 == 1 {
                    let again = Ledger::of_entries(&ledger.entries());
                    prop_assert_eq!(again.rows(), ledger.rows());
                    ledger = again;
                }
                model = expected;
                for ((load, file), (version, done)) in &model {
                    let known = ledger.load(LOADS[*load]).and_then(|load| load.file(FILES[*file])).expect("in the model");
                    prop_assert_eq!(&known.done.iter().collect::<BTreeSet<_>>(), done);
                    prop_assert_eq!(known.rows, 10 * done.len() as u64);
                    if !done.is_empty() {
                        prop_assert_eq!(&known.version, &version.to_string());
                    }
                }
            }
        }
    }

    #[test]
    fn a_load_that_rests_too_long_expires_and_a_dropped_one_begins_anew() {
        let change = |id: &str, dropped: &[String]| LedgerChange {
            load_id: id.to_string(),
            dropped: dropped.to_vec(),
            files: vec![FileEntry { path: "f".to_string(), groups: 2, done: vec![(0, 2)], rows: 7, ..FileEntry::default() }],
            ..LedgerChange::default()
        };
        let old = Ledger::default().apply(&change("old", &[]), 1_000).expect("new");
        assert_eq!((old.expired(5_999, 5_000), old.expired(6_000, 5_000)), (vec![], vec!["old".to_string()]));
        assert_eq!(old.expired(u64::MAX, 0), Vec::<String>::new(), "0 keeps for ever");
        old.apply(&change("old", &[]), 2_000).expect_err("I-4");
        let anew = old.apply(&change("old", &old.ids()), 2_000).expect("forgotten with the same commit");
        assert_eq!(anew.rows().len(), 1);
        assert_eq!(anew.rows()[0].progress.rows, 7);
    }
}
