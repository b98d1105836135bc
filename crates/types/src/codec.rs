//! Codecs of columns: what CODEC(…) says of how a column is to be written. Checked and put into ClickHouse's own words
//! here; what becomes of them is the storage engine's.

use gristmill_base::{Error, ErrorCode, Result};

use crate::sql_type::SqlType;

/// One step, in the order in which they are applied when a column is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Codec {
    /// What the table has for columns that name none.
    Default,
    None,
    Lz4,
    /// Level.
    Lz4Hc(u32),
    /// Level.
    Zstd(u32),
    /// Differences of neighbours. Bytes of a value; `None`: those of each part of the type.
    Delta(Option<u32>),
    DoubleDelta,
    Gorilla,
    T64,
    Fpc,
    Gcd,
}

/// A codec as it is named, for listings.
#[derive(Clone, Copy, Debug)]
pub struct NamedCodec {
    pub name: &'static str,
    /// What ClickHouse's compressed blocks call it.
    pub method: u8,
    /// It makes less of the bytes, and does not only prepare them.
    pub compresses: bool,
    /// Whatever the bytes are.
    pub is_generic: bool,
    pub is_for_time_series: bool,
    pub description: &'static str,
}

const fn named(name: &'static str, method: u8, traits: [bool; 3], description: &'static str) -> NamedCodec {
    let [compresses, is_generic, is_for_time_series] = traits;
    NamedCodec { name, method, compresses, is_generic, is_for_time_series, description }
}

/// Those that CODEC takes beside Default.
pub const CODECS: &[NamedCodec] = &[
    named("NONE", 0x02, [false, false, false], "The bytes as they are."),
    named("LZ4", 0x82, [true, true, false], "Fast both ways, with a fair ratio."),
    named("LZ4HC", 0x82, [true, true, false], "LZ4 that takes more time to write: LZ4HC(level)."),
    named("ZSTD", 0x90, [true, true, false], "A better ratio than LZ4, slower: ZSTD(level)."),
    named("Delta", 0x92, [false, false, false], "Differences of neighbouring values, for a codec behind it."),
    named("T64", 0x93, [true, false, false], "Bits that no value of a block of 64 has are left out."),
    named("DoubleDelta", 0x94, [true, false, false], "Differences of differences: values that grow evenly."),
    named("Gorilla", 0x95, [true, false, true], "XOR with the value before: numbers that change little."),
    named("FPC", 0x98, [true, false, true], "Floats as what predictions of them miss."),
    named("GCD", 0x9a, [false, false, false], "Values divided by what all of them have in common, for a codec behind it."),
];

impl Codec {
    /// Compresses bytes, whatever they are.
    fn is_generic(self) -> bool {
        matches!(self, Codec::Default | Codec::None | Codec::Lz4 | Codec::Lz4Hc(_) | Codec::Zstd(_))
    }
}

fn wrong(code: ErrorCode, text: String) -> Error {
    Error::new(code, text)
}

/// Bytes of a value where the type has one width.
fn width(kind: &SqlType) -> Option<u32> {
    Some(match kind.plain() {
        SqlType::Float32 | SqlType::Date32 | SqlType::DateTime(_) | SqlType::IPv4 => 4,
        SqlType::Float64 | SqlType::DateTime64(..) => 8,
        SqlType::Date | SqlType::Enum16(_) | SqlType::BFloat16 => 2,
        SqlType::Bool | SqlType::Enum8(_) => 1,
        SqlType::Uuid | SqlType::IPv6 => 16,
        SqlType::FixedString(length) => *length as u32,
        SqlType::Decimal { precision: ..=9, .. } => 4,
        SqlType::Decimal { precision: ..=18, .. } => 8,
        SqlType::Decimal { precision: ..=38, .. } => 16,
        SqlType::Decimal { .. } => 32,
        SqlType::Array(inner) => return width(inner),
        other => return other.integer_bits().map(|(bits, _)| u32::from(bits) / 8),
    })
}

fn element(kind: &SqlType) -> &SqlType {
    match kind.plain() {
        SqlType::Array(inner) => element(inner),
        plain => plain,
    }
}

/// Types of several columns, each of which is written by itself.
fn is_compound(kind: &SqlType) -> bool {
    matches!(element(kind), SqlType::Tuple(_) | SqlType::Map(..))
}

/// Types of the columns that a column is written as.
fn leaves(kind: &SqlType) -> Vec<&SqlType> {
    match element(kind) {
        SqlType::Tuple(fields) => fields.iter().flat_map(|(_, kind)| leaves(kind)).collect(),
        SqlType::Map(key, value) => leaves(key).into_iter().chain(leaves(value)).collect(),
        leaf => vec![leaf],
    }
}

