//! The keys of very many small groups: one hash table of pairs of a group and a key, where a set a group costs an allocation or
//! two and two misses of the cache a row, one after the other.
//!
//! Open addressing with linear probing, at most three of four slots are taken. Many pairs are inserted at a time: the slot of a
//! pair is sent for while those before it are looked up ([`KeyTable`](super::key_table::KeyTable) does so for one group).

use gristmill_base::prefetch;

use super::key_table::AHEAD;
use super::sets::{Key, SALT};

const SLOTS_MIN: usize = 1 << 10;

#[derive(Clone, Copy, Default)]
struct Slot<K> {
    key: K,
    /// The number of the group and one; 0: nobody's.
    group: u32,
}

pub struct PairTable<K> {
    /// A power of two of them.
    slots: Vec<Slot<K>>,
    taken: usize,
    /// Of each group, how many keys it has.
    counts: Vec<u32>,
    /// Of the pairs that are inserted; kept between calls.
    hashes: Vec<u64>,
}

impl<K: Key> PairTable<K> {
    /// Groups above this number have no place in a slot.
    pub const GROUPS_MAX: usize = u32::MAX as usize - 1;

    pub fn with_capacity(pairs: usize) -> Self {
        PairTable { slots: vec![Slot::default(); slots_for(pairs)], taken: 0, counts: Vec::new(), hashes: Vec::new() }
    }

    /// Makes room for so many groups.
    pub fn resize(&mut self, groups: usize) {
        self.counts.resize(groups, 0);
    }

    pub fn bytes(&self) -> usize {
        self.slots.len() * size_of::<Slot<K>>()
            + self.counts.capacity() * size_of::<u32>()
            + self.hashes.capacity() * size_of::<u64>()
    }

    /// How many keys each group has.
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// Inserts key `i` into group `groups[i]`, which there is room for, unless the group has `limit` keys.
    pub fn insert_all(&mut self, keys: &[K], groups: &[usize], limit: usize) {
        let mut hashes = std::mem::take(&mut self.hashes);
        hashes.clear();
        hashes.extend(keys.iter().zip(groups).map(|(key, group)| hash(*key, *group)));
        // Room is made for a run of pairs at a time: for all of them it might be far too much, as many may be there.
        let mut start = 0;
        while start < hashes.len() {
            let run = SLOTS_MIN.max(self.slots.len() / 8).min(hashes.len() - start);
            self.make_room(run);
            let shift = self.shift();
            for row in start..start + run {
                if let Some(later) = hashes.get(row + AHEAD) {
                    prefetch::at(&self.slots, (later >> shift) as usize);
                }
                let group = groups[row];
                if limit == usize::MAX || (self.counts[group] as usize) < limit {
                    self.insert(keys[row], group, (hashes[row] >> shift) as usize);
                }
            }
            start += run;
        }
        self.hashes = hashes;
    }

    #[inline]
    fn insert(&mut self, key: K, group: usize, home: usize) {
        let (mask, of) = (self.slots.len() - 1, group as u32 + 1);
        let mut at = home;
        loop {
            let slot = &mut self.slots[at];
            if slot.group == 0 {
                *slot = Slot { key, group: of };
                self.taken += 1;
                self.counts[group] += 1;
                return;
            }
            if slot.group == of && slot.key == key {
                return;
            }
            at = (at + 1) & mask;
        }
    }

    /// How far a hash is shifted to the number of its slot.
    fn shift(&self) -> u32 {
        u64::BITS - self.slots.len().trailing_zeros()
    }

    fn make_room(&mut self, more: usize) {
        let needed = slots_for(self.taken + more);
        if needed > self.slots.len() {
            self.grow(needed);
        }
    }

    #[cold]
    fn grow(&mut self, slots: usize) {
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); slots]);
        let (shift, mask) = (self.shift(), slots - 1);
        // In the order of the old slots pairs come to the new ones nearly in order: nothing has to be sent for.
        for slot in old.into_iter().filter(|slot| slot.group != 0) {
            let mut at = (hash(slot.key, slot.group as usize - 1) >> shift) as usize;
            while self.slots[at].group != 0 {
                at = (at + 1) & mask;
            }
            self.slots[at] = slot;
        }
    }

    /// The keys of the first groups, one group after the other, and where each begins, and the end.
    pub fn by_group(&self, groups: usize) -> (Vec<K>, Vec<usize>) {
        let mut starts = Vec::with_capacity(groups + 1);
        let mut end = 0;
        starts.push(0);
        for count in &self.counts[..groups] {
            end += *count as usize;
            starts.push(end);
        }
        let mut keys = vec![K::default(); end];
        let mut next = starts.clone();
        for slot in self.slots.iter().filter(|slot| (1..=groups).contains(&(slot.group as usize))) {
            let next = &mut next[slot.group as usize - 1];
            keys[*next] = slot.key;
            *next += 1;
        }
        (keys, starts)
    }

    /// Forgets the first groups; the others move down.
    pub fn drop_first(&mut self, groups: usize) {
        let (keys, starts) = self.by_group(self.counts.len());
        let mut rest = PairTable::with_capacity(keys.len() - starts[groups]);
        rest.resize(self.counts.len() - groups);
        let left = starts[groups..].windows(2).enumerate();
        let numbers: Vec<usize> = left.flat_map(|(group, pair)| std::iter::repeat_n(group, pair[1] - pair[0])).collect();
        rest.insert_all(&keys[starts[groups]..], &numbers, usize::MAX);
        *self = rest;
    }
}

#[inline]
fn hash<K: Key>(key: K, group: usize) -> u64 {
    // Both have their entropy in the highest bits, by which slots are chosen.
    key.place() ^ (group as u64).wrapping_mul(SALT)
}

fn slots_for(pairs: usize) -> usize {
    (pairs * 4 / 3 + 1).next_power_of_two().max(SLOTS_MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_group_has_its_own_keys() {
        let mut table = PairTable::<u64>::with_capacity(0);
        table.resize(5000);
        let groups: Vec<usize> = (0..100_000).map(|row| row * 7 % 5000).collect();
        let keys: Vec<u64> = (0..100_000).map(|row| row % 11).collect();
        table.insert_all(&keys, &groups, usize::MAX);
        let pairs: std::collections::BTreeSet<_> = groups.iter().copied().zip(keys).collect();
        let (keys, starts) = table.by_group(5000);
        let found = |group: usize| keys[starts[group]..starts[group + 1]].iter().map(move |key| (group, *key));
        assert_eq!((0..5000).flat_map(found).collect::<std::collections::BTreeSet<_>>(), pairs);
        assert_eq!(keys.len(), pairs.len());
        table.drop_first(4000);
        let left = pairs.range((4000, 0)..);
        assert_eq!(table.by_group(1000).0.len(), left.count());
        assert_eq!(table.counts()[3] as usize, pairs.range((4003, 0)..(4004, 0)).count());
    }

    #[test]
    fn no_group_gets_more_keys_than_its_limit() {
        let mut table = PairTable::<u128>::with_capacity(0);
        table.resize(2);
        table.insert_all(&[1, 2, 3, 1, 0], &[0, 0, 0, 1, 1], 2);
        assert_eq!(table.counts(), [2, 2]);
    }
}
