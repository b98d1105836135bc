//! The order of events, the clock and chance of a simulation.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use gristmill_base::env::{Env, Sleep};
use gristmill_base::runtime::Task;
use gristmill_base::{Error, Result};
use gristmill_mergetree::MemoryStore;
use parking_lot::Mutex;
use rand::rngs::StdRng;
use rand::{Rng, RngCore, SeedableRng};
use tokio::sync::{Notify, oneshot};

use crate::definition::Definition;
use crate::journal::Journal;
use crate::{model, process};

/// Processes at a time.
const PROCESSES: usize = 5;
/// Requests from one look at the whole table to the next.
const STEPS_TO_CHECK: u64 = 400;

/// What becomes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// It takes place and is answered.
    Done,
    /// It takes place, and the answer is an error.
    AnswerLost,
    /// It does not take place, and the answer is an error.
    Refused,
    /// The answer is an error, and it takes place later.
    Late,
    /// It is answered by what was there some time ago.
    Stale,
    /// It takes place, and again before its answer: a conditional put finds what it made itself.
    Repeated,
    /// The process is gone.
    Killed,
}

/// What a run was, to compare runs by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub steps: u64,
    pub kills: u64,
    pub faults: u64,
    pub inserts: usize,
    /// UPDATEs, DELETEs and DROP PARTITIONs.
    pub changes: usize,
    /// A digest of all events in their order.
    pub digest: u64,
}

/// A put that takes place after it was answered.
struct LatePut {
    step: u64,
    key: String,
    data: Bytes,
}

struct State {
    chance: StdRng,
    now_ms: u64,
    steps: u64,
    kills: u64,
    faults: u64,
    digest: u64,
    /// Processes that run, and those of them that wait for their turn.
    alive: BTreeMap<u64, Task<()>>,
    waiting: Vec<(u64, String, oneshot::Sender<Turn>)>,
    late: Vec<LatePut>,
    /// Keys that were made, and digests of what they got (M-2).
    made: BTreeMap<String, u64>,
    /// The first promise that was broken.
    broken: Option<Error>,
    processes: u64,
    /// The end: nothing fails any more.
    calm: bool,
}

