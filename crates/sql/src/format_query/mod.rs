//! Queries laid out as ClickHouse lays them out: `formatQuery`, `formatQuerySingleLine`, EXPLAIN SYNTAX.
//!
//! The parser of statements decides whether a text is one. Here its words are read once more, into a tree that keeps what is
//! written (`tree`): the parser's own has joins, limits and stars in forms that suit the planner. `expression` reads values by the
//! precedence of operators, `query` the clauses of SELECT and INSERT, `literals` says how ClickHouse writes constants, `calls` what
//! EXPLAIN SYNTAX makes of it, `create` CREATE TABLE, `print` lays all out. `statements` lays others out, as the parser read them.

mod calls;
mod create;
mod expression;
mod literals;
mod print;
mod query;
mod special;
mod statements;
mod tree;

use std::collections::BTreeMap;

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::sql_type::quote_identifier;
use sqlparser::tokenizer::{Token, TokenWithSpan, Whitespace};

use crate::rewrite::digits;
use crate::statement::{self, Statement};
use crate::tokens::{is_word, line_starts, offset, tokenize};
use calls::Calls;
use print::Printer;
use tree::{Operand, Tree};

/// The statement in ClickHouse's layout. Errors: SYNTAX_ERROR; NOT_IMPLEMENTED for other statements than SELECT, INSERT, EXPLAIN of
/// them, SET, and those that `statements` knows.
pub fn format_query(text: &str, one_line: bool) -> Result<String> {
    let mut reader = Reader::of(text)?;
    // Parameters have no values here.
    let parameters: BTreeMap<String, String> = reader.parameters().into_iter().map(|name| (name, "1".to_string())).collect();
    let parsed = statement::parse(text, &parameters)?;
    let mut statement = &parsed;
    while let Statement::Explain { statement: inner, .. } | Statement::Shown { statement: inner, .. } = statement {
        statement = inner;
    }
    if matches!(parsed, Statement::Set(_)) {
        reader.expect("SET")?;
        return Ok(format!("SET {}", reader.assignments()?));
    }
    // An index by itself is read as an ALTER TABLE.
    let is_itself = !matches!(parsed, Statement::Alter { .. }) || reader.sees("ALTER");
    if let Some(shown) = statements::laid_out(&parsed, one_line).filter(|_| is_itself) {
        return Ok(shown);
    }
    if matches!(parsed, Statement::CreateTable(_))
        && reader.sees("CREATE")
        && let Ok(shown) = reader.create_table(one_line)
    {
        return Ok(shown);
    }
    if !matches!(statement, Statement::Select(_) | Statement::Insert(_)) || !reader.begins_query() {
        return Err(Error::not_implemented(format!("formatting of a {} statement", parsed.kind())));
    }
    let mut printer = Printer { one_line, out: String::with_capacity(text.len() * 2) };
    reader.statement(&mut printer)?;
    Ok(printer.out)
}

/// The query of a view in ClickHouse's layout, with the database that it is read in before the names of tables that have none:
/// it says the same in whatever database it is given again. (A table named alone behind IN stays as it is: it may be another
/// expression's name.) What cannot be laid out is given as it is written.
pub fn query_of_view(text: &str, database: &str, one_line: bool) -> String {
    let laid_out = || -> Result<String> {
        let mut reader = Reader::of(text)?;
        reader.database = Some(quote_identifier(database));
        let mut printer = Printer { one_line, out: String::with_capacity(text.len() * 2) };
        let union = reader.union()?;
        printer.union(&union, 0);
        // What belongs to the whole stands behind it.
        for tail in &union.tail {
            printer.out.push_str(if one_line { " " } else { "\n" });
            printer.out.push_str(tail);
        }
        if reader.at_end() { Ok(printer.out) } else { Err(reader.unexpected("the end of the query")) }
    };
    laid_out().unwrap_or_else(|_| text.to_string())
}

/// The query of an EXPLAIN, or the INSERT or CREATE TABLE, as the analysis has it, without what says how the explanation is shown. Errors: SYNTAX_ERROR.
pub fn explained_query(text: &str, one_line: bool) -> Result<String> {
    let mut reader = Reader::of(text)?;
    reader.skip_explain()?;
    let mut printer = Printer { one_line, out: String::new() };
    if reader.sees("CREATE") {
        reader.as_calls = true;
        return reader.create_table(one_line);
    }
    if reader.sees("INSERT") {
        reader.as_calls = true;
        reader.statement(&mut printer)?;
    } else {
        let mut union = reader.union()?;
        union.tail.clear();
        printer.union(&Calls { analyzed: true }.union(union), 0);
    }
    Ok(printer.out)
}

