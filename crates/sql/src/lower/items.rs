//! The SELECT list: stars become columns, aliases are noted for the whole SELECT.

use std::collections::HashSet;

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_functions::parts_of_aggregate;
use gristmill_types::{Columns, SqlType};
use sqlparser::ast::Select;

use super::Analyzer;
use super::scope::{Context, OF_NO_TABLE, OF_PLACE, Scope, ScopeColumn};
use crate::ast::{Call, ColumnChoice, InSet, Node, Star, StarStep, call, text};
use crate::translate;

/// An item of the SELECT list after stars are expanded.
pub(crate) struct Item {
    pub name: String,
    pub node: Node,
}

impl Analyzer<'_> {
    pub(crate) fn items(&self, select: &Select, scope: &mut Scope) -> Result<Vec<Item>> {
        let nodes = select.projection.iter().map(translate::select_item).collect::<Result<Vec<_>>>()?;
        add_given_names(&nodes, &mut scope.given_names);
        scope.replaced_names.extend(nodes.iter().flat_map(replaced_names).cloned());
        let mut items = Vec::new();
        for node in nodes {
            let node = self.with_stars_expanded(node, scope)?;
            note_aliases(&node, scope)?;
            match node {
                Node::Star(star) => {
                    let starred = self.star(&star, scope)?;
                    note_replaced(&star, &starred, scope);
                    items.extend(starred);
                }
                Node::Aliased(inner, alias) if is_untuple(&inner) => {
                    items.extend(self.untuple(&inner, Some(&alias), scope)?);
                }
                Node::Aliased(inner, alias) => items.push(Item { name: alias.clone(), node: Node::Aliased(inner, alias) }),
                node if is_untuple(&node) => items.extend(self.untuple(&node, None, scope)?),
                node => items.push(Item { name: self.shown(&node, scope), node }),
            }
        }
        if items.iter().any(|item| item.node.has_subquery()) {
            self.name_subqueries(&mut items, select, scope);
        }
        if items.is_empty() {
            return Err(Error::new(ErrorCode::EMPTY_LIST_OF_COLUMNS_QUERIED, "The SELECT list is empty"));
        }
        Ok(items)
    }

    /// The columns that a star stands for, with what EXCEPT, REPLACE and APPLY make of them.
    pub(super) fn star(&self, star: &Star, scope: &Scope) -> Result<Vec<Item>> {
        // With the name that each column has in its table, which EXCEPT and REPLACE know it by until it was replaced or applied to.
        let items = self.star_columns(star, scope)?;
        let mut items: Vec<(Option<String>, Item)> = items.into_iter().map(|(name, item)| (Some(name), item)).collect();
        let is = |column: &Option<String>, name: &String| column.as_ref() == Some(name);
        for step in &star.steps {
            match step {
                StarStep::Except { names, strict } => {
                    if *strict
                        && let Some(missing) = names.iter().find(|name| !items.iter().any(|(column, _)| is(column, name)))
                    {
                        let text = format!("Columns transformer EXCEPT expects following column(s): {missing}");
                        return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
                    }
                    items.retain(|(column, _)| !names.iter().any(|name| is(column, name)));
                }
                StarStep::ExceptPattern(pattern) => {
                    let pattern = regex(pattern)?;
                    items.retain(|(column, _)| !column.as_ref().is_some_and(|column| pattern.is_match(column)));
                }
                StarStep::Replace { items: given, strict } => {
                    for (node, name) in given {
                        let (node, mut replaced) = (of_columns(node, given, scope), false);
                        for (column, item) in items.iter_mut().filter(|(column, _)| is(column, name)) {
                            (item.name, item.node) = (name.clone(), node.clone());
                            (*column, replaced) = (None, true);
                        }
                        if *strict && !replaced {
                            let text = format!("Columns transformer REPLACE expects following column(s): {name}");
                            return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
                        }
                    }
                }
                StarStep::ApplyFunction { name, parameters } => {
                    for (column, item) in &mut items {
                        *column = None;
                        let applied = Call {
                            name: name.clone(),
                            parameters: parameters.clone(),
                            arguments: vec![item.node.clone()],
                            distinct: false,
                            respects_nulls: None,
                            filter: None,
                            over: None,
                        };
                        let shown =
                            Node::Call(Call { arguments: vec![Node::Name(vec![item.name.clone()])], ..applied.clone() });
                        item.name = shown.to_string().replace('`', "");
                        item.node = Node::Call(applied);
                    }
                }
                StarStep::ApplyLambda { parameter, body } => {
                    for (column, item) in &mut items {
                        *column = None;
                        let shown = substituted(body, parameter, &Node::Name(vec![item.name.clone()]));
                        item.node = substituted(body, parameter, &item.node);
                        item.name = shown.to_string();
                    }
                }
            }
        }
        Ok(items.into_iter().map(|(_, item)| item).collect())
    }

    /// The names that a star without a qualifier means over these columns, as often as it gives them.
    pub fn starred_columns(&self, star: &Star, columns: &Columns) -> Result<Vec<String>> {
        Ok(self.star(star, &Scope::of_columns(columns))?.into_iter().map(|item| item.name).collect())
    }

    /// The names that a list of columns and stars means over a table, each once.
    pub fn listed_columns(&self, nodes: &[Node], columns: &Columns) -> Result<Vec<String>> {
        let scope = Scope::of_columns(columns);
        let mut names: Vec<String> = Vec::new();
        for node in nodes {
            let listed = match node {
                Node::Name(parts) => vec![parts.join(".")],
                Node::Star(star) => self.star(star, &scope)?.into_iter().map(|item| item.name).collect(),
                other => {
                    let text = format!("Expected the name of a column, found {other}");
                    return Err(Error::new(ErrorCode::SYNTAX_ERROR, text));
                }
            };
            for name in listed {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        Ok(names)
    }

    fn star_columns(&self, star: &Star, scope: &Scope) -> Result<Vec<(String, Item)>> {
        if let Some(ColumnChoice::Listed(nodes)) = &star.columns {
            return Ok(nodes
                .iter()
                .map(|node| {
                    let name = match node {
                        Node::Name(parts) => self.column_name(parts, scope),
                        other => format!("{other:#}"),
                    };
                    (name.clone(), Item { name, node: node.clone() })
                })
                .collect());
        }
        let pattern = match &star.columns {
            Some(ColumnChoice::Pattern(pattern)) => Some(regex(pattern)?),
            _ => None,
        };
        // A table with an alias is known by its own name where nothing else is.
        let is_named = |column: &ScopeColumn| column.qualifier.ends_with(&star.qualifier);
        let by_origin = !scope.columns.iter().any(is_named);
        let of_relation = |column: &ScopeColumn| is_named(column) || by_origin && column.origin.ends_with(&star.qualifier);
        let is_part = |column: &ScopeColumn| !column.hidden || (column.of_using && !star.qualifier.is_empty());
        let visible: Vec<&ScopeColumn> =
            scope.columns.iter().filter(|column| is_part(column) && of_relation(column)).collect();
        if visible.is_empty() && !star.qualifier.is_empty() && !scope.columns.iter().any(of_relation) {
            if let Some(mut fields) = self.fields_of(&star.qualifier, scope)? {
                fields.retain(|(name, _)| pattern.as_ref().is_none_or(|pattern| pattern.is_match(name)));
                return Ok(fields);
            }
            let text = format!("There is no table with the name or alias '{}'", star.qualifier.join("."));
            return Err(Error::new(ErrorCode::UNKNOWN_IDENTIFIER, text));
        }
        Ok(visible
            .into_iter()
            .filter(|column| pattern.as_ref().is_none_or(|pattern| pattern.is_match(&column.name)))
            .map(|column| {
                let item = Item { name: scope.shown(column).join("."), node: star_name(column, scope) };
                (column.name.clone(), item)
            })
            .collect())
    }

    /// Stars among the arguments of a call become arguments: `max(COLUMNS('x'))`, `tuple(*)`.
    pub(crate) fn with_stars_expanded(&self, node: Node, scope: &Scope) -> Result<Node> {
        Ok(match node {
            Node::Call(function) if self.counts_rows(&function) => {
                let rest = function.arguments[1..].to_vec();
                self.with_stars_expanded(Node::Call(Call { arguments: rest, ..function }), scope)?
            }
            Node::Call(mut function) => {
                let mut arguments = Vec::with_capacity(function.arguments.len());
                for argument in function.arguments {
                    match argument {
                        Node::Star(star) => arguments.extend(self.star(&star, scope)?.into_iter().map(|item| item.node)),
                        other => arguments.push(self.with_stars_expanded(other, scope)?),
                    }
                }
                function.arguments = arguments;
                Node::Call(function)
            }
            Node::Aliased(inner, alias) => Node::Aliased(Box::new(self.with_stars_expanded(*inner, scope)?), alias),
            other => other,
        })
    }

    /// `countIf(*, condition)` counts rows as `count(*)` does: its star stands for no columns.
    fn counts_rows(&self, function: &Call) -> bool {
        const OF_ROWS: &[&str] = &["If", "State", "OrNull", "OrDefault"];
        let has_star = matches!(function.arguments.first(), Some(Node::Star(star)) if **star == Star::default());
        if !has_star || function.distinct {
            return false;
        }
        let (counted, combinators) = parts_of_aggregate(self.registry, &function.name);
        counted == "count" && combinators.iter().all(|combinator| OF_ROWS.contains(combinator))
    }

    /// `untuple(x)`: one column for each element; `untuple(x) AS z` gives `z.a` and so on.
    fn untuple(&self, function: &Node, alias: Option<&str>, scope: &Scope) -> Result<Vec<Item>> {
        let Node::Call(Call { arguments, .. }) = function else { return Ok(Vec::new()) };
        let [argument] = &arguments[..] else {
            return Err(Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, "Function untuple takes one tuple"));
        };
        let kind = self.type_before_grouping(argument, &scope.rows())?;
        let SqlType::Tuple(fields) = kind.plain() else {
            let text = format!("Function untuple expects a tuple, not {kind}");
            return Err(Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text));
        };
        let field = |(at, (name, _)): (usize, &(Option<String>, SqlType))| {
            let node = call("tupleElement", vec![argument.clone(), translate::integer(at as i128 + 1)]);
            let field = name.clone().unwrap_or_else(|| (at + 1).to_string());
            let name = match alias {
                Some(alias) => format!("{alias}.{field}"),
                None => format!("{:#}", call("tupleElement", vec![argument.clone(), text(&field)])),
            };
            Item { name, node }
        };
        Ok(fields.iter().enumerate().map(field).collect())
    }

    /// The type of what may be an aggregate, or a tuple with some in it, where it is not known yet what is grouped by.
    fn type_before_grouping(&self, node: &Node, context: &Context<'_>) -> Result<SqlType> {
        if self.has_aggregate(node, context) {
            match node.bare() {
                Node::Name(parts) => {
                    if let [name] = &parts[..]
                        && let Some(definition) = context.alias(name)
                    {
                        return self.type_before_grouping(definition, &context.expanding(name));
                    }
                }
                Node::Call(call) if call.over.is_none() && self.is_aggregate(&call.name) => {
                    return Ok(self.bind_aggregate(call, context)?.1);
                }
                Node::Call(call) if call.name == "tuple" => {
                    let field = |node: &Node| -> Result<(Option<String>, SqlType)> {
                        Ok((None, self.type_before_grouping(node, context)?))
                    };
                    return Ok(SqlType::Tuple(call.arguments.iter().map(field).collect::<Result<_>>()?));
                }
                _ => {}
            }
        }
        Ok(self.expr(node, context)?.kind)
    }

    /// `tp.*`: the fields of a tuple, or of the tuples of an array, or a map's keys and values, each with its own name and how it is
    /// shown. `None`: nothing is called so. Error: UNSUPPORTED_METHOD of what has no fields.
    fn fields_of(&self, parts: &[String], scope: &Scope) -> Result<Option<Vec<(String, Item)>>> {
        let Ok(typed) = self.name(parts, &scope.rows()) else { return Ok(None) };
        let shown = self.column_name(parts, scope);
        let element = match typed.kind.plain() {
            SqlType::Array(element) => element.plain(),
            kind => kind,
        };
        let whole = || Node::Name(parts.to_vec());
        let fields: Vec<(String, Node)> = match (typed.kind.plain(), element) {
            (_, SqlType::Tuple(fields)) => {
                let field = |(at, (name, _)): (usize, &(Option<String>, SqlType))| {
                    let node = call("tupleElement", vec![whole(), translate::integer(at as i128 + 1)]);
                    (name.clone().unwrap_or_else(|| (at + 1).to_string()), node)
                };
                fields.iter().enumerate().map(field).collect()
            }
            (SqlType::Map(..), _) => ["keys", "values"]
                .map(|part| (part.to_string(), Node::Name(parts.iter().cloned().chain([part.to_string()]).collect())))
                .into(),
            (kind, _) => {
                let name = parts.join(".");
                let text = format!("{name}.* is of a tuple, of an array of tuples, or of a map; {name} is of type {kind}");
                return Err(Error::new(ErrorCode::UNSUPPORTED_METHOD, text));
            }
        };
        let item = |(field, node): (String, Node)| (field.clone(), Item { name: format!("{shown}.{field}"), node });
        Ok(Some(fields.into_iter().map(item).collect()))
    }

    /// The name of a column that an expression becomes.
    pub(crate) fn shown(&self, node: &Node, scope: &Scope) -> String {
        match node {
            Node::Aliased(_, alias) => alias.clone(),
            Node::Name(parts) => self.column_name(parts, scope),
            other => format!("{:#}", with_shown_names(other, scope)),
        }
    }

    /// `t.a` is shown as `a` where nothing else has that name.
    pub(crate) fn column_name(&self, parts: &[String], scope: &Scope) -> String {
        if let [name] = parts
            && scope.given_names.contains(name)
        {
            return name.clone();
        }
        shown_name(parts, scope).join(".")
    }
}

