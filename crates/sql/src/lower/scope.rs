//! Which name means what: columns of the FROM clause, aliases of the SELECT list and of WITH, parameters of lambdas.
//!
//! An alias wins over a column of the same name (unless `prefer_column_name_to_alias`), except inside its own definition:
//! `SELECT a + 1 AS a` adds one to the column.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use datafusion::common::Column;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::{Expr, lit};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::{Columns, SqlType};
use sqlparser::ast::Query;

use super::aggregates::Grouped;
use super::around::Around;
use super::array_join_calls::Joined;
use super::windows::Windows;
use super::{Analyzer, Typed};
use crate::ast::{Call, Literal, Node, Window, call};

/// Functions that standard SQL calls by their names alone, where no column is called so.
const WITHOUT_PARENTHESES: &[(&str, &str)] = &[
    ("CURRENT_DATABASE", "currentDatabase"),
    ("DATABASE", "currentDatabase"),
    ("SCHEMA", "currentDatabase"),
    ("CURRENT_USER", "currentUser"),
    ("SESSION_USER", "currentUser"),
    ("USER", "currentUser"),
    ("CURRENT_DATE", "today"),
    ("CURDATE", "today"),
    ("TODAY", "today"),
    ("NOW", "now"),
];

#[derive(Clone, Debug)]
pub struct ScopeColumn {
    /// Names of the relation: its alias, or database and table.
    pub qualifier: Vec<String>,
    /// Database and table of a relation that has an alias: they name it still, where nothing else is called so.
    pub origin: Vec<String>,
    pub name: String,
    pub kind: SqlType,
    /// The plan's column, or what an ALIAS column is computed by.
    pub expr: Expr,
    /// Not part of `*`: virtual columns, and what each side of USING has of its keys.
    pub hidden: bool,
    /// What one side of USING has of a key: part of `t.*`, beside the column that `*` has.
    pub of_using: bool,
    /// A name that ARRAY JOIN gives: where no table stands before it, it means this, whatever other column has it.
    pub shadows: bool,
}

/// Stands before the name of a column of a subquery without a name where the column is meant, and not what else is given its name.
pub const OF_NO_TABLE: &str = "";

/// With its number behind it, stands before the name of a column of which there are several such: of several subqueries without names.
pub(super) const OF_PLACE: char = '\0';

#[derive(Clone, Debug, Default)]
pub struct Scope {
    pub columns: Vec<ScopeColumn>,
    pub aliases: HashMap<String, Node>,
    /// All names that something is given in this SELECT and its WITH, in whatever clause.
    pub given_names: HashSet<String>,
    /// Those that REPLACE behind a star gives.
    pub replaced_names: HashSet<String>,
    pub ctes: Rc<HashMap<String, Query>>,
    /// What subqueries in the SELECT see of the names that it gives, and of those around it.
    pub around: Around,
    /// Calls of arrayJoin, with the column that each became.
    pub array_joins: Vec<(Joined, Typed)>,
    /// Calls that give something else each time, with the column that each became.
    pub once: Vec<(Call, Typed)>,
    /// Of two columns that a name may mean, whether the first is meant.
    pub prefer_first: bool,
    /// The WINDOW clause.
    pub windows: HashMap<String, Window>,
    /// A column comes before an alias of the same name.
    pub prefer_columns: bool,
}

impl Scope {
    pub fn of_columns(columns: &Columns) -> Scope {
        Scope {
            columns: columns
                .iter()
                .map(|column| ScopeColumn {
                    qualifier: Vec::new(),
                    origin: Vec::new(),
                    name: column.name.clone(),
                    kind: column.kind.clone(),
                    expr: Expr::Column(Column::new_unqualified(&column.name)),
                    hidden: false,
                    of_using: false,
                    shadows: false,
                })
                .collect(),
            ..Scope::default()
        }
    }

