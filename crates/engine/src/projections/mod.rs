//! Projections of tables: their definitions checked and compiled (`compile`), and queries that aggregate answered from the
//! states that an aggregate projection keeps (`matching`, `rewrite`). That a scan reads a normal projection is for the
//! storage engine to decide, part by part.

pub mod compile;
mod matching;
mod rewrite;
mod used;

pub use rewrite::read_states;
pub use used::check_forced;
