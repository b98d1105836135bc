//! The Arrow types that columns have in a file that others read, and the conversion from what carries them in memory.
//!
//! | Type | In a file |
//! |---|---|
//! | String | text or binary, as the setting says |
//! | Enum8, Enum16 | text: the names |
//! | Int128 …, UInt256 | fixed-size binary of 16 or 32 bytes, little-endian, as ClickHouse writes them |
//! | DateTime, DateTime64 | timestamp in UTC (or the type's zone), of the next unit that holds its scale |
//! | Time, Time64 | time of the next unit that holds its scale |
//! | others | what carries them in memory |
//!
//! Parquet has no seconds: its DateTime and Time have milliseconds. A String is bytes, of which nobody promises that they are
//! UTF-8: they are given to the writer as bytes and stand in the file as they are, also where its schema calls them text. The
//! layout is the same.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, FixedSizeBinaryBuilder, Int64Array, ListArray, MapArray, RecordBatch, StringBuilder,
    StructArray, make_array,
};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Decimal256Type, Field, FieldRef, Fields, Int16Type, Schema, SchemaRef, TimeUnit};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::{Columns, SqlType};

use super::uuids;

/// What the format of a file asks of types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileOptions {
    /// String is text; else binary.
    pub string_as_string: bool,
    /// The format has no unit of seconds.
    pub least_is_milliseconds: bool,
    /// Text and binary as views; else with 32-bit offsets, which every reader of Arrow knows.
    pub views: bool,
}

/// The columns of a file that is written: its schema and how batches become it.
#[derive(Clone, Debug)]
pub struct FileTypes {
    columns: Columns,
    schema: SchemaRef,
    batch_schema: SchemaRef,
    /// Of batches: String is bytes.
    options: FileOptions,
}

impl FileTypes {
    pub fn new(columns: &Columns, options: FileOptions) -> Self {
        let of_batches = FileOptions { string_as_string: false, ..options };
        FileTypes {
            columns: columns.clone(),
            schema: schema_of(columns, &options),
            batch_schema: schema_of(columns, &of_batches),
            options: of_batches,
        }
    }

    /// The schema that the file has.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The schema of the batches that `convert` gives: String is bytes, whatever the file calls it.
    pub fn batch_schema(&self) -> &SchemaRef {
        &self.batch_schema
    }

    /// A batch that carries the columns, as the file's writer takes it. `first_row` is the number of rows before it, for errors.
    pub fn convert(&self, batch: &RecordBatch, first_row: u64) -> Result<RecordBatch> {
        let arrays = batch.columns().iter().zip(&self.columns).map(|(array, column)| {
            to_file(array, &column.kind, &self.options)
                .map_err(|error| error.with_context(format!("column '{}', rows from {}", column.name, first_row + 1)))
        });
        let options = arrow::record_batch::RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        Ok(RecordBatch::try_new_with_options(self.batch_schema.clone(), arrays.collect::<Result<_>>()?, &options)?)
    }
}

