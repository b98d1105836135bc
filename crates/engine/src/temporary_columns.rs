//! `max_temporary_columns` and `max_temporary_non_const_columns`: how many columns an operator may hold at a time.
//!
//! An operator holds the columns that its expressions read, and those that they make as long as something needs them: an expression
//! that is written twice is one. As in ClickHouse the first limit counts constants too, what was read to the end, and what an
//! expression is made of beside it; for the second, what nothing else needs makes room for what is made of it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::physical_expr::expressions::Literal;
use datafusion::physical_plan::{ExecutionPlan, PhysicalExpr};
use gristmill_base::{Error, ErrorCode};

type Expression = Arc<dyn PhysicalExpr>;

/// 0: any number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TemporaryColumns {
    pub all: u64,
    pub non_const: u64,
}

impl TemporaryColumns {
    pub fn is_limited(self) -> bool {
        self.all > 0 || self.non_const > 0
    }

    /// Errors: TOO_MANY_TEMPORARY_COLUMNS, TOO_MANY_TEMPORARY_NON_CONST_COLUMNS.
    pub fn check(self, plan: &Arc<dyn ExecutionPlan>) -> Result<()> {
        if !self.is_limited() {
            return Ok(());
        }
        let mut wanted = Vec::new();
        plan.apply_expressions(&mut |expression| {
            wanted.push(expression.clone());
            Ok(TreeNodeRecursion::Continue)
        })?;
        let (all, non_const) = held(&wanted);
        let block = plan.schema().fields().len() as u64;
        for (most, held, what, code) in [
            (self.all, all.max(block), "columns", ErrorCode::TOO_MANY_TEMPORARY_COLUMNS),
            (self.non_const, non_const, "non-const columns", ErrorCode::TOO_MANY_TEMPORARY_NON_CONST_COLUMNS),
        ] {
            if most > 0 && held > most {
                let text = format!("Too many temporary {what}: {held} in {}. Maximum: {most}", plan.name());
                return Err(Error::new(code, text).into());
            }
        }
        Ok(())
    }
}

/// Columns that are there at one moment, at most: all, and those that are no constants.
fn held(wanted: &[Expression]) -> (u64, u64) {
    let mut uses: HashMap<Expression, usize> = HashMap::new();
    let mut order = Vec::new();
    for expression in wanted {
        add(expression, &mut uses, &mut order);
    }
    // What is wanted is needed to the end.
    for expression in wanted {
        *uses.entry(expression.clone()).or_default() += 1;
    }
    let is_const = |expression: &Expression| expression.downcast_ref::<Literal>().is_some();
    let is_read = |expression: &Expression| expression.children().is_empty() && !is_const(expression);
    let read = order.iter().filter(|expression| is_read(expression)).count() as u64;
    let results = wanted.iter().collect::<HashSet<_>>();
    let mut most = read + results.len() as u64;
    let mut most_non_const = results.iter().filter(|expression| !is_const(expression)).count() as u64;
    // Those that were made, and all that are no constants.
    let (mut made, mut non_const) = (HashSet::new(), HashSet::new());
    for expression in order.iter().filter(|expression| !expression.children().is_empty()) {
        let children = distinct_children(expression);
        made.insert(expression.clone());
        made.extend(children.iter().filter(|child| is_const(child)).cloned());
        non_const.extend(children.iter().filter(|child| is_read(child)).cloned());
        most = most.max(read + made.len() as u64);
        for child in children {
            let left = uses.entry(child.clone()).or_default();
            *left = left.saturating_sub(1);
            if *left == 0 {
                made.remove(&child);
                non_const.remove(&child);
            }
        }
        non_const.insert(expression.clone());
        most_non_const = most_non_const.max(non_const.len() as u64);
    }
    (most, most_non_const)
}

/// An expression behind what it is made of, once; and how many others are made of each.
fn add(expression: &Expression, uses: &mut HashMap<Expression, usize>, order: &mut Vec<Expression>) {
    if uses.contains_key(expression) {
        return;
    }
    uses.insert(expression.clone(), 0);
    for child in distinct_children(expression) {
        add(&child, uses, order);
        *uses.entry(child).or_default() += 1;
    }
    order.push(expression.clone());
}

fn distinct_children(expression: &Expression) -> Vec<Expression> {
    let mut children: Vec<Expression> = Vec::new();
    for child in expression.children() {
        if !children.contains(child) {
            children.push(child.clone());
        }
    }
    children
}

#[cfg(test)]
mod tests {
    use datafusion::logical_expr::Operator;
    use datafusion::physical_expr::expressions::{BinaryExpr, Column, lit};

    use super::*;

    fn number() -> Expression {
        Arc::new(Column::new("number", 0))
    }

    fn plus(of: Expression, value: i64) -> Expression {
        Arc::new(BinaryExpr::new(of, Operator::Plus, lit(value)))
    }

    /// The numbers are ClickHouse's.
    #[test]
    fn columns_are_counted_as_clickhouse_does() {
        assert_eq!(held(&[number()]), (2, 1));
        assert_eq!(held(&[plus(number(), 1)]), (3, 1));
        assert_eq!(held(&[plus(number(), 1), plus(number(), 2)]), (4, 2));
        assert_eq!(held(&[plus(number(), 1), plus(number(), 2), plus(number(), 3)]), (5, 3));
        assert_eq!(held(&[number(), plus(number(), 1)]), (3, 2));
        assert_eq!(held(&[number(), plus(number(), 1), plus(number(), 2)]), (4, 3));
        assert_eq!(held(&[plus(plus(number(), 1), 2)]), (4, 1));
        assert_eq!(held(&[plus(plus(plus(number(), 1), 2), 3)]), (4, 1));
    }
}
