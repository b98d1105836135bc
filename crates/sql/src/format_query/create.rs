//! CREATE TABLE: columns a line each, clauses in ClickHouse's order; expressions as calls, as EXPLAIN SYNTAX shows them, or as
//! they are written, and then views too.

use gristmill_base::Result;
use gristmill_types::sql_type::quote_backticks;
use sqlparser::tokenizer::Token;

use super::calls::Calls;
use super::expression::call;
use super::print::Printer;
use super::tree::{Key, Operand, Tree};
use super::{Reader, literals};

/// Clauses behind the columns, in the order in which they are shown.
const CLAUSES: [&str; 8] = ["ENGINE", "PARTITION BY", "PRIMARY KEY", "ORDER BY", "SAMPLE BY", "TTL", "SETTINGS", "COMMENT"];

/// Words behind a column's type, in the order in which they are shown.
const PROPERTIES: [&str; 6] = ["DEFAULT", "COMMENT", "CODEC", "STATISTICS", "TTL", "SETTINGS"];

/// What is said, each with the word's place among those above.
#[derive(Default)]
struct Said(Vec<(usize, String)>);

impl Said {
    fn push(&mut self, words: &[&str], word: &str, text: String) {
        let place = words.iter().position(|known| *known == word).unwrap_or(words.len());
        self.0.push((place, text));
    }

    fn ordered(mut self) -> impl Iterator<Item = String> {
        self.0.sort_by_key(|(place, _)| *place);
        self.0.into_iter().map(|(_, text)| text)
    }
}

