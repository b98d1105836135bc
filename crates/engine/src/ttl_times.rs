//! Times of TTL in types that hold them.
//!
//! Days of a Date end in 2149 and times of a DateTime in 2106. What is added to one beyond that begins anew at 1970, and rows
//! that are to stay for a century would have expired. So whatever something is added to counts as a Date32 or a DateTime64,
//! and what is made a Date or a DateTime of such a value stays as wide. (ClickHouse widens the columns alone: by
//! `toDate(ts) + INTERVAL 100 YEAR` it deletes rows that should stay.)

use gristmill_sql::ast::{Call, Node, call, text};
use gristmill_sql::lower::Analyzer;
use gristmill_types::{Columns, SqlType};

/// The expression of a time, computed in wide types where it can be.
pub fn widened(analyzer: &Analyzer<'_>, node: &Node, columns: &Columns) -> Node {
    let kind = |node: &Node| analyzer.over_columns(node, columns).ok().map(|typed| typed.kind);
    let new = node.rebuilt(&mut |node| {
        let Node::Call(function) = &node else { return node };
        let Some(to) = kind(&node).and_then(|kind| wide(&kind)) else { return node };
        let wide = match function.name.as_str() {
            "toDate" | "toDateTime" | "CAST" | "cast" => converted(function, &to, &kind),
            name if adds(name) => Some(added(function, &kind)),
            _ => None,
        };
        // What cannot be computed so is computed as it is written.
        wide.filter(|wide| kind(wide).is_some_and(|kind| is_wide(&kind))).unwrap_or(node)
    });
    if kind(&new).is_some() { new } else { node.clone() }
}

fn adds(name: &str) -> bool {
    matches!(name, "plus" | "minus") || name.starts_with("add") || name.starts_with("subtract")
}

/// An addition to dates and times as wide ones.
fn added(function: &Call, kind: &dyn Fn(&Node) -> Option<SqlType>) -> Node {
    let argument = |node: &Node| match kind(node).and_then(|kind| wide(&kind)) {
        Some(wide) => call("CAST", vec![node.clone(), text(&wide.to_string())]),
        None => node.clone(),
    };
    Node::Call(Call { arguments: function.arguments.iter().map(argument).collect(), ..function.clone() })
}

/// A conversion of a wide value to a type that may not hold it: to the wider type.
fn converted(function: &Call, to: &SqlType, kind: &dyn Fn(&Node) -> Option<SqlType>) -> Option<Node> {
    let value = function.arguments.first()?;
    kind(value).filter(is_wide)?;
    Some(match function.name.as_str() {
        // With the time zone, where one is given.
        "toDate" => call("toDate32", function.arguments.clone()),
        _ => call("CAST", vec![value.clone(), text(&to.to_string())]),
    })
}

/// The type that holds what is added to values of this one. `None`: it is no type of dates and times, or holds it itself.
fn wide(kind: &SqlType) -> Option<SqlType> {
    let wide = match kind.plain() {
        SqlType::Date => SqlType::Date32,
        SqlType::DateTime(zone) => SqlType::DateTime64(0, zone.clone()),
        _ => return None,
    };
    Some(if kind.is_nullable() { wide.nullable() } else { wide })
}

fn is_wide(kind: &SqlType) -> bool {
    matches!(kind.plain(), SqlType::Date32 | SqlType::DateTime64(..))
}
