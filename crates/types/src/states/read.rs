//! ClickHouse's form into held states.
//!
//! A state is measured before it is taken, as values of RowBinary are. What a bitmap unfolds into is limited while it is read:
//! a few bytes of it may stand for thousands of numbers.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{ArrayRef, AsArray, BinaryBuilder, BooleanArray, Float64Array, ListArray, UInt64Array};
use arrow::buffer::{OffsetBuffer, ScalarBuffer};
use arrow::datatypes::{DataType, Field};
use gristmill_base::{Error, ErrorCode, Result};

use super::layout::{self, Piece, list_type};
use super::mapped::MappedReader;
use super::respecting::Respecting;
use super::sketches::Sketch;
use super::summaries::Summary;
use super::vectors::{IndexWidth, IndexedVector};
use super::{bitmaps, pack, write};
use crate::SqlType;
use crate::binary::{BYTES_MAX, Cells, Gathered, elements, text, varuint};
use crate::cast::{CastOptions, cast};
use crate::default::default_array;

fn incorrect(text: impl Into<String>) -> Error {
    Error::new(ErrorCode::INCORRECT_DATA, text)
}

pub(super) fn cut() -> Error {
    Error::logical("A state of an aggregate function is shorter than it was measured")
}

/// Gathers states that ClickHouse wrote.
pub struct StateReader {
    columns: Vec<DataType>,
    readers: Vec<Reader>,
    /// For each state, whether it was read; the others have seen nothing.
    filled: Vec<bool>,
    bytes: usize,
}

impl StateReader {
    pub(super) fn new(pieces: &[Piece]) -> Result<StateReader> {
        Ok(StateReader {
            columns: layout::columns(pieces),
            readers: pieces.iter().map(Reader::new).collect::<Result<_>>()?,
            filled: Vec::new(),
            bytes: 0,
        })
    }

    /// Passes over a state. False: the bytes end within it.
    pub fn skip(&self, bytes: &[u8], at: &mut usize) -> Result<bool> {
        skip_all(&self.readers, bytes, at)
    }

    /// Takes a state that is there as a whole. Errors: INCORRECT_DATA, TOO_LARGE_ARRAY_SIZE.
    pub fn take(&mut self, bytes: &[u8], at: &mut usize) -> Result<()> {
        let begin = *at;
        self.readers.iter_mut().try_for_each(|reader| reader.take(bytes, at))?;
        self.bytes += *at - begin;
        self.filled.push(true);
        Ok(())
    }

    /// A state that has seen nothing.
    pub fn take_default(&mut self) {
        self.filled.push(false);
    }

    /// Bytes that the states take in memory, about.
    pub fn memory_bytes(&self) -> u64 {
        (self.bytes + self.readers.iter().map(Reader::word_bytes).sum::<usize>()) as u64
    }

    /// The states as they are held; none are left.
    pub fn finish(&mut self) -> Result<ArrayRef> {
        let mut columns = Vec::new();
        self.readers.iter_mut().try_for_each(|reader| reader.finish(&mut columns))?;
        self.bytes = 0;
        let filled = std::mem::take(&mut self.filled);
        let packed = pack(&self.columns, &columns)?;
        if filled.iter().all(|filled| *filled) {
            return Ok(packed);
        }
        let (packed, mut next) = (packed.as_binary::<i32>(), 0);
        let mut builder = BinaryBuilder::with_capacity(filled.len(), packed.value_data().len());
        for is_filled in filled {
            builder.append_value(if is_filled { packed.value(next) } else { b"" });
            next += usize::from(is_filled);
        }
        Ok(Arc::new(builder.finish()))
    }
}