impl Reader<'_> {
    /// From the word CREATE on. Errors: SYNTAX_ERROR, for what has no layout here as well: AS SELECT where expressions are calls.
    pub(super) fn create_table(&mut self, one_line: bool) -> Result<String> {
        let line = if one_line { " " } else { "\n" };
        let mut out = "CREATE".to_string();
        self.expect("CREATE")?;
        let of_views: &[&str] = if self.as_calls { &[] } else { &["MATERIALIZED", "VIEW"] };
        for words in ["OR REPLACE", "TEMPORARY"].iter().chain(of_views).chain(&["TABLE", "IF NOT EXISTS"]) {
            if self.eat(words) {
                out = format!("{out} {words}");
            }
        }
        out = format!("{out} {}", self.dotted_name()?);
        if self.eat("TO") {
            out = format!("{out} TO {}", self.dotted_name()?);
        }
        if self.eat("ON CLUSTER") {
            out = format!("{out} ON CLUSTER {}", self.name()?);
        }
        let mut clauses = Said::default();
        if self.eat_token(&Token::LParen) {
            let mut elements = Vec::new();
            loop {
                if self.eat("PRIMARY KEY") {
                    let key = self.sorting_key()?;
                    clauses.push(&CLAUSES, "PRIMARY KEY", format!("PRIMARY KEY {key}"));
                } else {
                    let element = self.table_element(one_line)?;
                    if !self.as_calls && !one_line && element.contains("Tuple(") {
                        return Err(self.unexpected("types of one line"));
                    }
                    elements.push(element);
                }
                if !self.eat_token(&Token::Comma) {
                    break;
                }
            }
            self.expect_token(&Token::RParen)?;
            out = match one_line {
                true => format!("{out} ({})", elements.join(", ")),
                false => format!("{out}\n(\n    {}\n)", elements.join(",\n    ")),
            };
        }
        for words in ["CLONE AS", "AS"] {
            if self.sees_all(words) && !self.sees_query_behind_as() {
                self.eat(words);
                out = format!("{out} {words} {}", self.table_or_call()?);
            }
        }
        let mut populates = false;
        while !self.at_end() && (self.as_calls || !self.sees("AS")) {
            match !self.as_calls && self.eat("POPULATE") {
                true => populates = true,
                false => self.table_clause(&mut clauses)?,
            }
        }
        for clause in clauses.ordered() {
            out = format!("{out}{line}{clause}");
        }
        if populates {
            out.push_str(" POPULATE");
        }
        if self.eat("AS") {
            let mut printer = Printer { one_line, out: format!("{out}{line}AS ") };
            let union = self.union()?;
            printer.union(&union, 0);
            for tail in &union.tail {
                printer.out.push_str(line);
                printer.out.push_str(tail);
            }
            out = printer.out;
        }
        if self.at_end() { Ok(out) } else { Err(self.unexpected("the end of the statement")) }
    }

    fn sees_query_behind_as(&self) -> bool {
        self.token(1) == Some(&Token::LParen) || self.sees_at(1, "SELECT") || self.sees_at(1, "WITH")
    }

    fn table_or_call(&mut self) -> Result<String> {
        let name = self.dotted_name()?;
        match self.eat_token(&Token::LParen) {
            true => {
                let arguments = self.elements(&Token::RParen)?;
                Ok(self.shown(call(&name, arguments)))
            }
            false => Ok(name),
        }
    }

    fn shown_value(&mut self) -> Result<String> {
        let value = self.value()?;
        Ok(self.shown(value))
    }

    /// With its operators as calls, or as it is written.
    fn shown(&self, mut tree: Tree) -> String {
        if self.as_calls {
            Calls { analyzed: false }.element(&mut tree);
        }
        let mut printer = Printer { one_line: true, out: String::new() };
        printer.tree(&tree, 0);
        printer.out
    }

    fn table_element(&mut self, one_line: bool) -> Result<String> {
        if self.sees("INDEX") && matches!(self.token(1), Some(Token::Word(_))) && self.eat("INDEX") {
            let (name, expression) = (self.name()?, self.shown_value()?);
            self.expect("TYPE")?;
            let kind = self.table_or_call()?;
            let granularity = if self.eat("GRANULARITY") { self.shown_value()? } else { "1".to_string() };
            return Ok(format!("INDEX {name} {expression} TYPE {kind} GRANULARITY {granularity}"));
        }
        if self.eat("CONSTRAINT") {
            let name = self.name()?;
            let word = if self.eat("ASSUME") { "ASSUME" } else { "CHECK" };
            self.eat("CHECK");
            return Ok(format!("CONSTRAINT {name} {word} {}", self.shown_value()?));
        }
        if self.sees("PROJECTION") && self.token(2) == Some(&Token::LParen) && self.eat("PROJECTION") {
            let name = self.name()?;
            self.expect_token(&Token::LParen)?;
            let mut union = self.union()?;
            union.selects.iter_mut().for_each(order_as_values);
            if self.as_calls {
                union = Calls { analyzed: false }.union(union);
            }
            self.expect_token(&Token::RParen)?;
            let mut printer = Printer { one_line, out: String::new() };
            printer.union(&union, if one_line { 0 } else { 2 });
            return Ok(match one_line {
                true => format!("PROJECTION {name} ({})", printer.out),
                false => format!("PROJECTION {name}\n    (\n        {}\n    )", printer.out),
            });
        }
        self.table_column()
    }

    fn table_column(&mut self) -> Result<String> {
        let name = self.dotted_name()?;
        let mut out = if name.starts_with('`') { name } else { quote_backticks(&name) };
        let begins_default = ["DEFAULT", "MATERIALIZED", "ALIAS", "EPHEMERAL"].iter().any(|word| self.sees(word));
        if !begins_default && matches!(self.token(0), Some(Token::Word(_))) {
            out = format!("{out} {}", self.kind()?);
        }
        for words in ["NOT NULL", "NULL"] {
            if self.eat(words) {
                out = format!("{out} {words}");
            }
        }
        let mut properties = Said::default();
        while !matches!(self.token(0), None | Some(Token::Comma | Token::RParen)) {
            self.column_property(&mut properties)?;
        }
        for property in properties.ordered() {
            out = format!("{out} {property}");
        }
        Ok(out)
    }

    fn column_property(&mut self, properties: &mut Said) -> Result<()> {
        for word in ["DEFAULT", "MATERIALIZED", "ALIAS"] {
            if self.eat(word) {
                let text = format!("{word} {}", self.shown_value()?);
                properties.push(&PROPERTIES, "DEFAULT", text);
                return Ok(());
            }
        }
        if self.eat("EPHEMERAL") {
            let is_alone = matches!(self.token(0), None | Some(Token::Comma | Token::RParen))
                || PROPERTIES.iter().any(|word| self.sees(word));
            let text = if is_alone { "EPHEMERAL".to_string() } else { format!("EPHEMERAL {}", self.shown_value()?) };
            properties.push(&PROPERTIES, "DEFAULT", text);
        } else if self.eat("COMMENT") {
            let text = self.comment()?;
            properties.push(&PROPERTIES, "COMMENT", text);
        } else if self.sees("CODEC") || self.sees("STATISTICS") {
            let word = if self.sees("CODEC") { "CODEC" } else { "STATISTICS" };
            let text = self.called(word)?;
            properties.push(&PROPERTIES, word, text);
        } else if self.eat("TTL") {
            let text = format!("TTL {}", self.shown_value()?);
            properties.push(&PROPERTIES, "TTL", text);
        } else if self.sees("SETTINGS") && self.token(1) == Some(&Token::LParen) && self.eat("SETTINGS") {
            self.expect_token(&Token::LParen)?;
            let text = format!("SETTINGS ({})", self.assignments()?);
            self.expect_token(&Token::RParen)?;
            properties.push(&PROPERTIES, "SETTINGS", text);
        } else {
            return Err(self.unexpected("another property of the column, or the next one"));
        }
        Ok(())
    }

    /// A word with its arguments.
    fn called(&mut self, word: &str) -> Result<String> {
        self.expect(word)?;
        self.expect_token(&Token::LParen)?;
        let arguments = self.elements(&Token::RParen)?;
        Ok(self.shown(call(word, arguments)))
    }

    /// A text behind COMMENT.
    fn comment(&mut self) -> Result<String> {
        match self.next()? {
            Token::SingleQuotedString(raw) => Ok(format!("COMMENT {}", literals::text(&raw))),
            _ => Err(self.unexpected("a comment")),
        }
    }

    fn table_clause(&mut self, clauses: &mut Said) -> Result<()> {
        if self.eat("ENGINE") {
            self.eat_token(&Token::Eq);
            let name = self.name()?;
            let arguments = if self.eat_token(&Token::LParen) { self.elements(&Token::RParen)? } else { Vec::new() };
            let engine = if arguments.is_empty() { name } else { self.shown(call(&name, arguments)) };
            clauses.push(&CLAUSES, "ENGINE", format!("ENGINE = {engine}"));
            return Ok(());
        }
        for word in ["PARTITION BY", "SAMPLE BY"] {
            if self.eat(word) {
                let text = format!("{word} {}", self.shown_value()?);
                clauses.push(&CLAUSES, word, text);
                return Ok(());
            }
        }
        for word in ["ORDER BY", "PRIMARY KEY"] {
            if self.eat(word) {
                let text = format!("{word} {}", self.sorting_key()?);
                clauses.push(&CLAUSES, word, text);
                return Ok(());
            }
        }
        if self.eat("TTL") {
            let elements = self.comma_separated(Self::table_ttl)?;
            clauses.push(&CLAUSES, "TTL", format!("TTL {}", elements.join(", ")));
        } else if self.sees("SETTINGS") {
            let text = self.settings()?;
            clauses.push(&CLAUSES, "SETTINGS", text);
        } else if self.eat("COMMENT") {
            let text = self.comment()?;
            clauses.push(&CLAUSES, "COMMENT", text);
        } else {
            return Err(self.unexpected("another clause of CREATE TABLE"));
        }
        Ok(())
    }

    /// `a`, `(a DESC, b)`, `()`
    fn sorting_key(&mut self) -> Result<String> {
        let from = self.at;
        if self.eat_token(&Token::LParen) {
            if self.eat_token(&Token::RParen) {
                return Ok("tuple()".to_string());
            }
            let keys = self.comma_separated(Self::directed);
            let directed = |keys: &Vec<String>| keys.iter().any(|key| key.ends_with(" DESC"));
            match keys {
                Ok(keys) if directed(&keys) && self.eat_token(&Token::RParen) => {
                    return Ok(format!("tuple({})", keys.join(", ")));
                }
                _ => self.at = from,
            }
        }
        self.directed()
    }

    fn directed(&mut self) -> Result<String> {
        let key = self.shown_value()?;
        self.eat("ASC");
        Ok(if self.eat("DESC") { format!("{key} DESC") } else { key })
    }

    fn table_ttl(&mut self) -> Result<String> {
        let mut out = self.shown_value()?;
        self.eat("DELETE");
        if self.eat("WHERE") {
            out = format!("{out} WHERE {}", self.shown_value()?);
        }
        for words in ["TO DISK", "TO VOLUME"] {
            if self.eat(words) {
                out = format!("{out} {words} {}", self.shown_value()?);
            }
        }
        if self.eat("RECOMPRESS") {
            out = format!("{out} RECOMPRESS {}", self.called("CODEC")?);
        }
        Ok(out)
    }
}

