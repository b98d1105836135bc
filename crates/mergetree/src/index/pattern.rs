//! What a LIKE pattern says of the beginning of a text.

/// The constant text that a LIKE pattern begins with, and what follows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefix {
    pub text: Vec<u8>,
    pub rest: Rest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// Nothing: the text is the whole value.
    Nothing,
    /// Anything.
    Anything,
    /// More of the pattern.
    More,
}

pub fn prefix(pattern: &[u8]) -> Prefix {
    let mut text = Vec::new();
    let mut at = 0;
    while let Some(&byte) = pattern.get(at) {
        match byte {
            b'%' => {
                let rest = if pattern[at..].iter().all(|byte| *byte == b'%') { Rest::Anything } else { Rest::More };
                return Prefix { text, rest };
            }
            b'_' => return Prefix { text, rest: Rest::More },
            b'\\' => match pattern.get(at + 1) {
                Some(&escaped @ (b'%' | b'_' | b'\\')) => {
                    text.push(escaped);
                    at += 2;
                }
                // Readers differ on other escapes: the text ends before them.
                _ => return Prefix { text, rest: Rest::More },
            },
            _ => {
                text.push(byte);
                at += 1;
            }
        }
    }
    Prefix { text, rest: Rest::Nothing }
}

/// The least text above all that begin with this one; `None` where there is none.
pub fn after_prefix(text: &[u8]) -> Option<Vec<u8>> {
    let last = text.iter().rposition(|byte| *byte < 0xff)?;
    let mut next = text[..=last].to_vec();
    next[last] += 1;
    Some(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_gives_what_it_begins_with() {
        let cases: [(&str, &str, Rest); 6] = [
            ("abc", "abc", Rest::Nothing),
            ("abc%", "abc", Rest::Anything),
            ("a_c%", "a", Rest::More),
            ("a%c", "a", Rest::More),
            ("100\\%%", "100%", Rest::Anything),
            ("%a", "", Rest::More),
        ];
        for (pattern, text, rest) in cases {
            assert_eq!(prefix(pattern.as_bytes()), Prefix { text: text.as_bytes().to_vec(), rest }, "{pattern}");
        }
        assert_eq!(after_prefix(b"ab"), Some(b"ac".to_vec()));
        assert_eq!(after_prefix(&[b'a', 0xff]), Some(b"b".to_vec()));
        assert_eq!(after_prefix(&[0xff]), None);
    }
}
