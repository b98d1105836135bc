//! Literals: `0b101`, which the tokenizer takes for a zero with an alias, and tuples of one element.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::with_span;
use crate::tokens::word;

/// Joins `0` and `b101` where nothing stands between them. Works on tokens with their white space.
pub(crate) fn binary_numbers(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut out: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    for token in tokens {
        if let Token::Word(digits) = &token.token
            && digits.quote_style.is_none()
            && let Some(bits) = digits.value.strip_prefix(['b', 'B'])
            && !bits.is_empty()
            && bits.bytes().all(|bit| matches!(bit, b'0' | b'1' | b'_'))
            && let Some(last) = out.last_mut()
            && matches!(&last.token, Token::Number(zero, false) if zero == "0")
        {
            last.token = Token::Number(format!("0b{bits}"), false);
            continue;
        }
        out.push(token);
    }
    out
}

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
                            && !BEFORE_EXPRESSION
                                .iter()
                                .any(|before| crate::tokens::is_word(&out[*begin - 1].token, before));
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
