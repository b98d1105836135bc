//! One version of the manifest as an object, `manifest/<version, 20 digits>`.
//!
//! Its payload (`object`) is JSON, compressed with zstd: what changed (parts in, parts out, the insert's id) and, in every
//! `SNAPSHOT_INTERVAL`th version, the whole state after it: a table is opened by reading back to the nearest snapshot.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::RowChange;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::load::{LedgerChange, LoadEntry};
use super::object;
use crate::part::WrittenPart;
use crate::ttl::ranges::TtlRange;

pub const FOLDER: &str = "manifest/";
/// Versions from one snapshot to the next.
pub const SNAPSHOT_INTERVAL: u64 = 32;

/// A part as the manifest knows it: all that choosing parts for a query or a merge needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartEntry {
    /// `<partition>_<min block>_<max block>_<level>`. Block numbers are given by the commit, so that their order is
    /// that of the commits and no insert can fall between the parts of a merge.
    pub name: String,
    /// The object, relative to the table's folder.
    pub key: String,
    pub partition_id: String,
    /// The partition key's value as text, `tuple()` where there is no key.
    pub partition: String,
    pub min_block: i64,
    pub max_block: i64,
    pub level: u32,
    pub rows: u64,
    /// Size of the object.
    pub bytes: u64,
    pub uncompressed_bytes: u64,
    pub granules: u64,
    pub tail_offset: u64,
    /// XXH3-64 of the object's bytes from there on; 0 (absent): not known.
    #[serde(default, skip_serializing_if = "is_zero_hash")]
    pub tail_hash: u64,
    pub index_bytes: u64,
    /// Milliseconds since the Unix epoch.
    pub created_ms: u64,
    /// Least and greatest value of each column of the partition key, then of each of its expressions.
    pub ranges: Vec<(Value, Value)>,
    /// Least and greatest value of dates and times outside the partition key, by column: a filter by time leaves the
    /// part out without opening it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub statistics: BTreeMap<String, (Value, Value)>,
    /// Compressed and uncompressed bytes of the skip indexes that the part has, by key.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub skip_indexes: BTreeMap<String, (u64, u64)>,
    /// Of the mutations that the part's rows went through, the last one's number.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub mutation: i64,
    /// Times of the rows by rule of the table's TTL; a rule that is not here was not there when the part was written.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ttl: BTreeMap<String, TtlRange>,
    /// The codec that a rule of the TTL gave the part; empty: none did.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub codec: String,
    /// What the part has of projections, by their keys.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub projections: BTreeMap<String, ProjectionEntry>,
    /// Rows of the object that are no longer rows of the table. `rows` counts the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted: Option<DeletedEntry>,
}

/// Rows that DELETE FROM took out of a part (`part::v1::deleted_rows`): an object of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeletedEntry {
    /// The object, relative to the table's folder.
    pub key: String,
    pub rows: u64,
    /// Size of the object.
    pub bytes: u64,
}

/// Rows of a live part are deleted: all that are, those of before among them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowsDeleted {
    /// The part's name, up to then.
    pub part: String,
    /// The mutation that does it: a part of the part's new name.
    pub mutation: i64,
    pub deleted: DeletedEntry,
}

/// The data of a projection of one part's rows: an object of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectionEntry {
    /// The object, relative to the table's folder.
    pub key: String,
    pub rows: u64,
    /// Size of the object.
    pub bytes: u64,
    pub uncompressed_bytes: u64,
    pub granules: u64,
    pub tail_offset: u64,
    /// XXH3-64 of the object's bytes from there on; 0 (absent): not known.
    #[serde(default, skip_serializing_if = "is_zero_hash")]
    pub tail_hash: u64,
    pub index_bytes: u64,
}

impl ProjectionEntry {
    pub fn of(written: &WrittenPart) -> ProjectionEntry {
        let header = &written.header;
        ProjectionEntry {
            key: written.key.clone(),
            rows: header.rows,
            bytes: written.bytes,
            uncompressed_bytes: header.columns.iter().map(|column| column.uncompressed_bytes).sum(),
            granules: header.granules() as u64,
            tail_offset: written.tail_offset,
            tail_hash: written.tail_hash,
            index_bytes: written.index_bytes,
        }
    }

    /// It is read and merged as a part of a table of the projection's columns.
    pub fn as_part(&self, partition_id: &str, partition: &str, level: u32) -> PartEntry {
        PartEntry {
            name: String::new(),
            key: self.key.clone(),
            partition_id: partition_id.to_string(),
            partition: partition.to_string(),
            min_block: 0,
            max_block: 0,
            level,
            rows: self.rows,
            bytes: self.bytes,
            uncompressed_bytes: self.uncompressed_bytes,
            granules: self.granules,
            tail_offset: self.tail_offset,
            tail_hash: self.tail_hash,
            index_bytes: self.index_bytes,
            created_ms: 0,
            ranges: Vec::new(),
            statistics: BTreeMap::new(),
            skip_indexes: BTreeMap::new(),
            mutation: 0,
            ttl: BTreeMap::new(),
            codec: String::new(),
            projections: BTreeMap::new(),
            deleted: None,
        }
    }
}

