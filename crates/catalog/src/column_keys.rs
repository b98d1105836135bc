//! Which column of a table is which column of its data.
//!
//! Data is written once and never changed, and its columns say by a *key* what they are. A name will not do: a column
//! may be renamed, and one that was dropped must not come back with the next of its name. So every column has a list of
//! keys, newest first. Data is written under the newest, and read under whichever of them it has; data with none of
//! them is older than the column (or the column was cleared), and its rows have the column's default.
//!
//! | Change | Keys |
//! |---|---|
//! | CREATE TABLE | the column's name |
//! | ADD COLUMN, CLEAR COLUMN | one new key |
//! | RENAME COLUMN | the same, under the new name |
//! | MODIFY COLUMN to another type | a new key before the old ones: what was kept of values of the old type is not taken for the new |
//! | DROP COLUMN | none |
//!
//! Data skipping indexes have keys of the same making, one each.
//!
//! A new key is `<name>#<number>` with a number greater than behind the `#` of any key that the table ever had.

use std::collections::BTreeMap;

use gristmill_types::sql_type::quote;
use gristmill_types::{Columns, SqlType};

/// The keys of a table's columns, where they are not just their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnKeys {
    /// By name; newest first, never empty. A column that is not here has its name as its only key.
    pub keys: BTreeMap<String, Vec<String>>,
    /// No key with this number or a greater one was ever given.
    pub next: u64,
    /// By key: a constant, as text, that stands for NULL in values under the key, from before the column could not be NULL
    /// any more.
    pub null_values: BTreeMap<String, String>,
}

/// A column as an expression of another type, in which the constant stands for NULL.
pub fn without_null(column: &str, kind: &SqlType, constant: &str) -> String {
    let kind = kind.plain();
    let cast = |text: &str, kind: SqlType| format!("CAST({text}, {})", quote(&kind.to_string()));
    format!("ifNull({}, {})", cast(column, kind.clone().nullable()), cast(constant, kind.clone()))
}

fn number_of(key: &str) -> Option<u64> {
    key.rsplit_once('#')?.1.parse().ok()
}

impl ColumnKeys {
    /// All keys of a column, newest first.
    pub fn of(&self, name: &str) -> Vec<String> {
        self.keys.get(name).cloned().unwrap_or_else(|| vec![name.to_string()])
    }

    /// A key that nothing of the table ever had. `columns`: those of the table before the change.
    pub fn unused(&mut self, name: &str, columns: &Columns) -> String {
        let names = columns.iter().map(|column| &column.name);
        let greatest = names.chain(self.keys.values().flatten()).filter_map(|key| number_of(key)).max();
        let number = self.next.max(greatest.map_or(1, |number| number.saturating_add(1))).max(1);
        self.next = number + 1;
        format!("{name}#{number}")
    }

    /// The column is new, or holds nothing any more. `columns`: those of the table before the change.
    pub fn renew(&mut self, name: &str, columns: &Columns) {
        let key = self.unused(name, columns);
        self.forget_null_values(name);
        self.keys.insert(name.to_string(), vec![key]);
    }

    /// Its values are of another type from now on.
    pub fn retype(&mut self, name: &str, columns: &Columns) {
        let key = self.unused(name, columns);
        let mut keys = self.of(name);
        keys.insert(0, key);
        self.keys.insert(name.to_string(), keys);
    }

    /// Behind `retype` to a type without NULL: what stands for NULL in the values that there are.
    pub fn stand_for_null(&mut self, name: &str, constant: &str) {
        for key in self.of(name).into_iter().skip(1) {
            self.null_values.entry(key).or_insert_with(|| constant.to_string());
        }
    }

    pub fn rename(&mut self, from: &str, to: &str) {
        let keys = self.of(from);
        self.keys.remove(from);
        self.keys.insert(to.to_string(), keys);
    }

    pub fn drop(&mut self, name: &str) {
        self.forget_null_values(name);
        // Its numbers stay used.
        if let Some(number) = self.of(name).iter().filter_map(|key| number_of(key)).max() {
            self.next = self.next.max(number.saturating_add(1));
        }
        self.keys.remove(name);
    }

    fn forget_null_values(&mut self, name: &str) {
        // A column that is not here has no such values, and its name may be the key of another.
        for key in self.keys.get(name).into_iter().flatten() {
            self.null_values.remove(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(names: &[&str]) -> Columns {
        Columns::of(names.iter().map(|name| (*name, SqlType::UInt8)))
    }

    #[test]
    fn a_column_that_is_added_again_is_another() {
        let mut keys = ColumnKeys::default();
        assert_eq!(keys.of("a"), ["a"]);
        keys.drop("a");
        keys.renew("a", &columns(&["b"]));
        assert_eq!(keys.of("a"), ["a#1"]);
        keys.rename("a", "c");
        keys.retype("c", &columns(&["b", "c"]));
        assert_eq!(keys.of("c"), ["c#2", "a#1"]);
        assert_eq!(keys.of("b"), ["b"]);
        keys.rename("b", "a");
        assert_eq!(keys.of("a"), ["b"]);
    }

    #[test]
    fn what_stands_for_null_is_that_of_the_first_type_without_it() {
        let mut keys = ColumnKeys::default();
        keys.retype("a", &columns(&["a"]));
        keys.stand_for_null("a", "7");
        assert_eq!(keys.null_values, BTreeMap::from([("a".to_string(), "7".to_string())]));
        keys.retype("a", &columns(&["a"]));
        keys.retype("a", &columns(&["a"]));
        keys.stand_for_null("a", "9");
        let constant = |key: &str| keys.null_values.get(key).map(String::as_str);
        assert_eq!(
            [constant("a"), constant("a#1"), constant("a#2"), constant("a#3")],
            [Some("7"), Some("9"), Some("9"), None]
        );
        keys.drop("a");
        assert!(keys.null_values.is_empty());
    }

    #[test]
    fn a_name_that_looks_like_a_key_is_never_given_to_another() {
        let mut keys = ColumnKeys::default();
        keys.drop("a#7");
        keys.renew("a", &columns(&["b#3"]));
        assert_eq!(keys.of("a"), ["a#8"]);
    }
}
