//! How kernels read and write columns: byte strings of either carrier, constants as columns of one value, slices that share
//! the source's buffers, and small loops for one or two arguments.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, ArrowPrimitiveType, AsArray, BinaryViewArray, BinaryViewBuilder, BooleanArray, FixedSizeBinaryArray,
    GenericByteViewArray, ListArray, MapArray, PrimitiveArray, StructArray, UInt32Array, make_array, make_view,
};
use arrow::buffer::{BooleanBuffer, OffsetBuffer, ScalarBuffer};
use arrow::compute::{kernels::zip::zip, take};
use arrow::datatypes::{ArrowNativeType, BinaryViewType, DataType, UInt8Type};
use datafusion::common::ScalarValue;
use gristmill_base::allocations::{ASKED_FOR_BYTES, check_room};
use gristmill_base::{Error, Result};

/// The row to read of a column with `len` values, where one value stands for all.
#[inline(always)]
pub fn at(len: usize, row: usize) -> usize {
    if len == 1 { 0 } else { row }
}

/// A constant (one value) as a column of `rows` values; others as they are.
pub fn broadcast(array: &ArrayRef, rows: usize) -> Result<ArrayRef> {
    if array.len() == rows {
        return Ok(array.clone());
    }
    Ok(take(array, &UInt32Array::from(vec![0; rows]), None)?)
}

