//! `WITH expression AS name` becomes a common table expression with the column `SCALAR_COLUMN`, as the parser knows no other.

use gristmill_base::Result;
use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::{closes, opens, too_deep};
use crate::tokens::{SCALAR_COLUMN, is_word, word};

/// Most items of WITH that stand within one another.
const LEVELS_MOST: usize = 1_000;

/// Rewrites `WITH expression AS name` to `WITH name AS (SELECT expression AS __scalar_alias)`; without a name it gets one.
/// Error: TOO_DEEP_RECURSION.
pub(crate) fn rewrite(tokens: Vec<TokenWithSpan>) -> Result<Vec<TokenWithSpan>> {
    if !tokens.iter().any(|token| is_word(&token.token, "WITH")) {
        return Ok(tokens);
    }
    let mut out = Vec::with_capacity(tokens.len());
    let end = tokens.len();
    Rewriter { ends: ends_of_brackets(&tokens), tokens: &tokens }.part(0, end, 0, &mut out)?;
    Ok(out)
}

/// For each bracket that opens, where it is closed: the end where it is not.
fn ends_of_brackets(tokens: &[TokenWithSpan]) -> Vec<usize> {
    let mut ends = vec![tokens.len(); tokens.len()];
    let mut open = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if opens(&token.token) {
            open.push(at);
        } else if closes(&token.token)
            && let Some(opened) = open.pop()
        {
            ends[opened] = at;
        }
    }
    ends
}

struct Rewriter<'t> {
    tokens: &'t [TokenWithSpan],
    ends: Vec<usize>,
}

impl Rewriter<'_> {
    /// Copies the tokens from `at` to `end`, which stand within so many items of WITH.
    fn part(&self, mut at: usize, end: usize, level: usize, out: &mut Vec<TokenWithSpan>) -> Result<()> {
        if level > LEVELS_MOST {
            return Err(too_deep());
        }
        let (tokens, start) = (self.tokens, at);
        while at < end {
            let begins = is_word(&tokens[at].token, "WITH")
                && (at == start
                    || matches!(tokens[at - 1].token, Token::LParen)
                    || is_word(&tokens[at - 1].token, "AS")
                    || after_head(tokens, at)
                    || (is_word(&tokens[at - 1].token, "ALL") && at > 1 && combines_queries(&tokens[at - 2].token)));
            out.push(tokens[at].clone());
            at += 1;
            if !begins {
                continue;
            }
            if at < end && is_word(&tokens[at].token, "RECURSIVE") {
                out.push(tokens[at].clone());
                at += 1;
            }
            at = self.items(at, end, level, out)?;
        }
        Ok(())
    }

    /// Copies the items of a WITH clause from `at`, rewriting scalar ones; returns where they end.
    fn items(&self, mut at: usize, end: usize, level: usize, out: &mut Vec<TokenWithSpan>) -> Result<usize> {
        let tokens = &self.tokens[..end];
        loop {
            let start = at;
            let mut alias_at = None;
            while at < end {
                match &tokens[at].token {
                    // `WITH 1 AS x (SELECT …)`: the query itself, in brackets.
                    Token::LParen if at >= 2 && alias_at == Some(at - 2) && opens_select(tokens, at) => break,
                    token if opens(token) => at = self.ends[at],
                    token if closes(token) => return Ok(start),
                    Token::Comma => break,
                    token if at > start && is_word(token, "SELECT") => break,
                    token if is_word(token, "AS") => alias_at = Some(at),
                    _ => {}
                }
                at += 1;
            }
            at = at.min(end);
            // `AS [NOT] MATERIALIZED (…)` is a hint.
            let hint = alias_at.map_or(0, |alias| {
                let not = usize::from(tokens.get(alias + 1).is_some_and(|t| is_word(&t.token, "NOT")));
                let said = tokens.get(alias + 1 + not).is_some_and(|t| is_word(&t.token, "MATERIALIZED"));
                if said { not + 1 } else { 0 }
            });
            let table = alias_at.is_some_and(|alias| tokens.get(alias + 1 + hint).map(|t| &t.token) == Some(&Token::LParen));
            // `WITH x = 1 SELECT …`: a value that nobody can name.
            let unnamed = (alias_at.is_none() && at > start).then(|| word(&format!("{SCALAR_COLUMN}_{start}")));
            let named = alias_at.filter(|alias| !table && alias + 1 < at).map(|alias| tokens[alias + 1].token.clone());
            match named.or(unnamed) {
                Some(name) => {
                    let value_end = alias_at.unwrap_or(at);
                    let value = &tokens[start..value_end];
                    let span = value.last().map_or(tokens[start].span, |last| last.span);
                    let mut push = |token: Token| out.push(TokenWithSpan { token, span });
                    push(name);
                    push(word("AS"));
                    push(Token::LParen);
                    push(word("SELECT"));
                    // A subquery in it may have a WITH of its own.
                    self.part(start, value_end, level + 1, out)?;
                    let mut push = |token: Token| out.push(TokenWithSpan { token, span });
                    push(word("AS"));
                    push(word(SCALAR_COLUMN));
                    push(Token::RParen);
                }
                _ => {
                    // A common table expression: its subquery may have a WITH of its own.
                    let body = alias_at.map_or(start, |alias| alias + 1);
                    out.extend_from_slice(&tokens[start..body]);
                    self.part((body + hint).min(at), at, level + 1, out)?;
                }
            }
            if at < end && tokens[at].token == Token::Comma {
                out.push(tokens[at].clone());
                at += 1;
                continue;
            }
            return Ok(at);
        }
    }
}

/// Behind `UNION ALL` a WITH begins a query; behind `GROUP BY ALL` it says what becomes of the groups.
fn combines_queries(token: &Token) -> bool {
    ["UNION", "INTERSECT", "EXCEPT"].iter().any(|word| is_word(token, word))
}

/// `INSERT INTO t WITH …`, `SETTINGS a = 1 WITH …`, `EXPLAIN SYNTAX oneline = 1 WITH …`: a WITH before which no clause of a SELECT
/// stands, nor a statement that is explained and has a WITH of its own.
fn after_head(tokens: &[TokenWithSpan], at: usize) -> bool {
    let others: &[&str] = match &tokens[0].token {
        first if is_word(first, "INSERT") => &["SELECT"],
        first if is_word(first, "EXPLAIN") => &["SELECT", "CREATE", "ALTER", "GRANT"],
        _ => return false,
    };
    !tokens[..at].iter().any(|token| others.iter().any(|word| is_word(&token.token, word)))
}

fn opens_select(tokens: &[TokenWithSpan], at: usize) -> bool {
    tokens.get(at + 1).is_some_and(|token| is_word(&token.token, "SELECT"))
}
