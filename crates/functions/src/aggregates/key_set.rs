//! A set of keys that is small most of the time: a list while there are few of them, then a hash table.

use gristmill_base::prefetch;

use super::key_table::KeyTable;
use super::sets::Key;

/// Below this a list is searched, above it a table.
pub const FEW: usize = 16;

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

    /// In the order of their ranks where there are many.
    pub fn keys(&self) -> Vec<K> {
        match self {
            Set::Few(keys) => keys.clone(),
            Set::Many(table) => table.ranks().into_iter().map(K::of_rank).collect(),
        }
    }

    pub fn bytes(&self) -> usize {
        match self {
            Set::Few(keys) => keys.capacity() * size_of::<K>(),
            Set::Many(keys) => keys.bytes(),
        }
    }

    #[inline]
    pub fn send_for(&self, key: K) {
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
    pub fn insert_all(&mut self, keys: &[K]) -> usize {
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
    pub fn reserve(&mut self, keys: usize) {
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
