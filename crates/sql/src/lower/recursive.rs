//! `WITH RECURSIVE name AS (anchor UNION ALL step)`: the step reads, under the query's own name, the rows that the round
//! before gave. The types are such that both parts fit: of `SELECT 1 AS n UNION ALL SELECT n + 1`, `n` is a UInt64, as the step over a
//! UInt8 gives a UInt16, and so on until it gives what it reads.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use arrow::datatypes::{Field, Schema};
use datafusion::catalog::cte_worktable::CteWorkTable;
use datafusion::common::{Column, TableReference as PlanName};
use datafusion::datasource::provider_as_source;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::supertype::least_supertype;
use sqlparser::ast::{Query, SetExpr, SetOperator, SetQuantifier};

use super::limits::Tail;
use super::{Analyzer, Lowered, OutputColumn, Typed};

/// From 8 bits to 256 a type becomes wider five times; columns may wait for one another.
const WIDENINGS_MAX: usize = 32;

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
        // One SELECT means a table of that name.
        if matches!(query.body.as_ref(), SetExpr::Select(_)) {
            return Err(Error::new(ErrorCode::UNKNOWN_TABLE, format!("Unknown table expression identifier '{name}'")));
        }
        let SetExpr::SetOperation { op: SetOperator::Union, set_quantifier, left, right } = query.body.as_ref() else {
            return Err(Error::new(
                ErrorCode::UNSUPPORTED_METHOD,
                format!("Recursive CTE subquery {name} must be a UNION of a part that does not read it and one that does"),
            ));
        };
        let anchor = self.body(left, &Tail::default(), &HashMap::new(), outer)?;
        let mut kinds: Vec<SqlType> = anchor.columns.iter().map(|column| column.kind.clone()).collect();
        let mut widenings = 0;
        let (round, step) = loop {
            let (round, step) = self.round(name, &anchor, &kinds, right, outer)?;
            let pairs = kinds.iter().zip(&step.columns);
            let wider: Vec<SqlType> = pairs.map(|(kind, column)| wider(kind, &column.kind)).collect();
            if wider == kinds || widenings == WIDENINGS_MAX {
                break (round, step);
            }
            kinds = wider;
            widenings += 1;
        };
        let cast = |lowered: Lowered| -> Result<LogicalPlan> {
            let columns = lowered.columns.into_iter().zip(kinds.iter().zip(&round.names));
            let exprs = columns
                .map(|(column, (kind, name))| Ok(self.cast(Typed::new(column.expr, column.kind), kind)?.expr.alias(name)));
            Ok(LogicalPlanBuilder::from(lowered.plan).project(exprs.collect::<Result<Vec<_>>>()?)?.build()?)
        };
        let columns = round.columns(&anchor, &kinds, None);
        let (anchor_plan, step_plan) = (cast(anchor)?, cast(step)?);
        let distinct = *set_quantifier == SetQuantifier::Distinct;
        let plan = LogicalPlanBuilder::from(anchor_plan).to_recursive_query(round.table, step_plan, distinct)?.build()?;
        Ok(Some(Lowered { plan, columns }))
    }

    /// The step over a round's rows of these types.
    fn round(
        &self,
        name: &str,
        anchor: &Lowered,
        kinds: &[SqlType],
        step: &SetExpr,
        outer: &Rc<HashMap<String, Query>>,
    ) -> Result<(Round, Lowered)> {
        let names: Vec<String> = anchor.columns.iter().map(|column| self.unique(&column.name)).collect();
        // Under a name that no other relation has.
        let round = Round { table: self.unique(name), names };
        let fields: Vec<Field> =
            round.names.iter().zip(kinds).map(|(name, kind)| Field::new(name, kind.arrow(), kind.is_nullable())).collect();
        let work = provider_as_source(Arc::new(CteWorkTable::new(&round.table, Arc::new(Schema::new(fields)))));
        let plan = LogicalPlanBuilder::scan(PlanName::bare(round.table.clone()), work, None)?.build()?;
        let rows = Lowered { plan, columns: round.columns(anchor, kinds, Some(&round.table)) };
        self.rounds.borrow_mut().push((name.to_string(), rows));
        let step = self.body(step, &Tail::default(), &HashMap::new(), outer);
        self.rounds.borrow_mut().pop();
        let step = step?;
        if step.columns.len() != kinds.len() {
            return Err(Error::new(
                ErrorCode::UNION_ALL_RESULT_STRUCTURES_MISMATCH,
                format!("The parts of the recursive query {name} have {} and {} columns", kinds.len(), step.columns.len()),
            ));
        }
        Ok((round, step))
    }
}

/// One round's rows, as the step sees them.
struct Round {
    table: String,
    /// Of the columns in the plan.
    names: Vec<String>,
}

impl Round {
    /// `table`: what stands before the names.
    fn columns(&self, anchor: &Lowered, kinds: &[SqlType], table: Option<&str>) -> Vec<OutputColumn> {
        let relation = table.map(PlanName::bare);
        let columns = anchor.columns.iter().zip(kinds.iter().zip(&self.names));
        let column = |(column, (kind, name)): (&OutputColumn, (&SqlType, &String))| OutputColumn {
            name: column.name.clone(),
            kind: kind.clone(),
            expr: Expr::Column(Column::new(relation.clone(), name)),
        };
        columns.map(column).collect()
    }
}

/// A type that holds both; the first where none does, to which the other is cast.
fn wider(kind: &SqlType, other: &SqlType) -> SqlType {
    least_supertype(&[kind.clone(), other.clone()]).unwrap_or_else(|_| kind.clone())
}
