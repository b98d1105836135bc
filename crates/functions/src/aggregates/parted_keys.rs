//! A set of very many keys, in 256 tables by the first bits of their hashes.
//!
//! A table that is larger than the cache misses it with every key, and growing it copies all of it. Keys wait here, part by
//! part, until a part has enough of them to be worth fetching its table, which fits the second level of the cache up to
//! some ten million keys (radix partitioning: S. Manegold, P. Boncz, M. Kersten, "Optimizing Main-Memory Join on Modern
//! Hardware", TKDE 2002). States that are merged come part by part already, and each run of them stays in one table.

use super::key_table::KeyTable;
use super::sets::Key;

const PARTS: usize = 256;
/// Keys that wait for their table, of each part.
const WAITING: usize = 256;

pub struct PartedKeys<K> {
    tables: Vec<KeyTable<K>>,
    /// WAITING of them for each part.
    waiting: Vec<K>,
    waiting_of: [u32; PARTS],
    /// In the tables.
    len: usize,
}

impl<K: Key> PartedKeys<K> {
    /// Keys that what waits takes the place of, at most, in memory.
    pub const OVERHEAD: usize = PARTS * WAITING;

    pub fn new() -> Self {
        PartedKeys {
            tables: (0..PARTS).map(|_| KeyTable::with_capacity(0)).collect(),
            waiting: vec![K::default(); PARTS * WAITING],
            waiting_of: [0; PARTS],
            len: 0,
        }
    }

    /// How many keys the tables have more since: those that wait are counted when they come into a table.
    pub fn insert_all(&mut self, keys: impl IntoIterator<Item = K>) -> usize {
        let before = self.len;
        for key in keys {
            let part = (key.hash() >> 56) as usize;
            let waiting = self.waiting_of[part] as usize;
            self.waiting[part * WAITING + waiting] = key;
            self.waiting_of[part] = waiting as u32 + 1;
            if waiting + 1 == WAITING {
                self.settle_part(part);
            }
        }
        self.len - before
    }

    fn settle_part(&mut self, part: usize) {
        let waiting = std::mem::take(&mut self.waiting_of[part]) as usize;
        let from = part * WAITING;
        self.len += self.tables[part].insert_all(&self.waiting[from..from + waiting]);
    }

    /// How many keys the tables have, with all that waited.
    pub fn settle(&mut self) -> usize {
        (0..PARTS).for_each(|part| self.settle_part(part));
        self.len
    }

    /// Those in the tables.
    pub fn iter(&self) -> impl Iterator<Item = K> + '_ {
        self.tables.iter().flat_map(KeyTable::iter)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_holds_what_a_set_holds(
            runs in prop::collection::vec((0..200_000_u64, 0..40_000_u64), 1..6),
            settled in any::<bool>(),
        ) {
            let (mut parted, mut set, mut added) = (PartedKeys::new(), BTreeSet::new(), 0);
            for (from, keys) in runs {
                set.extend(from..from + keys);
                added += parted.insert_all(from..from + keys);
                if settled {
                    prop_assert_eq!(parted.settle(), set.len());
                }
            }
            prop_assert!(added <= set.len());
            prop_assert_eq!(parted.settle(), set.len());
            prop_assert_eq!(parted.iter().collect::<BTreeSet<u64>>(), set);
        }
    }
}
