//! ClickHouse's dialect for sqlparser, with what that dialect leaves out.
//!
//! `Dialect` wraps sqlparser's `ClickHouseDialect` (and says it is one) and adds, through the parser's hooks:
//! `CAST(x AS Type)` and `x::Type` with ClickHouse's type names (kept as text), `c ? a : b`, `extract(s, 're')` beside
//! `EXTRACT(unit FROM x)`, intervals (see `intervals.rs`), `GLOBAL IN`, `IN table`, and aliases inside expressions (`(a + 1 AS b) * 2`), whose `AS` the
//! token pass has turned into the operator `ALIAS_OPERATOR`.

use std::any::TypeId;

use sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentList, FunctionArguments, Ident, ObjectName, UnaryOperator,
    Value,
};
use sqlparser::dialect::{ClickHouseDialect, Dialect as SqlDialect};
use sqlparser::keywords::{self, Keyword};
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token;

use crate::division::division_word;
use crate::plain_text::is_blank;
use crate::rewrite::{joins, stars};
use crate::tokens::is_word;
use crate::{backtracks, chains, distinct_from, in_operator, intervals};

/// Stands for `AS` inside an expression.
pub const ALIAS_OPERATOR: &str = "@alias@";

#[derive(Debug, Default, Clone, Copy)]
pub struct Dialect {
    /// Whether `$` begins a name: it does where it begins no heredoc.
    pub(crate) names_begin_with_dollar: bool,
}

macro_rules! as_clickhouse {
    ($($method:ident),* $(,)?) => {
        $(fn $method(&self) -> bool {
            ClickHouseDialect {}.$method()
        })*
    };
}

impl SqlDialect for Dialect {
    fn dialect(&self) -> TypeId {
        TypeId::of::<ClickHouseDialect>()
    }

    fn is_identifier_start(&self, c: char) -> bool {
        c.is_ascii_alphabetic() || c == '_' || (!c.is_ascii() && !is_blank(c)) || (c == '$' && self.names_begin_with_dollar)
    }

    fn is_identifier_part(&self, c: char) -> bool {
        self.is_identifier_start(c) || c.is_ascii_digit() || c == '$'
    }

    fn is_delimited_identifier_start(&self, c: char) -> bool {
        c == '"' || c == '`'
    }

    as_clickhouse! {
        supports_string_literal_backslash_escape, supports_select_wildcard_except, describe_requires_table_keyword,
        require_interval_qualifier, supports_limit_comma, supports_insert_table_function, supports_insert_format,
        supports_numeric_literal_underscores, supports_partition_by_after_order_by, supports_array_join_syntax,
        supports_dictionary_syntax, supports_lambda_functions, supports_from_first_select, supports_order_by_all,
        supports_group_by_expr, supports_group_by_with_modifier, supports_nested_comments, supports_optimize_table,
        supports_prewhere, supports_with_fill, supports_limit_by, supports_interpolate, supports_settings,
        supports_select_format, supports_select_wildcard_replace, supports_comma_separated_trim,
    }

    fn supports_in_empty_list(&self) -> bool {
        true
    }

    fn supports_filter_during_aggregation(&self) -> bool {
        true
    }

    fn supports_trailing_commas(&self) -> bool {
        false
    }

    fn supports_window_function_null_treatment_arg(&self) -> bool {
        true
    }

    /// Every word but those that a clause begins with.
    fn is_column_alias(&self, keyword: &Keyword, parser: &mut Parser) -> bool {
        match keyword {
            Keyword::FETCH => {
                let next = &parser.peek_token_ref().token;
                !is_word(next, "FIRST") && !is_word(next, "NEXT")
            }
            // What INTO before OUTFILE is made into.
            Keyword::ANALYZE => !is_word(&parser.peek_token_ref().token, "OUTFILE"),
            Keyword::EXPLAIN
            | Keyword::SORT
            | Keyword::TOP
            | Keyword::LATERAL
            | Keyword::VIEW
            | Keyword::EXCLUDE
            | Keyword::MINUS
            | Keyword::CLUSTER
            | Keyword::DISTRIBUTE
            | Keyword::RETURNING
            | Keyword::VALUES
            | Keyword::END => true,
            Keyword::SETTINGS | Keyword::FORMAT | Keyword::PREWHERE | Keyword::SAMPLE | Keyword::INTO | Keyword::QUALIFY => {
                false
            }
            other => !keywords::RESERVED_FOR_COLUMN_ALIAS.contains(other),
        }
    }