/// What a live part has of a projection is other than before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProjectionChange {
    /// The part's name.
    pub part: String,
    /// The projection's key.
    pub projection: String,
    /// `None`: the part has none of it any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<ProjectionEntry>,
}

/// An object that no part names any more, while the part that did is still there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RemovedObject {
    pub key: String,
    pub removed_ms: u64,
}

fn is_zero_hash(hash: &u64) -> bool {
    *hash == 0
}

fn is_zero(number: &i64) -> bool {
    *number == 0
}

impl PartEntry {
    /// All objects of the part.
    pub fn objects(&self) -> impl Iterator<Item = &str> {
        self.sized_objects().map(|(key, _)| key)
    }

    /// All objects of the part, with their bytes.
    pub fn sized_objects(&self) -> impl Iterator<Item = (&str, u64)> {
        let projections = self.projections.values().map(|data| (data.key.as_str(), data.bytes));
        let deleted = self.deleted.iter().map(|deleted| (deleted.key.as_str(), deleted.bytes));
        std::iter::once((self.key.as_str(), self.bytes)).chain(projections).chain(deleted)
    }

    /// Rows of the object, deleted ones among them.
    pub fn stored_rows(&self) -> u64 {
        self.rows + self.deleted.as_ref().map_or(0, |deleted| deleted.rows)
    }

    /// The part's data of a projection, under the part's name.
    pub fn projected(&self, projection: &str) -> Option<PartEntry> {
        let data = self.projections.get(projection)?;
        let entry = data.as_part(&self.partition_id, &self.partition, self.level);
        let (name, created_ms) = (self.name.clone(), self.created_ms);
        let (min_block, max_block) = (self.min_block, self.max_block);
        Some(PartEntry { name, created_ms, min_block, max_block, ..entry })
    }

    /// The part as one whose rows went through mutations up to this number, under the name that says so.
    pub fn mutated(&self, mutation: i64) -> PartEntry {
        let PartEntry { partition_id, min_block, max_block, level, .. } = self;
        let suffix = if mutation == 0 { String::new() } else { format!("_{mutation}") };
        PartEntry { name: format!("{partition_id}_{min_block}_{max_block}_{level}{suffix}"), mutation, ..self.clone() }
    }
}

/// A change of the rows of all parts that were there when it was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MutationEntry {
    /// Its number, a block number: it concerns parts of lower ones.
    pub number: i64,
    /// As they are shown.
    pub commands: Vec<String>,
    pub changes: Vec<RowChange>,
    /// Skip indexes, by key, that parts get (true) or lose, in the order in which it was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skip_indexes: Vec<(String, bool)>,
    /// Projections, by name, that parts get (true) or lose.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub projections: Vec<(String, bool)>,
    /// After them the table's TTL is applied.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub applies_ttl: bool,
    /// The only partition that it concerns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition_id: Option<String>,
    pub created_ms: u64,
    /// When the last part that it concerned had gone through it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_ms: Option<u64>,
}

impl MutationEntry {
    /// What the mutation does: changes of rows, indexes, the table's TTL.
    pub fn all_changes(&self) -> impl Iterator<Item = RowChange> {
        let of_index = |(key, wanted): &(String, bool)| match (key.clone(), wanted) {
            (key, true) => RowChange::MaterializeIndex { key },
            (key, false) => RowChange::ClearIndex { key },
        };
        let of_projection = |(name, wanted): &(String, bool)| match (name.clone(), wanted) {
            (name, true) => RowChange::MaterializeProjection { name },
            (name, false) => RowChange::ClearProjection { name },
        };
        let ttl = self.applies_ttl.then_some(RowChange::MaterializeTtl);
        let besides = self.skip_indexes.iter().map(of_index).chain(self.projections.iter().map(of_projection));
        self.changes.iter().cloned().chain(besides).chain(ttl)
    }

    /// Whether a part still has to go through it.
    pub fn concerns(&self, part: &PartEntry) -> bool {
        self.finished_ms.is_none()
            && self.is_after(part)
            && self.partition_id.as_ref().is_none_or(|partition| *partition == part.partition_id)
    }

