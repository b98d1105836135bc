//! How many different values there are, exactly: `uniqExact`, `uniqUpTo`, `groupBitmap`. Estimates are in `distinct/`.
//!
//! A value is a key: the bits of a number of up to 64 bits, of anything else a 128-bit hash (of which two of 10^15 values
//! are equal with a probability of 10^-9). The keys of each group are kept: a short list while there are few, then a hash table.
//! Very many groups of few keys share one table ([`PairTable`]).

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, ListArray, UInt64Array};
use arrow::buffer::{OffsetBuffer, ScalarBuffer};
use arrow::datatypes::UInt64Type;
use arrow::datatypes::{DataType, Field};
use arrow::row::{RowConverter, SortField};
use gristmill_base::{Error, ErrorCode, Result, prefetch};
use gristmill_types::SqlType;
use xxhash_rust::xxh3::xxh3_128;

use super::groups::{Groups, ask_for};
use super::key_runs::{KEYS_MIN, KeyRuns};
use super::key_set::{FEW, Set};
use super::key_table::{AHEAD, KeyTable};
use super::natives::{by_native, natives};
use super::pair_table::PairTable;
use super::{Call, NullRule, Plan, family};
use crate::hash::{int_hash_64, int_hash_64_inverse};
use crate::registry::Registry;

pub fn register(registry: &mut Registry) {
    registry.aggregate("uniqExact", family(NullRule::Default, |call| exact(call, SqlType::UInt64, usize::MAX)));
    registry.aggregate(
        "uniqUpTo",
        family(NullRule::Default, |call| {
            let limit = call.size(0)?.unwrap_or(10);
            if limit > 100 {
                let text = format!("Parameter of aggregate function {} must be from 0 to 100, got {limit}", call.name);
                return Err(Error::new(ErrorCode::ARGUMENT_OUT_OF_BOUND, text));
            }
            exact(call, SqlType::UInt64, limit + 1)
        }),
    );
    registry.aggregate(
        "groupBitmap",
        family(NullRule::Nullable, |call| match call.kinds.as_slice() {
            [kind] if kind.is_integer() => exact(call, kind.clone(), usize::MAX),
            [SqlType::Bool] => {
                let Call { name, parameters, .. } = *call;
                let numbers = Call { name, parameters, kinds: vec![SqlType::UInt8], constants: Vec::new() };
                exact(&numbers, SqlType::UInt8, usize::MAX)
            }
            _ => Err(call.illegal(0, "an integer")),
        }),
    );
}

/// An odd number, so that it can be divided by: the golden ratio's.
pub const SALT: u64 = 0x9e37_79b9_7f4a_7c15;
const SALT_INVERSE: u64 = 0xf1de_83e1_9937_733d;

/// What tells values apart.
pub trait Key: Copy + Ord + Default + Send + Sync + 'static {
    fn hash(self) -> u64;
    /// What orders keys in tables, by its highest bits; each key has its own. Not the hash alone: rows that come in the order of
    /// `intHash64`, as a sorting key may have it, would pile up in a table that grows with them.
    fn rank(self) -> Self;
    fn of_rank(self) -> Self;
    /// The highest bits of the rank.
    fn place(self) -> u64;
    fn push(self, out: &mut Vec<u64>);
    const WORDS: usize;
    fn read(words: &[u64]) -> Self;
    fn of(args: &[ArrayRef]) -> Result<Vec<Self>>;
}

impl Key for u64 {
    #[inline]
    fn hash(self) -> u64 {
        int_hash_64(self)
    }

    #[inline]
    fn rank(self) -> u64 {
        int_hash_64(self).wrapping_mul(SALT)
    }

    #[inline]
    fn of_rank(self) -> u64 {
        int_hash_64_inverse(self.wrapping_mul(SALT_INVERSE))
    }

    #[inline]
    fn place(self) -> u64 {
        self.rank()
    }

    fn push(self, out: &mut Vec<u64>) {
        out.push(self);
    }

    const WORDS: usize = 1;

    fn read(words: &[u64]) -> Self {
        words[0]
    }

