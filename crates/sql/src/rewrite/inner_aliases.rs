//! `AS` between the parentheses of an expression (`(a + 1 AS b) * 2`) becomes the operator that the dialect reads.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::aliases::begins;
use crate::dialect::ALIAS_OPERATOR;
use crate::tokens::is_word;

#[derive(Clone, Copy, PartialEq)]
enum Open {
    Cast,
    Subquery,
    Expression,
    Brace,
}

/// Turns `AS` between the parentheses of an expression into the alias operator.
pub(crate) fn rewrite(mut tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut open: Vec<Open> = Vec::new();
    for at in 0..tokens.len() {
        match &tokens[at].token {
            Token::LParen => {
                let before = at.checked_sub(1).map(|i| &tokens[i].token);
                let after = tokens.get(at + 1).map(|t| &t.token);
                let subquery = after.is_some_and(|t| ["SELECT", "WITH", "EXPLAIN"].iter().any(|w| is_word(t, w)));
                // AS is of their own grammar there.
                let own = ["CAST", "TRY_CAST", "INTERPOLATE"];
                open.push(if before.is_some_and(|t| own.iter().any(|word| is_word(t, word))) {
                    Open::Cast
                } else if subquery {
                    Open::Subquery
                } else {
                    Open::Expression
                });
            }
            Token::LBracket => open.push(Open::Expression),
            Token::LBrace => open.push(Open::Brace),
            Token::RParen | Token::RBracket | Token::RBrace => {
                open.pop();
            }
            token if is_word(token, "AS") && open.last() == Some(&Open::Expression) && !begins(&tokens, at) => {
                tokens[at].token = Token::CustomBinaryOperator(ALIAS_OPERATOR.to_string());
            }
            _ => {}
        }
    }
    tokens
}
