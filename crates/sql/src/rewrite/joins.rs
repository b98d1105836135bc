//! Joins.
//!
//! ClickHouse's words before JOIN may stand in any order (`ANY LEFT`, `LEFT ANY`, `GLOBAL ALL INNER`). They are put in the
//! parser's order; a strictness that the parser has no word for moves behind ON or into USING:
//! - `ANY LEFT JOIN t ON c`: `LEFT JOIN t ON __any_join c`, `USING (__any_join, k)`; ASOF and ALL alike;
//! - `PASTE JOIN t`: `CROSS APPLY t`;
//! - `USING a, b`: `USING (a, b)`;
//! - `ARRAY JOIN a AS x, b AS y`: `ARRAY JOIN __array_join(a AS x, b AS y)`.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::{at_token, at_word, closes, one_of, opens, until, with_span};
use crate::tokens::{AFTER_FROM, BEFORE_JOIN, word};

pub(crate) const ANY_JOIN: &str = "__any_join";
pub(crate) const ALL_JOIN: &str = "__all_join";
pub(crate) const ASOF_JOIN: &str = "__asof_join";
pub(crate) const ARRAY_JOIN: &str = "__array_join";

/// Whether the word at `at`, which is not the first, is behind `ENGINE [=]`: there is an engine Join.
fn names_engine(tokens: &[TokenWithSpan], at: usize) -> bool {
    let before = if at > 1 && at_token(tokens, at - 1, &Token::Eq) { at - 2 } else { at - 1 };
    at_word(tokens, before, "ENGINE")
}

/// The words from `at` to a JOIN, and where they end. `None`: no join begins here, as `t AS left JOIN` is an alias before it.
fn join_words(tokens: &[TokenWithSpan], at: usize) -> Option<(Vec<String>, usize)> {
    let is_name = |before: usize| at_token(tokens, before, &Token::Period) || at_word(tokens, before, "AS");
    if at > 0 && (is_name(at - 1) || names_engine(tokens, at)) {
        return None;
    }
    let mut words = Vec::new();
    let mut end = at;
    while one_of(tokens, end, BEFORE_JOIN) {
        words.push(tokens[end].token.to_string().to_ascii_uppercase());
        end += 1;
    }
    at_word(tokens, end, "JOIN").then_some((words, end + 1))
}

pub(crate) fn rewrite(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    if !tokens.iter().any(|token| crate::tokens::is_word(&token.token, "JOIN")) {
        return tokens;
    }
    let mut out = Vec::with_capacity(tokens.len() + 8);
    // Joins whose ON or USING is still to come, one list for each open bracket.
    let mut waiting: Vec<Vec<Option<&'static str>>> = vec![Vec::new()];
    let mut at = 0;
    while at < tokens.len() {
        let token = &tokens[at];
        let span = token.span;
        if let Some((words, end)) = join_words(&tokens, at) {
            let has = |wanted: &str| words.iter().any(|word| word == wanted);
            let mut put = |text: &str| out.push(with_span(word(text), span));
            if has("ARRAY") {
                if has("LEFT") {
                    put("LEFT");
                }
                put("ARRAY");
                put("JOIN");
                put(ARRAY_JOIN);
                out.push(with_span(Token::LParen, span));
                let stop = until(&tokens, end, |at| one_of(&tokens, at, AFTER_FROM) || join_words(&tokens, at).is_some());
                out.extend(rewrite(tokens[end..stop].to_vec()));
                out.push(with_span(Token::RParen, span));
                at = stop;
                continue;
            }
            at = end;
            if has("PASTE") {
                put("CROSS");
                put("APPLY");
                continue;
            }
            if has("CROSS") {
                put("CROSS");
                put("JOIN");
                continue;
            }
            let side = ["LEFT", "RIGHT", "FULL"].into_iter().find(|side| has(side));
            let exists = ["SEMI", "ANTI"].into_iter().find(|kind| has(kind));
            if has("NATURAL") {
                // No other word goes with it, and the parser says so.
                put("NATURAL");
                let wrong = ["ANY", "ALL", "ASOF"].into_iter().find(|kind| has(kind));
                put(exists.map(|_| "ANY").or(wrong).or(side).unwrap_or("INNER"));
                put("JOIN");
                continue;
            }
            match (side, exists) {
                (side, Some(kind)) => {
                    put(side.unwrap_or("LEFT"));
                    put(kind);
                }
                (Some(side), None) => put(side),
                (None, None) => put("INNER"),
            }
            put("JOIN");
            let strictness = if has("ASOF") {
                Some(ASOF_JOIN)
            } else if has("ANY") {
                Some(ANY_JOIN)
            } else if has("ALL") {
                Some(ALL_JOIN)
            } else {
                None
            };
            if let Some(open) = waiting.last_mut() {
                open.push(strictness);
            }
            continue;
        }
        at += 1;
        out.push(token.clone());
        if opens(&token.token) {
            waiting.push(Vec::new());
        } else if closes(&token.token) {
            if waiting.len() > 1 {
                waiting.pop();
            }
        } else if at_word(&tokens, at - 1, "ON") {
            if let Some(Some(mark)) = waiting.last_mut().and_then(Vec::pop) {
                out.push(with_span(word(mark), span));
            }
        } else if at_word(&tokens, at - 1, "USING")
            && let Some(mark) = waiting.last_mut().and_then(Vec::pop)
        {
            let marked = |out: &mut Vec<TokenWithSpan>| {
                if let Some(mark) = mark {
                    out.push(with_span(word(mark), span));
                    out.push(with_span(Token::Comma, span));
                }
            };
            if at_token(&tokens, at, &Token::LParen) {
                out.push(tokens[at].clone());
                waiting.push(Vec::new());
                at += 1;
                marked(&mut out);
                continue;
            }
            out.push(with_span(Token::LParen, span));
            marked(&mut out);
            while matches!(tokens.get(at).map(|token| &token.token), Some(Token::Word(_))) {
                out.push(tokens[at].clone());
                at += 1;
                let another = at_token(&tokens, at, &Token::Comma)
                    && matches!(tokens.get(at + 1).map(|token| &token.token), Some(Token::Word(_)));
                if !another {
                    break;
                }
                out.push(tokens[at].clone());
                at += 1;
            }
            out.push(with_span(Token::RParen, span));
        }
    }
    out
}
