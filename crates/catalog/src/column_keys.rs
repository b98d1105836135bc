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
//! | MODIFY COLUMN to another type | a new key before the old ones: what was kept of values of the old type is not taken for the new. The type that the old one stood for is kept |
//! | DROP COLUMN | none |
//!
//! Data skipping indexes have keys of the same making, one each.
//!
//! Values under an old key are read as if each ALTER had changed them: they go through all types that the column had since,
//! because the way matters ('x' is no number, but the 'x' of an Enum8 is one).
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
    /// By key, the type of the values under it, where the column has another since. (Of keys that are older than this, it is not
    /// known.)
    pub kinds: BTreeMap<String, SqlType>,
}

/// What values of a part go through until they are of a column's type of today: the types that the column had since.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CastWay {
    /// The type that they have, those between, and the column's.
    pub kinds: Vec<SqlType>,
    /// By place in `kinds`, what stands for NULL in the step to the next.
    null_values: Vec<Option<String>>,
}

impl CastWay {
    /// From values under one of a column's keys, of the type `from`. `keys`: all of the column, newest first.
    pub fn new(
        (from, key): (&SqlType, &str),
        (to, keys): (&SqlType, &[String]),
        kinds: &BTreeMap<String, SqlType>,
        null_values: &BTreeMap<String, String>,
    ) -> CastWay {
        let mut way = CastWay { kinds: vec![from.clone()], null_values: Vec::new() };
        let mut before = key;
        let later = keys.iter().take_while(|known| *known != key).collect::<Vec<_>>();
        for (at, key) in later.iter().enumerate().rev() {
            let Some(kind) = (if at == 0 { Some(to) } else { kinds.get(*key) }) else { continue };
            way.go_on(kind, null_values.get(before));
            before = key.as_str();
        }
        // A part of before there were keys, or of another table, may have the newest key and another type.
        way.go_on(to, null_values.get(before));
        way
    }

    fn go_on(&mut self, kind: &SqlType, null_value: Option<&String>) {
        let Some(last) = self.kinds.last().filter(|last| *last != kind) else { return };
        let loses_null = last.is_nullable() && !kind.is_nullable();
        self.null_values.push(null_value.filter(|_| loses_null).cloned());
        self.kinds.push(kind.clone());
    }

    /// Whether they are what they are today.
    pub fn is_empty(&self) -> bool {
        self.kinds.len() == 1
    }

    /// Whether something stands for NULL.
    pub fn replaces_null(&self) -> bool {
        self.null_values.iter().any(Option::is_some)
    }

    /// The types between the first and the last.
    pub fn between(&self) -> &[SqlType] {
        self.kinds.get(1..self.kinds.len() - 1).unwrap_or_default()
    }

    /// The way as an expression over a column of the first type.
    pub fn expression(&self, column: &str) -> String {
        let last = self.null_values.len().saturating_sub(1);
        let steps = self.kinds.iter().skip(1).zip(&self.null_values).enumerate();
        steps.fold(column.to_string(), |text, (at, (kind, null_value))| match null_value {
            Some(constant) => without_null(&text, kind, constant),
            // Whoever asks for the last type casts to it.
            None if at == last => text,
            None => format!("CAST({text}, {})", quote(&kind.to_string())),
        })
    }
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
        self.forget_values(name);
        self.keys.insert(name.to_string(), vec![key]);
    }

    /// Its values are of another type from now on. `columns`: those of the table before the change.
    pub fn retype(&mut self, name: &str, columns: &Columns) {
        let key = self.unused(name, columns);
        let mut keys = self.of(name);
        if let (Some(old), Some(column)) = (keys.first(), columns.get(name)) {
            self.kinds.insert(old.clone(), column.kind.clone());
        }
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
        self.forget_values(name);
        // Its numbers stay used.
        if let Some(number) = self.of(name).iter().filter_map(|key| number_of(key)).max() {
            self.next = self.next.max(number.saturating_add(1));
        }
        self.keys.remove(name);
    }

    fn forget_values(&mut self, name: &str) {
        // A column that is not here has no such values, and its name may be the key of another.
        for key in self.keys.get(name).into_iter().flatten() {
            self.null_values.remove(key);
            self.kinds.remove(key);
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
    fn values_go_through_all_types_that_the_column_had() {
        let mut keys = ColumnKeys::default();
        let mut columns = Columns::of([("a", SqlType::String.nullable())]);
        for kind in [SqlType::String, SqlType::Int8, SqlType::Int8, SqlType::UInt8] {
            keys.retype("a", &columns);
            columns = Columns::of([("a", kind)]);
        }
        keys.null_values = BTreeMap::from([("a".to_string(), "7".to_string())]);
        let way = |from: &SqlType, key: &str| {
            CastWay::new((from, key), (&SqlType::UInt8, &keys.of("a")), &keys.kinds, &keys.null_values)
        };
        let whole = way(&SqlType::String.nullable(), "a");
        assert_eq!(whole.between(), [SqlType::String, SqlType::Int8]);
        let null = "ifNull(CAST(`a`, 'Nullable(String)'), CAST(7, 'String'))";
        assert_eq!(whole.expression("`a`"), format!("CAST({null}, 'Int8')"));
        assert_eq!(way(&SqlType::Int8, "a#3").expression("`a`"), "`a`");
        assert!(way(&SqlType::UInt8, "a#4").is_empty());
        // There and back again.
        assert_eq!(way(&SqlType::UInt8, "a#1").between(), [SqlType::Int8]);
        keys.drop("a");
        assert!(keys.kinds.is_empty());
    }

    #[test]
    fn a_name_that_looks_like_a_key_is_never_given_to_another() {
        let mut keys = ColumnKeys::default();
        keys.drop("a#7");
        keys.renew("a", &columns(&["b#3"]));
        assert_eq!(keys.of("a"), ["a#8"]);
    }
}
