//! `WITH TOTALS` of a SELECT without GROUP BY, for which the parser has none: `GROUP BY __no_keys() WITH TOTALS`.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::{at_word, closes, opens, with_span};
use crate::tokens::word;

pub(crate) const NO_KEYS: &str = "__no_keys";

pub(crate) fn rewrite(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut out = Vec::with_capacity(tokens.len());
    // For each open bracket: whether a SELECT has begun that has no GROUP BY yet.
    let mut open = vec![false];
    for (at, token) in tokens.iter().enumerate() {
        if opens(&token.token) {
            open.push(false);
        } else if closes(&token.token) {
            if open.len() > 1 {
                open.pop();
            }
        } else if let Some(without) = open.last_mut() {
            if at_word(&tokens, at, "SELECT") {
                *without = true;
            } else if at_word(&tokens, at, "GROUP") && at_word(&tokens, at + 1, "BY") {
                *without = false;
            } else if *without && at_word(&tokens, at, "WITH") && at_word(&tokens, at + 1, "TOTALS") {
                *without = false;
                let span = token.span;
                let keys = [word("GROUP"), word("BY"), word(NO_KEYS), Token::LParen, Token::RParen];
                out.extend(keys.map(|token| with_span(token, span)));
            }
        }
        out.push(token.clone());
    }
    out
}
