//! Orders the rows of a block by the sorting key, stably.
//!
//! Each row becomes one 128-bit number: 96 bits of its key, which compare like the values, then its position. Sorting those
//! needs no indirection, and the position makes the order stable and total. Rows that tie are sorted again, each run of
//! them by itself, by the next 96 bits of the key, and so on to its end (multikey quicksort of Bentley and Sedgewick, "Fast
//! algorithms for sorting and searching strings", by columns and pieces of columns). A block that is in order already
//! is found so on the way, and left alone.
//!
//! NULLs are told by a column of flags before that of the values. What has no such bits (arrays, 256-bit numbers) ends that: rows that
//! still tie are ordered by their normalised keys. Those were used for all ties once, and took a third of a load by a key of
//! strings: a key was copied together for nearly every row.

mod bits;
mod few_values;
mod nulls;

use std::ops::Range;

use arrow::array::{ArrayRef, UInt32Array};
use gristmill_base::Result;

use crate::index::order::KeyOrder;
use bits::{POSITION_BITS, Packed, Place, first_bytes};
use nulls::WithoutNulls;

/// The sorting key of a block's rows.
#[derive(Clone, Debug)]
pub struct SortKey<'a> {
    pub columns: &'a [ArrayRef],
    /// By column.
    pub descending: &'a [bool],
    pub order: &'a KeyOrder,
}

/// The positions in order; `None` where the rows are in order as they come. `subset`: the positions to order (in their
/// own order), all `rows` where `None`.
pub fn order(key: &SortKey<'_>, subset: Option<&[u32]>, rows: usize) -> Result<Option<Vec<u32>>> {
    let without_nulls = WithoutNulls::of(key)?;
    let told = match &without_nulls {
        Some(told) => &SortKey { columns: &told.columns, descending: &told.descending, order: key.order },
        None => key,
    };
    let mut packed = Packed::new(subset, rows);
    let mut place = Place::default();
    let mut moved = false;
    let mut tied = Vec::new();
    if packed.numbers.len() > 1 {
        tied.push(0..packed.numbers.len());
    }
    while !tied.is_empty() && place.column < told.columns.len() {
        if !packed.fill(told, &tied, &mut place) {
            moved |= order_by_normalised(&mut packed.numbers, &tied, key)?;
            break;
        }
        for run in &tied {
            moved |= sort_numbers(&mut packed.numbers[run.clone()]);
        }
        tied = tied.into_iter().flat_map(|run| ties(&packed.numbers, run)).collect();
    }
    if !moved {
        return Ok(subset.map(<[u32]>::to_vec));
    }
    Ok(Some(packed.numbers.into_iter().map(|number| number as u32).collect()))
}

/// Whether any changed its place.
fn sort_numbers(numbers: &mut [u128]) -> bool {
    let descents = numbers.windows(2).filter(|pair| pair[0] > pair[1]).count();
    match descents {
        0 => return false,
        // Sorted runs one behind the other, which the stable sort merges as they are.
        few if few < numbers.len() / 64 => numbers.sort(),
        _ => numbers.sort_unstable(),
    }
    true
}

/// Orders each run of rows by their whole keys. Whether any changed its place.
fn order_by_normalised(numbers: &mut [u128], runs: &[Range<usize>], key: &SortKey<'_>) -> Result<bool> {
    let rows = UInt32Array::from_iter_values(runs.iter().flat_map(|run| &numbers[run.clone()]).map(|number| *number as u32));
    let columns =
        key.columns.iter().map(|column| arrow::compute::take(column, &rows, None)).collect::<Result<Vec<_>, _>>()?;
    let Some(keys) = key.order.rows(&columns)? else { return Ok(false) };
    let bytes = |number: u128| keys.row(number as u32 as usize).data();
    let (mut moved, mut first) = (false, 0);
    for run in runs {
        let run = &mut numbers[run.clone()];
        // The first bytes of the key, and its place among `keys`, in which rows are in the order of their positions.
        for (at, number) in run.iter_mut().enumerate() {
            let place = (first + at) as u128;
            *number = first_bytes(bytes(place), 12) << POSITION_BITS | place;
        }
        first += run.len();
        if !run.is_sorted() {
            run.sort_unstable();
            moved = true;
        }
        for tie in ties(run, 0..run.len()) {
            let tie = &mut run[tie];
            if !tie.is_sorted_by(|a, b| bytes(*a) <= bytes(*b)) {
                // Stable: places ascend.
                tie.sort_by(|a, b| bytes(*a).cmp(bytes(*b)));
                moved = true;
            }
        }
        for number in run {
            *number = u128::from(rows.value(*number as u32 as usize));
        }
    }
    Ok(moved)
}

