//! Values of a column, row by row, into an Arrow array; or passed over.
//!
//! What type the array has depends on the column that is asked for only where the file's type says less than it: whole
//! numbers that stand for others (`whole_numbers`), and decimals and times that are wanted as bytes and numbers. All other
//! differences are casts, which whoever takes the array does.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, BooleanArray, Date32Array, Decimal128Array, Decimal256Array, DictionaryArray, FixedSizeBinaryArray,
    Float32Array, Float64Array, Int32Array, Int64Array, ListArray, MapArray, NullArray, StructArray,
};
use arrow::buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow::datatypes::{DataType, Field, Fields, Int32Type, TimeUnit, i256};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::builder::from_ticks;
use gristmill_types::bytes::BytesBuilder;

use super::cursor::{Cursor, incorrect};
use super::schema::{Kind, Node};
use crate::columnar::whole_numbers::{fitting, of_width};

/// The widest fixed type of which a NULL takes as much as a value.
const NARROW_BYTES: usize = 256;

/// Passes over a value.
pub fn skip(node: &Node, cursor: &mut Cursor<'_>) -> Result<()> {
    match &node.kind {
        Kind::Null => {}
        Kind::Boolean => _ = cursor.boolean()?,
        Kind::Int | Kind::Date | Kind::Long | Kind::Millis | Kind::Micros | Kind::Enum(_) => _ = cursor.long()?,
        Kind::Float => _ = cursor.take(4)?,
        Kind::Double => _ = cursor.take(8)?,
        Kind::Fixed(bytes) | Kind::Decimal { fixed: Some(bytes), .. } => _ = cursor.take(*bytes)?,
        Kind::Bytes | Kind::String | Kind::Uuid | Kind::Decimal { .. } => _ = cursor.bytes()?,
        Kind::Array(item) => _ = each_item(cursor, |cursor| skip(item, cursor))?,
        Kind::Map(value) => _ = each_item(cursor, |cursor| cursor.bytes().and_then(|_| skip(value, cursor)))?,
        Kind::Record(fields) => fields.iter().try_for_each(|(_, field)| skip(field, cursor))?,
        Kind::Union(branches) => skip(&branches[cursor.choice(branches.len())?], cursor)?,
    }
    Ok(())
}

/// Does that for each item of an array or map, and gives their number.
fn each_item<'a>(cursor: &mut Cursor<'a>, mut item: impl FnMut(&mut Cursor<'a>) -> Result<()>) -> Result<u64> {
    let mut items = 0;
    loop {
        let count = cursor.items()?;
        if count == 0 {
            return Ok(items);
        }
        for _ in 0..count {
            let before = cursor.rest().len();
            item(cursor)?;
            cursor.item_ended(before)?;
        }
        items += count;
    }
}

/// What stands before a value.
#[derive(Clone, Copy)]
enum Branches {
    None,
    /// Always 0.
    One,
    /// The number of the branch that is null.
    Null(usize),
}

pub struct Decoder {
    branches: Branches,
    values: Values,
    /// Kept where there is a null branch.
    valid: Vec<bool>,
    /// The type that is asked for.
    wanted: SqlType,
}

enum Values {
    Null(usize),
    Boolean(Vec<bool>),
    /// Whole numbers, and the type that the file says they have.
    Whole(Vec<i64>, DataType),
    Float(Vec<f32>),
    Double(Vec<f64>),
    Bytes(BytesBuilder),
    Fixed(usize, Vec<u8>),
    /// As bytes, or of a width that nulls are not to take.
    Wide(usize, BytesBuilder),
    Decimal {
        values: Vec<i256>,
        precision: u8,
        scale: u8,
        fixed: Option<usize>,
    },
    Enum(Vec<i32>, Arc<[String]>),
    Array(Vec<i32>, Box<Decoder>),
    Map(Vec<i32>, BytesBuilder, Box<Decoder>),
    Record(usize, Vec<(String, Decoder)>),
}

