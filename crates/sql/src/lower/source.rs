//! The table that a query begins with: the one whose inserted blocks feed a materialized view. Of a join it is the leftmost,
//! of a UNION that of the first query; subqueries and common table expressions in its place are looked into.

use std::collections::HashMap;

use gristmill_base::{Error, ErrorCode, Result};
use sqlparser::ast::{Query, SetExpr, TableFactor};

use super::tables::TableReference;
use crate::ast::unescape_identifier;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeftTable {
    Table {
        database: Option<String>,
        name: String,
    },
    /// A table function of this name.
    Function(String),
    /// The query reads no table.
    None,
}

/// Errors: QUERY_IS_NOT_SUPPORTED_IN_MATERIALIZED_VIEW, and those of a name that cannot be read.
pub fn left_table(query: &Query) -> Result<LeftTable> {
    of_query(query, &HashMap::new())
}

fn of_query(query: &Query, around: &HashMap<String, Query>) -> Result<LeftTable> {
    let mut known = around.clone();
    for cte in query.with.iter().flat_map(|with| &with.cte_tables) {
        known.insert(unescape_identifier(&cte.alias.name), (*cte.query).clone());
    }
    of_body(&query.body, &known)
}

fn of_body(body: &SetExpr, known: &HashMap<String, Query>) -> Result<LeftTable> {
    match body {
        SetExpr::Select(select) if select.prewhere.is_some() => Err(refused()),
        SetExpr::Select(select) => match select.from.first() {
            Some(from) => of_factor(&from.relation, known),
            None => Ok(LeftTable::None),
        },
        SetExpr::Query(query) => of_query(query, known),
        SetExpr::SetOperation { left, .. } => of_body(left, known),
        _ => Ok(LeftTable::None),
    }
}

fn of_factor(factor: &TableFactor, known: &HashMap<String, Query>) -> Result<LeftTable> {
    match factor {
        TableFactor::Derived { subquery, .. } => return of_query(subquery, known),
        TableFactor::Table { sample: Some(_), .. } => return Err(refused()),
        TableFactor::NestedJoin { table_with_joins, .. } => return of_factor(&table_with_joins.relation, known),
        _ => {}
    }
    let mut parts = match TableReference::of(factor)? {
        Some(TableReference::Table(parts)) => parts,
        Some(TableReference::Final(_)) => return Err(refused()),
        Some(TableReference::Function(name, _)) => return Ok(LeftTable::Function(name)),
        None => return Ok(LeftTable::None),
    };
    let Some(name) = parts.pop() else { return Ok(LeftTable::None) };
    if let (true, Some(query)) = (parts.is_empty(), known.get(&name)) {
        // The name means the table where the query uses it itself.
        let mut others = known.clone();
        others.remove(&name);
        return of_query(query, &others);
    }
    Ok(LeftTable::Table { database: parts.pop(), name })
}

/// What says how a table's parts are read says nothing of a block.
fn refused() -> Error {
    Error::new(
        ErrorCode::QUERY_IS_NOT_SUPPORTED_IN_MATERIALIZED_VIEW,
        "MATERIALIZED VIEW cannot have PREWHERE, SAMPLE or FINAL on the table that feeds it: write WHERE",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statement::parse_query;

    fn left(text: &str) -> String {
        match left_table(&parse_query(text).unwrap()).unwrap() {
            LeftTable::Table { database: Some(database), name } => format!("{database}.{name}"),
            LeftTable::Table { database: None, name } => name,
            LeftTable::Function(name) => format!("{name}()"),
            LeftTable::None => "-".to_string(),
        }
    }

    #[test]
    fn the_first_table_of_the_first_query_feeds_a_view() {
        for (text, wanted) in [
            ("SELECT a FROM t WHERE a IN (SELECT b FROM u)", "t"),
            ("SELECT a FROM d.t AS x LEFT JOIN u USING a", "d.t"),
            ("SELECT a FROM (SELECT a FROM (SELECT a FROM t))", "t"),
            ("WITH x AS (SELECT a FROM t), y AS (SELECT a FROM x) SELECT a FROM y", "t"),
            ("WITH t AS (SELECT a FROM t) SELECT a FROM t", "t"),
            ("SELECT a FROM t UNION ALL SELECT a FROM u", "t"),
            ("SELECT number FROM numbers(3)", "numbers()"),
            ("SELECT 1", "-"),
        ] {
            assert_eq!(left(text), wanted, "{text}");
        }
        for text in ["SELECT a FROM t FINAL", "SELECT a FROM (SELECT a FROM t PREWHERE a)", "SELECT a FROM t SAMPLE 1 / 2"] {
            let error = left_table(&parse_query(text).unwrap()).unwrap_err();
            assert_eq!(error.code(), ErrorCode::QUERY_IS_NOT_SUPPORTED_IN_MATERIALIZED_VIEW, "{text}");
        }
    }
}
