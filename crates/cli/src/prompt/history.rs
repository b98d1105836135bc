//! What was typed, in a file: for its owner alone, and without the secrets that statements hold.

use std::fs::{self, OpenOptions, Permissions};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use gristmill_base::{Error, ErrorCode, Result, redact};
use reedline::{FileBackedHistory, History, HistoryItem, HistoryItemId, HistorySessionId, SearchQuery};

const LINES_MAX: usize = 10_000;

pub struct HistoryOfStatements(FileBackedHistory);

impl HistoryOfStatements {
    /// Error: CANNOT_OPEN_FILE.
    pub fn open(file: PathBuf) -> Result<Self> {
        let path = file.display().to_string();
        let opened = make_private(&file).and_then(|()| {
            FileBackedHistory::with_file(LINES_MAX, file).map_err(|error| std::io::Error::other(error.to_string()))
        });
        let cannot =
            |error| Error::new(ErrorCode::CANNOT_OPEN_FILE, format!("Cannot open the history file {path}: {error}"));
        opened.map(HistoryOfStatements).map_err(cannot)
    }
}

/// Makes the file where there is none. One of an earlier version may be readable for others.
fn make_private(file: &Path) -> std::io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let opened = OpenOptions::new().append(true).create(true).mode(0o600).open(file)?;
    let metadata = opened.metadata()?;
    let mode = metadata.permissions().mode() & 0o777;
    if metadata.is_file() && mode & 0o077 != 0 {
        // Whoever may write it without owning it goes on.
        let _ = opened.set_permissions(Permissions::from_mode(mode & 0o700));
    }
    Ok(())
}

impl History for HistoryOfStatements {
    fn save(&mut self, item: HistoryItem) -> reedline::Result<HistoryItem> {
        let command_line = redact::statement(&item.command_line);
        self.0.save(HistoryItem { command_line, ..item })
    }

    fn load(&self, id: HistoryItemId) -> reedline::Result<HistoryItem> {
        self.0.load(id)
    }

    fn count(&self, query: SearchQuery) -> reedline::Result<i64> {
        self.0.count(query)
    }

    fn search(&self, query: SearchQuery) -> reedline::Result<Vec<HistoryItem>> {
        self.0.search(query)
    }

    fn update(&mut self, id: HistoryItemId, updater: &dyn Fn(HistoryItem) -> HistoryItem) -> reedline::Result<()> {
        self.0.update(id, updater)
    }

    fn clear(&mut self) -> reedline::Result<()> {
        self.0.clear()
    }

    fn delete(&mut self, id: HistoryItemId) -> reedline::Result<()> {
        self.0.delete(id)
    }

    fn sync(&mut self) -> std::io::Result<()> {
        self.0.sync()
    }

    fn session(&self) -> Option<HistorySessionId> {
        self.0.session()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_its_owners_alone_and_has_no_secrets() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("below/history");
        let mode = || fs::metadata(&file).expect("the file").permissions().mode() & 0o777;
        let mut history = HistoryOfStatements::open(file.clone()).expect("opened");
        assert_eq!(mode(), 0o600);
        for line in ["CREATE USER hh IDENTIFIED BY 'sesame';", "SELECT 'not secret'\nFROM t;"] {
            history.save(HistoryItem::from_command_line(line)).expect("saved");
        }
        history.sync().expect("written");
        let written = fs::read_to_string(&file).expect("the file");
        assert!(
            !written.contains("sesame") && written.contains("IDENTIFIED BY") && written.contains("'not secret'"),
            "{written}"
        );
        drop(history);
        fs::set_permissions(&file, Permissions::from_mode(0o644)).expect("as it was made before");
        HistoryOfStatements::open(file.clone()).expect("opened");
        assert_eq!(mode(), 0o600);
    }
}
