//! States of `uniq`, `uniqHLL12` and `uniqCombined`: held in ClickHouse's bytes, whose length is found here.

use SqlType as T;
use gristmill_base::{Error, ErrorCode, Result};

use crate::SqlType;
use crate::binary::{varuint, width};

/// Of `uniqCombined` without a parameter: 2^17 registers.
pub const PRECISION: u8 = 17;

/// Of which function a state is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Sketch {
    Hashes,
    HyperLogLog { key_bytes: usize },
    Combined { precision: u8, key_bytes: usize },
}

/// Bytes of a key of `uniqCombined`; `wide`: of `uniqCombined64`.
pub fn combined_key_bytes(wide: bool, kinds: &[SqlType]) -> usize {
    match kinds {
        [T::String | T::FixedString(_) | T::IPv6] => 8,
        _ if wide => 8,
        _ => 4,
    }
}

/// Bytes of a key of `uniqHLL12`: a number has its width, everything else is hashed.
pub fn hyperloglog_key_bytes(kinds: &[SqlType]) -> usize {
    match kinds {
        [T::Bool] => 1,
        [kind] if kind.is_integer() => kind.integer_bits().map_or(8, |(bits, _)| usize::from(bits / 8)),
        [
            kind @ (T::Float32
            | T::Float64
            | T::BFloat16
            | T::Enum8(_)
            | T::Enum16(_)
            | T::Date
            | T::Date32
            | T::DateTime(_)
            | T::IPv4),
        ] => width(kind).map_or(8, |width| width.wire),
        _ => 8,
    }
}

/// Bytes of 2^`precision` ranks of HyperLogLog, how many registers have each, and how many have none.
fn registers_bytes(precision: u8, hash_bytes: usize) -> usize {
    let ranks = (1_usize << precision) * if hash_bytes == 4 { 5 } else { 6 } / 8;
    ranks + (hash_bytes * 8 - usize::from(precision) + 2) * 4 + if precision < 16 { 2 } else { 4 }
}

impl Sketch {
    /// Of a state that has seen nothing.
    pub(super) fn empty(self) -> &'static [u8] {
        match self {
            Sketch::Hashes | Sketch::HyperLogLog { .. } => &[0, 0],
            Sketch::Combined { .. } => &[1, 0],
        }
    }

    /// Passes over a state. False: the bytes end within it. Error: INCORRECT_DATA.
    pub(super) fn skip(self, bytes: &[u8], at: &mut usize) -> Result<bool> {
        let Some(&mark) = bytes.get(*at) else { return Ok(false) };
        *at += 1;
        let key_bytes = match (self, mark) {
            (Sketch::Hashes, _) => 4,
            (Sketch::HyperLogLog { key_bytes }, 0) | (Sketch::Combined { key_bytes, .. }, 1 | 2) => key_bytes,
            (Sketch::HyperLogLog { .. }, 1) => {
                *at = at.saturating_add(registers_bytes(12, 4));
                return Ok(*at <= bytes.len());
            }
            (Sketch::Combined { precision, key_bytes }, 3) => {
                *at = at.saturating_add(registers_bytes(precision, key_bytes));
                return Ok(*at <= bytes.len());
            }
            _ => return Err(incorrect(format!("A state of kind {mark} is not known"))),
        };
        let Some(count) = varuint(bytes, at)? else { return Ok(false) };
        if count > 1 << 17 {
            return Err(incorrect(format!("A state cannot keep {count} hashes")));
        }
        *at = at.saturating_add(count as usize * key_bytes);
        Ok(*at <= bytes.len())
    }
}

fn incorrect(text: String) -> Error {
    Error::new(ErrorCode::INCORRECT_DATA, text)
}
