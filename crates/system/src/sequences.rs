//! `system.one`, `system.numbers`, `system.numbers_mt`, `system.zeros`, `system.zeros_mt`: the table functions of these
//! names without arguments, as tables.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::Table;
use gristmill_catalog::rows_table::system_definition;
use gristmill_sources::generate::numbers::Numbers;
use gristmill_sources::generate::one::One;
use gristmill_sources::generate::table::SequenceTable;
use gristmill_sources::generate::zeros::Zeros;

pub fn add(all: &mut Vec<Arc<dyn Table>>) -> Result<()> {
    let numbers = |eager| Numbers { offset: 0, count: None, step: 1, eager, column: "number" };
    for (name, engine, table) in [
        ("one", "SystemOne", SequenceTable::of("SystemOne", "one", One)),
        ("numbers", "SystemNumbers", SequenceTable::of("SystemNumbers", "numbers", numbers(false))),
        ("numbers_mt", "SystemNumbers", SequenceTable::of("SystemNumbers", "numbers_mt", numbers(true))),
        ("zeros", "SystemZeros", SequenceTable::of("SystemZeros", "zeros", Zeros { count: None, eager: false })),
        ("zeros_mt", "SystemZeros", SequenceTable::of("SystemZeros", "zeros_mt", Zeros { count: None, eager: true })),
    ] {
        let columns = table.definition().columns.clone();
        all.push(table.renamed(system_definition("system", name, engine, columns))?);
    }
    Ok(())
}
