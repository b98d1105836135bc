//! CHECK TABLE and CHECK ALL TABLES: a row for each part, or one for all of them.

use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryViewArray, UInt8Array};
use gristmill_base::Result;
use gristmill_catalog::{CheckedPart, PartChoice, PartitionChoice, Table};
use gristmill_sql::statement::Checked;
use gristmill_types::{Columns, SqlType};

use super::{Interpreter, Outcome};

impl Interpreter {
    pub(super) async fn check(&self, checked: &Checked) -> Result<Outcome> {
        let everything = PartChoice::Partition(PartitionChoice::All);
        let chosen: Vec<(Arc<dyn Table>, PartChoice)> = match checked {
            Checked::All => self.checkable().into_iter().map(|table| (table, everything.clone())).collect(),
            Checked::Partition(name, partition) => {
                let (database, table) = self.full(name);
                let table = self.databases(database).stored(database, table)?;
                let choice = match table.partition_key() {
                    Some(_) => PartChoice::Partition(self.partition_choice(&table, partition)?),
                    // It says itself that it cannot be checked.
                    None => everything,
                };
                vec![(table, choice)]
            }
            Checked::Part(name, part) => {
                let (database, table) = self.full(name);
                vec![(self.databases(database).stored(database, table)?, PartChoice::Part(part.clone()))]
            }
        };
        let mut parts = Vec::new();
        for (table, choice) in &chosen {
            for part in table.check(&self.context, choice).await? {
                parts.push((table.definition(), part));
            }
        }
        let passed = |part: &CheckedPart| u8::from(part.damage.is_none());
        if self.context.settings.check_query_single_value_result {
            let all = parts.iter().map(|(_, part)| passed(part)).min().unwrap_or(1);
            return Outcome::rows(Columns::of([("result", SqlType::UInt8)]), vec![Arc::new(UInt8Array::from(vec![all]))]);
        }
        let text = |texts: Vec<String>| Arc::new(BinaryViewArray::from_iter_values(texts)) as ArrayRef;
        let mut columns = vec![
            ("part_path", SqlType::String, text(parts.iter().map(|(_, part)| part.name.clone()).collect())),
            (
                "is_passed",
                SqlType::UInt8,
                Arc::new(parts.iter().map(|(_, part)| passed(part)).collect::<UInt8Array>()) as ArrayRef,
            ),
            (
                "message",
                SqlType::String,
                text(
                    parts.iter().map(|(_, part)| part.damage.as_ref().map_or(String::new(), ToString::to_string)).collect(),
                ),
            ),
        ];
        if *checked == Checked::All {
            let of_table = parts.iter().map(|(table, _)| (table.database.clone(), table.name.clone()));
            let (databases, tables): (Vec<String>, Vec<String>) = of_table.unzip();
            columns.insert(0, ("table", SqlType::String, text(tables)));
            columns.insert(0, ("database", SqlType::String, text(databases)));
        }
        let declared = Columns::of(columns.iter().map(|(name, kind, _)| (*name, kind.clone())));
        Outcome::rows(declared, columns.into_iter().map(|(_, _, array)| array).collect())
    }

    fn checkable(&self) -> Vec<Arc<dyn Table>> {
        let databases = &self.engine.databases;
        let names = databases.database_names();
        let tables = names.iter().flat_map(|database| databases.tables(database));
        tables.filter(|table| table.definition().engine.name.ends_with("MergeTree")).collect()
    }
}
