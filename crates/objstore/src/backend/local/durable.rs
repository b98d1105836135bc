//! Making files outlast a loss of power, one at a time or many at once.
//!
//! A sync waits for the disk and for the file system's journal. A load that makes a thousand parts would wait a thousand
//! times, and one that makes a large part would write it all in the end. So where a commit decides what counts, files are
//! named unsynced: their bytes begin to go to the disk as they are written, without being waited for, and the commit
//! syncs all files that it names. Very many are synced by one flush of their file system first; what errors that does not
//! tell, the sync of each file tells, which finds nothing left to write.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::syscalls;

/// Files from which on the file system is flushed first.
const FLUSH_FROM: usize = 64;

/// Syncs files, and the folders that hold their names.
pub(super) fn sync_files(paths: &[PathBuf]) -> io::Result<()> {
    if let Some(first) = paths.first().filter(|_| paths.len() >= FLUSH_FROM) {
        flush_file_system(&File::open(first)?)?;
    }
    for path in paths {
        syscalls::sync(|| File::open(path)?.sync_data())?;
    }
    let mut folders: Vec<&Path> = paths.iter().filter_map(|path| path.parent()).collect();
    folders.sort_unstable();
    folders.dedup();
    folders.into_iter().try_for_each(syscalls::sync_folder)
}

/// Has the kernel begin to write bytes to the disk. Nothing is promised, so errors are left to the sync.
#[cfg(target_os = "linux")]
pub(super) fn begin_writing(file: &File, offset: u64, length: u64) {
    use std::os::fd::AsRawFd;
    let (Ok(offset), Ok(length)) = (i64::try_from(offset), i64::try_from(length)) else { return };
    // SAFETY: the descriptor is open as long as `file` is borrowed; no memory is touched.
    unsafe { libc::sync_file_range(file.as_raw_fd(), offset, length, libc::SYNC_FILE_RANGE_WRITE) };
}

#[cfg(not(target_os = "linux"))]
pub(super) fn begin_writing(_file: &File, _offset: u64, _length: u64) {}

/// Writes everything that waits in the file's file system.
#[cfg(target_os = "linux")]
fn flush_file_system(file: &File) -> io::Result<()> {
    use std::os::fd::AsRawFd;
    // SAFETY: as above.
    match unsafe { libc::syncfs(file.as_raw_fd()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(not(target_os = "linux"))]
fn flush_file_system(_file: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_of_files_is_synced_and_a_missing_one_is_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let paths: Vec<PathBuf> = (0..FLUSH_FROM + 1).map(|number| folder.path().join(number.to_string())).collect();
        for path in &paths {
            std::fs::write(path, "bytes").expect("written");
            begin_writing(&File::open(path).expect("opened"), 0, 5);
        }
        sync_files(&paths).expect("synced");
        sync_files(&paths[..2]).expect("synced");
        sync_files(&[]).expect("nothing to do");
        std::fs::remove_file(&paths[1]).expect("removed");
        assert_eq!(sync_files(&paths).expect_err("it is gone").kind(), io::ErrorKind::NotFound);
    }
}
