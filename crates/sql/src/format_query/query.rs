//! The clauses of SELECT, and the statements around it: INSERT, EXPLAIN.

use gristmill_base::Result;
use sqlparser::tokenizer::Token;

use super::calls::Calls;
use super::expression::call;
use super::print::Printer;
use super::tree::{GroupBy, Operand, Select, Source, Tree, Union, With};
use super::{Reader, literals};
use crate::tokens::{AFTER_FROM, BEFORE_JOIN, is_word};

/// Words behind a table that are no alias of it.
const BEHIND_TABLE: &[&str] = &["JOIN", "ON", "USING", "FORMAT", "BY", "VALUES", "SELECT", "AS", "WITH"];

impl Reader<'_> {
    /// The whole statement.
    pub(super) fn statement(&mut self, printer: &mut Printer) -> Result<()> {
        let line = if printer.one_line { " " } else { "\n" };
        if self.sees("EXPLAIN") {
            let words = self.skip_explain()?;
            printer.out.push_str(&words);
            printer.out.push_str(line);
            return self.statement(printer);
        }
        if self.eat("INSERT") {
            return self.insert(printer, line);
        }
        let union = self.union()?;
        printer.union(&union, 0);
        if self.at_end() { Ok(()) } else { Err(self.unexpected("the end of the query")) }
    }

    /// EXPLAIN with its kind and settings.
    pub(super) fn skip_explain(&mut self) -> Result<String> {
        self.expect("EXPLAIN")?;
        let mut words = vec!["EXPLAIN".to_string()];
        for kind in ["AST", "SYNTAX", "QUERY TREE", "PLAN", "PIPELINE", "ESTIMATE", "ANALYZE", "LIMIT", "TABLE OVERRIDE"] {
            if self.eat(kind) && kind != "PLAN" {
                words.push(kind.to_string());
            }
        }
        if self.token(1) == Some(&Token::Eq) {
            words.push(self.assignments()?);
        }
        Ok(words.join(" "))
    }

    fn insert(&mut self, printer: &mut Printer, line: &str) -> Result<()> {
        self.eat("INTO");
        self.eat("TABLE");
        printer.out.push_str("INSERT INTO ");
        if self.eat("FUNCTION") {
            printer.out.push_str("FUNCTION ");
        }
        // Parentheses behind a table are those of columns.
        let is_call = printer.out.ends_with("FUNCTION ");
        let name = self.dotted_name()?;
        let target = if is_call && self.eat_token(&Token::LParen) {
            call(&name, self.elements(&Token::RParen)?)
        } else {
            Tree::Atom(name)
        };
        printer.tree(&target, 0);
        if self.token(0) == Some(&Token::LParen) && !self.sees_at(1, "SELECT") && !self.sees_at(1, "WITH") {
            self.at += 1;
            let columns = Tree::List("(", self.elements(&Token::RParen)?, ")");
            printer.out.push(' ');
            printer.tree(&columns, 0);
        }
        let mut between = " ";
        if self.sees("SETTINGS") {
            between = line;
            printer.out.push_str(line);
            let settings = self.settings()?;
            printer.out.push_str(&settings);
        }
        printer.out.push_str(between);
        if self.eat("VALUES") || self.at_end() {
            printer.out.push_str("FORMAT Values");
        } else if self.eat("FORMAT") {
            let name = self.name()?;
            printer.out.push_str(&format!("FORMAT {name}"));
        } else {
            let mut union = self.union()?;
            let tail = std::mem::take(&mut union.tail);
            if self.as_calls {
                union = Calls { analyzed: false }.union(union);
            }
            printer.union(&union, 0);
            tail.iter().for_each(|tail| printer.out.push_str(&format!(" {tail}")));
        }
        Ok(())
    }

    pub(super) fn dotted_name(&mut self) -> Result<String> {
        let mut name = self.name()?;
        while self.eat_token(&Token::Period) {
            name = format!("{name}.{}", self.name()?);
        }
        Ok(name)
    }

    /// SELECTs with what stands between and behind them.
    pub(super) fn union(&mut self) -> Result<Union> {
        let known = self.with_names.len();
        let union = self.union_with_names();
        // They are names within it alone.
        self.with_names.truncate(known);
        union
    }

    fn union_with_names(&mut self) -> Result<Union> {
        let mut union = Union::default();
        loop {
            union.selects.push(self.union_operand()?);
            let Some(operator) = self.union_operator() else { break };
            union.operators.push(operator);
        }
        loop {
            if self.eat("INTO OUTFILE") {
                let from = self.at - 2;
                while !self.at_end() && !self.sees("FORMAT") && !self.sees("SETTINGS") {
                    self.at += 1;
                }
                union.tail.push(self.written(from).to_string());
            } else if self.eat("FORMAT") {
                union.tail.push(format!("FORMAT {}", self.name()?));
            } else if self.sees("SETTINGS") {
                union.tail.push(self.settings()?);
            } else {
                break;
            }
        }
        // Parentheses around one SELECT, or around all of them, say nothing.
        if let (true, [Operand::Union(_)]) = (union.operators.is_empty(), &union.selects[..])
            && let Some(Operand::Union(mut inner)) = union.selects.pop()
        {
            inner.tail.append(&mut union.tail);
            return Ok(inner);
        }
        Ok(union)
    }

    fn union_operator(&mut self) -> Option<String> {
        let word = ["UNION", "INTERSECT", "EXCEPT"].into_iter().find(|word| self.sees(word))?;
        self.at += 1;
        let kind = ["ALL", "DISTINCT"].into_iter().find(|kind| self.eat(kind));
        Some(kind.map_or_else(|| word.to_string(), |kind| format!("{word} {kind}")))
    }

    fn union_operand(&mut self) -> Result<Operand> {
        if !self.eat_token(&Token::LParen) {
            return Ok(Operand::Select(Box::new(self.select()?)));
        }
        let mut inner = self.union()?;
        self.expect_token(&Token::RParen)?;
        let is_one = inner.selects.len() == 1 && inner.tail.is_empty();
        Ok(match inner.selects.pop() {
            Some(Operand::Select(select)) if is_one => Operand::Select(select),
            Some(last) => {
                inner.selects.push(last);
                Operand::Union(inner)
            }
            None => Operand::Union(inner),
        })
    }

    fn select(&mut self) -> Result<Select> {
        let mut select = Select::default();
        if self.eat("WITH") {
            select.recursive = self.eat("RECURSIVE");
            let recursive = select.recursive;
            select.with = self.comma_separated(|this| this.with(recursive))?;
        }
        let from_first = self.sees("FROM");
        if from_first {
            self.from(&mut select)?;
        }
        self.expect("SELECT")?;
        let mut limit_by_keys = Vec::new();
        if self.eat("DISTINCT") {
            select.distinct = true;
            if self.eat("ON") {
                select.distinct = false;
                self.expect_token(&Token::LParen)?;
                limit_by_keys = self.elements(&Token::RParen)?;
            }
        } else {
            self.eat("ALL");
        }
        let top = if self.sees("TOP") && matches!(self.token(1), Some(Token::Number(..))) {
            self.at += 1;
            let count = self.operand()?;
            select.with_ties = self.eat("WITH TIES");
            Some(count)
        } else {
            None
        };
        select.items.push(self.aliased()?);
        while self.eat_token(&Token::Comma) {
            if self.at_end() || self.sees("FROM") && matches!(self.token(1), Some(Token::Word(_) | Token::LParen)) {
                break;
            }
            select.items.push(self.aliased()?);
        }
        if !from_first && self.sees("FROM") {
            self.from(&mut select)?;
        }
        self.clauses(&mut select)?;
        if !limit_by_keys.is_empty() {
            select.limit_by = Some((None, Tree::Atom("1".to_string()), limit_by_keys));
        }
        if top.is_some() {
            select.limit = top;
        }
        Ok(select)
    }

    fn clauses(&mut self, select: &mut Select) -> Result<()> {
        if self.eat("PREWHERE") {
            select.prewhere = Some(self.value()?);
        }
        if self.eat("WHERE") {
            select.condition = Some(self.value()?);
        }
        if self.eat("PREWHERE") {
            select.prewhere = Some(self.value()?);
        }
        if self.eat("GROUP BY") {
            select.group_by = Some(self.group_by()?);
        } else if self.sees_all("WITH TOTALS") {
            select.group_by = Some(GroupBy { modifiers: self.group_modifiers(), ..GroupBy::default() });
        }
        if self.eat("HAVING") {
            select.having = Some(self.value()?);
        }
        if self.eat("WINDOW") {
            select.windows = self.comma_separated(|this| {
                let name = this.name()?;
                this.expect("AS")?;
                Ok((name, this.window()?))
            })?;
        }
        if self.eat("QUALIFY") {
            select.qualify = Some(self.value()?);
        }
        if self.eat("ORDER BY") {
            select.order_by = self.comma_separated(Self::key)?;
            if self.eat("INTERPOLATE") {
                select.interpolate = Some(self.interpolate()?);
            }
        }
        self.limits(select)?;
        if self.sees("SETTINGS") {
            select.settings = Some(self.settings()?);
        }
        Ok(())
    }

    /// `INTERPOLATE (b AS b + 1)`: the name stands before AS here.
    fn interpolate(&mut self) -> Result<Vec<Tree>> {
        if !self.eat_token(&Token::LParen) {
            return Ok(Vec::new());
        }
        let mut all = Vec::new();
        while !self.eat_token(&Token::RParen) {
            let name = self.name()?;
            let quoted = if name.starts_with('`') { name } else { format!("`{name}`") };
            let value = if self.eat("AS") { self.value()? } else { Tree::Atom(quoted.clone()) };
            let mut printer = Printer { one_line: true, out: format!("{quoted} AS ") };
            printer.tree(&value, 0);
            all.push(Tree::Atom(printer.out));
            self.eat_token(&Token::Comma);
        }
        Ok(all)
    }

    fn limits(&mut self, select: &mut Select) -> Result<()> {
        while self.sees("LIMIT") || self.sees("OFFSET") || self.sees("FETCH") {
            if self.eat("OFFSET") {
                select.offset = Some(self.value()?);
                let _ = self.eat("ROWS") || self.eat("ROW");
                continue;
            }
            if self.eat("FETCH") {
                let _ = self.eat("FIRST") || self.eat("NEXT");
                select.limit = Some(self.value()?);
                let _ = self.eat("ROWS") || self.eat("ROW");
                select.with_ties = !self.eat("ONLY") && self.eat("WITH TIES");
                continue;
            }
            self.expect("LIMIT")?;
            let first = self.value()?;
            let (offset, length) = if self.eat_token(&Token::Comma) {
                (Some(first), self.value()?)
            } else if self.eat("OFFSET") {
                (Some(self.value()?), first)
            } else {
                (None, first)
            };
            if self.eat("BY") {
                select.limit_by = Some((offset, length, self.comma_separated(Self::aliased)?));
                continue;
            }
            (select.offset, select.limit) = (offset, Some(length));
            select.with_ties = self.eat("WITH TIES");
        }
        Ok(())
    }

    fn with(&mut self, recursive: bool) -> Result<With> {
        let from = self.at;
        if let Some(Token::Word(_)) = self.token(0) {
            let mut name = self.name()?;
            if self.token(0) == Some(&Token::LParen) && self.sees_all_behind_list() {
                self.at += 1;
                let columns = self.elements(&Token::RParen)?;
                let mut printer = Printer { one_line: true, out: name };
                printer.tree(&Tree::List("(", columns, ")"), 0);
                name = printer.out;
            }
            let words =
                [(" AS MATERIALIZED", "AS MATERIALIZED"), (" AS NOT MATERIALIZED", "AS NOT MATERIALIZED"), (" AS", "AS")];
            for (shown, word) in words {
                let far = word.split(' ').count();
                if self.sees_all(word) && self.token(far) == Some(&Token::LParen) {
                    self.at += far + 1;
                    let own = name.split('(').next().unwrap_or_default().trim_end().to_string();
                    if recursive {
                        self.with_names.push(own.clone());
                    }
                    let union = self.union()?;
                    self.expect_token(&Token::RParen)?;
                    self.with_names.push(own);
                    return Ok(With::Table(name, shown, union));
                }
            }
            self.at = from;
        }
        Ok(With::Value(self.aliased()?))
    }

    /// Whether `(a, b)` begins here with AS and a query behind it.
    fn sees_all_behind_list(&self) -> bool {
        let mut far = 0;
        while !matches!(self.token(far), None | Some(Token::RParen)) {
            far += 1;
        }
        self.sees_at(far + 1, "AS") && self.token(far + 2) == Some(&Token::LParen)
    }

    fn from(&mut self, select: &mut Select) -> Result<()> {
        self.expect("FROM")?;
        let mut word = None;
        loop {
            select.from.push(self.table(word)?);
            loop {
                if self.eat_token(&Token::Comma) {
                    word = Some(",".to_string());
                    break;
                }
                let (words, length) = self.join_words();
                if length == 0 {
                    return Ok(());
                }
                self.at += length;
                let has = |wanted: &str| words.iter().any(|word| word == wanted);
                if has("ARRAY") {
                    let arrays = self.comma_separated(Self::aliased)?;
                    select.from.push(Source::ArrayJoin(has("LEFT"), arrays));
                    continue;
                }
                let mut shown: Vec<&str> = ["GLOBAL", "LOCAL"].into_iter().filter(|word| has(word)).collect();
                shown.extend(["ANY", "ALL", "ASOF", "SEMI", "ANTI"].into_iter().filter(|word| has(word)));
                let exists = has("SEMI") || has("ANTI");
                shown.push(match () {
                    () if has("CROSS") => "CROSS",
                    () if has("PASTE") => "PASTE",
                    () if has("FULL") => "FULL OUTER",
                    () if has("RIGHT") => "RIGHT",
                    () if has("LEFT") || exists => "LEFT",
                    () => "INNER",
                });
                shown.push("JOIN");
                word = Some(shown.join(" "));
                break;
            }
        }
    }

    /// The words up to JOIN, and how many they are with it; 0: no join begins here.
    fn join_words(&self) -> (Vec<String>, usize) {
        let mut words = Vec::new();
        let before = |token: &Token| BEFORE_JOIN.iter().find(|word| is_word(token, word)).map(ToString::to_string);
        while let Some(word) = self.token(words.len()).and_then(before) {
            words.push(word);
        }
        let length = if self.sees_at(words.len(), "JOIN") { words.len() + 1 } else { 0 };
        (words, length)
    }

    fn table(&mut self, word: Option<String>) -> Result<Source> {
        let table = match self.token(0) {
            Some(Token::LParen) => {
                self.at += 1;
                let union = self.union()?;
                self.expect_token(&Token::RParen)?;
                Tree::Query(Box::new(union))
            }
            Some(Token::LBrace) => self.operand()?,
            _ => {
                let name = self.dotted_name()?;
                match self.eat_token(&Token::LParen) {
                    true if self.sees("SELECT") || self.sees("WITH") => {
                        let union = self.union()?;
                        self.expect_token(&Token::RParen)?;
                        call(&name, vec![Tree::Query(Box::new(union))])
                    }
                    true => call(&name, self.elements(&Token::RParen)?),
                    false => Tree::Atom(self.qualified(name)),
                }
            }
        };
        let clauses: Vec<&str> = AFTER_FROM.iter().chain(BEFORE_JOIN).chain(BEHIND_TABLE).copied().collect();
        let table = self.alias_of(table, &clauses)?;
        let is_final = self.eat("FINAL");
        let sample = match self.eat("SAMPLE") {
            false => None,
            true => {
                let size = self.ratio()?;
                let offset = if self.eat("OFFSET") { Some(self.ratio()?) } else { None };
                Some((size, offset))
            }
        };
        let on = if self.eat("ON") { Some(self.value()?) } else { None };
        let using = match self.eat("USING") {
            false => None,
            true if self.eat_token(&Token::LParen) => Some(self.elements(&Token::RParen)?),
            true => {
                let name = |this: &mut Self| this.dotted_name().map(Tree::Atom);
                Some(self.comma_separated(name)?)
            }
        };
        Ok(Source::Table { word, table, is_final, sample, on, using })
    }

    /// The name of a table with the database that it is of, where that is to be shown.
    fn qualified(&self, name: String) -> String {
        match &self.database {
            Some(database) if !name.contains('.') && !self.with_names.contains(&name) => format!("{database}.{name}"),
            _ => name,
        }
    }

    /// A size of SAMPLE, whose fractions are shown as ratios.
    fn ratio(&mut self) -> Result<Tree> {
        if let Some(Token::Number(digits, _)) = self.token(0)
            && let Some((whole, decimals)) = digits.split_once('.')
            && let (Ok(part), Some(all)) =
                (format!("{whole}{decimals}").parse::<u64>(), 10u64.checked_pow(decimals.len() as u32))
            && all > 1
        {
            self.at += 1;
            return Ok(Tree::Atom(format!("{part} / {all}")));
        }
        self.value()
    }

    fn group_by(&mut self) -> Result<GroupBy> {
        let mut group_by = GroupBy::default();
        if self.eat("GROUPING SETS") {
            self.expect_token(&Token::LParen)?;
            let mut sets = Vec::new();
            while !self.eat_token(&Token::RParen) {
                sets.push(match self.eat_token(&Token::LParen) {
                    true => self.elements(&Token::RParen)?,
                    false => vec![self.aliased()?],
                });
                self.eat_token(&Token::Comma);
            }
            group_by.sets = Some(sets);
        } else if self.eat("ALL") {
            group_by.all = true;
        } else {
            for (word, modifier) in [("ROLLUP", "WITH ROLLUP"), ("CUBE", "WITH CUBE")] {
                if self.sees(word) && self.token(1) == Some(&Token::LParen) {
                    self.at += 2;
                    group_by.keys = self.elements(&Token::RParen)?;
                    group_by.modifiers.push(modifier);
                }
            }
            if group_by.modifiers.is_empty() {
                group_by.keys = self.comma_separated(Self::aliased)?;
            }
        }
        group_by.modifiers.extend(self.group_modifiers());
        Ok(group_by)
    }

    fn group_modifiers(&mut self) -> Vec<&'static str> {
        let mut all = Vec::new();
        while let Some(modifier) = ["WITH ROLLUP", "WITH CUBE", "WITH TOTALS"].into_iter().find(|words| self.eat(words)) {
            all.push(modifier);
        }
        all
    }

    /// With the word SETTINGS.
    pub(super) fn settings(&mut self) -> Result<String> {
        self.expect("SETTINGS")?;
        Ok(format!("SETTINGS {}", self.assignments()?))
    }

    pub(super) fn assignments(&mut self) -> Result<String> {
        let all = self.comma_separated(|this| {
            let name = this.name()?;
            this.expect_token(&Token::Eq)?;
            let mut printer = Printer { one_line: true, out: format!("{name} = ") };
            let value = this.value_of_setting()?;
            printer.tree(&value, 0);
            Ok(printer.out)
        })?;
        Ok(all.join(", "))
    }

    fn value_of_setting(&mut self) -> Result<Tree> {
        Ok(match self.token(0).cloned() {
            Some(Token::SingleQuotedString(raw)) => {
                self.at += 1;
                Tree::Atom(literals::text(&raw))
            }
            // A name within braces is that of a parameter.
            Some(Token::LBrace) if matches!(self.token(1), Some(Token::SingleQuotedString(_))) => {
                self.at += 1;
                let pairs = self.comma_separated(|this| {
                    let key = this.value_of_setting()?;
                    this.expect_token(&Token::Colon)?;
                    let value = this.value_of_setting()?;
                    let mut printer = Printer { one_line: true, out: String::new() };
                    printer.tree(&key, 0);
                    printer.out.push(':');
                    printer.tree(&value, 0);
                    Ok(printer.out)
                })?;
                self.expect_token(&Token::RBrace)?;
                Tree::Atom(format!("{{{}}}", pairs.join(", ")))
            }
            Some(word) if is_word(&word, "DEFAULT") => {
                self.at += 1;
                Tree::Atom("DEFAULT".to_string())
            }
            _ => self.operand()?,
        })
    }
}
