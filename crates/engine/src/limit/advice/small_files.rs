//! Fewer files. A query reads many small files of a store or a disk, where the same rows in few large ones would do.
//!
//! Gain: requests saved. Each file costs as many requests as the query's files did in the mean, and requests go out as many at
//! a time as the store takes; fewer files go in fewer such rounds, and waiting for the network shrinks by that factor. A large
//! file is read in ranges, so rounds do not end with one. Opening a Parquet file decodes its footer and begins each column
//! anew, which cores share and one file has once.

use gristmill_calibration::Resource;
use gristmill_introspect::limit::Advice;
use gristmill_sources::object::reads::FilesRead;

use super::Facts;

/// Fewer files are no burden.
const FILES_MIN: u64 = 16;
/// Files of more bytes are large enough.
const FILE_BYTES_MAX: u64 = 4 << 20;
/// Of a file that rows are joined into, at the least.
const JOINED_BYTES: u64 = 256 << 20;
/// Of a large file that one request asks for.
const RANGE_BYTES: u64 = 8 << 20;
/// Footers and beginnings of columns, each as much as a footer.
const OPENINGS: f64 = 2.0;
/// Of the time spent on waiting for stores, that is for answers to begin.
const PART_OF_ROUNDS: f64 = 0.9;

/// More of the time that reading may have taken is not promised.
const SURE: f64 = 0.9;

pub(super) fn rule(facts: &Facts<'_>) -> Option<Advice> {
    let is_small = |read: &&FilesRead| read.files >= FILES_MIN && read.bytes / read.files <= FILE_BYTES_MAX;
    let read = facts.files.iter().filter(is_small).max_by_key(|read| read.files)?;
    let joined = (read.bytes / JOINED_BYTES).max(1);
    let gain = (opening(facts, read, joined) + waiting(facts, read, joined)).min(facts.reading_at_most() * SURE);
    Some(Advice {
        rule: "small_files",
        reason: format!(
            "{} files are read, of {} bytes in the mean: {} takes longer than reading them",
            read.files,
            read.bytes / read.files,
            if read.is_remote { "asking for them" } else { "opening them" }
        ),
        change: format!("INSERT INTO FUNCTION {} SELECT * FROM {}", read.joined, read.call),
        gain,
    })
}

/// Seconds of decoding footers that would not be.
fn opening(facts: &Facts<'_>, read: &FilesRead, joined: u64) -> f64 {
    let Some(opened) = facts.calibration.value(Resource::ParquetOpen, "").filter(|_| read.is_parquet) else { return 0.0 };
    let cores = facts.cores.min(facts.threads).max(1) as f64;
    read.files.saturating_sub(joined) as f64 * OPENINGS / opened / cores
}

/// Seconds of waiting for requests that would not be.
fn waiting(facts: &Facts<'_>, read: &FilesRead, joined: u64) -> f64 {
    let requests = facts.requests;
    if !read.is_remote || requests.count == 0 {
        return 0.0;
    }
    let of_file = (requests.count / read.files).max(1);
    let left = joined * of_file + read.bytes / RANGE_BYTES;
    let at_once = requests.at_once.min(facts.settings.s3_max_connections).max(1);
    let (before, after) = (requests.count.div_ceil(at_once) as f64, left.div_ceil(at_once) as f64);
    facts.times.network * PART_OF_ROUNDS * (1.0 - after / before).max(0.0)
}
