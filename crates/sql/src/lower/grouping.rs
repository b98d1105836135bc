//! GROUP BY: its keys, and the sets of keys that ROLLUP, CUBE and GROUPING SETS group by.
//!
//! Keys that a set leaves out have their type's default (NULL with `group_by_use_nulls`); `grouping(key)` is 1 there.

use std::collections::{BTreeSet, HashSet};

use datafusion::common::Column;
use datafusion::functions_aggregate::count::count;
use datafusion::logical_expr::expr::{Case, GroupingSet};
use datafusion::logical_expr::{Aggregate, Expr, LogicalPlan, LogicalPlanBuilder, Operator, cast, lit};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use sqlparser::ast::{Expr as Ast, GroupByExpr, GroupByWithModifier, Select};

use super::aggregates::Grouped;
use super::items::Item;
use super::scope::{Context, Scope};
use super::{Analyzer, Typed};
use crate::ast::{Call, InSet, Literal, Node};
use crate::rewrite::totals::NO_KEYS;
use crate::translate;

/// Most keys of CUBE: it groups by every subset.
const CUBE_KEYS_MAX: usize = 12;
/// Keys of all sets together: each is a bit of a set's number, in which DataFusion needs one more.
const SET_KEYS_MAX: usize = 63;

/// The keys of GROUP BY, and the sets of them where there are several.
#[derive(Default)]
pub(crate) struct Keys {
    pub nodes: Vec<Node>,
    pub sets: Option<Vec<Vec<usize>>>,
    /// There is a GROUP BY, be it of nothing.
    pub is_written: bool,
    /// There is none, and it stands there for WITH TOTALS alone.
    pub is_absent: bool,
    /// The sets are those of ROLLUP or CUBE.
    pub rolled: bool,
    /// The query gives the row of WITH TOTALS (see `totals`).
    pub totals: bool,
}

/// `grouping` as the standard has it, whatever `force_grouping_standard_compatibility` says: no name that can be written.
pub(crate) const GROUPING_BITS: &str = " grouping";

