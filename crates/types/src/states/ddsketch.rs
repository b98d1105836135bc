//! States of `quantileDD`: a sketch's bins, held as words: how many zeros there were, then for positive and for negative values
//! how many bins there are, and the number and the count of each.

use gristmill_base::{Error, ErrorCode, Result};

use crate::binary::{varuint, write_varuint};

// What follows, one byte each.
const MAPPING: u8 = 0x02;
const POSITIVE: u8 = 0x01;
const NEGATIVE: u8 = 0x03;
const ZEROS: u8 = 0x04;
/// Bins that are not empty, each with its distance from the one before it.
const SPARSE: u8 = 0x04;
/// Counts of bins side by side.
const DENSE: u8 = 0x0C;

/// Bytes of a count.
const COUNT_BYTES: usize = 8;
/// Where bins begin that there are none of.
const NO_BIN: i64 = i32::MAX as i64;

fn incorrect(text: &str) -> Error {
    Error::new(ErrorCode::INCORRECT_DATA, text)
}

/// Appends a state, of no words where it has seen nothing.
pub(super) fn write(words: &[u64], accuracy: f64, out: &mut Vec<u8>) {
    let (zeros, mut rest) = words.split_first().map_or((0, &[][..]), |(zeros, rest)| (*zeros, rest));
    out.push(MAPPING);
    out.extend_from_slice(&((1.0 + accuracy) / (1.0 - accuracy)).to_le_bytes());
    out.extend_from_slice(&0f64.to_le_bytes());
    for mark in [POSITIVE, NEGATIVE] {
        let (count, bins) = rest.split_first().map_or((0, rest), |(count, bins)| (*count as usize, bins));
        let (bins, behind) = bins.split_at_checked(count.saturating_mul(2)).unwrap_or_default();
        rest = behind;
        out.push(mark);
        write_bins(bins.as_chunks::<2>().0, out);
    }
    out.push(ZEROS);
    write_count(zeros, out);
}

fn write_count(count: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(&(count as f64).to_le_bytes());
}

/// A whole number with its sign in the lowest bit.
fn write_signed(number: i64, out: &mut Vec<u8>) {
    write_varuint(((number << 1) ^ (number >> 63)) as u64, out);
}

/// In the form that takes less room, bins being in ascending order.
fn write_bins(bins: &[[u64; 2]], out: &mut Vec<u8>) {
    let number = |bin: &[u64; 2]| bin[0] as i64;
    let (first, all) = match (bins.first(), bins.last()) {
        (Some(first), Some(last)) => (number(first), (number(last) - number(first) + 1) as usize),
        _ => (NO_BIN, 0),
    };
    if (all - bins.len()) * COUNT_BYTES <= bins.len() * 2 {
        out.push(DENSE);
        write_varuint(all as u64, out);
        write_signed(first, out);
        write_signed(1, out);
        let mut next = first;
        for bin in bins {
            (next..number(bin)).for_each(|_| write_count(0, out));
            write_count(bin[1], out);
            next = number(bin) + 1;
        }
        return;
    }
    out.push(SPARSE);
    write_varuint(bins.len() as u64, out);
    let mut before = 0;
    for bin in bins {
        write_signed(number(bin) - before, out);
        write_count(bin[1], out);
        before = number(bin);
    }
}

/// The words of a state. `None`: the bytes end within it. Error: INCORRECT_DATA.
pub(super) fn read(bytes: &[u8], at: &mut usize) -> Result<Option<Vec<u64>>> {
    let mut bins = [Vec::new(), Vec::new()];
    // The mapping of values to bins is the function's own to say.
    if !passed(MAPPING, bytes, at)? || bytes.len() - *at < 2 * COUNT_BYTES {
        return Ok(None);
    }
    *at += 2 * COUNT_BYTES;
    for (mark, bins) in [POSITIVE, NEGATIVE].into_iter().zip(&mut bins) {
        if !passed(mark, bytes, at)? || !read_bins(bins, bytes, at)? {
            return Ok(None);
        }
    }
    if !passed(ZEROS, bytes, at)? {
        return Ok(None);
    }
    let Some(zeros) = count(bytes, at)? else { return Ok(None) };
    let mut words = vec![zeros];
    for bins in bins {
        words.push(bins.len() as u64);
        words.extend(bins.into_iter().flatten());
    }
    Ok(Some(words))
}

/// Passes over a byte that says what follows. False: the bytes end.
fn passed(mark: u8, bytes: &[u8], at: &mut usize) -> Result<bool> {
    match bytes.get(*at) {
        None => Ok(false),
        Some(found) if *found == mark => {
            *at += 1;
            Ok(true)
        }
        Some(_) => Err(incorrect("A state of quantileDD has something else where its bins are expected")),
    }
}

fn count(bytes: &[u8], at: &mut usize) -> Result<Option<u64>> {
    let Some(found) = bytes[*at..].first_chunk::<COUNT_BYTES>() else { return Ok(None) };
    *at += COUNT_BYTES;
    let count = f64::from_le_bytes(*found);
    if (0.0..9.0e15).contains(&count) && count.fract() == 0.0 {
        return Ok(Some(count as u64));
    }
    Err(incorrect("A state of quantileDD has a count that is no number of values"))
}

fn signed(bytes: &[u8], at: &mut usize) -> Result<Option<i64>> {
    Ok(varuint(bytes, at)?.map(|number| (number >> 1) as i64 ^ -((number & 1) as i64)))
}

/// Bins that are not empty. False: the bytes end.
fn read_bins(bins: &mut Vec<[u64; 2]>, bytes: &[u8], at: &mut usize) -> Result<bool> {
    let Some(form) = bytes.get(*at).copied() else { return Ok(false) };
    *at += 1;
    if !matches!(form, SPARSE | DENSE) {
        return Err(incorrect("Bins of a state of quantileDD are in a form that is not known"));
    }
    let Some(all) = varuint(bytes, at)? else { return Ok(false) };
    let (mut bin, mut step) = (0, 0);
    if form == DENSE {
        let (Some(first), Some(between)) = (signed(bytes, at)?, signed(bytes, at)?) else { return Ok(false) };
        (bin, step) = (first, between);
    }
    for place in 0..all {
        if form == SPARSE {
            let Some(between) = signed(bytes, at)? else { return Ok(false) };
            step = between;
        }
        if form == SPARSE || place > 0 {
            bin = i64::wrapping_add(bin, step);
        }
        if i32::try_from(bin).is_err() || bins.last().is_some_and(|last| last[0] as i64 >= bin) {
            return Err(incorrect("Bins of a state of quantileDD are not in ascending order"));
        }
        let Some(count) = count(bytes, at)? else { return Ok(false) };
        if count > 0 {
            bins.push([bin as u64, count]);
        }
    }
    Ok(true)
}