    /// The bits of one column of numbers.
    fn of(args: &[ArrayRef]) -> Result<Vec<u64>> {
        match args[0].data_type().primitive_width() {
            Some(1) => Ok(natives::<u8>(&args[0])?.iter().map(|v| u64::from(*v)).collect()),
            Some(2) => Ok(natives::<u16>(&args[0])?.iter().map(|v| u64::from(*v)).collect()),
            Some(4) => Ok(natives::<u32>(&args[0])?.iter().map(|v| u64::from(*v)).collect()),
            _ => Ok(natives::<u64>(&args[0])?.to_vec()),
        }
    }
}

impl Key for u128 {
    #[inline]
    fn hash(self) -> u64 {
        self as u64
    }

    #[inline]
    fn rank(self) -> u128 {
        u128::from(self.place()) << 64 | self >> 64
    }

    #[inline]
    fn of_rank(self) -> u128 {
        self << 64 | u128::from(((self >> 64) as u64).wrapping_mul(SALT_INVERSE))
    }

    #[inline]
    fn place(self) -> u64 {
        (self as u64).wrapping_mul(SALT)
    }

    fn push(self, out: &mut Vec<u64>) {
        out.extend([self as u64, (self >> 64) as u64]);
    }

    const WORDS: usize = 2;

    fn read(words: &[u64]) -> Self {
        u128::from(words[0]) | u128::from(words[1]) << 64
    }

    fn of(args: &[ArrayRef]) -> Result<Vec<u128>> {
        if let [one] = args
            && let Some(strings) = one.as_binary_view_opt()
        {
            return Ok((0..strings.len()).map(|row| xxh3_128(strings.value(row))).collect());
        }
        let converter = RowConverter::new(args.iter().map(|array| SortField::new(array.data_type().clone())).collect())?;
        let rows = converter.convert_columns(args)?;
        Ok(rows.iter().map(|row| xxh3_128(row.as_ref())).collect())
    }
}

/// Whether the keys of such arguments are their bits.
pub fn is_narrow(kinds: &[SqlType]) -> bool {
    matches!(kinds, [kind] if by_native!(&kind.arrow(), N => size_of::<N>() <= 8, false))
}

/// So many runs of one group go into its set: states of many parts may hold the same keys.
const RUNS_MAX: usize = 16;
pub fn words_type() -> DataType {
    DataType::List(Arc::new(Field::new("item", DataType::UInt64, true)))
}

pub fn words_lists(words: Vec<u64>, offsets: Vec<i32>) -> Result<ArrayRef> {
    let item = Arc::new(Field::new("item", DataType::UInt64, true));
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    Ok(Arc::new(ListArray::try_new(item, offsets, Arc::new(UInt64Array::from(words)), None)?))
}

fn offset(words: usize) -> Result<i32> {
    i32::try_from(words).map_err(|_| crate::columns::too_large(words))
}

fn exact(call: &Call<'_>, result: SqlType, limit: usize) -> Result<Plan> {
    call.arity(1..=usize::MAX)?;
    let carrier = result.arrow();
    let arguments = call.kinds.clone();
    if is_narrow(&arguments) {
        return Ok(Plan::new(result, arguments, vec![words_type()], move || Exact::<u64>::new(limit, carrier.clone())));
    }
    Ok(Plan::new(result, arguments, vec![words_type()], move || Exact::<u128>::new(limit, carrier.clone())))
}

/// From so many groups on their keys share a table, while a group has no more than so many on average.
const SHARED_FROM: usize = 1024;
const SHARED_KEYS: usize = 8;

struct Exact<K> {
    /// In their place, where there are very many.
    shared: Option<PairTable<K>>,
    sets: Vec<Set<K>>,
    /// Of each group, what was merged of large sets, and is not in its set; none: of no group.
    runs: Vec<KeyRuns>,
    runs_bytes: usize,
    /// More values than this are not told apart.
    limit: usize,
    result: DataType,
    entries: usize,
}

impl<K: Key> Exact<K> {
    fn new(limit: usize, result: DataType) -> Self {
        Exact { shared: None, sets: Vec::new(), runs: Vec::new(), runs_bytes: 0, limit, result, entries: 0 }
    }

