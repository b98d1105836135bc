//! A load (`load_id`) into a table with views. The target of each view keeps a ledger of the load too, under the load's id
//! and the way from the table to it, and its part of a step is committed together with that. The views' commits come
//! first, the table's last. A run that dies between them leaves row groups that some views have and the table has not: the
//! next run takes those into steps of their own, in which the tables that have them are passed over.
//!
//! A target that keeps no ledger (Memory, Null) gets what the steps bring, each time that they bring it.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use gristmill_base::{Error, Result};
use gristmill_catalog::engines::NullTable;
use gristmill_catalog::{
    FileProgress, Groups, LoadRequest, LoadWriter, LoadedGroups, Table, TableLoad, TableWriter, WriteLane,
};
use gristmill_introspect::QueryContext;

use super::shape::{Branch, Shape};
use super::tree::{Tree, TreeWriter};

pub(crate) struct LoadWithViews {
    shape: Arc<Shape>,
    context: Arc<QueryContext>,
    /// In the order of `Branch::tables`; `None`: the table keeps no ledger.
    loads: Vec<Option<Arc<dyn TableLoad>>>,
    root: Arc<dyn TableLoad>,
}

impl LoadWithViews {
    /// Errors: those of `Table::begin_load`.
    pub async fn begin(shape: Arc<Shape>, context: &Arc<QueryContext>, request: &LoadRequest) -> Result<Arc<dyn TableLoad>> {
        let root = shape.root.table.begin_load(context, request).await?;
        if !shape.has_views() {
            return Ok(root);
        }
        let mut loads = vec![Some(root.clone())];
        for branch in &shape.root.tables()[1..] {
            let load = match branch.table.keeps_load_ledger() {
                true => Some(branch.table.begin_load(context, &of_target(request, branch)).await?),
                false => None,
            };
            loads.push(load);
        }
        Ok(Arc::new(LoadWithViews { shape, context: context.clone(), loads, root }))
    }
}

fn of_target(request: &LoadRequest, branch: &Branch) -> LoadRequest {
    LoadRequest { id: format!("{}{}", request.id, suffix(branch)), ..request.clone() }
}

/// What stands behind a load's id in the ledger of a view's target.
fn suffix(branch: &Branch) -> String {
    format!(" of {}", branch.way)
}

/// Forgets a load, or all of them, in the table and in the targets of its views.
pub(crate) async fn forget(shape: &Shape, context: &Arc<QueryContext>, load_id: Option<&str>) -> Result<()> {
    for branch in &shape.root.tables()[1..] {
        let suffix = suffix(branch);
        let of_load = |id: &str| id.strip_suffix(&suffix).is_some_and(|id| load_id.is_none_or(|wanted| wanted == id));
        let ids: BTreeSet<String> =
            branch.table.load_ledger().into_iter().map(|row| row.load_id).filter(|id| of_load(id)).collect();
        for id in ids {
            branch.table.drop_load_ledger(context, Some(&id)).await?;
        }
    }
    shape.root.table.drop_load_ledger(context, load_id).await
}

#[async_trait]
impl TableLoad for LoadWithViews {
    fn has_ended(&self) -> bool {
        self.root.has_ended()
    }

    fn known(&self, path: &str) -> Option<FileProgress> {
        self.root.known(path)
    }

    fn end(&self) {
        for load in self.loads.iter().flatten() {
            load.end();
        }
    }

    fn by_holders(&self, path: &str, groups: &Groups) -> Vec<(Vec<usize>, Groups)> {
        let mut sorted = vec![(Vec::new(), groups.clone())];
        for (number, load) in self.loads.iter().enumerate().skip(1) {
            let Some(known) = load.as_ref().and_then(|load| load.known(path)) else { continue };
            sorted =
                sorted.into_iter().flat_map(|(holders, groups)| divided(number, &known.done, holders, groups)).collect();
        }
        sorted
    }

    async fn writer(&self) -> Result<Arc<dyn LoadWriter>> {
        self.writer_beside(&[]).await
    }

    async fn writer_beside(&self, holders: &[usize]) -> Result<Arc<dyn LoadWriter>> {
        let tree = Tree::begin(&self.shape, &self.context);
        let (mut writers, mut ledgers): (Vec<Arc<dyn TableWriter>>, Vec<Option<Arc<dyn LoadWriter>>>) = Default::default();
        for (number, branch) in self.shape.root.tables().into_iter().enumerate() {
            let context = tree.context_of(branch);
            let ledger = match self.loads.get(number) {
                Some(Some(load)) if !holders.contains(&number) => Some(load.writer().await?),
                _ => None,
            };
            writers.push(match &ledger {
                Some(writer) => writer.clone(),
                None if holders.contains(&number) => NullTable::new(branch.table.definition()).write(&context).await?,
                None => branch.table.write(&context).await?,
            });
            ledgers.push(ledger);
        }
        Ok(Arc::new(Step { tree: tree.grow(&self.shape.root, writers)?, ledgers: Arc::new(ledgers) }))
    }
}

/// The groups that a table has, and those that it has not.
fn divided(number: usize, done: &Groups, holders: Vec<usize>, groups: Groups) -> Vec<(Vec<usize>, Groups)> {
    let missing = groups.without(done);
    let held = groups.without(&missing);
    let mut with = holders.clone();
    with.push(number);
    let all = [(with, held), (holders, missing)];
    // A file without groups is in a step too.
    if groups.is_empty() {
        return all.into_iter().skip(1).collect();
    }
    all.into_iter().filter(|(_, groups)| !groups.is_empty()).collect()
}

struct Step {
    tree: TreeWriter,
    /// In the order of `Branch::tables`; `None`: what the table gets is not noted, or it has it already.
    ledgers: Arc<Vec<Option<Arc<dyn LoadWriter>>>>,
}

#[async_trait]
impl TableWriter for Step {
    async fn lane(&self) -> Result<Box<dyn WriteLane>> {
        self.tree.lane().await
    }

    fn max_lanes(&self) -> usize {
        self.tree.max_lanes()
    }

    fn lanes(&self) -> Option<usize> {
        self.tree.lanes()
    }

    async fn commit(&self) -> Result<()> {
        Err(Error::logical("A step of a load is committed without its files"))
    }

    async fn abort(&self) {
        self.tree.abort().await;
    }
}

#[async_trait]
impl LoadWriter for Step {
    async fn commit_step(&self, files: Vec<LoadedGroups>, ends: bool) -> Result<()> {
        let ledgers = self.ledgers.clone();
        self.tree
            .commit_by(move |mut tables| async move {
                // The load's own table comes last.
                tables.rotate_left(1);
                for table in tables {
                    match ledgers.get(table.number) {
                        Some(Some(ledger)) => ledger.commit_step(files.clone(), ends).await?,
                        _ => table.writer.commit().await?,
                    }
                }
                Ok(())
            })
            .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_sorted_by_the_tables_that_have_them() {
        let first = divided(1, &Groups::first(3), vec![], Groups::range(2, 6));
        assert_eq!(first, [(vec![1], Groups::range(2, 3)), (vec![], Groups::range(3, 6))]);
        assert_eq!(divided(2, &Groups::first(9), vec![1], Groups::first(2)), [(vec![1, 2], Groups::first(2))]);
        assert_eq!(divided(2, &Groups::default(), vec![1], Groups::default()), [(vec![1], Groups::default())]);
    }
}