pub(super) fn skip_all(readers: &[Reader], bytes: &[u8], at: &mut usize) -> Result<bool> {
    for reader in readers {
        if !reader.skip(bytes, at)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Passes over so many bytes.
pub(super) fn fixed(length: usize, bytes: &[u8], at: &mut usize) -> bool {
    *at = at.saturating_add(length);
    *at <= bytes.len()
}

/// Lists of numbers, one after another.
#[derive(Default)]
pub(super) struct Words {
    words: Vec<u64>,
    ends: Vec<i32>,
}

impl Words {
    pub(super) fn push(&mut self, word: u64) -> Result<()> {
        if self.words.len() as u64 >= BYTES_MAX / 8 {
            return Err(Error::new(
                ErrorCode::TOO_LARGE_ARRAY_SIZE,
                "States of an aggregate function are too large in memory",
            ));
        }
        self.words.push(word);
        Ok(())
    }

    fn end(&mut self) {
        self.ends.push(self.words.len() as i32);
    }

    fn finish(&mut self) -> Result<ArrayRef> {
        let values = Arc::new(UInt64Array::from(std::mem::take(&mut self.words)));
        let item = Arc::new(Field::new("item", DataType::UInt64, true));
        Ok(Arc::new(ListArray::try_new(item, offsets(&mut self.ends), values, None)?))
    }
}

fn append(states: &mut BinaryBuilder, state: &[u8]) -> Result<()> {
    if states.values_slice().len() + state.len() > BYTES_MAX as usize {
        return Err(Error::new(ErrorCode::TOO_LARGE_ARRAY_SIZE, "States of an aggregate function are too large in memory"));
    }
    states.append_value(state);
    Ok(())
}

pub(super) fn offsets(ends: &mut Vec<i32>) -> OffsetBuffer<i32> {
    let offsets: Vec<i32> = std::iter::once(0).chain(std::mem::take(ends)).collect();
    OffsetBuffer::new(ScalarBuffer::from(offsets))
}

/// A piece of several states.
pub(super) enum Reader {
    Value(Gathered),
    Count(Vec<u64>),
    Chosen(Vec<Chosen>, Vec<bool>),
    Respecting(Respecting),
    Elements {
        values: Gathered,
        item: DataType,
        elements: usize,
        ends: Vec<i32>,
        sized: bool,
        /// How many there are of each state, where that is a column.
        counts: Option<Vec<u64>>,
    },
    Reservoir {
        values: Gathered,
        item: DataType,
        elements: usize,
        ends: Vec<i32>,
        totals: Vec<u64>,
    },
    Centroids {
        means: Vec<f64>,
        weights: Vec<f64>,
        ends: Vec<i32>,
    },
    /// How many states there were.
    Unwritten(usize),
    Keys(Words, usize),
    Bitmap {
        words: Words,
        bytes: usize,
        signed: bool,
    },
    Vector(IndexWidth, BinaryBuilder),
    Sketch(Sketch, BinaryBuilder),
    Flagged(Vec<Reader>, Vec<Vec<u8>>, Option<Vec<u64>>),
    Followed(Vec<Reader>, Vec<bool>, bool),
    /// Values of the second type, held as those of the first.
    Present(Gathered, SqlType, SqlType),
    Summary(Words, Summary),
    Mapped(MappedReader),
}

/// Values that one of the rows had.
pub(super) struct Chosen {
    values: Gathered,
    /// What stands where there is none.
    default: Vec<u8>,
    is_text: bool,
}

impl Chosen {
    fn new(kind: &SqlType) -> Result<Chosen> {
        let mut default = Vec::new();
        Cells::of(kind, &default_array(kind, 1))?.write(0, &mut default);
        Ok(Chosen { values: Gathered::new(kind)?, default, is_text: *kind == T::String })
    }

    fn skip(&self, bytes: &[u8], at: &mut usize) -> Result<bool> {
        if self.is_text {
            return Ok(match text_length(bytes, at) {
                None => false,
                Some(length) => fixed(length.unwrap_or(0), bytes, at),
            });
        }
        match bytes.get(*at) {
            None => Ok(false),
            Some(mark) => {
                *at += 1;
                Ok(*mark == 0 || self.values.skip(bytes, at)?)
            }
        }
    }

    /// Whether there is one.
    fn take(&mut self, bytes: &[u8], at: &mut usize) -> Result<bool> {
        let present = if self.is_text {
            let Some(length) = text_length(bytes, at).ok_or_else(cut)? else {
                self.values.take(&self.default, &mut 0)?;
                return Ok(false);
            };
            let text = bytes.get(*at..*at + length).ok_or_else(cut)?;
            *at += length;
            self.values.push_text(text.strip_suffix(&[0]).unwrap_or(text))?;
            return Ok(true);
        } else {
            *bytes.get(*at).ok_or_else(cut)? != 0
        };
        *at += 1;
        if present {
            self.values.take(bytes, at)?
        } else {
            self.values.take(&self.default, &mut 0)?
        }
        Ok(present)
    }
}

/// Bytes of a string with the zero that ends it; `Some(None)` where there is no string. `None`: the bytes end.
fn text_length(bytes: &[u8], at: &mut usize) -> Option<Option<usize>> {
    let length = i32::from_le_bytes(*bytes.get(*at..)?.first_chunk::<4>()?);
    *at += 4;
    Some(usize::try_from(length).ok())
}

impl Reader {
    pub(super) fn new(piece: &Piece) -> Result<Reader> {
        let all = |pieces: &[Piece]| pieces.iter().map(Reader::new).collect::<Result<Vec<_>>>();
        let list = |kind: &SqlType, item: DataType, sized: bool, counts: Option<Vec<u64>>| -> Result<Reader> {
            Ok(Reader::Elements { values: Gathered::new(kind)?, item, elements: 0, ends: Vec::new(), sized, counts })
        };
        Ok(match piece {
            Piece::Value(kind) | Piece::AllOnes(kind) => Reader::Value(Gathered::new(kind)?),
            Piece::Count => Reader::Count(Vec::new()),
            Piece::Chosen(kinds) => Reader::Chosen(kinds.iter().map(Chosen::new).collect::<Result<_>>()?, Vec::new()),
            Piece::Respecting(kind) => Reader::Respecting(Respecting::new(kind)?),
            Piece::Elements { kind, sized } => return list(kind, SqlType::array(kind.clone()).arrow(), *sized, None),
            Piece::Sample(kind) => return list(kind, list_type(kind.arrow()), false, Some(Vec::new())),
            Piece::Reservoir(kind) => Reader::Reservoir {
                values: Gathered::new(kind)?,
                item: list_type(kind.arrow()),
                elements: 0,
                ends: Vec::new(),
                totals: Vec::new(),
            },
            Piece::Centroids => Reader::Centroids { means: Vec::new(), weights: Vec::new(), ends: Vec::new() },
            Piece::Unwritten => Reader::Unwritten(0),
            Piece::Keys(bytes) => Reader::Keys(Words::default(), *bytes),
            Piece::Bitmap { bytes, signed } => Reader::Bitmap { words: Words::default(), bytes: *bytes, signed: *signed },
            Piece::Vector { width, .. } => Reader::Vector(*width, BinaryBuilder::new()),
            Piece::Sketch(sketch) => Reader::Sketch(*sketch, BinaryBuilder::new()),
            Piece::Flagged { pieces, counted } => {
                // What follows a 0 in a state that is not there: each piece as it is without rows.
                let nothing = write::writers(pieces, &layout::empty(pieces)?)?;
                let nothing = nothing.iter().map(|writer| {
                    let mut out = Vec::new();
                    writer.write(0, &mut out);
                    out
                });
                Reader::Flagged(all(pieces)?, nothing.collect(), counted.then(Vec::new))
            }
            Piece::Followed { pieces, counted } => Reader::Followed(all(pieces)?, Vec::new(), *counted),
            Piece::Present { kind, written } => Reader::Present(Gathered::new(written)?, kind.clone(), written.clone()),
            Piece::Summary(summary) => Reader::Summary(Words::default(), *summary),
            Piece::Mapped { key, values } => Reader::Mapped(MappedReader::new(key, values)?),
        })
    }

    pub(super) fn skip(&self, bytes: &[u8], at: &mut usize) -> Result<bool> {
        Ok(match self {
            Reader::Value(values) => values.skip(bytes, at)?,
            Reader::Count(_) => varuint(bytes, at)?.is_some(),
            Reader::Chosen(values, _) => {
                for value in values {
                    if !value.skip(bytes, at)? {
                        return Ok(false);
                    }
                }
                true
            }
            Reader::Respecting(values) => values.skip(bytes, at)?,
            Reader::Elements { values, sized, .. } => {
                let Some(count) = elements(false, bytes, at)? else { return Ok(false) };
                for _ in 0..count {
                    let is_there = if *sized { text(bytes, at)?.is_some() } else { values.skip(bytes, at)? };
                    if !is_there {
                        return Ok(false);
                    }
                }
                true
            }
            Reader::Reservoir { values, .. } => {
                if bytes.len().saturating_sub(*at) < 16 {
                    return Ok(false);
                }
                let count = reservoir_length(bytes, at)?.0;
                if text(bytes, at)?.is_none() {
                    return Ok(false);
                }
                for _ in 0..count {
                    if !values.skip(bytes, at)? {
                        return Ok(false);
                    }
                }
                true
            }
            Reader::Centroids { .. } => match elements(false, bytes, at)? {
                None => false,
                Some(count) => fixed((count as usize).saturating_mul(8), bytes, at),
            },
            Reader::Unwritten(_) => true,
            Reader::Keys(_, width) => match elements(false, bytes, at)? {
                None => false,
                Some(count) => fixed((count as usize).saturating_mul(*width), bytes, at),
            },
            Reader::Bitmap { bytes: width, .. } => {
                let Some(head) = bytes.get(*at..*at + 2) else { return Ok(false) };
                match head[0] {
                    0 => fixed(2 + usize::from(head[1]) * width, bytes, at),
                    1 => {
                        *at += 1;
                        text(bytes, at)?.is_some()
                    }
                    other => return Err(incorrect(format!("A bitmap of kind {other} is not known"))),
                }
            }
            Reader::Vector(width, _) => IndexedVector::skip(bytes, *width, at)?,
            Reader::Sketch(sketch, _) => sketch.skip(bytes, at)?,
            Reader::Flagged(inner, ..) => match bytes.get(*at) {
                None => false,
                Some(mark) => {
                    *at += 1;
                    *mark == 0 || skip_all(inner, bytes, at)?
                }
            },
            Reader::Followed(inner, ..) => skip_all(inner, bytes, at)? && fixed(1, bytes, at),
            Reader::Present(values, ..) => values.skip(bytes, at)?,
            Reader::Summary(_, summary) => summary.skip(bytes, at)?,
            Reader::Mapped(keys) => keys.skip(bytes, at)?,
        })
    }

    pub(super) fn take(&mut self, bytes: &[u8], at: &mut usize) -> Result<()> {
        match self {
            Reader::Value(values) => values.take(bytes, at)?,
            Reader::Count(counts) => counts.push(varuint(bytes, at)?.ok_or_else(cut)?),
            Reader::Chosen(values, present) => {
                let found = values.iter_mut().map(|value| value.take(bytes, at)).collect::<Result<Vec<_>>>()?;
                let first = found.first().copied().unwrap_or(false);
                if found.iter().any(|found| *found != first) {
                    return Err(incorrect("A state has a value and not what it was chosen by"));
                }
                present.push(first);
            }
            Reader::Respecting(values) => values.take(bytes, at)?,
            Reader::Elements { values, elements: total, ends, sized, counts, .. } => {
                let count = elements(false, bytes, at)?.ok_or_else(cut)?;
                for _ in 0..count {
                    if *sized {
                        let element = text(bytes, at)?.ok_or_else(cut)?;
                        let mut end = 0;
                        if !values.skip(element, &mut end)? || end != element.len() {
                            return Err(incorrect("A value of a state has another length than its type"));
                        }
                        values.take(element, &mut 0)?;
                    } else {
                        values.take(bytes, at)?;
                    }
                }
                *total += count as usize;
                ends.push(end_of(*total)?);
                if let Some(counts) = counts {
                    counts.push(count);
                }
            }
            Reader::Reservoir { values, elements: held, ends, totals, .. } => {
                let (count, total) = reservoir_length(bytes, at)?;
                text(bytes, at)?.ok_or_else(cut)?;
                for _ in 0..count {
                    values.take(bytes, at)?;
                }
                *held += count as usize;
                ends.push(end_of(*held)?);
                totals.push(total);
            }
            Reader::Centroids { means, weights, ends } => {
                for _ in 0..elements(false, bytes, at)?.ok_or_else(cut)? {
                    means.push(single(bytes, at)?);
                    weights.push(single(bytes, at)?);
                }
                ends.push(end_of(means.len())?);
            }
            Reader::Unwritten(states) => *states += 1,
            Reader::Keys(words, width) => {
                let count = elements(false, bytes, at)?.ok_or_else(cut)?;
                for _ in 0..count {
                    words.push(number(bytes, at, *width)?)?;
                }
                words.end();
            }
            Reader::Bitmap { words, bytes: width, signed } => {
                bitmaps::read(words, *width, *signed, bytes, at)?;
                words.end();
            }
            Reader::Vector(width, states) => {
                let begin = *at;
                // What is held is what came, once it is known to be a vector.
                IndexedVector::read(bytes, *width, at)?;
                append(states, &bytes[begin..*at])?;
            }
            Reader::Sketch(sketch, states) => {
                let begin = *at;
                if !sketch.skip(bytes, at)? {
                    return Err(cut());
                }
                append(states, &bytes[begin..*at])?;
            }
            Reader::Flagged(inner, nothing, seen) => {
                let is_there = *bytes.get(*at).ok_or_else(cut)? != 0;
                *at += 1;
                for (reader, nothing) in inner.iter_mut().zip(nothing.iter()) {
                    if is_there { reader.take(bytes, at)? } else { reader.take(nothing, &mut 0)? }
                }
                if let Some(seen) = seen {
                    seen.push(u64::from(is_there));
                }
            }
            Reader::Present(values, ..) => values.take(bytes, at)?,
            Reader::Summary(words, summary) => {
                summary.take(bytes, at, &mut |word| words.push(word))?;
                words.end();
            }
            Reader::Mapped(keys) => keys.take(bytes, at)?,
            Reader::Followed(inner, seen, _) => {
                inner.iter_mut().try_for_each(|reader| reader.take(bytes, at))?;
                seen.push(*bytes.get(*at).ok_or_else(cut)? != 0);
                *at += 1;
            }
        }
        Ok(())
    }

    /// Bytes of numbers that were shorter before.
    pub(super) fn word_bytes(&self) -> usize {
        match self {
            Reader::Keys(words, _) | Reader::Bitmap { words, .. } | Reader::Summary(words, _) => words.words.len() * 8,
            Reader::Flagged(inner, ..) | Reader::Followed(inner, ..) => inner.iter().map(Reader::word_bytes).sum(),
            Reader::Mapped(keys) => keys.word_bytes(),
            _ => 0,
        }
    }

    /// Appends the piece's columns; no rows are left.
    pub(super) fn finish(&mut self, out: &mut Vec<ArrayRef>) -> Result<()> {
        let numbers = |values: &mut Vec<u64>| Arc::new(UInt64Array::from(std::mem::take(values))) as ArrayRef;
        let flags = |values: &mut Vec<bool>| Arc::new(BooleanArray::from(std::mem::take(values))) as ArrayRef;
        match self {
            Reader::Value(values) => out.push(values.finish()?),
            Reader::Count(counts) => out.push(numbers(counts)),
            Reader::Chosen(values, present) => {
                for value in values {
                    out.push(value.values.finish()?);
                }
                out.push(flags(present));
            }
            Reader::Respecting(values) => values.finish(out)?,
            Reader::Elements { values, item, elements, ends, counts, .. } => {
                let DataType::List(field) = item else { return Err(Error::logical("A list of a state is none")) };
                *elements = 0;
                out.push(Arc::new(ListArray::try_new(field.clone(), offsets(ends), values.finish()?, None)?));
                out.extend(counts.as_mut().map(numbers));
            }
            Reader::Reservoir { values, item, elements, ends, totals } => {
                *elements = 0;
                out.push(list_of(item, ends, values.finish()?)?);
                out.push(numbers(totals));
            }
            Reader::Centroids { means, weights, ends } => {
                let mut of_weights = ends.clone();
                let floats = |values: &mut Vec<f64>| Arc::new(Float64Array::from(std::mem::take(values))) as ArrayRef;
                let item = list_type(DataType::Float64);
                out.push(list_of(&item, ends, floats(means))?);
                out.push(list_of(&item, &mut of_weights, floats(weights))?);
            }
            Reader::Unwritten(states) => {
                out.push(Arc::new(Float64Array::from(vec![0.0; std::mem::take(states)])));
            }
            Reader::Keys(words, _) | Reader::Bitmap { words, .. } | Reader::Summary(words, _) => out.push(words.finish()?),
            Reader::Vector(_, states) | Reader::Sketch(_, states) => out.push(Arc::new(states.finish())),
            Reader::Flagged(inner, _, seen) => {
                inner.iter_mut().try_for_each(|reader| reader.finish(out))?;
                out.extend(seen.as_mut().map(numbers));
            }
            Reader::Present(values, kind, written) => {
                let values = cast(&values.finish()?, written, kind, &CastOptions::default())?;
                let there = BooleanArray::from(vec![true; values.len()]);
                out.extend([values, Arc::new(there) as ArrayRef]);
            }
            Reader::Mapped(keys) => keys.finish(out)?,
            Reader::Followed(inner, seen, counted) => {
                inner.iter_mut().try_for_each(|reader| reader.finish(out))?;
                let mut rows: Vec<u64> = seen.iter().map(|seen| u64::from(*seen)).collect();
                out.push(if *counted { numbers(&mut rows) } else { flags(seen) });
                seen.clear();
            }
        }
        Ok(())
    }
}

/// Where a list ends. Error: TOO_LARGE_ARRAY_SIZE.
pub(super) fn end_of(elements: usize) -> Result<i32> {
    let too_large = |_| Error::new(ErrorCode::TOO_LARGE_ARRAY_SIZE, "States of an aggregate function are too large");
    i32::try_from(elements).map_err(too_large)
}

fn list_of(kind: &DataType, ends: &mut Vec<i32>, values: ArrayRef) -> Result<ArrayRef> {
    let DataType::List(field) = kind else { return Err(Error::logical("A list of a state is none")) };
    Ok(Arc::new(ListArray::try_new(field.clone(), offsets(ends), values, None)?))
}

/// How many values a sample has, and how many came to it.
fn reservoir_length(bytes: &[u8], at: &mut usize) -> Result<(u64, u64)> {
    let (most, total) = (number(bytes, at, 8)?, number(bytes, at, 8)?);
    Ok((most.min(total), total))
}

/// A number in single precision.
fn single(bytes: &[u8], at: &mut usize) -> Result<f64> {
    Ok(f64::from(f32::from_bits(number(bytes, at, 4)? as u32)))
}

/// A number of so many bytes.
pub(super) fn number(bytes: &[u8], at: &mut usize, width: usize) -> Result<u64> {
    let mut wide = [0; 8];
    wide[..width].copy_from_slice(bytes.get(*at..*at + width).ok_or_else(cut)?);
    *at += width;
    Ok(u64::from_le_bytes(wide))
}
