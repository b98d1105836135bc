//! `* EXCEPT (a) REPLACE (b + 1 AS b) APPLY (sum)`, also after `t.*` and `COLUMNS(…)`.
//!
//! The words become operators (`dialect.rs` reads what stands at their right), and the star before them `__star()` or
//! `__star('t')`. A star without such words stays as it is. What stands behind a word without parentheses gets them:
//! `REPLACE a + 1 AS a`, `APPLY x -> x + 1`.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Span, Token, TokenWithSpan};

use super::{at_token, at_word, matching, one_of, until, with_span};
use crate::tokens::{AFTER_FROM, word};

pub(crate) const STAR: &str = "__star";
/// The words after a star, and the operators that stand for them.
pub(crate) const OPERATORS: &[(&str, &str)] =
    &[("EXCEPT", "@except@"), ("REPLACE", REPLACE), ("APPLY", APPLY), ("EXCLUDE", "@except@")];
const REPLACE: &str = "@replace@";
const APPLY: &str = "@apply@";
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
        if tokens[at].token == Token::Mul && (modifier(&tokens, at + 1).is_some() || stands_among_values(&tokens, at)) {
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

/// `[*]`, `[t.*]`, `(*, 1)`, `(1, *)`, `* + 1`, `GROUP BY *`: no star of a SELECT list or of `count(*)`, and no multiplication.
fn stands_among_values(tokens: &[TokenWithSpan], at: usize) -> bool {
    let behind = |token: &Token| at > 0 && at_token(tokens, at - 1, token);
    let before = |token: &Token| at_token(tokens, at + 1, token);
    before(&Token::RBracket)
        || behind(&Token::LBracket)
        || behind(&Token::LParen) && before(&Token::Comma)
        || behind(&Token::Comma) && before(&Token::RParen)
        || is_operand(tokens, at)
}

/// Words that a value follows.
const BEFORE_VALUES: &[&str] = &["SELECT", "DISTINCT", "WHERE", "PREWHERE", "HAVING", "AND", "OR", "NOT"];

fn is_operand(tokens: &[TokenWithSpan], at: usize) -> bool {
    let is_operator = |at: usize| {
        let is_one = |token: &Token| {
            matches!(token, Token::Plus | Token::Minus | Token::Div | Token::Mod | Token::StringConcat)
                || matches!(token, Token::Eq | Token::Neq | Token::Lt | Token::LtEq | Token::Gt | Token::GtEq)
        };
        tokens.get(at).is_some_and(|token| is_one(&token.token))
    };
    let Some(before) = at.checked_sub(1) else { return false };
    let is_behind = |token: &Token| at_token(tokens, before, token);
    // Behind a point, and where a value begins right behind the star, a word is the name of a column: `t.by * 2`.
    let is_word = |is: bool| is && !before.checked_sub(1).is_some_and(|point| at_token(tokens, point, &Token::Period));
    let is_factor = tokens.get(at + 1).is_some_and(|next| {
        matches!(next.token, Token::Number(..) | Token::LParen | Token::SingleQuotedString(_) | Token::Minus)
            || matches!(&next.token, Token::Word(word) if word.keyword == Keyword::NoKeyword)
    });
    let begins_value = is_word(one_of(tokens, before, BEFORE_VALUES))
        || is_behind(&Token::Comma)
        || is_behind(&Token::LParen)
        || is_behind(&Token::Period);
    is_operator(before) || (is_word(at_word(tokens, before, "BY")) && !is_factor) || (begins_value && is_operator(at + 1))
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
        if at_token(tokens, at, &Token::LParen) {
            let end = (matching(tokens, at) + 1).min(tokens.len());
            out.extend(rewrite(tokens[at..end].to_vec()));
            at = end;
            continue;
        }
        let end = match operator {
            REPLACE => replaced(tokens, at),
            APPLY => applied(tokens, at),
            _ => at + 1,
        }
        .min(tokens.len());
        out.push(with_span(Token::LParen, span));
        out.extend(rewrite(tokens[at..end].to_vec()));
        out.push(with_span(Token::RParen, span));
        at = end;
    }
    at
}

/// Where `expression AS name` ends; there is one behind a REPLACE without parentheses.
fn replaced(tokens: &[TokenWithSpan], from: usize) -> usize {
    let alias = until(tokens, from, |at| at_token(tokens, at, &Token::Comma) || one_of(tokens, at, &["AS", "FROM"]));
    if at_word(tokens, alias, "AS") { alias + 2 } else { from + 1 }
}

/// Where a function with its parameters, or a lambda, ends.
fn applied(tokens: &[TokenWithSpan], from: usize) -> usize {
    if at_token(tokens, from + 1, &Token::Arrow) {
        return until(tokens, from, |at| {
            at_token(tokens, at, &Token::Comma)
                || at_word(tokens, at, "FROM")
                || one_of(tokens, at, AFTER_FROM)
                || modifier(tokens, at).is_some()
        });
    }
    if at_token(tokens, from + 1, &Token::LParen) { matching(tokens, from + 1) + 1 } else { from + 1 }
}

pub(crate) fn operator_of(token: &Token) -> Option<&str> {
    match token {
        Token::CustomBinaryOperator(name) if OPERATORS.iter().any(|(_, operator)| operator == name) => Some(name),
        _ => None,
    }
}