    /// A word that begins nothing the parser can read is a name.
    fn is_reserved_for_identifier(&self, _keyword: Keyword) -> bool {
        false
    }

    fn is_table_alias(&self, keyword: &Keyword, _parser: &mut Parser) -> bool {
        !keywords::RESERVED_FOR_TABLE_ALIAS.contains(keyword)
            && !matches!(
                keyword,
                Keyword::SETTINGS
                    | Keyword::FORMAT
                    | Keyword::PREWHERE
                    | Keyword::SAMPLE
                    | Keyword::ANY
                    | Keyword::ALL
                    | Keyword::ASOF
                    | Keyword::SEMI
                    | Keyword::ANTI
                    | Keyword::GLOBAL
                    | Keyword::ARRAY
                    | Keyword::INTO
            )
    }

    fn parse_prefix(&self, parser: &mut Parser) -> Option<Result<Expr, ParserError>> {
        if let Err(error) = backtracks::at_operand(parser) {
            return Some(Err(error));
        }
        if parser.peek_token_ref().token == Token::Minus
            && matches!(parser.peek_nth_token_ref(1).token, Token::Number(..))
            && parser.peek_nth_token_ref(2).token == Token::DoubleColon
        {
            // The sign belongs to the number that is cast: `-1::UInt8` is no minus before a UInt8.
            parser.next_token();
            return Some(
                parser
                    .parse_value()
                    .map(|number| Expr::UnaryOp { op: UnaryOperator::Minus, expr: Box::new(Expr::Value(number)) }),
            );
        }
        let Token::Word(word) = &parser.peek_token_ref().token else { return None };
        if matches!(word.value.as_str(), joins::ANY_JOIN | joins::ALL_JOIN | joins::ASOF_JOIN) {
            let name = word.value.clone();
            parser.next_token();
            return Some(parser.parse_expr().map(|condition| call(&name, vec![condition])));
        }
        if word.quote_style.is_some() {
            return None;
        }
        let next = &parser.peek_nth_token_ref(1).token;
        if word.keyword == Keyword::INTERVAL && !matches!(next, Token::Period | Token::Arrow) {
            return Some(intervals::parse(parser));
        }
        if let (Token::SingleQuotedString(_), Some(function)) = (next, typed_text(word.keyword)) {
            parser.next_token();
            return Some(parser.parse_value().map(|value| call(function, vec![Expr::Value(value)])));
        }
        // `c ? text : b`: no value of the type TEXT, though it is spelled `:b` elsewhere.
        if *next == Token::Colon && !is_value_word(word.keyword) {
            return Some(parser.parse_identifier().map(Expr::Identifier));
        }
        if *next != Token::LParen {
            return None;
        }
        if intervals::begins_date_part(parser) {
            return Some(intervals::parse_date_part(parser));
        }
        if has_overlay_words(parser) {
            return Some(parse_overlay(parser));
        }
        match word.keyword {
            Keyword::CAST | Keyword::TRY_CAST => Some(parse_cast(parser)),
            Keyword::EXTRACT if intervals::extracts_a_part(parser) => Some(intervals::parse_extract(parser)),
            Keyword::EXTRACT => Some(parse_plain_call(parser)),
            // `tuple(a, b).1`: no text `.1` of the type Tuple.
            Keyword::TUPLE if is_indexed(parser) => Some(parse_plain_call(parser)),
            Keyword::POSITION | Keyword::SUBSTRING | Keyword::CEIL | Keyword::FLOOR | Keyword::OVERLAY
                if !has_keyword_argument(parser) =>
            {
                Some(parse_plain_call(parser))
            }
            _ => None,
        }
    }