impl Decoder {
    /// For a column of type `wanted`. Errors: NOT_IMPLEMENTED where only a Variant could hold the values.
    pub fn new(node: &Node, wanted: &SqlType) -> Result<Decoder> {
        if let Kind::Union(branches) = &node.kind {
            let (branches, inner) = match (&branches[..], node.nullable()) {
                ([only], _) => (Branches::One, only),
                (_, Some((null, other))) => (Branches::Null(null), other),
                _ => return Err(node.is_variant()),
            };
            let inner = Decoder::new(inner, wanted)?;
            return match inner.branches {
                Branches::None => Ok(Decoder { branches, ..inner }),
                // Avro does not allow a union directly within another.
                _ => Err(incorrect("a union is directly within a union")),
            };
        }
        let plain = wanted.plain();
        let as_bytes = matches!(plain, SqlType::String | SqlType::FixedString(_));
        let as_time = matches!(plain, SqlType::DateTime64(..) | SqlType::DateTime(_) | SqlType::Date | SqlType::Date32);
        let time = |kind: DataType, plain: DataType| if as_time || as_bytes { kind } else { plain };
        let values = match &node.kind {
            Kind::Null => Values::Null(0),
            Kind::Boolean => Values::Boolean(Vec::new()),
            Kind::Int => Values::Whole(Vec::new(), DataType::Int32),
            Kind::Date => Values::Whole(Vec::new(), time(DataType::Date32, DataType::Int32)),
            Kind::Long => Values::Whole(Vec::new(), DataType::Int64),
            Kind::Millis => Values::Whole(Vec::new(), time(timestamp(TimeUnit::Millisecond), DataType::Int64)),
            Kind::Micros => Values::Whole(Vec::new(), time(timestamp(TimeUnit::Microsecond), DataType::Int64)),
            Kind::Float => Values::Float(Vec::new()),
            Kind::Double => Values::Double(Vec::new()),
            Kind::Bytes | Kind::String | Kind::Uuid => Values::Bytes(BytesBuilder::default()),
            Kind::Decimal { fixed: None, .. } if as_bytes => Values::Bytes(BytesBuilder::default()),
            Kind::Decimal { fixed: Some(bytes), .. } | Kind::Fixed(bytes) if as_bytes => {
                // A String keeps the zeros at its end.
                Values::Wide(*bytes, BytesBuilder::default())
            }
            Kind::Decimal { precision, scale, fixed } => {
                Values::Decimal { values: Vec::new(), precision: *precision, scale: *scale, fixed: *fixed }
            }
            Kind::Fixed(bytes) => fixed(*bytes),
            Kind::Enum(symbols) => Values::Enum(Vec::new(), symbols.clone()),
            Kind::Array(item) => {
                let wanted = match plain {
                    SqlType::Array(item) => item,
                    _ => wanted,
                };
                Values::Array(vec![0], Box::new(Decoder::new(item, wanted)?))
            }
            Kind::Map(value) => {
                let wanted = match plain {
                    SqlType::Map(_, value) => value,
                    _ => wanted,
                };
                Values::Map(vec![0], BytesBuilder::default(), Box::new(Decoder::new(value, wanted)?))
            }
            Kind::Record(fields) => {
                let fields = fields.iter().enumerate().map(|(at, (name, node))| {
                    Ok((name.clone(), Decoder::new(node, element(plain, at, name).unwrap_or(wanted))?))
                });
                Values::Record(0, fields.collect::<Result<_>>()?)
            }
            Kind::Union(_) => return Err(node.is_variant()),
        };
        Ok(Decoder { branches: Branches::None, values, valid: Vec::new(), wanted: wanted.clone() })
    }

    pub fn read(&mut self, cursor: &mut Cursor<'_>) -> Result<()> {
        match self.branches {
            Branches::None => {}
            Branches::One => _ = cursor.choice(1)?,
            Branches::Null(null) => {
                let is_null = cursor.choice(2)? == null;
                self.valid.push(!is_null);
                if is_null {
                    self.values.append_default();
                    return Ok(());
                }
            }
        }
        self.values.read(cursor)
    }

