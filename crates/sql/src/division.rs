//! DIV and MOD, words that stand between two values as operators do.

use sqlparser::keywords::{self, Keyword};
use sqlparser::parser::Parser;
use sqlparser::tokenizer::Token;

use crate::tokens::is_word;

/// `a DIV b`, `a MOD b`: the function that the word stands for, where a value follows.
pub(crate) fn division_word(parser: &Parser) -> Option<&'static str> {
    let token = &parser.peek_token_ref().token;
    let name = if is_word(token, "DIV") {
        "intDiv"
    } else if is_word(token, "MOD") {
        "modulo"
    } else {
        return None;
    };
    match &parser.peek_nth_token_ref(1).token {
        Token::Word(word) => {
            // Functions may have the names of keywords: `a DIV materialize(b)`.
            let is_called = matches!(parser.peek_nth_token_ref(2).token, Token::LParen)
                && !keywords::RESERVED_FOR_COLUMN_ALIAS.contains(&word.keyword);
            let is_value =
                matches!(word.keyword, Keyword::NoKeyword | Keyword::TRUE | Keyword::FALSE | Keyword::NULL | Keyword::CASE);
            (word.quote_style.is_some() || is_value || is_called).then_some(name)
        }
        Token::Number(..) | Token::LParen | Token::LBracket | Token::Minus => Some(name),
        _ => None,
    }
}
