//! `WITH FILL … [STEP x] STALENESS y`, of which the parser knows no STALENESS: `STEP __staleness(x, y)`, NULL where there is no step.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::{at_token, at_word, one_of, until, with_span};
use crate::tokens::word;

pub(crate) const STALENESS: &str = "__staleness";

const STOPS: &[&str] =
    &["INTERPOLATE", "LIMIT", "OFFSET", "FETCH", "SETTINGS", "FORMAT", "UNION", "INTERSECT", "EXCEPT", "INTO"];

pub(crate) fn rewrite(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut out = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        out.push(tokens[at].clone());
        at += 1;
        if at_word(&tokens, at - 1, "FILL") && at > 1 && at_word(&tokens, at - 2, "WITH") {
            at = modifier(&tokens, at, &mut out);
        }
    }
    out
}

/// What follows FILL; gives where it ends.
fn modifier(tokens: &[TokenWithSpan], from: usize, out: &mut Vec<TokenWithSpan>) -> usize {
    let end = until(tokens, from, |at| one_of(tokens, at, STOPS) || at_token(tokens, at, &Token::Comma));
    let staleness = until(tokens, from, |at| at >= end || at_word(tokens, at, "STALENESS"));
    if staleness >= end {
        out.extend_from_slice(&tokens[from..end]);
        return end;
    }
    let step = until(tokens, from, |at| at >= staleness || at_word(tokens, at, "STEP"));
    out.extend_from_slice(&tokens[from..step]);
    let span = tokens[staleness].span;
    let mut put = |token: Token| out.push(with_span(token, span));
    put(word("STEP"));
    put(word(STALENESS));
    put(Token::LParen);
    if step + 1 < staleness {
        out.extend_from_slice(&tokens[step + 1..staleness]);
    } else {
        out.push(with_span(word("NULL"), span));
    }
    out.push(with_span(Token::Comma, span));
    out.extend_from_slice(&tokens[staleness + 1..end]);
    out.push(with_span(Token::RParen, span));
    end
}
