//! The gear that an INSERT runs in, as people are told of it: what it is, why, and what would change it.

use std::fmt;

use gristmill_base::units;
use parking_lot::Mutex;

use crate::QueryContext;

/// An INSERT of fewer rows says nothing of its gear when it is over.
const ROWS_WORTH_TELLING: u64 = 1000;

/// What an INSERT waits for most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InsertLimit {
    /// Nothing has been measured yet.
    #[default]
    Unknown,
    /// Lanes wait for rows.
    Source,
    /// All cores are busy.
    Cores,
    /// Cores idle while blocks are written.
    Storage,
    /// Blocks are smaller than they should be, because memory ends.
    Memory,
    /// Inserts were slowed down until merges catch up.
    Merges,
}

/// A gear, and how it came to be.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InsertGear {
    /// Lanes that write side by side.
    pub lanes: usize,
    /// Bytes in memory from which on a lane writes its block.
    pub block_bytes: u64,
    /// Rows from which on it does. 0: only the bytes count.
    pub block_rows: u64,
    /// Parts of a block that are written at a time.
    pub parts_at_once: usize,
    /// Times that it changed since the INSERT began.
    pub shifts: u64,
    pub limit: InsertLimit,
    /// Settings that decide in its place.
    pub set: Vec<&'static str>,
    /// Why a block is as large as it is.
    pub reason: &'static str,
}

impl InsertLimit {
    /// What the INSERT waits for, and what would make it faster.
    fn text(self) -> &'static str {
        match self {
            InsertLimit::Unknown => "",
            InsertLimit::Source => "the lanes wait for rows: a faster source would make it faster, more lanes would not",
            InsertLimit::Cores => "all cores are busy: more cores would make it faster",
            InsertLimit::Storage => "cores idle while parts are written: faster storage of the table would make it faster",
            InsertLimit::Memory => "memory bounds the blocks: a higher max_memory_usage would make fewer, larger parts",
            InsertLimit::Merges => "merges are behind: fewer partitions or larger blocks would make fewer parts",
        }
    }
}

impl fmt::Display for InsertGear {
    /// `2 lanes, blocks of 256.00 MiB (…), 16 parts at a time, 3 shifts; all cores are busy: …`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lanes = if self.lanes == 1 { "lane" } else { "lanes" };
        write!(f, "{} {lanes}, blocks of ", self.lanes)?;
        match (self.block_rows, self.block_bytes) {
            (0, 0) => write!(f, "any batch")?,
            (rows, 0) => write!(f, "{rows} rows")?,
            (0, bytes) => write!(f, "{}", units::bytes_binary(bytes as f64))?,
            (rows, bytes) => write!(f, "{rows} rows or {}", units::bytes_binary(bytes as f64))?,
        }
        if !self.reason.is_empty() {
            write!(f, " ({})", self.reason)?;
        }
        write!(f, ", {} parts at a time", self.parts_at_once)?;
        if self.shifts > 0 {
            write!(f, ", {} shift{}", self.shifts, if self.shifts == 1 { "" } else { "s" })?;
        }
        if !self.set.is_empty() {
            write!(f, ", as set by {}", self.set.join(", "))?;
        }
        match self.limit.text() {
            "" => Ok(()),
            text => write!(f, "; {text}"),
        }
    }
}

/// Where a query keeps the gear of its INSERT.
#[derive(Debug, Default)]
pub struct GearShown {
    gear: Mutex<Option<InsertGear>>,
    /// In the words of the server that runs the INSERT, where that is another one.
    told: Mutex<Option<String>>,
}

impl GearShown {
    pub fn show(&self, gear: InsertGear) {
        *self.gear.lock() = Some(gear);
    }

    /// `None`: the query inserts nothing into a table with a gear.
    pub fn shown(&self) -> Option<InsertGear> {
        self.gear.lock().clone()
    }

    /// Takes what a server tells of an INSERT of its own.
    pub fn tell(&self, text: String) {
        *self.told.lock() = Some(text);
    }
}

impl QueryContext {
    /// The gear that an INSERT ran in, for who asks when it is over. `None`: it wrote little, or has none.
    pub fn insert_gear_at_end(&self) -> Option<String> {
        if self.progress.snapshot().written_rows < ROWS_WORTH_TELLING {
            return None;
        }
        let told = self.insert_gear.told.lock().clone();
        told.or_else(|| self.insert_gear.shown().map(|gear| gear.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gear_is_told_in_one_line() {
        let gear = InsertGear {
            lanes: 2,
            block_bytes: 256 << 20,
            parts_at_once: 16,
            shifts: 1,
            limit: InsertLimit::Source,
            reason: "the least",
            ..InsertGear::default()
        };
        assert_eq!(
            gear.to_string(),
            "2 lanes, blocks of 256.00 MiB (the least), 16 parts at a time, 1 shift; the lanes wait for rows: a faster source \
             would make it faster, more lanes would not"
        );
        let set =
            InsertGear { lanes: 1, block_rows: 1000, set: vec!["min_insert_block_size_rows"], ..InsertGear::default() };
        assert_eq!(set.to_string(), "1 lane, blocks of 1000 rows, 0 parts at a time, as set by min_insert_block_size_rows");
    }

    #[test]
    fn a_small_insert_does_not_tell_its_gear_at_its_end() {
        let context = QueryContext::background("test");
        context.insert_gear.show(InsertGear { lanes: 2, block_bytes: 1 << 20, parts_at_once: 4, ..InsertGear::default() });
        context.progress.wrote(999, 1);
        assert_eq!(context.insert_gear_at_end(), None);
        context.progress.wrote(1, 1);
        assert_eq!(context.insert_gear_at_end().as_deref(), Some("2 lanes, blocks of 1.00 MiB, 4 parts at a time"));
        context.insert_gear.tell("as the server says".to_string());
        assert_eq!(context.insert_gear_at_end().as_deref(), Some("as the server says"));
    }
}
