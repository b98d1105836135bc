//! `reinterpretAsX` and `reinterpret`: the bytes of a value in memory, lowest first, as those of another type. Missing
//! bytes are zero; of too many only the first are taken. To String, zeros at the end are left out.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray, FixedSizeBinaryArray, PrimitiveArray};
use arrow::buffer::Buffer;
use arrow::datatypes::{
    Date32Type, Decimal128Type, Decimal256Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type, i256,
};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::{SqlType, wide};

use crate::columns::{Bytes, retype, strings};
use crate::define::{arity, illegal, need_constant_text, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    let kinds = [
        ("UInt8", T::UInt8),
        ("UInt16", T::UInt16),
        ("UInt32", T::UInt32),
        ("UInt64", T::UInt64),
        ("UInt128", T::UInt128),
        ("UInt256", T::UInt256),
        ("Int8", T::Int8),
        ("Int16", T::Int16),
        ("Int32", T::Int32),
        ("Int64", T::Int64),
        ("Int128", T::Int128),
        ("Int256", T::Int256),
        ("Float32", T::Float32),
        ("Float64", T::Float64),
        ("Date", T::Date),
        ("DateTime", T::DateTime(None)),
        ("UUID", T::Uuid),
        ("String", T::String),
    ];
    for (name, kind) in kinds {
        registry.scalar(
            &format!("reinterpretAs{name}"),
            plain(move |name, arguments, _| {
                arity(name, arguments, 1..=1)?;
                bind(name, arguments, kind.clone())
            }),
        );
    }
    registry.scalar(
        "reinterpretAsFixedString",
        plain(|name, arguments, _| {
            arity(name, arguments, 1..=1)?;
            let width = width(&arguments[0].kind).ok_or_else(|| illegal(name, arguments, 0, "a value of fixed size"))?;
            bind(name, arguments, T::FixedString(width))
        }),
    );
    registry.scalar(
        "reinterpret",
        plain(|name, arguments, _| {
            arity(name, arguments, 2..=2)?;
            let kind: SqlType = need_constant_text(name, arguments, 1)?.parse()?;
            bind(name, arguments, kind)
        }),
    );
}

/// Bytes of a value in memory.
fn width(kind: &SqlType) -> Option<usize> {
    if let Some((bits, _)) = kind.integer_bits() {
        return Some(usize::from(bits) / 8);
    }
    Some(match kind.plain() {
        T::Bool | T::Enum8(_) => 1,
        T::Date | T::Enum16(_) | T::BFloat16 => 2,
        T::Float32 | T::Date32 | T::DateTime(_) | T::IPv4 | T::Time => 4,
        T::Float64 | T::DateTime64(..) | T::Interval(_) | T::Time64(_) => 8,
        T::Uuid | T::IPv6 => 16,
        T::Decimal { precision, .. } => match precision {
            ..=9 => 4,
            10..=18 => 8,
            19..=38 => 16,
            _ => 32,
        },
        T::FixedString(width) => *width,
        _ => return None,
    })
}

fn bind(name: &str, arguments: &[Argument], to: SqlType) -> Result<Bound> {
    let from = arguments[0].kind.plain().clone();
    if from != T::String && width(&from).is_none() && element_width(&from).is_none() {
        return Err(illegal(name, arguments, 0, "a number, a date, a string or a UUID"));
    }
    let bytes_alone = from == T::String || matches!(from, T::FixedString(_));
    if let Some(width) = element_width(&to).filter(|_| bytes_alone) {
        return Ok(into_arrays(from, to, width));
    }
    if to != T::String && (width(&to).is_none() || element_width(&from).is_some()) {
        return Err(illegal(name, arguments, arguments.len() - 1, "the name of a type of fixed size, or String"));
    }
    Ok(Bound::new(to.clone(), move |args, _| {
        let bytes = read(&args[0], &from)?;
        write(&bytes, args[0].len(), &to)
    }))
}

