//! Columns of a table or a result: a name, a type, and where its values come from when none are given.

use std::sync::Arc;

use arrow::datatypes::{Schema, SchemaRef};

use crate::sql_type::{SqlType, quote_identifier};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum DefaultKind {
    Default,
    Materialized,
    Ephemeral,
    Alias,
}

impl DefaultKind {
    pub fn name(self) -> &'static str {
        match self {
            DefaultKind::Default => "DEFAULT",
            DefaultKind::Materialized => "MATERIALIZED",
            DefaultKind::Ephemeral => "EPHEMERAL",
            DefaultKind::Alias => "ALIAS",
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub struct Column {
    pub name: String,
    pub kind: SqlType,
    /// The kind of default and its expression as text.
    pub default: Option<(DefaultKind, String)>,
    pub comment: String,
    /// As written, such as `Delta(4), ZSTD(1)`; empty: the table's.
    pub codec: String,
    /// In the words of the statement: see `statistics`.
    pub statistics: Vec<String>,
    /// What SETTINGS of the column say: kept and shown.
    pub settings: Vec<(String, String)>,
}

impl Column {
    /// Settings that a column may have.
    pub const SETTINGS: &[&str] = &["max_compress_block_size", "min_compress_block_size"];

    pub fn new(name: impl Into<String>, kind: SqlType) -> Self {
        Column {
            name: name.into(),
            kind,
            default: None,
            comment: String::new(),
            codec: String::new(),
            statistics: Vec::new(),
            settings: Vec::new(),
        }
    }

    /// Whether the column says what it is where nobody gives it.
    pub fn has_default_expression(&self) -> bool {
        self.default.as_ref().is_some_and(|(_, text)| !text.is_empty())
    }
}

/// An ordered list of columns.
#[derive(Clone, PartialEq, Eq, Debug, Hash, Default)]
pub struct Columns(pub Arc<[Column]>);

impl Columns {
    pub fn new(columns: Vec<Column>) -> Self {
        Columns(columns.into())
    }

    pub fn of(columns: impl IntoIterator<Item = (impl Into<String>, SqlType)>) -> Self {
        Columns(columns.into_iter().map(|(name, kind)| Column::new(name, kind)).collect())
    }

    pub fn get(&self, name: &str) -> Option<&Column> {
        self.0.iter().find(|column| column.name == name)
    }

    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|column| column.name == name)
    }

    pub fn iter(&self) -> std::slice::Iter<'_, Column> {
        self.0.iter()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn names(&self) -> Vec<String> {
        self.0.iter().map(|column| column.name.clone()).collect()
    }

    /// With an array for each field of a Nested that has no default.
    pub fn flattened(&self) -> Columns {
        let parts = |column: &Column| match &column.kind {
            SqlType::Nested(_) if column.default.is_none() => {
                let part = |(field, kind): &(Option<String>, SqlType)| {
                    let name = format!("{}.{}", column.name, field.as_deref().unwrap_or_default());
                    Column::new(name, SqlType::array(kind.clone()))
                };
                column.kind.nested_fields().iter().map(part).collect()
            }
            _ => vec![column.clone()],
        };
        Columns(self.0.iter().flat_map(parts).collect())
    }

    /// The Arrow schema that carries them in memory.
    pub fn arrow(&self) -> SchemaRef {
        Arc::new(Schema::new(self.0.iter().map(|column| column.kind.field(&column.name)).collect::<Vec<_>>()))
    }

    /// As a structure argument: `a Int32, b String`.
    pub fn structure(&self) -> String {
        self.0
            .iter()
            .map(|column| format!("{} {}", quote_identifier(&column.name), column.kind))
            .collect::<Vec<_>>()
            .join(", ")
    }
}

impl<'a> IntoIterator for &'a Columns {
    type Item = &'a Column;
    type IntoIter = std::slice::Iter<'a, Column>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
