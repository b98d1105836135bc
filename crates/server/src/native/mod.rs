//! ClickHouse's native protocol over TCP.
//!
//! `socket` moves bytes, `connection` speaks hello and waits for queries, `query` answers one, `listener` hears the client
//! meanwhile. `client` reads the packets of clients, `answer` writes those of the server;
//! `gristmill_formats::native::revision` says which fields there are.

mod answer;
pub(crate) mod client;
mod connection;
mod listener;
mod query;
mod socket;
#[cfg(test)]
pub(crate) mod tests;
mod told;

pub use connection::serve;