fn schema_of(columns: &Columns, options: &FileOptions) -> SchemaRef {
    let fields = columns.iter().map(|column| field(&column.name, &column.kind, options));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

fn field(name: &str, kind: &SqlType, options: &FileOptions) -> FieldRef {
    let nullable = kind.is_nullable() || *kind == SqlType::Nothing;
    let field = Field::new(name, file_type(kind, options), nullable);
    Arc::new(if *kind.plain() == SqlType::Uuid { field.with_metadata(uuids::beside()) } else { field })
}

/// The type that values of `kind` have in a file.
fn file_type(kind: &SqlType, options: &FileOptions) -> DataType {
    match kind.plain() {
        SqlType::String if options.string_as_string => text_type(options),
        SqlType::Enum8(_) | SqlType::Enum16(_) => text_type(options),
        SqlType::String if options.views => DataType::BinaryView,
        SqlType::String => DataType::Binary,
        SqlType::Int128 | SqlType::UInt128 => DataType::FixedSizeBinary(16),
        SqlType::Int256 | SqlType::UInt256 => DataType::FixedSizeBinary(32),
        SqlType::DateTime(zone) | SqlType::DateTime64(_, zone) => {
            let (unit, _) = unit(scale(kind), options);
            DataType::Timestamp(unit, Some(zone.clone().unwrap_or_else(|| Arc::from("UTC"))))
        }
        SqlType::Time | SqlType::Time64(_) => match unit(scale(kind), options).0 {
            unit @ (TimeUnit::Second | TimeUnit::Millisecond) => DataType::Time32(unit),
            unit => DataType::Time64(unit),
        },
        SqlType::Array(element) => DataType::List(field("element", element, options)),
        SqlType::Tuple(fields) => DataType::Struct(tuple_fields(fields, options)),
        SqlType::Map(key, value) => {
            let pair = Fields::from(vec![
                Field::new("key", file_type(key, options), false),
                Field::new("value", file_type(value, options), value.is_nullable()),
            ]);
            DataType::Map(Arc::new(Field::new("key_value", DataType::Struct(pair), false)), false)
        }
        other => other.arrow(),
    }
}

fn tuple_fields(fields: &[(Option<String>, SqlType)], options: &FileOptions) -> Fields {
    fields
        .iter()
        .enumerate()
        .map(|(i, (name, kind))| field(name.as_deref().unwrap_or(&(i + 1).to_string()), kind, options))
        .collect()
}

fn text_type(options: &FileOptions) -> DataType {
    if options.views { DataType::Utf8View } else { DataType::Utf8 }
}

/// Digits of a second that a type of times has.
fn scale(kind: &SqlType) -> u8 {
    match kind.plain() {
        SqlType::DateTime64(scale, _) | SqlType::Time64(scale) => *scale,
        _ => 0,
    }
}

/// The least unit that holds a scale, and its own scale.
fn unit(scale: u8, options: &FileOptions) -> (TimeUnit, u8) {
    match scale {
        0 if !options.least_is_milliseconds => (TimeUnit::Second, 0),
        0..=3 => (TimeUnit::Millisecond, 3),
        4..=6 => (TimeUnit::Microsecond, 6),
        _ => (TimeUnit::Nanosecond, 9),
    }
}

/// An array of `kind` as it stands in a batch for a file. `options`: those of batches.
fn to_file(array: &ArrayRef, kind: &SqlType, options: &FileOptions) -> Result<ArrayRef> {
    let target = file_type(kind, options);
    Ok(match kind.plain() {
        SqlType::String if options.views => array.clone(),
        SqlType::String => cast(array, &target)?,
        SqlType::Enum8(names) | SqlType::Enum16(names) => {
            let values = cast(array, &DataType::Int16)?;
            let mut out = StringBuilder::with_capacity(array.len(), array.len() * 8);
            for value in values.as_primitive::<Int16Type>() {
                out.append_option(value.map(|value| names.name_of(value).unwrap_or_default()));
            }
            cast(&out.finish(), &target)?
        }
        SqlType::Int128 | SqlType::UInt128 | SqlType::Int256 | SqlType::UInt256 => {
            let bytes = if target == DataType::FixedSizeBinary(16) { 16 } else { 32 };
            let mut out = FixedSizeBinaryBuilder::with_capacity(array.len(), bytes as i32);
            for value in array.as_primitive::<Decimal256Type>() {
                match value {
                    Some(value) => out.append_value(&value.to_le_bytes()[..bytes])?,
                    None => out.append_null(),
                }
            }
            Arc::new(out.finish())
        }
        SqlType::DateTime(_) | SqlType::DateTime64(..) | SqlType::Time | SqlType::Time64(_) => {
            let scale = scale(kind);
            let factor = 10i64.pow(u32::from(unit(scale, options).1 - scale));
            let ticks = cast(array, &DataType::Int64)?;
            let ticks: &Int64Array = ticks.as_primitive();
            let scaled: Int64Array = ticks.try_unary(|tick| {
                tick.checked_mul(factor).ok_or_else(|| {
                    Error::new(ErrorCode::DECIMAL_OVERFLOW, format!("A time of type {kind} is out of the range of {target}"))
                })
            })?;
            match &target {
                DataType::Time32(_) => cast(&cast(&scaled, &DataType::Int32)?, &target)?,
                DataType::Timestamp(..) | DataType::Time64(_) => {
                    make_array(scaled.into_data().into_builder().data_type(target).build()?)
                }
                _ => Arc::new(scaled),
            }
        }
        SqlType::Array(element) => {
            let list = array.as_list::<i32>();
            let values = to_file(list.values(), element, options)?;
            Arc::new(ListArray::try_new(
                field("element", element, options),
                list.offsets().clone(),
                values,
                list.nulls().cloned(),
            )?)
        }
        SqlType::Tuple(fields) => {
            let tuple = array.as_struct();
            let children = tuple.columns().iter().zip(fields).map(|(child, (_, kind))| to_file(child, kind, options));
            let (fields, children) = (tuple_fields(fields, options), children.collect::<Result<Vec<_>>>()?);
            Arc::new(StructArray::try_new_with_length(fields, children, tuple.nulls().cloned(), tuple.len())?)
        }
        SqlType::Map(key, value) => {
            let map = array.as_map();
            let DataType::Map(entries, ordered) = &target else {
                return Err(Error::logical(format!("{kind} has the type {target} in a file")));
            };
            let DataType::Struct(pair) = entries.data_type() else {
                return Err(Error::logical(format!("{kind} has the type {target} in a file")));
            };
            let children = vec![to_file(map.keys(), key, options)?, to_file(map.values(), value, options)?];
            let pairs = StructArray::try_new(pair.clone(), children, None)?;
            Arc::new(MapArray::try_new(entries.clone(), map.offsets().clone(), pairs, map.nulls().cloned(), *ordered)?)
        }
        _ => array.clone(),
    })
}
