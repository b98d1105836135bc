//! What a simulated process does in its life: it opens the table, and does some of what tables are there for.

use std::sync::Arc;

use gristmill_base::env::Env;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::{
    Groups, LoadRequest, LoadedGroups, MutationRequest, OptimizeRequest, PartitionChoice, RowChange, Table,
};
use gristmill_introspect::{QueryContext, Settings};
use gristmill_mergetree::testing::{self, PlainSql};
use gristmill_mergetree::{EnvironmentOptions, MergeTree, MergeTreeEnvironment, PartStore, gc};

use crate::definition::{Alter, Definition};
use crate::journal::{Change, FILES, GROUPS, ROWS, Source};
use crate::store::ProcessStore;
use crate::world::World;

/// A process that has the table open.
pub struct Process {
    world: Arc<World>,
    env: Arc<dyn Env>,
    /// How it meets faults; `None`: it stands outside and meets none.
    store: Option<Arc<ProcessStore>>,
    table: Arc<MergeTree>,
    definition: Definition,
}

/// A try to bring rows, which ends with whatever drops it.
struct Try<'a> {
    world: &'a World,
    source: Source,
    acknowledged: bool,
}

impl<'a> Try<'a> {
    fn begin(world: &'a World, source: Source) -> Try<'a> {
        world.journal.lock().begin(source);
        Try { world, source, acknowledged: false }
    }
}

impl Drop for Try<'_> {
    fn drop(&mut self) {
        self.world.journal.lock().end(self.source, self.acknowledged);
    }
}

/// A change of rows, which ends with whatever drops it.
struct Changing<'a> {
    world: &'a World,
    place: usize,
}

impl<'a> Changing<'a> {
    fn begin(world: &'a World, change: Change) -> Changing<'a> {
        Changing { world, place: world.journal.lock().begin_change(change) }
    }

    fn done(&self) {
        self.world.journal.lock().change_is_done(self.place);
    }
}

impl Drop for Changing<'_> {
    fn drop(&mut self) {
        self.world.journal.lock().end_change(self.place);
    }
}

/// A life. Errors of the store end it; an error that tells of a defect ends the simulation.
pub async fn live(world: &Arc<World>, process: u64) {
    if let Err(error) = work(world, process).await
        && error.code() == ErrorCode::LOGICAL_ERROR
    {
        world.broken(error);
    }
}

async fn work(world: &Arc<World>, number: u64) -> Result<()> {
    let store = ProcessStore::new(world, number);
    let mut process = Process::open(world, number, Some(store)).await?;
    for _ in 0..1 + process.chance() % 5 {
        let done = process.statement().await;
        // Some processes go on after an error, as a server does, and some end.
        if let Err(error) = done
            && (error.code() == ErrorCode::LOGICAL_ERROR || process.chance().is_multiple_of(2))
        {
            return Err(error);
        }
    }
    Ok(())
}

impl Process {
    async fn open(world: &Arc<World>, number: u64, store: Option<Arc<ProcessStore>>) -> Result<Process> {
        let (env, definition) = (world.env(number), world.definition());
        let options = EnvironmentOptions { shared: true, background: false, ..EnvironmentOptions::default() };
        let environment = MergeTreeEnvironment::new(options, env.clone());
        environment.set_compiler(Arc::new(PlainSql));
        let objects: Arc<dyn PartStore> = match &store {
            Some(store) => store.clone(),
            None => world.objects.clone(),
        };
        let table = definition.spec.open_in(objects, environment).await?;
        Ok(Process { world: world.clone(), env, store, table, definition })
    }

    /// One that meets no faults.
    pub async fn outside(world: &Arc<World>) -> Result<Process> {
        Process::open(world, 0, None).await
    }

    pub fn table(&self) -> &Arc<MergeTree> {
        &self.table
    }

    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    fn chance(&self) -> u64 {
        self.env.random_u64()
    }

    /// A statement's context. `token`: of an insert.
    pub fn context(&self, token: &str) -> Result<Arc<QueryContext>> {
        let mut settings = Settings::default();
        settings.set("max_threads", "1")?;
        settings.set("insert_deduplication_token", token)?;
        Ok(QueryContext::new("sim", "sim", "default", "default", Arc::new(settings), self.env.clone()))
    }

    async fn statement(&mut self) -> Result<()> {
        match self.chance() % 100 {
            0..32 => self.insert().await,
            32..41 => self.load(1 + self.chance() % 3).await,
            41..58 => self.optimize().await,
            58..72 => self.sweep().await,
            72..76 => self.update(false).await,
            76..78 => self.update(true).await,
            78..81 => self.delete(true).await,
            81..83 => self.delete(false).await,
            83..89 => self.finish_one_mutation().await,
            89..91 => self.kill_mutation().await,
            91..95 => self.drop_partition().await,
            _ => self.alter().await,
        }
    }

    /// A new insert, or one whose end nobody knows, under its token.
    async fn insert(&self) -> Result<()> {
        let (again, which) = (self.chance().is_multiple_of(3), self.chance());
        let number = {
            let mut journal = self.world.journal.lock();
            let open = journal.in_doubt();
            match open.is_empty() || !again {
                true => journal.new_insert(),
                false => open[(which % open.len() as u64) as usize],
            }
        };
        self.bring(number).await
    }

    /// Runs an insert.
    pub async fn bring(&self, number: i64) -> Result<()> {
        let mut running = Try::begin(&self.world, Source::Insert(number));
        let context = self.context(&number.to_string())?;
        testing::insert(&self.table, &context, vec![self.definition.batch(number * ROWS)?]).await?;
        running.acknowledged = true;
        Ok(())
    }