    /// The columns that a name may mean, with what stands before it.
    pub(crate) fn named(&self, name: &str, qualifier: &[String]) -> Vec<&ScopeColumn> {
        if *qualifier == [OF_NO_TABLE] {
            return self.columns.iter().filter(|column| column.name == name && column.qualifier.is_empty()).collect();
        }
        if let [mark] = qualifier
            && let Some(place) = mark.strip_prefix(OF_PLACE)
        {
            let column = place.parse().ok().and_then(|place: usize| self.columns.get(place));
            return column.into_iter().collect();
        }
        let of = |relation: fn(&ScopeColumn) -> &[String]| -> Vec<&ScopeColumn> {
            let is_meant = |column: &&ScopeColumn| column.name == name && ends_with(relation(column), qualifier);
            self.columns.iter().filter(is_meant).collect()
        };
        let mut found = of(|column| &column.qualifier);
        if qualifier.is_empty()
            && let Some(last) = found.iter().rfind(|column| column.shadows).copied()
        {
            found = vec![last];
        }
        if found.is_empty() { of(|column| &column.origin) } else { found }
    }

    /// The column that a name with what stands before it means; names of columns may hold dots.
    pub(crate) fn column_of(&self, parts: &[String]) -> Option<&ScopeColumn> {
        (0..parts.len()).find_map(|split| {
            let (qualifier, name) = parts.split_at(split);
            let found = self.named(&name.join("."), qualifier);
            found.iter().find(|column| !column.hidden).or(found.first()).copied()
        })
    }

    /// How a column is shown: with its table before it where something else is given its name, or another column has the same one,
    /// unless it is the first of a single JOIN.
    pub(crate) fn shown(&self, column: &ScopeColumn) -> Vec<String> {
        let beside = |other: &&ScopeColumn| match column.of_using {
            true => other.of_using,
            false => !other.hidden || column.hidden,
        };
        let mut same = self.columns.iter().filter(|other| other.name == column.name).filter(beside);
        let is_first = same.next().is_none_or(|first| std::ptr::eq(first, column));
        let alone = is_first && (self.prefer_first || same.next().is_none()) && !self.given_names.contains(&column.name);
        let table = column.qualifier.last().filter(|_| !alone);
        table.into_iter().chain([&column.name]).cloned().collect()
    }

    /// Where expressions over the rows of FROM are lowered.
    pub fn rows(&self) -> Context<'_> {
        Context {
            scope: self,
            grouped: None,
            windows: None,
            lambda: Rc::default(),
            functions: Rc::default(),
            expanding: Rc::default(),
        }
    }
}

/// The scope with what else decides how a name is read where an expression stands.
#[derive(Clone)]
pub struct Context<'s> {
    pub scope: &'s Scope,
    /// Set above the aggregation: only keys and aggregates may be named.
    pub grouped: Option<&'s Grouped>,
    /// Set where window functions may stand.
    pub windows: Option<&'s Windows>,
    pub lambda: Rc<Vec<(String, Typed)>>,
    /// Parameters of lambdas that are lambdas themselves.
    pub functions: Rc<Vec<(String, Node)>>,
    /// Aliases whose definition is being read.
    pub expanding: Rc<Vec<String>>,
}

impl<'s> Context<'s> {
    pub fn below_grouping(&self) -> Context<'s> {
        Context { grouped: None, windows: None, ..self.clone() }
    }

    pub fn expanding(&self, alias: &str) -> Context<'s> {
        let mut names = self.expanding.as_ref().clone();
        names.push(alias.to_string());
        Context { expanding: Rc::new(names), ..self.clone() }
    }

    pub fn with_lambda(&self, parameters: Vec<(String, Typed)>) -> Context<'s> {
        let mut all = self.lambda.as_ref().clone();
        all.extend(parameters);
        Context { lambda: Rc::new(all), ..self.clone() }
    }

    pub fn with_functions(&self, functions: Vec<(String, Node)>) -> Context<'s> {
        if functions.is_empty() {
            return self.clone();
        }
        let mut all = self.functions.as_ref().clone();
        all.retain(|(name, _)| functions.iter().all(|(given, _)| given != name));
        all.extend(functions);
        Context { functions: Rc::new(all), ..self.clone() }
    }

    /// Within a lambda, where its parameters are not computed.
    pub fn with_parameters(&self, names: &[String]) -> Context<'s> {
        let typed = |name: &String| (name.clone(), Typed::new(lit(0_u8), SqlType::UInt8));
        self.with_lambda(names.iter().map(typed).collect())
    }

    pub fn is_parameter(&self, name: &str) -> bool {
        self.lambda.iter().any(|(parameter, _)| parameter == name)
    }

    /// The definition that an alias stands for here.
    pub fn alias(&self, name: &str) -> Option<&'s Node> {
        let is_column = || self.scope.columns.iter().any(|column| column.name == name);
        if self.expanding.iter().any(|known| known == name) || self.scope.prefer_columns && is_column() {
            return None;
        }
        self.scope.aliases.get(name)
    }
}

