//! `lowCardinalityIndices` and `lowCardinalityKeys`: the dictionary that a block of a LowCardinality column has in ClickHouse. It begins
//! with NULL, where there is such a value in the type, and with the type's default; then come values as they are met.

use std::collections::HashMap;
use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef, UInt32Array, UInt64Array};
use arrow::compute::{concat, take};
use gristmill_base::Result;
use gristmill_types::SqlType;
use gristmill_types::default::default_array;

use crate::arrays::comparable;
use crate::columns::broadcast;
use crate::define::{arity, illegal, own_nulls};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    registry.scalar(
        "lowCardinalityIndices",
        own_nulls(|name, arguments, _| {
            let inner = expect(name, arguments)?;
            Ok(Bound::new(T::UInt64, move |args, rows| {
                let indices = Dictionary::of(&broadcast(&args[0], rows)?, &inner)?.indices;
                Ok(Arc::new(UInt64Array::from(indices)) as ArrayRef)
            }))
        }),
    );
    registry.scalar(
        "lowCardinalityKeys",
        own_nulls(|name, arguments, _| {
            let inner = expect(name, arguments)?;
            Ok(Bound::new(inner.clone(), move |args, rows| {
                let dictionary = Dictionary::of(&broadcast(&args[0], rows)?, &inner)?;
                // As many as there are rows: what is missing is the first key.
                let places = (0..rows).map(|row| if row < dictionary.keys.len() { row as u32 } else { 0 });
                Ok(take(&dictionary.keys, &UInt32Array::from_iter_values(places), None)?)
            }))
        }),
    );
}

/// The type below LowCardinality.
fn expect(name: &str, arguments: &[Argument]) -> Result<SqlType> {
    arity(name, arguments, 1..=1)?;
    match &arguments[0].kind {
        T::LowCardinality(inner) => Ok(inner.as_ref().clone()),
        _ => Err(illegal(name, arguments, 0, "LowCardinality")),
    }
}

struct Dictionary {
    keys: ArrayRef,
    /// The key of each row.
    indices: Vec<u64>,
}

impl Dictionary {
    fn of(values: &ArrayRef, kind: &SqlType) -> Result<Dictionary> {
        let mut first = vec![default_array(kind.plain(), 1)];
        if kind.is_nullable() {
            first.insert(0, arrow::array::new_null_array(values.data_type(), 1));
        }
        let first: Vec<&dyn Array> = first.iter().map(AsRef::as_ref).collect();
        let all = concat(&[concat(&first)?.as_ref(), values.as_ref()])?;
        let rows = comparable(std::slice::from_ref(&all))?.remove(0);
        let (mut known, mut places, mut indices) = (HashMap::new(), Vec::new(), Vec::with_capacity(values.len()));
        for place in 0..all.len() {
            let index = *known.entry(rows.row(place)).or_insert_with(|| {
                places.push(place as u32);
                places.len() as u64 - 1
            });
            if place >= first.len() {
                indices.push(index);
            }
        }
        Ok(Dictionary { keys: take(&all, &UInt32Array::from(places), None)?, indices })
    }
}
