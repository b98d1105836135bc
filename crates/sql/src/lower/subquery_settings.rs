//! `SETTINGS` of a subquery: they change what it means, and nothing around it.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use datafusion::logical_expr::LogicalPlanBuilder;
use gristmill_base::{Error, Result};
use gristmill_introspect::Settings;
use sqlparser::ast::{Query, Setting};

use super::query::Ctes;
use super::totals::Wanted;
use super::{Analyzer, Lowered};
use crate::ast::Node;
use crate::statement::settings_of;

/// What is kept to by the statement as a whole, while it runs, or is asked where its tables are resolved. Silence would be
/// worse than an error: the rows would be others, or more, than those that were asked for.
const OF_THE_STATEMENT: [&str; 23] = [
    "max_rows_to_read",
    "max_bytes_to_read",
    "read_overflow_mode",
    "max_rows_to_read_leaf",
    "max_bytes_to_read_leaf",
    "read_overflow_mode_leaf",
    "max_rows_to_group_by",
    "group_by_overflow_mode",
    "max_rows_to_sort",
    "max_bytes_to_sort",
    "sort_overflow_mode",
    "max_rows_in_distinct",
    "max_bytes_in_distinct",
    "distinct_overflow_mode",
    "max_rows_in_join",
    "max_bytes_in_join",
    "join_overflow_mode",
    "max_columns_to_read",
    "max_temporary_columns",
    "max_temporary_non_const_columns",
    "max_recursive_cte_evaluation_depth",
    "enable_global_with_statement",
    "final",
];

impl Analyzer<'_> {
    pub(super) fn under_settings(
        &self,
        query: &Query,
        list: &[Setting],
        outer: &Ctes,
        scalars: HashMap<String, Node>,
    ) -> Result<Lowered> {
        let settings = self.changed_settings(list)?;
        let totals = self.totals.of_next.get();
        let query = Query { settings: None, ..query.clone() };
        let mut env = self.env.clone();
        env.cast_keep_nullable = settings.cast_keep_nullable;
        env.cast_string_to_date_time_mode = settings.cast_string_to_date_time_mode.as_str().into();
        env.addresses = gristmill_functions::AddressRules::of(&settings);
        env.range_elements_max = settings.function_range_max_elements_in_block;
        env.json = gristmill_functions::JsonRules {
            quotes_denormals: settings.output_format_json_quote_denormals,
            value_is_nullable: settings.function_json_value_return_type_allow_nullable,
            value_is_complex: settings.function_json_value_return_type_allow_complex,
        };
        env.limits = gristmill_functions::FunctionLimits::of(&settings);
        let inner = Analyzer {
            registry: self.registry,
            env,
            settings: &settings,
            tables: self.tables,
            recursive_names: RefCell::new(self.recursive_names.take()),
            rounds: RefCell::new(self.rounds.take()),
            outer: RefCell::new(self.outer.take()),
            around: self.around.clone(),
            // The same text under other settings is another query.
            subqueries: RefCell::default(),
            clauses: RefCell::default(),
            ordering: RefCell::new(self.ordering.take()),
            members: RefCell::new(self.members.take()),
            joined_rows: RefCell::default(),
            lambda_names: RefCell::default(),
            expanded: self.expanded.clone(),
            totals: Wanted { of_next: Cell::new(self.totals.of_next.take()), ..Wanted::default() },
            stage: Cell::new(self.stage.take()),
        };
        let lowered = inner.query_in(&query, outer, scalars);
        self.recursive_names.replace(inner.recursive_names.take());
        self.rounds.replace(inner.rounds.take());
        self.outer.replace(inner.outer.take());
        self.ordering.replace(inner.ordering.take());
        self.members.replace(inner.members.take());
        self.expanded.set(inner.expanded.get());
        // Those of the statement are kept to where its plan is made.
        let limits = (settings.limit, settings.offset);
        match totals || limits == (0, 0) || limits == (self.settings.limit, self.settings.offset) {
            true => lowered,
            false => within_limits(lowered?, limits),
        }
    }

    fn changed_settings(&self, list: &[Setting]) -> Result<Settings> {
        let mut settings = self.settings.clone();
        for (name, value) in settings_of(list)? {
            let value = if value == "DEFAULT" { Settings::default().get(&name).unwrap_or_default() } else { value };
            settings.change(&name, &value)?;
            if OF_THE_STATEMENT.contains(&name.as_str()) && settings.get(&name) != self.settings.get(&name) {
                return Err(Error::not_implemented(format!(
                    "Setting {name} of a subquery alone: write SETTINGS behind the whole statement"
                )));
            }
        }
        Ok(settings)
    }
}

/// What the settings `limit` (0: all) and `offset` leave of a query.
fn within_limits(lowered: Lowered, (limit, offset): (u64, u64)) -> Result<Lowered> {
    let rows = (limit > 0).then_some(limit as usize);
    let plan = LogicalPlanBuilder::from(lowered.plan).limit(offset as usize, rows)?.build()?;
    Ok(Lowered { plan, columns: lowered.columns })
}
