//! From a statement's text to the statement, and the same of expressions and of projections that are kept as text.

use std::collections::BTreeMap;

use gristmill_base::{Error, ErrorCode, Result};
use sqlparser::ast::Query;
use sqlparser::keywords::Keyword;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::alter::AlterCommand;
use crate::ast::Node;
use crate::backtracks::{BACKTRACKS_MOST, limited};
use crate::cursor::{Cursor, syntax};
use crate::dialect::Dialect;
use crate::format_query::with_column_names;
use crate::lexer::{self, Kind};
use crate::projection::ProjectionNode;
use crate::statement::{AfterQuery, SelectStatement, Statement};
use crate::tokens::{prepare, tokenize};
use crate::translate;

static DIALECT: Dialect = Dialect { names_begin_with_dollar: false };

/// `max_parser_depth` where nobody says it.
const PARSER_DEPTH: u64 = 1_000;
/// Most that it may be: what a thread's stack holds.
const PARSER_DEPTH_MOST: u64 = 2_000;
/// Most queries of UNION, INTERSECT and EXCEPT in a statement: the parser makes a tree of them that is as deep as they are
/// many.
const SET_OPERATIONS_MOST: usize = 10_000;

/// Reads one statement. `parameters` are the values of `{name:Type}`.
pub fn parse(text: &str, parameters: &BTreeMap<String, String>) -> Result<Statement> {
    parse_within(text, parameters, Limits { depth: PARSER_DEPTH, backtracks: BACKTRACKS_MOST })
}

/// What the parser may do.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// `max_parser_depth`.
    pub depth: u64,
    /// `max_parser_backtracks`; 0: any number.
    pub backtracks: u64,
}

/// As `parse`, within limits. Errors: TOO_DEEP_RECURSION, TOO_SLOW_PARSING, TOO_DEEP_AST, TOO_BIG_AST, SYNTAX_ERROR, those of
/// names.
pub fn parse_within(text: &str, parameters: &BTreeMap<String, String>, limits: Limits) -> Result<Statement> {
    limited(limits.backtracks, || statement(text, parameters, limits.depth))
}

/// As `parse_within`, of a SELECT that lacks this word (`1 + 1`), or lists nothing (`FROM t`).
pub fn parse_without_select(text: &str, parameters: &BTreeMap<String, String>, limits: Limits) -> Result<Statement> {
    let is_space = |kind: Kind| matches!(kind, Kind::Space | Kind::Comment);
    let first = lexer::tokens(text).into_iter().find(|token| !is_space(token.kind)).map_or("", |token| token.text);
    if first.eq_ignore_ascii_case("SELECT") {
        return Err(Error::new(ErrorCode::SYNTAX_ERROR, "The statement has its SELECT"));
    }
    let select = if first.eq_ignore_ascii_case("FROM") { "SELECT *" } else { "SELECT" };
    parse_within(&format!("{select} {text}"), parameters, limits)
}

