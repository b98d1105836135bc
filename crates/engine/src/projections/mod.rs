//! Projections of tables: their definitions, checked and compiled for the storage engine (`compile`), and which of them a
//! query reads (`used`).

pub mod compile;
pub mod used;
