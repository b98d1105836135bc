//! INSERT.

use gristmill_base::{Error, Result};

use sqlparser::tokenizer::Token;

use crate::ast::{Node, Star};
use crate::statement::{Cursor, Insert, InsertColumn, InsertSource, Statement, TableExpression};
use crate::tokens::is_word;

impl Cursor<'_> {
    pub(crate) fn insert(&mut self) -> Result<Statement> {
        self.eat("INTO");
        self.eat("TABLE");
        let target =
            if self.peeks("FUNCTION") && !matches!(self.parser.peek_nth_token_ref(1).token, Token::LParen | Token::Period) {
                self.parser.next_token();
                let name = self.identifier()?;
                TableExpression::Function { name, arguments: self.call_arguments()? }
            } else {
                TableExpression::Table(self.table_name()?)
            };
        let mut partition_by_ignored = false;
        if self.eat_all(&["PARTITION", "BY"]) {
            self.expression()?;
            partition_by_ignored = true;
        }
        if partition_by_ignored {
            return Err(Error::not_implemented("INSERT INTO FUNCTION … PARTITION BY"));
        }
        let begins_query =
            matches!(&self.parser.peek_nth_token_ref(1).token, t if is_word(t, "SELECT") || is_word(t, "WITH"));
        let has_columns = self.parser.peek_token_ref().token == Token::LParen && !begins_query;
        let columns = if has_columns { Some(self.insert_columns()?) } else { None };
        let mut settings = Vec::new();
        if self.eat("SETTINGS") {
            settings = self.assignments()?;
        }
        let source = if self.eat("VALUES") {
            // The rows come from the client.
            if self.at_end() {
                InsertSource::Data { format: Some("Values".to_string()) }
            } else {
                InsertSource::Values(self.values()?)
            }
        } else if self.eat_all(&["FROM", "INFILE"]) {
            let path = self.string()?;
            let compression = if self.eat("COMPRESSION") { Some(self.string()?) } else { None };
            if self.eat("SETTINGS") {
                settings.extend(self.assignments()?);
            }
            let format = if self.eat("FORMAT") { Some(self.identifier()?) } else { None };
            InsertSource::Infile { path, format, compression }
        } else if self.eat("FORMAT") {
            let format = self.identifier()?;
            if format.eq_ignore_ascii_case("Values") && !self.at_end() {
                InsertSource::Values(self.values()?)
            } else {
                InsertSource::Data { format: Some(format) }
            }
        } else if self.at_end() {
            InsertSource::Data { format: None }
        } else {
            let select = self.select()?;
            settings.extend(select.settings);
            InsertSource::Query { query: select.query, format: select.format }
        };
        if self.eat("SETTINGS") {
            settings.extend(self.assignments()?);
        }
        Ok(Statement::Insert(Insert { target, columns, settings, source }))
    }

    /// `(a, t.b, * EXCEPT c, COLUMNS('x'))`
    fn insert_columns(&mut self) -> Result<Vec<InsertColumn>> {
        self.expect_token(&Token::LParen)?;
        let mut columns = Vec::new();
        loop {
            columns.push(self.insert_column()?);
            let more = self.eat_token(&Token::Comma);
            if self.eat_token(&Token::RParen) {
                return Ok(columns);
            }
            if !more {
                return Err(self.unexpected("',' or ')' in a list of columns"));
            }
        }
    }

    fn insert_column(&mut self) -> Result<InsertColumn> {
        if self.eat_token(&Token::Mul) {
            return Ok(InsertColumn::Chosen(Box::default()));
        }
        let mut parts = Vec::new();
        loop {
            let is_call = self.parser.peek_nth_token_ref(1).token == Token::LParen;
            if is_call && (self.peeks(crate::rewrite::stars::STAR) || self.peeks("COLUMNS")) {
                let Node::Star(mut star) = self.expression()? else { return Err(self.unexpected("a list of columns")) };
                star.qualifier.splice(0..0, parts);
                return Ok(InsertColumn::Chosen(star));
            }
            parts.push(self.identifier()?);
            if !self.eat_token(&Token::Period) {
                return Ok(InsertColumn::Named(parts));
            }
            if self.eat_token(&Token::Mul) {
                return Ok(InsertColumn::Chosen(Box::new(Star { qualifier: parts, ..Star::default() })));
            }
        }
    }

    fn values(&mut self) -> Result<Vec<Vec<Node>>> {
        let mut rows = Vec::new();
        while self.eat_token(&Token::LParen) {
            let mut row = Vec::new();
            while !self.eat_token(&Token::RParen) {
                // DEFAULT stands for the column's default.
                if self.peeks("DEFAULT") && matches!(self.parser.peek_nth_token_ref(1).token, Token::Comma | Token::RParen) {
                    self.parser.next_token();
                    row.push(Node::Name(vec!["DEFAULT".to_string()]));
                } else {
                    row.push(self.expression()?);
                }
                if !self.eat_token(&Token::Comma) {
                    self.expect_token(&Token::RParen)?;
                    break;
                }
            }
            rows.push(row);
            self.eat_token(&Token::Comma);
        }
        if rows.is_empty() {
            return Err(self.unexpected("a row in parentheses"));
        }
        Ok(rows)
    }
}
