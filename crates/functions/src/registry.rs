//! Functions by name. Each family registers its own, by an explicit call: what is in the binary is visible in
//! `Registry::standard`.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use gristmill_base::{Error, ErrorCode, Result};

use crate::aggregate::AggregateFunction;
use crate::scalar::ScalarFunction;

#[derive(Default)]
pub struct Registry {
    scalars: HashMap<String, Arc<dyn ScalarFunction>>,
    aggregates: HashMap<String, Arc<dyn AggregateFunction>>,
    /// Names in lower case of those that are found in any case, and of aliases, with the name they stand for.
    folded: HashMap<String, String>,
    /// Such names in lower case that ClickHouse's parser reads in any case, though the functions themselves are not so.
    keywords: HashMap<String, String>,
    aliases: HashMap<String, String>,
    /// Those of the aliases that are listed as functions of their own.
    twins: HashSet<String>,
}

impl Registry {
    pub fn scalar(&mut self, name: &str, function: Arc<dyn ScalarFunction>) {
        self.scalars.insert(name.to_string(), function);
    }

    pub fn aggregate(&mut self, name: &str, function: Arc<dyn AggregateFunction>) {
        self.aggregates.insert(name.to_string(), function);
    }

    /// Makes a registered name (or alias) known in any case.
    pub fn any_case(&mut self, name: &str) {
        self.folded.insert(name.to_ascii_lowercase(), name.to_string());
    }

    /// Makes a name known in any case that is written like a keyword (`Trim(…)`), and not listed as one without case.
    pub fn keyword(&mut self, name: &str) {
        self.keywords.insert(name.to_ascii_lowercase(), name.to_string());
    }

    /// Whether this very name is listed as one that is found in any case: it, or an alias of it that differs by case alone.
    pub fn is_any_case(&self, name: &str) -> bool {
        self.folded.get(&name.to_ascii_lowercase()).is_some_and(|found| found == name || self.canonical(found) == name)
    }

    /// What an alias stands for, which may be an alias itself.
    pub fn alias_of(&self, name: &str) -> Option<&str> {
        self.aliases.get(name).filter(|_| !self.twins.contains(name)).map(String::as_str)
    }

    /// A function of its own by ClickHouse's list that does what another does: whoever knows the other (pruning, say) knows it too.
    pub fn twin(&mut self, name: &str, other: &str) {
        self.alias(name, other);
        self.twins.insert(name.to_string());
    }

    pub fn alias(&mut self, alias: &str, name: &str) {
        self.aliases.insert(alias.to_string(), name.to_string());
    }

    /// The name that a written one stands for.
    pub fn canonical<'a>(&'a self, name: &'a str) -> &'a str {
        let mut name = name;
        for _ in 0..3 {
            if self.scalars.contains_key(name) || self.aggregates.contains_key(name) {
                return name;
            }
            let lower = || name.to_ascii_lowercase();
            let target =
                self.aliases.get(name).or_else(|| self.folded.get(&lower())).or_else(|| self.keywords.get(&lower()));
            name = target.map_or(name, String::as_str);
        }
        name
    }

    pub fn find_scalar(&self, name: &str) -> Option<Arc<dyn ScalarFunction>> {
        self.scalars.get(self.canonical(name)).cloned()
    }

    pub fn find_aggregate(&self, name: &str) -> Option<Arc<dyn AggregateFunction>> {
        self.aggregates.get(self.canonical(name)).cloned()
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.scalars.keys().chain(self.aggregates.keys()).chain(self.aliases.keys()).map(String::as_str)
    }

    /// `true` in the second place for aggregates.
    pub fn list(&self) -> Vec<(&str, bool)> {
        let mut all: Vec<_> = self.scalars.keys().map(|name| (name.as_str(), false)).collect();
        all.extend(self.aggregates.keys().map(|name| (name.as_str(), true)));
        all.sort_unstable();
        all
    }

    pub fn unknown(&self, name: &str) -> Error {
        let near = gristmill_introspect::settings::nearest(name, self.names());
        let hint = near.map_or_else(String::new, |near| format!(". Maybe you meant: ['{near}']"));
        Error::new(ErrorCode::UNKNOWN_FUNCTION, format!("Function with name '{name}' does not exist{hint}"))
    }

    /// Every function of the system.
    pub fn standard() -> Result<Registry> {
        let mut registry = Registry::default();
        crate::nulls::register(&mut registry);
        crate::comparison::register(&mut registry);
        crate::logic::register(&mut registry);
        crate::conditional::register(&mut registry);
        crate::arithmetic::register(&mut registry);
        crate::rounding::register(&mut registry);
        crate::math::register(&mut registry);
        crate::strings::register(&mut registry);
        crate::arrays::register(&mut registry);
        crate::tuples::register(&mut registry);
        crate::tuple_arithmetic::register(&mut registry);
        crate::tuple_norms::register(&mut registry);
        crate::tuple_flatten::register(&mut registry);
        crate::geo::register(&mut registry);
        crate::geo_distance::register(&mut registry);
        crate::geohashes::register(&mut registry);
        crate::utm::register(&mut registry);
        crate::geometry::register(&mut registry);
        crate::h3::register(&mut registry);
        crate::bitmaps::register(&mut registry);
        crate::maps::register(&mut registry);
        crate::maps_select::register(&mut registry);
        crate::hash::register(&mut registry);
        crate::aggregates::register(&mut registry);
        crate::conversion::register(&mut registry);
        crate::json::register(&mut registry);
        crate::urls::register(&mut registry);
        crate::addresses::register(&mut registry);
        crate::random::register(&mut registry);
        crate::session::register(&mut registry);
        crate::server::register(&mut registry);
        crate::introspection::register(&mut registry);
        crate::format_row::register(&mut registry);
        crate::query_text::register(&mut registry);
        crate::blocks::register(&mut registry);
        crate::running::register(&mut registry);
        crate::identifiers::register(&mut registry);
        crate::indexed_vectors::register(&mut registry);
        crate::transform::register(&mut registry);
        crate::visual::register(&mut registry);
        crate::quantities::register(&mut registry);
        crate::datetime::register(&mut registry);
        crate::encryption::register(&mut registry);
        crate::hmac::register(&mut registry);
        crate::colors::register(&mut registry);
        crate::curves::register(&mut registry);
        crate::sqids::register(&mut registry);
        crate::series::register(&mut registry);
        crate::financial::register(&mut registry);
        crate::experiments::register(&mut registry);
        crate::part_names::register(&mut registry);
        crate::query_tokens::register(&mut registry);
        crate::schemas::register(&mut registry);
        crate::internals::register(&mut registry);
        crate::dictionaries::register(&mut registry);
        crate::time_series::register(&mut registry);
        crate::subcolumns::register(&mut registry);
        crate::by_analyser::register(&mut registry);
        Ok(registry)
    }
}