    #[inline]
    fn add(&mut self, group: usize, key: K) {
        let set = &mut self.sets[group];
        if set.len() < self.limit && set.insert(key) {
            self.entries += 1;
        }
    }

    /// The table that all groups share, if so many keys more leave it worthwhile.
    fn shared(&mut self, more: usize) -> Option<&mut PairTable<K>> {
        let groups = self.sets.len();
        let is_worth = (SHARED_FROM..PairTable::<K>::GROUPS_MAX).contains(&groups) && self.runs.is_empty();
        if self.shared.is_none() && is_worth && self.entries + more <= groups * SHARED_KEYS {
            let mut table = PairTable::with_capacity(self.entries);
            table.resize(groups);
            for (group, set) in std::mem::take(&mut self.sets).iter().enumerate() {
                let keys = set.keys();
                table.insert_all(&keys, &vec![group; keys.len()], usize::MAX);
            }
            self.entries = 0;
            self.shared = Some(table);
        }
        self.shared.as_mut()
    }

    /// Keeps a large state as it is.
    fn takes_run(&mut self, words: &UInt64Array, start: usize, end: usize, group: usize) -> bool {
        if end - start < KEYS_MIN * K::WORDS {
            return false;
        }
        if self.runs.len() <= group {
            self.runs.resize_with(group + 1, KeyRuns::default);
        }
        self.runs_bytes += self.runs[group].take(words, start, end);
        if self.runs[group].len() == RUNS_MAX {
            let mut runs = std::mem::take(&mut self.runs[group]);
            self.runs_bytes -= runs.bytes();
            self.settle(group, &mut runs);
        }
        true
    }

    fn settle(&mut self, group: usize, runs: &mut KeyRuns) {
        let set = &mut self.sets[group];
        for keys in runs.drain::<K>() {
            set.reserve(keys.len());
            self.entries += set.insert_all(&keys);
        }
    }

    /// Puts all runs into the sets.
    fn settle_all(&mut self) {
        for (group, mut runs) in std::mem::take(&mut self.runs).into_iter().enumerate() {
            self.settle(group, &mut runs);
        }
        self.runs_bytes = 0;
    }

    /// How many keys a group has.
    fn count(&self, group: usize) -> usize {
        let set = &self.sets[group];
        match (self.runs.get(group).filter(|runs| !runs.is_empty()), set) {
            (None, set) => set.len(),
            (Some(runs), Set::Many(table)) => runs.union_len(Some(table)),
            (Some(runs), Set::Few(keys)) if keys.is_empty() => runs.union_len::<K>(None),
            (Some(runs), Set::Few(keys)) => {
                let mut table = KeyTable::with_capacity(keys.len());
                table.insert_all(keys);
                runs.union_len(Some(&table))
            }
        }
    }
}

