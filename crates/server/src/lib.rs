//! The server: ClickHouse's protocols in front of the engine.
//!
//! `server` listens and ends, `core` is what all connections share, `traffic` tells what they moved. `native` is the protocol
//! over TCP, `http` the one over HTTP; `otlp` sends spans of queries to a collector.

mod core;
#[cfg(test)]
mod fuzz;
mod http;
mod known;
mod known_settings;
mod metered;
mod native;
mod otlp;
mod server;
mod sessions_log;
mod tls;
mod traffic;
mod user_sessions;

pub use http::handlers::{
    Content, Entry, Handler, Handlers, Pattern, Routing, Rule, SharedRouting, Taking, response_header,
};
pub use http::prometheus::{Prometheus, Told};
pub use http::sessions::Timeouts;
pub use known::known;
pub use otlp::Exporter;
pub use server::{Changeable, Server, ServerConfig};
pub use tls::{Tls, TlsFiles};
