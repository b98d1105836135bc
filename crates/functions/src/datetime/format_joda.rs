//! Pattern letters of Joda time: repeated letters give the number of digits, quotes enclose text.

use gristmill_base::{Error, ErrorCode, Result};

use super::format::Letters;
use super::format_pattern::{Piece, joined};
use crate::define::bad_argument;

/// Errors: BAD_ARGUMENTS for quotes that are not closed, NOT_IMPLEMENTED for letters that there are none of and short names of
/// zones, which are read only.
pub fn compile(name: &str, pattern: &str, usage: Letters) -> Result<Vec<Piece>> {
    let letters: Vec<char> = pattern.chars().collect();
    let mut pieces = Vec::new();
    let literal = |c: char| Piece::Literal(c.encode_utf8(&mut [0; 4]).as_bytes().to_vec());
    let mut i = 0;
    while i < letters.len() {
        let letter = letters[i];
        if letter == '\'' {
            i = quoted(name, &letters, i, &mut pieces)?;
            continue;
        }
        let count = letters[i..].iter().take_while(|c| **c == letter).count();
        i += count;
        let two_digits = count == 2;
        let piece = match letter {
            'G' if count >= 4 && !usage.reads => Piece::Literal(b"Anno Domini".to_vec()),
            'G' => Piece::Era,
            'C' => Piece::Century(count),
            'y' | 'Y' if two_digits => Piece::YearOfCentury,
            'y' | 'Y' => Piece::Year(count),
            'x' => Piece::IsoYear(count),
            'w' => Piece::IsoWeek(count),
            'e' => Piece::Weekday(count),
            'E' if count >= 4 => Piece::WeekdayLong,
            'E' => Piece::WeekdayShort,
            'D' => Piece::DayOfYear(count),
            'M' if count >= 4 => Piece::MonthLong,
            'M' if count == 3 => Piece::MonthShort,
            'M' => Piece::Month(count),
            'd' => Piece::Day(count),
            'a' => Piece::HalfDay,
            'K' => Piece::HourOfHalfFromZero(count),
            'h' => Piece::HourOfHalf(count),
            'H' => Piece::Hour(count),
            'k' => Piece::HourFromOne(count),
            'm' => Piece::Minute(count),
            's' => Piece::Second(count),
            'S' => Piece::Fraction(count.min(9)),
            'z' if count >= 4 || usage.reads => Piece::ZoneName,
            'Z' if count < 3 => Piece::Offset,
            'z' | 'Z' => {
                return Err(Error::new(
                    ErrorCode::NOT_IMPLEMENTED,
                    format!("Function {name}: short names of time zones are not supported: write 'zzzz' for the full name"),
                ));
            }
            letter if letter.is_ascii_alphabetic() => {
                return Err(Error::not_implemented(format!("the letter '{letter}' in the pattern of function {name}")));
            }
            letter => {
                for _ in 1..count {
                    pieces.push(literal(letter));
                }
                literal(letter)
            }
        };
        pieces.push(piece);
    }
    Ok(joined(pieces))
}

/// Text in quotes that begin at `start`; two quotes in a row are one. Returns what follows.
fn quoted(name: &str, letters: &[char], start: usize, pieces: &mut Vec<Piece>) -> Result<usize> {
    let mut text = String::new();
    let mut i = start + 1;
    if letters.get(i) == Some(&'\'') {
        pieces.push(Piece::Literal(b"'".to_vec()));
        return Ok(i + 1);
    }
    while let Some(letter) = letters.get(i) {
        match (letter, letters.get(i + 1)) {
            ('\'', Some('\'')) => {
                text.push('\'');
                i += 2;
            }
            ('\'', _) => {
                pieces.push(Piece::Literal(text.into_bytes()));
                return Ok(i + 1);
            }
            (letter, _) => {
                text.push(*letter);
                i += 1;
            }
        }
    }
    Err(bad_argument(name, "a quote in the pattern is not closed"))
}
