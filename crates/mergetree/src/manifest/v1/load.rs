//! What the manifest keeps of loads: in a record what its commit brings, in a snapshot all that is known.

use serde::{Deserialize, Serialize};

/// What one version says of a load, and which loads are forgotten with it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LedgerChange {
    /// Empty: the version only forgets.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub load_id: String,
    /// A digest of what the load makes of its files' rows.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub query: String,
    /// Files of which the commit holds rows, or that failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileEntry>,
    /// Loads that are forgotten.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileEntry {
    pub path: String,
    /// The file's ETag.
    pub version: String,
    /// Row groups that the file has; 1 for text formats.
    pub groups: u32,
    /// Ranges `[from, to)` of row groups: in a record those whose rows the commit holds, in a snapshot all that are loaded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub done: Vec<(u32, u32)>,
    /// Rows of these.
    #[serde(default)]
    pub rows: u64,
    /// Of the last commit that says something of the file, in milliseconds since 1970. Left out in records, which have a
    /// time.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub time_ms: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A load in a snapshot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoadEntry {
    pub load_id: String,
    pub query: String,
    /// Of its last commit.
    pub time_ms: u64,
    pub files: Vec<FileEntry>,
}

fn is_zero(value: &u64) -> bool {
    *value == 0
}