/// The order of a projection has values and no directions, and `ORDER BY (a, b)` is `ORDER BY a, b` there.
fn order_as_values(select: &mut Operand) {
    let Operand::Select(select) = select else { return };
    let trees = std::mem::take(&mut select.order_by).into_iter().flat_map(|key| match key.tree {
        Tree::List("(", values, _) => values,
        tree => vec![tree],
    });
    select.order_by = trees.map(|tree| Key { tree, direction: String::new(), fill: None }).collect();
}

#[cfg(test)]
mod tests {
    use crate::format_query::{explained_query, format_query};

    #[test]
    fn a_table_is_laid_out_in_clickhouses_order() {
        for (written, shown) in [
            ("create table t (a UInt8) engine=Memory", "CREATE TABLE t\n(\n    `a` UInt8\n)\nENGINE = Memory"),
            (
                "create table if not exists d.t (a UInt8 codec(ZSTD(1)) ttl d + interval 1 day comment 'q', b default a * 2, \
                 index i (a, b) type minmax, constraint c check a > 1, primary key a) engine=MergeTree() \
                 comment 'c' order by (a desc, b) partition by b % 2 settings x = 1",
                "CREATE TABLE IF NOT EXISTS d.t\n(\n    `a` UInt8 COMMENT 'q' CODEC(ZSTD(1)) TTL plus(d, toIntervalDay(1)),\n    \
                 `b` DEFAULT multiply(a, 2),\n    INDEX i tuple(a, b) TYPE minmax GRANULARITY 1,\n    \
                 CONSTRAINT c CHECK greater(a, 1)\n)\nENGINE = MergeTree\nPARTITION BY modulo(b, 2)\nPRIMARY KEY a\n\
                 ORDER BY tuple(a DESC, b)\nSETTINGS x = 1\nCOMMENT 'c'",
            ),
            ("create table t clone as d.s", "CREATE TABLE t CLONE AS d.s"),
        ] {
            assert_eq!(explained_query(&format!("EXPLAIN SYNTAX {written}"), false).expect(written), shown);
        }
        assert!(explained_query("EXPLAIN SYNTAX CREATE TABLE t ENGINE = Memory AS SELECT 1", false).is_err());
    }

    #[test]
    fn a_definition_is_laid_out_as_it_is_written() {
        for (written, shown) in [
            (
                "create table t (a UInt8 default 1+2, index i a>1 type minmax) engine=MergeTree partition by a%2 order by (a, b)",
                "CREATE TABLE t (`a` UInt8 DEFAULT 1 + 2, INDEX i a > 1 TYPE minmax GRANULARITY 1) ENGINE = MergeTree \
                 PARTITION BY a % 2 ORDER BY (a, b)",
            ),
            ("create table t engine=Memory as select 1", "CREATE TABLE t ENGINE = Memory AS SELECT 1"),
            (
                "create materialized view v engine = Memory populate as select a from t",
                "CREATE MATERIALIZED VIEW v ENGINE = Memory POPULATE AS SELECT a FROM t",
            ),
            ("create materialized view v to t as select 1", "CREATE MATERIALIZED VIEW v TO t AS SELECT 1"),
        ] {
            assert_eq!(format_query(written, true).expect(written), shown);
        }
    }
}
