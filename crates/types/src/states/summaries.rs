//! States of `quantileTiming`, `quantileGK` and `quantileDD`: held as lists of words of 64 bits, in the form that the functions keep.

use gristmill_base::{Error, ErrorCode, Result};

use super::ddsketch;
use super::read::{cut, fixed, number};
use crate::SqlType;

/// Whose words they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Summary {
    /// A zero and the values, or a one, how many values there are, and how many of each place.
    Timing,
    /// How many values there are, how many are kept, gap and spread of each of these, and the values in `width` bytes each.
    Greenwald { width: usize, accuracy: u64 },
    /// Bins of values, with the bits of the accuracy.
    Bins { accuracy: u64 },
}

// The kinds of a state of `quantileTiming`.
const FEW: u8 = 1;
const SOME: u8 = 2;
const COUNTED: u8 = 3;
/// Values of a state of the first kind.
const FEW_MAX: usize = 31;
/// Counters: of each value below 1024, and of 16 values each above.
const COUNTERS: usize = 2835;
/// No value is larger; it ends the counters of a state that tells only those that are not zero.
const VALUE_MAX: u16 = 30_000;

/// From so many kept values on, neighbours are joined.
const JOINED_FROM: u64 = 10_000;

fn incorrect(text: &str) -> Error {
    Error::new(ErrorCode::INCORRECT_DATA, text)
}

/// That of `quantileGK`, whose accuracy is set apart. `None`: values of the type are carried in another width than they are written.
pub(super) fn greenwald(kind: &SqlType) -> Option<Summary> {
    let width = match kind {
        SqlType::Float32 => 4,
        SqlType::Float64 => 8,
        other => other.integer_bits().filter(|(bits, _)| *bits <= 64).map(|(bits, _)| usize::from(bits / 8))?,
    };
    Some(Summary::Greenwald { width, accuracy: 1 })
}

fn is_dense(all: u64) -> bool {
    all.saturating_mul(2) > COUNTERS as u64
}

impl Summary {
    /// Appends a state, of no words where it has seen nothing.
    pub(super) fn write(self, words: &[u64], out: &mut Vec<u8>) {
        match self {
            Summary::Timing => match words {
                [1, all, counters @ ..] => write_counted(*all, counters, out),
                _ => write_values(words.get(1..).unwrap_or_default(), out),
            },
            Summary::Bins { accuracy } => ddsketch::write(words, f64::from_bits(accuracy), out),
            Summary::Greenwald { width, accuracy } => {
                let (head, rest) = words.split_at_checked(2).unwrap_or((&[0, 0], &[]));
                out.extend_from_slice(&JOINED_FROM.to_le_bytes());
                out.extend_from_slice(&(1.0 / accuracy as f64).to_le_bytes());
                head.iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
                let kept = (head[1] as usize).min(rest.len() / 2);
                let (ranks, values) = rest.split_at(kept * 2);
                let values: Vec<u8> = values.iter().flat_map(|word| word.to_le_bytes()).collect();
                for (value, ranks) in values.chunks_exact(width).zip(ranks.chunks_exact(2)) {
                    out.extend_from_slice(value);
                    ranks.iter().for_each(|rank| out.extend_from_slice(&rank.to_le_bytes()));
                }
            }
        }
    }

    /// Passes over a state. False: the bytes end within it.
    pub(super) fn skip(self, bytes: &[u8], at: &mut usize) -> Result<bool> {
        let room = |at: usize, length: usize| bytes.len().saturating_sub(at) >= length;
        match self {
            Summary::Timing => {
                let Some(kind) = bytes.get(*at) else { return Ok(false) };
                *at += 1;
                let head = if *kind == FEW { 2 } else { 8 };
                if !room(*at, head) {
                    return Ok(false);
                }
                let all = number(bytes, at, head)?;
                match *kind {
                    FEW | SOME => Ok(fixed((all as usize).saturating_mul(2), bytes, at)),
                    COUNTED if is_dense(all) => Ok(fixed(COUNTERS * 8, bytes, at)),
                    COUNTED => loop {
                        if !room(*at, 2) {
                            return Ok(false);
                        }
                        if number(bytes, at, 2)? == u64::from(VALUE_MAX) {
                            return Ok(true);
                        }
                        if !fixed(8, bytes, at) {
                            return Ok(false);
                        }
                    },
                    _ => Err(incorrect("A state of quantileTiming is of a kind that is not known")),
                }
            }
            Summary::Bins { .. } => Ok(ddsketch::read(bytes, at)?.is_some()),
            Summary::Greenwald { width, .. } => {
                if !room(*at, 32) {
                    return Ok(false);
                }
                *at += 24;
                let kept = number(bytes, at, 8)?;
                Ok(fixed((kept as usize).saturating_mul(width + 16), bytes, at))
            }
        }
    }

