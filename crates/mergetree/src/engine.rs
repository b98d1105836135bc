//! The engines of the family by name and parameters: what a merge makes of rows whose sorting keys are equal.
//!
//! | Engine | Of rows of equal sorting key |
//! |---|---|
//! | `MergeTree` | all stay |
//! | `ReplacingMergeTree([version[, is_deleted]])` | the last of the greatest version |
//! | `SummingMergeTree([(columns)])` | one, with sums; none where all sums are zero |
//! | `AggregatingMergeTree` | one, with the aggregates of all |
//! | `CoalescingMergeTree([(columns)])` | one, with the last value of each column that is not NULL |
//! | `CollapsingMergeTree(sign)` | pairs of opposite sign go; at most one of each sign stays |
//! | `VersionedCollapsingMergeTree(sign, version)` | pairs of opposite sign and equal version go |
//!
//! Parameters name columns. They are checked when the table is made, with ClickHouse's errors, and kept as places among
//! the stored columns.

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::{KeyExpression, TableDefinition};
use gristmill_types::{Columns, SqlType, nested};

use crate::layout::referenced_columns;
use crate::merge::rules::fold::Folding;

/// Places are those of stored columns.
#[derive(Debug)]
pub enum MergingEngine {
    Ordinary,
    Replacing {
        version: Option<usize>,
        is_deleted: Option<usize>,
    },
    Summing(Folding),
    Aggregating(Folding),
    Coalescing(Folding),
    Collapsing {
        sign: usize,
    },
    VersionedCollapsing {
        sign: usize,
    },
    /// One that folds rows, without a sorting key: as in ClickHouse, all rows stay.
    Keyless,
    /// SummingMergeTree without a sorting key, where rows of zeroes go: as in ClickHouse, the others stay as they are.
    NonZero(Folding),
}

/// Every engine of the family.
pub const NAMES: &[&str] = &[
    "MergeTree",
    "ReplacingMergeTree",
    "SummingMergeTree",
    "AggregatingMergeTree",
    "CoalescingMergeTree",
    "CollapsingMergeTree",
    "VersionedCollapsingMergeTree",
];

impl MergingEngine {
    /// `columns`: the stored ones. Errors: NUMBER_OF_ARGUMENTS_DOESNT_MATCH, NO_SUCH_COLUMN_IN_TABLE, BAD_TYPE_OF_FIELD,
    /// BAD_ARGUMENTS, UNKNOWN_STORAGE.
    pub fn of(
        definition: &TableDefinition,
        columns: &Columns,
        sorting: &[KeyExpression],
        partition: &[KeyExpression],
    ) -> Result<MergingEngine> {
        let name = definition.engine.name.as_str();
        let parameters = Parameters { engine: name, texts: &definition.engine.arguments, columns };
        let in_keys: Vec<String> = sorting.iter().chain(partition).flat_map(referenced_columns).collect();
        match name {
            "MergeTree" => {
                parameters.count(0..=0, "no parameters")?;
                Ok(MergingEngine::Ordinary)
            }
            "ReplacingMergeTree" => {
                parameters.count(0..=2, "0 to 2 parameters: [version], [is_deleted column]")?;
                let version = parameters.optional(0, "Version")?;
                let is_deleted = parameters.optional(1, "is_deleted")?;
                if let (Some(place), true) = (version, version == is_deleted) {
                    let column = &columns.0[place].name;
                    return Err(bad(format!("The version and is_deleted column cannot be the same column ({column})")));
                }
                parameters.check_version(version)?;
                parameters.check_type(is_deleted, "is_deleted column", &SqlType::UInt8)?;
                Ok(MergingEngine::Replacing { version, is_deleted })
            }
            "SummingMergeTree" => {
                parameters.count(0..=1, "0 to 1 parameters: [list of columns to sum]")?;
                let chosen = match parameters.texts {
                    [] => Vec::new(),
                    [list, ..] => parameters.names(list)?,
                };
                check_summed(&chosen, columns, sorting, partition)?;
                let folding = Folding::summing(columns, &chosen, &in_keys)?;
                Ok(match (sorting.is_empty(), folding.drops_zeroes()) {
                    (true, true) => MergingEngine::NonZero(folding),
                    (true, false) => MergingEngine::Keyless,
                    (false, _) => MergingEngine::Summing(folding),
                })
            }
            "CoalescingMergeTree" => {
                parameters.count(0..=1, "0 to 1 parameters: [list of columns to coalesce]")?;
                let chosen = match parameters.texts {
                    [] => Vec::new(),
                    [list, ..] => parameters.names(list)?,
                };
                check_summed(&chosen, columns, sorting, partition)?;
                let folding = Folding::coalescing(columns, &chosen, &in_keys)?;
                Ok(if sorting.is_empty() { MergingEngine::Keyless } else { MergingEngine::Coalescing(folding) })
            }
            "AggregatingMergeTree" => {
                parameters.count(0..=0, "no parameters")?;
                let folding = Folding::aggregating(columns, &in_keys)?;
                let left: Vec<&str> = (0..columns.len())
                    .filter(|&place| !folding.changes(place) && !in_keys.contains(&columns.0[place].name))
                    .map(|place| columns.0[place].name.as_str())
                    .collect();
                if !folding.is_empty() && !left.is_empty() {
                    return Err(bad(format!(
                        "Column(s) {} of the AggregatingMergeTree table are neither part of the sorting key nor aggregate \
                         measures (AggregateFunction or SimpleAggregateFunction): a merge keeps an arbitrary value of them. \
                         Add them to ORDER BY, or make them SimpleAggregateFunction(any, …)",
                        left.join(", ")
                    )));
                }
                Ok(if sorting.is_empty() { MergingEngine::Keyless } else { MergingEngine::Aggregating(folding) })
            }
            "CollapsingMergeTree" => {
                parameters.count(1..=1, "1 parameters: sign column")?;
                let sign = parameters.required(0, "Sign")?;
                parameters.check_type(Some(sign), "Sign column", &SqlType::Int8)?;
                Ok(MergingEngine::Collapsing { sign })
            }
            "VersionedCollapsingMergeTree" => {
                parameters.count(2..=2, "2 parameters: sign column, version")?;
                let (sign, version) = (parameters.required(0, "Sign")?, parameters.required(1, "Version")?);
                if sign == version {
                    let column = &columns.0[sign].name;
                    return Err(bad(format!("The version and sign column cannot be the same column ({column})")));
                }
                parameters.check_type(Some(sign), "Sign column", &SqlType::Int8)?;
                parameters.check_version(Some(version))?;
                Ok(MergingEngine::VersionedCollapsing { sign })
            }
            other => Err(Error::new(ErrorCode::UNKNOWN_STORAGE, format!("Unknown table engine {other}"))),
        }
    }