/// Runs, of at least two, of sorted numbers that differ in the position only.
fn ties(numbers: &[u128], run: Range<usize>) -> Vec<Range<usize>> {
    let mut ties = Vec::new();
    let mut start = run.start;
    for at in run.start + 1..=run.end {
        if at == run.end || numbers[at] >> POSITION_BITS != numbers[start] >> POSITION_BITS {
            if at - start > 1 {
                ties.push(start..at);
            }
            start = at;
        }
    }
    ties
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{BinaryViewArray, Float32Array, Float64Array, Int64Array, ListArray, UInt16Array};
    use arrow::buffer::OffsetBuffer;
    use arrow::datatypes::{DataType, Field};
    use gristmill_types::SqlType;
    use proptest::prelude::*;

    use super::*;

    fn in_order(kinds: &[(&SqlType, bool)], columns: &[ArrayRef], subset: Option<&[u32]>) -> Option<Vec<u32>> {
        let descending: Vec<bool> = kinds.iter().map(|kind| kind.1).collect();
        let key_order = KeyOrder::directed(kinds).expect("ordered");
        let key = SortKey { columns, descending: &descending, order: &key_order };
        order(&key, subset, columns[0].len()).expect("ordered")
    }

    #[test]
    fn a_block_in_order_is_left_alone() {
        let sorted: ArrayRef = Arc::new(Int64Array::from(vec![-1, 0, 0, 7]));
        assert_eq!(in_order(&[(&SqlType::Int64, false)], &[sorted], None), None);
        let long: ArrayRef = Arc::new(BinaryViewArray::from_iter_values(["a very long prefix 1", "a very long prefix 2"]));
        assert_eq!(in_order(&[(&SqlType::String, false)], &[long], None), None);
    }

    #[test]
    fn what_has_no_bits_is_ordered_by_its_normalised_key() {
        let item = Arc::new(Field::new("item", DataType::Int64, true));
        let values: ArrayRef = Arc::new(Int64Array::from(vec![2, 1, 1, 1, 2]));
        let lists: ArrayRef = Arc::new(ListArray::new(item, OffsetBuffer::from_lengths([1, 2, 0, 2]), values, None));
        let kind = SqlType::array(SqlType::Int64.nullable());
        assert_eq!(in_order(&[(&kind, false)], &[lists], None), Some(vec![2, 1, 3, 0]));
    }

    #[test]
    fn nulls_and_floats_have_bits_of_their_own() {
        let numbers: ArrayRef = Arc::new(Int64Array::from(vec![None, Some(5), None, Some(-5)]));
        let nullable = SqlType::Nullable(Box::new(SqlType::Int64));
        assert_eq!(in_order(&[(&nullable, false)], std::slice::from_ref(&numbers), None), Some(vec![3, 1, 0, 2]));
        assert_eq!(in_order(&[(&nullable, true)], &[numbers], None), Some(vec![0, 2, 1, 3]));
        let floats: ArrayRef = Arc::new(Float64Array::from(vec![0.5, -1e300, 2.0]));
        assert_eq!(in_order(&[(&SqlType::Float64, false)], &[floats], None), Some(vec![1, 0, 2]));
        let values = vec![Some(f32::NAN), Some(0.0), None, Some(-0.0), Some(-1.5), Some(f32::INFINITY), Some(1.5)];
        let floats: ArrayRef = Arc::new(Float32Array::from(values));
        let nullable = SqlType::Float32.nullable();
        assert_eq!(in_order(&[(&nullable, false)], std::slice::from_ref(&floats), None), Some(vec![4, 1, 3, 6, 5, 0, 2]));
        assert_eq!(in_order(&[(&nullable, true)], &[floats], None), Some(vec![2, 0, 5, 6, 1, 3, 4]));
        let texts: ArrayRef = Arc::new(BinaryViewArray::from_iter([Some("b"), None, Some(""), Some("b"), None, Some("a")]));
        let nullable = SqlType::String.nullable();
        assert_eq!(in_order(&[(&nullable, false)], std::slice::from_ref(&texts), None), Some(vec![2, 5, 0, 3, 1, 4]));
        assert_eq!(in_order(&[(&nullable, true)], &[texts], None), Some(vec![1, 4, 0, 3, 5, 2]));
    }

    proptest! {
        #[test]
        fn the_order_is_that_of_a_stable_sort(
            values in proptest::collection::vec((0u16..3, "[a\0]{0,3}[a-c]{0,14}", -2i64..3), 1..200),
            directions in any::<[bool; 3]>(),
            first in 0..3usize,
            every_other in any::<bool>(),
        ) {
            let kinds = [SqlType::UInt16, SqlType::String, SqlType::Int64];
            let columns: [ArrayRef; 3] = [
                Arc::new(UInt16Array::from_iter_values(values.iter().map(|value| value.0))),
                Arc::new(BinaryViewArray::from_iter_values(values.iter().map(|value| value.1.as_bytes()))),
                Arc::new(Int64Array::from_iter_values(values.iter().map(|value| value.2))),
            ];
            // Any column may come first.
            let places = [first, (first + 1) % 3, (first + 2) % 3];
            let kinds = places.map(|place| (&kinds[place], directions[place]));
            let columns = places.map(|place| columns[place].clone());
            let subset: Option<Vec<u32>> = every_other.then(|| (0..values.len() as u32).step_by(2).collect());
            let mut expected = subset.clone().unwrap_or_else(|| (0..values.len() as u32).collect());
            expected.sort_by(|&a, &b| {
                let (a, b) = (&values[a as usize], &values[b as usize]);
                let by = [a.0.cmp(&b.0), a.1.as_bytes().cmp(b.1.as_bytes()), a.2.cmp(&b.2)];
                let directed = |place: usize| if directions[place] { by[place].reverse() } else { by[place] };
                directed(places[0]).then(directed(places[1])).then(directed(places[2]))
            });
            let found = in_order(&kinds, &columns, subset.as_deref());
            let found = found.unwrap_or_else(|| (0..values.len() as u32).collect());
            prop_assert_eq!(found, expected);
        }
    }
}
