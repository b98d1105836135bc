//! Where a chunk of text can be cut so that both sides hold whole rows: what lets one object be parsed on many threads.
//!
//! The chunk must begin at a row border. A line feed is a border unless it belongs to a value: in TSV after a backslash,
//! in CSV within quotes, in JSON within brackets. A quote of CSV opens a field only at the start of one, so a stray quote
//! in plain text does not turn the rest of the chunk inside out.

use gristmill_types::scan::json::JsonCursor;

use super::json_rows::is_cut_off;
use super::tsv::is_escaped;
use crate::Format;

/// The bytes up to the end of the last whole row of a chunk that begins at a row border; `None` where there is none, or
/// where the format cannot be cut: whole documents (JSON, RawBLOB, Parquet, Arrow, ORC, Avro), Values, and JSON rows in one array.
pub fn split_rows(format: Format, bytes: &[u8]) -> Option<usize> {
    use Format as F;
    match format {
        F::Csv | F::CsvWithNames | F::CsvWithNamesAndTypes => csv(bytes),
        F::Tsv | F::TsvWithNames | F::TsvWithNamesAndTypes | F::Tskv => {
            let mut end = bytes.len();
            loop {
                let at = memchr::memrchr(b'\n', &bytes[..end])?;
                if !is_escaped(bytes, at) {
                    return Some(at + 1);
                }
                end = at;
            }
        }
        F::TsvRaw | F::TsvRawWithNames | F::TsvRawWithNamesAndTypes | F::LineAsString => {
            memchr::memrchr(b'\n', bytes).map(|at| at + 1)
        }
        F::JsonEachRow | F::JsonStringsEachRow | F::JsonAsString => json(bytes, b'{'),
        F::JsonCompactEachRow
        | F::JsonCompactEachRowWithNames
        | F::JsonCompactEachRowWithNamesAndTypes
        | F::JsonCompactStringsEachRow
        | F::JsonCompactStringsEachRowWithNames
        | F::JsonCompactStringsEachRowWithNamesAndTypes => json(bytes, b'['),
        _ => None,
    }
}

/// Whether an object whose rows begin with `rows` can be cut by `split_rows` at all.
pub fn is_splittable(format: Format, rows: &[u8]) -> bool {
    use Format as F;
    let opened_by = |open: u8| rows.iter().find(|c| !is_between(**c)).is_none_or(|first| *first == open);
    match format {
        F::Csv | F::CsvWithNames | F::CsvWithNamesAndTypes => true,
        F::Tsv | F::TsvWithNames | F::TsvWithNamesAndTypes | F::Tskv => true,
        F::TsvRaw | F::TsvRawWithNames | F::TsvRawWithNamesAndTypes | F::LineAsString => true,
        F::JsonEachRow | F::JsonStringsEachRow | F::JsonAsString => opened_by(b'{'),
        F::JsonCompactEachRow
        | F::JsonCompactEachRowWithNames
        | F::JsonCompactEachRowWithNamesAndTypes
        | F::JsonCompactStringsEachRow
        | F::JsonCompactStringsEachRowWithNames
        | F::JsonCompactStringsEachRowWithNamesAndTypes => opened_by(b'['),
        _ => false,
    }
}

/// What the rows of data that begins with `head` are read as: the format itself, but JSONEachRow where it is JSON and the
/// data is no document but rows. `None`: `head` does not tell.
pub fn bare_rows(format: Format, head: &[u8]) -> Option<Format> {
    let rows = match format {
        Format::Json => Format::JsonEachRow,
        Format::JsonStrings => Format::JsonStringsEachRow,
        other => return Some(other),
    };
    let mut cursor = JsonCursor::new(head);
    if cursor.peek()? != b'{' {
        return Some(format);
    }
    cursor.at += 1;
    cursor.peek()?;
    let mut scratch = Vec::new();
    match cursor.string(&mut scratch) {
        Ok(key) => Some(if key == b"meta" { format } else { rows }),
        Err(_) if is_cut_off(head) => None,
        Err(_) => Some(rows),
    }
}

fn is_between(c: u8) -> bool {
    matches!(c, b' ' | b'\n' | b'\r' | b'\t' | b',')
}

