//! From text to tokens, from tokens to statements.
//!
//! Literals keep their escapes (`with_unescape(false)`): ClickHouse's strings are bytes, and `'\xFF'` has no place in a
//! Rust string before `ast::unescape` makes it one. `prepare` rewrites what sqlparser cannot take into what it can:
//! - `AS` inside parentheses and brackets becomes an operator (see `dialect.rs`);
//! - `{name:Type}` becomes the parameter's value with a cast;
//! - `WITH expression AS name` becomes a common table expression with the column `SCALAR_COLUMN`;
//! - what `rewrite` does.

use std::collections::BTreeMap;

use gristmill_base::{Error, ErrorCode, Result};
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer, TokenizerError, Whitespace, Word};

use crate::dialect::Dialect;
use crate::plain_text::{self, is_blank};
use crate::rewrite::{
    check_depth, collations, explained, fill, finals, inner_aliases, joins, limits, literals, matching, operands,
    scalar_with, stars, totals, unions, variables,
};

/// The column that marks a common table expression as a scalar alias.
pub const SCALAR_COLUMN: &str = "__scalar_alias";

pub fn tokenize(text: &str) -> Result<Vec<TokenWithSpan>> {
    let (text, has_heredoc) = plain_text::plain(text);
    let dialect = Dialect { names_begin_with_dollar: !has_heredoc };
    let tokens = Tokenizer::new(&dialect, &text).with_unescape(false).tokenize_with_location().map_err(tokenizer_error)?;
    Ok(marks_apart(tokens))
}

/// `c ?1 : 0`: the tokenizer takes `?1` for the place of a value.
fn marks_apart(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let is_one = |token: &Token| matches!(token, Token::Placeholder(mark) if mark.len() > 1 && mark.starts_with('?'));
    if !tokens.iter().any(|token| is_one(&token.token)) {
        return tokens;
    }
    let mut out: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len() + 1);
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let Token::Placeholder(mark) = &token.token else {
            out.push(token);
            continue;
        };
        if !mark.starts_with('?') {
            out.push(token);
            continue;
        }
        let mut number = mark[1..].to_string();
        // What the tokenizer cut off: `?1.5`.
        if let Some(Token::Number(rest, _)) = tokens.peek().map(|next| &next.token)
            && rest.starts_with('.')
            && !number.is_empty()
        {
            number.push_str(rest);
            tokens.next();
        }
        out.push(TokenWithSpan { token: Token::Placeholder("?".to_string()), span: token.span });
        if !number.is_empty() {
            out.push(TokenWithSpan { token: Token::Number(number, false), span: token.span });
        }
    }
    out
}

fn tokenizer_error(error: TokenizerError) -> Error {
    Error::new(
        ErrorCode::SYNTAX_ERROR,
        format!("Syntax error at line {}, column {}: {}", error.location.line, error.location.column, error.message),
    )
}

/// Byte offset of each line's start.
pub fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

/// Byte offset of a line and column (both from 1, columns in characters).
pub fn offset(text: &str, lines: &[usize], line: u64, column: u64) -> usize {
    let Some(&start) = lines.get((line.max(1) - 1) as usize) else { return text.len() };
    let rest = &text[start..];
    rest.char_indices().nth((column.max(1) - 1) as usize).map_or(text.len(), |(at, _)| start + at)
}

pub fn is_word(token: &Token, text: &str) -> bool {
    matches!(token, Token::Word(word) if word.quote_style.is_none() && word.value.eq_ignore_ascii_case(text))
}

fn significant(token: &Token) -> bool {
    !matches!(token, Token::Whitespace(_)) && !matches!(token, Token::Char(blank) if is_blank(*blank))
}

pub(crate) fn word(text: &str) -> Token {
    Token::Word(Word { value: text.to_string(), quote_style: None, keyword: keyword_of(text) })
}

fn keyword_of(text: &str) -> Keyword {
    match Token::make_keyword(text) {
        Token::Word(word) => word.keyword,
        _ => Keyword::NoKeyword,
    }
}

/// Stands for `{name:Type}` in the query of a view that is made.
pub(crate) const PARAMETER: &str = "__parameter";

/// Most blanks within the type of a parameter that are kept in a row.
const BLANKS_MAX: usize = 64;

