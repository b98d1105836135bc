//! What a statement made use of, by name: noted where it is found out, told by the query log.

use std::collections::{BTreeMap, BTreeSet};

use parking_lot::Mutex;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Use {
    AggregateFunction,
    AggregateFunctionCombinator,
    /// `database.table.column`
    Column,
    DataTypeFamily,
    Format,
    Function,
    /// `DROP TABLE ON database.table`
    MissingPrivilege,
    /// `database.table.partition`
    Partition,
    Privilege,
    /// `database.table`: the user was asked about its rights to read it. What of it is read is known later.
    TableAskedAbout,
    /// `database.table`: nothing of it may be read. Which columns were wanted, `MissingPrivilege` may say.
    TableDenied,
    /// An engine of a table that is made.
    Storage,
    TableFunction,
    /// A materialized view that an INSERT fills.
    View,
}

/// Of one statement.
#[derive(Debug, Default)]
pub struct Used(Mutex<BTreeMap<Use, BTreeSet<String>>>);

impl Used {
    pub fn note(&self, what: Use, name: &str) {
        let mut all = self.0.lock();
        let names = all.entry(what).or_default();
        if !names.contains(name) {
            names.insert(name.to_string());
        }
    }

    /// Sorted.
    pub fn names(&self, what: Use) -> Vec<String> {
        self.0.lock().get(&what).map_or_else(Vec::new, |names| names.iter().cloned().collect())
    }
}
