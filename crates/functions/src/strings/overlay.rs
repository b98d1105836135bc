//! Pieces of strings put elsewhere: `overlay`, `reverseBySeparator`, `printf`; and questions about them: `hasSubsequence`,
//! `stringBytesUniq`, `stringBytesEntropy`, `stringJaccardIndex`.

use std::collections::HashSet;

use SqlType as T;
use arrow::datatypes::{Float64Type, Int64Type, UInt16Type};
use gristmill_base::Result;
use gristmill_types::SqlType;

use super::utf8;
use crate::columns::{Bytes, Numbers, bytes_to, numbers, strings, truths};
use crate::define::{arity, bad_argument, expect_integer, expect_string, need_constant_text, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    registry.scalar("overlay", plain(|name, arguments, _| overlay(name, arguments, false)));
    registry.any_case("overlay");
    registry.scalar("overlayUTF8", plain(|name, arguments, _| overlay(name, arguments, true)));
    registry.scalar("reverseBySeparator", plain(|name, arguments, _| reverse(name, arguments)));
    for (name, fold) in [
        ("hasSubsequence", false),
        ("hasSubsequenceUTF8", false),
        ("hasSubsequenceCaseInsensitive", true),
        ("hasSubsequenceCaseInsensitiveUTF8", true),
    ] {
        registry.scalar(name, plain(move |name, arguments, _| subsequence(name, arguments, fold)));
        registry.any_case(name);
    }
    registry.scalar(
        "stringBytesUniq",
        plain(|name, arguments, _| {
            arity(name, arguments, 1..=1)?;
            expect_string(name, arguments, 0)?;
            Ok(Bound::new(T::UInt16, |args, _| {
                bytes_to::<UInt16Type>(&args[0], |text| counts(text).iter().filter(|count| **count > 0).count() as u16)
            }))
        }),
    );
    registry.scalar(
        "stringBytesEntropy",
        plain(|name, arguments, _| {
            arity(name, arguments, 1..=1)?;
            expect_string(name, arguments, 0)?;
            Ok(Bound::new(T::Float64, |args, _| bytes_to::<Float64Type>(&args[0], entropy)))
        }),
    );
    for (name, points) in [("stringJaccardIndex", false), ("stringJaccardIndexUTF8", true)] {
        registry.scalar(
            name,
            plain(move |name, arguments, _| {
                arity(name, arguments, 2..=2)?;
                expect_string(name, arguments, 0)?;
                expect_string(name, arguments, 1)?;
                Ok(Bound::new(T::Float64, move |args, rows| {
                    let (a, b) = (Bytes::of(&args[0])?, Bytes::of(&args[1])?);
                    numbers::<Float64Type>(rows, |row| Ok(jaccard(a.get(row), b.get(row), points)))
                }))
            }),
        );
    }
    registry.scalar(
        "printf",
        plain(|name, arguments, env| {
            arity(name, arguments, 1..=usize::MAX)?;
            expect_string(name, arguments, 0)?;
            // A Float32 is printed with the digits of its value.
            let kinds = arguments.iter().map(|argument| match &argument.kind {
                T::Float32 => T::Float64,
                other => other.clone(),
            });
            let kinds: Vec<SqlType> = kinds.collect();
            let (name, env) = (name.to_string(), env.clone());
            Ok(Bound::cast(kinds.clone(), T::String, move |args, rows| {
                let (patterns, texts) = (Bytes::of(&args[0])?, crate::text::Texts::all(args, &kinds, &env)?);
                let mut value = Vec::new();
                strings(rows, |row, out| {
                    let mut next = 1;
                    print(&name, patterns.get(row), out, |out_value| {
                        value.clear();
                        let Some(text) = texts.get(next) else { return false };
                        text.write(row, &mut value);
                        next += 1;
                        out_value.clone_from(&value);
                        true
                    })
                })
            }))
        }),
    );
}

