//! Queries as ClickHouse's analysis shows them (EXPLAIN SYNTAX): operators are calls of their functions, arrays, tuples and NULL
//! tell their types, a SELECT without FROM reads `system.one`, and each SELECT of a UNION stands in parentheses.

use gristmill_types::SqlType;
use gristmill_types::sql_type::quote;
use gristmill_types::supertype::{least_supertype, literal_integer_type};

use super::expression::call;
use super::tree::{Call, Key, Operand, Over, Select, Source, Tree, Union, Window, With};
use crate::sql_text::INFIX;

#[derive(Clone, Copy)]
pub(super) struct Calls {
    /// Types and tables are told too: of a query by itself, and not of that of an INSERT.
    pub analyzed: bool,
}

impl Calls {
    pub(super) fn union(self, mut union: Union) -> Union {
        for operand in &mut union.selects {
            match operand {
                Operand::Select(select) => self.select(select),
                Operand::Union(inner) => self.subquery(inner),
            }
        }
        if self.analyzed && !union.operators.is_empty() { grouped(union) } else { union }
    }

    fn subquery(self, union: &mut Union) {
        *union = self.union(std::mem::take(union));
    }

    fn select(self, select: &mut Select) {
        if self.analyzed && select.from.is_empty() {
            let table = Tree::Atom("system.one".to_string());
            select.from.push(Source::Table { word: None, table, is_final: false, sample: None, on: None, using: None });
        }
        for with in &mut select.with {
            match with {
                With::Value(tree) => self.element(tree),
                With::Table(_, _, union) => self.subquery(union),
            }
        }
        select.from.iter_mut().for_each(|source| self.source(source));
        let conditions = [&mut select.prewhere, &mut select.condition, &mut select.having, &mut select.qualify];
        let limits = [&mut select.limit, &mut select.offset];
        let elements = conditions.into_iter().chain(limits).flatten().chain(&mut select.items);
        elements.for_each(|tree| self.element(tree));
        if let Some(group_by) = &mut select.group_by {
            let sets = group_by.sets.iter_mut().flatten().flatten();
            group_by.keys.iter_mut().chain(sets).for_each(|tree| self.element(tree));
        }
        if let Some((offset, length, keys)) = &mut select.limit_by {
            offset.iter_mut().chain([length]).chain(keys).for_each(|tree| self.element(tree));
        }
        select.windows.iter_mut().for_each(|(_, window)| self.window(window));
        select.order_by.iter_mut().for_each(|key| self.key(key));
    }

    fn window(self, window: &mut Window) {
        window.partition_by.iter_mut().for_each(|tree| self.element(tree));
        window.order_by.iter_mut().for_each(|key| self.key(key));
    }

    fn key(self, key: &mut Key) {
        self.element(&mut key.tree);
        key.fill.iter_mut().flatten().for_each(|(_, tree)| self.element(tree));
    }

    fn source(self, source: &mut Source) {
        match source {
            Source::ArrayJoin(_, arrays) => arrays.iter_mut().for_each(|tree| self.element(tree)),
            Source::Table { word, table, on, .. } => {
                if let (Some(word), true) = (word, self.analyzed) {
                    *word = with_strictness(word);
                }
                on.iter_mut().for_each(|tree| self.element(tree));
                let bare: &mut Tree = match table {
                    Tree::Alias(inner, _) => inner,
                    other => other,
                };
                match bare {
                    Tree::Query(union) => self.subquery(union),
                    Tree::Call(call) => self.table_function(call),
                    _ => {}
                }
            }
        }
    }

    /// Its arguments are no values of a query, but for a query among them.
    fn table_function(self, call: &mut Call) {
        // The word would begin the data of an INSERT.
        if call.name.eq_ignore_ascii_case("values") {
            call.name = format!("`{}`", call.name);
        }
        for argument in &mut call.arguments {
            match argument {
                Tree::Query(union) => self.subquery(union),
                other => Calls { analyzed: false }.element(other),
            }
        }
    }

    /// What stands in a list of its own, or behind a clause's word.
    pub(super) fn element(self, tree: &mut Tree) {
        let written = std::mem::replace(tree, Tree::Atom(String::new()));
        *tree = self.shown(written, true);
    }

    fn all(self, trees: Vec<Tree>) -> Vec<Tree> {
        trees.into_iter().map(|tree| self.shown(tree, false)).collect()
    }