    fn parse_infix(&self, parser: &mut Parser, left: &Expr, precedence: u8) -> Option<Result<Expr, ParserError>> {
        if let Some(chain) = chains::parse(parser, left, precedence) {
            return Some(chain);
        }
        if chains::is_too_deep(left) {
            return Some(Err(ParserError::ParserError(chains::TOO_DEEP.to_string())));
        }
        let token = parser.peek_token_ref().token.clone();
        match &token {
            Token::DoubleColon => {
                parser.next_token();
                Some(parse_type_text(parser).map(|kind| cast_operator(left.clone(), kind)))
            }
            Token::Number(number, false) if tuple_index(number).is_some() => {
                parser.next_token();
                let index = tuple_index(number)?;
                let digits = |digits: &str| Expr::Value(Value::Number(digits.to_string(), false).into());
                let index = match index.strip_prefix('-') {
                    Some(from_end) => Expr::UnaryOp { op: UnaryOperator::Minus, expr: Box::new(digits(from_end)) },
                    None => digits(index),
                };
                Some(Ok(call("tupleElement", vec![left.clone(), index])))
            }
            Token::LBracket => Some(parse_place(parser, left.clone())),
            Token::Placeholder(mark) if mark == "?" => {
                parser.next_token();
                Some(parse_ternary(parser, left.clone()))
            }
            Token::CustomBinaryOperator(name) if name == ALIAS_OPERATOR => {
                parser.next_token();
                Some(parse_alias(parser, left.clone()))
            }
            Token::Word(word) if matches!(word.keyword, Keyword::GLOBAL | Keyword::NOT | Keyword::IN) => {
                in_operator::parse(parser, left)
            }
            Token::Word(word) if word.keyword == Keyword::IS => {
                distinct_from::parse(parser, left, self.prec_value(sqlparser::dialect::Precedence::Eq))
            }
            Token::Word(_) if division_word(parser).is_some() => {
                let name = division_word(parser)?;
                parser.next_token();
                let precedence = self.prec_value(sqlparser::dialect::Precedence::MulDivModOp);
                Some(parser.parse_subexpr(precedence).map(|right| call(name, vec![left.clone(), right])))
            }
            token if stars::operator_of(token).is_some() => Some(parse_star_operator(parser, left.clone())),
            _ => None,
        }
    }

    fn get_next_precedence(&self, parser: &Parser) -> Option<Result<u8, ParserError>> {
        match &parser.peek_token_ref().token {
            Token::Placeholder(mark) if mark == "?" => Some(Ok(3)),
            // The colon of `c ? a : b`, and nothing else here.
            Token::Colon => Some(Ok(0)),
            // No operator: `1 XOR 0` would be read in another order than the one who writes it means.
            Token::Word(word) if word.keyword == Keyword::XOR => Some(Ok(0)),
            Token::Word(word) if word.keyword == Keyword::IS && !asks(parser) => Some(Ok(0)),
            Token::Number(number, false) if tuple_index(number).is_some() => Some(Ok(TUPLE_INDEX_PRECEDENCE)),
            Token::CustomBinaryOperator(name) if name == ALIAS_OPERATOR => Some(Ok(2)),
            token if stars::operator_of(token).is_some() => Some(Ok(TUPLE_INDEX_PRECEDENCE)),
            Token::Word(_) if division_word(parser).is_some() => {
                Some(Ok(self.prec_value(sqlparser::dialect::Precedence::MulDivModOp)))
            }
            Token::Word(word) if word.keyword == Keyword::GLOBAL => {
                let next = parser.peek_nth_token_ref(1).token.clone();
                let negated_or_in = matches!(next, Token::Word(w) if matches!(w.keyword, Keyword::IN | Keyword::NOT));
                negated_or_in.then(|| Ok(self.prec_value(sqlparser::dialect::Precedence::Between)))
            }
            _ => None,
        }
    }
}

