//! ARRAY JOIN and arrayJoin: one row for each element.

use std::sync::Arc;

use arrow::array::{Array, AsArray, ListArray};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::DataType;
use datafusion::common::{Column, ScalarValue, UnnestOptions};
use datafusion::logical_expr::expr::Case;
use datafusion::logical_expr::{ColumnarValue, Expr, LogicalPlan, LogicalPlanBuilder, Volatility, create_udf, lit};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use sqlparser::ast::TableFactor;

use super::from::Relation;
use super::scope::{Scope, ScopeColumn, nested_fields};
use super::tables::TableReference;
use super::{Analyzer, Typed};
use crate::ast::Node;
use crate::rewrite::joins::ARRAY_JOIN;

impl Analyzer<'_> {
    /// `ARRAY JOIN array [AS name], …`: the arrays go side by side. Without an alias, elements take the array's name.
    pub(crate) fn array_join(&self, left: Relation, factor: &TableFactor, keep_empty: bool) -> Result<Relation> {
        let nodes = match TableReference::of(factor)? {
            Some(TableReference::Function(name, arguments)) if name == ARRAY_JOIN => arguments,
            _ => return Err(Error::logical("An ARRAY JOIN that the tokens were not prepared for")),
        };
        let mut scope = Scope { columns: left.columns.clone(), ..Scope::default() };
        if let Some(clauses) = self.clauses.borrow().last() {
            let others = clauses.aliases.iter().filter(|(name, _)| scope.named(name, &[]).is_empty());
            scope.aliases = others.map(|(name, node)| (name.clone(), node.clone())).collect();
        }
        let nodes: Vec<Node> = nodes.into_iter().flat_map(|node| of_nested(node, &left.columns)).collect();
        let mut arrays = Vec::new();
        for node in &nodes {
            arrays.push(self.as_value(self.expr(node.bare(), &scope.rows())?)?);
        }
        let (plan, elements) = self.unnest(left.plan, arrays.clone(), keep_empty)?;
        let mut columns = left.columns;
        for ((node, array), element) in nodes.iter().zip(arrays).zip(elements) {
            match node {
                Node::Aliased(_, alias) => {
                    columns.push(ScopeColumn {
                        origin: Vec::new(),
                        qualifier: Vec::new(),
                        name: alias.clone(),
                        kind: element.kind,
                        expr: element.expr,
                        hidden: true,
                        of_using: false,
                        shadows: true,
                    });
                }
                node => match column_of(node, &array, &columns).and_then(|at| columns.get_mut(at)) {
                    Some(column) => {
                        column.expr = element.expr;
                        column.kind = element.kind;
                    }
                    None => {
                        let name = node.to_string();
                        columns.push(ScopeColumn {
                            origin: Vec::new(),
                            qualifier: Vec::new(),
                            name,
                            kind: element.kind,
                            expr: element.expr,
                            hidden: true,
                            of_using: false,
                            shadows: false,
                        });
                    }
                },
            }
        }
        Ok(Relation { plan, columns })
    }

    /// One row for each element of the arrays, which go side by side; rows without elements leave, unless kept with
    /// defaults.
    pub(crate) fn unnest(
        &self,
        plan: LogicalPlan,
        arrays: Vec<Typed>,
        keep_empty: bool,
    ) -> Result<(LogicalPlan, Vec<Typed>)> {
        let mut names = Vec::new();
        let mut lists: Vec<Typed> = Vec::new();
        for array in &arrays {
            let element = element_of(&array.kind)?;
            let mut as_array = self.cast(array.clone(), &SqlType::array(element.clone()))?;
            if keep_empty {
                as_array = self.never_empty(as_array, &element)?;
            }
            lists.push(as_array);
            names.push((self.unique("element"), element));
        }
        self.unnest_as(plan, lists, names)
    }

    /// The elements become columns of these names and types.
    pub(crate) fn unnest_as(
        &self,
        plan: LogicalPlan,
        mut lists: Vec<Typed>,
        names: Vec<(String, SqlType)>,
    ) -> Result<(LogicalPlan, Vec<Typed>)> {
        let mut exprs: Vec<Expr> = plan.schema().columns().into_iter().map(Expr::Column).collect();
        if lists.len() > 1 && self.settings.enable_unaligned_array_join {
            lists = self.of_one_size(lists)?;
        } else if lists.len() > 1 {
            lists[0].expr = same_sizes(&lists);
        }
        exprs.extend(lists.into_iter().zip(&names).map(|(list, (name, _))| list.expr.alias(name)));
        let columns = names.iter().map(|(name, _)| Column::new_unqualified(name)).collect();
        let options = UnnestOptions::new().with_preserve_nulls(false);
        let plan = LogicalPlanBuilder::from(plan).project(exprs)?.unnest_columns_with_options(columns, options)?.build()?;
        let elements =
            names.into_iter().map(|(name, kind)| Typed::new(Expr::Column(Column::new_unqualified(name)), kind)).collect();
        Ok((plan, elements))
    }

    /// The arrays, each as long as the longest: defaults of their types are put behind.
    fn of_one_size(&self, lists: Vec<Typed>) -> Result<Vec<Typed>> {
        let called = |name: &str, arguments: &[Typed]| -> Result<Typed> {
            let described = arguments.iter().map(|typed| (typed.expr.clone(), self.argument(typed))).collect();
            let (expr, kind) = gristmill_functions::udf::call(self.registry, name, described, &self.env)?;
            Ok(Typed::new(expr, kind))
        };
        let lengths = lists.iter().map(|list| called("length", std::slice::from_ref(list))).collect::<Result<Vec<_>>>()?;
        let longest = called("greatest", &lengths)?;
        let resized = |list: Typed| {
            let kind = list.kind.clone();
            let resized = called("arrayResize", &[list, longest.clone()])?;
            self.cast(resized, &kind)
        };
        lists.into_iter().map(resized).collect()
    }

    /// An array with one default element where there is none: LEFT ARRAY JOIN keeps such rows.
    fn never_empty(&self, array: Typed, element: &SqlType) -> Result<Typed> {
        let described = vec![(array.expr.clone(), self.argument(&array))];
        let (length, _) = gristmill_functions::udf::call(self.registry, "length", described, &self.env)?;
        let default = gristmill_types::default::default_scalar(element);
        let DataType::List(field) = array.kind.arrow() else {
            return Err(Error::logical(format!("Arrays of type {} are no lists", array.kind)));
        };
        let values = default.to_array_of_size(1)?;
        let list = ListArray::try_new(field, OffsetBuffer::from_lengths([1]), values, None).map_err(Error::from)?;
        let expr = Expr::Case(Case {
            expr: None,
            when_then_expr: vec![(Box::new(length.eq(lit(0_u64))), Box::new(lit(ScalarValue::List(Arc::new(list)))))],
            else_expr: Some(Box::new(array.expr)),
        });
        Ok(Typed::new(expr, array.kind))
    }
}

