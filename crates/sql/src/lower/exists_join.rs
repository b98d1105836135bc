//! SEMI and ANTI joins. ClickHouse keeps the columns of both sides: those of one row that was found beside a SEMI JOIN, and
//! defaults beside an ANTI JOIN. DataFusion's joins of these kinds have the columns of one side, and are what is computed where the
//! query asks for no others.

use datafusion::common::{JoinType, ScalarValue};
use datafusion::logical_expr::{LogicalPlanBuilder, lit};
use gristmill_base::Result;

use super::Analyzer;
use super::from::Relation;
use super::joins::Condition;
use super::scope::ScopeColumn;

impl Analyzer<'_> {
    pub(super) fn exists_join(
        &self,
        left: Relation,
        right: Relation,
        kind: JoinType,
        condition: &Condition,
    ) -> Result<Relation> {
        let is_left = matches!(kind, JoinType::LeftSemi | JoinType::LeftAnti);
        let asked = if is_left { self.asks_of(&right, &left) } else { self.asks_of(&left, &right) };
        if !asked {
            return self.equi_join(left, right, kind, condition);
        }
        if matches!(kind, JoinType::LeftSemi | JoinType::RightSemi) {
            let other = if is_left { right.columns.clone() } else { left.columns.clone() };
            let mut joined = self.with_one_found(left, right, is_left, condition)?;
            let is_other = |column: &ScopeColumn| {
                other.iter().any(|known| known.name == column.name && known.qualifier == column.qualifier)
            };
            // NULL is never there, and yet its type is that of an outer join.
            for column in joined.columns.iter_mut().filter(|column| self.settings.join_use_nulls && is_other(column)) {
                column.kind = column.kind.clone().nullable();
            }
            return Ok(joined);
        }
        let beside: Vec<ScopeColumn> = if is_left { &right.columns } else { &left.columns }
            .iter()
            .map(|column| self.never_matched(column))
            .collect::<Result<_>>()?;
        let shared: &[String] = match condition {
            Condition::Using(names) => names,
            Condition::On(_) => &[],
        };
        let mut joined = self.equi_join(left, right, kind, condition)?;
        let beside = beside.into_iter().map(|column| match shared.contains(&column.name) && !column.hidden {
            true => ScopeColumn { hidden: true, of_using: !column.qualifier.is_empty(), ..column },
            false => column,
        });
        if is_left {
            joined.columns.extend(beside);
            return Ok(joined);
        }
        // The keys of USING stand first, then the left side.
        let (mut columns, of_right): (Vec<_>, Vec<_>) =
            joined.columns.into_iter().partition(|column| shared.contains(&column.name) && is_merged(column));
        columns.extend(beside);
        columns.extend(of_right);
        Ok(Relation { plan: joined.plan, columns })
    }

    /// The rows of one side that have a match, each with one of its matches.
    fn with_one_found(&self, left: Relation, right: Relation, is_left: bool, condition: &Condition) -> Result<Relation> {
        let compares_only = match condition {
            Condition::Using(_) => true,
            Condition::On(parts) => {
                let mut all = true;
                for part in parts {
                    all &= matches!(self.sides(part, &left, &right)?, Some(("equals", ..)));
                }
                all
            }
        };
        if compares_only {
            let as_outer = if is_left { JoinType::Left } else { JoinType::Right };
            let (left, right) = self.one_a_key(left, right, as_outer, condition)?;
            return self.equi_join(left, right, JoinType::Inner, condition);
        }
        let number = |relation: Relation| -> Result<_> {
            let (plan, number) = self.numbered(relation.plan, &[])?;
            Ok((Relation { plan, columns: relation.columns }, number))
        };
        let (left, right, row) = match is_left {
            true => {
                let (left, row) = number(left)?;
                (left, right, row)
            }
            false => {
                let (right, row) = number(right)?;
                (left, right, row)
            }
        };
        let joined = self.equi_join(left, right, JoinType::Inner, condition)?;
        let (plan, found) = self.numbered(joined.plan, &[row])?;
        let plan = LogicalPlanBuilder::from(plan).filter(found.eq(lit(1_u64)))?.build()?;
        Ok(Relation { plan, columns: joined.columns })
    }

    /// A column of the side that an ANTI JOIN found nothing in.
    fn never_matched(&self, column: &ScopeColumn) -> Result<ScopeColumn> {
        let nullable = column.kind.clone().nullable();
        let kind = if self.settings.join_use_nulls && nullable.is_nullable() { nullable } else { column.kind.clone() };
        let value = match kind.is_nullable() {
            true => ScalarValue::try_from(&kind.arrow())?,
            false => gristmill_types::default::default_scalar(&kind),
        };
        Ok(ScopeColumn { expr: lit(value), kind, ..column.clone() })
    }
}

/// Whether it is what USING made of both sides' columns.
fn is_merged(column: &ScopeColumn) -> bool {
    column.qualifier.is_empty() && !column.hidden
}
