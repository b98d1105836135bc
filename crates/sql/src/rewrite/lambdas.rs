//! Lambdas of several parameters without parentheses: `arraySum(x, y -> x + y, a, b)` is `arraySum((x, y) -> x + y, a, b)`. All
//! that stands in the call before the arrow has to be names.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::{at_token, inserted};

pub(crate) fn rewrite(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut parentheses = Vec::new();
    for arrow in (0..tokens.len()).filter(|at| tokens[*at].token == Token::Arrow) {
        if let Some(first) = first_parameter(&tokens, arrow) {
            parentheses.push((first, Token::LParen));
            parentheses.push((arrow, Token::RParen));
        }
    }
    inserted(tokens, parentheses)
}

/// Where the names before an arrow begin, if they are several and are all that stands in the call before it.
fn first_parameter(tokens: &[TokenWithSpan], arrow: usize) -> Option<usize> {
    let is_name = |at: usize| matches!(tokens[at].token, Token::Word(_));
    let last = arrow.checked_sub(1).filter(|at| is_name(*at))?;
    let mut first = last;
    while first >= 2 && at_token(tokens, first - 1, &Token::Comma) && is_name(first - 2) {
        first -= 2;
    }
    let is_in_call = first >= 2
        && at_token(tokens, first - 1, &Token::LParen)
        && matches!(tokens[first - 2].token, Token::Word(_) | Token::RParen);
    (first < last && is_in_call).then_some(first)
}
