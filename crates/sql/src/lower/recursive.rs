//! `WITH RECURSIVE name AS (anchor UNION ALL step)`: the step reads, under the query's own name, the rows that the round
//! before gave. The anchor's types count: the step's values are cast to them.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use datafusion::catalog::cte_worktable::CteWorkTable;
use datafusion::common::{Column, TableReference as PlanName};
use datafusion::datasource::provider_as_source;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};
use gristmill_base::{Error, ErrorCode, Result};
use sqlparser::ast::{Query, SetExpr, SetOperator, SetQuantifier};

use super::limits::Tail;
use super::{Analyzer, Lowered, OutputColumn, Typed};

impl Analyzer<'_> {
    /// `None`: the query does not read itself.
    pub(crate) fn recursive(
        &self,
        name: &str,
        query: &Query,
        outer: &Rc<HashMap<String, Query>>,
    ) -> Result<Option<Lowered>> {
        if !super::tables::reads(query, name) {
            return Ok(None);
        }
        let SetExpr::SetOperation { op: SetOperator::Union, set_quantifier, left, right } = query.body.as_ref() else {
            return Err(Error::new(
                ErrorCode::UNSUPPORTED_METHOD,
                format!("Recursive CTE subquery {name} must be a UNION of a part that does not read it and one that does"),
            ));
        };
        let anchor = self.body(left, &Tail::default(), &HashMap::new(), outer)?;
        let names: Vec<String> = anchor.columns.iter().map(|column| self.unique(&column.name)).collect();
        let exprs = anchor.columns.iter().zip(&names).map(|(column, name)| column.expr.clone().alias(name));
        let anchor_plan = LogicalPlanBuilder::from(anchor.plan).project(exprs.collect::<Vec<_>>())?.build()?;
        // One round's rows, under a name that no other relation has.
        let table = self.unique(name);
        let schema = Arc::new(anchor_plan.schema().as_arrow().clone());
        let work = provider_as_source(Arc::new(CteWorkTable::new(&table, schema)));
        let work_plan = LogicalPlanBuilder::scan(PlanName::bare(table.clone()), work, None)?.build()?;
        let columns = |qualifier: Option<&str>| -> Vec<OutputColumn> {
            let relation = qualifier.map(PlanName::bare);
            anchor
                .columns
                .iter()
                .zip(&names)
                .map(|(column, name)| OutputColumn {
                    name: column.name.clone(),
                    kind: column.kind.clone(),
                    expr: Expr::Column(Column::new(relation.clone(), name)),
                })
                .collect()
        };
        let round = Lowered { plan: work_plan, columns: columns(Some(&table)) };
        self.rounds.borrow_mut().push((name.to_string(), round));
        let step = self.body(right, &Tail::default(), &HashMap::new(), outer);
        self.rounds.borrow_mut().pop();
        let step = step?;
        if step.columns.len() != names.len() {
            return Err(Error::new(
                ErrorCode::UNION_ALL_RESULT_STRUCTURES_MISMATCH,
                format!("The parts of the recursive query {name} have {} and {} columns", names.len(), step.columns.len()),
            ));
        }
        let mut exprs = Vec::new();
        for ((column, wanted), name) in step.columns.iter().zip(&anchor.columns).zip(&names) {
            exprs.push(self.cast(Typed::new(column.expr.clone(), column.kind.clone()), &wanted.kind)?.expr.alias(name));
        }
        let step_plan: LogicalPlan = LogicalPlanBuilder::from(step.plan).project(exprs)?.build()?;
        let distinct = *set_quantifier == SetQuantifier::Distinct;
        let plan = LogicalPlanBuilder::from(anchor_plan).to_recursive_query(table, step_plan, distinct)?.build()?;
        Ok(Some(Lowered { plan, columns: columns(None) }))
    }
}
