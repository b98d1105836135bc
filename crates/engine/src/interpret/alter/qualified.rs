//! Columns that a change of rows names with their table: `DELETE FROM t WHERE t.k = 1`.

use std::collections::BTreeSet;

use gristmill_catalog::TableDefinition;
use gristmill_sql::ast::Node;

/// The expression with its columns named without their table, as definitions and mutations keep them: the table may be
/// renamed. A column, or a lambda's parameter, that is called like the table comes first.
pub fn unqualified(node: &Node, definition: &TableDefinition) -> Node {
    let mut parameters = BTreeSet::new();
    node.walk(&mut |node| {
        if let Node::Lambda { parameters: named, .. } = node {
            parameters.extend(named.iter().cloned());
        }
        true
    });
    let is_own = |name: &String| {
        let nested = |column: &str| column.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('.'));
        parameters.contains(name) || definition.columns.iter().any(|column| column.name == *name || nested(&column.name))
    };
    node.rebuilt(&mut |node| {
        let column = match &node {
            Node::Name(parts) if parts.len() > 1 && !is_own(&parts[0]) => match &parts[..] {
                [database, table, rest @ ..]
                    if !rest.is_empty() && *database == definition.database && *table == definition.name =>
                {
                    Some(rest.to_vec())
                }
                [table, rest @ ..] if *table == definition.name => Some(rest.to_vec()),
                _ => None,
            },
            _ => None,
        };
        column.map_or(node, Node::Name)
    })
}
