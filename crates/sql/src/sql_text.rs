//! Expressions as SQL, with operators between their operands and parentheses where operators nest: what is shown of a
//! table's definition. `Display` of `Node` is the other text, that of calls, which names columns.

use gristmill_types::sql_type::quote_identifier;

use crate::ast::{InSet, Literal, Node, PARENTHESES};

/// Functions, and the operators that are shown in their place.
pub(crate) const INFIX: &[(&str, &str)] = &[
    ("plus", "+"),
    ("minus", "-"),
    ("multiply", "*"),
    ("divide", "/"),
    ("modulo", "%"),
    ("equals", "="),
    ("notEquals", "!="),
    ("less", "<"),
    ("lessOrEquals", "<="),
    ("greater", ">"),
    ("greaterOrEquals", ">="),
    ("like", "LIKE"),
    ("notLike", "NOT LIKE"),
    ("ilike", "ILIKE"),
    ("notILike", "NOT ILIKE"),
    ("and", "AND"),
    ("or", "OR"),
];

/// The text that parses to the same expression.
pub fn sql(node: &Node) -> String {
    if let Node::Call(call) = node
        && let (PARENTHESES, [inner]) = (call.name.as_str(), &call.arguments[..])
    {
        return format!("({})", sql(inner));
    }
    if let Some(expression) = node.defined() {
        return sql(expression);
    }
    match node {
        Node::Call(call) if call.parameters.is_empty() && call.over.is_none() && !call.distinct && call.filter.is_none() => {
            let infix = INFIX.iter().find(|(name, _)| *name == call.name).map(|(_, operator)| *operator);
            match (infix, call.name.as_str(), &call.arguments[..]) {
                (Some(operator), _, [_, _, ..]) => {
                    let parts: Vec<String> = call.arguments.iter().map(operand).collect();
                    parts.join(&format!(" {operator} "))
                }
                (_, "not", [inner]) => format!("NOT {}", operand(inner)),
                (_, "negate", [inner]) => format!("-{}", operand(inner)),
                (_, "isNull", [inner]) => format!("{} IS NULL", operand(inner)),
                (_, "isNotNull", [inner]) => format!("{} IS NOT NULL", operand(inner)),
                (_, "tuple", [_, _, ..]) => format!("({})", list(&call.arguments)),
                (_, "array", _) => format!("[{}]", list(&call.arguments)),
                (_, "arrayElement", [array, index]) => format!("{}[{}]", operand(array), sql(index)),
                (_, "tupleElement", [tuple, Node::Literal(Literal::Integer(index))]) if *index > 0 => {
                    format!("{}.{index}", operand(tuple))
                }
                (_, name, _) => format!("{name}({})", list(&call.arguments)),
            }
        }
        Node::Lambda { parameters, body } => {
            let body = lambda_body(body);
            match &parameters[..] {
                [one] => format!("{} -> {body}", quote_identifier(one)),
                many => {
                    let names: Vec<String> = many.iter().map(|name| quote_identifier(name).to_string()).collect();
                    format!("({}) -> {body}", names.join(", "))
                }
            }
        }
        Node::In { left, set, negated } => {
            let set = match set {
                InSet::List(nodes) => format!("({})", list(nodes)),
                InSet::Query(query) => format!("({query})"),
                InSet::Other(node) => sql(node),
            };
            format!("{} {}IN {set}", operand(left), if *negated { "NOT " } else { "" })
        }
        Node::Aliased(inner, alias) => format!("{} AS {}", operand(inner), quote_identifier(alias)),
        Node::Subquery(query) => format!("({query})"),
        Node::Exists { query, negated } => format!("{}EXISTS ({query})", if *negated { "NOT " } else { "" }),
        other => other.to_string(),
    }
}

fn list(nodes: &[Node]) -> String {
    nodes.iter().map(sql).collect::<Vec<_>>().join(", ")
}

/// What stands behind the arrow: operators in parentheses, as ClickHouse shows them.
pub(crate) fn lambda_body(body: &Node) -> String {
    if matches!(body, Node::Literal(_)) { sql(body) } else { operand(body) }
}

fn operand(node: &Node) -> String {
    if let Some(expression) = node.defined() {
        return operand(expression);
    }
    let text = sql(node);
    let nests = match node {
        Node::Call(call) => {
            call.arguments.len() > 1 && INFIX.iter().any(|(name, _)| *name == call.name)
                || matches!(call.name.as_str(), "not" | "negate" | "isNull" | "isNotNull")
        }
        Node::In { .. } | Node::Aliased(..) | Node::Lambda { .. } => true,
        Node::Literal(Literal::Integer(value)) => *value < 0,
        _ => false,
    };
    if nests { format!("({text})") } else { text }
}

#[cfg(test)]
mod tests {
    use super::sql;
    use crate::statement::parse_expression;

    #[test]
    fn operators_stand_between_their_operands() {
        for text in [
            "a * 2",
            "(a + 1) * 2",
            "toDate(ts) = '2024-01-01'",
            "NOT (a = 1)",
            "(a > 1) AND (b LIKE 'x%') AND (c IS NULL)",
            "x IN (1, 2)",
            "arrayMap(x -> (x + 1), arr)",
            "arrayMap((x, y) -> f(x), a, b)",
            "arrayMap(x -> -1, arr)",
            "m['k'] || 'z'",
            "[1, 2][1]",
            "(a, b)",
        ] {
            let node = parse_expression(text).expect(text);
            let shown = sql(&node);
            assert_eq!(parse_expression(&shown).expect(&shown), node, "{text} became {shown}");
            if !text.contains("||") {
                assert_eq!(shown, text);
            }
        }
    }
}
