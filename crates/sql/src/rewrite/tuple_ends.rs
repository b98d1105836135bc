//! `t.-1`, an element of a tuple counted from its end: one token, as `.1` is one.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::at_token;

pub(crate) fn rewrite(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let index = |at: usize| match tokens.get(at + 2).map(|token| &token.token) {
        Some(Token::Number(digits, false))
            if at_token(&tokens, at, &Token::Period) && at_token(&tokens, at + 1, &Token::Minus) =>
        {
            digits.bytes().all(|c| c.is_ascii_digit()).then(|| Token::Number(format!(".-{digits}"), false))
        }
        _ => None,
    };
    if !(0..tokens.len()).any(|at| index(at).is_some()) {
        return tokens;
    }
    let mut out = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        match index(at) {
            Some(token) => {
                out.push(TokenWithSpan { token, span: tokens[at].span });
                at += 3;
            }
            None => {
                out.push(tokens[at].clone());
                at += 1;
            }
        }
    }
    out
}