    /// Whether rows of equal key become fewer: what FINAL is for.
    pub fn merges_rows(&self) -> bool {
        !matches!(self, MergingEngine::Ordinary)
    }

    /// Whether FINAL is taken, and has nothing to do.
    pub fn is_keyless(&self) -> bool {
        matches!(self, MergingEngine::Keyless)
    }

    /// Whether the order of rows of one key decides what stays of them.
    pub fn depends_on_order(&self) -> bool {
        use MergingEngine as E;
        matches!(self, E::Replacing { .. } | E::Aggregating(_) | E::Coalescing(_) | E::Collapsing { .. })
    }

    /// Whether the rows that stay of a key stay as they are.
    pub fn chooses_rows(&self) -> bool {
        use MergingEngine as E;
        matches!(self, E::Replacing { .. } | E::Collapsing { .. } | E::VersionedCollapsing { .. } | E::NonZero(_))
    }

    /// Columns that a rule looks at, besides those of the sorting key, when the rows carry `wanted`.
    pub fn needed(&self, wanted: &[usize]) -> Vec<usize> {
        match self {
            MergingEngine::Ordinary | MergingEngine::Keyless => Vec::new(),
            MergingEngine::Replacing { version, is_deleted } => version.iter().chain(is_deleted).copied().collect(),
            MergingEngine::Summing(folding)
            | MergingEngine::Aggregating(folding)
            | MergingEngine::Coalescing(folding)
            | MergingEngine::NonZero(folding) => folding.needed(wanted),
            MergingEngine::Collapsing { sign } | MergingEngine::VersionedCollapsing { sign } => vec![*sign],
        }
    }
}

fn bad(message: String) -> Error {
    Error::new(ErrorCode::BAD_ARGUMENTS, message)
}

