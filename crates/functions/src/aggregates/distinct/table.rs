//! A set of words by open addressing with linear probing, the zero word apart, at most half full.
//!
//! A word lies where ClickHouse has it, so that the words of a state come in the same order.

/// Words: hashes of 32 or of 64 bits.
pub trait Word: Copy + Eq + Default + Send + Sync + 'static {
    fn wide(self) -> u64;
}

impl Word for u32 {
    #[inline]
    fn wide(self) -> u64 {
        u64::from(self)
    }
}

impl Word for u64 {
    #[inline]
    fn wide(self) -> u64 {
        self
    }
}

/// The bits of a word above `SHIFT` say where it lies; the first word makes room of 2^`FIRST` slots.
#[derive(Clone)]
pub struct Table<W, const SHIFT: u32, const FIRST: u32> {
    slots: Vec<W>,
    len: usize,
    has_zero: bool,
}

impl<W: Word, const SHIFT: u32, const FIRST: u32> Table<W, SHIFT, FIRST> {
    pub fn new() -> Self {
        Table { slots: Vec::new(), len: 0, has_zero: false }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn bytes(&self) -> usize {
        self.slots.len() * size_of::<W>()
    }

    /// Adds a word, and room where more than half of the slots are taken and there are fewer than `slots_max`.
    #[inline]
    pub fn insert(&mut self, word: W, slots_max: usize) {
        if self.slots.is_empty() {
            self.slots = vec![W::default(); 1 << FIRST];
        }
        if word == W::default() {
            self.len += usize::from(!std::mem::replace(&mut self.has_zero, true));
        } else if !self.place(word) {
            return;
        }
        if self.len * 2 > self.slots.len() && self.slots.len() < slots_max {
            self.grow(self.slots.len() * 2);
        }
    }

    /// Whether the word was not there before. One that is not zero; a slot is free.
    #[inline]
    fn place(&mut self, word: W) -> bool {
        let mask = self.slots.len() - 1;
        let mut at = (word.wide() >> SHIFT) as usize & mask;
        loop {
            let slot = &mut self.slots[at];
            if *slot == word {
                return false;
            }
            if *slot == W::default() {
                *slot = word;
                self.len += 1;
                return true;
            }
            at = (at + 1) & mask;
        }
    }

    /// Makes room for so many words in all. Words of another table come in its order and would pile up without.
    pub fn reserve(&mut self, words: usize, slots_max: usize) {
        let slots = (words * 2).next_power_of_two().clamp(1 << FIRST, slots_max);
        if slots > self.slots.len() {
            self.grow(slots);
        }
    }

    #[cold]
    fn grow(&mut self, slots: usize) {
        let old = std::mem::replace(&mut self.slots, vec![W::default(); slots]);
        self.len = usize::from(self.has_zero);
        old.into_iter().filter(|word| *word != W::default()).for_each(|word| {
            self.place(word);
        });
    }

    /// The zero word first, then the others in the order of their slots.
    pub fn iter(&self) -> impl Iterator<Item = W> + '_ {
        let zero = self.has_zero.then(W::default);
        zero.into_iter().chain(self.slots.iter().copied().filter(|word| *word != W::default()))
    }

    pub fn retain(&mut self, keep: impl Fn(W) -> bool) {
        let slots = self.slots.len();
        self.slots.iter_mut().filter(|slot| !keep(**slot)).for_each(|slot| *slot = W::default());
        self.grow(slots);
    }
}
