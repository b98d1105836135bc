//! The MergeTree engine: sorted, immutable parts, each one Parquet object; a versioned list of them; merges in the
//! background; a sparse index to read little.
//!
//! Life of an INSERT: `insert` (squash, split by partition, sort) → `part` (encode, upload) → `manifest` (one commit).
//! Life of a SELECT: `read` (pin a version, prune by `index`, decode what is left) . Life of a merge: `merge` (choose,
//! merge, commit) → `gc` (what was replaced goes). Of a change of rows: `mutate`; of rows that grow old:
//! `ttl`. What must always hold: `invariants`.

pub mod aside;
mod check;
pub mod engine;
pub mod environment;
pub mod freeze;
pub mod gc;
pub mod index;
pub mod insert;
pub mod invariants;
pub mod layout;
mod limits;
pub mod located;
pub mod manifest;
pub mod merge;
pub mod mutate;
mod opening;
pub mod parallel;
pub mod part;
mod part_rows;
mod places;
pub mod projection;
pub mod read;
pub mod settings;
pub mod store;
pub mod table;
pub mod testing;
pub mod transfer;
pub mod ttl;

pub use check::check_part_name;
pub use environment::{EnvironmentOptions, MergeTreeEnvironment};
pub use settings::TableSettings;
pub use store::{MemoryStore, ObjectFolder, PartStore};
pub use table::MergeTree;
