//! The least and greatest value of each column of a result, for the setting `extremes`.

use std::cmp::Ordering;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch, UInt32Array, make_comparator};
use arrow::compute::{SortOptions, concat, take};
use arrow::datatypes::{DataType, Float32Type, Float64Type};
use gristmill_base::Result;
use gristmill_types::default::default_array;
use gristmill_types::{Columns, SqlType};

pub struct Extremes {
    columns: Columns,
    /// Two values a column; `None` before the first row.
    found: Vec<Option<ArrayRef>>,
}

impl Extremes {
    pub fn new(columns: &Columns) -> Self {
        Extremes { columns: columns.clone(), found: vec![None; columns.len()] }
    }

    /// Takes the rows of one batch in. Errors: types that do not compare.
    pub fn add(&mut self, batch: &RecordBatch) -> Result<()> {
        if batch.num_rows() == 0 {
            return Ok(());
        }
        for ((column, array), found) in self.columns.iter().zip(batch.columns()).zip(&mut self.found) {
            if !has_extremes(&column.kind) {
                *found = Some(default_array(&column.kind, 2));
                continue;
            }
            let here = ends(array)?;
            *found = Some(match found.take() {
                Some(before) => ends(&concat(&[&*before, &*here])?)?,
                None => here,
            });
        }
        Ok(())
    }

    /// Two rows: least and greatest. `None` where there was no row.
    pub fn rows(&self) -> Result<Option<RecordBatch>> {
        let arrays: Option<Vec<ArrayRef>> = self.found.iter().cloned().collect();
        let arrays = arrays.filter(|arrays| !arrays.is_empty());
        Ok(arrays.map(|arrays| RecordBatch::try_new(self.columns.arrow(), arrays)).transpose()?)
    }
}

/// States of aggregates and values of no type have none: defaults stand in their place, as in ClickHouse.
fn has_extremes(kind: &SqlType) -> bool {
    !matches!(kind.plain(), SqlType::AggregateFunction(..) | SqlType::Nothing)
}

/// NULL and NaN are neither least nor greatest.
fn counts(array: &ArrayRef, row: usize) -> bool {
    array.is_valid(row)
        && match array.data_type() {
            DataType::Float32 => !array.as_primitive::<Float32Type>().value(row).is_nan(),
            DataType::Float64 => !array.as_primitive::<Float64Type>().value(row).is_nan(),
            _ => true,
        }
}

fn ends(array: &ArrayRef) -> Result<ArrayRef> {
    // What does not compare has its first value at both ends.
    let Ok(compare) = make_comparator(array, array, SortOptions::default()) else {
        return Ok(take(array, &UInt32Array::from(vec![0, 0]), None)?);
    };
    let mut rows = (0..array.len()).filter(|row| counts(array, *row));
    let first = rows.next().unwrap_or(0);
    let (least, greatest) = rows.fold((first, first), |(least, greatest), row| {
        let least = if compare(row, least) == Ordering::Less { row } else { least };
        (least, if compare(row, greatest) == Ordering::Greater { row } else { greatest })
    });
    Ok(take(array, &UInt32Array::from(vec![least as u32, greatest as u32]), None)?)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{BinaryViewArray, Float64Array, Int32Array};
    use arrow::datatypes::Int32Type;

    use super::*;

    #[test]
    fn null_and_nan_do_not_count_and_strings_have_their_own() {
        let columns = Columns::of([("a", SqlType::Int32.nullable()), ("b", SqlType::Float64), ("c", SqlType::String)]);
        let batch = |a: Vec<Option<i32>>, b: Vec<f64>| {
            let texts = BinaryViewArray::from_iter_values(a.iter().map(|a| format!("x{}", a.unwrap_or(0))));
            let arrays: Vec<ArrayRef> =
                vec![Arc::new(Int32Array::from(a)), Arc::new(Float64Array::from(b)), Arc::new(texts)];
            RecordBatch::try_new(columns.arrow(), arrays).expect("a batch")
        };
        let mut extremes = Extremes::new(&columns);
        extremes.add(&batch(vec![Some(3), None], vec![f64::NAN, 2.0])).expect("adds");
        extremes.add(&batch(vec![Some(-7), Some(5)], vec![9.0, -1.0])).expect("adds");
        let rows = extremes.rows().expect("rows").expect("there were some");
        assert_eq!(rows.column(0).as_primitive::<Int32Type>().values(), &[-7, 5]);
        assert_eq!(rows.column(1).as_primitive::<Float64Type>().values(), &[-1.0, 9.0]);
        let texts = rows.column(2).as_binary_view();
        assert_eq!((texts.value(0), texts.value(1)), (&b"x-7"[..], &b"x5"[..]));
        assert!(Extremes::new(&columns).rows().expect("rows").is_none());
    }
}
