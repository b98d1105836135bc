//! `* EXCEPT (a) REPLACE (b + 1 AS b) APPLY (sum)`, also after `t.*` and `COLUMNS(…)`.
//!
//! The words become operators (`dialect.rs` reads what stands at their right), and the star before them `__star()` or
//! `__star('t')`. A star without such words stays as it is.

use sqlparser::tokenizer::{Span, Token, TokenWithSpan};

use super::{at_token, at_word, matching, one_of, with_span};
use crate::tokens::word;

pub(crate) const STAR: &str = "__star";
/// The words after a star, and the operators that stand for them.
pub(crate) const OPERATORS: &[(&str, &str)] =
    &[("EXCEPT", "@except@"), ("REPLACE", "@replace@"), ("APPLY", "@apply@"), ("EXCLUDE", "@except@")];
pub(crate) const STRICT: &str = "@strict@";

/// Whether a word of these stands at `at`, and not the set operation EXCEPT.
fn modifier(tokens: &[TokenWithSpan], at: usize) -> Option<&'static str> {
    let (_, operator) = OPERATORS.iter().find(|(word, _)| at_word(tokens, at, word))?;
    let after = if at_word(tokens, at + 1, "STRICT") { at + 2 } else { at + 1 };
    let query = one_of(tokens, after, &["SELECT", "ALL", "DISTINCT", "WITH"])
        || (at_token(tokens, after, &Token::LParen) && one_of(tokens, after + 1, &["SELECT", "WITH"]));
    (!query && after < tokens.len()).then_some(operator)
}

pub(crate) fn rewrite(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut out: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let span = tokens[at].span;
        if tokens[at].token == Token::Mul && modifier(&tokens, at + 1).is_some() {
            star(&mut out, span);
            at = modifiers(&tokens, at + 1, &mut out);
            continue;
        }
        let columns = at_word(&tokens, at, "COLUMNS") && at_token(&tokens, at + 1, &Token::LParen);
        let end = if columns { matching(&tokens, at + 1) + 1 } else { 0 };
        if columns && modifier(&tokens, end).is_some() {
            out.extend(tokens[at..end].iter().cloned());
            at = modifiers(&tokens, end, &mut out);
            continue;
        }
        out.push(tokens[at].clone());
        at += 1;
    }
    out
}

/// Puts `__star()`, with the qualifier that was already written as its argument.
fn star(out: &mut Vec<TokenWithSpan>, span: Span) {
    let mut qualifier: Vec<TokenWithSpan> = Vec::new();
    while out.len() >= 2 && out[out.len() - 1].token == Token::Period && matches!(out[out.len() - 2].token, Token::Word(_)) {
        out.pop();
        if let Some(name) = out.pop() {
            qualifier.push(name);
        }
    }
    out.push(with_span(word(STAR), span));
    out.push(with_span(Token::LParen, span));
    for (i, name) in qualifier.into_iter().rev().enumerate() {
        if i > 0 {
            out.push(with_span(Token::Comma, span));
        }
        out.push(name);
    }
    out.push(with_span(Token::RParen, span));
}

fn modifiers(tokens: &[TokenWithSpan], mut at: usize, out: &mut Vec<TokenWithSpan>) -> usize {
    while let Some(operator) = modifier(tokens, at) {
        let span = tokens[at].span;
        at += 1;
        out.push(with_span(Token::CustomBinaryOperator(operator.to_string()), span));
        if at_word(tokens, at, "STRICT") {
            out.push(with_span(Token::CustomBinaryOperator(STRICT.to_string()), span));
            at += 1;
        }
        let end = if at_token(tokens, at, &Token::LParen) { (matching(tokens, at) + 1).min(tokens.len()) } else { at + 1 };
        out.extend(rewrite(tokens[at..end].to_vec()));
        at = end;
    }
    at
}

pub(crate) fn operator_of(token: &Token) -> Option<&str> {
    match token {
        Token::CustomBinaryOperator(name) if OPERATORS.iter().any(|(_, operator)| operator == name) => Some(name),
        _ => None,
    }
}
