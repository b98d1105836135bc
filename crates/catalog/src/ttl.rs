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
    /// By the text of a rule of which a column was renamed: the text that it had first, which is what is known of parts by.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub first_texts: BTreeMap<String, String>,
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

    /// What is known of parts under the rule of this text is known by this.
    pub fn key(&self, text: &str) -> String {
        match self.first_texts.get(text) {
            Some(first) => first.clone(),
            // A column has the name that the one of another rule had.
            None if self.first_texts.values().any(|first| first == text) => format!("{text} #"),
            None => text.to_string(),
        }
    }

    /// With the clause's rules in the place of those that there are.
    pub fn replace_rules(&mut self, rules: Vec<TtlRule>) {
        self.rules = rules;
        let texts = self.texts();
        self.first_texts.retain(|text, _| texts.contains(text));
    }

    /// A column has another name, by which `rewrite` names it in the rules: they stay what they are.
    pub fn rename<E>(&mut self, from: &str, to: &str, rewrite: impl FnOnce(&mut TtlSpec) -> Result<(), E>) -> Result<(), E> {
        let rules: Vec<String> = self.rules.iter().map(|rule| self.key(&rule.text())).collect();
        let renamed = |name: &String| if name == from { to.to_string() } else { name.clone() };
        let of_column = |(name, time): (&String, &String)| (renamed(name), self.key(&column_text(name, time)));
        let columns: BTreeMap<String, String> = self.columns.iter().map(of_column).collect();
        rewrite(self)?;
        let keys = rules.into_iter().chain(columns.into_values());
        self.first_texts = self.texts().into_iter().zip(keys).filter(|(text, key)| text != key).collect();
        Ok(())
    }

    /// Of the clause's rules, then of those of columns, by their names.
    fn texts(&self) -> Vec<String> {
        let columns = self.columns.iter().map(|(name, expression)| column_text(name, expression));
        self.rules.iter().map(TtlRule::text).chain(columns).collect()
    }

    /// The table's TTL clause without the word TTL.
    pub fn clause(&self) -> String {
        self.rules.iter().map(TtlRule::text).collect::<Vec<_>>().join(", ")
    }
}

/// The text of a column's rule.
pub fn column_text(name: &str, expression: &str) -> String {
    format!("{name}: {expression}")
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

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(rules: &[&str], columns: &[(&str, &str)]) -> TtlSpec {
        let rule = |text: &&str| TtlRule { expression: text.to_string(), action: TtlAction::Delete { condition: None } };
        let columns = columns.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect();
        TtlSpec { rules: rules.iter().map(rule).collect(), columns, first_texts: BTreeMap::new() }
    }

    fn renamed(spec: &mut TtlSpec, from: &str, to: &str) {
        let rewrite = |spec: &mut TtlSpec| -> Result<(), ()> {
            if let Some(time) = spec.columns.remove(from) {
                spec.columns.insert(to.to_string(), time);
            }
            let times = spec.rules.iter_mut().map(|rule| &mut rule.expression).chain(spec.columns.values_mut());
            times.filter(|time| *time == from).for_each(|time| *time = to.to_string());
            Ok(())
        };
        spec.rename(from, to, rewrite).expect("renames");
    }

    #[test]
    fn rules_are_known_by_their_first_texts() {
        let mut spec = spec(&["d"], &[("a", "d"), ("b", "e")]);
        renamed(&mut spec, "d", "x");
        renamed(&mut spec, "x", "y");
        renamed(&mut spec, "a", "z");
        assert_eq!(spec.key("y"), "d");
        assert_eq!(spec.key("z: y"), "a: d");
        assert_eq!(spec.key("b: e"), "b: e");
        // Another column of the first name is another rule's.
        assert_eq!(spec.key("d"), "d #");
        renamed(&mut spec, "y", "d");
        assert_eq!(spec.key("d"), "d");
    }

    #[test]
    fn rules_that_are_gone_are_forgotten() {
        let mut spec = spec(&["d"], &[]);
        renamed(&mut spec, "d", "x");
        let same = spec.rules.clone();
        spec.replace_rules(same);
        assert_eq!(spec.key("x"), "d");
        spec.replace_rules(Vec::new());
        assert!(spec.first_texts.is_empty());
    }
}
