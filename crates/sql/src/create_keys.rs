//! Keys of tables in CREATE and ALTER: ORDER BY, PRIMARY KEY, PARTITION BY, with their directions, and how they are written.

use gristmill_base::{Error, ErrorCode, Result};
use sqlparser::tokenizer::Token;

use crate::ast::{Literal, Node, PARENTHESES, call};
use crate::create::CreateTable;
use crate::statement::Cursor;

/// How a key is written, which SHOW CREATE TABLE shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum KeyForm {
    /// `a`, `(a, b)`
    #[default]
    Plain,
    /// `(a)`, `((a, b))`
    Parentheses,
    /// `tuple(a)`, `tuple(a, b)`
    Tuple,
}

impl KeyForm {
    /// The text of a key of these elements. `None`: it is none of its own.
    pub fn text(self, elements: &[String]) -> Option<String> {
        let list = elements.join(", ");
        match (self, elements) {
            (KeyForm::Plain, _) | (_, []) => None,
            (KeyForm::Parentheses, [_]) => Some(format!("({list})")),
            (KeyForm::Parentheses, _) => Some(format!("(({list}))")),
            (KeyForm::Tuple, _) => Some(format!("tuple({list})")),
        }
    }
}

/// What follows ORDER BY of a table.
pub(crate) struct SortingKey {
    pub keys: Vec<Node>,
    /// Of each element whether its greater values come first.
    pub descending: Vec<bool>,
    pub form: KeyForm,
}

/// `MergeTree(date, key, granularity)`, as tables were made before ORDER BY was, becomes what it means: a partition a month of the
/// date, and the key. A sampling expression may stand before the key; what follows the granularity is for the engine.
pub(crate) fn keys_of_engine(create: &mut CreateTable) {
    let has_keys = create.order_by.is_some()
        || create.primary_key.is_some()
        || create.partition_by.is_some()
        || create.sample_by.is_some();
    let Some((engine, arguments)) = create.engine.as_mut().filter(|(engine, _)| engine.ends_with("MergeTree")) else {
        return;
    };
    let granularity = |at: usize| match arguments.get(at) {
        Some(Node::Literal(Literal::Integer(rows))) if *rows > 0 => Some((at, rows.to_string())),
        _ => None,
    };
    let is_date = matches!(arguments.first(), Some(Node::Name(_)));
    let Some((at, granularity)) = granularity(2).or_else(|| granularity(3)).filter(|_| is_date && !has_keys) else { return };
    if engine.starts_with("Replicated") {
        return;
    }
    let own = arguments.split_off(at + 1);
    let mut keys = std::mem::replace(arguments, own).into_iter();
    create.partition_by = keys.next().map(|date| call("toYYYYMM", vec![date]));
    create.sample_by = if at == 3 { keys.next() } else { None };
    let key = match keys.next() {
        Some(Node::Call(call)) if call.name == "tuple" => call.arguments,
        other => other.into_iter().collect(),
    };
    create.descending = vec![false; key.len()];
    create.order_by = Some(key);
    if !create.settings.iter().any(|(name, _)| name == "index_granularity") {
        create.settings.push(("index_granularity".to_string(), granularity));
    }
}

