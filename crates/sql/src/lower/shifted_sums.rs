//! `sum(x + 1)` as `sum(x) + 1 * count(x)` (ClickHouse: `optimize_arithmetic_operations_in_aggregate_functions`): nothing is
//! computed a row, and sums of one column that differ by what is added are one sum. Integers of up to 64 bits alone: they
//! wrap, so both ways give the same bits; floats would round otherwise, and decimals would not overflow where they should.
//!
//! A sum of which a projection keeps the states stays as it is: it is found there by what it says.

use gristmill_base::Result;
use gristmill_types::SqlType;

use super::scope::Context;
use super::{Analyzer, Typed};
use crate::ast::{Call, Literal, Node, call};

impl Analyzer<'_> {
    /// The aggregate otherwise, where it is such a sum.
    pub(crate) fn shifted_sum(&self, function: &Call, context: &Context<'_>) -> Result<Option<Typed>> {
        let is_plain = function.parameters.is_empty() && !function.distinct && function.filter.is_none();
        if !self.settings.optimize_arithmetic_operations_in_aggregate_functions
            || !is_plain
            || self.registry.canonical(&function.name) != "sum"
        {
            return Ok(None);
        }
        let [Node::Call(argument)] = function.arguments.as_slice() else { return Ok(None) };
        let (name, [left, right]) = (self.registry.canonical(&argument.name), argument.arguments.as_slice()) else {
            return Ok(None);
        };
        let call_itself = Node::Call(function.clone());
        if self.tables.by_text.values().any(|table| table.kept_aggregates.contains(&call_itself)) {
            return Ok(None);
        }
        let value = match (is_whole(left), is_whole(right)) {
            (false, true) => left,
            (true, false) => right,
            _ => return Ok(None),
        };
        let below = context.below_grouping();
        if !matches!(name, "plus" | "minus") || self.has_aggregate(value, &below) {
            return Ok(None);
        }
        if !is_integer(&self.expr(value, &below)?.kind) {
            return Ok(None);
        }
        let (_, kind, _) = self.bind_aggregate(function, &below)?;
        let sum = call("sum", vec![value.clone()]);
        let shift = |by: &Node| call("multiply", vec![by.clone(), call("count", vec![value.clone()])]);
        let sides = if is_whole(right) { vec![sum, shift(right)] } else { vec![shift(left), sum] };
        let shifted = self.expr(&call(name, sides), context)?;
        self.cast(shifted, &kind).map(Some)
    }
}

fn is_whole(node: &Node) -> bool {
    matches!(node, Node::Literal(Literal::Integer(_)))
}

fn is_integer(kind: &SqlType) -> bool {
    kind.integer_bits().is_some_and(|(bits, _)| bits <= 64)
}
