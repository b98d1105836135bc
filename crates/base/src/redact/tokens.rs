//! The tokens of a statement that need not be right.

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Token<'a> {
    Word(&'a str),
    /// In backquotes or double quotes, with them.
    Name(&'a str),
    Text {
        raw: &'a str,
        value: &'a str,
    },
    Open,
    Close,
    Comma,
    Equals,
    Blank(&'a str),
    Comment(&'a str),
    Other(&'a str),
}

/// Heredocs without an end, after which no more are looked for.
const OPEN_HEREDOCS_MAX: usize = 64;

/// The tokens of a text, end to end: put together they are the text.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    // Each that is not closed is looked for to the end of the text.
    let mut open_heredocs = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let run = |part: fn(char) -> bool| rest.find(|c: char| !part(c)).unwrap_or(rest.len());
        let (token, length) = match bytes[at] {
            b'\'' => {
                let length = quoted(rest, b'\'');
                let raw = &rest[..length];
                let value = raw[1..].strip_suffix('\'').unwrap_or(&raw[1..]);
                (Token::Text { raw, value }, length)
            }
            quote @ (b'`' | b'"') => {
                let length = quoted(rest, quote);
                (Token::Name(&rest[..length]), length)
            }
            b'$' if open_heredocs < OPEN_HEREDOCS_MAX => match heredoc(rest) {
                Some(length) => (Token::Text { raw: &rest[..length], value: rest[..length].trim_matches('$') }, length),
                None => {
                    open_heredocs += 1;
                    (Token::Other(&rest[..1]), 1)
                }
            },
            b'(' => (Token::Open, 1),
            b')' => (Token::Close, 1),
            b',' => (Token::Comma, 1),
            b'=' => (Token::Equals, 1),
            b'-' if rest.starts_with("--") => comment(rest, rest.find('\n')),
            b'#' if rest.starts_with("# ") || rest.starts_with("#!") => comment(rest, rest.find('\n')),
            b'/' if rest.starts_with("/*") => comment(rest, rest.find("*/").map(|end| end + 2)),
            c if c.is_ascii_alphanumeric() || c == b'_' => {
                let length = run(|c| c.is_ascii_alphanumeric() || c == '_');
                (Token::Word(&rest[..length]), length)
            }
            _ => {
                let blank = run(char::is_whitespace);
                if blank > 0 {
                    (Token::Blank(&rest[..blank]), blank)
                } else {
                    let length = rest.chars().next().map_or(1, char::len_utf8);
                    (Token::Other(&rest[..length]), length)
                }
            }
        };
        out.push(token);
        at += length;
    }
    out
}

fn comment(rest: &str, end: Option<usize>) -> (Token<'_>, usize) {
    let length = end.unwrap_or(rest.len());
    (Token::Comment(&rest[..length]), length)
}

/// Bytes of what is quoted, with the quotes; a quote inside is doubled or behind a backslash.
fn quoted(rest: &str, quote: u8) -> usize {
    let bytes = rest.as_bytes();
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            c if c == quote && bytes.get(at + 1) == Some(&quote) => at += 2,
            c if c == quote => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// Bytes of `$tag$ … $tag$`; `None`: it is none.
fn heredoc(rest: &str) -> Option<usize> {
    let tag_end = rest[1..].find('$')? + 2;
    let tag = &rest[..tag_end];
    let is_tag = tag[1..tag_end - 1].chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_tag.then(|| rest[tag_end..].find(tag).map(|end| tag_end + end + tag_end)).flatten()
}