fn is_untuple(node: &Node) -> bool {
    matches!(node, Node::Call(call) if call.name == "untuple")
}

fn regex(pattern: &str) -> Result<regex::Regex> {
    regex::Regex::new(pattern).map_err(|error| {
        Error::new(ErrorCode::CANNOT_COMPILE_REGEXP, format!("The pattern '{pattern}' of column names is wrong: {error}"))
    })
}

fn shown_name(parts: &[String], scope: &Scope) -> Vec<String> {
    if let Some(column) = scope.column_of(parts) {
        return scope.shown(column);
    }
    // `t.a.x`: a part of a column stands behind it, as that is shown.
    for end in (1..parts.len()).rev() {
        let (named, part) = parts.split_at(end);
        if let Some(column) = scope.column_of(named)
            && column.name != named.join(".")
        {
            return scope.shown(column).into_iter().chain(part.iter().cloned()).collect();
        }
    }
    parts.to_vec()
}

/// An expression with its columns as they are shown.
fn with_shown_names(node: &Node, scope: &Scope) -> Node {
    let inside = |node: &Node| with_shown_names(node, scope);
    match node {
        Node::Name(parts) if parts.len() > 1 => Node::Name(shown_name(parts, scope)),
        Node::Call(call) => Node::Call(Call { arguments: call.arguments.iter().map(inside).collect(), ..call.clone() }),
        Node::In { left, set, negated } => Node::In { left: Box::new(inside(left)), set: set.clone(), negated: *negated },
        other => other.clone(),
    }
}

