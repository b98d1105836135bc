//! A deterministic simulation of several processes over one MergeTree table in one object store. The tables are the real
//! ones: their inserts, loads, merges, sweeps and manifest; only the store, the clock, chance and the order of events are
//! made up, all of it from one seed. The same seed gives the same run, so a run that breaks a promise can be looked into.
//!
//! - `world`: the order of events. A process runs until it asks the store for something, and then waits for its turn. When
//!   all wait, the seed says whose turn it is, how much time passes, and what becomes of the request.
//! - `store`: what a process sees of the objects, with faults: a request that is refused, one whose answer is lost, a
//!   conditional put that takes place later than its answer, a listing that is not the newest, a process that is killed.
//! - `process`: what a process does: inserts, steps of a load, merges, sweeps, UPDATE and DELETE, KILL MUTATION, DROP
//!   PARTITION, ALTER of columns.
//! - `definition`: the table's columns, as ALTER changes them.
//! - `journal`: what processes were told, and what follows from it for each row.
//! - `model`: looks whether that is what is there.

pub mod definition;
pub mod journal;
pub mod model;
pub mod process;
pub mod store;
pub mod world;

pub use world::{Outcome, World};

use gristmill_base::Result;

/// One run: processes that work on one table until so many requests were answered, then a last one that brings what was
/// left unfinished. Errors: a promise that was broken.
pub async fn simulate(seed: u64, steps: u64) -> Result<Outcome> {
    let world = World::new(seed)?;
    world.run(steps).await?;
    model::check_end(&world).await?;
    Ok(world.outcome())
}
