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

use gristmill_types::Columns;

/// The keys of a table's columns, where they are not just their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnKeys {
    /// By name; newest first, never empty. A column that is not here has its name as its only key.
    pub keys: BTreeMap<String, Vec<String>>,
    /// No key with this number or a greater one was ever given.
    pub next: u64,
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
        self.keys.insert(name.to_string(), vec![key]);
    }

    /// Its values are of another type from now on.
    pub fn retype(&mut self, name: &str, columns: &Columns) {
        let key = self.unused(name, columns);
        let mut keys = self.of(name);
        keys.insert(0, key);
        self.keys.insert(name.to_string(), keys);
    }

    pub fn rename(&mut self, from: &str, to: &str) {
        let keys = self.of(from);
        self.keys.remove(from);
        self.keys.insert(to.to_string(), keys);
    }

    pub fn drop(&mut self, name: &str) {
        // Its numbers stay used.
        if let Some(number) = self.of(name).iter().filter_map(|key| number_of(key)).max() {
            self.next = self.next.max(number.saturating_add(1));
        }
        self.keys.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use gristmill_types::SqlType;

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
    fn a_name_that_looks_like_a_key_is_never_given_to_another() {
        let mut keys = ColumnKeys::default();
        keys.drop("a#7");
        keys.renew("a", &columns(&["b#3"]));
        assert_eq!(keys.of("a"), ["a#8"]);
    }
}
