//! ClickHouse's native protocol over TCP.
//!
//! `connection` speaks hello and waits for queries, `query` answers one, `listener` hears the client
//! meanwhile. `client` reads the packets of clients, `answer` writes those of the server;
//! `gristmill_formats::native` has the codes of packets, the blocks in them, the socket (`socket`) and which fields there
//! are (`revision`).

mod answer;
pub(crate) mod client;
mod connection;
mod listener;
mod query;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod told;

pub use connection::serve;
