//! IN: lists of constants, lists of expressions, subqueries, tables, arrays.
//!
//! A text that is not known beforehand is read as the left side's type, and what cannot be read so is in no set; beside a text on
//! the left the members are texts.
//!
//! NULL is never in a set and is left out of it, so `1 NOT IN (NULL)` is true, unlike in the SQL standard. With
//! `transform_null_in` NULL is a value like any other: it is in a set that has it, and the answer is never NULL. A constant that the left side's type cannot hold is in no row, and is left out too.

use std::sync::Arc;

use arrow::array::Array;
use datafusion::common::{ScalarValue, Spans};
use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, Operator, Subquery, lit};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use super::junctions::combined;
use super::operators::{as_numbers, boolean, compares_natively, predicate};
use super::scope::Context;
use super::texts::{names_nothing, never};
use super::{Analyzer, Lowered, OutputColumn, Typed};
use crate::ast::{InSet, Node};

impl Analyzer<'_> {
    pub(crate) fn in_set(&self, left: &Node, set: &InSet, negated: bool, context: &Context<'_>) -> Result<Typed> {
        match set {
            InSet::Query(query) => {
                let (lowered, outer) = self.subquery_of(query, context)?;
                self.in_query(left, lowered, outer, negated, context)
            }
            InSet::Other(node) => {
                if let Node::Name(parts) = node.as_ref()
                    && self.expr(node, context).is_err()
                {
                    if let [name] = &parts[..]
                        && let Some(lowered) = self.common_table(name, &context.scope.ctes)?
                    {
                        return self.in_query(left, lowered, Vec::new(), negated, context);
                    }
                    let reference = super::tables::TableReference::Table(parts.clone());
                    if self.tables.by_text.contains_key(&reference.key()) {
                        let relation = self.table(&reference, None)?;
                        let shown = relation.columns.into_iter().filter(|column| !column.hidden);
                        let columns: Vec<OutputColumn> = shown
                            .map(|column| OutputColumn { name: column.name, kind: column.kind, expr: column.expr })
                            .collect();
                        let exprs: Vec<Expr> = columns.iter().map(|column| column.expr.clone()).collect();
                        let plan = LogicalPlanBuilder::from(relation.plan).project(exprs)?.build()?;
                        return self.in_query(left, Lowered { plan, columns }, Vec::new(), negated, context);
                    }
                }
                // `WITH (1, 2) AS k … x IN k` is `x IN (1, 2)`.
                if let Node::Name(parts) = node.as_ref()
                    && let [name] = &parts[..]
                    && let Some(Node::Call(tuple)) = context.alias(name).map(Node::bare)
                    && tuple.name == "tuple"
                    && self.expr(node, context).is_ok_and(|typed| matches!(typed.kind.plain(), SqlType::Tuple(_)))
                {
                    return self.in_set(left, &InSet::List(tuple.arguments.clone()), negated, context);
                }
                self.in_array(left, node, negated, context)
            }
            InSet::List(list) => {
                if let [one] = &list[..] {
                    let item = self.expr(one, context);
                    // `x IN (table)` is `x IN table`.
                    if item.is_err() && matches!(one.bare(), Node::Name(_)) {
                        return self.in_set(left, &InSet::Other(Box::new(one.bare().clone())), negated, context);
                    }
                    if item.as_ref().is_ok_and(|typed| matches!(typed.kind.plain(), SqlType::Array(_))) {
                        return self.in_array(left, one, negated, context);
                    }
                    // `x IN ((1, 2))` of a plain x is `x IN (1, 2)`.
                    if let (Node::Call(tuple), false) = (one.bare(), is_tuple(left))
                        && tuple.name == "tuple"
                    {
                        return self.in_set(left, &InSet::List(tuple.arguments.clone()), negated, context);
                    }
                    return self.in_items(left, list, Some(item), negated, context);
                }
                self.in_list(left, list, negated, context)
            }
        }
    }

    /// `x IN [1, 2]`, `x IN (array)`: a list where the elements are constants, which indexes can use.
    fn in_array(&self, left: &Node, array: &Node, negated: bool, context: &Context<'_>) -> Result<Typed> {
        let typed = self.as_value(self.expr(left, context)?)?;
        if matches!(typed.kind.plain(), SqlType::Array(_)) {
            let set = self.expr(array, context)?;
            if depth(&set.kind) <= depth(&typed.kind) {
                return self.in_list(left, std::slice::from_ref(array), negated, context);
            }
            if let Node::Call(written) = array.bare()
                && written.name == "array"
            {
                return self.in_list(left, &written.arguments, negated, context);
            }
        }
        if !matches!(typed.kind.plain(), SqlType::Tuple(_) | SqlType::Array(_) | SqlType::Map(..)) {
            if let Node::Call(written) = array.bare()
                && written.name == "array"
            {
                return self.in_list(left, &written.arguments, negated, context);
            }
            let whole = self.fold(self.as_value(self.expr(array, context)?)?)?;
            if let (Some(elements), SqlType::Array(kind)) = (elements_of(&whole), whole.kind.plain()) {
                let item = |value: Result<ScalarValue>| Ok(Typed::new(Expr::Literal(value?, None), kind.as_ref().clone()));
                return self.in_values(typed, elements.into_iter().map(item).collect::<Result<_>>()?, negated);
            }
            if !matches!(whole.kind.plain(), SqlType::Array(_) | SqlType::Tuple(_) | SqlType::Map(..)) {
                return self.in_items(left, std::slice::from_ref(array), Some(Ok(whole)), negated, context);
            }
        }
        self.has(array, left, negated, context)
    }

    pub(super) fn in_list(&self, left: &Node, list: &[Node], negated: bool, context: &Context<'_>) -> Result<Typed> {
        self.in_items(left, list, None, negated, context)
    }

    /// `x IN (…)`, of which the only item may be lowered already: one in another, each lowered twice, would double with
    /// every level.
    fn in_items(
        &self,
        left: &Node,
        list: &[Node],
        only: Option<Result<Typed>>,
        negated: bool,
        context: &Context<'_>,
    ) -> Result<Typed> {
        let typed = self.as_value(self.expr(left, context)?)?;
        if matches!(typed.kind.plain(), SqlType::Array(_)) {
            // array IN [1, 2]: the elements were those of one array.
            let first = list.first().map(|node| self.expr(node, context)).transpose()?;
            if first.is_none_or(|first| depth(&first.kind) + 1 == depth(&typed.kind)) {
                return self.any_equal(left, &[crate::ast::call("array", list.to_vec())], negated, context);
            }
        }
        if matches!(typed.kind.plain(), SqlType::Tuple(_) | SqlType::Array(_) | SqlType::Map(..)) {
            // (a, b) IN ((1, 2), …), or (a, b) IN (1, 2) for one tuple.
            let whole = [crate::ast::call("tuple", list.to_vec())];
            let flat = !list.iter().any(|node| matches!(node.bare(), Node::Call(call) if call.name == "tuple"));
            let is_one =
                matches!(typed.kind.plain(), SqlType::Tuple(_)) && (flat || self.is_one_tuple(&typed, list, context)?);
            let items: &[Node] = if is_one { &whole } else { list };
            let any = self.any_equal(left, items, negated, context)?;
            return match negated {
                true => Ok(any),
                false => self.bounded_by_parts(any, left, items, context),
            };
        }
        let items = match only {
            Some(item) => vec![self.as_value(item?)?],
            None => list.iter().map(|node| self.as_value(self.expr(node, context)?)).collect::<Result<_>>()?,
        };
        self.in_values(typed, items, negated)
    }

    fn in_values(&self, typed: Typed, items: Vec<Typed>, negated: bool) -> Result<Typed> {
        if typed.kind.is_null_literal() && !self.settings.transform_null_in {
            return Ok(typed);
        }
        let plain = typed.kind.plain().clone();
        let number_of_enum = as_numbers(typed.clone()).kind.plain().clone();
        let (mut constants, mut zeros): (Vec<Expr>, Vec<Expr>) = Default::default();
        let mut others: Vec<Typed> = Vec::new();
        let mut has_null = false;
        for item in items {
            let item = self.as_member(item, &plain)?;
            match item.constant() {
                Some(value) if value.is_null() => has_null = true,
                Some(_) if names_nothing(&item, &plain) || is_in_none(&item.kind, &plain) => {}
                Some(_) => {
                    // A number beside an enum is one of the numbers that its names stand for.
                    let to = if item.kind.is_number() { &number_of_enum } else { &plain };
                    if let Some(moved) = self.constant_as(&item, to)? {
                        match self.is_zero_of_its_sign(&typed, &moved.expr)? {
                            Some(is_it) => zeros.push(is_it),
                            None => constants.push(moved.expr),
                        }
                    } else if !(item.kind.is_number() && to.is_number()) {
                        others.push(item);
                    }
                }
                None => others.push(item),
            }
        }
        let of_null = typed.kind.is_nullable();
        let nullable = of_null || others.iter().any(|item| item.kind.is_nullable());
        let listed = match &constants[..] {
            [] => None,
            [one] => Some(typed.expr.clone().eq(one.clone())),
            _ => Some(Expr::InList(InList { expr: Box::new(typed.expr.clone()), list: constants, negated: false })),
        };
        // NULL has NULL for an answer, whatever the set.
        let nothing = || if others.is_empty() { never(&typed) } else { boolean(false) };
        let members = listed.into_iter().chain(zeros).reduce(Expr::or).unwrap_or_else(nothing);
        let mut operands = vec![self.fold(predicate(members, nullable))?.expr];
        for item in others {
            operands.push(self.equal_member(&typed, item)?);
        }
        let any = combined(Operator::Or, operands).unwrap_or_else(|| boolean(false));
        let mut found = predicate(any, nullable);
        if self.settings.transform_null_in && of_null {
            return self.with_null_as_value(&typed, found.expr, has_null.then(|| boolean(true)), negated);
        }
        if negated {
            found = predicate(Expr::Not(Box::new(found.expr)), nullable);
        }
        self.fold(found)
    }

    /// A set knows values by their bits, so that of two zeros only that of the member's sign is in it. `None`: the member is no zero.
    fn is_zero_of_its_sign(&self, typed: &Typed, member: &Expr) -> Result<Option<Expr>> {
        let (zero, bits, function) = match member {
            Expr::Literal(ScalarValue::Float64(Some(zero)), _) if *zero == 0.0 => {
                (lit(0.0_f64), lit(zero.to_bits()), "reinterpretAsUInt64")
            }
            Expr::Literal(ScalarValue::Float32(Some(zero)), _)
                if *zero == 0.0 && *typed.kind.plain() == SqlType::Float32 =>
            {
                (lit(0.0_f32), lit(zero.to_bits()), "reinterpretAsUInt32")
            }
            _ => return Ok(None),
        };
        let bits_of_value = self.call_of(function, vec![typed.clone()])?;
        Ok(Some(typed.expr.clone().eq(zero).and(bits_of_value.expr.eq(bits))))
    }

    /// That a value is a member of which at most the type is known.
    fn equal_member(&self, left: &Typed, item: Typed) -> Result<Expr> {
        let is_read = is_of_rows(&item) && item.kind.is_string() && is_read_from_text(&left.kind);
        let (left_side, item) = match is_read {
            true => (left.clone(), self.cast(item, &left.kind.plain().clone().nullable())?),
            false => self.member_beside(left.clone(), item)?,
        };
        let equal = match self.compare(Operator::Eq, left_side.clone(), item.clone(), "in")? {
            Some(equal) => equal,
            None => self.call_of("equals", vec![left_side, item.clone()])?,
        };
        let equal = self.as_predicate(equal, "IN")?;
        // NULL, and what could not be read, is nothing that the value could be; the answer is NULL where the value is.
        let may_be_none = is_read || item.kind.is_nullable();
        Ok(if may_be_none { equal.and(Expr::IsNotNull(Box::new(item.expr))).or(never(left)) } else { equal })
    }

    /// A value, and a member that is known by row only, as they are compared: both as texts where the value is one, and as numbers
    /// where one is a day and one a number.
    fn member_beside(&self, left: Typed, item: Typed) -> Result<(Typed, Typed)> {
        if !is_of_rows(&item) {
            return Ok((left, item));
        }
        let brought = |typed: Typed, kind: SqlType| {
            let kind = if typed.kind.is_nullable() { kind.nullable() } else { kind };
            self.cast(typed, &kind)
        };
        let number_of_day = |kind: &SqlType| match kind.plain() {
            SqlType::Date => Some(SqlType::UInt16),
            SqlType::Date32 => Some(SqlType::Int32),
            _ => None,
        };
        if left.kind.is_string() && (is_read_from_text(&item.kind) || matches!(item.kind.plain(), SqlType::Map(..))) {
            let item = brought(item, SqlType::String)?;
            return Ok((left, item));
        }
        match (number_of_day(&left.kind), number_of_day(&item.kind)) {
            (Some(kind), None) if item.kind.is_number() => Ok((brought(left, kind)?, item)),
            (None, Some(kind)) if left.kind.is_number() => Ok((left, brought(item, kind)?)),
            _ => Ok((left, item)),
        }
    }

    /// A constant as it is looked for among values of a type, which may differ from how the two compare.
    fn as_member(&self, item: Typed, kind: &SqlType) -> Result<Typed> {
        if item.constant().is_none_or(ScalarValue::is_null) {
            return Ok(item);
        }
        let is_day = |kind: &SqlType| matches!(kind, SqlType::Date | SqlType::Date32);
        // Days are numbers, and a moment is on a day.
        let item = match *kind == SqlType::Date && item.kind.is_integer() {
            true => self.constant_as(&item, &SqlType::UInt16)?.unwrap_or(item),
            false => item,
        };
        let of_item = item.kind.plain().clone();
        let is_number_of_day = is_day(kind) && of_item.integer_bits().is_some_and(|(bits, _)| bits <= 16);
        if is_number_of_day || is_day(kind) && matches!(of_item, SqlType::DateTime(_) | SqlType::DateTime64(..)) {
            return self.cast(item, kind);
        }
        match of_item {
            // Beside texts a day and a time are the texts of their numbers.
            SqlType::Date if kind.is_string() => self.cast(self.cast(item, &SqlType::UInt16)?, &SqlType::String),
            SqlType::Date32 if kind.is_string() => self.cast(self.cast(item, &SqlType::Int32)?, &SqlType::String),
            SqlType::DateTime(_) if kind.is_string() => self.cast(self.cast(item, &SqlType::UInt32)?, &SqlType::String),
            SqlType::Date if kind.is_number() => self.cast(item, &SqlType::UInt16),
            SqlType::Date32 if kind.is_number() => self.cast(item, &SqlType::Int32),
            _ if kind.is_string() && item.kind.is_string() => self.text_among_texts(item, kind),
            _ => self.number_among_texts(item, kind),
        }
    }

    /// A constant number in a set of texts is the text of it.
    fn number_among_texts(&self, item: Typed, kind: &SqlType) -> Result<Typed> {
        let is_number = item.kind.integer_bits().is_some_and(|(bits, _)| bits <= 64)
            || item.kind.is_float()
            || *item.kind.plain() == SqlType::Bool;
        if !kind.is_string() || !is_number || item.constant().is_none_or(ScalarValue::is_null) {
            return Ok(item);
        }
        self.cast(item, &SqlType::String)
    }

    /// `members` of a left side that may be NULL, under `transform_null_in`. `null_in_set` tells whether the set has NULL
    /// (`None`: it has not).
    fn with_null_as_value(&self, left: &Typed, members: Expr, null_in_set: Option<Expr>, negated: bool) -> Result<Typed> {
        let is_null = || Expr::IsNull(Box::new(left.expr.clone()));
        let found = match (left.kind.is_null_literal(), null_in_set) {
            (true, null_in_set) => null_in_set.unwrap_or_else(|| boolean(false)),
            (false, None) => members.and(Expr::IsNotNull(Box::new(left.expr.clone()))),
            (false, Some(has_null)) => members.and(Expr::IsNotNull(Box::new(left.expr.clone()))).or(is_null().and(has_null)),
        };
        self.fold(predicate(if negated { Expr::Not(Box::new(found)) } else { found }, false))
    }

    fn in_query(
        &self,
        left: &Node,
        lowered: Lowered,
        outer: Vec<Expr>,
        negated: bool,
        context: &Context<'_>,
    ) -> Result<Typed> {
        if lowered.columns.len() > 1 {
            return self.tuple_in_query(left, lowered, outer, negated, context);
        }
        let left_typed = self.as_value(self.expr(left, context)?)?;
        let [column] = &lowered.columns[..] else {
            return Err(Error::new(ErrorCode::NUMBER_OF_COLUMNS_DOESNT_MATCH, "The subquery of IN has no columns"));
        };
        if let SqlType::Tuple(fields) = left_typed.kind.plain()
            && fields.len() != 1
            && !matches!(column.kind.plain(), SqlType::Tuple(_) | SqlType::Nothing)
        {
            let text = format!("The subquery of IN has one column, and the left side {}", fields.len());
            return Err(Error::new(ErrorCode::NUMBER_OF_COLUMNS_DOESNT_MATCH, text));
        }
        let member = Typed::new(column.expr.clone(), column.kind.clone());
        let null_in_set = if self.settings.transform_null_in && left_typed.kind.is_nullable() && member.kind.is_nullable() {
            let nulls =
                LogicalPlanBuilder::from(lowered.plan.clone()).filter(Expr::IsNull(Box::new(member.expr.clone())))?;
            Some(self.has_rows(nulls.build()?, outer.clone(), context)?)
        } else {
            None
        };
        if left_typed.kind.is_null_literal() {
            return match self.settings.transform_null_in {
                true => self.with_null_as_value(&left_typed, boolean(false), null_in_set, negated),
                false => Ok(left_typed),
            };
        }
        let member = self.null_beside(member, &left_typed)?;
        let (left_typed, member) = self.padded_members(left_typed, member)?;
        // What has no common type is read as the left side's: a set of texts, for a number.
        let (left_typed, member) = match self.to_common(left_typed.clone(), member.clone(), "in") {
            Ok(pair) => pair,
            Err(_) => {
                // A text that cannot be read is left out.
                let kind = left_typed.kind.plain().clone();
                let kind = if member.kind.is_string() { kind.nullable() } else { kind };
                (left_typed, self.cast(member, &kind)?)
            }
        };
        let name = self.member_name(&lowered.plan, &member.expr);
        let mut plan = LogicalPlanBuilder::from(lowered.plan).project(vec![member.expr.alias(&name)])?;
        if member.kind.is_nullable() {
            plan = plan.filter(Expr::IsNotNull(Box::new(datafusion::logical_expr::ident(&name))))?;
        }
        let subquery = Subquery { subquery: Arc::new(plan.build()?), outer_ref_columns: outer, spans: Spans::new() };
        let nullable = left_typed.kind.is_nullable();
        if self.settings.transform_null_in && nullable {
            let members = self.member(left_typed.clone(), &member.kind, subquery, false, context)?.expr;
            return self.with_null_as_value(&left_typed, members, null_in_set, negated);
        }
        self.member(left_typed, &member.kind, subquery, negated, context)
    }

    /// A text in a set of FixedString may have zeroes at its end.
    fn padded_members(&self, left: Typed, member: Typed) -> Result<(Typed, Typed)> {
        if *left.kind.plain() != SqlType::String || !matches!(member.kind.plain(), SqlType::FixedString(_)) {
            return Ok((left, member));
        }
        Ok((Typed { expr: self.without_padding(&left)?, ..left }, member))
    }

    /// The name of a set's column: one for one plan, so that the same IN, lowered twice, is equal to itself.
    pub(super) fn member_name(&self, plan: &LogicalPlan, member: &Expr) -> String {
        let mut members = self.members.borrow_mut();
        if let Some((_, _, name)) = members.iter().find(|(known, expr, _)| known == plan && expr == member) {
            return name.clone();
        }
        let name = self.unique("member");
        members.push((plan.clone(), member.clone(), name.clone()));
        name
    }
}

