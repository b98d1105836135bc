//! Percent encoding. The `Form` functions take `+` for a space.

use crate::registry::Registry;
use crate::strings::text_function;

pub fn register(registry: &mut Registry) {
    registry.scalar("decodeURLComponent", text_function(|text, out| decode(text, false, out)));
    registry.scalar("decodeURLFormComponent", text_function(|text, out| decode(text, true, out)));
    registry.scalar("encodeURLComponent", text_function(|text, out| encode(text, false, out)));
    registry.scalar("encodeURLFormComponent", text_function(|text, out| encode(text, true, out)));
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}

fn decode(text: &[u8], form: bool, out: &mut Vec<u8>) {
    let mut i = 0;
    while let Some(c) = text.get(i) {
        match c {
            b'%' => match (text.get(i + 1).copied().and_then(hex), text.get(i + 2).copied().and_then(hex)) {
                (Some(high), Some(low)) => {
                    out.push(high << 4 | low);
                    i += 2;
                }
                _ => out.push(b'%'),
            },
            b'+' if form => out.push(b' '),
            c => out.push(*c),
        }
        i += 1;
    }
}

fn encode(text: &[u8], form: bool, out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for c in text {
        match c {
            b'-' | b'_' | b'.' | b'~' => out.push(*c),
            c if c.is_ascii_alphanumeric() => out.push(*c),
            b' ' if form => out.push(b'+'),
            c => out.extend_from_slice(&[b'%', DIGITS[usize::from(c >> 4)], DIGITS[usize::from(c & 15)]]),
        }
    }
}
