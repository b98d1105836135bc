//! Orders the rows of a block by the sorting key, stably.
//!
//! Keys are normalised to bytes once. A block that is in order already is found by comparing neighbours and left alone.
//! Otherwise each row becomes one 128-bit number: the first 12 bytes of its key, then its position. Sorting those needs
//! no indirection; keys longer than 12 bytes are looked up only where the first 12 are equal, and the position at the
//! end makes the order stable and total.

use arrow::row::Rows;

const PREFIX_BYTES: usize = 12;

/// The positions in order; `None` where the rows are in order as they come. `subset`: the positions to order (in their
/// own order), all rows where `None`.
pub fn order(keys: Option<&Rows>, subset: Option<&[u32]>, rows: usize) -> Option<Vec<u32>> {
    let Some(keys) = keys else { return subset.map(<[u32]>::to_vec) };
    let at = |i: usize| subset.map_or(i as u32, |subset| subset[i]);
    let length = subset.map_or(rows, <[u32]>::len);
    if (1..length).all(|i| keys.row(at(i - 1) as usize) <= keys.row(at(i) as usize)) {
        return subset.map(<[u32]>::to_vec);
    }
    let mut packed: Vec<u128> = (0..length).map(|i| pack(keys.row(at(i) as usize).data(), at(i))).collect();
    let short = (0..length).all(|i| keys.row_len(at(i) as usize) <= PREFIX_BYTES);
    if short && same_length(keys, length, at) {
        packed.sort_unstable();
    } else {
        packed.sort_unstable_by(|a, b| {
            (a >> 32).cmp(&(b >> 32)).then_with(|| {
                let (a, b) = (*a as u32, *b as u32);
                keys.row(a as usize).cmp(&keys.row(b as usize)).then(a.cmp(&b))
            })
        });
    }
    Some(packed.into_iter().map(|packed| packed as u32).collect())
}

/// Whether padding with zeros cannot make different keys equal.
fn same_length(keys: &Rows, length: usize, at: impl Fn(usize) -> u32) -> bool {
    let first = keys.row_len(at(0) as usize);
    (1..length).all(|i| keys.row_len(at(i) as usize) == first)
}

fn pack(key: &[u8], position: u32) -> u128 {
    let mut bytes = [0u8; 16];
    let length = key.len().min(PREFIX_BYTES);
    bytes[..length].copy_from_slice(&key[..length]);
    bytes[PREFIX_BYTES..].copy_from_slice(&position.to_be_bytes());
    u128::from_be_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, BinaryViewArray, Int64Array};
    use gristmill_types::SqlType;
    use proptest::prelude::*;

    use super::*;
    use crate::index::order::KeyOrder;

    #[test]
    fn a_block_in_order_is_left_alone() {
        let keys = KeyOrder::new(&[&SqlType::Int64]).expect("ordered");
        let sorted: ArrayRef = Arc::new(Int64Array::from(vec![-1, 0, 0, 7]));
        assert_eq!(order(keys.rows(&[sorted]).expect("rows").as_ref(), None, 4), None);
    }

    proptest! {
        #[test]
        fn the_order_is_that_of_a_stable_sort(
            values in proptest::collection::vec(("[a-c]{0,20}", 0i64..3), 1..200),
            every_other in any::<bool>(),
        ) {
            let keys = KeyOrder::new(&[&SqlType::String, &SqlType::Int64]).expect("ordered");
            let text: ArrayRef = Arc::new(BinaryViewArray::from_iter_values(values.iter().map(|(text, _)| text.as_bytes())));
            let number: ArrayRef = Arc::new(Int64Array::from_iter_values(values.iter().map(|(_, number)| *number)));
            let rows = keys.rows(&[text, number]).expect("rows");
            let subset: Option<Vec<u32>> = every_other.then(|| (0..values.len() as u32).step_by(2).collect());
            let mut expected = subset.clone().unwrap_or_else(|| (0..values.len() as u32).collect());
            expected.sort_by_key(|&row| &values[row as usize]);
            let found = order(rows.as_ref(), subset.as_deref(), values.len());
            let found = found.unwrap_or_else(|| (0..values.len() as u32).collect());
            prop_assert_eq!(found, expected);
        }
    }
}
