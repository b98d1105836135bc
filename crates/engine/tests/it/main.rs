//! The tests of the engine, one binary.

mod async_inserts;
mod temporary_tables;
