//! Held states into ClickHouse's form.

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray, BinaryArray};
use arrow::buffer::{BooleanBuffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow::datatypes::{Float64Type, UInt64Type};
use gristmill_base::{Error, Result};

use super::layout::Piece;
use super::mapped::MappedWriter;
use super::roaring;
use super::summaries::Summary;
use crate::SqlType;
use crate::binary::{Cells, write_string, write_varuint};
use crate::cast::{CastOptions, cast};

/// Numbers that a bitmap has without being one.
pub(super) const SMALL_MAX: usize = 32;

/// Values that a reservoir holds.
const RESERVOIR: u64 = 8192;
/// What the generator pcg32_fast multiplies its state with, and the state that ClickHouse begins with.
const MULTIPLIER: u64 = 6_364_136_223_846_793_005;
const FIRST_STATE: u64 = 123_459;

/// The generator of a reservoir that so many values came to, as text: it draws once for each of them from when it is full.
fn drawn_by(total: u64) -> String {
    let (mut state, mut factor, mut draws) = (FIRST_STATE, MULTIPLIER, total.saturating_sub(RESERVOIR));
    while draws > 0 {
        if draws & 1 == 1 {
            state = state.wrapping_mul(factor);
        }
        factor = factor.wrapping_mul(factor);
        draws >>= 1;
    }
    format!("{MULTIPLIER} 0 {state}")
}

/// A piece with its columns.
pub(super) enum Writer {
    Value(Cells),
    Count(ScalarBuffer<u64>),
    Chosen(Vec<Chosen>, BooleanBuffer),
    Respecting { values: Cells, nulls: Option<NullBuffer>, present: BooleanBuffer },
    Elements { offsets: OffsetBuffer<i32>, values: Cells, sized: bool },
    Reservoir { offsets: OffsetBuffer<i32>, values: Cells, totals: ScalarBuffer<u64> },
    Centroids { offsets: OffsetBuffer<i32>, means: ScalarBuffer<f64>, weights: ScalarBuffer<f64> },
    Unwritten,
    Keys { offsets: OffsetBuffer<i32>, words: ScalarBuffer<u64>, bytes: usize },
    Bitmap { offsets: OffsetBuffer<i32>, words: ScalarBuffer<u64>, bytes: usize, signed: bool },
    Vector(BinaryArray),
    Flagged(Vec<Writer>, Option<ScalarBuffer<u64>>),
    Followed(Vec<Writer>, Vec<bool>),
    Summary { offsets: OffsetBuffer<i32>, words: ScalarBuffer<u64>, summary: Summary },
    Mapped(MappedWriter),
}

/// Values that one of the rows had. Strings are written in a form of their own.
pub(super) struct Chosen {
    values: Cells,
    is_text: bool,
}

pub(super) fn misfit() -> Error {
    Error::logical("A held state has other columns than its function's")
}

/// Writers of the pieces, whose columns are given one after another.
pub(super) fn writers(pieces: &[Piece], columns: &[ArrayRef]) -> Result<Vec<Writer>> {
    let mut columns = columns.iter();
    let writers = pieces.iter().map(|piece| writer(piece, &mut columns)).collect::<Result<Vec<_>>>()?;
    if columns.next().is_some() { Err(misfit()) } else { Ok(writers) }
}

fn writer<'a>(piece: &Piece, columns: &mut impl Iterator<Item = &'a ArrayRef>) -> Result<Writer> {
    if let Piece::Flagged { pieces, counted } = piece {
        let inner = pieces.iter().map(|piece| writer(piece, &mut *columns)).collect::<Result<Vec<_>>>()?;
        let seen = if *counted { Some(numbers(columns.next().ok_or_else(misfit)?)?) } else { None };
        return Ok(Writer::Flagged(inner, seen));
    }
    if let Piece::Followed { pieces, counted } = piece {
        let inner = pieces.iter().map(|piece| writer(piece, &mut *columns)).collect::<Result<Vec<_>>>()?;
        let seen = columns.next().ok_or_else(misfit)?;
        let seen = match counted {
            true => numbers(seen)?.iter().map(|rows| *rows > 0).collect(),
            false => seen.as_boolean_opt().ok_or_else(misfit)?.values().iter().collect(),
        };
        return Ok(Writer::Followed(inner, seen));
    }
    if let Piece::Mapped { key, values } = piece {
        return Ok(Writer::Mapped(MappedWriter::new(key, values, columns)?));
    }
    let mut next = || columns.next().ok_or_else(misfit);
    Ok(match piece {
        Piece::Value(kind) | Piece::AllOnes(kind) => Writer::Value(Cells::of(kind, next()?)?),
        Piece::Count => Writer::Count(numbers(next()?)?),
        Piece::Chosen(kinds) => {
            let values = kinds.iter().map(|kind| -> Result<Chosen> {
                Ok(Chosen { values: Cells::of(kind, next()?)?, is_text: *kind == T::String })
            });
            let values = values.collect::<Result<Vec<_>>>()?;
            Writer::Chosen(values, next()?.as_boolean_opt().ok_or_else(misfit)?.values().clone())
        }
        Piece::Respecting(kind) => {
            let array = next()?;
            let nulls = if kind.is_nullable() { array.logical_nulls() } else { None };
            let present = next()?.as_boolean_opt().ok_or_else(misfit)?.values().clone();
            Writer::Respecting { values: Cells::of(kind, array)?, nulls, present }
        }
        Piece::Elements { kind, sized } => elements(kind, *sized, next()?)?,
        Piece::Sample(kind) => {
            let list = elements(kind, false, next()?)?;
            next()?;
            list
        }
        Piece::Reservoir(kind) => {
            let list = next()?.as_list_opt::<i32>().ok_or_else(misfit)?;
            let (offsets, values) = (list.offsets().clone(), Cells::of(kind, list.values())?);
            Writer::Reservoir { offsets, values, totals: numbers(next()?)? }
        }
        Piece::Centroids => {
            let list = next()?.as_list_opt::<i32>().ok_or_else(misfit)?;
            let (offsets, means) = (list.offsets().clone(), floats(list.values())?);
            let weights = next()?.as_list_opt::<i32>().ok_or_else(misfit)?;
            if *weights.offsets() != offsets {
                return Err(misfit());
            }
            Writer::Centroids { offsets, means, weights: floats(weights.values())? }
        }
        Piece::Unwritten => {
            next()?;
            Writer::Unwritten
        }
        Piece::Keys(bytes) => {
            let (offsets, words) = lists(next()?)?;
            Writer::Keys { offsets, words, bytes: *bytes }
        }
        Piece::Bitmap { bytes, signed } => {
            let (offsets, words) = lists(next()?)?;
            Writer::Bitmap { offsets, words, bytes: *bytes, signed: *signed }
        }
        Piece::Vector { .. } | Piece::Sketch(_) => Writer::Vector(next()?.as_binary_opt().ok_or_else(misfit)?.clone()),
        Piece::Summary(summary) => {
            let (offsets, words) = lists(next()?)?;
            Writer::Summary { offsets, words, summary: *summary }
        }
        Piece::Present { kind, written } => {
            let values = cast(next()?, kind, written, &CastOptions::default())?;
            next()?;
            Writer::Value(Cells::of(written, &values)?)
        }
        Piece::Flagged { .. } | Piece::Followed { .. } | Piece::Mapped { .. } => return Err(misfit()),
    })
}