/// Rewrites the tokens of one statement for the parser. White space is dropped.
pub fn prepare(tokens: Vec<TokenWithSpan>, parameters: &BTreeMap<String, String>) -> Result<Vec<TokenWithSpan>> {
    let tokens = crate::rewrite::digits::rewrite(tokens);
    let tokens: Vec<TokenWithSpan> = tokens.into_iter().filter(|token| significant(&token.token)).collect();
    check_depth(&tokens)?;
    check_braces(&tokens)?;
    let tokens = match creates_view(&tokens) {
        true => parameters_as_calls(tokens),
        false => substitute_parameters(tokens, parameters)?,
    };
    let tokens = variables::rewrite(literals::maps_by_numbers(crate::rewrite::tuple_ends::rewrite(tokens)));
    let tokens = named_by_the_parser(commas_before_from(tokens));
    let tokens =
        finals::rewrite(unions::rewrite(views_of_queries(if_permitted(explained::rewrite(with_of_insert(top(tokens)?))))))?;
    let tokens = in_partition(into_outfile(calls_of_tuple(calls_of_any(tables_called_table(tokens)))));
    let tokens = crate::rewrite::aliases::rewrite(crate::rewrite::lambdas::rewrite(literals::empty_tuples(tokens)));
    let tokens = literals::ternaries_in_subscripts(collations::rewrite(tokens));
    let tokens = literals::one_element_tuples(stars::rewrite(limits::rewrite(joins::rewrite(fill::rewrite(tokens)))));
    let tokens = inner_aliases::rewrite(operands::rewrite(totals::rewrite(tokens)));
    scalar_with::rewrite(tokens)
}

/// Keywords that are names, and TOP.
fn top(tokens: Vec<TokenWithSpan>) -> Result<Vec<TokenWithSpan>> {
    crate::rewrite::select_top::rewrite(crate::rewrite::names::rewrite(tokens))
}

/// `WITH 1 AS x INSERT INTO t SELECT x` is `INSERT INTO t WITH 1 AS x SELECT x`. Where data follows, nothing uses x.
fn with_of_insert(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    if !tokens.first().is_some_and(|first| is_word(&first.token, "WITH")) {
        return tokens;
    }
    let mut depth = 0;
    let mut insert = None;
    for (at, token) in tokens.iter().enumerate() {
        let begins = |word: &str| depth == 0 && is_word(&token.token, word);
        match (&token.token, insert) {
            (Token::LParen | Token::LBracket, _) => depth += 1,
            (Token::RParen | Token::RBracket, _) => depth -= 1,
            (_, None) if begins("SELECT") => return tokens,
            (_, None) if begins("INSERT") && tokens.get(at + 1).is_some_and(|next| is_word(&next.token, "INTO")) => {
                insert = Some(at);
            }
            (_, Some(insert)) if begins("SELECT") => {
                return [&tokens[insert..at], &tokens[..insert], &tokens[at..]].concat();
            }
            _ => {}
        }
    }
    match insert {
        Some(insert) => tokens[insert..].to_vec(),
        None => tokens,
    }
}

/// `viewIfPermitted(SELECT … ELSE null('…'))` becomes a call with both as texts: which of them it is, rights say when the
/// tables are looked up.
fn if_permitted(mut tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut from = 0;
    while let Some(found) = tokens[from..].iter().position(|token| is_word(&token.token, "viewIfPermitted")) {
        let at = from + found;
        from = at + 1;
        let Some((other, end)) = alternatives(&tokens, at) else { continue };
        let text = |tokens: &[TokenWithSpan]| {
            let words: Vec<String> = tokens.iter().map(|token| token.token.to_string()).collect();
            words.join(" ").replace('\\', "\\\\").replace('\'', "\\'")
        };
        let query = Token::SingleQuotedString(text(&tokens[at + 2..other]));
        let other = Token::SingleQuotedString(format!("SELECT * FROM {}", text(&tokens[other + 1..end])));
        let span = tokens[at].span;
        let arguments = [query, Token::Comma, other].map(|token| TokenWithSpan { token, span });
        tokens.splice(at + 2..end, arguments);
    }
    tokens
}

