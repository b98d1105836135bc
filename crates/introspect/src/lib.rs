//! What a query is and what it did: settings, events, the query context with its counters, memory account, progress and
//! cancellation, and the logs that are written from them. The summary, the progress bar, `system.query_log` and
//! `system.events` all read from here.

pub mod caches;
pub mod client;
pub mod context;
pub mod custom;
pub mod errors;
pub mod events;
pub mod gauges;
pub mod insert_gear;
pub mod last_entry;
pub mod limit;
pub mod logs;
pub mod macros;
mod map_setting;
pub mod memory;
pub mod normalized;
pub mod opentelemetry;
pub mod operators;
pub mod part_log;
pub mod pending_inserts;
pub mod processes;
pub mod profiler;
pub mod progress;
pub mod query_lines;
pub mod query_log;
pub mod server_settings;
pub mod settings;
pub mod settings_declared;
mod speed;
mod spending;
pub mod stage;
pub mod tag_groups;
pub mod used;
pub mod without_effect;

pub use caches::CacheReport;
pub use client::Client;
pub use context::QueryContext;
pub use events::{Counters, Event};
pub use gauges::Gauge;
pub use map_setting::MapSetting;
pub use settings::Settings;
pub use spending::processor_told;
pub use stage::Stage;
/// For `tell!`.
pub use tracing;
pub use used::{Use, Used};
