//! `WITH expression AS name` becomes a common table expression with the column `SCALAR_COLUMN`, as the parser knows no other.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::tokens::{SCALAR_COLUMN, is_word, word};

/// Rewrites `WITH expression AS name` to `WITH name AS (SELECT expression AS __scalar_alias)`; without a name it gets one.
pub(crate) fn rewrite(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut out: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let begins = is_word(&tokens[at].token, "WITH")
            && (at == 0
                || matches!(tokens[at - 1].token, Token::LParen)
                || is_word(&tokens[at - 1].token, "AS")
                || after_head(&tokens, at)
                || (is_word(&tokens[at - 1].token, "ALL") && at > 1 && combines_queries(&tokens[at - 2].token)));
        out.push(tokens[at].clone());
        at += 1;
        if !begins {
            continue;
        }
        if tokens.get(at).is_some_and(|t| is_word(&t.token, "RECURSIVE")) {
            out.push(tokens[at].clone());
            at += 1;
        }
        at = with_items(&tokens, at, &mut out);
    }
    out
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

/// Copies the items of a WITH clause from `at`, rewriting scalar ones; returns where they end.
fn with_items(tokens: &[TokenWithSpan], mut at: usize, out: &mut Vec<TokenWithSpan>) -> usize {
    loop {
        let start = at;
        let mut depth = 0i32;
        let mut alias_at = None;
        while at < tokens.len() {
            match &tokens[at].token {
                // `WITH 1 AS x (SELECT …)`: the query itself, in brackets.
                Token::LParen if depth == 0 && at >= 2 && alias_at == Some(at - 2) && opens_select(tokens, at) => break,
                Token::LParen | Token::LBracket | Token::LBrace => depth += 1,
                Token::RParen | Token::RBracket | Token::RBrace if depth == 0 => return start,
                Token::RParen | Token::RBracket | Token::RBrace => depth -= 1,
                Token::Comma if depth == 0 => break,
                token if depth == 0 && at > start && is_word(token, "SELECT") => break,
                token if depth == 0 && is_word(token, "AS") => alias_at = Some(at),
                _ => {}
            }
            at += 1;
        }
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
                let value = &tokens[start..alias_at.unwrap_or(at)];
                let span = value.last().map_or(tokens[start].span, |last| last.span);
                let mut push = |token: Token| out.push(TokenWithSpan { token, span });
                push(name);
                push(word("AS"));
                push(Token::LParen);
                push(word("SELECT"));
                // A subquery in it may have a WITH of its own.
                out.extend(rewrite(value.to_vec()));
                let mut push = |token: Token| out.push(TokenWithSpan { token, span });
                push(word("AS"));
                push(word(SCALAR_COLUMN));
                push(Token::RParen);
            }
            _ => {
                // A common table expression: its subquery may have a WITH of its own.
                let body = alias_at.map_or(start, |alias| alias + 1);
                out.extend_from_slice(&tokens[start..body]);
                out.extend(rewrite(tokens[(body + hint).min(at)..at].to_vec()));
            }
        }
        if at < tokens.len() && tokens[at].token == Token::Comma {
            out.push(tokens[at].clone());
            at += 1;
            continue;
        }
        return at;
    }
}