/// Where ELSE stands in the brackets behind a name, and where they close.
fn alternatives(tokens: &[TokenWithSpan], name: usize) -> Option<(usize, usize)> {
    let (mut depth, mut other) = (0_usize, None);
    for (at, token) in tokens.iter().enumerate().skip(name + 1) {
        match &token.token {
            Token::LParen => depth += 1,
            Token::RParen => depth = depth.saturating_sub(1),
            word if depth == 1 && is_word(word, "ELSE") => other = Some(at),
            _ => {}
        }
        if depth == 0 {
            return other.map(|other| (other, at));
        }
    }
    None
}

/// `view(SELECT …)` is the query in brackets.
fn views_of_queries(mut tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let word = |token: Option<&TokenWithSpan>, text: &str| token.is_some_and(|token| is_word(&token.token, text));
    let is_view = |at: usize| {
        let query = tokens.get(at + 2);
        word(tokens.get(at), "view")
            && tokens.get(at + 1).is_some_and(|token| token.token == Token::LParen)
            && (word(query, "SELECT") || word(query, "WITH"))
    };
    let views: Vec<usize> = (0..tokens.len()).filter(|at| is_view(*at)).collect();
    for at in views.into_iter().rev() {
        tokens.remove(at);
    }
    tokens
}

/// `SELECT a, b, FROM t`, unless `from` is a column: `SELECT a, from, b`. `SELECT a, b,` alone as well.
fn commas_before_from(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let is_query = tokens.first().is_some_and(|first| ["SELECT", "WITH"].iter().any(|word| is_word(&first.token, word)));
    let is_extra = |at: usize| {
        let next = |far: usize| tokens.get(at + far).map(|token| &token.token);
        if tokens[at].token != Token::Comma {
            return false;
        }
        if is_query && matches!(next(1), None | Some(Token::EOF)) {
            return true;
        }
        next(1).is_some_and(|token| is_word(token, "FROM"))
            && next(2).is_some_and(|token| matches!(token, Token::Word(_) | Token::LParen) && !is_word(token, "FROM"))
    };
    let extra: Vec<usize> = (0..tokens.len()).filter(|at| is_extra(*at)).collect();
    let kept = tokens.into_iter().enumerate().filter(|(at, _)| extra.binary_search(at).is_err());
    kept.map(|(_, token)| token).collect()
}

/// Functions that ClickHouse's parser calls by one name, however they are written: its columns are named so.
fn named_by_the_parser(mut tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    for at in 0..tokens.len() {
        let is_call = tokens.get(at + 1).is_some_and(|next| next.token == Token::LParen);
        if is_call
            && let Token::Word(written) = &tokens[at].token
            && written.quote_style.is_none()
        {
            let name = match written.value.to_ascii_lowercase().as_str() {
                "date_diff" | "datediff" | "timestamp_diff" | "timestampdiff" => "dateDiff",
                "ltrim" => "trimLeft",
                "rtrim" => "trimRight",
                _ => continue,
            };
            tokens[at].token = word(name);
        }
    }
    tokens
}

/// `FROM table`: the name that `local` gives to the data on its input is a name, though TABLE is a keyword.
fn tables_called_table(mut tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    for at in 1..tokens.len() {
        let reads = is_word(&tokens[at - 1].token, "FROM") || is_word(&tokens[at - 1].token, "JOIN");
        if reads
            && is_word(&tokens[at].token, "TABLE")
            && let Token::Word(word) = &mut tokens[at].token
        {
            word.quote_style = Some('`');
            word.keyword = Keyword::NoKeyword;
        }
    }
    tokens
}

/// `2 * any(x)`: an aggregate function behind an operator, unless what it holds is a query. The parser would take ANY for the
/// quantifier of a comparison.
fn calls_of_any(mut tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    for at in 0..tokens.len() {
        let is_call =
            is_word(&tokens[at].token, "any") && tokens.get(at + 1).is_some_and(|next| next.token == Token::LParen);
        let inner = tokens[at + 1..].iter().find(|token| token.token != Token::LParen);
        let holds_query = inner.is_some_and(|token| ["SELECT", "WITH"].iter().any(|word| is_word(&token.token, word)));
        if is_call
            && !holds_query
            && let Token::Word(word) = &mut tokens[at].token
        {
            word.keyword = Keyword::NoKeyword;
        }
    }
    tokens
}

