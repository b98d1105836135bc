//! States by key: of `sumMap`, `minMap` and `maxMap` over arrays, and of the combinator Map.
//!
//! ClickHouse writes how many keys there are, and of each the key and its states. Held are a list of the keys, as rows that can
//! be compared, and beside it a list of structs for each of the functions.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, BinaryBuilder, ListArray, StructArray, new_empty_array};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, Field, Fields};
use gristmill_base::Result;

use super::held::converter;
use super::layout::{self, Piece, list_type};
use super::read::{Reader, cut, end_of, offsets, skip_all};
use super::write::{Writer, misfit, writers};
use crate::SqlType;
use crate::binary::{Cells, Gathered, elements, write_varuint};

/// The held columns: keys, then the states of each function.
pub(super) fn columns(values: &[Vec<Piece>]) -> Vec<DataType> {
    let states = values.iter().map(|pieces| list_type(DataType::Struct(fields(&layout::columns(pieces)))));
    std::iter::once(list_type(DataType::Binary)).chain(states).collect()
}

fn fields(kinds: &[DataType]) -> Fields {
    kinds.iter().enumerate().map(|(place, kind)| Field::new(place.to_string(), kind.clone(), true)).collect()
}

pub(super) struct MappedWriter {
    offsets: OffsetBuffer<i32>,
    keys: Cells,
    values: Vec<Vec<Writer>>,
}

impl MappedWriter {
    pub(super) fn new<'a>(
        key: &SqlType,
        values: &[Vec<Piece>],
        columns: &mut impl Iterator<Item = &'a ArrayRef>,
    ) -> Result<MappedWriter> {
        let mut next = || columns.next().and_then(|column| column.as_list_opt::<i32>()).ok_or_else(misfit);
        let list = next()?;
        let rows = list.values().as_binary_opt::<i32>().ok_or_else(misfit)?;
        let keys = if list.values().is_empty() {
            new_empty_array(&key.arrow())
        } else {
            let converter = converter(&[key.arrow()])?;
            let parser = converter.parser();
            converter.convert_rows(rows.iter().map(|row| parser.parse(row.unwrap_or_default())))?.swap_remove(0)
        };
        let of_function = |pieces: &Vec<Piece>| -> Result<Vec<Writer>> {
            let states = next()?;
            let saved = states.values().as_struct_opt().ok_or_else(misfit)?;
            if states.offsets() != list.offsets() {
                return Err(misfit());
            }
            writers(pieces, saved.columns())
        };
        let values = values.iter().map(of_function).collect::<Result<_>>()?;
        Ok(MappedWriter { offsets: list.offsets().clone(), keys: Cells::of(key, &keys)?, values })
    }

    /// Appends the keys of a state with theirs.
    pub(super) fn write(&self, row: usize, out: &mut Vec<u8>) {
        let places = self.offsets[row] as usize..self.offsets[row + 1] as usize;
        write_varuint(places.len() as u64, out);
        for place in places {
            self.keys.write(place, out);
            self.values.iter().flatten().for_each(|writer| writer.write(place, out));
        }
    }
}

pub(super) struct MappedReader {
    key: SqlType,
    keys: Gathered,
    /// Keys of all states.
    count: usize,
    ends: Vec<i32>,
    /// Of each function the types of its held columns, and what reads them.
    values: Vec<(Vec<DataType>, Vec<Reader>)>,
}

impl MappedReader {
    pub(super) fn new(key: &SqlType, values: &[Vec<Piece>]) -> Result<MappedReader> {
        let of_function = |pieces: &Vec<Piece>| -> Result<(Vec<DataType>, Vec<Reader>)> {
            Ok((layout::columns(pieces), pieces.iter().map(Reader::new).collect::<Result<_>>()?))
        };
        Ok(MappedReader {
            key: key.clone(),
            keys: Gathered::new(key)?,
            count: 0,
            ends: Vec::new(),
            values: values.iter().map(of_function).collect::<Result<_>>()?,
        })
    }

    pub(super) fn skip(&self, bytes: &[u8], at: &mut usize) -> Result<bool> {
        let Some(count) = elements(false, bytes, at)? else { return Ok(false) };
        for _ in 0..count {
            if !self.keys.skip(bytes, at)? {
                return Ok(false);
            }
            for (_, readers) in &self.values {
                if !skip_all(readers, bytes, at)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    pub(super) fn take(&mut self, bytes: &[u8], at: &mut usize) -> Result<()> {
        let count = elements(false, bytes, at)?.ok_or_else(cut)?;
        for _ in 0..count {
            self.keys.take(bytes, at)?;
            for (_, readers) in &mut self.values {
                readers.iter_mut().try_for_each(|reader| reader.take(bytes, at))?;
            }
        }
        self.count += count as usize;
        self.ends.push(end_of(self.count)?);
        Ok(())
    }

    pub(super) fn word_bytes(&self) -> usize {
        self.values.iter().flat_map(|(_, readers)| readers).map(Reader::word_bytes).sum()
    }

    /// Appends the columns; no rows are left.
    pub(super) fn finish(&mut self, out: &mut Vec<ArrayRef>) -> Result<()> {
        let rows = converter(&[self.key.arrow()])?.convert_columns(&[self.keys.finish()?])?;
        let mut keys = BinaryBuilder::new();
        for row in &rows {
            keys.append_value(row.as_ref());
        }
        let offsets = offsets(&mut self.ends);
        let list = |values: ArrayRef| -> Result<ArrayRef> {
            let item = Arc::new(Field::new("item", values.data_type().clone(), true));
            Ok(Arc::new(ListArray::try_new(item, offsets.clone(), values, None)?))
        };
        out.push(list(Arc::new(keys.finish()))?);
        for (kinds, readers) in &mut self.values {
            let mut columns = Vec::new();
            readers.iter_mut().try_for_each(|reader| reader.finish(&mut columns))?;
            let saved = StructArray::try_new_with_length(fields(kinds), columns, None, self.count)?;
            out.push(list(Arc::new(saved))?);
        }
        self.count = 0;
        Ok(())
    }
}
