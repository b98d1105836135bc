//! What is lowered more than once where it stands: elements of tuples that are compared, as wholes and one by one, the value of a
//! CASE, what a function is looked at before another computes it. One within another would double the work with every level, so that
//! the inner ones are lowered beforehand and go by names.

use gristmill_base::Result;

use super::operators::comparison;
use super::ranges::period;
use super::scope::Context;
use super::{Analyzer, Typed};
use crate::ast::{Call, InSet, Node, PARENTHESES};

/// Begins the name of what is lowered: nothing that is written has such a name.
const LOWERED: char = '\0';

/// Functions whose arguments may be lowered more than once.
const AGAIN: &[&str] = &["nullIf", "caseWithExpression", "like", "startsWith", "empty", "notEmpty"];

/// Whether the arguments of a call may be lowered more than once.
pub(super) fn lowers_again(call: &Call) -> bool {
    let is_tuple = |node: &Node| matches!(node.bare(), Node::Call(call) if call.name == "tuple");
    let is_looked_into = |node: &Node| is_tuple(node) || period(node).is_some();
    AGAIN.contains(&call.name.as_str()) || comparison(&call.name).is_some() && call.arguments.iter().any(is_looked_into)
}

/// Whether such a call stands in an expression, or an IN.
fn holds_such(node: &Node) -> bool {
    let mut found = false;
    node.walk(&mut |node| {
        found |= match node {
            Node::In { .. } => true,
            Node::Call(call) => lowers_again(call),
            _ => false,
        };
        !found
    });
    found
}

impl Analyzer<'_> {
    /// A list with names in the place of what is in it, and where they are known. `None`: nothing in it is lowered again and again.
    pub(super) fn lowered_once<'s>(
        &self,
        nodes: &[Node],
        context: &Context<'s>,
    ) -> Result<Option<(Vec<Node>, Context<'s>)>> {
        if !nodes.iter().any(holds_such) {
            return Ok(None);
        }
        let mut lowered = Vec::new();
        let named = self.named(nodes, context, &mut lowered)?;
        Ok(Some((named, context.with_lambda(lowered))))
    }

    fn named(&self, nodes: &[Node], context: &Context<'_>, lowered: &mut Vec<(String, Typed)>) -> Result<Vec<Node>> {
        let mut named = Vec::with_capacity(nodes.len());
        for node in nodes {
            named.push(match node {
                Node::Literal(_) | Node::Star(_) | Node::Lambda { .. } => node.clone(),
                // What it is made of is looked at.
                Node::Call(call) if matches!(call.name.as_str(), "tuple" | "array" | PARENTHESES) => {
                    let arguments = self.named(&call.arguments, context, lowered)?;
                    Node::Call(Call { arguments, ..call.clone() })
                }
                node => name_for(self.expr(node, context)?, context, lowered),
            });
        }
        Ok(named)
    }

    /// Both sides of an IN, which are lowered as wholes and by their parts; as `lowered_once` has them.
    pub(super) fn sides_lowered_once<'s>(
        &self,
        left: &Node,
        set: &InSet,
        context: &Context<'s>,
    ) -> Result<Option<(Node, InSet, Context<'s>)>> {
        let items: &[Node] = match set {
            InSet::List(items) => items,
            InSet::Other(item) => std::slice::from_ref(item.as_ref()),
            InSet::Query(_) => return Ok(None),
        };
        // A name may be a table's.
        if matches!(items, [Node::Name(_)]) || !(holds_such(left) || items.iter().any(holds_such)) {
            return Ok(None);
        }
        let mut lowered = Vec::new();
        let mut named = self.named(std::slice::from_ref(left), context, &mut lowered)?;
        let mut items = self.named(items, context, &mut lowered)?;
        let inside = context.with_lambda(lowered);
        Ok(named.pop().and_then(|left| match set {
            InSet::Other(_) => items.pop().map(|item| (left, InSet::Other(Box::new(item)), inside)),
            _ => Some((left, InSet::List(items), inside)),
        }))
    }
}

/// A name for what was lowered, which is noted beside it.
pub(super) fn name_for(typed: Typed, context: &Context<'_>, lowered: &mut Vec<(String, Typed)>) -> Node {
    let name = format!("{LOWERED}{}", context.lambda.len() + lowered.len());
    lowered.push((name.clone(), typed));
    Node::Name(vec![name])
}