/// The place of an element of what an operator gives: `t.2[1]`. The parser itself reads that of names, calls and brackets.
fn parse_place(parser: &mut Parser, array: Expr) -> Result<Expr, ParserError> {
    parser.expect_token(&Token::LBracket)?;
    let place = parser.parse_expr()?;
    parser.expect_token(&Token::RBracket)?;
    Ok(call("arrayElement", vec![array, place]))
}

/// The name behind AS inside an expression, which ends there: `(a AS b)`, not `a AS b > 1`.
fn parse_alias(parser: &mut Parser, expr: Expr) -> Result<Expr, ParserError> {
    let name = parser.parse_identifier()?;
    let next = parser.peek_token_ref();
    let ends = match &next.token {
        Token::Comma | Token::RParen | Token::RBracket | Token::RBrace | Token::Colon | Token::SemiColon | Token::EOF => {
            true
        }
        Token::Word(word) => word.quote_style.is_none() && !OPERATORS.iter().any(|operator| is_word(&next.token, operator)),
        _ => false,
    };
    if ends {
        return Ok(Expr::Named { expr: Box::new(expr), name });
    }
    parser.expected_ref("the end of an expression behind its alias", next)
}

/// Words between two values.
const OPERATORS: &[&str] =
    &["AND", "OR", "NOT", "IN", "GLOBAL", "LIKE", "ILIKE", "REGEXP", "IS", "BETWEEN", "DIV", "MOD", "XOR"];

/// Whether a word by itself is a value, and not a name.
fn is_value_word(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::NULL
            | Keyword::TRUE
            | Keyword::FALSE
            | Keyword::CURRENT_DATE
            | Keyword::CURRENT_TIME
            | Keyword::CURRENT_TIMESTAMP
            | Keyword::CURRENT_USER
            | Keyword::LOCALTIME
            | Keyword::LOCALTIMESTAMP
            | Keyword::SESSION_USER
            | Keyword::USER
    )
}

/// Whether IS, which comes next, asks something. Else it is an alias.
fn asks(parser: &Parser) -> bool {
    let next = &parser.peek_nth_token_ref(1).token;
    ["NOT", "NULL", "TRUE", "FALSE", "UNKNOWN", "DISTINCT"].iter().any(|word| is_word(next, word))
}

/// `EXCEPT (a, b)`, `REPLACE (x AS a)`, `APPLY (f)` behind a star: a call with the star as its first argument.
fn parse_star_operator(parser: &mut Parser, star: Expr) -> Result<Expr, ParserError> {
    let Token::CustomBinaryOperator(operator) = parser.next_token().token else {
        return parser.expected_ref("EXCEPT, REPLACE or APPLY", parser.peek_token_ref());
    };
    let strict = parser.consume_token(&Token::CustomBinaryOperator(stars::STRICT.to_string()));
    let mut arguments = vec![star];
    parser.expect_token(&Token::LParen)?;
    arguments.extend(parser.parse_comma_separated(Parser::parse_expr)?);
    parser.expect_token(&Token::RParen)?;
    let name = format!("__{}{}", operator.trim_matches('@'), if strict { "_strict" } else { "" });
    Ok(call(&name, arguments))
}

/// Binds as close as `::` and `[]` do.
const TUPLE_INDEX_PRECEDENCE: u8 = 100;

/// The digits of `.2`, which the tokenizer takes for a number and which after a value is its second element; `.-1` is the last.
fn tuple_index(number: &str) -> Option<&str> {
    let index = number.strip_prefix('.')?;
    let digits = index.strip_prefix('-').unwrap_or(index);
    (!digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit())).then_some(index)
}

pub fn call(name: &str, arguments: Vec<Expr>) -> Expr {
    Expr::Function(Function {
        name: ObjectName::from(vec![Ident::new(name)]),
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args: FunctionArguments::List(FunctionArgumentList {
            duplicate_treatment: None,
            args: arguments.into_iter().map(|argument| FunctionArg::Unnamed(FunctionArgExpr::Expr(argument))).collect(),
            clauses: Vec::new(),
        }),
        filter: None,
        null_treatment: None,
        over: None,
        within_group: Vec::new(),
    })
}

