//! Reading Parquet: footers (`footer`), columns of a file as columns of the table (`columns`), what can be left out (`prune`,
//! `bloom`, `pages`), opening a file (`open`), reading a run of its rows (`unit`),
//! of very many columns (`column_groups`).

pub mod bloom;
mod column_groups;
pub mod columns;
pub mod footer;
pub mod open;
pub mod pages;
pub mod prune;
pub mod unit;
