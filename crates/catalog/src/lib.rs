//! What a table is to the rest of the system: its definition, how it is read, and how rows get into it. And the catalog
//! of all of them.

pub mod column_keys;
pub mod create_query;
pub mod databases;
mod ddl_locks;
pub mod definition;
pub mod engines;
pub mod key;
pub mod load;
mod log_source;
pub mod materialized_view;
pub mod metadata_store;
pub mod projection;
pub mod rows_exec;
pub mod rows_table;
pub mod table;
pub mod ttl;

pub use column_keys::{CastWay, ColumnKeys};
pub use create_query::{create_database_query, create_query, create_query_line, engine_full};
pub use databases::{DatabaseInfo, Databases, TableOpener, name_while_filled};
pub use definition::{
    ConstraintDefinition, ConstraintKind, EngineSpec, SkipIndexDefinition, TableDefinition, WrittenKeys, directed, direction,
};
pub use key::{AggregateExpression, ColumnExpression, ExpressionCompiler, KeyExpression, Wanted};
pub use load::{FileProgress, Groups, LedgerRow, LoadRequest, LoadWriter, LoadedGroups, TableLoad};
pub use log_source::LogSource;
pub use materialized_view::{MaterializedView, ViewTarget};
pub use metadata_store::MetadataStore;
pub use projection::{CompiledProjection, ProjectedAggregate, ProjectionContents, ProjectionDefinition};
pub use rows_table::{RowsFuture, RowsTable};
pub use table::{
    BackgroundWork, CheckedPart, DetachedPartRow, IndexRowsRequest, MutationRequest, MutationRow, OptimizeRequest,
    PartChoice, PartRow, PartTtlRow, PartitionChoice, ProjectionPartRow, ProjectionRow, ReadInOneStream, RowChange,
    StoragePlace, Table, TableWriter, Transfer, WriteLane,
};
pub use ttl::{TtlAction, TtlRule, TtlSpec};