/// The body of a lambda with its parameter replaced.
pub fn substituted(body: &Node, parameter: &str, value: &Node) -> Node {
    with_meant(body, &|name| (name == parameter).then(|| value.clone()))
}

/// An expression with what is meant by the names that stand by themselves in it, parameters of its lambdas aside.
pub(super) fn with_meant(node: &Node, meant: &dyn Fn(&str) -> Option<Node>) -> Node {
    let inside = |node: &Node| with_meant(node, meant);
    match node {
        Node::Name(parts) => match &parts[..] {
            [name] => meant(name).unwrap_or_else(|| node.clone()),
            _ => node.clone(),
        },
        Node::Call(call) => {
            let mut call = call.clone();
            call.arguments = call.arguments.iter().map(inside).collect();
            call.filter = call.filter.map(|node| Box::new(inside(&node)));
            Node::Call(call)
        }
        Node::In { left, set, negated } => {
            let set = match set {
                InSet::List(list) => InSet::List(list.iter().map(inside).collect()),
                InSet::Other(node) => InSet::Other(Box::new(inside(node))),
                InSet::Query(query) => InSet::Query(query.clone()),
            };
            Node::In { left: Box::new(inside(left)), set, negated: *negated }
        }
        Node::Aliased(inner, alias) => Node::Aliased(Box::new(inside(inner)), alias.clone()),
        Node::Lambda { parameters, body } => {
            let outside = |name: &str| if parameters.iter().any(|known| known == name) { None } else { meant(name) };
            Node::Lambda { parameters: parameters.clone(), body: Box::new(with_meant(body, &outside)) }
        }
        other => other.clone(),
    }
}

