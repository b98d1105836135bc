//! `SELECT … ORDER BY … LIMIT … UNION ALL SELECT …`: a SELECT that sorts or limits its own rows before another follows gets
//! brackets around it, which the parser asks for there.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::{at_word, closes, one_of, opens, with_span};

const OPERATORS: &[&str] = &["UNION", "INTERSECT", "EXCEPT"];
/// What may follow them; elsewhere `EXCEPT` tells of columns.
const FOLLOW: &[&str] = &["ALL", "DISTINCT", "SELECT", "WITH"];
/// What belongs to one SELECT and may not stand before the operator.
const TAILS: &[&str] = &["LIMIT", "OFFSET", "SETTINGS"];

/// A SELECT under way, at one depth of brackets.
#[derive(Clone, Copy, Default)]
struct Select {
    /// Where it begins.
    start: Option<usize>,
    has_tail: bool,
}

pub(crate) fn rewrite(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut depths = vec![Select::default()];
    let mut brackets: Vec<(usize, Token)> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if opens(&token.token) {
            depths.push(Select::default());
        } else if closes(&token.token) {
            depths.pop();
        }
        let Some(select) = depths.last_mut() else { return tokens };
        let is_operator = one_of(&tokens, at, OPERATORS)
            && (one_of(&tokens, at + 1, FOLLOW) || tokens.get(at + 1).is_some_and(|next| next.token == Token::LParen));
        if at_word(&tokens, at, "SELECT") {
            *select = Select { start: Some(at), has_tail: false };
        } else if let (true, Select { start: Some(start), has_tail: true }) = (is_operator, *select) {
            brackets.extend([(start, Token::LParen), (at, Token::RParen)]);
            *select = Select::default();
        } else if select.start.is_some() {
            let sorts = at_word(&tokens, at, "ORDER") && at_word(&tokens, at + 1, "BY");
            select.has_tail |= sorts || one_of(&tokens, at, TAILS);
        }
    }
    if brackets.is_empty() {
        return tokens;
    }
    brackets.sort_by_key(|(at, _)| *at);
    let mut brackets = brackets.into_iter().peekable();
    let mut out = Vec::with_capacity(tokens.len() + brackets.len());
    for (at, token) in tokens.into_iter().enumerate() {
        while let Some((_, bracket)) = brackets.next_if(|(place, _)| *place == at) {
            out.push(with_span(bracket, token.span));
        }
        out.push(token);
    }
    out
}