/// Whole numbers, decimals, days and times.
fn has_divisors(kind: &SqlType) -> bool {
    kind.integer_bits().is_some()
        || kind.is_decimal()
        || matches!(kind, SqlType::Bool | SqlType::Date | SqlType::Date32 | SqlType::DateTime(_) | SqlType::DateTime64(..))
}

/// `Delta(4), ZSTD` apart at its commas.
fn steps(text: &str) -> Vec<&str> {
    let (mut steps, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                steps.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    steps.push(text[start..].trim());
    steps.into_iter().filter(|step| !step.is_empty()).collect()
}

/// How many arguments a codec may have, in the words of the error for more of them.
fn check_arguments(family: &str, given: usize) -> Result<()> {
    let (most, words) = match family {
        "LZ4HC" => (1, "LZ4HC codec must have 1 parameter"),
        "ZSTD" => (2, "ZSTD codec must have 1 or 2 parameters"),
        "DELTA" => (1, "Delta codec must have 1 parameter"),
        "DOUBLEDELTA" => (1, "DoubleDelta codec must have 1 parameter"),
        "GORILLA" => (1, "Gorilla codec must have 1 parameter"),
        "GCD" => (0, "GCD codec must have 0 parameters"),
        "T64" => (1, "T64 support zero or one parameter"),
        "FPC" => (2, "FPC codec must have from 0 to 2 parameters"),
        _ => return Ok(()),
    };
    match given > most {
        true => Err(wrong(ErrorCode::ILLEGAL_SYNTAX_FOR_CODEC_TYPE, format!("{words}, given {given}"))),
        false => Ok(()),
    }
}

/// One step and its canonical text. One that is made for values of a type has to suit each column that the type is written as.
fn step(text: &str, kind: &SqlType) -> Result<(Codec, String)> {
    let (name, arguments) = match text.split_once('(') {
        Some((name, rest)) => (name.trim(), rest.trim_end().trim_end_matches(')')),
        None => (text, ""),
    };
    let arguments: Vec<&str> = arguments.split(',').map(str::trim).filter(|text| !text.is_empty()).collect();
    let family = name.to_ascii_uppercase();
    check_arguments(&family, arguments.len())?;
    if is_compound(kind) {
        leaves(kind).into_iter().try_for_each(|leaf| step(text, leaf).map(drop))?;
    }
    let number = |text: &str| {
        text.parse::<u32>().map_err(|_| {
            wrong(
                ErrorCode::ILLEGAL_CODEC_PARAMETER,
                format!("{name} codec argument must be an unsigned integer, found {text}"),
            )
        })
    };
    let plain = |codec: Codec, name: &str| match arguments.is_empty() {
        true => Ok((codec, name.to_string())),
        false => {
            Err(wrong(ErrorCode::DATA_TYPE_CANNOT_HAVE_ARGUMENTS, format!("Compression codec {name} cannot have arguments")))
        }
    };
    let fixed = |codec: &str| match width(kind) {
        Some(width) => Ok(width),
        None => Err(wrong(
            ErrorCode::BAD_ARGUMENTS,
            format!("Codec {codec} is not applicable for {kind} because the data type is not of fixed size"),
        )),
    };
    let bytes = |codec: &str| -> Result<u32> {
        let given = arguments.first().map(|text| number(text)).transpose()?;
        let width = match given {
            Some(width) => width,
            None => fixed(codec)?,
        };
        if !matches!(width, 1 | 2 | 4 | 8) {
            return Err(match given {
                Some(width) => wrong(
                    ErrorCode::ILLEGAL_CODEC_PARAMETER,
                    format!("{codec} value for {} codec can be 1, 2, 4 or 8, given {width}", codec.to_lowercase()),
                ),
                None => wrong(
                    ErrorCode::BAD_ARGUMENTS,
                    format!("Codec {codec} is only applicable for data types of size 1, 2, 4, 8 bytes. Given type {kind}"),
                ),
            });
        }
        fixed(codec)?;
        Ok(width)
    };
    match family.as_str() {
        "DEFAULT" => plain(Codec::Default, "Default"),
        "NONE" => plain(Codec::None, "NONE"),
        "LZ4" => plain(Codec::Lz4, "LZ4"),
        "LZ4HC" => {
            let level = arguments.first().map_or(Ok(0), |text| number(text))?;
            Ok((Codec::Lz4Hc(level), format!("LZ4HC({level})")))
        }
        "ZSTD" => {
            let level = arguments.first().map_or(Ok(1), |text| number(text))?;
            if level > 22 {
                return Err(wrong(
                    ErrorCode::ILLEGAL_CODEC_PARAMETER,
                    format!("ZSTD codec can't have level more than 22, given {level}"),
                ));
            }
            let window = arguments.get(1).map(|text| number(text)).transpose()?;
            if let Some(window) = window.filter(|window| *window != 0 && !(10..=31).contains(window)) {
                return Err(wrong(
                    ErrorCode::ILLEGAL_CODEC_PARAMETER,
                    format!("ZSTD codec can't have window log more than 31 and lower than 10, given {window}"),
                ));
            }
            let window = window.map_or_else(String::new, |window| format!(", {window}"));
            Ok((Codec::Zstd(level), format!("ZSTD({level}{window})")))
        }
        "DELTA" if is_compound(kind) => Ok((Codec::Delta(None), "Delta".to_string())),
        "DELTA" => bytes("Delta").map(|width| (Codec::Delta(Some(width)), format!("Delta({width})"))),
        "DOUBLEDELTA" if is_compound(kind) => plain(Codec::DoubleDelta, "DoubleDelta"),
        "DOUBLEDELTA" => {
            let width = bytes("DoubleDelta")?;
            let given = !arguments.is_empty();
            Ok((Codec::DoubleDelta, if given { format!("DoubleDelta({width})") } else { "DoubleDelta".to_string() }))
        }
        "GORILLA" if is_compound(kind) => plain(Codec::Gorilla, "Gorilla"),
        "GORILLA" => bytes("Gorilla").map(|width| (Codec::Gorilla, format!("Gorilla({width})"))),
        "GCD" if !is_compound(kind) && !has_divisors(element(kind)) => Err(wrong(
            ErrorCode::BAD_ARGUMENTS,
            format!(
                "Codec GCD cannot be applied to column {kind} because it can only be used with Int*, UInt*, Decimal*, Date* or \
                 DateTime* types"
            ),
        )),
        "GCD" => Ok((Codec::Gcd, "GCD".to_string())),
        "T64" => {
            let of_numbers = element(kind).integer_bits().is_some_and(|(bits, _)| bits <= 64)
                || matches!(
                    element(kind),
                    SqlType::Date
                        | SqlType::Date32
                        | SqlType::DateTime(_)
                        | SqlType::DateTime64(..)
                        | SqlType::Enum8(_)
                        | SqlType::Enum16(_)
                        | SqlType::IPv4
                        | SqlType::Decimal { precision: ..=18, .. }
                );
            if !of_numbers && !is_compound(kind) {
                return Err(wrong(
                    ErrorCode::ILLEGAL_SYNTAX_FOR_CODEC_TYPE,
                    format!("T64 codec is not supported for specified type {kind}"),
                ));
            }
            match arguments.first().map(|text| text.trim_matches('\'')) {
                None | Some("byte") => Ok((Codec::T64, "T64".to_string())),
                Some("bit") => Ok((Codec::T64, "T64('bit')".to_string())),
                Some(other) => {
                    Err(wrong(ErrorCode::ILLEGAL_CODEC_PARAMETER, format!("Wrong modification for T64: {other}")))
                }
            }
        }
        "FPC" => {
            if !matches!(element(kind), SqlType::Float32 | SqlType::Float64) && !is_compound(kind) {
                return Err(wrong(
                    ErrorCode::BAD_ARGUMENTS,
                    format!("Codec FPC is not applicable for {kind} because the data type is not Float*"),
                ));
            }
            let level = arguments.first().map_or(Ok(12), |text| number(text))?;
            if !(1..=28).contains(&level) {
                return Err(wrong(
                    ErrorCode::ILLEGAL_CODEC_PARAMETER,
                    "Codec 'FPC' level must be between 1 and 28".to_string(),
                ));
            }
            let width = arguments.get(1).map(|text| number(text)).transpose()?;
            if let Some(width) = width.filter(|width| !matches!(width, 4 | 8)) {
                return Err(wrong(
                    ErrorCode::ILLEGAL_CODEC_PARAMETER,
                    format!("Float size for codec 'FPC' can be 4 or 8, given {width}"),
                ));
            }
            Ok((Codec::Fpc, format!("FPC({level})")))
        }
        _ => Err(wrong(ErrorCode::UNKNOWN_CODEC, format!("Unknown codec family: {name}"))),
    }
}

/// The steps of a codec for a column of a type, and their canonical text: `Delta, ZSTD` is `Delta(4), ZSTD(1)` of a
/// UInt32. `suspicious`: combinations that gain nothing are allowed. Errors: UNKNOWN_CODEC, ILLEGAL_CODEC_PARAMETER,
/// ILLEGAL_SYNTAX_FOR_CODEC_TYPE, DATA_TYPE_CANNOT_HAVE_ARGUMENTS, BAD_ARGUMENTS.
pub fn parse(text: &str, kind: &SqlType, suspicious: bool) -> Result<(Vec<Codec>, String)> {
    let (codecs, texts): (Vec<Codec>, Vec<String>) =
        steps(text).into_iter().map(|text| step(text, kind)).collect::<Result<Vec<_>>>()?.into_iter().unzip();
    let text = texts.join(", ");
    let meaningless = |text: String| {
        Err(wrong(
            ErrorCode::BAD_ARGUMENTS,
            format!("{text}. (Note: you can enable setting 'allow_suspicious_codecs' to skip this check)"),
        ))
    };
    if !suspicious && codecs.len() > 1 && codecs.contains(&Codec::None) {
        return meaningless(format!(
            "It does not make sense to have codec NONE along with other compression codecs: {text}"
        ));
    }
    if !suspicious && codecs.iter().rev().skip(1).any(|codec| codec.is_generic()) {
        return meaningless(format!(
            "The combination of compression codecs {text} is meaningless, because it does not make sense to apply any \
             transformations after generic compression algorithm"
        ));
    }
    let of_floats = codecs.iter().position(|codec| matches!(codec, Codec::Gorilla | Codec::Fpc));
    if !suspicious && of_floats.is_some() && !leaves(kind).iter().any(|leaf| leaf.is_float()) {
        return meaningless(format!(
            "The combination of compression codecs {text} is meaningless, because it does not make sense to apply a \
             floating-point time series codec to non-floating-point columns"
        ));
    }
    let differences = codecs.iter().position(|codec| matches!(codec, Codec::Delta(_) | Codec::DoubleDelta));
    if !suspicious && differences.zip(of_floats).is_some_and(|(differences, floats)| differences < floats) {
        return meaningless(format!(
            "The combination of compression codecs {text} is meaningless, because floating point time series codecs do delta \
             compression implicitly by themselves"
        ));
    }
    let compresses = |codec: &Codec| !matches!(codec, Codec::Delta(_) | Codec::Gcd);
    if !suspicious && !codecs.is_empty() && !codecs.iter().any(compresses) {
        return meaningless(format!(
            "Compression codec {text} does not compress anything. You may want to add generic compression algorithm after \
             other transformations, like: {text}, LZ4"
        ));
    }
    Ok((codecs, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str, kind: &str) -> Result<String> {
        parse(text, &kind.parse()?, false).map(|(_, text)| text)
    }

    #[test]
    fn a_codec_is_shown_with_the_arguments_that_it_has() {
        for (text, kind, shown) in [
            ("Delta, ZSTD", "UInt32", "Delta(4), ZSTD(1)"),
            ("LZ4HC(9)", "String", "LZ4HC(9)"),
            ("gorilla,LZ4", "Nullable(Float64)", "Gorilla(8), LZ4"),
            ("ZSTD(1, 24)", "String", "ZSTD(1, 24)"),
            ("FPC", "Array(Float32)", "FPC(12)"),
            ("Gorilla, LZ4", "Tuple(UInt64, Float32)", "Gorilla, LZ4"),
        ] {
            assert_eq!(canonical(text, kind).expect(text), shown);
        }
    }

    #[test]
    fn what_cannot_be_or_gains_nothing_is_refused() {
        for (text, kind, code) in [
            ("Nope", "String", ErrorCode::UNKNOWN_CODEC),
            ("Delta", "String", ErrorCode::BAD_ARGUMENTS),
            ("ZSTD, LZ4", "UInt8", ErrorCode::BAD_ARGUMENTS),
            ("ZSTD(99)", "UInt8", ErrorCode::ILLEGAL_CODEC_PARAMETER),
            ("Delta(3), LZ4", "UInt8", ErrorCode::ILLEGAL_CODEC_PARAMETER),
            ("Delta", "UInt8", ErrorCode::BAD_ARGUMENTS),
            ("T64", "String", ErrorCode::ILLEGAL_SYNTAX_FOR_CODEC_TYPE),
            ("LZ4(3)", "String", ErrorCode::DATA_TYPE_CANNOT_HAVE_ARGUMENTS),
            ("NONE, LZ4", "String", ErrorCode::BAD_ARGUMENTS),
            ("Gorilla, LZ4", "UInt64", ErrorCode::BAD_ARGUMENTS),
            ("Delta, FPC", "Float64", ErrorCode::BAD_ARGUMENTS),
            ("FPC(29)", "Float64", ErrorCode::ILLEGAL_CODEC_PARAMETER),
            ("Delta(1, 2), LZ4", "UInt8", ErrorCode::ILLEGAL_SYNTAX_FOR_CODEC_TYPE),
            ("Delta, LZ4", "Map(String, UInt64)", ErrorCode::BAD_ARGUMENTS),
            ("GCD, LZ4", "UUID", ErrorCode::BAD_ARGUMENTS),
        ] {
            assert_eq!(canonical(text, kind).expect_err(text).code(), code, "{text}");
        }
    }
}
