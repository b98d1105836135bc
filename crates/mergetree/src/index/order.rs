//! One order for keys everywhere: sorting a block, merging parts, the sparse index and the bounds of conditions all
//! compare the same normalised bytes (arrow's row format: memcmp order equals the order of the values, NULL last). The
//! zeroes of both signs are one key, as they are equal.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, make_array};
use arrow::compute::SortOptions;
use arrow::datatypes::{ArrowPrimitiveType, DataType, Float32Type, Float64Type};
use arrow::row::{RowConverter, Rows, SortField};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

#[derive(Debug)]
pub struct KeyOrder {
    /// `None` where the key has no columns: all rows are equal.
    converter: Option<RowConverter>,
    columns: usize,
    /// By column, whether zeroes of both signs may be in it.
    floats: Vec<bool>,
    /// By column, whether NULL comes before all values.
    nulls_first: Vec<bool>,
    /// Negative zero comes before the other.
    zeroes_apart: bool,
}

impl KeyOrder {
    /// Every column ascending.
    pub fn new(kinds: &[&SqlType]) -> Result<Self> {
        Self::directed(&kinds.iter().map(|kind| (*kind, false)).collect::<Vec<_>>())
    }

    /// As `new`, where the zeroes are told apart: for values that are to be kept each.
    pub fn of_bits(kinds: &[&SqlType]) -> Result<Self> {
        Ok(KeyOrder { floats: vec![false; kinds.len()], zeroes_apart: true, ..Self::new(kinds)? })
    }

    /// Columns with whether they descend: then the order is exactly the reverse, so that NULL comes first.
    pub fn directed(kinds: &[(&SqlType, bool)]) -> Result<Self> {
        let options = |descending| SortOptions { descending, nulls_first: descending };
        let fields: Vec<_> =
            kinds.iter().map(|(kind, down)| SortField::new_with_options(kind.arrow(), options(*down))).collect();
        for (field, (kind, _)) in fields.iter().zip(kinds) {
            if !RowConverter::supports_fields(std::slice::from_ref(field)) {
                return Err(Error::new(
                    ErrorCode::BAD_ARGUMENTS,
                    format!("A value of type {kind} has no order: it cannot be part of a key"),
                ));
            }
        }
        let converter = if fields.is_empty() { None } else { Some(RowConverter::new(fields)?) };
        let floats = kinds.iter().map(|(kind, _)| has_floats(&kind.arrow())).collect();
        let nulls_first = kinds.iter().map(|(_, down)| *down).collect();
        Ok(KeyOrder { converter, columns: kinds.len(), floats, nulls_first, zeroes_apart: false })
    }

    /// Of one column. `None` where values of the type have no order.
    pub fn of_type(data_type: &DataType) -> Option<Self> {
        let options = SortOptions { descending: false, nulls_first: false };
        let fields = vec![SortField::new_with_options(data_type.clone(), options)];
        if !RowConverter::supports_fields(&fields) {
            return None;
        }
        Some(KeyOrder {
            converter: Some(RowConverter::new(fields).ok()?),
            columns: 1,
            floats: vec![has_floats(data_type)],
            nulls_first: vec![false],
            zeroes_apart: false,
        })
    }

