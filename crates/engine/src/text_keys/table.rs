//! A hash table that numbers the texts it is given: equal texts have one number, new ones the next.
//!
//! A table of millions of texts misses the cache up to three times a row: at the slot, at what is known of the group there, and at
//! the bytes that are compared. Rows of a batch are looked up as in a pipeline: while one is compared, the bytes for a row behind it are
//! sent for, the group for one behind that, and the slot for a row further on, so the misses of many rows overlap (S. Chen et al.,
//! "Improving Hash Join Performance through Prefetching", ICDE 2004). DataFusion's map of texts, which it stands for, waits for each.
//!
//! A slot is eight bytes: a part of the hash and the number of the group. Groups are Arrow's views, whose bytes lie in blocks
//! that never move: with them an array is made without a copy. Open addressing with linear probing, at most five of eight slots are
//! taken.

use arrow::array::{Array, BinaryViewArray, NullBufferBuilder};
use arrow::buffer::{Buffer, ScalarBuffer};
use gristmill_base::prefetch;

/// Rows between the stages of the pipeline.
const AHEAD: usize = 8;
const SLOTS_MIN: usize = 1 << 10;
const BLOCK_FIRST: usize = 16 << 10;
const BLOCK_MOST: usize = 2 << 20;
/// Texts of so many bytes lie in their view.
const INLINE: u32 = 12;

/// The part of the hash that slots are chosen by begins here: the lowest bits say to which stream a group belongs, and are all
/// alike in a table of one stream.
const SLOT_SHIFT: u32 = 6;

#[derive(Clone, Copy, Default)]
struct Slot {
    /// The upper half of the hash.
    tag: u32,
    /// The number of the group and one; 0: nobody's.
    group: u32,
}

#[derive(Default)]
pub struct TextTable {
    /// A power of two of them.
    slots: Vec<Slot>,
    /// By group.
    hashes: Vec<u64>,
    views: Vec<u128>,
    null_group: Option<u32>,
    blocks: Vec<Vec<u8>>,
    blocks_bytes: usize,
}

impl TextTable {
    pub fn len(&self) -> usize {
        self.views.len()
    }

    /// Whether more rows might not find a number.
    pub fn is_full(&self) -> bool {
        self.views.len() > u32::MAX as usize / 2
    }

