//! Appending to a file: it keeps its name and grows. Where that fails half-way, it gets its old end back. Whoever appends at
//! the same time waits, so that rows of two writers do not mix.
//!
//! Rewriting the file under another name and renaming it would outlast a killed process too, but costs the whole file each
//! time, and of two writers one would lose its rows.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::{make_parents, syscalls};

/// All bytes or none. Gives what the file is then.
pub(super) fn append(path: &Path, mut from: impl Read) -> io::Result<Metadata> {
    make_parents(path)?;
    let mut file = open_to_append(path)?;
    let before = file.metadata()?;
    if !before.is_file() {
        io::copy(&mut from, &mut file)?;
        return Ok(before);
    }
    let copied = syscalls::write(|| io::copy(&mut from, &mut file).map(drop));
    let appended = copied.and_then(|()| syscalls::sync(|| file.sync_all()));
    if let Err(error) = appended {
        file.set_len(before.len())?;
        return Err(error);
    }
    file.metadata()
}

/// The file, locked. One that lost its name while the lock was waited for is not the one to write to.
fn open_to_append(path: &Path) -> io::Result<File> {
    loop {
        let file = File::options().append(true).create(true).open(path)?;
        let opened = file.metadata()?;
        if !opened.is_file() {
            return Ok(file);
        }
        file.lock()?;
        match fs::metadata(path) {
            Ok(named) if (named.dev(), named.ino()) == (opened.dev(), opened.ino()) => return Ok(file),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives some bytes, then an error.
    struct Broken(bool);

    impl Read for Broken {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if std::mem::replace(&mut self.0, true) {
                return Err(io::ErrorKind::StorageFull.into());
            }
            buffer[..4].copy_from_slice(b"half");
            Ok(4)
        }
    }

    #[test]
    fn what_fails_half_way_leaves_the_file_as_it_was() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("deep/file");
        append(&path, &b"one\n"[..]).expect("appends to a file that is not there");
        append(&path, &b"two\n"[..]).expect("appends");
        append(&path, Broken(false)).expect_err("fails");
        assert_eq!(fs::read(&path).expect("reads"), b"one\ntwo\n");
    }

    #[test]
    fn writers_at_the_same_time_do_not_mix() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("file");
        std::thread::scope(|scope| {
            for digit in b"0123456789" {
                let path = &path;
                scope.spawn(move || append(path, &vec![*digit; 100_000][..]).expect("appends"));
            }
        });
        let bytes = fs::read(&path).expect("reads");
        assert_eq!(bytes.len(), 1_000_000);
        assert!(bytes.chunks(100_000).all(|run| run.iter().all(|byte| *byte == run[0])));
    }
}
