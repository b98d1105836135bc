//! A client of servers that speak ClickHouse's native protocol: gristmill's own, and ClickHouse itself.
//!
//! `client` keeps what a session is (settings, parameters, the current database) and connects, also anew. `connection` says
//! hello; `request` writes what a client sends, `packets` reads what a server answers. `statement` looks at a statement as far
//! as a client must; `conversation` runs it and gives its rows; `insert` sends rows, which come from `source`;
//! `table_columns` reads what a server tells of a table; `told` notes progress, events and logs.
//!
//! A statement that runs is an `Execution`, as one of a session in this process is.

mod client;
mod completions;
mod connection;
mod conversation;
mod endpoint;
mod insert;
mod packets;
mod request;
mod source;
mod statement;
mod table_columns;
#[cfg(test)]
mod tests;
mod tls;
mod told;

pub use client::{Client, ClientOptions};
pub use connection::ServerInfo;
pub use conversation::{Begun, Late, Reply};
pub use endpoint::{DEFAULT_PORT, DEFAULT_SECURE_PORT, Endpoint};
pub use told::{EventLines, LogLines};