fn check_summed(chosen: &[String], columns: &Columns, sorting: &[KeyExpression], partition: &[KeyExpression]) -> Result<()> {
    for (at, name) in chosen.iter().enumerate() {
        if !columns.iter().any(|column| column.name == *name || nested::table_of(&column.name) == Some(name)) {
            return Err(Error::new(
                ErrorCode::NO_SUCH_COLUMN_IN_TABLE,
                format!("Column {name} listed in columns to sum does not exist in table declaration."),
            ));
        }
        if chosen[..at].contains(name) {
            return Err(bad(format!("Column {name} is listed multiple times in the list of columns to sum.")));
        }
    }
    for (keys, what) in [(sorting, "sorting"), (partition, "partition")] {
        let used: Vec<String> = keys.iter().flat_map(referenced_columns).collect();
        let both: Vec<&str> = chosen.iter().filter(|name| used.contains(name)).map(String::as_str).collect();
        if !both.is_empty() {
            return Err(bad(format!(
                "Columns: {} listed both in columns to sum and in {what} key. That is not allowed.",
                both.join(", ")
            )));
        }
    }
    Ok(())
}

/// The parameters as they stand in the definition: expressions in canonical text.
struct Parameters<'a> {
    engine: &'a str,
    texts: &'a [String],
    columns: &'a Columns,
}

impl Parameters<'_> {
    fn count(&self, allowed: std::ops::RangeInclusive<usize>, expected: &str) -> Result<()> {
        if allowed.contains(&self.texts.len()) {
            return Ok(());
        }
        Err(Error::new(
            ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
            format!("Storage {} requires {expected}, found {}", self.engine, self.texts.len()),
        ))
    }

    /// `a`, `(a, b)`, `tuple(a, b)`: column names.
    fn names(&self, text: &str) -> Result<Vec<String>> {
        let text = text.trim();
        let inside = text.strip_prefix("tuple").unwrap_or(text).trim();
        let Some(inside) = inside.strip_prefix('(').and_then(|inside| inside.strip_suffix(')')) else {
            return Ok(vec![self.name(text)?]);
        };
        split_names(inside).into_iter().map(|name| self.name(name)).collect()
    }

    fn name(&self, text: &str) -> Result<String> {
        let text = text.trim();
        let quoted = text.strip_prefix('`').and_then(|inner| inner.strip_suffix('`'));
        if let Some(quoted) = quoted {
            return Ok(quoted.replace("\\`", "`").replace("\\\\", "\\"));
        }
        let is_plain = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        if text.is_empty() || !text.chars().all(is_plain) || text.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(bad(format!("Engine {} takes names of columns, found {text}", self.engine)));
        }
        Ok(text.to_string())
    }

    fn required(&self, at: usize, what: &str) -> Result<usize> {
        let text = self.texts.get(at).ok_or_else(|| Error::logical("A parameter that was counted is missing"))?;
        let name = self.name(text)?;
        self.columns.index_of(&name).ok_or_else(|| {
            Error::new(
                ErrorCode::NO_SUCH_COLUMN_IN_TABLE,
                format!("{what} column {name} does not exist in table declaration."),
            )
        })
    }

    fn optional(&self, at: usize, what: &str) -> Result<Option<usize>> {
        if at < self.texts.len() { self.required(at, what).map(Some) } else { Ok(None) }
    }

    fn check_type(&self, place: Option<usize>, what: &str, wanted: &SqlType) -> Result<()> {
        let Some(column) = place.map(|place| &self.columns.0[place]) else { return Ok(()) };
        if column.kind == *wanted {
            return Ok(());
        }
        Err(Error::new(
            ErrorCode::BAD_TYPE_OF_FIELD,
            format!(
                "{what} ({}) for storage {} must have type {wanted}. Provided column of type {}.",
                column.name, self.engine, column.kind
            ),
        ))
    }

    fn check_version(&self, place: Option<usize>) -> Result<()> {
        let Some(column) = place.map(|place| &self.columns.0[place]) else { return Ok(()) };
        let kind = column.kind.storage();
        let is_time = matches!(kind, SqlType::Date | SqlType::Date32 | SqlType::DateTime(_) | SqlType::DateTime64(..));
        let is_ordered = is_time || kind.is_integer() || kind.is_float() || *kind == SqlType::Bool;
        if is_ordered && !kind.is_nullable() {
            return Ok(());
        }
        Err(Error::new(
            ErrorCode::BAD_TYPE_OF_FIELD,
            format!(
                "The column {} cannot be used as a version column for storage {} because it is of type {} (must be of an \
                 integer type or of type Date/DateTime/DateTime64).",
                column.name, self.engine, column.kind
            ),
        ))
    }
}

/// At commas outside of backticks.
fn split_names(text: &str) -> Vec<&str> {
    let mut quoted = false;
    text.split(|c: char| {
        quoted ^= c == '`';
        c == ',' && !quoted
    })
    .filter(|name| !name.trim().is_empty())
    .collect()
}
