//! How many different values there are, exactly: `uniqExact`, `uniqUpTo`, `groupBitmap`. Estimates are in `distinct/`.
//!
//! A value is a key: the bits of a number of up to 64 bits, of anything else a 128-bit hash (of which two of 10^15 values
//! are equal with a probability of 10^-9). The keys of each group are kept: a short list while there are few, then a hash table.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, ListArray, UInt64Array};
use arrow::buffer::{OffsetBuffer, ScalarBuffer};
use arrow::datatypes::{DataType, Field};
use arrow::row::{RowConverter, SortField};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use xxhash_rust::xxh3::xxh3_128;

use super::groups::Groups;
use super::key_table::KeyTable;
use super::natives::{by_native, natives};
use super::{Call, NullRule, Plan, family};
use crate::hash::int_hash_64;
use crate::registry::Registry;

pub fn register(registry: &mut Registry) {
    registry.aggregate("uniqExact", family(NullRule::Default, |call| exact(call, SqlType::UInt64, usize::MAX)));
    registry.aggregate(
        "uniqUpTo",
        family(NullRule::Default, |call| {
            let limit = call.size(0)?.unwrap_or(10);
            if limit == 0 || limit > 100 {
                let text = format!("Parameter of aggregate function {} must be from 1 to 100, got {limit}", call.name);
                return Err(Error::new(ErrorCode::ARGUMENT_OUT_OF_BOUND, text));
            }
            exact(call, SqlType::UInt64, limit + 1)
        }),
    );
    registry.aggregate(
        "groupBitmap",
        family(NullRule::Nullable, |call| match call.kinds.as_slice() {
            [kind] if kind.is_integer() => exact(call, kind.clone(), usize::MAX),
            _ => Err(call.illegal(0, "an integer")),
        }),
    );
}

/// What tells values apart.
pub trait Key: Copy + Eq + Default + Send + Sync + 'static {
    fn hash(self) -> u64;
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

    pub fn each(&self, mut f: impl FnMut(K)) {
        match self {
            Set::Few(keys) => keys.iter().for_each(|key| f(*key)),
            Set::Many(keys) => keys.iter().for_each(f),
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
    /// More values than this are not told apart.
    limit: usize,
    result: DataType,
    entries: usize,
}

impl<K: Key> Exact<K> {
    fn new(limit: usize, result: DataType) -> Self {
        Exact { sets: Vec::new(), limit, result, entries: 0 }
    }

    #[inline]
    fn add(&mut self, group: usize, key: K) {
        let set = &mut self.sets[group];
        if set.len() < self.limit && set.insert(key) {
            self.entries += 1;
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
        for (key, group) in keys.into_iter().zip(groups) {
            self.add(*group, key);
        }
        Ok(())
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        let mut words = Vec::with_capacity(self.sets[..groups].iter().map(|set| set.len() * K::WORDS).sum());
        let mut offsets = vec![0];
        for set in &self.sets[..groups] {
            set.each(|key| key.push(&mut words));
            offsets.push(offset(words.len())?);
        }
        Ok(vec![words_lists(words, offsets)?])
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let lists = states[0].as_list::<i32>();
        let words = natives::<u64>(lists.values())?;
        for (pair, group) in lists.offsets().windows(2).zip(groups) {
            let words = &words[pair[0] as usize..pair[1] as usize];
            self.sets[*group].reserve((words.len() / K::WORDS).min(self.limit));
            if self.limit == usize::MAX {
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
        let counts = UInt64Array::from_iter_values(self.sets[..groups].iter().map(|set| set.len() as u64));
        Ok(arrow::compute::cast(&counts, &self.result)?)
    }

    fn drop_first(&mut self, groups: usize) {
        let gone: usize = self.sets.drain(..groups).map(|set| set.len()).sum();
        self.entries -= gone;
    }

    fn bytes(&self) -> usize {
        let own = self.sets.capacity() * size_of::<Set<K>>();
        // Few sets may be large ones, with room for what is merged next; of many a table is about half full.
        match self.sets.as_slice() {
            few if few.len() <= FEW => own + few.iter().map(Set::bytes).sum::<usize>(),
            _ => own + self.entries * size_of::<K>() * 2,
        }
    }
}