fn numbers(array: &ArrayRef) -> Result<ScalarBuffer<u64>> {
    Ok(array.as_primitive_opt::<UInt64Type>().ok_or_else(misfit)?.values().clone())
}

fn floats(array: &ArrayRef) -> Result<ScalarBuffer<f64>> {
    Ok(array.as_primitive_opt::<Float64Type>().ok_or_else(misfit)?.values().clone())
}

fn lists(array: &ArrayRef) -> Result<(OffsetBuffer<i32>, ScalarBuffer<u64>)> {
    let list = array.as_list_opt::<i32>().ok_or_else(misfit)?;
    Ok((list.offsets().clone(), numbers(list.values())?))
}

fn elements(kind: &SqlType, sized: bool, array: &ArrayRef) -> Result<Writer> {
    let list = array.as_list_opt::<i32>().ok_or_else(misfit)?;
    Ok(Writer::Elements { offsets: list.offsets().clone(), values: Cells::of(kind, list.values())?, sized })
}

fn range(offsets: &OffsetBuffer<i32>, row: usize) -> std::ops::Range<usize> {
    offsets[row] as usize..offsets[row + 1] as usize
}

/// The numbers of a state in ascending order: neither side keeps another one.
fn ascending(offsets: &OffsetBuffer<i32>, words: &ScalarBuffer<u64>, row: usize) -> Vec<u64> {
    let mut values = words[range(offsets, row)].to_vec();
    values.sort_unstable();
    values
}

