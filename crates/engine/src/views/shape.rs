//! The tree of tables that an INSERT writes: its table, the targets of the views on it, the targets of the views on those.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use futures::future::{BoxFuture, FutureExt};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::databases::full_name;
use gristmill_catalog::{Table, TableDefinition, TableWriter};
use gristmill_introspect::{QueryContext, Settings};
use gristmill_sql::statement::{Statement, parse};
use sqlparser::ast::Query;
use uuid::Uuid;

use super::gates::Passed;
use super::tree::Tree;
use crate::engine::Engine;

/// A table and the views on it.
pub(crate) struct Branch {
    pub table: Arc<dyn Table>,
    /// What tells this way into the table apart from others: the uuids of the views on it. Empty for the INSERT's table.
    pub way: String,
    pub views: Vec<ViewBranch>,
}

pub(crate) struct ViewBranch {
    pub view: Arc<TableDefinition>,
    /// The database that names in the query are of.
    pub database: String,
    pub query: Arc<Query>,
    pub target: Branch,
}

/// What one statement writes, found once.
pub(crate) struct Shape {
    pub root: Arc<Branch>,
    pub engine: Arc<Engine>,
    _gates: HashMap<Uuid, Passed>,
}

impl Shape {
    /// Errors: UNKNOWN_TABLE where a target is gone, TOO_DEEP_RECURSION where views lead back to a table.
    pub async fn of(engine: &Arc<Engine>, context: &QueryContext, table: &Arc<dyn Table>) -> Result<Shape> {
        let mut finder = Finder { engine, context, gates: HashMap::new(), names: Vec::new() };
        let root = finder.branch(table.clone(), String::new()).await?;
        Ok(Shape { root: Arc::new(root), engine: engine.clone(), _gates: finder.gates })
    }

    /// Of a table that is in no database.
    pub fn alone(engine: &Arc<Engine>, table: &Arc<dyn Table>) -> Shape {
        let root = Branch { table: table.clone(), way: String::new(), views: Vec::new() };
        Shape { root: Arc::new(root), engine: engine.clone(), _gates: HashMap::new() }
    }

    pub fn has_views(&self) -> bool {
        !self.root.views.is_empty()
    }

    /// Whether any table of the tree depends on the order of rows.
    pub fn depends_on_order(&self) -> bool {
        self.root.tables().iter().any(|branch| branch.table.depends_on_order())
    }

    /// Opens the write of an INSERT.
    pub async fn write(&self, context: &Arc<QueryContext>) -> Result<Arc<dyn TableWriter>> {
        if !self.has_views() {
            return self.root.table.write(context).await;
        }
        let tree = Tree::begin(self, context);
        let mut writers = Vec::new();
        for branch in self.root.tables() {
            writers.push(branch.table.write(&tree.context_of(branch)).await?);
        }
        Ok(Arc::new(tree.grow(&self.root, writers)?))
    }
}

impl Branch {
    /// This table and all below it, each before those that it feeds.
    pub fn tables(&self) -> Vec<&Branch> {
        let below = self.views.iter().flat_map(|view| view.target.tables());
        std::iter::once(self).chain(below).collect()
    }
}

/// Whether targets have block sizes of their own: then what a view gives of a block is not cut.
pub(crate) fn has_sizes_of_targets(settings: &Settings) -> bool {
    settings.min_insert_block_size_rows_for_materialized_views > 0
        || settings.min_insert_block_size_bytes_for_materialized_views > 0
}

/// What the writer into a view's target goes by. Blocks in it are made by the view's query, so that equal ones are no sign
/// of a repetition: whether the rows are there already is known by the INSERT's token alone.
pub(crate) fn settings_of_target(settings: &Settings, way: &str) -> Settings {
    let mut changed = settings.clone();
    let token = settings.insert_deduplication_token.as_str();
    let named =
        settings.insert_deduplicate && settings.deduplicate_blocks_in_dependent_materialized_views && !token.is_empty();
    changed.insert_deduplicate = named;
    changed.insert_deduplication_token = if named { format!("{token}_{way}") } else { String::new() };
    let sizes = [
        ("min_insert_block_size_rows", settings.min_insert_block_size_rows_for_materialized_views),
        ("min_insert_block_size_bytes", settings.min_insert_block_size_bytes_for_materialized_views),
    ];
    for (name, size) in sizes.into_iter().filter(|(_, size)| *size > 0) {
        // As if somebody had said it: else the gear decides. A number cannot be refused.
        let _ = changed.set(name, &size.to_string());
    }
    // The statement's time is watched where its rows are read: no view is left behind the commit of its table for it.
    changed.max_execution_time = 0.0;
    changed
}

