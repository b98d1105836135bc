//! Where the columns of a scan are in one particular file, and how a block of the file becomes a block of the table:
//! columns are matched by name, converted to the table's types, filled with defaults where the file lacks them, and
//! repeated where the file has one value for all rows.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, UInt32Array};
use arrow::compute::take;
use arrow::datatypes::Schema;
use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_formats::columnar::nested_columns::{nested_column, nested_place};
use gristmill_formats::{flagged_column, flags_of};
use gristmill_introspect::Settings;

use crate::object::convert::Converter;
use crate::object::file::SourceFile;
use crate::object::layout::Layout;

#[derive(Clone, Debug)]
pub enum Place {
    /// The index among the file's top-level columns.
    File(usize),
    /// A column of a Nested: the index of the Nested among the file's top-level columns, and its own within that.
    Nested { at: usize, member: usize },
    /// The file does not have it.
    Missing,
    /// One row with the value of all.
    Constant(ArrayRef),
    /// What the file leaves out of a column: that one's index in the layout, and among the file's columns, where it is there.
    Omitted { of: usize, at: Option<usize> },
}

/// The places of the columns of a layout that a scan needs.
#[derive(Clone, Debug)]
pub struct FileColumns {
    layout: Arc<Layout>,
    /// Ascending by the index in the layout.
    places: Vec<(usize, Place)>,
    path: Arc<str>,
    converter: Converter,
}

impl FileColumns {
    /// `needed` are indices in the layout.
    pub fn new(
        layout: &Arc<Layout>,
        needed: &[usize],
        schema: &Schema,
        file: &SourceFile,
        settings: &Settings,
    ) -> Result<Self> {
        let any_case = settings.input_format_parquet_case_insensitive_column_matching;
        let finder = Finder::new(schema, needed.len(), any_case);
        let nested = |name: &str| nested_place(schema, name, any_case);
        let mut places = needed
            .iter()
            .map(|&index| {
                if let Some(value) = layout.constant(index, file)? {
                    return Ok((index, Place::Constant(value)));
                }
                let name = layout.name(index);
                if let Some(column) = flagged_column(name) {
                    let of = layout.columns.index_of(column).ok_or_else(|| Error::logical("A flag of no column"))?;
                    let at = finder.find(column).or_else(|| nested(column).map(|(at, _)| at));
                    return Ok((index, Place::Omitted { of, at }));
                }
                if let Some(at) = finder.find(name) {
                    return Ok((index, Place::File(at)));
                }
                match nested(name) {
                    Some((at, member)) => Ok((index, Place::Nested { at, member })),
                    None if settings.input_format_parquet_allow_missing_columns => Ok((index, Place::Missing)),
                    None => Err(Error::new(
                        ErrorCode::THERE_IS_NO_COLUMN,
                        format!("The file '{}' has no column '{name}'. It has: {}", file.path, names(schema)),
                    )),
                }
            })
            .collect::<Result<Vec<_>>>()?;
        places.sort_unstable_by_key(|(index, _)| *index);
        Ok(FileColumns {
            layout: layout.clone(),
            places,
            path: file.path.as_str().into(),
            converter: Converter::new(settings),
        })
    }

    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    pub fn place(&self, index: usize) -> Option<&Place> {
        let at = self.places.binary_search_by_key(&index, |(column, _)| *column).ok()?;
        Some(&self.places[at].1)
    }

    /// Indices of the file's columns behind columns of the layout, ascending, without repetition.
    pub fn file_columns(&self, columns: &[usize]) -> Vec<usize> {
        let mut found: Vec<usize> = columns
            .iter()
            .filter_map(|&column| match self.place(column) {
                Some(Place::File(at) | Place::Nested { at, .. } | Place::Omitted { at: Some(at), .. }) => Some(*at),
                _ => None,
            })
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// A block of the table with these columns of the layout. `block` has the file's columns `present`, in that order.
    pub fn assemble(&self, columns: &[usize], block: &RecordBatch, present: &[usize]) -> Result<RecordBatch> {
        let rows = block.num_rows();
        let arrays = columns
            .iter()
            .map(|&column| {
                let kind = self.layout.kind(column);
                let read = |at: &usize| present.binary_search(at).map_err(|_| Error::logical("A column was not read"));
                let adopted = |array: &ArrayRef| {
                    let told = || format!("while reading column '{}' of '{}'", self.layout.name(column), self.path);
                    self.converter.adopt(array, kind).context(told)
                };
                match self.place(column) {
                    Some(Place::File(at)) => adopted(block.column(read(at)?)),
                    Some(Place::Nested { at, member }) => adopted(&nested_column(block.column(read(at)?), *member)?),
                    Some(Place::Constant(value)) => repeat(value, rows),
                    Some(Place::Omitted { of, at }) => {
                        let array = at.as_ref().map(read).transpose()?.map(|position| block.column(position));
                        Ok(flags_of(array, self.layout.kind(*of), rows))
                    }
                    Some(Place::Missing) => Ok(gristmill_types::default::default_array(kind, rows)),
                    None => Err(Error::logical("A column was not planned")),
                }
            })
            .collect::<Result<Vec<_>>>()?;
        let schema = Arc::new(self.layout.schema.project(columns)?);
        Ok(RecordBatch::try_new_with_options(schema, arrays, &RecordBatchOptions::new().with_row_count(Some(rows)))?)
    }
}

/// Finds columns of a file by name; the first of several of one name.
struct Finder<'a> {
    schema: &'a Schema,
    any_case: bool,
    /// Where so many are looked for that an index pays.
    by_name: Option<HashMap<Cow<'a, str>, usize>>,
}

impl<'a> Finder<'a> {
    /// Columns from which on an index is made.
    const INDEXED_FROM: usize = 16;

    fn new(schema: &'a Schema, wanted: usize, any_case: bool) -> Self {
        let by_name = (wanted >= Self::INDEXED_FROM).then(|| {
            let fields = schema.fields().iter().enumerate().rev();
            fields.map(|(at, field)| (Self::folded(field.name(), any_case), at)).collect()
        });
        Finder { schema, any_case, by_name }
    }

    fn folded(name: &str, any_case: bool) -> Cow<'_, str> {
        if any_case { Cow::Owned(name.to_ascii_lowercase()) } else { Cow::Borrowed(name) }
    }

    fn find(&self, name: &str) -> Option<usize> {
        if let Some(by_name) = &self.by_name {
            return by_name.get(&Self::folded(name, self.any_case)).copied();
        }
        let matches = |candidate: &str| candidate == name || self.any_case && candidate.eq_ignore_ascii_case(name);
        self.schema.fields().iter().position(|field| matches(field.name()))
    }
}

fn names(schema: &Schema) -> String {
    schema.fields().iter().map(|field| format!("'{}'", field.name())).collect::<Vec<_>>().join(", ")
}

/// One value, for as many rows.
pub fn repeat(value: &ArrayRef, rows: usize) -> Result<ArrayRef> {
    if value.len() != 1 {
        return Err(Error::logical("A constant of a file is one row"));
    }
    Ok(take(value, &UInt32Array::from(vec![0; rows]), None)?)
}
