//! The server: ClickHouse's protocols in front of the engine.
//!
//! `server` listens and ends, `core` is what all connections share, `access` decides who comes in. `native` is the protocol
//! over TCP, `http` the one over HTTP; `frames` are the compressed blocks of both.

pub mod access;
mod core;
mod extremes;
mod frames;
mod http;
mod known_settings;
mod native;
mod server;

pub use server::{Server, ServerConfig};
