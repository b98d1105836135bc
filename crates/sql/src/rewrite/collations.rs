//! `ORDER BY a || b DESC NULLS LAST COLLATE 'en'`, where the parser knows the COLLATE of an operand alone:
//! `ORDER BY __collate(a || b, 'en') DESC NULLS LAST`.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::{at_word, closes, one_of, opens, with_span};
use crate::tokens::word;

pub(crate) const COLLATE: &str = "__collate";

/// What is between two brackets, as far as it is read.
#[derive(Clone, Copy, Default)]
struct Level {
    in_order_by: bool,
    /// Where the element of the list begins that is read.
    start: usize,
}

pub(crate) fn rewrite(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut levels = vec![Level::default()];
    let mut out: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let token = &tokens[at];
        if closes(&token.token) && levels.len() > 1 {
            levels.pop();
        }
        if let Some(level) = levels.last_mut()
            && level.in_order_by
            && is_collation(&tokens, at)
            && let Some(end) = end_of_value(&out, level.start)
        {
            let direction = out.split_off(end);
            let value = out.split_off(level.start);
            out.extend([word(COLLATE), Token::LParen].map(|put| with_span(put, token.span)));
            out.extend(value);
            let text = tokens[at + 1].token.clone();
            out.extend([Token::Comma, text, Token::RParen].map(|put| with_span(put, token.span)));
            out.extend(direction);
            level.start = out.len();
            at += 2;
            continue;
        }
        out.push(token.clone());
        if opens(&token.token) {
            levels.push(Level { in_order_by: false, start: out.len() });
        } else if let Some(level) = levels.last_mut() {
            if at_word(&tokens, at, "BY") && at > 0 {
                *level = Level { in_order_by: at_word(&tokens, at - 1, "ORDER"), start: out.len() };
            } else if token.token == Token::Comma {
                level.start = out.len();
            } else if at_word(&tokens, at, "SELECT") {
                level.in_order_by = false;
            }
        }
        at += 1;
    }
    out
}

/// Whether a collation stands at a place, and so that its element of ORDER BY ends with it or with WITH FILL.
fn is_collation(tokens: &[TokenWithSpan], at: usize) -> bool {
    let text = tokens.get(at + 1).map(|next| &next.token);
    at_word(tokens, at, "COLLATE")
        && matches!(text, Some(Token::SingleQuotedString(_)))
        && !one_of(tokens, at + 2, &["ASC", "DESC", "NULLS"])
}

/// Where the value of an element ends, before its direction; `None`: it has none.
fn end_of_value(element: &[TokenWithSpan], start: usize) -> Option<usize> {
    let mut end = element.len();
    if end > start + 2 && one_of(element, end - 1, &["FIRST", "LAST"]) && at_word(element, end - 2, "NULLS") {
        end -= 2;
    }
    if end > start + 1 && one_of(element, end - 1, &["ASC", "DESC"]) {
        end -= 1;
    }
    (end > start).then_some(end)
}
