//! Orders the rows of a block by the sorting key, stably.
//!
//! Each row becomes one 128-bit number: 96 bits of its key, which compare like the values, then its position. Sorting those
//! needs no indirection, and the position makes the order stable and total. Integers, dates and times take the bits that
//! their range in this block needs, so such keys mostly fit whole. Where a key goes on, the rows whose bits are equal are
//! ordered by their whole keys, which only they are normalised for. A block that is in order already is found so on the
//! way, and left alone.
//!
//! Keys that begin with what has no such bits (NULLs, floats) are normalised whole, and give their first bytes.

use std::ops::Range;

use arrow::array::{Array, ArrayRef, AsArray, UInt32Array};
use arrow::datatypes::{
    ArrowPrimitiveType, DataType, Date32Type, Int8Type, Int16Type, Int32Type, Int64Type, TimeUnit, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow::row::Rows;
use gristmill_base::Result;

use crate::index::order::KeyOrder;

/// Bits of a number that are the key's; the others are the position.
const KEY_BITS: u32 = 96;
const POSITION_BITS: u32 = 32;

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
    let as_they_come = || subset.map(<[u32]>::to_vec);
    if key.columns.is_empty() {
        return Ok(as_they_come());
    }
    let mut packed = Packed::new(subset, rows);
    for (column, descending) in key.columns.iter().zip(key.descending) {
        if !packed.push(column, *descending) {
            break;
        }
    }
    if packed.free_bits == KEY_BITS
        && !packed.is_whole
        && let Some(keys) = key.order.rows(key.columns)?
    {
        packed.push_normalised(&keys);
    }
    let mut numbers = packed.numbers;
    let mut moved = !numbers.is_sorted();
    if moved {
        numbers.sort_unstable();
    }
    if !packed.is_whole {
        moved |= order_ties(&mut numbers, key)?;
    }
    Ok(if moved { Some(numbers.into_iter().map(|number| number as u32).collect()) } else { as_they_come() })
}

/// A number a row, under way.
struct Packed<'a> {
    numbers: Vec<u128>,
    subset: Option<&'a [u32]>,
    free_bits: u32,
    /// The numbers hold all there is of the key.
    is_whole: bool,
}

