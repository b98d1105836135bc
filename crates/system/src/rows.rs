//! Rows of a system table, cell by cell, and the arrays they become.

use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Weak};

use arrow::array::{
    ArrayRef, Decimal256Array, FixedSizeBinaryArray, Float64Array, Int8Array, Int16Array, Int64Array, ListArray, MapArray,
    RecordBatch, RecordBatchOptions, StructArray, UInt64Array,
};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type, UInt64Type, i256};
use gristmill_base::{Error, Result};
use gristmill_catalog::{Databases, RowsFuture, RowsTable, Table};
use gristmill_introspect::QueryContext;
use gristmill_types::bytes::BytesBuilder;
use gristmill_types::default::default_array;
use gristmill_types::{Column, Columns, SqlType};
use uuid::Uuid;

use crate::tables::every;
use crate::whole::Whole;

/// A value. Which fits a column follows from its type; another is a defect.
#[derive(Clone, Debug)]
pub enum Cell {
    /// NULL, or the type's default.
    None,
    /// A String, or the name of an enum's value.
    Text(String),
    /// Any unsigned integer; a Date in days, a DateTime in seconds.
    Unsigned(u64),
    /// Any signed integer; a DateTime64 in ticks.
    Signed(i64),
    Float(f64),
    Uuid(Uuid),
    /// An IPv6.
    Address(Ipv6Addr),
    /// A UInt128.
    Wide(u128),
    /// A Tuple(UInt64, UInt64).
    Span(u64, u64),
    Texts(Vec<String>),
    /// Array(Int64), Array(UInt64) by its bits, Array(DateTime) in seconds, or Array(DateTime64) in ticks.
    Numbers(Vec<i64>),
    /// Map(String, UInt64)
    Counts(Vec<(String, u64)>),
    /// Map(String, String), or Array(Tuple(String, String)).
    Pairs(Vec<(String, String)>),
    /// Array(Tuple(String, …)).
    Tuples(Vec<Vec<String>>),
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(text.to_string())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell::Text(text)
    }
}

impl From<&String> for Cell {
    fn from(text: &String) -> Cell {
        Cell::Text(text.clone())
    }
}

impl From<u64> for Cell {
    fn from(value: u64) -> Cell {
        Cell::Unsigned(value)
    }
}

impl From<usize> for Cell {
    fn from(value: usize) -> Cell {
        Cell::Unsigned(value as u64)
    }
}

impl From<bool> for Cell {
    fn from(value: bool) -> Cell {
        Cell::Unsigned(u64::from(value))
    }
}

impl From<i64> for Cell {
    fn from(value: i64) -> Cell {
        Cell::Signed(value)
    }
}

impl From<IpAddr> for Cell {
    fn from(address: IpAddr) -> Cell {
        Cell::Address(match address {
            IpAddr::V4(address) => address.to_ipv6_mapped(),
            IpAddr::V6(address) => address,
        })
    }
}

