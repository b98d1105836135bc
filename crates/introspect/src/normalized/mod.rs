//! What is alike in queries that differ only in their literals. Each literal is `?`, a list of several `?..`; spaces and comments
//! are one space; a name that looks made by a machine (36 bytes or more, more than two digits, spaces) is `` `?` ``, unless it is
//! called as a function. The hash is of the tokens alone, so that spaces do not count.

mod tokens;

use std::hash::Hasher;

use siphasher::sip::SipHasher24;

use tokens::{Kind, Tokens};

/// Names of so many bytes are made by machines.
const LONG_NAME_BYTES: usize = 36;
/// People write fewer digits.
const DIGITS_MOST: usize = 2;

fn looks_made(name: &[u8]) -> bool {
    name.len() >= LONG_NAME_BYTES
        || name.iter().any(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c))
        || name.iter().filter(|byte| byte.is_ascii_digit()).count() > DIGITS_MOST
}

/// Whether the token is a name that something else stands for. `following`: the byte behind it.
fn is_replaced(kind: Kind, token: &[u8], following: Option<u8>, keeps_names: bool) -> bool {
    let is_name = kind == Kind::QuotedName || kind == Kind::Word && following != Some(b'(');
    is_name && !keeps_names && looks_made(token)
}

/// Appends the query without its literals and, unless they are kept, without names that look made.
pub fn normalized(query: &[u8], keeps_names: bool, out: &mut Vec<u8>) {
    let mut tokens = Tokens::of(query);
    let (mut literals, mut comma, mut space, mut in_space) = (0usize, false, false, false);
    let mut is_first = true;
    // The end of the text ends a list of literals as any token does.
    loop {
        let (kind, token) = tokens.next().unwrap_or((Kind::Error, b""));
        let leads = std::mem::replace(&mut is_first, false);
        if matches!(kind, Kind::Space | Kind::Comment) {
            match () {
                () if in_space => {}
                () if literals > 0 => space = true,
                () if !leads => out.push(b' '),
                () => {}
            }
            in_space = true;
            continue;
        }
        in_space = false;
        match kind {
            Kind::Literal => {
                if literals == 0 {
                    out.push(b'?');
                }
                literals += 1;
                (space, comma) = (false, false);
                continue;
            }
            Kind::Comma if literals > 0 => {
                comma = true;
                continue;
            }
            Kind::Comma => {}
            Kind::Sign if comma => continue,
            _ => {
                out.extend_from_slice(if literals > 1 { b".." } else { b"" });
                out.extend_from_slice(if comma { b"," } else { b"" });
                out.extend_from_slice(if space { b" " } else { b"" });
                (literals, comma, space) = (0, false, false);
            }
        }
        match kind {
            Kind::Error => return,
            kind if is_replaced(kind, token, tokens.following(), keeps_names) => out.extend_from_slice(b"`?`"),
            _ => out.extend_from_slice(token),
        }
    }
}

/// ClickHouse's hash of the query without its literals and, unless they are kept, without names that look made.
pub fn normalized_hash(query: &[u8], keeps_names: bool) -> u64 {
    let mut hash = SipHasher24::new();
    let mut tokens = Tokens::of(query);
    let (mut literals, mut comma) = (0usize, false);
    loop {
        let (kind, token) = tokens.next().unwrap_or((Kind::Error, b""));
        match kind {
            Kind::Space | Kind::Comment => continue,
            Kind::Literal => {
                if literals == 0 {
                    hash.write(b"\0");
                }
                literals += 1;
                comma = false;
                continue;
            }
            Kind::Comma if literals > 0 => {
                comma = true;
                continue;
            }
            Kind::Comma => {}
            _ => {
                if literals > 1 {
                    hash.write(b"\0");
                }
                if comma {
                    hash.write(b",");
                }
                (literals, comma) = (0, false);
            }
        }
        match kind {
            Kind::Error => return hash.finish(),
            kind if is_replaced(kind, token, tokens.following(), keeps_names) => hash.write(b"\x01"),
            _ => hash.write(token),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(query: &str) -> String {
        let mut out = Vec::new();
        normalized(query.as_bytes(), false, &mut out);
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn literals_and_lists_of_them_are_marks() {
        assert_eq!(text(" SELECT 1,  2 /* c */, 'x' FROM t"), "SELECT ?.. FROM t");
        assert_eq!(text("SELECT x IN (1, -2, 3), y"), "SELECT x IN (?..), y");
        assert_eq!(text("SELECT a = 5 AND sha224(b1234) > c"), "SELECT a = ? AND sha224(`?`) > c");
        assert_eq!(text("SELECT `a b`, 'open"), "SELECT `?`, ");
    }

    #[test]
    fn the_hash_knows_no_spaces_and_no_values() {
        let hash = |query: &str| normalized_hash(query.as_bytes(), false);
        assert_eq!(hash("SELECT 1, 2"), hash("SELECT  3 , 'x', 5 -- c"));
        assert_ne!(hash("SELECT 1, 2"), hash("SELECT 1"));
        assert_ne!(hash("SELECT a"), hash("SELECT b"));
    }
}