/// What REPLACE puts in the place of a column: the names that it gives are those of the columns in it.
fn of_columns(node: &Node, given: &[(Node, String)], scope: &Scope) -> Node {
    with_meant(node, &|name| {
        let column = given.iter().any(|(_, known)| known == name).then(|| scope.column_of(&[name.to_string()]));
        column.flatten().map(|column| star_name(column, scope))
    })
}

/// The names that REPLACE behind a star gives.
fn replaced_names(node: &Node) -> impl Iterator<Item = &String> {
    let steps = match node {
        Node::Star(star) => &star.steps[..],
        _ => &[],
    };
    let given = steps.iter().filter_map(|step| match step {
        StarStep::Replace { items, .. } => Some(items),
        _ => None,
    });
    given.flatten().map(|(_, name)| name)
}

/// What REPLACE gives a name to is meant by it in the whole SELECT.
fn note_replaced(star: &Star, items: &[Item], scope: &mut Scope) {
    for step in &star.steps {
        let StarStep::Replace { items: given, .. } = step else { continue };
        for (node, name) in given {
            if items.iter().any(|item| item.name == *name) && !scope.aliases.contains_key(name) {
                let meant = of_columns(node, given, scope);
                scope.aliases.insert(name.clone(), meant);
            }
        }
    }
}

