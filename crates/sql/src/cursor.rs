//! A cursor over the tokens of one statement: words, names and lists, of which everything that is no query is read.

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::custom::{self, Value};
use sqlparser::ast::Query;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token;

use crate::ast::{Literal, Node, unescape, unescape_identifier};
use crate::create::TEMPORARY_DATABASE;
use crate::sql_text::sql;
use crate::statement::{Assignments, TableName};
use crate::tokens::is_word;
use crate::{chains, size, translate};

pub(crate) fn syntax(error: ParserError) -> Error {
    let text = match error {
        ParserError::ParserError(text) if text == chains::TOO_DEEP => {
            return size::too_deep(2 * chains::LEVELS_MOST as u64);
        }
        ParserError::TokenizerError(text) | ParserError::ParserError(text) => text,
        ParserError::RecursionLimitExceeded => return crate::rewrite::too_deep(),
    };
    Error::new(ErrorCode::SYNTAX_ERROR, format!("Syntax error: {text}"))
}

/// A cursor over the tokens of one statement.
pub(crate) struct Cursor<'a> {
    pub(crate) parser: Parser<'a>,
}

impl<'a> Cursor<'a> {
    pub(crate) fn unexpected(&self, wanted: &str) -> Error {
        let token = self.parser.peek_token_ref();
        if token.token == Token::EOF {
            let text = format!("Syntax error at the end of the query: expected {wanted}");
            return Error::new(ErrorCode::SYNTAX_ERROR, text);
        }
        let location = token.span.start;
        Error::new(
            ErrorCode::SYNTAX_ERROR,
            format!(
                "Syntax error at line {}, column {}: expected {wanted}, found {}",
                location.line, location.column, token.token
            ),
        )
    }

    /// Takes a word, in any case, if it is next.
    pub(crate) fn eat(&mut self, word: &str) -> bool {
        let found = is_word(&self.parser.peek_token_ref().token, word);
        if found {
            self.parser.next_token();
        }
        found
    }

    /// Takes several words in a row, or none of them.
    pub(crate) fn eat_all(&mut self, words: &[&str]) -> bool {
        let found = words.iter().enumerate().all(|(n, word)| is_word(&self.parser.peek_nth_token_ref(n).token, word));
        if found {
            for _ in words {
                self.parser.next_token();
            }
        }
        found
    }

    pub(crate) fn peeks(&self, word: &str) -> bool {
        is_word(&self.parser.peek_token_ref().token, word)
    }

    pub(crate) fn expect(&mut self, word: &str) -> Result<()> {
        if self.eat(word) { Ok(()) } else { Err(self.unexpected(word)) }
    }

    pub(crate) fn eat_token(&mut self, token: &Token) -> bool {
        self.parser.consume_token(token)
    }

    pub(crate) fn expect_token(&mut self, token: &Token) -> Result<()> {
        if self.eat_token(token) { Ok(()) } else { Err(self.unexpected(&token.to_string())) }
    }

    pub(crate) fn at_end(&self) -> bool {
        matches!(self.parser.peek_token_ref().token, Token::EOF | Token::SemiColon)
    }

    pub(crate) fn identifier(&mut self) -> Result<String> {
        let ident = self.parser.parse_identifier().map_err(syntax)?;
        Ok(unescape_identifier(&ident))
    }

    pub(crate) fn string(&mut self) -> Result<String> {
        match self.parser.peek_token_ref().token.clone() {
            Token::SingleQuotedString(raw) => {
                self.parser.next_token();
                Ok(String::from_utf8_lossy(&unescape(&raw)).into_owned())
            }
            Token::DollarQuotedString(heredoc) => {
                self.parser.next_token();
                Ok(heredoc.value)
            }
            _ => Err(self.unexpected("a string")),
        }
    }

    pub(crate) fn expression(&mut self) -> Result<Node> {
        let expr = self.parser.parse_expr().map_err(syntax)?;
        translate::node(&expr)
    }

    pub(crate) fn query(&mut self) -> Result<Box<Query>> {
        self.parser.parse_query().map_err(syntax)
    }

    pub(crate) fn table_name(&mut self) -> Result<TableName> {
        let first = self.identifier()?;
        if self.eat_token(&Token::Period) {
            return Ok(TableName { database: Some(first), table: self.identifier()? });
        }
        Ok(TableName { database: None, table: first })
    }

    /// The name of a table behind the word TEMPORARY, or not.
    pub(crate) fn table_name_of(&mut self, temporary: bool) -> Result<TableName> {
        let mut name = self.table_name()?;
        if temporary && name.database.is_none() {
            name.database = Some(TEMPORARY_DATABASE.to_string());
        }
        Ok(name)
    }

    pub(crate) fn if_exists(&mut self) -> bool {
        self.eat_all(&["IF", "EXISTS"])
    }

    pub(crate) fn if_not_exists(&mut self) -> bool {
        self.eat_all(&["IF", "NOT", "EXISTS"])
    }

    /// `ON CLUSTER name`: there are no clusters, and whoever names one believes that other servers do the same. Error:
    /// CLUSTER_DOESNT_EXIST.
    pub(crate) fn on_cluster(&mut self) -> Result<()> {
        if !self.eat_all(&["ON", "CLUSTER"]) {
            return Ok(());
        }
        let name = match self.parser.peek_token_ref().token {
            Token::SingleQuotedString(_) => self.string()?,
            _ => self.identifier()?,
        };
        Err(Error::new(
            ErrorCode::CLUSTER_DOESNT_EXIST,
            format!("Requested cluster '{name}' not found: there are no clusters, leave ON CLUSTER out"),
        ))
    }

