//! Values out of bytes, gathered by column.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{ArrayData, ArrayRef, BooleanArray, ListArray, MapArray, NullArray, StructArray, make_array};
use arrow::buffer::{BooleanBuffer, MutableBuffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow::datatypes::DataType;
use gristmill_base::{Error, ErrorCode, Result};

use super::{BYTES_MAX, Width, elements, text, unsupported, width};
use crate::SqlType;
use crate::bytes::BytesBuilder;
use crate::states::{Codec, StateReader};

/// Values of one type that were read, in the shape that Arrow has.
pub struct Gathered {
    kind: SqlType,
    rows: usize,
    values: Values,
}

enum Values {
    Fixed {
        width: Width,
        bytes: MutableBuffer,
    },
    Bool(Vec<bool>),
    Text(BytesBuilder),
    Nullable {
        valid: Vec<bool>,
        inner: Box<Gathered>,
    },
    /// As Arrow carries the type inside.
    Same(Box<Gathered>),
    List {
        offsets: Vec<i32>,
        inner: Box<Gathered>,
    },
    Map {
        offsets: Vec<i32>,
        key: Box<Gathered>,
        value: Box<Gathered>,
    },
    Tuple(Vec<Gathered>),
    States(Box<StateReader>),
    Nothing,
}

impl Gathered {
    /// Error: NOT_IMPLEMENTED for types without a binary form.
    pub fn new(kind: &SqlType) -> Result<Gathered> {
        let boxed = |kind: &SqlType| Gathered::new(kind).map(Box::new);
        let values = match (kind, width(kind)) {
            (_, Some(width)) => Values::Fixed { width, bytes: MutableBuffer::new(0) },
            (T::Bool, _) => Values::Bool(Vec::new()),
            (T::String, _) => Values::Text(BytesBuilder::default()),
            (T::Nullable(inner), _) => Values::Nullable { valid: Vec::new(), inner: boxed(inner)? },
            (
                T::LowCardinality(inner) | T::SimpleAggregateFunction(_, inner) | T::Geometric(_, inner) | T::Nested(inner),
                _,
            ) => Values::Same(boxed(inner)?),
            (T::Array(inner), _) => Values::List { offsets: vec![0], inner: boxed(inner)? },
            (T::Map(key, value), _) => Values::Map { offsets: vec![0], key: boxed(key)?, value: boxed(value)? },
            (T::Tuple(fields), _) => {
                Values::Tuple(fields.iter().map(|(_, kind)| Gathered::new(kind)).collect::<Result<_>>()?)
            }
            (T::AggregateFunction(function, kinds), _) => Values::States(Box::new(Codec::of(function, kinds)?.reader()?)),
            (T::Nothing, _) => Values::Nothing,
            (other, _) => return Err(unsupported(other)),
        };
        Ok(Gathered { kind: kind.clone(), rows: 0, values })
    }

    /// Whether a value may have no bytes.
    fn may_be_empty(&self) -> bool {
        match &self.values {
            Values::Nothing => true,
            Values::Tuple(parts) => parts.iter().all(Gathered::may_be_empty),
            Values::Same(inner) => inner.may_be_empty(),
            _ => false,
        }
    }

    /// Passes over a value. False: the bytes end within it.
    pub fn skip(&self, bytes: &[u8], at: &mut usize) -> Result<bool> {
        let fixed = |length: usize, at: &mut usize| {
            *at += length;
            *at <= bytes.len()
        };
        Ok(match &self.values {
            Values::Fixed { width, .. } => fixed(width.wire, at),
            Values::Bool(_) => fixed(1, at),
            Values::Text(_) => text(bytes, at)?.is_some(),
            Values::Nullable { inner, .. } => match bytes.get(*at) {
                None => false,
                Some(mark) => {
                    *at += 1;
                    *mark != 0 || inner.skip(bytes, at)?
                }
            },
            Values::Same(inner) => inner.skip(bytes, at)?,
            Values::List { inner, .. } => {
                let Some(count) = elements(inner.may_be_empty(), bytes, at)? else { return Ok(false) };
                for _ in 0..count {
                    if !inner.skip(bytes, at)? {
                        return Ok(false);
                    }
                }
                true
            }
            Values::Map { key, value, .. } => {
                let is_empty = key.may_be_empty() && value.may_be_empty();
                let Some(count) = elements(is_empty, bytes, at)? else { return Ok(false) };
                for _ in 0..count {
                    if !(key.skip(bytes, at)? && value.skip(bytes, at)?) {
                        return Ok(false);
                    }
                }
                true
            }
            Values::Tuple(parts) => {
                for part in parts {
                    if !part.skip(bytes, at)? {
                        return Ok(false);
                    }
                }
                true
            }
            Values::States(states) => states.skip(bytes, at)?,
            Values::Nothing => true,
        })
    }

    /// Takes a value that is there as a whole.
    pub fn take(&mut self, bytes: &[u8], at: &mut usize) -> Result<()> {
        let cut = || Error::logical("A row of RowBinary is shorter than it was measured");
        self.rows += 1;
        match &mut self.values {
            Values::Fixed { width, bytes: gathered } => {
                let value = bytes.get(*at..*at + width.wire).ok_or_else(cut)?;
                *at += width.wire;
                push_widened(value, *width, self.kind == T::Uuid, gathered);
            }
            Values::Bool(values) => {
                values.push(*bytes.get(*at).ok_or_else(cut)? != 0);
                *at += 1;
            }
            Values::Text(builder) => builder.append(text(bytes, at)?.ok_or_else(cut)?),
            Values::Nullable { valid, inner } => {
                let is_valid = *bytes.get(*at).ok_or_else(cut)? == 0;
                *at += 1;
                valid.push(is_valid);
                if is_valid { inner.take(bytes, at)? } else { inner.take_default()? }
            }
            Values::Same(inner) => inner.take(bytes, at)?,
            Values::List { offsets, inner } => {
                let count = elements(false, bytes, at)?.ok_or_else(cut)?;
                for _ in 0..count {
                    inner.take(bytes, at)?;
                }
                push_end(offsets, count)?;
            }
            Values::Map { offsets, key, value } => {
                let count = elements(false, bytes, at)?.ok_or_else(cut)?;
                for _ in 0..count {
                    key.take(bytes, at)?;
                    value.take(bytes, at)?;
                }
                push_end(offsets, count)?;
            }
            Values::Tuple(parts) => {
                for part in parts {
                    part.take(bytes, at)?;
                }
            }
            Values::States(states) => states.take(bytes, at)?,
            Values::Nothing => {}
        }
        Ok(())
    }

    /// Appends a text, whose length was read otherwise. Error: a type of other values (a defect).
    pub(crate) fn push_text(&mut self, text: &[u8]) -> Result<()> {
        let Values::Text(builder) = &mut self.values else {
            return Err(Error::logical(format!("A value of {} came as a text", self.kind)));
        };
        builder.append(text);
        self.rows += 1;
        Ok(())
    }

    /// What stands below a NULL.
    pub fn take_default(&mut self) -> Result<()> {
        self.rows += 1;
        match &mut self.values {
            Values::Fixed { bytes, .. } if bytes.len() as u64 > BYTES_MAX => {
                return Err(Error::new(ErrorCode::TOO_LARGE_ARRAY_SIZE, "The NULLs of a row are too large in memory"));
            }
            Values::Fixed { width, bytes } => bytes.extend_zeros(width.arrow),
            Values::Bool(values) => values.push(false),
            Values::Text(builder) => builder.append(b""),
            Values::Nullable { valid, inner } => {
                valid.push(false);
                inner.take_default()?;
            }
            Values::Same(inner) => inner.take_default()?,
            Values::List { offsets, .. } | Values::Map { offsets, .. } => offsets.push(offsets.last().copied().unwrap_or(0)),
            Values::Tuple(parts) => parts.iter_mut().try_for_each(Gathered::take_default)?,
            Values::States(states) => states.take_default(),
            Values::Nothing => {}
        }
        Ok(())
    }

    /// Bytes of values that may be longer in memory than in the data.
    pub fn memory_bytes(&self) -> usize {
        match &self.values {
            Values::Fixed { bytes, .. } => bytes.len(),
            Values::Nullable { inner, .. } | Values::Same(inner) | Values::List { inner, .. } => inner.memory_bytes(),
            Values::Map { key, value, .. } => key.memory_bytes() + value.memory_bytes(),
            Values::Tuple(parts) => parts.iter().map(Gathered::memory_bytes).sum(),
            Values::States(states) => states.memory_bytes() as usize,
            Values::Bool(_) | Values::Text(_) | Values::Nothing => 0,
        }
    }

    /// The values as a column; none are left.
    pub fn finish(&mut self) -> Result<ArrayRef> {
        let rows = std::mem::take(&mut self.rows);
        let bits = |values: &mut Vec<bool>| BooleanBuffer::from(std::mem::take(values));
        Ok(match &mut self.values {
            Values::Fixed { bytes, .. } => fixed_array(&self.kind, bytes, rows, None)?,
            Values::Bool(values) => Arc::new(BooleanArray::new(bits(values), None)),
            Values::Text(builder) => Arc::new(builder.finish(None)),
            Values::Nullable { valid, inner } => {
                let nulls = NullBuffer::new(bits(valid));
                if let Values::Fixed { bytes, .. } = &mut inner.values {
                    inner.rows = 0;
                    return fixed_array(&inner.kind, bytes, rows, Some(nulls));
                }
                let array = inner.finish()?;
                match inner.kind {
                    T::Nothing => array,
                    _ => make_array(array.to_data().into_builder().nulls(Some(nulls)).build()?),
                }
            }
            Values::Same(inner) => inner.finish()?,
            Values::List { offsets, inner } => {
                let offsets = OffsetBuffer::new(ScalarBuffer::from(std::mem::replace(offsets, vec![0])));
                let field = inner.kind.field("item");
                Arc::new(ListArray::try_new(field, offsets, inner.finish()?, None)?)
            }
            Values::Map { offsets, key, value } => {
                let DataType::Map(entries, sorted) = self.kind.arrow() else { return Err(unsupported(&self.kind)) };
                let DataType::Struct(fields) = entries.data_type() else { return Err(unsupported(&self.kind)) };
                let offsets = OffsetBuffer::new(ScalarBuffer::from(std::mem::replace(offsets, vec![0])));
                let pairs = StructArray::try_new(fields.clone(), vec![key.finish()?, value.finish()?], None)?;
                Arc::new(MapArray::try_new(entries, offsets, pairs, None, sorted)?)
            }
            Values::Tuple(parts) => {
                let DataType::Struct(carriers) = self.kind.arrow() else { return Err(unsupported(&self.kind)) };
                let columns = parts.iter_mut().map(Gathered::finish).collect::<Result<Vec<_>>>()?;
                Arc::new(StructArray::try_new_with_length(carriers, columns, None, rows)?)
            }
            Values::States(states) => states.finish()?,
            Values::Nothing => Arc::new(NullArray::new(rows)),
        })
    }
}

fn push_widened(value: &[u8], width: Width, is_uuid: bool, out: &mut MutableBuffer) {
    if is_uuid {
        let mut turned = [0; 16];
        turned.copy_from_slice(value);
        turned[..8].reverse();
        turned[8..].reverse();
        out.extend_from_slice(&turned);
        return;
    }
    out.extend_zeros(width.skipped);
    out.extend_from_slice(value);
    let negative = width.signed && value.last().is_some_and(|high| *high >= 0x80);
    out.extend_from_slice(&[if negative { 0xff_u8 } else { 0 }; 32][..width.arrow - width.wire - width.skipped]);
}

fn push_end(offsets: &mut Vec<i32>, count: u64) -> Result<()> {
    let last = i64::from(offsets.last().copied().unwrap_or(0)) + count as i64;
    let last =
        i32::try_from(last).map_err(|_| Error::new(ErrorCode::TOO_LARGE_ARRAY_SIZE, "Arrays of a batch are too large"))?;
    offsets.push(last);
    Ok(())
}

fn fixed_array(kind: &SqlType, bytes: &mut MutableBuffer, rows: usize, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
    let bytes = std::mem::replace(bytes, MutableBuffer::new(0));
    check_enum(kind, bytes.as_slice(), nulls.as_ref())?;
    Ok(make_array(ArrayData::builder(kind.arrow()).len(rows).add_buffer(bytes.into()).nulls(nulls).build()?))
}

/// That values of an enum are named by it. Error: UNKNOWN_ELEMENT_OF_ENUM.
pub fn check_enum(kind: &SqlType, values: &[u8], nulls: Option<&NullBuffer>) -> Result<()> {
    let (names, width) = match kind {
        T::Enum8(names) => (names, 1),
        T::Enum16(names) => (names, 2),
        _ => return Ok(()),
    };
    for (row, value) in values.chunks_exact(width).enumerate() {
        let value = match value {
            [low, high] => i16::from_le_bytes([*low, *high]),
            bytes => i16::from(bytes[0] as i8),
        };
        if names.name_of(value).is_none() && nulls.is_none_or(|nulls| nulls.is_valid(row)) {
            let text = format!("Unknown value {value} for enum {kind}");
            return Err(Error::new(ErrorCode::UNKNOWN_ELEMENT_OF_ENUM, text));
        }
    }
    Ok(())
}
