//! The rows of a page as places in a dictionary: a byte that says how many bits a place takes, then runs of one place and
//! groups of eight packed ones in turns (Parquet's RLE / bit-packing hybrid).
//!
//! A run is worth its own header from eight places on. Packed groups are whole, so the first places of a run fill up the group
//! before it. (The Parquet crate's encoder decides place by place, which was 5 % of a load of wide rows.)

/// Places of one run at least.
const RUN_MIN: usize = 8;

/// The page under way, with the places that it has: least and greatest string are found among these.
#[derive(Default)]
pub struct Places {
    places: Vec<u32>,
    /// For each place of the dictionary the number of the last page that has it.
    last_page_with: Vec<u32>,
    page: u32,
    /// The places that the page has, each once.
    distinct: Vec<u32>,
}

impl Places {
    pub fn push(&mut self, place: u32) {
        let at = place as usize;
        if at >= self.last_page_with.len() {
            // No page has a number below one.
            self.last_page_with.resize(at + 1, 0);
        }
        if self.last_page_with[at] != self.page + 1 {
            self.last_page_with[at] = self.page + 1;
            self.distinct.push(place);
        }
        self.places.push(place);
    }

    pub fn len(&self) -> usize {
        self.places.len()
    }

    pub fn rows(&self) -> &[u32] {
        &self.places
    }

    pub fn distinct(&self) -> &[u32] {
        &self.distinct
    }

    pub fn clear(&mut self) {
        self.places.clear();
        self.distinct.clear();
        self.page += 1;
    }

    pub fn memory_bytes(&self) -> u64 {
        (size_of::<u32>() * (self.places.capacity() + self.last_page_with.capacity() + self.distinct.capacity())) as u64
    }
}

/// The bytes of a page. `known`: values of the dictionary so far.
pub fn encode(places: &[u32], known: usize, out: &mut Vec<u8>) {
    let width = usize::BITS - known.saturating_sub(1).leading_zeros();
    out.push(width as u8);
    hybrid(places, width as usize, out);
}

fn hybrid(places: &[u32], width: usize, out: &mut Vec<u8>) {
    // What lies between these is to be packed.
    let (mut from, mut at) = (0, 0);
    while at < places.len() {
        let place = places[at];
        let run = places[at..].iter().take_while(|other| **other == place).count();
        let fill = (at - from).wrapping_neg() % 8;
        if run >= fill + RUN_MIN {
            packed(&places[from..at + fill], width, out);
            varint((run - fill) << 1, out);
            out.extend_from_slice(&place.to_le_bytes()[..width.div_ceil(8)]);
            from = at + run;
        }
        at += run;
    }
    packed(&places[from..], width, out);
}

/// Groups of eight; the last one is filled up with zeros.
fn packed(places: &[u32], width: usize, out: &mut Vec<u8>) {
    if places.is_empty() {
        return;
    }
    let groups = places.len().div_ceil(8);
    varint(groups << 1 | 1, out);
    let whole = places.chunks_exact(8);
    let rest = whole.remainder();
    whole.for_each(|group| pack_eight(group, width, out));
    if !rest.is_empty() {
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        pack_eight(&last, width, out);
    }
}

fn pack_eight(group: &[u32], width: usize, out: &mut Vec<u8>) {
    if width <= 8 {
        let word = group.iter().rev().fold(0_u64, |word, place| word << width | u64::from(*place));
        out.extend_from_slice(&word.to_le_bytes()[..width]);
    } else if width <= 16 {
        let word = group.iter().rev().fold(0_u128, |word, place| word << width | u128::from(*place));
        out.extend_from_slice(&word.to_le_bytes()[..width]);
    } else {
        let (mut word, mut bits) = (0_u64, 0);
        for place in group {
            word |= u64::from(*place) << bits;
            bits += width;
            while bits >= 8 {
                out.push(word as u8);
                word >>= 8;
                bits -= 8;
            }
        }
    }
}

fn varint(mut value: usize, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(places: &[u32], known: usize) -> Vec<u8> {
        let mut out = Vec::new();
        encode(places, known, &mut out);
        out
    }

    #[test]
    fn places_are_packed_as_parquet_says() {
        // The example of the specification: 0 to 7 in three bits.
        assert_eq!(bytes(&[0, 1, 2, 3, 4, 5, 6, 7], 8), [3, 0b11, 0b1000_1000, 0b1100_0110, 0b1111_1010]);
        assert_eq!(bytes(&[5; 100], 8), [3, 200, 1, 5]);
        assert_eq!(bytes(&[0; 3], 1), [0, 0b11]);
    }

    #[test]
    fn a_run_fills_up_the_group_before_it() {
        // Two places, six of the run of twenty beside them, then a run of fourteen.
        let places: Vec<u32> = [1, 2].into_iter().chain([3; 20]).collect();
        assert_eq!(bytes(&places, 4), [2, 0b11, 0b1111_1001, 0b1111_1111, 14 << 1, 3]);
    }

    #[test]
    fn each_page_has_distinct_places_of_its_own() {
        let mut page = Places::default();
        [4, 1, 4].into_iter().for_each(|place| page.push(place));
        assert_eq!(page.distinct(), [4, 1]);
        page.clear();
        page.push(4);
        assert_eq!((page.distinct(), page.len()), (&[4][..], 1));
    }
}
