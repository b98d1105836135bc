//! Runs statements: sessions, one interpreter a statement, plans and their execution.

mod async_inserts;
mod before_limit;
mod bucketed_groups;
mod calibration;
mod compiler;
mod constraints;
pub mod engine;
pub mod execution;
mod external;
mod granted_columns;
mod group_limit;
mod in_order;
pub mod interpret;
pub mod keys;
mod limits;
mod logs;
mod looped;
mod measured;
mod merged_tables;
mod named_collections;
mod narrow_keys;
mod nested_sort;
pub mod opener;
mod operator_limits;
pub mod plan;
pub mod projections;
mod query_functions;
pub mod resolver;
mod rest_of_stream;
mod server_functions;
pub mod session;
pub mod sets;
mod spill;
pub mod split;
pub mod temporary;
mod values_call;
mod views;

pub use engine::{Engine, EngineConfig};
pub use gristmill_functions::text::set_server_timezone;

pub use execution::{Brought, ClientBlocks, Execution, InputData, IntoOutfile};
pub use external::{ExternalData, ExternalTable};
pub use logs::{LogConfig, LogsConfig};
pub use session::{Session, StatementText};
