//! Who asks: what a client says of itself, as `system.query_log` and `system.processes` show it.

use std::net::SocketAddr;

use crate::opentelemetry::TraceContext;
use crate::query_lines::LinesTold;

/// A client, as far as its protocol tells of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Client {
    /// Where its connection comes from. `None`: the statement runs in the process itself.
    pub address: Option<SocketAddr>,
    /// The number of its connection, of those that the server took; 0: the statement runs in the process itself.
    pub connection: u64,
    /// 1: the native protocol, 2: HTTP, 6: a session of the process itself; 0: nobody, as for work in the background.
    pub interface: u8,
    /// It came by TLS.
    pub is_secure: bool,
    /// Of the machine's user, of the machine, and of the program; the native protocol alone tells them.
    pub os_user: String,
    pub hostname: String,
    pub name: String,
    /// Of the native protocol.
    pub revision: u64,
    pub version: (u64, u64, u64),
    /// 1: GET (or HEAD), 2: POST; 0 where there is no HTTP.
    pub http_method: u8,
    pub http_user_agent: String,
    pub http_referer: String,
    /// Names in lower case, and values, but for those that say who asks.
    pub http_headers: Vec<(String, String)>,
    /// The path and the parameters of the request.
    pub request_url: String,
    /// The header X-Forwarded-For.
    pub forwarded_for: String,
    /// What it wants its quota to be counted by. (There are no quotas: it is shown.)
    pub quota_key: String,
    /// What its query is a part of, where it says so.
    pub trace: Option<TraceContext>,
    /// Where it hears its query's own log, if it can.
    pub lines: Option<LinesTold>,
}

impl Client {
    /// The native protocol.
    pub const TCP: u8 = 1;
    /// HTTP.
    pub const HTTP: u8 = 2;
    /// A session of the process itself.
    pub const LOCAL: u8 = 6;
    /// The name that `gristmill client` gives itself.
    pub const GRISTMILL: &str = "Gristmill client";

    /// Whether it shows in its summary what ClickHouse's client does not know of.
    pub fn is_gristmill(&self) -> bool {
        self.name == Client::GRISTMILL
    }

    /// What the column `interface` calls its protocol.
    pub fn interface_name(&self) -> &'static str {
        match self.interface {
            Client::TCP => "TCP",
            Client::HTTP => "HTTP",
            Client::LOCAL => "Local",
            _ => "Unknown",
        }
    }

    /// What the column `http_method` calls its request's.
    pub fn http_method_name(&self) -> &'static str {
        match self.http_method {
            1 => "GET",
            2 => "POST",
            _ => "UNKNOWN",
        }
    }

    /// The path that its request named, without parameters: they may be secrets.
    pub fn request_path(&self) -> &str {
        self.request_url.split(['?', '#']).next().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_without_parameters() {
        let path = |url: &str| Client { request_url: url.to_string(), ..Client::default() }.request_path().to_string();
        assert_eq!([path(""), path("/?password=x"), path("/a/b?c=/d")], ["", "/", "/a/b"]);
    }
}
