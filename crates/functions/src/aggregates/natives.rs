//! Columns of fixed width as slices of their machine type, whatever the Arrow type says they mean.

use arrow::array::{Array, ArrayData, ArrayRef, make_array};
use arrow::buffer::{Buffer, ScalarBuffer};
use arrow::datatypes::{ArrowNativeType, DataType};
use gristmill_base::{Error, Result};

/// Runs the body with `$N` as the machine type of an Arrow type, or `$other` where it has none.
macro_rules! by_native {
    ($kind:expr, $N:ident => $body:expr, $other:expr) => {
        match $kind {
            arrow::datatypes::DataType::Int8 => {
                type $N = i8;
                $body
            }
            arrow::datatypes::DataType::UInt8 => {
                type $N = u8;
                $body
            }
            arrow::datatypes::DataType::Int16 => {
                type $N = i16;
                $body
            }
            arrow::datatypes::DataType::UInt16 => {
                type $N = u16;
                $body
            }
            arrow::datatypes::DataType::Int32 | arrow::datatypes::DataType::Date32 => {
                type $N = i32;
                $body
            }
            arrow::datatypes::DataType::UInt32 => {
                type $N = u32;
                $body
            }
            arrow::datatypes::DataType::Int64 | arrow::datatypes::DataType::Timestamp(..) => {
                type $N = i64;
                $body
            }
            arrow::datatypes::DataType::UInt64 => {
                type $N = u64;
                $body
            }
            arrow::datatypes::DataType::Float32 => {
                type $N = f32;
                $body
            }
            arrow::datatypes::DataType::Float64 => {
                type $N = f64;
                $body
            }
            arrow::datatypes::DataType::Decimal128(..) => {
                type $N = i128;
                $body
            }
            arrow::datatypes::DataType::Decimal256(..) => {
                type $N = arrow::datatypes::i256;
                $body
            }
            _ => $other,
        }
    };
}
pub(crate) use by_native;

/// The values of a column; what stands below NULL is undefined. Errors: a column of another width (a defect).
pub fn natives<N: ArrowNativeType>(array: &dyn Array) -> Result<ScalarBuffer<N>> {
    let data = array.to_data();
    if array.data_type().primitive_width() != Some(size_of::<N>()) {
        return Err(Error::logical(format!(
            "An aggregate function expected values of {} bytes, got {}",
            size_of::<N>(),
            array.data_type()
        )));
    }
    Ok(ScalarBuffer::new(data.buffers()[0].clone(), data.offset(), data.len()))
}

/// A column of an Arrow type of that width.
pub fn column<N: ArrowNativeType>(values: Vec<N>, kind: &DataType) -> Result<ArrayRef> {
    let len = values.len();
    let data = ArrayData::builder(kind.clone()).len(len).add_buffer(Buffer::from_vec(values)).build()?;
    Ok(make_array(data))
}
