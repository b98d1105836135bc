//! Characters that HTML has names or numbers for: `&eacute;`, `&#233;`, `&#xe9;`.

use std::collections::HashMap;
use std::sync::LazyLock;

use memchr::memchr;

/// The longest name, with what stands around it.
const ENTITY_BYTES_MAX: usize = 33;

/// The names of HTML 5 with what they stand for. Those of the two characters that part a table are not in the file.
static NAMED: LazyLock<HashMap<&'static [u8], &'static str>> = LazyLock::new(|| {
    let lines = include_str!("entities.tsv").lines().filter_map(|line| line.split_once('\t'));
    lines.chain([("Tab", "\t"), ("NewLine", "\n")]).map(|(name, text)| (name.as_bytes(), text)).collect()
});

/// Writes a text with the characters that its entities stand for. What is none stays.
pub(super) fn decode(text: &[u8], out: &mut Vec<u8>) {
    let mut rest = text;
    while let Some(at) = memchr(b'&', rest) {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        let end = memchr(b';', &rest[..rest.len().min(ENTITY_BYTES_MAX)]);
        match end {
            Some(end) if decode_one(&rest[1..end], out) => rest = &rest[end + 1..],
            _ => {
                out.push(b'&');
                rest = &rest[1..];
            }
        }
    }
    out.extend_from_slice(rest);
}

/// False, and nothing written: there is no such entity.
fn decode_one(name: &[u8], out: &mut Vec<u8>) -> bool {
    let c = match name {
        [b'#', b'x' | b'X', digits @ ..] => number(digits, 16),
        [b'#', digits @ ..] => number(digits, 10),
        name => {
            let text = NAMED.get(name).copied();
            out.extend_from_slice(text.unwrap_or_default().as_bytes());
            return text.is_some();
        }
    };
    if let Some(c) = c {
        out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }
    c.is_some()
}

fn number(digits: &[u8], base: u32) -> Option<char> {
    char::from_u32(u32::from_str_radix(std::str::from_utf8(digits).ok()?, base).ok()?)
}
