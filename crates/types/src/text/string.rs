//! Strings with what must be escaped escaped. Runs that need nothing are copied whole.

use std::borrow::Cow;

/// For each byte below 128 the letter after a backslash, 0 where none is needed, for TSV and literals.
const ESCAPES: [u8; 256] = {
    let mut table = [0; 256];
    table[0x08] = b'b';
    table[0x0C] = b'f';
    table[b'\n' as usize] = b'n';
    table[b'\r' as usize] = b'r';
    table[b'\t' as usize] = b't';
    table[0] = b'0';
    table[b'\\' as usize] = b'\\';
    table[b'\'' as usize] = b'\'';
    table
};

/// With backslash escapes: TSV's, and those inside of quotes.
pub fn write_escaped(text: &[u8], out: &mut Vec<u8>) {
    let mut start = 0;
    for (i, byte) in text.iter().enumerate() {
        let letter = ESCAPES[usize::from(*byte)];
        if letter != 0 {
            out.extend_from_slice(&text[start..i]);
            out.extend_from_slice(&[b'\\', letter]);
            start = i + 1;
        }
    }
    out.extend_from_slice(&text[start..]);
}

/// In single quotes, with backslash escapes.
pub fn write_quoted(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'\'');
    write_escaped(text, out);
    out.push(b'\'');
}

/// In single quotes, which are doubled inside; backslashes stand for themselves, and control characters are escaped all the
/// same.
pub(super) fn write_quoted_doubled(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'\'');
    for byte in text {
        match (byte, ESCAPES[usize::from(*byte)]) {
            (b'\'', _) => out.extend_from_slice(b"''"),
            (b'\\', _) | (_, 0) => out.push(*byte),
            (_, letter) => out.extend_from_slice(&[b'\\', letter]),
        }
    }
    out.push(b'\'');
}

/// In double quotes; quotes inside are doubled.
pub fn write_csv_string(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    let mut start = 0;
    for at in memchr::memchr_iter(b'"', text) {
        out.extend_from_slice(&text[start..=at]);
        out.push(b'"');
        start = at + 1;
    }
    out.extend_from_slice(&text[start..]);
    out.push(b'"');
}

/// The text with one U+FFFD for each run of bytes that are not UTF-8, as ClickHouse has it.
pub fn valid_utf8(text: &[u8]) -> Cow<'_, [u8]> {
    if simdutf8::basic::from_utf8(text).is_ok() {
        return Cow::Borrowed(text);
    }
    let mut valid = Vec::with_capacity(text.len());
    let mut in_run = false;
    for chunk in text.utf8_chunks() {
        valid.extend_from_slice(chunk.valid().as_bytes());
        in_run &= chunk.valid().is_empty();
        if !chunk.invalid().is_empty() && !in_run {
            valid.extend_from_slice("\u{FFFD}".as_bytes());
            in_run = true;
        }
    }
    Cow::Owned(valid)
}

/// As a JSON string. `slashes`: write `\/` for `/`. `replace`: U+FFFD for what is not UTF-8.
pub fn write_json_string(text: &[u8], slashes: bool, replace: bool, out: &mut Vec<u8>) {
    out.push(b'"');
    let text = if replace { valid_utf8(text) } else { Cow::Borrowed(text) };
    json_body(&text, slashes, out);
    out.push(b'"');
}

fn json_body(text: &[u8], slashes: bool, out: &mut Vec<u8>) {
    let mut start = 0;
    let mut i = 0;
    while i < text.len() {
        let byte = text[i];
        let plain = byte >= 0x20 && byte != b'"' && byte != b'\\' && byte != b'/' && byte != 0xE2;
        if plain || (byte == b'/' && !slashes) {
            i += 1;
            continue;
        }
        // JavaScript takes U+2028 and U+2029 for line ends, so they are escaped.
        let separator = byte == 0xE2 && text.get(i + 1) == Some(&0x80) && matches!(text.get(i + 2), Some(0xA8 | 0xA9));
        if byte == 0xE2 && !separator {
            i += 1;
            continue;
        }
        out.extend_from_slice(&text[start..i]);
        match byte {
            0xE2 => out.extend_from_slice(if text[i + 2] == 0xA8 { b"\\u2028" } else { b"\\u2029" }),
            0x08 => out.extend_from_slice(b"\\b"),
            0x0C => out.extend_from_slice(b"\\f"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            b'"' | b'\\' | b'/' => out.extend_from_slice(&[b'\\', byte]),
            control => {
                const HEX: &[u8; 16] = b"0123456789ABCDEF";
                out.extend_from_slice(b"\\u00");
                out.extend_from_slice(&[HEX[usize::from(control >> 4)], HEX[usize::from(control & 15)]]);
            }
        }
        i += if separator { 3 } else { 1 };
        start = i;
    }
    out.extend_from_slice(&text[start..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_escaping_of_an_awkward_string() {
        let text = "a\tb\n'\\\"/\0\u{2028}\u{1}".as_bytes();
        let mut out = Vec::new();
        write_escaped(text, &mut out);
        assert_eq!(String::from_utf8_lossy(&out), "a\\tb\\n\\'\\\\\"/\\0\u{2028}\u{1}");
        out.clear();
        write_csv_string(text, &mut out);
        assert_eq!(String::from_utf8_lossy(&out), "\"a\tb\n'\\\"\"/\0\u{2028}\u{1}\"");
        out.clear();
        write_json_string(text, true, true, &mut out);
        assert_eq!(String::from_utf8_lossy(&out), "\"a\\tb\\n'\\\\\\\"\\/\\u0000\\u2028\\u0001\"");
        out.clear();
        write_json_string(b"a\xFFb", true, true, &mut out);
        assert_eq!(String::from_utf8_lossy(&out), "\"a\u{FFFD}b\"");
    }

    #[test]
    fn runs_of_bytes_that_are_no_text_are_one_mark() {
        for (text, valid) in [
            (&b"\xFF\xFE\xFDa\xE2\x82"[..], "\u{FFFD}a\u{FFFD}"),
            (b"\xED\xA0\x80", "\u{FFFD}"),
            (b"\xC3(", "\u{FFFD}("),
            (b"a\xFF\xEF\xBF\xBD\xFF", "a\u{FFFD}\u{FFFD}\u{FFFD}"),
            (b"", ""),
        ] {
            assert_eq!(String::from_utf8_lossy(&valid_utf8(text)), valid);
        }
    }
}