    pub fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>()
            + self.hashes.capacity() * size_of::<u64>()
            + self.views.capacity() * size_of::<u128>()
            + self.blocks_bytes
    }

    /// The group of each row, in `groups`. `hashes`: of the rows, the same function for all that is ever given.
    pub fn number(&mut self, texts: &BinaryViewArray, hashes: &[u64], groups: &mut Vec<usize>) {
        groups.clear();
        groups.reserve(texts.len());
        let buffers = texts.data_buffers();
        let views = texts.views();
        // Room for a run of rows at a time: for all of them it might be far too much, as many may be there.
        let mut start = 0;
        while start < texts.len() {
            let run = SLOTS_MIN.max(self.slots.len() / 8).min(texts.len() - start);
            self.make_room(run);
            for row in start..start + run {
                if let Some(hash) = hashes.get(row + 3 * AHEAD) {
                    self.send_for_slot(*hash);
                }
                if let Some(hash) = hashes.get(row + 2 * AHEAD) {
                    self.send_for_view(*hash);
                }
                if let Some(hash) = hashes.get(row + AHEAD) {
                    self.send_for_bytes(*hash);
                    // Those of rows lie one after the other; those of another table's groups anywhere.
                    let view = views[row + AHEAD];
                    if view as u32 > INLINE {
                        let (_, buffer, offset) = parts_of(view);
                        prefetch::at(&buffers[buffer], offset);
                    }
                }
                let group = match texts.is_null(row) {
                    true => self.group_of_null(),
                    false => self.group_of(views[row], buffers, hashes[row]),
                };
                groups.push(group as usize);
            }
            start += run;
        }
    }

    /// At most so many texts more are going to be numbered without another call.
    fn make_room(&mut self, more: usize) {
        let needed = (self.views.len() + more) * 8 / 5 + 1;
        if needed > self.slots.len() {
            self.grow(needed.next_power_of_two().max(SLOTS_MIN));
        }
    }

    #[cold]
    fn grow(&mut self, slots: usize) {
        // The old slots are freed first: the hashes are enough.
        self.slots = Vec::new();
        self.slots = vec![Slot::default(); slots];
        let mask = slots - 1;
        for (group, &hash) in self.hashes.iter().enumerate() {
            if let Some(later) = self.hashes.get(group + 2 * AHEAD) {
                prefetch::at(&self.slots, slot_of(*later, mask));
            }
            if self.null_group == Some(group as u32) {
                continue;
            }
            let mut at = slot_of(hash, mask);
            while self.slots[at].group != 0 {
                at = (at + 1) & mask;
            }
            self.slots[at] = Slot { tag: tag_of(hash), group: group as u32 + 1 };
        }
    }

    #[inline]
    fn group_of(&mut self, view: u128, buffers: &[Buffer], hash: u64) -> u32 {
        let (tag, mask) = (tag_of(hash), self.slots.len() - 1);
        let mut at = slot_of(hash, mask);
        loop {
            let slot = self.slots[at];
            if slot.group == 0 {
                self.slots[at] = Slot { tag, group: self.views.len() as u32 + 1 };
                return self.add(view, buffers, hash);
            }
            if slot.tag == tag && self.is_equal(slot.group - 1, view, buffers) {
                return slot.group - 1;
            }
            at = (at + 1) & mask;
        }
    }

    #[inline]
    fn is_equal(&self, group: u32, view: u128, buffers: &[Buffer]) -> bool {
        let own = self.views[group as usize];
        if view as u32 <= INLINE {
            return own == view;
        }
        // The length and the first four bytes, then all.
        own as u64 == view as u64 && self.text(own) == text_of(view, buffers)
    }

    /// The bytes of a view of the table's whose text does not lie in it.
    #[inline]
    fn text(&self, view: u128) -> &[u8] {
        let (length, block, offset) = parts_of(view);
        &self.blocks[block][offset..offset + length]
    }

    fn group_of_null(&mut self) -> u32 {
        if let Some(group) = self.null_group {
            return group;
        }
        let group = self.add(0, &[], 0);
        self.null_group = Some(group);
        group
    }

    fn add(&mut self, view: u128, buffers: &[Buffer], hash: u64) -> u32 {
        let view = if view as u32 <= INLINE { view } else { self.kept(view, buffers) };
        self.hashes.push(hash);
        self.views.push(view);
        self.views.len() as u32 - 1
    }

    /// A view of a copy of the text.
    fn kept(&mut self, view: u128, buffers: &[Buffer]) -> u128 {
        let text = text_of(view, buffers);
        if self.blocks.last().is_none_or(|block| block.capacity() - block.len() < text.len()) {
            let bytes = (BLOCK_FIRST << self.blocks.len().min(16)).min(BLOCK_MOST).max(text.len());
            self.blocks.push(Vec::with_capacity(bytes));
            self.blocks_bytes += bytes;
        }
        let number = self.blocks.len() - 1;
        let block = &mut self.blocks[number];
        let offset = block.len();
        block.extend_from_slice(text);
        (view as u64) as u128 | (number as u128) << 64 | (offset as u128) << 96
    }

    #[inline]
    fn send_for_slot(&self, hash: u64) {
        prefetch::at(&self.slots, slot_of(hash, self.slots.len() - 1));
    }

    #[inline]
    fn send_for_view(&self, hash: u64) {
        let slot = self.slots[slot_of(hash, self.slots.len() - 1)];
        if slot.tag == tag_of(hash) && slot.group != 0 {
            prefetch::at(&self.views, slot.group as usize - 1);
        }
    }

    #[inline]
    fn send_for_bytes(&self, hash: u64) {
        let slot = self.slots[slot_of(hash, self.slots.len() - 1)];
        if slot.tag == tag_of(hash) && slot.group != 0 {
            let view = self.views[slot.group as usize - 1];
            if view as u32 > INLINE {
                let (_, block, offset) = parts_of(view);
                prefetch::at(&self.blocks[block], offset);
            }
        }
    }

    /// The texts by group, and what they lie in; the table is empty afterwards.
    pub fn take(&mut self) -> Texts {
        let table = std::mem::take(self);
        let buffers = table.blocks.into_iter().map(Buffer::from_vec).collect();
        Texts { views: table.views, null_group: table.null_group, hashes: table.hashes, buffers }
    }
}

/// Numbered texts that no more are added to.
pub struct Texts {
    views: Vec<u128>,
    null_group: Option<u32>,
    hashes: Vec<u64>,
    buffers: Vec<Buffer>,
}

impl Texts {
    pub fn len(&self) -> usize {
        self.views.len()
    }

    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// All of them, by group.
    pub fn into_array(self) -> BinaryViewArray {
        let nulls = self.null_group.map(|null| {
            let mut nulls = NullBufferBuilder::new(self.views.len());
            nulls.append_n_non_nulls(null as usize);
            nulls.append_null();
            nulls.append_n_non_nulls(self.views.len() - null as usize - 1);
            nulls.finish()
        });
        // SAFETY: the views were made of texts that lie in these buffers.
        unsafe { BinaryViewArray::new_unchecked(self.views.into(), self.buffers, nulls.flatten()) }
    }

    /// Those of some groups, in the same buffers.
    pub fn of(&self, groups: &[u32]) -> BinaryViewArray {
        let views: ScalarBuffer<u128> = groups.iter().map(|group| self.views[*group as usize]).collect();
        let nulls = self.null_group.filter(|null| groups.contains(null)).and_then(|null| {
            let mut nulls = NullBufferBuilder::new(groups.len());
            groups.iter().for_each(|group| nulls.append(*group != null));
            nulls.finish()
        });
        // SAFETY: the views were made of texts that lie in these buffers.
        unsafe { BinaryViewArray::new_unchecked(views, self.buffers.clone(), nulls) }
    }
}

#[inline]
fn tag_of(hash: u64) -> u32 {
    (hash >> 32) as u32
}

#[inline]
fn slot_of(hash: u64, mask: usize) -> usize {
    (hash >> SLOT_SHIFT) as usize & mask
}

/// Length, buffer and offset of a view whose text does not lie in it.
#[inline]
fn parts_of(view: u128) -> (usize, usize, usize) {
    (view as u32 as usize, (view >> 64) as u32 as usize, (view >> 96) as u32 as usize)
}

#[inline]
fn text_of(view: u128, buffers: &[Buffer]) -> &[u8] {
    let (length, buffer, offset) = parts_of(view);
    &buffers[buffer][offset..offset + length]
}
