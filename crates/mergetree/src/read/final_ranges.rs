//! What FINAL has to read beside granules in which a condition may hold: all granules in which rows of the same keys may
//! lie, as one of those may be the row that is shown.
//!
//! The keys of a granule lie between the primary key at its beginning and that at the beginning of the next; all rows of a
//! sorting key have one primary key. So it is enough to take the granules whose ranges meet one of these ranges. A row of
//! another key may then be there without the others of its key: it fails the condition, else its granule would have been
//! one to begin with.

use arrow::row::Rows;
use gristmill_base::{Error, Result};

use super::unit::PartSelection;
use crate::index::runs;
use crate::layout::Layout;

/// Of the parts, the granules that may hold a row of a key of the `wanted` granules. All are open, and the table has a primary
/// key.
pub fn expanded(layout: &Layout, parts: &[PartSelection], wanted: &[PartSelection]) -> Result<Vec<PartSelection>> {
    let keys_of = |part: &PartSelection| -> Result<Rows> {
        let open = part.open.as_ref().ok_or_else(|| Error::logical("FINAL reads a part that is not open"))?;
        let keys = layout.primary_order.rows(&open.index.keys)?;
        keys.ok_or_else(|| Error::logical("Ranges of a table without a primary key"))
    };
    let wanted_keys = wanted.iter().map(keys_of).collect::<Result<Vec<_>>>()?;
    let mut ranges: Vec<(&[u8], &[u8])> = Vec::new();
    for (part, keys) in wanted.iter().zip(&wanted_keys) {
        ranges.extend(part.granules.iter().map(|run| (keys.row(run.start).data(), keys.row(run.end).data())));
    }
    let ranges = joined(ranges);
    let mut expanded = Vec::with_capacity(parts.len());
    for part in parts {
        let keys = keys_of(part)?;
        let meets = |granule: &usize| {
            let (least, greatest) = (keys.row(*granule).data(), keys.row(granule + 1).data());
            let first = ranges.partition_point(|(_, high)| *high < least);
            ranges.get(first).is_some_and(|(low, _)| *low <= greatest)
        };
        let granules = runs::of(part.granules.iter().cloned().flatten().filter(meets));
        if !granules.is_empty() {
            expanded.push(part.only(granules));
        }
    }
    Ok(expanded)
}

/// Ranges, both ends included, as ascending ones that do not meet.
fn joined<'a>(mut ranges: Vec<(&'a [u8], &'a [u8])>) -> Vec<(&'a [u8], &'a [u8])> {
    ranges.sort_unstable();
    let mut joined: Vec<(&[u8], &[u8])> = Vec::with_capacity(ranges.len());
    for (low, high) in ranges {
        match joined.last_mut().filter(|last| low <= last.1) {
            Some(last) => last.1 = last.1.max(high),
            None => joined.push((low, high)),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::joined;

    #[test]
    fn ranges_that_meet_are_one() {
        let ranges: Vec<(&[u8], &[u8])> = vec![(b"e", b"f"), (b"a", b"b"), (b"b", b"d"), (b"h", b"h")];
        let expected: Vec<(&[u8], &[u8])> = vec![(b"a", b"d"), (b"e", b"f"), (b"h", b"h")];
        assert_eq!(joined(ranges), expected);
    }
}