/// A column that a star stands for, named so that it is found again whatever else has its name.
fn star_name(column: &ScopeColumn, scope: &Scope) -> Node {
    let mut parts = column.qualifier.clone();
    if parts.is_empty() {
        let is_other = |other: &&ScopeColumn| !other.hidden && other.name == column.name && !std::ptr::eq(*other, column);
        let others: Vec<&ScopeColumn> = scope.columns.iter().filter(is_other).collect();
        let is_given = scope.given_names.contains(&column.name) || scope.replaced_names.contains(&column.name);
        if others.iter().any(|other| other.qualifier.is_empty()) {
            let place = scope.columns.iter().position(|known| std::ptr::eq(known, column));
            parts.extend(place.map(|place| format!("{OF_PLACE}{place}")));
        } else if is_given || !others.is_empty() {
            parts.push(OF_NO_TABLE.to_string());
        }
    }
    parts.push(column.name.clone());
    Node::Name(parts)
}

/// Adds the names that parts of the expressions are given.
pub(super) fn add_given_names<'n>(nodes: impl IntoIterator<Item = &'n Node>, names: &mut HashSet<String>) {
    for node in nodes {
        node.walk(&mut |node| {
            if let Node::Aliased(_, alias) = node {
                names.insert(alias.clone());
            }
            true
        });
    }
}

/// Aliases in an expression count for the whole SELECT.
pub(super) fn note_aliases(node: &Node, scope: &mut Scope) -> Result<()> {
    let mut found: Vec<(String, Node)> = Vec::new();
    node.walk(&mut |node| {
        if let Node::Aliased(inner, alias) = node {
            found.push((alias.clone(), inner.as_ref().clone()));
        }
        true
    });
    for (alias, node) in found {
        if let Some(known) = scope.aliases.get(&alias)
            && *known != node
        {
            return Err(Error::new(
                ErrorCode::MULTIPLE_EXPRESSIONS_FOR_ALIAS,
                format!("Different expressions with the same alias {alias}: {known} and {node}"),
            ));
        }
        scope.aliases.insert(alias, node);
    }
    Ok(())
}