    /// Of columns that are ordered as said, and as DataFusion orders them: the zeroes are told apart. `None` where values of a type
    /// have no order.
    pub fn of_options(columns: &[(DataType, SortOptions)]) -> Option<Self> {
        let field =
            |(data_type, options): &(DataType, SortOptions)| SortField::new_with_options(data_type.clone(), *options);
        let fields: Vec<_> = columns.iter().map(field).collect();
        if fields.is_empty() || !RowConverter::supports_fields(&fields) {
            return None;
        }
        Some(KeyOrder {
            converter: Some(RowConverter::new(fields).ok()?),
            columns: columns.len(),
            floats: vec![false; columns.len()],
            nulls_first: columns.iter().map(|(_, options)| options.nulls_first).collect(),
            zeroes_apart: true,
        })
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Whether NULL comes before all values of a column.
    pub fn nulls_first(&self, column: usize) -> bool {
        self.nulls_first.get(column).copied().unwrap_or(false)
    }

    pub fn zeroes_apart(&self) -> bool {
        self.zeroes_apart
    }

    /// Normalised keys, one a row; `None` where the key has no columns.
    pub fn rows(&self, columns: &[ArrayRef]) -> Result<Option<Rows>> {
        let Some(converter) = &self.converter else { return Ok(None) };
        if !self.floats.contains(&true) {
            return Ok(Some(converter.convert_columns(columns)?));
        }
        let columns = columns.iter().zip(&self.floats).map(|(column, has_floats)| match has_floats {
            true => with_one_zero(column),
            false => Ok(column.clone()),
        });
        Ok(Some(converter.convert_columns(&columns.collect::<Result<Vec<_>>>()?)?))
    }
}

/// Whether values of the type are floats, or hold some.
pub fn has_floats(data_type: &DataType) -> bool {
    use DataType as D;
    match data_type {
        D::Float16 | D::Float32 | D::Float64 => true,
        D::List(field) | D::LargeList(field) | D::FixedSizeList(field, _) | D::Map(field, _) => {
            has_floats(field.data_type())
        }
        D::Struct(fields) => fields.iter().any(|field| has_floats(field.data_type())),
        D::Dictionary(_, values) => has_floats(values),
        _ => false,
    }
}

/// The values with zero in the place of negative zero.
fn with_one_zero(values: &ArrayRef) -> Result<ArrayRef> {
    Ok(match values.data_type() {
        DataType::Float32 => unsigned_zero::<Float32Type>(values, 0.0),
        DataType::Float64 => unsigned_zero::<Float64Type>(values, 0.0),
        data_type if has_floats(data_type) && *data_type != DataType::Float16 => {
            let data = values.to_data();
            let inner = data.child_data().iter().map(|inner| Ok(with_one_zero(&make_array(inner.clone()))?.to_data()));
            let inner = inner.collect::<Result<Vec<_>>>()?;
            make_array(data.into_builder().child_data(inner).build()?)
        }
        _ => values.clone(),
    })
}

fn unsigned_zero<T: ArrowPrimitiveType>(values: &ArrayRef, zero: T::Native) -> ArrayRef
where
    T::Native: PartialEq,
{
    Arc::new(values.as_primitive::<T>().unary::<_, T>(|value| if value == zero { zero } else { value }))
}

/// What sorts before everything, and what NULL is: bounds of intervals of one key column.
pub const LOWEST: &[u8] = &[];
pub const NULL_BYTE: u8 = 0xff;

#[cfg(test)]
mod tests {
    use arrow::array::{Float64Array, ListArray};
    use arrow::buffer::OffsetBuffer;
    use arrow::datatypes::Field;

    use super::*;

    #[test]
    fn zeroes_of_both_signs_are_one_key() {
        let order = KeyOrder::of_type(&DataType::Float64).unwrap();
        let values: ArrayRef = Arc::new(Float64Array::from(vec![Some(-0.0), Some(0.0), Some(-1.0), None]));
        let keys = order.rows(std::slice::from_ref(&values)).unwrap().unwrap();
        assert!(keys.row(0) == keys.row(1) && keys.row(2) < keys.row(0) && keys.row(1) < keys.row(3));
        let exact = KeyOrder::of_bits(&[&SqlType::Float64]).unwrap().rows(&[values]).unwrap().unwrap();
        assert!(exact.row(0) < exact.row(1));
    }

    #[test]
    fn zeroes_within_arrays_are_one_key() {
        let values: ArrayRef = Arc::new(Float64Array::from(vec![7.0, -0.0, 0.0]));
        let item = Arc::new(Field::new("item", DataType::Float64, true));
        let lists: ArrayRef = Arc::new(ListArray::new(item, OffsetBuffer::from_lengths([1, 1, 1]), values, None));
        let lists = lists.slice(1, 2);
        let keys = KeyOrder::of_type(lists.data_type()).unwrap().rows(&[lists]).unwrap().unwrap();
        assert_eq!(keys.row(0), keys.row(1));
    }
}
