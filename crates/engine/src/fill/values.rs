//! Values of a filled column as numbers, out of arrays and back.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Decimal256Array, Float64Array, Int32Array, Int64Array, UInt64Array};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Decimal256Type, Field, Float64Type, Int64Type, UInt64Type, i256};
use datafusion::common::Result;
use gristmill_base::{Error, ErrorCode};
use gristmill_sql::lower::fill::Number;

/// Steps of floats that are counted rather than divided.
const COUNTED_STEPS_MAX: f64 = (1u64 << 20) as f64;

#[derive(Clone, Copy, Debug)]
pub enum Value {
    Whole(i128),
    Float(f64),
}

impl Value {
    pub fn of(number: Number) -> Value {
        match number {
            Number::Whole(value) => Value::Whole(value),
            Number::Float(bits) => Value::Float(f64::from_bits(bits)),
        }
    }

    /// Neither NaN nor infinite.
    pub fn is_finite(self) -> bool {
        match self {
            Value::Whole(_) => true,
            Value::Float(value) => value.is_finite(),
        }
    }

    pub fn plus(self, other: Value) -> Value {
        match (self, other) {
            (Value::Whole(a), Value::Whole(b)) => Value::Whole(a.saturating_add(b)),
            (a, b) => Value::Float(a.float() + b.float()),
        }
    }

    /// The last of the values that begin here, each by `step` from the one before, that is not behind `limit`; of floats one that is
    /// near it. `None`: it is to be counted, since there are no more than 127 bits, or few steps of floats, which round as they are
    /// added up.
    pub fn last_before(self, limit: Value, step: Value) -> Option<Value> {
        if let (Value::Float(from), Value::Float(limit), Value::Float(step)) = (self, limit, step) {
            let steps = ((limit - from) / step).floor() - 1.0;
            return (steps > COUNTED_STEPS_MAX && steps.is_finite()).then_some(Value::Float(from + steps * step));
        }
        let (Value::Whole(from), Value::Whole(limit), Value::Whole(step)) = (self, limit, step) else { return None };
        let steps = limit.checked_sub(from)?.checked_div(step)?;
        Some(Value::Whole(from.checked_add(steps.max(0).checked_mul(step)?)?))
    }

    fn float(self) -> f64 {
        match self {
            Value::Whole(value) => value as f64,
            Value::Float(value) => value,
        }
    }
}

/// By value; NaN is equal to itself and to nothing else, and is behind all.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Value {}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Value::Whole(a), Value::Whole(b)) => a.cmp(b),
            (a, b) => {
                let (a, b) = (a.float(), b.float());
                a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
            }
        }
    }
}

/// The values of an array; `None` where it is NULL.
pub fn values(array: &ArrayRef) -> Result<Vec<Option<Value>>> {
    let whole = |value: Option<i128>| value.map(Value::Whole);
    Ok(match array.data_type() {
        DataType::Float32 | DataType::Float64 => {
            let floats = cast(array, &DataType::Float64)?;
            floats.as_primitive::<Float64Type>().iter().map(|value| value.map(Value::Float)).collect()
        }
        DataType::UInt64 => array.as_primitive::<UInt64Type>().iter().map(|value| whole(value.map(i128::from))).collect(),
        DataType::Decimal256(..) => {
            let wide = |value: i256| value.to_i128().ok_or_else(|| too_wide(value));
            let values = array.as_primitive::<Decimal256Type>().iter();
            values.map(|value| Ok(whole(value.map(wide).transpose()?))).collect::<Result<_>>()?
        }
        _ => {
            // Dates have their days in 32 bits.
            let days = matches!(array.data_type(), DataType::Date32).then(|| cast(array, &DataType::Int32)).transpose()?;
            let numbers = cast(days.as_ref().unwrap_or(array), &DataType::Int64)?;
            numbers.as_primitive::<Int64Type>().iter().map(|value| whole(value.map(i128::from))).collect()
        }
    })
}

fn too_wide(value: i256) -> Error {
    let text = format!("WITH FILL beside the value {value}: it fills within 127 bits, cast the key to Int128");
    Error::new(ErrorCode::INVALID_WITH_FILL_EXPRESSION, text)
}

/// An array of a column's type. Where there is no value it is NULL, or zero where the column has no NULL.
pub fn array(values: impl Iterator<Item = Option<Value>>, field: &Field) -> Result<ArrayRef> {
    let missing = (!field.is_nullable()).then_some(Value::Whole(0));
    let values = values.map(|value| value.or(missing));
    let whole = |value: Value| match value {
        Value::Whole(value) => value,
        Value::Float(value) => value as i128,
    };
    let numbers: ArrayRef = match field.data_type() {
        DataType::Float32 | DataType::Float64 => {
            Arc::new(values.map(|value| value.map(Value::float)).collect::<Float64Array>())
        }
        DataType::UInt64 => Arc::new(values.map(|value| Some(whole(value?) as u64)).collect::<UInt64Array>()),
        DataType::Date32 => Arc::new(values.map(|value| Some(whole(value?) as i32)).collect::<Int32Array>()),
        DataType::Decimal256(precision, scale) => {
            let values = values.map(|value| Some(i256::from_i128(whole(value?)))).collect::<Decimal256Array>();
            Arc::new(values.with_precision_and_scale(*precision, *scale)?)
        }
        _ => Arc::new(values.map(|value| Some(whole(value?) as i64)).collect::<Int64Array>()),
    };
    Ok(if numbers.data_type() == field.data_type() { numbers } else { cast(&numbers, field.data_type())? })
}