impl Analyzer<'_> {
    /// Positions replaced, ALL expanded. `None`: there is no GROUP BY.
    pub(crate) fn key_nodes(&self, select: &Select, items: &[Item], scope: &Scope) -> Result<Option<Keys>> {
        let (mut keys, modifiers) = match &select.group_by {
            GroupByExpr::All(modifiers) => {
                let mut nodes = Vec::new();
                items.iter().for_each(|item| self.add_keys_of(&item.node, &scope.rows(), &mut nodes));
                let is_constant = |node: &Node| matches!(node.bare(), Node::Literal(_));
                // By constants alone nothing is grouped.
                if modifiers.is_empty() && nodes.iter().all(is_constant) {
                    return Ok(None);
                }
                (Keys { nodes, ..Keys::default() }, modifiers)
            }
            GroupByExpr::Expressions(exprs, modifiers) => {
                if exprs.is_empty() && modifiers.is_empty() {
                    return Ok(None);
                }
                (self.keys(exprs, items, scope)?, modifiers)
            }
        };
        keys.is_written = !keys.is_absent;
        for modifier in modifiers {
            if keys.sets.is_some() && matches!(modifier, GroupByWithModifier::Rollup | GroupByWithModifier::Cube) {
                return Err(Error::not_implemented("ROLLUP and CUBE together, or beside GROUPING SETS"));
            }
            let all: Vec<Vec<usize>> = (0..keys.nodes.len()).map(|at| vec![at]).collect();
            match modifier {
                GroupByWithModifier::Rollup => (keys.sets, keys.rolled) = (Some(rollup(&all)), true),
                GroupByWithModifier::Cube => (keys.sets, keys.rolled) = (Some(cube(&all)?), true),
                // Computed by a query of its own, which has a set of no keys behind the word.
                GroupByWithModifier::Totals => {
                    keys.totals = matches!(modifiers[..], [_, GroupByWithModifier::GroupingSets(_)]);
                }
                GroupByWithModifier::GroupingSets(Ast::GroupingSets(sets)) => {
                    keys.sets = Some(self.sets_of(sets, items, &mut keys.nodes)?);
                }
                GroupByWithModifier::GroupingSets(other) => {
                    return Err(Error::not_implemented(format!("GROUPING SETS {other}")));
                }
            }
        }
        Ok(Some(keys))
    }

    /// GROUP BY ALL: what has no aggregate in it is a key, and so are the parts without one of what has.
    fn add_keys_of<'n>(&self, node: &'n Node, context: &Context<'n>, keys: &mut Vec<Node>) {
        let is_grouping = |call: &Call| call.name.eq_ignore_ascii_case("grouping");
        let is_computed_above = |call: &Call| call.over.is_some() || self.is_aggregate(&call.name) || is_grouping(call);
        if !self.mentions(node, context, &is_computed_above) {
            if !keys.contains(node) {
                keys.push(node.clone());
            }
            return;
        }
        // A constant within another expression is no key: it would be one that sets of keys leave out.
        let mut inside = |nodes: &'n [Node]| {
            let others = nodes.iter().filter(|node| !matches!(node.bare(), Node::Literal(_)));
            others.for_each(|node| self.add_keys_of(node, context, keys));
        };
        match node {
            Node::Aliased(inner, alias) => self.add_keys_of(inner, &context.expanding(alias), keys),
            Node::Call(call) => {
                if let Some(window) = &call.over {
                    inside(&call.arguments);
                    inside(&window.partition_by);
                    window.order_by.iter().for_each(|key| inside(std::slice::from_ref(&key.node)));
                } else if !self.is_aggregate(&call.name) && !is_grouping(call) {
                    inside(&call.arguments);
                }
            }
            Node::In { left, set, .. } => {
                inside(std::slice::from_ref(left.as_ref()));
                if let InSet::List(list) = set {
                    inside(list);
                }
            }
            Node::Name(parts) => {
                if let [name] = &parts[..]
                    && let Some(definition) = context.alias(name)
                {
                    self.add_keys_of(definition, &context.expanding(name), keys);
                }
            }
            _ => {}
        }
    }

    fn keys(&self, exprs: &[Ast], items: &[Item], scope: &Scope) -> Result<Keys> {
        let mut keys = Keys::default();
        match exprs {
            [Ast::Rollup(sets)] => {
                (keys.sets, keys.rolled) = (Some(rollup(&self.sets_of(sets, items, &mut keys.nodes)?)), true);
            }
            [Ast::Cube(sets)] => {
                (keys.sets, keys.rolled) = (Some(cube(&self.sets_of(sets, items, &mut keys.nodes)?)?), true);
            }
            [Ast::GroupingSets(sets)] => keys.sets = Some(self.sets_of(sets, items, &mut keys.nodes)?),
            _ => {
                for expr in exprs {
                    if is_sets(expr) {
                        return Err(Error::not_implemented("ROLLUP, CUBE or GROUPING SETS beside other keys of GROUP BY"));
                    }
                    let node = translate::node(expr)?;
                    match self.positional(&node, items)?.clone() {
                        Node::Call(call) if call.name == NO_KEYS => keys.is_absent = true,
                        // GROUP BY (a, b)
                        Node::Call(call) if call.name == "tuple" => keys.nodes.extend(call.arguments),
                        Node::Star(star) => keys.nodes.extend(self.star(&star, scope)?.into_iter().map(|item| item.node)),
                        node => keys.nodes.push(node),
                    }
                }
            }
        }
        Ok(keys)
    }

    /// Sets of keys as their numbers; keys not yet seen are added.
    fn sets_of(&self, sets: &[Vec<Ast>], items: &[Item], nodes: &mut Vec<Node>) -> Result<Vec<Vec<usize>>> {
        let mut out = Vec::new();
        for set in sets {
            let mut numbers = Vec::new();
            for expr in set {
                let node = translate::node(expr)?;
                let node = self.positional(&node, items)?.clone();
                let at = nodes.iter().position(|known| *known == node).unwrap_or_else(|| {
                    nodes.push(node);
                    nodes.len() - 1
                });
                numbers.push(at);
            }
            out.push(numbers);
        }
        Ok(out)
    }

    /// `ORDER BY 2` means the second column, `ORDER BY -1` the last one.
    pub(crate) fn positional<'n>(&self, node: &'n Node, items: &'n [Item]) -> Result<&'n Node> {
        match node {
            Node::Literal(Literal::Integer(position)) if self.settings.enable_positional_arguments => {
                let index = place_of(*position, items.len());
                index.and_then(|index| items.get(index)).map(|item| &item.node).ok_or_else(|| {
                    let text =
                        format!("Positional argument out of bounds: {position} (expected in range [1, {}])", items.len());
                    Error::new(ErrorCode::BAD_ARGUMENTS, text)
                })
            }
            _ => Ok(node),
        }
    }

    pub(crate) fn grouping(&self, keys: &Keys, scope: &Scope) -> Result<Grouped> {
        let mut grouped = Grouped::default();
        let rows = scope.rows();
        // The number among the grouped keys of each key that is written.
        let mut places: Vec<Option<usize>> = Vec::new();
        let mut constants: Vec<(&Node, usize)> = Vec::new();
        for node in &keys.nodes {
            if self.has_aggregate(node, &scope.rows()) {
                return Err(Error::new(ErrorCode::ILLEGAL_AGGREGATION, format!("Aggregate function in GROUP BY: {node}")));
            }
            let typed = self.as_value(self.expr(node, &scope.rows())?)?;
            let varies = keys.sets.is_some() && is_no_constant(node, &scope.rows());
            if matches!(typed.expr, Expr::Literal(..)) && !varies {
                // Constants group nothing apart. Where there are sets they make another group of the same rows in each; what the
                // query shows of them stays the constant, so that the key goes by a name which nothing else has.
                if keys.sets.is_some() {
                    let meant = meant_by(node, &rows);
                    if let Some((_, at)) = constants.iter().find(|(known, _)| *known == meant) {
                        places.push(Some(*at));
                        continue;
                    }
                    constants.push((meant, grouped.keys.len()));
                    places.push(Some(grouped.keys.len()));
                    let name = self.unique(&node.to_string());
                    let column = Expr::Column(Column::new_unqualified(&name));
                    grouped.keys.push((typed.expr.alias(&name), Typed::new(column, typed.kind), name));
                } else {
                    places.push(None);
                    grouped.constants.push(typed.expr);
                }
                continue;
            }
            if let Some(at) = grouped.keys.iter().position(|(expr, _, _)| *expr == typed.expr) {
                places.push(Some(at));
                continue;
            }
            let (column, name) = match &typed.expr {
                Expr::Column(_) if keys.sets.is_none() => (typed.expr.clone(), String::new()),
                _ => {
                    let name = self.unique(&node.to_string());
                    (Expr::Column(Column::new_unqualified(&name)), name)
                }
            };
            let kind = match keys.sets {
                // In the row of totals they are the defaults of what they are themselves.
                Some(_) if self.settings.group_by_use_nulls && !keys.totals => typed.kind.clone().nullable(),
                _ => typed.kind.clone(),
            };
            places.push(Some(grouped.keys.len()));
            grouped.keys.push((typed.expr, Typed::new(column, kind), name));
        }
        grouped.drops_empty = keys.rolled
            || (keys.sets.is_none()
                && grouped.keys.is_empty()
                && (keys.is_written || self.settings.empty_result_for_aggregation_by_empty_set));
        grouped.totals = keys.totals;
        if let Some(sets) = &keys.sets {
            // Keys that are equal are one, and for ROLLUP and CUBE so are the sets that differ by them alone.
            let of_set = |set: &Vec<usize>| set.iter().filter_map(|at| places[*at]).collect::<BTreeSet<usize>>();
            let mut placed: Vec<BTreeSet<usize>> = sets.iter().map(of_set).collect();
            if keys.rolled {
                let mut seen = HashSet::new();
                placed.retain(|set| seen.insert(set.clone()));
            }
            let placed = placed.into_iter().map(|set| set.into_iter().collect()).collect();
            grouped.sets = Some((placed, self.unique("grouping_id")));
        }
        Ok(grouped)
    }

    pub(crate) fn aggregate_plan(&self, plan: LogicalPlan, grouped: &Grouped) -> Result<LogicalPlan> {
        let mut keys: Vec<Expr> = grouped
            .keys
            .iter()
            .map(|(expr, _, name)| if name.is_empty() { expr.clone() } else { expr.clone().alias(name) })
            .collect();
        let aggregates: Vec<Expr> =
            grouped.aggregates.borrow().iter().map(|(expr, name, _)| expr.clone().alias(name)).collect();
        if let Some((sets, id)) = &grouped.sets {
            return self.aggregate_sets(plan, grouped, sets, id, aggregates);
        }
        if aggregates.is_empty() && keys.is_empty() {
            keys.push(lit(1_u8).alias(self.unique("nothing")));
        }
        self.aggregate_rows(plan, keys, aggregates, grouped.drops_empty)
    }

    /// With `drops_empty` the group without rows is left out.
    pub(super) fn aggregate_rows(
        &self,
        plan: LogicalPlan,
        keys: impl IntoIterator<Item = Expr>,
        mut aggregates: Vec<Expr>,
        drops_empty: bool,
    ) -> Result<LogicalPlan> {
        let plan = LogicalPlanBuilder::from(plan);
        if !drops_empty {
            return Ok(plan.aggregate(keys, aggregates)?.build()?);
        }
        let rows = self.unique("rows");
        aggregates.push(count(lit(1_u8)).alias(&rows));
        let has_rows = Expr::Column(Column::new_unqualified(&rows)).gt(lit(0_i64));
        Ok(plan.aggregate(keys, aggregates)?.filter(has_rows)?.build()?)
    }

    fn aggregate_sets(
        &self,
        plan: LogicalPlan,
        grouped: &Grouped,
        sets: &[Vec<usize>],
        id: &str,
        mut aggregates: Vec<Expr>,
    ) -> Result<LogicalPlan> {
        check_keys_of_sets(grouped.keys.len())?;
        if sets.iter().all(Vec::is_empty) {
            let names: Vec<String> = aggregates.iter().map(|expr| expr.schema_name().to_string()).collect();
            if aggregates.is_empty() && grouped.totals {
                aggregates.push(count(lit(1_u8)).alias(self.unique("rows")));
            }
            let nothing = aggregates.is_empty().then(|| lit(1_u8).alias(self.unique("nothing")));
            let mut projection: Vec<Expr> = Vec::new();
            for (_, typed, name) in &grouped.keys {
                projection.push(lit(gristmill_types::default::default_scalar(&typed.kind)).alias(name));
            }
            projection.push(lit((1_u64 << grouped.keys.len().min(63)) - 1).alias(id));
            projection.extend(names.iter().map(|name| Expr::Column(Column::new_unqualified(name))));
            let aggregated = self.aggregate_rows(plan, nothing, aggregates, grouped.drops_empty)?;
            return Ok(LogicalPlanBuilder::from(aggregated).project(projection)?.build()?);
        }
        // The keys become columns first: what stands in the sets are names.
        let mut below: Vec<Expr> = plan.schema().columns().into_iter().map(Expr::Column).collect();
        below.extend(grouped.keys.iter().map(|(expr, _, name)| expr.clone().alias(name)));
        let key = |at: &usize| Expr::Column(Column::new_unqualified(&grouped.keys[*at].2));
        let listed = sets.iter().map(|set| set.iter().map(key).collect()).collect();
        let names: Vec<String> = aggregates.iter().map(|expr| expr.schema_name().to_string()).collect();
        let sets = Expr::GroupingSet(GroupingSet::GroupingSets(listed));
        let below = LogicalPlanBuilder::from(plan).project(below)?.build()?;
        let aggregated = self.aggregate_rows(below, [sets], aggregates, grouped.drops_empty)?;
        // In the number of the set the last key is the lowest bit, and a set bit means that the key is left out.
        let fields: Vec<String> = aggregated.schema().fields().iter().map(|field| field.name().clone()).collect();
        let keys_there = fields.iter().position(|name| name == Aggregate::INTERNAL_GROUPING_ID).unwrap_or(0);
        let set_number =
            cast(Expr::Column(Column::new_unqualified(Aggregate::INTERNAL_GROUPING_ID)), arrow::datatypes::DataType::UInt64);
        let bit = |at: usize| {
            let place = fields.iter().position(|name| *name == grouped.keys[at].2);
            place.map(|place| 1_u64 << (keys_there - 1 - place))
        };
        let mut projection = Vec::new();
        // The bits of `grouping()`: by the order in which the keys are written.
        let mut own_number: Option<Expr> = None;
        for (at, (_, typed, name)) in grouped.keys.iter().enumerate() {
            let Some(mask) = bit(at) else {
                return Err(Error::logical(format!("The key {name} is in none of the grouping sets")));
            };
            let left_out = binary(set_number.clone(), Operator::BitwiseAnd, lit(mask)).not_eq(lit(0_u64));
            let mark = Expr::Case(Case {
                expr: None,
                when_then_expr: vec![(Box::new(left_out.clone()), Box::new(lit(1_u64 << at)))],
                else_expr: Some(Box::new(lit(0_u64))),
            });
            own_number = Some(match own_number {
                None => mark,
                Some(sofar) => binary(sofar, Operator::Plus, mark),
            });
            let value = Expr::Column(Column::new_unqualified(name));
            let value = if typed.kind.is_nullable() {
                value
            } else {
                Expr::Case(Case {
                    expr: None,
                    when_then_expr: vec![(
                        Box::new(left_out),
                        Box::new(lit(gristmill_types::default::default_scalar(&typed.kind))),
                    )],
                    else_expr: Some(Box::new(value)),
                })
            };
            projection.push(value.alias(name));
        }
        projection.push(own_number.unwrap_or_else(|| lit(0_u64)).alias(id));
        projection.extend(names.iter().map(|name| Expr::Column(Column::new_unqualified(name))));
        Ok(LogicalPlanBuilder::from(aggregated).project(projection)?.build()?)
    }

    /// `grouping(a, b)`: a bit for each key, the last one lowest, set where the row's grouping leaves the key out. Where that is not
    /// `standard`: set where it has the key.
    pub(crate) fn grouping_function(&self, arguments: &[Node], context: &Context<'_>, standard: bool) -> Result<Typed> {
        let Some(grouped) = context.grouped else {
            return Err(Error::new(ErrorCode::ILLEGAL_AGGREGATION, "Function grouping stands where no GROUP BY is"));
        };
        let mut sum: Option<Expr> = None;
        for (i, node) in arguments.iter().enumerate() {
            let key = self.as_value(self.expr(node, &context.below_grouping())?)?;
            let Some(at) = grouped.keys.iter().position(|(expr, _, _)| is_key(expr, &key.expr)) else {
                if grouped.constants.contains(&key.expr) {
                    continue;
                }
                let text = format!("Argument {node} of function grouping is no key of GROUP BY");
                return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
            };
            let Some((_, id)) = &grouped.sets else { continue };
            let number = Expr::Column(Column::new_unqualified(id));
            let bit = binary(binary(number, Operator::BitwiseShiftRight, lit(at as u64)), Operator::BitwiseAnd, lit(1_u64));
            let bit = binary(bit, Operator::BitwiseShiftLeft, lit((arguments.len() - 1 - i) as u64));
            sum = Some(match sum {
                None => bit,
                Some(sofar) => binary(sofar, Operator::Plus, bit),
            });
        }
        let sum = sum.unwrap_or_else(|| lit(0_u64));
        let all = (1_u64 << arguments.len().min(63)) - 1;
        Ok(Typed::new(if standard { sum } else { binary(sum, Operator::BitwiseXor, lit(all)) }, SqlType::UInt64))
    }
}

