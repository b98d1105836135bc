//! Values into bytes.

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray, BinaryArray, BinaryViewArray, BooleanArray};
use arrow::buffer::{Buffer, NullBuffer};
use gristmill_base::{Error, Result};

use super::{Width, unsupported, width, write_string, write_varuint};
use crate::SqlType;
use crate::states::Codec;

/// A column, resolved once a batch, whose values are written one by one.
pub enum Cells {
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
    /// As ClickHouse writes them.
    States(BinaryArray),
    /// A value of no bytes.
    Nothing,
}

impl Cells {
    /// Errors: NOT_IMPLEMENTED for types without a binary form.
    pub fn of(kind: &SqlType, array: &ArrayRef) -> Result<Cells> {
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
            T::LowCardinality(inner) | T::SimpleAggregateFunction(_, inner) | T::Geometric(_, inner) | T::Nested(inner) => {
                Cells::of(inner, array)?
            }
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
            T::AggregateFunction(function, inner) => {
                Cells::States(Codec::of(function, inner)?.encoded(array.as_binary_opt::<i32>().ok_or_else(misfit)?)?)
            }
            other => return Err(unsupported(other)),
        })
    }

    /// Appends a value.
    pub fn write(&self, row: usize, out: &mut Vec<u8>) {
        match self {
            Cells::Fixed { values, offset, width, is_uuid } => {
                let from = (offset + row) * width.arrow + width.skipped;
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
            Cells::States(states) => out.extend_from_slice(states.value(row)),
            Cells::Nothing => {}
        }
    }
}
