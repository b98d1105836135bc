//! The files of a configuration, and whether they are still those that were read.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What tells a file, or the list of a folder, from another of the same name. `None`: it is not there.
type Stamp = Option<(u64, u64, i64, i64)>;

fn stamp(path: &Path) -> Stamp {
    // Of what a link leads to.
    let found = std::fs::metadata(path).ok()?;
    let size = match found.is_dir() {
        true => std::fs::read_dir(path).map_or(0, Iterator::count) as u64,
        false => found.len(),
    };
    Some((found.ino(), size, found.mtime(), found.mtime_nsec()))
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WatchedFiles(BTreeMap<PathBuf, Stamp>);

impl WatchedFiles {
    /// Files as they are now, beside those that are known.
    pub fn add(&mut self, files: impl IntoIterator<Item = PathBuf>) {
        for file in files {
            let now = stamp(&file);
            self.0.entry(file).or_insert(now);
        }
    }

    /// Takes them as they are now; whether one is another than before.
    pub fn have_changed(&mut self) -> bool {
        let before = self.0.clone();
        self.0.iter_mut().for_each(|(file, seen)| *seen = stamp(file));
        before != self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_change_come_and_go() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, others) = (folder.path().join("config.xml"), folder.path().join("config.d"));
        std::fs::write(&file, "<a/>").expect("writes");
        let mut files = WatchedFiles::default();
        files.add([file.clone(), others.clone()]);
        assert!(!files.have_changed());
        std::fs::write(&file, "<a>1</a>").expect("writes");
        assert!(files.have_changed() && !files.have_changed());
        std::fs::create_dir(&others).expect("makes it");
        assert!(files.have_changed());
        std::fs::write(others.join("one.xml"), "").expect("writes");
        assert!(files.have_changed());
        // What is known stays as it was seen.
        std::fs::remove_file(&file).expect("removes");
        files.add([file]);
        assert!(files.have_changed() && !files.have_changed());
    }
}
