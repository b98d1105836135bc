//! What blocks are compressed by: the steps of a codec, each of which gives what the next one takes, in ClickHouse's frames.
//!
//! A step writes its method, the sizes of what it gave and took, and the data. Several steps are a method of their own, with
//! a list of theirs.

use SqlType as T;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::codec;
use lz4::block::CompressionMode;

use super::fpc::fpc;
use super::numeric::{delta, double_delta, gcd, gorilla};
use super::t64::t64;

/// What the default codec is.
const DEFAULT_LEVEL: i32 = 3;
/// Method and two sizes.
const FRAME_BYTES: usize = 9;

#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    None,
    Lz4,
    Lz4Hc(i32),
    Zstd { level: i32, window: Option<u32> },
    Delta(usize),
    DoubleDelta(usize),
    Gorilla(usize),
    Gcd(usize),
    T64 { width: usize, signed: bool, all_bits: bool, mark: u8 },
    Fpc { width: usize, level: u32 },
}

fn wrong(text: String) -> Error {
    Error::new(ErrorCode::BAD_ARGUMENTS, text)
}

/// Bytes of a number of a type, whether it has a sign, and T64's mark of it. `None`: no codec of numbers takes it.
fn number(kind: &SqlType) -> Option<(usize, bool, u8)> {
    Some(match kind {
        T::UInt8 | T::Bool => (1, false, 1),
        T::UInt16 => (2, false, 2),
        T::UInt32 => (4, false, 3),
        T::UInt64 => (8, false, 4),
        T::Int8 => (1, true, 6),
        T::Int16 => (2, true, 7),
        T::Int32 => (4, true, 8),
        T::Int64 => (8, true, 9),
        T::Date => (2, false, 13),
        T::DateTime(_) => (4, false, 14),
        T::DateTime64(..) => (8, true, 15),
        T::Enum8(_) => (1, false, 17),
        T::Enum16(_) => (2, false, 18),
        T::Decimal { precision: ..=9, .. } => (4, true, 19),
        T::Decimal { precision: ..=18, .. } => (8, true, 20),
        T::IPv4 => (4, false, 21),
        T::Date32 => (4, true, 22),
        T::Float32 => (4, false, 0),
        T::Float64 => (8, false, 0),
        _ => return None,
    })
}

/// `Delta(4)` as a name and its parameters.
fn parts(text: &str) -> (&str, Vec<&str>) {
    match text.trim_end_matches(')').split_once('(') {
        Some((name, parameters)) => (name, parameters.split(',').map(str::trim).collect()),
        None => (text, Vec::new()),
    }
}

/// The steps of `text`, as `codec::parse` shows it, apart at the commas between them.
fn steps_of(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut steps) = (0, 0, Vec::new());
    for (at, c) in text.char_indices() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if c == ',' && depth == 0 {
            steps.push(text[start..at].trim());
            start = at + 1;
        }
    }
    steps.push(text[start..].trim());
    steps
}

fn step(text: &str, kind: &SqlType) -> Result<Step> {
    let (name, parameters) = parts(text);
    let parameter = |i: usize| parameters.get(i).and_then(|text| text.parse::<u32>().ok());
    // Codecs of numbers see the column's own bytes, which are numbers where the column is of them.
    let width = || match number(kind) {
        Some((width, ..)) => Ok(parameter(0).map_or(width, |given| given as usize)),
        None => Err(wrong(format!("Codec {name} is not applicable for {kind} because the data type is not of fixed size"))),
    };
    Ok(match name {
        "NONE" => Step::None,
        "LZ4" => Step::Lz4,
        "LZ4HC" => Step::Lz4Hc(parameter(0).map_or(0, |level| level.min(12) as i32)),
        "ZSTD" => Step::Zstd { level: parameter(0).map_or(1, |level| level as i32), window: parameter(1) },
        "Default" => Step::Zstd { level: DEFAULT_LEVEL, window: None },
        "Delta" => Step::Delta(width()?),
        "DoubleDelta" => Step::DoubleDelta(width()?),
        "Gorilla" => Step::Gorilla(width()?),
        "GCD" if !kind.is_float() => Step::Gcd(width()?),
        "T64" => match number(kind) {
            Some((width, signed, mark)) => Step::T64 { width, signed, all_bits: !parameters.is_empty(), mark },
            None => return Err(wrong(format!("T64 codec is not supported for specified type {kind}"))),
        },
        "FPC" => match (kind, parameter(0).unwrap_or(0)) {
            (T::Float32 | T::Float64, level @ 1..=28) => Step::Fpc { width: width_of_float(kind), level },
            (T::Float32 | T::Float64, level) => {
                let text = format!("Codec 'FPC' level must be between 1 and 28, given {level}");
                return Err(Error::new(ErrorCode::ILLEGAL_CODEC_PARAMETER, text));
            }
            _ => return Err(wrong(format!("Codec FPC is not applicable for {kind}: the data type is not Float*"))),
        },
        _ => return Err(wrong(format!("Codec {name} is not applicable for {kind}"))),
    })
}

