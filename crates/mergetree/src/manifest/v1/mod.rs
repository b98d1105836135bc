//! Format version 1 of the manifest, described in docs/formats/manifest-v1.md.

#[cfg(test)]
mod golden;
pub mod load;
pub mod object;
pub mod record;
pub mod value;

pub use load::{FileEntry, LedgerChange, LoadEntry};
pub use record::{
    DeletedEntry, MutationEntry, Operation, PartEntry, ProjectionChange, ProjectionEntry, Record, RemovedObject,
    RemovedPart, RowsDeleted, Snapshot,
};
