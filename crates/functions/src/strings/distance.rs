//! Likeness of texts: edit distances, `soundex`.

use SqlType as T;
use arrow::datatypes::{ArrowPrimitiveType, Float64Type, UInt64Type};
use gristmill_base::Result;
use gristmill_types::SqlType;

use super::{text_function, utf8};
use crate::columns::{Bytes, numbers};
use crate::define::{arity, bad_argument, expect_string, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    registry.scalar("editDistance", plain(|name, arguments, _| pairs::<UInt64Type>(name, arguments, T::UInt64, edits)));
    registry.alias("levenshteinDistance", "editDistance");
    registry.scalar(
        "editDistanceUTF8",
        plain(|name, arguments, _| {
            pairs::<UInt64Type>(name, arguments, T::UInt64, |a, b| {
                let (a, b): (Vec<&[u8]>, Vec<&[u8]>) = (utf8::points(a).collect(), utf8::points(b).collect());
                edits(&a, &b)
            })
        }),
    );
    registry.alias("levenshteinDistanceUTF8", "editDistanceUTF8");
    registry.scalar(
        "damerauLevenshteinDistance",
        plain(|name, arguments, _| pairs::<UInt64Type>(name, arguments, T::UInt64, damerau)),
    );
    registry.scalar(
        "byteHammingDistance",
        plain(|name, arguments, _| {
            pairs::<UInt64Type>(name, arguments, T::UInt64, |a, b| {
                // Bytes that the other one has no match for differ.
                let differing = a.iter().zip(b).filter(|(a, b)| a != b).count();
                Ok((differing + a.len().abs_diff(b.len())) as u64)
            })
        }),
    );
    registry.alias("mismatches", "byteHammingDistance");
    registry.scalar(
        "jaroSimilarity",
        plain(|name, arguments, _| pairs::<Float64Type>(name, arguments, T::Float64, |a, b| Ok(jaro(a, b)))),
    );
    registry.scalar(
        "jaroWinklerSimilarity",
        plain(|name, arguments, _| {
            pairs::<Float64Type>(name, arguments, T::Float64, |a, b| {
                let jaro = jaro(a, b);
                let prefix = a.iter().zip(b).take(4).take_while(|(a, b)| a == b).count();
                Ok(if jaro > 0.7 { jaro + 0.1 * prefix as f64 * (1.0 - jaro) } else { jaro })
            })
        }),
    );
    registry.scalar("soundex", text_function(soundex));
    registry.any_case("soundex");
}

fn pairs<R: ArrowPrimitiveType>(
    name: &str,
    arguments: &[Argument],
    result: SqlType,
    f: fn(&[u8], &[u8]) -> Result<R::Native>,
) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    expect_string(name, arguments, 0)?;
    expect_string(name, arguments, 1)?;
    Ok(Bound::new(result, move |args, rows| {
        let (a, b) = (Bytes::of(&args[0])?, Bytes::of(&args[1])?);
        numbers::<R>(rows, |row| f(a.get(row), b.get(row)))
    }))
}

const LONG: usize = 1 << 16;

fn check(a: usize, b: usize) -> Result<()> {
    if a > LONG || b > LONG {
        return Err(bad_argument("editDistance", format!("texts longer than {LONG} are not compared")));
    }
    Ok(())
}

/// Levenshtein distance, by rows of the table.
fn edits<C: PartialEq>(a: &[C], b: &[C]) -> Result<u64> {
    check(a.len(), b.len())?;
    let mut row: Vec<u64> = (0..=b.len() as u64).collect();
    for (i, from) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i as u64 + 1);
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + u64::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    Ok(row[b.len()])
}

/// As `edits`, with the exchange of two neighbours as one edit.
fn damerau(a: &[u8], b: &[u8]) -> Result<u64> {
    check(a.len(), b.len())?;
    let mut before: Vec<u64> = Vec::new();
    let mut previous: Vec<u64> = (0..=b.len() as u64).collect();
    for i in 1..=a.len() {
        let mut row = vec![i as u64; b.len() + 1];
        for j in 1..=b.len() {
            let changed = u64::from(a[i - 1] != b[j - 1]);
            row[j] = (previous[j] + 1).min(row[j - 1] + 1).min(previous[j - 1] + changed);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + changed);
            }
        }
        before = std::mem::replace(&mut previous, row);
    }
    Ok(previous[b.len()])
}

fn jaro(a: &[u8], b: &[u8]) -> f64 {
    if a.is_empty() || b.is_empty() {
        return f64::from(u8::from(a.is_empty() && b.is_empty()));
    }
    let reach = (a.len().max(b.len()) / 2).saturating_sub(1);
    let mut taken = vec![false; b.len()];
    let mut matched = Vec::new();
    for (i, byte) in a.iter().enumerate() {
        let window = i.saturating_sub(reach)..(i + reach + 1).min(b.len());
        if let Some(j) = window.clone().find(|j| !taken[*j] && b[*j] == *byte) {
            taken[j] = true;
            matched.push(*byte);
        }
    }
    if matched.is_empty() {
        return 0.0;
    }
    let others = b.iter().zip(&taken).filter(|(_, taken)| **taken).map(|(byte, _)| byte);
    let transposed = matched.iter().zip(others).filter(|(a, b)| a != b).count() / 2;
    let m = matched.len() as f64;
    (m / a.len() as f64 + m / b.len() as f64 + (m - transposed as f64) / m) / 3.0
}

fn soundex(text: &[u8], out: &mut Vec<u8>) {
    let code = |byte: u8| match byte.to_ascii_uppercase() {
        b'B' | b'F' | b'P' | b'V' => b'1',
        b'C' | b'G' | b'J' | b'K' | b'Q' | b'S' | b'X' | b'Z' => b'2',
        b'D' | b'T' => b'3',
        b'L' => b'4',
        b'M' | b'N' => b'5',
        b'R' => b'6',
        // H and W do not part equal codes, vowels do.
        b'H' | b'W' => b'-',
        _ => b'0',
    };
    let mut letters = text.iter().copied().filter(u8::is_ascii_alphabetic);
    let Some(first) = letters.next() else {
        out.extend_from_slice(b"0000");
        return;
    };
    out.push(first.to_ascii_uppercase());
    let mut last = code(first);
    for letter in letters {
        let code = code(letter);
        if code == b'-' {
            continue;
        }
        if code != last && code != b'0' {
            out.push(code);
        }
        last = code;
        if out.len() == 4 {
            return;
        }
    }
    out.resize(4, b'0');
}
