//! What says in which order rows are, or stand beside one another: keys of ORDER BY with their FILL, and windows.

use gristmill_base::Result;
use sqlparser::ast::{Expr, OrderByExpr, WindowType, WithFill};

use super::{node, nodes};
use crate::ast::{Call, Fill, Literal, Node, SortKey, Window, unescape_identifier};
use crate::rewrite::collations::COLLATE;
use crate::rewrite::fill::STALENESS;

pub(crate) fn window(kind: &WindowType) -> Result<Window> {
    match kind {
        WindowType::WindowSpec(spec) => Ok(Window {
            base: spec.window_name.as_ref().map(unescape_identifier),
            partition_by: nodes(&spec.partition_by)?,
            order_by: spec.order_by.iter().map(sort_key).collect::<Result<_>>()?,
            frame: spec.window_frame.clone(),
        }),
        WindowType::NamedWindow(name) => {
            Ok(Window { base: Some(unescape_identifier(name)), partition_by: Vec::new(), order_by: Vec::new(), frame: None })
        }
    }
}

/// NULLS LAST is the default in both directions.
pub fn sort_key(key: &OrderByExpr) -> Result<SortKey> {
    let (node, collation) = with_collation(node(&key.expr)?);
    Ok(SortKey {
        node,
        collation,
        descending: key.options.asc == Some(false),
        nulls_first: key.options.nulls_first == Some(true),
        fill: key.with_fill.as_ref().map(fill).transpose()?.map(Box::new),
    })
}

/// What is ordered by, and the locale that the tokens were given for COLLATE.
fn with_collation(key: Node) -> (Node, Option<String>) {
    match key {
        Node::Call(Call { name, mut arguments, .. }) if name == COLLATE && arguments.len() == 2 => {
            let locale = arguments.pop().and_then(|locale| match locale {
                Node::Literal(Literal::Text(bytes)) => Some(String::from_utf8_lossy(&bytes).into_owned()),
                _ => None,
            });
            (arguments.remove(0), locale)
        }
        key => (key, None),
    }
}

fn fill(fill: &WithFill) -> Result<Fill> {
    let bound = |expr: &Option<Expr>| expr.as_ref().map(node).transpose();
    let (step, staleness) = match bound(&fill.step)? {
        Some(Node::Call(call)) if call.name == STALENESS => {
            let mut both =
                call.arguments.into_iter().map(|node| Some(node).filter(|node| *node != Node::Literal(Literal::Null)));
            (both.next().flatten(), both.next().flatten())
        }
        step => (step, None),
    };
    Ok(Fill { from: bound(&fill.from)?, to: bound(&fill.to)?, step, staleness })
}