fn width_of_float(kind: &SqlType) -> usize {
    if *kind == T::Float32 { 4 } else { 8 }
}

/// The steps of a codec for a column of a type. Errors: those of `codec::parse`, BAD_ARGUMENTS where a step takes no such
/// column.
pub fn steps(text: &str, kind: &SqlType) -> Result<Vec<Step>> {
    let (_, text) = codec::parse(text, kind, true)?;
    if text.is_empty() {
        return Err(Error::new(ErrorCode::SYNTAX_ERROR, "Syntax error (codec): a codec is expected"));
    }
    steps_of(&text).into_iter().map(|text| step(text, kind)).collect()
}

/// What is used where no codec is asked for.
pub fn default_steps() -> Vec<Step> {
    vec![Step::Zstd { level: DEFAULT_LEVEL, window: None }]
}

impl Step {
    /// The byte that tells the method.
    fn method(&self) -> u8 {
        match self {
            Step::None => 0x02,
            Step::Lz4 | Step::Lz4Hc(_) => 0x82,
            Step::Zstd { .. } => 0x90,
            Step::Delta(_) => 0x92,
            Step::T64 { .. } => 0x93,
            Step::DoubleDelta(_) => 0x94,
            Step::Gorilla(_) => 0x95,
            Step::Fpc { .. } => 0x98,
            Step::Gcd(_) => 0x9b,
        }
    }

    fn compress(&self, bytes: &[u8]) -> Result<Vec<u8>> {
        Ok(match self {
            Step::None => bytes.to_vec(),
            Step::Lz4 => lz4::block::compress(bytes, None, false)?,
            Step::Lz4Hc(level) => lz4::block::compress(bytes, Some(CompressionMode::HIGHCOMPRESSION(*level)), false)?,
            Step::Zstd { level, window } => {
                let mut compressor = zstd::bulk::Compressor::new(*level)?;
                if let Some(window) = window {
                    compressor.long_distance_matching(true)?;
                    compressor.window_log(*window)?;
                }
                compressor.compress(bytes)?
            }
            Step::Delta(width) => delta(bytes, *width),
            Step::DoubleDelta(width) => double_delta(bytes, *width),
            Step::Gorilla(width) => gorilla(bytes, *width),
            Step::Gcd(width) => gcd(bytes, *width),
            Step::T64 { width, signed, all_bits, mark } => {
                t64(bytes, *width, *signed, *all_bits, mark | u8::from(*all_bits) << 7)
            }
            Step::Fpc { width, level } => fpc(bytes, *width, *level),
        })
    }

    /// What the step gives, in its frame.
    fn framed(&self, bytes: &[u8]) -> Result<Vec<u8>> {
        let data = self.compress(bytes)?;
        let mut out = Vec::with_capacity(FRAME_BYTES + data.len());
        out.push(self.method());
        out.extend_from_slice(&((FRAME_BYTES + data.len()) as u32).to_le_bytes());
        out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        out.extend(data);
        Ok(out)
    }
}

/// Bytes of a block behind its checksum.
pub fn compressed_bytes(steps: &[Step], block: &[u8]) -> Result<usize> {
    if let [step] = steps {
        return Ok(FRAME_BYTES + step.compress(block)?.len());
    }
    let mut bytes = block.to_vec();
    for step in steps {
        bytes = step.framed(&bytes)?;
    }
    // How many steps there are, and the method of each.
    Ok(FRAME_BYTES + 1 + steps.len() + bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_have_the_width_of_the_column() {
        let steps = |text: &str, kind: SqlType| steps(text, &kind).map_err(|error| error.code());
        let zstd = |level| Step::Zstd { level, window: None };
        assert_eq!(steps("Delta, ZSTD", T::UInt32), Ok(vec![Step::Delta(4), zstd(1)]));
        assert_eq!(steps("Delta(2), Default", T::UInt64), Ok(vec![Step::Delta(2), zstd(3)]));
        assert_eq!(steps("Delta", T::array(T::UInt64)), Err(ErrorCode::BAD_ARGUMENTS));
        assert_eq!(steps("Nope", T::UInt64), Err(ErrorCode::UNKNOWN_CODEC));
    }

    #[test]
    fn each_step_has_a_frame_of_its_own() {
        assert_eq!(compressed_bytes(&[Step::None], b"12345678").expect("copies"), 9 + 8);
        assert_eq!(compressed_bytes(&[Step::Delta(8), Step::None], b"12345678").expect("copies"), 9 + 3 + 9 + 9 + 2 + 8);
    }
}
