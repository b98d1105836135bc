//! Aliases where the parser has none: `AS` behind an expression in a clause of a query (`GROUP BY a % 3 AS r`) becomes the operator
//! that the dialect reads. The directions ASCENDING and DESCENDING get their short names on the way.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::{at_word, one_of};
use crate::dialect::ALIAS_OPERATOR;
use crate::tokens::{is_word, word};

/// What is between two brackets, as far as it is read.
#[derive(Default)]
struct Level {
    has_select: bool,
    /// Whether an expression of the clause may have an alias.
    in_aliased_clause: bool,
    in_order_by: bool,
}

/// Clauses of which expressions may have an alias that the parser does not know of. BY: that of GROUP, ORDER and LIMIT.
const ALIASED: &[&str] = &["WHERE", "PREWHERE", "HAVING", "QUALIFY", "BY"];
/// Words that end them.
const OTHERS: &[&str] = &[
    "LIMIT",
    "OFFSET",
    "FETCH",
    "SETTINGS",
    "FORMAT",
    "INTO",
    "UNION",
    "INTERSECT",
    "EXCEPT",
    "WINDOW",
    "INTERPOLATE",
    "ROWS",
    "RANGE",
];

pub(crate) fn rewrite(mut tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut levels = vec![Level::default()];
    for at in 0..tokens.len() {
        match &tokens[at].token {
            Token::LParen | Token::LBracket | Token::LBrace => levels.push(Level::default()),
            Token::RParen | Token::RBracket | Token::RBrace if levels.len() > 1 => {
                levels.pop();
            }
            Token::Word(_) => {
                if let Some(level) = levels.last_mut() {
                    read_word(&mut tokens, at, level);
                }
            }
            _ => {}
        }
    }
    tokens
}

fn read_word(tokens: &mut [TokenWithSpan], at: usize, level: &mut Level) {
    if at_word(tokens, at, "SELECT") {
        *level = Level { has_select: true, ..Level::default() };
        return;
    }
    // `ORDER` may begin what is in the brackets of a window.
    if at == 0 || begins(tokens, at) || tokens[at - 1].token == Token::Period {
        return;
    }
    if at_word(tokens, at, "AS") {
        if level.in_aliased_clause && !one_of(tokens, at + 1, &["SELECT", "WITH"]) {
            tokens[at].token = Token::CustomBinaryOperator(ALIAS_OPERATOR.to_string());
        }
    } else if one_of(tokens, at, ALIASED) {
        level.in_aliased_clause = level.has_select;
        level.in_order_by = at_word(tokens, at, "BY") && at_word(tokens, at - 1, "ORDER");
    } else if one_of(tokens, at, OTHERS) {
        (level.in_aliased_clause, level.in_order_by) = (false, false);
    } else if level.in_order_by && ends_value(&tokens[at - 1].token) {
        if at_word(tokens, at, "ASCENDING") {
            tokens[at].token = word("ASC");
        } else if at_word(tokens, at, "DESCENDING") {
            tokens[at].token = word("DESC");
        }
    }
}

/// Whether nothing of a list's element stands before a token: there `as` is a name.
pub(super) fn begins(tokens: &[TokenWithSpan], at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| &tokens[before].token);
    matches!(before, Some(Token::LParen | Token::LBracket | Token::Comma))
}

/// Whether an expression may end with a token.
fn ends_value(token: &Token) -> bool {
    match token {
        Token::Word(_) => !["BY", "AND", "OR", "NOT", "AS", "IN", "LIKE"].iter().any(|word| is_word(token, word)),
        Token::Number(..) | Token::SingleQuotedString(_) | Token::RParen | Token::RBracket | Token::RBrace => true,
        _ => false,
    }
}
