//! Joins with a condition.
//!
//! INNER, LEFT, RIGHT, FULL, SEMI and ANTI are DataFusion's. The strictness ANY keeps one row a key of the side that must
//! not multiply (of both for INNER) before the join; with conditions that are no keys it is in `any_join.rs`. ASOF is in `asof.rs`, SEMI and ANTI with both sides' columns in `exists_join.rs`. Where an outer join finds no match, columns get
//! the defaults of their types (NULL with `join_use_nulls`): a mark column that is NULL there tells.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use datafusion::common::{Column, JoinType};
use datafusion::functions_window::row_number::row_number_udwf;
use datafusion::logical_expr::expr::{Case, Sort, WindowFunction, WindowFunctionParams};
use datafusion::logical_expr::{
    Expr, LogicalPlan, LogicalPlanBuilder, Operator, WindowFrame, WindowFunctionDefinition, binary_expr, lit,
};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::supertype::least_supertype;
use sqlparser::ast::{JoinConstraint, JoinOperator, Query, TableFactor};

use super::from::Relation;
use super::operators::compares_natively;
use super::scope::{Scope, ScopeColumn};
use super::{Analyzer, Typed};
use crate::ast::{Node, call};
use crate::rewrite::joins::{ALL_JOIN, ANY_JOIN, ASOF_JOIN};
use crate::translate;

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Strictness {
    All,
    Any,
    Asof,
}

/// What the column is called that tells of a side's rows from those that are missing there, before its number: nobody would call one of his so.
pub const MARK_OF_MATCH: &str = "is matched";

/// What a join compares: the parts of ON that AND connects, or names.
pub(crate) enum Condition {
    On(Vec<Node>),
    Using(Vec<String>),
}

impl Relation {
    pub(crate) fn scope(&self) -> Scope {
        Scope { columns: self.columns.clone(), ..Scope::default() }
    }
}

