//! A scan of some row groups of some files, which tells how many rows each file gave: a step of a load that can be run
//! again. A file of a text format has one group.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use gristmill_catalog::Groups;

#[derive(Debug, Default)]
pub struct ScanStep {
    files: HashMap<String, StepFile>,
    /// Nothing is left to read: a scan whose streams end before that ended badly.
    ended: AtomicBool,
}

#[derive(Debug)]
struct StepFile {
    groups: Groups,
    /// Rows that the scan gave.
    rows: AtomicU64,
}

impl ScanStep {
    /// Keys of files, and which groups of each are read.
    pub fn new(files: impl IntoIterator<Item = (String, Groups)>) -> ScanStep {
        let file = |(key, groups)| (key, StepFile { groups, rows: AtomicU64::new(0) });
        ScanStep { files: files.into_iter().map(file).collect(), ended: AtomicBool::new(false) }
    }

    pub fn takes(&self, key: &str, group: usize) -> bool {
        self.files.get(key).is_some_and(|file| file.groups.contains(group as u32))
    }

    pub fn count(&self, key: &str, rows: u64) {
        if let Some(file) = self.files.get(key) {
            file.rows.fetch_add(rows, Ordering::Relaxed);
        }
    }

    /// Rows that the file gave.
    pub fn rows(&self, key: &str) -> u64 {
        self.files.get(key).map_or(0, |file| file.rows.load(Ordering::Relaxed))
    }

    pub(super) fn has_ended(&self) {
        self.ended.store(true, Ordering::Release);
    }

    /// Whether every group was read to its end.
    pub fn is_whole(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }
}
