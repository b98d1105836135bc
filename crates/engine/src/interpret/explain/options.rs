//! Options of EXPLAIN: `name = value` between its kind and the statement.

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_sql::statement::Assignments;

/// An option that a kind of EXPLAIN has.
struct Known {
    name: &'static str,
    default: i64,
    /// Its values are 0 and 1.
    is_switch: bool,
}

const fn on(name: &'static str) -> Known {
    Known { name, default: 1, is_switch: true }
}

const fn off(name: &'static str) -> Known {
    Known { name, default: 0, is_switch: true }
}

const fn number(name: &'static str, default: i64) -> Known {
    Known { name, default, is_switch: false }
}

const OF_AST: &[Known] = &[off("graph"), off("optimize")];
const OF_SYNTAX: &[Known] =
    &[off("oneline"), on("single_record"), off("run_query_tree_passes"), number("query_tree_passes", -1)];
const OF_QUERY_TREE: &[Known] =
    &[on("run_passes"), on("dump_tree"), off("dump_passes"), off("dump_ast"), number("passes", -1)];
/// ClickHouse's; what tells of other servers, and of the layout of its own text, changes nothing here.
const OF_PLAN: &[Known] = &[
    off("header"),
    on("description"),
    off("actions"),
    off("indexes"),
    off("indices"),
    off("projections"),
    on("optimize"),
    off("json"),
    off("sorting"),
    off("distributed"),
    off("keep_logical_steps"),
    off("input_headers"),
    off("column_structure"),
    off("compact"),
    off("pretty"),
    off("estimates"),
];
const OF_PIPELINE: &[Known] =
    &[off("header"), off("graph"), on("compact"), off("distributed"), off("compact_repeated_processor_chains")];
/// Ours, then ClickHouse's, of which `processors` is what `streams` is here.
const OF_ANALYZE: &[Known] = &[
    on("description"),
    off("json"),
    off("graph"),
    off("streams"),
    off("metrics"),
    off("header"),
    off("actions"),
    off("sorting"),
    off("indexes"),
    off("projections"),
    off("processors"),
    off("matches"),
    off("input_headers"),
    off("column_structure"),
    on("compact"),
    on("pretty"),
];
/// What is told of a plan before it runs, too.
const OF_OPERATORS: [&str; 5] = ["header", "actions", "sorting", "indexes", "projections"];

/// The options of one EXPLAIN.
pub(super) struct Options {
    known: &'static [Known],
    given: Vec<(&'static str, i64)>,
}

impl Options {
    /// Errors: UNKNOWN_SETTING, INVALID_SETTING_VALUE.
    pub fn of(kind: &str, given: &Assignments) -> Result<Options> {
        let (kind, known) = match kind {
            "AST" => (kind, OF_AST),
            "SYNTAX" => (kind, OF_SYNTAX),
            "QUERY TREE" => (kind, OF_QUERY_TREE),
            "PIPELINE" => (kind, OF_PIPELINE),
            "ANALYZE" => (kind, OF_ANALYZE),
            _ => ("PLAN", OF_PLAN),
        };
        let mut options = Options { known, given: Vec::with_capacity(given.len()) };
        for (name, value) in given {
            let Some(option) = known.iter().find(|option| option.name == name) else {
                let all: Vec<&str> = known.iter().map(|option| option.name).collect();
                let text =
                    format!("Unknown setting \"{name}\" for EXPLAIN {kind} query. Supported settings: {}", all.join(", "));
                return Err(Error::new(ErrorCode::UNKNOWN_SETTING, text));
            };
            let Ok(number) = value.parse::<i64>() else {
                let text = format!("Invalid value {value} for setting \"{name}\" only integer settings are supported");
                return Err(Error::new(ErrorCode::INVALID_SETTING_VALUE, text));
            };
            if option.is_switch && !(0..=1).contains(&number) {
                let text = format!("Invalid value {number} for setting \"{name}\". Expected boolean type");
                return Err(Error::new(ErrorCode::INVALID_SETTING_VALUE, text));
            }
            options.given.push((option.name, number));
        }
        Ok(options)
    }

    pub fn is(&self, name: &str) -> bool {
        let given = self.given.iter().rev().find(|(given, _)| *given == name).map(|(_, value)| *value);
        let default = || self.known.iter().find(|known| known.name == name).map_or(0, |known| known.default);
        given.unwrap_or_else(default) != 0
    }

    /// Whether more than its figures is asked for of each operator.
    pub fn tells_of_plan(&self) -> bool {
        OF_OPERATORS.iter().any(|option| self.is(option))
    }

    /// Whether streams are told one by one.
    pub fn tells_of_streams(&self) -> bool {
        self.is("streams") || self.is("processors")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: &str, given: &[(&str, &str)]) -> Result<Options> {
        let given: Assignments = given.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        Options::of(kind, &given)
    }

    #[test]
    fn options_have_defaults_and_are_checked() {
        let options = of("PLAN", &[("json", "1"), ("description", "0")]).expect("known");
        assert!(options.is("json") && !options.is("description") && options.is("optimize") && !options.is("header"));
        let code = |kind, given: &[(&str, &str)]| of(kind, given).map(drop).expect_err("refused").code();
        assert_eq!(code("PLAN", &[("graph", "1")]), ErrorCode::UNKNOWN_SETTING);
        assert_eq!(code("AST", &[("json", "1")]), ErrorCode::UNKNOWN_SETTING);
        assert_eq!(code("PLAN", &[("json", "2")]), ErrorCode::INVALID_SETTING_VALUE);
        assert_eq!(code("PIPELINE", &[("graph", "yes")]), ErrorCode::INVALID_SETTING_VALUE);
        assert!(of("QUERY TREE", &[("passes", "3")]).is_ok());
        let analyze = of("ANALYZE", &[("processors", "1")]).expect("known");
        assert!(analyze.tells_of_streams() && !analyze.tells_of_plan());
        assert!(of("ANALYZE", &[("indexes", "1")]).expect("known").tells_of_plan());
    }
}