thread_local! {
    static DEPTH: RefCell<usize> = const { RefCell::new(0) };
}

/// What a thread's stack holds (`gristmill_base::runtime::STACK_BYTES`).
const LEVELS_MOST: usize = 4_000;

/// Counts how deep expressions are nested, so that a hostile statement ends in an error and not in a full stack.
pub struct DepthGuard;

impl DepthGuard {
    pub fn enter() -> Result<DepthGuard> {
        DEPTH.with(|depth| {
            *depth.borrow_mut() += 1;
            if *depth.borrow() > LEVELS_MOST {
                *depth.borrow_mut() -= 1;
                return Err(Error::new(
                    ErrorCode::TOO_DEEP_RECURSION,
                    format!("An expression is nested more than {LEVELS_MOST} levels deep, with what its aliases stand for"),
                ));
            }
            Ok(DepthGuard)
        })
    }
}

impl Drop for DepthGuard {
    fn drop(&mut self) {
        DEPTH.with(|depth| *depth.borrow_mut() -= 1);
    }
}

/// Nodes of an expression, those of constants too.
pub(super) fn nodes_of(expr: &Expr) -> u64 {
    let mut nodes = 0;
    let walked = expr.apply(|_| {
        nodes += 1;
        Ok(TreeNodeRecursion::Continue)
    });
    if walked.is_ok() { nodes } else { 1 }
}