/// Whether a member is another in each row.
fn is_of_rows(item: &Typed) -> bool {
    item.constant().is_none() && !matches!(item.expr, Expr::ScalarSubquery(_))
}

/// Types that IN reads from texts: enums know theirs themselves.
fn is_read_from_text(kind: &SqlType) -> bool {
    let is_read = compares_natively(kind) || *kind.plain() == SqlType::UInt256;
    is_read && !kind.is_string() && !kind.is_enum()
}

/// Whether a constant of a type is among no values of another: a number that is no day among days, and among texts what has no text
/// there.
fn is_in_none(item: &SqlType, kind: &SqlType) -> bool {
    let item = item.plain();
    match kind {
        SqlType::Date => item.integer_bits().is_some_and(|(bits, _)| bits > 16),
        SqlType::String => {
            item.is_decimal()
                || item.integer_bits().is_some_and(|(bits, _)| bits > 64)
                || matches!(item, SqlType::DateTime64(..) | SqlType::Uuid | SqlType::IPv4 | SqlType::IPv6 | SqlType::Map(..))
        }
        _ => false,
    }
}

/// How many arrays lie within each other.
fn depth(kind: &SqlType) -> usize {
    match kind.plain() {
        SqlType::Array(element) => 1 + depth(element),
        _ => 0,
    }
}

/// The values of a constant array.
fn elements_of(array: &Typed) -> Option<Vec<Result<ScalarValue>>> {
    let values = match array.constant()? {
        ScalarValue::List(list) if list.is_valid(0) => list.value(0),
        _ => return None,
    };
    Some((0..values.len()).map(|at| Ok(ScalarValue::try_from_array(&values, at)?)).collect())
}

fn is_tuple(node: &Node) -> bool {
    matches!(node.bare(), Node::Call(call) if call.name == "tuple")
}

/// A set that came out of a subquery, as a list for pruning by it.
pub fn list_of(expr: Expr, values: Vec<ScalarValue>, negated: bool) -> Expr {
    if values.is_empty() {
        // NULL is neither in an empty set nor outside of it.
        let never = Expr::IsNull(Box::new(expr)).and(Expr::Literal(ScalarValue::Boolean(None), None));
        return if negated { Expr::Not(Box::new(never)) } else { never };
    }
    let list = values.into_iter().map(|value| Expr::Literal(value, None)).collect();
    Expr::InList(InList { expr: Box::new(expr), list, negated })
}