/// Bytes of an element of an array of values of fixed size.
fn element_width(kind: &SqlType) -> Option<usize> {
    match kind.plain() {
        T::Array(element) if !element.is_nullable() => width(element).filter(|width| *width > 0),
        _ => None,
    }
}

/// Text as the elements whose bytes it is. Error: BAD_ARGUMENTS where some are left over.
fn into_arrays(from: SqlType, to: SqlType, width: usize) -> Bound {
    Bound::new(to.clone(), move |args, _| {
        let rows = args[0].len();
        let T::Array(element) = &to else { return Err(Error::logical("an array was asked for")) };
        let source = read(&args[0], &from)?;
        let (mut bytes, mut lengths) = (Vec::new(), Vec::with_capacity(rows));
        for row in 0..rows {
            let text = source.get(row);
            if text.len() % width != 0 {
                let text = format!("Cannot reinterpret {} bytes as {to}: an element has {width}", text.len());
                return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
            }
            bytes.extend_from_slice(text);
            lengths.push(text.len() / width);
        }
        let elements = bytes.len() / width;
        let values = write(&Raw::Fixed(bytes, width), elements, element)?;
        crate::columns::list(values, &lengths)
    })
}

/// The bytes of each row: of fixed width one after the other, or strings.
enum Raw<'a> {
    Fixed(Vec<u8>, usize),
    Strings(Bytes<'a>),
    /// One behind the other, each from one border to the next.
    Runs(Vec<u8>, Vec<usize>),
}

impl Raw<'_> {
    fn get(&self, row: usize) -> &[u8] {
        match self {
            Raw::Fixed(bytes, width) => &bytes[row * width..(row + 1) * width],
            Raw::Strings(bytes) => bytes.get(row),
            Raw::Runs(bytes, borders) => &bytes[borders[row]..borders[row + 1]],
        }
    }
}

fn of<P: ArrowPrimitiveType, const N: usize>(
    array: &ArrayRef,
    to_bytes: impl Fn(P::Native) -> [u8; N],
) -> Result<Raw<'static>> {
    let values =
        array.as_primitive_opt::<P>().ok_or_else(|| Error::logical(format!("Unexpected carrier {}", array.data_type())))?;
    Ok(Raw::Fixed(values.values().iter().flat_map(|value| to_bytes(*value)).collect(), N))
}

/// A UUID is two numbers of 64 bits, the higher first.
fn swap_halves(bytes: &[u8]) -> [u8; 16] {
    let mut swapped = [0; 16];
    for (i, byte) in bytes.iter().take(16).enumerate() {
        swapped[if i < 8 { 7 - i } else { 23 - i }] = *byte;
    }
    swapped
}

