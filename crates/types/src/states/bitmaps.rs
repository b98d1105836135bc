//! Bitmaps of numbers, as `groupBitmap` keeps them, out of their bytes.

use gristmill_base::{Error, ErrorCode, Result};

use super::read::{Words, cut, number};
use super::{roaring, write};
use crate::binary::text;

fn incorrect(text: impl Into<String>) -> Error {
    Error::new(ErrorCode::INCORRECT_DATA, text)
}

/// The numbers of a bitmap. Errors: INCORRECT_DATA for one that its type does not have.
pub(super) fn read(words: &mut Words, width: usize, signed: bool, bytes: &[u8], at: &mut usize) -> Result<()> {
    let kind = *bytes.get(*at).ok_or_else(cut)?;
    *at += 1;
    if kind == 0 {
        let count = *bytes.get(*at).ok_or_else(cut)?;
        *at += 1;
        return (0..count).try_for_each(|_| words.push(number(bytes, at, width)?));
    }
    let packed = text(bytes, at)?.ok_or_else(cut)?;
    let mut place = 0;
    if width == 8 {
        for _ in 0..roaring::u64_at(packed, &mut place)? {
            let high = u64::from(roaring::u32_at(packed, &mut place)?) << 32;
            roaring::read(packed, &mut place, &mut |low| words.push(high | u64::from(low)))?;
        }
    } else {
        let mask = if width == 4 { u64::from(u32::MAX) } else { (1 << (8 * width)) - 1 };
        roaring::read(packed, &mut place, &mut |value| {
            let low = u64::from(value) & mask;
            if write::widened(low, width, signed) != value {
                return Err(incorrect(format!("A bitmap has the number {value}, which its type has not")));
            }
            words.push(low)
        })?;
    }
    if place != packed.len() {
        return Err(incorrect("A bitmap is shorter than it says"));
    }
    Ok(())
}