impl Analyzer<'_> {
    /// What a name means.
    pub(crate) fn name(&self, parts: &[String], context: &Context<'_>) -> Result<Typed> {
        if let [name] = parts {
            if let Some((_, typed)) = context.lambda.iter().rev().find(|(parameter, _)| parameter == name) {
                if !matches!(typed.expr, Expr::Column(_) | Expr::Literal(..)) {
                    self.count_expanded(nodes_of(&typed.expr))?;
                }
                return Ok(typed.clone());
            }
            if let Some(node) = context.alias(name) {
                let meant = self.expr(node, &context.expanding(name));
                // `id AS a, a AS id`: an alias that comes back to what is being read means the column.
                let comes_back = !context.expanding.is_empty()
                    && matches!(&meant, Err(error) if error.code() == ErrorCode::UNKNOWN_IDENTIFIER);
                if comes_back && let Some(typed) = self.column(parts, context)? {
                    return Ok(typed);
                }
                return meant;
            }
        }
        if let Some(typed) = self.column(parts, context)? {
            return Ok(typed);
        }
        // A part of a column: `tuple.field`, `map.keys`, `array.size0`, `nullable.null`.
        if let Some((field, head)) = parts.split_last()
            && !head.is_empty()
            && let Ok(whole) = self.name(head, context)
        {
            let node = || Node::Name(head.to_vec());
            match (whole.kind.plain(), field.as_str()) {
                (SqlType::Map(key, _), "keys") => {
                    let keys = self.expr(&call("mapKeys", vec![node()]), context)?;
                    return Ok(Typed { kind: SqlType::Array(key.clone()), ..keys });
                }
                (SqlType::Map(_, value), "values") => {
                    let values = self.expr(&call("mapValues", vec![node()]), context)?;
                    return Ok(Typed { kind: SqlType::Array(value.clone()), ..values });
                }
                (SqlType::Array(_) | SqlType::Map(..), "size0") => return self.expr(&call("length", vec![node()]), context),
                (_, "null") if whole.kind.is_nullable() => return self.expr(&call("isNull", vec![node()]), context),
                // Of what lies deeper, and of strings.
                (SqlType::String | SqlType::Array(_), part) if part == "null" || part.starts_with("size") => {
                    let part = Node::Literal(Literal::Text(part.as_bytes().to_vec()));
                    if let Ok(read) = self.expr(&call("getSubcolumn", vec![node(), part]), context) {
                        return Ok(read);
                    }
                    if let SqlType::Array(_) = whole.kind.plain() {
                        return self.named_field(whole, parts, context);
                    }
                }
                // The value of a key, which is part of the name.
                (SqlType::Map(key, _), part) if part.starts_with("key_") => {
                    let literal = |text: &str| Node::Literal(Literal::Text(text.as_bytes().to_vec()));
                    let text = literal(&part["key_".len()..]);
                    let wanted = match key.plain().is_string() {
                        true => text,
                        false => call("CAST", vec![text, literal(&key.to_string())]),
                    };
                    return self.expr(&call("arrayElement", vec![node(), wanted]), context);
                }
                (SqlType::Tuple(_) | SqlType::Map(..) | SqlType::Array(_), _) => {
                    return self.named_field(whole, parts, context);
                }
                _ => {}
            }
        }
        if let Some(typed) = self.nested_table(parts, context)? {
            return Ok(typed);
        }
        if let [name] = parts
            && let Some(typed) = self.name_from_around(name, context)?
        {
            return Ok(typed);
        }
        if let Some(typed) = self.outer_name(parts)? {
            return Ok(typed);
        }
        if let [name] = parts
            && let Some((_, function)) = WITHOUT_PARENTHESES.iter().find(|(word, _)| name.eq_ignore_ascii_case(word))
        {
            return self.expr(&call(function, Vec::new()), context);
        }
        Err(self.unknown_name(parts, context))
    }

    /// The field of a tuple that the last part of a name means. Error: UNKNOWN_IDENTIFIER.
    fn named_field(&self, tuple: Typed, parts: &[String], context: &Context<'_>) -> Result<Typed> {
        let field = parts.last().map_or("", String::as_str);
        self.tuple_field(tuple, field).map_err(|error| match error.code() {
            ErrorCode::BAD_ARGUMENTS => self.unknown_name(parts, context),
            _ => error,
        })
    }

    pub(crate) fn column(&self, parts: &[String], context: &Context<'_>) -> Result<Option<Typed>> {
        // A column's name may hold dots: `n.a` of a Nested.
        let whole = parts.join(".");
        for split in 0..parts.len() {
            let (qualifier, rest) = parts.split_at(split);
            let name = if split == 0 { whole.clone() } else { rest.join(".") };
            let found = context.scope.named(&name, qualifier);
            let visible: Vec<&&ScopeColumn> = found.iter().filter(|column| !column.hidden).collect();
            let column = match (&visible[..], &found[..]) {
                ([one], _) => **one,
                ([], [first, ..]) => *first,
                ([], []) => continue,
                // The same column seen twice (a self join through USING) is no ambiguity; nor are columns of one name of one
                // relation, as of `SELECT a, a`, which name one thing.
                ([first, rest @ ..], _)
                    if context.scope.prefer_first
                        || rest.iter().all(|other| other.expr == first.expr || other.qualifier == first.qualifier) =>
                {
                    **first
                }
                ([first, second, ..], _) => {
                    return Err(Error::new(
                        ErrorCode::AMBIGUOUS_IDENTIFIER,
                        format!(
                            "Identifier '{whole}' is ambiguous: it is a column of {} and of {}. Put the table's name before it",
                            first.qualifier.join("."),
                            second.qualifier.join(".")
                        ),
                    ));
                }
            };
            if context.grouped.is_some() {
                return Err(Error::new(
                    ErrorCode::NOT_AN_AGGREGATE,
                    format!("Column '{whole}' is not under aggregate function and not in GROUP BY keys"),
                ));
            }
            return Ok(Some(Typed::new(column.expr.clone(), column.kind.clone())));
        }
        Ok(None)
    }

    /// The arrays `m.k` and `m.v` as one array of tuples, where `m` is named.
    fn nested_table(&self, parts: &[String], context: &Context<'_>) -> Result<Option<Typed>> {
        let fields = nested_fields(parts, &context.scope.columns);
        if fields.is_empty() {
            return Ok(None);
        }
        let names = fields.iter().map(|(name, _)| Node::Name(name.clone())).collect();
        let tuples = self.expr(&call("arrayZip", names), context)?;
        let field = |(name, element): (Vec<String>, SqlType)| (name.last().cloned(), element);
        let kind = SqlType::array(SqlType::Tuple(fields.into_iter().map(field).collect()));
        self.cast(tuples, &kind).map(Some)
    }

    /// Whether a name that FROM does not know is that of an EPHEMERAL column of one of its tables, or of an ALIAS of one.
    fn is_ephemeral(&self, parts: &[String], scope: &Scope) -> bool {
        let is_of = |table: &[String], qualifier: &[String]| {
            scope.columns.iter().any(|column| {
                (column.qualifier == table || column.origin == table)
                    && (ends_with(&column.qualifier, qualifier) || ends_with(&column.origin, qualifier))
            })
        };
        (0..parts.len()).any(|split| {
            let (qualifier, name) = (&parts[..split], parts[split..].join("."));
            self.tables.by_text.values().any(|table| {
                let is_alias = || !table.ephemeral.is_empty() && table.aliases.iter().any(|alias| alias.name == name);
                (table.ephemeral.contains(&name) || is_alias()) && is_of(&table.name, qualifier)
            })
        })
    }

    /// Errors: NO_SUCH_COLUMN_IN_TABLE for a column that is only for inserts, else UNKNOWN_IDENTIFIER.
    pub(super) fn unknown_name(&self, parts: &[String], context: &Context<'_>) -> Error {
        let name = parts.join(".");
        if self.is_ephemeral(parts, context.scope) {
            let text =
                format!("There is no column {name} in table: it is EPHEMERAL, which no row has, or an ALIAS of such a one");
            return Error::new(ErrorCode::NO_SUCH_COLUMN_IN_TABLE, text);
        }
        let known = context.scope.columns.iter().map(|column| column.name.as_str());
        let near =
            gristmill_introspect::settings::nearest(&name, known.chain(context.scope.aliases.keys().map(String::as_str)));
        let hint = near.map_or_else(String::new, |near| format!(". Maybe you meant: ['{near}']"));
        Error::new(ErrorCode::UNKNOWN_IDENTIFIER, format!("Unknown expression or function identifier '{name}'{hint}"))
    }
}

/// The fields of the flattened nested table that a name means: how each is named, and the type of its elements.
pub(super) fn nested_fields(parts: &[String], columns: &[ScopeColumn]) -> Vec<(Vec<String>, SqlType)> {
    for split in 0..parts.len() {
        let (qualifier, rest) = parts.split_at(split);
        let nested = rest.join(".");
        let field = |column: &ScopeColumn| match (&column.kind, column.name.split_once('.')) {
            (SqlType::Array(element), Some((table, field)))
                if table == nested && !column.hidden && ends_with(&column.qualifier, qualifier) =>
            {
                Some((parts.iter().cloned().chain([field.to_string()]).collect(), element.as_ref().clone()))
            }
            _ => None,
        };
        let fields: Vec<(Vec<String>, SqlType)> = columns.iter().filter_map(field).collect();
        if !fields.is_empty() {
            return fields;
        }
    }
    Vec::new()
}

fn ends_with(whole: &[String], end: &[String]) -> bool {
    whole.len() >= end.len() && whole[whole.len() - end.len()..] == *end
}