fn read<'a>(array: &'a ArrayRef, kind: &SqlType) -> Result<Raw<'a>> {
    let int64 = || retype(array, &arrow::datatypes::DataType::Int64);
    Ok(match kind {
        T::String | T::FixedString(_) => Raw::Strings(Bytes::of(array)?),
        T::Bool => Raw::Fixed(array.as_boolean().values().iter().map(u8::from).collect(), 1),
        T::UInt8 => of::<UInt8Type, 1>(array, u8::to_le_bytes)?,
        T::UInt16 => of::<UInt16Type, 2>(array, u16::to_le_bytes)?,
        T::UInt32 | T::IPv4 => of::<UInt32Type, 4>(array, u32::to_le_bytes)?,
        T::UInt64 => of::<UInt64Type, 8>(array, u64::to_le_bytes)?,
        T::Int8 | T::Enum8(_) => of::<Int8Type, 1>(array, i8::to_le_bytes)?,
        T::Int16 | T::Enum16(_) => of::<Int16Type, 2>(array, i16::to_le_bytes)?,
        T::Int32 | T::Time => of::<Int32Type, 4>(array, i32::to_le_bytes)?,
        T::Int64 | T::Interval(_) | T::Time64(_) => of::<Int64Type, 8>(array, i64::to_le_bytes)?,
        T::Int128 | T::UInt128 => of::<Decimal256Type, 16>(array, |value| value.to_parts().0.to_le_bytes())?,
        T::Int256 | T::UInt256 => of::<Decimal256Type, 32>(array, i256::to_le_bytes)?,
        // The upper half of a Float32.
        T::BFloat16 => of::<Float32Type, 2>(array, |value| ((value.to_bits() >> 16) as u16).to_le_bytes())?,
        T::Float32 => of::<Float32Type, 4>(array, f32::to_le_bytes)?,
        T::Float64 => of::<Float64Type, 8>(array, f64::to_le_bytes)?,
        T::Date => of::<Date32Type, 2>(array, |day| (day as u16).to_le_bytes())?,
        T::Date32 => of::<Date32Type, 4>(array, i32::to_le_bytes)?,
        T::DateTime(_) => of::<Int64Type, 4>(&int64()?, |second| (second as u32).to_le_bytes())?,
        T::DateTime64(..) => of::<Int64Type, 8>(&int64()?, i64::to_le_bytes)?,
        T::Decimal { precision: ..=9, .. } => of::<Decimal128Type, 4>(array, |value| (value as i32).to_le_bytes())?,
        T::Decimal { precision: ..=18, .. } => of::<Decimal128Type, 8>(array, |value| (value as i64).to_le_bytes())?,
        T::Decimal { precision: ..=38, .. } => of::<Decimal128Type, 16>(array, i128::to_le_bytes)?,
        T::Decimal { .. } => of::<Decimal256Type, 32>(array, i256::to_le_bytes)?,
        T::Uuid => {
            let values = array.as_fixed_size_binary();
            Raw::Fixed((0..values.len()).flat_map(|row| swap_halves(values.value(row))).collect(), 16)
        }
        T::IPv6 => Raw::Strings(Bytes::of(array)?),
        T::Array(element) => {
            let list = array.as_list::<i32>();
            let elements = read(list.values(), element.plain())?;
            let (mut bytes, mut borders) = (Vec::new(), vec![0]);
            for pair in list.offsets().windows(2) {
                (pair[0]..pair[1]).for_each(|i| bytes.extend_from_slice(elements.get(i as usize)));
                borders.push(bytes.len());
            }
            Raw::Runs(bytes, borders)
        }
        other => return Err(Error::logical(format!("{other} has no fixed size"))),
    })
}

fn first<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut result = [0; N];
    let known = bytes.len().min(N);
    result[..known].copy_from_slice(&bytes[..known]);
    result
}

fn to<P: ArrowPrimitiveType, const N: usize>(
    raw: &Raw<'_>,
    rows: usize,
    from_bytes: impl Fn([u8; N]) -> P::Native,
) -> PrimitiveArray<P> {
    PrimitiveArray::new((0..rows).map(|row| from_bytes(first(raw.get(row)))).collect::<Vec<_>>().into(), None)
}