/// Strings, of a String or a FixedString column.
pub enum Bytes<'a> {
    View(&'a BinaryViewArray),
    Fixed(&'a FixedSizeBinaryArray),
}

impl<'a> Bytes<'a> {
    pub fn of(array: &'a ArrayRef) -> Result<Bytes<'a>> {
        match array.data_type() {
            DataType::BinaryView => Ok(Bytes::View(array.as_binary_view())),
            DataType::FixedSizeBinary(_) => Ok(Bytes::Fixed(array.as_fixed_size_binary())),
            other => Err(Error::logical(format!("A string column is carried as {other}"))),
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Bytes::View(array) => array.len(),
            Bytes::Fixed(array) => array.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value for `row`; of a constant, its only value.
    #[inline]
    pub fn get(&self, row: usize) -> &'a [u8] {
        match self {
            Bytes::View(array) => array.value(at(array.len(), row)),
            Bytes::Fixed(array) => array.value(at(array.len(), row)),
        }
    }
}

/// Numbers of a column or a constant.
#[derive(Clone, Copy)]
pub struct Numbers<'a, N> {
    values: &'a [N],
}

impl<'a, N: ArrowNativeType> Numbers<'a, N> {
    pub fn of<T: ArrowPrimitiveType<Native = N>>(array: &'a ArrayRef) -> Result<Numbers<'a, N>> {
        match array.as_primitive_opt::<T>() {
            Some(array) => Ok(Numbers { values: array.values() }),
            None => Err(Error::logical(format!("Expected a column of {}, got {}", T::DATA_TYPE, array.data_type()))),
        }
    }

    #[inline]
    pub fn get(&self, row: usize) -> N {
        self.values[at(self.values.len(), row)]
    }
}

fn primitive<T: ArrowPrimitiveType>(array: &ArrayRef) -> Result<&PrimitiveArray<T>> {
    array
        .as_primitive_opt::<T>()
        .ok_or_else(|| Error::logical(format!("Expected a column of {}, got {}", T::DATA_TYPE, array.data_type())))
}

/// `f` of every value. The result has as many rows as the argument.
pub fn unary<A, R>(array: &ArrayRef, f: impl Fn(A::Native) -> R::Native) -> Result<ArrayRef>
where
    A: ArrowPrimitiveType,
    R: ArrowPrimitiveType,
{
    Ok(Arc::new(primitive::<A>(array)?.unary::<_, R>(f)))
}

/// `f` of every pair; either side may be a constant.
pub fn binary<A, B, R>(
    a: &ArrayRef,
    b: &ArrayRef,
    rows: usize,
    f: impl Fn(A::Native, B::Native) -> R::Native,
) -> Result<ArrayRef>
where
    A: ArrowPrimitiveType,
    B: ArrowPrimitiveType,
    R: ArrowPrimitiveType,
{
    let (a, b) = (primitive::<A>(a)?.values(), primitive::<B>(b)?.values());
    let values: Vec<R::Native> = if a.len() == rows && b.len() == rows {
        a.iter().zip(b.iter()).map(|(a, b)| f(*a, *b)).collect()
    } else if a.len() == rows {
        let b = b[0];
        a.iter().map(|a| f(*a, b)).collect()
    } else {
        let a = a[0];
        (0..rows).map(|row| f(a, b[at(b.len(), row)])).collect()
    };
    Ok(Arc::new(PrimitiveArray::<R>::new(values.into(), None)))
}

/// As `binary`, with errors that stop at the first.
pub fn try_binary<A, B, R>(
    a: &ArrayRef,
    b: &ArrayRef,
    rows: usize,
    f: impl Fn(A::Native, B::Native) -> Result<R::Native>,
) -> Result<ArrayRef>
where
    A: ArrowPrimitiveType,
    B: ArrowPrimitiveType,
    R: ArrowPrimitiveType,
{
    let (a, b) = (Numbers::of::<A>(a)?, Numbers::of::<B>(b)?);
    numbers::<R>(rows, |row| f(a.get(row), b.get(row)))
}

/// A column of numbers from a function of the row.
pub fn numbers<R: ArrowPrimitiveType>(rows: usize, f: impl FnMut(usize) -> Result<R::Native>) -> Result<ArrayRef> {
    let values: Vec<R::Native> = (0..rows).map(f).collect::<Result<_>>()?;
    Ok(Arc::new(PrimitiveArray::<R>::new(values.into(), None)))
}

/// A UInt8 column of truth values from a function of the row.
pub fn truths(rows: usize, mut f: impl FnMut(usize) -> bool) -> Result<ArrayRef> {
    numbers::<UInt8Type>(rows, |row| Ok(u8::from(f(row))))
}

/// Truth values as ClickHouse has them: UInt8.
pub fn truth_column(values: &BooleanBuffer) -> ArrayRef {
    let values: Vec<u8> = values.iter().map(u8::from).collect();
    Arc::new(PrimitiveArray::<UInt8Type>::new(values.into(), None))
}

/// A number for every string.
pub fn bytes_to<R: ArrowPrimitiveType>(array: &ArrayRef, f: impl Fn(&[u8]) -> R::Native) -> Result<ArrayRef> {
    let source = Bytes::of(array)?;
    numbers::<R>(source.len(), |row| Ok(f(source.get(row))))
}

/// A String column whose values `f` writes, one row after another.
pub fn strings(rows: usize, mut f: impl FnMut(usize, &mut Vec<u8>) -> Result<()>) -> Result<ArrayRef> {
    let mut builder = BinaryViewBuilder::with_capacity(rows);
    let (mut value, mut unasked) = (Vec::new(), 0);
    for row in 0..rows {
        value.clear();
        f(row, &mut value)?;
        unasked += value.len();
        if unasked >= ASKED_FOR_BYTES {
            check_room(unasked)?;
            unasked = 0;
        }
        builder.try_append_value(&value)?;
    }
    Ok(Arc::new(builder.finish()))
}

/// A string for every string.
pub fn bytes_to_bytes(array: &ArrayRef, mut f: impl FnMut(&[u8], &mut Vec<u8>)) -> Result<ArrayRef> {
    let source = Bytes::of(array)?;
    strings(source.len(), |row, out| {
        f(source.get(row), out);
        Ok(())
    })
}

/// For every row a part of `source`'s value there, without copying: the views of the result point into its buffers.
pub fn slices<'a>(source: &'a ArrayRef, rows: usize, mut f: impl FnMut(usize, &'a [u8]) -> &'a [u8]) -> Result<ArrayRef> {
    let Some(array) = source.as_binary_view_opt() else {
        let source = Bytes::of(source)?;
        return strings(rows, |row, out| {
            out.extend_from_slice(f(row, source.get(row)));
            Ok(())
        });
    };
    let mut views = Vec::with_capacity(rows);
    for row in 0..rows {
        let index = at(array.len(), row);
        let whole = array.value(index);
        views.push(part_view(array.views()[index], whole, f(row, whole)));
    }
    Ok(view_array(views, array))
}

/// The view of `part`, which lies within `whole`, whose view is `view`.
#[inline]
pub fn part_view(view: u128, whole: &[u8], part: &[u8]) -> u128 {
    if part.len() <= 12 {
        return make_view(part, 0, 0);
    }
    let shift = part.as_ptr() as usize - whole.as_ptr() as usize;
    debug_assert!(shift + part.len() <= whole.len(), "a part lies within its whole");
    make_view(part, (view >> 64) as u32, (view >> 96) as u32 + shift as u32)
}

/// A column of views into the buffers of `source`.
pub fn view_array(views: Vec<u128>, source: &BinaryViewArray) -> ArrayRef {
    let buffers: Arc<[arrow::buffer::Buffer]> = source.data_buffers().into();
    // SAFETY: each view is a part of a value of `source`, so lies within the same buffers.
    Arc::new(unsafe { GenericByteViewArray::<BinaryViewType>::new_unchecked(ScalarBuffer::from(views), buffers, None) })
}

/// Arrays of strings that are parts of the rows of `source`, without copying. `f` pushes the parts of a row.
pub fn slice_lists<'a>(
    source: &'a ArrayRef,
    rows: usize,
    mut f: impl FnMut(usize, &'a [u8], &mut Vec<&'a [u8]>) -> Result<()>,
) -> Result<ArrayRef> {
    let mut lengths = Vec::with_capacity(rows);
    let mut parts = Vec::new();
    let values: ArrayRef = if let Some(array) = source.as_binary_view_opt() {
        let (mut views, mut unasked) = (Vec::new(), 0);
        for row in 0..rows {
            let index = at(array.len(), row);
            let whole = array.value(index);
            parts.clear();
            f(row, whole, &mut parts)?;
            unasked += parts.len() * size_of::<u128>();
            if unasked >= ASKED_FOR_BYTES {
                check_room(unasked)?;
                unasked = 0;
            }
            let view = array.views()[index];
            views.extend(parts.iter().map(|part| part_view(view, whole, part)));
            lengths.push(parts.len());
        }
        view_array(views, array)
    } else {
        let fixed = Bytes::of(source)?;
        let mut builder = BinaryViewBuilder::new();
        for row in 0..rows {
            parts.clear();
            f(row, fixed.get(row), &mut parts)?;
            parts.iter().for_each(|part| builder.append_value(part));
            lengths.push(parts.len());
        }
        Arc::new(builder.finish())
    };
    list(values, &lengths)
}

/// Arrays of the given lengths over `values`.
pub fn list(values: ArrayRef, lengths: &[usize]) -> Result<ArrayRef> {
    let total: usize = lengths.iter().sum();
    if total > i32::MAX as usize {
        return Err(too_large(total));
    }
    list_of(values, OffsetBuffer::from_lengths(lengths.iter().copied()))
}

pub fn list_of(values: ArrayRef, offsets: OffsetBuffer<i32>) -> Result<ArrayRef> {
    let nullable = values.is_nullable() || *values.data_type() == DataType::Null;
    let item = Arc::new(arrow::datatypes::Field::new("item", values.data_type().clone(), nullable));
    Ok(Arc::new(ListArray::try_new(item, offsets, values, None)?))
}

pub fn too_large(elements: usize) -> Error {
    Error::new(
        gristmill_base::ErrorCode::TOO_LARGE_ARRAY_SIZE,
        format!("Arrays of a block would hold {elements} elements, more than {}: compute on fewer rows at a time", i32::MAX),
    )
}

/// The only value of a constant, or `None` where values differ by row.
pub fn one(array: &ArrayRef, rows: usize) -> Option<&ArrayRef> {
    (array.len() == 1 && rows != 1).then_some(array)
}

/// The same values in an Arrow type that differs only in names and nullability of nested fields, or in the digits of a
/// decimal. Anything else is a defect of the kernel that made it.
pub fn retype(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    if array.data_type() == to {
        return Ok(array.clone());
    }
    match (array.data_type(), to) {
        (DataType::Null, _) => Ok(arrow::array::new_null_array(to, array.len())),
        (DataType::List(_), DataType::List(item)) => {
            let list = array.as_list::<i32>();
            let values = retype(list.values(), item.data_type())?;
            Ok(Arc::new(ListArray::try_new(item.clone(), list.offsets().clone(), values, list.nulls().cloned())?))
        }
        (DataType::Struct(from), DataType::Struct(fields)) if from.len() == fields.len() => {
            let tuple = array.as_struct();
            let columns = tuple
                .columns()
                .iter()
                .zip(fields)
                .map(|(column, field)| retype(column, field.data_type()))
                .collect::<Result<Vec<_>>>()?;
            let nulls = tuple.nulls().cloned();
            Ok(Arc::new(StructArray::try_new_with_length(fields.clone(), columns, nulls, tuple.len())?))
        }
        (DataType::Map(..), DataType::Map(entries, ordered)) => {
            let map = array.as_map();
            let pairs: ArrayRef = Arc::new(map.entries().clone());
            let pairs = retype(&pairs, entries.data_type())?.as_struct().clone();
            let nulls = map.nulls().cloned();
            Ok(Arc::new(MapArray::try_new(entries.clone(), map.offsets().clone(), pairs, nulls, *ordered)?))
        }
        (DataType::Decimal128(..), DataType::Decimal128(..))
        | (DataType::Decimal256(..), DataType::Decimal256(..))
        | (DataType::Int64, DataType::Timestamp(..))
        | (DataType::Timestamp(..), DataType::Int64) => {
            Ok(make_array(array.to_data().into_builder().data_type(to.clone()).build()?))
        }
        (from, to) => Err(Error::logical(format!("A function returned {from} where {to} was promised"))),
    }
}

/// The values of a column with NULL replaced by the type's default.
pub fn defaults_for_nulls(array: &ArrayRef) -> Result<ArrayRef> {
    match array.nulls() {
        Some(nulls) if nulls.null_count() > 0 => {
            let mask = BooleanArray::new(nulls.inner().clone(), None);
            let default = ScalarValue::new_default(array.data_type())?.to_scalar()?;
            let filled = zip(&mask, array, &default)?;
            let data = filled.to_data().into_builder().nulls(None).build()?;
            Ok(make_array(data))
        }
        _ => Ok(array.clone()),
    }
}
