//! How large and how deep a query may be (`max_ast_elements`, `max_ast_depth`): asked of what was parsed, before anything
//! else looks at it. What is counted is about what ClickHouse counts: a call is a node and the list of its arguments, a
//! collection of constants is one literal.

use std::ops::ControlFlow;

use gristmill_base::{Error, ErrorCode, Result};
use sqlparser::ast::{Expr, Query, Select, Visit, Visitor};

use crate::chains;
use crate::statement::{InsertSource, Statement};

/// Nodes that a query is before it has any expression, and the levels below which its expressions begin.
const OF_QUERY: (u64, u64) = (6, 8);
/// Of a SELECT of a UNION, beside its expressions.
const OF_SELECT: u64 = 2;

/// Most levels and nodes; 0: any number.
#[derive(Clone, Copy, Debug)]
pub struct Most {
    pub depth: u64,
    pub elements: u64,
    pub subqueries: u64,
}

/// Errors: TOO_DEEP_AST, TOO_BIG_AST, TOO_DEEP_SUBQUERIES.
pub fn check(statement: &Statement, most: Most) -> Result<()> {
    match statement {
        Statement::Select(select) => of_query(&select.query, most),
        Statement::ShowOf { query, .. } => of_query(&query.query, most),
        Statement::Insert(insert) => match &insert.source {
            InsertSource::Query { query, .. } => of_query(query, most),
            _ => Ok(()),
        },
        Statement::Explain { statement, .. } | Statement::Shown { statement, .. } => check(statement, most),
        _ => Ok(()),
    }
}

fn of_query(query: &Query, most: Most) -> Result<()> {
    let levels_most = 2 * chains::LEVELS_MOST as u64;
    let depth_most = if most.depth == 0 { levels_most } else { most.depth.min(levels_most) };
    let elements_most = if most.elements == 0 { u64::MAX } else { most.elements };
    let subqueries_most = if most.subqueries == 0 { u64::MAX } else { most.subqueries };
    let mut count = Count { depth: 0, elements: 0, queries: 0, in_constant: 0, depth_most, elements_most, subqueries_most };
    match query.visit(&mut count) {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(()),
    }
}

pub(crate) fn too_deep(most: u64) -> Error {
    Error::new(ErrorCode::TOO_DEEP_AST, format!("AST is too deep. Maximum: {most}. Nest less, or raise max_ast_depth"))
}

pub(crate) fn too_big(most: u64, setting: &str) -> Error {
    Error::new(
        ErrorCode::TOO_BIG_AST,
        format!("AST is too big. Maximum: {most}. Make the query smaller, or raise {setting}"),
    )
}

struct Count {
    depth: u64,
    elements: u64,
    /// Queries around.
    queries: u64,
    /// Collections of constants around, which are counted as a whole.
    in_constant: u64,
    depth_most: u64,
    elements_most: u64,
    subqueries_most: u64,
}

impl Count {
    fn add(&mut self, elements: u64) -> ControlFlow<Error> {
        self.elements += elements;
        if self.elements > self.elements_most {
            return ControlFlow::Break(too_big(self.elements_most, "max_ast_elements"));
        }
        ControlFlow::Continue(())
    }

    fn descend(&mut self, levels: u64) -> ControlFlow<Error> {
        self.depth += levels;
        if self.depth > self.depth_most {
            return ControlFlow::Break(too_deep(self.depth_most));
        }
        ControlFlow::Continue(())
    }
}

impl Visitor for Count {
    type Break = Error;

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<Error> {
        if self.queries > self.subqueries_most {
            return ControlFlow::Break(Error::new(
                ErrorCode::TOO_DEEP_SUBQUERIES,
                format!("Too deep subqueries. Maximum: {}. Nest less, or raise max_subquery_depth", self.subqueries_most),
            ));
        }
        self.queries += 1;
        self.add(OF_QUERY.0)?;
        self.descend(OF_QUERY.1)
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<Error> {
        self.queries -= 1;
        self.depth -= OF_QUERY.1;
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, _: &Select) -> ControlFlow<Error> {
        self.add(OF_SELECT)
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Error> {
        if self.in_constant > 0 || is_constant_collection(expr) {
            self.in_constant += 1;
            return if self.in_constant == 1 { self.add(1) } else { ControlFlow::Continue(()) };
        }
        let (elements, levels) = weight(expr);
        self.add(elements)?;
        self.descend(levels)
    }

    fn post_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Error> {
        if self.in_constant > 0 {
            self.in_constant -= 1;
        } else {
            self.depth -= weight(expr).1;
        }
        ControlFlow::Continue(())
    }
}

/// Nodes that an expression adds to those of its operands, and levels between them and what is around.
fn weight(expr: &Expr) -> (u64, u64) {
    match expr {
        Expr::Nested(_) => (0, 0),
        Expr::Value(_) | Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Wildcard(_) => (1, 1),
        Expr::Named { .. } => (0, 0),
        _ => (2, 2),
    }
}

/// `[1, 2]`, `(1, 'a')`, `x IN (1, 2)`
fn is_constant_collection(expr: &Expr) -> bool {
    match expr {
        Expr::Tuple(items) => items.iter().all(is_constant),
        Expr::Array(array) => array.elem.iter().all(is_constant),
        Expr::InList { expr, list, .. } => {
            matches!(expr.as_ref(), Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Value(_))
                && list.iter().all(is_constant)
        }
        _ => false,
    }
}

fn is_constant(expr: &Expr) -> bool {
    match expr {
        Expr::Value(_) => true,
        Expr::UnaryOp { expr, .. } => matches!(expr.as_ref(), Expr::Value(_)),
        other => is_constant_collection(other),
    }
}
