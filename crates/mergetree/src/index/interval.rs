//! Sets of key values as intervals of normalised bytes (see `order`), and the question whether a range of keys meets
//! them.
//!
//! Every interval is half open, `[low, high)`. A normalised key is never a prefix of another, so `key ++ 0x00` is the
//! least byte string above it: with it a single point and a closed end are half-open intervals too.

use super::order::{LOWEST, NULL_BYTE};

/// What can be said of a condition for all rows of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mask {
    /// Some row may fulfil it.
    pub can_be_true: bool,
    /// Some row may not.
    pub can_be_false: bool,
}

impl Mask {
    pub const UNKNOWN: Mask = Mask { can_be_true: true, can_be_false: true };
    pub const NEVER: Mask = Mask { can_be_true: false, can_be_false: true };
    pub const NOTHING_SEEN: Mask = Mask { can_be_true: false, can_be_false: false };

    pub fn is_unknown(self) -> bool {
        self == Mask::UNKNOWN
    }

    /// Of the rows of both ranges.
    pub fn merge(self, other: Mask) -> Mask {
        Mask { can_be_true: self.can_be_true || other.can_be_true, can_be_false: self.can_be_false || other.can_be_false }
    }
}

/// The values of one key column within a range.
#[derive(Clone, Copy, Debug)]
pub struct Dim<'a> {
    /// `None`: from the lowest on.
    pub low: Option<&'a [u8]>,
    pub low_open: bool,
    /// `None`: up to the highest, NULL.
    pub high: Option<&'a [u8]>,
    pub high_open: bool,
    /// NULL may occur besides.
    pub null: bool,
    /// A value that may occur besides.
    pub besides: Option<&'a [u8]>,
}

impl<'a> Dim<'a> {
    pub const ANY: Dim<'static> =
        Dim { low: None, low_open: false, high: None, high_open: false, null: true, besides: None };

    pub fn closed(low: &'a [u8], high: &'a [u8], null: bool) -> Self {
        Dim { low: Some(low), low_open: false, high: Some(high), high_open: false, null, besides: None }
    }
}

/// A set of values: ascending intervals that do not touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Intervals(Vec<(Vec<u8>, Vec<u8>)>);

/// The least byte string above a key.
pub fn after(key: &[u8]) -> Vec<u8> {
    let mut next = Vec::with_capacity(key.len() + 1);
    next.extend_from_slice(key);
    next.push(0);
    next
}

impl Intervals {
    /// Of any half-open intervals, in any order.
    pub fn of(mut intervals: Vec<(Vec<u8>, Vec<u8>)>) -> Self {
        intervals.retain(|(low, high)| low < high);
        intervals.sort_unstable();
        let mut merged: Vec<(Vec<u8>, Vec<u8>)> = Vec::with_capacity(intervals.len());
        for (low, high) in intervals {
            match merged.last_mut().filter(|last| low <= last.1) {
                Some(last) if high > last.1 => last.1 = high,
                Some(_) => {}
                None => merged.push((low, high)),
            }
        }
        Intervals(merged)
    }

