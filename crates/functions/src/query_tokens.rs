//! `tokenizeQuery`: the tokens of a query, with their places in bytes. Nothing is parsed, so that what is wrong is a token as well.

use std::sync::{Arc, LazyLock};

use SqlType as T;
use arrow::array::{ArrayRef, Int8Array, UInt64Array};
use gristmill_types::SqlType;
use gristmill_types::sql_type::EnumValues;

use crate::columns::{Bytes, list};
use crate::define::{arity, illegal, plain};
use crate::registry::Registry;
use crate::scalar::Bound;
use crate::tuples::struct_array;

macro_rules! tokens {
    ($($name:ident)*) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[expect(dead_code, reason = "ClickHouse's parser tells some of them, which are in the type all the same")]
        enum Token { $($name),* }

        /// In the order of their numbers.
        const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

tokens!(
    Whitespace Comment BareWord Number StringLiteral QuotedIdentifier OpeningRoundBracket ClosingRoundBracket
    OpeningSquareBracket ClosingSquareBracket OpeningCurlyBrace ClosingCurlyBrace Comma Semicolon VerticalDelimiter Dot Asterisk
    HereDoc DollarSign Plus Minus Slash Percent Arrow QuestionMark Colon Caret DoubleColon Equals NotEquals Less Greater
    LessOrEquals GreaterOrEquals Spaceship PipeMark PipeOperator Concatenation Tilde TildeAsterisk NotTilde NotTildeAsterisk At
    DoubleAt EndOfStream Error ErrorMultilineCommentIsNotClosed ErrorSingleQuoteIsNotClosed ErrorDoubleQuoteIsNotClosed
    ErrorBackQuoteIsNotClosed ErrorSingleExclamationMark ErrorSinglePipeMark ErrorWrongNumber ErrorMaxQuerySizeExceeded
);

/// Tokens that are the same wherever they stand, the longer ones first.
const SYMBOLS: &[(&[u8], Token)] = &[
    (b"!~*", Token::NotTildeAsterisk),
    (b"<=>", Token::Spaceship),
    (b"!~", Token::NotTilde),
    (b"~*", Token::TildeAsterisk),
    (b"!=", Token::NotEquals),
    (b"<>", Token::NotEquals),
    (b"<=", Token::LessOrEquals),
    (b">=", Token::GreaterOrEquals),
    (b"==", Token::Equals),
    (b"->", Token::Arrow),
    (b"::", Token::DoubleColon),
    (b"||", Token::Concatenation),
    (b"|>", Token::PipeOperator),
    (b"@@", Token::DoubleAt),
    (b"\\G", Token::VerticalDelimiter),
    ("\u{2212}".as_bytes(), Token::Minus),
    (b"(", Token::OpeningRoundBracket),
    (b")", Token::ClosingRoundBracket),
    (b"[", Token::OpeningSquareBracket),
    (b"]", Token::ClosingSquareBracket),
    (b"{", Token::OpeningCurlyBrace),
    (b"}", Token::ClosingCurlyBrace),
    (b",", Token::Comma),
    (b";", Token::Semicolon),
    (b".", Token::Dot),
    (b"*", Token::Asterisk),
    (b"+", Token::Plus),
    (b"-", Token::Minus),
    (b"/", Token::Slash),
    (b"%", Token::Percent),
    (b"?", Token::QuestionMark),
    (b":", Token::Colon),
    (b"^", Token::Caret),
    (b"=", Token::Equals),
    (b"<", Token::Less),
    (b">", Token::Greater),
    (b"|", Token::PipeMark),
    (b"~", Token::Tilde),
    (b"@", Token::At),
    (b"!", Token::ErrorSingleExclamationMark),
];

static KIND: LazyLock<SqlType> = LazyLock::new(|| {
    let names = NAMES.iter().zip(0..).map(|(name, number)| ((*name).to_string(), number));
    let names = T::Enum8(EnumValues(names.collect()));
    let field = |name: &str, kind: SqlType| (Some(name.to_string()), kind);
    T::Tuple(vec![field("begin", T::UInt64), field("end", T::UInt64), field("type", names)])
});

pub fn register(registry: &mut Registry) {
    registry.scalar(
        "tokenizeQuery",
        plain(|name, arguments, _| {
            arity(name, arguments, 1..=1)?;
            if arguments[0].kind != T::String {
                return Err(illegal(name, arguments, 0, "String"));
            }
            Ok(Bound::new(SqlType::array(KIND.clone()), |args, rows| {
                let queries = Bytes::of(&args[0])?;
                let (mut begins, mut ends, mut types) = (Vec::new(), Vec::new(), Vec::new());
                let mut lengths = Vec::with_capacity(rows);
                for row in 0..rows {
                    let before = begins.len();
                    let (query, mut at, mut last) = (queries.get(row), 0, Token::EndOfStream);
                    while at < query.len() {
                        let (token, length) = token(&query[at..], at == 0, last);
                        begins.push(at as u64);
                        at += length.clamp(1, query.len() - at);
                        ends.push(at as u64);
                        types.push(token as i8);
                        if !matches!(token, Token::Whitespace | Token::Comment) {
                            last = token;
                        }
                    }
                    lengths.push(begins.len() - before);
                }
                let count = begins.len();
                let columns: Vec<ArrayRef> = vec![
                    Arc::new(UInt64Array::from(begins)),
                    Arc::new(UInt64Array::from(ends)),
                    Arc::new(Int8Array::from(types)),
                ];
                list(struct_array(&KIND, columns, count)?, &lengths)
            }))
        }),
    );
}

fn is_word(c: u8) -> bool {
    c.is_ascii_alphanumeric() || c == b'_'
}

/// Length of what passes from `from` on.
fn run(text: &[u8], from: usize, passes: impl Fn(u8) -> bool) -> usize {
    text[from..].iter().position(|c| !passes(*c)).map_or(text.len(), |length| from + length)
}

/// The first token and its length. `last`: the one before it that means something.
fn token(text: &[u8], is_first: bool, last: Token) -> (Token, usize) {
    let next = text.get(1).copied();
    match text[0] {
        b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => (Token::Whitespace, run(text, 0, |c| matches!(c, b' ' | 9..=13))),
        b'0'..=b'9' => number(text, last == Token::Dot),
        b'.' if next.is_some_and(|c| c.is_ascii_digit()) && (is_first || !ends_operand(last)) => number(text, false),
        b'\'' => quoted(text, 1, b'\'', Token::StringLiteral, Token::ErrorSingleQuoteIsNotClosed),
        b'"' => quoted(text, 1, b'"', Token::QuotedIdentifier, Token::ErrorDoubleQuoteIsNotClosed),
        b'`' => quoted(text, 1, b'`', Token::QuotedIdentifier, Token::ErrorBackQuoteIsNotClosed),
        b'x' | b'X' | b'b' | b'B' if next == Some(b'\'') => match memchr::memchr(b'\'', &text[2..]) {
            Some(length) => (Token::StringLiteral, length + 3),
            None => (Token::ErrorSingleQuoteIsNotClosed, text.len()),
        },
        b'-' if next == Some(b'-') => (Token::Comment, line(text)),
        b'#' if matches!(next, Some(b' ' | b'!')) => (Token::Comment, line(text)),
        b'/' if next == Some(b'/') => (Token::Comment, line(text)),
        b'/' if next == Some(b'*') => comment(text),
        b'$' => dollar(text),
        c if c.is_ascii_alphabetic() || c == b'_' => (Token::BareWord, run(text, 0, |c| is_word(c) || c == b'$')),
        c => {
            let symbol = SYMBOLS.iter().find(|(symbol, _)| text.starts_with(symbol));
            symbol.map_or_else(
                || if c.is_ascii() { (Token::Error, 1) } else { beyond_ascii(text) },
                |(symbol, token)| (*token, symbol.len()),
            )
        }
    }
}

/// A point behind it begins no number.
fn ends_operand(last: Token) -> bool {
    matches!(
        last,
        Token::ClosingRoundBracket | Token::ClosingSquareBracket | Token::BareWord | Token::QuotedIdentifier | Token::Number
    )
}

fn line(text: &[u8]) -> usize {
    memchr::memchr(b'\n', text).unwrap_or(text.len())
}

/// Comments are within comments.
fn comment(text: &[u8]) -> (Token, usize) {
    let (mut at, mut depth) = (0, 0);
    while at + 1 < text.len() {
        match &text[at..at + 2] {
            b"/*" => (depth, at) = (depth + 1, at + 2),
            b"*/" => {
                (depth, at) = (depth - 1, at + 2);
                if depth == 0 {
                    return (Token::Comment, at);
                }
            }
            _ => at += 1,
        }
    }
    (Token::ErrorMultilineCommentIsNotClosed, text.len())
}

/// A quote ends at the mark, unless that is doubled or follows a backslash.
fn quoted(text: &[u8], from: usize, mark: u8, token: Token, error: Token) -> (Token, usize) {
    let mut at = from;
    while let Some(found) = text.get(at..).and_then(|rest| memchr::memchr2(mark, b'\\', rest)) {
        at += found;
        if text[at] == b'\\' || text.get(at + 1) == Some(&mark) {
            at += 2;
        } else {
            return (token, at + 1);
        }
    }
    (error, text.len())
}

/// `$tag$ … $tag$`, a word that begins with a dollar sign, or the sign alone.
fn dollar(text: &[u8]) -> (Token, usize) {
    let tag_end = run(text, 1, is_word);
    if text.get(tag_end) == Some(&b'$') {
        let tag = &text[..=tag_end];
        if let Some(length) = memchr::memmem::find(&text[tag.len()..], tag) {
            return (Token::HereDoc, length + 2 * tag.len());
        }
    }
    if tag_end > 1 { (Token::BareWord, run(text, 1, |c| is_word(c) || c == b'$')) } else { (Token::DollarSign, 1) }
}

/// Quotes and spaces of typographers; anything else is an error as long as it is.
fn beyond_ascii(text: &[u8]) -> (Token, usize) {
    let Some(first) = text.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next()) else {
        return (Token::Error, run(text, 1, |c| c & 0xc0 == 0x80));
    };
    let until = |close: &str, token: Token, error: Token| match memchr::memmem::find(text, close.as_bytes()) {
        Some(length) => (token, length + close.len()),
        None => (error, text.len()),
    };
    match first {
        '\u{2018}' => until("\u{2019}", Token::StringLiteral, Token::ErrorSingleQuoteIsNotClosed),
        '\u{201c}' => until("\u{201d}", Token::QuotedIdentifier, Token::ErrorDoubleQuoteIsNotClosed),
        first if first.is_whitespace() || first == '\u{feff}' => (Token::Whitespace, first.len_utf8()),
        first => (Token::Error, first.len_utf8()),
    }
}