/// `tuple(a, b).2`: the parser would take the call for a type, and the place for a literal of it.
fn calls_of_tuple(mut tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    for at in 0..tokens.len() {
        let is_call =
            is_word(&tokens[at].token, "tuple") && tokens.get(at + 1).is_some_and(|next| next.token == Token::LParen);
        let behind = if is_call { tokens.get(matching(&tokens, at + 1) + 1) } else { None };
        let has_place = behind.is_some_and(|next| matches!(&next.token, Token::Number(place, _) if place.starts_with('.')));
        if has_place && let Token::Word(word) = &mut tokens[at].token {
            word.keyword = Keyword::NoKeyword;
        }
    }
    tokens
}

/// `INTO OUTFILE` follows a query. The parser would take the INTO of a SELECT without FROM for that of `SELECT … INTO t`:
/// the word keeps its text and gets a keyword that ends a query and is no alias.
fn into_outfile(mut tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    for at in 1..tokens.len() {
        if is_word(&tokens[at].token, "OUTFILE")
            && is_word(&tokens[at - 1].token, "INTO")
            && let Token::Word(word) = &mut tokens[at - 1].token
        {
            word.keyword = Keyword::ANALYZE;
        }
    }
    tokens
}

/// `UPDATE a = 1 IN PARTITION 2 WHERE …`: that IN belongs to no expression.
fn in_partition(mut tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    if !tokens.first().is_some_and(|first| ["ALTER", "DELETE", "UPDATE"].iter().any(|word| is_word(&first.token, word))) {
        return tokens;
    }
    for at in 1..tokens.len() {
        if is_word(&tokens[at].token, "PARTITION")
            && is_word(&tokens[at - 1].token, "IN")
            && let Token::Word(word) = &mut tokens[at - 1].token
        {
            word.keyword = Keyword::NoKeyword;
        }
    }
    tokens
}

/// Words that begin the clauses behind FROM.
pub(crate) const AFTER_FROM: &[&str] = &[
    "WHERE",
    "PREWHERE",
    "GROUP",
    "ORDER",
    "LIMIT",
    "SETTINGS",
    "FORMAT",
    "HAVING",
    "UNION",
    "INTERSECT",
    "EXCEPT",
    "WINDOW",
    "QUALIFY",
    "OFFSET",
    "INTO",
    "FINAL",
    "SAMPLE",
    "FETCH",
];

/// Words before JOIN.
pub(crate) const BEFORE_JOIN: &[&str] = &[
    "GLOBAL", "LOCAL", "ANY", "ALL", "ASOF", "SEMI", "ANTI", "INNER", "LEFT", "RIGHT", "FULL", "OUTER", "CROSS", "PASTE",
    "ARRAY", "NATURAL",
];

/// The name in `{name:Type}` where that begins, and where its colon stands. A name may begin with digits, which the tokenizer
/// takes for a number of its own; a number alone is no name.
pub(crate) fn parameter_name(tokens: &[TokenWithSpan], at: usize) -> Option<(String, usize)> {
    let token = |far: usize| tokens.get(at + far).map(|found| &found.token);
    if tokens[at].token != Token::LBrace {
        return None;
    }
    match (token(1)?, token(2)?) {
        (Token::Word(_), Token::Colon) => Some((token(1)?.to_string(), at + 2)),
        (Token::Placeholder(name), Token::Colon) if name.starts_with('$') => Some((name.clone(), at + 2)),
        (digits @ Token::Number(..), rest @ Token::Word(word))
            if word.quote_style.is_none()
                && token(3) == Some(&Token::Colon)
                && tokens[at + 1].span.end == tokens[at + 2].span.start =>
        {
            Some((format!("{digits}{rest}"), at + 3))
        }
        _ => None,
    }
}

/// `{d '2024-01-01'}`, `{fn abs(1)}`: the parser would take them as ODBC means them. Error: SYNTAX_ERROR.
fn check_braces(tokens: &[TokenWithSpan]) -> Result<()> {
    let escapes = |tokens: &&[TokenWithSpan]| {
        tokens[0].token == Token::LBrace
            && ["d", "t", "ts", "fn"].iter().any(|name| is_word(&tokens[1].token, name))
            && tokens[2].token != Token::Colon
    };
    let Some(escape) = tokens.windows(3).find(escapes) else {
        return Ok(());
    };
    let at = escape[2].span.start;
    Err(Error::new(
        ErrorCode::SYNTAX_ERROR,
        format!("Syntax error at line {}, column {}: expected a colon between name and type", at.line, at.column),
    ))
}

