//! Reading what the page cache holds, on the thread that asks.
//!
//! A read that would wait for the disk belongs on a thread made for that; one that only copies memory costs less than the way
//! there and back. Linux can tell: `openat2` with RESOLVE_CACHED opens a file only where no folder has to be read for it, and
//! `preadv2` with RWF_NOWAIT reads only what is in memory. Where a kernel or a file system knows neither, or a byte is
//! missing, nothing is given, and the caller goes the usual way, which also names what is wrong with the file.

use std::ops::Range;
use std::path::Path;

use bytes::Bytes;

#[cfg(target_os = "linux")]
pub(super) fn read_cached(path: &Path, ranges: &[Range<u64>]) -> Option<Vec<Bytes>> {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};

    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let file = openat2(CWD, path, flags, Mode::empty(), ResolveFlags::CACHED).ok()?;
    ranges.iter().map(|range| read_at(&file, range)).collect()
}

#[cfg(target_os = "linux")]
fn read_at(file: &rustix::fd::OwnedFd, range: &Range<u64>) -> Option<Bytes> {
    use std::io::IoSliceMut;

    use rustix::io::{Errno, ReadWriteFlags, preadv2};

    let mut buffer = vec![0; usize::try_from(range.end.checked_sub(range.start)?).ok()?];
    let mut filled = 0;
    while filled < buffer.len() {
        let rest = &mut [IoSliceMut::new(&mut buffer[filled..])];
        match preadv2(file, rest, range.start + filled as u64, ReadWriteFlags::NOWAIT) {
            Ok(0) => return None,
            Ok(read) => filled += read,
            Err(Errno::INTR) => {}
            Err(_) => return None,
        }
    }
    Some(buffer.into())
}

#[cfg(not(target_os = "linux"))]
pub(super) fn read_cached(_path: &Path, _ranges: &[Range<u64>]) -> Option<Vec<Bytes>> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the kernel and the file system here can tell what is in memory.
    fn works(folder: &Path) -> bool {
        let path = folder.join("probe");
        std::fs::write(&path, "probe").expect("written");
        read_cached(&path, &[0..5]).is_some()
    }

    #[test]
    fn ranges_of_a_file_that_was_just_written_are_in_memory() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        let data: Vec<u8> = (0..100_000u32).map(|at| (at / 7) as u8).collect();
        std::fs::write(&path, &data).expect("written");
        let read = read_cached(&path, &[10..20, 0..100_000, 5..5]);
        assert_eq!(read.is_some(), works(folder.path()));
        if let Some(read) = read {
            assert_eq!(read, [&data[10..20], &data[..], &[]]);
        }
    }

    #[test]
    fn what_is_not_there_is_left_to_the_usual_way() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        std::fs::write(&path, "short").expect("written");
        assert_eq!(read_cached(&path, &[0..6]), None, "beyond the end");
        assert_eq!(read_cached(&folder.path().join("none"), &[0..1]), None);
        assert_eq!(read_cached(folder.path(), &[0..1]), None, "a folder");
    }
}
