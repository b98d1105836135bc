//! INTERPOLATE may be computed by columns of FROM that the SELECT list does not have. They are carried along to where rows are made: a
//! row that was read has its values of them, a row that is made their defaults.

use datafusion::logical_expr::Expr;
use gristmill_base::{ErrorCode, Result};
use gristmill_types::SqlType;

use super::super::limits::Tail;
use super::super::scope::{Context, ScopeColumn};
use super::super::windows::Sorted;
use super::super::{Analyzer, Typed};
use crate::ast::{Node, unescape_identifier};
use crate::translate;

/// What rows are ordered by, and what INTERPOLATE names beside the SELECT list.
pub(crate) struct Ordered {
    pub keys: Vec<Sorted>,
    pub beside: Vec<(Vec<String>, Typed)>,
}

impl From<Vec<Sorted>> for Ordered {
    fn from(keys: Vec<Sorted>) -> Self {
        Ordered { keys, beside: Vec::new() }
    }
}

impl Analyzer<'_> {
    /// What INTERPOLATE names and the SELECT list does not have. Error: NOT_AN_AGGREGATE, of a column that groups hide.
    pub(crate) fn named_beside(
        &self,
        tail: &Tail,
        outputs: &[(String, Typed)],
        context: &Context<'_>,
    ) -> Result<Vec<(Vec<String>, Typed)>> {
        let mut beside: Vec<(Vec<String>, Typed)> = Vec::new();
        for parts in names_of(tail)? {
            let is_output = matches!(&parts[..], [name] if outputs.iter().any(|(output, _)| output == name));
            if is_output || beside.iter().any(|(known, _)| *known == parts) {
                continue;
            }
            match self.expr(&Node::Name(parts.clone()), context) {
                Ok(typed) => beside.push((parts, self.as_value(typed)?)),
                Err(error) if error.code() == ErrorCode::NOT_AN_AGGREGATE => return Err(error),
                // A lambda's parameter, or what will be missed where it is computed.
                Err(_) => {}
            }
        }
        Ok(beside)
    }
}

fn names_of(tail: &Tail) -> Result<Vec<Vec<String>>> {
    let mut names = Vec::new();
    for one in tail.interpolate.iter().filter_map(|interpolate| interpolate.exprs.as_ref()).flatten() {
        names.push(vec![unescape_identifier(&one.column)]);
        let Some(expr) = &one.expr else { continue };
        translate::node(expr)?.walk(&mut |node| {
            if let Node::Name(parts) = node {
                names.push(parts.clone());
            }
            true
        });
    }
    Ok(names)
}

/// What is carried along, as a column that INTERPOLATE may name.
pub(crate) fn column_beside(mut parts: Vec<String>, kind: SqlType, expr: Expr) -> ScopeColumn {
    let name = parts.pop().unwrap_or_default();
    ScopeColumn { qualifier: parts, origin: Vec::new(), name, kind, expr, hidden: false, of_using: false, shadows: false }
}
