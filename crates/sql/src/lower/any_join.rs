//! ANY joins whose condition asks for more than equal keys: it has an OR, or compares the two sides otherwise. Rows are joined with all
//! their matches, of which those are kept that ClickHouse finds first; so both sides' rows are numbered before.

use datafusion::common::JoinType;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, lit};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use super::Analyzer;
use super::from::Relation;
use super::joins::Condition;
use super::scope::ScopeColumn;
use crate::ast::Node;

impl Analyzer<'_> {
    /// Whether a join asks for equal keys, and for conditions on one side alone: rows with equal keys have the same matches then.
    pub(super) fn joins_by_keys(&self, left: &Relation, right: &Relation, condition: &Condition) -> Result<bool> {
        let Condition::On(parts) = condition else { return Ok(true) };
        for part in parts {
            let is_of_one_side = || self.condition_on(part, left).is_some() || self.condition_on(part, right).is_some();
            if !self.is_equality(part, left, right)? && !is_of_one_side() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// LEFT gives each row of the left side one match, RIGHT each of the right side. INNER gives no row of the right side twice; where
    /// keys are alternatives, none of the left side either. Errors: INVALID_JOIN_ON_EXPRESSION.
    pub(super) fn any_of_matches(
        &self,
        left: Relation,
        right: Relation,
        kind: JoinType,
        condition: &Condition,
    ) -> Result<Relation> {
        let parts: &[Node] = match condition {
            Condition::On(parts) => parts,
            Condition::Using(_) => &[],
        };
        self.check_keys(parts, &left, &right)?;
        let (left, left_row) = self.with_row_number(left)?;
        let (right, right_row) = self.with_row_number(right)?;
        let mut joined = self.equi_join(left, right, kind, condition)?;
        let left_row = taken(&mut joined, &left_row)?;
        let right_row = taken(&mut joined, &right_row)?;
        let plan = match kind {
            JoinType::Left => self.first_of_each_row(joined.plan, &left_row, &right_row)?,
            JoinType::Inner if parts.iter().any(is_alternative) => {
                let plan = self.first_of_each_row(joined.plan, &left_row, &right_row)?;
                self.first_of_each_row(plan, &right_row, &left_row)?
            }
            _ => self.first_of_each_row(joined.plan, &right_row, &left_row)?,
        };
        Ok(Relation { plan, columns: joined.columns })
    }

    /// Each way to match that a condition allows has to compare keys.
    fn check_keys(&self, parts: &[Node], left: &Relation, right: &Relation) -> Result<()> {
        for part in parts {
            if self.has_keys(part, left, right)? {
                return Ok(());
            }
        }
        let condition: Vec<String> = parts.iter().map(ToString::to_string).collect();
        let text = format!("Cannot determine join keys in JOIN ON expression {}", condition.join(" AND "));
        Err(Error::new(ErrorCode::INVALID_JOIN_ON_EXPRESSION, text))
    }

    fn has_keys(&self, node: &Node, left: &Relation, right: &Relation) -> Result<bool> {
        let Node::Call(call) = node.bare() else { return Ok(false) };
        if call.name != "and" && call.name != "or" {
            return self.is_equality(node, left, right);
        }
        let is_or = call.name == "or";
        for part in &call.arguments {
            if self.has_keys(part, left, right)? != is_or {
                return Ok(!is_or);
            }
        }
        Ok(is_or)
    }

    fn is_equality(&self, node: &Node, left: &Relation, right: &Relation) -> Result<bool> {
        Ok(self.key_sides(node, left, right)?.is_some())
    }

    /// A side with the numbers of its rows in a column that no query sees, and the name of that.
    fn with_row_number(&self, side: Relation) -> Result<(Relation, String)> {
        let (plan, number) = self.numbered(side.plan, &[])?;
        let name = super::fill::column_name(&number)?;
        let mut columns = side.columns;
        columns.push(ScopeColumn {
            qualifier: Vec::new(),
            origin: Vec::new(),
            name: name.clone(),
            kind: SqlType::UInt64,
            expr: number,
            hidden: true,
            of_using: false,
            shadows: false,
        });
        Ok((Relation { plan, columns }, name))
    }

    /// Of the rows that are joined with one row, the first.
    fn first_of_each_row(&self, plan: LogicalPlan, row: &Expr, order: &Expr) -> Result<LogicalPlan> {
        let (plan, place) = self.numbered_by(plan, std::slice::from_ref(row), vec![order.clone().sort(true, false)])?;
        Ok(LogicalPlanBuilder::from(plan).filter(place.eq(lit(1_u64)))?.build()?)
    }
}

/// The column with row numbers, which the relation has no more.
fn taken(joined: &mut Relation, name: &str) -> Result<Expr> {
    let at = joined.columns.iter().position(|column| column.name == name);
    let at = at.ok_or_else(|| Error::logical(format!("A join without its column {name}")))?;
    Ok(joined.columns.remove(at).expr)
}

fn is_alternative(part: &Node) -> bool {
    matches!(part.bare(), Node::Call(call) if call.name == "or")
}
