//! Object storage: one `Store` over S3, GCS, Azure, plain HTTP, local files and memory.
//!
//! A request goes through these layers, outermost first:
//!
//! 1. `store` — the public methods. Splits and joins ranges (`ranges`), retries (`retry`), ends waits when the query is
//!    cancelled, and gives errors that name the object (`failure`).
//! 2. `backend` — one file a kind of store: `cloud` (the `object_store` crate's S3, GCS and Azure clients), `gcs`
//!    around it, `http`, `local`, `memory`. One attempt, no more.
//! 3. `wire` — every HTTP request on its way out: a place in the endpoint's adaptive limit (`limiter`), rate limits
//!    (`throttle`), time limits, counting by class (`account`) with its price (`prices`), and what the server really
//!    answered, for `failure`. What is learned of an endpoint is kept in `endpoint`; `hedge` decides by it.
//!
//! Names of objects are found through `location` (where a URL points), `glob` (patterns) and `find` (listing as little as
//! the pattern allows).

pub mod account;
pub mod allowed_hosts;
mod backend;
mod blob_log;
pub mod credentials;
pub mod endpoint;
mod failure;
pub mod find;
pub mod glob;
mod hedge;
mod key_folders;
mod key_ranges;
pub mod latency;
pub mod limiter;
pub mod location;
mod pieces;
pub mod prices;
pub mod ranges;
mod retry;
pub mod store;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
mod throttle;
pub mod upload;
mod wire;

pub use credentials::Credentials;
pub use find::find;
pub use glob::Glob;
pub use location::{Location, Provider};
pub use store::{ListEntry, ObjectInfo, ObjectStream, PutOutcome, Store};
pub use upload::Upload;
