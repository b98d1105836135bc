//! Sets of numbers of 32 bits in the portable form of Roaring bitmaps, and of 64 bits as a map of such sets.
//!
//! A set is cut by the high half of its numbers into containers. Each is a list of numbers where it has up to 4096, else 65,536
//! bits, or a list of runs where that is shorter. Cookie, kinds of containers, their numbers and sizes, and where each begins
//! stand before them. The choice of the kind is CRoaring's, so that equal sets have equal bytes there and here.
//! Specification: <https://github.com/RoaringBitmap/RoaringFormatSpec>.

use gristmill_base::{Error, ErrorCode, Result};

const COOKIE: u32 = 12_346;
const COOKIE_WITH_RUNS: u32 = 12_347;
/// Numbers of a list.
const LIST_MAX: usize = 4096;
const BITS_BYTES: usize = 8192;
/// Containers from which on their beginnings are told where there are runs.
const OFFSETS_FROM: usize = 4;

fn incorrect(text: &str) -> Error {
    Error::new(ErrorCode::INCORRECT_DATA, format!("A Roaring bitmap is wrong: {text}"))
}

/// Numbers of one high half, ascending.
struct Container {
    high: u16,
    lows: Vec<u16>,
    /// First and last number of each run, where runs are the shortest.
    runs: Option<Vec<(u16, u16)>>,
}

impl Container {
    fn new(high: u16, lows: Vec<u16>) -> Container {
        let mut runs: Vec<(u16, u16)> = Vec::new();
        for low in &lows {
            match runs.last_mut() {
                Some((_, last)) if u32::from(*last) + 1 == u32::from(*low) => *last = *low,
                _ => runs.push((*low, *low)),
            }
        }
        // A list counts with the two bytes that its length would take.
        let otherwise = if lows.len() <= LIST_MAX { 2 * lows.len() + 2 } else { BITS_BYTES };
        let runs = (2 + 4 * runs.len() < otherwise).then_some(runs);
        Container { high, lows, runs }
    }

    fn bytes(&self) -> usize {
        match &self.runs {
            Some(runs) => 2 + 4 * runs.len(),
            None if self.lows.len() <= LIST_MAX => 2 * self.lows.len(),
            None => BITS_BYTES,
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        if let Some(runs) = &self.runs {
            out.extend_from_slice(&(runs.len() as u16).to_le_bytes());
            for (first, last) in runs {
                out.extend_from_slice(&first.to_le_bytes());
                out.extend_from_slice(&(last - first).to_le_bytes());
            }
        } else if self.lows.len() <= LIST_MAX {
            self.lows.iter().for_each(|low| out.extend_from_slice(&low.to_le_bytes()));
        } else {
            let begin = out.len();
            out.resize(begin + BITS_BYTES, 0);
            for low in &self.lows {
                out[begin + usize::from(low / 8)] |= 1 << (low % 8);
            }
        }
    }
}

/// Appends a set: `values` ascend, and none comes twice.
pub(super) fn write(values: &[u32], out: &mut Vec<u8>) {
    let containers: Vec<Container> = values
        .chunk_by(|a, b| a >> 16 == b >> 16)
        .map(|part| Container::new((part[0] >> 16) as u16, part.iter().map(|value| *value as u16).collect()))
        .collect();
    let count = containers.len();
    let with_runs = containers.iter().any(|container| container.runs.is_some());
    let begin = out.len();
    if with_runs {
        out.extend_from_slice(&(COOKIE_WITH_RUNS | ((count - 1) as u32) << 16).to_le_bytes());
        let marks = out.len();
        out.resize(marks + count.div_ceil(8), 0);
        for (place, _) in containers.iter().enumerate().filter(|(_, container)| container.runs.is_some()) {
            out[marks + place / 8] |= 1 << (place % 8);
        }
    } else {
        out.extend_from_slice(&COOKIE.to_le_bytes());
        out.extend_from_slice(&(count as u32).to_le_bytes());
    }
    for container in &containers {
        out.extend_from_slice(&container.high.to_le_bytes());
        out.extend_from_slice(&((container.lows.len() - 1) as u16).to_le_bytes());
    }
    if !with_runs || count >= OFFSETS_FROM {
        let mut at = out.len() - begin + 4 * count;
        for container in &containers {
            out.extend_from_slice(&(at as u32).to_le_bytes());
            at += container.bytes();
        }
    }
    containers.iter().for_each(|container| container.write(out));
}

fn piece<'a>(bytes: &'a [u8], at: &mut usize, length: usize) -> Result<&'a [u8]> {
    let end = at.checked_add(length).ok_or_else(|| incorrect("it is larger than memory"))?;
    let piece = bytes.get(*at..end).ok_or_else(|| incorrect("it ends too early"))?;
    *at = end;
    Ok(piece)
}