    /// Some steps of the one load that all processes share.
    pub async fn load(&self, steps: u64) -> Result<()> {
        let request = LoadRequest { id: "load".to_string(), query: "all".to_string(), is_token: false };
        let run = self.table.begin_load(&self.context("")?, &request).await?;
        let mut left = steps;
        for file in 0..FILES {
            let path = format!("file{file}");
            let done = run.known(&path).unwrap_or_default().done;
            for group in Groups::first(GROUPS).without(&done).iter() {
                if left == 0 {
                    return Ok(());
                }
                left -= 1;
                let source = Source::Group(file, group);
                let mut running = Try::begin(&self.world, source);
                let writer = run.writer().await?;
                let mut lane = writer.lane().await?;
                lane.write(self.definition.batch(source.rows().start)?).await?;
                lane.finish().await?;
                let loaded = LoadedGroups {
                    path: path.clone(),
                    version: "1".to_string(),
                    groups_total: GROUPS,
                    groups: Groups::range(group, group + 1),
                    rows: ROWS as u64,
                    error: None,
                };
                if let Err(error) = writer.commit_step(vec![loaded], false).await {
                    writer.abort().await;
                    return Err(error);
                }
                running.acknowledged = true;
                self.world.loaded.lock().insert((file, group));
            }
        }
        Ok(())
    }

    async fn optimize(&self) -> Result<()> {
        let to_one_part = self.chance().is_multiple_of(4);
        let request = OptimizeRequest { to_one_part, ..OptimizeRequest::default() };
        self.table.optimize(&self.context("")?, request).await
    }

    pub async fn sweep(&self) -> Result<()> {
        gc::sweep(self.table.core()).await?;
        gc::list(self.table.core(), &self.context("")?).await
    }

    async fn drop_partition(&self) -> Result<()> {
        let partition = (self.chance() % 2) as i64;
        let dropping = Changing::begin(&self.world, Change::DropPartition(partition));
        self.table.drop_partitions(&self.context("")?, &[PartitionChoice::Id(partition.to_string())]).await?;
        dropping.done();
        Ok(())
    }

    /// An UPDATE … SET, which is seen at once, or an ALTER … UPDATE, for the end of which the process does or does not wait.
    async fn update(&self, at_once: bool) -> Result<()> {
        let Some(bit) = self.world.journal.lock().new_update() else { return Ok(()) };
        let change = Change::Update(bit);
        let assignments = vec![("v".to_string(), format!("v + {}", 1_i64 << bit))];
        let update = RowChange::Update { assignments, condition: change.condition() };
        self.mutate(change, update, at_once).await
    }

    /// A DELETE FROM, which is seen at once, or an ALTER … DELETE.
    async fn delete(&self, at_once: bool) -> Result<()> {
        let change = Change::Delete((self.chance() % 1000) as i64);
        self.mutate(change, RowChange::Delete { condition: change.condition() }, at_once).await
    }

    async fn mutate(&self, change: Change, rows: RowChange, at_once: bool) -> Result<()> {
        let changing = Changing::begin(&self.world, change);
        // By this the mutation is known to other processes.
        let commands = vec![changing.place.to_string()];
        let request = MutationRequest { changes: vec![rows], commands, partition: None, at_once };
        let id = self.table.mutate(&self.context("")?, request).await?;
        let place = changing.place;
        if at_once {
            changing.done();
            return Ok(());
        }
        // Rows that come from now on are not concerned.
        drop(changing);
        if self.chance().is_multiple_of(2) { self.finish(&id, place).await } else { Ok(()) }
    }

    async fn finish(&self, id: &str, place: usize) -> Result<()> {
        self.table.finish_mutation(&self.context("")?, id).await?;
        self.world.journal.lock().change_is_done(place);
        Ok(())
    }

    /// Ids of mutations that are not done, as far as the process knows, and their places in the journal.
    fn mutations(&self) -> Result<Vec<(String, usize)>> {
        let mut left = Vec::new();
        for mutation in self.table.mutations().into_iter().filter(|mutation| !mutation.is_done) {
            let place = mutation.command.parse::<usize>();
            let place = place.map_err(|_| Error::logical(format!("A mutation is called {}", mutation.command)))?;
            left.push((mutation.id, place));
        }
        Ok(left)
    }

    /// Takes part in somebody's mutation.
    async fn finish_one_mutation(&self) -> Result<()> {
        let left = self.mutations()?;
        let chance = self.chance() as usize;
        match left.get(chance % left.len().max(1)) {
            Some((id, place)) => self.finish(id, *place).await,
            None => Ok(()),
        }
    }

    /// All that are begun.
    pub async fn finish_mutations(&self) -> Result<()> {
        for (id, place) in self.mutations()? {
            self.finish(&id, place).await?;
        }
        Ok(())
    }

    async fn kill_mutation(&self) -> Result<()> {
        match self.mutations()?.first() {
            Some((id, _)) => self.table.kill_mutation(&self.context("")?, id).await.map(|_| ()),
            None => Ok(()),
        }
    }

    /// One put of the definition. Processes that have the table open go on by theirs.
    async fn alter(&mut self) -> Result<()> {
        let alter = [Alter::Add, Alter::Add, Alter::Drop, Alter::Rename][(self.chance() % 4) as usize];
        let chance = self.chance();
        let Some(store) = &self.store else { return Ok(()) };
        let altered = store.put_definition(|definition| definition.altered(alter, chance)).await?;
        self.table = altered.spec.alter(&self.table)?;
        self.definition = altered;
        Ok(())
    }
}
