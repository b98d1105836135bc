//! `IN` where sqlparser's own does not take what stands at its right: a name, a function, `GLOBAL IN`, a list that begins with a subquery.

use sqlparser::ast::Expr;
use sqlparser::dialect::Dialect as SqlDialect;
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token;

use crate::dialect::{Dialect, behind_parentheses, call};

/// Stands for `IN` with a name at its right.
const IN_TABLE: &str = "__in_table";

fn parse_in_list(parser: &mut Parser, left: &Expr, negated: bool) -> Result<Expr, ParserError> {
    let list = parser.parse_comma_separated(Parser::parse_expr)?;
    parser.expect_token(&Token::RParen)?;
    Ok(Expr::InList { expr: Box::new(left.clone()), list, negated })
}

/// `[GLOBAL] [NOT] IN name`, `[GLOBAL] [NOT] IN function(…)`: what sqlparser's own `IN (…)` does not take.
pub(crate) fn parse(parser: &mut Parser, left: &Expr) -> Option<Result<Expr, ParserError>> {
    let mut at = 0;
    let keyword = |parser: &Parser, at: usize, keyword: Keyword| matches!(&parser.peek_nth_token_ref(at).token, Token::Word(word) if word.keyword == keyword && word.quote_style.is_none());
    let global = keyword(parser, at, Keyword::GLOBAL);
    at += usize::from(global);
    let negated = keyword(parser, at, Keyword::NOT);
    at += usize::from(negated);
    if !keyword(parser, at, Keyword::IN) {
        return None;
    }
    if parser.peek_nth_token_ref(at + 1).token == Token::LParen {
        if global {
            // One GLOBAL less, and sqlparser takes it: on one node they are the same.
            parser.next_token();
            if negated {
                parser.next_token();
            }
            parser.next_token();
            return Some(parser.parse_in(left.clone(), negated));
        }
        // `IN ((SELECT 1), 2)` is no subquery in parentheses, but a list that begins with one.
        if parser.peek_nth_token_ref(at + 2).token != Token::LParen
            || !(keyword(parser, at + 3, Keyword::SELECT) || keyword(parser, at + 3, Keyword::WITH))
        {
            return None;
        }
        let behind = behind_parentheses(parser, at + 2)?;
        if parser.peek_nth_token_ref(behind).token != Token::Comma {
            return None;
        }
        for _ in 0..at + 2 {
            parser.next_token();
        }
        return Some(parse_in_list(parser, left, negated));
    }
    for _ in 0..=at {
        parser.next_token();
    }
    let name = if negated { "__not_in_table" } else { IN_TABLE };
    let precedence = SqlDialect::prec_value(&Dialect::default(), sqlparser::dialect::Precedence::Between);
    Some(parser.parse_subexpr(precedence).map(|right| call(name, vec![left.clone(), right])))
}
