//! Where a server is, and as whom it is spoken to.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use gristmill_base::redact::Secret;

/// The port of the native protocol.
pub const DEFAULT_PORT: u16 = 9000;
/// The same over TLS.
pub const DEFAULT_SECURE_PORT: u16 = 9440;

#[derive(Clone, Debug)]
pub struct Endpoint {
    pub host: String,
    /// `None`: the protocol's own.
    pub port: Option<u16>,
    pub user: String,
    pub password: Secret,
    pub secure: bool,
    /// Whether any certificate is good enough.
    pub accept_invalid_certificate: bool,
    /// A file of authorities in PEM, beside those that the machine trusts.
    pub authorities: Option<PathBuf>,
    /// Whether blocks are compressed, both ways.
    pub compression: bool,
    pub quota_key: String,
    /// The address of this machine that a connection begins at; `None`: the system chooses.
    pub bind_host: Option<IpAddr>,
    /// The name that the server's certificate is to have; `None`: that of the host.
    pub certificate_name: Option<String>,
    pub connect_timeout: Duration,
    /// A server that says nothing for so long, and not even that it works, is gone.
    pub receive_timeout: Duration,
    /// Whether errors are told with the server's stack.
    pub shows_stacks: bool,
}

impl Default for Endpoint {
    fn default() -> Self {
        Endpoint {
            host: "localhost".to_string(),
            port: None,
            user: "default".to_string(),
            password: Secret::default(),
            secure: false,
            accept_invalid_certificate: false,
            authorities: None,
            compression: true,
            quota_key: String::new(),
            bind_host: None,
            certificate_name: None,
            connect_timeout: Duration::from_secs(10),
            receive_timeout: Duration::from_secs(300),
            shows_stacks: false,
        }
    }
}

impl Endpoint {
    /// The port that is connected to.
    pub fn port(&self) -> u16 {
        self.port.unwrap_or(if self.secure { DEFAULT_SECURE_PORT } else { DEFAULT_PORT })
    }

    /// `host:port`, as errors name it.
    pub fn address(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port())
        } else {
            format!("{}:{}", self.host, self.port())
        }
    }

    /// Whether the server is on this machine: bytes cost nothing then, and are not compressed.
    pub fn is_local(&self) -> bool {
        matches!(self.host.as_str(), "localhost" | "::1") || self.host.starts_with("127.")
    }
}