struct Finder<'a> {
    engine: &'a Arc<Engine>,
    context: &'a QueryContext,
    gates: HashMap<Uuid, Passed>,
    /// Of the tables and views from the root to here.
    names: Vec<String>,
}

impl Finder<'_> {
    fn branch(&mut self, table: Arc<dyn Table>, way: String) -> BoxFuture<'_, Result<Branch>> {
        async move {
            let definition = table.definition();
            let name = full_name(&definition.database, &definition.name);
            if self.names.contains(&name) {
                let names = self.names.join(" -> ");
                let text =
                    format!("Dependencies of the table {name} are cyclic. Dependencies {names} are pointing to {name}");
                return Err(Error::new(ErrorCode::TOO_DEEP_RECURSION, text));
            }
            if !self.gates.contains_key(&definition.uuid) {
                let pass = async { Ok(self.engine.gates.pass(definition.uuid).await) };
                let passed = self.context.cancellable(pass).await?;
                self.gates.insert(definition.uuid, passed);
            }
            self.names.push(name);
            let mut views = Vec::new();
            for view in self.engine.databases.views_of(&definition.database, &definition.name) {
                views.push(self.view(&view.definition(), &way).await?);
            }
            self.names.pop();
            Ok(Branch { table, way, views })
        }
        .boxed()
    }

    async fn view(&mut self, view: &Arc<TableDefinition>, way: &str) -> Result<ViewBranch> {
        let name = full_name(&view.database, &view.name);
        let (database, query) = query_of(view)?;
        let target = self.engine.databases.stored(&view.database, &view.name)?;
        let way = if way.is_empty() { view.uuid.to_string() } else { format!("{way}/{}", view.uuid) };
        self.names.push(name);
        let target = self.branch(target, way).await?;
        self.names.pop();
        Ok(ViewBranch { view: view.clone(), database, query: Arc::new(query), target })
    }
}

/// A view's query, and the database that names in it are of.
pub(crate) fn query_of(view: &TableDefinition) -> Result<(String, Query)> {
    let name = full_name(&view.database, &view.name);
    let Some(kept) = view.materialized_view() else {
        return Err(Error::logical(format!("The view {name} has no query")));
    };
    let Statement::Select(select) = parse(&kept.query, &BTreeMap::new())? else {
        return Err(Error::logical(format!("The view {name} has no query but '{}'", kept.query)));
    };
    Ok((kept.database, *select.query))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_know_repetitions_by_the_token_alone() {
        let mut settings = Settings::default();
        let of = |settings: &Settings| {
            let target = settings_of_target(settings, "way");
            (target.insert_deduplicate, target.insert_deduplication_token)
        };
        assert_eq!(of(&settings), (false, String::new()));
        settings.insert_deduplication_token = "t".into();
        assert_eq!(of(&settings), (true, "t_way".to_string()));
        settings.deduplicate_blocks_in_dependent_materialized_views = false;
        assert_eq!(of(&settings), (false, String::new()));
    }

    #[test]
    fn targets_have_block_sizes_of_their_own_where_these_are_set() {
        let mut settings = Settings::default();
        assert_eq!(settings_of_target(&settings, "").min_insert_block_size_rows, settings.min_insert_block_size_rows);
        settings.min_insert_block_size_rows_for_materialized_views = 7;
        let target = settings_of_target(&settings, "");
        assert_eq!(target.min_insert_block_size_rows, 7);
        assert!(target.is_changed("min_insert_block_size_rows") && !target.is_changed("min_insert_block_size_bytes"));
    }
}