    /// `name = value`, or `name`, which is 1.
    fn assignment(&mut self) -> Result<(String, String)> {
        let name = self.identifier()?;
        let value = match self.eat_token(&Token::Eq) {
            true => setting_value(&name, &self.expression()?)?,
            false => setting_value(&name, &Node::Literal(Literal::Integer(1)))?,
        };
        Ok((name, value))
    }

    /// What follows SET: settings, and values of parameters among them.
    pub(crate) fn set(&mut self) -> Result<crate::statement::Statement> {
        let (mut parameters, mut settings) = (Vec::new(), Vec::new());
        loop {
            let is_parameter =
                matches!(&self.parser.peek_token_ref().token, Token::Word(word) if word.value.starts_with("param_"));
            if is_parameter {
                let name = self.identifier()?;
                self.expect_token(&Token::Eq)?;
                let value = parameter(&self.expression()?)?;
                parameters.push((name.strip_prefix("param_").unwrap_or(&name).to_string(), value));
            } else {
                settings.push(self.assignment()?);
            }
            if !self.eat_token(&Token::Comma) {
                break;
            }
        }
        Ok(match parameters.is_empty() {
            true => crate::statement::Statement::Set(settings),
            false => crate::statement::Statement::SetParameters { parameters, settings },
        })
    }

    /// `name = value, name = value` of a table of the MergeTree family, which shows `true` and `false` as they are written,
    /// and has names of its own called `default`.
    pub(crate) fn assignments_of_table(&mut self) -> Result<Assignments> {
        let mut out = Vec::new();
        loop {
            let value = &self.parser.peek_nth_token_ref(2).token;
            let word = ["true", "false", "default"].into_iter().find(|word| is_word(value, word));
            let (name, value) = self.assignment()?;
            out.push((name, word.map_or(value, str::to_string)));
            if !self.eat_token(&Token::Comma) {
                return Ok(out);
            }
        }
    }

    /// `name = value, name = value`
    pub(crate) fn assignments(&mut self) -> Result<Assignments> {
        let mut out = Vec::new();
        loop {
            out.push(self.assignment()?);
            if !self.eat_token(&Token::Comma) {
                return Ok(out);
            }
        }
    }
}

/// The text of a parameter's value: that of a string as it is, containers as literals.
fn parameter(node: &Node) -> Result<String> {
    let inner = |nodes: &[Node]| -> Result<Vec<String>> {
        nodes
            .iter()
            .map(|node| match node {
                Node::Literal(Literal::Text(bytes)) => Ok(gristmill_types::sql_type::quote(&String::from_utf8_lossy(bytes))),
                Node::Literal(Literal::Null) => Ok("NULL".to_string()),
                other => parameter(other),
            })
            .collect()
    };
    Ok(match node {
        Node::Call(call) if call.name == "array" => format!("[{}]", inner(&call.arguments)?.join(",")),
        Node::Call(call) if call.name == "tuple" => format!("({})", inner(&call.arguments)?.join(",")),
        Node::Call(call) if call.name == "map" => {
            let pairs: Vec<String> = inner(&call.arguments)?.chunks(2).map(|pair| pair.join(":")).collect();
            format!("{{{}}}", pairs.join(","))
        }
        other => constant(other)?,
    })
}

/// The text of a setting's value. Users' own settings keep its type.
pub(crate) fn setting_value(name: &str, node: &Node) -> Result<String> {
    // Which profile is meant is no word of the language.
    let is_default = |parts: &[String]| matches!(parts, [word] if word.eq_ignore_ascii_case("DEFAULT"));
    if matches!(node, Node::Name(parts) if is_default(parts)) && name != "profile" {
        return Ok("DEFAULT".to_string());
    }
    if !custom::is_custom(name) {
        return constant(node);
    }
    let value = match node {
        Node::Literal(Literal::Integer(value)) => match (u64::try_from(*value), i64::try_from(*value)) {
            (Ok(value), _) => Value::UInt(value),
            (_, Ok(value)) => Value::Int(value),
            _ => Value::Text(value.to_string()),
        },
        Node::Literal(number @ (Literal::Float(_) | Literal::Fraction(_))) => {
            Value::Float(number.float().unwrap_or(f64::NAN))
        }
        Node::Literal(Literal::Bool(value)) => Value::Bool(*value),
        Node::Literal(Literal::Null) => Value::Null,
        Node::Name(_) => return constant(node),
        other => Value::Text(constant(other)?),
    };
    Ok(value.text())
}

/// A constant as the text of a setting's value.
pub(crate) fn constant(node: &Node) -> Result<String> {
    Ok(match node {
        Node::Literal(Literal::Integer(value)) => value.to_string(),
        Node::Literal(Literal::BigInteger(digits)) => digits.clone(),
        Node::Literal(number @ (Literal::Float(_) | Literal::Fraction(_))) => number.float().unwrap_or(f64::NAN).to_string(),
        Node::Literal(Literal::Bool(value)) => u8::from(*value).to_string(),
        Node::Literal(Literal::Text(bytes)) => String::from_utf8_lossy(bytes).into_owned(),
        Node::Literal(Literal::Null) => "\\N".to_string(),
        Node::Name(parts) => parts.join("."),
        Node::Call(map) if map.name == "map" => {
            let pairs = map.arguments.chunks(2).map(|pair| pair.iter().map(sql).collect::<Vec<_>>().join(":"));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(","))
        }
        other => {
            return Err(Error::new(ErrorCode::SYNTAX_ERROR, format!("Syntax error: expected a constant, found {other}")));
        }
    })
}
