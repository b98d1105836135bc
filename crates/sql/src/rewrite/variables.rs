//! Variables of MySQL: `@@version`, `@@session.max_allowed_packet`. Drivers and BI tools ask for them before anything else. Each is
//! `globalVariable('version') AS "@@version"`, in parentheses, so that it may stand in an expression.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan, Word};

use super::{at_token, one_of, with_span};
use crate::dialect::ALIAS_OPERATOR;
use crate::tokens::word;

/// Whose value is asked for: there is one for all.
const SCOPES: &[&str] = &["SESSION", "GLOBAL"];

pub(crate) fn rewrite(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    if !tokens.iter().any(|token| token.token == Token::AtAt) {
        return tokens;
    }
    let mut out: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len() + 8);
    let mut at = 0;
    while at < tokens.len() {
        let scoped = one_of(&tokens, at + 1, SCOPES) && at_token(&tokens, at + 2, &Token::Period);
        let name_at = if scoped { at + 3 } else { at + 1 };
        let name = tokens.get(name_at).map(|token| &token.token);
        let (Token::AtAt, Some(Token::Word(name))) = (&tokens[at].token, name) else {
            out.push(tokens[at].clone());
            at += 1;
            continue;
        };
        let alias = Word { value: format!("@@{}", name.value), quote_style: Some('`'), keyword: Keyword::NoKeyword };
        let written = name.value.replace('\\', "\\\\").replace('\'', "\\'");
        let span = tokens[at].span;
        let call = [
            Token::LParen,
            word("globalVariable"),
            Token::LParen,
            Token::SingleQuotedString(written),
            Token::RParen,
            Token::CustomBinaryOperator(ALIAS_OPERATOR.to_string()),
            Token::Word(alias),
            Token::RParen,
        ];
        out.extend(call.map(|token| with_span(token, span)));
        at = name_at + 1;
    }
    out
}
