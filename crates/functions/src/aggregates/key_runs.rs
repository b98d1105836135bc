//! Large sets of keys that are to become one: runs in the order of their keys' ranks, of whose union nothing but the number is wanted.
//!
//! What `uniqExact` kept of each stream is merged by one of them, while the others wait. To count two sorted runs takes one
//! step a key, without a branch to guess and without a table, where a table of their union takes a slot in memory for each
//! key, and the memory itself. A table gives its keys nearly in that order ([`KeyTable::ranks`]), so each stream sorts its own
//! on the way, beside the others.

use arrow::array::UInt64Array;
use arrow::buffer::ScalarBuffer;

use super::key_table::KeyTable;
use super::sets::Key;

/// Sets of fewer keys go into a table.
pub const KEYS_MIN: usize = 4096;

/// The runs of one group, as words.
#[derive(Default)]
pub struct KeyRuns(Vec<ScalarBuffer<u64>>);

impl KeyRuns {
    /// Takes words `start..end` of the states'; gives how many bytes they are.
    pub fn take(&mut self, words: &UInt64Array, start: usize, end: usize) -> usize {
        let run = words.values().slice(start, end - start);
        // A small part of what others share would hold all of it.
        let run = if run.len() * 2 < words.len() { ScalarBuffer::from(run.to_vec()) } else { run };
        self.0.push(run);
        (end - start) * size_of::<u64>()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn bytes(&self) -> usize {
        self.0.iter().map(|run| run.len() * size_of::<u64>()).sum()
    }

    /// The keys of each run.
    pub fn drain<K: Key>(&mut self) -> impl Iterator<Item = Vec<K>> + '_ {
        self.0.drain(..).map(|run| run.chunks_exact(K::WORDS).map(K::read).collect())
    }

    /// How many different keys there are in all runs and in `table`.
    pub fn union_len<K: Key>(&self, table: Option<&KeyTable<K>>) -> usize {
        let of_run = |run: &ScalarBuffer<u64>| {
            let mut ranks: Vec<K> = run.chunks_exact(K::WORDS).map(|words| K::read(words).rank()).collect();
            // States of an earlier version, and those of other servers, come in any order.
            if !ranks.is_sorted() {
                ranks.sort_unstable();
            }
            ranks
        };
        let mut runs: Vec<Vec<K>> = self.0.iter().map(of_run).chain(table.map(KeyTable::ranks)).collect();
        // The shortest first: each key is copied as few times as may be.
        while runs.len() > 2 {
            runs.sort_unstable_by_key(|run| std::cmp::Reverse(run.len()));
            let (Some(a), Some(b)) = (runs.pop(), runs.pop()) else { break };
            runs.push(union(&a, &b));
        }
        match runs.as_slice() {
            [a, b] => a.len() + b.len() - common_len(a, b),
            [run] => run.len(),
            _ => 0,
        }
    }
}

/// How many keys of two sorted runs are in both.
fn common_len<K: Copy + Ord>(a: &[K], b: &[K]) -> usize {
    let (mut i, mut j, mut common) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i], b[j]);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
        common += usize::from(x == y);
    }
    common
}

fn union<K: Copy + Ord>(a: &[K], b: &[K]) -> Vec<K> {
    let mut all = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i], b[j]);
        all.push(x.min(y));
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    all.extend_from_slice(&a[i..]);
    all.extend_from_slice(&b[j..]);
    all
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn table<K: Key>(keys: impl IntoIterator<Item = K>) -> KeyTable<K> {
        let mut table = KeyTable::with_capacity(0);
        table.insert_all(&keys.into_iter().collect::<Vec<_>>());
        table
    }

    /// As `uniqExact` saves a table.
    fn words<K: Key>(table: &KeyTable<K>) -> UInt64Array {
        let mut words = Vec::new();
        table.ranks().into_iter().for_each(|rank| rank.of_rank().push(&mut words));
        UInt64Array::from(words)
    }

    /// Sets that share some of their keys, each from `from` on in steps of `step`.
    fn check<K: Key>(sets: &[(u64, u64)], held: bool, key: impl Fn(u64) -> K) {
        let numbers = |(from, step): (u64, u64)| (0..5000).map(move |at| from + at * step);
        let mut runs = KeyRuns::default();
        let mut all = BTreeSet::new();
        for set in sets {
            all.extend(numbers(*set));
            let state = words(&table(numbers(*set).map(&key)));
            runs.take(&state, 0, state.len());
        }
        let more = (0..300).map(|at| at * 7);
        let more = held.then(|| {
            all.extend(more.clone());
            table(more.map(&key))
        });
        assert_eq!(runs.union_len(more.as_ref()), all.len());
        let drained: usize = runs.drain::<K>().map(|keys| keys.len()).sum();
        assert!(drained == sets.len() * 5000 && runs.is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn as_many_keys_as_a_set_of_all_holds(
            sets in prop::collection::vec((0..9000_u64, 1..4_u64), 1..6),
            held in any::<bool>(),
        ) {
            check::<u64>(&sets, held, |number| number);
            // Few of the halves that are compared first differ.
            check::<u128>(&sets, held, |number| u128::from(number % 50) | u128::from(number) << 64);
        }
    }

    #[test]
    fn states_in_any_order_count_as_well() {
        let keys: Vec<u64> = (0..10_000).rev().collect();
        let state = UInt64Array::from(keys);
        let mut runs = KeyRuns::default();
        let bytes = runs.take(&state, 0, 6000) + runs.take(&state, 4000, 10_000);
        assert!(bytes == 12_000 * 8 && runs.bytes() == bytes);
        assert_eq!(runs.union_len::<u64>(None), 10_000);
    }
}