impl<K: Key> Groups for Exact<K> {
    fn resize(&mut self, groups: usize) {
        match &mut self.shared {
            Some(table) => table.resize(groups),
            None => self.sets.resize_with(groups, Set::new),
        }
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let keys = K::of(args)?;
        if let ([set], true) = (self.sets.as_mut_slice(), self.limit == usize::MAX) {
            if let Set::Many(table) = set {
                ask_for(table.bytes_to_grow(keys.len()))?;
            }
            self.entries += set.insert_all(&keys);
            return Ok(());
        }
        let limit = self.limit;
        if let Some(table) = self.shared(keys.len()) {
            table.insert_all(&keys, groups, limit);
            return Ok(());
        }
        // Of very many groups neither the sets nor what they hold lies in the cache: both are sent for ahead, one after the other.
        for (row, (key, group)) in keys.iter().zip(groups).enumerate() {
            if let Some(later) = groups.get(row + 2 * AHEAD) {
                prefetch::at(&self.sets, *later);
            }
            if let (Some(key), Some(group)) = (keys.get(row + AHEAD), groups.get(row + AHEAD)) {
                self.sets[*group].send_for(*key);
            }
            self.add(*group, *key);
        }
        Ok(())
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        if let Some(table) = &self.shared {
            let (keys, starts) = table.by_group(groups);
            let mut words = Vec::with_capacity(keys.len() * K::WORDS);
            keys.iter().for_each(|key| key.push(&mut words));
            let offsets = starts.iter().map(|start| offset(start * K::WORDS)).collect::<Result<_>>()?;
            return Ok(vec![words_lists(words, offsets)?]);
        }
        self.settle_all();
        let mut words = Vec::with_capacity(self.sets[..groups].iter().map(|set| set.len() * K::WORDS).sum());
        let mut offsets = vec![0];
        for set in &self.sets[..groups] {
            set.keys().iter().for_each(|key| key.push(&mut words));
            offsets.push(offset(words.len())?);
        }
        Ok(vec![words_lists(words, offsets)?])
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let lists = states[0].as_list::<i32>();
        let states = lists.values().as_primitive::<UInt64Type>();
        let words = states.values();
        let (limit, offsets) = (self.limit, lists.offsets());
        let given = offsets[0] as usize..offsets[offsets.len() - 1] as usize;
        if let Some(table) = self.shared(given.len() / K::WORDS) {
            let keys: Vec<K> = words[given].chunks_exact(K::WORDS).map(K::read).collect();
            let count = |pair: &[i32]| (pair[1] - pair[0]) as usize / K::WORDS;
            let of_each = offsets.windows(2).zip(groups);
            let groups: Vec<usize> = of_each.flat_map(|(pair, group)| std::iter::repeat_n(*group, count(pair))).collect();
            table.insert_all(&keys, &groups, limit);
            return Ok(());
        }
        for (pair, group) in offsets.windows(2).zip(groups) {
            let (start, end) = (pair[0] as usize, pair[1] as usize);
            if self.limit == usize::MAX && self.takes_run(states, start, end, *group) {
                continue;
            }
            let words = &words[start..end];
            let (set, count) = (&mut self.sets[*group], words.len() / K::WORDS);
            if set.is_empty() && count <= FEW.min(self.limit) {
                // Those of a state are different.
                *set = Set::Few(words.chunks_exact(K::WORDS).map(K::read).collect());
                self.entries += count;
                continue;
            }
            set.reserve(count.min(self.limit));
            if self.limit == usize::MAX && count > FEW {
                let keys: Vec<K> = words.chunks_exact(K::WORDS).map(K::read).collect();
                self.entries += self.sets[*group].insert_all(&keys);
                continue;
            }
            for key in words.chunks_exact(K::WORDS) {
                self.add(*group, K::read(key));
            }
        }
        Ok(())
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        let counts = match &self.shared {
            Some(table) => UInt64Array::from_iter_values(table.counts()[..groups].iter().map(|count| u64::from(*count))),
            None => UInt64Array::from_iter_values((0..groups).map(|group| self.count(group) as u64)),
        };
        Ok(arrow::compute::cast(&counts, &self.result)?)
    }

    fn drop_first(&mut self, groups: usize) {
        if let Some(table) = &mut self.shared {
            return table.drop_first(groups);
        }
        let gone: usize = self.sets.drain(..groups).map(|set| set.len()).sum();
        self.entries -= gone;
        if !self.runs.is_empty() {
            let gone = self.runs.drain(..groups.min(self.runs.len()));
            self.runs_bytes -= gone.map(|runs| runs.bytes()).sum::<usize>();
        }
    }

