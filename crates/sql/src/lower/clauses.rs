//! What a join looks up in the SELECT that it stands in, before that is lowered: which names its clauses use, and what they give
//! names to. ON may use aliases of all clauses, which come before columns; SEMI and ANTI joins are cheaper where nothing is asked of
//! their other side.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr, JoinConstraint, JoinOperator, Select, SelectItem,
    TableFactor, Visit, Visitor,
};

use super::Analyzer;
use super::from::Relation;
use super::items::with_meant;
use super::joins::Condition;
use super::limits::Tail;
use super::tables::TableReference;
use crate::ast::{Node, unescape_identifier};
use crate::rewrite::joins::ARRAY_JOIN;
use crate::rewrite::stars::STAR;
use crate::syntax_tree::constraint_of;
use crate::translate;

/// Aliases of aliases that ON is looked through for, and names in it that aliases stand for.
const STEPS_MOST: usize = 16;
const NAMES_MOST: usize = 10_000;

#[derive(Default)]
pub(crate) struct Clauses {
    /// Whether `*` or the like stands in the SELECT.
    stars: bool,
    /// Names with what stands before them, but for the conditions of SEMI and ANTI joins.
    names: HashSet<Vec<String>>,
    pub aliases: HashMap<String, Node>,
}

impl Clauses {
    /// Of a SELECT without joins nothing is noted.
    pub fn of(select: &Select, tail: &Tail, scalars: &HashMap<String, Node>) -> Clauses {
        let mut clauses = Clauses::default();
        if select.from.iter().all(|from| from.joins.is_empty()) {
            return clauses;
        }
        clauses.aliases = scalars.clone();
        add_aliases_of_items(select, &mut clauses.aliases);
        let keys = match &select.group_by {
            GroupByExpr::Expressions(keys, _) => &keys[..],
            GroupByExpr::All(_) => &[],
        };
        let conditions = [&select.prewhere, &select.selection, &select.having, &select.qualify];
        for node in conditions.into_iter().flatten().chain(keys).filter_map(|expr| translate::node(expr).ok()) {
            add_aliases(&node, &mut clauses.aliases);
        }
        tail.order_by.iter().for_each(|key| add_aliases(&key.node, &mut clauses.aliases));
        let mut select = select.clone();
        for join in select.from.iter_mut().flat_map(|from| &mut from.joins) {
            if let JoinOperator::Semi(constraint)
            | JoinOperator::LeftSemi(constraint)
            | JoinOperator::RightSemi(constraint)
            | JoinOperator::Anti(constraint)
            | JoinOperator::LeftAnti(constraint)
            | JoinOperator::RightAnti(constraint) = &mut join.join_operator
            {
                *constraint = JoinConstraint::None;
            }
        }
        let wildcard = |item: &SelectItem| matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..));
        clauses.stars = select.projection.iter().any(wildcard);
        let _ = select.visit(&mut clauses);
        let keys = tail.order_by.iter().map(|key| &key.node).chain(tail.limit_by.iter().flat_map(|by| &by.keys));
        for node in keys.chain(scalars.values()) {
            node.walk(&mut |node| {
                if let Node::Name(parts) = node {
                    clauses.names.insert(parts.clone());
                }
                true
            });
        }
        clauses
    }
}

/// What a SELECT list gives names to, wherever in its expressions.
pub(super) fn add_aliases_of_items(select: &Select, aliases: &mut HashMap<String, Node>) {
    for item in select.projection.iter().filter_map(|item| translate::select_item(item).ok()) {
        add_aliases(&item, aliases);
    }
}

fn add_aliases(node: &Node, aliases: &mut HashMap<String, Node>) {
    node.walk(&mut |node| {
        if let Node::Aliased(inner, alias) = node {
            aliases.insert(alias.clone(), inner.as_ref().clone());
        }
        true
    });
}

/// What the expressions of FROM give names to: arguments of table functions, conditions of joins. The elements of ARRAY JOIN
/// have names too, but are its columns.
pub(super) fn nodes_of_from(select: &Select) -> Vec<Node> {
    let mut nodes = Vec::new();
    let of_function = |factor: &TableFactor, nodes: &mut Vec<Node>| {
        if let Ok(Some(TableReference::Function(name, arguments))) = TableReference::of(factor)
            && name != ARRAY_JOIN
        {
            nodes.extend(arguments);
        }
    };
    for from in &select.from {
        of_function(&from.relation, &mut nodes);
        for join in &from.joins {
            of_function(&join.relation, &mut nodes);
            if let Some(JoinConstraint::On(condition)) = constraint_of(&join.join_operator) {
                nodes.extend(translate::node(condition));
            }
        }
    }
    nodes
}

