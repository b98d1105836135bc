//! Which order of rows is one that parts lie in already. The rows of a part are in the order of the sorting key, so they are
//! in that of every prefix of it, and of what rises with the last expression of such a prefix; read backwards, in the reverse
//! one. A key column that has one value in all rows that come out (`WHERE tenant = 7 ORDER BY time` under the key `(tenant,
//! time)`) may be missing in the order.

use datafusion::common::{DFSchema, ScalarValue};
use datafusion::logical_expr::Expr;
use datafusion::physical_expr::PhysicalSortExpr;
use datafusion::physical_plan::ExecutionPlan;
use gristmill_types::SqlType;

use super::exec::MergeTreeScan;
use super::logical::logical;
use crate::index::expression::rising_function;
use crate::index::order::has_floats;

/// How far an order follows the sorting key.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderMatch {
    /// Expressions of the order, from the first on, that the rows are in the order of.
    pub satisfied: usize,
    /// Expressions of the sorting key, from the first on, that follow.
    pub keys: usize,
    /// By such expression, its value where all rows have one.
    pub fixed: Vec<Option<ScalarValue>>,
    /// The rows are read from the last to the first.
    pub backwards: bool,
}

/// `None`: the order has nothing in common with the key. `sorts`: over the scan's output.
pub fn order_match(scan: &MergeTreeScan, sorts: &[PhysicalSortExpr]) -> Option<OrderMatch> {
    let layout = &scan.core().layout;
    let columns = DFSchema::try_from(layout.schema.as_ref().clone()).ok()?;
    let output = scan.schema();
    let mut keys = layout.sorting.iter();
    let mut found = OrderMatch { satisfied: 0, keys: 0, fixed: Vec::new(), backwards: false };
    for sort in sorts {
        let Some(expr) = logical(&sort.expr) else { break };
        if matches!(&expr, Expr::Column(column) if scan.fixed().contains_key(&column.name)) {
            found.satisfied += 1;
            continue;
        }
        let mut next = keys.clone();
        let mut skipped = Vec::new();
        // Over keys of one value to the key that the expression is, or rises with.
        let key = loop {
            let Some(key) = next.next() else { break None };
            if let Some(function) = rising_function(&expr, &key.logical, &columns) {
                break Some((key, function));
            }
            match key.column().and_then(|column| scan.fixed().get(column)) {
                Some(value) => skipped.push(Some(value.clone())),
                None => break None,
            }
        };
        let Some((key, function)) = key else { break };
        let backwards = sort.options.descending != key.descending;
        if found.keys > 0 && backwards != found.backwards {
            break;
        }
        // Zeroes of both signs are one key, and are two values of an operator.
        if is_nested(&key.kind) && has_floats(&key.kind.arrow()) {
            break;
        }
        let nullable = sort.expr.nullable(&output).unwrap_or(true) || (is_nested(&key.kind) && holds_null(&key.kind));
        let is_key = matches!(function, Expr::Column(_));
        // NULL lies behind all values, in tuples and arrays too: read backwards, it comes first.
        if nullable && (!is_key || sort.options.nulls_first != sort.options.descending) {
            break;
        }
        keys = next;
        found.backwards = backwards;
        found.satisfied += 1;
        found.keys += skipped.len() + 1;
        found.fixed.extend(skipped);
        found.fixed.push(None);
        if !is_key {
            break;
        }
    }
    (found.keys > 0).then_some(found)
}

fn is_nested(kind: &SqlType) -> bool {
    kind.arrow().is_nested()
}

/// Whether values of the type may be NULL, or hold NULL.
fn holds_null(kind: &SqlType) -> bool {
    match kind {
        SqlType::Tuple(fields) => fields.iter().any(|(_, kind)| holds_null(kind)),
        SqlType::Array(element) => holds_null(element),
        SqlType::Map(key, value) => holds_null(key) || holds_null(value),
        kind => kind.is_nullable() || is_nested(kind),
    }
}