    fn append_default(&mut self) {
        if matches!(self.branches, Branches::Null(_)) {
            self.valid.push(false);
        }
        self.values.append_default();
    }

    /// Whether a few rows of it may be too many for a block.
    pub fn is_wide(&self) -> bool {
        match &self.values {
            Values::Wide(width, _) => *width > NARROW_BYTES,
            Values::Array(_, items) | Values::Map(_, _, items) => items.is_wide(),
            Values::Record(_, fields) => fields.iter().any(|(_, field)| field.is_wide()),
            _ => false,
        }
    }

    /// Bytes that the values take, about.
    pub fn memory_bytes(&self) -> usize {
        self.valid.len() + self.values.memory_bytes()
    }

    /// The values so far, which are forgotten here.
    pub fn finish(&mut self) -> Result<ArrayRef> {
        let valid = std::mem::take(&mut self.valid);
        let nulls = matches!(self.branches, Branches::Null(_)).then(|| NullBuffer::from(valid));
        self.values.finish(nulls.filter(|nulls| nulls.null_count() > 0), &self.wanted)
    }
}

fn fixed(bytes: usize) -> Values {
    match bytes {
        1..=NARROW_BYTES => Values::Fixed(bytes, Vec::new()),
        _ => Values::Wide(bytes, BytesBuilder::default()),
    }
}

fn timestamp(unit: TimeUnit) -> DataType {
    DataType::Timestamp(unit, None)
}

/// The type of the element of a tuple that a field goes to: by name, or by place where elements have none.
fn element<'a>(tuple: &'a SqlType, at: usize, name: &str) -> Option<&'a SqlType> {
    let SqlType::Tuple(elements) = tuple else { return None };
    let named = elements.iter().find(|(known, _)| known.as_deref() == Some(name));
    named.or_else(|| elements.get(at).filter(|(known, _)| known.is_none())).map(|(_, kind)| kind)
}

impl Values {
    fn read(&mut self, cursor: &mut Cursor<'_>) -> Result<()> {
        match self {
            Values::Null(rows) => *rows += 1,
            Values::Boolean(values) => values.push(cursor.boolean()?),
            Values::Whole(values, DataType::Int32 | DataType::Date32) => values.push(cursor.int()?.into()),
            Values::Whole(values, _) => values.push(cursor.long()?),
            Values::Float(values) => values.push(f32::from_le_bytes(cursor.array()?)),
            Values::Double(values) => values.push(f64::from_le_bytes(cursor.array()?)),
            Values::Bytes(values) => values.append(cursor.bytes()?),
            Values::Fixed(width, values) => values.extend_from_slice(cursor.take(*width)?),
            Values::Wide(width, values) => values.append(cursor.take(*width)?),
            Values::Decimal { values, precision, scale, fixed } => {
                let bytes = match fixed {
                    Some(width) => cursor.take(*width)?,
                    None => cursor.bytes()?,
                };
                values.push(decimal(bytes, *precision, *scale)?);
            }
            Values::Enum(values, symbols) => values.push(cursor.choice(symbols.len())? as i32),
            Values::Array(ends, items) => {
                let count = each_item(cursor, |cursor| items.read(cursor))?;
                push_end(ends, count)?;
            }
            Values::Map(ends, keys, items) => {
                let count = each_item(cursor, |cursor| {
                    keys.append(cursor.bytes()?);
                    items.read(cursor)
                })?;
                push_end(ends, count)?;
            }
            Values::Record(rows, fields) => {
                fields.iter_mut().try_for_each(|(_, field)| field.read(cursor))?;
                *rows += 1;
            }
        }
        Ok(())
    }

