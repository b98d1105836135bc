//! Projections: other orders, or aggregates, of a table's rows that are kept beside them. What a table's definition says of
//! one, and what the storage engine gets to compute it with.

use datafusion::logical_expr::Expr;
use gristmill_types::SqlType;
use gristmill_types::sql_type::quote_identifier;
use serde::{Deserialize, Serialize};

use crate::create_query::setting;
use crate::key::{AggregateExpression, KeyExpression};

/// `PROJECTION name (SELECT … [GROUP BY …] [ORDER BY …]) [WITH SETTINGS (…)]`: expressions as text in canonical form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectionDefinition {
    pub name: String,
    /// With aliases: `toDate(t) AS d`.
    pub select: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub group_by: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub order_by: Vec<String>,
    /// Whether it is written as an index: `PROJECTION name INDEX a TYPE basic`, which is `(SELECT _part_offset ORDER BY a)`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_index: bool,
    /// Settings of the table that its data has others of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<(String, String)>,
}

impl ProjectionDefinition {
    /// `SELECT a, b ORDER BY b`, as it is read again.
    pub fn query(&self) -> String {
        let clause = |word: &str, elements: &[String]| match elements {
            [] => String::new(),
            elements => format!(" {word} {}", elements.join(", ")),
        };
        let Self { select, group_by, order_by, .. } = self;
        format!("SELECT {}{}{}", select.join(", "), clause("GROUP BY", group_by), clause("ORDER BY", order_by))
    }

    /// As `system.projections` shows it: the query, or what an index is over.
    pub fn shown(&self) -> String {
        match (&self.order_by[..], self.is_index) {
            (_, false) => self.query(),
            ([one], true) => one.clone(),
            (many, true) => format!("({})", many.join(", ")),
        }
    }

    /// As an element of CREATE TABLE: on one line, or on many.
    pub(crate) fn declared(&self, on_many_lines: bool) -> String {
        let name = quote_identifier(&self.name);
        let assigned = |(name, value): &(String, String)| format!("{name} = {}", setting(value));
        let settings: Vec<String> = self.settings.iter().map(assigned).collect();
        let settings = match settings.is_empty() {
            true => String::new(),
            false => format!(" WITH SETTINGS ({})", settings.join(", ")),
        };
        if self.is_index {
            return format!("PROJECTION {name} INDEX {} TYPE basic{settings}", self.shown());
        }
        if !on_many_lines {
            return format!("PROJECTION {name} ({}){settings}", self.query());
        }
        let clause = |word: &str, elements: &[String]| match elements {
            [] => String::new(),
            [one] => format!("\n        {word} {one}"),
            many => format!("\n        {word}\n            {}", many.join(",\n            ")),
        };
        format!(
            "PROJECTION {name}\n    ({}{}{}\n    ){settings}",
            clause("SELECT", &self.select),
            clause("GROUP BY", &self.group_by),
            clause("ORDER BY", &self.order_by)
        )
    }
}

/// A projection, checked against the columns of its table.
#[derive(Clone, Debug)]
pub struct CompiledProjection {
    /// What its rows are sorted by, or grouped by: over the table's stored columns.
    pub keys: Vec<KeyExpression>,
    pub contents: ProjectionContents,
}

#[derive(Clone, Debug)]
pub enum ProjectionContents {
    /// Rows of the table in another order.
    Normal {
        /// The stored columns that it keeps, those of its keys among them.
        columns: Vec<String>,
        /// Whether it keeps, of each row, where in its part it is.
        has_offsets: bool,
    },
    Aggregate(Vec<ProjectedAggregate>),
}

/// An aggregate of which a projection keeps a state for each of its groups.
#[derive(Clone, Debug)]
pub struct ProjectedAggregate {
    /// As a query names it: `sum(v)`.
    pub name: String,
    /// `AggregateFunction(sum, Int64)`
    pub kind: SqlType,
    /// The aggregate itself, as a query has it, over unqualified columns of the table.
    pub plain: Expr,
    /// The aggregate that merges states into its result, over the projection's column `name`.
    pub merged: Expr,
    /// The aggregate that gives the states, over unqualified columns of the table.
    pub logical: Expr,
    /// The same, over batches of its inputs.
    pub state: AggregateExpression,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_projection_is_shown_as_clickhouse_shows_it() {
        let texts = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
        let aggregate = ProjectionDefinition {
            name: "a b".to_string(),
            select: texts(&["toDate(t)", "k", "sum(v)"]),
            group_by: texts(&["toDate(t)", "k"]),
            order_by: Vec::new(),
            is_index: false,
            settings: Vec::new(),
        };
        assert_eq!(aggregate.query(), "SELECT toDate(t), k, sum(v) GROUP BY toDate(t), k");
        assert_eq!(
            aggregate.declared(true),
            "PROJECTION `a b`\n    (\n        SELECT\n            toDate(t),\n            k,\n            sum(v)\n        \
             GROUP BY\n            toDate(t),\n            k\n    )"
        );
        let normal = ProjectionDefinition {
            name: "p".to_string(),
            select: texts(&["*"]),
            group_by: Vec::new(),
            order_by: texts(&["u"]),
            is_index: false,
            settings: Vec::new(),
        };
        assert_eq!(normal.declared(false), "PROJECTION p (SELECT * ORDER BY u)");
        assert_eq!(normal.declared(true), "PROJECTION p\n    (\n        SELECT *\n        ORDER BY u\n    )");
        let index = ProjectionDefinition {
            name: "i".to_string(),
            select: texts(&["_part_offset"]),
            group_by: Vec::new(),
            order_by: texts(&["a", "b"]),
            is_index: true,
            settings: vec![("index_granularity".to_string(), "10".to_string())],
        };
        assert_eq!(index.query(), "SELECT _part_offset ORDER BY a, b");
        assert_eq!(index.shown(), "(a, b)");
        assert_eq!(index.declared(true), "PROJECTION i INDEX (a, b) TYPE basic WITH SETTINGS (index_granularity = 10)");
    }
}
