//! Literals: tuples of one element and of none, and what a conditional operator hides from the parser.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::{at_word, inserted, matching, one_of, opens, with_span};
use crate::tokens::{is_word, word};

/// Words that an expression in parentheses may follow; before any other word they are a call's.
const BEFORE_EXPRESSION: &[&str] = &[
    "SELECT",
    "DISTINCT",
    "AND",
    "OR",
    "NOT",
    "BY",
    "WHERE",
    "PREWHERE",
    "THEN",
    "ELSE",
    "WHEN",
    "BETWEEN",
    "LIKE",
    "ILIKE",
    "ON",
    "HAVING",
    "CASE",
    "WITH",
    "RETURN",
    "AS",
    "LIMIT",
    "OFFSET",
    "DEFAULT",
    "MATERIALIZED",
];

/// `()` is `tuple()` behind a word that a value follows, as in `ORDER BY ()`, and among other values: `[()]`, `a = ()`. The parser knows that of
/// GROUP BY, and those of GROUPING SETS.
pub(crate) fn empty_tuples(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let is_one = |at: usize, is_set: bool| {
        let among_values = || {
            matches!(
                tokens[at - 1].token,
                Token::LParen | Token::LBracket | Token::Comma | Token::Eq | Token::DoubleEq | Token::Neq
            )
        };
        tokens.get(at + 1).is_some_and(|next| next.token == Token::RParen)
            && at > 0
            && (one_of(&tokens, at - 1, BEFORE_EXPRESSION) || !is_set && among_values())
            && !(at_word(&tokens, at - 1, "BY") && at > 1 && at_word(&tokens, at - 2, "GROUP"))
            && tokens.get(at + 2).is_none_or(|next| next.token != Token::Arrow)
    };
    let mut found: Vec<usize> = Vec::new();
    // Whether each parenthesis that is open is that of GROUPING SETS.
    let mut of_sets: Vec<bool> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token.token {
            Token::LParen => {
                if is_one(at, of_sets.last() == Some(&true)) {
                    found.push(at);
                }
                of_sets.push(at > 0 && at_word(&tokens, at - 1, "SETS"));
            }
            Token::RParen => {
                of_sets.pop();
            }
            _ => {}
        }
    }
    if found.is_empty() {
        return tokens;
    }
    let mut out = Vec::with_capacity(tokens.len() + found.len());
    for (at, token) in tokens.into_iter().enumerate() {
        if found.binary_search(&at).is_ok() {
            out.push(with_span(word("tuple"), token.span));
        }
        out.push(token);
    }
    out
}

/// `{1: 'a', -2: 'b'}` is `map(1, 'a', -2, 'b')`: the parser reads maps by names and texts alone.
pub(crate) fn maps_by_numbers(mut tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let is_one = |tokens: &[TokenWithSpan], at: usize| {
        let key = at + usize::from(matches!(tokens.get(at + 1), Some(next) if next.token == Token::Minus)) + 1;
        tokens[at].token == Token::LBrace
            && matches!(tokens.get(key), Some(key) if matches!(key.token, Token::Number(..)))
            && matches!(tokens.get(key + 1), Some(colon) if colon.token == Token::Colon)
            // `{1:UInt8}` is a parameter whose name is none.
            && !matches!(tokens.get(key + 2..key + 4), Some([value, close])
                if matches!(value.token, Token::Word(_)) && !["NULL", "TRUE", "FALSE"].iter().any(|known| is_word(&value.token, known))
                    && close.token == Token::RBrace)
    };
    let mut names: Vec<(usize, Token)> = Vec::new();
    for open in 0..tokens.len() {
        let close = if is_one(&tokens, open) { matching(&tokens, open) } else { continue };
        if close >= tokens.len() {
            continue;
        }
        let mut at = open + 1;
        while at < close {
            if tokens[at].token == Token::Colon {
                tokens[at].token = Token::Comma;
            }
            at = if opens(&tokens[at].token) { matching(&tokens, at) + 1 } else { at + 1 };
        }
        tokens[open].token = Token::LParen;
        tokens[close].token = Token::RParen;
        names.push((open, word("map")));
    }
    inserted(tokens, names)
}

/// `a[c ? 1 : 2]` is `a[(c ? 1 : 2)]`: the parser would take the colon for that of a slice.
pub(crate) fn ternaries_in_subscripts(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let is_mark = |token: &Token| matches!(token, Token::Placeholder(mark) if mark == "?");
    if !tokens.iter().any(|token| is_mark(&token.token)) {
        return tokens;
    }
    let mut parentheses: Vec<(usize, Token)> = Vec::new();
    for open in (0..tokens.len()).filter(|at| tokens[*at].token == Token::LBracket) {
        let close = matching(&tokens, open);
        let (mut at, mut has_mark, mut is_list) = (open + 1, false, false);
        while at < close {
            has_mark |= is_mark(&tokens[at].token);
            is_list |= tokens[at].token == Token::Comma;
            at = if opens(&tokens[at].token) { matching(&tokens, at) + 1 } else { at + 1 };
        }
        if has_mark && !is_list && close < tokens.len() {
            parentheses.push((open + 1, Token::LParen));
            parentheses.push((close, Token::RParen));
        }
    }
    inserted(tokens, parentheses)
}

/// `(x,)` is `tuple(x)`; the comma at the end of a longer list goes.
pub(crate) fn one_element_tuples(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let trailing = tokens.windows(2).any(|pair| pair[0].token == Token::Comma && pair[1].token == Token::RParen);
    if !trailing {
        return tokens;
    }
    let mut out: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    // Where each open parenthesis stands in `out`, and whether a comma stands in it.
    let mut open: Vec<(usize, bool)> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match &token.token {
            Token::LParen | Token::LBracket | Token::LBrace => open.push((out.len(), false)),
            Token::RParen | Token::RBracket | Token::RBrace => {
                open.pop();
            }
            Token::Comma => {
                let before_end = tokens.get(at + 1).is_some_and(|next| next.token == Token::RParen);
                if let Some((begin, several)) = open.last_mut() {
                    if before_end {
                        let called = *begin > 0
                            && matches!(&out[*begin - 1].token, Token::Word(_))
                            && !BEFORE_EXPRESSION.iter().any(|before| is_word(&out[*begin - 1].token, before));
                        if !*several && !called {
                            let span = out[*begin].span;
                            out.insert(*begin, with_span(word("tuple"), span));
                        }
                        continue;
                    }
                    *several = true;
                }
            }
            _ => {}
        }
        out.push(token.clone());
    }
    out
}