    /// Whether it began when the part's rows were there, and the part has not gone through it.
    pub fn is_after(&self, part: &PartEntry) -> bool {
        self.number > part.max_block && self.number > part.mutation
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RemovedPart {
    pub part: Arc<PartEntry>,
    pub removed_ms: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    Insert,
    Merge,
    Truncate,
    Mutate,
    Detach,
    Attach,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    pub version: u64,
    /// Unique: by it a writer whose answer was lost finds out whether its commit took place.
    pub commit_id: String,
    pub time_ms: u64,
    pub operation: Operation,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<Arc<PartEntry>>,
    /// Names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    /// I-3: the deduplication token of the insert.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub insert_id: Option<String>,
    /// Hashes of the inserted blocks, where the table keeps a window of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub block_hashes: Vec<String>,
    /// Files of a load that the commit holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ledger: Option<LedgerChange>,
    /// Parts among `removed` that are kept aside, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub detached: Vec<String>,
    /// Parts that were aside and are no longer, by name: they are among `added`, or go.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub retrieved: Vec<String>,
    /// A mutation that begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begun: Option<Arc<MutationEntry>>,
    /// Parts that went through the mutations up to this number without having a row to change: they stay as they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed: Vec<(String, i64)>,
    /// Those parts get the name that says so. Older records do not have it: there the parts kept their name, and later records use
    /// it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub names_passed: bool,
    /// Changes of what live parts have of projections.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub projected: Vec<ProjectionChange>,
    /// Rows that are deleted of live parts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deleted: Vec<RowsDeleted>,
    /// Numbers of mutations that end where they stand.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub killed: Vec<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<Snapshot>,
}

/// The whole state after a version.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    pub parts: Vec<Arc<PartEntry>>,
    pub removed: Vec<RemovedPart>,
    pub next_block: i64,
    /// Newest last.
    pub insert_ids: Vec<String>,
    pub block_hashes: Vec<String>,
    /// Parts that were taken out and are kept, by the names that they had.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub detached: Vec<Arc<PartEntry>>,
    /// Unfinished ones, and the last that finished; oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mutations: Vec<Arc<MutationEntry>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loads: Vec<LoadEntry>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed_objects: Vec<RemovedObject>,
}

pub fn key(version: u64) -> String {
    format!("{FOLDER}{version:020}")
}

/// The version that a key of the manifest's folder names.
pub fn version_of(key: &str) -> Option<u64> {
    key.strip_prefix(FOLDER).filter(|digits| digits.len() == 20)?.parse().ok()
}

impl Record {
    pub fn encode(&self) -> Result<Bytes> {
        let json = serde_json::to_vec(self).map_err(|error| Error::logical(format!("Manifest record: {error}")))?;
        Ok(object::encode(&zstd::bulk::compress(&json, 3)?))
    }

    /// Errors: CORRUPTED_DATA.
    pub fn decode(version: u64, data: &[u8]) -> Result<Record> {
        let corrupt = |what: &str| {
            Error::new(ErrorCode::CORRUPTED_DATA, format!("Version {version} of the manifest is damaged: {what}"))
        };
        let json = zstd::stream::decode_all(object::decode(&key(version), data)?)?;
        let record: Record = serde_json::from_slice(&json).map_err(|error| corrupt(&error.to_string()))?;
        if record.version != version {
            return Err(corrupt(&format!("it calls itself version {}", record.version)));
        }
        Ok(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What older programs wrote, and what they will read.
    #[test]
    fn times_of_a_ttl_are_fields_of_their_own() {
        let old = concat!(
            r#"{"name":"all_1_1_0","key":"parts/p","partition_id":"all","partition":"tuple()","min_block":1,"max_block":1,"level":0,"#,
            r#""rows":1,"bytes":2,"uncompressed_bytes":3,"granules":1,"tail_offset":4,"index_bytes":5,"created_ms":6,"ranges":[]}"#
        );
        let mut part: PartEntry = serde_json::from_str(old).expect("reads");
        assert_eq!(serde_json::to_string(&part).expect("writes"), old);
        part.ttl.insert("d".to_string(), TtlRange { min: Some(7), max: None, pending: Some(8), wide: true });
        part.codec = "NONE".to_string();
        let new = old.replace("[]}", r#"[],"ttl":{"d":{"min":7,"pending":8,"wide":true}},"codec":"NONE"}"#);
        assert_eq!(serde_json::to_string(&part).expect("writes"), new);
        assert_eq!(serde_json::from_str::<PartEntry>(&new).expect("reads"), part);
    }

    #[test]
    fn a_flipped_byte_anywhere_is_mended() {
        let record = Record {
            version: 7,
            commit_id: "c".to_string(),
            time_ms: 1,
            operation: Operation::Insert,
            added: Vec::new(),
            removed: vec!["all_1_1_0".to_string()],
            insert_id: Some("token".to_string()),
            block_hashes: Vec::new(),
            ledger: None,
            detached: Vec::new(),
            retrieved: Vec::new(),
            begun: None,
            passed: Vec::new(),
            names_passed: false,
            projected: Vec::new(),
            deleted: Vec::new(),
            killed: Vec::new(),
            snapshot: None,
        };
        let data = record.encode().expect("encodes");
        assert_eq!(Record::decode(7, &data).expect("decodes"), record);
        for at in 0..data.len() {
            let mut damaged = data.to_vec();
            damaged[at] ^= 0x10;
            assert_eq!(Record::decode(7, &damaged).expect("the second copy"), record);
        }
        assert_eq!(version_of(&key(7)), Some(7));
    }
}
