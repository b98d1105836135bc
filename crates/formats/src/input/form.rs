//! Form: one row of `name=value` pairs between ampersands, percent-encoded, as browsers send forms.

use gristmill_base::{ErrorCode, Result};

use super::Rows;
use super::chunked::{RowReader, Step};

pub(crate) struct FormReader;

/// A pair at the start of the data: its name and value decoded, and the bytes it takes with the ampersand behind it.
pub(crate) struct Pair {
    pub name: Vec<u8>,
    pub value: Vec<u8>,
    pub bytes: usize,
}

/// Why there is no pair.
pub(crate) enum NoPair {
    NoEquals,
    NoHexDigits,
}

impl NoPair {
    pub fn reason(&self) -> (ErrorCode, &'static str) {
        match self {
            NoPair::NoEquals => (
                ErrorCode::CANNOT_PARSE_INPUT_ASSERTION_FAILED,
                "Cannot parse input: expected '=' behind the name of a field",
            ),
            NoPair::NoHexDigits => {
                (ErrorCode::CANNOT_PARSE_ESCAPE_SEQUENCE, "Two hexadecimal digits must follow a percent sign")
            }
        }
    }
}

/// Takes the first pair.
pub(crate) fn next_pair(input: &[u8]) -> std::result::Result<Pair, NoPair> {
    let end = memchr::memchr(b'&', input).unwrap_or(input.len());
    let pair = &input[..end];
    let equals = memchr::memchr(b'=', pair).ok_or(NoPair::NoEquals)?;
    Ok(Pair { name: decoded(&pair[..equals])?, value: decoded(&pair[equals + 1..])?, bytes: (end + 1).min(input.len()) })
}

/// A plus sign is itself, as ClickHouse has it.
fn decoded(text: &[u8]) -> std::result::Result<Vec<u8>, NoPair> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'%', rest) {
        out.extend_from_slice(&rest[..at]);
        let digits = rest.get(at + 1..at + 3).and_then(|digits| std::str::from_utf8(digits).ok());
        let digits = digits.filter(|digits| digits.bytes().all(|c| c.is_ascii_hexdigit()));
        out.push(digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()).ok_or(NoPair::NoHexDigits)?);
        rest = &rest[at + 3..];
    }
    out.extend_from_slice(rest);
    Ok(out)
}

impl RowReader for FormReader {
    fn step(&mut self, input: &[u8], last: bool, rows: &mut Rows) -> Result<Step> {
        if !last {
            return Ok(Step::More);
        }
        Ok(match read(input, rows) {
            Ok(()) => Step::Row(input.len()),
            Err(error) => Step::Bad(input.len(), error),
        })
    }
}

fn read(input: &[u8], rows: &mut Rows) -> Result<()> {
    let mut rest = input;
    while !rest.is_empty() {
        let Pair { name, value, bytes } = next_pair(rest).map_err(|none| {
            let (code, reason) = none.reason();
            rows.wrong(code, reason)
        })?;
        rest = &rest[bytes..];
        match rows.find(&name) {
            None => rows.unknown_field(&name)?,
            Some(column) if rows.has_value(column) => {
                let name = String::from_utf8_lossy(&name).into_owned();
                let text = format!("Duplicate field found while parsing Form format: {name}");
                return Err(rows.wrong(ErrorCode::INCORRECT_DATA, text));
            }
            Some(column) => rows.whole(column, &value)?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_decoded_one_by_one() {
        let first = next_pair(b"a%20b=x%26y+z&c=").ok().expect("a pair");
        assert_eq!((&first.name[..], &first.value[..], first.bytes), (&b"a b"[..], &b"x&y+z"[..], 14));
        let last = next_pair(b"c=").ok().expect("a pair");
        assert_eq!((&last.name[..], last.value.len(), last.bytes), (&b"c"[..], 0, 2));
        for wrong in [&b"a=%2"[..], b"a=%zz", b"a=%+1", b"a"] {
            assert!(next_pair(wrong).is_err());
        }
    }
}