    /// Parentheses stay around names and constants and around what an alias follows, where they are no part of an expression.
    fn shown(self, tree: Tree, is_element: bool) -> Tree {
        match tree {
            Tree::Atom(text) if self.analyzed && text == "NULL" => typed(Tree::Atom(text), &SqlType::null()),
            Tree::Parentheses(inner) => match self.shown(*inner, false) {
                atom @ Tree::Atom(_) if is_element => Tree::Parentheses(Box::new(atom)),
                other => other,
            },
            Tree::Alias(inner, name) => {
                let value = match *inner {
                    Tree::Parentheses(value) if is_element && !matches!(*value, Tree::Alias(..)) => {
                        Tree::Parentheses(Box::new(self.shown(*value, false)))
                    }
                    other => self.shown(other, false),
                };
                Tree::Alias(Box::new(value), name)
            }
            Tree::List(open, items, close) => self.list(open, items, close),
            Tree::Call(call) => self.call(call),
            Tree::Infix(word, operands) => self.operator(word, operands),
            Tree::Prefix(word, operand) => {
                call(if word == "-" { "negate" } else { "not" }, vec![self.shown(*operand, false)])
            }
            Tree::Postfix(operand, word) => {
                let name = if word.contains("NOT") { "isNotNull" } else { "isNull" };
                call(name, vec![self.shown(*operand, false)])
            }
            Tree::Element(array, index) => call("arrayElement", self.all(vec![*array, *index])),
            Tree::Field(tuple, field) => call("tupleElement", vec![self.shown(*tuple, false), Tree::Atom(field)]),
            Tree::Lambda(parameters, body) => {
                let names = parameters.trim_start_matches('(').trim_end_matches(')').to_string();
                call("lambda", vec![call("tuple", vec![Tree::Atom(names)]), self.shown(*body, false)])
            }
            Tree::Query(mut union) => {
                self.subquery(&mut union);
                Tree::Query(union)
            }
            Tree::Star(star, steps) => {
                let steps = steps.into_iter().map(|(word, trees, parentheses)| match word {
                    "APPLY" => (word, trees.into_iter().map(|tree| self.applied(tree)).collect(), false),
                    "EXCEPT" | "EXCEPT STRICT" => (word, trees, parentheses),
                    _ => (word, self.all(trees), parentheses),
                });
                Tree::Star(star, steps.collect())
            }
            other => other,
        }
    }

    /// `APPLY f` calls it of no arguments.
    fn applied(self, tree: Tree) -> Tree {
        match tree {
            Tree::Atom(name) => call(&name, Vec::new()),
            other => self.shown(other, false),
        }
    }

    fn call(self, mut call: Box<Call>) -> Tree {
        let takes_set = matches!(call.name.as_str(), "in" | "notIn" | "globalIn" | "globalNotIn");
        let arguments = std::mem::take(&mut call.arguments).into_iter().enumerate();
        call.arguments = arguments
            .map(|(at, tree)| if takes_set && at == 1 { self.set(tree) } else { self.shown(tree, false) })
            .collect();
        call.parameters = call.parameters.take().map(|all| Calls { analyzed: false }.all(all));
        if let Some(Over::Window(window)) = &mut call.over {
            self.window(window);
        }
        Tree::Call(call)
    }

    fn operator(self, word: String, mut operands: Vec<Tree>) -> Tree {
        let Some(name) = function_of(&word) else { return Tree::Infix(word, self.all(operands)) };
        let set = if word.ends_with("IN") { operands.pop() } else { None };
        let mut arguments = self.all(operands);
        arguments.extend(set.map(|set| self.set(set)));
        call(name, arguments)
    }

    /// The right side of IN: constants there have no types of their own.
    fn set(self, tree: Tree) -> Tree {
        match (tree, self.analyzed) {
            (Tree::Parentheses(inner), _) => self.set(*inner),
            (list @ Tree::List("(", ..), true) if type_of(&list).is_some() => plain(list, None),
            (atom @ Tree::Atom(_), _) => atom,
            (other, _) => self.shown(other, false),
        }
    }

    fn list(self, open: &'static str, items: Vec<Tree>, close: &'static str) -> Tree {
        let list = Tree::List(open, items, close);
        match (type_of(&list), list) {
            (Some(kind), list) if self.analyzed => typed(plain(list, Some(&kind)), &kind),
            (Some(_), list) => plain(list, None),
            (None, Tree::List("[", items, _)) => call("array", self.all(items)),
            (None, Tree::List(_, items, _)) => call("tuple", self.all(items)),
            (None, other) => other,
        }
    }
}

