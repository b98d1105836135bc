//! `FROM t FINAL`, `FROM db.t AS a FINAL`: the word becomes a last part of the table's name, `t.__final`, which
//! `TableReference` takes off again. It stands behind the alias and before everything else; elsewhere it is a name.

use gristmill_base::{Error, ErrorCode, Result};
use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::{at_token, at_word, one_of, with_span};
use crate::tokens::{AFTER_FROM, BEFORE_JOIN, word};

/// The part of a name that says that the table is read with FINAL.
pub(crate) const FINAL: &str = "__final";

pub(crate) fn rewrite(tokens: Vec<TokenWithSpan>) -> Result<Vec<TokenWithSpan>> {
    if at_word(&tokens, 0, "OPTIMIZE") {
        return Ok(tokens);
    }
    let mut out: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    let mut reads = false;
    for at in 0..tokens.len() {
        reads |= at_word(&tokens, at, "FROM");
        if !(reads && at_word(&tokens, at, "FINAL") && ends(&tokens, at + 1)) {
            out.push(tokens[at].clone());
            continue;
        }
        let Some(name) = name_end(&out) else {
            out.push(tokens[at].clone());
            continue;
        };
        if out[name].token == Token::RParen {
            return Err(refused(&out, name));
        }
        let span = tokens[at].span;
        out.insert(name + 1, with_span(Token::Period, span));
        out.insert(name + 2, with_span(word(FINAL), span));
    }
    Ok(out)
}

/// Whether what begins at `at` may follow a table.
fn ends(tokens: &[TokenWithSpan], at: usize) -> bool {
    let closes = [Token::RParen, Token::SemiColon, Token::Comma, Token::EOF];
    at >= tokens.len()
        || closes.iter().any(|token| at_token(tokens, at, token))
        || one_of(tokens, at, AFTER_FROM)
        || one_of(tokens, at, BEFORE_JOIN)
        || one_of(tokens, at, &["JOIN", "ON", "USING"])
}

/// Where the name of the table ends that the tokens end with, an alias aside; a closing bracket for what has no name.
fn name_end(tokens: &[TokenWithSpan]) -> Option<usize> {
    let last = tokens.len().checked_sub(1)?;
    let is_name = |at: usize| match &tokens[at].token {
        Token::Word(name) => name.quote_style.is_some() || !one_of(tokens, at, NO_NAMES),
        _ => false,
    };
    if tokens[last].token == Token::RParen {
        return Some(last);
    }
    if !is_name(last) {
        return None;
    }
    let before = last.checked_sub(1)?;
    if at_word(tokens, before, "AS") {
        return before.checked_sub(1);
    }
    Some(if is_name(before) || tokens[before].token == Token::RParen { before } else { last })
}

/// Words that stand before a table or end an expression before `FINAL` as a name.
const NO_NAMES: &[&str] = &["FROM", "JOIN", "SELECT", "AS", "BY", "AND", "OR", "NOT", "IN", "DISTINCT", "WHERE", "ON"];

fn refused(tokens: &[TokenWithSpan], close: usize) -> Error {
    let mut depth = 0usize;
    let open = (0..=close).rev().find(|&at| {
        match &tokens[at].token {
            Token::RParen => depth += 1,
            Token::LParen => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    let function = open
        .and_then(|open| open.checked_sub(1))
        .filter(|before| matches!(&tokens[*before].token, Token::Word(_)) && !one_of(tokens, *before, NO_NAMES));
    match function {
        Some(name) => Error::new(
            ErrorCode::ILLEGAL_FINAL,
            format!("The table function {} doesn't support FINAL: leave the word out", tokens[name].token),
        ),
        None => Error::new(
            ErrorCode::UNSUPPORTED_METHOD,
            "Table expression modifiers FINAL are not supported for a subquery: write FINAL behind the tables in it",
        ),
    }
}
