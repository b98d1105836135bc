//! Conditions that settings add to a query: `additional_table_filters` to the rows of tables, `additional_result_filter` to those of its
//! result.

use datafusion::logical_expr::LogicalPlanBuilder;
use gristmill_base::{Error, ErrorCode, Result, ResultExt};

use super::from::{Relation, relation_of};
use super::scope::Scope;
use super::tables::ResolvedTable;
use super::{Analyzer, Lowered};
use crate::ast::{Literal, Node};
use crate::statement::parse_expression;

const OF_TABLES: &str = "additional_table_filters";
const OF_RESULT: &str = "additional_result_filter";

impl Analyzer<'_> {
    /// The rows of a table that its condition lets pass, where the setting has one: by its alias, by its name with the database, or
    /// without where it is the current one. Errors: BAD_ARGUMENTS, and those of the condition.
    pub(super) fn filtered_table(&self, table: Relation, resolved: &ResolvedTable, alias: Option<&str>) -> Result<Relation> {
        if matches!(self.settings.additional_table_filters.as_str(), "" | "{}") {
            return Ok(table);
        }
        let is_meant = |name: &str| match &resolved.name[..] {
            _ if alias == Some(name) => true,
            [database, table] => {
                name == format!("{database}.{table}") || (*self.env.database == **database && name == table)
            }
            _ => false,
        };
        let conditions = conditions(&self.settings.additional_table_filters)?;
        let Some((_, condition)) = conditions.iter().find(|(name, _)| is_meant(name)) else { return Ok(table) };
        let scope = Scope { columns: table.columns.clone(), ..Scope::default() };
        let condition = self
            .expr(&parse_expression(condition)?, &scope.rows())
            .and_then(|typed| self.as_predicate(typed, OF_TABLES))
            .context(|| format!("in setting {OF_TABLES}"))?;
        Ok(Relation { plan: LogicalPlanBuilder::from(table.plan).filter(condition)?.build()?, columns: table.columns })
    }

    /// The rows of a query's result that the setting's condition lets pass. Errors: those of the condition.
    pub fn filtered_result(&self, mut lowered: Lowered) -> Result<Lowered> {
        if self.settings.additional_result_filter.is_empty() {
            return Ok(lowered);
        }
        let scope = Scope { columns: relation_of(lowered.clone(), "").columns, ..Scope::default() };
        let condition = self
            .expr(&parse_expression(&self.settings.additional_result_filter)?, &scope.rows())
            .and_then(|typed| self.as_predicate(typed, OF_RESULT))
            .context(|| format!("in setting {OF_RESULT}"))?;
        lowered.plan = LogicalPlanBuilder::from(lowered.plan).filter(condition)?.build()?;
        Ok(lowered)
    }
}

/// Tables and their conditions, of a setting such as `{'events': 'user != 5'}`. Error: BAD_ARGUMENTS.
fn conditions(setting: &str) -> Result<Vec<(String, String)>> {
    let refused = || {
        let text = format!(
            "Setting {OF_TABLES} is a map of tables and their conditions, such as {{'events': 'user != 5'}}, and not {setting}"
        );
        Error::new(ErrorCode::BAD_ARGUMENTS, text)
    };
    let Node::Call(map) = parse_expression(setting).map_err(|_| refused())? else { return Err(refused()) };
    let text = |node: &Node| match node {
        Node::Literal(Literal::Text(bytes)) => String::from_utf8(bytes.clone()).map_err(|_| refused()),
        _ => Err(refused()),
    };
    if map.name != "map" || map.arguments.len() % 2 != 0 {
        return Err(refused());
    }
    map.arguments.chunks(2).map(|pair| Ok((text(&pair[0])?, text(&pair[1])?))).collect()
}