fn u16_at(bytes: &[u8], at: &mut usize) -> Result<u16> {
    let piece = piece(bytes, at, 2)?;
    Ok(u16::from_le_bytes([piece[0], piece[1]]))
}

pub(super) fn u32_at(bytes: &[u8], at: &mut usize) -> Result<u32> {
    let piece = piece(bytes, at, 4)?;
    Ok(u32::from_le_bytes([piece[0], piece[1], piece[2], piece[3]]))
}

pub(super) fn u64_at(bytes: &[u8], at: &mut usize) -> Result<u64> {
    Ok(u64::from(u32_at(bytes, at)?) | u64::from(u32_at(bytes, at)?) << 32)
}

/// Calls `each` with the numbers of a set, as they come. Errors: INCORRECT_DATA, and those of `each`.
pub(super) fn read(bytes: &[u8], at: &mut usize, each: &mut dyn FnMut(u32) -> Result<()>) -> Result<()> {
    let cookie = u32_at(bytes, at)?;
    let (count, marks) = match (cookie & 0xffff, cookie) {
        (COOKIE_WITH_RUNS, _) => {
            let count = (cookie >> 16) as usize + 1;
            (count, Some(piece(bytes, at, count.div_ceil(8))?))
        }
        (_, COOKIE) => (u32_at(bytes, at)? as usize, None),
        _ => return Err(incorrect("its cookie is not known")),
    };
    if count > 1 << 16 {
        return Err(incorrect("it has more than 65,536 containers"));
    }
    let heads = piece(bytes, at, 4 * count)?;
    if marks.is_none() || count >= OFFSETS_FROM {
        piece(bytes, at, 4 * count)?;
    }
    for (place, head) in heads.as_chunks::<4>().0.iter().enumerate() {
        let high = u32::from(u16::from_le_bytes([head[0], head[1]])) << 16;
        let numbers = usize::from(u16::from_le_bytes([head[2], head[3]])) + 1;
        if marks.is_some_and(|marks| marks[place / 8] & 1 << (place % 8) != 0) {
            for _ in 0..u16_at(bytes, at)? {
                let (first, more) = (u32::from(u16_at(bytes, at)?), u32::from(u16_at(bytes, at)?));
                if first + more > 0xffff {
                    return Err(incorrect("a run goes on behind its container"));
                }
                (first..=first + more).try_for_each(|low| each(high | low))?;
            }
        } else if numbers <= LIST_MAX {
            for low in piece(bytes, at, 2 * numbers)?.as_chunks::<2>().0 {
                each(high | u32::from(u16::from_le_bytes(*low)))?;
            }
        } else {
            for (place, byte) in piece(bytes, at, BITS_BYTES)?.iter().enumerate().filter(|(_, byte)| **byte != 0) {
                for bit in (0..8).filter(|bit| byte & 1 << bit != 0) {
                    each(high | (place as u32 * 8 + bit))?;
                }
            }
        }
    }
    Ok(())
}
