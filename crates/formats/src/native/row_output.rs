//! RowBinary and its relatives: the values of the native format row by row, without prefixes and dictionaries.

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray, BinaryViewArray, BooleanArray, RecordBatch};
use arrow::buffer::{Buffer, NullBuffer};
use gristmill_base::{Error, Result};
use gristmill_types::{Columns, SqlType};

use super::bytes::{write_string, write_varuint};
use super::encode::{Width, unsupported, width};
use crate::output::{OutputFormat, ResultSummary};
use crate::{Format, Header};

pub(crate) struct RowBinaryOutput {
    header: Header,
    columns: Columns,
}

impl RowBinaryOutput {
    pub fn new(format: Format, columns: Columns) -> Self {
        RowBinaryOutput { header: format.header(), columns }
    }
}

impl OutputFormat for RowBinaryOutput {
    fn start(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if self.header == Header::None {
            return Ok(());
        }
        write_varuint(self.columns.len() as u64, out);
        for column in &self.columns {
            write_string(column.name.as_bytes(), out);
        }
        if self.header == Header::NamesAndTypes {
            for column in &self.columns {
                write_string(column.kind.to_string().as_bytes(), out);
            }
        }
        Ok(())
    }

    fn write(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        let cells = batch
            .columns()
            .iter()
            .zip(&self.columns)
            .map(|(array, column)| Cells::of(&column.kind, array))
            .collect::<Result<Vec<_>>>()?;
        for row in 0..batch.num_rows() {
            for cells in &cells {
                cells.write(row, out);
            }
        }
        Ok(())
    }

    fn finish(&mut self, _summary: &ResultSummary, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }
}

/// A column, resolved once a batch.
enum Cells {
    Fixed {
        values: Buffer,
        offset: usize,
        width: Width,
        is_uuid: bool,
    },
    Bool(BooleanArray),
    Text(BinaryViewArray),
    Nullable(Option<NullBuffer>, Box<Cells>),
    List {
        offsets: Vec<i32>,
        values: Box<Cells>,
    },
    Map {
        offsets: Vec<i32>,
        keys: Box<Cells>,
        values: Box<Cells>,
    },
    Tuple(Vec<Cells>),
    /// A value of no bytes.
    Nothing,
}

impl Cells {
    fn of(kind: &SqlType, array: &ArrayRef) -> Result<Cells> {
        let misfit = || Error::logical(format!("A column of {kind} came as Arrow's {}", array.data_type()));
        if let Some(width) = width(kind) {
            if *array.data_type() != kind.arrow() {
                return Err(misfit());
            }
            let data = array.to_data();
            let (values, offset) = (data.buffers()[0].clone(), data.offset());
            return Ok(Cells::Fixed { values, offset, width, is_uuid: *kind == T::Uuid });
        }
        let boxed = |kind: &SqlType, array: &ArrayRef| Cells::of(kind, array).map(Box::new);
        Ok(match kind {
            T::Bool => Cells::Bool(array.as_boolean_opt().ok_or_else(misfit)?.clone()),
            T::String => Cells::Text(array.as_binary_view_opt().ok_or_else(misfit)?.clone()),
            T::Nothing => Cells::Nothing,
            T::Nullable(inner) => Cells::Nullable(array.logical_nulls(), boxed(inner, array)?),
            T::LowCardinality(inner) | T::SimpleAggregateFunction(_, inner) => Cells::of(inner, array)?,
            T::Array(inner) => {
                let list = array.as_list_opt::<i32>().ok_or_else(misfit)?;
                Cells::List { offsets: list.value_offsets().to_vec(), values: boxed(inner, list.values())? }
            }
            T::Map(key, value) => {
                let map = array.as_map_opt().ok_or_else(misfit)?;
                let offsets = map.value_offsets().to_vec();
                Cells::Map { offsets, keys: boxed(key, map.keys())?, values: boxed(value, map.values())? }
            }
            T::Tuple(fields) => {
                let columns = array.as_struct_opt().ok_or_else(misfit)?.columns();
                let cells = fields.iter().zip(columns).map(|((_, kind), column)| Cells::of(kind, column));
                Cells::Tuple(cells.collect::<Result<_>>()?)
            }
            other => return Err(unsupported(other)),
        })
    }

    fn write(&self, row: usize, out: &mut Vec<u8>) {
        match self {
            Cells::Fixed { values, offset, width, is_uuid } => {
                let from = (offset + row) * width.arrow;
                let value = &values.as_slice()[from..from + width.wire];
                if *is_uuid {
                    out.extend(value[..8].iter().rev());
                    out.extend(value[8..].iter().rev());
                } else {
                    out.extend_from_slice(value);
                }
            }
            Cells::Bool(array) => out.push(u8::from(array.is_valid(row) && array.value(row))),
            Cells::Text(array) => write_string(if array.is_valid(row) { array.value(row) } else { b"" }, out),
            Cells::Nullable(nulls, inner) => {
                let is_null = nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
                out.push(u8::from(is_null));
                if !is_null {
                    inner.write(row, out);
                }
            }
            Cells::List { offsets, values } => {
                let (from, to) = (offsets[row] as usize, offsets[row + 1] as usize);
                write_varuint((to - from) as u64, out);
                (from..to).for_each(|element| values.write(element, out));
            }
            Cells::Map { offsets, keys, values } => {
                let (from, to) = (offsets[row] as usize, offsets[row + 1] as usize);
                write_varuint((to - from) as u64, out);
                for element in from..to {
                    keys.write(element, out);
                    values.write(element, out);
                }
            }
            Cells::Tuple(parts) => parts.iter().for_each(|part| part.write(row, out)),
            Cells::Nothing => {}
        }
    }
}
