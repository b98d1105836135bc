//! `a IS [NOT] DISTINCT FROM b`, which binds as `=` does. (The parser takes all that stands behind FROM for the second operand,
//! `AND …` too.)

use sqlparser::ast::Expr;
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};

/// At IS, with what stands before it. `precedence`: how `=` binds. `None`: it is another question.
pub fn parse(parser: &mut Parser, left: &Expr, precedence: u8) -> Option<Result<Expr, ParserError>> {
    let differs = parser.parse_keywords(&[Keyword::IS, Keyword::DISTINCT, Keyword::FROM]);
    if !differs && !parser.parse_keywords(&[Keyword::IS, Keyword::NOT, Keyword::DISTINCT, Keyword::FROM]) {
        return None;
    }
    let left = Box::new(left.clone());
    Some(parser.parse_subexpr(precedence).map(Box::new).map(|right| match differs {
        true => Expr::IsDistinctFrom(left, right),
        false => Expr::IsNotDistinctFrom(left, right),
    }))
}