    fn append_default(&mut self) {
        match self {
            Values::Null(rows) => *rows += 1,
            Values::Boolean(values) => values.push(false),
            Values::Whole(values, _) => values.push(0),
            Values::Float(values) => values.push(0.0),
            Values::Double(values) => values.push(0.0),
            Values::Bytes(values) | Values::Wide(_, values) => values.append(b""),
            Values::Fixed(width, values) => values.resize(values.len() + *width, 0),
            Values::Decimal { values, .. } => values.push(i256::ZERO),
            Values::Enum(values, _) => values.push(0),
            Values::Array(ends, _) | Values::Map(ends, ..) => ends.extend(ends.last().copied()),
            Values::Record(rows, fields) => {
                fields.iter_mut().for_each(|(_, field)| field.append_default());
                *rows += 1;
            }
        }
    }

    fn memory_bytes(&self) -> usize {
        match self {
            Values::Null(_) => 0,
            Values::Boolean(values) => values.len(),
            Values::Whole(values, _) => values.len() * 8,
            Values::Float(values) => values.len() * 4,
            Values::Double(values) => values.len() * 8,
            Values::Bytes(values) => values.memory_bytes(),
            Values::Fixed(_, values) => values.len(),
            // A column of such values has room for those that are NULL.
            Values::Wide(width, values) => values.memory_bytes().max(values.len().saturating_mul(*width)),
            Values::Decimal { values, .. } => values.len() * 32,
            Values::Enum(values, _) => values.len() * 4,
            Values::Array(ends, items) => ends.len() * 4 + items.memory_bytes(),
            Values::Map(ends, keys, items) => ends.len() * 4 + keys.memory_bytes() + items.memory_bytes(),
            Values::Record(_, fields) => fields.iter().map(|(_, field)| field.memory_bytes()).sum(),
        }
    }

    fn finish(&mut self, nulls: Option<NullBuffer>, wanted: &SqlType) -> Result<ArrayRef> {
        use std::mem::take;
        Ok(match self {
            Values::Null(rows) => Arc::new(NullArray::new(take(rows))),
            Values::Boolean(values) => Arc::new(BooleanArray::new(take(values).into(), nulls)),
            Values::Whole(values, kind) => {
                let numbers = Int64Array::new(take(values).into(), nulls);
                match kind {
                    DataType::Date32 => {
                        let days: Vec<i32> = numbers.values().iter().map(|days| *days as i32).collect();
                        Arc::new(Date32Array::new(days.into(), numbers.nulls().cloned()))
                    }
                    DataType::Timestamp(..) => from_ticks(numbers.values().clone(), numbers.nulls().cloned(), kind),
                    kind => fitting(&numbers, wanted).unwrap_or_else(|| of_width(&numbers, kind)),
                }
            }
            Values::Float(values) => Arc::new(Float32Array::new(take(values).into(), nulls)),
            Values::Double(values) => Arc::new(Float64Array::new(take(values).into(), nulls)),
            Values::Bytes(values) => Arc::new(values.finish(nulls)),
            Values::Fixed(width, values) => {
                Arc::new(FixedSizeBinaryArray::try_new(*width as i32, take(values).into(), nulls)?)
            }
            Values::Wide(_, values) => Arc::new(values.finish(nulls)),
            Values::Decimal { values, precision, scale, .. } => {
                let (values, scale) = (take(values), *scale as i8);
                if *precision <= 38 {
                    let values: ScalarBuffer<i128> = values.iter().map(|value| value.as_i128()).collect();
                    Arc::new(Decimal128Array::new(values, nulls).with_precision_and_scale(*precision, scale)?)
                } else {
                    Arc::new(Decimal256Array::new(values.into(), nulls).with_precision_and_scale(*precision, scale)?)
                }
            }
            Values::Enum(values, symbols) => {
                let names = symbols.iter().collect::<BytesBuilder>().finish(None);
                let keys = Int32Array::new(take(values).into(), nulls);
                Arc::new(DictionaryArray::<Int32Type>::try_new(keys, Arc::new(names))?)
            }
            Values::Array(ends, items) => {
                let items = items.finish()?;
                let field = Arc::new(Field::new("item", items.data_type().clone(), true));
                Arc::new(ListArray::try_new(field, offsets(ends), items, nulls)?)
            }
            Values::Map(ends, keys, items) => {
                let (keys, items) = (keys.finish(None), items.finish()?);
                let pair = Fields::from(vec![
                    Field::new("keys", DataType::BinaryView, false),
                    Field::new("values", items.data_type().clone(), true),
                ]);
                let entries = StructArray::try_new(pair.clone(), vec![Arc::new(keys), items], None)?;
                let field = Arc::new(Field::new("entries", DataType::Struct(pair), false));
                Arc::new(MapArray::try_new(field, offsets(ends), entries, nulls, false)?)
            }
            Values::Record(rows, fields) => {
                let arrays = fields.iter_mut().map(|(_, field)| field.finish()).collect::<Result<Vec<_>>>()?;
                let kinds = fields.iter().zip(&arrays);
                let kinds: Fields =
                    kinds.map(|((name, _), array)| Field::new(name, array.data_type().clone(), true)).collect();
                Arc::new(StructArray::try_new_with_length(kinds, arrays, nulls, take(rows))?)
            }
        })
    }
}

