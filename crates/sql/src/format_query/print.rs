//! Trees as text, in ClickHouse's layout: on one line, or a clause a line with lists of several elements below their word.

use super::tree::{Call, GroupBy, Key, Operand, Over, Select, Source, Tree, Union, Window, With};

pub(super) struct Printer {
    pub one_line: bool,
    pub out: String,
}

impl Printer {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Between clauses.
    fn line(&mut self, indent: usize) {
        if self.one_line {
            self.put(" ");
        } else {
            self.put("\n");
            self.put(&"    ".repeat(indent));
        }
    }

    pub(super) fn union(&mut self, union: &Union, indent: usize) {
        for (at, operand) in union.selects.iter().enumerate() {
            if at > 0 {
                self.line(indent);
                self.put(&union.operators[at - 1]);
                self.line(indent);
            }
            // `SELECT * EXCEPT …` would tell of columns.
            let is_except = |at: usize| union.operators.get(at).is_some_and(|word| word.starts_with("EXCEPT"));
            let excepted = at > 0 && is_except(at - 1) || is_except(at);
            match operand {
                Operand::Select(select) if excepted => {
                    self.in_parentheses(indent, |this, indent| this.select(select, indent))
                }
                Operand::Select(select) => self.select(select, indent),
                Operand::Union(inner) => self.in_parentheses(indent, |this, indent| this.union(inner, indent)),
            }
        }
        for tail in &union.tail {
            self.line(indent);
            self.put(tail);
        }
    }

    fn in_parentheses(&mut self, indent: usize, inner: impl FnOnce(&mut Self, usize)) {
        self.put("(");
        if !self.one_line {
            self.line(indent + 1);
        }
        inner(self, indent + 1);
        if !self.one_line {
            self.line(indent);
        }
        self.put(")");
    }

    /// Elements behind a word: one stands beside it, several below it.
    fn list<T>(&mut self, items: &[T], indent: usize, below: bool, mut print: impl FnMut(&mut Self, &T, usize)) {
        let below = !self.one_line && (below || items.len() > 1);
        for (at, item) in items.iter().enumerate() {
            match (at, below) {
                (0, false) => self.put(" "),
                (0, true) => self.line(indent + 1),
                (_, false) => self.put(", "),
                (_, true) => {
                    self.put(",");
                    self.line(indent + 1);
                }
            }
            print(self, item, indent + 1);
        }
    }

    fn trees(&mut self, trees: &[Tree], indent: usize) {
        for (at, tree) in trees.iter().enumerate() {
            self.put(if at > 0 { ", " } else { "" });
            self.tree(tree, indent);
        }
    }

    fn clause(&mut self, word: &str, tree: Option<&Tree>, indent: usize) {
        if let Some(tree) = tree {
            self.line(indent);
            self.put(word);
            self.put(" ");
            self.tree(tree, indent);
        }
    }

    fn select(&mut self, select: &Select, indent: usize) {
        if !select.with.is_empty() {
            self.put(if select.recursive { "WITH RECURSIVE" } else { "WITH" });
            self.list(&select.with, indent, true, Self::with);
            self.line(indent);
        }
        self.put(if select.distinct { "SELECT DISTINCT" } else { "SELECT" });
        self.list(&select.items, indent, false, Self::tree);
        if !select.from.is_empty() {
            self.line(indent);
            self.put("FROM");
            select.from.iter().for_each(|source| self.source(source, indent));
        }
        self.clause("PREWHERE", select.prewhere.as_ref(), indent);
        self.clause("WHERE", select.condition.as_ref(), indent);
        if let Some(group_by) = &select.group_by {
            self.line(indent);
            self.put("GROUP BY");
            self.group_by(group_by, indent);
        }
        self.clause("HAVING", select.having.as_ref(), indent);
        if !select.windows.is_empty() {
            self.line(indent);
            self.put("WINDOW");
            self.list(&select.windows, indent, false, |this, (name, window), indent| {
                this.put(name);
                this.put(" AS ");
                this.window(window, indent);
            });
        }
        self.clause("QUALIFY", select.qualify.as_ref(), indent);
        if !select.order_by.is_empty() {
            self.line(indent);
            self.put("ORDER BY");
            self.list(&select.order_by, indent, false, Self::key);
        }
        if let Some(interpolate) = &select.interpolate {
            self.line(indent);
            self.put("INTERPOLATE");
            if !interpolate.is_empty() {
                self.put(" (");
                self.trees(interpolate, indent);
                self.put(")");
            }
        }
        if let Some((offset, length, keys)) = &select.limit_by {
            self.limit(offset.as_ref(), length, indent);
            self.put(" BY");
            self.list(keys, indent, false, Self::tree);
        }
        match &select.limit {
            Some(limit) => self.limit(select.offset.as_ref(), limit, indent),
            None => self.clause("OFFSET", select.offset.as_ref(), indent),
        }
        if select.with_ties {
            self.line(indent);
            self.put(" WITH TIES");
        }
        if let Some(settings) = &select.settings {
            self.line(indent);
            self.put(settings);
        }
    }