impl Cursor<'_> {
    /// `tuple()`, `()`, `a`, `(a, f(b))`
    pub(crate) fn key_list(&mut self) -> Result<Vec<Node>> {
        let nothing = [&self.parser.peek_nth_token_ref(0).token, &self.parser.peek_nth_token_ref(1).token];
        if nothing == [&Token::LParen, &Token::RParen] {
            self.expect_token(&Token::LParen)?;
            self.expect_token(&Token::RParen)?;
            return Ok(Vec::new());
        }
        Ok(match self.expression()? {
            Node::Call(call) if call.name == "tuple" => call.arguments,
            other => vec![other],
        })
    }

    /// What follows PRIMARY KEY among the columns or behind them. Error: BAD_ARGUMENTS where the table has one already.
    pub(crate) fn primary_key(&mut self, create: &mut CreateTable) -> Result<()> {
        if create.primary_key.is_some() {
            return Err(Error::new(ErrorCode::BAD_ARGUMENTS, "Multiple primary keys are not allowed"));
        }
        create.primary_form = self.key_form();
        create.primary_key = Some(self.key_list()?);
        Ok(())
    }

    /// `a DESC`, `(a DESC, f(b) ASC)`: the elements, and whether each descends.
    pub(crate) fn sorting_key(&mut self) -> Result<SortingKey> {
        if !self.has_directions() {
            let form = self.key_form();
            let keys = self.key_list()?;
            let descending = self.direction();
            let form = if descending { KeyForm::Plain } else { form };
            return Ok(SortingKey { descending: vec![descending; keys.len()], keys, form });
        }
        self.expect_token(&Token::LParen)?;
        let mut key = SortingKey { keys: Vec::new(), descending: Vec::new(), form: KeyForm::Tuple };
        loop {
            key.keys.push(self.expression()?);
            key.descending.push(self.direction());
            if !self.eat_token(&Token::Comma) {
                self.expect_token(&Token::RParen)?;
                return Ok(key);
            }
        }
    }

    /// What CREATE INDEX is on: `(a DESC, b)`, whose directions say nothing.
    pub(crate) fn without_directions(&mut self) -> Result<Node> {
        if !self.has_directions() {
            return self.expression();
        }
        let mut keys = self.sorting_key()?.keys;
        Ok(match keys.len() {
            1 => keys.swap_remove(0),
            _ => call("tuple", keys),
        })
    }

    /// An expression that is shown as it is written: with the parentheses that it stands in.
    pub(crate) fn shown_expression(&mut self) -> Result<Node> {
        let form = self.key_form();
        let expression = self.expression()?;
        let is_own = match &expression {
            Node::Subquery(_) => true,
            Node::Call(call) => call.name == "tuple",
            _ => false,
        };
        Ok(match form {
            KeyForm::Parentheses if !is_own => call(PARENTHESES, vec![expression]),
            _ => expression,
        })
    }

    /// How the key is written that begins here.
    pub(crate) fn key_form(&self) -> KeyForm {
        let token = |ahead: usize| &self.parser.peek_nth_token_ref(ahead).token;
        let form = match token(0) {
            Token::LParen => KeyForm::Parentheses,
            word if crate::tokens::is_word(word, "tuple") && *token(1) == Token::LParen => KeyForm::Tuple,
            _ => return KeyForm::Plain,
        };
        let begins = usize::from(form == KeyForm::Tuple);
        let (mut depth, mut is_list) = (0, false);
        for ahead in begins.. {
            match token(ahead) {
                Token::LParen | Token::LBracket => depth += 1,
                Token::RParen | Token::RBracket => depth -= 1,
                Token::Comma if depth == 1 => is_list = true,
                Token::EOF => return KeyForm::Plain,
                _ => {}
            }
            if depth > 0 {
                continue;
            }
            let is_empty = ahead == begins + 1;
            // `(a, b)` is a tuple and stands in no parentheses besides; `(a) + 1` goes on.
            let is_own = !is_empty && ends_expression(token(ahead + 1)) && !(is_list && form == KeyForm::Parentheses);
            return if is_own { form } else { KeyForm::Plain };
        }
        KeyForm::Plain
    }

    /// True of DESC; ASC says nothing.
    fn direction(&mut self) -> bool {
        let descending = self.eat("DESC");
        if !descending {
            self.eat("ASC");
        }
        descending
    }

    /// Whether directions stand inside of the parentheses that begin here.
    fn has_directions(&self) -> bool {
        let mut depth = 0;
        for ahead in 0.. {
            match &self.parser.peek_nth_token_ref(ahead).token {
                Token::LParen => depth += 1,
                Token::RParen => depth -= 1,
                Token::EOF => return false,
                word if depth == 1 && ["ASC", "DESC"].iter().any(|direction| crate::tokens::is_word(word, direction)) => {
                    return true;
                }
                _ => {}
            }
            if depth <= 0 {
                return false;
            }
        }
        false
    }
}

/// Whether an expression is over before the token.
fn ends_expression(token: &Token) -> bool {
    const OPERATORS: &[&str] =
        &["AND", "OR", "NOT", "IN", "GLOBAL", "LIKE", "ILIKE", "REGEXP", "IS", "BETWEEN", "DIV", "MOD", "XOR"];
    match token {
        Token::Comma | Token::RParen | Token::SemiColon | Token::EOF => true,
        Token::Word(_) => !OPERATORS.iter().any(|operator| crate::tokens::is_word(token, operator)),
        _ => false,
    }
}