impl Analyzer<'_> {
    pub(crate) fn join(
        &self,
        left: Relation,
        factor: &TableFactor,
        operator: &JoinOperator,
        ctes: &Rc<HashMap<String, Query>>,
    ) -> Result<Relation> {
        if let Some(operator) = self.natural(&left, factor, operator, ctes)? {
            return self.join(left, factor, &operator, ctes);
        }
        let (kind, constraint) = match operator {
            JoinOperator::Join(constraint) | JoinOperator::Inner(constraint) => (JoinType::Inner, constraint),
            JoinOperator::Left(constraint) | JoinOperator::LeftOuter(constraint) => (JoinType::Left, constraint),
            JoinOperator::Right(constraint) | JoinOperator::RightOuter(constraint) => (JoinType::Right, constraint),
            JoinOperator::FullOuter(constraint) => (JoinType::Full, constraint),
            JoinOperator::LeftSemi(constraint) | JoinOperator::Semi(constraint) => (JoinType::LeftSemi, constraint),
            JoinOperator::RightSemi(constraint) => (JoinType::RightSemi, constraint),
            JoinOperator::LeftAnti(constraint) | JoinOperator::Anti(constraint) => (JoinType::LeftAnti, constraint),
            JoinOperator::RightAnti(constraint) => (JoinType::RightAnti, constraint),
            JoinOperator::CrossJoin(_) => return self.cross(left, self.factor(factor, ctes)?),
            JoinOperator::CrossApply => return self.paste(left, self.factor(factor, ctes)?),
            JoinOperator::ArrayJoin | JoinOperator::InnerArrayJoin => return self.array_join(left, factor, false),
            JoinOperator::LeftArrayJoin => return self.array_join(left, factor, true),
            other => return Err(Error::not_implemented(format!("JOIN of the kind {other:?}"))),
        };
        let right = self.factor(factor, ctes)?;
        let (strictness, condition) = condition(constraint)?;
        let condition = self.without_aliases(condition, &left, &right);
        if self.totals.of_from.get() {
            let kind = match kind {
                JoinType::LeftSemi | JoinType::LeftAnti => JoinType::Left,
                JoinType::RightSemi | JoinType::RightAnti => JoinType::Right,
                kind => kind,
            };
            return self.equi_join(left, right, kind, &condition);
        }
        if matches!(kind, JoinType::LeftSemi | JoinType::RightSemi | JoinType::LeftAnti | JoinType::RightAnti) {
            return self.exists_join(left, right, kind, &condition);
        }
        let strictness = match strictness {
            Some(strictness) => strictness,
            None => self.default_strictness()?,
        };
        match strictness {
            Strictness::Asof => self.asof_join(left, right, kind, &condition),
            Strictness::Any if kind != JoinType::Full && !self.joins_by_keys(&left, &right, &condition)? => {
                self.any_of_matches(left, right, kind, &condition)
            }
            Strictness::Any => {
                let (left, right) = self.one_a_key(left, right, kind, &condition)?;
                self.equi_join(left, right, kind, &condition)
            }
            Strictness::All => self.equi_join(left, right, kind, &condition),
        }
    }

    /// That of a JOIN without a word for it. Errors: EXPECTED_ALL_OR_ANY.
    fn default_strictness(&self) -> Result<Strictness> {
        match self.settings.join_default_strictness.to_ascii_uppercase().as_str() {
            "ALL" => Ok(Strictness::All),
            "ANY" => Ok(Strictness::Any),
            _ => Err(Error::new(
                ErrorCode::EXPECTED_ALL_OR_ANY,
                "Expected ANY or ALL before JOIN, because setting (join_default_strictness) is empty",
            )),
        }
    }

    /// `PASTE JOIN`: the first row beside the first, the second beside the second, up to the end of the shorter side.
    fn paste(&self, left: Relation, right: Relation) -> Result<Relation> {
        let (left_number, right_number) = (self.unique("row_number"), self.unique("row_number"));
        let left_plan = super::places::numbered(left.plan, &left_number)?;
        let right_plan = super::places::numbered(right.plan, &right_number)?;
        let column = |name: String| Expr::Column(Column::new_unqualified(name));
        let (left_number, right_number) = (column(left_number), column(right_number));
        let plan = LogicalPlanBuilder::from(left_plan).join_on(
            right_plan,
            JoinType::Inner,
            [left_number.clone().eq(right_number)],
        )?;
        let plan = plan.sort([left_number.sort(true, false)])?.build()?;
        Ok(Relation { plan, columns: left.columns.into_iter().chain(right.columns).collect() })
    }

    /// Adds the number of each row, or of each row among those with equal keys, in whatever order.
    pub(crate) fn numbered(&self, plan: LogicalPlan, keys: &[Expr]) -> Result<(LogicalPlan, Expr)> {
        self.numbered_by(plan, keys, Vec::new())
    }

    /// As `numbered`, in an order.
    pub(super) fn numbered_by(&self, plan: LogicalPlan, keys: &[Expr], order_by: Vec<Sort>) -> Result<(LogicalPlan, Expr)> {
        let name = self.unique("row_number");
        let params = WindowFunctionParams {
            args: Vec::new(),
            partition_by: keys.to_vec(),
            window_frame: WindowFrame::new((!order_by.is_empty()).then_some(true)),
            order_by,
            filter: None,
            null_treatment: None,
            distinct: false,
        };
        let number = Expr::WindowFunction(Box::new(WindowFunction {
            fun: WindowFunctionDefinition::WindowUDF(row_number_udwf()),
            params,
        }));
        let plan = LogicalPlanBuilder::from(plan).window(vec![number.alias(&name)])?.build()?;
        Ok((plan, Expr::Column(Column::new_unqualified(name))))
    }

    /// ANY: of the rows with equal keys, one.
    pub(super) fn one_a_key(
        &self,
        mut left: Relation,
        mut right: Relation,
        kind: JoinType,
        condition: &Condition,
    ) -> Result<(Relation, Relation)> {
        let (mut left_keys, mut right_keys) = (Vec::new(), Vec::new());
        match condition {
            Condition::Using(names) => {
                for name in names {
                    let name = std::slice::from_ref(name);
                    left_keys.push(self.name(name, &left.scope().rows())?.expr);
                    right_keys.push(self.name(name, &right.scope().rows())?.expr);
                }
            }
            Condition::On(parts) => {
                for part in parts {
                    if let Some((a, b)) = self.key_sides(part, &left, &right)? {
                        left_keys.push(a.expr);
                        right_keys.push(b.expr);
                        continue;
                    }
                    // Of the side of which one row is taken, it is one for which the condition holds.
                    match (self.condition_on(part, &left), self.condition_on(part, &right), kind) {
                        (Some(_), _, JoinType::Left) | (None, Some(_), JoinType::Right) => {}
                        (Some(condition), _, JoinType::Inner | JoinType::Right) => {
                            left.plan = LogicalPlanBuilder::from(left.plan).filter(condition)?.build()?;
                        }
                        (None, Some(condition), JoinType::Inner | JoinType::Left) => {
                            right.plan = LogicalPlanBuilder::from(right.plan).filter(condition)?.build()?;
                        }
                        _ => {
                            let text = format!("ANY JOIN takes equalities and conditions on one side; {part} is neither");
                            return Err(Error::new(ErrorCode::INVALID_JOIN_ON_EXPRESSION, text));
                        }
                    }
                }
            }
        }
        let first = |relation: Relation, keys: &[Expr]| -> Result<Relation> {
            let (plan, number) = self.numbered(relation.plan, keys)?;
            let plan = LogicalPlanBuilder::from(plan).filter(number.eq(lit(1_u64)))?.build()?;
            Ok(Relation { plan, columns: relation.columns })
        };
        if matches!(kind, JoinType::Inner | JoinType::Left | JoinType::Full) {
            right = first(right, &right_keys)?;
        }
        if matches!(kind, JoinType::Inner | JoinType::Right) {
            left = first(left, &left_keys)?;
        }
        Ok((left, right))
    }

    /// A condition that names columns of this side only. `None`: it names others.
    pub(super) fn condition_on(&self, part: &Node, side: &Relation) -> Option<Expr> {
        let typed = self.expr(part, &side.scope().rows()).ok()?;
        self.as_predicate(typed, "JOIN ON").ok()
    }

    /// A comparison between the two sides, the left side's value first. `None`: it is something else.
    pub(crate) fn sides(
        &self,
        node: &Node,
        left: &Relation,
        right: &Relation,
    ) -> Result<Option<(&'static str, Typed, Typed)>> {
        let Node::Call(call) = node.bare() else { return Ok(None) };
        const NAMES: &[(&str, &str)] = &[
            ("equals", "equals"),
            ("less", "greater"),
            ("lessOrEquals", "greaterOrEquals"),
            ("greater", "less"),
            ("greaterOrEquals", "lessOrEquals"),
        ];
        let (Some((name, mirrored)), [a, b]) = (NAMES.iter().find(|(name, _)| *name == call.name), &call.arguments[..])
        else {
            return Ok(None);
        };
        let of = |node: &Node, relation: &Relation| {
            self.expr(node, &relation.scope().rows()).and_then(|typed| self.as_value(typed)).ok()
        };
        if let (Some(left), Some(right)) = (of(a, left), of(b, right)) {
            return Ok(Some((name, left, right)));
        }
        Ok(match (of(b, left), of(a, right)) {
            (Some(left), Some(right)) => Some((mirrored, left, right)),
            _ => None,
        })
    }

    /// What has to be the same on the two sides, by `=` or by `<=>`, the left side's value first. `None`: it is something else.
    pub(super) fn key_sides(&self, node: &Node, left: &Relation, right: &Relation) -> Result<Option<(Typed, Typed)>> {
        let sides = match node.bare() {
            Node::Call(same) if same.name == "isNotDistinctFrom" => {
                self.sides(&call("equals", same.arguments.clone()), left, right)?
            }
            _ => self.sides(node, left, right)?,
        };
        Ok(match sides {
            Some(("equals", a, b)) => Some((a, b)),
            _ => None,
        })
    }

    /// `(a, b) = (c, d)` of the two sides as what is to be equal in pairs. Tuples that are keys are equal where their bits are, so
    /// NULL finds NULL in them, and NaN finds NaN. `None`: it is something else.
    fn equal_tuples(&self, node: &Node, left: &Relation, right: &Relation, both: &Scope) -> Result<Option<Vec<Expr>>> {
        let Some(("equals", a, b)) = self.sides(node, left, right)? else { return Ok(None) };
        let (Node::Call(equals), SqlType::Tuple(_), SqlType::Tuple(_)) = (node.bare(), a.kind.plain(), b.kind.plain())
        else {
            return Ok(None);
        };
        if let Some(pairs) = self.element_keys(&equals.arguments, left, right)? {
            return Ok(Some(pairs));
        }
        let same = self.expr(&call("isNotDistinctFrom", equals.arguments.clone()), &both.rows())?;
        Ok(Some(vec![self.as_predicate(same, "JOIN ON")?]))
    }

    /// The same of tuples that are written as such, of elements that DataFusion compares.
    fn element_keys(&self, tuples: &[Node], left: &Relation, right: &Relation) -> Result<Option<Vec<Expr>>> {
        let [Node::Call(a), Node::Call(b)] = [tuples[0].bare(), tuples[1].bare()] else { return Ok(None) };
        if a.name != "tuple" || b.name != "tuple" || a.arguments.len() != b.arguments.len() {
            return Ok(None);
        }
        let mut keys = Vec::with_capacity(a.arguments.len());
        for (a, b) in a.arguments.iter().zip(&b.arguments) {
            let equal = call("equals", vec![a.clone(), b.clone()]);
            let Some((_, a, b)) = self.sides(&equal, left, right)? else { return Ok(None) };
            if !compares_natively(&a.kind) || !compares_natively(&b.kind) {
                return Ok(None);
            }
            let may_be_null = a.kind.is_nullable() && b.kind.is_nullable();
            let (a, b) = self.to_common(a, b, "equals")?;
            let operator = if may_be_null { Operator::IsNotDistinctFrom } else { Operator::Eq };
            keys.push(binary_expr(a.expr, operator, b.expr));
        }
        Ok(Some(keys))
    }

    pub(crate) fn equi_join(
        &self,
        left: Relation,
        right: Relation,
        kind: JoinType,
        condition: &Condition,
    ) -> Result<Relation> {
        let both = Scope {
            columns: left.columns.iter().chain(&right.columns).cloned().collect(),
            prefer_first: true,
            ..Scope::default()
        };
        let mut shared: Vec<String> = Vec::new();
        let mut conditions: Vec<Expr> = Vec::new();
        match condition {
            Condition::On(parts) => {
                for node in parts {
                    if let Some(keys) = self.equal_tuples(node, &left, &right, &both)? {
                        conditions.extend(keys);
                        continue;
                    }
                    // Each side's own names come first: `ON a = b` of two tables that both have an `a`.
                    let compared = self.sides(node, &left, &right)?;
                    let typed = match compared {
                        // Keys of a join are equal where their bits are: NaN finds NaN, an integer the nearest float.
                        Some(("equals", a, b))
                            if a.kind.is_float() && b.kind.is_float() || super::floats::wants_exact(&a, &b) =>
                        {
                            let (a, b) = self.to_common(a, b, "equals")?;
                            conditions.push(a.expr.eq(b.expr));
                            continue;
                        }
                        Some((name, a, b)) => {
                            match super::operators::comparison(name).map(|operator| self.compare(operator, a, b, name)) {
                                Some(Ok(Some(typed))) => typed,
                                Some(Err(error)) => return Err(error),
                                _ => self.expr(node, &both.rows())?,
                            }
                        }
                        None => self.expr(node, &both.rows())?,
                    };
                    conditions.push(self.as_predicate(typed, "JOIN ON")?);
                }
            }
            Condition::Using(names) => {
                for name in names {
                    let side = |relation: &Relation| self.name(std::slice::from_ref(name), &relation.scope().rows());
                    let (a, b) = self.to_common(side(&left)?, side(&right)?, "USING")?;
                    conditions.push(a.expr.eq(b.expr));
                    shared.push(name.clone());
                }
            }
        }
        let keys =
            shared.iter().map(|name| SharedKey::of(name, &left.columns, &right.columns)).collect::<Result<Vec<_>>>()?;
        let (left_columns, right_columns) = (left.columns.clone(), right.columns.clone());
        let outer_left = matches!(kind, JoinType::Right | JoinType::Full);
        let outer_right = matches!(kind, JoinType::Left | JoinType::Full);
        let (left_plan, left_mark) = self.marked(left.plan, outer_left)?;
        let (right_plan, right_mark) = self.marked(right.plan, outer_right)?;
        // Totals stand beside each other, whatever they are.
        let (rows, conditions) = if self.totals.of_from.get() { (JoinType::Inner, Vec::new()) } else { (kind, conditions) };
        let plan = LogicalPlanBuilder::from(left_plan).join_on(right_plan, rows, conditions)?.build()?;
        let keeps_left = !matches!(kind, JoinType::RightSemi | JoinType::RightAnti);
        let keeps_right = !matches!(kind, JoinType::LeftSemi | JoinType::LeftAnti);
        let mut projection: Vec<Expr> = Vec::new();
        let mut is_projected = left_mark.is_some() || right_mark.is_some();
        let mut place = |expr: Expr, hint: &str, column: &Expr| {
            if expr == *column {
                projection.push(expr.clone());
                return expr;
            }
            is_projected = true;
            let name = self.unique(hint);
            projection.push(expr.alias(&name));
            Expr::Column(Column::new_unqualified(name))
        };
        // What each side has of its columns. Keys of USING are of the type that both sides have in common.
        let mut of_side = |side: &[ScopeColumn], mark: Option<&Expr>, is_left: bool| -> Result<Vec<ScopeColumn>> {
            let mut columns = Vec::with_capacity(side.len());
            for (at, column) in side.iter().enumerate() {
                let key = keys.iter().find(|key| at == if is_left { key.left } else { key.right });
                let own = match key {
                    Some(key) if !key.keeps_types => self.as_key(column, &key.kind)?,
                    _ => column.clone(),
                };
                let (expr, kind) = match mark {
                    None => (own.expr.clone(), own.kind.clone()),
                    Some(mark) => self.without_match(&own, mark),
                };
                let expr = place(expr, &column.name, &column.expr);
                columns.push(ScopeColumn { kind, expr, ..column.clone() });
            }
            Ok(columns)
        };
        let mut left_own = if keeps_left { of_side(&left_columns, left_mark.as_ref(), true)? } else { Vec::new() };
        let mut right_own = if keeps_right { of_side(&right_columns, right_mark.as_ref(), false)? } else { Vec::new() };
        // A column of USING is one column: the left side's, the right side's where only that has rows for certain, and
        // whichever has the row in a FULL JOIN.
        let mut merged: Vec<ScopeColumn> = Vec::new();
        for key in &keys {
            let (theirs, ours) = (right_columns[key.right].clone(), left_columns[key.left].clone());
            let (expr, kind) = match (kind, &left_mark) {
                (JoinType::Full, Some(mark)) => {
                    let (a, b) = (self.as_key(&ours, &key.kind)?, self.as_key(&theirs, &key.kind)?);
                    let kind = if self.settings.join_use_nulls { key.kind.clone().nullable() } else { key.kind.clone() };
                    (place(case_matched(mark, a.expr, b.expr), &ours.name, &ours.expr), kind)
                }
                _ if matches!(kind, JoinType::Right) || !keeps_left => {
                    (right_own[key.right].expr.clone(), right_own[key.right].kind.clone())
                }
                _ => (left_own[key.left].expr.clone(), left_own[key.left].kind.clone()),
            };
            for own in [left_own.get_mut(key.left), right_own.get_mut(key.right)].into_iter().flatten() {
                // What an earlier USING merged is not a side's.
                own.of_using = !own.qualifier.is_empty() && !own.hidden;
                own.hidden = true;
            }
            let of_no_side =
                ScopeColumn { qualifier: Vec::new(), origin: Vec::new(), hidden: false, of_using: false, ..ours };
            merged.push(ScopeColumn { expr, kind, ..of_no_side });
        }
        // They come before all others.
        let columns = merged.into_iter().chain(left_own).chain(right_own).collect();
        let plan = if is_projected { LogicalPlanBuilder::from(plan).project(dedup(projection))?.build()? } else { plan };
        Ok(Relation { plan, columns })
    }

    /// A column as a key of the type that it has in common with the other side's.
    fn as_key(&self, column: &ScopeColumn, kind: &SqlType) -> Result<ScopeColumn> {
        let typed = self.cast(Typed::new(column.expr.clone(), column.kind.clone()), kind)?;
        Ok(ScopeColumn { expr: typed.expr, kind: typed.kind, ..column.clone() })
    }

    /// Adds a column that is NULL exactly where an outer join found no row of this side.
    pub(crate) fn marked(&self, plan: LogicalPlan, wanted: bool) -> Result<(LogicalPlan, Option<Expr>)> {
        if !wanted {
            return Ok((plan, None));
        }
        let name = self.unique(MARK_OF_MATCH);
        let mut exprs: Vec<Expr> = plan.schema().columns().into_iter().map(Expr::Column).collect();
        exprs.push(lit(true).alias(&name));
        let plan = LogicalPlanBuilder::from(plan).project(exprs)?.build()?;
        Ok((plan, Some(Expr::Column(Column::new_unqualified(name)))))
    }

    pub(crate) fn without_match(&self, column: &ScopeColumn, mark: &Expr) -> (Expr, SqlType) {
        let nullable = column.kind.clone().nullable();
        // Arrays and maps have no NULL.
        if self.settings.join_use_nulls && nullable.is_nullable() {
            return (column.expr.clone(), nullable);
        }
        if column.kind.is_nullable() {
            return (column.expr.clone(), column.kind.clone());
        }
        let default = lit(gristmill_types::default::default_scalar(&column.kind));
        (case_matched(mark, column.expr.clone(), default), column.kind.clone())
    }
}