/// Whether an EXPLAIN is of a query or of an INSERT.
pub fn explains_query(text: &str) -> bool {
    let reader = Reader::of(text).and_then(|mut reader| reader.skip_explain().map(|_| reader));
    reader.is_ok_and(|reader| reader.begins_query())
}

/// A SELECT of which the columns have these names. Errors: BAD_ARGUMENTS where they are not as many as its items; SYNTAX_ERROR.
pub(crate) fn with_column_names(text: &str, names: &[String]) -> Result<String> {
    let bad = |text: String| Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
    let mut union = Reader::of(text)?.union()?;
    let [Operand::Select(select)] = &mut union.selects[..] else {
        return bad("Names of columns without types take one SELECT: write AS behind its columns instead".to_string());
    };
    let is_star = |item: &Tree| matches!(item, Tree::Star(..)) || matches!(item, Tree::Atom(star) if star.ends_with('*'));
    if select.items.len() != names.len() || select.items.iter().any(is_star) {
        return bad(format!(
            "{} names are given to the columns of a SELECT list of {}: name each of them",
            names.len(),
            select.items.len()
        ));
    }
    for (item, name) in select.items.iter_mut().zip(names) {
        let value = std::mem::replace(item, Tree::Atom(String::new()));
        // What the query itself calls it by stays known.
        let value = if matches!(value, Tree::Alias(..)) { Tree::Parentheses(Box::new(value)) } else { value };
        *item = Tree::Alias(Box::new(value), quote_identifier(name));
    }
    let mut printer = Printer { one_line: true, out: String::with_capacity(text.len() * 2) };
    printer.union(&union, 0);
    Ok(printer.out)
}

/// The tokens of a statement, from the first that is not read.
struct Reader<'a> {
    text: &'a str,
    lines: Vec<usize>,
    tokens: Vec<TokenWithSpan>,
    at: usize,
    /// What is put before the names of tables that stand alone.
    database: Option<String>,
    /// Names of WITH, which are no tables.
    with_names: Vec<String>,
    /// Operators of the query of an INSERT, and of a CREATE TABLE, are shown as calls.
    as_calls: bool,
}

impl<'a> Reader<'a> {
    fn of(text: &'a str) -> Result<Reader<'a>> {
        let mut tokens = digits::rewrite(tokenize(text)?);
        tokens.retain(|token| {
            !matches!(token.token, Token::Whitespace(Whitespace::Space | Whitespace::Newline | Whitespace::Tab))
        });
        tokens.retain(|token| !matches!(token.token, Token::Whitespace(_)));
        while tokens.last().is_some_and(|token| matches!(token.token, Token::SemiColon | Token::EOF)) {
            tokens.pop();
        }
        Ok(Reader { text, lines: line_starts(text), tokens, at: 0, database: None, with_names: Vec::new(), as_calls: false })
    }

    fn begins_query(&self) -> bool {
        let first = self.token(0);
        first == Some(&Token::LParen)
            || ["SELECT", "WITH", "FROM", "INSERT", "EXPLAIN"]
                .iter()
                .any(|word| first.is_some_and(|token| is_word(token, word)))
    }

    /// The names of `{name:Type}`.
    fn parameters(&self) -> Vec<String> {
        let windows = self.tokens.windows(3);
        let named = windows.filter(|tokens| tokens[0].token == Token::LBrace && tokens[2].token == Token::Colon);
        named.map(|tokens| tokens[1].token.to_string()).collect()
    }

    fn token(&self, far: usize) -> Option<&Token> {
        self.tokens.get(self.at + far).map(|token| &token.token)
    }

    fn at_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    fn next(&mut self) -> Result<Token> {
        let token = self.token(0).cloned().ok_or_else(|| self.unexpected("more of the query"))?;
        self.at += 1;
        Ok(token)
    }

    fn sees(&self, word: &str) -> bool {
        self.sees_at(0, word)
    }

    fn sees_at(&self, far: usize, word: &str) -> bool {
        self.token(far).is_some_and(|token| is_word(token, word))
    }

    /// Several words, divided by spaces.
    fn sees_all(&self, words: &str) -> bool {
        words.split(' ').enumerate().all(|(far, word)| self.sees_at(far, word))
    }

    fn eat(&mut self, words: &str) -> bool {
        let found = self.sees_all(words);
        self.at += if found { words.split(' ').count() } else { 0 };
        found
    }

    fn eat_token(&mut self, token: &Token) -> bool {
        let found = self.token(0) == Some(token);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, words: &str) -> Result<()> {
        if self.eat(words) { Ok(()) } else { Err(self.unexpected(words)) }
    }

    fn expect_token(&mut self, token: &Token) -> Result<()> {
        if self.eat_token(token) { Ok(()) } else { Err(self.unexpected(&format!("{token}"))) }
    }

    fn unexpected(&self, expected: &str) -> Error {
        let found = self.token(0).map_or_else(|| "the end".to_string(), |token| format!("'{token}'"));
        Error::new(ErrorCode::SYNTAX_ERROR, format!("Syntax error: expected {expected}, found {found}"))
    }

    /// The text between a token and the one that is read next.
    fn written(&self, from: usize) -> &'a str {
        let place = |at: usize| {
            let start = self.tokens[at].span.start;
            offset(self.text, &self.lines, start.line, start.column)
        };
        let end = self.tokens[self.at - 1].span.end;
        &self.text[place(from)..offset(self.text, &self.lines, end.line, end.column)]
    }
}