/// A constant with its type.
fn typed(value: Tree, kind: &SqlType) -> Tree {
    call("_CAST", vec![value, Tree::Atom(quote(&kind.to_string()))])
}

/// The type of a constant. `None`: it is none, or an array of values that have no type in common; arrays of tuples and tuples of arrays
/// are made by functions.
fn type_of(tree: &Tree) -> Option<SqlType> {
    match tree {
        Tree::Atom(text) => type_of_text(text),
        Tree::Parentheses(inner) => type_of(inner),
        Tree::List(open, items, _) => {
            let kinds = items.iter().map(type_of).collect::<Option<Vec<SqlType>>>()?;
            let is_array = *open == "[";
            let is_made = |kind: &SqlType| match kind {
                SqlType::Tuple(_) => is_array,
                SqlType::Array(_) => !is_array,
                _ => false,
            };
            if kinds.iter().any(is_made) {
                return None;
            }
            match is_array {
                true if kinds.is_empty() => Some(SqlType::array(SqlType::Nothing)),
                true => least_supertype(&kinds).ok().map(SqlType::array),
                false => Some(SqlType::Tuple(kinds.into_iter().map(|kind| (None, kind)).collect())),
            }
        }
        _ => None,
    }
}

fn type_of_text(text: &str) -> Option<SqlType> {
    match text {
        "NULL" => Some(SqlType::null()),
        "true" | "false" => Some(SqlType::Bool),
        "inf" | "nan" | "-inf" | "-nan" => Some(SqlType::Float64),
        _ if text.starts_with('\'') => Some(SqlType::String),
        _ if !text.starts_with(|c: char| c.is_ascii_digit() || c == '-') => None,
        _ => match text.parse::<i128>() {
            Ok(value) => Some(literal_integer_type(value)),
            Err(_) => text.parse::<f64>().ok().map(|_| SqlType::Float64),
        },
    }
}

/// A constant without the parentheses in it; whole numbers among floats are floats.
fn plain(tree: Tree, kind: Option<&SqlType>) -> Tree {
    match (tree, kind.map(SqlType::plain)) {
        (Tree::Parentheses(inner), _) => plain(*inner, kind),
        (Tree::Atom(text), Some(SqlType::Float64)) if text.parse::<i128>().is_ok() => Tree::Atom(format!("{text}.")),
        (Tree::List(open, items, close), kind) => {
            let kind_at = |at: usize| match kind {
                Some(SqlType::Array(element)) => Some(element.as_ref()),
                Some(SqlType::Tuple(fields)) => fields.get(at).map(|(_, kind)| kind),
                _ => None,
            };
            let items = items.into_iter().enumerate().map(|(at, item)| plain(item, kind_at(at)));
            Tree::List(open, items.collect(), close)
        }
        (other, _) => other,
    }
}

/// Operators that definitions of tables do not show.
const OF_QUERIES: &[(&str, &str)] = &[
    ("isNotDistinctFrom", "<=>"),
    ("isDistinctFrom", "IS DISTINCT FROM"),
    ("in", "IN"),
    ("notIn", "NOT IN"),
    ("globalIn", "GLOBAL IN"),
    ("globalNotIn", "GLOBAL NOT IN"),
];

fn function_of(operator: &str) -> Option<&'static str> {
    INFIX.iter().chain(OF_QUERIES).find(|(_, known)| *known == operator).map(|(function, _)| *function)
}

/// `INNER JOIN` is ALL INNER JOIN.
fn with_strictness(word: &str) -> String {
    let tells = |part: &str| matches!(part, "," | "ALL" | "ANY" | "ASOF" | "SEMI" | "ANTI" | "CROSS" | "PASTE");
    match (word.split(' ').any(tells), word.strip_prefix("GLOBAL ")) {
        (true, _) => word.to_string(),
        (false, Some(rest)) => format!("GLOBAL ALL {rest}"),
        (false, None) => format!("ALL {word}"),
    }
}

