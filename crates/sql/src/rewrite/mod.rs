//! What the parser has no grammar for, rewritten into what it has, token by token.
//!
//! Each pass takes the tokens of a statement without white space and gives them back changed. What a pass puts in has
//! names that begin with two underscores, which the lowering knows: `joins` (ANY, ASOF, PASTE, ARRAY JOIN of expressions,
//! USING without parentheses), `limits` (LIMIT BY beside LIMIT, WITH TIES), `stars` (EXCEPT, REPLACE and APPLY after `*`),
//! `digits` (`0b101`, `0x1p3`, `x'41'`), `lambdas` (several parameters without parentheses), `aliases` (AS in clauses),
//! `operands` (AS in CASE, CAST, INTERVAL and places of elements), `inner_aliases` (AS in parentheses), `scalar_with`
//! (`WITH expression AS name`), `select_top` (`SELECT TOP 2`), `names` (keywords as names), `literals` (`0b101`, `(1,)`), `finals`
//! (FINAL after a table), `unions` (ORDER BY and LIMIT before UNION), `variables` (`@@version`), `fill` (STALENESS), `collations`
//! (COLLATE of ORDER BY), `totals` (WITH TOTALS without GROUP BY), `explained` (EXPLAIN as a query).

pub(crate) mod aliases;
pub(crate) mod collations;
pub(crate) mod digits;
pub(crate) mod explained;
pub(crate) mod fill;
pub(crate) mod finals;
pub(crate) mod inner_aliases;
pub(crate) mod joins;
pub(crate) mod lambdas;
pub(crate) mod limits;
pub(crate) mod literals;
pub(crate) mod names;
pub(crate) mod operands;
pub(crate) mod scalar_with;
pub(crate) mod select_top;
pub(crate) mod stars;
#[cfg(test)]
mod tests;
pub(crate) mod totals;
pub(crate) mod tuple_ends;
pub(crate) mod unions;
pub(crate) mod variables;

use gristmill_base::{Error, ErrorCode, Result};
use sqlparser::tokenizer::{Span, Token, TokenWithSpan};

use crate::tokens::is_word;

pub(crate) fn at_word(tokens: &[TokenWithSpan], at: usize, word: &str) -> bool {
    tokens.get(at).is_some_and(|token| is_word(&token.token, word))
}

pub(crate) fn at_token(tokens: &[TokenWithSpan], at: usize, token: &Token) -> bool {
    tokens.get(at).is_some_and(|found| found.token == *token)
}

pub(crate) fn one_of(tokens: &[TokenWithSpan], at: usize, words: &[&str]) -> bool {
    words.iter().any(|word| at_word(tokens, at, word))
}

pub(crate) fn with_span(token: Token, span: Span) -> TokenWithSpan {
    TokenWithSpan { token, span }
}

pub(crate) fn opens(token: &Token) -> bool {
    matches!(token, Token::LParen | Token::LBracket | Token::LBrace)
}

pub(crate) fn closes(token: &Token) -> bool {
    matches!(token, Token::RParen | Token::RBracket | Token::RBrace)
}

/// Most brackets within one another that the passes see: more than the parser reads at all.
const BRACKETS_MOST: usize = 2_000;

pub(crate) fn too_deep() -> Error {
    Error::new(ErrorCode::TOO_DEEP_RECURSION, "Maximum parse depth exceeded. Consider raising max_parser_depth")
}

/// Error: TOO_DEEP_RECURSION of brackets that no parser would read to their end, which some passes look for again on every level.
pub(crate) fn check_depth(tokens: &[TokenWithSpan]) -> Result<()> {
    let mut depth = 0_usize;
    for token in tokens {
        if opens(&token.token) {
            depth += 1;
        } else if closes(&token.token) {
            depth = depth.saturating_sub(1);
        }
        if depth > BRACKETS_MOST {
            return Err(too_deep());
        }
    }
    Ok(())
}

/// Where the bracket that opens at `at` is closed; the end where it is not.
pub(crate) fn matching(tokens: &[TokenWithSpan], at: usize) -> usize {
    let mut depth = 0usize;
    for (i, token) in tokens.iter().enumerate().skip(at) {
        if opens(&token.token) {
            depth += 1;
        } else if closes(&token.token) {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return i;
            }
        }
    }
    tokens.len()
}

/// The end of what begins at `from`: the first token outside of brackets that `ends` says yes to, or a closing one.
pub(crate) fn until(tokens: &[TokenWithSpan], from: usize, ends: impl Fn(usize) -> bool) -> usize {
    let mut at = from;
    while at < tokens.len() {
        let token = &tokens[at].token;
        if closes(token) || matches!(token, Token::SemiColon | Token::EOF) || ends(at) {
            return at;
        }
        at = if opens(token) { matching(tokens, at) + 1 } else { at + 1 };
    }
    tokens.len()
}

/// The tokens with others put in, each before the one at its place. Those of one place keep their order.
pub(crate) fn inserted(tokens: Vec<TokenWithSpan>, mut added: Vec<(usize, Token)>) -> Vec<TokenWithSpan> {
    if added.is_empty() {
        return tokens;
    }
    added.sort_by_key(|(at, _)| *at);
    let mut out = Vec::with_capacity(tokens.len() + added.len());
    let mut added = added.into_iter().peekable();
    for (at, token) in tokens.into_iter().enumerate() {
        while let Some((_, more)) = added.next_if(|(before, _)| *before == at) {
            out.push(with_span(more, token.span));
        }
        out.push(token);
    }
    out
}
