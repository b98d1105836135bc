//! What every other crate stands on: errors with ClickHouse's codes, the clock, randomness, ids, runtimes, units.

pub mod allocations;
pub mod durable;
pub mod env;
pub mod error;
pub mod fatal;
pub mod host;
pub mod machine;
pub mod mutations;
pub mod operator_time;
pub mod panics;
pub mod prefetch;
pub mod redact;
pub mod runtime;
pub mod sampling;
pub mod spending;
pub mod stack;
pub mod units;

pub use error::{Error, ErrorCode, Result, ResultExt};
