//! Materialized views: what an INSERT writes beside its rows.
//!
//! A view's query runs once for each block that is inserted into its source, with the block in the place of that table,
//! and what it gives is inserted into the view's target, whose own views run over it in turn. `shape` finds that tree of
//! tables and views for a statement; `tree` has a writer open in each of its tables, gathers rows into blocks, runs the
//! queries (`query`) and commits.
//!
//! What holds: everything of an INSERT that can fail (queries, conversions, uploads) is done before the first commit, so
//! a statement that fails leaves nothing in the table and nothing in its views. Then the table's commit comes first and
//! the views' after it, in the order of the tree; a process that dies between them leaves the table's rows without those
//! of the later views. Under an `insert_deduplication_token` the statement can be repeated: each table knows by a token of
//! its own whether it has the rows; without one, those targets know it that keep a window of blocks (`content`). Steps of a load are committed the other way round, views first, each with the ledger
//! of the load, and the table's last (`load`): so what the table's ledger says is in all views, and what only some views
//! have is known to the next run.
//!
//! `gates` keeps INSERTs and the moment in which a populated view begins apart.

mod content;
pub(crate) mod gates;
pub(crate) mod load;
pub(crate) mod query;
mod run;
pub(crate) mod shape;
pub(crate) mod tree;

pub(crate) use shape::Shape;