/// Text, replacement, place from 1 (negative: from the end), length (that of the replacement).
fn overlay(name: &str, arguments: &[Argument], points: bool) -> Result<Bound> {
    arity(name, arguments, 3..=4)?;
    expect_string(name, arguments, 0)?;
    expect_string(name, arguments, 1)?;
    let mut casts = vec![arguments[0].kind.clone(), arguments[1].kind.clone()];
    for i in 2..arguments.len() {
        expect_integer(name, arguments, i)?;
        casts.push(T::Int64);
    }
    Ok(Bound::cast(casts, T::String, move |args, rows| {
        let (texts, replacements) = (Bytes::of(&args[0])?, Bytes::of(&args[1])?);
        let places = Numbers::of::<Int64Type>(&args[2])?;
        let lengths = args.get(3).map(Numbers::of::<Int64Type>).transpose()?;
        strings(rows, |row, out| {
            let (text, replacement) = (texts.get(row), replacements.get(row));
            let count = |text: &[u8]| if points { utf8::count(text) } else { text.len() };
            let total = count(text) as i64;
            let start = match places.get(row) {
                place if place > 0 => (place - 1).min(total),
                place => total.saturating_add(place).max(0),
            };
            let length = match lengths.map(|lengths| lengths.get(row)) {
                Some(length) if length >= 0 => length,
                _ => count(replacement) as i64,
            };
            let end = start.saturating_add(length).min(total);
            let byte = |place: i64| {
                if points { utf8::points(text).take(place as usize).map(<[u8]>::len).sum() } else { place as usize }
            };
            out.extend_from_slice(&text[..byte(start)]);
            out.extend_from_slice(replacement);
            out.extend_from_slice(&text[byte(end)..]);
            Ok(())
        })
    }))
}

fn reverse(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=2)?;
    expect_string(name, arguments, 0)?;
    let separator = if arguments.len() == 2 { need_constant_text(name, arguments, 1)?.into_bytes() } else { b".".to_vec() };
    if separator.is_empty() {
        // Each byte stands for itself.
        return Ok(Bound::new(T::String, |args, rows| {
            let texts = Bytes::of(&args[0])?;
            strings(rows, |row, out| {
                out.extend(texts.get(row).iter().rev());
                Ok(())
            })
        }));
    }
    Ok(Bound::new(T::String, move |args, rows| {
        let texts = Bytes::of(&args[0])?;
        let finder = memchr::memmem::Finder::new(&separator);
        strings(rows, |row, out| {
            let text = texts.get(row);
            let mut end = text.len();
            let starts: Vec<usize> = finder.find_iter(text).collect();
            for start in starts.into_iter().rev() {
                out.extend_from_slice(&text[(start + separator.len()).min(end)..end]);
                out.extend_from_slice(&separator);
                end = start;
            }
            out.extend_from_slice(&text[..end]);
            Ok(())
        })
    }))
}

fn subsequence(name: &str, arguments: &[Argument], fold: bool) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    expect_string(name, arguments, 0)?;
    expect_string(name, arguments, 1)?;
    Ok(Bound::new(T::UInt8, move |args, rows| {
        let (texts, wanted) = (Bytes::of(&args[0])?, Bytes::of(&args[1])?);
        let found = |text: &[u8], wanted: &[u8]| {
            let mut letters = text.iter();
            wanted.iter().all(|letter| letters.any(|found| found == letter))
        };
        truths(rows, |row| {
            if !fold {
                return found(texts.get(row), wanted.get(row));
            }
            let lower = |text: &[u8]| String::from_utf8_lossy(text).to_lowercase();
            found(lower(texts.get(row)).as_bytes(), lower(wanted.get(row)).as_bytes())
        })
    }))
}

fn counts(text: &[u8]) -> [u32; 256] {
    let mut counts = [0; 256];
    text.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    counts
}

/// Bits of information in a byte.
fn entropy(text: &[u8]) -> f64 {
    let total = text.len() as f64;
    let share = |count: &u32| f64::from(*count) / total;
    counts(text).iter().filter(|count| **count > 0).fold(0.0, |bits, count| bits - share(count) * share(count).log2())
}

/// Characters that two texts share, among all that they have.
fn jaccard(a: &[u8], b: &[u8], points: bool) -> f64 {
    let characters = |text: &'_ [u8]| -> HashSet<Vec<u8>> {
        if points { utf8::points(text).map(<[u8]>::to_vec).collect() } else { text.chunks(1).map(<[u8]>::to_vec).collect() }
    };
    let (a, b) = (characters(a), characters(b));
    let shared = a.intersection(&b).count();
    shared as f64 / (a.len() + b.len() - shared).max(1) as f64
}

/// Letters that say how wide an argument is, which is known here: `%lld`.
const WIDTHS: [char; 6] = ['h', 'l', 'q', 'j', 'z', 't'];