impl From<Vec<String>> for Cell {
    fn from(texts: Vec<String>) -> Cell {
        Cell::Texts(texts)
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Cell {
        value.map_or(Cell::None, Into::into)
    }
}

/// What a structure says, and apart from it the columns that are computed of those (`table String ALIAS name`), of which rows
/// have no cells.
fn declared(structure: &str) -> Result<(Columns, Vec<Column>)> {
    let all = gristmill_types::parse::structure_with_defaults(structure, true)?;
    let (aliases, told) = all.iter().cloned().partition(Column::has_default_expression);
    Ok((Columns::new(told), aliases))
}

/// Aliases stand behind all others: `*` has none of them.
fn with_aliases(columns: &Columns, aliases: Vec<Column>) -> Columns {
    Columns::new(columns.iter().cloned().chain(aliases).collect())
}

/// A table of `database` whose rows `fill` pushes when it is read. `structure` as in `name String, value UInt64`; what
/// else ClickHouse's table has is added (`whole`).
pub fn table(
    database: &str,
    name: &str,
    engine: &str,
    structure: &str,
    fill: impl Fn(&Arc<QueryContext>, &mut Rows) -> Result<()> + Send + Sync + 'static,
) -> Result<Arc<dyn Table>> {
    let (told, aliases) = declared(structure)?;
    let whole = Whole::of(database, name, &told)?;
    let columns = with_aliases(&whole.columns, aliases);
    let rows = move |context: &Arc<QueryContext>| {
        let mut rows = Rows::new(&told);
        fill(context, &mut rows)?;
        Ok(vec![whole.rows(&rows.finish()?)?])
    };
    Ok(Arc::new(RowsTable::sync(database, name, engine, columns, rows)))
}

/// As `table`, of rows that tell what lies in parts: those of all tables are opened first.
pub fn table_of_opened_parts(
    name: &str,
    engine: &str,
    structure: &str,
    databases: Weak<Databases>,
    fill: impl Fn(&mut Rows) -> Result<()> + Send + Sync + 'static,
) -> Result<Arc<dyn Table>> {
    let (told, aliases) = declared(structure)?;
    let whole = Whole::of("system", name, &told)?;
    let (columns, fill) = (with_aliases(&whole.columns, aliases), Arc::new(fill));
    let rows = move |context: Arc<QueryContext>| -> RowsFuture {
        let (whole, told) = (whole.clone(), told.clone());
        let (tables, fill) = (databases.upgrade().map(|known| every(&known)), fill.clone());
        Box::pin(async move {
            for table in tables.unwrap_or_default() {
                table.open_parts(&context).await?;
            }
            let mut rows = Rows::new(&told);
            fill(&mut rows)?;
            Ok(vec![whole.rows(&rows.finish()?)?])
        })
    };
    Ok(Arc::new(RowsTable::new("system", name, engine, columns, Arc::new(rows))))
}

pub struct Rows {
    columns: Columns,
    cells: Vec<Vec<Cell>>,
    /// The end of every row.
    ending: Vec<Cell>,
}

impl Rows {
    pub fn new(columns: &Columns) -> Self {
        Self::ending_with(columns, Vec::new())
    }

    /// Rows whose last cells are these, without being pushed.
    pub fn ending_with(columns: &Columns, ending: Vec<Cell>) -> Self {
        Rows { columns: columns.clone(), cells: vec![Vec::new(); columns.len()], ending }
    }

    /// Adds a row: a cell for each column.
    pub fn push<const N: usize>(&mut self, row: [Cell; N]) -> Result<()> {
        self.push_cells(row)
    }

    /// Adds a row of as many cells as there are columns, where only the program's run tells how many.
    pub fn push_all(&mut self, row: Vec<Cell>) -> Result<()> {
        self.push_cells(row)
    }

    fn push_cells(&mut self, row: impl IntoIterator<Item = Cell, IntoIter: ExactSizeIterator>) -> Result<()> {
        let row = row.into_iter();
        let (cells, columns) = (row.len() + self.ending.len(), self.cells.len());
        if cells != columns {
            return Err(Error::logical(format!("A row of {cells} cells for {columns} columns of a system table")));
        }
        for (column, cell) in self.cells.iter_mut().zip(row.chain(self.ending.iter().cloned())) {
            column.push(cell);
        }
        Ok(())
    }

    /// Adds a row whose cells are those of the first half of the columns and of the second half alike.
    pub fn push_twice<const N: usize>(&mut self, row: [Cell; N]) -> Result<()> {
        self.push_each_twice(row, [])
    }

    /// Adds a row of the first cells, twice, and the others, twice.
    pub fn push_each_twice<const N: usize, const M: usize>(&mut self, first: [Cell; N], others: [Cell; M]) -> Result<()> {
        if 2 * (N + M) != self.cells.len() {
            let cells = self.cells.len();
            return Err(Error::logical(format!("Twice {} cells for {cells} columns of a system table", N + M)));
        }
        let places = (0..N).map(|at| (at, at + N)).chain((0..M).map(|at| (2 * N + at, 2 * N + at + M)));
        for ((lower, upper), cell) in places.zip(first.into_iter().chain(others)) {
            self.cells[upper].push(cell.clone());
            self.cells[lower].push(cell);
        }
        Ok(())
    }

