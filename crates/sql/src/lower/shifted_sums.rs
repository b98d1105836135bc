//! What is computed with a constant in a sum or an average, computed once with its result (ClickHouse:
//! `optimize_arithmetic_operations_in_aggregate_functions`): nothing is computed a row, and sums of one column that differ by that
//! are one sum.
//!
//! - `sum(x + 1)` as `sum(x) + 1 * count(x)`. Integers of up to 64 bits alone: they wrap, so both ways give the same bits; floats
//!   would round otherwise, and decimals would not overflow where they should.
//! - `sum(x / 3)` as `sum(x) / 3`, `avg(x * 0.1 + 1)` as `avg(x * 0.1) + 1`: rounded once, as ClickHouse rounds.
//!
//! A sum of which a projection keeps the states stays as it is: it is found there by what it says.

use gristmill_base::Result;
use gristmill_types::SqlType;

use super::scope::Context;
use super::{Analyzer, Typed};
use crate::ast::{Call, Literal, Node, call};

impl Analyzer<'_> {
    /// The aggregate otherwise, where it is such a sum or average.
    pub(crate) fn shifted_sum(&self, function: &Call, context: &Context<'_>) -> Result<Option<Typed>> {
        let is_plain = function.parameters.is_empty() && !function.distinct && function.filter.is_none();
        let aggregate = self.registry.canonical(&function.name);
        if !self.settings.optimize_arithmetic_operations_in_aggregate_functions
            || !is_plain
            || !matches!(aggregate, "sum" | "avg")
        {
            return Ok(None);
        }
        let [argument] = function.arguments.as_slice() else { return Ok(None) };
        let Node::Call(argument) = argument.bare() else { return Ok(None) };
        let (name, [left, right]) = (self.registry.canonical(&argument.name), argument.arguments.as_slice()) else {
            return Ok(None);
        };
        let shifts = matches!(name, "plus" | "minus");
        if !shifts && !matches!(name, "multiply" | "divide") {
            return Ok(None);
        }
        let call_itself = Node::Call(function.clone());
        if self.tables.by_text.values().any(|table| table.kept_aggregates.contains(&call_itself)) {
            return Ok(None);
        }
        match shifts && aggregate == "sum" {
            true => self.with_shift_outside(function, name, (left, right), context),
            false => self.with_factor_outside(function, name, (left, right), context),
        }
    }

    fn with_shift_outside(
        &self,
        function: &Call,
        name: &str,
        (left, right): (&Node, &Node),
        context: &Context<'_>,
    ) -> Result<Option<Typed>> {
        let value = match (is_whole(left), is_whole(right)) {
            (false, true) => left,
            (true, false) => right,
            _ => return Ok(None),
        };
        let below = context.below_grouping();
        if self.has_aggregate(value, &below) || !is_integer(&self.expr(value, &below)?.kind) {
            return Ok(None);
        }
        let (_, kind, _) = self.bind_aggregate(function, &below)?;
        let sum = call("sum", vec![value.clone()]);
        let shift = |by: &Node| call("multiply", vec![by.clone(), call("count", vec![value.clone()])]);
        let sides = if is_whole(right) { vec![sum, shift(right)] } else { vec![shift(left), sum] };
        let shifted = self.expr(&call(name, sides), context)?;
        self.cast(shifted, &kind).map(Some)
    }

    fn with_factor_outside(
        &self,
        function: &Call,
        name: &str,
        (left, right): (&Node, &Node),
        context: &Context<'_>,
    ) -> Result<Option<Typed>> {
        let below = context.below_grouping();
        let (value, constant_first) = match (self.is_constant_number(left, &below), self.is_constant_number(right, &below)) {
            (false, true) => (left, false),
            // One by a sum is not the sum of ones by the values.
            (true, false) if name != "divide" => (right, true),
            _ => return Ok(None),
        };
        if self.has_aggregate(value, &below) || value.has_subquery() || !self.expr(value, &below)?.kind.plain().is_number() {
            return Ok(None);
        }
        let (_, kind, _) = self.bind_aggregate(function, &below)?;
        let whole = call(&function.name, vec![value.clone()]);
        let sides = if constant_first { vec![left.clone(), whole] } else { vec![whole, right.clone()] };
        let computed = self.expr(&call(name, sides), context)?;
        self.cast(computed, &kind).map(Some)
    }

    fn is_constant_number(&self, node: &Node, below: &Context<'_>) -> bool {
        if node.has_subquery() || self.has_aggregate(node, below) {
            return false;
        }
        let constant = self.constant_in(node, below);
        constant.is_ok_and(|(value, kind)| !value.is_null() && kind.is_number() && !kind.is_nullable())
    }
}

fn is_whole(node: &Node) -> bool {
    matches!(node, Node::Literal(Literal::Integer(_)))
}

fn is_integer(kind: &SqlType) -> bool {
    kind.integer_bits().is_some_and(|(bits, _)| bits <= 64)
}
