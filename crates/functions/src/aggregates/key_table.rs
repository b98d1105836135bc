//! A set of keys that are their own hash or have a cheap one: open addressing with linear probing, the zero key apart.
//!
//! Against `hashbrown::HashTable`, which it replaces for `uniqExact`: many keys are inserted at a time, and the slot of a
//! key is sent for while those before it are looked up, so a set that is larger than the cache does not wait for memory with
//! every key. Slots hold nothing but keys, at most three of four are taken.
//!
//! Keys of one table come in the order of its slots, which is nearly that of another's: before they are inserted there, it
//! needs room for all of them ([`KeyTable::reserve`]).

use super::sets::Key;

/// Keys between the one that is looked up and the one whose slot is sent for.
const AHEAD: usize = 16;
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

    #[inline]
    fn insert_with_room(&mut self, key: K) -> bool {
        let mask = self.slots.len() - 1;
        let mut at = key.hash() as usize & mask;
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

    #[inline]
    fn send_for(&self, key: K) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let slot = &raw const self.slots[key.hash() as usize & (self.slots.len() - 1)];
            // SAFETY: a prefetch reads nothing that the program sees; the address is that of a slot.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(slot.cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }

    /// Makes room for so many keys in all.
    pub fn reserve(&mut self, keys: usize) {
        if slots_for(keys) > self.slots.len() {
            self.grow(keys);
        }
    }

    #[cold]
    fn grow(&mut self, keys: usize) {
        let slots = slots_for(keys).max(self.slots.len() * 2);
        let old = std::mem::replace(&mut self.slots, vec![K::default(); slots]);
        self.taken = 0;
        // In the order of the old slots keys come to the new ones nearly in order: nothing has to be sent for.
        for key in old {
            if key != K::default() {
                self.insert_with_room(key);
            }
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = K> + '_ {
        let zero = self.has_zero.then(K::default);
        zero.into_iter().chain(self.slots.iter().copied().filter(|key| *key != K::default()))
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

    /// The longest run of taken slots: what is looked through for a key at its beginning.
    fn longest_run(table: &KeyTable<u64>) -> usize {
        table.slots.split(|slot| *slot == 0).map(<[u64]>::len).max().unwrap_or(0)
    }

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
            for some in more.iter().collect::<Vec<_>>().chunks(1000) {
                all.insert_all(some);
                assert!(longest_run(&all) < 500, "{} of {} slots, {}", all.len(), all.slots.len(), longest_run(&all));
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
            prop_assert_eq!(table.iter().collect::<BTreeSet<u64>>(), set);
        }
    }
}
