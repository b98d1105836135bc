//! The disk of the data folder: reading in order, and from anywhere, with several reads at a time.
//!
//! A file is written, synced, and read around the page cache (`O_DIRECT`). Where the file system does not allow that, the
//! kernel is asked to forget the file before it is read, and the figures may be those of the page cache: the calibration
//! says so. The file goes when this ends, whatever ended it.

use std::fs::File;
#[cfg(target_os = "linux")]
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::FileExt;
#[cfg(target_os = "linux")]
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use gristmill_base::spending::{self, Blocked};
use gristmill_base::{Error, ErrorCode, Result, ResultExt, machine};

use super::data::Scatter;
use super::{Bench, Figures, cores};
use crate::figures::Resource;

/// What a file system may want of places and lengths of direct reads.
const ALIGNMENT: usize = 4096;
const BLOCK_BYTES: usize = 1 << 20;
const PAGE_BYTES: usize = 4096;
/// Of the file system that may be taken for a moment.
const FREE_SHARE: u64 = 8;
/// Reads of one thread in one run.
const BLOCKS_A_RUN: u64 = 8;
const PAGES_A_RUN: u64 = 128;

/// Removed when dropped.
struct Probe(PathBuf);

impl Drop for Probe {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Whether the disk itself was read. Errors: those of the file system.
pub fn measure(bench: &Bench<'_>, folder: &Path, figures: &mut Figures) -> Result<bool> {
    let what = || format!("while measuring the disk of {}", folder.display());
    let blocks = bench.sized(48, 256);
    let free = machine::filesystem(folder).context(what)?.available / FREE_SHARE;
    if free < blocks * BLOCK_BYTES as u64 {
        return Err(Error::new(ErrorCode::NOT_ENOUGH_SPACE, "Too little is free there").with_context(what()));
    }
    let probe = Probe(folder.join(format!("calibration-{}.tmp", std::process::id())));
    spending::blocked(Blocked::Disk, || write(bench, &probe.0, blocks)).context(what)?;
    let (file, is_direct) = open(&probe.0).context(what)?;
    let mut next = 0;
    for at_a_time in [1u64, 4] {
        let rate = bench.rate_of_runs(|| {
            let first = next;
            next += BLOCKS_A_RUN * at_a_time;
            let run = cores::on_threads(at_a_time as usize, |thread| {
                let mut buffer = Aligned::new(BLOCK_BYTES);
                let mut read = || -> Result<u64> {
                    for read in 0..BLOCKS_A_RUN {
                        let block = (first + read * at_a_time + thread as u64) % blocks;
                        file.read_exact_at(buffer.bytes(), block * BLOCK_BYTES as u64)?;
                    }
                    Ok(BLOCKS_A_RUN * BLOCK_BYTES as u64)
                };
                spending::blocked(Blocked::Disk, &mut read)
            })?;
            if !is_direct && next >= blocks {
                forget(&file);
            }
            Ok(run)
        })?;
        figures.add(Resource::DiskSequential, "", at_a_time, rate);
    }
    let pages = blocks * (BLOCK_BYTES / PAGE_BYTES) as u64;
    let mut run = 0u64;
    for at_a_time in [1u64, 4, 16] {
        let rate = bench.rate_of_runs(|| {
            run += 1;
            let salt = run;
            if !is_direct {
                forget(&file);
            }
            cores::on_threads(at_a_time as usize, |thread| {
                let (mut buffer, mut scatter) = (Aligned::new(PAGE_BYTES), Scatter::new());
                let places = (thread as u64 + 1) * 7919 + salt * 104_729;
                let mut read = || -> Result<u64> {
                    for _ in 0..PAGES_A_RUN {
                        let page = scatter.number().wrapping_add(places) % pages;
                        file.read_exact_at(buffer.bytes(), page * PAGE_BYTES as u64)?;
                    }
                    Ok(PAGES_A_RUN)
                };
                spending::blocked(Blocked::Disk, &mut read)
            })
        })?;
        figures.add(Resource::DiskRandom, "", at_a_time, rate);
    }
    Ok(is_direct)
}

/// Bytes that nothing below can leave out as zeros or as repeated.
fn write(bench: &Bench<'_>, path: &Path, blocks: u64) -> Result<()> {
    let mut file = File::create(path)?;
    let mut scatter = Scatter::new();
    for _ in 0..blocks {
        bench.check()?;
        let block: Vec<u8> = (0..BLOCK_BYTES / 8).flat_map(|_| scatter.number().to_le_bytes()).collect();
        file.write_all(&block)?;
    }
    file.sync_all()?;
    Ok(())
}

#[cfg(target_os = "linux")]
fn open(path: &Path) -> Result<(File, bool)> {
    let flags = rustix::fs::OFlags::DIRECT.bits() as i32;
    let direct = OpenOptions::new().read(true).custom_flags(flags).open(path);
    if let Ok(file) = direct
        && file.read_exact_at(Aligned::new(PAGE_BYTES).bytes(), 0).is_ok()
    {
        return Ok((file, true));
    }
    Ok((File::open(path)?, false))
}

#[cfg(not(target_os = "linux"))]
fn open(path: &Path) -> Result<(File, bool)> {
    Ok((File::open(path)?, false))
}

/// Asks the kernel to keep nothing of the file in memory; it may do otherwise.
fn forget(file: &File) {
    #[cfg(target_os = "linux")]
    let _ = rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed);
    #[cfg(not(target_os = "linux"))]
    let _ = file;
}

/// Bytes that begin where direct reads want them.
struct Aligned {
    bytes: Vec<u8>,
    from: usize,
    length: usize,
}

impl Aligned {
    fn new(length: usize) -> Aligned {
        let bytes = vec![0; length + ALIGNMENT];
        let from = bytes.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT);
        Aligned { bytes, from, length }
    }

    fn bytes(&mut self) -> &mut [u8] {
        &mut self.bytes[self.from..self.from + self.length]
    }
}
