//! What a table is to the rest of the system: its definition, how it is read, and how rows get into it.

pub mod definition;
pub mod key;
pub mod table;

pub use definition::{EngineSpec, TableDefinition};
pub use key::KeyExpression;
pub use table::{OptimizeRequest, PartRow, Table, TableWriter, WriteLane};