/// SELECTs by the precedence of the words between them, each in parentheses. Those of one kind of UNION stand beside one another, and
/// UNION DISTINCT is that of all before it.
fn grouped(union: Union) -> Union {
    let Union { selects, operators, .. } = union;
    let mut operands = selects.into_iter().map(alone);
    let words = operators.into_iter().map(|word| match word.as_str() {
        "INTERSECT" | "EXCEPT" => format!("{word} ALL"),
        _ => word,
    });
    let Some(first) = operands.next() else { return Union::default() };
    // Before those that bind less; the first has no word before it.
    let mut terms: Vec<(String, Union)> = vec![(String::new(), first)];
    for (word, operand) in words.zip(operands) {
        match terms.last_mut() {
            Some((_, last)) if word.starts_with("INTERSECT") => {
                *last = joined(std::mem::take(last), &word, operand);
            }
            _ => terms.push((word, operand)),
        }
    }
    let folded = terms.into_iter().reduce(|(first, left), (word, right)| (first, joined(left, &word, right)));
    folded.map(|(_, union)| union).unwrap_or_default()
}

fn alone(operand: Operand) -> Union {
    match operand {
        Operand::Union(union) => union,
        select @ Operand::Select(_) => Union { selects: vec![select], ..Union::default() },
    }
}

fn joined(left: Union, word: &str, right: Union) -> Union {
    let goes_on = |union: &Union, is_left: bool| {
        let Some(known) = union.operators.first() else { return false };
        known == word && word.starts_with("UNION") || is_left && word == "UNION DISTINCT" && known == "UNION ALL"
    };
    let mut selects = Vec::new();
    for (union, is_left) in [(left, true), (right, false)] {
        match goes_on(&union, is_left) {
            true => selects.extend(union.selects),
            false => selects.push(Operand::Union(union)),
        }
    }
    Union { operators: vec![word.to_string(); selects.len() - 1], selects, tail: Vec::new() }
}

#[cfg(test)]
mod tests {
    use crate::format_query::explained_query;

    #[test]
    fn operators_are_calls_of_their_functions() {
        for (written, shown) in [
            ("1 + a * -b", "plus(1, multiply(a, negate(b)))"),
            ("(a), (a + 1), (a + 1) AS x, ((a + 1)) * 2", "(a), plus(a, 1), (plus(a, 1)) AS x, multiply(plus(a, 1), 2)"),
            ("a IN (1, 2), a NOT IN (NULL), a IN (b)", "in(a, (1, 2)), notIn(a, NULL), in(a, b)"),
            ("[1, 1.5], [-1, NULL]", "_CAST([1., 1.5], 'Array(Float64)'), _CAST([-1, NULL], 'Array(Nullable(Int8))')"),
            ("(1, [2]), [(1, '')]", "tuple(1, _CAST([2], 'Array(UInt8)')), array(_CAST((1, ''), 'Tuple(UInt8, String)'))"),
            ("a.1, t.b, c[1], NOT a IS NULL", "tupleElement(a, 1), t.b, arrayElement(c, 1), not(isNull(a))"),
            ("f((x, y) -> x + y, a), * APPLY sum", "f(lambda(tuple(x, y), plus(x, y)), a), * APPLY sum()"),
        ] {
            let laid_out = explained_query(&format!("EXPLAIN SYNTAX SELECT {written}"), true).expect(written);
            assert_eq!(laid_out, format!("SELECT {shown} FROM system.one"));
        }
    }

    #[test]
    fn unions_stand_in_parentheses() {
        for (written, shown) in [
            ("SELECT 1 UNION ALL (SELECT 2 UNION ALL SELECT 3)", "(1) UNION ALL (2) UNION ALL (3)"),
            (
                "SELECT 1 UNION ALL SELECT 2 UNION DISTINCT SELECT 3 UNION ALL SELECT 4",
                "((1) UNION DISTINCT (2) UNION DISTINCT (3)) UNION ALL (4)",
            ),
            (
                "SELECT 1 UNION ALL SELECT 2 INTERSECT SELECT 3 EXCEPT SELECT 4",
                "((1) UNION ALL ((2) INTERSECT ALL (3))) EXCEPT ALL (4)",
            ),
        ] {
            let selected =
                |text: String, value: u8| text.replace(&format!("({value})"), &format!("(SELECT {value} FROM system.one)"));
            let laid_out = explained_query(&format!("EXPLAIN SYNTAX {written}"), true).expect(written);
            assert_eq!(laid_out, (1..=4).fold(shown.to_string(), selected));
        }
    }
}
