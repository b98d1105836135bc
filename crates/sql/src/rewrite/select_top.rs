//! `SELECT [DISTINCT] TOP n [WITH TIES] …` is `SELECT [DISTINCT] … LIMIT n [WITH TIES]`.

use gristmill_base::{Error, ErrorCode, Result};
use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::{at_word, matching, one_of, until, with_span};
use crate::tokens::word;

/// What may follow the LIMIT of a SELECT.
const BEHIND: &[&str] = &["OFFSET", "SETTINGS", "FORMAT", "INTO", "UNION", "INTERSECT"];

/// Errors: TOP_AND_LIMIT_TOGETHER.
pub(crate) fn rewrite(mut tokens: Vec<TokenWithSpan>) -> Result<Vec<TokenWithSpan>> {
    // From the last to the first: what is moved stays within its own query.
    for select in (0..tokens.len()).rev().filter(|at| at_word(&tokens, *at, "SELECT")).collect::<Vec<_>>() {
        let top = if at_word(&tokens, select + 1, "DISTINCT") { select + 2 } else { select + 1 };
        if at_word(&tokens, top, "TOP") {
            tokens = moved(tokens, top)?;
        }
    }
    Ok(tokens)
}

fn moved(mut tokens: Vec<TokenWithSpan>, top: usize) -> Result<Vec<TokenWithSpan>> {
    let count_end = match tokens.get(top + 1).map(|count| &count.token) {
        Some(Token::Number(..)) => top + 2,
        Some(Token::LParen) => (matching(&tokens, top + 1) + 1).min(tokens.len()),
        _ => return Ok(tokens),
    };
    let has_ties = at_word(&tokens, count_end, "WITH") && at_word(&tokens, count_end + 1, "TIES");
    let list = if has_ties { count_end + 2 } else { count_end };
    let is_clause = |at: usize, words: &[&str]| {
        at > list && one_of(&tokens, at, words) && !matches!(tokens[at - 1].token, Token::Comma | Token::Period)
    };
    // The EXCEPT behind a star chooses columns.
    let combines = |at: usize| is_clause(at, &["EXCEPT"]) && one_of(&tokens, at + 1, &["SELECT", "ALL", "DISTINCT", "WITH"]);
    let end = until(&tokens, list, |at| is_clause(at, BEHIND) || combines(at));
    let limit = until(&tokens, list, |at| at >= end || is_clause(at, &["LIMIT"]));
    if limit < end && !at_word(&tokens, until(&tokens, limit, |at| at >= end || at_word(&tokens, at, "BY")), "BY") {
        let text = "Can not use TOP and LIMIT together: leave one of them out";
        return Err(Error::new(ErrorCode::TOP_AND_LIMIT_TOGETHER, text));
    }
    let span = tokens[top].span;
    let count: Vec<TokenWithSpan> = tokens.drain(top..list).collect();
    let limit = std::iter::once(with_span(word("LIMIT"), span)).chain(count.into_iter().skip(1));
    let end = end - (list - top);
    tokens.splice(end..end, limit);
    Ok(tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(text: &str) -> Result<String> {
        let tokens = crate::tokens::tokenize(text)?;
        let tokens = tokens.into_iter().filter(|token| !matches!(token.token, Token::Whitespace(_))).collect();
        let words: Vec<String> = rewrite(tokens)?.iter().map(|token| token.token.to_string()).collect();
        Ok(words.join(" "))
    }

    #[test]
    fn top_is_the_limit_of_its_own_select() {
        for (text, expected) in [
            ("SELECT TOP 2 a FROM t ORDER BY a", "SELECT a FROM t ORDER BY a LIMIT 2"),
            (
                "SELECT DISTINCT TOP (2) WITH TIES a FROM t FORMAT TSV",
                "SELECT DISTINCT a FROM t LIMIT ( 2 ) WITH TIES FORMAT TSV",
            ),
            ("SELECT TOP 1 a UNION ALL SELECT TOP 2 b", "SELECT a LIMIT 1 UNION ALL SELECT b LIMIT 2"),
            ("SELECT (SELECT TOP 1 a FROM t), 2", "SELECT ( SELECT a FROM t LIMIT 1 ) , 2"),
            ("SELECT TOP 1 * EXCEPT (a) FROM t", "SELECT * EXCEPT ( a ) FROM t LIMIT 1"),
            ("SELECT TOP 1 a FROM t LIMIT 1 BY b", "SELECT a FROM t LIMIT 1 BY b LIMIT 1"),
            ("SELECT a top", "SELECT a top"),
        ] {
            assert_eq!(rewritten(text).ok().as_deref(), Some(expected));
        }
        let error = rewritten("SELECT TOP 1 a FROM t LIMIT 2").err();
        assert_eq!(error.map(|error| error.code()), Some(ErrorCode::TOP_AND_LIMIT_TOGETHER));
    }
}
