//! Which requests to send for a set of byte ranges: near ones become one request, long ones several.
//!
//! Ranges are sorted and joined where the gap between them is small: a gap of up to `gap_bytes` costs less to read and
//! throw away than a request's latency. A joined range longer than `split_bytes` is cut into equal pieces, which are
//! fetched beside each other. Each wanted range then knows which pieces it lies in. The plan is a pure function of its
//! input; the answer is put together by `assemble`.

use std::ops::Range;

use bytes::{Bytes, BytesMut};
use gristmill_introspect::Settings;

/// When to join and when to split.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RangePolicy {
    /// Ranges this near or nearer become one request.
    pub gap_bytes: u64,
    /// No request is longer than this, unless 0.
    pub split_bytes: u64,
}

impl RangePolicy {
    /// 40 ms of latency at 90 MB/s a connection are 3.6 MB, yet what is thrown away costs bandwidth that all requests
    /// share, and is paid by the byte nowhere within a region: half a MiB is about what a request costs a server to begin.
    /// Pieces of 10 MiB (ClickHouse's `max_download_buffer_size`) keep a connection busy for 120 ms, thrice its latency.
    pub const REMOTE: RangePolicy = RangePolicy { gap_bytes: 512 << 10, split_bytes: 10 << 20 };
    /// The page cache has no latency to hide: only touching ranges are joined.
    pub const LOCAL: RangePolicy = RangePolicy { gap_bytes: 4 << 10, split_bytes: 16 << 20 };
}

impl RangePolicy {
    /// What suits the store, or what the user set. `remote`: requests have latency.
    pub fn of(settings: &Settings, remote: bool) -> RangePolicy {
        let policy = if remote { RangePolicy::REMOTE } else { RangePolicy::LOCAL };
        match settings.max_download_buffer_size {
            bytes if settings.is_changed("max_download_buffer_size") && bytes > 0 => {
                RangePolicy { split_bytes: bytes, ..policy }
            }
            _ => policy,
        }
    }
}

/// Ranges of one object that are in flight: as many as the user set, or `most`.
pub fn in_flight(settings: &Settings, most: usize) -> usize {
    if !settings.is_changed("max_download_threads") {
        return most;
    }
    usize::try_from(settings.max_download_threads).unwrap_or(most).clamp(1, most)
}

/// The requests to send, in order of offset, none overlapping another.
pub fn plan(wanted: &[Range<u64>], policy: RangePolicy) -> Vec<Range<u64>> {
    let mut sorted: Vec<Range<u64>> = wanted.iter().filter(|range| range.start < range.end).cloned().collect();
    sorted.sort_unstable_by_key(|range| (range.start, range.end));
    let mut joined: Vec<Range<u64>> = Vec::with_capacity(sorted.len());
    for range in sorted {
        match joined.last_mut() {
            Some(last) if range.start <= last.end.saturating_add(policy.gap_bytes) => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    if policy.split_bytes == 0 {
        return joined;
    }
    joined.into_iter().flat_map(|range| split(range, policy.split_bytes)).collect()
}

/// Equal pieces, none longer than `piece_bytes_max` and none shorter than half of it.
pub fn split(range: Range<u64>, piece_bytes_max: u64) -> impl Iterator<Item = Range<u64>> {
    let length = range.end - range.start;
    let pieces = length.div_ceil(piece_bytes_max).max(1);
    let bound = move |i: u64| range.start + (u128::from(length) * u128::from(i) / u128::from(pieces)) as u64;
    (0..pieces).map(move |i| bound(i)..bound(i + 1))
}

/// The bytes of each wanted range, cut out of the fetched ones (`fetched[i]` holds the bytes of `planned[i]`). Without a
/// copy where a range lies in one piece. `None` where the pieces do not cover a range.
pub fn assemble(wanted: &[Range<u64>], planned: &[Range<u64>], fetched: &[Bytes]) -> Option<Vec<Bytes>> {
    let cut = |range: &Range<u64>, piece: usize| {
        let (have, bytes) = (&planned[piece], fetched.get(piece)?);
        let (from, to) = (range.start.max(have.start) - have.start, range.end.min(have.end) - have.start);
        (to as usize <= bytes.len()).then(|| bytes.slice(from as usize..to as usize))
    };
    wanted
        .iter()
        .map(|range| {
            if range.start >= range.end {
                return Some(Bytes::new());
            }
            let first = planned.partition_point(|piece| piece.end <= range.start);
            let last = planned.partition_point(|piece| piece.start < range.end).checked_sub(1)?;
            if first >= planned.len() || planned[first].start > range.start || planned[last].end < range.end {
                return None;
            }
            if first == last {
                return cut(range, first);
            }
            let mut out = BytesMut::with_capacity((range.end - range.start) as usize);
            for piece in first..=last {
                out.extend_from_slice(&cut(range, piece)?);
            }
            (out.len() as u64 == range.end - range.start).then(|| out.freeze())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const POLICY: RangePolicy = RangePolicy { gap_bytes: 10, split_bytes: 100 };

    #[test]
    fn near_ranges_become_one_request_and_long_ones_several() {
        assert_eq!(plan(&[0..10, 15..30], POLICY), vec![0..30]);
        assert_eq!(plan(&[0..10, 21..30], POLICY), vec![0..10, 21..30]);
        assert_eq!(plan(&[40..50, 0..5, 42..45, 7..7], POLICY), vec![0..5, 40..50]);
        assert_eq!(plan(&[0..250], POLICY), vec![0..83, 83..166, 166..250]);
        assert_eq!(plan(&[], POLICY), vec![]);
    }

    proptest! {
        #[test]
        fn every_wanted_range_comes_back_with_its_bytes(
            wanted in prop::collection::vec((0u64..5000, 0u64..600), 0..40),
            gap_bytes in 0u64..200,
            split_bytes in 1u64..400,
        ) {
            let object: Vec<u8> = (0..6000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
            let wanted: Vec<Range<u64>> = wanted.into_iter().map(|(start, len)| start..start + len).collect();
            let planned = plan(&wanted, RangePolicy { gap_bytes, split_bytes });
            prop_assert!(planned.windows(2).all(|pair| pair[0].end <= pair[1].start));
            prop_assert!(planned.iter().all(|r| r.start < r.end && r.end - r.start <= split_bytes));
            let fetched: Vec<Bytes> =
                planned.iter().map(|r| Bytes::copy_from_slice(&object[r.start as usize..r.end as usize])).collect();
            let got = assemble(&wanted, &planned, &fetched).expect("covered");
            for (range, bytes) in wanted.iter().zip(got) {
                prop_assert_eq!(&bytes[..], &object[range.start as usize..range.end as usize]);
            }
            // A short answer is noticed, never filled with something else.
            if let Some(longest) = planned.iter().position(|r| r.end - r.start > 1) {
                let mut short = fetched.clone();
                short[longest].truncate(1);
                let covered = assemble(&wanted, &planned, &short);
                let last = wanted.iter().any(|w| w.start < w.end && w.start < planned[longest].end && w.end > planned[longest].start + 1);
                prop_assert_eq!(covered.is_none(), last);
            }
        }
    }
}
