//! `GROUP BY … WITH TOTALS`: the totals are a query of their own, the same SELECT over one group of all rows; beside HAVING, of the
//! rows whose group it lets pass.

use datafusion::common::{Column, NullEquality};
use datafusion::logical_expr::{Expr, JoinType, LogicalPlan, LogicalPlanBuilder};
use gristmill_base::Result;
use gristmill_introspect::Settings;
use sqlparser::ast::{Expr as Ast, GroupByExpr, GroupByWithModifier, Query, SetExpr};

use super::Analyzer;
use super::aggregates::Grouped;

/// The query that gives the row of totals. `None`: the query asks for none. Its keys are the defaults of their types. HAVING stays
/// where it decides which groups count (see `of_passing_groups`).
pub fn totals_query(query: &Query, settings: &Settings) -> Option<Query> {
    let mut totals = query.clone();
    let SetExpr::Select(select) = totals.body.as_mut() else { return None };
    let modifiers = match &mut select.group_by {
        GroupByExpr::All(modifiers) | GroupByExpr::Expressions(_, modifiers) => modifiers,
    };
    if !modifiers.contains(&GroupByWithModifier::Totals) {
        return None;
    }
    let of_all = GroupByWithModifier::GroupingSets(Ast::GroupingSets(vec![Vec::new()]));
    *modifiers = vec![GroupByWithModifier::Totals, of_all];
    if settings.totals_mode == "before_having" {
        select.having = None;
    }
    totals.order_by = None;
    totals.limit_clause = None;
    totals.fetch = None;
    Some(totals)
}

impl Analyzer<'_> {
    /// The rows whose group passes HAVING. They are grouped for that as they are in the query itself.
    pub(super) fn of_passing_groups(&self, rows: LogicalPlan, grouped: &Grouped, having: Expr) -> Result<LogicalPlan> {
        let (keys, id) = (&grouped.keys, grouped.sets.as_ref().map(|(_, id)| id));
        let column = |name: &str| Expr::Column(Column::new_unqualified(name));
        let mut outputs: Vec<Expr> = rows.schema().columns().into_iter().map(Expr::Column).collect();
        let below = outputs.clone();
        outputs.extend(keys.iter().map(|(expr, _, name)| expr.clone().alias(name)));
        let rows = LogicalPlanBuilder::from(rows).project(outputs)?.build()?;
        let aggregates = grouped.aggregates.borrow().iter().map(|(expr, name, _)| expr.clone().alias(name)).collect();
        let groups = self.aggregate_rows(rows.clone(), keys.iter().map(|(_, _, name)| column(name)), aggregates, false)?;
        let mut outputs: Vec<Expr> = groups.schema().columns().into_iter().map(Expr::Column).collect();
        // What grouping() looks at: no key is left out.
        outputs.extend(id.map(|id| datafusion::logical_expr::lit(0_u64).alias(id)));
        let passing: Vec<String> = keys.iter().map(|(_, _, name)| self.unique(name)).collect();
        let renamed = keys.iter().zip(&passing).map(|((_, _, name), passing)| column(name).alias(passing));
        let groups = LogicalPlanBuilder::from(groups).project(outputs)?.filter(having)?.project(renamed)?.build()?;
        let on = (
            keys.iter().map(|(_, _, name)| Column::new_unqualified(name)).collect::<Vec<_>>(),
            passing.iter().map(Column::new_unqualified).collect(),
        );
        let joined = LogicalPlanBuilder::from(rows).join_detailed(
            groups,
            JoinType::LeftSemi,
            on,
            None,
            NullEquality::NullEqualsNull,
        )?;
        Ok(joined.project(below)?.build()?)
    }
}
