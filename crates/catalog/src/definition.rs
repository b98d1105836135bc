//! A table as its CREATE statement says: what is kept in the metadata store and shown by SHOW CREATE TABLE.

use std::collections::BTreeMap;

use gristmill_types::Columns;
use uuid::Uuid;

/// `MergeTree`, or `ReplacingMergeTree(version)`: a name and its arguments as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineSpec {
    pub name: String,
    pub arguments: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableDefinition {
    pub uuid: Uuid,
    pub database: String,
    pub name: String,
    pub engine: EngineSpec,
    pub columns: Columns,
    /// Expressions as text in canonical form (`toYear(d)`), `None` where the statement had none.
    pub partition_by: Option<String>,
    /// The sorting key; an empty list for `tuple()`.
    pub order_by: Vec<String>,
    /// The primary key: a prefix of the sorting key.
    pub primary_key: Vec<String>,
    /// Settings of the engine as written, such as `index_granularity`.
    pub settings: BTreeMap<String, String>,
    pub comment: String,
    pub temporary: bool,
}
