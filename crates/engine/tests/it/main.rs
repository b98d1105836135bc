//! The tests of the engine, one binary.

mod async_inserts;
mod projections;
mod pruning;
mod stage;
mod temporary_tables;
mod ttl;
