//! A query as a statement, with what may follow it; tables and calls as other statements name them.

use gristmill_base::{Error, ErrorCode, Result};
use sqlparser::ast::{FormatClause, SetExpr, Setting};
use sqlparser::parser::Parser;
use sqlparser::tokenizer::Token;

use crate::ast::{Node, unescape_identifier};
use crate::cursor::{Cursor, setting_value, syntax};
use crate::statement::{AfterQuery, Assignments, Outfile, SelectStatement, TableExpression};
use crate::translate;

impl Cursor<'_> {
    /// A query with what may follow it: INTO OUTFILE, FORMAT, SETTINGS, in any order that clients write.
    pub(crate) fn select(&mut self) -> Result<SelectStatement> {
        let mut query = self.query()?;
        if matches!(*query.body, SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_)) {
            // It would be run as a query of nothing.
            let text = "Syntax error: WITH before another statement than SELECT, or INSERT with SELECT";
            return Err(Error::new(ErrorCode::SYNTAX_ERROR, text));
        }
        let settings = query.settings.take().map(|list| settings_of(&list)).transpose()?.unwrap_or_default();
        // Settings of a lone SELECT inside of parentheses or of the last branch of a UNION count for the whole.
        let format = query.format_clause.take().map(|clause| match clause {
            FormatClause::Identifier(ident) => unescape_identifier(&ident),
            FormatClause::Null => "Null".to_string(),
        });
        let mut after = AfterQuery { settings, format, outfile: None };
        self.after_query(&mut after)?;
        Ok(SelectStatement { query, settings: after.settings, format: after.format, outfile: after.outfile })
    }

    pub(crate) fn after_query(&mut self, after: &mut AfterQuery) -> Result<()> {
        loop {
            if self.eat_all(&["INTO", "OUTFILE"]) {
                let path = self.string()?;
                let mut file = Outfile { path, truncate: false, append: false, and_stdout: false, compression: None };
                loop {
                    if self.eat("TRUNCATE") {
                        file.truncate = true;
                    } else if self.eat("APPEND") {
                        file.append = true;
                    } else if self.eat_all(&["AND", "STDOUT"]) {
                        file.and_stdout = true;
                    } else if self.eat("COMPRESSION") {
                        file.compression = Some(self.string()?);
                        if self.eat("LEVEL") {
                            self.expression()?;
                        }
                    } else {
                        break;
                    }
                }
                after.outfile = Some(file);
            } else if self.eat("FORMAT") {
                after.format = Some(self.identifier()?);
            } else if self.eat("SETTINGS") {
                after.settings.extend(self.assignments()?);
            } else {
                return Ok(());
            }
        }
    }

    pub(crate) fn table_expression(&mut self) -> Result<TableExpression> {
        if self.parser.peek_token_ref().token == Token::LParen {
            self.parser.next_token();
            let query = self.query()?;
            self.expect_token(&Token::RParen)?;
            return Ok(TableExpression::Query(query));
        }
        if self.peeks("SELECT") || self.peeks("WITH") {
            return Ok(TableExpression::Query(self.query()?));
        }
        if self.parser.peek_nth_token_ref(1).token == Token::LParen {
            let name = self.identifier()?;
            return Ok(TableExpression::Function { name, arguments: self.call_arguments()? });
        }
        Ok(TableExpression::Table(self.table_name()?))
    }

    pub(crate) fn call_arguments(&mut self) -> Result<Vec<Node>> {
        self.expect_token(&Token::LParen)?;
        let list = self.parser.parse_comma_separated0(Parser::parse_expr, Token::RParen).map_err(syntax)?;
        self.expect_token(&Token::RParen)?;
        translate::nodes(&list)
    }
}

/// The SETTINGS clause of a query.
pub fn settings_of(list: &[Setting]) -> Result<Assignments> {
    list.iter()
        .map(|setting| {
            let name = unescape_identifier(&setting.key);
            let value = setting_value(&name, &translate::node(&setting.value)?)?;
            Ok((name, value))
        })
        .collect()
}