/// What a key is when the aliases are followed that it may be.
fn meant_by<'n>(node: &'n Node, context: &Context<'n>) -> &'n Node {
    let bare = node.bare();
    match bare {
        Node::Name(parts) => match &parts[..] {
            [name] => context.alias(name).map_or(bare, |node| meant_by(node, &context.expanding(name))),
            _ => bare,
        },
        _ => bare,
    }
}

/// Whether ClickHouse computes the function row by row though its arguments are constants: sets that leave the key out show its
/// type's default then.
fn is_no_constant(node: &Node, context: &Context<'_>) -> bool {
    const NEVER_CONSTANT: &[&str] = &[
        "arrayAUC",
        "arrayShiftLeft",
        "arrayShiftRight",
        "caseWithExpression",
        "concatWithSeparator",
        "concat_ws",
        "extractKeyValuePairs",
        "extractKeyValuePairsWithEscaping",
        "hasSubsequence",
        "identity",
        "isDecimalOverflow",
        "leftPad",
        "leftPadUTF8",
        "rightPad",
        "rightPadUTF8",
        "transform",
    ];
    match node.bare() {
        Node::Call(call) => NEVER_CONSTANT.contains(&call.name.as_str()),
        Node::Name(parts) => match &parts[..] {
            [name] => context.alias(name).is_some_and(|node| is_no_constant(node, &context.expanding(name))),
            _ => false,
        },
        _ => false,
    }
}