#[cfg(test)]
mod tests {
    use super::{format_query, query_of_view};

    #[test]
    fn tables_of_views_have_their_database() {
        for (text, shown) in [
            ("select a from t x join u.v using a", "SELECT a FROM d.t AS x INNER JOIN u.v USING (a)"),
            ("SELECT * FROM (SELECT 1 AS t) AS t, t AS b", "SELECT * FROM (SELECT 1 AS t) AS t, d.t AS b"),
            ("WITH t AS (SELECT a FROM t) SELECT a FROM t", "WITH t AS (SELECT a FROM d.t) SELECT a FROM t"),
            (
                "SELECT a FROM (WITH t AS (SELECT 1 AS a) SELECT a FROM t) WHERE a IN (SELECT a FROM t)",
                "SELECT a FROM (WITH t AS (SELECT 1 AS a) SELECT a FROM t) WHERE a IN (SELECT a FROM d.t)",
            ),
            (
                "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT n FROM t",
                "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT n FROM t",
            ),
            ("SELECT number FROM numbers(3)", "SELECT number FROM numbers(3)"),
            ("no query", "no query"),
        ] {
            assert_eq!(query_of_view(text, "d", true), shown);
        }
        assert_eq!(query_of_view("SELECT a FROM t", "a-b", false), "SELECT a\nFROM `a-b`.t");
    }

    #[test]
    fn a_formatted_query_stays_as_it_is() {
        for text in [
            "SELECT a, b AS c FROM t WHERE ((x = 1) AND (y = 2)) OR (NOT z) GROUP BY a, b HAVING count() > 1 ORDER BY a DESC LIMIT 5, 10",
            "WITH 1 AS x, y AS (SELECT 1), (SELECT 2) AS z SELECT DISTINCT x FROM y",
            "SELECT * FROM a GLOBAL ANY LEFT JOIN (SELECT 1 AS x) AS b USING (x) ARRAY JOIN arr AS q, arr2",
            "SELECT (a[1]) + 1, {p:Array(UInt8)}, * EXCEPT a APPLY sum, quantiles(0.5, 0.9)(x) FROM t FINAL SAMPLE 1 / 10",
            "SELECT 1 INTERSECT (SELECT 2) EXCEPT (SELECT 3)",
            "INSERT INTO t (a, b) SELECT 1, 2",
            "EXPLAIN AST SELECT 1",
        ] {
            assert_eq!(format_query(text, true).expect(text), text);
            let lines = format_query(text, false).expect(text);
            assert_eq!(format_query(&lines, true).expect(text), text);
        }
    }

    #[test]
    fn what_is_no_query_is_refused() {
        assert!(format_query("SELECT (", true).is_err());
        assert!(format_query("SYSTEM FLUSH LOGS", true).is_err());
    }
}
