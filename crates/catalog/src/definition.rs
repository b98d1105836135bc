//! A table as its CREATE statement says: what is kept in the metadata store and shown by SHOW CREATE TABLE.

use gristmill_types::{Column, Columns, DefaultKind};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::column_keys::ColumnKeys;
use crate::create_query::has_several;
use crate::projection::ProjectionDefinition;
use crate::ttl::TtlSpec;

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
    /// The sorting key; an empty list for `tuple()`. See `direction`.
    pub order_by: Vec<String>,
    /// The primary key: a prefix of the sorting key, without directions.
    pub primary_key: Vec<String>,
    /// What SAMPLE cuts by.
    pub sample_by: Option<String>,
    /// How keys are shown, where they were not written as they are kept.
    pub written_keys: WrittenKeys,
    /// Settings of the engine as written, such as `index_granularity`, in the order in which they were.
    pub settings: IndexMap<String, String>,
    pub comment: String,
    pub temporary: bool,
    /// Which columns are which in data that was written before an ALTER.
    pub column_keys: ColumnKeys,
    /// In the order in which they are shown.
    pub skip_indexes: Vec<SkipIndexDefinition>,
    /// In the order in which they are shown.
    pub projections: Vec<ProjectionDefinition>,
    pub ttl: TtlSpec,
    /// In the order in which they are shown.
    pub constraints: Vec<ConstraintDefinition>,
}

/// Keys as a statement wrote them, in ClickHouse's layout: `(a)`, `tuple(a)`. A key that is not here is shown as it is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenKeys {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition_by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order_by: Option<String>,
    /// It is shown although it is the sorting key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub primary_key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample_by: Option<String>,
}

impl WrittenKeys {
    pub fn is_empty(&self) -> bool {
        *self == WrittenKeys::default()
    }
}

/// `CONSTRAINT name CHECK expression`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstraintDefinition {
    pub name: String,
    pub kind: ConstraintKind,
    /// Canonical text.
    pub expression: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstraintKind {
    /// An INSERT of a row for which it does not hold fails.
    Check,
    /// Whoever writes rows sees to it.
    Assume,
}

impl ConstraintKind {
    pub fn name(self) -> &'static str {
        match self {
            ConstraintKind::Check => "CHECK",
            ConstraintKind::Assume => "ASSUME",
        }
    }
}

/// A data skipping index as it is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkipIndexDefinition {
    pub name: String,
    /// Canonical text of the expression: `lower(s)`, or `(a, b)` of several.
    pub expression: String,
    /// The type with its parameters: `minmax`, `set(100)`.
    pub kind: String,
    /// Granules of the part that one granule of the index tells of.
    pub granularity: u64,
    /// What parts say that their data of the index is. As with columns: whatever makes data that was written no longer this
    /// index's gives a new key (see `ColumnKeys`).
    pub key: String,
}

impl SkipIndexDefinition {
    /// The expressions without the parentheses of a tuple.
    pub fn elements(&self) -> &str {
        let mut depth = 0;
        let ends_at = self.expression.char_indices().find(|(_, c)| {
            depth += i32::from(*c == '(') - i32::from(*c == ')');
            depth == 0
        });
        let inner = self.expression.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
        match (inner, ends_at) {
            (Some(inner), Some((at, _))) if at + 1 == self.expression.len() => inner,
            _ => &self.expression,
        }
    }

    /// The expression as `system.data_skipping_indices` has it: a list without its parentheses.
    pub fn shown(&self) -> &str {
        if let Some(one) = self.expression.strip_prefix("tuple(").and_then(|text| text.strip_suffix(')')) {
            return one;
        }
        let elements = self.elements();
        if has_several(elements) { elements } else { &self.expression }
    }

    /// The type without its parameters.
    pub fn kind_name(&self) -> &str {
        self.kind.split('(').next().unwrap_or_default()
    }
}

/// What follows an element of a sorting key whose greater values come first.
const DESCENDING: &str = " DESC";

/// An element of a sorting key without its direction, and whether that is descending.
pub fn direction(key: &str) -> (&str, bool) {
    key.strip_suffix(DESCENDING).map_or((key, false), |key| (key, true))
}

/// An element of a sorting key as a definition keeps it.
pub fn directed(key: &str, descending: bool) -> String {
    if descending { format!("{key}{DESCENDING}") } else { key.to_string() }
}

impl TableDefinition {
    /// The engine of a view: its arguments are the query, and the database that names in it are of.
    pub const VIEW: &str = "View";

    /// Whether keys, indexes, projections, constraints and settings are those of the other: all that tables without parts do not change.
    pub fn is_alike_but_for_columns(&self, other: &TableDefinition) -> bool {
        self.order_by == other.order_by
            && self.sample_by == other.sample_by
            && self.skip_indexes == other.skip_indexes
            && self.projections == other.projections
            && self.constraints == other.constraints
            && self.settings == other.settings
    }

    /// The query of a view.
    pub fn view_query(&self) -> Option<&str> {
        if self.engine.name == Self::VIEW { self.engine.arguments.first().map(String::as_str) } else { None }
    }

    /// The engine of a table that a table function stands for: its arguments are the call, and the name of the engine of the table
    /// that it gives.
    pub const FUNCTION: &str = "TableFunction";

    /// The call of a table function that the table stands for.
    pub fn function_call(&self) -> Option<&str> {
        if self.engine.name == Self::FUNCTION { self.engine.arguments.first().map(String::as_str) } else { None }
    }

    /// The engine's name as it is shown.
    pub fn engine_name(&self) -> &str {
        let given = self.function_call().and(self.engine.arguments.get(1));
        given.map_or(&self.engine.name, String::as_str)
    }

    /// What rows are sorted by: ORDER BY, and behind it the version of VersionedCollapsingMergeTree.
    pub fn sorting_key(&self) -> Vec<String> {
        let mut key = self.order_by.clone();
        if let ("VersionedCollapsingMergeTree", [_, version]) = (self.engine.name.as_str(), &self.engine.arguments[..]) {
            let name = version.trim_matches('`');
            let is_column = self.stored_columns().iter().any(|column| column.name == name);
            if is_column && !key.iter().any(|known| direction(known).0 == version) {
                key.push(version.clone());
            }
        }
        key
    }

    /// The columns whose values lie in the table: no ALIAS, no EPHEMERAL. A read gives them and a write takes them, in
    /// this order.
    pub fn stored_columns(&self) -> Columns {
        let stored = |column: &&Column| !matches!(column.default, Some((DefaultKind::Alias | DefaultKind::Ephemeral, _)));
        Columns::new(self.columns.iter().filter(stored).cloned().collect())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use gristmill_types::SqlType;

    /// A table of one column `a Int32`.
    pub(crate) fn definition(database: &str, name: &str, engine: &str) -> TableDefinition {
        TableDefinition {
            uuid: Uuid::new_v4(),
            database: database.into(),
            name: name.into(),
            engine: EngineSpec { name: engine.into(), arguments: vec![] },
            columns: Columns::of([("a", SqlType::Int32)]),
            partition_by: None,
            order_by: vec![],
            primary_key: vec![],
            sample_by: None,
            written_keys: WrittenKeys::default(),
            settings: IndexMap::new(),
            comment: String::new(),
            temporary: false,
            column_keys: ColumnKeys::default(),
            skip_indexes: Vec::new(),
            projections: Vec::new(),
            ttl: TtlSpec::default(),
            constraints: Vec::new(),
        }
    }
}
