//! Chains of operators: `a OR b OR c …`, `1 + 1 + 1 …`.
//!
//! The parser reads a chain in a loop and makes a tree of it that is as deep as the chain is long, and no limit of its own
//! counts that. Chains of AND, OR and `||` are read here into one call of all operands, as in ClickHouse, so that thousands
//! of conditions are no depth at all. Other chains are cut off, while they are read, where they are too deep for whatever
//! descends into them later: reading on and dropping the tree would be the first of it.

use sqlparser::ast::{BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token;

use crate::dialect::call;

/// Levels of operators that are read, whatever `max_ast_depth` allows: what a thread's stack holds
/// (`gristmill_base::runtime::STACK_BYTES`).
pub(crate) const LEVELS_MOST: usize = 2_500;

/// The parser's word for a chain that is too deep.
pub(crate) const TOO_DEEP: &str = "AST is too deep";

/// The call that stands for a chain of three or more operands, and the function's name.
const CHAINS: [(&str, &str); 3] = [("__and", "and"), ("__or", "or"), ("__concat", "concat")];

/// The function whose call on all operands a call of this name stands for.
pub(crate) fn function_of(name: &str) -> Option<&'static str> {
    CHAINS.iter().find(|(chain, _)| *chain == name).map(|(_, function)| *function)
}

/// The operator that comes next, where its chains are flat.
fn operator(parser: &Parser) -> Option<(BinaryOperator, &'static str)> {
    match &parser.peek_token_ref().token {
        Token::StringConcat => Some((BinaryOperator::StringConcat, "__concat")),
        Token::Word(word) if word.quote_style.is_none() => match word.keyword {
            Keyword::AND => Some((BinaryOperator::And, "__and")),
            Keyword::OR => Some((BinaryOperator::Or, "__or")),
            _ => None,
        },
        _ => None,
    }
}

/// Reads the rest of a chain of AND, OR or `||` behind its first operand. `None`: no such operator comes next.
pub(crate) fn parse(parser: &mut Parser, first: &Expr, precedence: u8) -> Option<Result<Expr, ParserError>> {
    let (op, name) = operator(parser)?;
    let mut rest = Vec::new();
    while operator(parser).is_some_and(|(next, _)| next == op) {
        parser.next_token();
        match parser.parse_subexpr(precedence) {
            Ok(operand) => rest.push(operand),
            Err(error) => return Some(Err(error)),
        }
    }
    if rest.len() > 1 {
        return Some(Ok(call(name, std::iter::once(first.clone()).chain(rest).collect())));
    }
    let right = Box::new(rest.pop()?);
    Some(Ok(Expr::BinaryOp { left: Box::new(first.clone()), op, right }))
}

/// Whether an expression is too deep on its left to become the left operand of one more operator.
pub(crate) fn is_too_deep(expr: &Expr) -> bool {
    let mut current = expr;
    for _ in 0..LEVELS_MOST {
        match leftmost(current) {
            Some(inner) => current = inner,
            None => return false,
        }
    }
    true
}

/// The operand at the left of what the parser reads in loops.
fn leftmost(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::BinaryOp { left, .. }
        | Expr::AnyOp { left, .. }
        | Expr::AllOp { left, .. }
        | Expr::IsDistinctFrom(left, _)
        | Expr::IsNotDistinctFrom(left, _)
        | Expr::IsNull(left)
        | Expr::IsNotNull(left)
        | Expr::IsTrue(left)
        | Expr::IsNotTrue(left)
        | Expr::IsFalse(left)
        | Expr::IsNotFalse(left)
        | Expr::IsUnknown(left)
        | Expr::IsNotUnknown(left)
        | Expr::Nested(left) => Some(left),
        Expr::IsNormalized { expr, .. }
        | Expr::InList { expr, .. }
        | Expr::InSubquery { expr, .. }
        | Expr::InUnnest { expr, .. }
        | Expr::Between { expr, .. }
        | Expr::Like { expr, .. }
        | Expr::ILike { expr, .. }
        | Expr::RLike { expr, .. }
        | Expr::SimilarTo { expr, .. }
        | Expr::UnaryOp { expr, .. }
        | Expr::Cast { expr, .. }
        | Expr::Collate { expr, .. }
        | Expr::Named { expr, .. } => Some(expr),
        Expr::AtTimeZone { timestamp, .. } => Some(timestamp),
        Expr::CompoundFieldAccess { root, .. } => Some(root),
        Expr::Function(Function { args: FunctionArguments::List(list), .. }) => match list.args.first() {
            Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(first))) => Some(first),
            _ => None,
        },
        _ => None,
    }
}
