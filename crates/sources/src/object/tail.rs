//! Bytes of a file that came along with its footer. What a scan wants of them is not asked for again: ranges within them are
//! cut out, and of a range that reaches into them only the rest is fetched.

use std::ops::Range;

use bytes::{Bytes, BytesMut};

/// The end of a file, or those pieces of it that are still of use.
#[derive(Clone, Debug)]
pub struct Tail {
    /// Where the end that was read begins.
    start: u64,
    /// Offset and bytes of each piece, ascending and apart from one another.
    pieces: Vec<(u64, Bytes)>,
}

impl Tail {
    /// All of it. `start`: where in the file the bytes lie, which reach to its end.
    pub fn new(start: u64, bytes: Bytes) -> Self {
        Tail { start, pieces: vec![(start, bytes)] }
    }

    pub fn pieces(&self) -> impl Iterator<Item = (Range<u64>, Bytes)> + '_ {
        self.pieces.iter().map(|(start, bytes)| (*start..*start + bytes.len() as u64, bytes.clone()))
    }

    /// What lies in these ranges, copied: the bytes around it are let go. `None`: nothing does.
    pub fn narrowed(&self, wanted: &[Range<u64>]) -> Option<Tail> {
        let mut wanted: Vec<Range<u64>> = wanted.to_vec();
        wanted.sort_unstable_by_key(|range| range.start);
        let mut pieces: Vec<(u64, Bytes)> = Vec::new();
        for range in wanted {
            let end_of_last = pieces.last().map_or(self.start, |(start, bytes)| start + bytes.len() as u64);
            let range = range.start.max(end_of_last)..range.end;
            if let Some(bytes) = self.within(&range) {
                pieces.push((range.start, Bytes::copy_from_slice(&bytes)));
            }
        }
        (!pieces.is_empty()).then_some(Tail { start: self.start, pieces })
    }

    /// How much of a range is at hand: where that part begins, and its bytes, which reach to the range's end.
    fn end_of(&self, range: &Range<u64>) -> Option<(u64, Bytes)> {
        let from = range.start.max(self.start);
        Some((from, self.within(&(from..range.end))?))
    }

    fn within(&self, range: &Range<u64>) -> Option<Bytes> {
        if range.start >= range.end {
            return None;
        }
        let (start, bytes) = self.pieces.iter().rev().find(|(start, _)| *start <= range.start)?;
        let (from, to) = ((range.start - start) as usize, usize::try_from(range.end - start).ok()?);
        (to <= bytes.len()).then(|| bytes.slice(from..to))
    }
}

/// What to fetch of each range: all of it, what lies before the tail, or nothing.
pub fn missing(tail: Option<&Tail>, ranges: &[Range<u64>]) -> Vec<Range<u64>> {
    let missing = ranges.iter().map(|range| match tail.and_then(|tail| tail.end_of(range)) {
        Some((from, _)) => range.start..from,
        None => range.clone(),
    });
    missing.filter(|range| range.start < range.end).collect()
}

/// Puts ranges together of what was at hand and what was fetched, in the order that `missing` gave. `None`: too few came.
pub fn joined(tail: Option<&Tail>, ranges: &[Range<u64>], fetched: Vec<Bytes>) -> Option<Vec<Bytes>> {
    let mut fetched = fetched.into_iter();
    let join = |range: &Range<u64>| match tail.and_then(|tail| tail.end_of(range)) {
        Some((from, end)) if from == range.start => Some(end),
        Some((_, end)) => {
            let begin = fetched.next()?;
            let mut whole = BytesMut::with_capacity(begin.len() + end.len());
            whole.extend_from_slice(&begin);
            whole.extend_from_slice(&end);
            Some(whole.freeze())
        }
        None if range.start >= range.end => Some(Bytes::new()),
        None => fetched.next(),
    };
    ranges.iter().map(join).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_range_comes_whole_whatever_was_at_hand(
            start in 0u64..100,
            kept in prop::collection::vec((0u64..100, 0u64..30), 0..5),
            narrow in any::<bool>(),
            wanted in prop::collection::vec((0u64..100, 0u64..30), 0..8),
        ) {
            let file: Vec<u8> = (0..130).collect();
            let ranges = |of: Vec<(u64, u64)>| of.into_iter().map(|(from, bytes)| from..from + bytes).collect::<Vec<_>>();
            let (kept, wanted) = (ranges(kept), ranges(wanted));
            let tail = Tail::new(start, Bytes::copy_from_slice(&file[start as usize..]));
            let tail = if narrow { tail.narrowed(&kept) } else { Some(tail) };
            let missing = missing(tail.as_ref(), &wanted);
            if !narrow {
                prop_assert!(missing.iter().all(|range| range.end <= start), "nothing at hand is fetched");
            }
            let cut = |range: &Range<u64>| Bytes::copy_from_slice(&file[range.start as usize..range.end as usize]);
            let got = joined(tail.as_ref(), &wanted, missing.iter().map(cut).collect()).expect("enough came");
            for (range, bytes) in wanted.iter().zip(got) {
                prop_assert_eq!(bytes, cut(range));
            }
        }
    }
}
