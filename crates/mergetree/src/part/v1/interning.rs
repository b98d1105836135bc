//! The values of a dictionary while it grows, and the place of each.
//!
//! Most values are found without their hash or their bytes: the value before is often the same one, and a small table that maps
//! directly, by some bits of the value (of a string: of its view), has most of the others. A view names its bytes by their
//! address, so that equal strings of one dictionary of the source have equal views; what is found by a long view holds for
//! one array only. Behind it stands a table of hashes. (The Parquet crate hashes and compares every value, which was a sixth of
//! a load of wide rows.)

use std::hash::Hash;

use hashbrown::HashTable;
use xxhash_rust::xxh3::xxh3_64;

/// Entries of the table that maps directly.
const DIRECT: usize = 512;
/// So many values were looked up by their hashes before the table is made: a part of a few rows has a thousand such columns.
const LOOKED_UP_BEFORE: u32 = 64;

/// Mixes the bits of a value down to an entry.
fn entry(bits: u64) -> usize {
    (bits.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - DIRECT.trailing_zeros())) as usize
}

fn entry_of_view(view: u128) -> usize {
    entry(view as u64 ^ (view >> 64) as u64)
}

/// Maps keys to places, forgetting most of them.
struct Direct<K> {
    /// Empty until it pays.
    entries: Box<[Option<(K, u32)>]>,
    looked_up: u32,
}

impl<K: Copy + PartialEq> Direct<K> {
    fn new() -> Self {
        Direct { entries: Box::default(), looked_up: 0 }
    }

    fn get(&self, at: usize, key: K) -> Option<u32> {
        let (known, place) = (*self.entries.get(at)?)?;
        (known == key).then_some(place)
    }

    /// What was looked up by its hash.
    fn put(&mut self, at: usize, key: K, place: u32) {
        if self.entries.is_empty() {
            self.looked_up += 1;
            if self.looked_up < LOOKED_UP_BEFORE {
                return;
            }
            self.entries = vec![None; DIRECT].into();
        }
        self.entries[at] = Some((key, place));
    }

    fn memory_bytes(&self) -> u64 {
        size_of_val(&*self.entries) as u64
    }
}

pub struct Strings {
    /// The dictionary's page: each value after its length.
    plain: Vec<u8>,
    /// Where values begin in it.
    starts: Vec<u32>,
    table: HashTable<u32>,
    direct: Direct<u128>,
}

impl Strings {
    pub fn new() -> Strings {
        Strings { plain: Vec::new(), starts: Vec::new(), table: HashTable::new(), direct: Direct::new() }
    }

    /// Views of another array come: what long ones of the one before stood for is forgotten.
    pub fn begin_array(&mut self) {
        self.direct.entries.fill(None);
    }

    /// The place of a value by its view alone, for most of those that came before in this array.
    pub fn known(&self, view: u128) -> Option<u32> {
        self.direct.get(entry_of_view(view), view)
    }

    /// The place of a value. `None`: it is new, and with it the dictionary's page would be larger than `bytes_max`.
    pub fn place(&mut self, view: u128, value: &[u8], bytes_max: usize) -> Option<u32> {
        let hash = xxh3_64(value);
        let found = self.table.find(hash, |place| self.value(*place) == value).copied();
        let place = match found {
            Some(place) => place,
            None => {
                let start = self.plain.len();
                if start + size_of::<u32>() + value.len() > bytes_max {
                    return None;
                }
                let place = self.starts.len() as u32;
                self.starts.push(start as u32);
                self.plain.extend_from_slice(&(value.len() as u32).to_le_bytes());
                self.plain.extend_from_slice(value);
                let Strings { table, plain, starts, .. } = self;
                table.insert_unique(hash, place, |place| xxh3_64(value_at(plain, starts, *place)));
                place
            }
        };
        self.direct.put(entry_of_view(view), view, place);
        Some(place)
    }

    pub fn value(&self, place: u32) -> &[u8] {
        value_at(&self.plain, &self.starts, place)
    }

    pub fn len(&self) -> usize {
        self.starts.len()
    }

    pub fn plain(&self) -> &[u8] {
        &self.plain
    }

    pub fn memory_bytes(&self) -> u64 {
        (self.plain.capacity() + size_of::<u32>() * (self.starts.capacity() + self.table.capacity())) as u64
            + self.direct.memory_bytes()
    }
}

fn value_at<'a>(plain: &'a [u8], starts: &[u32], place: u32) -> &'a [u8] {
    let begin = starts[place as usize] as usize + size_of::<u32>();
    let end = starts.get(place as usize + 1).map_or(plain.len(), |next| *next as usize);
    &plain[begin..end]
}

pub struct Numbers<W> {
    values: Vec<W>,
    table: HashTable<u32>,
    direct: Direct<W>,
}

impl<W: Copy + Eq + Hash + Into<i64>> Numbers<W> {
    pub fn new() -> Numbers<W> {
        Numbers { values: Vec::new(), table: HashTable::new(), direct: Direct::new() }
    }

    /// The place of a value. `None`: it is new, and the dictionary has `most` values.
    pub fn place(&mut self, value: W, most: usize) -> Option<u32> {
        let hash = |value: W| xxh3_64(&value.into().to_le_bytes());
        let at = entry(value.into() as u64);
        if let Some(place) = self.direct.get(at, value) {
            return Some(place);
        }
        let Numbers { values, table, direct } = self;
        let hashed = hash(value);
        let place = match table.find(hashed, |place| values[*place as usize] == value) {
            Some(place) => *place,
            None if values.len() >= most => return None,
            None => {
                let place = values.len() as u32;
                values.push(value);
                table.insert_unique(hashed, place, |place| hash(values[*place as usize]));
                place
            }
        };
        direct.put(at, value, place);
        Some(place)
    }

    pub fn values(&self) -> &[W] {
        &self.values
    }

    pub fn memory_bytes(&self) -> u64 {
        (self.values.capacity() * size_of::<W>() + size_of::<u32>() * self.table.capacity()) as u64
            + self.direct.memory_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_strings_have_one_place_wherever_they_lie() {
        let mut strings = Strings::new();
        assert_eq!(strings.known(1), None);
        for _ in 0..LOOKED_UP_BEFORE {
            assert_eq!(strings.place(1, b"one", 100), Some(0));
        }
        assert_eq!(strings.known(1), Some(0));
        assert_eq!(strings.place(2, b"two", 100), Some(1));
        // Another view of the same text, and the same view in another array.
        assert_eq!(strings.place(3, b"one", 100), Some(0));
        strings.begin_array();
        assert_eq!(strings.known(1), None);
        assert_eq!(strings.place(1, b"two", 100), Some(1));
        assert_eq!((strings.value(0), strings.value(1), strings.plain().len()), (&b"one"[..], &b"two"[..], 14));
        assert_eq!(strings.place(4, b"three", 20), None);
        assert_eq!(strings.len(), 2);
    }

    #[test]
    fn numbers_have_places_until_there_are_too_many() {
        let mut numbers = Numbers::<i64>::new();
        for round in 0..2 {
            for value in 0..1000 {
                assert_eq!(numbers.place(value * 7 - 3, 1000), Some(value as u32), "round {round}");
            }
        }
        assert_eq!(numbers.place(1, 1000), None);
        assert_eq!(numbers.values().len(), 1000);
    }
}