/// A name of USING: which column of each side it is, and the type that they have in common.
struct SharedKey {
    left: usize,
    right: usize,
    kind: SqlType,
    /// Bool and UInt8 are one type under two names to ClickHouse: each side keeps its own.
    keeps_types: bool,
}

impl SharedKey {
    fn of(name: &str, left: &[ScopeColumn], right: &[ScopeColumn]) -> Result<SharedKey> {
        let place = |side: &[ScopeColumn]| {
            let named = |visible: bool| side.iter().position(|column| column.name == name && (!column.hidden || !visible));
            named(true).or_else(|| named(false)).ok_or_else(|| {
                let text = format!("USING takes names of columns; '{name}' is a part of one, or is computed. Write ON");
                Error::new(ErrorCode::INVALID_JOIN_ON_EXPRESSION, text)
            })
        };
        let (left_place, right_place) = (place(left)?, place(right)?);
        let (a, b) = (left[left_place].kind.clone(), right[right_place].kind.clone());
        let keeps_types = matches!((&a, &b), (SqlType::Bool, SqlType::UInt8) | (SqlType::UInt8, SqlType::Bool));
        let kind = if a == b || keeps_types { a } else { least_supertype(&[a.clone(), b]).unwrap_or(a) };
        Ok(SharedKey { left: left_place, right: right_place, kind, keeps_types })
    }
}

