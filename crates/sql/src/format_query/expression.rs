//! Values, by the precedence of their operators.

use gristmill_base::Result;
use gristmill_types::sql_type::{quote, quote_identifier};
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, Word};

use super::tree::{Call, Tree};
use super::{Reader, literals};
use crate::ast::unescape_identifier;

/// From loosest to closest.
const LAMBDA: u8 = 1;
const TERNARY: u8 = 2;
const OR: u8 = 3;
const AND: u8 = 4;
const NOT: u8 = 5;
const IS: u8 = 6;
const BETWEEN: u8 = 7;
const COMPARISON: u8 = 9;
const CONCAT: u8 = 10;
const SUM: u8 = 11;
const PRODUCT: u8 = 12;
const MINUS: u8 = 13;

/// Words behind a value that are no alias of it.
const CLAUSES: &[&str] = &[
    "FROM",
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
    "FETCH",
    "AS",
    "ASC",
    "DESC",
    "NULLS",
    "WITH",
    "THEN",
    "ELSE",
    "END",
    "WHEN",
    "AND",
    "OR",
    "IN",
    "NOT",
    "IS",
    "LIKE",
    "ILIKE",
    "BETWEEN",
    "GLOBAL",
    "ON",
    "USING",
    "JOIN",
    "LEFT",
    "RIGHT",
    "FULL",
    "INNER",
    "CROSS",
    "ANY",
    "ALL",
    "ASOF",
    "SEMI",
    "ANTI",
    "PASTE",
    "ARRAY",
    "FINAL",
    "SAMPLE",
    "COLLATE",
    "DIV",
    "MOD",
    "REGEXP",
    "APPLY",
    "REPLACE",
    "INTERPOLATE",
    "STEP",
    "TO",
    "FOR",
    "BY",
    "ROWS",
    "RANGE",
    "OVER",
    "FILTER",
    "IGNORE",
    "RESPECT",
    "VALUES",
    "SELECT",
    "XOR",
    "EXCLUDE",
    "STALENESS",
    "ESCAPE",
    "PLACING",
    "ASCENDING",
    "DESCENDING",
    "NATURAL",
];

pub(super) fn call(name: &str, arguments: Vec<Tree>) -> Tree {
    Tree::Call(Box::new(Call { name: name.to_string(), arguments, ..Call::default() }))
}

pub(super) fn identifier(word: &Word) -> String {
    let ident = sqlparser::ast::Ident {
        value: word.value.clone(),
        quote_style: word.quote_style,
        span: sqlparser::tokenizer::Span::empty(),
    };
    quote_identifier(&unescape_identifier(&ident))
}

fn infix(word: &str, left: Tree, right: Tree) -> Tree {
    Tree::Infix(word.to_string(), vec![left, right])
}

fn is_constant(tree: &Tree) -> bool {
    match tree {
        Tree::Atom(text) => text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '\'')) || text == "NULL",
        Tree::Parentheses(inner) => is_constant(inner),
        Tree::List(_, items, _) => items.iter().all(is_constant),
        _ => false,
    }
}