/// C's `%s`, `%d`, `%5.2f`, `%x`, …; `%%` is a percent sign. `next` gives the arguments as texts.
fn print(name: &str, pattern: &[u8], out: &mut Vec<u8>, mut next: impl FnMut(&mut Vec<u8>) -> bool) -> Result<()> {
    let mut rest = pattern;
    let mut value = Vec::new();
    while let Some(at) = memchr::memchr(b'%', rest) {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(b"%") {
            out.push(b'%');
            rest = after;
            continue;
        }
        let end = rest
            .iter()
            .position(|c| c.is_ascii_alphabetic() && !WIDTHS.contains(&char::from(*c)))
            .ok_or_else(|| bad_argument(name, "the pattern ends within '%'"))?;
        let (flags, kind) = (&rest[..end], rest[end]);
        rest = &rest[end + 1..];
        if !next(&mut value) {
            return Err(bad_argument(name, "the pattern has more places than there are arguments"));
        }
        let flags = std::str::from_utf8(flags).unwrap_or("");
        let spec = flags.trim_start_matches(['-', '+', ' ', '0', '#']);
        let marks = &flags[..flags.len() - spec.len()];
        let spec = spec.trim_end_matches(WIDTHS);
        let (width, precision) =
            spec.split_once('.').map_or((spec, None), |(width, precision)| (width, precision.parse().ok()));
        // A width or precision beyond this is a mistake.
        let width = width.parse::<usize>().unwrap_or(0).min(4096);
        let precision: Option<usize> = precision.map(|precision: usize| precision.min(4096));
        let text = String::from_utf8_lossy(&value).into_owned();
        let integer =
            || text.parse::<i128>().ok().or_else(|| text.parse::<f64>().ok().map(|value| value as i128)).unwrap_or(0);
        let float = || text.parse::<f64>().unwrap_or(0.0);
        let has_base = marks.contains('#');
        let mut body = match kind {
            b'd' | b'i' | b'u' => integer().to_string(),
            b'x' if has_base && integer() != 0 => format!("{:#x}", integer() as u64),
            b'x' => format!("{:x}", integer() as u64),
            b'X' => format!("{:X}", integer() as u64),
            b'o' if has_base && integer() != 0 => format!("0{:o}", integer() as u64),
            b'o' => format!("{:o}", integer() as u64),
            b'c' => char::from_u32(integer().clamp(0, 0x10_FFFF) as u32).unwrap_or(char::REPLACEMENT_CHARACTER).to_string(),
            b'f' | b'F' if float().is_nan() => "nan".to_string(),
            b'f' | b'F' => format!("{:.*}", precision.unwrap_or(6), float()),
            b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                let mut text = if matches!(kind, b'g' | b'G') {
                    general(float(), precision.unwrap_or(6).max(1))
                } else {
                    exponential(float(), precision.unwrap_or(6))
                };
                if kind.is_ascii_uppercase() {
                    text.make_ascii_uppercase();
                }
                text
            }
            _ => precision.map_or(text.clone(), |precision| text.chars().take(precision).collect()),
        };
        let signed = matches!(kind, b'd' | b'i' | b'f' | b'F' | b'e' | b'E' | b'g' | b'G');
        if signed && marks.contains('+') && !body.starts_with('-') {
            body.insert(0, '+');
        } else if signed && marks.contains(' ') && !body.starts_with('-') {
            body.insert(0, ' ');
        }
        let missing = width.saturating_sub(body.chars().count());
        if marks.contains('-') {
            body.push_str(&" ".repeat(missing));
        } else if marks.contains('0') && kind != b's' {
            let sign = usize::from(body.starts_with(['-', '+']));
            body.insert_str(sign, &"0".repeat(missing));
        } else {
            body.insert_str(0, &" ".repeat(missing));
        }
        out.extend_from_slice(body.as_bytes());
    }
    out.extend_from_slice(rest);
    Ok(())
}

/// So many digits, none of them a zero at the end: with an exponent where that is large or small.
fn general(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return value.to_string().to_ascii_lowercase();
    }
    let behind_point = digits - 1;
    let scientific = format!("{value:.behind_point$e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i64 = exponent.parse().unwrap_or(0);
    let without_zeros = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text.to_string(),
    };
    match usize::try_from(digits as i64 - 1 - exponent) {
        Ok(decimals) if exponent >= -4 => without_zeros(&format!("{value:.decimals$}")),
        _ => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{}e{sign}{:0>2}", without_zeros(mantissa), exponent.unsigned_abs())
        }
    }
}

/// `1.500000e+03`
fn exponential(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => {
            let (sign, digits) = exponent.strip_prefix('-').map_or(('+', exponent), |digits| ('-', digits));
            format!("{mantissa}e{sign}{digits:0>2}")
        }
        None => text,
    }
}