/// Digits in groups that single underscores part.
fn digits(text: &[u8], from: usize, is_digit: impl Fn(u8) -> bool) -> usize {
    let mut at = from;
    loop {
        at = run(text, at, &is_digit);
        let parts = at > from && text.get(at) == Some(&b'_') && text.get(at + 1).is_some_and(|c| is_digit(*c));
        if !parts {
            return at;
        }
        at += 1;
    }
}

fn number(text: &[u8], is_element: bool) -> (Token, usize) {
    let decimal = |c: u8| c.is_ascii_digit();
    let mut end = digits(text, 0, decimal);
    if !is_element {
        let prefix = (text[0], text.get(1).map(u8::to_ascii_lowercase), text.get(2));
        let is_hex = matches!(prefix, (b'0', Some(b'x'), Some(c)) if c.is_ascii_hexdigit());
        if matches!(prefix, (b'0', Some(b'b'), Some(b'0' | b'1'))) {
            end = digits(text, 2, |c| matches!(c, b'0' | b'1'));
        } else {
            let is_digit = move |c: u8| if is_hex { c.is_ascii_hexdigit() } else { c.is_ascii_digit() };
            end = digits(text, if is_hex { 2 } else { 0 }, is_digit);
            if text.get(end) == Some(&b'.') {
                end = digits(text, end + 1, is_digit);
            }
            let exponent = if is_hex { b'p' } else { b'e' };
            // Digits may be missing, but not all that comes behind it.
            if text.get(end).is_some_and(|c| c.to_ascii_lowercase() == exponent) && end + 1 < text.len() {
                let has_sign = matches!(text[end + 1], b'+' | b'-') && end + 2 < text.len();
                end = digits(text, end + 1 + usize::from(has_sign), decimal);
            }
        }
    }
    // Letters go on: it is a name that begins with digits, or nothing.
    let word = run(text, end, |c| is_word(c) || c == b'$');
    if word == end {
        return (Token::Number, end);
    }
    let is_name = text[..word].iter().all(|c| is_word(*c) || *c == b'$');
    (if is_name { Token::BareWord } else { Token::ErrorWrongNumber }, word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_end_where_the_next_ones_begin() {
        let all = |query: &str| {
            let (text, mut at, mut last, mut found) = (query.as_bytes(), 0, Token::EndOfStream, Vec::new());
            while at < text.len() {
                let (token, length) = token(&text[at..], at == 0, last);
                found.push((token, query[at..at + length].to_string()));
                (at, last) = (at + length, token);
            }
            assert_eq!(found.iter().map(|(_, text)| text.as_str()).collect::<String>(), query);
            found.into_iter().map(|(token, _)| token).collect::<Vec<_>>()
        };
        use Token::*;
        assert_eq!(all("t.1.2"), [BareWord, Dot, Number, Dot, Number]);
        assert_eq!(all("1..2"), [Number, Dot, Number]);
        assert_eq!(all("1e5 0b2 1e"), [Number, Whitespace, BareWord, Whitespace, BareWord]);
        assert_eq!(all("$x$a$x$"), [HereDoc]);
        assert_eq!(all("$$a"), [DollarSign, BareWord]);
        assert_eq!(all("/* a /* b */ c */"), [Comment]);
        assert_eq!(all("1//a\n/b"), [Number, Comment, Whitespace, Slash, BareWord]);
        assert_eq!(all("'a''b' 'c"), [StringLiteral, Whitespace, ErrorSingleQuoteIsNotClosed]);
        assert_eq!(all("\u{201c}a\u{201d}"), [QuotedIdentifier]);
    }
}