/// Whether a key of GROUP BY is this expression: constants among the keys of sets go by names of their own.
fn is_key(key: &Expr, wanted: &Expr) -> bool {
    key == wanted || matches!(key, Expr::Alias(alias) if *alias.expr == *wanted)
}

/// Which of so many columns a position means.
pub(super) fn place_of(position: i128, columns: usize) -> Option<usize> {
    if position < 0 { usize::try_from(columns as i128 + position).ok() } else { usize::try_from(position - 1).ok() }
}

/// Whether a key of GROUP BY is a set of keys.
pub(super) fn is_sets(expr: &Ast) -> bool {
    matches!(expr, Ast::Rollup(_) | Ast::Cube(_) | Ast::GroupingSets(_))
}

/// Error: NOT_IMPLEMENTED.
pub(super) fn check_keys_of_sets(keys: usize) -> Result<()> {
    match keys <= SET_KEYS_MAX {
        true => Ok(()),
        false => Err(Error::not_implemented(format!("Sets of {keys} keys in GROUP BY, which are more than {SET_KEYS_MAX}"))),
    }
}

fn binary(left: Expr, operator: Operator, right: Expr) -> Expr {
    datafusion::logical_expr::binary_expr(left, operator, right)
}

/// (a, b, c), (a, b), (a), ()
fn rollup(keys: &[Vec<usize>]) -> Vec<Vec<usize>> {
    (0..=keys.len()).rev().map(|count| keys[..count].iter().flatten().copied().collect()).collect()
}

/// Every subset, the whole first.
fn cube(keys: &[Vec<usize>]) -> Result<Vec<Vec<usize>>> {
    if keys.len() > CUBE_KEYS_MAX {
        let text = format!("CUBE of {} keys: at most {CUBE_KEYS_MAX}", keys.len());
        return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
    }
    Ok((0..1_usize << keys.len())
        .rev()
        .map(|bits| {
            let chosen = keys.iter().enumerate().filter(|(at, _)| bits & (1 << (keys.len() - 1 - at)) != 0);
            chosen.flat_map(|(_, key)| key.iter().copied()).collect()
        })
        .collect())
}