impl State {
    /// Who gets an answer now, and what becomes of the request.
    fn next_turn(&mut self) -> (u64, oneshot::Sender<Turn>, Turn) {
        // Most steps take no time, some take minutes: enough for the sweeper, and less than a process may be held up.
        let pause = match self.chance.random_range(0..100) {
            0..70 => self.chance.random_range(0..20),
            70..99 => self.chance.random_range(0..5_000),
            _ => self.chance.random_range(0..240_000),
        };
        self.now_ms += pause;
        let at = (self.chance.next_u64() % self.waiting.len() as u64) as usize;
        let (process, what, sender) = self.waiting.remove(at);
        let turn = match self.chance.random_range(0..1000) {
            0..12 => Turn::Killed,
            12..30 => Turn::AnswerLost,
            30..45 => Turn::Refused,
            45..55 => Turn::Late,
            55..75 => Turn::Stale,
            75..85 => Turn::Repeated,
            _ => Turn::Done,
        };
        for byte in format!("{process} {what} {turn:?} {}", self.now_ms).bytes() {
            self.digest = (self.digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        self.faults += u64::from(!matches!(turn, Turn::Killed | Turn::Done));
        (process, sender, turn)
    }

    fn kill(&mut self, process: u64) -> Option<Task<()>> {
        self.kills += 1;
        self.waiting.retain(|(waiting, ..)| *waiting != process);
        self.alive.remove(&process)
    }
}

pub struct World {
    pub objects: Arc<MemoryStore>,
    pub journal: Mutex<Journal>,
    /// Files and row groups of the load whose step was acknowledged.
    pub loaded: Mutex<BTreeSet<(u32, u32)>>,
    definition: Mutex<Definition>,
    state: Mutex<State>,
    changed: Notify,
    seed: u64,
    epoch: Instant,
}

impl World {
    pub fn new(seed: u64) -> Result<Arc<World>> {
        let state = State {
            chance: StdRng::seed_from_u64(seed),
            now_ms: 1_800_000_000_000,
            steps: 0,
            kills: 0,
            faults: 0,
            digest: seed,
            alive: BTreeMap::new(),
            waiting: Vec::new(),
            late: Vec::new(),
            made: BTreeMap::new(),
            broken: None,
            processes: 0,
            calm: false,
        };
        Ok(Arc::new(World {
            objects: MemoryStore::new(),
            journal: Mutex::default(),
            loaded: Mutex::default(),
            definition: Mutex::new(Definition::new()?),
            state: Mutex::new(state),
            changed: Notify::new(),
            seed,
            epoch: Instant::now(),
        }))
    }

    pub fn definition(&self) -> Definition {
        self.definition.lock().clone()
    }

    /// Puts the next definition in the place of this one.
    pub fn define(&self, next: impl FnOnce(&Definition) -> Result<Definition>) -> Result<Definition> {
        let mut definition = self.definition.lock();
        *definition = next(&definition)?;
        Ok(definition.clone())
    }

    pub fn outcome(&self) -> Outcome {
        let state = self.state.lock();
        let (inserts, changes) = {
            let journal = self.journal.lock();
            (journal.inserts(), journal.changes())
        };
        let State { steps, kills, faults, digest, .. } = *state;
        Outcome { steps, kills, faults, inserts, changes, digest }
    }

    /// Clock and chance of a process.
    pub fn env(self: &Arc<Self>, process: u64) -> Arc<dyn Env> {
        let chance = Mutex::new(StdRng::seed_from_u64(self.seed ^ (process + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        Arc::new(WorldEnv { world: self.clone(), process, chance })
    }

    /// Waits for the turn of a process's request.
    pub async fn turn(&self, process: u64, what: String) -> Turn {
        let receiver = {
            let mut state = self.state.lock();
            if state.calm {
                return Turn::Done;
            }
            if !state.alive.contains_key(&process) {
                return Turn::Killed;
            }
            let (sender, receiver) = oneshot::channel();
            state.waiting.push((process, what, sender));
            receiver
        };
        self.changed.notify_one();
        receiver.await.unwrap_or(Turn::Killed)
    }

    /// Puts off a put that was answered with an error already.
    pub fn put_later(&self, key: &str, data: Bytes) {
        let mut state = self.state.lock();
        let step = state.steps + state.chance.random_range(1..40);
        state.late.push(LatePut { step, key: key.to_string(), data });
    }

    /// M-2: a key is made once, with one content. A version that was swept may not come again as another.
    pub fn made(&self, key: &str, digest: u64) {
        let mut state = self.state.lock();
        let before = *state.made.entry(key.to_string()).or_insert(digest);
        if before != digest {
            let error = Error::logical(format!("M-2 is broken: {key} was made twice, with different content"));
            state.broken.get_or_insert(error);
        }
    }

    /// An error that a process must never meet.
    pub fn broken(&self, error: Error) {
        self.state.lock().broken.get_or_insert(error);
    }

    fn ended(&self, process: u64) {
        self.state.lock().alive.remove(&process);
        self.changed.notify_one();
    }

    fn begin(self: &Arc<Self>) {
        let process = {
            let mut state = self.state.lock();
            state.processes += 1;
            state.processes
        };
        let world = self.clone();
        let task = Task::on(&tokio::runtime::Handle::current(), async move {
            // It is registered before it runs: the runtime has one thread.
            let _life = Life { world: world.clone(), process };
            process::live(&world, process).await;
        });
        self.state.lock().alive.insert(process, task);
    }

    /// Lets processes work until so many requests were answered.
    pub async fn run(self: &Arc<Self>, steps: u64) -> Result<()> {
        let mut checked = 0;
        while self.state.lock().steps < steps {
            while self.state.lock().alive.len() < PROCESSES {
                self.begin();
            }
            if !self.all_wait() {
                self.changed.notified().await;
                continue;
            }
            self.step().await?;
            let now = self.state.lock().steps;
            if now >= checked + STEPS_TO_CHECK {
                checked = now;
                model::check(self).await?;
            }
        }
        // Whoever is left is killed.
        let left = {
            let mut state = self.state.lock();
            state.waiting.clear();
            std::mem::take(&mut state.alive)
        };
        drop(left);
        tokio::task::yield_now().await;
        let late = std::mem::take(&mut self.state.lock().late);
        for put in late {
            self.arrive(put).await?;
        }
        self.state.lock().calm = true;
        Ok(())
    }

    fn all_wait(&self) -> bool {
        let state = self.state.lock();
        state.alive.keys().all(|process| state.waiting.iter().any(|(waiting, ..)| waiting == process))
    }

    /// Answers one request.
    async fn step(self: &Arc<Self>) -> Result<()> {
        let due = {
            let mut state = self.state.lock();
            if let Some(error) = state.broken.take() {
                return Err(error);
            }
            state.steps += 1;
            let steps = state.steps;
            let late = std::mem::take(&mut state.late);
            let (due, later): (Vec<_>, Vec<_>) = late.into_iter().partition(|put| put.step <= steps);
            state.late = later;
            due
        };
        for put in due {
            self.arrive(put).await?;
        }
        let (process, sender, turn) = self.state.lock().next_turn();
        match turn {
            Turn::Killed => {
                let task = self.state.lock().kill(process);
                drop((sender, task));
                // What the process held is dropped before anything else happens.
                tokio::task::yield_now().await;
            }
            turn => {
                let _ = sender.send(turn);
                self.until_it_waits(process).await;
            }
        }
        Ok(())
    }

    /// Lets a process run until it asks again, or ends.
    async fn until_it_waits(&self, process: u64) {
        loop {
            {
                let state = self.state.lock();
                let waits = state.waiting.iter().any(|(waiting, ..)| *waiting == process);
                if waits || !state.alive.contains_key(&process) {
                    return;
                }
            }
            self.changed.notified().await;
        }
    }

    async fn arrive(self: &Arc<Self>, put: LatePut) -> Result<()> {
        crate::store::put(self, &self.context("late"), &put.key, put.data).await.map(|_| ())
    }

    /// A context outside of all processes.
    pub fn context(self: &Arc<Self>, name: &str) -> Arc<gristmill_introspect::QueryContext> {
        let settings = Arc::new(gristmill_introspect::Settings::default());
        gristmill_introspect::QueryContext::new(name, "sim", "default", "default", settings, self.env(0))
    }

    /// Whether a process may still do something; at the end anybody may.
    pub fn is_alive(&self, process: u64) -> bool {
        let state = self.state.lock();
        state.calm || state.alive.contains_key(&process)
    }

    /// A number below `below`.
    pub fn chance(&self, below: u64) -> u64 {
        self.state.lock().chance.next_u64() % below.max(1)
    }

    pub fn now_ms(&self) -> u64 {
        self.state.lock().now_ms
    }

    pub fn pass(&self, time: Duration) {
        self.state.lock().now_ms += time.as_millis() as u64;
    }
}

/// Ends with its process, however that ends.
struct Life {
    world: Arc<World>,
    process: u64,
}

impl Drop for Life {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.world.broken(Error::logical("a process panicked"));
        }
        self.world.ended(self.process);
    }
}

struct WorldEnv {
    world: Arc<World>,
    process: u64,
    chance: Mutex<StdRng>,
}

impl std::fmt::Debug for WorldEnv {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("WorldEnv")
    }
}

impl Env for WorldEnv {
    fn now(&self) -> Duration {
        Duration::from_millis(self.world.state.lock().now_ms)
    }

    fn instant(&self) -> Instant {
        self.world.epoch + self.now()
    }

    fn random_u64(&self) -> u64 {
        self.chance.lock().next_u64()
    }

    /// An event like a request: others may be first meanwhile.
    fn sleep(&self, time: Duration) -> Sleep<'_> {
        Box::pin(async move {
            self.world.turn(self.process, "sleep".to_string()).await;
            self.world.pass(time);
        })
    }
}
