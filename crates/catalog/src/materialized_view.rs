//! A materialized view as its definition keeps it: a query over the blocks that are inserted into its source, and the table
//! that its rows go to.
//!
//! The definition's engine is `MaterializedView`; its arguments are, in this order: the query, the database that names in
//! it are of, the source's database and name, then either the target's database and name (`TO`), or two empty texts and
//! the engine of the inner table with its arguments. An inner table is a table like others: it lies in the view's database
//! under a name made of the view's uuid, comes and goes with the view, and moves with it to another database. Its keys and
//! settings stand in the view's definition too, because they are part of the view's statement.

use crate::definition::{EngineSpec, TableDefinition};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaterializedView {
    pub query: String,
    /// The database that names in the query are of where they name none.
    pub database: String,
    /// Database and name of the table whose inserted blocks feed the view.
    pub source: (String, String),
    pub target: ViewTarget,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ViewTarget {
    /// Database and name.
    Table(String, String),
    /// A table of the view's own, of this engine.
    Inner(EngineSpec),
}

/// Where the arguments of the engine stand.
const SOURCE: usize = 2;
const TARGET: usize = 4;
const INNER: usize = 6;

impl MaterializedView {
    pub const ENGINE: &str = "MaterializedView";

    /// The engine of the definition that keeps this view.
    pub fn spec(&self) -> EngineSpec {
        let mut arguments = vec![self.query.clone(), self.database.clone(), self.source.0.clone(), self.source.1.clone()];
        match &self.target {
            ViewTarget::Table(database, name) => arguments.extend([database.clone(), name.clone()]),
            ViewTarget::Inner(engine) => {
                arguments.extend([String::new(), String::new(), engine.name.clone()]);
                arguments.extend(engine.arguments.iter().cloned());
            }
        }
        EngineSpec { name: Self::ENGINE.to_string(), arguments }
    }
}

impl TableDefinition {
    /// The materialized view that this is the definition of.
    pub fn materialized_view(&self) -> Option<MaterializedView> {
        if self.engine.name != MaterializedView::ENGINE {
            return None;
        }
        let arguments = &self.engine.arguments;
        let text = |at: usize| arguments.get(at).cloned();
        let target = match arguments.get(INNER..) {
            Some([name, arguments @ ..]) => {
                ViewTarget::Inner(EngineSpec { name: name.clone(), arguments: arguments.to_vec() })
            }
            _ => ViewTarget::Table(text(TARGET)?, text(TARGET + 1)?),
        };
        Some(MaterializedView { query: text(0)?, database: text(1)?, source: (text(SOURCE)?, text(SOURCE + 1)?), target })
    }

    /// Whether blocks that are inserted into this table go through the view that this is.
    pub fn is_fed_by(&self, database: &str, table: &str) -> bool {
        self.engine.name == MaterializedView::ENGINE
            && matches!(self.engine.arguments.get(SOURCE..TARGET), Some([of, name]) if of == database && name == table)
    }

    /// The name of a materialized view's own table, `None` where its rows go to another.
    pub fn inner_name(&self) -> Option<String> {
        let has_inner = self.engine.name == MaterializedView::ENGINE && self.engine.arguments.len() > INNER;
        has_inner.then(|| format!(".inner_id.{}", self.uuid))
    }

    /// Database and name of the table that a materialized view's rows go to.
    pub fn view_target(&self) -> Option<(String, String)> {
        match self.inner_name() {
            Some(name) => Some((self.database.clone(), name)),
            None => match self.materialized_view()?.target {
                ViewTarget::Table(database, name) => Some((database, name)),
                ViewTarget::Inner(_) => None,
            },
        }
    }

    /// Whether a query stands for the table: a view of either sort.
    pub fn is_view(&self) -> bool {
        self.engine.name == Self::VIEW || self.engine.name == MaterializedView::ENGINE
    }

    /// The database that names in the query of a view are of where they name none.
    pub fn select_database(&self) -> Option<&str> {
        if self.is_view() { self.engine.arguments.get(1).map(String::as_str) } else { None }
    }

    /// The query of a view of either sort.
    pub fn select_text(&self) -> Option<&str> {
        if self.is_view() { self.engine.arguments.first().map(String::as_str) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::tests::definition;

    fn view(target: ViewTarget) -> TableDefinition {
        let view = MaterializedView {
            query: "SELECT a FROM t".into(),
            database: "d".into(),
            source: ("d".into(), "t".into()),
            target,
        };
        TableDefinition { engine: view.spec(), ..definition("v", "mv", "") }
    }

    #[test]
    fn a_view_is_read_back_from_its_definition() {
        let engine = EngineSpec { name: "ReplacingMergeTree".into(), arguments: vec!["version".into()] };
        for target in [
            ViewTarget::Table("e".into(), "target".into()),
            ViewTarget::Inner(engine),
            ViewTarget::Inner(EngineSpec { name: "Memory".into(), arguments: vec![] }),
        ] {
            let definition = view(target.clone());
            let read = definition.materialized_view().unwrap();
            assert_eq!((read.spec(), &read.target), (definition.engine.clone(), &target));
            assert_eq!(read.source, ("d".to_string(), "t".to_string()));
            assert!(definition.is_fed_by("d", "t") && !definition.is_fed_by("e", "t"));
        }
    }

    #[test]
    fn an_inner_table_lies_beside_its_view_and_is_named_after_it() {
        let inner = view(ViewTarget::Inner(EngineSpec { name: "Memory".into(), arguments: vec![] }));
        assert_eq!(inner.view_target(), Some(("v".to_string(), format!(".inner_id.{}", inner.uuid))));
        let to = view(ViewTarget::Table("e".into(), "target".into()));
        assert_eq!((to.view_target(), to.inner_name()), (Some(("e".to_string(), "target".to_string())), None));
        assert_eq!(definition("d", "t", "Memory").view_target(), None);
    }
}