impl<'a> Packed<'a> {
    fn new(subset: Option<&'a [u32]>, rows: usize) -> Packed<'a> {
        let numbers = match subset {
            Some(subset) => subset.iter().map(|&row| u128::from(row)).collect(),
            None => (0..rows as u128).collect(),
        };
        Packed { numbers, subset, free_bits: KEY_BITS, is_whole: true }
    }

    /// Adds the next column of the key. Whether a column may follow.
    fn push(&mut self, column: &ArrayRef, descending: bool) -> bool {
        if column.null_count() > 0 || self.free_bits == 0 {
            self.is_whole = false;
            return false;
        }
        match column.data_type() {
            DataType::UInt8 => self.push_integers::<UInt8Type>(column, descending),
            DataType::UInt16 => self.push_integers::<UInt16Type>(column, descending),
            DataType::UInt32 => self.push_integers::<UInt32Type>(column, descending),
            DataType::UInt64 => self.push_integers::<UInt64Type>(column, descending),
            DataType::Int8 => self.push_integers::<Int8Type>(column, descending),
            DataType::Int16 => self.push_integers::<Int16Type>(column, descending),
            DataType::Int32 => self.push_integers::<Int32Type>(column, descending),
            DataType::Int64 => self.push_integers::<Int64Type>(column, descending),
            DataType::Date32 => self.push_integers::<Date32Type>(column, descending),
            DataType::Timestamp(TimeUnit::Second, _) => self.push_integers::<TimestampSecondType>(column, descending),
            DataType::Timestamp(TimeUnit::Millisecond, _) => {
                self.push_integers::<TimestampMillisecondType>(column, descending);
            }
            DataType::Timestamp(TimeUnit::Microsecond, _) => {
                self.push_integers::<TimestampMicrosecondType>(column, descending);
            }
            DataType::Timestamp(TimeUnit::Nanosecond, _) => {
                self.push_integers::<TimestampNanosecondType>(column, descending)
            }
            DataType::FixedSizeBinary(width @ 1..=16) => {
                let (values, bits) = (column.as_fixed_size_binary(), *width as u32 * 8);
                self.push_bits(bits, descending, |row| first_bytes::<16>(values.value(row)) >> (128 - bits));
            }
            DataType::BinaryView => {
                let values = column.as_binary_view();
                self.push_bits(KEY_BITS, descending, |row| first_bytes::<12>(values.value(row)) >> POSITION_BITS);
                // Shorter values are filled up with zeros, which longer ones may have too.
                self.is_whole = false;
                return false;
            }
            _ => {
                self.is_whole = false;
                return false;
            }
        }
        self.is_whole
    }

    /// Numbers count from the least of them, so they take the bits that their range needs.
    fn push_integers<P: ArrowPrimitiveType<Native: Into<i128>>>(&mut self, column: &ArrayRef, descending: bool) {
        let values = column.as_primitive::<P>();
        let (Some(least), Some(greatest)) = (arrow::compute::min(values), arrow::compute::max(values)) else { return };
        let least: i128 = least.into();
        let bits = 128 - (greatest.into() - least).leading_zeros();
        let values = values.values();
        self.push_bits(bits, descending, |row| (values[row].into() - least) as u128);
    }

    /// Adds what has room of values of so many bits.
    fn push_bits(&mut self, bits: u32, descending: bool, value: impl Fn(usize) -> u128) {
        if bits == 0 {
            return;
        }
        let kept = bits.min(self.free_bits);
        self.is_whole &= kept == bits;
        self.free_bits -= kept;
        let shift = POSITION_BITS + self.free_bits;
        let all = u128::MAX >> (128 - bits);
        for (at, number) in self.numbers.iter_mut().enumerate() {
            let row = self.subset.map_or(at, |subset| subset[at] as usize);
            let value = if descending { !value(row) & all } else { value(row) };
            *number |= value >> (bits - kept) << shift;
        }
    }

    /// Adds the first bytes of normalised keys.
    fn push_normalised(&mut self, keys: &Rows) {
        self.push_bits(KEY_BITS, false, |row| first_bytes::<12>(keys.row(row).data()) >> POSITION_BITS);
        self.is_whole = false;
    }
}

/// The first bytes of a value as the highest of a number; zeros where it has fewer.
fn first_bytes<const BYTES: usize>(value: &[u8]) -> u128 {
    let mut bytes = [0u8; 16];
    let length = value.len().min(BYTES);
    bytes[..length].copy_from_slice(&value[..length]);
    u128::from_be_bytes(bytes)
}

/// Orders the rows whose numbers are equal, but for the position, by their whole keys. Whether any changed its place.
fn order_ties(numbers: &mut [u128], key: &SortKey<'_>) -> Result<bool> {
    let ties = ties(numbers);
    if ties.is_empty() {
        return Ok(false);
    }
    let tied = UInt32Array::from_iter_values(ties.iter().flat_map(|tie| &numbers[tie.clone()]).map(|number| *number as u32));
    let columns =
        key.columns.iter().map(|column| arrow::compute::take(column, &tied, None)).collect::<Result<Vec<_>, _>>()?;
    let Some(keys) = key.order.rows(&columns)? else { return Ok(false) };
    let (mut moved, mut first) = (false, 0);
    for tie in ties {
        let numbers = &mut numbers[tie];
        let is_less = |a: usize, b: usize| keys.row(a) <= keys.row(b);
        if !(first + 1..first + numbers.len()).all(|at| is_less(at - 1, at)) {
            let mut places: Vec<usize> = (first..first + numbers.len()).collect();
            // Places are in the order of positions: stable.
            places.sort_by(|&a, &b| keys.row(a).cmp(&keys.row(b)));
            for (number, place) in numbers.iter_mut().zip(places) {
                *number = u128::from(tied.value(place));
            }
            moved = true;
        }
        first += numbers.len();
    }
    Ok(moved)
}

/// Runs of at least two numbers that differ in the position only.
fn ties(numbers: &[u128]) -> Vec<Range<usize>> {
    let mut ties = Vec::new();
    let mut start = 0;
    for at in 1..=numbers.len() {
        if at == numbers.len() || numbers[at] >> POSITION_BITS != numbers[start] >> POSITION_BITS {
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

    use arrow::array::{BinaryViewArray, Float64Array, Int64Array, UInt16Array};
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
    fn nulls_and_floats_are_ordered_by_their_normalised_keys() {
        let numbers: ArrayRef = Arc::new(Int64Array::from(vec![None, Some(5), None, Some(-5)]));
        let nullable = SqlType::Nullable(Box::new(SqlType::Int64));
        assert_eq!(in_order(&[(&nullable, false)], std::slice::from_ref(&numbers), None), Some(vec![3, 1, 0, 2]));
        assert_eq!(in_order(&[(&nullable, true)], &[numbers], None), Some(vec![0, 2, 1, 3]));
        let floats: ArrayRef = Arc::new(Float64Array::from(vec![0.5, -1e300, 2.0]));
        assert_eq!(in_order(&[(&SqlType::Float64, false)], &[floats], None), Some(vec![1, 0, 2]));
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
