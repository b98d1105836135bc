//! The table's definition, as ALTER changes it: beside the columns that all rows have (`p`, `n`, `v`) some that come, go and
//! change their names. Such a column is `n` and a number in every row, by its default and by what is inserted, so that
//! it can be told from another one that had its name before.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch};
use gristmill_base::Result;
use gristmill_mergetree::testing::TableSpec;
use gristmill_types::{Column, Columns, DefaultKind, SqlType};

use crate::journal::{ROWS, partition_of};

/// Names for columns that come and go: few, so that they come back.
const NAMES: [&str; 3] = ["a", "b", "c"];

#[derive(Clone, Debug)]
pub struct AddedColumn {
    pub name: String,
    number: i64,
}

impl AddedColumn {
    /// Its value in row `n`.
    pub fn value(&self, n: i64) -> i64 {
        n + self.number
    }
}

#[derive(Clone, Debug)]
pub struct Definition {
    pub spec: TableSpec,
    pub added: Vec<AddedColumn>,
    /// Columns that were ever added.
    count: i64,
}

/// What an ALTER does.
#[derive(Clone, Copy, Debug)]
pub enum Alter {
    Add,
    Drop,
    Rename,
}

impl Definition {
    /// Two partitions, so that an insert is two parts.
    pub fn new() -> Result<Definition> {
        let columns = Columns::of([("p", SqlType::Int64), ("n", SqlType::Int64), ("v", SqlType::Int64)]);
        let spec = TableSpec::new(columns, &["n"], &["p"])?;
        let spec = spec.with_setting("old_parts_lifetime", 60).with_setting("orphan_grace_seconds", 7200);
        Ok(Definition { spec, added: Vec::new(), count: 0 })
    }

    /// After an ALTER of a column that `chance` chooses. The same, where there is none to drop or rename.
    pub fn altered(&self, alter: Alter, chance: u64) -> Result<Definition> {
        let mut next = self.clone();
        let free: Vec<&str> = NAMES.into_iter().filter(|name| self.added.iter().all(|added| added.name != *name)).collect();
        let name = |of: usize| free[of % free.len()].to_string();
        let chance = chance as usize;
        match alter {
            Alter::Add if !free.is_empty() => {
                next.count += 1;
                let column = AddedColumn { name: name(chance), number: next.count * 1000 };
                next.spec.column_keys.renew(&column.name, &self.spec.columns);
                next.added.push(column);
            }
            Alter::Drop if !self.added.is_empty() => {
                let gone = next.added.remove(chance % self.added.len());
                next.spec.column_keys.drop(&gone.name);
            }
            Alter::Rename if !self.added.is_empty() && !free.is_empty() => {
                let at = chance % self.added.len();
                let from = std::mem::replace(&mut next.added[at].name, name(chance));
                next.spec.column_keys.rename(&from, &next.added[at].name);
            }
            _ => return Ok(next),
        }
        let fixed = self.spec.columns.iter().take(3).cloned();
        let added = next.added.iter().map(|added| Column {
            default: Some((DefaultKind::Default, format!("n + {}", added.number))),
            ..Column::new(&added.name, SqlType::Int64)
        });
        next.spec = next.spec.with_columns(Columns::new(fixed.chain(added).collect()))?;
        Ok(next)
    }

    /// Rows `from..from + ROWS`.
    pub fn batch(&self, from: i64) -> Result<RecordBatch> {
        let column = |value: &dyn Fn(i64) -> i64| -> ArrayRef {
            Arc::new(Int64Array::from_iter_values((from..from + ROWS).map(value)))
        };
        let mut columns = vec![column(&partition_of), column(&|n| n), column(&|_| 0)];
        columns.extend(self.added.iter().map(|added| column(&|n| added.value(n))));
        Ok(RecordBatch::try_new(self.spec.columns.arrow(), columns)?)
    }
}