/// The column that an array of ARRAY JOIN is. An ALIAS column may have the expression of another: the name tells them apart.
fn column_of(node: &Node, array: &Typed, columns: &[ScopeColumn]) -> Option<usize> {
    let is_array = |column: &ScopeColumn| column.expr == array.expr;
    let named = match node.bare() {
        Node::Name(parts) => {
            let whole = parts.join(".");
            let is_named = |name: &str| *name == whole || parts.last().is_some_and(|last| last == name);
            columns.iter().position(|column| is_array(column) && is_named(&column.name))
        }
        _ => None,
    };
    named.or_else(|| columns.iter().position(is_array))
}

/// The first of the lists, unless a row has lists of different sizes: that is an error.
fn same_sizes(lists: &[Typed]) -> Expr {
    let types: Vec<DataType> = lists.iter().map(|list| list.kind.arrow()).collect();
    let result = types[0].clone();
    let check = create_udf("same_sizes", types, result, Volatility::Immutable, Arc::new(check_sizes));
    check.call(lists.iter().map(|list| list.expr.clone()).collect())
}

fn check_sizes(arguments: &[ColumnarValue]) -> datafusion::error::Result<ColumnarValue> {
    let arrays = ColumnarValue::values_to_arrays(arguments)?;
    let lists: Vec<&ListArray> = arrays.iter().filter_map(|array| array.as_list_opt::<i32>()).collect();
    if let [first, others @ ..] = &lists[..] {
        for row in 0..first.len() {
            for other in others {
                let (a, b) = (first.value_length(row), other.value_length(row));
                if a != b {
                    let text = format!("Sizes of ARRAY-JOIN-ed arrays do not match: {a} and {b}");
                    return Err(Error::new(ErrorCode::SIZES_OF_ARRAYS_DONT_MATCH, text).into());
                }
            }
        }
    }
    Ok(ColumnarValue::Array(arrays[0].clone()))
}

/// `m` of a flattened nested table as its arrays, `m AS n` as `m.k AS n.k` and so on; all else as it is.
fn of_nested(node: Node, columns: &[ScopeColumn]) -> Vec<Node> {
    let (Node::Name(parts), alias) = (match &node {
        Node::Aliased(inner, alias) => (inner.bare(), Some(alias)),
        other => (other, None),
    }) else {
        return vec![node];
    };
    let whole = parts.join(".");
    let fields = if columns.iter().any(|column| column.name == whole) { Vec::new() } else { nested_fields(parts, columns) };
    if fields.is_empty() {
        return vec![node];
    }
    let array = |(name, _): (Vec<String>, SqlType)| {
        let field = name.last().cloned().unwrap_or_default();
        match alias {
            Some(alias) => Node::Aliased(Box::new(Node::Name(name)), format!("{alias}.{field}")),
            None => Node::Name(name),
        }
    };
    fields.into_iter().map(array).collect()
}

/// The type of an array's elements; a map's are its pairs. Errors: TYPE_MISMATCH, ILLEGAL_TYPE_OF_ARGUMENT.
pub(crate) fn element_of(kind: &SqlType) -> Result<SqlType> {
    match kind.plain() {
        SqlType::Array(element) if **element == SqlType::Nothing => {
            Err(Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, "arrayJoin of an empty array without a type: cast it"))
        }
        SqlType::Array(element) => Ok(element.as_ref().clone()),
        SqlType::Map(key, value) => {
            let part = |name: &str, kind: &SqlType| (Some(name.to_string()), kind.clone());
            Ok(SqlType::Tuple(vec![part("keys", key), part("values", value)]))
        }
        other => Err(Error::new(ErrorCode::TYPE_MISMATCH, format!("ARRAY JOIN requires array argument, not {other}"))),
    }
}