/// `CREATE VIEW`: its parameters get their values where it is read.
fn creates_view(tokens: &[TokenWithSpan]) -> bool {
    let mut words = tokens.iter().map(|token| &token.token);
    words.next().is_some_and(|first| is_word(first, "CREATE") || is_word(first, "ATTACH"))
        && words
            .find(|word| !["OR", "REPLACE", "TEMPORARY"].iter().any(|known| is_word(word, known)))
            .is_some_and(|word| is_word(word, "VIEW"))
}

/// The type of a parameter from behind its colon, with the blanks that it is written with, as columns are named; and where its bracket closes.
fn parameter_type(tokens: &[TokenWithSpan], colon: usize) -> (String, usize) {
    let mut end = colon + 1;
    let mut kind = String::new();
    while end < tokens.len() && tokens[end].token != Token::RBrace {
        let blanks = if end == colon + 1 { 0 } else { blanks_between(&tokens[end - 1], &tokens[end]) };
        kind.push_str(&" ".repeat(blanks));
        if matches!(tokens[end].token, Token::Word(_)) && kind.ends_with(|c: char| c.is_alphanumeric()) {
            kind.push(' ');
        }
        kind.push_str(&tokens[end].token.to_string());
        end += 1;
    }
    (kind, end)
}

/// How far two words stand from one another; on two lines, as by one blank.
fn blanks_between(left: &TokenWithSpan, right: &TokenWithSpan) -> usize {
    if left.span.end.line != right.span.start.line {
        return 1;
    }
    let blanks = right.span.start.column.saturating_sub(left.span.end.column);
    usize::try_from(blanks).unwrap_or_default().min(BLANKS_MAX)
}

/// `{name:Type}` as `__parameter('name', 'Type')`.
fn parameters_as_calls(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut out = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let Some((name, colon)) = parameter_name(&tokens, at) else {
            out.push(tokens[at].clone());
            at += 1;
            continue;
        };
        let (kind, end) = parameter_type(&tokens, colon);
        let (name, kind) = (crate::parameters::quoted(&name), crate::parameters::quoted(&kind));
        let call = [word(PARAMETER), Token::LParen, name, Token::Comma, kind, Token::RParen];
        out.extend(call.map(|token| TokenWithSpan { token, span: tokens[at].span }));
        at = end + 1;
    }
    out
}

/// `{name:Type}`
fn substitute_parameters(tokens: Vec<TokenWithSpan>, parameters: &BTreeMap<String, String>) -> Result<Vec<TokenWithSpan>> {
    let mut out = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let Some((name, colon)) = parameter_name(&tokens, at) else {
            out.push(tokens[at].clone());
            at += 1;
            continue;
        };
        let span = tokens[at].span;
        let (kind, end) = parameter_type(&tokens, colon);
        let value = parameters.get(&name).ok_or_else(|| {
            Error::new(
                ErrorCode::UNKNOWN_QUERY_PARAMETER,
                format!("Substitution `{name}` is not set. Give it with --param_{name} or SET param_{name}"),
            )
        })?;
        let mut push = |token: Token| out.push(TokenWithSpan { token, span });
        if kind == "Identifier" {
            for (i, part) in value.split('.').enumerate() {
                if i > 0 {
                    push(Token::Period);
                }
                push(Token::Word(Word { value: part.to_string(), quote_style: Some('`'), keyword: Keyword::NoKeyword }));
            }
        } else if kind == "String" && value != "\\N" {
            push(Token::SingleQuotedString(crate::parameters::within_quotes(value)));
        } else {
            push(word("_CAST"));
            push(Token::LParen);
            crate::parameters::literal(value, &kind).into_iter().for_each(&mut push);
            push(Token::Comma);
            push(crate::parameters::quoted(&kind));
            push(Token::RParen);
        }
        at = end + 1;
    }
    Ok(out)
}

pub fn is_comment(token: &Token) -> bool {
    matches!(token, Token::Whitespace(Whitespace::SingleLineComment { .. } | Whitespace::MultiLineComment(_)))
}
