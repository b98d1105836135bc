//! TTL as a table's definition says it: when rows go, or are made fewer, or are compressed better, and when columns are
//! emptied. Expressions are texts over the table's columns, as everywhere in definitions.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TtlSpec {
    /// The elements of the table's TTL clause, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<TtlRule>,
    /// By column: when its value becomes the column's default.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub columns: BTreeMap<String, String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TtlRule {
    /// The time from which on the rule concerns a row.
    pub expression: String,
    pub action: TtlAction,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TtlAction {
    /// Rows go, those that fulfil the condition where there is one.
    Delete {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        condition: Option<String>,
    },
    /// Neighbouring rows of equal keys (a prefix of the primary key) become one. `set`: columns and their expressions of
    /// aggregates; any other column keeps the first value.
    GroupBy { keys: Vec<String>, set: Vec<(String, String)> },
    /// Parts of which all rows are that old get the codec.
    Recompress { codec: String },
    /// Parts go to another place. There is one place, where they are already.
    Move {
        volume: bool,
        name: String,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        if_exists: bool,
    },
}

impl TtlSpec {
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.columns.is_empty()
    }

    /// The table's TTL clause without the word TTL.
    pub fn clause(&self) -> String {
        self.rules.iter().map(TtlRule::text).collect::<Vec<_>>().join(", ")
    }
}

impl TtlRule {
    pub fn text(&self) -> String {
        let expression = &self.expression;
        match &self.action {
            TtlAction::Delete { condition: None } => expression.clone(),
            TtlAction::Delete { condition: Some(condition) } => format!("{expression} WHERE {condition}"),
            TtlAction::GroupBy { keys, set } => {
                let set: Vec<String> = set
                    .iter()
                    .map(|(column, value)| format!("{} = {value}", gristmill_types::sql_type::quote_identifier(column)))
                    .collect();
                let set = if set.is_empty() { String::new() } else { format!(" SET {}", set.join(", ")) };
                format!("{expression} GROUP BY {}{set}", keys.join(", "))
            }
            TtlAction::Recompress { codec } => format!("{expression} RECOMPRESS CODEC({codec})"),
            TtlAction::Move { volume, name, if_exists } => {
                let place = if *volume { "VOLUME" } else { "DISK" };
                let exists = if *if_exists { "IF EXISTS " } else { "" };
                format!("{expression} TO {place} {exists}{}", gristmill_types::sql_type::quote(name))
            }
        }
    }
}
