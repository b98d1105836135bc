//! What a simulated process does in its life: it opens the table, and does some of what tables are there for.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch};
use gristmill_base::env::Env;
use gristmill_base::{ErrorCode, Result};
use gristmill_catalog::{Groups, LoadRequest, LoadedGroups, OptimizeRequest, Table};
use gristmill_introspect::{QueryContext, Settings};
use gristmill_mergetree::testing::{self, TableSpec};
use gristmill_mergetree::{EnvironmentOptions, MergeTree, MergeTreeEnvironment, PartStore, gc};
use gristmill_types::{Columns, SqlType};

use crate::model::{FILES, GROUPS, LOADED_FROM, ROWS};
use crate::store::ProcessStore;
use crate::world::World;

/// The table: two partitions, so that an insert is two parts.
pub fn spec() -> Result<TableSpec> {
    let columns = Columns::of([("p", SqlType::Int64), ("n", SqlType::Int64)]);
    let spec = TableSpec::new(columns, &["n"], &["p"])?;
    Ok(spec.with_setting("old_parts_lifetime", 60).with_setting("orphan_grace_seconds", 7200))
}

/// The table in a process of its own.
pub async fn open(store: Arc<dyn PartStore>, env: Arc<dyn Env>) -> Result<Arc<MergeTree>> {
    let options = EnvironmentOptions { shared: true, background: false, ..EnvironmentOptions::default() };
    spec()?.open_in(store, MergeTreeEnvironment::new(options, env)).await
}

/// A statement's context. `token`: of an insert.
pub fn context(env: &Arc<dyn Env>, token: &str) -> Result<Arc<QueryContext>> {
    let mut settings = Settings::default();
    settings.set("max_threads", "1")?;
    settings.set("insert_deduplication_token", token)?;
    Ok(QueryContext::new("sim", "sim", "default", "default", Arc::new(settings), env.clone()))
}

/// Rows `from..from + ROWS`.
fn batch(from: i64) -> Result<RecordBatch> {
    let n: Vec<i64> = (from..from + ROWS).collect();
    let p: ArrayRef = Arc::new(Int64Array::from_iter_values(n.iter().map(|n| n % 2)));
    Ok(RecordBatch::try_new(spec()?.columns.arrow(), vec![p, Arc::new(Int64Array::from(n))])?)
}

/// A life. Errors of the store end it; an error that tells of a defect ends the simulation.
pub async fn live(world: &Arc<World>, process: u64) {
    if let Err(error) = work(world, process).await
        && error.code() == ErrorCode::LOGICAL_ERROR
    {
        world.broken(error);
    }
}

async fn work(world: &Arc<World>, process: u64) -> Result<()> {
    let env = world.env(process);
    let table = open(ProcessStore::new(world, process), env.clone()).await?;
    for _ in 0..2 + env.random_u64() % 8 {
        let done = match env.random_u64() % 10 {
            0..5 => insert(world, &table, &env).await,
            5..7 => load(world, &table, &env, 1 + env.random_u64() % 3).await,
            7..9 => {
                let request =
                    OptimizeRequest { to_one_part: env.random_u64().is_multiple_of(4), ..OptimizeRequest::default() };
                table.optimize(&context(&env, "")?, request).await
            }
            _ => sweep(&table, &env).await,
        };
        // Some processes go on after an error, as a server does, and some end.
        if let Err(error) = done
            && (error.code() == ErrorCode::LOGICAL_ERROR || env.random_u64().is_multiple_of(2))
        {
            return Err(error);
        }
    }
    Ok(())
}

/// A new insert, or one whose end nobody knows, under its token.
async fn insert(world: &Arc<World>, table: &MergeTree, env: &Arc<dyn Env>) -> Result<()> {
    let number = {
        let mut journal = world.journal.lock();
        let open = journal.unacknowledged();
        match open.is_empty() || !env.random_u64().is_multiple_of(3) {
            true => journal.begin(),
            false => open[(env.random_u64() % open.len() as u64) as usize],
        }
    };
    bring(world, table, env, number).await
}

/// Runs an insert.
pub async fn bring(world: &Arc<World>, table: &MergeTree, env: &Arc<dyn Env>, number: i64) -> Result<()> {
    testing::insert(table, &context(env, &number.to_string())?, vec![batch(number * ROWS)?]).await?;
    world.journal.lock().acknowledge(number);
    Ok(())
}

/// Some steps of the one load that all processes share.
pub async fn load(world: &Arc<World>, table: &MergeTree, env: &Arc<dyn Env>, steps: u64) -> Result<()> {
    let request = LoadRequest { id: "load".to_string(), query: "all".to_string(), is_token: false };
    let run = table.begin_load(&context(env, "")?, &request).await?;
    let mut left = steps;
    for file in 0..FILES {
        let path = format!("file{file}");
        let done = run.known(&path).unwrap_or_default().done;
        for group in Groups::first(GROUPS).without(&done).iter() {
            if left == 0 {
                return Ok(());
            }
            left -= 1;
            let writer = run.writer().await?;
            let mut lane = writer.lane().await?;
            lane.write(batch(LOADED_FROM + (i64::from(file) * i64::from(GROUPS) + i64::from(group)) * ROWS)?).await?;
            lane.finish().await?;
            let loaded = LoadedGroups {
                path: path.clone(),
                version: "1".to_string(),
                groups_total: GROUPS,
                groups: Groups::range(group, group + 1),
                rows: ROWS as u64,
                error: None,
            };
            match writer.commit_step(vec![loaded], false).await {
                Ok(()) => world.journal.lock().loaded(file, group),
                Err(error) => {
                    writer.abort().await;
                    return Err(error);
                }
            }
        }
    }
    Ok(())
}

pub async fn sweep(table: &MergeTree, env: &Arc<dyn Env>) -> Result<()> {
    gc::sweep(table.core()).await?;
    gc::list(table.core(), &context(env, "")?).await
}