fn text(value: String) -> Expr {
    Expr::Value(Value::SingleQuotedString(value.replace('\\', "\\\\").replace('\'', "\\'")).into())
}

fn cast_call(value: Expr, kind: String) -> Expr {
    call("CAST", vec![value, text(kind)])
}

/// `x::Type`. A number goes there by its digits, as text.
fn cast_operator(value: Expr, kind: String) -> Expr {
    let digits = |value: &Expr| match value {
        Expr::Value(number) => match &number.value {
            Value::Number(digits, _) if !digits.starts_with("0x") && !digits.starts_with("0b") => {
                Some(digits.replace('_', ""))
            }
            _ => None,
        },
        _ => None,
    };
    let written = match &value {
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => digits(expr).map(|digits| format!("-{digits}")),
        other => digits(other),
    };
    cast_call(written.map_or(value, text), kind)
}

/// `x` of `CAST(1 x AS Type)`: an alias that stands without AS.
fn parse_bare_alias(parser: &mut Parser, value: Expr) -> Result<Expr, ParserError> {
    let is_alias = matches!(&parser.peek_token_ref().token, Token::Word(word) if word.keyword != Keyword::AS);
    if is_alias { parse_alias(parser, value) } else { Ok(value) }
}

/// `CAST(x AS Type)`, `CAST(x, 'Type')`.
fn parse_cast(parser: &mut Parser) -> Result<Expr, ParserError> {
    parser.next_token();
    parser.expect_token(&Token::LParen)?;
    let value = parser.parse_expr()?;
    let value = parse_bare_alias(parser, value)?;
    if parser.consume_token(&Token::Comma) {
        let kind = parser.parse_expr()?;
        let kind = parse_bare_alias(parser, kind)?;
        parser.expect_token(&Token::RParen)?;
        return Ok(call("CAST", vec![value, kind]));
    }
    parser.expect_keyword_is(Keyword::AS)?;
    let kind = parse_type_text(parser)?;
    parser.expect_token(&Token::RParen)?;
    Ok(cast_call(value, kind))
}

/// The text of a type: a word, perhaps more (`DOUBLE PRECISION`, `INT UNSIGNED`), perhaps arguments.
pub fn parse_type_text(parser: &mut Parser) -> Result<String, ParserError> {
    let Token::Word(word) = parser.next_token().token else {
        parser.prev_token();
        return parser.expected_ref("a type", parser.peek_token_ref());
    };
    let mut out = word.value;
    let second = |parser: &mut Parser, out: &mut String| {
        while let Token::Word(next) = &parser.peek_token_ref().token {
            let next = next.value.to_ascii_uppercase();
            // Of names as long as `NATIONAL CHARACTER LARGE OBJECT` each word tells that the next belongs to it.
            let belongs = match next.as_str() {
                "PRECISION" | "UNSIGNED" | "SIGNED" | "VARYING" => true,
                "LARGE" => is_word(&parser.peek_nth_token_ref(1).token, "OBJECT"),
                "OBJECT" => out.ends_with(" LARGE"),
                "CHAR" | "CHARACTER" => out.eq_ignore_ascii_case("NATIONAL"),
                _ => false,
            };
            if !belongs {
                break;
            }
            out.push(' ');
            out.push_str(&next);
            parser.next_token();
        }
    };
    second(parser, &mut out);
    if parser.peek_token_ref().token == Token::LParen {
        let mut depth = 0;
        loop {
            let token = parser.next_token().token;
            match &token {
                Token::LParen => depth += 1,
                Token::RParen => depth -= 1,
                Token::EOF => return parser.expected_ref("closing parenthesis of a type", parser.peek_token_ref()),
                _ => {}
            }
            let is_plain = matches!(token, Token::Word(_) | Token::Number(..) | Token::Eq);
            let is_value = matches!(token, Token::SingleQuotedString(_) | Token::Minus);
            if is_plain && !out.ends_with(['(', ' ', '-']) || is_value && out.ends_with(['=', ',']) {
                out.push(' ');
            }
            out.push_str(&token.to_string());
            if depth == 0 {
                break;
            }
        }
        second(parser, &mut out);
    }
    Ok(out)
}

