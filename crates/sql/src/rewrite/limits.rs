//! `LIMIT n [OFFSET m] BY keys [LIMIT …]` and `LIMIT n WITH TIES`, for which the parser has one LIMIT with one number:
//! `LIMIT __limits(by count, by offset, count, offset, with ties, keys…)`, NULL where there is none.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::{at_token, at_word, one_of, until, with_span};
use crate::tokens::word;

pub(crate) const LIMITS: &str = "__limits";

const STOPS: &[&str] =
    &["BY", "OFFSET", "WITH", "LIMIT", "SETTINGS", "FORMAT", "UNION", "INTERSECT", "EXCEPT", "INTO", "FETCH", "ROW", "ROWS"];

/// Words behind which a name stands, be it that of a clause.
const NAMED: &[&str] = &["TABLE", "INTO", "FROM", "JOIN", "EXISTS"];

/// One LIMIT: rows to give and to skip.
#[derive(Default)]
struct Count<'t> {
    rows: &'t [TokenWithSpan],
    skip: &'t [TokenWithSpan],
}

/// `n`, `n OFFSET m` or `m, n` from `at`; and where it ends.
fn count(tokens: &[TokenWithSpan], at: usize) -> (Count<'_>, usize) {
    let stop = |from: usize| until(tokens, from, |at| one_of(tokens, at, STOPS) || at_token(tokens, at, &Token::Comma));
    let end = stop(at);
    let first = &tokens[at..end];
    if at_token(tokens, end, &Token::Comma) {
        let last = stop(end + 1);
        return (Count { rows: &tokens[end + 1..last], skip: first }, last);
    }
    if at_word(tokens, end, "OFFSET") {
        let last = stop(end + 1);
        return (Count { rows: first, skip: &tokens[end + 1..last] }, last);
    }
    (Count { rows: first, skip: &[] }, end)
}

pub(crate) fn rewrite(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut out = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let is_clause = at_word(&tokens, at, "LIMIT")
            && at > 0
            && !matches!(tokens[at - 1].token, Token::Period | Token::Comma)
            && !one_of(&tokens, at - 1, NAMED)
            // A kind of it.
            && !at_word(&tokens, at - 1, "EXPLAIN");
        let replaced = is_clause.then(|| limits(&tokens, at + 1, &mut out)).flatten();
        match replaced {
            Some(end) => at = end,
            None => {
                out.push(tokens[at].clone());
                at += 1;
            }
        }
    }
    out
}

/// Rewrites what begins behind LIMIT and gives where it ends; `None` where the parser takes it as it is.
fn limits(tokens: &[TokenWithSpan], at: usize, out: &mut Vec<TokenWithSpan>) -> Option<usize> {
    let (first, mut end) = count(tokens, at);
    if first.rows.is_empty() {
        return None;
    }
    let mut by = Count::default();
    let mut keys: &[TokenWithSpan] = &[];
    let mut whole = Count::default();
    if at_word(tokens, end, "BY") {
        let stop = until(tokens, end + 1, |at| one_of(tokens, at, STOPS));
        keys = &tokens[end + 1..stop];
        by = first;
        end = stop;
        if at_word(tokens, end, "LIMIT") {
            (whole, end) = count(tokens, end + 1);
        } else if at_word(tokens, end, "OFFSET") {
            let stop = until(tokens, end + 1, |at| one_of(tokens, at, STOPS));
            whole.skip = &tokens[end + 1..stop];
            end = stop;
        }
    } else {
        whole = first;
    }
    let ties = at_word(tokens, end, "WITH") && at_word(tokens, end + 1, "TIES");
    if ties {
        end += 2;
    }
    if keys.is_empty() && !ties {
        return None;
    }
    let span = tokens[at - 1].span;
    out.push(with_span(word("LIMIT"), span));
    out.push(with_span(word(LIMITS), span));
    out.push(with_span(Token::LParen, span));
    for (i, part) in [by.rows, by.skip, whole.rows, whole.skip].into_iter().enumerate() {
        if i > 0 {
            out.push(with_span(Token::Comma, span));
        }
        if part.is_empty() {
            out.push(with_span(word("NULL"), span));
        }
        out.extend(part.iter().cloned());
    }
    out.push(with_span(Token::Comma, span));
    out.push(with_span(word(if ties { "true" } else { "false" }), span));
    if !keys.is_empty() {
        out.push(with_span(Token::Comma, span));
        out.extend(keys.iter().cloned());
    }
    out.push(with_span(Token::RParen, span));
    Some(end)
}
