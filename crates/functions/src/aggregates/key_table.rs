//! A set of keys that are their own hash or have a cheap one: open addressing with linear probing, the zero key apart.
//!
//! Against `hashbrown::HashTable`, which it replaces for `uniqExact`: many keys are inserted at a time, and the slot of a
//! key is sent for while those before it are looked up, so a set that is larger than the cache does not wait for memory with
//! every key. Slots hold nothing but keys, at most three of four are taken.
//!
//! The highest bits of a key's rank choose the slot, so that keys come in the order of their ranks but for the runs of taken slots
//! ([`KeyTable::ranks`]). In that order they pile up in another table, unless it has room for all of them
//! ([`KeyTable::reserve`]).

use gristmill_base::prefetch;

use super::sets::Key;

/// Keys between the one that is looked up and the one whose slot is sent for.
pub const AHEAD: usize = 16;
const SLOTS_MIN: usize = 64;

pub struct KeyTable<K> {
    /// A power of two of them, zero where no key is.
    slots: Vec<K>,
    /// Without the zero key.
    taken: usize,
    has_zero: bool,
}

impl<K: Key> KeyTable<K> {
    pub fn with_capacity(keys: usize) -> Self {
        KeyTable { slots: vec![K::default(); slots_for(keys)], taken: 0, has_zero: false }
    }

    pub fn len(&self) -> usize {
        self.taken + usize::from(self.has_zero)
    }

    pub fn bytes(&self) -> usize {
        self.slots.len() * size_of::<K>()
    }

    /// Bytes of the table that takes the place of this one when so many keys come; 0: there is room for them.
    pub fn bytes_to_grow(&self, keys: usize) -> usize {
        let needed = self.taken + keys;
        if needed * 4 <= self.slots.len() * 3 {
            return 0;
        }
        self.slots_to_grow(needed.min(self.taken * 2 + SLOTS_MIN)) * size_of::<K>()
    }

    /// Whether it was not there before.
    #[inline]
    pub fn insert(&mut self, key: K) -> bool {
        if key == K::default() {
            return !std::mem::replace(&mut self.has_zero, true);
        }
        if (self.taken + 1) * 4 > self.slots.len() * 3 {
            self.grow(self.taken + 1);
        }
        self.insert_with_room(key)
    }

    /// The slot that a key takes unless others have it.
    #[inline]
    fn home(&self, key: K) -> usize {
        // There are a power of two of them, and more than one.
        (key.place() >> (u64::BITS - self.slots.len().trailing_zeros())) as usize
    }

    #[inline]
    fn insert_with_room(&mut self, key: K) -> bool {
        let mask = self.slots.len() - 1;
        let mut at = self.home(key);
        loop {
            let slot = &mut self.slots[at];
            if *slot == key {
                return false;
            }
            if *slot == K::default() {
                *slot = key;
                self.taken += 1;
                return true;
            }
            at = (at + 1) & mask;
        }
    }

    /// How many of the keys were not there before.
    pub fn insert_all(&mut self, keys: &[K]) -> usize {
        let before = self.len();
        // Room is made for a run of keys at a time: for all of them it might be far too much, as many may be there.
        for run in keys.chunks(SLOTS_MIN.max(self.slots.len() / 8)) {
            let needed = self.taken + run.len();
            if needed * 4 > self.slots.len() * 3 {
                self.grow(needed.min(self.taken * 2 + SLOTS_MIN));
            }
            for (at, &key) in run.iter().enumerate() {
                if let Some(later) = run.get(at + AHEAD) {
                    self.send_for(*later);
                }
                self.insert(key);
            }
        }
        self.len() - before
    }

    /// Has the slot of a key brought into the cache.
    #[inline]
    pub fn send_for(&self, key: K) {
        prefetch::at(&self.slots, self.home(key));
    }

    /// Makes room for so many keys in all.
    pub fn reserve(&mut self, keys: usize) {
        if slots_for(keys) > self.slots.len() {
            self.grow(keys);
        }
    }

    fn slots_to_grow(&self, keys: usize) -> usize {
        slots_for(keys).max(self.slots.len() * 2)
    }

    #[cold]
    fn grow(&mut self, keys: usize) {
        let slots = self.slots_to_grow(keys);
        let old = std::mem::replace(&mut self.slots, vec![K::default(); slots]);
        self.taken = 0;
        // In the order of the old slots keys come to the new ones nearly in order: nothing has to be sent for.
        for key in old {
            if key != K::default() {
                self.insert_with_room(key);
            }
        }
    }

    /// The ranks of all keys, ascending.
    pub fn ranks(&self) -> Vec<K> {
        let mut ranks = Vec::with_capacity(self.len());
        ranks.extend(self.has_zero.then(|| K::default().rank()));
        // A run of taken slots has its keys in any order, and none that belongs before or behind it; only the run at the end goes on
        // at the beginning.
        let wrapped = self.slots.iter().take_while(|key| **key != K::default()).count();
        let is_last = |(at, key): (usize, &K)| (self.home(*key) > at).then_some(key.rank());
        let last: Vec<K> = self.slots[..wrapped].iter().enumerate().filter_map(is_last).collect();
        let mut run = ranks.len();
        for (at, key) in self.slots.iter().enumerate() {
            if *key == K::default() {
                ranks[run..].sort_unstable();
                run = ranks.len();
            } else if at >= wrapped || self.home(*key) <= at {
                ranks.push(key.rank());
            }
        }
        ranks.extend(last);
        ranks[run..].sort_unstable();
        ranks
    }

    /// The longest run of taken slots: what is looked through for a key at its beginning.
    #[cfg(test)]
    pub fn longest_run(&self) -> usize {
        self.slots.split(|slot| *slot == K::default()).map(<[K]>::len).max().unwrap_or(0)
    }
}

fn slots_for(keys: usize) -> usize {
    (keys * 4 / 3 + 1).next_power_of_two().max(SLOTS_MIN)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn keys_of_other_tables_do_not_pile_up_where_there_is_room_for_them() {
        for keys in [40_000, 50_000, 60_000, 70_000] {
            let table = |from: u64| {
                let mut table = KeyTable::with_capacity(0);
                table.insert_all(&(from..from + keys).collect::<Vec<_>>());
                table
            };
            let (mut all, more) = (table(1), table(1_000_000));
            all.reserve(all.len() + more.len());
            let more: Vec<u64> = more.ranks().into_iter().map(Key::of_rank).collect();
            for some in more.chunks(1000) {
                all.insert_all(some);
                assert!(all.longest_run() < 500, "{} of {} slots, {}", all.len(), all.slots.len(), all.longest_run());
            }
        }
    }

    proptest! {
        #[test]
        fn it_holds_what_a_set_holds(
            runs in prop::collection::vec(prop::collection::vec(0..3000_u64, 0..700), 1..6),
            one_by_one in any::<bool>(),
            reserved in 0..5000_usize,
        ) {
            let (mut table, mut set) = (KeyTable::with_capacity(0), BTreeSet::new());
            for run in &runs {
                let new = run.iter().filter(|key| set.insert(**key)).count();
                let added = match one_by_one {
                    true => run.iter().filter(|key| table.insert(**key)).count(),
                    false => table.insert_all(run),
                };
                prop_assert_eq!(added, new);
                prop_assert_eq!(table.len(), set.len());
                table.reserve(reserved);
            }
            let ranks = table.ranks();
            prop_assert!(ranks.is_sorted());
            prop_assert_eq!(ranks.into_iter().map(Key::of_rank).collect::<BTreeSet<u64>>(), set);
        }
    }
}