fn parse_plain_call(parser: &mut Parser) -> Result<Expr, ParserError> {
    let name = parser.next_token().token.to_string();
    parser.expect_token(&Token::LParen)?;
    let arguments = parser.parse_comma_separated0(Parser::parse_expr, Token::RParen)?;
    parser.expect_token(&Token::RParen)?;
    Ok(call(&name, arguments))
}

/// The function of `DATE 'text'`.
fn typed_text(kind: Keyword) -> Option<&'static str> {
    match kind {
        Keyword::DATE => Some("toDate"),
        Keyword::TIMESTAMP => Some("toDateTime"),
        _ => None,
    }
}

/// Whether `OVERLAY(… PLACING …)` begins here.
fn has_overlay_words(parser: &Parser) -> bool {
    let name = &parser.peek_token_ref().token;
    (is_word(name, "OVERLAY") || is_word(name, "OVERLAYUTF8")) && has_keyword_argument(parser)
}

/// `OVERLAY(text PLACING other FROM place [FOR length])` is `overlay(text, other, place, length)`.
fn parse_overlay(parser: &mut Parser) -> Result<Expr, ParserError> {
    let name = if is_word(&parser.next_token().token, "OVERLAY") { "overlay" } else { "overlayUTF8" };
    parser.expect_token(&Token::LParen)?;
    let mut arguments = vec![parser.parse_expr()?];
    parser.expect_keyword_is(Keyword::PLACING)?;
    arguments.push(parser.parse_expr()?);
    parser.expect_keyword_is(Keyword::FROM)?;
    arguments.push(parser.parse_expr()?);
    if parser.parse_keyword(Keyword::FOR) {
        arguments.push(parser.parse_expr()?);
    }
    parser.expect_token(&Token::RParen)?;
    Ok(call(name, arguments))
}

/// Whether the call that begins here has `IN`, `FROM`, `FOR`, `TO` or `PLACING` between its parentheses.
fn has_keyword_argument(parser: &Parser) -> bool {
    let mut depth = 0;
    for n in 1..10_000 {
        match &parser.peek_nth_token_ref(n).token {
            Token::LParen => depth += 1,
            Token::RParen => {
                depth -= 1;
                if depth == 0 {
                    return false;
                }
            }
            Token::EOF => return false,
            Token::Word(word) if depth == 1 => {
                if matches!(word.keyword, Keyword::IN | Keyword::FROM | Keyword::FOR | Keyword::TO | Keyword::PLACING) {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

/// The place behind the parenthesis that closes the one at a place.
pub(crate) fn behind_parentheses(parser: &Parser, open: usize) -> Option<usize> {
    let mut depth = 0;
    for n in open..open + 10_000 {
        match &parser.peek_nth_token_ref(n).token {
            Token::LParen => depth += 1,
            Token::RParen if depth == 1 => return Some(n + 1),
            Token::RParen => depth -= 1,
            Token::EOF => return None,
            _ => {}
        }
    }
    None
}

/// Whether the call that begins here has the number of a field behind it.
fn is_indexed(parser: &Parser) -> bool {
    let behind = behind_parentheses(parser, 1).map(|at| &parser.peek_nth_token_ref(at).token);
    matches!(behind, Some(Token::Number(number, false)) if tuple_index(number).is_some())
}

fn parse_ternary(parser: &mut Parser, condition: Expr) -> Result<Expr, ParserError> {
    // Another one may stand in the middle: it ends with a colon of its own.
    let yes = parser.parse_subexpr(2)?;
    parser.expect_token(&Token::Colon)?;
    let no = parser.parse_subexpr(2)?;
    Ok(call("if", vec![condition, yes, no]))
}
