//! Calls, and what has a syntax of its own and is shown as a call: CASE, CAST, INTERVAL, EXTRACT, TRIM, …; stars; windows.

use gristmill_base::Result;
use gristmill_types::IntervalKind;
use gristmill_types::sql_type::{quote, quote_identifier};
use sqlparser::tokenizer::{Token, Word};

use super::expression::{call, identifier};
use super::tree::{Call, Key, Over, Tree, Window};
use super::{Reader, literals};
use crate::intervals;

/// `Day` of DAY, DAYS, 'day'.
fn unit(word: &str) -> Option<&'static str> {
    intervals::unit(word).map(IntervalKind::name)
}

/// `f(x, y -> x + y, a)`: the names before a lambda are its parameters.
fn parameters_together(arguments: &mut Vec<Tree>) {
    let is_name = |tree: &Tree| matches!(tree, Tree::Atom(name) if name.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '`'));
    let Some(at) = arguments.iter().position(|tree| matches!(tree, Tree::Lambda(..))) else { return };
    if at == 0 || !arguments[..at].iter().all(is_name) {
        return;
    }
    let names = arguments.drain(..at).filter_map(|tree| if let Tree::Atom(name) = tree { Some(name) } else { None });
    let mut names: Vec<String> = names.collect();
    if let Some(Tree::Lambda(last, _)) = arguments.first_mut() {
        names.push(std::mem::take(last));
        *last = format!("({})", names.join(", "));
    }
}

