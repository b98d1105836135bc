//! Aliases of operands that have a grammar of their own: of CASE (`CASE a + 1 AS b WHEN …`), of CAST (`CAST(1 AS x AS String)`), of
//! an element's place (`array[1 AS i]`) and of INTERVAL (`INTERVAL 1 AS n DAY`). Such an operand is put into parentheses, where
//! `AS` means an alias to the parser.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::{at_token, at_word, closes, inserted, one_of, opens};
use crate::tokens::is_word;

/// What ends an operand of CASE.
const PARTS: &[&str] = &["WHEN", "THEN", "ELSE", "END"];
const UNITS: &[&str] =
    &["NANOSECOND", "MICROSECOND", "MILLISECOND", "SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR"];

#[derive(PartialEq)]
enum Kind {
    Case,
    Cast,
    /// `[…]` behind a value.
    Place,
    Other,
}

/// What is read and not closed yet.
struct Open {
    kind: Kind,
    /// Where the operand begins that is being read.
    begin: usize,
    /// Where AS stands in it.
    aliases: Vec<usize>,
    has_comma: bool,
}

impl Open {
    fn new(kind: Kind, begin: usize) -> Open {
        Open { kind, begin, aliases: Vec::new(), has_comma: false }
    }
}

pub(crate) fn rewrite(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut added: Vec<(usize, Token)> = Vec::new();
    let mut wrap = |begin: usize, end: usize| added.extend([(begin, Token::LParen), (end, Token::RParen)]);
    let mut levels: Vec<Open> = Vec::new();
    for at in 0..tokens.len() {
        let token = &tokens[at].token;
        if opens(token) {
            let kind = match token {
                Token::LParen if at > 0 && one_of(&tokens, at - 1, &["CAST", "TRY_CAST"]) => Kind::Cast,
                Token::LBracket if at > 0 && is_value(&tokens[at - 1].token) => Kind::Place,
                _ => Kind::Other,
            };
            levels.push(Open::new(kind, at + 1));
        } else if closes(token) {
            // `case` that is a name opens nothing.
            while levels.last().is_some_and(|level| level.kind == Kind::Case) {
                levels.pop();
            }
            match levels.pop() {
                Some(Open { kind: Kind::Place, begin, aliases, .. }) if !aliases.is_empty() => wrap(begin, at),
                Some(Open { kind: Kind::Cast, begin, aliases, has_comma }) => match &aliases[..] {
                    [_, ..] if has_comma => wrap(begin, at),
                    // The last one stands before the type.
                    [_, .., last] => wrap(begin, *last),
                    _ => {}
                },
                _ => {}
            }
        } else if is_word(token, "CASE") && !(at > 0 && at_token(&tokens, at - 1, &Token::Period)) {
            levels.push(Open::new(Kind::Case, at + 1));
        } else if is_word(token, "INTERVAL") {
            if let Some(end) = aliased_interval(&tokens, at + 1) {
                wrap(at + 1, end);
            }
        } else if let Some(level) = levels.last_mut() {
            match level.kind {
                Kind::Case if PARTS.iter().any(|part| is_word(token, part)) => {
                    if !level.aliases.is_empty() {
                        wrap(level.begin, at);
                    }
                    if is_word(token, "END") {
                        levels.pop();
                    } else {
                        *level = Open::new(Kind::Case, at + 1);
                    }
                }
                Kind::Cast if *token == Token::Comma => {
                    if !level.aliases.is_empty() {
                        wrap(level.begin, at);
                    }
                    *level = Open { has_comma: true, ..Open::new(Kind::Cast, at + 1) };
                }
                Kind::Other => {}
                _ if at > level.begin && is_word(token, "AS") => level.aliases.push(at),
                _ => {}
            }
        }
    }
    inserted(tokens, added)
}

/// Whether a value may end with a token: behind it `[` begins the place of an element.
fn is_value(token: &Token) -> bool {
    const OPERATORS: &[&str] = &[
        "SELECT", "DISTINCT", "WHERE", "PREWHERE", "HAVING", "ON", "BY", "IN", "AND", "OR", "NOT", "WHEN", "THEN", "ELSE",
        "AS", "JOIN",
    ];
    match token {
        Token::Word(word) => word.quote_style.is_some() || !OPERATORS.iter().any(|operator| is_word(token, operator)),
        Token::RParen | Token::RBracket | Token::RBrace | Token::SingleQuotedString(_) => true,
        _ => false,
    }
}

/// Where the unit of `INTERVAL value AS name unit` stands.
fn aliased_interval(tokens: &[TokenWithSpan], at: usize) -> Option<usize> {
    let end = super::until(tokens, at, |at| at_token(tokens, at, &Token::Comma) || at_word(tokens, at, "AS"));
    (end > at && at_word(tokens, end, "AS") && one_of(tokens, end + 2, UNITS)).then_some(end + 2)
}
