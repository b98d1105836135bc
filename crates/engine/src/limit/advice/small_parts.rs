//! Fewer parts. A query reads many parts with few rows in each, as many small inserts leave them.
//!
//! Gain: each part costs opening it (its footer is decoded), and two reads before its rows come (of the footer and of the
//! columns), which one part has once. Cores share the decoding; reads that go to a store are requests, of which as many are in
//! flight as the store takes. Of a disk, all waiting that the bytes do not explain is for reads to begin, and parts share it.

use gristmill_calibration::Resource;
use gristmill_introspect::limit::Advice;
use gristmill_mergetree::read::TableRead;

use super::super::least::Least;
use super::{Facts, table_name};

/// Fewer parts are no burden.
const PARTS_MIN: u64 = 16;
/// Parts of more bytes are large enough.
const PART_BYTES_MAX: u64 = 4 << 20;
/// Reads of a part before its rows come.
const READS: f64 = 2.0;

/// More of the time that reading may have taken is not promised.
const SURE: f64 = 0.9;

pub(super) fn rule(facts: &Facts<'_>) -> Option<Advice> {
    let is_small = |read: &&TableRead| read.parts >= PARTS_MIN && read.bytes / read.parts <= PART_BYTES_MAX;
    let read = facts.reads.iter().filter(is_small).max_by_key(|read| read.parts)?;
    let opened = facts.calibration.value(Resource::ParquetOpen, "")?;
    let cores = facts.cores.min(facts.threads).max(1) as f64;
    let fewer = (read.parts - 1) as f64;
    let decoding = fewer / opened / cores;
    // Each part's columns are begun anew: that is at least as much as its footer.
    let beginning = decoding * READS;
    let waiting = match facts.requests.first_byte.filter(|_| facts.requests.count > 0) {
        Some(first_byte) => fewer * READS * first_byte / facts.requests.at_once.max(1) as f64,
        None => 0.0,
    };
    let parts: u64 = facts.reads.iter().map(|read| read.parts).sum();
    let bytes: u64 = facts.reads.iter().map(|read| read.bytes).sum();
    let flowing = Least::of_disk(bytes, facts.calibration).unwrap_or(facts.times.disk);
    let seeking = (facts.times.disk - flowing).max(0.0) * fewer / parts as f64;
    let gain = (decoding + beginning + waiting + seeking).min(facts.reading_at_most() * SURE);
    let table = table_name(read);
    Some(Advice {
        rule: "small_parts",
        reason: format!(
            "{} parts of {table} are read, of {} bytes in the mean: opening them takes longer than reading them",
            read.parts,
            read.bytes / read.parts
        ),
        change: format!("OPTIMIZE TABLE {table} FINAL"),
        gain,
    })
}