fn csv(bytes: &[u8]) -> Option<usize> {
    let mut border = None;
    let mut quoted = false;
    for at in memchr::memchr2_iter(b'"', b'\n', bytes) {
        if bytes[at] == b'"' {
            quoted = !quoted && opens_field(bytes, at);
        } else if !quoted {
            border = Some(at + 1);
        }
    }
    border
}

/// Whether a quote stands where a field starts, or reopens one that the quote before it seemed to close.
fn opens_field(bytes: &[u8], at: usize) -> bool {
    match bytes[..at].iter().rev().find(|c| **c != b' ') {
        None => true,
        Some(c) => matches!(c, b'\n' | b',' | b';' | b'|' | b'\t') || (*c == b'"' && bytes[at - 1] == b'"'),
    }
}

/// Space between two rows that is looked through.
const SPACE_MAX: usize = 64;

/// The last line feed between two rows that stand on lines of their own, found from the end. Within a row, JSON has a
/// comma between a closing and an opening bracket, and no bare line feed in a string.
fn json_lines(bytes: &[u8], open: u8) -> Option<usize> {
    let close = open + 2;
    let mut end = bytes.len();
    loop {
        let at = memchr::memrchr(b'\n', &bytes[..end])?;
        let next = bytes[at..].iter().take(SPACE_MAX).find(|c| !c.is_ascii_whitespace());
        let before = bytes[..at].iter().rev().take(SPACE_MAX).find(|c| !c.is_ascii_whitespace());
        if next == Some(&open) && before == Some(&close) {
            return Some(at + 1);
        }
        end = at;
    }
}

fn json(bytes: &[u8], open: u8) -> Option<usize> {
    let first = bytes.iter().find(|c| !is_between(**c))?;
    if *first != open {
        return None;
    }
    if let Some(border) = json_lines(bytes, open) {
        return Some(border);
    }
    let mut border = None;
    let mut depth = 0usize;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at += 1;
                loop {
                    match memchr::memchr2(b'"', b'\\', bytes.get(at..)?) {
                        None => return border,
                        Some(found) if bytes[at + found] == b'\\' => at += found + 2,
                        Some(found) => {
                            at += found;
                            break;
                        }
                    }
                    if at >= bytes.len() {
                        return border;
                    }
                }
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    border = Some(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
    border
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(format: Format, text: &str) -> Option<&str> {
        split_rows(format, text.as_bytes()).map(|at| &text[..at])
    }

    #[test]
    fn a_line_feed_within_quotes_is_no_border() {
        assert_eq!(cut(Format::Csv, "1,\"a\nb\"\n2,\"c\nd"), Some("1,\"a\nb\"\n"));
        assert_eq!(cut(Format::Csv, "1,\"a\"\"\nb"), None);
        assert_eq!(cut(Format::Csv, "5\" pipe,1\n6\" pipe,2\n7"), Some("5\" pipe,1\n6\" pipe,2\n"));
    }

    #[test]
    fn an_escaped_line_feed_is_no_border() {
        assert_eq!(cut(Format::Tsv, "a\\\nb\tc\nd\\\n"), Some("a\\\nb\tc\n"));
        assert_eq!(cut(Format::TsvRaw, "a\\\nb"), Some("a\\\n"));
    }

    #[test]
    fn brackets_within_strings_do_not_end_a_json_row() {
        assert_eq!(
            cut(Format::JsonEachRow, "{\"a\":\"}\\\"\n\"}\n{\"a\":{\"b\":1}}\n{\"a\""),
            Some("{\"a\":\"}\\\"\n\"}\n{\"a\":{\"b\":1}}\n")
        );
        assert_eq!(cut(Format::JsonEachRow, "[{\"a\":1},{\"a\":2}]"), None);
        assert_eq!(cut(Format::JsonCompactEachRow, "[1,[2]]\n[3"), Some("[1,[2]]\n"));
        assert_eq!(cut(Format::Json, "{}\n"), None);
    }

    #[test]
    fn a_json_file_without_a_document_holds_rows() {
        for (head, rows) in [
            ("{\"meta\":[]", Some(Format::Json)),
            (" {\"a\":1}", Some(Format::JsonEachRow)),
            ("[{\"a\":1}]", Some(Format::Json)),
            ("{\"me", None),
            ("", None),
        ] {
            assert_eq!(bare_rows(Format::Json, head.as_bytes()), rows, "{head}");
        }
        assert_eq!(bare_rows(Format::Csv, b""), Some(Format::Csv));
    }
}