impl Reader<'_> {
    /// What is no name or call although it begins with a word. `None`: it is one.
    pub(super) fn special(&mut self, word: &Word) -> Result<Option<Tree>> {
        let lower = word.value.to_ascii_lowercase();
        let opens = self.token(0) == Some(&Token::LParen);
        Ok(Some(match lower.as_str() {
            "case" => self.case()?,
            "cast" if opens => self.cast()?,
            "interval" if !opens && !self.ends_value() => self.interval()?,
            "date" | "timestamp" => {
                let Some(Token::SingleQuotedString(raw)) = self.token(0).cloned() else { return Ok(None) };
                self.at += 1;
                call(if lower == "date" { "toDate" } else { "toDateTime" }, vec![Tree::Atom(literals::text(&raw))])
            }
            "extract" if opens && self.sees_at(2, "FROM") => {
                self.at += 1;
                let Token::Word(field) = self.next()? else { return Err(self.unexpected("a unit")) };
                self.expect("FROM")?;
                let value = self.value()?;
                self.expect_token(&Token::RParen)?;
                self.part_of(&field.value, value)?
            }
            "date_part" | "datepart" if opens => {
                self.at += 1;
                let Token::SingleQuotedString(part) = self.next()? else { return Err(self.unexpected("a unit")) };
                self.expect_token(&Token::Comma)?;
                let value = self.value()?;
                self.expect_token(&Token::RParen)?;
                self.part_of(&part, value)?
            }
            "trim" if opens => self.trim()?,
            "substring" | "position" if opens => {
                let name = lower.clone();
                self.at += 1;
                // IN divides what is looked for from where.
                let first = self.above(9)?;
                let divided = match name.as_str() {
                    "position" if self.eat("IN") => vec![self.value()?, first],
                    "substring" if self.eat("FROM") => {
                        let mut all = vec![first, self.value()?];
                        if self.eat("FOR") {
                            all.push(self.value()?);
                        }
                        all
                    }
                    _ => {
                        let mut all = vec![first];
                        while self.eat_token(&Token::Comma) {
                            all.push(self.aliased()?);
                        }
                        all
                    }
                };
                self.expect_token(&Token::RParen)?;
                call(&word.value, divided)
            }
            "exists" if opens => {
                let query = self.operand()?;
                call("exists", vec![query])
            }
            "columns" if opens => {
                self.at += 1;
                let inner = self.elements(&Token::RParen)?;
                let mut printer = super::print::Printer { one_line: true, out: String::new() };
                printer.tree(&call("COLUMNS", inner), 0);
                self.star(printer.out)?
            }
            _ => return Ok(None),
        }))
    }

    /// The functions of a part of a date.
    fn part_of(&self, part: &str, date: Tree) -> Result<Tree> {
        let atom = |text: &str| Tree::Atom(text.to_string());
        let year = |date: Tree| call("__toYearCalendarOnly", vec![date]);
        Ok(match (part.to_ascii_lowercase().as_str(), unit(part)) {
            ("epoch", _) => call("toUnixTimestamp", vec![date]),
            ("dow", _) => call("toDayOfWeek", vec![date, atom("2")]),
            ("isodow", _) => call("toDayOfWeek", vec![date]),
            ("doy", _) => call("toDayOfYear", vec![date]),
            ("isoyear", _) => call("toISOYear", vec![date]),
            ("decade", _) => call("intDiv", vec![year(date), atom("10")]),
            ("century", _) => {
                let before = call("minus", vec![year(date), atom("1")]);
                call("plus", vec![call("intDiv", vec![before, atom("100")]), atom("1")])
            }
            (_, Some("Day")) => call("toDayOfMonth", vec![date]),
            (_, Some("Week")) => call("toISOWeek", vec![date]),
            (_, Some(unit)) => call(&format!("to{unit}"), vec![date]),
            (_, None) => return Err(self.unexpected("a part of a date")),
        })
    }

    fn ends_value(&self) -> bool {
        matches!(self.token(0), None | Some(Token::Comma | Token::RParen | Token::Period | Token::Eq))
    }

    fn case(&mut self) -> Result<Tree> {
        let operand = if self.sees("WHEN") { None } else { Some(self.value()?) };
        let has_operand = operand.is_some();
        let mut all: Vec<Tree> = operand.into_iter().collect();
        while self.eat("WHEN") {
            all.push(self.value()?);
            self.expect("THEN")?;
            all.push(self.value()?);
        }
        all.push(if self.eat("ELSE") { self.value()? } else { Tree::Atom("NULL".to_string()) });
        self.expect("END")?;
        Ok(call(if has_operand { "caseWithExpression" } else { "multiIf" }, all))
    }

    fn cast(&mut self) -> Result<Tree> {
        self.at += 1;
        let value = self.value()?;
        let kind = match self.eat("AS") {
            true => Tree::Atom(quote(&self.kind()?)),
            false => {
                self.expect_token(&Token::Comma)?;
                self.value()?
            }
        };
        self.expect_token(&Token::RParen)?;
        Ok(call("CAST", vec![value, kind]))
    }

    /// A type's name with its arguments.
    pub(super) fn kind(&mut self) -> Result<String> {
        let Token::Word(word) = self.next()? else { return Err(self.unexpected("a type")) };
        let mut out = identifier(&word);
        for second in ["PRECISION", "UNSIGNED", "SIGNED", "VARYING"] {
            if self.eat(second) {
                out = format!("{out} {second}");
            }
        }
        if !self.eat_token(&Token::LParen) {
            return Ok(out);
        }
        let mut arguments: Vec<String> = Vec::new();
        while !self.eat_token(&Token::RParen) {
            let argument = match (self.token(0).cloned(), self.token(1)) {
                (Some(Token::Word(name)), Some(Token::Word(_))) => {
                    self.at += 1;
                    format!("{} {}", identifier(&name), self.kind()?)
                }
                (Some(Token::Word(_)), _) => self.kind()?,
                _ => {
                    let mut printer = super::print::Printer { one_line: true, out: String::new() };
                    printer.tree(&self.value()?, 0);
                    printer.out
                }
            };
            arguments.push(argument);
            if !self.eat_token(&Token::Comma) {
                self.expect_token(&Token::RParen)?;
                break;
            }
        }
        Ok(format!("{out}({})", arguments.join(", ")))
    }

    /// `INTERVAL 1 DAY`, `INTERVAL '1 day'`
    fn interval(&mut self) -> Result<Tree> {
        if let Some(Token::SingleQuotedString(raw)) = self.token(0).cloned() {
            let words: Vec<&str> = raw.split_ascii_whitespace().collect();
            let pairs = words.chunks(2).map(|pair| match pair {
                [digits, word] => Some(call(&format!("toInterval{}", unit(word)?), vec![Tree::Atom((*digits).to_string())])),
                _ => None,
            });
            if let Some(mut intervals) = pairs.collect::<Option<Vec<Tree>>>().filter(|intervals| !intervals.is_empty()) {
                self.at += 1;
                return Ok(if intervals.len() == 1 { intervals.swap_remove(0) } else { Tree::List("(", intervals, ")") });
            }
        }
        let value = self.value()?;
        let unit = match self.next()? {
            Token::Word(word) => unit(&word.value),
            _ => None,
        };
        let unit = unit.ok_or_else(|| self.unexpected("a unit of INTERVAL"))?;
        Ok(call(&format!("toInterval{unit}"), vec![value]))
    }

    /// `TRIM(BOTH ' ' FROM x)`, `trim(x)`
    fn trim(&mut self) -> Result<Tree> {
        self.at += 1;
        let sides = [("BOTH", "trimBoth"), ("LEADING", "trimLeft"), ("TRAILING", "trimRight")];
        let side = sides.into_iter().find(|(word, _)| self.eat(word));
        let name = side.map_or("trimBoth", |(_, name)| name);
        let first = self.value()?;
        let arguments = if side.is_some() || self.sees("FROM") {
            self.expect("FROM")?;
            vec![self.value()?, first]
        } else if self.eat_token(&Token::Comma) {
            vec![first, self.value()?]
        } else {
            vec![first]
        };
        self.expect_token(&Token::RParen)?;
        Ok(call(name, arguments))
    }

    /// `@@version`, `@@session.version`
    pub(super) fn variable(&mut self) -> Result<Tree> {
        if (self.sees("SESSION") || self.sees("GLOBAL")) && self.token(1) == Some(&Token::Period) {
            self.at += 2;
        }
        let Token::Word(word) = self.next()? else { return Err(self.unexpected("the name of a variable")) };
        let variable = call("globalVariable", vec![Tree::Atom(quote(&word.value))]);
        Ok(Tree::Alias(Box::new(variable), quote_identifier(&format!("@@{}", word.value))))
    }

    /// From behind the parenthesis of a call. `shown`: the name as it is printed.
    pub(super) fn call_of(&mut self, shown: &str, name: &str) -> Result<Tree> {
        let distinct = self.eat("DISTINCT");
        let mut arguments = if self.sees("SELECT") || self.sees("WITH") {
            let union = self.union()?;
            self.expect_token(&Token::RParen)?;
            vec![Tree::Query(Box::new(union))]
        } else {
            self.elements(&Token::RParen)?
        };
        parameters_together(&mut arguments);
        let lower = name.to_ascii_lowercase();
        let mut shown = shown.to_string();
        match (lower.as_str(), &arguments[..]) {
            ("datediff" | "date_diff" | "timestampdiff" | "timestamp_diff", _) => {
                shown = "dateDiff".to_string();
                unit_as_text(&mut arguments);
            }
            ("ltrim", _) => shown = "trimLeft".to_string(),
            ("rtrim", _) => shown = "trimRight".to_string(),
            ("date_add" | "dateadd" | "timestampadd" | "timestamp_add", [..]) => {
                return Ok(shifted("plus", &arguments).unwrap_or_else(|| call(&shown, arguments)));
            }
            ("date_sub" | "datesub" | "timestampsub" | "timestamp_sub", [..]) => {
                return Ok(shifted("minus", &arguments).unwrap_or_else(|| call(&shown, arguments)));
            }
            _ => {}
        }
        let mut parameters = None;
        let mut distinct = distinct;
        if self.eat_token(&Token::LParen) {
            parameters = Some(std::mem::take(&mut arguments));
            distinct |= self.eat("DISTINCT");
            arguments = self.elements(&Token::RParen)?;
        }
        if distinct {
            shown.push_str("Distinct");
        }
        let mut nulls = None;
        for (words, text) in [("IGNORE NULLS", " IGNORE NULLS"), ("RESPECT NULLS", " RESPECT NULLS")] {
            if self.eat(words) {
                nulls = Some(text);
            }
        }
        if self.sees("FILTER") && self.token(1) == Some(&Token::LParen) {
            self.at += 2;
            self.expect("WHERE")?;
            arguments.push(self.value()?);
            self.expect_token(&Token::RParen)?;
            shown.push_str("If");
        }
        let over = match self.eat("OVER") {
            false => None,
            true if self.token(0) == Some(&Token::LParen) => Some(Over::Window(self.window()?)),
            true => Some(Over::Named(self.name()?)),
        };
        Ok(Tree::Call(Box::new(Call { name: shown, parameters, arguments, nulls, over })))
    }

    /// With its parentheses.
    pub(super) fn window(&mut self) -> Result<Window> {
        self.expect_token(&Token::LParen)?;
        let mut window = Window::default();
        let is_clause = ["PARTITION", "ORDER", "ROWS", "RANGE", "GROUPS"].iter().any(|word| self.sees(word));
        if !is_clause && matches!(self.token(0), Some(Token::Word(_))) {
            window.base = Some(self.name()?);
        }
        if self.eat("PARTITION BY") {
            window.partition_by = self.comma_separated(Self::aliased)?;
        }
        if self.eat("ORDER BY") {
            window.order_by = self.comma_separated(Self::key)?;
        }
        for kind in ["ROWS", "RANGE", "GROUPS"] {
            if self.eat(kind) {
                let between = self.eat("BETWEEN");
                let start = self.bound()?;
                let end = if between {
                    self.expect("AND")?;
                    self.bound()?
                } else {
                    "CURRENT ROW".to_string()
                };
                window.frame = Some(format!("{kind} BETWEEN {start} AND {end}"));
            }
        }
        self.expect_token(&Token::RParen)?;
        Ok(window)
    }

    fn bound(&mut self) -> Result<String> {
        for words in ["CURRENT ROW", "UNBOUNDED PRECEDING", "UNBOUNDED FOLLOWING"] {
            if self.eat(words) {
                return Ok(words.to_string());
            }
        }
        let mut printer = super::print::Printer { one_line: true, out: String::new() };
        printer.tree(&self.above(10)?, 0);
        let side = if self.eat("PRECEDING") { "PRECEDING" } else { "FOLLOWING" };
        if side == "FOLLOWING" {
            self.expect("FOLLOWING")?;
        }
        Ok(format!("{} {side}", printer.out))
    }

    /// What follows a star.
    pub(super) fn star(&mut self, star: String) -> Result<Tree> {
        let mut steps: Vec<(&'static str, Vec<Tree>, bool)> = Vec::new();
        loop {
            if (self.sees("EXCEPT") || self.sees("EXCLUDE")) && !self.begins_query_behind_except() {
                self.at += 1;
                let word = if self.eat("STRICT") { "EXCEPT STRICT" } else { "EXCEPT" };
                let items = self.bracketed_or_one()?;
                steps.push((word, items.clone(), items.len() > 1));
            } else if self.sees("REPLACE") {
                self.at += 1;
                let word = if self.eat("STRICT") { "REPLACE STRICT" } else { "REPLACE" };
                steps.push((word, self.bracketed_or_one()?, true));
            } else if self.eat("APPLY") {
                let items = match self.eat_token(&Token::LParen) {
                    true => self.elements(&Token::RParen)?,
                    false => vec![self.operand()?],
                };
                let is_lambda = matches!(items.first(), Some(Tree::Lambda(..)));
                steps.push(("APPLY", items, is_lambda));
            } else {
                break;
            }
        }
        Ok(if steps.is_empty() { Tree::Atom(star) } else { Tree::Star(star, steps) })
    }

    fn begins_query_behind_except(&self) -> bool {
        let far = if self.token(1) == Some(&Token::LParen) { 2 } else { 1 };
        ["SELECT", "WITH", "ALL", "DISTINCT"].iter().any(|word| self.sees_at(far, word))
    }

    fn bracketed_or_one(&mut self) -> Result<Vec<Tree>> {
        match self.eat_token(&Token::LParen) {
            true => self.elements(&Token::RParen),
            false => Ok(vec![self.aliased()?]),
        }
    }

    pub(super) fn comma_separated<T>(&mut self, mut one: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut all = vec![one(self)?];
        while self.eat_token(&Token::Comma) {
            all.push(one(self)?);
        }
        Ok(all)
    }

    /// An element of ORDER BY.
    pub(super) fn key(&mut self) -> Result<Key> {
        let all = self.sees("ALL") && self.token(1) != Some(&Token::LParen) && self.eat("ALL");
        let tree = if all { Tree::Atom("ALL".to_string()) } else { self.aliased()? };
        let descending = self.eat("DESC") || self.eat("DESCENDING");
        if !descending {
            let _ = self.eat("ASC") || self.eat("ASCENDING");
        }
        let mut direction = if descending { " DESC" } else { " ASC" }.to_string();
        for words in ["NULLS FIRST", "NULLS LAST"] {
            if self.eat(words) {
                direction = format!("{direction} {words}");
            }
        }
        if self.eat("COLLATE") {
            let Token::SingleQuotedString(raw) = self.next()? else { return Err(self.unexpected("a collation")) };
            direction = format!("{direction} COLLATE {}", literals::text(&raw));
        }
        let mut fill = None;
        if self.eat("WITH FILL") {
            let mut bounds = Vec::new();
            for word in ["FROM", "TO", "STEP", "STALENESS"] {
                if self.eat(word) {
                    bounds.push((word, self.value()?));
                }
            }
            fill = Some(bounds);
        }
        Ok(Key { tree, direction, fill })
    }
}

/// `dateDiff(day, a, b)`: the unit is a text.
fn unit_as_text(arguments: &mut [Tree]) {
    if let Some(Tree::Atom(name)) = arguments.first_mut()
        && !name.starts_with('\'')
        && unit(name).is_some()
    {
        *name = quote(&name.to_ascii_lowercase());
    }
}

/// `date_add(day, 1, x)` is `plus(x, toIntervalDay(1))`. `None`: the call is of another form.
fn shifted(name: &str, arguments: &[Tree]) -> Option<Tree> {
    match arguments {
        [Tree::Atom(word), amount, value] => {
            let unit = unit(word.trim_matches('\''))?;
            Some(call(name, vec![value.clone(), call(&format!("toInterval{unit}"), vec![amount.clone()])]))
        }
        [first, second] => Some(call(name, vec![first.clone(), second.clone()])),
        _ => None,
    }
}