    fn limit(&mut self, offset: Option<&Tree>, length: &Tree, indent: usize) {
        self.line(indent);
        self.put("LIMIT ");
        if let Some(offset) = offset {
            self.tree(offset, indent);
            self.put(", ");
        }
        self.tree(length, indent);
    }

    fn with(&mut self, with: &With, indent: usize) {
        match with {
            With::Value(tree) => self.tree(tree, indent),
            With::Table(name, word, union) => {
                self.put(name);
                self.put(word);
                self.line(indent);
                self.in_parentheses(indent, |this, indent| this.union(union, indent));
            }
        }
    }

    fn source(&mut self, source: &Source, indent: usize) {
        let Source::Table { word, table, is_final, sample, on, using } = source else {
            if let Source::ArrayJoin(left, arrays) = source {
                self.line(indent);
                self.put(if *left { "LEFT ARRAY JOIN" } else { "ARRAY JOIN" });
                self.list(arrays, indent, false, Self::tree);
            }
            return;
        };
        match word.as_deref() {
            None => {}
            Some(",") => self.put(","),
            Some(join) => {
                self.line(indent);
                self.put(join);
            }
        }
        let bare = if let Tree::Alias(inner, _) = table { inner } else { table };
        match bare {
            Tree::Query(_) => self.line(indent),
            _ => self.put(" "),
        }
        self.tree(table, indent);
        if *is_final {
            self.line(indent);
            self.put("FINAL");
        }
        if let Some((size, offset)) = sample {
            self.clause("SAMPLE", Some(size), indent);
            if let Some(offset) = offset {
                self.put(" OFFSET ");
                self.tree(offset, indent);
            }
        }
        if let Some(on) = on {
            self.put(" ON ");
            self.tree(on, indent);
        }
        if let Some(using) = using {
            self.put(" USING (");
            self.trees(using, indent);
            self.put(")");
        }
    }

    fn group_by(&mut self, group_by: &GroupBy, indent: usize) {
        if group_by.all {
            self.put(" ALL");
        }
        match &group_by.sets {
            None => self.list(&group_by.keys, indent, false, Self::tree),
            Some(sets) => {
                let line = |this: &mut Self, indent: usize| {
                    if !this.one_line {
                        this.line(indent)
                    }
                };
                self.line(indent + 1);
                self.put("GROUPING SETS (");
                for (at, set) in sets.iter().enumerate() {
                    self.put(match at {
                        0 => "",
                        _ if self.one_line => ", ",
                        _ => ",",
                    });
                    line(self, indent + 2);
                    self.put("(");
                    self.trees(set, indent);
                    self.put(")");
                }
                self.put(")");
            }
        }
        for modifier in &group_by.modifiers {
            self.line(indent + 1);
            self.put(modifier);
        }
    }

    fn key(&mut self, key: &Key, indent: usize) {
        self.tree(&key.tree, indent);
        self.put(&key.direction);
        if let Some(fill) = &key.fill {
            self.put(" WITH FILL");
            for (word, tree) in fill {
                self.put(" ");
                self.put(word);
                self.put(" ");
                self.tree(tree, indent);
            }
        }
    }

    fn window(&mut self, window: &Window, indent: usize) {
        self.put("(");
        let mut first = true;
        let mut gap = |this: &mut Self| {
            this.put(if std::mem::replace(&mut first, false) { "" } else { " " });
        };
        if let Some(base) = &window.base {
            gap(self);
            self.put(base);
        }
        if !window.partition_by.is_empty() {
            gap(self);
            self.put("PARTITION BY ");
            self.trees(&window.partition_by, indent);
        }
        if !window.order_by.is_empty() {
            gap(self);
            self.put("ORDER BY ");
            for (at, key) in window.order_by.iter().enumerate() {
                self.put(if at > 0 { ", " } else { "" });
                self.key(key, indent);
            }
        }
        if let Some(frame) = &window.frame {
            gap(self);
            self.put(frame);
        }
        self.put(")");
    }

