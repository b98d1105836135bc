//! `GROUP BY … WITH TOTALS`: the totals are a query of their own, the same SELECT over one group of all rows.

use gristmill_base::{Error, Result};
use sqlparser::ast::{Expr, GroupByExpr, GroupByWithModifier, Query, SetExpr};

/// The query that gives the row of totals. `None`: the query asks for none. Its keys are the defaults of their types.
pub fn totals_query(query: &Query) -> Result<Option<Query>> {
    let mut totals = query.clone();
    let SetExpr::Select(select) = totals.body.as_mut() else { return Ok(None) };
    let modifiers = match &mut select.group_by {
        GroupByExpr::All(modifiers) | GroupByExpr::Expressions(_, modifiers) => modifiers,
    };
    if !modifiers.contains(&GroupByWithModifier::Totals) {
        return Ok(None);
    }
    *modifiers = vec![GroupByWithModifier::GroupingSets(Expr::GroupingSets(vec![Vec::new()]))];
    if select.having.is_some() {
        return Err(Error::not_implemented("WITH TOTALS beside HAVING: filter in a query around it"));
    }
    totals.order_by = None;
    totals.limit_clause = None;
    totals.fetch = None;
    Ok(Some(totals))
}