fn push_end(ends: &mut Vec<i32>, count: u64) -> Result<()> {
    let last = ends.last().copied().unwrap_or(0);
    let end = i32::try_from(count).ok().and_then(|count| last.checked_add(count));
    ends.push(end.ok_or_else(|| incorrect("the arrays of a block have more than 2147483647 items"))?);
    Ok(())
}

fn offsets(ends: &mut Vec<i32>) -> OffsetBuffer<i32> {
    OffsetBuffer::new(std::mem::replace(ends, vec![0]).into())
}

/// A number in two's complement, the greatest byte first.
fn decimal(bytes: &[u8], precision: u8, scale: u8) -> Result<i256> {
    let out_of_range = || {
        Error::new(
            ErrorCode::VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE,
            format!("An Avro decimal of {} bytes is no Decimal({precision}, {scale})", bytes.len()),
        )
    };
    let first = bytes.first().ok_or_else(out_of_range)?;
    let filling = if first & 0x80 == 0 { 0 } else { 0xFF };
    // More bytes than are needed may be there, which then say the sign again.
    let surplus = bytes.len().saturating_sub(32);
    if bytes[..surplus].iter().any(|byte| *byte != filling) {
        return Err(out_of_range());
    }
    let mut all = [filling; 32];
    let bytes = &bytes[surplus..];
    all[32 - bytes.len()..].copy_from_slice(bytes);
    let value = i256::from_be_bytes(all);
    // Digits are not counted, as ClickHouse does not: the ticks of a DateTime64 may be one more than their type says.
    let bits: u8 = match precision {
        0..=9 => 31,
        10..=18 => 63,
        19..=38 => 127,
        _ => 255,
    };
    let sign = value >> bits;
    if (surplus > 0 && value.is_negative() != (filling == 0xFF)) || (sign != i256::ZERO && sign != i256::MINUS_ONE) {
        return Err(out_of_range());
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_in_twos_complement_of_any_width() {
        assert_eq!(decimal(&[0xFF], 5, 2).expect("a number"), i256::from_i128(-1));
        assert_eq!(decimal(&[0x00, 0xFF], 5, 2).expect("a number"), i256::from_i128(255));
        assert_eq!(decimal(&[0; 40], 5, 2).expect("a number"), i256::ZERO);
        for bytes in [&[][..], &[0x7F, 0xFF, 0xFF, 0xFF, 0xFF], &[0x01; 40]] {
            let error = decimal(bytes, 5, 2).expect_err("too large");
            assert_eq!(error.code(), ErrorCode::VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE);
        }
    }
}
