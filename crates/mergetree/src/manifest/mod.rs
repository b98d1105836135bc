//! The manifest: which parts a table consists of, version by version (M-2), and how a new version is agreed on.

pub mod ledger;
pub mod log;
pub mod state;
pub mod v1;

pub use ledger::Ledger;
pub use log::{Change, Commit, Manifest, RowsChange};
pub use state::State;
pub use v1::{DeletedEntry, MutationEntry, PartEntry, ProjectionChange, ProjectionEntry, RemovedPart, RowsDeleted};