fn write(raw: &Raw<'_>, rows: usize, kind: &SqlType) -> Result<ArrayRef> {
    let carrier = kind.arrow();
    let wide_array = |array: PrimitiveArray<Decimal256Type>| Arc::new(array.with_data_type(carrier.clone())) as ArrayRef;
    Ok(match kind {
        T::String => strings(rows, |row, out| {
            let bytes = raw.get(row);
            let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
            out.extend_from_slice(&bytes[..end]);
            Ok(())
        })?,
        T::FixedString(width) => fixed(raw, rows, *width, |bytes| bytes.to_vec())?,
        T::IPv6 => fixed(raw, rows, 16, |bytes| bytes.to_vec())?,
        T::Uuid => fixed(raw, rows, 16, |bytes| swap_halves(&first::<16>(bytes)).to_vec())?,
        T::Bool => {
            let bits = arrow::buffer::BooleanBuffer::collect_bool(rows, |row| first::<1>(raw.get(row))[0] != 0);
            Arc::new(arrow::array::BooleanArray::new(bits, None))
        }
        T::UInt8 => Arc::new(to::<UInt8Type, 1>(raw, rows, u8::from_le_bytes)),
        T::UInt16 => Arc::new(to::<UInt16Type, 2>(raw, rows, u16::from_le_bytes)),
        T::UInt32 | T::IPv4 => Arc::new(to::<UInt32Type, 4>(raw, rows, u32::from_le_bytes)),
        T::UInt64 => Arc::new(to::<UInt64Type, 8>(raw, rows, u64::from_le_bytes)),
        T::Int8 | T::Enum8(_) => Arc::new(to::<Int8Type, 1>(raw, rows, i8::from_le_bytes)),
        T::Int16 | T::Enum16(_) => Arc::new(to::<Int16Type, 2>(raw, rows, i16::from_le_bytes)),
        T::Int32 | T::Time => Arc::new(to::<Int32Type, 4>(raw, rows, i32::from_le_bytes)),
        T::Int64 | T::Interval(_) | T::Time64(_) => Arc::new(to::<Int64Type, 8>(raw, rows, i64::from_le_bytes)),
        T::BFloat16 => {
            Arc::new(to::<Float32Type, 2>(raw, rows, |bytes| f32::from_bits(u32::from(u16::from_le_bytes(bytes)) << 16)))
        }
        T::Float32 => Arc::new(to::<Float32Type, 4>(raw, rows, f32::from_le_bytes)),
        T::Float64 => Arc::new(to::<Float64Type, 8>(raw, rows, f64::from_le_bytes)),
        T::Date => Arc::new(to::<Date32Type, 2>(raw, rows, |bytes| i32::from(u16::from_le_bytes(bytes)))),
        T::Date32 => Arc::new(to::<Date32Type, 4>(raw, rows, i32::from_le_bytes)),
        T::DateTime(_) => {
            let seconds: ArrayRef = Arc::new(to::<Int64Type, 4>(raw, rows, |bytes| i64::from(u32::from_le_bytes(bytes))));
            retype(&seconds, &carrier)?
        }
        T::DateTime64(..) => retype(&(Arc::new(to::<Int64Type, 8>(raw, rows, i64::from_le_bytes)) as ArrayRef), &carrier)?,
        T::Int128 => wide_array(to::<Decimal256Type, 16>(raw, rows, |bytes| i256::from_i128(i128::from_le_bytes(bytes)))),
        T::UInt128 => wide_array(to::<Decimal256Type, 16>(raw, rows, |bytes| {
            wide::wrap(i256::from_parts(u128::from_le_bytes(bytes), 0), 128, false)
        })),
        T::Int256 | T::UInt256 => wide_array(to::<Decimal256Type, 32>(raw, rows, i256::from_le_bytes)),
        T::Decimal { precision, .. } => {
            let narrow = |array: PrimitiveArray<Decimal128Type>| Arc::new(array.with_data_type(carrier.clone())) as ArrayRef;
            match precision {
                ..=9 => narrow(to::<Decimal128Type, 4>(raw, rows, |bytes| i128::from(i32::from_le_bytes(bytes)))),
                10..=18 => narrow(to::<Decimal128Type, 8>(raw, rows, |bytes| i128::from(i64::from_le_bytes(bytes)))),
                19..=38 => narrow(to::<Decimal128Type, 16>(raw, rows, i128::from_le_bytes)),
                _ => wide_array(to::<Decimal256Type, 32>(raw, rows, i256::from_le_bytes)),
            }
        }
        other => return Err(Error::logical(format!("{other} has no fixed size"))),
    })
}

fn fixed(raw: &Raw<'_>, rows: usize, width: usize, arrange: impl Fn(&[u8]) -> Vec<u8>) -> Result<ArrayRef> {
    let mut bytes = Vec::with_capacity(rows * width);
    for row in 0..rows {
        let value = arrange(raw.get(row));
        bytes.extend_from_slice(&value[..value.len().min(width)]);
        bytes.resize((row + 1) * width, 0);
    }
    Ok(Arc::new(FixedSizeBinaryArray::try_new(width as i32, Buffer::from_vec(bytes), None)?))
}