    pub fn finish(self) -> Result<RecordBatch> {
        let rows = self.cells.first().map_or(0, Vec::len);
        let arrays = self.columns.iter().zip(&self.cells).map(|(column, cells)| array(column, cells));
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        Ok(RecordBatch::try_new_with_options(self.columns.arrow(), arrays.collect::<Result<_>>()?, &options)?)
    }
}

fn misfit(column: &Column, cell: &Cell) -> Error {
    Error::logical(format!("Column {} of a system table is {}, and got {cell:?}", column.name, column.kind))
}

fn array(column: &Column, cells: &[Cell]) -> Result<ArrayRef> {
    if cells.is_empty() || cells.iter().all(|cell| matches!(cell, Cell::None)) {
        return Ok(default_array(&column.kind, cells.len()));
    }
    let nulls = column.kind.is_nullable().then(|| cells.iter().map(|cell| !matches!(cell, Cell::None)).collect::<Vec<_>>());
    let nulls = nulls.map(NullBuffer::from).filter(|nulls| nulls.null_count() > 0);
    let carrier = column.kind.arrow();
    match column.kind.plain() {
        SqlType::String => {
            let mut builder = BytesBuilder::with_capacity(cells.len());
            for cell in cells {
                match cell {
                    Cell::Text(text) => builder.append(text.as_bytes()),
                    Cell::None => builder.append(b""),
                    other => return Err(misfit(column, other)),
                }
            }
            Ok(Arc::new(builder.finish(nulls)))
        }
        SqlType::Enum8(names) | SqlType::Enum16(names) => {
            let values = cells.iter().map(|cell| match cell {
                Cell::Text(name) => names.value_of(name.as_bytes()).ok_or_else(|| misfit(column, cell)),
                Cell::None => Ok(names.0.first().map_or(0, |(_, value)| *value)),
                other => Err(misfit(column, other)),
            });
            Ok(cast(&Int16Array::new(values.collect::<Result<Vec<_>>>()?.into(), nulls), &carrier)?)
        }
        SqlType::Float64 => {
            let values = cells.iter().map(|cell| match cell {
                Cell::Float(value) => Ok(*value),
                Cell::None => Ok(0.0),
                other => Err(misfit(column, other)),
            });
            Ok(Arc::new(Float64Array::new(values.collect::<Result<Vec<_>>>()?.into(), nulls)))
        }
        SqlType::Uuid | SqlType::IPv6 => {
            let values = cells.iter().map(|cell| match cell {
                Cell::Uuid(uuid) => Ok(*uuid.as_bytes()),
                Cell::Address(address) => Ok(address.octets()),
                Cell::None => Ok([0; 16]),
                other => Err(misfit(column, other)),
            });
            let values: Vec<[u8; 16]> = values.collect::<Result<_>>()?;
            Ok(Arc::new(FixedSizeBinaryArray::try_from_iter(values.into_iter())?))
        }
        SqlType::UInt128 => {
            let values = cells.iter().map(|cell| match cell {
                Cell::Wide(value) => Ok(i256::from_parts(*value, 0)),
                Cell::None => Ok(i256::ZERO),
                other => Err(misfit(column, other)),
            });
            let values = Decimal256Array::new(values.collect::<Result<Vec<_>>>()?.into(), nulls);
            Ok(Arc::new(values.with_data_type(carrier)))
        }
        SqlType::Array(element) if element.plain() == &SqlType::String => {
            let mut builder = BytesBuilder::default();
            let mut lengths = Vec::with_capacity(cells.len());
            for cell in cells {
                let before = builder.len();
                match cell {
                    Cell::Texts(texts) => texts.iter().for_each(|text| builder.append(text.as_bytes())),
                    Cell::None => {}
                    other => return Err(misfit(column, other)),
                }
                lengths.push(builder.len() - before);
            }
            let offsets = OffsetBuffer::from_lengths(lengths);
            Ok(Arc::new(ListArray::try_new(element.field("item"), offsets, Arc::new(builder.finish(None)), None)?))
        }
        SqlType::Array(element) if matches!(element.plain(), SqlType::Enum8(_)) => {
            let SqlType::Enum8(names) = element.plain() else { return Err(misfit(column, &cells[0])) };
            let (mut values, mut lengths) = (Vec::new(), Vec::with_capacity(cells.len()));
            for cell in cells {
                let texts: &[String] = match cell {
                    Cell::Texts(texts) => texts,
                    Cell::None => &[],
                    other => return Err(misfit(column, other)),
                };
                for text in texts {
                    values.push(names.value_of(text.as_bytes()).ok_or_else(|| misfit(column, cell))? as i8);
                }
                lengths.push(texts.len());
            }
            let values = Arc::new(Int8Array::from(values));
            Ok(Arc::new(ListArray::try_new(element.field("item"), OffsetBuffer::from_lengths(lengths), values, None)?))
        }
        SqlType::Array(element)
            if matches!(
                element.plain(),
                SqlType::Int64 | SqlType::UInt64 | SqlType::DateTime(_) | SqlType::DateTime64(..)
            ) =>
        {
            let (mut values, mut lengths) = (Vec::new(), Vec::with_capacity(cells.len()));
            for cell in cells {
                let numbers: &[i64] = match cell {
                    Cell::Numbers(numbers) => numbers,
                    Cell::None => &[],
                    other => return Err(misfit(column, other)),
                };
                values.extend_from_slice(numbers);
                lengths.push(numbers.len());
            }
            let element = element.field("item");
            let values: ArrayRef = match element.data_type() {
                DataType::UInt64 => Arc::new(UInt64Array::from_iter_values(values.iter().map(|value| *value as u64))),
                other => cast(&Int64Array::from(values), other)?,
            };
            Ok(Arc::new(ListArray::try_new(element, OffsetBuffer::from_lengths(lengths), values, None)?))
        }
        SqlType::Map(..) => map(column, cells, &carrier),
        SqlType::Tuple(_) => spans(column, cells, &carrier),
        SqlType::Array(element) if matches!(element.plain(), SqlType::Tuple(..)) => tuples(column, cells, &carrier),
        _ => numbers(column, cells, nulls, &carrier),
    }
}

fn spans(column: &Column, cells: &[Cell], carrier: &DataType) -> Result<ArrayRef> {
    let DataType::Struct(fields) = carrier else { return Err(misfit(column, &cells[0])) };
    let ends = cells.iter().map(|cell| match cell {
        Cell::Span(start, end) => Ok((*start, *end)),
        Cell::None => Ok((0, 0)),
        other => Err(misfit(column, other)),
    });
    let (starts, ends): (Vec<u64>, Vec<u64>) = ends.collect::<Result<Vec<_>>>()?.into_iter().unzip();
    let columns: Vec<ArrayRef> = vec![Arc::new(UInt64Array::from(starts)), Arc::new(UInt64Array::from(ends))];
    Ok(Arc::new(StructArray::try_new(fields.clone(), columns, None)?))
}

fn numbers(column: &Column, cells: &[Cell], nulls: Option<NullBuffer>, carrier: &DataType) -> Result<ArrayRef> {
    // Through 64 bits of the sign that the column has; what does not fit is a defect and becomes an error.
    let unsigned = matches!(column.kind.integer_bits(), Some((_, false))) || *column.kind.plain() == SqlType::Bool;
    let values: ArrayRef = if unsigned {
        let values = cells.iter().map(|cell| match cell {
            Cell::Unsigned(value) => Ok(*value),
            Cell::None => Ok(0),
            other => Err(misfit(column, other)),
        });
        Arc::new(arrow::array::PrimitiveArray::<UInt64Type>::new(values.collect::<Result<Vec<_>>>()?.into(), nulls))
    } else {
        let values = cells.iter().map(|cell| match cell {
            Cell::Signed(value) => Ok(*value),
            Cell::Unsigned(value) => i64::try_from(*value).map_err(|_| misfit(column, cell)),
            Cell::None => Ok(0),
            other => Err(misfit(column, other)),
        });
        Arc::new(arrow::array::PrimitiveArray::<Int64Type>::new(values.collect::<Result<Vec<_>>>()?.into(), nulls))
    };
    let narrow = match carrier {
        // Arrow has no cast of 64-bit integers to days.
        DataType::Date32 => cast(&values, &DataType::Int32)?,
        _ => values,
    };
    Ok(cast(&narrow, carrier)?)
}

/// An array of tuples of texts for each cell.
fn tuples(column: &Column, cells: &[Cell], carrier: &DataType) -> Result<ArrayRef> {
    let DataType::List(item) = carrier else { return Err(misfit(column, &Cell::None)) };
    let DataType::Struct(fields) = item.data_type() else { return Err(misfit(column, &Cell::None)) };
    let mut texts: Vec<BytesBuilder> = fields.iter().map(|_| BytesBuilder::default()).collect();
    let mut push = |tuple: &[&String]| {
        texts.iter_mut().zip(tuple).for_each(|(builder, text)| builder.append(text.as_bytes()));
    };
    let mut lengths = Vec::with_capacity(cells.len());
    for cell in cells {
        lengths.push(match cell {
            Cell::Pairs(pairs) => {
                pairs.iter().for_each(|(key, value)| push(&[key, value]));
                pairs.len()
            }
            Cell::Tuples(tuples) => {
                tuples.iter().for_each(|tuple| push(&tuple.iter().collect::<Vec<_>>()));
                tuples.len()
            }
            Cell::None => 0,
            other => return Err(misfit(column, other)),
        });
    }
    let arrays = texts.iter_mut().map(|builder| Arc::new(builder.finish(None)) as ArrayRef).collect();
    let tuples = StructArray::try_new(fields.clone(), arrays, None)?;
    Ok(Arc::new(ListArray::try_new(item.clone(), OffsetBuffer::from_lengths(lengths), Arc::new(tuples), None)?))
}

fn map(column: &Column, cells: &[Cell], carrier: &DataType) -> Result<ArrayRef> {
    let (mut keys, mut texts, mut counts) = (BytesBuilder::default(), BytesBuilder::default(), Vec::new());
    let mut lengths = Vec::with_capacity(cells.len());
    for cell in cells {
        let before = keys.len();
        match cell {
            Cell::Counts(pairs) => {
                for (key, count) in pairs {
                    keys.append(key.as_bytes());
                    counts.push(*count);
                }
            }
            Cell::Pairs(pairs) => {
                for (key, value) in pairs {
                    keys.append(key.as_bytes());
                    texts.append(value.as_bytes());
                }
            }
            Cell::None => {}
            other => return Err(misfit(column, other)),
        }
        lengths.push(keys.len() - before);
    }
    let (DataType::Map(entries, ordered), SqlType::Map(_, value)) = (carrier, column.kind.plain()) else {
        return Err(misfit(column, &Cell::None));
    };
    let values: ArrayRef = match value.plain() {
        SqlType::String => Arc::new(texts.finish(None)),
        _ => Arc::new(arrow::array::UInt64Array::from(counts)),
    };
    let DataType::Struct(fields) = entries.data_type() else { return Err(misfit(column, &Cell::None)) };
    let pairs = StructArray::try_new(fields.clone(), vec![Arc::new(keys.finish(None)), values], None)?;
    Ok(Arc::new(MapArray::try_new(entries.clone(), OffsetBuffer::from_lengths(lengths), pairs, None, *ordered)?))
}

#[cfg(test)]
mod tests {
    use arrow::array::AsArray;

    use super::*;

    /// A walk over frames that were not kept can tell addresses that no process has.
    #[test]
    fn addresses_may_have_all_their_bits() {
        let columns = gristmill_types::parse::structure("trace Array(UInt64)").expect("a structure");
        let mut rows = Rows::new(&columns);
        rows.push([Cell::Numbers(vec![4096, u64::MAX as i64])]).expect("a row");
        let batch = rows.finish().expect("a batch");
        let addresses = batch.column(0).as_list::<i32>().value(0);
        assert_eq!(addresses.as_primitive::<UInt64Type>().values(), &[4096, u64::MAX]);
    }
}
