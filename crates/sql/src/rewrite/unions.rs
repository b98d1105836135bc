//! `SELECT … ORDER BY … LIMIT … UNION ALL SELECT …`: a SELECT that sorts or limits its own rows before another follows gets
//! brackets around it, which the parser asks for there. So does one that begins with a WITH of its own behind UNION.

use sqlparser::tokenizer::{Span, Token, TokenWithSpan};

use super::{at_word, closes, one_of, opens, until, with_span};

const OPERATORS: &[&str] = &["UNION", "INTERSECT", "EXCEPT"];
/// What may follow them; elsewhere `EXCEPT` tells of columns.
const FOLLOW: &[&str] = &["ALL", "DISTINCT", "SELECT", "WITH"];
/// What belongs to one SELECT and may not stand before the operator.
const TAILS: &[&str] = &["LIMIT", "OFFSET", "SETTINGS"];

/// What stands behind all of them.
const ENDS: &[&str] = &["SETTINGS", "FORMAT", "INTO"];

/// A SELECT under way, at one depth of brackets.
#[derive(Clone, Copy, Default)]
struct Select {
    /// Where it begins.
    start: Option<usize>,
    has_tail: bool,
}

pub(crate) fn rewrite(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let brackets = around_with(&tokens);
    let tokens = put(tokens, brackets);
    let brackets = around_tails(&tokens);
    put(tokens, brackets)
}

fn is_operator(tokens: &[TokenWithSpan], at: usize) -> bool {
    one_of(tokens, at, OPERATORS)
        && (one_of(tokens, at + 1, FOLLOW) || tokens.get(at + 1).is_some_and(|next| next.token == Token::LParen))
}

/// Brackets around each query behind an operator that begins with WITH: up to the next operator, or what ends them all.
fn around_with(tokens: &[TokenWithSpan]) -> Vec<(usize, Token)> {
    let mut brackets = Vec::new();
    for at in (0..tokens.len()).filter(|at| is_operator(tokens, *at)) {
        let start = at + 1 + usize::from(one_of(tokens, at + 1, &["ALL", "DISTINCT"]));
        if at_word(tokens, start, "WITH") {
            let end = until(tokens, start, |at| is_operator(tokens, at) || one_of(tokens, at, ENDS));
            brackets.extend([(start, Token::LParen), (end, Token::RParen)]);
        }
    }
    brackets
}

fn around_tails(tokens: &[TokenWithSpan]) -> Vec<(usize, Token)> {
    let mut depths = vec![Select::default()];
    let mut brackets: Vec<(usize, Token)> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if opens(&token.token) {
            depths.push(Select::default());
        } else if closes(&token.token) {
            depths.pop();
        }
        let Some(select) = depths.last_mut() else { return Vec::new() };
        if at_word(tokens, at, "SELECT") {
            *select = Select { start: Some(at), has_tail: false };
        } else if let (true, Select { start: Some(start), has_tail: true }) = (is_operator(tokens, at), *select) {
            brackets.extend([(start, Token::LParen), (at, Token::RParen)]);
            *select = Select::default();
        } else if select.start.is_some() {
            let sorts = at_word(tokens, at, "ORDER") && at_word(tokens, at + 1, "BY");
            select.has_tail |= sorts || one_of(tokens, at, TAILS);
        }
    }
    brackets
}

/// The tokens with brackets before those that stand at their places; at the end, where a place is behind the last one.
fn put(tokens: Vec<TokenWithSpan>, mut brackets: Vec<(usize, Token)>) -> Vec<TokenWithSpan> {
    if brackets.is_empty() {
        return tokens;
    }
    brackets.sort_by_key(|(at, _)| *at);
    let mut brackets = brackets.into_iter().peekable();
    let mut out: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len() + brackets.len());
    for (at, token) in tokens.into_iter().enumerate() {
        while let Some((_, bracket)) = brackets.next_if(|(place, _)| *place == at) {
            out.push(with_span(bracket, token.span));
        }
        out.push(token);
    }
    let last = out.last().map_or_else(Span::empty, |token| token.span);
    out.extend(brackets.map(|(_, bracket)| with_span(bracket, last)));
    out
}