    /// Takes a state that is there as a whole, word by word. Error: INCORRECT_DATA.
    pub(super) fn take(self, bytes: &[u8], at: &mut usize, push: &mut impl FnMut(u64) -> Result<()>) -> Result<()> {
        match self {
            Summary::Timing => {
                let kind = number(bytes, at, 1)? as u8;
                let all = number(bytes, at, if kind == FEW { 2 } else { 8 })?;
                if kind != COUNTED {
                    push(0)?;
                    for _ in 0..all {
                        let value = number(bytes, at, 2)?;
                        if value > u64::from(VALUE_MAX) {
                            return Err(incorrect("A state of quantileTiming has a value above 30000"));
                        }
                        push(value)?;
                    }
                    return Ok(());
                }
                push(1)?;
                push(all)?;
                let mut counters = vec![0; COUNTERS];
                if is_dense(all) {
                    for counter in &mut counters {
                        *counter = number(bytes, at, 8)?;
                    }
                } else {
                    loop {
                        let place = number(bytes, at, 2)?;
                        if place == u64::from(VALUE_MAX) {
                            break;
                        }
                        let counter = counters
                            .get_mut(place as usize)
                            .ok_or_else(|| incorrect("A state of quantileTiming counts values above 30000"))?;
                        *counter = number(bytes, at, 8)?;
                    }
                }
                counters.into_iter().try_for_each(push)
            }
            Summary::Bins { .. } => ddsketch::read(bytes, at)?.ok_or_else(cut)?.into_iter().try_for_each(push),
            Summary::Greenwald { width, .. } => {
                // When to join and how exact to be are the function's own to say.
                number(bytes, at, 8)?;
                number(bytes, at, 8)?;
                let (count, kept) = (number(bytes, at, 8)?, number(bytes, at, 8)?);
                push(count)?;
                push(kept)?;
                let mut values = Vec::new();
                for _ in 0..kept {
                    values.extend_from_slice(bytes.get(*at..*at + width).ok_or_else(cut)?);
                    *at += width;
                    push(number(bytes, at, 8)?)?;
                    push(number(bytes, at, 8)?)?;
                }
                for piece in values.chunks(8) {
                    let mut word = [0; 8];
                    word[..piece.len()].copy_from_slice(piece);
                    push(u64::from_le_bytes(word))?;
                }
                Ok(())
            }
        }
    }
}

fn write_values(values: &[u64], out: &mut Vec<u8>) {
    match values.len() <= FEW_MAX {
        true => {
            out.push(FEW);
            out.extend_from_slice(&(values.len() as u16).to_le_bytes());
        }
        false => {
            out.push(SOME);
            out.extend_from_slice(&(values.len() as u64).to_le_bytes());
        }
    }
    values.iter().for_each(|value| out.extend_from_slice(&(*value as u16).to_le_bytes()));
}

fn write_counted(all: u64, counters: &[u64], out: &mut Vec<u8>) {
    out.push(COUNTED);
    out.extend_from_slice(&all.to_le_bytes());
    if is_dense(all) {
        counters.iter().for_each(|count| out.extend_from_slice(&count.to_le_bytes()));
        return;
    }
    for (place, count) in counters.iter().enumerate().filter(|(_, count)| **count > 0) {
        out.extend_from_slice(&(place as u16).to_le_bytes());
        out.extend_from_slice(&count.to_le_bytes());
    }
    out.extend_from_slice(&VALUE_MAX.to_le_bytes());
}