impl Visitor for Clauses {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        match expr {
            Expr::Identifier(name) => {
                self.names.insert(vec![unescape_identifier(name)]);
            }
            Expr::CompoundIdentifier(parts) => {
                self.names.insert(parts.iter().map(unescape_identifier).collect());
            }
            Expr::CompoundFieldAccess { .. } => {
                if let Ok(Node::Name(parts)) = translate::node(expr) {
                    self.names.insert(parts);
                }
            }
            Expr::Function(function) => {
                let name = function.name.to_string();
                let is_star = |argument: &FunctionArg| {
                    matches!(
                        argument,
                        FunctionArg::Unnamed(FunctionArgExpr::Wildcard | FunctionArgExpr::QualifiedWildcard(_))
                    )
                };
                let takes_star = matches!(&function.args, FunctionArguments::List(list) if list.args.iter().any(is_star));
                let is_star = ["__except", "__replace", "__apply", STAR].iter().any(|known| name.starts_with(known))
                    || name.to_ascii_uppercase().ends_with("COLUMNS");
                self.stars |= is_star || (takes_star && !name.eq_ignore_ascii_case("count"));
            }
            Expr::Wildcard(_) | Expr::QualifiedWildcard(..) => self.stars = true,
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

impl Analyzer<'_> {
    /// Whether the SELECT names a column of `other` that `kept` has not.
    pub(super) fn asks_of(&self, other: &Relation, kept: &Relation) -> bool {
        let clauses = self.clauses.borrow();
        let Some(clauses) = clauses.last() else { return true };
        let (other, kept) = (other.scope(), kept.scope());
        clauses.stars || clauses.names.iter().any(|parts| has(&other, parts) && !has(&kept, parts))
    }

    /// A condition of ON with what its aliases stand for. A name that is a column of a side as well means the column where the setting
    /// says so, and where the alias is of something that this join does not know.
    pub(super) fn without_aliases(&self, condition: Condition, left: &Relation, right: &Relation) -> Condition {
        let Condition::On(mut parts) = condition else { return condition };
        let clauses = self.clauses.borrow();
        let Some(aliases) = clauses.last().map(|clauses| &clauses.aliases).filter(|aliases| !aliases.is_empty()) else {
            return Condition::On(parts);
        };
        let (left, right) = (left.scope(), right.scope());
        let is_column = |parts: &[String]| has(&left, parts) || has(&right, parts);
        let is_known = |node: &Node| {
            let mut known = true;
            node.walk(&mut |node| {
                known &= match node {
                    Node::Name(parts) => is_column(parts),
                    Node::Star(_) | Node::Lambda { .. } => false,
                    // It makes rows, which a join does not.
                    Node::Call(call) => call.name != "arrayJoin",
                    _ => true,
                };
                known
            });
            known
        };
        let given = |name: &str| {
            let node = aliases.get(name)?;
            let means_column =
                is_column(&[name.to_string()]) && (self.settings.prefer_column_name_to_alias || !is_known(node));
            (!means_column).then_some(node)
        };
        let left_to_read = Cell::new(NAMES_MOST);
        for part in &mut parts {
            *part = read(part, &given, &[], &left_to_read);
        }
        Condition::On(parts)
    }
}

/// An expression with what is given its names put in, and what is given the names in that. An alias in its own definition is a column.
fn read<'n>(node: &Node, given: &dyn Fn(&str) -> Option<&'n Node>, reading: &[String], left: &Cell<usize>) -> Node {
    with_meant(node, &|name| {
        if reading.len() == STEPS_MOST || left.get() == 0 || reading.iter().any(|known| known == name) {
            return None;
        }
        let meant = given(name)?;
        left.set(left.get() - 1);
        let reading: Vec<String> = reading.iter().cloned().chain([name.to_string()]).collect();
        Some(read(meant, given, &reading, left))
    })
}

/// Whether a name, or what it begins with, is a column.
fn has(scope: &super::Scope, parts: &[String]) -> bool {
    (1..=parts.len()).any(|end| {
        let parts = &parts[..end];
        (0..end).any(|split| !scope.named(&parts[split..].join("."), &parts[..split]).is_empty())
    })
}