    fn call(&mut self, call: &Call, indent: usize) {
        self.put(&call.name);
        if let Some(parameters) = &call.parameters {
            self.put("(");
            self.trees(parameters, indent);
            self.put(")");
        }
        match &call.arguments[..] {
            [Tree::Query(union)] if call.name == "view" => {
                self.in_parentheses(indent, |this, indent| this.union(union, indent));
            }
            arguments => {
                self.put("(");
                self.trees(arguments, indent);
                self.put(")");
            }
        }
        if let Some(nulls) = call.nulls {
            self.put(nulls);
        }
        match &call.over {
            None => {}
            Some(Over::Named(name)) => {
                self.put(" OVER ");
                self.put(name);
            }
            Some(Over::Window(window)) => {
                self.put(" OVER ");
                self.window(window, indent);
            }
        }
    }

    pub(super) fn tree(&mut self, tree: &Tree, indent: usize) {
        match tree {
            Tree::Atom(text) => self.put(text),
            // The alias of what stands in parentheses stands behind them.
            Tree::Parentheses(inner) if matches!(inner.as_ref(), Tree::Alias(..)) => {
                let Tree::Alias(inner, name) = inner.as_ref() else { return };
                self.put("(");
                self.tree(inner, indent);
                self.put(") AS ");
                self.put(name);
            }
            Tree::Parentheses(inner) => {
                self.put("(");
                self.tree(inner, indent);
                self.put(")");
            }
            Tree::List(open, items, close) => {
                self.put(open);
                self.trees(items, indent);
                self.put(close);
            }
            Tree::Call(call) => self.call(call, indent),
            Tree::Infix(word, operands) => {
                for (at, operand) in operands.iter().enumerate() {
                    if at > 0 {
                        self.put(" ");
                        self.put(word);
                        self.put(" ");
                    }
                    self.operand(operand, indent);
                }
            }
            Tree::Prefix(word, operand) => {
                self.put(word);
                self.operand(operand, indent);
            }
            Tree::Postfix(operand, word) => {
                self.operand(operand, indent);
                self.put(word);
            }
            Tree::Element(array, index) => {
                self.operand(array, indent);
                self.put("[");
                self.tree(index, indent);
                self.put("]");
            }
            Tree::Field(tuple, field) => {
                match tuple.as_ref() {
                    Tree::Call(_) => {
                        self.put("(");
                        self.tree(tuple, indent);
                        self.put(")");
                    }
                    other => self.operand(other, indent),
                }
                self.put(".");
                self.put(field);
            }
            Tree::Lambda(parameters, body) => {
                self.put(parameters);
                self.put(" -> ");
                self.operand(body, indent);
            }
            Tree::Alias(inner, name) => {
                // Of two aliases the first stays in parentheses: it is written behind those of its value.
                let is_named =
                    matches!(inner.as_ref(), Tree::Parentheses(named) if matches!(named.as_ref(), Tree::Alias(..)));
                if is_named {
                    self.put("(");
                }
                self.tree(inner, indent);
                if is_named {
                    self.put(")");
                }
                self.put(" AS ");
                self.put(name);
            }
            Tree::Query(union) => self.in_parentheses(indent, |this, indent| this.union(union, indent)),
            Tree::Star(star, steps) => {
                self.put(star);
                for (word, trees, parentheses) in steps {
                    self.put(" ");
                    self.put(word);
                    self.put(if *parentheses { " (" } else { " " });
                    self.trees(trees, indent);
                    self.put(if *parentheses { ")" } else { "" });
                }
            }
        }
    }

    fn operand(&mut self, tree: &Tree, indent: usize) {
        let tree = match tree {
            Tree::Parentheses(inner) if matches!(inner.as_ref(), Tree::Alias(..)) => inner,
            other => other,
        };
        let nests = matches!(
            tree,
            Tree::Infix(..)
                | Tree::Prefix(..)
                | Tree::Postfix(..)
                | Tree::Element(..)
                | Tree::Field(..)
                | Tree::Lambda(..)
                | Tree::Alias(..)
        );
        if nests {
            self.put("(");
        }
        self.tree(tree, indent);
        if nests {
            self.put(")");
        }
    }
}
