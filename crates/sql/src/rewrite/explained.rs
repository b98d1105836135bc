//! `(EXPLAIN …)` where a query may stand: `(SELECT * FROM viewExplain('EXPLAIN …'))`, of which the argument is the text of the
//! statement. `explain` is a name as well, that of the column which EXPLAIN gives, so that what follows decides.
//!
//! Of `viewExplain('EXPLAIN …', 'options', (SELECT …))` the query becomes its text.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::{at_token, at_word, one_of, opens, with_span};
use crate::tokens::word;

/// The table function of an explained statement.
pub const VIEW_EXPLAIN: &str = "viewExplain";

/// Words that may follow EXPLAIN.
const FOLLOWING: &[&str] =
    &["SELECT", "WITH", "INSERT", "CREATE", "AST", "SYNTAX", "PLAN", "PIPELINE", "ESTIMATE", "ANALYZE", "LIMIT"];

pub(crate) fn rewrite(mut tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    // From the last to the first, so that one that lies within another is in the text of that.
    for at in (0..tokens.len()).rev() {
        let span = tokens[at].span;
        if is_call_with_query(&tokens, at) {
            let open = at + QUERY;
            if let Some(end) = closing(&tokens, open) {
                let text = spelled(&tokens[open + 1..end]);
                tokens.splice(open..=end, [with_span(text, span)]);
            }
            continue;
        }
        if !begins(&tokens, at) {
            continue;
        }
        let Some(end) = closing(&tokens, at) else { continue };
        let text = spelled(&tokens[at + 1..end]);
        let query = [word("SELECT"), Token::Mul, word("FROM"), word(VIEW_EXPLAIN), Token::LParen];
        let query = query.into_iter().chain([text, Token::RParen]);
        tokens.splice(at + 1..end, query.map(|token| with_span(token, span)));
    }
    tokens
}

/// A statement as a text.
fn spelled(tokens: &[TokenWithSpan]) -> Token {
    let words: Vec<String> = tokens.iter().map(|token| token.token.to_string()).collect();
    Token::SingleQuotedString(words.join(" ").replace('\\', "\\\\").replace('\'', "\\'"))
}

/// Where the query's bracket opens in `viewExplain('…', '…', (…))`.
const QUERY: usize = 6;

fn is_call_with_query(tokens: &[TokenWithSpan], at: usize) -> bool {
    let is_text = |at: usize| matches!(tokens.get(at).map(|token| &token.token), Some(Token::SingleQuotedString(_)));
    let is = |far: usize, token: &Token| at_token(tokens, at + far, token);
    at_word(tokens, at, VIEW_EXPLAIN)
        && is(1, &Token::LParen)
        && is_text(at + 2)
        && is(3, &Token::Comma)
        && is_text(at + 4)
        && is(5, &Token::Comma)
        && is(QUERY, &Token::LParen)
}

/// Whether a bracket opens an explained statement.
fn begins(tokens: &[TokenWithSpan], at: usize) -> bool {
    let two = |first: &str, second: &str| at_word(tokens, at + 2, first) && at_word(tokens, at + 3, second);
    let is_of_two_words = two("QUERY", "TREE") || two("CURRENT", "TRANSACTION");
    let is_option =
        matches!(tokens.get(at + 2).map(|token| &token.token), Some(Token::Word(_))) && at_token(tokens, at + 3, &Token::Eq);
    at_token(tokens, at, &Token::LParen)
        && at_word(tokens, at + 1, "EXPLAIN")
        && (one_of(tokens, at + 2, FOLLOWING) || is_of_two_words || is_option)
}

/// Where the bracket closes.
fn closing(tokens: &[TokenWithSpan], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match &token.token {
            token if opens(token) => depth += 1,
            Token::RParen | Token::RBracket | Token::RBrace => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}
