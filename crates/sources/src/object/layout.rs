//! The columns of a source of files, and where the values of each come from: the file's data, its path, what the listing
//! knows of it.

use std::sync::Arc;

use arrow::array::BinaryViewArray;
use arrow::array::{ArrayRef, TimestampSecondArray, UInt64Array};
use arrow::datatypes::SchemaRef;
use gristmill_base::Result;
use gristmill_types::{Column, Columns, SqlType};

use super::file::SourceFile;
use super::hive;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum VirtualColumn {
    Path,
    File,
    Size,
    Time,
    Etag,
}

impl VirtualColumn {
    pub const ALL: [VirtualColumn; 5] =
        [VirtualColumn::Path, VirtualColumn::File, VirtualColumn::Size, VirtualColumn::Time, VirtualColumn::Etag];

    pub fn name(self) -> &'static str {
        match self {
            VirtualColumn::Path => "_path",
            VirtualColumn::File => "_file",
            VirtualColumn::Size => "_size",
            VirtualColumn::Time => "_time",
            VirtualColumn::Etag => "_etag",
        }
    }

    pub fn kind(self) -> SqlType {
        let text = || SqlType::LowCardinality(Box::new(SqlType::String));
        match self {
            VirtualColumn::Path | VirtualColumn::File | VirtualColumn::Etag => text(),
            VirtualColumn::Size => SqlType::UInt64.nullable(),
            VirtualColumn::Time => SqlType::DateTime(None).nullable(),
        }
    }

    fn value(self, file: &SourceFile) -> ArrayRef {
        let text = |text: &str| Arc::new(BinaryViewArray::from_iter_values([text.as_bytes()])) as ArrayRef;
        match self {
            VirtualColumn::Path => text(&file.path),
            VirtualColumn::File => text(file.name()),
            VirtualColumn::Size => Arc::new(UInt64Array::from(vec![file.size])),
            VirtualColumn::Time => Arc::new(TimestampSecondArray::from(vec![file.modified])),
            VirtualColumn::Etag => text(file.etag.as_deref().unwrap_or("").trim_matches('"')),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Origin {
    /// A column of the file, matched by name.
    Data,
    /// A `name=value` folder of its path.
    Hive,
    Virtual(VirtualColumn),
}

/// All columns that a plan may ask for: the declared ones, then the virtual ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    pub columns: Columns,
    pub origins: Arc<[Origin]>,
    pub schema: SchemaRef,
    declared_count: usize,
}

impl Layout {
    /// `hive` are the columns of the path: where they are declared, their type is the declared one; where not, they can be
    /// asked for and are no part of `*`. A declared column named like a virtual one hides it.
    pub fn new(declared: &Columns, hive: &[Column]) -> Self {
        let mut columns: Vec<Column> = declared.iter().cloned().collect();
        let of_path = |column: &Column| hive.iter().any(|other| other.name == column.name);
        let mut origins: Vec<Origin> =
            columns.iter().map(|column| if of_path(column) { Origin::Hive } else { Origin::Data }).collect();
        for column in hive.iter().filter(|column| declared.get(&column.name).is_none()) {
            columns.push(column.clone());
            origins.push(Origin::Hive);
        }
        let declared_count = declared.len();
        for column in VirtualColumn::ALL {
            if declared.get(column.name()).is_none() {
                columns.push(Column::new(column.name(), column.kind()));
                origins.push(Origin::Virtual(column));
            }
        }
        let columns = Columns::new(columns);
        let schema = columns.arrow();
        Layout { columns, origins: origins.into(), schema, declared_count }
    }

    /// Only columns of data: there is no file that could tell others.
    pub fn of_data(columns: &Columns) -> Self {
        let origins = vec![Origin::Data; columns.len()];
        Layout { columns: columns.clone(), origins: origins.into(), schema: columns.arrow(), declared_count: columns.len() }
    }

    pub fn virtual_columns(&self) -> Columns {
        Columns::new(self.columns.iter().skip(self.declared_count).cloned().collect())
    }

    pub fn kind(&self, index: usize) -> &SqlType {
        &self.columns.0[index].kind
    }

    pub fn name(&self, index: usize) -> &str {
        &self.columns.0[index].name
    }

    /// Whether all rows of a file have the same value in the column, known without reading it.
    pub fn is_constant(&self, index: usize) -> bool {
        self.origins[index] != Origin::Data
    }

    /// That value, as an array of one row.
    pub fn constant(&self, index: usize, file: &SourceFile) -> Result<Option<ArrayRef>> {
        match self.origins[index] {
            Origin::Data => Ok(None),
            Origin::Hive => hive::value(&self.columns.0[index], file).map(Some),
            Origin::Virtual(column) => Ok(Some(column.value(file))),
        }
    }
}