fn statement(text: &str, parameters: &BTreeMap<String, String>, depth_most: u64) -> Result<Statement> {
    let tokens = prepare(tokenize(text)?, parameters)?;
    if tokens.is_empty() {
        return Err(Error::new(ErrorCode::SYNTAX_ERROR, "Empty query"));
    }
    let is_operation = |token: &&TokenWithSpan| matches!(&token.token, Token::Word(word) if matches!(word.keyword, Keyword::UNION | Keyword::INTERSECT | Keyword::EXCEPT));
    if tokens.iter().filter(is_operation).count() > SET_OPERATIONS_MOST {
        return Err(crate::size::too_big(SET_OPERATIONS_MOST as u64, "the number of queries that it is made of"));
    }
    let depth_most = if depth_most == 0 { PARSER_DEPTH_MOST } else { depth_most.min(PARSER_DEPTH_MOST) };
    // ClickHouse's parser goes through more functions for each level that is nested.
    let levels = (depth_most * 3 / 5).max(1) as usize;
    let mut cursor =
        Cursor { parser: Parser::new(&DIALECT).with_recursion_limit(levels).with_tokens_with_locations(tokens) };
    let mut statement = cursor.statement()?;
    if !cursor.at_end() {
        let mut after = AfterQuery::default();
        cursor.after_query(&mut after)?;
        if after != AfterQuery::default() {
            statement = Statement::Shown { statement: Box::new(statement), after };
        }
    }
    while cursor.parser.consume_token(&Token::SemiColon) {}
    if cursor.parser.peek_token_ref().token != Token::EOF {
        return Err(cursor.unexpected("end of query"));
    }
    // The settings behind the query of a view are the query's.
    if let Statement::Shown { statement: inner, .. } = &mut statement
        && matches!(inner.as_ref(), Statement::CreateTable(create) if create.view.is_some())
    {
        statement = std::mem::replace(inner.as_mut(), Statement::Use(String::new()));
    }
    match &mut statement {
        Statement::CreateTable(create) => {
            if let (Some(view), Some(start)) = (&mut create.view, create.query_start) {
                // Settings behind the query are the query's.
                let end = create.query_end.filter(|end| !is_word_at(text, *end, "SETTINGS"));
                *view = text_between(text, start, end);
                if !create.column_names.is_empty() {
                    *view = with_column_names(view, &create.column_names)?;
                    let Statement::Select(select) = parse(view, parameters)? else {
                        return Err(Error::logical("The query of a view is none"));
                    };
                    create.query = Some(select.query);
                }
            }
        }
        Statement::Alter { commands, .. } => {
            for command in commands {
                if let AlterCommand::ModifyQuery { text: query, start, end, .. } = command {
                    *query = text_between(text, *start, *end);
                }
            }
        }
        _ => {}
    }
    Ok(statement)
}

/// What stands between two places (line and column) of a text, without the semicolon at its end.
fn text_between(text: &str, start: (u64, u64), end: Option<(u64, u64)>) -> String {
    let lines = crate::tokens::line_starts(text);
    let start = crate::tokens::offset(text, &lines, start.0, start.1);
    let end = end.map_or(text.len(), |(line, column)| crate::tokens::offset(text, &lines, line, column));
    text[start..end.max(start)].trim_end_matches(|c: char| c == ';' || c.is_whitespace()).to_string()
}

fn is_word_at(text: &str, (line, column): (u64, u64), word: &str) -> bool {
    let at = crate::tokens::offset(text, &crate::tokens::line_starts(text), line, column);
    text[at..].get(..word.len()).is_some_and(|found| found.eq_ignore_ascii_case(word))
}

/// Reads one SELECT that is put together here.
pub(crate) fn parse_select(text: &str) -> Result<SelectStatement> {
    match parse(text, &BTreeMap::new())? {
        Statement::Select(select) => Ok(select),
        other => Err(Error::logical(format!("{text} is no query but a {} statement", other.kind()))),
    }
}

/// Reads one query that is put together here.
pub(crate) fn parse_query(text: &str) -> Result<Box<Query>> {
    Ok(parse_select(text)?.query)
}

/// Reads one expression, such as a key of a table's definition.
pub fn parse_expression(text: &str) -> Result<Node> {
    let tokens = prepare(tokenize(text)?, &BTreeMap::new())?;
    let mut parser = Parser::new(&DIALECT).with_tokens_with_locations(tokens);
    let expr = limited(BACKTRACKS_MOST, || parser.parse_expr().map_err(syntax))?;
    if parser.peek_token_ref().token != Token::EOF {
        return Err(Error::new(
            ErrorCode::SYNTAX_ERROR,
            format!("Syntax error: unexpected text after the expression in '{text}'"),
        ));
    }
    translate::node(&expr)
}

/// Reads the query of a projection.
pub fn parse_projection(text: &str) -> Result<ProjectionNode> {
    let tokens = prepare(tokenize(text)?, &BTreeMap::new())?;
    let mut cursor = Cursor { parser: Parser::new(&DIALECT).with_recursion_limit(300).with_tokens_with_locations(tokens) };
    let projection = limited(BACKTRACKS_MOST, || cursor.projection_query())?;
    if cursor.at_end() { Ok(projection) } else { Err(cursor.unexpected("the end of the projection")) }
}

impl Cursor<'_> {
    /// Over tokens of a statement that is being read.
    pub(crate) fn over(tokens: Vec<TokenWithSpan>) -> Cursor<'static> {
        Cursor { parser: Parser::new(&DIALECT).with_recursion_limit(300).with_tokens_with_locations(tokens) }
    }
}