/// The columns of both sides, of which the left one has so many, with those of USING before them: where each row has one of the left
/// side, that side's.
pub(super) fn with_shared_first(names: &[String], left: usize, mut columns: Vec<ScopeColumn>) -> Result<Vec<ScopeColumn>> {
    let mut merged = Vec::with_capacity(names.len() + columns.len());
    for name in names {
        let key = SharedKey::of(name, &columns[..left], &columns[left..])?;
        let shared = columns[key.left].clone();
        merged.push(ScopeColumn { qualifier: Vec::new(), origin: Vec::new(), hidden: false, of_using: false, ..shared });
        for at in [key.left, left + key.right] {
            let own = &mut columns[at];
            own.of_using = !own.qualifier.is_empty() && !own.hidden;
            own.hidden = true;
        }
    }
    merged.extend(columns);
    Ok(merged)
}

fn case_matched(mark: &Expr, value: Expr, otherwise: Expr) -> Expr {
    Expr::Case(Case {
        expr: None,
        when_then_expr: vec![(Box::new(Expr::IsNotNull(Box::new(mark.clone()))), Box::new(value))],
        else_expr: Some(Box::new(otherwise)),
    })
}

/// `None`: the join has no word for its strictness.
fn condition(constraint: &JoinConstraint) -> Result<(Option<Strictness>, Condition)> {
    let strictness_of = |name: &str| match name {
        ANY_JOIN => Some(Strictness::Any),
        ALL_JOIN => Some(Strictness::All),
        ASOF_JOIN => Some(Strictness::Asof),
        _ => None,
    };
    match constraint {
        JoinConstraint::On(expr) => {
            let mut node = translate::node(expr)?;
            let mut strictness = None;
            if let Node::Call(call) = &node
                && let Some(found) = strictness_of(&call.name)
                && let [inner] = &call.arguments[..]
            {
                strictness = Some(found);
                node = inner.clone();
            }
            let parts = match node {
                Node::Call(call) if call.name == "and" => call.arguments,
                other => vec![other],
            };
            Ok((strictness, Condition::On(parts)))
        }
        JoinConstraint::Using(names) => {
            let mut strictness = None;
            let mut shared = Vec::new();
            for name in names {
                let name = translate::parts(name)?.pop().unwrap_or_default();
                match strictness_of(&name) {
                    Some(found) => strictness = Some(found),
                    None => shared.push(name),
                }
            }
            Ok((strictness, Condition::Using(shared)))
        }
        JoinConstraint::None | JoinConstraint::Natural => {
            Err(Error::new(ErrorCode::SYNTAX_ERROR, "A JOIN needs ON or USING; write CROSS JOIN for every pair of rows"))
        }
    }
}

fn dedup(exprs: Vec<Expr>) -> Vec<Expr> {
    let mut seen = HashSet::new();
    exprs.into_iter().filter(|expr| seen.insert(expr.clone())).collect()
}
