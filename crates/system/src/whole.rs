//! Columns that ClickHouse has in a system table and this system has nothing to tell of: tools select them by name.
//! They are there, in ClickHouse's place, with the default of their type.

use std::collections::HashMap;
use std::sync::LazyLock;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use gristmill_base::{Error, Result};
use gristmill_types::default::default_array;
use gristmill_types::{Column, Columns};

/// Columns of the tables of ClickHouse 26.9, without aliases: name and type, by table.
static OF_CLICKHOUSE: LazyLock<HashMap<&str, Vec<(&str, &str)>>> = LazyLock::new(|| {
    let mut tables: HashMap<&str, Vec<(&str, &str)>> = HashMap::new();
    for line in include_str!("columns_of_clickhouse.tsv").lines() {
        if let Some((table, (name, kind))) =
            line.split_once('\t').and_then(|(table, rest)| Some((table, rest.split_once('\t')?)))
        {
            tables.entry(table).or_default().push((name, kind));
        }
    }
    tables
});

/// A table's columns, those that are `told` among them, and where each is in what is told.
#[derive(Clone)]
pub struct Whole {
    pub columns: Columns,
    places: Vec<Option<usize>>,
}

impl Whole {
    /// Those that ClickHouse does not have, or has as aliases, come last.
    pub fn of(database: &str, table: &str, told: &Columns) -> Result<Whole> {
        let known = OF_CLICKHOUSE.get(table).filter(|_| database == "system").map_or(&[][..], Vec::as_slice);
        let (mut columns, mut places): (Vec<Column>, Vec<Option<usize>>) = (Vec::new(), Vec::new());
        for (name, kind) in known {
            let place = told.index_of(name);
            columns.push(match place {
                Some(place) => told.0[place].clone(),
                None => {
                    let structure = gristmill_types::parse::structure(&format!("`{name}` {kind}"))?;
                    structure.iter().next().cloned().ok_or_else(|| Error::logical("A structure without a column"))?
                }
            });
            places.push(place);
        }
        for (place, column) in told.iter().enumerate() {
            if known.iter().all(|(name, _)| *name != column.name) {
                columns.push(column.clone());
                places.push(Some(place));
            }
        }
        Ok(Whole { columns: Columns::new(columns), places })
    }

    pub fn rows(&self, told: &RecordBatch) -> Result<RecordBatch> {
        let rows = told.num_rows();
        let array = |(column, place): (&Column, &Option<usize>)| -> ArrayRef {
            place.map_or_else(|| default_array(&column.kind, rows), |place| told.column(place).clone())
        };
        let arrays = self.columns.iter().zip(&self.places).map(array).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        Ok(RecordBatch::try_new_with_options(self.columns.arrow(), arrays, &options)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_told_has_clickhouses_place_and_the_default_of_its_type() {
        let told = gristmill_types::parse::structure("table String, own UInt8, database String").expect("a structure");
        let whole = Whole::of("system", "moves", &told).expect("known");
        let names = whole.columns.names();
        assert_eq!(
            (&names[..2], names.last().map(String::as_str)),
            (&["database".to_string(), "table".to_string()][..], Some("own"))
        );
        let rows = whole.rows(&crate::rows::Rows::new(&told).finish().expect("no rows")).expect("rows");
        assert_eq!(rows.num_columns(), names.len());
        assert_eq!(Whole::of("information_schema", "moves", &told).expect("known").columns.len(), 3);
    }

    #[test]
    fn every_type_of_clickhouses_columns_is_known() {
        for table in OF_CLICKHOUSE.keys() {
            let told = Columns::default();
            let whole = Whole::of("system", table, &told).expect("its types");
            let none = whole.rows(&crate::rows::Rows::new(&told).finish().expect("no rows")).expect("rows");
            assert_eq!(none.num_columns(), OF_CLICKHOUSE[table].len());
        }
    }
}
