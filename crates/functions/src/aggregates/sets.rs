//! How many different values there are, exactly: `uniqExact`, `uniqUpTo`, `groupBitmap`. Estimates are in `distinct/`.
//!
//! A value is a key: the bits of a number of up to 64 bits, of anything else a 128-bit hash (of which two of 10^15 values
//! are equal with a probability of 10^-9). The keys of each group are kept: a short list while there are few, then a hash table.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, ListArray, UInt64Array};
use arrow::buffer::{OffsetBuffer, ScalarBuffer};
use arrow::datatypes::UInt64Type;
use arrow::datatypes::{DataType, Field};
use arrow::row::{RowConverter, SortField};
use gristmill_base::{Error, ErrorCode, Result, prefetch};
use gristmill_types::SqlType;
use xxhash_rust::xxh3::xxh3_128;

use super::groups::Groups;
use super::key_runs::{KEYS_MIN, KeyRuns};
use super::key_table::{AHEAD, KeyTable};
use super::natives::{by_native, natives};
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
const SALT: u64 = 0x9e37_79b9_7f4a_7c15;
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
/// Below this a list is searched, above it a table.
const FEW: usize = 16;

/// A set that is small most of the time.
pub enum Set<K> {
    Few(Vec<K>),
    Many(KeyTable<K>),
}

impl<K: Key> Set<K> {
    pub fn new() -> Self {
        Set::Few(Vec::new())
    }

    pub fn len(&self) -> usize {
        match self {
            Set::Few(keys) => keys.len(),
            Set::Many(keys) => keys.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn bytes(&self) -> usize {
        match self {
            Set::Few(keys) => keys.capacity() * size_of::<K>(),
            Set::Many(keys) => keys.bytes(),
        }
    }

    #[inline]
    fn send_for(&self, key: K) {
        match self {
            Set::Few(keys) => prefetch::at(keys, 0),
            Set::Many(table) => table.send_for(key),
        }
    }

    /// Whether it was not there before.
    #[inline]
    pub fn insert(&mut self, key: K) -> bool {
        match self {
            Set::Few(keys) => {
                if keys.contains(&key) {
                    return false;
                }
                if keys.len() < FEW {
                    keys.push(key);
                    return true;
                }
                let mut table = KeyTable::with_capacity(2 * FEW);
                table.insert_all(keys);
                table.insert(key);
                *self = Set::Many(table);
                true
            }
            Set::Many(keys) => keys.insert(key),
        }
    }

    /// How many of the keys were not there before.
    fn insert_all(&mut self, keys: &[K]) -> usize {
        let few = match self {
            Set::Few(_) => keys.len().min(FEW + 1),
            Set::Many(_) => 0,
        };
        let added = keys[..few].iter().filter(|key| self.insert(**key)).count();
        match self {
            Set::Few(_) => added + keys[few..].iter().filter(|key| self.insert(**key)).count(),
            Set::Many(table) => added + table.insert_all(&keys[few..]),
        }
    }

    /// Makes room for so many keys more, where there are many. Needed before the keys of another set come, which are in the
    /// order of its slots: without room for all of them the first ones fill the beginning of the table, and each of those
    /// after them looks through all of it.
    fn reserve(&mut self, keys: usize) {
        match self {
            Set::Few(few) if few.len() + keys > FEW => {
                let mut table = KeyTable::with_capacity(few.len() + keys);
                table.insert_all(few);
                *self = Set::Many(table);
            }
            Set::Many(table) => table.reserve(table.len() + keys),
            Set::Few(_) => {}
        }
    }
}

impl<K: Key> Default for Set<K> {
    fn default() -> Self {
        Set::new()
    }
}

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

struct Exact<K> {
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
        Exact { sets: Vec::new(), runs: Vec::new(), runs_bytes: 0, limit, result, entries: 0 }
    }

    #[inline]
    fn add(&mut self, group: usize, key: K) {
        let set = &mut self.sets[group];
        if set.len() < self.limit && set.insert(key) {
            self.entries += 1;
        }
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
        self.sets.resize_with(groups, Set::new);
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let keys = K::of(args)?;
        if let ([set], true) = (self.sets.as_mut_slice(), self.limit == usize::MAX) {
            self.entries += set.insert_all(&keys);
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
        self.settle_all();
        let mut words = Vec::with_capacity(self.sets[..groups].iter().map(|set| set.len() * K::WORDS).sum());
        let mut offsets = vec![0];
        for set in &self.sets[..groups] {
            match set {
                Set::Few(keys) => keys.iter().for_each(|key| key.push(&mut words)),
                Set::Many(table) => table.ranks().into_iter().for_each(|rank| rank.of_rank().push(&mut words)),
            }
            offsets.push(offset(words.len())?);
        }
        Ok(vec![words_lists(words, offsets)?])
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let lists = states[0].as_list::<i32>();
        let states = lists.values().as_primitive::<UInt64Type>();
        let words = states.values();
        for (pair, group) in lists.offsets().windows(2).zip(groups) {
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
        let counts = UInt64Array::from_iter_values((0..groups).map(|group| self.count(group) as u64));
        Ok(arrow::compute::cast(&counts, &self.result)?)
    }

    fn drop_first(&mut self, groups: usize) {
        let gone: usize = self.sets.drain(..groups).map(|set| set.len()).sum();
        self.entries -= gone;
        if !self.runs.is_empty() {
            let gone = self.runs.drain(..groups.min(self.runs.len()));
            self.runs_bytes -= gone.map(|runs| runs.bytes()).sum::<usize>();
        }
    }

    fn bytes(&self) -> usize {
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