    pub fn points<'a>(keys: impl Iterator<Item = &'a [u8]>) -> Self {
        Self::of(keys.map(|key| (key.to_vec(), after(key))).collect())
    }

    /// NULL alone.
    pub fn null() -> Self {
        Intervals(vec![(vec![NULL_BYTE], vec![NULL_BYTE, NULL_BYTE])])
    }

    /// From `low` on (or from the lowest) to `high` (or to the highest), NULL left out.
    pub fn between(low: Option<Vec<u8>>, high: Option<Vec<u8>>) -> Self {
        Self::of(vec![(low.unwrap_or_else(|| LOWEST.to_vec()), high.unwrap_or_else(|| vec![NULL_BYTE]))])
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn has_null(&self) -> bool {
        self.0.last().is_some_and(|(_, high)| high.as_slice() > [NULL_BYTE].as_slice())
    }

    /// Whether values of the range can lie in the set, and whether some can lie outside.
    pub fn probe(&self, dim: Dim<'_>) -> Mask {
        let range = self.probe_range(dim);
        match dim.besides {
            Some(value) => range.merge(self.probe_range(Dim::closed(value, value, false))),
            None => range,
        }
    }

    fn probe_range(&self, dim: Dim<'_>) -> Mask {
        let low = dim.low.unwrap_or(LOWEST);
        let mut first = self.0.partition_point(|(_, high)| high.as_slice() <= low);
        // `high` is the byte string after `low`: all that lies between is `low` itself, which an open end leaves out.
        if dim.low_open
            && self
                .0
                .get(first)
                .is_some_and(|(_, high)| high.len() == low.len() + 1 && high.starts_with(low) && high.ends_with(&[0]))
        {
            first += 1;
        }
        let null = dim.null && self.has_null();
        let Some((from, to)) = self.0.get(first) else {
            return Mask { can_be_true: null, can_be_false: true };
        };
        let meets = match dim.high {
            None => true,
            Some(high) if dim.high_open => from.as_slice() < high,
            Some(high) => from.as_slice() <= high,
        };
        let covers = from.as_slice() <= low
            && match dim.high {
                None => false,
                Some(high) if dim.high_open => high <= to.as_slice(),
                Some(high) => high < to.as_slice(),
            };
        Mask { can_be_true: meets || null, can_be_false: !covers || dim.null }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mask(set: &Intervals, low: u8, high: u8) -> (bool, bool) {
        let mask = set.probe(Dim::closed(&[low], &[high], false));
        (mask.can_be_true, mask.can_be_false)
    }

    #[test]
    fn a_range_is_met_covered_or_missed() {
        let set = Intervals::of(vec![(vec![20], after(&[30])), (vec![5], vec![10])]);
        assert_eq!(mask(&set, 1, 4), (false, true));
        assert_eq!(mask(&set, 10, 19), (false, true));
        assert_eq!(mask(&set, 5, 9), (true, false));
        assert_eq!(mask(&set, 5, 10), (true, true));
        assert_eq!(mask(&set, 20, 30), (true, false));
        assert_eq!(mask(&set, 31, 40), (false, true));
        assert!(set.probe(Dim::ANY).is_unknown());
    }

    #[test]
    fn an_open_end_leaves_its_value_out() {
        let set = Intervals::points([[5u8].as_slice(), [9].as_slice()].into_iter());
        let open = Dim { low_open: true, high_open: true, ..Dim::closed(&[5], &[9], false) };
        assert_eq!(set.probe(open), Mask::NEVER);
        let closed = Dim { low_open: true, ..Dim::closed(&[5], &[9], false) };
        assert!(set.probe(closed).can_be_true);
    }

    #[test]
    fn a_value_besides_the_range_is_met_as_well() {
        let set = Intervals::between(Some(vec![5]), Some(vec![10]));
        let with = |value: &'static [u8], low: &'static [u8]| {
            let mask = set.probe(Dim { besides: Some(value), ..Dim::closed(low, &[9], false) });
            (mask.can_be_true, mask.can_be_false)
        };
        assert_eq!(with(&[6], &[6]), (true, false));
        assert_eq!(with(&[3], &[6]), (true, true));
        let above = set.probe(Dim { besides: Some(&[6]), ..Dim::closed(&[20], &[30], false) });
        assert!(above.can_be_true);
    }

    #[test]
    fn null_is_in_no_interval_but_its_own() {
        let set = Intervals::between(Some(vec![5]), None);
        assert_eq!(set.probe(Dim::closed(&[NULL_BYTE], &[NULL_BYTE], false)), Mask::NEVER);
        assert_eq!(set.probe(Dim::closed(&[1], &[2], true)), Mask::NEVER);
        assert!(Intervals::null().probe(Dim::closed(&[1], &[2], true)).can_be_true);
        assert!(!Intervals::null().probe(Dim::closed(&[1], &[2], false)).can_be_true);
    }
}
