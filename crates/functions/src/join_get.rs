//! `joinGet(table, column, keys…)`, as far as the functions' side of it goes: the analyser makes an array of the table's keys with the
//! column's values, and this looks keys up in it.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, UInt32Array, UInt64Array, new_empty_array};
use arrow::compute::{concat, take};
use gristmill_base::Result;
use gristmill_types::SqlType;
use gristmill_types::default::default_array;
use parking_lot::Mutex;

use crate::arrays::Lists;
use crate::columns::{broadcast, retype};
use crate::define::{arity, expect_array, illegal, own_nulls};
use crate::scalar::{Bound, ScalarFunction};
use crate::value_set::ValueSet;

/// Of an array of keys with their values, of which the first counts, and of a key of their type: its value. What is not there has the default
/// of the values' type.
pub fn function() -> Arc<dyn ScalarFunction> {
    own_nulls(|name, arguments, _| {
        arity(name, arguments, 2..=2)?;
        let value = match expect_array(name, arguments, 0)? {
            SqlType::Tuple(parts) if parts.len() == 2 => parts[1].1.clone(),
            _ => return Err(illegal(name, arguments, 0, "Array of keys with their values")),
        };
        let last = Mutex::new(None::<Arc<Lookup>>);
        Ok(Bound::new(value.clone(), move |args, rows| {
            if rows == 0 {
                return Ok(new_empty_array(&value.arrow()));
            }
            let known = last.lock().clone().filter(|lookup| lookup.is_of(&args[0]));
            let lookup = match known {
                Some(lookup) => lookup,
                None => {
                    let made = Arc::new(Lookup::of(&args[0], &value)?);
                    *last.lock() = Some(made.clone());
                    made
                }
            };
            lookup.values_of(&broadcast(&args[1], rows)?)
        }))
    })
}

/// Keys that are hashed once for all blocks of a query.
struct Lookup {
    /// What it was made of.
    pairs: ArrayRef,
    keys: ValueSet,
    /// The keys' values, then the default.
    values: ArrayRef,
}

impl Lookup {
    fn of(pairs: &ArrayRef, value: &SqlType) -> Result<Lookup> {
        let lists = Lists::of(pairs)?;
        let range = lists.range(0);
        let both = lists.values().slice(range.start, range.len());
        let both = both.as_struct();
        let keys = ValueSet::of(both.column(0))?;
        let values = first_values(&keys, both.column(0), &retype(both.column(1), &value.arrow())?)?;
        let values = concat(&[values.as_ref(), default_array(value, 1).as_ref()])?;
        Ok(Lookup { pairs: pairs.clone(), keys, values })
    }

    /// A constant is copied for each block: comparing it takes less than hashing it.
    fn is_of(&self, pairs: &ArrayRef) -> bool {
        self.pairs.as_ref() == pairs.as_ref()
    }

    fn values_of(&self, keys: &ArrayRef) -> Result<ArrayRef> {
        let default = self.values.len() as u32 - 1;
        let places = self.keys.places(keys)?;
        let places = UInt32Array::from_iter_values(places.iter().map(|place| place.unwrap_or(default)));
        Ok(take(&self.values, &places, None)?)
    }
}

/// For each key of the set the value beside its first occurrence: other keys than the table's may be equal here (every NaN is one).
fn first_values(set: &ValueSet, keys: &ArrayRef, values: &ArrayRef) -> Result<ArrayRef> {
    if set.values().len() == keys.len() {
        return Ok(values.clone());
    }
    let mut first = vec![0; set.values().len()];
    for (row, place) in set.places(keys)?.iter().enumerate().rev() {
        if let Some(place) = place {
            first[place as usize] = row as u64;
        }
    }
    Ok(take(values, &UInt64Array::from(first), None)?)
}

#[cfg(test)]
mod tests {
    use arrow::array::{BinaryViewArray, StructArray};
    use arrow::buffer::OffsetBuffer;
    use arrow::datatypes::{DataType, Field};

    use super::*;

    #[test]
    fn a_key_has_its_value_and_what_is_no_key_the_default() {
        let keys: ArrayRef = Arc::new(UInt64Array::from(vec![7, 7, 9]));
        let values: ArrayRef = Arc::new(BinaryViewArray::from_iter_values(["a", "z", "b"]));
        let pairs = StructArray::from(vec![
            (Arc::new(Field::new("1", DataType::UInt64, false)), keys),
            (Arc::new(Field::new("2", DataType::BinaryView, false)), values),
        ]);
        let item = Arc::new(Field::new("item", pairs.data_type().clone(), false));
        let list = arrow::array::ListArray::new(item, OffsetBuffer::from_lengths([3]), Arc::new(pairs), None);
        let lookup = Lookup::of(&(Arc::new(list) as ArrayRef), &SqlType::String).expect("pairs");
        let asked: ArrayRef = Arc::new(UInt64Array::from(vec![Some(9), Some(8), None, Some(7)]));
        let found = lookup.values_of(&asked).expect("values");
        assert_eq!(found.as_binary_view(), &BinaryViewArray::from_iter_values(["b", "", "", "a"]));
    }
}