impl Reader<'_> {
    /// A value with its alias.
    pub(super) fn aliased(&mut self) -> Result<Tree> {
        let tree = self.value()?;
        self.alias_of(tree, CLAUSES)
    }

    pub(super) fn alias_of(&mut self, tree: Tree, clauses: &[&str]) -> Result<Tree> {
        if self.eat("AS") {
            return Ok(Tree::Alias(Box::new(tree), self.name()?));
        }
        match self.token(0) {
            Some(Token::Word(word))
                if word.quote_style.is_some() || !clauses.iter().any(|clause| clause.eq_ignore_ascii_case(&word.value)) =>
            {
                Ok(Tree::Alias(Box::new(tree), self.name()?))
            }
            _ => Ok(tree),
        }
    }

    pub(super) fn name(&mut self) -> Result<String> {
        match self.next()? {
            Token::Word(word) => Ok(identifier(&word)),
            Token::SingleQuotedString(raw) => Ok(quote_identifier(&String::from_utf8_lossy(&crate::ast::unescape(&raw)))),
            _ => {
                self.at -= 1;
                Err(self.unexpected("a name"))
            }
        }
    }

    pub(super) fn value(&mut self) -> Result<Tree> {
        self.above(0)
    }

    /// Elements up to a closing token, which is read.
    pub(super) fn elements(&mut self, close: &Token) -> Result<Vec<Tree>> {
        let mut all = Vec::new();
        while !self.eat_token(close) {
            all.push(self.aliased()?);
            if !self.eat_token(&Token::Comma) {
                self.expect_token(close)?;
                break;
            }
        }
        Ok(all)
    }

    /// A value of operators that bind closer than `least`.
    pub(super) fn above(&mut self, least: u8) -> Result<Tree> {
        let from = self.at;
        let mut left = self.operand()?;
        loop {
            left = match self.postfix(left, from)? {
                (tree, true) => tree,
                (tree, false) => match self.operator(tree, least)? {
                    (tree, true) => tree,
                    (tree, false) => return Ok(tree),
                },
            };
        }
    }

    /// `a[1]`, `a.1`, `a::T`; whether there was one. `from`: where the value begins.
    fn postfix(&mut self, left: Tree, from: usize) -> Result<(Tree, bool)> {
        match self.token(0).cloned() {
            Some(Token::LBracket) if !matches!(left, Tree::Prefix(..) | Tree::Infix(..)) => {
                self.at += 1;
                let index = self.value()?;
                self.expect_token(&Token::RBracket)?;
                Ok((Tree::Element(Box::new(left), Box::new(index)), true))
            }
            Some(Token::DoubleColon) => {
                let written = is_constant(&left).then(|| self.written(from).to_string());
                self.at += 1;
                let kind = self.kind()?;
                let is_text = |tree: &Tree| matches!(tree, Tree::Atom(text) if text.starts_with('\'') || text == "NULL");
                let value = match written {
                    Some(written) if !is_text(&left) => Tree::Atom(quote(&written)),
                    _ => left,
                };
                Ok((call("CAST", vec![value, Tree::Atom(quote(&kind))]), true))
            }
            Some(Token::Number(digits, _)) if digits.starts_with('.') && digits.len() > 1 => {
                self.at += 1;
                let fields = digits[1..].split('.').map(str::to_string);
                Ok((fields.fold(left, |tree, field| Tree::Field(Box::new(tree), field)), true))
            }
            Some(Token::Period) => {
                self.at += 1;
                match self.next()? {
                    Token::Number(digits, _) => Ok((Tree::Field(Box::new(left), digits), true)),
                    Token::Word(word) => {
                        let field = String::from_utf8_lossy(word.value.as_bytes()).into_owned();
                        Ok((call("tupleElement", vec![left, Tree::Atom(quote(&field))]), true))
                    }
                    _ => Err(self.unexpected("the name of an element")),
                }
            }
            _ => Ok((left, false)),
        }
    }

    /// An operator behind a value, with what stands at its right; whether there was one.
    fn operator(&mut self, left: Tree, least: u8) -> Result<(Tree, bool)> {
        let Some(token) = self.token(0).cloned() else { return Ok((left, false)) };
        let simple = match &token {
            Token::Plus => Some(("+", SUM)),
            Token::Minus => Some(("-", SUM)),
            Token::Mul => Some(("*", PRODUCT)),
            Token::Div => Some(("/", PRODUCT)),
            Token::Mod => Some(("%", PRODUCT)),
            Token::Eq | Token::DoubleEq => Some(("=", COMPARISON)),
            Token::Neq => Some(("!=", COMPARISON)),
            Token::Lt => Some(("<", COMPARISON)),
            Token::LtEq => Some(("<=", COMPARISON)),
            Token::Gt => Some((">", COMPARISON)),
            Token::GtEq => Some((">=", COMPARISON)),
            Token::Spaceship => Some(("<=>", COMPARISON)),
            Token::Tilde | Token::ExclamationMarkTilde | Token::TildeAsterisk | Token::ExclamationMarkTildeAsterisk
                if COMPARISON > least =>
            {
                self.at += 1;
                let right = self.above(COMPARISON)?;
                return Ok((call(regexp_function(&token), vec![left, right]), true));
            }
            _ if self.sees("MOD") => Some(("%", PRODUCT)),
            _ => None,
        };
        if let Some((word, precedence)) = simple {
            if precedence <= least {
                return Ok((left, false));
            }
            self.at += 1;
            if precedence == COMPARISON && (self.sees("ANY") || self.sees("ALL")) && self.token(1) == Some(&Token::LParen) {
                return Ok((self.quantified(left, word)?, true));
            }
            return Ok((infix(word, left, self.above(precedence)?), true));
        }
        for (word, precedence) in [("AND", AND), ("OR", OR)] {
            if self.sees(word) && precedence > least {
                return Ok((Tree::Infix(word.to_string(), self.chain(left, precedence, |this| this.eat(word))?), true));
            }
        }
        match token {
            Token::StringConcat if CONCAT > least => {
                let all = self.chain(left, CONCAT, |this| this.eat_token(&Token::StringConcat))?;
                Ok((call("concat", all), true))
            }
            Token::Placeholder(mark) if mark == "?" && TERNARY > least => {
                self.at += 1;
                let yes = self.above(LAMBDA)?;
                self.expect_token(&Token::Colon)?;
                let no = self.above(LAMBDA)?;
                Ok((call("if", vec![left, yes, no]), true))
            }
            Token::Arrow if LAMBDA > least => {
                self.at += 1;
                let parameters = match left {
                    Tree::Parentheses(inner) => *inner,
                    other => other,
                };
                let mut printer = super::print::Printer { one_line: true, out: String::new() };
                printer.tree(&parameters, 0);
                Ok((Tree::Lambda(printer.out, Box::new(self.above(0)?)), true))
            }
            Token::Word(_) => self.word_operator(left, least),
            _ => Ok((left, false)),
        }
    }

    fn chain(&mut self, first: Tree, precedence: u8, mut goes_on: impl FnMut(&mut Self) -> bool) -> Result<Vec<Tree>> {
        let mut all = vec![first];
        while goes_on(self) {
            all.push(self.above(precedence)?);
        }
        Ok(all)
    }

    /// `a = ANY (SELECT …)` is IN.
    fn quantified(&mut self, left: Tree, word: &str) -> Result<Tree> {
        let all = self.sees("ALL");
        let name = match (word, all) {
            ("=", false) => "IN",
            ("!=", true) => "NOT IN",
            _ => return Err(self.unexpected("a value, and not a comparison with a query")),
        };
        self.at += 1;
        let right = self.operand()?;
        Ok(infix(name, left, right))
    }

    fn word_operator(&mut self, left: Tree, least: u8) -> Result<(Tree, bool)> {
        for (words, shown) in [("IS NULL", " IS NULL"), ("IS NOT NULL", " IS NOT NULL")] {
            if IS > least && self.eat(words) {
                return Ok((Tree::Postfix(Box::new(left), shown), true));
            }
        }
        for (words, shown) in [("IS NOT DISTINCT FROM", "<=>"), ("IS DISTINCT FROM", "IS DISTINCT FROM")] {
            if IS > least && self.eat(words) {
                return Ok((infix(shown, left, self.above(IS)?), true));
            }
        }
        let comparisons = COMPARISON > least;
        for words in ["LIKE", "ILIKE", "NOT LIKE", "NOT ILIKE"] {
            if comparisons && self.eat(words) {
                let mut pattern = self.above(COMPARISON)?;
                if self.eat("ESCAPE") {
                    let mut printer = super::print::Printer { one_line: true, out: String::new() };
                    printer.tree(&pattern, 0);
                    printer.out.push_str(" ESCAPE ");
                    printer.tree(&self.operand()?, 0);
                    pattern = Tree::Atom(printer.out);
                }
                return Ok((infix(words, left, pattern), true));
            }
        }
        for words in ["IN", "NOT IN", "GLOBAL IN", "GLOBAL NOT IN"] {
            if comparisons && self.eat(words) {
                let right = self.above(COMPARISON)?;
                return Ok((infix(words, left, set(right)), true));
            }
        }
        if comparisons && self.eat("REGEXP") {
            return Ok((call("match", vec![left, self.above(COMPARISON)?]), true));
        }
        if PRODUCT > least && self.eat("DIV") {
            return Ok((call("intDiv", vec![left, self.above(PRODUCT)?]), true));
        }
        for (words, word, low_word, high_word) in [("BETWEEN", "AND", ">=", "<="), ("NOT BETWEEN", "OR", "<", ">")] {
            if BETWEEN > least && self.eat(words) {
                let low = self.above(BETWEEN)?;
                self.expect("AND")?;
                let high = self.above(BETWEEN)?;
                return Ok((infix(word, infix(low_word, left.clone(), low), infix(high_word, left, high)), true));
            }
        }
        Ok((left, false))
    }

    /// A value without operators, or one behind a sign or NOT.
    pub(super) fn operand(&mut self) -> Result<Tree> {
        let from = self.at;
        match self.next()? {
            Token::Number(digits, _) => literals::number(&digits).map(Tree::Atom).ok_or_else(|| self.unexpected("a number")),
            Token::SingleQuotedString(raw) => Ok(Tree::Atom(literals::text(&raw))),
            Token::DollarQuotedString(dollar) => Ok(Tree::Atom(quote(&dollar.value))),
            // Both `0x41` and `x'41'` are that to the tokenizer.
            Token::HexStringLiteral(digits) if self.written(from).starts_with('0') => {
                let number = literals::number(&format!("0x{digits}"));
                number.map(Tree::Atom).ok_or_else(|| self.unexpected("a number"))
            }
            Token::HexStringLiteral(digits) => Ok(Tree::Atom(literals::bits(&digits, 4))),
            Token::SingleQuotedByteStringLiteral(digits) => Ok(Tree::Atom(literals::bits(&digits, 1))),
            Token::Plus => self.above(MINUS),
            Token::Minus => match self.token(0).cloned() {
                Some(Token::Number(digits, _)) => {
                    self.at += 1;
                    let digits = literals::number(&digits).ok_or_else(|| self.unexpected("a number"))?;
                    Ok(Tree::Atom(format!("-{digits}")))
                }
                Some(Token::Word(word)) if ["inf", "nan"].iter().any(|name| name.eq_ignore_ascii_case(&word.value)) => {
                    self.at += 1;
                    Ok(Tree::Atom(format!("-{}", word.value.to_ascii_lowercase())))
                }
                _ => Ok(Tree::Prefix("-", Box::new(self.above(MINUS)?))),
            },
            Token::LParen => self.in_parentheses(),
            Token::LBracket => Ok(Tree::List("[", self.elements(&Token::RBracket)?, "]")),
            Token::LBrace => self.parameter(from),
            Token::Mul => self.star("*".to_string()),
            Token::AtAt => self.variable(),
            Token::Word(word) => self.word(&word),
            _ => {
                self.at -= 1;
                Err(self.unexpected("a value"))
            }
        }
    }

    /// `{name:Type}`, as it is written.
    fn parameter(&mut self, from: usize) -> Result<Tree> {
        while self.next()? != Token::RBrace {}
        Ok(Tree::Atom(self.written(from).split_whitespace().collect::<Vec<_>>().join(" ")))
    }

    fn in_parentheses(&mut self) -> Result<Tree> {
        if self.sees("SELECT") || self.sees("WITH") || self.sees("FROM") && self.begins_from() {
            let union = self.union()?;
            self.expect_token(&Token::RParen)?;
            return Ok(Tree::Query(Box::new(union)));
        }
        let mut items = Vec::new();
        let mut is_tuple = false;
        while !self.eat_token(&Token::RParen) {
            items.push(self.aliased()?);
            if !self.eat_token(&Token::Comma) {
                self.expect_token(&Token::RParen)?;
                break;
            }
            is_tuple = true;
        }
        Ok(match (items.len(), is_tuple) {
            (0, _) => call("tuple", items),
            (1, true) => call("tuple", items),
            (1, false) => match items.swap_remove(0) {
                // Of several pairs of parentheses one is kept.
                inner @ (Tree::Parentheses(_) | Tree::Query(_)) => inner,
                inner => Tree::Parentheses(Box::new(inner)),
            },
            _ => Tree::List("(", items, ")"),
        })
    }

    /// FROM before SELECT, which may be a column's name.
    fn begins_from(&self) -> bool {
        matches!(self.token(1), Some(Token::Word(_)))
    }

    fn word(&mut self, word: &Word) -> Result<Tree> {
        let quoted = word.quote_style.is_some();
        if !quoted {
            if word.keyword == Keyword::NOT {
                return Ok(Tree::Prefix("NOT ", Box::new(self.above(NOT - 1)?)));
            }
            if let Some(special) = self.special(word)? {
                return Ok(special);
            }
            let lower = word.value.to_ascii_lowercase();
            if matches!(lower.as_str(), "null" | "true" | "false" | "inf" | "nan" | "infinity")
                && !matches!(self.token(0), Some(Token::LParen | Token::Period))
            {
                let shown = if lower == "null" { "NULL".to_string() } else { lower.replace("infinity", "inf") };
                return Ok(Tree::Atom(shown));
            }
        }
        let mut name = identifier(word);
        let mut last = word.value.clone();
        while self.token(0) == Some(&Token::Period) {
            match self.token(1).cloned() {
                Some(Token::Word(part)) => {
                    self.at += 2;
                    name = format!("{name}.{}", identifier(&part));
                    last = part.value;
                }
                Some(Token::Mul) => {
                    self.at += 2;
                    return self.star(format!("{name}.*"));
                }
                _ => break,
            }
        }
        if self.token(0) != Some(&Token::LParen) {
            return Ok(Tree::Atom(name));
        }
        self.at += 1;
        self.call_of(&name, &last)
    }
}

/// The function of `~` and its like.
fn regexp_function(operator: &Token) -> &'static str {
    match operator {
        Token::ExclamationMarkTilde => "notMatch",
        Token::TildeAsterisk => "matchCaseInsensitive",
        Token::ExclamationMarkTildeAsterisk => "notMatchCaseInsensitive",
        _ => "match",
    }
}

/// What stands at the right of IN: a name, and a value alone, in parentheses; no parentheses within those of a list.
fn set(right: Tree) -> Tree {
    let bare = |tree: Tree| match tree {
        Tree::Parentheses(inner) if is_constant(&inner) => *inner,
        other => other,
    };
    match right {
        Tree::Atom(name) => Tree::Parentheses(Box::new(Tree::Atom(name))),
        Tree::Parentheses(inner) => match *inner {
            list @ (Tree::List("(", ..) | Tree::Query(_)) => list,
            inner => Tree::Parentheses(Box::new(bare(inner))),
        },
        Tree::List("(", items, close) => Tree::List("(", items.into_iter().map(bare).collect(), close),
        other => other,
    }
}