impl Writer {
    /// Appends the piece of a state.
    pub(super) fn write(&self, row: usize, out: &mut Vec<u8>) {
        match self {
            Writer::Value(values) => values.write(row, out),
            Writer::Count(counts) => write_varuint(counts[row], out),
            Writer::Chosen(values, present) => values.iter().for_each(|chosen| chosen.write(row, present.value(row), out)),
            Writer::Respecting { values, nulls, present } => {
                let is_null = nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
                match (present.value(row), is_null) {
                    (false, _) => out.push(1),
                    (true, true) => out.push(2),
                    (true, false) => {
                        out.push(3);
                        values.write(row, out);
                    }
                }
            }
            Writer::Elements { offsets, values, sized } => {
                let range = range(offsets, row);
                write_varuint(range.len() as u64, out);
                let mut element = Vec::new();
                for place in range {
                    if *sized {
                        element.clear();
                        values.write(place, &mut element);
                        write_string(&element, out);
                    } else {
                        values.write(place, out);
                    }
                }
            }
            Writer::Reservoir { offsets, values, totals } => {
                out.extend_from_slice(&RESERVOIR.to_le_bytes());
                out.extend_from_slice(&totals[row].to_le_bytes());
                write_string(drawn_by(totals[row]).as_bytes(), out);
                range(offsets, row).for_each(|place| values.write(place, out));
            }
            Writer::Centroids { offsets, means, weights } => {
                let range = range(offsets, row);
                write_varuint(range.len() as u64, out);
                for place in range {
                    out.extend_from_slice(&(means[place] as f32).to_le_bytes());
                    out.extend_from_slice(&(weights[place] as f32).to_le_bytes());
                }
            }
            Writer::Unwritten => {}
            Writer::Keys { offsets, words, bytes } => {
                let values = ascending(offsets, words, row);
                write_varuint(values.len() as u64, out);
                values.iter().for_each(|value| out.extend_from_slice(&value.to_le_bytes()[..*bytes]));
            }
            Writer::Bitmap { offsets, words, bytes, signed } => {
                bitmap(&ascending(offsets, words, row), *bytes, *signed, out);
            }
            Writer::Vector(states) => out.extend_from_slice(states.value(row)),
            Writer::Flagged(inner, seen) => {
                let is_there = seen.as_ref().is_none_or(|seen| seen[row] > 0);
                out.push(u8::from(is_there));
                if is_there {
                    inner.iter().for_each(|writer| writer.write(row, out));
                }
            }
            Writer::Followed(inner, seen) => {
                inner.iter().for_each(|writer| writer.write(row, out));
                out.push(u8::from(seen[row]));
            }
            Writer::Summary { offsets, words, summary } => summary.write(&words[range(offsets, row)], out),
            Writer::Mapped(keys) => keys.write(row, out),
        }
    }
}

impl Chosen {
    fn write(&self, row: usize, present: bool, out: &mut Vec<u8>) {
        match (self.is_text, present) {
            (false, _) => {
                out.push(u8::from(present));
                if present {
                    self.values.write(row, out);
                }
            }
            (true, false) => out.extend_from_slice(&(-1i32).to_le_bytes()),
            // The length counts the zero that ends it.
            (true, true) => {
                let text = match &self.values {
                    Cells::Text(texts) => texts.value(row),
                    _ => b"",
                };
                out.extend_from_slice(&(text.len() as i32 + 1).to_le_bytes());
                out.extend_from_slice(text);
                out.push(0);
            }
        }
    }
}

/// A list while it is short, a Roaring bitmap else: of numbers of 32 bits (narrower ones are widened with their sign), or of 64.
fn bitmap(values: &[u64], bytes: usize, signed: bool, out: &mut Vec<u8>) {
    if values.len() <= SMALL_MAX {
        out.extend_from_slice(&[0, values.len() as u8]);
        values.iter().for_each(|value| out.extend_from_slice(&value.to_le_bytes()[..bytes]));
        return;
    }
    let mut packed = Vec::new();
    if bytes == 8 {
        let parts: Vec<&[u64]> = values.chunk_by(|a, b| a >> 32 == b >> 32).collect();
        packed.extend_from_slice(&(parts.len() as u64).to_le_bytes());
        for part in parts {
            packed.extend_from_slice(&((part[0] >> 32) as u32).to_le_bytes());
            roaring::write(&part.iter().map(|value| *value as u32).collect::<Vec<_>>(), &mut packed);
        }
    } else {
        let mut wide: Vec<u32> = values.iter().map(|value| widened(*value, bytes, signed)).collect();
        wide.sort_unstable();
        roaring::write(&wide, &mut packed);
    }
    out.push(1);
    write_string(&packed, out);
}

/// The low bytes of a number as one of 32 bits.
pub(super) fn widened(value: u64, bytes: usize, signed: bool) -> u32 {
    match (bytes, signed) {
        (1, true) => i32::from(value as i8) as u32,
        (2, true) => i32::from(value as i16) as u32,
        _ => value as u32,
    }
}