    fn bytes(&self) -> usize {
        if let Some(table) = &self.shared {
            return table.bytes();
        }
        let own = self.sets.capacity() * size_of::<Set<K>>() + self.runs.capacity() * size_of::<KeyRuns>() + self.runs_bytes;
        // Few sets may be large ones, with room for what is merged next; of many a table is about half full.
        match self.sets.as_slice() {
            few if few.len() <= FEW => own + few.iter().map(Set::bytes).sum::<usize>(),
            _ => own + self.entries * size_of::<K>() * 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(count: usize) -> Exact<u64> {
        let mut exact = Exact::new(usize::MAX, DataType::UInt64);
        exact.resize(count);
        exact
    }

    /// The state of one group with so many keys.
    fn state(first: u64, keys: u64) -> Vec<ArrayRef> {
        let mut exact = groups(1);
        let values: ArrayRef = Arc::new(UInt64Array::from_iter_values(first..first + keys));
        exact.update(&[values], &vec![0; keys as usize]).expect("adds");
        exact.save(1).expect("saves")
    }

    fn counts(exact: &mut Exact<u64>, count: usize) -> Vec<u64> {
        exact.finish(count).expect("finishes").as_primitive::<UInt64Type>().values().to_vec()
    }

    #[test]
    fn large_states_and_small_ones_are_merged_into_their_groups() {
        let mut merged = groups(3);
        let mut expected = vec![0; 3];
        for step in 0..2 * RUNS_MAX as u64 + 3 {
            // Group 0 gets large states alone, group 1 of each kind, group 2 small ones.
            for (group, keys) in [(0, 5000), (1, if step % 2 == 0 { 7000 } else { 900 }), (2, 10)] {
                merged.merge(&state(step * 800, keys), &[group]).expect("merges");
                expected[group] = match group {
                    2 => (step + 1) * 10,
                    _ => expected[group].max(step * 800 + keys),
                };
            }
            assert_eq!(counts(&mut merged, 3), expected, "after step {step}");
        }
        let mut again = groups(3);
        again.merge(&merged.save(3).expect("saves"), &[0, 1, 2]).expect("merges");
        assert_eq!(counts(&mut again, 3), expected, "states of what was merged");
        let held = again.bytes();
        again.drop_first(1);
        assert_eq!(counts(&mut again, 2), expected[1..]);
        assert!(again.bytes() < held, "{held}");
    }

    #[test]
    fn very_many_groups_of_few_keys_share_a_table() {
        let count = SHARED_FROM * 2;
        let mut exact = groups(SHARED_FROM / 2);
        let rows = |first: usize, groups: std::ops::Range<usize>, exact: &mut Exact<u64>| {
            let groups: Vec<usize> = groups.collect();
            let keys = UInt64Array::from_iter_values(groups.iter().map(|group| (first * 1000 + group % 5) as u64));
            exact.update(&[Arc::new(keys)], &groups).expect("adds");
        };
        rows(0, 0..SHARED_FROM / 2, &mut exact);
        assert!(exact.shared.is_none(), "these are few");
        exact.resize(count);
        for first in [0, 1, 1, 2] {
            rows(first, 0..count, &mut exact);
        }
        assert!(exact.shared.is_some());
        assert_eq!(counts(&mut exact, count), vec![3; count]);
        let states = exact.save(count).expect("saves");
        let mut merged = groups(count);
        let all: Vec<usize> = (0..count).collect();
        merged.merge(&states, &all).expect("merges");
        merged.merge(&states, &all).expect("merges");
        rows(3, 0..10, &mut merged);
        assert!(merged.shared.is_some());
        assert_eq!(counts(&mut merged, 11), [vec![4; 10], vec![3]].concat());
        merged.drop_first(9);
        assert_eq!(counts(&mut merged, 3), [4, 3, 3]);
    }

    #[test]
    fn keys_in_the_order_of_their_hashes_do_not_pile_up() {
        let mut hashes: Vec<u64> = (0..200_000).map(int_hash_64).collect();
        hashes.sort_unstable();
        let sorted: Vec<u64> = hashes.into_iter().map(int_hash_64_inverse).collect();
        let mut table = KeyTable::with_capacity(0);
        for some in sorted.chunks(8192) {
            table.insert_all(some);
            assert!(table.longest_run() < 500, "{} of {} keys", table.longest_run(), table.len());
        }
        assert_eq!(table.len(), 200_000);
    }

    #[test]
    fn numbers_are_those_of_their_ranks() {
        for number in (0..64).map(|bit| 0x9e37_79b9_7f4a_7c15_u64 >> bit) {
            assert_eq!(number.rank().of_rank(), number);
            let wide = u128::from(number) << 64 | u128::from(number / 3);
            assert!(wide.rank().of_rank() == wide && (wide.rank() >> 64) as u64 == wide.place());
        }
    }
}
